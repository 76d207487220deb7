/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what is read of the running kernel's text: /proc/kallsyms, and an ELF core like /proc/kcore.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/printed.h"
#include "probe/code/stepping.h"
#include "probe/debuginfo/kallsyms.h"
#include "probe/debuginfo/kernel_text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void read_symbols(const char *text)
{
	struct lkst_kallsyms_symbol s;
	struct lkst_kernel_extent x;
	enum { SHOWN = 2 };
	const char *at = text;
	struct lkst_err e = {};
	unsigned int nr = 0;

	while (lkst_kallsyms_next(&at, &s)) {
		if (!s.type)
			continue;
		if (s.name < text || s.name + s.name_length > at || s.module + s.module_length > at)
			abort();
		if (nr++ < SHOWN)
			printed_name(s.name, s.name_length);
	}
	if (lkst_kernel_extent_find(&e, text, "f", NULL, &x))
		printed_error(&e);
	else if (!x.address || !x.size)
		abort();
	if (lkst_kernel_extent_find(&e, text, "f", "m", &x))
		printed_error(&e);
}

static void read_core(const u8 *data, size_t size)
{
	const struct lkst_kernel_extent x = { .address = 16, .size = 64, .text_end = 4096 };
	static int fd = -1;
	u8 bytes[64] = { 0 };
	struct lkst_err e = {};

	if (fd < 0)
		fd = memfd_create("core", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return;
	if (lkst_kernel_core_read(&e, fd, 16, sizeof(bytes), bytes))
		printed_error(&e);
	lkst_kernel_text_is_changed(&x, bytes, sizeof(bytes));
	lkst_instruction_is_emulated(LKST_MACHINE_X86_64, data, size);
	lkst_instruction_is_emulated(LKST_MACHINE_ARM64, data, size);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		return 0;
	read_symbols(text);
	free(text);
	read_core(data, size);
	return 0;
}
