// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls, entry and exit: each call by its own event and with the arguments it has, by tables
 * that user space fills before loading.
 *
 * A number beyond the table, or one that the table does not know, is recorded by the "unknown"
 * event with all six argument registers; on arm64 these are all calls of 32-bit programs. So is an
 * exit with number -1: the kernel reports it for rt_sigreturn, whose entry had its number
 * (arch/x86/kernel/signal_64.c sets orig_ax to -1).
 *
 * Calls with the address of a socket have a record of their own for it, after that of the call.
 *
 * Context: the thread's own, preemption off (record.h). So these two programs never nest into
 * each other on a CPU, and one per-CPU scratch area serves both.
 */
#include <bpf/bpf_endian.h>

#include "bpf/record.h"

#include "bpf/address.h"
#include "bpf/user_regs.h"

const volatile struct lkst_syscall_plan lkst_sys64[LKST_SYSCALL_MAX] SEC(".rodata.sys64");
const volatile struct lkst_syscall_plan lkst_sys32[LKST_SYSCALL_MAX] SEC(".rodata.sys32");

/* Strings are read here first: a record's length must be known before it is reserved. */
struct scratch {
	char bytes[LKST_PATHS_MAX * LKST_STRING_MAX + 8];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
} lkst_scratch SEC(".maps");

_Static_assert(sizeof(struct lkst_address) <= sizeof(struct scratch), "addresses are made into text there");

/*
 * What is to be read at exit; 0: nothing. Path arguments that were not in memory at entry, a bit for each; of an
 * address 1; of one that the kernel is to fill in, how many bytes there is room for. A thread's number would be a
 * wrong key: with an exec a thread gets the number of its process's first thread (de_thread() in fs/exec.c), and its
 * exit would never be found.
 */
LKST_THREAD_NOTES(lkst_unread);

/* A struct lkst_syscall_plan, read with one load, and taken apart in a register. */
union plan {
	u64 word;
	struct lkst_syscall_plan is;
};

/* The plan of system call @nr; 0: not known. */
static __always_inline union plan plan_of(u64 nr, bool compat)
{
	union plan plan = {};

	nr = LKST_BOUNDED(nr);
	if (nr < LKST_SYSCALL_MAX)
		plan.word = compat ? *(const volatile u64 *)&lkst_sys32[nr]
				   : *(const volatile u64 *)&lkst_sys64[nr];
	return plan;
}

enum {
	ARGS_WINDOW = sizeof(struct lkst_record_head) + 8 * LKST_SYSCALL_ARGS,
};

/* Where the next argument of a call goes, and what is known of those that are left. */
struct args {
	void *at;
	u32 nr;	  /* of all */
	u32 wide; /* bit 0: the next one has 8 bytes */
};

/*
 * Writes argument @i, if there is one, in 8 bytes: the next one overwrites the upper 4 bytes of a narrow one, or
 * they do not count. False if there is none.
 */
static __always_inline bool put_arg(struct args *args, struct pt_regs___lkst *regs, bool compat,
				    u32 i)
{
	if (i >= args->nr)
		return false;
	*(volatile u64 *)args->at = lkst_arg(regs, compat, i);
	args->at += 4 + ((args->wide & 1) << 2);
	args->wide >>= 1;
	return true;
}

/* Writes the plan's arguments after the head of @rec. */
static __always_inline void put_args(void *rec, struct pt_regs___lkst *regs, bool compat,
				     struct lkst_syscall_plan plan)
{
	struct args args = { rec + sizeof(struct lkst_record_head), plan.nr_args, plan.wide };

	(void)(put_arg(&args, regs, compat, 0) && put_arg(&args, regs, compat, 1) &&
	       put_arg(&args, regs, compat, 2) && put_arg(&args, regs, compat, 3) &&
	       put_arg(&args, regs, compat, 4) && put_arg(&args, regs, compat, 5));
}

enum {
	STRING_UNREAD = 1 << 30, /* it was not in memory: its place is empty */
	STRING_CUT = 1 << 29,	 /* it was longer than is kept */
	STRING_LENGTH = STRING_CUT - 1,
};

