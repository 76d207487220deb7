/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of the running recording among the events that `lkst event` lists and shows. */
#ifndef LKST_CMD_EVENT_PROBE_H
#define LKST_CMD_EVENT_PROBE_H

#include "result/table.h"

/* Adds a row for each probe that matches @glob (NULL: all). Without a recording, or the right to look at it, none. */
void lkst_event_list_probes(const char *glob, struct lkst_table *t);

/* Prints probe "GROUP:EVENT"; false: no such probe is set. */
bool lkst_event_show_probe(const char *name);

#endif
