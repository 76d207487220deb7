// SPDX-License-Identifier: GPL-2.0-only
/*
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
#include "lib/full_marks.h"
#include "lib/mark_directory.h"
#include "lib/unit.h"
#include "liblkst/mark.h"
#include "marks/marks_ask.h"
#include "trace/declared.h"

/* In a program's memory, of its first thread: how far its ring is complete. */
enum { DONE_AT = LKST_MARK_AREAS_AT + offsetof(struct lkst_mark_thread, ring[0].done) };

/* A look is not cut off on a slow machine, or with sanitizers. */
#define LOOK_NS 600000000000ULL

static struct lkst_err e;
static const u8 uuid[16] = { 1, 2, 3 };

/* What a recording has: events by number, and what was given out, as text. */
struct recording {
	struct lkst_catalog *catalog;
	u64 nr, first_ns, last_ns, refused, overwritten;
	bool is_bad;
	char text[4096];
};

static int declare(void *ctx, const struct lkst_event_class *event, u32 nr_had, u16 *ret_id)
{
	struct recording *r = ctx;

	return lkst_catalog_add_mark(&e, r->catalog, event, nr_had, ret_id);
}

static void print(struct recording *r, const struct lkst_record *record)
{
	size_t used = strlen(r->text);
	u32 length;
	u16 i;

	if (used > sizeof(r->text) - 400)
		return;
	used += (size_t)sprintf(r->text + used, "%s", record->event->name);
	for (i = 0; i < record->event->nr_fields; i++) {
		const struct lkst_field_class *f = &record->event->fields[i];
		const u8 *bytes = lkst_record_field(record, i, &length);

		if (f->type == LKST_CLASS_STRING)
			used += (size_t)sprintf(r->text + used, " %.*s", (int)length, bytes);
		else
			used += (size_t)sprintf(r->text + used, " %lld",
						(long long)lkst_record_int(record, f));
	}
	strcpy(r->text + used, ";");
}

static void take_block(struct lkst_err *err, struct recording *r, u64 instance, const void *bytes)
{
	struct lkst_block block;
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	int more;

	if (lkst_instance_buffer(instance) != LKST_BUFFER_MARKS ||
	    lkst_block_parse(err, bytes, LKST_MARK_BLOCK, uuid, &block) || block.size != LKST_MARK_BLOCK ||
	    block.instance != instance)
		r->is_bad = true;
	if (r->is_bad)
		return;
	lkst_block_cursor_init(&cursor, &block);
	while ((more = lkst_block_next(err, &cursor, r->catalog, &record)) > 0) {
		r->first_ns = r->nr ? r->first_ns : record.ns;
		r->last_ns = record.ns;
		r->nr++;
		print(r, &record);
	}
	r->is_bad |= more < 0;
}

static int give(struct lkst_err *err, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct recording *r = ctx;
	size_t at;

	r->is_bad |= length % LKST_MARK_BLOCK != 0;
	for (at = 0; at < length && !r->is_bad; at += LKST_MARK_BLOCK)
		take_block(err, r, instance, (const u8 *)blocks + at);
	return 0;
}

static struct lkst_marks_reader *begin(struct recording *r, u64 since_ns)
{
	const struct lkst_marks_options options = { .dir = dir,
						    .nr_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF),
						    .block_shift = LKST_BLOCK_SHIFT_MIN,
						    .uuid = uuid,
						    .since_ns = since_ns,
						    .look_ns = LOOK_NS,
						    .declare = declare,
						    .ctx = r };
	struct lkst_marks_reader *m = NULL;

	memset(r, 0, sizeof(*r));
	r->catalog = lkst_catalog_new();
	if (lkst_marks_new(&e, &options, &m) ||
	    lkst_marks_want(&e, lkst_marks_programs(m), UINT64_MAX, false))
		exit(1);
	return m;
}

/* A look that others may follow. */
static int look(struct lkst_marks_reader *m, struct recording *r)
{
	return lkst_marks_gather(&e, m, &(struct lkst_marks_look){ .give = give, .ctx = r });
}

static int last_look(struct lkst_marks_reader *m, struct recording *r)
{
	return lkst_marks_gather(&e, m, &(struct lkst_marks_look){ .is_last = true, .give = give, .ctx = r });
}

static int count_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	struct recording *r = ctx;

	r->refused += lost->refused;
	r->overwritten += lost->overwritten;
	return uid != geteuid();
}

