/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The symbols of an image that is being opened (probe/debuginfo/image_open.h), by their names without versions.
 *
 * A library may have several functions of one name. Which of them the name means is said beside the dynamic symbols
 * (.gnu.version), and in the names of the others: "f@@V" is what f means, "f@V" is for programs that were linked to an
 * older one. The symbols of both tables are taken, since either may be missing, or may not have all.
 */
#ifndef LKST_PROBE_DEBUGINFO_IMAGE_SYMBOLS_H
#define LKST_PROBE_DEBUGINFO_IMAGE_SYMBOLS_H

#include <gelf.h>

struct lkst_image;

/* Fills @image->symbols, which are of its ELF file and of its debug file. -ENOMEM. */
int lkst_image_symbols_read(struct lkst_image *image);

/* Frees them; takes an image without any. */
void lkst_image_symbols_fini(struct lkst_image *image);

/* The data of the first section of type @type, with its header. NULL: there is none. Good while @elf is open. */
Elf_Data *lkst_image_data_of_type(Elf *elf, GElf_Word type, GElf_Shdr *ret_header);

#endif
