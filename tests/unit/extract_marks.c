/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Marks of programs in a dump: lkst extract puts them into the trace of the recording.
 */
#include <signal.h>
#include <sys/wait.h>

#include "cmd/frame/cmd.h"
#include "lib/extract.h"
#include "lib/mark_directory.h"
#include "lib/run_command.h"
#include "lib/unit.h"
#include "liblkst/mark.h"
#include "liblkst/mark_format.h"
#include "trace/read/merge.h"

/* When its two marks are, among the records of the trace. */
enum { FIRST_NS = 5000, SECOND_NS = 7000 };

enum { COPIES = 8 }; /* so many that some lie before a page and some behind it */

static struct lkst_mark_event told = LKST_MARK_EVENT("told: u64 number, string word");

/* A process marks and is killed; its file is read to @bytes. */
static void kill_program(u8 *bytes)
{
	char path[256];
	pid_t pid;
	int fd;

	want_marks_until(UINT64_MAX);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		lkst_mark("before", 1);
		LKST_MARK(&told, 2, "the last");
		raise(SIGKILL);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid || !find_marks_of(pid, path))
		abort();
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, bytes, LKST_MARK_FILE_BYTES, 0) != LKST_MARK_FILE_BYTES)
		abort();
	close(fd);
}

static void set_time(u8 *record, u64 ns)
{
	u64 word;

	memcpy(&word, record, sizeof(word));
	word = ns << 16 | (u16)word;
	memcpy(record, &word, sizeof(word));
}

/* The program's only block with records: as if they had been made within the trace. */
static void move_in_time(u8 *bytes)
{
	u8 *block = bytes + lkst_mark_area_at(0) + lkst_mark_block_at(0, 0);
	const u32 first = LKST_MARK_RECORD_FIELDS + 8 + sizeof("before");

	((struct lkst_block_header *)(void *)block)->timestamp_begin = FIRST_NS;
	set_time(block + LKST_BLOCK_HEADER, FIRST_NS);
	set_time(block + LKST_BLOCK_HEADER + (first + 7) / 8 * 8, SECOND_NS);
}

/* Puts the pages of the program's file that are not empty somewhere into memory, from the last to the first. */
static void scatter(struct make_memory *m, const u8 *bytes)
{
	static const u8 none[MAKE_PAGE];
	u32 at;

	for (at = LKST_MARK_FILE_BYTES; at; at -= MAKE_PAGE)
		if (memcmp(bytes + at - MAKE_PAGE, none, MAKE_PAGE))
			memcpy(make_pages(m, 1), bytes + at - MAKE_PAGE, MAKE_PAGE);
}

/* What the trace has of marks, and of losses of them, as a text. */
static void read_marks(const char *path, char text[512])
{
	struct lkst_trace *trace;
	struct lkst_merge *merge;
	struct lkst_record r;
	struct lkst_err e;
	u32 length;

	text[0] = 0;
	if (lkst_trace_open(&e, path, &trace) || lkst_merge_new(&e, trace, 0, UINT64_MAX, &merge))
		abort();
	while (lkst_merge_next(merge, &r) > 0) {
		const u16 last = (u16)(r.event->nr_fields - 1);

		if (r.event->index == LKST_EV_state_marks)
			sprintf(text + strlen(text), "lost %lld;",
				(long long)lkst_record_int(&r, lkst_class_field(r.event, "refused")));
		if (strncmp(r.event->name, "mark", 4))
			continue;
		sprintf(text + strlen(text), "%s %lld %s %llu;", r.event->name,
			(long long)lkst_record_int(&r, &r.event->fields[0]),
			(const char *)lkst_record_field(&r, last, &length),
			(unsigned long long)r.ns);
	}
	lkst_merge_free(merge);
	lkst_trace_close(trace);
}

static u8 file[LKST_MARK_FILE_BYTES];

/* A program that was killed, its memory in `file`, and what is extracted of a dump of its machine. */
struct killed {
	struct scene scene;
	struct lkst_mark_header header; /* of its file */
	u8 boot_id[16]; /* of the recording: that of the program */
	const struct lkst_mark_header *copy; /* lies before and behind its pages, too; NULL: there is none */
	char text[512]; /* what the trace has of marks */
};

static struct killed begin(void)
{
	struct killed k = {};

