/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names for the addresses of code that a trace has. */
#include "live/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "live/kallsyms.h"
#include "live/state.h"
#include "trace/block.h"
#include "trace/block_walk.h"

enum {
	SLOTS = 32768, /* a power of two */
	ADDRESSES_MAX = SLOTS / 2,
	FIELDS_MAX = 3,
	RECORD_BYTES = 64, /* of a function with its name: most are shorter */
};

#define KERNEL_BEGIN (1ULL << 63)

/* Where the records of an event have addresses of code. */
struct code_fields {
	bool is_known, vary; /* vary: their place does, or there are many */
	u8 nr;
	u16 at[FIELDS_MAX]; /* bytes from the record's start */
	u64 last;	    /* the address that was seen last: mostly it is the next, too */
};

struct lkst_code {
	const struct lkst_session *s;
	bool all;
	struct code_fields fields[LKST_EVENT_SPACE]; /* by event */
	u64 slots[SLOTS];			     /* a hash table; 0: free */
	unsigned int nr;
	struct lkst_kallsyms *symbols; /* of the last writing; NULL: nothing was written */
	unsigned int nr_unknown;       /* addresses that were in none of them then */
};

struct lkst_code *lkst_code_new(const struct lkst_session *s, bool all)
{
	struct lkst_code *c = calloc(1, sizeof(*c));

	if (c) {
		c->s = s;
		c->all = all;
	}
	return c;
}

void lkst_code_free(struct lkst_code *c)
{
	if (c)
		lkst_kallsyms_free(c->symbols);
	free(c);
}

/* ---- addresses -------------------------------------------------------------------------------- */

static void add(struct lkst_code *c, u64 address)
{
	u64 i = address * 0x9e3779b97f4a7c15ULL >> 32;

	if (address < KERNEL_BEGIN)
		return;
	for (;; i++) {
		u64 *slot = &c->slots[i & (SLOTS - 1)];

		if (*slot == address)
			return;
		if (*slot)
			continue;
		if (c->nr < ADDRESSES_MAX) {
			*slot = address;
			c->nr++;
		}
		return;
	}
}

static bool is_code(const struct lkst_field_class *f)
{
	return f->meaning == LKST_MEANING_CODE && f->size == sizeof(u64);
}

static void learn(struct code_fields *c, const struct lkst_event_class *event)
{
	u16 i;

	c->is_known = true;
	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];

		if (!is_code(f))
			continue;
		c->vary = c->vary || f->type != LKST_CLASS_UINT || c->nr == FIELDS_MAX ||
			  f->offset == LKST_OFFSET_VARIES;
		if (!c->vary)
			c->at[c->nr++] = f->offset;
	}
}

/* Stacks are arrays. */
static void look_at_arrays(struct lkst_code *c, const struct lkst_record *r)
{
	u32 length, at;
	u64 address;
	u16 i;

	for (i = 0; i < r->event->nr_fields; i++) {
		const u8 *bytes;

		if (!is_code(&r->event->fields[i]))
			continue;
		bytes = lkst_record_field(r, i, &length);
		for (at = 0; bytes && at + sizeof(address) <= length; at += sizeof(address)) {
			memcpy(&address, bytes + at, sizeof(address));
			add(c, address);
		}
	}
}

static void look_at(struct lkst_code *c, const struct lkst_record *r)
{
	struct code_fields *fields = &c->fields[r->event->id];
	u64 address;
	u8 i;

	if (!fields->is_known)
		learn(fields, r->event);
	if (fields->vary) {
		look_at_arrays(c, r);
		return;
	}
	for (i = 0; i < fields->nr; i++) {
		memcpy(&address, r->bytes + fields->at[i], sizeof(address));
		if (address != fields->last)
			add(c, address);
		fields->last = address;
	}
}

void lkst_code_feed(struct lkst_code *c, const void *blocks, size_t length)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(c->s);
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	struct lkst_err ignored;
	size_t at;

	if (!c->all && !catalog->nr_declared)
		return;
	for (at = 0; at < length; at += block.size) {
		if (lkst_block_parse(&ignored, (const u8 *)blocks + at, length - at, NULL, &block))
			return;
		lkst_block_cursor_init(&cursor, &block);
		while (lkst_block_step(&cursor, catalog, &record) > 0)
			look_at(c, &record);
	}
}

/* ---- names ------------------------------------------------------------------------------------ */

static int compare_addresses(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int write_functions(struct lkst_err *e, struct lkst_code *c, struct lkst_writer *w)
{
	struct lkst_kernel_symbol symbol;
	unsigned int i;
	u64 last = 0;
	int err = 0;

	/* In order, so that those in one function follow each other. */
	qsort(c->slots, SLOTS, sizeof(c->slots[0]), compare_addresses);
	for (i = SLOTS - c->nr; i < SLOTS && !err; i++) {
		if (!lkst_kallsyms_find(c->symbols, c->slots[i], &symbol) || symbol.address == last)
			continue;
		err = lkst_state_write_symbol(e, c->s, w, symbol.address, symbol.bytes,
					      symbol.name);
		last = symbol.address;
	}
	return err;
}

/* How many addresses are in no function of the list, or in one that may be another by now. */
static unsigned int count_unknown(const struct lkst_code *c)
{
	struct lkst_kernel_symbol symbol;
	unsigned int i, nr = 0;

	for (i = 0; i < SLOTS; i++)
		nr += c->slots[i] &&
		      (!lkst_kallsyms_find(c->symbols, c->slots[i], &symbol) || symbol.is_fleeting);
	return nr;
}

/*
 * Has a list that is good for all addresses. To read it takes tens of milliseconds, and the parts of a
 * recording may follow each other fast.
 */
static int update_symbols(struct lkst_err *e, struct lkst_code *c)
{
	int err;

	if (c->symbols && lkst_kallsyms_is_current(c->symbols) && count_unknown(c) <= c->nr_unknown)
		return 0;
	lkst_kallsyms_free(c->symbols);
	c->symbols = NULL;
	err = lkst_kallsyms_read(e, &c->symbols);
	if (!err)
		c->nr_unknown = count_unknown(c);
	return err;
}

static void forget(struct lkst_code *c)
{
	unsigned int i;

	memset(c->slots, 0, sizeof(c->slots));
	c->nr = 0;
	for (i = 0; i < LKST_EVENT_SPACE; i++)
		c->fields[i].last = 0;
}

u64 lkst_code_bytes(const struct lkst_code *c)
{
	return (u64)c->nr * RECORD_BYTES;
}

int lkst_code_write(struct lkst_err *e, struct lkst_code *c, struct lkst_writer *w)
{
	int err = c->nr ? update_symbols(e, c) : 0;

	if (!err && c->nr)
		err = write_functions(e, c, w);
	forget(c);
	return err;
}
