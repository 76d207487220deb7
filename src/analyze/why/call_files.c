/* SPDX-License-Identifier: GPL-2.0-only */
/* What calls of an excerpt were about, by a pass over the trace, or two. */
#include "analyze/why/call_files.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/engine/feed.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/known/descriptors_before.h"

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

static int keep(struct lkst_call_files *files, s32 tid, const struct lkst_descriptor_call *call)
{
	struct known *added;
	int err;

	if (files->nr == CALLS_MAX)
		return 0;
	added = lkst_vec_add(files->list, files->nr);
	if (!added)
		return -ENOMEM;
	*added = (struct known){ call->entry_ns, tid, call->name };
	err = lkst_map_set(&files->places, key_of(tid, call->entry_ns), files->nr - 1);
	return err == -ENOSPC ? 0 : err;
}

/* A call that opens is known by its path at once, others by what their descriptor was then. */
static int on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_call_files *files = ctx;
	struct lkst_descriptor_call call;

	if (r->ns < files->from_ns || !lkst_descriptors_call(files->d, r->tid, &call) || call.entry_ns != r->ns ||
	    !call.name)
		return 0;
	return keep(files, r->tid, &call);
}

/* What a call connects or binds its socket to is known after its entry. */
static int on_address(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_call_files *files = ctx;
	struct lkst_descriptor_call call;
	const u64 *place;

	if (!lkst_descriptors_call(files->d, r->tid, &call) || call.entry_ns < files->from_ns || !call.name)
		return 0;
	place = lkst_map_find(&files->places, key_of(r->tid, call.entry_ns));
	if (!place)
		return keep(files, r->tid, &call);
	if (files->list[*place].tid == r->tid && files->list[*place].ns == call.entry_ns)
		files->list[*place].name = call.name;
	return 0;
}

static int subscribe(struct lkst_call_files *files, struct lkst_feed *feed)
{
	static const enum lkst_event_index events[] = { LKST_EV_socket_connect, LKST_EV_socket_bind };
	unsigned int i;
	int err = lkst_feed_threads(feed, files->threads) ?: lkst_feed_descriptors(feed, files->d);

	if (!err)
		err = lkst_feed_syscalls(feed, on_entry, NULL, files);
	for (i = 0; i < sizeof(events) / sizeof(events[0]) && err >= 0; i++)
		err = lkst_feed_event(feed, events[i], on_address, files);
	return err < 0 ? err : 0;
}

static int read_calls(struct lkst_call_files *files, struct lkst_trace *t, u64 to_ns)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *feed = NULL;
	int err = lkst_descriptors_tell_state(NULL, files->d, t) ?: lkst_feed_new(NULL, t, &feed);

	if (err)
		return err;
	lkst_feed_limit(feed, 0, to_ns);
	return subscribe(files, feed) ?: lkst_feed_run(NULL, feed);
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
