/* SPDX-License-Identifier: GPL-2.0-only */
/* A look of `lkst top` as tables, for text, CSV and JSON. */
#ifndef LKST_CMD_TOP_TABLES_H
#define LKST_CMD_TOP_TABLES_H

#include "cmd/top/top_look.h"
#include "cmd/top/top_rows.h"
#include "result/table.h"

/* Adds the tables to @set: window, recording, cpus, threads, irqs, disks, worst. 0 or -ENOMEM. */
int lkst_top_tables(const struct lkst_top_look *look, const struct lkst_top_rows *rows,
		    struct lkst_tables *set);

/* Whether the thread is one of this process. */
bool lkst_top_is_own(const struct lkst_thread_figures *t);

/* What the path of its cgroup shows of a container, "": nothing. Not escaped. */
const char *lkst_top_container(const struct lkst_figures *f, const struct lkst_thread_figures *t);

/* A share of a time, 0 if that is 0. */
double lkst_top_percent(u64 ns, u64 of_ns);

#endif
