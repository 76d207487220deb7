/* SPDX-License-Identifier: GPL-2.0-only */
/* Cuts a trace by time or by size into traces that can be read alone. */
#include "trace/write/cut.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/program.h"
#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "base/size.h"
#include "trace/format/metadata.h"
#include "trace/known/kept.h"
#include "trace/known/threads.h"
#include "trace/read/ends.h"
#include "trace/read/lost.h"
#include "trace/read/trace.h"
#include "trace/write/cut_stacks.h"
#include "trace/write/parts.h"

enum { BLOCK_MAX = 1 << LKST_BLOCK_SHIFT_MAX };

struct cut {
	struct lkst_err *e;
	struct lkst_trace *t;
	const struct lkst_catalog *catalog;
	struct lkst_merge *merge;
	struct lkst_threads *threads;
	struct lkst_record pending; /* read, but later than the last part's beginning */
	bool has_pending;
	struct lkst_kept machine, threads_then, ledger;
	struct lkst_cut_stacks stacks;
	u64 end_ns; /* of the trace */
	u8 *piece;
	struct lkst_parts *parts;
	u64 state_number;
};

/* ---- state -------------------------------------------------------------------------- */

/* Writes what was kept to @w, as of @ns. */
static int cut_write_kept(struct cut *c, const struct lkst_kept *kept, u64 ns, struct lkst_writer *w)
{
	union {
		struct lkst_record_head head;
		u8 bytes[1 << LKST_BLOCK_SHIFT_MIN];
	} record;
	struct lkst_kept_record k;
	const u8 *bytes;
	size_t at = 0;
	int err = 0;

	while (!err && (bytes = lkst_kept_next(kept, &at, &k))) {
		/* Blocks of other programs may hold longer ones than this one writes. */
		if (k.length > sizeof(record.bytes) - LKST_BLOCK_HEADER)
			continue;
		memcpy(record.bytes, bytes, k.length);
		err = lkst_writer_state(c->e, w, ns, &record, k.length);
	}
	return err;
}

static bool is_ledger(const struct lkst_event_class *event)
{
	return event->index == LKST_EV_state_loss || event->index == LKST_EV_state_overwritten ||
	       event->index == LKST_EV_state_skipped;
}

/*
 * Records that are wrong for a piece: how far the trace goes, and what the kernel had counted at
 * its beginning and end.
 */
static bool cut_is_end(const struct lkst_event_class *event)
{
	return event->index == LKST_EV_state_stream || event->index == LKST_EV_state_end ||
	       event->index == LKST_EV_state_counter;
}

/*
 * How long the trace's state_thread records are, if they are as this program's or, of an earlier one, as the beginning
 * of these; 0: they are not.
 */
static u16 thread_size(const struct lkst_event_class *class)
{
	const struct lkst_event_desc *desc = &lkst_events[LKST_EV_state_thread];
	u16 size = sizeof(struct lkst_record_head), i;

	if (!class || !class->is_fixed || class->nr_fields > desc->nr_fields)
		return 0;
	for (i = 0; i < class->nr_fields; i++) {
		const struct lkst_field_class *f = &class->fields[i];
		const u16 bytes = f->type == LKST_CLASS_CHARS ? f->count : f->size;

		if (strcmp(f->name, desc->fields[i].name) || f->offset != size || bytes != desc->fields[i].size)
			return 0;
		size += bytes;
	}
	return class->size == size && size > offsetof(struct lkst_rec_state_thread, comm) ? size : 0;
}

static int cut_take_state(struct cut *c, const struct lkst_record *r)
{
	/* Of cgroups and commands, the threads know those of state and those that came since. */
	if (cut_is_end(r->event) || (r->event->is_native && (r->event->index == LKST_EV_state_cgroup ||
							     r->event->index == LKST_EV_state_process)))
		return 0;
	if (is_ledger(r->event))
		return lkst_kept_add(c->e, &c->ledger, r, LKST_KEPT_ALL);
	if (r->event->index == LKST_EV_state_thread)
		return thread_size(r->event)
			       ? lkst_kept_add(c->e, &c->threads_then, r, LKST_KEPT_THREAD)
			       : 0;
	return lkst_kept_add(c->e, &c->machine, r, LKST_KEPT_CONTENT);
}

/* What the trace's own state said of threads, sorted by number. */
struct then {
	struct lkst_rec_state_thread *list;
	size_t nr;
};

