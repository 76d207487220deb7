/* SPDX-License-Identifier: GPL-2.0-only */
/* Pins of one recording that nobody else sees. */
#include "live/hooks/own_pins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/types.h"
#include "base/vec.h"

enum { NAME_ROOM = 256 /* of a file's name: NAME_MAX, and a NUL */ };

struct own_pin {
	char name[NAME_ROOM];
	int fd;
};

struct lkst_own_pins {
	struct own_pin *list;
	u32 nr;
};

struct lkst_own_pins *lkst_own_pins_new(void)
{
	return calloc(1, sizeof(struct lkst_own_pins));
}

void lkst_own_pins_free(struct lkst_own_pins *own)
{
	if (!own)
		return;
	while (own->nr)
		close(own->list[--own->nr].fd);
	free(own->list);
	free(own);
}

static struct own_pin *own_pins_find(const struct lkst_own_pins *own, const char *name)
{
	u32 i;

	for (i = 0; i < own->nr; i++)
		if (!strcmp(own->list[i].name, name))
			return &own->list[i];
	return NULL;
}

static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

int lkst_own_pins_put(struct lkst_own_pins *own, int fd, const char *name)
{
	struct own_pin *pin;
	int copy;

	if (strlen(name) >= NAME_ROOM)
		return -ENAMETOOLONG;
	if (own_pins_find(own, name))
		return -EEXIST;
	copy = duplicate(fd);
	if (copy < 0)
		return copy;
	pin = lkst_vec_add(own->list, own->nr);
	if (!pin) {
		close(copy);
		return -ENOMEM;
	}
	strcpy(pin->name, name);
	pin->fd = copy;
	return 0;
}

int lkst_own_pins_get(const struct lkst_own_pins *own, const char *name)
{
	const struct own_pin *pin = own_pins_find(own, name);

	return pin ? duplicate(pin->fd) : -ENOENT;
}

void lkst_own_pins_drop(struct lkst_own_pins *own, const char *name)
{
	struct own_pin *pin = own_pins_find(own, name);

	if (!pin)
		return;
	close(pin->fd);
	*pin = own->list[--own->nr];
}

/* From the last one down: the one that takes the place of a dropped one was there already. */
int lkst_own_pins_each(struct lkst_err *e, struct lkst_own_pins *own, lkst_pin_fn *each, void *ctx)
{
	char name[NAME_ROOM];
	int err = 0;
	u32 i;

	for (i = own->nr; i-- > 0 && !err;) {
		memcpy(name, own->list[i].name, sizeof(name));
		err = each(e, own, ctx, name);
	}
	return err;
}
