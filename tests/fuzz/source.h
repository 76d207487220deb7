/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of a fuzz target as a row of bytes without end: what is given, followed by numbers that
 * are derived from it.
 */
#ifndef LKST_TESTS_FUZZ_SOURCE_H
#define LKST_TESTS_FUZZ_SOURCE_H

#include "abi/types.h"

struct source {
	const u8 *data;
	size_t left;
	u64 rng;
};

static inline u8 next(struct source *in)
{
	if (in->left) {
		in->left--;
		in->rng = (in->rng ^ *in->data) * 6364136223846793005ULL;
		return *in->data++;
	}
	in->rng = in->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u8)(in->rng >> 40);
}

#endif
