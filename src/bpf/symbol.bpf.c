// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel calls what lies at an address. User space runs these programs (BPF_PROG_TEST_RUN) for the
 * addresses that a trace has, which are few: the kernel finds one in a microsecond, where reading
 * /proc/kallsyms takes tens of milliseconds, and seconds in an emulator. They are attached to nothing.
 *
 * Context: type "syscall", in the process that asks; may be preempted. They write no records.
 */
#include "abi/symbol.h"
#include "bpf/record.h"

enum { ANSWER_WORDS = LKST_SYMBOL_ANSWER / 8 };

/* The verifier wants every store to a context at a constant place. */
static __always_inline void answer(struct lkst_symbol_query *query, const u64 words[ANSWER_WORDS])
{
	u64 *to = (u64 *)query->text;
	unsigned int i;

#pragma unroll
	for (i = 0; i < ANSWER_WORDS; i++)
		LKST_STORE(to[i], words[i]);
}

/* A function or a variable, as "%pS" prints it: an address that has no name as a number. */
SEC("syscall")
int syscall__symbol(struct lkst_symbol_query *query)
{
	static const char format[] = "%pS";
	u64 words[ANSWER_WORDS] = {}, address = query->address;

	bpf_snprintf((char *)words, sizeof(words), format, &address, sizeof(address));
	answer(query, words);
	return 0;
}

/*
 * A slab cache. The memory may have been reused by now, so the list that all caches are in proves that it still is
 * one: the next cache must point back to it.
 */
SEC("syscall")
int syscall__cache_name(struct lkst_symbol_query *query)
{
	struct kmem_cache *cache = (void *)query->address;
	u64 words[ANSWER_WORDS] = {};
	struct list_head *next = BPF_CORE_READ(cache, list.next);

	if (next && BPF_CORE_READ(next, prev) == &cache->list)
		bpf_probe_read_kernel_str(words, sizeof(words), BPF_CORE_READ(cache, name));
	answer(query, words);
	return 0;
}
