// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Reading the marks of programs (src/marks): those that the library makes, here by this process, and those that no
 * library makes.
 */
#include "marks/marks_gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "lib/mark_directory.h"
#include "lib/marks_recording.h"
#include "lib/unit.h"
#include "liblkst/mark.h"
#include "marks/marks_ask.h"
#include "trace/format/declared.h"

/* In a program's memory, of its first thread: how far its ring is complete. */
enum { DONE_AT = LKST_MARK_AREAS_AT + offsetof(struct lkst_mark_thread, ring[0].done) };

static int count_refused(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	((struct marks_recording *)ctx)->refused += lost->refused;
	return 0;
}

static void path_of(pid_t pid, char path[256])
{
	if (!find_marks_of(pid, path))
		exit(1);
}

/* ---- what the library makes --------------------------------------------------------- */

TEST(marks_are_given_out_once)
{
	static struct lkst_mark_event event =
		LKST_MARK_EVENT("taken: u8 small, s64 large, string a, string b");
	struct lkst_marks_reader *m;
	struct marks_recording r;

	m = marks_begin(&r, 0);
	lkst_mark("one", 1);
	LKST_MARK(&event, 255, -1, "x", "");
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_STR(r.text, "mark 1 one;mark:taken 255 -1 x ;");
	r.text[0] = 0;
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_STR(r.text, "");
	lkst_span_end("two", 2);
	LKST_MARK(&event, 0, 1LL << 40, "", "y");
	lkst_handover(7, 8);
	lkst_mark_traceparent(7, "00-00000000000000010000000000000002-0000000000000003-00");
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_STR(
		r.text,
		"span_end 2 two;mark:taken 0 1099511627776  y;span_handover 7 8;span_request 7 1 2 3;");
	marks_end(&r, m);
	CHECK_EQ(r.refused + r.overwritten, 0);
}

TEST(marks_before_the_beginning_are_left_out)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;

	lkst_mark("old", 1);
	m = marks_begin(&r, lkst_monotonic_ns());
	lkst_mark("new", 2);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_STR(r.text, "mark 2 new;");
	marks_end(&r, m);
}

TEST(marks_that_were_overwritten_are_counted)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;
	u64 i;

	m = marks_begin(&r, lkst_monotonic_ns());
	lkst_mark("first", 0);
	CHECK_EQ(marks_look(m, &r), 0);
	for (i = 0; i < 50000; i++)
		lkst_mark("many", i);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK(r.nr > 60 * 120 && r.nr < 64 * 125);
	marks_end(&r, m);
	CHECK(r.overwritten > 50000 / 125 - 70);
	CHECK_EQ(r.refused, 0);
}

/* How many were overwritten in the time that is asked for is not known, but that some were. */
TEST(marks_that_were_overwritten_before_the_first_look_count_as_one)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;
	u64 i;

	m = marks_begin(&r, lkst_monotonic_ns());
	for (i = 0; i < 50000; i++)
		lkst_mark("many", i);
	CHECK_EQ(marks_look(m, &r), 0);
	marks_end(&r, m);
	CHECK_EQ(r.overwritten, 1);
	/* Those that are left are all of the time since then. */
	m = marks_begin(&r, lkst_monotonic_ns());
	lkst_mark("one", 1);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_STR(r.text, "mark 1 one;");
	marks_end(&r, m);
	CHECK_EQ(r.overwritten, 0);
}

static void mark_two(void)
{
	lkst_mark("child", 1);
	lkst_mark("child", 2);
}

TEST(marks_of_ended_programs_are_found)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	m = marks_begin(&r, 0);
	marks_in_child(mark_two);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_STR(r.text, "mark 1 child;mark 2 child;");
	marks_end(&r, m);
	/* And by another recording. */
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	marks_end(&r, m);
}

/* ---- what no library makes ---------------------------------------------------------- */

