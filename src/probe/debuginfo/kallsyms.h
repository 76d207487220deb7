/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of /proc/kallsyms: "ADDRESS TYPE NAME", and "[MODULE]" after a tab if the symbol is a module's. */
#ifndef LKST_PROBE_DEBUGINFO_KALLSYMS_H
#define LKST_PROBE_DEBUGINFO_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"

/* A symbol. The texts are parts of the line, with no NUL after them. */
struct lkst_kallsyms_symbol {
	u64 address; /* 0: hidden from whoever may not see it */
	char type;   /* as nm(1) has it; 0: the line is of no use, and has nothing else either */
	const char *name, *module;
	size_t name_length,
		module_length; /* of the module without its brackets; 0: the kernel's own */
};

/*
 * Reads the line that *@text begins with, and moves *@text to the next. False: there is none. There are 100,000 of them
 * and more: sscanf() takes several times as long.
 */
bool lkst_kallsyms_next(const char **text, struct lkst_kallsyms_symbol *ret_symbol);

/* Whether it is in the kernel's text, of a function as a rule, and is not hidden. */
bool lkst_kallsyms_is_text(const struct lkst_kallsyms_symbol *symbol);

/* Whether it is called @name; whether it is of module @module, "" for the kernel's own. */
bool lkst_kallsyms_is(const struct lkst_kallsyms_symbol *symbol, const char *name);
bool lkst_kallsyms_is_of(const struct lkst_kallsyms_symbol *symbol, const char *module);

#endif
