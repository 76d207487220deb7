/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Exports: what they have of each thread's time is what its records say, cut at system calls and never across a gap;
 * and what is broken off leaves nothing behind.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "abi/syscalls.h"
#include "analyze/model/model.h"
#include "base/create.h"
#include "export/export.h"
#include "export/export_format.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[128];
static volatile sig_atomic_t stop;
static struct lkst_export_result result;
static struct lkst_code_namer namer;

/* Thread 5 reads, and waits in that for a disk; thread 7 runs meanwhile; then 5 runs on in its program. */
static const char text[] = "state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"fi;ve\"\n"
			   "state_thread ns=10 thread_tid=4 thread_pid=4 comm=\"four\"\n"
			   "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
			   "syscall_entry_read cpu=0 tid=5 ns=1010 fd=3\n"
			   "sched_switch cpu=0 tid=5 ns=1030 prev_state=2 next_tid=7\n"
			   "sched_waking cpu=0 tid=7 ns=1100 target_tid=5\n"
			   "sched_switch cpu=0 tid=7 ns=1105 prev_state=0 next_tid=5\n"
			   "syscall_exit_read cpu=0 tid=5 ns=1120 ret=7\n"
			   "sched_switch cpu=0 tid=5 ns=1150 prev_state=1 next_tid=0\n";

/* With the calls that the tests make. */
static struct lkst_catalog *catalog(void)
{
	static const char *const calls[] = { "read", "getpid" };
	struct lkst_catalog *c = make_catalog();
	u16 i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (lkst_catalog_add_syscall(&err, c, LKST_NR_EVENTS + 100 + 2 * i,
					     LKST_NR_EVENTS + 101 + 2 * i,
					     lkst_syscall_find(false, calls[i]) - lkst_syscalls))
			abort();
	return c;
}

/* A new directory with nothing but the trace of @text in it, called "trace". */
static void make(const char *of)
{
	struct make_trace *t;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	t = make_begin(path, catalog(), 4096);
	if (make_text(t, of) || make_end(t))
		abort();
}

static void clean(void)
{
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

/* Exports to @output in the directory; @which may choose. */
static int export_to(const char *format, const char *output,
		     const struct lkst_select_options *which)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	struct lkst_export_request request = { .trace_name = "a \"trace\"", .stop = &stop };
	char place[256];

	err = (struct lkst_err){};
	snprintf(place, sizeof(place), "%s/%s", dir, output);
	request.path = place;
	request.format = (unsigned int)lkst_choices_find(lkst_export_choices, format);
	if (which)
		request.which = *which;
	if (lkst_trace_open(&err, path, &t))
		return -ENOENT;
	request.trace = t;
	request.namer = namer;
	return lkst_export_run(&err, &request, &result);
}

/* What the export has, for the caller to free; or what failed. */
static char *export_as(const char *format, const struct lkst_select_options *which)
{
	_cleanup_free_ char *bytes = NULL;
	size_t length;
	int code = export_to(format, "out", which);

	if (code)
		return strdup(err.text);
	bytes = make_read(dir, "out", &length);
	return strndup(bytes, length);
}

/* Whether the export has this and nothing else. */
static bool is_exported(const char *format, const struct lkst_select_options *which,
			const char *want)
{
	char *got = export_as(format, which);
	bool is = !strcmp(got, want);

	if (!is)
		printf("  it is:\n%s  and not:\n%s", got, want);
	free(got);
	return is;
}

/* Whether it has this in it. */
static bool has(const char *format, const char *want)
{
	char *got = export_as(format, NULL);
	bool is = strstr(got, want);

	if (!is)
		printf("  no %s in:\n%s", want, got);
	free(got);
	return is;
}

/* How many entries the directory has beside the trace. */
static int entries(void)
{
	DIR *d = opendir(dir);
	int nr = 0;

	while (readdir(d))
		nr++;
	closedir(d);
	return nr - 3;
}

/* Whatever the format has made of it. */
static void remove_output(void)
{
	char place[256];

	snprintf(place, sizeof(place), "%s/out", dir);
	lkst_remove_dirs(AT_FDCWD, place);
}

