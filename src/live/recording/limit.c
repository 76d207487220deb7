/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that detaches hooks for the cost limit, and attaches them again. */
#include "live/recording/limit.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/hooks/pins.h"
#include "live/masks/maskset_hooks.h"
#include "live/masks/masksets.h"
#include "live/state/readings.h"

/* Of readings of the kernel's counters; a little less than the time between two wakes. */
#define READINGS_APART_NS (LKST_LIMIT_READINGS_MS * 1000000ULL / 10 * 9)

struct lkst_limit {
	struct lkst_session *session;
	struct ring_buffer *asks; /* the controller wakes us by it; what to do is in the groups */
	int wakes;		  /* an epoll descriptor: of asks, and of changes of the pins */
	int changes;		  /* inotify: of the pins' directory */
	int claim;
	struct lkst_budget *budget; /* mapped */
	struct lkst_hook_group *groups;
	u32 nr_rows; /* of groups, those for kinds that come later included */
};

/* ---- one look --------------------------------------------------------------------------------- */

static size_t groups_bytes(const struct lkst_limit *l)
{
	return l->nr_rows * sizeof(*l->groups);
}

static u32 nr_groups(const struct lkst_limit *l)
{
	u32 nr = __atomic_load_n(&l->budget->nr_groups, __ATOMIC_ACQUIRE);

	return nr < l->nr_rows ? nr : l->nr_rows;
}

/* Reads the notifications of the pins' directory. True if there were any. */
static bool drain_changes(const struct lkst_limit *l)
{
	char events[4096];
	bool has_changed = false;

	while (read(l->changes, events, sizeof(events)) > 0)
		has_changed = true;
	return has_changed;
}

/*
 * Attaches and detaches hooks according to the groups that are off now. This process keeps nothing of it: hooks
 * that were attached have pins.
 */
static int follow_groups(struct lkst_err *e, struct lkst_limit *l)
{
	_cleanup_(lkst_notes_fini) struct lkst_notes ignored = {};
	u32 active = lkst_session_control(l->session)->active & (LKST_MASKSETS - 1), nr;
	int err;

	err = lkst_maskset_attach(e, l->session, 1U << active, NULL, &ignored, &nr);
	err = err ?: lkst_maskset_detach(e, l->session, 1U << active, &nr);
	lkst_hooks_close_links(lkst_session_hooks(l->session));
	return err;
}

/* Makes each group as the controller wants it: off or not. @force: also if none has changed. */
static int limit_answer(struct lkst_err *e, struct lkst_limit *l, bool force)
{
	const u32 nr = nr_groups(l);
	u32 i;
	int err;

	for (i = 0; i < nr; i++) {
		struct lkst_hook_group *g = &l->groups[i];
		u32 wanted = __atomic_load_n(&g->is_asked, __ATOMIC_ACQUIRE) != 0;

		if (g->is_off == wanted)
			continue;
		force = true;
		/* If the controller wants something else by now, this does not answer it. */
		__atomic_store_n(&g->done_ns, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&g->is_off, wanted, __ATOMIC_RELEASE);
	}
	err = force ? follow_groups(e, l) : 0;
	for (i = 0; i < nr && !err; i++)
		__atomic_store_n(&l->groups[i].done_ns, lkst_monotonic_ns(), __ATOMIC_RELEASE);
	/* If it was late, for the machine is busy or another command had the lock, it may be asked again. */
	if (!err)
		__atomic_store_n(&l->budget->lost, 0, __ATOMIC_RELEASE);
	return err;
}

/* Under the lock, with a session that has read which hooks there are: other commands change them, too. */
static int reopen(struct lkst_err *e, struct lkst_limit *l)
{
	struct lkst_session *session;
	int err = lkst_session_open(e, &session);

	if (err)
		return err;
	lkst_session_close(l->session);
	l->session = session;
	return 0;
}

int lkst_limit_serve(struct lkst_err *e, struct lkst_limit *l)
{
	_cleanup_close_ int lock = -1;
	int err = 0;

	ring_buffer__consume(l->asks);
	lock = lkst_pins_lock(e);
	if (lock < 0)
		return lock;
	if (!lkst_session_is_current(l->session))
		return 1;
	if (drain_changes(l))
		err = reopen(e, l);
	err = err ?: limit_answer(e, l, false);
	if (!err)
		lkst_readings_keep(l->session, READINGS_APART_NS);
	/* Our own changes need no reaction. */
	drain_changes(l);
	return err;
}

