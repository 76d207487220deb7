/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the addresses that fields of records hold. */
#include "print/address_names.h"

#include "base/out.h"

bool lkst_address_names_serve(const struct lkst_address_names *n, const struct lkst_field_class *f)
{
	const bool has_code = n->code && n->code->mappings && !lkst_mappings_is_empty(n->code->mappings);

	if (lkst_field_is_user_stack(f))
		return has_code;
	return (n->symbols && !lkst_symbols_is_empty(n->symbols)) || (has_code && lkst_field_is_array(f));
}

/* Stacks of samples are the kernel's or a program's, as a field of theirs says. */
static bool address_names_is_of_program(const struct lkst_record *r, const struct lkst_field_class *f)
{
	int flags;

	if (lkst_field_is_user_stack(f))
		return true;
	if (r->event->index != LKST_EV_stack || !lkst_field_is_array(f))
		return false;
	flags = lkst_field_index(r->event, "flags");
	return flags >= 0 && lkst_field_is_int(&r->event->fields[flags]) &&
	       lkst_field_int(r, (unsigned int)flags) & LKST_STACK_USER;
}

static s32 address_names_process_of(const struct lkst_address_names *n, s32 tid)
{
	return n->threads ? lkst_threads_pid_of(n->threads, tid) : tid;
}

u64 lkst_address_of(const struct lkst_record *r, unsigned int index, u32 i)
{
	const struct lkst_field_class *f = &r->event->fields[index];
	const u8 *first;

	if (lkst_field_is_int(f))
		return lkst_field_int(r, index);
	lkst_field_elements(r, index, &first);
	return lkst_field_element(f, first, i);
}

char *lkst_address_name_put(const struct lkst_address_names *n, char *p, const struct lkst_record *r,
			    unsigned int index, u32 i)
{
	const u64 address = lkst_address_of(r, index, i);
	u64 offset;

	/* The innermost function is where it was; the others are where calls return to. */
	if (address_names_is_of_program(r, &r->event->fields[index]))
		return lkst_code_put(n->code, p, address_names_process_of(n, r->tid), r->ns, address, i);
	if (!n->symbols || !lkst_symbols_find(n->symbols, address, &offset))
		return p;
	return lkst_symbols_put(n->symbols, p, address);
}

u32 lkst_address_list_nr(const struct lkst_record *r, unsigned int index)
{
	const u8 *first;

	return lkst_field_is_int(&r->event->fields[index]) ? 1 : lkst_field_elements(r, index, &first);
}

char *lkst_address_list_put(const struct lkst_address_names *n, char *p, const struct lkst_record *r,
			    unsigned int index)
{
	const u32 nr = lkst_address_list_nr(r, index);
	char *start = p, *end;
	bool has_any = false;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (i)
			*p++ = ' ';
		end = lkst_address_name_put(n, p, r, index, i);
		has_any = has_any || end != p;
		p = end != p ? end : lkst_put_hex(p, lkst_address_of(r, index, i));
	}
	return has_any ? p : start;
}
