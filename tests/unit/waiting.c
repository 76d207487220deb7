// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Where the waiting went: made incidents, of which the cause is known by construction, and what `lkst why` says first
 * of each.
 */
#include <inttypes.h>

#include "lib/incident.h"
#include "lib/run_command.h"
#include "lib/unit.h"

/* The one who has the lock is named, and what he does; those that hand it on to each other are not to blame. */
TEST(waiting_names_who_keeps_a_lock)
{
	make_convoy(5, false);
	CHECK_STR(ask("TRACE"),
		  "#1  worker waited for a lock in futex() 10 times, 499 ms in all, the longest 49.9 ms: keeper slept\n"
		  "    in clock_nanosleep() for 100 % of it\n");
}

/* Each row has a wait as its example, which `lkst why` explains; a number without a row has none. */
TEST(waiting_explains_the_example_of_a_row)
{
	make_convoy(5, false);
	CHECK_EQ(*ask("#1 TRACE") != 0, true);
	CHECK(strstr(output, "blocked in futex() on the lock at 0x1000"));
	CHECK(strstr(output, "keeper"));
	ask("#2 TRACE");
	CHECK(strstr(message, "there is no row #2: `lkst why TRACE` has 1"));
	ask("#x TRACE");
	CHECK(strstr(message, "is not the number of a row"));
	ask("#1");
	CHECK(strstr(message, "of which trace?"));
	ask("#1 --worst wait TRACE");
	CHECK(strstr(message, "#1 says already what is to be explained"));
}

/* What is asked about one wait is answered in a sentence as well, of that wait alone. */
TEST(waiting_is_told_in_short)
{
	make_convoy(5, false);
	ask("--worst wait --comm worker TRACE");
	CHECK(strstr(output, "\nNote: In short: worker waited for a lock in futex() once, 49.9 ms: keeper slept in "
			     "clock_nanosleep() for 100 % of it.\n"));
	CHECK(!strstr(ask("--worst wait --comm keeper TRACE"), "In short"));
	CHECK_STR(ask("--worst wait --comm keeper --in-short only TRACE"),
		  "Note: There is nothing to say of this in short.\n");
	ask("--in-short only TRACE");
	CHECK(strstr(message, "--in-short is of one interval"));
	make_convoy(5, true);
	CHECK(strstr(ask("--span request TRACE"), "In short: worker waited for a lock in futex() once, 49.9 ms"));
	ask("--worst wait --comm worker --in-short no TRACE");
	CHECK(strstr(output, "worker, ") && !strstr(output, "In short"));
	CHECK_STR(ask("--worst wait --comm worker --in-short only TRACE"),
		  "Note: In short: worker waited for a lock in futex() once, 49.9 ms: keeper slept in "
		  "clock_nanosleep() for 100 % of it.\n");
	CHECK(strstr(ask("--span request --in-short only TRACE"), "Note: In short: worker waited"));
	CHECK(!strstr(ask("--span request --in-short no TRACE"), "In short"));
	/* Of those at the edges what is within: 20 and 9.8 ms. */
	CHECK(strstr(ask("--tid 20 --from +0.1s --to +0.2s TRACE"),
		     "In short: worker waited for a lock in futex() 3 times, 79.7 ms in all, the longest 49.9 ms"));
}

