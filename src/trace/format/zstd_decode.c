/* SPDX-License-Identifier: GPL-2.0-only */
/* Unpacks what zstd(1) has packed. The numbers of sections are those of RFC 8878. */
#include "trace/format/zstd_decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xxh64.h"
#include "trace/format/zstd_entropy.h"

enum {
	MAGIC = 0xfd2fb528,
	SKIPPED = 0x184d2a50, /* and 15 more */
	BLOCK_MAX = 128 << 10,
	NR_REPEATS = 3,
	GROWTH_USUAL = 64,
};

/* What is read, from the beginning to the end. */
struct input {
	const uint8_t *at;
	size_t left;
};

struct decoding {
	uint8_t *out;
	size_t length, room, max;
	size_t frame; /* where in it the frame begins: copies do not reach back beyond */

	/* What blocks of a frame take over from those before. */
	struct lkst_huffman literals_code;
	struct lkst_fse codes[3]; /* of literal lengths, offsets, match lengths */
	uint64_t repeats[NR_REPEATS];

	uint8_t literals[BLOCK_MAX];
	size_t nr_literals;
};

static const uint8_t *zstd_decode_take(struct input *in, size_t nr)
{
	const uint8_t *at = in->at;

	if (nr > in->left)
		return NULL;
	in->at += nr;
	in->left -= nr;
	return at;
}

/* A number of @nr bytes; false: there are not as many. */
static bool zstd_decode_take_number(struct input *in, unsigned int nr, uint64_t *ret_number)
{
	const uint8_t *bytes = zstd_decode_take(in, nr);
	unsigned int i;

	if (!bytes)
		return false;
	*ret_number = 0;
	for (i = 0; i < nr; i++)
		*ret_number |= (uint64_t)bytes[i] << 8 * i;
	return true;
}

/* Room for @nr bytes more. */
static int zstd_decode_reach(struct decoding *d, size_t nr)
{
	size_t room = d->room ? d->room : BLOCK_MAX;
	uint8_t *grown;

	if (nr > d->max - d->length)
		return -EFBIG;
	while (room < d->length + nr)
		room *= 2;
	if (room == d->room)
		return 0;
	grown = realloc(d->out, room);
	if (!grown)
		return -ENOMEM;
	d->out = grown;
	d->room = room;
	return 0;
}

/* Room for a frame that says how long it is, as far as that may be true, at once. */
static int zstd_decode_reserve(struct decoding *d, size_t packed, uint64_t length)
{
	uint8_t *grown;

	if (length / GROWTH_USUAL > packed || length > d->max - d->length ||
	    d->room >= d->length + length)
		return 0;
	grown = realloc(d->out, d->length + (size_t)length);
	if (!grown)
		return -ENOMEM;
	d->out = grown;
	d->room = d->length + (size_t)length;
	return 0;
}

/* ---- literals (3.1.1.3.1) ----------------------------------------------------------------------- */

enum { RAW, REPEATED, PACKED, PACKED_AS_BEFORE };

static int read_packed_literals(struct decoding *d, struct input in, bool has_code, bool has_four)
{
	size_t nr = has_four ? (d->nr_literals + 3) / 4 : d->nr_literals, taken, i, at = 0;
	uint64_t lengths[4];

	if (has_code) {
		taken = lkst_huffman_read(&d->literals_code, in.at, in.left);
		if (!taken || !zstd_decode_take(&in, taken))
			return -EBADMSG;
	}
	if (!d->literals_code.is_there)
		return -EBADMSG;
	if (!has_four)
		return lkst_huffman_decode(&d->literals_code, in.at, in.left, d->literals, nr)
			       ? 0
			       : -EBADMSG;
	for (i = 0; i < 3; i++)
		if (!zstd_decode_take_number(&in, 2, &lengths[i]))
			return -EBADMSG;
	if (lengths[0] + lengths[1] + lengths[2] > in.left || 3 * nr > d->nr_literals)
		return -EBADMSG;
	lengths[3] = in.left - lengths[0] - lengths[1] - lengths[2];
	for (i = 0; i < 4; i++, at += nr) {
		if (i == 3)
			nr = d->nr_literals - at;
		if (!lkst_huffman_decode(&d->literals_code, zstd_decode_take(&in, lengths[i]), lengths[i],
					 d->literals + at, nr))
			return -EBADMSG;
	}
	return 0;
}