static void scribble(void (*change)(u8 *memory), u64 nr, u64 refused)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;
	char path[256];
	u8 *memory;
	int fd;

	marks_remove_all();
	m = marks_begin(&r, 0);
	path_of(marks_in_child(mark_two), path);
	fd = open(path, O_RDWR);
	memory = mmap(NULL, LKST_MARK_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(memory != MAP_FAILED);
	close(fd);
	change(memory);
	munmap(memory, LKST_MARK_FILE_BYTES);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK(!r.is_bad);
	marks_end(&r, m);
	CHECK_EQ(r.nr, nr);
	CHECK_EQ(r.refused, refused);
}

static struct lkst_mark_thread *area(u8 *memory)
{
	return (void *)(memory + LKST_MARK_AREAS_AT);
}

static u8 *first_record(u8 *memory)
{
	return memory + LKST_MARK_AREAS_AT + LKST_MARK_PAGE + LKST_BLOCK_HEADER;
}

static void lie_about_time(u8 *memory)
{
	u64 word;

	/* An hour from now. */
	memcpy(&word, first_record(memory), 8);
	word += 3600000000000ULL << 16;
	memcpy(first_record(memory), &word, 8);
}

static void lie_about_thread(u8 *memory)
{
	memcpy(first_record(memory) + 8, &(s32){ 1 }, 4);
}

static void lie_about_no_thread(u8 *memory)
{
	memset(first_record(memory) + 8, 0, 4);
}

static void lie_about_cpu(u8 *memory)
{
	memcpy(first_record(memory) + 12, &(u32){ 100000 }, 4);
}

static void lie_about_event(u8 *memory)
{
	memcpy(first_record(memory), &(u16){ 70 }, 2);
}

static void lie_about_name(u8 *memory)
{
	memset(first_record(memory) + 24, 'x', 4000);
}

static void lie_about_position(u8 *memory)
{
	area(memory)->ring[0].done = 5;
}

static void lie_about_positions(u8 *memory)
{
	area(memory)->ring[0].done = UINT64_MAX - 100;
	area(memory)->ring[0].opened = (UINT64_MAX - 100) / LKST_MARK_BLOCK + 1;
}

static void lie_about_threads(u8 *memory)
{
	((struct lkst_mark_header *)(void *)memory)->nr_threads = UINT32_MAX;
}

static void overwrite_header(u8 *memory)
{
	memset(memory + LKST_MARK_AREAS_AT + LKST_MARK_PAGE, 0xff, LKST_BLOCK_HEADER);
}

TEST(marks_that_lie_are_refused)
{
	scribble(lie_about_thread, 1, 1);
	scribble(lie_about_no_thread, 1, 1);
	scribble(lie_about_cpu, 1, 1);
	scribble(lie_about_event, 0, 1);
	scribble(lie_about_name, 0, 1);
	scribble(lie_about_time, 0, 1);
	scribble(lie_about_position, 0, 1);
	scribble(lie_about_threads, 2, 0);
	scribble(overwrite_header, 0, 1);
	/* Each block that is said to be there. */
	scribble(lie_about_positions, 0, LKST_MARK_BLOCKS);
}

static void mark_as_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		_exit(1);
	mark_two();
}

/* A user names the memory of a program as if it were another user's process, here process 1. */
TEST(marks_of_others_processes_are_refused)
{
	struct lkst_marks_reader *m;
	char path[256], as[256];
	struct marks_recording r;
	s32 tid = 1;
	int fd;

	if (geteuid())
		SKIP("only root can be another user");
	marks_remove_all();
	CHECK(!chmod(dir, 0777));
	m = marks_begin(&r, 0);
	path_of(marks_in_child(mark_as_nobody), path);
	snprintf(as, sizeof(as), "%s/%s.65534.1.0123456789abcdef", dir, LKST_MARK_PREFIX);
	CHECK(!rename(path, as));
	fd = open(as, O_RDWR);
	CHECK_EQ(pwrite(fd, &tid, 4, LKST_MARK_AREAS_AT + LKST_MARK_PAGE + LKST_BLOCK_HEADER + 8), 4);
	close(fd);
	CHECK_EQ(marks_look(m, &r), 0);
	/* Its own thread has ended: that one is as it says. */
	CHECK_STR(r.text, "mark 2 child;");
	lkst_marks_each_lost(m, count_refused, &r);
	CHECK_EQ(r.refused, 1);
	lkst_marks_free(m);
	lkst_catalog_free(r.catalog);
	CHECK(!chmod(dir, 0700));
}

