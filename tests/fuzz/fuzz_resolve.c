/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of probes in a damaged program: tests/unit/probed/program.c, compiled, with bytes of it replaced as the
 * input says, six for each: which part of the file, where in it, and by what. Whatever is in the file, what is resolved
 * keeps to what kprobe_events has.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/resolve/listing.h"

enum { PATCH = 6, PATCHES_MAX = 64 };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static u8 *program, *damaged;
static size_t program_size;
static char path[64];

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
	program_size = status.st_size;
	program = malloc(program_size);
	damaged = malloc(program_size);
	if (!program || !damaged || read(fd, program, program_size) != (ssize_t)program_size)
		abort();
	close(fd);
	snprintf(path, sizeof(path), "/tmp/fuzz_resolve.%d", getpid());
	atexit(remove_file);
}

/* Replaces a byte or two of a section, or of anything. */
static void patch(const u8 *p)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)program;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(program + header->e_shoff);
	const Elf64_Shdr *section = &sections[p[0] % header->e_shnum];
	u64 from = 0, length = program_size, at;

	if (p[0] != 0xff && section->sh_type != SHT_NOBITS && section->sh_size) {
		from = section->sh_offset;
		length = section->sh_size;
	}
	at = from + (p[1] | p[2] << 8 | (u64)p[3] << 16) % length;
	damaged[at] = p[4];
	if (at + 1 < program_size && p[5])
		damaged[at + 1] = p[5];
}

static void write_damaged(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, damaged, program_size) != (ssize_t)program_size)
		abort();
	close(fd);
}

static void check_fetch(const struct lkst_fetch *f, unsigned int depth)
{
	if (!f)
		return;
	if (f->op >= LKST_FETCH_VARIABLE || depth > 2 * LKST_FETCH_DEPTH)
		abort();
	check_fetch(f->base, depth + 1);
	check_fetch(f->index, depth + 1);
}

static void resolve(struct lkst_image *image, const char *definition)
{
	const struct lkst_perf_target target = { .path = path };
	struct lkst_resolved r;
	struct lkst_err e = { 0 };
	struct lkst_probe p;
	u32 i, j;

	if (lkst_perf_parse(&e, definition, &target, &p))
		abort();
	if (lkst_probe_resolve(&e, image, &p, &r)) {
		if (!e.text[0])
			abort();
	} else {
		for (i = 0; i < r.nr; i++) {
			if (r.probes[i].place.kind > LKST_PLACE_FILE)
				abort();
			for (j = 0; j < r.probes[i].nr_args; j++)
				check_fetch(r.probes[i].args[j].fetch, 0);
		}
		lkst_resolved_fini(&r);
	}
	lkst_probe_fini(&p);
}

static void list(struct lkst_image *image, char *what)
{
	const struct lkst_line_range range = { .function = what, .last = UINT32_MAX };
	const struct lkst_probe_place place = { .kind = LKST_PLACE_SYMBOL, .symbol = what };
	struct lkst_line_list lines;
	struct lkst_place_list places;
	struct lkst_name_list names;

	if (!lkst_list_lines(NULL, image, &range, &lines))
		lkst_line_list_fini(&lines);
	if (!lkst_list_variables(NULL, image, &place, &places))
		lkst_place_list_fini(&places);
	if (!lkst_list_functions(NULL, image, NULL, &names))
		lkst_name_list_fini(&names);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const definitions[] = {
		"walk $vars",	       "walk:5 p->next->name:string p->low text[i]",
		"square v r",	       "many+1 local.deep",
		"program.c:55 sum",    "%program:step",
		"main%return $retval", "find list[nr]->name:string",
		"walk;sum*",	       "nested%next v",
	};
	struct lkst_image_options o = { .program = path };
	struct lkst_image *image;
	size_t i;

	if (!program)
		read_program();
	memcpy(damaged, program, program_size);
	for (i = 0; i < PATCHES_MAX && (i + 1) * PATCH <= size; i++)
		patch(data + i * PATCH);
	write_damaged();
	if (lkst_image_open(NULL, &o, &image))
		return 0;
	for (i = 0; i < sizeof(definitions) / sizeof(definitions[0]); i++)
		resolve(image, definitions[i]);
	list(image, (char *)"walk");
	list(image, (char *)"square");
	lkst_image_close(image);
	return 0;
}
