/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frame numbers. The kernel's page structures are one array, indexed by page frame number
 * (CONFIG_SPARSEMEM_VMEMMAP). Where it begins is random at each boot and shown nowhere, so user
 * space finds it out once, before hooks are attached (page.bpf.c).
 */
#ifndef LKST_BPF_PAGE_H
#define LKST_BPF_PAGE_H

#include "bpf/record.h"

/* The address of the page structure of page frame 0; 0: not known. */
extern u64 lkst_page_base;

/* The page frame number of the page structure at @address, all ones if there is none or unknown. */
static __always_inline u64 lkst_pfn(u64 address)
{
	u64 size = bpf_core_type_size(struct page), base = LKST_LOAD(lkst_page_base);

	if (!address || !base)
		return ~0ULL;
	/* The verifier knows the size, and only one of these stays. */
	return size == 64 ? (address - base) / 64 : (address - base) / size;
}

/*
 * Stores the page frame number of @page, a struct page or folio. The verifier lets no arithmetic
 * be done on a pointer to a kernel structure, but it may be stored, and what is loaded again is a
 * number.
 */
#define LKST_PUT_PFN(field, page)                                                                  \
	do {                                                                                       \
		LKST_PUT64(field, page);                                                           \
		LKST_PUT64(field, lkst_pfn(*(volatile u64 *)(void *)&(field)));                    \
	} while (0)

#endif
