/* SPDX-License-Identifier: GPL-2.0-only */
/* The language of the kernel's kprobe_events and uprobe_events. */
#include "probe/text/definition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "probe/text/arguments.h"
#include "probe/text/cursor.h"

enum { ACTIVE_MAX = 4096 /* the kernel's KRETPROBE_MAXACTIVE_MAX */ };

bool lkst_definition_is_one(const char *text)
{
	bool is_return = *text == 'r';

	if (text[0] == '-')
		return text[1] == ':';
	if (text[0] != 'p' && text[0] != 'w' && !is_return)
		return false;
	for (text++; is_return && isdigit((unsigned char)*text); text++)
		;
	return *text == ':' || lkst_cursor_is_blank(*text);
}

bool lkst_definition_is_nearly_one(const char *text)
{
	return *text && strchr("prw", *text) && isdigit((unsigned char)text[1]);
}

bool lkst_definition_is_meant(const char *text)
{
	const char *at = text + (*text == '!');

	if (!isalpha((unsigned char)*at++))
		return false;
	if (isdigit((unsigned char)*at))
		while (isalnum((unsigned char)*at))
			at++;
	if (*at++ != ':' || !(isalpha((unsigned char)*at) || *at == '_' || *at == '/'))
		return false;
	return !memchr(at, '=', (size_t)(lkst_cursor_word_end(at) - at));
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Letters, digits and "_", not a digit first; a group may have "-" in it, as of Linux 6.1. */
static bool is_group(const char *text, size_t length)
{
	size_t i;

	if (!length || !lkst_is_name(text, 1))
		return false;
	for (i = 1; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
			return false;
	return true;
}

static int definition_parse_group(struct lkst_cursor *c, const char *end, char *group)
{
	size_t length = (size_t)(end - c->at);

	if (!length)
		return lkst_cursor_refuse(c, c->at, "group name is not specified");
	if (length >= LKST_PROBE_NAME)
		return lkst_cursor_refuse(c, c->at,
					  "group name is too long: it has at most %d characters",
					  LKST_PROBE_NAME - 1);
	if (!is_group(c->at, length))
		return lkst_cursor_refuse(c, c->at,
					  "group name must follow the same rules as C identifiers");
	memcpy(group, c->at, length);
	return 0;
}

/* "[GRP/][EVENT]", or with a dot between them, up to the end of the word. */
static int definition_parse_names(struct lkst_cursor *c, struct lkst_probe *p)
{
	const char *end = lkst_cursor_word_end(c->at);
	const char *slash = memchr(c->at, '/', (size_t)(end - c->at))
				    ?: memchr(c->at, '.', (size_t)(end - c->at));
	size_t length;
	int err;

	if (slash) {
		err = definition_parse_group(c, slash, p->group);
		if (err)
			return err;
		c->at = slash + 1;
	}
	length = (size_t)(end - c->at);
	if (!length && !slash)
		return lkst_cursor_refuse(c, c->at, "event name is not specified");
	if (length >= LKST_PROBE_NAME)
		return lkst_cursor_refuse(c, c->at,
					  "event name is too long: it has at most %d characters",
					  LKST_PROBE_NAME - 1);
	if (length && !lkst_is_name(c->at, length))
		return lkst_cursor_refuse(c, c->at,
					  "event name must follow the same rules as C identifiers");
	memcpy(p->event, c->at, length);
	c->at = end;
	return 0;
}

/* As __trace_kprobe_create() and __trace_uprobe_create() in the kernel make it: of the place. */
static void make_event_name(struct lkst_probe *p)
{
	const struct lkst_probe_place *place = &p->place;
	char letter = place->watch ? 'w' : place->is_return ? 'r' : 'p', *at;
	const char *base;

	if (place->kind == LKST_PLACE_ADDRESS)
		snprintf(p->event, sizeof(p->event), "%c_0x%llx", letter,
			 (unsigned long long)place->address);
	if (place->kind == LKST_PLACE_SYMBOL)
		snprintf(p->event, sizeof(p->event), "%c_%s%s%s_%lld", letter, place->module ?: "",
			 place->module ? ":" : "", place->symbol, (long long)place->offset);
	if (place->kind == LKST_PLACE_FILE) {
		base = strrchr(place->path, '/') ? strrchr(place->path, '/') + 1 : place->path;
		snprintf(p->event, sizeof(p->event), "p_%.*s_0x%llx", (int)strcspn(base, ".-_"),
			 base, (unsigned long long)place->offset);
	}
	for (at = p->event; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
}

static void make_names(struct lkst_probe *p)
{
	if (!p->group[0])
		strcpy(p->group, p->place.watch			    ? "wprobes"
				 : p->place.kind == LKST_PLACE_FILE ? "uprobes"
								    : "kprobes");
	if (!p->event[0])
		make_event_name(p);
}

/* ---- the place -------------------------------------------------------------------------------- */

/* "%return", up to @end. */
static int parse_suffix(struct lkst_cursor *c, const char *end, struct lkst_probe_place *place)
{
	static const char suffix[] = "%return";

	if ((size_t)(end - c->at) != strlen(suffix) || strncmp(c->at, suffix, strlen(suffix)))
		return lkst_cursor_refuse(c, c->at,
					  "invalid probed address suffix: there is only %%return");
	place->is_return = true;
	c->at = end;
	return 0;
}

/* "(REF)" */
static int parse_semaphore(struct lkst_cursor *c, const char *end, struct lkst_probe_place *place)
{
	const char *brace = memchr(c->at, ')', (size_t)(end - c->at)), *at = c->at + 1;

	if (!brace)
		return lkst_cursor_refuse(c, end, "reference counter brace is not closed");
	if (brace + 1 != end)
		return lkst_cursor_refuse(c, brace + 1, "reference counter has wrong suffix");
	c->at = at;
	if (!lkst_cursor_number(c, UINT64_MAX, &place->semaphore) || c->at != brace)
		return lkst_cursor_refuse(c, at, "invalid reference counter offset");
	c->at = end;
	return 0;
}

/* A path, with \ooo in it. */
static int parse_path(struct lkst_cursor *c, const char *end, char **ret)
{
	char *path = *ret = malloc((size_t)(end - c->at) + 1);

	if (!path)
		return lkst_cursor_no_memory(c);
	while (c->at < end) {
		const char *at = c->at;
		unsigned int value = 0, digits = 0;

		if (*at != '\\') {
			*path++ = *c->at++;
			continue;
		}
		for (at++; digits < 3 && *at >= '0' && *at <= '7'; digits++)
			value = value * 8 + (unsigned int)(*at++ - '0');
		if (digits < 3 || !value || value > 255)
			return lkst_cursor_refuse(
				c, c->at,
				"a backslash in a path is followed by three octal "
				"digits: a blank is \\040");
		*path++ = (char)value;
		c->at = at;
	}
	*path = 0;
	return 0;
}

/* "PATH:OFFSET[%return][(REF)]": the last colon counts, for there may be others in the path. */
static int parse_file(struct lkst_cursor *c, const char *end, struct lkst_probe_place *place)
{
	const char *colon = memrchr(c->at, ':', (size_t)(end - c->at)), *at;
	const char *brace;
	int err;

	if (!colon)
		return lkst_cursor_refuse(c, end,
					  "invalid uprobe offset: a path is followed by :OFFSET");
	place->kind = LKST_PLACE_FILE;
	err = parse_path(c, colon, &place->path);
	if (err)
		return err;
	at = c->at = colon + 1;
	brace = memchr(at, '(', (size_t)(end - at)) ?: end;
	if (!lkst_cursor_number(c, INT64_MAX, &place->offset) || (c->at != brace && *c->at != '%'))
		return lkst_cursor_refuse(c, at, "invalid uprobe offset");
	if (c->at != brace)
		err = parse_suffix(c, brace, place);
	return !err && c->at != end ? parse_semaphore(c, end, place) : err;
}

static bool is_of(const char *at, const char *end, const char *also)
{
	for (; at < end; at++)
		if (!isalnum((unsigned char)*at) && !strchr(also, *at))
			return false;
	return true;
}

/* "[MOD:]GLOB,...[%return]": one probe at all functions that match, up to @end. */
static int parse_globs(struct lkst_cursor *c, const char *symbol, const char *end,
		       struct lkst_probe_place *place)
{
	const char *at;

	if (!is_of(symbol, end, LKST_PROBE_GLOB_CHARS))
		return lkst_cursor_refuse(c, symbol,
					  "invalid probed address or symbol: a glob of functions "
					  "has no offset");
	for (at = symbol; at < end; at++)
		if (*at == ',' && (at == symbol || at[-1] == ',' || at + 1 == end))
			return lkst_cursor_refuse(c, at, "there is no function between two commas");
	place->is_many = true;
	place->symbol = strndup(symbol, (size_t)(end - symbol));
	return place->symbol ? 0 : lkst_cursor_no_memory(c);
}

static bool definition_is_glob(const char *symbol, const char *end)
{
	return symbol + strcspn(symbol, "*?[,") < end;
}

/* "[MOD:]SYM[+OFFS][%return]" */
static int definition_parse_symbol(struct lkst_cursor *c, const char *end, struct lkst_probe_place *place)
{
	const char *word = c->at, *percent = memchr(word, '%', (size_t)(end - word)) ?: end;
	const char *colon = memchr(word, ':', (size_t)(percent - word));
	const char *symbol = colon ? colon + 1 : word;
	const char *plus = memchr(symbol, '+', (size_t)(percent - symbol)) ?: percent;
	bool is_many = definition_is_glob(symbol, percent);
	int err = 0;

	place->kind = LKST_PLACE_SYMBOL;
	c->at = percent;
	if (percent != end)
		err = parse_suffix(c, end, place);
	if (err)
		return err;
	if (plus == symbol || isdigit((unsigned char)*symbol) ||
	    (!is_many && !is_of(symbol, plus, LKST_PROBE_SYMBOL_CHARS)) ||
	    (colon && (colon == word || !is_of(word, colon, "_-"))))
		return lkst_cursor_refuse(c, word, "invalid probed address or symbol");
	c->at = plus + 1;
	if (!is_many && plus != percent &&
	    (!lkst_cursor_number(c, UINT32_MAX, &place->offset) || c->at != percent))
		return lkst_cursor_refuse(c, word, "invalid probed address or symbol");
	c->at = end;
	place->module = colon ? strndup(word, (size_t)(colon - word)) : NULL;
	if (colon && !place->module)
		return lkst_cursor_no_memory(c);
	if (is_many)
		return parse_globs(c, symbol, percent, place);
	place->symbol = strndup(symbol, (size_t)(plus - symbol));
	if (!place->symbol)
		return lkst_cursor_no_memory(c);
	if (place->is_return && place->offset)
		return lkst_cursor_refuse(c, word, "retprobe address must be an function entry");
	return 0;
}

/* "r", "w" or "rw" before the "@", which is read, too. */
static int parse_access(struct lkst_cursor *c, struct lkst_probe_place *place)
{
	const char *word = c->at;

	place->watch = 0;
	if (*c->at == 'r')
		place->watch |= LKST_WATCH_READS;
	c->at += *c->at == 'r';
	if (*c->at == 'w')
		place->watch |= LKST_WATCH_WRITES;
	c->at += *c->at == 'w';
	if (!place->watch || *c->at != '@')
		return lkst_cursor_refuse(
			c, word, "what is watched is r@, w@ or rw@, and an address or a symbol");
	c->at++;
	return 0;
}

/* "SYMBOL[+OFFS|-OFFS]", up to @end. */
static int parse_data(struct lkst_cursor *c, const char *end, struct lkst_probe_place *place)
{
	const char *word = c->at, *sign = word;
	bool is_minus;
	u64 offset = 0;

	while (sign < end && *sign != '+' && *sign != '-')
		sign++;
	is_minus = sign < end && *sign == '-';
	place->kind = LKST_PLACE_SYMBOL;
	if (sign == word || isdigit((unsigned char)*word) ||
	    !is_of(word, sign, LKST_PROBE_SYMBOL_CHARS))
		return lkst_cursor_refuse(c, word, "invalid watched address or symbol");
	c->at = sign + 1;
	if (sign < end && (!lkst_cursor_number(c, UINT32_MAX, &offset) || c->at != end))
		return lkst_cursor_refuse(c, sign,
					  "invalid watched address or symbol: the offset is wrong");
	place->offset = is_minus ? -offset : offset;
	place->symbol = strndup(word, (size_t)(sign - word));
	return place->symbol ? 0 : lkst_cursor_no_memory(c);
}

/* ":LENGTH", up to the end of the word. */
static int parse_length(struct lkst_cursor *c, const char *end, struct lkst_probe_place *place)
{
	const char *at = c->at + 1;
	u64 bytes = sizeof(u64);

	if (c->at != end) {
		c->at = at;
		if (!lkst_cursor_number(c, sizeof(u64), &bytes) || c->at != end || !bytes ||
		    (bytes & (bytes - 1)))
			return lkst_cursor_refuse(c, at, "1, 2, 4 or 8 bytes can be watched");
	}
	place->watch_bytes = (u8)bytes;
	return 0;
}

/* "[r|w|rw]@ADDRESS|SYMBOL[+OFFS|-OFFS][:LENGTH]": memory, and not code. */
static int parse_watched(struct lkst_cursor *c, struct lkst_probe_place *place)
{
	const char *end = lkst_cursor_word_end(c->at), *at, *colon;
	int err = parse_access(c, place);

	if (err)
		return err;
	at = c->at;
	colon = memchr(at, ':', (size_t)(end - at)) ?: end;
	place->kind = LKST_PLACE_ADDRESS;
	if (!lkst_cursor_number(c, UINT64_MAX, &place->address) || c->at != colon) {
		c->at = at;
		place->address = 0;
		err = parse_data(c, colon, place);
	}
	if (err)
		return err;
	c->at = colon;
	return parse_length(c, end, place);
}

static int definition_parse_place(struct lkst_cursor *c, struct lkst_probe_place *place)
{
	const char *word, *end;

	if (!lkst_cursor_skip_blanks(c))
		return lkst_cursor_refuse(c, c->at,
					  "invalid probed address or symbol: there is none");
	word = c->at;
	end = lkst_cursor_word_end(word);
	place->at = lkst_cursor_offset(c, word);
	if (place->watch)
		return parse_watched(c, place);
	if (memchr(word, '/', (size_t)(end - word)))
		return parse_file(c, end, place);
	if (!lkst_cursor_number(c, UINT64_MAX, &place->address) || c->at != end) {
		c->at = word;
		place->address = 0;
		return definition_parse_symbol(c, end, place);
	}
	place->kind = LKST_PLACE_ADDRESS;
	return 0;
}

/* ---- a line ----------------------------------------------------------------------------------- */

/* The number between the letter and the colon. */
static int parse_max_active(struct lkst_cursor *c, struct lkst_probe_place *place)
{
	const char *at = c->at;
	u64 number;

	if (!isdigit((unsigned char)*at))
		return 0;
	if (!place->is_return)
		return lkst_cursor_refuse(c, at, "maxactive is only for function exit");
	if (!lkst_cursor_number(c, UINT64_MAX, &number) || !number ||
	    (*c->at && *c->at != ':' && !lkst_cursor_is_blank(*c->at)))
		return lkst_cursor_refuse(c, at, "invalid maxactive number");
	if (number > ACTIVE_MAX)
		return lkst_cursor_refuse(c, at, "maxactive is too big: it is at most %d",
					  ACTIVE_MAX);
	place->max_active = (u32)number;
	return 0;
}

static int parse_removal(struct lkst_cursor *c, struct lkst_definition *d)
{
	int err;

	d->is_removal = true;
	if (*++c->at != ':')
		return lkst_cursor_refuse(c, c->at, "event name is not specified: -:[GROUP/]EVENT");
	c->at++;
	err = definition_parse_names(c, &d->probe);
	if (!err && !d->probe.event[0])
		return lkst_cursor_refuse(c, c->at, "event name is not specified: -:[GROUP/]EVENT");
	if (!err && lkst_cursor_skip_blanks(c))
		return lkst_cursor_refuse(c, c->at, "nothing may follow the event to be removed");
	return err;
}

static int definition_parse_line(struct lkst_cursor *c, struct lkst_definition *d)
{
	struct lkst_probe *p = &d->probe;
	int err;

	lkst_cursor_skip_blanks(c);
	if (*c->at == '-')
		return parse_removal(c, d);
	if (!*c->at || !strchr("prw", *c->at))
		return lkst_cursor_refuse(
			c, c->at,
			"a definition begins with p, r, w or -: a probe, a return probe, memory "
			"that is watched, and what removes one; for f write p, and what t and e are "
			"at is an event by its own name");
	p->place.is_return = *c->at == 'r';
	p->place.watch = *c->at++ == 'w';
	err = parse_max_active(c, &p->place);
	if (err)
		return err;
	if (*c->at == ':') {
		c->at++;
		err = definition_parse_names(c, p);
	} else if (c->at != lkst_cursor_word_end(c->at)) {
		err = lkst_cursor_refuse(c, c->at,
					 "the first word is p, r or w, and :[GROUP/]EVENT");
	}
	if (!err)
		err = definition_parse_place(c, &p->place);
	if (err)
		return err;
	make_names(p);
	return lkst_arguments_parse(c, LKST_NAMES_OF_KERNEL, p);
}

/* Where the comment of a line begins; its end: it has none. */
static size_t comment_at(const char *line, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (line[i] == '#' && (!i || lkst_cursor_is_blank(line[i - 1])))
			break;
	return i;
}

const char *lkst_definition_comment(const char *text)
{
	size_t at = comment_at(text, strlen(text));

	if (!text[at])
		return NULL;
	for (at++; lkst_cursor_is_blank(text[at]); at++)
		;
	return text + at;
}

/* The same for a line that is not a string, and may have a comment. */
static int parse_bytes(struct lkst_err *e, const char *text, size_t length,
		       struct lkst_definition *ret)
{
	struct lkst_cursor c;
	int err;

	*ret = (struct lkst_definition){};
	err = lkst_cursor_begin(&c, e, text, comment_at(text, length), &ret->probe.text)
		      ?: definition_parse_line(&c, ret);
	if (err)
		lkst_probe_fini(&ret->probe);
	return err;
}

int lkst_definition_parse(struct lkst_err *e, const char *text, struct lkst_definition *ret)
{
	return parse_bytes(e, text, strlen(text), ret);
}

/* ---- a file ----------------------------------------------------------------------------------- */

static bool definition_is_blank(const char *line, size_t length)
{
	while (length && lkst_cursor_is_blank(line[length - 1]))
		length--;
	return !length;
}

static int definition_parse_numbered(struct lkst_err *e, const char *line, size_t length, u32 number,
				     struct lkst_definitions *d)
{
	struct lkst_definition *definition;
	int err;

	if (definition_is_blank(line, comment_at(line, length)))
		return 0;
	definition = d->nr < LKST_DEFINITIONS_MAX ? lkst_vec_add(d->list, d->nr) : NULL;
	if (!definition)
		return d->nr < LKST_DEFINITIONS_MAX
			       ? lkst_err_sys(e, -ENOMEM, "cannot keep probes' definitions")
			       : lkst_err_set(e, -E2BIG, "there are more than %d definitions",
					      LKST_DEFINITIONS_MAX);
	err = parse_bytes(e, line, length, definition);
	definition->line = number;
	if (err)
		lkst_err_add(e, "line %u", number);
	return err;
}

int lkst_definitions_parse(struct lkst_err *e, const char *text, size_t length,
			   struct lkst_definitions *ret)
{
	const char *end = text + length;
	u32 number = 0;
	int err = 0;

	*ret = (struct lkst_definitions){};
	while (!err && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text)) ?: end;

		err = definition_parse_numbered(e, text, (size_t)(stop - text), ++number, ret);
		text = stop < end ? stop + 1 : end;
	}
	if (err)
		lkst_definitions_fini(ret);
	return err;
}

void lkst_definitions_fini(struct lkst_definitions *d)
{
	u32 i;

	for (i = 0; i < d->nr; i++)
		lkst_probe_fini(&d->list[i].probe);
	free(d->list);
	*d = (struct lkst_definitions){};
}
