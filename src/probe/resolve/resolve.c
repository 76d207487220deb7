/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe as it was written, and what it is in an image. */
#include "probe/resolve/resolve.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>

#include "base/io.h"
#include "probe/debuginfo/cpp_name.h"
#include "probe/debuginfo/image_open.h"
#include "probe/debuginfo/instructions.h"
#include "probe/debuginfo/kernel_text.h"
#include "probe/debuginfo/lines.h"
#include "probe/resolve/expression.h"
#include "probe/resolve/no_function.h"
#include "probe/resolve/points.h"
#include "probe/resolve/prototype.h"
#include "probe/resolve/resolver.h"
#include "probe/resolve/usdt.h"

enum { KALLSYMS_MAX = 64 << 20 };

static bool has_variables(const struct lkst_probe *p)
{
	u32 i;

	for (i = 0; i < p->nr_args; i++)
		if (lkst_expression_has_variables(p->args[i].fetch))
			return true;
	return false;
}

static bool has_registers(const struct lkst_probe *p)
{
	u32 i;

	for (i = 0; i < p->nr_args; i++)
		if (lkst_expression_has_registers(p->args[i].fetch))
			return true;
	return false;
}

/* Nothing is known of the instructions at a place: the next one cannot be found. */
static int no_instructions(struct lkst_resolver *r)
{
	if (!r->written->place.is_next)
		return 0;
	return lkst_err_set(r->e, -EOPNOTSUPP,
			    "%%next requires the function's instructions, and %s has none there",
			    lkst_image_name(r->image));
}

/* Checks that an instruction begins at @address of the image, if its bytes are there; for %next, moves it on by one. */
static int check_instruction(struct lkst_resolver *r, u64 *address)
{
	const struct lkst_image_symbol *symbol = lkst_image_symbol_at(r->image, *address);
	u64 offset, size, next;
	const u8 *bytes;
	int code;

	if (!symbol || !symbol->is_function)
		return no_instructions(r);
	offset = *address - symbol->address;
	bytes = lkst_image_bytes(r->image, symbol->address, symbol->size, &size);
	if (!bytes || (!symbol->size && !offset))
		return no_instructions(r);
	code = lkst_instruction_check(r->e, r->image->machine, bytes, size, offset, symbol->name,
				      &next);
	if (!code && r->written->place.is_next)
		*address = symbol->address + next;
	return code;
}

/* The same in the running kernel's memory. What that does not say is left to the kernel, with a note. */
static int check_in_memory(struct lkst_resolver *r, const char *name, u64 offset, u64 *ret_next)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct lkst_err why = { 0 };
	u64 size;
	int code = -ENOENT;

	if (r->image->is_running)
		code = lkst_kernel_text_read(&why, name, r->image->module, offset, &bytes, &size);
	if (!code)
		code = lkst_instruction_check(&why, r->image->machine, bytes, size, offset, name,
					      ret_next);
	if (code == -EILSEQ || code == -EINVAL)
		return lkst_err_set(r->e, code, "%s", why.text);
	if (code && r->written->place.is_next)
		return lkst_image_need_dwarf(r->e, r->image, "%next");
	if (code && why.text[0])
		lkst_notes_add(&r->out.notes,
			       "whether an instruction begins at %s+%llu is left to the kernel: %s",
			       name, (unsigned long long)offset, why.text);
	return 0;
}

/* The same of a function that no file has: it takes no bytes where all instructions are of one length. */
static int check_without_file(struct lkst_resolver *r, const char *name, u64 *offset)
{
	u64 next;
	int code;

	if (!*offset && !r->written->place.is_next)
		return 0;
	if (r->image->machine == EM_AARCH64)
		code = lkst_instruction_check(r->e, EM_AARCH64, NULL, (u64)-1, *offset, name,
					      &next);
	else
		code = check_in_memory(r, name, *offset, &next);
	if (!code && r->written->place.is_next)
		*offset = next;
	return code;
}

/* Sets what a place of the kernel or a module is: a symbol and an offset. */
static int place_by_symbol(struct lkst_resolver *r, u64 address, struct lkst_probe_place *place)
{
	const struct lkst_image_symbol *symbol = lkst_image_symbol_to_name(r->image, address);

	if (!symbol)
		return lkst_err_set(r->e, -ENOENT,
				    "no symbol that %s has once is near address %#llx",
				    lkst_image_name(r->image), (unsigned long long)address);
	place->kind = LKST_PLACE_SYMBOL;
	place->symbol = (char *)symbol->name;
	place->offset = address - symbol->address;
	return 0;
}

