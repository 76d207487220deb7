/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the metadata that are the same in every trace: integer types, and the four structs
 * around a record's fields. The formatter prints these tables, the parser compares with them.
 */
#ifndef LKST_TRACE_FORMAT_METADATA_LAYOUT_H
#define LKST_TRACE_FORMAT_METADATA_LAYOUT_H

#include "abi/types.h"

#define LKST_CTF_CLOCK "monotonic"
#define LKST_CTF_SIGNATURE "/* CTF 1.8 */"

enum {
	LKST_METADATA_MAX = 16 << 20, /* bytes */
	LKST_CTF_CLOCK_HZ = 1000000000,
	/* env lkst_format. A reader refuses a higher number; what it may ignore raises no number. */
	LKST_CTF_FORMAT = 1,
};

struct lkst_ctf_int {
	u8 bits;
	u8 align; /* bits */
	u8 base;
	bool is_signed;
	bool is_text;  /* encoding = UTF8 */
	bool is_clock; /* map = clock.monotonic.value */
};

struct lkst_ctf_alias {
	const char *name;
	struct lkst_ctf_int type;
};

/* The named integer types; a NULL name ends the table. */
extern const struct lkst_ctf_alias lkst_ctf_aliases[];

/* A member of one of the fixed structs; a NULL name ends it. */
struct lkst_ctf_member {
	const char *alias;
	const char *name;
	u16 count; /* of an array, else 0 */
};

struct lkst_ctf_struct {
	const char *scope; /* as "packet.header" */
	u16 align;	   /* bits, 0: by its members */
	struct lkst_ctf_member members[10];
};

extern const struct lkst_ctf_struct lkst_ctf_packet_header, lkst_ctf_packet_context,
	lkst_ctf_event_header, lkst_ctf_event_context;

/*
 * Fields that the catalogue does not know have their meaning in the name of their type: the meaning's
 * name and then an alias of this table, as in CODE_xuint64_t. Other readers see an alias.
 * Returns the meaning (enum lkst_meaning) in such a name, 0: there is none.
 */
u8 lkst_ctf_alias_meaning(const char *name);

/* The alias called @name, or NULL. */
const struct lkst_ctf_alias *lkst_ctf_alias_find(const char *name);

#endif
