/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory: what allocating and releasing takes where a trace shows both begin and end (system calls,
 * page faults, reclaim); and for the kernel's allocators, whose events are single moments, the sizes
 * asked for and how long the memory lives, by who asked for it.
 */
#include <stdio.h>
#include <string.h>

#include "analyze/analysis.h"

enum tally {
	TALLY_TIME,
	TALLY_SIZE,		 /* of memalloc */
	TALLY_LIFE = TALLY_SIZE, /* of memfree */
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
};

/* What takes time, as keys. */
enum what {
	WHAT_FAULT_USER,
	WHAT_FAULT_KERNEL,
	WHAT_RECLAIM,
	WHAT_CALL, /* and the system call's row */
};

/* Who allocates, in the upper byte of a key instead of the ff that kernel addresses begin with. */
enum {
	SITE_KMALLOC = 1,
	SITE_CACHE,
	SITE_PAGES,
	SITE_SHIFT = 56,
};
#define SITE_ADDRESS (~0ULL >> 8)

static void put_time_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const names[] = {
		[WHAT_FAULT_USER] = "page_fault_user",
		[WHAT_FAULT_KERNEL] = "page_fault_kernel",
		[WHAT_RECLAIM] = "direct_reclaim",
	};

	snprintf(text, LKST_KEY_TEXT, "%s",
		 key < WHAT_CALL ? names[key] : lkst_syscalls[key - WHAT_CALL].name);
}

static void put_site_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	unsigned int site = (unsigned int)(key >> SITE_SHIFT);

	if (site == SITE_PAGES)
		snprintf(text, LKST_KEY_TEXT, "pages:order=%u", (unsigned int)(key & 0xff));
	else
		snprintf(text, LKST_KEY_TEXT, "%s:0x%llx",
			 site == SITE_KMALLOC ? "kmalloc" : "cache",
			 (unsigned long long)(key | ~SITE_ADDRESS));
}

static u64 site_key(unsigned int site, u64 address)
{
	return (u64)site << SITE_SHIFT | (address & SITE_ADDRESS);
}

/* ---- what takes time ------------------------------------------------------------------------- */

static int on_call(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_work *w = ctx;

	if (s->row < 0)
		return 0;
	/* A thread is in one system call, but may fault in it: the keys differ. */
	return lkst_work_open(w, &w->opens[OPEN_TIME], lkst_work_thread(r) | 1ULL << 40, r,
			      WHAT_CALL + (u64)s->row, false);
}

static int end_time(struct lkst_work *w, u64 id, const struct lkst_record *r)
{
	struct lkst_open_entry *entry =
		lkst_open_find(&w->opens[OPEN_TIME], lkst_work_thread(r) | id << 40);

	if (!entry)
		return 0;
	return lkst_work_close(w, &w->tallies[TALLY_TIME], &w->opens[OPEN_TIME], entry,
			       entry->value, r);
}

static int on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	return end_time(ctx, 1, r);
}

/* The address that is not accessible may be bad: then handle_mm_fault() is not asked. */
static int on_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_work *w = ctx;
	bool is_user = r->event->index == LKST_EV_page_fault_user;

	return lkst_work_open(w, &w->opens[OPEN_TIME], lkst_work_thread(r) | 2ULL << 40, r,
			      is_user ? WHAT_FAULT_USER : WHAT_FAULT_KERNEL, false);
}

static int on_fault_end(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_time(ctx, 2, r);
}

static int on_reclaim(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_work *w = ctx;

	return lkst_work_open(w, &w->opens[OPEN_TIME], lkst_work_thread(r) | 3ULL << 40, r,
			      WHAT_RECLAIM, false);
}

static int on_reclaim_end(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_time(ctx, 3, r);
}

/* Subscribes to the system calls @names, which end with NULL. 1 if there are any, or an error. */
static int want_calls(struct lkst_work *w, const char *const *names)
{
	int has = 0, got;

	for (; *names; names++) {
		got = lkst_feed_syscall(w->feed, *names, on_call, on_return, w);
		if (got < 0)
			return got;
		has |= got;
	}
	return has;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int add_size(struct lkst_work *w, u64 key, u64 bytes, const struct lkst_record *r)
{
	return lkst_tally_add(&w->tallies[TALLY_SIZE], key, bytes, r->ns, r->tid, r->cpu);
}

static u64 pages_size(u32 order)
{
	return 1ULL << (PAGE_SHIFT + (order < ORDER_MAX ? order : ORDER_MAX));
}

static int on_kmalloc_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmalloc *x = record;

	return x->ptr ? add_size(ctx, site_key(SITE_KMALLOC, x->call_site), x->bytes_req, r) : 0;
}

static int on_cache_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_alloc *x = record;

	return x->ptr ? add_size(ctx, site_key(SITE_CACHE, x->call_site), x->bytes, r) : 0;
}

static int on_pages_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;

	if (x->pfn == LKST_OPEN_NONE)
		return 0;
	return add_size(ctx, site_key(SITE_PAGES, x->order), pages_size(x->order), r);
}

