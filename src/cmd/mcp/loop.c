/* SPDX-License-Identifier: GPL-2.0-only */
/* The server: calls wait in a row, since one worker answers them; all else is answered at once. */
#include "cmd/mcp/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/time.h"
#include "base/vec.h"
#include "cmd/mcp/lines.h"
#include "cmd/mcp/protocol.h"
#include "cmd/mcp/tools.h"
#include "cmd/mcp/worker.h"

#define IDLE_NS (5 * 60 * LKST_NS_PER_S) /* then a worker gives its memory back */
#define GRACE_NS (2 * LKST_NS_PER_S)	 /* from asking a worker to end to ending it */

enum {
	READ_MAX = 16 * 1024,
	STEP_MAX_MS = 60 * 1000,
};

struct loop_call {
	u64 number;
	const struct lkst_mcp_tool *tool;
	char *path, *arguments;
};

struct loop {
	const struct lkst_mcp_allowed *allowed;
	u64 timeout_ns;
	struct lkst_mcp_server *server;
	struct lkst_mcp_lines lines;
	int out, out_error;
	bool is_end; /* of the input */

	struct loop_call *calls; /* the first one is being answered, if `is_busy` */
	unsigned int nr_calls;
	struct lkst_mcp_worker *worker;
	bool is_busy;
	bool is_late, is_cancelled; /* the call that is being answered is to end */
	u64 until_ns; /* when something is to be done about it, or when the worker has been idle long enough */
};

/* ---- calls ------------------------------------------------------------------------------------- */

static void loop_say(struct loop *l, u64 number, const char *text)
{
	const struct lkst_mcp_reply reply = { .is_error = true,
					      .text = text,
					      .text_length = strlen(text) };

	lkst_mcp_server_answer(l->server, number, &reply);
}

static void drop_call(struct loop *l, unsigned int i)
{
	free(l->calls[i].path);
	free(l->calls[i].arguments);
	memmove(l->calls + i, l->calls + i + 1, (l->nr_calls - i - 1) * sizeof(*l->calls));
	l->nr_calls--;
}

/* Has the worker of the first call, which is a new one if it is about another trace, or that has become another. */
static int loop_begin_call(struct lkst_err *e, struct loop *l)
{
	const struct loop_call *c = &l->calls[0];
	int err;

	if (l->worker && !lkst_mcp_worker_is_of(l->worker, c->path)) {
		lkst_mcp_worker_free(l->worker);
		l->worker = NULL;
	}
	err = l->worker ? lkst_mcp_worker_call(l->worker, c->tool, c->arguments) : -EPIPE;
	if (err != -EPIPE)
		return err;
	/* There is none, or somebody has killed it meanwhile. */
	lkst_mcp_worker_free(l->worker);
	l->worker = NULL;
	err = lkst_mcp_worker_new(e, c->path, &l->worker);
	if (!err)
		err = lkst_mcp_worker_call(l->worker, c->tool, c->arguments);
	return err;
}

static void begin_next(struct loop *l)
{
	while (l->nr_calls && !l->is_busy) {
		struct lkst_err e = {};

		l->is_late = l->is_cancelled = false;
		if (loop_begin_call(&e, l)) {
			loop_say(l, l->calls[0].number,
				 e.text[0] ? e.text : "the arguments are too long");
			drop_call(l, 0);
			continue;
		}
		l->is_busy = true;
		l->until_ns = lkst_monotonic_ns() + l->timeout_ns;
	}
	if (!l->is_busy)
		l->until_ns = lkst_monotonic_ns() + IDLE_NS;
}

