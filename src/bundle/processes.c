/* SPDX-License-Identifier: GPL-2.0-only */
/* What a bundle says of threads that still live. */
#include "bundle/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/time.h"
#include "bundle/bundle_text.h"

enum {
	PATH_ROOM = 64,
	STAT_ROOM = 1024,
	/* The first PID namespace, PROC_PID_INIT_INO of include/linux/proc_ns.h: a trace has its numbers. */
	FIRST_PID_NAMESPACE = 0xeffffffc,
	START_TIME_FIELD = 22, /* proc(5), /proc/PID/stat */
};

struct telling {
	FILE *to;
	u64 boot_offset_ns; /* CLOCK_BOOTTIME less CLOCK_MONOTONIC */
	u64 end_ns;	    /* of the trace */
	bool is_private;
	s32 last_pid; /* whose command line was the last one */
	u32 told, ended, left_out;
};

/* Reads up to @room - 1 bytes of /proc/TID/NAME, with a NUL after them. How many, or a negative errno. */
static ssize_t processes_read_proc(s32 tid, const char *name, char *bytes, size_t room)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_ROOM];
	size_t used = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, bytes + used, room - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 && used < room - 1);
	bytes[used] = 0;
	return got < 0 ? -errno : (ssize_t)used;
}

/* Whether the thread lives and was there when the trace ended. */
static bool is_the_same(const struct telling *t, s32 tid)
{
	const u64 hz = (u64)sysconf(_SC_CLK_TCK);
	char text[STAT_ROOM], *p;
	u64 ticks;
	int i;

	if (processes_read_proc(tid, "stat", text, sizeof(text)) <= 0)
		return false;
	/* The name is in parentheses, and may have some itself. */
	p = strrchr(text, ')');
	for (i = 2; p && i < START_TIME_FIELD; i++)
		p = strchr(p + 1, ' ');
	if (!p)
		return false;
	ticks = strtoull(p, NULL, 10);
	return ticks * (LKST_NS_PER_S / hz) <= t->end_ns + t->boot_offset_ns;
}

/* In the hierarchy that the trace knows: /proc has the thread's cgroup in each, and does not say which one that is. */
static void processes_put_cgroup(FILE *to, const char *path)
{
	if (path)
		lkst_bundle_put(to, path, strnlen(path, LKST_BUNDLE_CGROUP_MAX), false);
	else
		fputc('-', to);
}

/* Arguments end in a NUL each (proc(5)). */
static void processes_put_command(FILE *to, s32 pid)
{
	char text[LKST_BUNDLE_COMMAND_MAX];
	ssize_t length = processes_read_proc(lkst_living_thread(pid), "cmdline", text, sizeof(text));
	const char *word = text;

	if (length <= 0) {
		fputc('-', to);
		return;
	}
	while (word < text + length) {
		const size_t n = strlen(word);

		if (word > text)
			fputc(' ', to);
		lkst_bundle_put(to, word, n, true);
		word += n + 1;
	}
}

static void processes_tell_thread(struct telling *t, const struct lkst_bundle_thread *thread)
{
	const s32 pid = thread->pid ?: thread->tid;

	if (thread->tid <= 0)
		return;
	if (t->told == LKST_BUNDLE_THREADS_MAX || ftell(t->to) > LKST_BUNDLE_PROCESSES_MAX) {
		t->left_out++;
		return;
	}
	if (!is_the_same(t, thread->tid)) {
		t->ended++;
		return;
	}
	fprintf(t->to, "%d\t%d\t", thread->tid, pid);
	lkst_bundle_put(t->to, thread->comm, strnlen(thread->comm, sizeof(thread->comm)), false);
	fputc('\t', t->to);
	processes_put_cgroup(t->to, thread->cgroup);
	fputc('\t', t->to);
	if (!t->is_private)
		fputc('-', t->to);
	else if (pid == t->last_pid)
		fputc('"', t->to);
	else
		processes_put_command(t->to, pid);
	fputc('\n', t->to);
	t->last_pid = pid;
	t->told++;
}

static void processes_tell_all(struct telling *t, const struct lkst_bundle_thread *list, u32 nr)
{
	struct stat st;
	u32 i;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino != FIRST_PID_NAMESPACE) {
		fprintf(t->to,
			"# this was made in a PID namespace, where threads have other numbers: "
			"nothing is known of them\n");
		return;
	}
	fprintf(t->to, "# tid\tpid\tname\tcgroup\tcommand line\n");
	if (!t->is_private)
		fprintf(t->to, "# command lines are left out, since others may read the bundle\n");
	for (i = 0; i < nr; i++)
		processes_tell_thread(t, &list[i]);
	fprintf(t->to, "# %u threads; %u more have ended, or cannot be seen", t->told, t->ended);
	if (t->left_out)
		fprintf(t->to, "; %u more are left out: there are too many", t->left_out);
	fputc('\n', t->to);
}

int lkst_bundle_tell_processes(struct lkst_err *e, const struct lkst_bundle_thread *list, u32 nr,
			       u64 end_ns, bool is_private, struct lkst_bundle_text *ret_text)
{
	struct telling t = { .end_ns = end_ns, .is_private = is_private };
	struct lkst_bundle_lines l;
	u64 now_ns;
	int err = lkst_bundle_lines_begin(e, &l);

	if (err)
		return err;
	t.to = l.to;
	/* In this order it is not below zero. */
	now_ns = lkst_monotonic_ns();
	t.boot_offset_ns = lkst_clock_ns(CLOCK_BOOTTIME) - now_ns;
	processes_tell_all(&t, list, nr);
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}
