// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: all
 *
 * What `lkst why` says of a wait when the limit has taken all that it may take is what it says of the same recording
 * while that is whole, or less; and most of it: the call, what ended the wait, and who woke the thread.
 *
 * A load of this machine's own is recorded without a limit. The twin of the trace lacks each kind that the limit may
 * leave out, from the moment on at which an eighth of the time was over, with the lines of the ledger for it.
 */
#include <inttypes.h>

#include "analyze/model/model.h"
#include "base/vec.h"
#include "lib/less_why.h"
#include "lib/make_trace.h"
#include "live.h"
#include "live/cost/kinds.h"
#include "trace/format/metadata.h"

enum {
	WAITS = 100,	    /* that are explained, of all threads of programs */
	ENOUGH = 95,	    /* of these, of which all is still known */
	LEAST_NS = 500000,  /* of a wait that is worth a question */
};

struct wait {
	s32 tid;
	u64 from_ns, to_ns;
};

struct waits {
	struct wait *list;
	u32 nr, room;
	u64 begin_ns; /* of those that are taken */
};

/* Pipes, files, processes, sleeps and CPUs that are shared, for some seconds. */
static const char load[] = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do "
			   "(seq 20000 | sort -rn | wc -l) >\"$0/out\"; ls -lR /etc/apt >\"$0/list\" 2>&1; "
			   "dd if=/dev/zero of=\"$0/data\" bs=64k count=4 conv=fsync 2>\"$0/err\"; sleep 0.02; done";

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	struct waits *w = ctx;
	struct wait *at;

	if (i->run != LKST_RUN_BLOCKED || i->life->tid <= 0 || i->life->is_kernel || i->from_ns < w->begin_ns ||
	    i->to_ns - i->from_ns < LEAST_NS || i->flags & (LKST_INTERVAL_OPEN | LKST_INTERVAL_CUT))
		return 0;
	at = lkst_vec_reach(w->list, w->room, w->nr);
	if (!at)
		return -ENOMEM;
	w->nr++;
	*at = (struct wait){ i->life->tid, i->from_ns, i->to_ns };
	return 0;
}

/* Finds the waits of programs' threads in @t. 0 or an error. */
static int find_waits(struct lkst_err *e, struct lkst_trace *t, struct waits *w)
{
	static const struct lkst_model_calls calls = { .interval = on_interval };
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *model = NULL;
	int err = lkst_feed_new(e, t, &f) ?: lkst_model_new(e, f, &model);

	if (!err && lkst_model_subscribe(model, &calls, w) < 0)
		err = -ENOMEM;
	return err ?: lkst_feed_run(e, f);
}

/* ---- the twin ----------------------------------------------------------------------- */

struct twin {
	struct make_trace *to;
	struct lkst_kind_desc *kinds;
	unsigned int nr_kinds;
	bool is_left_out[LKST_EVENT_SPACE];
	u64 from_ns, end_ns; /* from when on they are, and when all ends */
};

/* Kinds that may be left out, and their events. */
static void choose(struct twin *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_kinds; i++) {
		const struct lkst_kind_desc *k = &w->kinds[i];

		if (k->value == LKST_KIND_PRECIOUS)
			continue;
		w->is_left_out[k->id[0]] = true;
		w->is_left_out[k->id[1]] = true;
	}
	w->is_left_out[0] = false;
}

static int put_ledger(struct twin *w, const char *format)
{
	char line[160];
	unsigned int i;
	int err = 0;

	for (i = 0; i < w->nr_kinds && !err; i++) {
		if (w->kinds[i].value == LKST_KIND_PRECIOUS)
			continue;
		snprintf(line, sizeof(line), format, w->from_ns, w->kinds[i].name);
		err = make_line(w->to, line);
	}
	return err;
}

static int put_record(struct twin *w, const struct lkst_record *r)
{
	u8 bytes[MAKE_RECORD_MAX + LKST_BLOCK_HEADER];
	struct lkst_record_head *head = (void *)bytes;

	if (r->ns >= w->from_ns && r->buffer != LKST_BUFFER_STATE && w->is_left_out[r->event->id])
		return 0;
	/* How far the streams of the whole reach. */
	if (r->event->index == LKST_EV_state_stream || r->event->index == LKST_EV_state_end)
		return 0;
	if (r->size > sizeof(bytes))
		return -E2BIG;
	memcpy(bytes, r->bytes, r->size);
	head->id_time = r->event->id;
	if (r->buffer == LKST_BUFFER_STATE)
		return lkst_writer_state(&w->to->err, w->to->writer, r->ns, bytes, r->size);
	make_record(make_stream(w->to, lkst_stream_instance(r->cpu, r->buffer, 0)), r->ns, bytes, r->size);
	return 0;
}

static int put_all(struct lkst_err *e, struct twin *w, struct lkst_trace *t)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	bool is_told = false;
	struct lkst_record r;
	char end[64];
	int err = lkst_merge_new(e, t, 0, UINT64_MAX, &m), got = 0;

	while (!err && (got = lkst_merge_next(m, &r)) > 0) {
		if (!is_told && r.buffer != LKST_BUFFER_STATE && r.ns >= w->from_ns) {
			err = put_ledger(w, "shed_begin cpu=0 tid=0 buffer=1 ns=%" PRIu64 " cost=1000 kind=%s");
			is_told = true;
		}
		err = err ?: put_record(w, &r);
	}
	snprintf(end, sizeof(end), "!end ns=%" PRIu64 " how=%d", w->end_ns, LKST_ENDING_COMPLETE);
	return err ?: got ?: make_line(w->to, end);
}

