/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that the rings take: how it is divided, whether the machine has it to spare, and a
 * progress line while the kernel zeroes it.
 */
#ifndef LKST_LIVE_RINGS_MEMORY_H
#define LKST_LIVE_RINGS_MEMORY_H

#include <stdbool.h>

#include "abi/control.h"
#include "abi/state.h"
#include "base/err.h"

#define LKST_BUFFER_BYTES_MIN (64ULL << 10)
#define LKST_BUFFER_BYTES_MAX (4ULL << 30)

enum { LKST_NODE_ANY = -1 };

/* One ring: its first block's element and its number of blocks. */
struct lkst_ring_place {
	u32 base, nr_blocks;
};

struct lkst_memory {
	u32 block_shift;
	u32 nr_cpus; /* possible ones */
	u32 nr_online;
	u32 nr_elements;
	u64 bytes;	 /* of all elements */
	u64 spare_bytes; /* of these, one online CPU's for buffers made later */
	u32 nr_banks;	 /* of main's size that there is room for in addition */
	int numa_node;	 /* that it is to be taken from; LKST_NODE_ANY */
	u64 buffer_bytes[LKST_BUFFERS_AT_START]; /* of one online CPU's ring */
	struct lkst_ring_place *rings;		 /* by buffer, then CPU, then level */
};

/*
 * Divides memory for rings of @buffer_bytes per CPU (rounded up to a power of two between
 * LKST_BUFFER_BYTES_MIN and _MAX) and blocks of @block_bytes (a power of two, 4 KiB to 1 MiB). A CPU
 * that is possible but not online gets the smallest ring: it may come while recording goes on. The
 * rings of interrupting writers come on top of that, each a small part of it. After them there is room
 * for a further buffer of @spare_bytes per CPU, or smaller ones (live/session/buffers.h), and for @nr_banks of
 * @buffer_bytes (live/drain/incidents.h). @has_stacks: the buffer of rare events gets stacks, too.
 */
int lkst_memory_plan(struct lkst_err *e, u64 buffer_bytes, u64 block_bytes, u64 spare_bytes,
		     u32 nr_banks, bool has_stacks, struct lkst_memory *ret_memory);
void lkst_memory_free(struct lkst_memory *m);

/*
 * Refuses, in a sentence, what does not fit free memory, that of the NUMA node, or the memory cgroup
 * we are in.
 */
int lkst_memory_check(struct lkst_err *e, const struct lkst_memory *m);

/* All memory of the machine, in bytes; 0: not known. */
u64 lkst_memory_total(void);

/* What is free, or what the memory cgroups that this process is in still allow, if that is less; in bytes. */
u64 lkst_memory_available(void);

/* Which CPUs are online: a flag per possible CPU, which the caller frees. NULL: no memory. */
u8 *lkst_memory_find_online(u32 nr_cpus, u32 *ret_nr);

/*
 * Places the rings of one buffer, of @bytes per online CPU, one after the other from element @first on:
 * by CPU, then level, into @ret_rings. Returns the element after them, which may not fit 32 bits.
 */
u64 lkst_memory_place(u64 first, u64 bytes, u32 block_shift, const u8 *online, u32 nr_cpus,
		      struct lkst_ring_place *ret_rings);

/* @bytes as the size of a buffer: rounded up to a power of two. -EINVAL: it is too small or too large. */
int lkst_memory_buffer_size(struct lkst_err *e, u64 bytes, u64 *ret_bytes);

/*
 * Takes @length bytes of memory of the same kind as that of the rings, so that the rings do not get the memory that
 * the kernel gives out first: the next boot takes that first, too, and a reset loses it. Returns a descriptor, to be
 * closed when the rings have their memory, or -errno.
 */
int lkst_memory_ballast(struct lkst_err *e, const struct lkst_memory *m, u64 length);

/* How a map of @m's kind is made: it can be mapped, and is on @m's node. For bpf_map_create(). */
u32 lkst_memory_map_flags(const struct lkst_memory *m, u32 *ret_numa_node);

/* Fills the state page of @cpu and @buffer, which is below LKST_BUFFERS_AT_START. */
void lkst_memory_init_state(const struct lkst_memory *m, u32 cpu, u32 buffer,
			    const struct lkst_control *control,
			    struct lkst_state *st);

/* A progress line on standard error while the kernel takes and zeroes memory. */
struct lkst_progress;
struct lkst_progress *lkst_progress_start(u64 bytes);
void lkst_progress_stop(struct lkst_progress *p);

#endif
