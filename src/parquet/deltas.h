/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as differences from one to the next, DELTA_BINARY_PACKED: where they rise slowly, as times do, few bits are
 * left (https://github.com/apache/parquet-format/blob/master/Encodings.md). Private to src/parquet.
 */
#ifndef LKST_PARQUET_DELTAS_H
#define LKST_PARQUET_DELTAS_H

#include "parquet/byte_list.h"

/* Adds the @nr numbers at @numbers. */
void lkst_deltas_add(struct lkst_byte_list *to, const uint64_t *numbers, uint32_t nr);

#endif
