/* SPDX-License-Identifier: GPL-2.0-only */
/* What hooks and records cost on this machine, printed. */
#ifndef LKST_CMD_RECORDERS_UNIT_COSTS_H
#define LKST_CMD_RECORDERS_UNIT_COSTS_H

#include "abi/budget.h"
#include "result/json_writer.h"

/* Writes what a run, a record and a string cost as members of the object that is begun. */
void lkst_unit_costs_put(struct lkst_json *j, const struct lkst_costs *c);

#endif
