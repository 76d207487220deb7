/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints what a fuzz target has read, and looks at what came out. */
#include "lib/printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/block_header.h"
#include "print/account_text.h"
#include "print/table_text.h"
#include "trace/format/block.h"
#include "trace/read/gaps.h"

/* What an unsound output is for: it is shown, and the process ends. */
static void refuse(const char *why, const char *bytes, const char *at, const char *end)
{
	const char *from = at - bytes > 300 ? at - 300 : bytes,
		   *to = end - at > 100 ? at + 100 : end;

	fprintf(stderr, "printed: %s at byte %zu: <<", why, (size_t)(at - bytes));
	fwrite(from, 1, (size_t)(at - from), stderr);
	fputs(">>HERE<<", stderr);
	fwrite(at, 1, (size_t)(to - at), stderr);
	fputs(">>\n", stderr);
	abort();
}

/* ---- any output ------------------------------------------------------------------------------- */

/* The character at @s, by RFC 3629; *@ret_length: its bytes, 0: it is none. */
static u32 character(const u8 *s, const u8 *end, unsigned int *ret_length)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned int n = s[0] < 0x80   ? 1
			       : s[0] < 0xc0 ? 0
			       : s[0] < 0xe0 ? 2
			       : s[0] < 0xf0 ? 3
			       : s[0] < 0xf8 ? 4
					     : 0;
	u32 c = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));
	unsigned int i;

	*ret_length = 0;
	if (!n || (size_t)(end - s) < n)
		return 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c >= least[n] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff))
		*ret_length = n;
	return c;
}

