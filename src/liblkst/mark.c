// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Marks: how a record gets into the ring of its thread. What it relies on is in liblkst/mark_format.h. */
#include <sched.h>
#include <string.h>
#include <sys/rseq.h>
#include <time.h>

#include "liblkst/mark_fields.h"
#include "liblkst/mark_memory.h"

#define LKST_MARK_NO_INLINE
#include "liblkst/mark.h"

#define PUBLIC __attribute__((visibility("default")))
/* Order as this thread and its signal handlers see it. */
#define BARRIER() __asm__ volatile("" ::: "memory")
#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

_Static_assert((int)LKST_MARK_KIND_MARK == (int)LKST_MARK_ID_MARK &&
		       (int)LKST_MARK_KIND_VALUE == (int)LKST_MARK_ID_VALUE,
	       "a kind is an event's number");
_Static_assert((int)LKST_MARK_FIELDS == (int)LKST_MARK_NR_FIELDS,
	       "as many as a description may have");

/* A place in a ring. */
struct slot {
	struct lkst_mark_thread *area;
	struct lkst_mark_ring *ring;
	u8 *record;
	u64 end; /* position of the record's end */
	u32 level;
};

static inline u64 clock_ns(void)
{
	struct timespec now;

	/* The recording's clock, too: bpf_ktime_get_ns(). */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/* The CPU that this thread runs on, as the kernel keeps it in the thread's memory (rseq(2)) since glibc 2.35. */
static inline u32 cpu(void)
{
	int cpu = -1;

	if (LIKELY(__rseq_size)) {
		const u8 *thread;

#if defined(__x86_64__)
		__asm__("mov %%fs:0, %0" : "=r"(thread));
#else
		thread = __builtin_thread_pointer();
#endif
		cpu = (int)((const volatile struct rseq *)(const void *)(thread + __rseq_offset))
			      ->cpu_id;
	}
	if (UNLIKELY(cpu < 0))
		cpu = sched_getcpu();
	return cpu < 0 ? 0 : (u32)cpu;
}

/* ---- a place in the ring ------------------------------------------------------------ */

static struct lkst_block_header *block_of(const struct slot *s, u64 seq)
{
	return (void *)((u8 *)s->area + lkst_mark_block_at(s->level, seq));
}

/* Closes the block that is open, and opens the next, in the order of src/bpf/ring.h. */
static __attribute__((noinline)) void turn(struct slot *s, u64 ts)
{
	struct lkst_mark_ring *ring = s->ring;
	const u64 done = ring->done, seq = done ? done / LKST_MARK_BLOCK + 1 : 0;
	const struct lkst_mark_header *process = lkst_mark_process->header;
	const u32 area = (u32)((const u8 *)s->area - (const u8 *)process - LKST_MARK_AREAS_AT) /
			 LKST_MARK_AREA;
	struct lkst_block_header *h = block_of(s, seq);

	if (done) {
		struct lkst_block_header *last = block_of(s, seq - 1);

		last->content_size = done % LKST_MARK_BLOCK * 8;
		__atomic_store_n(&last->timestamp_end, ring->last_ns, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&ring->opened, seq + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	h->magic = 0;
	BARRIER();
	memcpy(h->uuid, process->page.id, sizeof(h->uuid));
	h->stream_id = LKST_STREAM_CLASS;
	h->stream_instance_id = lkst_stream_instance(area, 0, s->level);
	h->timestamp_begin = ts;
	h->timestamp_end = 0;
	h->content_size = 0;
	h->packet_size = LKST_MARK_BLOCK * 8;
	h->packet_seq_num = seq;
	h->events_discarded = 0;
	h->cpu_id = area;
	h->tid = lkst_mark_self.tid;
	__atomic_store_n(&h->magic, LKST_BLOCK_MAGIC, __ATOMIC_RELEASE);
	ring->turn_ns = ts + LKST_TIME_GAP_MAX;
	__atomic_store_n(&ring->done, seq * LKST_MARK_BLOCK + LKST_BLOCK_HEADER, __ATOMIC_RELEASE);
}

/* No recording has renewed its wish: the next marks are not wanted. */
static __attribute__((noinline)) bool is_over(u64 ts)
{
	u64 *wanted = &lkst_mark_process->header->wanted_until_ns,
	    until_ns = *(volatile u64 *)wanted;

	if (until_ns >= ts)
		return false;
	__atomic_compare_exchange_n(wanted, &until_ns, 0, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return true;
}

/* Fills the head of a record of event @id and @size bytes; false: there is no place for it. */
static inline __attribute__((always_inline)) bool reserve(struct slot *s, u32 id, u32 size)
{
	const struct lkst_mark_self *self = &lkst_mark_self;
	struct lkst_record_head *head;
	u64 ts, at;

	s->area = LIKELY(self->area && self->generation == lkst_mark_process->generation)
			  ? self->area
			  : lkst_mark_take_area();
	if (UNLIKELY(!s->area))
		return false;
	s->level = *(volatile u32 *)&s->area->nest;
	if (UNLIKELY(s->level >= LKST_MARK_LEVELS)) {
		__atomic_fetch_add(&s->area->too_deep, 1, __ATOMIC_RELAXED);
		return false;
	}
	*(volatile u32 *)&s->area->nest = s->level + 1;
	BARRIER();
	s->ring = &s->area->ring[s->level];
	ts = clock_ns();
	if (UNLIKELY(ts > *(volatile u64 *)&lkst_mark_process->header->wanted_until_ns) &&
	    is_over(ts)) {
		*(volatile u32 *)&s->area->nest = s->level;
		return false;
	}
	ts = ts < s->ring->last_ns ? s->ring->last_ns : ts;
	at = (s->ring->done + LKST_RECORD_ALIGN - 1) & ~(u64)(LKST_RECORD_ALIGN - 1);
	/* No block is filled to its last byte. */
	if (UNLIKELY(at % LKST_MARK_BLOCK + size > LKST_MARK_BLOCK - LKST_RECORD_ALIGN ||
		     ts >= s->ring->turn_ns)) {
		turn(s, ts);
		at = s->ring->done;
	}
	s->ring->last_ns = ts;
	s->record = (u8 *)block_of(s, at / LKST_MARK_BLOCK) + at % LKST_MARK_BLOCK;
	s->end = at + size;
	head = (void *)s->record;
	head->id_time = ts << 16 | id;
	head->tid = self->tid;
	*(u32 *)(void *)(s->record + LKST_MARK_RECORD_CPU) = cpu();
	return true;
}

static inline void commit(const struct slot *s)
{
	/* Complete up to here: a reader's load of `done` comes before its loads of the record. */
	__atomic_store_n(&s->ring->done, s->end, __ATOMIC_RELEASE);
	BARRIER();
	*(volatile u32 *)&s->area->nest = s->level;
}

/* Puts an integer where it may lie at a multiple of 4 only. */
static inline void put_u64(u8 *at, u64 value)
{
	memcpy(at, &value, sizeof(value));
}

/* Most are short: then two loads and stores that overlap take less time than a call of memcpy(). */
static inline void put_string(u8 *at, const char *text, size_t length)
{
	if (length >= 8 && length <= 16) {
		u64 first, last;

		memcpy(&first, text, 8);
		memcpy(&last, text + length - 8, 8);
		memcpy(at, &first, 8);
		memcpy(at + length - 8, &last, 8);
	} else if (length >= 4 && length < 8) {
		u32 first, last;

		memcpy(&first, text, 4);
		memcpy(&last, text + length - 4, 4);
		memcpy(at, &first, 4);
		memcpy(at + length - 4, &last, 4);
	} else {
		memcpy(at, text, length);
	}
	at[length] = 0;
}

/* ---- events without a description --------------------------------------------------- */

PUBLIC void lkst_mark_record(enum lkst_mark_kind kind, const char *name, size_t length, u64 value)
{
	enum { VALUE_AT = LKST_MARK_RECORD_FIELDS, NAME_AT = VALUE_AT + sizeof(value) };
	struct slot s;

	length = length < LKST_MARK_NAME ? length : LKST_MARK_NAME - 1;
	if (!reserve(&s, kind, (u32)(NAME_AT + length + 1)))
		return;
	put_u64(s.record + VALUE_AT, value);
	put_string(s.record + NAME_AT, name, length);
	commit(&s);
}

PUBLIC void lkst_mark(const char *name, uint64_t id)
{
	if (*lkst_mark_wanted)
		lkst_mark_record(LKST_MARK_KIND_MARK, name, strlen(name), id);
}

PUBLIC void lkst_span_begin(const char *name, uint64_t span)
{
	if (*lkst_mark_wanted)
		lkst_mark_record(LKST_MARK_KIND_BEGIN, name, strlen(name), span);
}

PUBLIC void lkst_span_end(const char *name, uint64_t span)
{
	if (*lkst_mark_wanted)
		lkst_mark_record(LKST_MARK_KIND_END, name, strlen(name), span);
}

PUBLIC void lkst_value(const char *name, int64_t value)
{
	if (*lkst_mark_wanted)
		lkst_mark_record(LKST_MARK_KIND_VALUE, name, strlen(name), (u64)value);
}

PUBLIC void lkst_handover(uint64_t span, int32_t to_tid)
{
	struct slot s;

	if (!*lkst_mark_wanted || !reserve(&s, LKST_MARK_ID_HANDOVER, LKST_MARK_RECORD_FIELDS + 12))
		return;
	put_u64(s.record + LKST_MARK_RECORD_FIELDS, span);
	memcpy(s.record + LKST_MARK_RECORD_FIELDS + 8, &to_tid, sizeof(to_tid));
	commit(&s);
}

/* Reads @digits hexadecimal digits; false: they are not there. */
static bool take_hex(const char **at, int digits, u64 *ret_value)
{
	u64 value = 0;

	for (; digits; digits--, (*at)++) {
		const char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (u64)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (u64)(c - 'a' + 10);
		else
			return false;
	}
	*ret_value = value;
	return true;
}

static bool take_dash(const char **at)
{
	return *(*at)++ == '-';
}

static void count_refused(void)
{
	if (lkst_mark_process->generation)
		__atomic_fetch_add(&lkst_mark_process->header->refused, 1, __ATOMIC_RELAXED);
}

PUBLIC void lkst_mark_traceparent(uint64_t span, const char *traceparent)
{
	enum { VERSION, HIGH, LOW, PARENT, FLAGS, NR };
	const char *at = traceparent;
	u64 value[NR] = {};
	struct slot s;

	if (!*lkst_mark_wanted)
		return;
	/* https://www.w3.org/TR/trace-context/, 3.2. */
	if (!at || !take_hex(&at, 2, &value[VERSION]) || !take_dash(&at) ||
	    !take_hex(&at, 16, &value[HIGH]) || !take_hex(&at, 16, &value[LOW]) ||
	    !take_dash(&at) || !take_hex(&at, 16, &value[PARENT]) || !take_dash(&at) ||
	    !take_hex(&at, 2, &value[FLAGS])) {
		count_refused();
		return;
	}
	if (!reserve(&s, LKST_MARK_ID_TRACEPARENT, LKST_MARK_RECORD_FIELDS + 32))
		return;
	put_u64(s.record + LKST_MARK_RECORD_FIELDS, span);
	put_u64(s.record + LKST_MARK_RECORD_FIELDS + 8, value[HIGH]);
	put_u64(s.record + LKST_MARK_RECORD_FIELDS + 16, value[LOW]);
	put_u64(s.record + LKST_MARK_RECORD_FIELDS + 24, value[PARENT]);
	commit(&s);
}

/* ---- described events --------------------------------------------------------------- */

/* The descriptions of this process's events, by their place in its memory, once they are used. */
static struct lkst_mark_fields described[LKST_MARK_EVENTS];
static u32 is_described[LKST_MARK_EVENTS];

/* Who takes a place for a text writes it, then says that it is there. */
enum { TEXT_NONE, TEXT_MAKING, TEXT_THERE };

/* The place of @text, of @length bytes without the NUL, among the texts; -1: there is no room. */
static int place_of(struct lkst_mark_header *h, const char *text, size_t length)
{
	int i;

	for (i = 0; i < LKST_MARK_EVENTS; i++) {
		struct lkst_mark_text *place = lkst_mark_text(h, (u32)i);
		u32 none = TEXT_NONE;

		if (__atomic_compare_exchange_n(&place->is_there, &none, TEXT_MAKING, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			memcpy(place->text, text, length);
			place->text[length] = 0;
			__atomic_store_n(&place->is_there, TEXT_THERE, __ATOMIC_RELEASE);
			return i;
		}
		/* One that another thread is just writing may come twice, which does no harm. */
		if (none == TEXT_THERE && !memcmp(place->text, text, length + 1))
			return i;
	}
	return -1;
}

/* Gives @event its number; 0: it has none, since it cannot be read or there are too many. */
static __attribute__((noinline)) u32 describe(struct lkst_mark_event *event)
{
	const size_t length = event->text ? strnlen(event->text, LKST_MARK_TEXT) : LKST_MARK_TEXT;
	struct lkst_mark_fields fields;
	int i;

	if (length == LKST_MARK_TEXT || !lkst_mark_fields_parse(event->text, length, &fields))
		return 0;
	i = place_of(lkst_mark_process->header, event->text, length);
	if (i < 0)
		return 0;
	/* Whoever else writes it now writes the same. */
	if (!__atomic_load_n(&is_described[i], __ATOMIC_ACQUIRE)) {
		described[i] = fields;
		__atomic_store_n(&is_described[i], 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&event->id, LKST_MARK_ID_FIRST + (u32)i, __ATOMIC_RELEASE);
	return LKST_MARK_ID_FIRST + (u32)i;
}

/* The lengths of the strings, as far as a record has room for them; returns the record's size. */
static inline u32 measure(const struct lkst_mark_fields *fields, const u64 *values, u16 *lengths)
{
	const char *text;
	u32 size = fields->fixed, i, rest;

	for (i = fields->nr_integers; i < fields->nr; i++) {
		text = (const char *)(uintptr_t)values[i];
		/* A NUL of each string that follows must have room. */
		rest = LKST_BLOCK_ROOM - size - (fields->nr - i);
		rest = rest < LKST_MARK_STRING - 1 ? rest : LKST_MARK_STRING - 1;
		lengths[i] = text ? (u16)strnlen(text, rest) : 0;
		size += lengths[i] + 1U;
	}
	return size;
}

PUBLIC void lkst_mark_record_fields(struct lkst_mark_event *event, unsigned int nr,
				    const u64 *values)
{
	u32 id = __atomic_load_n(&event->id, __ATOMIC_ACQUIRE), i;
	const struct lkst_mark_fields *fields;
	u16 lengths[LKST_MARK_NR_FIELDS];
	struct slot s;
	u8 *string;

	/* The texts are in the memory, which the first mark makes. */
	if (UNLIKELY(!id) && !lkst_mark_process->generation && !lkst_mark_take_area())
		return;
	if (UNLIKELY(!id))
		id = describe(event);
	if (UNLIKELY(id - LKST_MARK_ID_FIRST >= LKST_MARK_EVENTS)) {
		count_refused();
		return;
	}
	fields = &described[id - LKST_MARK_ID_FIRST];
	if (UNLIKELY(nr != fields->nr)) {
		count_refused();
		return;
	}
	if (!reserve(&s, id, measure(fields, values, lengths)))
		return;
	string = s.record + fields->fixed;
	/* What a value has beyond its field is where the next one goes, or where nothing is yet: no block is full. */
	for (i = 0; i < fields->nr_integers; i++)
		put_u64(s.record + fields->at[i], values[i]);
	for (; i < nr; i++) {
		put_string(string, lengths[i] ? (const char *)(uintptr_t)values[i] : "",
			   lengths[i]);
		string += lengths[i] + 1;
	}
	commit(&s);
}
