/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Damaged traces: each is read to its end, in order of time, and what it yields is what was
 * recorded, less what a gap stands for. The corpus is made here, from one sound trace.
 */
#include "lib/make_trace.h"
#include "lib/touch.h"
#include "lib/unit.h"

enum {
	NR_BLOCKS = 6, /* of main.0 */
	RECORDS_MAX = 256,
	BLOCK = 4096,
	/* After several turns of the clock's 48 bits, so that each bit of a time counts. */
	TURNS = 5,
};

static struct lkst_err err;
static char dir[64];

struct seen {
	u64 ns;
	u32 cpu, buffer, size;
	s32 tid;
	u8 bytes[128];
};

static struct seen reference[RECORDS_MAX];
static unsigned int nr_reference;
static char *sound[3]; /* main.0, main.1 and metadata */
static size_t sound_length[3];
static const char *const names[] = { "main.0", "main.1", "metadata" };

static struct lkst_catalog *small_catalog(void)
{
	struct lkst_catalog *c = lkst_catalog_new();

	if (!c || lkst_catalog_add_builtin(&err, c, 1, LKST_EV_sched_switch) ||
	    lkst_catalog_add_builtin(&err, c, 2, LKST_EV_task_rename) ||
	    lkst_catalog_add_builtin(&err, c, 3, LKST_EV_state_irq) ||
	    lkst_catalog_add_builtin(&err, c, 4, LKST_EV_state_thread) ||
	    make_test_events(&err, c, 10))
		abort();
	memset(c->uuid, 0x5a, sizeof(c->uuid));
	return c;
}

static void make_line_of(struct make_trace *t, u64 ns, const char *format, u32 cpu)
{
	char line[256];

	snprintf(line, sizeof(line), format, (unsigned long long)ns, cpu);
	if (make_text(t, line))
		abort();
}

/* The result of one reading. */
struct reading {
	int code; /* of opening */
	unsigned int nr, nr_gaps;
	bool is_ordered, is_known; /* each record is one of the reference, in its order */
};

static struct seen take(const struct lkst_record *r)
{
	struct seen s = { r->ns, r->cpu, r->buffer, r->size, r->tid, {} };

	memcpy(s.bytes, r->bytes, r->size < sizeof(s.bytes) ? r->size : sizeof(s.bytes));
	return s;
}

static void ignore(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes,
		   const char *text)
{
}

static struct reading read_all(struct seen *keep)
{
	struct reading reading = { .is_ordered = true, .is_known = true };
	struct lkst_threads *threads;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_record r;
	struct lkst_gap gap;
	unsigned int next = 0;
	u64 last = 0;

	reading.code = lkst_trace_open(&err, dir, &t);
	if (reading.code)
		return reading;
	threads = lkst_threads_new();
	if (!threads || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r)) {
		struct seen s = take(&r);

		touch_fields(&r, threads);
		if (keep && reading.nr < RECORDS_MAX)
			keep[reading.nr] = s;
		while (next < nr_reference && memcmp(&reference[next], &s, sizeof(s)))
			next++;
		if (next++ >= nr_reference)
			reading.is_known = false;
		if (r.buffer != LKST_BUFFER_STATE && r.ns < last)
			reading.is_ordered = false;
		if (r.buffer != LKST_BUFFER_STATE)
			last = r.ns;
		reading.nr++;
	}
	while (lkst_merge_gap(m, &gap))
		reading.nr_gaps++;
	lkst_trace_check(t, ignore, NULL);
	lkst_merge_free(m);
	lkst_threads_free(threads);
	lkst_trace_close(t);
	return reading;
}

/* Makes the sound trace, once, and remembers what is in it. */
static void start(void)
{
	struct make_trace *t;
	unsigned int b, i;
	u64 ns = (u64)TURNS << LKST_TIME_BITS;

	if (nr_reference)
		return;
	make_scratch(dir);
	t = make_begin(dir, small_catalog(), BLOCK);
	for (b = 0; b < NR_BLOCKS; b++) {
		for (i = 0; i < 4; i++, ns += 1000) {
			make_line_of(t, ns,
				     "sched_switch ns=%llu cpu=%u tid=7 next_tid=9 prev_state=1\n",
				     0);
			make_line_of(t, ns + 1,
				     "test_text ns=%llu cpu=%u tid=8 text=hello after=7 "
				     "first=one data=xyz second=end\n",
				     0);
			make_line_of(t, ns + 2, "sched_switch ns=%llu cpu=%u tid=3 next_tid=2\n",
				     1);
			make_line_of(t, ns + 3,
				     "task_rename ns=%llu cpu=%u buffer=1 tid=3 "
				     "target_tid=3 newcomm=some\n",
				     0);
		}
		make_line_of(t, ns, "!block cpu=0 a=%llu b=%u\n", 0);
	}
	make_line_of(t, ns, "state_thread ns=%llu thread_tid=7 comm=state b=%u\n", 0);
	make_line_of(t, ns, "state_irq ns=%llu irq=5 name=eth0 b=%u\n", 0);
	if (make_end(t))
		abort();
	nr_reference = read_all(reference).nr;
	for (i = 0; i < 3; i++)
		sound[i] = make_read(dir, names[i], &sound_length[i]);
	if (nr_reference != NR_BLOCKS * 4 * 4 + 2 || sound_length[0] != NR_BLOCKS * BLOCK)
		abort();
}

