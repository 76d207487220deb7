/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine on which bpf/ring.h runs in user space: one CPU whose every access to shared memory
 * is a step, a clock that may step back or leap, and interrupts that may strike at any step. Only
 * tests/unit/ring_model.c includes it. What must hold at each step is in model/claims.h.
 *
 * The CPU itself sees its stores in order. A reader on another one need not (`is_unordered`): each word that changes
 * may be held back from it, until a barrier of the writers' CPU at the latest, while later ones are seen. Such a
 * barrier is what the first build's exchanges are (`fences`), or what the reader has the CPU pass (`waits`:
 * live/rings/rings.h).
 *
 * A step stands before every primitive of ring.h, and in the middle of filling a record. Stores
 * that ring.h does without a primitive (most header fields, a record's thread) have no step of their
 * own; where a primitive yields the value that is stored, it stands between them.
 */
#ifndef LKST_TESTS_MODEL_MACHINE_H
#define LKST_TESTS_MODEL_MACHINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/block.h"
#include "abi/state.h"

enum {
	MODEL_WRITERS = 4096, /* remembered, by number; a power of two */
	MODEL_RECENT = 2048,  /* more than were written since the oldest record that is there */
	MODEL_NOTES = 64,     /* blocks remembered, by number; a power of two */
	MODEL_MEMORY = 8192,  /* bytes of all blocks at most */
	MODEL_DEPTH = 8,
	MODEL_CHOICES = 4096,
	MODEL_LOG = 64,
	MODEL_PAGES = 2, /* buffers that a CPU can write to, of which one is active */
	MODEL_RINGS = MODEL_PAGES * LKST_LEVELS, /* numbered by page, then level */
	MODEL_STATE = 2,			 /* element index of the first state page */
	MODEL_BASE = 5,				 /* and of the first block */
	MODEL_CPU = 3,
	MODEL_BUFFER = 1, /* of the first page; the next has the next */
	MODEL_HELD = 64,  /* words that are held back at once at most */
};

#define MODEL_UUID_LO 0x1122334455667788ULL
#define MODEL_UUID_HI 0x99aabbccddeeff01ULL
/* The 48 bits of a record's time wrap soon after it. */
#define MODEL_START ((5ULL << LKST_TIME_BITS) - 70)

/* Ways to break a rule of ring.h from outside. The claims must notice each. */
enum mutant {
	MUTANT_NONE,
	MUTANT_NEST_AFTER_READING, /* the ring is read before `nest` is stored */
	MUTANT_ONE_RING,	   /* an interrupting writer uses the ring of level 0 */
	MUTANT_LEVELS_SHARED,	   /* a fifth level uses the ring of the fourth */
	MUTANT_LEAVE_THEN_PUBLISH, /* `nest` falls before `done` is stored */
	MUTANT_PUBLISH_BEFORE_ID,  /* the record gets its id after `done` */
	MUTANT_TIME_MAY_FALL,	   /* the time before is not looked at */
	MUTANT_TIME_NOT_KEPT,	   /* nor stored */
	MUTANT_SIZE_ROUNDED,	   /* content_size counts the alignment in */
	MUTANT_END_BEFORE_SIZE,	   /* timestamp_end is stored before content_size */
	MUTANT_MAGIC_STAYS,	   /* the old magic is left while the header is filled */
	MUTANT_OPENED_LATE,	   /* `opened` counts a block after its header is filled */
	MUTANT_DONE_BEFORE_HEADER, /* `done` moves into a block before its magic is set */
	MUTANT_NO_GAP_RULE,	   /* no new block after a long silence */
	MUTANT_ENTERS_UNCOUNTED,   /* a writer that switches takes no level in the other buffer */
	MUTANT_LEAVES_COUNTED,	   /* or does not give back the one that it had */
	NR_MUTANTS,
};

/* A writer that switches to the other buffer takes a level there, then gives back its own. */
enum going { GOING_NOWHERE, GOING_IN, GOING_OUT };

enum fate { FATE_RUNNING, FATE_FILLED, FATE_LOST, FATE_DROPPED };

struct held_store {
	void *at; /* NULL: none */
	u32 size;
	u64 value;
};

struct writer {
	u32 number, size, window;
	u32 ring;     /* its number; MODEL_RINGS: none was left */
	u64 position; /* of its record; 0: none yet */
	u64 ts;	      /* of its record */
	u64 clock;    /* what it read last */
	u8 fate;
	u8 going;		/* enum going */
	struct held_store held; /* back by a mutant */
};

/* What the model knows of a block, from the stores that entered and left it. */
struct note {
	u64 number, ts, content; /* content: 0 until it is left */
	s32 tid;
};

/* What runs: how far decisions may go, and the records' sizes. */
struct scenario {
	u32 shift, nr_blocks;
	u32 nr_outer, nr_nested, depth;
	u32 backs, leaps; /* times the clock may step back, and leap */
	bool fine;	  /* steps between the header's plain stores too */
	bool chain;	  /* each writer is interrupted at most once */
	bool reader;
	bool is_unordered; /* a reader may see stores in another order */
	bool fences;	   /* but not those that ring.h has ordered */
	u32 waits;	   /* the reader has the CPU pass a barrier: enum waits */
	bool is_short;	   /* the reader looks once, at the first ring, and copies a block at once */
	u32 nr_held;	   /* words that are held back in a run at most */
	bool drops;    /* every second writer gives its place back */
	bool moves;    /* a turn may lead to the other buffer */
	u32 nr_before; /* writers that run undisturbed first */
	u32 size_before;
	u32 sizes[4]; /* of the writers after them, in turn */
	u32 extra;    /* window beyond a record's size */
};

/* All that a run changes besides the blocks, so that it can be set back with one copy. */
struct run {
	u64 now, clock_max;
	u32 nr_writers, nr_nested, nr_backs, nr_leaps, nr_lost, nr_moves;
	u32 nr_held;
	u32 page;	/* the active one */
	bool is_rested; /* no writer has read the clock since all had left */
	struct note notes[MODEL_RINGS][MODEL_NOTES];
};

/* One that was not "go on", for the trace. */
struct decision {
	const char *what, *where;
	u32 writer, depth;
};

enum reader_phase { READER_IDLE, READER_COPIES, READER_DONE };

enum waits {
	WAITS_BEFORE = 1, /* between `done` and the copy */
	WAITS_BEHIND = 2, /* between the copy and `opened` */
};

/* A word of memory that another CPU does not see yet as it is. */
struct held_word {
	u64 *at; /* in what it sees */
	u64 value;
};

/* What is shared with readers, or how another CPU sees it. */
struct model_view {
	u8 memory[MODEL_MEMORY];
	struct lkst_ring rings[MODEL_RINGS];
};

struct model_reader {
	u32 phase, copied, ring;
	u64 seen; /* changes, when it had its last chance */
	u64 done, number;
	u8 copy[MODEL_MEMORY];
};

static struct {
	struct lkst_state st[MODEL_PAGES];
	u8 *memory, *shadow;			    /* shadow: as it was at the step before */
	struct lkst_ring shadow_rings[MODEL_RINGS]; /* likewise */
	const struct scenario *sc;
	struct run run;
	struct writer writers[MODEL_WRITERS];
	struct writer *current;
	u32 depth, mutant;
	struct model_reader reader;

	/* Where a reader may see stores in another order: what it sees, and what had been stored at the step before. */
	struct model_view seen, told;
	struct held_word held[MODEL_HELD];
	u32 nr_held;
	u64 told_changes;

	/* Decisions: prescribed up to `nr_prefix`, then the first option, remembered. */
	struct {
		u8 taken, options;
	} choices[MODEL_CHOICES];
	u32 nr_choices, nr_prefix, cursor;
	u64 random; /* not 0: decisions are drawn */
	u32 odds;   /* an interrupt strikes at one step in so many */

	bool failed;
	char failure[400];
	struct decision log[MODEL_LOG];
	u32 nr_log;
	u64 nr_changes; /* of the memory, and of `done` and `opened` */
	u64 shadow_changes;
	u64 nr_interleavings, nr_checks, nr_accepted, nr_dropped, nr_writers;
} m;

/* ---- claims and the log of decisions -------------------------------------------------------- */

#define CLAIM(condition, ...)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			model_fail(#condition, __VA_ARGS__);                                       \
	} while (0)

