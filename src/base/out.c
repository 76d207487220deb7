/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffered output with number formatting that costs nanoseconds. */
#include "base/out.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/io.h"
#if LKST_OUT_IS_GUARDED
#include <sanitizer/asan_interface.h>
#endif

enum {
	/* Text is escaped in pieces of so many bytes, so that a piece always fits the room. */
	PIECE = 512,
};
static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
_Static_assert(6 * PIECE + 2 <= LKST_OUT_ROOM, "an escaped piece fits");

/* ---- the buffer ------------------------------------------------------------------------------ */

/* Lets nobody write from @at on to @end, which is that of the buffer or of a room. */
static void guard(const char *at, const char *end)
{
#if LKST_OUT_IS_GUARDED
	if (end > at)
		__asan_poison_memory_region(at, (size_t)(end - at));
#endif
}

static void open_up(const char *at, const char *end)
{
#if LKST_OUT_IS_GUARDED
	if (end > at)
		__asan_unpoison_memory_region(at, (size_t)(end - at));
#endif
}

void lkst_out_init(struct lkst_out *out, int fd)
{
	out->fd = fd;
	out->to = NULL;
	out->error = 0;
	out->used = 0;
	out->end = out->buffer;
	guard(out->buffer, out->buffer + LKST_OUT_SIZE);
}

void lkst_out_init_stream(struct lkst_out *out, FILE *to)
{
	lkst_out_init(out, -1);
	out->to = to;
}

/* Returns 0 or a negative errno. */
static int write_out(struct lkst_out *out, const void *bytes, size_t length)
{
	if (!out->to)
		return lkst_write_all(out->fd, bytes, length);
	return fwrite(bytes, 1, length, out->to) == length ? 0 : -(errno ?: EIO);
}

/* Ends the room that was given last: what is not used of it is nobody's. */
static void end_room(struct lkst_out *out)
{
	char *at = out->buffer + out->used;

	guard(at, out->end);
	out->end = at;
}

int lkst_out_flush(struct lkst_out *out)
{
	if (!out->error && out->used)
		out->error = write_out(out, out->buffer, out->used);
	out->used = 0;
	end_room(out);
	return out->error;
}

char *lkst_out_room_slow(struct lkst_out *out)
{
	char *p;

	if (LKST_OUT_SIZE - out->used < LKST_OUT_ROOM)
		lkst_out_flush(out);
	p = out->buffer + out->used;
	out->end = p + LKST_OUT_ROOM;
	open_up(p, out->end);
	return p;
}

void lkst_out_advance_slow(struct lkst_out *out, char *end)
{
	/* What is beyond the buffer is destroyed already. */
	assert(end >= out->buffer + out->used && end <= out->buffer + LKST_OUT_SIZE);
	assert(!LKST_OUT_IS_GUARDED || end <= out->end);
	if (end <= out->end)
		out->used = (size_t)(end - out->buffer);
	else if (!out->error)
		out->error = -EOVERFLOW;
	end_room(out);
}

char *lkst_out_more_slow(struct lkst_out *out, char *p)
{
	lkst_out_advance(out, p);
	return lkst_out_room(out);
}

void lkst_out_bytes(struct lkst_out *out, const void *bytes, size_t length)
{
	if (length > LKST_OUT_SIZE - out->used)
		lkst_out_flush(out);
	if (length > LKST_OUT_SIZE) {
		if (!out->error)
			out->error = write_out(out, bytes, length);
		return;
	}
	open_up(out->buffer + out->used, out->buffer + out->used + length);
	if (length)
		memcpy(out->buffer + out->used, bytes, length);
	out->used += length;
	end_room(out);
}

void lkst_out_str(struct lkst_out *out, const char *text)
{
	lkst_out_bytes(out, text, strlen(text));
}

