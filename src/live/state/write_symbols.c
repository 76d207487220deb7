/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names for the addresses that a trace has. */
#include "live/state/write_symbols.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/session/command.h"
#include "live/state/state_stream.h"
#include "live/state/write_mappings.h"
#include "trace/format/block.h"
#include "trace/format/block_walk.h"

enum {
	FIELDS_MAX = 6,
	RECORD_BYTES = 64,	    /* of a symbol with its name: most are shorter */
	LOOK_BYTES = 65536,	    /* of the kernel's list, in which some address must not be 0 */
	SYMBOL_BYTES_MAX = 1 << 20, /* what lies further from a symbol's beginning does not belong to it */
	TICKED = 1 << 12,   /* threads whose ticks are counted; those of equal lowest bits are one */
	TICKS_MIN = 4,	    /* in its program, that a thread has before its mappings are looked at: many end soon */
};

#define KERNEL_BEGIN (1ULL << 63)

/* What lies at addresses, and how many of each sort are kept. */
enum what {
	WHAT_CODE,
	WHAT_DATA,
	WHAT_CACHE,
	NR_WHATS,
};

static const u32 slots_of[NR_WHATS] = {
	[WHAT_CODE] = 32768,
	[WHAT_DATA] = 8192,
	[WHAT_CACHE] = 2048,
};

/* A hash table that is never more than half full. */
struct address_set {
	u64 *slots; /* 0: free */
	u32 nr;
};

/* Where the records of an event have such addresses. */
struct named_fields {
	bool is_known, vary; /* vary: their place does, or there are many */
	bool is_user;	     /* they have addresses of user code */
	u8 nr;
	struct {
		u8 what;
		u16 at;	  /* bytes from the record's start */
		u64 last; /* the address that was seen last: often the next one is the same */
	} list[FIELDS_MAX];
};

struct lkst_addresses {
	const struct lkst_session *s;
	bool is_wanted, is_by_address;
	struct lkst_mapped *mapped; /* processes whose addresses of user code are recorded */
	u8 ticks[TICKED];	    /* of threads in their programs, TICKS_MIN at most */
	struct address_set of[NR_WHATS];
	struct named_fields fields[LKST_EVENT_SPACE]; /* by event */
};

/* ---- whether ---------------------------------------------------------------------------------- */

/* "ffffffff81000000 T _stext": true if any line has an address. */
static bool has_address(const char *lines)
{
	for (; lines; lines = strchr(lines, '\n')) {
		lines += *lines == '\n';
		if (strtoull(lines, NULL, 16))
			return true;
	}
	return false;
}

const char *lkst_symbols_obstacle(const struct lkst_session *s)
{
	_cleanup_close_ int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *lines = malloc(LOOK_BYTES + 1);
	size_t used = 0;
	ssize_t got;

	if (lkst_session_command_fd(s, LKST_COMMAND_SYMBOL) < 0)
		return "this kernel rejected the program that finds them";
	if (fd < 0)
		return "this kernel has no list of its functions (CONFIG_KALLSYMS)";
	while (lines && used < LOOK_BYTES && (got = read(fd, lines + used, LOOK_BYTES - used)) > 0)
		used += (size_t)got;
	if (lines)
		lines[used] = 0;
	return lines && has_address(lines)
		       ? NULL
		       : "the kernel does not say where its functions are; CAP_SYSLOG and "
			 "kernel.kptr_restrict below 2 are needed";
}

struct lkst_addresses *lkst_addresses_new(const struct lkst_session *s, bool is_wanted, bool is_by_address)
{
	struct lkst_addresses *a = calloc(1, sizeof(*a));
	unsigned int i;

	if (!a)
		return NULL;
	a->s = s;
	a->is_by_address = is_by_address;
	a->is_wanted = is_wanted && !lkst_symbols_obstacle(s);
	a->mapped = lkst_mapped_new();
	if (!a->mapped) {
		lkst_addresses_free(a);
		return NULL;
	}
	for (i = 0; i < NR_WHATS && a->is_wanted; i++) {
		a->of[i].slots = calloc(slots_of[i], sizeof(u64));
		if (!a->of[i].slots) {
			lkst_addresses_free(a);
			return NULL;
		}
	}
	return a;
}

void lkst_addresses_free(struct lkst_addresses *a)
{
	unsigned int i;

	if (a)
		lkst_mapped_free(a->mapped);
	for (i = 0; a && i < NR_WHATS; i++)
		free(a->of[i].slots);
	free(a);
}

/* ---- addresses -------------------------------------------------------------------------------- */

/* True if @address was not there, and is now. */
static bool write_symbols_add(struct lkst_addresses *a, enum what what, u64 address)
{
	struct address_set *set = &a->of[what];
	u64 i = address * 0x9e3779b97f4a7c15ULL >> 32;

	if (address < KERNEL_BEGIN)
		return false;
	for (;; i++) {
		u64 *slot = &set->slots[i & (slots_of[what] - 1)];

		if (*slot == address)
			return false;
		if (*slot)
			continue;
		if (set->nr == slots_of[what] / 2)
			return false;
		*slot = address;
		set->nr++;
		return true;
	}
}

