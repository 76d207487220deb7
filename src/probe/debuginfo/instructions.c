/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where instructions begin. Capstone is loaded when it is needed: to load it takes as long as to start the program,
 * and few of its commands need it.
 */
#include "probe/debuginfo/instructions.h"

#include <elf.h>
#include <errno.h>

#ifndef LKST_NO_CAPSTONE
#include <capstone/capstone.h>
#include <dlfcn.h>

#define STRINGIFY(x) #x
#define LIBRARY_OF(version) "libcapstone.so." STRINGIFY(version)

/* What is used of it; `library` NULL: it is not loaded. */
struct capstone {
	void *library;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
};

static int instructions_load(struct lkst_err *e, struct capstone *c)
{
	c->library = dlopen(LIBRARY_OF(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	if (!c->library)
		return lkst_err_set(
			e, -ENOSYS,
			"where instructions begin is found with Capstone, and that cannot be loaded: "
			"install libcapstone%d (%s)",
			CS_API_MAJOR, dlerror());
	c->open = (__typeof__(c->open))dlsym(c->library, "cs_open");
	c->close = (__typeof__(c->close))dlsym(c->library, "cs_close");
	c->malloc = (__typeof__(c->malloc))dlsym(c->library, "cs_malloc");
	c->free = (__typeof__(c->free))dlsym(c->library, "cs_free");
	c->disasm_iter = (__typeof__(c->disasm_iter))dlsym(c->library, "cs_disasm_iter");
	if (c->open && c->close && c->malloc && c->free && c->disasm_iter)
		return 0;
	dlclose(c->library);
	return lkst_err_set(e, -ENOSYS, "%s is not the Capstone that LKST was built for",
			    LIBRARY_OF(CS_API_MAJOR));
}

#endif

static int beyond(struct lkst_err *e, const char *name, u64 size, u64 offset)
{
	return lkst_err_set(e, -EINVAL, "%s has %llu bytes, and +%llu is not one of them", name,
			    (unsigned long long)size, (unsigned long long)offset);
}

static int within(struct lkst_err *e, const char *name, u64 offset, u64 before, u64 after)
{
	return lkst_err_set(
		e, -EILSEQ,
		"%s+%llu is within an instruction: the nearest begin at +%llu and +%llu", name,
		(unsigned long long)offset, (unsigned long long)before, (unsigned long long)after);
}

#ifdef LKST_NO_CAPSTONE
static int check_x86(struct lkst_err *e, const u8 *bytes, u64 size, u64 offset, const char *name,
		     u64 *ret_next)
{
	return lkst_err_set(e, -ENOSYS,
			    "where instructions begin is found with Capstone, and this lkst was built "
			    "without it");
}
#else
/* Instructions of x86 are of any length, so all from the beginning on are decoded. */
static int instructions_decode(struct lkst_err *e, const struct capstone *c, csh handle, const u8 *bytes,
			       u64 size, u64 offset, const char *name, u64 *ret_next)
{
	cs_insn *instruction = c->malloc(handle);
	const u8 *at = bytes;
	u64 address = 0;
	size_t left = size;
	int code = 0;

	if (!instruction)
		return -ENOMEM;
	while (!code && address <= offset) {
		u64 begin = address;

		if (!c->disasm_iter(handle, &at, &left, &address, instruction) || address <= begin)
			code = lkst_err_set(
				e, -EBADMSG,
				"what %s holds at +%llu is not an instruction that is known, so it is not "
				"known where those after it begin",
				name, (unsigned long long)begin);
		else if (begin < offset && offset < address)
			code = within(e, name, offset, begin, address);
	}
	if (!code)
		*ret_next = address;
	c->free(instruction, 1);
	return code;
}

static int check_x86(struct lkst_err *e, const u8 *bytes, u64 size, u64 offset, const char *name,
		     u64 *ret_next)
{
	struct capstone c = { 0 };
	csh handle;
	int code = instructions_load(e, &c);

	if (code)
		return code;
	if (c.open(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK) {
		code = instructions_decode(e, &c, handle, bytes, size, offset, name, ret_next);
		c.close(&handle);
	} else {
		code = lkst_err_set(e, -ENOMEM, "there is no memory to decode instructions");
	}
	dlclose(c.library);
	return code;
}
#endif

int lkst_instruction_check(struct lkst_err *e, int machine, const u8 *bytes, u64 size, u64 offset,
			   const char *name, u64 *ret_next)
{
	u64 next = (offset & ~3ULL) + 4;
	int code;

	if (offset >= size)
		return beyond(e, name, size, offset);
	if (size > LKST_FUNCTION_BYTES_MAX)
		size = LKST_FUNCTION_BYTES_MAX;
	if (machine == EM_AARCH64)
		code = offset & 3 ? within(e, name, offset, next - 4, next) : 0;
	else
		code = check_x86(e, bytes, size, offset, name, &next);
	if (!code && ret_next)
		*ret_next = next;
	return code;
}
