/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The system calls, by number and by name, and what each argument and result means. syscalls.def
 * has the rows; a row's events are called syscall_entry_<name> and syscall_exit_<name>, those of
 * 32-bit callers compat_syscall_entry_<name> and compat_syscall_exit_<name>.
 *
 * An entry record holds the arguments in order, each in 4 or 8 bytes, then for each argument
 * whose meaning is `path` its string, NUL-terminated, as field <argument>_str. An exit record
 * holds `ret` (s64), then the same string fields: filled where entry could not read them, else
 * empty.
 */
#ifndef LKST_ABI_SYSCALLS_H
#define LKST_ABI_SYSCALLS_H

#include "abi/types.h"

/*
 * What an argument or result means, and so how it is stored and printed.
 *
 *   word       the first word of an argument in syscalls.def
 *   bytes      stored size; 0: the width of the caller's register, 8 or, in a compat call, 4
 *   is_signed  how it is widened
 *   base       in which a reader that knows no better prints it
 */
#define LKST_SYS_MEANINGS(M)                                                                       \
	M(none, 0, 0, 10)	   /* no argument: row 0 is "not known" */                         \
	/* plain numbers */                                                                        \
	M(int, 4, 1, 10)                                                                           \
	M(uint, 4, 0, 10)                                                                          \
	M(hex, 4, 0, 16)	   /* 32 bits that are not a count */                              \
	M(long, 0, 1, 10)                                                                          \
	M(ulong, 0, 0, 10)                                                                         \
	M(hexlong, 0, 0, 16)	   /* a register that is not a count */                            \
	M(size, 0, 0, 10)	   /* bytes or elements */                                         \
	M(off, 0, 1, 10)	   /* a file position or length */                                 \
	/* addresses */                                                                            \
	M(ptr, 0, 0, 16)                                                                           \
	M(path, 0, 0, 16)	   /* points to a string that is recorded too */                   \
	/* things with a number */                                                                 \
	M(fd, 4, 1, 10)                                                                            \
	M(atfd, 4, 1, 10)	   /* a directory's descriptor, or AT_FDCWD */                     \
	M(pid, 4, 1, 10)	   /* a process, thread or group */                                \
	M(uid, 4, 0, 10)	   /* 0xffffffff: -1, leave it */                                  \
	M(gid, 4, 0, 10)                                                                           \
	M(uid16, 4, 0, 10)	   /* i386's old 16-bit form: 0xffff is -1 */                      \
	M(gid16, 4, 0, 10)                                                                         \
	M(dev, 4, 0, 16)	   /* a device, as stat(2) numbers it */                           \
	M(signal, 4, 1, 10)                                                                        \
	M(ipc_key, 4, 1, 16)	   /* 0 is IPC_PRIVATE */                                          \
	M(timeout_ms, 4, 1, 10)	   /* -1: forever */                                               \
	/* files */                                                                                \
	M(mode, 4, 0, 16)	   /* permission bits */                                           \
	M(file_mode, 4, 0, 16)   /* file type and permission bits */                               \
	M(open_flags, 4, 0, 16)                                                                    \
	M(open_flags_arm64, 4, 0, 16) /* what open_flags means there: no row has it */            \
	M(access_mode, 4, 0, 16)                                                                   \
	M(at_flags, 4, 0, 16)                                                                      \
	M(faccessat_flags, 4, 0, 16)                                                               \
	M(handle_flags, 4, 0, 16)  /* name_to_handle_at */                                         \
	M(rename_flags, 4, 0, 16)                                                                  \
	M(statx_flags, 4, 0, 16)                                                                   \
	M(statx_mask, 4, 0, 16)                                                                    \
	M(xattr_flags, 4, 0, 16)                                                                   \
	M(fallocate_mode, 4, 0, 16)                                                                \
	M(fadvice, 4, 1, 10)                                                                       \
	M(sync_range_flags, 4, 0, 16)                                                              \
	M(splice_flags, 4, 0, 16)                                                                  \
	M(rw_flags, 4, 0, 16)	   /* preadv2, pwritev2 */                                         \
	M(whence, 4, 0, 10)                                                                        \
	M(fcntl_cmd, 4, 0, 10)                                                                     \
	M(flock_op, 4, 0, 10)                                                                      \
	M(ioctl_cmd, 4, 0, 16)                                                                     \
	M(pipe_flags, 4, 0, 16)	   /* pipe2, dup3 */                                               \
	M(close_range_flags, 4, 0, 16)                                                             \
	M(umount_flags, 4, 0, 16)                                                                  \
	M(mount_flags, 0, 0, 16)                                                                   \
	M(open_tree_flags, 4, 0, 16)                                                               \
	M(move_mount_flags, 4, 0, 16)                                                              \
	M(fsopen_flags, 4, 0, 16)                                                                  \
	M(fsconfig_cmd, 4, 0, 10)                                                                  \
	M(fsmount_flags, 4, 0, 16)                                                                 \
	M(mount_attrs, 4, 0, 16)                                                                   \
	M(fspick_flags, 4, 0, 16)                                                                  \
	M(mount_setattr_flags, 4, 0, 16)                                                           \
	M(listmount_flags, 4, 0, 16)                                                               \
	M(swap_flags, 4, 0, 16)                                                                    \
	M(quota_cmd, 4, 0, 16)                                                                     \
	M(inotify_flags, 4, 0, 16)                                                                 \
	M(inotify_mask, 4, 0, 16)                                                                  \
	M(fanotify_init_flags, 4, 0, 16)                                                           \
	M(fanotify_mark_flags, 4, 0, 16)                                                           \
	M(fanotify_mask, 8, 0, 16)                                                                 \
	/* waiting for files */                                                                    \
	M(epoll_op, 4, 1, 10)                                                                      \
	M(epoll_flags, 4, 0, 16)                                                                   \
	M(eventfd_flags, 4, 0, 16)                                                                 \
	M(signalfd_flags, 4, 0, 16)                                                                \
	M(timerfd_flags, 4, 0, 16)                                                                 \
	M(timerfd_set_flags, 4, 0, 16)                                                             \
	M(userfaultfd_flags, 4, 0, 16)                                                             \
	/* memory */                                                                               \
	M(prot, 0, 0, 16)                                                                          \
	M(map_flags, 0, 0, 16)                                                                     \
	M(msync_flags, 4, 0, 16)                                                                   \
	M(madvice, 4, 1, 10)                                                                       \
	M(mremap_flags, 0, 0, 16)                                                                  \
	M(mlock_flags, 4, 0, 16)                                                                   \
	M(mlockall_flags, 4, 0, 16)                                                                \
	M(pkey_rights, 0, 0, 16)                                                                   \
	M(memfd_flags, 4, 0, 16)                                                                   \
	M(secret_flags, 4, 0, 16)  /* memfd_secret */                                              \
	M(mpol_mode, 4, 0, 16)                                                                     \
	M(mbind_flags, 4, 0, 16)                                                                   \
	M(get_mempolicy_flags, 0, 0, 16)                                                           \
	M(shadow_stack_flags, 4, 0, 16)                                                            \
	/* processes */                                                                            \
	M(clone_flags, 0, 0, 16)   /* with the exit signal in the low byte */                      \
	M(unshare_flags, 0, 0, 16)                                                                 \
	M(wait_options, 4, 0, 16)                                                                  \
	M(wait_which, 4, 1, 10)	   /* P_PID ... */                                                 \
	M(sigmask_how, 4, 1, 10)                                                                   \
	M(rlimit, 4, 0, 10)	   /* a resource */                                                \
	M(rusage_who, 4, 1, 10)                                                                    \
	M(priority_which, 4, 1, 10)                                                                \
	M(ioprio_which, 4, 1, 10)                                                                  \
	M(ioprio, 4, 0, 16)                                                                        \
	M(sched_policy, 4, 0, 10)                                                                  \
	M(prctl_op, 4, 1, 10)                                                                      \
	M(arch_prctl_op, 4, 0, 16)                                                                 \
	M(ptrace_op, 0, 1, 10)                                                                     \
	M(seccomp_op, 4, 0, 10)                                                                    \
	M(seccomp_flags, 4, 0, 16)                                                                 \
	M(personality, 4, 0, 16)                                                                   \
	M(pidfd_flags, 4, 0, 16)                                                                   \
	M(pidfd_signal_flags, 4, 0, 16)                                                            \
	M(kcmp_type, 4, 1, 10)                                                                     \
	M(membarrier_cmd, 4, 0, 16)                                                                \
	M(membarrier_flags, 4, 0, 16)                                                              \
	M(rseq_flags, 4, 0, 16)                                                                    \
	/* time */                                                                                 \
	M(clockid, 4, 1, 10)                                                                       \
	M(timer_flags, 4, 0, 16)   /* timer_settime, clock_nanosleep */                            \
	M(itimer_which, 4, 1, 10)                                                                  \
	/* futexes */                                                                              \
	M(futex_op, 4, 0, 10)                                                                      \
	M(futex_val3, 4, 0, 16)	   /* a bit mask, a second operation or a value, by the operation */ \
	M(futex2_flags, 4, 0, 16)  /* futex_wait, futex_wake, futex_requeue */                     \
	/* the network */                                                                          \
	M(socket_family, 4, 1, 10)                                                                 \
	M(socket_type, 4, 0, 10)                                                                   \
	M(socket_protocol, 4, 1, 10) /* as for AF_INET, by far the most frequent to have one */    \
	M(accept_flags, 4, 0, 16)                                                                  \
	M(msg_flags, 4, 0, 16)                                                                     \
	M(shutdown_how, 4, 1, 10)                                                                  \
	M(sockopt_level, 4, 1, 10)                                                                 \
	M(socketcall_op, 4, 1, 10)                                                                 \
	/* System V IPC, POSIX message queues, keys */                                             \
	M(ipc_op, 4, 0, 10)	   /* i386's one call for all of it */                             \
	M(ipc_get_flags, 4, 0, 16) /* IPC_CREAT ... and permission bits */                         \
	M(shmget_flags, 4, 0, 16)                                                                  \
	M(shmat_flags, 4, 0, 16)                                                                   \
	M(msg_queue_flags, 4, 0, 16) /* msgsnd, msgrcv */                                          \
	M(shmctl_cmd, 4, 0, 10)                                                                    \
	M(semctl_cmd, 4, 0, 10)                                                                    \
	M(msgctl_cmd, 4, 0, 10)                                                                    \
	M(keyctl_op, 4, 1, 10)                                                                     \
	M(keyring, 4, 1, 10)	   /* a key's serial number, or KEY_SPEC_* */                      \
	/* the rest */                                                                             \
	M(bpf_cmd, 4, 1, 10)                                                                       \
	M(perf_flags, 0, 0, 16)                                                                    \
	M(uring_enter_flags, 4, 0, 16)                                                             \
	M(uring_register_op, 4, 0, 10)                                                             \
	M(landlock_rule, 4, 0, 10)                                                                 \
	M(landlock_create_flags, 4, 0, 16)                                                         \
	M(landlock_restrict_flags, 4, 0, 16)                                                       \
	M(lsm_attr, 4, 0, 10)                                                                      \
	M(lsm_flags, 4, 0, 16)                                                                     \
	M(random_flags, 4, 0, 16)                                                                  \
	M(module_init_flags, 4, 0, 16)                                                             \
	M(module_delete_flags, 4, 0, 16)                                                           \
	M(kexec_flags, 0, 0, 16)                                                                   \
	M(kexec_file_flags, 0, 0, 16)                                                              \
	M(reboot_magic1, 4, 0, 16)                                                                 \
	M(reboot_magic2, 4, 0, 10)                                                                 \
	M(reboot_cmd, 4, 0, 16)                                                                    \
	M(syslog_action, 4, 1, 10)                                                                 \
	M(modify_ldt_func, 4, 1, 10)                                                               \
	M(sysfs_op, 4, 1, 10)                                                                      \
	/* results: each may also be an error, -4095..-1, except where it says never */            \
	M(ret, 8, 1, 10)	   /* 0 or a count */                                              \
	M(retptr, 8, 0, 16)	   /* an address */                                                \
	M(rethex, 8, 0, 16)	   /* flags */                                                     \
	M(retmode, 8, 0, 16)	   /* permission bits */                                           \
	M(retfd, 8, 1, 10)                                                                         \
	M(retpid, 8, 1, 10)                                                                        \
	M(retuid, 8, 1, 10)	   /* a user or group; never an error */                           \
	M(retreg, 8, 1, 16)	   /* what a register held, whatever it means; never an error */   \
	M(retvoid, 8, 1, 10)	   /* the call does not return */

