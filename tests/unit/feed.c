/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The feed: which subscribers get which events, in which order, and how records of another layout arrive.
 */
#include "analyze/engine/feed.h"
#include "analyze/model/model.h"
#include "lib/make_trace.h"
#include "lib/shown.h"
#include "lib/unit.h"

static char dir[64];
static struct lkst_trace *trace;
static struct lkst_feed *feed;
static struct lkst_err err;

/* Opens a feed of the trace of @lines, made with @catalog (NULL: make_catalog()'s). */
static void open_feed(struct lkst_catalog *catalog, const char *lines)
{
	struct make_trace *t;

	shown[0] = 0;
	make_scratch(dir);
	t = make_begin(dir, catalog, 4096);
	if (make_text(t, lines) || make_end(t) || lkst_trace_open(&err, dir, &trace) ||
	    lkst_feed_new(&err, trace, &feed)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static void close_feed(void)
{
	lkst_feed_free(feed);
	lkst_trace_close(trace);
	make_scratch_remove(dir);
}

static int on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *e = record;

	return put("%s%llu:%d->%d/%u/%u ", (const char *)ctx, (unsigned long long)r->ns, r->tid,
		   e->next_tid, e->prev_state, e->next_prio);
}

static int on_named(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "after");

	return put("%s:%u:%d ", r->event->name, r->size, record == r->bytes && f != NULL);
}

static int on_gap(void *ctx, const struct lkst_gap *gap)
{
	return put("gap%u:%llu-%llu ", gap->cpu, (unsigned long long)gap->from_ns,
		   (unsigned long long)gap->to_ns);
}

static int on_end(void *ctx, u64 end_ns)
{
	return put("end:%llu", (unsigned long long)end_ns);
}

static const char lines[] = "sched_switch cpu=0 tid=1 ns=100 next_tid=2 prev_state=1\n"
			    "!skip cpu=0 blocks=1\n"
			    "test_text cpu=1 ns=150 text=abc\n"
			    "sched_switch cpu=0 tid=2 ns=200 next_tid=3 prev_state=0\n"
			    "kfree cpu=0 tid=3 ns=250\n"
			    "sched_switch cpu=0 tid=3 ns=300 next_tid=1 prev_state=2\n";

TEST(feed_tells_subscribers_in_order)
{
	open_feed(NULL, lines);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, on_switch, "a"), 1);
	CHECK_EQ(lkst_feed_named(feed, "test_text", on_named, NULL), 1);
	CHECK_EQ(lkst_feed_named(feed, "sched:nothing", on_named, NULL), 0);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, on_switch, "b"), 1);
	CHECK_EQ(lkst_feed_gaps(feed, on_gap, NULL), 1);
	CHECK_EQ(lkst_feed_end(feed, on_end, NULL), 1);
	CHECK(!lkst_feed_run(&err, feed));
	CHECK_STR(shown, "a100:1->2/1/120 b100:1->2/1/120 gap0:100-200 test_text:30:1 "
			 "a200:2->3/0/120 b200:2->3/0/120 a300:3->1/2/120 b300:3->1/2/120 end:300");
	CHECK_EQ(lkst_feed_records(feed), 5);
	CHECK_EQ(lkst_feed_missing(feed, LKST_EV_sched_switch), 0);
	close_feed();
}

TEST(feed_keeps_to_its_window)
{
	open_feed(NULL, lines);
	lkst_feed_limit(feed, 200, 250);
	lkst_feed_always(feed, true);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, on_switch, "always"), 1);
	lkst_feed_always(feed, false);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, on_switch, "window"), 1);
	CHECK_EQ(lkst_feed_end(feed, on_end, NULL), 1);
	CHECK(!lkst_feed_run(&err, feed));
	CHECK_STR(shown, "always100:1->2/1/120 always200:2->3/0/120 window200:2->3/0/120 end:250");
	close_feed();
}

static int fail(void *ctx, const struct lkst_record *r, const void *record)
{
	return -ENOMEM;
}

