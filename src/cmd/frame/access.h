/* SPDX-License-Identifier: GPL-2.0-only */
/* --mode and --group: who else may read what a command writes. */
#ifndef LKST_CMD_FRAME_ACCESS_H
#define LKST_CMD_FRAME_ACCESS_H

#include "base/create.h"
#include "cmd/frame/cmd.h"

/* The values of the two options. */
struct lkst_access_options {
	const char *mode, *group; /* NULL: not given */
};

/* Their rows in the table of a command whose options are a struct @type with a struct lkst_access_options @member. */
#define LKST_ACCESS_ROWS(type, member)                                                             \
	LKST_OPTION(TEXT, type, member.mode, .name = "mode", .argument = "MODE",                   \
		    .standard = "0600 for root, else what umask leaves",                           \
		    .help = "the mode of the files: 0600, 0640 or 0644; directories can be\n"      \
			    "searched by whoever may read"),                                       \
		LKST_OPTION(                                                                       \
			TEXT, type, member.group, .name = "group", .argument = "GROUP",            \
			.help = "this group may read the files; their mode is 0640 then, unless\n" \
				"--mode is given")

/* Says who may read what the command makes. -EINVAL: the mode or group is not valid. */
int lkst_access_parse(struct lkst_err *e, const struct lkst_access_options *o, struct lkst_access *ret_access);

/*
 * The same for what nobody else may read, whoever makes it, unless the options say so: without them the mode is 0600.
 * *@ret_is_private: it is not for others.
 */
int lkst_access_parse_private(struct lkst_err *e, const struct lkst_access_options *o, struct lkst_access *ret_access,
			      bool *ret_is_private);

#endif
