/* SPDX-License-Identifier: GPL-2.0-only */
/* The catalogue as CTF 1.8 metadata. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "trace/format/metadata.h"
#include "trace/format/metadata_layout.h"
#include "trace/format/metadata_text.h"

enum { ALIASES_ROOM = 32 }; /* in lkst_ctf_aliases[] */

static void metadata_format_put_int(FILE *f, const struct lkst_ctf_int *t)
{
	fprintf(f, "integer { size = %u; align = %u; signed = %s;", t->bits, t->align,
		t->is_signed ? "true" : "false");
	if (t->base != 10)
		fprintf(f, " base = %u;", t->base);
	if (t->is_text)
		fputs(" encoding = UTF8;", f);
	if (t->is_clock)
		fputs(" map = clock." LKST_CTF_CLOCK ".value;", f);
	fputs(" }", f);
}

static void put_aliases(FILE *f, bool of_clock)
{
	const struct lkst_ctf_alias *a;

	for (a = lkst_ctf_aliases; a->name; a++) {
		if (a->type.is_clock != of_clock)
			continue;
		fputs("typealias ", f);
		metadata_format_put_int(f, &a->type);
		fprintf(f, " := %s;\n", a->name);
	}
	fputc('\n', f);
}

static void put_struct(FILE *f, const struct lkst_ctf_struct *s)
{
	const struct lkst_ctf_member *m;

	fprintf(f, "\t%s := struct {\n", s->scope);
	for (m = s->members; m->name; m++) {
		fprintf(f, "\t\t%s %s", m->alias, m->name);
		if (m->count)
			fprintf(f, "[%u]", m->count);
		fputs(";\n", f);
	}
	fputs("\t}", f);
	if (s->align)
		fprintf(f, " align(%u)", s->align);
	fputs(";\n", f);
}

static void metadata_format_put_trace(FILE *f, const struct lkst_catalog *c)
{
	static const u8 unknown[16];

	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", f);
	lkst_tsdl_put_uuid(f, c->uuid);
	fputs("\";\n\tbyte_order = le;\n", f);
	put_struct(f, &lkst_ctf_packet_header);
	fputs("};\n\nenv {\n", f);
	lkst_tsdl_put_env(f, "hostname", c->hostname);
	lkst_tsdl_put_env(f, "domain", "kernel");
	lkst_tsdl_put_env(f, "sysname", "Linux");
	lkst_tsdl_put_env(f, "kernel_release", c->release);
	lkst_tsdl_put_env(f, "kernel_version", c->version);
	lkst_tsdl_put_env(f, "machine", c->machine);
	if (memcmp(c->boot_id, unknown, sizeof(unknown)) != 0) {
		fputs("\tboot_id = \"", f);
		lkst_tsdl_put_uuid(f, c->boot_id);
		fputs("\";\n", f);
	}
	lkst_tsdl_put_env(f, "tracer_name", "lkst");
	if (c->has_hashed_addresses)
		lkst_tsdl_put_env(f, "kernel_addresses", "hashed");
	fprintf(f, "\tlkst_format = %u;\n", LKST_CTF_FORMAT);
	/* absolute: readers may lay traces of several machines side by side by time of day. */
	fprintf(f,
		"};\n\nclock {\n\tname = \"" LKST_CTF_CLOCK "\";\n"
		"\tdescription = \"CLOCK_MONOTONIC; with the offset, time of day as recording began\";\n"
		"\tfreq = %u;\n\toffset = %llu;\n\tabsolute = true;\n};\n\n",
		LKST_CTF_CLOCK_HZ, (unsigned long long)c->clock_offset_ns);
}

/* The name of the integer type of field @field, or of its elements. */
static const char *alias_of(const struct lkst_field_class *field)
{
	const struct lkst_ctf_alias *a;
	struct lkst_ctf_int t = { .bits = field->size * 8, .base = field->base };

	t.is_signed = field->type == LKST_CLASS_SINT || field->type == LKST_CLASS_SINTS;
	t.is_text = field->type == LKST_CLASS_CHARS || field->type == LKST_CLASS_TEXT;
	if (t.is_text || field->type == LKST_CLASS_BYTES) {
		t.bits = 8;
		t.base = 10;
	}
	for (a = lkst_ctf_aliases; a->name; a++)
		if (a->type.bits == t.bits && a->type.base == t.base &&
		    a->type.is_signed == t.is_signed && a->type.is_text == t.is_text &&
		    !a->type.is_clock)
			return a->name;
	return "";
}

