/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffers of a recording: making, removing and linking them, and switching from one to another, while
 * recording goes on.
 *
 * A buffer has rings on every CPU. What a maskset sends to buffer N goes, on each CPU, to the buffer that is
 * active for N there: N itself at first. A CPU switches to another when it is told to (a jump), or by
 * itself when the active one is full and names a next one. The buffer that is left keeps what it has.
 *
 * Memory for buffers that are made later is set aside when recording begins, since the kernel's arrays
 * do not grow. Whoever changes something holds the lock of live/hooks/pins.h.
 */
#ifndef LKST_LIVE_SESSION_BUFFERS_H
#define LKST_LIVE_SESSION_BUFFERS_H

#include "live/session/session.h"

enum { LKST_EVERY_CPU = -1 };

bool lkst_buffer_exists(const struct lkst_session *s, u32 buffer);

/* Its name, which stays valid as long as the session; its number, by name or number. */
const char *lkst_buffer_name(const struct lkst_session *s, u32 buffer);
int lkst_buffer_find(struct lkst_err *e, const struct lkst_session *s, const char *word,
		     u32 *ret_buffer);

/*
 * Makes buffer @name of @bytes per online CPU, rounded up to a power of two, in the memory set aside.
 * -EEXIST: one is called that. -ENOSPC: there is no room, or all numbers are taken.
 */
int lkst_buffer_create(struct lkst_err *e, struct lkst_session *s, const char *name, u64 bytes,
		       u32 *ret_buffer);

/*
 * Removes it and what it holds, and gives its memory back. -EBUSY: a maskset sends events to it, a CPU
 * writes to it, or another buffer leads to it; -EPERM: it is main or life.
 */
int lkst_buffer_delete(struct lkst_err *e, struct lkst_session *s, u32 buffer);

/* Gives it another size; what it holds is lost. -EBUSY: a CPU writes to it. */
int lkst_buffer_resize(struct lkst_err *e, struct lkst_session *s, u32 buffer, u64 bytes);

/* Empties it. -EBUSY: a CPU writes to it. */
int lkst_buffer_clear(struct lkst_err *e, struct lkst_session *s, u32 buffer);

/* The same for a buffer that nobody can come to write to, and which no CPU writes to now. */
void lkst_buffer_wipe(struct lkst_session *s, u32 buffer);

/* When @buffer is full on a CPU, the CPU continues in @next; @buffer itself: it overwrites its oldest records. */
int lkst_buffer_link(struct lkst_err *e, struct lkst_session *s, u32 buffer, u32 next);

/*
 * Has @cpu, or LKST_EVERY_CPU, write what is sent to buffer @of to buffer @to from now on. Recorded, by
 * each CPU. Main stands for the active bank of those for incidents. -EBUSY: @to is another one of them.
 */
int lkst_buffer_jump(struct lkst_err *e, struct lkst_session *s, u32 of, u32 to, int cpu);

/* The same with the next buffer of the active one, CPU by CPU. CPUs without a next one stay. */
int lkst_buffer_shift(struct lkst_err *e, struct lkst_session *s, u32 of, int cpu);

/* The buffer that is active for @of on @cpu. */
u32 lkst_buffer_active(const struct lkst_session *s, u32 of, u32 cpu);

/* How much memory is left for further buffers, per online CPU and in one piece: the largest that fits. */
u64 lkst_buffer_room(const struct lkst_session *s);

#endif
