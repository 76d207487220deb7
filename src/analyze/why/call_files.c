/* SPDX-License-Identifier: GPL-2.0-only */
/* What calls of an excerpt were about, by one pass over the trace. */
#include "analyze/why/call_files.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/engine/feed.h"
#include "base/map.h"
#include "base/vec.h"

enum {
	CALLS_MAX = 1 << 20, /* that are kept; the first ones */
};

/* A call whose descriptor is known. */
struct known {
	u64 ns;
	s32 tid;
	const char *name;
};

struct lkst_call_files {
	struct lkst_threads *threads;
	struct lkst_descriptors *d; /* it has the names */
	u64 from_ns;
	struct known *list;
	u32 nr;
	struct lkst_map places; /* by key_of() */
};

static u64 key_of(s32 tid, u64 ns)
{
	return (ns ^ (u64)(u32)tid << 40) & ~(1ULL << 63);
}

/* A call that opens is known by its path at once, others by what their descriptor was then. */
static int on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_call_files *files = ctx;
	struct lkst_descriptor_call call;
	struct known *added;
	int err;

	if (r->ns < files->from_ns || files->nr == CALLS_MAX ||
	    !lkst_descriptors_call(files->d, r->tid, &call) || call.entry_ns != r->ns || !call.name)
		return 0;
	added = lkst_vec_add(files->list, files->nr);
	if (!added)
		return -ENOMEM;
	*added = (struct known){ r->ns, r->tid, call.name };
	err = lkst_map_set(&files->places, key_of(r->tid, r->ns), files->nr - 1);
	return err == -ENOSPC ? 0 : err;
}

static int read_calls(struct lkst_call_files *files, struct lkst_trace *t, u64 to_ns)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *feed = NULL;
	int err = lkst_feed_new(NULL, t, &feed);

	if (err)
		return err;
	lkst_feed_limit(feed, 0, to_ns);
	err = lkst_feed_threads(feed, files->threads) ?: lkst_feed_descriptors(feed, files->d);
	if (!err)
		err = lkst_feed_syscalls(feed, on_entry, NULL, files);
	return err < 0 ? err : lkst_feed_run(NULL, feed);
}

static struct lkst_call_files *make(const struct lkst_excerpt *w)
{
	struct lkst_call_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->places.max = CALLS_MAX;
	files->from_ns = w->from_ns;
	files->threads = lkst_threads_new();
	files->d = files->threads ? lkst_descriptors_new(files->threads) : NULL;
	/* What a pass that fails has found is so, too. */
	if (files->d)
		(void)read_calls(files, w->trace, w->to_ns);
	return files;
}

const char *lkst_call_files_name(struct lkst_call_files **files, const struct lkst_excerpt *w,
				 u32 i)
{
	const struct lkst_event_ref *m = &w->moments[i];
	const u64 *place;

	if (lkst_event_ref_kind(w, i) != LKST_EVENT_REF_ENTRY)
		return NULL;
	*files = *files ?: make(w);
	place = *files ? lkst_map_find(&(*files)->places, key_of(m->tid, m->ns)) : NULL;
	if (!place || (*files)->list[*place].ns != m->ns || (*files)->list[*place].tid != m->tid)
		return NULL;
	return (*files)->list[*place].name;
}

void lkst_call_files_free(struct lkst_call_files *files)
{
	if (!files)
		return;
	lkst_descriptors_free(files->d);
	lkst_threads_free(files->threads);
	lkst_map_fini(&files->places);
	free(files->list);
	free(files);
}