	kill_program(file);
	move_in_time(file);
	memcpy(&k.header, file, sizeof(k.header));
	memcpy(k.boot_id, k.header.boot_id, sizeof(k.boot_id));
	return k;
}

static int run(const struct killed *k, const char *line)
{
	return run_command(&lkst_cmd_extract, k->scene.scratch, line);
}

/* Puts the memory of the machine into the file "dump", and extracts it. */
static void extract_as(struct killed *k, const char *line)
{
	struct make_trace *t = made_trace(MAKE_PAGE);
	struct scene *x = &k->scene;
	u32 i;

	memcpy(t->catalog->boot_id, k->boot_id, sizeof(k->boot_id));
	*x = (struct scene){ .t = t, .m = made_memory(t, NULL) };
	scatter(x->m, file);
	for (i = 0; k->copy && i < COPIES; i++)
		memcpy(make_pages(x->m, 1), k->copy, sizeof(*k->copy));
	scene_dump(x, make_raw(x->m));
	CHECK_EQ(run(k, line), 0);
	read_marks(x->dir, k->text);
}

TEST(extract_finds_the_last_marks_of_a_program)
{
	struct killed k = begin();

	extract_as(&k, "-o trace --json dump");
	CHECK(strstr(output, "\"programs\":1,\"marks\":2"));
	CHECK_STR(k.text, "mark 1 before 5000;mark:told 2 the last 7000;");
	CHECK_EQ(run(&k, "--list --json dump"), 0);
	/* What is a program's is no recording. */
	CHECK(strstr(output, "\"uuid\"") && !strstr(strstr(output, "\"uuid\"") + 1, "\"uuid\""));
	scene_end(&k.scene);
}

TEST(extract_takes_no_marks_of_another_boot)
{
	struct killed k = begin();

	k.boot_id[0] ^= 1;
	extract_as(&k, "-o trace --json dump");
	CHECK(strstr(output, "\"programs\":0,\"marks\":0"));
	CHECK_STR(k.text, "");
	scene_end(&k.scene);
}

/* Other pages say that they are the first one. */
TEST(extract_reads_the_first_page_that_it_knows)
{
	struct killed k = begin();
	struct lkst_mark_header copy = k.header;

	copy.version++;
	k.copy = &copy;
	extract_as(&k, "-o trace --json dump");
	CHECK(strstr(output, "\"programs\":1,\"marks\":2"));
	CHECK_STR(k.text, "mark 1 before 5000;mark:told 2 the last 7000;");
	scene_end(&k.scene);
}

/* Of the page with the descriptions none is left, as if it had been written to the swap. */
TEST(extract_counts_marks_that_cannot_be_read)
{
	struct killed k = begin();

	memset(file + LKST_MARK_TEXTS_AT, 0, MAKE_PAGE);
	extract_as(&k, "-o trace dump");
	CHECK(strstr(output, "and 1 marks of 1 programs"));
	CHECK_STR(k.text, "lost 1;mark 1 before 5000;");
	scene_end(&k.scene);
}

/* A program that says to have marked after the kernel stopped, or with more than a machine can have. */
TEST(extract_refuses_marks_that_cannot_be)
{
	u8 *area = file + lkst_mark_area_at(0);
	struct killed k = begin();

	set_time(area + lkst_mark_block_at(0, 0) + LKST_BLOCK_HEADER, 1ULL << 46);
	((struct lkst_mark_thread *)(void *)area)->ring[1].done = UINT64_MAX - 9;
	extract_as(&k, "-o trace --json dump");
	CHECK(strstr(k.text, "lost "));
	CHECK(!strstr(k.text, "before"));
	scene_end(&k.scene);
}

static const struct unit_test tests[] = {
	{ "extract_finds_the_last_marks_of_a_program",
	  test_extract_finds_the_last_marks_of_a_program },
	{ "extract_takes_no_marks_of_another_boot", test_extract_takes_no_marks_of_another_boot },
	{ "extract_reads_the_first_page_that_it_knows",
	  test_extract_reads_the_first_page_that_it_knows },
	{ "extract_counts_marks_that_cannot_be_read",
	  test_extract_counts_marks_that_cannot_be_read },
	{ "extract_refuses_marks_that_cannot_be", test_extract_refuses_marks_that_cannot_be },
};

UNIT_MAIN(tests)
