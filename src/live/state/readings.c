/* SPDX-License-Identifier: GPL-2.0-only */
/* Readings of the kernel's counters that are kept with a pinned recording. */
#include "live/state/readings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/hooks/pins.h"

#define PIN "readings"

enum {
	ROOM_MORE = 512,    /* values of a reading, beyond twice those of the first */
	ROOM_MAX = 1 << 17, /* of the first; beyond, none is kept */
};

/* An element of the map, all zero if it is empty. Names are not kept: the next reading has them, too. */
struct kept_value {
	u64 value;
	u8 kind, is_recorded;
	s16 cpu;
	s32 number;
};

/* The same of a thread. Its times are from the beginning of its reading on. */
struct kept_thread {
	u64 switches;
	s32 tid;
	u32 start, from_ns, to_ns;
};

struct readings_kept {
	u64 made_ns; /* 0: there is none */
	u32 nr;
	u32 sum; /* CRC-32 of all that follows, as far as it is used: it may be read while it is written */
	struct {
		u64 from_ns, to_ns;
	} time[LKST_NR_COUNTERS]; /* of all that is of a kind */
	u64 threads_from_ns, threads_to_ns, threads_changed_ns;
	u32 nr_threads, threads_left_out;
	u32 threads_recorded_to, pad;
	struct kept_thread thread[LKST_THREAD_COUNTS_MAX];
	struct kept_value value[];
};

static size_t size_for(u32 room)
{
	return sizeof(struct readings_kept) + room * sizeof(struct kept_value);
}

/* ---- the map ------------------------------------------------------------------------- */

struct map {
	int fd;
	u32 room;  /* values of each element */
	u8 *bytes; /* of an element */
};

static void map_close(struct map *m)
{
	lkst_closep(&m->fd);
	free(m->bytes);
}

/* Takes over @fd, also on failure. */
static bool map_use(int fd, struct map *ret_map)
{
	struct bpf_map_info info = {};
	u32 length = sizeof(info);

	ret_map->fd = fd;
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &length) ||
	    info.max_entries != LKST_READINGS_MAX || info.value_size < sizeof(struct readings_kept))
		return false;
	ret_map->room = (u32)((info.value_size - sizeof(struct readings_kept)) / sizeof(struct kept_value));
	ret_map->bytes = calloc(1, info.value_size);
	return ret_map->bytes;
}

/* That of @s, if it is still the recording that is pinned. */
static bool map_open(const struct lkst_session *s, struct map *ret_map)
{
	return map_use(lkst_pins_get(NULL, lkst_session_own_pins(s), PIN), ret_map) && lkst_session_is_current(s);
}

static u32 sum_of(const struct readings_kept *k)
{
	const size_t begin = offsetof(struct readings_kept, time);

	return (u32)crc32(crc32(0, (const u8 *)&k->made_ns, sizeof(k->made_ns)),
			  (const u8 *)k + begin, (uInt)(size_for(k->nr) - begin));
}

/* Element @i, in m->bytes. NULL: there is none, or it makes no sense. */
static struct readings_kept *map_get(const struct map *m, u32 i)
{
	struct readings_kept *k = (struct readings_kept *)m->bytes;

	return !bpf_map_lookup_elem(m->fd, &i, k) && k->made_ns && k->nr <= m->room &&
			       k->nr_threads <= LKST_THREAD_COUNTS_MAX && k->sum == sum_of(k)
		       ? k
		       : NULL;
}

/* ---- which is replaced --------------------------------------------------------------- */

u32 lkst_readings_choose(const u64 *ns, const bool *needed, u32 nr, u64 now)
{
	double least = 0;
	u32 i, chosen = 0;

	for (i = 0; i + 1 < nr; i++)
		if (!needed[i])
			return i;
	for (i = 1; i + 1 < nr; i++) {
		double hole = (double)(ns[i + 1] - ns[i - 1]) / (double)(now - ns[i] + 1);

		if (chosen && hole >= least)
			continue;
		least = hole;
		chosen = i;
	}
	return chosen;
}

