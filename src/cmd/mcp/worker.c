/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that answers for one trace. Calls and answers are in memory that both share: the server writes a call and
 * then a byte to the worker's pipe; the worker writes the answer and then a byte to the server's. Neither touches the
 * memory while it is the other's turn.
 */
#include "cmd/mcp/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/frame/end_signals.h"
#include "cmd/mcp/lines.h"
#include "cmd/mcp/session.h"

enum {
	SAID_MAX = 1024, /* bytes of what was said of the trace */
	/* Of a file: what a query sorts, or groups, is written to files without a name, and who asks is not trusted. */
	FILE_BYTES_MAX = 128 * 1024 * 1024,
};

struct shared {
	const struct lkst_mcp_tool *tool;
	char arguments[2 * LKST_MCP_LINE_MAX];
	bool is_error;
	size_t text_length, json_length;
	char text[LKST_MCP_TEXT_MAX], json[LKST_MCP_JSON_MAX];
};

struct lkst_mcp_worker {
	pid_t pid;
	int socket;
	int said; /* what it prints as messages */
	char *path;
	struct stat was; /* what was there */
	struct shared *shared;
	char sentence[SAID_MAX];
};

/* ---- in the process ---------------------------------------------------------------------------- */

static void end_worker(int number)
{
	_exit(EXIT_FAILURE);
}

/* A query ends by itself when it is asked to. Nothing else can, and nothing is lost with the process. */
static void worker_await_interrupt(bool is_query)
{
	const struct sigaction action = { .sa_handler = end_worker };

	lkst_end_flag_clear();
	if (is_query)
		lkst_end_flag_by(SIGINT, SA_RESTART);
	else
		sigaction(SIGINT, &action, NULL);
}

/* What was said about the trace when it was opened, on one line; it goes for all answers. */
static void worker_hear(int said, char text[SAID_MAX])
{
	size_t used = strlen(text);
	ssize_t got = read(said, text + used, SAID_MAX - 1 - used);

	if (got <= 0)
		return;
	text[used + (size_t)got] = 0;
	for (; text[used]; used++)
		if (text[used] == '\n')
			text[used] = ' ';
}

/* Adds it to an answer. */
static void add_warning(const char *said, struct lkst_mcp_page *page)
{
	char *p;

	if (!said[0])
		return;
	lkst_out_message(page->text, "Note: %s", said);
	page->json->used--;
	p = lkst_put_str(lkst_out_room(page->json), ",\"warning\":");
	/* The cut one may end within a character, which becomes U+FFFD. */
	p = lkst_out_json(page->json, p, said, strlen(said) < SAID_MAX / 2 ? strlen(said) : SAID_MAX / 2);
	lkst_out_advance(page->json, lkst_put_str(p, "}"));
}

static void reply(struct shared *m, int err, const struct lkst_err *e,
		  const struct lkst_mcp_page *page)
{
	char *p = m->text;

	_Static_assert(4 * (LKST_ERR_MAX + 2 * LKST_ERR_LINE) <= (int)LKST_MCP_TEXT_MAX, "an error fits");
	m->is_error = err < 0;
	m->json_length = 0;
	if (err < 0) {
		p = lkst_put_escaped(p, e->text, strlen(e->text), NULL);
		if (e->line[0]) {
			p = lkst_put_escaped(lkst_put_str(p, "\n  "), e->line, strlen(e->line),
					     NULL);
			p += sprintf(p, "\n  %*s^", (int)e->mark, "");
		}
		m->text_length = (size_t)(p - m->text);
		return;
	}
	m->text_length =
		page->text->used < LKST_MCP_TEXT_MAX ? page->text->used : LKST_MCP_TEXT_MAX;
	m->json_length = page->json->used < LKST_MCP_JSON_MAX ? page->json->used : 0;
	memcpy(m->text, page->text->buffer, m->text_length);
	memcpy(m->json, page->json->buffer, m->json_length);
}

static void worker_answer(struct lkst_mcp_session *session, struct shared *m, int said,
			  char warning[SAID_MAX])
{
	_cleanup_(lkst_mcp_question_fini) struct lkst_mcp_question question = {};
	_cleanup_(lkst_mcp_page_fini) struct lkst_mcp_page page = {};
	struct lkst_err e = {};
	int err = lkst_mcp_page_init(&e, &page)
			  ?: lkst_mcp_question_parse(&e, m->tool, m->arguments, &question);

	if (!err)
		err = lkst_mcp_session_answer(&e, session, &question, &page);
	worker_hear(said, warning);
	if (!err)
		add_warning(warning, &page);
	reply(m, err, &e, &page);
}

/* Never returns. */
static void worker_work(const char *path, struct shared *m, int socket, int said)
{
	struct lkst_mcp_session session = { .path = path, .stop = lkst_end_flag() };
	char byte, warning[SAID_MAX] = "";

	while (read(socket, &byte, 1) == 1) {
		worker_await_interrupt(!strcmp(m->tool->name, "sql"));
		worker_answer(&session, m, said, warning);
		signal(SIGINT, SIG_IGN);
		if (write(socket, &byte, 1) != 1)
			break;
	}
	_exit(EXIT_SUCCESS);
}

