/* SPDX-License-Identifier: GPL-2.0-only */
/* The language of `lkst inject`. */
#include "probe/text/injection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "probe/text/cursor.h"

enum {
	COUNT_MAX = 1000000000, /* of calls */
	PARTS = 1000000,	/* of a percent: the unit of a probability */
	ALL_PARTS = 100 * PARTS,
	PID_MAX = 4194304, /* the kernel's PID_MAX_LIMIT */
	NS_PER_S = 1000000000,
};

static const struct {
	s64 number;
	const char *name;
} errors[] = {
#define ERRNO(number, name, text) { number, name },
#define RESTART(number, name, text)
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

/* What is being read, and the clauses that have been. */
struct injection_reading {
	struct lkst_cursor c;
	struct lkst_injection *i;
	const char *word; /* the next one, and its length */
	size_t length;
	u32 seen; /* bit n: clause n */
};

static void injection_take_word(struct injection_reading *r)
{
	lkst_cursor_skip_blanks(&r->c);
	r->word = r->c.at;
	r->c.at = lkst_cursor_word_end(r->c.at);
	r->length = (size_t)(r->c.at - r->word);
}

static bool is_word(const struct injection_reading *r, const char *word)
{
	return r->length == strlen(word) && !memcmp(r->word, word, r->length);
}

static int refuse_word(const struct injection_reading *r, const char *what)
{
	if (!r->length)
		return lkst_cursor_refuse(&r->c, r->word, "%s is missing", what);
	return lkst_cursor_refuse(&r->c, r->word, "\"%.*s\" is not %s",
				  (int)(r->length < 40 ? r->length : 40), r->word, what);
}

/* ---- values ----------------------------------------------------------------------------------- */

/* A function's name has what those of compilers have, and "@" of versions. */
static int take_function(struct injection_reading *r, const char *what, char to[LKST_INJECTION_NAME])
{
	size_t i;

	injection_take_word(r);
	if (!r->length || r->length >= LKST_INJECTION_NAME)
		return refuse_word(r, what);
	for (i = 0; i < r->length; i++)
		if (!isalnum((unsigned char)r->word[i]) && !strchr("_.$:@", r->word[i]))
			return refuse_word(r, what);
	memcpy(to, r->word, r->length);
	to[r->length] = 0;
	return 0;
}

static bool find_error(const char *name, size_t length, s64 *ret_number)
{
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strlen(errors[i].name) == length && !memcmp(errors[i].name, name, length)) {
			*ret_number = errors[i].number;
			return true;
		}
	return false;
}

/* The word as a number: decimal, after 0x hexadecimal, with or without a minus. */
static bool injection_read_number(const struct injection_reading *r, s64 *ret)
{
	char text[32], *end;

	if (!r->length || r->length >= sizeof(text))
		return false;
	memcpy(text, r->word, r->length);
	text[r->length] = 0;
	if (!isdigit((unsigned char)text[text[0] == '-']))
		return false;
	errno = 0;
	*ret = text[0] == '-' ? strtoll(text, &end, 0) : (s64)strtoull(text, &end, 0);
	return !errno && !*end;
}

static int take_value(struct injection_reading *r)
{
	struct lkst_injection *i = r->i;
	s64 number;

	injection_take_word(r);
	i->value_at = lkst_cursor_offset(&r->c, r->word);
	if (is_word(r, "NULL") || is_word(r, "false")) {
		i->value = 0;
	} else if (is_word(r, "true")) {
		i->value = 1;
	} else if (r->length > 1 && r->word[0] == '-' &&
		   find_error(r->word + 1, r->length - 1, &number)) {
		i->value = -number;
	} else if (find_error(r->word, r->length, &number)) {
		return lkst_cursor_refuse(&r->c, r->word,
					  "functions return errors as negative numbers: -%.*s",
					  (int)r->length, r->word);
	} else if (!injection_read_number(r, &i->value)) {
		return refuse_word(r, "a value: -ENOMEM, a number, NULL or true");
	}
	return 0;
}

static int take_count(struct injection_reading *r, u64 max, const char *what, u64 *ret)
{
	s64 number;

	injection_take_word(r);
	if (!injection_read_number(r, &number) || number < 1 || (u64)number > max)
		return refuse_word(r, what);
	*ret = (u64)number;
	return 0;
}

/* ---- clauses ---------------------------------------------------------------------------------- */

static int take_from(struct injection_reading *r)
{
	r->i->caller_is = LKST_CALLER_FROM;
	lkst_cursor_skip_blanks(&r->c);
	r->i->caller_at = lkst_cursor_offset(&r->c, r->c.at);
	return take_function(r, "the name of the calling function", r->i->caller);
}

static int take_under(struct injection_reading *r)
{
	int err;

	err = take_from(r);
	r->i->caller_is = LKST_CALLER_UNDER;
	return err;
}

static int take_call(struct injection_reading *r)
{
	return take_count(r, COUNT_MAX, "the number of a call, from 1 on", &r->i->first);
}

static int take_every(struct injection_reading *r)
{
	return take_count(r, COUNT_MAX, "a number of calls, from 1 on", &r->i->every);
}

static int take_times(struct injection_reading *r)
{
	return take_count(r, COUNT_MAX, "a number of times, from 1 on", &r->i->times);
}

static int take_probability(struct injection_reading *r)
{
	static const char what[] = "a probability: above 0%, at most 100%";
	const char *at;
	u64 parts;

	injection_take_word(r);
	at = r->word;
	if (!r->length || !isdigit((unsigned char)*at) || lkst_decimal_parse(&at, PARTS, &parts) ||
	    at != r->word + r->length - 1 || *at != '%' || !parts || parts > ALL_PARTS)
		return refuse_word(r, what);
	/* Rounded up, so that what is not nothing stays so. */
	r->i->chance = (parts * LKST_INJECTION_ALWAYS + ALL_PARTS - 1) / ALL_PARTS;
	return 0;
}

