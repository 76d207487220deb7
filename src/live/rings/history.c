/* SPDX-License-Identifier: GPL-2.0-only */
/* How much history the memory holds. */
#include "live/rings/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/rings/memory.h"

enum { TRIES = 4 };

static u64 done_of(const struct lkst_rings *r, u32 cpu, u32 buffer)
{
	return __atomic_load_n(&lkst_rings_state(r, cpu, buffer)->ring[0].done, __ATOMIC_ACQUIRE);
}

static u64 bytes_of(const struct lkst_rings *r, u32 cpu, u32 buffer)
{
	return (u64)(lkst_rings_state(r, cpu, buffer)->ring[0].mask + 1) << r->block_shift;
}

/* The rate at which blocks were filled since @from_ns, or since the oldest that is there. */
static double rate_since(const struct lkst_rings *r, u32 cpu, u32 buffer, u64 from_ns)
{
	struct lkst_ring_reader reader;
	u64 begin_ns, done, now;
	int try;

	for (try = 0; try < TRIES; try++) {
		lkst_ring_reader_init(&reader, r, cpu, buffer, 0);
		lkst_ring_reader_seek(&reader, from_ns);
		begin_ns = lkst_ring_reader_next_ns(&reader);
		/* Unless it was overwritten just now. */
		if (lkst_ring_oldest(reader.ring) <= reader.next)
			break;
	}
	done = done_of(r, cpu, buffer);
	now = lkst_monotonic_ns();
	if (!begin_ns || begin_ns >= now || done <= reader.next << r->block_shift)
		return 0;
	return (double)(done - (reader.next << r->block_shift)) * 1e9 / (double)(now - begin_ns);
}

/* Takes @rate of @cpu if that fills the buffer the fastest so far. */
static void history_take(struct lkst_held *h, const struct lkst_rings *r, u32 cpu, u32 buffer, double rate)
{
	u64 bytes = bytes_of(r, cpu, buffer);
	double seconds = rate > 0 ? (double)bytes / rate : 0;

	if (h->bytes && (!(rate > 0) || (h->rate > 0 && seconds >= h->seconds)))
		return;
	*h = (struct lkst_held){
		.buffer = buffer, .cpu = cpu, .bytes = bytes, .rate = rate, .seconds = seconds
	};
	snprintf(h->name, sizeof(h->name), "%.*s", LKST_BUFFER_NAME - 1,
		 r->control->buffer_name[buffer]);
}

/* The memory that the wish takes at main's rate. */
static void fill_wish(const struct lkst_rings *r, struct lkst_history *h)
{
	_cleanup_(lkst_memory_free) struct lkst_memory memory = {};

	h->is_wished = r->control->wish_ns != 0;
	h->wish_s = h->is_wished ? (double)r->control->wish_ns / 1e9 : LKST_HISTORY_EXAMPLE_S;
	h->buffer_bytes = lkst_history_choose(h->held[0].rate, h->wish_s, LKST_BUFFER_BYTES_MIN,
					      2 * LKST_BUFFER_BYTES_MAX);
	if (h->buffer_bytes > LKST_BUFFER_BYTES_MAX ||
	    lkst_memory_plan(NULL, h->buffer_bytes, 1ULL << r->block_shift, h->buffer_bytes / 4, 0,
			     r->control->sample_ns || r->control->off_cpu_ns,
			     &memory))
		h->buffer_bytes = 0;
	h->memory_bytes = h->buffer_bytes ? memory.bytes : 0;
}

void lkst_history_look(const struct lkst_rings *r, struct lkst_history *ret)
{
	const u64 window_ns = LKST_HISTORY_WINDOW_S * 1000000000ULL;
	u64 now = lkst_monotonic_ns(), from_ns = now > window_ns ? now - window_ns : 0;
	u32 buffer, cpu;

	*ret = (struct lkst_history){};
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++) {
		struct lkst_held *h = &ret->held[ret->nr];

		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++)
			history_take(h, r, cpu, buffer, rate_since(r, cpu, buffer, from_ns));
		ret->nr += h->bytes != 0;
	}
	fill_wish(r, ret);
}

int lkst_history_measure(struct lkst_err *e, const struct lkst_rings *r, unsigned int ms,
			 struct lkst_history *ret)
{
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };
	_cleanup_free_ u64 *before = calloc((size_t)r->nr_cpus * LKST_NR_BUFFERS, sizeof(*before));
	u64 from_ns = lkst_monotonic_ns();
	u32 buffer, cpu;
	double seconds;

	if (!before)
		return lkst_err_sys(e, -ENOMEM, "measuring how fast the buffers are filled");
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++)
			before[buffer * r->nr_cpus + cpu] = done_of(r, cpu, buffer);
	nanosleep(&pause, NULL);
	*ret = (struct lkst_history){};
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++) {
		struct lkst_held *h = &ret->held[ret->nr];

		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++) {
			u64 bytes = done_of(r, cpu, buffer) - before[buffer * r->nr_cpus + cpu];

			seconds = (double)(lkst_monotonic_ns() - from_ns) / 1e9;
			history_take(h, r, cpu, buffer, (double)bytes / seconds);
		}
		ret->nr += h->bytes != 0;
	}
	fill_wish(r, ret);
	return 0;
}

u64 lkst_history_choose(double rate, double wish_s, u64 least_bytes, u64 most_bytes)
{
	u64 bytes = least_bytes;

	while ((double)bytes < rate * wish_s && bytes < most_bytes)
		bytes *= 2;
	return bytes;
}

/* The power of two from @least to @most that all CPUs may have, so that it is @limit in all. */
static u64 largest_within(u64 limit, u64 least, u64 most)
{
	_cleanup_free_ u8 *online = NULL;
	u32 nr_online = 1;
	u64 bytes = least;

	online = lkst_memory_find_online(LKST_POSSIBLE_CPUS_MAX, &nr_online);
	while (bytes < most && bytes * 2 * (nr_online ? nr_online : 1) <= limit)
		bytes *= 2;
	return bytes;
}

u64 lkst_history_most(void)
{
	return largest_within(lkst_memory_total() / LKST_HISTORY_PART, LKST_BUFFER_BYTES_MIN, LKST_BUFFER_BYTES_MAX);
}

u64 lkst_history_usual(void)
{
	const u64 of_all = lkst_memory_total() / LKST_USUAL_PART;
	const u64 of_free = lkst_memory_available() / LKST_USUAL_FREE_PART;

	return largest_within(of_all < of_free ? of_all : of_free, LKST_USUAL_MIN, LKST_USUAL_MAX);
}