/* A process of another user, that the test runs as, which has the number @pid; 0: the kernel does not give it. */
static pid_t take_number(pid_t pid)
{
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (u64)(uintptr_t)&pid,
				   .set_tid_size = 1 };
	pid_t got = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (!got) {
		pause();
		_exit(0);
	}
	return got < 0 ? 0 : got;
}

/* What was said of a thread's number at one look is asked again at the next: it may be another process's by then. */
TEST(marks_of_threads_whose_number_comes_again_are_refused)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;
	pid_t pid, other;
	char path[256];
	u64 done, first;
	int fd;

	if (geteuid())
		SKIP("only root can be another user");
	marks_remove_all();
	CHECK(!chmod(dir, 0777));
	m = marks_begin(&r, 0);
	pid = marks_in_child(mark_as_nobody);
	path_of(pid, path);
	fd = open(path, O_RDWR);
	/* As if it had made one mark at first. */
	first = LKST_BLOCK_HEADER + LKST_MARK_RECORD_FIELDS + 8 + sizeof("child");
	CHECK_EQ(pread(fd, &done, sizeof(done), DONE_AT), sizeof(done));
	CHECK_EQ(pwrite(fd, &first, sizeof(first), DONE_AT), sizeof(first));
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_STR(r.text, "mark 1 child;");
	other = take_number(pid);
	CHECK_EQ(pwrite(fd, &done, sizeof(done), DONE_AT), sizeof(done));
	close(fd);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_STR(r.text, other ? "mark 1 child;" : "mark 1 child;mark 2 child;");
	lkst_marks_each_lost(m, count_refused, &r);
	CHECK_EQ(r.refused, other ? 1 : 0);
	lkst_marks_free(m);
	lkst_catalog_free(r.catalog);
	CHECK(!chmod(dir, 0700));
	if (!other)
		SKIP("the kernel gives no process a number that is asked for");
	CHECK(!kill(other, SIGKILL) && waitpid(other, NULL, 0) == other);
}

/* Adds events until there is no number left for a user that has @nr_had of them; returns how many. */
static u32 describe_all(struct lkst_catalog *c, const char *name)
{
	u32 nr_had;
	u16 id;

	for (nr_had = 0; nr_had < 1000; nr_had++) {
		struct lkst_event_class event = {};

		snprintf(event.name, sizeof(event.name), "mark:%s%u", name, nr_had);
		if (lkst_catalog_add_mark(NULL, c, &event, nr_had, &id) != 1)
			break;
	}
	return nr_had;
}

TEST(events_of_a_user_leave_numbers_for_others)
{
	struct lkst_field_class field = { .name = "x", .type = LKST_CLASS_UINT, .size = 4, .base = 10 };
	struct lkst_event_class event = { .name = "mark:a0", .fields = &field, .nr_fields = 1 };
	struct lkst_catalog *c = lkst_catalog_new();
	u32 nr = LKST_ID_MARKS_END - LKST_ID_MARKS, left = nr, i;
	u16 id, again;

	for (i = 0; i < 3; i++) {
		nr = describe_all(c, i == 0 ? "a" : i == 1 ? "b" : "c");
		CHECK(nr > left / 3 && nr <= (left + 1) / 2);
		left -= nr;
	}
	/* One that has the name of another's event, too. */
	CHECK_EQ(lkst_catalog_add_mark(NULL, c, &event, 0, &id), 1);
	CHECK_STR(c->classes[id]->name, "mark:a0_2");
	CHECK_EQ(lkst_catalog_add_mark(NULL, c, &event, 1000, &again), 0);
	CHECK_EQ(again, id);
	lkst_catalog_free(c);
}