static void then_fini(struct then *then)
{
	free(then->list);
}

static int cut_by_tid(const void *a, const void *b)
{
	const struct lkst_rec_state_thread *x = a, *y = b;

	return x->thread_tid < y->thread_tid ? -1 : x->thread_tid > y->thread_tid;
}

static int list_then(struct cut *c, struct then *then)
{
	struct lkst_kept_record k;
	const u8 *bytes;
	size_t at = 0;

	then->list = calloc(c->threads_then.nr + 1, sizeof(*then->list));
	if (!then->list)
		return lkst_err_sys(c->e, -ENOMEM, "cutting");
	while ((bytes = lkst_kept_next(&c->threads_then, &at, &k)))
		memcpy(&then->list[then->nr++], bytes, k.length < sizeof(*then->list) ? k.length : sizeof(*then->list));
	qsort(then->list, then->nr, sizeof(*then->list), cut_by_tid);
	return 0;
}

/* The record of this thread, if it is still the same. */
static struct lkst_rec_state_thread find_then(const struct then *then,
					      const struct lkst_thread *thread)
{
	struct lkst_rec_state_thread r = { .thread_tid = thread->tid, .thread_cpu = -1 };
	const struct lkst_rec_state_thread *found =
		bsearch(&r, then->list, then->nr, sizeof(r), cut_by_tid);

	return found && found->task == thread->task ? *found : r;
}

/* Writes the threads that exist at @ns, by the records until then. */
static int cut_write_threads(struct cut *c, u64 ns, struct lkst_writer *w)
{
	const struct lkst_event_class *class = lkst_catalog_find(c->catalog, "state_thread");
	_cleanup_(then_fini) struct then then = {};
	const u16 size = thread_size(class);
	unsigned int i;
	int err;

	if (!size)
		return 0;
	err = list_then(c, &then);
	for (i = 0; i < lkst_threads_nr(c->threads) && !err; i++) {
		const struct lkst_thread *t = lkst_threads_at(c->threads, i);
		struct lkst_rec_state_thread r;

		if (!t->tid || t->has_ended || !t->has_comm)
			continue;
		r = find_then(&then, t);
		r.head.id_time = htole64(class->id);
		r.head.tid = 0;
		r.thread_pid = t->pid;
		r.parent_pid = t->parent_pid;
		r.flags = t->is_kernel ? r.flags | LKST_THREAD_KERNEL : r.flags;
		r.prio = t->has_prio ? t->prio : LKST_PRIO_UNKNOWN;
		r.task = t->task;
		memcpy(r.comm, t->comm, sizeof(r.comm));
		r.cgroup = lkst_threads_cgroup_of(c->threads, t->tid);
		err = lkst_writer_state(c->e, w, ns, &r, size);
	}
	return err;
}

/* Writes the cgroups that have been met. */
static int write_cgroups(struct cut *c, u64 ns, struct lkst_writer *w)
{
	const struct lkst_event_class *class = lkst_catalog_find(c->catalog, "state_cgroup");
	const struct lkst_cgroups *cgroups = lkst_threads_cgroups(c->threads);
	unsigned int i;
	int err = 0;

	for (i = 0; class && class->is_native && i < lkst_cgroups_nr(cgroups) && !err; i++) {
		const struct lkst_cgroup *cgroup = lkst_cgroups_at(cgroups, i);
		struct {
			struct lkst_rec_state_cgroup r;
			char path[LKST_STRING_MAX];
		} rec = { .r = { .head.id_time = htole64(class->id), .cgroup = cgroup->id } };
		int length = snprintf(rec.path, sizeof(rec.path), "%s", cgroup->path);

		err = lkst_writer_state(c->e, w, ns, &rec, (u32)(sizeof(rec.r) + (size_t)length + 1));
	}
	return err;
}

/* Writes what the processes that exist at @ns run. */
static int cut_write_processes(struct cut *c, u64 ns, struct lkst_writer *w)
{
	const struct lkst_event_class *class = lkst_catalog_find(c->catalog, "state_process");
	unsigned int i;
	int err = 0;

	for (i = 0; class && class->is_native && i < lkst_threads_nr(c->threads) && !err; i++) {
		const struct lkst_thread *t = lkst_threads_at(c->threads, i);
		const struct lkst_command_line *command = t->command;
		struct {
			struct lkst_rec_state_process r;
			char args[LKST_STRING_MAX];
		} rec;

		if (!command || t->has_ended || t->pid != t->tid)
			continue;
		rec.r = (struct lkst_rec_state_process){ .head.id_time = htole64(class->id),
							 .process = t->pid,
							 .uid = command->uid,
							 .euid = command->euid,
							 .gid = command->gid,
							 .args_bytes = command->args_bytes };
		memcpy(rec.args, command->args, command->length + 1);
		err = lkst_writer_state(c->e, w, ns, &rec, (u32)(sizeof(rec.r) + command->length + 1));
	}
	return err;
}

