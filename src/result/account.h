/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An account of what happened, as data: a tree of steps. Each step says in parts what happened, from
 * when to when, to which thread, and cites the events that it rests on. An analysis writes it; text,
 * JSON or a page are made from it. Parts that have a key are facts for programs; all parts in a row
 * are a sentence for people.
 */
#ifndef LKST_RESULT_ACCOUNT_H
#define LKST_RESULT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "result/notes.h"

enum lkst_account_type {
	LKST_ACCOUNT_TEXT,     /* `text` */
	LKST_ACCOUNT_NUMBER,   /* the rest: `value` */
	LKST_ACCOUNT_DURATION, /* ns */
	LKST_ACCOUNT_THREAD,   /* a thread's number */
	LKST_ACCOUNT_BYTES,
	LKST_ACCOUNT_PERCENT, /* of something that the text names */
	LKST_ACCOUNT_MEANING, /* whatever `meaning` says, an enum lkst_meaning of abi/events.h */
};

struct lkst_account_part {
	struct lkst_account_part *next;
	const char *key; /* a word, static; NULL: only for the sentence */
	enum lkst_account_type type;
	unsigned int meaning;
	bool is_quiet; /* not in the sentence */
	uint64_t value;
	const char *text;
};

/* An event that a step rests on. */
struct lkst_account_cite {
	struct lkst_account_cite *next;
	uint64_t ns;
	uint32_t cpu;
	int32_t tid;
	const char *event;
};

struct lkst_account_step {
	struct lkst_account_step *next, *parent;
	const char *kind; /* a word, static */
	uint64_t from_ns, to_ns; /* on the clock of its host, as are its events' times */
	int32_t tid;
	unsigned int host; /* its number, where there are several */
	struct lkst_account_part *parts, *last_part;
	struct lkst_account_cite *cites, *last_cite;
	struct lkst_account_step *steps, *last_step; /* what explains this one, in order */
};

struct lkst_account {
	struct lkst_account_step
		root; /* holds the first level; its other members are the writer's */
	struct lkst_notes notes; /* what could not be explained as a whole, and why */
	unsigned int nr_steps;
	int error; /* -ENOMEM: something could not be added, and the account is not whole */
	struct lkst_account_chunk *chunks;
};

struct lkst_account *lkst_account_new(void);
void lkst_account_free(struct lkst_account *a);
LKST_GUARD(lkst_account_free, struct lkst_account)

/*
 * Adds a step below @parent, of the same host. Failure sticks in `error`; then the step that is returned may be
 * written to, without effect.
 */
struct lkst_account_step *lkst_account_add(struct lkst_account *a, struct lkst_account_step *parent,
					   const char *kind, uint64_t from_ns, uint64_t to_ns,
					   int32_t tid);

/* Adds words to the step's sentence; a fact (NULL: without key); one with a meaning; one in words. */
void lkst_account_say(struct lkst_account *a, struct lkst_account_step *s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void lkst_account_fact(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       enum lkst_account_type type, uint64_t value);
void lkst_account_mean(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       unsigned int meaning, uint64_t value);
void lkst_account_text(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       const char *text, size_t length);

/* Adds a fact in words that is not in the sentence. @text must outlive the account. */
void lkst_account_note(struct lkst_account *a, struct lkst_account_step *s, const char *key,
		       const char *text);

/* Adds an event; @event is copied. */
void lkst_account_cite(struct lkst_account *a, struct lkst_account_step *s, uint64_t ns,
		       uint32_t cpu, int32_t tid, const char *event);

/* The fact @key of step @s, or NULL. */
const struct lkst_account_part *lkst_account_find(const struct lkst_account_step *s,
						  const char *key);

#endif
