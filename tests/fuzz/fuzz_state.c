/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the feed and the state model: any records in any order, as only damage or a lying
 * recorder would leave them. What is reported of a thread or CPU must still be in order, without a gap.
 *
 * The first byte of the input: 1: events are laid out differently than this program would; 2: the
 * rings begin late; 4: the pass is restricted to a part. Then come records: event, CPU, thread, time since
 * the last one, and a byte for each field; or, for an event beyond the last, a gap. Where the input
 * ends, numbers made of it go on, so that a short one is a long trace too.
 *
 * prints: nothing: what analyses make of it is printed by fuzz_analyze
 */
#include <dirent.h>

#include "lib/states.h"

#include "source.h"
#include "trace/format/metadata.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	MODE_FOREIGN = 1,
	MODE_LATE = 2,
	MODE_LIMITED = 4,
	CPUS = 4,
	TIDS = 16,
	RECORDS = 400,
	GAP_EVERY = 8, /* of the events that are none */
};

static char scratch[64];

static void remove_files(void)
{
	DIR *dir = opendir(scratch);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		unlinkat(dirfd(dir), d->d_name, 0);
	if (dir)
		closedir(dir);
}

static void remove_scratch(void)
{
	remove_files();
	rmdir(scratch);
}

/* Event @index with its fields in reverse order, and one that this program does not know. */
static void add_foreign(struct lkst_catalog *c, u16 index)
{
	const struct lkst_event_desc *desc = &lkst_events[index];
	struct lkst_field_class fields[LKST_FIELDS_MAX] = {
		{ .name = "unknown", .type = LKST_CLASS_UINT, .size = 2, .base = 10 }
	};
	struct lkst_event_class event = { .id = index + 1, .fields = fields, .nr_fields = 1 };
	struct lkst_err e;
	u16 i;

	snprintf(event.name, sizeof(event.name), "%s", desc->name);
	for (i = desc->nr_fields; i-- > 0;) {
		const struct lkst_field_desc *d = &desc->fields[i];
		struct lkst_field_class *f = &fields[event.nr_fields++];

		snprintf(f->name, sizeof(f->name), "%s", d->name);
		f->base = 10;
		f->type = d->type == LKST_TYPE_STRING ||
					  d->type == LKST_TYPE_WORDS
				  ? LKST_CLASS_STRING
			  : d->type == LKST_TYPE_CHARS ? LKST_CLASS_CHARS
						       : LKST_CLASS_SINT;
		f->size = f->type == LKST_CLASS_STRING || d->type == LKST_TYPE_CHARS ? 0
			  : d->size == 2					    ? 4
										    : d->size;
		f->count = d->type == LKST_TYPE_CHARS ? 5 : 0;
	}
	if (lkst_catalog_add(&e, c, &event))
		abort();
}

/* Whether the model looks at the event, so much as may be said of its group. */
static bool is_used(u16 index)
{
	u8 group = lkst_events[index].group;

	return (group == LKST_GROUP_SCHED && index <= LKST_EV_task_rename) ||
	       group == LKST_GROUP_IRQ || group == LKST_GROUP_EXCEPTION ||
	       group == LKST_GROUP_WORKQUEUE || index == LKST_EV_hrtimer_expire_entry ||
	       index == LKST_EV_hrtimer_expire_exit || index == LKST_EV_contention_begin ||
	       index == LKST_EV_contention_end || index == LKST_EV_block_rq_complete ||
	       index == LKST_EV_state_thread || index == LKST_EV_state_wait || index == LKST_EV_state_clock ||
	       index == LKST_EV_state_stream || index == LKST_EV_state_end;
}

static struct lkst_catalog *catalog_of(u8 mode)
{
	static const char *const calls[] = { "read", "futex", "openat", "sched_yield" };
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	u16 i;

	if (!c)
		abort();
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!is_used(i))
			continue;
		else if (mode & MODE_FOREIGN)
			add_foreign(c, i);
		else if (lkst_catalog_add_builtin(&e, c, i + 1, i))
			abort();
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (lkst_catalog_add_syscall(&e, c, LKST_NR_EVENTS + 1 + 2 * i,
					     LKST_NR_EVENTS + 2 + 2 * i,
					     lkst_syscall_find(false, calls[i]) - lkst_syscalls))
			abort();
	return c;
}

