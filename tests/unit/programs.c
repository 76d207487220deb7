// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/programs/programs.h: the kernel programs that were built in are those of the hooks in abi/events.def, each of
 * which has one.
 */
#include "live/programs/programs.h"

#include <bpf/libbpf.h>

#include "lib/unit.h"

static struct bpf_object *open_object(void)
{
	struct bpf_object *object;
	const void *elf;
	size_t size;

	lkst_programs_quiet();
	elf = lkst_programs_elf(&size);
	object = bpf_object__open_mem(elf, size, NULL);
	if (!object)
		abort();
	return object;
}

static bool has_program(const struct lkst_hook_desc *row)
{
	return row->kind != LKST_HOOK_USER && row->kind != LKST_HOOK_NONE;
}

TEST(programs_are_there_for_every_hook)
{
	struct bpf_object *object = open_object();
	char name[LKST_HOOK_NAME_MAX];
	unsigned int i, row, nr = 0;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (row = 0; row < lkst_events[i].nr_hooks; row++) {
			const struct lkst_hook_desc *hook = &lkst_events[i].hooks[row];

			if (!has_program(hook))
				continue;
			nr++;
			lkst_hook_name(lkst_hook_kind(hook), hook->target, name);
			if (bpf_object__find_program_by_name(object, name))
				continue;
			printf("FAIL %s: event %s in src/abi/events.def: no program %s in src/bpf\n",
			       unit_name, lkst_events[i].name, name);
			unit_failed = 1;
		}
	CHECK(nr > 100);
	bpf_object__close(object);
}

static bool is_hook_of_an_event(enum lkst_hook_kind kind, const char *target)
{
	unsigned int i, row;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		for (row = 0; row < lkst_events[i].nr_hooks; row++) {
			const struct lkst_hook_desc *hook = &lkst_events[i].hooks[row];

			if (has_program(hook) && lkst_hook_kind(hook) == kind &&
			    !strcmp(hook->target, target))
				return true;
		}
	return false;
}

TEST(programs_of_hooks_are_those_of_an_event)
{
	struct bpf_object *object = open_object();
	struct bpf_program *program;
	unsigned int nr = 0;

	bpf_object__for_each_program(program, object)
	{
		const char *name = bpf_program__name(program), *target;
		enum lkst_hook_kind kind;

		if (!lkst_hook_parse(name, &kind, &target))
			continue;
		nr++;
		if (is_hook_of_an_event(kind, target))
			continue;
		printf("FAIL %s: program %s in src/bpf: no event in src/abi/events.def has this hook\n",
		       unit_name, name);
		unit_failed = 1;
	}
	CHECK(nr > 80);
	bpf_object__close(object);
}

TEST(programs_are_named_after_their_hooks)
{
	static const struct {
		enum lkst_hook_kind kind;
		const char *target, *name;
	} rows[] = {
		{ LKST_HOOK_TP, "sched_switch", "tp_btf__sched_switch" },
		{ LKST_HOOK_KPROBE, "__wait_on_buffer", "kprobe____wait_on_buffer" },
		{ LKST_HOOK_KRETPROBE, "handle_mm_fault", "kretprobe__handle_mm_fault" },
	};
	char name[LKST_HOOK_NAME_MAX];
	enum lkst_hook_kind kind;
	const char *target;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lkst_hook_name(rows[i].kind, rows[i].target, name);
		CHECK_STR(name, rows[i].name);
		CHECK(lkst_hook_parse(name, &kind, &target));
		CHECK_EQ(kind, rows[i].kind);
		CHECK_STR(target, rows[i].target);
	}
	lkst_hook_name(LKST_HOOK_BY_NAME, "ext4:ext4_sync.x", name);
	CHECK_STR(name, "tp__ext4-ext4_sync-x");
	/* These are attached to no hook of their own. */
	CHECK(!lkst_hook_parse(LKST_ANY_TRACEPOINT, &kind, &target));
	CHECK(!lkst_hook_parse("syscall__symbol", &kind, &target));
	CHECK_STR(lkst_hook_target("syscall__symbol"), "symbol");
}

static const struct unit_test tests[] = {
	{ "programs_are_there_for_every_hook", test_programs_are_there_for_every_hook },
	{ "programs_of_hooks_are_those_of_an_event", test_programs_of_hooks_are_those_of_an_event },
	{ "programs_are_named_after_their_hooks", test_programs_are_named_after_their_hooks },
};

UNIT_MAIN(tests)
