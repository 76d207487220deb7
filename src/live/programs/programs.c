/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel programs of a recording. */
#include "live/kernel/cgroup_mount.h"
#include "live/programs/programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "live/cost/cost_limit.h"
#include "live/hooks/pins.h"
#include "live/hooks/sampling.h"
#include "live/kernel/page_base.h"
#include "live/kernel/perf_counters.h"
#include "live/programs/floor.h"
#include "live/programs/handler_maps.h"
#include "live/programs/restarts.h"
#include "live/programs/tick_place.h"
#include "live/programs/tracing.h"
#include "live/programs/waker_context.h"
#include "lkst.skel.h"

const char *const lkst_command_programs[LKST_NR_COMMANDS] = {
	[LKST_COMMAND_SWITCH] = "raw_tp__maskset_switch",
	[LKST_COMMAND_SETTLED] = "raw_tp__maskset_settled",
	[LKST_COMMAND_JUMP] = "raw_tp__buffer_jump",
	[LKST_COMMAND_KEEP] = "raw_tp__incident",
	[LKST_COMMAND_FIRE] = "raw_tp__trigger_fire",
	[LKST_COMMAND_SYMBOL] = "syscall__symbol",
	[LKST_COMMAND_CACHE] = "syscall__cache_name",
};

enum {
	LOG_BYTES =
		1
		<< 20, /* of the verifier's reasons, per program: kept only to see which program has any */
	REJECTED_MAX = 64,
};

/* What the verifier or libbpf says is for developers, not for the user: shown only on request. */
static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_DEBUG)
		lkst_diag_vlog(format, args);
	return 0;
}

void lkst_programs_quiet(void)
{
	libbpf_set_print(quiet);
}

/* True if an event with page frame numbers is recorded. */
static bool needs_pages(const struct lkst_plan *plan)
{
	unsigned int i, f;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (f = 0; plan->hook[i] >= 0 && f < lkst_events[i].nr_fields; f++)
			if (lkst_events[i].fields[f].meaning == LKST_MEANING_PFN)
				return true;
	return false;
}

/* Without it page frame numbers are recorded as unknown, and the rest goes on. */
static void find_page_base(struct lkst_programs *p)
{
	const struct bpf_program *finder = p->skel->progs.syscall__page_base;
	struct lkst_err why = {};

	if (bpf_program__autoload(finder) &&
	    lkst_page_find_base(&why, bpf_program__fd(finder),
				bpf_map__fd(p->skel->maps.lkst_page_sample)))
		lkst_notes_add(&p->notes, "Page frame numbers are not recorded: %s.", why.text);
}

/* True if the program itself (none of its functions does) copies kernel memory by address. */
static bool copies_kernel_memory(const struct bpf_program *program)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t i;

	for (i = 0; i < bpf_program__insn_cnt(program); i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg &&
		    (insns[i].imm == BPF_FUNC_probe_read_kernel ||
		     insns[i].imm == BPF_FUNC_probe_read_kernel_str))
			return true;
	return false;
}

/* True if the plan arms row @row of event @i's hooks. */
static bool programs_is_armed(const struct lkst_plan *plan, unsigned int i, unsigned int row)
{
	return plan->hook[i] >= 0 &&
	       ((unsigned int)plan->hook[i] == row || plan->also[i] & 1U << row);
}

/* The program of row @row of event @i's hooks; NULL: the object has none. */
static struct bpf_program *program_of(const struct lkst_programs *p, unsigned int i,
				      unsigned int row)
{
	const struct lkst_hook_desc *hook = &lkst_events[i].hooks[row];
	char name[LKST_HOOK_NAME_MAX];

	lkst_hook_name(lkst_hook_kind(hook), hook->target, name);
	return bpf_object__find_program_by_name(p->skel->obj, name);
}

static bool is_forbidden(const struct bpf_program *program)
{
	return bpf_program__type(program) == BPF_PROG_TYPE_KPROBE || copies_kernel_memory(program);
}

/*
 * Under lockdown=confidentiality no program may copy kernel memory or be attached to a function: such
 * programs are left out, and their events named.
 */
