/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of an HTTP request. */
#include "cmd/view/http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A part of the head. */
struct http_span {
	const char *at, *end;
};

static size_t http_length_of(struct http_span s)
{
	return (size_t)(s.end - s.at);
}

static bool http_is(struct http_span s, const char *text)
{
	return http_length_of(s) == strlen(text) && !memcmp(s.at, text, http_length_of(s));
}

size_t lkst_http_head_length(const char *bytes, size_t length)
{
	const char *end = memmem(bytes, length, "\r\n\r\n", 4);

	return end ? (size_t)(end - bytes) + 4 : 0;
}

/* Takes what is before @mark off @rest, and the mark; false: there is none. */
static bool take_before(struct http_span *rest, const char *mark, struct http_span *ret)
{
	const char *found = memmem(rest->at, http_length_of(*rest), mark, strlen(mark));

	if (!found)
		return false;
	*ret = (struct http_span){ rest->at, found };
	rest->at = found + strlen(mark);
	return true;
}

/* Whether all of it can be seen, or is a blank or tab where @with_blanks. */
static bool is_printable(struct http_span s, bool with_blanks)
{
	for (; s.at < s.end; s.at++)
		if (!isgraph((unsigned char)*s.at) &&
		    !(with_blanks && (*s.at == ' ' || *s.at == '\t')))
			return false;
	return true;
}

/* Copies it to @to, with a NUL; false: it has more than @max characters. */
static bool http_copy(struct http_span s, char *to, size_t max)
{
	if (http_length_of(s) > max)
		return false;
	memcpy(to, s.at, http_length_of(s));
	to[http_length_of(s)] = 0;
	return true;
}

/* ---- the first line ----------------------------------------------------------------------------- */

static enum lkst_http_status http_parse_path(struct http_span target, struct lkst_http_request *r)
{
	const char *question = memchr(target.at, '?', http_length_of(target));

	if (question)
		target.end = question;
	if (!http_length_of(target) || *target.at != '/')
		return LKST_HTTP_BAD;
	return http_copy(target, r->path, LKST_HTTP_PATH_MAX) ? LKST_HTTP_OK : LKST_HTTP_TOO_LONG;
}

static enum lkst_http_status parse_first(struct http_span line, struct lkst_http_request *r)
{
	struct http_span method, target;

	if (!take_before(&line, " ", &method) || !take_before(&line, " ", &target) ||
	    !is_printable(target, false) || !is_printable(line, false))
		return LKST_HTTP_BAD;
	if (!http_is(line, "HTTP/1.1") && !http_is(line, "HTTP/1.0"))
		return LKST_HTTP_NO_VERSION;
	r->is_head = http_is(method, "HEAD");
	if (!r->is_head && !http_is(method, "GET"))
		return LKST_HTTP_NO_METHOD;
	return http_parse_path(target, r);
}

/* ---- the headers -------------------------------------------------------------------------------- */

/* Takes a number off @s; false: there is none, or it is too great. */
static bool http_take_number(struct http_span *s, uint64_t *ret_number)
{
	const char *begin = s->at;
	uint64_t number = 0;

	for (; s->at < s->end && isdigit((unsigned char)*s->at); s->at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*s->at - '0'), &number))
			return false;
	*ret_number = number;
	return s->at > begin;
}

/* "bytes=5-9", "bytes=5-", "bytes=-4"; RFC 9110, 14.1.2. Several are refused. */
static enum lkst_http_status http_parse_range(struct http_span value, struct lkst_http_request *r)
{
	static const char unit[] = "bytes=";
	bool has_last;

	if (r->has_range || http_length_of(value) < strlen(unit) || memcmp(value.at, unit, strlen(unit)))
		return LKST_HTTP_NO_RANGE;
	value.at += strlen(unit);
	r->has_range = true;
	r->last = UINT64_MAX;
	r->is_suffix = http_length_of(value) && *value.at == '-';
	if (r->is_suffix) {
		value.at++;
		return http_take_number(&value, &r->first) && !http_length_of(value) ? LKST_HTTP_OK
									   : LKST_HTTP_NO_RANGE;
	}
	if (!http_take_number(&value, &r->first) || !http_length_of(value) || *value.at++ != '-')
		return LKST_HTTP_NO_RANGE;
	has_last = http_length_of(value);
	if (has_last && (!http_take_number(&value, &r->last) || http_length_of(value) || r->last < r->first))
		return LKST_HTTP_NO_RANGE;
	return LKST_HTTP_OK;
}

