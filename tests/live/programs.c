// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The kernel programs of a recording: one whose build lacks the program of a hook leaves out that event, says so, and
 * records the others; and none takes the verifier long, of which every start would be as much longer.
 */
#include <bpf/bpf.h>
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

/* Of instructions that the verifier checks of a program, each time that it comes to one. The most is 16,000. */
enum { CHECKED_MAX = 30000 };

static u32 last_program(void)
{
	u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		continue;
	return id;
}

/* Of the programs that came after @id, the one of which most was checked. */
static struct bpf_prog_info most_checked(u32 id)
{
	struct bpf_prog_info most = {};

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		u32 length = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &length) &&
		    info.verified_insns > most.verified_insns)
			most = info;
		close(fd);
	}
	return most;
}

/* All events of the catalogue, with a cost limit. */
static void check_verifier(void)
{
	const char *name = "programs_are_soon_checked";
	struct lkst_session_options options = {
		.buffer_bytes = 4 << 20,
		.block_bytes = 4096,
		.budget_ppm = 50000,
	};
	char all[] = "*";
	char *const globs[] = { all };
	struct lkst_session *s = NULL;
	struct lkst_plan *plan = NULL;
	u32 before = last_program();
	struct bpf_prog_info most;
	struct lkst_err e = {};
	int err;

	err = lkst_plan_make(&e, globs, 1, NULL, &plan)
		      ?: lkst_session_start(&e, plan, &options, &s);
	most = most_checked(before);
	if (err)
		live_fail(name, "%s", e.text);
	else if (most.verified_insns > CHECKED_MAX)
		live_fail(name, "%u instructions of %s", most.verified_insns, most.name);
	else
		live_ok(name);
	lkst_session_close(s);
	lkst_plan_free(plan);
}

static void check_lacking(void)
{
	struct lkst_session_options options = { .buffer_bytes = 4 << 20, .block_bytes = 4096 };
	char event[] = "task_rename";
	char *const globs[] = { event };
	struct lkst_session *s = NULL;
	struct lkst_plan *plan = NULL;
	struct lkst_err e = {};
	int err;

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
}

int main(void)
{
	live_begin();
	check_lacking();
	check_verifier();
	return live_end();
}