/* ---- samples --------------------------------------------------------------------------------- */

TEST(samples_are_stacks)
{
	make("state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"<a;&b>\"\n"
	     "state_symbol ns=11 address=0xffffffff81000100 bytes=64 name=\"vfs<int>&\"\n"
	     "stack ns=90 buffer=1 stack=1 flags=1 frames=0x1010\n"
	     "stack ns=91 buffer=1 stack=2 caller=1 frames=0xffffffff81000110\n"
	     "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
	     "sample cpu=0 tid=5 ns=200 stack=2 period_ns=30\n"
	     "sample cpu=0 tid=5 ns=300 stack=1 period_ns=20\n"
	     "sample cpu=0 tid=5 ns=400 stack=7 period_ns=10\n");
	CHECK(is_exported("folded", NULL,
			  "<a:&b>-5;0x1010;vfs<int>&_[k] 30\n"
			  "<a:&b>-5;0x1010 20\n"
			  "<a:&b>-5;[unknown] 10\n"));
	/* One of three has no stack, and is shown as its thread alone. */
	CHECK_EQ(result.nr_samples, 3);
	CHECK_EQ(result.nr_without_stack, 1);
	CHECK_EQ(result.nr_samples_left_out, 0);
	CHECK_EQ(result.nr_cut, 0);
	CHECK_EQ(result.nr_short, 2);
	clean();
}

/* A JIT compiler may call a function anything, in any alphabet. */
static int find_jit(void *ctx, const struct lkst_binary *b, u64 offset,
		    struct lkst_code_name *ret_name)
{
	*ret_name =
		(struct lkst_code_name){ .function = "Lrun;void \xc3\xa4<\xc3\xa4\xc3\xa4\xc3\xa4>",
					 .nr_frames = 2,
					 .frames = { { .function = "in" },
						     { .function = "out" } } };
	return 0;
}

TEST(samples_have_the_names_of_programs)
{
	namer = (struct lkst_code_namer){ find_jit, NULL };
	make("state_thread ns=10 thread_tid=5 thread_pid=5 comm=five\n"
	     "sched_process_exec buffer=1 ns=20 tid=5 old_tid=5 filename=/bin/x\n"
	     "mapping buffer=1 ns=21 tid=5 address=0x1000 length=4096 offset=0 inode=7 ctime=1 dev=8 owner_pid=5 "
	     "file=\"/bin/x\"\n"
	     "mapping buffer=1 ns=22 tid=5 address=0x8000 length=4096 offset=0 owner_pid=5 file=\"\"\n"
	     "stack ns=90 buffer=1 stack=1 flags=1 frames=0x1010\n"
	     "stack ns=91 buffer=1 stack=2 flags=1 frames=0x8010\n"
	     "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
	     "sample cpu=0 tid=5 ns=200 stack=1 period_ns=30\n"
	     "sample cpu=0 tid=5 ns=300 stack=2 period_ns=20\n");
	CHECK(is_exported("folded", NULL,
			  "five-5;Lrun:void_\xc3\xa4<\xc3\xa4\xc3\xa4\xc3\xa4>;in_[i] 30\n"
			  "five-5;Lrun:void_\xc3\xa4<\xc3\xa4\xc3\xa4\xc3\xa4>_[j];in_[i] 20\n"));
	namer = (struct lkst_code_namer){};
	clean();
}

/* ---- time ------------------------------------------------------------------------------------ */

TEST(stacks_are_cut_at_calls)
{
	make(text);
	CHECK(is_exported("collapsed", NULL,
			  "four-4;fi:ve-5;running 40\n"
			  "four-4;fi:ve-5;running;read 35\n"
			  "four-4;fi:ve-5;ready;read 5\n"
			  "four-4;fi:ve-5;blocked;file;read 70\n"
			  "?-7;?-7;running 75\n"
			  "?-7;?-7;ready 75\n"));
	clean();
}

