/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about who called: by the stacks that a handler has recorded after events. Private to why.c. */
#ifndef LKST_ANALYZE_WHY_NARRATE_STACK_H
#define LKST_ANALYZE_WHY_NARRATE_STACK_H

#include "analyze/why/narrate.h"

/*
 * ", called from commit+0x1c[db] by main+0x81[db]": the program's stack that was recorded after moment @i of the thread
 * of @s, if there is one. True: it was told.
 */
bool lkst_narrate_caller(struct lkst_narrator *t, struct lkst_account_step *s, u32 i);

#endif
