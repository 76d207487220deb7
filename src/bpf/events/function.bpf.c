// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that have no tracepoint: programs at the entry (kprobe) or return (kretprobe) of kernel
 * functions. They are attached only where the kernel has kprobes.
 *
 * Context: kprobes run with preemption off (kernel/kprobes.c), also those that ftrace carries.
 */
#include <linux/ptrace.h>

#include "bpf/page.h"
#include "bpf/record.h"
#include "bpf/string.h"

/* ---- sched ---- */

LKST_KPROBE(kthread_create_on_node, u64 function, u64 data, int node)
{
	lkst_recording_if(kthread_create_on_node, r, lkst_wants_current()) {
		LKST_PUT64(r->function, function);
		LKST_PUT64(r->data, data);
		r->node = node;
	}
	return 0;
}

LKST_KPROBE(__init_waitqueue_head, u64 queue)
{
	lkst_recording_if(init_waitqueue_head, r, lkst_wants_current())
		LKST_PUT64(r->queue, queue);
	return 0;
}

/* A waiter comes to or leaves a wait queue. */
#define WAITER_PROGRAM(event)                                                                      \
	LKST_KPROBE(event, u64 queue, u64 waiter)                                                  \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->queue, queue);                                               \
			LKST_PUT64(r->waiter, waiter);                                             \
		}                                                                                  \
		return 0;                                                                          \
	}

WAITER_PROGRAM(add_wait_queue)
WAITER_PROGRAM(remove_wait_queue)
WAITER_PROGRAM(finish_wait)

/* This thread comes to a wait queue, about to sleep in a state. */
#define SLEEPER_PROGRAM(event)                                                                     \
	LKST_KPROBE(event, u64 queue, u64 waiter, u32 state)                                       \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->queue, queue);                                               \
			LKST_PUT64(r->waiter, waiter);                                             \
			r->state = state;                                                          \
		}                                                                                  \
		return 0;                                                                          \
	}

SLEEPER_PROGRAM(prepare_to_wait)
SLEEPER_PROGRAM(prepare_to_wait_exclusive)
SLEEPER_PROGRAM(prepare_to_wait_event)

/* ---- irq, exception ---- */

LKST_KPROBE(tasklet_hi_action)
{
	lkst_recording_if(tasklet_hi_entry, r, lkst_wants_current()) {
	}
	return 0;
}

enum {
	/* arch/x86/include/asm/trap_pf.h; the record uses these bits on every machine */
	PF_WRITE = 2,
	PF_USER = 4,
	PF_INSTRUCTION = 16,
};

/* Bit @bit if handle_mm_fault()'s flag called @name is set. */
#define FAULT_BIT(flags, name, bit) ((flags)&bpf_core_enum_value(enum fault_flag, name) ? (bit) : 0)

_Static_assert(sizeof(struct lkst_rec_page_fault_user) == sizeof(struct lkst_rec_page_fault_kernel),
	       "one function fills either");

static __always_inline void fault_begins(const volatile u16 *id, struct pt_regs *regs, u64 address,
					 u32 code)
{
	u64 ip = PT_REGS_IP_CORE(regs);

	lkst_recording_id(struct lkst_rec_page_fault_user, r, *id, sizeof(*r), sizeof(*r)) {
		LKST_PUT64(r->address, address);
		LKST_PUT64(r->ip, ip);
		r->error_code = code;
	}
}

/*
 * Used where page faults have no tracepoint. A fault at an address where nothing is mapped does not come here.
 * A call without registers is not a fault (get_user_pages()). A fault that has waited for its page comes again.
 */
LKST_KPROBE(handle_mm_fault, u64 area, u64 address, u32 flags, struct pt_regs *regs)
{
	u32 code = FAULT_BIT(flags, FAULT_FLAG_WRITE, PF_WRITE) |
		   FAULT_BIT(flags, FAULT_FLAG_USER, PF_USER) |
		   FAULT_BIT(flags, FAULT_FLAG_INSTRUCTION, PF_INSTRUCTION);

	if (!regs || FAULT_BIT(flags, FAULT_FLAG_TRIED, 1) || !lkst_wants_current())
		return LKST_UNWANTED(page_fault_user);
	if (code & PF_USER)
		fault_begins(&lkst_cfg.id[LKST_EV_page_fault_user], regs, address, code);
	else
		fault_begins(&lkst_cfg.id[LKST_EV_page_fault_kernel], regs, address, code);
	return 0;
}

LKST_KRETPROBE(handle_mm_fault, u32 result)
{
	lkst_recording_if(page_fault_exit, r, lkst_wants_current())
		r->result = result;
	return 0;
}