__attribute__((format(printf, 2, 3))) static void model_fail(const char *what, const char *why, ...)
{
	va_list args;
	int used;

	if (m.failed)
		return;
	m.failed = true;
	used = snprintf(m.failure, sizeof(m.failure), "not (%s): ", what);
	va_start(args, why);
	vsnprintf(m.failure + used, sizeof(m.failure) - used, why, args);
	va_end(args);
}

/* Adds a decision to the trace that is printed with a failure. */
static void model_log(const char *what, const char *where)
{
	if (m.nr_log < MODEL_LOG && !m.failed)
		m.log[m.nr_log++] = (struct decision){ what, where, m.current->number, m.depth };
}

/* ---- decisions ------------------------------------------------------------------------------ */

static u64 model_random(u64 below)
{
	m.random ^= m.random << 13;
	m.random ^= m.random >> 7;
	m.random ^= m.random << 17;
	return (m.random >> 16) % below;
}

static size_t model_ring_bytes(void)
{
	return (size_t)m.sc->nr_blocks << m.sc->shift;
}

static u32 model_nr_pages(void)
{
	return m.sc->moves ? MODEL_PAGES : 1;
}

/* How many rings the scenario can use. */
static u32 model_nr_rings(void)
{
	return model_nr_pages() * LKST_LEVELS;
}

