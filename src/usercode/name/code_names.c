// SPDX-License-Identifier: GPL-2.0-only
/* Names for places of user code. */
#include "usercode/name/code_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/xxh64.h"
#include "usercode/name/binary_file.h"

/* ---- texts, each kept once ------------------------------------------------------------------- */

enum {
	KEPT_TEXTS_MAX = 96 << 20, /* bytes of all of them */
	KEPT_TEXT_MAX = 4096,	   /* of one, the rest is cut */
};

/* Texts with one hash are in a list. */
struct texts_text {
	struct texts_text *next;
	char bytes[];
};

struct bucket {
	uint64_t hash; /* the key */
	struct texts_text *first;
};

struct texts {
	struct lkst_hash buckets;
	size_t used;
};

static struct texts *texts_new(void)
{
	return calloc(1, sizeof(struct texts));
}

static void texts_free(struct texts *t)
{
	struct bucket *bucket;
	struct texts_text *text;
	uint32_t i = 0;

	if (!t)
		return;
	while ((bucket = lkst_hash_next(&t->buckets, &i, sizeof(*bucket))))
		while ((text = bucket->first)) {
			bucket->first = text->next;
			free(text);
		}
	lkst_hash_fini(&t->buckets);
	free(t);
}

static struct texts_text *texts_add(struct texts *t, const char *bytes, size_t length)
{
	struct texts_text *text = malloc(sizeof(*text) + length + 1);

	if (!text)
		return NULL;
	memcpy(text->bytes, bytes, length);
	text->bytes[length] = 0;
	t->used += sizeof(*text) + length + 1;
	return text;
}

/* A copy of @text that stays as long as @t, "..." where there is no more room in KEPT_TEXTS_MAX. NULL: no memory. */
static const char *texts_keep(struct texts *t, const char *bytes)
{
	size_t length = strnlen(bytes, KEPT_TEXT_MAX);
	uint64_t hash = lkst_xxh64(bytes, length) & INT64_MAX; /* never LKST_HASH_NONE */
	struct bucket *bucket = lkst_hash_find(&t->buckets, hash, sizeof(*bucket));
	struct texts_text *text;

	for (text = bucket ? bucket->first : NULL; text; text = text->next)
		if (strlen(text->bytes) == length && !memcmp(text->bytes, bytes, length))
			return text->bytes;
	if (t->used + length > KEPT_TEXTS_MAX)
		return "...";
	if (!bucket && lkst_hash_reserve(&t->buckets, sizeof(*bucket)))
		return NULL;
	text = texts_add(t, bytes, length);
	if (!text)
		return NULL;
	if (!bucket)
		bucket = lkst_hash_add(&t->buckets, hash, sizeof(*bucket));
	text->next = bucket->first;
	bucket->first = text;
	return text->bytes;
}

/* ---- all that is known ----------------------------------------------------------------------- */

enum {
	PLACES_MAX = 1 << 20, /* whose names are kept, of all binaries */
	OPEN_MAX = 96,	      /* binaries that are open at a time */
};

/* The name of a place, which was found before. */
struct code_names_place {
	u64 offset; /* the key */
	const char *function, *why;
	u64 from_begin;
	struct lkst_code_frame *frames;
	u32 nr_frames;
};

struct known_binary {
	struct lkst_hash places;
	struct lkst_binary_file *file; /* NULL: not open */
	u64 used;		       /* when it was asked last, by `turn` */
	const char *why; /* it can't be opened, and why; NULL: it can, or was not tried */
};

struct lkst_code_names {
	struct lkst_code_names_options options;
	struct known_binary *binaries;
	u32 nr_binaries;
	struct lkst_map by_key; /* from code_names_key_of() a binary to its place among them */
	u32 nr_open, nr_places;
	u64 turn;
	struct texts *texts;
};

struct lkst_code_names *lkst_code_names_new(const struct lkst_code_names_options *o)
{
	struct lkst_code_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->texts = texts_new();
	if (!n->texts) {
		free(n);
		return NULL;
	}
	n->by_key.max = LKST_BINARIES_MAX;
	if (o)
		n->options = *o;
	if (!n->options.directories)
		n->options.directories = getenv("LKST_DEBUG_PATH");
	if (!n->options.jit_maps)
		n->options.jit_maps = "/tmp";
	return n;
}

static void forget_places(struct lkst_code_names *n, struct known_binary *b)
{
	struct code_names_place *place;
	u32 i = 0;

	while ((place = lkst_hash_next(&b->places, &i, sizeof(*place))))
		free(place->frames);
	n->nr_places -= b->places.nr;
	lkst_hash_fini(&b->places);
	b->places = (struct lkst_hash){};
}

void lkst_code_names_free(struct lkst_code_names *n)
{
	u32 i;

	if (!n)
		return;
	for (i = 0; i < n->nr_binaries; i++) {
		forget_places(n, &n->binaries[i]);
		lkst_binary_file_close(n->binaries[i].file);
	}
	free(n->binaries);
	lkst_map_fini(&n->by_key);
	texts_free(n->texts);
	free(n);
}

/* ---- binaries --------------------------------------------------------------------------------- */

