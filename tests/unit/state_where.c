/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What the state model takes from records of the scheduler alone: the call that a thread waits in, and what wakes
 * it, by its registers and the preemption count; and what it does not claim where these say otherwise than older
 * records.
 */
#include "lib/states.h"

#include "lib/unit.h"

/* Numbers of x86-64's table, as these records have them. */
#define READ "0"
#define NANOSLEEP "230"
#define FUTEX "202"
#define WAIT4 "61"
#define YIELD "24"
#define RESTART "219"

/* The last wait and the last ready time of thread 5, and who ended or caused it. */
static struct lkst_wait last_wait;
static struct lkst_waker last_waker;
static struct lkst_syscall_now last_call;
static u8 last_ready;
static u32 nr_calls_unseen;

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	if (i->life->tid != 5)
		return 0;
	if (i->run == LKST_RUN_BLOCKED) {
		last_wait = *i->wait;
		last_call = i->call ? *i->call : (struct lkst_syscall_now){ .row = -1, .nr = -1 };
	}
	if (i->run == LKST_RUN_READY)
		last_ready = i->ready;
	if (i->waker)
		last_waker = *i->waker;
	return 0;
}

static int on_call(void *ctx, const struct lkst_call_interval *c)
{
	nr_calls_unseen += c->life->tid == 5 && !c->has_exit && !(c->flags & LKST_INTERVAL_OPEN);
	return 0;
}

static struct lkst_catalog *catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	struct lkst_err e;

	if (lkst_catalog_add_syscall(&e, c, 1000, 1001, lkst_syscall_find(false, "read") - lkst_syscalls) ||
	    lkst_catalog_add_syscall(&e, c, 1002, 1003, lkst_syscall_find(false, "restart_syscall") - lkst_syscalls))
		abort();
	return c;
}

static void run(const char *lines)
{
	static const struct lkst_model_calls calls = { .interval = on_interval, .call = on_call };
	struct states *st = calloc(1, sizeof(*st));
	struct make_trace *t;
	struct lkst_err e;

	if (!st)
		abort();
	last_wait = (struct lkst_wait){};
	last_waker = (struct lkst_waker){};
	last_ready = LKST_READY_UNKNOWN;
	nr_calls_unseen = 0;
	st->tid = 5;
	st->cpu = -2;
	make_scratch(st->dir);
	t = make_begin(st->dir, catalog(), 4096);
	snprintf(t->catalog->machine, sizeof(t->catalog->machine), "x86_64");
	if (make_text(t, lines) || make_end(t))
		abort();
	states_open(st);
	if (lkst_model_new(&e, st->feed, &st->state) || lkst_model_subscribe(st->state, &calls, NULL) < 0)
		abort();
	states_run(st);
	states_close(st);
	free(st);
}

static const char *call_name(const struct lkst_syscall_now *call)
{
	return call->row >= 0 ? lkst_syscalls[call->row].name : "";
}

/* Runs what thread 5 did before it blocked, with what its switch says of where it is. */
static void block(const char *before, const char *where)
{
	char lines[1024];

	snprintf(lines, sizeof(lines),
		 "sched_switch cpu=0 tid=7 ns=50 next_tid=5 prev_state=1\n%s"
		 "sched_switch cpu=0 tid=5 ns=110 next_tid=0 %s\n"
		 "sched_waking cpu=0 tid=0 ns=200 target_tid=5 context=3\n"
		 "sched_switch cpu=0 tid=0 ns=210 next_tid=5 prev_state=0 prev_where=3\n",
		 before, where);
	run(lines);
}

TEST(where_names_a_call_that_was_not_recorded)
{
	block("", "prev_state=1 prev_where=1 prev_call=" FUTEX " prev_args=4096,128,2,0,0,0");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FUTEX);
	CHECK_EQ(last_wait.object, 4096);
	CHECK_STR(call_name(&last_wait.call), "futex");
	CHECK_EQ(last_wait.call.args[1], 128);
	CHECK_EQ(last_wait.call.from_ns, 0);
	CHECK_STR(call_name(&last_call), "futex");
	/* A register has 64 bits, and a descriptor 32 of them. */
	block("", "prev_state=1 prev_where=1 prev_call=" READ " prev_args=0xffffffff00000003,4096,0xffffffff00000001");
	CHECK_EQ(last_wait.fd, 3);
	CHECK_EQ(last_wait.call.args[2], 0xffffffff00000001);
	/* A number that no table has is a call, too; so is one of a 32-bit program, by its own table. */
	block("", "prev_state=1 prev_where=1 prev_call=500");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_SYSCALL);
	CHECK_EQ(last_wait.call.nr, 500);
	block("", "prev_state=1 prev_where=1 prev_call=0x1003 prev_args=7,0,0");
	CHECK_STR(call_name(&last_wait.call), "read");
	CHECK(last_wait.call.is_compat);
}

