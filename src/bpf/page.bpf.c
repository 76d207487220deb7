// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds where the kernel's array of page structures begins: run once by user space, before hooks
 * are attached. It is not a hook, and does not run while recording.
 *
 * A BPF ring buffer is memory that both sides know something about: the kernel keeps the page
 * structures of its pages, and user space, having mapped it, learns from /proc/self/pagemap which
 * page frames they are.
 */
#include "bpf/page.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bpf_ringbuf {
	struct page **pages;
	unsigned long consumer_pos;
};

struct bpf_ringbuf_map {
	struct bpf_ringbuf *rb;
};
#pragma clang attribute pop

u64 lkst_page_base SEC(".data.page");

/* Never written: only its first mapped page (at offset 0, that of consumer_pos) is of interest. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} lkst_page_sample SEC(".maps");

/* What user space passes: the page frame number of the first mapped page of lkst_page_sample. */
struct page_sample {
	u64 pfn;
};

/* Sets lkst_page_base. 0: done; 1: the kernel keeps its ring buffers another way. */
SEC("syscall")
int syscall__page_base(struct page_sample *ctx)
{
	struct bpf_ringbuf_map *map = (void *)&lkst_page_sample;
	u64 index = bpf_core_field_offset(struct bpf_ringbuf, consumer_pos) / 4096;
	struct page **pages = map->rb->pages;
	u64 page = 0, base;

	if (bpf_probe_read_kernel(&page, sizeof(page), &pages[index]) || !page)
		return 1;
	base = page - ctx->pfn * bpf_core_type_size(struct page);
	if (base % 4096)
		return 1;
	lkst_page_base = base;
	return 0;
}
