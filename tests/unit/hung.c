// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What has not ended: made traces in which it is known who waits for whom, and what `lkst why --hung` says of each; on
 * random graphs each thread is in one row, and each cycle is certain; and ten thousand threads take less than a second.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

extern const struct lkst_cmd lkst_cmd_why;

/* Numbers of system calls on x86-64, as the switch has them. */
enum { READ = 0, NANOSLEEP = 230, FUTEX = 202, OPENAT = 257, EPOLL_WAIT = 232, MKDIR = 83 };

enum { RUNNABLE, ASLEEP = 1, DISK_SLEEP = 2, STOPPED = 4 }; /* prev_state */

enum { THREADS = 10000 };

static char lines[8 << 20];
static size_t used;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(lines + used, sizeof(lines) - used, format, args);
	va_end(args);
	if (used >= sizeof(lines))
		abort();
}

static void begin(void)
{
	used = 0;
	lines[0] = '\0';
}

static void name(s32 tid, const char *comm)
{
	put("task_rename cpu=0 tid=%d ns=1000 target_tid=%d newcomm=%s\n", tid, tid, comm);
}

/* At @ms, thread @tid leaves CPU 0 to @next: it is in state @state, in system call @call with @args. */
static void leave(u64 ms, s32 tid, s32 next, int state, int call, const char *args)
{
	put("sched_switch cpu=0 tid=%d ns=%" PRIu64 "000000 next_tid=%d prev_state=%d", tid, ms, next, state);
	if (call >= 0)
		put(" prev_where=1 prev_call=%d prev_args=%s", call, args);
	put("\n");
}

/* Thread @tid is about to wait for the mutex @lock, which @holder has. */
static void blocks(u64 ms, s32 tid, u64 lock, s32 holder, int flags)
{
	put("sched_blocker cpu=0 tid=%d ns=%" PRIu64 "000000 lock=%" PRIu64 " holder_tid=%d holder_is=1 flags=%d\n",
	    tid, ms, lock, holder, flags);
}

static void wake(u64 ms, s32 tid, s32 target)
{
	put("sched_waking cpu=0 tid=%d ns=%" PRIu64 "000000 target_tid=%d target_cpu=0 call=-1 context=1\n", tid, ms,
	    target);
}

/* The trace ends at @ms, in the idle thread. */
static void ends(u64 ms)
{
	put("sched_switch cpu=0 tid=0 ns=%" PRIu64 "000000 next_tid=99 prev_state=0\n", ms - 1);
	put("sched_switch cpu=0 tid=99 ns=%" PRIu64 "000000 next_tid=0 prev_state=1 prev_where=1 prev_call=230 "
	    "prev_args=0,0,0,0\n", ms);
}

/* With futex(2) recorded, beside what every trace has. */
static struct lkst_catalog *catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	struct lkst_err e;

	if (lkst_catalog_add_syscall(&e, c, LKST_NR_EVENTS + 100, LKST_NR_EVENTS + 101,
				     (unsigned int)(lkst_syscall_find(false, "futex") - lkst_syscalls)))
		abort();
	return c;
}

static char dir[64];

static void make(void)
{
	struct make_trace *m;
	char path[96];

	if (!dir[0])
		make_scratch(dir);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	make_scratch_remove(path);
	m = make_begin(path, catalog(), 4096);
	if (make_text(m, lines)) {
		fprintf(stderr, "%s\n", m->err.text);
		abort();
	}
	if (make_end(m))
		abort();
}

