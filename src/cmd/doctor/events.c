/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst doctor says of events. */
#include "cmd/doctor/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/doctor/facts.h"
#include "cmd/recorders/unit_costs.h"
#include "live/cost/kinds.h"
#include "masks/shipped_masks.h"

/* Which recordings have an event. */
enum set {
	SET_STANDARD, /* those that `lkst start` makes */
	SET_OTHER,    /* those that ask for it */
	SET_OPTION,   /* those that are begun with an option of its own */
	SET_NR,
};
static const char *const set_words[SET_NR] = { "standard", "other", "option" };

/* Events by their numbers in words, for a line. */
struct names {
	char *text;
	size_t length;
	FILE *to;
};

int lkst_doctor_catalog(struct lkst_err *e, struct lkst_catalog **ret_catalog)
{
	struct lkst_catalog *c = lkst_catalog_new();
	unsigned int i;
	int err = c ? 0 : lkst_err_sys(e, -ENOMEM, "listing the events");

	for (i = 0; i < LKST_NR_EVENTS && !err; i++)
		err = lkst_catalog_add_builtin(e, c, (u16)(i + 1), i);
	if (err)
		lkst_catalog_free(c);
	else
		*ret_catalog = c;
	return err;
}

static const struct lkst_event_class *events_class_of(const struct lkst_catalog *c, unsigned int i)
{
	return c->classes[i + 1];
}

/* Whether the kernel has something to do with it: what user space writes is in every trace. */
static bool is_of_kernel(unsigned int i)
{
	return lkst_events[i].nr_hooks && lkst_events[i].hooks[0].kind != LKST_HOOK_USER;
}

static enum set events_set_of(const struct lkst_catalog *c, unsigned int i)
{
	if (lkst_events[i].recorded == LKST_RECORDED_BY_OPTION || i == LKST_EV_perf_counters)
		return SET_OPTION;
	return lkst_standard_readers(events_class_of(c, i)) ? SET_STANDARD : SET_OTHER;
}

/* As far as was looked: without root only the kernel's types were. */
static bool events_is_recorded(const struct lkst_trial *t, unsigned int i)
{
	return t->events[i].row >= 0 && !t->events[i].why[0];
}

static u32 events_cost_of(const struct lkst_trial *t, const struct lkst_catalog *c, unsigned int i)
{
	struct lkst_kind_desc kind;

	lkst_kind_describe(events_class_of(c, i), &t->costs, &kind);
	return kind.unit.hook_ns + kind.unit.handler_ns;
}

/* ---- text ------------------------------------------------------------------------------------- */

static void count_set(const struct lkst_trial *t, const struct lkst_catalog *c, enum set set,
		      unsigned int *ret_nr, unsigned int *ret_recorded)
{
	unsigned int i;

	for (i = 0, *ret_nr = *ret_recorded = 0; i < LKST_NR_EVENTS; i++) {
		if (!is_of_kernel(i) || events_set_of(c, i) != set)
			continue;
		++*ret_nr;
		*ret_recorded += events_is_recorded(t, i);
	}
}

static void events_print_counts(const struct lkst_trial *t, const struct lkst_catalog *c,
				struct lkst_out *out)
{
	static const char *const helps[SET_NR] = {
		[SET_STANDARD] = "those of maskset standard, which `lkst start` records",
		[SET_OTHER] = "recorded by other masksets, or by --event",
		[SET_OPTION] = "recorded with --sample, --off-cpu, --mappings or --counters",
	};
	unsigned int nr, recorded;
	enum set set;

	lkst_out_printf(out, "\nevents%s\n",
			t->is_made ? "" : ", by the kernel's types alone: no program was tried");
	for (set = 0; set < SET_NR; set++) {
		count_set(t, c, set, &nr, &recorded);
		lkst_out_printf(out, "  %-27s%u of %u: %s\n", set_words[set], recorded, nr,
				helps[set]);
	}
	lkst_out_printf(out, "  %-27s%u, each with two events by its name\n", "system calls",
			t->nr_syscalls);
}

/* Appends the name of event @i, marked if it is one of the standard set. */
static void events_add_name(struct names *n, const struct lkst_catalog *c, unsigned int i)
{
	fprintf(n->to, " %s%s", lkst_events[i].name, events_set_of(c, i) == SET_STANDARD ? "*" : "");
}

static bool open_names(struct names *n)
{
	*n = (struct names){};
	n->to = open_memstream(&n->text, &n->length);
	return n->to;
}

