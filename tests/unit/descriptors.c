/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What descriptors refer to, by made records: what is known is right, and what is not certain is not known.
 */
#include "trace/known/descriptors.h"

#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/format/catalog.h"
#include "trace/known/descriptors_before.h"
#include "trace/read/merge.h"

/* A trace that was read, with what was known when each marked call was made. */
struct read {
	struct lkst_threads *threads;
	struct lkst_descriptors *d;
	char names[1024]; /* of the descriptors of fsync calls, "?" where not known, each with a ";" */
};

/* A catalogue with all system calls. */
static struct lkst_catalog *catalog_with_calls(void)
{
	struct lkst_catalog *c = make_catalog_for(false);
	u16 id = LKST_NR_EVENTS + 100;
	struct lkst_err e;
	unsigned int i;

	for (i = 0; i < lkst_nr_syscalls; i++) {
		if (lkst_syscalls[i].is_compat)
			continue;
		if (lkst_catalog_add_syscall(&e, c, id, id + 1, i))
			abort();
		id += 2;
	}
	return c;
}

/* Makes the trace of @text in @dir. */
static void make(const char *dir, const char *text)
{
	struct make_trace *t = make_begin(dir, catalog_with_calls(), 4096);

	if (make_text(t, text)) {
		fprintf(stderr, "%s\n", t->err.text);
		abort();
	}
	if (make_end(t))
		abort();
}

/* Reads @text. Each call of fsync asks for the name of its descriptor. */
static void read_text(const char *text, struct read *ret)
{
	struct lkst_descriptor_call call;
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_err e;
	struct lkst_gap gap;
	char dir[64];

	make_scratch(dir);
	*ret = (struct read){ .threads = lkst_threads_new() };
	ret->d = lkst_descriptors_new(ret->threads);
	make(dir, text);
	if (!ret->d || lkst_trace_open(&e, dir, &t) || lkst_descriptors_tell_state(&e, ret->d, t) ||
	    lkst_merge_new(&e, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r) > 0) {
		while (lkst_merge_gap(m, &gap) > 0)
			lkst_descriptors_gap(ret->d, &gap);
		if (lkst_threads_feed(ret->threads, &r) || lkst_descriptors_feed(ret->d, &r))
			abort();
		if (strcmp(r.event->name, "syscall_entry_fsync"))
			continue;
		CHECK(lkst_descriptors_call(ret->d, r.tid, &call));
		CHECK_EQ(call.entry_ns, r.ns);
		snprintf(ret->names + strlen(ret->names), sizeof(ret->names) - strlen(ret->names), "%s;",
			 call.name ?: "?");
	}
	lkst_merge_free(m);
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

static void check(const char *text, const char *names)
{
	struct read read;

	read_text(text, &read);
	CHECK_STR(read.names, names);
	lkst_descriptors_free(read.d);
	lkst_threads_free(read.threads);
}

/* clang-format off */
/* Process 5, with thread 6; that closes are recorded is seen by one. */
#define BEGIN                                                                                      \
	"state_thread ns=9 thread_tid=5 thread_pid=5 comm=a\n"                                     \
	"state_thread ns=9 thread_tid=6 thread_pid=5 comm=a\n"                                     \
	"syscall_entry_close tid=5 ns=10 fd=900\n"                                                 \
	"syscall_exit_close tid=5 ns=11 ret=-9\n"
#define OPEN(tid, from, to, fd, path)                                                              \
	"syscall_entry_openat tid=" #tid " ns=" #from " dirfd=-100 path_str=" path "\n"             \
	"syscall_exit_openat tid=" #tid " ns=" #to " ret=" #fd "\n"
#define FOUND(pid, number, a, b, text)                                                             \
	"state_descriptor ns=1000 owner_pid=" #pid " fd=" #number " from=" #a " to=" #b " file=" text "\n"
#define SYNC(tid, ns, fd) "syscall_entry_fsync tid=" #tid " ns=" #ns " fd=" #fd "\n"
#define CLOSE(tid, from, to, fd)                                                                   \
	"syscall_entry_close tid=" #tid " ns=" #from " fd=" #fd "\n"                                \
	"syscall_exit_close tid=" #tid " ns=" #to " ret=0\n"

TEST(descriptors_have_the_names_they_were_opened_by)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a") SYNC(6, 30, 3) SYNC(6, 31, 4) OPEN(6, 40, 41, 4, "b/c")
		      SYNC(5, 50, 4) CLOSE(5, 60, 61, 3) SYNC(5, 70, 3) OPEN(6, 80, 81, 3, "/d") SYNC(5, 90, 3),
	      "/a;?;b/c;?;/d;");
}

