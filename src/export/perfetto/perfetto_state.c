/* SPDX-License-Identifier: GPL-2.0-only */
/* Perfetto: clocks, the machine, and the threads that there were when the records begin. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export/perfetto/perfetto.h"

/* Numbers of clocks (protos/perfetto/common/builtin_clock.proto). */
enum {
	CLOCK_NR_REALTIME = 1,
	CLOCK_NR_MONOTONIC = 3,
	CLOCK_NR_BOOTTIME = 6,
};

/* Threads of which a packet has the names at most. */
enum { TREE_MAX = 256 };

/* ---- clocks ---------------------------------------------------------------------------------- */

static void perfetto_state_put_clock(struct lkst_protobuf *b, u64 clock, u64 ns)
{
	u32 at = lkst_protobuf_begin(b, 1);

	lkst_protobuf_u64(b, 1, clock);
	lkst_protobuf_u64(b, 2, ns);
	lkst_protobuf_end(b, at);
}

/* The same moment on three clocks, of which boot time is the file's. */
static void put_snapshot(struct lkst_perfetto *p, u64 monotonic_ns, u64 realtime_ns)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_STATE, 0);
	u32 at = lkst_protobuf_begin(b, LKST_PERFETTO_CLOCK_SNAPSHOT);

	perfetto_state_put_clock(b, CLOCK_NR_BOOTTIME, lkst_perfetto_time(p, monotonic_ns));
	perfetto_state_put_clock(b, CLOCK_NR_MONOTONIC, monotonic_ns);
	perfetto_state_put_clock(b, CLOCK_NR_REALTIME, realtime_ns);
	lkst_protobuf_u64(b, 2, CLOCK_NR_BOOTTIME);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
}

/*
 * The first moment says how far boot time is ahead, for the whole trace. If the machine was suspended meanwhile, what
 * comes after has the boot time that it would have without; the time of day is right anyway, by the later moments.
 */
static int perfetto_state_on_clock(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_clock *x = record;
	struct lkst_perfetto *p = ctx;

	if (x->monotonic_ns > LKST_TIME_MAX || x->boottime_ns > LKST_TIME_MAX ||
	    x->realtime_ns > LKST_TIME_MAX || x->boottime_ns < x->monotonic_ns)
		return 0;
	if (!p->has_clock && !p->has_begun)
		p->boot_ns = x->boottime_ns - x->monotonic_ns;
	p->has_clock = true;
	put_snapshot(p, x->monotonic_ns, x->realtime_ns);
	return 0;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void perfetto_state_put_uuid(struct lkst_perfetto *p)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_STATE, 0);
	u32 at = lkst_protobuf_begin(b, LKST_PERFETTO_TRACE_UUID);
	u64 most = 0, least = 0;
	int i;

	for (i = 0; i < 8; i++) {
		most = most << 8 | p->x->catalog->uuid[i];
		least = least << 8 | p->x->catalog->uuid[8 + i];
	}
	lkst_protobuf_u64(b, 1, most);
	lkst_protobuf_u64(b, 2, least);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
}

static u32 perfetto_state_count_cpus(const struct lkst_trace *t)
{
	unsigned int i;
	u32 nr = 0;

	for (i = 0; i < lkst_trace_nr_streams(t); i++)
		if (lkst_trace_stream(t, i)->cpu >= nr)
			nr = lkst_trace_stream(t, i)->cpu + 1;
	return nr;
}

/* CPUs with records that Perfetto does not take. Streams are in order of their CPUs. */
static u32 count_left_out(const struct lkst_trace *t)
{
	u32 last = LKST_PERFETTO_CPUS_MAX - 1, nr = 0;
	unsigned int i;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);

		if (info->cpu <= last || !info->nr_blocks)
			continue;
		last = info->cpu;
		nr++;
	}
	return nr;
}

/* The names of system calls follow from `machine`; what bits of a thread's state mean, from `release`. */
static void put_machine(struct lkst_perfetto *p)
{
	const struct lkst_catalog *c = p->x->catalog;
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_STATE, 0);
	u32 at = lkst_protobuf_begin(b, LKST_PERFETTO_SYSTEM_INFO), name;

	name = lkst_protobuf_begin(b, 1);
	lkst_protobuf_text(b, 1, "Linux", 5);
	lkst_protobuf_text(b, 2, c->version, sizeof(c->version));
	lkst_protobuf_text(b, 3, c->release, sizeof(c->release));
	lkst_protobuf_text(b, 4, c->machine[0] ? c->machine : "x86_64", sizeof(c->machine));
	lkst_protobuf_end(b, name);
	lkst_protobuf_text(b, 4, "LKST", 4);
	lkst_protobuf_u64(b, 8, perfetto_state_count_cpus(p->x->trace));
	lkst_protobuf_text(b, 17, c->hostname, sizeof(c->hostname));
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Threads that exist later only: their creation will say so, and two of a number would be two threads. */
static int perfetto_state_on_thread(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_thread *x = record;
	struct lkst_perfetto *p = ctx;

	if (p->has_begun || x->start_ns <= lkst_perfetto_time(p, p->x->begin_ns) ||
	    x->thread_tid <= 0 || p->born.nr >= LKST_PERFETTO_THREADS_MAX ||
	    lkst_hash_find(&p->born, (u64)x->thread_tid, sizeof(u64)))
		return 0;
	if (lkst_hash_reserve(&p->born, sizeof(u64)) < 0)
		return -ENOMEM;
	lkst_hash_add(&p->born, (u64)x->thread_tid, sizeof(u64));
	return 0;
}

