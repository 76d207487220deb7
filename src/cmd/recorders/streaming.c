/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that stream a recording to files have in common. */
#include "cmd/recorders/streaming.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/frame/rlimits.h"
#include "cmd/recorders/background.h"
#include "cmd/recorders/recording.h"

#define DEFAULT_NAME "lkst-%Y%m%d-%H%M%S"

enum { PROGRESS_NS = 200000000 };

/* ---- the background ----------------------------------------------------------------- */

/* An output that is found from any directory, since the process in the background leaves this one. */
static int choose_output(struct lkst_err *e, struct lkst_streaming *st)
{
	const char *output = st->options->output ?: DEFAULT_NAME;
	_cleanup_free_ char *here = getcwd(NULL, 0);

	if (output[0] == '/')
		st->output = strdup(output);
	else if (!here)
		return lkst_err_sys(e, -errno, "the working directory");
	else if (strchr(here, '%'))
		return lkst_err_set(e, -EINVAL,
				    "a \"%%\" in --output begins a time, and the working directory, %s, has "
				    "one; give a path that begins with /",
				    here);
	else if (asprintf(&st->output, "%s/%s", here, output) < 0)
		st->output = NULL;
	return st->output ? 0 : lkst_err_sys(e, -ENOMEM, "--output");
}

/* 1: the process in the background runs. */
static int go_to_background(struct lkst_err *e, struct lkst_streaming *st)
{
	pid_t pid;
	int err = choose_output(e, st) ?: lkst_background_enter(e, &st->ready, &pid);

	if (err > 0)
		printf("%d\n", (int)pid);
	return err;
}

/* From here on nobody waits for the process in the background, and nobody reads what it prints. */
void lkst_streaming_tell_ready(struct lkst_streaming *st)
{
	if (st->ready < 0)
		return;
	openlog("lkst", LOG_PID, LOG_DAEMON);
	st->is_daemon = true;
	lkst_background_ready(st->ready);
	st->ready = -1;
}

/* ---- what it says ------------------------------------------------------------------- */

static void streaming_say(const struct lkst_streaming *st, const char *text)
{
	if (st->is_daemon) {
		syslog(LOG_WARNING, "%s", text);
		return;
	}
	fputs(isatty(STDERR_FILENO) ? "\r\033[K" : "", stderr);
	lkst_print_message(stderr, "lkst: %s", text);
}

/* Reports when a full disk begins and ends, even with --quiet: records are being lost. */
static void say_full(struct lkst_streaming *st, const struct lkst_recorder_status *s)
{
	if (s->is_full && !st->said_full)
		streaming_say(st, lkst_rlimits_has_file_size()
				? "the disk is full, or a file may not become larger (ulimit -f): recording goes "
				  "on in memory only"
				: "the disk is full: recording goes on in memory only, and is written as soon "
				  "as there is space again");
	if (!s->is_full && st->said_full)
		streaming_say(st,
			      "there is space again; what was overwritten meanwhile is named in the trace");
	st->said_full = s->is_full;
}

static void streaming_show_progress(struct lkst_streaming *st, bool last)
{
	struct lkst_recorder_status s = lkst_recorder_status(st->recorder);
	u64 elapsed = lkst_monotonic_ns() - st->start_ns;
	char size[LKST_SIZE_TEXT];

	say_full(st, &s);
	if (st->options->quiet || st->is_daemon || (!last && !isatty(STDERR_FILENO)))
		return;
	lkst_size_format(s.bytes, size);
	fputs(isatty(STDERR_FILENO) ? "\r\033[K" : "", stderr);
	fprintf(stderr, "recorded %.1f s, ", elapsed / 1e9);
	fputs(size, stderr);
	if (s.nr_parts > 1)
		fprintf(stderr, " in %u parts", s.nr_parts);
	if (s.overtaken)
		fprintf(stderr,
			", %llu blocks overwritten before they were written: take a larger "
			"--buffer",
			(unsigned long long)s.overtaken);
	if (last)
		fputc('\n', stderr);
	fflush(stderr);
}

/* ---- the loop ----------------------------------------------------------------------- */

enum wake {
	WAKE_STEP,
	WAKE_SWITCH,
	WAKE_END,
};

/* Waits up to @ms for a signal. */
static enum wake wait_for_signal(struct lkst_streaming *st, unsigned int ms)
{
	struct pollfd p = { .fd = st->signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&p, 1, (int)ms) <= 0 || read(st->signals, &info, sizeof(info)) != sizeof(info))
		return WAKE_STEP;
	if (info.ssi_signo == SIGUSR2)
		return WAKE_SWITCH;
	return info.ssi_signo == SIGCHLD ? WAKE_STEP : WAKE_END;
}

static bool streaming_is_over(const struct lkst_streaming *st)
{
	return st->has_ended(st->ctx) ||
	       (st->options->for_ns && lkst_monotonic_ns() - st->start_ns >= st->options->for_ns);
}

/* How long to wait: not beyond the end of the time that was asked for. */
static unsigned int limit_ms(const struct lkst_streaming *st, unsigned int ms)
{
	u64 elapsed = lkst_monotonic_ns() - st->start_ns, left;

	if (!st->options->for_ns)
		return ms;
	left = elapsed < st->options->for_ns ? (st->options->for_ns - elapsed) / 1000000 + 1 : 0;
	return left < ms ? (unsigned int)left : ms;
}