TEST(descriptors_of_directories_begin_paths)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/dir")
	      "syscall_entry_openat tid=5 ns=30 dirfd=3 path_str=x\n"
	      "syscall_exit_openat tid=5 ns=31 ret=4\n" SYNC(5, 40, 4)
	      "syscall_entry_openat tid=5 ns=50 dirfd=9 path_str=x\n"
	      "syscall_exit_openat tid=5 ns=51 ret=4\n" SYNC(5, 60, 4),
	      "/dir/x;?/x;");
}

TEST(descriptors_are_copied)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a") OPEN(5, 22, 23, 4, "/b")
	      "syscall_entry_dup tid=5 ns=30 oldfd=3\n"
	      "syscall_exit_dup tid=5 ns=31 ret=5\n" SYNC(5, 32, 5)
	      "syscall_entry_dup2 tid=5 ns=40 oldfd=3 newfd=4\n"
	      "syscall_exit_dup2 tid=5 ns=41 ret=4\n" SYNC(5, 42, 4) CLOSE(5, 50, 51, 3) SYNC(5, 52, 4)
	      "syscall_entry_fcntl tid=5 ns=60 fd=4 cmd=1030\n"
	      "syscall_exit_fcntl tid=5 ns=61 ret=9\n" SYNC(5, 62, 9),
	      "/a;/a;/a;/a;");
}

/* A call that failed changes nothing, but dup2 may have closed what it was to replace. */
TEST(descriptors_stay_where_calls_fail)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a") OPEN(5, 30, 31, -2, "/b") SYNC(5, 32, 3)
	      "syscall_entry_dup2 tid=5 ns=40 oldfd=99 newfd=3\n"
	      "syscall_exit_dup2 tid=5 ns=41 ret=-9\n" SYNC(5, 42, 3),
	      "/a;?;");
}

/* Whose descriptor 3 is, the times of the records do not say. */
TEST(descriptors_of_calls_that_overlap_are_not_known)
{
	check(BEGIN "syscall_entry_openat tid=5 ns=20 dirfd=-100 path_str=/a\n" CLOSE(6, 21, 22, 3)
		      "syscall_exit_openat tid=5 ns=23 ret=3\n" SYNC(5, 24, 3)
	      OPEN(5, 30, 31, 3, "/b") "syscall_entry_close tid=6 ns=40 fd=3\n" SYNC(5, 41, 3)
	      OPEN(5, 42, 43, 3, "/c") "syscall_exit_close tid=6 ns=44 ret=0\n" SYNC(5, 45, 3),
	      "?;?;?;");
}

TEST(descriptors_go_with_a_gap)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a") SYNC(5, 30, 3)
	      "!block cpu=0\n!skip cpu=0 blocks=3\n" SYNC(5, 40, 3) OPEN(5, 50, 51, 3, "/b") SYNC(5, 60, 3),
	      "/a;?;/b;");
}

/* Of two threads on two CPUs; what the other does in the gap's time may have been undone in it. */
TEST(descriptors_of_a_gaps_time_are_not_believed)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a")
	      "!block cpu=0\n!skip cpu=0 blocks=3\n"
	      "syscall_entry_openat cpu=1 tid=6 ns=30 dirfd=-100 path_str=/b\n"
	      "syscall_exit_openat cpu=1 tid=6 ns=31 ret=4\n"
	      "syscall_entry_fsync cpu=1 tid=6 ns=35 fd=4\n" SYNC(5, 40, 4) OPEN(5, 50, 51, 4, "/c") SYNC(5, 60, 4),
	      "?;?;/c;");
}

