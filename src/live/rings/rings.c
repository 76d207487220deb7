/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying blocks out of rings while writers go on. bpf/ring.h states the rules that make it
 * right; each acquire here names the release there that it pairs with.
 */
#include "live/rings/rings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bsearch.h"
#include "base/time.h"
#include "live/rings/writers.h"

/* Where stores are in no order: what was stored on @cpu before what has been seen so far is seen, too, from now on. */
static void rings_order(const struct lkst_rings *r, u32 cpu)
{
	if (r->is_unordered)
		lkst_wait_for_writers_of(cpu, r->nr_cpus);
}

static void reader_order(const struct lkst_ring_reader *reader)
{
	rings_order(reader->rings, lkst_instance_cpu(reader->instance));
}

/* Pairs with the releases of `done` in lkst_ring_commit() and lkst_ring_turn(). */
static u64 load_done(const struct lkst_ring *ring)
{
	return __atomic_load_n(&ring->done, __ATOMIC_ACQUIRE);
}

/* The same, for what reads on below it. */
static u64 load_done_to_read(const struct lkst_ring_reader *reader)
{
	u64 done = load_done(reader->ring);

	if (done)
		reader_order(reader);
	return done;
}

/*
 * How many blocks have been opened after everything that was read before: pairs with the store in
 * lkst_ring_turn(), which comes before any store into a block that is entered.
 */
static u64 load_opened_after_copy(const struct lkst_ring_reader *reader)
{
	reader_order(reader);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&reader->ring->opened, __ATOMIC_RELAXED);
}

/* Number of the oldest block that is intact when @opened blocks have been opened. */
static u64 oldest_intact(const struct lkst_ring *ring, u64 opened)
{
	u64 first = __atomic_load_n(&ring->first, __ATOMIC_RELAXED);
	u64 intact = opened > (u64)ring->mask + 1 ? opened - ring->mask - 1 : 0;

	return intact > first ? intact : first;
}

u64 lkst_ring_oldest(const struct lkst_ring *ring)
{
	return oldest_intact(ring, __atomic_load_n(&ring->opened, __ATOMIC_RELAXED));
}

u64 lkst_ring_overwritten(const struct lkst_ring *ring)
{
	u64 first = __atomic_load_n(&ring->first, __ATOMIC_RELAXED),
	    oldest = lkst_ring_oldest(ring);

	return oldest > first ? oldest - first : 0;
}

static int rings_map(struct lkst_err *e, int fd, size_t wanted, void **ret_memory, size_t *ret_bytes,
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

int lkst_rings_map_control(struct lkst_err *e, int fd, struct lkst_control **ret_control)
{
	struct lkst_control *c;
	u32 value_size;
	size_t bytes;
	void *p;
	int err = rings_map(e, fd, sizeof(*c), &p, &bytes, &value_size);

	if (err)
		return err;
	c = p;
	if (c->magic != LKST_CONTROL_MAGIC || c->version != LKST_ABI_VERSION) {
		err = lkst_err_set(e, -EPROTO,
				   "the recording was started by a version of lkst with control "
				   "page version %u, not %u; stop it with `lkst stop`",
				   c->version, LKST_ABI_VERSION);
		munmap(p, bytes);
		return err;
	}
	*ret_control = c;
	return 0;
}

int lkst_rings_open(struct lkst_err *e, int memory_fd, int control_fd, struct lkst_rings *ret_rings)
{
	struct lkst_rings r = {};
	u32 value_size;
	void *p;
	int err = lkst_rings_map_control(e, control_fd, &r.control);

	if (err)
		return err;
	err = rings_map(e, memory_fd, LKST_STATE_SIZE, &p, &r.memory_bytes, &value_size);
	if (err) {
		munmap(r.control, sizeof(*r.control));
		return err;
	}
	r.memory = p;
	r.block_shift = __builtin_ctz(value_size);
	r.nr_cpus = r.control->nr_cpus;
	r.is_unordered = r.control->is_unordered;
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
	return __atomic_load_n(&lkst_rings_state(r, 0, buffer)->magic, __ATOMIC_ACQUIRE) ==
	       LKST_STATE_MAGIC;
}

static void rings_copy_marks(const struct lkst_rings *r, const struct lkst_state *st, struct lkst_marks *ret_marks)
{
	const struct lkst_marks *marks = &st->marks;
	int try;

	/* Pairs with the release in lkst_buffer_mark(): up to its number, marks are complete. */
	for (try = 0; try < 100; try++) {
		u64 nr = __atomic_load_n(&marks->nr, __ATOMIC_ACQUIRE);

		rings_order(r, st->cpu);
		*ret_marks = *marks;
		rings_order(r, st->cpu);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&marks->nr, __ATOMIC_RELAXED) == nr)
			return;
	}
	/* A CPU that switches all the time: only the beginning of that is known. */
	ret_marks->nr = 0;
}

