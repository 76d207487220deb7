/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What processes run and whose they are, by records of the kernel and of /proc.
 */
#include "trace/known/command_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "lib/fed_threads.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "live/state/state_processes.h"
#include "trace/write/cut.h"

static const char *args_of(const struct lkst_threads *t, s32 tid)
{
	static char text[LKST_COMMAND_LINE_TEXT];

	return lkst_command_line_text(lkst_threads_command_of(t, tid), text);
}

#define TWO_THREADS                                                                                \
	"state_thread ns=9 thread_tid=5 thread_pid=5 comm=a\n"                                     \
	"state_thread ns=9 thread_tid=6 thread_pid=5 comm=a\n"                                     \
	"state_process ns=9 process=5 uid=1000 euid=0 gid=100 args_bytes=7 args=\"sh -c x\"\n"

TEST(command_lines_belong_to_processes_and_are_inherited)
{
	struct lkst_threads *t = fed_threads(
		TWO_THREADS
		"sched_process_fork buffer=1 tid=6 ns=20 child_tid=7 child_pid=7 parent_pid=5 "
		"child_comm=a\n"
		"sched_process_fork buffer=1 tid=6 ns=30 child_tid=8 child_pid=5 parent_pid=5 "
		"child_comm=a\n");

	CHECK_STR(args_of(t, 5), "sh -c x");
	CHECK_STR(args_of(t, 6), "sh -c x");
	CHECK_STR(args_of(t, 7), "sh -c x");
	CHECK_STR(args_of(t, 8), "sh -c x");
	CHECK_STR(args_of(t, 9), "");
	CHECK(!lkst_threads_command_of(t, 9));
	CHECK_EQ(lkst_threads_command_of(t, 7)->uid, 1000);
	CHECK_EQ(lkst_threads_command_of(t, 7)->euid, 0);
	CHECK_EQ(lkst_threads_command_of(t, 7)->gid, 100);
	lkst_threads_free(t);
}

TEST(command_lines_change_with_exec_and_are_unknown_without_its_record)
{
	struct lkst_threads *t = fed_threads(
		TWO_THREADS
		"sched_process_fork buffer=1 tid=5 ns=20 child_tid=7 child_pid=7 parent_pid=5 "
		"child_comm=a\n"
		"sched_process_exec buffer=1 tid=7 ns=30 old_tid=7 filename=/bin/ls\n"
		"exec_args buffer=1 tid=7 ns=30 uid=1 args_bytes=6 args=\"ls -l\"\n"
		"sched_process_exec buffer=1 tid=5 ns=40 old_tid=6 filename=/bin/cat\n");

	CHECK_STR(args_of(t, 7), "ls -l");
	CHECK_STR(args_of(t, 5), "");
	lkst_threads_free(t);
}

/* A number that is given out again is another process's. */
TEST(command_lines_end_with_their_processes)
{
	struct lkst_threads *t = fed_threads(
		TWO_THREADS
		"sched_process_exit buffer=1 tid=5 ns=20 exit_pid=5 comm=a\n"
		"sched_process_fork buffer=1 tid=9 ns=30 child_tid=5 child_pid=5 parent_pid=9 "
		"child_comm=b\n");

	CHECK_STR(args_of(t, 5), "");
	lkst_threads_free(t);
}

TEST(command_lines_say_what_is_missing)
{
	struct lkst_threads *t =
		fed_threads("exec_args buffer=1 tid=5 ns=10 args_bytes=300 args=\"cc a.c\"\n"
			    "exec_args buffer=1 tid=6 ns=10 args_bytes=20 args=\"\"\n"
			    "exec_args buffer=1 tid=7 ns=10 args_bytes=7 args=\"cc a.c\"\n"
			    "state_process ns=9 process=-3 args_bytes=7 args=\"cc a.c\"\n"
			    "state_process ns=9 process=2000000000 args_bytes=7 args=\"cc a.c\"\n");

	CHECK_STR(args_of(t, 5), "cc a.c...");
	CHECK(lkst_command_line_is_cut(lkst_threads_command_of(t, 5)));
	CHECK_STR(args_of(t, 6), "");
	CHECK(lkst_command_line_is_cut(lkst_threads_command_of(t, 6)));
	CHECK(!lkst_command_line_is_cut(lkst_threads_command_of(t, 7)));
	CHECK(!lkst_threads_command_of(t, -3));
	CHECK(!lkst_threads_command_of(t, 2000000000));
	lkst_threads_free(t);
}

