// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Small files that claim to be large: lkst reads each in bounded memory and time, and reports correctly what it
 * holds. The program runs as a process of its own, whose memory the kernel measures.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zstd.h>

#include "lib/extract.h"
#include "lib/unit.h"

enum {
	RESIDENT_MAX = 272 << 10, /* KiB */
	CPU_SECONDS = 40,	  /* most take one: a slow machine may take longer */
	MIB = 1 << 20,
	FORKS = 3000000, /* their records take more than may be resident */
};

static char dir[64], trace[96];

/* Of the last run: what it printed on standard output and error, as far as there is room. */
static char said[1 << 16];
static long resident; /* KiB */

/* Runs lkst with the words of @line, in directory @dir. Returns its exit status, -1: it was killed. */
static int lkst(const char *line)
{
	char words[256], *argv[32] = { NULL }, *rest, *word;
	const char *program = getenv("LKST") ?: "build/gcc/lkst";
	char *path = realpath(program, NULL);
	struct rusage usage;
	int argc = 1, status;
	ssize_t length;
	pid_t pid;
	int fd;

	snprintf(words, sizeof(words), "%s", line);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[0] = path;
	fd = memfd_create("said", 0);
	pid = path ? fork() : -1;
	if (fd < 0 || pid < 0)
		abort();
	if (!pid) {
		const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };

		setrlimit(RLIMIT_CPU, &cpu);
		if (chdir(dir) || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(99);
		execv(path, argv);
		_exit(99);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		abort();
	resident = usage.ru_maxrss;
	length = pread(fd, said, sizeof(said) - 1, 0);
	said[length < 0 ? 0 : length] = 0;
	close(fd);
	free(path);
	fprintf(stderr, "lkst %s: status %x, %ld KiB, %ld.%02ld s: %.200s\n", line, status, resident,
		(long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec / 10000, said);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char text[] = "state_thread ns=10 thread_tid=5 comm=\"first\"\n"
			   "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
			   "sched_switch cpu=1 tid=8 ns=1050 next_tid=9\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 tid=7 ns=1200 next_tid=5\n";

static void make_text_trace(void)
{
	make_scratch(dir);
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	if (make_trace(trace, 4096, text))
		abort();
}

/* How many lines of what was said have @word in them. */
static int count_lines(const char *word)
{
	const char *at = said;
	int nr = 0;

	while ((at = strstr(at, word))) {
		nr++;
		at += strcspn(at, "\n");
	}
	return nr;
}

/* ---- compressed files ------------------------------------------------------------------- */

/* Fills @bytes with data that cannot be compressed and has no zeros. */
static void put_noise(u8 *bytes, size_t length)
{
	static u64 random = 88172645463325252ULL;

	while (length--)
		bytes[length] = (u8)(make_random(&random) % 255 + 1);
}

/* Puts @bytes, packed into one frame, at the end of @f. */
static void put_frame(struct make_file *f, const void *bytes, size_t length)
{
	size_t room = ZSTD_compressBound(length), packed;
	u8 *out = malloc(room);

	packed = ZSTD_compress(out, room, bytes, length, 1);
	if (ZSTD_isError(packed))
		abort();
	make_put(f, f->length, out, packed);
	free(out);
}

/* Writes @f, and frees it. */
static void put_file(const char *where, const char *name, struct make_file *f)
{
	make_write(where, name, (char *)f->bytes, f->length);
	free(f->bytes);
}

/* 5 MiB that unpack to 2 GiB without a block, 1 MiB at a time. */
TEST(bounds_junk_is_not_unpacked)
{
	u8 *zeros = calloc(1, MIB);
	struct make_file f = {}, one = {};

	make_text_trace();
	put_noise(zeros + 4096, 2048);
	put_frame(&one, zeros, MIB);
	while (f.length < 5 * MIB)
		make_put(&f, f.length, one.bytes, one.length);
	put_file(trace, "main.2.zst", &f);
	free(one.bytes);
	free(zeros);
	CHECK_EQ(lkst("print trace"), 1);
	CHECK(strstr(said, "main.2.zst") && strstr(said, "without a block"));
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(dir);
}

/* The same, in which each MiB begins like a block; the file has a good size, but zstd skips most of it. */
TEST(bounds_skipped_frames_do_not_count)
{
	static const u32 skipped[2] = { 0x184d2a50, 4 * MIB };
	const u32 magic = LKST_BLOCK_MAGIC;
	u8 *bytes = calloc(1, MIB);
	struct make_file f = {}, one = {};
	int i;

	make_text_trace();
	for (i = 0; i < MIB; i += 4096)
		memcpy(bytes + i, &magic, 4);
	put_frame(&one, bytes, MIB);
	make_put(&f, 0, skipped, 8);
	make_put(&f, f.length + 4 * MIB - 1, "", 1);
	for (i = 0; i < 4000; i++)
		make_put(&f, f.length, one.bytes, one.length);
	put_file(trace, "main.2.zst", &f);
	free(one.bytes);
	free(bytes);
	CHECK_EQ(lkst("print trace"), 1);
	CHECK(strstr(said, "main.2.zst") && strstr(said, "records do not"));
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(dir);
}

/* ---- the state of the machine ------------------------------------------------------------ */

/* 4 MiB that unpack to 400 MiB of names, in state blocks of 1 MiB, which no program writes. */
TEST(bounds_large_state_blocks_are_damage)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	const struct lkst_event_class *class = lkst_catalog_find(t->catalog, "state_symbol");
	struct lkst_rec_state_symbol r = { .head = { .id_time = class->id }, .bytes = 1 };
	struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
				       .stream_instance_id =
					       lkst_stream_instance(0, LKST_BUFFER_STATE, 0),
				       .packet_size = 8ull * MIB,
				       .content_size = 8ull * MIB };
	u8 *block = malloc(MIB);
	struct make_file f = {};
	u64 i;

	make_text_trace();
	memcpy(h.uuid, t->catalog->uuid, 16);
	for (i = 0; i < 400; i++) {
		memset(block, 'a', MIB);
		put_noise(block + 65536, 10000);
		h.packet_seq_num = i;
		r.address = i * 4096;
		memcpy(block, &h, sizeof(h));
		memcpy(block + sizeof(h), &r, sizeof(r));
		block[MIB - 1] = 0;
		put_frame(&f, block, MIB);
	}
	make_end(t);
	free(block);
	put_file(trace, "state.zst", &f);
	snprintf(trace, sizeof(trace), "%s/trace/state", dir);
	unlink(trace);
	CHECK_EQ(lkst("print trace"), 0);
	CHECK_EQ(count_lines("sched_switch"), 3);
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("check trace"), 1);
	CHECK(strstr(said, "blocks cannot be read (102400 blocks"));
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("cut --from -10s -o cut trace"), 0);
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("print cut"), 0);
	CHECK_EQ(count_lines("sched_switch"), 3);
	make_scratch_remove(dir);
}