static void leave_out_forbidden(struct lkst_programs *p, const struct lkst_plan *plan)
{
	struct bpf_program *page_base = p->skel->progs.syscall__page_base;
	struct bpf_program *cache_name = p->skel->progs.syscall__cache_name;
	char names[2048] = "";
	unsigned int i, row;

	if (lkst_kernel_lets_read_memory())
		return;
	for (i = 0; i < LKST_NR_EVENTS; i++) {
		size_t used = strlen(names);

		/* A name is written once, however many of its rows are forbidden: at @used. */
		for (row = 0; row < lkst_events[i].nr_hooks; row++) {
			struct bpf_program *program =
				programs_is_armed(plan, i, row) ? program_of(p, i, row) : NULL;

			if (!program || !is_forbidden(program))
				continue;
			bpf_program__set_autoload(program, false);
			snprintf(names + used, sizeof(names) - used, ", %s", lkst_events[i].name);
		}
	}
	if (bpf_program__autoload(page_base) && copies_kernel_memory(page_base)) {
		size_t used = strlen(names);

		bpf_program__set_autoload(page_base, false);
		snprintf(names + used, sizeof(names) - used, ", page frame numbers");
	}
	bpf_program__set_autoload(cache_name, false); /* they stay numbers */
	if (plan->id[LKST_EV_tick]) {
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, ", %s", lkst_events[LKST_EV_tick].name);
	}
	if (names[0])
		lkst_notes_add(
			&p->notes,
			"This kernel is locked down (confidentiality) and lets no program copy its "
			"memory or hook its functions, so these are not recorded: %s.",
			names + strlen(", "));
}

static struct bpf_program *command_program(const struct lkst_programs *p, unsigned int command)
{
	return bpf_object__find_program_by_name(p->skel->obj, lkst_command_programs[command]);
}

/* The programs of events. One that this build lacks leaves out its event, and nothing else. */
static void choose_for_events(struct lkst_programs *p, const struct lkst_plan *plan)
{
	unsigned int i, row;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (row = 0; row < lkst_events[i].nr_hooks; row++) {
			struct bpf_program *program =
				programs_is_armed(plan, i, row) ? program_of(p, i, row) : NULL;

			if (program)
				bpf_program__set_autoload(program, true);
			else if (programs_is_armed(plan, i, row))
				lkst_notes_add(
					&p->notes,
					"%s is not recorded: this lkst was built without its program for %s.",
					lkst_events[i].name, lkst_events[i].hooks[row].target);
		}
}

/* Whether both programs of system calls are needed: each knows what the other could not read. */
static bool needs_calls(const struct lkst_plan *plan)
{
	unsigned int i;

	for (i = 0; i < LKST_EVENT_SPACE; i++) {
		const struct lkst_event_class *class = plan->catalog->classes[i];

		if (class && class->syscall >= 0 && (plan->is_whole || plan->is_wanted[i]))
			return true;
	}
	return plan->id[LKST_EV_socket_connect] || plan->id[LKST_EV_socket_bind] || plan->id[LKST_EV_socket_accept];
}

/* The programs that the plan needs are loaded; all others are left out. */
static void choose_programs(struct lkst_programs *p, const struct lkst_plan *plan)
{
	struct bpf_program *program;
	unsigned int i;

	bpf_object__for_each_program(program, p->skel->obj)
		bpf_program__set_autoload(program, false);
	choose_for_events(p, plan);
	if (needs_calls(plan)) {
		bpf_program__set_autoload(p->skel->progs.tp_btf__sys_enter, true);
		bpf_program__set_autoload(p->skel->progs.tp_btf__sys_exit, true);
	}
	/* A restricted recording follows its tree by these, whatever it records. */
	if (p->skel->rodata_config->lkst_cfg.filter == LKST_FILTER_TREE) {
		bpf_program__set_autoload(p->skel->progs.tp_btf__sched_process_fork, true);
		bpf_program__set_autoload(p->skel->progs.tp_btf__sched_process_free, true);
	}
	bpf_program__set_autoload(p->skel->progs.syscall__page_base, needs_pages(plan));
	for (i = 0; i < plan->nr_tracepoints; i++)
		bpf_program__set_autoload(plan->tracepoints[i].plan.probe
						  ? p->skel->progs.probe__any
						  : p->skel->progs.tp__any,
					  true);
	bpf_program__set_autoload(p->skel->progs.iter__threads, true);
	bpf_program__set_autoload(p->skel->progs.iter__open_files, true);
	for (i = 0; i < LKST_NR_COMMANDS; i++)
		bpf_program__set_autoload(command_program(p, i), true);
	leave_out_forbidden(p, plan);
}

