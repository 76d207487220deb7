/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Conditions of triggers: what they become, and which are refused, in which words.
 */
#include "masks/condition.h"

#include <errno.h>

#include "lib/unit.h"
#include "lib/whole_catalog.h"

/* A catalogue of all there is but swap-in, and a tracepoint by name. */
static struct lkst_catalog *whole(void)
{
	struct lkst_field_class fields[] = {
		{ .name = "delta", .type = LKST_CLASS_SINT, .size = 4, .base = 10 }
	};
	const struct lkst_event_class by_name = { .name = "ext4:sync",
						  .nr_fields = 1,
						  .fields = fields };

	return whole_catalog(LKST_EV_do_swap_page, by_name);
}

static struct lkst_catalog *catalog;
static struct lkst_condition *made;
static struct lkst_err error;

/* Makes @text into `made`, or `error`. */
static int parse(const char *text)
{
	struct lkst_err e = {};
	int err;

	if (!catalog)
		catalog = whole();
	free(made);
	made = NULL;
	err = lkst_condition_parse(&e, catalog, text, &made);
	error = e;
	return err;
}

static const struct lkst_trigger_event *event(const char *name)
{
	return &made->events[lkst_catalog_find(catalog, name)->id];
}

/* How many events have a rule. */
static unsigned int nr_events(void)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += made->events[id].rules != 0;
	return nr;
}

/* True if @text is refused with @code and words with @words in them. */
static bool refuses(const char *text, int code, const char *words)
{
	int err = parse(text);

	if (err != code || !strstr(error.text, words))
		printf("  %s: %d %s\n", text, err, error.text);
	return err == code && strstr(error.text, words);
}

#define TERM(i) (&made->rules[0].terms[i])
#define OFFSET(event, field) offsetof(struct lkst_rec_##event, field)

TEST(event_alone)
{
	CHECK_EQ(parse("mark_victim"), 0);
	CHECK_EQ(made->nr_rules, 1);
	CHECK_EQ(made->rules[0].nr_terms, 0);
	CHECK_EQ(event("mark_victim")->rules, 1);
	CHECK_EQ(nr_events(), 1);
	CHECK_EQ(parse(" oom_kill "), 0);
	CHECK_EQ(event("mark_victim")->rules, 1);
	CHECK_EQ(parse("ext4:sync delta < -5"), 0);
	CHECK_EQ(nr_events(), 1);
}

TEST(fields_and_operators)
{
	static const struct {
		const char *text;
		u8 op, is_signed;
		u64 operand;
	} all[] = {
		{ "mark_victim oom_score_adj == -5", LKST_TRIGGER_EQ, 1, (u64)-5 },
		{ "mark_victim oom_score_adj!=0x10", LKST_TRIGGER_NE, 1, 16 },
		{ "mark_victim oom_score_adj<-1000", LKST_TRIGGER_LT, 1, (u64)-1000 },
		{ "mark_victim oom_score_adj <= 4K", LKST_TRIGGER_LE, 1, 4096 },
		{ "mark_victim oom_score_adj>1", LKST_TRIGGER_GT, 1, 1 },
		{ "mark_victim oom_score_adj >= 1000", LKST_TRIGGER_GE, 1, 1000 },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK_EQ(parse(all[i].text), 0);
		CHECK_EQ(TERM(0)->source, LKST_TRIGGER_FIELD);
		CHECK_EQ(TERM(0)->op, all[i].op);
		CHECK_EQ(TERM(0)->is_signed, all[i].is_signed);
		CHECK_EQ(TERM(0)->operand, all[i].operand);
		CHECK_EQ(TERM(0)->mask, ~0ULL);
		CHECK_EQ(TERM(0)->offset, OFFSET(mark_victim, oom_score_adj));
		CHECK_EQ(TERM(0)->size, 4);
	}
}

