/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The exhaustive interleaving of bpf/ring.h, the source that the kernel programs include: writers
 * nested at every step, a crash and a reader anywhere, a clock that steps back or leaps. Depth first
 * over lists of decisions, each run from its start. And the other way round: every rule of ring.h, once
 * broken, is noticed.
 * timeout: 1200
 */
#include "model/claims.h"
#include "lib/unit.h"

/* Empties the ring and lets the scenario's first writers run undisturbed. */
static void model_begin(const struct scenario *sc)
{
	struct scenario before = *sc;
	u32 i;

	if (!m.memory) {
		m.memory = calloc(2, MODEL_MEMORY);
		if (!m.memory)
			abort();
		m.shadow = m.memory + MODEL_MEMORY;
	}
	memset(m.st, 0, sizeof(m.st));
	memset(&m.run, 0, sizeof(m.run));
	m.nr_held = 0;
	memset(&m.reader, 0, offsetof(struct model_reader, copy));
	memset(m.memory, 0, MODEL_MEMORY);
	for (i = 0; i < MODEL_RINGS; i++) {
		struct lkst_state *st = &m.st[i / LKST_LEVELS];
		struct lkst_ring *ring = &st->ring[i % LKST_LEVELS];

		st->cpu = MODEL_CPU;
		st->buffer = MODEL_BUFFER + i / LKST_LEVELS;
		ring->base = ring->element = MODEL_BASE + i * sc->nr_blocks;
		ring->mask = sc->nr_blocks - 1;
		ring->level = i % LKST_LEVELS;
		ring->page = MODEL_STATE + i / LKST_LEVELS;
	}
	m.run.now = MODEL_START;
	m.failed = false;
	m.nr_choices = m.nr_prefix = m.cursor = 0;
	before.nr_nested = before.backs = before.leaps = 0;
	before.reader = before.moves = before.is_unordered = before.fences = false;
	m.sc = &before;
	model_sync_shadow();
	for (i = 0; i < sc->nr_before; i++)
		model_writer();
	m.sc = sc;
	model_sync_shadow();
	model_show_all();
}

/* All writers of one run. */
static void model_run_once(const struct scenario *sc)
{
	u32 i;

	m.cursor = 0;
	m.nr_log = 0;
	memset(&m.reader, 0, offsetof(struct model_reader, copy));
	for (i = 0; i < sc->nr_outer; i++)
		model_writer();
	model_check_rest();
	m.nr_interleavings++;
}

/* Every run of @sc with rule @mutant broken, up to the first that breaks a claim. */
static void model_explore(const struct scenario *sc, u32 mutant)
{
	static struct {
		u8 memory[MODEL_MEMORY];
		struct lkst_state st[MODEL_PAGES];
		struct run run;
	} start;
	size_t bytes, states;

	m.mutant = MUTANT_NONE;
	model_begin(sc);
	m.mutant = mutant;
	bytes = model_nr_rings() * model_ring_bytes();
	states = model_nr_pages() * sizeof(m.st[0]);
	memcpy(start.memory, m.memory, bytes);
	memcpy(start.st, m.st, states);
	start.run = m.run;
	do {
		memcpy(m.memory, start.memory, bytes);
		memcpy(m.st, start.st, states);
		m.run = start.run;
		m.current = NULL;
		m.depth = 0;
		model_sync_shadow();
		if (sc->is_unordered)
			model_show_all();
		model_run_once(sc);
	} while (!m.failed && model_next_prefix());
}

static void model_print_failure(const struct scenario *sc)
{
	const struct decision *d;

	printf("# %s\n", m.failure);
	printf("#   %u blocks of %u bytes; %u writers of %u bytes, then %u of %u, %u, %u, %u (+%u)\n",
	       sc->nr_blocks, 1U << sc->shift, sc->nr_before, sc->size_before, sc->nr_outer,
	       sc->sizes[0], sc->sizes[1], sc->sizes[2], sc->sizes[3], sc->extra);
	for (d = m.log; d < m.log + m.nr_log; d++)
		printf("#   writer %u at depth %u, before \"%s\": %s\n", d->writer, d->depth,
		       d->where, d->what);
}

/* Explores @sc with ring.h as it is: no claim may break. */
static bool model_holds(const struct scenario *sc)
{
	model_explore(sc, MUTANT_NONE);
	if (m.failed)
		model_print_failure(sc);
	return !m.failed;
}

#if IS_SANITIZED
enum { NR_DRAWN = 5000, EVERY = 4 }; /* of each shape; and of the scenarios: it is slow */
#else
enum { NR_DRAWN = 200000, EVERY = 1 };
#endif

/*
 * @sc from every place of the ring: each number of writers before it from @from to @to (four are
 * a lap), and each pattern of sizes. So a block turn falls into the first writer or into none; one
 * that interrupts it begins its own ring.
 */
