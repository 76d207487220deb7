/* SPDX-License-Identifier: GPL-2.0-only */
/* A server of things that are in memory. */
#include "cmd/view/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"

enum {
	CONNECTIONS_MAX = 16,
	BACKLOG = 16,
	ANSWER_HEAD_MAX = 1024,
	PORTION = 1 << 20, /* bytes that are sent at a time, so that connections take turns */
	HEAD_S = 5,	   /* in which a request must have come */
	STALL_S = 10,	   /* in which a client must take at least a byte */
	ANSWER_S = 300,	   /* for all of an answer */
	LINGER_S = 2,	   /* in which the client closes its end */
	NS_PER_MS = 1000000,
};

enum connection_state {
	READING,
	ANSWERING,
	LINGERING, /* all is sent; closed at once, what the client still sends would discard it */
};

struct connection {
	int fd;
	enum connection_state state;
	u64 began_ns, progress_ns; /* of this state */
	char head[LKST_HTTP_HEAD_MAX];
	size_t nr_head;

	struct lkst_http_answer answer;
	char answer_head[ANSWER_HEAD_MAX];
	size_t head_sent, nr_answer_head;
	const u8 *body;
	size_t left;
};

struct http_server {
	int listen_fd;
	lkst_http_answer_fn *answer;
	void *ctx;
	struct connection *list[CONNECTIONS_MAX];
	unsigned int nr;
};

/* ---- where it listens --------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool parse_port(const char *text, in_port_t *ret_port)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || port > UINT16_MAX)
		return false;
	*ret_port = htons((u16)port);
	return true;
}

static int parse_address(struct lkst_err *e, const char *text, union address *ret_address)
{
	const char *colon = strrchr(text, ':');
	bool is_v6 = *text == '[' && colon && colon > text && colon[-1] == ']';
	char name[INET6_ADDRSTRLEN];
	union address a = {};
	in_port_t port = 0;
	bool is_right = colon && parse_port(colon + 1, &port);

	if (is_right && is_v6) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - text) - 2, text + 1);
		a.v6.sin6_family = AF_INET6;
		a.v6.sin6_port = port;
		is_right = inet_pton(AF_INET6, name, &a.v6.sin6_addr) == 1;
	} else if (is_right) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
		a.v4.sin_family = AF_INET;
		a.v4.sin_port = port;
		is_right = inet_pton(AF_INET, name, &a.v4.sin_addr) == 1;
	}
	if (!is_right)
		return lkst_err_set(
			e, -EINVAL,
			"\"%s\" is not an address and a port, as 127.0.0.1:8080 or [::1]:0 is",
			text);
	*ret_address = a;
	return 0;
}

static socklen_t http_server_size_of(const union address *a)
{
	return a->any.sa_family == AF_INET6 ? sizeof(a->v6) : sizeof(a->v4);
}

static bool http_server_is_local(const union address *a)
{
	return a->any.sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr)
					    : ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static void format_address(const union address *a, char text[LKST_HTTP_ADDRESS_MAX])
{
	char name[INET6_ADDRSTRLEN] = "";

	if (a->any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->v6.sin6_addr, name, sizeof(name));
		snprintf(text, LKST_HTTP_ADDRESS_MAX, "[%s]:%u", name, ntohs(a->v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a->v4.sin_addr, name, sizeof(name));
		snprintf(text, LKST_HTTP_ADDRESS_MAX, "%s:%u", name, ntohs(a->v4.sin_port));
	}
}

int lkst_http_listen(struct lkst_err *e, const char *address,
		     char ret_address[LKST_HTTP_ADDRESS_MAX], bool *ret_is_local)
{
	_cleanup_close_ int fd = -1;
	union address a;
	socklen_t size;
	int err = parse_address(e, address, &a);

	if (err)
		return err;
	size = http_server_size_of(&a);
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The port of one that has just ended may be taken again: its connections are not over yet (TIME_WAIT). */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) ||
	    bind(fd, &a.any, size) || listen(fd, BACKLOG) || getsockname(fd, &a.any, &size))
		return lkst_err_sys(e, -errno, "listening at %s", address);
	format_address(&a, ret_address);
	*ret_is_local = http_server_is_local(&a);
	return lkst_take_fd(fd);
}

/* ---- answers ------------------------------------------------------------------------------------ */