TEST(where_ends_what_is_over)
{
	/* The fault has no end in the trace, and nor has the call before. */
	static const char fault[] = "page_fault_user cpu=0 tid=5 ns=60 address=8192 ip=4096\n";
	static const char call[] = "syscall_entry_read cpu=0 tid=5 ns=60 fd=3 count=1\n";

	block(fault, "prev_state=1 prev_where=1 prev_call=" NANOSLEEP " prev_args=0,0,0,0");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_SLEEP);
	block(fault, "prev_state=2 prev_where=2");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FAULT);
	CHECK_EQ(last_wait.object, 8192);
	/* A program that serves its faults has them wait interruptibly (userfaultfd). */
	block(fault, "prev_state=1 prev_where=2");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FAULT);
	/* Where the registers are not known, that is taken for a fault which is over. */
	block(fault, "prev_state=1");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_UNKNOWN);
	block(fault, "prev_state=2");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FAULT);
	block(call, "prev_state=1 prev_where=1 prev_call=" WAIT4 " prev_args=1,0,0,0");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_CHILD);
	CHECK_EQ(nr_calls_unseen, 1);
	block(call, "prev_state=1 prev_where=1 prev_call=" READ " prev_args=3,0,1");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FILE);
	CHECK_EQ(last_wait.call.from_ns, 60);
	CHECK_EQ(nr_calls_unseen, 0);
}

/* restart_syscall does not say what it goes on with. The registers do, as the kernel's programs look it up. */
TEST(where_names_the_call_that_is_gone_on_with)
{
	static const char entry[] = "syscall_entry_restart_syscall cpu=0 tid=5 ns=60\n";
	static const char kept[] = "syscall_entry_restart_syscall cpu=0 tid=5 ns=60\n"
				   "sched_switch cpu=0 tid=5 ns=70 next_tid=7 prev_where=1 prev_call=" FUTEX "\n"
				   "sched_switch cpu=0 tid=7 ns=80 next_tid=5 prev_state=1\n";

	block(entry, "prev_state=1 prev_where=1 prev_call=" FUTEX " prev_args=4096,128,2,0,0,0");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FUTEX);
	CHECK_EQ(last_wait.object, 4096);
	CHECK_STR(call_name(&last_wait.call), "futex");
	CHECK_EQ(last_wait.call.from_ns, 60);
	CHECK_EQ(nr_calls_unseen, 0);
	block(kept, "prev_state=1 prev_where=1 prev_call=" FUTEX " prev_args=4096,128,2,0,0,0");
	CHECK_EQ(last_wait.object, 4096);
	CHECK_EQ(last_wait.call.from_ns, 60);
	CHECK_EQ(nr_calls_unseen, 0);
	block(entry, "prev_state=1 prev_where=1 prev_call=" RESTART);
	CHECK_STR(call_name(&last_wait.call), "restart_syscall");
	CHECK_EQ(nr_calls_unseen, 0);
	/* A 32-bit program's is not looked up. */
	block(entry, "prev_state=1 prev_where=1 prev_call=0x1003 prev_args=7,0,0");
	CHECK_EQ(nr_calls_unseen, 1);
}

TEST(where_does_not_blame_a_call_that_may_be_over)
{
	block("", "prev_state=2 prev_where=1 prev_flags=1 prev_call=" READ);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_USER);
	CHECK(last_wait.call.may_be_over);
	block("", "prev_state=2 prev_where=3");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_KERNEL);
	/* In no call, and no fault was recorded: it may be in one that was left out. */
	block("", "prev_state=2 prev_where=2");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_UNKNOWN);
}

