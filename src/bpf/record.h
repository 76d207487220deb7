/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every kernel program is built on: the maps, the configuration, and lkst_recording(), which
 * precedes the block that fills a record.
 *
 *	LKST_TP(workqueue_execute_end, struct work_struct *work)
 *	{
 *		lkst_recording_if(workqueue_execute_end, r, lkst_wants_current())
 *			LKST_PUT64(r->work, work);
 *		return 0;
 *	}
 *
 * Context: every hook used here runs with preemption off from entry to exit (tracepoints:
 * include/linux/tracepoint.h, __DO_TRACE; system call tracepoints since Linux 6.13: the
 * preempt_disable_notrace() of include/trace/bpf_probe.h; kprobes: kernel/kprobes.c). So writers
 * on one CPU only ever nest, which is what ring.h builds on.
 */
#ifndef LKST_BPF_RECORD_H
#define LKST_BPF_RECORD_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "abi/types.h"
/* The helpers want the integer names first. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "abi/budget.h"
#include "abi/control.h"
#include "abi/events.h"
#include "abi/program.h"
#include "abi/state.h"
#include "bpf/compat.h"
#include "bpf/kernel.h"

/* The memory of all rings: state pages first, then blocks. Sizes are set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, 1 << LKST_BLOCK_SHIFT_MIN);
} lkst_mem SEC(".maps") __weak;

/* The threads a recording is restricted to, by process id; used only if lkst_cfg.filter says so. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LKST_FILTER_MAX);
	__type(key, u32);
	__type(value, u32);
} lkst_filter SEC(".maps") __weak;

/* Runs that recorded nothing: an element for each CPU. Their number is set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_idle);
} lkst_idle SEC(".maps") __weak;

extern struct lkst_control lkst_control;
extern const volatile struct lkst_program_config lkst_cfg;

/* The primitives of ring.h. Plain accesses suffice: the writers of a ring share one CPU. */
#define LKST_LOAD(x) (*(volatile typeof(x) *)&(x))
#define LKST_STORE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#define LKST_BARRIER() asm volatile("" ::: "memory")
#define LKST_UNLIKELY(x) __builtin_expect(!!(x), 0)
/*
 * x86 keeps stores in order (Intel SDM 3A, 9.2.2). Other CPUs need not, and BPF had no instruction for
 * that before Linux 6.14. But an exchange is a full barrier on every CPU (kernel, tools/memory-model:
 * value-returning atomics; for arm64, arch/arm64/net/bpf_jit_comp.c: SWPAL, or a loop and DMB ISH). Where there is none
 * the order is that of the CPU alone, and its readers know (live/rings/rings.h).
 */
#if defined(__TARGET_ARCH_x86) || defined(LKST_FLOOR)
#define LKST_STORE_ORDERED(x, v)                                                                   \
	do {                                                                                       \
		LKST_BARRIER();                                                                    \
		LKST_STORE(x, v);                                                                  \
		LKST_BARRIER();                                                                    \
	} while (0)
#else
#define LKST_STORE_ORDERED(x, v)                                                                   \
	do {                                                                                       \
		_Static_assert(sizeof(x) == 4 || sizeof(x) == 8, "what BPF can exchange");         \
		(void)LKST_EXCHANGE(x, v);                                                         \
		LKST_BARRIER();                                                                    \
	} while (0)
#endif
#define LKST_STORE_RELEASE(x, v) LKST_STORE_ORDERED(x, v)
/* LKST_STORE_FENCE() is in compat.h. */
#define LKST_COUNT(p) ((void)__sync_fetch_and_add(p, 1))
#define LKST_CLOCK() bpf_ktime_get_ns()
#define LKST_TID() ((s32)bpf_get_current_pid_tgid())
#define LKST_SHIFT() (lkst_cfg.block_shift)
#define LKST_UUID_LO() (lkst_cfg.memory_id[0])
#define LKST_UUID_HI() (lkst_cfg.memory_id[1])
/* Global, so it is verified once in a program; weak, because every object file has a copy. */
#define LKST_RARE __weak __noinline
#define LKST_ELEMENT(i) lkst_element(i)
#define LKST_ELEMENT_AT(p) bpf_map_lookup_elem(&lkst_mem, p)
#define LKST_BOUNDED(v)                                                                            \
	({                                                                                         \
		u64 __v = (v);                                                                     \
		asm volatile("" : "+r"(__v));                                                      \
		__v;                                                                               \
	})

