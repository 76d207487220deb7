/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue of events as data, expanded from events.def.
 */
#include "abi/events.h"
#include "abi/perf_counter.h"

#include "abi/budget.h"
#include "abi/state.h"

/* clang-format off */
#define u8_DESC LKST_TYPE_UINT, 1
#define u16_DESC LKST_TYPE_UINT, 2
#define u32_DESC LKST_TYPE_UINT, 4
#define u64_DESC LKST_TYPE_UINT, 8
#define s8_DESC LKST_TYPE_SINT, 1
#define s16_DESC LKST_TYPE_SINT, 2
#define s32_DESC LKST_TYPE_SINT, 4
#define s64_DESC LKST_TYPE_SINT, 8
#define comm16_DESC LKST_TYPE_CHARS, 16
#define str_DESC LKST_TYPE_STRING, 0
#define u64_list_DESC LKST_TYPE_WORDS, 0
/* clang-format on */

/* A row of each list ends the lists that are empty; it is not counted. */
#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	static const struct lkst_field_desc fields_##name[] = {
#define FIELD(type, name, meaning, help) { #name, type##_DESC, LKST_MEANING_##meaning, help },
#define END                                                                                        \
	{                                                                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "abi/events.def"

#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	static const struct lkst_hook_desc hooks_##name[] = {
#define HOOK(kind, target, proto) { LKST_HOOK_##kind, #target, proto },
#define END                                                                                        \
	{                                                                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "abi/events.def"

#define ROWS(list) (sizeof(list) / sizeof((list)[0]) - 1)

/* Rows that a paragraph lacks leave their members 0. */
const struct lkst_event_desc lkst_events[] = {
#define EVENT(id, in_group, lkst_mnemonic, number, what)                                           \
	[LKST_EV_##id] = { .name = #id,                                                            \
			   .group = LKST_GROUP_##in_group,                                         \
			   .mnemonic = lkst_mnemonic,                                              \
			   .lkst_id = number,                                                      \
			   .help = what,                                                           \
			   .hooks = hooks_##id,                                                    \
			   .nr_hooks = ROWS(hooks_##id),                                           \
			   .fields = fields_##id,                                                  \
			   .nr_fields = ROWS(fields_##id),                                         \
			   .size = sizeof(struct lkst_rec_##id),
#define VALUE(number) .value = number,
#define PRECIOUS .value = LKST_KIND_PRECIOUS,
#define BUFFER(of) .buffer = LKST_BUFFER_##of,
#define RECORDED(when) .recorded = LKST_RECORDED_##when,
#define PAIR(half) .entry = LKST_EV_##half + 1,
#define ENDS(what, by, ...)                                                                        \
	.begin = LKST_EV_##what + 1, .ends_by = LKST_ENDS_BY_##by, .key = #__VA_ARGS__,
#define WHY(...) .is_for_why = 1, .target = #__VA_ARGS__,
#define END                                                                                        \
	}                                                                                          \
	,
#include "abi/events.def"
};

u8 lkst_event_value(enum lkst_event_index index)
{
	const struct lkst_event_desc *d = &lkst_events[index];

	if (d->recorded == LKST_RECORDED_ALWAYS)
		return LKST_KIND_PRECIOUS;
	if (d->value)
		return d->value;
	return d->entry ? lkst_event_value(d->entry - 1) : lkst_group_values[d->group];
}

const char *const lkst_group_names[] = {
#define G(id, name, value) [LKST_GROUP_##id] = name,
	LKST_GROUPS(G)
#undef G
};

const u8 lkst_group_values[] = {
#define G(id, name, value) [LKST_GROUP_##id] = value,
	LKST_GROUPS(G)
#undef G
};

const char *const lkst_where_names[] = {
	[LKST_WHERE_UNKNOWN] = "unknown",
	[LKST_WHERE_CALL] = "call",
	[LKST_WHERE_NONE] = "none",
	[LKST_WHERE_KERNEL] = "kernel",
	[LKST_WHERE_USER] = "user",
	[LKST_WHERE_SOFTIRQ] = "softirq",
};

const char *const lkst_waker_names[] = {
	[LKST_WAKER_UNKNOWN] = "unknown",
	[LKST_WAKER_THREAD] = "thread",
	[LKST_WAKER_SOFTIRQ] = "softirq",
	[LKST_WAKER_INTERRUPT] = "interrupt",
};

const char *const lkst_holder_names[] = {
	[LKST_HOLDER_UNKNOWN] = "unknown",
	[LKST_HOLDER_OWNER] = "owner",
	[LKST_HOLDER_READER] = "reader",
	[LKST_HOLDER_TAKER] = "taker",
};

const char *const lkst_loss_names[] = {
	[LKST_LOSS_LEVEL] = "nested too deep",
	[LKST_LOSS_TRUNCATED] = "string cut",
	[LKST_LOSS_TOO_LONG] = "record too long",
	[LKST_LOSS_UNREAD] = "path not read",
	[LKST_LOSS_UNFOLLOWED] = "child process not recorded",
	[LKST_LOSS_STACK] = "stack not kept",
	[LKST_LOSS_MAPPING] = "mapping not read",
};
_Static_assert(sizeof(lkst_loss_names) / sizeof(char *) == LKST_LOSS_NR, "a name per cause");

const char *const lkst_softirq_names[] = { "HI",       "TIMER",	  "NET_TX", "NET_RX",  "BLOCK",
					   "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
_Static_assert(sizeof(lkst_softirq_names) / sizeof(char *) == LKST_NR_SOFTIRQS, "a name for each");

const char *const lkst_meaning_names[] = {
#define M(name, base) [LKST_MEANING_##name] = #name,
	LKST_MEANINGS(M)
#undef M
};

const u8 lkst_meaning_base[] = {
#define M(name, base) [LKST_MEANING_##name] = base,
	LKST_MEANINGS(M)
#undef M
};

const char *const lkst_perf_counter_names[] = {
	[LKST_PERF_NOTHING] = "nothing",
#define P(number, id, name, type, config) [LKST_PERF_##id] = name,
	LKST_PERF_COUNTERS(P)
#undef P
};