/* A value that means something often enough. */
static u64 value_of(const struct lkst_field_class *f, u8 byte)
{
	if (f->meaning == LKST_MEANING_TID || f->meaning == LKST_MEANING_PID)
		return byte == 255 ? 0x7fffffff : byte % TIDS;
	if (f->meaning == LKST_MEANING_CPU)
		return byte % CPUS;
	return byte;
}

static struct make_stream *stream_of(struct make_trace *t, u32 cpu, u32 buffer)
{
	return make_stream(t, lkst_stream_instance(cpu, buffer, 0));
}

/* Appends a record of @event. */
static void put_record(struct make_trace *t, const struct lkst_event_class *event, u32 cpu, s32 tid,
		       u64 ns, struct source *in)
{
	union {
		struct lkst_record_head head;
		u8 bytes[1024];
	} r = { .head = { .id_time = event->id, .tid = tid } };
	u32 at = sizeof(r.head), words;
	u16 i;

	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];
		u8 byte = next(in);
		u64 value = value_of(f, byte);
		bool is_end = event->index == LKST_EV_state_stream ||
			      event->index == LKST_EV_state_end;
		u32 align = f->size > 4 ? 4 : f->size ? f->size : 1;

		if (f->type == LKST_CLASS_STRING || f->type == LKST_CLASS_CHARS) {
			memset(r.bytes + at, 'a' + byte % 26, f->count ? f->count : byte % 8);
			at += f->count ? f->count : byte % 8 + 1u;
			continue;
		}
		if (f->type == LKST_CLASS_WORDS) {
			const struct lkst_field_class *nr = &event->fields[f->length_field];

			words = byte % 7;
			memcpy(r.bytes + nr->offset, &words, nr->size);
			memset(r.bytes + at, byte, words * f->size);
			at += words * f->size;
			continue;
		}
		/* Times among those of the records. */
		if (is_end && f->meaning == LKST_MEANING_NS)
			value = byte == 255 ? UINT64_MAX : byte * 128;
		at = (at + align - 1) & ~(align - 1);
		memcpy(r.bytes + at, &value, f->size);
		at += f->size;
	}
	if (event->group == LKST_GROUP_STATE) {
		if (lkst_writer_state(&t->err, t->writer, ns, &r, at))
			abort();
	} else {
		make_record(stream_of(t, cpu,
				      event->index == LKST_EV_task_newtask ||
					      event->index == LKST_EV_sched_process_exit),
			    ns, &r, at);
	}
}

static void put_records(struct make_trace *t, u8 mode, struct source *in)
{
	u64 ns = 1000;
	u32 i;

	for (i = 0; i < CPUS && mode & MODE_LATE; i++)
		stream_of(t, i, 0)->seq = i;
	for (i = 0; i < RECORDS; i++) {
		u16 id = next(in);
		u32 cpu = next(in) % CPUS;
		s32 tid = next(in) % TIDS;

		ns += (u64)next(in) * 10;
		/* Switches are what everything hangs on. */
		if (!t->catalog->classes[id] && id % GAP_EVERY)
			id = LKST_EV_sched_switch + 1;
		if (!t->catalog->classes[id]) {
			struct make_stream *s = stream_of(t, cpu, id >> 4 & 1);

			make_close(s);
			s->seq += id & 64;
			s->discarded += id & 32;
			continue;
		}
		put_record(t, t->catalog->classes[id], cpu, tid, ns, in);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct states *st = calloc(1, sizeof(*st));
	struct source in = { .data = data, .left = size };
	struct make_trace *t;
	u8 mode;

	if (!st)
		abort();
	if (!scratch[0]) {
		snprintf(scratch, sizeof(scratch), "/dev/shm/lkst-fuzz-XXXXXX");
		if (!mkdtemp(scratch))
			abort();
		atexit(remove_scratch);
	}
	remove_files();
	mode = next(&in);
	memcpy(st->dir, scratch, sizeof(st->dir));
	t = make_begin(st->dir, catalog_of(mode), 4096);
	put_records(t, mode, &in);
	if (make_end(t))
		abort();
	states_open(st);
	if (mode & MODE_LIMITED)
		lkst_feed_limit(st->feed, 2000, 9000);
	st->tid = 3;
	st->cpu = 1;
	st->wants_calls = st->wants_frames = true;
	states_run(st);
	if (st->is_torn) {
		fprintf(stderr, "%s\n", st->tear);
		abort();
	}
	lkst_model_free(st->state);
	lkst_feed_free(st->feed);
	lkst_trace_close(st->trace);
	free(st);
	return 0;
}
