/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions as people write them, made into what the kernel evaluates (abi/trigger.h):
 *
 *	block_rq_complete latency > 50ms
 *	sched_switch next_comm == "db" and wait > 10ms
 *	syscall:* result == -EIO
 *	syscall_entry_fsync .. syscall_exit_fsync > 100ms
 *	workqueue_queue_work .. workqueue_execute_start key=work > 1s
 *	oom_kill
 *
 * An event, then comparisons, all of which must hold: a field, an operator, a value. doc/triggers.md
 * has the grammar and its words. Nothing here needs a kernel.
 */
#ifndef LKST_MASKS_CONDITION_H
#define LKST_MASKS_CONDITION_H

#include "abi/control.h"
#include "abi/trigger.h"
#include "trace/format/catalog.h"

enum {
	LKST_CONDITION_RULES = LKST_TRIGGER_PER_EVENT,
	LKST_CONDITION_STEPS = LKST_TRIGGER_PER_EVENT,
};

struct lkst_condition_rule {
	struct lkst_trigger_key key;
	u8 nr_terms;
	bool ends; /* the condition's interval, which the event ends */
	struct lkst_trigger_term terms[LKST_TRIGGER_TERMS];
};

struct lkst_condition_step {
	u8 op;
	struct lkst_trigger_key key;
	struct lkst_trigger_term term;
};

/*
 * A condition for the events of one catalogue. Rules and steps have numbers of their own here, 0 on; the
 * bytes of an event's lists have them plus 1.
 */
struct lkst_condition {
	unsigned int nr_rules, nr_steps;
	struct lkst_condition_rule rules[LKST_CONDITION_RULES];
	struct lkst_condition_step steps[LKST_CONDITION_STEPS];
	struct lkst_trigger_event events[LKST_EVENT_SPACE];
};

/* True if the event has rules to be asked or steps to be taken. */
static inline bool lkst_condition_has(const struct lkst_condition *condition, u32 id)
{
	return condition->events[id].rules || condition->events[id].steps;
}

/*
 * Makes @text into a condition for the events of @c. -ENOENT: there is no such event or field; -EINVAL: it
 * is not a condition, and the text says where. Trusts no byte. *@ret_condition: free() it.
 */
int lkst_condition_parse(struct lkst_err *e, const struct lkst_catalog *c, const char *text,
			 struct lkst_condition **ret_condition);

/*
 * Makes the comparisons @text, which follow the event in a condition, into terms for records of @event. They
 * compare the record and the thread alone: no interval is measured. -ENOENT: its records have no such field;
 * -EINVAL: @text is not a list of comparisons. Trusts no byte.
 */
int lkst_condition_compile(struct lkst_err *e, const struct lkst_event_class *event,
			   const char *text, struct lkst_trigger_term terms[LKST_TRIGGER_TERMS],
			   unsigned int *ret_nr);

#endif