static u64 rng = 1;

static u8 random_byte(void)
{
	rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u8)(rng >> 40);
}

TEST(marks_of_any_bytes_are_survived)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;
	char path[256];
	u32 i, k, at;
	u8 byte;
	int fd;

	marks_remove_all();
	m = marks_begin(&r, 0);
	path_of(marks_in_child(mark_two), path);
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	for (i = 0; i < 300; i++) {
		for (k = 0; k < 100; k++) {
			static const u32 places[] = { 40, LKST_MARK_TEXTS_AT, LKST_MARK_AREAS_AT,
						      LKST_MARK_AREAS_AT + LKST_MARK_PAGE };

			byte = random_byte();
			at = places[random_byte() % 4] + random_byte();
			CHECK_EQ(pwrite(fd, &byte, 1, at), 1);
		}
		CHECK_EQ(marks_look(m, &r), 0);
		CHECK(!r.is_bad);
	}
	/* It is cut short while it is read, and made longer again. */
	for (i = 0; i < 20; i++) {
		CHECK(!ftruncate(fd, (off_t)LKST_MARK_FILE_BYTES / 20 * (19 - i)));
		CHECK_EQ(marks_look(m, &r), 0);
	}
	CHECK(!ftruncate(fd, LKST_MARK_FILE_BYTES * 2LL));
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK(!r.is_bad);
	close(fd);
	marks_end(&r, m);
}

TEST(files_that_are_no_memory_are_left_alone)
{
	char path[256], other[128], name[160];
	struct lkst_marks_reader *m;
	struct marks_recording r;
	struct stat st;

	marks_remove_all();
	snprintf(other, sizeof(other), "%s/other", dir);
	CHECK_EQ(close(open(other, O_CREAT | O_WRONLY, 0600)), 0);
	CHECK(!truncate(other, LKST_MARK_FILE_BYTES));
	snprintf(name, sizeof(name), "%s/lkst-mark.%u.1.00000000000000%%02x", dir, geteuid());
	snprintf(path, sizeof(path), name, 1);
	CHECK(!symlink(other, path));
	snprintf(path, sizeof(path), name, 2);
	CHECK(!link(other, path));
	snprintf(path, sizeof(path), name, 3);
	CHECK(!mkfifo(path, 0600));
	snprintf(path, sizeof(path), name, 4);
	CHECK(!mkdir(path, 0700));
	snprintf(path, sizeof(path), name, 5);
	CHECK_EQ(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(lkst_marks_programs(m)->nr, 0);
	CHECK(!stat(other, &st) && st.st_blocks == 0);
	marks_end(&r, m);
	snprintf(path, sizeof(path), "rm -rf %s/lkst-mark.*", dir);
	CHECK(!system(path));
}

TEST(programs_are_wanted_until_it_is_over)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	m = marks_begin(&r, 0);
	CHECK_EQ(lkst_marks_want(NULL, lkst_marks_programs(m), lkst_monotonic_ns() - 1, true), 0);
	marks_in_child(mark_two);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(r.nr, 0);
	/* What another asks for in the meantime is not made shorter by asking for less. */
	CHECK_EQ(lkst_marks_want(NULL, lkst_marks_programs(m), UINT64_MAX, false), 0);
	CHECK_EQ(lkst_marks_want(NULL, lkst_marks_programs(m), lkst_monotonic_ns(), false), 0);
	marks_in_child(mark_two);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	marks_end(&r, m);
}

