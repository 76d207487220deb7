/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory: how long allocating and releasing takes where a trace shows both begin and end (system
 * calls, page faults, reclaim); and for the kernel's allocators, whose events are single moments,
 * the sizes asked for and how long the memory lives, by who asked for it.
 */
#include <stdio.h>
#include <string.h>

#include "abi/fault.h"
#include "analyze/analyses/analysis.h"

enum tally {
	TALLY_TIME,
	/* Of memalloc. No sum over these makes sense: slabs and vmalloc take their memory from pages. */
	TALLY_SLAB,
	TALLY_PAGES,
	TALLY_VMALLOC,
	TALLY_LIFE = TALLY_SLAB, /* of memfree */
};

enum open {
	OPEN_TIME,
	OPEN_LIFE,
};

enum {
	/* Blocks of memory whose life is followed at a time: 32 bytes each, with room to spare. */
	LIVES_MAX = 1 << 20,
	PAGE_SHIFT = 12,
	ORDER_MAX = 51, /* so that sizes fit: a kernel's is 10 or so */
	ZERO_SIZE = 16, /* ZERO_SIZE_PTR, include/linux/slab.h: what kmalloc gives for 0 bytes */
};

/* What takes time, as keys. */
enum what {
	WHAT_FAULT_USER,
	WHAT_FAULT_KERNEL,
	WHAT_RECLAIM,
	WHAT_CGROUP_RECLAIM,
	WHAT_CALL, /* and the system call's row */
};

/* Who allocates, or what, in the upper byte of a key instead of the ff that kernel addresses begin with. */
enum {
	SITE_KMALLOC = 1,
	SITE_CACHE,
	SITE_PAGES,
	SITE_VMALLOC,
	SITE_SHIFT = 56,
};
#define SITE_ADDRESS (~0ULL >> 8)

static void put_time_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const names[] = {
		[WHAT_FAULT_USER] = "page_fault_user",
		[WHAT_FAULT_KERNEL] = "page_fault_kernel",
		[WHAT_RECLAIM] = "direct_reclaim",
		[WHAT_CGROUP_RECLAIM] = "cgroup_reclaim",
	};

	snprintf(text, LKST_KEY_TEXT, "%s",
		 key < WHAT_CALL ? names[key] : lkst_syscalls[key - WHAT_CALL].name);
}

static void put_site_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_analysis_state *w = ctx;
	unsigned int site = (unsigned int)(key >> SITE_SHIFT);

	if (site == SITE_VMALLOC)
		snprintf(text, LKST_KEY_TEXT, "vmalloc");
	else if (site == SITE_PAGES)
		snprintf(text, LKST_KEY_TEXT, "pages:order=%u", (unsigned int)(key & 0xff));
	else
		lkst_name_address(w->symbols, site == SITE_KMALLOC ? "kmalloc:" : "cache:",
				  key | ~SITE_ADDRESS, text);
}

static u64 site_key(unsigned int site, u64 address)
{
	return (u64)site << SITE_SHIFT | (address & SITE_ADDRESS);
}

/* A cache by its name, or where the trace does not have that, by who asks. */
static u64 cache_key(const struct lkst_analysis_state *w, const struct lkst_rec_kmem_cache_alloc *x)
{
	u64 ignored;
	bool is_named = lkst_symbols_find(w->symbols, x->cache, &ignored);

	return site_key(SITE_CACHE, is_named ? x->cache : x->call_site);
}

/* ---- what takes time ------------------------------------------------------------------------- */

static int memory_on_call(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_analysis_state *w = ctx;

	if (s->row < 0)
		return 0;
	/* A thread is in one system call, but may fault in it: the keys differ. */
	return lkst_analysis_open_nested(w, &w->pending[OPEN_TIME], lkst_analysis_thread_key(r) | 1ULL << 40, r,
				     (u16)(WHAT_CALL + s->row), false);
}

