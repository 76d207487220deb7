// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost limit: leaves out the least valuable kinds of events while recording costs more than it
 * may, and takes them back later. A timer of the kernel runs it four times a second; no process is
 * needed, and the way of an event is as short as without it.
 *
 * How often each kind occurs is not counted anywhere: a few of the blocks that were filled since the
 * last look are looked through, and each record found in them stands for as many as blocks were
 * filled. A record is known by its time, which lies between the one before it and the block's
 * end: other words of a block do not by chance, since that is an interval of seconds in 2^48 ns.
 *
 * Context: a soft interrupt, which is not preempted on the kernels that this is used on (src/live/
 * budget.c refuses PREEMPT_RT), so that a record may be written as by any hook.
 */
#include "abi/budget.h"
#include "bpf/maskset.h"

enum {
	/* The blocks that are looked through for each CPU and look, and how much of each. */
	SAMPLE_BLOCKS = 4,
	SAMPLE_WORDS = (4096 - LKST_BLOCK_HEADER) / 8,

	TOO_CHEAP = 64, /* a kind that costs less than this part of the limit stays */
	CHANGES = 8,	/* kinds that one look leaves out at most */
	PPM = 1000000,
	CLOCK_MONOTONIC = 1, /* include/uapi/linux/time.h */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_budget);
} lkst_budget SEC(".maps");

/* As many as there are kinds. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_kind);
} lkst_kinds SEC(".maps");

struct budget_cpu {
	u64 opened[LKST_NR_BUFFERS]; /* blocks that its rings had opened at the last look ... */
	u32 page[LKST_NR_BUFFERS];   /* ... where these pages were in force */
	u32 ppm;		     /* what recording costs here, the mean of the last looks */
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct budget_cpu);
} lkst_budget_cpus SEC(".maps");

struct budget_timer {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct budget_timer);
} lkst_budget_timer SEC(".maps");

/* One look, as it goes on. */
struct look {
	struct lkst_budget *budget;
	u64 now, period;
	/* The CPU that is looked at, and what recording has cost there since the last look, ns. */
	struct budget_cpu *on;
	u32 cpu;
	u64 cost;
	u32 busiest_ppm, idle_ppm;
	u32 allowed_ppm; /* the limit, less what hooks of kinds that are left out still cost */
	u32 aim_ppm, left_ppm; /* what is to be left of the busiest CPU's cost, and what is */
	/* A search through the kinds: the best so far. */
	u32 best;
	u32 best_value;
	u64 best_ns;
};

/* ---- what it costs ------------------------------------------------------------------- */

/* A block that is looked through. */
struct scan {
	struct lkst_budget *budget;
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
	key = scan->budget->kind_of[word & LKST_ID_MAX];
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
	u32 zero = 0;

	scan.budget = bpf_map_lookup_elem(&lkst_budget, &zero);
	if (!scan.budget || !h)
		return 0;
	scan.last = h->timestamp_begin & mask;
	scan.end = h->timestamp_end & mask;
	bpf_loop(SAMPLE_WORDS, look_at_word, &scan, 0);
	return scan.ns;
}

/*
 * Adds what was recorded on the CPU in @buffer since the last look. Only the ring of the undisturbed is
 * looked at: nearly all records are there.
 */
static long look_at_buffer(u32 buffer, struct look *look)
{
	u64 opened, blocks, stride, nr, weight, cost = 0;
	struct budget_cpu *c = look->on;
	struct lkst_state *st;
	struct lkst_ring *ring;
	u32 cpu = look->cpu & (LKST_POSSIBLE_CPUS_MAX - 1), page, i;

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
					 weight, c->ppm > look->budget->limit_ppm / 8);
	look->cost += cost * weight;
	return 0;
}

static long look_at_cpu(void *map, const u32 *cpu, struct budget_cpu *c, struct look *look)
{
	look->on = c;
	look->cpu = *cpu;
	look->cost = 0;
	bpf_loop(LKST_NR_BUFFERS, look_at_buffer, look, 0);
	c->ppm = (c->ppm + look->cost * PPM / look->period) / 2;
	if (c->ppm > look->busiest_ppm)
		look->busiest_ppm = c->ppm;
	return 0;
}

/* ---- leaving out and taking back ------------------------------------------------------ */

/*
 * Sets or clears the bit that leaves out event @id (0: none), in all masksets. Entries are changed two
 * at a time, as one word, so that what user space writes meanwhile is not lost. Global as above.
 */
__weak __noinline int lkst_budget_mark(u32 id, u32 shed)
{
	const u32 bit = id & 1 ? LKST_HANDLER_SHED << 16 : LKST_HANDLER_SHED;
	const u32 nothing = id & 1 ? LKST_HANDLER_NOTHING << 16 : LKST_HANDLER_NOTHING;
	u32 set, try;

	for (set = 0; id && set < LKST_MASKSETS; set++) {
		u32 *pair = (u32 *)&lkst_control.route[set][id & LKST_ID_MAX & ~1U];

		for (try = 0; try < 4; try++) {
			u32 old = LKST_LOAD(*pair), new = shed ? old | bit : old & ~bit;

			if ((old & nothing) == nothing ||
			    __sync_val_compare_and_swap(pair, old, new) == old)
				break;
		}
	}
	return 0;
}

