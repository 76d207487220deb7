/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the user and password for a server. */
#include "cmd/fleet/fleet_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fleet/client.h"

#ifdef LKST_NO_FLEET
int lkst_fleet_server_open(struct lkst_err *e, const struct lkst_fleet_options *o, const char *url,
			   struct lkst_fleet **ret_fleet)
{
	return lkst_err_set(e, -ENOTSUP,
			    "this lkst was built without libcurl, and speaks to no server; use one "
			    "that was built with it");
}
#else
/* Reads a file that nobody else may read. -ENOENT: it is not there. */
static int fleet_server_read_file(struct lkst_err *e, const char *path, char text[LKST_FLEET_CREDENTIALS_MAX])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t nr;

	if (fd < 0 || fstat(fd, &st))
		return lkst_err_sys(e, -errno, "opening the credentials %s", path);
	if (!S_ISREG(st.st_mode) || st.st_mode & 077)
		return lkst_err_set(e, -EPERM,
				    "%s is not a file that only its owner may read, and has a "
				    "password; try chmod 600",
				    path);
	nr = read(fd, text, LKST_FLEET_CREDENTIALS_MAX - 1);
	if (nr < 0)
		return lkst_err_sys(e, -errno, "reading the credentials %s", path);
	text[nr] = 0;
	return 0;
}

/* What there is, from the first place that has any; "" if none has. */
static int fleet_server_find(struct lkst_err *e, const struct lkst_fleet_credentials *where,
			     char text[LKST_FLEET_CREDENTIALS_MAX])
{
	const char *directory = getenv("CREDENTIALS_DIRECTORY");
	const char *variable = getenv(where->variable);
	_cleanup_free_ char *path = NULL;
	int err;

	text[0] = 0;
	if (where->file)
		return fleet_server_read_file(e, where->file, text);
	if (directory) {
		if (asprintf(&path, "%s/%s", directory, where->name) < 0)
			return lkst_err_sys(e, -ENOMEM, "looking for credentials");
		err = fleet_server_read_file(e, path, text);
		if (err != -ENOENT)
			return err;
	}
	if (variable)
		snprintf(text, LKST_FLEET_CREDENTIALS_MAX, "%s", variable);
	return 0;
}

int lkst_fleet_find_credentials(struct lkst_err *e, const struct lkst_fleet_credentials *where,
				char text[LKST_FLEET_CREDENTIALS_MAX], const char **ret_user,
				const char **ret_password)
{
	int err = fleet_server_find(e, where, text);
	char *colon;

	*ret_user = *ret_password = NULL;
	if (err)
		return err;
	text[strcspn(text, "\r\n")] = 0;
	colon = strchr(text, ':');
	if (text[0] && !colon)
		return lkst_err_set(e, -EINVAL, "the credentials are not USER:PASSWORD");
	if (colon) {
		*colon = 0;
		*ret_user = text;
		*ret_password = colon + 1;
	}
	return 0;
}

int lkst_store_find_credentials(struct lkst_err *e, const char *file,
				char text[LKST_FLEET_CREDENTIALS_MAX], const char **ret_user,
				const char **ret_password)
{
	const struct lkst_fleet_credentials places = { .file = file,
						       .name = "lkst-store",
						       .variable = "LKST_STORE_CREDENTIALS" };

	return lkst_fleet_find_credentials(e, &places, text, ret_user, ret_password);
}

int lkst_fleet_server_open(struct lkst_err *e, const struct lkst_fleet_options *o, const char *url,
			   struct lkst_fleet **ret_fleet)
{
	const struct lkst_fleet_credentials places = { .file = o->credentials,
						       .name = "lkst-fleet",
						       .variable = "LKST_FLEET_CREDENTIALS" };
	struct lkst_fleet_where where = {
		.url = url, .database = o->database, .ca = o->ca, .timeout_ns = o->timeout_ns
	};
	char text[LKST_FLEET_CREDENTIALS_MAX];
	int err = lkst_fleet_find_credentials(e, &places, text, &where.user, &where.password);

	err = err ?: lkst_fleet_open(e, &where, ret_fleet);
	explicit_bzero(text, sizeof(text));
	return err;
}
#endif
