/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Triggers: what user space tells the handler in the kernel (src/bpf/handlers/trigger.c) and what that counts.
 * A trigger has rules, each for events whose records have the same layout. An event has a list of the rules
 * that are evaluated when it comes, and of the steps that intervals take then. All are elements of maps that
 * both sides map or look up.
 *
 * User space writes a trigger, its rules, terms and steps first and puts them into the events' lists last,
 * one store each; to remove them it empties the lists first and waits for a grace period.
 */
#ifndef LKST_ABI_TRIGGER_H
#define LKST_ABI_TRIGGER_H

#include "abi/block.h"
#include "abi/control.h"
#include "abi/incident.h"
#include "abi/types.h"

enum {
	LKST_TRIGGERS_MAX = 32, /* numbers from 1 on; 0 is none: a command */
	LKST_TRIGGER_RULES = 64,
	LKST_TRIGGER_TERMS = 4, /* comparisons in a rule: all must hold */
	LKST_TRIGGER_STEPS = 64,
	LKST_TRIGGER_INTERVALS = 64,
	LKST_TRIGGER_PER_EVENT = 8, /* rules, and steps, of one event */
	LKST_TRIGGER_NAME = 64,	    /* with its NUL */
	LKST_TRIGGER_CONDITION = 256,
	LKST_TRIGGER_TEXT = 16, /* characters that are compared at most */
	/* Intervals that have begun: sets of a few slots; one more in a set takes the place of the oldest. */
	LKST_TRIGGER_SETS = 4096,
	LKST_TRIGGER_WAYS = 4,
	/* Terms: those of rule i from LKST_TRIGGER_TERMS * i on, then one for each step. */
	LKST_TRIGGER_STEP_TERMS = LKST_TRIGGER_RULES * LKST_TRIGGER_TERMS,
	/* Conditions of masksets' rows, whose terms are the last. */
	LKST_TRIGGER_MASK_CONDITIONS = 128,
	LKST_TRIGGER_MASK_CONDITION = 128, /* characters, with the NUL */
	LKST_TRIGGER_MASK_TERMS = LKST_TRIGGER_STEP_TERMS + LKST_TRIGGER_STEPS,
	LKST_TRIGGER_ALL_TERMS =
		LKST_TRIGGER_MASK_TERMS + LKST_TRIGGER_MASK_CONDITIONS * LKST_TRIGGER_TERMS,
	LKST_TRIGGER_TICK_MS = 20, /* how often the handler checks whether a maskset's time is over */
};

/* Where a term's value comes from. */
enum lkst_trigger_source {
	LKST_TRIGGER_ALWAYS,	/* nowhere: the term holds */
	LKST_TRIGGER_FIELD,	/* an integer of the record */
	LKST_TRIGGER_CHARS,	/* characters of the record */
	LKST_TRIGGER_TOOK,	/* how long the rule's interval took, ns */
	LKST_TRIGGER_TID,	/* the thread */
	LKST_TRIGGER_PID,	/* its process */
	LKST_TRIGGER_CPU,	/* the CPU */
	LKST_TRIGGER_COMM,	/* the thread's name */
	LKST_TRIGGER_NEXT_COMM, /* the name of the thread that a switch goes to */
};

/* Whether that is characters, which are compared by == and != alone. */
static inline int lkst_trigger_source_is_text(u8 source)
{
	return source == LKST_TRIGGER_CHARS || source == LKST_TRIGGER_COMM ||
	       source == LKST_TRIGGER_NEXT_COMM;
}

enum lkst_trigger_op {
	LKST_TRIGGER_EQ,
	LKST_TRIGGER_NE,
	LKST_TRIGGER_LT,
	LKST_TRIGGER_LE,
	LKST_TRIGGER_GT,
	LKST_TRIGGER_GE,
};

/* (value & mask) op operand; of characters the first `length` are compared. */
struct lkst_trigger_term {
	u8 source; /* enum lkst_trigger_source */
	u8 op;	   /* enum lkst_trigger_op */
	u8 size;   /* of the field */
	u8 is_signed;
	u16 offset; /* of the field, from the record's start */
	u16 length;
	u64 mask;
	u64 operand;
	char text[LKST_TRIGGER_TEXT];
};
_Static_assert(sizeof(struct lkst_trigger_term) == 40, "no holes");

/* The key that distinguishes intervals of one kind. */
enum lkst_trigger_key_kind {
	LKST_TRIGGER_BY_THREAD, /* the thread; each CPU's idle thread is one of its own */
	LKST_TRIGGER_BY_CPU,
	LKST_TRIGGER_BY_FIELD,
	LKST_TRIGGER_BY_TID, /* a field that holds a thread; 0, the idle one, has no interval */
};

