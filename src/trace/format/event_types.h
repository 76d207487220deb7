/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers and names that the original had for events. An event type is 12 bits wide (row A05 of
 * doc/heritage.md):
 *   0x001 - 0x0ff  LKST's own events, by mnemonic; each may stand for several of a catalogue
 *   0x100 - 0x3ff  an event of the catalogue
 *   0x400 - 0xbff  entry and exit of a system call
 *   0xc00 - 0xfff  a tracepoint by name
 * Those below 0x100 are fixed. The others may differ between versions, so that a name decides.
 */
#ifndef LKST_TRACE_FORMAT_EVENT_TYPES_H
#define LKST_TRACE_FORMAT_EVENT_TYPES_H

#include "abi/control.h"
#include "base/suggest.h"
#include "trace/format/catalog.h"

enum {
	LKST_TYPE_NONE = 0,
	LKST_TYPE_OWN = 0x100, /* below: fixed, and a mnemonic's */
	LKST_TYPE_SYSCALL = 0x400,
	LKST_TYPE_TRACEPOINT = 0xc00,
	LKST_TYPE_END = 0x1000,
};

/* The numbers of a catalogue's events, by id. */
struct lkst_event_types {
	u16 shared[LKST_EVENT_SPACE]; /* its mnemonic's number, LKST_TYPE_NONE: it has none */
	u16 also[LKST_EVENT_SPACE];   /* of a mnemonic that the event represents besides */
	u16 own[LKST_EVENT_SPACE];    /* LKST_TYPE_NONE: no maskset decides on it */
};

void lkst_event_types_init(struct lkst_event_types *types, const struct lkst_catalog *c);

/* Whether event @id is meant by number @type: its own, its mnemonic's, or that of one which it represents. */
bool lkst_event_types_has(const struct lkst_event_types *types, u32 id, u16 type);

/* The mnemonic that LKST had for an event, NULL: none. The mnemonic's number. */
const char *lkst_event_mnemonic(const struct lkst_event_class *event);
u16 lkst_mnemonic_type(const char *mnemonic);

/* A mnemonic without an event of its own: the events that record it, and how it is recognised there. */
struct lkst_represented {
	u16 type;
	const char *mnemonic;
	s16 events[2]; /* enum lkst_event_index, -1: there is no second one */
	const char *how;
};

/* The one called @mnemonic, and the one that event @index represents; NULL: none. */
const struct lkst_represented *lkst_represented_find(const char *mnemonic);
const struct lkst_represented *lkst_represented_by(int index);

/* The mnemonic whose number is @type, or NULL. */
const char *lkst_type_mnemonic(u16 type);

/*
 * True if @glob, as users write them, names the event: by its name, "group:name", LKST's mnemonic,
 * or, for both halves of a system call, "syscall:<call>".
 */
bool lkst_class_is_named(const struct lkst_event_class *event, const char *glob);

/*
 * Writes "; did you mean a, b or c?", or "", for @word, and returns @text. The names are those of @c; NULL: of the
 * built-in catalogue and its system calls. Tracepoints that LKST records under another name, as
 * syscalls:sys_enter_openat and sched:sched_switch, are known by the kernel's, too.
 */
const char *lkst_event_near(const struct lkst_catalog *c, const char *word,
			    char text[LKST_SUGGEST_TEXT]);

#endif