TEST(descriptors_pass_to_children_but_not_through_exec)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a")
	      "syscall_entry_openat tid=5 ns=22 dirfd=-100 flags=524288 path_str=/cloexec\n"
	      "syscall_exit_openat tid=5 ns=23 ret=4\n"
	      "syscall_entry_clone tid=5 ns=30 flags=17\n"
	      "task_newtask buffer=1 tid=5 ns=31 child_tid=7 clone_flags=0 child_comm=a\n"
	      "sched_process_fork buffer=1 tid=5 ns=32 child_tid=7 child_pid=7 parent_pid=5 child_comm=a\n"
	      "syscall_exit_clone tid=5 ns=33 ret=7\n" CLOSE(5, 40, 41, 3) SYNC(7, 42, 3) SYNC(7, 43, 4)
	      "sched_process_exec buffer=1 tid=7 ns=50 old_tid=7 filename=/bin/x\n" SYNC(7, 51, 3) SYNC(7, 52, 4)
	      "sched_process_exit buffer=1 tid=7 ns=60 exit_pid=7 comm=a\n"
	      "sched_process_free buffer=1 tid=5 ns=61 freed_tid=7\n"
	      "task_newtask buffer=1 tid=6 ns=70 child_tid=7 clone_flags=0 child_comm=b\n"
	      "sched_process_fork buffer=1 tid=6 ns=71 child_tid=7 child_pid=7 parent_pid=5 child_comm=b\n"
	      SYNC(7, 72, 3),
	      "/a;/cloexec;/a;?;?;");
}

/* clone(CLONE_FILES), unshare and rings let others change what is not seen. */
TEST(descriptors_that_others_change_are_not_known)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a")
	      "syscall_entry_clone tid=5 ns=30 flags=1024\n"
	      "task_newtask buffer=1 tid=5 ns=31 child_tid=7 clone_flags=1024 child_comm=a\n"
	      SYNC(5, 32, 3),
	      "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "syscall_entry_unshare tid=5 ns=30 flags=1024\n" SYNC(6, 32, 3), "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a")
	      "syscall_entry_io_uring_enter tid=5 ns=30 fd=7\n" SYNC(6, 32, 3), "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a")
	      "syscall_entry_close_range tid=5 ns=30 first=3 last=9\n" SYNC(6, 32, 3),
	      "?;");
}

TEST(descriptors_are_not_known_where_calls_are_left_out)
{
	/* No close was seen: perhaps they are not recorded. */
	check("state_thread ns=9 thread_tid=5 thread_pid=5 comm=a\n" OPEN(5, 20, 21, 3, "/a") SYNC(5, 30, 3), "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:close\n" SYNC(5, 30, 3)
		      OPEN(5, 31, 32, 3, "/b") SYNC(5, 33, 3) "shed_end ns=40 kind=syscall:close\n" SYNC(5, 41, 3)
		      OPEN(5, 42, 43, 3, "/c") SYNC(5, 44, 3),
	      "?;?;?;/c;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:*\n" SYNC(5, 30, 3), "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:fcntl\n" SYNC(5, 30, 3), "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:dup2\n" SYNC(5, 30, 3), "?;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "maskset_switch ns=25 from=3 to=4\n" SYNC(5, 30, 3), "?;");
}

/* What goes first to keep to the cost limit are calls that read and write. */
TEST(descriptors_are_known_where_calls_are_left_out_that_change_none)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:write\n" SYNC(5, 30, 3)
	      "shed_begin ns=31 kind=syscall:clock_gettime\n" OPEN(5, 32, 33, 4, "/b") SYNC(5, 34, 4)
	      "shed_end ns=40 kind=syscall:write\n" SYNC(5, 41, 3),
	      "/a;/b;/a;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=page_fault_*\n" SYNC(5, 30, 3), "/a;");
}

