/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names for the addresses of code that a trace has. */
#include "live/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/state.h"
#include "trace/block.h"
#include "trace/block_walk.h"

enum {
	SLOTS = 32768, /* a power of two */
	ADDRESSES_MAX = SLOTS / 2,
	SYMBOLS_MAX = 1 << 20,
	LIST_BYTES_MAX = 256 << 20,
	FUNCTION_BYTES_MAX = 1 << 20, /* what lies further behind a symbol is not its */
	FIELDS_MAX = 3,
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
	struct code_fields fields[LKST_EVENT_SPACE]; /* by event */
	u64 slots[SLOTS];			     /* a hash table; 0: free */
	unsigned int nr;
};

struct lkst_code *lkst_code_new(const struct lkst_session *s)
{
	struct lkst_code *c = calloc(1, sizeof(*c));

	if (c)
		c->s = s;
	return c;
}

void lkst_code_free(struct lkst_code *c)
{
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

	for (at = 0; at < length; at += block.size) {
		if (lkst_block_parse(&ignored, (const u8 *)blocks + at, length - at, NULL, &block))
			return;
		lkst_block_cursor_init(&cursor, &block);
		while (lkst_block_step(&cursor, catalog, &record) > 0)
			look_at(c, &record);
	}
}

/* ---- names ------------------------------------------------------------------------------------ */

struct symbol {
	u64 address;
	unsigned int line; /* in the kernel's list: the first of several names counts */
	const char *name;
};

struct symbols {
	struct symbol *list;
	unsigned int nr, room;
	char *text; /* the kernel's list */
};

static void symbols_fini(struct symbols *s)
{
	free(s->list);
	free(s->text);
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int put(struct symbols *s, u64 address, const char *name)
{
	if (s->nr == s->room) {
		unsigned int room = s->room ? 2 * s->room : 65536;
		struct symbol *grown = reallocarray(s->list, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->list = grown;
		s->room = room;
	}
	s->list[s->nr] = (struct symbol){ address, s->nr, name };
	s->nr++;
	return 0;
}

/* Reads the kernel's list, some 10 MB, to memory. What cannot be read has no symbols. */
static int read_list(char **ret_text)
{
	_cleanup_close_ int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t nr = 0, room = 0;
	ssize_t got = 1;

	while (fd >= 0 && got > 0 && nr < LIST_BYTES_MAX) {
		if (nr == room) {
			char *grown = realloc(text, (room = room ? 2 * room : 1 << 20) + 1);

			if (!grown)
				return -ENOMEM;
			text = grown;
		}
		got = read(fd, text + nr, room - nr);
		nr += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[nr] = 0;
	*ret_text = lkst_take(text);
	return 0;
}

/* "ffffffff81000000 T _stext", with a tab and the module's name in brackets behind it if it is one's. */
static int put_line(struct symbols *s, char *line)
{
	char *end;
	u64 address = strtoull(line, &end, 16);

	if (!address || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
		return 0;
	end[3 + strcspn(end + 3, "\t ")] = 0;
	return put(s, address, end + 3);
}

static int read_symbols(struct symbols *s)
{
	int err = read_list(&s->text);
	char *line, *next = s->text;

	while (!err && (line = strsep(&next, "\n")) && s->nr < SYMBOLS_MAX)
		err = put_line(s, line);
	if (s->nr)
		qsort(s->list, s->nr, sizeof(*s->list), compare);
	return err;
}

/* The symbol that @address lies in, and its length; NULL: none. */
static const struct symbol *find(const struct symbols *s, u64 address, u32 *ret_bytes)
{
	unsigned int from = 0, to = s->nr, first;
	u64 bytes;

	while (from < to) {
		unsigned int middle = from + (to - from) / 2;

		if (s->list[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (!to)
		return NULL;
	for (first = to - 1; first && s->list[first - 1].address == s->list[first].address;)
		first--;
	bytes = to < s->nr ? s->list[to].address - s->list[first].address : FUNCTION_BYTES_MAX;
	*ret_bytes = bytes < FUNCTION_BYTES_MAX ? (u32)bytes : FUNCTION_BYTES_MAX;
	return address - s->list[first].address < *ret_bytes ? &s->list[first] : NULL;
}

static int compare_addresses(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int write_functions(struct lkst_err *e, struct lkst_code *c, const struct symbols *symbols,
			   struct lkst_writer *w)
{
	const struct symbol *last = NULL;
	unsigned int i;
	int err = 0;

	/* In order, so that those in one function follow each other. */
	qsort(c->slots, SLOTS, sizeof(c->slots[0]), compare_addresses);
	for (i = SLOTS - c->nr; i < SLOTS && !err; i++) {
		u32 bytes;
		const struct symbol *symbol = find(symbols, c->slots[i], &bytes);

		if (symbol && symbol != last)
			err = lkst_state_write_symbol(e, c->s, w, symbol->address, bytes,
						      symbol->name);
		last = symbol;
	}
	return err;
}

int lkst_code_write(struct lkst_err *e, struct lkst_code *c, struct lkst_writer *w)
{
	_cleanup_(symbols_fini) struct symbols symbols = {};
	int err = c->nr ? read_symbols(&symbols) : 0;

	if (err)
		return lkst_err_sys(e, err, "reading the kernel's symbols");
	if (c->nr)
		err = write_functions(e, c, &symbols, w);
	memset(c->slots, 0, sizeof(c->slots));
	c->nr = 0;
	return err;
}
