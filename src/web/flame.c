/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a stretch of time, for the page. */
#include "web/flame.h"

#include <errno.h>
#include <string.h>

#include "analyze/engine/samples.h"
#include "analyze/model/model.h"
#include "web/open.h"

/* One pass. */
struct flame_pass {
	struct lkst_feed *feed;
	struct lkst_model *model;
	struct lkst_threads *threads;
	struct lkst_symbols *symbols;
	struct lkst_samples *samples;
};

static void flame_fini(struct flame_pass *p)
{
	lkst_samples_free(p->samples);
	lkst_model_free(p->model);
	lkst_feed_free(p->feed);
	lkst_threads_free(p->threads);
	lkst_symbols_free(p->symbols);
	*p = (struct flame_pass){};
}

/* Of what was read last, while it is described. */
static struct flame_pass pass;

static bool flame_who(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
		      struct lkst_samples_thread *ret_thread, u8 *ret_cause)
{
	const struct flame_pass *p = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(p->model, tid, r->cpu);

	if (is_wait)
		return false;
	ret_thread->tid = tid;
	if (!life)
		return true;
	ret_thread->pid = life->pid;
	memcpy(ret_thread->comm, life->comm, sizeof(ret_thread->comm));
	return true;
}

static int flame_begin(struct lkst_err *e, struct lkst_trace *t, struct flame_pass *p, u64 from_ns, u64 to_ns)
{
	struct lkst_samples_options options = { .who = flame_who, .ctx = p };
	int has, err = lkst_feed_new(e, t, &p->feed);

	if (err)
		return err;
	lkst_feed_limit(p->feed, from_ns, to_ns);
	p->threads = lkst_threads_new();
	p->symbols = lkst_symbols_new();
	if (!p->threads || !p->symbols || lkst_feed_threads(p->feed, p->threads))
		return lkst_err_sys(e, -ENOMEM, "counting samples");
	err = lkst_symbols_load(e, p->symbols, t) ?: lkst_model_new(e, p->feed, &p->model);
	if (err)
		return err;
	options.symbols = p->symbols;
	has = lkst_samples_new(e, p->feed, &options, &p->samples);
	if (has < 0)
		return has;
	return has ? lkst_samples_know_before(e, p->samples, from_ns)
		   : lkst_err_set(
			     e, -ENODATA,
			     "there are no samples in this trace; `lkst record --sample 99` takes some");
}

static int read_samples(struct lkst_err *e, struct lkst_trace *t, const struct lkst_web_opening *o)
{
	u64 begin_ns, end_ns;
	int err;

	flame_fini(&pass);
	lkst_trace_range(t, &begin_ns, &end_ns);
	err = flame_begin(e, t, &pass, begin_ns + (u64)o->from_ns, begin_ns + (u64)o->to_ns)
		      ?: lkst_feed_run(e, pass.feed);
	if (!err && lkst_samples_end(pass.samples))
		err = lkst_err_sys(e, -ENOMEM, "counting samples");
	if (err)
		flame_fini(&pass);
	return err;
}

/* ---- what there is ------------------------------------------------------------------------------ */

static void flame_put_names(struct lkst_json *j, const struct lkst_samples *s)
{
	u32 i, nr = lkst_samples_nr_names(s);

	lkst_json_array(j, "names");
	for (i = 0; i < nr; i++)
		lkst_json_str(j, NULL, lkst_samples_name(s, i)->text);
	lkst_json_end(j);
	lkst_json_array(j, "user");
	for (i = 0; i < nr; i++)
		if (lkst_samples_name(s, i)->kind != LKST_FRAME_KERNEL)
			lkst_json_u64(j, NULL, i);
	lkst_json_end(j);
}

static void flame_put_threads(struct lkst_json *j, const struct lkst_samples *s)
{
	u32 i;

	lkst_json_array(j, "threads");
	for (i = 0; i < lkst_samples_nr_threads(s); i++) {
		const struct lkst_samples_thread *thread = lkst_samples_thread(s, i);
		char comm[sizeof(thread->comm) + 1] = {};

		memcpy(comm, thread->comm, sizeof(thread->comm));
		lkst_json_object(j, NULL);
		lkst_json_s64(j, "tid", thread->tid);
		lkst_json_str(j, "comm", comm);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void put_paths(struct lkst_json *j, const struct lkst_samples *s)
{
	u32 i, k;

	lkst_json_array(j, "paths");
	for (i = 0; i < lkst_samples_nr_paths(s); i++) {
		const struct lkst_samples_path *path = lkst_samples_path(s, i);
		const u32 *frames = lkst_samples_frames(s, path);

		lkst_json_array(j, NULL);
		lkst_json_u64(j, NULL, path->ns);
		lkst_json_u64(j, NULL, path->thread);
		for (k = 0; k < path->nr_frames; k++)
			lkst_json_u64(j, NULL, frames[k]);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void flame_describe(struct lkst_json *j)
{
	struct lkst_samples_faults f;

	lkst_samples_faults(pass.samples, &f);
	lkst_json_u64(j, "samples", f.nr);
	lkst_json_u64(j, "without_stack", f.nr_lost + f.nr_empty);
	lkst_json_u64(j, "left_out", f.nr_left_out);
	flame_put_names(j, pass.samples);
	flame_put_threads(j, pass.samples);
	put_paths(j, pass.samples);
	flame_fini(&pass);
}

int lkst_web_samples(double from_ns, double to_ns)
{
	const double most = 1ULL << 53;

	if (!(from_ns >= 0 && from_ns < to_ns && to_ns <= most))
		return -EINVAL;
	return lkst_web_open(&(struct lkst_web_opening){
		.read = read_samples, .describe = flame_describe, .from_ns = from_ns, .to_ns = to_ns });
}