/* Everything that the verifier is to take as constant. */
static void configure(struct lkst_programs *p, const struct lkst_plan *plan,
		      const struct lkst_filter *filter, const struct lkst_memory *memory,
		      const struct lkst_control *control)
{
	struct lkst_program_config *cfg = &p->skel->rodata_config->lkst_cfg;
	struct lkst_cgroup_mount cgroups;
	unsigned int i;

	memcpy(cfg->memory_id, control->memory_id, sizeof(cfg->memory_id));
	cfg->block_shift = memory->block_shift;
	cfg->nr_cpus = memory->nr_cpus;
	cfg->filter = filter->mode;
	cfg->has_compat = plan->has_compat;
	cfg->stack_frames = lkst_sampling_stack_frames();
	cfg->handler = LKST_HANDLER_DEFAULT;
	cfg->may_copy = lkst_kernel_lets_read_memory();
	lkst_cgroup_mount_find(&cgroups);
	cfg->cgroup_of = cgroups.of;
	cfg->cgroup_hierarchy = cgroups.hierarchy;
	cfg->page_shift = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	for (i = 0; i < LKST_SYSCALL_MAX; i++) {
		cfg->call_args[0][i] = plan->sys64[i].nr_args;
		cfg->call_args[1][i] = plan->sys32[i].nr_args;
	}
	memcpy(cfg->counters, plan->counters, sizeof(cfg->counters));
	for (i = 0; i < LKST_NR_EVENTS; i++)
		cfg->id[i] = plan->id[i];
	memcpy(p->skel->rodata_sys64->lkst_sys64, plan->sys64, sizeof(plan->sys64));
	memcpy(p->skel->rodata_sys32->lkst_sys32, plan->sys32, sizeof(plan->sys32));
	for (i = 0; i < plan->nr_tracepoints; i++)
		p->skel->rodata_tps->lkst_tracepoints[i] = plan->tracepoints[i].plan;
}

/* What keeps stacks has room only where some are recorded. */
static int size_stack_maps(struct lkst_programs *p, const struct lkst_plan *plan,
			   const struct lkst_memory *memory)
{
	int err = plan->has_stacks ? bpf_map__set_max_entries(p->skel->maps.lkst_stacks,
							      memory->nr_cpus * LKST_KNOWN_STACKS)
				   : 0;

	if (!err && plan->id[LKST_EV_off_cpu])
		err = bpf_map__set_max_entries(p->skel->maps.lkst_left, LKST_WAITING_MAX);
	return err;
}

static int size_maps(struct lkst_err *e, struct lkst_programs *p, const struct lkst_plan *plan,
		     const struct lkst_memory *memory, const struct lkst_filter *filter)
{
	int err = bpf_map__set_value_size(p->skel->maps.lkst_mem, 1U << memory->block_shift) ?:
		  bpf_map__set_max_entries(p->skel->maps.lkst_mem, memory->nr_elements) ?:
		  bpf_map__set_max_entries(p->skel->maps.lkst_idle, memory->nr_cpus) ?:
		  bpf_map__set_max_entries(p->skel->maps.lkst_kept, (u32)sysconf(_SC_PAGESIZE));

	if (!err && filter->mode == LKST_FILTER_NONE)
		err = bpf_map__set_max_entries(p->skel->maps.lkst_filter, 1);
	if (!err && plan->counters[0])
		err = bpf_map__set_max_entries(p->skel->maps.lkst_counters, memory->nr_cpus * LKST_PERF_AT_ONCE);
	err = err ?: size_stack_maps(p, plan, memory);
	return err ? lkst_err_sys(e, err, "sizing the buffers") : 0;
}

/*
 * The memory array is made first, by itself: it takes most of the time, and its failure has a text of
 * its own. Returns its descriptor.
 */
