/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a user handler is made with. It is all that its source includes:
 *
 *	#include <lkst/handler.h>
 *
 *	s32 t_tid;
 *
 *	LKST_HANDLER(only_thread, "records only what thread t_tid does")
 *	{
 *		return r->tid == t_tid;
 *	}
 *
 * LKST_HANDLER(name, help) { ... } is called for each event that a maskset sends to the handler. Its
 * record @r is complete, but not yet published: true publishes it, false drops it. LKST_HANDLER_AFTER
 * { ... }, which may be left out, is called when a record has been published. Global variables are the
 * handler's controls: `lkst handler set NAME VARIABLE=VALUE` changes them while the handler is loaded.
 *
 * Context: any hook's, preemption off, interrupts and NMIs may nest (bpf/record.h). All CPUs share the
 * variables: lkst_count() adds to one of them.
 */
#ifndef LKST_BPF_HANDLER_H
#define LKST_BPF_HANDLER_H

#define LKST_HANDLER_SOURCE
#include "abi/handler.h"
#include "bpf/incident.h"
#include "bpf/jump.h"
#include "bpf/maskset.h"

/* The event that the function was called for. Named in no handler: the macros below use it. */
struct lkst_handled {
	void *block;
	u32 start; /* of the record in it, and its size */
	u32 size;
};

/* The id of the record's event; the time of the record, the low 48 bits of CLOCK_MONOTONIC in ns. */
static __always_inline u32 lkst_record_id(const struct lkst_record_head *r)
{
	return (u16)r->id_time;
}

static __always_inline u64 lkst_record_time(const struct lkst_record_head *r)
{
	return r->id_time >> 16;
}

static __always_inline const void *lkst_record_as(const struct lkst_record_head *r,
						  struct lkst_handled of, u32 id, u32 size)
{
	u64 start = LKST_BOUNDED(of.start);

	/* The second cannot be: the record ends in its block. The verifier has to be shown. */
	if (lkst_record_id(r) != id || start > (1U << lkst_cfg.block_shift) - size)
		return NULL;
	return of.block + start;
}

static __always_inline const void *lkst_record_sized(struct lkst_handled of, u32 size)
{
	u64 start = LKST_BOUNDED(of.start);

	if (of.size < size || start > (1U << lkst_cfg.block_shift) - size)
		return NULL;
	return of.block + start;
}

/* The record as a @type, which begins with its head; NULL: it is shorter. For events by name. */
#define LKST_AS_TYPE(type) ((const type *)lkst_record_sized(lkst_handled_, sizeof(type)))

/* True if the record is one of the catalogue's @event. */
#define LKST_IS(event) (lkst_record_id(r) == lkst_cfg.id[LKST_EV_##event])

