/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that live, by /proc. */
#include "live/state/state_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/vec.h"

enum {
	PROCESSES_MAX = 4096,
	TEXT_ROOM = 4097, /* of a file of /proc, with a NUL after it */
	/* The first PID namespace, PROC_PID_INIT_INO of include/linux/proc_ns.h: a trace has its numbers. */
	FIRST_PID_NAMESPACE = 0xeffffffc,
	TASK_UNINTERRUPTIBLE = 2, /* include/linux/sched.h */
};

/* Reads the beginning of /proc/PID/NAME; how many bytes, or a negative errno. */
static ssize_t read_proc(s32 pid, const char *name, char text[TEXT_ROOM])
{
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, TEXT_ROOM - 1);
	if (got < 0)
		return -errno;
	text[got] = 0;
	return got;
}

/* "Uid:<tab>real<tab>effective<tab>..." (proc_pid_status(5)). */
static void parse_ids(const char *status, const char *key, u32 *ret_real, u32 *ret_effective)
{
	const char *at = strstr(status, key);
	char *end;

	*ret_real = at ? (u32)strtoul(at + strlen(key), &end, 10) : UINT32_MAX;
	*ret_effective = at ? (u32)strtoul(end, NULL, 10) : UINT32_MAX;
}

size_t lkst_state_process_parse(const char *status, const char *cmdline, size_t cmdline_length,
				struct lkst_state_process *ret_process)
{
	struct lkst_rec_state_process *r = &ret_process->r;
	size_t i, length = cmdline_length < LKST_COMMAND_LINE_MAX ? cmdline_length
								  : LKST_COMMAND_LINE_MAX;
	u32 egid;

	parse_ids(status, "\nUid:", &r->uid, &r->euid);
	parse_ids(status, "\nGid:", &r->gid, &egid);
	r->args_bytes = (u32)cmdline_length;
	for (i = 0; i < length; i++)
		ret_process->args[i] = cmdline[i] ? cmdline[i] : ' ';
	length = length ? length - 1 : 0;
	ret_process->args[length] = 0;
	return sizeof(*r) + length + 1;
}

bool lkst_state_has_kernel_numbers(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_PID_NAMESPACE;
}

static int state_processes_by_number(const void *a, const void *b)
{
	const s32 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool state_processes_is_wanted(const struct lkst_thread_list *threads, const struct lkst_rec_state_thread *t)
{
	/* A number below 0 is a CPU that it never ran on: it has ended. */
	return t->thread_tid > 0 && t->thread_tid == t->thread_pid && t->thread_cpu >= 0 &&
	       !(t->flags & LKST_THREAD_KERNEL) &&
	       !(threads->nr_renewed && bsearch(&t->thread_pid, threads->renewed,
						threads->nr_renewed, sizeof(s32), state_processes_by_number));
}

/*
 * Processes with a thread in state D. It may hold the process's mmap_lock, which /proc/PID/cmdline takes
 * (access_remote_vm(), mm/memory.c): reading that might not end.
 */
static int find_stuck(const struct lkst_thread_list *threads, s32 **ret_list, unsigned int *ret_nr)
{
	s32 *list = NULL;
	unsigned int i, nr = 0;

	for (i = 0; i < threads->nr; i++) {
		const struct lkst_rec_state_thread *t = &threads->list[i];
		s32 *added;

		if ((t->flags & LKST_THREAD_KERNEL) || !(t->state & TASK_UNINTERRUPTIBLE))
			continue;
		added = lkst_vec_add(list, nr);
		if (!added)
			break;
		*added = t->thread_pid;
	}
	if (nr)
		qsort(list, nr, sizeof(*list), state_processes_by_number);
	*ret_list = list;
	*ret_nr = nr;
	return i < threads->nr ? -ENOMEM : 0;
}

int lkst_state_list_processes(const struct lkst_thread_list *threads,
			      int (*each)(void *ctx, struct lkst_state_process *process,
					  size_t length),
			      void *ctx)
{
	char status[TEXT_ROOM], cmdline[TEXT_ROOM];
	struct lkst_state_process process;
	unsigned int i, nr = 0, nr_stuck = 0;
	_cleanup_free_ s32 *stuck = NULL;
	ssize_t length;
	int err;

	if (!lkst_state_has_kernel_numbers())
		return 0;
	err = find_stuck(threads, &stuck, &nr_stuck);
	for (i = 0; i < threads->nr && nr < PROCESSES_MAX && !err; i++) {
		const struct lkst_rec_state_thread *t = &threads->list[i];

		if (!state_processes_is_wanted(threads, t) ||
		    (nr_stuck &&
		     bsearch(&t->thread_pid, stuck, nr_stuck, sizeof(s32), state_processes_by_number)) ||
		    read_proc(t->thread_pid, "status", status) <= 0 ||
		    strstr(status, "\nState:\tD"))
			continue;
		/* Where its first thread has ended, another one knows the process's memory. */
		length = read_proc(strstr(status, "\nState:\tZ") ? lkst_living_thread(t->thread_pid) : t->thread_pid,
				   "cmdline", cmdline);
		/* One that has ended and is not forgotten has none. */
		if (length <= 0)
			continue;
		nr++;
		process.r.process = t->thread_pid;
		err = each(ctx, &process,
			   lkst_state_process_parse(status, cmdline, (size_t)length, &process));
	}
	return err;
}
