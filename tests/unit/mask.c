/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Masksets: numbers, text, globs, and what is refused.
 */
#include "masks/mask.h"

#include <errno.h>

#include "lib/unit.h"
#include "lib/whole_catalog.h"
#include "masks/mask_text.h"
#include "masks/shipped_masks.h"
#include "trace/format/event_types.h"

/* A catalogue of all there is, and a tracepoint by name. */
static struct lkst_catalog *whole(void)
{
	const struct lkst_event_class by_name = { .name = "ext4:ext4_sync_file_enter" };

	return whole_catalog(LKST_NR_EVENTS, by_name);
}

static u16 id_of(const struct lkst_catalog *c, const char *name)
{
	const struct lkst_event_class *event = lkst_catalog_find(c, name);

	if (!event)
		abort();
	return event->id;
}

static u8 handler_of(const struct lkst_catalog *c, const struct lkst_mask *mask, const char *name)
{
	return mask->route[id_of(c, name)] & 0xff;
}

static u8 buffer_of(const struct lkst_catalog *c, const struct lkst_mask *mask, const char *name)
{
	return mask->route[id_of(c, name)] >> 8;
}

static int parse(const struct lkst_catalog *c, const char *text, struct lkst_mask *mask,
		 struct lkst_err *e)
{
	struct lkst_notes notes = {};
	int err = lkst_mask_parse(e, text, strlen(text), c, mask, &notes);

	lkst_notes_fini(&notes);
	return err;
}

TEST(numbers_of_the_slide_are_kept)
{
	static const struct {
		u16 type;
		const char *name;
	} slide[] = {
		{ 0x01, "PROCESS_CONTEXTSWITCH" }, { 0x02, "PROCESS_WAKEUP" },
		{ 0x03, "PROCESS_SIGSEND" },	   { 0x04, "PROCESS_LTHREADGEN" },
		{ 0x05, "PROCESS_INIT_WQH" },	   { 0x06, "PROCESS_ADD_WQ" },
		{ 0x07, "PROCESS_REM_WQ" },	   { 0x10, "INT_HARDWARE_ENTRY" },
		{ 0x12, "INT_TASKLETHI_ENTRY" },   { 0x14, "INT_TASKLET_ENTRY" },
		{ 0x16, "INT_BH_ENTRY" },	   { 0x20, "EXCEPTION_ENTRY" },
		{ 0x21, "EXCEPTION_EXIT" },	   { 0x30, "SYSCALL_ENTRY" },
		{ 0x31, "SYSCALL_EXIT" },
	};
	size_t i;

	for (i = 0; i < sizeof(slide) / sizeof(slide[0]); i++) {
		CHECK_EQ(lkst_mnemonic_type(slide[i].name), slide[i].type);
		CHECK_STR(lkst_type_mnemonic(slide[i].type), slide[i].name);
	}
}

TEST(every_mnemonic_has_one_number)
{
	unsigned int i, k;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		const char *mnemonic = lkst_events[i].mnemonic;
		u16 type = mnemonic ? lkst_mnemonic_type(mnemonic) : 1;

		CHECK(type != LKST_TYPE_NONE && type < LKST_TYPE_OWN);
		if (mnemonic)
			CHECK_STR(lkst_type_mnemonic(type), mnemonic);
		for (k = 0; k < LKST_NR_EVENTS; k++)
			CHECK(!lkst_events[k].lkst_id || !mnemonic ||
			      lkst_events[k].lkst_id != type ||
			      !strcmp(lkst_events[k].mnemonic, mnemonic));
	}
}

