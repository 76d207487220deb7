/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions of triggers that fire when a function of the kernel returns an error. */
#include "masks/error_trigger.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t"

enum { READABLE = 24 /* characters of a name that say which functions it is about */ };

/* What follows the first word, which is @word, and the blanks after it; NULL: it is not. */
static const char *after_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) || (text[length] && !strchr(BLANKS, text[length])))
		return NULL;
	return text + length + strspn(text + length, BLANKS);
}

bool lkst_error_trigger_is(const char *text)
{
	return after_word(text + strspn(text, BLANKS), LKST_ERRORS_GROUP) != NULL;
}

/* FNV-1a, 32 bits wide. */
static u32 error_trigger_hash_of(const char *text, size_t length)
{
	u32 hash = 0x811c9dc5;
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x01000193;
	return hash;
}

/* "on_vfs___4e8a90f1" of "vfs_*". */
static void error_trigger_put_name(const char *functions, size_t length, char name[LKST_ERRORS_NAME])
{
	char readable[READABLE + 1];
	size_t i;

	for (i = 0; i < length && i < READABLE; i++)
		readable[i] = (char)(isalnum((unsigned char)functions[i]) ? functions[i] : '_');
	readable[i] = 0;
	snprintf(name, LKST_ERRORS_NAME, "on_%s_%08x", readable, error_trigger_hash_of(functions, length));
}

/* "MODULE:GLOBS", or "GLOBS". */
static int error_trigger_take_functions(struct lkst_err *e, const char *functions, size_t length,
					struct lkst_error_trigger *t)
{
	const char *colon = memchr(functions, ':', length);
	size_t before = colon ? (size_t)(colon - functions) : 0;
	const char *globs = colon ? colon + 1 : functions;

	if (globs == functions + length || (colon && !before) || before >= sizeof(t->module) ||
	    length >= sizeof(t->globs))
		return lkst_err_set(e, -EINVAL,
				    "\"errors\" takes functions, as in 'errors vfs_*' and 'errors "
				    "ext4:*', not \"%.*s\"",
				    length > 80 ? 80 : (int)length, functions);
	snprintf(t->module, sizeof(t->module), "%.*s", (int)before, functions);
	snprintf(t->globs, sizeof(t->globs), "%.*s", (int)(functions + length - globs), globs);
	error_trigger_put_name(functions, length, t->name);
	return 0;
}

int lkst_error_trigger_parse(struct lkst_err *e, const char *text, struct lkst_error_trigger *ret)
{
	const char *functions = after_word(text + strspn(text, BLANKS), LKST_ERRORS_GROUP), *rest;
	size_t length = functions ? strcspn(functions, BLANKS) : 0;
	int err;

	*ret = (struct lkst_error_trigger){};
	if (!functions || strlen(text) >= LKST_TRIGGER_CONDITION)
		return lkst_err_set(e, -EINVAL, "a condition has at most %d characters",
				    LKST_TRIGGER_CONDITION - 1);
	err = error_trigger_take_functions(e, functions, length, ret);
	if (err)
		return err;
	rest = functions + length + strspn(functions + length, BLANKS);
	if (*rest) {
		rest = after_word(rest, "if");
		if (!rest || !*rest)
			return lkst_err_set(
				e, -EINVAL,
				"after the functions comes \"if\" with comparisons, as in "
				"'errors vfs_* if ret == -ENOSPC'");
	}
	snprintf(ret->condition, sizeof(ret->condition), LKST_ERRORS_GROUP ":%s_*%s%s", ret->name,
		 *rest ? " " : "", rest);
	return 0;
}
