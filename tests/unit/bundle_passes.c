// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often the trace of an incident is read for its bundle: three times, however much there is to explain. The
 * linker puts what counts before the function that begins to read (Makefile).
 * tier: check
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/bundle.h"
#include "bundle/bundle_save.h"
#include "lib/make_hosts.h"
#include "lib/unit.h"
#include "trace/read/merge.h"

static u64 trace_begins_ns;
static unsigned int nr_passes, nr_looks; /* of all of it, from its beginning; of a part */

int __real_lkst_merge_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			  struct lkst_merge **ret_merge);
int __wrap_lkst_merge_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			  struct lkst_merge **ret_merge);

int __wrap_lkst_merge_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			  struct lkst_merge **ret_merge)
{
	*(from_ns <= trace_begins_ns ? &nr_passes : &nr_looks) += 1;
	return __real_lkst_merge_new(e, t, from_ns, to_ns, ret_merge);
}

/*
 * Thread 5 reads two files, which were opened before: the state says which they are. Its waits come long after the
 * beginning, so that a look at their time is not one at all.
 */
static const char text[] =
	"state_thread ns=0 thread_tid=5 thread_pid=5 comm=five\n"
	"state_thread ns=0 thread_tid=6 thread_pid=6 comm=six\n"
	"test:nothing ns=1000\n"
	"sched_switch ns=5000000000 tid=0 next_tid=5\n"
	"syscall_entry_pread64 ns=5001000000 tid=5 fd=3\n"
	"sched_switch ns=5002000000 tid=5 next_tid=6 prev_state=2\n"
	"sched_waking ns=5040000000 tid=6 target_tid=5\n"
	"sched_switch ns=5080000000 tid=6 next_tid=5\n"
	"syscall_exit_pread64 ns=5081000000 tid=5 ret=64\n"
	"syscall_entry_pread64 ns=6001000000 tid=5 fd=4\n"
	"sched_switch ns=6002000000 tid=5 next_tid=0 prev_state=1\n"
	"sched_waking ns=6300000000 tid=0 target_tid=5\n"
	"sched_switch ns=6301000000 tid=0 next_tid=5\n"
	"syscall_exit_pread64 ns=6302000000 tid=5 ret=64\n"
	"sched_switch ns=6400000000 tid=5 next_tid=0 prev_state=1\n"
	"state_descriptor ns=7000000000 owner_pid=5 fd=3 from=6500000000 to=6600000000 file=/var/lib/data\n"
	"state_descriptor ns=7000000000 owner_pid=5 fd=4 from=6500000000 to=6600000000 file=/run/answers\n";

static void make(char dir[64], char path[80])
{
	struct lkst_err e;
	struct lkst_trace *t;
	u64 end_ns;

	make_scratch(dir);
	snprintf(path, 80, "%s/TRACE", dir);
	make_host(dir, "TRACE", 0, 0, text);
	if (lkst_trace_open(&e, path, &t)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	lkst_trace_range(t, &trace_begins_ns, &end_ns);
	lkst_trace_close(t);
}

TEST(the_trace_is_read_three_times)
{
	const struct lkst_bundle_saving what = {
		.moment = { .is_incident = true, .number = 1, .tid = 5, .at_ns = 5081000000, .reason = "test" },
	};
	struct lkst_bundle b = {};
	struct lkst_err e = {};
	char dir[64], path[80], file[96];
	const char *why;
	u64 bytes;

	make(dir, path);
	snprintf(file, sizeof(file), "%s/a.bundle", dir);
	nr_passes = nr_looks = 0;
	CHECK_EQ(lkst_bundle_save(&e, &what, path, file, &bytes), 0);
	CHECK_EQ(nr_passes, 3);
	/* One that explains nothing reads little. */
	CHECK(nr_looks >= 5);
	CHECK_EQ(lkst_bundle_open(&e, file, &b), 0);
	why = b.parts[LKST_BUNDLE_WHY].bytes;
	CHECK(strstr(why, "## thread 5, the 1.000000 s before the moment\n"));
	/* Both files are known in the second explanation as in the first. */
	CHECK(strstr(why, "pread64() of /var/lib/data"));
	CHECK(strstr(why, "pread64() of /run/answers"));
	lkst_bundle_fini(&b);
	CHECK(!unlink(file));
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "the_trace_is_read_three_times", test_the_trace_is_read_three_times },
};
UNIT_MAIN(tests)
