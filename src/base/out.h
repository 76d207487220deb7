/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffered output with number formatting that costs nanoseconds: `lkst print` writes millions of
 * lines a second through it. Errors stick: the caller checks once, at the end.
 */
#ifndef LKST_BASE_OUT_H
#define LKST_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * In a build with AddressSanitizer, bytes of the buffer that no room takes are poisoned: whoever writes beyond the
 * room that was given is caught at that byte.
 */
#if defined(__SANITIZE_ADDRESS__)
#define LKST_OUT_IS_GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LKST_OUT_IS_GUARDED 1
#endif
#endif
#ifndef LKST_OUT_IS_GUARDED
#define LKST_OUT_IS_GUARDED 0
#endif

enum {
	LKST_OUT_SIZE = 256 * 1024,
	LKST_OUT_ROOM = 4096, /* what lkst_out_room() makes sure of */
};

struct lkst_out {
	int fd;	  /* -1: it writes to a stream */
	FILE *to; /* that stream; NULL: it writes to the descriptor */
	int error; /* negative errno of the first write that failed, then nothing is written */
	size_t used;
	char *end; /* of the room that was given last */
	char buffer[LKST_OUT_SIZE];
};

/* @fd or @to stays the caller's. The struct is large: allocate it. It must not be copied. */
void lkst_out_init(struct lkst_out *out, int fd);
void lkst_out_init_stream(struct lkst_out *out, FILE *to);

/* Writes out what is buffered. Returns 0 or the first error since init. */
int lkst_out_flush(struct lkst_out *out);

/*
 * A cursor with room for LKST_OUT_ROOM bytes; give it back with lkst_out_advance(). Only what has a bound is written
 * there: text whose length others choose goes through a function that takes @out beside the cursor. Whoever writes
 * more is mistaken: what was written since lkst_out_room() is not taken, and the error is -EOVERFLOW; beyond the
 * buffer, or in a build with sanitizers, the program ends.
 */
char *lkst_out_room_slow(struct lkst_out *out);
static inline char *lkst_out_room(struct lkst_out *out)
{
	char *p = out->buffer + out->used;

	if (LKST_OUT_IS_GUARDED || LKST_OUT_SIZE - out->used < LKST_OUT_ROOM)
		return lkst_out_room_slow(out);
	out->end = p + LKST_OUT_ROOM;
	return p;
}

void lkst_out_advance_slow(struct lkst_out *out, char *end);
static inline void lkst_out_advance(struct lkst_out *out, char *end)
{
	if (LKST_OUT_IS_GUARDED || end < out->buffer + out->used || end > out->end)
		lkst_out_advance_slow(out, end);
	else
		out->used = (size_t)(end - out->buffer);
}

/*
 * For a line that may be longer than the room: @p is a cursor of lkst_out_room(), advanced by
 * what was written; the same place comes back, with room for at least LKST_OUT_ROOM bytes again.
 */
char *lkst_out_more_slow(struct lkst_out *out, char *p);
static inline char *lkst_out_more(struct lkst_out *out, char *p)
{
	if (LKST_OUT_IS_GUARDED || p > out->end || out->buffer + LKST_OUT_SIZE - p < LKST_OUT_ROOM)
		return lkst_out_more_slow(out, p);
	out->end = p + LKST_OUT_ROOM;
	return p;
}

/* Appends any number of bytes; a string; as printf does (slow, for headings). */
void lkst_out_bytes(struct lkst_out *out, const void *bytes, size_t length);
void lkst_out_str(struct lkst_out *out, const char *text);
void lkst_out_printf(struct lkst_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Cursor formatters: write at @p, return the end. None writes a NUL. */
char *lkst_put_u64(char *p, uint64_t v);
char *lkst_put_s64(char *p, int64_t v);
char *lkst_put_hex(char *p, uint64_t v);				  /* "0x1f" */
char *lkst_put_hex_width(char *p, uint64_t v, unsigned width);		  /* width 4: "0x001f" */
char *lkst_put_bytes(char *p, const uint8_t *bytes, size_t nr);		  /* "0a1f": two digits a byte */
char *lkst_put_u64_width(char *p, uint64_t v, unsigned width, char fill); /* right-aligned */
char *lkst_put_digits(char *p, uint64_t v, unsigned n); /* the last @n, with zeros */

static inline char *lkst_put_mem(char *p, const void *bytes, size_t length)
{
	if (length)
		memcpy(p, bytes, length);
	return p + length;
}

static inline char *lkst_put_str(char *p, const char *text)
{
	return lkst_put_mem(p, text, strlen(text));
}

/* Appends @text as a JSON string with quotes; bytes that are not UTF-8 become U+FFFD. At most
 * @length bytes of @text; the cursor form needs 6 * @length + 2 bytes of room. */
char *lkst_put_json(char *p, const char *text, size_t length);

/* Appends @text as it is, with U+FFFD for bytes that are not UTF-8. Needs 3 * @length bytes of room. */
char *lkst_put_utf8(char *p, const char *text, size_t length);

/*
 * Appends @length bytes of @text so that it stays on one line and cannot command a terminal:
 * control characters, those that turn text around (Bidi_Control), bytes that are not UTF-8, and those of '"' and
 * ',' that are in @also, as \xNN, but \n, \r, \t and \\ by letter. Needs 4 * @length bytes of room. @also NULL: a
 * message, in which a backslash stays one, for parts of it may be escaped already.
 */
char *lkst_put_escaped(char *p, const char *text, size_t length, const char *also);

/*
 * The one way in which errors, notes and sentences about a trace are printed, since parts of them may
 * come from anywhere: a line, escaped as a message.
 */
void lkst_print_message(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lkst_out_message(struct lkst_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A cell of CSV that is text: escaped, and with "'" before what a spreadsheet would take for a formula (=, +, -, @).
 * _csv is by RFC 4180, in quotes where they are needed. _cell is for use within quotes of the caller, and has no
 * quote or comma. @p and the result are as in lkst_out_more().
 */
char *lkst_out_csv(struct lkst_out *out, char *p, const char *text, size_t length);
char *lkst_out_cell(struct lkst_out *out, char *p, const char *text, size_t length);

/* The same two for text of any length; @p and the result are as in lkst_out_more(). */
char *lkst_out_escaped(struct lkst_out *out, char *p, const char *text, size_t length,
		       const char *also);
char *lkst_out_json(struct lkst_out *out, char *p, const char *text, size_t length);

#endif