TEST(stacks_of_a_window_and_a_thread)
{
	const struct lkst_select_options window = { .from_ns = 1020,
						    .has_to = true,
						    .to_ns = 1110 };
	const struct lkst_select_options thread = { .has_pid = true, .pid = 4 };
	const struct lkst_select_options name = { .comm = "nobody" };

	make(text);
	CHECK(is_exported("collapsed", &window,
			  "four-4;fi:ve-5;running;read 15\n"
			  "four-4;fi:ve-5;ready;read 5\n"
			  "four-4;fi:ve-5;blocked;file;read 70\n"
			  "?-7;?-7;running 75\n"
			  "?-7;?-7;ready 15\n"));
	CHECK(is_exported("collapsed", &thread,
			  "four-4;fi:ve-5;running 40\n"
			  "four-4;fi:ve-5;running;read 35\n"
			  "four-4;fi:ve-5;ready;read 5\n"
			  "four-4;fi:ve-5;blocked;file;read 70\n"));
	CHECK(is_exported("collapsed", &name, ""));
	clean();
}

/* Thread 5 is moved to a container before its first record, 7 is one of a service. */
TEST(cgroups_choose_threads)
{
	static const char five[] = "\"pid\":4,\"tid\":5", seven[] = "\"pid\":7,\"tid\":7";
	const struct lkst_select_options container = { .cgroup = "docker:*" },
					 nowhere = { .cgroup = "/nowhere*" },
					 service = { .cgroup = "/system.slice/*" };
	char all[2048], *of_container, *of_service;

	snprintf(all, sizeof(all),
		 "state_thread ns=10 thread_tid=7 thread_pid=7 cgroup=20 comm=\"seven\"\n"
		 "state_cgroup ns=10 cgroup=20 path=/system.slice/seven.service\n"
		 "state_cgroup ns=10 cgroup=10 path=/docker/%.64s\n"
		 "%s"
		 "cgroup_attach_task buffer=1 tid=1 ns=900 target_tid=5 cgroup=10 path=/docker/x\n",
		 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", text);
	make(all);
	CHECK(is_exported("collapsed", &container,
			  "four-4;fi:ve-5;running 40\n"
			  "four-4;fi:ve-5;running;read 35\n"
			  "four-4;fi:ve-5;ready;read 5\n"
			  "four-4;fi:ve-5;blocked;file;read 70\n"));
	CHECK(is_exported("collapsed", &service,
			  "seven-7;seven-7;running 75\n"
			  "seven-7;seven-7;ready 75\n"));
	CHECK(is_exported("collapsed", &nowhere, ""));
	of_container = export_as("chrome", &container);
	of_service = export_as("chrome", &service);
	CHECK(strstr(of_container, five));
	CHECK(!strstr(of_container, seven));
	CHECK(strstr(of_service, seven));
	CHECK(!strstr(of_service, five));
	free(of_container);
	free(of_service);
	clean();
}

/* In a gap nothing is known, neither of states nor of the call. */
TEST(stacks_do_not_bridge_gaps)
{
	make("state_thread ns=10 thread_tid=5 thread_pid=5 comm=five\n"
	     "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
	     "syscall_entry_read cpu=0 tid=5 ns=1010 fd=3\n"
	     "!block cpu=0\n"
	     "!skip cpu=0 blocks=2\n"
	     "sched_switch cpu=0 tid=5 ns=1500 prev_state=1 next_tid=0\n"
	     "sched_waking cpu=0 tid=0 ns=1600 target_tid=5\n"
	     "sched_switch cpu=0 tid=0 ns=1700 next_tid=5\n"
	     "syscall_exit_read cpu=0 tid=5 ns=1800 ret=7\n"
	     "sched_switch cpu=0 tid=5 ns=1900 prev_state=1 next_tid=0\n");
	CHECK(is_exported("collapsed", NULL,
			  "five-5;five-5;unknown 490\n"
			  "five-5;five-5;running 110\n"
			  "five-5;five-5;running;read 100\n"
			  "five-5;five-5;ready 100\n"
			  "five-5;five-5;blocked;unknown 100\n"));
	CHECK_EQ(result.nr_gaps, 1);
	CHECK_EQ(result.nr_unreadable, 0);
	clean();
}

/* A thread that runs without a break is given out before its interval is over, and nothing of it twice. */
TEST(stacks_of_many_calls)
{
	enum { CALLS = 50000 };
	char line[128];
	struct make_trace *t;
	u64 ns = 2000;
	int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	t = make_begin(path, catalog(), 4096);
	CHECK_EQ(make_text(t, "state_thread ns=10 thread_tid=5 thread_pid=5 comm=five\n"
			      "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"),
		 0);
	for (i = 0; i < CALLS; i++, ns += 10) {
		snprintf(
			line, sizeof(line),
			"syscall_entry_getpid cpu=0 tid=5 ns=%llu\nsyscall_exit_getpid cpu=0 tid=5 "
			"ns=%llu ret=5\n",
			(unsigned long long)ns, (unsigned long long)ns + 3);
		CHECK_EQ(make_text(t, line), 0);
	}
	snprintf(line, sizeof(line), "sched_switch cpu=0 tid=5 ns=%llu prev_state=1 next_tid=0\n",
		 (unsigned long long)ns);
	CHECK_EQ(make_text(t, line), 0);
	CHECK_EQ(make_end(t), 0);
	CHECK(is_exported("collapsed", NULL,
			  "five-5;five-5;running 351000\n"
			  "five-5;five-5;running;getpid 150000\n"));
	clean();
}

/* Threads after those that the state model distinguishes are one, to which the time of each adds. */
TEST(stacks_of_further_threads)
{
	enum { FIRST = 100, LAST = FIRST + LKST_LIVES_MAX };
	struct make_trace *t;
	char line[128];
	int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	t = make_begin(path, catalog(), 4096);
	for (i = FIRST; i < LAST; i++) {
		snprintf(line, sizeof(line), "state_thread ns=10 thread_tid=%d thread_pid=%d\n", i,
			 i);
		CHECK_EQ(make_text(t, line), 0);
	}
	CHECK_EQ(make_text(t, "sched_switch cpu=0 tid=0 ns=1000 next_tid=90001\n"
			      "sched_switch cpu=1 tid=0 ns=1000 next_tid=90002\n"
			      "syscall_entry_read cpu=1 tid=90002 ns=1100 fd=3\n"
			      "sched_switch cpu=0 tid=90001 ns=1400 prev_state=1 next_tid=0\n"
			      "syscall_exit_read cpu=1 tid=90002 ns=1450 ret=0\n"
			      "sched_switch cpu=1 tid=90002 ns=1500 prev_state=1 next_tid=0\n"),
		 0);
	CHECK_EQ(make_end(t), 0);
	CHECK(has("collapsed", "further threads;further threads;running 900\n"));
	CHECK(has("chrome", "\"tid\":90001,\"ts\":1.000,\"dur\":0.400,\"name\":\"running\"}"));
	CHECK(has("chrome", "\"tid\":90002,\"ts\":1.000,\"dur\":0.500,\"name\":\"running\"}"));
	clean();
}

/* Who waits for whom is followed so far; what is left over is not known, and that there is such is said. */
TEST(stacks_of_waiting_say_where_they_end)
{
	enum { THREADS = 14 };
	char all[8192] = "sched_switch cpu=0 tid=0 ns=1000 next_tid=1\n";
	size_t n = strlen(all);
	int i;

	make(text);
	CHECK(has("waiting", "fi:ve;"));
	CHECK(!result.has_more_waiting);
	clean();
	for (i = 1; i <= THREADS; i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n,
				      "sched_switch cpu=0 tid=%d ns=%d prev_state=1 next_tid=%d\n", i, 1000 + 10 * i,
				      i < THREADS ? i + 1 : 0);
	for (i = THREADS; i > 0; i--)
		n += (size_t)snprintf(all + n, sizeof(all) - n,
				      "sched_waking cpu=0 tid=%d ns=%d target_tid=%d context=1 call=-1\n"
				      "sched_switch cpu=0 tid=%d ns=%d prev_state=1 next_tid=%d\n",
				      i < THREADS ? i + 1 : 0, 3000 - 10 * i, i, i < THREADS ? i + 1 : 0,
				      3004 - 10 * i, i);
	make(all);
	CHECK(has("waiting", ";not known "));
	CHECK(result.has_more_waiting);
	clean();
}

/* ---- the other formats ----------------------------------------------------------------------- */

/* Of a call, its states are within it; its end has what it returned. */
TEST(chrome_nests_states_in_calls)
{
	make(text);
	CHECK(has("chrome", "{\"ph\":\"B\",\"pid\":4,\"tid\":5,\"ts\":1.010,\"name\":\"read\"},\n"
			    "{\"ph\":\"X\",\"pid\":4,\"tid\":5,\"ts\":1.010,\"dur\":0.020,"
			    "\"name\":\"running\"}"));
	CHECK(has("chrome", "\"ts\":1.030,\"dur\":0.070,\"name\":\"blocked: file\"}"));
	CHECK(has("chrome",
		  "\"ts\":1.100,\"dur\":0.005,\"name\":\"ready\",\"args\":{\"waker\":\"?-7\"}}"));
	CHECK(has("chrome",
		  "{\"ph\":\"E\",\"pid\":4,\"tid\":5,\"ts\":1.120,\"args\":{\"ret\":7}}"));
	CHECK(has("chrome", "\"name\":\"process_name\",\"args\":{\"name\":\"four\"}}"));
	CHECK(has("chrome", "\"ts\":1.030,\"dur\":0.075,\"name\":\"?-7\"}"));
	/* Thread 4 is only known to exist. */
	CHECK(!has("chrome", "\"tid\":4,"));
	clean();
}

/* A number that is given out again is another thread, and another process: a reader keeps one name for a track. */
TEST(chrome_gives_each_owner_of_a_number_a_track)
{
#define LIFE(at, comm)                                                                                                 \
	"sched_process_fork cpu=0 buffer=1 tid=5 ns=" at "00 child_tid=9 child_pid=9 parent_pid=5 child_comm="       \
	comm "\n"                                                                                                      \
	"sched_switch cpu=0 tid=5 ns=" at "10 next_tid=9 prev_state=1\n"                                              \
	"sched_process_exit cpu=0 buffer=1 tid=9 ns=" at "20 comm=" comm "\n"                                         \
	"sched_switch cpu=0 tid=9 ns=" at "30 prev_state=128 next_tid=5\n"
	make("state_thread ns=10 thread_tid=5 thread_pid=5 comm=five\n" LIFE("10", "first") LIFE("20", "second")
		     LIFE("30", "third"));
	CHECK(has("chrome",
		  "\"pid\":9,\"tid\":9,\"ts\":0.000,\"name\":\"thread_name\",\"args\":{\"name\":\"first\"}"));
	CHECK(has("chrome", "\"pid\":536870912,\"tid\":536870912,\"ts\":2.010,"));
	CHECK(has("chrome", "\"pid\":536870912,\"tid\":536870912,\"ts\":0.000,\"name\":\"thread_name\",\"args\":"
			    "{\"name\":\"second\"}"));
	CHECK(has("chrome", "\"pid\":536870913,\"tid\":536870913,\"ts\":0.000,\"name\":\"process_name\",\"args\":"
			    "{\"name\":\"third\"}"));
	clean();
#undef LIFE
}

/* Thread 6 gets the number of its process, 5, while it is in a call: what began in its track ends there. */
/* As machines do it that hide the switches of some threads: a return is the first that is known of the thread again. */
TEST(chrome_has_returns_without_a_switch)
{
	make("state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\"\n"
	     "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
	     "syscall_entry_read cpu=0 tid=5 ns=1010 fd=3\n"
	     "sched_switch cpu=0 tid=5 ns=1030 prev_state=2 next_tid=7\n"
	     "syscall_exit_read cpu=0 tid=5 ns=1120 ret=7\n"
	     "sched_switch cpu=0 tid=5 ns=1150 prev_state=1 next_tid=0\n");
	CHECK(has("chrome",
		  "{\"ph\":\"E\",\"pid\":4,\"tid\":5,\"ts\":1.120,\"args\":{\"ret\":7}}"));
	CHECK(!has("chrome", "\"dur\":0.000"));
	remove_output();
	clean();
}

/* What ended after a time in which the cost limit left calls, or requests, out need not be what began before. */
TEST(exports_pair_nothing_across_what_was_left_out)
{
	static const char calls[] =
		"state_thread ns=10 thread_tid=5 thread_pid=5 comm=five\n"
		"sched_switch cpu=0 tid=0 ns=1000000000 next_tid=5\n"
		"syscall_entry_read cpu=0 tid=5 ns=1000001000 fd=3\n"
		"block_rq_issue cpu=0 tid=5 ns=1000002000 dev=8388608 rq=64 sector=8 bytes=4096\n"
		"shed_begin cpu=0 tid=0 buffer=1 ns=2000000000 cost=81000 kind=syscall:*\n"
		"shed_begin cpu=0 tid=0 buffer=1 ns=2000000100 cost=81000 kind=block_rq_issue\n"
		"shed_end cpu=0 tid=0 buffer=1 ns=3000000000 left_out=1000000000 kind=syscall:*\n"
		"shed_end cpu=0 tid=0 buffer=1 ns=3000000100 left_out=1000000000 kind=block_rq_issue\n"
		"block_rq_complete cpu=0 tid=5 ns=4000000000 dev=8388608 rq=64 sector=8 bytes=4096\n"
		"syscall_exit_read cpu=0 tid=5 ns=4000001000 ret=7\n"
		"sched_switch cpu=0 tid=5 ns=5000000000 prev_state=1 next_tid=0\n";

	make(calls);
	CHECK(!has("chrome", "\"ret\":7"));
	CHECK(!has("chrome", "\"cat\":\"disk\""));
	clean();
}

TEST(chrome_keeps_tracks_apart)
{
	make("state_thread ns=10 thread_tid=5 thread_pid=5 comm=leader\n"
	     "state_thread ns=10 thread_tid=6 thread_pid=5 comm=other\n"
	     "sched_switch cpu=0 tid=5 ns=1000 next_tid=6 prev_state=0x80\n"
	     "syscall_entry_read cpu=0 tid=6 ns=1100 fd=3\n"
	     "sched_switch cpu=0 tid=6 ns=1150 prev_state=2 next_tid=0\n"
	     "sched_waking cpu=0 tid=0 ns=1180 target_tid=6\n"
	     "sched_switch cpu=0 tid=0 ns=1190 next_tid=6\n"
	     "syscall_exit_read cpu=0 tid=5 ns=1200 ret=0\n"
	     "sched_switch cpu=0 tid=5 ns=1300 prev_state=1 next_tid=0\n");
	CHECK(has("chrome", "{\"ph\":\"B\",\"pid\":5,\"tid\":6,\"ts\":1.100,\"name\":\"read\"}"));
	CHECK(has("chrome", "{\"ph\":\"E\",\"pid\":5,\"tid\":6,\"ts\":1.190}"));
	CHECK(has("chrome",
		  "{\"ph\":\"M\",\"pid\":5,\"tid\":6,\"ts\":0.000,\"name\":\"thread_name\","));
	CHECK(has("chrome", "{\"ph\":\"E\",\"pid\":5,\"tid\":5,\"ts\":1.200,"));
	clean();
}

TEST(json_has_processes)
{
	make(text);
	CHECK(has("json",
		  "\"cpu\":0,\"tid\":5,\"comm\":\"fi;ve\",\"pid\":4,\"process\":\"four\","));
	CHECK(has("json", "\"event\":\"syscall_entry_read\",\"fields\":{\"fd\":3,"));
	CHECK(has("json", "\"tid\":7,\"comm\":null,\"pid\":null,\"process\":null,"));
	CHECK(has("json", "\"tid\":0,\"comm\":\"swapper\",\"pid\":0,\"process\":\"swapper\","));
	clean();
}

/* ---- what the cost limit left out ------------------------------------------------------------ */

static const char limited_text[] = "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
				   "syscall_entry_read cpu=0 tid=5 ns=1010 fd=3\n"
				   "syscall_exit_read cpu=0 tid=5 ns=1020 ret=7\n"
				   "shed_begin cpu=0 tid=0 buffer=1 ns=2000 cost=1 kind=syscall:*\n"
				   "shed_begin cpu=0 tid=0 buffer=1 ns=2500 cost=1 kind=softirq\n"
				   "shed_end cpu=0 tid=0 buffer=1 ns=3000 left_out=1000 kind=syscall:*\n"
				   "sched_switch cpu=0 tid=5 ns=4000 prev_state=1 next_tid=0\n";

/* Where the format has a place for it, the times are in the export; and whoever asked for such events is told. */
TEST(exports_have_what_was_left_out)
{
	char *const reads[] = { "read", NULL }, *const switches[] = { "sched_switch", NULL };
	char *bytes;

	make(limited_text);
	CHECK(has("json", "{\"left_out\":{\"kind\":\"syscall:*\",\"from_ns\":2000,\"to_ns\":3000,\"why\":\"the cost "
			  "limit\"}}\n{\"left_out\":{\"kind\":\"softirq\",\"from_ns\":2500,\"to_ns\":null,"));
	CHECK_STR(result.limited, "syscall:*, softirq not recorded, in part, since +0.000 s");
	CHECK(has("chrome", "\"ph\":\"X\",\"pid\":1073741824,\"tid\":1073741825,\"ts\":2.000,\"dur\":1.000,"
			    "\"name\":\"not recorded\""));
	CHECK(has("chrome", "\"ph\":\"X\",\"pid\":1073741824,\"tid\":1073741826,\"ts\":2.500,\"dur\":1.500,"
			    "\"name\":\"not recorded\""));
	CHECK(has("chrome", "\"name\":\"thread_name\",\"args\":{\"name\":\"syscall:*\"}"));
	free(export_as("json", &(struct lkst_select_options){ .events = reads, .nr_events = 1 }));
	CHECK_STR(result.limited, "syscall:* not recorded from +0.000 s to +0.000 s");
	free(export_as("json", &(struct lkst_select_options){ .events = switches, .nr_events = 1 }));
	CHECK_STR(result.limited, "");
	free(export_as("json", &(struct lkst_select_options){ .has_to = true, .to_ns = 1500 }));
	CHECK_STR(result.limited, "");
	bytes = export_as("json", &(struct lkst_select_options){ .from_ns = 3500 });
	CHECK(!strstr(bytes, "syscall:*") && strstr(bytes, "\"kind\":\"softirq\""));
	free(bytes);
	clean();
	make(text);
	free(export_as("json", NULL));
	CHECK_STR(result.limited, "");
	clean();
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* What can be read is written; how much cannot is known. */
TEST(damage_is_counted)
{
	unsigned int i;

	for (i = 0; lkst_export_choices(i, &(struct lkst_choice){}); i++) {
		struct lkst_choice format;
		size_t length;
		char *bytes;

		lkst_export_choices(i, &format);
		make("sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n!block cpu=0\n"
		     "sched_switch cpu=0 tid=5 ns=1100 next_tid=7\n!block cpu=0\n"
		     "sched_switch cpu=0 tid=7 ns=1300 next_tid=0\n");
		bytes = make_read(path, "main.0", &length);
		CHECK_EQ(length, 3 * 4096);
		memset(bytes + 4096, 0xee, 16);
		make_write(path, "main.0", bytes, length);
		free(bytes);
		CHECK_EQ(export_to(format.name, "out", NULL), 0);
		CHECK_EQ(result.nr_unreadable, 1);
		CHECK_EQ(entries(), 1);
		remove_output();
		clean();
	}
}

/* A file may not become as large as this export: as on a full disk, nothing is left, and an older file stays. */
TEST(full_disk_leaves_nothing)
{
	struct rlimit old, small = { 100, RLIM_INFINITY };
	_cleanup_free_ char *sampled = NULL;
	unsigned int i;

	/* A stack that is longer, for the formats of samples. */
	if (asprintf(&sampled,
		     "%ssample cpu=1 tid=5 ns=1140 stack=1 period_ns=5\n"
		     "stack cpu=1 buffer=1 tid=7 ns=1010 stack=1 flags=1 frames=0x7f0000001000,"
		     "0x7f0000002000,0x7f0000003000,0x7f0000004000,0x7f0000005000,0x7f0000006000,"
		     "0x7f0000007000,0x7f0000008000,0x7f0000009000\n",
		     text) < 0)
		abort();
	make(sampled);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	make_write(dir, "old", "old", 3);
	for (i = 0; lkst_export_choices(i, &(struct lkst_choice){}); i++) {
		struct lkst_choice format;
		int code;

		lkst_export_choices(i, &format);
		setrlimit(RLIMIT_FSIZE, &small);
		code = export_to(format.name, lkst_export_format(i)->is_directory ? "new" : "old",
				 NULL);
		setrlimit(RLIMIT_FSIZE, &old);
		CHECK_EQ(code, -EFBIG);
		CHECK(strstr(err.text, "File too large"));
		CHECK_EQ(entries(), 1);
	}
	clean();
}

TEST(stopped_leaves_nothing)
{
	unsigned int i;

	make(text);
	for (i = 0; lkst_export_choices(i, &(struct lkst_choice){}); i++) {
		struct lkst_choice format;
		int code;

		lkst_export_choices(i, &format);
		stop = SIGTERM;
		code = export_to(format.name, "out", NULL);
		stop = 0;
		CHECK_EQ(code, -EINTR);
		CHECK_EQ(entries(), 0);
	}
	clean();
}

TEST(filters_that_do_not_fit_are_refused)
{
	char *glob = "sched_*";
	const struct lkst_select_options event = { .events = &glob, .nr_events = 1 },
					 cpu = { .has_cpu = true };

	make(text);
	CHECK_EQ(export_to("collapsed", "out", &event), -EINVAL);
	CHECK_STR(err.text, "--event is for formats of events, and collapsed is not one");
	CHECK_EQ(export_to("chrome", "out", &cpu), -EINVAL);
	CHECK_EQ(entries(), 0);
	clean();
}

static const struct unit_test tests[] = {
	{ "chrome_gives_each_owner_of_a_number_a_track", test_chrome_gives_each_owner_of_a_number_a_track },
	{ "exports_have_what_was_left_out", test_exports_have_what_was_left_out },
	{ "samples_have_the_names_of_programs", test_samples_have_the_names_of_programs },
	{ "samples_are_stacks", test_samples_are_stacks },
	{ "stacks_are_cut_at_calls", test_stacks_are_cut_at_calls },
	{ "stacks_of_a_window_and_a_thread", test_stacks_of_a_window_and_a_thread },
	{ "cgroups_choose_threads", test_cgroups_choose_threads },
	{ "stacks_do_not_bridge_gaps", test_stacks_do_not_bridge_gaps },
	{ "stacks_of_many_calls", test_stacks_of_many_calls },
	{ "stacks_of_further_threads", test_stacks_of_further_threads },
	{ "stacks_of_waiting_say_where_they_end", test_stacks_of_waiting_say_where_they_end },
	{ "chrome_nests_states_in_calls", test_chrome_nests_states_in_calls },
	{ "chrome_has_returns_without_a_switch", test_chrome_has_returns_without_a_switch },
	{ "exports_pair_nothing_across_what_was_left_out",
	  test_exports_pair_nothing_across_what_was_left_out },
	{ "chrome_keeps_tracks_apart", test_chrome_keeps_tracks_apart },
	{ "json_has_processes", test_json_has_processes },
	{ "damage_is_counted", test_damage_is_counted },
	{ "full_disk_leaves_nothing", test_full_disk_leaves_nothing },
	{ "stopped_leaves_nothing", test_stopped_leaves_nothing },
	{ "filters_that_do_not_fit_are_refused", test_filters_that_do_not_fit_are_refused },
};
UNIT_MAIN(tests)
