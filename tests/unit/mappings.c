/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What code of which file is where in a process, along the time of a trace.
 */
#include "usercode/space/code_name.h"

#include <string.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

#define BINARY(id, file)                                                                           \
	"state_binary ns=1 binary=" #id " inode=5 dev=8 bias=4096 file=\"" file "\"\n"
#define MAPPING(ns, since, pid, at, id)                                                            \
	"state_mapping ns=" #ns " from=" #since " address=" #at                                    \
	" length=4096 offset=8192 binary=" #id " owner_pid=" #pid "\n"
#define FORK(ns, parent, child)                                                                    \
	"sched_process_fork ns=" #ns " tid=" #parent " child_tid=" #child " child_pid=" #child     \
	" parent_pid=" #parent " child_comm=x\n"
#define EXEC(ns, pid)                                                                              \
	"sched_process_exec ns=" #ns " tid=" #pid " old_tid=" #pid " filename=/bin/x\n"
/* What a process maps, as the kernel's program says it: of the file with this inode and ctime. */
#define MADE(ns, pid, at, number, changed, path)                                                   \
	"mapping ns=" #ns " tid=" #pid " address=" #at " length=4096 offset=8192 inode=" #number   \
	" ctime=" #changed " dev=8 owner_pid=" #pid " file=\"" path "\"\n"
#define BUILT(id, number, changed, file)                                                           \
	"state_binary ns=1 binary=" #id " inode=" #number " ctime=" #changed " dev=8 bias=0 file=\"" file "\"\n"
#define FREE(ns, pid) "sched_process_free ns=" #ns " tid=1 freed_tid=" #pid "\n"

static struct lkst_mappings *m;
static char dir[64], path[96];

