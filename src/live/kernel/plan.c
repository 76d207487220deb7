/* SPDX-License-Identifier: GPL-2.0-only */
/* What to record: events, their hooks, ids and buffers. */
#include "live/kernel/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "base/glob.h"
#include "base/vec.h"
#include "live/kernel/tracefs.h"
#include "masks/mask.h"
#include "trace/format/declared.h"
#include "trace/format/event_types.h"
#include "trace/format/half.h"

struct planner {
	struct lkst_err *e;
	struct lkst_plan *p;
	struct lkst_kernel *kernel;
	int tracefs; /* -1: not opened yet */
	u16 next_id;
	bool has_met; /* the glob at hand has met a tracepoint that is recorded */
	char *const *globs;
	unsigned int nr_globs;
	bool has_samples, has_off_cpu, has_mappings;
	bool (*is_known)(void *ctx, const char *glob); /* of events to be declared later */
	void *ctx;
	bool *has_matched;     /* by glob */
	char no_kprobes[1024]; /* events that are missing for one and the same reason */
	unsigned int nr_no_kprobes;
};

static bool is_also(const struct lkst_hook_desc *h)
{
	return h->kind == LKST_HOOK_ALSO_KPROBE || h->kind == LKST_HOOK_ALSO_KRETPROBE ||
	       h->kind == LKST_HOOK_ALSO_TP_TOO;
}

int lkst_plan_choose_hook(struct lkst_err *e, const struct lkst_kernel *k,
			  enum lkst_event_index index)
{
	const struct lkst_event_desc *d = &lkst_events[index];
	unsigned int row;
	int err = lkst_err_set(e, -ENOENT, "it has no hook");

	for (row = 0; row < d->nr_hooks; row++) {
		const struct lkst_hook_desc *h = &d->hooks[row];

		if (h->kind == LKST_HOOK_PERF) {
			err = 0;
		} else if (h->kind == LKST_HOOK_TP || h->kind == LKST_HOOK_TP_TOO) {
			err = lkst_kernel_check_tracepoint(e, k, h->target, h->proto);
		} else if (h->kind == LKST_HOOK_KPROBE || h->kind == LKST_HOOK_KRETPROBE) {
			if (!lkst_kernel_lets_hook_functions(k))
				err = lkst_err_set(e, -ENOTSUP,
						   "this kernel was built without kprobes");
			else
				err = lkst_kernel_check_function(
					e, k, h->target,
					h->kind == LKST_HOOK_KPROBE ? h->proto : "");
		} else if (is_also(h)) {
			continue;
		} else {
			err = lkst_err_set(e, -ENOTSUP, "%s",
					   h->kind == LKST_HOOK_NONE ? h->proto
								     : "written by readers");
		}
		if (!err) {
			if (e)
				e->text[0] = 0;
			return row;
		}
	}
	return err;
}

static bool is_selected(struct planner *pl, const char *group, const char *name, const char *alias)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < pl->nr_globs; i++)
		if (lkst_glob_matches(pl->globs[i], group, name, alias))
			any = pl->has_matched[i] = true;
	return any;
}

/* True if the event has no hook, but is written anyway: every trace can hold it. */
static bool is_without_hook(enum lkst_event_index i)
{
	const struct lkst_event_desc *d = &lkst_events[i];

	return d->nr_hooks && d->hooks[0].kind == LKST_HOOK_USER;
}

static bool is_event_selected(struct planner *pl, enum lkst_event_index i)
{
	const struct lkst_represented *other = lkst_represented_by(i);
	const struct lkst_event_desc *d = &lkst_events[i];
	bool is_named;

	if (!pl->nr_globs)
		return lkst_mask_has_by_default(d);
	is_named = is_selected(pl, lkst_group_names[d->group], d->name, d->mnemonic);
	if (i == LKST_EV_perf_counters && pl->p->counters[0])
		return true;
	if (other)
		is_named |= is_selected(pl, lkst_group_names[d->group], d->name, other->mnemonic);
	return is_named || lkst_mask_has_always(i);
}

static void plan_want(struct planner *pl, u16 id)
{
	pl->p->is_wanted[id] = true;
	pl->has_met = true;
}

static int take_id(struct planner *pl, u16 *ret_id)
{
	if (pl->next_id >= LKST_ID_MARKS)
		return lkst_err_set(pl->e, -E2BIG, "more than %u events were asked for",
				    LKST_ID_MARKS - 1);
	*ret_id = pl->next_id++;
	return 0;
}