TEST(feed_ends_with_the_error_of_a_subscriber)
{
	open_feed(NULL, lines);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, fail, NULL), 1);
	CHECK_EQ(lkst_feed_end(feed, on_end, NULL), 1);
	CHECK_EQ(lkst_feed_run(&err, feed), -ENOMEM);
	CHECK_STR(shown, "");
	close_feed();
}

static int on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exec *e = record;

	return put("%d %s ", e->old_tid, e->filename.bytes);
}

static int on_rename(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_rename *e = record;

	return put("%d %.16s ", e->target_tid, e->newcomm);
}

/* As another version might lay them out: other order, sizes and types, fields more and fewer. */
static struct lkst_catalog *foreign_catalog(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_field_class fields[8];
	struct lkst_event_class event = { .id = 9, .name = "sched_switch", .fields = fields };
	struct lkst_err e;

	make_field(&event, "vruntime", LKST_CLASS_UINT, 8, 10, 0, 0);
	make_field(&event, "prev_state", LKST_CLASS_UINT, 2, 16, 0, 0);
	make_field(&event, "next_prio", LKST_CLASS_STRING, 0, 10, 0, 0);
	make_field(&event, "next_tid", LKST_CLASS_SINT, 8, 10, 0, 0);
	if (!c || lkst_catalog_add(&e, c, &event))
		abort();
	event = (struct lkst_event_class){ .id = 7,
					   .name = "sched_process_exec",
					   .fields = fields };
	make_field(&event, "filename", LKST_CLASS_STRING, 0, 10, 0, 0);
	make_field(&event, "old_tid", LKST_CLASS_SINT, 2, 10, 0, 0);
	if (lkst_catalog_add(&e, c, &event))
		abort();
	event = (struct lkst_event_class){ .id = 8, .name = "task_rename", .fields = fields };
	make_field(&event, "newcomm", LKST_CLASS_STRING, 0, 10, 0, 0);
	if (lkst_catalog_add(&e, c, &event))
		abort();
	return c;
}

TEST(feed_converts_records_of_another_layout)
{
	open_feed(foreign_catalog(),
		  "sched_switch tid=1 ns=100 next_tid=-2 prev_state=7 vruntime=99 next_prio=120\n"
		  "sched_process_exec tid=5 ns=200 filename=/bin/true old_tid=-3\n"
		  "task_rename tid=5 ns=300 newcomm=a_name_longer_than_fits\n");
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, on_switch, ""), 1);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_process_exec, on_exec, NULL), 1);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_task_rename, on_rename, NULL), 1);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_kfree, on_exec, NULL), 0);
	/* prev_prio is not there, nor what an older trace has not, and next_prio is not a number. */
	CHECK_EQ(lkst_feed_missing(feed, LKST_EV_sched_switch), 0x1f0 | 1 << 2 | 1 << 3);
	/* Neither who was renamed nor the name before. */
	CHECK_EQ(lkst_feed_missing(feed, LKST_EV_task_rename), 1 << 0 | 1 << 2);
	CHECK_EQ(lkst_feed_missing(feed, LKST_EV_kfree), (long long)UINT64_MAX);
	CHECK(!lkst_feed_run(&err, feed));
	CHECK_STR(shown, "100:1->-2/7/0 -3 /bin/true 0 a_name_longer_t ");
	close_feed();
}

static int on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	u32 length;
	const char *string = lkst_feed_string(s, 0, &length);

	return put("%s%s/%d(%lld,%llu,%u:%.*s)%s ", (const char *)ctx,
		   s->row >= 0 ? lkst_syscalls[s->row].name : "?", s->nr, (long long)s->args[0],
		   (unsigned long long)s->args[1], s->nr_args, (int)length, string,
		   s->is_compat ? "32" : "");
}

static int on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	return put("%s=%lld ", s->row >= 0 ? lkst_syscalls[s->row].name : "?", (long long)s->ret);
}

static struct lkst_catalog *catalog_with_calls(void)
{
	struct lkst_catalog *c = make_catalog();
	struct lkst_err e;

	if (lkst_catalog_add_syscall(&e, c, 1000, 1001,
				     lkst_syscall_find(false, "openat") - lkst_syscalls) ||
	    lkst_catalog_add_syscall(&e, c, 1002, 1003,
				     lkst_syscall_find(false, "close") - lkst_syscalls) ||
	    lkst_catalog_add_syscall(&e, c, 1004, 1005,
				     lkst_syscall_find(true, "close") - lkst_syscalls))
		abort();
	return c;
}

