/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds at one moment. */
#include "live/snapshot.h"

#include <errno.h>

#include "base/cleanup.h"
#include "live/drain.h"
#include "live/life.h"
#include "live/state.h"

struct saving {
	struct lkst_writer *w;
	struct lkst_life *life;
};

static int take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct saving *saving = ctx;

	if (lkst_instance_buffer(instance) == LKST_BUFFER_LIFE &&
	    lkst_life_feed(saving->life, blocks, length))
		return lkst_err_sys(e, -ENOMEM, "saving");
	return lkst_writer_append(e, saving->w, instance, blocks, length);
}

/* The state as it was when the trace begins, although it is taken now. */
static int save_state(struct lkst_err *e, const struct lkst_session *s, const struct saving *saving)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list threads = {};
	int err = lkst_state_list_threads(e, s, &threads);

	if (!err && lkst_life_undo(saving->life, &threads))
		err = lkst_err_sys(e, -ENOMEM, "saving");
	if (!err)
		err = lkst_state_write_machine(e, s, saving->w, &threads);
	return err ? err : lkst_state_write_ledger(e, s, saving->w, NULL);
}

int lkst_snapshot_write(struct lkst_err *e, const struct lkst_session *s, u64 last_ns,
			struct lkst_writer *w)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *drain = NULL;
	struct saving saving = { w, lkst_life_new(lkst_session_catalog(s)) };
	u64 now = lkst_monotonic_ns();
	u64 since = last_ns && last_ns < now ? now - last_ns : 0;
	int err = saving.life ? 0 : lkst_err_sys(e, -ENOMEM, "saving");

	/* Events first: every moment that passes, the oldest are overwritten. */
	if (!err)
		err = lkst_drain_new(e, s, w, since, &drain);
	if (!err) {
		lkst_drain_set_taker(drain, take, &saving);
		err = lkst_drain_finish(e, drain);
	}
	if (!err)
		err = save_state(e, s, &saving);
	lkst_life_free(saving.life);
	return err;
}
