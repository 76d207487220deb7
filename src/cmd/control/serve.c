/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lkst serve: answers members of a group over a socket: status and snapshots, nothing else. Each
 * request is answered by a separate child, so that a slow or hostile client holds up nobody: each
 * answer has a time limit, and the number and the rate of requests are limited.
 *
 * A client's bytes are one request of fixed size. A path that a client names is never opened: a trace is
 * sent as a stream, and the client makes the directory with its own rights.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "cmd/control/listen.h"
#include "cmd/control/status.h"
#include "cmd/frame/cmd.h"
#include "cmd/recorders/remote.h"
#include "cmd/recorders/turn.h"
#include "live/drain/snapshot.h"
#include "live/hooks/pins.h"
#include "live/state/state_stream.h"
#include "trace/write/wire.h"

enum {
	CHILDREN_MAX = 8, /* answers at the same time */
	CHILDREN_PER_USER_MAX = 2,
	REQUEST_S = 5,	 /* in which the request must have come */
	STALL_S = 10,	 /* in which the client must take at least a byte */
	ANSWER_S = 300,	 /* for all of it */
	BURST = 10,	 /* requests that a user may make at once ... */
	USERS_MAX = 256, /* users whose rate is remembered */
};

/* ... and one per this time in the long run. */
#define REQUEST_EVERY_NS LKST_NS_PER_S

struct serve_options {
	const char *socket, *group;
	u64 idle_ns;
	bool kernel_addresses;
};

static const struct serve_options defaults = { .socket = LKST_SOCKET_PATH, .group = "lkst" };

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct serve_options, socket, .name = "socket", .argument = "PATH",
		    .standard = LKST_SOCKET_PATH,
		    .help = "listen there, unless the service manager hands a socket over"),
	LKST_OPTION(TEXT, struct serve_options, group, .name = "group", .argument = "NAME",
		    .standard = "lkst",
		    .help = "the group whose members are answered, besides root"),
	LKST_OPTION(DURATION, struct serve_options, idle_ns, .name = "idle", .argument = "TIME",
		    .standard = "never", .help = "end when nobody has asked for so long"),
	LKST_OPTION(FLAG, struct serve_options, kernel_addresses, .name = "kernel-addresses",
		    .help = "send addresses of the kernel as they are; without this snapshots\n"
			    "have hashes in their place, and do not tell where it lies"),
	{},
};

/* A user's rate: requests that may still be made, as time (a bucket that fills at one per second). */
struct user {
	uid_t uid;
	u64 full_at_ns; /* when the bucket is full again */
};

struct server {
	int listen_fd, signal_fd;
	gid_t gid;
	bool kernel_addresses; /* are sent as they are */
	struct {
		pid_t pid; /* 0: free */
		uid_t uid;
	} children[CHILDREN_MAX];
	struct user users[USERS_MAX];
	unsigned int nr_users;
};

/* ---- the child: one answer ---------------------------------------------------------- */

static int read_request(struct lkst_err *e, int fd, struct lkst_wire_request *ret_request)
{
	u8 bytes[sizeof(*ret_request)];

	alarm(REQUEST_S);
	if (recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
		return lkst_err_set(e, -EPROTO, "no request came");
	alarm(ANSWER_S);
	return lkst_wire_request_parse(e, bytes, ret_request);
}

static int answer_status(struct lkst_err *e, int fd, enum lkst_wire_form form)
{
	_cleanup_free_ char *page = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&page, &length);
	int err;

	if (!to)
		return lkst_err_sys(e, -ENOMEM, "making the status");
	err = lkst_status_write(e, form, to);
	if (fclose(to) && !err)
		err = lkst_err_sys(e, -errno, "making the status");
	if (!err && length > LKST_WIRE_PAGE_MAX)
		err = lkst_err_set(e, -EFBIG, "the status is too long");
	return err ? err : lkst_wire_send_text(fd, LKST_WIRE_PAGE, page, length);
}