/* The original hooked these apart; here they are what another event, or two, say. */
TEST(represented_mnemonics_mean_their_events)
{
	struct lkst_catalog *c = whole();
	static struct lkst_event_types types;
	struct lkst_mask mask;
	struct lkst_err e;
	u16 type = 0;

	CHECK_EQ(lkst_mnemonic_type("MEM_GET_ZEROPAGE"), 0x46);
	CHECK_STR(lkst_type_mnemonic(0x92), "TIMER_MOD");
	lkst_event_types_init(&types, c);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "TIMER_MOD", &type), 0);
	CHECK_EQ(type, 0x92);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "0x46", &type), 0);
	lkst_mask_init(&mask, "x", NULL);
	CHECK_EQ(lkst_mask_set_type(&mask, c, &types, 0x92, 1, LKST_BUFFER_USUAL), 2);
	CHECK_EQ(handler_of(c, &mask, "timer_start"), 1);
	CHECK_EQ(handler_of(c, &mask, "timer_cancel"), 1);
	CHECK_EQ(lkst_mask_count(mask.route, c), 2);
	/* NOTHING for it leaves them to their own rows, as in a text that names all of the original's events. */
	CHECK_EQ(parse(c,
		       "0x045 MEM_GET_FREEPAGE 0x01\n0x046 MEM_GET_ZEROPAGE 0xff\n"
		       "0x091 TIMER_ADD 0xff\n0x092 TIMER_MOD 0x01\n0x093 TIMER_DEL 0x01\n",
		       &mask, &e),
		 0);
	CHECK_EQ(handler_of(c, &mask, "mm_page_alloc"), 1);
	CHECK_EQ(handler_of(c, &mask, "timer_start"), 1);
	lkst_mask_init(&mask, "x", NULL);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "MEM_GET_ZEROPAGE", 1, LKST_BUFFER_USUAL), 1);
	CHECK_EQ(handler_of(c, &mask, "mm_page_alloc"), 1);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "SYSCALL_EXIT", 1, LKST_BUFFER_USUAL),
		 lkst_nr_syscalls + 2);
	CHECK_EQ(handler_of(c, &mask, "syscall_exit_read"), 1);
	lkst_catalog_free(c);
}

TEST(every_event_has_a_number_of_its_own)
{
	struct lkst_catalog *c = whole();
	static struct lkst_event_types types;
	static bool seen[LKST_TYPE_END];
	u32 id;

	lkst_event_types_init(&types, c);
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		if (!c->classes[id] || !lkst_class_is_maskable(c->classes[id])) {
			CHECK_EQ(types.own[id], LKST_TYPE_NONE);
			continue;
		}
		CHECK(types.own[id] >= LKST_TYPE_OWN && types.own[id] < LKST_TYPE_END);
		CHECK(!seen[types.own[id]]);
		seen[types.own[id]] = true;
	}
	CHECK(LKST_TYPE_SYSCALL + 2 * lkst_nr_syscalls <= LKST_TYPE_TRACEPOINT);
	CHECK_EQ(types.own[id_of(c, "ext4:ext4_sync_file_enter")], LKST_TYPE_TRACEPOINT);
	lkst_catalog_free(c);
}

/* Without these a trace cannot say who is who. */
static const char *const always[] = { "sched_process_fork", "sched_process_exec",
				      "sched_process_exit", "sched_process_free",
				      "task_newtask",	    "task_rename",
				      "cgroup_mkdir",	    "cgroup_attach_task" };
/* A catalogue has events that an option asks for only if it was given: then every maskset has them but RNOTHING. */
enum { NR_ALWAYS = sizeof(always) / sizeof(always[0]), NR_BY_OPTION = 3 };

static void check_lives(const struct lkst_catalog *c, const struct lkst_mask *mask)
{
	unsigned int i;

	for (i = 0; i < NR_ALWAYS; i++) {
		CHECK_EQ(handler_of(c, mask, always[i]), LKST_HANDLER_DEFAULT);
		CHECK_EQ(buffer_of(c, mask, always[i]), LKST_BUFFER_LIFE);
	}
}

