/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparisons of a condition: read, and made fit for the records of an event. */
#include "masks/condition_term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/suggest.h"

/* How a comparison uses a field. */
struct operand {
	u8 source, size;
	u16 offset;
	bool is_signed, is_ns, is_result;
	u16 room; /* of characters */
};

/* Which events have an operand that is not a field, as operands.def has it. */
enum events {
	EVENTS_ANY,
	EVENTS_SWITCH,
	EVENTS_END,
	EVENTS_SYSCALL,
};

#define FORM_NUMBER .is_signed = false
#define FORM_SIGNED .is_signed = true
#define FORM_NS	    .is_ns = true
#define FORM_TEXT   .room = LKST_TRIGGER_TEXT

static const struct given {
	const char *name;
	enum events events;
	struct operand is;
} given[] = {
#define OPERAND(name, from, events, form, help)                                                    \
	{ #name, EVENTS_##events, { .source = LKST_TRIGGER_##from, FORM_##form } },
#include "masks/operands.def"
#undef OPERAND
};

/* ---- reading ---------------------------------------------------------------------------------- */

static int parse_op(const char *text)
{
	static const char *const ops[] = {
		[LKST_TRIGGER_EQ] = "==", [LKST_TRIGGER_NE] = "!=", [LKST_TRIGGER_LT] = "<",
		[LKST_TRIGGER_LE] = "<=", [LKST_TRIGGER_GT] = ">",  [LKST_TRIGGER_GE] = ">=",
	};
	int i;

	for (i = 0; i < (int)(sizeof(ops) / sizeof(ops[0])); i++)
		if (!strcmp(ops[i], text))
			return i;
	return -EINVAL;
}

/* A number without sign: decimal, hexadecimal after "0x", or with K, M, G or T. */
static int condition_term_parse_number(struct lkst_err *e, const char *text, u64 *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (!*end && !errno)
		return 0;
	if (!strncmp(text, "0x", 2) || errno || lkst_size_parse(e, text, ret_value))
		return lkst_err_set(
			e, -EINVAL,
			"\"%s\" is not a number: decimal, 0x and hexadecimal, or with K, M, "
			"G or T",
			text);
	return 0;
}

static int parse_mask(struct lkst_err *e, struct lkst_words *w, struct lkst_comparison *x)
{
	struct lkst_word word;
	int err = lkst_words_skip(e, w);

	if (!err)
		err = lkst_words_take(e, w, LKST_WORD_NUMBER, "a number of bits after \"&\"",
				      &word);
	if (!err)
		err = condition_term_parse_number(e, word.text, &x->mask);
	x->has_mask = true;
	return err;
}

static int parse_value(struct lkst_err *e, struct lkst_words *w, struct lkst_comparison *x)
{
	int err = 0;

	if (lkst_words_is_sign(w, "-")) {
		x->is_negative = true;
		err = lkst_words_skip(e, w);
	}
	if (err)
		return err;
	if (w->next.kind == LKST_WORD_END)
		return lkst_err_set(e, -EINVAL, "a value is missing at the end");
	if (w->next.kind == LKST_WORD_SIGN)
		return lkst_err_set(e, -EINVAL, "expected a value, not \"%s\"",
				    w->next.text);
	x->value = w->next;
	return lkst_words_skip(e, w);
}

int lkst_comparison_parse(struct lkst_err *e, struct lkst_words *w, const char *field,
			  struct lkst_comparison *ret_comparison)
{
	struct lkst_comparison x = { .mask = ~0ULL };
	struct lkst_word word = { .kind = LKST_WORD_NAME };
	int op, err = 0;

	if (field)
		memcpy(word.text, field, strlen(field) + 1);
	else
		err = lkst_words_take(e, w, LKST_WORD_NAME, "a field", &word);
	memcpy(x.field, word.text, sizeof(x.field));
	if (!err && lkst_words_is_sign(w, "&"))
		err = parse_mask(e, w, &x);
	if (err)
		return err;
	op = w->next.kind == LKST_WORD_SIGN ? parse_op(w->next.text) : -EINVAL;
	if (op < 0 && x.has_mask) {
		/* A mask alone: one of its bits is set. */
		x.op = LKST_TRIGGER_NE;
		x.value = (struct lkst_word){ LKST_WORD_NUMBER, "0" };
		*ret_comparison = x;
		return 0;
	}
	if (op < 0)
		return lkst_err_set(e, -EINVAL,
				    "\"%s\" must be followed by ==, !=, <, <=, >, >= or &, not \"%s\"",
				    x.field, w->next.text);
	x.op = (u8)op;
	err = lkst_words_skip(e, w);
	if (!err)
		err = parse_value(e, w, &x);
	if (!err)
		*ret_comparison = x;
	return err;
}

/* ---- fields ----------------------------------------------------------------------------------- */

/* Whether records of @event have it; @has_latency: the event ends an interval. */
static bool has_operand(const struct lkst_event_class *event, bool has_latency,
			const struct given *g)
{
	switch (g->events) {
	case EVENTS_SWITCH:
		return event->index == LKST_EV_sched_switch;
	case EVENTS_END:
		return has_latency;
	case EVENTS_SYSCALL:
		return event->group == LKST_GROUP_SYSCALL;
	default:
		return true;
	}
}

static const struct given *condition_term_find_given(const struct lkst_event_class *event, const char *name,
						     bool has_latency)
{
	size_t i;

	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (!strcmp(given[i].name, name) && has_operand(event, has_latency, &given[i]))
			return &given[i];
	return NULL;
}

static int refuse_field(struct lkst_err *e, const struct lkst_event_class *event, const char *name,
			bool has_latency)
{
	struct lkst_suggest near = { .word = name };
	char text[LKST_SUGGEST_TEXT];
	unsigned int i;

	for (i = 0; i < event->nr_fields; i++)
		if (event->fields[i].meaning != LKST_MEANING_PAD)
			lkst_suggest_offer(&near, event->fields[i].name);
	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (has_operand(event, has_latency, &given[i]))
			lkst_suggest_offer(&near, given[i].name);
	return lkst_err_set(e, -ENOENT,
			    "event %s has no field \"%s\"%s; `lkst event show %s` shows its fields",
			    event->name, name, lkst_suggest_text(&near, text), event->name);
}

static int use_field(struct lkst_err *e, const struct lkst_event_class *event,
		     const struct lkst_field_class *f, struct operand *o)
{
	o->offset = f->offset;
	o->size = f->size;
	o->source = LKST_TRIGGER_FIELD;
	if (f->offset == LKST_OFFSET_VARIES)
		return lkst_err_set(e, -EINVAL,
				    "field %s of %s has no fixed place in the record and can't be "
				    "compared",
				    f->name, event->name);
	switch (f->type) {
	case LKST_CLASS_UINT:
	case LKST_CLASS_SINT:
		/* What a system call returns is an error if it is negative, whatever else it is. */
		o->is_result = event->group == LKST_GROUP_SYSCALL && !strcmp(f->name, "ret");
		o->is_signed = f->type == LKST_CLASS_SINT || o->is_result;
		o->is_result |= f->meaning == LKST_MEANING_RESULT;
		o->is_ns = f->meaning == LKST_MEANING_NS;
		return 0;
	case LKST_CLASS_CHARS:
	case LKST_CLASS_STRING:
		o->source = LKST_TRIGGER_CHARS;
		o->size = 1;
		o->room = LKST_TRIGGER_TEXT;
		if (f->type == LKST_CLASS_CHARS && f->count < o->room)
			o->room = f->count;
		return 0;
	}
	return lkst_err_set(e, -EINVAL, "field %s of %s is neither a number nor text", f->name,
			    event->name);
}

static int find_operand(struct lkst_err *e, const struct lkst_event_class *event, const char *name,
			bool has_latency, struct operand *o)
{
	const struct lkst_field_class *f = lkst_class_field(event, name);
	const struct given *g = condition_term_find_given(event, name, has_latency);

	memset(o, 0, sizeof(*o));
	if (g && g->events == EVENTS_SYSCALL)
		f = lkst_class_field(event, "ret"); /* and no argument that is called so */
	if (f && f->meaning != LKST_MEANING_PAD)
		return use_field(e, event, f, o);
	if (!g || g->events == EVENTS_SYSCALL)
		return refuse_field(e, event, name, has_latency);
	*o = g->is;
	return 0;
}

int lkst_condition_key(struct lkst_err *e, const struct lkst_event_class *event, const char *name,
		       struct lkst_trigger_key *ret_key)
{
	const struct lkst_field_class *f = lkst_class_field(event, name);
	struct operand o = {};
	int err;

	if (!f)
		return refuse_field(e, event, name, false);
	err = use_field(e, event, f, &o);
	if (!err && o.source != LKST_TRIGGER_FIELD)
		err = lkst_err_set(e, -EINVAL, "field %s of %s is not a number", name, event->name);
	if (err)
		return err;
	ret_key->kind =
		f->meaning == LKST_MEANING_TID ? LKST_TRIGGER_BY_TID : LKST_TRIGGER_BY_FIELD;
	ret_key->size = o.size;
	ret_key->offset = o.offset;
	return 0;
}

/* ---- values ----------------------------------------------------------------------------------- */

static const char *const errors[] = {
#define ERRNO(number, name, text) [number] = name,
#define RESTART(number, name, text) ERRNO(number, name, text)
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

static int parse_error(struct lkst_err *e, const struct lkst_comparison *x, const struct operand *o,
		       u64 *ret_value)
{
	struct lkst_suggest near = { .word = x->value.text };
	char text[LKST_SUGGEST_TEXT];
	u64 i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (!errors[i])
			continue;
		if (!strcmp(errors[i], x->value.text)) {
			*ret_value = i;
			return x->is_negative || !o->is_result
				       ? 0
				       : lkst_err_set(
						 e, -EINVAL,
						 "the kernel returns errors negative: write -%s",
						 errors[i]);
		}
		lkst_suggest_offer(&near, errors[i]);
	}
	return lkst_err_set(e, -EINVAL, "%s is compared with a number, not \"%s\"%s", x->field,
			    x->value.text, lkst_suggest_text(&near, text));
}

static int compile_number(struct lkst_err *e, const struct lkst_comparison *x,
			  const struct operand *o, struct lkst_trigger_term *term)
{
	u64 value = 0;
	int err;

	if (x->value.kind == LKST_WORD_STRING)
		return lkst_err_set(e, -EINVAL, "%s is a number and is not compared with \"%s\"",
				    x->field, x->value.text);
	if (x->value.kind == LKST_WORD_NAME)
		err = parse_error(e, x, o, &value);
	else if (o->is_ns && !x->has_mask)
		err = lkst_duration_parse(e, x->value.text, &value);
	else
		err = condition_term_parse_number(e, x->value.text, &value);
	if (err)
		return err;
	if (x->is_negative && (!o->is_signed || value > 1ULL << 63))
		return lkst_err_set(e, -EINVAL, "%s is never -%s", x->field, x->value.text);
	term->is_signed = o->is_signed && !x->has_mask;
	term->mask = x->mask;
	term->operand = x->is_negative ? 0 - value : value;
	return 0;
}

static int compile_text(struct lkst_err *e, const struct lkst_comparison *x,
			const struct operand *o, struct lkst_trigger_term *term)
{
	size_t length = strlen(x->value.text);
	const bool is_prefix = length && x->value.text[length - 1] == '*';

	if ((x->op != LKST_TRIGGER_EQ && x->op != LKST_TRIGGER_NE) || x->has_mask)
		return lkst_err_set(e, -EINVAL,
				    "%s is text, which is compared by == and !=", x->field);
	if (x->value.kind == LKST_WORD_NUMBER || x->is_negative)
		return lkst_err_set(e, -EINVAL, "%s is text: write \"%s\"", x->field,
				    x->value.text);
	length -= is_prefix;
	if (length + !is_prefix > o->room)
		return lkst_err_set(
			e, -EINVAL,
			"of %s no more than %u characters are compared; \"%s\" has more", x->field,
			o->room - 1, x->value.text);
	memcpy(term->text, x->value.text, length);
	/* With its NUL, so that nothing follows. */
	term->length = (u16)(length + !is_prefix);
	return 0;
}

int lkst_comparison_compile(struct lkst_err *e, const struct lkst_comparison *x,
			    const struct lkst_event_class *event, bool has_latency,
			    struct lkst_trigger_term *ret_term)
{
	struct lkst_trigger_term term = {};
	struct operand o;
	int err = find_operand(e, event, x->field, has_latency, &o);

	if (err)
		return err;
	term.source = o.source;
	term.op = x->op;
	term.size = o.size;
	term.offset = o.offset;
	err = o.room ? compile_text(e, x, &o, &term) : compile_number(e, x, &o, &term);
	if (!err)
		*ret_term = term;
	return err;
}