/* The record as that of the catalogue's @event (struct lkst_rec_<event>); NULL: it is another's. */
#define LKST_AS(event)                                                                             \
	((const struct lkst_rec_##event *)lkst_record_as(                                          \
		r, lkst_handled_, lkst_cfg.id[LKST_EV_##event], sizeof(struct lkst_rec_##event)))

/* Adds @n to a variable that all CPUs share. */
static __always_inline void lkst_count(u64 *variable, u64 n)
{
	__sync_fetch_and_add(variable, n);
}

/* Counts @value in a histogram. */
static __always_inline void lkst_histogram_add(struct lkst_histogram *h, u64 value)
{
	u64 slot = 0;

#pragma unroll
	for (u32 bit = 32; bit; bit /= 2)
		if (value >> bit) {
			value >>= bit;
			slot += bit;
		}
	slot = LKST_BOUNDED(slot);
	if (slot < LKST_HISTOGRAM_SLOTS)
		lkst_count(&h->slot[slot], 1);
}

/* Switches to maskset @number; recorded, as if a user had done it. */
static __always_inline void lkst_switch_maskset(u32 number)
{
	lkst_maskset_switch(number);
}

/* Has this CPU write what goes to buffer @of to buffer @to from its next record on; recorded. */
static __always_inline void lkst_switch_buffer(u32 of, u32 to)
{
	lkst_buffer_jump(of, to);
}

static __always_inline int lkst_keep_of(const struct lkst_record_head *r, u64 value, u64 post_ns)
{
	struct lkst_incident_cause cause = {
		.ns = lkst_whole_time(lkst_record_time(r), LKST_CLOCK()),
		.id = lkst_record_id(r),
		.tid = r->tid,
		.value = value,
		.post_ns = post_ns,
		.reason = "a handler",
	};

	return lkst_incident_keep(&cause);
}

/*
 * Keeps the moment, if the recording has banks (`lkst start --incidents`): what was recorded up to
 * @post_ns after this record can be saved later. Returns the incident's number, 0: it is part of another one,
 * or there is no room. To be called in LKST_HANDLER_AFTER, so that the record itself is in it.
 */
#define lkst_keep(value, post_ns) lkst_keep_of(r, value, post_ns)

/* What `lkst handler wait` reads. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} lkst_notices SEC(".maps");

static __always_inline void lkst_notify_of(const struct lkst_record_head *r, u64 value)
{
	struct lkst_notice notice = {
		.time_ns = LKST_CLOCK(),
		.value = value,
		.tid = r->tid,
		.id = lkst_record_id(r),
	};

	bpf_ringbuf_output(&lkst_notices, &notice, sizeof(notice), 0);
}

/* Reports this event and @value to whoever waits for it in user space. What nobody reads is dropped. */
#define lkst_notify(value) lkst_notify_of(r, value)

/*
 * An event of the handler's own: LKST_EVENT(late, "a beat that came late", lkst_ns silent_ns; u32 nr;)
 * declares one, as HANDLER.late, with its fields; 8-byte and 4-byte ones begin at multiples of 4. Loading the
 * handler adds the event to the recording's catalogue, so that it is decoded by name wherever a record is read.
 */
#define LKST_EVENT(event, about, ...)                                                              \
	struct lkst_own_##event {                                                                  \
		struct lkst_record_head head;                                                      \
		__VA_ARGS__                                                                        \
	} __attribute__((packed, aligned(4)));                                                     \
	const volatile struct {                                                                    \
		struct lkst_own_event is;                                                          \
		struct lkst_own_##event layout[0];                                                 \
	} lkst_event_##event SEC(LKST_OWN_EVENTS) = { .is = { .name = #event, .help = about } }

/* The buffer that the active maskset sends event @id to. */
static __always_inline u32 lkst_buffer_of(u32 id)
{
	u32 active = LKST_LOAD(lkst_control.active) & (LKST_MASKSETS - 1);

	return LKST_LOAD(lkst_control.route[active][id & LKST_ID_MAX]) >> 8;
}

/* Writes record @from of @size bytes, its head not filled in, of event @id to @buffer. */
static __always_inline bool lkst_own_write(u32 buffer, u16 id, const void *from, u32 size)
{
	const u32 head = sizeof(struct lkst_record_head);
	struct lkst_slot s;
	void *to = lkst_begin_in(&s, buffer, size, size);

	if (!to)
		return false;
	__builtin_memcpy(to + head, from + head, size - head);
	lkst_ring_commit(&s, id);
	return true;
}

#define LKST_WRITE_TO(buffer, event, ...)                                                          \
	({                                                                                         \
		struct lkst_own_##event own_ = { __VA_ARGS__ };                                    \
                                                                                                   \
		lkst_own_write(buffer, lkst_event_##event.is.id, &own_, sizeof(own_));             \
	})

/*
 * Writes a record of the handler's own @event: LKST_WRITE(late, .silent_ns = ns, .nr = 1), to the buffer
 * of the event that the handler was called for. LKST_WRITE_RARE() writes to that of rare events, which
 * keeps it for longer. False if the record was lost (counted). In LKST_HANDLER_AFTER the record comes
 * after the event's own; in LKST_HANDLER the event's is not published yet, so this one goes to the
 * ring of interrupting writers, which is smaller.
 */
#define LKST_WRITE(event, ...) LKST_WRITE_TO(lkst_buffer_of(lkst_record_id(r)), event, __VA_ARGS__)
#define LKST_WRITE_RARE(event, ...) LKST_WRITE_TO(LKST_BUFFER_LIFE, event, __VA_ARGS__)

/* Fields for the frames of a stack, the last ones of their event; @address: lkst_code or lkst_addr. */
#define LKST_FRAMES(address)                                                                       \
	u32 nr_frames;                                                                             \
	address frames[0];

/*
 * Writes a record of the handler's own @event, declared with LKST_FRAMES(), with the stack of this
 * thread, innermost first: @most frames, a constant, at most; what is missing takes no room. @flags as
 * for the helper bpf_get_task_stack(): 0, frames to skip, BPF_F_USER_STACK. Further fields follow.
 */
#define LKST_WRITE_STACK(event, most, flags, ...)                                                  \
	({                                                                                         \
		const u32 size_ = sizeof(struct lkst_own_##event) + (most) * sizeof(lkst_code);    \
		struct lkst_own_##event own_ = { __VA_ARGS__ }, *to_;                              \
		struct lkst_slot slot_;                                                            \
                                                                                                   \
		to_ = (void *)lkst_begin_in(&slot_, lkst_buffer_of(lkst_record_id(r)), size_,      \
					    size_);                                                \
		if (to_) {                                                                         \
			own_.nr_frames = lkst_stack_read(to_->frames, (most), flags);              \
			__builtin_memcpy((void *)to_ + sizeof(to_->head),                          \
					 (void *)&own_ + sizeof(to_->head),                        \
					 sizeof(own_) - sizeof(to_->head));                        \
			/* One writer has the ring, so it may give back the end of its place. */   \
			slot_.end -= ((most)-own_.nr_frames) * sizeof(lkst_code);                  \
			lkst_ring_commit(&slot_, lkst_event_##event.is.id);                        \
		}                                                                                  \
		to_ != NULL;                                                                       \
	})

/* Reads at most @most frames of this thread's stack; returns how many. */
static __always_inline u32 lkst_stack_read(void *frames, const u32 most, u64 flags)
{
	long bytes = bpf_get_task_stack(bpf_get_current_task_btf(), frames,
					most * sizeof(lkst_code), flags);
	u64 nr = LKST_BOUNDED(bytes > 0 ? bytes / sizeof(lkst_code) : 0);

	return nr <= most ? nr : 0;
}

/* Finds the record and calls @function. @otherwise is returned where there is none, which cannot be. */
#define LKST_CALL(function, otherwise)                                                             \
	do {                                                                                       \
		struct lkst_handled of = { lkst_element(element), start, size };                   \
		u64 at = LKST_BOUNDED(start);                                                      \
                                                                                                   \
		if (!of.block ||                                                                   \
		    at > (1U << lkst_cfg.block_shift) - sizeof(struct lkst_record_head))           \
			return otherwise;                                                          \
		return function(of.block + at, of);                                                \
	} while (0)

/* What a handler says of itself; LKST_HANDLER() has it. */
#define LKST_HANDLER_SAYS(handler, about)                                                          \
	const volatile struct lkst_handler_about lkst_about SEC(LKST_HANDLER_ABOUT) = {            \
		.version = LKST_HANDLER_VERSION,                                                   \
		.name = #handler,                                                                  \
		.help = about,                                                                     \
	}

#define LKST_HANDLER(handler, about)                                                               \
	LKST_HANDLER_SAYS(handler, about);                                                         \
	static __always_inline bool lkst_decides_(const struct lkst_record_head *r,                \
						  struct lkst_handled lkst_handled_);              \
	bool lkst_handler_decides(u32 element, u32 start, u32 size)                                \
	{                                                                                          \
		LKST_CALL(lkst_decides_, true);                                                    \
	}                                                                                          \
	static __always_inline bool lkst_decides_(const struct lkst_record_head *r,                \
						  struct lkst_handled lkst_handled_)

#define LKST_HANDLER_AFTER                                                                         \
	static __always_inline void lkst_follows_(const struct lkst_record_head *r,                \
						  struct lkst_handled lkst_handled_);              \
	static __always_inline int lkst_follows_0_(const struct lkst_record_head *r,               \
						   struct lkst_handled of)                         \
	{                                                                                          \
		lkst_follows_(r, of);                                                              \
		return 0;                                                                          \
	}                                                                                          \
	int lkst_handler_follows(u32 element, u32 start, u32 size)                                 \
	{                                                                                          \
		LKST_CALL(lkst_follows_0_, 0);                                                     \
	}                                                                                          \
	static __always_inline void lkst_follows_(const struct lkst_record_head *r,                \
						  struct lkst_handled lkst_handled_)

#endif
