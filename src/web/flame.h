/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a stretch of time, for the page's flame graph. */
#ifndef LKST_WEB_FLAME_H
#define LKST_WEB_FLAME_H

#include "web/module.h"

/*
 * Reads the samples between two times, in nanoseconds after the trace's beginning, and prints as JSON: {"samples",
 * "without_stack", "left_out": numbers; "names": [text]; "user": [the numbers of those that are a program's];
 * "threads": [{"tid", "comm"}]; "paths": [[ns, thread, name, name ...]], the innermost name first}. 0, or a
 * negative errno and a sentence on standard error: -ENODATA: it has no samples.
 */
int lkst_web_samples(double from_ns, double to_ns) LKST_WEB_EXPORT(lkst_web_samples);

#endif