/* Ends what is open under @id; it is what @what says if its begin was not seen. */
static int memory_end_time(struct lkst_analysis_state *w, u64 id, u64 what, const struct lkst_record *r)
{
	struct lkst_pending_entry *entry =
		lkst_pending_find(&w->pending[OPEN_TIME], lkst_analysis_thread_key(r) | id << 40);

	if (!entry)
		return lkst_tally_leave_out(&w->tallies[TALLY_TIME], LKST_LEFT_OUT_NO_BEGIN, what,
					    r->tid, r->cpu);
	return lkst_analysis_close_nested(w, &w->tallies[TALLY_TIME], &w->pending[OPEN_TIME], entry,
				      lkst_analysis_what(entry), r);
}

static int memory_on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	return s->row < 0 ? 0 : memory_end_time(ctx, 1, WHAT_CALL + (u64)s->row, r);
}

/* The address that is not accessible may be bad: then handle_mm_fault() is not asked. */
static int memory_on_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_analysis_state *w = ctx;
	bool is_user = r->event->index == LKST_EV_page_fault_user;

	return lkst_analysis_open_nested(w, &w->pending[OPEN_TIME], lkst_analysis_thread_key(r) | 2ULL << 40, r,
				     is_user ? WHAT_FAULT_USER : WHAT_FAULT_KERNEL, false);
}

/* Without a begin it is not a fault of the CPU: the kernel has looked into a program's memory. */
static int on_fault_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_exit *x = record;
	struct lkst_analysis_state *w = ctx;

	if (x->result & LKST_FAULT_RETRY ||
	    !lkst_pending_find(&w->pending[OPEN_TIME], lkst_analysis_thread_key(r) | 2ULL << 40))
		return 0;
	return memory_end_time(w, 2, WHAT_FAULT_USER, r);
}

static int memory_on_reclaim(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open_nested(w, &w->pending[OPEN_TIME], lkst_analysis_thread_key(r) | 3ULL << 40, r,
				     WHAT_RECLAIM, false);
}

static int on_reclaim_end(void *ctx, const struct lkst_record *r, const void *record)
{
	return memory_end_time(ctx, 3, WHAT_RECLAIM, r);
}

static int on_cgroup_reclaim(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open_nested(w, &w->pending[OPEN_TIME], lkst_analysis_thread_key(r) | 4ULL << 40, r,
				     WHAT_CGROUP_RECLAIM, false);
}

static int on_cgroup_reclaim_end(void *ctx, const struct lkst_record *r, const void *record)
{
	return memory_end_time(ctx, 4, WHAT_CGROUP_RECLAIM, r);
}

/* Subscribes to the system calls @names, which end with NULL. 1 if there are any, or an error. */
static int want_calls(struct lkst_analysis_state *w, const char *const *names)
{
	int has = 0, got;

	for (; *names; names++) {
		got = lkst_feed_syscall(w->feed, *names, memory_on_call, memory_on_return, w);
		if (got < 0)
			return got;
		has |= got;
	}
	return has;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* @bytes of @key were asked for; @is_failed: in vain. */
static int add_size(struct lkst_analysis_state *w, enum tally tally, u64 key, u64 bytes, bool is_failed,
		    const struct lkst_record *r)
{
	struct lkst_tally *t = &w->tallies[tally];

	if (is_failed)
		return lkst_tally_leave_out(t, LKST_LEFT_OUT_FAILED, key, r->tid, r->cpu);
	return lkst_tally_add(t, key, bytes, r->ns, r->tid, r->cpu);
}

static u64 pages_size(u32 order)
{
	return 1ULL << (PAGE_SHIFT + (order < ORDER_MAX ? order : ORDER_MAX));
}

static int on_kmalloc_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmalloc *x = record;

	return add_size(ctx, TALLY_SLAB, site_key(SITE_KMALLOC, x->call_site), x->bytes_req,
			!x->ptr, r);
}

