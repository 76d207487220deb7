// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory: pages, kernel objects, kernel address space, and what happens when memory is short.
 */
#include "bpf/cgroup.h"
#include "bpf/page.h"
#include "bpf/record.h"

LKST_TP(mm_page_alloc, struct page *page, unsigned int order, u32 gfp_flags, int migratetype)
{
	lkst_recording_if(mm_page_alloc, r, lkst_wants_current()) {
		LKST_PUT_PFN(r->pfn, page);
		r->gfp_flags = gfp_flags;
		r->order = order;
		r->migratetype = migratetype;
	}
	return 0;
}

LKST_TP(mm_page_free, struct page *page, unsigned int order)
{
	lkst_recording_if(mm_page_free, r, lkst_wants_current()) {
		LKST_PUT_PFN(r->pfn, page);
		r->order = order;
	}
	return 0;
}

/*
 * The following four programs are of the untyped kind, because Linux 6.1 does not let a typed one
 * read an argument of type "const void *". So a cache's field is read by a helper. User space
 * attaches both kinds in the same way.
 */

LKST_RAW_TP(kmalloc, u64 call_site, const void *ptr, u64 bytes_req, u64 bytes_alloc, u32 gfp_flags)
{
	lkst_recording_if(kmalloc, r, lkst_wants_current()) {
		LKST_PUT64(r->call_site, call_site);
		LKST_PUT64(r->ptr, ptr);
		r->bytes_req = bytes_req;
		r->bytes_alloc = bytes_alloc;
		r->gfp_flags = gfp_flags;
	}
	return 0;
}

LKST_RAW_TP(kfree, u64 call_site, const void *ptr)
{
	lkst_recording_if(kfree, r, lkst_wants_current()) {
		LKST_PUT64(r->call_site, call_site);
		LKST_PUT64(r->ptr, ptr);
	}
	return 0;
}

LKST_RAW_TP(kmem_cache_alloc, u64 call_site, const void *ptr, struct kmem_cache *cache)
{
	u32 bytes;

	if (!lkst_wants_current())
		return LKST_UNWANTED(kmem_cache_alloc);
	bytes = BPF_CORE_READ(cache, object_size);
	lkst_recording(kmem_cache_alloc, r) {
		LKST_PUT64(r->call_site, call_site);
		LKST_PUT64(r->ptr, ptr);
		LKST_PUT64(r->cache, cache);
		r->bytes = bytes;
	}
	return 0;
}

LKST_RAW_TP(kmem_cache_free, u64 call_site, const void *ptr, struct kmem_cache *cache)
{
	u32 bytes;

	if (!lkst_wants_current())
		return LKST_UNWANTED(kmem_cache_free);
	bytes = BPF_CORE_READ(cache, object_size);
	lkst_recording(kmem_cache_free, r) {
		LKST_PUT64(r->call_site, call_site);
		LKST_PUT64(r->ptr, ptr);
		r->bytes = bytes;
	}
	return 0;
}

LKST_TP(alloc_vmap_area, u64 address, u64 bytes, u64 align, u64 from, u64 to, int is_failed)
{
	lkst_recording_if(alloc_vmap_area, r, lkst_wants_current()) {
		LKST_PUT64(r->address, address);
		LKST_PUT64(r->bytes, bytes);
		r->is_failed = is_failed != 0;
	}
	return 0;
}

LKST_TP(free_vmap_area_noflush, u64 address, u64 nr_lazy)
{
	lkst_recording_if(free_vmap_area_noflush, r, lkst_wants_current()) {
		LKST_PUT64(r->address, address);
		r->nr_lazy = nr_lazy;
	}
	return 0;
}

LKST_TP(mm_vmscan_write_folio, struct folio *folio)
{
	u64 mapping;

	if (!lkst_wants_current())
		return LKST_UNWANTED(mm_vmscan_write_folio);
	/* Bit 0 of the pointer: FOLIO_MAPPING_ANON, include/linux/page-flags.h. */
	mapping = (u64)BPF_CORE_READ(folio, mapping);
	lkst_recording(mm_vmscan_write_folio, r) {
		LKST_PUT_PFN(r->pfn, folio);
		r->is_anon = mapping & 1;
	}
	return 0;
}

static __always_inline int direct_reclaim_begins(int order, u32 gfp_flags)
{
	lkst_recording_if(mm_vmscan_direct_reclaim_begin, r, lkst_wants_current()) {
		r->gfp_flags = gfp_flags;
		r->order = order;
	}
	return 0;
}

LKST_TP(mm_vmscan_direct_reclaim_begin, int order, u32 gfp_flags)
{
	return direct_reclaim_begins(order, gfp_flags);
}

/* Later kernels have the two the other way round. */
SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(tp_too__mm_vmscan_direct_reclaim_begin, u32 gfp_flags, int order)
{
	return direct_reclaim_begins(order, gfp_flags);
}

LKST_TP(mm_vmscan_direct_reclaim_end, u64 nr_reclaimed)
{
	lkst_recording_if(mm_vmscan_direct_reclaim_end, r, lkst_wants_current())
		r->nr_reclaimed = nr_reclaimed;
	return 0;
}

/*
 * The thread's memory cgroup, if it is of the hierarchy of which the recording knows the names. On version 2 it is the
 * nearest that the controller is enabled for.
 */
static __always_inline u64 memory_cgroup(struct task_struct *task)
{
	struct cgroup_subsys_state **subsys;
	struct cgroup *cgroup;

	if (!lkst_cfg.cgroup_of || !bpf_core_field_exists(task->cgroups) ||
	    !bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		return 0;
	subsys = (void *)task->cgroups->subsys;
	/* The place is a constant when this is verified. */
	cgroup = subsys[bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id)]->cgroup;
	return lkst_cgroup_is_known(cgroup) ? cgroup->kn->id : 0;
}

static __always_inline int cgroup_reclaim_begins(int order, u32 gfp_flags)
{
	lkst_recording_if(mm_vmscan_memcg_reclaim_begin, r, lkst_wants_current()) {
		r->gfp_flags = gfp_flags;
		r->order = order;
		LKST_PUT64(r->cgroup, memory_cgroup(bpf_get_current_task_btf()));
	}
	return 0;
}

LKST_TP(mm_vmscan_memcg_reclaim_begin, int order, u32 gfp_flags)
{
	return cgroup_reclaim_begins(order, gfp_flags);
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int BPF_PROG(tp_too__mm_vmscan_memcg_reclaim_begin, u32 gfp_flags, int order)
{
	return cgroup_reclaim_begins(order, gfp_flags);
}

LKST_TP(mm_vmscan_memcg_reclaim_end, u64 nr_reclaimed)
{
	lkst_recording_if(mm_vmscan_memcg_reclaim_end, r, lkst_wants_current())
		r->nr_reclaimed = nr_reclaimed;
	return 0;
}

LKST_TP(mark_victim, struct task_struct *task, u32 uid)
{
	lkst_recording_if(mark_victim, r, lkst_wants_current() || lkst_wants(task)) {
		r->victim_pid = task->tgid;
		r->uid = uid;
		r->oom_score_adj = task->signal->oom_score_adj;
		lkst_copy_comm(r->comm, task);
	}
	return 0;
}
