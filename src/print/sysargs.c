// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments and results of system calls as text. The names are data: sysflags.def, sysnames.def
 * and errno.def.
 */
#include "print/sysargs.h"

#include "base/bsearch.h"
#include "base/out.h"

/* ---- names ------------------------------------------------------------------------------------ */

struct sysargs_row {
	u64 value;
	const char *name;
	u32 length;
};

/* An empty row ends each list, so that none is empty. */
#define SYSTABLE(word, mask, unknown) static const struct sysargs_row cases_##word[] = {
#define CASE(value, name) { value, name, sizeof(name) - 1 },
#define FLAG(value, name)
#define END                                                                                        \
	{                                                                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "print/sysflags.def"
#include "print/sysnames.def"
#undef SYSTABLE
#undef CASE
#undef FLAG

#define SYSTABLE(word, mask, unknown) static const struct sysargs_row flags_##word[] = {
#define CASE(value, name)
#define FLAG(value, name) { value, name, sizeof(name) - 1 },
#include "print/sysflags.def"
#include "print/sysnames.def"
#undef SYSTABLE
#undef CASE
#undef FLAG
#undef END

struct flag_table {
	const struct sysargs_row *cases, *flags;
	u32 nr_cases, nr_flags;
	u64 mask;
	const char *unknown;
};

#define ROWS(list) (sizeof(list) / sizeof((list)[0]) - 1)

/* By meaning; what has no names has no cases and no flags. */
static const struct flag_table tables[LKST_NR_SYS_MEANINGS] = {
#define SYSTABLE(word, mask, unknown)                                                              \
	[LKST_SYS_##word] = { cases_##word,	  flags_##word, ROWS(cases_##word),                \
			      ROWS(flags_##word), mask,		unknown },
#define CASE(value, name)
#define FLAG(value, name)
#define END
#include "print/sysflags.def"
#include "print/sysnames.def"
#undef SYSTABLE
#undef CASE
#undef FLAG
#undef END
};

static const struct sysargs_row *find_case(const struct flag_table *t, u64 value)
{
	size_t at = lkst_lower_bound(i, t->nr_cases, t->cases[i].value < value);

	return at < t->nr_cases && t->cases[at].value == value ? &t->cases[at] : NULL;
}

/* ---- plain values ----------------------------------------------------------------------------- */

/* "0" or "0x1f". */
static char *sysargs_put_hex(char *p, u64 v)
{
	if (v)
		return lkst_put_hex(p, v);
	*p++ = '0';
	return p;
}

/* "0" and the octal digits of @v, at least @width characters. */
static char *put_octal(char *p, u64 v, unsigned int width)
{
	char digits[24];
	unsigned int n = 0;

	do {
		digits[n++] = (char)('0' + (v & 7));
		v >>= 3;
	} while (v);
	if (digits[n - 1] != '0')
		digits[n++] = '0';
	while (n < width)
		digits[n++] = '0';
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *put_pointer(char *p, u64 v)
{
	return v ? lkst_put_hex(p, v) : lkst_put_mem(p, "NULL", 4);
}

/* A user or group; @none is the value that says "leave it as it is". */
static char *put_id(char *p, u64 v, u64 none)
{
	return v == none ? lkst_put_mem(p, "-1", 2) : lkst_put_u64(p, v);
}

static char *sysargs_put_number(char *p, const struct lkst_sys_meaning_desc *desc, u64 v)
{
	if (desc->base == 16)
		return sysargs_put_hex(p, v);
	if (!desc->is_signed)
		return lkst_put_u64(p, v);
	return lkst_put_s64(p, desc->bytes == 4 ? (s64)(s32)v : (s64)v);
}

/* ---- values with names ------------------------------------------------------------------------ */

enum {
	NAMES_MAX = 400, /* beyond, the bits that are left are printed as a number */
};

static char *sysargs_put_name(char *p, const char *start, const struct sysargs_row *row)
{
	if (p != start)
		*p++ = '|';
	return lkst_put_mem(p, row->name, row->length);
}

/* Nothing in @v has a name; that is normal for a set of flags that is empty. */
static char *put_unknown(char *p, const struct flag_table *t, u64 v)
{
	p = sysargs_put_hex(p, v);
	if (!t->unknown || (!v && t->mask != ~0ULL))
		return p;
	p = lkst_put_mem(p, " /* ", 4);
	p = lkst_put_str(p, t->unknown);
	return lkst_put_mem(p, " */", 3);
}

static char *put_table(char *p, const struct flag_table *t, u64 v)
{
	const struct sysargs_row *row;
	char *start = p;
	u64 rest = v;
	u32 i;

	if (!v && t->nr_flags && !t->flags[0].value)
		return sysargs_put_name(p, start, &t->flags[0]);
	row = t->mask ? find_case(t, v & t->mask) : NULL;
	if (row) {
		p = sysargs_put_name(p, start, row);
		rest &= ~t->mask;
	}
	for (i = 0; rest && i < t->nr_flags; i++) {
		row = &t->flags[i];
		if (!row->value || (rest & row->value) != row->value ||
		    p + row->length - start > NAMES_MAX)
			continue;
		p = sysargs_put_name(p, start, row);
		rest &= ~row->value;
	}
	if (p == start)
		return put_unknown(p, t, v);
	if (rest) {
		*p++ = '|';
		p = sysargs_put_hex(p, rest);
	}
	return p;
}

/* ---- values put together from parts ----------------------------------------------------------- */

enum {
	SIGNAL_RT_MIN = 32, /* the kernel's; the C library keeps the first two to itself */
	SIGNAL_MAX = 64,
};

static char *sysargs_put_signal(char *p, u64 v)
{
	const struct sysargs_row *row = find_case(&tables[LKST_SYS_signal], v);

	if (row)
		return lkst_put_mem(p, row->name, row->length);
	if (v == SIGNAL_RT_MIN)
		return lkst_put_mem(p, "SIGRTMIN", 8);
	if (v > SIGNAL_RT_MIN && v <= SIGNAL_MAX)
		return lkst_put_u64(lkst_put_mem(p, "SIGRT_", 6), v - SIGNAL_RT_MIN);
	return lkst_put_s64(p, (s32)v);
}

static char *sysargs_put_clone_flags(char *p, u64 v)
{
	const u64 signal = v & 0xff, flags = v & ~0xffULL;

	if (flags)
		p = put_table(p, &tables[LKST_SYS_clone_flags], flags);
	if (flags && signal)
		*p++ = '|';
	return signal || !flags ? sysargs_put_signal(p, signal) : p;
}

static char *put_futex_op(char *p, u64 v)
{
	enum { PRIVATE = 128, CLOCK_REALTIME = 256 };
	const struct flag_table *t = &tables[LKST_SYS_futex_op];
	const struct sysargs_row *row = find_case(t, v & ~(u64)(PRIVATE | CLOCK_REALTIME));

	if (!row)
		return put_unknown(p, t, v);
	p = lkst_put_mem(p, row->name, row->length);
	if (v & PRIVATE)
		p = lkst_put_mem(p, "_PRIVATE", 8);
	if (v & CLOCK_REALTIME)
		p = lkst_put_str(p, "|FUTEX_CLOCK_REALTIME");
	return p;
}

static char *put_file_mode(char *p, u64 v)
{
	static const char *const types[16] = {
		[1] = "S_IFIFO|", [2] = "S_IFCHR|",  [4] = "S_IFDIR|",	 [6] = "S_IFBLK|",
		[8] = "S_IFREG|", [10] = "S_IFLNK|", [12] = "S_IFSOCK|",
	};
	const char *type = types[v >> 12 & 0xf];

	if (!type)
		return put_octal(p, v, 3);
	p = lkst_put_str(p, type);
	if (v & 04000)
		p = lkst_put_str(p, "S_ISUID|");
	if (v & 02000)
		p = lkst_put_str(p, "S_ISGID|");
	if (v & 01000)
		p = lkst_put_str(p, "S_ISVTX|");
	return put_octal(p, v & 0777, 3);
}

/* Flags and, in the bits from 26 on, the log2 of the size of huge pages. */
static char *put_huge(char *p, const struct flag_table *t, u64 v, const char *shift)
{
	const u64 size = v >> 26 & 0x3f, flags = v & ~(0x3fULL << 26);

	if (flags || !size)
		p = put_table(p, t, flags);
	if (!size)
		return p;
	if (flags)
		*p++ = '|';
	p = lkst_put_u64(p, size);
	p = lkst_put_mem(p, "<<", 2);
	return lkst_put_str(p, shift);
}

/* Flags and, in the low bits, permissions. */
static char *put_ipc_flags(char *p, u8 meaning, u64 v)
{
	const struct flag_table *t = &tables[meaning];

	if (v & ~0777ULL) {
		p = meaning == LKST_SYS_shmget_flags
			    ? put_huge(p, t, v & ~0777ULL, "SHM_HUGE_SHIFT")
			    : put_table(p, t, v & ~0777ULL);
		*p++ = '|';
	}
	return put_octal(p, v & 0777, 3);
}

/* i386's callers ask for today's structures with a flag. */
static char *put_ipc_cmd(char *p, const struct flag_table *t, u64 v)
{
	enum { IPC_64 = 0x100 };

	if (v & IPC_64)
		p = lkst_put_str(p, "IPC_64|");
	return put_table(p, t, v & ~(u64)IPC_64);
}

/* As stat(2) has it: the minor number is split around the major one. */
static char *sysargs_put_device(char *p, u64 v)
{
	p = lkst_put_str(p, "makedev(");
	p = sysargs_put_hex(p, v >> 8 & 0xfff);
	p = lkst_put_mem(p, ", ", 2);
	p = sysargs_put_hex(p, (v & 0xff) | (v >> 12 & 0xfff00));
	*p++ = ')';
	return p;
}

/* An ioctl that has no name here is shown by its parts: direction, type, number, size. */
static char *put_ioctl(char *p, u64 v)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						  "_IOC_READ|_IOC_WRITE" };
	const struct sysargs_row *row = find_case(&tables[LKST_SYS_ioctl_cmd], v);

	if (row)
		return lkst_put_mem(p, row->name, row->length);
	p = lkst_put_str(p, "_IOC(");
	p = lkst_put_str(p, directions[v >> 30 & 3]);
	p = sysargs_put_hex(lkst_put_mem(p, ", ", 2), v >> 8 & 0xff);
	p = sysargs_put_hex(lkst_put_mem(p, ", ", 2), v & 0xff);
	p = sysargs_put_hex(lkst_put_mem(p, ", ", 2), v >> 16 & 0x3fff);
	*p++ = ')';
	return p;
}

static char *put_ioprio(char *p, u64 v)
{
	p = lkst_put_str(p, "IOPRIO_PRIO_VALUE(");
	p = put_table(p, &tables[LKST_SYS_ioprio], v >> 13);
	p = lkst_put_u64(lkst_put_mem(p, ", ", 2), v & 0x1fff);
	*p++ = ')';
	return p;
}

static char *put_quota_cmd(char *p, u64 v)
{
	static const char *const types[] = { "USRQUOTA", "GRPQUOTA", "PRJQUOTA" };
	const u64 type = v & 0xff;

	p = lkst_put_str(p, "QCMD(");
	p = put_table(p, &tables[LKST_SYS_quota_cmd], v >> 8);
	p = lkst_put_mem(p, ", ", 2);
	p = type < 3 ? lkst_put_str(p, types[type]) : sysargs_put_hex(p, type);
	*p++ = ')';
	return p;
}

/* How to print meanings that are neither in a table nor plain numbers; NULL: @meaning is not one of these. */
static char *put_special(char *p, u8 meaning, u64 v)
{
	switch (meaning) {
	case LKST_SYS_ptr:
	case LKST_SYS_path:
		return put_pointer(p, v);
	case LKST_SYS_atfd:
		return (s32)v == -100 ? lkst_put_mem(p, "AT_FDCWD", 8) : lkst_put_s64(p, (s32)v);
	case LKST_SYS_uid:
	case LKST_SYS_gid:
		return put_id(p, v, ~0U);
	case LKST_SYS_uid16:
	case LKST_SYS_gid16:
		return put_id(p, v & 0xffff, 0xffff);
	case LKST_SYS_dev:
		return sysargs_put_device(p, v);
	case LKST_SYS_signal:
		return sysargs_put_signal(p, v);
	case LKST_SYS_ipc_key:
		return v ? lkst_put_hex(p, v) : lkst_put_str(p, "IPC_PRIVATE");
	case LKST_SYS_mode:
		return put_octal(p, v & 0xffff, 3);
	case LKST_SYS_file_mode:
		return put_file_mode(p, v & 0xffff);
	case LKST_SYS_ioctl_cmd:
		return put_ioctl(p, v);
	case LKST_SYS_clone_flags:
		return sysargs_put_clone_flags(p, v);
	case LKST_SYS_futex_op:
		return put_futex_op(p, v);
	case LKST_SYS_futex_val3:
		return v == ~0U ? lkst_put_str(p, "FUTEX_BITSET_MATCH_ANY") : sysargs_put_hex(p, v);
	case LKST_SYS_ioprio:
		return put_ioprio(p, v);
	case LKST_SYS_ipc_get_flags:
	case LKST_SYS_shmget_flags:
		return put_ipc_flags(p, meaning, v);
	case LKST_SYS_shmctl_cmd:
	case LKST_SYS_semctl_cmd:
	case LKST_SYS_msgctl_cmd:
		return put_ipc_cmd(p, &tables[meaning], v);
	case LKST_SYS_map_flags:
		return put_huge(p, &tables[meaning], v, "MAP_HUGE_SHIFT");
	case LKST_SYS_memfd_flags:
		return put_huge(p, &tables[meaning], v, "MFD_HUGE_SHIFT");
	case LKST_SYS_quota_cmd:
		return put_quota_cmd(p, v);
	case LKST_SYS_personality:
		return v == ~0U ? sysargs_put_hex(p, v) : put_table(p, &tables[meaning], v);
	case LKST_SYS_keyring:
		return find_case(&tables[meaning], v) ? put_table(p, &tables[meaning], v)
						      : lkst_put_s64(p, (s32)v);
	default:
		return NULL;
	}
}

char *lkst_put_sysarg(char *p, u8 meaning, u64 value)
{
	const struct lkst_sys_meaning_desc *desc;
	char *end;

	if (meaning >= LKST_NR_SYS_MEANINGS)
		meaning = LKST_SYS_hexlong;
	desc = &lkst_sys_meanings[meaning];
	if (desc->bytes == 4)
		value = (u32)value;
	end = put_special(p, meaning, value);
	if (end)
		return end;
	if (tables[meaning].cases)
		return put_table(p, &tables[meaning], value);
	return sysargs_put_number(p, desc, value);
}

/* ---- results ---------------------------------------------------------------------------------- */

enum {
	ERRNO_MAX = 4095, /* include/linux/err.h: a result from -ERRNO_MAX to -1 is an error */
};

static const struct {
	const char *text;
	u32 length;
} errors[] = {
#define ERRNO(number, name, text)                                                                  \
	[number] = { "-1 " name " (" text ")", sizeof("-1 " name " (" text ")") - 1 },
#define RESTART(number, name, text)                                                                \
	[number] = { "? " name " (" text ")", sizeof("? " name " (" text ")") - 1 },
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

static char *put_error(char *p, u32 number)
{
	if (number < sizeof(errors) / sizeof(errors[0]) && errors[number].text)
		return lkst_put_mem(p, errors[number].text, errors[number].length);
	p = lkst_put_str(p, "-1 (errno ");
	p = lkst_put_u64(p, number);
	*p++ = ')';
	return p;
}

char *lkst_put_sysresult(char *p, u8 meaning, s64 value)
{
	switch (meaning) {
	case LKST_SYS_retvoid:
		*p++ = '?';
		return p;
	case LKST_SYS_retreg:
		return sysargs_put_hex(p, (u64)value);
	case LKST_SYS_retuid:
		return lkst_put_u64(p, (u32)value);
	}
	if (value < 0 && value >= -ERRNO_MAX)
		return put_error(p, (u32)-value);
	switch (meaning) {
	case LKST_SYS_retptr:
	case LKST_SYS_rethex:
		return sysargs_put_hex(p, (u64)value);
	case LKST_SYS_retmode:
		return put_octal(p, (u64)value, 1);
	default:
		return lkst_put_s64(p, value);
	}
}
