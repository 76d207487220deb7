/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost limit of a recording. */
#include "live/cost/cost_limit.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/cost/first_kinds.h"
#include "live/cost/kinds.h"
#include "live/cost/measure.h"
#include "live/cost/measure_program.h"
#include "live/hooks/hook_groups.h"
#include "live/kernel/kernel_types.h"

#define START_PROGRAM "syscall__budget_start"

/* How long runs are counted before recording begins, and how long the controller's first look is waited for at most. */
#define FIRST_RUNS_NS 50000000
#define FIRST_LOOK_NS 1000000000ULL

static struct bpf_map *find_map(const struct bpf_object *object, const char *name)
{
	return bpf_object__find_map_by_name(object, name);
}

static int size_map(const struct bpf_object *object, const char *name, u32 nr)
{
	return bpf_map__set_max_entries(find_map(object, name), nr);
}

int lkst_budget_choose(struct lkst_err *e, struct bpf_object *object, const struct lkst_plan *plan,
		       const struct lkst_memory *memory, u32 limit_ppm)
{
	static const char *const maps[] = { "lkst_kinds", "lkst_hook_groups", "lkst_asks",
					    "lkst_budget_cpus", "lkst_budget_timer" };
	_cleanup_free_ struct lkst_kind_desc *kinds = NULL;
	const struct lkst_costs none = {};
	unsigned int nr, i;

	lkst_measure_choose(object, plan);
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, START_PROGRAM),
				  limit_ppm != 0);
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		bpf_map__set_autocreate(find_map(object, maps[i]), limit_ppm != 0);
	if (!limit_ppm)
		return 0;
	if (lkst_kernel_is_realtime())
		return lkst_err_set(
			e, -ENOTSUP,
			"this kernel is one for real time (PREEMPT_RT), on which a cost "
			"limit cannot be kept; omit --budget");
	if (!lkst_kernel_can_limit())
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is too old for what keeps a cost limit (it has no "
				    "bpf_loop()); omit --budget");
	return lkst_kinds_list(e, plan->catalog, &none, &kinds, &nr) ?:
	       size_map(object, "lkst_kinds", lkst_hook_groups_rows(nr) + LKST_BUDGET_ADDED) ?:
	       size_map(object, "lkst_hook_groups", nr + LKST_BUDGET_ADDED) ?:
	       size_map(object, "lkst_asks", sysconf(_SC_PAGESIZE)) ?:
	       size_map(object, "lkst_budget_cpus", memory->nr_cpus);
}

