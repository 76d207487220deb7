/* SPDX-License-Identifier: GPL-2.0-only */
/* What the state of a trace says of descriptors: since when it holds, by the records until it was found. */
#include "trace/known/descriptors_before.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/program.h"
#include "base/vec.h"
#include "trace/read/state_walk.h"

enum {
	FOUND_MAX = 1 << 20,
	NAMES_BYTES_MAX = 64 << 20,
	/* Records of one state have the time at which it was begun, but for some ns by which they are kept in order. */
	STATE_NS = 1000000,
};

/* A descriptor that was found between two moments. */
struct found {
	u64 from_ns, to_ns;
	char *name;
	s32 pid, fd;
};

struct reading {
	struct lkst_descriptors *d;
	struct found *list;
	u32 nr, next; /* `next`: up to it they are told */
	u64 state_ns; /* of the first state: those of later parts are not needed */
	u64 begin_ns; /* from when on nothing is missing at the beginning */
	size_t name_bytes;
};

static void fini(struct reading *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		free(g->list[i].name);
	free(g->list);
}

/* ---- what was found ----------------------------------------------------------------- */

static u64 number(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static int take_found(struct lkst_err *e, void *ctx, const struct lkst_block *block, const struct lkst_record *r)
{
	const bool is_found = r->event->index == LKST_EV_state_descriptor;
	const struct lkst_field_class *f = is_found ? lkst_class_field(r->event, "file") : NULL;
	struct reading *g = ctx;
	struct found *added;
	u32 length = 0;
	const u8 *bytes = f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;

	length = bytes ? (u32)strnlen((const char *)bytes, length) : 0;
	if (!length || length >= LKST_STRING_MAX || g->nr == FOUND_MAX || g->name_bytes + length > NAMES_BYTES_MAX)
		return 0;
	g->state_ns = g->state_ns ?: r->ns;
	if (r->ns - g->state_ns > STATE_NS)
		return 0;
	added = lkst_vec_add(g->list, g->nr);
	if (!added)
		return lkst_err_sys(e, -ENOMEM, "reading the state");
	*added = (struct found){ .from_ns = number(r, "from"),
				 .to_ns = number(r, "to"),
				 .pid = (s32)number(r, "owner_pid"),
				 .fd = (s32)number(r, "fd"),
				 .name = strndup((const char *)bytes, length) };
	g->name_bytes += length;
	return added->name ? 0 : lkst_err_sys(e, -ENOMEM, "reading the state");
}

static int by_end(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

/* When the last of the streams begins whose older blocks are gone. */
static u64 whole_since(const struct lkst_trace *t)
{
	unsigned int i;
	u64 ns = 0;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);
		const struct lkst_block *first;

		if (!lkst_buffer_is_of_kernel(info->buffer) || !info->nr_blocks)
			continue;
		first = lkst_trace_block(t, i, 0);
		if (first->seq && first->begin_ns > ns)
			ns = first->begin_ns;
	}
	return ns;
}

/* ---- since when --------------------------------------------------------------------- */

/* Tells what was found before @ns, by what @passed, which has had all records until then, knows of changes. */
static int tell(struct reading *g, const struct lkst_descriptors *passed, u64 ns)
{
	int err = 0;

	for (; g->next < g->nr && g->list[g->next].to_ns < ns && !err; g->next++) {
		const struct found *f = &g->list[g->next];
		u64 since_ns = lkst_descriptors_since(passed, f->pid, f->fd);

		if (since_ns < g->begin_ns)
			since_ns = g->begin_ns;
		/* Changed while somebody looked, it may be what it was or what it is. */
		if (since_ns < f->from_ns)
			err = lkst_descriptors_tell(g->d, f->pid, f->fd, since_ns + 1, f->name);
	}
	return err;
}

static int read_changes(struct lkst_err *e, struct reading *g, struct lkst_trace *t)
{
	_cleanup_(lkst_threads_freep) struct lkst_threads *threads = lkst_threads_new();
	_cleanup_(lkst_descriptors_freep) struct lkst_descriptors *passed =
		threads ? lkst_descriptors_new(threads) : NULL;
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_gap gap;
	int err;

	if (!passed)
		return lkst_err_sys(e, -ENOMEM, "following descriptors");
	err = lkst_merge_new(e, t, 0, g->list[g->nr - 1].to_ns, &m);
	if (err)
		return err;
	while (!err && lkst_merge_next(m, &r) > 0) {
		while (lkst_merge_gap(m, &gap) > 0)
			lkst_descriptors_gap(passed, &gap);
		if (r.buffer != LKST_BUFFER_STATE)
			err = tell(g, passed, r.ns);
		err = err ?: lkst_threads_feed(threads, &r) ?: lkst_descriptors_feed(passed, &r);
	}
	while (lkst_merge_gap(m, &gap) > 0)
		lkst_descriptors_gap(passed, &gap);
	err = err ?: tell(g, passed, UINT64_MAX);
	return err ? lkst_err_sys(e, err, "following descriptors") : 0;
}

int lkst_descriptors_tell_state(struct lkst_err *e, struct lkst_descriptors *d, struct lkst_trace *t)
{
	struct reading g = { .d = d, .begin_ns = whole_since(t) };
	int err = lkst_state_walk(e, t, take_found, &g, NULL);

	if (!err && g.nr) {
		qsort(g.list, g.nr, sizeof(*g.list), by_end);
		err = read_changes(e, &g, t);
		lkst_descriptors_begin(d);
	}
	fini(&g);
	return err;
}
