/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of a trace's disks, interrupts, network interfaces and idle states, by the records of its state.
 */
#ifndef LKST_ANALYZE_ENGINE_LABELS_H
#define LKST_ANALYZE_ENGINE_LABELS_H

#include "analyze/engine/feed.h"

enum {
	LKST_LABELS_MAX = 4096, /* more are without a name */
	LKST_LABEL_TEXT = 64,	/* with the NUL; longer names are cut */
};

enum lkst_label_kind {
	LKST_LABEL_DISK,   /* by device number */
	LKST_LABEL_IRQ,	   /* by its number */
	LKST_LABEL_NETDEV, /* by ifindex */
	LKST_LABEL_IDLE,   /* by the number of the idle state */
};

struct lkst_label {
	u8 kind;
	u32 number;
	char text[LKST_LABEL_TEXT];
};

struct lkst_labels {
	struct lkst_label *items;
	u32 nr;
};

/* Takes in what @r names; cheap for other records. -ENOMEM or 0. */
int lkst_labels_feed(struct lkst_labels *l, const struct lkst_record *r);

/* Has @f feed it, whatever the window. @l must stay. 0 or -ENOMEM. */
int lkst_labels_subscribe(struct lkst_labels *l, struct lkst_feed *f);
void lkst_labels_fini(struct lkst_labels *l);

/* The name, or NULL. */
const char *lkst_labels_find(const struct lkst_labels *l, enum lkst_label_kind kind, u32 number);

#endif
