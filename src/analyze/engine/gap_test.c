/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an interval crosses a gap. The pass reports most gaps when it comes to them. But which
 * blocks lack records that the recorder discarded is known for whole blocks only, and reported at a
 * block's end. So the headers of all blocks are looked at before the pass.
 */
#include "analyze/engine/gap_test.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/control.h"
#include "base/vec.h"

/* Buffers and CPUs with higher numbers share the last place; an error then is a gap too many, not one too few. */
enum {
	BUFFERS_MAX = LKST_NR_BUFFERS,
	CPUS_MAX = 1024,
};

struct lkst_gap_test {
	struct lkst_gap *gaps; /* by `from_ns` */
	u32 nr_gaps, next;
	/* The greatest `to_ns` of the gaps that have begun, by buffer, of any CPU and of each. */
	u64 any_ns[BUFFERS_MAX];
	u64 cpu_ns[CPUS_MAX][BUFFERS_MAX];
};

static u32 bounded(u32 number, u32 max)
{
	return number < max ? number : max - 1;
}

static void gap_test_begin(struct lkst_gap_test *c, const struct lkst_gap *gap)
{
	u32 buffer = bounded(gap->buffer, BUFFERS_MAX), cpu = bounded(gap->cpu, CPUS_MAX);

	if (gap->to_ns > c->any_ns[buffer])
		c->any_ns[buffer] = gap->to_ns;
	if (gap->to_ns > c->cpu_ns[cpu][buffer])
		c->cpu_ns[cpu][buffer] = gap->to_ns;
}

bool lkst_gap_test_crosses(struct lkst_gap_test *c, u32 cpu, u32 buffer, u64 from_ns, u64 to_ns)
{
	u64 last_ns;

	for (; c->next < c->nr_gaps && c->gaps[c->next].from_ns < to_ns; c->next++)
		gap_test_begin(c, &c->gaps[c->next]);
	buffer = bounded(buffer, BUFFERS_MAX);
	last_ns = cpu == LKST_GAP_TEST_ANY ? c->any_ns[buffer]
					   : c->cpu_ns[bounded(cpu, CPUS_MAX)][buffer];
	return last_ns > from_ns;
}

static int gap_test_on_gap(void *ctx, const struct lkst_gap *gap)
{
	if (lkst_buffer_is_of_kernel(gap->buffer))
		gap_test_begin(ctx, gap);
	return 0;
}

static int add_gap(struct lkst_gap_test *c, struct lkst_gap gap)
{
	struct lkst_gap *added = lkst_vec_add(c->gaps, c->nr_gaps);

	if (!added)
		return -ENOMEM;
	*added = gap;
	return 0;
}

/* Where blocks of stream @i count more discarded records than those before them. */
static int find_discards(struct lkst_gap_test *c, const struct lkst_trace *t, unsigned int i)
{
	const struct lkst_stream_info *info = lkst_trace_stream(t, i);
	u64 last_ns = 0, discarded = 0;
	u32 j;
	int err = 0;

	for (j = 0; j < info->nr_blocks && !err; j++) {
		const struct lkst_block *b = lkst_trace_block(t, i, j);

		if (j && b->discarded > discarded)
			err = add_gap(c, (struct lkst_gap){ .cpu = info->cpu,
							    .buffer = info->buffer,
							    .from_ns = last_ns,
							    .to_ns = b->begin_ns });
		last_ns = b->begin_ns;
		discarded = b->discarded;
	}
	return err;
}

static int gap_test_compare_gaps(const void *a, const void *b)
{
	const struct lkst_gap *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

int lkst_gap_test_new(struct lkst_err *e, struct lkst_feed *f, struct lkst_gap_test **ret_gap_test)
{
	struct lkst_gap_test *c = calloc(1, sizeof(*c));
	const struct lkst_trace *t = lkst_feed_trace(f);
	int err = c ? lkst_feed_gaps(f, gap_test_on_gap, c) : -ENOMEM;
	unsigned int i;

	for (i = 0; i < lkst_trace_nr_streams(t) && err >= 0; i++)
		if (lkst_buffer_is_of_kernel(lkst_trace_stream(t, i)->buffer))
			err = find_discards(c, t, i);
	if (err < 0) {
		lkst_gap_test_free(c);
		return lkst_err_sys(e, err, "looking for gaps");
	}
	if (c->nr_gaps)
		qsort(c->gaps, c->nr_gaps, sizeof(*c->gaps), gap_test_compare_gaps);
	*ret_gap_test = c;
	return 0;
}

void lkst_gap_test_free(struct lkst_gap_test *c)
{
	if (c)
		free(c->gaps);
	free(c);
}
