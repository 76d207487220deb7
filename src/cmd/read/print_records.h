/* SPDX-License-Identifier: GPL-2.0-only */
/* The records that lkst print prints: of one host, or of several on one time line. */
#ifndef LKST_CMD_READ_PRINT_RECORDS_H
#define LKST_CMD_READ_PRINT_RECORDS_H

#include "cmd/readers/printing.h"
#include "hosts/reading.h"

/* What is printed. */
struct lkst_print_records {
	const struct lkst_printing_options *options;
	const char *from, *to; /* NULL: from the beginning; to the end */
	u64 first, last;       /* so many of the wanted records, 0: no limit */
};

/* Prints to standard output. Each line of several hosts names its host. */
int lkst_print_records(struct lkst_err *e, const struct lkst_print_records *what, const struct lkst_reading *r);

#endif
