// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: all
 *
 * What `lkst status` says of the cost of a system call is what a load pays: in CPU time of two processes that wait for
 * each other's byte, with recording, with hooks that record nothing, and without, by turns. The rates that it says
 * are those of the calls: of runs that record nothing, and of records, also where the ring goes round many times
 * while they are counted.
 */
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "live.h"
#include "live/session/session.h"

enum {
	ROUNDS = 4,
	TRIES_MAX = 16, /* where the measurement was disturbed, as on a busy machine */
	BATCHES =
		30, /* in a round; the least counts, as it is for others that the machine is busy */
	EXCHANGES = 500, /* in a batch */
	EVENTS = 8,	 /* of an exchange: a write and a read of either process */
	CALLS = 5000,	 /* of the process whose rate is looked at, before it is */
	ASKED_MAX = 20,	 /* times that the status is taken until it tells of that process */
	STATUS_MAX = 1 << 20,
};

/* What the status says of the kind. */
struct said {
	double hook_ns, handler_ns, per_s, idle_per_s;
};

static double cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The two processes: this one writes first, its child answers. Both stay on one CPU. */
static int to_child[2], from_child[2];

static void start_child(void)
{
	cpu_set_t one;
	char byte;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(to_child) || pipe(from_child))
		abort();
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(to_child[0], &byte, 1) == 1 && write(from_child[1], &byte, 1) == 1)
		;
	_exit(0);
}

/* Makes *@least what an exchange takes of both processes, if that is less. */
static void exchange_often(double *least)
{
	unsigned int batch, i;
	char byte = 0;

	for (batch = 0; batch < BATCHES; batch++) {
		double before = cpu_time_ns(), took;

		for (i = 0; i < EXCHANGES; i++)
			if (write(to_child[1], &byte, 1) != 1 || read(from_child[0], &byte, 1) != 1)
				abort();
		took = 2 * (cpu_time_ns() - before) / EXCHANGES;
		if (!*least || took < *least)
			*least = took;
	}
}

/* The number after "@name": in @row, which ends with a brace; 0: it is not there. */
static double number(const char *row, const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(row, key);
	return at && at < strchr(row, '}') ? atof(at + strlen(key)) : 0;
}

/* False: it is not said. */
static bool ask_status(const char *call, struct said *ret)
{
	static char text[STATUS_MAX];
	char command[300], kind[64];
	const char *row;
	FILE *f;

	snprintf(command, sizeof(command), "%s status --json", live_lkst());
	f = popen(command, "re");
	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	pclose(f);
	snprintf(kind, sizeof(kind), "{\"kind\":\"syscall:%s\"", call);
	row = strstr(text, kind);
	if (!row)
		return false;
	*ret = (struct said){ number(row, "hook_ns"), number(row, "handler_ns"),
			      number(row, "per_s"), number(row, "idle_per_s") };
	return true;
}

/*
 * Calls in another process while the status is taken. *@ret_rate: calls in a second meanwhile, by that
 * process's own count. The status looks for a moment only, in which a busy machine may not run that process.
 */
static bool ask_under_load(struct said *ret, double *ret_rate)
{
	volatile u64 *calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool is_said = false;
	u64 before, from;
	unsigned int i;
	pid_t pid;

	if (calls == MAP_FAILED)
		return false;
	pid = fork();
	while (!pid) {
		syscall(SYS_getppid);
		(*calls)++;
	}
	while (pid > 0 && *calls < CALLS)
		usleep(1000);
	for (i = 0; i < ASKED_MAX && !is_said; i++) {
		before = *calls;
		from = live_now_ns();
		is_said = ask_status("getppid", ret);
		*ret_rate = (*calls - before) * 1e9 / (live_now_ns() - from);
	}
	kill(pid, SIGKILL);
	live_wait(pid);
	munmap((void *)calls, sizeof(*calls));
	return is_said;
}

static int set_recording(struct lkst_err *e, bool on)
{
	struct lkst_session *s = NULL;
	int err = lkst_session_open(e, &s);

	if (!err) {
		/* What it was when it was opened is what to come back to. */
		static u32 maskset;
		struct lkst_control *c = lkst_session_control(s);

		if (!on)
			maskset = c->active;
		__atomic_store_n(&c->active, on ? maskset : (u32)LKST_MASKSET_RNOTHING,
				 __ATOMIC_RELEASE);
	}
	lkst_session_close(s);
	return err;
}