/* The worker has answered, or is gone. */
static void take_answer(struct loop *l)
{
	char late[256];
	struct lkst_mcp_reply reply;
	bool is_there = lkst_mcp_worker_take(l->worker, &reply);

	if (l->is_busy) {
		const u64 number = l->calls[0].number;

		snprintf(
			late, sizeof(late),
			"there was no answer within %llu s: ask for a shorter time by from and to, or for fewer "
			"threads or events; lkst mcp --timeout allows more",
			(unsigned long long)(l->timeout_ns / LKST_NS_PER_S));
		if (l->is_late && reply.is_error)
			loop_say(l, number, late);
		else if (!is_there && !reply.text_length)
			loop_say(l, number,
				 "the process that answered has ended: the trace may be damaged in a way that "
				 "is not known; lkst check may say more");
		else
			lkst_mcp_server_answer(l->server, number, &reply);
		drop_call(l, 0);
		l->is_busy = false;
	}
	if (!is_there) {
		lkst_mcp_worker_free(l->worker);
		l->worker = NULL;
	}
	begin_next(l);
}

/* The call that is being answered is to end: first it is asked to, then made to. */
static void loop_end_call(struct loop *l)
{
	if (l->is_late || l->is_cancelled)
		lkst_mcp_worker_kill(l->worker);
	else
		lkst_mcp_worker_interrupt(l->worker);
	l->until_ns = lkst_monotonic_ns() + GRACE_NS;
}

static void look_at_clock(struct loop *l)
{
	if (lkst_monotonic_ns() < l->until_ns)
		return;
	if (l->is_busy) {
		loop_end_call(l);
		l->is_late = true;
	} else {
		lkst_mcp_worker_free(l->worker);
		l->worker = NULL;
		l->until_ns = UINT64_MAX;
	}
}

/* ---- what the protocol asks -------------------------------------------------------------------- */

static void send_line(void *ctx, const char *line, size_t length)
{
	struct loop *l = ctx;

	if (!l->out_error)
		l->out_error =
			lkst_write_all(l->out, line, length) ?: lkst_write_all(l->out, "\n", 1);
}

static json_t *loop_list_tools(void *ctx, bool has_results)
{
	const struct loop *l = ctx;
	char traces[LKST_MCP_ALLOWED_TEXT], text[LKST_MCP_ALLOWED_TEXT + 64];

	lkst_mcp_allowed_describe(l->allowed, traces);
	snprintf(text, sizeof(text), "which trace, of %s",
		 traces[0] ? traces : "none: none was given");
	return lkst_mcp_tools(text, l->allowed->nr > 1, has_results);
}

static bool has_tool(void *ctx, const char *name)
{
	return lkst_mcp_tool_find(name);
}

/* The trace that the arguments of a call name; null is as good as none. */
static int find_trace(struct lkst_err *e, const struct lkst_mcp_allowed *allowed,
		      const char *arguments, char **ret_path)
{
	json_t *object = json_loads(arguments, 0, NULL), *trace = json_object_get(object, "trace");
	int err;

	if (trace && !json_is_string(trace) && !json_is_null(trace))
		err = lkst_err_set(e, -EINVAL, "trace is the name of one, as text");
	else
		err = lkst_mcp_allowed_find(e, allowed, json_string_value(trace), ret_path);
	json_decref(object);
	return err;
}

static void loop_call_tool(void *ctx, u64 number, const char *tool, const char *arguments)
{
	struct loop *l = ctx;
	_cleanup_free_ char *path = NULL;
	struct loop_call *call = NULL;
	struct lkst_err e = {};

	if (find_trace(&e, l->allowed, arguments, &path)) {
		loop_say(l, number, e.text);
		return;
	}
	call = lkst_vec_add(l->calls, l->nr_calls);
	if (!call) {
		loop_say(l, number, "there is no memory for the call");
		return;
	}
	*call = (struct loop_call){ number, lkst_mcp_tool_find(tool), lkst_take(path),
			       strdup(arguments) };
	if (!call->arguments) {
		loop_say(l, number, "there is no memory for the call");
		drop_call(l, l->nr_calls - 1);
		return;
	}
	begin_next(l);
}

static void loop_cancel_call(void *ctx, u64 number)
{
	struct loop *l = ctx;
	unsigned int i;

	for (i = 0; i < l->nr_calls; i++)
		if (l->calls[i].number == number)
			break;
	if (i == l->nr_calls)
		return;
	if (i || !l->is_busy) {
		drop_call(l, i);
		return;
	}
	loop_end_call(l);
	l->is_cancelled = true;
}

