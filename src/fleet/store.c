/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends files by PUT, by libcurl. */
#include "fleet/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/curl_library.h"

enum {
	SAID_MAX = 200,	    /* bytes of what the store said that an error has */
	ANSWER_MAX = 65536, /* bytes of an answer that are listened to */
};

struct lkst_store {
	struct lkst_curl lib;
	CURL *curl;
	char *url;
	char said[SAID_MAX + 1];
	size_t nr_said, bytes;
	int fd;
	int read_error;
};

/* ---- what comes and goes --------------------------------------------------------------------- */

static size_t store_take_bytes(char *bytes, size_t size, size_t nr, void *ctx)
{
	struct lkst_store *s = ctx;
	size_t length = size * nr, i;

	for (i = 0; i < length && s->nr_said < SAID_MAX; i++)
		s->said[s->nr_said++] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : ' ';
	s->bytes += length;
	return s->bytes > ANSWER_MAX ? 0 : length;
}

static size_t give_bytes(char *bytes, size_t size, size_t nr, void *ctx)
{
	struct lkst_store *s = ctx;
	ssize_t got = read(s->fd, bytes, size * nr);

	if (got < 0) {
		s->read_error = -errno;
		return CURL_READFUNC_ABORT;
	}
	return (size_t)got;
}

/* It may have to be sent again from the beginning, when a connection that was kept turns out to be closed. */
static int go_back(void *ctx, curl_off_t offset, int origin)
{
	const struct lkst_store *s = ctx;

	return lseek(s->fd, offset, origin) < 0 ? CURL_SEEKFUNC_FAIL : CURL_SEEKFUNC_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int store_check(struct lkst_err *e, const char *url)
{
	bool is_http = !strncmp(url, "http://", 7) || !strncmp(url, "https://", 8);
	const char *host = strstr(url, "://");

	if (strchr(url, '@'))
		return lkst_err_set(
			e, -EINVAL,
			"the URL of a store has no user or password in it: others could read them; "
			"give them by --store-credentials");
	if (!is_http || !host[3] || host[3] == '/' || strpbrk(url, "?#"))
		return lkst_err_set(
			e, -EINVAL,
			"\"%.200s\" is not a store's URL: try https://localhost/bundles", url);
	return 0;
}

static void store_prepare(struct lkst_store *s, const struct lkst_store_where *w)
{
	__typeof__(s->lib.easy_setopt) set = s->lib.easy_setopt;
	CURL *curl = s->curl;

	lkst_curl_prepare(&s->lib, curl, w->ca);
	lkst_curl_limit_silence(&s->lib, curl, w->stall_ns);
	lkst_curl_log_in(&s->lib, curl, w->user, w->password);
	set(curl, CURLOPT_UPLOAD, 1L);
	set(curl, CURLOPT_WRITEFUNCTION, store_take_bytes);
	set(curl, CURLOPT_WRITEDATA, s);
	set(curl, CURLOPT_READFUNCTION, give_bytes);
	set(curl, CURLOPT_READDATA, s);
	set(curl, CURLOPT_SEEKFUNCTION, go_back);
	set(curl, CURLOPT_SEEKDATA, s);
}

int lkst_store_open(struct lkst_err *e, const struct lkst_store_where *where,
		    struct lkst_store **ret_store)
{
	_cleanup_(lkst_store_closep) struct lkst_store *s = NULL;
	int err = store_check(e, where->url);

	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return lkst_err_sys(e, -ENOMEM, "preparing to speak to %s", where->url);
	err = lkst_curl_load(e, &s->lib);
	if (err)
		return err;
	if (!(s->curl = s->lib.easy_init()) || !(s->url = strdup(where->url)))
		return lkst_err_sys(e, -ENOMEM, "preparing to speak to %s", where->url);
	while (strlen(s->url) && s->url[strlen(s->url) - 1] == '/')
		s->url[strlen(s->url) - 1] = 0;
	store_prepare(s, where);
	*ret_store = lkst_take(s);
	return 0;
}

void lkst_store_close(struct lkst_store *s)
{
	if (!s)
		return;
	if (s->curl)
		s->lib.easy_cleanup(s->curl);
	free(s->url);
	free(s);
}

/* ---- a file ---------------------------------------------------------------------------------- */

static int store_failed(struct lkst_err *e, const struct lkst_store *s, CURLcode code, long status)
{
	if (s->read_error)
		return lkst_err_sys(e, s->read_error, "reading what is sent to %s", s->url);
	if (s->bytes > ANSWER_MAX)
		return lkst_err_set(e, -EPROTO, "%s says too much: \"%s\"", s->url, s->said);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return lkst_err_set(e, -ETIMEDOUT, "%s does not take anything", s->url);
	if (code != CURLE_OK)
		return lkst_err_set(e, -EIO, "%s: %s", s->url, s->lib.easy_strerror(code));
	return lkst_err_set(e, -EPROTO, "%s refuses (status %ld): \"%s\"", s->url, status, s->said);
}

int lkst_store_put(struct lkst_err *e, struct lkst_store *s, const char *name, int fd, u64 bytes)
{
	_cleanup_free_ char *url = NULL;
	long status = 0;
	CURLcode code;

	if (asprintf(&url, "%s/%s", s->url, name) < 0) {
		url = NULL;
		return lkst_err_sys(e, -ENOMEM, "speaking to %s", s->url);
	}
	s->fd = fd;
	s->nr_said = s->bytes = 0;
	s->read_error = 0;
	memset(s->said, 0, sizeof(s->said));
	s->lib.easy_setopt(s->curl, CURLOPT_URL, url);
	s->lib.easy_setopt(s->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)bytes);
	code = s->lib.easy_perform(s->curl);
	s->lib.easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	/* Created, or replaced with or without an answer. */
	if (code == CURLE_OK && (status == 200 || status == 201 || status == 204))
		return 0;
	return store_failed(e, s, code, status);
}
