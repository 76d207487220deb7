/* SPDX-License-Identifier: GPL-2.0-only */
/* An open image: the kernel, a module, or a program, with what its files say of it. */
#include "probe/resolve/image.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/bsearch.h"
#include "base/io.h"
#include "base/vec.h"
#include "probe/resolve/debug_file.h"

enum {
	NOTES_MAX = 1 << 20, /* bytes of the running kernel's notes */
	SYMBOLS_MAX = 4 << 20,
	NAMES_MAX =
		256, /* symbols before an address that are tried for a name that there is once */
	STEPS_MIN = 1 << 20,
	STEPS_PER_BYTE = 16,
	ET_REL_BASE = 0x10000, /* where a module's sections are laid out: anywhere but 0 */
};

/* libdwfl asks for a file's debug information: see dwfl_module_getdwarf(). */
static int find_debug_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *path, const char *link, GElf_Word crc, char **ret_path)
{
	struct lkst_image *image = *userdata;
	int fd;

	if (!image)
		return -1;
	if (image->program && image->debug_file) {
		fd = open(image->debug_file, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			*ret_path = strdup(image->debug_file);
		return fd;
	}
	fd = lkst_debug_file_by_id(image->build_id, ret_path);
	if (fd < 0 && path && link)
		fd = lkst_debug_file_by_link(path, link, crc, image->build_id, ret_path);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

static Elf *elf_of(const struct lkst_image *image)
{
	GElf_Addr bias;

	return image->elf_module ? dwfl_module_getelf(image->elf_module, &bias) : NULL;
}

/* Checks what LKST can make probes of, and takes the build-id. */
static int check_elf(struct lkst_err *e, struct lkst_image *image, const char *path)
{
	Elf *elf = elf_of(image);
	GElf_Ehdr header;
	const void *id;
	ssize_t length;

	image->build_id[0] = 0;
	if (!elf || !gelf_getehdr(elf, &header))
		return lkst_err_set(e, -ENOEXEC, "%s is not an ELF file: %s", path, elf_errmsg(-1));
	if (gelf_getclass(elf) != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
		return lkst_err_set(
			e, -ENOEXEC,
			"%s is of a machine for which there are no probes: only 64-bit x86 and arm64 "
			"are known",
			path);
	image->machine = header.e_machine;
	length = dwelf_elf_gnu_build_id(elf, &id);
	if (length > 0)
		lkst_build_id_text(id, length, image->build_id);
	return 0;
}

/* Opens the ELF file @fd, which it takes. */
static int open_elf(struct lkst_err *e, struct lkst_image *image, const char *path, int fd)
{
	GElf_Ehdr header = { .e_type = ET_NONE };
	void **userdata;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
		elf_end(elf);
		close(fd);
		return lkst_err_set(e, -ENOEXEC, "%s is not an ELF file", path);
	}
	elf_end(elf);
	image->dwfl = dwfl_begin(&callbacks);
	if (!image->dwfl) {
		close(fd);
		return -ENOMEM;
	}
	image->elf_module = dwfl_report_elf(image->dwfl, path, path, fd,
					    header.e_type == ET_REL ? ET_REL_BASE : 0, true);
	if (!image->elf_module) {
		close(fd);
		return lkst_err_set(e, -ENOEXEC, "%s cannot be read as an ELF file: %s", path,
				    dwfl_errmsg(-1));
	}
	dwfl_report_end(image->dwfl, NULL, NULL);
	dwfl_module_info(image->elf_module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = image;
	return check_elf(e, image, path);
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

static int read_symbols(struct lkst_image *image)
{
	int i, nr = dwfl_module_getsymtab(image->elf_module);
	struct lkst_image_symbol *symbol;
	GElf_Addr bias;
	GElf_Word section;
	const char *name;
	GElf_Sym sym;

	if (!dwfl_module_getelf(image->elf_module, &bias))
		return 0;
	for (i = 1; i < nr && image->nr_symbols < SYMBOLS_MAX; i++) {
		name = dwfl_module_getsym(image->elf_module, i, &sym, &section);
		if (!name || !name[0] || section == SHN_UNDEF ||
		    GELF_ST_TYPE(sym.st_info) == STT_SECTION ||
		    GELF_ST_TYPE(sym.st_info) == STT_FILE || GELF_ST_TYPE(sym.st_info) == STT_TLS)
			continue;
		symbol = lkst_vec_add(image->symbols, image->nr_symbols);
		if (!symbol)
			return -ENOMEM;
		symbol->name = name;
		symbol->address = sym.st_value - bias;
		symbol->size = sym.st_size;
		symbol->is_function = GELF_ST_TYPE(sym.st_info) == STT_FUNC ||
				      GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
		symbol->is_mapping = name[0] == '$';
	}
	if (image->nr_symbols)
		qsort(image->symbols, image->nr_symbols, sizeof(image->symbols[0]),
		      compare_symbols);
	return 0;
}

/* The build-id that the running kernel says, of itself or of module @name. */
static void read_running_id(struct lkst_image *image)
{
	_cleanup_free_ char *bytes = NULL;
	char path[PATH_MAX];
	size_t length;

	if (image->module)
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
			 image->module);
	else
		snprintf(path, sizeof(path), "/sys/kernel/notes");
	if (!lkst_read_file(NULL, AT_FDCWD, path, NOTES_MAX, &bytes, &length))
		lkst_build_id_of_notes((const u8 *)bytes, length, image->build_id);
}

static int open_program(struct lkst_err *e, struct lkst_image *image, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return lkst_err_sys(e, -errno, "%s cannot be opened", path);
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return lkst_err_set(e, -ENOEXEC, "%s is not a file", path);
	}
	return open_elf(e, image, path, fd);
}

/* The types of the kernel or module. None is no error where there is DWARF, unless a file of them was named. */
static int open_btf(struct lkst_err *e, struct lkst_image *image,
		    const struct lkst_image_options *o, bool is_running)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	char path[PATH_MAX];

	if (o->btf_file)
		image->base_btf = btf__parse(o->btf_file, NULL);
	else if (is_running)
		image->base_btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	else if (!image->module)
		image->base_btf = btf__parse(image->debug_file, NULL);
	if (image->module && image->base_btf) {
		snprintf(path, sizeof(path), "/sys/kernel/btf/%s", image->module);
		image->btf = btf__parse_split(strchr(o->module, '/') ? o->module : path,
					      image->base_btf);
	}
	libbpf_set_print(print);
	if (o->btf_file && !image->base_btf)
		return lkst_err_set(e, -EINVAL, "%s has no BTF", o->btf_file);
	if (!image->module)
		image->btf = lkst_take(image->base_btf);
	return 0;
}

/* The name of the module whose file is @path: "snd_pcm" of "…/snd-pcm.ko". */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path), *c;

	if (!name)
		return NULL;
	name[strcspn(name, ".")] = 0;
	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static int open_kernel(struct lkst_err *e, struct lkst_image *image,
		       const struct lkst_image_options *o)
{
	const char *file = o->debug_file			 ? o->debug_file
			   : o->module && strchr(o->module, '/') ? o->module
								 : NULL;
	char running_id[LKST_BUILD_ID_TEXT];
	struct utsname u;
	int code, fd;

	if (o->module && !(image->module = module_name(o->module)))
		return -ENOMEM;
	if (uname(&u))
		return lkst_err_sys(e, -errno, "the running kernel does not say its release");
	read_running_id(image);
	snprintf(running_id, sizeof(running_id), "%s", image->build_id);
	image->machine = !strcmp(u.machine, "aarch64") ? EM_AARCH64 : EM_X86_64;
	if (file) {
		image->debug_file = strdup(file);
		code = image->debug_file ? open_program(e, image, file) : -ENOMEM;
	} else {
		fd = lkst_debug_file_by_id(image->build_id, &image->debug_file);
		if (fd < 0)
			fd = lkst_debug_file_of_kernel(u.release, image->module, image->build_id,
						       &image->debug_file);
		code = fd < 0 ? 0 : open_elf(e, image, image->debug_file, fd);
	}
	if (code)
		return code;
	image->is_running = !file && !o->btf_file;
	image->is_of_another_build = file && running_id[0] && strcmp(running_id, image->build_id);
	code = open_btf(e, image, o, !file || (running_id[0] && !image->is_of_another_build));
	if (code)
		return code;
	image->is_absent =
		o->may_come && image->module && !running_id[0] && !image->btf && !image->elf_module;
	/* Symbols and registers of a module take no types. */
	if (!image->btf && !image->elf_module && !(o->may_come && image->module))
		return lkst_err_set(
			e, -ENOENT,
			"%s has neither BTF (%s) nor debug information: give a file with -k",
			lkst_image_name(image), o->btf_file ? o->btf_file : "/sys/kernel/btf");
	return 0;
}

