/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording looked at once. */
#include "live/recording/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "base/vec.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/masksets.h"
#include "live/recording/limit.h"
#include "live/session/buffers.h"
#include "masks/mask.h"

static void look_at_ring(const struct lkst_rings *r, struct lkst_ring_report *ret)
{
	const struct lkst_state *st = lkst_rings_state(r, ret->cpu, ret->buffer);
	u64 oldest = lkst_rings_oldest_ns(r, ret->cpu, ret->buffer), now = lkst_monotonic_ns();
	int cause, level;

	/* The rings of interrupting writers are memory, but not what a user asked for. */
	ret->bytes = (u64)(st->ring[0].mask + 1) << r->block_shift;
	ret->history_s = oldest && oldest < now ? (now - oldest) / 1e9 : 0;
	for (level = 0; level < LKST_LEVELS; level++) {
		const struct lkst_ring *ring = &st->ring[level];

		ret->written_bytes += __atomic_load_n(&ring->done, __ATOMIC_RELAXED);
		ret->overwritten += lkst_ring_overwritten(ring);
	}
	for (cause = 0; cause < LKST_LOSS_NR; cause++)
		ret->lost[cause] = __atomic_load_n(&st->lost[cause], __ATOMIC_RELAXED);
}

static int status_add_hook(void *ctx, const char *hook, bool is_attached, u64 skipped)
{
	struct lkst_report *r = ctx;
	struct lkst_hook_report *added = lkst_vec_add(r->hooks, r->nr_hooks);

	if (!added)
		return -ENOMEM;
	r->nr_attached += is_attached;
	*added = (struct lkst_hook_report){ hook, skipped };
	return 0;
}

/* The control page is shared memory: what is read from it is checked. */
static void look_at_maskset(const struct lkst_session *s, struct lkst_report *r)
{
	const struct lkst_control *c = lkst_session_control(s);
	struct lkst_mask mask;

	r->maskset = c->active & (LKST_MASKSETS - 1);
	lkst_maskset_read(s, r->maskset, &mask);
	memcpy(r->maskset_name, mask.name, sizeof(r->maskset_name));
	r->nr_events = lkst_mask_count(mask.route, lkst_session_catalog(s));
}

int lkst_report_make(struct lkst_err *e, const struct lkst_session *s, struct lkst_report *ret)
{
	const struct lkst_rings *rings = lkst_session_rings(s);
	struct lkst_report r = {
		.seconds = (lkst_monotonic_ns() - rings->control->start_ns) / 1e9,
		.nr_cpus = sysconf(_SC_NPROCESSORS_ONLN),
		.memory_bytes = rings->memory_bytes,
		.block_bytes = 1U << rings->block_shift,
	};
	u32 buffer, cpu;
	int err;

	look_at_maskset(s, &r);
	r.rings = calloc(rings->nr_cpus * LKST_NR_BUFFERS, sizeof(*r.rings));
	if (!r.rings)
		return lkst_err_sys(e, -ENOMEM, "looking at the recording");
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; lkst_rings_has(rings, buffer) && cpu < rings->nr_cpus; cpu++) {
			struct lkst_ring_report *ring = &r.rings[r.nr_rings++];

			ring->cpu = cpu;
			ring->buffer = buffer;
			snprintf(ring->name, sizeof(ring->name), "%.*s", LKST_BUFFER_NAME - 1,
				 lkst_buffer_name(s, buffer));
			look_at_ring(rings, ring);
		}
	lkst_history_look(rings, &r.history);
	err = lkst_session_each_hook(e, s, status_add_hook, &r);
	if (err)
		err = lkst_err_sys(e, err, "looking at the recording's hooks");
	err = err ?: lkst_label_read(e, r.label) ?: lkst_session_budget(e, s, &r.budget);
	/* After the numbers that it is compared with were read. */
	r.now_ns = lkst_monotonic_ns();
	r.has_helper = !err && r.budget.page.limit_ppm && lkst_limit_is_kept(s);
	err = err ?: lkst_cost_count(e, s, &r.budget.page.costs, &r.cost);
	if (err)
		lkst_report_free(&r);
	else
		*ret = r;
	return err;
}

void lkst_report_free(struct lkst_report *r)
{
	free(r->rings);
	free(r->hooks);
	lkst_cost_free(&r->cost);
	lkst_budget_view_free(&r->budget);
	*r = (struct lkst_report){};
}
