/* SPDX-License-Identifier: GPL-2.0-only */
/* How zstd writes symbols as bits. */
#include "trace/format/zstd_entropy.h"

#include <string.h>

enum {
	WEIGHTS_MAX = 255, /* that are written; the last one follows from them */
	WEIGHT_LOG_MAX = 6,
	WEIGHT_MAX = LKST_HUFFMAN_LOG_MAX + 1, /* one more than any that is used */
};

/* The number of the highest bit of @value, which is not 0. */
static unsigned int zstd_entropy_highest_bit(uint64_t value)
{
	return 63 - (unsigned int)__builtin_clzll(value);
}

/* ---- bits --------------------------------------------------------------------------------------- */

bool lkst_zstd_bits_init(struct lkst_zstd_bits *b, const uint8_t *bytes, size_t length)
{
	if (!length || !bytes[length - 1])
		return false;
	*b = (struct lkst_zstd_bits){
		.bytes = bytes,
		.length = length,
		.left = 8 * (int64_t)(length - 1) + zstd_entropy_highest_bit(bytes[length - 1]),
	};
	return true;
}

/* 64 bits from byte @at on; those after the end are 0. */
static uint64_t zstd_entropy_load(const uint8_t *bytes, size_t length, size_t at)
{
	uint64_t value = 0;
	size_t i;

	if (at + 8 <= length) {
		for (i = 0; i < 8; i++)
			value |= (uint64_t)bytes[at + i] << 8 * i;
		return value;
	}
	for (i = 0; at + i < length; i++)
		value |= (uint64_t)bytes[at + i] << 8 * i;
	return value;
}

uint64_t lkst_zstd_bits_peek(const struct lkst_zstd_bits *b, unsigned int nr)
{
	uint64_t mask = (1ULL << nr) - 1;
	int64_t first = b->left - nr;

	if (first >= 0)
		return zstd_entropy_load(b->bytes, b->length, (size_t)first / 8) >> first % 8 & mask;
	/* What lies before the first bit is 0. */
	return first > -64 && b->left > 0 ? zstd_entropy_load(b->bytes, b->length, 0) << -first & mask : 0;
}

uint64_t lkst_zstd_bits_take(struct lkst_zstd_bits *b, unsigned int nr)
{
	uint64_t value = lkst_zstd_bits_peek(b, nr);

	b->left -= nr;
	return value;
}

/* ---- FSE ---------------------------------------------------------------------------------------- */

/* Which symbol each state stands for (4.1.1). False: they do not fill the table. */
static bool zstd_entropy_spread(struct lkst_fse *t, const int16_t *counts, unsigned int nr)
{
	unsigned int size = 1U << t->log, step = (size >> 1) + (size >> 3) + 3, high = size, at = 0,
		     s;
	int i;

	for (s = 0; s < nr; s++) {
		if (counts[s] == -1 && !high)
			return false;
		if (counts[s] == -1)
			t->states[--high].symbol = (uint8_t)s;
	}
	for (s = 0; s < nr; s++)
		for (i = 0; i < counts[s]; i++) {
			t->states[at].symbol = (uint8_t)s;
			do
				at = (at + step) & (size - 1);
			while (at >= high && at);
		}
	return !at;
}

bool lkst_fse_build(struct lkst_fse *t, const int16_t *counts, unsigned int nr, unsigned int log)
{
	uint16_t next[LKST_FSE_SYMBOLS_MAX];
	unsigned int size = 1U << log, sum = 0, i;

	for (i = 0; i < nr; i++) {
		next[i] = counts[i] == -1 ? 1 : (uint16_t)counts[i];
		sum += next[i];
	}
	t->log = log;
	if (sum != size || !zstd_entropy_spread(t, counts, nr))
		return false;
	for (i = 0; i < size; i++) {
		struct lkst_fse_state *state = &t->states[i];
		unsigned int number = next[state->symbol]++;

		state->bits = (uint8_t)(log - zstd_entropy_highest_bit(number));
		state->base = (uint16_t)((number << state->bits) - size);
	}
	t->is_there = true;
	return true;
}

void lkst_fse_build_one(struct lkst_fse *t, uint8_t symbol)
{
	t->is_there = true;
	t->log = 0;
	t->states[0] = (struct lkst_fse_state){ .symbol = symbol };
}

/* Bits from the first one on. */
struct forward_bits {
	const uint8_t *bytes;
	size_t length, at; /* `at` is in bits */
};

static unsigned int take_forward(struct forward_bits *f, unsigned int nr)
{
	unsigned int value = (unsigned int)(zstd_entropy_load(f->bytes, f->length, f->at / 8) >> f->at % 8) &
			     ((1U << nr) - 1);

	f->at += nr;
	return value;
}

/* One count: numbers of which there are fewer than 1 << bits are written with a bit less where that is enough. */
static int zstd_entropy_take_count(struct forward_bits *f, unsigned int remaining)
{
	unsigned int bits = zstd_entropy_highest_bit(remaining + 1) + 1, low_mask = (1U << (bits - 1)) - 1;
	unsigned int threshold = (1U << bits) - 1 - (remaining + 1), value = take_forward(f, bits);

	if ((value & low_mask) < threshold) {
		f->at--;
		return (int)(value & low_mask) - 1;
	}
	return (int)(value > low_mask ? value - threshold : value) - 1;
}

/* How many symbols without any follow. */
static unsigned int take_zeros(struct forward_bits *f)
{
	unsigned int nr = 0, more;

	do {
		more = take_forward(f, 2);
		nr += more;
	} while (more == 3 && f->at / 8 < f->length);
	return nr;
}