TEST(every_maskset_has_the_lives_of_threads)
{
	static const char text[] =
		"# maskset name=mine\n0x001 PROCESS_CONTEXTSWITCH 0x01\n"
		"0x105 sched_process_fork 0xff\n0x10a task_rename NOTHING main\n";
	const struct lkst_shipped_mask *shipped;
	static struct lkst_event_types types;
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	struct lkst_err e;
	u16 type;

	lkst_mask_init(&mask, "x", c);
	check_lives(c, &mask);
	lkst_mask_set_all(&mask, c, true);
	check_lives(c, &mask);
	CHECK(lkst_mask_set_glob(&mask, c, "sched:*", LKST_HANDLER_NOTHING, LKST_BUFFER_USUAL) > 6);
	check_lives(c, &mask);
	lkst_event_types_init(&types, c);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "sched_process_exit", &type), 0);
	lkst_mask_set_type(&mask, c, &types, type, LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
	check_lives(c, &mask);
	CHECK_EQ(parse(c, text, &mask, &e), 0);
	check_lives(c, &mask);
	CHECK_EQ(lkst_mask_count(mask.route, c), NR_ALWAYS + NR_BY_OPTION + 1);
	for (shipped = lkst_shipped_masks; shipped->name; shipped++) {
		lkst_shipped_mask_fill(shipped, c, &mask);
		check_lives(c, &mask);
	}
	/* A handler or a buffer that is named is taken. */
	lkst_mask_set_glob(&mask, c, "sched_process_fork", 7, LKST_BUFFER_MAIN);
	CHECK_EQ(handler_of(c, &mask, "sched_process_fork"), 7);
	CHECK_EQ(buffer_of(c, &mask, "sched_process_fork"), LKST_BUFFER_MAIN);
	lkst_catalog_free(c);
}

TEST(nothing_and_all_and_all_but_locks)
{
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;

	lkst_mask_init(&mask, "x", NULL);
	CHECK_EQ(lkst_mask_count(mask.route, c), 0);
	lkst_mask_init(&mask, "x", c);
	CHECK_EQ(lkst_mask_count(mask.route, c), NR_ALWAYS + NR_BY_OPTION);
	lkst_mask_init(&mask, "RNOTHING", c);
	CHECK_EQ(lkst_mask_count(mask.route, c), NR_ALWAYS);
	lkst_mask_set_all(&mask, c, false);
	CHECK_EQ(handler_of(c, &mask, "maskset_switch"), LKST_HANDLER_NOTHING);
	CHECK_EQ(handler_of(c, &mask, "sched_switch"), LKST_HANDLER_DEFAULT);
	CHECK_EQ(handler_of(c, &mask, "contention_begin"), LKST_HANDLER_DEFAULT);
	CHECK_EQ(handler_of(c, &mask, "spin_lock"), LKST_HANDLER_NOTHING);
	CHECK_EQ(handler_of(c, &mask, "ext4:ext4_sync_file_enter"), LKST_HANDLER_NOTHING);
	CHECK_EQ(handler_of(c, &mask, "state_thread"), LKST_HANDLER_NOTHING);
	CHECK_EQ(buffer_of(c, &mask, "sched_switch"), LKST_BUFFER_MAIN);
	CHECK_EQ(buffer_of(c, &mask, "sched_process_fork"), LKST_BUFFER_LIFE);
	lkst_mask_set_all(&mask, c, true);
	CHECK_EQ(handler_of(c, &mask, "spin_lock"), LKST_HANDLER_DEFAULT);
	CHECK_EQ(handler_of(c, &mask, "ext4:ext4_sync_file_enter"), LKST_HANDLER_DEFAULT);
	lkst_catalog_free(c);
}

TEST(text_is_the_original_form)
{
	static const char begin[] = "# ID=2\n# maskset name=RDEFAULT\n# length=4096\n"
				    "# event_type event_name event_handler_ID\n"
				    "0x001 PROCESS_CONTEXTSWITCH 0x01\n0x002 PROCESS_WAKEUP 0x01\n";
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	struct lkst_err e;
	char *text;

	lkst_mask_init(&mask, "RDEFAULT", c);
	lkst_mask_set_all(&mask, c, false);
	CHECK_EQ(lkst_mask_format(&e, &mask, 2, c, &text), 0);
	CHECK(!strncmp(text, begin, strlen(begin)));
	CHECK(strstr(text, "\n0x030 SYSCALL_ENTRY 0x01\n"));
	CHECK(strstr(text, "\n0x080 LK_SPINLOCK 0xff\n"));
	CHECK(strstr(text, " sched_migrate_task 0x01\n"));
	/* What a mnemonic's row says already is not said again. */
	CHECK(!strstr(text, "syscall_entry_read"));
	CHECK(!strstr(text, "maskset_switch"));
	free(text);
	lkst_catalog_free(c);
}