static int count_refused(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	((struct recording *)ctx)->refused += lost->refused;
	return 0;
}

static void end(struct recording *r, struct lkst_marks_reader *m)
{
	lkst_marks_each_lost(m, count_lost, r);
	lkst_marks_free(m);
	lkst_catalog_free(r->catalog);
}

/* Its last part is what a child does, to a memory of its own. */
static pid_t in_child(void (*run)(void))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		run();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
	return pid;
}

static void path_of(pid_t pid, char path[256])
{
	if (!find_marks_of(pid, path))
		exit(1);
}

static void remove_all(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s/lkst-mark.*", dir);
	if (system(command))
		exit(1);
}

/* ---- what the library makes --------------------------------------------------------- */

TEST(marks_are_given_out_once)
{
	static struct lkst_mark_event event =
		LKST_MARK_EVENT("taken: u8 small, s64 large, string a, string b");
	struct lkst_marks_reader *m;
	struct recording r;

	m = begin(&r, 0);
	lkst_mark("one", 1);
	LKST_MARK(&event, 255, -1, "x", "");
	CHECK_EQ(look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_STR(r.text, "mark 1 one;mark:taken 255 -1 x ;");
	r.text[0] = 0;
	CHECK_EQ(look(m, &r), 0);
	CHECK_STR(r.text, "");
	lkst_span_end("two", 2);
	LKST_MARK(&event, 0, 1LL << 40, "", "y");
	lkst_handover(7, 8);
	lkst_mark_traceparent(7, "00-00000000000000010000000000000002-0000000000000003-00");
	CHECK_EQ(look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_STR(
		r.text,
		"span_end 2 two;mark:taken 0 1099511627776  y;span_handover 7 8;span_request 7 1 2 3;");
	end(&r, m);
	CHECK_EQ(r.refused + r.overwritten, 0);
}

TEST(marks_before_the_beginning_are_left_out)
{
	struct lkst_marks_reader *m;
	struct recording r;

	lkst_mark("old", 1);
	m = begin(&r, lkst_monotonic_ns());
	lkst_mark("new", 2);
	CHECK_EQ(look(m, &r), 0);
	CHECK_STR(r.text, "mark 2 new;");
	end(&r, m);
}

TEST(marks_that_were_overwritten_are_counted)
{
	struct lkst_marks_reader *m;
	struct recording r;
	u64 i;

	m = begin(&r, lkst_monotonic_ns());
	lkst_mark("first", 0);
	CHECK_EQ(look(m, &r), 0);
	for (i = 0; i < 50000; i++)
		lkst_mark("many", i);
	CHECK_EQ(look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK(r.nr > 60 * 120 && r.nr < 64 * 125);
	end(&r, m);
	CHECK(r.overwritten > 50000 / 125 - 70);
	CHECK_EQ(r.refused, 0);
}

/* How many were overwritten in the time that is asked for is not known, but that some were. */
TEST(marks_that_were_overwritten_before_the_first_look_count_as_one)
{
	struct lkst_marks_reader *m;
	struct recording r;
	u64 i;

	m = begin(&r, lkst_monotonic_ns());
	for (i = 0; i < 50000; i++)
		lkst_mark("many", i);
	CHECK_EQ(look(m, &r), 0);
	end(&r, m);
	CHECK_EQ(r.overwritten, 1);
	/* Those that are left are all of the time since then. */
	m = begin(&r, lkst_monotonic_ns());
	lkst_mark("one", 1);
	CHECK_EQ(look(m, &r), 0);
	CHECK_STR(r.text, "mark 1 one;");
	end(&r, m);
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
	struct recording r;

	remove_all();
	m = begin(&r, 0);
	in_child(mark_two);
	CHECK_EQ(look(m, &r), 0);
	CHECK_STR(r.text, "mark 1 child;mark 2 child;");
	end(&r, m);
	/* And by another recording. */
	m = begin(&r, 0);
	CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	end(&r, m);
}

/* ---- what no library makes ---------------------------------------------------------- */

static void scribble(void (*change)(u8 *memory), u64 nr, u64 refused)
{
	struct lkst_marks_reader *m;
	struct recording r;
	char path[256];
	u8 *memory;
	int fd;

	remove_all();
	m = begin(&r, 0);
	path_of(in_child(mark_two), path);
	fd = open(path, O_RDWR);
	memory = mmap(NULL, LKST_MARK_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(memory != MAP_FAILED);
	close(fd);
	change(memory);
	munmap(memory, LKST_MARK_FILE_BYTES);
	CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(look(m, &r), 0);
	CHECK(!r.is_bad);
	end(&r, m);
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
	struct recording r;
	s32 tid = 1;
	int fd;

	if (geteuid())
		SKIP("only root can be another user");
	remove_all();
	CHECK(!chmod(dir, 0777));
	m = begin(&r, 0);
	path_of(in_child(mark_as_nobody), path);
	snprintf(as, sizeof(as), "%s/%s.65534.1.0123456789abcdef", dir, LKST_MARK_PREFIX);
	CHECK(!rename(path, as));
	fd = open(as, O_RDWR);
	CHECK_EQ(pwrite(fd, &tid, 4, LKST_MARK_AREAS_AT + LKST_MARK_PAGE + LKST_BLOCK_HEADER + 8), 4);
	close(fd);
	CHECK_EQ(look(m, &r), 0);
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
	struct recording r;
	pid_t pid, other;
	char path[256];
	u64 done, first;
	int fd;

	if (geteuid())
		SKIP("only root can be another user");
	remove_all();
	CHECK(!chmod(dir, 0777));
	m = begin(&r, 0);
	pid = in_child(mark_as_nobody);
	path_of(pid, path);
	fd = open(path, O_RDWR);
	/* As if it had made one mark at first. */
	first = LKST_BLOCK_HEADER + LKST_MARK_RECORD_FIELDS + 8 + sizeof("child");
	CHECK_EQ(pread(fd, &done, sizeof(done), DONE_AT), sizeof(done));
	CHECK_EQ(pwrite(fd, &first, sizeof(first), DONE_AT), sizeof(first));
	CHECK_EQ(look(m, &r), 0);
	CHECK_STR(r.text, "mark 1 child;");
	other = take_number(pid);
	CHECK_EQ(pwrite(fd, &done, sizeof(done), DONE_AT), sizeof(done));
	close(fd);
	CHECK_EQ(look(m, &r), 0);
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

/* ---- what there is too much of -------------------------------------------------------- */

/* Adds what user @ctx->uid has lost. */
struct lost {
	u32 uid;
	struct lkst_marks_losses sum;
};

static int add_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	struct lost *l = ctx;

	if (uid != l->uid)
		return 0;
	l->sum.overwritten += lost->overwritten;
	l->sum.unrecorded += lost->unrecorded;
	l->sum.refused += lost->refused;
	l->sum.left_out += lost->left_out;
	l->sum.unlooked += lost->unlooked;
	return 0;
}

static struct lkst_marks_losses lost_of(struct lkst_marks_reader *m, u32 uid)
{
	struct lost l = { .uid = uid };

	lkst_marks_each_lost(m, add_lost, &l);
	return l.sum;
}

/* Files of user @uid, each with @areas that are full. False: they cannot be made. */
static bool make_full(u32 uid, u32 nr_files, u32 areas)
{
	u32 i, k;

	for (i = 0; i < nr_files; i++) {
		u8 *memory = full_marks_make(dir, uid, getpid(), i, areas);
		char path[128];

		if (!memory)
			return false;
		for (k = 0; k < areas; k++)
			full_marks_fill(memory, k, 0, getpid(), lkst_monotonic_ns());
		munmap(memory, LKST_MARK_FILE_BYTES);
		snprintf(path, sizeof(path), "%s/%s.%u.%d.%016x", dir, LKST_MARK_PREFIX, uid, getpid(), i);
		if (uid != geteuid() && chown(path, uid, uid))
			return false;
	}
	return true;
}

/* It is read as far as the budget goes, and the rest is counted: no block is missing in both. */
TEST(full_memory_is_read_in_part_and_counted)
{
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct recording r;

	remove_all();
	CHECK(make_full(geteuid(), 1, 8));
	m = begin(&r, 0);
	full_marks_describe(full_marks_make(dir, geteuid(), getpid(), 1, 1));
	CHECK_EQ(last_look(m, &r), 0);
	CHECK(!r.is_bad);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out, 8 * LKST_MARK_BLOCKS - 192);
	/* They have no description. */
	CHECK_EQ(lost.refused, 192);
	end(&r, m);
	remove_all();
}

/* Of what is too much the newest is read: an equal part of each thread's. */
TEST(newest_marks_are_read)
{
	const u64 ns = lkst_monotonic_ns();
	struct lkst_marks_reader *m;
	struct recording r;
	u8 *memory;
	u32 i;

	remove_all();
	memory = full_marks_make(dir, geteuid(), getpid(), 0, 8);
	CHECK(memory);
	full_marks_describe(memory);
	for (i = 0; i < 8; i++)
		full_marks_fill(memory, i, 0, getpid(), ns);
	munmap(memory, LKST_MARK_FILE_BYTES);
	m = begin(&r, 0);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_EQ(r.nr, 192 * FULL_MARKS_RECORDS);
	CHECK_EQ(r.first_ns, ns + LKST_MARK_BLOCKS - 192 / 8);
	CHECK_EQ(r.last_ns, ns + LKST_MARK_BLOCKS - 1);
	end(&r, m);
	remove_all();
}

/* And of the time that is asked for the newest, though there is as much of later. */
TEST(newest_marks_until_a_time_are_read)
{
	const u64 ns = lkst_monotonic_ns();
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct recording r;
	u8 *memory;
	u32 i;

	remove_all();
	memory = full_marks_make(dir, geteuid(), getpid(), 0, 8);
	CHECK(memory);
	full_marks_describe(memory);
	for (i = 0; i < 8; i++)
		full_marks_fill(memory, i, 0, getpid(), ns);
	munmap(memory, LKST_MARK_FILE_BYTES);
	m = begin(&r, 0);
	/* Up to block 29 of each: 30 are asked for, and 24 of them are read. */
	lkst_marks_set_time(m, 0, ns + 29);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_EQ(r.nr, 192 * FULL_MARKS_RECORDS);
	CHECK_EQ(r.first_ns, ns + 30 - 192 / 8);
	CHECK_EQ(r.last_ns, ns + 29);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out, 8 * (30 - 24));
	CHECK_EQ(lost.overwritten + lost.refused, 0);
	end(&r, m);
	/* All of it is of later. */
	m = begin(&r, 0);
	lkst_marks_set_time(m, 0, ns - 1);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK_EQ(r.nr, 0);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out + lost.overwritten + lost.refused, 0);
	end(&r, m);
	remove_all();
}

static void mark_many(void)
{
	u64 i;

	for (i = 0; i < 5000; i++)
		lkst_mark("many", i);
}

/* The marks of an honest program are all there, whatever another user and his namespace's users have. */
TEST(full_memory_of_others_takes_nothing)
{
	const u64 since_ns = lkst_monotonic_ns();
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct recording r;
	u32 i;

	if (geteuid())
		SKIP("only root can be another user");
	remove_all();
	for (i = 0; i < 40; i++)
		CHECK(make_full(165536 + i, 1, 4));
	CHECK(make_full(65534, 4, 8));
	m = begin(&r, since_ns);
	in_child(mark_many);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_EQ(r.nr, 5000);
	lost = lost_of(m, 0);
	CHECK_EQ(lost.left_out + lost.overwritten + lost.unlooked + lost.refused, 0);
	CHECK(lost_of(m, 65534).left_out > 0);
	CHECK(lost_of(m, 165537).left_out > 0);
	end(&r, m);
	remove_all();
}

/* Marks of before take nothing from those of the time that is asked for, and are not missing. */
TEST(marks_of_before_do_not_count)
{
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct recording r;

	remove_all();
	CHECK(make_full(geteuid(), 4, 16));
	m = begin(&r, lkst_monotonic_ns());
	in_child(mark_many);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK_EQ(r.nr, 5000);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out + lost.overwritten + lost.unlooked + lost.refused, 0);
	end(&r, m);
	remove_all();
}