/* Reads on up to the first record of @ns or later. */
static int read_until(struct cut *c, u64 ns)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err) {
		const struct lkst_record *r = &c->pending;

		if (!c->has_pending && lkst_merge_next(c->merge, &c->pending) <= 0)
			return 0;
		c->has_pending = r->buffer != LKST_BUFFER_STATE && r->ns >= ns;
		if (c->has_pending)
			return 0;
		/* Gaps are in the blocks' numbers, which stay. */
		while (lkst_merge_gap(c->merge, &gap) > 0)
			;
		err = lkst_cut_stacks_take(&c->stacks, r);
		if (err < 0)
			return lkst_err_sys(c->e, err, "cutting");
		err = !err && r->buffer == LKST_BUFFER_STATE ? cut_take_state(c, r) : 0;
		if (!err && lkst_threads_feed(c->threads, r))
			err = lkst_err_sys(c->e, -ENOMEM, "cutting");
	}
	return err;
}

/* ---- blocks ------------------------------------------------------------------------- */

/* Writes what @block has from @from_ns to before @end_ns. */
static int write_block(struct cut *c, const struct lkst_block *block, u64 from_ns, u64 end_ns,
		       struct lkst_writer *w)
{
	u32 from = 0, to = block->content, at, end = 0;
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	u64 first_ns = 0, last_ns = 0;

	if (block->begin_ns >= from_ns && block->end_ns < end_ns)
		return lkst_writer_append(c->e, w, block->instance, block->bytes, block->size);
	lkst_block_cursor_init(&cursor, block);
	while (lkst_block_next(NULL, &cursor, c->catalog, &r) > 0) {
		at = (u32)(r.bytes - block->bytes);
		if (r.ns >= end_ns) {
			to = end;
			break;
		}
		if (r.ns < from_ns)
			continue;
		first_ns = from ? first_ns : r.ns;
		from = from ? from : at;
		last_ns = r.ns;
		/* Without what aligns the next one: readers of CTF look for a record there. */
		end = at + r.size;
	}
	/* Bytes that make no sense stay with the records before them, and are shown as damage there. */
	if (!from)
		return 0;
	if (to == block->content)
		last_ns = block->end_ns;
	lkst_block_piece(block, from, to, from == LKST_BLOCK_HEADER ? block->begin_ns : first_ns,
			 last_ns, c->piece);
	return lkst_writer_append(c->e, w, block->instance, c->piece, block->size);
}

/* Number of the first block of a stream that does not end before @ns. */
static u32 cut_find_block(const struct cut *c, unsigned int stream, u64 ns)
{
	return lkst_lower_bound(i, lkst_trace_stream(c->t, stream)->nr_blocks,
				lkst_trace_block(c->t, stream, (u32)i)->end_ns < ns);
}

/* Block @i of stream @s is being looked at: releases the memory of what lies before it. */
static void cut_pass(const struct cut *c, unsigned int s, u32 i, size_t *passed)
{
	lkst_stream_pass(c->t->streams[s], passed, lkst_stream_offset(c->t->streams[s], i));
}

static int write_streams(struct cut *c, u64 from_ns, u64 end_ns, struct lkst_writer *w)
{
	unsigned int s;
	size_t passed;
	u32 i;
	int err = 0;

	for (s = 0; s < lkst_trace_nr_streams(c->t) && !err; s++) {
		const struct lkst_stream_info *info = lkst_trace_stream(c->t, s);

		if (info->buffer == LKST_BUFFER_STATE)
			continue;
		passed = 0;
		for (i = cut_find_block(c, s, from_ns); i < info->nr_blocks && !err; i++) {
			const struct lkst_block *block = lkst_trace_block(c->t, s, i);

			cut_pass(c, s, i, &passed);
			if (block->begin_ns >= end_ns)
				break;
			err = write_block(c, block, from_ns, end_ns, w);
		}
	}
	return err;
}

