/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses CTF 1.8 metadata into a catalogue. Takes what metadata_format.c writes: blocks of
 * attributes, structs one level deep. There is no recursion, and each list has a ceiling.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "trace/format/catalog.h"
#include "trace/format/metadata.h"
#include "trace/format/metadata_layout.h"
#include "trace/format/metadata_lex.h"
#include "trace/format/pack.h"

enum {
	CTF_ALIASES_MAX = 256,
	CTF_MEMBERS_MAX = LKST_FIELDS_MAX,
};

/* A member of a struct as it is declared. */
struct ctf_decl {
	char name[LKST_NAME_MAX];
	bool is_string;
	struct lkst_ctf_int type;	 /* unless it is a string */
	u8 meaning;			 /* enum lkst_meaning; 0: its type's name gives none */
	u16 count;			 /* of a fixed array, else 0 */
	char length_name[LKST_NAME_MAX]; /* of the field that counts a sequence, else "" */
};

struct ctf_parser {
	struct lkst_lex lex;
	struct lkst_catalog *catalog;
	u32 seen; /* the blocks that have come */

	u32 nr_aliases;
	struct {
		char name[LKST_NAME_MAX];
		struct lkst_ctf_int type;
		u8 meaning;
	} aliases[CTF_ALIASES_MAX];

	/* The struct that was parsed last. */
	u32 nr_members, align;
	struct ctf_decl members[CTF_MEMBERS_MAX];
	struct lkst_field_class fields[CTF_MEMBERS_MAX];
};

/*
 * Takes the value of attribute @name, up to but without the semicolon. Returns a bit of the caller's
 * choice that stands for the attribute, or a negative error.
 */
typedef int ctf_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg);

/* ---- attributes ------------------------------------------------------------------- */

/*
 * Parses "{ name = value; ... }", or with ":=". The bit of an attribute may come only once, and all
 * of @needed must come. @what is being parsed, for the error.
 */
static int ctf_parse_block(struct lkst_err *e, struct ctf_parser *p, const char *what, u32 needed,
			   ctf_attribute *attribute, void *arg)
{
	char name[LKST_LEX_TEXT_MAX];
	u32 seen = 0;
	int err = lkst_lex_mark(e, &p->lex, '{');

	while (!err && !lkst_lex_at(&p->lex, '}')) {
		bool is_type;
		int bit;

		err = lkst_lex_word(e, &p->lex, name);
		if (err)
			break;
		is_type = p->lex.token == LKST_TOKEN_ASSIGN;
		err = is_type ? lkst_lex_assign(e, &p->lex) : lkst_lex_mark(e, &p->lex, '=');
		if (err)
			break;
		bit = attribute(e, p, name, arg);
		if (bit < 0)
			return bit;
		if (seen & (u32)bit)
			return lkst_lex_fail(e, &p->lex, "%s has %.64s twice", what, name);
		seen |= (u32)bit;
		err = lkst_lex_mark(e, &p->lex, ';');
	}
	if (!err)
		err = lkst_lex_mark(e, &p->lex, '}');
	if (!err && (seen & needed) != needed)
		return lkst_lex_fail(e, &p->lex, "%s lacks an attribute", what);
	return err;
}

/* Fails: @what has no attribute @name. */
static int ctf_unknown(struct lkst_err *e, struct ctf_parser *p, const char *what, const char *name)
{
	return lkst_lex_fail(e, &p->lex, "%s has an attribute %.64s, which is not known here", what,
			     name);
}

/* Each takes one token, which must be @value. */
static int ctf_expect_number(struct lkst_err *e, struct ctf_parser *p, const char *name, u64 value)
{
	u64 number;
	int err = lkst_lex_number(e, &p->lex, UINT64_MAX, &number);

	if (!err && number != value)
		return lkst_lex_fail(e, &p->lex, "%s is %llu, but only %llu can be read", name,
				     (unsigned long long)number, (unsigned long long)value);
	return err;
}

