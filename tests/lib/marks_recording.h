/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of the marks of programs whose memory is in a directory of the test's own (lib/mark_directory.h). The
 * test ends where one cannot be made.
 */
#ifndef LKST_TEST_MARKS_RECORDING_H
#define LKST_TEST_MARKS_RECORDING_H

#include <sys/types.h>

#include "marks/marks_gather.h"

/* What a recording has: events by number, and what was given out, as text. */
struct marks_recording {
	struct lkst_catalog *catalog;
	u64 nr, first_ns, last_ns, refused, overwritten;
	bool is_bad;
	char text[4096];
};

/* Begins, with marks since @since_ns, and asks programs for them. End it with marks_end(), which adds what was lost. */
struct lkst_marks_reader *marks_begin(struct marks_recording *r, u64 since_ns);
void marks_end(struct marks_recording *r, struct lkst_marks_reader *m);

/* A look that others may follow, and one that none follows: what lkst_marks_gather() returns. */
int marks_look(struct lkst_marks_reader *m, struct marks_recording *r);
int marks_last_look(struct lkst_marks_reader *m, struct marks_recording *r);

/* Takes what a look gives out; @ctx: the recording. */
int marks_give(struct lkst_err *err, void *ctx, u64 instance, const void *blocks, size_t length);

/* Has a child do @run, which marks in a memory of its own, and waits for its end. Returns its number. */
pid_t marks_in_child(void (*run)(void));

/* Removes the memory of all programs. */
void marks_remove_all(void);

#endif
