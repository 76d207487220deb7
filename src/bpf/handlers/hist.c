// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler `hist`: counts in the kernel how long it takes from one event of a thread to another. It records
 * nothing or, if asked to, only what took long. It makes a profile first, which shows what is worth recording.
 */
#include <lkst/handler.h>

enum { THREADS_MAX = 16384, KEYS_MAX = 1024 };

lkst_event_id from, to; /* 0: nothing is measured but pairs */
u32 pairs; /* 1: from each event to the one that follows it in the catalogue, entry to exit */
u64 slower_ns = ~0ULL; /* the second event is recorded after so long */
u32 by_thread;	       /* 1: a histogram for each thread ... */
u32 by_process;
u32 by_cgroup;
u64 begun, ended;

/* What a thread began last, and when. */
struct start {
	u64 ns;
	u64 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, s32);
	__type(value, struct start);
} started SEC(".maps");

/* By thread, process or cgroup; one, 0, if none of these is asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KEYS_MAX);
	__type(key, u64);
	__type(value, struct lkst_histogram);
} intervals_ns SEC(".maps");

/* With `pairs`, by the event that begins: a system call. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KEYS_MAX);
	__type(key, lkst_event_id);
	__type(value, struct lkst_histogram);
} pairs_ns SEC(".maps");

const struct lkst_histogram empty = {};

static __always_inline void add(void *map, const void *key, u64 took)
{
	struct lkst_histogram *h = bpf_map_lookup_elem(map, key);

	if (!h) {
		bpf_map_update_elem(map, key, &empty, BPF_NOEXIST);
		h = bpf_map_lookup_elem(map, key);
	}
	if (h)
		lkst_histogram_add(h, took);
}

/* Counts that @tid took @took from event @id on; true if that is long. */
static __always_inline bool measure(s32 tid, u64 id, u64 took)
{
	u64 key = by_thread    ? (u64)tid
		  : by_process ? bpf_get_current_pid_tgid() >> 32
		  : by_cgroup  ? bpf_get_current_cgroup_id()
			       : 0;
	lkst_event_id first = id;

	add(&intervals_ns, &key, took);
	if (pairs)
		add(&pairs_ns, &first, took);
	lkst_count(&ended, 1);
	return took >= slower_ns;
}

/* True if event @id ends what @begun began. */
static __always_inline bool ends(u64 id, const struct start *begun)
{
	return pairs ? id == begun->id + 1 : to && id == to;
}

LKST_HANDLER(hist, "counts, by powers of two, how long a thread takes from event `from` to `to`")
{
	struct start now = { lkst_record_time(r), lkst_record_id(r) }, *last;
	s32 tid = r->tid;
	u64 took;

	last = bpf_map_lookup_elem(&started, &tid);
	if (last && ends(now.id, last)) {
		u64 id = last->id;

		took = (now.ns - last->ns) & ((1ULL << LKST_TIME_BITS) - 1);
		bpf_map_delete_elem(&started, &tid);
		return measure(tid, id, took);
	}
	if (pairs || (from && now.id == from)) {
		bpf_map_update_elem(&started, &tid, &now, BPF_ANY);
		lkst_count(&begun, 1);
	}
	return false;
}
