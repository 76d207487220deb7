/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readings of the kernel's counters (counters.h, thread_counts.h) that are kept with a pinned recording: a snapshot
 * can be compared with the kernel only from a reading on that its records reach back to. They are in a map of their
 * own, which has a pin and ends with the recording. Keeping one does not require the lock of commands
 * (live/hooks/pins.h): one process at a time does it, and readers see by a checksum if a reading is incomplete. A
 * failure to keep one does not make a command fail: a snapshot then lacks a reading, and `lkst check` says so.
 */
#ifndef LKST_LIVE_STATE_READINGS_H
#define LKST_LIVE_STATE_READINGS_H

#include "live/state/counters.h"
#include "live/state/thread_counts.h"

enum { LKST_READINGS_MAX = 16 };

/* In order of time. All zero is empty. */
struct lkst_readings {
	struct lkst_counters list[LKST_READINGS_MAX + 1];
	struct lkst_thread_counts threads[LKST_READINGS_MAX + 1]; /* made just before those of the list */
	u32 nr;
	u32 after; /* the one after what is saved, with what came in between (live/drain/after.h); 0: none is */
};

/* Makes the map of @s, which is pinned, with the first reading. For the process that holds the lock to start one. */
void lkst_readings_make(const struct lkst_session *s);

/*
 * Reads the counters and keeps their values, unless that was done less than @apart_ns ago. If there is no room, it
 * replaces the reading that matters least: one to which no records reach back, or one that is close to its neighbours.
 */
void lkst_readings_keep(const struct lkst_session *s, u64 apart_ns);

/* Reads them, keeps the reading, and returns all that are kept, for a snapshot: its records are copied later. */
void lkst_readings_take(const struct lkst_session *s, struct lkst_readings *ret_readings);
void lkst_readings_fini(struct lkst_readings *r);

/*
 * Which of @nr readings, made at @ns, in order of time, is to be replaced by one of @now: the first one that is not
 * @needed, or else the one that leaves the smallest hole for its age. Never the last one.
 */
u32 lkst_readings_choose(const u64 *ns, const bool *needed, u32 nr, u64 now);

#endif
