/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes of ELF files. */
#include "probe/debuginfo/elf_note.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"

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
	*lkst_put_bytes(text, id, length > LKST_BUILD_ID_MAX ? 0 : length) = 0;
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

enum {
	SEGMENTS_MAX = 256,
	NOTES_MAX = 1 << 16, /* bytes of one segment of them */
};

static bool read_at(int fd, u64 at, void *bytes, size_t length)
{
	return at <= INT64_MAX && pread(fd, bytes, length, (off_t)at) == (ssize_t)length;
}

/* A segment, of a file of either size. */
struct segment {
	u32 type, flags;
	u64 offset, address, size;
};

static bool read_segment(int fd, u64 at, bool is_64, struct segment *ret)
{
	Elf64_Phdr p64;
	Elf32_Phdr p32;

	if (is_64) {
		if (!read_at(fd, at, &p64, sizeof(p64)))
			return false;
		*ret = (struct segment){ p64.p_type, p64.p_flags, p64.p_offset, p64.p_vaddr, p64.p_filesz };
		return true;
	}
	if (!read_at(fd, at, &p32, sizeof(p32)))
		return false;
	*ret = (struct segment){ p32.p_type, p32.p_flags, p32.p_offset, p32.p_vaddr, p32.p_filesz };
	return true;
}

static void read_notes(int fd, u64 at, u64 size, char text[LKST_BUILD_ID_TEXT])
{
	_cleanup_free_ u8 *bytes = size && size <= NOTES_MAX ? malloc(size) : NULL;

	if (bytes && read_at(fd, at, bytes, size))
		lkst_build_id_of_notes(bytes, size, text);
}

/* Where the table of segments begins and how many it has. False: it is no ELF file. */
static bool elf_note_read_header(int fd, u64 at, bool *ret_is_64, u64 *ret_table, u32 *ret_nr)
{
	union {
		Elf64_Ehdr h64;
		Elf32_Ehdr h32;
	} u;

	if (!read_at(fd, at, &u.h32, sizeof(u.h32)) || memcmp(u.h32.e_ident, ELFMAG, SELFMAG) ||
	    u.h32.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	*ret_is_64 = u.h32.e_ident[EI_CLASS] == ELFCLASS64;
	if (*ret_is_64 && !read_at(fd, at, &u.h64, sizeof(u.h64)))
		return false;
	*ret_table = *ret_is_64 ? u.h64.e_phoff : u.h32.e_phoff;
	*ret_nr = *ret_is_64 ? u.h64.e_phnum : u.h32.e_phnum;
	return *ret_nr <= SEGMENTS_MAX && *ret_table <= INT64_MAX / 2;
}

bool lkst_build_id_of_file(int fd, u64 at, char text[LKST_BUILD_ID_TEXT], u64 *ret_bias)
{
	struct segment segment;
	bool is_64, has_code = false;
	u64 table;
	u32 i, nr;

	text[0] = 0;
	*ret_bias = 0;
	if (!elf_note_read_header(fd, at, &is_64, &table, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!read_segment(fd, at + table + i * (is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)), is_64,
				  &segment))
			return false;
		if (segment.type == PT_LOAD && (segment.flags & PF_X) && !has_code) {
			has_code = true;
			*ret_bias = segment.address - segment.offset;
		}
		if (segment.type == PT_NOTE && !text[0] && segment.offset <= INT64_MAX / 2)
			read_notes(fd, at + segment.offset, segment.size, text);
	}
	return true;
}
