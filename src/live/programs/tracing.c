/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is done to each program of a tracepoint just before it is loaded, by a handler of that kind of programs
 * (libbpf_register_prog_handler()), which takes the place of libbpf's own.
 *
 * Lockdown: libbpf asks the kernel whether it has bpf_probe_read_kernel(). If it may not be used, libbpf
 * takes the kernel for one from before Linux 5.5 and also replaces bpf_probe_read_user() and
 * bpf_probe_read_user_str() by their predecessors, which are forbidden here and make the program
 * invalid (bpf_object__sanitize_prog() in libbpf.c). The code below puts them back, at the only
 * moment after that.
 */
#include "live/programs/tracing.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/programs/prog_handlers.h"

#define SECTION "tp_btf/"

struct lkst_tracing {
	const struct lkst_kernel *kernel;
	struct lkst_kernel *own_kernel; /* to be closed, or NULL */
	bool is_locked_down;
	int handler;
};

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

static int tracing_prepare(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	const struct lkst_tracing *t = (const struct lkst_tracing *)cookie;
	const char *tracepoint = bpf_program__section_name(program) + strlen(SECTION);
	int id = lkst_kernel_find_tracepoint(t->kernel, tracepoint);

	if (id < 0)
		return id;
	options->attach_btf_id = id;
	return t->is_locked_down ? restore_helpers(program) : 0;
}

int lkst_tracing_begin(struct lkst_err *e, const struct lkst_kernel *kernel,
		       struct lkst_tracing **ret_tracing)
{
	_cleanup_(lkst_tracing_endp) struct lkst_tracing *t = calloc(1, sizeof(*t));
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .cookie = (long)t,
		    .prog_prepare_load_fn = tracing_prepare);
	int err;

	if (!t)
		return lkst_err_sys(e, -ENOMEM, "preparing the kernel programs");
	t->handler = -1;
	t->kernel = kernel;
	t->is_locked_down = !lkst_kernel_lets_read_memory();
	if (!kernel) {
		err = lkst_kernel_open(e, NULL, &t->own_kernel);
		if (err)
			return err;
		t->kernel = t->own_kernel;
	}
	t->handler = lkst_prog_handler_register(SECTION, BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
						&options);
	if (t->handler < 0)
		return lkst_err_sys(e, t->handler, "preparing the kernel programs");
	*ret_tracing = lkst_take(t);
	return 0;
}

void lkst_tracing_end(struct lkst_tracing *t)
{
	if (!t)
		return;
	if (t->handler >= 0)
		libbpf_unregister_prog_handler(t->handler);
	lkst_kernel_close(t->own_kernel);
	free(t);
}
