/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of threads (trace/known/threads.h), fed by a trace made of text. */
#ifndef LKST_TESTS_FED_THREADS_H
#define LKST_TESTS_FED_THREADS_H

#include "trace/known/threads.h"

/* The table after all records of @text, as lib/make_trace.h has it. Free it with lkst_threads_free(). */
struct lkst_threads *fed_threads(const char *text);

#endif
