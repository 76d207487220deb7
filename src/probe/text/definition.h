/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The language of the kernel's kprobe_events and uprobe_events (Documentation/trace/kprobetrace.rst,
 * uprobetracer.rst): one line sets a probe, or removes one.
 *
 *	p[:[GRP/][EVENT]] [MOD:]SYM[+OFFS]|ADDR [FETCHARGS] [if CONDITION]
 *	r[MAXACTIVE][:[GRP/][EVENT]] [MOD:]SYM|ADDR [FETCHARGS] [if CONDITION]	also p and SYM%return
 *	p|r[:[GRP/][EVENT]] PATH:OFFSET[%return][(REF)] [FETCHARGS] [if CONDITION]
 *	p|r[MAXACTIVE][:[GRP/][EVENT]] [MOD:]GLOB[,GLOB...] [FETCHARGS] [if CONDITION]	our own
 *	-:[GRP/]EVENT
 *
 * With GLOB it is one probe at all functions that match: fnmatch(3).
 *
 * What follows "#" at the beginning of a word is a comment.
 *
 * FETCHARGS are in probe/text/fetch_text.h. A PATH may have \ooo, a byte in octal, for a blank. Names that are not
 * given are made as the kernel makes them. Nothing is looked up: whether there is such a symbol, register or program
 * is found when the probe is set.
 */
#ifndef LKST_PROBE_TEXT_DEFINITION_H
#define LKST_PROBE_TEXT_DEFINITION_H

#include "base/err.h"
#include "probe/text/probe.h"

enum { LKST_DEFINITIONS_MAX = 1024 /* lines of a file that are definitions */ };

/* A line. */
struct lkst_definition {
	bool is_removal; /* of the probes with that event and, if it is given, group: the rest is empty */
	u32 line;	 /* its number, from 1 on */
	struct lkst_probe probe;
};

/* Those of a file. All zero is none. */
struct lkst_definitions {
	struct lkst_definition *list;
	u32 nr;
};

/* True if @text has the form of this language, by its beginning: "p ", "p:", "r", "r:", "r16:", "-:". */
bool lkst_definition_is_one(const char *text);

/* True if @text may be meant so, though it may also begin with the name of a function: "p100 f", "r1a111 f". */
bool lkst_definition_is_nearly_one(const char *text);

/*
 * True if @text can only be meant so, though it is none: "r10fuzz:x f", and what other tracers of the kernel take, as
 * "f:x f", "t:x kfree", "!p:x f". In the other language it would be a function and a line without a number.
 */
bool lkst_definition_is_meant(const char *text);

/* The comment of @text, a line, without its "#" and blanks; NULL: it has none. */
const char *lkst_definition_comment(const char *text);

/*
 * Makes @text, a line, into *@ret. -EINVAL: it is not a definition; @e has the place. Trusts no byte. The caller calls
 * lkst_probe_fini() on success; on failure all is freed.
 */
int lkst_definition_parse(struct lkst_err *e, const char *text, struct lkst_definition *ret);

/*
 * Makes the @length bytes of @text into *@ret, line by line, in their order. Lines without anything are skipped. One
 * wrong line refuses all: the text of @e begins with its number.
 */
int lkst_definitions_parse(struct lkst_err *e, const char *text, size_t length,
			   struct lkst_definitions *ret);
void lkst_definitions_fini(struct lkst_definitions *d);

#endif