static int set_place(struct lkst_resolver *r, struct lkst_spot *s, struct lkst_probe_place *place)
{
	int code;

	if (!r->image->program)
		return place_by_symbol(r, s->address, place);
	code = lkst_resolver_place_in_file(r, s->address, s->function, place);
	s->at_in_file = place->offset;
	return code;
}

/* Says where the point, and the spot @s near it, are in the source, for people. */
static void set_source(struct lkst_resolver *r, const struct lkst_point *point, struct lkst_spot *s,
		       struct lkst_probe_place *place)
{
	Dwarf_Die scope = point->scope;
	const char *source = lkst_die_source(&scope), *other;
	int begin = lkst_die_line(&scope), line = point->line;

	place->source = (char *)(point->line ? point->source : source);
	if (source && point->line && !strcmp(source, point->source) && point->line > begin)
		place->line = point->line - begin;
	if ((s->address != point->address || line <= 0) &&
	    (!lkst_line_around(r->image, &s->unit, s->address - r->image->dwarf_bias, &other, &line) ||
	     !place->source || strcmp(other, place->source)))
		line = 0;
	place->source_line = line > 0 ? (u32)line : 0;
}

/* A point that DWARF knows. */
static int resolve_add_point(struct lkst_resolver *r, const struct lkst_point *point)
{
	struct lkst_probe_place place = { 0 };
	struct lkst_spot s = lkst_resolver_spot(r);
	s64 bias = r->image->dwarf_bias;
	Dwarf_Addr next;
	char where[128];
	size_t length;
	int code;

	s.address = point->address;
	s.is_entry = point->is_entry;
	s.has_scope = true;
	s.unit = point->unit;
	s.scope = point->scope;
	s.function = point->function;
	length = strlen(s.where);
	lkst_point_text(r->image, point, where, sizeof(where));
	snprintf(s.where + length, sizeof(s.where) - length, " (%s)", where);
	if (r->written->place.offset) {
		code = check_instruction(r, &s.address);
		if (code)
			return code;
	} else if (r->written->place.is_next) {
		if (!lkst_line_next(r->image, &s.unit, &s.scope, s.address - bias, &next))
			return lkst_err_set(r->e, -ENOENT, "%s has no line after %s", s.function,
					    s.where);
		s.address = next + bias;
	}
	code = set_place(r, &s, &place);
	set_source(r, point, &s, &place);
	return code ? code : lkst_resolver_add(r, &s, &place);
}

/* A place that takes DWARF. */
static int resolve_points(struct lkst_resolver *r)
{
	_cleanup_(lkst_points_fini) struct lkst_points points = { 0 };
	int code, first = 0;
	struct lkst_err why;
	u32 i;

	code = lkst_points_find(r->e, r->image, &r->written->place, has_variables(r->written),
				&points);
	for (i = 0; !code && i < points.nr; i++) {
		code = resolve_add_point(r, &points.list[i]);
		if (!(code == -ENOENT || code == -EOPNOTSUPP) || points.nr == 1 ||
		    !has_variables(r->written))
			continue;
		/* What is inlined in several places may have lost a variable in one of them. */
		if (!first && r->e)
			why = *r->e;
		first = first ? first : code;
		lkst_notes_add(&r->out.notes, "one place is left out: %s", r->e ? r->e->text : "");
		code = 0;
	}
	if (code || r->out.nr || !first)
		return code;
	if (r->e)
		*r->e = why;
	return first;
}

/* Whether the running kernel has a symbol @name, by /proc/kallsyms. */
static bool kernel_has(const char *name)
{
	_cleanup_free_ char *text = NULL;
	size_t length, size = strlen(name);
	const char *at;

	if (!size || lkst_read_file(NULL, AT_FDCWD, "/proc/kallsyms", KALLSYMS_MAX, &text, &length))
		return false;
	for (at = text; (at = strstr(at, name)); at += size)
		if (at > text && at[-1] == ' ' && strchr("\n\t", at[size]))
			return true;
	return false;
}