enum lkst_sys_meaning {
#define M(word, bytes, is_signed, base) LKST_SYS_##word,
	LKST_SYS_MEANINGS(M)
#undef M
	LKST_NR_SYS_MEANINGS,
};

struct lkst_sys_meaning_desc {
	const char *word;
	u8 bytes;
	bool is_signed;
	u8 base; /* 10 or 16 */
};

/* By enum lkst_sys_meaning. */
extern const struct lkst_sys_meaning_desc lkst_sys_meanings[];

/*
 * What a call may wait for, for long.
 *
 *   word      the word in syscalls.def; calls of file, socket and sync have the descriptor as their first argument
 *   receives  it takes what others send: it sleeps, interruptibly, until they do
 */
#define LKST_SYS_WAITS(W)                                                                          \
	W(none, 0)                                                                                 \
	W(file, 0)	/* a file, pipe or device */                                               \
	W(file_in, 1)                                                                              \
	W(socket, 0)                                                                               \
	W(socket_in, 1)                                                                            \
	W(poll, 0)	/* one of several descriptors, or events of them */                        \
	W(sleep, 0)	/* a time */                                                               \
	W(futex, 0)                                                                                \
	W(child, 0)	/* a process */                                                            \
	W(signal, 0)                                                                               \
	W(ipc, 0)	/* System V IPC, a POSIX message queue, a lock of a file */                \
	W(ipc_in, 1)                                                                               \
	W(sync, 0)	/* data to reach a disk */

