/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of the running recording among the events. */
#include "cmd/control/event_probe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/out.h"
#include "cmd/recorders/verbs.h"
#include "live/hooks/pins.h"
#include "live/probes/probes.h"

/* What is asked for: rows of the table, or one probe by its name. */
struct asking {
	const char *glob, *name;
	struct lkst_table *t;
	const struct lkst_catalog *catalog;
	bool is_found;
};

static void put_row(struct lkst_table *t, const struct lkst_event_class *event,
		    const struct lkst_probe_state *state)
{
	lkst_table_row(t);
	lkst_table_str(t, event->name);
	lkst_table_str(t, lkst_group_names[event->group]);
	lkst_table_str(t, "");
	lkst_table_str(t, "-");
	lkst_table_u64(t, 0);
	lkst_table_u64(t, event->size);
	lkst_table_str(t, "probe");
	lkst_table_str(t, state->row->definition);
}

static const char *event_probe_type_name(const struct lkst_field_class *f)
{
	static const char *const numbers[][9] = {
		{ [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
		{ [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" },
	};

	if (f->type == LKST_CLASS_CHARS)
		return "name";
	if (f->type == LKST_CLASS_STRING)
		return "string";
	return numbers[f->type == LKST_CLASS_SINT || f->type == LKST_CLASS_SINTS][f->size];
}

static void event_probe_print(const struct lkst_event_class *event, const struct lkst_probe_state *state)
{
	const struct lkst_field_class *f;

	printf("%s: a probe of the running recording\n", event->name);
	printf("  group     %s\n", lkst_group_names[event->group]);
	lkst_print_message(stdout, "  set by    %s", state->row->definition);
	printf("  here      %s\n", lkst_probe_backend_names[state->backend]);
	printf("  record    %u bytes%s\n", event->size, event->is_fixed ? "" : " and what varies");
	for (f = event->fields; f < event->fields + event->nr_fields; f++) {
		if (f->meaning == LKST_MEANING_PAD)
			continue;
		printf("    %-8s%s", event_probe_type_name(f), f->name);
		if (f->count && f->type != LKST_CLASS_CHARS)
			printf("[%u]", f->count);
		else if (f->type == LKST_CLASS_WORDS)
			printf("[%s]", event->fields[f->length_field].name);
		putchar('\n');
	}
}

static int event_probe_take(void *ctx, const struct lkst_probe_state *state)
{
	struct asking *a = ctx;
	const struct lkst_event_class *event = lkst_catalog_find(a->catalog, state->event);

	if (!event || (a->name && strcmp(a->name, event->name)))
		return 0;
	if (a->name)
		event_probe_print(event, state);
	else if (!a->glob ||
		 lkst_glob_matches(a->glob, lkst_group_names[event->group], event->name, NULL))
		put_row(a->t, event, state);
	a->is_found = true;
	return 0;
}

/* Whoever asks for the catalogue need not be root, nor record: then there are no probes to show. */
static void event_probe_ask(struct asking *a)
{
	struct lkst_err ignored = {};
	struct lkst_job job = { .e = &ignored, .turn.lock = -1 };

	if (geteuid() || !lkst_pins_exist() || lkst_job_open(&job, LKST_TURN_LOOK))
		return;
	a->catalog = lkst_session_catalog(job.s);
	lkst_probes_each(NULL, job.s, event_probe_take, a);
	lkst_job_close(&job);
	lkst_notes_fini(&job.notes);
}

void lkst_event_list_probes(const char *glob, struct lkst_table *t)
{
	struct asking a = { .glob = glob, .t = t };

	event_probe_ask(&a);
}

bool lkst_event_show_probe(const char *name)
{
	struct asking a = { .name = name };

	event_probe_ask(&a);
	return a.is_found;
}
