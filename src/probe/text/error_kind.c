/* SPDX-License-Identifier: GPL-2.0-only */
/* What a function may return to say that it has failed. */
#include "probe/text/error_kind.h"

#include <errno.h>
#include <string.h>

static enum lkst_error_kind error_kind_of(const char *word)
{
	static const struct {
		const char *word;
		enum lkst_error_kind kind;
	} kinds[] = {
		{ "ERRNO", LKST_ERROR_ERRNO },
		{ "ERRNO_NULL", LKST_ERROR_ERRNO_NULL },
		{ "NULL", LKST_ERROR_NULL },
		{ "TRUE", LKST_ERROR_TRUE },
	};
	const size_t length = strcspn(word, "\n");
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].word) == length && !memcmp(word, kinds[i].word, length))
			return kinds[i].kind;
	return LKST_ERROR_NONE;
}

enum lkst_error_kind lkst_error_list_read(const char *line, const char *function)
{
	const size_t length = strlen(function);
	const char *tab = strrchr(line, '\t');

	if (!length || strcspn(line, "+ \t\n") != length || memcmp(line, function, length) || !tab)
		return LKST_ERROR_NONE;
	return strchr(line, '[') ? LKST_ERROR_MODULE : error_kind_of(tab + 1);
}

static bool is_error(s64 value)
{
	return value < 0 && value >= -LKST_INJECTION_ERRNO_MAX;
}

int lkst_error_kind_check(struct lkst_err *e, const struct lkst_injection *injection,
			  enum lkst_error_kind kind)
{
	const bool is_pointer = kind == LKST_ERROR_NULL || kind == LKST_ERROR_ERRNO_NULL;
	const u16 at = injection->value_at;

	if (kind == LKST_ERROR_NULL || (is_pointer && !injection->value))
		return lkst_injection_refuse(
			e, -ENOTSUP, injection, at,
			"this kernel lets no program return NULL in place of a function; of %s it "
			"allows %s",
			injection->function,
			kind == LKST_ERROR_NULL ? "nothing else" : "errors too, as -ENOMEM");
	if (kind == LKST_ERROR_TRUE && injection->value != 1)
		return lkst_injection_refuse(e, -ERANGE, injection, at,
					     "%s fails by returning true, says the kernel's list",
					     injection->function);
	if (kind != LKST_ERROR_TRUE && !is_error(injection->value))
		return lkst_injection_refuse(
			e, -ERANGE, injection, at,
			"%s fails by returning an error, -1 to -%d, as -ENOMEM",
			injection->function, LKST_INJECTION_ERRNO_MAX);
	return 0;
}