static void *map_memory(int fd, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, (bytes + page - 1) & ~(page - 1), PROT_READ | PROT_WRITE, MAP_SHARED,
		       fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap_memory(void *p, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	munmap(p, (bytes + page - 1) & ~(page - 1));
}

static u16 cost_limit_fit(u32 unit_ns)
{
	return unit_ns < UINT16_MAX ? unit_ns : UINT16_MAX;
}

static struct lkst_kind make_kind(const struct lkst_kind_desc *k, u16 group)
{
	struct lkst_kind kind = {
		.id = { k->id[0], k->id[1] },
		.unit_ns = cost_limit_fit(k->unit.hook_ns + k->unit.handler_ns),
		.idle_ns = cost_limit_fit(k->unit.hook_ns),
		.value = k->value,
		.name_length = (u8)strlen(k->name),
		.group = group,
	};

	memcpy(kind.name, k->name, sizeof(kind.name));
	return kind;
}

static void cost_limit_fill(struct lkst_budget *budget, struct lkst_kind *table,
			    const struct lkst_kind_desc *kinds, unsigned int nr)
{
	unsigned int i, half;

	for (i = 0; i < nr; i++) {
		const struct lkst_kind_desc *k = &kinds[i];

		table[i] = make_kind(k, LKST_GROUP_NONE);
		for (half = 0; half < 2; half++)
			if (k->id[half])
				budget->kind_of[k->id[half]] = i;
	}
	budget->nr_kinds = nr;
}

static int fill_kinds(struct lkst_err *e, struct lkst_budget *budget, int kinds_fd,
		      const struct lkst_catalog *catalog)
{
	_cleanup_free_ struct lkst_kind_desc *kinds = NULL;
	struct lkst_kind *table;
	unsigned int nr;
	int err = lkst_kinds_list(e, catalog, &budget->costs, &kinds, &nr);

	if (err)
		return err;
	table = map_memory(kinds_fd, nr * sizeof(*table));
	if (!table)
		return lkst_err_sys(e, -errno,
				    "telling the controller of costs the kinds of events");
	cost_limit_fill(budget, table, kinds, nr);
	unmap_memory(table, nr * sizeof(*table));
	return 0;
}

static int start_controller(struct lkst_err *e, const struct bpf_object *object)
{
	int fd = bpf_program__fd(bpf_object__find_program_by_name(object, START_PROGRAM));
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = fd < 0 ? -ENOTSUP : bpf_prog_test_run_opts(fd, &opts);

	if (!err && opts.retval)
		err = -ENOTSUP;
	return err ? lkst_err_sys(e, err,
				  "starting the controller of costs, which this kernel may not be "
				  "able to run; omit --budget")
		   : 0;
}

int lkst_budget_start(struct lkst_err *e, const struct bpf_object *object,
		      const struct lkst_plan *plan, const struct lkst_memory *memory,
		      struct lkst_rings *r, u32 limit_ppm, struct lkst_budget_fds *ret_fds)
{
	struct lkst_budget_fds fds = LKST_BUDGET_NO_FDS;
	struct lkst_budget *budget;
	int err = 0;

	fds.budget_fd = bpf_map__fd(find_map(object, ".data.budget"));
	budget = map_memory(fds.budget_fd, sizeof(*budget));
	if (!budget)
		return lkst_err_sys(e, -errno, "telling the controller of costs its limit");
	*budget = (struct lkst_budget){ .magic = LKST_BUDGET_MAGIC,
					.version = LKST_ABI_VERSION,
					.limit_ppm = limit_ppm,
					.retry_s = LKST_BUDGET_RETRY_S };
	memset(budget->kind_of, 0xff, sizeof(budget->kind_of));
	err = lkst_measure_costs(e, object, plan, memory, r, &budget->costs);
	if (!err && limit_ppm) {
		fds.kinds_fd = bpf_map__fd(find_map(object, "lkst_kinds"));
		fds.timer_fd = bpf_map__fd(find_map(object, "lkst_budget_timer"));
		err = fill_kinds(e, budget, fds.kinds_fd, plan->catalog);
	}
	unmap_memory(budget, sizeof(*budget));
	if (err)
		return err;
	*ret_fds = LKST_BUDGET_NO_FDS;
	ret_fds->budget_fd = dup(fds.budget_fd);
	ret_fds->idle_fd = dup(bpf_map__fd(find_map(object, "lkst_idle")));
	if (!limit_ppm)
		return 0;
	ret_fds->kinds_fd = dup(fds.kinds_fd);
	ret_fds->groups_fd = dup(bpf_map__fd(find_map(object, "lkst_hook_groups")));
	ret_fds->asks_fd = dup(bpf_map__fd(find_map(object, "lkst_asks")));
	ret_fds->timer_fd = dup(fds.timer_fd);
	return 0;
}

static int find_groups(struct lkst_err *e, struct lkst_budget *budget, struct lkst_kind *kinds,
		       struct lkst_hook_group *groups, const struct lkst_hooks *hooks)
{
	unsigned int nr_kinds = budget->nr_kinds, nr_groups;
	int err;

	if (!kinds || !groups)
		return lkst_err_sys(e, -ENOMEM, "telling the controller of costs its hooks");
	err = lkst_hook_groups_find(e, hooks, kinds, &nr_kinds, groups, &nr_groups);
	if (err)
		return err;
	budget->nr_kinds = nr_kinds;
	/* The controller, which may have begun, looks at groups only when their number has been stored. */
	__atomic_store_n(&budget->nr_groups, nr_groups, __ATOMIC_RELEASE);
	return 0;
}

int lkst_budget_group(struct lkst_err *e, const struct lkst_budget_fds *fds,
		      const struct lkst_hooks *hooks)
{
	struct lkst_hook_group *groups;
	struct lkst_budget *budget;
	struct lkst_kind *kinds;
	size_t kinds_bytes, groups_bytes;
	int err;

	if (fds->kinds_fd < 0)
		return 0;
	budget = map_memory(fds->budget_fd, sizeof(*budget));
	if (!budget)
		return lkst_err_sys(e, -errno, "telling the controller of costs its hooks");
	kinds_bytes = lkst_hook_groups_rows(budget->nr_kinds) * sizeof(*kinds);
	groups_bytes = budget->nr_kinds * sizeof(*groups);
	kinds = map_memory(fds->kinds_fd, kinds_bytes);
	groups = map_memory(fds->groups_fd, groups_bytes);
	err = find_groups(e, budget, kinds, groups, hooks);
	if (kinds)
		unmap_memory(kinds, kinds_bytes);
	if (groups)
		unmap_memory(groups, groups_bytes);
	unmap_memory(budget, sizeof(*budget));
	return err;
}

/* ---- beginning -------------------------------------------------------------------------------- */

/* Counts how often programs run on each CPU for a moment, which takes *@ret_ns. What records is not counted. */
static int cost_limit_count_runs(struct lkst_err *e, const struct lkst_budget_fds *fds, u32 nr_cpus,
				 struct lkst_idle *ret_runs, u64 *ret_ns)
{
	const struct timespec moment = { .tv_nsec = FIRST_RUNS_NS };
	_cleanup_free_ struct lkst_idle *before = calloc(nr_cpus + 1, sizeof(*before));
	u64 begin = lkst_monotonic_ns();
	u32 cpu, id;
	int err = before ? 0 : lkst_err_sys(e, -ENOMEM, "counting what recording would cost");

	for (cpu = 0; cpu < nr_cpus && !err; cpu++)
		err = lkst_budget_read_idle(e, fds, cpu, &before[cpu]);
	if (err)
		return err;
	nanosleep(&moment, NULL);
	for (cpu = 0; cpu < nr_cpus && !err; cpu++) {
		err = lkst_budget_read_idle(e, fds, cpu, &ret_runs[cpu]);
		for (id = 0; id < LKST_EVENT_SPACE; id++)
			ret_runs[cpu].runs[id] = ret_runs[cpu].runs[id] > before[cpu].runs[id]
							 ? ret_runs[cpu].runs[id] - before[cpu].runs[id]
							 : 0;
	}
	*ret_ns = lkst_monotonic_ns() - begin;
	return err;
}

/* Marks what has no room, of what @is_wanted. */
static int choose_first(struct lkst_err *e, const struct lkst_budget_fds *fds, const struct lkst_budget *budget,
			const bool *is_wanted, u32 nr_cpus)
{
	const size_t bytes = budget->nr_kinds * sizeof(struct lkst_kind);
	_cleanup_free_ struct lkst_idle *runs = calloc(nr_cpus + 1, sizeof(*runs));
	struct lkst_kind *kinds;
	u64 ns = 0;
	int err = runs ? cost_limit_count_runs(e, fds, nr_cpus, runs, &ns)
		       : lkst_err_sys(e, -ENOMEM, "counting what recording would cost");

	if (err)
		return err;
	kinds = map_memory(fds->kinds_fd, bytes);
	if (!kinds)
		return lkst_err_sys(e, -errno, "telling the controller of costs what to begin without");
	lkst_first_kinds_choose(kinds, budget->nr_kinds, is_wanted, runs, nr_cpus, ns, budget->limit_ppm);
	unmap_memory(kinds, bytes);
	return 0;
}

/* Until then nothing is left out that is to be. */
static void wait_for_look(const struct lkst_budget *budget)
{
	const struct timespec nap = { .tv_nsec = 200000 };
	u64 until = lkst_monotonic_ns() + FIRST_LOOK_NS;

	while (!__atomic_load_n(&budget->tick_ns, __ATOMIC_ACQUIRE) && lkst_monotonic_ns() < until)
		nanosleep(&nap, NULL);
}

int lkst_budget_begin(struct lkst_err *e, const struct bpf_object *object, const struct lkst_budget_fds *fds,
		      const bool *is_wanted, u32 nr_cpus)
{
	struct lkst_budget *budget;
	int err;

	if (fds->kinds_fd < 0)
		return 0;
	budget = map_memory(fds->budget_fd, sizeof(*budget));
	if (!budget)
		return lkst_err_sys(e, -errno, "telling the controller of costs to begin");
	err = choose_first(e, fds, budget, is_wanted, nr_cpus) ?: start_controller(e, object);
	if (!err)
		wait_for_look(budget);
	unmap_memory(budget, sizeof(*budget));
	return err;
}

/* ---- kinds that come later -------------------------------------------------------------------- */

u32 lkst_budget_rows(int fd)
{
	struct bpf_map_info info = {};
	u32 length = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &length) ? 0 : info.max_entries;
}

