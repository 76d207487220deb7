// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler `stack`: records its events, and after each how its thread came there: the kernel's stack, the
 * user's, or both.
 */
#include <lkst/handler.h>

/* Most frames of one stack; what is not there takes no room. */
enum { FRAMES_MAX = 64 };

u32 kernel = 1; /* 1: with the kernel's stack */
u32 user;	/* 1: with the user's; by frame pointers, as far as the program has them */
u32 skip;	/* innermost frames of the kernel's to leave out */
u32 one_in = 1; /* only for one event in so many */
u64 seen;

LKST_EVENT(kernel, "the kernel's functions that led to the event before it, innermost first",
	   LKST_FRAMES(lkst_code));
LKST_EVENT(user, "the program's places that led to the event before it, innermost first",
	   LKST_FRAMES(lkst_addr));

LKST_HANDLER(stack, "records events, and after each the stack of its thread")
{
	return true;
}

LKST_HANDLER_AFTER
{
	u64 before = LKST_COUNT_UP(seen);

	if (one_in > 1 && before % one_in)
		return;
	if (kernel)
		LKST_WRITE_STACK(kernel, FRAMES_MAX, skip & BPF_F_SKIP_FIELD_MASK);
	if (user)
		LKST_WRITE_STACK(user, FRAMES_MAX, BPF_F_USER_STACK);
}
