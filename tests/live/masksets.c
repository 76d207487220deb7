// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Ten thousand switches between two masksets, while threads on all CPUs do nothing but system calls:
 * no record is lost, every call is recorded or not as the active maskset says, and only between a
 * switch's two records, maskset_switch and maskset_settled, may either be right.
 *
 * A thread's round is fcntl, which both masksets record, dup, which only A does, and close, which only B
 * does, each with the round's number as its descriptor. Before and after a call that is not
 * recorded stands an fcntl of known time.
 */
#include "live.h"
#include "live/drain/drain.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/masksets.h"
#include "live/recording/start.h"
#include "masks/mask.h"
#include "trace/read/reader.h"
#include "workers.h"

enum {
	SWITCHES = 10000,
	BURST = 40, /* switches for each that is waited for */
	MARKS_MAX = 2 * SWITCHES + 16,
	SLACK_NS = 2000, /* the clocks of two CPUs agree to this */
	CHECKED_MIN = 100, /* rounds between two switches, for the test to say anything */
	BUFFER_BYTES = 128 << 20,
	ROUND_BYTES = 256, /* more than a round's records have */
	ROUNDS_MAX = BUFFER_BYTES / 4 / ROUND_BYTES, /* between two copies; perhaps all are on one CPU */
	SET_A = LKST_MASKSET_USER,
	SET_B,
};

/* A record of a switch (to one of the two), or of its having settled. */
struct mark {
	u64 ns;
	bool is_switch, to_b;
};

/* Of a worker's records. */
struct seen {
	u64 rounds, last_ns;
	u32 number;
	bool has_begun, had_dup, had_close;
};

static struct seen seen[LIVE_WORKERS_MAX];
static struct mark marks[MARKS_MAX];
static unsigned int nr_marks, nr_switches, nr_settled;
static u64 nr_lost, nr_wrong, nr_checked[2];

/* The rounds of all workers since their records were copied last. */
static atomic_uint nr_rounds;

static void call_round(unsigned int round)
{
	/* On a machine where a switch takes a second to settle, the copy would come too late. */
	while (atomic_load(&nr_rounds) >= ROUNDS_MAX && !atomic_load(&live_is_done))
		sched_yield();
	atomic_fetch_add(&nr_rounds, 1);
	syscall(SYS_fcntl, round, 1, 0);
	syscall(SYS_dup, round);
	syscall(SYS_close, round);
	/* Or the trace would grow by 100 MB/s. */
	live_spin(3000);
}

/* ---- recording -------------------------------------------------------------------------------- */

static int make_sets(struct lkst_err *e, struct lkst_session *s)
{
	static const char *const only[] = { "syscall_entry_dup", "syscall_entry_close" };
	const struct lkst_catalog *c = lkst_session_catalog(s);
	struct lkst_notes notes = {};
	struct lkst_mask mask;
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++) {
		lkst_mask_init(&mask, i ? "B" : "A", c);
		lkst_mask_set_glob(&mask, c, "syscall_entry_fcntl", LKST_HANDLER_DEFAULT,
				   LKST_BUFFER_USUAL);
		lkst_mask_set_glob(&mask, c, only[i], LKST_HANDLER_DEFAULT, LKST_BUFFER_USUAL);
		err = lkst_maskset_write(e, s, SET_A + i, &mask, &notes);
	}
	lkst_notes_fini(&notes);
	return err;
}

static void pause_ns(u64 ns)
{
	u64 until = live_now_ns() + ns;

	while (live_now_ns() < until)
		;
}

