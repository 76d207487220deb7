/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints trees of steps without recursion: a step knows its parent. */
#include "view/account_text.h"

#include <errno.h>
#include <string.h>

#include "base/size.h"
#include "view/pen.h"

enum {
	OFFSET_WIDTH = 10,
	LENGTH_WIDTH = 10,
	INDENT = 2,
	INDENT_MAX = 64, /* deeper steps are not moved further to the right */
	CITES_IN_LINE = 2,
	SENTENCE_MAX = 4096,
};

/* The step that is printed after @s, in order of the tree; *@depth is updated. NULL: none. */
static const struct lkst_account_step *next_step(const struct lkst_account_step *s, int *depth)
{
	if (s->steps) {
		++*depth;
		return s->steps;
	}
	while (s && !s->next) {
		s = s->parent;
		--*depth;
	}
	return s ? s->next : NULL;
}

static char *put_meaning(struct lkst_pen *pen, char *p, const struct lkst_account_part *part)
{
	const struct lkst_field_class f = {
		.type = LKST_CLASS_UINT,
		.size = sizeof(part->value),
		.meaning = (u8)part->meaning,
		.base = part->meaning < LKST_NR_MEANINGS ? lkst_meaning_base[part->meaning] : 16,
	};

	if (lkst_field_has_symbol(&f))
		return lkst_symbols_put(pen->symbols, p, part->value);
	return lkst_put_value(p, lkst_value_format(&f), part->value);
}

/* A thread as "1234/bash". */
static char *put_thread(struct lkst_pen *pen, char *p, s32 tid)
{
	const struct lkst_name_cell *name = lkst_names_get(&pen->names, tid);

	return lkst_put_mem(p, name->column + name->start, (size_t)(name->end - name->start));
}

static char *put_duration(char *p, u64 ns)
{
	char text[LKST_DURATION_TEXT];

	lkst_duration_format(ns, text);
	return lkst_put_str(p, text);
}

static char *put_size(char *p, u64 bytes)
{
	char text[LKST_SIZE_TEXT];

	lkst_size_format(bytes, text);
	return lkst_put_str(p, text);
}

static char *put_part(struct lkst_pen *pen, char *p, const struct lkst_account_part *part)
{
	switch (part->type) {
	case LKST_ACCOUNT_TEXT:
		return lkst_out_escaped(pen->out, p, part->text, strlen(part->text), "");
	case LKST_ACCOUNT_DURATION:
		return put_duration(p, part->value);
	case LKST_ACCOUNT_THREAD:
		return put_thread(pen, p, (s32)part->value);
	case LKST_ACCOUNT_BYTES:
		return put_size(p, part->value);
	case LKST_ACCOUNT_PERCENT:
		return lkst_put_str(lkst_put_u64(p, part->value), " %");
	case LKST_ACCOUNT_MEANING:
		return put_meaning(pen, p, part);
	default:
		return lkst_put_u64(p, part->value);
	}
}

static char *put_sentence(struct lkst_pen *pen, char *p, const struct lkst_account_step *s)
{
	const struct lkst_account_part *part;

	for (part = s->parts; part; part = part->next) {
		p = lkst_out_more(pen->out, p);
		if (!part->is_quiet)
			p = put_part(pen, p, part);
	}
	return p;
}

/* ---- text ----------------------------------------------------------------------------- */

static char *put_padded(char *p, char *start, int width)
{
	while (p - start < width)
		*p++ = ' ';
	return p;
}

static char *put_spaces(char *p, int nr)
{
	for (; nr > 0; nr--)
		*p++ = ' ';
	return p;
}

