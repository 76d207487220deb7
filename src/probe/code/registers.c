/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of struct pt_regs (arch/x86/include/asm/ptrace.h) and struct user_pt_regs (arm64's, in uapi). */
#include "probe/code/registers.h"

#include <errno.h>
#include <string.h>

enum {
	WORD = 8,
	ARGUMENTS_MAX = 8,
	ARM64_GENERAL = 31, /* x0 to x30 */
};

/* In the order of struct pt_regs. */
static const char *const x86_64[] = {
	"r15", "r14", "r13", "r12", "bp",      "bx", "r11", "r10",   "r9", "r8", "ax",
	"cx",  "dx",  "si",  "di",  "orig_ax", "ip", "cs",  "flags", "sp", "ss",
};

/* After x0 to x30. */
static const char *const arm64[] = { "sp", "pc", "pstate" };

static const char *const x86_64_arguments[] = { "di", "si", "dx", "cx", "r8", "r9" };

enum lkst_machine lkst_machine_own(void)
{
#if defined(__aarch64__)
	return LKST_MACHINE_ARM64;
#else
	return LKST_MACHINE_X86_64;
#endif
}

static int registers_find(const char *const *names, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -ENOENT;
}

/* "x0" to "x30", as they are written: no sign, no leading zeros. */
static int find_general(const char *name)
{
	unsigned int number = 0;

	if (!strcmp(name, "lr"))
		return ARM64_GENERAL - 1;
	if (name[0] != 'x' || !name[1] || (name[1] == '0' && name[2]))
		return -ENOENT;
	for (name++; *name; name++) {
		if (*name < '0' || *name > '9' || number >= ARM64_GENERAL)
			return -ENOENT;
		number = number * 10 + (unsigned int)(*name - '0');
	}
	return number < ARM64_GENERAL ? (int)number : -ENOENT;
}

int lkst_register_find(enum lkst_machine machine, const char *name)
{
	int at;

	if (machine == LKST_MACHINE_X86_64) {
		at = registers_find(x86_64, sizeof(x86_64) / sizeof(x86_64[0]), name);
		return at < 0 ? at : at * WORD;
	}
	at = find_general(name);
	if (at >= 0)
		return at * WORD;
	at = registers_find(arm64, sizeof(arm64) / sizeof(arm64[0]), name);
	return at < 0 ? at : (ARM64_GENERAL + at) * WORD;
}

int lkst_register_argument(enum lkst_machine machine, u64 number)
{
	const u64 nr_x86 = sizeof(x86_64_arguments) / sizeof(x86_64_arguments[0]);

	if (machine == LKST_MACHINE_X86_64)
		return number && number <= nr_x86
			       ? lkst_register_find(machine, x86_64_arguments[number - 1])
			       : -ENOENT;
	return number && number <= ARGUMENTS_MAX ? (int)(number - 1) * WORD : -ENOENT;
}

int lkst_register_ip(enum lkst_machine machine)
{
	return lkst_register_find(machine, machine == LKST_MACHINE_X86_64 ? "ip" : "pc");
}

int lkst_register_sp(enum lkst_machine machine)
{
	return lkst_register_find(machine, "sp");
}

int lkst_register_result(enum lkst_machine machine)
{
	return lkst_register_find(machine, machine == LKST_MACHINE_X86_64 ? "ax" : "x0");
}

int lkst_register_link(enum lkst_machine machine)
{
	return machine == LKST_MACHINE_X86_64 ? -ENOENT : lkst_register_find(machine, "lr");
}
