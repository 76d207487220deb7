/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much history the memory of a recording holds: how fast each CPU fills its rings, and so how long it takes
 * until a record is overwritten, and what memory a wished time would take. The rings of interrupting writers are
 * left out: they are filled at a small part of the rate.
 */
#ifndef LKST_LIVE_RINGS_HISTORY_H
#define LKST_LIVE_RINGS_HISTORY_H

#include "live/rings/rings.h"

enum {
	LKST_HISTORY_WINDOW_S = 5,   /* the present rate is that of this time */
	LKST_HISTORY_EXAMPLE_S = 60, /* the time whose memory is shown if none was wished */
	LKST_HISTORY_PART = 4,	     /* a wished time may take this part of all memory */
	LKST_USUAL_PART = 256,	     /* and so much is taken if nobody says how much, */
	LKST_USUAL_FREE_PART = 8,    /* and no more than this part of what is free, */
	LKST_USUAL_MIN = 4 << 20,    /* but at least this for each CPU, */
	LKST_USUAL_MAX = 32 << 20,   /* and at most this */
};

/* The buffer of the CPU that fills it fastest. */
struct lkst_held {
	u32 buffer, cpu;
	char name[LKST_BUFFER_NAME]; /* the buffer's */
	u64 bytes;		     /* of the ring */
	double rate;		     /* bytes per second; 0: it is not filled at all */
	double seconds;		     /* that it holds at this rate; 0: it is not filled at all */
};

struct lkst_history {
	struct lkst_held held[LKST_NR_BUFFERS];
	unsigned int nr; /* existing buffers; the first is main */
	bool is_wished;
	double wish_s; /* what was wished, or else LKST_HISTORY_EXAMPLE_S */
	/* The memory that the wish would take at the present rate: of each CPU, and in all. 0: there is not as much. */
	u64 buffer_bytes, memory_bytes;
};

/* At the rate of the last LKST_HISTORY_WINDOW_S, or since a CPU's oldest record if that is younger. */
void lkst_history_look(const struct lkst_rings *r, struct lkst_history *ret);

/* At the rate of the @ms that follow, which it waits for. */
int lkst_history_measure(struct lkst_err *e, const struct lkst_rings *r, unsigned int ms,
			 struct lkst_history *ret);

/*
 * The size of main's ring of a CPU for @wish_s at @rate bytes per second: a power of two from @least_bytes to
 * @most_bytes, which are powers of two. It is less than the product if that is more than @most_bytes.
 */
u64 lkst_history_choose(double rate, double wish_s, u64 least_bytes, u64 most_bytes);

/* What main's ring of a CPU may have, so that those of all CPUs are within LKST_HISTORY_PART of the memory. */
u64 lkst_history_most(void);

/* What it has if nobody says how much: a power of two from LKST_USUAL_MIN to LKST_USUAL_MAX, by the memory. */
u64 lkst_history_usual(void);

#endif
