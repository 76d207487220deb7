/* SPDX-License-Identifier: GPL-2.0-only */
/* What hooks and records cost on this machine. */
#include "live/cost/measure.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/cost/exchange.h"
#include "live/cost/pace.h"
#include "live/cost/rounds.h"
#include "live/hooks/hooks.h"
#include "live/kernel/kernel_types.h"
#include "live/rings/writers.h"

enum {
	ROUNDS = LKST_ROUNDS_MAX / 2, /* of a part at most; those without a hook are two parts */
	ROUND_US = 100, /* what a round takes, about */
	EXCHANGES_MAX = 1000, /* in a round */
	COUNTS = 6,	/* rounds in which exchanges are timed to begin with, and runs counted */
	TRIES = 3, /* where other work disturbs all of it */
	HOOKS_MAX = 12,
	IDS_MAX = 16,
};

/* What has to come after the last round: hooks are detached, processes end, writers are waited for. */
#define REST_NS (8 * 1000000ULL)

/*
 * As how many probes in the kernel one in a program counts, should it not be measured when the first is set
 * (live/cost/measure_program.h): it is a breakpoint, as a rule with a single step, and each of the two is a way out of
 * the program and back. It is rather too much.
 */
enum { PROGRAM_PROBE_TIMES = 16 };

/* As how many records two stacks count, should they not be measured: some tens of frames are read. */
enum { STACK_TIMES = 32 };

/* How much of the time each part has. */
enum {
	SHARE_BARE = 2, /* before and after the others */
	SHARE_HOOKS = 8,
	SHARE_STACKS = 2,
	SHARE_OTHER = 1, /* of each type of hook that few recordings have */
};

/* What is recorded in a round while hooks are attached. */
enum state {
	STATE_IDLE, /* nothing */
	STATE_RECORDS, /* what tracepoints say, and calls without a path */
	STATE_PATH,    /* the entry of a call with one */
	STATE_NR,
};

/* Events. */
struct ids {
	u16 id[IDS_MAX];
	unsigned int nr;
};

struct measure {
	const struct bpf_object *object;
	const struct lkst_plan *plan;
	u16 *route; /* of the active maskset */
	bool can_record;
	struct lkst_exchange exchange;
	struct lkst_pace pace;
	unsigned int nr; /* exchanges in a round */
	struct lkst_hook hooks[HOOKS_MAX];
	unsigned int nr_hooks;
	struct ids ids[STATE_NR]; /* what each state records */
	double runs[STATE_NR];	  /* of their programs in an exchange; STATE_IDLE: of all */
	struct lkst_rounds took[STATE_NR], bare; /* ns for an exchange; bare is measured twice */
	double apart_ns; /* what the exchange itself takes from one run of a program to the next */
};

static const char syscall_entry[] = "sys_enter";

static struct bpf_program *find_program(const struct bpf_object *object, const char *name)
{
	return bpf_object__find_program_by_name(object, name);
}

/* Whether @plan attaches a hook of kind @kind. */
static bool has_kind(const struct lkst_plan *plan, enum lkst_hook_kind kind)
{
	unsigned int i, row;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (row = 0; plan->hook[i] >= 0 && row < lkst_events[i].nr_hooks; row++)
			if (lkst_events[i].hooks[row].kind == kind &&
			    ((unsigned int)plan->hook[i] == row || plan->also[i] & 1U << row))
				return true;
	return false;
}

void lkst_measure_choose(struct bpf_object *object, const struct lkst_plan *plan)
{
	bool probes = has_kind(plan, LKST_HOOK_KPROBE) || has_kind(plan, LKST_HOOK_KRETPROBE);

	bpf_program__set_autoload(find_program(object, "measure__raw_tp"), true);
	bpf_program__set_autoload(find_program(object, "measure__stack"), plan->has_stacks);
	bpf_program__set_autoload(find_program(object, "measure__tp"), plan->nr_tracepoints != 0);
	bpf_program__set_autoload(find_program(object, "measure__kprobe"),
				  probes && lkst_kernel_lets_read_memory());
}

/* ---- hooks and events ------------------------------------------------------------------------ */

