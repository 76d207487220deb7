/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For fuzz targets of traces: asks of one what the page of `lkst view` asks (src/web), in each form that it may be
 * answered in, and looks at each answer as lib/printed.h does. These are the commands that read, as at the terminal.
 */
#ifndef LKST_TESTS_PAGED_H
#define LKST_TESTS_PAGED_H

#include "lib/in_memory.h"
#include "lib/printed.h"

/* A command's words but for the trace, and what it prints; a command that fails prints nothing, and a message. */
struct paged_line {
	const char *words;
	enum printed_form form;
};
void paged_run(const struct in_memory *files, const struct paged_line *lines, unsigned int nr);

/* The records by every view, and what is said of a trace as a whole, in every form. */
void paged_print(const struct in_memory *files);

/* What is drawn of a trace, or of several hosts' traces. */
void paged_draw(const struct in_memory *files);

#endif
