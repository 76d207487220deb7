/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a value of C is while a probe fires, on the way from the variable that was named to the nodes that
 * fetch it: in a register, in memory, or a constant; with its type, so that members and elements can be reached.
 */
#ifndef LKST_PROBE_RESOLVE_VALUE_H
#define LKST_PROBE_RESOLVE_VALUE_H

#include "probe/debuginfo/ctype.h"
#include "probe/debuginfo/image.h"
#include "probe/resolve/pool.h"
#include "probe/text/probe.h"

struct lkst_prototype;

/* One place for which arguments are resolved. */
struct lkst_spot {
	struct lkst_err *e; /* where what fails is said; may be NULL */
	struct lkst_image *image;
	struct lkst_pool *pool; /* owns the nodes */
	bool is_entry;		/* the first instruction of a function that is not inlined */
	bool is_return;
	u64 address;	/* of the probed instruction, in the ELF file */
	u64 at_in_file; /* the same as a byte of a program's file */
	bool has_scope; /* `unit` and `scope` are set: there is DWARF */
	Dwarf_Die unit, scope;
	const struct lkst_prototype *prototype; /* by BTF; NULL: none */
	const char *function;			/* NULL: unknown */
	char where[320];			/* "vfs_read:3", for errors */
	u16 wrong_at; /* the byte of the definition that an error is about; 0: the argument as a whole */
};

enum lkst_value_place {
	LKST_VALUE_NODE,   /* `node` is the value */
	LKST_VALUE_MEMORY, /* in memory, `offset` bytes after what `node` is */
	LKST_VALUE_FIXED,  /* in memory at address `offset` of the ELF file */
	LKST_VALUE_POINTER, /* a pointer to address `offset` of the ELF file, which is itself nowhere */
};

struct lkst_value {
	u8 place; /* enum lkst_value_place */
	bool is_user;
	struct lkst_ctype type;
	struct lkst_fetch *node;
	s64 offset; /* of NODE: what is to be added to it, which only a member's address can hold */
	struct lkst_fetch *index; /* times `index_size` is added to the address; NULL: nothing */
	u32 index_size;
	u8 index_bytes; /* of the index, if it has fewer than 4; else 0 */
	bool is_index_signed;
	u64 bit_at; /* of a bit-field or a part of a register: where it begins */
	u32 bits;   /* 0: all of the type */
};

/* Goes on to member @name; @what is the expression so far, for errors. */
int lkst_value_member(struct lkst_spot *s, struct lkst_value *v, const char *name, bool is_arrow,
		      const char *what);

/* Goes on to an element of an array, or of what a pointer points to: number @number, or what @index is. */
int lkst_value_element(struct lkst_spot *s, struct lkst_value *v, s64 number,
		       const struct lkst_value *index, const char *what);

/* The node that fetches the value as a 64-bit number, not sign-extended. */
int lkst_value_load(struct lkst_spot *s, const struct lkst_value *v, const char *what,
		    struct lkst_fetch **ret_node);

/* The node and the type of an argument. @wanted: the type that was written. */
int lkst_value_argument(struct lkst_spot *s, const struct lkst_value *v,
			const struct lkst_fetch_type *wanted, const char *what,
			struct lkst_probe_arg *ret_arg);

#endif
