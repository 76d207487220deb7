/* SPDX-License-Identifier: GPL-2.0-only */
/* Masksets as text. */
#include "masks/mask_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "trace/format/event_types.h"
#include "trace/format/half.h"

enum {
	LINE_MAX_BYTES = 512,
	WORDS_MAX = 4, /* number, name, handler, buffer */
	MISSING_NAMED = 5,
};

static const char *const buffer_names[] = {
	[LKST_BUFFER_MAIN] = "main", [LKST_BUFFER_LIFE] = "life"
};
enum { NR_BUFFER_NAMES = sizeof(buffer_names) / sizeof(buffer_names[0]) };

/* ---- words ------------------------------------------------------------------------------------ */

/* A number, decimal or after "0x" hexadecimal, up to @max; false: @word is not one. */
static bool mask_text_parse_number(const char *word, unsigned long max, unsigned long *ret_value)
{
	bool is_hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = is_hex ? word + 2 : word;
	char *end;

	if (!isxdigit((unsigned char)digits[0]))
		return false;
	errno = 0;
	*ret_value = strtoul(digits, &end, is_hex ? 16 : 10);
	return !errno && !*end && *ret_value <= max;
}

int lkst_mask_parse_handler(struct lkst_err *e, const char *word, u8 *ret_handler)
{
	unsigned long value;

	if (!strcasecmp(word, "DEFAULT"))
		value = LKST_HANDLER_DEFAULT;
	else if (!strcasecmp(word, "NOTHING"))
		value = LKST_HANDLER_NOTHING;
	else if (!mask_text_parse_number(word, 255, &value))
		return lkst_err_set(e, -EINVAL, "\"%.40s\" is not a handler: 0 to 255, or its name",
				    word);
	*ret_handler = (u8)value;
	return 0;
}

int lkst_mask_parse_buffer(struct lkst_err *e, const char *word, u8 *ret_buffer)
{
	unsigned long value;

	for (value = 0; value < NR_BUFFER_NAMES; value++)
		if (!strcmp(word, buffer_names[value]))
			break;
	if (value == NR_BUFFER_NAMES && !mask_text_parse_number(word, 254, &value))
		return lkst_err_set(e, -EINVAL, "\"%.40s\" is not a buffer: main, life or a number",
				    word);
	*ret_buffer = (u8)value;
	return 0;
}

const char *lkst_mask_buffer_name(u8 buffer, char text[LKST_BUFFER_TEXT])
{
	if (buffer < NR_BUFFER_NAMES)
		return buffer_names[buffer];
	snprintf(text, LKST_BUFFER_TEXT, "%u", buffer);
	return text;
}

int lkst_mask_check_name(struct lkst_err *e, const char *name)
{
	unsigned long number;
	const char *p;

	if (!name[0] || strlen(name) >= LKST_MASKSET_NAME)
		return lkst_err_set(e, -EINVAL, "a maskset's name has 1 to %u characters",
				    LKST_MASKSET_NAME - 1);
	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-.", *p))
			return lkst_err_set(e, -EINVAL,
					    "\"%.40s\" can't be a maskset's name: letters, digits, "
					    "\"_\", \"-\" and \".\" can",
					    name);
	if (mask_text_parse_number(name, ~0UL, &number))
		return lkst_err_set(e, -EINVAL, "\"%.40s\" is a number, not a maskset's name",
				    name);
	return 0;
}

/* True if this program knows an event called @name, whether or not a catalogue has it. */
static bool mask_text_is_known(const char *name)
{
	struct lkst_call_name call;
	unsigned int i;

	if (lkst_mnemonic_type(name) || strchr(name, ':'))
		return true;
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!strcmp(lkst_events[i].name, name))
			return true;
	return lkst_call_name_parse(name, &call) && lkst_syscall_find(call.is_compat, call.call);
}

static bool has_type(const struct lkst_event_types *types, u16 type)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_event_types_has(types, id, type))
			return true;
	return false;
}

static int mask_text_find_name(struct lkst_err *e, const struct lkst_catalog *c,
			       const struct lkst_event_types *types, const char *name, u16 *ret_type)
{
	const struct lkst_event_class *event = lkst_catalog_find(c, name);
	u16 type = event ? types->own[event->id] : lkst_mnemonic_type(name);
	char near[LKST_SUGGEST_TEXT];

	if (type && has_type(types, type)) {
		*ret_type = type;
		return 0;
	}
	if (event)
		return lkst_err_set(e, -EINVAL, "no maskset decides on %s: it is always recorded",
				    event->name);
	if (mask_text_is_known(name))
		return lkst_err_set(e, -ENODEV,
				    "%.96s can't be recorded here, or was not asked for", name);
	return lkst_err_set(e, -ENOENT, "there is no event \"%.96s\"; `lkst event list` shows them%s", name,
			    lkst_event_near(c, name, near));
}

