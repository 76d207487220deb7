/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions: which events they are about, and the intervals that end with those. */
#include "masks/condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "masks/condition_term.h"
#include "masks/event_pair.h"
#include "trace/format/event_types.h"

/* A condition as it is read. */
struct condition_parser {
	struct lkst_err *e;
	const struct lkst_catalog *c;
	struct lkst_words words;
	/* `end` is the event that it is about; `begin` is "" if it is no pair. */
	struct lkst_event_pair pair;
	struct lkst_comparison comparisons[LKST_TRIGGER_TERMS];
	unsigned int nr;
	const struct lkst_event_desc *ending; /* of the interval that is asked for */
	struct lkst_condition *condition;
};

/* ---- reading ---------------------------------------------------------------------------------- */

/* ".. EVENT [key=FIELD] > DURATION" */
static int parse_pair(struct condition_parser *p)
{
	int err;

	memcpy(p->pair.begin, p->pair.end, sizeof(p->pair.begin));
	err = lkst_event_pair_parse_rest(p->e, &p->words, &p->pair);
	if (err)
		return err;
	if (!lkst_words_is_sign(&p->words, ">") && !lkst_words_is_sign(&p->words, ">="))
		return lkst_err_set(p->e, -EINVAL,
				    "\"%s .. %s\" must be followed by how long that may take, as in "
				    "\"> 100ms\"",
				    p->pair.begin, p->pair.end);
	p->nr = 1;
	return lkst_comparison_parse(p->e, &p->words, "latency", &p->comparisons[0]);
}

/* The rest: comparisons with "and" between them. */
static int parse_comparisons(struct condition_parser *p)
{
	int err = 0;

	while (!err && p->words.next.kind != LKST_WORD_END) {
		if (p->nr == LKST_TRIGGER_TERMS)
			return lkst_err_set(p->e, -EINVAL, "there are more than %u comparisons",
					    LKST_TRIGGER_TERMS);
		if (p->nr && !lkst_words_is_sign(&p->words, "and"))
			return lkst_err_set(p->e, -EINVAL,
					    "expected \"and\" between two comparisons, not \"%s\"",
					    p->words.next.text);
		if (p->nr)
			err = lkst_words_skip(p->e, &p->words);
		if (!err)
			err = lkst_comparison_parse(p->e, &p->words, NULL, &p->comparisons[p->nr]);
		if (!err)
			p->nr++;
	}
	return err;
}

static int condition_parse(struct condition_parser *p, const char *text)
{
	int err = lkst_words_init(p->e, &p->words, text);

	if (!err)
		err = lkst_event_name_parse(p->e, &p->words, p->pair.end);
	if (!err && lkst_words_is_sign(&p->words, ".."))
		err = parse_pair(p);
	return err ? err : parse_comparisons(p);
}

/* ---- lists ------------------------------------------------------------------------------------ */

/* Puts @number plus 1 into a list, unless it is there. */
static int condition_put_byte(struct condition_parser *p, u64 *list, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < LKST_TRIGGER_PER_EVENT; i++) {
		u64 byte = *list >> (8 * i) & 0xff;

		if (byte == number + 1)
			return 0;
		if (byte)
			continue;
		*list |= (u64)(number + 1) << (8 * i);
		return 0;
	}
	return lkst_err_set(p->e, -E2BIG, "the condition takes too many steps");
}

static int condition_add_step(struct condition_parser *p, const struct lkst_event_class *event, u8 op,
			      struct lkst_trigger_key key, const struct lkst_trigger_term *term)
{
	struct lkst_condition *condition = p->condition;
	struct lkst_condition_step step;
	unsigned int i;

	memset(&step, 0, sizeof(step)); /* compared with its holes */
	step.op = op;
	step.key = key;
	if (term)
		step.term = *term;
	for (i = 0; i < condition->nr_steps; i++)
		if (!memcmp(&condition->steps[i], &step, sizeof(step)))
			break;
	if (i == LKST_CONDITION_STEPS)
		return lkst_err_set(p->e, -E2BIG, "the condition takes too many steps");
	if (i == condition->nr_steps)
		memcpy(&condition->steps[condition->nr_steps++], &step, sizeof(step));
	return condition_put_byte(p, &condition->events[event->id].steps, i);
}