/* The debug file that was named must be the program's. */
static int check_debug_file(struct lkst_err *e, const struct lkst_image *image)
{
	if (!image->debug_file || !image->build_id[0] ||
	    lkst_debug_file_has_id(image->debug_file, image->build_id))
		return 0;
	return lkst_err_set(e, -ESTALE, "%s is not of the build of %s: its build-id is not %s",
			    image->debug_file, image->program, image->build_id);
}

static int fill(struct lkst_err *e, struct lkst_image *image, const struct lkst_image_options *o)
{
	int code;

	image->source_dir = strdup(o->source_dir ? o->source_dir : "");
	if (!image->source_dir)
		return -ENOMEM;
	if (!o->program) {
		code = open_kernel(e, image, o);
	} else {
		image->program = realpath(o->program, NULL);
		/* A file in memory has a descriptor, and no path that leads to it. */
		if (!image->program && !access(o->program, R_OK))
			image->program = strdup(o->program);
		if (!image->program)
			return lkst_err_sys(e, -errno, "%s cannot be opened", o->program);
		if (o->debug_file && !(image->debug_file = strdup(o->debug_file)))
			return -ENOMEM;
		code = open_program(e, image, image->program) ?: check_debug_file(e, image);
	}
	if (!code && image->elf_module)
		code = read_symbols(image);
	image->steps = image->max_steps = STEPS_MIN;
	return code;
}

