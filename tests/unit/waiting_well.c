// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What is no harm: threads wait for a short time each while others do their part, read a disk that is theirs alone,
 * or share a CPU in a burst. `lkst why` is silent about it, as long as nobody asks for these threads; and says it where
 * one wait is long, another has the disk, or it goes on and on.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/incident.h"
#include "lib/run_command.h"
#include "lib/unit.h"

static const char NOTHING[] =
	"Note: Nothing stands out: no threads of programs were kept waiting for long, as far as it is recorded.\n";

/* A client asks @nr times, and the server waits for a disk meanwhile, for @usual_us; and once for @longest_us. */
static const char *asking(unsigned int nr, u64 usual_us, u64 longest_us)
{
	unsigned int i;
	u64 us = 10000, end_us;

	begin();
	name(50, "client");
	name(51, "server");
	leave(9000, 0, 51, 50, ASLEEP, READ, "3,0,1");
	for (i = 0; i < nr; i++, us = end_us + 1000) {
		end_us = us + (i == nr / 2 ? longest_us : usual_us);
		wake(us, 0, 50, 51, WRITE);
		leave(us + 10, 0, 50, 51, ASLEEP, READ, "4,0,1");
		add("block_rq_issue cpu=0 tid=51 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us + 15);
		leave(us + 20, 0, 51, 0, DISK_SLEEP, FSYNC, "5");
		add("irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n"
		    "block_rq_complete cpu=0 tid=0 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n"
		    "sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=51 target_cpu=0 call=-1 context=3\n"
		    "irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n",
		    end_us, end_us + 1, end_us + 2, end_us + 3);
		leave(end_us + 10, 0, 0, 51, RUNNABLE, NO_CALL, "");
		wake(end_us + 20, 0, 51, 50, WRITE);
		leave(end_us + 30, 0, 51, 50, ASLEEP, READ, "3,0,1");
	}
	return ask("TRACE");
}

TEST(well_is_who_is_answered_soon)
{
	CHECK_STR(asking(60, 400, 400), NOTHING);
	CHECK(strstr(asking(60, 400, 60000), "#1  client waited for an answer in read() 60 times, "));
	CHECK(strstr(asking(60, 4000, 4000), "#1  client waited for an answer in read() 60 times, "));
}

/* A writer to a pipe, each time until the reader, which runs or sleeps for @us, has taken something. */
static const char *sending(u64 pause_us, bool sleeps)
{
	unsigned int i;
	u64 us;

	begin();
	name(60, "writer");
	name(61, "reader");
	leave(9000, 0, 0, 60, RUNNABLE, NO_CALL, "");
	for (i = 0, us = 10000; i < 40; i++, us += pause_us + 1000) {
		leave(us, 0, 60, 61, ASLEEP, WRITE, "4,0,65536");
		if (sleeps) {
			leave(us + 20, 0, 61, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
			timer_wakes(us + pause_us - 20, 0, 0, 61);
			leave(us + pause_us - 10, 0, 0, 61, RUNNABLE, NO_CALL, "");
		}
		wake(us + pause_us, 0, 61, 60, READ);
		leave(us + pause_us + 10, 0, 61, 60, ASLEEP, READ, "3,0,65536");
	}
	return ask_in_one_line();
}

TEST(well_is_a_pipeline_that_works)
{
	CHECK_STR(sending(2000, false), NOTHING);
	CHECK(strstr(sending(20000, false), "#1  writer waited to send in write(), as the other side had not "));
	CHECK(strstr(sending(2000, true), "#1  writer waited to send in write(), as the other side had not "));
	CHECK(strstr(output, ": reader slept in clock_nanosleep() for "));
}

/* A thread reads from a disk, @us each time; another, or the kernel, has asked the disk for @others bytes meanwhile. */
static void reading_beside(u64 us_each, unsigned int others, bool is_kernels)
{
	unsigned int i;
	u64 us;

	begin();
	name(70, "archiver");
	if (is_kernels)
		add("state_thread cpu=0 tid=0 ns=1 thread_tid=71 thread_pid=71 flags=1 comm=flusher\n");
	else
		name(71, "copier");
	leave(9000, 0, 0, 70, RUNNABLE, NO_CALL, "");
	for (i = 0, us = 10000; i < 40; i++, us += us_each + 1000) {
		add("block_rq_issue cpu=0 tid=70 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n", us);
		if (others)
			add("block_rq_issue cpu=1 tid=71 ns=%" PRIu64 "100 rq=8 dev=0x700000 bytes=%u\n", us, others);
		leave(us + 10, 0, 70, 0, DISK_SLEEP, READ, "3,0,4096");
		add("irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n"
		    "block_rq_complete cpu=0 tid=0 ns=%" PRIu64 "000 rq=7 dev=0x700000 bytes=4096\n"
		    "sched_waking cpu=0 tid=0 ns=%" PRIu64 "000 target_tid=70 target_cpu=0 call=-1 context=3\n"
		    "irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 "000 irq=25\n",
		    us + us_each, us + us_each + 1, us + us_each + 2, us + us_each + 3);
		leave(us + us_each + 10, 0, 0, 70, RUNNABLE, NO_CALL, "");
	}
}

static void reading(u64 us_each, unsigned int others)
{
	reading_beside(us_each, others, false);
}

TEST(well_is_who_has_the_disk_alone)
{
	reading(2000, 0);
	CHECK_STR(ask("TRACE"), NOTHING);
	CHECK(strstr(ask("--comm archiver TRACE"), "#1  archiver waited in read() 40 times, "));
	reading(2000, 65536);
	CHECK(strstr(ask("TRACE"), "#1  archiver waited in read() 40 times, "));
	CHECK(strstr(output, "copier's"));
	reading(20000, 0);
	CHECK(strstr(ask("TRACE"), "#1  archiver waited in read() 40 times, "));
	/* That the kernel writes is no harm where each is done at once. */
	reading_beside(500, 65536, true);
	CHECK_STR(ask("TRACE"), NOTHING);
	reading_beside(2000, 65536, true);
	CHECK(strstr(ask("TRACE"), "#1  archiver waited in read() 40 times, "));
	/* What it reads was in memory until somebody emptied the cache. */
	reading(2000, 0);
	add("syscall_entry_openat cpu=1 tid=71 ns=9000000 dirfd=-100 flags=1 path_str=/proc/sys/vm/drop_caches\n");
	CHECK(strstr(ask("TRACE"), "#1  archiver waited in read() 40 times, "));
	CHECK(strstr(output, "meanwhile copier"));
	CHECK(strstr(output, "drop_caches to write to it once"));
}

/* Of two threads one has the CPU and the other wants it, in turn, @nr times in 2 s. */
static const char *sharing(unsigned int nr)
{
	unsigned int i;
	u64 us = 10000;

	begin();
	name(80, "job");
	name(81, "job");
	leave(us, 0, 0, 80, RUNNABLE, NO_CALL, "");
	wake(us, 0, 80, 81, NO_CALL);
	for (i = 0; i < nr; i++, us += 4000)
		leave(us + 4000, 0, i % 2 ? 81 : 80, i % 2 ? 80 : 81, RUNNABLE, NO_CALL, "");
	leave(us + 4000, 0, nr % 2 ? 81 : 80, nr % 2 ? 80 : 81, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(us + 8000, 0, nr % 2 ? 80 : 81, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	timer_wakes(2000000, 0, 0, 80);
	leave(2000010, 0, 0, 80, RUNNABLE, NO_CALL, "");
	leave(2000020, 0, 80, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(well_is_a_burst_of_work)
{
	CHECK_STR(sharing(40), NOTHING);
	CHECK(strstr(sharing(400), "#1  job waited for a CPU, "));
}

static const struct unit_test tests[] = {
	{ "well_is_who_is_answered_soon", test_well_is_who_is_answered_soon },
	{ "well_is_a_pipeline_that_works", test_well_is_a_pipeline_that_works },
	{ "well_is_who_has_the_disk_alone", test_well_is_who_has_the_disk_alone },
	{ "well_is_a_burst_of_work", test_well_is_a_burst_of_work },
};

UNIT_MAIN(tests)