static struct lkst_ring *model_ring(u32 ring)
{
	return &m.st[ring / LKST_LEVELS].ring[ring % LKST_LEVELS];
}

static void model_sync_shadow(void)
{
	u32 page;

	for (page = 0; page < model_nr_pages(); page++)
		memcpy(&m.shadow_rings[page * LKST_LEVELS], m.st[page].ring,
		       sizeof(m.st[page].ring));
	memcpy(m.shadow, m.memory, model_ring_bytes() * model_nr_rings());
	m.shadow_changes = m.nr_changes;
}

/* True where no earlier run has been with the same decisions. */
static bool model_is_fresh(void)
{
	return m.cursor >= m.nr_prefix;
}

static u32 model_decide(u32 options)
{
	u32 i = m.cursor;

	if (i == MODEL_CHOICES)
		model_fail("decisions fit", "more than %u in one run", i);
	if (m.failed)
		return 0;
	m.cursor++;
	if (i < m.nr_prefix) {
		if (m.cursor == m.nr_prefix)
			model_sync_shadow();
		return m.choices[i].taken;
	}
	m.choices[i].taken = 0;
	m.choices[i].options = options;
	m.nr_choices = m.cursor;
	return 0;
}

/* Prescribes the next run's decisions, depth first; false: there is none left. */
static bool model_next_prefix(void)
{
	while (m.nr_choices &&
	       m.choices[m.nr_choices - 1].taken + 1 >= m.choices[m.nr_choices - 1].options)
		m.nr_choices--;
	if (!m.nr_choices)
		return false;
	m.choices[m.nr_choices - 1].taken++;
	m.nr_prefix = m.nr_choices;
	return true;
}

/* ---- what another CPU sees ------------------------------------------------------------------ */

/* The CPU of the writers passes a full barrier. */
static void model_see_all(void)
{
	u32 i;

	for (i = 0; i < m.nr_held; i++)
		*m.held[i].at = m.held[i].value;
	m.nr_held = 0;
}

/* The word at @seen gets @value, at once or later. A word that is held back already gets the newer value then. */
static void model_tell_word(u64 *seen, u64 value)
{
	u32 i;

	for (i = 0; i < m.nr_held; i++) {
		if (m.held[i].at == seen) {
			m.held[i].value = value;
			return;
		}
	}
	if (m.run.nr_held < m.sc->nr_held && m.nr_held < MODEL_HELD &&
	    (m.random ? !model_random(3) : model_decide(2))) {
		model_log("is held back", "a store");
		m.run.nr_held++;
		m.held[m.nr_held++] = (struct held_word){ seen, value };
	} else {
		*seen = value;
	}
}

