/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks of a program, and probes at them. */
#include "probe/resolve/usdt.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/resolve/resolver.h"

/* ---- marks of a program, and their arguments ------------------------------------------------- */

enum {
	NT_STAPSDT = 3,
	WORD_MAX = 64, /* of an operand */
};

bool lkst_usdt_read(const struct lkst_elf_note *note, struct lkst_usdt_note *ret_mark)
{
	const char *text = (const char *)note->bytes + 3 * sizeof(u64), *end;
	struct lkst_usdt_note m;

	if (note->type != NT_STAPSDT || note->name_length != sizeof("stapsdt") ||
	    memcmp(note->name, "stapsdt", sizeof("stapsdt")) || note->length < 3 * sizeof(u64))
		return false;
	end = (const char *)note->bytes + note->length;
	memcpy(&m.address, note->bytes, sizeof(u64));
	memcpy(&m.base, note->bytes + sizeof(u64), sizeof(u64));
	memcpy(&m.semaphore, note->bytes + 2 * sizeof(u64), sizeof(u64));
	m.provider = text;
	m.name = memchr(text, 0, end - text);
	if (!m.name)
		return false;
	m.name++;
	m.arguments = memchr(m.name, 0, end - m.name);
	if (!m.arguments || !memchr(m.arguments + 1, 0, end - m.arguments - 1))
		return false;
	m.arguments++;
	*ret_mark = m;
	return true;
}

/* Names of x86's registers and of their parts; the kernel has one for all parts. */
static const struct {
	const char *kernel, *names[5];
} x86_registers[] = {
	{ "ax", { "rax", "eax", "ax", "al", "ah" } },
	{ "bx", { "rbx", "ebx", "bx", "bl", "bh" } },
	{ "cx", { "rcx", "ecx", "cx", "cl", "ch" } },
	{ "dx", { "rdx", "edx", "dx", "dl", "dh" } },
	{ "si", { "rsi", "esi", "si", "sil" } },
	{ "di", { "rdi", "edi", "di", "dil" } },
	{ "bp", { "rbp", "ebp", "bp", "bpl" } },
	{ "sp", { "rsp", "esp", "sp", "spl" } },
	{ "r8", { "r8", "r8d", "r8w", "r8b" } },
	{ "r9", { "r9", "r9d", "r9w", "r9b" } },
	{ "r10", { "r10", "r10d", "r10w", "r10b" } },
	{ "r11", { "r11", "r11d", "r11w", "r11b" } },
	{ "r12", { "r12", "r12d", "r12w", "r12b" } },
	{ "r13", { "r13", "r13d", "r13w", "r13b" } },
	{ "r14", { "r14", "r14d", "r14w", "r14b" } },
	{ "r15", { "r15", "r15d", "r15w", "r15b" } },
	{ "ip", { "rip" } },
};

/* The kernel's name of register @name of the assembler; "" if the whole is not addressed so. NULL: unknown. */
static const char *x86_register(const char *name, bool *ret_is_high)
{
	size_t i, j;

	*ret_is_high = false;
	for (i = 0; i < sizeof(x86_registers) / sizeof(x86_registers[0]); i++)
		for (j = 0; j < 5 && x86_registers[i].names[j]; j++)
			if (!strcmp(name, x86_registers[i].names[j])) {
				*ret_is_high = j == 4;
				return x86_registers[i].kernel;
			}
	return NULL;
}

/* "x3" and "w3" are x3, "sp" is sp. */
static const char *arm_register(const char *name, char text[8])
{
	char *end;
	unsigned long number;

	if (!strcmp(name, "sp"))
		return "sp";
	if ((name[0] != 'x' && name[0] != 'w') || name[1] < '0' || name[1] > '9')
		return NULL;
	number = strtoul(name + 1, &end, 10);
	if (*end || number > 30)
		return NULL;
	snprintf(text, 8, "x%lu", number);
	return text;
}