/* Says which line a spot that was found without debug information is at. */
static void resolve_find_line(struct lkst_resolver *r, struct lkst_spot *s, struct lkst_probe_place *place)
{
	const char *source;
	Dwarf_Addr address;
	int line;

	if (!lkst_image_has_debug_info(r->image))
		return;
	address = s->address - r->image->dwarf_bias;
	if (!lkst_die_unit_at(r->image, address, &s->unit) ||
	    !lkst_line_around(r->image, &s->unit, address, &source, &line) || line <= 0)
		return;
	place->source = (char *)source;
	place->source_line = (u32)line;
}

static int resolve_meant(struct lkst_resolver *r, const char *name);

/* A function and an offset by symbols and BTF alone. */
static int resolve_symbol(struct lkst_resolver *r, const char *name)
{
	const struct lkst_image_symbol *symbol =
		lkst_image_symbol_named(r->image, name, true, NULL);
	struct lkst_probe_place place = { .kind = LKST_PLACE_SYMBOL, .symbol = (char *)name };
	const struct lkst_probe_place *from = &r->written->place;
	struct lkst_prototype prototype;
	struct lkst_spot s = lkst_resolver_spot(r);
	int code;

	if (!lkst_prototype_find(r->image, name, &prototype))
		s.prototype = &prototype;
	if (!symbol && !r->image->is_absent &&
	    (r->image->program || (!s.prototype && !kernel_has(name))))
		return resolve_meant(r, name);
	s.function = name;
	s.is_entry = !from->offset && !from->is_next;
	place.offset = from->offset;
	if (symbol) {
		s.address = symbol->address + from->offset;
		code = from->offset || from->is_next ? check_instruction(r, &s.address) : 0;
		if (!code)
			code = set_place(r, &s, &place);
		if (code)
			return code;
		resolve_find_line(r, &s, &place);
	} else {
		code = check_without_file(r, name, &place.offset);
		if (code)
			return code;
	}
	return lkst_resolver_add(r, &s, &place);
}

static bool resolve_is_glob(const char *name)
{
	return strpbrk(name, "*?[");
}

/* Resolves one function that a glob matches, unless it was one of those before. */
static int resolve_match(struct lkst_resolver *r, const char *name)
{
	u32 i;

	for (i = 0; i < r->out.nr; i++)
		if (r->out.probes[i].place.symbol && !strcmp(r->out.probes[i].place.symbol, name))
			return 0;
	return resolve_symbol(r, name);
}

/*
 * What a name means that no symbol has: the compiler's copies of that function, or functions of C++. Symbols are by
 * address: of several at one, the first is enough.
 */
static int resolve_meant(struct lkst_resolver *r, const char *name)
{
	const struct lkst_image_symbol *s, *last = NULL;
	int code = 0;
	u32 i;

	for (i = 0; !code && i < r->image->nr_symbols; i++) {
		s = &r->image->symbols[i];
		if (!s->is_function || (last && last->address == s->address) ||
		    !lkst_symbol_is_meant(s->name, name))
			continue;
		last = s;
		code = resolve_match(r, s->name);
	}
	return code || last ? code : lkst_no_function(r, name);
}

/* Every function that is not inlined whose name matches. Of an older version it is one only if the glob says so. */
static int resolve_glob(struct lkst_resolver *r)
{
	const char *glob = r->written->place.symbol;
	const struct btf *btf = r->image->btf;
	int code = 0;
	u32 i;

	for (i = 0; !code && i < r->image->nr_symbols; i++)
		if (r->image->symbols[i].is_function &&
		    (strchr(glob, '@') || !strchr(r->image->symbols[i].name, '@')) &&
		    !fnmatch(glob, r->image->symbols[i].name, 0))
			code = resolve_match(r, r->image->symbols[i].name);
	for (i = 1; !code && !r->image->nr_symbols && btf && i < btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);
		const char *is = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;

		if (is && !fnmatch(glob, is, 0))
			code = resolve_match(r, is);
	}
	if (!code && !r->out.nr)
		return lkst_err_set(r->e, -ENOENT, "%s has no function that matches %s",
				    lkst_image_name(r->image), glob);
	return code;
}

