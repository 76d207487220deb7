/* SPDX-License-Identifier: GPL-2.0-only */
/* In which functions the threads of a window ran. */
#include "analyze/why/running.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/vec.h"

enum {
	SAMPLES_MAX = 1 << 20, /* that are held */
	NOBODY = UINT32_MAX,
	SELF_MIN =
		5, /* one in so many samples: the least for the function that they are in themselves */
};

struct sample {
	u64 ns;
	s32 tid;
	u32 path;
};

struct lkst_running {
	const struct lkst_threads *threads;
	struct lkst_samples *samples;
	struct sample *list; /* by thread, then by time */
	u32 nr;
};

/* ---- the pass -------------------------------------------------------------------------------- */

static bool running_who(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
			struct lkst_samples_thread *ret_thread, u8 *ret_cause)
{
	const struct lkst_running *running = ctx;
	const struct lkst_thread *thread = lkst_threads_find(running->threads, tid);

	if (is_wait)
		return false;
	ret_thread->tid = tid;
	ret_thread->pid = thread ? thread->pid : 0;
	return true;
}

static int running_each(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid, u32 path)
{
	struct lkst_running *running = ctx;
	struct sample *sample;

	if (running->nr >= SAMPLES_MAX)
		return 0;
	sample = lkst_vec_add(running->list, running->nr);
	if (!sample)
		return -ENOMEM;
	*sample = (struct sample){ r->ns, tid, path };
	return 0;
}

static int running_by_thread(const void *one, const void *other)
{
	const struct sample *a = one, *b = other;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Nothing of the main buffers is read before @from_ns, but the stacks and mappings are that the others have. */
static int running_pass(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			const struct lkst_samples_options *options, struct lkst_running *r)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	int has = lkst_feed_new(e, t, &f), err;

	if (has)
		return has;
	lkst_feed_limit(f, from_ns, to_ns);
	lkst_feed_begin(f, from_ns);
	has = lkst_samples_new(e, f, options, &r->samples);
	if (has <= 0)
		return has;
	err = lkst_samples_know_before(e, r->samples, from_ns) ?: lkst_feed_run(e, f);
	if (!err && lkst_samples_end(r->samples))
		err = lkst_err_sys(e, -ENOMEM, "looking at samples");
	return err;
}

int lkst_running_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		     struct lkst_symbols *symbols, struct lkst_code_namer namer,
		     const struct lkst_threads *threads, struct lkst_running **ret_running)
{
	_cleanup_(lkst_running_freep) struct lkst_running *r = calloc(1, sizeof(*r));
	const struct lkst_samples_options options = {
		.symbols = symbols, .namer = namer, .who = running_who, .each = running_each, .ctx = r
	};
	int err;

	*ret_running = NULL;
	if (!r)
		return lkst_err_sys(e, -ENOMEM, "looking at samples");
	r->threads = threads;
	err = running_pass(e, t, from_ns, to_ns, &options, r);
	if (err || !r->nr)
		return err;
	qsort(r->list, r->nr, sizeof(*r->list), running_by_thread);
	*ret_running = lkst_take(r);
	return 0;
}

void lkst_running_free(struct lkst_running *r)
{
	if (!r)
		return;
	lkst_samples_free(r->samples);
	free(r->list);
	free(r);
}

int lkst_running_add(const struct lkst_running *r, s32 tid, u64 from_ns, u64 to_ns,
		     struct lkst_running_samples *samples)
{
	size_t i = r ? lkst_lower_bound(k, r->nr,
					r->list[k].tid < tid ||
						(r->list[k].tid == tid && r->list[k].ns < from_ns))
		     : 0;
	u32 *path;

	for (; r && i < r->nr && r->list[i].tid == tid && r->list[i].ns < to_ns; i++) {
		path = lkst_vec_add(samples->paths, samples->nr);
		if (!path)
			return -ENOMEM;
		*path = r->list[i].path;
	}
	return 0;
}

void lkst_running_samples_fini(struct lkst_running_samples *samples)
{
	free(samples->paths);
	*samples = (struct lkst_running_samples){};
}