/* Reads a number, with its sign. */
static bool usdt_read_number(const char **text, s64 *ret_number)
{
	char *end;

	if (!((**text >= '0' && **text <= '9') || **text == '-' || **text == '+'))
		return false;
	errno = 0;
	*ret_number = strtoll(*text, &end, 0);
	if (errno)
		*ret_number = (s64)strtoull(*text, &end, 0);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

/* Copies what is before one of @ends. False: that is too long, or there is none of them. */
static bool usdt_read_word(const char **text, const char *ends, char word[WORD_MAX])
{
	size_t length = strcspn(*text, ends);

	if (!length || length >= WORD_MAX || !(*text)[length])
		return false;
	memcpy(word, *text, length);
	word[length] = 0;
	*text += length;
	return true;
}

/* "%rax" */
static struct lkst_fetch *read_x86_register(struct lkst_pool *pool, const char **text,
					    const char *ends)
{
	const char *name;
	char word[WORD_MAX];
	bool is_high;

	if (*(*text)++ != '%' || !usdt_read_word(text, ends, word))
		return NULL;
	name = x86_register(word, &is_high);
	return name && !is_high ? lkst_pool_fetch(pool, LKST_FETCH_REGISTER, name, 0, NULL) : NULL;
}

/* "(%rbp)", "(%rax,%rdx,4)", "(,%rdx,8)" after the offset. */
static struct lkst_fetch *read_x86_memory(struct lkst_pool *pool, const char *text, s64 offset)
{
	struct lkst_fetch *f = lkst_pool_fetch(pool, LKST_FETCH_MEMORY, NULL, offset, NULL);
	s64 scale = 1;

	if (!f || *text++ != '(')
		return NULL;
	f->base = *text == ',' ? lkst_pool_fetch(pool, LKST_FETCH_NUMBER, NULL, 0, NULL)
			       : read_x86_register(pool, &text, ",)");
	if (!f->base || (f->base->text && !strcmp(f->base->text, "ip")))
		return NULL;
	if (*text == ',') {
		text++;
		f->op = LKST_FETCH_ELEMENT;
		f->index = read_x86_register(pool, &text, ",)");
		if (!f->index || (*text == ',' && (text++, !usdt_read_number(&text, &scale))))
			return NULL;
		f->size = scale;
	}
	return !strcmp(text, ")") ? f : NULL;
}

static struct lkst_fetch *read_x86_operand(struct lkst_pool *pool, const char *text)
{
	struct lkst_fetch *f;
	s64 number = 0;

	if (*text == '$') {
		text++;
		return usdt_read_number(&text, &number) && !*text
			       ? lkst_pool_fetch(pool, LKST_FETCH_NUMBER, NULL, number, NULL)
			       : NULL;
	}
	if (*text == '%') {
		char word[WORD_MAX + 1];
		const char *at = word;

		/* A register ends with the operand. */
		if (snprintf(word, sizeof(word), "%s ", text) >= (int)sizeof(word))
			return NULL;
		f = read_x86_register(pool, &at, " ");
		return f && !strcmp(at, " ") ? f : NULL;
	}
	usdt_read_number(&text, &number);
	return read_x86_memory(pool, text, number);
}

/* "x1", "1", "[sp]", "[x29, 20]", "[x1, x2, lsl 3]". */
static struct lkst_fetch *read_arm_operand(struct lkst_pool *pool, const char *text)
{
	struct lkst_fetch *base;
	char word[WORD_MAX], name_text[8];
	const char *name;
	s64 number = 0;

	if (*text != '[') {
		name = arm_register(text, name_text);
		if (name)
			return lkst_pool_fetch(pool, LKST_FETCH_REGISTER, name, 0, NULL);
		return usdt_read_number(&text, &number) && !*text
			       ? lkst_pool_fetch(pool, LKST_FETCH_NUMBER, NULL, number, NULL)
			       : NULL;
	}
	text++;
	if (!usdt_read_word(&text, ",]", word) || !(name = arm_register(word, name_text)))
		return NULL;
	base = lkst_pool_fetch(pool, LKST_FETCH_REGISTER, name, 0, NULL);
	if (*text == ',') {
		text += 1 + strspn(text + 1, " ");
		if (!usdt_read_number(&text, &number))
			return NULL;
	}
	if (strcmp(text, "]") || !base)
		return NULL;
	return lkst_pool_fetch(pool, LKST_FETCH_MEMORY, NULL, number, base);
}

/* "-4@" and "8f@": how many bytes the argument has, negative if it is signed. A mark of old may lack it. */
static bool read_size(const char **text, struct lkst_fetch_type *ret_type)
{
	s64 size = 8;
	const char *at = *text;

	*ret_type = (struct lkst_fetch_type){ .form = LKST_FORM_UNSIGNED, .size = 8 };
	if (!strchr(at, '@'))
		return true;
	if (!usdt_read_number(&at, &size) || *at != '@')
		return false;
	*text = at + 1;
	if (size < 0) {
		ret_type->form = LKST_FORM_SIGNED;
		size = -size;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	ret_type->size = size;
	return true;
}

/* Copies the next operand: up to a blank that is in no brackets. False: there is none, or too long. */
static bool next_operand(const char **text, char word[WORD_MAX])
{
	size_t nr = 0;
	int open = 0;

	*text += strspn(*text, " ");
	for (; **text && (**text != ' ' || open); (*text)++) {
		open += **text == '[' || **text == '(';
		open -= **text == ']' || **text == ')';
		if (nr + 1 < WORD_MAX)
			word[nr] = **text;
		nr++;
	}
	word[nr < WORD_MAX ? nr : 0] = 0;
	return nr;
}

int lkst_usdt_arguments(const char *text, int machine, struct lkst_pool *pool,
			struct lkst_usdt_args *ret_args)
{
	char word[WORD_MAX];
	const char *at;
	u32 i;

	*ret_args = (struct lkst_usdt_args){ 0 };
	for (i = 0; i < LKST_USDT_ARGS_MAX && next_operand(&text, word); i++) {
		at = word;
		if (read_size(&at, &ret_args->list[i].type))
			ret_args->list[i].fetch = machine == EM_AARCH64
							  ? read_arm_operand(pool, at)
							  : read_x86_operand(pool, at);
		ret_args->nr = i + 1;
	}
	return 0;
}

/* ---- a probe at a mark ----------------------------------------------------------------------- */

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

