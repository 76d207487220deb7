/* SPDX-License-Identifier: GPL-2.0-only */
/* What is missing in a trace, in words: the gaps, and the ledger that was written with it. */
#ifndef LKST_ANALYZE_LEDGER_LEDGER_H
#define LKST_ANALYZE_LEDGER_LEDGER_H

#include "result/json_writer.h"
#include "trace/format/block.h"
#include "trace/read/gaps.h"

enum {
	LKST_LEDGER_LISTED_MAX = 1000, /* gaps, and lines, that are kept for JSON */
	LKST_LEDGER_USER = 32,	       /* "user 65534" */
};

/* A line of the ledger. */
struct lkst_ledger_line {
	const char *kind; /* a word: "loss", "overwritten", "torn", "shed", "skipped", "marks" */
	s64 cpu, buffer;  /* -1: it is not of one */
	u64 count;
	u64 from_ns, to_ns; /* the time of what is missing; 0 and 0: not known */
	u32 uid;	    /* of "marks": whose programs; UINT32_MAX: not known */
	char text[512];
};

/* What is missing of the marks of a user's programs. */
struct lkst_ledger_user {
	u32 uid;	/* UINT32_MAX: not known */
	u32 nr_lines;
	u64 overwritten, unrecorded, refused, left_out, unlooked;
};

/* What is missing, kept. All zero: nothing yet. */
struct lkst_ledger {
	struct lkst_gap *gaps;
	struct lkst_ledger_line *lines;
	struct lkst_ledger_user *users;
	unsigned int nr_gaps, nr_lines; /* that are kept */
	unsigned int nr_users;
	u64 gaps_met, lines_met;
};

/* Whose programs: "user N", or that it is not known (UINT32_MAX). */
void lkst_ledger_user_name(u32 uid, char text[LKST_LEDGER_USER]);

void lkst_ledger_fini(struct lkst_ledger *l);

/* Takes in a gap, or a record of the state group; @out: prints it; NULL: keeps it. 0 or -ENOMEM. */
int lkst_ledger_add_gap(struct lkst_ledger *l, struct lkst_out *out, const struct lkst_gap *gap);
int lkst_ledger_add_record(struct lkst_ledger *l, struct lkst_out *out, const struct lkst_record *r);

/* After the last record: prints what is missing of each user's marks, where that is in several lines. */
void lkst_ledger_print_users(const struct lkst_ledger *l, struct lkst_out *out);

/* For programs: arrays "gap_list" and "ledger". */
void lkst_ledger_put(struct lkst_json *j, const struct lkst_ledger *l);

#endif
