/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print for traces of several hosts. */
#ifndef LKST_CMD_READ_PRINT_HOSTS_H
#define LKST_CMD_READ_PRINT_HOSTS_H

#include "cmd/readers/printing.h"
#include "hosts/hosts.h"

/* What is printed. */
struct lkst_print_hosts {
	const struct lkst_printing_options *options;
	const char *from, *to; /* NULL: from the beginning; to the end */
	u64 first, last;       /* so many of the wanted records, 0: no limit */
};

int lkst_print_hosts(struct lkst_err *e, const struct lkst_print_hosts *what,
		     const struct lkst_hosts *h);

#endif
