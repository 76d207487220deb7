/* SPDX-License-Identifier: GPL-2.0-only */
/* What is missing in a trace, as text and as JSON. */
#include "analyze/ledger/ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/state.h"
#include "base/out.h"
#include "base/vec.h"

enum {
	GAPS_SHOWN = 20,
	USERS_MAX = 128, /* of whom sums are kept */
};

void lkst_ledger_fini(struct lkst_ledger *l)
{
	free(l->gaps);
	free(l->lines);
	free(l->users);
	*l = (struct lkst_ledger){};
}

/* ---- gaps ------------------------------------------------------------------------------------ */

static void print_gap(struct lkst_out *out, const struct lkst_gap *g, u64 nr)
{
	if (nr < GAPS_SHOWN)
		lkst_out_message(out,
				 "gap: CPU %u, buffer %u, %.6f to %.6f s: %s (%" PRIu64
				 " blocks, %" PRIu64 " events known)",
				 g->cpu, g->buffer, g->from_ns / 1e9, g->to_ns / 1e9, g->why,
				 g->blocks, g->events);
	else if (nr == GAPS_SHOWN)
		lkst_out_printf(out, "more gaps follow\n");
}

int lkst_ledger_add_gap(struct lkst_ledger *l, struct lkst_out *out, const struct lkst_gap *gap)
{
	struct lkst_gap *kept;
	u64 nr = l->gaps_met++;

	if (out)
		print_gap(out, gap, nr);
	if (out || nr >= LKST_LEDGER_LISTED_MAX)
		return 0;
	kept = lkst_vec_add(l->gaps, l->nr_gaps);
	if (!kept)
		return -ENOMEM;
	*kept = *gap;
	return 0;
}

static void ledger_put_gap(struct lkst_json *j, const struct lkst_gap *g)
{
	lkst_json_object(j, NULL);
	lkst_json_u64(j, "cpu", g->cpu);
	lkst_json_u64(j, "buffer", g->buffer);
	lkst_json_u64(j, "from_ns", g->from_ns);
	lkst_json_u64(j, "to_ns", g->to_ns);
	lkst_json_u64(j, "blocks", g->blocks);
	lkst_json_u64(j, "events", g->events);
	lkst_json_str(j, "why", g->why);
	lkst_json_end(j);
}

/* ---- the ledger ------------------------------------------------------------------------------ */

