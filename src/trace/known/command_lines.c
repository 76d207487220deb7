/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands, by the records that say them. */
#include "trace/known/command_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/program.h"
#include "base/vec.h"

enum {
	BYTES_MAX = 64 << 20, /* beyond, commands are not known */
};

struct lkst_command_lines {
	struct lkst_command_line **list;
	unsigned int nr;
	size_t bytes;
};

struct lkst_command_lines *lkst_command_lines_new(void)
{
	return calloc(1, sizeof(struct lkst_command_lines));
}

void lkst_command_lines_free(struct lkst_command_lines *c)
{
	unsigned int i;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++)
		free(c->list[i]);
	free(c->list);
	free(c);
}

static u32 command_lines_number(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? (u32)lkst_record_int(r, f) : 0;
}

int lkst_command_lines_add(struct lkst_command_lines *c, const struct lkst_record *r,
			   const struct lkst_command_line **ret_command)
{
	const struct lkst_field_class *args = lkst_class_field(r->event, "args");
	struct lkst_command_line *command, **added;
	const u8 *bytes = NULL;
	u32 length = 0;

	*ret_command = NULL;
	if (args)
		bytes = lkst_record_field(r, (unsigned int)(args - r->event->fields), &length);
	length = bytes ? (u32)strnlen((const char *)bytes, length) : 0;
	if (!bytes || length >= LKST_STRING_MAX ||
	    c->bytes + sizeof(*command) + length + 1 > BYTES_MAX)
		return 0;
	command = malloc(sizeof(*command) + length + 1);
	added = command ? lkst_vec_add(c->list, c->nr) : NULL;
	if (!added) {
		free(command);
		return -ENOMEM;
	}
	*added = command;
	c->bytes += sizeof(*command) + length + 1;
	*command = (struct lkst_command_line){ .uid = command_lines_number(r, "uid"),
					       .euid = command_lines_number(r, "euid"),
					       .gid = command_lines_number(r, "gid"),
					       .args_bytes = command_lines_number(r, "args_bytes"),
					       .length = length };
	memcpy(command->args, bytes, length);
	command->args[length] = 0;
	*ret_command = command;
	return 0;
}

bool lkst_command_line_is_cut(const struct lkst_command_line *command)
{
	return (u64)command->length + 1 < command->args_bytes;
}

const char *lkst_command_line_text(const struct lkst_command_line *command,
				   char text[LKST_COMMAND_LINE_TEXT])
{
	text[0] = 0;
	if (command && command->length)
		snprintf(text, LKST_COMMAND_LINE_TEXT, "%.511s%s", command->args,
			 lkst_command_line_is_cut(command) ? "..." : "");
	return text;
}
