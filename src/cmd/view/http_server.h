/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server of things that are in memory and only read, for a browser on this machine: one process, a few connections
 * at a time, one request on each. No client can hold up the others or have memory in proportion to what it sends.
 */
#ifndef LKST_CMD_HTTP_SERVER_H
#define LKST_CMD_HTTP_SERVER_H

#include <sys/types.h>

#include "abi/types.h"
#include "base/err.h"
#include "cmd/view/http.h"

/* What a request is answered with. */
struct lkst_http_answer {
	enum lkst_http_status
		status;	  /* if OK, the range that the request wants is sent; else its text */
	const char *type; /* of the bytes, as of Content-Type */
	const void *bytes;
	size_t length;
	void (*release)(
		void *held); /* is called when the bytes are no longer needed; NULL: nothing */
	void *held;
};

/* Answers a request of a method and with a host that are right; @answer is {} before. */
typedef void lkst_http_answer_fn(void *ctx, const struct lkst_http_request *r,
				 struct lkst_http_answer *answer);

enum { LKST_HTTP_ADDRESS_MAX = 64 };

/*
 * Listens at @address, ADDRESS:PORT or [ADDRESS]:PORT, with port 0 at a free one. Returns the socket; @ret_address: the
 * address as it is in a URL. *@ret_is_local: whether only this machine can connect.
 */
int lkst_http_listen(struct lkst_err *e, const char *address,
		     char ret_address[LKST_HTTP_ADDRESS_MAX], bool *ret_is_local);

/* Answers what connects to @listen_fd until @end_fd can be read. Returns 0, or what failed. */
int lkst_http_serve(struct lkst_err *e, int listen_fd, int end_fd, lkst_http_answer_fn *answer,
		    void *ctx);

#endif
