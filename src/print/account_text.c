/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints trees of steps without recursion: a step knows its parent. */
#include "print/account_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "print/record_printer.h"
#include "result/json_writer.h"

enum {
	OFFSET_WIDTH = 10,
	LENGTH_WIDTH = 10,
	INDENT = 2,
	INDENT_MAX = 64, /* deeper steps are not moved further to the right */
	CITES_IN_LINE = 2,
	SENTENCE_MAX = 4096,
};

/* With what the steps of each host are printed. */
struct printers {
	const struct lkst_view_config *config;
	struct lkst_record_printer **list;
	unsigned int nr;
};

static void printers_fini(struct printers *p)
{
	while (p->nr)
		lkst_record_printer_free(p->list[--p->nr]);
	free(p->list);
}

static int printers_init(struct printers *p, const struct lkst_view_config *config)
{
	const unsigned int nr = config->hosts ? config->nr_hosts : 1;

	*p = (struct printers){ .config = config, .list = calloc(nr, sizeof(struct lkst_record_printer *)) };
	if (!p->list)
		return -ENOMEM;
	for (; p->nr < nr; p->nr++) {
		struct lkst_view_config one = config->hosts ? config->hosts[p->nr] : *config;

		one.out = config->out;
		one.time = config->time;
		p->list[p->nr] = lkst_record_printer_new(&one, NULL);
		if (!p->list[p->nr])
			return -ENOMEM;
	}
	return 0;
}

static struct lkst_record_printer *printer_of(const struct printers *p, const struct lkst_account_step *s)
{
	return p->list[s->host < p->nr ? s->host : 0];
}

/* The name of the step's host, NULL: there is one host only. */
static const char *account_text_host_of(const struct printers *p, const struct lkst_account_step *s)
{
	return p->config->hosts ? printer_of(p, s)->host : NULL;
}

/* A time of step @s on a clock that all hosts have in common. */
static u64 common_ns(const struct printers *p, const struct lkst_account_step *s, u64 ns)
{
	return p->config->hosts ? ns + p->config->hosts[s->host < p->nr ? s->host : 0].catalog->clock_offset_ns : ns;
}

/* The step that is printed after @s, in order of the tree; *@depth is updated. NULL: none. */
static const struct lkst_account_step *next_step(const struct lkst_account_step *s, int *depth)
{
	if (s->steps) {
		++*depth;
		return s->steps;
	}
	while (s && !s->next) {
		s = s->parent;
		--*depth;
	}
	return s ? s->next : NULL;
}

static char *put_meaning(struct lkst_record_printer *printer, char *p,
			 const struct lkst_account_part *part)
{
	const struct lkst_field_class f = {
		.type = LKST_CLASS_UINT,
		.size = sizeof(part->value),
		.meaning = (u8)part->meaning,
		.base = part->meaning < LKST_NR_MEANINGS ? lkst_meaning_base[part->meaning] : 16,
	};

	if (lkst_field_has_symbol(&f))
		return lkst_symbols_put(printer->addresses.symbols, p, part->value);
	return lkst_put_value(p, lkst_value_format(&f), part->value);
}

/* The name of a thread in step @s: the one that it had when that ended. */
static const struct lkst_name_cell *name_in(struct lkst_record_printer *printer, const struct lkst_account_step *s,
					    s32 tid)
{
	return lkst_names_at(&printer->names, tid, s->to_ns > s->from_ns ? s->to_ns - 1 : s->to_ns);
}

/* A thread as "1234/bash". */
static char *account_text_put_thread(struct lkst_record_printer *printer, char *p, const struct lkst_account_step *s,
				     s32 tid)
{
	const struct lkst_name_cell *name = name_in(printer, s, tid);

	return lkst_put_mem(p, name->column + name->start, (size_t)(name->end - name->start));
}

static char *put_duration(char *p, u64 ns)
{
	char text[LKST_DURATION_TEXT];

	lkst_duration_format(ns, text);
	return lkst_put_str(p, text);
}

