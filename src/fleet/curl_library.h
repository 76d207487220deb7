/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libcurl, loaded when a server is first spoken to. It brings thirty libraries with it (TLS, Kerberos, LDAP), and to
 * load them takes longer than to start the program, few of whose commands need them.
 */
#ifndef LKST_FLEET_CURL_LIBRARY_H
#define LKST_FLEET_CURL_LIBRARY_H

#include <curl/curl.h>

#include "abi/types.h"
#include "base/err.h"

/* What is used of it. */
#define LKST_CURL_FUNCTIONS(F)                                                                     \
	F(easy_init)                                                                               \
	F(easy_cleanup)                                                                            \
	F(easy_setopt)                                                                             \
	F(easy_getinfo)                                                                            \
	F(easy_perform)                                                                            \
	F(easy_strerror)                                                                           \
	F(easy_escape)                                                                             \
	F(free)                                                                                    \
	F(slist_append)                                                                            \
	F(slist_free_all)

struct lkst_curl {
#define F(name) __typeof__(curl_##name) *name;
	LKST_CURL_FUNCTIONS(F)
#undef F
};

/*
 * Loads libcurl, if it is not yet loaded; it stays loaded until the program ends. -ENOSYS: there is none, or it is
 * not the one that LKST was built for.
 */
int lkst_curl_load(struct lkst_err *e, struct lkst_curl *ret_curl);

/*
 * What is the same for every server: HTTP alone, its certificate is checked (@ca: by these, NULL: by the system's), and
 * no redirection is followed, which might lead to somebody who collects credentials.
 */
void lkst_curl_prepare(const struct lkst_curl *lib, CURL *curl, const char *ca);

/* A transfer that does not move for @ns is given up. A large one over a slow line takes its time. */
void lkst_curl_limit_silence(const struct lkst_curl *lib, CURL *curl, u64 ns);

/* Sends @user and @password with each request; @user NULL: does not. @password NULL: an empty one. */
void lkst_curl_log_in(const struct lkst_curl *lib, CURL *curl, const char *user, const char *password);

#endif