/* A piece that begins later says what was run then. */
TEST(command_lines_of_a_piece_are_of_its_beginning)
{
	static struct lkst_err err;
	char dir[64], from[96], to[96];
	struct lkst_trace *t = NULL;
	struct lkst_merge *m = NULL;
	struct lkst_record r;
	char all[256] = "";

	make_scratch(dir);
	snprintf(from, sizeof(from), "%s/from", dir);
	snprintf(to, sizeof(to), "%s/to", dir);
	CHECK_EQ(make_trace(from, 4096,
			    "state_thread ns=9 thread_tid=5 thread_pid=5 comm=a\n"
			    "state_process ns=9 process=5 args_bytes=4 args=old\n"
			    "exec_args buffer=1 tid=5 ns=1000 uid=3 args_bytes=4 args=new\n"
			    "sched_switch tid=5 ns=2000 next_tid=7\n"),
		 0);
	CHECK_EQ(lkst_trace_open(&err, from, &t), 0);
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 1500, 3000, to), 0);
	lkst_trace_close(t);
	t = NULL;
	CHECK_EQ(lkst_trace_open(&err, to, &t), 0);
	CHECK_EQ(lkst_merge_new(&err, t, 0, UINT64_MAX, &m), 0);
	while (lkst_merge_next(m, &r) > 0)
		if (r.event->index == LKST_EV_state_process) {
			const struct lkst_field_class *f = lkst_class_field(r.event, "args");
			u32 length;
			const u8 *bytes =
				lkst_record_field(&r, (unsigned int)(f - r.event->fields), &length);

			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%.*s;", (int)length,
				 (const char *)bytes);
		}
	CHECK_STR(all, "new;");
	lkst_merge_free(m);
	lkst_trace_close(t);
	make_scratch_remove(from);
	make_scratch_remove(to);
	make_scratch_remove(dir);
}

/* The texts are those of the kernel, of this process; id() is what the C library says. */
TEST(state_process_is_what_proc_says)
{
	_cleanup_free_ char *status = NULL, *cmdline = NULL;
	struct lkst_state_process p;
	size_t length, cmdline_length, i;

	CHECK_EQ(lkst_read_file(NULL, AT_FDCWD, "/proc/self/status", 1 << 16, &status, &length), 0);
	CHECK_EQ(lkst_read_file(NULL, AT_FDCWD, "/proc/self/cmdline", 1 << 16, &cmdline,
				&cmdline_length),
		 0);
	length = lkst_state_process_parse(status, cmdline, cmdline_length, &p);
	CHECK_EQ(p.r.uid, getuid());
	CHECK_EQ(p.r.euid, geteuid());
	CHECK_EQ(p.r.gid, getgid());
	CHECK_EQ(p.r.args_bytes, cmdline_length);
	CHECK_EQ(length, sizeof(p.r) + strlen(p.args) + 1);
	for (i = 0; i + 1 < cmdline_length && i + 1 < LKST_COMMAND_LINE_MAX; i++)
		CHECK_EQ(p.args[i], cmdline[i] ? cmdline[i] : ' ');
}

TEST(state_process_of_odd_texts_is_bounded)
{
	struct lkst_state_process p;
	char many[5000];

	memset(many, 'x', sizeof(many));
	CHECK_EQ(lkst_state_process_parse("", many, sizeof(many), &p),
		 sizeof(p.r) + LKST_COMMAND_LINE_MAX);
	CHECK_EQ(strlen(p.args), LKST_COMMAND_LINE_MAX - 1);
	CHECK_EQ(p.r.uid, UINT32_MAX);
	CHECK_EQ(lkst_state_process_parse("Name:\tx\nUid:\t1", "", 0, &p), sizeof(p.r) + 1);
	CHECK_EQ(p.r.uid, 1);
	CHECK_EQ(lkst_state_process_parse("\nUid:\t7\t8\t9\n\nGid:\t", "a\0b", 4, &p),
		 sizeof(p.r) + 4);
	CHECK_STR(p.args, "a b");
	CHECK_EQ(p.r.uid, 7);
	CHECK_EQ(p.r.euid, 8);
}

static int count_process(void *ctx, struct lkst_state_process *process, size_t length)
{
	++*(unsigned int *)ctx;
	return 0;
}

/* A thread in state D may hold the lock that reading the arguments takes: they are not read. */
TEST(command_lines_of_processes_that_may_be_stuck_are_not_read)
{
	struct lkst_rec_state_thread list[] = {
		{ .thread_tid = getpid(), .thread_pid = getpid() },
		{ .thread_tid = getpid() + 1, .thread_pid = getpid(), .state = 1 },
	};
	struct lkst_thread_list threads = { .list = list, .nr = 2 };
	unsigned int nr = 0;

	CHECK_EQ(lkst_state_list_processes(&threads, count_process, &nr), 0);
	if (!nr)
		SKIP("this is not the first namespace of processes");
	list[1].state = 0x102;
	CHECK_EQ(lkst_state_list_processes(&threads, count_process, &nr), 0);
	CHECK_EQ(nr, 1);
}

static const struct unit_test tests[] = {
	{ "command_lines_belong_to_processes_and_are_inherited",
	  test_command_lines_belong_to_processes_and_are_inherited },
	{ "command_lines_change_with_exec_and_are_unknown_without_its_record",
	  test_command_lines_change_with_exec_and_are_unknown_without_its_record },
	{ "command_lines_end_with_their_processes", test_command_lines_end_with_their_processes },
	{ "command_lines_say_what_is_missing", test_command_lines_say_what_is_missing },
	{ "command_lines_of_a_piece_are_of_its_beginning",
	  test_command_lines_of_a_piece_are_of_its_beginning },
	{ "state_process_is_what_proc_says", test_state_process_is_what_proc_says },
	{ "state_process_of_odd_texts_is_bounded", test_state_process_of_odd_texts_is_bounded },
	{ "command_lines_of_processes_that_may_be_stuck_are_not_read",
	  test_command_lines_of_processes_that_may_be_stuck_are_not_read },
};
UNIT_MAIN(tests)
