/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about a machine: kept, and printed. */
#include "cmd/doctor/facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/size.h"

enum { FILE_MAX = 1 << 20, COLUMNS_MAX = 100, VALUE_COLUMN = 29 };

static struct lkst_fact *add_fact(struct lkst_facts *f, const char *key, enum lkst_fact_type type,
				  u64 value)
{
	struct lkst_fact *fact = f->nr < LKST_FACTS_MAX ? &f->list[f->nr++] : &f->spare;

	*fact = (struct lkst_fact){
		.section = f->section, .key = key, .type = type, .value = value
	};
	return fact;
}

struct lkst_fact *lkst_fact_text(struct lkst_facts *f, const char *key, const char *format, ...)
{
	struct lkst_fact *fact = add_fact(f, key, LKST_FACT_TEXT_VALUE, 0);
	va_list args;

	va_start(args, format);
	vsnprintf(fact->text, sizeof(fact->text), format, args);
	va_end(args);
	return fact;
}

struct lkst_fact *lkst_fact_number(struct lkst_facts *f, const char *key, u64 value)
{
	return add_fact(f, key, LKST_FACT_NUMBER, value);
}

struct lkst_fact *lkst_fact_bytes(struct lkst_facts *f, const char *key, u64 bytes)
{
	return add_fact(f, key, LKST_FACT_BYTES, bytes);
}

struct lkst_fact *lkst_fact_flag(struct lkst_facts *f, const char *key, bool value)
{
	return add_fact(f, key, LKST_FACT_FLAG, value);
}

struct lkst_fact *lkst_fact_unknown(struct lkst_facts *f, const char *key, const char *format, ...)
{
	struct lkst_fact *fact = add_fact(f, key, LKST_FACT_UNKNOWN, 0);
	va_list args;

	va_start(args, format);
	vsnprintf(fact->text, sizeof(fact->text), format, args);
	va_end(args);
	return fact;
}

void lkst_fact_lacks(struct lkst_fact *fact, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fact->lacks, sizeof(fact->lacks), format, args);
	va_end(args);
}

/* ---- files ------------------------------------------------------------------------------------ */

int lkst_facts_read(const struct lkst_facts *f, const char *path, char text[LKST_FACT_TEXT])
{
	_cleanup_free_ char *bytes = NULL;
	size_t length, begin = 0;
	int err = lkst_read_file(NULL, f->root, path, FILE_MAX, &bytes, &length);

	if (err)
		return err;
	length = strcspn(bytes, "\n");
	while (length && isblank((unsigned char)bytes[length - 1]))
		length--;
	while (begin < length && isblank((unsigned char)bytes[begin]))
		begin++;
	snprintf(text, LKST_FACT_TEXT, "%.*s", (int)(length - begin), bytes + begin);
	return 0;
}

bool lkst_facts_has(const struct lkst_facts *f, const char *path)
{
	return !faccessat(f->root, path, F_OK, 0);
}

/* Says why @path cannot be read. */
static struct lkst_fact *add_unread(struct lkst_facts *f, const char *key, const char *path,
				    int err)
{
	if (err == -ENOENT)
		return lkst_fact_unknown(f, key, "there is no /%s", path);
	if (err == -EACCES || err == -EPERM)
		return lkst_fact_unknown(f, key, "this user may not read /%s", path);
	return lkst_fact_unknown(f, key, "/%s cannot be read: %s", path, strerror(-err));
}

struct lkst_fact *lkst_fact_line_of(struct lkst_facts *f, const char *key, const char *path)
{
	char text[LKST_FACT_TEXT];
	int err = lkst_facts_read(f, path, text);

	return err ? add_unread(f, key, path, err) : lkst_fact_text(f, key, "%s", text);
}

struct lkst_fact *lkst_fact_number_of(struct lkst_facts *f, const char *key, const char *path)
{
	char text[LKST_FACT_TEXT], *end;
	int err = lkst_facts_read(f, path, text);
	u64 value;

	if (err)
		return add_unread(f, key, path, err);
	value = strtoull(text, &end, 10);
	if (end == text || *end)
		return lkst_fact_unknown(f, key, "/%s has no number", path);
	return lkst_fact_number(f, key, value);
}

const struct lkst_fact *lkst_facts_find(const struct lkst_facts *f, const char *section,
					const char *key)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (!strcmp(f->list[i].section, section) && !strcmp(f->list[i].key, key))
			return &f->list[i];
	return NULL;
}

