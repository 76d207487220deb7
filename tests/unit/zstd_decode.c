/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Unpacking zstd, beside zstd's own library.
 */
#include "trace/format/zstd_decode.h"

#include <errno.h>
#include <zstd.h>

#include "lib/unit.h"

enum { LENGTH_MAX = 300000 };

static uint32_t random_state = 1;

static uint32_t random_number(void)
{
	return random_state = random_state * 1664525 + 1013904223;
}

/*
 * Bytes of several sorts: 0 all the same, 1 random, 2 few different ones, 3 text that repeats, 4 records, 5 all of
 * these.
 */
static void fill(unsigned char *bytes, size_t length, unsigned int sort)
{
	size_t i;

	for (i = 0; i < length; i++) {
		uint32_t number = random_number() >> 8;

		switch (sort == 5 ? i / 5000 % 5 : sort) {
		case 0:
			bytes[i] = 'x';
			break;
		case 1:
			bytes[i] = (unsigned char)number;
			break;
		case 2:
			bytes[i] = (unsigned char)(number % 61 % 7 * (number >> 12 & 1));
			break;
		case 3:
			bytes[i] = i > 300 && number % 50 ? bytes[i - 1 - i / 1000 % 300]
							  : (unsigned char)(number % 26 + 'a');
			break;
		default:
			bytes[i] = (unsigned char)(i % 24 < 4	? i >> 8 * (i % 4)
						   : i % 24 < 9 ? number % 3
								: i % 24);
		}
	}
}

/* Packs @length bytes; @with_sum, @with_length: what the frame says of itself. */
static size_t pack(unsigned char *to, size_t room, const unsigned char *bytes, size_t length,
		   int level, int with_sum, int with_length)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t packed;

	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, with_sum);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, with_length);
	packed = ZSTD_compress2(c, to, room, bytes, length);
	ZSTD_freeCCtx(c);
	return packed;
}

static int is_unpacked(const unsigned char *packed, size_t packed_length,
		       const unsigned char *wanted, size_t length)
{
	uint8_t *bytes = NULL;
	size_t got = 0;
	int is = !lkst_zstd_decode(packed, packed_length, LENGTH_MAX * 2, &bytes, &got) &&
		 got == length && !memcmp(bytes, wanted, length);

	free(bytes);
	return is;
}

TEST(zstd_unpacks_what_the_library_packs)
{
	static const int levels[] = { -5, 1, 3, 9, 19 };
	static const size_t lengths[] = { 0, 1, 31, 32, 256, 1000, 65791, 131073, LENGTH_MAX };
	size_t room = ZSTD_compressBound(LENGTH_MAX), level, length, packed;
	unsigned char *bytes = malloc(LENGTH_MAX), *out = malloc(room);
	unsigned int sort;

	for (sort = 0; sort <= 5; sort++) {
		fill(bytes, LENGTH_MAX, sort);
		for (level = 0; level < sizeof(levels) / sizeof(levels[0]); level++)
			for (length = 0; length < sizeof(lengths) / sizeof(lengths[0]); length++) {
				packed = pack(out, room, bytes, lengths[length], levels[level],
					      length & 1, level & 1);
				if (!is_unpacked(out, packed, bytes, lengths[length])) {
					CHECK_EQ(sort * 1000000 + (unsigned int)levels[level],
						 lengths[length]);
				}
			}
	}
	free(bytes);
	free(out);
}

/* Whether it is refused. What is damaged may grow to more than there was. */
static int is_refused(const unsigned char *packed, size_t length, size_t max)
{
	uint8_t *bytes;
	size_t got;
	int err = lkst_zstd_decode(packed, length, max, &bytes, &got);

	return err == -EBADMSG || err == -EFBIG;
}

/* Several frames, and one that is to be skipped. */
TEST(zstd_unpacks_frames)
{
	static const unsigned char skipped[] = { 0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3 };
	unsigned char bytes[3000], out[8000];
	size_t at;

	fill(bytes, sizeof(bytes), 4);
	at = pack(out, sizeof(out), bytes, 1000, 3, 1, 1);
	memcpy(out + at, skipped, sizeof(skipped));
	at += sizeof(skipped);
	at += pack(out + at, sizeof(out) - at, bytes + 1000, 2000, 3, 1, 0);
	CHECK(is_unpacked(out, at, bytes, sizeof(bytes)));
}

/* What is damaged is noticed by its checksum, if not before; what is cut off, always. */
TEST(zstd_notices_damage)
{
	enum { LENGTH = 20000 };
	static unsigned char bytes[LENGTH], out[2 * LENGTH];
	size_t packed, i, got;
	uint8_t *ret;

	fill(bytes, LENGTH, 5);
	packed = pack(out, sizeof(out), bytes, LENGTH, 3, 1, 1);
	for (i = 0; i < packed; i += 1 + packed / 500) {
		/* All but the head, which has an unused bit. */
		if (i > 6) {
			out[i] ^= 16;
			CHECK(is_refused(out, packed, LENGTH));
			out[i] ^= 16;
		}
		if (i)
			CHECK(is_refused(out, i, LENGTH));
	}
	CHECK_EQ(lkst_zstd_decode("plain text", 10, LENGTH, &ret, &got), -EBADMSG);
	CHECK_EQ(lkst_zstd_decode(out, packed, LENGTH - 1, &ret, &got), -EFBIG);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(zstd_unpacks_what_the_library_packs),
	ROW(zstd_unpacks_frames),
	ROW(zstd_notices_damage),
};
UNIT_MAIN(tests)
