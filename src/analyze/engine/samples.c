/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a trace, counted by thread and stack. */
#include "analyze/engine/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

enum {
	THREADS_MAX = 1 << 20,
	CAUSE_BITS = 6,
	LIST_BITS = 24,
	NO_THREAD = UINT32_MAX,
};
_Static_assert(LKST_STACK_NAMES_MAX <= 1 << LIST_BITS, "a list's number is part of a key");

struct samples_numbered {
	u64 key;
	u32 nr;
};

struct samples_thread {
	struct lkst_samples_thread is;
	u32 before; /* the number of the same thread under another name, NO_THREAD: none */
	u32 nr;	    /* how many those are, with this */
};

struct lkst_samples {
	struct lkst_samples_options options;
	struct lkst_stack_names *stacks;
	struct lkst_hash thread_numbers, path_numbers; /* struct numbered */
	struct samples_thread *threads;
	u32 nr_threads;
	struct lkst_samples_path *paths;
	u32 nr_paths;
	struct lkst_samples_faults faults;
};

/* ---- paths ----------------------------------------------------------------------------------- */

/* The number under which @tid was added last; NO_THREAD: none. */
static u32 samples_last_of(const struct lkst_samples *s, s32 tid)
{
	const struct samples_numbered *known = lkst_hash_find(&s->thread_numbers, (u32)tid, sizeof(*known));

	return known ? known->nr : NO_THREAD;
}

/*
 * The number of @thread; negative: no memory, -ENOSPC: no room. With another name or process it is another one, up to
 * LKST_SAMPLES_NAMES names.
 */
static s64 samples_thread_number(struct lkst_samples *s, const struct lkst_samples_thread *thread)
{
	const u32 last = samples_last_of(s, thread->tid);
	struct samples_numbered *known;
	struct samples_thread *added;
	u32 i, nr;

	for (i = last; i != NO_THREAD; i = s->threads[i].before)
		if (!memcmp(&s->threads[i].is, thread, sizeof(*thread)))
			return i;
	nr = last != NO_THREAD && s->threads[last].is.pid == thread->pid ? s->threads[last].nr : 0;
	if (nr >= LKST_SAMPLES_NAMES)
		return last;
	if (s->nr_threads >= THREADS_MAX)
		return -ENOSPC;
	if (lkst_hash_reserve(&s->thread_numbers, sizeof(*known)))
		return -ENOMEM;
	added = lkst_vec_add(s->threads, s->nr_threads);
	if (!added)
		return -ENOMEM;
	*added = (struct samples_thread){ *thread, nr ? last : NO_THREAD, nr + 1 };
	known = lkst_hash_find(&s->thread_numbers, (u32)thread->tid, sizeof(*known))
			?: lkst_hash_add(&s->thread_numbers, (u32)thread->tid, sizeof(*known));
	known->nr = s->nr_threads - 1;
	return known->nr;
}

/* The path of that key, made if there is none. NULL: no memory, *@err, or no room. */
static struct lkst_samples_path *path_of(struct lkst_samples *s, u64 key, int *err)
{
	struct samples_numbered *known = lkst_hash_find(&s->path_numbers, key, sizeof(*known));
	struct lkst_samples_path *path;

	if (known)
		return &s->paths[known->nr];
	if (s->nr_paths >= LKST_SAMPLES_PATHS_MAX)
		return NULL;
	*err = lkst_hash_reserve(&s->path_numbers, sizeof(*known));
	path = *err ? NULL : lkst_vec_add(s->paths, s->nr_paths);
	if (!path) {
		*err = -ENOMEM;
		return NULL;
	}
	known = lkst_hash_add(&s->path_numbers, key, sizeof(*known));
	known->nr = s->nr_paths - 1;
	path->key = key;
	return path;
}

/* Counts a sample, or a wait of @ns, for @path. */
static int samples_count(struct lkst_samples *s, const struct lkst_record *r,
			 struct lkst_samples_path *path, s32 tid, u64 ns)
{
	path->nr++;
	path->ns += ns;
	path->longest_ns = ns > path->longest_ns ? ns : path->longest_ns;
	return s->options.each ? s->options.each(s->options.ctx, r, path->is_wait, tid,
						 (u32)(path - s->paths))
			       : 0;
}

