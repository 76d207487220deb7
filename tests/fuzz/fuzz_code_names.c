/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what names user code: the input as the list of a JIT compiler, as an ELF file whose build-id is
 * asked, and as changes to tests/unit/probed/program.c, compiled. What is named keeps to its bounds, whatever is in the
 * file.
 *
 * prints: text csv json
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/damaged_program.h"
#include "lib/printed.h"
#include "probe/debuginfo/elf_note.h"
#include "usercode/name/code_names.h"
#include "usercode/name/jit_map.h"

enum { STEP = 37, PRINTED_EVERY = 64 };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void read_list(const u8 *data, size_t size)
{
	struct lkst_jit_map *m;
	u64 address, offset;
	const char *name;

	if (lkst_jit_map_parse((const char *)data, size, &m))
		return;
	for (address = 0; address < 256; address += 5) {
		name = lkst_jit_map_find(m, address, &offset);
		if (!name)
			continue;
		if (strlen(name) > LKST_JIT_NAME_MAX || offset > address)
			abort();
		printed_name(name, strlen(name));
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

static void name_all(const struct damaged_program *p, const char *build_id, u64 bias)
{
	struct lkst_binary b = { .nr = 1, .path = p->path, .build_id = build_id, .bias = bias };
	struct lkst_code_names *n = lkst_code_names_new(NULL);
	static struct lkst_code_name name;
	char text[LKST_CODE_TEXT + 1], *end;
	u64 offset;
	u32 i;

	for (offset = 0; n && offset < p->size; offset += STEP) {
		if (lkst_code_names_find(n, &b, offset, &name))
			break;
		if (!name.function == !name.why || name.nr_frames > LKST_CODE_FRAMES_MAX)
			abort();
		for (i = 0; i < name.nr_frames; i++)
			if (!name.frames[i].function)
				abort();
		end = lkst_code_name_put(text, &b, offset, &name);
		if (end >= text + sizeof(text))
			abort();
		*end++ = '\n';
		printed_check(text, (size_t)(end - text), PRINTED_TEXT);
		if (offset / STEP % PRINTED_EVERY)
			continue;
		printed_name(name.function ?: name.why, strlen(name.function ?: name.why));
		for (i = 0; i < name.nr_frames; i++)
			printed_names((const char *const[]){ name.frames[i].function, name.frames[i].source ?: "" }, 2);
	}
	lkst_code_names_free(n);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct damaged_program *p = damaged_program(data, size);
	char id[LKST_BUILD_ID_TEXT];
	u64 bias;
	int fd;

	read_list(data, size);
	read_id(data, size);
	fd = open(p->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		abort();
	if (lkst_build_id_of_file(fd, 0, id, &bias) && id[0])
		name_all(p, id, bias);
	close(fd);
	return 0;
}
