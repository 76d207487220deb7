// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * abi/events.def: what paragraphs say besides hooks and fields, and what holds where they say nothing.
 */
#include "abi/events.h"

#include "abi/budget.h"
#include "abi/control.h"
#include "lib/unit.h"
#include "masks/mask.h"
#include "trace/format/catalog.h"
#include "trace/format/half.h"

static struct lkst_err e;

TEST(events_without_a_value_have_that_of_their_pair_or_group)
{
	CHECK_EQ(lkst_event_value(LKST_EV_kmalloc), 20);
	CHECK_EQ(lkst_event_value(LKST_EV_vfree), lkst_group_values[LKST_GROUP_MEMORY]);
	CHECK_EQ(lkst_event_value(LKST_EV_local_timer_entry), 30);
	CHECK_EQ(lkst_event_value(LKST_EV_local_timer_exit), 30);
	CHECK_EQ(lkst_event_value(LKST_EV_softirq_exit), lkst_group_values[LKST_GROUP_IRQ]);
	CHECK_EQ(lkst_event_value(LKST_EV_panic), LKST_KIND_PRECIOUS);
	/* Every maskset has it: that says more than a value. */
	CHECK_EQ(lkst_event_value(LKST_EV_sched_process_fork), LKST_KIND_PRECIOUS);
}

TEST(events_of_no_group_are_precious_unless_they_say_so)
{
	unsigned int group;

	for (group = 0; group < LKST_NR_GROUPS; group++) {
		bool is_decided = group != LKST_GROUP_RECORDER && group != LKST_GROUP_STATE &&
				  group != LKST_GROUP_HANDLER && group != LKST_GROUP_MARK;

		CHECK(lkst_group_values[group] > 0);
		CHECK_EQ(lkst_group_values[group] < LKST_KIND_PRECIOUS, is_decided);
	}
}

TEST(events_of_a_pair_follow_each_other)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		const struct lkst_event_desc *d = &lkst_events[i];

		if (!d->entry)
			continue;
		CHECK(d->entry - 1u < i);
		CHECK_EQ(lkst_events[d->entry - 1].entry, 0);
		CHECK_EQ(lkst_events[d->entry - 1].group, d->group);
		CHECK_EQ(lkst_event_value(i), lkst_event_value(d->entry - 1));
	}
}

static bool has_field(const struct lkst_event_desc *d, const char *name)
{
	unsigned int i;

	for (i = 0; i < d->nr_fields; i++)
		if (!strcmp(d->fields[i].name, name))
			return true;
	return false;
}

TEST(events_that_end_others_have_their_key_in_common)
{
	unsigned int i, nr = 0;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		const struct lkst_event_desc *d = &lkst_events[i];
		bool has_key = d->ends_by == LKST_ENDS_BY_FIELD || d->ends_by == LKST_ENDS_BY_PARTS;

		CHECK_EQ(d->ends_by != LKST_ENDS_NOTHING, d->begin != 0);
		if (!d->begin)
			continue;
		nr++;
		CHECK_EQ(d->key[0] != 0, has_key);
		if (has_key)
			CHECK(has_field(d, d->key) &&
			      has_field(&lkst_events[d->begin - 1], d->key));
	}
	CHECK(nr > 8);
}

TEST(events_that_why_keeps_name_their_other_thread)
{
	struct lkst_catalog *c = lkst_catalog_new();
	unsigned int i, nr = 0;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		const struct lkst_event_desc *d = &lkst_events[i];

		if (lkst_catalog_add_builtin(&e, c, (u16)(i + 1), i))
			abort();
		if (!d->is_for_why || !d->target[0])
			continue;
		nr++;
		CHECK_EQ(lkst_class_field(c->classes[i + 1], d->target)->meaning, LKST_MEANING_TID);
	}
	CHECK_EQ(nr, 6);
	lkst_catalog_free(c);
}

TEST(events_say_which_masksets_and_which_buffer_have_them)
{
	CHECK(lkst_mask_has_always(LKST_EV_task_rename));
	CHECK(!lkst_mask_has_always(LKST_EV_sched_switch));
	CHECK(lkst_mask_has_by_default(&lkst_events[LKST_EV_contention_begin]));
	CHECK(!lkst_mask_has_by_default(&lkst_events[LKST_EV_spin_lock]));
	CHECK_EQ(lkst_events[LKST_EV_oops].buffer, LKST_BUFFER_LIFE);
	CHECK_EQ(lkst_events[LKST_EV_sched_switch].buffer, LKST_BUFFER_MAIN);
}

/* ---- halves ----------------------------------------------------------------------------------- */

/* A trace of this event and, unless it is NULL, of this one; how the first is then known. */
static struct lkst_event_class class_of(const char *name, const char *other)
{
	struct lkst_event_class one = { .id = 7 }, two = { .id = 9 }, found;
	struct lkst_catalog *c = lkst_catalog_new();

	snprintf(one.name, sizeof(one.name), "%s", name);
	snprintf(two.name, sizeof(two.name), "%s", other ?: "");
	if (lkst_catalog_add(&e, c, &one) || (other && lkst_catalog_add(&e, c, &two)))
		abort();
	if (other && c->classes[9]->other_half != (c->classes[7]->other_half ? 7 : 0))
		abort();
	found = *c->classes[7];
	lkst_catalog_free(c);
	return found;
}