static const char *http_server_reason(enum lkst_http_status status)
{
	switch (status) {
	case LKST_HTTP_OK:
		return "OK";
	case LKST_HTTP_PARTIAL:
		return "Partial Content";
	case LKST_HTTP_BAD:
		return "Bad Request";
	case LKST_HTTP_FORBIDDEN:
		return "Forbidden";
	case LKST_HTTP_NOT_FOUND:
		return "Not Found";
	case LKST_HTTP_NO_METHOD:
		return "Method Not Allowed";
	case LKST_HTTP_TOO_LONG:
		return "URI Too Long";
	case LKST_HTTP_NO_RANGE:
		return "Range Not Satisfiable";
	case LKST_HTTP_HEAD_TOO_LONG:
		return "Request Header Fields Too Large";
	case LKST_HTTP_NO_VERSION:
		return "HTTP Version Not Supported";
	}
	return "";
}

static void http_server_begin_state(struct connection *c, enum connection_state state)
{
	c->state = state;
	c->began_ns = c->progress_ns = lkst_monotonic_ns();
}

/* Only the page itself may use what is sent, and nobody keeps it. */
static void http_server_put_head(struct connection *c, enum lkst_http_status status, size_t length,
				 const char *more)
{
	int n = snprintf(c->answer_head, sizeof(c->answer_head),
			 "HTTP/1.1 %u %s\r\n"
			 "Connection: close\r\n"
			 "Content-Type: %s\r\n"
			 "Content-Length: %zu\r\n"
			 "Accept-Ranges: bytes\r\n"
			 "Cache-Control: no-store\r\n"
			 "Cross-Origin-Resource-Policy: same-origin\r\n"
			 "Referrer-Policy: no-referrer\r\n"
			 "X-Content-Type-Options: nosniff\r\n"
			 "X-Frame-Options: DENY\r\n"
			 "%s\r\n",
			 status, http_server_reason(status), c->answer.type, length, more);

	c->nr_answer_head = (size_t)n;
	http_server_begin_state(c, ANSWERING);
}

static void http_server_refuse(struct connection *c, enum lkst_http_status status, const char *more)
{
	c->answer.type = "text/plain";
	c->body = (const u8 *)http_server_reason(status);
	c->left = strlen(http_server_reason(status));
	http_server_put_head(c, status, c->left, more);
}

static void put_answer(struct connection *c, const struct lkst_http_request *r)
{
	char range[96] = "";
	enum lkst_http_status status;
	u64 first, length;

	if (c->answer.status != LKST_HTTP_OK) {
		http_server_refuse(c, c->answer.status, "");
		return;
	}
	status = lkst_http_range(r, c->answer.length, &first, &length);
	if (status == LKST_HTTP_NO_RANGE) {
		snprintf(range, sizeof(range), "Content-Range: bytes */%zu\r\n", c->answer.length);
		http_server_refuse(c, status, range);
		return;
	}
	if (status == LKST_HTTP_PARTIAL)
		snprintf(range, sizeof(range), "Content-Range: bytes %llu-%llu/%zu\r\n",
			 (unsigned long long)first, (unsigned long long)(first + length - 1),
			 c->answer.length);
	c->body = (const u8 *)c->answer.bytes + first;
	c->left = length;
	http_server_put_head(c, status, c->left, range);
}

static void http_server_answer(struct http_server *s, struct connection *c, size_t length)
{
	struct lkst_http_request r;
	enum lkst_http_status status = lkst_http_parse(c->head, length, &r);

	if (status == LKST_HTTP_OK && !lkst_http_host_is_address(r.host))
		status = LKST_HTTP_FORBIDDEN;
	if (status != LKST_HTTP_OK) {
		http_server_refuse(c, status, status == LKST_HTTP_NO_METHOD ? "Allow: GET, HEAD\r\n" : "");
		return;
	}
	s->answer(s->ctx, &r, &c->answer);
	put_answer(c, &r);
	if (r.is_head)
		c->left = 0;
}

/* ---- connections -------------------------------------------------------------------------------- */

static void close_connection(struct http_server *s, unsigned int i)
{
	struct connection *c = s->list[i];

	if (c->answer.release)
		c->answer.release(c->answer.held);
	close(c->fd);
	free(c);
	s->list[i] = s->list[--s->nr];
}

/* Whether @a is given up before @b: one without an answer, or that has been silent for longer. */
static bool is_worth_less(const struct connection *a, const struct connection *b)
{
	if ((a->state == ANSWERING) != (b->state == ANSWERING))
		return b->state == ANSWERING;
	return lkst_time_is_before(a->progress_ns, b->progress_ns);
}

static void http_server_make_room(struct http_server *s)
{
	unsigned int least = 0, i;

	if (s->nr < CONNECTIONS_MAX)
		return;
	for (i = 1; i < s->nr; i++)
		if (is_worth_less(s->list[i], s->list[least]))
			least = i;
	close_connection(s, least);
}

static void http_server_accept_one(struct http_server *s)
{
	_cleanup_close_ int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct connection *c = fd < 0 ? NULL : calloc(1, sizeof(*c));

	if (!c)
		return;
	http_server_make_room(s);
	c->fd = lkst_take_fd(fd);
	http_server_begin_state(c, READING);
	s->list[s->nr++] = c;
}

