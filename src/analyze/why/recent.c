/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays of what is recent. */
#include "analyze/why/recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 1024 };

int lkst_recent_room(void *list, u32 *nr, u32 *room, u32 max, size_t size)
{
	u32 wanted = *room ? *room * 2 : ROOM_MIN, half = *nr / 2;
	u8 **items = list, *grown;

	if (*nr < *room)
		return 0;
	if (*nr && *nr >= max) {
		memmove(*items, *items + half * size, (*nr - half) * size);
		*nr -= half;
		return 1;
	}
	if (wanted > max)
		wanted = max;
	grown = reallocarray(*items, wanted, size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*room = wanted;
	return 0;
}
