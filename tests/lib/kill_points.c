/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/kill_points.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* After that of the C library. */
#include <linux/ptrace.h>

enum { PROCESSES_MAX = 16, NOT_KNOWN = -1, HARMLESS = -2 };

const char *const kill_point_names[KILL_NR_POINTS] = {
	[KILL_CREATE] = "create", [KILL_WRITE] = "write",     [KILL_NAME] = "rename",
	[KILL_REMOVE] = "remove", [KILL_SYNC] = "sync",	      [KILL_LOCK] = "lock",
	[KILL_CHANGE] = "change", [KILL_CONNECT] = "connect", [KILL_RECEIVE] = "receive",
	[KILL_FORK] = "fork",	  [KILL_EXIT] = "exit",
};

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	abort();
}

/* ---- what a call does ------------------------------------------------------------------------ */

/* Calls that are always points. */
static const struct {
	long nr;
	enum kill_point point;
} points[] = {
#ifdef SYS_rename
	{ SYS_rename, KILL_NAME },
	{ SYS_unlink, KILL_REMOVE },
	{ SYS_rmdir, KILL_REMOVE },
	{ SYS_mkdir, KILL_CREATE },
	{ SYS_creat, KILL_CREATE },
	{ SYS_link, KILL_NAME },
	{ SYS_symlink, KILL_CREATE },
	{ SYS_chmod, KILL_CHANGE },
	{ SYS_chown, KILL_CHANGE },
	{ SYS_fork, KILL_FORK },
	{ SYS_vfork, KILL_FORK },
#endif
#ifdef SYS_renameat
	{ SYS_renameat, KILL_NAME },
#endif
	{ SYS_renameat2, KILL_NAME },
	{ SYS_unlinkat, KILL_REMOVE },
	{ SYS_mkdirat, KILL_CREATE },
	{ SYS_linkat, KILL_NAME },
	{ SYS_symlinkat, KILL_CREATE },
	{ SYS_fchmod, KILL_CHANGE },
	{ SYS_fchmodat, KILL_CHANGE },
	{ SYS_fchown, KILL_CHANGE },
	{ SYS_fchownat, KILL_CHANGE },
	{ SYS_ftruncate, KILL_CHANGE },
	{ SYS_truncate, KILL_CHANGE },
	{ SYS_fallocate, KILL_CHANGE },
	{ SYS_utimensat, KILL_CHANGE },
	{ SYS_fsync, KILL_SYNC },
	{ SYS_fdatasync, KILL_SYNC },
	{ SYS_sync, KILL_SYNC },
	{ SYS_syncfs, KILL_SYNC },
	{ SYS_sync_file_range, KILL_SYNC },
	{ SYS_flock, KILL_LOCK },
	{ SYS_pwrite64, KILL_WRITE },
	{ SYS_pwritev, KILL_WRITE },
	{ SYS_pwritev2, KILL_WRITE },
	{ SYS_sendto, KILL_WRITE },
	{ SYS_sendmsg, KILL_WRITE },
	{ SYS_sendmmsg, KILL_WRITE },
	{ SYS_sendfile, KILL_WRITE },
	{ SYS_copy_file_range, KILL_WRITE },
	{ SYS_splice, KILL_WRITE },
	{ SYS_connect, KILL_CONNECT },
	{ SYS_clone, KILL_FORK },
	{ SYS_clone3, KILL_FORK },
	{ SYS_exit, KILL_EXIT },
	{ SYS_exit_group, KILL_EXIT },
};

