/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting, listing and removing probes. What one has is pinned: a row that describes it first, the map of its CPUs, its
 * program. A program without a row can't be; a row without a program is what an interrupted command has left, and no
 * probe. Removing goes the other way round.
 */
#include "live/probes/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/hooks/probe_tracefs.h"
#include "live/hooks/probe_places.h"
#include "live/masks/masksets.h"
#include "live/probes/probe_cost.h"
#include "live/probes/probe_functions.h"
#include "live/probes/probe_kernel.h"
#include "live/programs/probe_load.h"
#include "live/probes/probe_place.h"
#include "live/masks/trigger_handler.h"

const char *const lkst_probe_backend_names[LKST_NR_BACKENDS] = {
	[LKST_BACKEND_DETACHED] = "detached",
	[LKST_BACKEND_BREAKPOINT] = "breakpoint",
	[LKST_BACKEND_JUMP] = "jump",
	[LKST_BACKEND_FTRACE] = "ftrace",
	[LKST_BACKEND_RETURN] = "return",
	[LKST_BACKEND_PROGRAM] = "program",
	[LKST_BACKEND_WAITING] = "waiting",
	[LKST_BACKEND_MULTI] = "kprobe.multi",
	[LKST_BACKEND_EACH] = "kprobes",
	[LKST_BACKEND_NOWHERE] = "nowhere",
	[LKST_BACKEND_GONE] = "gone",
	[LKST_BACKEND_WATCH] = "debug register",
};

/* ---- pins ------------------------------------------------------------------------------------- */

/* What the pins of a hook's program and link end with: DEFAULT's are this, and handlers' end so. */
struct dropping {
	char link[LKST_HOOK_NAME_MAX];
	char program[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX];
};

static bool is_of_handler(const char *pin, const char *what)
{
	unsigned int number;
	int length = 0;

	return sscanf(pin, "handler-%3u-%n", &number, &length) == 1 && length &&
	       !strcmp(pin + length, what);
}

static int probes_drop_pin(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	const struct dropping *d = ctx;

	if (!strcmp(pin, d->link) || !strcmp(pin, d->program) || is_of_handler(pin, d->link) ||
	    is_of_handler(pin, d->program))
		return lkst_pins_drop(e, own, pin);
	return 0;
}

/* Drops all that a probe has, its row last; fine if there is nothing. */
static int drop_all(struct lkst_err *e, struct lkst_own_pins *own, const char *event)
{
	static const char *const maps[] = { LKST_PROBE_CPUS_PIN, LKST_PROBE_PLACES_PIN,
					    LKST_PROBE_ROW_PIN };
	char pin[LKST_PROBE_PIN_MAX];
	struct dropping d;
	size_t i;
	int err;

	lkst_hook_name(LKST_HOOK_PROBE, event, d.link);
	snprintf(d.program, sizeof(d.program), LKST_PROGRAM_PIN "%s", d.link);
	err = lkst_pins_each(e, own, probes_drop_pin, &d);
	if (err)
		return err;
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		lkst_probe_pin(event, maps[i], pin);
		err = lkst_pins_drop(NULL, own, pin);
		if (err && err != -ENOENT)
			return lkst_err_sys(e, err, "removing probe %s", event);
	}
	return 0;
}

/* ---- setting ---------------------------------------------------------------------------------- */

static bool probes_is_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* Whether it is set: an interrupted command may have left a row without a program. */
static bool is_set(const struct lkst_session *s, const char *event)
{
	return lkst_hooks_find(lkst_session_hooks((struct lkst_session *)s), LKST_HOOK_PROBE,
			       event) != NULL;
}

static int probes_check(struct lkst_err *e, const struct lkst_session *s, const struct lkst_probe *probe)
{
	char event[LKST_NAME_MAX];

	if (!lkst_session_is_pinned(s))
		return lkst_err_set(e, -ENOTSUP,
				    "probes are set in a recording that `lkst start` started");
	if (!probes_is_name(probe->group) || !probes_is_name(probe->event))
		return lkst_err_set(e, -EINVAL,
				    "\"%s:%s\" can't be a probe's name: letters, digits and _",
				    probe->group, probe->event);
	/* One that is too long for that is refused when its record is laid out. */
	if (snprintf(event, sizeof(event), "%s:%s", probe->group, probe->event) < (int)sizeof(event) &&
	    is_set(s, event))
		return lkst_err_set(
			e, -EEXIST,
			"a probe %s is set already; remove it, or call this one otherwise", event);
	return 0;
}

