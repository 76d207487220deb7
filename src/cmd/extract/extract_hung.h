/* SPDX-License-Identifier: GPL-2.0-only */
/* What hung when the machine of a dump stopped: what most dumps are taken for. */
#ifndef LKST_CMD_EXTRACT_EXTRACT_HUNG_H
#define LKST_CMD_EXTRACT_EXTRACT_HUNG_H

#include "result/json_writer.h"

/* Prints what has not ended in trace @dir, as `lkst why --hung` does; nothing if nothing hangs. */
void lkst_extract_print_hung(const char *dir);

/* The same as the array "hung" of objects; empty if nothing hangs, not there if that is not known. */
void lkst_extract_put_hung(struct lkst_json *j, const char *dir);

#endif