/* 40 waits for an answer of 30, which is at a request of 41 for 100 ms: it runs, or sleeps. */
static void make_one_worker(bool runs)
{
	begin();
	name(30, "server");
	name(40, "quick");
	name(41, "slow");
	add("socket_connect cpu=0 tid=40 ns=9000000 fd=4 family=2 port=80 address=10.0.0.1\n");
	add("socket_connect cpu=0 tid=41 ns=9100000 fd=4 family=2 port=80 address=10.0.0.1\n");
	sends(9400, 41);
	leave(9500, 0, 41, 40, ASLEEP, READ, "4,0,1");
	sends(9900, 40);
	leave(10000, 0, 40, 30, ASLEEP, READ, "4,0,1");
	if (!runs) {
		leave(10100, 0, 30, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(110000, 0, 0, 30);
		leave(110010, 0, 0, 30, RUNNABLE, NO_CALL, "");
	}
	wake(110100, 0, 30, 41, WRITE);
	wake(110200, 0, 30, 40, WRITE);
	leave(110300, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(110400, 0, 40, 41, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(110500, 0, 41, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	timer_wakes(140000, 0, 0, 40);
}

/* That the socket was connected long before is known of each wait that is asked about. */
TEST(waiting_is_told_in_short_by_what_was_before)
{
	make_one_worker(true);
	CHECK(strstr(ask("--tid 40 --from @0.05 --to @0.09 TRACE"),
		     "Note: In short: quick waited for an answer in read() once, 40.0 ms: server ran for 100 % of it"));
}

TEST(waiting_tells_for_whom_a_server_is_busy)
{
	make_one_worker(true);
	CHECK_STR(ask("TRACE"),
		  "#1  slow waited for an answer in read() once, 101 ms: server ran for 100 % of it\n"
		  "#2  quick waited for an answer in read() once, 100 ms: server ran for 100 % of it, before it woke\n"
		  "    slow\n");
	make_one_worker(false);
	CHECK(strstr(ask("TRACE"),
		     "quick waited for an answer in read() once, 100 ms: server slept in clock_nanosleep() for 100 %"));
}

/* A connection that was made before the trace begins, by what the descriptors were when it ended. */
static const char *answer_of_long_ago(const char *file)
{
	begin();
	name(30, "server");
	process(40, "client");
	call(8000, 0, 40, "close", "fd=900", -9);
	call(8100, 0, 40, "write", "fd=4", 1);
	leave(10000, 0, 40, 30, ASLEEP, READ, "4,0,1");
	wake(90000, 0, 30, 40, WRITE);
	leave(90100, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(90400, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	add("state_descriptor ns=100000000 from=99000000 to=99500000 owner_pid=40 fd=4 file=\"%s\"\n", file);
	return ask("TRACE");
}

/* The same with calls left out, so that the descriptor may have changed meanwhile. The first answer is of @first. */
static const char *answers_without_calls(const char *file, s32 first, bool ends)
{
	unsigned int i;

	begin();
	name(30, "server");
	name(31, "former");
	process(40, "client");
	add("shed_begin cpu=0 tid=0 buffer=1 ns=7000000 cost=1 kind=syscall:*\n");
	for (i = 0; i < 3; i++) {
		const u64 us = 10000 + i * 200000;
		const s32 by = i ? 30 : first;

		wake(us, 0, 40, by, WRITE);
		leave(us + 100, 0, 40, by, ASLEEP, READ, "4,0,1");
		wake(us + 80000, 0, by, 40, WRITE);
		leave(us + 80100, 0, by, 40, ASLEEP, READ, "5,0,1");
		leave(us + 80400, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		timer_wakes(us + 199000, 0, 0, 40);
	}
	if (ends)
		leave(699000, 0, 40, 0, 128 /* TASK_DEAD */, NO_CALL, "");
	add("state_descriptor ns=700000000 from=699600000 to=699700000 owner_pid=40 fd=4 file=\"%s\"\n", file);
	return ask("TRACE");
}

TEST(waiting_knows_who_asks_where_calls_are_left_out)
{
	/* To whom it was connected then is not known. */
	CHECK(strstr(answers_without_calls("socket to 10.0.0.1:80", 30, false),
		     "#1  client waited for an answer in read() 3 times, 240 ms in all, the longest 79.9 ms: server "));
	CHECK(!strstr(output, "10.0.0.1"));
	CHECK(!strstr(answers_without_calls("socket from 10.0.0.1:40000", 30, false), "#1"));
	CHECK(!strstr(answers_without_calls("socket with 10.0.0.1:40000", 30, false), "#1"));
	/* The connection was another one, by who has ended the waits there. */
	CHECK(strstr(answers_without_calls("socket to 10.0.0.1:80", 31, false),
		     "#1  client waited for an answer in read() 2 times, 160 ms in all, the longest 79.9 ms: server "));
	/* The process that was listed is another one with that number. */
	CHECK(!strstr(answers_without_calls("socket to 10.0.0.1:80", 30, true), "#1"));
}

TEST(waiting_knows_connections_of_long_ago)
{
	CHECK_STR(answer_of_long_ago("socket to 10.0.0.1:80"),
		  "#1  client waited for an answer in read() once, 80.0 ms: server ran for 100 % of it\n");
	CHECK(!strstr(answer_of_long_ago("socket from 10.0.0.1:40000"), "#1"));
	CHECK(!strstr(answer_of_long_ago("socket with 10.0.0.1:40000"), "#1"));
}

/*
 * An answer over the loopback interface comes by a softirq in the server's own call. If an interrupt came in that call
 * before, or softirqs and calls were not recorded, that is not certain, unless the two talk to each other.
 */
#define DEVICE "irq_handler_entry cpu=0 tid=30 ns=110010000 irq=7\nirq_handler_exit cpu=0 tid=30 ns=110011000 irq=7\n"
#define TICK \
	"local_timer_entry cpu=0 tid=30 ns=110010000 vector=236\nlocal_timer_exit cpu=0 tid=30 ns=110011000 " \
	"vector=236\n"
#define TIMERS "softirq_entry cpu=0 tid=30 ns=110012000 vec=1\nsoftirq_exit cpu=0 tid=30 ns=110013000 vec=1\n"
#define RECEIVED "softirq_entry cpu=1 tid=0 ns=109600000 vec=3\nsoftirq_exit cpu=1 tid=0 ns=109610000 vec=3\n"
#define RECEIVES "softirq_entry cpu=1 tid=0 ns=109600000 vec=3\n"
static const char *answer_by_softirq(bool has_call, const char *before, bool has_asked)
{
	begin();
	name(30, "server");
	name(40, "client");
	add("socket_connect cpu=0 tid=40 ns=9000000 fd=4 family=2 port=80 address=10.0.0.1\n");
	leave(9500, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	sends(9550, 40);
	if (has_asked)
		wake(9600, 0, 40, 30, WRITE);
	else
		timer_wakes(9600, 0, 40, 30);
	leave(10000, 0, 40, 30, ASLEEP, READ, "4,0,1");
	if (has_call)
		add("syscall_entry_write cpu=0 tid=30 ns=110000000 fd=5\n");
	add("%s", before);
	if (has_call)
		add("softirq_entry cpu=0 tid=30 ns=110020000 vec=3\n");
	add("sched_waking cpu=0 tid=30 ns=110030000 target_tid=40 target_cpu=0 call=%d context=2\n", WRITE);
	if (has_call)
		add("softirq_exit cpu=0 tid=30 ns=110040000 vec=3\nsyscall_exit_write cpu=0 tid=30 ns=110050000 "
		    "ret=1\n");
	leave(110300, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(110400, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask("TRACE");
}

/* The same where the limit has left out calls and softirqs, and interrupts, @with_interrupts: from the beginning on. */
static const char *answer_with_less(const char *before, bool with_interrupts)
{
	answer_by_softirq(false, before, false);
	add("shed_begin cpu=0 tid=0 buffer=1 ns=1000000 cost=1 kind=syscall:*\n"
	    "shed_begin cpu=0 tid=0 buffer=1 ns=1000001 cost=1 kind=softirq\n");
	if (with_interrupts)
		add("shed_begin cpu=0 tid=0 buffer=1 ns=1000002 cost=1 kind=irq_handler\n");
	return ask("TRACE");
}

/* The same where it has left out only what other CPUs have this one run, and the tick. */
static const char *answer_without_cpus(const char *before)
{
	answer_by_softirq(true, before, false);
	add("shed_begin cpu=0 tid=0 buffer=1 ns=1000000 cost=1 kind=call_function_single\n"
	    "shed_begin cpu=0 tid=0 buffer=1 ns=1000001 cost=1 kind=local_timer\n");
	return ask("TRACE");
}

TEST(waiting_follows_a_packet_of_the_same_machine_if_it_is_certain)
{
	static const char followed[] = "100 ms: server ran for 100 % of it\n";
	static const char unknown[] = "100 ms, until an interrupt came\n";

	CHECK(strstr(answer_by_softirq(true, "", false), followed));
	CHECK(strstr(answer_by_softirq(true, DEVICE, false), unknown));
	CHECK(strstr(answer_by_softirq(true, DEVICE, true), unknown));
	CHECK(strstr(answer_by_softirq(false, "", true), followed));
	CHECK(strstr(answer_by_softirq(false, "", false), unknown));
	/* A tick brings no packet; timers that run behind it may send one. */
	CHECK(strstr(answer_by_softirq(true, TICK, false), followed));
	CHECK(strstr(answer_by_softirq(true, TICK TIMERS, false), unknown));
	/* Since the server ran, nothing has come that a packet of another machine could have come by. */
	CHECK(strstr(answer_with_less("", false), followed));
	CHECK(strstr(answer_with_less(DEVICE, false), unknown));
	CHECK(strstr(answer_with_less("", true), unknown));
	/* Another CPU may have passed one on that it has received, or receives. */
	CHECK(strstr(answer_without_cpus(""), followed));
	CHECK(strstr(answer_without_cpus(RECEIVED), unknown));
	CHECK(strstr(answer_without_cpus(RECEIVES), unknown));
	CHECK(strstr(answer_by_softirq(true, RECEIVED, false), followed));
	CHECK(strstr(answer_without_cpus(DEVICE), unknown));
	CHECK(strstr(answer_without_cpus(TIMERS), unknown));
}

/*
 * A full window: an interrupt ends the wait, and the other side is who accepted the connection, even without a wait. Of
 * two that were open then it is not known which one was accepted.
 */
static const char *full_window(bool has_other)
{
	begin();
	name(30, "reader");
	name(40, "sender");
	name(41, "other");
	add("socket_connect cpu=0 tid=40 ns=5000000 fd=4 family=2 port=80 address=127.0.0.1\n");
	if (has_other)
		add("socket_connect cpu=0 tid=41 ns=5100000 fd=4 family=2 port=81 address=127.0.0.1\n");
	add("socket_accept cpu=0 tid=30 ns=6000000 fd=5\n");
	leave(9500, 0, 30, 40, ASLEEP, NANOSLEEP, "0,0,0,0");
	leave(10000, 0, 40, 0, ASLEEP, WRITE, "4,0,1");
	timer_wakes(80000, 0, 0, 30);
	leave(80010, 0, 0, 30, RUNNABLE, NO_CALL, "");
	timer_wakes(80100, 0, 30, 40);
	leave(80200, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(80400, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask("TRACE");
}

TEST(waiting_knows_who_has_the_other_end)
{
	CHECK_STR(full_window(false),
		  "#1  sender waited to send in write(), as the other side had not taken up what was sent before, "
		  "once,\n    70.1 ms: reader slept in clock_nanosleep() for 100 % of it\n");
	CHECK(strstr(full_window(true), "70.1 ms, until an interrupt came\n"));
}

/* Who receives what it has not asked for, again and again, waits for no answer. */
TEST(waiting_is_silent_about_who_listens)
{
	unsigned int i;
	u64 us;

	begin();
	name(30, "publisher");
	name(40, "subscriber");
	add("socket_connect cpu=0 tid=40 ns=9000000 fd=4 family=2 port=80 address=10.0.0.1\n");
	for (i = 0, us = 10000; i < 4; i++, us += 100000) {
		add("syscall_entry_read cpu=0 tid=40 ns=%" PRIu64 "000 fd=4\n", us - 10);
		leave(us, 0, 40, 30, ASLEEP, READ, "4,0,1");
		wake(us + 90000, 0, 30, 40, WRITE);
		leave(us + 90100, 0, 30, 40, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		add("syscall_exit_read cpu=0 tid=40 ns=%" PRIu64 "000 ret=1\n", us + 90200);
		timer_wakes(us + 90300, 0, 40, 30);
	}
	CHECK_STR(ask("TRACE"),
		  "Note: Nothing stands out: no threads of programs were kept waiting for long, as far as it is "
		  "recorded.\n");
}

/* Those two ends of a pipe look alike: that the other one was at leisure is nobody's harm. */
TEST(waiting_does_not_blame_one_end_of_a_pipe)
{
	unsigned int i;
	u64 us;

	begin();
	name(50, "left");
	name(51, "right");
	leave(9000, 0, 51, 50, ASLEEP, READ, "3,0,1");
	for (i = 0, us = 10000; i < 4; i++, us += 60000) {
		wake(us, 0, 50, 51, WRITE);
		leave(us + 100, 0, 50, 51, ASLEEP, READ, "4,0,1");
		leave(us + 200, 0, 51, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(us + 50000, 0, 0, 51);
		leave(us + 50010, 0, 0, 51, RUNNABLE, NO_CALL, "");
		wake(us + 50100, 0, 51, 50, WRITE);
		leave(us + 50200, 0, 51, 50, ASLEEP, READ, "3,0,1");
	}
	CHECK_STR(ask("TRACE"),
		  "Note: Nothing stands out: no threads of programs were kept waiting for long, as far as it is "
		  "recorded.\n");
}

/* But where it waits for a disk, that is harm for whoever waits for it; and told there alone. */
TEST(waiting_follows_a_server_to_the_disk)
{
	begin();
	name(50, "client");
	name(51, "server");
	leave(9000, 0, 51, 50, ASLEEP, READ, "3,0,1");
	wake(10000, 0, 50, 51, WRITE);
	leave(10100, 0, 50, 51, ASLEEP, READ, "4,0,1");
	add("block_rq_issue cpu=0 tid=51 ns=10150000 rq=7 dev=0x700000 bytes=4096\n");
	leave(10200, 0, 51, 0, DISK_SLEEP, FSYNC, "5");
	add("irq_handler_entry cpu=0 tid=0 ns=60000000 irq=25\n"
	    "block_rq_complete cpu=0 tid=0 ns=60001000 rq=7 dev=0x700000 bytes=4096\n"
	    "sched_waking cpu=0 tid=0 ns=60002000 target_tid=51 target_cpu=0 call=-1 context=3\n"
	    "irq_handler_exit cpu=0 tid=0 ns=60003000 irq=25\n");
	leave(60010, 0, 0, 51, RUNNABLE, NO_CALL, "");
	wake(60100, 0, 51, 50, WRITE);
	leave(60200, 0, 51, 50, ASLEEP, READ, "3,0,1");
	CHECK(strstr(ask("TRACE"),
		     "#1  client waited for an answer in read() once, 50.0 ms: server waited in fsync() for 100 %"));
	CHECK(strstr(output, "until\n    disk 7:0 had done a request") ||
	      strstr(output, "until disk 7:0 had done a request"));
	CHECK(!strstr(output, "#2"));
}

/* A lock and then a disk, in one call, are two waits: each is as often as the other. */
TEST(waiting_tells_a_lock_from_what_comes_next)
{
	unsigned int i;
	u64 us;

	begin();
	name(50, "writer");
	name(51, "holder");
	for (i = 0, us = 10000; i < 4; i++, us += 100000) {
		leave(us, 0, 0, 50, RUNNABLE, NO_CALL, "");
		add("syscall_entry_write cpu=0 tid=50 ns=%" PRIu64 "000 fd=3 count=4096\n", us + 10);
		add("contention_begin cpu=0 tid=50 ns=%" PRIu64 "000 lock=0x5000 flags=2\n", us + 20);
		leave(us + 30, 0, 50, 51, DISK_SLEEP, WRITE, "3,0,4096");
		leave(us + 100, 0, 51, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(us + 20000, 0, 0, 51);
		leave(us + 20010, 0, 0, 51, RUNNABLE, NO_CALL, "");
		wake(us + 20020, 0, 51, 50, WRITE);
		leave(us + 20100, 0, 51, 50, ASLEEP, NANOSLEEP, "0,0,0,0");
		add("contention_end cpu=0 tid=50 ns=%" PRIu64 "000 lock=0x5000\n", us + 20110);
		add("block_rq_issue cpu=0 tid=50 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 20120);
		leave(us + 20200, 0, 50, 0, DISK_SLEEP, WRITE, "3,0,4096");
		add("irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n", us + 60000);
		add("block_rq_complete cpu=0 tid=0 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 60001);
		add("sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=-1 context=3\n",
		    us + 60002);
		add("irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n", us + 60003);
		leave(us + 60010, 0, 0, 50, RUNNABLE, NO_CALL, "");
		add("syscall_exit_write cpu=0 tid=50 ns=%" PRIu64 "000 ret=4096\n", us + 60020);
		leave(us + 60030, 0, 50, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(us + 99000, 0, 0, 50);
	}
	CHECK(strstr(ask("TRACE"),
		     "writer waited in write() 4 times, 159 ms in all, the longest 39.8 ms, until disk 7:0"));
	CHECK(strstr(output, "writer waited for a kernel lock in write() 4 times, 80.0 ms in all, the longest 20.0 ms:"
			     " holder\n    slept in clock_nanosleep() for 100 % of it"));
}

/* Who waits in a ring for any of its requests waits for work; but where a disk has its request, for that. */
TEST(waiting_tells_of_requests_in_a_ring)
{
	unsigned int i;
	u64 us;

	begin();
	name(50, "ringed");
	for (i = 0, us = 10000; i < 4; i++, us += 100000) {
		leave(us, 0, 0, 50, RUNNABLE, NO_CALL, "");
		add("block_rq_issue cpu=0 tid=50 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 20);
		leave(us + 30, 0, 50, 0, ASLEEP, IO_URING_ENTER, "3,1,1,1");
		add("irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n", us + 60000);
		add("block_rq_complete cpu=0 tid=0 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 60001);
		add("sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=-1 context=3\n",
		    us + 60002);
		add("irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n", us + 60003);
		leave(us + 60010, 0, 0, 50, RUNNABLE, NO_CALL, "");
		/* Then for what a client may want, or not. */
		leave(us + 60030, 0, 50, 0, ASLEEP, IO_URING_ENTER, "3,1,1,1");
		add("irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 "000 irq=26\n", us + 98000);
		add("sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=-1 context=3\n",
		    us + 98001);
		add("irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 "000 irq=26\n", us + 98002);
	}
	CHECK(strstr(ask("TRACE"),
		     "ringed waited in io_uring_enter() 4 times, 240 ms in all, the longest 60.0 ms, until"));
	CHECK(!strstr(output, "#2"));
}

/*
 * The timer of a device's queue lets a packet go, which comes in at once: shaped, and no answer that comes late. With
 * another timer before it that is not known.
 */
static void make_shaped(const char *function)
{
	unsigned int i;
	u64 us;

	begin();
	add("state_symbol ns=1 address=0xffffffff81000100 bytes=64 name=%s\n", function);
	name(50, "shaped");
	for (i = 0, us = 10000; i < 8; i++, us += 50000) {
		leave(us, 0, 0, 50, RUNNABLE, NO_CALL, "");
		leave(us + 30, 0, 50, 0, ASLEEP, READ, "3,0,1");
		add("local_timer_entry cpu=0 tid=0 ns=%" PRIu64 "000 vector=236\n", us + 48000);
		add("hrtimer_expire_entry cpu=0 tid=0 ns=%" PRIu64 "000 hrtimer=0x77 function=0xffffffff81000100\n",
		    us + 48001);
		add("hrtimer_expire_exit cpu=0 tid=0 ns=%" PRIu64 "000 hrtimer=0x77\n", us + 48002);
		add("local_timer_exit cpu=0 tid=0 ns=%" PRIu64 "000 vector=236\n", us + 48003);
		add("softirq_entry cpu=0 tid=0 ns=%" PRIu64 "000 vec=2\n", us + 48004);
		add("softirq_exit cpu=0 tid=0 ns=%" PRIu64 "000 vec=2\n", us + 48005);
		add("softirq_entry cpu=0 tid=0 ns=%" PRIu64 "000 vec=3\n", us + 48006);
		add("sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=-1 context=2\n",
		    us + 48007);
		add("softirq_exit cpu=0 tid=0 ns=%" PRIu64 "000 vec=3\n", us + 48008);
	}
	leave(us, 0, 0, 50, RUNNABLE, NO_CALL, "");
}

TEST(waiting_tells_that_traffic_is_shaped)
{
	make_shaped("qdisc_watchdog");
	CHECK(strstr(ask("TRACE"),
		     "#1  shaped waited in read() 8 times, 384 ms in all, the longest 48.0 ms, until the traffic"));
	CHECK(strstr(output, "(qdisc_watchdog)"));
	make_shaped("hrtimer_wakeup");
	CHECK(!strstr(ask("TRACE"), "#1"));
}

/*
 * On a busy CPU ksoftirqd receives what a timer's function has sent, @between being done before it; a thread of a
 * program that is called so is none.
 */
static const char *late_acknowledgement(const char *between, bool is_kernels)
{
	unsigned int i;
	u64 us;

	begin();
	add("state_symbol ns=1 address=0xffffffff81000100 bytes=64 name=tcp_delack_timer\n");
	add("state_thread ns=900 thread_tid=16 thread_pid=16 flags=%d comm=ksoftirqd/0\n", is_kernels);
	name(50, "writer");
	name(60, "busy");
	for (i = 0, us = 10000; i < 8; i++, us += 50000) {
		leave(us, 0, 60, 50, RUNNABLE, NO_CALL, "");
		leave(us + 30, 0, 50, 60, ASLEEP, READ, "3,0,1");
		add("local_timer_entry cpu=0 tid=60 ns=%" PRIu64 "000 vector=236\n", us + 48000);
		add("local_timer_exit cpu=0 tid=60 ns=%" PRIu64 "000 vector=236\n", us + 48001);
		add("softirq_entry cpu=0 tid=60 ns=%" PRIu64 "000 vec=1\n", us + 48002);
		add("timer_expire_entry cpu=0 tid=60 ns=%" PRIu64 "000 timer=0x77 function=0xffffffff81000100\n",
		    us + 48003);
		add("timer_expire_exit cpu=0 tid=60 ns=%" PRIu64 "000 timer=0x77\n", us + 48004);
		if (!strcmp(between, "timer")) {
			add("timer_expire_entry cpu=0 tid=60 ns=%" PRIu64 "100 timer=0x78"
			    " function=0xffffffff81000200\n", us + 48004);
			add("timer_expire_exit cpu=0 tid=60 ns=%" PRIu64 "200 timer=0x78\n", us + 48004);
		}
		add("softirq_exit cpu=0 tid=60 ns=%" PRIu64 "000 vec=1\n", us + 48005);
		if (!strcmp(between, "device")) {
			add("irq_handler_entry cpu=0 tid=60 ns=%" PRIu64 "000 irq=25\n", us + 48010);
			add("irq_handler_exit cpu=0 tid=60 ns=%" PRIu64 "000 irq=25\n", us + 48011);
		} else if (between[0] && strcmp(between, "timer")) {
			add("syscall_entry_%s cpu=0 tid=60 ns=%" PRIu64 "000 fd=7\n", between, us + 48010);
			add("syscall_exit_%s cpu=0 tid=60 ns=%" PRIu64 "000 ret=1\n", between, us + 48011);
		}
		leave(us + 48020, 0, 60, 16, RUNNABLE, NO_CALL, "");
		add("softirq_entry cpu=0 tid=16 ns=%" PRIu64 "000 vec=3\n", us + 48021);
		add("sched_waking cpu=0 tid=16 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=-1 context=2\n",
		    us + 48022);
		add("softirq_exit cpu=0 tid=16 ns=%" PRIu64 "000 vec=3\n", us + 48023);
		leave(us + 48030, 0, 16, 60, ASLEEP, NO_CALL, "");
	}
	leave(us, 0, 60, 50, RUNNABLE, NO_CALL, "");
	return ask("TRACE");
}

TEST(waiting_tells_of_acknowledgements_on_a_busy_cpu)
{
	static const char first[] = "#1  writer waited in read() 8 times, 384 ms in all, the longest 48.0 ms, until "
				    "TCP";

	CHECK(!strncmp(late_acknowledgement("", true), first, strlen(first)));
	CHECK(strstr(output, "(tcp_delack_timer)"));
	CHECK(strstr(late_acknowledgement("timer", true), "(tcp_delack_timer)"));
	CHECK(!strstr(late_acknowledgement("device", true), "tcp_delack_timer"));
	CHECK(!strstr(late_acknowledgement("write", true), "tcp_delack_timer"));
	CHECK(!strstr(late_acknowledgement("", false), "tcp_delack_timer"));
}

/*
 * A timer's function runs behind an interrupt, @ms before the answer of a thread to 50, whose call receives it. Of that
 * interrupt, and of the call, nothing is recorded where @is_left_out.
 */
static const char *timer_of_before(unsigned int ms, bool is_left_out)
{
	unsigned int i;
	u64 us;

	begin();
	add("state_symbol ns=1 address=0xffffffff81000100 bytes=64 name=tcp_delack_timer\n");
	name(50, "reader");
	name(60, "server");
	if (is_left_out)
		add("shed_begin cpu=0 tid=0 buffer=1 ns=2000000 cost=1 kind=local_timer\n"
		    "shed_begin cpu=0 tid=0 buffer=1 ns=2000000 cost=1 kind=syscall:*\n");
	for (i = 0, us = 10000; i < 8; i++, us += 50000) {
		leave(us, 0, 60, 50, RUNNABLE, NO_CALL, "");
		leave(us + 30, 0, 50, 60, ASLEEP, READ, "3,0,1");
		add("softirq_entry cpu=0 tid=60 ns=%" PRIu64 "000 vec=1\n", us + 40000 - ms * 1000);
		add("timer_expire_entry cpu=0 tid=60 ns=%" PRIu64 "000 timer=0x77 function=0xffffffff81000100\n",
		    us + 40001 - ms * 1000);
		add("timer_expire_exit cpu=0 tid=60 ns=%" PRIu64 "000 timer=0x77\n", us + 40002 - ms * 1000);
		add("softirq_exit cpu=0 tid=60 ns=%" PRIu64 "000 vec=1\n", us + 40003 - ms * 1000);
		add("softirq_entry cpu=0 tid=60 ns=%" PRIu64 "000 vec=3\n", us + 40004);
		add("sched_waking cpu=0 tid=60 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=%d context=2\n",
		    us + 40005, is_left_out ? WRITE : NO_CALL);
		add("softirq_exit cpu=0 tid=60 ns=%" PRIu64 "000 vec=3\n", us + 40006);
	}
	if (is_left_out)
		add("shed_end cpu=0 tid=0 buffer=1 ns=%" PRIu64 "000 left_out=1000000 kind=local_timer\n"
		    "shed_end cpu=0 tid=0 buffer=1 ns=%" PRIu64 "000 left_out=1000000 kind=syscall:*\n",
		    us + 1, us + 1);
	leave(us + 10, 0, 60, 50, RUNNABLE, NO_CALL, "");
	return ask("TRACE");
}

TEST(waiting_takes_no_timer_of_another_interrupt)
{
	CHECK(strstr(timer_of_before(0, false), "(tcp_delack_timer)"));
	CHECK(!strstr(timer_of_before(30, false), "tcp_delack_timer"));
	CHECK(!strstr(timer_of_before(0, true), "tcp_delack_timer"));
}

/* Who empties the page cache is told with those who read from a disk then, and not where nobody does. */
TEST(waiting_tells_who_drops_the_page_cache)
{
	unsigned int i;
	u64 us;

	begin();
	name(50, "reader");
	name(51, "dropper");
	for (i = 0, us = 10000; i < 4; i++, us += 100000) {
		add("syscall_entry_openat cpu=1 tid=51 ns=%" PRIu64 "000 dirfd=-100 flags=1"
		    " path_str=/proc/sys/vm/drop_caches\n", us - 500);
		leave(us, 0, 0, 50, RUNNABLE, NO_CALL, "");
		add("block_rq_issue cpu=0 tid=50 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 20);
		leave(us + 30, 0, 50, 0, DISK_SLEEP, READ, "3,0,4096");
		add("irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n", us + 60000);
		add("block_rq_complete cpu=0 tid=0 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 60001);
		add("sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=50 target_cpu=0 call=-1 context=3\n",
		    us + 60002);
		add("irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n", us + 60003);
		leave(us + 60010, 0, 0, 50, RUNNABLE, NO_CALL, "");
		leave(us + 60030, 0, 50, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		timer_wakes(us + 99000, 0, 0, 50);
	}
	CHECK(strstr(ask("TRACE"), "#1  reader waited in read() 4 times, 240 ms"));
	CHECK(strstr(output, "    dropper opened /proc/sys/vm/drop_caches"));
	CHECK(strstr(output, "drop_caches to write to it 4 times"));
	CHECK(!strstr(output, "#2"));
	begin();
	name(51, "dropper");
	add("syscall_entry_openat cpu=1 tid=51 ns=10000000 dirfd=-100 flags=1 path_str=/proc/sys/vm/drop_caches\n");
	timer_wakes(99000, 0, 0, 51);
	CHECK(!strstr(ask("TRACE"), "#1"));
}

/* The one with the lock is kept from his CPU by a third. */
TEST(waiting_tells_who_keeps_the_owner_of_a_lock_from_running)
{
	begin();
	name(10, "owner");
	name(11, "hog");
	name(20, "urgent");
	leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(10000, 0, 10, 11, RUNNABLE, NO_CALL, "");
	leave(10100, 1, 20, 0, ASLEEP, FUTEX, "0x1000,128,2,0,0,0");
	leave(90000, 0, 11, 10, RUNNABLE, NO_CALL, "");
	add("sched_waking cpu=0 tid=10 ns=90100000 target_tid=20 target_cpu=1 call=%d context=1\n", FUTEX);
	leave(90200, 1, 0, 20, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK_STR(ask("TRACE"),
		  "#1  urgent waited for a lock in futex() once, 80.0 ms: owner was ready but had no CPU for 100 % of\n"
		  "    it; meanwhile hog ran for 100 % of it\n");
}

/* Two that keep two locks from each other in turn are told at least once. */
TEST(waiting_tells_of_two_that_wait_for_each_other)
{
	unsigned int i;
	u64 us;

	begin();
	name(10, "first");
	name(20, "second");
	leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(9100, 1, 0, 20, RUNNABLE, NO_CALL, "");
	for (i = 0, us = 10000; i < 4; i++, us += 100000) {
		leave(us, 0, 10, 0, ASLEEP, FUTEX, "0x1000,128,2,0,0,0");
		wake(us + 40000, 1, 20, 10, FUTEX);
		leave(us + 40010, 0, 0, 10, RUNNABLE, NO_CALL, "");
		leave(us + 40100, 1, 20, 0, ASLEEP, FUTEX, "0x2000,128,2,0,0,0");
		add("sched_waking cpu=0 tid=10 ns=%" PRIu64 "000 target_tid=20 target_cpu=1 call=%d context=1\n",
		    us + 90000, FUTEX);
		leave(us + 90010, 1, 0, 20, RUNNABLE, NO_CALL, "");
	}
	CHECK(strstr(ask("TRACE"), "waited for a lock in futex()"));
}

TEST(waiting_tells_who_let_a_stopped_thread_go_on)
{
	begin();
	name(10, "stopped");
	name(11, "shell");
	leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(10000, 0, 10, 0, STOPPED, NO_CALL, "");
	leave(80000, 0, 0, 11, RUNNABLE, NO_CALL, "");
	wake(90000, 0, 11, 10, KILL);
	leave(90100, 0, 11, 10, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK_STR(ask("TRACE"),
		  "#1  stopped was stopped by a signal once, 80.0 ms: shell let it go on in kill() for 100 % of it\n");
}

/* What fails most of the time, as something is used up or not there; not what programs try in order to find out. */
TEST(waiting_tells_what_fails)
{
	unsigned int i;

	begin();
	name(10, "client");
	name(11, "prober");
	for (i = 0; i < 20; i++) {
		add("syscall_entry_connect cpu=0 tid=10 ns=%u fd=3\n", 10000000 + i * 1000000);
		add("socket_connect cpu=0 tid=10 ns=%u fd=3 family=2 port=80 address=10.0.0.9\n",
		    10000001 + i * 1000000);
		add("syscall_exit_connect cpu=0 tid=10 ns=%u ret=%d\n", 10000500 + i * 1000000, i == 7 ? 0 : -111);
		add("syscall_entry_openat cpu=0 tid=11 ns=%u\n", 10001000 + i * 1000000);
		add("syscall_exit_openat cpu=0 tid=11 ns=%u ret=-2\n", 10001500 + i * 1000000);
	}
	CHECK_STR(
		ask("TRACE"),
		"#1  client: connect() failed 19 of 20 times: ECONNREFUSED (Connection refused), 10.0.0.9:80, 1000 a\n"
		"    second\n");
}

/* One or two threads are refused a file, each 20 ms. */
static const char *refused(int error, bool are_two)
{
	unsigned int i;

	begin();
	process(10, "asker");
	process(11, "asker");
	for (i = 0; i < 20; i++)
		call(10000 + i * 20000, 0, are_two && i % 2 ? 11 : 10, "openat", "dirfd=-100 path_str=/run/lock",
		     error);
	return ask("TRACE");
}

/* Who tries the same again and again waits for it, too; what several try is what programs do. */
TEST(waiting_tells_what_is_tried_in_vain)
{
	CHECK_STR(refused(-17, false),
		  "#1  asker: openat() failed 20 of 20 times on /run/lock: EEXIST (File exists), as somebody else has\n"
		  "    made it: is it a lock file?, 53 a second\n");
	CHECK(strstr(refused(-13, false), "EACCES (Permission denied)"));
	CHECK(!strstr(refused(-17, true), "#1"));
	CHECK(!strstr(refused(-2, false), "#1"));
}

/* Whose quota was used up: of cgroups of the hierarchy that is known, that above; else all that were used up. */
TEST(waiting_tells_whose_quota_was_used_up)
{
	static const char quotas[] =
		"state_quota ns=910 cgroup=%d quota_ns=10000000 period_ns=100000000 nr_throttled=7 path=/lean\n"
		"state_quota ns=911 cgroup=%d quota_ns=20000000 period_ns=100000000 nr_throttled=%d path=/other\n";
	static const struct {
		int lean, other, other_throttled;
		const char *answer;
	} cases[] = {
		{ 76, 75, 9, "cgroup /lean (10.0 ms in each 100 ms) once, 60.0 ms" },
		{ 0, 0, 0, "cgroup /lean (10.0 ms in each 100 ms) once, 60.0 ms" },
		{ 0, 0, 9,
		  "one of the cgroups /lean (10.0 ms in each 100 ms), /other (20.0 ms in each 100 ms) once, 60.0 ms" },
	};
	unsigned int i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		name(10, "eager");
		add("state_cgroup ns=900 cgroup=77 path=/lean/inner\n"
		    "state_thread ns=905 thread_tid=10 thread_pid=10 cgroup=77 comm=eager\n");
		add(quotas, cases[i].lean, cases[i].other, cases[i].other_throttled);
		leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
		add("sched_switch cpu=0 tid=10 ns=10000000 next_tid=0 prev_state=0 prev_where=1 prev_call=0 "
		    "prev_flags=9\n");
		leave(70000, 0, 0, 10, RUNNABLE, NO_CALL, "");
		leave(71000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		ask("TRACE");
		/* Lines are broken where they are full. */
		for (k = 0; output[k]; k++) {
			if (strncmp(output + k, "\n    ", 5))
				continue;
			memmove(output + k, output + k + 4, strlen(output + k + 4) + 1);
			output[k] = ' ';
		}
		CHECK(strstr(output, "eager was throttled by the CPU quota of "));
		CHECK(strstr(output, cases[i].answer));
	}
}

TEST(waiting_tells_who_was_killed_for_memory)
{
	begin();
	name(10, "hungry");
	add("state_cgroup ns=900 cgroup=77 path=/small\n"
	    "state_thread ns=905 thread_tid=10 thread_pid=10 cgroup=77 comm=hungry\n"
	    "mark_victim cpu=0 tid=11 ns=5000000 victim_pid=10 comm=hungry\n"
	    "mark_victim cpu=0 tid=11 ns=9000000 victim_pid=12 comm=hungry\n");
	CHECK(strstr(ask("TRACE"),
		     "hungry was killed: memory had run out (the OOM killer chose it); it was in cgroup /small\n"));
}

/* Memory that a thread has to free before it gets some: of its cgroup, or of the machine; not across a gap. */
TEST(waiting_tells_who_reclaims_memory)
{
	begin();
	name(10, "hungry");
	leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	add("mm_vmscan_memcg_reclaim_begin cpu=0 tid=10 ns=10000000 cgroup=77\n"
	    "mm_vmscan_memcg_reclaim_end cpu=0 tid=10 ns=40000000\n"
	    "mm_vmscan_memcg_reclaim_begin cpu=0 tid=10 ns=50000000 cgroup=77\n"
	    "mm_vmscan_memcg_reclaim_end cpu=0 tid=10 ns=60000000\n"
	    "mm_vmscan_memcg_reclaim_begin cpu=0 tid=10 ns=70000000 cgroup=77\n"
	    "!skip cpu=0 blocks=1\n"
	    "mm_vmscan_memcg_reclaim_end cpu=0 tid=10 ns=170000000\n");
	leave(171000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK(strstr(ask("TRACE"),
		     "#1  hungry had to reclaim memory before it got what it asked for, 2 times, 40.0 ms in all, the\n"
		     "    longest 30.0 ms: the memory limit of cgroup 77, or of one above it\n"));
	/* Nor across a time in which the limit left it out: the end may be another's. */
	begin();
	name(10, "hungry");
	leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	add("mm_vmscan_memcg_reclaim_begin cpu=0 tid=10 ns=10000000 cgroup=77\n"
	    "shed_begin cpu=0 tid=0 buffer=1 ns=30000000 cost=1 kind=mm_vmscan_memcg_reclaim\n"
	    "shed_end cpu=0 tid=0 buffer=1 ns=60000000 left_out=30000000 kind=mm_vmscan_memcg_reclaim\n"
	    "mm_vmscan_memcg_reclaim_end cpu=0 tid=10 ns=90000000\n");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK(!strstr(ask("TRACE"), "hungry had to reclaim"));
	begin();
	name(10, "hungry");
	leave(9000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	add("mm_vmscan_direct_reclaim_begin cpu=0 tid=10 ns=10000000\n"
	    "mm_vmscan_direct_reclaim_end cpu=0 tid=10 ns=40000000\n");
	leave(41000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK(strstr(ask("TRACE"), "30.0 ms: the machine's memory was short"));
}

/* A condition that nobody signals, a poll, a sleep, a child: that is what a machine does that is well. */
TEST(waiting_is_silent_about_a_machine_that_is_well)
{
	unsigned int i;
	u64 us;

	begin();
	name(10, "idler");
	name(11, "poller");
	for (i = 0, us = 10000; i < 5; i++, us += 100000) {
		leave(us, 0, 0, 10, RUNNABLE, NO_CALL, "");
		leave(us + 100, 0, 10, 11, ASLEEP, FUTEX, "0x2000,128,7,0,0,0");
		leave(us + 200, 0, 11, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		timer_wakes(us + 90000, 0, 0, 11);
		leave(us + 90010, 0, 0, 11, RUNNABLE, NO_CALL, "");
		wake(us + 90100, 0, 11, 10, FUTEX);
		leave(us + 90200, 0, 11, 10, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		leave(us + 90300, 0, 10, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(us + 99000, 0, 0, 10);
	}
	CHECK_STR(ask("TRACE"),
		  "Note: Nothing stands out: no threads of programs were kept waiting for long, as far as it is "
		  "recorded.\n");
}

static const struct unit_test tests[] = {
	{ "waiting_names_who_keeps_a_lock", test_waiting_names_who_keeps_a_lock },
	{ "waiting_explains_the_example_of_a_row", test_waiting_explains_the_example_of_a_row },
	{ "waiting_is_told_in_short", test_waiting_is_told_in_short },
	{ "waiting_is_told_in_short_by_what_was_before", test_waiting_is_told_in_short_by_what_was_before },
	{ "waiting_tells_for_whom_a_server_is_busy", test_waiting_tells_for_whom_a_server_is_busy },
	{ "waiting_knows_connections_of_long_ago", test_waiting_knows_connections_of_long_ago },
	{ "waiting_knows_who_asks_where_calls_are_left_out",
	  test_waiting_knows_who_asks_where_calls_are_left_out },
	{ "waiting_follows_a_packet_of_the_same_machine_if_it_is_certain",
	  test_waiting_follows_a_packet_of_the_same_machine_if_it_is_certain },
	{ "waiting_knows_who_has_the_other_end", test_waiting_knows_who_has_the_other_end },
	{ "waiting_is_silent_about_who_listens", test_waiting_is_silent_about_who_listens },
	{ "waiting_does_not_blame_one_end_of_a_pipe", test_waiting_does_not_blame_one_end_of_a_pipe },
	{ "waiting_follows_a_server_to_the_disk", test_waiting_follows_a_server_to_the_disk },
	{ "waiting_tells_of_requests_in_a_ring", test_waiting_tells_of_requests_in_a_ring },
	{ "waiting_tells_that_traffic_is_shaped", test_waiting_tells_that_traffic_is_shaped },
	{ "waiting_tells_of_acknowledgements_on_a_busy_cpu", test_waiting_tells_of_acknowledgements_on_a_busy_cpu },
	{ "waiting_takes_no_timer_of_another_interrupt", test_waiting_takes_no_timer_of_another_interrupt },
	{ "waiting_tells_who_drops_the_page_cache", test_waiting_tells_who_drops_the_page_cache },
	{ "waiting_tells_a_lock_from_what_comes_next", test_waiting_tells_a_lock_from_what_comes_next },
	{ "waiting_tells_who_keeps_the_owner_of_a_lock_from_running",
	  test_waiting_tells_who_keeps_the_owner_of_a_lock_from_running },
	{ "waiting_tells_of_two_that_wait_for_each_other", test_waiting_tells_of_two_that_wait_for_each_other },
	{ "waiting_tells_who_let_a_stopped_thread_go_on", test_waiting_tells_who_let_a_stopped_thread_go_on },
	{ "waiting_tells_what_fails", test_waiting_tells_what_fails },
	{ "waiting_tells_what_is_tried_in_vain", test_waiting_tells_what_is_tried_in_vain },
	{ "waiting_tells_whose_quota_was_used_up", test_waiting_tells_whose_quota_was_used_up },
	{ "waiting_tells_who_was_killed_for_memory", test_waiting_tells_who_was_killed_for_memory },
	{ "waiting_tells_who_reclaims_memory", test_waiting_tells_who_reclaims_memory },
	{ "waiting_is_silent_about_a_machine_that_is_well", test_waiting_is_silent_about_a_machine_that_is_well },
};
UNIT_MAIN(tests)
