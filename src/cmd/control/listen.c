/* SPDX-License-Identifier: GPL-2.0-only */
/* The listening end of the service's socket. */
#include "cmd/control/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/recorders/remote.h"

enum {
	FIRST_INHERITED = 3, /* SD_LISTEN_FDS_START */
	BACKLOG = 16,
};

static bool is_listening(int fd)
{
	struct sockaddr_un a;
	socklen_t size = sizeof(a), flag_size = sizeof(int);
	int flag;

	return !getsockname(fd, (struct sockaddr *)&a, &size) && a.sun_family == AF_UNIX &&
	       !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &flag, &flag_size) && flag;
}

int lkst_listen_inherited(struct lkst_err *e)
{
	const char *pid = getenv("LISTEN_PID"), *nr = getenv("LISTEN_FDS");

	if (!pid || !nr || atol(pid) != getpid())
		return -ENOENT;
	if (atol(nr) != 1 || !is_listening(FIRST_INHERITED))
		return lkst_err_set(e, -EINVAL,
				    "the service manager handed over something other than one "
				    "listening socket");
	/* Its children are to inherit none of it. */
	fcntl(FIRST_INHERITED, F_SETFD, FD_CLOEXEC);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return FIRST_INHERITED;
}

/* True if there is a socket at @a that nobody listens to. */
static bool is_left_over(const struct sockaddr_un *a)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	return !lstat(a->sun_path, &st) && S_ISSOCK(st.st_mode) && fd >= 0 &&
	       connect(fd, (const struct sockaddr *)a, sizeof(*a)) && errno == ECONNREFUSED;
}

/*
 * Makes the socket file with its final mode: bind(2) takes that of the socket (net/unix/af_unix.c,
 * unix_bind_bsd()), less what umask(2) says.
 */
static int bind_private(int fd, const struct sockaddr_un *a)
{
	mode_t mask = umask(0);
	int err = fchmod(fd, 0660) || bind(fd, (const struct sockaddr *)a, sizeof(*a)) ? -errno : 0;

	umask(mask);
	return err;
}

/* Gives the socket file to the group. Should somebody have put something else in its place, that is left alone. */
static int give_to_group(const char *path, gid_t gid)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
		return -EEXIST;
	return fchownat(fd, "", (uid_t)-1, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

int lkst_listen_at(struct lkst_err *e, const char *path, gid_t gid)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;
	int err;

	err = lkst_remote_address(e, path, &a);
	if (err)
		return err;
	if (fd < 0)
		return lkst_err_sys(e, -errno, "making a socket");
	err = bind_private(fd, &a);
	if (err == -EADDRINUSE && is_left_over(&a)) {
		unlink(path);
		err = bind_private(fd, &a);
	}
	if (!err)
		err = give_to_group(path, gid);
	/* Nobody can connect before this, and by now the group is right. */
	if (!err && listen(fd, BACKLOG))
		err = -errno;
	return err ? lkst_err_sys(e, err, "listening at %s", path) : lkst_take_fd(fd);
}

bool lkst_peer_may(int fd, gid_t gid, uid_t *ret_uid, pid_t *ret_pid)
{
	_cleanup_free_ gid_t *groups = NULL;
	socklen_t size = sizeof(struct ucred);
	struct ucred who;
	unsigned int i;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) || size != sizeof(who))
		return false;
	*ret_uid = who.uid;
	*ret_pid = who.pid;
	if (!who.uid || who.gid == gid)
		return true;
	/* Asked for no room, the kernel says how much it takes (net/core/sock.c, SO_PEERGROUPS). */
	size = 0;
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) || errno != ERANGE)
		return false;
	groups = malloc(size);
	if (!groups || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
		return false;
	for (i = 0; i < size / sizeof(*groups); i++)
		if (groups[i] == gid)
			return true;
	return false;
}