/* What lies at the addresses in a field; NR_WHATS: it has none that have names. */
static enum what what_of(const struct lkst_field_class *f)
{
	if (f->size != sizeof(u64))
		return NR_WHATS;
	switch (f->meaning) {
	case LKST_MEANING_CODE:
		return WHAT_CODE;
	case LKST_MEANING_DATA:
		return WHAT_DATA;
	case LKST_MEANING_CACHE:
		return WHAT_CACHE;
	default:
		return NR_WHATS;
	}
}

static void learn(struct named_fields *fields, const struct lkst_event_class *event)
{
	u16 i;

	fields->is_known = true;
	fields->is_user = lkst_mapped_wants(event);
	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];
		enum what what = what_of(f);

		if (what == NR_WHATS)
			continue;
		fields->vary = fields->vary || f->type != LKST_CLASS_UINT ||
			       fields->nr == FIELDS_MAX || f->offset == LKST_OFFSET_VARIES;
		if (fields->vary)
			continue;
		fields->list[fields->nr].what = (u8)what;
		fields->list[fields->nr++].at = f->offset;
	}
}

/* Calls @each with every address in a record; stacks are arrays of them. */
static int write_symbols_for_each(struct lkst_addresses *a, const struct lkst_record *r,
				  int (*each)(void *ctx, struct lkst_addresses *a, enum what what, u64 address),
				  void *ctx)
{
	u32 length, at;
	u64 address;
	int err = 0;
	u16 i;

	for (i = 0; i < r->event->nr_fields; i++) {
		enum what what = what_of(&r->event->fields[i]);
		const u8 *bytes;

		if (what == NR_WHATS)
			continue;
		bytes = lkst_record_field(r, i, &length);
		for (at = 0; bytes && at + sizeof(address) <= length && !err;
		     at += sizeof(address)) {
			memcpy(&address, bytes + at, sizeof(address));
			err = each(ctx, a, what, address);
		}
	}
	return err;
}

static int just_add(void *ctx, struct lkst_addresses *a, enum what what, u64 address)
{
	write_symbols_add(a, what, address);
	return 0;
}

static void look_at_tick(struct lkst_addresses *a, const struct lkst_record *r)
{
	const struct lkst_rec_tick *tick = (const struct lkst_rec_tick *)r->bytes;
	u8 *nr = &a->ticks[(u32)r->tid & (TICKED - 1)];

	if (!r->event->is_native || tick->where != LKST_WHERE_USER)
		return;
	*nr += *nr < TICKS_MIN;
	if (*nr == TICKS_MIN)
		lkst_mapped_note(a->mapped, r->tid);
}

static void write_symbols_look_at(struct lkst_addresses *a, const struct lkst_record *r)
{
	struct named_fields *fields = &a->fields[r->event->id];
	u64 address;
	u8 i;

	if (!fields->is_known)
		learn(fields, r->event);
	if (fields->is_user)
		lkst_mapped_note(a->mapped, r->tid);
	if (r->event->index == LKST_EV_tick)
		look_at_tick(a, r);
	if (r->event->index == LKST_EV_sched_process_exec)
		lkst_mapped_note_exec(a->mapped, r->tid, r->ns);
	if (r->event->index == LKST_EV_mapping)
		lkst_mapped_note_file(a->mapped, r);
	if (fields->vary) {
		write_symbols_for_each(a, r, just_add, NULL);
		return;
	}
	for (i = 0; i < fields->nr; i++) {
		memcpy(&address, r->bytes + fields->list[i].at, sizeof(address));
		if (address != fields->list[i].last)
			write_symbols_add(a, fields->list[i].what, address);
		fields->list[i].last = address;
	}
}

void lkst_addresses_feed(struct lkst_addresses *a, const void *blocks, size_t length)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(a->s);
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	size_t at;

	for (at = 0; at < length && a->is_wanted; at += block.size) {
		if (lkst_block_parse(NULL, (const u8 *)blocks + at, length - at, NULL, &block))
			return;
		/* What programs mark has no address of code. */
		if (lkst_instance_buffer(block.instance) == LKST_BUFFER_MARKS)
			return;
		lkst_block_cursor_init(&cursor, &block);
		while (lkst_block_step(&cursor, catalog, &record) > 0)
			write_symbols_look_at(a, &record);
	}
	if (a->is_wanted)
		lkst_mapped_look(a->mapped);
}

/* ---- names ------------------------------------------------------------------------------------ */

struct write_symbols_symbol {
	u64 address;
	u32 bytes;
	char name[LKST_SYMBOL_ANSWER];
};