/* Every table is the same again when its text is read. */
TEST(text_is_read_back_as_it_was)
{
	struct lkst_catalog *c = whole();
	struct lkst_mask mask, again;
	unsigned int seed, i;
	struct lkst_err e;
	char *text;
	u32 id;

	for (seed = 0; seed < 200; seed++) {
		unsigned int random = seed * 2654435761u + 1;

		lkst_mask_init(&mask, "mine", c);
		if (seed & 1)
			lkst_mask_set_all(&mask, c, seed & 2);
		for (i = 0; i < seed * 20; i++) {
			random = random * 1664525u + 1013904223u;
			id = 1 + (random >> 8) % (LKST_EVENT_SPACE - 1);
			if (c->classes[id] && lkst_class_is_maskable(c->classes[id]) &&
			    !lkst_mask_has_always(c->classes[id]->index))
				mask.route[id] =
					(random & 3) ? lkst_route(random >> 4 & 0x7f, random & 1)
						     : lkst_route(LKST_HANDLER_NOTHING, 0);
		}
		CHECK_EQ(lkst_mask_format(&e, &mask, 3, c, &text), 0);
		CHECK_EQ(parse(c, text, &again, &e), 0);
		CHECK_STR(again.name, "mine");
		CHECK(!memcmp(mask.route, again.route, sizeof(mask.route)));
		free(text);
	}
	lkst_catalog_free(c);
}

TEST(rows_name_handler_and_buffer)
{
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	struct lkst_err e;

	CHECK_EQ(parse(c,
		       "# maskset name=a.b-c_1\n\n  0x001 PROCESS_CONTEXTSWITCH 0x01 life\r\n"
		       "0x030 SYSCALL_ENTRY 1\n0x999 syscall_entry_read NOTHING\n"
		       "0x100 sched_process_fork DEFAULT\n0xfff sched_waking 0x42 3",
		       &mask, &e),
		 0);
	CHECK_STR(mask.name, "a.b-c_1");
	CHECK_EQ(handler_of(c, &mask, "sched_switch"), 1);
	CHECK_EQ(buffer_of(c, &mask, "sched_switch"), LKST_BUFFER_LIFE);
	CHECK_EQ(handler_of(c, &mask, "syscall_entry_write"), 1);
	CHECK_EQ(handler_of(c, &mask, "compat_syscall_entry_read"), 1);
	CHECK_EQ(handler_of(c, &mask, "syscall_entry_read"), LKST_HANDLER_NOTHING);
	CHECK_EQ(handler_of(c, &mask, "syscall_exit_read"), LKST_HANDLER_NOTHING);
	CHECK_EQ(buffer_of(c, &mask, "sched_process_fork"), LKST_BUFFER_LIFE);
	CHECK_EQ(handler_of(c, &mask, "sched_waking"), 0x42);
	CHECK_EQ(buffer_of(c, &mask, "sched_waking"), 3);
	CHECK_EQ(handler_of(c, &mask, "sched_wakeup"), LKST_HANDLER_NOTHING);
	lkst_catalog_free(c);
}