/* Reads the trace with @bytes in place of main.0, or of another file by its number. */
static struct reading with_file(unsigned int file, const void *bytes, size_t length)
{
	struct reading r;

	make_write(dir, names[file], bytes, length);
	r = read_all(NULL);
	make_write(dir, names[file], sound[file], sound_length[file]);
	return r;
}

static char *copy_of(unsigned int file)
{
	char *copy = malloc(sound_length[file]);

	if (!copy)
		abort();
	return memcpy(copy, sound[file], sound_length[file]);
}

/* True if the reading has all records, or gaps for those that it has not, and none of its own. */
static bool is_honest(struct reading r)
{
	bool is_good = !r.code && r.is_ordered && r.is_known && (r.nr == nr_reference || r.nr_gaps);

	if (!is_good)
		printf("code %d, %u of %u records, %u gaps, ordered %d, known %d\n", r.code, r.nr,
		       nr_reference, r.nr_gaps, r.is_ordered, r.is_known);
	return is_good;
}

TEST(damage_none_reads_whole)
{
	struct reading r;

	start();
	r = read_all(NULL);
	CHECK(is_honest(r));
	CHECK_EQ(r.nr, nr_reference);
	CHECK_EQ(r.nr_gaps, 0);
}

TEST(damage_by_cutting_costs_what_it_covers)
{
	size_t length;
	unsigned int whole;

	start();
	for (length = 1; length < sound_length[0]; length += length % BLOCK < 100 ? 1 : 331) {
		struct reading r = with_file(0, sound[0], length);

		CHECK(is_honest(r));
		whole = (unsigned int)(length / BLOCK);
		CHECK_EQ(r.nr, nr_reference - (NR_BLOCKS - whole) * 8);
		/* At a block's end nobody can tell. */
		CHECK_EQ(r.nr_gaps, length % BLOCK ? 1 : 0);
	}
}

TEST(damage_to_any_bit_of_a_header_makes_no_wrong_record)
{
	static const unsigned int blocks[] = { 0, 2, NR_BLOCKS - 1 };
	const unsigned int content = offsetof(struct lkst_block_header, content_size);
	char *bytes;
	unsigned int b, bit;

	start();
	bytes = copy_of(0);
	for (b = 0; b < 3; b++)
		for (bit = 0; bit < LKST_BLOCK_HEADER * 8; bit++) {
			size_t at = blocks[b] * BLOCK + bit / 8;
			struct reading r;

			bytes[at] ^= (char)(1 << bit % 8);
			r = with_file(0, bytes, sound_length[0]);
			bytes[at] ^= (char)(1 << bit % 8);
			/* A shorter content may end at a record's end, and then nobody can tell. */
			if (bit / 64 == content / 8 && !r.nr_gaps)
				r.nr_gaps = 1;
			if (!is_honest(r))
				printf("block %u, bit %u\n", blocks[b], bit);
			CHECK(is_honest(r));
			/* A number that becomes another block's costs that one too. */
			CHECK(r.nr + 16 >= nr_reference);
		}
	free(bytes);
}

TEST(damage_to_records_stays_in_its_block)
{
	unsigned int seed = 777, i;
	char *bytes;

	start();
	for (i = 0; i < 1000; i++) {
		size_t block = (size_t)rand_r(&seed) % NR_BLOCKS * BLOCK;
		unsigned int flips = 1 + (unsigned int)rand_r(&seed) % 4;
		struct reading r;

		bytes = copy_of(0);
		while (flips--)
			bytes[block + LKST_BLOCK_HEADER + (size_t)rand_r(&seed) % 480] ^=
				(char)(1 << rand_r(&seed) % 8);
		r = with_file(0, bytes, sound_length[0]);
		free(bytes);
		CHECK_EQ(r.code, 0);
		CHECK(r.is_ordered);
		CHECK(r.nr + 8 >= nr_reference && r.nr <= nr_reference + 32);
	}
}

TEST(damage_by_swapping_blocks_loses_nothing)
{
	unsigned int a, b;
	char *bytes;

	start();
	for (a = 0; a < NR_BLOCKS; a++)
		for (b = a + 1; b < NR_BLOCKS; b++) {
			struct reading r;

			bytes = copy_of(0);
			memcpy(bytes + a * BLOCK, sound[0] + b * BLOCK, BLOCK);
			memcpy(bytes + b * BLOCK, sound[0] + a * BLOCK, BLOCK);
			r = with_file(0, bytes, sound_length[0]);
			CHECK(is_honest(r));
			CHECK_EQ(r.nr, nr_reference);
			CHECK_EQ(r.nr_gaps, 0);
			/* And one block that is there twice, the other being lost. */
			memcpy(bytes + a * BLOCK, sound[0] + a * BLOCK, BLOCK);
			r = with_file(0, bytes, sound_length[0]);
			free(bytes);
			/* Of the last block nobody can tell that it was there. */
			if (b == NR_BLOCKS - 1)
				r.nr_gaps++;
			CHECK(is_honest(r));
			CHECK_EQ(r.nr, nr_reference - 8);
		}
}