enum lkst_sys_wait {
#define W(word, receives) LKST_SYS_WAIT_##word,
	LKST_SYS_WAITS(W)
#undef W
	LKST_NR_SYS_WAITS,
};

struct lkst_sys_wait_desc {
	const char *word;
	bool receives;
};

/* By enum lkst_sys_wait. */
extern const struct lkst_sys_wait_desc lkst_sys_waits[];

enum {
	LKST_SYSCALL_ARGS_MAX = 6,
	LKST_SYSCALL_STRINGS_MAX = 2, /* arguments of one call whose string is recorded */
	LKST_SYSCALL_ARG_NAME = 24,   /* with its NUL */
	LKST_SYSCALL_COMMON = 424,    /* from here on numbers are those of all architectures */
};

struct lkst_syscall {
	u16 nr;
	bool is_compat; /* of i386's table: a 32-bit caller's */
	const char *name;
	u8 result;	       /* enum lkst_sys_meaning */
	u8 waits;	       /* enum lkst_sys_wait */
	const char *signature; /* "fd fd, ptr buf, size count"; lkst_syscall_args() reads it */
};

/* First x86-64's by number, then i386's by number. */
extern const struct lkst_syscall lkst_syscalls[];
extern const unsigned int lkst_nr_syscalls;

struct lkst_syscall_arg {
	char name[LKST_SYSCALL_ARG_NAME];
	u8 meaning; /* enum lkst_sys_meaning */
	u8 size;    /* bytes in the record: 4 or 8 */
	bool is_signed;
	u8 base;
};