struct lkst_trigger_key {
	u8 kind; /* enum lkst_trigger_key_kind */
	u8 size;
	u16 offset;
};

struct lkst_trigger_rule {
	u16 trigger;
	u8 nr_terms;
	u8 interval; /* that ends with the event, 0: none */
	struct lkst_trigger_key key;
};
_Static_assert(sizeof(struct lkst_trigger_rule) == 8, "one load");

enum lkst_trigger_step_op {
	LKST_TRIGGER_BEGIN, /* the interval begins, or begins again unless it is held */
	LKST_TRIGGER_FORGET,
	LKST_TRIGGER_HOLD, /* the next beginning is not one, unless the interval has ended, if only in part */
	LKST_TRIGGER_END, /* the interval has ended, or a part of it; it is not forgotten */
};

/* What an event does to an interval, after the rules, if the step's term holds. */
struct lkst_trigger_step {
	u8 interval; /* 1 to LKST_TRIGGER_INTERVALS */
	u8 op;	     /* enum lkst_trigger_step_op */
	u16 pad;
	struct lkst_trigger_key key;
};
_Static_assert(sizeof(struct lkst_trigger_step) == 8, "one load");

/* Of an event: numbers of rules and steps plus 1, a byte each from the lowest on. */
struct lkst_trigger_event {
	u64 rules;
	u64 steps;
};

/* A condition of masksets' rows: its terms are LKST_TRIGGER_TERMS of those from LKST_TRIGGER_MASK_TERMS on. */
struct lkst_mask_condition {
	u32 nr_terms;
	u32 pad;
	char text
		[LKST_TRIGGER_MASK_CONDITION]; /* for user space: as it was written, without the event */
};
_Static_assert(sizeof(struct lkst_mask_condition) == 8 + LKST_TRIGGER_MASK_CONDITION, "no holes");

/*
 * Of a maskset: the number plus 1 of each event's condition, 0: it has none. User space writes a condition
 * before it is named here, and uses one again only when no row of any maskset has named it for a grace period.
 */
struct lkst_mask_rows {
	u8 condition[LKST_EVENT_SPACE];
};

struct lkst_trigger {
	/* User space writes these. */
	u32 is_used;
	u32 once;	 /* it fires once */
	u64 pause_ns;	 /* between two firings, at least */
	u64 post_ns;	 /* from the event until the buffers are kept */
	u64 switch_ns;	 /* for how long another maskset is active; 0: none is */
	u32 switch_to;	 /* the maskset */
	u32 name_length; /* without its NUL */
	u32 arms;	 /* its maskset was not armed before */
	u32 interval;	 /* that its rules ask for, 0: none */
	u64 signature;	 /* of what makes up the interval: triggers with the same share it */
	char name[LKST_TRIGGER_NAME];
	char condition[LKST_TRIGGER_CONDITION];
	/* The kernel writes these. */
	u64 last_ns; /* when it fired last, 0: never */
	u64 fired;
	u64 held_back; /* it would have fired, but had too recently, or had once, or was about to */
	u64 is_firing; /* a program is firing it */
	struct lkst_incident_cause cause; /* of the last time; no stack has room for it */
};
_Static_assert(sizeof(struct lkst_trigger) == 56 + LKST_TRIGGER_NAME + LKST_TRIGGER_CONDITION + 32 +
						      sizeof(struct lkst_incident_cause),
	       "no holes");

/* The slot of an interval that has begun: word is flags | interval << 48 | time; 0: free, 1: being written. */
struct lkst_trigger_slot {
	u64 word;
	u64 key;
};

#define LKST_TRIGGER_HELD (1ULL << 63)
#define LKST_TRIGGER_ENDED (1ULL << 62)

/* The interval that a slot's word belongs to; 0: none. */
static inline u32 lkst_trigger_interval_of(u64 word)
{
	return (u32)((word & ~(LKST_TRIGGER_HELD | LKST_TRIGGER_ENDED)) >> LKST_TIME_BITS);
}

struct lkst_trigger_set {
	struct lkst_trigger_slot slot[LKST_TRIGGER_WAYS];
};

/* A maskset that a trigger has made active for a time. */
struct lkst_trigger_switch {
	u64 is_wanted; /* written by user space: a trigger may do so */
	u64 is_on;     /* this and the rest by the kernel */
	u32 from, to;
	u64 until_ns;
	u64 forgotten; /* intervals whose slot another one took */
	u64 reserved[3];
};

#endif