static int on_cache_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_alloc *x = record;

	return add_size(ctx, TALLY_SLAB, cache_key(ctx, x), x->bytes, !x->ptr, r);
}

static int on_pages_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;

	return add_size(ctx, TALLY_PAGES, site_key(SITE_PAGES, x->order), pages_size(x->order),
			x->pfn == LKST_HASH_NONE, r);
}

static int on_vmalloc_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_alloc_vmap_area *x = record;

	return add_size(ctx, TALLY_VMALLOC, site_key(SITE_VMALLOC, 0), x->bytes, x->is_failed, r);
}

static int begin_alloc(struct lkst_analysis_state *w)
{
	static const char *const calls[] = { "brk", "mmap", "mmap2", "mremap", NULL };
	int err = 0, got;
	bool has;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "memalloc",
						       .title = "Memory allocation time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_time_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "memalloc_slab",
						       .title = "Slab allocation sizes",
						       .type = LKST_COLUMN_BYTES,
						       .put_key = put_site_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "memalloc_pages",
						       .title = "Page allocation sizes",
						       .type = LKST_COLUMN_BYTES,
						       .put_key = put_site_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "memalloc_vmalloc",
						       .title = "Address ranges for vmalloc",
						       .type = LKST_COLUMN_BYTES,
						       .put_key = put_site_key });
	got = want_calls(w, calls);
	if (got < 0)
		return got;
	has = got;
	/* A fault is measured only where its end can be hooked. */
	if (lkst_analysis_want(w, LKST_EV_page_fault_exit, on_fault_end, &err)) {
		has |= lkst_analysis_want(w, LKST_EV_page_fault_user, memory_on_fault, &err);
		has |= lkst_analysis_want(w, LKST_EV_page_fault_kernel, memory_on_fault, &err);
	}
	has |= lkst_analysis_want(w, LKST_EV_mm_vmscan_direct_reclaim_begin, memory_on_reclaim, &err);
	lkst_analysis_want(w, LKST_EV_mm_vmscan_direct_reclaim_end, on_reclaim_end, &err);
	has |= lkst_analysis_want(w, LKST_EV_mm_vmscan_memcg_reclaim_begin, on_cgroup_reclaim, &err);
	lkst_analysis_want(w, LKST_EV_mm_vmscan_memcg_reclaim_end, on_cgroup_reclaim_end, &err);
	has |= lkst_analysis_want(w, LKST_EV_kmalloc, on_kmalloc_size, &err);
	has |= lkst_analysis_want(w, LKST_EV_kmem_cache_alloc, on_cache_size, &err);
	has |= lkst_analysis_want(w, LKST_EV_mm_page_alloc, on_pages_size, &err);
	has |= lkst_analysis_want(w, LKST_EV_alloc_vmap_area, on_vmalloc_size, &err);
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_memalloc = {
	.name = "memalloc",
	.heritage = "H05",
	.title = "Memory allocation",
	.help = "how long memory allocation takes where that shows, and the sizes asked for",
	.measures =
		"entry to exit of brk, mmap and mremap; page_fault_* to page_fault_exit; begin to end "
		"of direct reclaim and of that of a memory cgroup; each less what of these is within "
		"it; sizes by who asks, a table each for slabs (kmalloc, kmem_cache_alloc), pages "
		"(mm_page_alloc, users' and those under slabs too) and alloc_vmap_area",
	.events =
		"syscall_*_brk syscall_*_mmap syscall_*_mremap page_fault_* mm_vmscan_direct_* "
		"mm_vmscan_memcg_* kmalloc "
		"kmem_cache_alloc mm_page_alloc alloc_vmap_area",
	.size = sizeof(struct lkst_analysis_state),
	.begin = begin_alloc,
};

/* ---- life ------------------------------------------------------------------------------------ */

