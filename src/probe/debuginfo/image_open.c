/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens an image: finds the files of the kernel, a module, or a program, and checks that they belong together. */
#include "probe/debuginfo/image_open.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "base/vec.h"
#include "probe/debuginfo/debug_file.h"
#include "probe/debuginfo/image.h"
#include "probe/debuginfo/image_symbols.h"

enum {
	NOTES_MAX = 1 << 20, /* bytes of the running kernel's notes */
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

/* Checks what LKST can make probes of, and takes the build-id. */
static int check_elf(struct lkst_err *e, struct lkst_image *image, const char *path)
{
	Elf *elf = lkst_image_elf(image);
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

static int image_open_program(struct lkst_err *e, struct lkst_image *image, const char *path)
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

static int image_open_kernel(struct lkst_err *e, struct lkst_image *image,
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
		code = image->debug_file ? image_open_program(e, image, file) : -ENOMEM;
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

static int image_open_fill(struct lkst_err *e, struct lkst_image *image, const struct lkst_image_options *o)
{
	int code;

	image->source_dir = strdup(o->source_dir ? o->source_dir : "");
	if (!image->source_dir)
		return -ENOMEM;
	if (!o->program) {
		code = image_open_kernel(e, image, o);
	} else {
		image->program = realpath(o->program, NULL);
		/* A file in memory has a descriptor, and no path that leads to it. */
		if (!image->program && !access(o->program, R_OK))
			image->program = strdup(o->program);
		if (!image->program)
			return lkst_err_sys(e, -errno, "%s cannot be opened", o->program);
		if (o->debug_file && !(image->debug_file = strdup(o->debug_file)))
			return -ENOMEM;
		code = image_open_program(e, image, image->program) ?: check_debug_file(e, image);
	}
	if (!code && image->elf_module)
		code = lkst_image_symbols_read(image);
	image->steps = image->max_steps = LKST_IMAGE_STEPS_MIN;
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
	code = image_open_fill(e, image, o);
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
	lkst_image_symbols_fini(image);
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

bool lkst_image_has_debug_info(struct lkst_image *image)
{
	return lkst_image_dwarf(image) != NULL;
}
