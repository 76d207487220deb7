/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a trace as flame graphs take them, a line for each stack with the ns of CPU time that its samples
 * stand for: frames from the root on, ';' between them, and a number after the last blank
 * (https://github.com/brendangregg/FlameGraph).
 */
#include <errno.h>
#include <string.h>

#include "analyze/engine/samples.h"
#include "base/cleanup.h"
#include "export/export_format.h"
#include "export/model_pass.h"

/* ---- the pass over the part of a trace that is exported, which counts its samples ------------ */

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

/*
 * Counts the samples and waits of the threads that @x asks for. An error, with a sentence, if the trace can have none.
 * Free them with lkst_samples_free(), also after an error.
 */
static int sample_pass_run(struct lkst_err *e, struct lkst_export *x, struct lkst_samples **ret_samples)
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

/* ---- names ----------------------------------------------------------------------------------- */

enum { SAMPLE_NAME = 128 };

/* Name number @name as a frame may be written: without what separates frames. Returns @text. */
static char *sample_function(const struct lkst_samples *s, u32 name, char text[LKST_CODE_TEXT])
{
	const char *from = lkst_samples_name(s, name)->text;
	char *to = text;

	for (; *from && to < text + LKST_CODE_TEXT - 1; from++)
		*to++ = (char)(*from == ';' ? ':' : *from);
	*to = 0;
	return text;
}

/* "db-1234": the thread of a path, as a frame may be written. Returns @text. */
static char *sample_who(const struct lkst_samples *s, const struct lkst_samples_path *path,
			char text[SAMPLE_NAME])
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

/* ---- lines ----------------------------------------------------------------------------------- */

/* What those who colour frames know them by. */
static const char *folded_suffix_of(u8 kind)
{
	static const char *const suffixes[] = { [LKST_FRAME_KERNEL] = "_[k]",
						[LKST_FRAME_PROGRAM] = "",
						[LKST_FRAME_INLINED] = "_[i]",
						[LKST_FRAME_JIT] = "_[j]" };

	return suffixes[kind];
}

static void folded_put_path(struct lkst_export *x, const struct lkst_samples *s,
			    const struct lkst_samples_path *path)
{
	const u32 *frames = lkst_samples_frames(s, path);
	char who[SAMPLE_NAME], text[LKST_CODE_TEXT];
	u32 i;

	lkst_out_str(x->out, sample_who(s, path, who));
	for (i = path->nr_frames; i-- > 0;) {
		lkst_out_str(x->out, ";");
		lkst_out_str(x->out, sample_function(s, frames[i], text));
		lkst_out_str(x->out, folded_suffix_of(lkst_samples_name(s, frames[i])->kind));
	}
	lkst_out_printf(x->out, "%s %llu\n", path->nr_frames ? "" : ";[unknown]",
			(unsigned long long)path->ns);
}

static int write_folded(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_samples_freep) struct lkst_samples *s = NULL;
	int err = sample_pass_run(e, x, &s);
	u32 i;

	for (i = 0; !err && i < lkst_samples_nr_paths(s); i++)
		folded_put_path(x, s, lkst_samples_path(s, i));
	return err;
}

const struct lkst_export_format lkst_export_folded = {
	.name = "folded",
	.help = "samples, as stacks for flame graphs",
	.extension = "folded",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_folded,
};