static void model_tell(const void *is, void *told, void *seen, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(u64); i++) {
		u64 word;

		memcpy(&word, (const u8 *)is + i * sizeof(u64), sizeof(word));
		if (word == ((u64 *)told)[i])
			continue;
		((u64 *)told)[i] = word;
		model_tell_word((u64 *)seen + i, word);
	}
}

/* What was stored since the last call is seen by other CPUs, or held back. */
static void model_tell_all(void)
{
	u32 page, ring;

	if (!m.sc->is_unordered || m.told_changes == m.nr_changes)
		return;
	m.told_changes = m.nr_changes;
	model_tell(m.memory, m.told.memory, m.seen.memory, model_ring_bytes() * model_nr_rings());
	for (page = 0; page < model_nr_pages(); page++) {
		ring = page * LKST_LEVELS;
		model_tell(m.st[page].ring, &m.told.rings[ring], &m.seen.rings[ring], sizeof(m.st[page].ring));
	}
}

/* Everything is seen as it is. */
static void model_show_all(void)
{
	u32 page;

	memcpy(m.told.memory, m.memory, MODEL_MEMORY);
	for (page = 0; page < MODEL_PAGES; page++)
		memcpy(&m.told.rings[page * LKST_LEVELS], m.st[page].ring, sizeof(m.st[page].ring));
	m.seen = m.told;
	m.nr_held = 0;
	m.told_changes = m.nr_changes;
}

/* Before and after a store of ring.h that readers rely on. */
static void model_fence(void)
{
	if (!m.sc->fences)
		return;
	model_tell_all();
	model_see_all();
}

