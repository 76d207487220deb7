/* SPDX-License-Identifier: GPL-2.0-only */
/* A C type, as BTF or DWARF describes it: which of the two. */
#include "probe/debuginfo/ctype.h"

struct lkst_ctype_info lkst_ctype_look(const struct lkst_ctype *t)
{
	return t->btf ? lkst_ctype_btf_look(t) : lkst_ctype_dwarf_look(t);
}

bool lkst_ctype_target(const struct lkst_ctype *t, struct lkst_ctype *ret_target)
{
	return t->btf ? lkst_ctype_btf_target(t, ret_target)
		      : lkst_ctype_dwarf_target(t, ret_target);
}

int lkst_ctype_member(const struct lkst_ctype *t, const char *name,
		      struct lkst_ctype_member *ret_member)
{
	return t->btf ? lkst_ctype_btf_member(t, name, ret_member)
		      : lkst_ctype_dwarf_member(t, name, ret_member);
}

void lkst_ctype_members(const struct lkst_ctype *t, void (*offer)(void *arg, const char *name),
			void *arg)
{
	if (t->btf)
		lkst_ctype_btf_members(t, offer, arg);
	else
		lkst_ctype_dwarf_members(t, offer, arg);
}

const char *lkst_ctype_text(const struct lkst_ctype *t, char text[LKST_CTYPE_TEXT])
{
	text[0] = 0;
	if (t->btf)
		lkst_ctype_btf_text(t, text, 0);
	else
		lkst_ctype_dwarf_text(t, text, 0);
	return text;
}
