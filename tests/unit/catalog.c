/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The catalogue: layout by CTF's rules, what it refuses, what it knows by name.
 */
#include <time.h>

#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

/* The catalogue that the next test starts from, with one event to be changed at will. */
static struct lkst_catalog *catalog;
static struct lkst_err err;
static struct lkst_field_class fields[LKST_FIELDS_MAX + 1];
static struct lkst_event_class event;

static void start(void)
{
	lkst_catalog_free(catalog);
	catalog = lkst_catalog_new();
	if (!catalog)
		abort();
	memset(fields, 0, sizeof(fields));
	event = (struct lkst_event_class){ .id = 7, .name = "one", .fields = fields };
}

static u16 offset(const struct lkst_event_class *class, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(class, name);

	return f ? f->offset : 1;
}

TEST(catalog_lays_out_builtin_events_as_their_structs)
{
	const struct lkst_event_class *class;
	u16 i;

	start();
	for (i = 0; i < LKST_NR_EVENTS; i++) {
		CHECK_EQ(lkst_catalog_add_builtin(&err, catalog, i + 1, i), 0);
		class = lkst_catalog_find(catalog, lkst_events[i].name);
		CHECK(class && class->id == i + 1);
		CHECK_EQ(class->index, i);
		CHECK_EQ(class->group, lkst_events[i].group);
		CHECK_EQ(class->size, lkst_events[i].size);
		CHECK(class->is_native);
	}
	CHECK_EQ(catalog->nr_classes, LKST_NR_EVENTS);
	class = lkst_catalog_find(catalog, "sched_switch");
	CHECK_EQ(offset(class, "next_tid"), offsetof(struct lkst_rec_sched_switch, next_tid));
	CHECK_EQ(offset(class, "next_prio"), offsetof(struct lkst_rec_sched_switch, next_prio));
	CHECK(lkst_catalog_find(catalog, "sched_waking")->is_fixed);
	CHECK(!lkst_catalog_find(catalog, "state_irq")->is_fixed);
	CHECK(!lkst_catalog_find(catalog, "sched_switc"));
}

TEST(catalog_aligns_integers_to_their_size_but_at_most_4)
{
	start();
	make_field(&event, "a", LKST_CLASS_UINT, 1, 10, 0, 0);	 /* 12 */
	make_field(&event, "b", LKST_CLASS_UINT, 2, 10, 0, 0);	 /* 14 */
	make_field(&event, "c", LKST_CLASS_UINT, 1, 10, 0, 0);	 /* 16 */
	make_field(&event, "d", LKST_CLASS_SINT, 4, 10, 0, 0);	 /* 20 */
	make_field(&event, "e", LKST_CLASS_UINT, 8, 16, 0, 0);	 /* 24 */
	make_field(&event, "f", LKST_CLASS_CHARS, 0, 10, 3, 0);	 /* 32 */
	make_field(&event, "g", LKST_CLASS_UINTS, 2, 10, 2, 0);	 /* 36 */
	make_field(&event, "h", LKST_CLASS_STRING, 0, 10, 0, 0); /* 40 */
	make_field(&event, "i", LKST_CLASS_STRING, 0, 10, 0, 0);
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
	CHECK_EQ(offset(catalog->classes[7], "a"), 12);
	CHECK_EQ(offset(catalog->classes[7], "b"), 14);
	CHECK_EQ(offset(catalog->classes[7], "c"), 16);
	CHECK_EQ(offset(catalog->classes[7], "d"), 20);
	CHECK_EQ(offset(catalog->classes[7], "e"), 24);
	CHECK_EQ(offset(catalog->classes[7], "f"), 32);
	CHECK_EQ(offset(catalog->classes[7], "g"), 36);
	CHECK_EQ(offset(catalog->classes[7], "h"), 40);
	CHECK_EQ(offset(catalog->classes[7], "i"), LKST_OFFSET_VARIES);
	CHECK_EQ(catalog->classes[7]->size, 40);
	CHECK(!catalog->classes[7]->is_fixed);
}

/* The same bits of open(2) are other flags on arm64: the trace tells where it was recorded. */
TEST(catalog_knows_the_machine_of_open_flags)
{
	static const struct {
		const char *machine;
		u8 meaning;
	} cases[] = { { "x86_64", LKST_SYS_open_flags }, { "aarch64", LKST_SYS_open_flags_arm64 } };
	unsigned int i, row = lkst_syscall_find(false, "openat") - lkst_syscalls;

	for (i = 0; i < 2; i++) {
		start();
		snprintf(catalog->machine, sizeof(catalog->machine), "%s", cases[i].machine);
		CHECK_EQ(lkst_catalog_add_syscall(&err, catalog, 1, 2, row), 0);
		CHECK_EQ(lkst_class_field(catalog->classes[1], "flags")->sys_meaning,
			 cases[i].meaning);
	}
}