unsigned int lkst_facts_nr_lacks(const struct lkst_facts *f)
{
	unsigned int i, nr = 0;

	for (i = 0; i < f->nr; i++)
		nr += f->list[i].lacks[0] != 0;
	return nr;
}

/* ---- text ------------------------------------------------------------------------------------- */

void lkst_facts_wrap(struct lkst_out *out, unsigned int at, const char *text)
{
	unsigned int column = at;
	bool is_first = true;
	size_t length;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		length = strcspn(text, " ");
		if (!is_first && column + 1 + length > COLUMNS_MAX) {
			lkst_out_printf(out, "\n%*s", (int)at, "");
			column = at;
		} else if (!is_first) {
			lkst_out_str(out, " ");
			column++;
		}
		lkst_out_advance(out,
				 lkst_out_escaped(out, lkst_out_room(out), text, length, NULL));
		column += (unsigned int)length;
		text += length;
		is_first = false;
	}
	lkst_out_str(out, "\n");
}

static void write_value(const struct lkst_fact *fact, char *text, size_t size)
{
	char bytes[LKST_SIZE_TEXT];

	switch (fact->type) {
	case LKST_FACT_TEXT_VALUE:
		snprintf(text, size, "%s", fact->text);
		break;
	case LKST_FACT_NUMBER:
		snprintf(text, size, "%llu", (unsigned long long)fact->value);
		break;
	case LKST_FACT_BYTES:
		lkst_size_format(fact->value, bytes);
		snprintf(text, size, "%s", bytes);
		break;
	case LKST_FACT_FLAG:
		snprintf(text, size, "%s", fact->value ? "yes" : "no");
		break;
	case LKST_FACT_UNKNOWN:
		snprintf(text, size, "not known: %s", fact->text);
		break;
	}
}

void lkst_facts_print(const struct lkst_facts *f, struct lkst_out *out)
{
	char value[LKST_FACT_TEXT + 32];
	const char *section = "";
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		const struct lkst_fact *fact = &f->list[i];

		if (strcmp(section, fact->section)) {
			section = fact->section;
			lkst_out_printf(out, "\n%s\n", section);
		}
		write_value(fact, value, sizeof(value));
		lkst_out_printf(out, "  %-*s", VALUE_COLUMN - 2, fact->key);
		lkst_facts_wrap(out, VALUE_COLUMN, value);
		if (fact->lacks[0]) {
			lkst_out_str(out, "    ! ");
			lkst_facts_wrap(out, strlen("    ! "), fact->lacks);
		}
	}
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void facts_put_value(const struct lkst_fact *fact, struct lkst_json *j)
{
	switch (fact->type) {
	case LKST_FACT_TEXT_VALUE:
		lkst_json_str(j, fact->key, fact->text);
		break;
	case LKST_FACT_NUMBER:
	case LKST_FACT_BYTES:
		lkst_json_u64(j, fact->key, fact->value);
		break;
	case LKST_FACT_FLAG:
		lkst_json_bool(j, fact->key, fact->value);
		break;
	case LKST_FACT_UNKNOWN:
		lkst_json_null(j, fact->key);
		break;
	}
}

/* An array @name of the facts that have @text_of, with that. */
static void put_texts(const struct lkst_facts *f, struct lkst_json *j, const char *name,
		      const char *(*text_of)(const struct lkst_fact *fact))
{
	unsigned int i;

	lkst_json_array(j, name);
	for (i = 0; i < f->nr; i++) {
		const char *text = text_of(&f->list[i]);

		if (!text[0])
			continue;
		lkst_json_object(j, NULL);
		lkst_json_str(j, "section", f->list[i].section);
		lkst_json_str(j, "key", f->list[i].key);
		lkst_json_str(j, "text", text);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static const char *lacks_of(const struct lkst_fact *fact)
{
	return fact->lacks;
}

static const char *unknown_of(const struct lkst_fact *fact)
{
	return fact->type == LKST_FACT_UNKNOWN ? fact->text : "";
}

void lkst_facts_put(const struct lkst_facts *f, struct lkst_json *j)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		if (!i || strcmp(f->list[i].section, f->list[i - 1].section))
			lkst_json_object(j, f->list[i].section);
		facts_put_value(&f->list[i], j);
		if (i + 1 == f->nr || strcmp(f->list[i].section, f->list[i + 1].section))
			lkst_json_end(j);
	}
	put_texts(f, j, "lacks", lacks_of);
	put_texts(f, j, "unknown", unknown_of);
}
