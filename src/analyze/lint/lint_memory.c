/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules about memory: timers and work that run after the memory that they lie in was freed (the case
 * that LKST's authors traced), and memory that is freed twice.
 *
 * A timer or work that is set is kept by the page that it lies in, so that a free finds what lies in
 * its range. Not every allocation and release has an event: objects that are freed in bulk or by RCU
 * in batches vanish unseen, and come back unseen from bulk allocation and from allocation that must
 * not wait. So a timer that is initialised or set again is a new one, whoever owns the memory. And a
 * second free counts only if the same thread does it at once, in code that otherwise frees what was
 * seen to be allocated, and if it is the only one in the trace: two would show that allocations are
 * not seen.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/lint/lint_pass.h"

enum {
	PAGE_SHIFT = 12,
	THINGS_MAX = 1 << 18, /* set at the same time; beyond, new ones are not tracked */
	OBJECTS_MAX = 1 << 20,
	SITES_MAX = 1 << 16,
	PAGES_WALKED = 64, /* a larger range is searched by going through all that is set */
	PROPER_MIN = 3,	   /* frees by a piece of code until it counts as known */
	AT_ONCE_NS = 1000000,
	NONE = UINT32_MAX,
};

enum thing_kind {
	THING_TIMER,
	THING_HRTIMER,
	THING_WORK,
};

/* A timer that is set, or work that is queued. */
struct thing {
	u64 address, object; /* object: the freed memory that it lay in */
	u32 before, next;    /* of the same page; next: of those that are free, too */
	u8 kind;
	bool is_freed;
	struct lkst_sight set, freed;
};

/* Memory from kmalloc() or a cache. */
struct object {
	u64 address;
	u32 bytes;
	bool is_freed;
	struct lkst_sight allocated, freed;
};

/* Code that frees. */
struct site {
	u64 code;
	u32 proper; /* frees of what was seen to be allocated */
	bool has_finding;
	struct lkst_finding finding;
};

struct memory {
	struct lkst_lint_pass *pass;
	struct thing *things;
	u32 nr_things, free_things;
	struct lkst_map by_thing; /* from address to thing */
	struct lkst_map by_page;  /* from page to the first thing in it */
	struct object *objects;
	u32 nr_objects;
	struct lkst_map by_object;
	struct site *sites;
	u32 nr_sites;
	u32 nr_odd; /* second frees, all over */
	struct lkst_map by_site;
};

/* ---- what is set -------------------------------------------------------------------- */

static struct thing *find_thing(const struct memory *m, u64 address)
{
	const u64 *i = lkst_map_find(&m->by_thing, address);

	return i ? &m->things[*i] : NULL;
}

static void remove_thing(struct memory *m, struct thing *t)
{
	u64 page = t->address >> PAGE_SHIFT;

	if (t->next != NONE)
		m->things[t->next].before = t->before;
	if (t->before != NONE)
		m->things[t->before].next = t->next;
	else if (t->next != NONE)
		*lkst_map_find(&m->by_page, page) = t->next;
	else
		lkst_map_remove(&m->by_page, page);
	lkst_map_remove(&m->by_thing, t->address);
	t->next = m->free_things;
	t->address = 0;
	m->free_things = (u32)(t - m->things);
}

static void forget_thing(struct memory *m, u64 address)
{
	struct thing *t = find_thing(m, address);

	if (t)
		remove_thing(m, t);
}

static int set_thing(struct memory *m, u8 kind, u64 address, const struct lkst_record *r)
{
	const u64 *first;
	struct thing *t;
	u32 i;

	forget_thing(m, address);
	if (address == LKST_HASH_NONE || (m->free_things == NONE && m->nr_things == THINGS_MAX))
		return 0;
	if (m->free_things != NONE) {
		i = m->free_things;
		m->free_things = m->things[i].next;
	} else {
		if (lkst_lint_room(&m->things, m->nr_things, sizeof(*m->things)))
			return -ENOMEM;
		i = m->nr_things++;
	}
	t = &m->things[i];
	first = lkst_map_find(&m->by_page, address >> PAGE_SHIFT);
	*t = (struct thing){ .address = address,
			     .before = NONE,
			     .next = first ? (u32)*first : NONE,
			     .kind = kind,
			     .set = lkst_sight_of(r) };
	if (first)
		m->things[*first].before = i;
	if (lkst_map_set(&m->by_page, address >> PAGE_SHIFT, i) ||
	    lkst_map_set(&m->by_thing, address, i))
		return -ENOMEM;
	return 0;
}

static void free_in_page(struct memory *m, u64 page, u64 address, u64 bytes,
			 const struct lkst_record *r)
{
	const u64 *first = lkst_map_find(&m->by_page, page);
	u32 i = first ? (u32)*first : NONE;

	for (; i != NONE; i = m->things[i].next) {
		struct thing *t = &m->things[i];

		if (t->is_freed || t->address < address || t->address - address >= bytes)
			continue;
		t->is_freed = true;
		t->object = address;
		t->freed = lkst_sight_of(r);
	}
}

/* Memory is freed: whatever is set in it must not run any more. */
static void lint_memory_free_range(struct memory *m, u64 address, u64 bytes, const struct lkst_record *r)
{
	u64 page = address >> PAGE_SHIFT, last = (address + (bytes ? bytes - 1 : 0)) >> PAGE_SHIFT;
	u32 i;

	if (last >= page && last - page < PAGES_WALKED) {
		for (; page <= last; page++)
			free_in_page(m, page, address, bytes, r);
		return;
	}
	for (i = 0; i < m->nr_things; i++)
		if (m->things[i].address && !m->things[i].is_freed &&
		    m->things[i].address - address < bytes) {
			m->things[i].is_freed = true;
			m->things[i].object = address;
			m->things[i].freed = lkst_sight_of(r);
		}
}

static bool is_after(const struct lkst_record *r, const struct lkst_sight *before)
{
	return r->cpu == before->cpu ? r->ns >= before->ns : r->ns > before->ns + LKST_LINT_SKEW_NS;
}

/* A timer or work runs, and is not set any more. */
static int run_thing(struct memory *m, u8 kind, u64 address, u64 function,
		     const struct lkst_record *r)
{
	static const char *const whats[] = { "a timer", "a high-resolution timer", "work" };
	struct thing *t = find_thing(m, address);
	struct lkst_finding f = { .rule = LKST_LINT_USE_AFTER_FREE, .nr_sights = 3 };
	bool is_found;

	if (!t || t->kind != kind)
		return 0;
	is_found = t->is_freed && is_after(r, &t->freed);
	f.what = whats[kind];
	f.object = address;
	f.code = function;
	f.sights[0] = t->set;
	f.sights[1] = t->freed;
	f.sights[2] = lkst_sight_of(r);
	remove_thing(m, t);
	return is_found ? lkst_lint_add(m->pass, &f) : 0;
}

/* ---- events of timers and work -------------------------------------------------------- */

static int on_timer_init(void *ctx, const struct lkst_record *r, const void *record)
{
	forget_thing(ctx, ((const struct lkst_rec_timer_init *)record)->timer);
	return 0;
}

static int on_timer_start(void *ctx, const struct lkst_record *r, const void *record)
{
	return set_thing(ctx, THING_TIMER, ((const struct lkst_rec_timer_start *)record)->timer, r);
}

/*
 * Not set any more. But the timer code takes an expired timer off its list with this very event before
 * it runs it, so one whose memory is freed is still waited for.
 */
static int on_timer_cancel(void *ctx, const struct lkst_record *r, const void *record)
{
	struct thing *t = find_thing(ctx, ((const struct lkst_rec_timer_cancel *)record)->timer);

	if (t && !t->is_freed)
		remove_thing(ctx, t);
	return 0;
}

static int on_timer_run(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_entry *t = record;

	return run_thing(ctx, THING_TIMER, t->timer, t->function, r);
}

static int on_hrtimer_init(void *ctx, const struct lkst_record *r, const void *record)
{
	forget_thing(ctx, ((const struct lkst_rec_hrtimer_init *)record)->hrtimer);
	return 0;
}

static int lint_memory_on_hrtimer_start(void *ctx, const struct lkst_record *r, const void *record)
{
	return set_thing(ctx, THING_HRTIMER,
			 ((const struct lkst_rec_hrtimer_start *)record)->hrtimer, r);
}

static int lint_memory_on_hrtimer_cancel(void *ctx, const struct lkst_record *r, const void *record)
{
	forget_thing(ctx, ((const struct lkst_rec_hrtimer_cancel *)record)->hrtimer);
	return 0;
}

static int on_hrtimer_run(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_entry *t = record;

	return run_thing(ctx, THING_HRTIMER, t->hrtimer, t->function, r);
}

static int on_work_queued(void *ctx, const struct lkst_record *r, const void *record)
{
	return set_thing(ctx, THING_WORK,
			 ((const struct lkst_rec_workqueue_queue_work *)record)->work, r);
}

static int on_work_run(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_workqueue_execute_start *w = record;

	return run_thing(ctx, THING_WORK, w->work, w->function, r);
}

/* ---- memory --------------------------------------------------------------------------- */

static struct object *find_object(const struct memory *m, u64 address)
{
	const u64 *i = lkst_map_find(&m->by_object, address);

	return i ? &m->objects[*i] : NULL;
}

static int allocate(struct memory *m, u64 address, u32 bytes, const struct lkst_record *r)
{
	struct object *o = find_object(m, address);

	if (!address || address == LKST_HASH_NONE)
		return 0;
	if (!o) {
		if (m->nr_objects == OBJECTS_MAX)
			return 0;
		if (lkst_lint_room(&m->objects, m->nr_objects, sizeof(*m->objects)) ||
		    lkst_map_set(&m->by_object, address, m->nr_objects))
			return -ENOMEM;
		o = &m->objects[m->nr_objects++];
	}
	*o = (struct object){ .address = address, .bytes = bytes, .allocated = lkst_sight_of(r) };
	return 0;
}

static struct site *lint_memory_site_of(struct memory *m, u64 code)
{
	const u64 *i = lkst_map_find(&m->by_site, code);

	if (i)
		return &m->sites[*i];
	if (m->nr_sites == SITES_MAX || lkst_lint_room(&m->sites, m->nr_sites, sizeof(*m->sites)) ||
	    lkst_map_set(&m->by_site, code, m->nr_sites))
		return NULL;
	m->sites[m->nr_sites] = (struct site){ .code = code };
	return &m->sites[m->nr_sites++];
}

/* Whether the code at @code frees what was seen to be allocated, and if not, what that was. */
static void lint_memory_judge(struct memory *m, const struct object *o, u64 code, const struct lkst_record *r)
{
	struct site *site = o ? lint_memory_site_of(m, code) : NULL;

	if (!site)
		return;
	if (!o->is_freed) {
		site->proper++;
		return;
	}
	m->nr_odd++;
	if (r->tid > 0 && r->tid == o->freed.tid && r->ns - o->freed.ns <= AT_ONCE_NS) {
		site->has_finding = true;
		site->finding = (struct lkst_finding){
			.rule = LKST_LINT_DOUBLE_FREE,
			.what = "memory",
			.object = o->address,
			.code = code,
			.sights = { o->allocated, o->freed, lkst_sight_of(r) },
			.nr_sights = 3,
		};
	}
}

/* @bytes: 0 if the event does not say. */
static void lint_memory_release(struct memory *m, u64 address, u32 bytes, const struct lkst_record *r)
{
	struct object *o = find_object(m, address);

	if (!bytes && o && !o->is_freed)
		bytes = o->bytes;
	/* Of memory whose size is not known, the first byte is surely in it. */
	lint_memory_free_range(m, address, bytes ? bytes : 1, r);
	if (o && !o->is_freed) {
		o->is_freed = true;
		o->freed = lkst_sight_of(r);
	}
}

static int lint_memory_on_kmalloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmalloc *k = record;

	return allocate(ctx, k->ptr, k->bytes_alloc, r);
}