/* What is known of a probe before the recording is changed. */
struct preparing {
	struct lkst_probe_row *row;
	struct lkst_probe_code *code;
	struct lkst_probe_functions_found found;
};

static void guard_preparing(struct preparing *p)
{
	free(p->row);
	free(p->code);
	free(p->found.addresses);
}

/* Finds the functions of a probe at many. */
static int find_functions(struct lkst_err *e, const struct lkst_probe *probe, struct preparing *p)
{
	struct lkst_probe_row *row = p->row;
	int err = lkst_probe_place_check_kernel(e, probe, row)
			  ?: lkst_probe_functions_find(e, probe, &p->found);

	row->nr_places = p->found.nr;
	row->nr_matched = p->found.nr_matched;
	row->nr_no_error = p->found.nr_no_error;
	row->nr_unknown = p->found.nr_unknown;
	row->is_multi = p->found.is_multi;
	return err ? lkst_probe_refuse(e, err, probe, probe->place.at, "%s", e ? e->text : "") : 0;
}

/* Everything about it that needs no change to the recording. */
static int probes_prepare(struct lkst_err *e, const struct lkst_probe *probe, const char *definition,
			  struct preparing *p)
{
	const struct lkst_probe_target target = { .machine = lkst_machine_own(),
						  .find_symbol = lkst_kernel_find_symbol };
	struct lkst_probe_row *row = p->row;
	bool is_preemptible = false;
	struct lkst_probe_code *code;
	int err = lkst_probe_place_describe(e, probe, row);

	if (!err)
		err = probe->place.is_many ? find_functions(e, probe, p)
					   : lkst_probe_place_check(e, probe, row);
	if (!err && row->path[0])
		err = lkst_probe_check_preemption(e, &is_preemptible);
	if (!err && row->is_multi)
		is_preemptible = lkst_probe_multi_is_preemptible();
	err = err ?: lkst_probe_compile(e, probe, &target, &p->code);
	if (err)
		return err;
	code = p->code;
	snprintf(row->definition, sizeof(row->definition), "%s", definition ?: probe->text ?: "");
	row->plan.is_fixed = code->layout.event.is_fixed;
	row->plan.size = (u16)(row->plan.is_fixed ? code->layout.size : code->layout.room);
	row->plan.is_preemptible = is_preemptible;
	row->nr_insns = code->code.nr;
	memcpy(row->insns, code->code.insns, code->code.nr * sizeof(row->insns[0]));
	return 0;
}

static int probes_load(struct lkst_err *e, struct lkst_own_pins *own, const char *event,
		       const struct lkst_probe_row *row)
{
	const struct lkst_probe_loading loading = { .own = own,
						    .event = event,
						    .row = row,
						    .handler = LKST_HANDLER_DEFAULT };
	char name[LKST_HOOK_NAME_MAX], pin[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX];
	_cleanup_close_ int fd = lkst_probe_load(e, &loading);

	if (fd < 0)
		return fd;
	lkst_hook_name(LKST_HOOK_PROBE, event, name);
	snprintf(pin, sizeof(pin), LKST_PROGRAM_PIN "%s", name);
	return lkst_pins_put(e, own, fd, pin);
}

/* Whether a maskset in use sends it to DEFAULT, and the cost limit does not leave it out. */
static bool probes_is_used(const struct lkst_control *c, u16 id)
{
	u32 set;

	for (set = 0; set < LKST_MASKSETS; set++)
		if (lkst_maskset_is_in_use(c, set) &&
		    c->route[set][id] == lkst_route(LKST_HANDLER_DEFAULT, LKST_BUFFER_MAIN))
			return true;
	return false;
}

/* Puts it into the masksets. A hook that can't be attached is no failure of theirs, but one of the probe. */
static int admit(struct lkst_err *e, struct lkst_session *s, const char *event, u16 id,
		 struct lkst_notes *notes)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_hook *hook;
	int err = lkst_session_list_hooks(e, s) ?: lkst_maskset_admit(e, s, id, notes);

	if (err)
		return err;
	hook = lkst_hooks_find(lkst_session_hooks(s), LKST_HOOK_PROBE, event);
	if (!hook || (probes_is_used(c, id) && !hook->is_attached))
		return lkst_err_set(e, -EIO, "the kernel did not attach the probe's program");
	return lkst_trigger_handler_follow(e, s, id, notes);
}

