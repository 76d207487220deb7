/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: their memory is taken in chunks and given back as a whole. */
#include "result/account.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_BYTES = 16 * 1024,
	SAY_MAX = 512,
};

struct lkst_account_chunk {
	struct lkst_account_chunk *next;
	size_t used;
	_Alignas(8) char bytes[CHUNK_BYTES];
};

struct lkst_account *lkst_account_new(void)
{
	return calloc(1, sizeof(struct lkst_account));
}

void lkst_account_free(struct lkst_account *a)
{
	struct lkst_account_chunk *chunk, *next;

	if (!a)
		return;
	for (chunk = a->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	lkst_notes_fini(&a->notes);
	free(a);
}

/* @bytes, at most CHUNK_BYTES, of zeros. NULL: no memory, which sticks. */
static void *account_take(struct lkst_account *a, size_t bytes)
{
	struct lkst_account_chunk *chunk = a->chunks;
	void *taken;

	bytes = (bytes + 7) & ~(size_t)7;
	if (!chunk || chunk->used + bytes > CHUNK_BYTES) {
		chunk = calloc(1, sizeof(*chunk));
		if (!chunk) {
			a->error = -ENOMEM;
			return NULL;
		}
		chunk->next = a->chunks;
		a->chunks = chunk;
	}
	taken = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return taken;
}

static const char *account_copy(struct lkst_account *a, const char *text, size_t length)
{
	char *own;

	if (length >= SAY_MAX)
		length = SAY_MAX - 1;
	own = account_take(a, length + 1);
	if (!own)
		return "";
	memcpy(own, text, length);
	return own;
}

struct lkst_account_step *lkst_account_add(struct lkst_account *a, struct lkst_account_step *parent,
					   const char *kind, uint64_t from_ns, uint64_t to_ns,
					   int32_t tid)
{
	struct lkst_account_step *s = account_take(a, sizeof(*s));

	if (!s)
		return &a->root;
	s->kind = kind;
	s->from_ns = from_ns;
	s->to_ns = to_ns;
	s->tid = tid;
	s->parent = parent;
	s->host = parent->host;
	if (parent->last_step)
		parent->last_step->next = s;
	else
		parent->steps = s;
	parent->last_step = s;
	a->nr_steps++;
	return s;
}

static void account_add_part(struct lkst_account *a, struct lkst_account_step *s,
			     struct lkst_account_part part)
{
	struct lkst_account_part *own = account_take(a, sizeof(*own));

	if (!own)
		return;
	*own = part;
	if (s->last_part)
		s->last_part->next = own;
	else
		s->parts = own;
	s->last_part = own;
}

void lkst_account_say(struct lkst_account *a, struct lkst_account_step *s, const char *format, ...)
{
	struct lkst_account_part part = { .type = LKST_ACCOUNT_TEXT };
	char text[SAY_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	part.text = account_copy(a, text, strlen(text));
	account_add_part(a, s, part);
}

void lkst_account_fact(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       enum lkst_account_type type, uint64_t value)
{
	account_add_part(a, s, (struct lkst_account_part){ .key = key, .type = type, .value = value });
}

void lkst_account_mean(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       unsigned int meaning, uint64_t value)
{
	account_add_part(a, s,
			 (struct lkst_account_part){ .key = key,
					     .type = LKST_ACCOUNT_MEANING,
					     .meaning = meaning,
					     .value = value });
}

void lkst_account_text(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       const char *text, size_t length)
{
	account_add_part(a, s,
			 (struct lkst_account_part){
			 .key = key, .type = LKST_ACCOUNT_TEXT, .text = account_copy(a, text, length) });
}

void lkst_account_note(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       const char *text)
{
	account_add_part(a, s,
			 (struct lkst_account_part){
			 .key = key, .type = LKST_ACCOUNT_TEXT, .is_quiet = true, .text = text });
}

void lkst_account_cite(struct lkst_account *a, struct lkst_account_step *s, uint64_t ns,
		       uint32_t cpu, int32_t tid, const char *event)
{
	struct lkst_account_cite *own = account_take(a, sizeof(*own));

	if (!own)
		return;
	*own = (struct lkst_account_cite){ .ns = ns, .cpu = cpu, .tid = tid };
	own->event = account_copy(a, event, strlen(event));
	if (s->last_cite)
		s->last_cite->next = own;
	else
		s->cites = own;
	s->last_cite = own;
}

const struct lkst_account_part *lkst_account_find(const struct lkst_account_step *s,
						  const char *key)
{
	const struct lkst_account_part *part;

	for (part = s->parts; part; part = part->next)
		if (part->key && !strcmp(part->key, key))
			return part;
	return NULL;
}