/* Adds @kind, and a group of its own, to the mapped tables, of @nr_kinds and @nr_groups rows. */
static int cost_limit_add_kind(struct lkst_err *e, struct lkst_budget *budget, struct lkst_kind *kinds,
			       u32 nr_kinds, struct lkst_hook_group *groups, u32 nr_groups,
			       const struct lkst_kind_desc *kind)
{
	const u32 row = budget->nr_kinds, group = budget->nr_groups;

	if (!kinds || !groups)
		return lkst_err_sys(e, -ENOMEM, "telling the controller of costs about %s",
				    kind->name);
	if (row >= nr_kinds || group >= nr_groups)
		return lkst_err_set(e, -ENOSPC,
				    "%s is never left out to keep to the cost limit: that has room "
				    "for %u probes, set one after the other or at once",
				    kind->name, LKST_BUDGET_ADDED);
	groups[group] = (struct lkst_hook_group){ .whole = (u16)row };
	kinds[row] = make_kind(kind, (u16)group);
	/* The controller finds a row by these. */
	__atomic_store_n(&budget->nr_groups, group + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&budget->nr_kinds, row + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&budget->kind_of[kind->id[0]], (u16)row, __ATOMIC_RELEASE);
	return 0;
}

int lkst_budget_add(struct lkst_err *e, const struct lkst_budget_fds *fds,
		    const struct lkst_event_class *event, bool is_watch)
{
	struct lkst_hook_group *groups;
	struct lkst_kind_desc kind;
	struct lkst_budget *budget;
	struct lkst_kind *kinds;
	u32 nr_kinds, nr_groups;
	int err = 0;

	if (fds->kinds_fd < 0)
		return 0;
	budget = map_memory(fds->budget_fd, sizeof(*budget));
	if (!budget)
		return lkst_err_sys(e, -errno, "telling the controller of costs about %s",
				    event->name);
	nr_kinds = lkst_budget_rows(fds->kinds_fd);
	nr_groups = lkst_budget_rows(fds->groups_fd);
	kinds = map_memory(fds->kinds_fd, nr_kinds * sizeof(*kinds));
	groups = map_memory(fds->groups_fd, nr_groups * sizeof(*groups));
	if (is_watch)
		lkst_kind_describe_watch(event, &budget->costs, &kind);
	else
		lkst_kind_describe(event, &budget->costs, &kind);
	if (budget->kind_of[event->id] == LKST_KIND_NONE)
		err = cost_limit_add_kind(e, budget, kinds, nr_kinds, groups, nr_groups, &kind);
	if (kinds)
		unmap_memory(kinds, nr_kinds * sizeof(*kinds));
	if (groups)
		unmap_memory(groups, nr_groups * sizeof(*groups));
	unmap_memory(budget, sizeof(*budget));
	return err;
}