/* Page frame numbers and addresses share a table: addresses are those of the kernel, far above. */
static int memory_begin_life(struct lkst_analysis_state *w, u64 id, u64 key, bool is_failed,
			     const struct lkst_record *r)
{
	if (is_failed)
		return lkst_tally_leave_out(&w->tallies[TALLY_LIFE], LKST_LEFT_OUT_FAILED, key,
					    r->tid, r->cpu);
	return lkst_analysis_open(w, &w->pending[OPEN_LIFE], id, r, key, false);
}

static int memory_end_life(struct lkst_analysis_state *w, u64 id, const struct lkst_record *r)
{
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[OPEN_LIFE], id);

	if (!entry) {
		lkst_tally_leave_out_any(&w->tallies[TALLY_LIFE], LKST_LEFT_OUT_NO_BEGIN, r->tid,
					 r->cpu);
		return 0;
	}
	return lkst_analysis_close(w, &w->tallies[TALLY_LIFE], &w->pending[OPEN_LIFE], entry,
			       entry->value, r);
}

static int memory_on_kmalloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmalloc *x = record;

	if (x->ptr == ZERO_SIZE)
		return 0;
	return memory_begin_life(ctx, x->ptr, site_key(SITE_KMALLOC, x->call_site), !x->ptr, r);
}

static int memory_on_cache_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_alloc *x = record;

	return memory_begin_life(ctx, x->ptr, cache_key(ctx, x), !x->ptr, r);
}

static int memory_on_page_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;

	return memory_begin_life(ctx, x->pfn, site_key(SITE_PAGES, x->order), x->pfn == LKST_HASH_NONE, r);
}

static int memory_on_kfree(void *ctx, const struct lkst_record *r, const void *record)
{
	u64 ptr = ((const struct lkst_rec_kfree *)record)->ptr;

	/* To free nothing is allowed. */
	return ptr > ZERO_SIZE ? memory_end_life(ctx, ptr, r) : 0;
}

static int memory_on_cache_free(void *ctx, const struct lkst_record *r, const void *record)
{
	return memory_end_life(ctx, ((const struct lkst_rec_kmem_cache_free *)record)->ptr, r);
}

static int memory_on_page_free(void *ctx, const struct lkst_record *r, const void *record)
{
	return memory_end_life(ctx, ((const struct lkst_rec_mm_page_free *)record)->pfn, r);
}

static int begin_free(struct lkst_analysis_state *w)
{
	static const char *const calls[] = { "munmap", "madvise", NULL };
	int err = 0, got;
	bool has;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "memfree",
						       .title = "Memory release time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_time_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "memfree_life",
						       .title = "Life of memory blocks",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_site_key });
	w->pending[OPEN_LIFE].max = LIVES_MAX;
	w->tally_of[OPEN_LIFE] = TALLY_LIFE;
	got = want_calls(w, calls);
	if (got < 0)
		return got;
	has = got;
	has |= lkst_analysis_want(w, LKST_EV_kmalloc, memory_on_kmalloc, &err);
	has |= lkst_analysis_want(w, LKST_EV_kmem_cache_alloc, memory_on_cache_alloc, &err);
	has |= lkst_analysis_want(w, LKST_EV_mm_page_alloc, memory_on_page_alloc, &err);
	lkst_analysis_want(w, LKST_EV_kfree, memory_on_kfree, &err);
	lkst_analysis_want(w, LKST_EV_kmem_cache_free, memory_on_cache_free, &err);
	lkst_analysis_want(w, LKST_EV_mm_page_free, memory_on_page_free, &err);
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_memfree = {
	.name = "memfree",
	.heritage = "H06",
	.title = "Memory release",
	.help = "how long memory release takes where that shows, and how long memory lives",
	.measures = "entry to exit of munmap and madvise; from kmalloc, kmem_cache_alloc and "
		    "mm_page_alloc to their free, by who allocated",
	.events = "syscall_*_munmap syscall_*_madvise kmalloc kfree kmem_cache_* mm_page_*",
	.size = sizeof(struct lkst_analysis_state),
	.begin = begin_free,
};
