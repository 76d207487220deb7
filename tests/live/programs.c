// SPDX-License-Identifier: GPL-2.0-only
/* A recording whose build lacks the program of a hook leaves out that event, says so, and records the others. */
#include <string.h>
#include <sys/syscall.h>

#include "live.h"
#include "live/recording/start.h"

static bool has_note(const struct lkst_session *s, const char *text)
{
	const struct lkst_notes *notes = lkst_session_notes(s);
	unsigned int i;

	for (i = 0; i < notes->nr; i++)
		if (!strcmp(notes->text[i], text))
			return true;
	return false;
}

static bool is_recorded(const struct lkst_session *s, const char *event)
{
	const struct lkst_event_class *class = lkst_catalog_find(lkst_session_catalog(s), event);
	const struct lkst_hooks *hooks = lkst_session_hooks((struct lkst_session *)s);

	return class && hooks->of[class->id] && hooks->items[hooks->of[class->id] - 1].is_attached;
}

int main(void)
{
	struct lkst_session_options options = { .buffer_bytes = 4 << 20, .block_bytes = 4096 };
	char event[] = "task_rename";
	char *const globs[] = { event };
	struct lkst_session *s = NULL;
	struct lkst_plan *plan = NULL;
	struct lkst_err e = {};
	int err;

	live_begin();
	err = lkst_plan_make(&e, globs, 1, NULL, &plan);
	/* No object has a program for this row: it says that there can be none. */
	if (!err) {
		plan->hook[LKST_EV_port_in] = 0;
		err = lkst_session_start(&e, plan, &options, &s);
	}
	if (err)
		live_fail("programs_that_lack_leave_out_their_event", "%s", e.text);
	else if (
		!has_note(
			s,
			"port_in is not recorded: this lkst was built without its program for none."))
		live_fail("programs_that_lack_leave_out_their_event", "no note says so");
	else if (!is_recorded(s, event))
		live_fail("programs_that_lack_leave_out_their_event", "%s is not recorded either",
			  event);
	else
		live_ok("programs_that_lack_leave_out_their_event");
	lkst_session_close(s);
	lkst_plan_free(plan);
	return live_end();
}