static int switch_often(struct lkst_err *e, struct lkst_session *s, struct lkst_drain *drain)
{
	unsigned int i, random = 1;
	u64 bytes;
	int err = 0;

	for (i = 0; i < SWITCHES && !err; i++) {
		err = lkst_maskset_switch(e, s, i & 1 ? SET_A : SET_B);
		random = random * 1664525u + 1013904223u;
		pause_ns(random >> 8 & 0x3fff);
		if (err || i % BURST != BURST - 1 - (i / BURST & 1))
			continue;
		err = lkst_maskset_settle(e, s);
		pause_ns(2000000);
		if (!err)
			err = lkst_drain_copy(e, drain, &bytes);
		atomic_store(&nr_rounds, 0);
	}
	return err;
}

static int record_to(struct lkst_err *e, struct lkst_session *s, void *dir)
{
	struct lkst_switch_times times;
	struct lkst_drain *drain = NULL;
	struct lkst_notes notes = {};
	struct lkst_writer *w = NULL;
	u32 cpu, buffer;
	int err;

	err = lkst_writer_open(e, NULL, dir, lkst_session_catalog(s), &w);
	if (!err)
		err = lkst_drain_new(e, s, w, 0, &drain);
	if (!err)
		err = make_sets(e, s);
	if (!err)
		err = lkst_maskset_set(e, s, SET_A, &notes, &times);
	if (!err)
		err = live_workers_start(e, call_round);
	if (!err)
		err = switch_often(e, s, drain);
	live_workers_stop();
	if (!err)
		err = lkst_drain_finish(e, drain);
	if (!err)
		nr_lost = lkst_drain_overtaken(drain);
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; cpu < lkst_session_rings(s)->nr_cpus &&
			      lkst_rings_has(lkst_session_rings(s), buffer);
		     cpu++) {
			const struct lkst_state *st =
				lkst_rings_state(lkst_session_rings(s), cpu, buffer);
			int cause;

			for (cause = 0; cause < LKST_LOSS_NR; cause++)
				nr_lost += st->lost[cause];
		}
	lkst_drain_free(drain);
	lkst_writer_close(e, w, 0);
	lkst_notes_fini(&notes);
	return err;
}

static int record(struct lkst_err *e, char *dir)
{
	char *globs[] = { "syscall_entry_fcntl", "syscall_entry_dup", "syscall_entry_close" };
	const struct lkst_session_options options = {
		.buffer_bytes = BUFFER_BYTES,
		.block_bytes = 4096,
		.maskset = "RNOTHING",
	};

	return live_record_self(e, globs, 3, options, record_to, dir);
}

/* ---- checking --------------------------------------------------------------------------------- */

static void take_mark(const struct lkst_record *r)
{
	struct mark *m = &marks[nr_marks];

	if (nr_marks == MARKS_MAX)
		return;
	m->ns = r->ns;
	m->is_switch = r->event->index == LKST_EV_maskset_switch;
	if (m->is_switch) {
		u64 to = lkst_record_int(r, lkst_class_field(r->event, "to"));

		m->to_b = to == SET_B;
		nr_switches += to == SET_A || to == SET_B;
	} else {
		m->to_b = nr_marks && m[-1].to_b;
		nr_settled++;
	}
	nr_marks++;
}