static int read_plain_literals(struct decoding *d, struct input *in, unsigned int type)
{
	const uint8_t *bytes = zstd_decode_take(in, type == RAW ? d->nr_literals : 1);

	if (!bytes)
		return -EBADMSG;
	if (type == RAW)
		memcpy(d->literals, bytes, d->nr_literals);
	else
		memset(d->literals, *bytes, d->nr_literals);
	return 0;
}

static int read_literals(struct decoding *d, struct input *in)
{
	static const unsigned int plain_bytes[] = { 1, 2, 1, 3 }, packed_bytes[] = { 3, 3, 4, 5 };
	static const unsigned int plain_shift[] = { 3, 4, 3, 4 },
				  packed_bits[] = { 10, 10, 14, 18 };
	unsigned int type, form;
	struct input packed;
	uint64_t head;

	if (!in->left)
		return -EBADMSG;
	type = *in->at & 3;
	form = *in->at >> 2 & 3;
	if (!zstd_decode_take_number(in, type < PACKED ? plain_bytes[form] : packed_bytes[form], &head))
		return -EBADMSG;
	if (type < PACKED) {
		d->nr_literals = head >> plain_shift[form];
		return d->nr_literals <= BLOCK_MAX ? read_plain_literals(d, in, type) : -EBADMSG;
	}
	d->nr_literals = head >> 4 & ((1U << packed_bits[form]) - 1);
	packed.left = head >> (4 + packed_bits[form]);
	packed.at = zstd_decode_take(in, packed.left);
	if (d->nr_literals > BLOCK_MAX || !packed.at)
		return -EBADMSG;
	return read_packed_literals(d, packed, type == PACKED, form);
}

/* ---- sequences (3.1.1.3.2) ---------------------------------------------------------------------- */

enum { LITERALS, OFFSETS, MATCHES };

/* A length's code: what it stands for is `base` and so many more bits. */
struct length_code {
	uint32_t base;
	uint8_t bits;
};

static const struct length_code literal_lengths[] = {
	{ 0, 0 },     { 1, 0 },	    { 2, 0 },	  { 3, 0 },	 { 4, 0 },	{ 5, 0 },
	{ 6, 0 },     { 7, 0 },	    { 8, 0 },	  { 9, 0 },	 { 10, 0 },	{ 11, 0 },
	{ 12, 0 },    { 13, 0 },    { 14, 0 },	  { 15, 0 },	 { 16, 1 },	{ 18, 1 },
	{ 20, 1 },    { 22, 1 },    { 24, 2 },	  { 28, 2 },	 { 32, 3 },	{ 40, 3 },
	{ 48, 4 },    { 64, 6 },    { 128, 7 },	  { 256, 8 },	 { 512, 9 },	{ 1024, 10 },
	{ 2048, 11 }, { 4096, 12 }, { 8192, 13 }, { 16384, 14 }, { 32768, 15 }, { 65536, 16 },
};

static const struct length_code match_lengths[] = {
	{ 3, 0 },     { 4, 0 },	    { 5, 0 },	   { 6, 0 },	  { 7, 0 },	 { 8, 0 },
	{ 9, 0 },     { 10, 0 },    { 11, 0 },	   { 12, 0 },	  { 13, 0 },	 { 14, 0 },
	{ 15, 0 },    { 16, 0 },    { 17, 0 },	   { 18, 0 },	  { 19, 0 },	 { 20, 0 },
	{ 21, 0 },    { 22, 0 },    { 23, 0 },	   { 24, 0 },	  { 25, 0 },	 { 26, 0 },
	{ 27, 0 },    { 28, 0 },    { 29, 0 },	   { 30, 0 },	  { 31, 0 },	 { 32, 0 },
	{ 33, 0 },    { 34, 0 },    { 35, 1 },	   { 37, 1 },	  { 39, 1 },	 { 41, 1 },
	{ 43, 2 },    { 47, 2 },    { 51, 3 },	   { 59, 3 },	  { 67, 4 },	 { 83, 4 },
	{ 99, 5 },    { 131, 7 },   { 259, 8 },	   { 515, 9 },	  { 1027, 10 },	 { 2051, 11 },
	{ 4099, 12 }, { 8195, 13 }, { 16387, 14 }, { 32771, 15 }, { 65539, 16 },
};

