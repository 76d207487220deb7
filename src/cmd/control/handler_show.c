/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst handler: a handler's variables, shown and set. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "cmd/control/handler.h"
#include "live/masks/declare.h"
#include "live/masks/variables.h"

enum { BAR_WIDTH = 40, ELEMENTS_SHOWN = 16, BYTES_TEXT = 32 };

struct printer {
	const struct lkst_session *s;
	const struct lkst_catalog *catalog;
	const struct lkst_handler *h;
	struct lkst_out *out;
	struct lkst_json *json;
	/* The map that is being printed: its largest elements, in order, and how many it has. */
	char map[LKST_HANDLER_PIN_MAX];
	unsigned int nr, nr_shown;
	struct handler_show_element {
		struct lkst_variable v;
		u64 weight;
		char bytes[sizeof(struct lkst_histogram)];
	} shown[ELEMENTS_SHOWN];
};

static const struct lkst_event_class *handler_show_event_of(const struct printer *p, s64 id)
{
	return id > 0 && id <= LKST_ID_MAX ? p->catalog->classes[id] : NULL;
}

static size_t text_length(const struct lkst_variable *v)
{
	return strnlen(v->bytes, v->count);
}

/* Of a variable whose type says no more than its size. */
static const char *bytes_text(const struct lkst_variable *v, char text[BYTES_TEXT])
{
	snprintf(text, BYTES_TEXT, "(%u bytes)", v->size);
	return text;
}

/* ---- text ------------------------------------------------------------------------------------- */

/* What a handler has in its variables may be anything. */
static void print_string(struct lkst_out *out, const char *text, size_t length)
{
	lkst_out_advance(out, lkst_out_json(out, lkst_out_room(out), text, length));
}

/* Names of variables are its object file's. */
static void print_name(struct lkst_out *out, const char *name)
{
	lkst_out_advance(out, lkst_out_escaped(out, lkst_out_room(out), name, strlen(name), ""));
}

static void print_event(const struct printer *p, s64 id)
{
	const struct lkst_event_class *event = handler_show_event_of(p, id);

	if (event)
		lkst_out_str(p->out, event->name);
	else
		lkst_out_printf(p->out, "%lld", (long long)id);
}

static void print_ints(struct lkst_out *out, const struct lkst_variable *v)
{
	u32 i;

	if (v->count > 1)
		lkst_out_str(out, "[");
	for (i = 0; i < v->count; i++) {
		long long value = lkst_variable_int(v, i);

		lkst_out_str(out, i ? ", " : "");
		lkst_out_printf(out, v->is_signed ? "%lld" : "%llu", value);
	}
	if (v->count > 1)
		lkst_out_str(out, "]");
}

