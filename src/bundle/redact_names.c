/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of events and fields, which others than LKST have given, as they are in a redacted trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bundle/redact.h"

enum { NUMBERED = sizeof("field_4294967295") };

/* Any user's program names what it marks; who records names what a probe or handler records. */
static bool is_named_by_program(const struct lkst_event_class *event)
{
	return event->index < 0 && event->group == LKST_GROUP_MARK;
}

/* The first number from *@next on that makes a name which no field of @event has had; *@next is the one after it. */
static void number_field(const struct lkst_event_class *event, u32 *next, char name[NUMBERED])
{
	do
		snprintf(name, NUMBERED, "field_%u", ++*next);
	while (lkst_class_field(event, name));
}

/* Of a probe's record, what says where and whether: its readers know these by their names, which are LKST's. */
static bool is_own_field(const struct lkst_event_class *event, const char *name)
{
	return event->group == LKST_GROUP_PROBE &&
	       (!strcmp(name, LKST_PROBE_FIELD_IP) || !strcmp(name, LKST_PROBE_FIELD_RET_IP) ||
		!strcmp(name, LKST_PROBE_FIELD_FUNC) || !strcmp(name, LKST_PROBE_FIELD_FAULTS));
}

static bool redact_names_has_word(const struct lkst_redaction *r, const char *name)
{
	return lkst_redact_has_word(r, name, strlen(name), false);
}

/* Which rule takes the name out; LKST_REDACT_NR_RULES: none. */
static enum lkst_redact_rule rule_for(const struct lkst_redaction *r, const struct lkst_event_class *event,
				      const char *name)
{
	if (redact_names_has_word(r, name))
		return LKST_REDACT_WORDS;
	return r->rules[LKST_REDACT_TEXT] && is_named_by_program(event) ? LKST_REDACT_TEXT : LKST_REDACT_NR_RULES;
}

static void rename_fields(struct lkst_redaction *r, const struct lkst_event_class *event, struct lkst_event_class *to)
{
	char name[NUMBERED];
	u32 next = 0;
	u16 i;

	for (i = 0; i < event->nr_fields; i++) {
		const enum lkst_redact_rule rule = rule_for(r, event, event->fields[i].name);

		if (rule == LKST_REDACT_NR_RULES || is_own_field(event, event->fields[i].name))
			continue;
		number_field(event, &next, name);
		strcpy(to->fields[i].name, name);
		r->counts[rule]++;
	}
}

/* Where the name proper begins: behind the system of a probe or tracepoint, or the handler's name, which ends so. */
static size_t begin_of_name(const struct lkst_event_class *event)
{
	const char *colon = strchr(event->name, ':') ?: strchr(event->name, '.');

	return colon ? (size_t)(colon + 1 - event->name) : 0;
}

/* What comes before the name says what kind of event it is, and is kept, with other words if it holds one. */
static void rename_event(struct lkst_redaction *r, const struct lkst_event_class *event, struct lkst_event_class *to,
			 u32 *next)
{
	const size_t begin = begin_of_name(event);
	const enum lkst_redact_rule rule = rule_for(r, event, event->name + begin);
	bool is_bad = begin && !is_named_by_program(event) &&
		      lkst_redact_has_word(r, event->name, begin - 1, false);
	char prefix[LKST_NAME_MAX] = "";

	if (rule == LKST_REDACT_NR_RULES && !is_bad)
		return;
	memcpy(prefix, event->name, begin);
	if (is_bad)
		snprintf(prefix, sizeof(prefix), "redacted%c", event->name[begin - 1]);
	do
		snprintf(to->name, sizeof(to->name), "%.*sevent_%u", LKST_NAME_MAX - NUMBERED, prefix, ++*next);
	while (lkst_catalog_find(r->catalog, to->name));
	r->counts[is_bad ? LKST_REDACT_WORDS : rule]++;
}

static struct lkst_event_class *copy_of(const struct lkst_event_class *event)
{
	const size_t bytes = event->nr_fields * sizeof(*event->fields);
	struct lkst_event_class *copy = malloc(sizeof(*copy) + bytes);

	if (!copy)
		return NULL;
	*copy = *event;
	copy->fields = (struct lkst_field_class *)(copy + 1);
	if (bytes)
		memcpy(copy->fields, event->fields, bytes);
	return copy;
}

int lkst_redact_names(struct lkst_redaction *r, struct lkst_event_class *classes[LKST_ID_MAX + 1])
{
	unsigned int id;
	u32 next = 0;

	memset(classes, 0, (LKST_ID_MAX + 1) * sizeof(*classes));
	for (id = 0; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *event = r->catalog->classes[id];

		if (!event)
			continue;
		classes[id] = copy_of(event);
		if (!classes[id])
			return -ENOMEM;
		/* Those of the catalogue and of system calls are LKST's and the kernel's. */
		if (event->index >= 0 || lkst_class_call(event))
			continue;
		rename_event(r, event, classes[id], &next);
		rename_fields(r, event, classes[id]);
	}
	return 0;
}
