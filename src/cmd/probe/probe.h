/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of lkst probe: what was asked for is read and resolved (probe_wanted.c), then set or removed
 * (probe_change.c), or kept in a file, from which it can be read on another machine (probe_saved.c); what is set is
 * listed (probe_list.c); sources are shown (probe_show.c).
 */
#ifndef LKST_CMD_PROBE_H
#define LKST_CMD_PROBE_H

#include "cmd/frame/answer.h"
#include "live/probes/probes.h"
#include "probe/debuginfo/image_open.h"
#include "probe/resolve/resolve.h"
#include "probe/text/definition.h"

enum {
	LKST_PROBE_FULL_NAME = 2 * LKST_PROBE_NAME, /* "GROUP:EVENT" */
	LKST_PROBE_FILE_MAX = 1 << 20,		    /* bytes of a file of definitions */
};

struct lkst_probe_options {
	struct lkst_list add, del, definition;
	const char *file;
	/* Files of resolved probes (probe/resolve/saved.h); "-": standard output, and input. */
	const char *save, *saved;
	const char *lines, *vars; /* of --line and --vars; NULL: not given */
	bool list, funcs, force, dry_run, verbose, quiet;
	const char *program, *module, *vmlinux, *source;
	struct lkst_answer_form form;
};

/* ---- probe_wanted.c --------------------------------------------------------------------------- */

/* One probe that is to be set, or removed. */
struct lkst_wanted {
	struct lkst_definition written; /* as the user wrote it, in either language */
	struct lkst_resolved resolved;	/* what it has become; none if it is a removal */
	const char *from; /* the file that it is of; NULL: the command line */
	char *head; /* with --save: the line that begins its part of the file; else NULL */
	char *on;   /* with --saved: where it is, as that file has it; NULL: it has not */
};

/* Those of a command, in their order, and the image that was opened last. */
struct lkst_wanted_list {
	struct lkst_wanted *items;
	u32 nr;
	struct lkst_image *image;
	char *image_program, *image_module; /* what it is of; NULL: the kernel itself */
};

/*
 * Reads all that @o and the @nr_args words @args ask for: --add, --definition, a file, and the words, which are one
 * probe. -EINVAL: one is wrong. Nothing is looked up.
 */
int lkst_wanted_read(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		     unsigned int nr_args, struct lkst_wanted_list *w);

/*
 * Resolves all that were read, and closes what was opened for that. The error is that of the first that cannot be.
 */
int lkst_wanted_resolve(struct lkst_err *e, const struct lkst_probe_options *o,
			struct lkst_wanted_list *w);

void lkst_wanted_fini(struct lkst_wanted_list *w);

/* Whether @glob selects the event of one that is resolved. */
bool lkst_wanted_is_named(const struct lkst_wanted_list *w, const char *glob);

/* What to open for probes of @program or @module; NULL, NULL: the kernel itself. */
void lkst_wanted_image(const struct lkst_probe_options *o, const char *program, const char *module,
		       struct lkst_image_options *ret);

/*
 * The line that the recording keeps of a resolved probe of @item: its definition, and in a comment where its source
 * is.
 */
int lkst_wanted_format(struct lkst_err *e, const struct lkst_wanted *item,
		       const struct lkst_probe *resolved, char text[LKST_PROBE_TEXT]);

/* One more, all zero; NULL: no memory. */
struct lkst_wanted *lkst_wanted_add(struct lkst_err *e, struct lkst_wanted_list *w);

/*
 * Reads up to @most bytes of file @name, which may be a pipe; "-": standard input. The caller frees *@ret_text.
 * -EFBIG: it has more.
 */
int lkst_wanted_read_file(struct lkst_err *e, const char *name, size_t most, char **ret_text,
			  size_t *ret_length);

/* ---- probe_saved.c ---------------------------------------------------------------------------- */

/* One of a file of resolved probes. */
struct lkst_saving {
	const char *head;	/* the line that begins its part */
	const char *definition; /* its own */
};

/* Writes the @nr probes @list to file @name, in place of one that is there. */
int lkst_probe_save(struct lkst_err *e, const char *name, const struct lkst_saving *list, u32 nr);

/*
 * Reads the probes of file @o->saved that were resolved for the program, the module or the kernel that @o names. The
 * errors are those of lkst_saved_parse().
 */
int lkst_probe_read_saved(struct lkst_err *e, const struct lkst_probe_options *o,
			  struct lkst_wanted_list *w);

/* ---- the other parts -------------------------------------------------------------------------- */

/*
 * Removes the probes of --del, and sets or removes what is wanted, or prints definitions, or says what would be done.
 */
int lkst_probe_change(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		      unsigned int nr_args);

/*
 * Sets what @wanted has, resolved, in the recording @s, which this process may change, and frees that list. *@notes is
 * for the caller to free in any case. If one can't be set, none is.
 */
int lkst_wanted_set(struct lkst_err *e, const struct lkst_probe_options *o,
		    struct lkst_wanted_list *wanted, struct lkst_session *s,
		    struct lkst_notes *notes);

/* Lists the probes that match one of the patterns @args, or all. */
int lkst_probe_list(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		    unsigned int nr_args);

/* Shows the lines, the variables or the functions that --line, --vars and --funcs ask for: those that match @args. */
int lkst_probe_show(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		    unsigned int nr_args);

/* Whether a pattern matches the probe "GROUP:EVENT": its event, or all of its name. */
bool lkst_probe_matches(const char *pattern, const char *event);

/* Prints a line of --list: @definition is what the recording keeps. */
void lkst_probe_print(const char *event, const char *definition);

#endif
