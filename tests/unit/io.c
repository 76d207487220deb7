/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Whole reads and writes.
 */
#include <pthread.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[128];

static void *read_slowly(void *arg)
{
	int fd = *(int *)arg;
	char bytes[1000];
	ssize_t n;
	long sum = 0;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		sum += n;
	return (void *)sum;
}

TEST(io_writes_all_through_a_pipe)
{
	static char bytes[1 << 20];
	pthread_t reader;
	void *sum;
	int fd[2];

	CHECK(!pipe(fd) && !pthread_create(&reader, NULL, read_slowly, &fd[0]));
	CHECK_EQ(lkst_write_all(fd[1], bytes, sizeof(bytes)), 0);
	close(fd[1]);
	CHECK(!pthread_join(reader, &sum));
	CHECK_EQ((long)sum, sizeof(bytes));
	close(fd[0]);
	CHECK_EQ(lkst_write_all(-1, bytes, 1), -EBADF);
	CHECK_EQ(lkst_write_all(-1, bytes, 0), 0);
}

TEST(io_writes_at_an_offset)
{
	size_t length;
	char *bytes;
	int fd;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	CHECK_EQ(lkst_pwrite_all(fd, "world", 5, 6), 0);
	CHECK_EQ(lkst_pwrite_all(fd, "hello ", 6, 0), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
	bytes = make_read(dir, "file", &length);
	CHECK_STR(bytes, "hello world");
	free(bytes);
	CHECK_EQ(lkst_pwrite_all(-1, "", 1, 0), -EBADF);
	make_scratch_remove(dir);
}

TEST(io_reads_up_to_a_ceiling)
{
	char *bytes = NULL, *large = calloc(1, 100000);
	size_t length;

	make_scratch(dir);
	make_write(dir, "file", large, 100000);
	free(large);
	snprintf(path, sizeof(path), "%s/file", dir);
	CHECK_EQ(lkst_read_file(&err, AT_FDCWD, path, 100000, &bytes, &length), 0);
	CHECK_EQ(length, 100000);
	CHECK_EQ(bytes[length], 0);
	free(bytes);
	CHECK_EQ(lkst_read_file(&err, AT_FDCWD, path, 99999, &bytes, &length), -EFBIG);
	CHECK(strstr(err.text, "larger than 99999"));
	make_write(dir, "empty", "", 0);
	snprintf(path, sizeof(path), "%s/empty", dir);
	CHECK_EQ(lkst_read_file(&err, AT_FDCWD, path, 0, &bytes, &length), 0);
	CHECK_EQ(length, 0);
	CHECK_STR(bytes, "");
	free(bytes);
	CHECK_EQ(lkst_read_file(&err, AT_FDCWD, dir, 10, &bytes, &length), -EISDIR);
	CHECK_EQ(lkst_read_file(&err, AT_FDCWD, "/nonexistent", 10, &bytes, &length), -ENOENT);
	CHECK(strstr(err.text, "/nonexistent: No such file"));
	/* It has contents, but reports no size. */
	CHECK_EQ(lkst_read_file(&err, AT_FDCWD, "/proc/self/maps", 1 << 20, &bytes, &length), 0);
	CHECK(length > 100 && strlen(bytes) == length);
	free(bytes);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "io_writes_all_through_a_pipe", test_io_writes_all_through_a_pipe },
	{ "io_writes_at_an_offset", test_io_writes_at_an_offset },
	{ "io_reads_up_to_a_ceiling", test_io_reads_up_to_a_ceiling },
};
UNIT_MAIN(tests)
