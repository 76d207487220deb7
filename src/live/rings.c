/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying blocks out of rings while writers go on. bpf/ring.h states the rules that make it
 * right; each acquire here names the release there that it pairs with.
 */
#include "live/rings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pairs with the releases of `done` in lkst_ring_commit() and lkst_ring_turn(). */
static u64 load_done(const struct lkst_ring *ring)
{
	return __atomic_load_n(&ring->done, __ATOMIC_ACQUIRE);
}

/*
 * How many blocks have been opened after everything that was read before: pairs with the store in
 * lkst_ring_turn(), which comes before any store into a block that is entered.
 */
static u64 load_opened_after_copy(const struct lkst_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&ring->opened, __ATOMIC_RELAXED);
}

/* Number of the oldest block that is intact when @opened blocks have been opened. */
static u64 oldest_intact(const struct lkst_ring *ring, u64 opened)
{
	return opened > (u64)ring->mask + 1 ? opened - ring->mask - 1 : 0;
}

u64 lkst_ring_oldest(const struct lkst_ring *ring)
{
	return oldest_intact(ring, __atomic_load_n(&ring->opened, __ATOMIC_RELAXED));
}

static int map(struct lkst_err *e, int fd, size_t wanted, void **ret_memory, size_t *ret_bytes,
	       u32 *ret_value_size)
{
	struct bpf_map_info info = {};
	u32 length = sizeof(info);
	size_t bytes;
	void *p;

	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		return lkst_err_sys(e, -errno, "asking for the size of a map");
	bytes = (size_t)info.value_size * info.max_entries;
	if (bytes < wanted)
		return lkst_err_set(e, -EPROTO,
				    "the recording was started by another version of lkst; stop it "
				    "with that version, or with `lkst stop`");
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return lkst_err_sys(e, -errno, "mapping a map of %zu bytes", bytes);
	*ret_memory = p;
	*ret_bytes = bytes;
	*ret_value_size = info.value_size;
	return 0;
}

int lkst_rings_open(struct lkst_err *e, int memory_fd, int control_fd, struct lkst_rings *ret_rings)
{
	struct lkst_rings r = {};
	size_t control_bytes;
	u32 value_size;
	void *p;
	int err;

	err = map(e, control_fd, sizeof(*r.control), &p, &control_bytes, &value_size);
	if (err)
		return err;
	r.control = p;
	err = map(e, memory_fd, LKST_STATE_SIZE, &p, &r.memory_bytes, &value_size);
	if (err) {
		munmap(r.control, sizeof(*r.control));
		return err;
	}
	r.memory = p;
	r.block_shift = __builtin_ctz(value_size);
	r.nr_cpus = r.control->nr_cpus;
	if (r.control->magic != LKST_CONTROL_MAGIC || r.control->version != LKST_ABI_VERSION) {
		err = lkst_err_set(e, -EPROTO,
				   "the recording was started by a version of lkst with control "
				   "page version %u, not %u; stop it with `lkst stop`",
				   r.control->version, LKST_ABI_VERSION);
		lkst_rings_close(&r);
		return err;
	}
	*ret_rings = r;
	return 0;
}

void lkst_rings_close(struct lkst_rings *r)
{
	if (r->memory)
		munmap(r->memory, r->memory_bytes);
	if (r->control)
		munmap(r->control, sizeof(*r->control));
	r->memory = NULL;
	r->control = NULL;
}

struct lkst_state *lkst_rings_state(const struct lkst_rings *r, u32 cpu, u32 buffer)
{
	size_t element = (size_t)buffer * r->nr_cpus + cpu;

	return (struct lkst_state *)(r->memory + (element << r->block_shift));
}

bool lkst_rings_has(const struct lkst_rings *r, u32 buffer)
{
	return lkst_rings_state(r, 0, buffer)->magic == LKST_STATE_MAGIC;
}

static const u8 *block_memory(const struct lkst_rings *r, const struct lkst_ring *ring, u64 number)
{
	return r->memory + ((ring->base + (number & ring->mask)) << r->block_shift);
}

void lkst_ring_reader_init(struct lkst_ring_reader *reader, const struct lkst_rings *r, u32 cpu,
			   u32 buffer, u32 level)
{
	memset(reader, 0, sizeof(*reader));
	reader->rings = r;
	reader->ring = &lkst_rings_state(r, cpu, buffer)->ring[level];
	reader->instance = lkst_stream_instance(cpu, buffer, level);
	reader->next = lkst_ring_oldest(reader->ring);
}

void lkst_ring_reader_rebase(struct lkst_ring_reader *reader)
{
	const struct lkst_block_header *h =
		(const void *)block_memory(reader->rings, reader->ring, reader->next);

	reader->discarded0 = load_done(reader->ring) ? h->events_discarded : 0;
}