/* Controls of C0 and C1 but for what a form has, separators of lines, and what has Bidi_Control (UAX #9). */
static bool is_command(u32 c, enum printed_form form)
{
	if (c == '\n' || (c == '\r' && form == PRINTED_CSV) ||
	    (c == '\t' && form == PRINTED_TABBED))
		return false;
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void check_characters(const char *bytes, size_t size, enum printed_form form)
{
	const u8 *s = (const u8 *)bytes, *end = s + size, *last = s;
	unsigned int length;

	for (; s < end; last = s, s += length) {
		const u32 c = character(s, end, &length);

		if (!length)
			refuse("no UTF-8", bytes, (const char *)s, (const char *)end);
		if (is_command(c, form))
			refuse("a control character", bytes, (const char *)s, (const char *)end);
		/* They are one line's end, and are nowhere alone. */
		if (form == PRINTED_CSV && (c == '\n') != (*last == '\r'))
			refuse("CR or LF alone", bytes, (const char *)s, (const char *)end);
	}
	if (size && end[-1] != '\n')
		refuse("no line's end at the end", bytes, (const char *)end, (const char *)end);
}

/* ---- CSV -------------------------------------------------------------------------------------- */

/* Whether a spreadsheet would calculate the cell: digits behind a sign are only a number. */
static bool is_formula(const char *s, const char *end)
{
	const char *at = s + 1;

	if (s == end || !memchr("=+-@", *s, 4))
		return false;
	while (at < end && ((*at >= '0' && *at <= '9') || *at == '.'))
		at++;
	if (at > s + 1 && end - at > 2 && *at == 'e' && memchr("+-", at[1], 2))
		for (at += 2; at < end && *at >= '0' && *at <= '9'; at++)
			;
	return *s == '=' || *s == '@' || at == s + 1 || at < end;
}

static void check_csv(const char *bytes, size_t size)
{
	const char *s = bytes, *end = bytes + size, *cell, *stop;

	while (s < end) {
		const bool is_quoted = *s == '"';

		cell = s += is_quoted;
		while (s < end && (is_quoted ? *s != '"' || (s + 1 < end && s[1] == '"')
					     : !memchr(",\r\n", *s, 3)))
			s += is_quoted && *s == '"' ? 2 : 1;
		stop = s;
		if (s < end && is_quoted)
			s++;
		if (s >= end || !memchr(",\r\n", *s, 3))
			refuse("a cell without end", bytes, s, end);
		if (!is_quoted && memchr(cell, '"', (size_t)(stop - cell)))
			refuse("a quote in a cell without", bytes, cell, end);
		if (is_formula(cell, stop))
			refuse("a formula", bytes, cell, end);
		s += *s == '\r' ? 2 : 1;
	}
}

/* ---- JSON (RFC 8259) -------------------------------------------------------------------------- */

struct json {
	const char *begin, *s, *end;
	unsigned int depth;
};

static void json_refuse(const struct json *j, const char *why)
{
	refuse(why, j->begin, j->s, j->end);
}

static char json_next(struct json *j)
{
	while (j->s < j->end && (*j->s == ' ' || *j->s == '\n'))
		j->s++;
	return j->s < j->end ? *j->s : 0;
}

/* What is at the place; 0: nothing. */
static char json_at(const struct json *j)
{
	return j->s < j->end ? *j->s : 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void json_escape(struct json *j)
{
	unsigned int i;

	if (json_at(j) != 'u') {
		if (!json_at(j) || !strchr("\"\\/bfnrt", json_at(j)))
			json_refuse(j, "an escape that JSON does not have");
		return;
	}
	for (i = 0; i < 4; i++) {
		j->s++;
		if (!json_at(j) || !strchr("0123456789abcdefABCDEF", json_at(j)))
			json_refuse(j, "an escape of less than four digits");
	}
}

static void json_string(struct json *j)
{
	for (j->s++; j->s < j->end && *j->s != '"'; j->s++) {
		if (*j->s == '\n')
			json_refuse(j, "a line's end in a string");
		if (*j->s == '\\') {
			j->s++;
			json_escape(j);
		}
	}
	if (j->s == j->end)
		json_refuse(j, "a string without end");
	j->s++;
}

static void json_digits(struct json *j)
{
	if (!is_digit(json_at(j)))
		json_refuse(j, "a number without digits");
	while (is_digit(json_at(j)))
		j->s++;
}

static void json_number(struct json *j)
{
	j->s += json_at(j) == '-';
	if (json_at(j) == '0')
		j->s++;
	else
		json_digits(j);
	if (json_at(j) == '.') {
		j->s++;
		json_digits(j);
	}
	if (json_at(j) == 'e' || json_at(j) == 'E') {
		j->s++;
		j->s += json_at(j) == '-' || json_at(j) == '+';
		json_digits(j);
	}
	if (is_digit(json_at(j)))
		json_refuse(j, "a number that begins with 0");
}

static void json_value(struct json *j);

static void json_list(struct json *j, char stop)
{
	if (++j->depth > LKST_JSON_DEPTH_MAX)
		json_refuse(j, "too deep");
	j->s++;
	if (json_next(j) == stop) {
		j->s++;
		j->depth--;
		return;
	}
	for (;; j->s++) {
		if (stop == '}') {
			if (json_next(j) != '"')
				json_refuse(j, "a member without name");
			json_string(j);
			if (json_next(j) != ':')
				json_refuse(j, "a member without value");
			j->s++;
		}
		json_value(j);
		if (json_next(j) != ',')
			break;
	}
	if (json_next(j) != stop)
		json_refuse(j, "a list without end");
	j->s++;
	j->depth--;
}

static void json_value(struct json *j)
{
	static const char *const words[] = { "true", "false", "null" };
	const char c = json_next(j);
	unsigned int i;

	if (c == '"')
		json_string(j);
	else if (c == '{' || c == '[')
		json_list(j, c == '{' ? '}' : ']');
	else if (c == '-' || (c >= '0' && c <= '9'))
		json_number(j);
	else {
		for (i = 0; i < 3; i++)
			if ((size_t)(j->end - j->s) >= strlen(words[i]) &&
			    !memcmp(j->s, words[i], strlen(words[i])))
				break;
		if (i == 3)
			json_refuse(j, "no value");
		j->s += strlen(words[i]);
	}
}

static void check_json(const char *bytes, size_t size)
{
	struct json j = { .begin = bytes, .s = bytes, .end = bytes + size };

	while (json_next(&j))
		json_value(&j);
	if (j.s != j.end)
		json_refuse(&j, "a NUL");
}

void printed_check(const char *bytes, size_t length, enum printed_form form)
{
	check_characters(bytes, length, form);
	if (form == PRINTED_CSV || form == PRINTED_COLUMNS)
		check_csv(bytes, length);
	else if (form == PRINTED_JSON)
		check_json(bytes, length);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

static struct lkst_out *out;
static char *printed;
static size_t printed_size;

struct lkst_out *printed_begin(void)
{
	if (!out) {
		FILE *to = open_memstream(&printed, &printed_size);

		out = malloc(sizeof(*out));
		if (!out || !to)
			abort();
		out->to = to;
	}
	rewind(out->to);
	lkst_out_init_stream(out, out->to);
	return out;
}

/* Nearly all outputs are in the buffer to their end. */
void printed_end(enum printed_form form)
{
	const char *bytes = out->buffer;
	size_t size = out->used;

	if (out->error)
		abort();
	if (ftello(out->to)) {
		if (lkst_out_flush(out) || fflush(out->to))
			abort();
		bytes = printed;
		size = printed_size;
	}
	printed_check(bytes, size, form);
}

/* ---- tables and texts ------------------------------------------------------------------------- */

static void print_tables(const struct lkst_table *const *tables, unsigned int nr,
			 enum lkst_table_format format, bool is_plain)
{
	static const enum printed_form forms[] = { [LKST_TABLE_TEXT] = PRINTED_TEXT,
						   [LKST_TABLE_CSV] = PRINTED_CSV,
						   [LKST_TABLE_JSON] = PRINTED_JSON };
	struct lkst_table_printer p;
	unsigned int i;

	if (format >= sizeof(forms) / sizeof(forms[0]))
		abort(); /* a new format has its row here */
	lkst_table_printer_init(&p, printed_begin(), format, 0);
	p.is_plain = is_plain;
	for (i = 0; i < nr; i++)
		lkst_table_print(&p, tables[i]);
	lkst_table_printer_end(&p);
	printed_end(forms[format]);
}

void printed_tables(const struct lkst_table *const *tables, unsigned int nr)
{
	struct lkst_choice format;
	unsigned int i;

	for (i = 0; lkst_table_format_choices(i, &format); i++)
		print_tables(tables, nr, (enum lkst_table_format)i, false);
	print_tables(tables, nr, LKST_TABLE_TEXT, true);
}

void printed_names(const char *const *texts, unsigned int nr)
{
	static const struct lkst_column columns[] = { { "name", "NAME", LKST_COLUMN_TEXT, "" },
						      { "number", "NUMBER", LKST_COLUMN_COUNT,
							"" } };
	const struct lkst_table *tables[1];
	struct lkst_table t;
	unsigned int i;

	lkst_table_init_of(&t, "names", "names", columns);
	for (i = 0; i < nr; i++) {
		lkst_table_row(&t);
		lkst_table_str(&t, texts[i]);
		lkst_table_u64(&t, i);
	}
	if (lkst_table_end(&t))
		abort();
	tables[0] = &t;
	printed_tables(tables, 1);
	lkst_table_fini(&t);
	printed_begin();
	for (i = 0; i < nr; i++)
		lkst_out_message(out, "lkst: %s", texts[i]);
	printed_end(PRINTED_TEXT);
}

void printed_name(const char *text, size_t length)
{
	char *copy = strndup(text, length);
	const char *const texts[] = { copy };

	if (!copy)
		abort();
	printed_names(texts, 1);
	free(copy);
}

void printed_error(const struct lkst_err *e)
{
	if (!e->text[0] || e->mark > strlen(e->line))
		abort();
	printed_begin();
	lkst_out_message(out, "lkst: %s", e->text);
	lkst_out_message(out, "  %s", e->line);
	printed_end(PRINTED_TEXT);
}

void printed_notes(const struct lkst_notes *n)
{
	printed_names((const char *const *)n->text, n->nr);
}

/* ---- accounts --------------------------------------------------------------------------------- */

void printed_account(const struct lkst_view_config *config, const struct lkst_account *a)
{
	struct lkst_view_config c = *config;
	struct lkst_choice format;
	unsigned int i;

	for (i = 0; lkst_account_format_choices(i, &format); i++) {
		c.out = printed_begin();
		if (lkst_view_account(&c, a, (enum lkst_account_format)i, true))
			abort();
		printed_end(i == LKST_ACCOUNT_AS_JSON ? PRINTED_JSON : PRINTED_TEXT);
	}
	if (!lkst_view_account_steps(a))
		return;
	c.out = printed_begin();
	if (lkst_view_account_line(&c, a))
		abort();
	lkst_out_str(c.out, "\n");
	printed_end(PRINTED_TEXT);
}

/* ---- records ---------------------------------------------------------------------------------- */

static enum printed_form form_of(const struct lkst_view *view)
{
	return view == &lkst_view_json	   ? PRINTED_JSON
	       : view == &lkst_view_csv	   ? PRINTED_COLUMNS
	       : view == &lkst_view_flight ? PRINTED_TABBED
					   : PRINTED_TEXT;
}

void printed_records(const struct lkst_view_config *config, const struct lkst_record *records,
		     unsigned int nr)
{
	static const struct lkst_gap gap = { .from_ns = 1, .to_ns = 2, .events = 3, .why = "why" };
	struct lkst_view_config c = *config;
	const struct lkst_view *view;
	struct lkst_choice choice;
	struct lkst_err e;
	unsigned int i, k;
	void *ctx;

	for (i = 0; lkst_view_choices(i, &choice); i++) {
		view = lkst_view_of_choice(i);
		c.out = printed_begin();
		if (view->begin(&e, &c, &ctx))
			abort();
		for (k = 0; k < nr; k++)
			if (view->record(ctx, &records[k]))
				abort();
		if (view->gap(ctx, &gap) || view->end(ctx))
			abort();
		printed_end(form_of(view));
	}
}

/* The record of @event whose fields are all @fill, as far as one can be so. */
static bool fill_record(const struct lkst_catalog *c, const struct lkst_event_class *event, u8 fill,
			u8 *bytes, size_t size, struct lkst_record *ret_record)
{
	struct lkst_record_head head = { .id_time = event->id };
	struct lkst_block_cursor cursor;
	struct lkst_block block;
	u8 *at = bytes + LKST_BLOCK_HEADER;

	memset(bytes, 0, size);
	put_block_header(bytes, 0, 0, (u32)size, (u32)(size - LKST_BLOCK_HEADER));
	if (event->size > size - LKST_BLOCK_HEADER)
		return false;
	if (event->size > sizeof(head))
		memset(at + sizeof(head), fill, event->size - sizeof(head));
	memcpy(at, &head, sizeof(head));
	if (lkst_block_parse(NULL, bytes, size, NULL, &block))
		return false;
	lkst_block_cursor_init(&cursor, &block);
	return lkst_block_next(NULL, &cursor, c, ret_record) > 0;
}

void printed_catalog(const struct lkst_catalog *c, u8 fill)
{
	enum { BLOCK = 4096 };
	const char *const names[] = { c->hostname, c->release, c->version, c->machine };
	struct lkst_view_config config = { .catalog = c,
					   .threads = lkst_threads_new(),
					   .has_cgroups = true };
	u8 *bytes = malloc(BLOCK);
	struct lkst_record r;
	unsigned int id;

	if (!bytes || !config.threads)
		abort();
	printed_names(names, 4);
	for (id = 1; id <= LKST_ID_MAX; id++)
		if (c->classes[id] && fill_record(c, c->classes[id], fill, bytes, BLOCK, &r)) {
			printed_names((const char *const[]){ c->classes[id]->name }, 1);
			printed_records(&config, &r, 1);
		}
	lkst_threads_free((struct lkst_threads *)config.threads);
	free(bytes);
}
