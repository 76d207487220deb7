/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that read say of a trace that is not all there. */
#include <stdio.h>

#include "base/out.h"
#include "cmd/frame/cmd.h"
#include "trace/read/ends.h"
#include "trace/read/reader.h"

void lkst_cmd_tell_ending(const struct lkst_trace *t, const char *name)
{
	enum lkst_trace_ending ending = lkst_trace_ending(t);
	const char *text = lkst_trace_ending_text(ending);

	if (lkst_trace_is_partial(t)) {
		lkst_print_message(stderr, "lkst: %s is not complete: what made it was broken off",
				   name);
		return;
	}
	if (lkst_trace_lacks_part(t))
		lkst_print_message(stderr, "lkst: %s is not complete: %s", name,
				   lkst_trace_lacks_part_text());
	else if (ending == LKST_TRACE_GOES_ON)
		lkst_print_message(stderr, "lkst: %s is one part: %s", name, text);
	if (ending == LKST_TRACE_UNFINISHED || ending == LKST_TRACE_DISK_FULL)
		lkst_print_message(stderr, "lkst: %s is not complete: %s", name, text);
}
