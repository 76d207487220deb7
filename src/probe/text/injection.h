/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The language of `lkst inject`: which function fails, how, at which of its calls, for whom and for how long.
 *
 *	FUNC return VALUE [from CALLER | under CALLER] [call N] [every N] [times N] [probability P%]
 *		[pid PID] [comm NAME] [for TIME]
 *
 * The clauses after VALUE may come in any order, each once. VALUE is -ENOMEM, a number, NULL or true. Nothing is
 * looked up: whether there is such a function, and whether it may return this, the kernel knows.
 */
#ifndef LKST_PROBE_TEXT_INJECTION_H
#define LKST_PROBE_TEXT_INJECTION_H

#include <stdbool.h>

#include "abi/inject.h"
#include "base/err.h"

enum {
	LKST_INJECTION_NAME = 128,   /* of a function, with its NUL */
	LKST_INJECTION_COMM = 16,    /* of a thread, with its NUL: the kernel's TASK_COMM_LEN */
	LKST_INJECTION_SECONDS = 60, /* how long, if nothing is said */
	LKST_INJECTION_SECONDS_MAX = 3600,
	LKST_INJECTION_ERRNO_MAX = 4095, /* the largest error number: the kernel's MAX_ERRNO */
};

/* `chance` is so many of this. */
#define LKST_INJECTION_ALWAYS (1ULL << 32)

struct lkst_injection {
	char text[LKST_INJECTION_TEXT]; /* all of it, as it was written */
	char function[LKST_INJECTION_NAME];
	s64 value;
	u8 caller_is; /* enum lkst_injection_caller */
	char caller[LKST_INJECTION_NAME];
	u64 first; /* the call at which to begin, from 1 on */
	u64 every; /* each so many calls from there on */
	u64 times; /* 0: any number */
	u64 chance;
	u32 pid;			/* 0: any */
	char comm[LKST_INJECTION_COMM]; /* "": any */
	u64 for_ns;
	u16 value_at, caller_at,
		pid_at; /* the bytes of the text where these begin; the function is at 0 */
};

/*
 * Makes @text into *@ret. With `call` alone it is that call only; with `every` alone the first call is number N; with
 * neither it is every call. -EINVAL: it is no injection; @e has the place. Trusts no byte.
 */
int lkst_injection_parse(struct lkst_err *e, const char *text, struct lkst_injection *ret);

/* Says what is wrong with byte @at of its text, and marks it. Returns @err, a negative errno. */
int lkst_injection_refuse(struct lkst_err *e, int err, const struct lkst_injection *injection,
			  u16 at, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What a function returns, for people: "-ENOMEM", "NULL" for 0, or the number. */
enum { LKST_INJECTION_VALUE = 32 };
const char *lkst_injection_value(s64 value, char text[LKST_INJECTION_VALUE]);

#endif