/* What was not read of a program is still known when its memory is gone. */
TEST(losses_outlast_their_file)
{
	struct lkst_marks_reader *m;
	struct recording r;

	remove_all();
	CHECK(make_full(geteuid(), 1, 8));
	m = begin(&r, 0);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK_EQ(lost_of(m, geteuid()).left_out, 8 * LKST_MARK_BLOCKS - 192);
	remove_all();
	CHECK_EQ(last_look(m, &r), 0);
	CHECK_EQ(lkst_marks_programs(m)->nr, 0);
	CHECK_EQ(lost_of(m, geteuid()).left_out, 8 * LKST_MARK_BLOCKS - 192);
	lkst_marks_keep_told(m);
	CHECK_EQ(lost_of(m, geteuid()).left_out, 0);
	end(&r, m);
}

/* A file more than is read of an account, and threads more than are looked at. */
TEST(programs_and_threads_beyond_the_budget_are_counted)
{
	const u32 nr = LKST_MARKS_OF_ACCOUNT_MAX + 5;
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct recording r;

	if (geteuid())
		SKIP("only root can be another user");
	remove_all();
	CHECK(make_full(300000, nr, 1));
	m = begin(&r, 0);
	CHECK_EQ(last_look(m, &r), 0);
	lost = lost_of(m, 300000);
	CHECK_EQ(lost.unlooked, 5);
	CHECK_EQ(lost.left_out + lost.refused, LKST_MARKS_OF_ACCOUNT_MAX * LKST_MARK_BLOCKS);
	end(&r, m);
	remove_all();
	CHECK(full_marks_make(dir, geteuid(), getpid(), 0, LKST_MARK_THREADS) != NULL);
	m = begin(&r, 0);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK_EQ(lost_of(m, geteuid()).unlooked, 0);
	end(&r, m);
	remove_all();
}