unsigned int lkst_rings_find_lost(const struct lkst_rings *r, u64 instance, u64 wanted, u64 oldest,
				  u64 begin_ns, struct lkst_lost ret_lost[LKST_LOST_MAX])
{
	const struct lkst_state *st =
		lkst_rings_state(r, lkst_instance_cpu(instance), lkst_instance_buffer(instance));
	u32 level = lkst_instance_level(instance);
	u64 first = __atomic_load_n(&st->ring[level].first, __ATOMIC_RELAXED);
	struct lkst_marks marks;
	const struct lkst_lost_ring ring = {
		.marks = &marks,
		.level = level,
		.shift = r->block_shift,
		.first = first > wanted ? first : wanted,
		.oldest = oldest,
		.begin_ns = begin_ns,
	};

	if (oldest <= ring.first)
		return 0;
	rings_copy_marks(r, st, &marks);
	return lkst_lost_find(&ring, ret_lost);
}

static const u8 *block_memory(const struct lkst_ring_reader *reader, u64 number)
{
	size_t element = reader->base + (number & reader->mask);

	return reader->rings->memory + (element << reader->rings->block_shift);
}

/* Reads where the ring is now. While a buffer is made or resized that may be inconsistent: later, then. */
static void look_again(struct lkst_ring_reader *reader)
{
	const struct lkst_rings *r = reader->rings;
	u32 base = __atomic_load_n(&reader->ring->base, __ATOMIC_RELAXED);
	u32 mask = __atomic_load_n(&reader->ring->mask, __ATOMIC_RELAXED);

	if ((u64)base + mask >= r->memory_bytes >> r->block_shift)
		return;
	reader->base = base;
	reader->mask = mask;
}

void lkst_ring_reader_init(struct lkst_ring_reader *reader, const struct lkst_rings *r, u32 cpu,
			   u32 buffer, u32 level)
{
	memset(reader, 0, sizeof(*reader));
	reader->rings = r;
	reader->ring = &lkst_rings_state(r, cpu, buffer)->ring[level];
	reader->instance = lkst_stream_instance(cpu, buffer, level);
	reader->next = lkst_ring_oldest(reader->ring);
	look_again(reader);
}

/* True if @h heads block @number of this ring, and not of one that its memory was given to meanwhile. */
static bool is_block(const struct lkst_ring_reader *reader, const struct lkst_block_header *h,
		     u64 number)
{
	return h->magic == LKST_BLOCK_MAGIC && h->stream_instance_id == reader->instance &&
	       h->packet_seq_num == number;
}

/* The header of block @reader->next; NULL: there is none yet. */
static const struct lkst_block_header *next_header(const struct lkst_ring_reader *reader)
{
	const struct lkst_block_header *h = (const void *)block_memory(reader, reader->next);
	const struct lkst_rings *r = reader->rings;

	/* Where its fields may be seen in any order they are complete once `done` has passed them. */
	if (r->is_unordered && load_done_to_read(reader) <= reader->next << r->block_shift)
		return NULL;
	return is_block(reader, h, reader->next) ? h : NULL;
}

void lkst_ring_reader_rebase(struct lkst_ring_reader *reader)
{
	const struct lkst_block_header *h = next_header(reader);

	reader->discarded0 = h ? h->events_discarded : 0;
}

u64 lkst_ring_reader_next_ns(const struct lkst_ring_reader *reader)
{
	const struct lkst_block_header *h = next_header(reader);

	return h ? __atomic_load_n(&h->timestamp_begin, __ATOMIC_RELAXED) : 0;
}

/* Gives up the blocks that the writers have overwritten meanwhile. */
static void skip_overtaken(struct lkst_ring_reader *reader)
{
	u64 first = __atomic_load_n(&reader->ring->first, __ATOMIC_RELAXED);
	u64 oldest = lkst_ring_oldest(reader->ring);

	/* Blocks that were cleared do not count as overwritten. */
	if (first > reader->next)
		reader->next = first;
	if (oldest > reader->next) {
		reader->overtaken += oldest - reader->next;
		reader->next = oldest;
	}
}

static void repair_header(struct lkst_ring_reader *reader, void *block)
{
	struct lkst_block_header *h = block;

	/* The id that pages in memory have there must not get into a trace: whoever knows it could forge some. */
	memcpy(h->uuid, reader->rings->control->uuid, sizeof(h->uuid));
	h->events_discarded -=
		reader->discarded0 < h->events_discarded ? reader->discarded0 : h->events_discarded;
}

/* Keeps of the copies of @nr blocks from number @first on those that are good. Returns how many. */
static unsigned int keep_good(struct lkst_ring_reader *reader, u8 *copies, u64 first,
			      unsigned int nr)
{
	const size_t size = 1UL << reader->rings->block_shift;
	u64 oldest = oldest_intact(reader->ring, load_opened_after_copy(reader));
	unsigned int good = 0, i;

	for (i = 0; i < nr; i++) {
		u8 *copy = copies + i * size;

		if (first + i < oldest || !is_block(reader, (void *)copy, first + i)) {
			reader->overtaken++;
			continue;
		}
		repair_header(reader, copy);
		if (good < i)
			memmove(copies + good * size, copy, size);
		good++;
	}
	return good;
}

