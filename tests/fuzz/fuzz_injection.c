/* SPDX-License-Identifier: GPL-2.0-only */
/* Fuzz target of the language of lkst inject, and of the kernel's list of functions that may fail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/text/error_kind.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_injection(const struct lkst_injection *i)
{
	char value[LKST_INJECTION_VALUE];
	struct lkst_injection again;

	if (!i->function[0] || !i->first || !i->every || !i->chance ||
	    i->chance > LKST_INJECTION_ALWAYS || !i->for_ns || i->pid == 1 ||
	    (i->caller_is == LKST_CALLER_ANY) != !i->caller[0] || i->value_at >= strlen(i->text))
		abort();
	lkst_injection_value(i->value, value);
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
	if (!err)
		check_injection(&i);
	else if (err != -EINVAL || !e.text[0] || e.mark > strlen(e.line))
		abort();
	lkst_error_list_read(text, "f");
	free(text);
	return 0;
}