/* ---- threads ------------------------------------------------------------------------------ */

/* Millions of threads, each with a number of its own, none of which is seen to end. */
TEST(bounds_threads_are_counted_together)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	struct lkst_rec_task_newtask r = { .head = { .tid = 1 }, .child_comm = "child" };
	struct lkst_rec_sched_process_fork fork = { .head = { .tid = 1 }, .child_comm = "child" };
	const u64 id = lkst_catalog_find(t->catalog, "task_newtask")->id;
	const u64 fork_id = lkst_catalog_find(t->catalog, "sched_process_fork")->id;
	struct make_stream s = { .instance = 0, .block_size = 4096 };
	char note[128];
	u32 i;
	int fd;

	make_text_trace();
	memcpy(s.uuid, t->catalog->uuid, sizeof(s.uuid));
	make_end(t);
	snprintf(note, sizeof(note), "%s/trace/main.0", dir);
	fd = open(note, O_WRONLY | O_TRUNC);
	for (i = 0; i < FORKS; i++) {
		const u64 ns = 2000 + i * 100ull;

		r.child_tid = (s32)(10 + i);
		r.head.id_time = id;
		make_record(&s, ns, &r, sizeof(r));
		fork.child_tid = fork.child_pid = r.child_tid;
		fork.head.id_time = fork_id;
		make_record(&s, ns + 10, &fork, sizeof(fork));
		if (s.used < MIB)
			continue;
		make_close(&s);
		if (write(fd, s.bytes, s.used) != (ssize_t)s.used)
			abort();
		s.used = 0;
	}
	make_close(&s);
	if (write(fd, s.bytes, s.used) != (ssize_t)s.used || close(fd))
		abort();
	free(s.bytes);
	/* Their parent, and the three of the trace's other records. */
	snprintf(note, sizeof(note), "There are %u threads. The first 65536 are distinguished", FORKS + 4);
	CHECK_EQ(lkst("analyze thread --format csv trace"), 0);
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("analyze syscall,cpu,wakeups,procstate --format csv trace"), 0);
	CHECK(strstr(said, note));
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("report trace"), 0);
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("why --tid 3000008 trace"), 0);
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("print --comm child --from -1us trace"), 0);
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(dir);
}

