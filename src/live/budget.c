/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost limit of a recording. */
#include "live/budget.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/kernel.h"
#include "live/kinds.h"

#define START_PROGRAM "syscall__budget_start"
#define MEASURE_PROGRAM "raw_tp__budget_measure"

static struct bpf_map *find_map(const struct bpf_object *object, const char *name)
{
	return bpf_object__find_map_by_name(object, name);
}

int lkst_budget_choose(struct lkst_err *e, struct bpf_object *object, const struct lkst_plan *plan,
		       const struct lkst_memory *memory, u32 limit_ppm)
{
	static const char *const maps[] = { "lkst_kinds", "lkst_budget_cpus", "lkst_budget_timer" };
	_cleanup_free_ struct lkst_kind_desc *kinds = NULL;
	unsigned int nr, i;
	int err;

	bpf_program__set_autoload(bpf_object__find_program_by_name(object, MEASURE_PROGRAM), true);
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
			"limit cannot be kept; leave --budget away");
	err = lkst_kinds_list(e, plan->catalog, 0, &kinds, &nr);
	if (!err)
		err = bpf_map__set_max_entries(find_map(object, "lkst_kinds"), nr);
	if (!err)
		err = bpf_map__set_max_entries(find_map(object, "lkst_budget_cpus"),
					       memory->nr_cpus);
	return err;
}

/* Takes back what measuring left in the rings, so that nobody finds it, not even in a dump. */
static void clear_rings(const struct lkst_memory *memory, struct lkst_rings *r, const u8 *uuid)
{
	u32 cpu, buffer, level;

	for (buffer = 0; buffer < LKST_BUFFERS_AT_START; buffer++)
		for (cpu = 0; cpu < memory->nr_cpus; cpu++) {
			struct lkst_state *st = lkst_rings_state(r, cpu, buffer);

			for (level = 0; level < LKST_LEVELS; level++)
				memset(r->memory + ((u64)st->ring[level].base << r->block_shift), 0,
				       st->ring[level].opened << r->block_shift);
			memset(st, 0, sizeof(*st));
			lkst_memory_init_state(memory, cpu, buffer, uuid, st);
		}
}

/* What a record costs without its hook, ns: the least of some tries; 0: it cannot be measured. */
static u32 measure(const struct bpf_object *object, const struct lkst_plan *plan,
		   const struct lkst_memory *memory, struct lkst_rings *r)
{
	int fd = bpf_program__fd(bpf_object__find_program_by_name(object, MEASURE_PROGRAM));
	u32 active = r->control->active, best = 0, try;
	u16 *route, kept;

	if (fd < 0)
		return 0;
	/* Nothing is attached yet: the route is for this program alone. */
	route = &r->control->route[active][plan->id[LKST_EV_shed_begin]];
	kept = *route;
	*route = lkst_route(LKST_HANDLER_DEFAULT, LKST_BUFFER_MAIN);
	for (try = 0; try < 5; try++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);
		u32 ns;

		if (bpf_prog_test_run_opts(fd, &opts))
			break;
		ns = opts.retval / LKST_BUDGET_MEASURE;
		best = !best || ns < best ? ns : best;
	}
	*route = kept;
	clear_rings(memory, r, plan->catalog->uuid);
	return best;
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

static void fill(struct lkst_budget *budget, struct lkst_kind *table,
		 const struct lkst_kind_desc *kinds, unsigned int nr)
{
	unsigned int i, half;

	for (i = 0; i < nr; i++) {
		const struct lkst_kind_desc *k = &kinds[i];

		table[i] = (struct lkst_kind){
			.id = { k->id[0], k->id[1] },
			.unit_ns = k->unit.hook_ns + k->unit.handler_ns,
			.idle_ns = k->unit.hook_ns,
			.value = k->value,
			.name_length = strlen(k->name),
		};
		memcpy(table[i].name, k->name, sizeof(table[i].name));
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
	int err = lkst_kinds_list(e, catalog, budget->record_ns, &kinds, &nr);

	if (err)
		return err;
	table = map_memory(kinds_fd, nr * sizeof(*table));
	if (!table)
		return lkst_err_sys(e, -errno,
				    "telling the controller of costs the kinds of events");
	fill(budget, table, kinds, nr);
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
				  "able to run; leave --budget away")
		   : 0;
}

int lkst_budget_start(struct lkst_err *e, const struct bpf_object *object,
		      const struct lkst_plan *plan, const struct lkst_memory *memory,
		      struct lkst_rings *r, u32 limit_ppm, struct lkst_budget_fds *ret_fds)
{
	struct lkst_budget_fds fds = { bpf_map__fd(find_map(object, "lkst_budget")), -1, -1 };
	struct lkst_budget *budget = map_memory(fds.budget_fd, sizeof(*budget));
	int err = 0;

	if (!budget)
		return lkst_err_sys(e, -errno, "telling the controller of costs its limit");
	*budget = (struct lkst_budget){ .magic = LKST_BUDGET_MAGIC,
					.version = LKST_ABI_VERSION,
					.limit_ppm = limit_ppm };
	memset(budget->kind_of, 0xff, sizeof(budget->kind_of));
	budget->record_ns = measure(object, plan, memory, r);
	if (limit_ppm) {
		fds.kinds_fd = bpf_map__fd(find_map(object, "lkst_kinds"));
		fds.timer_fd = bpf_map__fd(find_map(object, "lkst_budget_timer"));
		err = fill_kinds(e, budget, fds.kinds_fd, plan->catalog);
		if (!err)
			err = start_controller(e, object);
	}
	unmap_memory(budget, sizeof(*budget));
	if (err)
		return err;
	ret_fds->budget_fd = dup(fds.budget_fd);
	ret_fds->kinds_fd = limit_ppm ? dup(fds.kinds_fd) : -1;
	ret_fds->timer_fd = limit_ppm ? dup(fds.timer_fd) : -1;
	return 0;
}

int lkst_budget_read(struct lkst_err *e, const struct lkst_budget_fds *fds,
		     struct lkst_budget_view *ret_view)
{
	struct lkst_budget_view v = {};
	u32 key = 0;

	if (bpf_map_lookup_elem(fds->budget_fd, &key, &v.page))
		return lkst_err_sys(e, -errno, "reading the cost limit");
	if (v.page.magic != LKST_BUDGET_MAGIC || v.page.version != LKST_ABI_VERSION ||
	    v.page.nr_kinds > LKST_EVENT_SPACE)
		return lkst_err_set(e, -EPROTO, "the cost limit is of another version of lkst");
	if (v.page.limit_ppm) {
		v.kinds = calloc(v.page.nr_kinds + 1, sizeof(*v.kinds));
		if (!v.kinds)
			return lkst_err_sys(e, -ENOMEM, "reading the cost limit");
	}
	for (key = 0; v.kinds && key < v.page.nr_kinds; key++) {
		if (bpf_map_lookup_elem(fds->kinds_fd, &key, &v.kinds[key])) {
			lkst_budget_view_free(&v);
			return lkst_err_sys(e, -errno, "reading the kinds of events");
		}
		v.kinds[key].name[LKST_KIND_NAME - 1] = 0;
	}
	*ret_view = v;
	return 0;
}

u64 lkst_kind_shed_ns(const struct lkst_kind *k, u64 now)
{
	return k->shed_ns + (k->is_shed && now > k->since_ns ? now - k->since_ns : 0);
}

void lkst_budget_view_free(struct lkst_budget_view *v)
{
	free(v->kinds);
	v->kinds = NULL;
}
