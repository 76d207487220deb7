// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: all
 *
 * What the state model reports of threads is what others measured of the same threads at the same time:
 * the kernel's own accounts (/proc/PID/schedstat), and `perf sched timehist` on perf's own recording.
 */
#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "analyze/model/model.h"
#include "live.h"
#include "load/mark.h"

enum {
	THREADS_MAX = 64,
	PERCENT = 1,	   /* that a measure may differ from another's */
	SLACK_NS = 300000, /* and this in all: a mark is a moment away from what it marks */
	SWITCH_NS = 3000, /* and at each switch: the kernel's accounts change some time before it */
	UNKNOWN_PERCENT = 5,
	ATTEMPTS = 5,
	TICK_NS = 10000000, /* the unit of /proc/stat */
};

/* What was measured of a thread. */
struct measure {
	u64 run_ns, delay_ns, wait_ns, slices, unknown_ns, nr_unknown;
};

struct thread {
	s32 tid;
	u64 first_mark, last_mark;
	u64 first_ns, last_ns; /* when they were */
	bool has_exited;
	struct measure kernel, perf;
	struct measure marked; /* the model's, between the marks */
	struct measure whole;  /* the model's, of the whole life, in perf's rounding */
	struct measure before; /* the same, since it last ran */
};

static struct thread threads[THREADS_MAX];
static unsigned int nr_threads;
static char disagreement[512];
static u64 missed_ns; /* of the recording: what the kernel's accounts may leave out */
static u64 perf_lost; /* records */

static struct thread *find(s32 tid)
{
	unsigned int i;

	for (i = 0; i < nr_threads; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	return NULL;
}

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", live_dir, name);
}

/* ---- the others --------------------------------------------------------------------- */

/*
 * The time so far, of all CPUs, that the kernel leaves out of its accounts of threads: what interrupts take, and
 * what a host takes away from this machine if it is a guest. Its unit is a tick of 10 ms.
 */
static u64 left_out_ns(void)
{
	unsigned long long irq = 0, softirq = 0, steal = 0;
	FILE *f = fopen("/proc/stat", "r");

	if (f && fscanf(f, "cpu %*u %*u %*u %*u %*u %llu %llu %llu", &irq, &softirq, &steal) != 3)
		irq = softirq = steal = 0;
	if (f)
		fclose(f);
	return (irq + softirq + steal) * TICK_NS;
}

/* Records the load with both at once. perf looks for tracefs at its place, where it may be mounted already. */
static int record(void)
{
	static const char script[] =
		"[ -d /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing || exit; "
		"exec \"$0\" record -q -b 64M -o \"$2/trace\" -- perf sched record -q -k mono -m 16M "
		"-o \"$2/perf.data\" -- \"$1\" >\"$2/expected\" 2>\"$2/errors\"";
	char load[512];

	live_load("scheduled", load, sizeof(load));
	missed_ns = left_out_ns();
	if (LIVE_RUN("/usr/bin/unshare", "-m", "--propagation", "private", "/bin/sh", "-c", script,
		     live_lkst(), load, live_dir))
		return -1;
	missed_ns = left_out_ns() - missed_ns + TICK_NS * (u64)sysconf(_SC_NPROCESSORS_ONLN);
	return 0;
}

static int read_expected(void)
{
	char path[512];
	FILE *f;

	path_of(path, sizeof(path), "expected");
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (nr_threads < THREADS_MAX) {
		unsigned long long tid, first, last, run, wait, slices;

		if (fscanf(f, "%llu %llu %llu %llu %llu %llu", &tid, &first, &last, &run, &wait,
			   &slices) != 6)
			break;
		threads[nr_threads++] = (struct thread){
			.tid = (s32)tid,
			.first_mark = first,
			.last_mark = last,
			.kernel = { .run_ns = run, .delay_ns = wait, .slices = slices }
		};
	}
	fclose(f);
	return nr_threads ? 0 : -1;
}

/* How many records perf lost itself, being too slow to read its buffers; its times are wrong after each. */
static u64 lost_by_perf(void)
{
	char command[600], line[1024];
	u64 nr, lost = 0;
	FILE *f;

	snprintf(command, sizeof(command), "perf report --stats -i %s/perf.data 2>/dev/null",
		 live_dir);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, "LOST");

		at = at ? strchr(at, ':') : NULL;
		nr = at ? strtoull(at + 1, NULL, 10) : 0;
		lost += nr;
	}
	if (f)
		pclose(f);
	return lost;
}

