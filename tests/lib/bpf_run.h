/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs instructions of BPF without a kernel: what a fetch() of src/probe/code/compile.h may contain. The memory that
 * helpers read is a few areas, of the kernel's or the program's; the rest of both can't be read.
 */
#ifndef LKST_TESTS_BPF_RUN_H
#define LKST_TESTS_BPF_RUN_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"

enum { BPF_RUN_AREAS = 16, BPF_RUN_FRAMES = 4 };

struct bpf_run {
	const struct bpf_insn *insns;
	u32 nr;
	void *ctx; /* what loads may read */
	size_t ctx_size;
	void *to; /* what loads and stores may touch: from `before` bytes before it on */
	size_t to_size, before;
	struct {
		u64 address;
		const void *bytes;
		size_t size;
		bool is_user;
	} areas[BPF_RUN_AREAS];
	const char *comm;
	u64 pid_tgid;
	u32 cpu;
	u64 func; /* where the function begins that was hit */
	u64 frames[BPF_RUN_FRAMES]; /* of the stack */
	u32 nr_frames;
	/* What came of it. */
	const char *error; /* NULL: none; what is not allowed, or not known here */
	u64 result;
	u32 executed, calls;
};

/* Sets the last four; false: there is an error. */
bool bpf_run(struct bpf_run *run);

#endif