static int answer_snapshot(struct lkst_err *e, int fd, u64 last_ns, bool kernel_addresses)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_(lkst_readings_fini) struct lkst_readings readings = {};
	_cleanup_free_ struct lkst_wire_sender *sender = calloc(1, sizeof(*sender));
	const struct lkst_snapshot_options what = { .last_ns = last_ns,
						    .symbols = true,
						    .is_by_address = !kernel_addresses,
						    .readings = &readings };
	struct lkst_hider hider;
	struct lkst_writer *w = NULL;
	struct lkst_turn turn;
	int err = sender ? lkst_turn_take(e, LKST_TURN_SOON, &turn)
			 : lkst_err_sys(e, -ENOMEM, "answering");

	if (err)
		return err;
	err = lkst_session_open(e, &s);
	/* As for every snapshot, while nobody else writes there. */
	if (!err)
		err = lkst_state_keep_machine(e, s);
	if (!err)
		lkst_readings_take(s, &readings);
	/* Not kept while sending: a slow client must not make `lkst stop` wait. */
	lkst_turn_give(&turn);
	if (err)
		return err;
	hider.catalog = lkst_session_catalog(s);
	memcpy(hider.key, lkst_session_control(s)->address_key, sizeof(hider.key));
	sender->fd = fd;
	sender->hider = kernel_addresses ? NULL : &hider;
	err = lkst_wire_writer_open(e, sender, lkst_session_catalog(s), &w);
	if (err)
		return err;
	err = lkst_snapshot_write(e, s, &what, w);
	return lkst_writer_close(e, w, err);
}

static int serve_answer(struct lkst_err *e, int fd, bool kernel_addresses)
{
	struct timeval stall = { .tv_sec = STALL_S };
	struct lkst_wire_request request;
	int err;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &stall, sizeof(stall)))
		return lkst_err_sys(e, -errno, "limiting how long a client may take");
	err = read_request(e, fd, &request);
	if (!err)
		err = request.what == LKST_WIRE_STATUS
			      ? answer_status(e, fd, request.form)
			      : answer_snapshot(e, fd, request.last_ns, kernel_addresses);
	if (err)
		return err;
	return lkst_wire_send(fd, LKST_WIRE_END, 0, NULL, 0);
}