/* Keeps the compiler from computing pointer @p again where it has no register left for it. */
#define LKST_OPAQUE(p)                                                                             \
	({                                                                                         \
		typeof(p) __p = (p);                                                               \
		asm volatile("" : "+r"(__p));                                                      \
		__p;                                                                               \
	})

static __always_inline void *lkst_element(u32 i)
{
	return bpf_map_lookup_elem(&lkst_mem, &i);
}

#include "bpf/buffer.h"

#define LKST_LEAVE_AT(st) lkst_buffer_leave_at(st)
#define LKST_TARGET(st, wraps, ts) lkst_buffer_target(st, wraps, ts)
#define LKST_SWITCH_BUFFER(st, to) lkst_buffer_switch_to(st, to)

#include "bpf/ring.h"

/* Counts a loss that belongs to no particular record, on this CPU. */
static __always_inline void lkst_count_loss(enum lkst_loss cause)
{
	struct lkst_state *st = lkst_state_page(LKST_BUFFER_MAIN);

	if (st)
		LKST_COUNT(&st->lost[cause]);
}

/*
 * Reserves a record of @size bytes in @buffer, @window of which may be touched (ring.h): no maskset and no
 * handler is asked. NULL if it was lost (counted).
 */
static __always_inline void *lkst_begin_in(struct lkst_slot *s, u32 buffer, u32 size, u32 window)
{
	struct lkst_state *st = lkst_state_page(buffer);
	struct lkst_record_head *rec;

	if (!st)
		return NULL;
	rec = lkst_ring_reserve(s, st, size, window, lkst_cfg.block_shift);
	if (rec)
		rec->tid = LKST_TID();
	return rec;
}

/* The same for a record of the recorder's own, in the buffer of rare events. */
static __always_inline void *lkst_begin_own(struct lkst_slot *s, u32 size, u32 window)
{
	return lkst_begin_in(s, LKST_BUFFER_LIFE, size, window);
}

enum {
	ROUTE_BYTES = sizeof(lkst_control.route[0][0]),
};

/* Where an event's entry is in a maskset's table: bytes from the table's start. */
static __always_inline u64 lkst_route_at(u32 id)
{
	return LKST_BOUNDED((u64)(id & LKST_ID_MAX) * ROUTE_BYTES);
}

/*
 * Counts a run of this program that records nothing (abi/budget.h), of the event whose entry is at @route_at.
 * It takes that place and keeps it on the stack, so that the path that does record pays neither an instruction
 * nor a register for it.
 */
static __always_inline void lkst_count_idle_at(u64 route_at)
{
	volatile u64 kept = route_at;
	u32 cpu = lkst_this_cpu();
	struct lkst_idle *idle = bpf_map_lookup_elem(&lkst_idle, &cpu);
	u64 *runs;

	if (!idle)
		return;
	runs = &idle->runs[(kept / ROUTE_BYTES) & LKST_ID_MAX];
	LKST_STORE(*runs, *runs + 1);
}

/* The same for event @id. Returns 0, as the program then does. */
static __always_inline int lkst_count_idle(u32 id)
{
	lkst_count_idle_at(lkst_route_at(id));
	return 0;
}

/* Whether the active maskset has this program record event @id. */
static __always_inline bool lkst_is_wanted(u32 id)
{
	u32 active = LKST_LOAD(lkst_control.active) & (LKST_MASKSETS - 1);
	u16 route = LKST_LOAD(*(u16 *)((void *)lkst_control.route[active] + lkst_route_at(id)));

	return (route & 0xff) == lkst_cfg.handler;
}