/* A top step says whom it is about, and when it was; the others say when, from its beginning. */
static char *put_head(struct lkst_pen *pen, char *p, const struct lkst_account_step *s,
		      const struct lkst_account_step *top, int depth)
{
	char *start = p;

	if (s == top) {
		p = put_thread(pen, p, s->tid);
		p = lkst_put_time(lkst_put_str(p, ", "), &pen->time, s->from_ns, 9);
		p = lkst_put_time(lkst_put_str(p, " to "), &pen->time, s->to_ns, 9);
		p = put_duration(lkst_put_str(p, ", "), s->to_ns - s->from_ns);
		return lkst_put_str(p, ": ");
	}
	*p++ = s->from_ns < top->from_ns ? '-' : '+';
	p = put_duration(p, s->from_ns < top->from_ns ? top->from_ns - s->from_ns
						      : s->from_ns - top->from_ns);
	p = put_padded(p, start, OFFSET_WIDTH);
	start = p;
	p = put_duration(p, s->to_ns - s->from_ns);
	p = put_padded(p, start, LENGTH_WIDTH);
	p = put_spaces(p, depth * INDENT < INDENT_MAX ? depth * INDENT - INDENT : INDENT_MAX);
	if (s->tid != s->parent->tid)
		p = lkst_put_str(put_thread(pen, p, s->tid), ": ");
	return p;
}

static char *put_cites(struct lkst_pen *pen, char *p, const struct lkst_account_step *s, int depth)
{
	const struct lkst_account_cite *c;
	int nr = 0;

	for (c = s->cites; c; c = c->next, nr++) {
		p = lkst_out_more(pen->out, p);
		if (nr % CITES_IN_LINE == 0) {
			if (nr)
				*p++ = '\n';
			p = put_spaces(p, OFFSET_WIDTH + LENGTH_WIDTH);
			p = put_spaces(p,
				       depth * INDENT < INDENT_MAX ? depth * INDENT : INDENT_MAX);
			p = lkst_put_str(p, "| ");
		} else {
			p = lkst_put_str(p, ", ");
		}
		p = lkst_put_time(p, &pen->time, c->ns, 9);
		p = lkst_put_u64_width(lkst_put_str(p, " ["), c->cpu, 3, '0');
		p = lkst_put_str(lkst_put_str(p, "] "), c->event);
	}
	if (nr)
		*p++ = '\n';
	return p;
}

int lkst_view_account_text(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events)
{
	struct lkst_pen *pen = lkst_pen_new(config, NULL);
	const struct lkst_account_step *s = a->root.steps, *top = s;
	int depth = 0;
	unsigned int i;

	if (!pen)
		return -ENOMEM;
	if (pen->time.form == LKST_TIME_SECONDS)
		pen->time.form = LKST_TIME_PLAIN;
	for (; s; s = next_step(s, &depth)) {
		char *p = lkst_out_room(pen->out);

		if (!depth)
			top = s;
		p = put_head(pen, p, s, top, depth);
		p = put_sentence(pen, p, s);
		*p++ = '\n';
		if (has_events)
			p = put_cites(pen, p, s, depth);
		lkst_out_advance(pen->out, p);
	}
	for (i = 0; i < a->notes.nr; i++)
		lkst_out_message(pen->out, "Note: %s", a->notes.text[i]);
	lkst_pen_free(pen);
	return 0;
}

/* ---- JSON ----------------------------------------------------------------------------- */

/* The sentence, cut if it is too long, as one string: escaping it in parts would add quotes. */
static char *put_json_sentence(struct lkst_pen *pen, char *p, const struct lkst_account_step *s)
{
	char sentence[SENTENCE_MAX], one[LKST_OUT_ROOM];
	const struct lkst_account_part *part;
	size_t used = 0, length;

	for (part = s->parts; part; part = part->next) {
		const char *text = part->text;

		if (part->is_quiet)
			continue;
		if (part->type == LKST_ACCOUNT_TEXT) {
			length = strlen(text);
		} else {
			length = (size_t)(put_part(pen, one, part) - one);
			text = one;
		}
		if (length > sizeof(sentence) - used)
			length = sizeof(sentence) - used;
		memcpy(sentence + used, text, length);
		used += length;
	}
	return lkst_out_json(pen->out, p, sentence, used);
}

static char *put_json_thread(struct lkst_pen *pen, char *p, s32 tid)
{
	const struct lkst_name_cell *name = lkst_names_get(&pen->names, tid);
	size_t length = strnlen(name->comm, sizeof(name->comm));

	p = lkst_put_s64(lkst_put_str(p, "{\"tid\":"), tid);
	p = lkst_put_str(p, ",\"comm\":");
	p = length ? lkst_put_json(p, name->comm, length) : lkst_put_str(p, "null");
	return lkst_put_str(p, "}");
}