/* What the status says, and what was measured. */
struct figure {
	const char *name, *what;
	double said, is;
};

enum { OF_A_HOOK, OF_A_RECORD, RECORDS, IDLE_RUNS, NR_FIGURES };

static struct figure figures[NR_FIGURES] = {
	[OF_A_HOOK] = { "cost_of_a_hook_that_records_nothing", "ns for each exchange", 0, 0 },
	[OF_A_RECORD] = { "cost_of_a_record", "ns for each exchange", 0, 0 },
	[RECORDS] = { "cost_counts_records", "records a second", 0, 0 },
	[IDLE_RUNS] = { "cost_counts_idle_runs", "runs a second", 0, 0 },
};

/* What was measured, in the rounds of a try: the least. A machine that is faster for a second spoils one try only. */
static struct {
	double bare, idle, recorded;
} least;

/* What was said in each. Where the machine was busy, that is too much, or too little if it was busier without hooks. */
static double hooks[ROUNDS], handlers[ROUNDS];
static int nr_rounds;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *of)
{
	double sorted[ROUNDS];

	memcpy(sorted, of, sizeof(sorted));
	qsort(sorted, nr_rounds, sizeof(*sorted), compare);
	return sorted[nr_rounds / 2];
}

/* One of both at most twice the other. */
static bool agrees(const struct figure *f)
{
	return f->is > 0 && f->said <= 2 * f->is && f->is <= 2 * f->said;
}

/* A rate is that of a moment, and stays as soon as it is one at which nothing else came between. */
static void take_rate(struct figure *f, double said, double is)
{
	if (f->is && agrees(f))
		return;
	f->said = said;
	f->is = is;
}

static int take_turn(struct lkst_err *e)
{
	double rate = 0, idle_rate = 0;
	struct said said = {}, said_idle = {};
	int err;

	exchange_often(&least.bare);
	if (LIVE_LKST("start", "--quiet", "--budget", "none", "-e", "syscall:*", "--buffer", "64K"))
		return lkst_err_set(e, -EIO, "lkst start failed");
	exchange_often(&least.recorded);
	if (!ask_under_load(&said, &rate))
		live_fail("cost_is_said", "not of syscall:getppid");
	err = set_recording(e, false);
	exchange_often(&least.idle);
	if (!err && !ask_under_load(&said_idle, &idle_rate))
		live_fail("cost_of_idle_hooks_is_said", "not of syscall:getppid");
	LIVE_LKST("stop", "--quiet");
	hooks[nr_rounds] = said.hook_ns;
	handlers[nr_rounds++] = said.handler_ns;
	/* An entry and an exit. */
	take_rate(&figures[RECORDS], said.per_s, 2 * rate);
	take_rate(&figures[IDLE_RUNS], said_idle.idle_per_s, 2 * idle_rate);
	figures[OF_A_HOOK].said = EVENTS * median(hooks);
	figures[OF_A_HOOK].is = least.idle - least.bare;
	figures[OF_A_RECORD].said = EVENTS * (median(hooks) + median(handlers));
	figures[OF_A_RECORD].is = least.recorded - least.bare;
	return err;
}

static bool all_agree(void)
{
	int i = 0;

	while (i < NR_FIGURES && agrees(&figures[i]))
		i++;
	return i == NR_FIGURES;
}

/* False: it has failed. */
static bool take_try(void)
{
	struct lkst_err e = {};

	memset(&least, 0, sizeof(least));
	for (nr_rounds = 0; nr_rounds < ROUNDS && !live_failed;)
		if (take_turn(&e))
			live_fail("cost_is_measured", "%s", e.text);
	return !live_failed;
}

static void take_turns(void)
{
	int i, tries = 0;

	do {
		if (!take_try())
			return;
	} while (++tries < TRIES_MAX && !all_agree());
	for (i = 0; i < NR_FIGURES; i++)
		if (agrees(&figures[i]))
			live_ok(figures[i].name);
		else
			live_fail(figures[i].name, "%s: %.1f is said, and it is %.1f", figures[i].what,
				  figures[i].said, figures[i].is);
}

int main(void)
{
	live_begin();
	start_child();
	take_turns();
	return live_end();
}