static int probes_declare(struct lkst_err *e, struct lkst_session *s, const struct lkst_event_class *event,
			  u16 *ret_id)
{
	int err = lkst_session_declare(e, s, event, ret_id);

	if (err == -EEXIST)
		return lkst_err_set(
			e, err,
			"records of a probe %s with other arguments may be in the buffers; call this "
			"one otherwise",
			event->name);
	return err;
}

/* How many functions are left out is known when it was tried to attach it at all. */
static void probes_note_left_out(const struct lkst_own_pins *own, const char *event, const struct preparing *p,
				 struct lkst_notes *notes)
{
	int nr = lkst_probe_places_count(NULL, own, event, p->row);

	if (nr >= 0 && (u32)nr < p->found.nr_matched)
		lkst_notes_add(notes,
			       "%s is at %d of the %u functions that match; the kernel lets nobody "
			       "set a probe in the others.",
			       event, nr, p->found.nr_matched);
}

/* Makes the probe, as far as the recording keeps it. */
static int probes_keep(struct lkst_err *e, struct lkst_own_pins *own, const char *event, const struct preparing *p)
{
	int err = 0;

	if (p->row->nr_places)
		err = lkst_probe_places_write(e, own, event, p->found.addresses, p->row->nr_places);
	return err ?: lkst_probe_row_write(e, own, event, p->row) ?: probes_load(e, own, event, p->row);
}

/* Has the cost limit count it. It is no failure of the probe that this has no room. */
static void limit(struct lkst_session *s, const struct lkst_probe_row *row,
		  struct lkst_notes *notes)
{
	const struct lkst_event_class *event = lkst_session_catalog(s)->classes[row->plan.id];
	struct lkst_err why = {};

	if (lkst_budget_add(&why, lkst_session_budget_fds(s), event, row->watch))
		lkst_notes_add(notes, "%s.", why.text);
}

/* Keeps it, and has the recording know what it costs, before it is attached. */
static int keep_and_limit(struct lkst_err *e, struct lkst_session *s, const char *event,
			  const struct preparing *p, struct lkst_notes *notes)
{
	int err = probes_keep(e, lkst_session_own_pins(s), event, p) ?: lkst_probe_cost_measure(e, s, event, p->row);

	if (!err)
		limit(s, p->row, notes);
	return err;
}

/*
 * What the kernel takes only in kprobe_events, where one of its functions is named; and what waits
 * (doc/decisions/10-no-tracefs-for-probes.md).
 */
static void note_tracefs(const char *event, const struct lkst_probe_row *row,
			 struct lkst_notes *notes)
{
	if (row->max_active && !row->is_by_tracefs)
		lkst_notes_add(notes,
			       "%s: how many calls may be under way at a time is the kernel's own "
			       "number, not %u; returns of others are counted as missed.",
			       event, row->max_active);
	if (row->is_by_tracefs && lkst_probe_tracefs_is_waiting(row->symbol))
		lkst_notes_add(
			notes,
			"%s waits for module %.*s, which is not loaded; whether the module has "
			"that place, nobody knows yet.",
			event, (int)strcspn(row->symbol, ":"), row->symbol);
	if (!row->is_by_tracefs && !row->nr_places && strchr(row->symbol, ':'))
		lkst_notes_add(
			notes,
			"%s ends when its module does: this kernel has no kprobe_events, by which "
			"it would come back.",
			event);
}

