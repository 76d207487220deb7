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

SEC("kprobe/kthread_create_on_node")
int BPF_KPROBE(kprobe__kthread_create_on_node, u64 function, u64 data, int node)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(kthread_create_on_node);
	LKST_RECORD(kthread_create_on_node, r);
	if (!r)
		return 0;
	LKST_PUT64(r->function, function);
	LKST_PUT64(r->data, data);
	r->node = node;
	LKST_COMMIT(kthread_create_on_node);
	return 0;
}

SEC("kprobe/__init_waitqueue_head")
int BPF_KPROBE(kprobe____init_waitqueue_head, u64 queue)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(init_waitqueue_head);
	LKST_RECORD(init_waitqueue_head, r);
	if (!r)
		return 0;
	LKST_PUT64(r->queue, queue);
	LKST_COMMIT(init_waitqueue_head);
	return 0;
}

/* A waiter comes to or leaves a wait queue. */
#define WAITER_PROGRAM(event)                                                                      \
	SEC("kprobe/" #event)                                                                      \
	int BPF_KPROBE(kprobe__##event, u64 queue, u64 waiter)                                     \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->queue, queue);                                                       \
		LKST_PUT64(r->waiter, waiter);                                                     \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

WAITER_PROGRAM(add_wait_queue)
WAITER_PROGRAM(remove_wait_queue)
WAITER_PROGRAM(finish_wait)

/* This thread comes to a wait queue, about to sleep in a state. */
#define SLEEPER_PROGRAM(event)                                                                     \
	SEC("kprobe/" #event)                                                                      \
	int BPF_KPROBE(kprobe__##event, u64 queue, u64 waiter, u32 state)                          \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->queue, queue);                                                       \
		LKST_PUT64(r->waiter, waiter);                                                     \
		r->state = state;                                                                  \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

SLEEPER_PROGRAM(prepare_to_wait)
SLEEPER_PROGRAM(prepare_to_wait_exclusive)
SLEEPER_PROGRAM(prepare_to_wait_event)

/* ---- irq, exception ---- */

SEC("kprobe/tasklet_hi_action")
int BPF_KPROBE(kprobe__tasklet_hi_action)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(tasklet_hi_entry);
	LKST_RECORD(tasklet_hi_entry, r);
	if (!r)
		return 0;
	LKST_COMMIT(tasklet_hi_entry);
	return 0;
}

enum {
	/* arch/x86/include/asm/trap_pf.h, by which the record tells on every machine */
	PF_WRITE = 2,
	PF_USER = 4,
	PF_INSTRUCTION = 16,
};

/* Bit @bit if handle_mm_fault()'s flag called @name is set. */
#define FAULT_BIT(flags, name, bit) ((flags)&bpf_core_enum_value(enum fault_flag, name) ? (bit) : 0)

#define FAULT_BEGINS(event, regs, address, code)                                                   \
	do {                                                                                       \
		u64 ip = PT_REGS_IP_CORE(regs);                                                    \
                                                                                                   \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->address, address);                                                   \
		LKST_PUT64(r->ip, ip);                                                             \
		r->error_code = code;                                                              \
		LKST_COMMIT(event);                                                                \
	} while (0)

/*
 * Where page faults have no tracepoint. One at an address where nothing is mapped does not come here;
 * what comes without registers is no fault (get_user_pages()), and one that has waited for its page
 * comes again.
 */
SEC("kprobe/handle_mm_fault")
int BPF_KPROBE(kprobe__handle_mm_fault, u64 area, u64 address, u32 flags, struct pt_regs *regs)
{
	u32 code = FAULT_BIT(flags, FAULT_FLAG_WRITE, PF_WRITE) |
		   FAULT_BIT(flags, FAULT_FLAG_USER, PF_USER) |
		   FAULT_BIT(flags, FAULT_FLAG_INSTRUCTION, PF_INSTRUCTION);

	if (!regs || FAULT_BIT(flags, FAULT_FLAG_TRIED, 1) || !lkst_wants_current())
		return LKST_UNWANTED(page_fault_user);
	if (code & PF_USER)
		FAULT_BEGINS(page_fault_user, regs, address, code);
	else
		FAULT_BEGINS(page_fault_kernel, regs, address, code);
	return 0;
}

SEC("kretprobe/handle_mm_fault")
int BPF_KRETPROBE(kretprobe__handle_mm_fault, u32 result)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(page_fault_exit);
	LKST_RECORD(page_fault_exit, r);
	if (!r)
		return 0;
	r->result = result;
	LKST_COMMIT(page_fault_exit);
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

SEC("kprobe/do_error_trap")
int BPF_KPROBE(kprobe__do_error_trap, struct pt_regs___trap *regs, u64 error_code, u64 text,
	       u64 trap, u32 signal)
{
	u64 ip;

	if (!lkst_wants_current())
		return LKST_UNWANTED(trap_entry);
	ip = BPF_CORE_READ(regs, ip);
	LKST_RECORD(trap_entry, r);
	if (!r)
		return 0;
	LKST_PUT64(r->ip, ip);
	r->error_code = error_code;
	r->trap = trap;
	r->signal = signal;
	LKST_COMMIT(trap_entry);
	return 0;
}

SEC("kprobe/math_error")
int BPF_KPROBE(kprobe__math_error, struct pt_regs___trap *regs, u32 trap)
{
	u64 ip;

	if (!lkst_wants_current())
		return LKST_UNWANTED(trap_entry);
	ip = BPF_CORE_READ(regs, ip);
	LKST_RECORD(trap_entry, r);
	if (!r)
		return 0;
	LKST_PUT64(r->ip, ip);
	r->error_code = 0;
	r->trap = trap;
	r->signal = SIGFPE;
	LKST_COMMIT(trap_entry);
	return 0;
}

/* The function does not return a trap's number, but the kernel keeps it if it was a program's. */
#define TRAP_EXIT_PROGRAM(function)                                                                \
	SEC("kretprobe/" #function)                                                                \
	int BPF_KRETPROBE(kretprobe__##function)                                                   \
	{                                                                                          \
		struct task_struct *task = (void *)bpf_get_current_task();                         \
		u32 trap;                                                                          \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(trap_exit);                                           \
		trap = BPF_CORE_READ(task, thread.trap_nr);                                        \
		LKST_RECORD(trap_exit, r);                                                         \
		if (!r)                                                                            \
			return 0;                                                                  \
		r->trap = trap;                                                                    \
		LKST_COMMIT(trap_exit);                                                            \
		return 0;                                                                          \
	}

TRAP_EXIT_PROGRAM(do_error_trap)
TRAP_EXIT_PROGRAM(math_error)

/* ---- memory ---- */

LKST_STRING_SCRATCH(cache_name);

/* A function whose first arguments are a cache's name and the size of its objects. */
static __always_inline int cache_is_created(const char *from, u32 bytes)
{
	struct lkst_rec_kmem_cache_create *r;
	struct lkst_string name;
	struct lkst_slot slot;

	if (!lkst_wants_current() || !lkst_string_read(&name, &cache_name, from, LKST_STRING_MAX))
		return LKST_UNWANTED(kmem_cache_create);
	r = LKST_BEGIN_STRING(kmem_cache_create, &slot, &name);
	if (!r)
		return 0;
	r->bytes = bytes;
	lkst_string_put(r->name.bytes, &slot, &name);
	lkst_commit(&slot, lkst_cfg.id[LKST_EV_kmem_cache_create]);
	return 0;
}

SEC("kprobe/__kmem_cache_create_args")
int BPF_KPROBE(kprobe____kmem_cache_create_args, const char *name, u32 bytes)
{
	return cache_is_created(name, bytes);
}

SEC("kprobe/kmem_cache_create_usercopy")
int BPF_KPROBE(kprobe__kmem_cache_create_usercopy, const char *name, u32 bytes)
{
	return cache_is_created(name, bytes);
}

SEC("kretprobe/__get_vm_area_node")
int BPF_KRETPROBE(kretprobe____get_vm_area_node, struct vm_struct *area)
{
	u64 address, bytes;

	if (!lkst_wants_current())
		return LKST_UNWANTED(alloc_vmap_area);
	address = (u64)BPF_CORE_READ(area, addr);
	bytes = BPF_CORE_READ(area, size);
	LKST_RECORD(alloc_vmap_area, r);
	if (!r)
		return 0;
	LKST_PUT64(r->address, address);
	LKST_PUT64(r->bytes, bytes);
	r->is_failed = !area;
	LKST_COMMIT(alloc_vmap_area);
	return 0;
}

SEC("kprobe/vfree")
int BPF_KPROBE(kprobe__vfree, u64 address)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(vfree);
	LKST_RECORD(vfree, r);
	if (!r)
		return 0;
	LKST_PUT64(r->address, address);
	LKST_COMMIT(vfree);
	return 0;
}

/* A part of the page-fault path. */
#define FAULT_PROGRAM(event)                                                                       \
	SEC("kprobe/" #event)                                                                      \
	int BPF_KPROBE(kprobe__##event, struct vm_fault *fault)                                    \
	{                                                                                          \
		u64 address;                                                                       \
		u32 flags;                                                                         \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		address = BPF_CORE_READ(fault, address);                                           \
		flags = BPF_CORE_READ(fault, flags);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->address, address);                                                   \
		r->flags = flags;                                                                  \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

FAULT_PROGRAM(do_swap_page)
FAULT_PROGRAM(do_anonymous_page)
FAULT_PROGRAM(do_fault)
FAULT_PROGRAM(do_wp_page)

SEC("kprobe/__folio_lock")
int BPF_KPROBE(kprobe____folio_lock, struct folio *folio)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(folio_lock);
	LKST_RECORD(folio_lock, r);
	if (!r)
		return 0;
	LKST_PUT_PFN(r->pfn, folio);
	LKST_COMMIT(folio_lock);
	return 0;
}

SEC("kprobe/folio_wait_bit")
int BPF_KPROBE(kprobe__folio_wait_bit, struct folio *folio, u32 bit)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(folio_wait_bit);
	LKST_RECORD(folio_wait_bit, r);
	if (!r)
		return 0;
	LKST_PUT_PFN(r->pfn, folio);
	r->bit = bit;
	LKST_COMMIT(folio_wait_bit);
	return 0;
}

/* ---- block, net ---- */

SEC("kprobe/__wait_on_buffer")
int BPF_KPROBE(kprobe____wait_on_buffer, struct buffer_head *buffer)
{
	u64 block;
	u32 dev;

	if (!lkst_wants_current())
		return LKST_UNWANTED(wait_on_buffer);
	block = BPF_CORE_READ(buffer, b_blocknr);
	dev = BPF_CORE_READ(buffer, b_bdev, bd_dev);
	LKST_RECORD(wait_on_buffer, r);
	if (!r)
		return 0;
	LKST_PUT64(r->buffer, buffer);
	LKST_PUT64(r->block, block);
	r->dev = dev;
	LKST_COMMIT(wait_on_buffer);
	return 0;
}

/*
 * A message on a socket, before anything is known of its fate. (sock_sendmsg() and sock_recvmsg()
 * are built into some of their callers.)
 */
#define MESSAGE_PROGRAM(function, event)                                                           \
	SEC("kprobe/" #function)                                                                   \
	int BPF_KPROBE(kprobe__##function, struct socket *socket, u64 message, int bytes)          \
	{                                                                                          \
		struct sock *sk;                                                                   \
		u16 family, protocol;                                                              \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		sk = BPF_CORE_READ(socket, sk);                                                    \
		family = BPF_CORE_READ(sk, __sk_common.skc_family);                                \
		protocol = BPF_CORE_READ(sk, sk_protocol);                                         \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->sk, sk);                                                             \
		r->result = bytes;                                                                 \
		r->family = family;                                                                \
		r->protocol = protocol;                                                            \
		LKST_COMMIT(event);                                                                \
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

SEC("kprobe/ipcget")
int BPF_KPROBE(kprobe__ipcget, u64 namespace, u64 ids, struct ipc_ops *ops,
	       struct ipc_params *params)
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
	LKST_RECORD(ipcget, r);
	if (!r)
		return 0;
	LKST_PUT64(r->create, create);
	r->key = key;
	r->size = size;
	r->flags = flags;
	LKST_COMMIT(ipcget);
	return 0;
}

SEC("kprobe/do_semtimedop")
int BPF_KPROBE(kprobe__do_semtimedop, int semid, u64 operations, u32 nsops)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(do_semtimedop);
	LKST_RECORD(do_semtimedop, r);
	if (!r)
		return 0;
	r->semid = semid;
	r->nsops = nsops;
	LKST_COMMIT(do_semtimedop);
	return 0;
}

SEC("kprobe/do_msgsnd")
int BPF_KPROBE(kprobe__do_msgsnd, int msqid, s64 type, u64 text, u64 bytes)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(do_msgsnd);
	LKST_RECORD(do_msgsnd, r);
	if (!r)
		return 0;
	r->msqid = msqid;
	r->bytes = bytes;
	LKST_PUT64(r->type, type);
	LKST_COMMIT(do_msgsnd);
	return 0;
}

SEC("kprobe/do_msgrcv")
int BPF_KPROBE(kprobe__do_msgrcv, int msqid, u64 text, u64 bytes, s64 type)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(do_msgrcv);
	LKST_RECORD(do_msgrcv, r);
	if (!r)
		return 0;
	r->msqid = msqid;
	r->bytes = bytes;
	LKST_PUT64(r->type, type);
	LKST_COMMIT(do_msgrcv);
	return 0;
}

SEC("kprobe/do_shmat")
int BPF_KPROBE(kprobe__do_shmat, int shmid, u64 address, u32 flags)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(do_shmat);
	LKST_RECORD(do_shmat, r);
	if (!r)
		return 0;
	r->shmid = shmid;
	LKST_PUT64(r->address, address);
	r->flags = flags;
	LKST_COMMIT(do_shmat);
	return 0;
}

/* ---- timer ---- */

/* Two names of one function; a kernel has one of them. */
#define TIMER_DELETE_PROGRAM(function)                                                             \
	SEC("kprobe/" #function)                                                                   \
	int BPF_KPROBE(kprobe__##function, u64 timer)                                              \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(timer_delete_sync);                                   \
		LKST_RECORD(timer_delete_sync, r);                                                 \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->timer, timer);                                                       \
		LKST_COMMIT(timer_delete_sync);                                                    \
		return 0;                                                                          \
	}

TIMER_DELETE_PROGRAM(timer_delete_sync)
TIMER_DELETE_PROGRAM(del_timer_sync)

/* ---- other: recorded whomever the recording is restricted to, for it concerns all ---- */

SEC("kprobe/oops_enter")
int BPF_KPROBE(kprobe__oops_enter)
{
	LKST_RECORD(oops, r);
	if (!r)
		return 0;
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	LKST_COMMIT(oops);
	return 0;
}
