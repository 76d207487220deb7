// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Where the waiting went, as it is asked for: where the time of a group went, in what slow calls differ from fast ones,
 * of whom and of when it is told, as a tree, and as stacks.
 */
#include <inttypes.h>

#include "lib/incident.h"
#include "lib/run_command.h"
#include "lib/unit.h"

/* ---- where all the time went --------------------------------------------------------------------- */

/* Thread 30 runs for 100 ms, in which ticks come, an interrupt takes 10 ms, and the hypervisor 20 ms of the last 30. */
static void make_busy_server(void)
{
	begin();
	add("state_symbol ns=900 address=0xffffffff81000100 bytes=256 name=busy_function\n");
	name(30, "server");
	name(40, "client");
	add("socket_connect cpu=0 tid=40 ns=9000000 fd=4 family=2 port=80 address=10.0.0.1\n");
	sends(9900, 40);
	leave(10000, 0, 40, 30, ASLEEP, READ, "4,0,1");
	add("tick cpu=0 tid=30 ns=20000000 ip=0x401000 call=-1 where=4\n"
	    "irq_handler_entry cpu=0 tid=30 ns=21000000 irq=7\n"
	    "irq_handler_exit cpu=0 tid=30 ns=31000000 irq=7\n"
	    "tick cpu=0 tid=30 ns=40000000 ip=0xffffffff81000180 call=1 where=1\n"
	    "tick cpu=0 tid=30 ns=50000000 ip=0xffffffff81000110 call=1 where=1\n"
	    "tick cpu=0 tid=30 ns=60000000 ip=0xffffffff81000110 call=1 where=1 flags=4\n"
	    "tick cpu=0 tid=30 ns=70000000 ip=0xffffffff81000110 call=1 where=5\n"
	    "steal cpu=0 tid=30 ns=100000000 stolen_ns=20000000 window_ns=30000000\n");
	wake(110000, 0, 30, 40, WRITE);
	leave(110000, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(110400, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	timer_wakes(210000, 0, 0, 40);
	timer_wakes(210010, 0, 0, 30);
}

/* What was measured goes first, and ticks divide the rest: 70 ms by four. */
TEST(waiting_tells_where_the_time_went)
{
	make_busy_server();
	ask("--format json TRACE");
	CHECK(strstr(output, "The time of threads called client: ran 5.0 % (of that not known where 100 %); blocked: "
			     "file 47.6 %"));
	CHECK(strstr(output, "\"part\":\"blocked\",\"of\":\"file\",\"time_ns\":100000000"));
	CHECK_EQ(*ask("#1 TRACE") != 0, true);
	CHECK(strstr(output, "The time of threads called client: "));
	/* The server waits for a lock then. */
	leave(210020, 0, 0, 30, RUNNABLE, NO_CALL, "");
	leave(210030, 0, 30, 40, ASLEEP, FUTEX, "0x1000,128,2,0,0,0");
	wake(409990, 0, 40, 30, FUTEX);
	leave(410000, 0, 40, 30, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(410010, 0, 30, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK_EQ(*ask("#1 --comm server TRACE") != 0, true);
	CHECK(strstr(output,
		     "The time of threads called server: ran 24.4 % (of that in its program 18 %, in "
		     "busy_function of the kernel 35 %, looking for memory 18 %, taken by interrupts 10 %, taken by "
		     "the hypervisor at least 20 %; by 4 ticks), ready 2.4 %; blocked: poll 24.4 %, futex 48.8 %."));
	ask("--comm server --format json TRACE");
	CHECK(strstr(output, "\"part\":\"program\",\"of\":null,\"time_ns\":17505000,"));
	CHECK(strstr(output, "\"part\":\"kernel\",\"of\":\"busy_function\",\"time_ns\":35010000,"));
	CHECK(strstr(output, "\"part\":\"stolen\",\"of\":null,\"time_ns\":20000000,"));
}

/* ---- slow and fast instances ------------------------------------------------------------------------ */

/*
 * Client 40 reads @nr answers of server 30, which runs 5 ms for each; for each tenth it waits 30 ms for a lock that 50
 * has.
 */
static void make_some_slow(unsigned int nr, bool has_slow)
{
	unsigned int i;
	u64 us;

	begin();
	name(30, "server");
	name(40, "client");
	name(50, "keeper");
	add("socket_connect cpu=0 tid=40 ns=9000000 fd=4 family=2 port=80 address=10.0.0.1\n");
	leave(9100, 0, 40, 30, RUNNABLE, NO_CALL, "");
	leave(9200, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	for (i = 0, us = 10000; i < nr; i++, us += 40000) {
		const bool is_slow = has_slow && i % 10 == 3;
		const u64 end = us + (is_slow ? 35000 : 5000);

		wake(us, 0, 40, 30, WRITE);
		sends(us + 10, 40);
		add("syscall_entry_read cpu=0 tid=40 ns=%" PRIu64 "000 fd=4\n", us + 20);
		leave(us + 30, 0, 40, 30, ASLEEP, READ, "4,0,1");
		if (is_slow) {
			leave(us + 100, 0, 30, 50, ASLEEP, FUTEX, "0x1000,128,2,0,0,0");
			wake(us + 30050, 0, 50, 30, FUTEX);
			leave(us + 30060, 0, 50, 30, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		}
		wake(end, 0, 30, 40, WRITE);
		leave(end + 10, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		add("syscall_exit_read cpu=0 tid=40 ns=%" PRIu64 "000 ret=1\n", end + 20);
		timer_wakes(end + 100, 0, 40, 50);
		leave(end + 200, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		timer_wakes(us + 39900, 0, 0, 40);
		leave(us + 39910, 0, 0, 40, RUNNABLE, NO_CALL, "");
	}
}

/* What the slow ones have, and the fast ones lack; where there is nothing of the kind, or there are few, nothing. */
TEST(waiting_tells_in_what_slow_calls_differ)
{
	make_some_slow(40, true);
	CHECK_EQ(*ask("#1 --comm client TRACE") != 0, true);
	CHECK(strstr(
		output,
		"Note: Of 40 calls of read() by client the slowest 4 took 35.0 ms on average, those of the "
		"middle half 5.00 "
		"ms: 100 % of the difference is that server waited in futex() and meanwhile keeper ran, in the "
		"middle half "
		"for 0 % of their time.\nNote: The time of threads"));
	make_some_slow(40, false);
	CHECK_EQ(*ask("#1 --comm client TRACE") != 0, true);
	CHECK(strstr(output, "The time of threads called client"));
	CHECK(!strstr(output, "the slowest"));
	make_some_slow(19, true);
	CHECK_EQ(*ask("#1 --comm client TRACE") != 0, true);
	CHECK(!strstr(output, "the slowest"));
}

/* ---- whose waiting is told -------------------------------------------------------------------------- */

/* The convoy, whose workers are of two processes in two cgroups; the second wait of one is in a span. */
static void make_scoped_convoy(void)
{
	make_convoy(5, true);
	add("state_cgroup ns=900 cgroup=70 path=/docker/one\nstate_cgroup ns=901 cgroup=71 path=/two\n"
	    "state_thread ns=905 thread_tid=20 thread_pid=20 cgroup=70 comm=worker\n"
	    "state_thread ns=906 thread_tid=21 thread_pid=21 cgroup=71 comm=worker\n"
	    "state_thread ns=907 thread_tid=10 thread_pid=10 cgroup=71 comm=keeper\n");
}

/* Who has the lock may be anybody: he is named whoever is asked for. */
TEST(waiting_is_told_of_those_that_are_asked_for)
{
	static const char whole[] = "#1  worker waited for a lock in futex() 10 times, 499 ms in all, the "
				    "longest 49.9 ms: "
				    "keeper slept\n    in clock_nanosleep() for 100 % of it\n";
	static const char none[] = "Note: Nothing stands out: no such threads were kept waiting for long, as "
				   "far as it is "
				   "recorded.\n";

	make_scoped_convoy();
	CHECK_STR(ask("TRACE"), whole);
	CHECK_STR(ask("--comm work* TRACE"), whole);
	CHECK_STR(ask("--comm keeper TRACE"), none);
	CHECK(strstr(ask("--pid 20 TRACE"),
		     "#1  worker waited for a lock in futex() 5 times, 249 ms in all, the longest 49.9 ms: "
		     "keeper slept in"));
	CHECK(strstr(ask("--cgroup /two TRACE"), "worker waited for a lock in futex() 5 times, 250 ms in all"));
	CHECK(strstr(ask("--cgroup /docker/* TRACE"), "worker waited for a lock in futex() 5 times, 249 ms in all"));
	CHECK(strstr(analyze("waiting --tid 21 TRACE"), "worker waited for a lock in futex() 5 times"));
	CHECK(strstr(analyze("waiting,ticks --span x TRACE"), "--span does not limit ticks: this is of all."));
	CHECK_EQ(*ask("#1 --tid 21 TRACE") != 0, true);
	CHECK(strstr(output, "21/worker, "));
	ask("--worst wait --pid 20 TRACE");
	CHECK(strstr(message, "--pid is for where the waiting went"));
}

/* Of a wait that a span begins or ends in, what is in the span. */
TEST(waiting_is_told_of_spans)
{
	make_scoped_convoy();
	CHECK(strstr(analyze("waiting --span req* TRACE"), "worker waited for a lock in futex() once, 49.9 ms: "
							   "keeper"));
	CHECK(strstr(output, "This is of spans: what failed, was killed or reclaimed memory is not looked for, "
			     "nor where the threads' time went."));
	CHECK(strstr(analyze("waiting --span other TRACE"), "Nothing stands out: no such threads"));
	CHECK_EQ(*ask("#1 --span req* TRACE") != 0, true);
	CHECK(strstr(output, "20/worker, "));
}

/* Of a window, what is within; and each of its parts is as long as it is of the whole. */
TEST(waiting_is_told_of_a_window)
{
	make_scoped_convoy();
	CHECK(strstr(ask("--from +61ms --to +121ms TRACE"), "worker waited for a lock in futex() 2 times, 99.8 "
							    "ms in all"));
	CHECK(strstr(ask("--from +61ms --to +121ms --pid 20 TRACE"), "worker waited for a lock in futex() once, "
								     "49.9 ms"));
}

/* All waiting, level by level, harm first; what is not known is said where it belongs. */
TEST(waiting_is_shown_as_a_tree)
{
	make_convoy(5, false);
	CHECK(strstr(ask("--tree 9 TRACE"),
		     "   time   share  count  longest  who waited, because of whom, who meanwhile ...\n"
		     " 499 ms  54.1 %     10  49.9 ms  worker waited for a lock in futex()\n"
		     " 498 ms  54.0 %     10  49.8 ms    keeper slept in clock_nanosleep()\n"
		     "1.25 ms   0.1 %      4        -    others, each less than 0.1 % of all\n"
		     "5.92 ms   0.6 %     23  1.17 ms  worker waited for a CPU\n"
		     "4.74 ms   0.5 %     13   960 us    worker ran\n"));
	CHECK(strstr(output, "21.3 ms   2.3 %      3  10.2 ms  worker was ready but had no CPU\n"
			     " 960 us   0.1 %      1   960 us    worker ran\n"
			     "20.3 ms   2.2 %      -        -    not known\n"));
	CHECK(strstr(ask("--tree 1 --comm keeper TRACE"), "  keeper slept in clock_nanosleep()\n"));
	CHECK(!strstr(output, "worker"));
	CHECK(!strstr(output, "until"));
	ask("--tree 9 --format json TRACE");
	CHECK(strstr(output, "\"depth\":1,\"kind\":null,\"comm\":\"keeper\",\"leaf\":true,"
			     "\"text\":\"keeper slept in clock_nanosleep()\",\"tid\":"));
	CHECK(strstr(output, "\"depth\":1,\"kind\":null,\"comm\":null,\"leaf\":true,"
			     "\"text\":\"until an interrupt came\",\"tid\":null,\"at_ns\":"));
	ask("--tree 2 --worst wait TRACE");
	CHECK_STR(message, "--tree is of all waiting, and not of one interval");
	analyze("ticks --tree 2 TRACE");
	CHECK_STR(message, "--tree is of the analysis waiting");
}

/* ---- as stacks --------------------------------------------------------------------------------------- */

static const char *export(const char *format, const char *more)
{
	static char dir[64];
	char words[128];

	make(dir);
	snprintf(words, sizeof(words), "--format %s --output - %s TRACE", format, more);
	return run_command(&lkst_cmd_export, dir, words) ? "" : output;
}

/* The sum of all lines of the last answer that begin with @begin and have one of @with, NULL at the end, in them. */
static u64 sum(const char *begin, const char *const *with)
{
	const char *line, *end, *number;
	u64 all = 0;
	int i;

	for (line = output; (end = strchr(line, '\n')); line = end + 1) {
		for (number = end; number > line && number[-1] != ' '; number--)
			;
		if (strncmp(line, begin, strlen(begin)))
			continue;
		for (i = 0; with[i]; i++)
			if (memmem(line, (size_t)(number - line), with[i], strlen(with[i])))
				break;
		if (with[i])
			all += strtoull(number, NULL, 10);
	}
	return all;
}

/* Whether the lines of @comm have what the state model has of the threads @ids of that name, NULL at the end. */
static bool is_all_waiting(const char *comm, const char *const *ids, const char *more)
{
	static const char *const all[] = { ";", NULL }, *const waits[] = { ";ready", ";blocked;", ";stopped", NULL };
	char begin[64];
	u64 by_states = 0, by_tree;

	export("collapsed", more);
	for (; *ids; ids++)
		by_states += sum(*ids, waits);
	export("waiting", more);
	snprintf(begin, sizeof(begin), "%s;", comm);
	by_tree = sum(begin, all);
	if (by_tree != by_states || !by_tree)
		printf("  %s %s: %" PRIu64 " ns of the tree, %" PRIu64 " of the states\n", comm, more, by_tree,
		       by_states);
	return by_tree == by_states && by_tree;
}

/* A line for each leaf, the smallest too; together they are what the state model has as waiting. */
TEST(waiting_is_exported_as_stacks)
{
	static const char *const workers[] = { "worker-20;", "worker-21;", NULL },
				 *const keeper[] = { "keeper-10;", NULL };
	static const char *const windows[] = { "", "--from +61ms --to +121ms", "--comm [kw]*", "--from +75ms" };
	size_t i;

	make_convoy(5, false);
	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		CHECK(is_all_waiting("worker", workers, windows[i]));
		CHECK(is_all_waiting("keeper", keeper, windows[i]));
	}
	export("waiting", "");
	CHECK(strstr(output, "worker;lock;worker waited for a lock in futex();keeper slept in clock_nanosleep() "
			     "497500000\n"));
	CHECK(strstr(output, "\nworker;cpu;worker waited for a CPU;worker ran "));
	CHECK(strstr(output, "\nworker;no harm;worker was ready but had no CPU;not known "));
	CHECK(strstr(output, "\nkeeper;no harm;keeper slept in clock_nanosleep();until "));
	CHECK(!strstr(output, "others, each less"));
	/* Of those that are asked for; who caused it may be anybody. */
	export("waiting", "--tid 21");
	CHECK(strstr(output, "worker;lock;worker waited for a lock in futex();keeper slept in clock_nanosleep() "
			     "248500000\n"));
	CHECK(!strstr(output, "\nkeeper;"));
	CHECK_STR(export("waiting", "--comm nobody"), "");
	export("waiting", "--event tick");
	CHECK_STR(message, "--event is for formats of events, and waiting is not one");
}

/* Names may have anything in them: a line stays one, with frames between ';' and a number at its end. */
TEST(waiting_is_exported_with_any_names)
{
	make_convoy(2, false);
	add("task_rename cpu=0 tid=10 ns=300000000 target_tid=10 newcomm=\"k;e\\n 7\"\n");
	export("waiting", "");
	CHECK(strstr(output, ";k:e\\\\n 7 slept in clock_nanosleep() "));
	CHECK(strstr(output, "\nk:e\\\\n 7;no harm;k:e\\\\n 7 slept in "));
	CHECK(!strstr(output, "k;e"));
}

static const struct unit_test tests[] = {
	{ "waiting_tells_where_the_time_went", test_waiting_tells_where_the_time_went },
	{ "waiting_is_told_of_those_that_are_asked_for", test_waiting_is_told_of_those_that_are_asked_for },
	{ "waiting_is_told_of_spans", test_waiting_is_told_of_spans },
	{ "waiting_is_told_of_a_window", test_waiting_is_told_of_a_window },
	{ "waiting_tells_in_what_slow_calls_differ", test_waiting_tells_in_what_slow_calls_differ },
	{ "waiting_is_shown_as_a_tree", test_waiting_is_shown_as_a_tree },
	{ "waiting_is_exported_as_stacks", test_waiting_is_exported_as_stacks },
	{ "waiting_is_exported_with_any_names", test_waiting_is_exported_with_any_names },
};
UNIT_MAIN(tests)
