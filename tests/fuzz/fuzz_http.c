/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the heads of HTTP requests: the input is what a client sends. What a request wants lies within what
 * there is, and its text is text: a page shows it.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/view/http.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const struct lkst_http_request *r, uint64_t there)
{
	enum lkst_http_status status;
	uint64_t first, length;

	status = lkst_http_range(r, there, &first, &length);
	if (status != LKST_HTTP_NO_RANGE && (first > there || length > there - first))
		abort();
	if (status == LKST_HTTP_PARTIAL && !length)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lkst_http_request r;
	size_t length = lkst_http_head_length((const char *)data, size);

	if (length > size)
		abort();
	if (!length || lkst_http_parse((const char *)data, length, &r) != LKST_HTTP_OK)
		return 0;
	if (r.path[0] != '/' || !r.host[0])
		abort();
	printed_names((const char *const[]){ r.path, r.host }, 2);
	lkst_http_host_is_address(r.host);
	check_range(&r, 0);
	check_range(&r, 1);
	check_range(&r, 1 << 20);
	check_range(&r, UINT64_MAX);
	return 0;
}
