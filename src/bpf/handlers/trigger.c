// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler of triggers: looks in each event for what `lkst trigger add` asked for, and records the event
 * as DEFAULT does. If the event's row in the active maskset has a condition, it records the event only where the
 * condition holds. abi/trigger.h describes the maps that user space writes.
 *
 * A row's condition decides before the record is published. All else is done after that, so that the event
 * that fires a trigger is there before what the trigger causes. No lock is taken. An interval that has begun has
 * a slot of a set. The slot's word, written last, makes it valid, and a reader that finds the word unchanged
 * after it has read the key has both. Where a set is full, the oldest slot is reused and counted: a trigger may
 * then fail to fire, but none fires wrongly.
 */
#include <lkst/handler.h>

#include <lkst/bpf/names.h>
#include <lkst/bpf/trigger.h>

enum {
	SLOT_WRITTEN = 1,
	FIRED = 1, /* what trigger_fire() returns */
	FIRED_AND_KEPT,
	TEXT_WORDS = LKST_TRIGGER_TEXT / 8,
	CLOCK_MONOTONIC = 1, /* include/uapi/linux/time.h */
};

#define TABLE(name, entries, element)                                                              \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(map_flags, BPF_F_MMAPABLE);                                                 \
		__uint(max_entries, entries);                                                      \
		__type(key, u32);                                                                  \
		__type(value, struct element);                                                     \
	} name SEC(".maps")

TABLE(triggers, LKST_TRIGGERS_MAX, lkst_trigger);
TABLE(trigger_rules, LKST_TRIGGER_RULES, lkst_trigger_rule);
TABLE(trigger_terms, LKST_TRIGGER_ALL_TERMS, lkst_trigger_term);
TABLE(trigger_steps, LKST_TRIGGER_STEPS, lkst_trigger_step);
TABLE(trigger_events, LKST_EVENT_SPACE, lkst_trigger_event);
TABLE(trigger_sets, LKST_TRIGGER_SETS, lkst_trigger_set);
TABLE(trigger_switch, 1, lkst_trigger_switch);
TABLE(mask_rows, LKST_MASKSETS, lkst_mask_rows);
TABLE(mask_conditions, LKST_TRIGGER_MASK_CONDITIONS, lkst_mask_condition);

struct trigger_timer {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct trigger_timer);
} trigger_timer SEC(".maps");

/* ---- values ----------------------------------------------------------------------------------- */

/*
 * The integer of @size bytes at byte @at of block @element; of a signed one as many bits as it has. This and
 * most functions here are global, so that they are verified once and not along each path to them.
 */
__noinline u64 trigger_integer(u32 element, u32 at, u32 size, u32 is_signed)
{
	void *block = lkst_element(element);
	u64 from = LKST_BOUNDED(at);

	if (!block || from > (1U << lkst_cfg.block_shift) - 8)
		return 0;
	block += from;
	switch (size) {
	case 1:
		return is_signed ? (u64)(s64) * (s8 *)block : *(u8 *)block;
	case 2:
		return is_signed ? (u64)(s64) * (s16 *)block : *(u16 *)block;
	case 4:
		return is_signed ? (u64)(s64) * (s32 *)block : *(u32 *)block;
	default:
		return *(u64 *)block;
	}
}

/* The value that term @number compares; of characters 1 if they are the term's, else 0. */
static __always_inline u64 value_of(const struct lkst_trigger_term *term, u32 element, u32 start,
				    u64 took)
{
	switch (term->source) {
	case LKST_TRIGGER_FIELD:
		return trigger_integer(element, start + term->offset, term->size, term->is_signed);
	case LKST_TRIGGER_TOOK:
		return took;
	case LKST_TRIGGER_TID:
		return trigger_integer(element, start + offsetof(struct lkst_record_head, tid), 4,
				       1);
	case LKST_TRIGGER_PID:
		return bpf_get_current_pid_tgid() >> 32;
	case LKST_TRIGGER_CPU:
		return bpf_get_smp_processor_id();
	}
	return 0;
}

/* True if the @length characters at byte @at of block @element are those of @text. */
static __always_inline bool is_text(const char *text, u32 element, u32 at, u32 length)
{
	char *block = lkst_element(element);
	u32 i;

	if (!block)
		return false;
	for (i = 0; i < LKST_TRIGGER_TEXT && i < length; i++) {
		u64 from = LKST_BOUNDED((u64)at + i);

		if (from >= 1U << lkst_cfg.block_shift || block[from] != text[i])
			return false;
		if (!text[i])
			break;
	}
	return true;
}

