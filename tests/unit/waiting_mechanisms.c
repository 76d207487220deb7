// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Where the waiting went, by what mechanism: the lock, file, limit, cgroup or packet that a made incident is about is
 * named where the records say so, and not where they do not.
 */
#include <inttypes.h>

#include "lib/incident.h"
#include "lib/run_command.h"
#include "lib/unit.h"

/* A lock that processes share is told with its file, or its number. */
static const char *shared_lock(int number, const char *name, const char *args)
{
	begin();
	process(10, "keeper");
	process(20, "worker");
	leave(5000, 1, 0, 10, RUNNABLE, NO_CALL, "");
	leave(6000, 0, 0, 20, RUNNABLE, NO_CALL, "");
	opens(6100, 0, 20, "/srv/orders.lock", 3);
	leave(9500, 1, 10, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
	if (name)
		add("syscall_entry_%s cpu=0 tid=20 ns=9999000 fd=3\n", name);
	leave(10000, 0, 20, 0, ASLEEP, number, args);
	timer_wakes(90000, 1, 0, 10);
	leave(90010, 1, 0, 10, RUNNABLE, NO_CALL, "");
	wake(90050, 1, 10, 20, number);
	leave(90060, 0, 0, 20, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 20, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(91000, 1, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_names_the_lock_that_processes_share)
{
	CHECK_STR(shared_lock(FLOCK, "flock", "3,2"),
		  "#1  worker waited for a lock in flock() of /srv/orders.lock, once, 80.0 ms: keeper slept in "
		  "clock_nanosleep() for 100 % of it\n");
	CHECK_STR(shared_lock(FCNTL, NULL, "3,7,0x7ff0"),
		  "#1  worker waited for a lock in fcntl() once, 80.0 ms: keeper slept in clock_nanosleep() for "
		  "100 % of "
		  "it\n");
	CHECK_STR(shared_lock(SEMOP, NULL, "5,0x7ff0,1"),
		  "#1  worker waited for a lock in semop() of the semaphores with id 5, once, 80.0 ms: keeper slept in "
		  "clock_nanosleep() for 100 % of it\n");
}

/*
 * A thread sends, polls one file until the time is over, and goes on with the call @then on descriptor @fd.
 * @timeout_ms: of a poll whose begin and end were not recorded, 0: they were, and it was 500.
 */
static const char *poll_in_vain(int port, unsigned int nr_files, const char *then, int fd, int timeout_ms)
{
	char args[64];

	begin();
	process(40, "client");
	leave(5000, 0, 0, 40, RUNNABLE, NO_CALL, "");
	connects(6000, 40, port);
	sends(9900, 40);
	if (!timeout_ms)
		add("syscall_entry_poll cpu=0 tid=40 ns=9990000 nfds=%u timeout=500\n", nr_files);
	snprintf(args, sizeof(args), "0x7f00,%u,%d", nr_files, timeout_ms ? timeout_ms : 500);
	leave(10000, 0, 40, 0, ASLEEP, POLL, args);
	timer_wakes(510000, 0, 0, 40);
	leave(510010, 0, 0, 40, RUNNABLE, NO_CALL, "");
	if (!timeout_ms)
		add("syscall_exit_poll cpu=0 tid=40 ns=510020000 ret=0\n");
	snprintf(args, sizeof(args), "fd=%d", fd);
	if (then)
		call(510100, 0, 40, then, args, 0);
	leave(511000, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

/* That a poll was for the socket on which something was sent is not recorded: only what shows it counts. */
TEST(waiting_tells_of_answers_that_do_not_come)
{
	static const char nothing[] = "Note: Nothing stands out: no threads of programs were kept waiting for long, as "
				      "far as it is recorded.\n";
	static const char no_answer[] = "#1  client waited for an answer in poll() from 10.0.0.2:80, once, 500 ms; no "
					"answer came before the call's time was over\n";

	CHECK_STR(poll_in_vain(53, 1, NULL, 0, 0),
		  "#1  client waited for an answer in poll() from 10.0.0.2:53, once, 500 ms; no answer came from "
		  "that name "
		  "server before the call's time was over\n");
	CHECK_STR(poll_in_vain(80, 1, "close", 4, 0), no_answer);
	CHECK_STR(poll_in_vain(80, 1, NULL, 0, 0), nothing);
	CHECK_STR(poll_in_vain(80, 1, "close", 5, 0), nothing);
	CHECK_STR(poll_in_vain(53, 2, "close", 4, 0), nothing);
	/* A wait that was as long as the call may take has taken all of its time, though nothing says how it ended. */
	CHECK_STR(poll_in_vain(80, 1, "close", 4, 500), no_answer);
	CHECK_STR(poll_in_vain(80, 1, "close", 4, 501), nothing);
	CHECK_STR(poll_in_vain(80, 1, "close", 4, -1), nothing);
}

/* A packet that was sent again to there in between. */
static const char *lost_packet(const char *address, int ns)
{
	begin();
	process(40, "client");
	leave(5000, 0, 0, 40, RUNNABLE, NO_CALL, "");
	connects(6000, 40, 80);
	sends(9900, 40);
	add("syscall_entry_read cpu=0 tid=40 ns=9990000 fd=4\n");
	leave(10000, 0, 40, 0, ASLEEP, READ, "4,0,1");
	add("tcp_retransmit_skb cpu=0 tid=0 ns=%d peer_address=%s peer_port=80 family=2 state=1\n", ns, address);
	timer_wakes(410000, 0, 0, 40);
	leave(410010, 0, 0, 40, RUNNABLE, NO_CALL, "");
	leave(411000, 0, 40, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_of_packets_that_were_sent_again)
{
	CHECK(strstr(lost_packet("0x0a000002", 210000000), "an answer in read() from 10.0.0.2:80, once, 400 ms; "
		"TCP sent "
							    "packets to there again meanwhile, which were lost"));
	CHECK(!strstr(lost_packet("0x0a000003", 210000000), "sent packets"));
	CHECK(!strstr(lost_packet("0x0a000002", 9950000), "sent packets"));
}

TEST(waiting_tells_what_a_frozen_cgroup_is)
{
	begin();
	process(10, "frozen");
	process(11, "freezer");
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	/* Its last page fault was not seen to end. */
	add("page_fault_user cpu=0 tid=10 ns=9990000 address=0x7000\n");
	leave(6000, 1, 0, 11, RUNNABLE, NO_CALL, "");
	opens(6100, 1, 11, "/sys/fs/cgroup/freezer/web/freezer.state", 3);
	leave(10000, 0, 10, 0, FROZEN, NANOSLEEP, "");
	add("syscall_entry_write cpu=1 tid=11 ns=89000000 fd=3\n");
	wake(90000, 1, 11, 10, WRITE);
	add("syscall_exit_write cpu=1 tid=11 ns=90001000 ret=6\n");
	leave(90100, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	CHECK(strstr(ask_in_one_line(), "#1  frozen was frozen with its cgroup "
		"(/sys/fs/cgroup/freezer/web/freezer.state), "
					"once, 80.0 ms: freezer let it go on in write() for 100 % of it"));
}

/* A peer is asked, and waits in read(2) until who writes to a freezer wakes it. Its next wait is in @state, @call. */
static const char *asked_of_a_frozen_one(int state, int next_call, const char *flags)
{
	begin();
	process(10, "client");
	process(11, "peer");
	process(12, "admin");
	leave(5000, 1, 0, 12, RUNNABLE, NO_CALL, "");
	opens(6100, 1, 12, "/sys/fs/cgroup/web/cgroup.freeze", 3);
	leave(9000, 0, 11, 10, ASLEEP, READ, "3,0,1");
	/* They have talked before. */
	wake(10000, 0, 10, 11, WRITE);
	leave(10100, 0, 10, 11, ASLEEP, READ, "4,0,1");
	wake(11000, 0, 11, 10, WRITE);
	leave(11100, 0, 11, 10, ASLEEP, READ, "3,0,1");
	leave(12000, 0, 10, 0, ASLEEP, READ, "4,0,1");
	add("syscall_entry_write cpu=1 tid=12 ns=79000000 fd=3\n");
	wake(80000, 1, 12, 11, WRITE);
	add("syscall_exit_write cpu=1 tid=12 ns=80001000 ret=1\n");
	leave(80100, 0, 0, 11, RUNNABLE, NO_CALL, "");
	add("sched_switch cpu=0 tid=11 ns=80500000 next_tid=0 prev_state=%d prev_where=1 prev_call=%d prev_args=3,0,1 "
	    "prev_flags=%s\n",
	    state, next_call, flags);
	wake(90000, 1, 12, 11, WRITE);
	leave(90100, 0, 0, 11, RUNNABLE, NO_CALL, "");
	wake(91000, 0, 11, 10, WRITE);
	leave(91100, 0, 11, 10, ASLEEP, READ, "3,0,1");
	leave(92000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

/* Where it slept it is frozen, if it goes on then; if it is held on its way back next, it was woken to be frozen. */
TEST(waiting_tells_that_who_sleeps_is_frozen)
{
	CHECK(strstr(asked_of_a_frozen_one(ASLEEP, READ, "0"),
		     "client waited for an answer in read() 2 times, "));
	CHECK(strstr(output, "peer was frozen with its cgroup (/sys/fs/cgroup/web/cgroup.freeze) for "));
	CHECK(strstr(output, "; meanwhile admin let it go on in write() for "));
	CHECK(!strstr(asked_of_a_frozen_one(FROZEN, READ, "0"), "peer was frozen with its cgroup "
								"(/sys/fs/cgroup/web/cgroup.freeze) for 8"));
}

/* Who was asked ends, by @exit_code. */
static const char *asked_of_one_that_ends(int exit_code)
{
	begin();
	process(10, "client");
	process(11, "server");
	leave(9000, 0, 11, 10, ASLEEP, READ, "3,0,1");
	wake(10000, 0, 10, 11, WRITE);
	leave(10100, 0, 10, 11, ASLEEP, READ, "4,0,1");
	wake(11000, 0, 11, 10, WRITE);
	leave(11100, 0, 11, 10, ASLEEP, READ, "3,0,1");
	wake(12000, 0, 10, 11, WRITE);
	leave(12100, 0, 10, 11, ASLEEP, READ, "4,0,1");
	add("sched_process_exit cpu=0 tid=11 ns=90000000 exit_pid=11 exit_code=%d comm=server\n", exit_code);
	wake(91000, 0, 11, 10, NO_CALL);
	leave(91100, 0, 11, 10, 0x80, NO_CALL, "");
	leave(92000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_who_has_crashed)
{
	CHECK(strstr(asked_of_one_that_ends(139),
		     "server was killed by SIGSEGV, and the kernel wrote its core before it ended\n"));
	CHECK(strstr(output, "client waited for an answer in read() once, 78.9 ms: server ran for "));
	CHECK(strstr(output, " of it; server was killed by SIGSEGV, and the kernel wrote its core before it ended\n"));
	CHECK(strstr(asked_of_one_that_ends(6), "server was killed by SIGABRT\n"));
	/* Killed by another, or ended as it wanted. */
	CHECK(!strstr(asked_of_one_that_ends(9), "server"));
	CHECK(!strstr(asked_of_one_that_ends(11 << 8), "server"));
}

/* A write waits for a request: it is the disk's, but if the limit of a cgroup has let it pass only at @let_us. */
static const char *held_request(u64 let_us, const char *work)
{
	begin();
	process(10, "writer");
	add("state_symbol ns=999 address=0x5000 bytes=64 name=%s\n", work);
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(10000, 0, 10, 60, DISK_SLEEP, WRITE, "3,0,4096");
	add("workqueue_execute_start cpu=0 tid=60 ns=%" PRIu64 "000 work=0x4000 function=0x5000\n"
	    "block_rq_issue cpu=0 tid=60 ns=%" PRIu64 "100 rq=7 dev=0x700000 bytes=4096\n"
	    "workqueue_execute_end cpu=0 tid=60 ns=%" PRIu64 "200 work=0x4000 function=0x5000\n",
	    let_us, let_us, let_us);
	leave(let_us + 1, 0, 60, 0, ASLEEP, NO_CALL, "");
	add("irq_handler_entry cpu=0 tid=0 ns=90000000 irq=25\n"
	    "block_rq_complete cpu=0 tid=0 ns=90001000 rq=7 dev=0x700000 bytes=4096\n"
	    "sched_waking cpu=0 tid=0 ns=90002000 target_tid=10 target_cpu=0 call=-1 context=3\n"
	    "irq_handler_exit cpu=0 tid=0 ns=90003000 irq=25\n");
	leave(90010, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_a_limit_from_a_slow_disk)
{
	CHECK(strstr(held_request(80000, "blk_throtl_dispatch_work_fn"),
		     "once, 80.0 ms; a limit of its cgroup for the disk (blkio.throttle, io.max) held its "
		     "requests back\n"));
	CHECK(strstr(held_request(20000, "blk_throtl_dispatch_work_fn"), "until disk 7:0 had done a request"));
	CHECK(strstr(held_request(80000, "blk_mq_run_work_fn"), "until disk 7:0 had done a request"));
}

/* A writer that sleeps for the kernel's time; the flags say whether as if for a disk. */
static const char *held_writer(unsigned int flags)
{
	begin();
	process(10, "writer");
	process(11, "bulk");
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(5000, 1, 0, 11, RUNNABLE, NO_CALL, "");
	opens(6000, 0, 10, "/data/log", 3);
	opens(6000, 1, 11, "/data/big/dump", 3);
	call(7000, 1, 11, "write", "fd=3", 900000);
	call(8000, 0, 10, "write", "fd=3", 100000);
	add("syscall_entry_write cpu=0 tid=10 ns=9990000 fd=3\n"
	    "sched_switch cpu=0 tid=10 ns=10000000 next_tid=0 prev_state=%d prev_where=1 prev_call=1 prev_flags=%u "
	    "prev_args=3,0,4096\n",
	    KILLABLE, flags);
	add("local_timer_entry cpu=0 tid=0 ns=89990000 vector=236\n"
	    "local_timer_exit cpu=0 tid=0 ns=89991000 vector=236\n"
	    "softirq_entry cpu=0 tid=0 ns=89992000 vec=1\n"
	    "timer_expire_entry cpu=0 tid=0 ns=89993000 timer=0x4000 function=0x5000\n"
	    "sched_waking cpu=0 tid=0 ns=89994000 target_tid=10 target_cpu=0 call=-1 context=2\n"
	    "timer_expire_exit cpu=0 tid=0 ns=89995000 timer=0x4000\n"
	    "softirq_exit cpu=0 tid=0 ns=89996000 vec=1\n");
	leave(90010, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_who_is_held_back_for_what_is_dirty)
{
	CHECK(strstr(held_writer(2), "writer waited in write() to /data/log, once, 80.0 ms; it was held back "
				     "(balance_dirty_pages) until the disk has written more of what programs "
				     "have written to the "
				     "page cache; 90 % of the bytes that programs wrote to files in /data were "
				     "bulk's\n"));
	CHECK(!strstr(held_writer(0), "held back"));
}

/* A fault at @address, which waits for a disk; 0x7f0000 is a file, 0x7f8000 memory, 0x7fc000 is mapped no longer. */
static const char *fault_at(const char *address)
{
	begin();
	process(10, "reader");
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	opens(6000, 0, 10, "/srv/index", 3);
	call(6100, 0, 10, "mmap", "addr=0 length=16384 prot=1 flags=1 fd=3 offset=0", 0x7f0000);
	call(6200, 0, 10, "mmap", "addr=0 length=32768 prot=3 flags=34 fd=-1 offset=0", 0x7f8000);
	call(6300, 0, 10, "munmap", "addr=0x7fc000 length=4096", 0);
	add("page_fault_user cpu=0 tid=10 ns=9990000 address=%s\n"
	    "block_rq_issue cpu=0 tid=10 ns=9995000 rq=7 dev=0x700000 bytes=4096\n"
	    "sched_switch cpu=0 tid=10 ns=10000000 next_tid=0 prev_state=%d prev_where=2 prev_call=-1 prev_flags=2\n"
	    "irq_handler_entry cpu=0 tid=0 ns=90000000 irq=25\n"
	    "block_rq_complete cpu=0 tid=0 ns=90001000 rq=7 dev=0x700000 bytes=4096\n"
	    "sched_waking cpu=0 tid=0 ns=90002000 target_tid=10 target_cpu=0 call=-1 context=3\n"
	    "irq_handler_exit cpu=0 tid=0 ns=90003000 irq=25\n",
	    address, KILLABLE);
	leave(90010, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_what_a_page_fault_is_for)
{
	CHECK(strstr(fault_at("0x7f3000"), "reader waited in page faults for /srv/index, once, 80.0 ms, until disk"));
	CHECK(strstr(fault_at("0x7f8000"),
		     "reader waited in page faults for its own memory, once, 80.0 ms; it had been swapped out, "
		     "until disk"));
	CHECK(strstr(fault_at("0x7fc000"), "reader waited in page faults once, 80.0 ms, until disk"));
	CHECK(strstr(fault_at("0x123000"), "reader waited in page faults once, 80.0 ms, until disk"));
}

/* A file system that is frozen, and a file in it, or in another. */
static const char *frozen_files(const char *path)
{
	begin();
	process(10, "writer");
	process(11, "backup");
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(5000, 1, 0, 11, RUNNABLE, NO_CALL, "");
	opens(6000, 0, 10, path, 3);
	opens(6000, 1, 11, "/data", 3);
	call(7000, 1, 11, "ioctl", "fd=3 cmd=3221510263", 0);
	add("syscall_entry_write cpu=0 tid=10 ns=9980000 fd=3\n"
	    "sched_blocker cpu=0 tid=10 ns=9999000 lock=999 holder_tid=0 holder_is=0 flags=32\n");
	leave(10000, 0, 10, 0, DISK_SLEEP, WRITE, "3,0,1");
	add("syscall_entry_ioctl cpu=1 tid=11 ns=89000000 fd=3 cmd=3221510264\n");
	wake(90000, 1, 11, 10, 16);
	add("syscall_exit_ioctl cpu=1 tid=11 ns=90001000 ret=0\n");
	leave(90100, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_who_has_frozen_a_file_system)
{
	CHECK(strstr(frozen_files("/data/log"),
		     "to /data/log, once, 80.0 ms; the file system /data was frozen (FIFREEZE) by backup\n"));
	CHECK(!strstr(frozen_files("/database/log"), "FIFREEZE"));
}

/* The limit that a failed call has reached, as far as the error of that call or the kernel says. */
static const char *failing(const char *name, const char *args, int ret, const char *said)
{
	unsigned int i;

	begin();
	process(10, "eager");
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	opens(6000, 0, 10, "/data/log", 3);
	if (said)
		add("printk_console cpu=0 tid=10 ns=7000000 text=\"%s\"\n", said);
	for (i = 0; i < 20; i++)
		call(10000 + i * 1000, 0, 10, name, args, ret);
	return ask_in_one_line();
}

TEST(waiting_names_the_limit_that_a_call_has_reached)
{
	CHECK(strstr(failing("write", "fd=3", -28, NULL),
		     "eager: write() failed 20 of 20 times on /data/log: ENOSPC (No space left on device), its "
		     "file system "
		     "is full, "));
	CHECK(strstr(failing("clone3", "", -11, NULL), "pids.max of its cgroup, RLIMIT_NPROC or kernel.threads-max"));
	CHECK(strstr(failing("clone3", "", -11, "cgroup: fork rejected by pids controller in "),
		     "its cgroup or one above has as many threads as it may: pids.max, "));
	CHECK(strstr(failing("clone3", "", -11, "cgroup: fork rejected by pids controller in /web.slice"),
		     "its cgroup /web.slice or one above has as many threads as it may: pids.max, "));
	/* The console has it in two pieces. */
	CHECK(strstr(failing("clone3", "", -11,
			     "cgroup: fork rejected by pids controller in \"\n"
			     "printk_console cpu=0 tid=10 ns=7000100 text=\"/web.slice"),
		     "its cgroup /web.slice or one above has as many threads as it may: pids.max, "));
	CHECK(strstr(failing("openat", "dirfd=-100 path_str=/x", -24, NULL), "RLIMIT_NOFILE, ulimit -n, "));
	CHECK(!strstr(failing("openat", "dirfd=-100 path_str=/x", -2, NULL), "eager"));
}

/* A thread is kept from its CPU; the other one is idle, or not. */
static const char *kept_from_cpu(u32 priority, bool other_is_idle)
{
	begin();
	process(10, "worker");
	process(11, "hog");
	process(12, "busy");
	leave(5000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	leave(5000, 1, 0, other_is_idle ? 0 : 12, RUNNABLE, NO_CALL, "");
	add("sched_switch cpu=0 tid=10 ns=10000000 next_tid=11 prev_state=0 prev_prio=120 next_prio=%u\n", priority);
	add("sched_switch cpu=0 tid=11 ns=90000000 next_tid=10 prev_state=1 prev_prio=%u next_prio=120 prev_where=1 "
	    "prev_call=230\n",
	    priority);
	leave(91000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(91000, 1, other_is_idle ? 0 : 12, 0, ASLEEP, NO_CALL, "");
	return ask_in_one_line();
}

TEST(waiting_tells_why_a_thread_does_not_get_a_cpu)
{
	CHECK(strstr(kept_from_cpu(89, false),
		     "worker waited for a CPU once, 80.0 ms, while threads with a real-time priority had the "
		     "CPU: hog ran"));
	CHECK(!strstr(output, "idle"));
	CHECK(!strstr(kept_from_cpu(120, false), "real-time"));
	CHECK(strstr(kept_from_cpu(120, true), "80.0 ms, though another CPU was idle for 100 % of it"));
}

TEST(waiting_tells_who_had_the_memory)
{
	begin();
	process(10, "hungry");
	add("printk_console cpu=0 tid=11 ns=4000000 text=\"Tasks state (memory values in pages):\"\n"
	    "printk_console cpu=0 tid=11 ns=4001000 text=\"[  pid  ]   uid  tgid total_vm      rss rss_anon name\"\n"
	    "printk_console cpu=0 tid=11 ns=4002000 text=\"[     10]     0    10      900      200      100        0"
	    "         0    40960        0             0 hungry\"\n"
	    "printk_console cpu=0 tid=11 ns=4003000 text=\"[     12]     0    12      900      800      100        0"
	    "         0    40960        0          -900 big eater\"\n"
	    "mark_victim cpu=0 tid=11 ns=5000000 victim_pid=10 comm=hungry\n"
	    "printk_console cpu=0 tid=11 ns=6000000 text=\"Memory cgroup out of memory: Killed process 10 (hungry) "
	    "total-vm:9kB, anon-rss:2048kB, file-rss:0kB\"\n");
	CHECK(strstr(ask_in_one_line(), "; it had 2.0 MiB; big eater had most then, 80 % of the memory of the "
		"processes "
					"that might be killed\n"));
}

/* A client takes a turn after a holder that slept, five times: it waits by @operation, and wakes at @woken. */
static const char *takes_turns(int operation, unsigned int woken)
{
	char args[64], wakes[64];
	unsigned int i;
	u64 us;

	begin();
	process(10, "holder");
	process(20, "client");
	snprintf(args, sizeof(args), "0x2000,%d,0,0,0,0", operation);
	snprintf(wakes, sizeof(wakes), "uaddr=%u op=129 val=1", woken);
	leave(9000, 1, 0, 20, RUNNABLE, NO_CALL, "");
	for (i = 0, us = 10000; i < 5; i++, us += 100000) {
		add("syscall_entry_futex cpu=1 tid=20 ns=%" PRIu64 "000 uaddr=8192 op=%d val=0\n", us, operation);
		leave(us + 1, 1, 20, 0, ASLEEP, FUTEX, args);
		leave(us + 100, 0, 0, 10, RUNNABLE, NO_CALL, "");
		leave(us + 200, 0, 10, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(us + 80000, 0, 0, 10);
		leave(us + 80010, 0, 0, 10, RUNNABLE, NO_CALL, "");
		wake(us + 80100, 0, 10, 20, FUTEX);
		leave(us + 80200, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		leave(us + 80300, 1, 0, 20, RUNNABLE, NO_CALL, "");
		add("syscall_exit_futex cpu=1 tid=20 ns=%" PRIu64 "000 ret=0\n", us + 80310);
		call(us + 90000, 1, 20, "futex", wakes, 1);
	}
	leave(us, 1, 20, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

/*
 * Who wakes others where he has waited himself has waited for a turn: at the same word, or at the other one of a
 * condition of glibc. Words of another kind that lie side by side may be of two threads.
 */
TEST(waiting_tells_a_turn_from_waiting_for_work)
{
	enum { WAIT = 128, WAIT_AT_CONDITION = 393 };

	CHECK(strstr(takes_turns(WAIT_AT_CONDITION, 0x2004), "client waited for a lock in futex() 5 times"));
	CHECK(strstr(takes_turns(WAIT_AT_CONDITION, 0x2000), "client waited for a lock in futex() 5 times"));
	CHECK(strstr(takes_turns(WAIT, 0x2000), "client waited for a lock in futex() 5 times"));
	CHECK(!strstr(takes_turns(WAIT, 0x2004), "client"));
	CHECK(!strstr(takes_turns(WAIT_AT_CONDITION, 0x2008), "client"));
}

enum { BY_TIMER, BY_OTHERS, BY_ITSELF, BY_PACKETS, BY_ITS_SENDING };

/*
 * A thread computes for 100 ms, and each ms an interrupt of its CPU takes @us of them: for a timer, or for what is not
 * known; or a softirq of its own, or one that receives packets, behind an interrupt and with one in it: also where it
 * sends them itself.
 */
static const char *interrupted(unsigned int us, int by)
{
	u64 at;

	begin();
	add("state_symbol ns=1 address=0xffffffff81000100 bytes=64 name=perf_swevent_hrtimer\n");
	process(10, "worker");
	leave(10000, 0, 0, 10, RUNNABLE, NO_CALL, "");
	for (at = 11000; at < 110000; at += 1000) {
		if (by == BY_ITSELF) {
			add("softirq_entry cpu=0 tid=10 ns=%" PRIu64 "000 vec=3\n", at);
			add("softirq_exit cpu=0 tid=10 ns=%" PRIu64 "000 vec=3\n", at + us);
			continue;
		}
		if (by >= BY_PACKETS) {
			if (by == BY_ITS_SENDING)
				add("syscall_entry_write cpu=0 tid=10 ns=%" PRIu64 "000 fd=3\n", at - 10);
			add("local_timer_entry cpu=0 tid=10 ns=%" PRIu64 "000 vector=236\n", at - 5);
			add("local_timer_exit cpu=0 tid=10 ns=%" PRIu64 "000 vector=236\n", at - 4);
			add("softirq_entry cpu=0 tid=10 ns=%" PRIu64 "000 vec=3\n", at);
			add("local_timer_entry cpu=0 tid=10 ns=%" PRIu64 "000 vector=236\n", at + 10);
			add("hrtimer_expire_entry cpu=0 tid=10 ns=%" PRIu64 "100 hrtimer=0x77 "
			    "function=0xffffffff81000100\n", at + 10);
			add("hrtimer_expire_exit cpu=0 tid=10 ns=%" PRIu64 "200 hrtimer=0x77\n", at + 10);
			add("local_timer_exit cpu=0 tid=10 ns=%" PRIu64 "000 vector=236\n", at + 11);
			add("softirq_exit cpu=0 tid=10 ns=%" PRIu64 "000 vec=3\n", at + us);
			if (by == BY_ITS_SENDING)
				add("syscall_exit_write cpu=0 tid=10 ns=%" PRIu64 "000 ret=9\n", at + us + 10);
			continue;
		}
		add("local_timer_entry cpu=0 tid=10 ns=%" PRIu64 "000 vector=236\n", at);
		if (by == BY_TIMER) {
			add("hrtimer_expire_entry cpu=0 tid=10 ns=%" PRIu64 "100 hrtimer=0x77 "
			    "function=0xffffffff81000100\n", at);
			add("hrtimer_expire_exit cpu=0 tid=10 ns=%" PRIu64 "000 hrtimer=0x77\n", at + us - 10);
		}
		add("local_timer_exit cpu=0 tid=10 ns=%" PRIu64 "000 vector=236\n", at + us - 10);
		add("softirq_entry cpu=0 tid=10 ns=%" PRIu64 "000 vec=1\n", at + us - 10);
		add("softirq_exit cpu=0 tid=10 ns=%" PRIu64 "000 vec=1\n", at + us);
	}
	leave(110000, 0, 10, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_of_time_that_interrupts_took)
{
	CHECK_STR(interrupted(400, BY_TIMER),
		  "#1  worker was interrupted for 40 % of its time on a CPU, 39.6 ms in all; of all interrupts' time "
		  "timers and other CPUs took 98 %, the timer's function perf_swevent_hrtimer 98 %\n");
	CHECK(strstr(interrupted(120, BY_TIMER), "interrupted for 12 %"));
	CHECK(!strstr(interrupted(80, BY_TIMER), "interrupted"));
	CHECK(strstr(interrupted(400, BY_OTHERS), "interrupted for 40 %"));
	CHECK(!strstr(interrupted(120, BY_OTHERS), "interrupted"));
	CHECK(!strstr(interrupted(400, BY_ITSELF), "interrupted"));
	/* The tick that comes meanwhile has not taken the time of the packets. */
	CHECK_STR(interrupted(400, BY_PACKETS),
		  "#1  worker was interrupted for 40 % of its time on a CPU, 39.7 ms in all; of all interrupts' time "
		  "softirq NET_RX took 100 %\n");
	CHECK(!strstr(interrupted(400, BY_ITS_SENDING), "interrupted"));
}

enum { RT_SIGSUSPEND = 130, TGKILL = 234 };

/*
 * Thread 21 takes the signal @code for the handler @handler, and waits there until @waker has sent another one;
 * @has_returned: it waits when that handler is over.
 */
static const char *suspended(int code, unsigned int handler, s32 waker, bool has_returned)
{
	begin();
	process(10, "other");
	process(20, "collector");
	add("state_thread ns=921 thread_tid=21 thread_pid=20 comm=worker\n");
	leave(5000, 0, 0, 21, RUNNABLE, NO_CALL, "");
	leave(5000, 1, 0, waker, RUNNABLE, NO_CALL, "");
	add("signal_deliver cpu=0 tid=21 ns=9900000 signal=30 code=%d handler=%u\n", code, handler);
	if (has_returned)
		add("syscall_entry_rt_sigreturn cpu=0 tid=21 ns=9950000\n");
	add("syscall_entry_rt_sigsuspend cpu=0 tid=21 ns=9990000 mask=0x1000 sigsetsize=8\n");
	leave(10000, 0, 21, 0, ASLEEP, RT_SIGSUSPEND, "0x1000,8");
	wake(90050, 1, waker, 21, TGKILL);
	leave(90060, 0, 0, 21, RUNNABLE, NO_CALL, "");
	leave(91000, 0, 21, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	leave(91000, 1, waker, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
	return ask_in_one_line();
}

TEST(waiting_tells_whose_threads_a_collector_stops)
{
	CHECK_STR(suspended(-6, 0x2000, 20, false),
		  "#1  worker waited in rt_sigsuspend() once, 80.0 ms, in the handler of a signal that was sent to it "
		  "alone: collector ran for 100 % of it\n");
	/* By another process, by a timer's signal, or outside of a handler: that may be work that it waits for. */
	CHECK(!strstr(suspended(-6, 0x2000, 10, false), "worker"));
	CHECK(!strstr(suspended(-2, 0x2000, 20, false), "worker"));
	CHECK(!strstr(suspended(-6, 0, 20, false), "worker"));
	CHECK(!strstr(suspended(-6, 0x2000, 20, true), "worker"));
}

static const struct unit_test tests[] = {
	{ "waiting_names_the_lock_that_processes_share", test_waiting_names_the_lock_that_processes_share },
	{ "waiting_tells_of_answers_that_do_not_come", test_waiting_tells_of_answers_that_do_not_come },
	{ "waiting_tells_of_packets_that_were_sent_again", test_waiting_tells_of_packets_that_were_sent_again },
	{ "waiting_tells_what_a_frozen_cgroup_is", test_waiting_tells_what_a_frozen_cgroup_is },
	{ "waiting_tells_that_who_sleeps_is_frozen", test_waiting_tells_that_who_sleeps_is_frozen },
	{ "waiting_tells_who_has_crashed", test_waiting_tells_who_has_crashed },
	{ "waiting_tells_a_limit_from_a_slow_disk", test_waiting_tells_a_limit_from_a_slow_disk },
	{ "waiting_tells_who_is_held_back_for_what_is_dirty", test_waiting_tells_who_is_held_back_for_what_is_dirty },
	{ "waiting_tells_what_a_page_fault_is_for", test_waiting_tells_what_a_page_fault_is_for },
	{ "waiting_tells_who_has_frozen_a_file_system", test_waiting_tells_who_has_frozen_a_file_system },
	{ "waiting_names_the_limit_that_a_call_has_reached", test_waiting_names_the_limit_that_a_call_has_reached },
	{ "waiting_tells_why_a_thread_does_not_get_a_cpu", test_waiting_tells_why_a_thread_does_not_get_a_cpu },
	{ "waiting_tells_a_turn_from_waiting_for_work", test_waiting_tells_a_turn_from_waiting_for_work },
	{ "waiting_tells_of_time_that_interrupts_took", test_waiting_tells_of_time_that_interrupts_took },
	{ "waiting_tells_who_had_the_memory", test_waiting_tells_who_had_the_memory },
	{ "waiting_tells_whose_threads_a_collector_stops", test_waiting_tells_whose_threads_a_collector_stops },
};
UNIT_MAIN(tests)
