// SPDX-License-Identifier: GPL-2.0-only
/*
 * forge TRACE: what a user's program can do to who searches memory. Fills pages of its memory with state pages of the
 * recording that TRACE is of, by the UUID that is in every trace, which say that the rings are far beyond what
 * is there. Says "ready" and stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/state.h"

enum { CPUS = 2, BUFFERS = 2, COPIES = 8 };

static int read_uuid(const char *dir, u8 ret_uuid[16])
{
	char path[256], line[512];
	unsigned int byte[16], i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line,
			   " uuid = \"%2x%2x%2x%2x-%2x%2x-%2x%2x-%2x%2x-%2x%2x%2x%2x%2x%2x", &byte[0],
			   &byte[1], &byte[2], &byte[3], &byte[4], &byte[5], &byte[6], &byte[7],
			   &byte[8], &byte[9], &byte[10], &byte[11], &byte[12], &byte[13],
			   &byte[14], &byte[15]) != 16)
			continue;
		for (i = 0; i < 16; i++)
			ret_uuid[i] = (u8)byte[i];
		fclose(f);
		return 0;
	}
	return -1;
}

static void forge(struct lkst_state *st, const u8 *uuid, u32 cpu, u32 buffer)
{
	st->magic = LKST_STATE_MAGIC;
	memcpy(st->memory_id, uuid, sizeof(st->memory_id));
	memcpy(st->uuid, uuid, sizeof(st->uuid));
	st->version = LKST_ABI_VERSION;
	st->cpu = cpu;
	st->buffer = buffer;
	st->block_shift = 12;
	st->nr_cpus = CPUS;
	st->ring[0].mask = 255;
	st->ring[0].done = 1ULL << 40;
	st->ring[0].opened = (1ULL << 28) + 1;
	st->ring[0].last = 1ULL << 50;
}

int main(int argc, char **argv)
{
	const size_t nr = CPUS * BUFFERS * COPIES;
	struct lkst_state *pages;
	u8 uuid[16];
	size_t i;

	if (argc != 2 || read_uuid(argv[1], uuid)) {
		fprintf(stderr, "usage: forge TRACE\n");
		return 2;
	}
	pages = mmap(NULL, nr * sizeof(*pages), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	for (i = 0; i < nr; i++)
		forge(&pages[i], uuid, i % CPUS, i / CPUS % BUFFERS);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
