/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the running kernel lets nobody set a probe. */
#include "live/probes/probe_allowed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "probe/debuginfo/kallsyms.h"

struct range {
	u64 begin, end;
	const char *name; /* up to a blank or the line's end */
};

struct lkst_probe_allowed {
	struct lkst_kallsyms_symbol *symbols; /* by name */
	u32 nr_symbols;
	struct range *refused;
	u32 nr_refused;
	u64 text_begin, text_end; /* of the kernel itself; 0, 0: that is not known */
};

static int probe_allowed_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
	int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

	return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int probe_allowed_by_name(const void *a, const void *b)
{
	const struct lkst_kallsyms_symbol *s = a, *t = b;

	return probe_allowed_compare(s->name, s->name_length, t->name, t->name_length);
}

/* The first symbol called @name; as many as there are follow it. NULL: there is none. */
static const struct lkst_kallsyms_symbol *first_named(const struct lkst_probe_allowed *a, const char *name)
{
	size_t length = strlen(name);
	u32 low = 0, high = a->nr_symbols, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (probe_allowed_compare(a->symbols[middle].name, a->symbols[middle].name_length, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->nr_symbols && lkst_kallsyms_is(&a->symbols[low], name) ? &a->symbols[low] : NULL;
}

static u64 probe_allowed_address_of(const struct lkst_probe_allowed *a, const char *name)
{
	const struct lkst_kallsyms_symbol *s = first_named(a, name);

	return s ? s->address : 0;
}

static int read_symbols(struct lkst_probe_allowed *a, const char *text)
{
	struct lkst_kallsyms_symbol s, *slot;

	while (lkst_kallsyms_next(&text, &s)) {
		if (!s.type)
			continue;
		slot = lkst_vec_add(a->symbols, a->nr_symbols);
		if (!slot)
			return -ENOMEM;
		*slot = s;
	}
	if (a->nr_symbols)
		qsort(a->symbols, a->nr_symbols, sizeof(*a->symbols), probe_allowed_by_name);
	a->text_begin = probe_allowed_address_of(a, "_stext");
	a->text_end = probe_allowed_address_of(a, "_etext");
	return 0;
}

/* "0xBEGIN-0xEND	NAME", a line each. */
static int read_blacklist(struct lkst_probe_allowed *a, const char *text)
{
	unsigned long long begin, end;
	struct range *slot;
	int name;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		name = 0;
		if (sscanf(text, "%llx-%llx%*[ \t]%n", &begin, &end, &name) != 2 || !name)
			continue;
		slot = lkst_vec_add(a->refused, a->nr_refused);
		if (!slot)
			return -ENOMEM;
		*slot = (struct range){ begin, end, text + name };
	}
	return 0;
}

struct lkst_probe_allowed *lkst_probe_allowed_new(const char *kallsyms, const char *blacklist)
{
	struct lkst_probe_allowed *a = calloc(1, sizeof(*a));

	if (a && !read_symbols(a, kallsyms) && !read_blacklist(a, blacklist))
		return a;
	lkst_probe_allowed_free(a);
	return NULL;
}

void lkst_probe_allowed_free(struct lkst_probe_allowed *a)
{
	if (!a)
		return;
	free(a->symbols);
	free(a->refused);
	free(a);
}

/* How a place is called in an error. */
static const char *place_name(const struct lkst_probe_row *row, char text[32])
{
	snprintf(text, 32, "address 0x%llx", (unsigned long long)row->address);
	return row->symbol[0] ? row->symbol : text;
}

/* Whether the kernel's list has what is at @address, or @name; 0 and NULL are in no list. */
static bool is_refused(const struct lkst_probe_allowed *a, u64 address, const char *name)
{
	size_t length = name ? strlen(name) : 0;
	u32 i;

	for (i = 0; i < a->nr_refused; i++) {
		const struct range *r = &a->refused[i];

		if ((address && address >= r->begin && address < r->end) ||
		    (length && strcspn(r->name, " \t\n") == length && !strncmp(r->name, name, length)))
			return true;
	}
	return false;
}

/* Whether @address, which is no module's, is outside of the code that the kernel has once it has started. */
static bool is_no_code(const struct lkst_probe_allowed *a, u64 address)
{
	return a->text_begin && a->text_end && (address < a->text_begin || address >= a->text_end);
}

static int probe_allowed_check_symbol(struct lkst_err *e, const struct lkst_probe_allowed *a,
				      const struct lkst_probe_row *row, u64 *ret_address)
{
	const char *colon = strchr(row->symbol, ':'), *name = colon ? colon + 1 : row->symbol;
	const struct lkst_kallsyms_symbol *s = first_named(a, name), *last = s ? a->symbols + a->nr_symbols : NULL;
	struct lkst_kallsyms_symbol found = {};
	u32 nr = 0;

	for (; s && s < last && lkst_kallsyms_is(s, name); s++) {
		if (colon && (s->module_length != (size_t)(colon - row->symbol) ||
			      strncmp(s->module, row->symbol, s->module_length)))
			continue;
		found = *s;
		nr++;
	}
	if (nr > 1)
		return lkst_err_set(e, -EADDRNOTAVAIL, "several functions are called %s; give the address of one",
				    row->symbol);
	if (!nr)
		return 0;
	if (!strchr("tTwW", found.type))
		return lkst_err_set(e, -EPERM, "%s is no code: the kernel lets nobody set a probe there", row->symbol);
	if (found.address && !found.module_length && is_no_code(a, found.address))
		return lkst_err_set(e, -EPERM,
				    "the kernel lets nobody set a probe in %s, which is not in the code that it has "
				    "once it has started",
				    row->symbol);
	*ret_address = found.address ? found.address + row->offset : 0;
	return 0;
}

int lkst_probe_allowed_check(struct lkst_err *e, const struct lkst_probe_allowed *a,
			     const struct lkst_probe_row *row)
{
	const char *colon = strchr(row->symbol, ':'), *name = colon ? colon + 1 : row->symbol;
	u64 address = row->address;
	char text[32];
	int err;

	if (row->symbol[0]) {
		err = probe_allowed_check_symbol(e, a, row, &address);
		if (err)
			return err;
	}
	/* Any other address may be a module's. */
	if (!row->symbol[0] && !address)
		return lkst_err_set(e, -EPERM, "the kernel has no code at address 0");
	if (is_refused(a, address, row->symbol[0] ? name : NULL))
		return lkst_err_set(e, -EPERM,
				    "the kernel lets nobody set a probe in %s, which is part of how it handles probes",
				    place_name(row, text));
	return 0;
}