static bool is_loaded(const struct measure *m, const char *program)
{
	const struct bpf_program *p = find_program(m->object, program);

	return p && bpf_program__fd(p) >= 0;
}

static void measure_add_hook(struct measure *m, enum lkst_hook_kind kind, const char *target,
			     const char *program)
{
	struct lkst_hook *h = &m->hooks[m->nr_hooks];

	if (!is_loaded(m, program) || m->nr_hooks == HOOKS_MAX)
		return;
	memset(h, 0, sizeof(*h));
	h->kind = kind;
	snprintf(h->target, sizeof(h->target), "%s", target);
	h->program_fd = bpf_program__fd(find_program(m->object, program));
	h->link_fd = h->perf_id = -1;
	m->nr_hooks++;
}

static void add_id(struct ids *ids, u16 id)
{
	if (id && ids->nr < IDS_MAX)
		ids->id[ids->nr++] = id;
}

static u16 id_of(const struct measure *m, const char *event)
{
	const struct lkst_event_class *c = lkst_catalog_find(m->plan->catalog, event);

	return c ? c->id : 0;
}

/* Both hooks of system calls, and what the exchange calls. */
static void choose_syscalls(struct measure *m)
{
	static const char *const events[] = { "syscall_entry_read", "syscall_exit_read",
					      "syscall_entry_write", "syscall_exit_write",
					      "syscall_entry_getppid", "syscall_exit_getppid" };
	unsigned int i;

	measure_add_hook(m, LKST_HOOK_TP, syscall_entry, "tp_btf__sys_enter");
	measure_add_hook(m, LKST_HOOK_TP, "sys_exit", "tp_btf__sys_exit");
	for (i = 0; i < sizeof(events) / sizeof(events[0]) && m->can_record; i++)
		add_id(&m->ids[STATE_RECORDS], id_of(m, events[i]));
	if (m->can_record)
		add_id(&m->ids[STATE_PATH], id_of(m, "syscall_entry_readlinkat"));
}

/*
 * Tracepoints that the exchange passes. With their own programs where this recording has them, for a load runs many
 * programs, one after the other, and not one again and again.
 */
static void choose_tracepoints(struct measure *m)
{
	static const char *const events[] = { "sched_switch", "sched_waking", "kmem_cache_alloc",
					      "kmem_cache_free", "kmalloc", "kfree",
					      "sock_send_length", "sock_recv_length" };
	struct ids *ids = &m->ids[STATE_RECORDS];
	char program[LKST_HOOK_NAME_MAX];
	unsigned int i, nr = m->nr_hooks;

	for (i = 0; i < sizeof(events) / sizeof(events[0]) && m->can_record; i++) {
		lkst_hook_name(LKST_HOOK_TP, events[i], program);
		if (!is_loaded(m, program) || !id_of(m, events[i]))
			continue;
		measure_add_hook(m, LKST_HOOK_TP, events[i], program);
		add_id(ids, id_of(m, events[i]));
	}
	if (m->nr_hooks > nr)
		return;
	measure_add_hook(m, LKST_HOOK_TP, "sched_switch", "measure__raw_tp");
	measure_add_hook(m, LKST_HOOK_TP, "sched_waking", "measure__raw_tp");
	add_id(ids, m->plan->id[LKST_EV_shed_begin]);
}

static void measure_record(const struct measure *m, const struct ids *ids, bool is_recorded)
{
	u16 route = lkst_route(is_recorded ? LKST_HANDLER_DEFAULT : LKST_HANDLER_NOTHING,
			       LKST_BUFFER_MAIN);
	unsigned int i;

	for (i = 0; i < ids->nr; i++)
		__atomic_store_n(&m->route[ids->id[i]], route, __ATOMIC_RELAXED);
}

/* Attaches what can be. False: nothing can. */
static bool measure_attach(struct measure *m)
{
	bool is_attached = false;
	unsigned int i;

	for (i = 0; i < m->nr_hooks; i++)
		if (!lkst_hook_attach(NULL, &m->hooks[i]))
			is_attached = true;
	return is_attached;
}

