/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bundle: all that is known of a moment, in one file. It is a trace in one file (trace/format/pack.h) whose streams
 * are compressed, after texts that say what else there was to say. So whatever reads a trace reads a bundle, and
 * tar(1) and zstd(1) take it apart. doc/format.md describes it for others.
 */
#ifndef LKST_BUNDLE_BUNDLE_H
#define LKST_BUNDLE_BUNDLE_H

#include "abi/types.h"
#include "base/choice.h"
#include "base/err.h"
#include "trace/format/pack.h"

enum {
	LKST_BUNDLE_VERSION = 1,
	LKST_BUNDLE_TEXT_MAX = 4 << 20, /* bytes of a text, with its NUL */
	LKST_BUNDLE_NAME_MAX = 256,	/* of a bundle's file, with its NUL */
	LKST_BUNDLE_VALUE_MAX = 256,	/* of a value that is asked for, with its NUL */
};

#define LKST_BUNDLE_SUFFIX ".bundle"

/* The texts, in their order in the file: a name, and a line of help. Each is bundle/NAME.txt in the archive. */
#define LKST_BUNDLE_PARTS(P)                                                                       \
	P(ABOUT, "about", "which moment it is, and why it was kept")                               \
	P(WHY, "why", "what the thread of the moment waited for, and what took longest")           \
	P(MACHINE, "machine", "the machine and its kernel")                                        \
	P(PROCESSES, "processes",                                                                  \
	  "the threads of the trace that still lived: cgroups and command lines")                  \
	P(JOURNAL, "journal", "what the journal had of the time of the trace")                     \
	P(LOSSES, "losses", "what is missing in the trace, and why")

enum lkst_bundle_part {
#define P(id, name, help) LKST_BUNDLE_##id,
	LKST_BUNDLE_PARTS(P)
#undef P
		LKST_BUNDLE_NR_PARTS,
};

/* The names, as choices; the one of a part. */
bool lkst_bundle_part_choices(unsigned int i, struct lkst_choice *ret_choice);
const char *lkst_bundle_part_name(enum lkst_bundle_part part);

/* A text, with a NUL after it that is not counted. NULL: it is not there. */
struct lkst_bundle_text {
	char *bytes;
	size_t length;
};

/* What a bundle has besides its trace. All zero is one that has nothing. */
struct lkst_bundle {
	struct lkst_bundle_text parts[LKST_BUNDLE_NR_PARTS];
	struct lkst_pack pack; /* all files in it */
};

/*
 * Reads the texts of the bundle at @path, or of the file that @fd refers to. -EBADMSG: it is damaged, or no bundle;
 * -EPROTO: it is of a later version; -EFBIG: a text is too long. Trusts no byte; the trace in it is not looked at.
 */
int lkst_bundle_open(struct lkst_err *e, const char *path, struct lkst_bundle *ret_bundle);
int lkst_bundle_read(struct lkst_err *e, int fd, struct lkst_bundle *ret_bundle);
void lkst_bundle_fini(struct lkst_bundle *b);

/*
 * The value of the first line "KEY: value" of @text, cut to the room. False: there is no such line.
 */
bool lkst_bundle_value(const struct lkst_bundle_text *text, const char *key,
		       char ret_value[LKST_BUNDLE_VALUE_MAX]);

/*
 * Makes the bundle @file of @parts, those that are there, and of the trace directory @dir, whose streams are compressed
 * where they lie. It appears when it is whole and on the disk; on failure nothing is left of it. @access: who may
 * read it (base/create.h).
 */
int lkst_bundle_write(struct lkst_err *e, const struct lkst_access *access,
		      const struct lkst_bundle_text parts[LKST_BUNDLE_NR_PARTS], const char *dir, const char *file);

/*
 * Makes directory @dir, which must not exist or be empty, of the bundle at @path: its texts, and the trace in directory
 * "trace" there, plain, for those whom @access says (base/create.h). Names come from this program and not from the
 * bundle, so that nothing is made elsewhere.
 */
int lkst_bundle_extract(struct lkst_err *e, const struct lkst_access *access, const char *path, const char *dir);

/*
 * Looks in directory @dir for a bundle of the trace with @uuid whose name begins with @prefix. 1: there is one,
 * @ret_name, and its name is on the disk; 0: there is none. Only files count that belong to this user and that no other
 * user can write to. Removes what is left of one whose making was killed: the caller makes sure that nobody is making
 * one.
 */
int lkst_bundle_find(struct lkst_err *e, const char *dir, const char *prefix, const u8 uuid[16],
		     char ret_name[LKST_BUNDLE_NAME_MAX]);

#endif