/* Whether DWARF is to be asked about a function: it knows inlined instances, and where variables are. */
static bool is_for_dwarf(struct lkst_resolver *r)
{
	const struct lkst_probe_place *place = &r->written->place;
	struct lkst_prototype prototype;

	if (place->source)
		return true;
	/* Registers, and arguments by BTF, are those of one function that is not inlined. */
	if (has_registers(r->written) ||
	    (place->is_return && !lkst_prototype_find(r->image, place->symbol, &prototype)))
		return false;
	return lkst_image_has_debug_info(r->image);
}

/* Says so if what was named is the code that chooses a function, as the program begins. */
static void note_indirect(struct lkst_resolver *r, const struct lkst_image_symbol *symbol)
{
	if (symbol && symbol->is_indirect)
		lkst_notes_add(&r->out.notes,
			       "%s is an indirect function: this probe is where each process chooses, "
			       "once, which function it calls by that name; to see the calls, probe "
			       "that one",
			       symbol->name);
}

/* Whether any symbol is meant by a name that none has. */
static bool is_any_meant(const struct lkst_resolver *r, const char *name)
{
	u32 i;

	for (i = 0; i < r->image->nr_symbols; i++)
		if (r->image->symbols[i].is_function &&
		    lkst_symbol_is_meant(r->image->symbols[i].name, name))
			return true;
	return false;
}

static int found_any(void *arg, Dwarf_Die *unit, Dwarf_Die *function)
{
	return 1;
}

static int resolve_function(struct lkst_resolver *r)
{
	const char *name = r->written->place.symbol;
	const struct lkst_image_symbol *symbol;
	int code;

	if (resolve_is_glob(name) && !r->written->place.source && !lkst_cpp_is_written(name))
		return resolve_glob(r);
	symbol = lkst_image_symbol_named(r->image, name, true, NULL);
	note_indirect(r, symbol);
	if (!is_for_dwarf(r))
		return resolve_symbol(r, name);
	code = resolve_points(r);
	if (code != -ENOENT || r->out.nr || r->written->place.source)
		return code;
	/* Not all functions have debug information: those in assembler, and a compiler's copies. */
	if (!has_variables(r->written) && (symbol || is_any_meant(r, name)))
		return resolve_symbol(r, name);
	if (!symbol && !lkst_functions_find(r->image, name, NULL, found_any, NULL))
		lkst_function_elsewhere(r, name);
	return code;
}

/* One probe at many functions: which they are is known when it is set. They have no variables in common. */
static int resolve_many(struct lkst_resolver *r)
{
	struct lkst_probe_place place = r->written->place;
	struct lkst_spot s = lkst_resolver_spot(r);

	if (has_variables(r->written))
		return lkst_err_set(r->e, -EOPNOTSUPP,
				    "functions that match a glob have no variables in common: "
				    "fetch $arg1, $retval or a register");
	return lkst_resolver_add(r, &s, &place);
}

/*
 * Where address @running of the running kernel is in the image; 0: that is not known. The kernel is loaded at another
 * address than its file says, by as much for all of its functions (CONFIG_RANDOMIZE_BASE).
 */
static u64 address_in_image(struct lkst_resolver *r, u64 running)
{
	static const char begin[] = "_stext";
	const struct lkst_image_symbol *symbol =
		lkst_image_symbol_named(r->image, begin, false, NULL);
	_cleanup_free_ char *kallsyms = NULL;
	struct lkst_kernel_extent text;
	size_t length;

	if (!symbol || r->image->module || r->image->is_of_another_build ||
	    lkst_read_file(NULL, AT_FDCWD, "/proc/kallsyms", KALLSYMS_MAX, &kallsyms, &length) ||
	    lkst_kernel_extent_find(NULL, kallsyms, begin, NULL, &text) ||
	    running < text.text_begin || running >= text.text_end)
		return 0;
	return running - text.text_begin + symbol->address;
}

