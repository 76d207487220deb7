// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * A known number of getppid() calls on all CPUs at once is recorded exactly, while timers fire and
 * interrupt the recorder itself, over and over. Only what the ledger names may be missing.
 *
 * That interrupts did nest into an unfinished record is seen in the state pages: a writer at level 1
 * or above is in the ring of that level.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "live.h"
#include "live/hooks/pins.h"
#include "live/rings/rings.h"
#include "trace/read/reader.h"

enum {
	CPUS_MAX = 64,
	CALLS = 200000, /* on each CPU */
	TIMERS = 20,	/* on each CPU */
};

struct worker {
	pthread_t thread;
	int cpu;
	s32 tid;
	u64 entries, exits, wrong_results, out_of_order; /* recorded */
	s32 parent;
	bool is_inside;
};

static struct worker workers[CPUS_MAX];
static unsigned int nr_workers;
static atomic_bool is_done;
static atomic_uint nr_ready;
static atomic_bool may_go;
static u64 nr_nested[LKST_LEVELS];

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Timers that expire on this CPU, at many different moments, without a thread waking for them. */
static void set_timers(int *fds)
{
	int i;

	for (i = 0; i < TIMERS; i++) {
		struct itimerspec often = { .it_interval.tv_nsec = 90000 + 7777 * i,
					    .it_value.tv_nsec = 100000 + 3333 * i };

		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (fds[i] >= 0)
			timerfd_settime(fds[i], 0, &often, NULL);
	}
}

/* A timer that nobody reads is not set again: this thread reads them all. */
static void read_timers(const int *fds)
{
	u64 expirations;
	int i;

	for (i = 0; i < TIMERS; i++)
		if (read(fds[i], &expirations, sizeof(expirations)) < 0)
			continue;
}

static void *call_often(void *arg)
{
	struct worker *w = arg;
	int fds[TIMERS], i;

	pin(w->cpu);
	w->tid = (s32)syscall(SYS_gettid);
	set_timers(fds);
	atomic_fetch_add(&nr_ready, 1);
	while (!atomic_load(&may_go))
		sched_yield();
	for (i = 0; i < CALLS; i++) {
		syscall(SYS_getppid);
		if (i % 100 == 99)
			read_timers(fds);
	}
	for (i = 0; i < TIMERS; i++)
		close(fds[i]);
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
}

/* Counts changes of the last time of each level, a lower bound of the records that were nested at that level. */
static void *watch_nesting(void *arg)
{
	const struct lkst_rings *rings = arg;
	static u64 seen[CPUS_MAX][LKST_LEVELS];
	struct timespec little = { 0, 20000 };
	unsigned int cpu, level;

	while (!atomic_load(&is_done)) {
		for (cpu = 0; cpu < rings->nr_cpus && cpu < CPUS_MAX; cpu++) {
			const struct lkst_state *st =
				lkst_rings_state(rings, cpu, LKST_BUFFER_MAIN);

			for (level = 1; level < LKST_LEVELS; level++) {
				u64 last = __atomic_load_n(&st->ring[level].last, __ATOMIC_RELAXED);

				if (last != seen[cpu][level])
					nr_nested[level]++;
				seen[cpu][level] = last;
			}
		}
		nanosleep(&little, NULL);
	}
	return NULL;
}