/* Gives up the blocks that the writers have overwritten meanwhile. */
static void skip_overtaken(struct lkst_ring_reader *reader)
{
	u64 oldest = lkst_ring_oldest(reader->ring);

	if (oldest > reader->next) {
		reader->overtaken += oldest - reader->next;
		reader->next = oldest;
	}
}

static void mend_header(struct lkst_ring_reader *reader, void *block)
{
	struct lkst_block_header *h = block;

	h->events_discarded -=
		reader->discarded0 < h->events_discarded ? reader->discarded0 : h->events_discarded;
}

unsigned int lkst_ring_reader_closed(struct lkst_ring_reader *reader, void *buffer,
				     unsigned int max_blocks)
{
	const struct lkst_rings *r = reader->rings;
	const struct lkst_ring *ring = reader->ring;
	/* A block is closed once something beyond its end is published. */
	u64 end = load_done(ring) >> r->block_shift;
	unsigned int nr = 0, bad = 0, i;
	u64 oldest;

	skip_overtaken(reader);
	while (nr < max_blocks && reader->next + nr < end) {
		memcpy((u8 *)buffer + ((size_t)nr << r->block_shift),
		       block_memory(r, ring, reader->next + nr), 1UL << r->block_shift);
		nr++;
	}
	if (!nr)
		return 0;
	oldest = oldest_intact(ring, load_opened_after_copy(ring));
	if (oldest > reader->next) {
		bad = oldest - reader->next < nr ? oldest - reader->next : nr;
		reader->overtaken += bad;
		memmove(buffer, (u8 *)buffer + ((size_t)bad << r->block_shift),
			(size_t)(nr - bad) << r->block_shift);
	}
	reader->next += nr;
	for (i = 0; i < nr - bad; i++)
		mend_header(reader, (u8 *)buffer + ((size_t)i << r->block_shift));
	return nr - bad;
}

void lkst_ring_reader_seek(struct lkst_ring_reader *reader, u64 ns)
{
	u64 low = reader->next, high = load_done(reader->ring) >> reader->rings->block_shift;

	/* Blocks that are overwritten meanwhile only get younger, so the search stays right. */
	while (low < high) {
		u64 middle = low + (high - low) / 2;
		const struct lkst_block_header *h =
			(const void *)block_memory(reader->rings, reader->ring, middle);

		if (__atomic_load_n(&h->timestamp_end, __ATOMIC_RELAXED) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	reader->next = low;
}

int lkst_ring_reader_open_block(struct lkst_ring_reader *reader, void *buffer)
{
	const struct lkst_rings *r = reader->rings;
	const struct lkst_ring *ring = reader->ring;
	struct lkst_block_header *h = buffer;
	u64 done = load_done(ring), number = done >> r->block_shift, last;
	u64 content = done - (number << r->block_shift);

	if (content <= LKST_BLOCK_HEADER || number < reader->next)
		return 0;
	if (number > reader->next)
		return -EAGAIN;
	/* Not younger than any record below `done`, for its time was stored before. */
	last = __atomic_load_n(&ring->last, __ATOMIC_RELAXED);
	memcpy(buffer, block_memory(r, ring, number), 1UL << r->block_shift);
	if (oldest_intact(ring, load_opened_after_copy(ring)) > number)
		return -EAGAIN;
	memset((u8 *)buffer + content, 0, (1UL << r->block_shift) - content);
	h->content_size = content * 8;
	h->timestamp_end = last;
	mend_header(reader, buffer);
	return 1;
}

static u64 ring_oldest_ns(const struct lkst_rings *r, const struct lkst_ring *ring)
{
	int try;

	for (try = 0; try < 100; try++) {
		u64 number = lkst_ring_oldest(ring), ns;
		const struct lkst_block_header *h = (const void *)block_memory(r, ring, number);

		if (!load_done(ring))
			return 0;
		ns = __atomic_load_n(&h->timestamp_begin, __ATOMIC_RELAXED);
		if (oldest_intact(ring, load_opened_after_copy(ring)) == number)
			return ns;
	}
	return 0;
}

u64 lkst_rings_oldest_ns(const struct lkst_rings *r, u32 cpu, u32 buffer)
{
	const struct lkst_ring *rings = lkst_rings_state(r, cpu, buffer)->ring;
	u64 oldest = ring_oldest_ns(r, &rings[0]), ns;
	u32 level;

	for (level = 1; level < LKST_LEVELS; level++) {
		ns = lkst_ring_oldest(&rings[level]) ? ring_oldest_ns(r, &rings[level]) : 0;
		oldest = ns > oldest ? ns : oldest;
	}
	return oldest;
}
