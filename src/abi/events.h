/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What events.def expands to: an index per event, a packed struct per record, and the
 * catalogue's rows as data. System calls have a table of their own (syscalls.h).
 */
#ifndef LKST_ABI_EVENTS_H
#define LKST_ABI_EVENTS_H

#include "abi/block.h"
#include "abi/types.h"

/* A string field: NUL-terminated, its bytes follow the record's fixed part. Only the last one. */
typedef struct {
	char bytes[0];
} str;

/* Numbers of 8 bytes, as many as the field before it says. Only the last one. */
typedef struct {
	u64 item[0];
} __attribute__((packed)) u64_list;

/* The index of each event in the catalogue. A trace numbers its events by itself. */
enum lkst_event_index {
#define EVENT(name, group, mnemonic, lkst_id, help) LKST_EV_##name,
#include "abi/events.def"
	LKST_NR_EVENTS,
};

/* The record of each event, head included. */
#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	struct lkst_rec_##name {                                                                   \
		struct lkst_record_head head;
#define FIELD(type, name, meaning, help) type name;
#define END                                                                                        \
	}                                                                                          \
	__attribute__((packed, aligned(4)));
#include "abi/events.def"

/* A record's size must not be rounded up by the compiler: readers take the sum of the fields. */
#define EVENT(name, group, mnemonic, lkst_id, help)                                                \
	_Static_assert(sizeof(struct lkst_rec_##name) == sizeof(struct lkst_record_head)
#define FIELD(type, name, meaning, help) +sizeof(type)
#define END , "fields must add up to a multiple of 4 bytes");
#include "abi/events.def"

/*
 * The groups, by which `lkst event list` sorts and masksets are written. The second column is the value under the
 * cost limit of events whose paragraph gives none: details of what other events show anyway are left out first, the
 * rest of what explains a delay last. Only what no maskset rules out is precious as a group: what is added to
 * any other group can be left out unless its paragraph says that it must not be.
 */
#define LKST_GROUPS(G)                                                                                  \
	G(SCHED, "sched", 70)                                                                           \
	G(SIGNAL, "signal", 70)                                                                         \
	G(IRQ, "irq", 50)                                                                               \
	G(EXCEPTION, "exception", 50)                                                                   \
	G(SYSCALL, "syscall", 25)                                                                       \
	G(MEMORY, "memory", 40)                                                                         \
	G(BLOCK, "block", 60)                                                                           \
	G(NET, "net", 40)                                                                               \
	G(IPC, "ipc", 60)                                                                               \
	G(TIMER, "timer", 20)                                                                           \
	G(WORKQUEUE, "workqueue", 30)                                                                   \
	G(POWER, "power", 20)                                                                           \
	G(LOCK, "lock", 10)                                                                             \
	G(OTHER, "other", 50)                                                                           \
	G(RECORDER, "recorder", LKST_KIND_PRECIOUS) /* what the recorder itself does */                 \
	G(TRACEPOINT, "tracepoint", 50)		    /* recorded by name, outside the catalogue */       \
	G(HANDLER, "handler", LKST_KIND_PRECIOUS)   /* declared by a user handler */                    \
	G(PROBE, "probe", 80)			    /* set by a definition: where it is, what it fetches */ \
	G(MARK, "mark", LKST_KIND_PRECIOUS)	    /* what programs say of themselves */                   \
	G(STATE, "state", LKST_KIND_PRECIOUS)	    /* how things stood: written by user space */

enum lkst_group {
#define G(id, name, value) LKST_GROUP_##id,
	LKST_GROUPS(G)
#undef G
	LKST_NR_GROUPS,
};

/* What a hook is. */
enum lkst_hook_kind {
	LKST_HOOK_TP,	     /* a BTF tracepoint: program tp_btf__<target> */
	LKST_HOOK_KPROBE,    /* the entry of a function: program kprobe__<target> */
	LKST_HOOK_KRETPROBE, /* its return: program kretprobe__<target> */
	LKST_HOOK_USER,	     /* no hook: user space writes it, or runs a program that does */
	LKST_HOOK_NONE,	     /* none is possible; `proto` says why, in one sentence */
	/* Further functions, hooked besides the row that was chosen: programs as of the plain kinds. */
	LKST_HOOK_ALSO_KPROBE,
	LKST_HOOK_ALSO_KRETPROBE,
	LKST_HOOK_ALSO_TP_TOO, /* a further tracepoint, as LKST_HOOK_TP_TOO */
	LKST_HOOK_BY_NAME, /* of no row: a tracepoint outside the catalogue */
	LKST_HOOK_PROBE,   /* of no row: where a probe was set by its definition */
	LKST_HOOK_PERF,	     /* every so often on each CPU, by a perf event: program perf_event__<target> */
	LKST_HOOK_TP_TOO,    /* a BTF tracepoint that the program of another event has, too: tp_too__<target> */
};

/*
 * What a value means. Readers print it by this; the stored type does not depend on it. The
 * second column is the base it is printed in where a reader knows no better.
 */
#define LKST_MEANINGS(M)                                                                           \
	M(DEC, 10)	  /* a plain number */                                                     \
	M(HEX, 16)	  /* a plain number, better read in hexadecimal */                         \
	M(BOOL, 10)	  /* 0 or 1 */                                                             \
	M(TEXT, 10)	  /* characters */                                                         \
	M(TID, 10)	  /* a thread */                                                           \
	M(PID, 10)	  /* a process (thread group) */                                           \
	M(CPU, 10)	  /* a CPU number, -1: none */                                             \
	M(NODE, 10)	  /* a NUMA node, -1: any */                                               \
	M(PRIO, 10)	  /* task_struct.prio: -1 deadline, 0..99 real-time, 100..139 nice -20..19 */ \
	M(TASK_STATE, 16) /* task_struct.__state bits (include/linux/sched.h) */                   \
	M(NS, 10)	  /* nanoseconds: a duration or a CLOCK_MONOTONIC time */                  \
	M(JIFFIES, 10)	  /* timer ticks since boot */                                             \
	M(BYTES, 10)	  /* a size in bytes */                                                    \
	M(PAGES, 10)	  /* a count of pages */                                                   \
	M(ORDER, 10)	  /* log2 of a number of pages */                                          \
	M(PFN, 16)	  /* a page frame number */                                                \
	M(GFP, 16)	  /* allocation flags; their bits differ between kernels */                \
	M(ADDR, 16)	  /* an address of data */                                                 \
	M(CODE, 16)	  /* an address of kernel code: a function or a place in one */            \
	M(DATA, 16)	  /* an address of data that may be a variable with a name: a lock */      \
	M(CACHE, 16)	  /* an address of a slab cache, which has a name */                       \
	M(RESULT, 10)	  /* 0 or a count, or a negative error number */                           \
	M(SIGNAL, 10)	  /* a signal number */                                                    \
	M(IRQ, 10)	  /* an interrupt number */                                                \
	M(VECTOR, 10)	  /* an interrupt vector */                                                \
	M(SOFTIRQ, 10)	  /* a softirq: 0 HI .. 9 RCU */                                           \
	M(FAULT_CODE, 16) /* x86 page-fault error code bits */                                     \
	M(DEV, 16)	  /* a device number as the kernel keeps it: major << 20 | minor */        \
	M(SECTOR, 10)	  /* a 512-byte sector */                                                  \
	M(REQ_FLAGS, 16)  /* block request operation (bits 0..7) and flags */                      \
	M(BLK_STATUS, 10) /* blk_status_t */                                                       \
	M(IFINDEX, 10)	  /* a network interface */                                                \
	M(PROTOCOL, 16)	  /* an Ethernet protocol number */                                        \
	M(IP_PROTO, 10)	  /* IPPROTO_* */                                                          \
	M(FAMILY, 10)	  /* AF_* */                                                               \
	M(TCP_STATE, 10)  /* TCP_* state, include/net/tcp_states.h */                              \
	M(PORT, 10)	  /* a port, host byte order */                                            \
	M(CLOCK, 10)	  /* a clockid_t */                                                        \
	M(TIMER_MODE, 16) /* enum hrtimer_mode */                                                  \
	M(LOCK_FLAGS, 16) /* LCB_F_*, include/trace/events/lock.h */                               \
	M(CLONE_FLAGS, 16) /* CLONE_* */                                                           \
	M(EXIT_CODE, 16)  /* as wait(2) gives it: status << 8 | signal */                          \
	M(SIGNAL_CODE, 10) /* siginfo.si_code: > 0 from the kernel, SI_* else */                   \
	M(SIGNAL_RESULT, 10) /* 0 sent, 1 ignored, 2 already pending, 3 queue full, 4 info lost */ \
	M(TRAP, 10) /* an x86 exception's number */                                                \
	M(VM_FAULT, 16) /* enum vm_fault_reason bits: what became of a page fault */               \
	M(FAULT_FLAGS, 16) /* enum fault_flag bits: what kind of fault it is */                    \
	M(MIGRATE, 10) /* enum migratetype: 0 unmovable, 1 movable, 2 reclaimable */               \
	M(UID, 10) /* a user */                                                                    \
	M(IPV4, 16) /* the last 32 bits of an IP address, host byte order */                       \
	M(TICK_DEP, 16) /* TICK_DEP_MASK_* bits: what needs the tick */                            \
	M(IDLE_STATE, 10) /* the number of an idle state; -1: none */                              \
	M(TRIP_TYPE, 10) /* enum thermal_trip_type: 0 active, 1 passive, 2 hot, 3 critical */      \
	M(PERF_COUNTER, 10) /* enum lkst_perf_counter: what a value counts */                      \
	M(DETECTOR, 10) /* enum error_detector: 0 KFENCE, 1 KASAN, 2 warning */                    \
	M(PAD, 10)	  /* no meaning */                                                         \
	M(SYSCALL, 10)	  /* a system call's number */                                             \
	M(LOSS, 10)	  /* enum lkst_loss */                                                     \
	M(BUFFER, 10)	  /* a buffer's number */                                                  \
	M(CALL, 10) /* a system call's number in the machine's own table, LKST_CALL_COMPAT: in i386's; -1: none */ \
	M(CALL_ARM64, 10) /* what CALL means there: no row has it */                               \
	M(WHERE, 10) /* enum lkst_where */                                                         \
	M(WHERE_FLAGS, 16) /* LKST_WHERE_* bits */                                                 \
	M(WAKER, 10) /* enum lkst_waker_kind */                                                    \
	M(HOLDER, 10) /* enum lkst_holder */                                                       \
	M(THREAD_FLAGS, 16) /* LKST_THREAD_*: what state_thread says of a thread */                \
	M(CGROUP, 10)	  /* a cgroup, by the inode number of its directory; 0: not known */

enum lkst_meaning {
#define M(name, base) LKST_MEANING_##name,
	LKST_MEANINGS(M)
#undef M
	LKST_NR_MEANINGS,
};

/*
 * Whether values of a meaning tell where something lies in memory: `lkst serve` hides them where they are the
 * kernel's. A field that holds such a value must have one of these.
 */
static inline int lkst_meaning_is_address(u8 meaning)
{
	return meaning == LKST_MEANING_ADDR || meaning == LKST_MEANING_CODE || meaning == LKST_MEANING_DATA ||
	       meaning == LKST_MEANING_CACHE || meaning == LKST_MEANING_PFN;
}

/* The kernel's own counters: state_counter's `kind`. */
enum lkst_counter {
	LKST_COUNTER_SWITCHES, /* /proc/stat, ctxt */
	LKST_COUNTER_FORKS,    /* /proc/stat, processes: threads, too */
	LKST_COUNTER_SOFTIRQ,  /* /proc/softirqs; number: which */
	LKST_COUNTER_IRQ,      /* /proc/interrupts, those of devices; number: which */
	LKST_COUNTER_VECTOR,   /* /proc/interrupts, enum lkst_vector_counter */
	LKST_COUNTER_DISK,     /* /proc/diskstats, requests completed; number: the disk's */
	LKST_COUNTER_SENT,     /* /proc/net/dev, packets sent by lo; number: the interface's */
	LKST_COUNTER_FAULTS,   /* /proc/vmstat, pgfault */
	LKST_COUNTER_SENT_BY,  /* as LKST_COUNTER_SENT, of all other interfaces */
	LKST_COUNTER_MAJOR,    /* /proc/vmstat, pgmajfault */
	LKST_NR_COUNTERS,
	/* How often thread `number` was switched away from. 0: threads left out; or in `name` why none is compared */
	LKST_COUNTER_THREAD = 16,
};

enum lkst_vector_counter {
	LKST_VECTOR_TIMER,	/* LOC */
	LKST_VECTOR_RESCHEDULE, /* RES */
	LKST_VECTOR_CALL,	/* CAL */
	LKST_NR_VECTORS,
};

/* How a trace or part ended: state_end's `how`. */
enum lkst_ending {
	LKST_ENDING_COMPLETE,
	LKST_ENDING_DISK_FULL,
	LKST_ENDING_KERNEL,  /* it was taken out of a dump of the kernel's memory */
	LKST_ENDING_UNKNOWN, /* it was cut from a trace that has no end */
	LKST_ENDING_GOES_ON, /* it is a part, and the recording goes on in the next one */
	LKST_NR_ENDINGS,
};

/* Where a thread is that leaves its CPU, or is listed, by the registers with which it entered the kernel. */
enum lkst_where {
	LKST_WHERE_UNKNOWN,
	LKST_WHERE_CALL,   /* in a system call */
	LKST_WHERE_NONE,   /* in none: in a fault or an interrupt, or on its way back from a signal's handler */
	LKST_WHERE_KERNEL, /* it is a thread of the kernel's, which never returns to a program */
	LKST_WHERE_USER,    /* in its program: only of a thread that runs */
	LKST_WHERE_SOFTIRQ, /* a softirq is served, be it this thread's doing or not: only of a thread that runs */
	LKST_NR_WHERES,
};
extern const char *const lkst_where_names[];

/* Bits of their flags. */
enum {
	/*
	 * It may have left the call, and be on its way back to the program: it exits, takes a signal, is stopped,
	 * or waits for what it put off until then.
	 */
	LKST_WHERE_BEHIND = 1,
	LKST_WHERE_IO = 2,	  /* it waits for I/O: in_iowait */
	LKST_WHERE_MEMORY = 4,	  /* it waits for memory: in_memstall, where the kernel keeps pressure (PSI) */
	LKST_WHERE_THROTTLED = 8, /* it could run, but its cgroup has used up its quota */
};

/* What wakes a thread. */
enum lkst_waker_kind {
	LKST_WAKER_UNKNOWN,
	LKST_WAKER_THREAD,
	LKST_WAKER_SOFTIRQ,
	LKST_WAKER_INTERRUPT,
	LKST_NR_WAKERS,
};
extern const char *const lkst_waker_names[];

/* What the thread is to the lock that a record names as its holder, when the wait for it began. */
enum lkst_holder {
	LKST_HOLDER_UNKNOWN, /* no thread is named */
	LKST_HOLDER_OWNER,   /* it had the lock */
	LKST_HOLDER_READER,  /* threads read: it was the last that began to, and may have given the lock back */
	LKST_HOLDER_TAKER,   /* it was the last that took the semaphore, which has no owner */
	LKST_NR_HOLDERS,
};
extern const char *const lkst_holder_names[];

/* This bit of a call's number says that it is a 32-bit program's, of i386's table. */
enum { LKST_CALL_COMPAT = 0x1000 };

enum { LKST_PRIO_UNKNOWN = -32768 }; /* state_thread's prio: nobody knows it */

/* Bits of state_thread's flags. */
enum {
	LKST_THREAD_KERNEL = 1, /* a kernel thread */
	LKST_THREAD_COMPAT = 2, /* a 32-bit program */
};

/* Bits of a stack's flags. */
enum {
	LKST_STACK_USER = 1, /* of the program; else of the kernel */
	LKST_STACK_CUT =
		2, /* deeper than what the kernel gives: the outermost functions are missing */
	LKST_STACK_FRAMES =
		127, /* most frames of a stack; fewer where kernel.perf_event_max_stack is lower */
};

/* The stored form of a field. */
enum lkst_field_type {
	LKST_TYPE_UINT,	   /* 1, 2, 4 or 8 bytes */
	LKST_TYPE_SINT,	   /* the same, signed */
	LKST_TYPE_CHARS,   /* a fixed number of characters, NUL-padded */
	LKST_TYPE_STRING,  /* characters up to a NUL; the last field, or one of the last two */
	LKST_TYPE_WORDS,   /* unsigned integers of 8 bytes; how many, the field before says; the last field */
};

struct lkst_field_desc {
	const char *name;
	u8 type;    /* enum lkst_field_type */
	u8 size;    /* bytes; 0 for a string */
	u8 meaning; /* enum lkst_meaning */
	const char *help;
};

struct lkst_hook_desc {
	u8 kind;	    /* enum lkst_hook_kind */
	const char *target; /* tracepoint or function; the program is <kind>__<target> */
	const char *proto;  /* argument types the program reads; LKST_HOOK_NONE: the reason */
};

/* Which masksets have an event. */
enum lkst_recorded {
	LKST_RECORDED_USUALLY,	  /* RDEFAULT, RALL, and those that name it */
	LKST_RECORDED_ALWAYS,	  /* every one */
	LKST_RECORDED_ON_REQUEST, /* RALL, and those that name it */
	LKST_RECORDED_BY_OPTION,  /* none; if recording was begun with its option, every one but RNOTHING */
};

/* By what the record that begins an interval and the one that ends it belong together. */
enum lkst_ends_by {
	LKST_ENDS_NOTHING,
	LKST_ENDS_BY_THREAD,
	LKST_ENDS_BY_CPU,
	LKST_ENDS_BY_FIELD,
	LKST_ENDS_BY_PARTS, /* a field; the interval goes on after its first end */
};

/* One paragraph of events.def. */
struct lkst_event_desc {
	const char *name;
	u8 group;	      /* enum lkst_group */
	const char *mnemonic; /* LKST's name for it, NULL: it had none */
	u16 lkst_id;	      /* LKST's number for it, 0: not known */
	const char *help;
	const struct lkst_hook_desc *hooks; /* in order of preference */
	u8 nr_hooks;
	const struct lkst_field_desc *fields;
	u8 nr_fields;
	u16 size;     /* of the record's fixed part, head included */
	u8 value;     /* its own, 0: it has none; lkst_event_value() */
	u8 buffer;    /* where its records go if nobody says otherwise */
	u8 recorded;  /* enum lkst_recorded */
	u16 entry;    /* the first half of its pair, enum lkst_event_index plus 1; 0: it is not a second half */
	u8 ends_by;   /* enum lkst_ends_by */
	u16 begin;    /* what it ends begins with this enum lkst_event_index plus 1; 0: it ends nothing */
	const char *key; /* of LKST_ENDS_BY_FIELD and _PARTS: the field, in both events */
	u8 is_for_why;	 /* `lkst why` keeps its records */
	const char *target; /* then: the field with the other thread that they are about, "": there is none */
};

/* The catalogue, by enum lkst_event_index (abi/events.c; user space only). */
extern const struct lkst_event_desc lkst_events[];
extern const char *const lkst_group_names[];
extern const u8 lkst_group_values[];
extern const char *const lkst_loss_names[];

/* What the event is worth under the cost limit, LKST_KIND_PRECIOUS: it is never left out (abi/events.c). */
u8 lkst_event_value(enum lkst_event_index index);

/* The kernel's softirqs by number, enum in include/linux/interrupt.h. */
enum { LKST_NR_SOFTIRQS = 10 };
extern const char *const lkst_softirq_names[];

/* By enum lkst_meaning, in capitals. */
extern const char *const lkst_meaning_names[];
/* Base (10 or 16) in which values of a meaning are printed. */
extern const u8 lkst_meaning_base[];

#endif
