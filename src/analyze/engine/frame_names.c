/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the frames of stacks. */
#include "analyze/engine/frame_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "base/xxh64.h"
#include "trace/format/hide.h"

enum {
	NAMES_MAX = 1 << 20,
	KNOWN_MAX =
		1 << 20, /* addresses whose names are remembered; then they are found once more */
	OTHERS = 0,	 /* the name of all that have no room */
};

struct frame_names_numbered {
	u64 key;
	u32 nr;
};

/* Of what a name is remembered. */
enum what {
	WHAT_KERNEL,  /* an address */
	WHAT_ADDRESS, /* an address of a process */
	WHAT_PLACE,   /* a byte of a binary */
};

struct frame_names_which {
	u64 address; /* or offset */
	u64 of;	     /* the version of the process's code */
	u32 number;  /* of the process, or of the binary */
	u32 what;
};

struct frame_names_known {
	u64 key;
	struct frame_names_which which; /* what the key is made of */
	u32 first, nr;	    /* in `chains` */
};

struct lkst_frame_names {
	struct lkst_symbols *symbols;
	const struct lkst_code_view *code;
	struct lkst_frame_name *list;
	u32 nr_list;
	struct lkst_hash numbers; /* struct numbered */
	struct lkst_hash known;
	u32 *chains; /* names of one address in a row */
	u32 nr_chains;
};

/* ---- names ----------------------------------------------------------------------------------- */

static u64 frame_names_key_of(const void *bytes, size_t length)
{
	return lkst_xxh64(bytes, length) & INT64_MAX; /* never LKST_HASH_NONE */
}

static bool frame_names_is_same(const struct lkst_frame_name *name, const char *text, const char *where,
				u8 kind)
{
	return name->kind == kind && !strcmp(name->text, text) && !strcmp(name->where, where);
}

/* The number of a name; negative: no memory. Beyond the limit all are one. */
static s64 frame_names_number_of(struct lkst_frame_names *n, const char *text, const char *where, u8 kind)
{
	u64 key = frame_names_key_of(text, strlen(text)) ^ frame_names_key_of(where, strlen(where)) << 1 ^ kind;
	struct lkst_frame_name *name;
	struct frame_names_numbered *known;

	for (;; key++) {
		if (key == LKST_HASH_NONE)
			continue;
		known = lkst_hash_find(&n->numbers, key, sizeof(*known));
		if (!known)
			break;
		if (frame_names_is_same(&n->list[known->nr], text, where, kind))
			return known->nr;
	}
	if (n->nr_list >= NAMES_MAX)
		return OTHERS;
	if (lkst_hash_reserve(&n->numbers, sizeof(*known)))
		return -ENOMEM;
	name = lkst_vec_add(n->list, n->nr_list);
	if (!name)
		return -ENOMEM;
	name->text = strdup(text);
	name->where = strdup(where);
	name->kind = kind;
	if (!name->text || !name->where)
		return -ENOMEM;
	known = lkst_hash_add(&n->numbers, key, sizeof(*known));
	known->nr = n->nr_list - 1;
	return known->nr;
}