int lkst_mask_parse_type(struct lkst_err *e, const struct lkst_catalog *c,
			 const struct lkst_event_types *types, const char *word, u16 *ret_type)
{
	unsigned long value;

	if (!isdigit((unsigned char)word[0]))
		return mask_text_find_name(e, c, types, word, ret_type);
	if (!mask_text_parse_number(word, LKST_TYPE_END - 1, &value))
		return lkst_err_set(e, -EINVAL, "\"%.40s\" is not an event: 1 to 4095, or its name",
				    word);
	if (!has_type(types, (u16)value))
		return lkst_err_set(e, lkst_type_mnemonic((u16)value) ? -ENODEV : -ENOENT,
				    "this recording has no event 0x%03lx", value);
	*ret_type = (u16)value;
	return 0;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* Handler in bits 0..7; in 8..15 the buffer plus 1, 0: its usual one, or none. */
static u16 meant(const struct lkst_mask *mask, const struct lkst_event_class *event)
{
	u16 route = mask->route[event->id];
	u8 handler = route & 0xff, buffer = route >> 8;

	if (handler == LKST_HANDLER_NOTHING || buffer == lkst_mask_usual_buffer(event))
		return handler;
	return lkst_route(handler, buffer + 1);
}

static void mask_text_put_row(FILE *f, u16 type, const char *name, u16 value, const char *condition)
{
	char text[LKST_BUFFER_TEXT];

	fprintf(f, "0x%03x %s 0x%02x", type, name, value & 0xff);
	if (value >> 8)
		fprintf(f, " %s", lkst_mask_buffer_name((value >> 8) - 1, text));
	if (condition)
		fprintf(f, " if %s", condition);
	fputc('\n', f);
}

/* What most events of type @type are sent to; false: there are none. */
static bool most_common(const struct lkst_mask *mask, const struct lkst_catalog *c,
			const struct lkst_event_types *types, u16 type, u16 *ret_value)
{
	u16 values[16] = {};
	unsigned int counts[16] = {}, nr = 0, i, best = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		u16 value;

		if (types->shared[id] != type)
			continue;
		value = meant(mask, c->classes[id]);
		for (i = 0; i < nr && values[i] != value; i++)
			;
		if (i == nr && nr < 16)
			values[nr++] = value;
		if (i < 16)
			counts[i]++;
	}
	for (i = 1; i < nr; i++)
		if (counts[i] > counts[best])
			best = i;
	*ret_value = nr ? values[best] : 0;
	return nr > 0;
}

static void mask_text_put_rows(FILE *f, const struct lkst_mask *mask, const struct lkst_catalog *c,
			       const struct lkst_event_types *types)
{
	u16 shared_value[LKST_TYPE_OWN], value, type;
	u16 by_type[LKST_TYPE_END] = {};
	u32 id;

	for (type = 1; type < LKST_TYPE_OWN; type++)
		if (most_common(mask, c, types, type, &shared_value[type]))
			mask_text_put_row(f, type, lkst_type_mnemonic(type), shared_value[type], NULL);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		by_type[types->own[id]] = (u16)id;
	for (type = LKST_TYPE_OWN; type < LKST_TYPE_END; type++) {
		const struct lkst_event_class *event = c->classes[by_type[type]];
		const char *condition;

		if (!event || types->own[event->id] != type)
			continue;
		value = meant(mask, event);
		condition = lkst_mask_condition(mask, event->id);
		/* Its mnemonic's row says it already. */
		if (!condition && types->shared[event->id] &&
		    shared_value[types->shared[event->id]] == value)
			continue;
		mask_text_put_row(f, type, event->name, value, condition);
	}
}

int lkst_mask_format(struct lkst_err *e, const struct lkst_mask *mask, unsigned int number,
		     const struct lkst_catalog *c, char **ret_text)
{
	struct lkst_event_types types;
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	int failed;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "writing maskset %u", number);
	lkst_event_types_init(&types, c);
	fprintf(f,
		"# ID=%u\n# maskset name=%s\n# length=%u\n"
		"# event_type event_name event_handler_ID\n",
		number, mask->name, LKST_EVENT_SPACE);
	mask_text_put_rows(f, mask, c, &types);
	failed = ferror(f);
	if (fclose(f) || failed) {
		free(text);
		return lkst_err_sys(e, -ENOMEM, "writing maskset %u", number);
	}
	*ret_text = text;
	return 0;
}

/* ---- reading ---------------------------------------------------------------------------------- */

struct mask_text_parser {
	struct lkst_err *e;
	const struct lkst_catalog *c;
	struct lkst_event_types types;
	struct lkst_mask *mask;
	unsigned int nr_missing;
	char missing[256]; /* the first of them */
};

static int parse_comment(struct mask_text_parser *p, const char *line)
{
	static const char key[] = "maskset name=";
	const char *name = line + 1 + strspn(line + 1, " \t");

	if (strncmp(name, key, strlen(key)))
		return 0;
	name += strlen(key);
	if (lkst_mask_check_name(p->e, name))
		return -EINVAL;
	if (p->mask->name[0])
		return lkst_err_set(p->e, -EINVAL, "a second name, %s, after %s", name,
				    p->mask->name);
	snprintf(p->mask->name, sizeof(p->mask->name), "%s", name);
	return 0;
}