static int lint_memory_on_cache_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_alloc *k = record;

	return allocate(ctx, k->ptr, k->bytes, r);
}

static int lint_memory_on_kfree(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kfree *k = record;

	if (!k->ptr)
		return 0;
	lint_memory_judge(ctx, find_object(ctx, k->ptr), k->call_site, r);
	lint_memory_release(ctx, k->ptr, 0, r);
	return 0;
}

/* Not judged: objects of caches are also allocated in bulk, which no event shows. */
static int lint_memory_on_cache_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_free *k = record;

	if (k->ptr)
		lint_memory_release(ctx, k->ptr, k->bytes, r);
	return 0;
}

/* ---- the group ------------------------------------------------------------------------ */

static void memory_gap(void *ctx)
{
	struct memory *m = ctx;

	lkst_map_clear(&m->by_thing);
	lkst_map_clear(&m->by_page);
	lkst_map_clear(&m->by_object);
	m->nr_things = m->nr_objects = 0;
	m->free_things = NONE;
}

static int memory_end(void *ctx)
{
	struct memory *m = ctx;
	u32 i;

	for (i = 0; i < m->nr_sites && m->nr_odd == 1; i++) {
		const struct site *s = &m->sites[i];

		if (s->has_finding && s->proper >= PROPER_MIN &&
		    m->pass->wants[LKST_LINT_DOUBLE_FREE] && lkst_lint_add(m->pass, &s->finding))
			return -ENOMEM;
	}
	return 0;
}