TEST(catalog_copies_what_it_is_given)
{
	start();
	make_field(&event, "a", LKST_CLASS_UINT, 4, 10, 0, 0);
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
	fields[0].name[0] = 'z';
	event.name[0] = 'z';
	CHECK_STR(catalog->classes[7]->name, "one");
	CHECK_STR(catalog->classes[7]->fields[0].name, "a");
}

TEST(catalog_refuses_taken_and_impossible_ids)
{
	start();
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EEXIST);
	snprintf(event.name, sizeof(event.name), "two");
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EEXIST);
	event.id = 8;
	snprintf(event.name, sizeof(event.name), "one");
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EEXIST);
	snprintf(event.name, sizeof(event.name), "two");
	event.id = LKST_ID_NONE;
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	event.id = LKST_ID_MAX + 1;
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	event.id = LKST_ID_MAX;
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
	CHECK_EQ(catalog->nr_classes, 2);
}

/* Adds `event` with one field as given and returns what the catalogue says. */
static int add_with(const char *name, u8 type, u8 size, u8 base, u16 count)
{
	event.nr_fields = 0;
	make_field(&event, name, type, size, base, count, 0);
	return lkst_catalog_add(&err, catalog, &event);
}

TEST(catalog_refuses_fields_that_make_no_sense)
{
	u16 i;

	start();
	CHECK_EQ(add_with("", LKST_CLASS_UINT, 4, 10, 0), -EINVAL);
	CHECK_EQ(add_with("1a", LKST_CLASS_UINT, 4, 10, 0), -EINVAL);
	CHECK_EQ(add_with("a-b", LKST_CLASS_UINT, 4, 10, 0), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_WORDS + 1, 4, 10, 0), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_UINT, 3, 10, 0), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_UINT, 0, 10, 0), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_UINT, 4, 7, 0), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_CHARS, 0, 10, 0), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_UINTS, 8, 10, 65535), -EINVAL);
	CHECK_EQ(add_with("a", LKST_CLASS_TEXT, 0, 10, 0), -EINVAL);
	CHECK(strstr(err.text, "event one") && strstr(err.text, "field a"));

	event.nr_fields = 0;
	make_field(&event, "a", LKST_CLASS_SINT, 4, 10, 0, 0);
	make_field(&event, "b", LKST_CLASS_BYTES, 0, 10, 0, 0);
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	fields[1] = fields[0];
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	memset(fields[1].name, 'x', sizeof(fields[1].name));
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);

	for (i = 0, event.nr_fields = 0; i <= LKST_FIELDS_MAX; i++) {
		char name[8];

		snprintf(name, sizeof(name), "f%u", i);
		make_field(&event, name, LKST_CLASS_UINT, 1, 10, 0, 0);
	}
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	event.nr_fields--;
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
}

TEST(catalog_refuses_names_that_metadata_cannot_hold)
{
	static const char *const names[] = { "", "a b", "a\"b", "a\\b", "a\n", "caf\xc3\xa9" };
	size_t i;

	start();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(event.name, sizeof(event.name), "%s", names[i]);
		CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	}
	memset(event.name, 'x', sizeof(event.name));
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), -EINVAL);
	snprintf(event.name, sizeof(event.name), "ext4:ext4_sync_file_enter");
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
}

TEST(catalog_knows_meanings_by_name)
{
	const struct lkst_event_class *class;

	start();
	/* As a file of another version might have it: other order, a field more, one of another kind. */
	snprintf(event.name, sizeof(event.name), "sched_switch");
	make_field(&event, "prev_state", LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, "next_tid", LKST_CLASS_SINT, 4, 10, 0, 0);
	make_field(&event, "brand_new", LKST_CLASS_UINT, 4, 16, 0, 0);
	make_field(&event, "next_prio", LKST_CLASS_CHARS, 0, 10, 4, 0);
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
	class = catalog->classes[7];
	CHECK_EQ(class->index, LKST_EV_sched_switch);
	CHECK(!class->is_native);
	CHECK_EQ(lkst_class_field(class, "prev_state")->meaning, LKST_MEANING_TASK_STATE);
	CHECK_EQ(lkst_class_field(class, "next_tid")->meaning, LKST_MEANING_TID);
	CHECK_EQ(lkst_class_field(class, "brand_new")->meaning, LKST_MEANING_HEX);
	CHECK_EQ(lkst_class_field(class, "next_prio")->meaning, LKST_MEANING_TEXT);
	CHECK(!lkst_class_field(class, "next_pri"));
}