static bool is_measured(const struct lkst_costs *costs)
{
	const u32 all = 1U << LKST_HOOK_TYPE_UPROBE | 1U << LKST_HOOK_TYPE_UPROBE_EMULATED |
			1U << LKST_HOOK_TYPE_URETPROBE;

	return costs->measured & (all << LKST_COST_UNIT_HOOK);
}

/* Nobody adds to these meanwhile: the event's program is not attached. */
static void forget_runs(const struct lkst_budget_fds *fds, u32 nr_cpus, u16 id)
{
	struct lkst_idle *idle = map_memory(fds->idle_fd, nr_cpus * sizeof(*idle));
	u32 cpu;

	for (cpu = 0; idle && cpu < nr_cpus; cpu++)
		__atomic_store_n(&idle[cpu].runs[id], 0, __ATOMIC_RELAXED);
	if (idle)
		unmap_memory(idle, nr_cpus * sizeof(*idle));
}

int lkst_budget_measure_program(struct lkst_err *e, const struct lkst_budget_fds *fds, u32 nr_cpus,
				int program_fd, u16 id, bool is_emulated)
{
	struct lkst_budget *budget = map_memory(fds->budget_fd, sizeof(*budget));
	u32 *bits;

	if (!budget)
		return lkst_err_sys(e, -errno, "measuring what a probe in a program costs");
	bits = &budget->costs.is_emulated[id / 32];
	*bits &= ~(1U << id % 32);
	*bits |= (u32)is_emulated << id % 32;
	if (!is_measured(&budget->costs)) {
		lkst_measure_program(program_fd, &budget->costs);
		forget_runs(fds, nr_cpus, id);
	}
	unmap_memory(budget, sizeof(*budget));
	return 0;
}

