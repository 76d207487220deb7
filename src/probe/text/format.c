/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes as text. */
#include "probe/text/format.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/text/fetch_text.h"
#include "probe/text/fetch_type.h"

/* Text that grows; what does not fit is cut, and noticed. */
struct writer {
	char *text;
	size_t used; /* may be more than there is room for */
	bool is_bad; /* something cannot be said */
};

__attribute__((format(printf, 2, 3))) static void format_put(struct writer *w, const char *format, ...)
{
	size_t used = w->used < LKST_PROBE_TEXT ? w->used : LKST_PROBE_TEXT - 1;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + used, LKST_PROBE_TEXT - used, format, args);
	va_end(args);
	w->used += n > 0 ? (size_t)n : 0;
}

/* A word in which only letters, digits and @also may be. */
static void format_put_word(struct writer *w, const char *word, const char *also)
{
	const char *at;

	if (!word || !*word) {
		w->is_bad = true;
		return;
	}
	for (at = word; *at; at++)
		w->is_bad |= !isalnum((unsigned char)*at) && !strchr(also, *at);
	format_put(w, "%s", word);
}

/* "+8" or "-8", with @u in between. */
static void put_offset(struct writer *w, s64 offset, const char *u)
{
	format_put(w, "%c%s%llu", offset < 0 ? '-' : '+', u,
		   offset < 0 ? -(unsigned long long)offset : (unsigned long long)offset);
}

static void put_fetch(struct writer *w, const struct lkst_fetch *f);

static void put_memory(struct writer *w, const struct lkst_fetch *f)
{
	put_offset(w, f->number, f->is_user ? "u" : "");
	format_put(w, "(");
	put_fetch(w, f->base);
	if (f->op == LKST_FETCH_ELEMENT) {
		format_put(w, ",");
		put_fetch(w, f->index);
		if (f->index_size)
			format_put(w, ":%c%d", f->is_index_signed ? 's' : 'u', f->index_size * 8);
		format_put(w, ",%u", f->size);
	}
	format_put(w, ")");
}

static void format_put_text(struct writer *w, const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		w->is_bad |= isspace((unsigned char)*at) || *at == '"';
	format_put(w, "\\\"%s\"", text);
}

static void format_put_variable(struct writer *w, const struct lkst_fetch *f)
{
	if (lkst_fetch_is_several(f))
		format_put(w, "%s", f->text[1] ? "$params" : "$vars");
	else
		format_put_word(w, f->text, "_");
}

static void put_member(struct writer *w, const struct lkst_fetch *f)
{
	put_fetch(w, f->base);
	format_put(w, f->is_arrow ? "->" : ".");
	format_put_word(w, f->text, "_");
}

static void put_index(struct writer *w, const struct lkst_fetch *f)
{
	put_fetch(w, f->base);
	format_put(w, "[");
	if (f->index->op == LKST_FETCH_NUMBER)
		format_put(w, "%lld", (long long)f->index->number);
	else
		put_fetch(w, f->index);
	format_put(w, "]");
}

static void put_fetch(struct writer *w, const struct lkst_fetch *f)
{
	long long number = f->number;

	switch ((enum lkst_fetch_op)f->op) {
	case LKST_FETCH_REGISTER:
		format_put(w, "%%");
		return format_put_word(w, f->text, "_");
	case LKST_FETCH_STACK:
		return format_put(w, "$stack");
	case LKST_FETCH_STACK_N:
		return format_put(w, "$stack%lld", number);
	case LKST_FETCH_RETVAL:
		return format_put(w, "$retval");
	case LKST_FETCH_ARGUMENT:
		return format_put(w, "$arg%lld", number);
	case LKST_FETCH_WATCHED:
		return format_put(w, "$addr");
	case LKST_FETCH_COMM:
		return format_put(w, "$comm");
	case LKST_FETCH_CALLER:
		return format_put(w, "$caller");
	case LKST_FETCH_BACKTRACE:
		return format_put(w, "$backtrace");
	case LKST_FETCH_AT:
		return format_put(w, "@0x%llx", (unsigned long long)number);
	case LKST_FETCH_AT_SYMBOL:
		format_put(w, "@");
		format_put_word(w, f->text, LKST_PROBE_SYMBOL_CHARS);
		if (number)
			put_offset(w, number, "");
		return;
	case LKST_FETCH_AT_FILE:
		return format_put(w, "@+%lld", number);
	case LKST_FETCH_NUMBER:
		return format_put(w, "\\%lld", number);
	case LKST_FETCH_TEXT:
		return format_put_text(w, f->text);
	case LKST_FETCH_MEMORY:
	case LKST_FETCH_ELEMENT:
		return put_memory(w, f);
	case LKST_FETCH_VARIABLE:
		return format_put_variable(w, f);
	case LKST_FETCH_MEMBER:
		return put_member(w, f);
	case LKST_FETCH_INDEX:
		return put_index(w, f);
	case LKST_NR_FETCH_OPS:
		break;
	}
	w->is_bad = true;
}

static void format_put_arg(struct writer *w, const struct lkst_probe_arg *arg)
{
	char type[LKST_FETCH_TYPE_TEXT];
	bool is_user = lkst_fetch_is_variable(arg->fetch) && arg->fetch->is_user;

	format_put(w, " ");
	if (arg->name[0])
		format_put(w, "%s=", arg->name);
	put_fetch(w, arg->fetch);
	format_put(w, "%s%s", lkst_fetch_type_format(&arg->type, type), is_user ? "@user" : "");
}

