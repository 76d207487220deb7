/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of `lkst why` and `lkst lint`: any records in any order, as only damage or a lying recorder
 * would leave them. Every moment of the interval must be explained once, and the explanation must be
 * printable.
 *
 * Each record is made of bytes of the input: event, CPU and thread, time since the last one, and one for
 * each field; or, for an event that is not there, a gap. Where the input ends, numbers made of it go
 * on, so that a short one is a long trace too.
 *
 * prints: text json
 */
#include "lib/account_fixture.h"
#include "lib/printed.h"
#include "source.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	CPUS = 3,
	TIDS = 6,
	RECORDS = 300,
	VALUES = 16, /* that fields have, so that records are about the same things */
	BEGIN_NS = 100000000,
	WINDOW_SMALL = 64,
};

static char scratch[64], path[80];

static void remove_trace(void)
{
	static const char *const names[] = { "metadata", "state", "main.0", "main.1", "main.2" };
	char file[128];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		unlink(file);
	}
	rmdir(path);
}

static void remove_scratch(void)
{
	remove_trace();
	rmdir(scratch);
}

static void put_record(struct make_trace *t, const struct lkst_event_class *event, u64 ns,
		       struct source *in)
{
	union {
		struct lkst_record_head head;
		u8 bytes[1024];
	} r = { .head = { .id_time = event->id } };
	u32 at = sizeof(r.head), cpu = next(in) % CPUS;
	u16 i;

	r.head.tid = next(in) % TIDS;
	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];
		u32 align = f->size > 4 ? 4 : f->size ? f->size : 1;
		u64 value = next(in);

		if (f->type == LKST_CLASS_STRING || f->type == LKST_CLASS_CHARS) {
			memset(r.bytes + at, 'a', f->count ? f->count : value % 8);
			at += f->count ? f->count : value % 8 + 1;
			continue;
		}
		/* Most are small, and some are as large as can be. */
		value = value == 255 ? UINT64_MAX : value % VALUES;
		at = (at + align - 1) & ~(align - 1);
		memcpy(r.bytes + at, &value, f->size);
		at += f->size;
	}
	if (event->group != LKST_GROUP_STATE)
		make_record(make_stream(t, lkst_stream_instance(cpu, 0, 0)), ns, &r, at);
	else if (lkst_writer_state(&t->err, t->writer, ns, &r, at))
		abort();
}

static u64 make_all(struct source *in)
{
	/* What the chains are made of comes more often than what else there is. */
	static const u16 often[] = { LKST_EV_sched_switch,	   LKST_EV_sched_waking,
				     LKST_EV_sched_switch,	   LKST_EV_sched_wakeup,
				     LKST_EV_hrtimer_expire_entry, LKST_EV_block_rq_complete };
	struct make_trace *t = make_begin(path, account_catalog(NULL, true), 4096);
	u64 ns = BEGIN_NS;
	u32 i;

	for (i = 0; i < RECORDS; i++) {
		u16 id = next(in);

		ns += (u64)next(in) * 100;
		if (id < 128)
			id = often[id % (sizeof(often) / sizeof(often[0]))] + 1;
		else
			id = (u16)(id - 127 + (next(in) & 1) * 128);
		if (t->catalog->classes[id]) {
			put_record(t, t->catalog->classes[id], ns, in);
		} else {
			struct make_stream *s =
				make_stream(t, lkst_stream_instance(next(in) % CPUS, 0, 0));

			make_close(s);
			s->seq += id & 1;
			s->discarded += id & 2;
		}
	}
	if (make_end(t))
		abort();
	return ns;
}

/* The sums at the top are the whole interval; no step lies outside the one that it explains. */
static void check(const struct lkst_account_step *s, const struct lkst_account_step *above)
{
	static const char *const sums[] = { "ran_ns", "ready_ns", "blocked_ns", "absent_ns",
					    "unknown_ns" };
	const struct lkst_account_step *one;
	u64 sum = 0;
	size_t i;

	if (s->to_ns < s->from_ns)
		abort();
	if (above && s->to_ns > above->to_ns && strcmp(s->kind, "gap"))
		abort();
	for (i = 0; i < sizeof(sums) / sizeof(sums[0]) && !above; i++)
		if (lkst_account_find(s, sums[i]))
			sum += lkst_account_find(s, sums[i])->value;
	if (!above && sum != s->to_ns - s->from_ns)
		abort();
	for (one = s->steps; one; one = one->next)
		check(one, s);
}

static void print(struct account_fixture *x, const struct lkst_account *a, const struct lkst_threads *threads,
		  struct lkst_symbols *symbols)
{
	const struct lkst_view_config config = {
		.catalog = lkst_trace_catalog(x->trace), .threads = threads, .symbols = symbols, .time = LKST_VIEW_MONO
	};

	printed_account(&config, a);
	printed_notes(&a->notes);
}

static void find_wrong(struct account_fixture *x)
{
	struct lkst_lint l;

	if (lkst_lint_run(&x->err, x->trace, NULL, 0, NULL, NULL, &l))
		abort();
	print(x, l.account, l.threads, l.symbols);
	printed_notes(&l.notes);
	lkst_lint_fini(&l);
}

static void explain(struct account_fixture *x, s32 tid, u64 from_ns, u64 to_ns, u32 max)
{
	const struct lkst_excerpt_options options = { .max = max };
	struct lkst_excerpt *w;
	struct lkst_account *a;

	if (lkst_excerpt_new(&x->err, x->trace, 0, UINT64_MAX, &options, &w))
		abort();
	if (!lkst_why_explain(&x->err, w, tid, from_ns, to_ns, LKST_WHY_DEPTH, &a)) {
		check(a->root.steps, NULL);
		print(x, a, w->threads, w->symbols);
		lkst_account_free(a);
	} else {
		printed_error(&x->err);
	}
	lkst_excerpt_free(w);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct account_fixture *x;
	struct source in = { .data = data, .left = size };
	u64 end_ns;
	s32 tid;

	if (!scratch[0]) {
		snprintf(scratch, sizeof(scratch), "/dev/shm/lkst-fuzz-XXXXXX");
		x = calloc(1, sizeof(*x));
		if (!x || !mkdtemp(scratch))
			abort();
		snprintf(path, sizeof(path), "%s/trace", scratch);
		atexit(remove_scratch);
	}
	remove_trace();
	end_ns = make_all(&in);
	if (lkst_trace_open(&x->err, path, &x->trace))
		abort();
	for (tid = 1; tid < TIDS; tid++)
		explain(x, tid, BEGIN_NS + (u64)tid * 1000, end_ns + 1, tid & 2 ? WINDOW_SMALL : 0);
	find_wrong(x);
	lkst_trace_close(x->trace);
	return 0;
}
