/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst inject: makes a function fail, as often as was asked for, and records each time. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/frame/answer.h"
#include "cmd/frame/inject_allowed.h"
#include "cmd/frame/end_signals.h"
#include "cmd/recorders/verbs.h"
#include "live/inject/injections.h"

struct inject_options {
	const char *program;
	bool system_wide, list, disarm, quiet;
	struct lkst_answer_form form;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct inject_options, program, .name = "exec", .letter = 'x',
		    .argument = "PROGRAM",
		    .help = "the function is one of this program or library"),
	LKST_OPTION(FLAG, struct inject_options, system_wide, .name = "system-wide",
		    .help = "it may fail in every process, without pid or comm"),
	LKST_OPTION(FLAG, struct inject_options, list, .name = "list", .letter = 'l',
		    .help = "list the injections that are armed"),
	LKST_OPTION(FLAG, struct inject_options, disarm, .name = "disarm",
		    .help = "disarm all that are armed"),
	LKST_ANSWER_ROWS(struct inject_options, form, "with --list: how to print it"),
	LKST_OPTION(FLAG, struct inject_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

enum {
	LOOK_MS = 100, /* between two looks at whether it is over */
};

/* ---- listing and disarming all ---------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "pid", NULL, LKST_COLUMN_COUNT, "of the command that has armed it" },
	{ "event", NULL, LKST_COLUMN_TEXT, "what its records are called" },
	{ "calls", NULL, LKST_COLUMN_COUNT, "that were meant, so far" },
	{ "injected", NULL, LKST_COLUMN_COUNT, "how often the function was made to fail" },
	{ "left_ns", NULL, LKST_COLUMN_COUNT, "how long it stays armed, ns" },
	{ "injection", NULL, LKST_COLUMN_TEXT, "as it was written" },
};

static int inject_put_row(void *ctx, struct lkst_injection_state *state)
{
	struct lkst_table *t = ctx;
	u64 now = lkst_monotonic_ns();

	if (lkst_injection_is_over(state, 0, now))
		return 0;
	state->event[sizeof(state->event) - 1] = 0;
	state->text[sizeof(state->text) - 1] = 0;
	lkst_table_row(t);
	lkst_table_u64(t, state->pid);
	lkst_table_str(t, state->event);
	lkst_table_u64(t, state->calls);
	lkst_table_u64(t, state->injected);
	lkst_table_u64(t, state->expires_ns - now);
	lkst_table_str(t, state->text);
	return 0;
}

static int inject_list(struct lkst_err *e, const struct inject_options *o)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	struct lkst_answer a;
	int err;

	lkst_table_init_of(&t, "injections", "", columns);
	err = lkst_injections_each(e, inject_put_row, &t) ?: lkst_answer_begin(e, &o->form, &a);
	if (err)
		return err;
	lkst_answer_table(&a, &t);
	return lkst_answer_end(&a, 0);
}

static int disarm(struct lkst_err *e, const struct inject_options *o)
{
	u32 nr = 0;
	int err = lkst_injections_disarm(e, &nr);

	if (!err && !o->quiet)
		printf("%u disarmed\n", nr);
	return err;
}

/* ---- what is asked for ------------------------------------------------------------------------ */

/* Words of the command line are one injection; a first one that is a path is the program. */
static int inject_read_words(struct lkst_err *e, const struct inject_options *o, char **args,
			     unsigned int nr_args, const char **program, struct lkst_injection *ret)
{
	char text[LKST_INJECTION_TEXT] = "";
	size_t used = 0;
	unsigned int i;

	*program = o->program;
	if (nr_args && args[0][0] == '/' && !*program) {
		*program = *args++;
		nr_args--;
	}
	for (i = 0; i < nr_args && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 args[i]);
	if (used >= sizeof(text))
		return lkst_err_set(e, -E2BIG, "an injection has at most %d characters",
				    LKST_INJECTION_TEXT - 1);
	return lkst_injection_parse(e, text, ret);
}

/* Whether process @pid runs this program. */
static bool is_lkst(u32 pid)
{
	char path[32];
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	return !stat("/proc/self/exe", &own) && !stat(path, &other) && own.st_dev == other.st_dev &&
	       own.st_ino == other.st_ino;
}

/* Who may be meant. A descriptor of the process goes to *@ret_process; -1: no process is named. */
static int check_process(struct lkst_err *e, const struct inject_options *o,
			 const struct lkst_injection *i, int *ret_process)
{
	*ret_process = -1;
	if (!i->pid && !i->comm[0] && !o->system_wide)
		return lkst_err_set(
			e, -EINVAL,
			"say in which process: pid PID or comm NAME; or --system-wide, in "
			"all but the first one and lkst");
	if (!i->pid)
		return 0;
	if (is_lkst(i->pid))
		return lkst_injection_refuse(e, -EPERM, i, i->pid_at,
					     "process %u is one of lkst, which is left alone",
					     i->pid);
	*ret_process = (int)syscall(SYS_pidfd_open, (pid_t)i->pid, 0);
	if (*ret_process < 0)
		return lkst_injection_refuse(e, -ESRCH, i, i->pid_at,
					     "there is no process %u (a thread is named by comm)",
					     i->pid);
	return 0;
}

/* ---- while it is armed ------------------------------------------------------------------------ */

/* Why it is over; NULL: it is not. */
static const char *why_over(const struct lkst_injection_state *state, u64 times,
			    const struct lkst_session *s)
{
	if (!lkst_session_is_current(s))
		return "the recording was stopped";
	if (__atomic_load_n(&state->disarmed, __ATOMIC_RELAXED))
		return "it was disarmed";
	if (!lkst_injection_is_over(state, times, lkst_monotonic_ns()))
		return NULL;
	return lkst_monotonic_ns() >= state->expires_ns ? "its time is over"
							: "that was as often as it was to be";
}

/* Until it is over, a signal comes, or the process that is meant ends. Returns why. */
static const char *wait_until_over(const struct lkst_injection_state *state, u64 times,
				   const struct lkst_session *s, int signals, int process)
{
	struct pollfd p[] = { { .fd = signals, .events = POLLIN },
			      { .fd = process, .events = POLLIN } };
	const char *why = NULL;

	while (!why) {
		if (poll(p, 2, LOOK_MS) < 0 && errno != EINTR)
			return "waiting failed";
		if (p[0].revents)
			why = "a signal came";
		else if (p[1].revents)
			why = "the process has ended";
		else
			why = why_over(state, times, s);
	}
	return why;
}

static void print_armed(const struct lkst_injection_state *state, const struct lkst_injection *i)
{
	char value[LKST_INJECTION_VALUE], time[LKST_DURATION_TEXT];

	lkst_duration_format(i->for_ns, time);
	printf("armed: %s returns %s, for %s at most\n", state->event + strlen("inject:"),
	       lkst_injection_value(i->value, value), time);
	fflush(stdout);
}

static void print_end(const struct lkst_armed *a, const char *why)
{
	const struct lkst_injection_state *state = lkst_armed_state(a);
	u64 missed = lkst_armed_missed(a);

	printf("disarmed, since %s: %llu injected in %llu calls\n", why,
	       (unsigned long long)state->injected, (unsigned long long)state->calls);
	if (missed)
		printf("%llu calls more ran as always, since the kernel was in the program already\n",
		       (unsigned long long)missed);
}

static int inject(struct lkst_err *e, const struct inject_options *o, const struct lkst_injection *i,
		  const struct lkst_injection_place *place, int process)
{
	_cleanup_(lkst_armed_freep) struct lkst_armed *a = NULL;
	_cleanup_close_ int signals = lkst_end_signals_open(e);
	struct lkst_job job = { .e = e, .turn.lock = -1 };
	const char *why;
	int err = signals < 0 ? signals : lkst_job_open(&job, LKST_TURN_CHANGE);

	err = err ?: lkst_injection_arm(e, job.s, i, place, &a);
	if (err) {
		lkst_job_close(&job);
		return err;
	}
	lkst_job_give_turn(&job);
	if (!o->quiet)
		print_armed(lkst_armed_state(a), i);
	why = wait_until_over(lkst_armed_state(a), i->times, job.s, signals, process);
	if (!o->quiet)
		print_end(a, why);
	lkst_job_close(&job);
	return 0;
}

static int inject_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct inject_options *o = options;
	struct lkst_injection_place place;
	_cleanup_close_ int process = -1;
	struct lkst_injection i;
	const char *program;
	int err;

	if ((o->list || o->disarm) && (nr_args || o->list == o->disarm))
		return lkst_err_set(e, -EINVAL, "--list and --disarm go alone");
	if (o->list)
		return inject_list(e, o);
	if (o->disarm)
		return disarm(e, o);
	if (!nr_args)
		return lkst_err_set(e, -EINVAL, "an injection is missing; see --help");
	err = lkst_inject_check_allowed(e) ?: inject_read_words(e, o, args, nr_args, &program, &i);
	err = err ?: check_process(e, o, &i, &process);
	err = err ?: lkst_injection_find(e, &i, program, &place);
	return err ?: inject(e, o, &i, &place, process);
}

