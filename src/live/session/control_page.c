/* SPDX-License-Identifier: GPL-2.0-only */
/* The control page of the running recording alone. */
#include "live/session/control_page.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "live/rings/rings.h"

/* 0: there is no such pin. */
static u64 inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

int lkst_control_page_open(struct lkst_err *e, struct lkst_control_page *page)
{
	_cleanup_close_ int fd = -1;
	struct lkst_control *control;
	int err;

	lkst_pins_path("control", page->path, sizeof(page->path));
	/* Before it is opened: one that takes its place meanwhile is seen by the next look. */
	page->pin = inode_of(page->path);
	fd = lkst_pins_get(e, NULL, "control");
	err = fd < 0 ? fd : lkst_rings_map_control(e, fd, &control);
	if (!err)
		page->control = control;
	return err;
}

void lkst_control_page_close(struct lkst_control_page *page)
{
	if (page->control)
		munmap((void *)page->control, sizeof(*page->control));
	*page = (struct lkst_control_page){};
}

bool lkst_control_page_is_current(const struct lkst_control_page *page)
{
	return page->control && page->pin && inode_of(page->path) == page->pin;
}
