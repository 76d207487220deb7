/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the tests of views: a catalogue, some threads, and records written as lines of text
 * (make_trace.h has the form), printed into memory.
 */
#ifndef LKST_TESTS_VIEW_FIXTURE_H
#define LKST_TESTS_VIEW_FIXTURE_H

#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "print/print.h"
#include "trace/known/threads.h"

/* 2026-11-21 12:14:05 UTC less 100 s: a record at 100 s is of that second. */
#define FIXTURE_OFFSET_NS ((1795263245ULL - 100) * 1000000000ULL)
#define FIXTURE_BEGIN_NS (99ULL * 1000000000ULL)

struct fixture {
	struct lkst_catalog *catalog;
	struct lkst_threads *threads;
	struct lkst_symbols *symbols;
	struct lkst_out *out;
	const struct lkst_view *view;
	bool has_text; /* of the view's configuration */
	void *ctx;
	union {
		struct lkst_record_head head;
		u8 bytes[MAKE_RECORD_MAX];
	} record;
	char text[1 << 20]; /* what was printed */
};

/* Parses a line into @x->record; cpu=, tid=, ns=, buffer= and the event's fields. */
struct lkst_record fixture_record(struct fixture *x, const char *line);

/* Feeds the record of a line to the thread table, as its printer does afterwards. */
void fixture_feed(struct fixture *x, const char *line);

/* Feeds a thread to the thread table. */
void fixture_thread(struct fixture *x, s32 tid, const char *comm, u64 task);

/* Feeds a function to the symbols. */
void fixture_symbol(struct fixture *x, u64 address, u32 bytes, const char *name);

/* Prints go to memory from here on. */
void fixture_begin(struct fixture *x, const struct lkst_view *view, enum lkst_view_time time);

void fixture_print(struct fixture *x, const char *line);

/* What was printed. */
const char *fixture_end(struct fixture *x);

/* A record at 12:14:05.123456789 on CPU 1 of thread 1234, by the view's usual time. */
const char *fixture_one(struct fixture *x, const struct lkst_view *view,
			const char *event_and_fields);

/* The one that all tests of a program use. It is there before main() begins. */
extern struct fixture *f;

#endif
