/* SPDX-License-Identifier: GPL-2.0-only */
/* The client of `lkst serve`. */
#include "cmd/recorders/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/out.h"

enum { PATIENCE_S = 30 }; /* without a byte from the server */

bool lkst_remote_is_wanted(const char *socket)
{
	return socket || geteuid();
}

int lkst_remote_address(struct lkst_err *e, const char *path, struct sockaddr_un *ret_address)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(a.sun_path))
		return lkst_err_set(e, -ENAMETOOLONG, "a socket's path has at most %zu bytes",
				    sizeof(a.sun_path) - 1);
	strcpy(a.sun_path, path);
	*ret_address = a;
	return 0;
}

static int remote_explain(struct lkst_err *e, int err, const char *path)
{
	if (err == -ENOENT || err == -ECONNREFUSED)
		return lkst_err_set(e, err,
				    "this needs root, or the service, which does not listen at %s; "
				    "try sudo, or let root enable it: systemctl enable --now "
				    "lkst-serve.socket",
				    path);
	if (err == -EACCES)
		return lkst_err_set(e, err,
				    "this needs root, or to be a member of the group of %s, which "
				    "is lkst as a rule; `id` shows yours",
				    path);
	return lkst_err_sys(e, err, "connecting to %s", path);
}

/* Connects and sends the request. Returns the socket. */
static int remote_ask(struct lkst_err *e, const char *path, const struct lkst_wire_request *request)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	u8 bytes[sizeof(*request)];
	struct sockaddr_un address;
	_cleanup_close_ int fd = -1;
	int err;

	if (!path)
		path = LKST_SOCKET_PATH;
	err = lkst_remote_address(e, path, &address);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return lkst_err_sys(e, -errno, "making a socket");
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return remote_explain(e, -errno, path);
	lkst_wire_request_format(request, bytes);
	/* A server that refuses us may have closed its end already: its reason is still to be read. */
	if (send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) < 0 && errno != EPIPE &&
	    errno != ECONNRESET)
		return lkst_err_sys(e, -errno, "asking the service at %s", path);
	return lkst_take_fd(fd);
}

static ssize_t read_socket(void *ctx, void *bytes, size_t size)
{
	ssize_t n;

	do {
		n = read(*(int *)ctx, bytes, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? errno == EAGAIN ? -ETIMEDOUT : -errno : n;
}

/* A page of text as far as it was received. */
struct page {
	char *text;
	size_t length;
};

static int remote_put_page(void *ctx, const void *bytes, size_t length)
{
	struct page *page = ctx;
	char *grown;

	if (length > LKST_WIRE_PAGE_MAX - page->length)
		return -EFBIG;
	grown = realloc(page->text, page->length + length + 1);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + page->length, bytes, length);
	page->text = grown;
	page->length += length;
	grown[page->length] = 0;
	return 0;
}

/* Line by line, since any process may listen at a socket and send anything. */
static void print_page(FILE *to, const struct page *page)
{
	const char *line = page->text, *end;

	for (; line && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		lkst_print_message(to, "%.*s", (int)(end - line), line);
	}
}

int lkst_remote_status(struct lkst_err *e, const char *socket, enum lkst_wire_form form, FILE *to)
{
	const struct lkst_wire_request request = { .what = LKST_WIRE_STATUS, .form = form };
	_cleanup_close_ int fd = remote_ask(e, socket, &request);
	const struct lkst_wire_source source = { read_socket, &fd };
	struct page page = {};
	int err = fd < 0 ? fd : lkst_wire_receive_page(e, &source, remote_put_page, &page);

	if (!err)
		print_page(to, &page);
	free(page.text);
	return err;
}

int lkst_remote_snapshot(struct lkst_err *e, const char *socket, u64 last_ns, const struct lkst_access *access,
			 const char *dir, u64 *ret_bytes)
{
	const struct lkst_wire_request request = { .what = LKST_WIRE_SNAPSHOT, .last_ns = last_ns };
	_cleanup_close_ int fd = remote_ask(e, socket, &request);
	const struct lkst_wire_source source = { read_socket, &fd };

	return fd < 0 ? fd : lkst_wire_receive_trace(e, &source, access, dir, ret_bytes);
}

int lkst_remote_collect(struct lkst_err *e, const char *socket, u64 last_ns,
			struct lkst_collected *to)
{
	const struct lkst_wire_request request = { .what = LKST_WIRE_SNAPSHOT, .last_ns = last_ns };
	_cleanup_close_ int fd = remote_ask(e, socket, &request);
	const struct lkst_wire_source source = { read_socket, &fd };

	return fd < 0 ? fd : lkst_wire_receive_memory(e, &source, to);
}