TEST(masks)
{
	CHECK_EQ(parse("block_rq_issue flags & 0x800"), 0);
	CHECK_EQ(TERM(0)->op, LKST_TRIGGER_NE);
	CHECK_EQ(TERM(0)->mask, 0x800);
	CHECK_EQ(TERM(0)->operand, 0);
	CHECK_EQ(parse("block_rq_issue flags & 0xff == 1 && bytes > 1M"), 0);
	CHECK_EQ(TERM(0)->op, LKST_TRIGGER_EQ);
	CHECK_EQ(TERM(0)->mask, 0xff);
	CHECK_EQ(TERM(0)->operand, 1);
	CHECK_EQ(TERM(1)->operand, 1 << 20);
}

TEST(text_is_compared_whole_or_by_its_beginning)
{
	CHECK_EQ(parse("mark_victim comm == \"my db\" and uid == 0"), 0);
	CHECK_EQ(made->rules[0].nr_terms, 2);
	/* Numbers come first. */
	CHECK_EQ(TERM(0)->offset, OFFSET(mark_victim, uid));
	CHECK_EQ(TERM(1)->source, LKST_TRIGGER_CHARS);
	CHECK_EQ(TERM(1)->offset, OFFSET(mark_victim, comm));
	CHECK_STR(TERM(1)->text, "my db");
	CHECK_EQ(TERM(1)->length, 6);
	CHECK_EQ(parse("timer_start comm != 'kworker/*'"), 0);
	CHECK_EQ(TERM(0)->source, LKST_TRIGGER_COMM);
	CHECK_EQ(TERM(0)->length, 8);
	CHECK_EQ(parse("sched_process_exec filename == /usr/bin/make"), 0);
	CHECK_EQ(TERM(0)->source, LKST_TRIGGER_CHARS);
	CHECK_EQ(TERM(0)->offset, sizeof(struct lkst_rec_sched_process_exec));
	CHECK_EQ(TERM(0)->length, 14);
}

TEST(errors_by_name)
{
	CHECK_EQ(parse("syscall_exit_openat result == -ENOENT"), 0);
	CHECK_EQ(TERM(0)->operand, (u64)-2);
	CHECK_EQ(TERM(0)->is_signed, 1);
	/* Also of a call that returns an address. */
	CHECK_EQ(parse("syscall_exit_mmap ret < 0"), 0);
	CHECK_EQ(TERM(0)->is_signed, 1);
	CHECK_EQ(parse("syscall:* result == -EIO"), 0);
	CHECK(nr_events() > 300);
	CHECK(made->nr_rules <= 3);
	CHECK_EQ(event("syscall_entry_read")->rules, 0);
	CHECK(event("syscall_exit_read")->rules != 0);
	CHECK(event("syscall_exit_unknown")->rules != event("syscall_exit_read")->rules);
}

TEST(latency_is_since_the_beginning)
{
	CHECK_EQ(parse("block_rq_complete latency > 50ms"), 0);
	CHECK_EQ(TERM(0)->source, LKST_TRIGGER_TOOK);
	CHECK_EQ(TERM(0)->operand, 50000000);
	CHECK(made->rules[0].ends);
	CHECK_EQ(made->rules[0].key.kind, LKST_TRIGGER_BY_FIELD);
	CHECK_EQ(made->rules[0].key.offset, OFFSET(block_rq_complete, rq));
	CHECK_EQ(made->nr_steps, 4); /* it is not forgotten: it may be a part */
	CHECK_EQ(event("block_rq_issue")->steps, 1);
	CHECK_EQ(made->steps[0].op, LKST_TRIGGER_BEGIN);
	CHECK_EQ(made->steps[event("block_rq_requeue")->steps - 1].op, LKST_TRIGGER_HOLD);
	CHECK_EQ(made->steps[event("block_rq_merge")->steps - 1].op, LKST_TRIGGER_FORGET);
	CHECK_EQ(made->steps[event("block_rq_complete")->steps - 1].op, LKST_TRIGGER_END);
	CHECK_EQ(event("block_rq_requeue")->rules, 0);
	CHECK_EQ(parse("block_rq_error latency > 50ms"), 0);
	CHECK_EQ(made->nr_steps, 4); /* the error of a part comes after its completion */
	CHECK_EQ(event("block_rq_complete")->rules, 0);
	CHECK_EQ(parse("syscall_exit_fsync latency >= 1.5s"), 0);
	CHECK_EQ(TERM(0)->operand, 1500000000);
	CHECK_EQ(made->rules[0].key.kind, LKST_TRIGGER_BY_THREAD);
	CHECK(event("syscall_entry_fsync")->steps && event("syscall_exit_fsync")->steps);
	CHECK_EQ(parse("syscall:* latency > 1s"), 0);
	CHECK_EQ(made->nr_steps, 2);
	CHECK_EQ(parse("softirq_exit latency > 2ms and vec == 3"), 0);
	CHECK_EQ(made->rules[0].key.kind, LKST_TRIGGER_BY_CPU);
}