static char *put_size(char *p, u64 bytes)
{
	char text[LKST_SIZE_TEXT];

	lkst_size_format(bytes, text);
	return lkst_put_str(p, text);
}

static char *account_text_put_part(struct lkst_record_printer *printer, char *p, const struct lkst_account_step *s,
				   const struct lkst_account_part *part)
{
	switch (part->type) {
	case LKST_ACCOUNT_TEXT:
		return lkst_out_escaped(printer->out, p, part->text, strlen(part->text), "");
	case LKST_ACCOUNT_DURATION:
		return put_duration(p, part->value);
	case LKST_ACCOUNT_THREAD:
		return account_text_put_thread(printer, p, s, (s32)part->value);
	case LKST_ACCOUNT_BYTES:
		return put_size(p, part->value);
	case LKST_ACCOUNT_PERCENT:
		return lkst_put_str(lkst_put_u64(p, part->value), " %");
	case LKST_ACCOUNT_MEANING:
		return put_meaning(printer, p, part);
	default:
		return lkst_put_u64(p, part->value);
	}
}

static char *account_text_put_sentence(struct lkst_record_printer *printer, char *p,
				       const struct lkst_account_step *s)
{
	const struct lkst_account_part *part;

	for (part = s->parts; part; part = part->next) {
		p = lkst_out_more(printer->out, p);
		if (!part->is_quiet)
			p = account_text_put_part(printer, p, s, part);
	}
	return p;
}

/* ---- text ----------------------------------------------------------------------------- */

static char *put_padded(char *p, char *start, int width)
{
	while (p - start < width)
		*p++ = ' ';
	return p;
}

static char *put_spaces(char *p, int nr)
{
	for (; nr > 0; nr--)
		*p++ = ' ';
	return p;
}

/* "db1: " */
static char *account_text_put_host(const struct printers *printers, char *p, const struct lkst_account_step *s)
{
	const char *host = account_text_host_of(printers, s);

	if (!host)
		return p;
	p = lkst_out_escaped(printer_of(printers, s)->out, p, host, strlen(host), "");
	return lkst_put_str(p, ": ");
}

/* A top step says whom it is about, and when it was; the others say when, from its beginning. */
static char *account_text_put_head(const struct printers *printers, char *p, const struct lkst_account_step *s,
				   const struct lkst_account_step *top, int depth)
{
	struct lkst_record_printer *printer = printer_of(printers, s);
	const u64 from_ns = common_ns(printers, s, s->from_ns), top_ns = common_ns(printers, top, top->from_ns);
	char *start = p;

	if (s == top) {
		p = account_text_put_host(printers, p, s);
		p = account_text_put_thread(printer, p, s, s->tid);
		p = lkst_put_time(lkst_put_str(p, ", "), &printer->time, s->from_ns, 9);
		p = lkst_put_time(lkst_put_str(p, " to "), &printer->time, s->to_ns, 9);
		p = put_duration(lkst_put_str(p, ", "), s->to_ns - s->from_ns);
		return lkst_put_str(p, ": ");
	}
	*p++ = from_ns < top_ns ? '-' : '+';
	p = put_duration(p, from_ns < top_ns ? top_ns - from_ns : from_ns - top_ns);
	p = put_padded(p, start, OFFSET_WIDTH);
	start = p;
	p = put_duration(p, s->to_ns - s->from_ns);
	p = put_padded(p, start, LENGTH_WIDTH);
	p = put_spaces(p, depth * INDENT < INDENT_MAX ? depth * INDENT - INDENT : INDENT_MAX);
	if (s->host != s->parent->host)
		p = account_text_put_host(printers, p, s);
	if (s->tid != s->parent->tid || s->host != s->parent->host)
		p = lkst_put_str(account_text_put_thread(printer, p, s, s->tid), ": ");
	return p;
}

