// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: all
 *
 * Everything is recorded under load, in small buffers and in those of the usual size, while a reader
 * copies all the time. No record may be torn, missing, doubled or out of order that the ledger does
 * not name. What tells:
 *
 *   each thread of the workload numbers its system calls (load/storm.c);
 *   on each CPU a switch leaves the thread that the switch before it went to (a thread of which the
 *   trace has not one record is left out: a kernel may hide a process from all tracers);
 *   times of a stream never fall (a reader would find them outside their block).
 */
#include "abi/control.h"
#include "abi/state.h"
#include "live.h"
#include "trace/read/reader.h"

enum {
	CPUS_MAX = 64,
	NUMBERED = 0x1000, /* first argument of the numbered calls, plus the CPU */
	NUMBERED_ANY = 0x2000,
	SNAPSHOTS_MAX = 1000,
	THREADS_MAX = 1 << 22, /* PID_MAX_LIMIT */
	ENOUGH = 1000,	       /* numbered calls, and switches, that a test must have checked */
	ROUNDS_MAX = 20,       /* of the workload: on a busy machine one may be too little */
};

/* The findings of one pass over a trace. */
struct findings {
	u64 numbered, switches; /* that were checked */
	u64 hidden;		/* switches to threads without a record */
	u64 missing, doubled, broken_switches, unpaired;
	u64 gaps;	 /* holes in the blocks' numbers: the reader was overtaken */
	u64 named;	 /* losses that the ledger has */
	char first[200]; /* of what is wrong */
};

static void note(struct findings *f, const char *what, u32 cpu, u64 seq, s64 got, s64 want)
{
	if (!f->first[0])
		snprintf(f->first, sizeof(f->first), "%s: CPU %u, block %llu: %lld after %lld",
			 what, cpu, (unsigned long long)seq, (long long)got, (long long)want);
}

/* The reader's way along one stream. */
struct follower {
	struct findings *found;
	const struct lkst_block *block;
	s64 last_number, last_next; /* -1: not known, since the stream begins or was torn here */
	int half;		    /* 1: entered, 0: returned, -1: not known */
	s32 tid; /* of the thread that numbers its calls on this CPU, 0: not yet seen */
};

/* Threads that have a record in the trace: a bit for each number. */
static u8 has_record[THREADS_MAX / 8];

static s64 int_field(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? (s64)lkst_record_int(r, f) : -1;
}

static void take_numbered(struct follower *w, const struct lkst_record *r)
{
	s64 number = int_field(r, "who");

	if (int_field(r, "which") != NUMBERED + (s64)w->block->cpu)
		return;
	w->tid = r->tid;
	if (w->last_number >= 0) {
		w->found->numbered++;
		if (number > w->last_number + 1)
			w->found->missing += (u64)(number - w->last_number - 1);
		if (number <= w->last_number)
			w->found->doubled++;
		if (number != w->last_number + 1)
			note(w->found, "call", w->block->cpu, w->block->seq, number,
			     w->last_number);
		if (w->half == 1)
			w->found->unpaired++;
	}
	w->last_number = number;
	w->half = 1;
}

static void take_return(struct follower *w, const struct lkst_record *r)
{
	if (r->tid != w->tid)
		return;
	if (w->half == 0) {
		w->found->unpaired++;
		note(w->found, "return", w->block->cpu, w->block->seq, w->last_number,
		     w->last_number);
	}
	if (w->half == 1)
		w->half = 0;
}

static void take_switch(struct follower *w, const struct lkst_record *r)
{
	if (w->last_next >= 0 && !(has_record[w->last_next / 8] & 1 << w->last_next % 8)) {
		w->found->hidden++;
	} else if (w->last_next >= 0) {
		w->found->switches++;
		if (w->last_next != r->tid) {
			w->found->broken_switches++;
			note(w->found, "switch", w->block->cpu, w->block->seq, r->tid,
			     w->last_next);
		}
	}
	w->last_next = int_field(r, "next_tid");
	if (w->last_next >= THREADS_MAX)
		w->last_next = -1;
}

