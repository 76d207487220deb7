/* SPDX-License-Identifier: GPL-2.0-only */
/* What names the places of one binary: its file on this machine, or the list that a JIT compiler has written. */
#ifndef LKST_USERCODE_NAME_BINARY_FILE_H
#define LKST_USERCODE_NAME_BINARY_FILE_H

#include "usercode/name/code_names.h"

struct lkst_binary_file;

/*
 * Finds and opens the file of @b. -ENOENT: there is none, or one of another build, which the text says, without a
 * path before it; -ENOMEM.
 */
int lkst_binary_file_open(struct lkst_err *e, const struct lkst_code_names_options *o,
			  const struct lkst_binary *b, struct lkst_binary_file **ret_file);
void lkst_binary_file_close(struct lkst_binary_file *f);
LKST_GUARD(lkst_binary_file_close, struct lkst_binary_file)

/* Names byte @offset; texts belong to the file. @ret_name is all zero before, but for its frames. */
void lkst_binary_file_name(struct lkst_binary_file *f, u64 offset, struct lkst_code_name *ret_name);

#endif