/* Adds a name to the chain that is being made at the end of `chains`. 0 or -ENOMEM. */
static int add_to_chain(struct lkst_frame_names *n, const char *text, const char *where, u8 kind)
{
	s64 number = frame_names_number_of(n, text, where, kind);
	u32 *link = number < 0 ? NULL : lkst_vec_add(n->chains, n->nr_chains);

	if (!link)
		return -ENOMEM;
	*link = (u32)number;
	return 0;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static int name_kernel(struct lkst_frame_names *n, u64 address)
{
	char text[LKST_SYMBOL_ROOM], *plus;

	*lkst_symbols_put(n->symbols, text, address) = 0;
	plus = strchr(text, '+');
	/* Of a function in a module "name+0x12[module]": the offset is in the middle. */
	if (plus)
		memmove(plus, plus + strcspn(plus, "["), strlen(plus + strcspn(plus, "[")) + 1);
	return add_to_chain(n, text, "kernel", LKST_FRAME_KERNEL);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int name_function(struct lkst_frame_names *n, const struct lkst_binary *b,
			 const char *function, u8 kind)
{
	char text[LKST_CODE_TEXT], where[LKST_CODE_TEXT];

	*lkst_code_function_put(text, function) = 0;
	*lkst_code_file_put(where, b) = 0;
	return add_to_chain(n, text, where, kind);
}

/* What is inlined there is in the debug information; the function that it is in is called as its symbol. */
static int name_place(struct lkst_frame_names *n, const struct lkst_binary *b, u64 offset)
{
	const u8 kind = b->kind == LKST_BINARY_MEMORY ? LKST_FRAME_JIT : LKST_FRAME_PROGRAM;
	const struct lkst_code_namer *namer = &n->code->namer;
	char text[LKST_CODE_TEXT], where[LKST_CODE_TEXT];
	struct lkst_code_name name = {};
	int err = namer->find ? namer->find(namer->ctx, b, offset, &name) : 0;
	u32 i;

	for (i = 0; !err && name.function && i + 1 < name.nr_frames; i++)
		err = name_function(n, b, name.frames[i].function, LKST_FRAME_INLINED);
	if (err)
		return err;
	if (name.function)
		return name_function(n, b, name.function, kind);
	*lkst_code_name_put(text, b, offset, NULL) = 0;
	*lkst_code_file_put(where, b) = 0;
	return add_to_chain(n, text, where, kind);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* What was found before; NULL: nothing. */
static const struct frame_names_known *find_known(const struct lkst_frame_names *n,
						  const struct frame_names_which *which)
{
	const struct frame_names_known *known =
		lkst_hash_find(&n->known, frame_names_key_of(which, sizeof(*which)), sizeof(*known));

	return known && !memcmp(&known->which, which, sizeof(*which)) ? known : NULL;
}

/* Remembers the chain from @first on. 0 or -ENOMEM. */
static int frame_names_remember(struct lkst_frame_names *n, const struct frame_names_which *which, u32 first)
{
	const u64 key = frame_names_key_of(which, sizeof(*which));
	struct frame_names_known *known;

	if (lkst_hash_reserve(&n->known, sizeof(*known)))
		return -ENOMEM;
	known = lkst_hash_find(&n->known, key, sizeof(*known))
			?: lkst_hash_add(&n->known, key, sizeof(*known));
	known->first = first;
	known->nr = n->nr_chains - first;
	known->which = *which;
	return 0;
}

static s64 frame_names_take(const struct lkst_frame_names *n, u32 first, u32 nr_names, u32 *list, u32 nr,
			    u32 max)
{
	u32 i;

	for (i = 0; i < nr_names && nr < max; i++)
		list[nr++] = n->chains[first + i];
	return nr;
}

/* Names the place that @address is, which other processes may have at another address. */
static int frame_names_find_user(struct lkst_frame_names *n, const struct lkst_frame *frame, u64 address)
{
	struct lkst_code_place place = {};
	const struct lkst_binary *b = NULL;
	const struct frame_names_known *known;
	struct frame_names_which which;
	char text[32];
	u32 first = n->nr_chains, i;
	int err;

	if (frame->space && n->code && n->code->mappings &&
	    !lkst_mappings_find(n->code->mappings, frame->pid, frame->ns, address, &place))
		return -ENOMEM;
	if (place.binary)
		b = lkst_mappings_binary(n->code->mappings, place.binary);
	if (!b) {
		*lkst_put_hex(text, address) = 0;
		return add_to_chain(n, text, "program", LKST_FRAME_PROGRAM);
	}
	which = (struct frame_names_which){ place.offset, 0, place.binary, WHAT_PLACE };
	known = find_known(n, &which);
	for (i = 0; known && i < known->nr; i++) {
		u32 *link = lkst_vec_add(n->chains, n->nr_chains);

		if (!link)
			return -ENOMEM;
		*link = n->chains[known->first + i];
	}
	if (known)
		return 0;
	err = name_place(n, b, place.offset);
	return err ?: frame_names_remember(n, &which, first);
}

static void frame_names_forget(struct lkst_frame_names *n)
{
	lkst_hash_clear(&n->known, sizeof(struct frame_names_known));
	n->nr_chains = 0;
}

/* The address that is named. One that is hidden has its name alone. */
static u64 frame_names_call_of(const struct lkst_frame *frame)
{
	const bool is_after = frame->has_called && frame->address && !lkst_address_is_hidden(frame->address);

	return frame->address - is_after;
}

s64 lkst_frame_names_put(struct lkst_frame_names *n, const struct lkst_frame *frame, u32 *list,
			 u32 nr, u32 max)
{
	const u64 address = frame_names_call_of(frame);
	const struct frame_names_which which =
		frame->is_user ? (struct frame_names_which){ address, frame->space ? frame->space->version : 0,
						 (u32)frame->pid, WHAT_ADDRESS }
			       : (struct frame_names_which){ address, 0, 0, WHAT_KERNEL };
	const struct frame_names_known *known = find_known(n, &which);
	u32 first;
	int err;

	if (known)
		return frame_names_take(n, known->first, known->nr, list, nr, max);
	if (n->known.nr >= KNOWN_MAX)
		frame_names_forget(n);
	first = n->nr_chains;
	err = frame->is_user ? frame_names_find_user(n, frame, address) : name_kernel(n, address);
	err = err ?: frame_names_remember(n, &which, first);
	return err ?: frame_names_take(n, first, n->nr_chains - first, list, nr, max);
}

struct lkst_frame_names *lkst_frame_names_new(struct lkst_symbols *symbols,
					      const struct lkst_code_view *code)
{
	struct lkst_frame_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->symbols = symbols;
	n->code = code;
	/* The first name is that of all that have no room. */
	if (frame_names_number_of(n, "[others]", "kernel", LKST_FRAME_KERNEL) < 0) {
		lkst_frame_names_free(n);
		return NULL;
	}
	return n;
}

void lkst_frame_names_free(struct lkst_frame_names *n)
{
	u32 i;

	if (!n)
		return;
	for (i = 0; i < n->nr_list; i++) {
		free(n->list[i].text);
		free(n->list[i].where);
	}
	free(n->list);
	lkst_hash_fini(&n->numbers);
	lkst_hash_fini(&n->known);
	free(n->chains);
	free(n);
}

u32 lkst_frame_names_nr(const struct lkst_frame_names *n)
{
	return n->nr_list;
}

const struct lkst_frame_name *lkst_frame_names_at(const struct lkst_frame_names *n, u32 i)
{
	return &n->list[i];
}