TEST(halves_of_system_calls_are_known_by_their_names)
{
	static const struct {
		const char *name, *other, *call;
		enum lkst_half half;
		bool is_compat;
	} rows[] = {
		{ "syscall_entry_read", "syscall_exit_read", "read", LKST_HALF_ENTRY, false },
		{ "syscall_exit_read", "syscall_entry_read", "read", LKST_HALF_EXIT, false },
		{ "compat_syscall_exit_read", "compat_syscall_entry_read", "read", LKST_HALF_EXIT,
		  true },
		/* Of another kernel, with calls that this program does not know. */
		{ "syscall_entry_new_call", "syscall_exit_new_call", "new_call", LKST_HALF_ENTRY,
		  false },
		{ "compat_syscall_entry_unknown", "compat_syscall_exit_unknown", "unknown",
		  LKST_HALF_ENTRY, true },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lkst_event_class class = class_of(rows[i].name, rows[i].other);

		CHECK_EQ(class.half, rows[i].half);
		CHECK_EQ(class.is_compat, rows[i].is_compat);
		CHECK_STR(lkst_class_call(&class), rows[i].call);
		CHECK_EQ(class.other_half, 9);
		CHECK_EQ(class.group, LKST_GROUP_SYSCALL);
	}
	/* A 32-bit program's call is another call. */
	CHECK_EQ(class_of("syscall_entry_read", "compat_syscall_exit_read").other_half, 0);
	CHECK_EQ(class_of("syscall_entry_read", NULL).half, LKST_HALF_ENTRY);
}

TEST(halves_of_other_events_are_those_of_the_catalogue)
{
	CHECK_EQ(class_of("softirq_exit", "softirq_entry").half, LKST_HALF_EXIT);
	CHECK_EQ(class_of("workqueue_execute_start", "workqueue_execute_end").other_half, 9);
	CHECK_EQ(class_of("softirq_entry", NULL).half, LKST_HALF_ENTRY);
	CHECK(!lkst_class_call(&(struct lkst_event_class){ .name = "softirq_exit" }));
	/* These are only called as halves are. */
	CHECK_EQ(class_of("page_fault_exit", NULL).half, LKST_HALF_NONE);
	CHECK_EQ(class_of("hrtimer_start", NULL).half, LKST_HALF_NONE);
}

TEST(halves_of_tracepoints_by_name_are_called_as_such)
{
	CHECK_EQ(class_of("fs:write_begin", "fs:write_end").other_half, 9);
	CHECK_EQ(class_of("fs:write_end", "fs:write_start").other_half, 9);
	CHECK_EQ(class_of("fs:write_end", "fs:write_start").half, LKST_HALF_EXIT);
	CHECK_EQ(class_of("fs:write_end", "fs:read_start").other_half, 0);
	CHECK_EQ(class_of("fs:write", NULL).half, LKST_HALF_NONE);
}

TEST(halves_are_named_by_what_they_have_in_common)
{
	static const struct {
		const char *entry, *exit, *name;
	} rows[] = {
		{ "softirq_entry", "softirq_exit", "softirq" },
		{ "syscall_entry_read", "syscall_exit_read", "syscall:read" },
		{ "compat_syscall_entry_mmap_pgoff", "compat_syscall_exit_mmap_pgoff",
		  "compat_syscall:mmap_pgoff" },
		{ "fs:write_begin", "fs:write_end", "fs:write" },
		{ "up", "down", "up" },
	};
	char name[LKST_NAME_MAX];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lkst_half_common_name(rows[i].entry, rows[i].exit, name, sizeof(name));
		CHECK_STR(name, rows[i].name);
	}
}

static const struct unit_test tests[] = {
	{ "events_without_a_value_have_that_of_their_pair_or_group",
	  test_events_without_a_value_have_that_of_their_pair_or_group },
	{ "events_of_no_group_are_precious_unless_they_say_so",
	  test_events_of_no_group_are_precious_unless_they_say_so },
	{ "events_of_a_pair_follow_each_other", test_events_of_a_pair_follow_each_other },
	{ "events_that_end_others_have_their_key_in_common",
	  test_events_that_end_others_have_their_key_in_common },
	{ "events_that_why_keeps_name_their_other_thread",
	  test_events_that_why_keeps_name_their_other_thread },
	{ "events_say_which_masksets_and_which_buffer_have_them",
	  test_events_say_which_masksets_and_which_buffer_have_them },
	{ "halves_of_system_calls_are_known_by_their_names",
	  test_halves_of_system_calls_are_known_by_their_names },
	{ "halves_of_other_events_are_those_of_the_catalogue",
	  test_halves_of_other_events_are_those_of_the_catalogue },
	{ "halves_of_tracepoints_by_name_are_called_as_such",
	  test_halves_of_tracepoints_by_name_are_called_as_such },
	{ "halves_are_named_by_what_they_have_in_common",
	  test_halves_are_named_by_what_they_have_in_common },
};

UNIT_MAIN(tests)
