/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the language of lkst inject, and of the kernel's list of functions that may fail.
 *
 * prints: text csv json
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "probe/text/error_kind.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* What the kernel says of the function may be anything. */
static void check_kind(const struct lkst_injection *i)
{
	enum lkst_error_kind kind;
	struct lkst_err e = {};

	for (kind = LKST_ERROR_NONE; kind <= LKST_ERROR_MODULE; kind++)
		if (lkst_error_kind_check(&e, i, kind))
			printed_error(&e);
}

static void check_injection(const struct lkst_injection *i)
{
	char value[LKST_INJECTION_VALUE];
	struct lkst_injection again;

	if (!i->function[0] || !i->first || !i->every || !i->chance ||
	    i->chance > LKST_INJECTION_ALWAYS || !i->for_ns || i->pid == 1 ||
	    (i->caller_is == LKST_CALLER_ANY) != !i->caller[0] || i->value_at >= strlen(i->text))
		abort();
	lkst_injection_value(i->value, value);
	printed_names((const char *const[]){ i->text, i->function, i->caller, i->comm, value }, 5);
	if (lkst_injection_parse(NULL, i->text, &again) || memcmp(&again, i, sizeof(again)))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct lkst_injection i;
	struct lkst_err e = {};
	int err;

	if (!text)
		return 0;
	err = lkst_injection_parse(&e, text, &i);
	if (!err) {
		check_injection(&i);
		check_kind(&i);
	} else {
		if (err != -EINVAL)
			abort();
		printed_error(&e);
	}
	lkst_error_list_read(text, "f");
	free(text);
	return 0;
}