int lkst_image_open(struct lkst_err *e, const struct lkst_image_options *o,
		    struct lkst_image **ret_image)
{
	_cleanup_(lkst_image_closep) struct lkst_image *image = calloc(1, sizeof(*image));
	int code;

	if (e)
		e->text[0] = 0;
	if (!image)
		return lkst_err_set(e, -ENOMEM, "there is no memory");
	code = fill(e, image, o);
	if (code == -ENOMEM)
		return lkst_err_set(e, code, "there is no memory to read %s",
				    lkst_image_name(image));
	if (code)
		return code;
	*ret_image = lkst_take(image);
	return 0;
}

void lkst_image_close(struct lkst_image *image)
{
	if (!image)
		return;
	if (image->dwfl)
		dwfl_end(image->dwfl);
	btf__free(image->btf);
	btf__free(image->base_btf);
	free(image->symbols);
	free(image->program);
	free(image->module);
	free(image->source_dir);
	free(image->debug_file);
	free(image);
}

const char *lkst_image_build_id(const struct lkst_image *image)
{
	return image->build_id;
}

bool lkst_image_is_of_another_build(const struct lkst_image *image)
{
	return image->is_of_another_build;
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
	image->max_steps = STEPS_MIN + STEPS_PER_BYTE * (u64)size;
	image->steps = image->max_steps;
	return image->dwarf;
}

bool lkst_image_has_debug_info(struct lkst_image *image)
{
	return lkst_image_dwarf(image) != NULL;
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

const struct lkst_image_symbol *lkst_image_symbol_named(const struct lkst_image *image,
							const char *name, bool is_function,
							u32 *ret_nr)
{
	const struct lkst_image_symbol *found = NULL;
	u32 i, nr = 0;

	for (i = 0; i < image->nr_symbols; i++) {
		const struct lkst_image_symbol *s = &image->symbols[i];

		if ((is_function && !s->is_function) || strcmp(s->name, name))
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
	Elf *elf = elf_of(image);
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
	Elf *elf = elf_of(image);
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
	Elf *elf = elf_of(image);
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