static void note_missing(struct planner *pl, enum lkst_event_index i, int err, const char *why)
{
	const struct lkst_event_desc *d = &lkst_events[i];

	if (err == -ENOTSUP && d->nr_hooks && d->hooks[d->nr_hooks - 1].kind != LKST_HOOK_NONE) {
		size_t used = strlen(pl->no_kprobes);

		snprintf(pl->no_kprobes + used, sizeof(pl->no_kprobes) - used, "%s%s",
			 used ? ", " : "", d->name);
		pl->nr_no_kprobes++;
	} else if (pl->nr_globs || err == -EPROTOTYPE) {
		lkst_notes_add(&pl->p->notes, "%s is not recorded: %s.", d->name, why);
	}
}

/* Whether this kernel has the further function or tracepoint @h. */
static bool has_also(const struct lkst_kernel *k, const struct lkst_hook_desc *h)
{
	if (h->kind == LKST_HOOK_ALSO_TP_TOO)
		return !lkst_kernel_check_tracepoint(NULL, k, h->target, h->proto);
	return is_also(h) && !lkst_kernel_check_function(NULL, k, h->target,
							 h->kind == LKST_HOOK_ALSO_KPROBE ? h->proto : "");
}

u32 lkst_plan_choose_also(const struct lkst_kernel *k, enum lkst_event_index index)
{
	const struct lkst_event_desc *d = &lkst_events[index];
	u32 also = 0;
	unsigned int row;

	for (row = 0; row < d->nr_hooks; row++)
		if (has_also(k, &d->hooks[row]))
			also |= 1U << row;
	return also;
}

static int plan_event(struct planner *pl, enum lkst_event_index i, bool is_wanted)
{
	struct lkst_err why = {};
	int row = lkst_plan_choose_hook(&why, pl->kernel, i), err;

	/* Nobody who asks for all events, or all of a group, means to have something counted. */
	if (i == LKST_EV_perf_counters && !pl->p->counters[0])
		return 0;
	if (row < 0) {
		if (is_wanted)
			note_missing(pl, i, row, why.text);
		return 0;
	}
	err = take_id(pl, &pl->p->id[i]);
	if (err)
		return err;
	pl->p->hook[i] = row;
	pl->p->also[i] = lkst_plan_choose_also(pl->kernel, i);
	if (is_wanted)
		plan_want(pl, pl->p->id[i]);
	return lkst_catalog_add_builtin(pl->e, pl->p->catalog, pl->p->id[i], i);
}

static int plan_without_hook(struct planner *pl, enum lkst_event_index i)
{
	int err = take_id(pl, &pl->p->id[i]);

	return err ?: lkst_catalog_add_builtin(pl->e, pl->p->catalog, pl->p->id[i], i);
}

/* Whether the option was given without which the event is not recorded. */
static bool is_asked_for(const struct planner *pl, enum lkst_event_index i)
{
	if (i == LKST_EV_mapping)
		return pl->has_mappings;
	return i == LKST_EV_sample ? pl->has_samples : pl->has_off_cpu;
}

static const char *option_of(enum lkst_event_index i)
{
	if (i == LKST_EV_mapping)
		return "mappings";
	return i == LKST_EV_sample ? "sample" : "off-cpu";
}

/* Whether a glob is the event's own name, and not one that means others, too. */
static bool is_named_alone(const struct planner *pl, enum lkst_event_index i)
{
	unsigned int g;

	for (g = 0; g < pl->nr_globs; g++)
		if (!strcmp(pl->globs[g], lkst_events[i].name))
			return true;
	return false;
}

/* An event that is recorded by an option: by that alone, whatever masksets or globs say. */
static int plan_by_option(struct planner *pl, enum lkst_event_index i)
{
	if (is_asked_for(pl, i))
		return plan_event(pl, i, true);
	if (pl->nr_globs && is_event_selected(pl, i) && is_named_alone(pl, i))
		lkst_notes_add(&pl->p->notes, "%s is not recorded: it takes an option of its own, --%s.",
			       lkst_events[i].name, option_of(i));
	return 0;
}

