/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of a running recording, mapped: copying blocks out of them while writers go on. The
 * writers never see a reader; what they overwrite while it reads is noticed and counted.
 *
 * bpf/ring.h says which of a writer's stores are in order for readers on other CPUs. Where the programs have nothing to
 * do that with (lkst_control.is_unordered; bpf/compat.h), the reader has the writers' CPU pass a full barrier, by
 * running there once, in two places: after it has read `done`, and after it has copied. A store that it has seen before
 * such a barrier was made before it by the CPU, and so was every store that comes before this one in the program: all
 * of them are seen behind the barrier. By the first, what is below `done` is there; by the second, if the copy has
 * anything of a block that was opened meanwhile, `opened` counts that block. tests/unit/ring_model.c does both.
 */
#ifndef LKST_LIVE_RINGS_RINGS_H
#define LKST_LIVE_RINGS_RINGS_H

#include <stdbool.h>

#include "abi/block.h"
#include "abi/control.h"
#include "abi/state.h"
#include "base/err.h"
#include "trace/read/lost.h"

struct lkst_rings {
	u8 *memory; /* the element array: state pages, then blocks */
	size_t memory_bytes;
	struct lkst_control *control;
	u32 block_shift;
	u32 nr_cpus;
	bool is_unordered;
};

/*
 * Maps the control page alone, by the descriptor of its array, which stays the caller's; munmap(2) it. -EPROTO: it is
 * of another version of lkst.
 */
int lkst_rings_map_control(struct lkst_err *e, int fd, struct lkst_control **ret_control);

/* Maps the arrays that the two descriptors refer to (they stay the caller's) and checks their versions. */
int lkst_rings_open(struct lkst_err *e, int memory_fd, int control_fd,
		    struct lkst_rings *ret_rings);
void lkst_rings_close(struct lkst_rings *r);

/* The state page of @cpu and @buffer, shared with the writers. */
struct lkst_state *lkst_rings_state(const struct lkst_rings *r, u32 cpu, u32 buffer);

/* True if @buffer is there: they are made and removed while recording goes on (live/session/buffers.h). */
bool lkst_rings_has(const struct lkst_rings *r, u32 buffer);

/* Where a reader of one ring is. */
struct lkst_ring_reader {
	const struct lkst_rings *rings;
	const struct lkst_ring *ring;
	u32 base, mask; /* the ring's when last looked at, within the memory: it may be made again */
	u64 instance;	/* of its stream */
	u64 next;	/* number of the block to be read next */
	u64 overtaken;	/* blocks that the writers overwrote before they could be copied */
	u64 discarded0; /* value of events_discarded that counts as none */
};

/* Starts at the oldest block that is still there. */
void lkst_ring_reader_init(struct lkst_ring_reader *reader, const struct lkst_rings *r, u32 cpu,
			   u32 buffer, u32 level);

/* Counts lost events from now on, not from when recording began. */
void lkst_ring_reader_rebase(struct lkst_ring_reader *reader);

/* Moves on to the first block that may hold a record not older than @ns. */
void lkst_ring_reader_seek(struct lkst_ring_reader *reader, u64 ns);

/*
 * Copies closed blocks, at most @max_blocks, to @buffer and returns how many: whole blocks in
 * order, each complete; 0: none is ready.
 */
unsigned int lkst_ring_reader_closed(struct lkst_ring_reader *reader, void *buffer,
				     unsigned int max_blocks);

/*
 * Copies the block that is being filled as far as its records are complete, closes the copy and
 * returns 1. 0: it holds none. -EAGAIN: closed blocks come before it. The reader does not move
 * on: the block may be read again.
 */
int lkst_ring_reader_open_block(struct lkst_ring_reader *reader, void *buffer);

/*
 * The time of a moment, now, at which nobody was writing to the ring: records that are complete later than this are
 * not older. While a CPU is held up within a record, it is the time before that record.
 */
u64 lkst_ring_reader_quiet_ns(const struct lkst_ring_reader *reader);

/* Number of the oldest block that is there: those before have been overwritten, or were cleared. */
u64 lkst_ring_oldest(const struct lkst_ring *ring);

/* How many blocks have been overwritten since the ring was made or cleared. */
u64 lkst_ring_overwritten(const struct lkst_ring *ring);

/* When block @reader->next begins, ns; 0: there is none yet. */
u64 lkst_ring_reader_next_ns(const struct lkst_ring_reader *reader);

/*
 * When the records were made that the ring of stream @instance has overwritten, from its block @wanted on
 * (0: all) up to its block @oldest, which begins at @begin_ns. Returns how many stretches of time
 * these are.
 */
unsigned int lkst_rings_find_lost(const struct lkst_rings *r, u64 instance, u64 wanted, u64 oldest,
				  u64 begin_ns, struct lkst_lost ret_lost[LKST_LOST_MAX]);

/*
 * From when on all records of a CPU and buffer are still there, ns: the oldest record, or later if an
 * interrupting writer's ring has wrapped since. 0: there is none.
 */
u64 lkst_rings_oldest_ns(const struct lkst_rings *r, u32 cpu, u32 buffer);

/* From when on all CPUs that recorded anything to @buffer have all of it, ns. 0: none has. */
u64 lkst_rings_covered_ns(const struct lkst_rings *r, u32 buffer);

#endif