/* Detaches all and forgets it. */
static void detach(struct measure *m)
{
	unsigned int i;

	for (i = 0; i < m->nr_hooks; i++)
		if (m->hooks[i].is_attached)
			lkst_hook_detach(&m->hooks[i]);
	m->nr_hooks = 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/*
 * True if @ns, a difference between what two series take, is no more than what comes and goes with the rounds: the
 * middle half of them is so wide that the figures of as many rounds differ by that.
 */
static bool is_chance(double ns, const struct lkst_rounds *r)
{
	double width = lkst_rounds_width(r);

	return ns <= 0 || ns * ns * r->nr < width * width;
}

static double measure_run(const struct measure *m)
{
	return lkst_exchange_run(&m->exchange, m->nr);
}

static bool has_round(struct measure *m, const struct lkst_rounds *r, unsigned int most)
{
	return r->nr < most && lkst_pace_has_round(&m->pace, lkst_monotonic_ns());
}

static void measure_begin_part(struct measure *m, unsigned int share)
{
	lkst_pace_part(&m->pace, lkst_monotonic_ns(), share);
}

/* So many exchanges that a round takes ROUND_US, by the least of some: the first is slower, as others are at times. */
static void measure_choose_number(struct measure *m)
{
	double ns, least = 0;
	unsigned int i;

	m->nr = 4;
	for (i = 0; i < COUNTS; i++) {
		ns = measure_run(m);
		if (ns > 0 && (!least || ns < least))
			least = ns;
	}
	m->nr = least > 0 ? ROUND_US * 1000 / least : 1;
	if (m->nr > EXCHANGES_MAX)
		m->nr = EXCHANGES_MAX;
	if (!m->nr)
		m->nr = 1;
}

static void measure_bare(struct measure *m)
{
	unsigned int most = m->bare.nr + ROUNDS;

	measure_begin_part(m, SHARE_BARE);
	while (has_round(m, &m->bare, most))
		m->bare.value[m->bare.nr++] = measure_run(m);
}

static double measure_count(const struct lkst_idle runs[2], const struct ids *ids)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < (ids ? ids->nr : LKST_EVENT_SPACE); i++) {
		u32 id = ids ? ids->id[i] : i;

		sum += runs[1].runs[id] - runs[0].runs[id];
	}
	return sum;
}

/*
 * How often in an exchange programs run, by what they count on its CPU while they record nothing. What else ran on the
 * CPU meanwhile is counted, too, which is why it is counted more than once.
 */
static void measure_count_runs(struct measure *m)
{
	int fd = bpf_object__find_map_fd_by_name(m->object, "lkst_idle");
	_cleanup_free_ struct lkst_idle *runs = calloc(2, sizeof(*runs));
	struct lkst_rounds counted[STATE_NR] = {};
	u32 cpu = m->exchange.cpu;
	unsigned int i, nr;

	for (nr = 0; nr < COUNTS && runs; nr++) {
		if (bpf_map_lookup_elem(fd, &cpu, &runs[0]))
			break;
		measure_run(m);
		if (bpf_map_lookup_elem(fd, &cpu, &runs[1]))
			break;
		for (i = 0; i < STATE_NR; i++)
			counted[i].value[counted[i].nr++] =
				measure_count(runs, i == STATE_IDLE ? NULL : &m->ids[i]) / m->nr;
	}
	for (i = 0; i < STATE_NR; i++)
		m->runs[i] = lkst_rounds_typical(&counted[i]);
}

/* Rounds by turns of all states up to @last, so that all meet the same machine. */
static void go_round(struct measure *m, enum state last)
{
	unsigned int i;

	for (i = 0; i < STATE_NR; i++)
		m->took[i].nr = 0;
	while (has_round(m, &m->took[STATE_IDLE], ROUNDS))
		for (i = 0; i <= last; i++) {
			measure_record(m, &m->ids[i], true);
			m->took[i].value[m->took[i].nr++] = measure_run(m);
			measure_record(m, &m->ids[i], false);
		}
}

/* ---- what is measured ------------------------------------------------------------------------- */