/* The codes of each kind: how many there are, and their table where none is written (3.1.1.3.2.2). */
static const struct {
	unsigned int nr, log_max, nr_usual, usual_log;
	int16_t usual[53];
} kinds[] = {
	[LITERALS] = { 36, 9, 36, 6, { 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,	 2,  2,
				       2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1 } },
	[OFFSETS] = { 32, 8, 29, 5, { 1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,	 1,  1,	 1, 1,
				      1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1 } },
	[MATCHES] = { 53, 9, 53, 6, { 1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,	1,  1,	1,  1,	1,  1, 1,
				      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,	1,  1,	1,  1,	1,  1, 1,
				      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1 } },
};

enum { USUAL, ONE, WRITTEN, AS_BEFORE };

static int read_codes(struct lkst_fse *t, struct input *in, unsigned int kind, unsigned int mode)
{
	const uint8_t *one;
	size_t taken;

	switch (mode) {
	case USUAL:
		return lkst_fse_build(t, kinds[kind].usual, kinds[kind].nr_usual,
				      kinds[kind].usual_log)
			       ? 0
			       : -EBADMSG;
	case ONE:
		one = zstd_decode_take(in, 1);
		if (!one || *one >= kinds[kind].nr)
			return -EBADMSG;
		lkst_fse_build_one(t, *one);
		return 0;
	case WRITTEN:
		taken = lkst_fse_read(t, in->at, in->left, kinds[kind].nr, kinds[kind].log_max);
		return taken && zstd_decode_take(in, taken) ? 0 : -EBADMSG;
	default:
		return t->is_there ? 0 : -EBADMSG;
	}
}

/* How many sequences there are. */
static bool take_nr(struct input *in, uint64_t *ret_nr)
{
	uint64_t more;

	if (!zstd_decode_take_number(in, 1, ret_nr))
		return false;
	if (*ret_nr < 128)
		return true;
	if (!zstd_decode_take_number(in, *ret_nr < 255 ? 1 : 2, &more))
		return false;
	*ret_nr = *ret_nr < 255 ? (*ret_nr - 128) << 8 | more : more + 0x7f00;
	return true;
}

/* The offset that @value stands for, which may be one of the last three (3.1.1.5). 0: damaged. */
static uint64_t zstd_decode_find_offset(struct decoding *d, uint64_t value, uint64_t nr_literals)
{
	uint64_t *repeats = d->repeats, place, offset;

	if (value > NR_REPEATS) {
		offset = value - NR_REPEATS;
		place = NR_REPEATS - 1;
	} else {
		place = value - 1 + !nr_literals;
		offset = place < NR_REPEATS ? repeats[place] : repeats[0] - 1;
	}
	if (!place)
		return offset;
	if (place > 1)
		repeats[2] = repeats[1];
	repeats[1] = repeats[0];
	repeats[0] = offset;
	return offset;
}

static int zstd_decode_put(struct decoding *d, const uint8_t *bytes, size_t nr)
{
	int err = zstd_decode_reach(d, nr);

	if (!err && nr) {
		memcpy(d->out + d->length, bytes, nr);
		d->length += nr;
	}
	return err;
}