TEST(wait_begins_with_being_woken_or_preempted)
{
	const struct lkst_trigger_event *e;

	CHECK_EQ(parse("sched_switch next_comm==\"db\" wait"), -EINVAL);
	CHECK_EQ(parse("sched_switch next_comm==\"db\" and wait > 10ms"), 0);
	CHECK_EQ(TERM(0)->source, LKST_TRIGGER_TOOK);
	CHECK_EQ(TERM(1)->source, LKST_TRIGGER_NEXT_COMM);
	CHECK_EQ(made->rules[0].key.kind, LKST_TRIGGER_BY_TID);
	CHECK_EQ(made->rules[0].key.offset, OFFSET(sched_switch, next_tid));
	CHECK_EQ(made->steps[(event("sched_waking")->steps & 0xff) - 1].op, LKST_TRIGGER_BEGIN);
	CHECK_EQ(made->steps[(event("sched_wakeup_new")->steps & 0xff) - 1].op, LKST_TRIGGER_BEGIN);
	/* The next one's is over, and this one's begins if it is ready. */
	e = event("sched_switch");
	CHECK_EQ(made->steps[(e->steps & 0xff) - 1].op, LKST_TRIGGER_FORGET);
	CHECK_EQ(made->steps[(e->steps >> 8 & 0xff) - 1].op, LKST_TRIGGER_BEGIN);
	CHECK_EQ(made->steps[(e->steps >> 8 & 0xff) - 1].term.op, LKST_TRIGGER_EQ);
	CHECK_EQ(e->steps >> 16, 0);
}

TEST(pairs)
{
	CHECK_EQ(parse("syscall_entry_fsync .. syscall_exit_fsync > 100ms"), 0);
	CHECK_EQ(TERM(0)->operand, 100000000);
	CHECK_EQ(made->rules[0].key.kind, LKST_TRIGGER_BY_THREAD);
	CHECK_EQ(made->nr_steps, 2);
	CHECK_EQ(parse("kmalloc..kfree key=ptr>1h and call_site!=0"), 0);
	CHECK_EQ(made->rules[0].nr_terms, 2);
	CHECK_EQ(made->rules[0].key.offset, OFFSET(kfree, ptr));
	CHECK_EQ(made->steps[(event("kmalloc")->steps & 0xff) - 1].key.offset,
		 OFFSET(kmalloc, ptr));
	/* From one to the next of the same. */
	CHECK_EQ(parse("irq_handler_entry .. irq_handler_entry key=irq > 1s"), 0);
	CHECK_EQ(made->nr_steps, 1);
	CHECK_EQ(made->steps[0].op, LKST_TRIGGER_BEGIN);
	CHECK_EQ(parse("sched_waking .. sched_wakeup key=target_tid > 1ms"), 0);
	CHECK_EQ(made->rules[0].key.kind, LKST_TRIGGER_BY_TID);
}

TEST(names_that_are_not_there_get_near_ones)
{
	CHECK(refuses("sched_swich", -ENOENT, "did you mean sched_switch?"));
	CHECK(refuses("wakeup", -ENOENT, "sched_wakeup"));
	CHECK(refuses("block_rq_complete latencey > 1s", -ENOENT, "did you mean latency?"));
	CHECK(refuses("mark_victim ui == 0", -ENOENT, "did you mean uid?"));
	CHECK(refuses("xyzzy", -ENOENT, "there is no event \"xyzzy\";"));
	CHECK(refuses("do_swap_page", -ENOENT, "this recording does not have event do_swap_page"));
	CHECK(refuses("syscall_exit_read ret == -EAGAN", -EINVAL, "did you mean EAGAIN?"));
	CHECK(refuses("kmalloc .. kfree key=pt > 1s", -ENOENT, "did you mean ptr?"));
	CHECK(refuses("maskset_switch", -ENOENT, "there is no event") ||
	      refuses("maskset_switch", -ENOENT, "does not have event"));
}

