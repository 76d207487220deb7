/* SPDX-License-Identifier: GPL-2.0-only */
/* Where instructions begin. */
#include "probe/resolve/instructions.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>

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

/* Instructions of x86 are of any length, so all from the beginning on are decoded. */
static int check_x86(struct lkst_err *e, csh handle, const u8 *bytes, u64 size, u64 offset,
		     const char *name, u64 *ret_next)
{
	cs_insn *instruction = cs_malloc(handle);
	const u8 *at = bytes;
	u64 address = 0;
	size_t left = size;
	int code = 0;

	if (!instruction)
		return -ENOMEM;
	while (address <= offset) {
		u64 begin = address;

		if (!cs_disasm_iter(handle, &at, &left, &address, instruction) ||
		    address <= begin) {
			code = lkst_err_set(
				e, -EBADMSG,
				"what %s holds at +%llu is not an instruction that is known, so it is not "
				"known where those after it begin",
				name, (unsigned long long)begin);
			break;
		}
		if (begin < offset && offset < address)
			code = within(e, name, offset, begin, address);
	}
	if (!code)
		*ret_next = address;
	cs_free(instruction, 1);
	return code;
}

int lkst_instruction_check(struct lkst_err *e, int machine, const u8 *bytes, u64 size, u64 offset,
			   const char *name, u64 *ret_next)
{
	u64 next = 0;
	csh handle;
	int code;

	if (offset >= size)
		return beyond(e, name, size, offset);
	if (size > LKST_FUNCTION_BYTES_MAX)
		size = LKST_FUNCTION_BYTES_MAX;
	if (machine == EM_AARCH64) {
		next = (offset & ~3ULL) + 4;
		code = offset & 3 ? within(e, name, offset, next - 4, next) : 0;
	} else {
		if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
			return lkst_err_set(e, -ENOMEM,
					    "there is no memory to decode instructions");
		code = check_x86(e, handle, bytes, size, offset, name, &next);
		cs_close(&handle);
	}
	if (!code && ret_next)
		*ret_next = next;
	return code;
}
