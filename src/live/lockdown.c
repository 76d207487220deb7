/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading programs into a kernel that is locked down (lockdown=confidentiality).
 *
 * libbpf asks the kernel whether it has bpf_probe_read_kernel(). If it may not be used, libbpf
 * takes the kernel for one from before Linux 5.5 and replaces also bpf_probe_read_user() and
 * bpf_probe_read_user_str() by their predecessors, which are forbidden here and make the program
 * invalid (bpf_object__sanitize_prog() in libbpf.c). What follows puts them back, at the only
 * moment after that: a handler of a kind of programs is called before each of them is loaded.
 */
#include "live/lockdown.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define SECTION "tp_btf/"

/* The helper that libbpf had found in place of @helper; programs that read the kernel are left out. */
static int original_helper(int helper)
{
	switch (helper) {
	case BPF_FUNC_probe_read:
		return BPF_FUNC_probe_read_user;
	case BPF_FUNC_probe_read_str:
		return BPF_FUNC_probe_read_user_str;
	default:
		return helper;
	}
}

static int restore_helpers(struct bpf_program *program)
{
	size_t nr = bpf_program__insn_cnt(program), i;
	_cleanup_free_ struct bpf_insn *insns = malloc(nr * sizeof(*insns));

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), nr * sizeof(*insns));
	for (i = 0; i < nr; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg)
			insns[i].imm = original_helper(insns[i].imm);
	return bpf_program__set_insns(program, insns, nr);
}

/* Before a program is loaded: also what libbpf's own handler of these programs does. */
static int prepare(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	const char *tracepoint = bpf_program__section_name(program) + strlen(SECTION);
	int id = libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP);

	(void)cookie;
	if (id < 0)
		return id;
	options->attach_btf_id = id;
	return restore_helpers(program);
}

static int attach(const struct bpf_program *program, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(program);
	return *link ? 0 : -errno;
}

int lkst_lockdown_keep_user_reads(struct lkst_err *e)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .prog_prepare_load_fn = prepare,
		    .prog_attach_fn = attach);
	int id = libbpf_register_prog_handler(SECTION, BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
					      &options);

	return id < 0 ? lkst_err_sys(e, id, "preparing the kernel programs") : 0;
}
