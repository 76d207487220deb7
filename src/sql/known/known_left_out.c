/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cost limit left out: a table of it, and the note of a query that asks for some. */
#include "sql/known/known_left_out.h"

#include <errno.h>
#include <string.h>

#include "analyze/engine/limited.h"
#include "sql/known/known_pass.h"

int lkst_sql_left_out_find(struct lkst_err *e, struct lkst_sql *s)
{
	return s->limited ? 0 : lkst_limited_new(e, s->trace, &s->limited);
}

bool lkst_sql_left_out_between(const struct lkst_sql *s, u32 id, u64 from_ns, u64 to_ns)
{
	return lkst_limited_crosses(s->limited, id, from_ns, to_ns);
}

void lkst_sql_left_out_free(struct lkst_sql *s)
{
	lkst_limited_free(s->limited);
	s->limited = NULL;
}

/* Tables of what is known are of all of the trace. */
static void ask_for_known(struct lkst_sql *s)
{
	bool events[LKST_EVENT_SPACE] = {};
	unsigned int i;

	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		if (s->asked_known >> i & 1 && lkst_sql_known_table(i)->events)
			lkst_limited_match(s->limited, lkst_sql_known_table(i)->events, events);
	if (s->asked_known)
		lkst_sql_ask(s, events, s->begin_ns, s->end_ns);
}

int lkst_sql_left_out_note(struct lkst_err *e, struct lkst_sql *s, struct lkst_notes *notes)
{
	char text[LKST_LIMITED_TEXT];
	u64 from_ns, to_ns;
	int err = lkst_sql_left_out_find(e, s);

	if (err)
		return err;
	ask_for_known(s);
	from_ns = s->asked.from_ns > s->begin_ns ? s->asked.from_ns : s->begin_ns;
	to_ns = s->asked.to_ns < s->end_ns ? s->asked.to_ns : s->end_ns;
	if (lkst_limited_is(s->limited, s->asked.events, from_ns, to_ns, text))
		lkst_notes_add(notes,
			       "%s%snot all was recorded, to keep to the cost limit: %s. The answer lacks it, and what "
			       "it counts is at least so much; table left_out has all times.",
			       s->name ?: "", s->name ? ": " : "", text);
	return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int known_left_out_put_event(struct lkst_sql_pass *p, const struct lkst_limited_time *time,
				    const struct lkst_event_class *event)
{
	const bool is_over = time->to_ns < p->sql->end_ns;

	lkst_sql_row(p, LKST_SQL_left_out);
	lkst_sql_int(p, (s64)time->from_ns);
	lkst_sql_int(p, (s64)(is_over ? time->to_ns : p->sql->end_ns));
	lkst_sql_str(p, event->name);
	lkst_sql_str(p, time->kind);
	lkst_sql_int(p, is_over);
	lkst_sql_str(p, "the cost limit");
	return lkst_sql_row_end(p);
}

static int known_left_out_put_time(void *ctx, const struct lkst_limited_time *time)
{
	struct lkst_sql_pass *p = ctx;
	u32 id;
	int err = 0;

	for (id = 1; id < LKST_EVENT_SPACE && !err; id++)
		if (p->sql->catalog->classes[id] && lkst_limited_has(p->sql->limited, time->nr, id))
			err = known_left_out_put_event(p, time, p->sql->catalog->classes[id]);
	return err;
}

static int end_left_out(struct lkst_sql_pass *p)
{
	const u64 from_ns = p->to && p->to->from_ns > p->sql->begin_ns ? p->to->from_ns : p->sql->begin_ns;
	const u64 to_ns = p->to && p->to->to_ns < p->sql->end_ns ? p->to->to_ns : p->sql->end_ns;

	return lkst_sql_left_out_find(NULL, p->sql) ?:
	       lkst_limited_each(p->sql->limited, from_ns, to_ns, known_left_out_put_time, p);
}

static const struct lkst_sql_known_column left_out[] = {
	{ "from_ns", "INTEGER", "from when on it was not recorded" },
	{ "to_ns", "INTEGER", "until when; if that was not over, the trace's last record" },
	{ "event", "TEXT", "the event" },
	{ "kind", "TEXT", "the kind that was left out, to which it belongs, as syscall:*" },
	{ "is_over", "INTEGER", "1: it was recorded again" },
	{ "why", "TEXT", "the reason" },
	{},
};

const struct lkst_sql_known lkst_sql_known_left_out = {
	.name = "left_out",
	.help = "events that were not recorded for a while, to keep to the cost limit",
	.columns = left_out,
	.end = end_left_out,
};
