/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all views print with: the output, the clock, thread names, and for each kind of event a
 * list of steps, worked out when the first record of that kind comes, so that printing a record
 * is to walk the list. Private to the views.
 */
#ifndef LKST_PRINT_RECORD_PRINTER_H
#define LKST_PRINT_RECORD_PRINTER_H

#include "base/time.h"
#include "print/address_names.h"
#include "print/field.h"
#include "print/print.h"
#include "print/values.h"
#include "trace/known/threads.h"
#include "trace/read/reader.h"

enum {
	LKST_NAMES_SLOTS = 512, /* a power of two */
	LKST_COMM_SIZE = 16,
	LKST_TID_WIDTH = 7, /* digits of the largest tid, PID_MAX_LIMIT being 4 Mi */
	LKST_COLUMN_MAX = 96,
};

/* A thread as text, "1234/bash", remembered: a thread is printed many times before it is renamed, if it ever is. */
struct lkst_name_cell {
	bool is_set;
	s32 tid;
	bool has_comm;		   /* the name is known, and may be empty */
	char comm[LKST_COMM_SIZE]; /* all 16 bytes may be used */
	/*
	 * "   1234/bash            ": aligned, the name escaped, "?" where it is not known. The thread
	 * alone is from `start` to `end`, its name from `name` to `end`.
	 */
	char column[LKST_COLUMN_MAX];
	u8 start, name, end, length;
};

struct lkst_names {
	const struct lkst_threads *threads;
	struct lkst_name_cell slots[LKST_NAMES_SLOTS];
};

/* The thread as text. Valid until the next call. */
const struct lkst_name_cell *lkst_names_get(struct lkst_names *names, s32 tid);

/* The same by the name that it had at @ns, which records up to a later time may have replaced. */
const struct lkst_name_cell *lkst_names_at(struct lkst_names *names, s32 tid, u64 ns);

struct lkst_record_printer;
struct lkst_record_text;
struct lkst_step;

/* Prints one step at @p, where LKST_OUT_ROOM bytes are free; longer ones use lkst_out_more(). */
typedef char *lkst_step_fn(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step);

enum {
	LKST_LABEL_MAX = LKST_NAME_MAX + 16,
	LKST_HEAD_MAX = 4 * LKST_NAME_MAX + 32, /* of a name that is escaped */
};
_Static_assert(LKST_LABEL_MAX + LKST_VALUE_ROOM + 1024 < LKST_OUT_ROOM, "a step fits the room");
_Static_assert(LKST_LABEL_MAX + LKST_ADDRESS_NAME + 64 < LKST_OUT_ROOM, "so does one that is the name of an address");
_Static_assert(LKST_HEAD_MAX + 2 * LKST_COLUMN_MAX + 1024 < LKST_OUT_ROOM, "so does what stands before them");

struct lkst_step {
	lkst_step_fn *put;
	const struct lkst_field_class *field;
	const struct lkst_value_format *format;
	u16 index; /* of the field in its class */
	u32 fault; /* the bit that says that it could not be read; 0: it always could */
	s16 faults; /* index of the field with that bit */
	lkst_step_fn *known; /* prints it if it could */
	s16 other; /* a second field that the step needs, -1: none */
	u16 label_length;
	char label[LKST_LABEL_MAX]; /* what stands before the value */
};

/* How the records of one event are printed. */
struct lkst_steps {
	const struct lkst_event_class *event;
	u32 kind; /* the view's own */
	u16 nr;
	u16 head_length, tail_length;
	char head[LKST_HEAD_MAX]; /* before the steps */
	char tail[16];		  /* after them */
	struct lkst_step steps[]; /* room for nr_fields + LKST_STEPS_EXTRA */
};

enum {
	LKST_STEPS_EXTRA = 3, /* steps that belong to no field */
};

struct lkst_record_printer {
	struct lkst_out *out;
	const struct lkst_threads *threads;
	struct lkst_address_names addresses;
	bool has_cgroups;
	const struct lkst_descriptors *descriptors; /* NULL: descriptors are numbers */
	struct lkst_time_text time;
	struct lkst_names names;
	const char *host; /* NULL: it is not printed */
	unsigned int host_width;
	bool has_process; /* json: threads with their processes */
	struct lkst_record_text *text; /* json: what text says of a record; NULL: nobody asks */
	bool is_bare; /* text: event and fields alone */
	const char *unread; /* what stands for a value of a probe that could not be read; the view sets it */
	void (*build)(struct lkst_steps *steps);
	struct lkst_steps *by_id[LKST_ID_MAX + 1];
};

/* The catalogue's clock and names into @printer. @build fills the steps of a class. */
struct lkst_record_printer *lkst_record_printer_new(const struct lkst_view_config *config,
						    void (*build)(struct lkst_steps *steps));
void lkst_record_printer_free(struct lkst_record_printer *printer);

/* The steps of @event, built if they were not yet; NULL: no memory. */
struct lkst_steps *lkst_record_printer_build(struct lkst_record_printer *printer,
					     const struct lkst_event_class *event);
static inline const struct lkst_steps *
lkst_record_printer_steps(struct lkst_record_printer *printer, const struct lkst_event_class *event)
{
	const struct lkst_steps *steps = printer->by_id[event->id];

	return __builtin_expect(steps != NULL, 1) ? steps : lkst_record_printer_build(printer, event);
}

/* Prints the steps with their labels, and the tail. The head is the view's to print. */
char *lkst_record_printer_run(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			      const struct lkst_steps *steps);

/* Adds a step for field @index (-1: for none); the label is that of printf. */
struct lkst_step *lkst_steps_add(struct lkst_steps *steps, lkst_step_fn *put, int index,
				 const char *label, ...) __attribute__((format(printf, 4, 5)));
void lkst_steps_head(struct lkst_steps *steps, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void lkst_steps_tail(struct lkst_steps *steps, const char *tail);

#endif
