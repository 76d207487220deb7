/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads that go to the disk itself wait behind somebody who writes a lot.
 *
 * truth: od-writer writes 8 MiB at a time to the disk with O_DIRECT; a read of 4 KiB by od-reader waits behind that
 * victim: od-reader
 * fact: WHO od-writer
 * fact: WHAT disk|loop\d|\bdevice\b
 * amount: yes
 */
#include "drill.h"

enum { MIB = 1 << 20 };

static void *aligned(size_t size)
{
	void *p;

	if (posix_memalign(&p, 4096, size))
		exit(1);
	memset(p, 1, size);
	return p;
}

static void writer(void)
{
	int fd = open("fs/bulk", O_CREAT | O_RDWR | O_DIRECT, 0600), i;
	char *b = aligned(8 * MIB);

	name("od-writer");
	for (i = 0;; i++)
		pwrite(fd, b, 8 * MIB, (off_t)(i % 16) * 8 * MIB);
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	char *b = aligned(MIB);
	int fd, i;

	drill_init();
	loop_fs(300);
	fd = open("fs/data", O_CREAT | O_RDWR | O_DIRECT, 0600);
	for (i = 0; i < 32; i++)
		if (pwrite(fd, b, MIB, (off_t)i * MIB) != MIB)
			not_produced("O_DIRECT: %s", strerror(errno));
	fsync(fd);
	drill_begin(3);
	for (i = 0; i < 3; i++)
		child(writer);
	name("od-reader");
	while (goes_on()) {
		uint64_t from = now();

		pread(fd, b, 4096, (off_t)(from / 1000 % 8192) * 4096);
		took(ops, from, 4);
		nap(3);
	}
	drill_tell(ops, 10, 10);
	return 0;
}