static int follow_block(struct lkst_err *e, struct follower *w, const struct lkst_catalog *c)
{
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	int more;

	lkst_block_cursor_init(&cursor, w->block);
	while ((more = lkst_block_next(e, &cursor, c, &r)) > 0) {
		if (!strcmp(r.event->name, "syscall_entry_getpriority"))
			take_numbered(w, &r);
		else if (!strcmp(r.event->name, "syscall_exit_getpriority"))
			take_return(w, &r);
		else if (!strcmp(r.event->name, "sched_switch"))
			take_switch(w, &r);
	}
	return more;
}

/* Notes which threads have a record, before anything else is looked at. */
static void find_threads(const struct lkst_trace *t)
{
	struct lkst_block_cursor cursor;
	struct lkst_err e = {};
	struct lkst_record r;
	unsigned int i, j;

	memset(has_record, 0, sizeof(has_record));
	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		if (lkst_trace_stream(t, i)->buffer != LKST_BUFFER_MAIN)
			continue;
		for (j = 0; j < lkst_trace_stream(t, i)->nr_blocks; j++) {
			lkst_block_cursor_init(&cursor, lkst_trace_block(t, i, j));
			while (lkst_block_next(&e, &cursor, lkst_trace_catalog(t), &r) > 0)
				if (r.tid >= 0 && r.tid < THREADS_MAX)
					has_record[r.tid / 8] |= (u8)(1 << r.tid % 8);
		}
	}
}

static int follow_stream(struct lkst_err *e, const struct lkst_trace *t, unsigned int stream,
			 struct findings *f)
{
	const struct lkst_stream_info *info = lkst_trace_stream(t, stream);
	struct follower w = { .found = f, .last_number = -1, .last_next = -1, .half = -1 };
	u64 last_seq = 0;
	unsigned int i;

	for (i = 0; i < info->nr_blocks; i++) {
		w.block = lkst_trace_block(t, stream, i);
		if (i && w.block->seq != last_seq + 1) {
			f->gaps += w.block->seq - last_seq - 1;
			w.last_number = w.last_next = w.half = -1;
		}
		last_seq = w.block->seq;
		if (follow_block(e, &w, lkst_trace_catalog(t)) < 0)
			return -EBADMSG;
	}
	return 0;
}

/* The stretch of time that every CPU's stream covers. */
static void find_covered(const struct lkst_trace *t, u64 *ret_from_ns, u64 *ret_to_ns)
{
	unsigned int i;

	*ret_from_ns = 0;
	*ret_to_ns = UINT64_MAX;
	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);
		u64 from, to;

		if (info->buffer != LKST_BUFFER_MAIN || !info->nr_blocks)
			continue;
		from = lkst_trace_block(t, i, 0)->begin_ns;
		to = lkst_trace_block(t, i, info->nr_blocks - 1)->end_ns;
		*ret_from_ns = from > *ret_from_ns ? from : *ret_from_ns;
		*ret_to_ns = to < *ret_to_ns ? to : *ret_to_ns;
	}
}

/* What the ledger has of losses that the records looked at may be among; a cut string is none. */
static u64 named_by(const struct lkst_record *r)
{
	static const char *const hooks[] = { "sys_enter", "sys_exit", "sched_switch" };
	const u8 *hook;
	u32 length;
	size_t i;

	if (r->event->index == LKST_EV_state_loss &&
	    lkst_loss_is_of_records((u32)int_field(r, "cause")))
		return (u64)int_field(r, "count");
	if (r->event->index != LKST_EV_state_skipped)
		return 0;
	hook = lkst_record_field(r, 1, &length);
	for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (hook && memmem(hook, length, hooks[i], strlen(hooks[i])))
			return (u64)int_field(r, "count");
	return 0;
}

/*
 * The merged records, for the thread that numbers its calls on any CPU; and the ledger. Where blocks
 * are missing, only the order can be checked: the thread may have gone on on another CPU.
 */