/* ---- where most are -------------------------------------------------------------------------- */

/* The name of a path's frame @depth, 0: the outermost; NOBODY: it is not that deep. */
static u32 running_name_at(const struct lkst_running *r, u32 path, u32 depth)
{
	const struct lkst_samples_path *p = lkst_samples_path(r->samples, path);

	return depth < p->nr_frames ? lkst_samples_frames(r->samples, p)[p->nr_frames - 1 - depth]
				    : NOBODY;
}

static u32 innermost(const struct lkst_running *r, u32 path, u32 unused)
{
	const struct lkst_samples_path *p = lkst_samples_path(r->samples, path);

	return p->nr_frames ? lkst_samples_frames(r->samples, p)[0] : NOBODY;
}

static int running_by_number(const void *one, const void *other)
{
	const u32 a = *(const u32 *)one, b = *(const u32 *)other;

	return (a > b) - (a < b);
}

/*
 * The name that most of the @nr @paths have by @name at @depth; how many those are. @scratch has room for all. NOBODY:
 * none has one.
 */
static u32 most_at(const struct lkst_running *r, const u32 *paths, u32 nr, u32 depth,
		   u32 (*name)(const struct lkst_running *, u32, u32), u32 *scratch, u32 *ret_nr)
{
	u32 best = NOBODY, i, run = 0;

	for (i = 0; i < nr; i++)
		scratch[i] = name(r, paths[i], depth);
	qsort(scratch, nr, sizeof(*scratch), running_by_number);
	*ret_nr = 0;
	for (i = 0; i < nr; i++) {
		run = i && scratch[i] == scratch[i - 1] ? run + 1 : 1;
		if (scratch[i] != NOBODY && run > *ret_nr) {
			*ret_nr = run;
			best = scratch[i];
		}
	}
	return best;
}

static const struct lkst_frame_name *running_name_of(const struct lkst_running *r, u32 name)
{
	return name == NOBODY ? NULL : lkst_samples_name(r->samples, name);
}

/* Goes from the outermost functions inwards while half of all samples do. @paths: those that do are first then. */
static u32 running_walk(const struct lkst_running *r, u32 *paths, u32 nr, u32 *scratch,
			struct lkst_running_place *place)
{
	const u32 half = (nr + 1) / 2;
	u32 depth, i, k, name, there;

	for (depth = 0;; depth++) {
		name = most_at(r, paths, nr, depth, running_name_at, scratch, &there);
		if (name == NOBODY || there < half)
			return nr;
		for (i = k = 0; i < nr; i++)
			if (running_name_at(r, paths[i], depth) == name)
				paths[k++] = paths[i];
		nr = k;
		if (place->function) {
			memmove(place->callers + 1, place->callers,
				(LKST_RUNNING_CALLERS - 1) * sizeof(*place->callers));
			place->callers[0] = place->function;
			place->nr_callers++;
		}
		place->function = running_name_of(r, name);
		place->nr = nr;
	}
}

bool lkst_running_most(const struct lkst_running *r, const struct lkst_running_samples *samples,
		       struct lkst_running_place *ret_place)
{
	_cleanup_free_ u32 *scratch = calloc(2 * (size_t)samples->nr + 1, sizeof(*scratch));
	u32 nr = samples->nr, name, *paths = scratch ? scratch + nr : NULL;

	*ret_place = (struct lkst_running_place){};
	if (!nr || !scratch)
		return false;
	memcpy(paths, samples->paths, nr * sizeof(*paths));
	nr = running_walk(r, paths, nr, scratch, ret_place);
	name = most_at(r, paths, nr, 0, innermost, scratch, &ret_place->nr_self);
	if (!ret_place->function) {
		ret_place->function = running_name_of(r, name);
		ret_place->nr = ret_place->nr_self;
	} else if (running_name_of(r, name) != ret_place->function &&
		   ret_place->nr_self * SELF_MIN >= samples->nr) {
		ret_place->self = running_name_of(r, name);
	}
	return ret_place->function;
}