/* Nothing that is printed gets to the client, and nothing that the client sends is read. */
/* A limit that the caller has set, which is less, stays. */
static void limit_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		_exit(EXIT_FAILURE);
	if (limit.rlim_cur > FILE_BYTES_MAX)
		limit.rlim_cur = FILE_BYTES_MAX;
	if (limit.rlim_max > FILE_BYTES_MAX)
		limit.rlim_max = FILE_BYTES_MAX;
	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(EXIT_FAILURE);
}

static void worker_begin_work(const char *path, struct shared *m, int socket, const int said[2])
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
	    dup2(said[1], STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	signal(SIGINT, SIG_IGN);
	limit_files();
	worker_work(path, m, socket, said[0]);
}

/* ---- in the server ----------------------------------------------------------------------------- */

static int worker_begin(struct lkst_err *e, struct lkst_mcp_worker *w, const char *path)
{
	int sockets[2], said[2];

	w->path = strdup(path);
	/* If nothing is there, opening it will say so. */
	if (stat(path, &w->was))
		w->was = (struct stat){};
	w->shared = mmap(NULL, sizeof(*w->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!w->path || w->shared == MAP_FAILED)
		return lkst_err_sys(e, -ENOMEM, "preparing to answer");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return lkst_err_sys(e, -errno, "preparing to answer");
	w->socket = sockets[0];
	if (pipe2(said, O_CLOEXEC | O_NONBLOCK)) {
		close(sockets[1]);
		return lkst_err_sys(e, -errno, "preparing to answer");
	}
	w->said = said[0];
	w->pid = fork();
	if (!w->pid) {
		close(w->socket);
		worker_begin_work(w->path, w->shared, sockets[1], said);
	}
	close(sockets[1]);
	close(said[1]);
	return w->pid < 0 ? lkst_err_sys(e, -errno, "starting a process to answer") : 0;
}

int lkst_mcp_worker_new(struct lkst_err *e, const char *path, struct lkst_mcp_worker **ret_worker)
{
	struct lkst_mcp_worker *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "preparing to answer");
	w->pid = w->socket = w->said = -1;
	w->shared = MAP_FAILED;
	err = worker_begin(e, w, path);
	if (err)
		lkst_mcp_worker_free(w);
	else
		*ret_worker = w;
	return err;
}

void lkst_mcp_worker_free(struct lkst_mcp_worker *w)
{
	if (!w)
		return;
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	lkst_closep(&w->socket);
	lkst_closep(&w->said);
	if (w->shared != MAP_FAILED)
		munmap(w->shared, sizeof(*w->shared));
	free(w->path);
	free(w);
}

bool lkst_mcp_worker_is_of(const struct lkst_mcp_worker *w, const char *path)
{
	struct stat is;

	return !strcmp(w->path, path) && !stat(path, &is) && is.st_dev == w->was.st_dev &&
	       is.st_ino == w->was.st_ino && is.st_mtim.tv_sec == w->was.st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == w->was.st_mtim.tv_nsec;
}

int lkst_mcp_worker_fd(const struct lkst_mcp_worker *w)
{
	return w->socket;
}

int lkst_mcp_worker_call(struct lkst_mcp_worker *w, const struct lkst_mcp_tool *tool,
			 const char *arguments)
{
	if (strlen(arguments) >= sizeof(w->shared->arguments))
		return -E2BIG;
	w->shared->tool = tool;
	strcpy(w->shared->arguments, arguments);
	return send(w->socket, "", 1, MSG_NOSIGNAL) == 1 ? 0 : -EPIPE;
}

/* Why the worker is gone: what it said last, or nothing. */
static void worker_explain(struct lkst_mcp_worker *w, struct lkst_mcp_reply *reply)
{
	static const char prefix[] = "lkst: ";

	worker_hear(w->said, w->sentence);
	reply->text = !strncmp(w->sentence, prefix, strlen(prefix)) ? w->sentence + strlen(prefix)
								    : w->sentence;
	reply->text_length = strlen(reply->text);
}

bool lkst_mcp_worker_take(struct lkst_mcp_worker *w, struct lkst_mcp_reply *ret_reply)
{
	struct shared *m = w->shared;
	char byte;

	*ret_reply = (struct lkst_mcp_reply){ .is_error = true };
	if (read(w->socket, &byte, 1) != 1) {
		worker_explain(w, ret_reply);
		return false;
	}
	*ret_reply = (struct lkst_mcp_reply){
		.is_error = m->is_error,
		.text = m->text,
		.text_length =
			m->text_length < LKST_MCP_TEXT_MAX ? m->text_length : LKST_MCP_TEXT_MAX,
		.json = m->json,
		.json_length =
			m->json_length < LKST_MCP_JSON_MAX ? m->json_length : LKST_MCP_JSON_MAX,
	};
	return true;
}

void lkst_mcp_worker_interrupt(struct lkst_mcp_worker *w)
{
	kill(w->pid, SIGINT);
}

void lkst_mcp_worker_kill(struct lkst_mcp_worker *w)
{
	kill(w->pid, SIGKILL);
}
