/* SPDX-License-Identifier: GPL-2.0-only */
#include "fleet/curl_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

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
