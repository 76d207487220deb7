/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unpacks what zstd(1) has packed (RFC 8878), in memory, where its library is not: in a page. Dictionaries are not
 * known. Nothing that is read is trusted.
 */
#ifndef LKST_TRACE_FORMAT_ZSTD_DECODE_H
#define LKST_TRACE_FORMAT_ZSTD_DECODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Unpacks all frames of @bytes into memory that the caller frees. -EBADMSG: they are damaged, or no frames; -EFBIG:
 * they grow to more than @max bytes; -ENOMEM.
 */
int lkst_zstd_decode(const void *bytes, size_t length, size_t max, uint8_t **ret_bytes,
		     size_t *ret_length);

#endif
