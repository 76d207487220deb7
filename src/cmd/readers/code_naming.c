/* SPDX-License-Identifier: GPL-2.0-only */
/* Whoever finds names of user code for a command. */
#include "cmd/readers/code_naming.h"

#include <errno.h>

#include "base/time.h"
#include "usercode/name/code_names.h"

#define SAME_BOOT_NS                                                                               \
	2000000000ULL /* what the clock of a machine that runs is set by at most, as a rule */

/*
 * Whether the time of day was as far ahead of the clock of traces as it is here: else that one began at another
 * moment.
 */
static bool is_of_this_boot(const struct lkst_trace *t)
{
	const u64 then = lkst_trace_catalog(t)->clock_offset_ns, now = lkst_clock_offset_ns();

	return (then > now ? then - now : now - then) < SAME_BOOT_NS;
}

int lkst_code_naming_begin(struct lkst_err *e, const struct lkst_trace *t,
			   struct lkst_code_namer *ret_namer)
{
	const struct lkst_code_names_options options = { .no_jit = !is_of_this_boot(t) };
	struct lkst_code_names *names = lkst_code_names_new(&options);

	if (!names)
		return lkst_err_sys(e, -ENOMEM, "naming user code");
	*ret_namer = lkst_code_names_namer(names);
	return 0;
}

void lkst_code_naming_end(struct lkst_code_namer *namer)
{
	lkst_code_names_free(namer->ctx);
	*namer = (struct lkst_code_namer){};
}
