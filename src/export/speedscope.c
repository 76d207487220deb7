/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Speedscope's file format (https://www.speedscope.app/file-format-schema.json): a sampled profile for each thread, the
 * one that ran most first. A sample is a slice of the thread's time with the stack of what it did, its weight the ns.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "export/export_format.h"
#include "export/model_pass.h"
#include "export/thread_slices.h"
#include "export/thread_spool.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

enum {
	FRAMES_MAX = 1 << 16, /* more calls without a name share the last frame */
	FRAMES_OF_STACK = 3,
};

/* What a thread does, as a number. */
union what {
	struct {
		u64 run : 4, cause : 6, in_call : 1, has_row : 1, call : 32;
	};
	u64 all;
};

/* Of a life. */
struct thread {
	u64 from_ns, to_ns, running_ns;
	struct lkst_spooled last; /* that may go on */
	bool is_used, is_shown;	  /* is_shown: it is known to have done anything */
};

struct speedscope {
	struct lkst_export *x;
	struct lkst_model_pass pass;
	struct lkst_thread_spool *spool;
	struct thread *threads;
	u32 nr_threads;
	u64 *frames; /* what each shows; see frame_of() */
	u32 nr_frames;
	struct lkst_map places; /* of frames */
	const char *separator;	/* before the next value of an array */
	int spool_error;	/* with which the spool took no more, 0: none */
};

/* ---- the pass -------------------------------------------------------------------------------- */

static int put_aside(struct speedscope *s, u32 nr)
{
	struct thread *t = &s->threads[nr];
	int err = t->is_used ? lkst_thread_spool_add(s->spool, nr, t->last) : 0;

	t->is_used = false;
	s->spool_error = err;
	return err;
}

static int on_slice(void *ctx, const struct lkst_thread_slice *slice)
{
	struct speedscope *s = ctx;
	struct thread *t = lkst_vec_reach(s->threads, s->nr_threads, slice->life->nr);
	union what what = { .run = slice->run };
	u64 ns = slice->to_ns - slice->from_ns;
	int err = 0;

	if (!t)
		return -ENOMEM;
	if (slice->run == LKST_RUN_DEAD ||
	    !lkst_export_wants(s->x, s->pass.model, slice->life))
		return 0;
	if (slice->run == LKST_RUN_BLOCKED)
		what.cause = slice->cause;
	if (slice->in_call) {
		what.in_call = 1;
		what.has_row = slice->row >= 0;
		what.call = slice->row >= 0 ? (u32)slice->row : (u32)slice->nr;
	}
	if (t->is_used && t->last.what != what.all)
		err = put_aside(s, slice->life->nr);
	if (!t->to_ns)
		t->from_ns = t->to_ns = slice->from_ns;
	t->last = (struct lkst_spooled){ (t->is_used ? t->last.ns : 0) + ns, what.all };
	t->is_used = true;
	t->to_ns += ns;
	t->running_ns += slice->run == LKST_RUN_RUNNING ? ns : 0;
	t->is_shown |= slice->run != LKST_RUN_UNKNOWN;
	return err;
}

