// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks spans whose times it measures itself. For each span a line:
 *
 *	NAME ID ENDING FROM OUTER INNER CPU_OUTER CPU_INNER SLEPT UNTAKEN_OUTER UNTAKEN_INNER TID TAKER
 *
 * Times are ns: FROM is a time before its begin (CLOCK_MONOTONIC), OUTER from before its begin to after its end, INNER
 * from after its begin to before its end; CPU_* the same by the CPU time of the thread that had it (0 where these are
 * several); SLEPT what it slept at least; UNTAKEN_* how long nobody had it. ENDING is "ended", or "dead" of one whose
 * process was killed. TAKER is the thread to which it was handed over, 0: none.
 *
 * A span that is begun before a fork is ended in the child, too: that end is nobody's, and so is a handover without a
 * number.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "liblkst/mark.h"
#include "waits.h"

enum { JOB = 21, ORDER = 22, REQUEST = 23, FORKED = 24, DYING = 25 };

/* When something happened, before and after it was marked. */
struct moment {
	uint64_t before, after, cpu_before, cpu_after;
};

/* What the thread or process that takes a span tells; in memory that both have. */
struct taken {
	struct moment take, end;
	int tid;
};
static struct taken *taken;

/*
 * Children stay until the end: of programs that have ended only the last 32 keep their marks (doc/marks.md), and other
 * tests have begun some. The first pipe tells the parent that a child has marked, the second lets it end.
 */
static int marked[2], stay[2];

static void linger(void)
{
	char byte;

	close(stay[1]);
	if (write(marked[1], "", 1) != 1 || read(stay[0], &byte, 1))
		_exit(1);
	_exit(0);
}

static void await_child(pid_t child)
{
	char byte;

	if (child < 0 || read(marked[0], &byte, 1) != 1)
		abort();
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static void use_cpu(uint64_t ns)
{
	uint64_t until = cpu_ns() + ns;

	while (cpu_ns() < until)
		;
}

#define MARKED(moment, ...)                                                                        \
	do {                                                                                       \
		(moment).before = now_ns();                                                        \
		(moment).cpu_before = cpu_ns();                                                    \
		__VA_ARGS__;                                                                       \
		(moment).cpu_after = cpu_ns();                                                     \
		(moment).after = now_ns();                                                         \
	} while (0)

static void tell(const char *name, int id, const struct moment *from, const struct moment *to,
		 uint64_t slept)
{
	printf("%s %d ended %llu %llu %llu %llu %llu %llu 0 0 %d 0\n", name, id,
	       (unsigned long long)from->before, (unsigned long long)(to->after - from->before),
	       (unsigned long long)(to->before - from->after),
	       (unsigned long long)(to->cpu_after - from->cpu_before),
	       (unsigned long long)(to->cpu_before - from->cpu_after), (unsigned long long)slept,
	       own_tid());
}

static void tell_given(const char *name, int id, const struct moment *from,
		       const struct moment *given)
{
	printf("%s %d ended %llu %llu %llu 0 0 0 %llu %llu %d %d\n", name, id,
	       (unsigned long long)from->before,
	       (unsigned long long)(taken->end.after - from->before),
	       (unsigned long long)(taken->end.before - from->after),
	       (unsigned long long)(taken->take.after - given->before),
	       (unsigned long long)(taken->take.before - given->after), own_tid(), taken->tid);
}

/* Takes the span of number @id after a while, by a span of its own, and ends it. */
static void take(const char *name, uint64_t id)
{
	taken->tid = own_tid();
	sleep_ns(20 * MS);
	MARKED(taken->take, lkst_span_begin("take", id));
	use_cpu(5 * MS);
	lkst_span_end("take", id);
	MARKED(taken->end, lkst_span_end(name, id));
}

static void *take_job(void *arg)
{
	(void)arg;
	take("job", JOB);
	return NULL;
}

static void hand_to_thread(void)
{
	struct moment from, given;
	pthread_t other;

	MARKED(from, lkst_span_begin("job", JOB));
	use_cpu(5 * MS);
	MARKED(given, lkst_handover(JOB, 0));
	if (pthread_create(&other, NULL, take_job, NULL))
		abort();
	pthread_join(other, NULL);
	tell_given("job", JOB, &from, &given);
}

static void hand_to_process(void)
{
	struct moment from, given;
	pid_t child;

	MARKED(from, lkst_span_begin("order", ORDER));
	MARKED(given, lkst_handover(ORDER, 0));
	child = fork();
	if (!child) {
		take("order", ORDER);
		linger();
	}
	await_child(child);
	tell_given("order", ORDER, &from, &given);
}

static void sleep_in_span(void)
{
	struct moment from, to;

	MARKED(from, lkst_span_begin("sleep", 0));
	sleep_ns(50 * MS);
	MARKED(to, lkst_span_end("sleep", 0));
	tell("sleep", 0, &from, &to, 50 * MS);
}

static void spin_in_span(void)
{
	struct moment from, to;

	MARKED(from, lkst_span_begin("spin", 0));
	use_cpu(60 * MS);
	MARKED(to, lkst_span_end("spin", 0));
	tell("spin", 0, &from, &to, 0);
}

static void serve_request(void)
{
	struct moment from, to;

	MARKED(from, lkst_span_begin("serve", REQUEST));
	lkst_mark_traceparent(REQUEST, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
	sleep_ns(10 * MS);
	MARKED(to, lkst_span_end("serve", REQUEST));
	tell("serve", REQUEST, &from, &to, 10 * MS);
}

static void fork_in_span(void)
{
	struct moment from, to;
	pid_t child;

	MARKED(from, lkst_span_begin("forked", FORKED));
	child = fork();
	if (!child) {
		lkst_span_end("forked", FORKED);
		lkst_handover(0, 0);
		linger();
	}
	await_child(child);
	sleep_ns(10 * MS);
	MARKED(to, lkst_span_end("forked", FORKED));
	tell("forked", FORKED, &from, &to, 10 * MS);
}

/* The child says when its span has begun, and is killed 10 ms later. */
static void die_in_span(void)
{
	uint64_t killed, gone;
	int ends[2], status;
	char byte;
	pid_t child;

	if (pipe(ends))
		abort();
	child = fork();
	if (!child) {
		MARKED(taken->take, lkst_span_begin("dying", DYING));
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (child < 0 || read(ends[0], &byte, 1) != 1)
		abort();
	sleep_ns(10 * MS);
	killed = now_ns();
	kill(child, SIGKILL);
	if (waitpid(child, &status, 0) != child)
		abort();
	gone = now_ns();
	printf("dying %d dead %llu %llu %llu 0 0 0 0 0 %d 0\n", DYING,
	       (unsigned long long)taken->take.before,
	       (unsigned long long)(gone - taken->take.before),
	       (unsigned long long)(killed - taken->take.after), (int)child);
}

int main(void)
{
	taken = mmap(NULL, sizeof(*taken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (taken == MAP_FAILED || pipe(marked) || pipe(stay))
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sleep_in_span();
	spin_in_span();
	hand_to_thread();
	hand_to_process();
	serve_request();
	fork_in_span();
	die_in_span();
	close(stay[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}
