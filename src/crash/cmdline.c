/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a kernel's command line about memory. */
#include "crash/cmdline.h"

#include <stddef.h>
#include <string.h>

/* What @line says of @name, up to the next blank: "" if only that it is there, NULL: nothing. */
static const char *find_value(const char *line, const char *name)
{
	const char blanks[] = " \t\n", *found = NULL;
	size_t length = strlen(name);

	while (*(line += strspn(line, blanks))) {
		if (!strncmp(line, name, length)) {
			if (line[length] == '=')
				found = line + length + 1;
			else if (!line[length] || strchr(blanks, line[length]))
				found = "";
		}
		line += strcspn(line, blanks);
	}
	return found;
}

static bool is_no(const char *value)
{
	static const char *const noes[] = { "0", "n", "N", "of", "Of", "oF", "OF" };
	size_t i;

	for (i = 0; i < sizeof(noes) / sizeof(noes[0]); i++)
		if (!strncmp(value, noes[i], strlen(noes[i])))
			return true;
	return false;
}

bool lkst_cmdline_is_off(const char *line, const char *name)
{
	const char *value = find_value(line, name);

	return value && is_no(value);
}

const char *lkst_cmdline_eraser(const char *line)
{
	/* Of memtest the value is a number of rounds. */
	static const char *const erasers[] = { "init_on_free", "page_poison", "memtest" };
	size_t i;

	for (i = 0; i < sizeof(erasers) / sizeof(erasers[0]); i++) {
		const char *value = find_value(line, erasers[i]);

		if (value && !is_no(value))
			return erasers[i];
	}
	return NULL;
}