static int finish_spool(struct speedscope *s)
{
	int err = 0;
	u32 i;

	for (i = 0; i < s->nr_threads && !err; i++)
		err = put_aside(s, i);
	return err ? err : lkst_thread_spool_finish(s->spool);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* A frame shows one part of what a thread does: its state, the cause, or the call. */
enum part {
	PART_RUN,
	PART_CAUSE,
	PART_CALL,
};

static u64 frame_of(enum part part, union what what)
{
	union what only = {};

	if (part == PART_RUN)
		only.run = what.run;
	else if (part == PART_CAUSE)
		only.cause = what.cause;
	else
		only = (union what){ .in_call = 1, .has_row = what.has_row, .call = what.call };
	return only.all << 2 | part;
}

/* Its place, which it gets if it has none. */
static int place_of(struct speedscope *s, u64 frame, u32 *ret_place)
{
	const u64 *place = lkst_map_find(&s->places, frame);
	u64 *added;

	if (!place && s->nr_frames == FRAMES_MAX) {
		*ret_place = FRAMES_MAX - 1;
		return 0;
	}
	*ret_place = place ? (u32)*place : s->nr_frames;
	if (place)
		return 0;
	added = lkst_vec_add(s->frames, s->nr_frames);
	if (!added)
		return -ENOMEM;
	*added = frame;
	return lkst_map_set(&s->places, frame, *ret_place);
}

static void put_frame(struct speedscope *s, u64 frame)
{
	const union what what = { .all = frame >> 2 };
	const struct lkst_thread_slice slice = { .row = what.has_row ? (s16)what.call : -1,
						 .nr = what.has_row ? -1 : (s32)(u32)what.call };
	char text[LKST_CALL_TEXT];
	const char *name;

	if ((frame & 3) == PART_RUN)
		name = lkst_run_names[what.run];
	else if ((frame & 3) == PART_CAUSE)
		name = lkst_cause_names[what.cause];
	else
		name = lkst_thread_slice_call_name(&slice, text);
	lkst_out_printf(s->x->out, "%s{\"name\":\"%s\"}", s->separator, name);
	s->separator = ",\n";
}

/* ---- profiles -------------------------------------------------------------------------------- */

static int put_sample(void *ctx, const struct lkst_spooled *item)
{
	const union what what = { .all = item->what };
	struct speedscope *s = ctx;
	char *p = lkst_put_str(lkst_out_room(s->x->out), s->separator);
	u32 places[FRAMES_OF_STACK], nr = 0, i;
	int err;

	s->separator = ",";
	err = place_of(s, frame_of(PART_RUN, what), &places[nr++]);
	if (what.run == LKST_RUN_BLOCKED && !err)
		err = place_of(s, frame_of(PART_CAUSE, what), &places[nr++]);
	if (what.in_call && !err)
		err = place_of(s, frame_of(PART_CALL, what), &places[nr++]);
	if (err)
		return err;
	*p++ = '[';
	for (i = 0; i < nr; i++)
		p = lkst_put_u64(lkst_put_str(p, i ? "," : ""), places[i]);
	lkst_out_advance(s->x->out, lkst_put_str(p, "]"));
	return lkst_export_step(s->x, s->x->end_ns);
}

static int put_weight(void *ctx, const struct lkst_spooled *item)
{
	struct speedscope *s = ctx;
	char *p = lkst_put_str(lkst_out_room(s->x->out), s->separator);

	s->separator = ",";
	lkst_out_advance(s->x->out, lkst_put_u64(p, item->ns));
	return lkst_export_step(s->x, s->x->end_ns);
}

/* "bash-12", "worker-13 of bash-12". */
static char *put_title(struct speedscope *s, char *p, const struct lkst_thread_life *life,
		       const char *process)
{
	char title[80];

	if (life->tid < 0)
		snprintf(title, sizeof(title), "%.16s", life->comm);
	else if (life->pid == life->tid || !life->pid)
		snprintf(title, sizeof(title), "%.16s-%d", life->comm, life->tid);
	else
		snprintf(title, sizeof(title), "%.16s-%d of %.16s-%d", life->comm, life->tid,
			 process, life->pid);
	return lkst_out_json(s->x->out, p, title, strlen(title));
}

static int put_profile(struct speedscope *s, u32 nr, const struct lkst_process_names *names)
{
	const struct lkst_thread_life *life = lkst_model_life(s->pass.model, nr);
	const char *process = lkst_process_name(names, s->pass.model, life);
	const struct thread *t = &s->threads[nr];
	struct lkst_out *out = s->x->out;
	char *p = lkst_put_str(lkst_out_room(out), s->separator);
	int err;

	p = lkst_put_str(p, "{\"type\":\"sampled\",\"name\":");
	p = put_title(s, p, life, process);
	p = lkst_put_str(p, ",\"unit\":\"nanoseconds\",\"startValue\":");
	p = lkst_put_u64(p, t->from_ns);
	p = lkst_put_u64(lkst_put_str(p, ",\"endValue\":"), t->to_ns);
	lkst_out_advance(out, lkst_put_str(p, ",\n\"samples\":["));
	s->separator = "";
	err = lkst_thread_spool_each(s->spool, nr, put_sample, s);
	lkst_out_str(out, "],\n\"weights\":[");
	s->separator = "";
	if (!err)
		err = lkst_thread_spool_each(s->spool, nr, put_weight, s);
	lkst_out_str(out, "]}");
	s->separator = ",\n";
	return err;
}

static int compare_threads(const void *a, const void *b, void *ctx)
{
	u32 first = *(const u32 *)a, second = *(const u32 *)b;
	const struct thread *threads = ctx;

	if (threads[first].running_ns != threads[second].running_ns)
		return threads[first].running_ns > threads[second].running_ns ? -1 : 1;
	return first < second ? -1 : first > second;
}

static int put_profiles(struct speedscope *s)
{
	_cleanup_(lkst_process_names_fini) struct lkst_process_names names = {};
	_cleanup_free_ u32 *order = malloc((s->nr_threads + 1) * sizeof(*order));
	u32 i, nr = 0;
	int err;

	if (!order || lkst_process_names_find(&names, s->pass.model))
		return -ENOMEM;
	for (i = 0; i < s->nr_threads; i++)
		if (s->threads[i].is_shown)
			order[nr++] = i;
	qsort_r(order, nr, sizeof(*order), compare_threads, s->threads);
	err = finish_spool(s);
	s->separator = "";
	for (i = 0; i < nr && !err; i++)
		err = put_profile(s, order[i], &names);
	return err;
}

static int put_file(struct speedscope *s)
{
	const char *name = s->x->request->trace_name ?: "";
	struct lkst_out *out = s->x->out;
	u32 i;
	int err;

	lkst_out_str(out, "{\"$schema\":\"" SCHEMA "\",\n\"exporter\":\"lkst\",\"name\":");
	lkst_out_advance(out, lkst_out_json(out, lkst_out_room(out), name, strlen(name)));
	lkst_out_str(out, ",\"activeProfileIndex\":0,\n\"profiles\":[\n");
	err = put_profiles(s);
	lkst_out_str(out, "],\n\"shared\":{\"frames\":[\n");
	s->separator = "";
	for (i = 0; i < s->nr_frames; i++)
		put_frame(s, s->frames[i]);
	lkst_out_str(out, "]}}\n");
	return err;
}

static int write_speedscope(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_thread_slices_freep) struct lkst_thread_slices *slices = NULL;
	struct speedscope s = { .x = x, .places.max = FRAMES_MAX };
	int err, file_err;

	err = lkst_thread_spool_new(e, &s.spool) ?: lkst_model_pass_begin(e, x, &s.pass) ?:
	      lkst_thread_slices_new(e, s.pass.model, on_slice, NULL, &s, &slices) ?:
	      lkst_feed_run(e, s.pass.feed);
	file_err = err ? s.spool_error : put_file(&s);
	if (file_err)
		err = lkst_err_sys(e, file_err,
				   "putting what threads did aside, in a temporary file in %s",
				   lkst_thread_spool_dir());
	lkst_thread_spool_free(s.spool);
	free(s.threads);
	free(s.frames);
	lkst_map_fini(&s.places);
	lkst_model_pass_fini(&s.pass);
	return err;
}

const struct lkst_export_format lkst_export_speedscope = {
	.name = "speedscope",
	.help = "a profile for each thread, for speedscope.app",
	.extension = "speedscope.json",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_speedscope,
};