TEST(bad_text_is_refused)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "0x001 PROCESS_CONTEXTSWITCH\n", "line 1: a row is" },
		{ "\n0x002 PROCESS_CONTEXTSWITCH 0x01\n", "line 2: the number of" },
		{ "0x001 sched_switch 0x01\n", "line 1: the number of" },
		{ "0x001 NO_SUCH_EVENT 0x01\n", "there is no event" },
		{ "0x001 sched_swich 0x01\n", "did you mean sched_switch?" },
		{ "0x001 PROCESS_CONTEXTSWITCH 0x100\n", "is not a handler" },
		{ "0x001 PROCESS_CONTEXTSWITCH -1\n", "is not a handler" },
		{ "0x001 PROCESS_CONTEXTSWITCH 0x01 attic\n", "is not a buffer" },
		{ "0x001 PROCESS_CONTEXTSWITCH 0x01 main x\n", "more than 4 words" },
		{ "one PROCESS_CONTEXTSWITCH 0x01\n", "is not an event's number" },
		{ "0x1001 PROCESS_CONTEXTSWITCH 0x01\n", "is not an event's number" },
		{ "0x180 maskset_switch 0x01\n", "no maskset decides on" },
		{ "# maskset name=a b\n", "can't be a maskset's name" },
		{ "# maskset name=17\n", "is a number" },
		{ "# maskset name=mine\n# maskset name=m\n", "a second name, m, after mine" },
		{ "# maskset name=\n", "has 1 to 31 characters" },
	};
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	struct lkst_err e;
	char line[400];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQ(parse(c, bad[i].text, &mask, &e) < 0, 1);
		CHECK(strstr(e.text, bad[i].why));
	}
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	CHECK(parse(c, line, &mask, &e) < 0);
	CHECK(lkst_mask_parse(&e, "0x001 A\0B 1", 11, c, &mask, &(struct lkst_notes){}) < 0);
	lkst_catalog_free(c);
}

/* A maskset of another machine, whose kernel had more. */
TEST(events_that_are_not_here_are_noted)
{
	struct lkst_catalog *c = lkst_catalog_new();
	static const char text[] = "0x001 PROCESS_CONTEXTSWITCH 0x01\n0x05 PROCESS_INIT_WQH 0x01\n"
				   "0x06 PROCESS_ADD_WQ 0xff\n0x400 syscall_entry_read 1\n"
				   "0xc00 xfs:xfs_log 1\n";
	struct lkst_notes notes = {};
	struct lkst_mask mask;
	struct lkst_err e;

	CHECK_EQ(lkst_catalog_add_builtin(&e, c, 7, LKST_EV_sched_switch), 0);
	CHECK_EQ(lkst_mask_parse(&e, text, strlen(text), c, &mask, &notes), 0);
	CHECK_EQ(mask.route[7] & 0xff, 1);
	CHECK_EQ(notes.nr, 1);
	CHECK(!strncmp(notes.text[0], "3 events of the maskset", 23));
	CHECK(strstr(notes.text[0], ": PROCESS_INIT_WQH, syscall_entry_read, xfs:xfs_log."));
	lkst_notes_fini(&notes);
	lkst_catalog_free(c);
}

TEST(globs_name_calls_groups_and_mnemonics)
{
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;

	lkst_mask_init(&mask, "x", NULL);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "syscall:read", 1, LKST_BUFFER_USUAL), 4);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "PROCESS_WAKEUP", 1, LKST_BUFFER_LIFE), 3);
	CHECK_EQ(buffer_of(c, &mask, "sched_wakeup_new"), LKST_BUFFER_LIFE);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "ext3:*", 1, LKST_BUFFER_USUAL), 0);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "ext4:ext4_*", 1, LKST_BUFFER_USUAL), 1);
	CHECK_EQ(lkst_mask_set_glob(&mask, c, "maskset_*", 255, LKST_BUFFER_USUAL), 0);
	CHECK_EQ(lkst_mask_count(mask.route, c), 8);
	lkst_catalog_free(c);
}

