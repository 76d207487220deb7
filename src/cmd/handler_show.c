/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst handler: a handler's variables, shown and set. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "cmd/handler.h"
#include "live/recording/declare.h"
#include "live/recording/variables.h"

enum { BAR_WIDTH = 40, ELEMENTS_SHOWN = 16 };

struct printer {
	const struct lkst_catalog *catalog;
	bool json, is_first;
	/* The map that is being printed: its largest elements, in order, and how many it has. */
	char map[LKST_HANDLER_PIN_MAX];
	unsigned int nr, nr_shown;
	struct element {
		struct lkst_variable v;
		u64 weight;
		char bytes[sizeof(struct lkst_histogram)];
	} shown[ELEMENTS_SHOWN];
};

/* What a handler says of itself may hold anything. */
/* ---- values ----------------------------------------------------------------------------------- */

static void print_text(const struct lkst_variable *v)
{
	const unsigned char *text = v->bytes;
	u32 i;

	putchar('"');
	for (i = 0; i < v->count && text[i]; i++)
		if (text[i] < ' ' || text[i] == '"' || text[i] == '\\' || text[i] > '~')
			printf("\\u%04x", text[i]);
		else
			putchar(text[i]);
	putchar('"');
}

static void print_event(const struct printer *p, s64 id)
{
	const struct lkst_event_class *event =
		id > 0 && id <= LKST_ID_MAX ? p->catalog->classes[id] : NULL;
	const char *quote = p->json ? "\"" : "";

	if (event)
		printf("%s%s%s", quote, event->name, quote);
	else
		printf("%lld", (long long)id);
}

static void print_ints(const struct lkst_variable *v)
{
	u32 i;

	if (v->count > 1)
		putchar('[');
	for (i = 0; i < v->count; i++) {
		long long value = lkst_variable_int(v, i);

		printf(v->is_signed ? "%s%lld" : "%s%llu", i ? ", " : "", value);
	}
	if (v->count > 1)
		putchar(']');
}

static void print_slots_json(const u64 *slot)
{
	unsigned int i;
	bool is_first = true;

	putchar('[');
	for (i = 0; i < LKST_HISTOGRAM_SLOTS; i++) {
		if (!slot[i])
			continue;
		printf("%s{\"from\":%llu,\"count\":%llu}", is_first ? "" : ",",
		       i ? 1ULL << i : 0ULL, (unsigned long long)slot[i]);
		is_first = false;
	}
	putchar(']');
}

static void print_histogram(const struct lkst_variable *v)
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
	printf("%llu values\n", (unsigned long long)total);
	for (i = first; i <= last && first < LKST_HISTOGRAM_SLOTS; i++) {
		unsigned long long from = i ? 1ULL << i : 0, to = (2ULL << i) - 1;

		printf("  %20llu - %-20llu %10llu |%.*s\n", from, to, (unsigned long long)slot[i],
		       (int)((double)slot[i] / most * BAR_WIDTH),
		       "########################################");
	}
}

static void print_bytes(const struct lkst_variable *v)
{
	printf("\"(%u bytes)\"", v->size);
}

static void print_value(const struct printer *p, const struct lkst_variable *v)
{
	switch (v->kind) {
	case LKST_VARIABLE_INT:
	case LKST_VARIABLE_BOOL:
	case LKST_VARIABLE_CGROUP:
		print_ints(v);
		break;
	case LKST_VARIABLE_TEXT:
		print_text(v);
		break;
	case LKST_VARIABLE_EVENT:
		print_event(p, lkst_variable_int(v, 0));
		break;
	case LKST_VARIABLE_HISTOGRAM:
		if (p->json)
			print_slots_json(v->bytes);
		else
			print_histogram(v);
		return;
	case LKST_VARIABLE_BYTES:
		print_bytes(v);
		break;
	}
}

static void print_key(const struct printer *p, const struct lkst_variable *v)
{
	if (v->is_key_event)
		print_event(p, v->key);
	else
		printf("%lld", (long long)v->key);
}

/* ---- the handler ------------------------------------------------------------------------------ */

static int print_json(void *ctx, const struct lkst_variable *v)
{
	struct printer *p = ctx;

	printf("%s{\"name\":\"%s\",", p->is_first ? "" : ",", v->name);
	if (v->has_key) {
		printf("\"key\":");
		print_key(p, v);
		putchar(',');
	}
	printf("\"value\":");
	print_value(p, v);
	putchar('}');
	p->is_first = false;
	return 0;
}

static void print_one(const struct printer *p, const struct lkst_variable *v)
{
	printf("%s", v->name);
	if (v->has_key) {
		putchar('[');
		print_key(p, v);
		putchar(']');
	}
	printf(" = ");
	print_value(p, v);
	if (v->kind != LKST_VARIABLE_HISTOGRAM)
		putchar('\n');
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
		printf("%s has %u more; --json shows them\n", p->map, p->nr - p->nr_shown);
	p->nr = p->nr_shown = 0;
}

/* How many values a histogram has, or a counter. */
static u64 weigh(const struct lkst_variable *v)
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
	const u64 weight = weigh(v);
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

static int print_declared_json(void *ctx, const struct lkst_own_event *event)
{
	struct printer *p = ctx;

	printf("%s{\"name\":", p->is_first ? "" : ",");
	print_event(p, event->id);
	printf(",\"help\":");
	lkst_print_json(stdout, event->help);
	putchar('}');
	p->is_first = false;
	return 0;
}

static int print_declared(void *ctx, const struct lkst_own_event *event)
{
	const struct lkst_handler *h = ctx;

	lkst_print_message(stdout, "event %s.%s: %s", h->name, event->name, event->help);
	return 0;
}

int lkst_handler_print(struct lkst_err *e, const struct lkst_session *s,
		       const struct lkst_handler *h, bool json)
{
	struct printer p = { .catalog = lkst_session_catalog(s), .json = json, .is_first = true };
	int err;

	if (!json) {
		lkst_print_message(stdout, "handler %u, %s: %s", h->number, h->name, h->help);
		err = lkst_variables_each(e, h->number, print_plain, &p);
		print_elements(&p);
		return err ? err : lkst_declared_each(e, h->number, print_declared, (void *)h);
	}
	printf("{\"id\":%u,\"name\":\"%s\",\"variables\":[", h->number, h->name);
	err = lkst_variables_each(e, h->number, print_json, &p);
	printf("],\"events\":[");
	p.is_first = true;
	if (!err)
		err = lkst_declared_each(e, h->number, print_declared_json, &p);
	printf("]}\n");
	return err;
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
	err = lkst_variables_each(e, h->number, assign_to, &a);
	if (err < 0)
		return err;
	return err ? 0
		   : lkst_err_set(
			     e, -ENOENT,
			     "handler %s has no variable %s; `lkst handler show %s` shows them",
			     h->name, name, h->name);
}
