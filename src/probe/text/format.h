/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes as text. */
#ifndef LKST_PROBE_TEXT_FORMAT_H
#define LKST_PROBE_TEXT_FORMAT_H

#include "base/err.h"
#include "probe/text/probe.h"

/*
 * Writes @p as a line in kprobe_events' language, without the line's end: lkst_definition_parse() makes the same of
 * it. -EINVAL: its place, or a text in it, cannot be said in that language; -E2BIG: it is too long.
 */
int lkst_definition_format(struct lkst_err *e, const struct lkst_probe *p,
			   char text[LKST_PROBE_TEXT]);

/* Writes a place as perf probe's language says it: "vfs_read:4@fs/read_write.c". What does not fit is cut. */
void lkst_probe_place_format(const struct lkst_probe_place *place, char text[LKST_PROBE_TEXT]);

/*
 * Writes @p as perf probe lists it: "probe:vfs_read (on vfs_read:4@fs/read_write.c with file f_mode)". @on is the text
 * of its place. What does not fit is cut.
 */
void lkst_probe_list_format(const struct lkst_probe *p, const char *on, char text[LKST_PROBE_TEXT]);

#endif
