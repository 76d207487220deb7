/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of a program's marks: notes as a section holds them, the operands in them for both machines, and
 * instructions.
 *
 * prints: text csv json
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "probe/debuginfo/instructions.h"
#include "probe/resolve/usdt.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static unsigned int depth_of(const struct lkst_fetch *f)
{
	return f ? 1 + depth_of(f->base) : 0;
}

static void check_arguments(const char *text, int machine)
{
	struct lkst_pool pool = { 0 };
	struct lkst_usdt_args args;
	u32 i;

	if (lkst_usdt_arguments(text, machine, &pool, &args) || args.nr > LKST_USDT_ARGS_MAX)
		abort();
	for (i = 0; i < args.nr; i++) {
		const struct lkst_fetch_type *type = &args.list[i].type;

		if (depth_of(args.list[i].fetch) > 2)
			abort();
		if (args.list[i].fetch && type->size != 1 && type->size != 2 && type->size != 4 &&
		    type->size != 8)
			abort();
	}
	lkst_pool_fini(&pool);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char id[LKST_BUILD_ID_TEXT];
	struct lkst_elf_note note;
	struct lkst_usdt_note mark;
	size_t at = 0, before = 0;
	struct lkst_err e = { 0 };
	u64 next = 0;
	char *text;

	lkst_build_id_of_notes(data, size, id);
	while (lkst_elf_note_next(data, size, &at, &note)) {
		if (at <= before || at > size)
			abort();
		before = at;
		if (!lkst_usdt_read(&note, &mark))
			continue;
		printed_names((const char *const[]){ mark.provider, mark.name, mark.arguments }, 3);
		check_arguments(mark.arguments, EM_X86_64);
		check_arguments(mark.arguments, EM_AARCH64);
	}
	text = strndup((const char *)data, size);
	if (!text)
		return 0;
	check_arguments(text, EM_X86_64);
	check_arguments(text, EM_AARCH64);
	free(text);
	if (size && lkst_instruction_check(&e, EM_X86_64, data, size, data[0] % size, "f", &next))
		printed_error(&e);
	else if (size && (next <= data[0] % size || next > size))
		abort();
	return 0;
}