/* A thread that is moved to a new cgroup again and again, and runs in each for a moment. */
TEST(bounds_cgroups_are_counted_together)
{
	enum { MOVES = 70000 };
	struct make_trace *t;
	char line[128];
	u32 i;

	make_scratch(dir);
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	t = make_begin(trace, NULL, 4096);
	for (i = 0; i < MOVES; i++) {
		snprintf(line, sizeof(line),
			 "cgroup_attach_task cpu=0 tid=1 ns=%u target_tid=5 cgroup=%u path=/a",
			 1000 + 10 * i, 100 + i);
		if (make_line(t, line))
			abort();
		snprintf(line, sizeof(line), "sched_switch cpu=0 tid=%u ns=%u next_tid=%u",
			 i % 2 * 5, 1005 + 10 * i, !(i % 2) * 5);
		if (make_line(t, line))
			abort();
	}
	if (make_end(t))
		abort();
	CHECK_EQ(lkst("analyze cgroup --rows 3 trace"), 0);
	CHECK(strstr(said, "\n-          others "));
	CHECK(strstr(said, "The first 65536 are distinguished"));
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(trace);
	make_scratch_remove(dir);
}

/* ---- sparse files ------------------------------------------------------------------------- */

/* 40 GiB, of which 8 KiB are on the disk: a block before a hole and one after it, before another hole. */
TEST(bounds_holes_are_skipped)
{
	char path[128];
	size_t length;
	char *bytes;
	int fd;

	make_text_trace();
	bytes = make_read(trace, "main.0", &length);
	CHECK_EQ(length, 8192);
	snprintf(path, sizeof(path), "%s/main.0", trace);
	fd = open(path, O_WRONLY);
	CHECK(fd >= 0 && !ftruncate(fd, 4096));
	CHECK_EQ(pwrite(fd, bytes + 4096, 4096, 20LL << 30), 4096);
	CHECK(!ftruncate(fd, 40LL << 30));
	close(fd);
	free(bytes);
	CHECK_EQ(lkst("print trace"), 0);
	CHECK_EQ(count_lines("sched_switch"), 3);
	CHECK(resident < RESIDENT_MAX);
	CHECK_EQ(lkst("check trace"), 1);
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(dir);
}

/* ---- dumps --------------------------------------------------------------------------------- */

