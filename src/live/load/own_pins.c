/* SPDX-License-Identifier: GPL-2.0-only */
/* Pins of this process alone. */
#include "live/load/own_pins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

enum { NAME_ROOM = 256 /* of a file's name: NAME_MAX, and a NUL */ };

static struct own_pin {
	char name[NAME_ROOM];
	int fd;
} * pins;
static u32 nr_pins;

static struct own_pin *find(const char *name)
{
	u32 i;

	for (i = 0; i < nr_pins; i++)
		if (!strcmp(pins[i].name, name))
			return &pins[i];
	return NULL;
}

static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

int lkst_own_pins_put(int fd, const char *name)
{
	struct own_pin *pin;
	int copy;

	if (strlen(name) >= NAME_ROOM)
		return -ENAMETOOLONG;
	if (find(name))
		return -EEXIST;
	copy = duplicate(fd);
	if (copy < 0)
		return copy;
	pin = lkst_vec_add(pins, nr_pins);
	if (!pin) {
		close(copy);
		return -ENOMEM;
	}
	strcpy(pin->name, name);
	pin->fd = copy;
	return 0;
}

int lkst_own_pins_get(const char *name)
{
	const struct own_pin *pin = find(name);

	return pin ? duplicate(pin->fd) : -ENOENT;
}

void lkst_own_pins_drop(const char *name)
{
	struct own_pin *pin = find(name);

	if (!pin)
		return;
	close(pin->fd);
	*pin = pins[--nr_pins];
}

/* From the last one down: the one that takes the place of a dropped one was there already. */
int lkst_own_pins_each(struct lkst_err *e, lkst_pin_fn *each, void *ctx)
{
	char name[NAME_ROOM];
	int err = 0;
	u32 i;

	for (i = nr_pins; i-- > 0 && !err;) {
		memcpy(name, pins[i].name, sizeof(name));
		err = each(e, ctx, name);
	}
	return err;
}

void lkst_own_pins_remove(void)
{
	while (nr_pins)
		close(pins[--nr_pins].fd);
	free(pins);
	pins = NULL;
}