static int begin_alloc(struct lkst_work *w)
{
	static const char *const calls[] = { "brk", "mmap", "mmap2", "mremap", NULL };
	int err = 0, got;
	bool has;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "memalloc",
						       .title = "Memory allocation time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_time_key });
	lkst_work_tally(w, (struct lkst_tally_config){ .name = "memalloc_size",
						       .title = "Kernel memory allocation sizes",
						       .type = LKST_COLUMN_BYTES,
						       .put_key = put_site_key });
	got = want_calls(w, calls);
	if (got < 0)
		return got;
	has = got;
	/* A fault is measured only where its end can be hooked. */
	if (lkst_work_want(w, LKST_EV_page_fault_exit, on_fault_end, &err)) {
		has |= lkst_work_want(w, LKST_EV_page_fault_user, on_fault, &err);
		has |= lkst_work_want(w, LKST_EV_page_fault_kernel, on_fault, &err);
	}
	has |= lkst_work_want(w, LKST_EV_mm_vmscan_direct_reclaim_begin, on_reclaim, &err);
	lkst_work_want(w, LKST_EV_mm_vmscan_direct_reclaim_end, on_reclaim_end, &err);
	has |= lkst_work_want(w, LKST_EV_kmalloc, on_kmalloc_size, &err);
	has |= lkst_work_want(w, LKST_EV_kmem_cache_alloc, on_cache_size, &err);
	has |= lkst_work_want(w, LKST_EV_mm_page_alloc, on_pages_size, &err);
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_memalloc = {
	.name = "memalloc",
	.row = "H05",
	.title = "Memory allocation",
	.help = "how long memory allocation takes where that shows, and the sizes asked for",
	.measures =
		"entry to exit of brk, mmap and mremap; page_fault_* to page_fault_exit; begin to end "
		"of direct reclaim; sizes in kmalloc, kmem_cache_alloc and mm_page_alloc by who asks",
	.events =
		"syscall_*_brk syscall_*_mmap syscall_*_mremap page_fault_* mm_vmscan_direct_* kmalloc "
		"kmem_cache_alloc mm_page_alloc",
	.size = sizeof(struct lkst_work),
	.begin = begin_alloc,
};

/* ---- life ------------------------------------------------------------------------------------ */

/* Page frame numbers and addresses share a table: addresses are those of the kernel, far above. */
static int begin_life(struct lkst_work *w, u64 id, u64 key, const struct lkst_record *r)
{
	return lkst_work_open(w, &w->opens[OPEN_LIFE], id, r, key, false);
}

static int end_life(struct lkst_work *w, u64 id, const struct lkst_record *r)
{
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[OPEN_LIFE], id);

	if (!entry)
		return 0;
	return lkst_work_close(w, &w->tallies[TALLY_LIFE], &w->opens[OPEN_LIFE], entry,
			       entry->value, r);
}

static int on_kmalloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmalloc *x = record;

	return x->ptr ? begin_life(ctx, x->ptr, site_key(SITE_KMALLOC, x->call_site), r) : 0;
}

static int on_cache_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_alloc *x = record;

	return x->ptr ? begin_life(ctx, x->ptr, site_key(SITE_CACHE, x->call_site), r) : 0;
}

static int on_page_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;

	if (x->pfn == LKST_OPEN_NONE)
		return 0;
	return begin_life(ctx, x->pfn, site_key(SITE_PAGES, x->order), r);
}

static int on_kfree(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_life(ctx, ((const struct lkst_rec_kfree *)record)->ptr, r);
}

static int on_cache_free(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_life(ctx, ((const struct lkst_rec_kmem_cache_free *)record)->ptr, r);
}

static int on_page_free(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_life(ctx, ((const struct lkst_rec_mm_page_free *)record)->pfn, r);
}

/* Memory that lives on is the rule. */
static int end_free(struct lkst_work *w, struct lkst_tables *set)
{
	u32 nr = w->opens[OPEN_LIFE].nr;

	if (nr)
		lkst_notes_add(&w->notes, "%u blocks of kernel memory were not seen being freed.",
			       nr);
	lkst_open_fini(&w->opens[OPEN_LIFE]);
	return 0;
}

static int begin_free(struct lkst_work *w)
{
	static const char *const calls[] = { "munmap", "madvise", NULL };
	int err = 0, got;
	bool has;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "memfree",
						       .title = "Memory release time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_time_key });
	lkst_work_tally(w, (struct lkst_tally_config){ .name = "memfree_life",
						       .title = "Life of kernel memory",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_site_key });
	w->opens[OPEN_LIFE].max = LIVES_MAX;
	got = want_calls(w, calls);
	if (got < 0)
		return got;
	has = got;
	has |= lkst_work_want(w, LKST_EV_kmalloc, on_kmalloc, &err);
	has |= lkst_work_want(w, LKST_EV_kmem_cache_alloc, on_cache_alloc, &err);
	has |= lkst_work_want(w, LKST_EV_mm_page_alloc, on_page_alloc, &err);
	lkst_work_want(w, LKST_EV_kfree, on_kfree, &err);
	lkst_work_want(w, LKST_EV_kmem_cache_free, on_cache_free, &err);
	lkst_work_want(w, LKST_EV_mm_page_free, on_page_free, &err);
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_memfree = {
	.name = "memfree",
	.row = "H06",
	.title = "Memory release",
	.help = "how long memory release takes where that shows, and how long memory lives",
	.measures = "entry to exit of munmap and madvise; from kmalloc, kmem_cache_alloc and "
		    "mm_page_alloc to their free, by who allocated",
	.events = "syscall_*_munmap syscall_*_madvise kmalloc kfree kmem_cache_* mm_page_*",
	.size = sizeof(struct lkst_work),
	.begin = begin_free,
	.end = end_free,
};
