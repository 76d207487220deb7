/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be read about events and analyses. */
#include "cmd/mcp/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "abi/syscalls.h"
#include "analyze/analyses/analysis.h"
#include "base/cleanup.h"
#include "trace/format/half.h"

#define EVENT "lkst://event/"
#define ANALYSIS_OF "lkst://analysis/"
#define ANALYSES "lkst://analyses"

enum {
	PAGE = 50,
	COMPLETIONS_MAX = 100, /* the protocol's */
};

/* ---- what there is, in the order of the list --------------------------------------------------- */

struct resource {
	const char *prefix, *name, *help;
};

static unsigned int nr_analyses(void)
{
	unsigned int nr = 0;

	while (lkst_analyses[nr])
		nr++;
	return nr;
}

/* Number @i; false: there are not so many. */
static bool resource_at(unsigned int i, struct resource *ret)
{
	if (!i) {
		*ret = (struct resource){ ANALYSES, "", "the analyses, and what each measures" };
		return true;
	}
	i--;
	if (i < LKST_NR_EVENTS) {
		*ret = (struct resource){ EVENT, lkst_events[i].name, lkst_events[i].help };
		return true;
	}
	i -= LKST_NR_EVENTS;
	if (i >= nr_analyses())
		return false;
	*ret = (struct resource){ ANALYSIS_OF, lkst_analyses[i]->name, lkst_analyses[i]->help };
	return true;
}

/* ---- what they say ----------------------------------------------------------------------------- */

static const char *resources_type_of(const struct lkst_field_desc *f, char text[8])
{
	if (f->type == LKST_TYPE_CHARS || f->type == LKST_TYPE_STRING)
		return "text";
	if (f->type == LKST_TYPE_WORDS)
		return "u64[]";
	snprintf(text, 8, "%c%d", f->type == LKST_TYPE_SINT ? 's' : 'u', f->size * 8);
	return text;
}

static void resources_print_event(FILE *to, const struct lkst_event_desc *d)
{
	char type[8];
	unsigned int i;

	fprintf(to, "%s: %s\ngroup: %s\n", d->name, d->help, lkst_group_names[d->group]);
	if (d->mnemonic)
		fprintf(to, "the original LKST's name: %s\n", d->mnemonic);
	for (i = 0; i < d->nr_hooks; i++)
		if (d->hooks[i].kind == LKST_HOOK_NONE)
			fprintf(to, "hook: none: %s\n", d->hooks[i].proto);
		else if (d->hooks[i].kind != LKST_HOOK_USER)
			fprintf(to, "hook: %s(%s)\n", d->hooks[i].target, d->hooks[i].proto);
	if (d->entry)
		fprintf(to, "its other half, the entry: %s\n", lkst_events[d->entry - 1].name);
	if (d->begin)
		fprintf(to, "it ends what this begins: %s\n", lkst_events[d->begin - 1].name);
	fprintf(to, "fields, beside time, CPU and thread of every record:\n");
	for (i = 0; i < d->nr_fields; i++)
		fprintf(to, "  %s %s: %s\n", resources_type_of(&d->fields[i], type), d->fields[i].name,
			d->fields[i].help);
	if (!d->nr_fields)
		fprintf(to, "  none\n");
}

static void print_call(FILE *to, const struct lkst_syscall *s)
{
	const char *prefix = s->is_compat ? "compat_" : "";

	fprintf(to,
		"%ssyscall_entry_%s, %ssyscall_exit_%s: a system call begins, and ends\n"
		"group: syscall\nfields of the entry: (%s)\nfields of the exit: s64 ret\n",
		prefix, s->name, prefix, s->name, lkst_syscall_signature_here(s));
}

static void print_analysis(FILE *to, const struct lkst_analysis *a)
{
	fprintf(to, "%s: %s\n  %s\n  measures: %s\n  needs the events: %s\n", a->name, a->title,
		a->help, a->measures ?: "two events that are named in its place",
		a->events ?: "none");
}

static const struct lkst_syscall *resources_find_call(const char *name)
{
	struct lkst_call_name half;

	if (!lkst_call_name_parse(name, &half))
		return NULL;
	return lkst_syscall_find(half.is_compat, half.call);
}

