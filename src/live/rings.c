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

/* Pairs with LKST_STORE_RELEASE(st->done) in lkst_ring_commit(). */
static u64 load_done(const struct lkst_state *st)
{
	return __atomic_load_n(&st->done, __ATOMIC_ACQUIRE);
}

/*
 * The head as it is after everything that was read before: pairs with the compare-and-swap in
 * lkst_ring_reserve(), which comes before any store into a block that it enters.
 */
static u64 load_head_after_copy(const struct lkst_state *st)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&st->head, __ATOMIC_RELAXED);
}

/* Number of the block that holds the byte before position @at. */
static u64 block_before(u64 at, u32 shift)
{
	return (at ? at - 1 : 0) >> shift;
}

/* Number of the oldest block that is intact as long as the head is at @head. */
static u64 oldest_intact(const struct lkst_state *st, u64 head)
{
	u64 newest = block_before(head, st->block_shift);

	return newest > st->mask ? newest - st->mask : 0;
}

u64 lkst_ring_oldest(const struct lkst_state *st)
{
	return oldest_intact(st, __atomic_load_n(&st->head, __ATOMIC_RELAXED));
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

static const u8 *block_memory(const struct lkst_rings *r, const struct lkst_state *st, u64 number)
{
	return r->memory + ((st->base + (number & st->mask)) << r->block_shift);
}

void lkst_ring_reader_init(struct lkst_ring_reader *reader, const struct lkst_rings *r, u32 cpu,
			   u32 buffer)
{
	memset(reader, 0, sizeof(*reader));
	reader->rings = r;
	reader->st = lkst_rings_state(r, cpu, buffer);
	reader->next = lkst_ring_oldest(reader->st);
}

void lkst_ring_reader_rebase(struct lkst_ring_reader *reader)
{
	const struct lkst_block_header *h =
		(const void *)block_memory(reader->rings, reader->st, reader->next);

	reader->discarded0 = load_done(reader->st) ? h->events_discarded : 0;
}

/* The writers are @behind blocks ahead: gives up what they have overwritten. */
static void skip_overtaken(struct lkst_ring_reader *reader)
{
	u64 oldest = lkst_ring_oldest(reader->st);

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
	struct lkst_state *st = reader->st;
	/* A block is closed once something beyond its end is published. */
	u64 done = load_done(st), end = block_before(done, r->block_shift);
	unsigned int nr = 0, bad = 0, i;
	u64 oldest;

	skip_overtaken(reader);
	while (nr < max_blocks && reader->next + nr < end) {
		memcpy((u8 *)buffer + ((size_t)nr << r->block_shift),
		       block_memory(r, st, reader->next + nr), 1UL << r->block_shift);
		nr++;
	}
	if (!nr)
		return 0;
	oldest = oldest_intact(st, load_head_after_copy(st));
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
	u64 low = reader->next,
	    high = block_before(load_done(reader->st), reader->rings->block_shift);

	/* Blocks that are overwritten meanwhile only get younger, so the search stays right. */
	while (low < high) {
		u64 middle = low + (high - low) / 2;
		const struct lkst_block_header *h =
			(const void *)block_memory(reader->rings, reader->st, middle);

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
	struct lkst_block_header *h = buffer;
	struct lkst_state *st = reader->st;
	u64 done = load_done(st), number = block_before(done, r->block_shift);
	u64 content = done - (number << r->block_shift), latest = 0;
	int level;

	if (!done || number < reader->next || content <= LKST_BLOCK_HEADER)
		return 0;
	if (number > reader->next)
		return -EAGAIN;
	/* Not younger than any record below `done`, for those stored their times before. */
	for (level = 0; level < LKST_LEVELS; level++) {
		u64 ns = __atomic_load_n(&st->last[level], __ATOMIC_RELAXED);

		latest = ns > latest ? ns : latest;
	}
	memcpy(buffer, block_memory(r, st, number), 1UL << r->block_shift);
	if (oldest_intact(st, load_head_after_copy(st)) > number)
		return -EAGAIN;
	memset((u8 *)buffer + content, 0, (1UL << r->block_shift) - content);
	h->content_size = content * 8;
	h->timestamp_end = latest;
	mend_header(reader, buffer);
	return 1;
}

u64 lkst_ring_oldest_ns(const struct lkst_rings *r, u32 cpu, u32 buffer)
{
	const struct lkst_state *st = lkst_rings_state(r, cpu, buffer);
	int try;

	for (try = 0; try < 100; try++) {
		u64 number = lkst_ring_oldest(st), ns;
		const struct lkst_block_header *h = (const void *)block_memory(r, st, number);

		if (!load_done(st))
			return 0;
		ns = __atomic_load_n(&h->timestamp_begin, __ATOMIC_RELAXED);
		if (oldest_intact(st, load_head_after_copy(st)) == number)
			return ns;
	}
	return 0;
}
