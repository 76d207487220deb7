/* SPDX-License-Identifier: GPL-2.0-only */
/* The symbols of an image, and their versions. */
#include "probe/debuginfo/image_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "probe/debuginfo/image.h"

enum {
	SYMBOLS_MAX = 4 << 20,
	VERSION_HIDDEN = 0x8000, /* in .gnu.version: the name alone does not mean this one */
	VERSION_GLOBAL = 1,	 /* the first two numbers are of no version */
};

/* A symbol that the dynamic linker knows. */
struct dynamic {
	const char *name, *version; /* version NULL: it has none */
	GElf_Sym sym;
	bool is_hidden, is_known; /* known: the other table has it, too */
};

struct dynamics {
	struct dynamic *list;
	u32 nr;
};

static void dynamics_fini(struct dynamics *d)
{
	free(d->list);
}

/* ---- the dynamic symbols ---------------------------------------------------------------------- */

Elf_Data *lkst_image_data_of_type(Elf *elf, GElf_Word type, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, ret_header) && ret_header->sh_type == type)
			return elf_getdata(section, NULL);
	return NULL;
}

/* The name of version @number that the file defines. NULL: it defines none. */
static const char *version_name(Elf *elf, Elf_Data *data, const GElf_Shdr *header, u32 number)
{
	GElf_Verdaux name;
	GElf_Verdef def;
	int at = 0;

	while (data && gelf_getverdef(data, at, &def)) {
		if (def.vd_ndx == number)
			return gelf_getverdaux(data, at + (int)def.vd_aux, &name)
				       ? elf_strptr(elf, header->sh_link, name.vda_name)
				       : NULL;
		/* Each is after the one before it, and within the section. */
		if (!def.vd_next || def.vd_next > data->d_size - (size_t)at)
			return NULL;
		at += (int)def.vd_next;
	}
	return NULL;
}