static char *put_json_fact(struct lkst_pen *pen, char *p, const struct lkst_account_part *part)
{
	char text[LKST_VALUE_ROOM];

	p = lkst_put_str(lkst_put_str(lkst_put_str(p, "\""), part->key), "\":");
	switch (part->type) {
	case LKST_ACCOUNT_TEXT:
		return lkst_out_json(pen->out, p, part->text, strlen(part->text));
	case LKST_ACCOUNT_THREAD:
		return put_json_thread(pen, p, (s32)part->value);
	case LKST_ACCOUNT_MEANING:
		return lkst_put_json(p, text, (size_t)(put_meaning(pen, text, part) - text));
	default:
		return lkst_put_u64(p, part->value);
	}
}

static char *put_json_facts(struct lkst_pen *pen, char *p, const struct lkst_account_step *s)
{
	const struct lkst_account_part *part;
	const char *comma = "";

	p = lkst_put_str(p, ",\"facts\":{");
	for (part = s->parts; part; part = part->next) {
		if (!part->key)
			continue;
		p = lkst_put_str(lkst_out_more(pen->out, p), comma);
		p = put_json_fact(pen, p, part);
		comma = ",";
	}
	return lkst_put_str(p, "}");
}

static char *put_json_events(struct lkst_pen *pen, char *p, const struct lkst_account_step *s)
{
	const struct lkst_account_cite *c;

	p = lkst_put_str(p, ",\"events\":[");
	for (c = s->cites; c; c = c->next) {
		p = lkst_out_more(pen->out, p);
		p = lkst_put_u64(lkst_put_str(p, "{\"ns\":"), c->ns);
		p = lkst_put_u64(lkst_put_str(p, ",\"cpu\":"), c->cpu);
		p = lkst_put_s64(lkst_put_str(p, ",\"tid\":"), c->tid);
		p = lkst_put_str(p, ",\"event\":");
		p = lkst_put_json(p, c->event, strlen(c->event));
		p = lkst_put_str(p, c->next ? "}," : "}");
	}
	return lkst_put_str(p, "]");
}

static char *put_json_step(struct lkst_pen *pen, char *p, const struct lkst_account_step *s)
{
	p = lkst_put_str(lkst_put_str(lkst_put_str(p, "{\"kind\":\""), s->kind), "\"");
	p = lkst_put_u64(lkst_put_str(p, ",\"from_ns\":"), s->from_ns);
	p = lkst_put_u64(lkst_put_str(p, ",\"to_ns\":"), s->to_ns);
	p = put_json_thread(pen, lkst_put_str(p, ",\"thread\":"), s->tid);
	p = put_json_sentence(pen, lkst_put_str(p, ",\"text\":"), s);
	p = put_json_facts(pen, p, s);
	p = put_json_events(pen, p, s);
	return lkst_put_str(p, ",\"steps\":[");
}

int lkst_view_account_json(const struct lkst_view_config *config, const struct lkst_account *a)
{
	struct lkst_pen *pen = lkst_pen_new(config, NULL);
	const struct lkst_account_step *s = a->root.steps;
	int depth = 0, was;
	unsigned int i;

	if (!pen)
		return -ENOMEM;
	lkst_out_str(pen->out, "{\"steps\":[");
	while (s) {
		char *p = put_json_step(pen, lkst_out_room(pen->out), s);

		was = depth;
		s = next_step(s, &depth);
		if (!s)
			depth = 0;
		/* A step ends where the next one is not below it, and so do those that it is below. */
		for (; was >= depth; was--)
			p = lkst_put_str(lkst_out_more(pen->out, p), "]}");
		if (s && s != s->parent->steps)
			*p++ = ',';
		lkst_out_advance(pen->out, p);
	}
	lkst_out_str(pen->out, "],\"notes\":[");
	for (i = 0; i < a->notes.nr; i++) {
		char *p = lkst_put_str(lkst_out_room(pen->out), i ? "," : "");

		p = lkst_out_json(pen->out, p, a->notes.text[i], strlen(a->notes.text[i]));
		lkst_out_advance(pen->out, p);
	}
	lkst_out_str(pen->out, "]}\n");
	lkst_pen_free(pen);
	return 0;
}
