// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The system call table as data, expanded from syscalls.def, and the reading of its signatures.
 */
#include "abi/syscalls.h"

#include <stdio.h>
#include <string.h>

#include "abi/events.h"

const struct lkst_sys_meaning_desc lkst_sys_meanings[] = {
#define M(word, bytes, is_signed, base) { #word, bytes, is_signed, base },
	LKST_SYS_MEANINGS(M)
#undef M
};

const struct lkst_sys_wait_desc lkst_sys_waits[] = {
#define W(word, receives) { #word, receives },
	LKST_SYS_WAITS(W)
#undef W
};

const struct lkst_syscall lkst_syscalls[] = {
#define WAIT64(nr, name, result, waits, signature)                                                 \
	{ nr, false, #name, LKST_SYS_##result, LKST_SYS_WAIT_##waits, signature },
#define WAIT32(nr, name, result, waits, signature)                                                 \
	{ nr, true, #name, LKST_SYS_##result, LKST_SYS_WAIT_##waits, signature },
#define SYS64(nr, name, result, signature) WAIT64(nr, name, result, none, signature)
#define SYS32(nr, name, result, signature) WAIT32(nr, name, result, none, signature)
#include "abi/syscalls.def"
#undef SYS64
#undef SYS32
#undef WAIT64
#undef WAIT32
};

const unsigned int lkst_nr_syscalls = sizeof(lkst_syscalls) / sizeof(lkst_syscalls[0]);

enum {
	NR_SYS64 = 0
#define SYS64(nr, name, result, signature) +1
#define SYS32(nr, name, result, signature)
#define WAIT64(nr, name, result, waits, signature) +1
#define WAIT32(nr, name, result, waits, signature)
#include "abi/syscalls.def"
#undef SYS64
#undef SYS32
#undef WAIT64
#undef WAIT32
};

static const struct {
	u16 nr;
	const char *name;
} arm64_numbers[] = {
#define NR(nr, name) { nr, #name },
#define ARGS(name, signature)
#include "abi/syscalls_arm64.def"
#undef NR
#undef ARGS
};

static const struct {
	const char *name, *signature;
} arm64_signatures[] = {
#define NR(nr, name)
#define ARGS(name, signature) { #name, signature },
#include "abi/syscalls_arm64.def"
#undef NR
#undef ARGS
};

/* Which of the two architectures this is built for. */
#ifdef __aarch64__
enum { IS_ARM64 = 1 };
#else
enum { IS_ARM64 = 0 };
#endif

/* The meaning called by the @length characters at @word; `none` if there is no such word. */
static u8 find_meaning(const char *word, size_t length)
{
	u8 m;

	for (m = LKST_SYS_none + 1; m < LKST_NR_SYS_MEANINGS; m++)
		if (!strncmp(lkst_sys_meanings[m].word, word, length) &&
		    !lkst_sys_meanings[m].word[length])
			return m;
	return LKST_SYS_none;
}

/* A word that the table misspells is shown as a plain register; a unit test finds it. */
static void describe(struct lkst_syscall_arg *arg, u8 meaning, bool is_compat)
{
	const struct lkst_sys_meaning_desc *desc =
		&lkst_sys_meanings[meaning ? meaning : LKST_SYS_hexlong];

	arg->meaning = meaning;
	arg->size = desc->bytes;
	if (!arg->size)
		arg->size = is_compat ? 4 : 8;
	arg->is_signed = desc->is_signed;
	arg->base = desc->base;
}

int lkst_syscall_nr_arm64(const struct lkst_syscall *s)
{
	unsigned int i;

	if (s->is_compat)
		return -1;
	if (s->nr >= LKST_SYSCALL_COMMON)
		return s->nr;
	for (i = 0; i < sizeof(arm64_numbers) / sizeof(arm64_numbers[0]); i++)
		if (!strcmp(arm64_numbers[i].name, s->name))
			return arm64_numbers[i].nr;
	return -1;
}

const char *lkst_syscall_signature_arm64(const struct lkst_syscall *s)
{
	unsigned int i;

	for (i = 0; i < sizeof(arm64_signatures) / sizeof(arm64_signatures[0]); i++)
		if (!s->is_compat && !strcmp(arm64_signatures[i].name, s->name))
			return arm64_signatures[i].signature;
	return s->signature;
}

int lkst_syscall_nr_here(const struct lkst_syscall *s)
{
	return IS_ARM64 ? lkst_syscall_nr_arm64(s) : s->nr;
}

const char *lkst_syscall_signature_here(const struct lkst_syscall *s)
{
	return IS_ARM64 ? lkst_syscall_signature_arm64(s) : s->signature;
}

unsigned int lkst_syscall_args(const struct lkst_syscall *s,
			       struct lkst_syscall_arg ret_args[LKST_SYSCALL_ARGS_MAX])
{
	const char *p = lkst_syscall_signature_here(s);
	unsigned int n = 0;

	while (*p && n < LKST_SYSCALL_ARGS_MAX) {
		struct lkst_syscall_arg *arg = &ret_args[n++];
		size_t word = strcspn(p, " "), name;

		describe(arg, find_meaning(p, word), s->is_compat);
		p += word;
		p += strspn(p, " ");
		name = strcspn(p, ",");
		memset(arg->name, 0, sizeof(arg->name));
		memcpy(arg->name, p, name < sizeof(arg->name) ? name : sizeof(arg->name) - 1);
		p += name;
		p += strspn(p, ", ");
	}
	return n;
}

bool lkst_syscall_is_half(const struct lkst_syscall_arg *args, unsigned int i, unsigned int nr)
{
	const size_t length = strlen(args[i].name), stem = length > 3 ? length - 3 : 0;

	return stem && i + 1 < nr && args[i].size == 4 && args[i + 1].size == 4 &&
	       !strcmp(args[i].name + stem, "_lo") && strlen(args[i + 1].name) == length &&
	       !strncmp(args[i].name, args[i + 1].name, stem) && !strcmp(args[i + 1].name + stem, "_hi");
}

unsigned int lkst_syscall_values(const struct lkst_syscall *s,
				 struct lkst_syscall_arg ret_values[LKST_SYSCALL_ARGS_MAX])
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int nr_args = lkst_syscall_args(s, args), i, n = 0;

	for (i = 0; i < nr_args; i++) {
		ret_values[n] = args[i];
		if (lkst_syscall_is_half(args, i, nr_args)) {
			ret_values[n].size = 8;
			ret_values[n].name[strlen(args[i++].name) - strlen("_lo")] = 0;
		}
		n++;
	}
	return n;
}

static const struct lkst_syscall *first_of(bool is_compat, unsigned int *ret_nr)
{
	*ret_nr = is_compat ? lkst_nr_syscalls - NR_SYS64 : NR_SYS64;
	return lkst_syscalls + (is_compat ? NR_SYS64 : 0);
}

const struct lkst_syscall *lkst_syscall_find(bool is_compat, const char *name)
{
	unsigned int nr, i;
	const struct lkst_syscall *s = first_of(is_compat, &nr);

	for (i = 0; i < nr; i++)
		if (s[i].name[0] == name[0] && !strcmp(s[i].name, name))
			return &s[i];
	return NULL;
}

bool lkst_syscall_sends(const struct lkst_syscall *s)
{
	static const char *const names[] = { "write",	"writev",   "send",	  "sendto", "sendmsg", "sendmmsg",
					     "connect", "sendfile", "sendfile64", "splice", "tee",     "vmsplice",
					     "msgsnd",	"shutdown", "close",	  "pwritev2", "mq_timedsend" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(s->name, names[i]))
			return true;
	return false;
}

bool lkst_syscall_is_heard(const struct lkst_syscall *s)
{
	return lkst_syscall_sends(s) || lkst_sys_waits[s->waits].receives;
}

const struct lkst_syscall *lkst_syscall_by_nr(bool is_compat, unsigned int nr)
{
	unsigned int low = 0, high;
	const struct lkst_syscall *s = first_of(is_compat, &high);

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (s[middle].nr == nr)
			return &s[middle];
		if (s[middle].nr < nr)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const struct lkst_syscall *by_nr_arm64(unsigned int nr)
{
	unsigned int i;

	if (nr >= LKST_SYSCALL_COMMON)
		return lkst_syscall_by_nr(false, nr);
	for (i = 0; i < sizeof(arm64_numbers) / sizeof(arm64_numbers[0]); i++)
		if (arm64_numbers[i].nr == nr)
			return lkst_syscall_find(false, arm64_numbers[i].name);
	return NULL;
}

const struct lkst_syscall *lkst_syscall_of_call(s64 call, bool is_arm64)
{
	const unsigned int nr = (unsigned int)call & ~(unsigned int)LKST_CALL_COMPAT;
	const bool is_compat = call & LKST_CALL_COMPAT;

	if (call < 0 || call >= 2 * LKST_CALL_COMPAT)
		return NULL;
	if (!is_arm64)
		return lkst_syscall_by_nr(is_compat, nr);
	return is_compat ? NULL : by_nr_arm64(nr);
}

int lkst_syscall_figure(char *text, size_t size, bool is_compat, const char *name)
{
	return snprintf(text, size, "%s%s", is_compat ? "compat:" : "", name);
}
