/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scope guards: a variable declared with one is released when it goes out of scope, so that every
 * early return is right.
 *
 *	_cleanup_free_ char *text = NULL;
 *	_cleanup_close_ int fd = -1;
 *	_cleanup_(lkst_trace_closep) struct lkst_trace *trace = NULL;
 */
#ifndef LKST_BASE_CLEANUP_H
#define LKST_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(lkst_freep)
#define _cleanup_close_ _cleanup_(lkst_closep)
#define _cleanup_fclose_ _cleanup_(lkst_fclosep)

static inline void lkst_freep(void *p)
{
	free(*(void **)p);
}

static inline void lkst_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void lkst_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

/*
 * Makes the guard of pointers to @type that @release, which takes NULL, releases. Its name is that of @release
 * with a p:
 *
 *	void lkst_trace_close(struct lkst_trace *t);
 *	LKST_GUARD(lkst_trace_close, struct lkst_trace)
 */
#define LKST_GUARD(release, type)                                                                  \
	static inline void release##p(type **p)                                                    \
	{                                                                                          \
		release(*p);                                                                       \
	}

/* Hands a guarded pointer on: returns it and disarms the guard. */
#define lkst_take(p)                                                                               \
	({                                                                                         \
		__typeof__(p) *lkst_p = &(p);                                                      \
		__typeof__(p) lkst_value = *lkst_p;                                                \
		*lkst_p = NULL;                                                                    \
		lkst_value;                                                                        \
	})

/* The same for a file descriptor. */
#define lkst_take_fd(fd)                                                                           \
	({                                                                                         \
		int *lkst_fd = &(fd);                                                              \
		int lkst_value = *lkst_fd;                                                         \
		*lkst_fd = -1;                                                                     \
		lkst_value;                                                                        \
	})

#endif