static void mask_text_note_missing(struct mask_text_parser *p, const char *name)
{
	size_t used = strlen(p->missing);

	if (p->nr_missing++ < MISSING_NAMED)
		snprintf(p->missing + used, sizeof(p->missing) - used, "%s%s", used ? ", " : "",
			 name);
}

/* Gives all events of @type that have the fields the condition; -ENOENT: none has. */
static int set_condition(struct mask_text_parser *p, u16 type, const char *text)
{
	unsigned int nr = 0;
	int err = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		if (!lkst_event_types_has(&p->types, id, type))
			continue;
		err = lkst_mask_set_condition(p->e, p->mask, p->c->classes[id], text);
		if (err && err != -ENOENT)
			return err;
		/* Without the field it can't be what was asked for. */
		if (err)
			p->mask->route[id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
		nr += !err;
	}
	return nr ? 0 : err;
}

/* @condition: what follows "if", NULL: nothing does. */
static int parse_row(struct mask_text_parser *p, char *words[WORDS_MAX], unsigned int nr_words,
		     const char *condition)
{
	unsigned long number;
	u8 handler, buffer = 0;
	u16 type;
	int err;

	if (nr_words < 3)
		return lkst_err_set(p->e, -EINVAL,
				    "a row is a number, a name, a handler and perhaps a buffer and "
				    "\"if\" with a condition");
	if (!mask_text_parse_number(words[0], LKST_TYPE_END - 1, &number))
		return lkst_err_set(p->e, -EINVAL, "\"%.40s\" is not an event's number", words[0]);
	err = lkst_mask_parse_handler(p->e, words[2], &handler);
	if (!err && nr_words > 3)
		err = lkst_mask_parse_buffer(p->e, words[3], &buffer);
	if (err)
		return err;
	err = mask_text_find_name(p->e, p->c, &p->types, words[1], &type);
	if (err == -ENODEV) {
		if (handler != LKST_HANDLER_NOTHING)
			mask_text_note_missing(p, words[1]);
		return 0;
	}
	if (err)
		return err;
	if ((number < LKST_TYPE_OWN || type < LKST_TYPE_OWN) && number != type)
		return lkst_err_set(p->e, -EINVAL, "the number of %s is 0x%03x, not 0x%03lx",
				    words[1], type, number);
	lkst_mask_set_type(p->mask, p->c, &p->types, type, handler,
			   nr_words > 3 ? buffer : LKST_BUFFER_USUAL);
	return condition ? set_condition(p, type, condition) : 0;
}

static int mask_text_parse_line(struct mask_text_parser *p, char *line)
{
	char *words[WORDS_MAX], *save = NULL, *word;
	unsigned int nr = 0;

	line += strspn(line, " \t");
	line[strcspn(line, "\r")] = 0;
	if (line[0] == '#')
		return parse_comment(p, line);
	for (word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (nr >= 3 && !strcmp(word, "if"))
			return parse_row(p, words, nr, save);
		if (nr == WORDS_MAX)
			return lkst_err_set(p->e, -EINVAL, "it has more than %u words", WORDS_MAX);
		words[nr++] = word;
	}
	return nr ? parse_row(p, words, nr, NULL) : 0;
}

static int mask_text_parse_lines(struct mask_text_parser *p, const char *text, size_t length)
{
	unsigned int nr = 0;
	size_t at = 0;

	while (at < length) {
		const char *end = memchr(text + at, '\n', length - at);
		size_t size = end ? (size_t)(end - text - at) : length - at;
		char line[LINE_MAX_BYTES];
		int err = 0;

		nr++;
		if (size >= sizeof(line) || memchr(text + at, 0, size))
			err = lkst_err_set(p->e, -EINVAL, "it is too long, or not text");
		if (!err) {
			memcpy(line, text + at, size);
			line[size] = 0;
			err = mask_text_parse_line(p, line);
		}
		if (err) {
			lkst_err_add(p->e, "line %u", nr);
			return err;
		}
		at += size + 1;
	}
	return 0;
}

int lkst_mask_parse(struct lkst_err *e, const char *text, size_t length,
		    const struct lkst_catalog *c, struct lkst_mask *ret_mask,
		    struct lkst_notes *notes)
{
	_cleanup_free_ struct mask_text_parser *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return lkst_err_sys(e, -ENOMEM, "reading a maskset");
	if (length > LKST_MASK_TEXT_MAX)
		return lkst_err_set(e, -EFBIG, "a maskset's text has at most %u bytes",
				    LKST_MASK_TEXT_MAX);
	p->e = e;
	p->c = c;
	p->mask = ret_mask;
	lkst_event_types_init(&p->types, c);
	lkst_mask_init(ret_mask, "", c);
	err = mask_text_parse_lines(p, text, length);
	if (!err && p->nr_missing)
		lkst_notes_add(notes,
			       "%u events of the maskset can't be recorded here, or were not asked "
			       "for when recording began: %s%s.",
			       p->nr_missing, p->missing,
			       p->nr_missing > MISSING_NAMED ? ", ..." : "");
	return err;
}
