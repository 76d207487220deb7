/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the last records begin. */
#include "cmd/read/print_last.h"

#include <errno.h>

#include "trace/known/threads_before.h"

enum {
	STEP_NS = 1000000, /* how far it looks back first, and how much further each time */
	STEP_FACTOR = 4,
};

int lkst_print_count_begin(struct lkst_err *e, const struct lkst_printing_options *options,
			   struct lkst_trace *trace, u64 from_ns, u64 to_ns, bool is_whole,
			   struct lkst_print_count *c)
{
	*c = (struct lkst_print_count){ .trace = trace,
					.from_ns = from_ns,
					.has_names = is_whole,
					.threads = lkst_threads_new() };
	if (!c->threads)
		return lkst_err_sys(e, -ENOMEM, "counting");
	return lkst_printing_select(e, options, lkst_trace_catalog(trace), c->threads, from_ns, to_ns,
				    &c->select);
}

int lkst_print_count_record(struct lkst_err *e, struct lkst_print_count *c, const struct lkst_record *r)
{
	int err = 0;

	if (!c->has_names && r->event->group != LKST_GROUP_STATE) {
		c->has_names = true;
		err = lkst_threads_feed_before(e, c->threads, c->trace, c->from_ns);
	}
	if (lkst_select_matches(c->select, r)) {
		c->nr++;
		c->nr_state += r->buffer == LKST_BUFFER_STATE;
	}
	return err ?: lkst_threads_feed(c->threads, r);
}

void lkst_print_count_end(struct lkst_print_count *c)
{
	lkst_select_free(c->select);
	lkst_threads_free(c->threads);
	*c = (struct lkst_print_count){};
}

bool lkst_print_count_needs_all(const struct lkst_printing_options *options, const struct lkst_trace *t)
{
	const struct lkst_choosing_options *which = &options->which;

	return (which->comm || which->cgroup || which->pid >= 0) && !lkst_trace_keeps_names(t);
}

int lkst_print_find_last(struct lkst_err *e, struct lkst_print_part *part, u64 begin_ns, u64 end_ns, u64 nr,
			 bool at_once, lkst_print_count_part *count, const void *ctx)
{
	const u64 from_ns = part->from_ns;
	const u64 first_ns = from_ns > begin_ns ? from_ns : begin_ns;
	const u64 last_ns = part->to_ns < end_ns ? part->to_ns : end_ns;
	u64 step_ns, nr_wanted, nr_state;

	for (step_ns = STEP_NS;; step_ns *= STEP_FACTOR) {
		bool is_rest = at_once || last_ns < first_ns || step_ns >= last_ns - first_ns ||
			       step_ns > UINT64_MAX / STEP_FACTOR;
		int err;

		part->from_ns = is_rest ? from_ns : last_ns - step_ns;
		err = count(e, ctx, part, &nr_wanted, &nr_state);
		if (err)
			return err;
		/* With one before them it is known what is missing between. */
		if (is_rest || nr_wanted - nr_state > nr)
			break;
	}
	part->skip = nr_wanted > nr ? nr_wanted - nr : 0;
	return 0;
}