/* A number that is in use is given to nothing else before it is closed, which is recorded. */
TEST(descriptors_are_known_where_calls_are_left_out_that_only_make_them)
{
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:eventfd2\n" SYNC(5, 30, 3), "/a;");
	check(BEGIN OPEN(5, 20, 21, 3, "/a") "shed_begin ns=25 kind=syscall:openat\n" SYNC(5, 30, 3)
	      CLOSE(5, 31, 32, 3) SYNC(5, 33, 3),
	      "/a;?;");
	/* The exit is that of another call than the entry. */
	check(BEGIN OPEN(5, 20, 21, 3, "/a") CLOSE(5, 22, 23, 3)
	      "syscall_entry_openat tid=5 ns=24 dirfd=-100 path_str=/b\n"
	      "shed_begin ns=25 kind=syscall:openat\nshed_end ns=30 kind=syscall:openat\n"
	      "syscall_exit_openat tid=5 ns=31 ret=3\n" SYNC(5, 33, 3),
	      "?;");
	check(BEGIN FOUND(5, 3, 500, 501, "/a") "shed_begin ns=25 kind=syscall:openat\n" SYNC(5, 30, 3)
	      "shed_end ns=35 kind=syscall:openat\n" SYNC(5, 40, 3),
	      "/a;/a;");
	/* Before its number was closed it may have been something else. */
	check(BEGIN FOUND(5, 3, 500, 501, "/a") "shed_begin ns=25 kind=syscall:openat\n" SYNC(5, 30, 3)
	      CLOSE(5, 31, 32, 3) SYNC(5, 40, 3),
	      "?;/a;");
}

TEST(descriptors_of_other_things_have_names)
{
	check(BEGIN "syscall_entry_socket tid=5 ns=20 family=2 type=1\n"
		    "syscall_exit_socket tid=5 ns=21 ret=3\n" SYNC(5, 22, 3)
		    "syscall_entry_accept4 tid=5 ns=30 sockfd=3\n"
		    "syscall_exit_accept4 tid=5 ns=31 ret=4\n" SYNC(5, 32, 4)
		    "syscall_entry_epoll_create1 tid=5 ns=40\n"
		    "syscall_exit_epoll_create1 tid=5 ns=41 ret=5\n" SYNC(5, 42, 5)
		    "syscall_entry_memfd_create tid=5 ns=50 name_str=m\n"
		    "syscall_exit_memfd_create tid=5 ns=51 ret=6\n" SYNC(5, 52, 6),
	      "socket (inet, stream);socket (inet, stream), accepted;epoll_create1;memfd:m;");
}

TEST(descriptors_of_any_number_are_bounded)
{
	check(BEGIN OPEN(5, 20, 21, 2147483647, "/a") SYNC(5, 22, 2147483647) OPEN(5, 30, 31, 4095, "/b")
		      SYNC(5, 32, 4095) SYNC(5, 33, -5)
	      "syscall_entry_close_range tid=5 ns=40 first=0 last=4294967295\n" SYNC(5, 41, 4095),
	      "?;/b;?;?;");
}
#define SOCKET(tid, from, to, fd)                                                                  \
	"syscall_entry_socket tid=" #tid " ns=" #from " family=2 type=1\n"                          \
	"syscall_exit_socket tid=" #tid " ns=" #to " ret=" #fd "\n"
#define ADDRESS(event, tid, ns, number, is, at, text)                                              \
	"socket_" event " tid=" #tid " ns=" #ns " fd=" #number " family=" #is " port=" #at " address=" text "\n"
#define CALL(call, tid, from, to, fd, result, rest)                                                 \
	"syscall_entry_" call " tid=" #tid " ns=" #from " sockfd=" #fd "\n" rest                   \
	"syscall_exit_" call " tid=" #tid " ns=" #to " ret=" #result "\n"

