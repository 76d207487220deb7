/* SPDX-License-Identifier: GPL-2.0-only */
/* The lower half of the metadata parser: attributes, integer types and structs. */
#include "trace/format/metadata_types.h"

#include <string.h>

/* ---- attributes ------------------------------------------------------------------- */

int lkst_ctf_parse_block(struct lkst_err *e, struct lkst_ctf_parser *p, const char *what,
			 u32 needed, lkst_ctf_attribute *attribute, void *arg)
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

int lkst_ctf_unknown(struct lkst_err *e, struct lkst_ctf_parser *p, const char *what,
		     const char *name)
{
	return lkst_lex_fail(e, &p->lex, "%s has an attribute %.64s, which is not known here", what,
			     name);
}

int lkst_ctf_expect_number(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name,
			   u64 value)
{
	u64 number;
	int err = lkst_lex_number(e, &p->lex, UINT64_MAX, &number);

	if (!err && number != value)
		return lkst_lex_fail(e, &p->lex, "%s is %llu, but only %llu can be read", name,
				     (unsigned long long)number, (unsigned long long)value);
	return err;
}

int lkst_ctf_expect_word(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name,
			 const char *value)
{
	char word[LKST_LEX_TEXT_MAX];
	int err = lkst_lex_word(e, &p->lex, word);

	if (!err && strcmp(word, value))
		return lkst_lex_fail(e, &p->lex, "%s is %.64s, but only %s can be read", name, word,
				     value);
	return err;
}

/* ---- types -------------------------------------------------------------------------- */

static int take_bool(struct lkst_err *e, struct lkst_ctf_parser *p, bool *ret)
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

static int take_u8(struct lkst_err *e, struct lkst_ctf_parser *p, u8 *ret)
{
	u64 number;
	int err = lkst_lex_number(e, &p->lex, 255, &number);

	if (!err)
		*ret = (u8)number;
	return err;
}

static int int_attribute(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name, void *arg)
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
		return (err = lkst_ctf_expect_word(e, p, "encoding", "UTF8")) ? err : 16;
	}
	if (!strcmp(name, "map")) {
		t->is_clock = true;
		err = lkst_ctf_expect_word(e, p, "map", "clock." LKST_CTF_CLOCK ".value");
		return err ? err : 32;
	}
	return lkst_ctf_unknown(e, p, "an integer", name);
}

/* After the word "integer". */
static int metadata_types_parse_int(struct lkst_err *e, struct lkst_ctf_parser *p, struct lkst_ctf_int *ret_type)
{
	struct lkst_ctf_int t = { .base = 10 };
	int err = lkst_ctf_parse_block(e, p, "an integer", 1 | 2 | 4, int_attribute, &t);

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
static int find_alias(struct lkst_err *e, struct lkst_ctf_parser *p, const char *name,
		      struct lkst_ctf_decl *m)
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

int lkst_ctf_parse_alias(struct lkst_err *e, struct lkst_ctf_parser *p)
{
	char name[LKST_LEX_TEXT_MAX];
	struct lkst_ctf_int type;
	int err = lkst_ctf_expect_word(e, p, "the aliased type", "integer") ?: metadata_types_parse_int(e, p, &type)
		  ?: lkst_lex_assign(e, &p->lex) ?: lkst_lex_word(e, &p->lex, name)
		  ?: lkst_lex_mark(e, &p->lex, ';');

	if (err)
		return err;
	if (strlen(name) >= LKST_NAME_MAX)
		return lkst_lex_fail(e, &p->lex, "a type's name is too long");
	if (p->nr_aliases == LKST_CTF_ALIASES_MAX)
		return lkst_lex_fail(e, &p->lex, "there are more than %u types",
				     LKST_CTF_ALIASES_MAX);
	memcpy(p->aliases[p->nr_aliases].name, name, LKST_NAME_MAX);
	p->aliases[p->nr_aliases].meaning = lkst_ctf_alias_meaning(name);
	p->aliases[p->nr_aliases++].type = type;
	return 0;
}

static int metadata_types_take_name(struct lkst_err *e, struct lkst_ctf_parser *p, char *ret_name)
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
static int parse_brackets(struct lkst_err *e, struct lkst_ctf_parser *p, struct lkst_ctf_decl *m)
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

static int metadata_types_parse_member(struct lkst_err *e, struct lkst_ctf_parser *p, struct lkst_ctf_decl *m)
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
static int parse_align(struct lkst_err *e, struct lkst_ctf_parser *p, u64 *ret_align)
{
	return lkst_ctf_expect_word(e, p, "what follows a struct", "align") ?: lkst_lex_mark(e, &p->lex, '(')
	       ?: lkst_lex_number(e, &p->lex, 64, ret_align) ?: lkst_lex_mark(e, &p->lex, ')');
}

int lkst_ctf_parse_struct(struct lkst_err *e, struct lkst_ctf_parser *p)
{
	u64 align = 0;
	int err =
		lkst_ctf_expect_word(e, p, "the type", "struct") ?: lkst_lex_mark(e, &p->lex, '{');

	p->nr_members = 0;
	while (!err && !lkst_lex_at(&p->lex, '}')) {
		if (p->nr_members == LKST_CTF_MEMBERS_MAX)
			return lkst_lex_fail(e, &p->lex, "a struct has more than %u members",
					     LKST_CTF_MEMBERS_MAX);
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

int lkst_ctf_expect_struct(struct lkst_err *e, struct lkst_ctf_parser *p,
			   const struct lkst_ctf_struct *s)
{
	u32 i;
	int err = lkst_ctf_parse_struct(e, p);

	if (err)
		return err;
	for (i = 0; s->members[i].name && i < p->nr_members; i++) {
		const struct lkst_ctf_alias *alias = lkst_ctf_alias_find(s->members[i].alias);
		const struct lkst_ctf_decl *m = &p->members[i];

		if (m->is_string || m->length_name[0] || m->count != s->members[i].count ||
		    strcmp(m->name, s->members[i].name) || !is_same_int(&m->type, &alias->type))
			break;
	}
	if (s->members[i].name || i < p->nr_members || p->align != s->align)
		return lkst_lex_fail(e, &p->lex, "%s is not laid out as this program's", s->scope);
	return 0;
}