/*
 * "function+0x12/0x80 [module]" for @address, as the kernel prints it. The module follows the name in its
 * brackets, without the blank. An address without a name is a number there, and a name that is too long is cut.
 */
static bool write_symbols_parse_symbol(u64 address, const char *text, struct write_symbols_symbol *ret_symbol)
{
	const char *plus = strrchr(text, '+'), *module;
	char *slash, *end;
	u64 offset, bytes;

	if (!plus || plus == text)
		return false;
	offset = strtoull(plus + 1, &slash, 16);
	if (*slash != '/')
		return false;
	bytes = strtoull(slash + 1, &end, 16);
	if (offset >= bytes || offset >= SYMBOL_BYTES_MAX)
		return false;
	module = end + strspn(end, " ");
	ret_symbol->address = address - offset;
	ret_symbol->bytes = (u32)(bytes < SYMBOL_BYTES_MAX ? bytes : SYMBOL_BYTES_MAX);
	snprintf(ret_symbol->name, sizeof(ret_symbol->name), "%.*s%s", (int)(plus - text), text,
		 module);
	return true;
}

/* The program has verified that this is a cache; the name belongs to this one address. */
static bool parse_cache(u64 address, const char *text, struct write_symbols_symbol *ret_symbol)
{
	const char *p;

	for (p = text; isprint((unsigned char)*p); p++)
		;
	if (*p || p == text)
		return false;
	ret_symbol->address = address;
	ret_symbol->bytes = 1;
	strcpy(ret_symbol->name, text);
	return true;
}

static bool write_symbols_find(const struct lkst_addresses *a, enum what what, u64 address,
			       struct write_symbols_symbol *ret_symbol)
{
	struct lkst_symbol_query query = { .address = address };

	if (what == WHAT_CACHE)
		return !lkst_command_ask(a->s, LKST_COMMAND_CACHE, &query) &&
		       parse_cache(address, query.text, ret_symbol);
	return !lkst_command_ask(a->s, LKST_COMMAND_SYMBOL, &query) &&
	       write_symbols_parse_symbol(address, query.text, ret_symbol);
}

static int compare_addresses(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int write_set(struct lkst_err *e, struct lkst_addresses *a, enum what what,
		     struct lkst_writer *w)
{
	struct address_set *set = &a->of[what];
	struct write_symbols_symbol symbol = {};
	u32 i;
	int err = 0;

	/* In order, so that those in one function follow each other. */
	qsort(set->slots, slots_of[what], sizeof(u64), compare_addresses);
	for (i = slots_of[what] - set->nr; i < slots_of[what] && !err; i++) {
		bool is_same = set->slots[i] - symbol.address < symbol.bytes;

		if ((is_same && !a->is_by_address) ||
		    (!is_same && !write_symbols_find(a, what, set->slots[i], &symbol)))
			continue;
		if (a->is_by_address)
			err = lkst_state_write_symbol(e, a->s, w, set->slots[i], 1, symbol.name);
		else
			err = lkst_state_write_symbol(e, a->s, w, symbol.address, symbol.bytes,
					      symbol.name);
	}
	return err;
}

u64 lkst_addresses_bytes(const struct lkst_addresses *a)
{
	u64 nr = 0;
	unsigned int i;

	for (i = 0; i < NR_WHATS; i++)
		nr += a->of[i].nr;
	return nr * RECORD_BYTES + lkst_mapped_bytes(a->mapped);
}

int lkst_addresses_write(struct lkst_err *e, struct lkst_addresses *a, struct lkst_writer *w)
{
	unsigned int i, k;
	int err = 0;

	for (i = 0; i < NR_WHATS && a->is_wanted; i++) {
		if (!err)
			err = write_set(e, a, i, w);
		memset(a->of[i].slots, 0, slots_of[i] * sizeof(u64));
		a->of[i].nr = 0;
	}
	if (!err && a->is_wanted)
		err = lkst_mapped_write(e, a->mapped, a->s, w);
	memset(a->ticks, 0, sizeof(a->ticks));
	for (i = 0; i < LKST_EVENT_SPACE; i++)
		for (k = 0; k < FIELDS_MAX; k++)
			a->fields[i].list[k].last = 0;
	return err;
}

static int write_symbols_add_name(void *ctx, struct lkst_addresses *a, enum what what, u64 address)
{
	struct write_symbols_symbol symbol;

	if (!write_symbols_add(a, what, address) || !write_symbols_find(a, what, address, &symbol))
		return 0;
	return lkst_symbols_add(ctx, symbol.address, symbol.bytes, symbol.name,
				strlen(symbol.name));
}

int lkst_addresses_name(struct lkst_addresses *a, const struct lkst_record *r,
			struct lkst_symbols *to)
{
	return a->is_wanted ? write_symbols_for_each(a, r, write_symbols_add_name, to) : 0;
}
