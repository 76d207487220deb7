/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe at a mark, and what it is in a program. */
#include "probe/resolve/resolve_usdt.h"

#include <errno.h>
#include <string.h>

#include "probe/resolve/usdt.h"

/* Replaces each $argN in *@f, which is the fetch of argument @a, by what the mark says of it. */
static int replace_argument(struct lkst_resolver *r, const struct lkst_usdt_note *mark,
			    const struct lkst_usdt_args *args, const struct lkst_probe_arg *a,
			    struct lkst_fetch **f)
{
	struct lkst_fetch *copy;
	u64 number;
	int code;

	if (!*f)
		return 0;
	if ((*f)->op == LKST_FETCH_ARGUMENT) {
		number = (*f)->number;
		if (!number || number > args->nr)
			return lkst_probe_refuse(r->e, -ENOENT, r->written, a->at,
						 "%s:%s has %u arguments", mark->provider,
						 mark->name, args->nr);
		*f = args->list[number - 1].fetch;
		if (*f)
			return 0;
		return lkst_probe_refuse(
			r->e, -EOPNOTSUPP, r->written, a->at,
			"argument %llu of %s:%s is where no probe can fetch it: %s",
			(unsigned long long)number, mark->provider, mark->name, mark->arguments);
	}
	copy = lkst_pool_get(&r->pool, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = **f;
	*f = copy;
	code = replace_argument(r, mark, args, a, &copy->base);
	return code ? code : replace_argument(r, mark, args, a, &copy->index);
}

/* An argument that was written, at a mark: $argN is one of the mark's; others may name registers. */
static int mark_argument(struct lkst_resolver *r, const struct lkst_usdt_note *mark,
			 const struct lkst_usdt_args *args, struct lkst_probe_arg *a)
{
	bool is_whole = a->fetch->op == LKST_FETCH_ARGUMENT;
	u64 number = a->fetch->number;
	int code = replace_argument(r, mark, args, a, &a->fetch);

	if (code || !is_whole)
		return code;
	if (!a->name[0])
		snprintf(a->name, sizeof(a->name), "arg%llu", (unsigned long long)number);
	if (a->type.form == LKST_FORM_NONE)
		a->type = args->list[number - 1].type;
	else if (a->type.form == LKST_FORM_STRING || a->type.form == LKST_FORM_USTRING)
		a->fetch = lkst_pool_fetch(&r->pool, LKST_FETCH_MEMORY, NULL, 0, a->fetch);
	return a->fetch ? 0 : -ENOMEM;
}

/* The arguments at a mark: those that were written, or all that the mark has. */
static int mark_arguments(struct lkst_resolver *r, const struct lkst_usdt_note *mark,
			  struct lkst_probe *written)
{
	struct lkst_usdt_args args;
	int code = lkst_usdt_arguments(mark->arguments, r->image->machine, &r->pool, &args);
	u32 i;

	for (i = 0; !code && i < written->nr_args; i++)
		if (written->args[i].fetch)
			code = mark_argument(r, mark, &args, &written->args[i]);
	for (i = 0; !code && !r->written->nr_args && i < args.nr; i++) {
		struct lkst_probe_arg *a = &written->args[written->nr_args];

		if (!args.list[i].fetch)
			continue;
		snprintf(a->name, sizeof(a->name), "arg%u", i + 1);
		a->fetch = args.list[i].fetch;
		a->type = args.list[i].type;
		written->nr_args++;
	}
	return code;
}

/* @base: where .stapsdt.base is; the notes say where it was when the program was linked, and prelink may move it. */
static int add_mark(struct lkst_resolver *r, const struct lkst_usdt_note *mark, u64 base)
{
	u64 moved = base && mark->base ? base - mark->base : 0;
	struct lkst_probe written = *r->written;
	struct lkst_probe_place place = { 0 };
	struct lkst_spot s = lkst_resolver_spot(r);
	const struct lkst_probe *before = r->written;
	int code;

	s.function = mark->name;
	s.address = mark->address + moved;
	code = lkst_resolver_place_in_file(r, s.address, mark->name, &place);
	if (code)
		return code;
	if (mark->semaphore &&
	    lkst_image_file_offset(r->image, mark->semaphore + moved, &place.semaphore))
		return lkst_err_set(r->e, -ENOENT, "the counter of %s:%s is not in %s",
				    mark->provider, mark->name, r->image->program);
	s.at_in_file = place.offset;
	code = mark_arguments(r, mark, &written);
	if (code)
		return code;
	r->written = &written;
	code = lkst_resolver_add(r, &s, &place);
	r->written = before;
	return code;
}

int lkst_resolve_usdt(struct lkst_resolver *r)
{
	const struct lkst_probe_place *place = &r->written->place;
	size_t size, at = 0, base_size;
	struct lkst_elf_note note;
	struct lkst_usdt_note mark;
	u64 address, base = 0;
	const u8 *bytes;
	int code = 0;

	if (!r->image->program)
		return lkst_err_set(r->e, -EINVAL,
				    "marks are of programs and libraries: name one with -x");
	bytes = lkst_image_section(r->image, ".note.stapsdt", &size, &address);
	lkst_image_section(r->image, ".stapsdt.base", &base_size, &base);
	while (!code && bytes && lkst_elf_note_next(bytes, size, &at, &note)) {
		if (!lkst_usdt_read(&note, &mark) || strcmp(mark.name, place->symbol) ||
		    (place->provider && strcmp(place->provider, mark.provider)))
			continue;
		code = add_mark(r, &mark, base);
	}
	if (!code && !r->out.nr)
		return lkst_err_set(r->e, -ENOENT, "%s has no mark %s%s%s", r->image->program,
				    place->provider ? place->provider : "",
				    place->provider ? ":" : "", place->symbol);
	return code;
}