/* "12.345" ms as ns; perf cuts what is below a microsecond. */
static u64 read_ms(char **p)
{
	u64 us = strtoull(*p, p, 10) * 1000;

	if (**p == '.') {
		us += strtoull(*p + 1, p, 10);
		return us * 1000;
	}
	return 0;
}

/* A line "TIME [CPU]  NAME[TID/PID]   WAIT   DELAY   RUN", of which one is printed at each switch. */
static void take_line(char *line)
{
	char *close = strrchr(line, ']'), *p = close;
	struct thread *t;

	while (p && p > line && *p != '[')
		p--;
	if (!p || !isdigit((unsigned char)line[strspn(line, " ")]))
		return;
	t = find(atoi(p + 1));
	if (!t)
		return;
	p = close + 1;
	t->perf.wait_ns += read_ms(&p);
	t->perf.delay_ns += read_ms(&p);
	t->perf.run_ns += read_ms(&p);
	t->perf.slices++;
}

static int read_timehist(void)
{
	char command[600], line[1024];
	FILE *f;

	snprintf(command, sizeof(command), "perf sched timehist -i %s/perf.data 2>/dev/null",
		 live_dir);
	f = popen(command, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		take_line(line);
	return pclose(f);
}

/* ---- the model ---------------------------------------------------------------------- */

static int on_mark(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct thread *t = find(r->tid);

	if (!t || s->args[0] != LKST_MARK)
		return 0;
	if (s->args[2] == t->first_mark)
		t->first_ns = r->ns;
	if (s->args[2] == t->last_mark)
		t->last_ns = r->ns;
	return 0;
}

static int on_exit_event(void *ctx, const struct lkst_record *r, const void *record)
{
	struct thread *t = find(r->tid);

	if (t)
		t->has_exited = true;
	return 0;
}

/* The part of a stretch that lies between the marks. A mark is reported before the stretch it lies in. */
static u64 between_marks(const struct thread *t, u64 from_ns, u64 to_ns)
{
	if (!t->first_ns || from_ns < t->first_ns)
		from_ns = t->first_ns ? t->first_ns : to_ns;
	if (t->last_ns && to_ns > t->last_ns)
		to_ns = t->last_ns;
	return from_ns < to_ns ? to_ns - from_ns : 0;
}

/*
 * Counts a stretch as perf does: at the end of each stretch on a CPU, with what went before it.
 * Waiting is all between two of them. It does not see how a thread goes on that has begun to end.
 */
static void take_whole(struct thread *t, const struct lkst_interval *i)
{
	u64 ns = (i->to_ns - i->from_ns) / 1000 * 1000;

	if (i->run == LKST_RUN_UNKNOWN) {
		t->whole.unknown_ns += ns;
		t->whole.nr_unknown++;
	} else if (i->run == LKST_RUN_RUNNING && !t->has_exited) {
		t->whole.run_ns += ns;
		t->whole.wait_ns += t->whole.slices ? t->before.wait_ns : 0;
		t->whole.delay_ns += t->before.delay_ns;
		t->whole.slices++;
		t->before = (struct measure){};
	} else if (i->run != LKST_RUN_RUNNING && i->run != LKST_RUN_NEW) {
		t->before.wait_ns += ns;
		if (i->run == LKST_RUN_READY && i->ready != LKST_READY_PREEMPTED &&
		    i->ready != LKST_READY_YIELDED)
			t->before.delay_ns += ns;
	}
}

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	struct thread *t = find(i->life->tid);

	if (!t)
		return 0;
	take_whole(t, i);
	if (i->run == LKST_RUN_RUNNING) {
		t->marked.run_ns += between_marks(t, i->from_ns, i->to_ns);
		t->marked.slices += t->first_ns && i->from_ns > t->first_ns &&
				    (!t->last_ns || i->from_ns < t->last_ns);
	} else if (i->run == LKST_RUN_READY) {
		/* The kernel counts from the queue on, perf from the beginning of the wake-up. */
		u64 queued_ns = i->waker && i->waker->queued_ns ? i->waker->queued_ns : i->from_ns;

		t->marked.delay_ns += between_marks(t, queued_ns, i->to_ns);
	} else if (i->run == LKST_RUN_UNKNOWN) {
		t->marked.unknown_ns += between_marks(t, i->from_ns, i->to_ns);
		t->marked.nr_unknown++;
	}
	return 0;
}

