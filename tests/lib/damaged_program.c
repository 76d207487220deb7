/* SPDX-License-Identifier: GPL-2.0-only */
/* For fuzz targets: a program with some of its bytes changed. */
#include "lib/damaged_program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHANGE = 6, CHANGES_MAX = 64 };

static struct damaged_program file;
static u8 *whole, *changed;

static void remove_file(void)
{
	unlink(file.path);
}

/* The program lies beside the fuzz targets: in the build's tests/unit/probed. */
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
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		abort();
	file.size = (size_t)status.st_size;
	whole = malloc(file.size);
	changed = malloc(file.size);
	if (!whole || !changed || read(fd, whole, file.size) != (ssize_t)file.size)
		abort();
	close(fd);
	snprintf(file.path, sizeof(file.path), "/tmp/damaged_program.%d", getpid());
	atexit(remove_file);
}

static void change(const u8 *p)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)whole;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(whole + header->e_shoff);
	const Elf64_Shdr *section = &sections[p[0] % header->e_shnum];
	u64 from = 0, length = file.size, at;

	if (p[0] != 0xff && section->sh_type != SHT_NOBITS && section->sh_size) {
		from = section->sh_offset;
		length = section->sh_size;
	}
	at = from + (p[1] | p[2] << 8 | (u64)p[3] << 16) % length;
	changed[at] = p[4];
	if (at + 1 < file.size && p[5])
		changed[at + 1] = p[5];
}

const struct damaged_program *damaged_program(const u8 *data, size_t size)
{
	size_t i;
	int fd;

	if (!whole)
		read_program();
	memcpy(changed, whole, file.size);
	for (i = 0; i < CHANGES_MAX && (i + 1) * CHANGE <= size; i++)
		change(data + i * CHANGE);
	fd = open(file.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, changed, file.size) != (ssize_t)file.size)
		abort();
	close(fd);
	return &file;
}
