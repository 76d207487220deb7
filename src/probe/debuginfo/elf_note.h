/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes of ELF files (elf(5), "Notes"): the build-id, and the marks that <sys/sdt.h> leaves.
 */
#ifndef LKST_PROBE_DEBUGINFO_ELF_NOTE_H
#define LKST_PROBE_DEBUGINFO_ELF_NOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"

enum { LKST_BUILD_ID_MAX = 64, LKST_BUILD_ID_TEXT = 2 * LKST_BUILD_ID_MAX + 1 };

struct lkst_elf_note {
	u32 type;
	size_t name_length, length;
	const char *name; /* not always with a NUL */
	const u8 *bytes;
};

/*
 * The note at byte *@at of the @size @bytes of a section, in this machine's byte order; moves *@at after it.
 * False: there is none that is whole.
 */
bool lkst_elf_note_next(const u8 *bytes, size_t size, size_t *at, struct lkst_elf_note *ret_note);

/* Writes the build-id among @bytes of notes in hex; "" if there is none. */
void lkst_build_id_of_notes(const u8 *bytes, size_t size, char text[LKST_BUILD_ID_TEXT]);

/*
 * Reads from the ELF file @fd, whose first byte is at @at there, its build-id in hex, "" if there is none, and what
 * to add to an offset in its first executable segment for the address in the ELF headers. False: it is no ELF file
 * that makes sense. Nothing is read but headers and notes.
 */
bool lkst_build_id_of_file(int fd, u64 at, char text[LKST_BUILD_ID_TEXT], u64 *ret_bias);

/* Writes a build-id in hex; one that is longer than any is "". */
void lkst_build_id_text(const u8 *id, size_t length, char text[LKST_BUILD_ID_TEXT]);

#endif
