/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of libraries. */
#include "probe/debuginfo/needed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/debuginfo/image.h"
#include "probe/debuginfo/image_symbols.h"

enum {
	ENTRIES_MAX = 1 << 16,	/* of .dynamic, and of versions */
	SYMBOLS_MAX = 1 << 20,
	VERSION_MASK = 0x7fff,	/* the number of a version, in .gnu.version */
};

/* An ELF file that is open. */
struct elf_file {
	int fd;
	Elf *elf;
};

static void elf_file_close(struct elf_file *f)
{
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
}

/* The number of dynamic symbol @name that is defined here, or is not; 0: there is none. */
static int needed_find_symbol(Elf *elf, const char *name, bool is_defined)
{
	GElf_Shdr header;
	Elf_Data *data = lkst_image_data_of_type(elf, SHT_DYNSYM, &header);
	const char *is;
	GElf_Sym sym;
	int i;

	for (i = 1; data && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		unsigned int type = GELF_ST_TYPE(sym.st_info);

		if ((sym.st_shndx != SHN_UNDEF) != is_defined ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC && (is_defined || type != STT_NOTYPE)))
			continue;
		is = elf_strptr(elf, header.sh_link, sym.st_name);
		if (is && !strcmp(is, name))
			return i;
	}
	return 0;
}

/* The library that has the version of dynamic symbol @symbol, as the file says. NULL: it does not. */
static const char *library_of_version(Elf *elf, int symbol)
{
	GElf_Shdr versions_header, header;
	Elf_Data *versions = lkst_image_data_of_type(elf, SHT_GNU_versym, &versions_header);
	Elf_Data *data = lkst_image_data_of_type(elf, SHT_GNU_verneed, &header);
	size_t at = 0, aux_at;
	GElf_Versym version;
	GElf_Verneed need;
	GElf_Vernaux aux;
	int steps = 0;

	if (!versions || !data || !gelf_getversym(versions, symbol, &version))
		return NULL;
	while (at < data->d_size && gelf_getverneed(data, (int)at, &need)) {
		aux_at = at + need.vn_aux;
		while (aux_at < data->d_size && gelf_getvernaux(data, (int)aux_at, &aux)) {
			if ((aux.vna_other & VERSION_MASK) == (version & VERSION_MASK))
				return elf_strptr(elf, header.sh_link, need.vn_file);
			if (!aux.vna_next || ++steps > ENTRIES_MAX)
				break;
			aux_at += aux.vna_next;
		}
		if (!need.vn_next || ++steps > ENTRIES_MAX)
			return NULL;
		at += need.vn_next;
	}
	return NULL;
}

/* Entry number @i of .dynamic that has a text, of tag @tag. NULL: there are not as many. */
static const char *dynamic_text(Elf *elf, GElf_Sxword tag, unsigned int i)
{
	GElf_Shdr header;
	Elf_Data *data = lkst_image_data_of_type(elf, SHT_DYNAMIC, &header);
	GElf_Dyn entry;
	int k;

	for (k = 0; data && k < ENTRIES_MAX && gelf_getdyn(data, k, &entry); k++)
		if (entry.d_tag == tag && !i--)
			return elf_strptr(elf, header.sh_link, entry.d_un.d_val);
	return NULL;
}

/* Whether the file at @path defines function @name, and is for the image's machine. */
static bool has_function(const struct lkst_image *image, const char *path, const char *name)
{
	_cleanup_(elf_file_close) struct elf_file f = { .fd = -1 };
	struct stat status;
	GElf_Ehdr header;

	f.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f.fd < 0 || fstat(f.fd, &status) || !S_ISREG(status.st_mode))
		return false;
	f.elf = elf_begin(f.fd, ELF_C_READ, NULL);
	return f.elf && gelf_getehdr(f.elf, &header) && header.e_machine == image->machine &&
	       needed_find_symbol(f.elf, name, true);
}

/* Tries the library in @directory, of @length bytes; "$ORIGIN" is where the image is. */
static bool try_directory(const struct lkst_image *image, const char *directory, size_t length,
			  const char *name, struct lkst_needed *n)
{
	static const char origin[] = "$ORIGIN";
	const char *slash = strrchr(image->program, '/');
	int own = slash ? (int)(slash - image->program) : 0, size;

	if (length >= sizeof(origin) - 1 && !strncmp(directory, origin, sizeof(origin) - 1))
		size = snprintf(n->path, sizeof(n->path), "%.*s%.*s/%s", own, image->program,
				(int)(length - (sizeof(origin) - 1)), directory + sizeof(origin) - 1,
				n->library);
	else
		size = snprintf(n->path, sizeof(n->path), "%.*s/%s", (int)length, directory,
				n->library);
	if (size > 0 && size < (int)sizeof(n->path) && has_function(image, n->path, name))
		return true;
	n->path[0] = 0;
	return false;
}

/* Tries the directories of @list, with ':' between them. */
static bool try_list(const struct lkst_image *image, const char *list, const char *name,
		     struct lkst_needed *n)
{
	size_t length;

	for (; list && *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (length && try_directory(image, list, length, name, n))
			return true;
	}
	return false;
}

static bool try_library(const struct lkst_image *image, const char *library, const char *name,
			struct lkst_needed *n)
{
	Elf *elf = lkst_image_elf(image);
	const char *usual = image->machine == EM_AARCH64
				    ? "$ORIGIN:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
				      "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"
				    : "$ORIGIN:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
				      "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";

	if (strchr(library, '/') || strlen(library) >= sizeof(n->library))
		return false;
	strcpy(n->library, library);
	return try_list(image, dynamic_text(elf, DT_RPATH, 0), name, n) ||
	       try_list(image, dynamic_text(elf, DT_RUNPATH, 0), name, n) ||
	       try_list(image, usual, name, n);
}

bool lkst_needed_find(const struct lkst_image *image, const char *name, struct lkst_needed *ret)
{
	Elf *elf = lkst_image_elf(image);
	const char *library;
	unsigned int i;
	int symbol;

	*ret = (struct lkst_needed){ 0 };
	if (!image->program || !elf)
		return false;
	symbol = needed_find_symbol(elf, name, false);
	library = symbol ? library_of_version(elf, symbol) : NULL;
	if (library && try_library(image, library, name, ret))
		return true;
	for (i = 0; (library = dynamic_text(elf, DT_NEEDED, i)); i++)
		if (try_library(image, library, name, ret))
			return true;
	library = symbol ? library_of_version(elf, symbol) : NULL;
	snprintf(ret->library, sizeof(ret->library), "%s",
		 library && !strchr(library, '/') ? library : "");
	return symbol;
}