/* Which binary it is. Its number says so only among the mappings that have it, and there may be others. */
static u64 code_names_key_of(const struct lkst_binary *b)
{
	const u64 which[] = { b->kind, (u32)b->pid, b->bias, lkst_xxh64(b->path, strlen(b->path)),
			      lkst_xxh64(b->build_id, strlen(b->build_id)) };

	return lkst_xxh64(which, sizeof(which)) & INT64_MAX; /* never LKST_HASH_NONE */
}

/* *@ret_known is NULL where there are too many. 0 or -ENOMEM. */
static int code_names_know(struct lkst_code_names *n, const struct lkst_binary *b, struct known_binary **ret_known)
{
	const u64 key = code_names_key_of(b), *place = lkst_map_find(&n->by_key, key);
	int err;

	*ret_known = place ? &n->binaries[*place] : NULL;
	if (place)
		return 0;
	err = lkst_map_set(&n->by_key, key, n->nr_binaries);
	if (err)
		return err == -ENOSPC ? 0 : err;
	*ret_known = lkst_vec_add(n->binaries, n->nr_binaries);
	if (*ret_known)
		return 0;
	lkst_map_remove(&n->by_key, key);
	return -ENOMEM;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Closes the one that was not asked for the longest time. */
static void close_one(struct lkst_code_names *n)
{
	struct known_binary *oldest = NULL;
	u32 i;

	for (i = 0; i < n->nr_binaries; i++) {
		struct known_binary *b = &n->binaries[i];

		if (b->file && (!oldest || b->used < oldest->used))
			oldest = b;
	}
	if (!oldest)
		return;
	lkst_binary_file_close(lkst_take(oldest->file));
	n->nr_open--;
}

/* Opens the file of @b if it is not yet. Its `why` says why not. 0 or -ENOMEM. */
static int code_names_open_file(struct lkst_code_names *n, struct known_binary *known,
				const struct lkst_binary *b)
{
	struct lkst_err e;
	int err;

	known->used = ++n->turn;
	if (known->file || known->why)
		return 0;
	if (n->nr_open == OPEN_MAX)
		close_one(n);
	err = lkst_binary_file_open(&e, &n->options, b, &known->file);
	if (err == -ENOMEM)
		return err;
	if (!err)
		n->nr_open++;
	else if (!(known->why = texts_keep(n->texts, e.text)))
		return -ENOMEM;
	return 0;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* Copies the texts of @name, which the file has, and keeps it all. */
static int keep_place(struct lkst_code_names *n, struct known_binary *known, u64 offset,
		      struct lkst_code_name *name)
{
	struct code_names_place *place;
	u32 i;

	if ((name->function && !(name->function = texts_keep(n->texts, name->function))) ||
	    (name->why && !(name->why = texts_keep(n->texts, name->why))))
		return -ENOMEM;
	for (i = 0; i < name->nr_frames; i++) {
		struct lkst_code_frame *f = &name->frames[i];

		f->function = texts_keep(n->texts, f->function);
		f->source = f->source ? texts_keep(n->texts, f->source) : NULL;
		if (!f->function)
			return -ENOMEM;
	}
	if (n->nr_places == PLACES_MAX || offset == LKST_HASH_NONE)
		return 0;
	if (lkst_hash_reserve(&known->places, sizeof(*place)))
		return -ENOMEM;
	place = lkst_hash_add(&known->places, offset, sizeof(*place));
	n->nr_places++;
	place->function = name->function;
	place->why = name->why;
	place->from_begin = name->offset;
	place->frames = name->nr_frames ? malloc(name->nr_frames * sizeof(*place->frames)) : NULL;
	if (!place->frames)
		return name->nr_frames ? -ENOMEM : 0;
	memcpy(place->frames, name->frames, name->nr_frames * sizeof(*place->frames));
	place->nr_frames = name->nr_frames;
	return 0;
}

static void code_names_take_place(const struct code_names_place *place, struct lkst_code_name *ret_name)
{
	ret_name->function = place->function;
	ret_name->why = place->why;
	ret_name->offset = place->from_begin;
	ret_name->nr_frames = place->nr_frames;
	if (place->nr_frames)
		memcpy(ret_name->frames, place->frames, place->nr_frames * sizeof(*place->frames));
}

int lkst_code_names_find(struct lkst_code_names *n, const struct lkst_binary *b, u64 offset,
			 struct lkst_code_name *ret_name)
{
	struct known_binary *known;
	const struct code_names_place *place;
	int err = code_names_know(n, b, &known);

	if (err)
		return err;
	ret_name->function = ret_name->why = NULL;
	ret_name->offset = ret_name->nr_frames = 0;
	if (!known) {
		ret_name->why = "there are too many binaries";
		return 0;
	}
	place = lkst_hash_find(&known->places, offset, sizeof(*place));
	if (place) {
		code_names_take_place(place, ret_name);
		return 0;
	}
	err = code_names_open_file(n, known, b);
	if (err)
		return err;
	if (!known->file) {
		ret_name->why = known->why;
		return 0;
	}
	lkst_binary_file_name(known->file, offset, ret_name);
	return keep_place(n, known, offset, ret_name);
}

static int find_named(void *ctx, const struct lkst_binary *b, u64 offset,
		      struct lkst_code_name *ret_name)
{
	return lkst_code_names_find(ctx, b, offset, ret_name);
}

struct lkst_code_namer lkst_code_names_namer(struct lkst_code_names *n)
{
	return (struct lkst_code_namer){ find_named, n };
}