static char *put_cites(struct lkst_record_printer *printer, char *p,
		       const struct lkst_account_step *s, int depth)
{
	const struct lkst_account_cite *c;
	int nr = 0;

	for (c = s->cites; c; c = c->next, nr++) {
		p = lkst_out_more(printer->out, p);
		if (nr % CITES_IN_LINE == 0) {
			if (nr)
				*p++ = '\n';
			p = put_spaces(p, OFFSET_WIDTH + LENGTH_WIDTH);
			p = put_spaces(p,
				       depth * INDENT < INDENT_MAX ? depth * INDENT : INDENT_MAX);
			p = lkst_put_str(p, "| ");
		} else {
			p = lkst_put_str(p, ", ");
		}
		p = lkst_put_time(p, &printer->time, c->ns, 9);
		p = lkst_put_u64_width(lkst_put_str(p, " ["), c->cpu, 3, '0');
		p = lkst_put_str(lkst_put_str(p, "] "), c->event);
	}
	if (nr)
		*p++ = '\n';
	return p;
}

static void put_text_step(const struct printers *printers, const struct lkst_account_step *s,
			  const struct lkst_account_step *top, int depth, bool has_events)
{
	struct lkst_record_printer *printer = printer_of(printers, s);
	char *p = account_text_put_head(printers, lkst_out_room(printer->out), s, top, depth);

	p = account_text_put_sentence(printer, p, s);
	*p++ = '\n';
	if (has_events)
		p = put_cites(printer, p, s, depth);
	lkst_out_advance(printer->out, p);
}

int lkst_view_account_part(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events, struct lkst_account_part_of part)
{
	_cleanup_(printers_fini) struct printers printers = {};
	const struct lkst_account_step *s = a->root.steps, *top = s;
	int depth = 0;
	u64 i;

	if (printers_init(&printers, config))
		return -ENOMEM;
	for (i = 0; i < printers.nr; i++)
		if (printers.list[i]->time.form == LKST_TIME_SECONDS)
			printers.list[i]->time.form = LKST_TIME_PLAIN;
	for (i = 0; s && i < part.to; i++, s = next_step(s, &depth)) {
		if (!depth)
			top = s;
		if (i >= part.from)
			put_text_step(&printers, s, top, depth, has_events);
	}
	return 0;
}

int lkst_view_account_text(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events)
{
	int err = lkst_view_account_part(config, a, has_events,
					 (struct lkst_account_part_of){ .to = UINT64_MAX });
	unsigned int i;

	for (i = 0; i < a->notes.nr && !err; i++)
		lkst_out_message(config->out, "Note: %s", a->notes.text[i]);
	return err;
}

int lkst_view_account_line(const struct lkst_view_config *config, const struct lkst_account *a)
{
	struct lkst_record_printer *printer = lkst_record_printer_new(config, NULL);
	const struct lkst_account_step *top = a->root.steps, *longest = NULL, *s;
	char *p;

	if (!printer)
		return -ENOMEM;
	/* What is told as a sum lies between the others, and may seem longer than they are. */
	for (s = top ? top->steps : NULL; s; s = s->next)
		if (strcmp(s->kind, "rest") && strcmp(s->kind, "many") &&
		    (!longest || s->to_ns - s->from_ns > longest->to_ns - longest->from_ns))
			longest = s;
	p = lkst_out_room(printer->out);
	if (top) {
		p = lkst_put_str(account_text_put_thread(printer, p, top, top->tid), ", ");
		p = lkst_put_str(put_duration(p, top->to_ns - top->from_ns), ": ");
	}
	if (longest) {
		p = lkst_put_str(put_duration(p, longest->to_ns - longest->from_ns), " ");
		p = account_text_put_sentence(printer, p, longest);
	}
	lkst_out_advance(printer->out, p);
	lkst_record_printer_free(printer);
	return 0;
}

/* ---- JSON ----------------------------------------------------------------------------- */