/* Any user can make what has the name of the wish before the first recording: a file, a link, a directory. */
TEST(programs_are_wanted_whatever_has_the_name_of_the_wish)
{
	static const char *const taken[] = { "mkdir %s", "mkdir -p %s/full", "ln -s /nowhere %s", "mkfifo %s" };
	struct lkst_marks_reader *m;
	struct marks_recording r;
	char wish[128], command[256];
	size_t i;

	snprintf(wish, sizeof(wish), "%s/" LKST_MARK_WANTED_FILE, dir);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		marks_remove_all();
		unlink(wish);
		snprintf(command, sizeof(command), taken[i], wish);
		CHECK_EQ(system(command), 0);
		m = marks_begin(&r, 0);
		CHECK_EQ(lkst_marks_want(NULL, lkst_marks_programs(m), UINT64_MAX, false), 0);
		marks_in_child(mark_two);
		CHECK_EQ(marks_look(m, &r), 0);
		CHECK_EQ(r.nr, 2);
		marks_end(&r, m);
	}
}

static int find_memory(struct stat *ret_found)
{
	DIR *list = opendir(dir);
	struct dirent *entry;
	int nr = 0;

	while (list && (entry = readdir(list)))
		if (!strncmp(entry->d_name, "lkst-mark.", 10))
			nr += !fstatat(dirfd(list), entry->d_name, ret_found, 0);
	if (list)
		closedir(list);
	return nr;
}

/* When its end was noticed is what says how long it is kept, whoever asks for marks in the meantime. */
TEST(programs_that_have_ended_are_asked_for_nothing)
{
	struct lkst_marks_reader *m;
	struct stat noticed, asked;
	struct marks_recording r;

	marks_remove_all();
	m = marks_begin(&r, 0);
	marks_in_child(mark_two);
	lkst_marks_programs(m)->changes = true;
	lkst_marks_find(lkst_marks_programs(m), false);
	CHECK_EQ(find_memory(&noticed), 1);
	CHECK_EQ(noticed.st_mode & 0777, 0400);
	CHECK_EQ(lkst_marks_want(NULL, lkst_marks_programs(m), lkst_monotonic_ns(), true), 0);
	CHECK_EQ(lkst_marks_want(NULL, lkst_marks_programs(m), UINT64_MAX, false), 0);
	CHECK_EQ(find_memory(&asked), 1);
	CHECK_EQ(asked.st_mtim.tv_sec, noticed.st_mtim.tv_sec);
	CHECK_EQ(asked.st_mtim.tv_nsec, noticed.st_mtim.tv_nsec);
	CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	marks_end(&r, m);
}

static const struct unit_test tests[] = {
	{ "marks_are_given_out_once", test_marks_are_given_out_once },
	{ "marks_before_the_beginning_are_left_out", test_marks_before_the_beginning_are_left_out },
	{ "marks_that_were_overwritten_are_counted", test_marks_that_were_overwritten_are_counted },
	{ "marks_that_were_overwritten_before_the_first_look_count_as_one",
	  test_marks_that_were_overwritten_before_the_first_look_count_as_one },
	{ "marks_of_ended_programs_are_found", test_marks_of_ended_programs_are_found },
	{ "marks_that_lie_are_refused", test_marks_that_lie_are_refused },
	{ "marks_of_others_processes_are_refused", test_marks_of_others_processes_are_refused },
	{ "marks_of_threads_whose_number_comes_again_are_refused",
	  test_marks_of_threads_whose_number_comes_again_are_refused },
	{ "events_of_a_user_leave_numbers_for_others", test_events_of_a_user_leave_numbers_for_others },
	{ "marks_of_any_bytes_are_survived", test_marks_of_any_bytes_are_survived },
	{ "files_that_are_no_memory_are_left_alone", test_files_that_are_no_memory_are_left_alone },
	{ "programs_are_wanted_until_it_is_over", test_programs_are_wanted_until_it_is_over },
	{ "programs_are_wanted_whatever_has_the_name_of_the_wish",
	  test_programs_are_wanted_whatever_has_the_name_of_the_wish },
	{ "programs_that_have_ended_are_asked_for_nothing",
	  test_programs_that_have_ended_are_asked_for_nothing },
};

UNIT_MAIN(tests)
