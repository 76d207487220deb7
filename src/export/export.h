/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace as other tools take it. What is written gets its name when it is whole: a full disk, an error or a signal
 * leaves nothing under that name. The formats are in export/export_format.h, which also says how to add one.
 */
#ifndef LKST_EXPORT_EXPORT_H
#define LKST_EXPORT_EXPORT_H

#include <signal.h>

#include "analyze/engine/limited.h"
#include "base/choice.h"
#include "print/select.h"
#include "trace/read/reader.h"
#include "usercode/space/code_name.h"

struct lkst_access;

/* What to write, and where. All is borrowed. */
struct lkst_export_request {
	struct lkst_trace *trace;
	const char *trace_name; /* for titles */
	unsigned int format;	/* a choice of lkst_export_choices() */
	/* Which records. A format may take only some of these filters: lkst_export_check(). */
	struct lkst_select_options which;
	const char *path; /* of the file or directory; NULL: to `fd`, which stays the caller's */
	const struct lkst_access *access; /* who may read what is made (base/create.h) */
	int fd;
	struct lkst_code_namer
		namer; /* of functions of programs; `find` NULL: they are shown by file and place */
	const volatile sig_atomic_t *stop; /* it ends soon after this is not 0; NULL: never */
};

/* What came of it. */
struct lkst_export_result {
	u64 bytes;	   /* written to the file; 0 of a directory */
	u64 nr_gaps;	   /* places of the window where records are missing */
	u64 nr_unreadable; /* of them, those where the files are damaged */
	/*
	 * Of formats of samples: those that were asked for, those without a stack, those whose stack is cut, or has one
	 * function only of its program, and those there was no room for.
	 */
	u64 nr_samples, nr_without_stack, nr_cut, nr_short, nr_samples_left_out;
	u32 nr_cpus_left_out; /* that have records: the format takes no CPU of such a number */
	/*
	 * What of the events that are asked for was left out in the window to keep to the cost limit: "syscall:* not
	 * recorded since +1.200 s"; "": nothing.
	 */
	char limited[LKST_LIMITED_TEXT];
	bool has_more_waiting; /* than was followed: some of it is left out, or not known */
	bool has_events_only; /* of Parquet's tables: the others take SQLite */
};

/* The formats as words of the command line. */
bool lkst_export_choices(unsigned int i, struct lkst_choice *ret_choice);

/* For those who ask for the format of a tool that reads another one: a sentence on which; NULL: nothing is known. */
const char *lkst_export_advice(const char *tool);

/* What the name of a file of format @i ends in, without the dot. */
const char *lkst_export_extension(unsigned int i);

/* -EINVAL: the format does not take a filter that is asked for, or does not go to a descriptor. */
int lkst_export_check(struct lkst_err *e, const struct lkst_export_request *request);

/*
 * Writes the trace. A file that has the name is replaced; a directory of that name must be empty. -EINTR: it was
 * stopped. -EEXIST: the directory is there, or a device, a pipe or a link. After an error there is nothing new under
 * the name. How far it has come goes to lkst_diag_progress().
 */
int lkst_export_run(struct lkst_err *e, const struct lkst_export_request *request,
		    struct lkst_export_result *ret_result);

#endif