static __always_inline void put_name(char *to, const struct lkst_kind *kind)
{
	u32 i;

	for (i = 0; i < LKST_KIND_NAME && i <= kind->name_length; i++)
		to[i] = kind->name[i];
}

static __noinline void shed(struct look *look, struct lkst_kind *kind)
{
	const u32 size = sizeof(struct lkst_rec_shed_begin);
	struct lkst_rec_shed_begin *r;
	struct lkst_slot slot;

	kind->ppm = kind->ns * PPM / look->period;
	/*
	 * Whether it is still dear shows only when it is recorded again, so that is tried the less
	 * often the dearer it was, and less often still if it was too dear at once.
	 */
	if (kind->hold_s && look->now - kind->since_ns < 8ULL * kind->hold_s * 1000000000)
		kind->hold_s *= 2;
	else
		kind->hold_s = LKST_BUDGET_HOLD_S * (1 + kind->ppm / look->budget->limit_ppm);
	if (kind->hold_s > LKST_BUDGET_HOLD_MAX_S)
		kind->hold_s = LKST_BUDGET_HOLD_MAX_S;
	kind->since_ns = look->now;
	kind->times++;
	kind->is_shed = 1;
	look->budget->nr_shed++;
	lkst_budget_mark(kind->id[0], true);
	lkst_budget_mark(kind->id[1], true);
	lkst_maskset_changed();

	r = lkst_begin_own(&slot, size + kind->name_length + 1, size + LKST_KIND_NAME);
	if (!r)
		return;
	r->cost = kind->ppm;
	put_name(r->kind.bytes, kind);
	lkst_ring_commit(&slot, lkst_cfg.id[LKST_EV_shed_begin]);
}

static __noinline void take_back(struct look *look, struct lkst_kind *kind)
{
	const u32 size = sizeof(struct lkst_rec_shed_end);
	u64 left_out = look->now - kind->since_ns;
	struct lkst_rec_shed_end *r;
	struct lkst_slot slot;

	kind->shed_ns += left_out;
	kind->since_ns = look->now;
	kind->is_shed = 0;
	look->budget->nr_shed--;

	r = lkst_begin_own(&slot, size + kind->name_length + 1, size + LKST_KIND_NAME);
	if (r) {
		LKST_PUT64(r->left_out, left_out);
		put_name(r->kind.bytes, kind);
		lkst_ring_commit(&slot, lkst_cfg.id[LKST_EV_shed_end]);
	}
	lkst_budget_mark(kind->id[0], false);
	lkst_budget_mark(kind->id[1], false);
	lkst_maskset_changed();
}

/* A search for the kind to leave out: of the least valuable ones that cost enough the dearest. */
static long find_dearest(void *map, const u32 *key, struct lkst_kind *kind, struct look *look)
{
	if (kind->value == LKST_KIND_PRECIOUS || kind->is_shed ||
	    kind->ns * (PPM * TOO_CHEAP) / look->period < look->budget->limit_ppm ||
	    kind->value > look->best_value ||
	    (kind->value == look->best_value && kind->ns <= look->best_ns))
		return 0;
	look->best = *key;
	look->best_value = kind->value;
	look->best_ns = kind->ns;
	return 0;
}

/* A search for the kind to take back: of those whose time has come the most valuable. */
static long find_due(void *map, const u32 *key, struct lkst_kind *kind, struct look *look)
{
	if (!kind->is_shed || look->now - kind->since_ns < kind->hold_s * 1000000000ULL ||
	    (look->best != LKST_KIND_NONE && kind->value <= look->best_value))
		return 0;
	look->best = *key;
	look->best_value = kind->value;
	return 0;
}

/* Leaves out one more kind, unless the cost is down to the aim. */
static long shed_one(u32 i, struct look *look)
{
	struct lkst_kind *kind;

	if (look->left_ppm <= look->aim_ppm)
		return 1;
	look->best = LKST_KIND_NONE;
	look->best_value = LKST_KIND_PRECIOUS;
	look->best_ns = 0;
	bpf_for_each_map_elem(&lkst_kinds, find_dearest, look, 0);
	kind = bpf_map_lookup_elem(&lkst_kinds, &look->best);
	if (!kind)
		return 1;
	shed(look, kind);
	look->left_ppm -= kind->ppm < look->left_ppm ? kind->ppm : look->left_ppm;
	return 0;
}