int lkst_probe_set(struct lkst_err *e, struct lkst_session *s, const struct lkst_probe *probe,
		   const char *definition, struct lkst_notes *notes)
{
	_cleanup_(guard_preparing) struct preparing p = { .row = calloc(1, sizeof(*p.row)) };
	struct lkst_own_pins *own = lkst_session_own_pins(s);
	const struct lkst_event_class *event;
	int err = probes_check(e, s, probe);

	if (!p.row)
		return lkst_err_sys(e, -ENOMEM, "setting a probe");
	err = err ?: probes_prepare(e, probe, definition, &p);
	if (err)
		return err;
	event = &p.code->layout.event;
	err = drop_all(e, own, event->name) ?: probes_declare(e, s, event, &p.row->plan.id);
	if (err)
		return err;
	err = keep_and_limit(e, s, event->name, &p, notes)
		      ?: admit(e, s, event->name, p.row->plan.id, notes);
	if (!err && p.row->nr_places)
		probes_note_left_out(own, event->name, &p, notes);
	if (!err)
		note_tracefs(event->name, p.row, notes);
	if (!err)
		return 0;
	lkst_maskset_retire(NULL, s, p.row->plan.id);
	drop_all(NULL, own, event->name);
	lkst_session_list_hooks(NULL, s);
	lkst_probe_tracefs_sweep();
	return err;
}

/* ---- listing ---------------------------------------------------------------------------------- */

static u64 count_hits(const struct lkst_own_pins *own, const char *event)
{
	_cleanup_free_ struct lkst_probe_cpu *on = calloc(1, sizeof(*on));
	char pin[LKST_PROBE_PIN_MAX];
	_cleanup_close_ int fd = -1;
	u64 hits = 0;
	u32 cpu;

	lkst_probe_pin(event, LKST_PROBE_CPUS_PIN, pin);
	fd = lkst_pins_get(NULL, own, pin);
	for (cpu = 0; fd >= 0 && on && !bpf_map_lookup_elem(fd, &cpu, on); cpu++)
		hits += on->hits;
	return hits;
}

/* Fills in what all programs of the probe have to say: DEFAULT's and those of handlers. */
static void probes_look(const struct lkst_hooks *hooks, struct lkst_probe_state *state)
{
	bool is_attached = false;
	unsigned int i;
	int nr;

	for (i = 0; i < hooks->nr; i++) {
		const struct lkst_hook *hook = &hooks->items[i];

		if (hook->kind != LKST_HOOK_PROBE || strcmp(hook->target, state->event))
			continue;
		is_attached |= hook->is_attached;
		state->missed += lkst_hook_skipped(hook);
	}
	nr = state->row->nr_places ? lkst_probe_places_count(NULL, hooks->own, state->event, state->row) : 0;
	state->nr_functions = nr > 0 ? (u32)nr : 0;
	state->hits = count_hits(hooks->own, state->event);
	state->backend =
		is_attached ? lkst_kernel_probe_backend(state->row, state->hits) : LKST_BACKEND_DETACHED;
}

int lkst_probes_each(struct lkst_err *e, struct lkst_session *s,
		     int (*each)(void *ctx, const struct lkst_probe_state *state), void *ctx)
{
	const struct lkst_catalog *c = lkst_session_catalog(s);
	int err = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE && !err; id++) {
		const struct lkst_event_class *event = c->classes[id];
		struct lkst_probe_state state = { .id = (u16)id };
		_cleanup_free_ struct lkst_probe_row *row = NULL;

		if (!event || event->group != LKST_GROUP_PROBE || !is_set(s, event->name))
			continue;
		err = lkst_probe_row_read(e, lkst_session_own_pins(s), event->name, &row);
		if (err)
			return err;
		state.event = event->name;
		state.row = row;
		probes_look(lkst_session_hooks(s), &state);
		err = each(ctx, &state);
	}
	return err;
}

/* ---- removing --------------------------------------------------------------------------------- */

bool lkst_probe_is_needed(const struct lkst_session *s, const char *event)
{
	const struct lkst_event_class *class = lkst_catalog_find(lkst_session_catalog(s), event);

	return class && lkst_trigger_handler_needs(s, class->id);
}

int lkst_probe_remove(struct lkst_err *e, struct lkst_session *s, const char *event)
{
	const struct lkst_event_class *class = lkst_catalog_find(lkst_session_catalog(s), event);
	int err;

	if (!class || class->group != LKST_GROUP_PROBE || !is_set(s, event))
		return lkst_err_set(e, -ENOENT, "no probe %s is set", event);
	err = lkst_maskset_retire(e, s, class->id);
	err = err ?: drop_all(e, lkst_session_own_pins(s), event) ?: lkst_session_list_hooks(e, s);
	lkst_probe_tracefs_sweep();
	return err;
}
