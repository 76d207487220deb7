/* SPDX-License-Identifier: GPL-2.0-only */
/* Values as words: tables of the kernel's enumerations and flags, and how each is printed. */
#include "print/values.h"

#include "abi/control.h"
#include "abi/perf_counter.h"
#include "abi/state.h"
#include "abi/syscalls.h"
#include "base/out.h"
#include "print/sysargs.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* ---- numbers --------------------------------------------------------------------------------- */

static char *put_dec(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_u64(p, v);
}

static char *values_put_signed(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_s64(p, (s64)v);
}

static char *values_put_hex(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_hex(p, v);
}

/* Negative numbers of less than 64 bits keep their own width in hexadecimal. */
static char *put_hex32(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_hex(p, (u32)v);
}

static char *values_put_hex16(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_hex(p, (u16)v);
}

static char *put_hex8(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_hex(p, (u8)v);
}

/* ---- enumerations and flags ------------------------------------------------------------------ */

static char *values_put_word(char *p, u64 v, const struct lkst_value_format *format)
{
	if (v < format->nr_words && format->words[v])
		return lkst_put_str(p, format->words[v]);
	return lkst_put_s64(p, (s64)v);
}

static char *put_quoted_word(char *p, u64 v, const struct lkst_value_format *format)
{
	if (v >= format->nr_words)
		return lkst_put_u64(p, v);
	*p++ = '"';
	p = lkst_put_str(p, format->words[v]);
	*p++ = '"';
	return p;
}

/* The words of the bits that are set, joined by '|', and what has no word in hexadecimal. */
static char *put_flags(char *p, u64 v, const struct lkst_value_format *format)
{
	u64 rest = v;
	unsigned int i;

	if (!v)
		return lkst_put_str(p, "0");
	for (i = 0; i < format->nr_words; i++) {
		if (!(v & 1ULL << i) || !format->words[i])
			continue;
		if (rest != v)
			*p++ = '|';
		p = lkst_put_str(p, format->words[i]);
		rest &= ~(1ULL << i);
	}
	if (!rest)
		return p;
	if (rest != v)
		*p++ = '|';
	return lkst_put_hex(p, rest);
}

/* ---- single meanings ------------------------------------------------------------------------- */

/* The letters of ps(1) and of the kernel's own sched_switch event, by bit. */
static const char *const state_letters[] = { "S", "D", "T", "t", "X", "Z", "P", "x",
					     "K", "W", "N", "n", "L", "F", "U", "f" };

enum {
	STATE_UNINTERRUPTIBLE = 2,
	STATE_NOLOAD = 0x400,
};

static char *values_put_state(char *p, u64 v, const struct lkst_value_format *format)
{
	const u64 idle = STATE_UNINTERRUPTIBLE | STATE_NOLOAD;

	if (!v)
		return lkst_put_str(p, "R");
	if ((v & idle) != idle)
		return put_flags(p, v, format);
	/* A kernel thread that waits for work: counted as no load, and shown as I. */
	*p++ = 'I';
	v &= ~idle;
	if (!v)
		return p;
	*p++ = '|';
	return put_flags(p, v, format);
}