const struct lkst_cmd lkst_cmd_inject = {
	.name = "inject",
	.summary = "make a function fail, and record each time",
	.args = "[INJECTION...]",
	.help = "Makes a function return an error without running it, at the calls that you name, while the\n"
		"command runs. Each time is an event of the running recording, inject:FUNC. An injection is:\n"
		"\n"
		"  FUNC return VALUE [from CALLER|under CALLER] [call N] [every N] [times N]\n"
		"       [probability P%] [pid PID] [comm NAME] [for TIME]\n"
		"\n"
		"VALUE is -ENOMEM, a number, NULL or true. FUNC is a function that the kernel lets fail, a system\n"
		"call by its name, or a function of a program (--exec). It is for one minute if TIME is not\n"
		"given, for one hour at most. It ends with the command, however that ends, and with the recording.\n"
		"\n"
		"Programs and kernels handle errors that never come badly: this may lose data. So it needs root,\n"
		"and the line \"inject = allowed\" in /etc/lkst/lkst.conf. doc/inject.md says what can fail.",
	.examples =
		"  lkst inject 'mkdir return -ENOSPC call 5 comm make'\n"
		"  lkst inject 'security_file_open return -EACCES probability 10% pid 4711 for 30s'\n"
		"  lkst inject 'should_failslab return -ENOMEM under ext4_mkdir every 3' --system-wide\n"
		"  lkst inject -x ./server 'load return NULL from start call 5 comm server'\n"
		"  lkst inject --list\n"
		"  lkst inject --disarm\n",
	.options = rows,
	.options_size = sizeof(struct inject_options),
	.max_args = LKST_ARGS_MAX,
	.run = inject_run,
};
