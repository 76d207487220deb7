/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes that see errors. */
#include "live/probes/error_probes.h"

#include <errno.h>
#include <string.h>

#include "abi/probe.h"
#include "base/cleanup.h"
#include "live/probes/probes.h"
#include "probe/text/definition.h"

/* The two kinds of results, and what an error is in each. */
static const struct {
	const char *suffix, *type;
} kinds[] = { { "int", "s32" }, { "long", "s64" }, { "args", NULL } };
enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]), ARGS = NR_KINDS - 1 };

static void error_probes_event_of(const char *name, unsigned int kind, char event[LKST_PROBE_NAME * 2])
{
	snprintf(event, LKST_PROBE_NAME * 2, LKST_ERRORS_GROUP ":%s_%s", name, kinds[kind].suffix);
}

/* The definition of one, as kprobe_events has it; more than LKST_PROBE_TEXT characters: it does not fit. */
static int error_probes_put_text(const char *module, const char *globs, const char *name, unsigned int kind,
				 char text[LKST_PROBE_TEXT])
{
	const char *colon = module ? ":" : "";

	if (kind == ARGS)
		return snprintf(text, LKST_PROBE_TEXT,
				"p:" LKST_ERRORS_GROUP "/%s_%s %s%s%s arg1=$arg1 arg2=$arg2 "
				"arg3=$arg3 arg4=$arg4 arg5=$arg5 arg6=$arg6",
				name, kinds[kind].suffix, module ?: "", colon, globs);
	return snprintf(text, LKST_PROBE_TEXT,
			"r:" LKST_ERRORS_GROUP "/%s_%s %s%s%s " LKST_ERRORS_RET
			"=$retval:%s if " LKST_ERRORS_RET " < 0 and " LKST_ERRORS_RET " >= -4095",
			name, kinds[kind].suffix, module ?: "", colon, globs, kinds[kind].type);
}

static int read_one(struct lkst_err *e, const char *module, const char *globs, const char *name,
		    unsigned int kind, char text[LKST_PROBE_TEXT], struct lkst_probe *ret_probe)
{
	struct lkst_definition d = {};
	int err;

	if (error_probes_put_text(module, globs, name, kind, text) >= LKST_PROBE_TEXT)
		return lkst_err_set(e, -E2BIG, "the patterns of functions are too long");
	err = lkst_definition_parse(e, text, &d);
	if (err) {
		lkst_probe_fini(&d.probe);
		return err;
	}
	/* A single function is one of many, too: then its type is looked at. */
	d.probe.place.is_many = true;
	*ret_probe = d.probe;
	return 0;
}

struct counting {
	const char *event;
	struct lkst_error_probes *p;
};

static int error_probes_count(void *ctx, const struct lkst_probe_state *state)
{
	const struct counting *c = ctx;

	if (strcmp(state->event, c->event))
		return 0;
	c->p->nr_functions += state->nr_functions;
	c->p->nr_refused += state->row->nr_matched - state->nr_functions;
	/* Each of the two leaves out the same ones. */
	c->p->nr_no_error = state->row->nr_no_error;
	c->p->nr_unknown = state->row->nr_unknown;
	return 0;
}

static int set_one(struct lkst_err *e, struct lkst_session *s, const char *module,
		   const char *globs, unsigned int kind, struct lkst_notes *notes,
		   struct lkst_error_probes *p)
{
	_cleanup_(lkst_probe_fini) struct lkst_probe probe = {};
	char event[LKST_PROBE_NAME * 2], text[LKST_PROBE_TEXT];
	struct counting counting = { event, p };
	int err = read_one(e, module, globs, p->name, kind, text, &probe)
			  ?: lkst_probe_set(e, s, &probe, text, notes);

	error_probes_event_of(p->name, kind, event);
	if (err || kind == ARGS)
		return err;
	return lkst_probes_each(e, s, error_probes_count, &counting);
}

bool lkst_error_probes_are_set(struct lkst_session *s, const char *name)
{
	char event[LKST_PROBE_NAME * 2];
	unsigned int kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		error_probes_event_of(name, kind, event);
		if (lkst_hooks_find(lkst_session_hooks(s), LKST_HOOK_PROBE, event))
			return true;
	}
	return false;
}

int lkst_error_probes_set(struct lkst_err *e, struct lkst_session *s, const char *module,
			  const char *globs, struct lkst_notes *notes, struct lkst_error_probes *p)
{
	_cleanup_(lkst_notes_fini) struct lkst_notes said = {};
	unsigned int kind, nr_set = 0;
	int err = 0;

	if (lkst_error_probes_are_set(s, p->name))
		return lkst_err_set(e, -EEXIST, "probes " LKST_ERRORS_GROUP ":%s_* are set already",
				    p->name);
	for (kind = 0; kind < NR_KINDS && (kind != ARGS || (p->has_args && nr_set)); kind++) {
		/* Without a function that returns this kind there may be some of the other. */
		err = set_one(e, s, module, globs, kind, &said, p);
		if (err && err != -ENOENT)
			break;
		nr_set += !err;
	}
	if (err == -ENOENT && nr_set)
		err = 0;
	if (err)
		lkst_error_probes_remove(NULL, s, p->name);
	return err;
}

int lkst_error_probes_remove(struct lkst_err *e, struct lkst_session *s, const char *name)
{
	char event[LKST_PROBE_NAME * 2];
	unsigned int kind;
	int err = 0, one;

	for (kind = 0; kind < NR_KINDS; kind++) {
		error_probes_event_of(name, kind, event);
		if (!lkst_hooks_find(lkst_session_hooks(s), LKST_HOOK_PROBE, event))
			continue;
		one = lkst_probe_remove(err ? NULL : e, s, event);
		err = err ?: one;
	}
	return err;
}

const char *lkst_error_probes_text(const struct lkst_error_probes *p,
				   char text[LKST_ERROR_PROBES_TEXT])
{
	char *at = text + sprintf(text, "%u function%s that can return an error", p->nr_functions,
				  p->nr_functions == 1 ? "" : "s");

	if (p->nr_refused)
		at += sprintf(at, "; the kernel refuses probes in %u", p->nr_refused);
	if (p->nr_no_error)
		at += sprintf(at, "; %u that match return none, by their type", p->nr_no_error);
	if (p->nr_unknown)
		sprintf(at, "; %u left out, BTF does not tell what they return", p->nr_unknown);
	return text;
}