static void memory_free(void *ctx)
{
	struct memory *m = ctx;

	if (!m)
		return;
	lkst_map_fini(&m->by_thing);
	lkst_map_fini(&m->by_page);
	lkst_map_fini(&m->by_object);
	lkst_map_fini(&m->by_site);
	free(m->things);
	free(m->objects);
	free(m->sites);
	free(m);
}

static int lint_memory_subscribe(struct lkst_lint_pass *p, struct memory *m)
{
	static const struct {
		u16 index;
		bool is_of_things;
		lkst_feed_call *call;
	} wishes[] = {
		{ LKST_EV_kmalloc, false, lint_memory_on_kmalloc },
		{ LKST_EV_kmem_cache_alloc, false, lint_memory_on_cache_alloc },
		{ LKST_EV_kfree, false, lint_memory_on_kfree },
		{ LKST_EV_kmem_cache_free, false, lint_memory_on_cache_free },
		{ LKST_EV_timer_init, true, on_timer_init },
		{ LKST_EV_timer_start, true, on_timer_start },
		{ LKST_EV_timer_cancel, true, on_timer_cancel },
		{ LKST_EV_timer_expire_entry, true, on_timer_run },
		{ LKST_EV_hrtimer_init, true, on_hrtimer_init },
		{ LKST_EV_hrtimer_start, true, lint_memory_on_hrtimer_start },
		{ LKST_EV_hrtimer_cancel, true, lint_memory_on_hrtimer_cancel },
		{ LKST_EV_hrtimer_expire_entry, true, on_hrtimer_run },
		{ LKST_EV_workqueue_queue_work, true, on_work_queued },
		{ LKST_EV_workqueue_execute_start, true, on_work_run },
	};
	size_t i;
	int r = 0;

	for (i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && r >= 0; i++)
		if (!wishes[i].is_of_things || p->wants[LKST_LINT_USE_AFTER_FREE])
			r = lkst_feed_event(p->feed, wishes[i].index, wishes[i].call, m);
	return r;
}

static int memory_begin(struct lkst_lint_pass *p, void **ret_ctx)
{
	struct memory *m;

	if (!p->wants[LKST_LINT_USE_AFTER_FREE] && !p->wants[LKST_LINT_DOUBLE_FREE])
		return 0;
	if (!lkst_feed_has(p->feed, LKST_EV_kfree) &&
	    !lkst_feed_has(p->feed, LKST_EV_kmem_cache_free)) {
		lkst_notes_add(&p->lint->notes,
			       "rules about freed memory are not applied: the trace "
			       "has no events of freeing (kfree, kmem_cache_free)");
		return 0;
	}
	m = *ret_ctx = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->pass = p;
	m->free_things = NONE;
	m->by_thing.max = m->by_page.max = THINGS_MAX;
	m->by_object.max = OBJECTS_MAX;
	m->by_site.max = SITES_MAX;
	return lint_memory_subscribe(p, m);
}

const struct lkst_lint_group lkst_lint_memory = {
	.begin = memory_begin,
	.gap = memory_gap,
	.end = memory_end,
	.free = memory_free,
};
