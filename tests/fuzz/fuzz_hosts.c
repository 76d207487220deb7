/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of several hosts' traces: two of any records, as only damage or a lying recorder would leave them, are
 * brought to one time line. That may be refused; else all records of both come, none before an earlier one, and if the
 * messages do not contradict each other, none of them is received before it was sent.
 *
 * prints: text csv json page
 */
#include "hosts/reading.h"
#include "hosts/reading_merge.h"
#include "lib/any_trace.h"
#include "lib/paged.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { HOSTS = 2 };

static char scratch[64];
static struct in_memory files; /* of both */

static void remove_scratch(void)
{
	make_scratch_remove(scratch);
}

static u64 count(struct lkst_trace *t)
{
	struct lkst_merge *m;
	struct lkst_record r;
	struct lkst_err e;
	u64 nr = 0;

	if (lkst_merge_new(&e, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r) > 0)
		nr++;
	lkst_merge_free(m);
	return nr;
}

static void check(const struct lkst_reading *h)
{
	struct lkst_reading_merge *m;
	char text[LKST_HOST_CLOCK_TEXT];
	u64 nr = 0, last_ns = 0;
	struct lkst_record r;
	struct lkst_gap gap;
	struct lkst_err e;
	unsigned int i;

	for (i = 0; i < h->nr; i++) {
		nr += count(h->list[i].trace);
		lkst_reading_clock_text(h, i, text);
		printed_name(text, strlen(text));
	}
	printed_notes(&h->notes);
	if (h->nr_still && !h->notes.nr)
		abort();
	if (lkst_reading_merge_new(&e, h, 0, UINT64_MAX, true, &m))
		abort();
	for (; lkst_reading_merge_next(m, &i, &r) > 0; nr--) {
		const u64 ns = r.ns + h->list[i].offset_ns;

		while (lkst_reading_merge_gap(m, i, &gap) > 0)
			;
		if (r.buffer == LKST_BUFFER_STATE)
			continue;
		if (ns < last_ns)
			abort();
		last_ns = ns;
	}
	if (nr)
		abort();
	lkst_reading_merge_free(m);
}

static struct lkst_trace *make(struct source *in, unsigned int i)
{
	struct lkst_trace *t;
	struct lkst_err e;
	char path[80], name[4];

	snprintf(path, sizeof(path), "%s/%u", scratch, i);
	if (mkdir(path, 0700))
		abort();
	any_trace_make_host(path, in, (u8)i);
	if (lkst_trace_open(&e, path, &t))
		abort();
	snprintf(name, sizeof(name), "%u/", i);
	in_memory_add(&files, path, name);
	make_scratch_remove(path);
	return t;
}

/*
 * What the commands say of several hosts; the others are about one. Each reads both traces again, so that an input is
 * for one of them.
 */
static void print(u8 which)
{
	enum { LINES = 6 };
	static const struct paged_line lines[LINES] = {
		{ "print --cgroups", PRINTED_TEXT },
		{ "print --format csv", PRINTED_COLUMNS },
		{ "print --format json", PRINTED_JSON },
		{ "analyze waitdelay", PRINTED_TEXT },
		{ "analyze waitdelay --format csv", PRINTED_CSV },
		{ "analyze waitdelay --format json", PRINTED_JSON },
	};

	which %= LINES + 1;
	if (which < LINES)
		paged_run(&files, &lines[which], 1);
	else
		paged_draw(&files);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source in = { .data = data, .left = size };
	struct lkst_trace *traces[HOSTS];
	struct lkst_reading h;
	struct lkst_err e;
	unsigned int i;

	if (!scratch[0]) {
		make_scratch(scratch);
		atexit(remove_scratch);
	}
	for (i = 0; i < HOSTS; i++)
		traces[i] = make(&in, i);
	if (lkst_reading_take(&e, traces, HOSTS, &h)) {
		printed_error(&e);
	} else {
		check(&h);
		lkst_reading_close(&h);
	}
	print(next(&in));
	in_memory_fini(&files);
	return 0;
}