/* ---- lifetime --------------------------------------------------------------------------------- */

static int ignore_ask(void *ctx, void *bytes, size_t size)
{
	return 0;
}

static int limit_watch(struct lkst_limit *l, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(l->wakes, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int watch_all(struct lkst_err *e, struct lkst_limit *l, const struct lkst_budget_fds *fds)
{
	const u32 mask = IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR;
	char path[LKST_PIN_PATH_MAX];
	int err;

	lkst_pins_path("", path, sizeof(path));
	l->wakes = epoll_create1(EPOLL_CLOEXEC);
	l->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (l->wakes < 0 || l->changes < 0 || inotify_add_watch(l->changes, path, mask) < 0)
		return lkst_err_sys(e, -errno, "watching %s", path);
	l->asks = ring_buffer__new(fds->asks_fd, ignore_ask, NULL, NULL);
	err = l->asks ? limit_watch(l, ring_buffer__epoll_fd(l->asks)) : -errno;
	err = err ?: limit_watch(l, l->changes);
	return err ? lkst_err_sys(e, err, "waiting for the controller of costs") : 0;
}

static void *limit_map(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int limit_prepare(struct lkst_err *e, struct lkst_limit *l)
{
	const struct lkst_budget_fds *fds;
	int err = lkst_session_open(e, &l->session);

	if (err)
		return err;
	fds = lkst_session_budget_fds(l->session);
	if (fds->groups_fd < 0)
		return lkst_err_set(e, -ENODATA, "what is recorded has no limit to keep to");
	l->claim = lkst_pins_claim(e, lkst_session_identity(l->session));
	if (l->claim < 0)
		return l->claim;
	l->budget = limit_map(fds->budget_fd, sizeof(*l->budget));
	l->nr_rows = lkst_budget_rows(fds->groups_fd);
	if (l->budget && l->nr_rows)
		l->groups = limit_map(fds->groups_fd, groups_bytes(l));
	if (!l->budget || !l->groups)
		return lkst_err_sys(e, -errno, "reading what the cost limit leaves out");
	return watch_all(e, l, fds);
}

int lkst_limit_open(struct lkst_err *e, u32 retry_s, struct lkst_limit **ret_limit)
{
	_cleanup_(lkst_limit_closep) struct lkst_limit *l = calloc(1, sizeof(*l));
	_cleanup_close_ int lock = lkst_pins_lock(e);
	int err;

	if (lock < 0)
		return lock;
	if (!l)
		return lkst_err_sys(e, -ENOMEM, "keeping to the cost limit");
	l->wakes = l->changes = l->claim = -1;
	/* A process that was killed may have left anything undone. */
	err = limit_prepare(e, l) ?: limit_answer(e, l, true);
	if (err)
		return err;
	drain_changes(l);
	l->budget->retry_s = retry_s;
	__atomic_store_n(&l->budget->helper, (u32)getpid(), __ATOMIC_RELEASE);
	*ret_limit = lkst_take(l);
	return 0;
}

/* Without this process the controller asks for nothing, and nothing is to stay detached. */
static void take_back(struct lkst_limit *l)
{
	_cleanup_close_ int lock = -1;
	u32 i;

	if (!l->groups || !l->budget->helper)
		return;
	lock = lkst_pins_lock(NULL);
	if (lock < 0 || !lkst_session_is_current(l->session) || reopen(NULL, l))
		return;
	l->budget->retry_s = LKST_BUDGET_RETRY_S;
	__atomic_store_n(&l->budget->helper, 0, __ATOMIC_RELEASE);
	for (i = 0; i < nr_groups(l); i++)
		l->groups[i].is_off = false;
	follow_groups(NULL, l);
}

void lkst_limit_close(struct lkst_limit *l)
{
	if (!l)
		return;
	take_back(l);
	ring_buffer__free(l->asks);
	lkst_closep(&l->changes);
	lkst_closep(&l->wakes);
	if (l->groups)
		munmap(l->groups, groups_bytes(l));
	if (l->budget)
		munmap(l->budget, sizeof(*l->budget));
	lkst_session_close(l->session);
	lkst_closep(&l->claim);
	free(l);
}

int lkst_limit_fd(const struct lkst_limit *l)
{
	return l->wakes;
}

bool lkst_limit_is_kept(const struct lkst_session *s)
{
	return lkst_pins_is_claimed(lkst_session_identity(s));
}
