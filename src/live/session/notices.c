/* SPDX-License-Identifier: GPL-2.0-only */
/* What a handler tells user space: its ring buffer. */
#include "live/session/notices.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/programs/handler_pins.h"
#include "live/session/session.h"

enum { KEPT_MAX = 4096 / (sizeof(struct lkst_notice) + 8) }; /* as many as the buffer holds */

struct lkst_notices {
	struct ring_buffer *ring;
	struct lkst_notice kept[KEPT_MAX]; /* read and not yet asked for */
	unsigned int first, nr;
};

static int notices_keep(void *ctx, void *bytes, size_t size)
{
	struct lkst_notices *n = ctx;

	if (size != sizeof(struct lkst_notice))
		return 0;
	memcpy(&n->kept[n->nr++], bytes, size);
	/* No more than there is room for; the rest stays in the buffer. */
	return n->nr == KEPT_MAX ? -EAGAIN : 0;
}

int lkst_notices_open(struct lkst_err *e, const struct lkst_session *s, u8 number,
		      struct lkst_notices **ret_notices)
{
	_cleanup_(lkst_notices_closep) struct lkst_notices *n = calloc(1, sizeof(*n));
	char pin[LKST_HANDLER_PIN_MAX];
	_cleanup_close_ int fd = -1;

	if (!n)
		return lkst_err_sys(e, -ENOMEM, "waiting for a handler");
	lkst_handler_pin(number, LKST_HANDLER_NOTICES, pin);
	fd = lkst_pins_get(e, lkst_session_own_pins(s), pin);
	if (fd < 0)
		return fd;
	n->ring = ring_buffer__new(fd, notices_keep, n, NULL);
	if (!n->ring)
		return lkst_err_sys(e, -errno, "waiting for a handler");
	*ret_notices = lkst_take(n);
	return 0;
}

void lkst_notices_close(struct lkst_notices *n)
{
	if (!n)
		return;
	ring_buffer__free(n->ring);
	free(n);
}

int lkst_notices_wait(struct lkst_err *e, struct lkst_notices *n, int timeout_ms,
		      struct lkst_notice *ret_notice)
{
	int err;

	if (n->first == n->nr) {
		n->first = n->nr = 0;
		err = ring_buffer__poll(n->ring, timeout_ms);
		if (err < 0 && err != -EINTR && err != -EAGAIN)
			return lkst_err_sys(e, err, "waiting for a handler");
	}
	if (n->first == n->nr)
		return 0;
	*ret_notice = n->kept[n->first++];
	return 1;
}
