/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are halves of a pair, by the catalogue or by their names. */
#include "trace/format/half.h"

#include <stdio.h>
#include <string.h>

static const char compat_prefix[] = "compat_";
static const char *const call_prefixes[] = {
	[LKST_HALF_ENTRY] = "syscall_entry_",
	[LKST_HALF_EXIT] = "syscall_exit_",
};

/* The last words by which the kernel's tracepoints are called if they are halves. */
static const struct {
	const char *entry, *exit;
} words[] = {
	{ "_entry", "_exit" },
	{ "_begin", "_end" },
	{ "_start", "_end" },
};
enum { NR_WORDS = sizeof(words) / sizeof(words[0]) };

/* If @name begins with @prefix, what follows it; else NULL. */
static const char *half_after(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) ? NULL : name + length;
}

/* ---- system calls ----------------------------------------------------------------------------- */

bool lkst_call_name_parse(const char *event, struct lkst_call_name *ret_name)
{
	const char *plain = half_after(event, compat_prefix);
	enum lkst_half half;

	for (half = LKST_HALF_ENTRY; half <= LKST_HALF_EXIT; half++) {
		const char *call = half_after(plain ?: event, call_prefixes[half]);

		if (!call)
			continue;
		*ret_name = (struct lkst_call_name){ half, plain != NULL, call };
		return true;
	}
	return false;
}

int lkst_call_name_format(char *event, size_t size, const struct lkst_call_name *name)
{
	return snprintf(event, size, "%s%s%s", name->is_compat ? compat_prefix : "",
			call_prefixes[name->half], name->call);
}

/* ---- events of the catalogue ------------------------------------------------------------------ */

/* The second half of the pair that @index begins, or -1. */
static int exit_of(int index)
{
	int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_events[i].entry == index + 1)
			return i;
	return -1;
}

static enum lkst_half half_of_builtin(int index)
{
	if (lkst_events[index].entry)
		return LKST_HALF_EXIT;
	return exit_of(index) < 0 ? LKST_HALF_NONE : LKST_HALF_ENTRY;
}

static int other_of_builtin(int index)
{
	return lkst_events[index].entry ? lkst_events[index].entry - 1 : exit_of(index);
}

/* ---- tracepoints by name ---------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *word)
{
	size_t length = strlen(name), end = strlen(word);

	return length > end && !strcmp(name + length - end, word);
}

static enum lkst_half half_by_word(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_WORDS; i++) {
		if (ends_with(name, words[i].entry))
			return LKST_HALF_ENTRY;
		if (ends_with(name, words[i].exit))
			return LKST_HALF_EXIT;
	}
	return LKST_HALF_NONE;
}

/* @name with its last word replaced, by the @i-th row that has the word. */
static bool replace_word(const char *name, enum lkst_half half, unsigned int i,
			 char other[LKST_NAME_MAX])
{
	unsigned int row;

	for (row = 0; row < NR_WORDS; row++) {
		const char *from = half == LKST_HALF_ENTRY ? words[row].entry : words[row].exit;
		const char *to = half == LKST_HALF_ENTRY ? words[row].exit : words[row].entry;

		if (!ends_with(name, from) || i--)
			continue;
		snprintf(other, LKST_NAME_MAX, "%.*s%s", (int)(strlen(name) - strlen(from)), name,
			 to);
		return true;
	}
	return false;
}

/* ---- all -------------------------------------------------------------------------------------- */

void lkst_half_describe(struct lkst_event_class *event)
{
	struct lkst_call_name call;

	event->other_half = LKST_ID_NONE;
	event->call_at = 0;
	event->is_compat = false;
	if (lkst_call_name_parse(event->name, &call)) {
		event->half = call.half;
		event->is_compat = call.is_compat;
		event->call_at = (u8)(call.call - event->name);
	} else {
		event->half = event->index >= 0 ? half_of_builtin(event->index)
						: half_by_word(event->name);
	}
}

bool lkst_half_other_name(const struct lkst_event_class *event, unsigned int i,
			  char name[LKST_NAME_MAX])
{
	struct lkst_call_name other = { .is_compat = event->is_compat,
					.call = lkst_class_call(event) };

	if (event->half == LKST_HALF_NONE)
		return false;
	if (!other.call && event->index < 0)
		return replace_word(event->name, event->half, i, name);
	if (i)
		return false;
	other.half = event->half == LKST_HALF_ENTRY ? LKST_HALF_EXIT : LKST_HALF_ENTRY;
	if (other.call)
		lkst_call_name_format(name, LKST_NAME_MAX, &other);
	else
		snprintf(name, LKST_NAME_MAX, "%s",
			 lkst_events[other_of_builtin(event->index)].name);
	return true;
}

void lkst_half_common_name(const char *entry, const char *exit, char *name, size_t size)
{
	size_t same = 0, i;
	const char *rest;

	/* Whole words: "softirq_entry" and "softirq_exit" have "softirq" in common, not "softirq_e". */
	for (i = 0; entry[i] && entry[i] == exit[i]; i++)
		if (entry[i] == '_')
			same = i;
	if (!same) {
		snprintf(name, size, "%s", entry);
		return;
	}
	rest = strchr(entry + same + 1, '_');
	snprintf(name, size, "%.*s%s%s", (int)same, entry, rest ? ":" : "", rest ? rest + 1 : "");
}
