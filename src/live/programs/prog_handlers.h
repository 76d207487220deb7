/* SPDX-License-Identifier: GPL-2.0-only */
/* Registering what libbpf calls before it loads a kind of programs, in a way that can be repeated. */
#ifndef LKST_LIVE_PROGRAMS_PROG_HANDLERS_H
#define LKST_LIVE_PROGRAMS_PROG_HANDLERS_H

#include <bpf/libbpf.h>

/*
 * As libbpf_register_prog_handler(); libbpf_unregister_prog_handler() ends it. Up to libbpf 1.2, when the last
 * handler is removed, its list is freed and still used by the next one. So one stays that is for no program.
 */
int lkst_prog_handler_register(const char *section, enum bpf_prog_type type,
			       enum bpf_attach_type attach,
			       const struct libbpf_prog_handler_opts *options);

#endif
