// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory: pages, kernel objects, kernel address space, and what happens when memory is short.
 */
#include "bpf/page.h"
#include "bpf/record.h"

SEC("tp_btf/mm_page_alloc")
int BPF_PROG(tp_btf__mm_page_alloc, struct page *page, unsigned int order, u32 gfp_flags,
	     int migratetype)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(mm_page_alloc);
	LKST_RECORD(mm_page_alloc, r);
	if (!r)
		return 0;
	LKST_PUT_PFN(r->pfn, page);
	r->gfp_flags = gfp_flags;
	r->order = order;
	r->migratetype = migratetype;
	LKST_COMMIT(mm_page_alloc);
	return 0;
}

SEC("tp_btf/mm_page_free")
int BPF_PROG(tp_btf__mm_page_free, struct page *page, unsigned int order)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(mm_page_free);
	LKST_RECORD(mm_page_free, r);
	if (!r)
		return 0;
	LKST_PUT_PFN(r->pfn, page);
	r->order = order;
	LKST_COMMIT(mm_page_free);
	return 0;
}

/*
 * The following four are of the untyped kind of program, for Linux 6.1 does not let a typed one
 * read an argument of type "const void *". So a cache's field is read by a helper. User space
 * attaches both kinds in the same way.
 */

SEC("raw_tp/kmalloc")
int BPF_PROG(tp_btf__kmalloc, u64 call_site, const void *ptr, u64 bytes_req, u64 bytes_alloc,
	     u32 gfp_flags)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(kmalloc);
	LKST_RECORD(kmalloc, r);
	if (!r)
		return 0;
	LKST_PUT64(r->call_site, call_site);
	LKST_PUT64(r->ptr, ptr);
	r->bytes_req = bytes_req;
	r->bytes_alloc = bytes_alloc;
	r->gfp_flags = gfp_flags;
	LKST_COMMIT(kmalloc);
	return 0;
}

SEC("raw_tp/kfree")
int BPF_PROG(tp_btf__kfree, u64 call_site, const void *ptr)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(kfree);
	LKST_RECORD(kfree, r);
	if (!r)
		return 0;
	LKST_PUT64(r->call_site, call_site);
	LKST_PUT64(r->ptr, ptr);
	LKST_COMMIT(kfree);
	return 0;
}

SEC("raw_tp/kmem_cache_alloc")
int BPF_PROG(tp_btf__kmem_cache_alloc, u64 call_site, const void *ptr, struct kmem_cache *cache)
{
	u32 bytes;

	if (!lkst_wants_current())
		return LKST_UNWANTED(kmem_cache_alloc);
	bytes = BPF_CORE_READ(cache, object_size);
	LKST_RECORD(kmem_cache_alloc, r);
	if (!r)
		return 0;
	LKST_PUT64(r->call_site, call_site);
	LKST_PUT64(r->ptr, ptr);
	LKST_PUT64(r->cache, cache);
	r->bytes = bytes;
	LKST_COMMIT(kmem_cache_alloc);
	return 0;
}

SEC("raw_tp/kmem_cache_free")
int BPF_PROG(tp_btf__kmem_cache_free, u64 call_site, const void *ptr, struct kmem_cache *cache)
{
	u32 bytes;

	if (!lkst_wants_current())
		return LKST_UNWANTED(kmem_cache_free);
	bytes = BPF_CORE_READ(cache, object_size);
	LKST_RECORD(kmem_cache_free, r);
	if (!r)
		return 0;
	LKST_PUT64(r->call_site, call_site);
	LKST_PUT64(r->ptr, ptr);
	r->bytes = bytes;
	LKST_COMMIT(kmem_cache_free);
	return 0;
}

SEC("tp_btf/alloc_vmap_area")
int BPF_PROG(tp_btf__alloc_vmap_area, u64 address, u64 bytes, u64 align, u64 from, u64 to,
	     int is_failed)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(alloc_vmap_area);
	LKST_RECORD(alloc_vmap_area, r);
	if (!r)
		return 0;
	LKST_PUT64(r->address, address);
	LKST_PUT64(r->bytes, bytes);
	r->is_failed = is_failed != 0;
	LKST_COMMIT(alloc_vmap_area);
	return 0;
}

SEC("tp_btf/free_vmap_area_noflush")
int BPF_PROG(tp_btf__free_vmap_area_noflush, u64 address, u64 nr_lazy)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(free_vmap_area_noflush);
	LKST_RECORD(free_vmap_area_noflush, r);
	if (!r)
		return 0;
	LKST_PUT64(r->address, address);
	r->nr_lazy = nr_lazy;
	LKST_COMMIT(free_vmap_area_noflush);
	return 0;
}

SEC("tp_btf/mm_vmscan_write_folio")
int BPF_PROG(tp_btf__mm_vmscan_write_folio, struct folio *folio)
{
	u64 mapping;

	if (!lkst_wants_current())
		return LKST_UNWANTED(mm_vmscan_write_folio);
	/* Bit 0 of the pointer: FOLIO_MAPPING_ANON, include/linux/page-flags.h. */
	mapping = (u64)BPF_CORE_READ(folio, mapping);
	LKST_RECORD(mm_vmscan_write_folio, r);
	if (!r)
		return 0;
	LKST_PUT_PFN(r->pfn, folio);
	r->is_anon = mapping & 1;
	LKST_COMMIT(mm_vmscan_write_folio);
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(tp_btf__mm_vmscan_direct_reclaim_begin, int order, u32 gfp_flags)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(mm_vmscan_direct_reclaim_begin);
	LKST_RECORD(mm_vmscan_direct_reclaim_begin, r);
	if (!r)
		return 0;
	r->gfp_flags = gfp_flags;
	r->order = order;
	LKST_COMMIT(mm_vmscan_direct_reclaim_begin);
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(tp_btf__mm_vmscan_direct_reclaim_end, u64 nr_reclaimed)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(mm_vmscan_direct_reclaim_end);
	LKST_RECORD(mm_vmscan_direct_reclaim_end, r);
	if (!r)
		return 0;
	r->nr_reclaimed = nr_reclaimed;
	LKST_COMMIT(mm_vmscan_direct_reclaim_end);
	return 0;
}

SEC("tp_btf/mark_victim")
int BPF_PROG(tp_btf__mark_victim, struct task_struct *task, u32 uid)
{
	if (!lkst_wants_current() && !lkst_wants(task))
		return LKST_UNWANTED(mark_victim);
	LKST_RECORD(mark_victim, r);
	if (!r)
		return 0;
	r->victim_pid = task->tgid;
	r->uid = uid;
	r->oom_score_adj = task->signal->oom_score_adj;
	lkst_copy_comm(r->comm, task);
	LKST_COMMIT(mark_victim);
	return 0;
}