unsigned int lkst_ring_reader_closed(struct lkst_ring_reader *reader, void *buffer,
				     unsigned int max_blocks)
{
	const struct lkst_rings *r = reader->rings;
	/* A block is closed once something beyond its end is published. */
	u64 end = load_done(reader->ring) >> r->block_shift, first;
	unsigned int nr = 0;

	look_again(reader);
	skip_overtaken(reader);
	if (reader->next >= end)
		return 0;
	reader_order(reader);
	for (first = reader->next; nr < max_blocks && first + nr < end; nr++)
		memcpy((u8 *)buffer + ((size_t)nr << r->block_shift),
		       block_memory(reader, first + nr), 1UL << r->block_shift);
	reader->next += nr;
	return keep_good(reader, buffer, first, nr);
}

/* When the last record of block @number was made. */
static u64 end_ns(const struct lkst_ring_reader *reader, u64 number)
{
	const struct lkst_block_header *h = (const void *)block_memory(reader, number);

	return __atomic_load_n(&h->timestamp_end, __ATOMIC_RELAXED);
}

void lkst_ring_reader_seek(struct lkst_ring_reader *reader, u64 ns)
{
	u64 end = load_done_to_read(reader) >> reader->rings->block_shift;

	/* Blocks that are overwritten meanwhile only get younger, so the search stays right. */
	if (reader->next < end)
		reader->next += lkst_lower_bound(i, end - reader->next,
						 end_ns(reader, reader->next + i) < ns);
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
	reader_order(reader);
	/* Not younger than any record below `done`, because its time was stored before. */
	last = __atomic_load_n(&ring->last, __ATOMIC_RELAXED);
	look_again(reader);
	memcpy(buffer, block_memory(reader, number), 1UL << r->block_shift);
	if (oldest_intact(ring, load_opened_after_copy(reader)) > number)
		return -EAGAIN;
	if (!is_block(reader, h, number))
		return 0;
	memset((u8 *)buffer + content, 0, (1UL << r->block_shift) - content);
	h->content_size = content * 8;
	h->timestamp_end = last;
	repair_header(reader, buffer);
	return 1;
}

u64 lkst_ring_reader_quiet_ns(const struct lkst_ring_reader *reader)
{
	const struct lkst_state *st = lkst_rings_state(reader->rings,
						       lkst_instance_cpu(reader->instance),
						       lkst_instance_buffer(reader->instance));
	u64 now, last;
	int try;

	if (reader->rings->is_unordered) {
		now = lkst_monotonic_ns();
		/* Who has begun before has ended then, and its `done` is seen. */
		reader_order(reader);
		return now;
	}
	for (try = 0; try < 1000; try++) {
		now = lkst_monotonic_ns();
		/* A writer that counts itself in `nest` reads its clock after that (lkst_ring_reserve()). */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&st->nest, __ATOMIC_RELAXED) <=
		    lkst_instance_level(reader->instance))
			return now;
	}
	/* A CPU is held up within a record, whose time is at least this. */
	last = __atomic_load_n(&reader->ring->last, __ATOMIC_RELAXED);
	return last ? last - 1 : 0;
}

static u64 ring_oldest_ns(const struct lkst_rings *r, u32 cpu, u32 buffer, u32 level)
{
	struct lkst_ring_reader reader;
	int try;

	for (try = 0; try < 100; try++) {
		const struct lkst_block_header *h;
		u64 ns;

		lkst_ring_reader_init(&reader, r, cpu, buffer, level);
		if (load_done_to_read(&reader) >> r->block_shift < reader.next ||
		    !load_done(reader.ring))
			return 0;
		h = (const void *)block_memory(&reader, reader.next);
		ns = __atomic_load_n(&h->timestamp_begin, __ATOMIC_RELAXED);
		if (oldest_intact(reader.ring, load_opened_after_copy(&reader)) == reader.next)
			return ns;
	}
	return 0;
}

u64 lkst_rings_oldest_ns(const struct lkst_rings *r, u32 cpu, u32 buffer)
{
	const struct lkst_ring *rings = lkst_rings_state(r, cpu, buffer)->ring;
	u64 oldest = ring_oldest_ns(r, cpu, buffer, 0), ns;
	u32 level;

	for (level = 1; level < LKST_LEVELS; level++) {
		/* It has wrapped, so its oldest block is not the first that counts. */
		bool is_lapped = lkst_ring_oldest(&rings[level]) >
				 __atomic_load_n(&rings[level].first, __ATOMIC_RELAXED);

		ns = is_lapped ? ring_oldest_ns(r, cpu, buffer, level) : 0;
		oldest = ns > oldest ? ns : oldest;
	}
	return oldest;
}

u64 lkst_rings_covered_ns(const struct lkst_rings *r, u32 buffer)
{
	u64 begin = 0, ns;
	u32 cpu;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		ns = lkst_rings_oldest_ns(r, cpu, buffer);
		begin = ns > begin ? ns : begin;
	}
	return begin;
}
