// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>

#include "abi/syscalls.h"
#include "lib/incident.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"

static char lines[1 << 20];
static size_t used;

void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(lines + used, sizeof(lines) - used, format, args);
	va_end(args);
	if (used >= sizeof(lines))
		abort();
}

void begin(void)
{
	used = 0;
	lines[0] = '\0';
}

void name(s32 tid, const char *comm)
{
	add("task_rename cpu=0 tid=%d ns=1000 target_tid=%d newcomm=%s\n", tid, tid, comm);
}

void leave(u64 us, u32 cpu, s32 tid, s32 next, int state, int call, const char *args)
{
	add("sched_switch cpu=%u tid=%d ns=%" PRIu64 "000 next_tid=%d prev_state=%d", cpu, tid, us, next, state);
	if (call != NO_CALL)
		add(" prev_where=1 prev_call=%d prev_args=%s", call, args);
	add("\n");
}

void wake(u64 us, u32 cpu, s32 tid, s32 target, int call)
{
	add("sched_waking cpu=%u tid=%d ns=%" PRIu64 "000 target_tid=%d target_cpu=%u call=%d context=1\n", cpu, tid,
	    us, target, cpu, call);
}

void timer_wakes(u64 us, u32 cpu, s32 tid, s32 target)
{
	add("local_timer_entry cpu=%u tid=%d ns=%" PRIu64 "000 vector=236\n", cpu, tid, us - 2);
	add("sched_waking cpu=%u tid=%d ns=%" PRIu64 "000 target_tid=%d target_cpu=%u call=-1 context=3\n", cpu, tid,
	    us, target, cpu);
	add("local_timer_exit cpu=%u tid=%d ns=%" PRIu64 "000 vector=236\n", cpu, tid, us + 1);
}

/* Some system calls whose entries and exits are recorded. */
static struct lkst_catalog *catalog(void)
{
	static const char *const calls[] = { "connect", "openat", "write", "read",   "socket", "close",
					     "flock",	"poll",	  "mmap",  "munmap", "ioctl",  "clone3",
					     "rt_sigsuspend", "rt_sigreturn", "futex" };
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 100;
	struct lkst_err e;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++, id += 2)
		if (lkst_catalog_add_syscall(&e, c, id, id + 1,
					     (unsigned int)(lkst_syscall_find(false, calls[i]) - lkst_syscalls)))
			abort();
	return c;
}

void make(char dir[64])
{
	struct make_trace *m;
	char path[96];

	if (!dir[0])
		make_scratch(dir);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	make_scratch_remove(path);
	m = make_begin(path, catalog(), 4096);
	if (make_text(m, lines)) {
		fprintf(stderr, "%s\n", m->err.text);
		abort();
	}
	if (make_end(m))
		abort();
}

const char *ask(const char *words)
{
	static char dir[64];

	make(dir);
	return run_command(&lkst_cmd_why, dir, words) ? "" : output;
}
const char *analyze(const char *words)
{
	static char dir[64];

	make(dir);
	return run_command(&lkst_cmd_analyze, dir, words) ? "" : output;
}

const char *ask_in_one_line(void)
{
	unsigned int k;

	ask("TRACE");
	for (k = 0; output[k]; k++) {
		if (strncmp(output + k, "\n    ", 5))
			continue;
		memmove(output + k, output + k + 4, strlen(output + k + 4) + 1);
		output[k] = ' ';
	}
	return output;
}

void process(s32 pid, const char *comm)
{
	add("state_thread ns=%d thread_tid=%d thread_pid=%d cgroup=77 comm=%s\n", 900 + pid, pid, pid, comm);
}

void call(u64 us, u32 cpu, s32 tid, const char *name, const char *args, int ret)
{
	add("syscall_entry_%s cpu=%u tid=%d ns=%" PRIu64 "000 %s\nsyscall_exit_%s cpu=%u tid=%d ns=%" PRIu64
	    "500 ret=%d\n",
	    name, cpu, tid, us, args, name, cpu, tid, us, ret);
}

void opens(u64 us, u32 cpu, s32 tid, const char *path, int fd)
{
	char args[200];

	call(us, cpu, tid, "close", "fd=900", -9);
	snprintf(args, sizeof(args), "dirfd=-100 path_str=%s", path);
	call(us + 1, cpu, tid, "openat", args, fd);
}

void connects(u64 us, s32 tid, int port)
{
	call(us, 0, tid, "close", "fd=900", -9);
	call(us + 1, 0, tid, "socket", "family=2", 4);
	add("syscall_entry_connect cpu=0 tid=%d ns=%" PRIu64 "000 sockfd=4\n"
	    "socket_connect cpu=0 tid=%d ns=%" PRIu64 "100 fd=4 family=2 port=%d address=10.0.0.2\n"
	    "syscall_exit_connect cpu=0 tid=%d ns=%" PRIu64 "200 ret=0\n",
	    tid, us + 2, tid, us + 2, port, tid, us + 2);
}

void sends(u64 us, s32 tid)
{
	add("syscall_entry_write cpu=0 tid=%d ns=%" PRIu64 "000 fd=4\nsyscall_exit_write cpu=0 tid=%d ns=%" PRIu64
	    "500 ret=1\n",
	    tid, us, tid, us);
}

void make_convoy(unsigned int nr, bool has_span)
{
	unsigned int i;
	u64 us;

	begin();
	name(10, "keeper");
	name(20, "worker");
	name(21, "worker");
	for (i = 0, us = 10000; i < nr; i++, us += 60000) {
		leave(us, 0, 0, 10, RUNNABLE, NO_CALL, "");
		leave(us + 100, 0, 10, 20, ASLEEP, NANOSLEEP, "0,0,0,0");
		if (has_span && i == 1)
			add("span_begin cpu=0 tid=20 ns=%" PRIu64 "000 span=0 name=request\n", us + 150);
		leave(us + 200, 0, 20, 21, ASLEEP, FUTEX, "0x1000,128,2,0,0,0");
		leave(us + 300, 0, 21, 0, ASLEEP, FUTEX, "0x1000,128,2,0,0,0");
		timer_wakes(us + 50000, 0, 0, 10);
		leave(us + 50010, 0, 0, 10, RUNNABLE, NO_CALL, "");
		wake(us + 50050, 0, 10, 20, FUTEX);
		leave(us + 50100, 0, 10, 20, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		wake(us + 50200, 0, 20, 21, FUTEX);
		if (has_span && i == 1)
			add("span_end cpu=0 tid=20 ns=%" PRIu64 "000 span=0 name=request\n", us + 50250);
		leave(us + 50300, 0, 20, 21, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		leave(us + 50400, 0, 21, 0, ASLEEP, EPOLL_WAIT, "3,0,0,0");
		timer_wakes(us + 59000, 0, 0, 10);
		timer_wakes(us + 59010, 0, 0, 20);
		leave(us + 59020, 0, 0, 20, RUNNABLE, NO_CALL, "");
		timer_wakes(us + 59030, 0, 20, 21);
		leave(us + 59990, 0, 20, 0, RUNNABLE, NO_CALL, "");
	}
}