TEST(damage_by_foreign_blocks_is_a_gap)
{
	struct reading r;
	unsigned int b;
	char *bytes;

	start();
	for (b = 0; b < NR_BLOCKS; b++) {
		/* Of another trace, of another CPU. */
		bytes = copy_of(0);
		bytes[b * BLOCK + offsetof(struct lkst_block_header, uuid)] ^= 1;
		r = with_file(0, bytes, sound_length[0]);
		CHECK(is_honest(r));
		CHECK_EQ(r.nr, nr_reference - 8);
		CHECK_EQ(r.nr_gaps, 1);
		memcpy(bytes + b * BLOCK, sound[1], BLOCK);
		r = with_file(0, bytes, sound_length[0]);
		CHECK(is_honest(r));
		CHECK_EQ(r.nr, nr_reference - 8);
		free(bytes);
	}
}

TEST(damage_by_zero_pages_is_a_gap)
{
	unsigned int mask, b;
	char *bytes;

	start();
	for (mask = 1; mask < 1u << NR_BLOCKS; mask++) {
		struct reading r;

		bytes = copy_of(0);
		for (b = 0; b < NR_BLOCKS; b++)
			if (mask & 1u << b)
				memset(bytes + b * BLOCK, 0, BLOCK);
		r = with_file(0, bytes, sound_length[0]);
		free(bytes);
		CHECK(is_honest(r));
		CHECK_EQ(r.nr, nr_reference - 8u * (unsigned int)__builtin_popcount(mask));
	}
}

TEST(damage_by_hostile_numbers_makes_no_wrong_record)
{
	static const u64 values[] = {
		0,	    1,		7,	    8,	       87 * 8,	   88 * 8,
		4096,	    4096 * 8,	8192 * 8,   1 << 23,   1ULL << 32, 1ULL << 47,
		1ULL << 48, 1ULL << 62, 1ULL << 63, INT64_MAX, UINT64_MAX, UINT64_MAX - 7
	};
	unsigned int b, word;
	char *bytes;
	size_t i;

	start();
	for (b = 0; b < NR_BLOCKS; b += NR_BLOCKS - 1)
		for (word = 0; word < LKST_BLOCK_HEADER / 8; word++)
			for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
				struct reading r;

				bytes = copy_of(0);
				memcpy(bytes + b * BLOCK + word * 8, &values[i], 8);
				r = with_file(0, bytes, sound_length[0]);
				free(bytes);
				if (word == offsetof(struct lkst_block_header, content_size) / 8 &&
				    !r.nr_gaps)
					r.nr_gaps = 1;
				CHECK(is_honest(r));
			}
}

TEST(damage_to_metadata_is_an_error_or_a_gap)
{
	unsigned int seed = 31337, i, nr_read = 0;
	char *text;

	start();
	for (i = 0; i < 1000; i++) {
		struct reading r;

		text = copy_of(2);
		text[(size_t)rand_r(&seed) % sound_length[2]] ^= (char)(1 << rand_r(&seed) % 8);
		r = with_file(2, text, sound_length[2]);
		free(text);
		CHECK(r.code || r.is_ordered);
		CHECK(r.code || r.nr <= 2 * nr_reference);
		/* Where an event is laid out otherwise, or is not known, there are gaps. */
		CHECK(r.code || r.nr >= nr_reference || r.nr_gaps);
		nr_read += !r.code;
	}
	CHECK(nr_read > 10);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "damage_none_reads_whole", test_damage_none_reads_whole },
	{ "damage_by_cutting_costs_what_it_covers", test_damage_by_cutting_costs_what_it_covers },
	{ "damage_to_any_bit_of_a_header_makes_no_wrong_record",
	  test_damage_to_any_bit_of_a_header_makes_no_wrong_record },
	{ "damage_to_records_stays_in_its_block", test_damage_to_records_stays_in_its_block },
	{ "damage_by_swapping_blocks_loses_nothing", test_damage_by_swapping_blocks_loses_nothing },
	{ "damage_by_foreign_blocks_is_a_gap", test_damage_by_foreign_blocks_is_a_gap },
	{ "damage_by_zero_pages_is_a_gap", test_damage_by_zero_pages_is_a_gap },
	{ "damage_by_hostile_numbers_makes_no_wrong_record",
	  test_damage_by_hostile_numbers_makes_no_wrong_record },
	{ "damage_to_metadata_is_an_error_or_a_gap", test_damage_to_metadata_is_an_error_or_a_gap },
};
UNIT_MAIN(tests)