void lkst_out_printf(struct lkst_out *out, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	va_list args;

	va_start(args, format);
	text = lkst_text_vformat(format, args, &length);
	va_end(args);
	if (text)
		lkst_out_bytes(out, text, length);
	else if (!out->error)
		out->error = -ENOMEM;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";
static const char hex_digits[] = "0123456789abcdef";

static unsigned int count_digits(uint64_t v)
{
	unsigned int n = 1;

	for (;; v /= 10000, n += 4) {
		if (v < 10)
			return n;
		if (v < 100)
			return n + 1;
		if (v < 1000)
			return n + 2;
		if (v < 10000)
			return n + 3;
	}
}

/* Writes the last @n digits of @v so that they end at @end. */
static void put_digits(char *end, uint64_t v, unsigned int n)
{
	for (; n >= 2; n -= 2, v /= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (v % 100), 2);
	}
	if (n)
		end[-1] = (char)('0' + v % 10);
}

char *lkst_put_digits(char *p, uint64_t v, unsigned int n)
{
	put_digits(p + n, v, n);
	return p + n;
}

char *lkst_put_u64(char *p, uint64_t v)
{
	unsigned int n = count_digits(v);

	put_digits(p + n, v, n);
	return p + n;
}

char *lkst_put_s64(char *p, int64_t v)
{
	if (v >= 0)
		return lkst_put_u64(p, (uint64_t)v);
	*p++ = '-';
	return lkst_put_u64(p, 0 - (uint64_t)v);
}

char *lkst_put_hex_width(char *p, uint64_t v, unsigned int width)
{
	unsigned int n = v ? (67 - (unsigned int)__builtin_clzll(v)) / 4 : 1, i;

	if (n < width)
		n = width;
	*p++ = '0';
	*p++ = 'x';
	for (i = n; i; i--, v >>= 4)
		p[i - 1] = hex_digits[v & 15];
	return p + n;
}

char *lkst_put_bytes(char *p, const uint8_t *bytes, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		*p++ = hex_digits[bytes[i] >> 4];
		*p++ = hex_digits[bytes[i] & 15];
	}
	return p;
}

char *lkst_put_hex(char *p, uint64_t v)
{
	return lkst_put_hex_width(p, v, 1);
}

char *lkst_put_u64_width(char *p, uint64_t v, unsigned int width, char fill)
{
	unsigned int n = count_digits(v);

	for (; n < width; width--)
		*p++ = fill;
	put_digits(p + n, v, n);
	return p + n;
}

/* ---- text ------------------------------------------------------------------------------------ */

/*
 * Whether a sequence of @n bytes, 2 or 3, is one that a terminal obeys or that turns the text around it: C1 controls
 * (U+0080 to U+009F), separators of lines (U+2028, U+2029), and what has the Unicode property Bidi_Control
 * (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
 */
static bool is_control_sequence(const unsigned char *s, unsigned int n)
{
	if (n == 2)
		return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
	if (n != 3 || s[0] != 0xe2)
		return false;
	if (s[1] == 0x80)
		return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae);
	return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9;
}

/*
 * The length of the UTF-8 sequence that begins at @s, of which @room bytes may be read; 0: there
 * is none (RFC 3629, section 4). @ret_is_control: it is a control character.
 */
static unsigned int sequence_length(const unsigned char *s, size_t room, bool *ret_is_control)
{
	unsigned char low = 0x80, high = 0xbf;
	unsigned int n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4, i;

	*ret_is_control = s[0] < ' ' || s[0] == 0x7f;
	if (n == 1)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4 || room < n)
		return 0;
	/* The second byte keeps out overlong forms, surrogates, and what is beyond U+10FFFF. */
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	for (i = 1; i < n; i++, low = 0x80, high = 0xbf)
		if (s[i] < low || s[i] > high)
			return 0;
	*ret_is_control = is_control_sequence(s, n);
	return n;
}

/*
 * Copies the characters at *@text up to @stop that no form of escaping changes, which are nearly
 * all in nearly every text, and moves *@text past them.
 */