static int samples_add(struct lkst_samples *s, const struct lkst_record *r, bool is_wait, s32 tid, u64 id,
		       u64 ns)
{
	struct lkst_samples_thread thread = {};
	struct lkst_samples_path *path;
	s64 list, number;
	u8 cause = 0;
	int err = 0;

	if (!s->options.who(s->options.ctx, r, is_wait, tid, &thread, &cause))
		return 0;
	list = lkst_stack_names_of(s->stacks, id, thread.pid ?: tid, is_wait, r->ns);
	number = samples_thread_number(s, &thread);
	if (list < 0 || number == -ENOMEM)
		return -ENOMEM;
	cause &= (1 << CAUSE_BITS) - 1;
	path = number < 0 ? NULL
			  : path_of(s,
				    (u64)number << (LIST_BITS + CAUSE_BITS + 1) |
					    (u64)cause << (LIST_BITS + 1) |
					    (u64)is_wait << LIST_BITS | (u64)list,
				    &err);
	if (err)
		return err;
	s->faults.nr += !is_wait;
	if (!path) {
		s->faults.nr_left_out++;
		return 0;
	}
	path->thread = (u32)number;
	path->list = (u32)list;
	path->is_wait = is_wait;
	path->cause = cause;
	return samples_count(s, r, path, tid, ns);
}

static int on_sample(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sample *is = record;

	return samples_add(ctx, r, false, r->tid, is->stack, is->period_ns);
}

static int on_off_cpu(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_off_cpu *is = record;

	return samples_add(ctx, r, true, is->target_tid, is->stack, is->duration_ns);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int samples_subscribe(struct lkst_samples *s, struct lkst_feed *feed)
{
	int sample = lkst_feed_event(feed, LKST_EV_sample, on_sample, s), off_cpu;

	off_cpu = sample < 0 ? sample : lkst_feed_event(feed, LKST_EV_off_cpu, on_off_cpu, s);
	return off_cpu < 0 ? off_cpu : sample || off_cpu;
}

int lkst_samples_new(struct lkst_err *e, struct lkst_feed *feed,
		     const struct lkst_samples_options *options, struct lkst_samples **ret_samples)
{
	_cleanup_(lkst_samples_freep) struct lkst_samples *s = calloc(1, sizeof(*s));
	int has, err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "counting samples");
	s->options = *options;
	has = samples_subscribe(s, feed);
	if (has <= 0)
		return has ? lkst_err_sys(e, has, "counting samples") : 0;
	err = lkst_stack_names_new(e, feed, options->symbols, options->namer, &s->stacks);
	if (err)
		return err;
	*ret_samples = lkst_take(s);
	return 1;
}

void lkst_samples_free(struct lkst_samples *s)
{
	if (!s)
		return;
	lkst_hash_fini(&s->thread_numbers);
	lkst_hash_fini(&s->path_numbers);
	lkst_stack_names_free(s->stacks);
	free(s->threads);
	free(s->paths);
	free(s);
}

int lkst_samples_know_before(struct lkst_err *e, struct lkst_samples *s, u64 ns)
{
	return lkst_stack_names_know_before(e, s->stacks, ns);
}

/* What is to be said of the path's list, for all of its samples. */
static void end_path(struct lkst_samples *s, struct lkst_samples_path *path)
{
	const struct lkst_stack_list *list = lkst_stack_names_list(s->stacks, path->list);

	path->nr_frames = list->nr;
	path->nr_kernel = list->nr_kernel;
	s->faults.nr_empty += path->list == LKST_STACK_NAMES_NONE ? path->nr : 0;
	s->faults.nr_lost += list->is_lost ? path->nr : 0;
	s->faults.nr_cut += list->is_cut ? path->nr : 0;
	s->faults.nr_short += list->is_short ? path->nr : 0;
}

int lkst_samples_end(struct lkst_samples *s)
{
	int err = lkst_stack_names_end(s->stacks);
	u32 i;

	for (i = 0; i < s->nr_paths && !err; i++)
		end_path(s, &s->paths[i]);
	return err;
}

u32 lkst_samples_nr_paths(const struct lkst_samples *s)
{
	return s->nr_paths;
}

const struct lkst_samples_path *lkst_samples_path(const struct lkst_samples *s, u32 i)
{
	return &s->paths[i];
}

const u32 *lkst_samples_frames(const struct lkst_samples *s, const struct lkst_samples_path *path)
{
	return lkst_stack_names_frames(s->stacks, path->list);
}

u32 lkst_samples_nr_names(const struct lkst_samples *s)
{
	return lkst_frame_names_nr(lkst_stack_names_names(s->stacks));
}

const struct lkst_frame_name *lkst_samples_name(const struct lkst_samples *s, u32 i)
{
	return lkst_frame_names_at(lkst_stack_names_names(s->stacks), i);
}

u32 lkst_samples_nr_threads(const struct lkst_samples *s)
{
	return s->nr_threads;
}

const struct lkst_samples_thread *lkst_samples_thread(const struct lkst_samples *s, u32 i)
{
	return &s->threads[i].is;
}

void lkst_samples_faults(const struct lkst_samples *s, struct lkst_samples_faults *ret)
{
	*ret = s->faults;
}
