// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * `lkst status` never says that recording costs more than the CPUs can have spent on it, whatever it believes an event
 * to cost: here that is made a hundred times too much, under a storm of system calls. What is said is compared with
 * the kernel's account of its own time, as this test reads it before and after; what the limit says of kinds that it
 * leaves out, with all of a CPU's time.
 */
#include <math.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "live.h"
#include "live/session/session.h"

enum {
	MUCH_NS = 60000,
	STATUS_MAX = 1 << 20,
	ASKED_MAX = 60,
	ASK_MS = 250, /* what the status counts in is not less */
	TICKS = 4,    /* of each CPU: two that either account may be told too long */
};

static char status[STATUS_MAX];

/* The kernel's own time of all CPUs since it started, us: what is neither programs' nor idle nor others'. */
static double kernel_us(int *ret_cpus)
{
	const double tick = 1e6 / sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "re");
	double free_ticks = 0, v[8];
	int cpu;

	*ret_cpus = 0;
	if (!f || fscanf(f, "cpu %*[^\n]\n") == EOF)
		abort();
	while (fscanf(f, "cpu%d", &cpu) == 1 &&
	       fscanf(f, "%lf%lf%lf%lf%lf%lf%lf%lf%*[^\n]\n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
		      &v[7]) == 8) {
		free_ticks += v[0] + v[1] + v[3] + v[4] + v[7];
		(*ret_cpus)++;
	}
	fclose(f);
	return *ret_cpus * (live_now_ns() / 1e3) - free_ticks * tick;
}

static bool ask(void)
{
	char command[300];
	FILE *f;

	snprintf(command, sizeof(command), "%s status --json", live_lkst());
	f = popen(command, "re");
	if (!f)
		return false;
	status[fread(status, 1, sizeof(status) - 1, f)] = 0;
	return !pclose(f);
}

/* The number after the first "@name": from @at on; -1: there is none. */
static double number(const char *at, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = at ? strstr(at, key) : NULL;
	return at ? atof(at + strlen(key)) : -1;
}

static pid_t begin_storm(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		syscall(SYS_getppid);
}

static void end_storm(pid_t pid)
{
	kill(pid, SIGKILL);
	live_wait(pid);
}

static void *map(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/* Makes system calls far too expensive, for the status and, where there is one, for the limit. */
static int exaggerate(struct lkst_err *e)
{
	struct lkst_session *s = NULL;
	const struct lkst_budget_fds *fds;
	struct lkst_budget *budget;
	struct lkst_kind *kinds;
	int err = lkst_session_open(e, &s);
	u32 i, nr;

	if (err)
		return err;
	fds = lkst_session_budget_fds(s);
	budget = map(fds->budget_fd, sizeof(*budget));
	budget->costs.hook_ns[LKST_HOOK_TYPE_SYSCALL] = MUCH_NS;
	budget->costs.syscall_ns = MUCH_NS;
	budget->retry_s = 1;
	if (fds->kinds_fd >= 0) {
		nr = lkst_budget_rows(fds->kinds_fd);
		kinds = map(fds->kinds_fd, nr * sizeof(*kinds));
		for (i = 0; i < nr; i++)
			if (!strcmp(kinds[i].name, "syscall:getppid"))
				kinds[i].unit_ns = kinds[i].idle_ns = MUCH_NS;
		munmap(kinds, nr * sizeof(*kinds));
	}
	munmap(budget, sizeof(*budget));
	lkst_session_close(s);
	return 0;
}

/* False: the storm's calls were not seen by that status, for it looks for a moment only. */
static bool look_at_cost(void)
{
	int cpus;
	double before = kernel_us(&cpus), most, said, share, busiest, kind;

	if (!ask() || !strstr(status, "\"kind\":\"syscall:getppid\""))
		return false;
	most = kernel_us(&cpus) - before + TICKS * cpus * 1e6 / sysconf(_SC_CLK_TCK);
	said = number(status, "us_per_s") * ASK_MS / 1000;
	share = number(strstr(status, "\"cost\":"), "share");
	busiest = number(status, "busiest_share");
	kind = number(strstr(status, "\"kind\":\"syscall:getppid\""), "us_per_s") * ASK_MS / 1000;
	if (said < 0 || share < 0 || busiest < 0 || kind < 0)
		live_fail("cost_is_said", "%s", status);
	if (said > most || kind > said * 1.001)
		live_fail("cost_is_not_more_than_the_kernel_took",
			  "%.0f us in %d ms are said, %.0f of that for getppid, and %.0f is the most it can be", said,
			  ASK_MS, kind, most);
	else
		live_ok("cost_is_not_more_than_the_kernel_took");
	if (share > 1 || busiest > 1)
		live_fail("cost_is_not_more_than_all", "%.2f of all CPUs, %.2f of one", share, busiest);
	else
		live_ok("cost_is_not_more_than_all");
	if (strstr(status, "\"at_most\":true"))
		live_ok("cost_that_is_cut_down_is_said_so");
	else
		live_fail("cost_that_is_cut_down_is_said_so", "it is not");
	return true;
}

static void test_status(struct lkst_err *e)
{
	int i, err;
	pid_t storm;

	if (LIVE_LKST("start", "--quiet", "--budget", "none", "-e", "syscall:*", "--buffer", "64K")) {
		live_fail("cost_is_said", "lkst start failed");
		return;
	}
	err = exaggerate(e);
	storm = begin_storm();
	for (i = 0; !err && i < ASKED_MAX && !look_at_cost(); i++)
		;
	end_storm(storm);
	LIVE_LKST("stop", "--quiet");
	if (err || i == ASKED_MAX)
		live_fail("cost_is_said", "%s", err ? e->text : "not of syscall:getppid");
}

/* Raises *@most to the greatest share that is said. True when what the limit has left out has been tried since. */
static bool look_at_limit(double *most)
{
	const char *at;
	bool is_tried = false;

	at = ask() ? strstr(status, "\"limit\":{") : NULL;
	*most = fmax(*most, fmax(number(at, "busiest_share"), number(at, "idle_share")));
	for (at = at ? strstr(at, "{\"kind\":") : NULL; at; at = strstr(at + 1, "{\"kind\":")) {
		*most = fmax(*most, number(at, "cost_share"));
		is_tried |= number(at, "tries") > 0;
	}
	return is_tried;
}

static bool is_realtime(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

static void test_limit(struct lkst_err *e)
{
	double most = 0;
	int i, err;
	pid_t storm;

	if (LIVE_LKST("start", "--quiet", "--budget", "5%", "-e", "syscall:*")) {
		if (is_realtime())
			printf("skip cost_of_what_is_left_out_is_not_more_than_all: no limit on PREEMPT_RT\n");
		else
			live_fail("cost_of_what_is_left_out_is_said", "lkst start failed");
		return;
	}
	err = exaggerate(e);
	storm = begin_storm();
	for (i = 0; !err && i < ASKED_MAX && !look_at_limit(&most); i++)
		usleep(100000);
	end_storm(storm);
	LIVE_LKST("stop", "--quiet");
	if (err || i == ASKED_MAX)
		live_fail("cost_of_what_is_left_out_is_said", "%s", err ? e->text : status);
	else if (most > 1)
		live_fail("cost_of_what_is_left_out_is_not_more_than_all", "%.2f of a CPU", most);
	else
		live_ok("cost_of_what_is_left_out_is_not_more_than_all");
}

int main(void)
{
	struct lkst_err e = {};

	live_begin();
	test_status(&e);
	test_limit(&e);
	return live_end();
}
