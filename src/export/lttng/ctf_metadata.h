/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metadata (TSDL, CTF 1.8) of a trace with LTTng's names, as lttng-modules 2.13 writes it (src/lttng-events.c): all
 * numbers at whole bytes, large event headers, one stream for each CPU.
 */
#ifndef LKST_EXPORT_LTTNG_CTF_METADATA_H
#define LKST_EXPORT_LTTNG_CTF_METADATA_H

#include <stdio.h>

#include "export/export_format.h"
#include "trace/format/catalog.h"

/* Identifiers of events that have no event of the trace's as their source; those of the others are below. */
enum {
	LKST_CTF_ID_STATE_START = LKST_ID_MAX + 1,
	LKST_CTF_ID_STATE_END,
	LKST_CTF_ID_PROCESS,
	LKST_CTF_ID_INTERRUPT,
	LKST_CTF_ID_DISK,
	LKST_CTF_ID_NETDEV,
	LKST_CTF_ID_EXTENDED = 65535, /* in the header: a wide identifier and time follow */
};

enum lkst_ctf_form {
	LKST_CTF_NUMBER,
	LKST_CTF_ARRAY, /* of numbers */
	LKST_CTF_CHARS, /* an array of characters */
	LKST_CTF_STRING,
};

/* The type of a field. */
struct lkst_ctf_type {
	u8 form; /* enum lkst_ctf_form */
	u8 size; /* bytes of the number or of an element */
	bool is_signed;
	u8 base;
	u16 count;	    /* of an array */
	const char *length; /* of an array whose length the field of this name says, else NULL */
};

/* The identity of the trace that is written: not that of @c, so that both can be read at a time. */
void lkst_ctf_uuid(const struct lkst_catalog *c, u8 uuid[16]);

/* All that comes before the events. @x may have no `limited`: then it is not said what was left out. */
void lkst_ctf_describe_trace(FILE *f, const struct lkst_export *x);

/* An event, called @start and @name; its fields, in order; and its end. */
void lkst_ctf_describe_event(FILE *f, const char *start, const char *name, u32 id);
void lkst_ctf_describe_field(FILE *f, const char *name, const struct lkst_ctf_type *type);
void lkst_ctf_describe_end(FILE *f);

/* The events about the state at the beginning. */
void lkst_ctf_describe_state(FILE *f);

#endif