static int follow_merged(struct lkst_err *e, struct lkst_trace *t, struct findings *f)
{
	struct lkst_merge *m = NULL;
	s64 number, last = -1;
	u64 from_ns, to_ns, last_ns = 0;
	struct lkst_record r;

	find_covered(t, &from_ns, &to_ns);
	if (lkst_merge_new(e, t, from_ns, to_ns, &m))
		return -EBADMSG;
	while (lkst_merge_next(m, &r) > 0) {
		f->named += named_by(&r);
		if (r.event->group == LKST_GROUP_STATE)
			continue;
		if (r.ns < last_ns)
			return lkst_err_set(e, -EBADMSG, "merged times fall at %llu ns",
					    (unsigned long long)r.ns);
		last_ns = r.ns;
		if (strcmp(r.event->name, "syscall_entry_getpriority") ||
		    int_field(&r, "which") != NUMBERED_ANY)
			continue;
		number = int_field(&r, "who");
		if (last >= 0 && number <= last)
			f->doubled++;
		if (last >= 0 && number > last + 1 && !f->gaps)
			f->missing += (u64)(number - last - 1);
		if (last >= 0 && number != last + 1 && !f->gaps)
			note(f, "merged call", r.cpu, 0, number, last);
		last = number;
	}
	lkst_merge_free(m);
	return 0;
}

static int follow_trace(struct lkst_err *e, struct lkst_trace *t, struct findings *f)
{
	unsigned int i;
	u64 missing = 0;
	int err;

	find_threads(t);
	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);

		if (info->nr_bad_blocks || info->nr_bad_bytes)
			return lkst_err_set(e, -EBADMSG, "%s: %llu bad blocks", info->file,
					    (unsigned long long)info->nr_bad_blocks);
		if (info->buffer != LKST_BUFFER_MAIN)
			continue;
		missing += info->nr_missing_blocks;
		err = follow_stream(e, t, i, f);
		if (err)
			return err;
	}
	if (missing != f->gaps)
		return lkst_err_set(e, -EBADMSG, "%llu blocks are missing, the reader names %llu",
				    (unsigned long long)f->gaps, (unsigned long long)missing);
	return follow_merged(e, t, f);
}

/*
 * What `lkst check` says of the trace must be what was found. Gaps in the buffer of lives are not among it: it goes
 * round where many programs end beside the test.
 */
static void compare_check(const char *test, const char *dir, const struct findings *f)
{
	static const char check[] =
		"said=$(\"$0\" check \"$1\"); status=$?\n"
		"gaps=$(echo \"$said\" | grep -E '^(gap|end):|is not complete|^more gaps')\n"
		"[ -z \"$gaps\" ] || echo \"$gaps\" >&2\n"
		"if [ $status = 1 ] && [ -n \"$gaps\" ] &&\n"
		"   ! echo \"$gaps\" | grep -qvE '^gap: CPU [0-9]+, buffer 1, '; then\n"
		"	status=0\n"
		"fi\n"
		"exit $status";
	int status = LIVE_RUN("/bin/sh", "-c", check, live_lkst(), dir);

	if (status != (f->gaps ? 1 : 0))
		live_fail(test,
			  "lkst check ends with status %d of a trace with %llu missing blocks",
			  status, (unsigned long long)f->gaps);
}

static void verify(const char *test, const char *dir, struct findings *sum)
{
	struct findings f = { 0 };
	struct lkst_err e = {};
	struct lkst_trace *t = NULL;
	int err;

	err = lkst_trace_open(&e, dir, &t);
	if (!err)
		err = follow_trace(&e, t, &f);
	lkst_trace_close(t);
	if (err)
		live_fail(test, "%s: damaged: %s", dir, e.text);
	else if (f.doubled || f.missing + f.broken_switches + f.unpaired > f.named)
		live_fail(test,
			  "%llu calls missing, %llu doubled, %llu without their other half, %llu "
			  "switches from another thread; the ledger names %llu; first: %s",
			  (unsigned long long)f.missing, (unsigned long long)f.doubled,
			  (unsigned long long)f.unpaired, (unsigned long long)f.broken_switches,
			  (unsigned long long)f.named, f.first);
	else
		compare_check(test, dir, &f);
	sum->numbered += f.numbered;
	sum->switches += f.switches;
	sum->hidden += f.hidden;
	sum->gaps += f.gaps;
	sum->named += f.named;
	sum->missing += f.missing;
}

