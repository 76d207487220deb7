/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes of ELF files. */
#include "probe/resolve/elf_note.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* Rounds @n, which is of 32 bits, up to the alignment of notes. */
static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

bool lkst_elf_note_next(const u8 *bytes, size_t size, size_t *at, struct lkst_elf_note *ret_note)
{
	Elf64_Nhdr header;
	size_t left, length;

	if (*at > size || size - *at < sizeof(header))
		return false;
	memcpy(&header, bytes + *at, sizeof(header));
	left = size - *at - sizeof(header);
	if (header.n_namesz > left || aligned(header.n_namesz) > left ||
	    header.n_descsz > left - aligned(header.n_namesz))
		return false;
	*ret_note = (struct lkst_elf_note){
		.type = header.n_type,
		.name_length = header.n_namesz,
		.length = header.n_descsz,
		.name = (const char *)bytes + *at + sizeof(header),
		.bytes = bytes + *at + sizeof(header) + aligned(header.n_namesz),
	};
	/* The last may lack the bytes up to the alignment. */
	length = sizeof(header) + aligned(header.n_namesz) + aligned(header.n_descsz);
	*at = length > size - *at ? size : *at + length;
	return true;
}

void lkst_build_id_text(const u8 *id, size_t length, char text[LKST_BUILD_ID_TEXT])
{
	size_t i;

	text[0] = 0;
	if (length > LKST_BUILD_ID_MAX)
		return;
	for (i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

void lkst_build_id_of_notes(const u8 *bytes, size_t size, char text[LKST_BUILD_ID_TEXT])
{
	struct lkst_elf_note note;
	size_t at = 0;

	text[0] = 0;
	while (lkst_elf_note_next(bytes, size, &at, &note))
		if (note.type == NT_GNU_BUILD_ID && note.name_length == sizeof("GNU") &&
		    !memcmp(note.name, "GNU", sizeof("GNU")))
			return lkst_build_id_text(note.bytes, note.length, text);
}
