/* SPDX-License-Identifier: GPL-2.0-only */
/* XXH64 (Collet), with 0 as its seed: the checksum of zstd's frames. It is no protection against anybody. */
#ifndef LKST_BASE_XXH64_H
#define LKST_BASE_XXH64_H

#include <stddef.h>
#include <stdint.h>

uint64_t lkst_xxh64(const void *bytes, size_t length);

#endif