/* Reads the trace of @text up to and with @ns. */
static void read_until(const char *text, u64 ns)
{
	struct lkst_trace *t;
	struct lkst_merge *merge;
	struct lkst_record r;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	m = lkst_mappings_new();
	if (!m || make_trace(path, 4096, text) || lkst_trace_open(NULL, path, &t) ||
	    lkst_mappings_load(NULL, m, t) || lkst_merge_new(NULL, t, 0, ns, &merge))
		abort();
	while (lkst_merge_next(merge, &r) > 0)
		if (r.event->group != LKST_GROUP_STATE && lkst_mappings_feed(m, &r))
			abort();
	lkst_merge_free(merge);
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

/* "name+offset" of an address. */
static const char *at(s32 pid, u64 ns, u64 address)
{
	static char text[256];
	struct lkst_code_place place;
	const struct lkst_binary *b;

	if (!lkst_mappings_find(m, pid, ns, address, &place))
		return "no memory";
	b = lkst_mappings_binary(m, place.binary);
	snprintf(text, sizeof(text), "%s+%llx", b ? lkst_binary_name(b) : "?",
		 (unsigned long long)place.offset);
	return text;
}

TEST(mappings_say_where_an_address_is_in_its_file)
{
	struct lkst_code_place place;
	const struct lkst_binary *b;

	read_until(BINARY(7, "4f3a /usr/lib/libc.so.6") BINARY(8, " [vdso]") MAPPING(1000, 0, 5,
										     65536, 7)
			   MAPPING(1000, 0, 5, 262144, 8) "sched_switch ns=500 next_tid=1\n",
		   UINT64_MAX);
	CHECK(!lkst_mappings_is_empty(m));
	CHECK_STR(at(5, 500, 65536), "libc.so.6+2000");
	CHECK_STR(at(5, 500, 65536 + 4095), "libc.so.6+2fff");
	CHECK_STR(at(5, 500, 262144 + 1), "[vdso]+2001");
	/* In no file: it is the process's own memory, with the address itself. */
	CHECK_STR(at(5, 500, 65535), "[memory]+ffff");
	CHECK_STR(at(5, 500, 65536 + 4096), "[memory]+11000");
	/* Nothing is known of another process. */
	CHECK_STR(at(6, 500, 65536), "?+0");
	CHECK(lkst_mappings_find(m, 5, 500, 65536, &place));
	b = lkst_mappings_binary(m, place.binary);
	CHECK_STR(b->build_id, "4f3a");
	CHECK_STR(b->path, "/usr/lib/libc.so.6");
	CHECK_EQ(b->bias, 4096);
	CHECK_EQ(b->kind, LKST_BINARY_FILE);
	CHECK(!lkst_mappings_binary(m, 0));
	CHECK(!lkst_mappings_binary(m, lkst_mappings_nr_binaries(m) + 1));
	lkst_mappings_free(m);
}

TEST(mappings_begin_when_they_are_said_to)
{
	const char *text =
		BINARY(7, "4f3a /bin/a") BINARY(8, "4f3b /bin/b") MAPPING(1000, 400, 5, 65536, 7)
			MAPPING(2000, 1500, 5, 65536, 8) "sched_switch ns=100 next_tid=1\n";

	read_until(text, 100);
	CHECK_STR(at(5, 399, 65536), "?+0");
	CHECK_STR(at(5, 400, 65536), "a+2000");
	CHECK_STR(at(5, 1000, 65536), "a+2000");
	/* After the first list, by what is known to have been there, as long as nothing else is. */
	CHECK_STR(at(5, 1400, 65536), "a+2000");
	CHECK_STR(at(5, 1500, 65536), "b+2000");
	CHECK_STR(at(5, 9999, 65536), "b+2000");
	lkst_mappings_free(m);
}

TEST(mappings_of_a_process_go_with_its_program)
{
	const char *text = BINARY(7, "4f3a /bin/a") BINARY(8, "4f3b /bin/b")
		MAPPING(100, 0, 5, 65536, 7) MAPPING(1000, 600, 5, 65536, 8) FORK(300, 5, 6)
			FORK(350, 6, 9) EXEC(500, 6) EXEC(600, 5) FREE(700, 9) FREE(800, 6);

	read_until(text, 350);
	CHECK_STR(at(5, 350, 65536), "a+2000");
	/* A child has what its parent had then, and its child again. */
	CHECK_STR(at(6, 350, 65536), "a+2000");
	CHECK_STR(at(9, 350, 65536), "a+2000");
	lkst_mappings_free(m);
	read_until(text, 600);
	/* It runs another program, of which nothing is known: the old one's names would be wrong. */
	CHECK_STR(at(6, 600, 65536), "?+0");
	CHECK_STR(at(9, 600, 65536), "a+2000");
	CHECK_STR(at(5, 600, 65536), "b+2000");
	lkst_mappings_free(m);
	read_until(text, 900);
	CHECK_STR(at(9, 900, 65536), "?+0");
	lkst_mappings_free(m);
}

/* Of a process that ended before anybody looked at it. */
TEST(mappings_are_known_of_processes_that_have_ended)
{
	const char *text =
		BUILT(7, 5, 90, "4f3a /bin/a") BUILT(8, 6, 90, "4f3b /lib/b") BUILT(9, 6, 95, "4f3c /lib/b")
			MADE(200, 4, 65536, 6, 90, "/lib/b") EXEC(300, 5) MADE(301, 5, 65536, 5, 90, "/bin/a")
				MADE(400, 5, 262144, 6, 90, "/lib/b") FORK(450, 5, 6)
					MADE(500, 5, 262144, 6, 95, "/lib/b") MADE(600, 5, 262144, 0, 0, "")
						EXEC(700, 5) MADE(701, 5, 65536, 77, 1, "/old/c") FREE(800, 5);

	read_until(text, 450);
	CHECK(!lkst_mappings_is_empty(m));
	CHECK_STR(at(5, 450, 65536), "a+2000");
	CHECK_STR(at(5, 450, 262144), "b+2000");
	CHECK_STR(at(6, 450, 262144 + 4095), "b+2fff");
	/* All that it runs is known since its exec: what is not of a file it has made. */
	CHECK_STR(at(5, 450, 1), "[memory]+1");
	/* But not of one that ran before. */
	CHECK_STR(at(4, 450, 65536), "b+2000");
	CHECK_STR(at(4, 450, 1), "?+0");
	lkst_mappings_free(m);
	/* A file that was built again has the same inode; one that takes its place, and memory of no file, hide it. */
	read_until(text, 500);
	{
		struct lkst_code_place place;

		CHECK(lkst_mappings_find(m, 5, 500, 262144, &place));
		CHECK_STR(lkst_mappings_binary(m, place.binary)->build_id, "4f3c");
		CHECK(lkst_mappings_find(m, 6, 500, 262144, &place));
		CHECK_STR(lkst_mappings_binary(m, place.binary)->build_id, "4f3b");
	}
	lkst_mappings_free(m);
	read_until(text, 600);
	CHECK_STR(at(5, 600, 262144), "[memory]+40000");
	lkst_mappings_free(m);
	/* Of a file that nobody has looked at the build is not known. */
	read_until(text, 701);
	CHECK_STR(at(5, 701, 65536), "c+2000");
	CHECK_STR(at(5, 701, 262144), "[memory]+40000");
	lkst_mappings_free(m);
	read_until(text, 800);
	CHECK_STR(at(5, 800, 65536), "?+0");
	lkst_mappings_free(m);
}

/* Two files of one build, as in the layers of containers, are the same code. */
TEST(mappings_know_copies_of_one_build)
{
	read_until(BUILT(7, 5, 90, "4f3a /bin/a") BUILT(8, 6, 91, "4f3a /layer/bin/a") MAPPING(1000, 0, 5, 65536, 7)
			   MAPPING(1000, 0, 6, 65536, 8) "sched_switch ns=500 next_tid=1\n",
		   UINT64_MAX);
	CHECK_EQ(lkst_mappings_nr_binaries(m), 1);
	CHECK_STR(at(6, 500, 65536), "a+2000");
	lkst_mappings_free(m);
}

/* Whoever looks for the file has each place of a copy, with a process that had it there. */
TEST(mappings_know_where_copies_of_one_build_are)
{
	const struct lkst_binary_place *first, *second;

	read_until(BUILT(4097, 5, 50, "4f3a /image/x") BUILT(4098, 6, 60, "4f3a /bin/x")
			   MAPPING(10, 1, 9, 8192, 4097) MAPPING(10, 1, 10, 8192, 4098),
		   20);
	CHECK_EQ(lkst_mappings_nr_binaries(m), 1);
	second = lkst_mappings_binary(m, 1)->places;
	first = second ? second->next : NULL;
	CHECK(first && !first->next);
	CHECK_STR(first->path, "/image/x");
	CHECK_EQ(first->user_pid, 9);
	CHECK_STR(second->path, "/bin/x");
	CHECK_EQ(second->user_pid, 10);
	lkst_mappings_free(m);
}

TEST(mappings_take_no_nonsense)
{
	read_until(BINARY(7, "no blank") BINARY(8, "XYZ /bin/b") MAPPING(100, 0, 5, 65536, 3)
			   MAPPING(100, 0, 5, 18446744073709551615, 8)
				   MAPPING(100, 0, 5, 65536, 8) "sched_switch ns=500 next_tid=1\n",
		   UINT64_MAX);
	CHECK_STR(at(5, 500, 65536), "b+2000");
	CHECK_STR(at(5, 500, UINT64_MAX), "[memory]+ffffffffffffffff");
	CHECK_STR(lkst_mappings_binary(m, 2)->build_id, "");
	lkst_mappings_free(m);
}

/* What people are shown: no blanks or control characters, whatever the trace has. */
TEST(mappings_names_cannot_command_a_terminal)
{
	const struct lkst_binary b = { .path = "/tmp/x\033[2J y", .build_id = "" };
	const struct lkst_code_name name = { .function = "f\"g\n", .offset = 18 };
	char text[LKST_CODE_TEXT];

	*lkst_code_name_put(text, &b, 32, &name) = 0;
	CHECK_STR(text, "f\\x22g\\n+0x12[x\\x1b[2J_y]");
	*lkst_code_name_put(text, &b, 32, NULL) = 0;
	CHECK_STR(text, "0x20[x\\x1b[2J_y]");
}

static const struct unit_test tests[] = {
	{ "mappings_say_where_an_address_is_in_its_file",
	  test_mappings_say_where_an_address_is_in_its_file },
	{ "mappings_begin_when_they_are_said_to", test_mappings_begin_when_they_are_said_to },
	{ "mappings_of_a_process_go_with_its_program",
	  test_mappings_of_a_process_go_with_its_program },
	{ "mappings_are_known_of_processes_that_have_ended", test_mappings_are_known_of_processes_that_have_ended },
	{ "mappings_know_copies_of_one_build", test_mappings_know_copies_of_one_build },
	{ "mappings_know_where_copies_of_one_build_are", test_mappings_know_where_copies_of_one_build_are },
	{ "mappings_take_no_nonsense", test_mappings_take_no_nonsense },
	{ "mappings_names_cannot_command_a_terminal",
	  test_mappings_names_cannot_command_a_terminal },
};

UNIT_MAIN(tests)