static char *out_put_plain(char *p, const unsigned char **text, const unsigned char *stop)
{
	const unsigned char *s = *text;

	while (s < stop && *s >= ' ' && *s < 0x7f && *s != '"' && *s != ',' && *s != '\\')
		*p++ = (char)*s++;
	*text = s;
	return p;
}

static char *put_byte_escape(char *p, unsigned char byte)
{
	*p++ = '\\';
	*p++ = 'x';
	*p++ = hex_digits[byte >> 4];
	*p++ = hex_digits[byte & 15];
	return p;
}

/* Backslash and letter, if @byte has one; else NULL. */
static char *put_letter_escape(char *p, unsigned char byte)
{
	char letter = byte == '\n' ? 'n' : byte == '\r' ? 'r' : byte == '\t' ? 't' : 0;

	if (byte == '\\')
		letter = '\\';
	if (!letter)
		return NULL;
	*p++ = '\\';
	*p++ = letter;
	return p;
}

static bool out_is_in(const char *list, unsigned char byte)
{
	for (; *list; list++)
		if ((unsigned char)*list == byte)
			return true;
	return false;
}

/*
 * Escapes whole sequences until @max bytes of [@s, @end) or more are done; *@ret_rest: the rest. @also NULL: a
 * backslash stays one.
 */
static char *put_escaped_piece(char *p, const unsigned char *s, const unsigned char *end,
			       size_t max, const char *also, const unsigned char **ret_rest)
{
	const unsigned char *stop = (size_t)(end - s) > max ? s + max : end;

	for (p = out_put_plain(p, &s, stop); s < stop; p = out_put_plain(p, &s, stop)) {
		bool is_control;
		unsigned int n = sequence_length(s, (size_t)(end - s), &is_control);
		char *escaped = n == 1 && (also || *s != '\\') ? put_letter_escape(p, *s) : NULL;

		if (escaped) {
			p = escaped;
			s++;
		} else if (!n || is_control || (n == 1 && also && out_is_in(also, *s))) {
			p = put_byte_escape(p, *s++);
		} else {
			for (; n; n--)
				*p++ = (char)*s++;
		}
	}
	*ret_rest = s;
	return p;
}

char *lkst_put_escaped(char *p, const char *text, size_t length, const char *also)
{
	const unsigned char *s = (const unsigned char *)text;

	return put_escaped_piece(p, s, s + length, length, also, &s);
}

char *lkst_out_escaped(struct lkst_out *out, char *p, const char *text, size_t length,
		       const char *also)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + length;

	while (s < end) {
		p = lkst_out_more(out, p);
		p = put_escaped_piece(p, s, end, PIECE, also, &s);
	}
	return lkst_out_more(out, p);
}

/* ---- messages and cells ---------------------------------------------------------------------- */

/* What lkst_print_message() and lkst_out_message() put, with the line's end; NULL: no memory. */
static char *format_message(const char *format, va_list args, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	char *message;

	text = lkst_text_vformat(format, args, &length);
	message = text ? malloc(4 * length + 1) : NULL;
	if (!message)
		return NULL;
	*ret_length = (size_t)(lkst_put_escaped(message, text, length, NULL) - message);
	message[(*ret_length)++] = '\n';
	return message;
}

void lkst_print_message(FILE *to, const char *format, ...)
{
	_cleanup_free_ char *message = NULL;
	size_t length;
	va_list args;

	va_start(args, format);
	message = format_message(format, args, &length);
	va_end(args);
	if (message)
		fwrite(message, 1, length, to);
	else
		fputs("no memory for a message\n", to);
}

void lkst_out_message(struct lkst_out *out, const char *format, ...)
{
	_cleanup_free_ char *message = NULL;
	size_t length;
	va_list args;

	va_start(args, format);
	message = format_message(format, args, &length);
	va_end(args);
	if (message)
		lkst_out_bytes(out, message, length);
	else if (!out->error)
		out->error = -ENOMEM;
}