static const struct lkst_mcp_ops ops = {
	.send = send_line,
	.tools = loop_list_tools,
	.has_tool = has_tool,
	.call = loop_call_tool,
	.cancel = loop_cancel_call,
	.instructions =
		"LKST is a flight recorder: its traces say what a Linux kernel did, to the microsecond, and are "
		"read here, not changed. Begin with tool report; then ask why (who waited for whom), analyze (how "
		"long and how often), sql (anything; .tables and .schema NAME first), events (the records), lint. "
		"Times are given as 12:14:05.5, @SECONDS of CLOCK_MONOTONIC, +1.5s from the beginning or -2s before "
		"the end; columns in ns are CLOCK_MONOTONIC. Where records are missing answers say so: what is not "
		"there was not recorded, which is not that it did not happen. An answer that has next_cursor goes on.",
};

/* ---- the loop ---------------------------------------------------------------------------------- */

static int read_input(struct lkst_err *e, struct loop *l)
{
	char bytes[READ_MAX];
	ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));
	int err = 0;

	if (got < 0 && errno != EINTR && errno != EAGAIN)
		return lkst_err_sys(e, -errno, "reading standard input");
	if (got > 0)
		err = lkst_mcp_lines_feed(&l->lines, bytes, (size_t)got, lkst_mcp_server_line,
					  l->server);
	if (!got) {
		lkst_mcp_lines_end(&l->lines, lkst_mcp_server_line, l->server);
		l->is_end = true;
	}
	return err ? lkst_err_sys(e, err, "reading standard input") : 0;
}

static int wait_ms(const struct loop *l)
{
	u64 now = lkst_monotonic_ns(), left = l->until_ns > now ? l->until_ns - now : 0;

	return left < STEP_MAX_MS * 1000000ULL ? (int)(left / 1000000) + 1 : STEP_MAX_MS;
}

static int loop_run(struct lkst_err *e, struct loop *l)
{
	int err = 0;

	while (!err && !l->out_error && (!l->is_end || l->nr_calls)) {
		struct pollfd fds[] = {
			{ .fd = l->is_end ? -1 : STDIN_FILENO, .events = POLLIN },
			{ .fd = l->worker ? lkst_mcp_worker_fd(l->worker) : -1, .events = POLLIN },
			{ .fd = l->out },
		};

		if (poll(fds, 3, wait_ms(l)) < 0 && errno != EINTR)
			return lkst_err_sys(e, -errno, "waiting for the client");
		/* Nobody reads what is answered. */
		if (fds[2].revents & (POLLERR | POLLNVAL))
			return 0;
		if (fds[1].revents)
			take_answer(l);
		look_at_clock(l);
		if (fds[0].revents)
			err = read_input(e, l);
	}
	/* A client that has gone is not an error of this program. */
	if (l->out_error && l->out_error != -EPIPE)
		err = lkst_err_sys(e, l->out_error, "writing");
	return err;
}

static void loop_fini(struct loop *l)
{
	lkst_mcp_worker_free(l->worker);
	while (l->nr_calls)
		drop_call(l, l->nr_calls - 1);
	free(l->calls);
	/* What is left is not answered. */
	l->out_error = -EPIPE;
	lkst_mcp_server_free(l->server);
	lkst_mcp_lines_fini(&l->lines);
	lkst_closep(&l->out);
}

int lkst_mcp_serve(struct lkst_err *e, const struct lkst_mcp_allowed *allowed, u64 timeout_ns)
{
	_cleanup_(loop_fini) struct loop l = { .allowed = allowed,
					       .timeout_ns = timeout_ns,
					       .until_ns = UINT64_MAX };

	/* Only messages go to the client, whoever prints what. */
	l.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (l.out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return lkst_err_sys(e, -errno, "preparing standard output");
	signal(SIGPIPE, SIG_IGN);
	l.server = lkst_mcp_server_new(&ops, &l);
	if (!l.server)
		return lkst_err_sys(e, -ENOMEM, "preparing to serve");
	return loop_run(e, &l);
}