static int plan_builtin(struct planner *pl)
{
	enum lkst_event_index i;
	bool is_wanted;
	u32 id;
	int err = 0;

	for (i = 0; i < LKST_NR_EVENTS && !err; i++) {
		pl->p->hook[i] = -1;
		is_wanted = !is_without_hook(i) && is_event_selected(pl, i);
		if (lkst_events[i].recorded == LKST_RECORDED_BY_OPTION)
			err = plan_by_option(pl, i);
		else if (is_without_hook(i))
			err = plan_without_hook(pl, i);
		else if (is_wanted || pl->p->is_whole)
			err = plan_event(pl, i, is_wanted);
	}
	if (err)
		return err;
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (pl->p->catalog->classes[id])
			pl->p->buffer[id] = lkst_mask_usual_buffer(pl->p->catalog->classes[id]);
	if (pl->nr_no_kprobes && pl->nr_globs)
		lkst_notes_add(
			&pl->p->notes,
			"This kernel was built without kprobes, so these are not recorded: %s.",
			pl->no_kprobes);
	else if (pl->nr_no_kprobes)
		lkst_notes_add(
			&pl->p->notes,
			"This kernel was built without kprobes, so %u events of functions are not "
			"recorded; `lkst event list` shows which.",
			pl->nr_no_kprobes);
	return 0;
}

/* What call @s has to do with the address of a socket. */
static enum lkst_address_call address_call(const struct lkst_syscall *s)
{
	static const struct {
		const char *name;
		enum lkst_address_call call;
	} calls[] = {
		{ "connect", LKST_ADDRESS_CONNECT },
		{ "bind", LKST_ADDRESS_BIND },
		{ "accept", LKST_ADDRESS_ACCEPT },
		{ "accept4", LKST_ADDRESS_ACCEPT },
	};
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(s->name, calls[i].name))
			return calls[i].call;
	return LKST_ADDRESS_NONE;
}

/* Fills the program's row for system call @s; its ids are what is wanted of it. */
static void fill_syscall(struct lkst_syscall_plan *row, const struct lkst_syscall *s, u16 entry_id,
			 u16 exit_id)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS];
	const enum lkst_address_call call = address_call(s);
	unsigned int nr = lkst_syscall_args(s, args), i;

	*row = (struct lkst_syscall_plan){ .entry_id = entry_id,
					   .exit_id = exit_id,
					   .nr_args = nr,
					   .size = sizeof(struct lkst_record_head) };
	for (i = 0; i < nr; i++) {
		row->size += args[i].size;
		if (args[i].size == 8)
			row->wide |= 1 << i;
		if (args[i].meaning == LKST_SYS_path)
			row->paths |= (i + 1) << (row->paths ? 4 : 0);
	}
	if (call)
		row->paths = (u8)(LKST_PATHS_ADDRESS | call << 4);
}

static void write_call_name(const struct lkst_syscall *s, enum lkst_half half,
			    char event[LKST_NAME_MAX])
{
	struct lkst_call_name name = { half, s->is_compat, s->name };

	lkst_call_name_format(event, LKST_NAME_MAX, &name);
}

static int plan_syscall(struct planner *pl, unsigned int index)
{
	const struct lkst_syscall *s = &lkst_syscalls[index];
	struct lkst_syscall_plan *table = s->is_compat ? pl->p->sys32 : pl->p->sys64;
	u16 entry_id = LKST_ID_UNWANTED, exit_id = LKST_ID_UNWANTED;
	char entry[LKST_NAME_MAX], exit[LKST_NAME_MAX];
	bool all = !pl->nr_globs, has_entry, has_exit, has_both;
	int nr = lkst_syscall_nr_here(s), err = 0;

	if (nr < 0 || nr >= LKST_SYSCALL_MAX || (s->is_compat && !pl->p->has_compat))
		return 0;
	write_call_name(s, LKST_HALF_ENTRY, entry);
	write_call_name(s, LKST_HALF_EXIT, exit);
	/* "syscall:read" names both halves, for either kind of caller. Each glob is asked, to know which match. */
	has_both = is_selected(pl, "syscall", s->name, NULL);
	has_entry = is_selected(pl, "syscall", entry,
				lkst_events[LKST_EV_syscall_entry_unknown].mnemonic);
	has_exit = is_selected(pl, "syscall", exit,
			       lkst_events[LKST_EV_syscall_exit_unknown].mnemonic);
	has_entry |= all || has_both;
	has_exit |= all || has_both;
	if (has_entry || has_exit || pl->p->is_whole) {
		err = take_id(pl, &entry_id) ?: take_id(pl, &exit_id);
		if (err)
			return err;
		err = lkst_catalog_add_syscall(pl->e, pl->p->catalog, entry_id, exit_id, index);
		if (err)
			return err;
		if (has_entry)
			plan_want(pl, entry_id);
		if (has_exit)
			plan_want(pl, exit_id);
	}
	fill_syscall(&table[nr], s, entry_id, exit_id);
	return 0;
}