static int take_pid(struct injection_reading *r)
{
	u64 pid = 0;
	int err;

	lkst_cursor_skip_blanks(&r->c);
	r->i->pid_at = lkst_cursor_offset(&r->c, r->c.at);
	err = take_count(r, PID_MAX, "the number of a process", &pid);
	if (!err && pid == 1)
		return lkst_cursor_refuse(&r->c, r->word,
					  "process 1 is left alone: the machine dies with it");
	if (!err)
		r->i->pid = (u32)pid;
	return err;
}

static int take_comm(struct injection_reading *r)
{
	injection_take_word(r);
	if (!r->length || r->length >= LKST_INJECTION_COMM)
		return refuse_word(r, "the name of a thread, of at most 15 characters");
	if (r->length >= 4 && !memcmp(r->word, "lkst", 4))
		return lkst_cursor_refuse(&r->c, r->word,
					  "threads whose name begins with lkst are left alone");
	memcpy(r->i->comm, r->word, r->length);
	r->i->comm[r->length] = 0;
	return 0;
}

static int take_for(struct injection_reading *r)
{
	char text[LKST_DURATION_TEXT];

	injection_take_word(r);
	if (!r->length || r->length >= sizeof(text))
		return refuse_word(r, "a time: 30s, 5m");
	memcpy(text, r->word, r->length);
	text[r->length] = 0;
	if (lkst_duration_parse(NULL, text, &r->i->for_ns) || !r->i->for_ns)
		return refuse_word(r, "a time: 30s, 5m");
	if (r->i->for_ns > (u64)LKST_INJECTION_SECONDS_MAX * NS_PER_S)
		return lkst_cursor_refuse(&r->c, r->word, "an injection lasts 1h at most");
	return 0;
}

/* Those that exclude each other have the same bit. */
static const struct clause {
	const char *name;
	u32 bit;
	int (*take)(struct injection_reading *r);
} clauses[] = {
	{ "from", 1, take_from },   { "under", 1, take_under },
	{ "call", 2, take_call },   { "every", 4, take_every },
	{ "times", 8, take_times }, { "probability", 16, take_probability },
	{ "pid", 32, take_pid },    { "comm", 64, take_comm },
	{ "for", 128, take_for },
};

enum { SEEN_CALL = 2, SEEN_EVERY = 4, SEEN_TIMES = 8 };

static int take_clause(struct injection_reading *r)
{
	const struct clause *c = NULL;
	size_t n;

	for (n = 0; n < sizeof(clauses) / sizeof(clauses[0]); n++)
		if (is_word(r, clauses[n].name))
			c = &clauses[n];
	if (!c)
		return refuse_word(r, "one of from, under, call, every, times, probability, pid, "
				      "comm, for");
	if (r->seen & c->bit)
		return lkst_cursor_refuse(
			&r->c, r->word,
			c->bit == 1 ? "there is a caller already" : "%s is there already", c->name);
	r->seen |= c->bit;
	return c->take(r);
}

/* ---- all -------------------------------------------------------------------------------------- */

static int injection_read_all(struct injection_reading *r)
{
	int err = take_function(r, "the name of a function", r->i->function);

	if (err)
		return err;
	injection_take_word(r);
	if (!is_word(r, "return"))
		return refuse_word(r, "\"return\", which says what the function returns");
	err = take_value(r);
	while (!err && lkst_cursor_skip_blanks(&r->c)) {
		injection_take_word(r);
		err = take_clause(r);
	}
	return err;
}

int lkst_injection_parse(struct lkst_err *e, const char *text, struct lkst_injection *ret)
{
	_cleanup_free_ char *copy = NULL;
	struct injection_reading r = { .i = ret };
	int err;

	*ret = (struct lkst_injection){ .first = 1,
					.every = 1,
					.chance = LKST_INJECTION_ALWAYS,
					.for_ns = (u64)LKST_INJECTION_SECONDS * NS_PER_S };
	text += strspn(text, " \t");
	if (strlen(text) >= sizeof(ret->text))
		return lkst_err_set(e, -EINVAL, "an injection has at most %d characters",
				    LKST_INJECTION_TEXT - 1);
	err = lkst_cursor_begin(&r.c, e, text, strlen(text), &copy);
	if (err)
		return err;
	memcpy(ret->text, text, strlen(text) + 1);
	err = injection_read_all(&r);
	if (err)
		return err;
	if (!(r.seen & SEEN_CALL))
		ret->first = ret->every;
	else if (!(r.seen & (SEEN_EVERY | SEEN_TIMES)))
		ret->times = 1;
	return 0;
}

int lkst_injection_refuse(struct lkst_err *e, int err, const struct lkst_injection *injection,
			  u16 at, const char *format, ...)
{
	char text[LKST_ERR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lkst_err_set(e, err, "%s", text);
	return lkst_err_mark(e, err, injection->text, strlen(injection->text), at);
}

const char *lkst_injection_value(s64 value, char text[LKST_INJECTION_VALUE])
{
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (value == -errors[i].number) {
			snprintf(text, LKST_INJECTION_VALUE, "-%s", errors[i].name);
			return text;
		}
	if (value)
		snprintf(text, LKST_INJECTION_VALUE, "%lld", (long long)value);
	else
		snprintf(text, LKST_INJECTION_VALUE, "NULL");
	return text;
}
