/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * LZO1X, decoded as far as there is room for it. The stream is a row of instructions: copy bytes
 * from the stream, or from what has been written already. The format is described in the kernel's
 * Documentation/staging/lzo.rst.
 */
#include "crash/unpack.h"

#include <stdbool.h>
#include <string.h>

/* A stream being decoded; `bad` once it makes no sense or an end is reached. */
struct lzo {
	const u8 *in, *in_end;
	u8 *out, *out_start, *out_end;
	bool bad;
};

static u32 unpack_lzo_take(struct lzo *z)
{
	if (z->in == z->in_end) {
		z->bad = true;
		return 0;
	}
	return *z->in++;
}

static u32 take_16(struct lzo *z)
{
	u32 low = unpack_lzo_take(z);

	return low | unpack_lzo_take(z) << 8;
}

/* A length whose field is 0 continues in bytes: 255 for each that is 0, plus the first that is not. */
static u32 long_length(struct lzo *z, u32 field, u32 mask)
{
	u32 length = field & mask, byte;

	if (length)
		return length;
	length = mask;
	while (!(byte = unpack_lzo_take(z)) && !z->bad && length < 1 << 20)
		length += 255;
	return length + byte;
}

static void literals(struct lzo *z, u32 length)
{
	size_t left = (size_t)(z->in_end - z->in), room = (size_t)(z->out_end - z->out);

	if (length > left) {
		length = (u32)left;
		z->bad = true;
	}
	if (length >= room) {
		z->bad |= length > room;
		length = (u32)room;
	}
	memcpy(z->out, z->in, length);
	z->out += length;
	z->in += length;
}

static void match(struct lzo *z, u32 distance, u32 length)
{
	size_t room = (size_t)(z->out_end - z->out);

	if (!distance || distance > (size_t)(z->out - z->out_start) || z->bad) {
		z->bad = true;
		return;
	}
	if (length > room) {
		length = (u32)room;
		z->bad = true;
	}
	/* A source may overlap what is being written: then the bytes repeat. */
	for (; length; length--, z->out++)
		*z->out = z->out[-(ptrdiff_t)distance];
}

/*
 * Instructions below 16: @state says what came before. 0: literals follow; 1 to 3 literals before:
 * a match of 2; 4, a long run before: a match of 3 from further off. Returns true for a match.
 */
static bool short_instruction(struct lzo *z, u32 op, u32 state)
{
	if (state == 0) {
		literals(z, long_length(z, op, 15) + 3);
		return false;
	}
	if (state == 4)
		match(z, (unpack_lzo_take(z) << 2) + (op >> 2) + 2049, 3);
	else
		match(z, (unpack_lzo_take(z) << 2) + (op >> 2) + 1, 2);
	return true;
}

/* One instruction; returns how many literals its match is followed by, or 4 after a long run. */
static u32 instruction(struct lzo *z, u32 op, u32 state)
{
	u32 length, tail;

	if (op >= 64) {
		length = (op >> 5) + 1;
		match(z, (unpack_lzo_take(z) << 3) + ((op >> 2) & 7) + 1, length);
		tail = op & 3;
	} else if (op >= 32) {
		length = long_length(z, op, 31) + 2;
		tail = take_16(z);
		match(z, (tail >> 2) + 1, length);
		tail &= 3;
	} else if (op >= 16) {
		length = long_length(z, op, 7) + 2;
		tail = take_16(z);
		/* A distance of just 16384 is the end of the stream. */
		if (!(op & 8) && !(tail >> 2))
			z->bad = true;
		match(z, ((op & 8) << 11) + (tail >> 2) + 16384, length);
		tail &= 3;
	} else if (short_instruction(z, op, state)) {
		tail = op & 3;
	} else {
		return 4;
	}
	if (!z->bad)
		literals(z, tail);
	return tail;
}

size_t lkst_unlzo(const u8 *in, size_t length, u8 *out, size_t room)
{
	struct lzo z = { in, in + length, out, out, out + room, false };
	u32 state = 0;

	/* The first byte may be a run of literals of its own kind. */
	if (length && in[0] > 17) {
		state = *z.in++ - 17u;
		literals(&z, state);
		state = state < 4 ? state : 4;
	}
	while (!z.bad && z.out < z.out_end && z.in < z.in_end)
		state = instruction(&z, unpack_lzo_take(&z), state);
	return (size_t)(z.out - out);
}
