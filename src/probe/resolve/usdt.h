/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks (USDT, <sys/sdt.h>) of a program: notes in .note.stapsdt that say where a mark is, where its
 * arguments are, and which counter makes the program prepare them. The format is on SystemTap's page
 * "UserSpaceProbeImplementation".
 */
#ifndef LKST_PROBE_RESOLVE_USDT_H
#define LKST_PROBE_RESOLVE_USDT_H

#include "probe/debuginfo/elf_note.h"
#include "probe/resolve/pool.h"
#include "probe/text/probe.h"

enum { LKST_USDT_ARGS_MAX = 12 };

/* A mark as its note says it; texts point into the note, and end with a NUL. */
struct lkst_usdt_note {
	u64 address, base, semaphore; /* of the ELF file as it was linked; semaphore 0: none */
	const char *provider, *name, *arguments;
};

/* Reads the mark of @note. False: it is none that is whole. */
bool lkst_usdt_read(const struct lkst_elf_note *note, struct lkst_usdt_note *ret_mark);

struct lkst_usdt_args {
	u32 nr;
	struct {
		struct lkst_fetch *fetch; /* of the pool; NULL: no probe can fetch it */
		struct lkst_fetch_type type;
	} list[LKST_USDT_ARGS_MAX];
};

/*
 * Parses the arguments of a mark, "-4@%edi 8@-16(%rbp)", which are operands of @machine's assembler. An operand that is
 * not known has no node. -ENOMEM.
 */
int lkst_usdt_arguments(const char *text, int machine, struct lkst_pool *pool,
			struct lkst_usdt_args *ret_args);

struct lkst_resolver;

/* Resolves a definition of a mark: it may be at several places. The errors are those of lkst_probe_resolve(). */
int lkst_resolve_usdt(struct lkst_resolver *r);

#endif
