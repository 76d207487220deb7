/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * lkst extract from its command line to its output and files, when all goes well and when not.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cmd/frame/cmd.h"
#include "lib/extract.h"
#include "lib/run_command.h"
#include "lib/unit.h"

static char scratch[64];
static unsigned int nr_synced;

/* In place of the C library's. */
int fsync(int fd)
{
	nr_synced++;
	return fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

/* Runs the command with the words of @line in the scratch directory; returns its result. */
static int run(const char *line)
{
	return run_command(&lkst_cmd_extract, scratch, line);
}

static bool is_there(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	return !access(path, F_OK);
}

static off_t size_of(const char *name)
{
	struct stat status;
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	return stat(path, &status) ? -1 : status.st_size;
}

/* Makes the file "dump" in the scratch directory, of format @format, without its last @cut bytes. */
static void make_begin_of_dump(unsigned int format, size_t cut)
{
	struct make_trace *t = made_trace(MAKE_PAGE);
	struct make_memory *m = made_memory(t, NULL);
	struct make_file f = in_format(m, format);

	if (!scratch[0])
		make_scratch(scratch);
	make_write(scratch, "dump", f.bytes, f.length - cut);
	free(f.bytes);
	make_memory_free(m);
	make_end(t);
}

/* The same of a machine and a kernel that are called so. */
static void make_begin_of_dump_of(const char *host, const char *release)
{
	struct make_trace *t = made_trace(MAKE_PAGE);
	struct make_memory *m;
	struct make_file f;

	snprintf(t->catalog->hostname, sizeof(t->catalog->hostname), "%s", host);
	snprintf(t->catalog->release, sizeof(t->catalog->release), "%s", release);
	m = made_memory(t, NULL);
	f = in_format(m, 0);
	make_scratch(scratch);
	make_write(scratch, "dump", f.bytes, f.length);
	free(f.bytes);
	make_memory_free(m);
	make_end(t);
}

static void end(void)
{
	make_scratch_remove(scratch);
	scratch[0] = 0;
}

/* Clears every block in the file "dump", an image of memory. */
static void clear_blocks(void)
{
	u8 page[MAKE_PAGE];
	char path[96];
	off_t at;
	u32 magic;
	int fd;

	snprintf(path, sizeof(path), "%s/dump", scratch);
	fd = open(path, O_RDWR);
	for (at = 0; pread(fd, page, sizeof(page), at) == sizeof(page); at += sizeof(page)) {
		memcpy(&magic, page, sizeof(magic));
		if (magic != LKST_BLOCK_MAGIC)
			continue;
		memset(page, 0, sizeof(page));
		if (pwrite(fd, page, sizeof(page), at) != sizeof(page))
			abort();
	}
	close(fd);
}

/* After a reset only notes may be left, from which nothing can be read. */
TEST(extract_command_makes_no_trace_of_notes_alone)
{
	make_begin_of_dump(0, 0);
	clear_blocks();
	CHECK_EQ(run("-o new dump"), -ENODATA);
	CHECK(strstr(message, "no block of recording "));
	CHECK(!is_there("new"));
	end();
}

TEST(extract_command_leaves_nothing_if_it_cannot_begin)
{
	make_begin_of_dump(0, 0);
	CHECK_EQ(run("-o there dump"), 0);
	CHECK_EQ(run("-o new --doubtful there dump"), -ENOTEMPTY);
	CHECK(!is_there("new"));
	CHECK_EQ(run("-o there --doubtful new dump"), -ENOTEMPTY);
	CHECK(!is_there("new"));
	CHECK_EQ(run("-o new --doubtful new dump"), -ENOTEMPTY);
	CHECK(!is_there("new"));
	CHECK_EQ(run("-o new --doubtful other dump"), 0);
	CHECK(is_there("new/main.0") && is_there("other/metadata"));
	end();
}

TEST(extract_command_says_that_a_trace_is_not_complete)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit small = none;

	make_begin_of_dump(0, 0);
	CHECK_EQ(run("-o good --doubtful good-doubtful dump"), 0);
	/* Room for the metadata, and not for a stream. */
	small.rlim_cur = (rlim_t)size_of("good/metadata") + 16;
	CHECK(size_of("good/main.0") > (off_t)small.rlim_cur);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_EQ(run("-o new dump"), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &none);
	CHECK(strstr(message, "trace new is not complete: cannot write main.") == message);
	/* Later readers see that, too. */
	CHECK(is_there("new/.partial"));
	CHECK_EQ(run_command(&lkst_cmd_check, scratch, "new"), 1);
	CHECK(strstr(output, "damaged or incomplete"));
	CHECK_EQ(run_command(&lkst_cmd_check, scratch, "--json new"), 1);
	CHECK(strstr(output, "\"is_partial\":true"));
	CHECK_EQ(run("-o whole --doubtful doubtful dump"), 0);
	CHECK(!is_there("whole/.partial") && !is_there("doubtful/.partial"));
	CHECK_EQ(run_command(&lkst_cmd_check, scratch, "whole"), 0);
	CHECK_EQ(run_command(&lkst_cmd_check, scratch, "--json whole"), 0);
	CHECK(strstr(output, "\"is_partial\":false"));
	end();
}

