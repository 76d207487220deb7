/* SPDX-License-Identifier: GPL-2.0-only */
/* --mode and --group: who else may read what a command writes. */
#include "cmd/frame/access.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>

enum {
	MODE_OWNER = 0600, /* always */
	MODE_OTHERS = 0044,
	MODE_GROUP_READS = 0640,
};

static int parse_mode(struct lkst_err *e, const char *text, mode_t *ret_mode)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 8);

	if (end == text || *end || mode > 07777)
		return lkst_err_set(e, -EINVAL, "--mode takes an octal mode like 0640, not \"%s\"",
				    text);
	if ((mode & ~(unsigned long)MODE_OTHERS) != MODE_OWNER)
		return lkst_err_set(
			e, -EINVAL,
			"--mode %s: the owner reads and writes, others may read at most: "
			"0600, 0640 or 0644",
			text);
	*ret_mode = (mode_t)mode;
	return 0;
}

static int access_parse_group(struct lkst_err *e, const char *text, gid_t *ret_gid)
{
	const struct group *group = getgrnam(text);
	unsigned long gid;
	char *end;

	if (group) {
		*ret_gid = group->gr_gid;
		return 0;
	}
	errno = 0;
	gid = strtoul(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-' || gid >= (gid_t)-1)
		return lkst_err_set(e, -EINVAL,
				    "--group: there is no group %s; `getent group` shows them",
				    text);
	*ret_gid = (gid_t)gid;
	return 0;
}

int lkst_access_parse(struct lkst_err *e, const struct lkst_access_options *o, struct lkst_access *ret_access)
{
	struct lkst_access access = { .gid = (gid_t)-1 };
	int err = o->mode ? parse_mode(e, o->mode, &access.mode) : 0;

	if (!err && o->group)
		err = access_parse_group(e, o->group, &access.gid);
	if (err)
		return err;
	if (o->group && !access.mode)
		access.mode = MODE_GROUP_READS;
	*ret_access = access;
	return 0;
}

int lkst_access_parse_private(struct lkst_err *e, const struct lkst_access_options *o, struct lkst_access *ret_access,
			      bool *ret_is_private)
{
	int err = lkst_access_parse(e, o, ret_access);

	if (err)
		return err;
	ret_access->mode = ret_access->mode ?: MODE_OWNER;
	*ret_is_private = !(ret_access->mode & MODE_OTHERS);
	return 0;
}
