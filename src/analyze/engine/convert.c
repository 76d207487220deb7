/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of another layout, made into this program's own. */
#include "analyze/engine/convert.h"

#include <stdlib.h>
#include <string.h>

/* A field of the built-in event and where it comes from. */
struct move {
	const struct lkst_field_class *from; /* NULL: the record has none, it stays 0 */
	u16 index;			     /* of @from among its event's */
	u16 to;				     /* offset in the struct */
	u8 type, size;			     /* as lkst_field_desc has them */
};

struct lkst_convert {
	u16 size; /* of the struct without its string */
	u16 nr_moves;
	struct move moves[];
};

static bool convert_is_number(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT;
}

static bool convert_is_text(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_CHARS || f->type == LKST_CLASS_STRING ||
	       f->type == LKST_CLASS_TEXT;
}

/* The field of @event that can become @desc, or NULL. */
static const struct lkst_field_class *convert_source_of(const struct lkst_event_class *event,
							const struct lkst_field_desc *desc)
{
	const struct lkst_field_class *f = lkst_class_field(event, desc->name);
	bool wants_number = desc->type == LKST_TYPE_UINT || desc->type == LKST_TYPE_SINT;

	/* Who wants an array reads it from the record itself. */
	if (!f || desc->type == LKST_TYPE_WORDS || (wants_number ? !convert_is_number(f) : !convert_is_text(f)))
		return NULL;
	return f;
}

u64 lkst_convert_missing(const struct lkst_event_class *event)
{
	const struct lkst_event_desc *desc = &lkst_events[event->index];
	u64 missing = 0;
	u16 i;

	for (i = 0; i < desc->nr_fields; i++)
		if (desc->fields[i].type == LKST_TYPE_WORDS ? !lkst_class_field(event, desc->fields[i].name)
							    : !convert_source_of(event, &desc->fields[i]))
			missing |= 1ULL << i;
	return missing;
}

struct lkst_convert *lkst_convert_new(const struct lkst_event_class *event)
{
	const struct lkst_event_desc *desc = &lkst_events[event->index];
	struct lkst_convert *c = calloc(1, sizeof(*c) + desc->nr_fields * sizeof(c->moves[0]));
	u16 i, at = sizeof(struct lkst_record_head);

	if (!c)
		return NULL;
	c->size = desc->size;
	c->nr_moves = desc->nr_fields;
	for (i = 0; i < desc->nr_fields; i++) {
		struct move *m = &c->moves[i];

		m->from = convert_source_of(event, &desc->fields[i]);
		m->index = m->from ? (u16)(m->from - event->fields) : 0;
		m->type = desc->fields[i].type;
		m->size = desc->fields[i].size;
		m->to = at;
		at += m->size;
	}
	return c;
}

/* An integer of any size and byte order of this machine. */
static void convert_put_number(u8 *to, u8 size, u64 v)
{
	u8 v8 = (u8)v;
	u16 v16 = (u16)v;
	u32 v32 = (u32)v;

	memcpy(to,
	       size == 1   ? (void *)&v8
	       : size == 2 ? (void *)&v16
	       : size == 4 ? (void *)&v32
			   : &v,
	       size);
}

/* A number after a field of varying size has no fixed place: it is found by walking. */
static u64 convert_number_of(const struct lkst_record *r, const struct move *m)
{
	struct lkst_field_class fixed = *m->from;
	struct lkst_record at = *r;
	u32 length;

	if (fixed.offset != LKST_OFFSET_VARIES)
		return lkst_record_int(r, m->from);
	at.bytes = lkst_record_field(r, m->index, &length);
	if (!at.bytes)
		return 0;
	at.size = length;
	fixed.offset = 0;
	return lkst_record_int(&at, &fixed);
}

static void convert_put_text(u8 *to, u32 room, const struct lkst_record *r, const struct move *m)
{
	u32 length;
	const u8 *text = lkst_record_field(r, m->index, &length);

	if (length > room - 1)
		length = room - 1;
	if (text)
		memcpy(to, text, length);
	to[text ? length : 0] = 0;
}

void lkst_convert_record(const struct lkst_convert *c, const struct lkst_record *r, u8 *ret_record)
{
	struct lkst_record_head head = { .id_time = r->event->id | r->ns << 16, .tid = r->tid };
	u16 i;

	memset(ret_record, 0, c->size + 1u);
	memcpy(ret_record, &head, sizeof(head));
	for (i = 0; i < c->nr_moves; i++) {
		const struct move *m = &c->moves[i];

		if (!m->from)
			continue;
		if (m->type == LKST_TYPE_UINT || m->type == LKST_TYPE_SINT)
			convert_put_number(ret_record + m->to, m->size, convert_number_of(r, m));
		else
			convert_put_text(ret_record + m->to,
					 m->type == LKST_TYPE_STRING ? LKST_CONVERT_STRING_MAX : m->size, r,
					 m);
	}
}
