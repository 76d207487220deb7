/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel does for user space while recording goes on. */
#include "live/session/command.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>

#include "live/session/session.h"

int lkst_command_run(struct lkst_err *e, const struct lkst_session *s, enum lkst_command command,
		     const u64 args[LKST_COMMAND_ARGS], int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = args,
		    .ctx_size_in = LKST_COMMAND_ARGS * sizeof(u64));
	int fd = lkst_session_command_fd(s, command), err;

	if (fd < 0)
		return lkst_err_set(e, -ENOENT, "this kernel rejected the program %s",
				    lkst_command_programs[command]);
	if (cpu != LKST_COMMAND_ANY_CPU) {
		options.flags = BPF_F_TEST_RUN_ON_CPU;
		options.cpu = cpu;
	}
	err = bpf_prog_test_run_opts(fd, &options);
	return err ? lkst_err_sys(e, err, "running the program %s", lkst_command_programs[command])
		   : (int)options.retval;
}

int lkst_command_ask(const struct lkst_session *s, enum lkst_command command,
		     struct lkst_symbol_query *query)
{
	/* A program of this type changes its context in place (bpf_prog_test_run_syscall()). */
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = query, .ctx_size_in = sizeof(*query));
	int fd = lkst_session_command_fd(s, command), err;

	if (fd < 0)
		return -ENOENT;
	err = bpf_prog_test_run_opts(fd, &options);
	query->text[sizeof(query->text) - 1] = 0;
	return err;
}
