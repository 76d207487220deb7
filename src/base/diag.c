/* SPDX-License-Identifier: GPL-2.0-only */
/* Who hears what libraries have to say. */
#include "base/diag.h"

#include <stddef.h>

static const struct lkst_diag nobody;
static const struct lkst_diag *who = &nobody;

void lkst_diag_set(const struct lkst_diag *diag)
{
	who = diag;
}

void lkst_diag_vlog(const char *format, va_list args)
{
	if (who->log)
		who->log(format, args);
}

void lkst_diag_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	lkst_diag_vlog(format, args);
	va_end(args);
}

bool lkst_diag_has_progress(void)
{
	return who->progress != NULL;
}

void lkst_diag_progress(const char *what, uint64_t done, uint64_t total)
{
	if (who->progress)
		who->progress(what, done, total);
}