/* A place that is a number already: all that can be missing is what its variables are. */
static int resolve_number(struct lkst_resolver *r)
{
	struct lkst_probe_place place = r->written->place;
	struct lkst_spot s = lkst_resolver_spot(r);
	Dwarf_Die chain[LKST_DIE_CHAIN_MAX];
	u32 nr = 0;
	int code;

	if (place.kind == LKST_PLACE_FILE && r->image->program) {
		if (lkst_image_address_of(r->image, place.offset, &s.address))
			return lkst_err_set(r->e, -ENOENT,
					    "byte %#llx of %s is not one of its code",
					    (unsigned long long)place.offset, r->image->program);
		code = check_instruction(r, &s.address);
		if (!code)
			code = lkst_resolver_place_in_file(r, s.address, place.symbol, &place);
		if (code)
			return code;
		s.at_in_file = place.offset;
	} else if (place.is_next) {
		return lkst_err_set(r->e, -EINVAL,
				    "%%next is not known of an address: name a function or a line");
	} else if (place.kind == LKST_PLACE_ADDRESS && !r->image->program) {
		s.address = address_in_image(r, place.address);
		if (s.address)
			resolve_find_line(r, &s, &place);
	}
	place.is_next = false;
	if (s.address && has_variables(r->written) && lkst_image_has_debug_info(r->image) &&
	    lkst_die_unit_at(r->image, s.address - r->image->dwarf_bias, &s.unit))
		nr = lkst_die_chain(r->image, &s.unit, s.address - r->image->dwarf_bias, chain);
	if (nr) {
		s.scope = chain[nr - 1];
		s.has_scope = true;
		s.function = dwarf_diename(&s.scope);
	}
	return lkst_resolver_add(r, &s, &place);
}

/* Memory that is watched has nothing to do with code. */
static int resolve_watched(struct lkst_resolver *r)
{
	struct lkst_probe_place place = r->written->place;
	struct lkst_spot s = lkst_resolver_spot(r);

	return lkst_resolver_add(r, &s, &place);
}

static int resolve(struct lkst_resolver *r)
{
	const struct lkst_probe_place *place = &r->written->place;

	if (place->watch)
		return resolve_watched(r);
	switch (place->kind) {
	case LKST_PLACE_ADDRESS:
	case LKST_PLACE_FILE:
		return resolve_number(r);
	case LKST_PLACE_MARK:
		return place->symbol ? lkst_resolve_usdt(r) : -EINVAL;
	case LKST_PLACE_SYMBOL:
		if (!place->symbol)
			return -EINVAL;
		return place->is_many ? resolve_many(r) : resolve_function(r);
	case LKST_PLACE_FUNCTION_LINE:
	case LKST_PLACE_FUNCTION_LAZY:
		return place->symbol ? resolve_points(r) : -EINVAL;
	default:
		return place->source ? resolve_points(r) : -EINVAL;
	}
}

/* "f@V", "f@@V": what is written like a source is a version of the function if it has that one. NULL: it is none. */
static char *with_version(const struct lkst_image *image, const struct lkst_probe_place *place)
{
	char *name = NULL;

	if (!image->program || !place->symbol || !place->source ||
	    asprintf(&name, "%s@%s", place->symbol, place->source) < 0)
		return NULL;
	if (lkst_image_symbol_named(image, name, true, NULL))
		return name;
	free(name);
	return NULL;
}

int lkst_probe_resolve(struct lkst_err *e, struct lkst_image *image,
		       const struct lkst_probe *written, struct lkst_resolved *ret_resolved)
{
	_cleanup_free_ char *name = with_version(image, &written->place);
	struct lkst_probe versioned = *written;
	struct lkst_resolver r = { .e = e, .image = image, .written = written };
	char why[LKST_ERR_MAX];
	int code;

	*ret_resolved = (struct lkst_resolved){ 0 };
	if (e)
		e->text[0] = e->line[0] = 0;
	if (name) {
		versioned.place.symbol = name;
		versioned.place.source = NULL;
		r.written = &versioned;
	}
	lkst_image_restart(image);
	code = lkst_image_check_steps(e, image, resolve(&r));
	lkst_pool_fini(&r.pool);
	if (!code) {
		*ret_resolved = r.out;
		return 0;
	}
	lkst_resolved_fini(&r.out);
	if (e && !e->text[0])
		return lkst_err_set(e, code,
				    code == -ENOMEM ? "there is no memory to resolve a probe"
						    : "this is not a whole definition of a probe");
	if (e && !e->line[0]) {
		snprintf(why, sizeof(why), "%s", e->text);
		return lkst_probe_refuse(e, code, written, written->place.at, "%s", why);
	}
	return code;
}
