/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes that are set. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/glob.h"
#include "cmd/probe/probe.h"
#include "cmd/recorders/verbs.h"
#include "probe/text/format.h"

static const struct lkst_column columns[] = {
	{ "event", NULL, LKST_COLUMN_TEXT, "GROUP:EVENT" },
	{ "place", NULL, LKST_COLUMN_TEXT, "where it is, as far as the source is known" },
	{ "arguments", NULL, LKST_COLUMN_TEXT, "their names" },
	{ "definition", NULL, LKST_COLUMN_TEXT, "its line in the language of kprobe_events" },
	{ "by", NULL, LKST_COLUMN_TEXT, "how the kernel gets to its program" },
	{ "hits", NULL, LKST_COLUMN_COUNT, "how often it was hit while it was attached" },
	{ "missed", NULL, LKST_COLUMN_COUNT, "hits for which the kernel did not run its program" },
	{ "functions", NULL, LKST_COLUMN_COUNT,
	  "at how many functions it is, if it is one probe at many; else 0" },
};

struct probe_list_lister {
	const struct lkst_probe_options *o;
	char **patterns;
	unsigned int nr_patterns;
	struct lkst_table *t;
	bool is_text;
};

bool lkst_probe_matches(const char *pattern, const char *event)
{
	const char *colon = strchr(event, ':');

	return lkst_glob_matches(pattern, "", colon ? colon + 1 : event, event);
}

/* What a definition says; false: it is not one, as of a later version of this program. */
static bool read_definition(const char *definition, struct lkst_definition *ret,
			    char on[LKST_PROBE_TEXT])
{
	const char *comment = lkst_definition_comment(definition);

	if (lkst_definition_parse(NULL, definition, ret))
		return false;
	if (comment)
		snprintf(on, LKST_PROBE_TEXT, "%s", comment);
	else
		lkst_probe_place_format(&ret->probe.place, on);
	return true;
}

void lkst_probe_print(const char *event, const char *definition)
{
	char on[LKST_PROBE_TEXT], text[LKST_PROBE_TEXT];
	struct lkst_definition d;

	if (!read_definition(definition, &d, on)) {
		lkst_print_message(stdout, "%s", event);
		return;
	}
	lkst_probe_list_format(&d.probe, on, text);
	lkst_print_message(stdout, "%s", text);
	lkst_probe_fini(&d.probe);
}

static void put_arguments(struct lkst_table *t, const struct lkst_probe *p)
{
	char text[LKST_PROBE_ARGS_MAX * (LKST_PROBE_NAME + 1)] = "", *at = text;
	u32 i;

	for (i = 0; i < p->nr_args; i++)
		at += sprintf(at, "%s%s", i ? " " : "", p->args[i].name);
	lkst_table_str(t, text);
}

static void probe_list_put_row(struct lkst_table *t, const struct lkst_probe_state *state)
{
	struct lkst_definition d = {};
	char on[LKST_PROBE_TEXT] = "";

	read_definition(state->row->definition, &d, on);
	lkst_table_row(t);
	lkst_table_str(t, state->event);
	lkst_table_str(t, on);
	put_arguments(t, &d.probe);
	lkst_table_str(t, state->row->definition);
	lkst_table_str(t, lkst_probe_backend_names[state->backend]);
	lkst_table_u64(t, state->hits);
	lkst_table_u64(t, state->missed);
	lkst_table_u64(t, state->nr_functions);
	lkst_probe_fini(&d.probe);
}

static int probe_list_one(void *ctx, const struct lkst_probe_state *state)
{
	const struct probe_list_lister *l = ctx;
	bool is_asked = !l->nr_patterns;
	unsigned int i;

	for (i = 0; i < l->nr_patterns && !is_asked; i++)
		is_asked = lkst_probe_matches(l->patterns[i], state->event);
	if (!is_asked)
		return 0;
	if (!l->is_text) {
		probe_list_put_row(l->t, state);
		return 0;
	}
	lkst_probe_print(state->event, state->row->definition);
	if (l->o->verbose) {
		lkst_print_message(stdout, "    %s", state->row->definition);
		printf("    %s, %llu hits, %llu missed", lkst_probe_backend_names[state->backend],
		       (unsigned long long)state->hits, (unsigned long long)state->missed);
		if (state->nr_functions)
			printf(", at %u functions", state->nr_functions);
		printf("\n");
	}
	return 0;
}

int lkst_probe_list(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		    unsigned int nr_args)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	struct probe_list_lister l = { .o = o, .patterns = args, .nr_patterns = nr_args, .t = &t };
	struct lkst_job job = { .e = e, .turn.lock = -1 };
	struct lkst_answer a;
	int err = lkst_job_open(&job, LKST_TURN_LOOK);

	if (err)
		return err;
	l.is_text = lkst_answer_format(&o->form) == LKST_TABLE_TEXT;
	lkst_table_init_of(&t, "probes", "", columns);
	err = lkst_probes_each(e, job.s, probe_list_one, &l);
	if (!err && !l.is_text) {
		err = lkst_answer_begin(e, &o->form, &a);
		if (!err)
			lkst_answer_table(&a, &t);
		err = lkst_answer_end(&a, err);
	}
	lkst_job_close(&job);
	lkst_notes_fini(&job.notes);
	return err;
}
