/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/ring.h on the machine of model/machine.h, and a writer that uses it. Only
 * tests/unit/ring_model.c includes it.
 */
#ifndef LKST_TESTS_MODEL_WRITER_H
#define LKST_TESTS_MODEL_WRITER_H

#include "machine.h"

#define LKST_LOAD(x) ((typeof(x))model_load(&(x), sizeof(x), "load " #x))
#define LKST_STORE(x, v) model_store((void *)&(x), sizeof(x), v, "store " #x)
#define LKST_STORE_RELEASE(x, v) LKST_STORE_ORDERED(x, v)
#define LKST_STORE_ORDERED(x, v) (model_fence(), LKST_STORE(x, v), model_fence())
#define LKST_STORE_FENCE(x, v) LKST_STORE_ORDERED(x, v)
#define LKST_LEAVE_AT(st) (0ULL)
#define LKST_TARGET(st, wraps, ts) ((void)(wraps), (void)(ts), model_target(st))
#define LKST_SWITCH_BUFFER(st, to) model_switch_buffer(to)
#define LKST_COUNT(p) model_count(p, "count a loss")
#define LKST_CLOCK() model_clock()
#define LKST_TID() ((s32)model_value(m.current->number, "the thread"))
#define LKST_SHIFT() (m.sc->shift)
#define LKST_ELEMENT(i) model_element(i)
#define LKST_ELEMENT_AT(p) model_element(*(p))
#define LKST_UUID_LO() model_value(MODEL_UUID_LO, "UUID, first half")
#define LKST_UUID_HI() model_value(MODEL_UUID_HI, "UUID, second half")
#define LKST_UNLIKELY(x) (x)
#define LKST_OPAQUE(p) (p)
#define LKST_BARRIER() asm volatile("" ::: "memory")
#define LKST_BOUNDED(v) (v)
#define LKST_RARE static __attribute__((noinline))

/* The page that a writer of page @st goes on in when it turns: any, whatever the reason. */
static u32 model_target(const struct lkst_state *st)
{
	u32 own = st - m.st, to = own;

	if (m.sc->moves && (m.random ? !model_random(4) : model_decide(2))) {
		model_log("goes over", "the turn");
		to = (own + 1) % MODEL_PAGES;
		m.current->going = GOING_IN;
		m.run.nr_moves++;
	}
	return MODEL_STATE + to;
}

static void model_switch_buffer(u32 to)
{
	model_step("the other buffer is made active");
	m.run.page = to - MODEL_STATE;
	m.current->going = GOING_OUT;
}

#undef LKST_TIME_GAP_MAX
#define LKST_TIME_GAP_MAX                                                                          \
	(m.mutant == MUTANT_NO_GAP_RULE ? 1ULL << 62 : 1ULL << (LKST_TIME_BITS - 1))
/* Only the address of a punned pointer's target is taken here; memcpy() does the rest. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-aliasing"
#include "bpf/ring.h"
#pragma GCC diagnostic pop

static u16 model_id(u32 number)
{
	return number % LKST_ID_MAX + 1;
}

static u8 model_pattern(u32 number, u32 i)
{
	return 0x40 + number * 29 + i * 7;
}

/* Of a block, for records. */
static u32 model_room(void)
{
	return (1U << m.sc->shift) - LKST_BLOCK_HEADER - LKST_RECORD_ALIGN;
}

static u32 model_size(u32 number)
{
	const struct scenario *sc = m.sc;
	u32 room = model_room();

	if (m.random)
		return 12 + model_random(model_random(4) ? 20 : room - 12 + 1);
	return number < sc->nr_before ? sc->size_before : sc->sizes[(number - sc->nr_before) % 4];
}

static void model_fill(u8 *rec, u32 number, u32 from, u32 to, const char *where)
{
	model_step(where);
	for (; from < to; from++)
		rec[from] = model_pattern(number, from);
	m.nr_changes++;
}

static bool model_drops(u32 number)
{
	return m.sc->drops && (m.random ? !model_random(4) : number & 1);
}

/* One writer from its beginning to its end; what interrupts it runs inside. */
static void model_writer(void)
{
	u32 number = m.run.nr_writers++, half, room = model_room();
	struct writer *below = m.current, *w = &m.writers[number % MODEL_WRITERS];
	struct lkst_record_head *rec;
	struct lkst_slot slot;

	*w = (struct writer){ .number = number, .size = model_size(number) };
	w->window = w->size + m.sc->extra > room ? room : w->size + m.sc->extra;
	m.run.is_rested |= !below;
	m.current = w;
	m.depth++;
	rec = lkst_ring_reserve(&slot, &m.st[m.run.page], w->size, w->window, LKST_SHIFT());
	if (rec) {
		rec->tid = LKST_TID();
		w->position = slot.end - w->size;
		w->ts = m.mutant == MUTANT_TIME_NOT_KEPT ? w->clock : slot.ring->last;
		CLAIM((w->position & ((1U << m.sc->shift) - 1)) == slot.start &&
			      (void *)rec == model_at(w->ring, w->position),
		      "the slot of writer %u lies elsewhere", number);
		half = sizeof(*rec) + (w->size - sizeof(*rec)) / 2;
		model_fill((void *)rec, number, sizeof(*rec), half, "fill the first half");
		model_fill((void *)rec, number, half, w->size, "fill the second half");
		if (model_drops(number)) {
			w->fate = FATE_DROPPED;
			lkst_ring_drop(&slot);
		} else {
			w->fate = FATE_FILLED;
			lkst_ring_commit(&slot, model_id(number));
		}
	} else {
		w->fate = FATE_LOST;
		m.run.nr_lost++;
	}
	m.depth--;
	m.current = below;
}

#endif