static int plan_syscalls(struct planner *pl)
{
	struct lkst_err why = {};
	unsigned int i;
	int err;

	if (lkst_plan_choose_hook(&why, pl->kernel, LKST_EV_syscall_entry_unknown) < 0 ||
	    lkst_plan_choose_hook(&why, pl->kernel, LKST_EV_syscall_exit_unknown) < 0) {
		lkst_notes_add(&pl->p->notes, "System calls are not recorded: %s.", why.text);
		return 0;
	}
	for (i = 0; i < lkst_nr_syscalls; i++) {
		err = plan_syscall(pl, i);
		if (err)
			return err;
	}
	return 0;
}

/* A tracepoint that a program of the catalogue hooks is recorded by that program. */
static bool is_in_catalogue(const char *tracepoint)
{
	unsigned int i, row;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (row = 0; row < lkst_events[i].nr_hooks; row++)
			if (lkst_events[i].hooks[row].kind == LKST_HOOK_TP &&
			    !strcmp(lkst_events[i].hooks[row].target, tracepoint))
				return true;
	return false;
}

static int select_hooked_by(struct planner *pl, const char *tracepoint)
{
	unsigned int i, row;
	int err;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (row = 0; row < lkst_events[i].nr_hooks; row++) {
			if (lkst_events[i].hooks[row].kind != LKST_HOOK_TP ||
			    lkst_events[i].recorded == LKST_RECORDED_BY_OPTION ||
			    strcmp(lkst_events[i].hooks[row].target, tracepoint))
				continue;
			if (pl->p->id[i]) {
				plan_want(pl, pl->p->id[i]);
				continue;
			}
			err = plan_event(pl, i, true);
			if (err)
				return err;
		}
	return 0;
}

static int plan_tracepoint(void *ctx, const char *system, const char *name)
{
	struct planner *pl = ctx;
	struct lkst_plan_tracepoint tp = { .perf_id = -1 };
	struct lkst_tracefs_about about;
	struct lkst_event_class event;
	struct lkst_err why = {};
	struct lkst_plan_tracepoint *added;
	int err;

	/* ftrace's own records and the per-call events have no hook of this kind. */
	if (!strcmp(system, "ftrace") || !strcmp(system, "syscalls"))
		return 0;
	if (is_in_catalogue(name))
		return select_hooked_by(pl, name);
	if (pl->p->nr_tracepoints == LKST_TRACEPOINTS) {
		lkst_notes_add(
			&pl->p->notes,
			"%s:%s and what follows is not recorded: at most %u tracepoints by name.",
			system, name, LKST_TRACEPOINTS);
		return 1;
	}
	err = lkst_tracefs_describe(&why, pl->tracefs, system, name, &event, &tp.plan, &about);
	if (err) {
		lkst_notes_add(&pl->p->notes, "%s is not recorded.", why.text);
		return 0;
	}
	tp.perf_id = about.perf_id;
	snprintf(tp.name, sizeof(tp.name), "%s", event.name);
	if (lkst_catalog_find(pl->p->catalog, event.name)) {
		free(event.fields); /* another glob had selected it */
		pl->has_met = true;
		return 0;
	}
	if (about.not_recorded[0])
		lkst_notes_add(
			&pl->p->notes,
			"%s is a probe whose own arguments are not recorded: %s; `lkst event show "
			"%s` has what is.",
			tp.name, about.not_recorded, tp.name);
	err = take_id(pl, &tp.plan.id);
	event.id = tp.plan.id;
	err = err ?: lkst_catalog_add(pl->e, pl->p->catalog, &event);
	free(event.fields);
	if (err)
		return err;
	plan_want(pl, tp.plan.id);
	added = lkst_vec_add(pl->p->tracepoints, pl->p->nr_tracepoints);
	if (!added)
		return lkst_err_sys(pl->e, -ENOMEM, "planning %s", tp.name);
	*added = tp;
	return 0;
}

/* Tracepoints outside the catalogue: a glob with a colon may mean these, too. */
static int plan_tracepoints(struct planner *pl)
{
	struct lkst_err why = {};
	unsigned int i;
	int err;

	for (i = 0; i < pl->nr_globs; i++) {
		if (!strchr(pl->globs[i], ':'))
			continue;
		if (pl->tracefs < 0)
			pl->tracefs = lkst_tracefs_open(&why);
		if (pl->tracefs < 0) {
			if (!pl->has_matched[i])
				return lkst_err_set(pl->e, pl->tracefs, "%s", why.text);
			lkst_notes_add(&pl->p->notes, "Tracepoints by name are not recorded: %s.",
				       why.text);
			return 0;
		}
		pl->has_met = false;
		err = lkst_tracefs_each(pl->e, pl->tracefs, pl->globs[i], plan_tracepoint, pl);
		if (err < 0)
			return err;
		pl->has_matched[i] |= pl->has_met;
	}
	return 0;
}