/* The time from which the rings of all CPUs have everything that is recorded now. */
static u64 readings_covered_since(const struct lkst_session *s)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	u64 since = 0, ns;
	u32 cpu, level;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		u32 page = lkst_session_control(s)->page[LKST_BUFFER_MAIN][cpu];
		u32 buffer = page / r->nr_cpus % LKST_NR_BUFFERS;
		const struct lkst_state *st = lkst_rings_state(r, cpu, buffer);
		u64 overwritten = 0;

		for (level = 0; level < LKST_LEVELS; level++)
			overwritten += lkst_ring_overwritten(&st->ring[level]);
		ns = overwritten ? lkst_rings_oldest_ns(r, cpu, buffer) : 0;
		since = ns > since ? ns : since;
	}
	return since;
}

/* Which of the readings made at @ns records reach back to, those of incidents too. */
static void readings_find_needed(const struct lkst_session *s, const u64 *ns, u32 nr, bool *ret_needed)
{
	const struct lkst_control *c = lkst_session_control(s);
	const u64 since = readings_covered_since(s);
	u32 bank, i;

	for (i = 0; i < nr; i++)
		ret_needed[i] = ns[i] >= since;
	for (bank = 0; bank < LKST_NR_BUFFERS; bank++) {
		u64 begin_ns = lkst_rings_covered_ns(lkst_session_rings(s), bank);

		if (__atomic_load_n(&c->bank[bank].state, __ATOMIC_ACQUIRE) != LKST_BANK_KEPT)
			continue;
		for (i = 0; i < nr; i++)
			ret_needed[i] |= ns[i] >= begin_ns && ns[i] < c->bank[bank].until_ns;
	}
}

/* An element of the map, and when it was made. */
struct readings_element {
	u64 ns;
	u32 index;
};

