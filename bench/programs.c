/* SPDX-License-Identifier: GPL-2.0-only */
/* LKST's kernel programs and rings, loaded for measuring. */
#include "programs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "abi/budget.h"
#include "abi/control.h"
#include "abi/handler.h"
#include "abi/program.h"
#include "abi/state.h"
#include "common.h"
#include "live/kernel/plan.h"
#include "live/rings/memory.h"
#include "unit.skel.h"

enum {
	SET_OFF, /* the maskset of all zeroes: no event is wanted */
	SET_ON,
};

static struct {
	struct unit_bpf *skel;
	struct lkst_memory memory;
	struct lkst_state *states; /* the first elements of the memory array */
	struct lkst_control *control;
	struct ring_buffer *ringbuf;
	u8 uuid[16], memory_id[16];
} it;

static void choose_programs(const char *const *names)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, it.skel->obj)
		bpf_program__set_autoload(program, false);
	for (; *names; names++) {
		program = bpf_object__find_program_by_name(it.skel->obj, *names);
		if (!program)
			bench_die("there is no program %s", *names);
		bpf_program__set_autoload(program, true);
	}
}

/* What src/live/programs/programs.c tells the programs. */
static void configure(const struct lkst_plan *plan)
{
	struct lkst_program_config *cfg = &it.skel->rodata_config->lkst_cfg;
	unsigned int i;

	memcpy(cfg->memory_id, it.memory_id, sizeof(cfg->memory_id));
	cfg->block_shift = it.memory.block_shift;
	cfg->nr_cpus = it.memory.nr_cpus;
	cfg->has_compat = plan->has_compat;
	cfg->handler = LKST_HANDLER_DEFAULT;
	for (i = 0; i < LKST_NR_EVENTS; i++)
		cfg->id[i] = plan->id[i];
	memcpy(it.skel->rodata_sys64->lkst_sys64, plan->sys64, sizeof(plan->sys64));
	memcpy(it.skel->rodata_sys32->lkst_sys32, plan->sys32, sizeof(plan->sys32));
	if (bpf_map__set_value_size(it.skel->maps.lkst_mem, 1U << it.memory.block_shift) ||
	    bpf_map__set_max_entries(it.skel->maps.lkst_mem, it.memory.nr_elements) ||
	    bpf_map__set_max_entries(it.skel->maps.lkst_idle, it.memory.nr_cpus) ||
	    bpf_map__set_max_entries(it.skel->maps.lkst_filter, 1))
		bench_die("sizing the buffers");
}

static void map_rings(const struct lkst_plan *plan)
{
	int memory = bpf_map__fd(it.skel->maps.lkst_mem);
	u32 nr = it.memory.nr_cpus * LKST_NR_BUFFERS, i, id;
	size_t element = 1UL << it.memory.block_shift;

	it.states = mmap(NULL, nr * element, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (it.states == MAP_FAILED)
		bench_die("mapping the buffers: %s", strerror(errno));
	it.control = &it.skel->data_control->lkst_control;
	memcpy(it.control->memory_id, it.memory_id, sizeof(it.memory_id));
	memcpy(it.control->uuid, it.uuid, sizeof(it.uuid));
	for (i = 0; i < it.memory.nr_cpus * LKST_BUFFERS_AT_START; i++) {
		it.control->page[i / it.memory.nr_cpus][i % it.memory.nr_cpus] = i;
		lkst_memory_init_state(&it.memory, i % it.memory.nr_cpus, i / it.memory.nr_cpus,
				       it.control, &it.states[i]);
	}
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		it.control->route[SET_OFF][id] = lkst_route(LKST_HANDLER_NOTHING, 0);
		it.control->route[SET_ON][id] = lkst_route(
			plan->is_wanted[id] ? LKST_HANDLER_DEFAULT : LKST_HANDLER_NOTHING,
			plan->buffer[id]);
	}
}

static int discard(void *ctx, void *data, size_t size)
{
	return 0;
}

void programs_load(const char *const *names, u64 buffer_bytes)
{
	struct lkst_plan *plan;
	struct lkst_err e;

	if (lkst_plan_make(&e, NULL, 0, NULL, &plan) ||
	    lkst_memory_plan(&e, buffer_bytes, 1 << LKST_BLOCK_SHIFT_MIN, 0, 0, false,
			     &it.memory))
		bench_die("%s", e.text);
	if (getrandom(it.uuid, sizeof(it.uuid), 0) < 0 ||
	    getrandom(it.memory_id, sizeof(it.memory_id), 0) < 0)
		bench_die("making a UUID: %s", strerror(errno));
	it.skel = unit_bpf__open();
	if (!it.skel)
		bench_die("opening the kernel programs: %s", strerror(errno));
	choose_programs(names);
	configure(plan);
	if (unit_bpf__load(it.skel))
		bench_die("loading the kernel programs: %s", strerror(errno));
	map_rings(plan);
	it.ringbuf = ring_buffer__new(bpf_map__fd(it.skel->maps.bench_ring), discard, NULL, NULL);
	if (!it.ringbuf)
		bench_die("mapping the ring buffer: %s", strerror(errno));
	lkst_plan_free(plan);
	programs_arm(true);
}

void programs_unload(void)
{
	munmap(it.states, ((size_t)it.memory.nr_cpus * LKST_NR_BUFFERS) << it.memory.block_shift);
	ring_buffer__free(it.ringbuf);
	unit_bpf__destroy(it.skel);
	lkst_memory_free(&it.memory);
	memset(&it, 0, sizeof(it));
}

struct bpf_link *programs_attach(const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(it.skel->obj, name);
	struct bpf_link *link = program ? bpf_program__attach(program) : NULL;

	if (!link)
		bench_die("attaching %s: %s", name, strerror(errno));
	return link;
}

void programs_arm(bool on)
{
	__atomic_store_n(&it.control->active, on ? SET_ON : SET_OFF, __ATOMIC_RELEASE);
}

u64 programs_recorded_bytes(unsigned int cpu)
{
	u64 sum = 0;
	unsigned int level;

	for (level = 0; level < LKST_LEVELS; level++)
		sum += __atomic_load_n(&it.states[cpu].ring[level].done, __ATOMIC_ACQUIRE);
	return sum;
}

u64 programs_lost(unsigned int cpu)
{
	u64 lost = 0;
	unsigned int i;

	for (i = 0; i < LKST_LOSS_NR; i++)
		lost += __atomic_load_n(&it.states[cpu].lost[i], __ATOMIC_ACQUIRE);
	return lost;
}

void programs_drain_ringbuf(void)
{
	ring_buffer__consume(it.ringbuf);
}

u64 programs_ringbuf_lost(void)
{
	return __atomic_load_n(&it.skel->data_bench->bench_ring_lost, __ATOMIC_ACQUIRE);
}