static bool is_for_later(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* False: it is over. */
static bool http_server_read_head(struct http_server *s, struct connection *c)
{
	ssize_t n = recv(c->fd, c->head + c->nr_head, sizeof(c->head) - c->nr_head, 0);
	size_t length;

	if (n <= 0)
		return is_for_later(n);
	c->nr_head += (size_t)n;
	length = lkst_http_head_length(c->head, c->nr_head);
	if (length)
		http_server_answer(s, c, length);
	else if (c->nr_head == sizeof(c->head))
		http_server_refuse(c, LKST_HTTP_HEAD_TOO_LONG, "");
	return true;
}

static bool send_some(struct connection *c)
{
	bool is_head = c->head_sent < c->nr_answer_head;
	const void *at = is_head ? (const void *)(c->answer_head + c->head_sent) : c->body;
	size_t left = is_head ? c->nr_answer_head - c->head_sent : c->left;
	ssize_t n = send(c->fd, at, left < PORTION ? left : PORTION, MSG_NOSIGNAL);

	if (n < 0)
		return is_for_later(n);
	if (is_head) {
		c->head_sent += (size_t)n;
	} else {
		c->body += n;
		c->left -= (size_t)n;
	}
	c->progress_ns = lkst_monotonic_ns();
	if (c->head_sent == c->nr_answer_head && !c->left) {
		shutdown(c->fd, SHUT_WR);
		http_server_begin_state(c, LINGERING);
	}
	return true;
}

static bool discard(struct connection *c)
{
	ssize_t n = recv(c->fd, c->head, sizeof(c->head), 0);

	return n > 0 || is_for_later(n);
}

static bool http_server_go_on(struct http_server *s, struct connection *c)
{
	switch (c->state) {
	case READING:
		return http_server_read_head(s, c);
	case ANSWERING:
		return send_some(c);
	default:
		return discard(c);
	}
}

/* When its time is over. */
static u64 deadline_ns(const struct connection *c)
{
	u64 stalled, over;

	if (c->state != ANSWERING)
		return c->began_ns + (c->state == READING ? HEAD_S : LINGER_S) * LKST_NS_PER_S;
	stalled = c->progress_ns + STALL_S * LKST_NS_PER_S;
	over = c->began_ns + ANSWER_S * LKST_NS_PER_S;
	return stalled < over ? stalled : over;
}

/* ---- the loop ----------------------------------------------------------------------------------- */

/* Milliseconds until a connection's time is over, rounded up; -1: there is none. */
static int http_server_pause_ms(const struct http_server *s)
{
	u64 now = lkst_monotonic_ns(), first = UINT64_MAX, deadline;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		deadline = deadline_ns(s->list[i]);
		first = deadline < first ? deadline : first;
	}
	if (first == UINT64_MAX)
		return -1;
	return first <= now ? 0 : (int)((first - now) / NS_PER_MS) + 1;
}

/* @ready: what poll(2) says of each connection. From the last one on, since one that is closed is replaced by it. */
static void serve_connections(struct http_server *s, const struct pollfd *ready)
{
	u64 now = lkst_monotonic_ns();
	unsigned int i = s->nr;

	while (i--) {
		struct connection *c = s->list[i];

		if (deadline_ns(c) <= now || (ready[i].revents && !http_server_go_on(s, c)))
			close_connection(s, i);
	}
}

static int http_server_run(struct lkst_err *e, struct http_server *s, int end_fd)
{
	struct pollfd fds[2 + CONNECTIONS_MAX];
	unsigned int i;

	for (;;) {
		fds[0] = (struct pollfd){ .fd = end_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s->listen_fd, .events = POLLIN };
		for (i = 0; i < s->nr; i++)
			fds[2 + i] = (struct pollfd){
				.fd = s->list[i]->fd,
				.events = s->list[i]->state == ANSWERING ? POLLOUT : POLLIN,
			};
		if (poll(fds, 2 + s->nr, http_server_pause_ms(s)) < 0) {
			if (errno == EINTR)
				continue;
			return lkst_err_sys(e, -errno, "waiting for a browser");
		}
		if (fds[0].revents)
			return 0;
		serve_connections(s, fds + 2);
		if (fds[1].revents)
			http_server_accept_one(s);
	}
}

int lkst_http_serve(struct lkst_err *e, int listen_fd, int end_fd, lkst_http_answer_fn *fn,
		    void *ctx)
{
	struct http_server s = { .listen_fd = listen_fd, .answer = fn, .ctx = ctx };
	int err = http_server_run(e, &s, end_fd);

	while (s.nr)
		close_connection(&s, s.nr - 1);
	return err;
}
