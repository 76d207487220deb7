/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a program that marks as no library makes it: with all that fits in, without a thread that has marked.
 * Anybody may make such a file.
 */
#ifndef LKST_TEST_FULL_MARKS_H
#define LKST_TEST_FULL_MARKS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/block.h"
#include "liblkst/mark_format.h"

enum {
	/* An event without fields: head and CPU. */
	FULL_MARKS_RECORD = LKST_MARK_RECORD_FIELDS,
	FULL_MARKS_RECORDS = (LKST_MARK_BLOCK - LKST_BLOCK_HEADER) / FULL_MARKS_RECORD, /* of a block */
};

/* A file of user @uid's process @pid in @dir, as its name says, which it has mapped; NULL: it cannot be made. */
static inline u8 *full_marks_make(const char *dir, u32 uid, s32 pid, u32 number, u32 nr_threads)
{
	struct lkst_mark_header h = { .page.magic = LKST_MARK_MAGIC,
				      .page.id = { 7, 7, 7 },
				      .version = LKST_MARK_VERSION,
				      .pid = pid,
				      .uid = uid,
				      .nr_threads = nr_threads };
	char path[128];
	u8 *memory;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%u.%d.%016x", dir, LKST_MARK_PREFIX, uid, pid, number);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, LKST_MARK_FILE_BYTES))
		return NULL;
	memory = mmap(NULL, LKST_MARK_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return NULL;
	memcpy(memory, &h, sizeof(h));
	return memory;
}

/* Describes as many events as there may be, with as many fields as there may be, but for the first, which has none. */
static inline void full_marks_describe(u8 *memory)
{
	u32 i, k, used;

	for (i = 0; i < LKST_MARK_EVENTS; i++) {
		struct lkst_mark_text *t = (void *)(memory + lkst_mark_text_at(i));

		used = (u32)snprintf(t->text, sizeof(t->text), "full%u", i);
		for (k = 0; i && k < 16; k++)
			used += (u32)snprintf(t->text + used, sizeof(t->text) - used, "%s u8 f%u", k ? "," : ":", k);
		t->is_there = 2;
	}
}

/*
 * Fills the large ring of @area for the @round-th time with records of thread @tid, each without fields; those of its
 * block i are of @ns + i.
 */
static inline void full_marks_fill(u8 *memory, u32 area, u64 round, s32 tid, u64 ns)
{
	struct lkst_mark_thread *t = (void *)(memory + lkst_mark_area_at(area));
	u32 used = LKST_BLOCK_HEADER + FULL_MARKS_RECORDS * FULL_MARKS_RECORD, i, at;
	u64 seq, word;

	for (i = 0; i < LKST_MARK_BLOCKS; i++, ns++) {
		struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
					       .uuid = { 7, 7, 7 },
					       .stream_id = LKST_STREAM_CLASS,
					       .stream_instance_id = lkst_stream_instance(area, 0, 0),
					       .timestamp_begin = ns,
					       .timestamp_end = ns,
					       .content_size = used * 8ULL,
					       .packet_size = LKST_MARK_BLOCK * 8,
					       .cpu_id = area };
		u8 *block;

		h.packet_seq_num = seq = round * LKST_MARK_BLOCKS + i;
		block = (u8 *)t + lkst_mark_block_at(0, seq);
		word = ns << 16 | LKST_MARK_ID_FIRST;
		for (at = LKST_BLOCK_HEADER; at < used; at += FULL_MARKS_RECORD) {
			memcpy(block + at, &word, sizeof(word));
			memcpy(block + at + 8, &tid, sizeof(tid));
			memset(block + at + LKST_MARK_RECORD_CPU, 0, 4);
		}
		memcpy(block, &h, sizeof(h));
	}
	t->ring[0].last_ns = ns;
	t->ring[0].opened = (round + 1) * LKST_MARK_BLOCKS;
	t->ring[0].done = (t->ring[0].opened - 1) * LKST_MARK_BLOCK + used;
}

#endif
