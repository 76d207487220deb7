// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes to a block device so that its scheduler merges requests: every other block first and then the
 * ones in between, handed in at once, so that they meet in the scheduler.
 *
 *	merges DEVICE ROUNDS
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NR_BLOCKS = 16, BLOCK_BYTES = 4096 };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void write_round(aio_context_t context, int fd, const void *data)
{
	struct iocb blocks[NR_BLOCKS], *list[NR_BLOCKS];
	struct io_event done[NR_BLOCKS];
	int i;

	for (i = 0; i < NR_BLOCKS; i++) {
		int place = i < NR_BLOCKS / 2 ? 2 * i : 2 * (i - NR_BLOCKS / 2) + 1;

		list[i] = &blocks[i];
		blocks[i] = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PWRITE,
					   .aio_fildes = (uint32_t)fd,
					   .aio_buf = (uint64_t)(uintptr_t)data,
					   .aio_nbytes = BLOCK_BYTES,
					   .aio_offset = place * BLOCK_BYTES };
	}
	if (syscall(SYS_io_submit, context, NR_BLOCKS, list) != NR_BLOCKS)
		die("io_submit");
	if (syscall(SYS_io_getevents, context, NR_BLOCKS, NR_BLOCKS, done, NULL) != NR_BLOCKS)
		die("io_getevents");
	for (i = 0; i < NR_BLOCKS; i++) {
		if (done[i].res != BLOCK_BYTES) {
			errno = (int)-done[i].res;
			die("writing");
		}
	}
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_WRONLY | O_DIRECT | O_CLOEXEC) : -1, round;
	aio_context_t context = 0;
	void *data;

	if (fd < 0)
		die("usage: merges DEVICE ROUNDS");
	if (posix_memalign(&data, BLOCK_BYTES, BLOCK_BYTES))
		die("allocating memory");
	memset(data, 0, BLOCK_BYTES);
	if (syscall(SYS_io_setup, NR_BLOCKS, &context))
		die("io_setup");
	for (round = atoi(argv[2]); round > 0; round--)
		write_round(context, fd, data);
	free(data);
	return 0;
}