/*
 * Makes *@unit_ns @ns for each of @runs in an exchange. If that comes to nothing, other things disturbed the rounds too
 * much: it was not measured.
 */
static void measure_put(struct lkst_costs *costs, enum lkst_cost_unit unit, u32 *unit_ns, double ns,
			double runs)
{
	if (!(runs > 0) || ns < runs)
		return;
	*unit_ns = ns / runs + 0.5;
	costs->measured |= 1U << unit;
}

/* What a state takes more than recording nothing. */
static double added_by(const struct measure *m, enum state state)
{
	return lkst_rounds_typical(&m->took[state]) - lkst_rounds_typical(&m->took[STATE_IDLE]);
}

/*
 * Hooks of tracepoints and of system calls, and records of either, together as recordings have them: what one costs
 * depends more on what else runs than on which of the two it is.
 */
static void measure_hooks(struct measure *m)
{
	choose_syscalls(m);
	choose_tracepoints(m);
	measure_begin_part(m, SHARE_HOOKS);
	if (!measure_attach(m))
		return;
	measure_count_runs(m);
	go_round(m, STATE_PATH);
}

static void measure_put_hooks(struct measure *m, bool has_syscalls, struct lkst_costs *costs)
{
	u32 *hook = costs->hook_ns;
	double idle = lkst_rounds_typical(&m->took[STATE_IDLE]) - lkst_rounds_typical(&m->bare);

	if (!m->took[STATE_IDLE].nr)
		return;
	if (m->runs[STATE_IDLE] > 0)
		m->apart_ns = lkst_rounds_typical(&m->bare) / m->runs[STATE_IDLE];
	if (is_chance(idle, &m->bare) || is_chance(idle, &m->took[STATE_IDLE]))
		idle = 0;
	measure_put(costs, LKST_COST_UNIT_HOOK + LKST_HOOK_TYPE_TRACEPOINT,
		    &hook[LKST_HOOK_TYPE_TRACEPOINT], idle, m->runs[STATE_IDLE]);
	if (has_syscalls)
		measure_put(costs, LKST_COST_UNIT_HOOK + LKST_HOOK_TYPE_SYSCALL,
			    &hook[LKST_HOOK_TYPE_SYSCALL], idle, m->runs[STATE_IDLE]);
	measure_put(costs, LKST_COST_UNIT_RECORD, &costs->record_ns, added_by(m, STATE_RECORDS),
		    m->runs[STATE_RECORDS]);
	if (has_syscalls)
		measure_put(costs, LKST_COST_UNIT_SYSCALL, &costs->syscall_ns, added_by(m, STATE_RECORDS),
			    m->runs[STATE_RECORDS]);
	/* The entry of a call with a path has a string more than one without. */
	measure_put(costs, LKST_COST_UNIT_STRING, &costs->string_ns,
		    added_by(m, STATE_PATH) - costs->syscall_ns * m->runs[STATE_PATH], m->runs[STATE_PATH]);
}

/* A hook of @type that the exchange passes. Its program need not be loaded. */
static void measure_other(struct measure *m, enum lkst_hook_type type, enum lkst_hook_kind kind,
			  const char *target, const char *program, struct lkst_costs *costs)
{
	if (!is_loaded(m, program))
		return;
	measure_begin_part(m, SHARE_OTHER);
	measure_add_hook(m, kind, target, program);
	if (measure_attach(m)) {
		measure_count_runs(m);
		go_round(m, STATE_IDLE);
	}
	detach(m);
	if (m->took[STATE_IDLE].nr)
		measure_put(costs, LKST_COST_UNIT_HOOK + type, &costs->hook_ns[type],
			    lkst_rounds_typical(&m->took[STATE_IDLE]) - lkst_rounds_typical(&m->bare),
			    m->runs[STATE_IDLE]);
}

