/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalogue of one trace: which event has which id, and how its record is laid out. It is
 * filled from the built-in events when recording starts, or from a trace's metadata when it is
 * read; either way it is all that a decoder needs. The built-in catalogue (abi/events.h) is asked
 * only for what a file does not carry: what a value means, and a line of help.
 */
#ifndef LKST_TRACE_CATALOG_H
#define LKST_TRACE_CATALOG_H

#include "abi/block.h"
#include "abi/events.h"
#include "abi/types.h"
#include "base/err.h"

enum {
	LKST_NAME_MAX = 96,   /* of an event or field, with its NUL */
	LKST_FIELDS_MAX = 64, /* fields of an event */
	LKST_OFFSET_VARIES = 0xffff,
	LKST_NAME_SLOTS = 2 * (LKST_ID_MAX + 1),
	LKST_BUILTIN_SLOTS = 1024,
};

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

struct lkst_catalog {
	u8 uuid[16];
	u8 boot_id[16];	     /* of the kernel that recorded, as it calls itself; 0: not known */
	u64 clock_offset_ns; /* time of day = CLOCK_MONOTONIC + this, when recording began */
	char hostname[65], release[65], version[65], machine[65];
	bool has_hashed_addresses; /* those of the kernel are hashes (trace/hide.h) */
	u32 nr_classes;
	u32 nr_declared; /* of them by handlers: they come while recording goes on */
	/* By id, NULL: not declared. Id 0 is none. */
	struct lkst_event_class *classes[LKST_ID_MAX + 1];

	/* Hash tables of the catalogue's own: ids by name, and lkst_events[] by name, plus 1. */
	u16 by_name[LKST_NAME_SLOTS];
	u16 builtin_by_name[LKST_BUILTIN_SLOTS];
};

struct lkst_catalog *lkst_catalog_new(void);
void lkst_catalog_free(struct lkst_catalog *c);

/*
 * Adds a class. The caller fills `id`, `name` and, of each field, what describes its stored form;
 * the catalogue copies it and works out all else: offsets and sizes, and by name of event and field
 * what the built-in catalogue and the system call table know of it (where the caller left a
 * meaning of DEC or HEX). In other events a field called "pad", with or without digits after it, means
 * padding. -EEXIST: the id or name is taken; -EINVAL: the fields make no sense (text says which).
 */
int lkst_catalog_add(struct lkst_err *e, struct lkst_catalog *c,
		     const struct lkst_event_class *event);

/* Adds built-in event @index under @id. */
int lkst_catalog_add_builtin(struct lkst_err *e, struct lkst_catalog *c, u16 id,
			     enum lkst_event_index index);

/* Adds row @row of lkst_syscalls[] under @entry_id and @exit_id. */
int lkst_catalog_add_syscall(struct lkst_err *e, struct lkst_catalog *c, u16 entry_id, u16 exit_id,
			     unsigned int row);

/* The class called @name, or NULL. */
const struct lkst_event_class *lkst_catalog_find(const struct lkst_catalog *c, const char *name);

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

/*
 * True if @glob, as users write them, names the event: by its name, "group:name", LKST's mnemonic,
 * or, for both halves of a system call, "syscall:<call>".
 */
bool lkst_class_is_named(const struct lkst_event_class *event, const char *glob);

#endif