/* Whether a spreadsheet would calculate a cell that begins so. A number with a sign is only a number. */
static bool is_formula(const char *text, size_t length)
{
	size_t i;

	if (!length || !memchr("=+-@", text[0], 4))
		return false;
	for (i = 1; i < length && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.'); i++)
		;
	return text[0] == '=' || text[0] == '@' || i < length || length == 1;
}

char *lkst_out_cell(struct lkst_out *out, char *p, const char *text, size_t length)
{
	p = lkst_out_more(out, p);
	if (is_formula(text, length))
		*p++ = '\'';
	return lkst_out_escaped(out, p, text, length, "\",");
}

char *lkst_out_csv(struct lkst_out *out, char *p, const char *text, size_t length)
{
	const bool is_quoted = length && (memchr(text, '"', length) || memchr(text, ',', length));
	const char *end = text + length, *quote;

	p = lkst_out_more(out, p);
	if (is_quoted)
		*p++ = '"';
	if (is_formula(text, length))
		*p++ = '\'';
	while (length && (quote = memchr(text, '"', (size_t)(end - text)))) {
		p = lkst_out_escaped(out, p, text, (size_t)(quote - text), "");
		p = lkst_put_mem(p, "\"\"", 2);
		text = quote + 1;
	}
	p = lkst_out_escaped(out, p, text, (size_t)(end - text), "");
	if (is_quoted)
		*p++ = '"';
	return lkst_out_more(out, p);
}

char *lkst_put_utf8(char *p, const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + length;

	while (s < end) {
		bool is_control;
		unsigned int n = sequence_length(s, (size_t)(end - s), &is_control);

		p = n ? lkst_put_mem(p, s, n) : lkst_put_str(p, replacement);
		s += n ? n : 1;
	}
	return p;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A control character of @n bytes, at most three. */
static char *put_json_control(char *p, const unsigned char *s, unsigned int n)
{
	char *letter = n == 1 ? put_letter_escape(p, *s) : NULL;
	unsigned int code = s[0];

	if (letter)
		return letter;
	if (n > 1)
		code = n == 2 ? (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU)
			      : (s[0] & 0xfU) << 12 | (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU);
	p = lkst_put_str(p, "\\u");
	*p++ = hex_digits[code >> 12];
	*p++ = hex_digits[code >> 8 & 15];
	*p++ = hex_digits[code >> 4 & 15];
	*p++ = hex_digits[code & 15];
	return p;
}

static char *put_json_piece(char *p, const unsigned char *s, const unsigned char *end, size_t max,
			    const unsigned char **ret_rest)
{
	const unsigned char *stop = (size_t)(end - s) > max ? s + max : end;

	for (p = out_put_plain(p, &s, stop); s < stop; p = out_put_plain(p, &s, stop)) {
		bool is_control;
		unsigned int n = sequence_length(s, (size_t)(end - s), &is_control);

		if (!n) {
			p = lkst_put_str(p, replacement);
			s++;
		} else if (is_control) {
			p = put_json_control(p, s, n);
			s += n;
		} else {
			if (*s == '"' || *s == '\\')
				*p++ = '\\';
			for (; n; n--)
				*p++ = (char)*s++;
		}
	}
	*ret_rest = s;
	return p;
}

char *lkst_put_json(char *p, const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;

	*p++ = '"';
	p = put_json_piece(p, s, s + length, length, &s);
	*p++ = '"';
	return p;
}

char *lkst_out_json(struct lkst_out *out, char *p, const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + length;

	p = lkst_out_more(out, p);
	*p++ = '"';
	while (s < end) {
		p = put_json_piece(p, s, end, PIECE, &s);
		p = lkst_out_more(out, p);
	}
	*p++ = '"';
	return lkst_out_more(out, p);
}