/* Has the stacks that block @block's samples from @from_ns to before @end_ns refer to wanted. */
static int want_stacks(struct cut *c, const struct lkst_block *block, u64 from_ns, u64 end_ns)
{
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	int err = 0;

	lkst_block_cursor_init(&cursor, block);
	while (!err && lkst_block_next(NULL, &cursor, c->catalog, &r) > 0)
		if (r.ns >= from_ns && r.ns < end_ns)
			err = lkst_cut_stacks_want(&c->stacks, &r);
	return err ? lkst_err_sys(c->e, err, "cutting") : 0;
}

/* Writes, as of @ns, the stacks from before @from_ns that samples from then to before @end_ns refer to. */
static int cut_write_stacks(struct cut *c, u64 from_ns, u64 end_ns, u64 ns, struct lkst_writer *w)
{
	unsigned int s;
	int err = 0;
	u32 i;

	lkst_cut_stacks_begin(&c->stacks);
	for (s = 0; c->stacks.kept.nr && s < lkst_trace_nr_streams(c->t) && !err; s++) {
		const struct lkst_stream_info *info = lkst_trace_stream(c->t, s);

		for (i = cut_find_block(c, s, from_ns);
		     i < info->nr_blocks && info->buffer != LKST_BUFFER_STATE && !err; i++) {
			const struct lkst_block *block = lkst_trace_block(c->t, s, i);

			if (block->begin_ns >= end_ns)
				break;
			err = want_stacks(c, block, from_ns, end_ns);
		}
	}
	return err ?: lkst_cut_stacks_write(c->e, &c->stacks, ns, w);
}

/* Writes, as of @ns, the lines of the ledger that say what is missing between @from_ns and @end_ns. */
static int write_holes(struct cut *c, u64 from_ns, u64 end_ns, u64 ns, struct lkst_writer *w)
{
	const struct lkst_event_class *class = lkst_catalog_find(c->catalog, "state_overwritten");
	unsigned int i;
	int err = 0;

	for (i = 0; class && class->is_native && i < c->t->holes.nr && !err; i++) {
		const struct lkst_hole *hole = &c->t->holes.list[i];
		const struct lkst_lost lost = { hole->gap.from_ns, hole->gap.to_ns,
						hole->gap.blocks };
		struct lkst_rec_state_overwritten r = lkst_lost_record(hole->instance, &lost);

		r.head.id_time = htole64(class->id);
		if (!hole->is_end && hole->gap.to_ns > from_ns && hole->gap.from_ns < end_ns)
			err = lkst_writer_state(c->e, w, ns, &r, sizeof(r));
	}
	return err;
}

/* The earlier of the two; no time is later than @b. */
static u64 earlier(u64 a, u64 b)
{
	return a < b ? a : b;
}

/*
 * Says of stream @s how far the part goes, and what of it is missing in the trace: a block whose time is not known
 * counts as one of the part.
 */
static int cut_claim(struct cut *c, const struct lkst_stream *s, u64 from_ns, u64 end_ns,
		     struct lkst_writer *w)
{
	const struct lkst_stream_end *end = lkst_ends_of(&c->t->ends, s->info.instance);
	struct lkst_stream_end part = { .instance = s->info.instance, .first = 1 };
	u32 nr = s->info.nr_blocks;
	struct lkst_block block;

	part.covered_ns = earlier(end && end->covered_ns ? end->covered_ns : s->end_ns, end_ns - 1);
	if (!end || end->last < end->first || end->covered_ns < from_ns || end->begin_ns >= end_ns)
		return lkst_writer_claim(c->e, w, &part);
	if (!nr) {
		part = *end;
		part.covered_ns = earlier(end->covered_ns, end_ns - 1);
		return lkst_writer_claim(c->e, w, &part);
	}
	lkst_stream_block(s, nr - 1, &block);
	if (block.end_ns < end_ns &&
	    (block.seq < end->last || (block.seq == end->last && block.end_ns < end->end_ns))) {
		part.first = block.seq;
		part.begin_ns = block.begin_ns;
		part.last = end->last;
		part.end_ns = end->end_ns;
	}
	if (end_ns > c->end_ns)
		part.left = end->left;
	return lkst_writer_claim(c->e, w, &part);
}

