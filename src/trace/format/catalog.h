/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalogue of one trace: which event has which id, and how its record is laid out. It is
 * filled from the built-in events when recording starts, or from a trace's metadata when it is
 * read; either way it is all that a decoder needs. The built-in catalogue (abi/events.h) is asked
 * only for what a file does not carry: what a value means, and a line of help.
 */
#ifndef LKST_TRACE_FORMAT_CATALOG_H
#define LKST_TRACE_FORMAT_CATALOG_H

#include "abi/block.h"
#include "abi/events.h"
#include "abi/types.h"
#include "base/err.h"
#include "trace/format/event_class.h"

enum {
	LKST_NAME_SLOTS = 2 * (LKST_ID_MAX + 1),
	LKST_BUILTIN_SLOTS = 1024,
};

struct lkst_catalog {
	u8 uuid[16];
	u8 boot_id[16];	     /* of the kernel that recorded, as it calls itself; 0: not known */
	u64 clock_offset_ns; /* time of day = CLOCK_MONOTONIC + this, when recording began */
	char hostname[65], release[65], version[65], machine[65];
	bool has_hashed_addresses; /* those of the kernel are hashes (trace/format/hide.h) */
	u32 nr_classes;
	u32 nr_declared; /* of them by handlers and probes: they come while recording goes on */
	u32 nr_marks;	 /* and by programs that mark, as far as their marks were read */
	/* By id, NULL: not declared. Id 0 is none. */
	struct lkst_event_class *classes[LKST_ID_MAX + 1];

	/* Hash tables of the catalogue's own: ids by name, and lkst_events[] by name, plus 1. */
	u16 by_name[LKST_NAME_SLOTS];
	u16 builtin_by_name[LKST_BUILTIN_SLOTS];
};

/* Whether the numbers of system calls in records are arm64's. */
bool lkst_catalog_is_arm64(const struct lkst_catalog *c);

struct lkst_catalog *lkst_catalog_new(void);
void lkst_catalog_free(struct lkst_catalog *c);

/*
 * A class of its own, as lkst_catalog_add() makes one of @event but for what is known of names: checked, and laid out.
 * free() frees it. Errors as there.
 */
int lkst_event_class_new(struct lkst_err *e, const struct lkst_event_class *event,
			 struct lkst_event_class **ret_class);

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

#endif
