/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of `lkst handler` share. */
#ifndef LKST_CMD_HANDLER_H
#define LKST_CMD_HANDLER_H

#include "cmd/frame/answer.h"
#include "live/masks/handlers.h"
#include "live/programs/installed.h"

/*
 * Runs clang for a handler's source @source; the object is written to @object, NULL: beside it, named
 * .o. The command is shown unless @quiet.
 */
int lkst_handler_build(struct lkst_err *e, const char *source, const char *object, bool quiet);

/* Names the handlers that come with the program, a line each. */
void lkst_handler_print_shipped(struct lkst_out *out);

/* Prints the handler, its variables and the events that it declares. */
int lkst_handler_print(struct lkst_err *e, const struct lkst_session *s,
		       const struct lkst_handler *h, const struct lkst_answer_form *form);

/* Sets one of its variables: "name=value". */
int lkst_handler_assign(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_handler *h, const char *assignment);

#endif