/* Writes, as of @ns, how far the streams of the part go, and whether another part follows on it. */
static int cut_write_end(struct cut *c, u64 from_ns, u64 end_ns, bool goes_on, u64 ns,
			 struct lkst_writer *w)
{
	u32 how = goes_on ? LKST_ENDING_GOES_ON : LKST_ENDING_COMPLETE;
	unsigned int i;
	int err = 0;

	for (i = 0; i < c->t->nr_streams && !err; i++)
		if (c->t->streams[i]->info.buffer != LKST_BUFFER_STATE)
			err = cut_claim(c, c->t->streams[i], from_ns, end_ns, w);
	if (!goes_on && end_ns > c->end_ns)
		how = c->t->ends.is_closed ? c->t->ends.how : LKST_ENDING_UNKNOWN;
	return err ? err : lkst_writer_end(c->e, w, how, ns);
}

/* What is in the part from @from_ns to before @end_ns, whose first record is of @begin_ns. */
static int fill_part(struct cut *c, u64 from_ns, u64 end_ns, u64 begin_ns, struct lkst_writer *w)
{
	int err;

	err = lkst_writer_mark_partial(c->e, w);
	if (err)
		return err;
	err = cut_write_kept(c, &c->machine, begin_ns, w);
	if (err)
		return err;
	err = cut_write_threads(c, begin_ns, w) ?: write_cgroups(c, begin_ns, w)
	      ?: cut_write_processes(c, begin_ns, w) ?: cut_write_stacks(c, from_ns, end_ns, begin_ns, w);
	if (err)
		return err;
	err = write_streams(c, from_ns, end_ns, w);
	if (err)
		return err;
	if (end_ns <= c->end_ns)
		return write_holes(c, from_ns, end_ns, begin_ns, w);
	/* The ledger of a snapshot is read at once, that of parts as they come. */
	err = read_until(c, UINT64_MAX);
	return err ? err : cut_write_kept(c, &c->ledger, c->end_ns, w);
}

/* Writes the part from @from_ns to before @end_ns. @goes_on: the next one begins there. */
static int write_part(struct cut *c, u64 from_ns, u64 end_ns, bool goes_on)
{
	struct lkst_writer *w;
	u64 begin_ns = from_ns;
	int err;

	err = read_until(c, from_ns);
	if (err)
		return err;
	if (c->has_pending && begin_ns < c->pending.ns && c->pending.ns < end_ns)
		begin_ns = c->pending.ns;
	err = lkst_parts_next(c->e, c->parts, c->catalog, begin_ns + c->catalog->clock_offset_ns,
			      c->state_number, &w);
	if (err)
		return err;
	err = fill_part(c, from_ns, end_ns, begin_ns, w);
	if (!err)
		err = cut_write_end(c, from_ns, end_ns, goes_on, earlier(end_ns - 1, c->end_ns), w);
	c->state_number = lkst_writer_state_number(w);
	return lkst_writer_close(c->e, w, err);
}

/* ---- where to cut ------------------------------------------------------------------- */

/* What each part has besides records. */
static int measure_rest(struct cut *c, u64 *ret_bytes)
{
	_cleanup_free_ char *text = NULL;
	int err = lkst_metadata_format(c->e, c->catalog, &text);
	unsigned int s;

	if (err)
		return err;
	*ret_bytes = strlen(text);
	for (s = 0; s < lkst_trace_nr_streams(c->t); s++) {
		const struct lkst_stream_info *info = lkst_trace_stream(c->t, s);

		if (!info->nr_blocks)
			continue;
		if (info->buffer == LKST_BUFFER_STATE)
			*ret_bytes += (u64)info->nr_blocks << LKST_BLOCK_SHIFT_MIN;
		else
			*ret_bytes += lkst_trace_block(c->t, s, 0)->size;
	}
	return 0;
}

struct begin {
	u64 ns;
	u32 size;
};