TEST(every_glob_of_a_shipped_maskset_names_events)
{
	const struct lkst_shipped_mask *shipped;
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	struct lkst_err e;
	unsigned int i;

	for (shipped = lkst_shipped_masks; shipped->name; shipped++) {
		CHECK_EQ(lkst_mask_check_name(&e, shipped->name), 0);
		CHECK(lkst_shipped_mask_find(shipped->name) == shipped);
		lkst_mask_init(&mask, "x", NULL);
		for (i = 0; shipped->globs[i]; i++)
			if (!lkst_mask_set_glob(&mask, c, shipped->globs[i], 1,
						LKST_BUFFER_USUAL)) {
				printf("FAIL %s: %s of %s names no event\n", unit_name,
				       shipped->globs[i], shipped->name);
				unit_failed = 1;
			}
		CHECK(i < LKST_SHIPPED_GLOBS_MAX);
	}
	lkst_shipped_mask_fill(lkst_shipped_mask_find("flight"), c, &mask);
	CHECK_STR(mask.name, "flight");
	CHECK_EQ(handler_of(c, &mask, "sched_switch"), LKST_HANDLER_DEFAULT);
	CHECK_EQ(handler_of(c, &mask, "syscall_exit_write"), LKST_HANDLER_DEFAULT);
	CHECK_EQ(handler_of(c, &mask, "kmalloc"), LKST_HANDLER_NOTHING);
	lkst_catalog_free(c);
}

TEST(events_are_found_by_number_and_name)
{
	struct lkst_catalog *c = whole();
	static struct lkst_event_types types;
	struct lkst_mask mask;
	struct lkst_err e;
	u16 type = 0;

	lkst_event_types_init(&types, c);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "1", &type), 0);
	CHECK_EQ(type, 1);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "0x30", &type), 0);
	lkst_mask_init(&mask, "x", NULL);
	CHECK_EQ(lkst_mask_set_type(&mask, c, &types, type, 1, LKST_BUFFER_USUAL),
		 lkst_nr_syscalls + 2);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "sched_wakeup", &type), 0);
	CHECK_EQ(lkst_mask_set_type(&mask, c, &types, type, 1, LKST_BUFFER_USUAL), 1);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "0x08", &type), -ENOENT);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "4096", &type), -EINVAL);
	CHECK_EQ(lkst_mask_parse_type(&e, c, &types, "maskset_settled", &type), -EINVAL);
	lkst_catalog_free(c);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
/* ---- conditions ------------------------------------------------------------------------------- */

/* A row that says "if" is recorded only if that holds, and reads back as it was written. */
TEST(a_row_has_a_condition)
{
	struct lkst_catalog *c = whole();
	struct lkst_mask mask, again;
	struct lkst_err e = {};
	char *text;

	CHECK_EQ(parse(c,
		       "0x001 PROCESS_CONTEXTSWITCH 0x01 if next_prio < 100\n"
		       "0x100 sched_migrate_task 1 life if \tdest_cpu >= 1 and comm == \"a  b\" \n"
		       "0x100 sched_waking 1 if cpu == 1\n0x100 sched_waking 1\n",
		       &mask, &e),
		 0);
	CHECK_STR(lkst_mask_condition(&mask, id_of(c, "sched_switch")), "next_prio < 100");
	CHECK_STR(lkst_mask_condition(&mask, id_of(c, "sched_migrate_task")),
		  "dest_cpu >= 1 and comm == \"a  b\"");
	CHECK_EQ(buffer_of(c, &mask, "sched_migrate_task"), LKST_BUFFER_LIFE);
	/* The later row has none. */
	CHECK(!lkst_mask_condition(&mask, id_of(c, "sched_waking")));
	CHECK(lkst_mask_has_conditions(&mask));
	strcpy(mask.name, "x");

	CHECK_EQ(lkst_mask_format(&e, &mask, 3, c, &text), 0);
	CHECK(strstr(text, " sched_switch 0x01 if next_prio < 100\n") ||
	      strstr(text, " PROCESS_CONTEXTSWITCH 0x01 if next_prio < 100\n"));
	CHECK_EQ(parse(c, text, &again, &e), 0);
	CHECK_STR(lkst_mask_condition(&again, id_of(c, "sched_switch")), "next_prio < 100");
	CHECK_STR(lkst_mask_condition(&again, id_of(c, "sched_migrate_task")),
		  "dest_cpu >= 1 and comm == \"a  b\"");
	CHECK(!memcmp(mask.route, again.route, sizeof(mask.route)));
	free(text);
	lkst_catalog_free(c);
}