/*
 * What the values of @field mean, if a reader cannot find that by the names of event and field or in
 * the table of system calls; else 0.
 */
static u8 told_meaning(const struct lkst_event_class *event, const struct lkst_field_class *field)
{
	if (event->index >= 0 || event->syscall >= 0 || !*alias_of(field) ||
	    field->meaning == LKST_MEANING_TEXT || field->meaning == LKST_MEANING_PAD)
		return 0;
	return field->meaning > LKST_MEANING_HEX ? field->meaning : 0;
}

/* The aliases with a meaning that fields have, each once. */
static void put_meanings(FILE *f, const struct lkst_catalog *c)
{
	bool is_put[LKST_NR_MEANINGS][ALIASES_ROOM] = {};
	u32 id;
	u16 i;

	for (id = 1; id <= LKST_ID_MAX; id++)
		for (i = 0; c->classes[id] && i < c->classes[id]->nr_fields; i++) {
			const struct lkst_field_class *field = &c->classes[id]->fields[i];
			u8 meaning = told_meaning(c->classes[id], field);
			const struct lkst_ctf_alias *a = lkst_ctf_alias_find(alias_of(field));

			if (!meaning || is_put[meaning][a - lkst_ctf_aliases])
				continue;
			is_put[meaning][a - lkst_ctf_aliases] = true;
			fputs("typealias ", f);
			metadata_format_put_int(f, &a->type);
			fprintf(f, " := %s_%s;\n", lkst_meaning_names[meaning], a->name);
		}
}

/* The type of field @field of @event, or of its elements, and its name. */
static void put_typed(FILE *f, const struct lkst_event_class *event,
		      const struct lkst_field_class *field)
{
	u8 meaning = told_meaning(event, field);

	fputs("\t\t", f);
	if (meaning)
		fprintf(f, "%s_", lkst_meaning_names[meaning]);
	/* Readers take one underscore off; without it a name might be a word of the language. */
	fprintf(f, "%s _%s", alias_of(field), field->name);
}

static void metadata_format_put_field(FILE *f, const struct lkst_event_class *event, u16 i)
{
	const struct lkst_field_class *field = &event->fields[i];

	if (field->type == LKST_CLASS_STRING) {
		fprintf(f, "\t\tstring _%s;\n", field->name);
		return;
	}
	put_typed(f, event, field);
	if (lkst_class_has_length(field))
		fprintf(f, "[_%s]", event->fields[field->length_field].name);
	else if (field->count && field->type != LKST_CLASS_UINT && field->type != LKST_CLASS_SINT)
		fprintf(f, "[%u]", field->count);
	fputs(";\n", f);
}

static void put_event_start(FILE *f, const char *name, u16 id)
{
	fputs("event {\n\tname = ", f);
	lkst_tsdl_put_quoted(f, name);
	fprintf(f, ";\n\tid = %u;\n\tstream_id = %u;\n\tfields := struct {\n", id,
		LKST_STREAM_CLASS);
}

static void put_events(FILE *f, const struct lkst_catalog *c)
{
	u32 id;
	u16 i;

	for (id = 1; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event)
			continue;
		fputc('\n', f);
		put_event_start(f, event->name, event->id);
		for (i = 0; i < event->nr_fields; i++)
			metadata_format_put_field(f, event, i);
		fputs("\t};\n};\n", f);
	}
}

static void put_stream(FILE *f)
{
	fprintf(f, "stream {\n\tid = %u;\n", LKST_STREAM_CLASS);
	put_struct(f, &lkst_ctf_event_header);
	put_struct(f, &lkst_ctf_packet_context);
	put_struct(f, &lkst_ctf_event_context);
	fputs("};\n", f);
}

int lkst_metadata_format(struct lkst_err *e, const struct lkst_catalog *c, char **ret_text)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	int failed;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "cannot write metadata");
	fputs(LKST_CTF_SIGNATURE "\n\n", f);
	put_aliases(f, false);
	put_meanings(f, c);
	metadata_format_put_trace(f, c);
	put_aliases(f, true);
	put_stream(f);
	put_events(f, c);
	failed = ferror(f);
	if (fclose(f) || failed) {
		free(text);
		return lkst_err_sys(e, -ENOMEM, "cannot write metadata");
	}
	*ret_text = text;
	return 0;
}