size_t lkst_fse_read(struct lkst_fse *t, const uint8_t *bytes, size_t length, unsigned int nr_max,
		     unsigned int log_max)
{
	int16_t counts[LKST_FSE_SYMBOLS_MAX] = {};
	struct forward_bits f = { bytes, length, 0 };
	unsigned int log = take_forward(&f, 4) + 5, nr = 0;
	int remaining = 1 << log, count;

	if (log > log_max)
		return 0;
	while (remaining > 0 && nr < nr_max) {
		count = zstd_entropy_take_count(&f, (unsigned int)remaining);
		remaining -= count < 0 ? 1 : count;
		counts[nr++] = (int16_t)count;
		if (!count)
			nr += take_zeros(&f);
	}
	if (remaining || nr > nr_max || (f.at + 7) / 8 > length ||
	    !lkst_fse_build(t, counts, nr, log))
		return 0;
	return (f.at + 7) / 8;
}

/* ---- Huffman ------------------------------------------------------------------------------------ */

static uint8_t fse_symbol(const struct lkst_fse *t, unsigned int state)
{
	return t->states[state].symbol;
}

static unsigned int fse_next(const struct lkst_fse *t, unsigned int state, struct lkst_zstd_bits *b)
{
	return t->states[state].base + (unsigned int)lkst_zstd_bits_take(b, t->states[state].bits);
}

/* Weights as FSE, with two states by turns; how many there are, 0: damaged (4.2.1.2). */
static unsigned int read_packed_weights(const uint8_t *bytes, size_t length, uint8_t *weights)
{
	struct lkst_zstd_bits b;
	struct lkst_fse t;
	unsigned int states[2], nr = 0, i;
	size_t head = lkst_fse_read(&t, bytes, length, WEIGHT_MAX + 1, WEIGHT_LOG_MAX);

	if (!head || !lkst_zstd_bits_init(&b, bytes + head, length - head))
		return 0;
	states[0] = (unsigned int)lkst_zstd_bits_take(&b, t.log);
	states[1] = (unsigned int)lkst_zstd_bits_take(&b, t.log);
	for (i = 0; nr < WEIGHTS_MAX; i = !i) {
		weights[nr++] = fse_symbol(&t, states[i]);
		states[i] = fse_next(&t, states[i], &b);
		if (b.left < 0) {
			if (nr < WEIGHTS_MAX)
				weights[nr++] = fse_symbol(&t, states[!i]);
			return nr;
		}
	}
	return 0;
}

/* Weights as they are, 4 bits each (4.2.1.1); how many bytes those are. */
static size_t read_plain_weights(const uint8_t *bytes, size_t length, uint8_t *weights,
				 unsigned int nr)
{
	size_t taken = (nr + 1) / 2;
	unsigned int i;

	if (taken > length)
		return 0;
	for (i = 0; i < nr; i++)
		weights[i] = i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
	return taken;
}

/* The weight of the last symbol makes the sum a power of two. False: none does. */
static bool add_last_weight(struct lkst_huffman *h, uint8_t *weights, unsigned int nr)
{
	uint32_t sum = 0, rest;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (weights[i] > WEIGHT_MAX - 1)
			return false;
		sum += weights[i] ? 1U << (weights[i] - 1) : 0;
	}
	if (!sum)
		return false;
	h->log = zstd_entropy_highest_bit(sum) + 1;
	rest = (1U << h->log) - sum;
	if (h->log > LKST_HUFFMAN_LOG_MAX || rest & (rest - 1))
		return false;
	weights[nr] = (uint8_t)(zstd_entropy_highest_bit(rest) + 1);
	return true;
}

/* Codes begin with those of the least weight, which are the longest, and by symbol (4.2.1.3). */
static bool build_codes(struct lkst_huffman *h, const uint8_t *weights, unsigned int nr)
{
	unsigned int weight, s, at = 0, i;

	for (weight = 1; weight <= h->log; weight++)
		for (s = 0; s < nr; s++)
			for (i = 0; weights[s] == weight && i < 1U << (weight - 1); i++, at++) {
				h->codes[at].symbol = (uint8_t)s;
				h->codes[at].bits = (uint8_t)(h->log + 1 - weight);
			}
	h->is_there = at == 1U << h->log;
	return h->is_there;
}

size_t lkst_huffman_read(struct lkst_huffman *h, const uint8_t *bytes, size_t length)
{
	uint8_t weights[WEIGHTS_MAX + 1];
	unsigned int nr;
	size_t taken;

	h->is_there = false;
	if (!length)
		return 0;
	if (bytes[0] >= 128) {
		nr = bytes[0] - 127U;
		taken = read_plain_weights(bytes + 1, length - 1, weights, nr);
	} else {
		taken = bytes[0];
		nr = taken < length ? read_packed_weights(bytes + 1, taken, weights) : 0;
	}
	if (!taken || !nr || !add_last_weight(h, weights, nr) || !build_codes(h, weights, nr + 1))
		return 0;
	return 1 + taken;
}

bool lkst_huffman_decode(const struct lkst_huffman *h, const uint8_t *bytes, size_t length,
			 uint8_t *to, size_t nr)
{
	struct lkst_zstd_bits b;
	size_t i;

	if (!lkst_zstd_bits_init(&b, bytes, length))
		return false;
	for (i = 0; i < nr && b.left >= 0; i++) {
		uint64_t code = lkst_zstd_bits_peek(&b, h->log);

		to[i] = h->codes[code].symbol;
		b.left -= h->codes[code].bits;
	}
	return i == nr && !b.left;
}
