/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst doctor says of the machine beside its kernel: file systems, cgroups, crashes, counters, clock, memory. */
#ifndef LKST_CMD_DOCTOR_MACHINE_FACTS_H
#define LKST_CMD_DOCTOR_MACHINE_FACTS_H

#include "cmd/doctor/facts.h"

/* Add the sections "files", "crash", "counters", "clock" and "memory". */
void lkst_facts_add_files(struct lkst_facts *f);
void lkst_facts_add_crash(struct lkst_facts *f);
void lkst_facts_add_counters(struct lkst_facts *f);
void lkst_facts_add_clock(struct lkst_facts *f);
void lkst_facts_add_memory(struct lkst_facts *f);

#endif
