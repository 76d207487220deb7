/* SPDX-License-Identifier: GPL-2.0-only */
/* The status page in its forms, for `lkst status` and for those who ask `lkst serve`. */
#ifndef LKST_CMD_STATUS_H
#define LKST_CMD_STATUS_H

#include <stdio.h>

#include "base/out.h"
#include "live/recording/status.h"
#include "trace/write/wire.h"

/* Writes the status in @form to @to; takes the lock. That nothing is recorded is a status too. */
int lkst_status_write(struct lkst_err *e, enum lkst_wire_form form, FILE *to);

/* The page in the form of Prometheus; @r NULL: nothing is recorded (cmd/control/prometheus.c). */
void lkst_status_write_prometheus(const struct lkst_report *r, struct lkst_out *out);

/* Names of enum lkst_loss for programs to read. */
extern const char *const lkst_loss_keys[LKST_LOSS_NR];

#endif