/* As lkst_begin(), except that the caller writes the thread. */
static __always_inline struct lkst_record_head *lkst_begin_any(struct lkst_slot *s, u32 id,
							       u32 size, u32 window)
{
	u32 active = LKST_LOAD(lkst_control.active) & (LKST_MASKSETS - 1);
	u64 route_at = lkst_route_at(id);
	u16 route = LKST_LOAD(*(u16 *)((void *)lkst_control.route[active] + route_at));
	struct lkst_state *st;

	if (LKST_UNLIKELY((route & 0xff) != lkst_cfg.handler)) {
		lkst_count_idle_at(route_at);
		return NULL;
	}
	st = lkst_state_page(route >> 8);
	if (!st)
		return NULL;
	/*
	 * The configuration is constant when this is verified: one of the two is removed. That for
	 * the default block size has its shifts and masks in the instructions.
	 */
	if (lkst_cfg.block_shift == LKST_BLOCK_SHIFT_MIN)
		return lkst_ring_reserve(s, st, size, window, LKST_BLOCK_SHIFT_MIN);
	return lkst_ring_reserve(s, st, size, window, lkst_cfg.block_shift);
}

/*
 * Reserves @size bytes where @route, the event's entry in the active maskset, sends this program's records on this CPU,
 * @cpu; @window of them may be touched (ring.h). NULL if the record was lost (counted).
 */
static __always_inline void *lkst_begin_on(struct lkst_slot *s, u32 cpu, u16 route, u32 size,
					   u32 window)
{
	/* The verifier has lost the bound of what was on the stack meanwhile. */
	u64 on = LKST_BOUNDED((u64)cpu) & (LKST_POSSIBLE_CPUS_MAX - 1);
	struct lkst_state *st =
		LKST_ELEMENT_AT(&lkst_control.page[route >> 8 & (LKST_NR_BUFFERS - 1)][on]);
	struct lkst_record_head *rec;

	if (!st)
		return NULL;
	/* As in lkst_begin_any(). */
	if (lkst_cfg.block_shift == LKST_BLOCK_SHIFT_MIN)
		rec = lkst_ring_reserve(s, st, size, window, LKST_BLOCK_SHIFT_MIN);
	else
		rec = lkst_ring_reserve(s, st, size, window, lkst_cfg.block_shift);
	if (rec)
		rec->tid = LKST_TID();
	return rec;
}

/*
 * Asks the active maskset whether event @id is wanted and, if so, reserves @size bytes in the
 * buffer it goes to, @window of which may be touched through the result (ring.h). NULL if it is
 * not wanted or was lost (counted).
 */
static __always_inline void *lkst_begin(struct lkst_slot *s, u32 id, u32 size, u32 window)
{
	struct lkst_record_head *rec = lkst_begin_any(s, id, size, window);

	if (rec)
		rec->tid = LKST_TID();
	return rec;
}

/* The same where it is known already that the thread is @tid. */
static __always_inline void *lkst_begin_by(struct lkst_slot *s, u32 id, u32 size, u32 window,
					   s32 tid)
{
	struct lkst_record_head *rec = lkst_begin_any(s, id, size, window);

	if (rec)
		rec->tid = tid;
	return rec;
}

/*
 * What handlers other than DEFAULT are made of (src/bpf/handler.h): the programs of a handler are
 * those of the events that it is for, linked with its own two functions in place of these. The record
 * of @size bytes lies at byte @start of element @element; it is complete, and not published yet.
 *
 * lkst_handler_decides() returns false if it is to be dropped; lkst_handler_follows() comes when it has
 * been published. In programs of DEFAULT the verifier removes the calls.
 */
#ifdef LKST_HANDLER_SOURCE
bool lkst_handler_decides(u32 element, u32 start, u32 size);
int lkst_handler_follows(u32 element, u32 start, u32 size);
#else
LKST_RARE bool lkst_handler_decides(u32 element, u32 start, u32 size)
{
	return true;
}

