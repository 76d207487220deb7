/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own counters of what is recorded, read at one time: `lkst check` compares records with them. */
#ifndef LKST_LIVE_STATE_COUNTERS_H
#define LKST_LIVE_STATE_COUNTERS_H

#include "live/session/session.h"
#include "trace/write/writer.h"

enum { LKST_COUNTER_NAME = 64 }; /* with its NUL */

/* A counter's value, read between two moments of the clock that all times are taken from. */
struct lkst_counter_value {
	u64 value, from_ns, to_ns;
	u8 kind; /* enum lkst_counter */
	bool is_recorded; /* what it counts was recorded then, without a condition */
	u32 after_least, after_most; /* see live/drain/after.h */
	s16 cpu;
	s32 number;
	char name[LKST_COUNTER_NAME];
};

/* One reading. All zero is empty. */
struct lkst_counters {
	struct lkst_counter_value *list;
	u32 nr;
};

/* Reads them again, as far as this kernel has them. -ENOMEM with @e set. */
int lkst_counters_read(struct lkst_err *e, const struct lkst_session *s, struct lkst_counters *c);
void lkst_counters_fini(struct lkst_counters *c);

/* The buffer that every switch is recorded to now, as a bit; 0: not every one is, or only under a condition. */
u32 lkst_counters_switches_to(const struct lkst_session *s);

/* Adds a copy of @value. -ENOMEM, or -E2BIG beyond what any machine has. */
int lkst_counters_add(struct lkst_counters *c, const struct lkst_counter_value *value);

/*
 * Writes the reading to the state stream. @is_filtered: not all threads are recorded. @buffers: a bit for each buffer
 * that the trace has, 0: it has all; what is recorded to others counts as not recorded.
 */
int lkst_counters_write(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			const struct lkst_counters *c, bool is_filtered, u32 buffers);

/*
 * The number of the network interface @name, 0 if there is none. Read from /sys: if_nametoindex(3) opens a socket,
 * which a service may not be allowed to do.
 */
s32 lkst_netdev_index(const char *name);

#endif