static int add_rule(struct condition_parser *p, const struct lkst_event_class *event,
		    const struct lkst_condition_rule *rule)
{
	struct lkst_condition *condition = p->condition;
	unsigned int i;

	for (i = 0; i < condition->nr_rules; i++)
		if (!memcmp(&condition->rules[i], rule, sizeof(*rule)))
			break;
	if (i == LKST_CONDITION_RULES)
		return lkst_err_set(p->e, -E2BIG,
				    "\"%s\" are events of more than %u kinds of records; write a "
				    "trigger for some of them at a time",
				    p->pair.end, LKST_CONDITION_RULES);
	if (i == condition->nr_rules)
		memcpy(&condition->rules[condition->nr_rules++], rule, sizeof(*rule));
	return condition_put_byte(p, &condition->events[event->id].rules, i);
}

/* ---- events ----------------------------------------------------------------------------------- */

/* True if event @name of the built-in catalogue or a system call is meant, which this recording lacks. */
static bool condition_is_known(const char *name)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!strcmp(lkst_events[i].name, name))
			return true;
	return false;
}

static int refuse_event(struct condition_parser *p, const char *name)
{
	char near[LKST_SUGGEST_TEXT];

	if (condition_is_known(name))
		return lkst_err_set(p->e, -ENOENT,
				    "this recording does not have event %s; `lkst event show %s` "
				    "tells why",
				    name, name);
	return lkst_err_set(p->e, -ENOENT, "there is no event \"%s\"; `lkst event list` shows the catalogue%s", name,
			    lkst_event_near(p->c, name, near));
}