TEST(descriptors_of_sockets_are_called_by_their_addresses)
{
	check(BEGIN SOCKET(5, 20, 21, 3)
	      CALL("connect", 5, 22, 24, 3, 0, ADDRESS("connect", 5, 23, 3, 2, 5432, "10.0.0.5")) SYNC(5, 25, 3)
	      /* A socket that does not wait, and one that a signal came to, are being connected. */
	      SOCKET(5, 30, 31, 4)
	      CALL("connect", 5, 32, 34, 4, -115, ADDRESS("connect", 5, 33, 4, 10, 80, "2001:db8::1")) SYNC(5, 35, 4)
	      SOCKET(5, 40, 41, 7)
	      CALL("connect", 5, 42, 44, 7, -4, ADDRESS("connect", 5, 43, 7, 1, 0, "/run/x")) SYNC(5, 45, 7)
	      /* Refused: it is a socket as before. */
	      SOCKET(5, 50, 51, 8)
	      CALL("connect", 5, 52, 54, 8, -111, ADDRESS("connect", 5, 53, 8, 2, 1, "10.0.0.6")) SYNC(5, 55, 8)
	      CALL("bind", 5, 62, 64, 8, 0, ADDRESS("bind", 5, 63, 8, 2, 80, "0.0.0.0")) SYNC(5, 65, 8)
	      "syscall_entry_accept4 tid=5 ns=70 sockfd=8\n"
	      "syscall_exit_accept4 tid=5 ns=71 ret=9\n"
	      ADDRESS("accept", 5, 72, 9, 2, 40000, "10.0.0.7") SYNC(5, 73, 9)
	      "syscall_entry_accept4 tid=5 ns=80 sockfd=8\n"
	      "syscall_exit_accept4 tid=5 ns=81 ret=10\n"
	      ADDRESS("accept", 5, 82, 10, 0, 0, "\"\"") SYNC(5, 83, 10),
	      "socket to 10.0.0.5:5432;socket to [2001:db8::1]:80;socket to /run/x;socket (inet, stream);"
	      "socket at 0.0.0.0:80;socket from 10.0.0.7:40000;socket at 0.0.0.0:80, accepted;");
}

/* The address of a call that had to bring it into memory comes after its exit; a socket need not be known before. */
TEST(descriptors_of_sockets_have_late_addresses)
{
	check(BEGIN CALL("connect", 5, 22, 23, 3, 0, "") ADDRESS("connect", 5, 24, 3, 2, 5432, "10.0.0.5")
	      SYNC(5, 25, 3)
	      CALL("connect", 5, 32, 33, 4, -111, "") ADDRESS("connect", 5, 34, 4, 2, 5432, "10.0.0.5")
	      SYNC(5, 35, 4),
	      "socket to 10.0.0.5:5432;?;");
}

/* Another thread's close may have made it another one; an address that belongs to no call says nothing. */
TEST(descriptors_of_sockets_that_others_close_are_not_known)
{
	check(BEGIN SOCKET(5, 20, 21, 3)
	      CALL("connect", 5, 22, 26, 3, 0, ADDRESS("connect", 5, 23, 3, 2, 1, "10.0.0.5") CLOSE(6, 24, 25, 3))
	      SYNC(5, 27, 3)
	      SOCKET(5, 30, 31, 4) ADDRESS("connect", 5, 32, 4, 2, 1, "10.0.0.5") SYNC(5, 33, 4)
	      CALL("connect", 5, 42, 44, 4, 0, ADDRESS("connect", 5, 43, 9, 2, 1, "10.0.0.5")) SYNC(5, 45, 4),
	      "?;socket (inet, stream);socket (inet, stream);");
}

/* A snapshot's state is of its end: it holds since the last change, and what changes later ends it. */
TEST(descriptors_are_what_the_state_says)
{
	check(BEGIN FOUND(5, 3, 500, 501, "/a") FOUND(5, 4, 500, 501, "/b") FOUND(5, 7, 500, 501, "/c")
	      FOUND(9, 3, 500, 501, "/d")
	      SYNC(5, 20, 3) CLOSE(5, 30, 31, 4) SYNC(5, 40, 4) OPEN(5, 50, 51, 4, "b") SYNC(5, 60, 4)
	      /* Opened by a call that is not followed: it is not open until then. */
	      SYNC(5, 70, 7)
	      /* Of a process that was made since. */
	      "task_newtask buffer=1 tid=5 ns=80 child_tid=9 clone_flags=0 child_comm=a\n"
	      "sched_process_fork buffer=1 tid=5 ns=81 child_tid=9 child_pid=9 parent_pid=5 child_comm=a\n"
	      SYNC(9, 90, 3) SYNC(5, 600, 3) CLOSE(5, 610, 611, 3) SYNC(5, 620, 3),
	      "/a;?;/b;/c;/d;/a;?;");
}