/* Calls that change nothing but the process itself, or look, or wait. */
static const long harmless[] = {
#ifdef SYS_stat
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_poll, SYS_pipe, SYS_dup2, SYS_getdents, SYS_time,
	SYS_arch_prctl, SYS_epoll_wait, SYS_epoll_create, SYS_alarm, SYS_select,
#endif
	SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_close, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs,
	SYS_fstatfs, SYS_lseek, SYS_getdents64, SYS_readlinkat, SYS_faccessat, SYS_faccessat2, SYS_ppoll, SYS_pselect6,
	SYS_pipe2, SYS_dup, SYS_dup3, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime, SYS_epoll_create1,
	SYS_epoll_ctl, SYS_epoll_pwait, SYS_inotify_init1, SYS_memfd_create, SYS_umask, SYS_fadvise64, SYS_chdir,
	SYS_fchdir, SYS_getcwd, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_mlock,
	SYS_msync, SYS_mincore, SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_rseq,
	SYS_membarrier, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
	SYS_sched_getscheduler, SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	SYS_getpgid, SYS_getsid, SYS_getgroups, SYS_prctl, SYS_prlimit64, SYS_getrlimit, SYS_getrusage, SYS_times,
	SYS_getpriority, SYS_setpriority, SYS_uname, SYS_sysinfo, SYS_getcpu, SYS_getrandom, SYS_clock_gettime,
	SYS_clock_getres, SYS_gettimeofday, SYS_clock_nanosleep, SYS_nanosleep, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_restart_syscall, SYS_wait4,
	SYS_waitid, SYS_kill, SYS_tgkill, SYS_socket, SYS_socketpair, SYS_bind, SYS_getsockname, SYS_getpeername,
	SYS_getsockopt, SYS_setsockopt, SYS_shutdown, SYS_ioctl, SYS_capget, SYS_personality,
};

static bool is_receiving(long nr)
{
	return nr == SYS_recvfrom || nr == SYS_recvmsg;
}

static int point_of_open(long flags)
{
	return flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE ? KILL_CREATE : HARMLESS;
}

/* Of a call that is about to be made: an enum kill_point, HARMLESS or NOT_KNOWN. */
static int point_of(long nr, const __u64 *args)
{
	size_t i;

	/* What a process says to people is no point. */
	if (nr == SYS_write || nr == SYS_writev)
		return args[0] == STDOUT_FILENO || args[0] == STDERR_FILENO ? HARMLESS : KILL_WRITE;
	if (nr == SYS_openat)
		return point_of_open((long)args[2]);
#ifdef SYS_open
	if (nr == SYS_open)
		return point_of_open((long)args[1]);
#endif
	if (nr == SYS_fcntl)
		return args[1] == F_SETLK || args[1] == F_SETLKW || args[1] == F_OFD_SETLK ? KILL_LOCK : HARMLESS;
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		if (points[i].nr == nr)
			return points[i].point;
	return is_receiving(nr) ? HARMLESS : NOT_KNOWN;
}

/* From now on this process stops before each call that is not harmless, whatever its arguments are. */
static void stop_at_others(void)
{
	enum { NR_HARMLESS = sizeof(harmless) / sizeof(harmless[0]) };
	struct sock_filter filter[2 * NR_HARMLESS + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };
	u32 i;

	for (i = 0; i < NR_HARMLESS; i++) {
		filter[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (u32)harmless[i], 0, 1);
		filter[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[2 * NR_HARMLESS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
	     "seccomp(2)");
}

/* ---- running --------------------------------------------------------------------------------- */

struct tracee {
	pid_t pid; /* 0: none */
	bool is_receiving, is_at_point; /* within a call of that kind; within the one that is to be killed after */
};

struct tracing {
	const struct kill_plan *plan;
	struct kill_seen *seen;
	pid_t first;
	struct tracee tracees[PROCESSES_MAX];
};

static struct tracee *find(struct tracing *t, pid_t pid)
{
	u32 i;

	for (i = 0; i < PROCESSES_MAX; i++)
		if (t->tracees[i].pid == pid)
			return &t->tracees[i];
	return NULL;
}

static pid_t begin(void (*run)(void *ctx), void *ctx)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE | PTRACE_O_TRACESECCOMP;
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		must(!ptrace(PTRACE_TRACEME, 0, NULL, NULL), "PTRACE_TRACEME");
		raise(SIGSTOP);
		stop_at_others();
		run(ctx);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "waiting for a process that is traced");
	must(!ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options), "PTRACE_SETOPTIONS");
	return pid;
}

/* Ends the process that has come to the point, or all. */
static void kill_at(struct tracing *t, struct tracee *tracee)
{
	u32 i;

	t->seen->is_killed = true;
	t->seen->is_child = tracee->pid != t->first;
	/* The first one first, which waits for the others: it is not to see that they have ended. */
	for (i = 0; i < PROCESSES_MAX; i++)
		if (t->tracees[i].pid && (t->plan->is_whole || &t->tracees[i] == tracee))
			kill(t->tracees[i].pid, SIGKILL);
}