/* The value of an integer field, 0 if the event has no such field. */
static u64 ledger_number(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static bool has_fields(const struct lkst_record *r, const char *const *names)
{
	for (; *names; names++)
		if (!lkst_class_field(r->event, *names))
			return false;
	return true;
}

#define HAS(r, ...) has_fields(r, (const char *const[]){ __VA_ARGS__, NULL })

/* Begins a line that is of a CPU and buffer. */
static void ledger_begin_line(struct lkst_ledger_line *line, const struct lkst_record *r, const char *kind,
			      u64 count)
{
	*line = (struct lkst_ledger_line){ .kind = kind,
					   .cpu = (s64)ledger_number(r, "loss_cpu"),
					   .buffer = (s64)ledger_number(r, "buffer"),
					   .count = count };
}

static void tell_loss(const struct lkst_record *r, struct lkst_ledger_line *line)
{
	u64 why = ledger_number(r, "cause");

	ledger_begin_line(line, r, "loss", ledger_number(r, "count"));
	snprintf(line->text, sizeof(line->text),
		 "CPU %" PRId64 ", buffer %" PRId64 ": %" PRIu64 " events: %s", line->cpu,
		 line->buffer, line->count,
		 why < LKST_LOSS_NR ? lkst_loss_names[why] : "cause not known");
}

static void tell_overwritten(const struct lkst_record *r, struct lkst_ledger_line *line)
{
	char level[32] = "";

	ledger_begin_line(line, r, "overwritten", ledger_number(r, "blocks"));
	line->from_ns = ledger_number(r, "from");
	line->to_ns = ledger_number(r, "to");
	if (ledger_number(r, "level"))
		snprintf(level, sizeof(level), ", level %" PRIu64, ledger_number(r, "level"));
	snprintf(line->text, sizeof(line->text),
		 "CPU %" PRId64 ", buffer %" PRId64 "%s: %" PRIu64
		 " blocks overwritten before they were read",
		 line->cpu, line->buffer, level, line->count);
}

static void tell_torn(const struct lkst_record *r, struct lkst_ledger_line *line)
{
	ledger_begin_line(line, r, "torn", ledger_number(r, "records"));
	snprintf(line->text, sizeof(line->text),
		 "CPU %" PRId64 ", buffer %" PRId64 ": %" PRIu64
		 " records cut off that were being written when the kernel stopped",
		 line->cpu, line->buffer, line->count);
}

static void tell_shed(const struct lkst_record *r, struct lkst_ledger_line *line)
{
	u32 length;
	const char *kind = (const char *)lkst_record_field(r, 3, &length);

	*line = (struct lkst_ledger_line){ .kind = "shed", .cpu = -1, .buffer = -1 };
	line->count = lkst_record_int(r, &r->event->fields[1]);
	snprintf(line->text, sizeof(line->text),
		 "%.*s was left out %" PRIu64 " times to keep to the cost limit, for %.3f s in all",
		 (int)length, kind, line->count, lkst_record_int(r, &r->event->fields[0]) / 1e9);
}

static void tell_skipped(const struct lkst_record *r, struct lkst_ledger_line *line)
{
	u32 length;
	const char *hook = (const char *)lkst_record_field(r, 1, &length);

	*line = (struct lkst_ledger_line){ .kind = "skipped", .cpu = -1, .buffer = -1 };
	line->count = ledger_number(r, "count");
	snprintf(line->text, sizeof(line->text),
		 "%.*s was skipped %" PRIu64 " times: it was already running on the CPU",
		 (int)length, hook, line->count);
}

/* "3 blocks overwritten before they were read, 2 refused": what there is of it. */
static void format_marks(const struct lkst_ledger_user *u, char *text, size_t size)
{
	const struct {
		u64 nr;
		const char *before, *what;
	} rows[] = {
		{ u->overwritten, "", "blocks overwritten before they were read" },
		{ u->unrecorded, "", "marks without room" },
		{ u->refused, "", "refused" },
		{ u->left_out, "", "blocks left out, over the budget of a user" },
		{ u->unlooked, "at least ", "threads not looked at, over the budget of a user" },
	};
	size_t used = 0, i;

	text[0] = 0;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && used < size; i++)
		if (rows[i].nr)
			used += (size_t)snprintf(text + used, size - used, "%s%s%" PRIu64 " %s", used ? ", " : "",
						 rows[i].before, rows[i].nr, rows[i].what);
}

void lkst_ledger_user_name(u32 uid, char text[LKST_LEDGER_USER])
{
	if (uid == UINT32_MAX)
		snprintf(text, LKST_LEDGER_USER, "users not known");
	else
		snprintf(text, LKST_LEDGER_USER, "user %" PRIu32, uid);
}

static void tell_marks(const struct lkst_record *r, struct lkst_ledger_line *line, struct lkst_ledger_user *ret_user)
{
	const s64 pid = (s64)ledger_number(r, "program_pid");
	const u32 uid = lkst_class_field(r->event, "uid") ? (u32)ledger_number(r, "uid") : UINT32_MAX;
	char what[384], user[LKST_LEDGER_USER];

	/* Traces of before have the first three. */
	*ret_user = (struct lkst_ledger_user){ .uid = uid,
					       .nr_lines = 1,
					       .overwritten = ledger_number(r, "overwritten"),
					       .unrecorded = ledger_number(r, "unrecorded"),
					       .refused = ledger_number(r, "refused"),
					       .left_out = ledger_number(r, "left_out"),
					       .unlooked = ledger_number(r, "unlooked") };
	*line = (struct lkst_ledger_line){ .kind = "marks", .cpu = -1, .buffer = -1, .uid = uid };
	line->count = ret_user->overwritten + ret_user->unrecorded + ret_user->refused + ret_user->left_out +
		      ret_user->unlooked;
	format_marks(ret_user, what, sizeof(what));
	lkst_ledger_user_name(uid, user);
	if (pid)
		snprintf(line->text, sizeof(line->text), "marks of process %" PRId64 ", %s: %s", pid, user, what);
	else
		snprintf(line->text, sizeof(line->text), "marks of %s: %s", user, what);
}