/* Whoever made the dump has chosen what they are called. */
TEST(extract_command_shows_names_that_command_nothing)
{
	make_begin_of_dump_of("\x1b[31mhost", "6.1\xe2\x80\xaetxt.exe\xff\n");
	CHECK_EQ(run("--list dump"), 0);
	CHECK(strstr(output, "\\x1b[31mhost") && strstr(output, "6.1\\xe2\\x80\\xaetxt.exe\\xff\\n"));
	CHECK(!strchr(output, 0x1b) && !strstr(output, "\xff") && !strstr(output, "\xe2\x80"));
	CHECK_EQ(run("-o new dump"), 0);
	CHECK(strstr(output, "\\x1b[31mhost") && !strchr(output, 0x1b) && !strstr(output, "\xff"));
	CHECK_EQ(run("--json --list dump"), 0);
	CHECK(strstr(output, "\\u001b[31mhost") && strstr(output, "\\u202etxt.exe"));
	end();
}

/* Only root may read what root has taken out of a machine's memory, unless it says otherwise. */
TEST(extract_command_lets_read_whom_it_is_told)
{
	struct stat st;
	char path[96];

	make_begin_of_dump(0, 0);
	CHECK_EQ(run("-o new --doubtful doubtful dump"), 0);
	snprintf(path, sizeof(path), "%s/new/main.0", scratch);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 07777, geteuid() ? 0644 & ~(mode_t)022 : 0600);
	snprintf(path, sizeof(path), "%s/doubtful", scratch);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 0077, geteuid() ? 0055 : 0);
	CHECK_EQ(run("-o other --mode 0640 dump"), 0);
	snprintf(path, sizeof(path), "%s/other/metadata", scratch);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 07777, 0640);
	CHECK_EQ(run("-o another --mode 0666 dump"), -EINVAL);
	CHECK(strstr(message, "--mode 0666"));
	CHECK(!is_there("another"));
	end();
}

/* Whoever extracts may reset the machine next. */
TEST(extract_command_brings_the_trace_to_the_disk)
{
	make_begin_of_dump(0, 0);
	nr_synced = 0;
	CHECK_EQ(run("-o new dump"), 0);
	/* Three streams, the state, the metadata and the directory. */
	CHECK_EQ(nr_synced, 6);
	end();
}

/* What a flattened dump lacks at its end need not be pages that its headers list. */
TEST(extract_command_tells_of_a_lost_end)
{
	make_begin_of_dump(8, 0);
	CHECK_EQ(run("-o new dump"), 0);
	CHECK(!strstr(output, "cut off"));
	make_begin_of_dump(8, 16);
	CHECK_EQ(run("-o another dump"), 0);
	CHECK(strstr(output, "the dump was cut off: it has no end mark"));
	CHECK_EQ(run("--json -o third dump"), 0);
	CHECK(strstr(output, "\"is_cut\":true"));
	end();
}

TEST(extract_command_knows_what_is_compressed_as_a_whole)
{
	static const char packed[2 * MAKE_PAGE] = "\x1f\x8b\x08";

	make_scratch(scratch);
	make_write(scratch, "dump", packed, sizeof(packed));
	CHECK_EQ(run("-o new dump"), -ENOENT);
	CHECK(strstr(message, "dump is compressed with gzip; unpack it") == message);
	CHECK(!is_there("new"));
	end();
}

static const struct unit_test tests[] = {
	{ "extract_command_makes_no_trace_of_notes_alone",
	  test_extract_command_makes_no_trace_of_notes_alone },
	{ "extract_command_leaves_nothing_if_it_cannot_begin",
	  test_extract_command_leaves_nothing_if_it_cannot_begin },
	{ "extract_command_says_that_a_trace_is_not_complete",
	  test_extract_command_says_that_a_trace_is_not_complete },
	{ "extract_command_shows_names_that_command_nothing",
	  test_extract_command_shows_names_that_command_nothing },
	{ "extract_command_lets_read_whom_it_is_told", test_extract_command_lets_read_whom_it_is_told },
	{ "extract_command_brings_the_trace_to_the_disk",
	  test_extract_command_brings_the_trace_to_the_disk },
	{ "extract_command_tells_of_a_lost_end", test_extract_command_tells_of_a_lost_end },
	{ "extract_command_knows_what_is_compressed_as_a_whole",
	  test_extract_command_knows_what_is_compressed_as_a_whole },
};
UNIT_MAIN(tests)
