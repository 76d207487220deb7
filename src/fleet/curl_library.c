/* SPDX-License-Identifier: GPL-2.0-only */
#include "fleet/curl_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

enum { CONNECT_SECONDS = 10, SECOND_NS = 1000000000 };

int lkst_curl_load(struct lkst_err *e, struct lkst_curl *ret_curl)
{
	/* The second is what Debian calls the one that is linked with GnuTLS; both have the same functions. */
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL)
				?: dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
	bool is_whole = true;

	if (!library)
		return lkst_err_set(
			e, -ENOSYS,
			"servers are spoken to with libcurl, and that cannot be loaded: install libcurl4 (%s)",
			dlerror());
#define F(name)                                                                                    \
	ret_curl->name = (__typeof__(ret_curl->name))dlsym(library, "curl_" #name);                \
	is_whole = is_whole && ret_curl->name;
	LKST_CURL_FUNCTIONS(F)
#undef F
	return is_whole ? 0
			: lkst_err_set(e, -ENOSYS,
				       "this libcurl is not the one that LKST was built for");
}

void lkst_curl_prepare(const struct lkst_curl *lib, CURL *curl, const char *ca)
{
	__typeof__(lib->easy_setopt) set = lib->easy_setopt;

	set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	set(curl, CURLOPT_NOSIGNAL, 1L);
	set(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	set(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	set(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	set(curl, CURLOPT_FOLLOWLOCATION, 0L);
	if (ca)
		set(curl, CURLOPT_CAINFO, ca);
}

void lkst_curl_limit_silence(const struct lkst_curl *lib, CURL *curl, u64 ns)
{
	lib->easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	lib->easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)(ns / SECOND_NS ?: 1));
}

void lkst_curl_log_in(const struct lkst_curl *lib, CURL *curl, const char *user, const char *password)
{
	if (!user)
		return;
	lib->easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
	lib->easy_setopt(curl, CURLOPT_USERNAME, user);
	lib->easy_setopt(curl, CURLOPT_PASSWORD, password ?: "");
}