static bool http_has_name(struct http_span name, const char *text)
{
	return http_length_of(name) == strlen(text) && !strncasecmp(name.at, text, http_length_of(name));
}

static struct http_span without_blanks(struct http_span s)
{
	while (s.at < s.end && (*s.at == ' ' || *s.at == '\t'))
		s.at++;
	while (s.at < s.end && (s.end[-1] == ' ' || s.end[-1] == '\t'))
		s.end--;
	return s;
}

static enum lkst_http_status parse_header(struct http_span line, struct lkst_http_request *r)
{
	struct http_span name;

	if (!is_printable(line, true) || !take_before(&line, ":", &name) || !http_length_of(name) ||
	    !is_printable(name, false))
		return LKST_HTTP_BAD;
	line = without_blanks(line);
	if (http_has_name(name, "Content-Length") && !http_is(line, "0"))
		return LKST_HTTP_BAD;
	if (http_has_name(name, "Transfer-Encoding"))
		return LKST_HTTP_BAD;
	if (http_has_name(name, "Range"))
		return http_parse_range(line, r);
	if (http_has_name(name, "Host"))
		return !r->host[0] && http_length_of(line) && http_copy(line, r->host, LKST_HTTP_HOST_MAX)
			       ? LKST_HTTP_OK
			       : LKST_HTTP_BAD;
	return LKST_HTTP_OK;
}

enum lkst_http_status lkst_http_parse(const char *head, size_t length,
				      struct lkst_http_request *ret_request)
{
	struct http_span rest = { head, head + length }, line;
	struct lkst_http_request r = {};
	enum lkst_http_status status;

	if (!take_before(&rest, "\r\n", &line))
		return LKST_HTTP_BAD;
	status = parse_first(line, &r);
	while (status == LKST_HTTP_OK && take_before(&rest, "\r\n", &line) && http_length_of(line))
		status = parse_header(line, &r);
	if (status == LKST_HTTP_OK && !r.host[0])
		status = LKST_HTTP_BAD;
	if (status == LKST_HTTP_OK)
		*ret_request = r;
	return status;
}

/* ---- what a request asks for -------------------------------------------------------------------- */

enum lkst_http_status lkst_http_range(const struct lkst_http_request *r, uint64_t length,
				      uint64_t *ret_first, uint64_t *ret_length)
{
	uint64_t last = r->last < length ? r->last : length - 1;

	*ret_first = 0;
	*ret_length = length;
	if (!r->has_range)
		return LKST_HTTP_OK;
	if (r->is_suffix) {
		*ret_length = r->first < length ? r->first : length;
		*ret_first = length - *ret_length;
		return *ret_length ? LKST_HTTP_PARTIAL : LKST_HTTP_NO_RANGE;
	}
	if (r->first >= length)
		return LKST_HTTP_NO_RANGE;
	*ret_first = r->first;
	*ret_length = last - r->first + 1;
	return LKST_HTTP_PARTIAL;
}

bool lkst_http_host_is_address(const char *host)
{
	struct http_span s = { host, host + strlen(host) };
	char name[LKST_HTTP_HOST_MAX + 1];
	struct in6_addr address;
	const char *port;

	if (*host == '[') {
		struct http_span inner = { host + 1, strchr(host, ']') };

		return inner.end && (!inner.end[1] || inner.end[1] == ':') &&
		       http_copy(inner, name, LKST_HTTP_HOST_MAX) &&
		       inet_pton(AF_INET6, name, &address) == 1;
	}
	port = strchr(host, ':');
	if (port)
		s.end = port;
	return http_copy(s, name, LKST_HTTP_HOST_MAX) &&
	       (!strcasecmp(name, "localhost") || inet_pton(AF_INET, name, &address) == 1);
}