/* What it takes to read the stacks of the thread that is switched away from, but for the hook itself. */
static void measure_stacks(struct measure *m, struct lkst_costs *costs)
{
	double runs;

	if (!is_loaded(m, "measure__stack"))
		return;
	measure_begin_part(m, SHARE_STACKS);
	measure_add_hook(m, LKST_HOOK_TP, "sched_switch", "measure__stack");
	if (measure_attach(m)) {
		measure_count_runs(m);
		go_round(m, STATE_IDLE);
	}
	detach(m);
	runs = m->runs[STATE_IDLE];
	if (m->took[STATE_IDLE].nr)
		measure_put(costs, LKST_COST_UNIT_STACK, &costs->stack_ns,
			    lkst_rounds_typical(&m->took[STATE_IDLE]) - lkst_rounds_typical(&m->bare) -
			    runs * costs->hook_ns[LKST_HOOK_TYPE_TRACEPOINT],
			    runs);
}

/*
 * What could not be measured, because this recording has no such hook or event, or not for this process, by
 * what it has most in common with. A probe is an exception or a jump to a copy of the registers before the same
 * program is called, a return probe is two of them, and a tracepoint by name has the kernel's own record made
 * first: each at least doubles the way to the program. A string takes as many steps again as a record: a look
 * at its length, a copy to a scratch area, a copy to its place.
 *
 * No unit is 0 where programs run, for the cost limit would take it for free. On a machine that disturbs every round
 * hooks cost less than what the rounds differ by; that they cost as much as the work between two of them is more than
 * they do, and so on the safe side.
 */
static void derive(const struct measure *m, struct lkst_costs *costs)
{
	u32 *hook = costs->hook_ns;

	if (!hook[LKST_HOOK_TYPE_TRACEPOINT])
		hook[LKST_HOOK_TYPE_TRACEPOINT] = costs->record_ns ?: m->apart_ns + 0.5;
	if (!hook[LKST_HOOK_TYPE_SYSCALL])
		hook[LKST_HOOK_TYPE_SYSCALL] = hook[LKST_HOOK_TYPE_TRACEPOINT];
	if (!hook[LKST_HOOK_TYPE_BY_NAME])
		hook[LKST_HOOK_TYPE_BY_NAME] = 2 * hook[LKST_HOOK_TYPE_TRACEPOINT];
	if (!hook[LKST_HOOK_TYPE_KPROBE])
		hook[LKST_HOOK_TYPE_KPROBE] = 2 * hook[LKST_HOOK_TYPE_TRACEPOINT];
	if (!hook[LKST_HOOK_TYPE_KRETPROBE])
		hook[LKST_HOOK_TYPE_KRETPROBE] = 2 * hook[LKST_HOOK_TYPE_KPROBE];
	hook[LKST_HOOK_TYPE_UPROBE] = PROGRAM_PROBE_TIMES * hook[LKST_HOOK_TYPE_KPROBE];
	hook[LKST_HOOK_TYPE_UPROBE_EMULATED] = hook[LKST_HOOK_TYPE_UPROBE];
	hook[LKST_HOOK_TYPE_URETPROBE] = PROGRAM_PROBE_TIMES * hook[LKST_HOOK_TYPE_KRETPROBE];
	if (!costs->record_ns)
		costs->record_ns = hook[LKST_HOOK_TYPE_TRACEPOINT];
	if (!costs->syscall_ns)
		costs->syscall_ns = costs->record_ns;
	if (!costs->string_ns)
		costs->string_ns = costs->record_ns;
	if (!costs->stack_ns)
		costs->stack_ns = STACK_TIMES * costs->record_ns;
}

static unsigned int count_shares(const struct measure *m)
{
	return 2 * SHARE_BARE + SHARE_HOOKS +
	       (is_loaded(m, "measure__tp") + 2 * is_loaded(m, "measure__kprobe")) * SHARE_OTHER +
	       is_loaded(m, "measure__stack") * SHARE_STACKS;
}