/* A path, in which a blank, what begins a comment, and whatever is not printed is \ooo. */
static void put_path(struct writer *w, const char *path)
{
	w->is_bad |= !strchr(path, '/');
	for (; *path; path++)
		if (isgraph((unsigned char)*path) && *path != '\\' && *path != '#')
			format_put(w, "%c", *path);
		else
			format_put(w, "\\%03o", (unsigned char)*path);
}

/* "w@jiffies_64:8" */
static void put_watched(struct writer *w, const struct lkst_probe_place *place)
{
	format_put(w, "%s%s@", place->watch & LKST_WATCH_READS ? "r" : "",
		   place->watch & LKST_WATCH_WRITES ? "w" : "");
	if (place->kind == LKST_PLACE_SYMBOL)
		format_put_word(w, place->symbol, LKST_PROBE_SYMBOL_CHARS);
	else
		format_put(w, "0x%llx", (unsigned long long)place->address);
	if (place->offset)
		put_offset(w, (s64)place->offset, "");
	format_put(w, ":%u", place->watch_bytes);
}

static void put_place(struct writer *w, const struct lkst_probe_place *place)
{
	unsigned long long offset = place->offset;

	w->is_bad |= place->is_next;
	if (place->watch)
		return put_watched(w, place);
	switch (place->kind) {
	case LKST_PLACE_ADDRESS:
		w->is_bad |= place->path != NULL;
		return format_put(w, "0x%llx", (unsigned long long)place->address);
	case LKST_PLACE_FILE:
		put_path(w, place->path);
		format_put(w, ":0x%llx", offset);
		if (place->semaphore)
			format_put(w, "(0x%llx)", (unsigned long long)place->semaphore);
		return;
	case LKST_PLACE_SYMBOL:
		w->is_bad |=
			place->path || (place->symbol && isdigit((unsigned char)*place->symbol));
		if (place->module)
			format_put_word(w, place->module, "_-");
		format_put(w, "%s", place->module ? ":" : "");
		format_put_word(w, place->symbol,
				place->is_many ? LKST_PROBE_GLOB_CHARS : LKST_PROBE_SYMBOL_CHARS);
		if (offset)
			format_put(w, "+%llu", offset);
		return;
	default:
		w->is_bad = true;
	}
}

int lkst_definition_format(struct lkst_err *e, const struct lkst_probe *p,
			   char text[LKST_PROBE_TEXT])
{
	struct writer w = { .text = text };
	u32 i;

	format_put(&w, p->place.watch ? "w" : p->place.is_return ? "r" : "p");
	if (p->place.max_active)
		format_put(&w, "%u", p->place.max_active);
	format_put(&w, ":%s/%s ", p->group, p->event);
	put_place(&w, &p->place);
	for (i = 0; i < p->nr_args; i++)
		format_put_arg(&w, &p->args[i]);
	if (p->condition)
		format_put(&w, " if %s", p->condition);
	if (w.is_bad)
		return lkst_err_set(e, -EINVAL,
				    "the probe %s:%s cannot be said in kprobe_events' language",
				    p->group, p->event);
	if (w.used >= LKST_PROBE_TEXT)
		return lkst_err_set(e, -E2BIG,
				    "the definition of %s:%s has more than %d characters", p->group,
				    p->event, LKST_PROBE_TEXT - 1);
	return 0;
}

void lkst_probe_place_format(const struct lkst_probe_place *place, char text[LKST_PROBE_TEXT])
{
	struct writer w = { .text = text };
	unsigned long long number = place->kind == LKST_PLACE_FILE ? place->offset : place->address;

	text[0] = 0;
	if (place->watch)
		return put_watched(&w, place);
	if (place->symbol)
		format_put(&w, "%s%s", place->kind == LKST_PLACE_MARK ? "%" : "", place->symbol);
	else if (place->kind == LKST_PLACE_ADDRESS || place->kind == LKST_PLACE_FILE)
		format_put(&w, "0x%llx", number);
	if (place->kind == LKST_PLACE_SYMBOL && place->offset)
		format_put(&w, "+%llu", (unsigned long long)place->offset);
	if (place->kind == LKST_PLACE_FUNCTION_LINE)
		format_put(&w, ":%u", place->line);
	if (place->is_return)
		format_put(&w, "%%return");
	if (place->source)
		format_put(&w, "%s%s", place->symbol || place->kind == LKST_PLACE_ADDRESS ? "@" : "",
			   place->source);
	if (place->kind == LKST_PLACE_SOURCE_LINE)
		format_put(&w, ":%u", place->line);
	else if (place->source && place->source_line &&
		 (((place->offset || place->is_next) && place->kind == LKST_PLACE_SYMBOL) ||
		  place->kind == LKST_PLACE_ADDRESS))
		format_put(&w, ":%u", place->source_line);
	if (place->pattern)
		format_put(&w, ";%s", place->pattern);
	if (place->is_next)
		format_put(&w, "%%next");
	if (place->path || place->module)
		format_put(&w, " in %s", place->path ?: place->module);
}

void lkst_probe_list_format(const struct lkst_probe *p, const char *on, char text[LKST_PROBE_TEXT])
{
	struct writer w = { .text = text };
	u32 i;

	format_put(&w, "%s:%s (on %s", p->group, p->event, on);
	for (i = 0; i < p->nr_args; i++)
		format_put(&w, "%s %s", i ? "" : " with", p->args[i].name);
	format_put(&w, ")");
}
