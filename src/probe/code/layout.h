/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a probe: which fields it has, and how each argument is stored. It begins with where the thread was:
 * `__probe_ip`, the probed instruction, or `__probe_ret_ip`, where the function returns to. Readers know a probe by
 * that field. `__probe_func` is the function, of a probe at many. `__faults` follows where an argument reads memory:
 * bit i says that the i-th field after it could not be read; it is empty then. Strings and stacks come last, since
 * their length varies.
 */
#ifndef LKST_PROBE_CODE_LAYOUT_H
#define LKST_PROBE_CODE_LAYOUT_H

#include "abi/probe.h"
#include "base/err.h"
#include "probe/code/registers.h"
#include "probe/text/probe.h"
#include "trace/format/event_class.h"

enum {
	LKST_PROBE_STRING_MAX = 512, /* of a string with its NUL, where there is room for it */
	LKST_PROBE_STRING_MIN = 32,
	LKST_PROBE_FRAMES = 16, /* of $backtrace, if no number is given */
};

/* How an argument is stored. */
enum lkst_store {
	LKST_STORE_VALUE,     /* a 64-bit value, cut to the field's size */
	LKST_STORE_BITS,      /* some bits of one */
	LKST_STORE_MEMORY,    /* read from memory into the field as it is */
	LKST_STORE_COMM,      /* the thread's name */
	LKST_STORE_TEXT,      /* a constant text */
	LKST_STORE_STRING,    /* characters up to a NUL */
	LKST_STORE_BACKTRACE, /* return addresses */
};

struct lkst_layout_arg {
	u8 store;  /* enum lkst_store */
	u8 size;   /* bytes of an element */
	u16 count; /* elements; 1: it is no array. Of strings: as many fields */
	bool is_array;
	bool may_fault;	  /* it reads memory */
	u16 field;	  /* index of its field, or of its first */
	u16 length_field; /* of BACKTRACE */
};

struct lkst_layout {
	const struct lkst_probe *probe;
	enum lkst_machine machine;
	bool is_user;
	struct lkst_event_class event; /* its fields are those here */
	struct lkst_field_class fields[LKST_FIELDS_MAX];
	struct lkst_layout_arg args[LKST_PROBE_ARGS_MAX];
	int func;	/* index of the field `__probe_func`, -1: there is none */
	int faults;	/* that of `__faults` */
	u32 size;	/* bytes without the head, up to the first field of varying size */
	u32 room;	/* bytes without the head at most */
	u32 string_max; /* bytes of a string with its NUL */
};

/* Whether the argument's outermost step reads memory at an address. */
bool lkst_layout_reads(const struct lkst_layout *l, const struct lkst_fetch *f);

/* The byte of field @field, counted from the end of the record's head. */
static inline u16 lkst_layout_at(const struct lkst_layout *l, unsigned int field)
{
	return (u16)(l->fields[field].offset - sizeof(struct lkst_record_head));
}

/* The bit that says that field @field, which an argument that reads memory has, could not be read. */
static inline u32 lkst_layout_fault(const struct lkst_layout *l, unsigned int field)
{
	return 1U << (field - (unsigned int)l->faults - 1);
}

/*
 * Lays out the records of @probe, which is resolved and stays the caller's, on @machine. -EINVAL: an argument can't be
 * stored as its type says; -E2BIG: there is no room.
 */
int lkst_layout_make(struct lkst_err *e, const struct lkst_probe *probe, enum lkst_machine machine,
		     struct lkst_layout *ret_layout);

#endif
