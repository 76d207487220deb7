/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for incidents: for the kernel's notices, changes of the pins, and the end of one that is kept. */
#include "live/drain/incident_notices.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/drain/incidents.h"
#include "live/hooks/pins.h"
#include "live/session/control_page.h"

struct lkst_incident_notices {
	struct lkst_control_page page;
	struct ring_buffer *ring;
	int changes; /* an inotify descriptor: of the pins */
};

static int incident_notices_ignore(void *ctx, void *bytes, size_t size)
{
	return 0;
}

static int open_ring(struct lkst_err *e, const struct lkst_session *s, struct lkst_incident_notices *n)
{
	_cleanup_close_ int fd = lkst_pins_get(e, lkst_session_own_pins(s), "kept"); /* libbpf takes a copy */

	if (fd < 0)
		return fd;
	n->ring = ring_buffer__new(fd, incident_notices_ignore, NULL, NULL);
	return n->ring ? 0 : lkst_err_sys(e, -errno, "waiting for incidents");
}

static int watch_pins(struct lkst_err *e, struct lkst_incident_notices *n)
{
	char path[LKST_PIN_PATH_MAX];

	lkst_pins_path("", path, sizeof(path));
	n->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (n->changes < 0 || inotify_add_watch(n->changes, path, IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR) < 0)
		return lkst_err_sys(e, -errno, "watching %s", path);
	return 0;
}

/* What the notices are of is looked at afterwards. */
static void drain(struct lkst_incident_notices *n)
{
	char events[1024];

	ring_buffer__consume(n->ring);
	while (read(n->changes, events, sizeof(events)) > 0)
		;
}

int lkst_incident_notices_open(struct lkst_err *e, const struct lkst_session *s,
			       struct lkst_incident_notices **ret_notices)
{
	_cleanup_(lkst_incident_notices_closep) struct lkst_incident_notices *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return lkst_err_sys(e, -ENOMEM, "waiting for incidents");
	n->changes = -1;
	err = watch_pins(e, n) ?: open_ring(e, s, n) ?: lkst_control_page_open(e, &n->page);
	if (err)
		return err;
	drain(n);
	*ret_notices = lkst_take(n);
	return 0;
}

void lkst_incident_notices_close(struct lkst_incident_notices *n)
{
	if (!n)
		return;
	ring_buffer__free(n->ring);
	lkst_closep(&n->changes);
	lkst_control_page_close(&n->page);
	free(n);
}

bool lkst_incident_notices_are_due(const struct lkst_incident_notices *n)
{
	return !lkst_control_page_is_current(&n->page) || lkst_incidents_have_ended(n->page.control);
}

/* Until the next of those that are kept is over, rounded up; -1: all are over. */
static int ms_left(const struct lkst_incident_notices *n)
{
	const u64 end_ns = lkst_incidents_next_end(n->page.control), now_ns = lkst_monotonic_ns();
	u64 ms;

	if (!end_ns)
		return -1;
	ms = end_ns > now_ns ? (end_ns - now_ns + 999999) / 1000000 : 0;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

int lkst_incident_notices_wait(struct lkst_err *e, struct lkst_incident_notices *n, int wake_fd, int retry_ms)
{
	struct pollfd fds[] = {
		{ .fd = wake_fd, .events = POLLIN },
		{ .fd = ring_buffer__epoll_fd(n->ring), .events = POLLIN },
		{ .fd = n->changes, .events = POLLIN },
	};
	int ms = ms_left(n);

	/* In this order: one that is over now was counted above, or is due. */
	if (lkst_incident_notices_are_due(n) && (ms < 0 || retry_ms < ms))
		ms = retry_ms;
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), ms) < 0 && errno != EINTR)
		return lkst_err_sys(e, -errno, "waiting for incidents");
	drain(n);
	return fds[0].revents != 0;
}
