/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass over the part of a trace that is exported, which counts its samples. */
#include "export/stacks/sample_pass.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "export/model_pass.h"

struct sample_pass {
	struct lkst_export *x;
	struct lkst_model_pass model;
};

static bool sample_pass_who(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
			    struct lkst_samples_thread *ret_thread, u8 *ret_cause)
{
	struct sample_pass *p = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(p->model.model, tid, r->cpu);

	/* The model knows every thread that has run; who is not known is none that was asked for. */
	if (is_wait || !life || !lkst_export_wants(p->x, p->model.model, life))
		return false;
	ret_thread->tid = tid;
	ret_thread->pid = life->pid;
	memcpy(ret_thread->comm, life->comm, sizeof(ret_thread->comm));
	return true;
}

/* What is said of samples that are not, or not wholly, in what is written. */
static void note_faults(struct lkst_export *x, const struct lkst_samples *s)
{
	struct lkst_samples_faults f;

	lkst_samples_faults(s, &f);
	x->result.nr_samples = f.nr;
	x->result.nr_without_stack = f.nr_lost + f.nr_empty;
	x->result.nr_cut = f.nr_cut;
	x->result.nr_short = f.nr_short;
	x->result.nr_samples_left_out = f.nr_left_out;
}

int lkst_sample_pass(struct lkst_err *e, struct lkst_export *x, struct lkst_samples **ret_samples)
{
	struct sample_pass p = { .x = x };
	const struct lkst_samples_options options = {
		.symbols = x->symbols, .namer = x->request->namer, .who = sample_pass_who, .ctx = &p
	};
	int err = lkst_model_pass_begin(e, x, &p.model), has = 0;

	if (!err) {
		has = lkst_samples_new(e, p.model.feed, &options, ret_samples);
		err = has < 0 ? has : 0;
	}
	if (!err && !has)
		err = lkst_err_set(
			e, -ENODATA,
			"there are no samples in this trace; `lkst record --sample 99` takes some");
	err = err ?: lkst_feed_run(e, p.model.feed);
	if (!err && lkst_samples_end(*ret_samples))
		err = lkst_err_sys(e, -ENOMEM, "counting samples");
	if (!err)
		note_faults(x, *ret_samples);
	lkst_model_pass_fini(&p.model);
	return err;
}

char *lkst_sample_function(const struct lkst_samples *s, u32 name, char text[LKST_CODE_TEXT])
{
	const char *from = lkst_samples_name(s, name)->text;
	char *to = text;

	for (; *from && to < text + LKST_CODE_TEXT - 1; from++)
		*to++ = (char)(*from == ';' ? ':' : *from);
	*to = 0;
	return text;
}

char *lkst_sample_who(const struct lkst_samples *s, const struct lkst_samples_path *path,
		      char text[LKST_SAMPLE_NAME])
{
	const struct lkst_samples_thread *thread = lkst_samples_thread(s, path->thread);
	char name[sizeof(thread->comm)];
	char *end = text;
	size_t i, length = strnlen(thread->comm, sizeof(name));

	for (i = 0; i < length; i++)
		name[i] = (char)(thread->comm[i] == ';' ? ':' : thread->comm[i]);
	end = length ? lkst_put_escaped(end, name, length, "") : lkst_put_str(end, "?");
	end = lkst_put_s64(lkst_put_str(end, "-"), thread->tid);
	*end = 0;
	return text;
}
