/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel's functions that addresses in a trace lie in. */
#include "trace/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOLS_MAX = 1 << 20,
	ROOM_MIN = 256,
};

struct symbol {
	u64 address;
	u32 bytes;
	char *name;
};

struct lkst_symbols {
	struct symbol *list;
	unsigned int nr, room;
	bool is_sorted; /* by address, without doubles */
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

static int add(struct lkst_symbols *s, const struct lkst_rec_state_symbol *symbol, const char *name,
	       u32 length)
{
	if (s->nr == SYMBOLS_MAX)
		return 0;
	if (s->nr == s->room) {
		unsigned int room = s->room ? 2 * s->room : ROOM_MIN;
		struct symbol *grown = reallocarray(s->list, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->list = grown;
		s->room = room;
	}
	s->list[s->nr] = (struct symbol){ symbol->address, symbol->bytes, strndup(name, length) };
	if (!s->list[s->nr].name)
		return -ENOMEM;
	s->nr++;
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
	return name && length ? add(s, &symbol, (const char *)name, length) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Each part of a recording may tell of the same function. */
static void sort(struct lkst_symbols *s)
{
	unsigned int i, nr = 0;

	qsort(s->list, s->nr, sizeof(*s->list), compare);
	for (i = 0; i < s->nr; i++)
		if (nr && s->list[nr - 1].address == s->list[i].address)
			free(s->list[i].name);
		else
			s->list[nr++] = s->list[i];
	s->nr = nr;
	s->is_sorted = true;
}

const char *lkst_symbols_find(struct lkst_symbols *s, u64 address, u64 *ret_offset)
{
	unsigned int from = 0, to;

	if (s->nr && !s->is_sorted)
		sort(s);
	/* The last one that does not begin behind the address lies before @to. */
	for (to = s->nr; from < to;) {
		unsigned int middle = from + (to - from) / 2;

		if (s->list[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (!to || address - s->list[to - 1].address >= s->list[to - 1].bytes)
		return NULL;
	*ret_offset = address - s->list[to - 1].address;
	return s->list[to - 1].name;
}
