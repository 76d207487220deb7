/* SPDX-License-Identifier: GPL-2.0-only */
/* An open image: what the files of the kernel, a module, or a program say. */
#include "probe/debuginfo/image.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/bsearch.h"

enum {
	NAMES_MAX =
		256, /* symbols before an address that are tried for a name that there is once */
	STEPS_PER_BYTE = 16,
};

Elf *lkst_image_elf(const struct lkst_image *image)
{
	GElf_Addr bias;

	return image->elf_module ? dwfl_module_getelf(image->elf_module, &bias) : NULL;
}

const char *lkst_image_name(const struct lkst_image *image)
{
	return image->program ? image->program : image->module ? image->module : "the kernel";
}

Dwarf *lkst_image_dwarf(struct lkst_image *image)
{
	GElf_Addr elf_bias = 0;
	Dwarf_Addr bias = 0;
	size_t size = 0;

	if (image->dwarf_was_sought || !image->elf_module)
		return image->dwarf;
	image->dwarf_was_sought = true;
	image->dwarf = dwfl_module_getdwarf(image->elf_module, &bias);
	if (!image->dwarf || !dwfl_module_getelf(image->elf_module, &elf_bias))
		return image->dwarf = NULL;
	image->dwarf_bias = bias - elf_bias;
	elf_rawfile(dwarf_getelf(image->dwarf), &size);
	image->max_steps = LKST_IMAGE_STEPS_MIN + STEPS_PER_BYTE * (u64)size;
	image->steps = image->max_steps;
	return image->dwarf;
}

int lkst_image_need_dwarf(struct lkst_err *e, struct lkst_image *image, const char *what)
{
	struct utsname u;

	if (lkst_image_dwarf(image))
		return 0;
	if (image->program)
		return lkst_err_set(
			e, -ENODATA,
			"%s requires debug information, and %s has none: build it with -g, or install its "
			"-dbgsym package",
			what, image->program);
	return lkst_err_set(
		e, -ENODATA,
		"%s requires debug information, and there is none of %s below /usr/lib/debug: install "
		"linux-image-%s-dbg, or name its vmlinux with -k",
		what, lkst_image_name(image), uname(&u) ? "RELEASE" : u.release);
}

void lkst_image_restart(struct lkst_image *image)
{
	image->steps = image->max_steps;
}

bool lkst_image_step(struct lkst_image *image)
{
	return image->steps && image->steps--;
}

int lkst_image_check_steps(struct lkst_err *e, const struct lkst_image *image, int code)
{
	if (image->steps)
		return code;
	return lkst_err_set(e, -EBADMSG,
			    "the debug information of %s is damaged: it refers to itself",
			    lkst_image_name(image));
}

const struct lkst_image_symbol *lkst_image_symbol_at(const struct lkst_image *image, u64 address)
{
	size_t after = lkst_lower_bound(k, image->nr_symbols, image->symbols[k].address <= address);
	size_t i;

	/* The nearest below may be a label in a function, or a smaller one: look at some before. */
	for (i = after; i && after - i < 64; i--) {
		const struct lkst_image_symbol *s = &image->symbols[i - 1];

		if (!s->is_mapping && (address - s->address < s->size || address == s->address))
			return s;
	}
	return NULL;
}

/* Whether @s is called @name; @at: where that has a version, NULL if it has none. */
static bool image_is_called(const struct lkst_image_symbol *s, const char *name, const char *at)
{
	size_t length;

	if (!strcmp(s->name, name))
		return true;
	if (!at || !s->version)
		return false;
	length = (size_t)(at - name);
	return !strncmp(s->name, name, length) && !s->name[length] &&
	       !strcmp(s->version, at + 1 + (at[1] == '@'));
}

const struct lkst_image_symbol *lkst_image_symbol_named(const struct lkst_image *image,
							const char *name, bool is_function,
							u32 *ret_nr)
{
	const struct lkst_image_symbol *found = NULL;
	const char *at = strchr(name, '@');
	u32 i, nr = 0;

	for (i = 0; i < image->nr_symbols; i++) {
		const struct lkst_image_symbol *s = &image->symbols[i];

		if ((is_function && !s->is_function) || !image_is_called(s, name, at))
			continue;
		/* One symbol may be in .symtab and in .dynsym. */
		if (!found || found->address != s->address)
			nr++;
		found = found ? found : s;
	}
	if (ret_nr)
		*ret_nr = nr;
	return found;
}