/* The number of the last mark that is not after @ns; -1: there is none. */
static int mark_before(u64 ns)
{
	int low = 0, high = (int)nr_marks;

	while (low < high) {
		int middle = (low + high) / 2;

		if (marks[middle].ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* Whether set A, or B, may have decided on a call between @from and @to. */
static bool may_decide(bool b, u64 from, u64 to)
{
	int first = mark_before(from - SLACK_NS), last = mark_before(to + SLACK_NS), i;

	for (i = last; i >= 0; i--) {
		if (marks[i].to_b == b)
			return true;
		/* What was settled before is over. */
		if (i <= first && !marks[i].is_switch)
			return false;
	}
	return false;
}

/* Between two records of fcntl: what of the calls between them is recorded. */
static void check_round(const struct seen *w, u64 ns)
{
	bool a = may_decide(false, w->last_ns, ns), b = may_decide(true, w->last_ns, ns);

	if (a && !b) {
		nr_checked[0]++;
		nr_wrong += !w->had_dup || w->had_close;
	} else if (b && !a) {
		nr_checked[1]++;
		nr_wrong += w->had_dup || !w->had_close;
	}
}

static void take_call(const struct lkst_record *r)
{
	unsigned int worker;
	struct seen *w;
	u32 number;

	if (!live_is_call(r, &worker, &number))
		return;
	w = &seen[worker];
	if (!strcmp(r->event->name, "syscall_entry_dup")) {
		nr_wrong += !may_decide(false, r->ns, r->ns) || number != w->number;
		w->had_dup = true;
		return;
	}
	if (!strcmp(r->event->name, "syscall_entry_close")) {
		nr_wrong += !may_decide(true, r->ns, r->ns) || number != w->number;
		w->had_close = true;
		return;
	}
	if (w->has_begun) {
		nr_lost += number - w->number - 1;
		check_round(w, r->ns);
	} else {
		nr_lost += number - LIVE_FIRST_ROUND;
	}
	w->has_begun = true;
	w->had_dup = w->had_close = false;
	w->number = number;
	w->last_ns = r->ns;
	w->rounds++;
}

/* Two passes: the marks, then the calls. */
static int read_back(struct lkst_err *e, const char *dir)
{
	struct lkst_trace *t = NULL;
	int pass, err = lkst_trace_open(e, dir, &t);

	for (pass = 0; pass < 2 && !err; pass++) {
		struct lkst_merge *m = NULL;
		struct lkst_record r;

		err = lkst_merge_new(e, t, 0, UINT64_MAX, &m);
		while (!err && lkst_merge_next(m, &r) > 0) {
			if (!pass && r.event->group == LKST_GROUP_RECORDER)
				take_mark(&r);
			else if (pass && r.event->syscall >= 0)
				take_call(&r);
		}
		lkst_merge_free(m);
	}
	lkst_trace_close(t);
	return err;
}

int main(void)
{
	struct lkst_err e = {};
	char dir[sizeof(live_dir) + 16];
	u64 rounds = 0;
	unsigned int i;

	if (geteuid()) {
		printf("skip masksets: needs root\n");
		return 0;
	}
	live_begin();
	setpriority(PRIO_PROCESS, (id_t)getpid(), -20);
	snprintf(dir, sizeof(dir), "%s/masksets", live_dir);
	if (record(&e, dir) || read_back(&e, dir)) {
		live_fail("masksets_recorded", "%s", e.text);
		live_remove(dir);
		return live_end();
	}
	live_remove(dir);
	for (i = 0; i < live_nr_workers; i++)
		rounds += seen[i].rounds;
	printf("%llu rounds, of which %llu under A alone and %llu under B alone; %u switches, %u settled\n",
	       (unsigned long long)rounds, (unsigned long long)nr_checked[0],
	       (unsigned long long)nr_checked[1], nr_switches, nr_settled);
	if (nr_switches == SWITCHES + 1 && nr_settled == SWITCHES / BURST + 1)
		live_ok("every_switch_is_recorded");
	else
		live_fail("every_switch_is_recorded", "%u switches and %u settled, not %u and %u",
			  nr_switches, nr_settled, SWITCHES + 1, SWITCHES / BURST + 1);
	if (!nr_lost)
		live_ok("no_record_is_lost_by_switching");
	else
		live_fail("no_record_is_lost_by_switching", "%llu of %llu rounds",
			  (unsigned long long)nr_lost, (unsigned long long)rounds);
	if (!nr_wrong && nr_checked[0] >= CHECKED_MIN && nr_checked[1] >= CHECKED_MIN)
		live_ok("the_active_maskset_decides");
	else
		live_fail("the_active_maskset_decides",
			  "%llu records against it; %llu and %llu rounds between switches",
			  (unsigned long long)nr_wrong, (unsigned long long)nr_checked[0],
			  (unsigned long long)nr_checked[1]);
	return live_end();
}