static __always_inline bool is_name(const char *text, const char *name, u32 length)
{
	u32 i;

	for (i = 0; i < LKST_TRIGGER_TEXT && i < length; i++)
		if (name[i] != text[i])
			return false;
	return true;
}

static __always_inline bool is_comm(const char *text, u32 length)
{
	char comm[LKST_TRIGGER_TEXT];

	return !bpf_get_current_comm(comm, sizeof(comm)) && is_name(text, comm, length);
}

static __always_inline bool is_next_comm(const char *text, u32 length)
{
	u32 zero = 0;
	struct lkst_name *next = bpf_map_lookup_elem(&lkst_next_name, &zero);

	return next && is_name(text, next->comm, length);
}

/* 1 if the characters that term @number compares are its own. */
__noinline int trigger_is_text(u32 element, u32 start, u32 number)
{
	struct lkst_trigger_term *term = bpf_map_lookup_elem(&trigger_terms, &number);

	if (!term)
		return 0;
	if (term->source == LKST_TRIGGER_CHARS)
		return is_text(term->text, element, start + term->offset, term->length);
	if (term->source == LKST_TRIGGER_COMM)
		return is_comm(term->text, term->length);
	return is_next_comm(term->text, term->length);
}

static __always_inline bool compare(const struct lkst_trigger_term *term, u64 value)
{
	u64 operand = term->operand;

	value &= term->mask;
	if (term->op == LKST_TRIGGER_EQ)
		return value == operand;
	if (term->op == LKST_TRIGGER_NE)
		return value != operand;
	if (term->is_signed) {
		/* The same order, of unsigned numbers. */
		value ^= 1ULL << 63;
		operand ^= 1ULL << 63;
	}
	switch (term->op) {
	case LKST_TRIGGER_LT:
		return value < operand;
	case LKST_TRIGGER_LE:
		return value <= operand;
	case LKST_TRIGGER_GT:
		return value > operand;
	default:
		return value >= operand;
	}
}

/* 1 if term @number holds for the record at byte @start of block @element. */
__noinline int trigger_holds(u32 element, u32 start, u32 number, u64 took)
{
	struct lkst_trigger_term *term = bpf_map_lookup_elem(&trigger_terms, &number);

	if (!term)
		return 0;
	switch (term->source) {
	case LKST_TRIGGER_ALWAYS:
		return 1;
	case LKST_TRIGGER_CHARS:
	case LKST_TRIGGER_COMM:
	case LKST_TRIGGER_NEXT_COMM:
		return trigger_is_text(element, start, number) == (term->op == LKST_TRIGGER_EQ);
	}
	return compare(term, value_of(term, element, start, took));
}