const char *lkst_perfetto_comm(const struct lkst_perfetto *p, s32 tid, u32 cpu, char text[24],
			       u32 *ret_length)
{
	const struct lkst_thread *t = tid > 0 ? lkst_threads_find(p->threads, tid) : NULL;

	if (!tid) {
		*ret_length = (u32)snprintf(text, 24, "swapper/%u", cpu);
		return text;
	}
	/* What ftrace has for a name that it does not know. */
	*ret_length = t && t->has_comm ? (u32)strnlen(t->comm, sizeof(t->comm)) : 5;
	return t && t->has_comm ? t->comm : "<...>";
}

static void perfetto_state_put_process(struct lkst_protobuf *b, s32 pid, s32 parent_pid, const char *name,
				       u32 length, bool is_kernel)
{
	u32 at = lkst_protobuf_begin(b, 1);

	lkst_protobuf_s64(b, 1, pid);
	lkst_protobuf_s64(b, 2, parent_pid);
	lkst_protobuf_text(b, 3, name, length);
	lkst_protobuf_u64(b, 8, is_kernel);
	lkst_protobuf_u64(b, 9, true); /* it is the thread's name, not its command line */
	lkst_protobuf_end(b, at);
}

static void put_tree_thread(struct lkst_protobuf *b, s32 tid, s32 pid, const char *name, u32 length)
{
	u32 at = lkst_protobuf_begin(b, 2);

	lkst_protobuf_s64(b, 1, tid);
	lkst_protobuf_text(b, 2, name, length);
	lkst_protobuf_s64(b, 3, pid);
	lkst_protobuf_end(b, at);
}

static void put_in_tree(struct lkst_protobuf *b, s32 tid, s32 pid, s32 parent_pid, const char *name,
			u32 length, bool is_kernel)
{
	if (tid == pid)
		perfetto_state_put_process(b, pid, parent_pid, name, length, is_kernel);
	put_tree_thread(b, tid, pid, name, length);
}

void lkst_perfetto_put_thread(struct lkst_perfetto *p, s32 tid, s32 pid, s32 parent_pid,
			      const char *name, u32 length, bool is_kernel)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_STATE, p->x->begin_ns);
	u32 at = lkst_protobuf_begin(b, LKST_PERFETTO_PROCESS_TREE);

	put_in_tree(b, tid, pid, parent_pid, name, length, is_kernel);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
}

static bool perfetto_state_is_there(const struct lkst_perfetto *p, const struct lkst_thread *t)
{
	return t->tid > 0 && t->pid > 0 && !t->has_ended &&
	       !lkst_hash_find(&p->born, (u64)t->tid, sizeof(u64));
}

/* Threads from number @from on, as many as go into a packet. Returns the number after the last. */
static unsigned int perfetto_state_put_tree(struct lkst_perfetto *p, unsigned int from)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_STATE, p->x->begin_ns);
	u32 at = lkst_protobuf_begin(b, LKST_PERFETTO_PROCESS_TREE), nr = 0, length;
	char text[24];

	for (; from < lkst_threads_nr(p->threads) && nr < TREE_MAX; from++) {
		const struct lkst_thread *t = lkst_threads_at(p->threads, from);
		const char *name;

		if (!perfetto_state_is_there(p, t))
			continue;
		name = lkst_perfetto_comm(p, t->tid, 0, text, &length);
		put_in_tree(b, t->tid, t->pid, t->parent_pid, name, length, t->is_kernel);
		nr++;
	}
	lkst_protobuf_end(b, at);
	if (nr)
		lkst_perfetto_end(p);
	return from;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int lkst_perfetto_subscribe_state(struct lkst_perfetto *p)
{
	int err;

	p->x->result.nr_cpus_left_out = count_left_out(p->x->trace);
	perfetto_state_put_uuid(p);
	put_machine(p);
	err = lkst_feed_event(p->feed, LKST_EV_state_clock, perfetto_state_on_clock, p);
	if (err >= 0)
		err = lkst_feed_event(p->feed, LKST_EV_state_thread, perfetto_state_on_thread, p);
	return err < 0 ? err : 0;
}

void lkst_perfetto_put_state(struct lkst_perfetto *p)
{
	u64 begin_ns = p->x->begin_ns;
	unsigned int i = 0;

	if (!p->has_clock)
		put_snapshot(p, begin_ns, begin_ns + p->x->catalog->clock_offset_ns);
	while (i < lkst_threads_nr(p->threads))
		i = perfetto_state_put_tree(p, i);
}