static int create_memory(struct lkst_err *e, const struct lkst_memory *memory)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	struct lkst_progress *progress = lkst_progress_start(memory->bytes);
	int err = 0, fd;

	options.map_flags = lkst_memory_map_flags(memory, &options.numa_node);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_mem", sizeof(u32), 1U << memory->block_shift,
			    memory->nr_elements, &options);
	if (fd < 0)
		err = -errno;
	lkst_progress_stop(progress);
	if (err == -EPERM)
		return lkst_err_set(e, err,
				    "this process may not use BPF; it takes root with CAP_BPF and "
				    "CAP_PERFMON");
	if (err)
		return lkst_err_sys(e, err, "taking %llu bytes of memory for the buffers",
				    (unsigned long long)memory->bytes);
	return fd;
}

static int fill_filter(struct lkst_err *e, struct lkst_programs *p,
		       const struct lkst_filter *filter)
{
	u32 one = 1;
	unsigned int i;

	for (i = 0; i < filter->nr_pids; i++)
		if (bpf_map__update_elem(p->skel->maps.lkst_filter, &filter->pids[i], sizeof(u32),
					 &one, sizeof(one), BPF_ANY))
			return lkst_err_sys(e, -errno, "restricting to process %u",
					    filter->pids[i]);
	return 0;
}

/* The programs that the kernel has rejected so far. */
struct rejected {
	char names[REJECTED_MAX][LKST_HOOK_NAME_MAX];
	unsigned int nr;
	bool is_floor; /* of the second build (floor.h) */
};

/*
 * Where the verifier writes its reasons: libbpf asks for them only for a program that was rejected, so
 * one whose buffer is not empty is the one.
 */
static int give_log_buffers(struct lkst_err *e, struct lkst_programs *p, char *logs)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, p->skel->obj)
	{
		if (!bpf_program__autoload(program))
			continue;
		if (bpf_program__set_log_buf(program, logs, LOG_BYTES))
			return lkst_err_set(e, -EINVAL, "preparing to load");
		logs += LOG_BYTES;
	}
	return 0;
}

static const char *find_rejected(const struct lkst_programs *p, const char *logs)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, p->skel->obj)
	{
		if (!bpf_program__autoload(program))
			continue;
		if (logs[0]) {
			lkst_diag_log("%s", logs);
			return bpf_program__name(program);
		}
		logs += LOG_BYTES;
	}
	return NULL;
}

/* Opens the build of the programs that suits the kernel; their maps and configuration are laid out alike. */
static int programs_open(struct lkst_err *e, bool is_floor, struct lkst_bpf **ret_skel)
{
	struct lkst_bpf *skel = calloc(1, sizeof(*skel));
	int err = skel ? lkst_bpf__create_skeleton(skel) : -ENOMEM;

	if (!err && is_floor)
		skel->skeleton->data = lkst_floor_elf(&skel->skeleton->data_sz);
	err = err ?: bpf_object__open_skeleton(skel->skeleton, NULL);
	if (err) {
		lkst_bpf__destroy(skel);
		return lkst_err_sys(e, err, "opening the kernel programs");
	}
	*ret_skel = skel;
	return 0;
}

/* One try. 1: a program was rejected, and is in @rejected now. */
static int programs_try_to_load(struct lkst_err *e, struct lkst_programs *p, const struct lkst_plan *plan,
				const struct lkst_filter *filter, const struct lkst_memory *memory,
				u32 budget_ppm, int memory_fd, struct rejected *rejected)
{
	_cleanup_free_ char *logs = calloc(p->skel->skeleton->prog_cnt, LOG_BYTES);
	const char *name;
	unsigned int i;
	int err;

	if (!logs)
		return lkst_err_sys(e, -ENOMEM, "loading");
	choose_programs(p, plan);
	if (rejected->is_floor)
		lkst_floor_leave_out(plan->kernel, p->skel->obj, rejected->nr ? NULL : &p->notes);
	err = size_maps(e, p, plan, memory, filter);
	err = err ?: lkst_budget_choose(e, p->skel->obj, plan, memory, budget_ppm);
	if (err)
		return err;
	for (i = 0; i < rejected->nr; i++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(p->skel->obj, rejected->names[i]), false);
	err = give_log_buffers(e, p, logs);
	if (err)
		return err;
	err = bpf_map__reuse_fd(p->skel->maps.lkst_mem, memory_fd); /* it takes a copy */
	if (err)
		return lkst_err_sys(e, err, "giving the buffers to the programs");
	err = lkst_bpf__load(p->skel);
	if (!err)
		return 0;
	name = find_rejected(p, logs);
	if (!name || rejected->nr == REJECTED_MAX ||
	    !strcmp(name, bpf_program__name(p->skel->progs.iter__threads)))
		return lkst_err_sys(e, err,
				    "loading the kernel programs (LKST_DEBUG=1 shows the "
				    "verifier's reasons)");
	snprintf(rejected->names[rejected->nr++], LKST_HOOK_NAME_MAX, "%s", name);
	/* /proc lists open files, too. */
	if (strcmp(name, bpf_program__name(p->skel->progs.iter__open_files)))
		lkst_notes_add(
			&p->notes,
			"%s is not recorded: this kernel rejects its program (LKST_DEBUG=1 shows why).",
			lkst_hook_target(name));
	return 1;
}

