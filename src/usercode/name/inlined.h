/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What debug information says of addresses of one image, for many of them: the functions that each is in, inlined
 * ones too, and the lines. Tables of units and functions are made when they are first needed.
 */
#ifndef LKST_USERCODE_NAME_INLINED_H
#define LKST_USERCODE_NAME_INLINED_H

#include "base/cleanup.h"
#include "probe/debuginfo/image_open.h"
#include "usercode/name/code_names.h"

struct lkst_inlined;

/* @image must stay. NULL: no memory, or the image has no debug information. */
struct lkst_inlined *lkst_inlined_new(struct lkst_image *image);
void lkst_inlined_free(struct lkst_inlined *i);
LKST_GUARD(lkst_inlined_free, struct lkst_inlined)

/*
 * The functions at @address of the ELF file, the innermost first, and where in the source. Returns how many there
 * are, 0: not known. Texts belong to the image.
 */
u32 lkst_inlined_find(struct lkst_inlined *i, u64 address,
		      struct lkst_code_frame frames[LKST_CODE_FRAMES_MAX]);

#endif