static bool model_holds_everywhere(struct scenario sc, u32 from, u32 to)
{
	/* In a block of 128 bytes there is room for 32: two small records, or a large one. */
	static const u32 sizes[][4] = {
		{ 12, 12, 12, 12 },
		{ 32, 32, 32, 32 },
		{ 16, 24, 12, 32 },
		{ 21, 13, 32, 17 },
	};
	size_t i;
	bool good = true;

	for (sc.nr_before = from; sc.nr_before <= to; sc.nr_before++) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i += sc.reader ? 1 : EVERY) {
			memcpy(sc.sizes, sizes[i], sizeof(sc.sizes));
			good &= model_holds(&sc);
		}
	}
	return good;
}

static const struct scenario two_blocks = {
	.shift = 7,
	.nr_blocks = 2,
	.nr_outer = 1,
	.depth = 4,
	.size_before = 12,
};

TEST(one_nested)
{
	struct scenario sc = two_blocks;

	sc.nr_nested = 1;
	sc.backs = 2;
	sc.fine = true;
	CHECK(model_holds_everywhere(sc, 0, 6));
	sc.extra = 8;
	CHECK(model_holds_everywhere(sc, 0, 6));
}

TEST(two_nested)
{
	struct scenario sc = two_blocks;

	sc.nr_nested = 2;
	sc.backs = 1;
	sc.fine = true;
	CHECK(model_holds_everywhere(sc, 0, 2));
}

TEST(three_nested)
{
	struct scenario sc = two_blocks;

	sc.nr_nested = 3;
	CHECK(model_holds_everywhere(sc, 1, 1));
}

TEST(sequence)
{
	struct scenario sc = two_blocks;

	sc.nr_outer = 3;
	sc.nr_nested = 2;
	CHECK(model_holds_everywhere(sc, 0, 2));
}

TEST(moves)
{
	struct scenario sc = two_blocks;

	sc.moves = true;
	sc.nr_outer = 3;
	sc.nr_nested = 1;
	m.run.nr_moves = 0;
	CHECK(model_holds_everywhere(sc, 0, 3));
	CHECK(m.run.nr_moves);
	sc.nr_outer = 2;
	sc.nr_nested = 2;
	CHECK(model_holds_everywhere(sc, 1, 2));
	sc.drops = true;
	sc.leaps = 1;
	sc.nr_nested = 1;
	CHECK(model_holds_everywhere(sc, 0, 3));
}

TEST(dropped)
{
	struct scenario sc = two_blocks;

	sc.drops = true;
	sc.nr_outer = 2;
	sc.nr_nested = 1;
	sc.leaps = 1;
	CHECK(model_holds_everywhere(sc, 0, 3));
}

TEST(four_blocks)
{
	struct scenario sc = two_blocks;

	sc.nr_blocks = 4;
	sc.nr_nested = 2;
	CHECK(model_holds_everywhere(sc, 0, 3));
}

TEST(five_levels)
{
	struct scenario sc = two_blocks;

	sc.shift = 8;
	sc.depth = LKST_LEVELS + 1;
	sc.nr_nested = LKST_LEVELS;
	sc.chain = true;
	memcpy(sc.sizes, (u32[]){ 40, 60, 24, 100 }, sizeof(sc.sizes));
	CHECK(model_holds(&sc));
}

TEST(silence)
{
	struct scenario sc = two_blocks;

	sc.leaps = 1;
	sc.nr_nested = 2;
	CHECK(model_holds_everywhere(sc, 0, 1));
	sc.nr_outer = 2;
	sc.nr_nested = 1;
	CHECK(model_holds_everywhere(sc, 0, 3));
}

TEST(reader)
{
	struct scenario sc = two_blocks;

	sc.reader = true;
	m.nr_accepted = m.nr_dropped = 0;
	CHECK(model_holds_everywhere(sc, 2, 3));
	CHECK(m.nr_accepted);
	CHECK(m.nr_dropped);
}

/* A reader on another CPU that sees the stores in another order. */
static struct scenario unordered(bool fences, u32 waits)
{
	struct scenario sc = two_blocks;

	memcpy(sc.sizes, (u32[]){ 32, 12, 12, 12 }, sizeof(sc.sizes));
	sc.reader = sc.is_unordered = sc.is_short = true;
	sc.fences = fences;
	sc.waits = waits;
	sc.nr_held = IS_SANITIZED ? 1 : 2;
	return sc;
}

/* With two to five writers before: the one that is watched turns to a block, or not. */
static bool unordered_holds(bool fences, u32 waits)
{
	struct scenario sc = unordered(fences, waits);

	for (sc.nr_before = 2; sc.nr_before <= 5; sc.nr_before++) {
		model_explore(&sc, MUTANT_NONE);
		if (m.failed)
			return false;
	}
	return true;
}