/* A dump in which 40000 descriptors name one page of 64 KiB, with 16 state pages and notes. */
TEST(bounds_shared_pages_are_unpacked_once)
{
	enum { PAGE = 65536, NR = 40000, BITMAP = 1 };
	struct make_trace *t = made_trace(MAKE_PAGE);
	struct make_memory *m = made_memory(t, NULL);
	struct {
		u64 offset;
		u32 size, flags;
		u64 page_flags;
	} d = {};
	const size_t descriptors = (size_t)(2 + 2 * BITMAP) * PAGE;
	u8 *page = calloc(1, PAGE), *packed = malloc(2 * PAGE), *ones = malloc(NR / 8);
	uLongf length[2] = { 2 * PAGE, 2 * PAGE };
	struct make_file f = {};
	u32 i, word = PAGE, at = 0;

	/* State pages only: those of the memory, over and over. */
	for (i = 0; at < 16; i = (i + 1) % m->nr)
		if (*(const u32 *)(m->pages + (size_t)i * MAKE_PAGE) == LKST_STATE_MAGIC)
			memcpy(page + MAKE_PAGE * at++, m->pages + (size_t)i * MAKE_PAGE, MAKE_PAGE);
	make_put(&f, 0, "KDUMP   \6\0\0", 12);
	make_put(&f, 428, &word, 4);
	word = 1;
	make_put(&f, 432, &word, 4);
	word = 2 * BITMAP;
	make_put(&f, 436, &word, 4);
	memset(ones, 0xff, NR / 8);
	make_put(&f, 2ul * PAGE, ones, NR / 8);
	make_put(&f, (2ul + BITMAP) * PAGE, ones, NR / 8);
	/* Two of them by turns, so that neither looks like the page of zeros. */
	for (i = 0; i < 2; i++) {
		page[PAGE - 1] = (u8)i;
		if (compress2(packed, &length[i], page, PAGE, 1) != Z_OK)
			abort();
		make_put(&f, descriptors + (size_t)NR * sizeof(d) + i * 2ul * PAGE, packed, length[i]);
	}
	for (i = 0; i < NR; i++) {
		d.offset = descriptors + (size_t)NR * sizeof(d) + i % 2 * 2ul * PAGE;
		d.size = (u32)length[i % 2];
		d.flags = 1;
		make_put(&f, descriptors + i * sizeof(d), &d, sizeof(d));
	}
	make_memory_free(m);
	make_end(t);
	free(page);
	free(packed);
	free(ones);
	make_scratch(dir);
	put_file(dir, "dump", &f);
	CHECK_EQ(lkst("extract --list dump"), 0);
	CHECK_EQ(count_lines("no metadata"), 1);
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(dir);
}

/* A flattened dump of 64 MiB whose pieces have one byte each. */
TEST(bounds_tiny_pieces_are_refused)
{
	u64 head[2] = { htobe64(1), htobe64(1) };
	struct make_file f = {};
	u64 i;

	make_put(&f, 0, "makedumpfile\0\0\0", 16);
	make_put(&f, 16, head, sizeof(head));
	make_put(&f, MAKE_PAGE - 1, "", 1);
	for (i = 0; f.length < 64u * MIB; i++) {
		head[0] = htobe64(i);
		make_put(&f, f.length, head, sizeof(head));
		make_put(&f, f.length, "x", 1);
	}
	make_scratch(dir);
	put_file(dir, "dump", &f);
	CHECK_EQ(lkst("extract --list dump"), 1);
	CHECK(strstr(said, "too small to be pages"));
	CHECK(resident < RESIDENT_MAX);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "bounds_junk_is_not_unpacked", test_bounds_junk_is_not_unpacked },
	{ "bounds_skipped_frames_do_not_count", test_bounds_skipped_frames_do_not_count },
	{ "bounds_large_state_blocks_are_damage", test_bounds_large_state_blocks_are_damage },
	{ "bounds_threads_are_counted_together", test_bounds_threads_are_counted_together },
	{ "bounds_cgroups_are_counted_together", test_bounds_cgroups_are_counted_together },
	{ "bounds_holes_are_skipped", test_bounds_holes_are_skipped },
	{ "bounds_shared_pages_are_unpacked_once", test_bounds_shared_pages_are_unpacked_once },
	{ "bounds_tiny_pieces_are_refused", test_bounds_tiny_pieces_are_refused },
};

UNIT_MAIN(tests)
