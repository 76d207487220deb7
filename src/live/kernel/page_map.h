/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The physical pages that a process has now: its mappings (/proc/PID/maps), and of each page that is in memory its page
 * frame (/proc/PID/pagemap, Documentation/admin-guide/mm/pagemap.rst). The process goes on meanwhile.
 */
#ifndef LKST_LIVE_KERNEL_PAGE_MAP_H
#define LKST_LIVE_KERNEL_PAGE_MAP_H

#include <sys/types.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_page_mapping {
	u64 begin, end;	  /* addresses */
	char access[5];	  /* "rw-p", as the kernel writes it */
	const char *name; /* the file's, or "[heap]" and the like; "": none */

	/* Pages of it. Those in memory without the page of zeros that all share, as Rss counts. */
	u64 nr_present, nr_swapped;
	u64 nr_zero; /* of the page of zeros */
	u64 nr_huge; /* present ones that are parts of huge pages; 0 without their frames' flags */
	u64 nr_shared;	 /* present ones of files and shared memory */
	bool is_skipped; /* it is too large to be walked, or not memory: nothing of it is known */
};

/* Pages of a mapping whose addresses and page frames follow each other, and which are alike. */
struct lkst_page_run {
	u64 address, pfn; /* of the first; pfn 0: the kernel does not show it */
	u64 nr;
	bool is_huge, is_shared, is_zero;
};

/* Either may be NULL. A negative errno ends the walk. */
struct lkst_page_calls {
	int (*run)(void *ctx, const struct lkst_page_mapping *m, const struct lkst_page_run *run);
	int (*mapping)(void *ctx, const struct lkst_page_mapping *m); /* after its runs */
};

/*
 * Walks the mappings of process @pid in order of their addresses. Page frames, and what follows from their flags, are
 * there only for CAP_SYS_ADMIN. -ESRCH: there is no such process; -EACCES: it is not the caller's to look into.
 */
int lkst_page_map_walk(struct lkst_err *e, pid_t pid, const struct lkst_page_calls *calls,
		       void *ctx);

#endif