static bool run_load(const struct lkst_rings *rings)
{
	struct itimerval often = { .it_interval.tv_usec = 300, .it_value.tv_usec = 300 },
			 off = { 0 };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t watcher;
	unsigned int i;

	sigaction(SIGALRM, &sa, NULL);
	if (pthread_create(&watcher, NULL, watch_nesting, (void *)rings))
		return false;
	for (i = 0; i < nr_workers; i++)
		if (pthread_create(&workers[i].thread, NULL, call_often, &workers[i]))
			return false;
	while (atomic_load(&nr_ready) < nr_workers)
		sched_yield();
	setitimer(ITIMER_REAL, &often, NULL);
	atomic_store(&may_go, true);
	for (i = 0; i < nr_workers; i++)
		pthread_join(workers[i].thread, NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	atomic_store(&is_done, true);
	pthread_join(watcher, NULL);
	return true;
}

static void take_record(const struct lkst_record *r)
{
	const struct lkst_field_class *ret;
	unsigned int i;

	for (i = 0; i < nr_workers && workers[i].tid != r->tid; i++)
		;
	if (i == nr_workers)
		return;
	if (!strcmp(r->event->name, "syscall_entry_getppid")) {
		workers[i].entries++;
		workers[i].out_of_order += workers[i].is_inside;
		workers[i].is_inside = true;
	} else if (!strcmp(r->event->name, "syscall_exit_getppid")) {
		workers[i].exits++;
		workers[i].out_of_order += !workers[i].is_inside;
		workers[i].is_inside = false;
		ret = lkst_class_field(r->event, "ret");
		workers[i].wrong_results += !ret || (s32)lkst_record_int(r, ret) != getppid();
	}
}

/* The ledger's lines that speak of losses of this load, added up. */
static u64 named_losses(const struct lkst_record *r)
{
	const struct lkst_field_class *count = lkst_class_field(r->event, "count");
	const struct lkst_field_class *cause = lkst_class_field(r->event, "cause");
	u32 length;
	const u8 *hook;

	if (r->event->index == LKST_EV_state_loss && count && cause)
		return lkst_loss_is_of_records((u32)lkst_record_int(r, cause))
			       ? lkst_record_int(r, count)
			       : 0;
	if (r->event->index != LKST_EV_state_skipped || !count)
		return 0;
	hook = lkst_record_field(r, 1, &length);
	return memmem(hook, length, "sys_enter", 9) || memmem(hook, length, "sys_exit", 8)
		       ? lkst_record_int(r, count)
		       : 0;
}

static void compare(const char *dir)
{
	struct lkst_err e = {};
	struct lkst_trace *t = NULL;
	struct lkst_merge *m = NULL;
	u64 missing = 0, named = 0, doubled = 0, wrong = 0, irqs = 0;
	struct lkst_record r;
	unsigned int i;

	if (lkst_trace_open(&e, dir, &t) || lkst_merge_new(&e, t, 0, UINT64_MAX, &m)) {
		live_fail("count_trace_is_read", "%s", e.text);
		lkst_trace_close(t);
		return;
	}
	while (lkst_merge_next(m, &r) > 0) {
		if (r.event->group == LKST_GROUP_STATE)
			named += named_losses(&r);
		else
			take_record(&r);
		irqs += !strcmp(r.event->name, "local_timer_entry");
	}
	lkst_merge_free(m);
	lkst_trace_close(t);
	for (i = 0; i < nr_workers; i++) {
		struct worker *w = &workers[i];

		printf("CPU %d: %llu entries, %llu exits of %d\n", w->cpu,
		       (unsigned long long)w->entries, (unsigned long long)w->exits, CALLS);
		doubled += w->entries > CALLS || w->exits > CALLS;
		missing += w->entries < CALLS ? CALLS - w->entries : 0;
		missing += w->exits < CALLS ? CALLS - w->exits : 0;
		wrong += w->wrong_results + (named ? 0 : w->out_of_order);
	}
	printf("%llu timer interrupts recorded; records seen nested in others: %llu, %llu deep %llu\n",
	       (unsigned long long)irqs, (unsigned long long)nr_nested[1],
	       (unsigned long long)nr_nested[2], (unsigned long long)nr_nested[3]);
	if (missing > named || doubled)
		live_fail("count_is_exact",
			  "%llu records are missing, the ledger names %llu; "
			  "%llu threads have too many",
			  (unsigned long long)missing, (unsigned long long)named,
			  (unsigned long long)doubled);
	else
		live_ok("count_is_exact");
	if (wrong)
		live_fail("count_results_and_order", "%llu results or places are wrong",
			  (unsigned long long)wrong);
	else
		live_ok("count_results_and_order");
	if (nr_nested[1] < 100 || irqs < 1000)
		live_fail("count_interrupts_nest", "too few to tell: %llu nested records",
			  (unsigned long long)nr_nested[1]);
	else
		live_ok("count_interrupts_nest");
}

/* Maps the rings of the recording that lkst start left. */
static int open_rings(struct lkst_err *e, struct lkst_rings *ret_rings)
{
	int lock = lkst_pins_lock(e), memory = -1, control = -1, err;

	if (lock < 0)
		return lock;
	memory = lkst_pins_get(e, NULL, "memory");
	control = lkst_pins_get(e, NULL, "control");
	err = memory < 0    ? memory
	      : control < 0 ? control
			    : lkst_rings_open(e, memory, control, ret_rings);
	if (memory >= 0)
		close(memory);
	if (control >= 0)
		close(control);
	close(lock);
	return err;
}

static int record_load(const char *dir)
{
	struct lkst_err e = {};
	struct lkst_rings rings;
	bool has_run;

	if (open_rings(&e, &rings)) {
		live_fail("count_rings_are_mapped", "%s", e.text);
		return live_failed;
	}
	has_run = run_load(&rings);
	lkst_rings_close(&rings);
	if (!has_run)
		live_fail("count_load_runs", "threads cannot be created");
	else if (LIVE_LKST("snapshot", "--quiet", "--output", dir))
		live_fail("count_snapshot_is_saved", "lkst snapshot failed");
	else if (LIVE_LKST("check", dir))
		live_fail("count_trace_is_whole", "lkst check calls it damaged");
	else
		live_ok("count_trace_is_whole");
	return live_failed;
}

int main(void)
{
	char dir[300];
	cpu_set_t set;
	int cpu;

	live_begin();
	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			workers[nr_workers++].cpu = cpu;
	snprintf(dir, sizeof(dir), "%s/trace", live_dir);
	if (LIVE_LKST("start", "--quiet", "--budget", "none", "--buffer", "64M", "-e", "syscall:*",
		      "-e", "irq:*", "-e", "timer:*", "-e", "sched:*", "-e", "signal:*")) {
		live_fail("count_starts", "lkst start failed");
		return live_end();
	}
	if (!record_load(dir))
		compare(dir);
	if (LIVE_LKST("stop", "--quiet"))
		live_fail("count_stops", "lkst stop failed");
	return live_end();
}
