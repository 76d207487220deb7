/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking out of a bundle what others must not see. A string of the trace becomes as many letters that follow from it by
 * a hash with a secret key, which nobody keeps: equal ones stay equal, and nothing but that and the length can be
 * learnt. Of a path each name becomes letters by itself. Other bytes become zeros.
 */
#ifndef LKST_BUNDLE_REDACT_H
#define LKST_BUNDLE_REDACT_H

#include "base/siphash.h"
#include "bundle/bundle.h"
#include "trace/read/reader.h"

/* What is taken out: a name, whether it is unless rules are named, and a line of help. */
#define LKST_REDACT_RULES(R)                                                                       \
	R(ARGUMENTS, "arguments", true,                                                            \
	  "words of command lines after the first, and the kernel's command line")                 \
	R(PATHS, "paths", true, "names of files in system calls and events, programs, cgroups")    \
	R(HOST, "host", true, "the machine's name, and its boot id")                               \
	R(NETWORK, "network", true, "addresses of networks")                                       \
	R(JOURNAL, "journal", true, "the journal's lines")                                         \
	R(TEXT, "text", true,                                                                      \
	  "other strings: messages of the kernel, reasons, what probes have fetched, names of marks")              \
	R(NAMES, "names", false, "names of threads, but not those of the kernel")                  \
	R(WORDS, "words", false, "whatever holds a word of --word")

enum lkst_redact_rule {
#define R(id, name, is_standard, help) LKST_REDACT_##id,
	LKST_REDACT_RULES(R)
#undef R
		LKST_REDACT_NR_RULES,
};

enum {
	LKST_REDACT_WORDS_MAX = 64,
	LKST_REDACT_NAME = 16,	    /* of a thread, with its NUL */
	LKST_REDACT_WORD_MAX = 255, /* bytes of a word */
};

/* The rules, as choices; whether one is followed if none is named. */
bool lkst_redact_rule_choices(unsigned int i, struct lkst_choice *ret_choice);
bool lkst_redact_is_standard(enum lkst_redact_rule rule);

struct lkst_redaction {
	bool rules[LKST_REDACT_NR_RULES]; /* which are followed */
	const char *words[LKST_REDACT_WORDS_MAX];
	unsigned int nr_words;
	u64 counts[LKST_REDACT_NR_RULES]; /* strings that were taken out */

	/* Private. */
	u8 key[LKST_SIPHASH_KEY];
	char (*kernel_names)[LKST_REDACT_NAME]; /* of threads; sorted when all are there */
	u32 nr_kernel_names;
	const struct lkst_catalog *catalog;
	u8 (*plan)
		[LKST_FIELDS_MAX]; /* by event and field: enum lkst_redact_rule plus 1; 0: it stays */
};

/*
 * Begins a redaction, of which the caller has set rules and words; everything else is zero. -EINVAL: a word is empty,
 * or has a blank or what is escaped in texts; or there is none for the rule that takes words.
 */
int lkst_redaction_begin(struct lkst_err *e, struct lkst_redaction *r);
void lkst_redaction_fini(struct lkst_redaction *r);

/*
 * Writes trace @t, redacted, to the trace directory @dir, which must not exist. @access: who may read it
 * (base/create.h). Blocks that make no sense are left out.
 */
int lkst_redact_trace(struct lkst_err *e, const struct lkst_access *access, struct lkst_redaction *r,
		      const struct lkst_trace *t, const char *dir);

/*
 * The text @part of a bundle, redacted; not that of LKST_BUNDLE_WHY, which is to be made again of the redacted trace.
 * To be called after the trace, whose names of kernel threads it needs. Trusts no byte.
 */
int lkst_redact_text(struct lkst_err *e, struct lkst_redaction *r, enum lkst_bundle_part part,
		     const struct lkst_bundle_text *text, struct lkst_bundle_text *ret_text);

/* ---- private to src/bundle, its tests and fuzz targets ---- */

/* Plans what becomes of the fields of the events of @c, which must outlive the redaction. */
int lkst_redact_plan(struct lkst_err *e, struct lkst_redaction *r, const struct lkst_catalog *c);

/*
 * Redacts a block of that catalogue in place: @bytes are those of @block, and may be written to. What lies between and
 * after the records is cleared; so is all from the first bad record on, which stays bad.
 */
void lkst_redact_block(struct lkst_redaction *r, const struct lkst_block *block, u8 *bytes);

/*
 * Copies the classes of the planned catalogue to @classes, which are the caller's to free, also on failure. Those that
 * programs have described, and whose names hold a word, are called event_N, and so are their fields. -ENOMEM.
 */
int lkst_redact_names(struct lkst_redaction *r, struct lkst_event_class *classes[LKST_ID_MAX + 1]);

/* What takes the place of @length bytes, of a path if @is_path. False: nothing does, since there is nothing in it. */
bool lkst_redact_string(const struct lkst_redaction *r, u8 *bytes, size_t length, bool is_path);

/* The same of a thread's name, which is NUL-padded. False: it is empty, or one of the kernel's, and stays. */
bool lkst_redact_name(const struct lkst_redaction *r, char name[LKST_REDACT_NAME]);

/* Whether one of the words is in @bytes; @is_cut: as far as they go, for they may be cut at their end. */
bool lkst_redact_has_word(const struct lkst_redaction *r, const void *bytes, size_t length,
			  bool is_cut);

/* Fills the words in @text with one byte. */
void lkst_redact_words(struct lkst_redaction *r, struct lkst_bundle_text *text);

#endif
