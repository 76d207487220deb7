/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lower half of the metadata parser: attributes, integer types and structs. Private to it.
 */
#ifndef LKST_TRACE_FORMAT_METADATA_TYPES_H
#define LKST_TRACE_FORMAT_METADATA_TYPES_H

#include "trace/format/catalog.h"
#include "trace/format/metadata_layout.h"
#include "trace/format/metadata_lex.h"

enum {
	LKST_CTF_ALIASES_MAX = 256,
	LKST_CTF_MEMBERS_MAX = LKST_FIELDS_MAX,
};

/* A member of a struct as it is declared. */
struct lkst_ctf_decl {
	char name[LKST_NAME_MAX];
	bool is_string;
	struct lkst_ctf_int type;	 /* unless it is a string */
	u8 meaning;			 /* enum lkst_meaning; 0: its type's name gives none */
	u16 count;			 /* of a fixed array, else 0 */
	char length_name[LKST_NAME_MAX]; /* of the field that counts a sequence, else "" */
};

struct lkst_ctf_parser {
	struct lkst_lex lex;
	struct lkst_catalog *catalog;
	u32 seen; /* the blocks that have come */

	u32 nr_aliases;
	struct {
		char name[LKST_NAME_MAX];
		struct lkst_ctf_int type;
		u8 meaning;
	} aliases[LKST_CTF_ALIASES_MAX];

	/* The struct that was parsed last. */
	u32 nr_members, align;
	struct lkst_ctf_decl members[LKST_CTF_MEMBERS_MAX];
	struct lkst_field_class fields[LKST_CTF_MEMBERS_MAX];
};

/*
 * Takes the value of attribute @name, up to but without the semicolon. Returns a bit of the caller's
 * choice that stands for the attribute, or a negative error.
 */
typedef int lkst_ctf_attribute(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name,
			       void *arg);

/*
 * Parses "{ name = value; ... }", or with ":=". The bit of an attribute may come only once, and all
 * of @needed must come. @what is being parsed, for the error.
 */
int lkst_ctf_parse_block(struct lkst_err *e, struct lkst_ctf_parser *p, const char *what,
			 u32 needed, lkst_ctf_attribute *attribute, void *arg);

/* Fails: @what has no attribute @name. */
int lkst_ctf_unknown(struct lkst_err *e, struct lkst_ctf_parser *p, const char *what,
		     const char *name);

/* Each takes one token, which must be @value. */
int lkst_ctf_expect_number(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name,
			   u64 value);
int lkst_ctf_expect_word(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name,
			 const char *value);

/* After the word "typealias", to its semicolon. */
int lkst_ctf_parse_alias(struct lkst_err *e, struct lkst_ctf_parser *p);

/* "struct { ... }" and, if it is there, "align(64)". The result is in @p. */
int lkst_ctf_parse_struct(struct lkst_err *e, struct lkst_ctf_parser *p);

/* The same, of a struct that must be as blocks are laid out: nothing else can be read. */
int lkst_ctf_expect_struct(struct lkst_err *e, struct lkst_ctf_parser *p,
			   const struct lkst_ctf_struct *s);

#endif
