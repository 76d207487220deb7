/* SPDX-License-Identifier: GPL-2.0-only */
/* Registering what libbpf calls before it loads a kind of programs. */
#include "live/programs/prog_handlers.h"

int lkst_prog_handler_register(const char *section, enum bpf_prog_type type,
			       enum bpf_attach_type attach,
			       const struct libbpf_prog_handler_opts *options)
{
	static int kept = -1;

	if (kept < 0)
		kept = libbpf_register_prog_handler("lkst_nothing", BPF_PROG_TYPE_KPROBE, 0, NULL);
	return kept < 0 ? kept : libbpf_register_prog_handler(section, type, attach, options);
}