static void print_histogram(struct lkst_out *out, const struct lkst_variable *v)
{
	unsigned int i, first = LKST_HISTOGRAM_SLOTS, last = 0;
	u64 slot[LKST_HISTOGRAM_SLOTS], most = 1, total = 0;

	memcpy(slot, v->bytes, sizeof(slot));
	for (i = 0; i < LKST_HISTOGRAM_SLOTS; i++) {
		if (!slot[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = slot[i] > most ? slot[i] : most;
		total += slot[i];
	}
	lkst_out_printf(out, "%llu values\n", (unsigned long long)total);
	for (i = first; i <= last && first < LKST_HISTOGRAM_SLOTS; i++) {
		unsigned long long from = i ? 1ULL << i : 0, to = (2ULL << i) - 1;

		lkst_out_printf(out, "  %20llu - %-20llu %10llu |%.*s\n", from, to,
				(unsigned long long)slot[i],
				(int)((double)slot[i] / most * BAR_WIDTH),
				"########################################");
	}
}

static void print_value(const struct printer *p, const struct lkst_variable *v)
{
	char text[BYTES_TEXT];

	switch (v->kind) {
	case LKST_VARIABLE_INT:
	case LKST_VARIABLE_BOOL:
	case LKST_VARIABLE_CGROUP:
		print_ints(p->out, v);
		break;
	case LKST_VARIABLE_TEXT:
		print_string(p->out, v->bytes, text_length(v));
		break;
	case LKST_VARIABLE_EVENT:
		print_event(p, lkst_variable_int(v, 0));
		break;
	case LKST_VARIABLE_HISTOGRAM:
		print_histogram(p->out, v);
		return;
	case LKST_VARIABLE_BYTES:
		print_string(p->out, bytes_text(v, text), strlen(bytes_text(v, text)));
		break;
	}
	lkst_out_str(p->out, "\n");
}

static void print_one(const struct printer *p, const struct lkst_variable *v)
{
	print_name(p->out, v->name);
	if (v->has_key) {
		lkst_out_str(p->out, "[");
		if (v->is_key_event)
			print_event(p, v->key);
		else
			lkst_out_printf(p->out, "%lld", (long long)v->key);
		lkst_out_str(p->out, "]");
	}
	lkst_out_str(p->out, " = ");
	print_value(p, v);
}

/* Prints what was kept of a map's elements. */
static void print_elements(struct printer *p)
{
	unsigned int i;

	for (i = 0; i < p->nr_shown; i++) {
		p->shown[i].v.name = p->map;
		p->shown[i].v.bytes = p->shown[i].bytes;
		print_one(p, &p->shown[i].v);
	}
	if (p->nr > p->nr_shown)
		lkst_out_message(p->out, "%s has %u more; --json shows them", p->map, p->nr - p->nr_shown);
	p->nr = p->nr_shown = 0;
}

/* How many values a histogram has, or a counter. */
static u64 handler_show_weigh(const struct lkst_variable *v)
{
	u64 slot[LKST_HISTOGRAM_SLOTS], total = 0;
	unsigned int i;

	if (v->kind != LKST_VARIABLE_HISTOGRAM)
		return (u64)lkst_variable_int(v, 0);
	memcpy(slot, v->bytes, sizeof(slot));
	for (i = 0; i < LKST_HISTOGRAM_SLOTS; i++)
		total += slot[i];
	return total;
}

/* Keeps the element if it is among the largest. */
static void keep_element(struct printer *p, const struct lkst_variable *v)
{
	const size_t size = (size_t)v->size * v->count;
	const u64 weight = handler_show_weigh(v);
	unsigned int at = p->nr_shown;

	p->nr++;
	while (at && p->shown[at - 1].weight < weight)
		at--;
	if (at == ELEMENTS_SHOWN || size > sizeof(p->shown->bytes))
		return;
	p->nr_shown += p->nr_shown < ELEMENTS_SHOWN;
	memmove(&p->shown[at + 1], &p->shown[at], (p->nr_shown - at - 1) * sizeof(p->shown[0]));
	p->shown[at].v = *v;
	p->shown[at].weight = weight;
	memcpy(p->shown[at].bytes, v->bytes, size);
}

static int print_plain(void *ctx, const struct lkst_variable *v)
{
	struct printer *p = ctx;

	if (!v->has_key) {
		print_one(p, v);
		return 0;
	}
	if (strcmp(p->map, v->name)) {
		print_elements(p);
		snprintf(p->map, sizeof(p->map), "%s", v->name);
	}
	keep_element(p, v);
	return 0;
}

static int print_declared(void *ctx, const struct lkst_own_event *event)
{
	struct printer *p = ctx;

	lkst_out_message(p->out, "event %s.%s: %s", p->h->name, event->name, event->help);
	return 0;
}

static int handler_show_print_text(struct lkst_err *e, struct printer *p)
{
	int err;

	lkst_out_message(p->out, "handler %u, %s: %s", p->h->number, p->h->name, p->h->help);
	err = lkst_variables_each(e, p->s, p->h->number, print_plain, p);
	print_elements(p);
	return err ? err : lkst_declared_each(e, p->s, p->h->number, print_declared, p);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void handler_show_put_event(const struct printer *p, const char *name, s64 id)
{
	const struct lkst_event_class *event = handler_show_event_of(p, id);

	if (event)
		lkst_json_str(p->json, name, event->name);
	else
		lkst_json_s64(p->json, name, id);
}

static void put_int(struct lkst_json *j, const char *name, const struct lkst_variable *v, u32 i)
{
	if (v->is_signed)
		lkst_json_s64(j, name, lkst_variable_int(v, i));
	else
		lkst_json_u64(j, name, (u64)lkst_variable_int(v, i));
}

/* One as a number, several as an array. */
static void put_ints(struct lkst_json *j, const struct lkst_variable *v)
{
	u32 i;

	if (v->count == 1) {
		put_int(j, "value", v, 0);
		return;
	}
	lkst_json_array(j, "value");
	for (i = 0; i < v->count; i++)
		put_int(j, NULL, v, i);
	lkst_json_end(j);
}

static void put_slots(struct lkst_json *j, const u64 *slot)
{
	unsigned int i;

	lkst_json_array(j, "value");
	for (i = 0; i < LKST_HISTOGRAM_SLOTS; i++) {
		if (!slot[i])
			continue;
		lkst_json_object(j, NULL);
		lkst_json_u64(j, "from", i ? 1ULL << i : 0ULL);
		lkst_json_u64(j, "count", slot[i]);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void handler_show_put_value(const struct printer *p, const struct lkst_variable *v)
{
	char text[BYTES_TEXT];

	switch (v->kind) {
	case LKST_VARIABLE_INT:
	case LKST_VARIABLE_BOOL:
	case LKST_VARIABLE_CGROUP:
		put_ints(p->json, v);
		break;
	case LKST_VARIABLE_TEXT:
		lkst_json_text(p->json, "value", v->bytes, text_length(v));
		break;
	case LKST_VARIABLE_EVENT:
		handler_show_put_event(p, "value", lkst_variable_int(v, 0));
		break;
	case LKST_VARIABLE_HISTOGRAM:
		put_slots(p->json, v->bytes);
		break;
	case LKST_VARIABLE_BYTES:
		lkst_json_str(p->json, "value", bytes_text(v, text));
		break;
	}
}

static int handler_show_put_variable(void *ctx, const struct lkst_variable *v)
{
	struct printer *p = ctx;

	lkst_json_object(p->json, NULL);
	lkst_json_str(p->json, "name", v->name);
	if (v->has_key && v->is_key_event)
		handler_show_put_event(p, "key", v->key);
	else if (v->has_key)
		lkst_json_s64(p->json, "key", v->key);
	handler_show_put_value(p, v);
	lkst_json_end(p->json);
	return 0;
}

static int put_declared(void *ctx, const struct lkst_own_event *event)
{
	struct printer *p = ctx;

	lkst_json_object(p->json, NULL);
	handler_show_put_event(p, "name", event->id);
	lkst_json_str(p->json, "help", event->help);
	lkst_json_end(p->json);
	return 0;
}

static int print_json(struct lkst_err *e, struct printer *p)
{
	int err;

	lkst_json_object(p->json, NULL);
	lkst_json_u64(p->json, "id", p->h->number);
	lkst_json_str(p->json, "name", p->h->name);
	lkst_json_array(p->json, "variables");
	err = lkst_variables_each(e, p->s, p->h->number, handler_show_put_variable, p);
	lkst_json_end(p->json);
	lkst_json_array(p->json, "events");
	if (!err)
		err = lkst_declared_each(e, p->s, p->h->number, put_declared, p);
	lkst_json_end(p->json);
	lkst_json_end(p->json);
	return err;
}

int lkst_handler_print(struct lkst_err *e, const struct lkst_session *s,
		       const struct lkst_handler *h, const struct lkst_answer_form *form)
{
	struct printer p = { .s = s, .catalog = lkst_session_catalog(s), .h = h };
	struct lkst_answer a;
	int err = lkst_answer_begin_tree(e, form, &a);

	p.out = a.out;
	p.json = &a.json;
	if (!err)
		err = a.format == LKST_TABLE_JSON ? print_json(e, &p) : handler_show_print_text(e, &p);
	return lkst_answer_end(&a, err);
}

/* ---- setting ---------------------------------------------------------------------------------- */

struct assignment {
	struct lkst_err *e;
	const struct lkst_catalog *catalog;
	const char *name, *value;
};

/* 1: it was this one, and is set. */
static int assign_to(void *ctx, const struct lkst_variable *v)
{
	const struct assignment *a = ctx;
	const struct lkst_event_class *event;
	int err;

	if (v->has_key || strcmp(v->name, a->name))
		return 0;
	event = v->kind == LKST_VARIABLE_EVENT ? lkst_catalog_find(a->catalog, a->value) : NULL;
	if (v->kind == LKST_VARIABLE_EVENT && !event && strcmp(a->value, "0"))
		return lkst_err_set(
			a->e, -ENOENT,
			"%s takes an event of this recording, or 0; there is none called "
			"\"%s\"",
			v->name, a->value);
	err = lkst_variable_store(a->e, v, a->value, event ? event->id : -1);
	return err ? err : 1;
}

int lkst_handler_assign(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_handler *h, const char *assignment)
{
	const char *equals = strchr(assignment, '=');
	char name[128];
	struct assignment a = { e, lkst_session_catalog(s), name, equals ? equals + 1 : NULL };
	int err;

	if (!equals || equals == assignment || equals - assignment >= (int)sizeof(name))
		return lkst_err_set(e, -EINVAL, "\"%s\" is not VARIABLE=VALUE", assignment);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - assignment), assignment);
	err = lkst_variables_each(e, s, h->number, assign_to, &a);
	if (err < 0)
		return err;
	return err ? 0
		   : lkst_err_set(
			     e, -ENOENT,
			     "handler %s has no variable %s; `lkst handler show %s` shows them",
			     h->name, name, h->name);
}