/* The value that a term is about: of a rule's first one it is recorded when the rule fires. */
__noinline u64 trigger_value(u32 element, u32 start, u32 number, u64 took)
{
	struct lkst_trigger_term *term = bpf_map_lookup_elem(&trigger_terms, &number);

	return term ? value_of(term, element, start, took) : 0;
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* Which of the intervals of one kind the record is about; 0: none. @packed: a struct lkst_trigger_key. */
__noinline u64 trigger_key(u32 element, u32 start, u32 packed)
{
	union {
		u32 word;
		struct lkst_trigger_key is;
	} key = { packed };
	u32 tid;

	switch (key.is.kind) {
	case LKST_TRIGGER_BY_THREAD:
		tid = trigger_integer(element, start + offsetof(struct lkst_record_head, tid), 4,
				      0);
		return tid ? tid : (u64)~bpf_get_smp_processor_id() << 32;
	case LKST_TRIGGER_BY_CPU:
		return bpf_get_smp_processor_id() + 1;
	default:
		return trigger_integer(element, start + key.is.offset, key.is.size, 0);
	}
}

static __always_inline u32 pack(struct lkst_trigger_key key)
{
	return key.kind | key.size << 8 | (u32)key.offset << 16;
}

static __always_inline struct lkst_trigger_set *set_of(u32 interval, u64 key)
{
	u32 index = (key * 0x9e3779b97f4a7c15ULL + interval * 0xd6e8feb86659fd93ULL) >> 40;

	index &= LKST_TRIGGER_SETS - 1;
	return bpf_map_lookup_elem(&trigger_sets, &index);
}

/* The word of the slot that the interval has begun in, and which that is. 0: it has not. */
static __always_inline u64 find(struct lkst_trigger_set *set, u32 interval, u64 key, u32 *which)
{
	u32 i;

#pragma unroll
	for (i = 0; i < LKST_TRIGGER_WAYS; i++) {
		u64 word = LKST_LOAD(set->slot[i].word);

		if (lkst_trigger_interval_of(word) != interval ||
		    LKST_LOAD(set->slot[i].key) != key || LKST_LOAD(set->slot[i].word) != word)
			continue;
		*which = i;
		return word;
	}
	return 0;
}

/*
 * For how long the interval has gone on at @now, plus 1; 0: it has not begun, or it began before something
 * changed what is recorded, so that it may have ended since, or begun again, unseen.
 */
__noinline u64 trigger_took(u32 interval, u64 key, u64 now)
{
	const u64 mask = (1ULL << LKST_TIME_BITS) - 1;
	struct lkst_trigger_set *set = set_of(interval, key);
	u64 word, took;
	u32 i;

	if (!set)
		return 0;
	word = find(set, interval, key, &i);
	took = (now - word) & mask;
	if (!word || took > ((now - LKST_LOAD(lkst_control.changed_ns)) & mask))
		return 0;
	return took + 1;
}

/* Takes a slot of its own for the interval: a free one, or that of the oldest. */
static __always_inline void take_slot(struct lkst_trigger_set *set, u64 now, u64 new, u64 key)
{
	const u64 mask = (1ULL << LKST_TIME_BITS) - 1;
	struct lkst_trigger_switch *counters;
	u64 oldest = 0, age = 0;
	u32 best = 0, zero = 0, i;

#pragma unroll
	for (i = 0; i < LKST_TRIGGER_WAYS; i++) {
		u64 word = LKST_LOAD(set->slot[i].word);
		u64 its_age = word ? (now - word) & mask : mask;

		if (word == SLOT_WRITTEN || its_age < age)
			continue;
		best = i;
		oldest = word;
		age = its_age;
	}
	if (LKST_COMPARE_EXCHANGE(set->slot[best & (LKST_TRIGGER_WAYS - 1)].word, oldest,
				  SLOT_WRITTEN) != oldest)
		return;
	LKST_STORE(set->slot[best & (LKST_TRIGGER_WAYS - 1)].key, key);
	LKST_STORE_RELEASE(set->slot[best & (LKST_TRIGGER_WAYS - 1)].word, new);
	counters = bpf_map_lookup_elem(&trigger_switch, &zero);
	if (oldest && counters)
		lkst_count(&counters->forgotten, 1);
}

/* What becomes of the word of an interval that has begun. */
static __always_inline u64 word_after(u32 op, u64 word, u64 new)
{
	switch (op) {
	case LKST_TRIGGER_FORGET:
		return 0;
	case LKST_TRIGGER_HOLD:
		return word & LKST_TRIGGER_ENDED ? word : word | LKST_TRIGGER_HELD;
	case LKST_TRIGGER_END:
		return (word & ~LKST_TRIGGER_HELD) | LKST_TRIGGER_ENDED;
	default:
		return word & LKST_TRIGGER_HELD ? word & ~LKST_TRIGGER_HELD : new;
	}
}

__noinline int trigger_step_to(u32 interval, u32 op, u64 key, u64 now)
{
	struct lkst_trigger_set *set = set_of(interval, key);
	u64 new = (u64)interval << LKST_TIME_BITS | now, word;
	u32 i = 0;

	if (!set)
		return 0;
	word = find(set, interval, key, &i);
	if (!word) {
		if (op == LKST_TRIGGER_BEGIN)
			take_slot(set, now, new, key);
		return 0;
	}
	LKST_COMPARE_EXCHANGE(set->slot[i & (LKST_TRIGGER_WAYS - 1)].word, word,
			      word_after(op, word, new));
	return 0;
}

/* Takes step @number. */
__noinline int trigger_step(u32 element, u32 start, u32 number, u64 now)
{
	struct lkst_trigger_step *step = bpf_map_lookup_elem(&trigger_steps, &number);
	u64 key;

	if (!step || !trigger_holds(element, start, LKST_TRIGGER_STEP_TERMS + number, 0))
		return 0;
	key = trigger_key(element, start, pack(step->key));
	if (key || step->key.kind == LKST_TRIGGER_BY_FIELD)
		trigger_step_to(step->interval, step->op, key, now);
	return 0;
}

/* ---- firing ----------------------------------------------------------------------------------- */

/* Makes another maskset active for a time. Only one at a time; the same maskset prolongs its time. */
static __always_inline void switch_for_a_time(const struct lkst_trigger *t, u64 now)
{
	u32 zero = 0, to = t->switch_to & (LKST_MASKSETS - 1), from;
	struct lkst_trigger_switch *s = bpf_map_lookup_elem(&trigger_switch, &zero);

	if (!s)
		return;
	from = LKST_LOAD(lkst_control.active);
	if (LKST_COMPARE_EXCHANGE(s->is_on, 0, 1) == 0) {
		s->from = from;
		s->to = to;
		LKST_STORE(s->until_ns, now + t->switch_ns);
		if (from != to)
			lkst_maskset_switch(to);
	} else if (s->to == to) {
		LKST_STORE(s->until_ns, now + t->switch_ns);
	}
}

/* True if the trigger may fire at @now: not too soon after the last time. Then it has to be released. */
static __always_inline bool claim(struct lkst_trigger *t, u64 now)
{
	u64 last;

	if (!LKST_COMPARE_EXCHANGE(t->is_firing, 0, 1)) {
		last = LKST_LOAD(t->last_ns);
		if (!last || (!t->once && now - last >= t->pause_ns)) {
			LKST_STORE(t->last_ns, now);
			return true;
		}
		LKST_STORE_RELEASE(t->is_firing, 0);
	}
	lkst_count(&t->held_back, 1);
	return false;
}

/*
 * Trigger @number's condition holds for event @id of thread @tid, whose record is of time @when. Keeps the moment; 0:
 * the trigger may not fire, else trigger_record() and trigger_end() are to follow: three functions, one after another,
 * since the stack of all that are inside of each other is short.
 */
__noinline int trigger_fire(u32 number, u32 id, u32 tid, u64 value, u64 when)
{
	struct lkst_trigger *t = bpf_map_lookup_elem(&triggers, &number);
	u64 now = LKST_CLOCK();

	if (!t || !t->is_used || !claim(t, now))
		return 0;
	lkst_count(&t->fired, 1);
	t->cause.trigger = number;
	t->cause.id = id;
	t->cause.tid = tid;
	t->cause.value = value;
	t->cause.ns = lkst_whole_time(when, now);
	t->cause.post_ns = t->post_ns;
	lkst_trigger_reason(&t->cause, t->name);
	return lkst_incident_keep(&t->cause) ? FIRED_AND_KEPT : FIRED;
}

/* Records that trigger @number has fired. */
__noinline int trigger_record(u32 number, u32 fired)
{
	struct lkst_trigger *t = bpf_map_lookup_elem(&triggers, &number);
	u64 flip;

	if (!t)
		return 0;
	flip = fired == FIRED_AND_KEPT ? lkst_trigger_flip(&t->cause) : 0;
	lkst_trigger_record(&t->cause, flip, t->name, t->name_length);
	return 0;
}

/* Others may fire trigger @number from now on; and what follows that it has fired. */
__noinline int trigger_end(u32 number)
{
	struct lkst_trigger *t = bpf_map_lookup_elem(&triggers, &number);
	struct lkst_record_head head = {};
	u64 now;

	if (!t)
		return 0;
	head.id_time = t->cause.id;
	head.tid = t->cause.tid;
	now = LKST_LOAD(t->last_ns);
	LKST_STORE_RELEASE(t->is_firing, 0);
	lkst_notify_of(&head, number);
	if (t->switch_ns)
		switch_for_a_time(t, now);
	return 0;
}

/* Evaluates rule @number for the record; @now is the record's time. */
__noinline int trigger_rule(u32 element, u32 start, u32 number, u64 now)
{
	struct lkst_trigger_rule *rule = bpf_map_lookup_elem(&trigger_rules, &number);
	u64 took = 0, key;
	u32 i, fired;

	if (!rule)
		return 0;
	if (rule->interval) {
		key = trigger_key(element, start, pack(rule->key));
		if (key || rule->key.kind == LKST_TRIGGER_BY_FIELD)
			took = trigger_took(rule->interval, key, now);
		if (!took--)
			return 0;
	}
	for (i = 0; i < LKST_TRIGGER_TERMS && i < rule->nr_terms; i++)
		if (!trigger_holds(element, start, number * LKST_TRIGGER_TERMS + i, took))
			return 0;
	if (!rule->interval && rule->nr_terms)
		took = trigger_value(element, start, number * LKST_TRIGGER_TERMS, 0);
	fired = trigger_fire(rule->trigger, trigger_integer(element, start, 2, 0),
			     trigger_integer(element, start + offsetof(struct lkst_record_head, tid), 4, 0), took,
			     now);
	if (fired) {
		trigger_record(rule->trigger, fired);
		trigger_end(rule->trigger);
	}
	return 0;
}

LKST_HANDLER_SAYS(trigger, "records the event, if its row's condition holds, and looks whether a "
			   "trigger fires");

/* False if the active maskset has a condition for the event that does not hold. */
__noinline int trigger_row_holds(u32 element, u32 start)
{
	u32 set = LKST_LOAD(lkst_control.active) & (LKST_MASKSETS - 1), number, i;
	struct lkst_mask_rows *rows = bpf_map_lookup_elem(&mask_rows, &set);
	u64 id = LKST_BOUNDED(trigger_integer(element, start, 2, 0) & LKST_ID_MAX);
	struct lkst_mask_condition *condition;

	if (!rows || id > LKST_ID_MAX)
		return 1;
	number = LKST_LOAD(rows->condition[id]);
	if (!number--)
		return 1;
	condition = bpf_map_lookup_elem(&mask_conditions, &number);
	if (!condition)
		return 1;
	for (i = 0; i < LKST_TRIGGER_TERMS && i < condition->nr_terms; i++)
		if (!trigger_holds(element, start,
				   LKST_TRIGGER_MASK_TERMS + number * LKST_TRIGGER_TERMS + i, 0))
			return 0;
	return 1;
}

/* As LKST_HANDLER and LKST_HANDLER_AFTER, but what they call looks for the record itself. */
bool lkst_handler_decides(u32 element, u32 start, u32 size)
{
	return trigger_row_holds(element, start);
}

int lkst_handler_follows(u32 element, u32 start, u32 size)
{
	const struct lkst_record_head *r = lkst_element(element);
	u64 at = LKST_BOUNDED(start), rules, steps, now;
	struct lkst_trigger_event *event;
	u32 id, i;

	if (!r || at > (1U << lkst_cfg.block_shift) - sizeof(*r))
		return 0;
	r = (const void *)r + at;
	id = lkst_record_id(r);
	now = lkst_record_time(r);
	event = bpf_map_lookup_elem(&trigger_events, &id);
	if (!event)
		return 0;
	rules = LKST_LOAD(event->rules);
	steps = LKST_LOAD(event->steps);
	for (i = 0; i < LKST_TRIGGER_PER_EVENT && rules; i++, rules >>= 8)
		if (rules & 0xff)
			trigger_rule(element, start, (rules & 0xff) - 1, now);
	for (i = 0; i < LKST_TRIGGER_PER_EVENT && steps; i++, steps >>= 8)
		if (steps & 0xff)
			trigger_step(element, start, (steps & 0xff) - 1, now);
	return 0;
}

/* ---- switching back --------------------------------------------------------------------------- */

/* In a softirq, like the controller of costs (budget.bpf.c); a hook can't start a timer. */
static int on_timer(void *map, int *key, struct trigger_timer *t)
{
	u32 zero = 0;
	struct lkst_trigger_switch *s = bpf_map_lookup_elem(&trigger_switch, &zero);

	if (!s)
		return 0;
	if (LKST_LOAD(s->is_on) && bpf_ktime_get_ns() >= LKST_LOAD(s->until_ns)) {
		/* If a user has switched to another one meanwhile, that stays. */
		if (LKST_LOAD(lkst_control.active) == s->to && s->from != s->to)
			lkst_maskset_switch(s->from);
		LKST_STORE(s->is_on, 0);
	}
	if (LKST_LOAD(s->is_wanted) || LKST_LOAD(s->is_on))
		bpf_timer_start(&t->timer, LKST_TRIGGER_TICK_MS * 1000000ULL, 0);
	return 0;
}

/* User space runs this when there is a trigger that switches masksets. */
SEC("syscall")
int syscall__trigger_start(void *ctx)
{
	u32 zero = 0;
	struct trigger_timer *t = bpf_map_lookup_elem(&trigger_timer, &zero);

	if (!t)
		return 1;
	/* Initialised, and set, by the first that comes. */
	bpf_timer_init(&t->timer, &trigger_timer, CLOCK_MONOTONIC);
	if (bpf_timer_set_callback(&t->timer, on_timer))
		return 1;
	return bpf_timer_start(&t->timer, LKST_TRIGGER_TICK_MS * 1000000ULL, 0) ? 1 : 0;
}
