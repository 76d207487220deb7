/* SPDX-License-Identifier: GPL-2.0-only */
/* What calls were about, by a pass over the trace. */
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
struct call_files_known {
	u64 ns;
	s32 tid;
	const char *name;
};

/* Calls that are asked for. */
struct wanted {
	u64 from_ns, to_ns;
	u32 nr; /* that are kept */
};

struct lkst_call_files {
	struct lkst_trace *t;
	unsigned int nr_others; /* that hold it, and will free it */
	bool has_read;
	struct wanted *wanted;
	u32 nr_wanted;
	struct lkst_threads *threads;
	struct lkst_descriptors *d; /* it has the names */
	struct call_files_known *list;
	u32 nr;
	struct lkst_map places; /* by call_files_key_of() */
};

static u64 call_files_key_of(s32 tid, u64 ns)
{
	return (ns ^ (u64)(u32)tid << 40) & ~(1ULL << 63);
}

/* Whether a call that was entered then is wanted, and there is room: each stretch has its part of it. */
static bool call_files_take(struct lkst_call_files *files, u64 entry_ns)
{
	bool is_wanted = false;
	u32 i;

	for (i = 0; i < files->nr_wanted; i++) {
		struct wanted *w = &files->wanted[i];

		if (entry_ns < w->from_ns || entry_ns > w->to_ns || w->nr == CALLS_MAX / files->nr_wanted)
			continue;
		w->nr++;
		is_wanted = true;
	}
	return is_wanted;
}

static int call_files_keep(struct lkst_call_files *files, s32 tid, const struct lkst_descriptor_call *call)
{
	struct call_files_known *added;
	int err;

	if (!call_files_take(files, call->entry_ns))
		return 0;
	added = lkst_vec_add(files->list, files->nr);
	if (!added)
		return -ENOMEM;
	*added = (struct call_files_known){ call->entry_ns, tid, call->name };
	err = lkst_map_set(&files->places, call_files_key_of(tid, call->entry_ns), files->nr - 1);
	return err == -ENOSPC ? 0 : err;
}

/* A call that opens is known by its path at once, others by what their descriptor was then. */
static int call_files_on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_call_files *files = ctx;
	struct lkst_descriptor_call call;

	if (!lkst_descriptors_call(files->d, r->tid, &call) || call.entry_ns != r->ns || !call.name)
		return 0;
	return call_files_keep(files, r->tid, &call);
}

/* What a call connects or binds its socket to is known after its entry. */
static int on_address(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_call_files *files = ctx;
	struct lkst_descriptor_call call;
	const u64 *place;

	if (!lkst_descriptors_call(files->d, r->tid, &call) || !call.name)
		return 0;
	place = lkst_map_find(&files->places, call_files_key_of(r->tid, call.entry_ns));
	if (!place)
		return call_files_keep(files, r->tid, &call);
	if (files->list[*place].tid == r->tid && files->list[*place].ns == call.entry_ns)
		files->list[*place].name = call.name;
	return 0;
}

static int call_files_subscribe(struct lkst_call_files *files, struct lkst_feed *feed)
{
	static const enum lkst_event_index events[] = { LKST_EV_socket_connect, LKST_EV_socket_bind };
	unsigned int i;
	int err = lkst_feed_threads(feed, files->threads) ?: lkst_feed_descriptors(feed, files->d);

	if (!err)
		err = lkst_feed_syscalls(feed, call_files_on_entry, NULL, files);
	for (i = 0; i < sizeof(events) / sizeof(events[0]) && err >= 0; i++)
		err = lkst_feed_event(feed, events[i], on_address, files);
	return err < 0 ? err : 0;
}

static int read_calls(struct lkst_call_files *files)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *feed = NULL;
	int err = lkst_descriptors_tell_state(NULL, files->d, files->t) ?: lkst_feed_new(NULL, files->t, &feed);
	u64 to_ns = 0;
	u32 i;

	if (err)
		return err;
	for (i = 0; i < files->nr_wanted; i++)
		to_ns = files->wanted[i].to_ns > to_ns ? files->wanted[i].to_ns : to_ns;
	lkst_feed_limit(feed, 0, to_ns);
	return call_files_subscribe(files, feed) ?: lkst_feed_run(NULL, feed);
}

struct lkst_call_files *lkst_call_files_new(struct lkst_trace *t)
{
	_cleanup_(lkst_call_files_freep) struct lkst_call_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->t = t;
	files->places.max = CALLS_MAX;
	files->threads = lkst_threads_new();
	files->d = files->threads ? lkst_descriptors_new(files->threads) : NULL;
	return files->d ? lkst_take(files) : NULL;
}

int lkst_call_files_want(struct lkst_call_files *files, u64 from_ns, u64 to_ns)
{
	struct wanted *added = lkst_vec_add(files->wanted, files->nr_wanted);

	if (!added)
		return -ENOMEM;
	*added = (struct wanted){ .from_ns = from_ns, .to_ns = to_ns };
	return 0;
}

const char *lkst_call_files_name(struct lkst_call_files *files, s32 tid, u64 entry_ns)
{
	const u64 *place;

	/* What a pass that fails has found is so, too. */
	if (!files->has_read)
		(void)read_calls(files);
	files->has_read = true;
	place = lkst_map_find(&files->places, call_files_key_of(tid, entry_ns));
	return place && files->list[*place].ns == entry_ns && files->list[*place].tid == tid ? files->list[*place].name
											       : NULL;
}

struct lkst_call_files *lkst_call_files_hold(struct lkst_call_files *files)
{
	files->nr_others++;
	return files;
}

void lkst_call_files_free(struct lkst_call_files *files)
{
	if (!files || (files->nr_others && files->nr_others--))
		return;
	lkst_descriptors_free(files->d);
	lkst_threads_free(files->threads);
	lkst_map_fini(&files->places);
	free(files->list);
	free(files->wanted);
	free(files);
}