static bool is_enough(const struct findings *sum)
{
	return sum->numbered >= ENOUGH && sum->switches >= ENOUGH;
}

static void conclude(const char *test, const struct findings *sum, unsigned int nr_traces)
{
	printf("%s: %u traces, %llu numbered calls and %llu switches checked (%llu left out), %llu "
	       "blocks overtaken, %llu losses named\n",
	       test, nr_traces, (unsigned long long)sum->numbered,
	       (unsigned long long)sum->switches, (unsigned long long)sum->hidden,
	       (unsigned long long)sum->gaps, (unsigned long long)sum->named);
	if (live_failed)
		return;
	if (!is_enough(sum))
		live_fail(test, "there was too little to check");
	else
		live_ok(test);
}

/* Snapshot after snapshot while the workload runs once. Returns how many. */
static unsigned int take_round(const char *test, struct findings *sum)
{
	char storm[300], dir[300];
	unsigned int nr = 0;
	int status;
	pid_t load;

	live_load("storm", storm, sizeof(storm));
	snprintf(dir, sizeof(dir), "%s/snapshot", live_dir);
	load = live_spawn((const char *const[]){ storm, "3", NULL });
	while (!waitpid(load, &status, WNOHANG) && nr < SNAPSHOTS_MAX && !live_failed) {
		if (LIVE_LKST("snapshot", "--quiet", "--output", dir)) {
			live_fail(test, "lkst snapshot failed");
			break;
		}
		verify(test, dir, sum);
		if (!live_failed)
			live_remove(dir);
		nr++;
	}
	if (live_failed && kill(load, SIGKILL) == 0)
		waitpid(load, &status, 0);
	live_remove(dir);
	return nr;
}

/* lkst start, and snapshots until enough is checked. */
static void take_snapshots(const char *test, const char *buffer)
{
	struct findings sum = { 0 };
	unsigned int nr = 0, round;

	if (LIVE_LKST("start", "--quiet", "--budget", "none", "--event", "*", "--buffer", buffer)) {
		live_fail(test, "lkst start failed");
		return;
	}
	for (round = 0; round < ROUNDS_MAX && !is_enough(&sum) && !live_failed; round++)
		nr += take_round(test, &sum);
	if (LIVE_LKST("stop", "--quiet"))
		live_fail(test, "lkst stop failed");
	conclude(test, &sum, nr);
}

/* lkst record, which reads all the time, until enough is checked. */
static void stream(const char *test, const char *buffer)
{
	struct findings sum = { 0 };
	char storm[300], dir[300];
	unsigned int nr;

	live_load("storm", storm, sizeof(storm));
	snprintf(dir, sizeof(dir), "%s/%s", live_dir, test);
	for (nr = 0; nr < ROUNDS_MAX && !is_enough(&sum) && !live_failed; nr++) {
		if (LIVE_LKST("record", "--quiet", "--output", dir, "--event", "*", "--buffer", buffer,
			      "--", storm, "1.5"))
			live_fail(test, "lkst record failed");
		else
			verify(test, dir, &sum);
		if (!live_failed)
			live_remove(dir);
	}
	conclude(test, &sum, nr);
	live_remove(dir);
}

int main(void)
{
	static const struct {
		void (*run)(const char *test, const char *buffer);
		const char *name, *buffer;
	} tests[] = {
		{ take_snapshots, "stress_snapshots_small", "64K" },
		{ take_snapshots, "stress_snapshots", "4M" },
		{ stream, "stress_record_small", "64K" },
		{ stream, "stress_record", "16M" },
	};
	int any_failed = 0;
	size_t i;

	live_begin();
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		live_failed = 0;
		tests[i].run(tests[i].name, tests[i].buffer);
		any_failed |= live_failed;
	}
	live_failed = any_failed;
	return live_end();
}