static int cut_by_time(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Lists when each block of the span begins, in order of time. */
static int list_begins(struct cut *c, u64 from_ns, u64 end_ns, struct begin **ret_list,
		       size_t *ret_nr)
{
	struct begin *list;
	size_t nr = 0, room = 1, passed;
	unsigned int s;
	u32 i;

	for (s = 0; s < lkst_trace_nr_streams(c->t); s++)
		room += lkst_trace_stream(c->t, s)->nr_blocks;
	list = calloc(room, sizeof(*list));
	if (!list)
		return lkst_err_sys(c->e, -ENOMEM, "cutting");
	for (s = 0; s < lkst_trace_nr_streams(c->t); s++) {
		const struct lkst_stream_info *info = lkst_trace_stream(c->t, s);

		passed = 0;
		for (i = 0; i < info->nr_blocks && info->buffer != LKST_BUFFER_STATE; i++) {
			const struct lkst_block *block = lkst_trace_block(c->t, s, i);

			cut_pass(c, s, i, &passed);
			if (block->end_ns >= from_ns && block->begin_ns < end_ns)
				list[nr++] = (struct begin){ block->begin_ns, block->size };
		}
	}
	qsort(list, nr, sizeof(*list), cut_by_time);
	*ret_list = list;
	*ret_nr = nr;
	return 0;
}

/* ---- all of it ---------------------------------------------------------------------- */

static void cut_fini(struct cut *c)
{
	lkst_merge_free(c->merge);
	lkst_threads_free(c->threads);
	lkst_parts_close(NULL, c->parts);
	lkst_kept_fini(&c->machine);
	lkst_kept_fini(&c->threads_then);
	lkst_kept_fini(&c->ledger);
	lkst_cut_stacks_fini(&c->stacks);
	free(c->piece);
}

static int cut_init(struct lkst_err *e, const struct lkst_access *access, struct lkst_trace *t, const char *path,
		    bool is_sequence, struct cut *c)
{
	const struct lkst_rotation rotation = { .is_on = is_sequence };
	u64 begin_ns;
	int err;

	*c = (struct cut){ .e = e, .t = t, .catalog = lkst_trace_catalog(t) };
	lkst_trace_range(t, &begin_ns, &c->end_ns);
	c->threads = lkst_threads_new();
	c->piece = malloc(BLOCK_MAX);
	if (!c->threads || !c->piece)
		return lkst_err_sys(e, -ENOMEM, "cutting");
	err = lkst_merge_new(e, t, 0, UINT64_MAX, &c->merge);
	return err ? err : lkst_parts_open(e, access, path, &rotation, false, &c->parts);
}

static u64 cut_end_of(u64 to_ns)
{
	return to_ns == UINT64_MAX ? to_ns : to_ns + 1;
}

int lkst_cut_time(struct lkst_err *e, const struct lkst_access *access, struct lkst_trace *t, u64 from_ns,
		  u64 to_ns, const char *path)
{
	_cleanup_(cut_fini) struct cut c = {};
	int err = cut_init(e, access, t, path, false, &c);

	return err ? err : write_part(&c, from_ns, cut_end_of(to_ns), false);
}

/* Parts of something else must not get in between. */
static int cut_make_dir(struct lkst_err *e, const struct lkst_access *access, const char *path)
{
	_cleanup_close_ int fd = -1;

	return strchr(path, '%') ? 0 : lkst_create_empty_dir(e, access, AT_FDCWD, path, &fd);
}

int lkst_cut_size(struct lkst_err *e, const struct lkst_access *access, struct lkst_trace *t, u64 from_ns,
		  u64 to_ns, u64 bytes, const char *path, unsigned int *ret_nr)
{
	_cleanup_(cut_fini) struct cut c = {};
	_cleanup_free_ struct begin *list = NULL;
	char size[LKST_SIZE_TEXT];
	u64 rest = 0, sum = 0, part_ns = from_ns;
	size_t nr = 0, i;
	int err;

	err = cut_make_dir(e, access, path);
	if (err)
		return err;
	err = cut_init(e, access, t, path, true, &c);
	if (err)
		return err;
	*ret_nr = 0;
	err = measure_rest(&c, &rest);
	if (err)
		return err;
	if (bytes < 2 * rest) {
		lkst_size_format(2 * rest, size);
		return lkst_err_set(e, -EINVAL,
				    "parts would be too small to hold what each must have; %s is "
				    "the least here",
				    size);
	}
	err = list_begins(&c, from_ns, cut_end_of(to_ns), &list, &nr);
	for (i = 0; !err && i < nr; i++) {
		if (rest + sum + list[i].size > bytes && list[i].ns > part_ns) {
			err = write_part(&c, part_ns, list[i].ns, true);
			part_ns = list[i].ns;
			sum = 0;
			++*ret_nr;
		}
		sum += list[i].size;
	}
	if (err)
		return err;
	++*ret_nr;
	return write_part(&c, part_ns, cut_end_of(to_ns), false);
}