bool lkst_budget_leaves_out(const struct lkst_budget_fds *fds, u32 id)
{
	struct lkst_budget budget;
	struct lkst_kind kind;
	u32 key = 0;

	if (fds->kinds_fd < 0 || bpf_map_lookup_elem(fds->budget_fd, &key, &budget))
		return false;
	key = budget.kind_of[id & LKST_ID_MAX];
	return key != LKST_KIND_NONE && !bpf_map_lookup_elem(fds->kinds_fd, &key, &kind) &&
	       kind.is_shed;
}

void lkst_budget_close(struct lkst_budget_fds *fds)
{
	lkst_closep(&fds->budget_fd);
	lkst_closep(&fds->kinds_fd);
	lkst_closep(&fds->groups_fd);
	lkst_closep(&fds->asks_fd);
	lkst_closep(&fds->timer_fd);
	lkst_closep(&fds->idle_fd);
}

/* Copies @nr elements of @size bytes out of an array map. NULL: that failed, with errno set. */
static void *read_map(int fd, unsigned int nr, size_t size)
{
	u8 *copy = calloc(nr + 1, size);
	u32 i;

	for (i = 0; copy && i < nr; i++)
		if (bpf_map_lookup_elem(fd, &i, copy + i * size)) {
			free(lkst_take(copy));
		}
	return copy;
}

int lkst_budget_read_page(struct lkst_err *e, const struct lkst_budget_fds *fds,
			  struct lkst_budget *ret_page)
{
	u32 key = 0;

	if (bpf_map_lookup_elem(fds->budget_fd, &key, ret_page))
		return lkst_err_sys(e, -errno, "reading the cost limit");
	if (ret_page->magic != LKST_BUDGET_MAGIC || ret_page->version != LKST_ABI_VERSION ||
	    ret_page->nr_kinds > 2 * LKST_EVENT_SPACE || ret_page->nr_groups > ret_page->nr_kinds)
		return lkst_err_set(e, -EPROTO,
				    "the cost limit was set by another version of lkst");
	return 0;
}

int lkst_budget_read(struct lkst_err *e, const struct lkst_budget_fds *fds,
		     struct lkst_budget_view *ret_view)
{
	struct lkst_budget_view v = {};
	u32 key = 0;
	int err = lkst_budget_read_page(e, fds, &v.page);

	if (err)
		return err;
	if (v.page.limit_ppm) {
		v.kinds = read_map(fds->kinds_fd, v.page.nr_kinds, sizeof(*v.kinds));
		v.groups = read_map(fds->groups_fd, v.page.nr_groups, sizeof(*v.groups));
		if (!v.kinds || !v.groups) {
			lkst_budget_view_free(&v);
			return lkst_err_sys(e, -errno, "reading what the cost limit leaves out");
		}
	}
	for (key = 0; v.kinds && key < v.page.nr_kinds; key++)
		v.kinds[key].name[LKST_KIND_NAME - 1] = 0;
	*ret_view = v;
	return 0;
}

int lkst_budget_read_idle(struct lkst_err *e, const struct lkst_budget_fds *fds, u32 cpu,
			  struct lkst_idle *ret_idle)
{
	return bpf_map_lookup_elem(fds->idle_fd, &cpu, ret_idle)
		       ? lkst_err_sys(e, -errno, "counting runs that recorded nothing")
		       : 0;
}

bool lkst_budget_is_off(const struct lkst_budget_view *v, unsigned int kind)
{
	u16 group = v->kinds[kind].group;

	return group < v->page.nr_groups && v->groups[group].is_off;
}

u64 lkst_kind_shed_ns(const struct lkst_kind *k, u64 now)
{
	return k->shed_ns + (k->is_shed && now > k->since_ns ? now - k->since_ns : 0);
}

void lkst_budget_view_free(struct lkst_budget_view *v)
{
	free(lkst_take(v->kinds));
	free(lkst_take(v->groups));
}
