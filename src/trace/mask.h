/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A maskset: what is done with each event of a catalogue, as a table by event id, and how people name
 * its rows. doc/masksets.md describes the text and the numbers.
 *
 * A row's number is LKST's event type, 12 bits wide (row A05 of doc/heritage.md):
 *   0x001 - 0x0ff  LKST's own events, by mnemonic; each may stand for several of a catalogue
 *   0x100 - 0x3ff  an event of the catalogue
 *   0x400 - 0xbff  entry and exit of a system call
 *   0xc00 - 0xfff  a tracepoint by name
 * Those below 0x100 are fixed. The others may differ between versions, so that a name decides.
 */
#ifndef LKST_TRACE_MASK_H
#define LKST_TRACE_MASK_H

#include "abi/control.h"
#include "abi/trigger.h"
#include "base/notes.h"
#include "trace/catalog.h"

enum {
	LKST_TYPE_NONE = 0,
	LKST_TYPE_OWN = 0x100, /* below: fixed, and a mnemonic's */
	LKST_TYPE_SYSCALL = 0x400,
	LKST_TYPE_TRACEPOINT = 0xc00,
	LKST_TYPE_END = 0x1000,
	LKST_MASK_TEXT_MAX = 1 << 20,
	LKST_BUFFER_USUAL = -1, /* the one that an event goes to if nobody says otherwise */
};

enum {
	LKST_MASK_CONDITIONS = 32,			   /* different ones in a maskset */
	LKST_MASK_CONDITION = LKST_TRIGGER_MASK_CONDITION, /* characters of one, with its NUL */
};

