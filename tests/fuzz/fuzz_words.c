/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the words that options and arguments take: sizes, durations, rotations, times, counters, kinds of
 * worst cases, and patterns for events. What is refused is explained and changes nothing; a time that is printed is
 * read as the same.
 *
 * prints: text csv json
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "analyze/why/worst.h"
#include "lib/printed.h"
#include "live/kernel/perf_counters.h"
#include "trace/write/parts.h"
#include "print/select.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aULL

/* 2026-11-21 12:14:05 UTC, and a day before the end of what nanoseconds reach to. */
#define NOON_NS (1795263245 * LKST_NS_PER_S)
#define LAST_NS (UINT64_MAX - 86400 * LKST_NS_PER_S)

static void check(bool is_right)
{
	if (!is_right)
		abort();
}

/* @err came with @e; @value was UNTOUCHED before. */
static void check_refusal(int err, const struct lkst_err *e, u64 value)
{
	check(!err || (err < 0 && value == UNTOUCHED));
	if (err)
		printed_error(e);
}

static void read_amounts(const char *text)
{
	u64 bytes = UNTOUCHED, ns = UNTOUCHED;
	char size_text[LKST_SIZE_TEXT], duration_text[LKST_DURATION_TEXT];
	struct lkst_err e = {};

	check_refusal(lkst_size_parse(&e, text, &bytes), &e, bytes);
	lkst_size_format(bytes, size_text);
	e.text[0] = 0;
	check_refusal(lkst_duration_parse(&e, text, &ns), &e, ns);
	lkst_duration_format(ns, duration_text);
	check(size_text[0] >= '0' && size_text[0] <= '9' && duration_text[0] >= '0' &&
	      duration_text[0] <= '9');
}

static void read_time(const char *text)
{
	static const struct lkst_time_range ranges[] = {
		{ .begin_ns = 5 * LKST_NS_PER_S,
		  .end_ns = 9 * LKST_NS_PER_S,
		  .clock_offset_ns = NOON_NS },
		{ .end_ns = UINT64_MAX },
		{ .begin_ns = UINT64_MAX, .end_ns = UINT64_MAX, .clock_offset_ns = UINT64_MAX },
	};
	struct lkst_err e;
	unsigned int i;
	int year;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct lkst_time_range *r = &ranges[i];
		u64 ns = UNTOUCHED;

		e.text[0] = 0;
		if (lkst_time_parse(&e, text, r, &ns)) {
			check_refusal(-1, &e, ns);
			continue;
		}
		check(text[0] != '+' || ns >= r->begin_ns);
		check(text[0] != '-' || ns <= r->end_ns);
		/* It has a date then: what is after all that can be recorded is not before it. */
		if (strchr(text + 1, ':') && strchr(text + 1, '-') &&
		    sscanf(text, "%4d", &year) == 1)
			check(year <= 2554 || ns == UINT64_MAX);
	}
}

/* A date that the program printed, in UTC, of any time. */
static void print_time(u64 ns)
{
	const struct lkst_time_range range = { .end_ns = UINT64_MAX };
	char text[LKST_TIME_ROOM + 1];
	struct lkst_time_text t;
	struct lkst_err e;
	u64 again;

	ns %= LAST_NS;
	lkst_time_text_init(&t, LKST_TIME_DATE, 0);
	*lkst_put_time(text, &t, ns, 9) = 0;
	check(!lkst_time_parse(&e, text, &range, &again) && again == ns);
}

static void read_rotation(const char *text)
{
	struct lkst_rotation r = { .bytes = UNTOUCHED };
	struct lkst_err e = {};
	int err = lkst_rotation_parse(&e, text, &r);

	check_refusal(err, &e, r.bytes);
	check(err || (r.is_on && (r.bytes || r.ns || r.keep) && r.keep != 1));
}

static void read_names(const char *text)
{
	u8 counters[LKST_PERF_AT_ONCE] = {};
	enum lkst_worst_kind kind;
	struct lkst_err e = {};
	const char *call;
	unsigned int i;

	if (lkst_worst_parse(&e, text, &kind, &call))
		printed_error(&e);
	else
		check(kind < LKST_NR_WORSTS &&
		      (!call || (call > text && call <= text + strlen(text))));
	e.text[0] = 0;
	if (lkst_perf_counters_parse(&e, text, counters)) {
		check(!counters[0]);
		printed_error(&e);
	} else
		check(counters[0]);
	for (i = 0; i < LKST_PERF_AT_ONCE; i++)
		check(counters[i] < LKST_NR_PERF_COUNTERS);
}

static struct lkst_catalog *make_catalog(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	u16 id;

	check(c);
	for (id = 0; id < LKST_NR_EVENTS; id++)
		check(!lkst_catalog_add_builtin(&e, c, id + 1, id));
	for (id = 0; id < 16; id++)
		check(!lkst_catalog_add_syscall(&e, c, LKST_NR_EVENTS + 1 + 2 * id,
						LKST_NR_EVENTS + 2 + 2 * id, id));
	return c;
}

/* The lines of @text are patterns. What they choose has events; each event by its own name. */
static void choose_events(char *text)
{
	static struct lkst_catalog *c;
	struct lkst_select_options options = {};
	_cleanup_(lkst_select_freep) struct lkst_select *select = NULL;
	char *globs[8], *rest = text, *glob;
	struct lkst_err e = {};
	unsigned int id, nr = 0, nr_wanted = 0;

	if (!c)
		c = make_catalog();
	while (nr < sizeof(globs) / sizeof(globs[0]) && (glob = strsep(&rest, "\n")))
		globs[nr++] = glob;
	options.events = globs;
	options.nr_events = nr;
	if (lkst_select_new(&e, c, NULL, &options, &select)) {
		printed_error(&e);
		return;
	}
	for (id = 0; id <= LKST_ID_MAX; id++)
		nr_wanted += c->classes[id] && lkst_select_has_event(select, c->classes[id]);
	check(nr_wanted > 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_free_ char *text = strndup((const char *)data, size);
	u64 ns = 0;

	check(text);
	setenv("TZ", "UTC0", 1);
	read_amounts(text);
	read_time(text);
	read_rotation(text);
	read_names(text);
	memcpy(&ns, data, size < sizeof(ns) ? size : sizeof(ns));
	print_time(ns);
	choose_events(text);
	return 0;
}