TEST(descriptors_of_the_state_are_not_known_where_something_is_missing)
{
	/* Not so where nothing is missing that changes one. */
	check(BEGIN FOUND(5, 3, 500, 501, "/a") "shed_begin ns=25 kind=syscall:read\n" SYNC(5, 30, 3), "/a;");
	/* Changed while somebody looked. */
	check(BEGIN FOUND(5, 3, 40, 60, "/a") SYNC(5, 30, 3) CLOSE(5, 50, 51, 3) SYNC(5, 70, 3), "?;?;");
	/* Before a gap something else may have been so; after it, it is known. */
	check(BEGIN FOUND(5, 3, 500, 501, "/a") SYNC(5, 30, 3) "!block cpu=0\n!skip cpu=0 blocks=3\n"
	      SYNC(5, 40, 3) SYNC(5, 50, 3),
	      "?;?;/a;");
	check(BEGIN FOUND(5, 3, 500, 501, "/a") SYNC(5, 30, 3) "maskset_switch ns=35 from=3 to=4\n" SYNC(5, 40, 3),
	      "?;/a;");
	/* Closes are left out, or others change it unseen. */
	check(BEGIN FOUND(5, 3, 500, 501, "/a") "shed_begin ns=25 kind=syscall:close\n" SYNC(5, 30, 3), "?;");
	check(BEGIN FOUND(5, 3, 500, 501, "/a") SYNC(5, 20, 3)
	      "syscall_entry_unshare tid=5 ns=30 flags=1024\n" SYNC(6, 32, 3),
	      "?;?;");
	check(BEGIN FOUND(5, 3, 500, 501, "/a") FOUND(5, 99999, 500, 501, "/a") FOUND(-5, -3, 500, 501, "/a")
	      "state_condition ns=9 maskset=3\n" SYNC(5, 30, 3) SYNC(5, 31, 99999) SYNC(5, 32, -3),
	      "?;?;?;");
}
/* clang-format on */

static const struct unit_test tests[] = {
	{ "descriptors_have_the_names_they_were_opened_by",
	  test_descriptors_have_the_names_they_were_opened_by },
	{ "descriptors_of_directories_begin_paths",
	  test_descriptors_of_directories_begin_paths },
	{ "descriptors_are_copied",
	  test_descriptors_are_copied },
	{ "descriptors_stay_where_calls_fail",
	  test_descriptors_stay_where_calls_fail },
	{ "descriptors_of_calls_that_overlap_are_not_known",
	  test_descriptors_of_calls_that_overlap_are_not_known },
	{ "descriptors_go_with_a_gap",
	  test_descriptors_go_with_a_gap },
	{ "descriptors_of_a_gaps_time_are_not_believed",
	  test_descriptors_of_a_gaps_time_are_not_believed },
	{ "descriptors_pass_to_children_but_not_through_exec",
	  test_descriptors_pass_to_children_but_not_through_exec },
	{ "descriptors_that_others_change_are_not_known",
	  test_descriptors_that_others_change_are_not_known },
	{ "descriptors_are_not_known_where_calls_are_left_out",
	  test_descriptors_are_not_known_where_calls_are_left_out },
	{ "descriptors_are_known_where_calls_are_left_out_that_change_none",
	  test_descriptors_are_known_where_calls_are_left_out_that_change_none },
	{ "descriptors_are_known_where_calls_are_left_out_that_only_make_them",
	  test_descriptors_are_known_where_calls_are_left_out_that_only_make_them },
	{ "descriptors_of_other_things_have_names",
	  test_descriptors_of_other_things_have_names },
	{ "descriptors_of_sockets_are_called_by_their_addresses",
	  test_descriptors_of_sockets_are_called_by_their_addresses },
	{ "descriptors_of_sockets_have_late_addresses",
	  test_descriptors_of_sockets_have_late_addresses },
	{ "descriptors_of_sockets_that_others_close_are_not_known",
	  test_descriptors_of_sockets_that_others_close_are_not_known },
	{ "descriptors_are_what_the_state_says",
	  test_descriptors_are_what_the_state_says },
	{ "descriptors_of_the_state_are_not_known_where_something_is_missing",
	  test_descriptors_of_the_state_are_not_known_where_something_is_missing },
	{ "descriptors_of_any_number_are_bounded",
	  test_descriptors_of_any_number_are_bounded },
};
UNIT_MAIN(tests)
