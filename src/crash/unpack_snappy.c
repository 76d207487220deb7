/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snappy, decoded as far as there is room for it. The format is described in format_description.txt of
 * its source: a length, then elements whose first byte says in two bits what they are.
 */
#include "crash/unpack.h"

#include <stdbool.h>
#include <string.h>

struct snappy {
	const u8 *in, *in_end;
	u8 *out, *out_start, *out_end;
};

/* Reads @nr little-endian bytes. False: they are not there. */
static bool unpack_snappy_take(struct snappy *z, unsigned int nr, u32 *ret_value)
{
	unsigned int i;

	if ((size_t)(z->in_end - z->in) < nr)
		return false;
	for (*ret_value = 0, i = 0; i < nr; i++)
		*ret_value |= (u32)z->in[i] << 8 * i;
	z->in += nr;
	return true;
}

/* The length of the whole, seven bits a byte. */
static bool skip_length(struct snappy *z)
{
	unsigned int i;

	for (i = 0; i < 5 && z->in < z->in_end; i++)
		if (!(*z->in++ & 0x80))
			return true;
	return false;
}

static bool literal(struct snappy *z, u32 tag)
{
	u32 length = tag >> 2;
	size_t room = (size_t)(z->out_end - z->out), part;

	if (length >= 60 && !unpack_snappy_take(z, length - 59, &length))
		return false;
	if (length >= (size_t)(z->in_end - z->in))
		return false;
	part = length < room ? length + 1 : room;
	memcpy(z->out, z->in, part);
	z->out += part;
	z->in += (size_t)length + 1;
	return true;
}

static bool unpack_snappy_copy(struct snappy *z, u32 tag)
{
	u32 offset, length = (tag >> 2) + 1;

	if ((tag & 3) == 1) {
		if (!unpack_snappy_take(z, 1, &offset))
			return false;
		offset |= (tag >> 5) << 8;
		length = ((tag >> 2) & 7) + 4;
	} else if (!unpack_snappy_take(z, (tag & 3) == 2 ? 2 : 4, &offset)) {
		return false;
	}
	if (!offset || offset > (size_t)(z->out - z->out_start))
		return false;
	for (; length && z->out < z->out_end; length--, z->out++)
		*z->out = z->out[-(ptrdiff_t)offset];
	return true;
}

size_t lkst_unsnappy(const u8 *in, size_t length, u8 *out, size_t room)
{
	struct snappy z = { in, in + length, out, out, out + room };
	bool good = skip_length(&z);

	while (good && z.in < z.in_end && z.out < z.out_end) {
		u32 tag = *z.in++;

		good = tag & 3 ? unpack_snappy_copy(&z, tag) : literal(&z, tag);
	}
	return (size_t)(z.out - out);
}
