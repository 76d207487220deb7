// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Runs of a hook's program that record nothing are counted, each once: a known number of system calls is made
 * while the maskset wants nothing, while it leaves their kind out, and by a process that is not recorded.
 * Recorded calls are not counted.
 */
#include "workers.h"

enum { CALLS = 20000 };

#define ENTRY "syscall_entry_sched_rr_get_interval"
#define EXIT "syscall_exit_sched_rr_get_interval"

struct runs {
	u64 entry, exit;
};

/* A call that nobody else makes. */
static void call_often(void)
{
	struct timespec interval;
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_sched_rr_get_interval, 0, &interval);
}

static void call_often_in_a_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		call_often();
		_exit(0);
	}
	if (live_wait(pid))
		live_fail("idle_child_runs", "it did not end as it should");
}

static int count(struct lkst_err *e, const struct lkst_session *s, struct runs *ret_runs)
{
	const struct lkst_event_class *entry = lkst_catalog_find(lkst_session_catalog(s), ENTRY);
	const struct lkst_event_class *exit = lkst_catalog_find(lkst_session_catalog(s), EXIT);
	static struct lkst_idle idle;
	struct runs runs = {};
	u32 cpu;
	int err;

	if (!entry || !exit)
		return lkst_err_set(e, -ENOENT, "the catalogue lacks " ENTRY " or " EXIT);
	for (cpu = 0; cpu < lkst_session_rings(s)->nr_cpus; cpu++) {
		err = lkst_session_idle(e, s, cpu, &idle);
		if (err)
			return err;
		runs.entry += idle.runs[entry->id];
		runs.exit += idle.runs[exit->id];
	}
	*ret_runs = runs;
	return 0;
}

/* @call makes @calls calls that are not to be recorded. */
static int expect(struct lkst_err *e, const struct lkst_session *s, const char *name,
		  void (*call)(void), u64 calls)
{
	struct runs before, after;
	int err = count(e, s, &before);

	if (err)
		return err;
	call();
	err = count(e, s, &after);
	if (err)
		return err;
	if (after.entry - before.entry == calls && after.exit - before.exit == calls)
		live_ok(name);
	else
		live_fail(name, "%llu entries and %llu exits of %llu",
			  (unsigned long long)(after.entry - before.entry),
			  (unsigned long long)(after.exit - before.exit),
			  (unsigned long long)calls);
	return 0;
}

/* Leaves out the calls, as the controller of costs does. */
static void shed(struct lkst_session *s)
{
	struct lkst_control *c = lkst_session_control(s);
	const struct lkst_catalog *catalog = lkst_session_catalog(s);

	c->route[c->active][lkst_catalog_find(catalog, ENTRY)->id] |= LKST_HANDLER_SHED;
	c->route[c->active][lkst_catalog_find(catalog, EXIT)->id] |= LKST_HANDLER_SHED;
}

static int work(struct lkst_err *e, struct lkst_session *s, void *ctx)
{
	int err;

	(void)ctx;
	/* Nothing is recorded yet, but the hooks are attached. */
	err = expect(e, s, "idle_unwanted_is_counted", call_often, CALLS);
	if (err)
		return err;
	lkst_session_arm(s, true);
	err = expect(e, s, "idle_recorded_is_not_counted", call_often, 0);
	if (!err)
		err = expect(e, s, "idle_filtered_is_counted", call_often_in_a_child, CALLS);
	if (err)
		return err;
	shed(s);
	return expect(e, s, "idle_left_out_is_counted", call_often, CALLS);
}

int main(void)
{
	struct lkst_session_options options = { .buffer_bytes = 4 << 20, .block_bytes = 4096 };
	char events[] = "syscall:*";
	char *const globs[] = { events };
	struct lkst_err e = {};

	live_begin();
	if (live_record_self(&e, globs, 1, options, work, NULL))
		live_fail("idle_runs", "%s", e.text);
	return live_end();
}
