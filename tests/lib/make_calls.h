/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a trace of text (make_trace.h has the form) whose catalogue has some system calls as well. */
#ifndef LKST_TESTS_MAKE_CALLS_H
#define LKST_TESTS_MAKE_CALLS_H

#include "abi/syscalls.h"
#include "lib/make_trace.h"

static inline struct lkst_catalog *make_calls_catalog(void)
{
	static const char *const names[] = { "read", "write", "futex" };
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 100;
	struct lkst_err e;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++, id += 2) {
		const struct lkst_syscall *row = lkst_syscall_find(false, names[i]);

		if (!row || lkst_catalog_add_syscall(&e, c, id, id + 1, (unsigned int)(row - lkst_syscalls)))
			abort();
	}
	return c;
}

/* The trace of @text in @path, in place of one that was there. */
static inline void make_trace_of_calls(const char *path, const char *text)
{
	struct make_trace *m;

	make_scratch_remove(path);
	m = make_begin(path, make_calls_catalog(), 4096);
	if (!m || make_text(m, text) || make_end(m))
		abort();
}

#endif
