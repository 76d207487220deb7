/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names for addresses in a trace. */
#include "trace/known/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/read/state_walk.h"

enum {
	/* A part of a recording has 21504 at most, and all parts together hardly more. */
	SYMBOLS_MAX = 1 << 19,
	NAMES_MAX = 48 << 20, /* bytes of all names */
	NAME_MAX_BYTES = 512, /* KSYM_NAME_LEN, include/linux/kallsyms.h */
	SHOWN_MAX = 240, /* bytes of a name: each may become "\\x1b" */
};
_Static_assert(4 * SHOWN_MAX + sizeof("+0x0123456789abcdef") < LKST_SYMBOL_ROOM, "it fits");

struct symbols_symbol {
	u64 address;
	u32 bytes;
	char *name;
};

struct lkst_symbols {
	struct symbols_symbol *list;
	unsigned int nr;
	size_t names; /* bytes of all names */
	bool is_sorted; /* by address, without doubles */
	bool is_full;
};

struct lkst_symbols *lkst_symbols_new(void)
{
	return calloc(1, sizeof(struct lkst_symbols));
}

void lkst_symbols_free(struct lkst_symbols *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->nr; i++)
		free(s->list[i].name);
	free(s->list);
	free(s);
}

static int symbols_compare(const void *a, const void *b)
{
	const struct symbols_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Each part of a recording may have the same one. */
static void symbols_sort(struct lkst_symbols *s)
{
	unsigned int i, nr = 0;

	qsort(s->list, s->nr, sizeof(*s->list), symbols_compare);
	s->names = 0;
	for (i = 0; i < s->nr; i++) {
		if (nr && s->list[nr - 1].address == s->list[i].address) {
			free(s->list[i].name);
			continue;
		}
		s->names += strlen(s->list[i].name) + 1;
		s->list[nr++] = s->list[i];
	}
	s->nr = nr;
	s->is_sorted = true;
}

/* Whether there is room for a name of @length bytes, once those that are there twice are dropped. */
static bool has_room(struct lkst_symbols *s, size_t length)
{
	if (s->nr < SYMBOLS_MAX && s->names + length < NAMES_MAX)
		return true;
	if (s->is_full)
		return false;
	symbols_sort(s);
	/*
	 * It would soon be full again: it has so many different names that it would be sorted again
	 * and again for a few more.
	 */
	s->is_full = s->nr > SYMBOLS_MAX / 4 * 3 || s->names > NAMES_MAX / 4 * 3;
	return !s->is_full;
}

int lkst_symbols_add(struct lkst_symbols *s, u64 address, u32 bytes, const char *name,
		     size_t length)
{
	_cleanup_free_ char *copy = NULL;
	struct symbols_symbol *added;

	length = length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES;
	if (!has_room(s, length))
		return 0;
	copy = strndup(name, length);
	added = copy ? lkst_vec_add(s->list, s->nr) : NULL;
	if (!added)
		return -ENOMEM;
	s->names += strlen(copy) + 1;
	*added = (struct symbols_symbol){ address, bytes, lkst_take(copy) };
	s->is_sorted = false;
	return 0;
}

int lkst_symbols_feed(struct lkst_symbols *s, const struct lkst_record *r)
{
	struct lkst_rec_state_symbol symbol;
	const u8 *name;
	u32 length;

	if (r->event->index != LKST_EV_state_symbol || !r->event->is_native)
		return 0;
	memcpy(&symbol, r->bytes, sizeof(symbol));
	name = lkst_record_field(r, r->event->nr_fields - 1, &length);
	return name && length ? lkst_symbols_add(s, symbol.address, symbol.bytes,
						 (const char *)name, length)
			      : 0;
}

static int symbols_load(struct lkst_err *e, void *ctx, const struct lkst_block *block, const struct lkst_record *r)
{
	int err = lkst_symbols_feed(ctx, r);

	return err ? lkst_err_sys(e, err, "reading the names of functions") : 0;
}

int lkst_symbols_load(struct lkst_err *e, struct lkst_symbols *s, const struct lkst_trace *t)
{
	return lkst_state_walk(e, t, symbols_load, s, NULL);
}

const char *lkst_symbols_find(struct lkst_symbols *s, u64 address, u64 *ret_offset)
{
	const struct symbols_symbol *last;
	size_t nr_before;

	if (s->nr && !s->is_sorted)
		symbols_sort(s);
	nr_before = lkst_lower_bound(i, s->nr, s->list[i].address <= address);
	last = nr_before ? &s->list[nr_before - 1] : NULL;
	if (!last || address - last->address >= last->bytes)
		return NULL;
	*ret_offset = address - last->address;
	return last->name;
}

bool lkst_symbols_is_empty(const struct lkst_symbols *s)
{
	return !s->nr;
}

char *lkst_symbols_put(struct lkst_symbols *s, char *p, u64 address)
{
	u64 offset = 0;
	const char *name = s ? lkst_symbols_find(s, address, &offset) : NULL, *module;
	char *start = p;
	size_t length;

	if (!name)
		return lkst_put_hex(p, address);
	length = strnlen(name, SHOWN_MAX);
	module = memchr(name, '[', length);
	if (!module || module == name)
		module = name + length;
	p = lkst_put_escaped(p, name, (size_t)(module - name), "\"");
	if (offset) {
		*p++ = '+';
		p = lkst_put_hex(p, offset);
	}
	p = lkst_put_escaped(p, module, (size_t)(name + length - module), "\"");
	while ((start = memchr(start, ' ', (size_t)(p - start))))
		*start = '_';
	return p;
}
