// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler `hist`: counts in the kernel how long it takes from one event of a thread to another, and
 * records nothing but, if asked to, what took long.
 */
#include <lkst/handler.h>

enum { THREADS_MAX = 16384, KEYS_MAX = 1024 };

lkst_event_id from, to; /* 0: nothing is measured */
u64 slower_ns = ~0ULL;	/* a `to` after so long is recorded */
u32 by_thread;		/* 1: a histogram for each thread, else one */
u64 begun, ended;

/* When the event `from` of a thread was. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, s32);
	__type(value, u64);
} started SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KEYS_MAX);
	__type(key, s32);
	__type(value, struct lkst_histogram);
} intervals_ns SEC(".maps");

const struct lkst_histogram empty = {};

/* Counts @took; true if that is long. */
static __always_inline bool measure(s32 tid, u64 took)
{
	s32 key = by_thread ? tid : 0;
	struct lkst_histogram *h = bpf_map_lookup_elem(&intervals_ns, &key);

	if (!h) {
		bpf_map_update_elem(&intervals_ns, &key, &empty, BPF_NOEXIST);
		h = bpf_map_lookup_elem(&intervals_ns, &key);
	}
	if (h)
		lkst_histogram_add(h, took);
	lkst_count(&ended, 1);
	return took >= slower_ns;
}

LKST_HANDLER(hist, "counts, by powers of two, how long a thread takes from event `from` to `to`")
{
	u64 now = lkst_record_time(r), took, *since;
	u32 id = lkst_record_id(r);
	s32 tid = r->tid;

	if (id == to && to) {
		since = bpf_map_lookup_elem(&started, &tid);
		if (since) {
			took = (now - *since) & ((1ULL << LKST_TIME_BITS) - 1);
			bpf_map_delete_elem(&started, &tid);
			return measure(tid, took);
		}
	}
	if (id == from && from) {
		bpf_map_update_elem(&started, &tid, &now, BPF_ANY);
		lkst_count(&begun, 1);
	}
	return false;
}