enum {
	SIGFPE = 8, /* include/uapi/asm-generic/signal.h */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___trap {
	unsigned long ip;
};
#pragma clang attribute pop

static __always_inline int trap_begins(struct pt_regs___trap *regs, u32 error_code, u32 trap,
				       u32 signal)
{
	u64 ip;

	if (!lkst_wants_current())
		return LKST_UNWANTED(trap_entry);
	ip = BPF_CORE_READ(regs, ip);
	lkst_recording(trap_entry, r) {
		LKST_PUT64(r->ip, ip);
		r->error_code = error_code;
		r->trap = trap;
		r->signal = signal;
	}
	return 0;
}

LKST_KPROBE(do_error_trap, struct pt_regs___trap *regs, u64 error_code, u64 text, u64 trap,
	    u32 signal)
{
	return trap_begins(regs, error_code, trap, signal);
}

LKST_KPROBE(math_error, struct pt_regs___trap *regs, u32 trap)
{
	return trap_begins(regs, 0, trap, SIGFPE);
}

/* The function does not return a trap's number, but the kernel keeps it if a program caused the trap. */
#define TRAP_EXIT_PROGRAM(function)                                                                \
	LKST_KRETPROBE(function)                                                                   \
	{                                                                                          \
		struct task_struct *task = (void *)bpf_get_current_task();                         \
		u32 trap;                                                                          \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(trap_exit);                                           \
		trap = BPF_CORE_READ(task, thread.trap_nr);                                        \
		lkst_recording(trap_exit, r)                                                       \
			r->trap = trap;                                                            \
		return 0;                                                                          \
	}

TRAP_EXIT_PROGRAM(do_error_trap)
TRAP_EXIT_PROGRAM(math_error)

/* ---- memory ---- */

LKST_STRING_SCRATCH(cache_name);

/* A function whose first arguments are a cache's name and the size of its objects. */
static __always_inline int cache_is_created(const char *from, u32 bytes)
{
	struct lkst_string name;

	if (!lkst_wants_current() || !lkst_string_read(&name, &cache_name, from, LKST_STRING_MAX))
		return LKST_UNWANTED(kmem_cache_create);
	lkst_recording_string(kmem_cache_create, r, &name) {
		r->bytes = bytes;
		LKST_PUT_STRING(r->name, &name);
	}
	return 0;
}

LKST_KPROBE(__kmem_cache_create_args, const char *name, u32 bytes)
{
	return cache_is_created(name, bytes);
}

LKST_KPROBE(kmem_cache_create_usercopy, const char *name, u32 bytes)
{
	return cache_is_created(name, bytes);
}

LKST_KRETPROBE(__get_vm_area_node, struct vm_struct *area)
{
	u64 address, bytes;

	if (!lkst_wants_current())
		return LKST_UNWANTED(alloc_vmap_area);
	address = (u64)BPF_CORE_READ(area, addr);
	bytes = BPF_CORE_READ(area, size);
	lkst_recording(alloc_vmap_area, r) {
		LKST_PUT64(r->address, address);
		LKST_PUT64(r->bytes, bytes);
		r->is_failed = !area;
	}
	return 0;
}

LKST_KPROBE(vfree, u64 address)
{
	lkst_recording_if(vfree, r, lkst_wants_current())
		LKST_PUT64(r->address, address);
	return 0;
}

/* A part of the page-fault path. */
#define FAULT_PROGRAM(event)                                                                       \
	LKST_KPROBE(event, struct vm_fault *fault)                                                 \
	{                                                                                          \
		u64 address;                                                                       \
		u32 flags;                                                                         \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		address = BPF_CORE_READ(fault, address);                                           \
		flags = LKST_FAULT_FLAGS(fault);                                                   \
		lkst_recording(event, r) {                                                         \
			LKST_PUT64(r->address, address);                                           \
			r->flags = flags;                                                          \
		}                                                                                  \
		return 0;                                                                          \
	}

FAULT_PROGRAM(do_swap_page)
FAULT_PROGRAM(do_anonymous_page)
FAULT_PROGRAM(do_fault)
FAULT_PROGRAM(do_wp_page)

LKST_KPROBE(__folio_lock, struct folio *folio)
{
	lkst_recording_if(folio_lock, r, lkst_wants_current())
		LKST_PUT_PFN(r->pfn, folio);
	return 0;
}

LKST_KPROBE(folio_wait_bit, struct folio *folio, u32 bit)
{
	lkst_recording_if(folio_wait_bit, r, lkst_wants_current()) {
		LKST_PUT_PFN(r->pfn, folio);
		r->bit = bit;
	}
	return 0;
}

/* ---- block, net ---- */

LKST_KPROBE(__wait_on_buffer, struct buffer_head *buffer)
{
	u64 block;
	u32 dev;

	if (!lkst_wants_current())
		return LKST_UNWANTED(wait_on_buffer);
	block = BPF_CORE_READ(buffer, b_blocknr);
	dev = BPF_CORE_READ(buffer, b_bdev, bd_dev);
	lkst_recording(wait_on_buffer, r) {
		LKST_PUT64(r->buffer, buffer);
		LKST_PUT64(r->block, block);
		r->dev = dev;
	}
	return 0;
}

/*
 * A message on a socket, before its result is known. (sock_sendmsg() and sock_recvmsg() are inlined
 * into some of their callers.)
 */
#define MESSAGE_PROGRAM(function, event)                                                           \
	LKST_KPROBE(function, struct socket *socket, u64 message, int bytes)                       \
	{                                                                                          \
		struct sock *sk;                                                                   \
		u16 family, protocol;                                                              \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		sk = BPF_CORE_READ(socket, sk);                                                    \
		family = BPF_CORE_READ(sk, __sk_common.skc_family);                                \
		protocol = BPF_CORE_READ(sk, sk_protocol);                                         \
		lkst_recording(event, r) {                                                         \
			LKST_PUT64(r->sk, sk);                                                     \
			r->result = bytes;                                                         \
			r->family = family;                                                        \
			r->protocol = protocol;                                                    \
		}                                                                                  \
		return 0;                                                                          \
	}

MESSAGE_PROGRAM(security_socket_sendmsg, sock_send_length)
MESSAGE_PROGRAM(security_socket_recvmsg, sock_recv_length)

/* ---- ipc ---- */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ipc_ids {
	int in_use;
};
struct ipc_namespace {
	struct ipc_ids ids[3];
};
#pragma clang attribute pop

#define IPC_MSG_IDS 1 /* ipc/util.h */

LKST_KPROBE(ipcget, u64 namespace, u64 ids, struct ipc_ops *ops, struct ipc_params *params)
{
	u64 queues = namespace + bpf_core_field_offset(struct ipc_namespace, ids) +
		     IPC_MSG_IDS * bpf_core_type_size(struct ipc_ids);
	u32 key, flags, size = 0;
	u64 create;

	if (!lkst_wants_current())
		return LKST_UNWANTED(ipcget);
	create = (u64)BPF_CORE_READ(ops, getnew);
	key = BPF_CORE_READ(params, key);
	flags = BPF_CORE_READ(params, flg);
	/* A message queue has no size, and msgget(2) leaves the kernel's variable as it was. */
	if (ids != queues)
		size = BPF_CORE_READ(params, u.size);
	lkst_recording(ipcget, r) {
		LKST_PUT64(r->create, create);
		r->key = key;
		r->size = size;
		r->flags = flags;
	}
	return 0;
}

LKST_KPROBE(do_semtimedop, int semid, u64 operations, u32 nsops)
{
	lkst_recording_if(do_semtimedop, r, lkst_wants_current()) {
		r->semid = semid;
		r->nsops = nsops;
	}
	return 0;
}

LKST_KPROBE(do_msgsnd, int msqid, s64 type, u64 text, u64 bytes)
{
	lkst_recording_if(do_msgsnd, r, lkst_wants_current()) {
		r->msqid = msqid;
		r->bytes = bytes;
		LKST_PUT64(r->type, type);
	}
	return 0;
}

LKST_KPROBE(do_msgrcv, int msqid, u64 text, u64 bytes, s64 type)
{
	lkst_recording_if(do_msgrcv, r, lkst_wants_current()) {
		r->msqid = msqid;
		r->bytes = bytes;
		LKST_PUT64(r->type, type);
	}
	return 0;
}

LKST_KPROBE(do_shmat, int shmid, u64 address, u32 flags)
{
	lkst_recording_if(do_shmat, r, lkst_wants_current()) {
		r->shmid = shmid;
		LKST_PUT64(r->address, address);
		r->flags = flags;
	}
	return 0;
}

/* ---- timer ---- */

/* Two names of one function; a kernel has one of them. */
#define TIMER_DELETE_PROGRAM(function)                                                             \
	LKST_KPROBE(function, u64 timer)                                                           \
	{                                                                                          \
		lkst_recording_if(timer_delete_sync, r, lkst_wants_current())                      \
			LKST_PUT64(r->timer, timer);                                               \
		return 0;                                                                          \
	}

TIMER_DELETE_PROGRAM(timer_delete_sync)
TIMER_DELETE_PROGRAM(del_timer_sync)

/* ---- other: recorded in a restricted recording, too, since it concerns all ---- */

LKST_KPROBE(oops_enter)
{
	lkst_recording(oops, r)
		bpf_get_current_comm(r->comm, sizeof(r->comm));
	return 0;
}
