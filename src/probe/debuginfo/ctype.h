/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A C type, as BTF or DWARF describes it: what it takes to find a member, an element, what a pointer points
 * to, and how a value is shown.
 */
#ifndef LKST_PROBE_DEBUGINFO_CTYPE_H
#define LKST_PROBE_DEBUGINFO_CTYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"

struct btf;

enum {
	LKST_CTYPE_DEPTH =
		32, /* typedefs, const and the like around a type; structs without name in a struct */
	LKST_CTYPE_STEPS = 1 << 20, /* members that are looked at for one name */
	LKST_CTYPE_TEXT = 256,
};

enum lkst_ctype_kind {
	LKST_CTYPE_VOID,
	LKST_CTYPE_INTEGER, /* with bool, char and enum */
	LKST_CTYPE_FLOAT,
	LKST_CTYPE_POINTER,
	LKST_CTYPE_ARRAY,
	LKST_CTYPE_STRUCT, /* or union */
	LKST_CTYPE_OTHER,  /* a function, or unknown */
};

/* Copied by value; good as long as the image is open. */
struct lkst_ctype {
	const struct btf *btf; /* NULL: `die` */
	u32 id;		       /* in BTF */
	bool is_void;	       /* in DWARF, which has no entry for void */
	u8 dimension; /* of an array that has several in one entry of DWARF: the first that is left */
	Dwarf_Die die;
};

/* What a type is, without typedefs, const and volatile. */
struct lkst_ctype_info {
	u8 kind; /* enum lkst_ctype_kind */
	bool is_signed;
	bool is_char; /* an integer of one byte that is no bool */
	u64 size;     /* bytes; 0: unknown */
	u64 count;    /* elements of an array; 0: unknown */
};

struct lkst_ctype_member {
	struct lkst_ctype type;
	u64 bit_at; /* from the struct's beginning */
	u32 bits;   /* of a bit-field; 0: it is none */
};

struct lkst_ctype_info lkst_ctype_look(const struct lkst_ctype *t);

/* The name of a struct or union that is only declared where the type is from; NULL: it is not such a one. */
const char *lkst_ctype_declared(const struct lkst_ctype *t);

/* What a pointer points to, or an array's element. False: it is neither. */
bool lkst_ctype_target(const struct lkst_ctype *t, struct lkst_ctype *ret_target);

/* The member @name, also of structs and unions without name in it. -ENOENT: there is none; -EINVAL: not a struct. */
int lkst_ctype_member(const struct lkst_ctype *t, const char *name,
		      struct lkst_ctype_member *ret_member);

/* Offers each member's name to @offer(), for an error; those of structs without name too. */
void lkst_ctype_members(const struct lkst_ctype *t, void (*offer)(void *arg, const char *name),
			void *arg);

/* Writes the type as perf probe does: "struct file*", also for an array of them. Returns @text. */
const char *lkst_ctype_text(const struct lkst_ctype *t, char text[LKST_CTYPE_TEXT]);

/* The type that an entry of DWARF has (DW_AT_type): void if it has none. */
struct lkst_ctype lkst_ctype_of_die(Dwarf_Die *die);

/* The halves of the above for BTF and for DWARF. */
struct lkst_ctype_info lkst_ctype_btf_look(const struct lkst_ctype *t);
bool lkst_ctype_btf_target(const struct lkst_ctype *t, struct lkst_ctype *ret_target);
int lkst_ctype_btf_member(const struct lkst_ctype *t, const char *name,
			  struct lkst_ctype_member *ret_member);
void lkst_ctype_btf_members(const struct lkst_ctype *t, void (*offer)(void *arg, const char *name),
			    void *arg);
void lkst_ctype_btf_text(const struct lkst_ctype *t, char text[LKST_CTYPE_TEXT],
			 unsigned int depth);
struct lkst_ctype_info lkst_ctype_dwarf_look(const struct lkst_ctype *t);
bool lkst_ctype_dwarf_target(const struct lkst_ctype *t, struct lkst_ctype *ret_target);
int lkst_ctype_dwarf_member(const struct lkst_ctype *t, const char *name,
			    struct lkst_ctype_member *ret_member);
void lkst_ctype_dwarf_members(const struct lkst_ctype *t,
			      void (*offer)(void *arg, const char *name), void *arg);
void lkst_ctype_dwarf_text(const struct lkst_ctype *t, char text[LKST_CTYPE_TEXT],
			   unsigned int depth);

#endif
