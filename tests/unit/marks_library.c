// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The library for marks (src/liblkst): what it leaves in its memory, read here by the words of mark_format.h alone.
 * Each test runs in a process of its own, since a process has one memory.
 */
#include "liblkst/mark.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/mark_directory.h"
#include "lib/unit.h"
#include "liblkst/mark_fields.h"
#include "liblkst/mark_format.h"
#include "liblkst/mark_tidy.h"


static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* ---- a process that marks ----------------------------------------------------------- */

/* The memory of process @pid, or NULL. To be unmapped. */
static struct lkst_mark_header *memory_of(pid_t pid)
{
	char path[256];
	void *p;
	int fd;

	if (!find_marks_of(pid, path))
		return NULL;
	fd = open(path, O_RDWR);
	p = fd < 0 ? MAP_FAILED
		   : mmap(NULL, LKST_MARK_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Runs @run in a process while marks are wanted until @ns, and maps what it left; *@ret_status: how it ended. */
static struct lkst_mark_header *left_by(void (*run)(void), u64 ns, int *ret_status)
{
	pid_t pid;

	want_marks_until(ns);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		run();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, ret_status, 0) != pid)
		exit(1);
	return memory_of(pid);
}

static u64 u64_at(const u8 *bytes)
{
	u64 value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* ---- its records -------------------------------------------------------------------- */

struct record {
	u16 id;
	s32 tid;
	u32 cpu;
	u64 ns;
	const u8 *fields;
};

static struct lkst_mark_thread *area_of(struct lkst_mark_header *h, u32 i)
{
	return (void *)((u8 *)h + lkst_mark_area_at(i));
}

/* The size of a record without description: 8 bytes and a name, or as its number says. */
static u32 size_of(const struct lkst_mark_header *h, const u8 *record, u16 id)
{
	const char *text =
		(const char *)h + lkst_mark_text_at(id - LKST_MARK_ID_FIRST) + 4;
	struct lkst_mark_fields fields;
	u32 size, i;

	if (id == LKST_MARK_ID_HANDOVER)
		return LKST_MARK_RECORD_FIELDS + 12;
	if (id == LKST_MARK_ID_TRACEPARENT)
		return LKST_MARK_RECORD_FIELDS + 32;
	if (id < LKST_MARK_ID_FIRST)
		return LKST_MARK_RECORD_FIELDS + 8 +
		       (u32)strlen((const char *)record + LKST_MARK_RECORD_FIELDS + 8) + 1;
	if (!lkst_mark_fields_parse(text, LKST_MARK_TEXT, &fields))
		return 0;
	size = fields.fixed;
	for (i = 0; i < fields.nr; i++)
		if (!fields.list[i].size)
			size += (u32)strlen((const char *)record + size) + 1;
	return size;
}

/*
 * Calls @each for the records of a ring, the oldest first. False: something in it is not as the format says: the
 * number, size and end of each block, and times that do not fall.
 */
static bool walk(struct lkst_mark_header *h, u32 area, u32 level,
		 void (*each)(void *ctx, const struct record *r), void *ctx)
{
	const struct lkst_mark_ring *ring = &area_of(h, area)->ring[level];
	const u64 last = ring->done / LKST_MARK_BLOCK, nr = lkst_mark_ring_mask(level) + 1;
	u64 seq = last + 1 > nr ? last + 1 - nr : 0, ns = 0;

	if (!ring->done)
		return true;
	if (ring->opened != last + 1)
		return false;
	for (; seq <= last; seq++) {
		const u8 *block = (const u8 *)area_of(h, area) + lkst_mark_block_at(level, seq);
		const struct lkst_block_header *b = (const void *)block;
		u64 end = seq == last ? ring->done % LKST_MARK_BLOCK : b->content_size / 8,
		    at = LKST_BLOCK_HEADER;

		if (b->magic != LKST_BLOCK_MAGIC || b->packet_seq_num != seq ||
		    memcmp(b->uuid, h->page.id, 16) || end > LKST_MARK_BLOCK ||
		    b->timestamp_begin < ns || b->packet_size != LKST_MARK_BLOCK * 8)
			return false;
		ns = b->timestamp_begin;
		while (at < end) {
			const u64 word = *(const u64 *)(const void *)(block + at);
			struct record r = { (u16)word, *(const s32 *)(const void *)(block + at + 8),
					    *(const u32 *)(const void *)(block + at + 12),
					    word >> 16, block + at + 16 };
			u32 size = size_of(h, block + at, r.id);

			r.ns |= ns & ~((1ULL << 48) - 1);
			if (!size || at + size > end || r.ns < ns ||
			    (seq < last && r.ns > b->timestamp_end))
				return false;
			ns = r.ns;
			each(ctx, &r);
			at += size;
			at = at < end ? (at + 7) & ~7ULL : at;
		}
	}
	return true;
}

static void append(void *ctx, const struct record *r)
{
	char *text = ctx;

	sprintf(text + strlen(text), "%u %llu %s;", r->id, (unsigned long long)u64_at(r->fields),
		r->fields + 8);
}

/* ---- what is recorded --------------------------------------------------------------- */

static void mark_each(void)
{
	lkst_mark("commit", 7);
	lkst_span_begin("query", 1ULL << 40);
	lkst_value("queue", -1);
	lkst_span_end("query", 1ULL << 40);
	lkst_mark("", 0);
	lkst_mark(
		"a name that is longer than sixty-three bytes, which is what a name may have: cut",
		1);
}

TEST(marks_are_in_their_order)
{
	u64 before = now_ns();
	int status;
	struct lkst_mark_header *h = left_by(mark_each, UINT64_MAX, &status);
	char text[1024] = "";

	CHECK(h && !status);
	CHECK_EQ(h->nr_threads, 1);
	CHECK(h->start_ns >= before && h->start_ns <= now_ns());
	CHECK(walk(h, 0, 0, append, text) && walk(h, 0, 1, append, text));
	CHECK_STR(
		text,
		"1 7 commit;2 1099511627776 query;4 18446744073709551615 queue;3 1099511627776 query;1 0 ;"
		"1 1 a name that is longer than sixty-three bytes, which is what a n;");
	CHECK_EQ(h->no_area + h->refused + area_of(h, 0)->too_deep, 0);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static void mark_fields(void)
{
	static struct lkst_mark_event commit =
		LKST_MARK_EVENT("commit: u8 kind, u64 id, s16 by, string path, string why");
	static struct lkst_mark_event plain = LKST_MARK_EVENT("plain");
	static struct lkst_mark_event same = LKST_MARK_EVENT("plain"),
				      bad = LKST_MARK_EVENT("bad: float x");
	char path[] = "/tmp";
	short by = -2;

	LKST_MARK(&commit, 'k', 1ULL << 33, by, path, NULL);
	LKST_MARK(&commit, 1, 2, 3, "", "because");
	lkst_mark_record_fields(&plain, 0, NULL);
	lkst_mark_record_fields(&same, 0, NULL);
	LKST_MARK(&commit, 1);
	LKST_MARK(&bad, 1);
	lkst_handover(5, 77);
	lkst_mark_traceparent(5, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
	lkst_mark_traceparent(5, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01");
	lkst_mark_traceparent(5, "");
	if (plain.id != same.id || plain.id == commit.id)
		_exit(3);
}

static void append_fields(void *ctx, const struct record *r)
{
	char *text = ctx;
	const u8 *f = r->fields;

	text += strlen(text);
	if (r->id == LKST_MARK_ID_FIRST)
		sprintf(text, "%c %llu %d %s %s;", f[0], (unsigned long long)u64_at(f + 4),
			*(const s16 *)(const void *)(f + 12), f + 14,
			f + 14 + strlen((const char *)f + 14) + 1);
	else if (r->id == LKST_MARK_ID_HANDOVER)
		sprintf(text, "span %d to %d;", f[0], (int)u64_at(f + 8));
	else if (r->id == LKST_MARK_ID_TRACEPARENT)
		sprintf(text, "span %d %llx %llx %llx;", f[0], (unsigned long long)u64_at(f + 8),
			(unsigned long long)u64_at(f + 16), (unsigned long long)u64_at(f + 24));
	else
		sprintf(text, "%u;", r->id);
}

TEST(marks_have_the_fields_that_are_described)
{
	char text[1024] = "";
	int status;
	struct lkst_mark_header *h = left_by(mark_fields, UINT64_MAX, &status);

	CHECK(h);
	CHECK_EQ(status, 0);
	CHECK(walk(h, 0, 0, append_fields, text));
	CHECK_STR(text, "k 8589934592 -2 /tmp ;\1 2 3  because;17;17;span 5 to 77;"
			"span 5 af7651916cd43dd 8448eb211c80319c b7ad6b7169203331;");
	CHECK_EQ(h->refused, 4);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static void mark_long_strings(void)
{
	static struct lkst_mark_event event = LKST_MARK_EVENT(
		"e: string a,string b,string c,string d,string e,string f,string g,string h,string i,string j,string k,"
		"string l,string m,string n,string o,string p");
	static char x[5000];

	memset(x, 'x', sizeof(x) - 1);
	LKST_MARK(&event, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x);
}

static void count_x(void *ctx, const struct record *r)
{
	u32 i, *nr = ctx;

	for (i = 0; i < LKST_BLOCK_ROOM - 16; i++)
		*nr += r->fields[i] == 'x';
}

TEST(marks_of_long_strings_fit_a_block)
{
	u32 nr = 0;
	int status;
	struct lkst_mark_header *h = left_by(mark_long_strings, UINT64_MAX, &status);

	CHECK(h && !status);
	CHECK(walk(h, 0, 0, count_x, &nr));
	/* Strings of 255, until 4000 bytes with head, CPU and the NUL bytes are full. */
	CHECK_EQ(nr, LKST_BLOCK_ROOM - 16 - 16);
	munmap(h, LKST_MARK_FILE_BYTES);
}

/* ---- when --------------------------------------------------------------------------- */

static void mark_once(void)
{
	lkst_mark("x", 1);
}

static void count(void *ctx, const struct record *r)
{
	++*(u64 *)ctx;
}

TEST(marks_are_recorded_only_while_they_are_wanted)
{
	int status;
	u64 nr = 0;
	struct lkst_mark_header *h = left_by(mark_once, 0, &status);

	CHECK(h && !status);
	CHECK_EQ(h->nr_threads, 0);
	munmap(h, LKST_MARK_FILE_BYTES);
	/* Who wanted them has been killed, and did not renew it. */
	h = left_by(mark_once, now_ns() - 1, &status);
	CHECK(h && !status);
	CHECK_EQ(h->wanted_until_ns, 0);
	CHECK(walk(h, 0, 0, count, &nr));
	CHECK_EQ(nr, 0);
	munmap(h, LKST_MARK_FILE_BYTES);
	h = left_by(mark_once, now_ns() + 600000000000, &status);
	CHECK(h && !status);
	CHECK(walk(h, 0, 0, count, &nr));
	CHECK_EQ(nr, 1);
	munmap(h, LKST_MARK_FILE_BYTES);
}

/* A recording that begins later finds the memory, and says there that it wants marks. */
static void mark_before_and_after(void)
{
	struct lkst_mark_header *h;

	lkst_mark("before", 0);
	h = memory_of(getpid());
	if (!h)
		_exit(2);
	h->wanted_until_ns = UINT64_MAX;
	lkst_mark("after", 1);
	h->wanted_until_ns = 0;
	lkst_mark("not wanted", 2);
}

TEST(marks_begin_when_a_recording_begins)
{
	char text[128] = "";
	int status;
	struct lkst_mark_header *h = left_by(mark_before_and_after, 0, &status);

	CHECK(h);
	CHECK_EQ(status, 0);
	CHECK(walk(h, 0, 0, append, text));
	CHECK_STR(text, "1 1 after;");
	munmap(h, LKST_MARK_FILE_BYTES);
}

static void limit_files(void)
{
	struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_FSIZE, &limit);
	lkst_mark("x", 1);
	lkst_mark("x", 1);
}

TEST(marks_do_without_memory_that_may_not_be_had)
{
	int status;

	CHECK(!left_by(limit_files, UINT64_MAX, &status));
	CHECK_EQ(status, 0);
}

/* ---- threads, forks, signals -------------------------------------------------------- */

/* All threads together have fewer than a ring holds: one may get the area of another that has ended. */
enum { MANY = 100000, THREADS = 6, EACH = 1000 };

static void mark_many(void)
{
	u64 i;

	for (i = 0; i < MANY; i++)
		lkst_mark("many", i);
}

struct row {
	u64 nr, next;
	bool is_good;
};

static void follow(void *ctx, const struct record *r)
{
	struct row *row = ctx;
	u64 id = u64_at(r->fields);

	row->is_good = row->nr++ ? row->is_good && id == row->next : true;
	row->next = id + 1;
}

TEST(marks_overwrite_the_oldest)
{
	struct row row = {};
	int status;
	struct lkst_mark_header *h = left_by(mark_many, UINT64_MAX, &status);

	CHECK(h && !status);
	CHECK(walk(h, 0, 0, follow, &row));
	CHECK(row.is_good);
	CHECK_EQ(row.next, MANY);
	CHECK(row.nr > 60 * (4000 / 32) && row.nr < MANY);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static void *mark_in_thread(void *arg)
{
	u64 i;

	for (i = 0; i < EACH; i++)
		lkst_mark("t", (u64)(uintptr_t)arg << 32 | i);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	uintptr_t i;

	lkst_mark("first", 0);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, mark_in_thread, (void *)(i + 1)))
			_exit(2);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* By number of the thread, which is in the ids. */
static struct row rows[THREADS + 1];

static void follow_threads(void *ctx, const struct record *r)
{
	u64 id = u64_at(r->fields);
	struct row *row = &rows[id >> 32 <= THREADS ? id >> 32 : 0];

	if ((u32)id == row->next)
		row->next++;
	row->nr++;
}

TEST(marks_of_threads_are_all_there)
{
	int status;
	struct lkst_mark_header *h = left_by(run_threads, UINT64_MAX, &status);
	u32 i;

	CHECK(h && !status);
	memset(rows, 0, sizeof(rows));
	for (i = 0; i < h->nr_threads; i++)
		CHECK(walk(h, i, 0, follow_threads, NULL));
	for (i = 1; i <= THREADS; i++)
		CHECK(rows[i].nr == EACH && rows[i].next == EACH);
	CHECK_EQ(rows[0].nr, 1);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static void run_threads_often(void)
{
	int i;

	for (i = 0; i < 30; i++)
		run_threads();
}

TEST(marks_reuse_the_areas_of_threads_that_have_ended)
{
	int status;
	struct lkst_mark_header *h = left_by(run_threads_often, UINT64_MAX, &status);

	CHECK(h && !status);
	CHECK_EQ(h->no_area, 0);
	CHECK(h->nr_threads <= 1 + 2 * THREADS);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static pid_t child_of_test;

static void mark_around_fork(void)
{
	static struct lkst_mark_event event = LKST_MARK_EVENT("forked: u64 who");
	int status, pipe_fds[2];
	pid_t pid;

	LKST_MARK(&event, 1);
	if (pipe(pipe_fds))
		_exit(2);
	pid = fork();
	if (!pid) {
		LKST_MARK(&event, 2);
		lkst_mark("child", 3);
		/* As a fork that no handler sees. */
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!pid) {
			lkst_mark("grandchild", 4);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	lkst_mark("parent", 5);
	/* Its name for the test: the value of the next mark. */
	lkst_mark("pid", (u64)pid);
}

static void find_child(void *ctx, const struct record *r)
{
	char *text = ctx;

	if (!strcmp((const char *)r->fields + 8, "pid"))
		child_of_test = (pid_t)u64_at(r->fields);
	else
		sprintf(text + strlen(text), "%u %llu;", r->id,
			(unsigned long long)u64_at(r->fields));
}

TEST(marks_of_a_child_are_its_own)
{
	char parent[128] = "", child[128] = "";
	int status;
	struct lkst_mark_header *h = left_by(mark_around_fork, UINT64_MAX, &status), *c;

	CHECK(h && !status);
	CHECK(walk(h, 0, 0, find_child, parent));
	CHECK_STR(parent, "16 1;1 5;");
	c = memory_of(child_of_test);
	CHECK(c);
	CHECK_EQ(c->nr_threads, 1);
	CHECK(walk(c, 0, 0, find_child, child));
	CHECK_STR(child, "16 2;1 3;");
	CHECK_EQ(c->pid, child_of_test);
	munmap(c, LKST_MARK_FILE_BYTES);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static volatile u64 nr_signals;

static void mark_in_handler(int signal)
{
	lkst_mark("s", nr_signals++);
}

static void mark_under_signals(void)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, off = {};
	u64 i;

	signal(SIGALRM, mark_in_handler);
	lkst_mark("m", 0);
	setitimer(ITIMER_REAL, &often, NULL);
	/* Fewer than a ring holds. */
	for (i = 1; i < 4000 || (nr_signals < 100 && i < 7000); i++) {
		lkst_mark("m", i);
		if (i % 64 == 0)
			sched_yield();
	}
	setitimer(ITIMER_REAL, &off, NULL);
	lkst_mark("all", i);
	lkst_mark("signals", nr_signals);
}

struct signals {
	struct row marks, handlers;
	u64 all, signals;
};

static void follow_signals(void *ctx, const struct record *r)
{
	const char *name = (const char *)r->fields + 8;
	u64 id = u64_at(r->fields);
	struct signals *s = ctx;

	if (!strcmp(name, "m"))
		follow(&s->marks, r);
	else if (!strcmp(name, "s"))
		s->handlers.nr++;
	else if (!strcmp(name, "all"))
		s->all = id;
	else
		s->signals = id;
}

TEST(marks_in_signal_handlers_disturb_no_others)
{
	struct signals s = {};
	int status;
	struct lkst_mark_header *h = left_by(mark_under_signals, UINT64_MAX, &status);

	CHECK(h && !status);
	CHECK(walk(h, 0, 0, follow_signals, &s) && walk(h, 0, 1, follow_signals, &s));
	CHECK(s.marks.is_good);
	CHECK_EQ(s.marks.nr, s.all);
	/* Those that interrupted a mark are in the second ring, which is small. */
	CHECK_EQ(s.handlers.nr + area_of(h, 0)->too_deep, s.signals);
	CHECK_EQ(area_of(h, 0)->nest, 0);
	munmap(h, LKST_MARK_FILE_BYTES);
}

static void mark_until_killed(void)
{
	u64 i;

	for (i = 0; i < 5000; i++)
		lkst_mark("k", i);
	raise(SIGKILL);
}

TEST(marks_of_a_killed_program_are_there)
{
	struct row row = {};
	int status;
	struct lkst_mark_header *h = left_by(mark_until_killed, UINT64_MAX, &status);

	CHECK(h);
	CHECK(WIFSIGNALED(status));
	CHECK(walk(h, 0, 0, follow, &row));
	CHECK(row.is_good);
	CHECK_EQ(row.next, 5000);
	munmap(h, LKST_MARK_FILE_BYTES);
}

/* ---- descriptions, names, what is left ---------------------------------------------- */

static bool parses(const char *text, struct lkst_mark_fields *f)
{
	return lkst_mark_fields_parse(text, strlen(text), f);
}

TEST(mark_descriptions_are_read)
{
	static const char *const bad[] = { "",
					   ":",
					   "a:",
					   "a: u64",
					   "a: u65 b",
					   "a: u64 b,",
					   "a: u64 b c",
					   "a b",
					   "1a",
					   "a: string s, u8 b",
					   "a: u8 b, u8 b",
					   "a: u8 b; u8 c",
					   "a-b",
					   "a: x8 8",
					   "a: s b",
					   "a: 8 b",
					   "a: us b",
					   "a: u8 b,, u8 c",
					   "a: string64 s" };
	struct lkst_mark_fields f;
	char text[256] = "a: ";
	u32 i;

	CHECK(parses(" commit : u8 kind,x64 id , s16 by,string path", &f));
	CHECK_STR(f.name, "commit");
	CHECK_EQ(f.nr, 4);
	CHECK_EQ(f.at[0], 16);
	CHECK_EQ(f.at[1], 20);
	CHECK(f.list[1].is_hex && !f.list[1].is_signed && f.list[1].size == 8);
	CHECK(f.list[2].is_signed && f.list[2].size == 2 && f.at[2] == 28);
	CHECK(!f.list[3].size && f.at[3] == 30 && f.fixed == 30 && f.nr_integers == 3);
	CHECK(parses("plain", &f) && !f.nr && f.fixed == 16);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!parses(bad[i], &f));
	for (i = 0; i < 16; i++)
		sprintf(text + strlen(text), "%su8 f%u", i ? "," : "", i);
	CHECK(parses(text, &f) && f.nr == 16);
	strcat(text, ",u8 one_more");
	CHECK(!parses(text, &f));
	/* A NUL ends it, and so does the length. */
	CHECK(lkst_mark_fields_parse("a\0: float", 9, &f));
	CHECK(lkst_mark_fields_parse("a: u64 bc", 8, &f) && !strcmp(f.list[0].name, "b"));
}

TEST(mark_file_names_are_read)
{
	struct lkst_mark_name name;

	CHECK(lkst_mark_name_parse("lkst-mark.4294967295.77.0123456789abcdef", &name));
	CHECK_EQ(name.uid, UINT32_MAX);
	CHECK_EQ(name.pid, 77);
	CHECK(!lkst_mark_name_parse("lkst-mark.4294967296.77.0123456789abcdef", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark.1.0.0123456789abcdef", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark.1.99999999999.0123456789abcdef", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark.1.7.0123456789abcdeg", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark.1.7.0123456789abcde", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark.1.7.0123456789abcdef0", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark..7.0123456789abcdef", &name));
	CHECK(!lkst_mark_name_parse("lkst-mark-wanted", &name));
	CHECK(!lkst_mark_name_parse("other", &name));
}

static u32 nr_files(void)
{
	char command[128], text[16] = "";
	FILE *list;

	snprintf(command, sizeof(command), "ls %s | grep -c '^lkst-mark[.]'", dir);
	list = popen(command, "r");
	if (list && !fgets(text, sizeof(text), list))
		text[0] = 0;
	if (list)
		pclose(list);
	return (u32)strtoul(text, NULL, 10);
}

TEST(files_of_ended_programs_are_kept_for_a_time)
{
	struct timespec long_ago[2] = { { 1000, 0 }, { 1000, 0 } };
	char path[200];
	int fd, status;
	u32 i;

	/* More than are kept, of processes that there cannot be. */
	for (i = 0; i < LKST_MARK_KEPT_MAX + 10; i++) {
		snprintf(path, sizeof(path), "%s/lkst-mark.%u.9%08u.%016x", dir, geteuid(), i, i);
		fd = open(path, O_CREAT | O_WRONLY, 0600);
		CHECK(fd >= 0);
		close(fd);
	}
	lkst_mark_tidy(dir);
	CHECK(nr_files() < LKST_MARK_KEPT_MAX + 1);
	CHECK(nr_files() > LKST_MARK_KEPT_MAX / 2);
	/* All have been noted now; with a time long ago they are old. */
	snprintf(path, sizeof(path), "chmod 0400 %s/lkst-mark.*; touch -d @1000 %s/lkst-mark.*",
		 dir, dir);
	CHECK_EQ(system(path), 0);
	snprintf(path, sizeof(path), "%s/lkst-mark.%u.1.%016x", dir, geteuid(), 1);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	CHECK(fd >= 0 && !futimens(fd, long_ago));
	close(fd);
	lkst_mark_tidy(dir);
	/* That of a process that lives stays. */
	CHECK_EQ(nr_files(), 1);
	CHECK(left_by(mark_once, UINT64_MAX, &status));
	CHECK_EQ(nr_files(), 2);
}

/* Of those that ended within a second, too: a program that was killed just now has what is looked for. */
TEST(files_of_programs_that_ended_last_are_kept)
{
	const time_t now = time(NULL) - 1;
	const u32 nr = LKST_MARK_KEPT_MAX + 10;
	char path[200];
	int fd;
	u32 i, rank;

	snprintf(path, sizeof(path), "rm -f %s/lkst-mark.*", dir);
	CHECK_EQ(system(path), 0);
	for (i = 0; i < nr; i++) {
		/* In no order: a directory may list the newest first or last. */
		rank = i * 5 % nr;
		snprintf(path, sizeof(path), "%s/lkst-mark.%u.9%08u.%016x", dir, geteuid(), i, rank);
		fd = open(path, O_CREAT | O_WRONLY, 0400);
		CHECK(fd >= 0 && !futimens(fd, (struct timespec[]){ { now, rank * 1000 }, { now, rank * 1000 } }));
		close(fd);
	}
	lkst_mark_tidy(dir);
	CHECK_EQ(nr_files(), LKST_MARK_KEPT_MAX - 1);
	for (i = 0; i < nr; i++) {
		rank = i * 5 % nr;
		snprintf(path, sizeof(path), "%s/lkst-mark.%u.9%08u.%016x", dir, geteuid(), i, rank);
		CHECK_EQ(!access(path, F_OK), rank > nr - LKST_MARK_KEPT_MAX);
	}
}

static const struct unit_test tests[] = {
	{ "marks_are_in_their_order", test_marks_are_in_their_order },
	{ "marks_have_the_fields_that_are_described",
	  test_marks_have_the_fields_that_are_described },
	{ "marks_of_long_strings_fit_a_block", test_marks_of_long_strings_fit_a_block },
	{ "marks_are_recorded_only_while_they_are_wanted",
	  test_marks_are_recorded_only_while_they_are_wanted },
	{ "marks_begin_when_a_recording_begins", test_marks_begin_when_a_recording_begins },
	{ "marks_do_without_memory_that_may_not_be_had",
	  test_marks_do_without_memory_that_may_not_be_had },
	{ "marks_overwrite_the_oldest", test_marks_overwrite_the_oldest },
	{ "marks_of_threads_are_all_there", test_marks_of_threads_are_all_there },
	{ "marks_reuse_the_areas_of_threads_that_have_ended",
	  test_marks_reuse_the_areas_of_threads_that_have_ended },
	{ "marks_of_a_child_are_its_own", test_marks_of_a_child_are_its_own },
	{ "marks_in_signal_handlers_disturb_no_others",
	  test_marks_in_signal_handlers_disturb_no_others },
	{ "marks_of_a_killed_program_are_there", test_marks_of_a_killed_program_are_there },
	{ "mark_descriptions_are_read", test_mark_descriptions_are_read },
	{ "mark_file_names_are_read", test_mark_file_names_are_read },
	{ "files_of_ended_programs_are_kept_for_a_time",
	  test_files_of_ended_programs_are_kept_for_a_time },
	{ "files_of_programs_that_ended_last_are_kept",
	  test_files_of_programs_that_ended_last_are_kept },
};

UNIT_MAIN(tests)