/*
 * Reads the string at user address @address to @at in the scratch area. Returns its length with
 * its NUL, and flags. A global function: it is verified once, not along each path to it.
 */
__noinline u32 lkst_read_string(u64 address, u32 at)
{
	u32 zero = 0, flags = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&lkst_scratch, &zero);
	long length;

	if (!scratch || at > LKST_STRING_MAX)
		return 0;
	/* One byte more than is kept distinguishes a string that fits from one that is cut. */
	length = bpf_probe_read_user_str(scratch->bytes + at, LKST_STRING_MAX + 1, (void *)address);
	if (length <= 0) {
		flags = address ? STRING_UNREAD : 0;
		length = 1;
		scratch->bytes[at] = 0;
	}
	if (length > LKST_STRING_MAX) {
		flags = STRING_CUT;
		length = LKST_STRING_MAX;
		scratch->bytes[at + LKST_STRING_MAX - 1] = 0;
	}
	return length | flags;
}

/*
 * Copies @length bytes of the scratch area to byte @at of block @element, and up to 3 more: @at is
 * a multiple of 4, and what lies before the next multiple of 8 is still this record's. Global as
 * above.
 */
__noinline int lkst_put_strings(u32 element, u32 at, u32 length)
{
	u32 zero = 0, i, to;
	struct scratch *scratch = bpf_map_lookup_elem(&lkst_scratch, &zero);
	u8 *block = lkst_element(element);

	if (!scratch || !block)
		return 0;
#pragma clang loop unroll(disable)
	for (i = 0; i < LKST_PATHS_MAX * LKST_STRING_MAX; i += 4) {
		if (i >= length)
			break;
		to = LKST_BOUNDED(at + i);
		if (to > (1U << lkst_cfg.block_shift) - 4)
			break; /* cannot be: it was reserved */
		*(u32 *)(block + to) = *(u32 *)(scratch->bytes + i);
	}
	return 0;
}

/* What became of the strings of one call. */
struct strings {
	u32 length; /* bytes in the scratch area */
	u32 unread; /* bit 0, 1: first, second string */
	bool cut;
};

/* Reads the strings of a call, those of @wanted (bit 0, 1); the others are empty. */
static __always_inline struct strings read_strings(struct pt_regs___lkst *regs, bool compat,
						   u32 paths, u32 wanted)
{
	struct strings strings = {};
	u32 first, second;

	first = lkst_read_string(wanted & 1 ? lkst_arg(regs, compat, (paths & 15) - 1) : 0, 0);
	strings.length = first & STRING_LENGTH;
	strings.unread = first & STRING_UNREAD ? 1 : 0;
	strings.cut = first & STRING_CUT;
	if (paths >> 4) {
		second = lkst_read_string(wanted & 2 ? lkst_arg(regs, compat, (paths >> 4) - 1) : 0,
					  strings.length);
		strings.length += second & STRING_LENGTH;
		strings.unread |= second & STRING_UNREAD ? 2 : 0;
		strings.cut |= second & STRING_CUT;
	}
	return strings;
}

/* Puts the strings after the first @size bytes of the record of @slot. */
static __always_inline void put_strings(struct lkst_slot *slot, u32 size,
					const struct strings *strings)
{
	lkst_put_strings(slot->element, slot->start + size, strings->length);
	if (strings->cut)
		LKST_COUNT(&slot->st->lost[LKST_LOSS_TRUNCATED]);
}

/* Notes for the exit which strings it has to read. Without memory for that they stay empty, which counts. */
static __always_inline void keep_unread(u32 which)
{
	u32 *unread = LKST_THREAD_NOTE_MAKE(&lkst_unread, LKST_CURRENT());

	if (unread)
		*unread = which;
	else
		lkst_count_loss(LKST_LOSS_UNREAD);
}