/* Prints the names below @at, and frees them. */
static void events_print_names(struct names *n, struct lkst_out *out, unsigned int at)
{
	if (!fclose(n->to))
		lkst_facts_wrap(out, at, n->text);
	free(n->text);
}

/* Why event @i is missing, in words that it has in common with others: of a name that is lacking, "no such". */
static void write_reason(const struct lkst_trial *t, unsigned int i, char reason[LKST_TRIAL_WHY])
{
	static const char *const named[][2] = {
		{ "this kernel has no tracepoint ", "this kernel has no such tracepoint" },
		{ "this kernel has no function ",
		  "this kernel has no such function that can be hooked" },
	};
	const char *why = t->events[i].why;
	unsigned int k;

	for (k = 0; k < sizeof(named) / sizeof(named[0]); k++)
		if (!strncmp(why, named[k][0], strlen(named[k][0])))
			why = named[k][1];
	snprintf(reason, LKST_TRIAL_WHY, "%s", why);
}

static bool is_missing_for(const struct lkst_trial *t, unsigned int i, const char *reason)
{
	char other[LKST_TRIAL_WHY];

	if (!is_of_kernel(i) || events_is_recorded(t, i))
		return false;
	write_reason(t, i, other);
	return !strcmp(other, reason);
}

/* Prints those that are missing for the reason that @first is missing for, unless one before it was. */
static void print_reason(const struct lkst_trial *t, const struct lkst_catalog *c,
			 unsigned int first, struct lkst_out *out)
{
	char reason[LKST_TRIAL_WHY];
	struct names n;
	unsigned int i;

	write_reason(t, first, reason);
	for (i = 0; i < first; i++)
		if (is_missing_for(t, i, reason))
			return;
	if (!open_names(&n))
		return;
	for (i = first; i < LKST_NR_EVENTS; i++)
		if (is_missing_for(t, i, reason))
			events_add_name(&n, c, i);
	lkst_out_str(out, "    ! ");
	lkst_facts_wrap(out, strlen("    ! "), reason);
	lkst_out_str(out, "        ");
	events_print_names(&n, out, strlen("        "));
}

static void print_missing(const struct lkst_trial *t, const struct lkst_catalog *c,
			  struct lkst_out *out)
{
	unsigned int i, nr = 0;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		nr += is_of_kernel(i) && !events_is_recorded(t, i);
	if (nr)
		lkst_out_printf(out, "  not recorded (* of the standard set)\n");
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (is_of_kernel(i) && !events_is_recorded(t, i))
			print_reason(t, c, i, out);
}

