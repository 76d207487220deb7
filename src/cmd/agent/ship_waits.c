/* SPDX-License-Identifier: GPL-2.0-only */
/* The longest waits of a trace. */
#include "cmd/agent/ship_waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/model/model.h"
#include "analyze/why/why.h"
#include "print/account_text.h"

enum { STATE_INTERRUPTIBLE = 1 };

/* ---- finding them ---------------------------------------------------------------------------- */

/* Takes the wait in among the longest, in its place. */
static void ship_waits_take(struct lkst_fleet_incident *i, const struct lkst_fleet_wait *wait)
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

static int ship_waits_on_interval(void *ctx, const struct lkst_interval *i)
{
	/* Only where a record shows how it began: what is known only from what came later is no finding. */
	bool is_ready = i->run == LKST_RUN_READY && i->ready != LKST_READY_UNKNOWN;
	bool is_blocked = i->run == LKST_RUN_BLOCKED && i->wait && i->wait->task_state &&
			  !(i->wait->task_state & STATE_INTERRUPTIBLE);
	struct lkst_fleet_wait wait = { .tid = i->life->tid,
					.time_ns = i->from_ns,
					.took_ns = i->to_ns - i->from_ns };

	if (i->life->is_kernel || i->life->idle_cpu >= 0 || !(is_ready || is_blocked))
		return 0;
	wait.what = is_ready ? "cpu" : lkst_cause_names[i->wait->cause];
	snprintf(wait.comm, sizeof(wait.comm), "%.16s", i->life->comm);
	ship_waits_take(ctx, &wait);
	return 0;
}

static int ship_waits_find(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_incident *i)
{
	static const struct lkst_model_calls calls = { .interval = ship_waits_on_interval };
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

/* What is to be known of a wait begins before it, and ends after it. */
static u64 ship_waits_begin_of(const struct lkst_fleet_wait *w)
{
	return w->time_ns > LKST_WHY_LEAD_NS ? w->time_ns - LKST_WHY_LEAD_NS : 0;
}

static u64 ship_waits_end_of(const struct lkst_fleet_wait *w)
{
	return w->time_ns + w->took_ns + LKST_WHY_TAIL_NS;
}

/* Why it took so long, in a line, out of @x; nothing where that is not known. */
static int ship_waits_explain(struct lkst_err *e, const struct lkst_excerpt *x, const struct lkst_fleet_wait *w,
			      FILE *to)
{
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_view_config config = {
		.out = out, .catalog = x->catalog, .threads = x->threads, .symbols = x->symbols
	};
	u64 end_ns;
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_trace_range(x->trace, &config.begin_ns, &end_ns);
	lkst_out_init_stream(out, to);
	err = lkst_why_explain(e, x, w->tid, w->time_ns, w->time_ns + w->took_ns, 1, &a);
	return err ?: lkst_view_account_line(&config, a) ?: lkst_out_flush(out);
}

static int ship_waits_explain_text(struct lkst_err *e, const struct lkst_excerpt *x, struct lkst_fleet_wait *w)
{
	size_t length = 0;
	FILE *to = open_memstream(&w->account, &length);
	int err;

	if (!to)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	err = ship_waits_explain(e, x, w, to);
	if (fclose(to) && !err)
		err = -ENOMEM;
	if (err) {
		free(w->account);
		w->account = NULL;
	}
	return err == -ENOMEM ? err : 0;
}

/* Out of its own records. *@is_cut becomes true if there are too many: then the oldest are left out. */
static int explain_alone(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_wait *w, bool *is_cut)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *x = NULL;
	int err = lkst_excerpt_new(e, t, ship_waits_begin_of(w), ship_waits_end_of(w), NULL, &x);

	*is_cut |= x && x->from_ns > ship_waits_begin_of(w);
	err = err ?: ship_waits_explain_text(e, x, w);
	return err == -ENOMEM ? err : 0;
}

/*
 * Waits of which each begins before those before it have ended, up to @to_ns. Their records are loaded once: twenty
 * threads that hang wait for one thing, and each for all of the time. One of which the oldest records are left out so
 * may have all of them alone; but not where one that began later and ended together with it has not.
 */
static int explain_group(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_wait **waits, u32 nr, u64 to_ns)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *x = NULL;
	int err = lkst_excerpt_new(e, t, ship_waits_begin_of(waits[0]), to_ns, NULL, &x);
	bool is_cut = nr == 1, is_cut_earlier = false;

	while (nr-- && !err) {
		struct lkst_fleet_wait *w = waits[nr];
		bool ends_last = ship_waits_end_of(w) == to_ns;

		if (ship_waits_begin_of(w) >= x->from_ns || (ends_last && is_cut))
			err = ship_waits_explain_text(e, x, w);
		else
			err = explain_alone(e, t, w, ends_last ? &is_cut : &is_cut_earlier);
	}
	return err == -ENOMEM ? err : 0;
}

static int compare_begins(const void *a, const void *b)
{
	const struct lkst_fleet_wait *x = *(struct lkst_fleet_wait *const *)a,
				     *y = *(struct lkst_fleet_wait *const *)b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

int lkst_ship_find_waits(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_incident *i)
{
	struct lkst_fleet_wait *waits[LKST_FLEET_WAITS_MAX] = {};
	int err = ship_waits_find(e, t, i);
	u32 k, end;
	u64 to_ns;

	for (k = 0; k < i->nr_waits; k++)
		waits[k] = &i->waits[k];
	qsort(waits, i->nr_waits, sizeof(waits[0]), compare_begins);
	for (k = 0; k < i->nr_waits && !err; k = end) {
		to_ns = ship_waits_end_of(waits[k]);
		for (end = k + 1; end < i->nr_waits && ship_waits_begin_of(waits[end]) <= to_ns; end++)
			if (ship_waits_end_of(waits[end]) > to_ns)
				to_ns = ship_waits_end_of(waits[end]);
		err = explain_group(e, t, &waits[k], end - k, to_ns);
	}
	return err;
}
