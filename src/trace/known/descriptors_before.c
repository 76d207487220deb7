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
struct descriptors_before_found {
	u64 from_ns, to_ns;
	u64 since_ns; /* from then on it holds; UINT64_MAX: that is not known */
	char *name;
	s32 pid, fd;
};

/* What a trace keeps. */
struct descriptors_before_kept {
	struct descriptors_before_found *list;
	u32 nr;
};

struct lkst_descriptors_before {
	struct lkst_trace *t;
	struct descriptors_before_kept kept;
	struct lkst_descriptors *passed; /* what the records until now say */
	u32 next; /* up to it, it is known since when they hold */
	u64 state_ns; /* of the first state: those of later parts are not needed */
	u64 begin_ns; /* from when on nothing is missing at the beginning */
	size_t name_bytes;
};

static void fini_kept(struct descriptors_before_kept *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		free(k->list[i].name);
	free(k->list);
	*k = (struct descriptors_before_kept){};
}

static void free_kept(void *kept)
{
	fini_kept(kept);
	free(kept);
}

/* ---- what was found ----------------------------------------------------------------- */

static u64 descriptors_before_number(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static int take_found(struct lkst_err *e, void *ctx, const struct lkst_block *block, const struct lkst_record *r)
{
	const bool is_found = r->event->index == LKST_EV_state_descriptor;
	const struct lkst_field_class *f = is_found ? lkst_class_field(r->event, "file") : NULL;
	struct lkst_descriptors_before *b = ctx;
	struct descriptors_before_found *added;
	u32 length = 0;
	const u8 *bytes = f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;

	length = bytes ? (u32)strnlen((const char *)bytes, length) : 0;
	if (!length || length >= LKST_STRING_MAX || b->kept.nr == FOUND_MAX ||
	    b->name_bytes + length > NAMES_BYTES_MAX)
		return 0;
	b->state_ns = b->state_ns ?: r->ns;
	if (r->ns - b->state_ns > STATE_NS)
		return 0;
	added = lkst_vec_add(b->kept.list, b->kept.nr);
	if (!added)
		return lkst_err_sys(e, -ENOMEM, "reading the state");
	*added = (struct descriptors_before_found){ .from_ns = descriptors_before_number(r, "from"),
				 .to_ns = descriptors_before_number(r, "to"),
				 .since_ns = UINT64_MAX,
				 .pid = (s32)descriptors_before_number(r, "owner_pid"),
				 .fd = (s32)descriptors_before_number(r, "fd"),
				 .name = strndup((const char *)bytes, length) };
	b->name_bytes += length;
	return added->name ? 0 : lkst_err_sys(e, -ENOMEM, "reading the state");
}

static int by_end(const void *a, const void *b)
{
	const struct descriptors_before_found *x = a, *y = b;

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

/* Of what was found before @ns: all records until then have passed. */
static void descriptors_before_settle(struct lkst_descriptors_before *b, u64 ns)
{
	for (; b->next < b->kept.nr && b->kept.list[b->next].to_ns < ns; b->next++) {
		struct descriptors_before_found *f = &b->kept.list[b->next];
		u64 since_ns = lkst_descriptors_since(b->passed, f->pid, f->fd);

		if (since_ns < b->begin_ns)
			since_ns = b->begin_ns;
		/* Changed while somebody looked, it may be what it was or what it is. */
		if (since_ns < f->from_ns)
			f->since_ns = since_ns + 1;
	}
}

static bool descriptors_before_is_over(const struct lkst_descriptors_before *b)
{
	return b->next == b->kept.nr;
}

void lkst_descriptors_before_gap(struct lkst_descriptors_before *b, const struct lkst_gap *gap)
{
	if (!descriptors_before_is_over(b))
		lkst_descriptors_gap(b->passed, gap);
}

int lkst_descriptors_before_feed(struct lkst_descriptors_before *b, const struct lkst_record *r)
{
	if (r->buffer != LKST_BUFFER_STATE)
		descriptors_before_settle(b, r->ns);
	return descriptors_before_is_over(b) ? 0 : lkst_descriptors_feed(b->passed, r);
}

/* Has the trace keep what was found. */
static int hand_over(struct lkst_trace *t, struct descriptors_before_kept *k)
{
	struct descriptors_before_kept *kept = malloc(sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	*kept = *k;
	*k = (struct descriptors_before_kept){};
	lkst_trace_keep(t, kept, free_kept);
	return 0;
}

int lkst_descriptors_before_end(struct lkst_descriptors_before *b)
{
	descriptors_before_settle(b, UINT64_MAX);
	return hand_over(b->t, &b->kept);
}

void lkst_descriptors_before_free(struct lkst_descriptors_before *b)
{
	if (!b)
		return;
	fini_kept(&b->kept);
	lkst_descriptors_free(b->passed);
	free(b);
}

static int descriptors_before_look_up(struct lkst_err *e, struct lkst_descriptors_before *b,
				      const struct lkst_threads *threads)
{
	int err = lkst_state_walk(e, b->t, take_found, b, NULL);

	if (err)
		return err;
	if (b->kept.nr)
		qsort(b->kept.list, b->kept.nr, sizeof(*b->kept.list), by_end);
	b->passed = lkst_descriptors_new(threads);
	return b->passed ? 0 : lkst_err_sys(e, -ENOMEM, "following descriptors");
}

int lkst_descriptors_before_new(struct lkst_err *e, struct lkst_trace *t, const struct lkst_threads *threads,
				struct lkst_descriptors_before **ret_before)
{
	_cleanup_(lkst_descriptors_before_freep) struct lkst_descriptors_before *b = NULL;
	int err;

	*ret_before = NULL;
	if (lkst_trace_kept(t))
		return 0;
	b = calloc(1, sizeof(*b));
	if (!b)
		return lkst_err_sys(e, -ENOMEM, "following descriptors");
	b->t = t;
	b->begin_ns = whole_since(t);
	err = descriptors_before_look_up(e, b, threads);
	if (!err && !b->kept.nr)
		err = lkst_descriptors_before_end(b) ? lkst_err_sys(e, -ENOMEM, "following descriptors") : 0;
	else if (!err)
		*ret_before = lkst_take(b);
	return err;
}

/* ---- a pass of its own --------------------------------------------------------------- */

static int read_changes(struct lkst_err *e, struct lkst_descriptors_before *b, struct lkst_threads *threads)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_gap gap;
	int err = lkst_merge_new(e, b->t, 0, b->kept.list[b->kept.nr - 1].to_ns, &m);

	if (err)
		return err;
	while (!err && lkst_merge_next(m, &r) > 0) {
		while (lkst_merge_gap(m, &gap) > 0)
			lkst_descriptors_before_gap(b, &gap);
		err = lkst_threads_feed(threads, &r) ?: lkst_descriptors_before_feed(b, &r);
	}
	while (lkst_merge_gap(m, &gap) > 0)
		lkst_descriptors_before_gap(b, &gap);
	err = err ?: lkst_descriptors_before_end(b);
	return err ? lkst_err_sys(e, err, "following descriptors") : 0;
}

static int read_once(struct lkst_err *e, struct lkst_trace *t)
{
	_cleanup_(lkst_threads_freep) struct lkst_threads *threads = lkst_threads_new();
	_cleanup_(lkst_descriptors_before_freep) struct lkst_descriptors_before *b = NULL;
	int err = threads ? lkst_descriptors_before_new(e, t, threads, &b)
			  : lkst_err_sys(e, -ENOMEM, "following descriptors");

	return err || !b ? err : read_changes(e, b, threads);
}

int lkst_descriptors_tell_state(struct lkst_err *e, struct lkst_descriptors *d, struct lkst_trace *t)
{
	int err = read_once(e, t);
	const struct descriptors_before_kept *kept = err ? NULL : lkst_trace_kept(t);
	u32 i;

	for (i = 0; !err && i < kept->nr; i++) {
		const struct descriptors_before_found *f = &kept->list[i];

		err = lkst_descriptors_tell(d, f->pid, f->fd, f->since_ns, f->name);
		if (err)
			lkst_err_sys(e, err, "following descriptors");
	}
	if (!err && kept->nr && lkst_descriptors_begin(d))
		err = lkst_err_sys(e, -ENOMEM, "following descriptors");
	return err;
}
