/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of unpacking zstd: what our decoder accepts, zstd's library unpacks to the same bytes. (It may be
 * stricter, as the library does not look at all that a standard forbids.)
 *
 * prints: nothing: bytes become bytes
 *
 *	clang-16 -g -O1 -std=gnu11 -D_GNU_SOURCE -Isrc -fsanitize=fuzzer,address,undefined \
 *		-fno-sanitize-recover=undefined -o fuzz_zstd tests/fuzz/fuzz_zstd.c \
 *		src/base/zstd_*.c src/base/xxh64.c -lzstd
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/format/zstd_decode.h"

enum { MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t theirs[MAX];
	uint8_t *ours;
	size_t length, their_length;

	if (lkst_zstd_decode(data, size, MAX, &ours, &length))
		return 0;
	their_length = ZSTD_decompress(theirs, MAX, data, size);
	if (!ZSTD_isError(their_length) && (their_length != length || memcmp(ours, theirs, length)))
		abort();
	free(ours);
	return 0;
}