TEST(where_tells_who_could_run)
{
	static const char form[] = "sched_switch cpu=0 tid=7 ns=50 next_tid=5 prev_state=1\n"
				   "sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=0 %s\n"
				   "sched_switch cpu=0 tid=7 ns=210 next_tid=5 prev_state=1\n";
	static const struct {
		const char *where;
		u8 ready;
	} rows[] = {
		{ "prev_where=2", LKST_READY_PREEMPTED },
		{ "prev_where=1 prev_call=" READ, LKST_READY_PREEMPTED },
		{ "prev_where=1 prev_call=" YIELD, LKST_READY_YIELDED },
		{ "prev_where=1 prev_flags=1 prev_call=" YIELD, LKST_READY_PREEMPTED },
		{ "prev_where=2 prev_flags=8", LKST_READY_THROTTLED },
	};
	char lines[512];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(lines, sizeof(lines), form, rows[i].where);
		run(lines);
		CHECK_EQ(last_ready, rows[i].ready);
	}
	/* One that is woken into such a cgroup has no switch that says so. */
	run("sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=1\n"
	    "sched_waking cpu=0 tid=7 ns=150 target_tid=5 context=1 flags=8\n"
	    "sched_switch cpu=0 tid=7 ns=210 next_tid=5 prev_state=1\n");
	CHECK_EQ(last_ready, LKST_READY_THROTTLED);
	CHECK_EQ(last_waker.tid, 7);
}

/* Thread 7 is interrupted, or wakes, as the line before says and as the waking itself says. */
static void wake(const char *before, const char *waking)
{
	char lines[1024];

	snprintf(lines, sizeof(lines),
		 "sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=2 prev_where=2\n%s"
		 "sched_waking cpu=0 tid=7 ns=200 target_tid=5 %s\n"
		 "sched_switch cpu=0 tid=7 ns=210 next_tid=5 prev_state=0\n",
		 before, waking);
	run(lines);
}

TEST(who_wakes_is_what_goes_on)
{
	static const char exit[] = "syscall_exit_read cpu=0 tid=7 ns=150 ret=1\n";
	static const char softirq[] = "softirq_entry cpu=0 tid=7 ns=150 vec=3\n";

	wake("", "context=1 call=" FUTEX);
	CHECK_EQ(last_waker.context, LKST_CONTEXT_THREAD);
	CHECK_EQ(last_waker.tid, 7);
	CHECK_STR(call_name(&last_waker.call), "futex");
	/* Whoever happened to run there has no part in it. */
	wake("", "context=3 call=" FUTEX);
	CHECK_EQ(last_waker.context, LKST_CONTEXT_INTERRUPT);
	wake("", "context=2");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_SOME_SOFTIRQ);
	wake(softirq, "context=2");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_SOFTIRQ);
	CHECK_EQ(last_waker.number, 3);
	/* An interrupt that was not recorded, within a softirq that was; and a softirq whose end was not. */
	wake(softirq, "context=3");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_INTERRUPT);
	wake(softirq, "context=1");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_THREAD);
	/* Where the record does not say it: a thread that runs its program wakes nobody. */
	wake(exit, "context=0");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_UNKNOWN);
	wake(exit, "context=1");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_THREAD);
	wake("", "context=0");
	CHECK_EQ(last_waker.context, LKST_CONTEXT_THREAD);
}

TEST(a_disk_wakes_only_in_its_own_context)
{
	static const char done[] = "block_rq_complete cpu=0 tid=7 ns=150 dev=8388608 rq=77\n";

	wake(done, "context=3");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_IO);
	/* The interrupt woke somebody else; then thread 7 woke thread 5 by itself. */
	wake("block_rq_complete cpu=0 tid=7 ns=150 dev=8388608 rq=77\n"
	     "sched_waking cpu=0 tid=7 ns=160 target_tid=9 context=3\n",
	     "context=1");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_UNKNOWN);
	CHECK_EQ(last_waker.rq, 0);
}

