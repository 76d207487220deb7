/* SPDX-License-Identifier: GPL-2.0-only */
/* The last seconds of the running recording, again and again. */
#include "cmd/view/view_live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/create.h"
#include "base/time.h"
#include "cmd/frame/end_signals.h"
#include "cmd/recorders/remote.h"
#include "cmd/recorders/turn.h"
#include "live/drain/snapshot.h"
#include "trace/read/reader.h"

/* A member of the group may ask the service once a second. */
#define EVERY_NS LKST_NS_PER_S

enum { PAUSE_MS = 10 };

/* What the child leaves. */
struct taking {
	struct lkst_err error;
	int result; /* 0, or what went wrong */
};

struct lkst_view_live {
	const char *socket;
	u64 last_ns;
	char dir[PATH_MAX]; /* where a snapshot goes, until it is mapped; "": there is none */
	int lock;	    /* on that, while it is there */
	pid_t child;	    /* that takes it; 0: none */
	u64 began_ns;	    /* when the last one was begun */
	struct taking *shared;
};

/* ---- one snapshot ------------------------------------------------------------------------------- */

static int take_own(struct lkst_err *e, u64 last_ns, const char *dir)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	const struct lkst_snapshot_options what = { .last_ns = last_ns };
	struct lkst_writer *w = NULL;
	struct lkst_turn turn;
	int err = lkst_turn_take(e, LKST_TURN_LOOK, &turn) ?: lkst_session_open(e, &s);

	lkst_turn_give(&turn);
	if (!err)
		err = lkst_writer_open_copy(e, NULL, dir, lkst_session_catalog(s), &w);
	return err ? err : lkst_writer_close(e, w, lkst_snapshot_write(e, s, &what, w));
}

static int view_live_take(struct lkst_err *e, const struct lkst_view_live *live)
{
	u64 bytes;

	if (lkst_remote_is_wanted(live->socket))
		return lkst_remote_snapshot(e, live->socket, live->last_ns, NULL, live->dir, &bytes);
	return take_own(e, live->last_ns, live->dir);
}

/* A new directory for it: in memory, if there is a place for files that are. */
static int view_live_make_dir(struct lkst_err *e, struct lkst_view_live *live)
{
	const char *place = getenv("TMPDIR");
	char path[PATH_MAX];
	int err;

	if (!place || !*place)
		place = access("/dev/shm", W_OK) ? "/var/tmp" : "/dev/shm";
	if ((size_t)snprintf(path, sizeof(path), "%s/lkst-live", place) >= sizeof(path))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", place);
	err = lkst_create_dir_beside(e, NULL, path, live->dir, &live->lock);
	if (err)
		live->dir[0] = 0;
	return err;
}

static void view_live_remove_dir(struct lkst_view_live *live)
{
	if (!live->dir[0])
		return;
	lkst_remove_made_dir(live->lock, AT_FDCWD, live->dir);
	live->dir[0] = 0;
	lkst_closep(&live->lock);
}

/* Opens what was taken. Its files stay as long as they are mapped. */
static int open_taken(struct lkst_err *e, struct lkst_view_live *live,
		      struct lkst_trace **ret_trace)
{
	int err = lkst_trace_open(e, live->dir, ret_trace);

	view_live_remove_dir(live);
	return err;
}

/* ---- again and again ---------------------------------------------------------------------------- */

static int view_live_begin(struct lkst_err *e, struct lkst_view_live *live)
{
	int err = view_live_make_dir(e, live);

	if (err)
		return err;
	live->began_ns = lkst_monotonic_ns();
	*live->shared = (struct taking){};
	live->child = fork();
	if (!live->child) {
		live->shared->result = view_live_take(&live->shared->error, live);
		_exit(EXIT_SUCCESS);
	}
	if (live->child > 0)
		return 0;
	live->child = 0;
	view_live_remove_dir(live);
	return lkst_err_sys(e, -EAGAIN, "taking a snapshot");
}

/* What the child has left. */
static int view_live_finish(struct lkst_err *e, struct lkst_view_live *live, int status,
			    struct lkst_trace **ret_trace)
{
	int err;

	live->child = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) || live->shared->result) {
		view_live_remove_dir(live);
		if (!live->shared->result)
			return lkst_err_set(e, -EIO, "the process that takes snapshots was killed");
		*e = live->shared->error;
		return live->shared->result;
	}
	err = open_taken(e, live, ret_trace);
	return err ? err : 1;
}

int lkst_view_live_next(struct lkst_err *e, void *ctx, struct lkst_trace **ret_trace)
{
	struct lkst_view_live *live = ctx;
	int status;

	if (live->child && waitpid(live->child, &status, WNOHANG) == live->child)
		return view_live_finish(e, live, status, ret_trace);
	if (live->child || lkst_monotonic_ns() - live->began_ns < EVERY_NS)
		return 0;
	return view_live_begin(e, live);
}

/* The first one. A signal that ends the command ends what is being taken, too, so that nothing of it stays. */
static int take_first(struct lkst_err *e, struct lkst_view_live *live,
		      struct lkst_trace **ret_trace)
{
	_cleanup_close_ int end_fd = lkst_end_signals_open(e);
	struct pollfd end = { .fd = end_fd, .events = POLLIN };
	int r = end_fd < 0 ? end_fd : view_live_begin(e, live);

	while (!r) {
		if (poll(&end, 1, PAUSE_MS) > 0)
			return lkst_err_set(e, -EINTR,
					    "ended by a signal before there was a snapshot");
		r = lkst_view_live_next(e, live, ret_trace);
	}
	return r < 0 ? r : 0;
}

int lkst_view_live_new(struct lkst_err *e, const char *socket, u64 last_ns,
		       struct lkst_view_live **ret_live, struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_view_live_freep) struct lkst_view_live *live = calloc(1, sizeof(*live));
	int err;

	if (!live)
		return lkst_err_sys(e, -ENOMEM, "looking at the recording");
	live->socket = socket;
	live->last_ns = last_ns;
	live->shared = mmap(NULL, sizeof(*live->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (live->shared == MAP_FAILED) {
		live->shared = NULL;
		return lkst_err_sys(e, -ENOMEM, "looking at the recording");
	}
	err = take_first(e, live, ret_trace);
	if (err)
		return err;
	*ret_live = lkst_take(live);
	return 0;
}

void lkst_view_live_free(struct lkst_view_live *live)
{
	if (!live)
		return;
	if (live->child) {
		kill(live->child, SIGKILL);
		waitpid(live->child, NULL, 0);
	}
	view_live_remove_dir(live);
	if (live->shared)
		munmap(live->shared, sizeof(*live->shared));
	free(live);
}