/* A ring that claims to have turned over more often than anybody can write. */
TEST(rings_that_turn_too_fast_are_refused)
{
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct lkst_mark_thread *t;
	struct recording r;
	u8 *memory;

	remove_all();
	memory = full_marks_make(dir, geteuid(), getpid(), 0, 1);
	CHECK(memory);
	full_marks_fill(memory, 0, 0, getpid(), lkst_monotonic_ns());
	m = begin(&r, 0);
	CHECK_EQ(look(m, &r), 0);
	t = (void *)(memory + LKST_MARK_AREAS_AT);
	t->ring[0].done += 1ULL << 50;
	CHECK_EQ(last_look(m, &r), 0);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.overwritten, 0);
	CHECK_EQ(lost.refused, LKST_MARK_BLOCKS + 1);
	munmap(memory, LKST_MARK_FILE_BYTES);
	end(&r, m);
	remove_all();
}

/* Names that are in the way delay a program's marks, and a look that cannot wait says that some may be missing. */
TEST(names_in_the_way_are_no_hiding_place)
{
	struct lkst_marks_reader *m;
	struct recording r;
	char path[128];
	u64 until;
	u32 i;

	remove_all();
	for (i = 0; i < 40000; i++) {
		snprintf(path, sizeof(path), "%s/%s%u", dir, i % 2 ? "a" : "z", i);
		CHECK_EQ(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	}
	in_child(mark_two);
	m = begin(&r, 0);
	CHECK_EQ(last_look(m, &r), 0);
	CHECK(r.nr == 2 || lost_of(m, LKST_MARKS_NO_UID).unlooked == 1);
	until = lkst_monotonic_ns() + 60000000000ULL;
	while (r.nr < 2 && lkst_monotonic_ns() < until)
		CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	end(&r, m);
	snprintf(path, sizeof(path), "find %s -name '[az]*' -delete", dir);
	CHECK(!system(path));
}

/* What is done between is done, and its failure ends the look. */
static int nr_between;

static int do_between(struct lkst_err *err, void *ctx)
{
	nr_between++;
	return nr_between > 3 ? lkst_err_set(err, -EIO, "between") : 0;
}

TEST(other_work_is_done_between)
{
	struct lkst_marks_look busy = { .is_last = true, .give = give, .between = do_between };
	struct lkst_marks_reader *m;
	struct recording r;
	u64 until = lkst_monotonic_ns() + 60000000000ULL, round;
	u8 *memory;
	u32 i;
	int err = 0;

	remove_all();
	memory = full_marks_make(dir, geteuid(), getpid(), 0, 8);
	CHECK(memory);
	full_marks_describe(memory);
	m = begin(&r, 0);
	busy.ctx = &r;
	for (round = 0; !err && lkst_monotonic_ns() < until; round++) {
		for (i = 0; i < 8; i++)
			full_marks_fill(memory, i, round, getpid(), lkst_monotonic_ns());
		err = lkst_marks_gather(&e, m, &busy);
	}
	CHECK_EQ(err, -EIO);
	CHECK_EQ(nr_between, 4);
	munmap(memory, LKST_MARK_FILE_BYTES);
	end(&r, m);
	remove_all();
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
	struct recording r;
	char path[256];
	u32 i, k, at;
	u8 byte;
	int fd;

	remove_all();
	m = begin(&r, 0);
	path_of(in_child(mark_two), path);
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
		CHECK_EQ(look(m, &r), 0);
		CHECK(!r.is_bad);
	}
	/* It is cut short while it is read, and made longer again. */
	for (i = 0; i < 20; i++) {
		CHECK(!ftruncate(fd, (off_t)LKST_MARK_FILE_BYTES / 20 * (19 - i)));
		CHECK_EQ(look(m, &r), 0);
	}
	CHECK(!ftruncate(fd, LKST_MARK_FILE_BYTES * 2LL));
	CHECK_EQ(look(m, &r), 0);
	CHECK(!r.is_bad);
	close(fd);
	end(&r, m);
}

