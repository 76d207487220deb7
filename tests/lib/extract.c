/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/extract.h"

struct make_trace *made_trace(u32 block_size)
{
	struct make_trace *t = make_begin(NULL, NULL, block_size);
	char line[160];
	unsigned int i;

	for (i = 0; i < SWITCHES; i++) {
		snprintf(line, sizeof(line), "sched_switch cpu=%u tid=%u ns=%u next_tid=%u", i % 2,
			 i % 5, 1000 + i * 10, (i + 2) % 5);
		if (make_line(t, line))
			abort();
		if (i % 100 == 0) {
			snprintf(line, sizeof(line), "task_rename cpu=1 buffer=1 tid=%u ns=%u",
				 i % 5, 1005 + i * 10);
			if (make_line(t, line))
				abort();
		}
	}
	return t;
}

void make_rings(struct make_memory *m, struct make_trace *t, bool scattered,
		struct lkst_state **ret_states)
{
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++) {
		struct make_stream *s = &t->streams[i];
		u32 cpu = lkst_instance_cpu(s->instance),
		    buffer = lkst_instance_buffer(s->instance);
		struct lkst_state *st = make_state(m, t->catalog, cpu, buffer, s->block_size);

		make_ring(st, s, RING_BLOCKS);
		free(make_place(m, s, scattered));
		if (!buffer && ret_states)
			ret_states[cpu] = st;
	}
}

struct make_memory *made_memory(struct make_trace *t, struct lkst_state **ret_states)
{
	struct make_memory *m = make_memory(PAGES);

	make_notes(m, t->catalog);
	make_rings(m, t, false, ret_states);
	return m;
}

struct outcome extract_known(const char *path, const struct lkst_memory_ids *known, const char *dir,
			     const char *doubtful)
{
	struct lkst_rebuild_options options = {};
	struct lkst_recordings recordings = {};
	struct lkst_hits hits = {};
	struct outcome o = {};
	struct lkst_dump dump;

	o.err = lkst_dump_open(&o.e, path, &dump);
	if (o.err)
		return o;
	o.err = lkst_hits_search(&o.e, &dump, 1, NULL, NULL, &hits);
	if (!o.err)
		o.err = lkst_recordings_new(&o.e, &dump, 1, &hits, known, &recordings);
	o.nr_recordings = recordings.nr;
	if (recordings.nr) {
		o.is_proven = recordings.items[0].is_proven;
		o.nr_overridden = recordings.items[0].nr_overridden;
		o.rivals = recordings.items[0].rivals;
	}
	o.has_catalog = recordings.nr && recordings.items[0].catalog;
	if (!o.err && o.has_catalog) {
		const struct lkst_catalog *c = recordings.items[0].catalog;

		if ((dir && lkst_writer_open(&o.e, NULL, dir, c, &options.trace)) ||
		    (doubtful && lkst_writer_open(&o.e, NULL, doubtful, c, &options.doubtful)))
			abort();
		o.err = lkst_rebuild(&o.e, &dump, 1, &recordings.items[0], &options, &o.sum);
		lkst_writer_close(&o.e, options.trace, 0);
		lkst_writer_close(&o.e, options.doubtful, 0);
	}
	lkst_recordings_free(&recordings);
	lkst_hits_free(&hits);
	lkst_dump_close(&dump);
	return o;
}

struct outcome extract(const char *path, const char *dir, const char *doubtful)
{
	return extract_known(path, NULL, dir, doubtful);
}

struct scene made_scene(u32 block_size)
{
	struct scene x = { .t = made_trace(block_size) };

	x.m = made_memory(x.t, x.states);
	return x;
}

void scene_dump(struct scene *x, struct make_file f)
{
	if (x->scratch[0])
		make_scratch_remove(x->scratch);
	make_scratch(x->scratch);
	snprintf(x->dump, sizeof(x->dump), "%s/dump", x->scratch);
	snprintf(x->dir, sizeof(x->dir), "%s/trace", x->scratch);
	snprintf(x->doubtful, sizeof(x->doubtful), "%s/doubtful", x->scratch);
	make_write(x->scratch, "dump", f.bytes, f.length);
	free(f.bytes);
}

struct outcome scene_extract(struct scene *x, struct make_file f, const char *dir,
			     const char *doubtful)
{
	scene_dump(x, f);
	return extract(x->dump, dir, doubtful);
}

void scene_end(struct scene *x)
{
	if (x->scratch[0])
		make_scratch_remove(x->scratch);
	if (x->m)
		make_memory_free(x->m);
	if (x->t)
		make_end(x->t);
}

void complain(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes,
	      const char *text)
{
	(void)arg, (void)offset, (void)bytes;
	fprintf(stderr, "%s: %s\n", stream->file, text);
}

long count_records(const char *dir)
{
	struct lkst_trace *t;
	struct lkst_merge *merge;
	struct lkst_record r;
	struct lkst_gap gap;
	struct lkst_err e;
	long nr = 0;

	if (lkst_trace_open(&e, dir, &t))
		return -1;
	if (lkst_trace_check(t, complain, NULL) || lkst_merge_new(&e, t, 0, UINT64_MAX, &merge)) {
		lkst_trace_close(t);
		return -1;
	}
	while (lkst_merge_next(merge, &r) > 0)
		nr += r.event->group != LKST_GROUP_STATE;
	if (lkst_merge_gap(merge, &gap) > 0)
		nr = -1;
	lkst_merge_free(merge);
	lkst_trace_close(t);
	return nr;
}

struct make_file in_format(const struct make_memory *m, unsigned int format)
{
	struct make_file plain, flat;

	switch (format % 8) {
	case 0:
		plain = make_raw(m);
		break;
	case 1:
		plain = make_elf(m, 1);
		break;
	case 2:
		plain = make_elf(m, 7);
		break;
	default:
		plain = make_kdump(m, (enum make_packing)(format % 8 - 3));
	}
	if (format < 8)
		return plain;
	flat = make_flat(&plain);
	free(plain.bytes);
	return flat;
}