/* Prints the resource @uri; false: there is none. */
static bool resources_print(FILE *to, const char *uri)
{
	const struct lkst_syscall *call;
	const struct lkst_analysis *a;
	const char *name;
	unsigned int i;

	if (!strcmp(uri, ANALYSES)) {
		for (i = 0; lkst_analyses[i]; i++)
			print_analysis(to, lkst_analyses[i]);
		return true;
	}
	if (!strncmp(uri, ANALYSIS_OF, strlen(ANALYSIS_OF))) {
		a = lkst_analysis_find(uri + strlen(ANALYSIS_OF));
		if (a)
			print_analysis(to, a);
		return a;
	}
	if (strncmp(uri, EVENT, strlen(EVENT)))
		return false;
	name = uri + strlen(EVENT);
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!strcmp(lkst_events[i].name, name)) {
			resources_print_event(to, &lkst_events[i]);
			return true;
		}
	call = resources_find_call(name);
	if (call)
		print_call(to, call);
	return call;
}

/* ---- requests ---------------------------------------------------------------------------------- */

static json_t *resources_describe(const struct resource *r)
{
	char uri[256];

	snprintf(uri, sizeof(uri), "%s%s", r->prefix, r->name);
	return json_pack("{s:s, s:s, s:s, s:s}", "uri", uri, "name",
			 r->name[0] ? r->name : "analyses", "description", r->help ?: "",
			 "mimeType", "text/plain");
}

bool lkst_mcp_resources_list(const char *cursor, json_t **ret_result)
{
	unsigned int first = 0, i;
	struct resource r;
	char next[16], end;
	json_t *list;

	if (cursor && (sscanf(cursor, "%8u%c", &first, &end) != 1 || !resource_at(first, &r)))
		return false;
	list = json_array();
	for (i = first; i < first + PAGE && resource_at(i, &r); i++)
		json_array_append_new(list, resources_describe(&r));
	*ret_result = json_pack("{s:o}", "resources", list);
	snprintf(next, sizeof(next), "%u", i);
	if (resource_at(i, &r))
		json_object_set_new(*ret_result, "nextCursor", json_string(next));
	return true;
}

bool lkst_mcp_resources_read(const char *uri, json_t **ret_result)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);
	bool is_there = true;

	*ret_result = NULL;
	if (!to)
		return true;
	is_there = resources_print(to, uri);
	fclose(to);
	if (is_there)
		*ret_result = json_pack("{s:[{s:s, s:s, s:s%}]}", "contents", "uri", uri,
					"mimeType", "text/plain", "text", text, length);
	return is_there;
}

json_t *lkst_mcp_resources_templates(void)
{
	return json_pack(
		"{s:[{s:s, s:s, s:s, s:s}, {s:s, s:s, s:s, s:s}]}", "resourceTemplates",
		"uriTemplate", EVENT "{name}", "name", "event", "description",
		"what an event is, and what its fields mean: sched_switch, or of a system call, "
		"syscall_entry_openat",
		"mimeType", "text/plain", "uriTemplate", ANALYSIS_OF "{name}", "name", "analysis",
		"description", "what an analysis measures, and of which events", "mimeType",
		"text/plain");
}

json_t *lkst_mcp_resources_complete(const char *uri, const char *value)
{
	const char *prefix = !strcmp(uri, EVENT "{name}")	  ? EVENT
			     : !strcmp(uri, ANALYSIS_OF "{name}") ? ANALYSIS_OF
								  : NULL;
	json_t *values = json_array();
	unsigned int i, nr = 0;
	struct resource r;

	for (i = 0; prefix && resource_at(i, &r); i++)
		if (!strcmp(r.prefix, prefix) && !strncmp(r.name, value, strlen(value)) &&
		    nr++ < COMPLETIONS_MAX)
			json_array_append_new(values, json_string(r.name));
	return json_pack("{s:{s:o, s:i, s:b}}", "completion", "values", values, "total", (int)nr,
			 "hasMore", nr > COMPLETIONS_MAX);
}