/* Adds what a line says to what its user has lost. 0 or -ENOMEM. */
static int add_user(struct lkst_ledger *l, const struct lkst_ledger_user *more)
{
	struct lkst_ledger_user *u;
	unsigned int i;

	for (i = 0; i < l->nr_users && l->users[i].uid != more->uid; i++)
		;
	if (i == USERS_MAX)
		return 0;
	u = i < l->nr_users ? &l->users[i] : lkst_vec_add(l->users, l->nr_users);
	if (!u)
		return -ENOMEM;
	u->uid = more->uid;
	u->nr_lines++;
	u->overwritten += more->overwritten;
	u->unrecorded += more->unrecorded;
	u->refused += more->refused;
	u->left_out += more->left_out;
	u->unlooked += more->unlooked;
	return 0;
}

void lkst_ledger_print_users(const struct lkst_ledger *l, struct lkst_out *out)
{
	char what[384], user[LKST_LEDGER_USER];
	unsigned int i;

	for (i = 0; i < l->nr_users; i++) {
		if (l->users[i].nr_lines < 2)
			continue;
		lkst_ledger_user_name(l->users[i].uid, user);
		format_marks(&l->users[i], what, sizeof(what));
		lkst_out_message(out, "ledger: marks of %s, in all: %s", user, what);
	}
}

/* What a record says that is missing, and of whose marks; false: nothing, or not all of it is there. */
static bool ledger_tell(const struct lkst_record *r, struct lkst_ledger_line *line, struct lkst_ledger_user *ret_user)
{
	switch (r->event->index) {
	case LKST_EV_state_loss:
		if (!HAS(r, "loss_cpu", "buffer", "cause", "count"))
			return false;
		tell_loss(r, line);
		return true;
	case LKST_EV_state_overwritten:
		if (!HAS(r, "loss_cpu", "buffer", "blocks"))
			return false;
		tell_overwritten(r, line);
		return true;
	case LKST_EV_state_marks:
		if (!HAS(r, "program_pid", "overwritten", "unrecorded", "refused"))
			return false;
		tell_marks(r, line, ret_user);
		return true;
	case LKST_EV_state_torn:
		if (!HAS(r, "loss_cpu", "buffer", "records"))
			return false;
		tell_torn(r, line);
		return true;
	case LKST_EV_state_shed:
		if (r->event->nr_fields < 4)
			return false;
		tell_shed(r, line);
		return true;
	case LKST_EV_state_skipped:
		if (!HAS(r, "count") || r->event->nr_fields < 2)
			return false;
		tell_skipped(r, line);
		return true;
	default:
		return false;
	}
}

int lkst_ledger_add_record(struct lkst_ledger *l, struct lkst_out *out, const struct lkst_record *r)
{
	struct lkst_ledger_line line, *kept;
	struct lkst_ledger_user user = {};

	if (!ledger_tell(r, &line, &user))
		return 0;
	if (user.nr_lines && add_user(l, &user))
		return -ENOMEM;
	if (out)
		lkst_out_message(out, "ledger: %s", line.text);
	if (l->lines_met++ >= LKST_LEDGER_LISTED_MAX || out)
		return 0;
	kept = lkst_vec_add(l->lines, l->nr_lines);
	if (!kept)
		return -ENOMEM;
	*kept = line;
	return 0;
}

static void put_line(struct lkst_json *j, const struct lkst_ledger_line *line)
{
	lkst_json_object(j, NULL);
	lkst_json_str(j, "kind", line->kind);
	if (line->cpu < 0)
		lkst_json_null(j, "cpu");
	else
		lkst_json_s64(j, "cpu", line->cpu);
	if (line->buffer < 0)
		lkst_json_null(j, "buffer");
	else
		lkst_json_s64(j, "buffer", line->buffer);
	lkst_json_u64(j, "count", line->count);
	if (!strcmp(line->kind, "marks") && line->uid != UINT32_MAX)
		lkst_json_u64(j, "uid", line->uid);
	if (line->to_ns) {
		lkst_json_u64(j, "from_ns", line->from_ns);
		lkst_json_u64(j, "to_ns", line->to_ns);
	}
	lkst_json_str(j, "text", line->text);
	lkst_json_end(j);
}

void lkst_ledger_put(struct lkst_json *j, const struct lkst_ledger *l)
{
	unsigned int i;

	lkst_json_array(j, "gap_list");
	for (i = 0; i < l->nr_gaps; i++)
		ledger_put_gap(j, &l->gaps[i]);
	lkst_json_end(j);
	lkst_json_array(j, "ledger");
	for (i = 0; i < l->nr_lines; i++)
		put_line(j, &l->lines[i]);
	lkst_json_end(j);
}
