/* SPDX-License-Identifier: GPL-2.0-only */
/* The accounts that `lkst why` and `lkst lint` answer with, for those who show them in another way than they do. */
#ifndef LKST_CMD_READ_ACCOUNTS_H
#define LKST_CMD_READ_ACCOUNTS_H

#include "analyze/lint/lint.h"
#include "analyze/why/excerpt.h"
#include "analyze/why/peers.h"
#include "print/print.h"
#include "result/account.h"

/* All zero is an empty answer. */
struct lkst_shown_account {
	struct lkst_account *account;
	struct lkst_view_config
		config; /* what its names are looked up in; the output is the caller's */

	/* What the account is of: of why, or of lint. */
	struct lkst_excerpt *excerpt;
	struct lkst_lint lint;

	/*
	 * Of several hosts, else NULL: all of them, whose thread is explained, what was read of them, and `config` of
	 * each.
	 */
	const struct lkst_reading *hosts;
	unsigned int host;
	struct lkst_peers *peers;
	struct lkst_view_config *configs;
};

/*
 * Answers of @r or @t, which must stay open, by a command's @options as lkst_options_parse() has made them. The caller
 * calls the _fini() of it in any case.
 */
int lkst_why_account(struct lkst_err *e, const void *options, const struct lkst_reading *r,
		     struct lkst_shown_account *shown);
void lkst_why_account_fini(struct lkst_shown_account *shown);

/* Which rules could not be applied, and why, is in notes of `lint`. */
int lkst_lint_account(struct lkst_err *e, const void *options, struct lkst_trace *t,
		      struct lkst_shown_account *shown);
void lkst_lint_account_fini(struct lkst_shown_account *shown);

#endif