struct lkst_mask {
	char name[LKST_MASKSET_NAME];
	u16 route[LKST_EVENT_SPACE]; /* lkst_route(), by event id of the catalogue */
	/* The number in `conditions`, plus 1, of what must hold for a record to be kept; 0: nothing. */
	u8 condition[LKST_EVENT_SPACE];
	char conditions[LKST_MASK_CONDITIONS][LKST_MASK_CONDITION];
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

/* Whether masksets decide on the event: not on what the recorder or a reader itself writes. */
bool lkst_mask_decides(const struct lkst_event_class *event);

/* The buffer that an event goes to if nobody says otherwise. */
u8 lkst_mask_usual_buffer(const struct lkst_event_class *event);

/*
 * True for the events by which a trace knows its threads: their birth, program, name and end. Every maskset
 * has them; where one says NOTHING, they go to DEFAULT. @index: an enum lkst_event_index, or -1.
 */
bool lkst_mask_has_always(int index);

/*
 * Clears @mask: of the events of @c only those that every maskset has are recorded. @c NULL: not even
 * those, as where there is no maskset.
 */
void lkst_mask_init(struct lkst_mask *mask, const char *name, const struct lkst_catalog *c);

/*
 * Sends the events that @type means, or that @glob names, to @handler and @buffer (a number or
 * LKST_BUFFER_USUAL). Events that only represent @type are not sent to NOTHING: their own rows decide that.
 * Returns how many events are meant.
 */
unsigned int lkst_mask_set_type(struct lkst_mask *mask, const struct lkst_catalog *c,
				const struct lkst_event_types *types, u16 type, u8 handler,
				int buffer);
unsigned int lkst_mask_set_glob(struct lkst_mask *mask, const struct lkst_catalog *c,
				const char *glob, u8 handler, int buffer);

/*
 * From now on @event, which @mask sends to DEFAULT, is recorded only if @text holds: comparisons as in the
 * condition of a trigger (doc/triggers.md), of fields of the record and of the thread. -ENOENT: its records
 * have no such field. -EINVAL: @text is none. -E2BIG: it is too long, or there are too many.
 */
int lkst_mask_set_condition(struct lkst_err *e, struct lkst_mask *mask,
			    const struct lkst_event_class *event, const char *text);

/*
 * The same for all events that @glob names and whose records have the fields: they are sent to DEFAULT and
 * @buffer, the others are left as they are. *@ret_nr: how many. -ENOENT: there are such events, but none has the
 * fields.
 */
int lkst_mask_set_glob_if(struct lkst_err *e, struct lkst_mask *mask, const struct lkst_catalog *c,
			  const char *glob, int buffer, const char *text, unsigned int *ret_nr);

/* What must hold for event @id to be recorded, NULL: nothing. */
const char *lkst_mask_condition(const struct lkst_mask *mask, u32 id);

/* True if any event has a condition. */
bool lkst_mask_has_conditions(const struct lkst_mask *mask);

/*
 * True if RDEFAULT has event @d of the built-in catalogue, and a recording that asks for none: all but
 * taking and releasing locks. Waiting for one is rare, and in it.
 */
bool lkst_mask_has_by_default(const struct lkst_event_desc *d);

/* Sends all of the catalogue's events to the default handler, or those that RDEFAULT has. */
void lkst_mask_set_all(struct lkst_mask *mask, const struct lkst_catalog *c, bool is_all);

/* How many events are not sent to the handler NOTHING, of those that a maskset decides on. */
unsigned int lkst_mask_count(const u16 *route, const struct lkst_catalog *c);

/*
 * The events that @word means: a number in decimal or, after "0x", hexadecimal, a mnemonic or
 * the name of an event of @c. -ENOENT: nothing is called so; -ENODEV: @c does not have it.
 */
int lkst_mask_parse_type(struct lkst_err *e, const struct lkst_catalog *c,
			 const struct lkst_event_types *types, const char *word, u16 *ret_type);

/* A handler's number, decimal or hexadecimal, or DEFAULT or NOTHING; 0 to 255. */
int lkst_mask_parse_handler(struct lkst_err *e, const char *word, u8 *ret_handler);

/* A buffer's name or number, 0 to 254. Its name, or its number in @text if it has none. */
int lkst_mask_parse_buffer(struct lkst_err *e, const char *word, u8 *ret_buffer);
enum { LKST_BUFFER_TEXT = 8 };
const char *lkst_mask_buffer_name(u8 buffer, char text[LKST_BUFFER_TEXT]);

/* Whether @name may be a maskset's: letters, digits, "_", "-" and ".", and no number. */
int lkst_mask_check_name(struct lkst_err *e, const char *name);

/* The text of @mask, maskset @number, in memory that the caller frees. */
int lkst_mask_format(struct lkst_err *e, const struct lkst_mask *mask, unsigned int number,
		     const struct lkst_catalog *c, char **ret_text);

/*
 * Parses such a text; events that it does not name are sent to NOTHING. @ret_mask->name is "" if
 * the text has none. Events that exist, but not in @c, are counted in a note. Trusts no byte.
 */
int lkst_mask_parse(struct lkst_err *e, const char *text, size_t length,
		    const struct lkst_catalog *c, struct lkst_mask *ret_mask,
		    struct lkst_notes *notes);

/* The masksets that come with the program, as globs. A row without name ends the table. */
enum { LKST_SHIPPED_GLOBS_MAX = 48 };
struct lkst_shipped_mask {
	const char *name;
	const char *help;
	const char *globs[LKST_SHIPPED_GLOBS_MAX]; /* ends with NULL */
};
extern const struct lkst_shipped_mask lkst_shipped_masks[];

/* The one called @name, or NULL. */
const struct lkst_shipped_mask *lkst_shipped_mask_find(const char *name);

/* What reads an event of the maskset standard. */
enum lkst_reader { LKST_READER_MODEL = 1, LKST_READER_REPORT = 2, LKST_READER_WHY = 4, LKST_READER_CRASH = 8 };

/* A bit of enum lkst_reader for each that reads @event; 0 if the event is not in the maskset standard. */
u8 lkst_standard_readers(const struct lkst_event_class *event);

/* Fills @mask with it. Globs that name no event of @c are passed over. */
void lkst_shipped_mask_fill(const struct lkst_shipped_mask *shipped, const struct lkst_catalog *c,
			    struct lkst_mask *mask);

#endif