/* Writes the twin of @t, whose metadata is @text, to @dir. 0 or an error. */
static int make_twin(struct lkst_err *e, struct lkst_trace *t, const char *text, size_t length, const char *dir,
		     u64 from_ns, u64 end_ns)
{
	static const struct lkst_costs costs;
	struct twin w = { .from_ns = from_ns, .end_ns = end_ns };
	struct lkst_catalog *catalog;
	int err = lkst_metadata_parse(e, text, length, &catalog);

	if (err)
		return err;
	err = lkst_kinds_list(e, catalog, &costs, &w.kinds, &w.nr_kinds);
	if (err)
		return err;
	choose(&w);
	w.to = make_begin(dir, catalog, 4096);
	err = put_all(e, &w, t);
	err = make_end(w.to) ?: err;
	free(w.kinds);
	return err;
}

/* ---- the comparison ------------------------------------------------------------------- */

/* The step that tells of wait @w alone; NULL: there is none. */
static const struct lkst_account_step *step_of(const struct lkst_account *a, const struct wait *w)
{
	const struct lkst_account_step *interval = a ? a->root.steps : NULL;
	const struct lkst_account_step *s = interval ? interval->steps : NULL;

	while (s && (strcmp(s->kind, "blocked") || s->from_ns != w->from_ns || s->to_ns != w->to_ns))
		s = s->next;
	return s;
}

/* How many of the call, what woke the thread, and who did are not said of the part; with @is_less: or with less. */
static unsigned int lacks(const struct lkst_account_step *whole, const struct lkst_account_step *part, bool is_less)
{
	static const char *const keys[] = { "call", "trigger", "waker" };
	unsigned int nr = 0, i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct lkst_account_part *w = lkst_account_find(whole, keys[i]);
		const struct lkst_account_part *p = part ? lkst_account_find(part, keys[i]) : NULL;

		if (!w || (w->type == LKST_ACCOUNT_TEXT && !strcmp(w->text, "unknown")))
			continue;
		if (!p || (p->type == LKST_ACCOUNT_TEXT && !strcmp(p->text, "unknown")))
			nr++;
		else if (is_less && p->type == LKST_ACCOUNT_TEXT && strcmp(p->text, w->text))
			nr++;
	}
	return nr;
}

/* What `lkst why` says of @w in @t. NULL: there is nothing of the thread. */
static struct lkst_account *explain(struct lkst_trace *t, const struct wait *w)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *excerpt = NULL;
	struct lkst_account *a = NULL;
	struct lkst_err e = {};
	int err = lkst_excerpt_new(&e, t, w->from_ns, w->to_ns, NULL, &excerpt) ?:
		  lkst_why_explain(&e, excerpt, w->tid, w->from_ns, w->to_ns, LKST_WHY_DEPTH, &a);

	if (err && err != -ENOENT)
		live_fail("core_says_enough", "%s", e.text);
	return a;
}

static void compare(struct lkst_trace *whole, struct lkst_trace *part, const struct waits *all)
{
	unsigned int asked = 0, enough = 0, same = 0, k;
	struct less_why l = {};

	for (k = 0; k < WAITS && k < all->nr; k++) {
		const struct wait *w = &all->list[(u64)k * all->nr / (all->nr < WAITS ? all->nr : WAITS)];
		struct lkst_account *x = explain(whole, w), *y = explain(part, w);
		const struct lkst_account_step *s = step_of(x, w), *p = step_of(y, w);

		if (x && y)
			less_why_compare(x, y, &l);
		asked += s != NULL;
		enough += s && !lacks(s, p, false);
		same += s && !lacks(s, p, true);
		if (s && lacks(s, p, false))
			printf("less is known of thread %d at %" PRIu64 "\n", w->tid, w->from_ns);
		lkst_account_free(x);
		lkst_account_free(y);
	}
	printf("%u of %u waits: of %u the call, what woke and who are known, of %u as exactly as of the whole; "
	       "of %" PRIu64 " facts of all their steps %" PRIu64 " are known\n",
	       asked, all->nr, enough, same, l.facts, l.part_facts);
	if (l.wrong)
		live_fail("core_says_nothing_else", "%" PRIu64 " facts, the first: %s", l.wrong, l.text);
	else
		live_ok("core_says_nothing_else");
	if (asked < WAITS / 2 || enough * 100 < asked * ENOUGH)
		live_fail("core_says_enough", "%u of %u waits", enough, asked);
	else
		live_ok("core_says_enough");
}

static int run(struct lkst_err *e, const char *whole, const char *part)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_trace_closep) struct lkst_trace *twin = NULL;
	_cleanup_free_ char *text = NULL;
	struct waits w = {};
	u64 begin_ns, end_ns;
	size_t length;
	int err = lkst_trace_open(e, whole, &t);

	if (err)
		return err;
	lkst_trace_range(t, &begin_ns, &end_ns);
	w.begin_ns = begin_ns + (end_ns - begin_ns) / 8;
	text = make_read(whole, "metadata", &length);
	err = find_waits(e, t, &w) ?:
	      make_twin(e, t, text, length, part, w.begin_ns, end_ns) ?:
	      lkst_trace_open(e, part, &twin);
	if (!err)
		compare(t, twin, &w);
	free(w.list);
	return err;
}

int main(void)
{
	char whole[320], part[320];
	struct lkst_err e = {};

	live_begin();
	snprintf(whole, sizeof(whole), "%s/whole", live_dir);
	snprintf(part, sizeof(part), "%s/part", live_dir);
	if (LIVE_LKST("record", "-q", "-b", "64M", "-o", whole, "--", "sh", "-c", load, live_dir))
		live_fail("core_says_enough", "recording failed");
	else if (run(&e, whole, part))
		live_fail("core_says_enough", "%s", e.text);
	return live_end();
}