TEST(where_is_known_of_a_wait_from_before_the_records)
{
	static const char listed[] =
		"state_thread ns=10 thread_tid=5 thread_pid=5 state=1\n"
		"state_wait ns=10 thread_tid=5 call=" FUTEX " where=1 args=4096,128,2,0,0,0\n"
		"sched_switch cpu=0 tid=9 ns=50 next_tid=7 prev_state=1\n";
	char lines[1024];

	/* Nothing happens to it, or only its end. */
	snprintf(lines, sizeof(lines), "%ssched_switch cpu=0 tid=7 ns=300 next_tid=9 prev_state=1\n", listed);
	run(lines);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FUTEX);
	CHECK_EQ(last_wait.object, 4096);
	snprintf(lines, sizeof(lines),
		 "%ssched_waking cpu=0 tid=7 ns=200 target_tid=5 context=1\n"
		 "sched_switch cpu=0 tid=7 ns=300 next_tid=5 prev_state=1\n",
		 listed);
	run(lines);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FUTEX);
	CHECK_EQ(last_waker.tid, 7);
	/* What it waits in later is another matter, and that before a list which was made afterwards is not known. */
	snprintf(lines, sizeof(lines),
		 "%ssched_switch cpu=0 tid=7 ns=200 next_tid=5 prev_state=1\n"
		 "sched_switch cpu=0 tid=5 ns=210 next_tid=7 prev_state=1\n"
		 "sched_switch cpu=0 tid=7 ns=300 next_tid=9 prev_state=1\n",
		 listed);
	run(lines);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_UNKNOWN);
	run("state_thread ns=900 thread_tid=5 thread_pid=5 state=1\n"
	    "state_wait ns=900 thread_tid=5 call=" FUTEX " where=1 args=4096,128,2,0,0,0\n"
	    "sched_switch cpu=0 tid=9 ns=50 next_tid=7 prev_state=1\n"
	    "sched_waking cpu=0 tid=7 ns=200 target_tid=5 context=1\n"
	    "sched_switch cpu=0 tid=7 ns=300 next_tid=5 prev_state=1\n");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_UNKNOWN);
	/* Another thread's, or one that stands alone. */
	run("state_wait ns=10 thread_tid=5 call=" FUTEX " where=1 args=4096,128,2,0,0,0\n"
	    "sched_switch cpu=0 tid=9 ns=50 next_tid=7 prev_state=1\n"
	    "sched_waking cpu=0 tid=7 ns=200 target_tid=5 context=1\n"
	    "sched_switch cpu=0 tid=7 ns=300 next_tid=5 prev_state=1\n");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_UNKNOWN);
}

TEST(who_has_a_lock_is_known_when_the_wait_begins)
{
	static const char in_read[] = "prev_state=2 prev_where=1 prev_call=" READ " prev_args=3,0,1";

	block("sched_blocker cpu=0 tid=5 ns=109 lock=999 holder_tid=8 holder_is=1 flags=32\n", in_read);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_LOCK);
	CHECK_EQ(last_wait.object, 999);
	CHECK_EQ(last_wait.lock_flags, 32);
	CHECK_EQ(last_wait.holder_tid, 8);
	CHECK_STR(call_name(&last_wait.call), "read");
	/* Who reads it is one of several, and the last that took a semaphore may have given it back. */
	block("sched_blocker cpu=0 tid=5 ns=109 lock=999 holder_tid=8 holder_is=2 flags=4\n", in_read);
	CHECK_EQ(last_wait.holder_tid, 0);
	CHECK_EQ(last_wait.last_tid, 8);
	block("sched_blocker cpu=0 tid=5 ns=109 lock=999 holder_tid=8 holder_is=3 flags=0\n", in_read);
	CHECK_EQ(last_wait.holder_tid, 0);
	CHECK_EQ(last_wait.last_tid, 8);
	/* Where the switch does not say it, the beginning of the wait does; the switch is nearer. */
	block("contention_begin cpu=0 tid=5 ns=105 lock=999 flags=32 holder_tid=8 holder_is=1\n", in_read);
	CHECK_EQ(last_wait.holder_tid, 8);
	block("contention_begin cpu=0 tid=5 ns=105 lock=999 flags=32 holder_tid=8 holder_is=1\n"
	      "sched_blocker cpu=0 tid=5 ns=109 lock=999 holder_tid=9 holder_is=1 flags=32\n",
	      in_read);
	CHECK_EQ(last_wait.holder_tid, 9);
	/* A futex that lends priority is one all the same. */
	block("sched_blocker cpu=0 tid=5 ns=109 lock=999 holder_tid=8 holder_is=1 flags=8\n",
	      "prev_state=1 prev_where=1 prev_call=" FUTEX " prev_args=4096,6,0,0,0,0");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_FUTEX);
	CHECK_EQ(last_wait.object, 4096);
	CHECK_EQ(last_wait.holder_tid, 8);
}