/* The sentence as one string, cut if it is too long. Returns its length. */
static size_t make_sentence(struct lkst_record_printer *printer, const struct lkst_account_step *s,
			    char *text, size_t room)
{
	char one[LKST_OUT_ROOM];
	const struct lkst_account_part *part;
	size_t used = 0, length;

	for (part = s->parts; part; part = part->next) {
		const char *from = part->text;

		if (part->is_quiet)
			continue;
		if (part->type == LKST_ACCOUNT_TEXT) {
			length = strlen(from);
		} else {
			length = (size_t)(account_text_put_part(printer, one, s, part) - one);
			from = one;
		}
		if (length > room - used)
			length = room - used;
		memcpy(text + used, from, length);
		used += length;
	}
	return used;
}

int lkst_view_account_sentence(const struct lkst_view_config *config,
			       const struct lkst_account_step *s, char *text, size_t room)
{
	struct lkst_record_printer *printer = lkst_record_printer_new(config, NULL);
	size_t length;

	if (!printer)
		return -ENOMEM;
	length = make_sentence(printer, s, text, room);
	lkst_record_printer_free(printer);
	return (int)length;
}

/* Escaping it in parts would add quotes. */
static void put_json_sentence(struct lkst_record_printer *printer, struct lkst_json *j,
			      const struct lkst_account_step *s)
{
	char sentence[SENTENCE_MAX];

	lkst_json_text(j, "text", sentence, make_sentence(printer, s, sentence, sizeof(sentence)));
}

static void put_json_thread(struct lkst_record_printer *printer, struct lkst_json *j,
			    const struct lkst_account_step *s, const char *key, s32 tid)
{
	const struct lkst_name_cell *name = name_in(printer, s, tid);
	size_t length = strnlen(name->comm, sizeof(name->comm));

	lkst_json_object(j, key);
	lkst_json_s64(j, "tid", tid);
	if (name->has_comm)
		lkst_json_text(j, "comm", name->comm, length);
	else
		lkst_json_null(j, "comm");
	lkst_json_end(j);
}

static void put_json_fact(struct lkst_record_printer *printer, struct lkst_json *j,
			  const struct lkst_account_step *s, const struct lkst_account_part *part)
{
	char text[LKST_VALUE_ROOM];

	switch (part->type) {
	case LKST_ACCOUNT_TEXT:
		lkst_json_str(j, part->key, part->text);
		break;
	case LKST_ACCOUNT_THREAD:
		put_json_thread(printer, j, s, part->key, (s32)part->value);
		break;
	case LKST_ACCOUNT_MEANING:
		lkst_json_text(j, part->key, text,
			       (size_t)(put_meaning(printer, text, part) - text));
		break;
	default:
		lkst_json_u64(j, part->key, part->value);
	}
}

static void put_json_facts(struct lkst_record_printer *printer, struct lkst_json *j,
			   const struct lkst_account_step *s)
{
	const struct lkst_account_part *part;

	lkst_json_object(j, "facts");
	for (part = s->parts; part; part = part->next)
		if (part->key)
			put_json_fact(printer, j, s, part);
	lkst_json_end(j);
}

