/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An array that grows up to a limit, where the older half of it is forgotten.
 */
#ifndef LKST_ANALYZE_WHY_RECENT_H
#define LKST_ANALYZE_WHY_RECENT_H

#include "abi/types.h"

/*
 * Makes room for one more after the *@nr elements, of @size bytes each, of *@list, an array with
 * room for *@room that may have at most @max, 2 or more. 1: the older half was dropped for it; 0; or -ENOMEM.
 */
int lkst_recent_room(void *list, u32 *nr, u32 *room, u32 max, size_t size);

#endif
