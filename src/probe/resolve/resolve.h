/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What types and debug information say of a place: a probe as it was written (probe/text/probe.h) becomes one or
 * several that name only what the kernel's kprobe_events can name. An image is the kernel, a module, a program or
 * a library, with its symbols, its BTF and its DWARF, as far as there are any. Three things are found without debug
 * information: functions and offsets in them; by BTF the parameters of a kernel function at its entry, what it returns,
 * and members of any depth; and marks (USDT) of a program.
 *
 * No byte of an image is trusted: loops are bounded by the size of the file, nesting by constants.
 */
#ifndef LKST_PROBE_RESOLVE_RESOLVE_H
#define LKST_PROBE_RESOLVE_RESOLVE_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/notes.h"
#include "probe/text/probe.h"

enum {
	LKST_RESOLVED_MAX = 1024, /* probes that one definition may become */
};

struct lkst_image;

/* What to open. All zero is the running kernel. */
struct lkst_image_options {
	const char *module;  /* a module of the kernel: its name, or the file of it */
	const char *program; /* a program or library; then no kernel is opened */
	const char *
		debug_file; /* the kernel's vmlinux with debug information, or the program's; NULL: looked for */
	const char *
		btf_file; /* NULL: that of the running kernel, or in the debug file if that is of another */
	/* The module may have no types, no file, and may not be loaded: what is not known of it is taken as written. */
	bool may_come;
	const char *source_dir; /* put before the paths of sources; NULL: "" */
};

/*
 * Opens an image. Debug information is looked for by build-id below /usr/lib/debug, and by the names that
 * distributions use there; that there is none is no error. -ENOENT, -ENOEXEC, -ENOMEM; -ESTALE: the debug file that was
 * named is not the program's; -EINVAL: the BTF file that was named has none.
 */
int lkst_image_open(struct lkst_err *e, const struct lkst_image_options *o,
		    struct lkst_image **ret_image);
void lkst_image_close(struct lkst_image *image);
LKST_GUARD(lkst_image_close, struct lkst_image)

/* The build-id in hex, "" if there is none, as long as the image is open. */
const char *lkst_image_build_id(const struct lkst_image *image);

/*
 * Whether it is of another build than the kernel or module that runs here, so that its places cannot be set: the
 * build-ids differ, or the file has none. False for programs, and for a module that is not loaded.
 */
bool lkst_image_is_of_another_build(const struct lkst_image *image);

/* Whether there is DWARF: without it there are neither lines nor local variables. */
bool lkst_image_has_debug_info(struct lkst_image *image);

/* What a definition has become. */
struct lkst_resolved {
	u32 nr;
	struct lkst_probe *probes;
	struct lkst_notes notes; /* of places that were left out, and why */
};

/* Frees the probes, each by lkst_probe_fini(); takes an empty one. */
void lkst_resolved_fini(struct lkst_resolved *r);

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