static _Noreturn void run_child(const struct server *s, int fd)
{
	struct lkst_err e = {};
	sigset_t none;
	int err;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close(s->listen_fd);
	close(s->signal_fd);
	err = serve_answer(&e, fd, s->kernel_addresses);
	/* A client that reads nothing does not read this either. */
	if (err && err != -EAGAIN && err != -EPIPE)
		lkst_wire_send_text(fd, LKST_WIRE_ERROR, e.text, strlen(e.text));
	_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- the server --------------------------------------------------------------------- */

static void serve_reap(struct server *s)
{
	unsigned int i;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (i = 0; i < CHILDREN_MAX; i++)
			if (s->children[i].pid == pid)
				s->children[i].pid = 0;
}

static unsigned int count_children(const struct server *s, bool of_all, uid_t uid)
{
	unsigned int nr = 0, i;

	for (i = 0; i < CHILDREN_MAX; i++)
		nr += s->children[i].pid && (of_all || s->children[i].uid == uid);
	return nr;
}

/* The user's row; one that is new takes the place of the one whose bucket has been full longest. */
static struct user *find_user(struct server *s, uid_t uid)
{
	struct user *oldest = &s->users[0];
	unsigned int i;

	for (i = 0; i < s->nr_users; i++) {
		if (s->users[i].uid == uid)
			return &s->users[i];
		if (lkst_time_is_before(s->users[i].full_at_ns, oldest->full_at_ns))
			oldest = &s->users[i];
	}
	if (s->nr_users < USERS_MAX)
		oldest = &s->users[s->nr_users++];
	*oldest = (struct user){ .uid = uid };
	return oldest;
}

static bool takes_too_many(struct server *s, uid_t uid)
{
	struct user *u = find_user(s, uid);
	u64 now = lkst_monotonic_ns();

	if (u->full_at_ns < now)
		u->full_at_ns = now;
	if (u->full_at_ns - now > (BURST - 1) * REQUEST_EVERY_NS)
		return true;
	u->full_at_ns += REQUEST_EVERY_NS;
	return false;
}

/* Why the client that @fd is connected to is not answered; NULL: it is. */
static const char *refusal(struct server *s, int fd, uid_t *ret_uid, pid_t *ret_pid)
{
	if (!lkst_peer_may(fd, s->gid, ret_uid, ret_pid))
		return "only members of the service's group are answered; `id` shows yours";
	if (takes_too_many(s, *ret_uid))
		return "you ask too often; once a second is fine";
	if (count_children(s, false, *ret_uid) >= CHILDREN_PER_USER_MAX)
		return "you have as many requests open as one user may; wait for one to end";
	if (count_children(s, true, 0) >= CHILDREN_MAX)
		return "as many requests as may be are open; try again later";
	return NULL;
}

static void serve_refuse(int fd, const char *why)
{
	u8 request[sizeof(struct lkst_wire_request)];

	/* What was received is read first, or closing would discard the reason as well. */
	recv(fd, request, sizeof(request), MSG_DONTWAIT);
	lkst_wire_send_text(fd, LKST_WIRE_ERROR, why, strlen(why));
}

static void accept_one(struct server *s)
{
	_cleanup_close_ int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	unsigned int i = 0;
	const char *why;
	uid_t uid = -1;
	pid_t pid = 0;

	if (fd < 0)
		return;
	why = refusal(s, fd, &uid, &pid);
	if (why) {
		serve_refuse(fd, why);
		return;
	}
	while (s->children[i].pid)
		i++;
	s->children[i].pid = fork();
	s->children[i].uid = uid;
	if (!s->children[i].pid)
		run_child(s, fd);
	if (s->children[i].pid < 0) {
		s->children[i].pid = 0;
		serve_refuse(fd, "the service has no process to spare; try again later");
		return;
	}
	fprintf(stderr, "answering user %u, process %d\n", uid, pid);
}

/* What is to be read when a child has ended, or this process is to. */
static int serve_open_signals(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* True if one of them asks this process to end. */
static bool take_signals(int fd)
{
	struct signalfd_siginfo info;
	bool is_ending = false;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		is_ending |= info.ssi_signo != SIGCHLD;
	return is_ending;
}

static int serve(struct lkst_err *e, struct server *s, u64 idle_ns)
{
	const struct timespec idle = { idle_ns / LKST_NS_PER_S, idle_ns % LKST_NS_PER_S };
	bool is_ending = false;
	int ready;

	s->signal_fd = serve_open_signals();
	if (s->signal_fd < 0)
		return lkst_err_sys(e, -errno, "preparing for signals");
	while (!is_ending) {
		struct pollfd p[] = { { .fd = s->listen_fd, .events = POLLIN },
				      { .fd = s->signal_fd, .events = POLLIN } };

		ready = ppoll(p, 2, idle_ns ? &idle : NULL, NULL);
		if (ready < 0 && errno != EINTR)
			return lkst_err_sys(e, -errno, "waiting for a client");
		is_ending = take_signals(s->signal_fd);
		serve_reap(s);
		if (ready > 0 && p[0].revents)
			accept_one(s);
		if (!ready && !count_children(s, true, 0))
			break;
	}
	return 0;
}

static int serve_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct serve_options *o = options;
	_cleanup_free_ struct server *s = calloc(1, sizeof(*s));
	struct group *group = getgrnam(o->group);
	bool is_inherited;
	unsigned int i;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "serving");
	if (geteuid())
		return lkst_err_set(e, -EPERM, "serving needs root; try again with sudo");
	if (!group)
		return lkst_err_set(
			e, -ENOENT,
			"there is no group \"%s\"; make it with groupadd --system %s, or "
			"name another with --group",
			o->group, o->group);
	s->gid = group->gr_gid;
	s->kernel_addresses = o->kernel_addresses;
	s->listen_fd = lkst_listen_inherited(e);
	is_inherited = s->listen_fd >= 0;
	if (s->listen_fd == -ENOENT)
		s->listen_fd = lkst_listen_at(e, o->socket, s->gid);
	if (s->listen_fd < 0)
		return s->listen_fd;
	err = serve(e, s, o->idle_ns);
	for (i = 0; i < CHILDREN_MAX; i++)
		if (s->children[i].pid)
			kill(s->children[i].pid, SIGTERM);
	close(s->listen_fd);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (!is_inherited)
		unlink(o->socket);
	return err;
}

const struct lkst_cmd lkst_cmd_serve = {
	.name = "serve",
	.summary = "let members of a group read the recording without root",
	.help = "Listens at a socket and answers `lkst status`, `lkst snapshot`, `lkst top` and\n"
		"`lkst view --live` of members of a group. They cannot start, stop or change the\n"
		"recording. As a rule the service manager runs it when somebody asks\n"
		"(lkst-serve.socket), so that no process waits.\n"
		"What it sends does not show where the kernel is in memory, unless --kernel-addresses is\n"
		"given.",
	.examples = "  lkst serve                         at " LKST_SOCKET_PATH ", for group lkst\n"
		    "  lkst serve --group wheel --idle 1m\n",
	.options = rows,
	.options_size = sizeof(struct serve_options),
	.defaults = &defaults,
	.run = serve_run,
};
