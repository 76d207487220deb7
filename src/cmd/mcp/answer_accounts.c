/* SPDX-License-Identifier: GPL-2.0-only */
/* The tools that answer with an account, of which a page has some steps. */
#include <errno.h>

#include "cmd/mcp/session.h"
#include "print/account_text.h"

/* What comes before the steps, for programs: lint says how many findings there are. */
static void begin_json(const struct lkst_mcp_session *s, bool is_lint, struct lkst_mcp_page *page)
{
	lkst_out_str(page->json, "{");
	if (is_lint)
		lkst_out_printf(page->json, "\"findings\":%llu,",
				(unsigned long long)s->account.lint.nr_findings);
}

static void answer_accounts_put_notes(const struct lkst_notes *notes, struct lkst_mcp_page *page,
				      struct lkst_json *j)
{
	unsigned int i;

	for (i = 0; i < notes->nr; i++) {
		lkst_out_message(page->text, "Note: %s", notes->text[i]);
		lkst_json_str(j, NULL, notes->text[i]);
	}
}

/* Prints some steps, and what belongs to all of them if they include the last one. */
static int answer_accounts_print_steps(const struct lkst_mcp_session *s, bool has_events, bool is_lint,
				       struct lkst_account_part_of part, bool is_end, struct lkst_mcp_page *page)
{
	struct lkst_view_config config = s->account.config;
	struct lkst_json j;
	int err;

	lkst_mcp_page_clear(page);
	config.out = page->text;
	err = lkst_view_account_part(&config, s->account.account, has_events, part);
	if (is_lint && is_end)
		lkst_out_printf(page->text, "%llu found\n",
				(unsigned long long)s->account.lint.nr_findings);
	begin_json(s, is_lint, page);
	config.out = page->json;
	lkst_json_init(&j, page->json);
	lkst_out_str(page->json, "\"steps\":");
	lkst_json_array(&j, NULL);
	if (!err)
		err = lkst_view_account_flat(&config, s->account.account, has_events, part, &j);
	lkst_json_end(&j);
	lkst_out_str(page->json, ",\"notes\":");
	lkst_json_array(&j, NULL);
	if (is_end) {
		answer_accounts_put_notes(&s->account.account->notes, page, &j);
		answer_accounts_put_notes(&s->account.lint.notes, page, &j);
	}
	lkst_json_end(&j);
	return err;
}

static int answer_accounts_answer(struct lkst_err *e, struct lkst_mcp_session *s, const struct lkst_mcp_question *q,
				  bool is_lint, bool has_events, struct lkst_mcp_page *page)
{
	const u64 nr = lkst_view_account_steps(s->account.account), from = q->place.at;
	struct lkst_mcp_place next = {};
	u64 part = q->limit;
	int err;

	s->has_answer = true;
	if (from > nr)
		return lkst_err_set(e, -EINVAL,
				    "the answer has %llu steps: the cursor is beyond them",
				    (unsigned long long)nr);
	part = part < nr - from ? part : nr - from;
	err = answer_accounts_print_steps(s, has_events, is_lint,
					  (struct lkst_account_part_of){ from, from + part }, from + part == nr,
					  page);
	/* As many as fit. */
	while (!err && lkst_mcp_page_is_full(page) && part > 1) {
		part /= 2;
		err = answer_accounts_print_steps(s, has_events, is_lint,
						  (struct lkst_account_part_of){ from, from + part }, false, page);
	}
	if (err)
		return lkst_err_sys(e, err, "printing");
	next.at = from + part;
	lkst_mcp_page_end(page, q->hash, next.at < nr ? &next : NULL);
	return 0;
}

int lkst_mcp_answer_why(struct lkst_err *e, struct lkst_mcp_session *s,
			const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	int err = 0;

	if (!lkst_mcp_session_has(s, q)) {
		s->account_fini = lkst_why_account_fini;
		err = lkst_why_account(e, q->options, &s->reading, &s->account);
	}
	return err ? err
		   : answer_accounts_answer(e, s, q, false, !json_is_true(json_object_get(q->arguments, "brief")),
					    page);
}

int lkst_mcp_answer_lint(struct lkst_err *e, struct lkst_mcp_session *s,
			 const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	int err = 0;

	if (!lkst_mcp_session_has(s, q)) {
		s->account_fini = lkst_lint_account_fini;
		err = lkst_lint_account(e, q->options, s->trace, &s->account);
	}
	return err ? err : answer_accounts_answer(e, s, q, true, true, page);
}
