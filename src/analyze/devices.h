/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of disks and network interfaces, as the trace's state has them. Private to the analyses.
 */
#ifndef LKST_ANALYZE_DEVICES_H
#define LKST_ANALYZE_DEVICES_H

#include "analyze/feed.h"

enum {
	LKST_DEVICES_MAX = 1024, /* further ones go by number */
	LKST_DEVICE_NAME = 32,
};

/* All zero is an empty list. */
struct lkst_devices {
	struct lkst_device {
		u32 number;
		char name[LKST_DEVICE_NAME];
	} * list;
	u32 nr;
};

/* Subscribe: state_disk and state_netdev go into @d, which must stay. 0, 1 or a negative errno. */
int lkst_devices_disks(struct lkst_devices *d, struct lkst_feed *f);
int lkst_devices_interfaces(struct lkst_devices *d, struct lkst_feed *f);
void lkst_devices_fini(struct lkst_devices *d);

/* The name, or NULL. */
const char *lkst_devices_name(const struct lkst_devices *d, u32 number);

#endif
