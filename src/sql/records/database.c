/* SPDX-License-Identifier: GPL-2.0-only */
/* The database of a trace, as far as all its tables need it. */
#include "sql/records/database.h"

void lkst_sql_ask(struct lkst_sql *s, const bool events[LKST_EVENT_SPACE], u64 from_ns, u64 to_ns)
{
	struct lkst_sql_asked *asked = &s->asked;
	const bool is_first = !asked->to_ns;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		asked->events[id] |= events[id];
	asked->from_ns = is_first || from_ns < asked->from_ns ? from_ns : asked->from_ns;
	asked->to_ns = to_ns > asked->to_ns ? to_ns : asked->to_ns;
}

void lkst_sql_forget(struct lkst_sql *front)
{
	unsigned int i;

	for (i = 0; i < front->nr_hosts; i++)
		lkst_sql_forget(front->hosts[i]);
	front->nr_gaps = 0;
	front->asked = (struct lkst_sql_asked){};
	front->asked_known = 0;
}

struct lkst_symbols *lkst_sql_symbols(struct lkst_sql *s)
{
	if (s->symbols)
		return s->symbols;
	s->symbols = lkst_symbols_new();
	if (s->symbols && lkst_symbols_load(NULL, s->symbols, s->trace)) {
		lkst_symbols_free(s->symbols);
		s->symbols = NULL;
	}
	return s->symbols;
}

int lkst_sql_run_own(struct lkst_sql *s, const char *text)
{
	int code;

	s->front->is_inside = true;
	code = text ? sqlite3_exec(s->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
	s->front->is_inside = false;
	return code;
}
