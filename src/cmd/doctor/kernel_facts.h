/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst doctor says of the kernel: how it was built, what it lets whom do, and what this process may. */
#ifndef LKST_CMD_DOCTOR_KERNEL_FACTS_H
#define LKST_CMD_DOCTOR_KERNEL_FACTS_H

#include "cmd/doctor/facts.h"

/* Add the sections "kernel", "security" and "privileges". */
void lkst_facts_add_kernel(struct lkst_facts *f);
void lkst_facts_add_security(struct lkst_facts *f);
void lkst_facts_add_privileges(struct lkst_facts *f);

#endif