TEST(catalog_takes_other_events_for_tracepoints)
{
	start();
	make_field(&event, "pad0", LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, "padding", LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, "flags", LKST_CLASS_UINT, 4, 10, 0, 0);
	fields[2].meaning = LKST_MEANING_GFP;
	CHECK_EQ(lkst_catalog_add(&err, catalog, &event), 0);
	CHECK_EQ(catalog->classes[7]->group, LKST_GROUP_TRACEPOINT);
	CHECK_EQ(catalog->classes[7]->index, -1);
	CHECK_EQ(catalog->classes[7]->syscall, -1);
	CHECK_EQ(catalog->classes[7]->fields[0].meaning, LKST_MEANING_PAD);
	CHECK_EQ(catalog->classes[7]->fields[1].meaning, LKST_MEANING_DEC);
	CHECK_EQ(catalog->classes[7]->fields[2].meaning, LKST_MEANING_GFP);
}

TEST(catalog_has_two_events_for_each_system_call)
{
	const struct lkst_event_class *class;
	unsigned int i;

	start();
	for (i = 0; i < lkst_nr_syscalls; i++)
		CHECK_EQ(lkst_catalog_add_syscall(&err, catalog, (u16)(2 * i + 1), (u16)(2 * i + 2),
						  i),
			 0);
	for (i = 0; i < lkst_nr_syscalls; i++) {
		CHECK_EQ(catalog->classes[2 * i + 1]->syscall, i);
		CHECK_EQ(catalog->classes[2 * i + 2]->syscall, i);
		CHECK_EQ(catalog->classes[2 * i + 1]->group, LKST_GROUP_SYSCALL);
	}
	class = lkst_catalog_find(catalog, "syscall_entry_openat");
	CHECK(class && class->nr_fields == 5 && !class->is_fixed);
	CHECK_EQ(class->fields[0].sys_meaning, LKST_SYS_atfd);
	CHECK_EQ(class->fields[0].offset, 12);
	CHECK_EQ(class->fields[1].size, 8);
	CHECK_EQ(class->fields[1].offset, 16);
	CHECK_EQ(class->fields[4].type, LKST_CLASS_STRING);
	CHECK(strstr(class->fields[4].name, "_str"));
	class = lkst_catalog_find(catalog, "compat_syscall_entry_read");
	CHECK(class && class->nr_fields == 3);
	CHECK_EQ(class->size, 12 + 3 * 4);
	class = lkst_catalog_find(catalog, "syscall_exit_rename");
	CHECK(class && class->nr_fields == 3);
	CHECK_STR(class->fields[0].name, "ret");
	CHECK_EQ(class->fields[0].sys_meaning, LKST_SYS_ret);
	CHECK_EQ(class->size, 20);
}

TEST(catalog_is_filled_within_milliseconds)
{
	struct timespec a, b;
	unsigned int i;

	start();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (i = 0; i < LKST_NR_EVENTS; i++)
		CHECK_EQ(lkst_catalog_add_builtin(&err, catalog, (u16)(4095 - i), i), 0);
	for (i = 0; i < lkst_nr_syscalls; i++)
		CHECK_EQ(lkst_catalog_add_syscall(&err, catalog, (u16)(2 * i + 1), (u16)(2 * i + 2),
						  i),
			 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	/* About 3 ms; the limit leaves room for sanitizers, and for processors that others use as well. */
	CHECK((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 1000);
}

static const struct unit_test tests[] = {
	{ "catalog_lays_out_builtin_events_as_their_structs",
	  test_catalog_lays_out_builtin_events_as_their_structs },
	{ "catalog_aligns_integers_to_their_size_but_at_most_4",
	  test_catalog_aligns_integers_to_their_size_but_at_most_4 },
	{ "catalog_knows_the_machine_of_open_flags", test_catalog_knows_the_machine_of_open_flags },
	{ "catalog_copies_what_it_is_given", test_catalog_copies_what_it_is_given },
	{ "catalog_refuses_taken_and_impossible_ids",
	  test_catalog_refuses_taken_and_impossible_ids },
	{ "catalog_refuses_fields_that_make_no_sense",
	  test_catalog_refuses_fields_that_make_no_sense },
	{ "catalog_refuses_names_that_metadata_cannot_hold",
	  test_catalog_refuses_names_that_metadata_cannot_hold },
	{ "catalog_knows_meanings_by_name", test_catalog_knows_meanings_by_name },
	{ "catalog_takes_other_events_for_tracepoints",
	  test_catalog_takes_other_events_for_tracepoints },
	{ "catalog_has_two_events_for_each_system_call",
	  test_catalog_has_two_events_for_each_system_call },
	{ "catalog_is_filled_within_milliseconds", test_catalog_is_filled_within_milliseconds },
};

UNIT_MAIN(tests)
