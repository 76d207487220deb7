/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the tests of accounts: a trace written as text (make_trace.h has the form) with some threads,
 * devices and system calls, what `lkst why` and `lkst lint` make of it, and how that is printed.
 */
#ifndef LKST_TESTS_ACCOUNT_FIXTURE_H
#define LKST_TESTS_ACCOUNT_FIXTURE_H

#include "abi/syscalls.h"
#include "analyze/lint/lint.h"
#include "analyze/why/why.h"
#include "lib/make_trace.h"
#include "print/account_text.h"

struct account_fixture {
	char dir[64], path[80];
	struct lkst_err err;
	struct lkst_trace *trace;
	struct lkst_out *out;
	char text[1 << 16]; /* what was printed */
};

struct lkst_catalog *account_catalog(const char *version, bool has_ends);

/* The trace of @text, opened. @version: the kernel's, NULL: the usual. */
struct account_fixture *account_new(const char *text, const char *version);

void account_free(struct account_fixture *x);

/* Prints an account into x->text. */
const char *account_print(struct account_fixture *x, const struct lkst_account *a,
			  const struct lkst_threads *threads, struct lkst_symbols *symbols,
			  bool has_events, bool is_json);

enum { ACCOUNT_EVENTS = 1, ACCOUNT_JSON = 2 };

/* What `lkst why` says of thread @tid; the error's text if it fails. @max: as in lkst_excerpt_new(). */
const char *account_why(struct account_fixture *x, s32 tid, u64 from_ns, u64 to_ns,
			unsigned int depth, u32 max, int flags);

/* Something later, elsewhere: what goes on at the end of a trace is only known up to there. */
#define ACCOUNT_LATER "sched_waking cpu=3 tid=90 ns=1020000000 target_tid=91 target_cpu=3\n"

/* What is said of the thread 10 from 1 s to 1.01 s in @trace, without the events. */
const char *account_explain(const char *trace, int flags);

/* What `lkst lint` finds with the rules that @rule names, and its notes, in lines. */
const char *account_lint(struct account_fixture *x, char *rule, int flags);

#endif
