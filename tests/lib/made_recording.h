/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording without a kernel: a session whose rings and control page are memory that processes share, and that
 * outlives those which read it. What is in the rings is made of text (make_trace.h), all of it before anything is read:
 * a reader takes what is older than the time that it asks for. One CPU, and two buffers: main, and a bank.
 */
#ifndef LKST_TESTS_MADE_RECORDING_H
#define LKST_TESTS_MADE_RECORDING_H

#include "lib/make_trace.h"
#include "live/session/session.h"

enum { MADE_BANK = 2 };

struct made_recording {
	struct lkst_session *session;
	struct lkst_catalog *catalog;
	u8 *first; /* memory and control page as they were made */
};

/* Records of `buffer=2` are the bank's. @start_ns: when recording began. */
struct made_recording *made_recording_new(const char *text, u64 start_ns);

/* As it was made. */
void made_recording_reset(struct made_recording *r);

/* What the kernel programs do: incident @number is kept in the bank, and is over at @until_ns; or comes and goes. */
void made_recording_keep(struct made_recording *r, u32 number, u64 ns, u64 until_ns, const char *reason);
void made_recording_miss(struct made_recording *r, u32 number);

/* Whether an incident is kept. */
bool made_recording_has_incident(const struct made_recording *r);

#endif