static __noinline int enter_with_paths(struct pt_regs___lkst *regs, bool compat, u64 word)
{
	struct lkst_syscall_plan plan = ((union plan){ word }).is;
	struct strings strings;

	/* A string takes longer to read than the maskset, which is asked again for the record. */
	if (!lkst_is_wanted(plan.entry_id))
		return lkst_count_idle(plan.entry_id);
	strings = read_strings(regs, compat, plan.paths, 3);
	if (strings.unread)
		keep_unread(strings.unread);
	lkst_recording_id(void, rec, plan.entry_id, plan.size + strings.length, ARGS_WINDOW) {
		put_args(rec, regs, compat, plan);
		put_strings(&lkst_scope_.slot, plan.size, &strings);
	}
	return 0;
}

/* ---- addresses of sockets -------------------------------------------------------------------- */

/* What lkst_read_address() says. */
union address {
	u64 word;
	struct {
		u16 family, port, size, is_unread;
	} is;
};

/*
 * Makes the text of the address of @length bytes at user address @from in the scratch area; `size` is with its NUL. A
 * global function: it is verified once, not along each path to it.
 */
__noinline u64 lkst_read_address(u64 from, u32 length)
{
	union address address = {};
	u64 room = LKST_BOUNDED((u64)length);
	u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&lkst_scratch, &zero);
	struct lkst_address *a = (void *)scratch;

	if (!scratch)
		return 0;
	if (room > LKST_ADDRESS_BYTES)
		room = LKST_ADDRESS_BYTES;
	a->from.family = 0;
	if (room >= sizeof(a->from.family) && bpf_probe_read_user(a->from.bytes, room, (void *)from))
		address.is.is_unread = 1;
	if (room < sizeof(a->from.family) || address.is.is_unread)
		a->from.family = 0;
	lkst_address_write(a, room);
	address.is.family = LKST_LOAD(a->from.family);
	address.is.port = bpf_ntohs(lkst_address_port(a, room));
	address.is.size = LKST_LOAD(a->at);
	return address.word;
}

static __always_inline u32 address_event(u32 call)
{
	return call == LKST_ADDRESS_CONNECT ? lkst_cfg.id[LKST_EV_socket_connect]
	       : call == LKST_ADDRESS_BIND    ? lkst_cfg.id[LKST_EV_socket_bind]
					      : lkst_cfg.id[LKST_EV_socket_accept];
}

