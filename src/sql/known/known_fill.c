/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of what is known in a database. */
#include "sql/known/known_fill.h"

#include <errno.h>
#include <string.h>

#include "sql/known/known_pass.h"

int lkst_sql_known_add(struct lkst_sql *s)
{
	unsigned int i;
	int code = SQLITE_OK;

	for (i = 0; i < LKST_SQL_NR_KNOWN && !code; i++) {
		char *text = lkst_sql_known_text(lkst_sql_known_table(i), s->prefix, false);

		code = lkst_sql_run_own(s, text);
		sqlite3_free(text);
	}
	return code ? -ENOMEM : 0;
}

void lkst_sql_known_want(struct lkst_sql *s, const char *name)
{
	const size_t length = strlen(s->prefix);
	unsigned int i;

	for (i = 0; i < s->nr_hosts; i++)
		lkst_sql_known_want(s->hosts[i], name);
	if (s->nr_hosts || strncmp(name, s->prefix, length))
		return;
	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		if (!sqlite3_stricmp(lkst_sql_known_table(i)->name, name + length))
			s->wants_known |= 1u << i;
}

/* What was filled of them in part is not to be taken for all. */
static void known_fill_empty(struct lkst_sql_pass *p)
{
	char text[64];
	unsigned int i;

	for (i = 0; i < LKST_SQL_NR_KNOWN; i++) {
		snprintf(text, sizeof(text), "DELETE FROM \"%s%s\"", p->sql->prefix, lkst_sql_known_table(i)->name);
		if (p->is_wanted[i])
			lkst_sql_run_own(p->sql, text);
	}
}

static bool known_fill_choose(struct lkst_sql_pass *p)
{
	u32 wanted = p->sql->wants_known & ~p->sql->has_known;
	unsigned int i;

	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		p->is_wanted[i] = wanted >> i & 1;
	return wanted;
}

static int fill_one(struct lkst_err *e, struct lkst_sql *s)
{
	struct lkst_sql_pass pass = { .sql = s };
	int err;

	s->asked_known |= s->wants_known;
	if (!known_fill_choose(&pass))
		return 0;
	s->front->is_inside = true;
	lkst_sql_pass_note(&pass, sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL));
	err = lkst_sql_pass_run(e, &pass);
	lkst_sql_pass_note(&pass, sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL));
	s->front->is_inside = false;
	if (pass.error || err) {
		known_fill_empty(&pass);
		s->front->known_code = pass.error;
		return lkst_sql_is_stopped(s) ? -EINTR : pass.error ? -EIO : err;
	}
	s->has_known |= s->wants_known;
	s->known_gaps = pass.nr_gaps;
	return 0;
}

int lkst_sql_known_fill(struct lkst_err *e, struct lkst_sql *s)
{
	unsigned int i;
	int err = 0;

	s->known_code = 0;
	for (i = 0; i < s->nr_hosts && !err; i++)
		err = fill_one(e, s->hosts[i]);
	return err || s->nr_hosts ? err : fill_one(e, s);
}

void lkst_sql_known_forget(struct lkst_sql *s)
{
	unsigned int i;

	s->wants_known = 0;
	for (i = 0; i < s->nr_hosts; i++)
		s->hosts[i]->wants_known = 0;
}

u64 lkst_sql_known_nr_gaps(const struct lkst_sql *s)
{
	u64 nr = s->wants_known ? s->known_gaps : 0;
	unsigned int i;

	for (i = 0; i < s->nr_hosts; i++)
		nr += lkst_sql_known_nr_gaps(s->hosts[i]);
	return nr;
}