int lkst_programs_load(struct lkst_err *e, struct lkst_programs *p, const struct lkst_plan *plan,
		       const struct lkst_filter *filter, const struct lkst_memory *memory,
		       const struct lkst_control *control, u32 budget_ppm)
{
	_cleanup_(lkst_tracing_endp) struct lkst_tracing *tracing = NULL;
	_cleanup_close_ int memory_fd = -1;
	struct lkst_program_config found = {};
	struct rejected rejected = { .is_floor = plan->kernel && lkst_floor_is_needed(plan->kernel) };
	struct lkst_err why = {};
	bool reads_memory;
	int err;

	lkst_programs_quiet();
	err = lkst_tracing_begin(e, plan->kernel, &tracing);
	if (err)
		return err;
	memory_fd = create_memory(e, memory);
	if (memory_fd < 0)
		return memory_fd;
	reads_memory = plan->kernel && lkst_kernel_lets_read_memory();
	/* Without that, who is woken is recorded nevertheless. */
	if (reads_memory && lkst_waker_context_find(&why, plan->kernel, &found))
		lkst_notes_add(&p->notes,
			       "Whether an interrupt, a softirq or a thread wakes a thread is not recorded: %s.",
			       why.text);
	if (reads_memory && plan->id[LKST_EV_tick] && lkst_tick_place_find(&why, plan->kernel, &found))
		lkst_notes_add(&p->notes, "Where threads are that run is not recorded at ticks: %s.", why.text);
	/* Without that, a call that goes on has its own name, restart_syscall. */
	(void)lkst_restarts_find(&why, &found);
	do {
		/* An object that failed to load can't be loaded again. */
		lkst_bpf__destroy(p->skel);
		err = programs_open(e, rejected.is_floor, &p->skel);
		if (err)
			return err;
		p->skel->rodata_config->lkst_cfg = found;
		p->skel->rodata_config->lkst_cfg.is_floor = rejected.is_floor;
		configure(p, plan, filter, memory, control);
		p->skel->data_control->lkst_control = *control;
		err = programs_try_to_load(e, p, plan, filter, memory, budget_ppm, memory_fd, &rejected);
	} while (err > 0);
	if (err)
		return err;
	find_page_base(p);
	return fill_filter(e, p, filter) ?:
	       lkst_perf_counters_open(e, plan->counters, bpf_map__fd(p->skel->maps.lkst_counters),
				       memory->nr_cpus);
}

const struct lkst_shared_map lkst_shared_maps[] = {
	{ ".rodata.config", "config" }, { ".rodata.sys64", "sys64" },
	{ ".rodata.sys32", "sys32" },	{ ".rodata.tps", "tracepoints" },
	{ ".data.page", "page-base" },	{ "lkst_filter", "filter" },
	{ "lkst_idle", "idle" },	{ "lkst_counters", "counters" },
	{ "lkst_counted", "counted" },	{ "lkst_stacks", "stacks" },
	{ "lkst_left", "off-cpu" },	{ "lkst_kept", "kept" },
	{},
};