static int ctf_expect_word(struct lkst_err *e, struct ctf_parser *p, const char *name, const char *value)
{
	char word[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_word(e, &p->lex, word);

	if (!err && strcmp(word, value))
		return lkst_lex_fail(e, &p->lex, "%s is %.64s, but only %s can be read", name, word,
				     value);
	return err;
}

/* ---- types -------------------------------------------------------------------------- */

static int take_bool(struct lkst_err *e, struct ctf_parser *p, bool *ret)
{
	char word[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_word(e, &p->lex, word);

	if (err)
		return err;
	if (strcmp(word, "true") && strcmp(word, "false"))
		return lkst_lex_fail(e, &p->lex, "true or false was expected here");
	*ret = word[0] == 't';
	return 0;
}

static int take_u8(struct lkst_err *e, struct ctf_parser *p, u8 *ret)
{
	u64 number;
	int err = lkst_lex_number(e, &p->lex, 255, &number);

	if (!err)
		*ret = (u8)number;
	return err;
}

static int int_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg)
{
	struct lkst_ctf_int *t = arg;
	int err;

	if (!strcmp(name, "size"))
		return (err = take_u8(e, p, &t->bits)) ? err : 1;
	if (!strcmp(name, "align"))
		return (err = take_u8(e, p, &t->align)) ? err : 2;
	if (!strcmp(name, "signed"))
		return (err = take_bool(e, p, &t->is_signed)) ? err : 4;
	if (!strcmp(name, "base"))
		return (err = take_u8(e, p, &t->base)) ? err : 8;
	if (!strcmp(name, "encoding")) {
		t->is_text = true;
		return (err = ctf_expect_word(e, p, "encoding", "UTF8")) ? err : 16;
	}
	if (!strcmp(name, "map")) {
		t->is_clock = true;
		err = ctf_expect_word(e, p, "map", "clock." LKST_CTF_CLOCK ".value");
		return err ? err : 32;
	}
	return ctf_unknown(e, p, "an integer", name);
}

/* After the word "integer". */
static int metadata_types_parse_int(struct lkst_err *e, struct ctf_parser *p, struct lkst_ctf_int *ret_type)
{
	struct lkst_ctf_int t = { .base = 10 };
	int err = ctf_parse_block(e, p, "an integer", 1 | 2 | 4, int_attribute, &t);

	if (err)
		return err;
	if (!t.bits || t.bits > 64 || !t.align || t.align > 64 || (t.align & (t.align - 1)))
		return lkst_lex_fail(e, &p->lex,
				     "an integer of %u bits, aligned to %u, makes no sense", t.bits,
				     t.align);
	*ret_type = t;
	return 0;
}

/* The type of @m is the alias called @name. */
static int find_alias(struct lkst_err *e, struct ctf_parser *p, const char *name, struct ctf_decl *m)
{
	u32 i;

	for (i = 0; i < p->nr_aliases; i++)
		if (!strcmp(p->aliases[i].name, name)) {
			m->type = p->aliases[i].type;
			m->meaning = p->aliases[i].meaning;
			return 0;
		}
	return lkst_lex_fail(e, &p->lex, "there is no type %.64s", name);
}

/* After the word "typealias", to its semicolon. */
static int ctf_parse_alias(struct lkst_err *e, struct ctf_parser *p)
{
	char name[LKST_LEX_TEXT_MAX];
	struct lkst_ctf_int type;
	int err = ctf_expect_word(e, p, "the aliased type", "integer") ?: metadata_types_parse_int(e, p, &type)
		  ?: lkst_lex_assign(e, &p->lex) ?: lkst_lex_word(e, &p->lex, name)
		  ?: lkst_lex_mark(e, &p->lex, ';');

	if (err)
		return err;
	if (strlen(name) >= LKST_NAME_MAX)
		return lkst_lex_fail(e, &p->lex, "a type's name is too long");
	if (p->nr_aliases == CTF_ALIASES_MAX)
		return lkst_lex_fail(e, &p->lex, "there are more than %u types", CTF_ALIASES_MAX);
	memcpy(p->aliases[p->nr_aliases].name, name, LKST_NAME_MAX);
	p->aliases[p->nr_aliases].meaning = lkst_ctf_alias_meaning(name);
	p->aliases[p->nr_aliases++].type = type;
	return 0;
}

static int metadata_types_take_name(struct lkst_err *e, struct ctf_parser *p, char *ret_name)
{
	char word[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_word(e, &p->lex, word);

	if (!err && strlen(word) >= LKST_NAME_MAX)
		return lkst_lex_fail(e, &p->lex, "the name %.64s... is too long", word);
	if (!err)
		memcpy(ret_name, word, LKST_NAME_MAX);
	return err;
}

/* "[16]" or "[_len]", if it is there. */
static int parse_brackets(struct lkst_err *e, struct ctf_parser *p, struct ctf_decl *m)
{
	u64 count;
	int err;

	if (!lkst_lex_at(&p->lex, '['))
		return 0;
	if (m->is_string)
		return lkst_lex_fail(e, &p->lex, "an array of strings cannot be read");
	err = lkst_lex_mark(e, &p->lex, '[');
	if (err)
		return err;
	if (p->lex.token != LKST_TOKEN_NUMBER)
		return metadata_types_take_name(e, p, m->length_name) ?: lkst_lex_mark(e, &p->lex, ']');
	err = lkst_lex_number(e, &p->lex, UINT16_MAX, &count);
	if (err)
		return err;
	if (!count)
		return lkst_lex_fail(e, &p->lex, "an array has no elements");
	m->count = (u16)count;
	return lkst_lex_mark(e, &p->lex, ']');
}

static int metadata_types_parse_member(struct lkst_err *e, struct ctf_parser *p, struct ctf_decl *m)
{
	char word[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_word(e, &p->lex, word);

	memset(m, 0, sizeof(*m));
	if (err)
		return err;
	if (!strcmp(word, "string"))
		m->is_string = true;
	else
		err = strcmp(word, "integer") ? find_alias(e, p, word, m)
					      : metadata_types_parse_int(e, p, &m->type);
	return err ?: metadata_types_take_name(e, p, m->name) ?: parse_brackets(e, p, m) ?:
	       lkst_lex_mark(e, &p->lex, ';');
}

/* "align(8)" */
static int parse_align(struct lkst_err *e, struct ctf_parser *p, u64 *ret_align)
{
	return ctf_expect_word(e, p, "what follows a struct", "align") ?: lkst_lex_mark(e, &p->lex, '(')
	       ?: lkst_lex_number(e, &p->lex, 64, ret_align) ?: lkst_lex_mark(e, &p->lex, ')');
}

/* "struct { ... }" and, if it is there, "align(64)". The result is in @p. */
static int ctf_parse_struct(struct lkst_err *e, struct ctf_parser *p)
{
	u64 align = 0;
	int err = ctf_expect_word(e, p, "the type", "struct") ?: lkst_lex_mark(e, &p->lex, '{');

	p->nr_members = 0;
	while (!err && !lkst_lex_at(&p->lex, '}')) {
		if (p->nr_members == CTF_MEMBERS_MAX)
			return lkst_lex_fail(e, &p->lex, "a struct has more than %u members",
					     CTF_MEMBERS_MAX);
		err = metadata_types_parse_member(e, p, &p->members[p->nr_members++]);
	}
	if (!err)
		err = lkst_lex_mark(e, &p->lex, '}');
	if (!err && p->lex.token == LKST_TOKEN_WORD)
		err = parse_align(e, p, &align);
	p->align = (u32)align;
	return err;
}

static bool is_same_int(const struct lkst_ctf_int *a, const struct lkst_ctf_int *b)
{
	return a->bits == b->bits && a->align == b->align && a->is_signed == b->is_signed &&
	       a->is_clock == b->is_clock;
}

/* The same, of a struct that must be as blocks are laid out: nothing else can be read. */
static int ctf_expect_struct(struct lkst_err *e, struct ctf_parser *p, const struct lkst_ctf_struct *s)
{
	u32 i;
	int err = ctf_parse_struct(e, p);

	if (err)
		return err;
	for (i = 0; s->members[i].name && i < p->nr_members; i++) {
		const struct lkst_ctf_alias *alias = lkst_ctf_alias_find(s->members[i].alias);
		const struct ctf_decl *m = &p->members[i];

		if (m->is_string || m->length_name[0] || m->count != s->members[i].count ||
		    strcmp(m->name, s->members[i].name) || !is_same_int(&m->type, &alias->type))
			break;
	}
	if (s->members[i].name || i < p->nr_members || p->align != s->align)
		return lkst_lex_fail(e, &p->lex, "%s is not laid out as this program's", s->scope);
	return 0;
}

enum block {
	BLOCK_TRACE = 1,
	BLOCK_ENV = 2,
	BLOCK_CLOCK = 4,
	BLOCK_STREAM = 8,
	BLOCKS_NEEDED = 15,
};

/* ---- the blocks around the events ----------------------------------------------------- */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int take_uuid(struct lkst_err *e, struct ctf_parser *p, u8 uuid[16])
{
	char text[LKST_LEX_TEXT_MAX];
	const char *t = text;
	int i, err = lkst_lex_string(e, &p->lex, text);

	if (err)
		return err;
	for (i = 0; i < 16; i++, t += 2) {
		if ((i == 4 || i == 6 || i == 8 || i == 10) && *t++ != '-')
			break;
		if (hex_digit(t[0]) < 0 || hex_digit(t[1]) < 0)
			break;
		uuid[i] = (u8)(hex_digit(t[0]) << 4 | hex_digit(t[1]));
	}
	if (i < 16 || *t)
		return lkst_lex_fail(e, &p->lex, "this is not a UUID");
	return 0;
}

static int trace_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg)
{
	int err;

	if (!strcmp(name, "major"))
		return (err = ctf_expect_number(e, p, "major", 1)) ? err : 1;
	if (!strcmp(name, "minor"))
		return (err = ctf_expect_number(e, p, "minor", 8)) ? err : 2;
	if (!strcmp(name, "uuid"))
		return (err = take_uuid(e, p, p->catalog->uuid)) ? err : 4;
	if (!strcmp(name, "byte_order"))
		return (err = ctf_expect_word(e, p, "byte_order", "le")) ? err : 8;
	if (!strcmp(name, "packet.header"))
		return (err = ctf_expect_struct(e, p, &lkst_ctf_packet_header)) ? err : 16;
	return ctf_unknown(e, p, "trace", name);
}

/* Copies what fits of a string of the environment. */
static int take_env(struct lkst_err *e, struct ctf_parser *p, char *field, size_t size)
{
	char text[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_string(e, &p->lex, text);

	if (!err && strlen(text) >= size)
		return lkst_lex_fail(e, &p->lex, "this is longer than %zu characters", size - 1);
	if (!err)
		memcpy(field, text, size);
	return err;
}

static int take_addresses(struct lkst_err *e, struct ctf_parser *p)
{
	char text[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_string(e, &p->lex, text);

	if (!err)
		p->catalog->has_hashed_addresses = !strcmp(text, "hashed");
	return err;
}

static int env_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg)
{
	struct lkst_catalog *c = p->catalog;
	u64 number;
	int err;

	if (!strcmp(name, "hostname"))
		return (err = take_env(e, p, c->hostname, sizeof(c->hostname))) ? err : 1;
	if (!strcmp(name, "kernel_release"))
		return (err = take_env(e, p, c->release, sizeof(c->release))) ? err : 2;
	if (!strcmp(name, "kernel_version"))
		return (err = take_env(e, p, c->version, sizeof(c->version))) ? err : 4;
	if (!strcmp(name, "machine"))
		return (err = take_env(e, p, c->machine, sizeof(c->machine))) ? err : 8;
	if (!strcmp(name, "kernel_addresses"))
		return take_addresses(e, p);
	if (!strcmp(name, "boot_id"))
		return take_uuid(e, p, c->boot_id);
	if (!strcmp(name, "lkst_format"))
		return (err = ctf_expect_number(e, p, "lkst_format", LKST_CTF_FORMAT)) ? err : 16;
	/* Others are for other readers. */
	if (p->lex.token == LKST_TOKEN_NUMBER)
		return lkst_lex_number(e, &p->lex, UINT64_MAX, &number);
	if (p->lex.token == LKST_TOKEN_STRING)
		return lkst_lex_next(e, &p->lex);
	return lkst_lex_fail(e, &p->lex, "a number or a string was expected here");
}

static int clock_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg)
{
	char text[LKST_LEX_TEXT_MAX];
	int err;

	if (!strcmp(name, "name")) {
		err = lkst_lex_string(e, &p->lex, text);
		if (!err && strcmp(text, LKST_CTF_CLOCK))
			return lkst_lex_fail(e, &p->lex, "only the clock %s can be read",
					     LKST_CTF_CLOCK);
		return err ? err : 1;
	}
	if (!strcmp(name, "description"))
		return (err = lkst_lex_string(e, &p->lex, text)) ? err : 2;
	if (!strcmp(name, "freq"))
		return (err = ctf_expect_number(e, p, "freq", LKST_CTF_CLOCK_HZ)) ? err : 4;
	if (!strcmp(name, "offset")) {
		err = lkst_lex_number(e, &p->lex, INT64_MAX / 2, &p->catalog->clock_offset_ns);
		return err ? err : 8;
	}
	if (!strcmp(name, "absolute"))
		return (err = ctf_expect_word(e, p, "absolute", "true")) ? err : 16;
	return ctf_unknown(e, p, "clock", name);
}

static int stream_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg)
{
	int err;

	if (!strcmp(name, "id"))
		return (err = ctf_expect_number(e, p, "the stream's id", LKST_STREAM_CLASS)) ? err : 1;
	if (!strcmp(name, "event.header"))
		return (err = ctf_expect_struct(e, p, &lkst_ctf_event_header)) ? err : 2;
	if (!strcmp(name, "packet.context"))
		return (err = ctf_expect_struct(e, p, &lkst_ctf_packet_context)) ? err : 4;
	if (!strcmp(name, "event.context"))
		return (err = ctf_expect_struct(e, p, &lkst_ctf_event_context)) ? err : 8;
	return ctf_unknown(e, p, "stream", name);
}

/* ---- events ------------------------------------------------------------------------- */

/* The index of the field that is called @name in the text. */
static int find_length(struct lkst_err *e, struct ctf_parser *p, u32 before, const char *name, u16 *ret_index)
{
	u32 k;

	for (k = 0; k < before; k++)
		if (!strcmp(p->members[k].name, name)) {
			*ret_index = (u16)k;
			return 0;
		}
	return lkst_lex_fail(e, &p->lex, "the length %.64s is not an earlier field", name);
}

static int member_to_field(struct lkst_err *e, struct ctf_parser *p, u32 i)
{
	const struct ctf_decl *m = &p->members[i];
	const struct lkst_ctf_int *t = &m->type;
	struct lkst_field_class *f = &p->fields[i];

	memset(f, 0, sizeof(*f));
	if (m->name[0] != '_')
		return lkst_lex_fail(e, &p->lex, "the field %.64s does not begin with '_'",
				     m->name);
	memcpy(f->name, m->name + 1, LKST_NAME_MAX - 1);
	f->base = 10;
	f->meaning = m->meaning;
	if (m->is_string) {
		f->type = LKST_CLASS_STRING;
		return 0;
	}
	if (t->is_clock || (t->bits != 8 && t->bits != 16 && t->bits != 32 && t->bits != 64) ||
	    t->align != (t->bits > 32 ? 32 : t->bits) ||
	    (t->base != 8 && t->base != 10 && t->base != 16))
		return lkst_lex_fail(e, &p->lex, "the integer of field %.64s cannot be read",
				     m->name);
	if (m->length_name[0]) {
		if (t->is_signed || (t->is_text && t->bits != 8))
			return lkst_lex_fail(e, &p->lex,
					     "only sequences of unsigned integers can be read");
		f->type = t->is_text	 ? LKST_CLASS_TEXT
			  : t->bits == 8 ? LKST_CLASS_BYTES
					 : LKST_CLASS_WORDS;
		if (f->type == LKST_CLASS_WORDS) {
			f->size = t->bits / 8;
			f->base = t->base;
		}
		return find_length(e, p, i, m->length_name, &f->length_field);
	}
	f->count = m->count;
	if (t->is_text) {
		if (!m->count || t->bits != 8)
			return lkst_lex_fail(e, &p->lex, "field %.64s is of characters that %s",
					     m->name, "cannot be read");
		f->type = LKST_CLASS_CHARS;
		return 0;
	}
	f->size = t->bits / 8;
	f->base = t->base;
	if (m->count)
		f->type = t->is_signed ? LKST_CLASS_SINTS : LKST_CLASS_UINTS;
	else
		f->type = t->is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT;
	return 0;
}

static int take_fields(struct lkst_err *e, struct ctf_parser *p, struct lkst_event_class *event)
{
	u32 i;
	int err = ctf_parse_struct(e, p);

	if (!err && p->align)
		return lkst_lex_fail(e, &p->lex, "the fields are aligned in a way of their own");
	for (i = 0; !err && i < p->nr_members; i++)
		err = member_to_field(e, p, i);
	event->fields = p->fields;
	event->nr_fields = (u16)p->nr_members;
	return err;
}

static int event_attribute(struct lkst_err *e, struct ctf_parser *p, const char *name, void *arg)
{
	struct lkst_event_class *event = arg;
	char text[LKST_LEX_TEXT_MAX];
	u64 id;
	int err;

	if (!strcmp(name, "name")) {
		err = lkst_lex_string(e, &p->lex, text);
		if (!err && strlen(text) >= LKST_NAME_MAX)
			return lkst_lex_fail(e, &p->lex, "the event's name is too long");
		if (!err)
			memcpy(event->name, text, LKST_NAME_MAX);
		return err ? err : 1;
	}
	if (!strcmp(name, "id")) {
		err = lkst_lex_number(e, &p->lex, LKST_ID_MAX, &id);
		if (!err)
			event->id = (u16)id;
		return err ? err : 2;
	}
	if (!strcmp(name, "stream_id"))
		return (err = ctf_expect_number(e, p, "stream_id", LKST_STREAM_CLASS)) ? err : 4;
	if (!strcmp(name, "fields"))
		return (err = take_fields(e, p, event)) ? err : 8;
	return ctf_unknown(e, p, "event", name);
}

static int parse_event(struct lkst_err *e, struct ctf_parser *p)
{
	unsigned int line = p->lex.line;
	struct lkst_event_class event = {};
	int err = ctf_parse_block(e, p, "event", 15, event_attribute, &event);

	if (err)
		return err;
	err = lkst_catalog_add(e, p->catalog, &event);
	if (err)
		lkst_err_add(e, "line %u", line);
	return err == -EINVAL || err == -EEXIST ? -EBADMSG : err;
}

/* ---- the whole ----------------------------------------------------------------------- */

static int parse_once(struct lkst_err *e, struct ctf_parser *p, const char *what, u32 block, u32 needed,
		      ctf_attribute *attribute)
{
	if (p->seen & block)
		return lkst_lex_fail(e, &p->lex, "there are two blocks %s", what);
	p->seen |= block;
	return ctf_parse_block(e, p, what, needed, attribute, NULL);
}

static int metadata_parse_all(struct lkst_err *e, struct ctf_parser *p)
{
	char word[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_next(e, &p->lex);

	while (!err && p->lex.token != LKST_TOKEN_END) {
		err = lkst_lex_word(e, &p->lex, word);
		if (err)
			return err;
		if (!strcmp(word, "typealias")) {
			err = ctf_parse_alias(e, p);
			continue; /* has taken its own semicolon */
		}
		if (!strcmp(word, "trace"))
			err = parse_once(e, p, "trace", BLOCK_TRACE, 31, trace_attribute);
		else if (!strcmp(word, "env"))
			err = parse_once(e, p, "env", BLOCK_ENV, 16, env_attribute);
		else if (!strcmp(word, "clock"))
			err = parse_once(e, p, "clock", BLOCK_CLOCK, 1 | 4 | 8, clock_attribute);
		else if (!strcmp(word, "stream"))
			err = parse_once(e, p, "stream", BLOCK_STREAM, 15, stream_attribute);
		else if (!strcmp(word, "event"))
			err = parse_event(e, p);
		else
			return lkst_lex_fail(e, &p->lex, "%.64s is not known here", word);
		if (!err)
			err = lkst_lex_mark(e, &p->lex, ';');
	}
	if (!err && p->seen != BLOCKS_NEEDED)
		return lkst_lex_fail(e, &p->lex,
				     "one of the blocks trace, env, clock and stream is %s",
				     "missing: the text is cut short");
	return err;
}

int lkst_metadata_parse(struct lkst_err *e, const char *text, size_t length,
			struct lkst_catalog **ret_catalog)
{
	const char *foreign = lkst_foreign_metadata(text, length);
	size_t signature = strlen(LKST_CTF_SIGNATURE);
	_cleanup_free_ struct ctf_parser *p = NULL;
	int err;

	if (length > LKST_METADATA_MAX)
		return lkst_err_set(e, -EFBIG, "metadata is larger than %u bytes",
				    LKST_METADATA_MAX);
	if (foreign)
		return lkst_err_set(e, -EBADMSG, "%s", foreign);
	if (length < signature || memcmp(text, LKST_CTF_SIGNATURE, signature))
		return lkst_err_set(e, -EBADMSG, "metadata does not begin with \"%s\"",
				    LKST_CTF_SIGNATURE);
	p = calloc(1, sizeof(*p));
	if (!p)
		return lkst_err_sys(e, -ENOMEM, "metadata");
	p->catalog = lkst_catalog_new();
	if (!p->catalog)
		return lkst_err_sys(e, -ENOMEM, "metadata");
	lkst_lex_init(&p->lex, text, length);
	err = metadata_parse_all(e, p);
	if (err) {
		lkst_catalog_free(p->catalog);
		lkst_err_add(e, "metadata");
		return err;
	}
	*ret_catalog = p->catalog;
	return 0;
}