LKST_RARE int lkst_handler_follows(u32 element, u32 start, u32 size)
{
	return 0;
}
#endif

/* Publishes the record if the handler wants it. */
static __always_inline void lkst_commit_handled(struct lkst_slot *s, u32 id)
{
	u32 size = (s->end & ((1ULL << lkst_cfg.block_shift) - 1)) - s->start;

	LKST_STORE(*(u16 *)&s->rec->id_time, id); /* the handler asks for it */
	if (!lkst_handler_decides(s->element, s->start, size)) {
		lkst_ring_drop(s);
		return;
	}
	lkst_ring_commit(s, id);
	lkst_handler_follows(s->element, s->start, size);
}

static __always_inline void lkst_commit(struct lkst_slot *s, u32 id)
{
	/* Constant when this is verified: one of the two is removed. */
	if (lkst_cfg.handler == LKST_HANDLER_DEFAULT)
		lkst_ring_commit(s, id);
	else
		lkst_commit_handled(s, id);
}

/*
 * Stores an 8-byte field in one piece. Records are aligned to 4 bytes, so the compiler by itself would
 * split the store; the CPUs that run this do not need that.
 */
#define LKST_PUT64(field, v)                                                                       \
	({                                                                                         \
		_Static_assert(sizeof(field) == 8, "an 8-byte field");                             \
		*(volatile u64 *)(void *)&(field) = (u64)(v);                                      \
	})

/*
 * Copies the name of @task, byte by byte: typed reads are allowed where copying kernel memory by
 * address is not (lockdown=confidentiality), and these events are rare.
 */
static __always_inline void lkst_copy_comm(char *to, struct task_struct *task)
{
	int i;

#pragma unroll
	for (i = 0; i < (int)sizeof(comm16); i++)
		to[i] = task->comm[i];
}

/* The result of a program of @event that ends before it has asked for a place, because of its thread. */
#define LKST_UNWANTED(event) lkst_count_idle(lkst_cfg.id[LKST_EV_##event])

/* A reserved place, and how far the block that fills it is. */
struct lkst_scope {
	struct lkst_slot slot;
	bool is_next; /* not begun */
	bool is_open; /* begun and not ended */
};

/* Never defined: where the compiler cannot leave out the call, this is its error. */
void lkst_block_is_left(void)
	__attribute__((error("no return, break or goto out of a block that fills a record")));

static __always_inline void lkst_scope_fini(struct lkst_scope *s)
{
	if (s->is_open)
		lkst_block_is_left();
}

#define LKST_WATCHED __attribute__((cleanup(lkst_scope_fini)))

/* The block has come to its end. NULL, for no other record is to be filled. */
static __always_inline void *lkst_scope_end(struct lkst_scope *s)
{
	s->is_open = false;
	return NULL;
}

/*
 * Runs the block that follows once, with @r, the record of @type that @begin has reserved in lkst_scope_.slot, and
 * then @commit, which publishes it; if @begin is NULL, neither. A record that is begun and not published would
 * block all later ones, so the compiler refuses a block that can be left in any way but by its end (or
 * `continue`, which goes there). Like the kernel's scoped_guard(), include/linux/cleanup.h.
 */
#define LKST_FILLING(type, r, begin, commit)                                                       \
	for (struct lkst_scope lkst_scope_ LKST_WATCHED = { .is_next = true };                     \
	     lkst_scope_.is_next; lkst_scope_.is_next = false)                                     \
		for (type *r = (begin); r && (lkst_scope_.is_open = true);                         \
		     commit, r = lkst_scope_end(&lkst_scope_))

/*
 * Records event @id, if the active maskset says so: the block that follows fills @r, the record of @type, @size
 * bytes, @window of which it may touch (ring.h). It fills every field, since the memory holds an older record.
 */
#define lkst_recording_id(type, r, id, size, window)                                               \
	LKST_FILLING(type, r, lkst_begin(&lkst_scope_.slot, id, size, window),                     \
		     lkst_commit(&lkst_scope_.slot, id))