static int events_by_number(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Each event that is recorded, by what it costs. */
static void print_event_costs(const struct lkst_trial *t, const struct lkst_catalog *c,
			      struct lkst_out *out)
{
	u32 costs[LKST_NR_EVENTS] = {};
	unsigned int i, k, nr = 0;
	struct names n;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (is_of_kernel(i) && events_is_recorded(t, i))
			costs[nr++] = events_cost_of(t, c, i);
	qsort(costs, nr, sizeof(costs[0]), events_by_number);
	for (k = 0; k < nr; k++) {
		if ((k && costs[k] == costs[k - 1]) || !open_names(&n))
			continue;
		for (i = 0; i < LKST_NR_EVENTS; i++)
			if (is_of_kernel(i) && events_is_recorded(t, i) && events_cost_of(t, c, i) == costs[k])
				events_add_name(&n, c, i);
		lkst_out_printf(out, "  %8u ns  ", costs[k]);
		events_print_names(&n, out, strlen("  12345678 ns  "));
	}
}

/* "53 ns", or "~106 ns" of what was not measured but worked out. */
enum { COST_TEXT = 24 };
static const char *cost_text(const struct lkst_costs *u, unsigned int unit, u32 ns,
			     char text[COST_TEXT])
{
	snprintf(text, COST_TEXT, "%s%u ns", u->measured & 1U << unit ? "" : "~", ns);
	return text;
}

static void print_units(const struct lkst_costs *u, struct lkst_out *out)
{
	static const char *const hooks[] = {
		[LKST_HOOK_TYPE_TRACEPOINT] = "of a tracepoint",
		[LKST_HOOK_TYPE_SYSCALL] = "of a system call",
		[LKST_HOOK_TYPE_BY_NAME] = "of a tracepoint by name",
		[LKST_HOOK_TYPE_KPROBE] = "of a function",
		[LKST_HOOK_TYPE_KRETPROBE] = "of its return",
	};
	const struct {
		const char *name;
		u32 ns;
	} adds[] = { { "a record", u->record_ns },
		     { "one of a system call", u->syscall_ns },
		     { "a string", u->string_ns },
		     { "two stacks", u->stack_ns } };
	char text[COST_TEXT];
	unsigned int i;

	lkst_out_str(
		out,
		"  a hook that records nothing (~ where it was not measured but worked out)\n");
	for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		lkst_out_printf(out, "  %11s  %s\n", cost_text(u, i, u->hook_ns[i], text),
				hooks[i]);
	lkst_out_str(out, "  what recording adds\n");
	for (i = 0; i < sizeof(adds) / sizeof(adds[0]); i++)
		lkst_out_printf(out, "  %11s  %s\n",
				cost_text(u, LKST_COST_UNIT_RECORD + i, adds[i].ns, text),
				adds[i].name);
}

static void print_costs(const struct lkst_trial *t, const struct lkst_catalog *c,
			struct lkst_out *out)
{
	lkst_out_str(out, "\ncosts\n");
	if (!t->has_costs) {
		lkst_out_str(out,
			     "  not known: they are measured where programs can be attached\n");
		return;
	}
	print_units(&t->costs, out);
	lkst_out_str(out, "  an event that is recorded, both together (* of the standard set)\n");
	print_event_costs(t, c, out);
}

void lkst_doctor_print_events(const struct lkst_trial *t, const struct lkst_catalog *c,
			      struct lkst_out *out)
{
	events_print_counts(t, c, out);
	print_missing(t, c, out);
	print_costs(t, c, out);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* The name of the hook in row @row of event @i: of its program, and of what keeps it attached. */
static const char *hook_name(unsigned int i, unsigned int row, char name[LKST_HOOK_NAME_MAX])
{
	const struct lkst_hook_desc *hook = &lkst_events[i].hooks[row];

	lkst_hook_name(lkst_hook_kind(hook), hook->target, name);
	return name;
}

static void events_put_hooks(const struct lkst_trial_event *event, unsigned int i, struct lkst_json *j)
{
	char name[LKST_HOOK_NAME_MAX];
	unsigned int row;

	if (event->row < 0)
		lkst_json_null(j, "hook");
	else
		lkst_json_str(j, "hook", hook_name(i, (unsigned int)event->row, name));
	lkst_json_array(j, "also");
	for (row = 0; row < lkst_events[i].nr_hooks; row++)
		if (event->also & 1U << row)
			lkst_json_str(j, NULL, hook_name(i, row, name));
	lkst_json_end(j);
}

static void events_put_event(const struct lkst_trial *t, const struct lkst_catalog *c, unsigned int i,
			     struct lkst_json *j)
{
	const struct lkst_trial_event *event = &t->events[i];

	lkst_json_break(j);
	lkst_json_object(j, NULL);
	lkst_json_str(j, "name", lkst_events[i].name);
	lkst_json_str(j, "group", lkst_group_names[lkst_events[i].group]);
	lkst_json_str(j, "set", set_words[events_set_of(c, i)]);
	events_put_hooks(event, i, j);
	lkst_json_bool(j, "recorded", events_is_recorded(t, i));
	if (event->is_tried)
		lkst_json_bool(j, "loaded", event->is_loaded);
	else
		lkst_json_null(j, "loaded");
	lkst_json_bool(j, "attached", event->is_attached);
	if (t->has_costs && events_is_recorded(t, i))
		lkst_json_u64(j, "ns", events_cost_of(t, c, i));
	else
		lkst_json_null(j, "ns");
	if (events_is_recorded(t, i))
		lkst_json_null(j, "why");
	else
		lkst_json_str(j, "why", event->why);
	lkst_json_end(j);
}

void lkst_doctor_put_events(const struct lkst_trial *t, const struct lkst_catalog *c,
			    struct lkst_json *j)
{
	unsigned int i;

	lkst_json_u64(j, "syscalls", t->nr_syscalls);
	lkst_json_array(j, "events");
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (is_of_kernel(i))
			events_put_event(t, c, i, j);
	lkst_json_end(j);
	if (t->has_costs) {
		lkst_json_object(j, "costs");
		lkst_unit_costs_put(j, &t->costs);
		lkst_json_end(j);
	} else {
		lkst_json_null(j, "costs");
	}
}