static int readings_by_time(const void *a, const void *b)
{
	const struct readings_element *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The elements that hold a reading, in order of time; and one that holds none, if there is such. */
static u32 list_elements(const struct map *m, struct readings_element list[LKST_READINGS_MAX], u32 *ret_empty)
{
	u32 i, nr = 0;

	for (i = 0; i < LKST_READINGS_MAX; i++) {
		const struct readings_kept *k = map_get(m, i);

		if (k)
			list[nr++] = (struct readings_element){ k->made_ns, i };
		else
			*ret_empty = i;
	}
	qsort(list, nr, sizeof(*list), readings_by_time);
	return nr;
}

/* Which element the reading made at @now goes to. */
static u32 readings_choose(const struct lkst_session *s, const struct readings_element *list, u32 nr, u64 now)
{
	bool needed[LKST_READINGS_MAX] = {};
	u64 ns[LKST_READINGS_MAX];
	u32 i;

	for (i = 0; i < nr; i++)
		ns[i] = list[i].ns;
	readings_find_needed(s, ns, nr, needed);
	return list[lkst_readings_choose(ns, needed, nr, now)].index;
}

/* ---- keeping ------------------------------------------------------------------------- */

/* The kernel's counters and those of threads, read one after the other. */
struct readings_reading {
	struct lkst_counters counters;
	struct lkst_thread_counts threads;
	u64 made_ns;
};

static void reading_fini(struct readings_reading *r)
{
	lkst_counters_fini(&r->counters);
	lkst_thread_counts_fini(&r->threads);
}

/* If the threads cannot be read, the rest is kept anyway. */
static int read_now(const struct lkst_session *s, struct readings_reading *r)
{
	r->made_ns = lkst_monotonic_ns();
	if (lkst_thread_counts_read(NULL, s, &r->threads))
		lkst_thread_counts_fini(&r->threads);
	return lkst_counters_read(NULL, s, &r->counters);
}

static void store_threads(struct readings_kept *k, const struct lkst_thread_counts *c)
{
	u32 i;

	k->threads_from_ns = c->from_ns;
	k->threads_to_ns = c->to_ns;
	k->threads_changed_ns = c->changed_ns;
	k->threads_left_out = c->left_out;
	k->threads_recorded_to = c->recorded_to;
	/* A reading that was interrupted for seconds could not be compared anyway. */
	if (c->to_ns - c->from_ns > UINT32_MAX)
		return;
	k->nr_threads = c->nr;
	for (i = 0; i < c->nr; i++) {
		const struct lkst_thread_count *t = &c->list[i];

		k->thread[i] = (struct kept_thread){ t->switches, t->tid, t->start,
						     (u32)(t->from_ns - c->from_ns),
						     (u32)(t->to_ns - c->from_ns) };
	}
}

/* Values that have no room, because so many have come since the recording began, are left out. */
static void readings_store(const struct map *m, u32 index, const struct readings_reading *r)
{
	const struct lkst_counters *c = &r->counters;
	struct readings_kept *k = (struct readings_kept *)m->bytes;
	u32 i;

	memset(k, 0, size_for(m->room));
	k->made_ns = r->made_ns;
	k->nr = c->nr < m->room ? c->nr : m->room;
	store_threads(k, &r->threads);
	for (i = 0; i < k->nr; i++) {
		const struct lkst_counter_value *v = &c->list[i];

		k->time[v->kind].from_ns = v->from_ns;
		k->time[v->kind].to_ns = v->to_ns;
		k->value[i] = (struct kept_value){ v->value, v->kind, v->is_recorded, v->cpu,
						   v->number };
	}
	k->sum = sum_of(k);
	bpf_map_update_elem(m->fd, &index, k, BPF_ANY);
}

void lkst_readings_make(const struct lkst_session *s)
{
	_cleanup_(reading_fini) struct readings_reading r = {};
	_cleanup_(map_close) struct map m = { .fd = -1 };

	if (read_now(s, &r) || r.counters.nr > ROOM_MAX)
		return;
	if (map_use(bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_readings", sizeof(u32),
				   (u32)size_for(ROOM_MORE + 2 * r.counters.nr), LKST_READINGS_MAX,
				   NULL),
		    &m) &&
	    !lkst_pins_put(NULL, lkst_session_own_pins(s), m.fd, PIN))
		readings_store(&m, 0, &r);
}

/*
 * Keeps @r if it was made at least @apart_ns after the one before. If another process is keeping one, that one is
 * as good.
 */
static void readings_keep(const struct lkst_session *s, struct map *m, const struct readings_reading *r, u64 apart_ns)
{
	_cleanup_close_ int claim = lkst_pins_claim_readings(lkst_session_identity(s));
	struct readings_element list[LKST_READINGS_MAX];
	u32 nr, index = 0;

	if (claim < 0)
		return;
	nr = list_elements(m, list, &index);
	if (nr && r->made_ns - list[nr - 1].ns < apart_ns)
		return;
	if (nr == LKST_READINGS_MAX)
		index = readings_choose(s, list, nr, r->made_ns);
	readings_store(m, index, r);
}

void lkst_readings_keep(const struct lkst_session *s, u64 apart_ns)
{
	_cleanup_(reading_fini) struct readings_reading r = {};
	_cleanup_(map_close) struct map m = { .fd = -1 };
	struct readings_element list[LKST_READINGS_MAX];
	u32 nr, empty;

	if (!map_open(s, &m))
		return;
	nr = list_elements(&m, list, &empty);
	if ((!nr || lkst_monotonic_ns() - list[nr - 1].ns >= apart_ns) && !read_now(s, &r))
		readings_keep(s, &m, &r, apart_ns);
}

/* ---- getting ------------------------------------------------------------------------- */

static bool readings_is_same(const struct lkst_counter_value *a, const struct kept_value *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->number == b->number;
}