static __noinline void keep_to_limit(struct look *look)
{
	/* Down to four fifths, so that not every breath is felt. */
	look->aim_ppm = look->allowed_ppm - look->allowed_ppm / 5;
	look->left_ppm = look->busiest_ppm;
	bpf_loop(CHANGES, shed_one, look, 0);
}

/* What was before must not count against what is recorded now. */
static long forget_mean(void *map, const u32 *cpu, struct budget_cpu *c, struct look *look)
{
	u32 most = look->allowed_ppm / 2;

	if (c->ppm > most)
		c->ppm = most;
	return 0;
}

/* What hooks of a kind that is left out still cost, as often as it occurred when it was left out. */
static __always_inline u32 idle_cost(const struct lkst_kind *kind)
{
	return kind->unit_ns ? (u64)kind->ppm * kind->idle_ns / kind->unit_ns : 0;
}

/* Begins a look. An old guess at what a hook costs does not count for ever: it is time to try. */
static long begin_look(void *map, const u32 *key, struct lkst_kind *kind, struct look *look)
{
	kind->ns = 0;
	if (kind->is_shed && look->now - kind->since_ns < kind->hold_s * 1000000000ULL)
		look->idle_ppm += idle_cost(kind);
	return 0;
}

static int on_timer(void *map, int *key, struct budget_timer *t)
{
	struct look look = {};
	struct lkst_kind *kind;
	u32 zero = 0, nr_shed;

	look.budget = bpf_map_lookup_elem(&lkst_budget, &zero);
	if (!look.budget)
		return 0;
	look.now = bpf_ktime_get_ns();
	look.period = look.now - look.budget->tick_ns;
	look.budget->tick_ns = look.now;
	if (!look.period)
		look.period = 1;
	nr_shed = look.budget->nr_shed;
	bpf_for_each_map_elem(&lkst_kinds, begin_look, &look, 0);
	look.budget->idle_ppm = look.idle_ppm;
	bpf_for_each_map_elem(&lkst_budget_cpus, look_at_cpu, &look, 0);
	look.budget->busiest_ppm = look.busiest_ppm;
	/* Where hooks alone cost too much, leaving out more does not help: some room stays. */
	look.allowed_ppm = look.budget->limit_ppm / 4;
	if (look.budget->idle_ppm < look.budget->limit_ppm - look.allowed_ppm)
		look.allowed_ppm = look.budget->limit_ppm - look.budget->idle_ppm;
	if (look.busiest_ppm > look.allowed_ppm) {
		keep_to_limit(&look);
		if (look.budget->nr_shed != nr_shed)
			bpf_for_each_map_elem(&lkst_budget_cpus, forget_mean, &look, 0);
	} else if (nr_shed) {
		look.best = LKST_KIND_NONE;
		bpf_for_each_map_elem(&lkst_kinds, find_due, &look, 0);
		kind = bpf_map_lookup_elem(&lkst_kinds, &look.best);
		if (kind)
			take_back(&look, kind);
	}
	bpf_timer_start(&t->timer, LKST_BUDGET_PERIOD_MS * 1000000ULL, 0);
	return 0;
}

/* User space runs this once. The timer lives as long as the map that it is in. */
SEC("syscall")
int syscall__budget_start(void *ctx)
{
	u32 zero = 0;
	struct budget_timer *t = bpf_map_lookup_elem(&lkst_budget_timer, &zero);
	int err;

	if (!t)
		return 1;
	err = bpf_timer_init(&t->timer, &lkst_budget_timer, CLOCK_MONOTONIC);
	if (!err)
		err = bpf_timer_set_callback(&t->timer, on_timer);
	if (!err)
		err = bpf_timer_start(&t->timer, LKST_BUDGET_PERIOD_MS * 1000000ULL, 0);
	return err ? 1 : 0;
}

/* A record like that of a switch. Global, so that it is verified once. */
LKST_RARE int lkst_budget_record(u32 tid)
{
	const u32 id = lkst_cfg.id[LKST_EV_shed_begin];
	struct lkst_rec_sched_switch *r;
	struct lkst_slot slot;

	r = lkst_begin(&slot, id, sizeof(*r), sizeof(*r));
	if (!r)
		return 0;
	r->next_tid = tid;
	r->prev_state = 0;
	r->prev_prio = 0;
	r->next_prio = 0;
	lkst_commit(&slot, id);
	return 0;
}

/*
 * What a record costs, without its hook: user space has the kernel run this, before anything is
 * attached, and clears the ring behind it. As a raw tracepoint's program it is not preempted
 * (net/bpf/test_run.c, bpf_prog_test_run_raw_tp()). Returns ns for LKST_BUDGET_MEASURE of them.
 */
SEC("raw_tp")
int raw_tp__budget_measure(void *ctx)
{
	u64 before = bpf_ktime_get_ns();
	u32 i;

#pragma unroll
	for (i = 0; i < LKST_BUDGET_MEASURE; i++)
		lkst_budget_record(i);
	return bpf_ktime_get_ns() - before;
}
