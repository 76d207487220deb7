/* SPDX-License-Identifier: GPL-2.0-only */
/* Files from a store, by libcurl. */
#include "fleet/download.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "fleet/curl_library.h"

/* A file on its way. */
struct coming {
	struct lkst_curl lib;
	CURL *curl;
	int fd, err;
	u64 bytes, max_bytes;
};

static size_t download_take_bytes(char *bytes, size_t size, size_t nr, void *ctx)
{
	struct coming *c = ctx;
	size_t length = size * nr;
	long status = 0;

	c->lib.easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		return length;
	if (length > c->max_bytes - c->bytes)
		c->err = -EFBIG;
	else
		c->err = lkst_write_all(c->fd, bytes, length);
	c->bytes += length;
	return c->err ? 0 : length;
}

static void download_prepare(struct coming *c, const struct lkst_fleet_file *file)
{
	__typeof__(c->lib.easy_setopt) set = c->lib.easy_setopt;
	CURL *curl = c->curl;

	lkst_curl_prepare(&c->lib, curl, file->ca);
	lkst_curl_limit_silence(&c->lib, curl, file->silent_ns);
	lkst_curl_log_in(&c->lib, curl, file->user, file->password);
	set(curl, CURLOPT_URL, file->url);
	set(curl, CURLOPT_WRITEFUNCTION, download_take_bytes);
	set(curl, CURLOPT_WRITEDATA, c);
}

static int download_failed(struct lkst_err *e, const struct lkst_fleet_file *file, const struct coming *c,
			   CURLcode code)
{
	long status = 0;

	c->lib.easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	if (c->err == -EFBIG)
		return lkst_err_set(e, c->err,
				    "%s: there is more than the %llu bytes that it should have",
				    file->url, (unsigned long long)c->max_bytes);
	if (c->err)
		return lkst_err_sys(e, c->err, "keeping %s", file->url);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return lkst_err_set(e, -ETIMEDOUT, "%s: nothing comes any more", file->url);
	if (code != CURLE_OK)
		return lkst_err_set(e, -EIO, "%s: %s", file->url, c->lib.easy_strerror(code));
	if (status / 100 == 3)
		return lkst_err_set(
			e, -EPROTO,
			"%s: the store says that it is elsewhere (status %ld), which is not followed",
			file->url, status);
	if (status == 401 || status == 403)
		return lkst_err_set(
			e, -EACCES, "%s: the store %s (status %ld)", file->url,
			file->user
				? "refuses these credentials"
				: "gives it to nobody without credentials: name it by --store, and give "
				  "them by --store-credentials",
			status);
	return lkst_err_set(e, -EPROTO, "%s: the store refuses (status %ld)", file->url, status);
}

int lkst_fleet_download(struct lkst_err *e, const struct lkst_fleet_file *file, int fd,
			u64 *ret_bytes)
{
	struct coming c = { .fd = fd, .max_bytes = file->max_bytes };
	bool is_http = !strncmp(file->url, "http://", 7) || !strncmp(file->url, "https://", 8);
	long status = 0;
	CURLcode code;
	int err;

	if (!is_http || strchr(file->url, '@'))
		return lkst_err_set(e, -EINVAL, "\"%.200s\" is not the URL of a file in a store",
				    file->url);
	err = lkst_curl_load(e, &c.lib);
	if (err)
		return err;
	c.curl = c.lib.easy_init();
	if (!c.curl)
		return lkst_err_sys(e, -ENOMEM, "fetching %s", file->url);
	download_prepare(&c, file);
	code = c.lib.easy_perform(c.curl);
	c.lib.easy_getinfo(c.curl, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK || status != 200)
		err = download_failed(e, file, &c, code);
	c.lib.easy_cleanup(c.curl);
	if (!err)
		*ret_bytes = c.bytes;
	return err;
}
