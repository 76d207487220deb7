/* SPDX-License-Identifier: GPL-2.0-only */
/* Masksets: what is done with each event. */
#include "masks/mask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/syscalls.h"
#include "masks/condition.h"
#include "trace/format/event_types.h"

/* ---- what is done with events ----------------------------------------------------------------- */

u8 lkst_mask_usual_buffer(const struct lkst_event_class *event)
{
	return event->index >= 0 ? lkst_events[event->index].buffer : LKST_BUFFER_MAIN;
}

bool lkst_mask_has_always(int index)
{
	return index >= 0 && lkst_events[index].recorded == LKST_RECORDED_ALWAYS;
}

/* An event that is in the catalogue because recording was begun with its option: every maskset but RNOTHING has it. */
static bool has_by_option(const char *name, int index)
{
	return index >= 0 && lkst_events[index].recorded == LKST_RECORDED_BY_OPTION && strcmp(name, "RNOTHING");
}

static void mask_set(struct lkst_mask *mask, const struct lkst_event_class *event, u8 handler,
		     int buffer)
{
	if (handler == LKST_HANDLER_NOTHING && lkst_mask_has_always(event->index)) {
		handler = LKST_HANDLER_DEFAULT;
		buffer = LKST_BUFFER_USUAL;
	}
	if (buffer == LKST_BUFFER_USUAL)
		buffer = lkst_mask_usual_buffer(event);
	if (handler == LKST_HANDLER_NOTHING)
		buffer = LKST_BUFFER_MAIN;
	mask->route[event->id] = lkst_route(handler, (u8)buffer);
	mask->condition[event->id] = 0;
}

void lkst_mask_init(struct lkst_mask *mask, const char *name, const struct lkst_catalog *c)
{
	u32 id;

	memset(mask, 0, sizeof(*mask));
	snprintf(mask->name, sizeof(mask->name), "%s", name);
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		mask->route[id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
		if (c && c->classes[id])
			mask_set(mask, c->classes[id],
				 has_by_option(name, c->classes[id]->index) ? LKST_HANDLER_DEFAULT
								       : LKST_HANDLER_NOTHING,
				 LKST_BUFFER_USUAL);
	}
}

unsigned int lkst_mask_set_type(struct lkst_mask *mask, const struct lkst_catalog *c,
				const struct lkst_event_types *types, u16 type, u8 handler,
				int buffer)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_event_types_has(types, id, type)) {
			if (handler != LKST_HANDLER_NOTHING || types->also[id] != type)
				mask_set(mask, c->classes[id], handler, buffer);
			nr++;
		}
	return nr;
}

unsigned int lkst_mask_set_glob(struct lkst_mask *mask, const struct lkst_catalog *c,
				const char *glob, u8 handler, int buffer)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event || !lkst_class_is_maskable(event) || !lkst_class_is_named(event, glob))
			continue;
		mask_set(mask, event, handler, buffer);
		nr++;
	}
	return nr;
}

/* The number of @text among @mask's conditions; where there is room for it, it is put there. */
static int number_condition(struct lkst_err *e, struct lkst_mask *mask, const char *text,
			    size_t length, unsigned int *ret_number)
{
	unsigned int i;

	for (i = 0; i < LKST_MASK_CONDITIONS && mask->conditions[i][0]; i++)
		if (!strncmp(mask->conditions[i], text, length) && !mask->conditions[i][length])
			break;
	if (i == LKST_MASK_CONDITIONS)
		return lkst_err_set(e, -E2BIG, "a maskset has at most %u different conditions",
				    LKST_MASK_CONDITIONS);
	memcpy(mask->conditions[i], text, length);
	mask->conditions[i][length] = 0;
	*ret_number = i;
	return 0;
}

int lkst_mask_set_condition(struct lkst_err *e, struct lkst_mask *mask,
			    const struct lkst_event_class *event, const char *text)
{
	struct lkst_trigger_term terms[LKST_TRIGGER_TERMS];
	unsigned int nr, number = 0;
	size_t length, i;
	int err;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t", text[length - 1]))
		length--;
	if (length >= LKST_MASK_CONDITION)
		return lkst_err_set(e, -E2BIG, "a condition in a maskset has at most %u characters",
				    LKST_MASK_CONDITION - 1);
	for (i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] == 0x7f)
			return lkst_err_set(e, -EINVAL, "a condition is one line of plain text");
	if (lkst_mask_has_always(event->index))
		return lkst_err_set(e, -EINVAL,
				    "%s is always recorded, since it says which thread is which",
				    event->name);
	if ((mask->route[event->id] & 0xff) != LKST_HANDLER_DEFAULT)
		return lkst_err_set(e, -EINVAL,
				    "a condition is for an event that is recorded (handler 1, "
				    "DEFAULT), which %s is not",
				    event->name);
	err = lkst_condition_compile(e, event, text, terms, &nr);
	if (!err)
		err = number_condition(e, mask, text, length, &number);
	if (!err)
		mask->condition[event->id] = (u8)(number + 1);
	return err;
}

int lkst_mask_set_glob_if(struct lkst_err *e, struct lkst_mask *mask, const struct lkst_catalog *c,
			  const char *glob, int buffer, const char *text, unsigned int *ret_nr)
{
	const struct lkst_event_class *always = NULL;
	unsigned int nr = 0;
	int err = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];
		u16 before = mask->route[id];
		u8 condition = mask->condition[id];

		if (!event || !lkst_class_is_maskable(event) || !lkst_class_is_named(event, glob))
			continue;
		if (lkst_mask_has_always(event->index)) {
			always = event;
			continue;
		}
		mask_set(mask, event, LKST_HANDLER_DEFAULT, buffer);
		err = lkst_mask_set_condition(e, mask, event, text);
		if (err && err != -ENOENT)
			return err;
		if (err) {
			mask->route[id] = before;
			mask->condition[id] = condition;
		}
		nr += !err;
	}
	*ret_nr = nr;
	if (!nr && !err && always)
		return lkst_err_set(e, -EINVAL,
				    "every maskset records %s, without a condition: a trace knows its threads by "
				    "it",
				    always->name);
	return nr ? 0 : err;
}

const char *lkst_mask_condition(const struct lkst_mask *mask, u32 id)
{
	u8 number = mask->condition[id];

	return number ? mask->conditions[(number - 1) % LKST_MASK_CONDITIONS] : NULL;
}

bool lkst_mask_has_conditions(const struct lkst_mask *mask)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (mask->condition[id])
			return true;
	return false;
}

bool lkst_mask_has_by_default(const struct lkst_event_desc *d)
{
	return d->recorded != LKST_RECORDED_ON_REQUEST;
}

/* A tracepoint by name is not LKST's, so that only "all" has it. */
static bool is_default(const struct lkst_event_class *event)
{
	return event->index >= 0 ? lkst_mask_has_by_default(&lkst_events[event->index])
				 : event->group != LKST_GROUP_TRACEPOINT;
}

void lkst_mask_set_all(struct lkst_mask *mask, const struct lkst_catalog *c, bool is_all)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event || !lkst_class_is_maskable(event))
			continue;
		if (is_all || is_default(event))
			mask_set(mask, event, LKST_HANDLER_DEFAULT, LKST_BUFFER_USUAL);
	}
}

unsigned int lkst_mask_count(const u16 *route, const struct lkst_catalog *c)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += c->classes[id] && lkst_class_is_maskable(c->classes[id]) &&
		      (route[id] & 0xff) != LKST_HANDLER_NOTHING;
	return nr;
}