/* Walks the segments of the file for the one with @address, or with byte @offset that is executed. */
static int find_segment(const struct lkst_image *image, bool by_address, u64 value,
			GElf_Phdr *ret_segment)
{
	Elf *elf = lkst_image_elf(image);
	size_t nr, i;
	GElf_Phdr p;

	if (!elf || elf_getphdrnum(elf, &nr))
		return -ENOENT;
	for (i = 0; i < nr && gelf_getphdr(elf, i, &p); i++) {
		if (p.p_type != PT_LOAD || (!by_address && !(p.p_flags & PF_X)))
			continue;
		if (value - (by_address ? p.p_vaddr : p.p_offset) < p.p_filesz) {
			*ret_segment = p;
			return 0;
		}
	}
	return -ENOENT;
}

int lkst_image_file_offset(const struct lkst_image *image, u64 address, u64 *ret_offset)
{
	GElf_Phdr p;

	if (find_segment(image, true, address, &p))
		return -ENOENT;
	*ret_offset = address - p.p_vaddr + p.p_offset;
	return 0;
}

int lkst_image_address_of(const struct lkst_image *image, u64 offset, u64 *ret_address)
{
	GElf_Phdr p;

	if (find_segment(image, false, offset, &p))
		return -ENOENT;
	*ret_address = offset - p.p_offset + p.p_vaddr;
	return 0;
}

/* The bytes of a section as they are in the file. NULL: it has none there. */
static const u8 *data_of(Elf_Scn *section, const GElf_Shdr *header, u64 *ret_size)
{
	Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

	if (!data || !data->d_buf || data->d_size > header->sh_size)
		return NULL;
	*ret_size = data->d_size;
	return data->d_buf;
}

/* The section that is loaded with @address in it. NULL: none. */
static Elf_Scn *section_at(const struct lkst_image *image, u64 address, GElf_Shdr *ret_header)
{
	Elf *elf = lkst_image_elf(image);
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, ret_header) && (ret_header->sh_flags & SHF_ALLOC) &&
		    address - ret_header->sh_addr < ret_header->sh_size)
			return section;
	return NULL;
}

const u8 *lkst_image_bytes(const struct lkst_image *image, u64 address, u64 size, u64 *ret_size)
{
	GElf_Shdr header;
	Elf_Scn *section = section_at(image, address, &header);
	u64 length;
	const u8 *bytes = section ? data_of(section, &header, &length) : NULL;

	if (!bytes || address - header.sh_addr >= length)
		return NULL;
	length -= address - header.sh_addr;
	*ret_size = size < length ? size : length;
	return bytes + (address - header.sh_addr);
}

const struct lkst_image_symbol *lkst_image_symbol_to_name(const struct lkst_image *image,
							  u64 address)
{
	const struct lkst_image_symbol *nearest = lkst_image_symbol_at(image, address), *s;
	GElf_Shdr section;
	unsigned int tries;
	u32 i, nr;

	if (!nearest)
		return NULL;
	lkst_image_symbol_named(image, nearest->name, false, &nr);
	if (nr == 1)
		return nearest;
	if (!image->module)
		return lkst_image_symbol_named(image, "_text", false, NULL);
	/*
	 * Sections of a module are loaded independently of each other, and its own symbols are all that can be named.
	 */
	if (!section_at(image, address, &section))
		return NULL;
	i = nearest - image->symbols;
	for (tries = 0; i-- && tries < NAMES_MAX; tries++) {
		s = &image->symbols[i];
		if (s->address < section.sh_addr)
			break;
		lkst_image_symbol_named(image, s->name, false, &nr);
		if (nr == 1 && !s->is_mapping && s->is_function == nearest->is_function)
			return s;
	}
	return NULL;
}

const u8 *lkst_image_section(const struct lkst_image *image, const char *name, size_t *ret_size,
			     u64 *ret_address)
{
	Elf *elf = lkst_image_elf(image);
	Elf_Scn *section = NULL;
	const char *is;
	GElf_Shdr header;
	const u8 *bytes;
	size_t strings;
	u64 size;

	if (!elf || elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || (header.sh_flags & SHF_COMPRESSED))
			continue;
		is = elf_strptr(elf, strings, header.sh_name);
		if (!is || strcmp(is, name))
			continue;
		bytes = data_of(section, &header, &size);
		*ret_size = bytes ? size : 0;
		*ret_address = header.sh_addr;
		return bytes;
	}
	return NULL;
}