/* Repeats what is @offset back, which may be what it writes. */
static int put_match(struct decoding *d, uint64_t offset, size_t nr)
{
	int err = zstd_decode_reach(d, nr);
	const uint8_t *from;
	uint8_t *to;
	size_t i;

	if (err)
		return err;
	if (!offset || offset > d->length - d->frame)
		return -EBADMSG;
	to = d->out + d->length;
	from = to - offset;
	if (offset >= nr)
		memcpy(to, from, nr);
	else
		for (i = 0; i < nr; i++)
			to[i] = from[i];
	d->length += nr;
	return 0;
}

static const struct lkst_fse_state *zstd_decode_state_of(const struct decoding *d, const unsigned int *states,
							 unsigned int kind)
{
	return &d->codes[kind].states[states[kind]];
}

/* One sequence: some literals, and a repetition. *@literal: how many were used. */
static int run_sequence(struct decoding *d, struct lkst_zstd_bits *b, const unsigned int *states,
			size_t *literal)
{
	const struct length_code *literals =
		&literal_lengths[zstd_decode_state_of(d, states, LITERALS)->symbol];
	const struct length_code *match = &match_lengths[zstd_decode_state_of(d, states, MATCHES)->symbol];
	unsigned int offset_bits = zstd_decode_state_of(d, states, OFFSETS)->symbol;
	uint64_t value = (1ULL << offset_bits) + lkst_zstd_bits_take(b, offset_bits);
	uint64_t nr_match = match->base + lkst_zstd_bits_take(b, match->bits);
	uint64_t nr_literals = literals->base + lkst_zstd_bits_take(b, literals->bits);
	int err;

	if (b->left < 0 || nr_literals > d->nr_literals - *literal)
		return -EBADMSG;
	err = zstd_decode_put(d, d->literals + *literal, nr_literals);
	*literal += nr_literals;
	return err ? err : put_match(d, zstd_decode_find_offset(d, value, nr_literals), nr_match);
}

static int run_sequences(struct decoding *d, struct input in, uint64_t nr, size_t *literal)
{
	static const unsigned int first[] = { LITERALS, OFFSETS, MATCHES };
	static const unsigned int next[] = { LITERALS, MATCHES, OFFSETS };
	unsigned int states[3], i;
	struct lkst_zstd_bits b;
	int err = 0;

	if (!lkst_zstd_bits_init(&b, in.at, in.left))
		return -EBADMSG;
	for (i = 0; i < 3; i++)
		states[first[i]] = (unsigned int)lkst_zstd_bits_take(&b, d->codes[first[i]].log);
	while (nr-- && !err) {
		err = run_sequence(d, &b, states, literal);
		for (i = 0; i < 3 && nr && !err; i++) {
			const struct lkst_fse_state *state = zstd_decode_state_of(d, states, next[i]);

			states[next[i]] =
				state->base + (unsigned int)lkst_zstd_bits_take(&b, state->bits);
		}
	}
	return err ? err : b.left ? -EBADMSG : 0;
}

/* ---- blocks and frames (3.1.1) ------------------------------------------------------------------ */

static int decode_block(struct decoding *d, struct input in)
{
	size_t literal = 0, before = d->length;
	uint64_t nr, modes;
	unsigned int kind;
	int err = read_literals(d, &in);

	if (err)
		return err;
	if (!take_nr(&in, &nr))
		return -EBADMSG;
	if (nr) {
		if (!zstd_decode_take_number(&in, 1, &modes) || modes & 3)
			return -EBADMSG;
		for (kind = 0; kind < 3 && !err; kind++)
			err = read_codes(&d->codes[kind], &in, kind, modes >> (6 - 2 * kind) & 3);
		err = err ? err : run_sequences(d, in, nr, &literal);
	}
	if (!err)
		err = zstd_decode_put(d, d->literals + literal, d->nr_literals - literal);
	return !err && d->length - before > BLOCK_MAX ? -EBADMSG : err;
}