/* The value of @named for counter @k. They are in the same order, so it is usually the one at *@at. */
static const char *find_name(const struct lkst_counters *named, const struct kept_value *k, u32 *at)
{
	u32 i;

	if (*at < named->nr && readings_is_same(&named->list[*at], k))
		return named->list[(*at)++].name;
	for (i = 0; i < named->nr; i++)
		if (readings_is_same(&named->list[i], k)) {
			*at = i + 1;
			return named->list[i].name;
		}
	return "";
}

/* Adds what is kept in @k, with the names that @named has. */
static int restore(const struct readings_kept *k, const struct lkst_counters *named,
		   struct lkst_counters *ret_counters)
{
	u32 at = 0, i;
	int err = 0;

	for (i = 0; i < k->nr && !err; i++) {
		const struct kept_value *kept = &k->value[i];
		struct lkst_counter_value v = { .value = kept->value,
						.kind = kept->kind,
						.is_recorded = kept->is_recorded,
						.cpu = kept->cpu,
						.number = kept->number };

		if (kept->kind >= LKST_NR_COUNTERS)
			continue;
		v.from_ns = k->time[v.kind].from_ns;
		v.to_ns = k->time[v.kind].to_ns;
		snprintf(v.name, sizeof(v.name), "%s", find_name(named, kept, &at));
		err = lkst_counters_add(ret_counters, &v);
	}
	return err;
}

/* The same for threads. One that has ended since has no name any more. */
static int restore_threads(const struct readings_kept *k, const struct lkst_thread_counts *named,
			   struct lkst_thread_counts *ret_counts)
{
	struct lkst_thread_counts *c = ret_counts;
	u32 i;

	*c = (struct lkst_thread_counts){ .nr = k->nr_threads,
					  .left_out = k->threads_left_out,
					  .from_ns = k->threads_from_ns,
					  .to_ns = k->threads_to_ns,
					  .changed_ns = k->threads_changed_ns,
					  .recorded_to = k->threads_recorded_to };
	c->list = calloc(c->nr ?: 1, sizeof(*c->list));
	for (i = 0; c->list && i < c->nr; i++) {
		const struct kept_thread *t = &k->thread[i];
		const struct lkst_thread_count *now = lkst_thread_counts_find(named, t->tid);

		c->list[i] = (struct lkst_thread_count){ .switches = t->switches,
							 .from_ns = c->from_ns + t->from_ns,
							 .to_ns = c->from_ns + t->to_ns,
							 .tid = t->tid,
							 .start = t->start };
		if (now && now->start == t->start)
			memcpy(c->list[i].name, now->name, sizeof(now->name));
	}
	return c->list ? 0 : -ENOMEM;
}

void lkst_readings_take(const struct lkst_session *s, struct lkst_readings *ret_readings)
{
	struct lkst_readings *r = ret_readings;
	_cleanup_(reading_fini) struct readings_reading now = {};
	_cleanup_(map_close) struct map m = { .fd = -1 };
	struct readings_element list[LKST_READINGS_MAX];
	u32 nr, empty, i;

	*r = (struct lkst_readings){};
	if (!map_open(s, &m) || read_now(s, &now))
		return;
	nr = list_elements(&m, list, &empty);
	for (i = 0; i < nr; i++) {
		const struct readings_kept *k = map_get(&m, list[i].index);

		if (!k || k->made_ns >= now.made_ns)
			continue;
		/* An incomplete one has room at the end of the list, but there is none for another. */
		if (restore(k, &now.counters, &r->list[r->nr]) ||
		    restore_threads(k, &now.threads, &r->threads[r->nr]))
			return;
		r->nr++;
	}
	readings_keep(s, &m, &now, 0);
	r->list[r->nr] = now.counters;
	r->threads[r->nr++] = now.threads;
	now = (struct readings_reading){};
}

void lkst_readings_fini(struct lkst_readings *r)
{
	u32 i;

	/* All of them: one may be incomplete. */
	for (i = 0; i <= LKST_READINGS_MAX; i++) {
		lkst_counters_fini(&r->list[i]);
		lkst_thread_counts_fini(&r->threads[i]);
	}
}