TEST(unordered)
{
	m.nr_accepted = m.nr_dropped = 0;
	CHECK(unordered_holds(true, 0));
	CHECK(unordered_holds(false, WAITS_BEFORE | WAITS_BEHIND));
	CHECK(m.nr_accepted);
	CHECK(m.nr_dropped);
	CHECK(!unordered_holds(false, 0));
	CHECK(!unordered_holds(false, WAITS_BEFORE));
	CHECK(!unordered_holds(false, WAITS_BEHIND));
}

enum { NR_SHAPES = 5 };

/* @nr_writers in a ring of shape @shape: interrupts, times and sizes drawn, a reader all along. */
static bool model_draw(u32 shape, u32 nr_writers, u32 mutant)
{
	static const struct {
		u32 shift, nr_blocks, odds, nr_nested;
	} shapes[NR_SHAPES] = {
		{ 8, 4, 16, 40 }, { 7, 2, 40, 4 },  { 7, 8, 20, 20 },
		{ 8, 2, 30, 8 },  { 9, 2, 20, 20 },
	};
	struct scenario sc = two_blocks;

	sc.depth = LKST_LEVELS + 1;
	sc.backs = ~0U;
	sc.leaps = 1;
	sc.reader = true;
	sc.extra = 4;
	sc.drops = shape & 1;
	sc.moves = shape & 2;
	sc.shift = shapes[shape].shift;
	sc.nr_blocks = shapes[shape].nr_blocks;
	sc.nr_nested = shapes[shape].nr_nested;
	m.odds = shapes[shape].odds;
	m.random = 0x9e3779b97f4a7c15ULL + shape;
	m.mutant = mutant;
	model_begin(&sc);
	while (m.run.nr_writers < nr_writers && !m.failed) {
		m.run.nr_nested = m.run.nr_leaps = m.nr_log = 0;
		model_writer();
		model_check_rest();
	}
	m.random = 0;
	m.nr_writers += m.run.nr_writers;
	if (m.failed && !mutant)
		model_print_failure(&sc);
	return !m.failed;
}

TEST(random)
{
	u32 shape;

	m.nr_accepted = m.nr_dropped = 0;
	for (shape = 0; shape < NR_SHAPES; shape++) {
		CHECK(model_draw(shape, NR_DRAWN, MUTANT_NONE));
		CHECK(m.run.nr_lost && m.run.nr_lost < m.run.nr_writers / 2);
	}
	CHECK(m.nr_accepted);
	CHECK(m.nr_dropped);
}

/* True if some run with rule @mutant broken breaks a claim. */
static bool model_notices(u32 mutant)
{
	struct scenario sc = two_blocks;

	memcpy(sc.sizes, (u32[]){ 16, 24, 12, 32 }, sizeof(sc.sizes));
	sc.fine = true;
	sc.nr_nested = 1;
	sc.backs = 1;
	sc.leaps = 1;
	sc.moves = mutant == MUTANT_ENTERS_UNCOUNTED || mutant == MUTANT_LEAVES_COUNTED;
	for (sc.nr_before = 0; sc.nr_before < 4; sc.nr_before++) {
		model_explore(&sc, mutant);
		if (m.failed)
			return true;
	}
	return !model_draw(0, 100000, mutant);
}

TEST(mutants)
{
	u32 mutant;

	for (mutant = MUTANT_NONE + 1; mutant < NR_MUTANTS; mutant++) {
		if (!model_notices(mutant))
			printf("# rule %u can be broken and nobody notices\n", mutant);
		CHECK(m.failed);
	}
}

TEST(report)
{
	printf("# %llu interleavings and %llu random writers; memory read as a dump %llu times\n",
	       LLU(m.nr_interleavings), LLU(m.nr_writers), LLU(m.nr_checks));
	CHECK(m.nr_interleavings > 500000);
}

static const struct unit_test tests[] = {
	{ "ring_holds_with_one_writer_nested_at_every_step", test_one_nested },
	{ "ring_holds_with_two_writers_nested_at_every_step", test_two_nested },
	{ "ring_holds_with_three_writers_nested_at_every_step", test_three_nested },
	{ "ring_holds_over_a_sequence_of_writers", test_sequence },
	{ "ring_holds_when_writers_switch_to_another_buffer", test_moves },
	{ "ring_holds_when_writers_give_up_their_places", test_dropped },
	{ "ring_holds_with_four_blocks", test_four_blocks },
	{ "ring_refuses_the_fifth_level", test_five_levels },
	{ "ring_opens_a_block_after_a_long_silence", test_silence },
	{ "ring_gives_a_reader_only_whole_records", test_reader },
	{ "ring_gives_a_reader_only_whole_records_where_stores_are_in_no_order", test_unordered },
	{ "ring_holds_under_random_interrupts", test_random },
	{ "ring_model_notices_every_broken_rule", test_mutants },
	{ "ring_model_was_exhaustive", test_report },
};

UNIT_MAIN(tests)