/* Some of what is held back may come to be seen at any time. */
static void model_see_some(void)
{
	u32 i;

	for (i = 0; i < m.nr_held; i++)
		if (m.random ? !model_random(4) : model_decide(2)) {
			*m.held[i].at = m.held[i].value;
			m.held[i--] = m.held[--m.nr_held];
		}
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void model_writer(void);
static void model_observe(void);
static bool model_reader_acts(void);

static bool model_may_nest(void)
{
	return m.depth < m.sc->depth && m.run.nr_nested < m.sc->nr_nested &&
	       (!m.sc->chain || m.depth == m.run.nr_nested + 1);
}

/* Whatever else the machine does may happen here, before the access @where. */
static void model_step(const char *where)
{
	if (m.failed)
		return;
	model_observe();
	model_tell_all();
	while (model_may_nest() && (m.random ? !model_random(m.odds) : model_decide(2))) {
		model_log("another writer", where);
		m.run.nr_nested++;
		model_writer();
		if (m.failed)
			return;
		model_observe();
	}
	/* What a reader does before the next change is the same as what it does now. */
	if (!m.sc->reader || m.reader.seen == m.nr_changes)
		return;
	m.reader.seen = m.nr_changes;
	while (m.reader.phase != READER_DONE && (m.random ? !model_random(8) : model_decide(2))) {
		model_log("the reader", where);
		if (!model_reader_acts())
			break;
	}
}

/* The ring that @at is a field of, at @field; NULL: it is none. */
static struct lkst_ring *model_ring_of(const void *at, size_t field)
{
	u32 page;

	for (page = 0; page < MODEL_PAGES; page++) {
		const u8 *rings = (const u8 *)m.st[page].ring;
		size_t offset = (const u8 *)at - rings;

		if ((const u8 *)at >= rings && offset < sizeof(m.st[page].ring) &&
		    offset % sizeof(struct lkst_ring) == field)
			return &m.st[page].ring[offset / sizeof(struct lkst_ring)];
	}
	return NULL;
}

/* The number of @ring, which is one of a state page's. */
static u32 model_number(const struct lkst_ring *ring)
{
	u32 i;

	for (i = 0; model_ring(i) != ring; i++)
		;
	return i;
}

/* The page whose `nest` is at @at; MODEL_PAGES: none. */
static u32 model_nest_of(const void *at)
{
	u32 page;

	for (page = 0; page < MODEL_PAGES && at != &m.st[page].nest; page++)
		;
	return page;
}

#define IS_RING(at, field) (model_ring_of(at, offsetof(struct lkst_ring, field)) != NULL)

static void model_put(void *at, u32 size, u64 value)
{
	memcpy(at, &value, size);
	m.nr_changes += IS_RING(at, done) || IS_RING(at, opened) ||
			((u8 *)at >= m.memory && (u8 *)at < m.memory + MODEL_MEMORY);
}

/* Does what a mutant has held back, one step after what should have come later. */
static void model_put_held(void)
{
	struct held_store *held = &m.current->held;

	if (!held->at)
		return;
	model_step("the store that comes late");
	model_put(held->at, held->size, held->value);
	held->at = NULL;
}

/* Where position @position of ring @ring lies as long as its block does. */
static u8 *model_at(u32 ring, u64 position)
{
	return m.memory + ring * model_ring_bytes() + (position & (model_ring_bytes() - 1));
}

/* True if @at is the field at @field of a block's header. */
static bool model_is_header(const void *at, size_t field)
{
	size_t offset = (const u8 *)at - m.memory;

	return (const u8 *)at >= m.memory && offset < MODEL_MEMORY &&
	       (offset & ((1U << m.sc->shift) - 1)) == field;
}

static u64 model_load(const void *at, u32 size, const char *where)
{
	struct writer *w = m.current;
	u32 page = model_nest_of(at);
	u64 value = 0;

	model_step(where);
	memcpy(&value, at, size);
	if (page < MODEL_PAGES) {
		if (m.mutant == MUTANT_LEVELS_SHARED && value >= LKST_LEVELS)
			value = LKST_LEVELS - 1;
		if (m.mutant == MUTANT_ONE_RING)
			value = 0;
		if (value < LKST_LEVELS)
			w->ring = page * LKST_LEVELS + value;
		else if (w->going == GOING_IN) /* there is no level left: it stays */
			w->going = GOING_NOWHERE;
		else
			w->ring = MODEL_RINGS;
	} else if (IS_RING(at, last) && m.mutant == MUTANT_TIME_MAY_FALL) {
		return 0;
	} else if (IS_RING(at, done) && m.mutant == MUTANT_NEST_AFTER_READING) {
		model_put_held();
	}
	return value;
}

/* The store that mutants hold back until the one that ring.h has after it. */
static bool model_store_held(void *at, u32 size, u64 value)
{
	const struct writer *w = m.current;

	switch (m.mutant) {
	case MUTANT_NEST_AFTER_READING:
		if (model_nest_of(at) == MODEL_PAGES || value != w->ring % LKST_LEVELS + 1)
			return false;
		break;
	case MUTANT_PUBLISH_BEFORE_ID:
		if (size != sizeof(u16))
			return false;
		break;
	case MUTANT_LEAVE_THEN_PUBLISH:
		if (!IS_RING(at, done))
			return false;
		break;
	case MUTANT_TIME_NOT_KEPT:
		return IS_RING(at, last);
	case MUTANT_END_BEFORE_SIZE:
		if (!model_is_header(at, offsetof(struct lkst_block_header, content_size)))
			return false;
		break;
	case MUTANT_MAGIC_STAYS:
		return !value && model_is_header(at, offsetof(struct lkst_block_header, magic));
	case MUTANT_OPENED_LATE:
		if (!IS_RING(at, opened))
			return false;
		break;
	case MUTANT_ENTERS_UNCOUNTED:
		return w->going == GOING_IN && model_nest_of(at) < MODEL_PAGES;
	case MUTANT_LEAVES_COUNTED:
		return w->going == GOING_OUT && model_nest_of(at) < MODEL_PAGES;
	case MUTANT_DONE_BEFORE_HEADER:
		if (!value || !model_is_header(at, offsetof(struct lkst_block_header, magic)))
			return false;
		break;
	default:
		return false;
	}
	m.current->held = (struct held_store){ at, size, value };
	return true;
}

/* True if a store to @at is where a mutant does the one that it has held back. */
static bool model_ends_hold(const void *at)
{
	switch (m.mutant) {
	case MUTANT_PUBLISH_BEFORE_ID:
	case MUTANT_DONE_BEFORE_HEADER:
		return IS_RING(at, done);
	case MUTANT_LEAVE_THEN_PUBLISH:
		return model_nest_of(at) < MODEL_PAGES;
	case MUTANT_END_BEFORE_SIZE:
		return model_is_header(at, offsetof(struct lkst_block_header, timestamp_end));
	case MUTANT_OPENED_LATE:
		return IS_RING(at, turn_at);
	default:
		return false;
	}
}

/* A writer goes on to block @number of @ring: the model takes notes of it and of the one before. */
static void model_note_turn(const struct lkst_ring *ring, u64 number)
{
	struct writer *w = m.current;
	struct note *notes = m.run.notes[model_number(ring)];
	u64 last = m.mutant == MUTANT_TIME_MAY_FALL ? 0 : ring->last;

	if (ring->done)
		notes[(ring->done >> m.sc->shift) % MODEL_NOTES].content =
			ring->done & ((1U << m.sc->shift) - 1);
	notes[number % MODEL_NOTES] = (struct note){ .number = number,
						     .ts = w->clock > last ? w->clock : last,
						     .tid = w->number };
}

/* The block of @ring that is open, and empty, begins later. */
static void model_note_begin(u32 ring, u64 ts)
{
	u64 number = model_ring(ring)->done >> m.sc->shift;

	m.run.notes[ring][number % MODEL_NOTES].ts = ts;
}

static void model_store(void *at, u32 size, u64 value, const char *where)
{
	struct lkst_ring *opens = model_ring_of(at, offsetof(struct lkst_ring, opened));

	model_step(where);
	if (opens)
		model_note_turn(opens, value - 1);
	if (model_is_header(at, offsetof(struct lkst_block_header, timestamp_begin)))
		model_note_begin(m.current->ring, value);
	if (model_store_held(at, size, value))
		return;
	if (m.mutant == MUTANT_SIZE_ROUNDED &&
	    model_is_header(at, offsetof(struct lkst_block_header, content_size)))
		value = (value + 63) & ~63ULL;
	model_put(at, size, value);
	if (model_ends_hold(at))
		model_put_held();
}

static void model_count(u64 *at, const char *where)
{
	model_step(where);
	model_put(at, sizeof(*at), *at + 1);
}

/*
 * Time goes on by 3 ns a reading; one may be 4 ns below the one before. The first after a rest may come after
 * a long silence: no CPU spends days inside one writer.
 */
static u64 model_clock(void)
{
	static const u64 leaps[] = { LKST_TIME_GAP_MAX - 1, LKST_TIME_GAP_MAX,
				     LKST_TIME_GAP_MAX + 1, (1ULL << LKST_TIME_BITS) + 5 };
	struct run *r = &m.run;
	u64 back = 0;
	u32 leap = 0;

	model_step("the clock");
	r->now += 3;
	if (m.sc->backs > r->nr_backs && (m.random ? !model_random(8) : model_decide(2))) {
		model_log("steps back", "the clock");
		r->nr_backs++;
		back = 4;
	}
	if (m.sc->leaps > r->nr_leaps && r->is_rested)
		leap = m.random ? (model_random(1000) ? 0 : 1 + model_random(4)) : model_decide(5);
	r->is_rested = false;
	if (leap) {
		model_log(leap == 4 ? "leaps beyond 2^48 ns" : "leaps 2^47 ns", "the clock");
		r->nr_leaps++;
		r->now += leaps[leap - 1];
	}
	m.current->clock = r->now - back;
	if (m.current->clock > r->clock_max)
		r->clock_max = m.current->clock;
	return m.current->clock;
}

/* A value that ring.h is about to store without a primitive. */
static u64 model_value(u64 value, const char *where)
{
	if (m.sc->fine)
		model_step(where);
	m.nr_changes++;
	return value;
}

static void *model_element(u64 i)
{
	if (i >= MODEL_STATE && i < MODEL_STATE + model_nr_pages())
		return &m.st[i - MODEL_STATE];
	if (i < MODEL_BASE || i >= MODEL_BASE + model_nr_rings() * m.sc->nr_blocks) {
		model_fail("element in range", "element %llu", (unsigned long long)i);
		return NULL;
	}
	return m.memory + ((i - MODEL_BASE) << m.sc->shift);
}

#endif