static void put_json_events(const struct printers *printers, struct lkst_json *j, const struct lkst_account_step *s)
{
	const struct lkst_account_cite *c;

	lkst_json_array(j, "events");
	for (c = s->cites; c; c = c->next) {
		lkst_json_object(j, NULL);
		lkst_json_u64(j, "ns", common_ns(printers, s, c->ns));
		lkst_json_u64(j, "cpu", c->cpu);
		lkst_json_s64(j, "tid", c->tid);
		lkst_json_str(j, "event", c->event);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

/* What a step is, without its end and those below it. */
static void begin_json_step(const struct printers *printers, struct lkst_json *j,
			    const struct lkst_account_step *s)
{
	struct lkst_record_printer *printer = printer_of(printers, s);

	lkst_json_object(j, NULL);
	if (account_text_host_of(printers, s))
		lkst_json_str(j, "host", account_text_host_of(printers, s));
	lkst_json_str(j, "kind", s->kind);
	lkst_json_u64(j, "from_ns", common_ns(printers, s, s->from_ns));
	lkst_json_u64(j, "to_ns", common_ns(printers, s, s->to_ns));
	put_json_thread(printer, j, s, "thread", s->tid);
	put_json_sentence(printer, j, s);
	put_json_facts(printer, j, s);
}

static void put_json_steps(const struct printers *printers, struct lkst_json *j,
			   const struct lkst_account_step *s)
{
	int depth = 0, was;

	lkst_json_array(j, "steps");
	while (s) {
		begin_json_step(printers, j, s);
		put_json_events(printers, j, s);
		lkst_json_array(j, "steps");
		was = depth;
		s = next_step(s, &depth);
		if (!s)
			depth = 0;
		/* A step ends where the next one is not below it, and so do those that it is below. */
		for (; was >= depth; was--) {
			lkst_json_end(j);
			lkst_json_end(j);
		}
	}
	lkst_json_end(j);
}

int lkst_view_account_json_in(const struct lkst_view_config *config, const struct lkst_account *a,
			      struct lkst_json *j, const char *name)
{
	_cleanup_(printers_fini) struct printers printers = {};
	unsigned int i;

	if (printers_init(&printers, config))
		return -ENOMEM;
	lkst_json_object(j, name);
	put_json_steps(&printers, j, a->root.steps);
	lkst_json_array(j, "notes");
	for (i = 0; i < a->notes.nr; i++)
		lkst_json_str(j, NULL, a->notes.text[i]);
	lkst_json_end(j);
	lkst_json_end(j);
	return 0;
}

int lkst_view_account_json(const struct lkst_view_config *config, const struct lkst_account *a)
{
	struct lkst_json j;

	lkst_json_init(&j, config->out);
	return lkst_view_account_json_in(config, a, &j, NULL);
}

int lkst_view_account_flat(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events, struct lkst_account_part_of part, struct lkst_json *j)
{
	_cleanup_(printers_fini) struct printers printers = {};
	const struct lkst_account_step *s = a->root.steps;
	int depth = 0;
	u64 i;

	if (printers_init(&printers, config))
		return -ENOMEM;
	for (i = 0; s && i < part.to; i++, s = next_step(s, &depth)) {
		if (i < part.from)
			continue;
		begin_json_step(&printers, j, s);
		lkst_json_u64(j, "depth", (u64)depth);
		if (has_events)
			put_json_events(&printers, j, s);
		lkst_json_end(j);
	}
	return 0;
}

u64 lkst_view_account_steps(const struct lkst_account *a)
{
	const struct lkst_account_step *s = a->root.steps;
	int depth = 0;
	u64 nr = 0;

	for (; s; s = next_step(s, &depth))
		nr++;
	return nr;
}

/* ---- the formats ---------------------------------------------------------------------- */

static int account_text_print_json(const struct lkst_view_config *config, const struct lkst_account *a,
				   bool has_events)
{
	return lkst_view_account_json(config, a);
}

static const struct {
	struct lkst_choice choice;
	int (*print)(const struct lkst_view_config *config, const struct lkst_account *a,
		     bool has_events);
} formats[] = {
	[LKST_ACCOUNT_AS_TEXT] = { { "text", "a line per step, indented" },
				   lkst_view_account_text },
	[LKST_ACCOUNT_AS_JSON] = { { "json", "one object, with the events of each step" },
				   account_text_print_json },
};
enum { NR_FORMATS = sizeof(formats) / sizeof(formats[0]) };

bool lkst_account_format_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i < NR_FORMATS)
		*ret_choice = formats[i].choice;
	return i < NR_FORMATS;
}

int lkst_view_account(const struct lkst_view_config *config, const struct lkst_account *a,
		      enum lkst_account_format format, bool has_events)
{
	return formats[format].print(config, a, has_events);
}