/* The same where it is known already that the thread is @tid. */
#define lkst_recording_id_by(type, r, id, size, window, tid)                                       \
	LKST_FILLING(type, r, lkst_begin_by(&lkst_scope_.slot, id, size, window, tid),             \
		     lkst_commit(&lkst_scope_.slot, id))

/* The same two for a record of fixed size, by the name of its event. */
#define lkst_recording(event, r)                                                                   \
	lkst_recording_id(struct lkst_rec_##event, r, lkst_cfg.id[LKST_EV_##event], sizeof(*r),    \
			  sizeof(*r))
#define lkst_recording_by(event, r, tid)                                                           \
	lkst_recording_id_by(struct lkst_rec_##event, r, lkst_cfg.id[LKST_EV_##event], sizeof(*r), \
			     sizeof(*r), tid)

/* Counts a run that records nothing of event *@id. NULL, as lkst_begin() returns it. */
static __always_inline void *lkst_begin_none(const volatile u16 *id)
{
	LKST_BARRIER(); /* or *@id is loaded before the branch, and held on the other path as well */
	lkst_count_idle(*id);
	return NULL;
}

/* lkst_recording(), if @is_wanted; else the run is counted as one that records nothing. */
#define lkst_recording_if(event, r, is_wanted)                                                     \
	LKST_FILLING(struct lkst_rec_##event, r,                                                   \
		     LKST_UNLIKELY(!(is_wanted))                                                   \
			     ? lkst_begin_none(&lkst_cfg.id[LKST_EV_##event])                      \
			     : lkst_begin(&lkst_scope_.slot, lkst_cfg.id[LKST_EV_##event],         \
					  sizeof(*r), sizeof(*r)),                                 \
		     lkst_commit(&lkst_scope_.slot, lkst_cfg.id[LKST_EV_##event]))

/*
 * Records @event of the recorder's own as lkst_recording_id() does, but asks neither maskset nor handler. @begin:
 * the function that reserves, which chooses the buffer.
 */
#define lkst_recording_own(event, r, begin, size, window)                                          \
	LKST_FILLING(struct lkst_rec_##event, r, begin(&lkst_scope_.slot, size, window),           \
		     lkst_ring_commit(&lkst_scope_.slot, lkst_cfg.id[LKST_EV_##event]))

/* The program of a tracepoint, which is found by the name that it gets here. */
#define LKST_TP(tracepoint, args...)                                                               \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int BPF_PROG(tp_btf__##tracepoint, ##args)

/* The same of the untyped kind: it may not follow pointers, but may read any argument. */
#define LKST_RAW_TP(tracepoint, args...)                                                           \
	SEC("raw_tp/" #tracepoint)                                                                 \
	int BPF_PROG(tp_btf__##tracepoint, ##args)

/* The program at a function's entry. */
#define LKST_KPROBE(function, args...)                                                             \
	SEC("kprobe/" #function)                                                                   \
	int BPF_KPROBE(kprobe__##function, ##args)

/* The program at a function's return. */
#define LKST_KRETPROBE(function, args...)                                                          \
	SEC("kretprobe/" #function)                                                                \
	int BPF_KRETPROBE(kretprobe__##function, ##args)

/*
 * True if @task belongs to what the recording is restricted to. Costs nothing, not even the
 * test, where it is not restricted: the configuration is constant when programs are loaded.
 */
static __always_inline bool lkst_wants(struct task_struct *task)
{
	u32 pid;

	if (!lkst_cfg.filter)
		return true;
	pid = LKST_READ(task, tgid);
	return bpf_map_lookup_elem(&lkst_filter, &pid) != NULL;
}

/* The same for the thread that runs now. */
static __always_inline bool lkst_wants_current(void)
{
	u32 pid;

	if (!lkst_cfg.filter)
		return true;
	pid = bpf_get_current_pid_tgid() >> 32;
	return bpf_map_lookup_elem(&lkst_filter, &pid) != NULL;
}

#endif
