/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what names user code: the input as the list of a JIT compiler, as an ELF file whose build-id is
 * asked, and as changes to tests/unit/probed/program.c, compiled, six bytes for each: which part of the file, where
 * in it, and by what. What is named keeps to its bounds, whatever is in the file.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/resolve/elf_note.h"
#include "program/name/code_names.h"
#include "program/name/jit_map.h"

enum { PATCH = 6, PATCHES_MAX = 64, STEP = 37 };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static u8 *program, *damaged;
static size_t program_size;
static char path[64];

static void read_list(const u8 *data, size_t size)
{
	struct lkst_jit_map *m;
	u64 address, offset;
	const char *name;

	if (lkst_jit_map_parse((const char *)data, size, &m))
		return;
	for (address = 0; address < 256; address += 5) {
		name = lkst_jit_map_find(m, address, &offset);
		if (name && (strlen(name) > LKST_JIT_NAME_MAX || offset > address))
			abort();
	}
	lkst_jit_map_find(m, UINT64_MAX, &offset);
	lkst_jit_map_free(m);
}

static void read_id(const u8 *data, size_t size)
{
	char text[LKST_BUILD_ID_TEXT];
	static int fd = -1;
	u64 bias;

	if (fd < 0)
		fd = memfd_create("elf", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return;
	lkst_build_id_of_file(fd, 0, text, &bias);
	if (strspn(text, "0123456789abcdef") != strlen(text))
		abort();
}

static void remove_file(void)
{
	unlink(path);
}

static void read_program(void)
{
	char name[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", name, sizeof(name) - 64);
	struct stat status;
	int fd;

	if (length < 0)
		abort();
	name[length] = 0;
	snprintf(strrchr(name, '/'), 64, "/../unit/probed/program.gcc-O2");
	fd = open(name, O_RDONLY);
	if (fd < 0 || fstat(fd, &status))
		abort();
	program_size = (size_t)status.st_size;
	program = malloc(program_size);
	damaged = malloc(program_size);
	if (!program || !damaged || read(fd, program, program_size) != (ssize_t)program_size)
		abort();
	close(fd);
	snprintf(path, sizeof(path), "/tmp/fuzz_code_names.%d", getpid());
	atexit(remove_file);
}

/* Replaces a byte of a section, or of anything. */
static void patch(const u8 *p)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)program;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(program + header->e_shoff);
	const Elf64_Shdr *section = &sections[p[0] % header->e_shnum];
	u64 from = 0, length = program_size;

	if (p[0] != 0xff && section->sh_type != SHT_NOBITS && section->sh_size) {
		from = section->sh_offset;
		length = section->sh_size;
	}
	damaged[from + (p[1] | p[2] << 8 | (u64)p[3] << 16) % length] = p[4];
}

static void name_all(const char *build_id, u64 bias)
{
	struct lkst_binary b = { .nr = 1, .path = path, .build_id = build_id, .bias = bias };
	struct lkst_code_names *n = lkst_code_names_new(NULL);
	static struct lkst_code_name name;
	char text[LKST_CODE_TEXT];
	u64 offset;
	u32 i;

	for (offset = 0; n && offset < program_size; offset += STEP) {
		if (lkst_code_names_find(n, &b, offset, &name))
			break;
		if (!name.function == !name.why || name.nr_frames > LKST_CODE_FRAMES_MAX)
			abort();
		for (i = 0; i < name.nr_frames; i++)
			if (!name.frames[i].function)
				abort();
		if (lkst_code_name_put(text, &b, offset, &name) > text + sizeof(text))
			abort();
	}
	lkst_code_names_free(n);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char id[LKST_BUILD_ID_TEXT];
	u64 bias;
	size_t i;
	int fd;

	read_list(data, size);
	read_id(data, size);
	if (!program)
		read_program();
	memcpy(damaged, program, program_size);
	for (i = 0; i + PATCH <= size && i < PATCHES_MAX * PATCH; i += PATCH)
		patch(data + i);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, damaged, program_size) != (ssize_t)program_size)
		abort();
	if (lkst_build_id_of_file(fd, 0, id, &bias) && id[0])
		name_all(id, bias);
	close(fd);
	return 0;
}