/* The event @name, alone. */
static int condition_find_event(struct condition_parser *p, const char *name, const struct lkst_event_class **ret_event)
{
	const struct lkst_event_class *event = lkst_catalog_find(p->c, name);

	if (!event || !lkst_class_is_maskable(event))
		return refuse_event(p, name);
	*ret_event = event;
	return 0;
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* The paragraph of an event that ends what another one began, or NULL. */
static const struct lkst_event_desc *ending_of(const struct lkst_event_class *event)
{
	return event->index >= 0 && lkst_events[event->index].ends_by ? &lkst_events[event->index] : NULL;
}

static bool is_syscall_exit(const struct lkst_event_class *event)
{
	return event->syscall >= 0 && event->half == LKST_HALF_EXIT;
}

static bool condition_is_end(const struct lkst_event_class *event)
{
	return ending_of(event) || is_syscall_exit(event);
}

static int condition_key_of(struct condition_parser *p, const struct lkst_event_class *event, const char *field,
			    bool is_of_cpu, struct lkst_trigger_key *ret_key)
{
	if (field && *field)
		return lkst_condition_key(p->e, event, field, ret_key);
	ret_key->kind = is_of_cpu ? LKST_TRIGGER_BY_CPU : LKST_TRIGGER_BY_THREAD;
	return 0;
}

/* From @begin to @end, distinguished by a field or the CPU or thread. *@ret_key: of the end. */
static int add_interval(struct condition_parser *p, const struct lkst_event_class *begin,
			const struct lkst_event_class *end, const char *field, bool is_of_cpu,
			bool stays, struct lkst_trigger_key *ret_key)
{
	struct lkst_trigger_key key = {};
	int err = condition_key_of(p, begin, field, is_of_cpu, &key);

	if (!err)
		err = condition_key_of(p, end, field, is_of_cpu, ret_key);
	/* One that ends begins again if the two events are the same. */
	if (!err && !stays && begin != end)
		err = condition_add_step(p, end, LKST_TRIGGER_FORGET, *ret_key, NULL);
	return err ? err : condition_add_step(p, begin, LKST_TRIGGER_BEGIN, key, NULL);
}

static int condition_add_syscall(struct condition_parser *p, const struct lkst_event_class *end,
				 struct lkst_trigger_key *ret_key)
{
	const struct lkst_event_class *begin = p->c->classes[end->other_half];

	if (!begin)
		return lkst_err_set(p->e, -ENOENT, "this recording does not have the entry of %s()",
				    lkst_class_call(end));
	return add_interval(p, begin, end, NULL, false, false, ret_key);
}

/*
 * A request that the driver sends back is issued again: the first time counts, as in the analysis of disks.
 * That time is kept only if no part of the request is done: once one is, the structure may be used again, and
 * a request that is sent back is not known to be the same. A request that was merged into another is gone.
 * Without one of these events the last time counts.
 */
static int add_tries(struct condition_parser *p)
{
	static const struct {
		enum lkst_event_index index;
		u8 op;
	} steps[] = {
		{ LKST_EV_block_rq_requeue, LKST_TRIGGER_HOLD },
		{ LKST_EV_block_rq_merge, LKST_TRIGGER_FORGET },
		{ LKST_EV_block_rq_complete, LKST_TRIGGER_END },
	};
	enum { NR = sizeof(steps) / sizeof(steps[0]) };
	const struct lkst_event_class *events[NR];
	struct lkst_trigger_key key = {};
	int err = 0;
	u32 i;

	for (i = 0; i < NR; i++) {
		events[i] = lkst_catalog_find(p->c, lkst_events[steps[i].index].name);
		if (!events[i])
			return 0;
	}
	for (i = 0; i < NR && !err; i++) {
		err = condition_key_of(p, events[i], "rq", false, &key);
		if (!err)
			err = condition_add_step(p, events[i], steps[i].op, key, NULL);
	}
	return err;
}

/*
 * How long the thread that a switch goes to was ready: from its wake-up, or from the switch that took the CPU
 * away from it. One that is woken while it still runs may sleep a moment later, having been woken already, or
 * much later: then a further wake-up comes, and the interval begins again.
 */
static int add_wait(struct condition_parser *p, const struct lkst_event_class *end,
		    struct lkst_trigger_key *ret_key)
{
	static const struct lkst_comparison ready = { .field = "prev_state",
						      .op = LKST_TRIGGER_EQ,
						      .mask = ~0ULL,
						      .value = { LKST_WORD_NUMBER, "0" } };
	struct lkst_trigger_key key = {}, thread = { .kind = LKST_TRIGGER_BY_THREAD };
	const struct lkst_event_class *waking = NULL, *new = NULL;
	struct lkst_trigger_term term = {};
	int err = condition_find_event(p, "sched_waking", &waking);

	if (!err)
		err = condition_find_event(p, "sched_wakeup_new", &new);
	if (!err)
		err = lkst_condition_key(p->e, waking, "target_tid", &key);
	if (!err)
		err = condition_add_step(p, waking, LKST_TRIGGER_BEGIN, key, NULL);
	if (!err)
		err = lkst_condition_key(p->e, new, "target_tid", &key);
	if (!err)
		err = condition_add_step(p, new, LKST_TRIGGER_BEGIN, key, NULL);
	if (!err)
		err = lkst_condition_key(p->e, end, "next_tid", ret_key);
	if (!err)
		err = condition_add_step(p, end, LKST_TRIGGER_FORGET, *ret_key, NULL);
	if (!err)
		err = lkst_comparison_compile(p->e, &ready, end, false, &term);
	return err ? err : condition_add_step(p, end, LKST_TRIGGER_BEGIN, thread, &term);
}

/* The interval that the rule of @event asks for. */
static int add_interval_of(struct condition_parser *p, const struct lkst_event_class *event,
			   struct lkst_trigger_key *ret_key)
{
	const struct lkst_event_desc *ending = ending_of(event);
	const struct lkst_event_class *begin = NULL;
	bool is_in_parts;
	int err;

	if (p->pair.begin[0]) {
		err = condition_find_event(p, p->pair.begin, &begin);
		return err ? err : add_interval(p, begin, event, p->pair.key, false, false, ret_key);
	}
	if (event->index == LKST_EV_sched_switch)
		return add_wait(p, event, ret_key);
	if (is_syscall_exit(event))
		return condition_add_syscall(p, event, ret_key);
	/* They share one interval, so they must begin in the same way. */
	if (p->ending && p->ending->begin != ending->begin)
		return lkst_err_set(p->e, -EINVAL,
				    "%s and %s end different things; write a trigger for each",
				    p->ending->name, ending->name);
	p->ending = ending;
	/* It is not forgotten with its first part: when its structure is used again, it begins again. */
	is_in_parts = ending->ends_by == LKST_ENDS_BY_PARTS;
	err = condition_find_event(p, lkst_events[ending->begin - 1].name, &begin);
	if (!err)
		err = add_interval(p, begin, event, ending->key, ending->ends_by == LKST_ENDS_BY_CPU,
				   is_in_parts, ret_key);
	return err || !is_in_parts ? err : add_tries(p);
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Numbers first: they are compared faster, and the first one's value is recorded when a trigger fires. */
static void sort_terms(struct lkst_trigger_term *terms, unsigned int nr)
{
	unsigned int i, j;

	for (i = 1; i < nr; i++)
		for (j = i; j && lkst_trigger_source_is_text(terms[j - 1].source) &&
			    !lkst_trigger_source_is_text(terms[j].source); j--) {
			struct lkst_trigger_term term = terms[j];

			terms[j] = terms[j - 1];
			terms[j - 1] = term;
		}
}

/* Adds what @event needs. -ENOENT: its records lack a field. */
static int add_event(struct condition_parser *p, const struct lkst_event_class *event)
{
	struct lkst_condition_rule rule;
	bool has_latency = p->pair.begin[0] || condition_is_end(event);
	unsigned int i;
	int err = 0;

	memset(&rule, 0, sizeof(rule)); /* compared with its holes */
	for (i = 0; i < p->nr && !err; i++) {
		err = lkst_comparison_compile(p->e, &p->comparisons[i], event, has_latency,
					      &rule.terms[i]);
		rule.ends |= rule.terms[i].source == LKST_TRIGGER_TOOK;
	}
	rule.nr_terms = (u8)p->nr;
	sort_terms(rule.terms, rule.nr_terms);
	if (!err && rule.ends)
		err = add_interval_of(p, event, &rule.key);
	return err ? err : add_rule(p, event, &rule);
}

static int condition_add_events(struct condition_parser *p)
{
	struct lkst_err why = {};
	unsigned int nr = 0, nr_without = 0;
	u32 id;
	int err;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = p->c->classes[id];

		if (!event || !lkst_class_is_maskable(event) || !lkst_class_is_named(event, p->pair.end))
			continue;
		if (p->pair.begin[0] && strcmp(event->name, p->pair.end))
			return lkst_err_set(p->e, -EINVAL, "a pair takes two events, not \"%s\"",
					    p->pair.end);
		err = add_event(p, event);
		if (err && err != -ENOENT)
			return err;
		if (err && !nr_without++ && p->e)
			why = *p->e;
		nr += !err;
	}
	if (!nr && nr_without)
		return lkst_err_set(p->e, -ENOENT, "%s", why.text);
	return nr ? 0 : refuse_event(p, p->pair.end);
}

int lkst_condition_parse(struct lkst_err *e, const struct lkst_catalog *c, const char *text,
			 struct lkst_condition **ret_condition)
{
	_cleanup_free_ struct lkst_condition *condition = calloc(1, sizeof(*condition));
	struct condition_parser p = { .e = e, .c = c, .condition = condition };
	int err;

	if (!condition)
		return lkst_err_sys(e, -ENOMEM, "reading a condition");
	if (strlen(text) >= LKST_TRIGGER_CONDITION)
		err = lkst_err_set(e, -EINVAL, "it has more than %u characters",
				   LKST_TRIGGER_CONDITION - 1);
	else
		err = condition_parse(&p, text);
	if (!err)
		err = condition_add_events(&p);
	if (err) {
		lkst_err_add(e, "\"%.80s\"", text);
		return err;
	}
	*ret_condition = lkst_take(condition);
	return 0;
}

int lkst_condition_compile(struct lkst_err *e, const struct lkst_event_class *event,
			   const char *text, struct lkst_trigger_term terms[LKST_TRIGGER_TERMS],
			   unsigned int *ret_nr)
{
	struct condition_parser p = { .e = e };
	unsigned int i;
	int err = lkst_words_init(e, &p.words, text);

	if (!err)
		err = parse_comparisons(&p);
	if (!err && !p.nr)
		err = lkst_err_set(e, -EINVAL,
				   "a comparison is missing, such as \"prev_prio < 100\"");
	for (i = 0; i < p.nr && !err; i++) {
		err = lkst_comparison_compile(e, &p.comparisons[i], event, false, &terms[i]);
		if (!err && terms[i].source == LKST_TRIGGER_TOOK)
			err = lkst_err_set(e, -EINVAL,
					   "%s is not a field of the record; a trigger can measure it",
					   p.comparisons[i].field);
	}
	if (err)
		return err;
	sort_terms(terms, p.nr);
	*ret_nr = p.nr;
	return 0;
}
