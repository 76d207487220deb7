/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue of events as data, expanded from events.def.
 */
#include "abi/events.h"

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
/* clang-format on */

/* A row of each list ends the lists that are empty; it is not counted. */
#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	static const struct lkst_field_desc fields_##name[] = {
#define HOOK(kind, target, proto)
#define FIELD(type, name, meaning, help) { #name, type##_DESC, LKST_MEANING_##meaning, help },
#define END                                                                                        \
	{                                                                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "abi/events.def"
#undef EVENT
#undef HOOK
#undef FIELD
#undef END

#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	static const struct lkst_hook_desc hooks_##name[] = {
#define HOOK(kind, target, proto) { LKST_HOOK_##kind, #target, proto },
#define FIELD(type, name, meaning, help)
#define END                                                                                        \
	{                                                                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "abi/events.def"
#undef EVENT
#undef HOOK
#undef FIELD
#undef END

#define ROWS(list) (sizeof(list) / sizeof((list)[0]) - 1)

const struct lkst_event_desc lkst_events[] = {
#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	[LKST_EV_##name] = { #name,                                                                \
			     LKST_GROUP_##group,                                                   \
			     mnemonic,                                                             \
			     lkst_id,                                                              \
			     help,                                                                 \
			     hooks_##name,                                                         \
			     ROWS(hooks_##name),                                                   \
			     fields_##name,                                                        \
			     ROWS(fields_##name),                                                  \
			     sizeof(struct lkst_rec_##name) },
#define HOOK(kind, target, proto)
#define FIELD(type, name, meaning, help)
#define END
#include "abi/events.def"
#undef EVENT
#undef HOOK
#undef FIELD
#undef END
};

const char *const lkst_group_names[] = {
	[LKST_GROUP_SCHED] = "sched",
	[LKST_GROUP_SIGNAL] = "signal",
	[LKST_GROUP_IRQ] = "irq",
	[LKST_GROUP_EXCEPTION] = "exception",
	[LKST_GROUP_SYSCALL] = "syscall",
	[LKST_GROUP_MEMORY] = "memory",
	[LKST_GROUP_BLOCK] = "block",
	[LKST_GROUP_NET] = "net",
	[LKST_GROUP_IPC] = "ipc",
	[LKST_GROUP_TIMER] = "timer",
	[LKST_GROUP_WORKQUEUE] = "workqueue",
	[LKST_GROUP_LOCK] = "lock",
	[LKST_GROUP_OTHER] = "other",
	[LKST_GROUP_RECORDER] = "recorder",
	[LKST_GROUP_TRACEPOINT] = "tracepoint",
	[LKST_GROUP_HANDLER] = "handler",
	[LKST_GROUP_STATE] = "state",
};
_Static_assert(sizeof(lkst_group_names) / sizeof(char *) == LKST_NR_GROUPS, "a name per group");

const char *const lkst_loss_names[] = {
	[LKST_LOSS_LEVEL] = "nested too deep",
	[LKST_LOSS_TRUNCATED] = "string cut",
	[LKST_LOSS_TOO_LONG] = "record too long",
	[LKST_LOSS_UNREAD] = "path not read",
	[LKST_LOSS_UNFOLLOWED] = "child process not recorded",
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
