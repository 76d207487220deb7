/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst doctor says of events: which can be recorded here, why others cannot, and what each costs. */
#ifndef LKST_CMD_DOCTOR_EVENTS_H
#define LKST_CMD_DOCTOR_EVENTS_H

#include "live/recording/trial.h"
#include "result/json_writer.h"
#include "trace/format/catalog.h"

/* Makes a catalogue of all events that are built in, whatever this kernel has. lkst_catalog_free() it. */
int lkst_doctor_catalog(struct lkst_err *e, struct lkst_catalog **ret_catalog);

/* Prints what @t has found, in words; as members of the JSON object that is begun. @c as above. */
void lkst_doctor_print_events(const struct lkst_trial *t, const struct lkst_catalog *c,
			      struct lkst_out *out);
void lkst_doctor_put_events(const struct lkst_trial *t, const struct lkst_catalog *c,
			    struct lkst_json *j);

#endif
