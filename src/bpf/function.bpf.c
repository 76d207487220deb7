// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the kernel has a function, by its name. User space runs this program (BPF_PROG_TEST_RUN) while a recording
 * starts: the kernel finds one in less than it takes to read /proc/kallsyms. Linux 5.16 (d6aef08a872b).
 *
 * Context: type "syscall", in the process that asks; may be preempted.
 */
#include "abi/types.h"

#include <bpf/bpf_helpers.h>

#include "abi/function.h"

struct lkst_function_query lkst_function SEC(".data.function");

SEC("syscall")
int function__find(void *ctx)
{
	u64 address = 0;

	bpf_kallsyms_lookup_name(lkst_function.name, sizeof(lkst_function.name), 0, &address);
	lkst_function.address = address;
	return 0;
}

char lkst_license[] SEC("license") = "GPL";