/* Half of the rounds without a hook come before those with hooks, half after. */
static void measure_all(struct measure *m, struct lkst_costs *costs)
{
	bool has_syscalls;

	measure_choose_number(m);
	measure_bare(m);
	measure_hooks(m);
	has_syscalls = m->hooks[0].is_attached && !strcmp(m->hooks[0].target, syscall_entry);
	detach(m);
	measure_bare(m);
	measure_put_hooks(m, has_syscalls, costs);
	measure_stacks(m, costs);
	measure_other(m, LKST_HOOK_TYPE_BY_NAME, LKST_HOOK_BY_NAME, "sched:sched_waking",
		      "measure__tp", costs);
	measure_other(m, LKST_HOOK_TYPE_KPROBE, LKST_HOOK_KPROBE, "vfs_write", "measure__kprobe",
		      costs);
	measure_other(m, LKST_HOOK_TYPE_KRETPROBE, LKST_HOOK_KRETPROBE, "vfs_write",
		      "measure__kprobe", costs);
}

/* ---- leaving nothing behind ------------------------------------------------------------------- */

static void clear_ring(struct lkst_rings *r, const struct lkst_ring *ring)
{
	u64 blocks = ring->opened < ring->mask + 1ULL ? ring->opened : ring->mask + 1ULL;

	memset(r->memory + ((u64)ring->base << r->block_shift), 0, blocks << r->block_shift);
}

/* So that nobody finds what was recorded and counted, not even in a dump. */
static void measure_clear(const struct measure *m, const struct lkst_memory *memory, struct lkst_rings *r,
			  u64 until_ns)
{
	static const struct lkst_idle none;
	int idle = bpf_object__find_map_fd_by_name(m->object, "lkst_idle");
	u32 cpu, buffer, level;

	lkst_wait_for_writers_soon(memory->nr_cpus, until_ns);
	/* Stacks that were written are not there any more. */
	__atomic_add_fetch(&r->control->stack_epoch, 1, __ATOMIC_RELAXED);
	for (cpu = 0; cpu < memory->nr_cpus; cpu++) {
		for (buffer = 0; buffer < LKST_BUFFERS_AT_START; buffer++) {
			struct lkst_state *st = lkst_rings_state(r, cpu, buffer);

			for (level = 0; level < LKST_LEVELS; level++)
				clear_ring(r, &st->ring[level]);
			memset(st, 0, sizeof(*st));
			lkst_memory_init_state(memory, cpu, buffer, r->control, st);
		}
		bpf_map_update_elem(idle, &cpu, &none, BPF_ANY);
	}
}

/* One measurement, of which nothing is left in @m but the exchange. False: hooks seem to cost nothing. */
static bool try_once(struct measure *m, u64 begin, struct lkst_costs *ret_costs)
{
	struct lkst_costs costs = {};

	memset(m->ids, 0, sizeof(m->ids));
	memset(m->took, 0, sizeof(m->took));
	m->bare.nr = 0;
	lkst_pace_begin(&m->pace, begin, LKST_MEASURE_NS - REST_NS, count_shares(m));
	measure_all(m, &costs);
	*ret_costs = costs;
	return costs.measured & 1U << (LKST_COST_UNIT_HOOK + LKST_HOOK_TYPE_TRACEPOINT);
}

int lkst_measure_costs(struct lkst_err *e, const struct bpf_object *object,
		       const struct lkst_plan *plan, const struct lkst_memory *memory,
		       struct lkst_rings *r, struct lkst_costs *ret_costs)
{
	const struct bpf_map *filter = bpf_object__find_map_by_name(object, "lkst_filter");
	u64 begin = lkst_monotonic_ns();
	struct lkst_costs costs = {};
	struct measure m = {
		.object = object,
		.plan = plan,
		.route = r->control->route[r->control->active],
		/* A restricted recording has room for the processes it is about, and this is none of them. */
		.can_record = bpf_map__max_entries(filter) == 1,
	};
	int err = lkst_exchange_start(e, memory->nr_cpus, &m.exchange);
	u64 began = begin;
	unsigned int i;

	if (err)
		return err;
	for (i = 0; i < TRIES && !try_once(&m, began, &costs); i++)
		began = lkst_monotonic_ns();
	lkst_exchange_stop(&m.exchange);
	derive(&m, &costs);
	measure_clear(&m, memory, r, began + LKST_MEASURE_NS);
	costs.took_us = (lkst_monotonic_ns() - begin) / 1000;
	*ret_costs = costs;
	return 0;
}