static int run_model(struct lkst_model_doubts *ret_doubts)
{
	static const struct lkst_model_calls calls = { .interval = on_interval };
	struct lkst_err e = {};
	struct lkst_trace *trace = NULL;
	struct lkst_feed *feed = NULL;
	struct lkst_model *state = NULL;
	char path[512];
	int err;

	path_of(path, sizeof(path), "trace");
	err = lkst_trace_open(&e, path, &trace);
	if (!err)
		err = lkst_feed_new(&e, trace, &feed);
	if (!err)
		err = lkst_model_new(&e, feed, &state);
	if (!err && (lkst_model_subscribe(state, &calls, NULL) < 0 ||
		     lkst_feed_syscall(feed, "prctl", on_mark, NULL, NULL) < 0 ||
		     lkst_feed_event(feed, LKST_EV_sched_process_exit, on_exit_event, NULL) < 0))
		err = -ENOMEM;
	if (!err)
		err = lkst_feed_run(&e, feed);
	if (!err)
		*ret_doubts = *lkst_model_doubts(state);
	else
		fprintf(stderr, "%s\n", e.text);
	lkst_model_free(state);
	lkst_feed_free(feed);
	lkst_trace_close(trace);
	return err;
}

/* ---- comparing ---------------------------------------------------------------------- */

static bool is_near(u64 a, u64 b, u64 slack_ns)
{
	u64 difference = a > b ? a - b : b - a;

	return difference <= b * PERCENT / 100 + slack_ns;
}

__attribute__((format(printf, 1, 2))) static bool disagree(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(disagreement, sizeof(disagreement), format, args);
	va_end(args);
	return false;
}

/* What may be amiss is told as unknown; everything else must agree, to @allowed_ns more than what is usual. */
static bool agrees(size_t ours, size_t theirs, bool is_perf, u64 allowed_ns)
{
	static const char *const words[] = { "ran", "was ready for", "waited for" };
	const unsigned int nr_words = is_perf ? 3 : 2;
	u64 sums[2][3] = { 0 }, unknown_ns = 0, all_ns = 0;
	unsigned int i, k;

	for (i = 0; i < nr_threads; i++) {
		const struct measure *a = (const void *)((const char *)&threads[i] + ours);
		const struct measure *b = (const void *)((const char *)&threads[i] + theirs);
		const u64 *x = &a->run_ns, *y = &b->run_ns;
		u64 slack_ns = a->unknown_ns + a->slices * (is_perf ? 1000 : SWITCH_NS) +
			       (is_perf ? 0 : SLACK_NS) + allowed_ns;

		for (k = 0; k < nr_words; k++) {
			sums[0][k] += x[k];
			sums[1][k] += y[k];
			if (!is_near(x[k], y[k], slack_ns))
				return disagree("thread %d %s %.6f s, others say %.6f s",
						threads[i].tid, words[k], x[k] / 1e9, y[k] / 1e9);
		}
		if (a->slices > b->slices + a->nr_unknown || b->slices > a->slices + a->nr_unknown)
			return disagree("thread %d had a CPU %llu times, others say %llu",
					threads[i].tid, (unsigned long long)a->slices,
					(unsigned long long)b->slices);
		unknown_ns += a->unknown_ns;
		all_ns += a->run_ns + a->unknown_ns;
	}
	for (k = 0; k < nr_words; k++)
		printf("all threads %s %.6f s, %s %.6f s\n", words[k], sums[0][k] / 1e9,
		       is_perf ? "says perf" : "says the kernel", sums[1][k] / 1e9);
	printf("unknown are %.6f s\n", unknown_ns / 1e9);
	if (unknown_ns * 100 > all_ns * UNKNOWN_PERCENT)
		return disagree("%.6f s are unknown, too much to tell", unknown_ns / 1e9);
	return true;
}