static const char *const errors[] = {
#define ERRNO(number, name, text) [number] = "-" name,
#define RESTART(number, name, text) ERRNO(number, name, text)
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

static char *values_put_result(char *p, u64 v, const struct lkst_value_format *format)
{
	u64 error = 0 - v;

	if ((s64)v < 0 && error < format->nr_words && format->words[error])
		return lkst_put_str(p, format->words[error]);
	return lkst_put_s64(p, (s64)v);
}

static char *values_put_signal(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_sysarg(p, LKST_SYS_signal, v);
}

static char *values_put_clock(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_sysarg(p, LKST_SYS_clockid, v);
}

static char *values_put_clone_flags(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_sysarg(p, LKST_SYS_clone_flags, v);
}

static char *put_family(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_sysarg(p, LKST_SYS_socket_family, v);
}

static char *put_signal_code(char *p, u64 v, const struct lkst_value_format *format)
{
	/* Positive codes mean something else for each signal. */
	static const struct {
		s64 code;
		const char *name;
	} codes[] = {
		{ 0, "SI_USER" },      { 0x80, "SI_KERNEL" }, { -1, "SI_QUEUE" },
		{ -2, "SI_TIMER" },    { -3, "SI_MESGQ" },    { -4, "SI_ASYNCIO" },
		{ -5, "SI_SIGIO" },    { -6, "SI_TKILL" },    { -7, "SI_DETHREAD" },
		{ -60, "SI_ASYNCNL" },
	};
	unsigned int i;

	for (i = 0; i < NR(codes); i++)
		if (codes[i].code == (s64)v)
			return lkst_put_str(p, codes[i].name);
	return lkst_put_s64(p, (s64)v);
}

/* "7" for exit(7), "SIGSEGV" or "SIGSEGV|core" for a signal, else the number. */
static char *put_exit_code(char *p, u64 v, const struct lkst_value_format *format)
{
	enum { CORE = 0x80, SIGNAL_MASK = 0x7f };

	if (!(v & 0xff) && v <= 0xff00)
		return lkst_put_u64(p, v >> 8);
	if (v > 0xff || !(v & SIGNAL_MASK))
		return lkst_put_hex(p, v);
	p = lkst_put_sysarg(p, LKST_SYS_signal, v & SIGNAL_MASK);
	return v & CORE ? lkst_put_str(p, "|core") : p;
}

static char *put_dev(char *p, u64 v, const struct lkst_value_format *format)
{
	p = lkst_put_u64(p, v >> 20);
	*p++ = ':';
	return lkst_put_u64(p, v & 0xfffff);
}

/*
 * As the letters "rwbs" of blktrace (blk_fill_rwbs() in kernel/trace/blktrace.c): F for a flush
 * before, the operation, F (written through), A (read ahead), S (synchronous), M (metadata). Bits
 * without a letter follow in hexadecimal.
 */
static char *values_put_request(char *p, u64 v, const struct lkst_value_format *format)
{
	enum {
		OP_MASK = 0xff,
		OP_FLUSH = 2,
		SYNC = 1 << 11,
		META = 1 << 12,
		FUA = 1 << 17,
		PREFLUSH = 1 << 18,
		AHEAD = 1 << 19,
	};
	u64 op = v & OP_MASK, rest = v & ~(u64)(OP_MASK | SYNC | META | PREFLUSH | AHEAD);

	if (v & PREFLUSH)
		*p++ = 'F';
	if (op < format->nr_words && format->words[op])
		p = lkst_put_str(p, format->words[op]);
	else
		p = lkst_put_u64(lkst_put_str(p, "op"), op);
	/* A second F would be taken for the flush itself. */
	if (op != OP_FLUSH) {
		rest &= ~(u64)FUA;
		if (v & FUA)
			*p++ = 'F';
	}
	if (v & AHEAD)
		*p++ = 'A';
	if (v & SYNC)
		*p++ = 'S';
	if (v & META)
		*p++ = 'M';
	if (!rest)
		return p;
	*p++ = '|';
	return lkst_put_hex(p, rest);
}

static char *put_protocol(char *p, u64 v, const struct lkst_value_format *format)
{
	switch (v) {
	case 0x0800:
		return lkst_put_str(p, "IP");
	case 0x0806:
		return lkst_put_str(p, "ARP");
	case 0x8100:
		return lkst_put_str(p, "802.1Q");
	case 0x86dd:
		return lkst_put_str(p, "IPV6");
	case 0x88cc:
		return lkst_put_str(p, "LLDP");
	default:
		return lkst_put_hex_width(p, v, 4);
	}
}

/* enum hrtimer_mode: bit 0 relative; else absolute. */
static char *put_timer_mode(char *p, u64 v, const struct lkst_value_format *format)
{
	p = lkst_put_str(p, v & 1 ? "REL" : "ABS");
	v &= ~1ULL;
	if (!v)
		return p;
	*p++ = '|';
	return put_flags(p, v, format);
}

static char *values_put_address(char *p, u64 v, const struct lkst_value_format *format)
{
	return lkst_put_ipv4(p, v);
}

char *lkst_put_ipv4(char *p, u64 address)
{
	int shift;

	for (shift = 24; shift >= 0; shift -= 8) {
		p = lkst_put_u64(p, address >> shift & 0xff);
		if (shift)
			*p++ = '.';
	}
	return p;
}

/* Hexadecimal without "0x", as IPv6 addresses are written. */
static char *values_put_group(char *p, u64 v)
{
	char text[24], *end = lkst_put_hex(text, v);

	return lkst_put_mem(p, text + 2, (size_t)(end - text) - 2);
}

char *lkst_put_ipv6_tail(char *p, u64 address)
{
	p = lkst_put_str(p, "*:");
	p = values_put_group(p, address >> 16 & 0xffff);
	*p++ = ':';
	return values_put_group(p, address & 0xffff);
}

/* include/linux/sched.h; the words by bit. */
char *lkst_put_task_state(char *p, u64 state)
{
	static const char *const words[] = {
		"TASK_INTERRUPTIBLE",
		"TASK_UNINTERRUPTIBLE",
		"TASK_STOPPED",
		"TASK_TRACED",
		"EXIT_DEAD",
		"EXIT_ZOMBIE",
		"TASK_PARKED",
		"TASK_DEAD",
		"TASK_WAKEKILL",
		"TASK_WAKING",
		"TASK_NOLOAD",
		"TASK_NEW",
		"TASK_RTLOCK_WAIT",
		"TASK_FREEZABLE",
		"TASK_FREEZABLE_UNSAFE",
		"TASK_FROZEN",
	};
	static const struct lkst_value_format format = { put_flags, words, NR(words) };

	return state ? put_flags(p, state, &format) : lkst_put_str(p, "TASK_RUNNING");
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const char *const no_yes[] = { "no", "yes" };
static const char *const signal_results[] = { "sent", "ignored", "pending", "queue-full",
					      "info-lost" };
static const char *const traps[] = {
	[0] = "#DE",  [1] = "#DB",  [2] = "NMI",  [3] = "#BP",	     [4] = "#OF",  [5] = "#BR",
	[6] = "#UD",  [7] = "#NM",  [8] = "#DF",  [9] = "OLD_MF",    [10] = "#TS", [11] = "#NP",
	[12] = "#SS", [13] = "#GP", [14] = "#PF", [15] = "SPURIOUS", [16] = "#MF", [17] = "#AC",
	[18] = "#MC", [19] = "#XF", [20] = "#VE", [21] = "#CP",	     [29] = "#VC", [32] = "IRET",
};
static const char *const fault_codes[] = {
	[0] = "protection",   [1] = "write",	   [2] = "user",
	[3] = "reserved",     [4] = "instruction", [5] = "key",
	[6] = "shadow-stack", [15] = "sgx",	   [31] = "rmp",
};
static const char *const vm_faults[] = {
	[0] = "oom",	    [1] = "sigbus",	    [2] = "major",
	[4] = "hwpoison",   [5] = "hwpoison-large", [6] = "sigsegv",
	[8] = "nopage",	    [9] = "locked",	    [10] = "retry",
	[11] = "fallback",  [12] = "done-cow",	    [13] = "needdsync",
	[14] = "completed",
};
static const char *const fault_flags[] = {
	"write",   "mkwrite",	     "allow-retry", "retry-nowait", "killable",
	"tried",   "user",	     "remote",	    "instruction",  "interruptible",
	"unshare", "orig-pte-valid", "vma-lock",
};
/* Above these, the numbers depend on how the kernel was built. */
static const char *const migrate_types[] = { "unmovable", "movable", "reclaimable" };
static const char *const request_ops[] = {
	[0] = "R", [1] = "W", [2] = "F", [3] = "D", [5] = "DE", [9] = "WZ"
};
static const char *const block_results[] = {
	"OK",	  "NOTSUPP",	"TIMEOUT",  "NOSPC", "TRANSPORT",  "TARGET", "RESV_CONFLICT",
	"MEDIUM", "PROTECTION", "RESOURCE", "IOERR", "DM_REQUEUE", "AGAIN",  "DEV_RESOURCE",
};
static const char *const ip_protocols[] = {
	[1] = "ICMP",	[6] = "TCP",	   [17] = "UDP",    [41] = "IPV6",   [47] = "GRE",
	[50] = "ESP",	[51] = "AH",	   [58] = "ICMPV6", [89] = "OSPF",   [103] = "PIM",
	[132] = "SCTP", [136] = "UDPLITE", [255] = "RAW",   [262] = "MPTCP",
};
static const char *const tcp_states[] = {
	[1] = "ESTABLISHED",	 [2] = "SYN_SENT",  [3] = "SYN_RECV", [4] = "FIN_WAIT1",
	[5] = "FIN_WAIT2",	 [6] = "TIME_WAIT", [7] = "CLOSE",    [8] = "CLOSE_WAIT",
	[9] = "LAST_ACK",	 [10] = "LISTEN",   [11] = "CLOSING", [12] = "NEW_SYN_RECV",
	[13] = "BOUND_INACTIVE",
};
static const char *const timer_modes[] = { [1] = "PINNED", [2] = "SOFT", [3] = "HARD" };
static const char *const lock_flags[] = { "SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX" };
static const char *const tick_deps[] = { "POSIX_TIMER",	   "PERF_EVENTS", "SCHED",
					 "CLOCK_UNSTABLE", "RCU",	  "RCU_EXP" };
static const char *const trip_types[] = { "active", "passive", "hot", "critical" };
static const char *const detectors[] = { "KFENCE", "KASAN", "WARNING" };
static const char *const buffers[] = { [LKST_BUFFER_MAIN] = "main", [LKST_BUFFER_LIFE] = "life" };
static const char *const where_flags[] = { "behind", "io", "memory", "throttled" };
static const char *const thread_flags[] = { "kernel", "32-bit" };

#define WORDS(list)                                                                                \
	{                                                                                          \
		values_put_word, list, NR(list)                                                           \
	}
#define FLAGS(list)                                                                                \
	{                                                                                          \
		put_flags, list, NR(list)                                                          \
	}

static char *values_put_call(char *p, s64 v, bool is_arm64)
{
	const struct lkst_syscall *call = lkst_syscall_of_call(v, is_arm64);

	if (!call)
		return lkst_put_s64(p, v);
	if (call->is_compat)
		p = lkst_put_str(p, "compat:");
	return lkst_put_str(p, call->name);
}

static char *put_call_x86(char *p, u64 v, const struct lkst_value_format *format)
{
	return values_put_call(p, (s64)v, false);
}

static char *put_call_arm64(char *p, u64 v, const struct lkst_value_format *format)
{
	return values_put_call(p, (s64)v, true);
}

/* Meanings that are not here are numbers. */
static const struct lkst_value_format formats[LKST_NR_MEANINGS] = {
	[LKST_MEANING_BOOL] = WORDS(no_yes),
	[LKST_MEANING_TASK_STATE] = { values_put_state, state_letters, NR(state_letters) },
	[LKST_MEANING_RESULT] = { values_put_result, errors, NR(errors) },
	[LKST_MEANING_SIGNAL] = { values_put_signal, NULL, 0 },
	[LKST_MEANING_SOFTIRQ] = { values_put_word, lkst_softirq_names, LKST_NR_SOFTIRQS },
	[LKST_MEANING_FAULT_CODE] = FLAGS(fault_codes),
	[LKST_MEANING_DEV] = { put_dev, NULL, 0 },
	[LKST_MEANING_REQ_FLAGS] = { values_put_request, request_ops, NR(request_ops) },
	[LKST_MEANING_BLK_STATUS] = WORDS(block_results),
	[LKST_MEANING_PROTOCOL] = { put_protocol, NULL, 0 },
	[LKST_MEANING_IP_PROTO] = WORDS(ip_protocols),
	[LKST_MEANING_FAMILY] = { put_family, NULL, 0 },
	[LKST_MEANING_TCP_STATE] = WORDS(tcp_states),
	[LKST_MEANING_CLOCK] = { values_put_clock, NULL, 0 },
	[LKST_MEANING_TIMER_MODE] = { put_timer_mode, timer_modes, NR(timer_modes) },
	[LKST_MEANING_LOCK_FLAGS] = FLAGS(lock_flags),
	[LKST_MEANING_CLONE_FLAGS] = { values_put_clone_flags, NULL, 0 },
	[LKST_MEANING_EXIT_CODE] = { put_exit_code, NULL, 0 },
	[LKST_MEANING_SIGNAL_CODE] = { put_signal_code, NULL, 0 },
	[LKST_MEANING_SIGNAL_RESULT] = WORDS(signal_results),
	[LKST_MEANING_TRAP] = WORDS(traps),
	[LKST_MEANING_VM_FAULT] = FLAGS(vm_faults),
	[LKST_MEANING_FAULT_FLAGS] = FLAGS(fault_flags),
	[LKST_MEANING_MIGRATE] = WORDS(migrate_types),
	[LKST_MEANING_IPV4] = { values_put_address, NULL, 0 },
	[LKST_MEANING_TICK_DEP] = FLAGS(tick_deps),
	[LKST_MEANING_TRIP_TYPE] = WORDS(trip_types),
	[LKST_MEANING_PERF_COUNTER] = { values_put_word, lkst_perf_counter_names, LKST_NR_PERF_COUNTERS },
	[LKST_MEANING_DETECTOR] = WORDS(detectors),
	[LKST_MEANING_LOSS] = { put_quoted_word, lkst_loss_names, LKST_LOSS_NR },
	[LKST_MEANING_BUFFER] = WORDS(buffers),
	[LKST_MEANING_CALL] = { put_call_x86, NULL, 0 },
	[LKST_MEANING_CALL_ARM64] = { put_call_arm64, NULL, 0 },
	[LKST_MEANING_WHERE] = { values_put_word, lkst_where_names, LKST_NR_WHERES },
	[LKST_MEANING_WHERE_FLAGS] = FLAGS(where_flags),
	[LKST_MEANING_WAKER] = { values_put_word, lkst_waker_names, LKST_NR_WAKERS },
	[LKST_MEANING_HOLDER] = { values_put_word, lkst_holder_names, LKST_NR_HOLDERS },
	[LKST_MEANING_THREAD_FLAGS] = FLAGS(thread_flags),
};

char *lkst_put_buffer(char *p, u64 buffer)
{
	return lkst_put_value(p, &formats[LKST_MEANING_BUFFER], buffer);
}

const struct lkst_value_format *lkst_value_format(const struct lkst_field_class *f)
{
	static const struct lkst_value_format dec = { put_dec, NULL, 0 };
	static const struct lkst_value_format number = { values_put_signed, NULL, 0 };
	static const struct lkst_value_format hex = { values_put_hex, NULL, 0 };
	static const struct lkst_value_format hex_signed[] = {
		[1] = { put_hex8, NULL, 0 },
		[2] = { values_put_hex16, NULL, 0 },
		[4] = { put_hex32, NULL, 0 },
		[8] = { values_put_hex, NULL, 0 },
	};
	bool is_signed = f->type == LKST_CLASS_SINT || f->type == LKST_CLASS_SINTS;

	if (f->meaning < LKST_NR_MEANINGS && formats[f->meaning].put)
		return &formats[f->meaning];
	if (f->base != 16)
		return is_signed ? &number : &dec;
	return is_signed && f->size < NR(hex_signed) ? &hex_signed[f->size] : &hex;
}
