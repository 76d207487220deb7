/* SPDX-License-Identifier: GPL-2.0-only */
/* An event of a catalogue, and its fields: how its record is laid out. */
#ifndef LKST_TRACE_FORMAT_EVENT_CLASS_H
#define LKST_TRACE_FORMAT_EVENT_CLASS_H

#include <stdbool.h>

#include "abi/events.h"
#include "abi/types.h"

enum {
	LKST_NAME_MAX = 96,   /* of an event or field, with its NUL */
	LKST_FIELDS_MAX = 64, /* fields of an event */
	LKST_OFFSET_VARIES = 0xffff,
};

/* Fields that the records of probes begin with (src/probe/code/layout.h), as the kernel's own; one has either. */
#define LKST_PROBE_FIELD_IP "__probe_ip"
#define LKST_PROBE_FIELD_RET_IP "__probe_ret_ip"
/* Of a probe at many functions the second: which of them it was. */
#define LKST_PROBE_FIELD_FUNC "__probe_func"
/* Bit i: the i-th field after it could not be read, and says nothing. */
#define LKST_PROBE_FIELD_FAULTS "__faults"

/* How the names of events begin that programs describe (liblkst/mark.h). */
#define LKST_MARK_EVENT_PREFIX "mark:"

enum lkst_class_type {
	LKST_CLASS_UINT, /* 1, 2, 4 or 8 bytes */
	LKST_CLASS_SINT,
	LKST_CLASS_CHARS,  /* `count` characters, NUL-padded */
	LKST_CLASS_STRING, /* up to and with a NUL */
	LKST_CLASS_UINTS,  /* `count` elements of `size` bytes */
	LKST_CLASS_SINTS,
	LKST_CLASS_TEXT,  /* as many characters as field `length_field` says, NUL or not */
	LKST_CLASS_BYTES, /* as many bytes as field `length_field` says */
	LKST_CLASS_WORDS, /* as many unsigned integers of `size` bytes as field `length_field` says */
};

/*
 * A field of a record. Fields follow each other without gaps except that integers of 4 and 8
 * bytes are at a multiple of 4, counted from the record's start (which is at a multiple of 8).
 * By-name tracepoints declare their gaps as fields whose meaning is PAD.
 */
struct lkst_field_class {
	char name[LKST_NAME_MAX];
	u8 type;    /* enum lkst_class_type */
	u8 size;    /* of an integer or element */
	u8 base;    /* 8, 10 or 16 */
	u8 meaning; /* enum lkst_meaning; DEC or HEX where nothing more is known */
	u16 count;
	u16 length_field; /* index of an earlier unsigned field */
	u16 offset; /* from the record's start; LKST_OFFSET_VARIES after a field of varying size */
	u8 sys_meaning; /* enum lkst_sys_meaning (abi/syscalls.h) of a system call's argument, else 0 */
};

/* Which half of a pair an event is: the entry or the exit of a system call, or an event of the catalogue. */
enum lkst_half {
	LKST_HALF_NONE,
	LKST_HALF_ENTRY, /* or begin */
	LKST_HALF_EXIT,	 /* or end */
};

struct lkst_event_class {
	u16 id;
	bool is_fixed;	/* every record has `size` bytes */
	bool is_native; /* laid out as this program's own struct lkst_rec_<name>, field by field */
	u16 size;	/* bytes up to the first field of varying size, head included */
	s16 index;	/* enum lkst_event_index, -1: not in the built-in catalogue */
	s16 syscall;	/* index into lkst_syscalls[] (abi/syscalls.h), -1: not a system call */
	u8 group;	/* enum lkst_group */
	u8 half;	/* enum lkst_half */
	u16 other_half; /* id of the pair's other half; 0: the catalogue does not have it */
	bool is_compat; /* of a system call: a 32-bit program's */
	u8 call_at; /* of a system call: where its own name begins in `name`; 0: it is not one */
	u16 nr_fields;
	char name[LKST_NAME_MAX];
	struct lkst_field_class *fields;
};

/* The field called @name, or NULL. */
const struct lkst_field_class *lkst_class_field(const struct lkst_event_class *event,
						const char *name);

/* The name of the system call whose entry or exit the event is, "openat"; NULL: it is not of one. */
static inline const char *lkst_class_call(const struct lkst_event_class *event)
{
	return event->call_at ? event->name + event->call_at : NULL;
}

/* True if another field says how long the field is. */
static inline bool lkst_class_has_length(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_TEXT || f->type == LKST_CLASS_BYTES ||
	       f->type == LKST_CLASS_WORDS;
}

/* Whether masksets decide on the event: not on what the recorder or a reader itself writes. */
bool lkst_class_is_maskable(const struct lkst_event_class *event);

#endif