/* The load must have done what it is for. */
static bool is_load_enough(void)
{
	u64 run_ns = 0, wait_ns = 0, slices = 0;
	unsigned int i;

	for (i = 0; i < nr_threads; i++) {
		run_ns += threads[i].kernel.run_ns;
		wait_ns += threads[i].kernel.delay_ns;
		slices += threads[i].kernel.slices;
	}
	return run_ns > 100000000 && wait_ns > 50000000 && slices > 200;
}

/* What is compared; each has to hold in one attempt at least. */
enum { PERF, KERNEL, DOUBTS, NR_CHECKS };
static const char *const names[NR_CHECKS] = { "scheduled_times_equal_perf", "scheduled_times_equal_kernel_accounts",
					      "scheduled_model_has_no_doubts" };
static bool has_passed[NR_CHECKS];
static char why_not[NR_CHECKS][sizeof(disagreement)]; /* in the last attempt; "": it was not compared */

static void note(int check, bool is_true)
{
	if (is_true) {
		has_passed[check] = true;
		return;
	}
	snprintf(why_not[check], sizeof(why_not[check]), "%s", disagreement);
	printf("%s: %s\n", names[check], disagreement);
}

/*
 * A switch may be missing where the machine does not let BPF see some thread, as sandboxes do; all that follows from
 * that is unknown, and counted by agrees().
 */
static bool has_no_doubts(const struct lkst_model_doubts *doubts)
{
	printf("%llu switches were missing\n", (unsigned long long)doubts->missed);
	if (!doubts->gaps && (doubts->missed || (!doubts->no_wake && !doubts->elsewhere)))
		return true;
	return disagree("%llu gaps, %llu without wake-up, %llu elsewhere", (unsigned long long)doubts->gaps,
			(unsigned long long)doubts->no_wake, (unsigned long long)doubts->elsewhere);
}

/*
 * One recording and what it says. False: there is nothing to compare. Where perf has lost something, its times are not
 * compared. @is_last: the kernel's accounts may lack what they leave out.
 */
static bool attempt(bool is_last)
{
	struct lkst_model_doubts doubts;

	nr_threads = 0;
	live_remove(live_dir);
	if (mkdir(live_dir, 0700) || record() || read_expected())
		return disagree("see %s/errors", live_dir);
	if (!is_load_enough())
		return disagree("the load did too little to tell");
	perf_lost = lost_by_perf();
	if (read_timehist() || run_model(&doubts))
		return disagree("it cannot be read");
	if (perf_lost)
		printf("perf lost %llu records\n", (unsigned long long)perf_lost);
	else
		note(PERF, agrees(offsetof(struct thread, whole), offsetof(struct thread, perf), true, 0));
	note(KERNEL, agrees(offsetof(struct thread, marked), offsetof(struct thread, kernel), false,
			    is_last ? missed_ns : 0));
	note(DOUBTS, has_no_doubts(&doubts));
	return true;
}

static void check(void)
{
	bool is_recorded = false;
	int i;

	if (access("/usr/bin/perf", X_OK)) {
		printf("skip scheduled_times_equal_perf: perf is not installed\n");
		return;
	}
	/*
	 * A busy machine makes perf lose records, and a host takes CPUs away at moments that nobody tells. So what one
	 * attempt does not show, another may.
	 */
	for (i = 1; i <= ATTEMPTS && !(has_passed[PERF] && has_passed[KERNEL] && has_passed[DOUBTS]); i++) {
		printf("attempt %d\n", i);
		if (attempt(i == ATTEMPTS))
			is_recorded = true;
		else
			printf("%s\n", disagreement);
	}
	if (!is_recorded) {
		live_fail("scheduled_load_is_recorded", "%s", disagreement);
		return;
	}
	live_ok("scheduled_load_is_recorded");
	for (i = 0; i < NR_CHECKS; i++)
		if (has_passed[i])
			live_ok(names[i]);
		else if (why_not[i][0])
			live_fail(names[i], "%s", why_not[i]);
		else
			printf("skip %s: perf lost records in each of %d recordings\n", names[i], ATTEMPTS);
}

int main(void)
{
	live_begin();
	check();
	return live_end();
}