TEST(files_that_are_no_memory_are_left_alone)
{
	char path[256], other[128], name[160];
	struct lkst_marks_reader *m;
	struct recording r;
	struct stat st;

	remove_all();
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
	m = begin(&r, 0);
	CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(lkst_marks_programs(m)->nr, 0);
	CHECK(!stat(other, &st) && st.st_blocks == 0);
	end(&r, m);
	snprintf(path, sizeof(path), "rm -rf %s/lkst-mark.*", dir);
	CHECK(!system(path));
}

TEST(programs_are_wanted_until_it_is_over)
{
	struct lkst_marks_reader *m;
	struct recording r;

	remove_all();
	m = begin(&r, 0);
	CHECK_EQ(lkst_marks_want(&e, lkst_marks_programs(m), lkst_monotonic_ns() - 1, true), 0);
	in_child(mark_two);
	CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(r.nr, 0);
	/* What another asks for in the meantime is not made shorter by asking for less. */
	CHECK_EQ(lkst_marks_want(&e, lkst_marks_programs(m), UINT64_MAX, false), 0);
	CHECK_EQ(lkst_marks_want(&e, lkst_marks_programs(m), lkst_monotonic_ns(), false), 0);
	in_child(mark_two);
	CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	end(&r, m);
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
	struct recording r;

	remove_all();
	m = begin(&r, 0);
	in_child(mark_two);
	lkst_marks_programs(m)->changes = true;
	lkst_marks_find(lkst_marks_programs(m), false);
	CHECK_EQ(find_memory(&noticed), 1);
	CHECK_EQ(noticed.st_mode & 0777, 0400);
	CHECK_EQ(lkst_marks_want(&e, lkst_marks_programs(m), lkst_monotonic_ns(), true), 0);
	CHECK_EQ(lkst_marks_want(&e, lkst_marks_programs(m), UINT64_MAX, false), 0);
	CHECK_EQ(find_memory(&asked), 1);
	CHECK_EQ(asked.st_mtim.tv_sec, noticed.st_mtim.tv_sec);
	CHECK_EQ(asked.st_mtim.tv_nsec, noticed.st_mtim.tv_nsec);
	CHECK_EQ(look(m, &r), 0);
	CHECK_EQ(r.nr, 2);
	end(&r, m);
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
	{ "full_memory_is_read_in_part_and_counted", test_full_memory_is_read_in_part_and_counted },
	{ "newest_marks_are_read", test_newest_marks_are_read },
	{ "newest_marks_until_a_time_are_read", test_newest_marks_until_a_time_are_read },
	{ "full_memory_of_others_takes_nothing", test_full_memory_of_others_takes_nothing },
	{ "marks_of_before_do_not_count", test_marks_of_before_do_not_count },
	{ "losses_outlast_their_file", test_losses_outlast_their_file },
	{ "programs_and_threads_beyond_the_budget_are_counted",
	  test_programs_and_threads_beyond_the_budget_are_counted },
	{ "rings_that_turn_too_fast_are_refused", test_rings_that_turn_too_fast_are_refused },
	{ "names_in_the_way_are_no_hiding_place", test_names_in_the_way_are_no_hiding_place },
	{ "other_work_is_done_between", test_other_work_is_done_between },
	{ "marks_of_any_bytes_are_survived", test_marks_of_any_bytes_are_survived },
	{ "files_that_are_no_memory_are_left_alone", test_files_that_are_no_memory_are_left_alone },
	{ "programs_are_wanted_until_it_is_over", test_programs_are_wanted_until_it_is_over },
	{ "programs_that_have_ended_are_asked_for_nothing",
	  test_programs_that_have_ended_are_asked_for_nothing },
};

UNIT_MAIN(tests)
