/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of disks and network interfaces. */
#include "analyze/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int add(struct lkst_devices *d, u32 number, const char *name)
{
	struct lkst_device *list = d->list;

	if (d->nr == LKST_DEVICES_MAX)
		return 0;
	/* Room doubles whenever it is used up. */
	if (!(d->nr & (d->nr - 1))) {
		list = reallocarray(list, d->nr ? d->nr * 2 : 1, sizeof(*list));
		if (!list)
			return -ENOMEM;
		d->list = list;
	}
	list[d->nr].number = number;
	snprintf(list[d->nr].name, sizeof(list[d->nr].name), "%s", name);
	d->nr++;
	return 0;
}

static int on_disk(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_disk *disk = record;

	return add(ctx, disk->dev, disk->name.bytes);
}

static int on_interface(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_netdev *device = record;

	return add(ctx, (u32)device->ifindex, device->name.bytes);
}

int lkst_devices_disks(struct lkst_devices *d, struct lkst_feed *f)
{
	return lkst_feed_event(f, LKST_EV_state_disk, on_disk, d);
}

int lkst_devices_interfaces(struct lkst_devices *d, struct lkst_feed *f)
{
	return lkst_feed_event(f, LKST_EV_state_netdev, on_interface, d);
}

void lkst_devices_fini(struct lkst_devices *d)
{
	free(d->list);
	*d = (struct lkst_devices){ 0 };
}

const char *lkst_devices_name(const struct lkst_devices *d, u32 number)
{
	u32 i;

	for (i = 0; i < d->nr; i++)
		if (d->list[i].number == number)
			return d->list[i].name;
	return NULL;
}
