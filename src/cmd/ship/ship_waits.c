/* SPDX-License-Identifier: GPL-2.0-only */
/* The longest waits of a trace. */
#include "cmd/ship/ship_waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/model/model.h"
#include "analyze/why/why.h"
#include "view/account_text.h"

enum { STATE_INTERRUPTIBLE = 1 };

/* ---- finding them ---------------------------------------------------------------------------- */

/* Takes the wait in among the longest, in its place. */
static void take(struct lkst_fleet_incident *i, const struct lkst_fleet_wait *wait)
{
	u32 at = i->nr_waits;

	if (at == LKST_FLEET_WAITS_MAX && i->waits[at - 1].took_ns >= wait->took_ns)
		return;
	if (at < LKST_FLEET_WAITS_MAX)
		i->nr_waits++;
	else
		at--;
	for (; at && i->waits[at - 1].took_ns < wait->took_ns; at--)
		i->waits[at] = i->waits[at - 1];
	i->waits[at] = *wait;
}

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	bool is_ready = i->run == LKST_RUN_READY;
	bool is_blocked = i->run == LKST_RUN_BLOCKED && i->wait &&
			  !(i->wait->task_state & STATE_INTERRUPTIBLE);
	struct lkst_fleet_wait wait = { .tid = i->life->tid,
					.time_ns = i->from_ns,
					.took_ns = i->to_ns - i->from_ns };

	if (i->life->is_kernel || i->life->idle_cpu >= 0 || !(is_ready || is_blocked))
		return 0;
	wait.what = is_ready ? "cpu" : lkst_cause_names[i->wait->cause];
	snprintf(wait.comm, sizeof(wait.comm), "%.16s", i->life->comm);
	take(ctx, &wait);
	return 0;
}

static int find(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_incident *i)
{
	static const struct lkst_model_calls calls = { .interval = on_interval };
	struct lkst_feed *feed = NULL;
	struct lkst_model *model = NULL;
	int err = lkst_feed_new(e, t, &feed) ?: lkst_model_new(e, feed, &model);

	if (!err && lkst_model_subscribe(model, &calls, i) < 0)
		err = lkst_err_sys(e, -ENOMEM, "looking for waits");
	err = err ?: lkst_feed_run(e, feed);
	lkst_model_free(model);
	lkst_feed_free(feed);
	return err;
}

/* ---- explaining them ------------------------------------------------------------------------- */

/* Why it took so long, in a line; nothing where that is not known. */
static int explain(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_wait *w, FILE *to)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *x = NULL;
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_view_config config = { .out = out, .catalog = lkst_trace_catalog(t) };
	u64 from_ns = w->time_ns > LKST_WHY_LEAD_NS ? w->time_ns - LKST_WHY_LEAD_NS : 0, end_ns,
	    to_ns = w->time_ns + w->took_ns;
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_trace_range(t, &config.begin_ns, &end_ns);
	lkst_out_init_stream(out, to);
	err = lkst_excerpt_new(e, t, from_ns, to_ns + LKST_WHY_TAIL_NS, NULL, &x)
		      ?: lkst_why_explain(e, x, w->tid, w->time_ns, to_ns, 1, &a);
	if (err)
		return err;
	config.threads = x->threads;
	config.symbols = x->symbols;
	return lkst_view_account_line(&config, a) ?: lkst_out_flush(out);
}

static int explain_text(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_wait *w)
{
	size_t length = 0;
	FILE *to = open_memstream(&w->account, &length);
	int err;

	if (!to)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	err = explain(e, t, w, to);
	if (fclose(to) && !err)
		err = -ENOMEM;
	if (err) {
		free(w->account);
		w->account = NULL;
	}
	return err == -ENOMEM ? err : 0;
}

int lkst_ship_find_waits(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_incident *i)
{
	int err = find(e, t, i);
	u32 k;

	for (k = 0; k < i->nr_waits && !err; k++)
		err = explain_text(e, t, &i->waits[k]);
	return err;
}