/* What `lkst why` answers to @words about the lines, without the breaks of lines; "" and `message`: an error. */
static const char *ask(const char *words)
{
	static char flat[sizeof(output)];
	const char *from;
	char *to = flat;

	make();
	if (run_command(&lkst_cmd_why, dir, words))
		return "";
	for (from = output; *from; from++) {
		if (*from == '\n' && !strncmp(from + 1, "    ", 4)) {
			*to++ = ' ';
			from += 4;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return flat;
}

#define HAS(text, part)                                                                            \
	do {                                                                                       \
		const char *has_text = (text);                                                     \
		if (!strstr(has_text, (part)))                                                     \
			fprintf(stderr, "%s", has_text);                                           \
		CHECK(strstr(has_text, (part)));                                                   \
	} while (0)

/* Two mutexes of the kernel, taken in both orders: the first holder ran on, but nobody was woken. */
static void make_abba(int flags)
{
	begin();
	name(10, "left");
	name(11, "right");
	name(12, "third");
	leave(100, 0, 10, RUNNABLE, -1, "");
	blocks(110, 10, 0x1000, 11, flags);
	leave(110, 10, 11, DISK_SLEEP, OPENAT, "0,0,0");
	blocks(120, 11, 0x2000, 10, flags);
	leave(120, 11, 12, DISK_SLEEP, OPENAT, "0,0,0");
	blocks(130, 12, 0x2000, 10, flags);
	leave(130, 12, 0, DISK_SLEEP, OPENAT, "0,0,0");
	ends(5000);
}

TEST(hung_names_a_deadlock_with_both_locks)
{
	make_abba(32);
	CHECK_STR(
		ask("--hung TRACE"),
		"#1  deadlock: 10/left waits for the kernel's lock at 0x1000 (mutex) in openat(), which "
		"11/right has for "
		"4.89 s; 11/right waits for the kernel's lock at 0x2000 (mutex) in openat(), which 10/left has "
		"for 4.88 s. "
		"1 more waits for them: 12/third waits for the kernel's lock at 0x2000 (mutex) in openat(), "
		"which 10/left "
		"has for 4.87 s\n");
}

/* The same of locks of which it is not known that they are handed on: who had one then, and ran, may have let it go. */
TEST(hung_makes_no_cycle_of_who_held_it_once)
{
	make_abba(4);
	CHECK(!strstr(ask("--hung TRACE"), "deadlock"));
	HAS(ask("--hung TRACE"), "which 11/right had when the wait began");
}

/* Somebody got the lock later: then the one who had it has it no more, for all that is known. */
TEST(hung_makes_no_cycle_of_a_lock_that_went_on)
{
	begin();
	name(10, "left");
	name(11, "right");
	name(12, "third");
	leave(90, 0, 12, RUNNABLE, -1, "");
	blocks(95, 12, 0x1000, 11, 32);
	leave(95, 12, 10, DISK_SLEEP, OPENAT, "0,0,0");
	blocks(110, 10, 0x1000, 11, 32);
	leave(110, 10, 11, DISK_SLEEP, OPENAT, "0,0,0");
	wake(115, 11, 12);
	blocks(120, 11, 0x2000, 10, 32);
	leave(120, 11, 12, DISK_SLEEP, OPENAT, "0,0,0");
	leave(130, 12, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
	ends(5000);
	CHECK(!strstr(ask("--hung TRACE"), "deadlock"));
	HAS(ask("--hung TRACE"), "which 11/right had when the wait began");
}

/* A chain, to the one who is stopped. What sleeps by its own choice is counted. */
TEST(hung_follows_a_chain_to_its_end)
{
	begin();
	name(10, "keeper");
	name(11, "middle");
	name(12, "outer");
	name(13, "idle");
	leave(100, 0, 10, RUNNABLE, -1, "");
	leave(110, 10, 11, STOPPED, -1, "");
	blocks(120, 11, 0x1000, 10, 4);
	leave(120, 11, 12, DISK_SLEEP, OPENAT, "0,0,0");
	blocks(130, 12, 0x2000, 11, 4);
	leave(130, 12, 13, DISK_SLEEP, OPENAT, "0,0,0");
	leave(140, 13, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	ends(3000);
	CHECK_STR(ask("--hung TRACE"),
		  "#1  2 threads wait for 10/keeper, which is stopped by a signal for 2.89 s: 11/middle waits for the "
		  "kernel's lock at 0x1000 (to write) in openat(), which 10/keeper has for 2.88 s; 12/outer "
		  "waits for the "
		  "kernel's lock at 0x2000 (to write) in openat(), which 11/middle has for 2.87 s\n"
		  "Note: 1 other thread sleeps as long, as is its way; nobody above waits for it.\n");
	HAS(ask("--hung --longer 4s TRACE"), "Nothing hangs");
	HAS(ask("--hung --format json TRACE"), "\"holder_tid\":10");
}

/* Both waits began before the trace: the list of threads has their locks and owners. */
TEST(hung_knows_waits_that_began_before_the_trace)
{
	begin();
	put("state_thread ns=50 thread_tid=10 thread_pid=10 state=2 comm=left\n"
	    "state_wait ns=50 thread_tid=10 call=257 where=1 lock=4096 holder_tid=11 holder_is=1 lock_flags=32\n"
	    "state_thread ns=50 thread_tid=11 thread_pid=11 state=2 comm=right\n"
	    "state_wait ns=50 thread_tid=11 call=257 where=1 lock=8192 holder_tid=10 holder_is=1 lock_flags=32\n"
	    "state_thread ns=50 thread_tid=12 thread_pid=12 state=1 comm=idle\n"
	    "state_wait ns=50 thread_tid=12 call=232 where=1\n");
	leave(100, 0, 99, RUNNABLE, -1, "");
	leave(101, 99, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
	ends(3000);
	HAS(ask("--hung TRACE"), "#1  deadlock: 10/left waits for the kernel's lock at 0x1000 (mutex) in "
				 "openat(), which "
				 "11/right has for at least");
	HAS(ask("--hung TRACE"), "11/right waits for the kernel's lock at 0x2000 (mutex) in openat(), which "
				 "10/left has");
}

/* A lock of a program: who waited for it, got it, and went on to sleep, took it last. */
TEST(hung_knows_who_took_a_futex_last)
{
	begin();
	put("state_thread ns=50 thread_tid=10 thread_pid=10 comm=first\n"
	    "state_thread ns=50 thread_tid=11 thread_pid=10 comm=second\n");
	leave(100, 0, 10, RUNNABLE, -1, "");
	put("syscall_entry_futex cpu=0 tid=10 ns=110000000 uaddr=4096 op=128 val=2\n");
	leave(111, 10, 11, ASLEEP, FUTEX, "4096,128,2,0,0,0");
	wake(120, 11, 10);
	leave(121, 11, 10, RUNNABLE, -1, "");
	put("syscall_exit_futex cpu=0 tid=10 ns=122000000 ret=0\n");
	leave(130, 10, 11, ASLEEP, NANOSLEEP, "0,0,0,0");
	put("syscall_entry_futex cpu=0 tid=11 ns=140000000 uaddr=4096 op=128 val=2\n");
	leave(141, 11, 0, ASLEEP, FUTEX, "4096,128,2,0,0,0");
	ends(3000);
	CHECK_STR(ask("--hung TRACE"),
		  "#1  1 thread waits for 10/first, which sleeps in clock_nanosleep() for 2.87 s: 11/second "
		  "waits for the "
		  "lock at 0x1000 in futex(), which 10/first took last for 2.86 s\n");
}

/* A robust lock's word names its owner. */
TEST(hung_knows_the_owner_of_a_robust_futex)
{
	begin();
	put("state_thread ns=50 thread_tid=10 thread_pid=10 comm=first\n"
	    "state_thread ns=50 thread_tid=11 thread_pid=10 comm=second\n");
	leave(100, 0, 10, RUNNABLE, -1, "");
	leave(110, 10, 11, ASLEEP, NANOSLEEP, "0,0,0,0");
	leave(141, 11, 0, ASLEEP, FUTEX, "4096,128,0x8000000a,0,0,0");
	ends(3000);
	HAS(ask("--hung TRACE"), "11/second waits for the lock at 0x1000 in futex(), which 10/first has");
}

/* Those of a name that wait for the same, nobody knows for whom, are one row; who reads, or opens a pipe, is none. */
TEST(hung_tells_what_nobody_is_known_to_end)
{
	s32 tid;

	begin();
	for (tid = 10; tid < 16; tid++)
		name(tid, "client");
	name(20, "reader");
	name(21, "opener");
	leave(100, 0, 10, RUNNABLE, -1, "");
	for (tid = 10; tid < 16; tid++)
		leave(110 + (u64)tid, tid, tid == 15 ? 20 : tid + 1, ASLEEP, MKDIR, "0,0,0");
	leave(200, 20, 21, ASLEEP, READ, "0,0,0");
	leave(201, 21, 0, ASLEEP, OPENAT, "0,0,0");
	ends(2000);
	CHECK_STR(ask("--hung TRACE"),
		  "#1  6 threads client: each waits in mkdir(), the longest for 1.88 s (threads 10, 11, 12, 13 "
		  "and 2 more); "
		  "who keeps them waiting is not known\n"
		  "Note: 2 other threads sleep as long, as is their way; nobody above waits for them.\n");
}

TEST(hung_goes_with_no_other_question)
{
	begin();
	ends(2000);
	HAS(ask("--hung TRACE"), "Nothing hangs");
	ask("--hung --worst wait TRACE");
	CHECK(strstr(message, "--hung is of all threads"));
	ask("");
	CHECK(strstr(message, "of which trace?"));
}

/* ---- random graphs, and many threads -------------------------------------------------------------- */

static u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* @nr threads, each of which waits for a lock that a random one of the others has, or sleeps. */
static void make_random(u32 seed, s32 nr)
{
	s32 tid;

	begin();
	leave(10, 0, 1000, RUNNABLE, -1, "");
	for (tid = 1000; tid < 1000 + nr; tid++) {
		const bool waits = next_random(&seed) % 16;
		const s32 holder = 1000 + (s32)(next_random(&seed) % (u32)nr);

		if (waits)
			blocks(20, tid, 0x100000 + (u64)tid, holder, next_random(&seed) % 2 ? 32 : 4);
		leave(20, tid, tid == 999 + nr ? 0 : tid + 1, waits ? DISK_SLEEP : ASLEEP, waits ? OPENAT : EPOLL_WAIT,
		      "0,0,0");
	}
	ends(3000);
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		nr++;
	return nr;
}

TEST(hung_puts_each_thread_into_one_row)
{
	u32 seed;

	for (seed = 1; seed <= 50; seed++) {
		unsigned int blocked;
		const char *json;

		make_random(seed, 60);
		blocked = count(lines, "prev_state=2 ");
		json = ask("--hung --format json TRACE");
		/* Each has a row, with whether the wait is older. */
		CHECK_EQ(count(json, "\"is_earlier\":"), blocked);
		CHECK_EQ(count(json, "\"tid\":") >= blocked, true);
	}
}

TEST(hung_takes_less_than_a_second_for_ten_thousand_threads)
{
	struct timespec from, to;
	double seconds;

	make_random(7, THREADS);
	make();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	CHECK_EQ(run_command(&lkst_cmd_why, dir, "--hung TRACE"), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	CHECK(output[0]);
	seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	if (seconds >= 1)
		fprintf(stderr, "%.3f s\n", seconds);
	CHECK(seconds < 1);
}

static const struct unit_test tests[] = {
	{ "hung_names_a_deadlock_with_both_locks", test_hung_names_a_deadlock_with_both_locks },
	{ "hung_makes_no_cycle_of_who_held_it_once", test_hung_makes_no_cycle_of_who_held_it_once },
	{ "hung_makes_no_cycle_of_a_lock_that_went_on", test_hung_makes_no_cycle_of_a_lock_that_went_on },
	{ "hung_follows_a_chain_to_its_end", test_hung_follows_a_chain_to_its_end },
	{ "hung_knows_waits_that_began_before_the_trace", test_hung_knows_waits_that_began_before_the_trace },
	{ "hung_knows_who_took_a_futex_last", test_hung_knows_who_took_a_futex_last },
	{ "hung_knows_the_owner_of_a_robust_futex", test_hung_knows_the_owner_of_a_robust_futex },
	{ "hung_tells_what_nobody_is_known_to_end", test_hung_tells_what_nobody_is_known_to_end },
	{ "hung_goes_with_no_other_question", test_hung_goes_with_no_other_question },
	{ "hung_puts_each_thread_into_one_row", test_hung_puts_each_thread_into_one_row },
	{ "hung_takes_less_than_a_second_for_ten_thousand_threads",
	  test_hung_takes_less_than_a_second_for_ten_thousand_threads },
};
UNIT_MAIN(tests)