TEST(feed_tells_of_system_calls_alike)
{
	open_feed(catalog_with_calls(),
		  "syscall_entry_openat tid=5 ns=100 dirfd=-100 path=4096 flags=2 mode=3 "
		  "path_str=/etc/passwd\n"
		  "syscall_exit_openat tid=5 ns=200 ret=-2\n"
		  "compat_syscall_entry_close tid=5 ns=300 fd=7\n"
		  "syscall_entry_unknown tid=5 ns=400 nr=999 arg0=1 arg1=2 arg5=6\n"
		  "syscall_exit_unknown tid=5 ns=500 nr=999 ret=-38\n"
		  "syscall_entry_close tid=5 ns=600 fd=-1\n");
	CHECK_EQ(lkst_feed_syscalls(feed, on_entry, on_return, ""), 1);
	CHECK_EQ(lkst_feed_syscall(feed, "close", on_entry, NULL, "also "), 1);
	CHECK_EQ(lkst_feed_syscall(feed, "mmap", on_entry, NULL, ""), 0);
	CHECK(!lkst_feed_run(&err, feed));
	CHECK_STR(shown, "openat/257(-100,4096,4:/etc/passwd) openat=-2 close/6(7,0,1:)32 "
			 "also close/6(7,0,1:)32 ?/999(1,2,6:) ?=-38 close/3(-1,0,1:) "
			 "also close/3(-1,0,1:) ");
	close_feed();
}

/* What a subscriber that is called after the model hits. */
static int ask(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_model *s = ctx;
	const struct lkst_thread_life *running = lkst_model_running(s, r->cpu);
	const struct lkst_irq_context *f = lkst_model_context(s, r->cpu);
	struct lkst_thread_now now;

	put("%llu:%d", (unsigned long long)r->ns, running ? running->tid : -1);
	if (f)
		put("(%s %d)", lkst_context_names[f->context], f->number);
	if (lkst_model_thread(s, 7, &now))
		put("7 %s since %llu%s", lkst_run_names[now.run], (unsigned long long)now.since_ns,
		    now.waker ? " woken" : "");
	return put(" ");
}

TEST(feed_tells_the_model_first)
{
	struct lkst_model *s;

	open_feed(NULL, "sched_switch tid=0 ns=100 next_tid=7 prev_state=0\n"
			"kfree tid=7 ns=150\n"
			"sched_switch tid=7 ns=200 next_tid=0 prev_state=1\n"
			"irq_handler_entry tid=0 ns=250 irq=9\n"
			"kfree tid=0 ns=300\n"
			"sched_waking tid=0 ns=350 target_tid=7\n"
			"irq_handler_exit tid=0 ns=400 irq=9\n"
			"kfree tid=0 ns=450\n");
	CHECK(!lkst_model_new(&err, feed, &s));
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_kfree, ask, s), 1);
	CHECK_EQ(lkst_feed_event(feed, LKST_EV_sched_switch, ask, s), 1);
	CHECK(!lkst_feed_run(&err, feed));
	CHECK_STR(shown, "100:77 running since 100 150:77 running since 100 "
			 "200:07 blocked since 200 300:0(irq 9)7 blocked since 200 "
			 "450:07 ready since 350 woken ");
	lkst_model_free(s);
	close_feed();
}

static const struct unit_test tests[] = {
	{ "feed_tells_subscribers_in_order", test_feed_tells_subscribers_in_order },
	{ "feed_keeps_to_its_window", test_feed_keeps_to_its_window },
	{ "feed_ends_with_the_error_of_a_subscriber",
	  test_feed_ends_with_the_error_of_a_subscriber },
	{ "feed_converts_records_of_another_layout", test_feed_converts_records_of_another_layout },
	{ "feed_tells_of_system_calls_alike", test_feed_tells_of_system_calls_alike },
	{ "feed_tells_the_model_first", test_feed_tells_the_model_first },
};

UNIT_MAIN(tests)
