/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about what a thread did where it ran: the functions of its samples, or what the ticks of its CPUs say. */
#ifndef LKST_ANALYZE_WHY_NARRATE_RUNNING_H
#define LKST_ANALYZE_WHY_NARRATE_RUNNING_H

#include "analyze/why/narrate.h"

/* Samples and ticks of stretches in which a thread ran, and how long those are. All zero is none. */
struct lkst_narrated_running {
	struct lkst_running_samples samples;
	u32 *ticks; /* as moments */
	u32 nr_ticks;
	u64 ran_ns;
};

/* Adds those of @stretch, if the thread of @s ran in it. */
void lkst_narrate_running_add(struct lkst_narrator *t, const struct lkst_account_step *s,
			      const struct lkst_stretch *stretch, struct lkst_narrated_running *r);

/*
 * ", about 61.0 ms of it in inflate() (libz.so.1), called by gz_decomp() < gz_read() (6 of 8 samples)", with @words for
 * ",". Without samples ", at 41 of 52 ticks in write(), at 30 of these in copy_page_from_iter() (kernel)": what it did
 * at most of its ticks, and the function in which most of those are, if that has one in five. Nothing if there are
 * neither. Empties @r.
 */
void lkst_narrate_running_say(struct lkst_narrator *t, struct lkst_account_step *s,
			      const char *words, struct lkst_narrated_running *r);

/* Both, of those stretches from @first to @last in which it ran. */
void lkst_narrate_running(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct lkst_stretch *first, const struct lkst_stretch *last);

#endif
