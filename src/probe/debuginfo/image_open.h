/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An image is the kernel, a module, a program or a library, with its symbols, its BTF and its DWARF, as far as it has
 * them. How one is opened; what is in it is in probe/debuginfo/image.h.
 *
 * No byte of an image is trusted: loops are bounded by the size of the file, nesting by constants.
 */
#ifndef LKST_PROBE_DEBUGINFO_IMAGE_OPEN_H
#define LKST_PROBE_DEBUGINFO_IMAGE_OPEN_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"

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

#endif