static int check_globs(struct planner *pl)
{
	char near[LKST_SUGGEST_TEXT];
	unsigned int i;

	for (i = 0; i < pl->nr_globs; i++)
		if (!pl->has_matched[i] && !(pl->is_known && pl->is_known(pl->ctx, pl->globs[i])))
			return lkst_err_set(pl->e, -ENOENT,
					    "no event matches \"%s\"; `lkst event list` shows the "
					    "catalogue, and a tracepoint is named system:name%s",
					    pl->globs[i], lkst_event_near(NULL, pl->globs[i], near));
	return 0;
}

static int fill_plan(struct planner *pl)
{
	struct lkst_plan *p = pl->p;

	p->catalog = lkst_catalog_new();
	pl->has_matched = calloc(pl->nr_globs + 1, sizeof(bool));
	if (!p->catalog || !pl->has_matched)
		return lkst_err_sys(pl->e, -ENOMEM, "planning the recording");
	pl->next_id = LKST_ID_NONE + 1;
	/* The entry of a call by its 32-bit name exists only where those callers are served. */
	p->has_compat = lkst_kernel_has_function(pl->kernel, "__ia32_sys_read") ||
			lkst_kernel_has_function(pl->kernel, "__ia32_compat_sys_ioctl") ||
			lkst_kernel_has_function(pl->kernel, "__arm64_compat_sys_ioctl");
	return plan_builtin(pl) ?: plan_syscalls(pl) ?: plan_tracepoints(pl) ?: check_globs(pl);
}

int lkst_plan_make_for(struct lkst_err *e, const struct lkst_plan_options *o,
		       struct lkst_plan **ret_plan)
{
	struct planner pl = { .e = e,
			      .tracefs = -1,
			      .globs = o->globs,
			      .nr_globs = o->nr_globs,
			      .has_samples = o->has_samples,
			      .has_off_cpu = o->has_off_cpu,
			      .has_mappings = o->has_mappings || o->has_samples || o->has_off_cpu,
			      .is_known = o->is_known,
			      .ctx = o->ctx };
	int err;

	pl.p = calloc(1, sizeof(*pl.p));
	if (!pl.p)
		return lkst_err_sys(e, -ENOMEM, "planning the recording");
	pl.p->is_whole = o->is_whole;
	memcpy(pl.p->counters, o->counters, sizeof(pl.p->counters));
	pl.p->is_chosen = o->nr_globs > 0;
	pl.p->has_stacks = o->has_samples || o->has_off_cpu;
	err = lkst_kernel_open(e, o->btf_file, &pl.kernel) ?: fill_plan(&pl);
	if (pl.tracefs >= 0)
		close(pl.tracefs);
	free(pl.has_matched);
	if (o->btf_file)
		lkst_kernel_close(pl.kernel);
	else
		pl.p->kernel = pl.kernel;
	if (err)
		lkst_plan_free(pl.p);
	else
		*ret_plan = pl.p;
	return err;
}

int lkst_plan_make(struct lkst_err *e, char *const *globs, unsigned int nr_globs,
		   const char *btf_file, struct lkst_plan **ret_plan)
{
	const struct lkst_plan_options o = { .globs = globs,
					     .nr_globs = nr_globs,
					     .btf_file = btf_file };

	return lkst_plan_make_for(e, &o, ret_plan);
}

int lkst_plan_make_whole(struct lkst_err *e, char *const *globs, unsigned int nr_globs,
			 const char *btf_file, struct lkst_plan **ret_plan)
{
	const struct lkst_plan_options o = {
		.globs = globs, .nr_globs = nr_globs, .btf_file = btf_file, .is_whole = true
	};

	return lkst_plan_make_for(e, &o, ret_plan);
}

void lkst_plan_forget_kernel(struct lkst_plan *p)
{
	lkst_kernel_close(p->kernel);
	p->kernel = NULL;
}

void lkst_plan_free(struct lkst_plan *p)
{
	if (!p)
		return;
	lkst_plan_forget_kernel(p);
	lkst_notes_fini(&p->notes);
	free(p->tracepoints);
	lkst_catalog_free(p->catalog);
	free(p);
}
