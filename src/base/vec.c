/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. Room doubles whenever it is used up. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

size_t lkst_vec_room(size_t nr)
{
	size_t room = LKST_VEC_MIN;

	while (room && room <= nr)
		room *= 2;
	return room;
}

void *lkst_vec_grow(void *list, size_t nr, size_t size)
{
	size_t room = lkst_vec_room(nr), bytes;

	return room && !__builtin_mul_overflow(room, size, &bytes) ? realloc(list, bytes) : NULL;
}

void *lkst_vec_extend(void *list, size_t nr, size_t room, size_t size)
{
	unsigned char *grown;
	size_t bytes;

	grown = __builtin_mul_overflow(room, size, &bytes) ? NULL : realloc(list, bytes);
	if (grown)
		memset(grown + nr * size, 0, (room - nr) * size);
	return grown;
}
