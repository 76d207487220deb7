// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `lkst status` says of the cost of system calls follows the load: one that leaves nothing of the programs in the
 * caches pays more for each call than one that calls in a loop, and by as much more as the kernel's own account of its
 * programs' time says, which is kept here independently. And looking leaves no account behind.
 */
#include <bpf/bpf.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "live.h"
#include "live/recording/session.h"

enum {
	TURNS = 3,
	TURNS_MAX = 12,	      /* where other work came between */
	COLD_BYTES = 8 << 20, /* more than the caches of one CPU hold */
	CACHE_LINE = 64,
	CALLS = 500, /* before it is looked at */
	STATUS_MAX = 1 << 20,
};

/* Mean time of a call's entry or exit, ns. */
struct mean {
	double said, account;
};

static double said[TURNS_MAX], account[TURNS_MAX]; /* how much more each cold one takes */
static int nr_turns;

/* Time and runs of the programs of system calls since they were loaded, by the kernel's account. */
static int read_account(struct lkst_err *e, double *ret_ns, double *ret_runs)
{
	static const char *const names[] = { "tp_btf__sys_enter", "tp_btf__sys_exit" };
	struct lkst_session *s = NULL;
	int err = lkst_session_open(e, &s), i;

	*ret_ns = *ret_runs = 0;
	for (i = 0; i < 2 && !err; i++) {
		struct lkst_hook *hook = lkst_hooks_find(lkst_session_hooks(s), names[i]);
		struct bpf_prog_info info = {};
		u32 length = sizeof(info);

		if (!hook || bpf_obj_get_info_by_fd(hook->program_fd, &info, &length))
			err = lkst_err_set(e, -ENOENT, "%s has no account", names[i]);
		*ret_ns += info.run_time_ns;
		*ret_runs += info.run_cnt;
	}
	lkst_session_close(s);
	return err;
}

/* Adds "@name": of @row, which ends with a brace. */
static double number(const char *row, const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(row, key);
	return at && at < strchr(row, '}') ? atof(at + strlen(key)) : 0;
}

/* What the status says that an entry or exit of a call takes, the mean of all calls; 0: nothing. */
static double ask_status(void)
{
	static char text[STATUS_MAX];
	double us = 0, records = 0;
	char command[300];
	const char *row;
	FILE *f;

	snprintf(command, sizeof(command), "%s status --json", live_lkst());
	f = popen(command, "re");
	if (!f)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	pclose(f);
	for (row = text; (row = strstr(row, "{\"kind\":\"syscall:")); row++) {
		us += number(row, "us_per_s");
		records += number(row, "per_s");
	}
	return records > 0 ? us * 1e3 / records : 0;
}

/* Calls, and goes through @bytes of memory after each. */
static void __attribute__((noreturn))
call(volatile unsigned char *memory, size_t bytes, volatile unsigned int *calls)
{
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		syscall(SYS_getppid);
		(*calls)++;
		for (i = 0; i < bytes; i += CACHE_LINE)
			memory[i]++;
	}
}

/* Both accounts of the same stretch, of a load that goes through @bytes of memory after each call. */
static int look(struct lkst_err *e, unsigned char *memory, size_t bytes, struct mean *ret)
{
	volatile unsigned int *calls = (void *)(memory + COLD_BYTES);
	double ns[2], runs[2];
	pid_t pid = fork();
	int err;

	if (!pid)
		call(memory, bytes, calls);
	for (*calls = 0; pid > 0 && *calls < CALLS;)
		usleep(1000);
	err = read_account(e, &ns[0], &runs[0]);
	ret->said = ask_status();
	if (!err)
		err = read_account(e, &ns[1], &runs[1]);
	ret->account = !err && runs[1] > runs[0] ? (ns[1] - ns[0]) / (runs[1] - runs[0]) : 0;
	kill(pid, SIGKILL);
	live_wait(pid);
	return err;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *of)
{
	double sorted[TURNS_MAX];

	memcpy(sorted, of, sizeof(sorted));
	qsort(sorted, nr_turns, sizeof(*sorted), compare);
	return sorted[nr_turns / 2];
}

static bool agree(void)
{
	return median(said) <= 1.5 * median(account) && median(account) <= 1.5 * median(said);
}

static void take_turns(unsigned char *memory)
{
	struct lkst_err e = { "" };
	int err = 0;

	while (!err && (nr_turns < TURNS || (nr_turns < TURNS_MAX && !agree()))) {
		struct mean warm = {}, cold = {};

		err = look(&e, memory, 0, &warm);
		if (!err)
			err = look(&e, memory, COLD_BYTES, &cold);
		said[nr_turns] = cold.said - warm.said;
		account[nr_turns++] = cold.account - warm.account;
	}
	if (err)
		live_fail("cost_follows_the_load", "%s", e.text);
	else if (!agree())
		live_fail(
			"cost_follows_the_load",
			"a call in a cold load takes %.1f ns more, as is said; the kernel's account has %.1f",
			median(said), median(account));
	else
		live_ok("cost_follows_the_load");
}

static bool is_kept_by_others(void)
{
	FILE *f = fopen("/proc/sys/kernel/bpf_stats_enabled", "re");
	bool is_kept = f && fgetc(f) == '1';

	if (f)
		fclose(f);
	return is_kept;
}

/* Whether the kernel keeps the account for anybody: then programs' runs are counted. */
static void check_end(void)
{
	struct lkst_err e = { "" };
	double ns, before, after;
	int err;

	ask_status();
	err = read_account(&e, &ns, &before);
	syscall(SYS_getppid);
	if (!err)
		err = read_account(&e, &ns, &after);
	if (!err && is_kept_by_others())
		printf("skip cost_leaves_no_account: kernel.bpf_stats_enabled is set\n");
	else if (err)
		live_fail("cost_leaves_no_account", "%s", e.text);
	else if (after > before)
		live_fail("cost_leaves_no_account", "runs are counted when nobody looks");
	else
		live_ok("cost_leaves_no_account");
}

int main(void)
{
	unsigned char *memory = mmap(NULL, COLD_BYTES + CACHE_LINE, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd;

	live_begin();
	if (memory == MAP_FAILED ||
	    LIVE_LKST("start", "--quiet", "--budget", "none", "-e", "syscall:*"))
		live_fail("cost_is_looked_at", "lkst start failed");
	fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (fd < 0) {
		printf("skip cost_follows_the_load: this kernel keeps no account of its programs' time\n");
	} else if (!live_failed) {
		take_turns(memory);
		close(fd);
		check_end();
	}
	LIVE_LKST("stop", "--quiet");
	return live_end();
}
