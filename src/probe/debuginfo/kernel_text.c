/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of the running kernel, in its memory. */
#include "probe/debuginfo/kernel_text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "probe/debuginfo/kallsyms.h"

enum {
	KALLSYMS_MAX = 64 << 20,
	INSTRUCTION_MAX = 16,	 /* bytes, or more */
	SEGMENTS_MAX = 4096,	 /* of a core that are looked at */
	FUNCTION_MAX = 16 << 20, /* as LKST_FUNCTION_BYTES_MAX */
	BREAKPOINT = 0xcc,	 /* INT3 */
	JUMP = 0xe9,
	JUMP_SIZE = 5, /* with an offset of 32 bits */
};

/* ---- where it is ------------------------------------------------------------------------------ */

static int find_begin(const char *text, const char *name, const char *module,
		      struct lkst_kernel_extent *extent)
{
	struct lkst_kallsyms_symbol s;

	while (lkst_kallsyms_next(&text, &s)) {
		if (!lkst_kallsyms_is_text(&s))
			continue;
		if (!s.module_length && lkst_kallsyms_is(&s, "_stext"))
			extent->text_begin = s.address;
		if (!s.module_length && lkst_kallsyms_is(&s, "_etext"))
			extent->text_end = s.address;
		if (!lkst_kallsyms_is(&s, name) || (module && !lkst_kallsyms_is_of(&s, module)))
			continue;
		if (extent->address && extent->address != s.address)
			return -ENOTUNIQ;
		extent->address = s.address;
	}
	return extent->address ? 0 : -ENOENT;
}

static void find_end(const char *text, struct lkst_kernel_extent *extent)
{
	struct lkst_kallsyms_symbol s;

	extent->size = FUNCTION_MAX;
	while (lkst_kallsyms_next(&text, &s))
		if (lkst_kallsyms_is_text(&s) && s.address > extent->address &&
		    s.address - extent->address < extent->size)
			extent->size = s.address - extent->address;
}

int lkst_kernel_extent_find(struct lkst_err *e, const char *kallsyms, const char *name,
			    const char *module, struct lkst_kernel_extent *ret_extent)
{
	struct lkst_kernel_extent extent = { 0 };
	int code = find_begin(kallsyms, name, module, &extent);

	if (code)
		return lkst_err_set(e, code,
				    code == -ENOTUNIQ ? "several functions are called %s"
						      : "the kernel hides where %s is",
				    name);
	find_end(kallsyms, &extent);
	*ret_extent = extent;
	return 0;
}

/* ---- what it holds ---------------------------------------------------------------------------- */

static bool kernel_text_read_all(int fd, void *bytes, size_t size, u64 offset)
{
	return offset <= INT64_MAX && pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

int lkst_kernel_core_read(struct lkst_err *e, int kcore, u64 address, size_t size, u8 *bytes)
{
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	unsigned int i;

	if (!kernel_text_read_all(kcore, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_type != ET_CORE ||
	    header.e_phentsize != sizeof(segment))
		return lkst_err_set(e, -ENOEXEC, "/proc/kcore can't be read");
	for (i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!kernel_text_read_all(kcore, &segment, sizeof(segment),
					  header.e_phoff + i * sizeof(segment)))
			break;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_memsz &&
		    size <= segment.p_memsz - (address - segment.p_vaddr) &&
		    kernel_text_read_all(kcore, bytes, size, segment.p_offset + (address - segment.p_vaddr)))
			return 0;
	}
	return lkst_err_set(e, -ENOENT, "/proc/kcore does not have its instructions");
}

/* Whether @bytes are a jump that leads out of the kernel. */
static bool leads_out(const struct lkst_kernel_extent *extent, u64 address, const u8 *bytes)
{
	s32 offset;
	u64 target;

	memcpy(&offset, bytes + 1, sizeof(offset));
	target = address + JUMP_SIZE + (u64)(s64)offset;
	return target < extent->text_begin || target >= extent->text_end;
}

bool lkst_kernel_text_is_changed(const struct lkst_kernel_extent *extent, const u8 *bytes,
				 size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (bytes[i] == BREAKPOINT || (bytes[i] == JUMP && size - i >= JUMP_SIZE &&
					       leads_out(extent, extent->address + i, bytes + i)))
			return true;
	return false;
}

static int read_bytes(struct lkst_err *e, const struct lkst_kernel_extent *extent, const char *name,
		      size_t size, u8 *bytes)
{
	_cleanup_close_ int kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	int code;

	if (kcore < 0)
		return lkst_err_sys(e, -errno, "/proc/kcore can't be read");
	code = lkst_kernel_core_read(e, kcore, extent->address, size, bytes);
	if (!code && lkst_kernel_text_is_changed(extent, bytes, size))
		code = lkst_err_set(e, -EBUSY, "it looks as if there were probes in %s", name);
	return code;
}

int lkst_kernel_text_read(struct lkst_err *e, const char *name, const char *module, u64 offset,
			  u8 **ret_bytes, u64 *ret_size)
{
	_cleanup_free_ char *kallsyms = NULL;
	_cleanup_free_ u8 *bytes = NULL;
	struct lkst_kernel_extent extent;
	size_t length, size = 0;
	int code;

	code = lkst_read_file(e, AT_FDCWD, "/proc/kallsyms", KALLSYMS_MAX, &kallsyms, &length);
	code = code ?: lkst_kernel_extent_find(e, kallsyms, name, module, &extent);
	if (code)
		return code;
	if (offset < extent.size)
		size = extent.size - offset < INSTRUCTION_MAX ? extent.size
							      : offset + INSTRUCTION_MAX;
	bytes = calloc(size + 1, 1);
	if (!bytes)
		return lkst_err_sys(e, -ENOMEM, "reading %s", name);
	code = size ? read_bytes(e, &extent, name, size, bytes) : 0;
	if (code)
		return code;
	*ret_bytes = lkst_take(bytes);
	*ret_size = size ?: extent.size;
	return 0;
}
