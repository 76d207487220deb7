/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of commands that speak to a ClickHouse server, and where a password comes from: never the command
 * line.
 */
#ifndef LKST_CMD_FLEET_FLEET_SERVER_H
#define LKST_CMD_FLEET_FLEET_SERVER_H

#include "cmd/frame/cmd.h"

struct lkst_fleet;

struct lkst_fleet_options {
	const char *database, *credentials, *ca;
	u64 timeout_ns;
};

#define LKST_FLEET_TIMEOUT "60s"
#define LKST_FLEET_DEFAULTS                                                                        \
	{                                                                                          \
		.database = "lkst", .timeout_ns = 60000000000ULL                                   \
	}

/* Their rows in the table of a command whose options are a struct @type; @timeout is its standard, as text. */
#define LKST_FLEET_ROWS(type, member, timeout)                                                     \
	LKST_OPTION(TEXT, type, member.database, .name = "database", .argument = "NAME",           \
		    .standard = "lkst", .help = "the server's database"),                          \
		LKST_OPTION(TEXT, type, member.credentials, .name = "credentials",                 \
			    .argument = "FILE", .standard = "$CREDENTIALS_DIRECTORY/lkst-fleet",   \
			    .help = "has USER:PASSWORD for the server, and only you may read it"), \
		LKST_OPTION(TEXT, type, member.ca, .name = "ca", .argument = "FILE",               \
			    .standard = "the system's",                                            \
			    .help = "certificates that the server's is checked by"),               \
		LKST_OPTION(DURATION, type, member.timeout_ns, .name = "timeout", .argument = "T", \
			    .min = 1000000, .max = 3600000000000LL, .standard = (timeout),         \
			    .help = "how long each statement may take")

/* Where USER:PASSWORD may be, the first that has any. */
struct lkst_fleet_credentials {
	const char *file;     /* NULL: none was named */
	const char *name;     /* of a file in $CREDENTIALS_DIRECTORY */
	const char *variable; /* of the environment */
};

enum { LKST_FLEET_CREDENTIALS_MAX = 1024 };

/* Both parts are in @text, which the caller clears; NULL: there are none. */
int lkst_fleet_find_credentials(struct lkst_err *e, const struct lkst_fleet_credentials *where,
				char text[LKST_FLEET_CREDENTIALS_MAX], const char **ret_user,
				const char **ret_password);

/* The same for a store of bundles: @file, the credential lkst-store, or $LKST_STORE_CREDENTIALS. */
int lkst_store_find_credentials(struct lkst_err *e, const char *file,
				char text[LKST_FLEET_CREDENTIALS_MAX], const char **ret_user,
				const char **ret_password);

/* The row of that file in the table of a command whose options are a struct @type. */
#define LKST_STORE_CREDENTIALS_ROW(type, member)                                                   \
	LKST_OPTION(TEXT, type, member, .name = "store-credentials", .argument = "FILE",           \
		    .standard = "$CREDENTIALS_DIRECTORY/lkst-store",                               \
		    .help = "has USER:PASSWORD for the store, and only you may read it")

/* Prepares to speak to the server at @url. lkst_fleet_close() ends it. -ENOTSUP: this program cannot. */
int lkst_fleet_server_open(struct lkst_err *e, const struct lkst_fleet_options *o, const char *url,
			   struct lkst_fleet **ret_fleet);

#endif