/* Of a mnemonic's events those that lack the field can't be what was asked for. */
TEST(a_condition_of_many_events_leaves_out_those_without_the_field)
{
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	struct lkst_err e = {};
	unsigned int nr = 0;

	CHECK_EQ(parse(c, "0x031 SYSCALL_EXIT 0x01 if ret == -ENOENT\n", &mask, &e), 0);
	CHECK_STR(lkst_mask_condition(&mask, id_of(c, "syscall_exit_openat")), "ret == -ENOENT");
	lkst_mask_init(&mask, "x", c);
	CHECK_EQ(lkst_mask_set_glob_if(&e, &mask, c, "syscall:openat", LKST_BUFFER_USUAL, "ret < 0",
				       &nr),
		 0);
	CHECK_EQ(handler_of(c, &mask, "syscall_exit_openat"), LKST_HANDLER_DEFAULT);
	CHECK_EQ(handler_of(c, &mask, "syscall_entry_openat"), LKST_HANDLER_NOTHING);
	CHECK_EQ(nr, 2); /* for both kinds of callers */
	CHECK_EQ(lkst_mask_set_glob_if(&e, &mask, c, "sched_switch", LKST_BUFFER_USUAL, "nope < 0",
				       &nr),
		 -ENOENT);
	CHECK_EQ(handler_of(c, &mask, "sched_switch"), LKST_HANDLER_NOTHING);
	CHECK_EQ(lkst_mask_set_glob_if(&e, &mask, c, "sched_process_exit", LKST_BUFFER_USUAL,
				       "comm == x", &nr),
		 -EINVAL);
	CHECK(strstr(e.text, "every maskset records sched_process_exit, without a condition"));
	lkst_catalog_free(c);
}

TEST(conditions_that_cannot_be_are_refused)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "0x100 sched_switch 1 if", "a comparison is missing" },
		{ "0x100 sched_switch 1 if next_prio", "must be followed by ==" },
		{ "0x100 sched_switch 1 if next_pri < 1", "did you mean next_prio or" },
		{ "0x100 sched_switch 1 if wait > 1ms", "a trigger can measure it" },
		{ "0x100 sched_process_fork 1 if tid == 1", "is always recorded" },
		{ "0x100 sched_switch 0xff if next_prio < 1", "which sched_switch is not" },
		{ "0x100 sched_switch 1 main more if next_prio < 1", "more than" },
		{ "0x100 sched_switch 1 if next_prio < 1 and next_prio < 2 and next_prio < 3 and "
		  "next_prio < 4 and next_prio < 5",
		  "more than 4" },
	};
	struct lkst_catalog *c = whole();
	struct lkst_mask mask;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lkst_err e = {};

		CHECK(parse(c, rows[i].text, &mask, &e) < 0);
		if (!strstr(e.text, rows[i].words))
			printf("  %s: %s\n", rows[i].text, e.text);
		CHECK(strstr(e.text, rows[i].words) != NULL);
	}
	lkst_catalog_free(c);
}

static const struct unit_test tests[] = {
	ROW(numbers_of_the_slide_are_kept),
	ROW(every_mnemonic_has_one_number),
	ROW(represented_mnemonics_mean_their_events),
	ROW(every_event_has_a_number_of_its_own),
	ROW(every_maskset_has_the_lives_of_threads),
	ROW(nothing_and_all_and_all_but_locks),
	ROW(text_is_the_original_form),
	ROW(text_is_read_back_as_it_was),
	ROW(rows_name_handler_and_buffer),
	ROW(bad_text_is_refused),
	ROW(events_that_are_not_here_are_noted),
	ROW(globs_name_calls_groups_and_mnemonics),
	ROW(every_glob_of_a_shipped_maskset_names_events),
	ROW(events_are_found_by_number_and_name),
	ROW(a_row_has_a_condition),
	ROW(a_condition_of_many_events_leaves_out_those_without_the_field),
	ROW(conditions_that_cannot_be_are_refused),
};
UNIT_MAIN(tests)
