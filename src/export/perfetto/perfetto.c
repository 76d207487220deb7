/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace for Perfetto's UI (ui.perfetto.dev) and its trace processor: one pass over the records, which become the
 * kernel's events that Perfetto knows, and tracks for what it does not know.
 */
#include "export/perfetto/perfetto.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/control.h"
#include "base/cleanup.h"
#include "trace/known/threads_before.h"

/* ---- packets --------------------------------------------------------------------------------- */

enum {
	TRACE_PACKET = 1, /* the field of Trace */
	EARLY_GAPS_MAX = 4096,
};

struct lkst_protobuf *lkst_perfetto_begin(struct lkst_perfetto *p, u32 sequence, u64 ns)
{
	p->packet = (struct lkst_protobuf){ .bytes = p->bytes, .room = sizeof(p->bytes) };
	if (ns)
		lkst_protobuf_u64(&p->packet, LKST_PERFETTO_TIMESTAMP, lkst_perfetto_time(p, ns));
	lkst_protobuf_u64(&p->packet, LKST_PERFETTO_SEQUENCE_ID, sequence);
	return &p->packet;
}

void lkst_perfetto_end(struct lkst_perfetto *p)
{
	u8 bytes[LKST_PROTOBUF_TAG_MAX + LKST_PROTOBUF_VARINT_MAX];
	struct lkst_protobuf head = { .bytes = bytes, .room = sizeof(bytes) };

	if (p->packet.is_full)
		return;
	lkst_protobuf_tag(&head, TRACE_PACKET, LKST_PROTOBUF_LENGTH);
	lkst_protobuf_varint(&head, p->packet.used);
	lkst_out_bytes(p->x->out, bytes, head.used);
	lkst_out_bytes(p->x->out, p->bytes, p->packet.used);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static int perfetto_put_gap(struct lkst_perfetto *p, const struct lkst_gap *gap)
{
	lkst_export_gap(p->x, gap);
	lkst_perfetto_put_gap(p, gap);
	if (gap->buffer == LKST_BUFFER_LIFE || gap->buffer == LKST_BUFFER_STATE)
		return 0;
	lkst_perfetto_lose_disks(p, gap);
	return lkst_perfetto_lose_cpu(p, gap, gap->to_ns >= p->x->end_ns);
}

int lkst_perfetto_start(struct lkst_perfetto *p)
{
	struct lkst_gap gap;
	int err = 0;

	p->has_begun = true;
	lkst_perfetto_put_state(p);
	while (!err && lkst_gaps_take(&p->early, &gap))
		err = perfetto_put_gap(p, &gap);
	return err;
}

/* What the rings had overwritten comes before the state, of which the clocks are. */
static int perfetto_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_perfetto *p = ctx;

	if (gap->to_ns < p->x->from_ns)
		return 0;
	if (p->has_begun)
		return perfetto_put_gap(p, gap);
	lkst_gaps_add(&p->early, gap);
	return 0;
}

static int perfetto_on_end(void *ctx, u64 end_ns)
{
	struct lkst_perfetto *p = ctx;
	int err = p->has_begun ? 0 : lkst_perfetto_start(p);

	if (!err)
		lkst_perfetto_end_cpus(p);
	return err;
}

/* Names of threads are from records of before: where these are beside the others, only they are read. */
static int skip_before(struct lkst_err *e, struct lkst_perfetto *p)
{
	struct lkst_export *x = p->x;
	u64 begin_ns, end_ns;

	lkst_trace_range(x->trace, &begin_ns, &end_ns);
	if (x->from_ns <= begin_ns || !lkst_trace_keeps_names(x->trace))
		return 0;
	lkst_feed_begin(p->feed, x->from_ns);
	return lkst_threads_feed_before(e, p->threads, x->trace, x->from_ns);
}

static int perfetto_subscribe(struct lkst_perfetto *p)
{
	int err = lkst_feed_threads(p->feed, p->threads) ?:
		  lkst_model_new(p->e, p->feed, &p->model) ?:
		  lkst_perfetto_subscribe_why(p) ?:
		  lkst_labels_subscribe(&p->labels, p->feed) ?:
		  lkst_perfetto_subscribe_state(p) ?:
		  lkst_perfetto_subscribe_findings(p) ?:
		  lkst_perfetto_subscribe_cpus(p) ?:
		  lkst_perfetto_subscribe_disks(p);

	if (err < 0)
		return err;
	err = lkst_feed_gaps(p->feed, perfetto_on_gap, p);
	if (err >= 0)
		err = lkst_feed_end(p->feed, perfetto_on_end, p);
	return err < 0 ? err : 0;
}

/* What has looked for the longest waits. What follows the pass needs memory, too. */
static void free_model(struct lkst_perfetto *p)
{
	lkst_perfetto_free_why(p);
	lkst_model_free(p->model);
	p->model = NULL;
}

static void perfetto_free(struct lkst_perfetto *p)
{
	if (!p)
		return;
	free_model(p);
	lkst_feed_free(p->feed);
	lkst_threads_free(p->threads);
	lkst_labels_fini(&p->labels);
	lkst_perfetto_free_cpus(p);
	lkst_perfetto_free_disks(p);
	lkst_hash_fini(&p->born);
	lkst_gaps_fini(&p->early);
	lkst_perfetto_free_findings(p);
	free(p);
}
LKST_GUARD(perfetto_free, struct lkst_perfetto)

static int write_perfetto(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(perfetto_freep) struct lkst_perfetto *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return lkst_err_sys(e, -ENOMEM, "exporting");
	p->e = e;
	p->x = x;
	p->threads = lkst_threads_new();
	if (!p->threads || lkst_gaps_init(&p->early, EARLY_GAPS_MAX))
		return lkst_err_sys(e, -ENOMEM, "exporting");
	err = lkst_feed_new(e, x->trace, &p->feed);
	if (!err)
		err = skip_before(e, p);
	if (err)
		return err;
	lkst_feed_limit(p->feed, x->from_ns, x->to_ns);
	lkst_feed_look(p->feed, lkst_export_look, x);
	err = perfetto_subscribe(p);
	if (err)
		return lkst_err_sys(e, err, "exporting");
	err = lkst_feed_run(e, p->feed);
	if (!err)
		err = lkst_perfetto_put_why(p);
	free_model(p);
	return err ? err : lkst_perfetto_put_findings(p);
}

const struct lkst_export_format lkst_export_perfetto = {
	.name = "perfetto",
	.help = "a file for Perfetto's UI and trace processor",
	.extension = "pftrace",
	.write = write_perfetto,
};