int lkst_programs_pin_maps(struct lkst_err *e, const struct lkst_programs *p, struct lkst_own_pins *own)
{
	const struct lkst_shared_map *m;
	const struct bpf_map *claims;
	int err = 0;

	for (m = lkst_shared_maps; m->map && !err; m++)
		err = lkst_pins_put(e, own, bpf_object__find_map_fd_by_name(p->skel->obj, m->map),
				    m->pin);
	claims = bpf_object__find_map_by_name(p->skel->obj, LKST_CLAIMS_MAP);
	return err || !claims ? err : lkst_pins_put(e, own, bpf_map__fd(claims), LKST_CLAIMS_PIN);
}

const void *lkst_programs_elf(size_t *ret_size)
{
	return lkst_bpf__elf_bytes(ret_size);
}

struct bpf_object *lkst_programs_object(const struct lkst_programs *p)
{
	return p->skel->obj;
}

int lkst_programs_memory_fd(const struct lkst_programs *p)
{
	return bpf_map__fd(p->skel->maps.lkst_mem);
}

int lkst_programs_control_fd(const struct lkst_programs *p)
{
	return bpf_map__fd(p->skel->maps.data_control);
}

int lkst_programs_command_fd(const struct lkst_programs *p, enum lkst_command command)
{
	int fd = bpf_program__fd(command_program(p, command));

	return fd < 0 ? -1 : dup(fd);
}

static int programs_add_hook(struct lkst_err *e, struct lkst_hooks *hooks, enum lkst_hook_kind kind,
			     const char *target, const struct bpf_program *program)
{
	int fd = dup(bpf_program__fd(program));

	return fd < 0 ? lkst_err_sys(e, -errno, "hook %s", target)
		      : lkst_hooks_add(e, hooks, kind, target, fd, -1);
}

int lkst_programs_list_hooks(struct lkst_err *e, const struct lkst_programs *p,
			     const struct lkst_plan *plan, struct lkst_hooks *hooks)
{
	const bool follows = p->skel->rodata_config->lkst_cfg.filter == LKST_FILTER_TREE;
	struct bpf_program *program;
	unsigned int i;
	int err;

	bpf_object__for_each_program(program, p->skel->obj)
	{
		enum lkst_hook_kind kind;
		const char *target;

		if (!bpf_program__autoload(program) ||
		    !lkst_hook_parse(bpf_program__name(program), &kind, &target))
			continue;
		err = programs_add_hook(e, hooks, kind, target, program);
		if (err)
			return err;
		hooks->items[hooks->nr - 1].is_always =
			follows && (program == p->skel->progs.tp_btf__sched_process_fork ||
				    program == p->skel->progs.tp_btf__sched_process_free);
	}
	for (i = 0; i < plan->nr_tracepoints; i++) {
		program = plan->tracepoints[i].plan.probe ? p->skel->progs.probe__any : p->skel->progs.tp__any;
		if (!bpf_program__autoload(program))
			return lkst_err_set(e, -ENOTSUP,
					    "this kernel is too old to record tracepoints by name, such as %s",
					    plan->tracepoints[i].name);
		err = programs_add_hook(e, hooks, LKST_HOOK_BY_NAME, plan->tracepoints[i].name, program);
		if (err)
			return err;
		hooks->items[hooks->nr - 1].perf_id = plan->tracepoints[i].perf_id;
	}
	lkst_hooks_assign(hooks, plan->catalog);
	return 0;
}

/* A descriptor of the link that lets an iterator run @program, or -errno. */
static int link_list(const struct bpf_program *program)
{
	struct bpf_link *iter = bpf_program__attach_iter(program, NULL);
	int fd = iter ? dup(bpf_link__fd(iter)) : -1, err = -errno;

	bpf_link__destroy(iter);
	return fd < 0 ? err : fd;
}

int lkst_programs_link_threads(struct lkst_err *e, const struct lkst_programs *p)
{
	int fd = link_list(p->skel->progs.iter__threads);

	return fd < 0 ? lkst_err_sys(e, fd, "preparing the list of threads") : fd;
}

int lkst_programs_link_open_files(const struct lkst_programs *p)
{
	const struct bpf_program *program = p->skel->progs.iter__open_files;

	return bpf_program__fd(program) < 0 ? -ENOENT : link_list(program);
}

void lkst_programs_unload(struct lkst_programs *p)
{
	lkst_notes_fini(&p->notes);
	lkst_bpf__destroy(p->skel);
	p->skel = NULL;
}