/* Returns 1 after the last block of a frame. */
static int decode_next_block(struct decoding *d, struct input *in)
{
	struct input block;
	uint64_t head;
	unsigned int type;
	size_t length;
	int err;

	if (!zstd_decode_take_number(in, 3, &head))
		return -EBADMSG;
	type = head >> 1 & 3;
	length = head >> 3;
	block.left = type == REPEATED ? 1 : length;
	block.at = zstd_decode_take(in, block.left);
	if (!block.at || length > BLOCK_MAX || type > PACKED)
		return -EBADMSG;
	if (type == PACKED)
		err = decode_block(d, block);
	else if (type == RAW)
		err = zstd_decode_put(d, block.at, length);
	else if (!(err = zstd_decode_reach(d, length))) {
		memset(d->out + d->length, *block.at, length);
		d->length += length;
	}
	return err ? err : (int)(head & 1);
}

/* Whether the checksum at the end of the frame, the low half of XXH64, is right. */
static bool is_intact(const struct decoding *d, struct input *in)
{
	uint64_t sum;

	return zstd_decode_take_number(in, 4, &sum) &&
	       sum == (uint32_t)lkst_xxh64(d->out + d->frame, d->length - d->frame);
}

/* The head of a frame, after its magic number. *@ret_length: how long it says it is, UINT64_MAX: it does not. */
static int zstd_decode_read_head(struct input *in, bool *ret_has_sum, uint64_t *ret_length)
{
	static const unsigned int id_bytes[] = { 0, 1, 2, 4 }, length_bytes[] = { 0, 2, 4, 8 };
	uint64_t head, id;
	unsigned int nr;
	bool is_single;

	if (!zstd_decode_take_number(in, 1, &head) || head & 8)
		return -EBADMSG;
	is_single = head >> 5 & 1;
	*ret_has_sum = head >> 2 & 1;
	*ret_length = UINT64_MAX;
	/* The window's length does not matter: all that was unpacked is there. */
	if (!is_single && !zstd_decode_take(in, 1))
		return -EBADMSG;
	if (!zstd_decode_take_number(in, id_bytes[head & 3], &id) || id)
		return -EBADMSG;
	nr = head >> 6 ? length_bytes[head >> 6] : is_single;
	if (nr && !zstd_decode_take_number(in, nr, ret_length))
		return -EBADMSG;
	if (nr == 2)
		*ret_length += 256;
	return 0;
}

static int decode_frame(struct decoding *d, struct input *in)
{
	bool has_sum = false;
	uint64_t length = 0;
	int r = zstd_decode_read_head(in, &has_sum, &length);

	d->frame = d->length;
	d->literals_code.is_there = false;
	memcpy(d->repeats, (const uint64_t[]){ 1, 4, 8 }, sizeof(d->repeats));
	for (unsigned int i = 0; i < 3; i++)
		d->codes[i].is_there = false;
	if (!r)
		r = zstd_decode_reserve(d, in->left, length);
	while (!r)
		r = decode_next_block(d, in);
	if (r < 0)
		return r;
	if (length != UINT64_MAX && length != d->length - d->frame)
		return -EBADMSG;
	return !has_sum || is_intact(d, in) ? 0 : -EBADMSG;
}

static int skip_frame(struct input *in)
{
	uint64_t length;

	return zstd_decode_take_number(in, 4, &length) && zstd_decode_take(in, length) ? 0 : -EBADMSG;
}

int lkst_zstd_decode(const void *bytes, size_t length, size_t max, uint8_t **ret_bytes,
		     size_t *ret_length)
{
	_cleanup_free_ struct decoding *d = calloc(1, sizeof(*d));
	struct input in = { bytes, length };
	uint64_t magic;
	int err = d ? 0 : -ENOMEM;

	if (!err) {
		d->max = max;
		err = zstd_decode_reach(d, max < BLOCK_MAX ? max : BLOCK_MAX);
	}
	while (!err && in.left) {
		if (!zstd_decode_take_number(&in, 4, &magic))
			err = -EBADMSG;
		else if (magic == MAGIC)
			err = decode_frame(d, &in);
		else
			err = (magic & ~15ULL) == SKIPPED ? skip_frame(&in) : -EBADMSG;
	}
	if (err) {
		free(d ? d->out : NULL);
		return err;
	}
	*ret_bytes = d->out;
	*ret_length = d->length;
	return 0;
}