TEST(what_makes_no_sense_is_refused)
{
	CHECK(refuses("", -EINVAL, "an event is missing"));
	CHECK(refuses("== 5", -EINVAL, "expected an event, not"));
	CHECK(refuses("mark_victim uid", -EINVAL, "\"uid\" must be followed by"));
	CHECK(refuses("mark_victim uid = 5", -EINVAL, "\"uid\" must be followed by =="));
	CHECK(refuses("mark_victim uid ==", -EINVAL, "a value is missing"));
	CHECK(refuses("mark_victim uid == 5 uid == 6", -EINVAL, "expected \"and\" between"));
	CHECK(refuses("mark_victim uid == 5 or uid == 6", -EINVAL, "expected \"and\" between"));
	CHECK(refuses("mark_victim uid == 5x", -EINVAL, "is not a number"));
	CHECK(refuses("mark_victim uid == 99999999999999999999", -EINVAL, "is not a number"));
	CHECK(refuses("mark_victim uid == -1", -EINVAL, "uid is never -1"));
	CHECK(refuses("mark_victim uid == \"root\"", -EINVAL, "is a number"));
	CHECK(refuses("mark_victim comm > \"a\"", -EINVAL, "is text"));
	CHECK(refuses("mark_victim comm == 5", -EINVAL, "write \"5\""));
	CHECK(refuses("mark_victim comm == \"sixteen letters!\"", -EINVAL, "no more than 15"));
	CHECK(refuses("mark_victim comm == \"db", -EINVAL, "lacks its end"));
	CHECK(refuses("mark_victim # 5", -EINVAL, "cannot be part of a condition"));
	CHECK(refuses("mark_victim pid==1 and pid==1 and pid==1 and pid==1 and pid==1", -EINVAL,
		      "more than 4"));
	CHECK(refuses("block_rq_complete latency > 50", -EINVAL, "is not a duration"));
	CHECK(refuses("syscall_exit_read ret == EIO", -EINVAL, "write -EIO"));
	CHECK(refuses("kmalloc .. kfree", -EINVAL, "how long that may take"));
	CHECK(refuses("kmalloc .. kfree == 1s", -EINVAL, "how long that may take"));
	CHECK(refuses("kmalloc .. k* > 1s", -EINVAL, "a pair takes two events"));
	CHECK(refuses("panic .. kmem_cache_create key=name > 1s", -ENOENT, "has no field"));
	CHECK(refuses("*_exit latency > 1s", -EINVAL, "a trigger for each"));
	CHECK(refuses("sched_wakeup latency > 1s", -ENOENT, "has no field \"latency\""));
}

TEST(a_condition_has_an_end)
{
	char text[2 * LKST_TRIGGER_CONDITION];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	CHECK(refuses(text, -EINVAL, "more than 255 characters"));
	text[200] = 0;
	CHECK(refuses(text, -EINVAL, "is too long"));
}

static const struct unit_test tests[] = {
	{ "condition_event_alone", test_event_alone },
	{ "condition_fields_and_operators", test_fields_and_operators },
	{ "condition_masks", test_masks },
	{ "condition_text_is_compared_whole_or_by_its_beginning",
	  test_text_is_compared_whole_or_by_its_beginning },
	{ "condition_errors_by_name", test_errors_by_name },
	{ "condition_latency_is_since_the_beginning", test_latency_is_since_the_beginning },
	{ "condition_wait_begins_with_being_woken_or_preempted",
	  test_wait_begins_with_being_woken_or_preempted },
	{ "condition_pairs", test_pairs },
	{ "condition_names_that_are_not_there_get_near_ones",
	  test_names_that_are_not_there_get_near_ones },
	{ "condition_what_makes_no_sense_is_refused", test_what_makes_no_sense_is_refused },
	{ "condition_has_an_end", test_a_condition_has_an_end },
};

UNIT_MAIN(tests)
