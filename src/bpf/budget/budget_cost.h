/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What recording costs.
 *
 * How often each kind occurs is not counted anywhere. Instead a few of the blocks that were filled since the
 * last look are sampled, and the records found in them stand for those of all blocks that were filled. A record
 * is recognised by its time, which lies between that of the record before it and the block's end. It is unlikely
 * that another word of a block lies there by chance, since that is an interval of seconds in 2^48 ns.
 *
 * Runs of a hook's program that record nothing are counted, in lkst_idle.
 */
#ifndef LKST_BPF_BUDGET_BUDGET_COST_H
#define LKST_BPF_BUDGET_BUDGET_COST_H

#include "bpf/budget/budget_shared.h"

/* The blocks that are looked through for each CPU and look, and how much of each. */
enum {
	SAMPLE_BLOCKS = 4,
	SAMPLE_WORDS = (4096 - LKST_BLOCK_HEADER) / 8,
};

/* A block that is looked through. */
struct scan {
	u64 *words;
	u64 last, end; /* times: of the record before, of the block's end */
	u64 ns;
	u64 weight;
	u32 is_busy;
};

/* Word @i of a block's records. */
static long look_at_word(u32 i, struct scan *scan)
{
	u64 word, time;
	struct lkst_kind *kind;
	u32 key;

	if (i >= SAMPLE_WORDS)
		return 1;
	word = LKST_LOAD(scan->words[LKST_BLOCK_HEADER / 8 + i]);
	time = word >> 16;
	if (time - scan->last > scan->end - scan->last)
		return 0;
	key = lkst_budget.kind_of[word & LKST_ID_MAX];
	kind = bpf_map_lookup_elem(&lkst_kinds, &key);
	if (!kind)
		return 0;
	scan->last = time;
	scan->ns += kind->unit_ns;
	if (scan->is_busy)
		kind->ns += kind->unit_ns * scan->weight;
	return 0;
}

/*
 * What the records in block @element cost in all, in ns, and, @is_busy, to each kind @weight times
 * what its records cost. Global, so that it is verified once and not for each block.
 */
__weak __noinline u64 lkst_budget_scan(u32 element, u64 weight, u32 is_busy)
{
	const u64 mask = (1ULL << LKST_TIME_BITS) - 1;
	struct lkst_block_header *h = lkst_element(element);
	struct scan scan = { .words = (void *)h, .weight = weight, .is_busy = is_busy };

	if (!h)
		return 0;
	scan.last = h->timestamp_begin & mask;
	scan.end = h->timestamp_end & mask;
	bpf_loop(SAMPLE_WORDS, look_at_word, &scan, 0);
	return scan.ns;
}

/*
 * Adds what was recorded on the CPU in @buffer since the last look. Only the ring of level 0 is looked at:
 * nearly all records are there.
 */
static long look_at_buffer(u32 buffer)
{
	u64 opened, blocks, stride, nr, weight, cost = 0;
	u32 of = look.cpu, cpu = of & (LKST_POSSIBLE_CPUS_MAX - 1), page, i;
	struct budget_cpu *c = bpf_map_lookup_elem(&lkst_budget_cpus, &of);
	struct lkst_state *st;
	struct lkst_ring *ring;

	if (!c)
		return 1;
	buffer &= LKST_NR_BUFFERS - 1;
	page = LKST_LOAD(lkst_control.page[buffer][cpu]);
	/* A buffer that is not there has main's page. */
	if (buffer != LKST_BUFFER_MAIN &&
	    page == LKST_LOAD(lkst_control.page[LKST_BUFFER_MAIN][cpu]))
		return 0;
	st = lkst_element(page);
	if (!st)
		return 0;
	ring = &st->ring[0];
	opened = LKST_LOAD(ring->opened);
	blocks = c->page[buffer] == page ? opened - c->opened[buffer] : 0;
	c->page[buffer] = page;
	c->opened[buffer] = opened;
	/* Those that may be overwritten while they are read are left alone. */
	nr = blocks < ring->mask / 2 ? blocks : ring->mask / 2;
	stride = nr / SAMPLE_BLOCKS + 1;
	nr = (nr + stride - 1) / stride;
	weight = nr ? (blocks << (LKST_SHIFT() - LKST_BLOCK_SHIFT_MIN)) / nr : 0;
	for (i = 0; i < SAMPLE_BLOCKS && i < nr && opened >= 2 + i * stride; i++)
		/* The last one opened is not full yet. */
		cost += lkst_budget_scan(ring->base + ((opened - 2 - i * stride) & ring->mask),
					 weight, c->ppm > lkst_budget.limit_ppm / 8);
	look.cost += cost * weight;
	return 0;
}

/* The time of runs for the events of @kind that recorded nothing, on one CPU, since recording began. */
static __always_inline u64 ran_for(const struct lkst_idle *idle, const struct lkst_kind *kind)
{
	u64 runs = LKST_LOAD(idle->runs[kind->id[0] & LKST_ID_MAX]);

	if (kind->id[1])
		runs += LKST_LOAD(idle->runs[kind->id[1] & LKST_ID_MAX]);
	return kind->id[0] ? runs * kind->idle_ns : 0;
}

static long add_idle(void *map, const u32 *key, struct lkst_kind *kind)
{
	struct lkst_idle *idle = bpf_map_lookup_elem(&lkst_idle, &look.cpu);
	u32 of = kind->group;
	struct lkst_hook_group *group;
	u64 ns;

	ns = idle ? ran_for(idle, kind) : 0;
	look.ran_ns += ns;
	group = ns ? bpf_map_lookup_elem(&lkst_hook_groups, &of) : NULL;
	if (group)
		group->idle_ns += ns;
	return 0;
}

/* How much a sum of counters of runs has grown. It may have become less (struct lkst_idle): then by 0. */
static __always_inline u64 since(u64 now, u64 before)
{
	return now > before ? now - before : 0;
}

static long look_at_cpu(void *map, const u32 *cpu, struct budget_cpu *c)
{
	u64 idle_ns;

	look.cpu = *cpu;
	look.cost = look.ran_ns = 0;
	bpf_loop(LKST_NR_BUFFERS, look_at_buffer, NULL, 0);
	/* What it costs is worked out; it cannot be more than the time that there was. */
	if (look.cost > look.period)
		look.cost = look.period;
	c->ppm = (c->ppm + look.cost * PPM / look.period) / 2;
	if (c->ppm > look.busiest_ppm)
		look.busiest_ppm = c->ppm;
	bpf_for_each_map_elem(&lkst_kinds, add_idle, NULL, 0);
	idle_ns = since(look.ran_ns, c->ran_ns);
	if (idle_ns > look.period - look.cost)
		idle_ns = look.period - look.cost;
	c->ran_ns = look.ran_ns;
	/* The time of hooks that were detached since does not count. */
	c->idle_ppm = look.is_settling ? 0 : (c->idle_ppm + idle_ns * PPM / look.period) / 2;
	if (c->idle_ppm > look.idle_ppm)
		look.idle_ppm = c->idle_ppm;
	return 0;
}

#endif
