/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open image (probe/debuginfo/image_open.h), for those who read it: its ELF, its symbols, its BTF and its DWARF.
 * Addresses are those of the ELF file.
 */
#ifndef LKST_PROBE_DEBUGINFO_IMAGE_H
#define LKST_PROBE_DEBUGINFO_IMAGE_H

#include <elfutils/libdwfl.h>

#include "abi/types.h"
#include "base/err.h"
#include "probe/debuginfo/elf_note.h"

struct btf;

enum { LKST_IMAGE_STEPS_MIN = 1 << 20 }; /* that walks over DWARF may make, however small the file is */

struct lkst_image_symbol {
	const char *name;    /* without a version, but "f@V" where V is not the version that f means */
	const char *version; /* the version that f means; NULL: none, or it is in the name */
	u64 address, size;
	bool is_function;
	bool is_indirect; /* its code chooses the function that is called by this name */
	bool is_mapping; /* arm64's $x, $d: says what bytes are, and names nothing */
};

struct lkst_image {
	char *program;	/* the path of a program; NULL: the kernel or a module */
	char *module;	/* its name; NULL: the kernel itself, or a program */
	bool is_absent; /* a module that is not loaded, and of which nothing is known */
	char *source_dir;
	char *debug_file;
	char build_id[LKST_BUILD_ID_TEXT];
	bool is_of_another_build; /* than the kernel or module that runs here */
	bool is_running; /* the kernel that runs here, or a module of it; no file of it was named */
	int machine;		  /* EM_X86_64 or EM_AARCH64 */
	Dwfl *dwfl;
	Dwfl_Module *elf_module; /* NULL: no file, only BTF */
	bool dwarf_was_sought;
	Dwarf *dwarf;
	s64 dwarf_bias; /* what to add to an address of DWARF */
	struct btf *base_btf, *btf;
	struct lkst_image_symbol *symbols; /* by address */
	u32 nr_symbols;
	char **symbol_texts; /* names that are not in the file in one piece */
	u32 nr_symbol_texts;
	Dwarf_Die
		last_function; /* that an address was in, of the unit at offset `last_unit`; 0: none */
	Dwarf_Off last_unit;
	u64 max_steps;
	u64 steps; /* entries of DWARF that may still be looked at: more than the file can hold are a loop */
};

/* The ELF file; NULL: there is none. */
Elf *lkst_image_elf(const struct lkst_image *image);

/* DWARF, looked for at the first call. NULL: there is none. */
Dwarf *lkst_image_dwarf(struct lkst_image *image);

/* The same, and -ENODATA with a sentence where one could get it, and that @what takes it. */
int lkst_image_need_dwarf(struct lkst_err *e, struct lkst_image *image, const char *what);

/* Gives the next walks as many steps as the file has a need for. */
void lkst_image_restart(struct lkst_image *image);

/* Whether a loop over DWARF may make one more step. */
bool lkst_image_step(struct lkst_image *image);

/* Returns @code, but -EBADMSG with a sentence if a walk was ended for having made too many steps. */
int lkst_image_check_steps(struct lkst_err *e, const struct lkst_image *image, int code);

/* The image's path or name, for errors. */
const char *lkst_image_name(const struct lkst_image *image);

/* The symbol that holds @address, preferably a function's; NULL: none. */
const struct lkst_image_symbol *lkst_image_symbol_at(const struct lkst_image *image, u64 address);

/*
 * The symbol @name, a function's if @is_function. "f" is the version of f that programs are linked to; "f@V" and "f@@V"
 * are f of version V. @ret_nr, unless NULL, gets how many have this name.
 */
const struct lkst_image_symbol *lkst_image_symbol_named(const struct lkst_image *image,
							const char *name, bool is_function,
							u32 *ret_nr);

/*
 * The symbol that a probe at @address can name: it holds the address, or is before it, and there is only one of its
 * name. NULL: none.
 */
const struct lkst_image_symbol *lkst_image_symbol_to_name(const struct lkst_image *image,
							  u64 address);

/* Where @address is in the file. -ENOENT: no byte of it. */
int lkst_image_file_offset(const struct lkst_image *image, u64 address, u64 *ret_offset);

/* The address of byte @offset of the file, in a segment that is executed. -ENOENT. */
int lkst_image_address_of(const struct lkst_image *image, u64 offset, u64 *ret_address);

/* Up to @size bytes of the image at @address, which are not to be freed; *@ret_size: how many. NULL: there are none. */
const u8 *lkst_image_bytes(const struct lkst_image *image, u64 address, u64 size, u64 *ret_size);

/* The data of section @name, not to be freed. NULL: there is none. */
const u8 *lkst_image_section(const struct lkst_image *image, const char *name, size_t *ret_size,
			     u64 *ret_address);

#endif
