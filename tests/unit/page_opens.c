// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often the page opens the traces that it shows: once, whatever is asked of them; and that the answers are those
 * of traces that are opened for each question. The linker puts what counts before the function that opens (Makefile).
 * tier: check
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/in_memory.h"
#include "lib/make_hosts.h"
#include "lib/unit.h"
#include "web/module.h"
#include "web/shown_traces.h"

static unsigned int nr_opens;

int __real_lkst_trace_open_memory(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr_files,
				  struct lkst_trace **ret_trace);
int __wrap_lkst_trace_open_memory(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr_files,
				  struct lkst_trace **ret_trace);

int __wrap_lkst_trace_open_memory(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr_files,
				  struct lkst_trace **ret_trace)
{
	nr_opens++;
	return __real_lkst_trace_open_memory(e, files, nr_files, ret_trace);
}

/* A thread that runs, and waits for a disk. */
#define HOST_TEXT                                                                                                   \
	"state_thread ns=0 thread_tid=5 thread_pid=5 comm=five\n"                                                   \
	"sched_switch ns=9000000 tid=0 next_tid=5\n"                                                                \
	"syscall_entry_pread64 ns=10000000 tid=5 fd=3\n"                                                            \
	"sched_switch ns=11000000 tid=5 next_tid=0 prev_state=2\n"                                                  \
	"sched_waking ns=50000000 tid=0 target_tid=5\n"                                                             \
	"sched_switch ns=51000000 tid=0 next_tid=5\n"                                                               \
	"syscall_exit_pread64 ns=52000000 tid=5 ret=64\n"                                                           \
	"sched_switch ns=60000000 tid=5 next_tid=0 prev_state=1\n"

static void give(const struct in_memory *files)
{
	unsigned int i;

	for (i = 0; i < files->nr; i++) {
		char *name = strdup(files->files[i].name);
		void *bytes = malloc(files->files[i].length ?: 1);

		if (!name || !bytes)
			abort();
		memcpy(bytes, files->files[i].bytes, files->files[i].length);
		CHECK_EQ(lkst_web_add_file(name, bytes, files->files[i].length), 0);
	}
}

/* What the page answers to @line, a command, "" if it fails. It stays until the next but one. */
static const char *ask(const char *line)
{
	static char answers[2][1 << 16];
	static unsigned int turn;
	char *answer = answers[turn++ % 2], words[256], *at;
	const int printed = memfd_create("printed", 0), standard = dup(STDOUT_FILENO);
	unsigned int nr = 1;
	ssize_t length = 0;

	snprintf(words, sizeof(words), "%s trace", line);
	for (at = words; *at; at++)
		if (*at == ' ') {
			*at = 0;
			nr++;
		}
	fflush(stdout);
	if (printed < 0 || dup2(printed, STDOUT_FILENO) < 0)
		abort();
	if (!lkst_web_run(words, nr))
		length = pread(printed, answer, sizeof(answers[0]) - 1, 0);
	if (dup2(standard, STDOUT_FILENO) < 0)
		abort();
	answer[length < 0 ? 0 : length] = 0;
	close(printed);
	close(standard);
	return answer;
}

static const char *const questions[] = { "report --all",  "why --worst syscall",   "print",
					 "check",	  "analyze all", "why" };
enum { NR_QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

/* Asks all of @nr_traces traces that are not shown and so are opened each time, and the same while they are shown. */
static void ask_twice(unsigned int nr_traces, unsigned int first)
{
	static char before[NR_QUESTIONS][1 << 16];
	struct lkst_err e = {};
	unsigned int i;

	lkst_web_forget();
	nr_opens = 0;
	for (i = first; i < NR_QUESTIONS; i++)
		snprintf(before[i], sizeof(before[i]), "%s", ask(questions[i]));
	CHECK_EQ(nr_opens, (NR_QUESTIONS - first) * nr_traces);
	CHECK_EQ(lkst_web_shown_read(&e), 0);
	nr_opens = 0;
	for (i = first; i < NR_QUESTIONS; i++) {
		CHECK_STR(ask(questions[i]), before[i]);
		CHECK_STR(ask(questions[i]), before[i]);
		CHECK(before[i][0]);
	}
	CHECK_EQ(nr_opens, 0);
	CHECK(lkst_web_shown());
}

TEST(page_opens_a_trace_once)
{
	struct in_memory files = {};
	char dir[64], path[96];

	make_scratch(dir);
	make_host(dir, "one", 0, 1000, HOST_TEXT);
	snprintf(path, sizeof(path), "%s/one", dir);
	in_memory_add(&files, path, "");
	give(&files);
	ask_twice(1, 0);
	/* Another file is not part of what was read. */
	CHECK_EQ(lkst_web_add_file(strdup("more"), calloc(1, 1), 0), 0);
	CHECK(!lkst_web_shown());
	lkst_web_clear();
	in_memory_fini(&files);
	make_scratch_remove(dir);
}

/* Of several hosts, all together and the one that is chosen. */
TEST(page_opens_each_host_once)
{
	struct in_memory files = {};
	char dir[64], path[96];

	make_scratch(dir);
	make_host(dir, "web1", 0, 1000000000, HOST_TEXT);
	make_host(dir, "db1", 3000000, 5000000000, HOST_TEXT);
	snprintf(path, sizeof(path), "%s/web1", dir);
	in_memory_add(&files, path, "1/");
	snprintf(path, sizeof(path), "%s/db1", dir);
	in_memory_add(&files, path, "2/");
	give(&files);
	ask_twice(2, 0);
	lkst_web_choose(2);
	ask_twice(2, 0);
	lkst_web_choose(0);
	lkst_web_clear();
	in_memory_fini(&files);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "page_opens_a_trace_once", test_page_opens_a_trace_once },
	{ "page_opens_each_host_once", test_page_opens_each_host_once },
};

UNIT_MAIN(tests)
