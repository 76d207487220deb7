/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Through which functions an error came to a system call: those of which a probe of group `errors` has records that
 * they returned what the call then failed with, from the first to the last.
 */
#ifndef LKST_ANALYZE_ENGINE_ERROR_CHAIN_H
#define LKST_ANALYZE_ENGINE_ERROR_CHAIN_H

#include "abi/probe.h"
#include "analyze/engine/feed.h"
#include "analyze/engine/tally.h"
#include "trace/known/symbols.h"

enum {
	LKST_ERROR_STEPS = 16, /* functions that are kept of a call: the last */
	LKST_ERROR_TEXT = 24,  /* of an error's name, with its NUL: any of base/errno.def */
	LKST_ERROR_PATH = 64,  /* bytes that are kept of a call's first path, with the NUL */
	LKST_ERROR_CALL = 512, /* of a call's arguments as text */
};

/* Whether records of @event say what a function returned: it is a probe of group `errors`. */
bool lkst_error_is_return(const struct lkst_event_class *event);

/* Whether they say what a function is called with: errors:NAME_args, arg1 to arg6. */
bool lkst_error_is_entry(const struct lkst_event_class *event);

/*
 * The error that record @r of such an event says that a function returned, negative, and the function, for
 * lkst_error_function_name(). 0: what it returned was none.
 */
s32 lkst_error_of_return(const struct lkst_record *r, u64 *ret_function);

/*
 * The name of a function. One that several functions have a probe for is known by its address, one with a probe of its
 * own by that probe's name in the trace's @catalog: errors:vfs_read, errors:vfs_read__return.
 */
void lkst_error_function_name(const struct lkst_catalog *catalog, struct lkst_symbols *symbols,
			      u64 function, char text[LKST_KEY_TEXT]);

/* A call that failed. */
struct lkst_error_chain {
	s16 row;      /* in lkst_syscalls[], -1: it has none */
	s32 nr;	      /* its number */
	s32 error;    /* positive */
	u64 begin_ns; /* 0: the trace does not have its beginning, and then it has no functions */
	u32 nr_functions;
	bool is_cut; /* there were more functions, further in */
	u8 nr_args;
	u64 args[LKST_SYSCALL_ARGS_MAX];  /* that the call was made with */
	char path[LKST_ERROR_PATH];	  /* the string of its first path; "": none could be read */
	bool has_first_args;		  /* it is known what the first function was called with */
	u64 first_args[LKST_ERRORS_ARGS]; /* the registers of arguments, used or not */
	u64 functions[LKST_ERROR_STEPS];  /* the first that failed first */
};

struct lkst_error_chains;

/* @r is the record of the call's exit. A negative errno ends the pass. */
typedef int lkst_error_chain_call(void *ctx, const struct lkst_record *r,
				  const struct lkst_error_chain *chain);

/*
 * Calls @call for each system call that fails. 1; 0: the trace can have no records of such probes, or none of calls;
 * or a negative errno. *@ret_chains is to be freed after the pass in any case, unless it is NULL.
 */
int lkst_error_chains_new(struct lkst_feed *f, lkst_error_chain_call *call, void *ctx,
			  struct lkst_error_chains **ret_chains);
void lkst_error_chains_free(struct lkst_error_chains *c);

/* The arguments of the call: "dirfd=AT_FDCWD path=/etc/shadow flags=0x0". Returns @text. */
const char *lkst_error_chain_args(const struct lkst_error_chain *chain, char text[LKST_ERROR_CALL]);

/* "ENOENT", or the number of one that has no name. Returns @text. */
const char *lkst_error_text(s32 error, char text[LKST_ERROR_TEXT]);

#endif
