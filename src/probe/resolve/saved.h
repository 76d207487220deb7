/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolved probes as a file, to be set later or on another machine that has no debug information: lines of
 * kprobe_events, under a line that says for which kernel or program they are right.
 *
 *	build-id: 5b2f... [PATH]
 *	p:probe/vfs_read_L4 vfs_read+18 file=%bx:x64
 *
 * A file may have several such parts. PATH is that of a program or library, or the name of a module; the kernel's
 * line has none.
 */
#ifndef LKST_PROBE_RESOLVE_SAVED_H
#define LKST_PROBE_RESOLVE_SAVED_H

#include "probe/debuginfo/image_open.h"
#include "probe/text/definition.h"

enum { LKST_SAVED_MAX = 16 << 20 }; /* bytes of such a file */

/*
 * The line, without its end, that begins a part of probes of @image; the caller frees *@ret_line. -EINVAL: the image
 * has no build-id; -ENOMEM.
 */
int lkst_saved_head(struct lkst_err *e, const struct lkst_image *image, char **ret_line);

/*
 * Writes the part of @image with the @nr @probes; the caller frees *@ret_text. -EINVAL: the image has no build-id, or a
 * probe cannot be written; -ENOMEM.
 */
int lkst_saved_format(struct lkst_err *e, const struct lkst_image *image,
		      const struct lkst_probe *probes, u32 nr, char **ret_text);

/*
 * Reads the probes for a build-id out of the @length bytes of @text, which are of file @name. @path is the program's,
 * or the module's name, NULL for the kernel; it is for the error if its part has another build-id. -ESTALE: so it is,
 * and both are named; -ENOENT: there is no such part; -EINVAL: a line is wrong; -ENOMEM.
 */
int lkst_saved_parse(struct lkst_err *e, const char *name, const char *text, size_t length,
		     const char *build_id, const char *path, struct lkst_definitions *ret);

#endif
