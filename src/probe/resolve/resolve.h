/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What types and debug information say of a place: a probe as it was written (probe/text/probe.h) becomes one or
 * several that name only what the kernel's kprobe_events can name. Three things are found without debug information:
 * functions and offsets in them; by BTF the parameters of a kernel function at its entry, what it returns, and members
 * of any depth; and marks (USDT) of a program.
 */
#ifndef LKST_PROBE_RESOLVE_RESOLVE_H
#define LKST_PROBE_RESOLVE_RESOLVE_H

#include "base/err.h"
#include "probe/resolve/resolved.h"
#include "probe/text/probe.h"

struct lkst_image;

/*
 * Resolves the probe @written in @image. The probes in @ret_resolved, which is overwritten, have no node and no place
 * that only perf probe's language has. Their arguments have names and types, their events the name that was given, or
 * the function's, and "_1", "_2" at the end of all but the first. In a program, the place is a byte of
 * the file, with `symbol` for people, and LKST_FETCH_AT_FILE is what uprobes make of "@+OFFS": an address as far from
 * the probed instruction's as OFFS is from its byte in the file. By debug information, `source` and `line` say where
 * a place is, for people: the line is counted from the function's beginning.
 *
 * Of several places, those at which a variable cannot be fetched are left out, with a note; if it is all of them, the
 * reason of the first is the error.
 *
 * -ENOENT: there is no such function, line, variable, member or mark, or the variable does not exist there, and the
 * text says where it does; -EILSEQ: within an instruction; -EOPNOTSUPP: nothing in kprobe_events stands for
 * it; -E2BIG: too many places; -ENODATA: this takes debug information, and there is none; -EBADMSG: that is damaged;
 * -EINVAL; -ENOMEM.
 */
int lkst_probe_resolve(struct lkst_err *e, struct lkst_image *image,
		       const struct lkst_probe *written, struct lkst_resolved *ret_resolved);

#endif