int lkst_streaming_wait(struct lkst_streaming *st, unsigned int ms)
{
	return wait_for_signal(st, limit_ms(st, ms)) == WAKE_END || streaming_is_over(st);
}

bool lkst_streaming_is_told(struct lkst_streaming *st, unsigned int ms)
{
	return wait_for_signal(st, ms) == WAKE_END;
}

int lkst_streaming_delay(struct lkst_streaming *st, u64 delay_ns)
{
	u64 end_ns = lkst_monotonic_ns() + delay_ns, now;

	while ((now = lkst_monotonic_ns()) < end_ns) {
		u64 left_ms = (end_ns - now) / 1000000 + 1;

		if (wait_for_signal(st, left_ms < 1000 ? (unsigned int)left_ms : 1000) ==
			    WAKE_END ||
		    st->has_ended(st->ctx))
			return 1;
	}
	return 0;
}

int lkst_streaming_run(struct lkst_streaming *st)
{
	u64 shown_ns = st->start_ns;
	enum wake wake;
	int err = 0;

	lkst_streaming_tell_ready(st);
	for (;;) {
		wake = wait_for_signal(st, limit_ms(st, lkst_recorder_pause_ms(st->recorder)));
		if (wake == WAKE_END || streaming_is_over(st))
			return 0;
		err = lkst_recorder_step(st->e, st->recorder);
		if (!err && wake == WAKE_SWITCH)
			err = lkst_recorder_switch(st->e, st->recorder);
		if (err)
			return err;
		if (lkst_monotonic_ns() - shown_ns > PROGRESS_NS) {
			streaming_show_progress(st, false);
			shown_ns = lkst_monotonic_ns();
		}
	}
}

int lkst_streaming_finish(struct lkst_streaming *st)
{
	int err = lkst_recorder_finish(st->e, st->recorder);

	streaming_show_progress(st, true);
	if (!err && lkst_recorder_is_packing(st->recorder) && !st->options->quiet && !st->is_daemon)
		fprintf(stderr, "compressing the rest (Ctrl-C leaves it as it is) ...\n");
	while (!err && lkst_recorder_is_packing(st->recorder))
		if (wait_for_signal(st, 50) == WAKE_END)
			break;
	return err;
}

/* ---- lifetime ----------------------------------------------------------------------- */

static int streaming_take_signals(struct lkst_err *e, struct lkst_streaming *st, sigset_t *ret_mask)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, ret_mask);
	st->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return st->signals < 0 ? lkst_err_sys(e, -errno, "preparing for signals") : 0;
}

int lkst_streaming_init(struct lkst_err *e, const struct lkst_streaming_options *options,
			struct lkst_streaming *st, sigset_t *ret_mask)
{
	struct lkst_rotation ignored;
	int err = 0;

	*st = (struct lkst_streaming){ .e = e, .options = options, .signals = -1, .ready = -1 };
	st->start_ns = lkst_monotonic_ns();
	if (options->rotate)
		err = lkst_rotation_parse(e, options->rotate, &ignored);
	if (err) {
		lkst_err_add(e, "--rotate");
		return err;
	}
	err = lkst_access_parse(e, &options->access, &st->access);
	if (!err && options->daemon)
		err = go_to_background(e, st);
	return err ? err : streaming_take_signals(e, st, ret_mask);
}

int lkst_streaming_begin(struct lkst_streaming *st, const struct lkst_session *s, u64 since_ns)
{
	struct lkst_recorder_options options = { .name = st->output ?: st->options->output ?: DEFAULT_NAME,
						 .access = &st->access,
						 .compress = st->options->compress,
						 .symbols = !st->options->no_symbols,
						 .since_ns = since_ns,
						 .is_filtered = st->is_filtered };
	int err = 0;

	if (st->options->rotate)
		err = lkst_rotation_parse(st->e, st->options->rotate, &options.rotation);
	if (!err && options.symbols)
		err = lkst_recording_check_symbols(st->e, s, st->options->symbols, st->options->quiet);
	if (!err)
		err = lkst_recorder_new(st->e, s, &options, &st->recorder);
	st->start_ns = lkst_monotonic_ns();
	return err;
}

static void log_error(const struct lkst_err *e)
{
	char text[4 * LKST_ERR_MAX];

	*lkst_put_escaped(text, e->text, strlen(e->text), NULL) = 0;
	syslog(LOG_ERR, "%s", text);
}

int lkst_streaming_fini(struct lkst_streaming *st, int err)
{
	struct lkst_recorder_status s = {};
	_cleanup_free_ char *name = NULL;
	struct lkst_err free_e;
	int free_err;

	if (st->recorder) {
		s = lkst_recorder_status(st->recorder);
		name = strdup(s.name);
	}
	free_err = lkst_recorder_free(err ? &free_e : st->e, st->recorder);
	err = err ?: free_err;
	lkst_closep(&st->signals);
	st->signals = -1;
	if (st->ready >= 0)
		close(st->ready);
	free(st->output);
	st->output = NULL;
	if (err && st->is_daemon)
		log_error(st->e);
	if (!err && name && !st->options->quiet && !st->is_daemon)
		lkst_print_message(stderr, "%s: `lkst print %s` shows it", name, name);
	return err;
}
