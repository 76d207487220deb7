/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The head of an HTTP request (RFC 9112, RFC 9110), as far as a server of a few things needs it that are only read: its
 * method, its path, whom it was sent to, and which bytes it wants. What is ambiguous is refused: a body, a header that
 * goes on in the next line, two hosts.
 */
#ifndef LKST_CMD_VIEW_HTTP_H
#define LKST_CMD_VIEW_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LKST_HTTP_HEAD_MAX = 8192, /* bytes of a head */
	LKST_HTTP_PATH_MAX = 255,
	LKST_HTTP_HOST_MAX = 127,
};

enum lkst_http_status {
	LKST_HTTP_OK = 200,
	LKST_HTTP_PARTIAL = 206,
	LKST_HTTP_BAD = 400,
	LKST_HTTP_FORBIDDEN = 403,
	LKST_HTTP_NOT_FOUND = 404,
	LKST_HTTP_NO_METHOD = 405,
	LKST_HTTP_TOO_LONG = 414,
	LKST_HTTP_NO_RANGE = 416,
	LKST_HTTP_HEAD_TOO_LONG = 431,
	LKST_HTTP_NO_VERSION = 505,
};

struct lkst_http_request {
	bool is_head; /* HEAD; else GET */
	char path[LKST_HTTP_PATH_MAX +
		  1]; /* begins with '/'; as it was sent, without what follows '?' */
	char host[LKST_HTTP_HOST_MAX + 1]; /* with its port, if one was sent */

	/* The one range that is wanted; without any, `has_range` is false. */
	bool has_range, is_suffix; /* is_suffix: the last `first` bytes */
	uint64_t first, last;	   /* both included; UINT64_MAX: to the end */
};

/* How long the head is that @bytes begin with, its empty line included; 0: it is not whole. */
size_t lkst_http_head_length(const char *bytes, size_t length);

/*
 * Parses a head of lkst_http_head_length(). Returns LKST_HTTP_OK, or the status to refuse it with, and then
 * @ret_request is not to be used.
 */
enum lkst_http_status lkst_http_parse(const char *head, size_t length,
				      struct lkst_http_request *ret_request);

/*
 * Which bytes of @length a request wants: LKST_HTTP_OK: all; LKST_HTTP_PARTIAL: *@ret_length from *@ret_first on;
 * LKST_HTTP_NO_RANGE: bytes that are not there.
 */
enum lkst_http_status lkst_http_range(const struct lkst_http_request *r, uint64_t length,
				      uint64_t *ret_first, uint64_t *ret_length);

/*
 * Whether a request may be meant for this machine: its host is an address, or "localhost". A page of another site can
 * make its own name mean this machine (DNS rebinding), but not an address.
 */
bool lkst_http_host_is_address(const char *host);

#endif