/* Counts a point. True: it is the one that is planned. */
static bool pass(struct tracing *t, const struct tracee *tracee, enum kill_point point)
{
	bool is_it = t->plan->at == (s64)t->seen->nr;

	must(t->seen->nr < KILL_POINTS_MAX, "too many points");
	t->seen->of_child[t->seen->nr] = tracee->pid != t->first;
	t->seen->nr++;
	t->seen->of[point]++;
	if (is_it)
		t->seen->point = point;
	return is_it;
}

/* Before a call that is not harmless. */
static void stop_before(struct tracing *t, struct tracee *tracee)
{
	struct ptrace_syscall_info info;
	int point;

	must(ptrace(PTRACE_GET_SYSCALL_INFO, tracee->pid, (void *)sizeof(info), &info) > 0 &&
		     info.op == PTRACE_SYSCALL_INFO_SECCOMP,
	     "PTRACE_GET_SYSCALL_INFO");
	point = point_of((long)info.seccomp.nr, info.seccomp.args);
	tracee->is_receiving = is_receiving((long)info.seccomp.nr);
	if (point == NOT_KNOWN)
		t->seen->unknown = (long)info.seccomp.nr;
	if (point < 0 || !pass(t, tracee, (enum kill_point)point))
		return;
	/* A process that ends does not come back. */
	tracee->is_at_point = t->plan->is_after && point != KILL_EXIT;
	if (!tracee->is_at_point)
		kill_at(t, tracee);
}

static void stop_after(struct tracing *t, struct tracee *tracee)
{
	struct ptrace_syscall_info info;
	bool is_it = tracee->is_at_point;

	must(ptrace(PTRACE_GET_SYSCALL_INFO, tracee->pid, (void *)sizeof(info), &info) > 0, "PTRACE_GET_SYSCALL_INFO");
	if (info.op != PTRACE_SYSCALL_INFO_EXIT)
		return;
	if (tracee->is_receiving && info.exit.rval > 0)
		is_it |= pass(t, tracee, KILL_RECEIVE);
	tracee->is_receiving = tracee->is_at_point = false;
	if (is_it)
		kill_at(t, tracee);
}

/* It stops again after the call if that matters. */
static void go_on(struct tracing *t, const struct tracee *tracee, pid_t pid, int signal)
{
	const bool is_wanted = !t->seen->is_killed && (tracee->is_receiving || tracee->is_at_point);

	/* Where it was killed meanwhile there is nothing to go on. */
	if (ptrace(is_wanted ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)(long)signal))
		must(errno == ESRCH, "going on");
}

/* A process has stopped, or is new. */
static void handle_stop(struct tracing *t, pid_t pid, int status)
{
	struct tracee *tracee = find(t, pid);
	int signal = WSTOPSIG(status);

	if (!tracee) {
		tracee = find(t, 0);
		must(tracee != NULL, "too many processes");
		*tracee = (struct tracee){ .pid = pid };
		signal = 0;
	} else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
		if (!t->seen->is_killed)
			stop_before(t, tracee);
		signal = 0;
	} else if (signal == (SIGTRAP | 0x80)) {
		if (!t->seen->is_killed)
			stop_after(t, tracee);
		signal = 0;
	} else if (signal == SIGTRAP || signal == SIGSTOP) {
		signal = 0;
	}
	go_on(t, tracee, pid, signal);
}

static bool has_any(const struct tracing *t)
{
	u32 i;

	for (i = 0; i < PROCESSES_MAX; i++)
		if (t->tracees[i].pid)
			return true;
	return false;
}

void kill_points_run(const struct kill_plan *plan, void (*run)(void *ctx), void *ctx, struct kill_seen *ret_seen)
{
	struct tracing t = { .plan = plan, .seen = ret_seen };
	int status;
	pid_t pid;

	*ret_seen = (struct kill_seen){ .unknown = -1 };
	/* What is left of a process that was killed is to be waited for here. */
	must(!prctl(PR_SET_CHILD_SUBREAPER, 1), "PR_SET_CHILD_SUBREAPER");
	t.first = begin(run, ctx);
	t.tracees[0].pid = t.first;
	go_on(&t, &t.tracees[0], t.first, 0);
	while (has_any(&t)) {
		pid = waitpid(-1, &status, __WALL);
		must(pid > 0, "waiting for processes that are traced");
		if (WIFSTOPPED(status)) {
			handle_stop(&t, pid, status);
		} else if (find(&t, pid)) {
			find(&t, pid)->pid = 0;
			if (pid == t.first)
				ret_seen->status = status;
		}
	}
}