/* The three events have one layout. */
#define SAME_PLACE(event, field)                                                                   \
	_Static_assert(offsetof(struct lkst_rec_##event, field) ==                                 \
			       offsetof(struct lkst_rec_socket_connect, field),                    \
		       "one function fills each")
SAME_PLACE(socket_accept, fd);
SAME_PLACE(socket_accept, family);
SAME_PLACE(socket_accept, port);
SAME_PLACE(socket_accept, address);
SAME_PLACE(socket_bind, fd);
SAME_PLACE(socket_bind, family);
SAME_PLACE(socket_bind, port);
SAME_PLACE(socket_bind, address);

/* Records the address of @length bytes at @from. False: it is not in memory, and nothing was recorded. */
static __always_inline bool record_address(u32 call, s32 fd, u64 from, u32 length)
{
	const u32 id = address_event(call);
	union address address;

	if (!lkst_is_wanted(id)) {
		lkst_count_idle(id);
		return true;
	}
	address.word = lkst_read_address(from, length);
	if (address.is.is_unread)
		return false;
	lkst_recording_id(struct lkst_rec_socket_connect, r, id, sizeof(*r) + address.is.size, sizeof(*r)) {
		r->fd = fd;
		r->family = address.is.family;
		r->port = address.is.port;
		lkst_put_strings(lkst_scope_.slot.element, lkst_scope_.slot.start + sizeof(*r), address.is.size);
	}
	return true;
}

/* How much room the program has for the address that the kernel is to fill in; 0: it does not want it. */
static __always_inline u32 room_for_address(struct pt_regs___lkst *regs, bool compat)
{
	u32 room = 0;

	if (!lkst_is_wanted(lkst_cfg.id[LKST_EV_socket_accept]) || !lkst_arg(regs, compat, 1) ||
	    bpf_probe_read_user(&room, sizeof(room), (void *)lkst_arg(regs, compat, 2)))
		return 0;
	return room;
}

static __noinline int enter_with_address(struct pt_regs___lkst *regs, bool compat, u64 word)
{
	struct lkst_syscall_plan plan = ((union plan){ word }).is;
	const u32 call = plan.paths >> 4;
	u32 late = 0;

	lkst_recording_id(void, rec, plan.entry_id, plan.size, ARGS_WINDOW)
		put_args(rec, regs, compat, plan);
	if (call == LKST_ADDRESS_ACCEPT)
		late = room_for_address(regs, compat);
	else
		late = !record_address(call, lkst_arg(regs, compat, 0), lkst_arg(regs, compat, 1),
				       lkst_arg(regs, compat, 2));
	if (late)
		keep_unread(late);
	return 0;
}

/* The records of both kinds of callers are laid out alike. */
_Static_assert(sizeof(struct lkst_rec_syscall_entry_unknown) ==
		       sizeof(struct lkst_rec_compat_syscall_entry_unknown),
	       "one function fills either");
_Static_assert(sizeof(struct lkst_rec_syscall_exit_unknown) ==
		       sizeof(struct lkst_rec_compat_syscall_exit_unknown),
	       "one function fills either");

static __noinline int enter_unknown(struct pt_regs___lkst *regs, bool compat, s64 nr)
{
	u32 id = lkst_cfg.id[compat ? LKST_EV_compat_syscall_entry_unknown
				    : LKST_EV_syscall_entry_unknown];

	lkst_recording_id(struct lkst_rec_syscall_entry_unknown, r, id, sizeof(*r), sizeof(*r)) {
		LKST_PUT64(r->nr, nr);
		LKST_PUT64(r->arg0, lkst_arg(regs, compat, 0));
		LKST_PUT64(r->arg1, lkst_arg(regs, compat, 1));
		LKST_PUT64(r->arg2, lkst_arg(regs, compat, 2));
		LKST_PUT64(r->arg3, lkst_arg(regs, compat, 3));
		LKST_PUT64(r->arg4, lkst_arg(regs, compat, 4));
		LKST_PUT64(r->arg5, lkst_arg(regs, compat, 5));
	}
	return 0;
}

static __always_inline int enter(struct pt_regs___lkst *regs, long nr, s32 tid, bool compat)
{
	union plan plan = plan_of(nr, compat);

	if (!plan.is.entry_id)
		return enter_unknown(regs, compat, nr);
	if (plan.is.paths)
		return (plan.is.paths & LKST_PATHS_ADDRESS) == LKST_PATHS_ADDRESS
			       ? enter_with_address(regs, compat, plan.word)
			       : enter_with_paths(regs, compat, plan.word);
	lkst_recording_id_by(void, rec, plan.is.entry_id, plan.is.size, ARGS_WINDOW, tid)
		put_args(rec, regs, compat, plan.is);
	return 0;
}

/* The call of a thread that the recording does not include. Not inlined, so that it is off the path of other calls. */
static __noinline int pass_entry(long nr)
{
	return lkst_count_idle(plan_of(nr, lkst_is_compat(LKST_CURRENT())).is.entry_id);
}

LKST_TP(sys_enter, struct pt_regs___lkst *regs, long nr)
{
	struct task_struct *task = LKST_CURRENT();

	if (!lkst_wants(task))
		return pass_entry(nr);
	return lkst_is_compat(task) ? enter(regs, nr, LKST_READ(task, pid), true)
			       : enter(regs, nr, LKST_READ(task, pid), false);
}

/* What an exit record holds before its strings. */
struct exit_record {
	struct lkst_record_head head;
	s64 ret;
	u32 strings; /* the first four bytes of them */
} __attribute__((packed, aligned(4)));

enum {
	EXIT_SIZE = offsetof(struct exit_record, strings),
};

static __noinline int leave_with_paths(struct pt_regs___lkst *regs, bool compat, long ret, u64 word)
{
	struct lkst_syscall_plan plan = ((union plan){ word }).is;
	/* Usually entry has read them: one or two NULs. */
	struct strings strings = { .length = plan.paths >> 4 ? 2 : 1 };
	u32 *unread = LKST_THREAD_NOTE(&lkst_unread, LKST_CURRENT());
	bool is_late = unread && *unread;

	if (is_late) {
		strings = read_strings(regs, compat, plan.paths, *unread);
		*unread = 0;
	}
	lkst_recording_id(struct exit_record, rec, plan.exit_id, EXIT_SIZE + strings.length,
			  sizeof(*rec)) {
		LKST_PUT64(rec->ret, ret);
		rec->strings = 0;
		if (is_late)
			put_strings(&lkst_scope_.slot, EXIT_SIZE, &strings);
	}
	return 0;
}

/* Records what @late, the note of the entry, left to be read. */
static __always_inline void record_late(struct pt_regs___lkst *regs, bool compat, u32 call, long ret, u32 late)
{
	u32 length = 0;

	if (call != LKST_ADDRESS_ACCEPT) {
		if (late)
			record_address(call, lkst_arg(regs, compat, 0), lkst_arg(regs, compat, 1),
				       lkst_arg(regs, compat, 2));
		return;
	}
	if (ret < 0)
		return;
	/* The kernel has written how long the address is, and no more of it than there was room for. */
	if (late && bpf_probe_read_user(&length, sizeof(length), (void *)lkst_arg(regs, compat, 2)))
		length = 0;
	record_address(call, ret, lkst_arg(regs, compat, 1), length < late ? length : late);
}

static __noinline int leave_with_address(struct pt_regs___lkst *regs, bool compat, long ret, u64 word)
{
	struct lkst_syscall_plan plan = ((union plan){ word }).is;
	u32 *unread = LKST_THREAD_NOTE(&lkst_unread, LKST_CURRENT());
	u32 late = unread ? *unread : 0;

	if (late)
		*unread = 0;
	lkst_recording_id(struct exit_record, rec, plan.exit_id, EXIT_SIZE, EXIT_SIZE)
		LKST_PUT64(rec->ret, ret);
	record_late(regs, compat, plan.paths >> 4, ret, late);
	return 0;
}

static __noinline int leave_unknown(bool compat, s64 nr, long ret)
{
	u32 id = lkst_cfg.id[compat ? LKST_EV_compat_syscall_exit_unknown
				    : LKST_EV_syscall_exit_unknown];

	lkst_recording_id(struct lkst_rec_syscall_exit_unknown, r, id, sizeof(*r), sizeof(*r)) {
		LKST_PUT64(r->nr, nr);
		LKST_PUT64(r->ret, ret);
	}
	return 0;
}

static __always_inline int leave(struct pt_regs___lkst *regs, long ret, s32 tid, bool compat)
{
	s32 nr = lkst_syscall_nr(regs);
	union plan plan = plan_of((u64)(s64)nr, compat);

	if (!plan.is.exit_id)
		return leave_unknown(compat, nr, ret);
	if (plan.is.paths)
		return (plan.is.paths & LKST_PATHS_ADDRESS) == LKST_PATHS_ADDRESS
			       ? leave_with_address(regs, compat, ret, plan.word)
			       : leave_with_paths(regs, compat, ret, plan.word);
	lkst_recording_id_by(struct exit_record, rec, plan.is.exit_id, EXIT_SIZE, EXIT_SIZE, tid)
		LKST_PUT64(rec->ret, ret);
	return 0;
}

/* As pass_entry(). */
static __noinline int pass_exit(struct pt_regs___lkst *regs)
{
	s64 nr = lkst_syscall_nr(regs);

	return lkst_count_idle(plan_of(nr, lkst_is_compat(LKST_CURRENT())).is.exit_id);
}

LKST_TP(sys_exit, struct pt_regs___lkst *regs, long ret)
{
	struct task_struct *task = LKST_CURRENT();

	if (!lkst_wants(task))
		return pass_exit(regs);
	return lkst_is_compat(task) ? leave(regs, ret, LKST_READ(task, pid), true)
			       : leave(regs, ret, LKST_READ(task, pid), false);
}
