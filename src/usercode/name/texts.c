// SPDX-License-Identifier: GPL-2.0-only
/* Texts that are kept, each once. */
#include "usercode/name/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xxh64.h"

/* Texts with one hash are in a list. */
struct texts_text {
	struct texts_text *next;
	char bytes[];
};

struct bucket {
	uint64_t hash; /* the key */
	struct texts_text *first;
};

struct lkst_texts {
	struct lkst_hash buckets;
	size_t used;
};

struct lkst_texts *lkst_texts_new(void)
{
	return calloc(1, sizeof(struct lkst_texts));
}

void lkst_texts_free(struct lkst_texts *t)
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

static struct texts_text *texts_add(struct lkst_texts *t, const char *bytes, size_t length)
{
	struct texts_text *text = malloc(sizeof(*text) + length + 1);

	if (!text)
		return NULL;
	memcpy(text->bytes, bytes, length);
	text->bytes[length] = 0;
	t->used += sizeof(*text) + length + 1;
	return text;
}

const char *lkst_texts_keep(struct lkst_texts *t, const char *bytes)
{
	size_t length = strnlen(bytes, LKST_TEXT_MAX);
	uint64_t hash = lkst_xxh64(bytes, length) & INT64_MAX; /* never LKST_HASH_NONE */
	struct bucket *bucket = lkst_hash_find(&t->buckets, hash, sizeof(*bucket));
	struct texts_text *text;

	for (text = bucket ? bucket->first : NULL; text; text = text->next)
		if (strlen(text->bytes) == length && !memcmp(text->bytes, bytes, length))
			return text->bytes;
	if (t->used + length > LKST_TEXTS_MAX)
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