static int compare_dynamics(const void *one, const void *other)
{
	const struct dynamic *a = one, *b = other;

	if (a->sym.st_value != b->sym.st_value)
		return a->sym.st_value < b->sym.st_value ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int read_dynamics(Elf *elf, struct dynamics *d)
{
	GElf_Shdr header, versions_header, names_header;
	Elf_Data *data = lkst_image_data_of_type(elf, SHT_DYNSYM, &header);
	Elf_Data *versions = lkst_image_data_of_type(elf, SHT_GNU_versym, &versions_header);
	Elf_Data *names = lkst_image_data_of_type(elf, SHT_GNU_verdef, &names_header);
	struct dynamic *slot;
	GElf_Versym version;
	const char *name;
	GElf_Sym sym;
	int i;

	for (i = 1; data && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		name = sym.st_shndx == SHN_UNDEF ? NULL
						 : elf_strptr(elf, header.sh_link, sym.st_name);
		if (!name || !name[0])
			continue;
		slot = lkst_vec_add(d->list, d->nr);
		if (!slot)
			return -ENOMEM;
		*slot = (struct dynamic){ .name = name, .sym = sym };
		if (!versions || !gelf_getversym(versions, i, &version) ||
		    (version & ~VERSION_HIDDEN) <= VERSION_GLOBAL)
			continue;
		slot->version = version_name(elf, names, &names_header,
					     (u32)(version & ~VERSION_HIDDEN));
		slot->is_hidden = slot->version && (version & VERSION_HIDDEN);
	}
	if (d->nr)
		qsort(d->list, d->nr, sizeof(d->list[0]), compare_dynamics);
	return 0;
}

/* Notes that symbol @name, of @length bytes, at @address is in the other table. True: its version is known here. */
static bool image_symbols_know(struct dynamics *d, u64 address, const char *name, size_t length)
{
	u32 i = (u32)lkst_lower_bound(k, d->nr, d->list[k].sym.st_value < address);
	bool has_version = false;

	for (; i < d->nr && d->list[i].sym.st_value == address; i++)
		if (!strncmp(d->list[i].name, name, length) && !d->list[i].name[length]) {
			d->list[i].is_known = true;
			has_version |= d->list[i].version != NULL;
		}
	return has_version;
}

/* ---- all symbols ------------------------------------------------------------------------------ */

/* Keeps @text, which it takes, as long as the image. NULL: no memory. */
static const char *image_symbols_keep(struct lkst_image *image, char *text)
{
	char **slot = text ? lkst_vec_add(image->symbol_texts, image->nr_symbol_texts) : NULL;

	if (!slot)
		free(text);
	else
		*slot = text;
	return slot ? text : NULL;
}

static int image_symbols_add(struct lkst_image *image, const char *name, const char *version, u64 address,
			     const GElf_Sym *sym)
{
	struct lkst_image_symbol *symbol = name ? lkst_vec_add(image->symbols, image->nr_symbols)
						: NULL;

	if (!symbol)
		return -ENOMEM;
	symbol->name = name;
	symbol->version = version;
	symbol->address = address;
	symbol->size = sym->st_size;
	symbol->is_indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
	symbol->is_function = GELF_ST_TYPE(sym->st_info) == STT_FUNC || symbol->is_indirect;
	symbol->is_mapping = name[0] == '$';
	return 0;
}

/* A dynamic symbol of a version, or one that no other table has. */
static int image_symbols_add_dynamic(struct lkst_image *image, const struct dynamic *d)
{
	char *text = NULL;

	if (!d->is_hidden)
		return image_symbols_add(image, d->name, d->version, d->sym.st_value, &d->sym);
	if (asprintf(&text, "%s@%s", d->name, d->version) < 0)
		return -ENOMEM;
	return image_symbols_add(image, image_symbols_keep(image, text), NULL, d->sym.st_value, &d->sym);
}

/* A symbol whose name may end in a version. */
static int add_written(struct lkst_image *image, struct dynamics *d, const char *name, u64 address,
		       const GElf_Sym *sym)
{
	const char *at = image->program && name[0] ? strchr(name + 1, '@') : NULL;
	size_t length = at ? (size_t)(at - name) : strlen(name);
	bool is_dynamic = image_symbols_know(d, address, name, length);

	if (!at)
		return is_dynamic ? 0 : image_symbols_add(image, name, NULL, address, sym);
	if (at[1] != '@')
		return image_symbols_add(image, name, NULL, address, sym);
	return image_symbols_add(image, image_symbols_keep(image, strndup(name, length)), at + 2, address, sym);
}

static bool image_symbols_is_named(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

static int compare_symbols(const void *one, const void *other)
{
	const struct lkst_image_symbol *a = one, *b = other;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Of symbols at one address, those of functions come last, and are found. */
	if (a->is_function != b->is_function)
		return a->is_function - b->is_function;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return -strcmp(a->name, b->name);
}

int lkst_image_symbols_read(struct lkst_image *image)
{
	_cleanup_(dynamics_fini) struct dynamics dynamics = { 0 };
	int i, nr = dwfl_module_getsymtab(image->elf_module), code = 0;
	Elf *elf = lkst_image_elf(image);
	GElf_Addr bias;
	GElf_Word section;
	const char *name;
	GElf_Sym sym;
	u32 k;

	if (!elf || !dwfl_module_getelf(image->elf_module, &bias))
		return 0;
	if (image->program)
		code = read_dynamics(elf, &dynamics);
	for (i = 1; !code && i < nr && image->nr_symbols < SYMBOLS_MAX; i++) {
		name = dwfl_module_getsym(image->elf_module, i, &sym, &section);
		if (name && name[0] && section != SHN_UNDEF && image_symbols_is_named(&sym))
			code = add_written(image, &dynamics, name, sym.st_value - bias, &sym);
	}
	for (k = 0; !code && k < dynamics.nr && image->nr_symbols < SYMBOLS_MAX; k++)
		if (image_symbols_is_named(&dynamics.list[k].sym) &&
		    (dynamics.list[k].version || !dynamics.list[k].is_known))
			code = image_symbols_add_dynamic(image, &dynamics.list[k]);
	if (image->nr_symbols)
		qsort(image->symbols, image->nr_symbols, sizeof(image->symbols[0]),
		      compare_symbols);
	return code;
}

void lkst_image_symbols_fini(struct lkst_image *image)
{
	u32 i;

	for (i = 0; i < image->nr_symbol_texts; i++)
		free(image->symbol_texts[i]);
	free(image->symbol_texts);
	free(image->symbols);
}