TEST(a_lock_is_of_the_next_switch_only)
{
	static const char blocked[] = "sched_switch cpu=0 tid=7 ns=50 next_tid=5 prev_state=1\n"
				      "sched_blocker cpu=0 tid=5 ns=59 lock=999 holder_tid=8 holder_is=1 flags=32\n"
				      "sched_switch cpu=0 tid=5 ns=60 next_tid=7 prev_state=2 prev_where=2\n"
				      "sched_waking cpu=0 tid=7 ns=70 target_tid=5 context=1\n";
	char lines[1024];

	snprintf(lines, sizeof(lines),
		 "%ssched_switch cpu=0 tid=7 ns=80 next_tid=5 prev_state=1\n"
		 "sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=1 prev_where=1 prev_call=" NANOSLEEP
		 " prev_args=0,0,0,0\n"
		 "sched_waking cpu=0 tid=7 ns=200 target_tid=5 context=1\n",
		 blocked);
	run(lines);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_SLEEP);
	/* Its switch is missing. */
	snprintf(lines, sizeof(lines),
		 "sched_switch cpu=0 tid=7 ns=50 next_tid=5 prev_state=1\n"
		 "sched_blocker cpu=0 tid=5 ns=59 lock=999 holder_tid=8 holder_is=1 flags=32\n"
		 "!skip cpu=0 blocks=1\n"
		 "sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=1 prev_where=1 prev_call=" NANOSLEEP
		 " prev_args=0,0,0,0\n"
		 "sched_waking cpu=0 tid=7 ns=200 target_tid=5 context=1\n");
	run(lines);
	CHECK_EQ(last_wait.cause, LKST_CAUSE_SLEEP);
}

TEST(who_has_a_lock_is_known_of_a_wait_from_before_the_records)
{
	run("state_thread ns=10 thread_tid=5 thread_pid=5 state=2\n"
	    "state_wait ns=10 thread_tid=5 call=" READ " where=1 lock=999 holder_tid=8 holder_is=1 lock_flags=4 "
	    "args=3,0,1\n"
	    "sched_switch cpu=0 tid=9 ns=50 next_tid=7 prev_state=1\n"
	    "sched_switch cpu=0 tid=7 ns=300 next_tid=9 prev_state=1\n");
	CHECK_EQ(last_wait.cause, LKST_CAUSE_LOCK);
	CHECK_EQ(last_wait.object, 999);
	CHECK_EQ(last_wait.lock_flags, 4);
	CHECK_EQ(last_wait.holder_tid, 8);
	CHECK_STR(call_name(&last_wait.call), "read");
}

static const struct unit_test tests[] = {
	{ "where_names_a_call_that_was_not_recorded", test_where_names_a_call_that_was_not_recorded },
	{ "where_ends_what_is_over", test_where_ends_what_is_over },
	{ "where_names_the_call_that_is_gone_on_with", test_where_names_the_call_that_is_gone_on_with },
	{ "where_does_not_blame_a_call_that_may_be_over", test_where_does_not_blame_a_call_that_may_be_over },
	{ "where_tells_who_could_run", test_where_tells_who_could_run },
	{ "who_wakes_is_what_goes_on", test_who_wakes_is_what_goes_on },
	{ "where_is_known_of_a_wait_from_before_the_records",
	  test_where_is_known_of_a_wait_from_before_the_records },
	{ "who_has_a_lock_is_known_when_the_wait_begins", test_who_has_a_lock_is_known_when_the_wait_begins },
	{ "a_lock_is_of_the_next_switch_only", test_a_lock_is_of_the_next_switch_only },
	{ "who_has_a_lock_is_known_of_a_wait_from_before_the_records",
	  test_who_has_a_lock_is_known_of_a_wait_from_before_the_records },
	{ "a_disk_wakes_only_in_its_own_context", test_a_disk_wakes_only_in_its_own_context },
};

UNIT_MAIN(tests)