/* Reads lkst_syscall_signature_here(). Returns the number of arguments, at most LKST_SYSCALL_ARGS_MAX. */
unsigned int lkst_syscall_args(const struct lkst_syscall *s,
			       struct lkst_syscall_arg ret_args[LKST_SYSCALL_ARGS_MAX]);

/*
 * The same of the values that the record has, in its order: the two halves of a 32-bit caller's value, "offset_lo,
 * offset_hi", are one, "offset", of 8 bytes. Returns how many there are.
 */
unsigned int lkst_syscall_values(const struct lkst_syscall *s,
				 struct lkst_syscall_arg ret_values[LKST_SYSCALL_ARGS_MAX]);

/* Whether @args[@i] of @nr is the lower half of a value, and the next one the upper half. */
bool lkst_syscall_is_half(const struct lkst_syscall_arg *args, unsigned int i, unsigned int nr);

/* The number of call @s on this machine, -1: it has no such call; its signature, in this machine's order. */
int lkst_syscall_nr_here(const struct lkst_syscall *s);
const char *lkst_syscall_signature_here(const struct lkst_syscall *s);

/* The number of call @s on arm64, -1: there is none; its signature there. */
int lkst_syscall_nr_arm64(const struct lkst_syscall *s);
const char *lkst_syscall_signature_arm64(const struct lkst_syscall *s);

/* The row of that name or number in x86-64's table or, @is_compat, i386's; NULL: none. */
const struct lkst_syscall *lkst_syscall_find(bool is_compat, const char *name);
const struct lkst_syscall *lkst_syscall_by_nr(bool is_compat, unsigned int nr);

/*
 * Whether call @s can send on a socket or pipe, or ends a connection; and whether who waits at the other end may hear
 * of it: of calls that receive, too, since by these TCP tells that there is room again.
 */
bool lkst_syscall_sends(const struct lkst_syscall *s);
bool lkst_syscall_is_heard(const struct lkst_syscall *s);

/* The same of a record's number of a call, as LKST_MEANING_CALL has it: on arm64 or, else, on x86-64. */
const struct lkst_syscall *lkst_syscall_of_call(s64 call, bool is_arm64);

/*
 * The name under which figures of call @name are shown: "brk" or, @is_compat, "compat:brk", since a 32-bit program's
 * call is another one of the same name. As snprintf(3).
 */
int lkst_syscall_figure(char *text, size_t size, bool is_compat, const char *name);

#endif
