/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass over a trace, and its subscribers. */
#include "analyze/engine/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "analyze/engine/convert.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/known/threads.h"
#include "trace/read/holes.h"
#include "usercode/space/mappings.h"

/* Fields are read as they lie only by a machine of the format's byte order. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { IS_NATIVE_ORDER = true };
#else
enum { IS_NATIVE_ORDER = false };
#endif

enum {
	LOOK_EVERY = 1024,
	HELD_MAX = 1024, /* gaps */
};

/* What a subscriber of an event gets. */
enum item_kind {
	KIND_RAW,     /* the record as it lies: the native struct, or whatever it is */
	KIND_CONVERT, /* made into the native struct */
	KIND_ENTRY,   /* a system call */
	KIND_EXIT,
	NR_KINDS,
};

union call {
	lkst_feed_call *event;
	lkst_feed_syscall_call *syscall;
	lkst_feed_gap_call *gap;
	lkst_feed_end_call *end;
};

struct subscriber {
	union call call;
	void *ctx;
	bool is_always;
	u8 kind; /* of an event */
};

struct subscribers {
	u32 nr;
	struct subscriber *list;
};

/* Where the arguments of a system call's entry, or the result of its exit, lie. */
struct layout {
	struct lkst_feed_syscall blank; /* what is the same for each of its records */
	const struct lkst_field_class *fields[LKST_SYSCALL_ARGS_MAX];
	const struct lkst_field_class *nr; /* the field with the number, if it is one */
};

/* An event of the trace. */
struct event {
	struct subscribers subscribers;
	bool has_always, has_come;
	struct lkst_convert *convert;
	struct layout *layout;
};

struct lkst_feed {
	struct lkst_trace *trace;
	const struct lkst_catalog *catalog;
	struct lkst_merge *merge;
	struct lkst_gaps held; /* that the merge has met, and the pass not come to yet */
	u64 begin_ns, from_ns, to_ns;
	u64 nr_records, nr_window_records;
	u64 pause_ns;	/* since when maskset RNOTHING has been active; 0: it is not */
	bool is_always; /* those who subscribe now */
	bool *wants;	/* where to note what they want, or NULL */
	struct subscribers gaps, ends;
	lkst_feed_look_call *look; /* NULL: nobody looks */
	void *look_ctx;
	struct event events[LKST_ID_MAX + 1];
	u16 id_of[LKST_NR_EVENTS]; /* of the built-in events, 0: not in this trace */
	_Alignas(8) u8 converted[LKST_CONVERT_MAX];
};

/* ---- subscribing ------------------------------------------------------------------ */

static int feed_add(struct subscribers *s, struct subscriber subscriber)
{
	struct subscriber *added = lkst_vec_add(s->list, s->nr);

	if (!added)
		return -ENOMEM;
	*added = subscriber;
	return 1;
}

static int add_to_event(struct lkst_feed *f, u16 id, enum item_kind kind, union call call,
			void *ctx)
{
	struct event *event = &f->events[id];

	event->has_always |= f->is_always;
	if (f->wants)
		f->wants[id] = true;
	return feed_add(&event->subscribers, (struct subscriber){ call, ctx, f->is_always, (u8)kind });
}

int lkst_feed_event(struct lkst_feed *f, enum lkst_event_index index, lkst_feed_call *call,
		    void *ctx)
{
	u16 id = f->id_of[index];
	const struct lkst_event_class *class = f->catalog->classes[id];
	struct event *event = &f->events[id];
	bool is_raw = IS_NATIVE_ORDER && id && class->is_native;

	if (!id)
		return 0;
	if (!is_raw && !event->convert) {
		event->convert = lkst_convert_new(class);
		if (!event->convert)
			return -ENOMEM;
	}
	return add_to_event(f, id, is_raw ? KIND_RAW : KIND_CONVERT, (union call){ .event = call },
			    ctx);
}

bool lkst_feed_has(const struct lkst_feed *f, enum lkst_event_index index)
{
	return f->id_of[index] != 0;
}

u64 lkst_feed_missing(const struct lkst_feed *f, enum lkst_event_index index)
{
	u16 id = f->id_of[index];

	return id ? lkst_convert_missing(f->catalog->classes[id]) : UINT64_MAX;
}

int lkst_feed_named(struct lkst_feed *f, const char *name, lkst_feed_call *call, void *ctx)
{
	const struct lkst_event_class *class = lkst_catalog_find(f->catalog, name);

	if (!class)
		return 0;
	return add_to_event(f, class->id, KIND_RAW, (union call){ .event = call }, ctx);
}

int lkst_feed_gaps(struct lkst_feed *f, lkst_feed_gap_call *call, void *ctx)
{
	return feed_add(&f->gaps, (struct subscriber){ { .gap = call }, ctx, f->is_always, 0 });
}

int lkst_feed_end(struct lkst_feed *f, lkst_feed_end_call *call, void *ctx)
{
	return feed_add(&f->ends, (struct subscriber){ { .end = call }, ctx, f->is_always, 0 });
}

void lkst_feed_look(struct lkst_feed *f, lkst_feed_look_call *call, void *ctx)
{
	f->look = call;
	f->look_ctx = ctx;
}

/* ---- system calls ------------------------------------------------------------------- */

static bool feed_is_fixed_number(const struct lkst_field_class *f)
{
	return (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT) &&
	       f->offset != LKST_OFFSET_VARIES;
}

/* How to take apart the records of @class. NULL: no memory. */
static struct layout *feed_lay_out(const struct lkst_event_class *class)
{
	struct layout *l = calloc(1, sizeof(*l));
	const struct lkst_syscall *row =
		class->syscall >= 0 ? &lkst_syscalls[class->syscall] : NULL;
	bool is_entry = class->half == LKST_HALF_ENTRY;
	u16 i;

	if (!l)
		return NULL;
	l->blank = (struct lkst_feed_syscall){ .row = class->syscall,
					       .nr = row ? row->nr : -1,
					       .is_compat = class->is_compat };
	for (i = 0; i < class->nr_fields; i++) {
		const struct lkst_field_class *f = &class->fields[i];

		if (f->type == LKST_CLASS_STRING) {
			l->blank.nr_strings++;
		} else if (!feed_is_fixed_number(f)) {
			continue;
		} else if (!row && !strcmp(f->name, "nr")) {
			l->nr = f;
		} else if (is_entry && l->blank.nr_args < LKST_SYSCALL_ARGS_MAX) {
			l->fields[l->blank.nr_args++] = f;
		} else if (!is_entry && !strcmp(f->name, "ret")) {
			l->fields[0] = f;
		}
	}
	return l;
}

/* Subscribes to @class if it is a system call's event of the kind that is wanted. */
static int feed_add_syscall(struct lkst_feed *f, const struct lkst_event_class *class,
			    lkst_feed_syscall_call *entry, lkst_feed_syscall_call *exit,
			    const char *name, void *ctx)
{
	const char *its_name = lkst_class_call(class);
	bool is_entry = class->half == LKST_HALF_ENTRY;
	lkst_feed_syscall_call *call = is_entry ? entry : exit;
	struct event *event = &f->events[class->id];

	if (!its_name || !call)
		return 0;
	if (name && strcmp(its_name, name))
		return 0;
	if (!event->layout) {
		event->layout = feed_lay_out(class);
		if (!event->layout)
			return -ENOMEM;
	}
	return add_to_event(f, class->id, is_entry ? KIND_ENTRY : KIND_EXIT,
			    (union call){ .syscall = call }, ctx);
}

int lkst_feed_syscall(struct lkst_feed *f, const char *name, lkst_feed_syscall_call *entry,
		      lkst_feed_syscall_call *exit, void *ctx)
{
	int added = 0;
	u16 id;

	for (id = 0; id <= LKST_ID_MAX; id++) {
		int r = f->catalog->classes[id]
				? feed_add_syscall(f, f->catalog->classes[id], entry, exit, name, ctx)
				: 0;

		if (r < 0)
			return r;
		added |= r;
	}
	return added;
}

int lkst_feed_syscalls(struct lkst_feed *f, lkst_feed_syscall_call *entry,
		       lkst_feed_syscall_call *exit, void *ctx)
{
	return lkst_feed_syscall(f, NULL, entry, exit, ctx);
}

const char *lkst_feed_string(const struct lkst_feed_syscall *s, unsigned int i, u32 *ret_length)
{
	const struct lkst_event_class *class = s->record->event;
	u16 field;

	*ret_length = 0;
	for (field = 0; field < class->nr_fields; field++) {
		const u8 *text;

		if (class->fields[field].type != LKST_CLASS_STRING || i--)
			continue;
		text = lkst_record_field(s->record, field, ret_length);
		return text ? (const char *)text : "";
	}
	return "";
}

static void take_apart(const struct layout *l, const struct lkst_record *r, enum item_kind kind,
		       struct lkst_feed_syscall *ret_syscall)
{
	u8 i;

	*ret_syscall = l->blank;
	ret_syscall->record = r;
	if (l->nr)
		ret_syscall->nr = (s32)lkst_record_int(r, l->nr);
	if (kind == KIND_EXIT) {
		if (l->fields[0])
			ret_syscall->ret = (s64)lkst_record_int(r, l->fields[0]);
		return;
	}
	for (i = 0; i < l->blank.nr_args; i++)
		ret_syscall->args[i] = lkst_record_int(r, l->fields[i]);
}

/* ---- the pass --------------------------------------------------------------------- */

/* Calls those who want @r. Data that they share are prepared when the first of them needs them. */
static int feed_tell(struct lkst_feed *f, const struct event *event, const struct lkst_record *r,
		     bool is_before)
{
	bool is_converted = false, is_apart = false;
	struct lkst_feed_syscall syscall;
	u32 i;

	for (i = 0; i < event->subscribers.nr; i++) {
		const struct subscriber *s = &event->subscribers.list[i];
		int err;

		if (is_before && !s->is_always)
			continue;
		if (s->kind == KIND_RAW) {
			err = s->call.event(s->ctx, r, r->bytes);
		} else if (s->kind == KIND_CONVERT) {
			if (!is_converted)
				lkst_convert_record(event->convert, r, f->converted);
			is_converted = true;
			err = s->call.event(s->ctx, r, f->converted);
		} else {
			if (!is_apart)
				take_apart(event->layout, r, s->kind, &syscall);
			is_apart = true;
			err = s->call.syscall(s->ctx, r, &syscall);
		}
		if (err < 0)
			return err;
	}
	return 0;
}

static int tell_gap(const struct lkst_feed *f, const struct lkst_gap *gap)
{
	u32 i;
	int err = 0;

	for (i = 0; i < f->gaps.nr && err >= 0; i++)
		if (gap->to_ns >= f->from_ns || f->gaps.list[i].is_always)
			err = f->gaps.list[i].call.gap(f->gaps.list[i].ctx, gap);
	return err;
}

/*
 * Tells the gaps that begin no later than @ns. The merge meets one as soon as it has read a CPU's records before it,
 * when others' may still come; the state stream has no place in time.
 */
static int feed_take_gaps(struct lkst_feed *f, u64 ns)
{
	struct lkst_gap gap;
	int err = 0;

	while (err >= 0 && lkst_merge_gap(f->merge, &gap) > 0)
		if (gap.from_ns > ns && gap.buffer != LKST_BUFFER_STATE)
			lkst_gaps_insert(&f->held, &gap);
		else
			err = tell_gap(f, &gap);
	while (err >= 0 && f->held.nr && lkst_gaps_at(&f->held, 0)->from_ns <= ns && lkst_gaps_take(&f->held, &gap))
		err = tell_gap(f, &gap);
	return err;
}

/* What is left of them when the pass ends, at @end_ns: damage may be said to begin after the last record. */
static int take_last_gaps(struct lkst_feed *f, u64 end_ns)
{
	struct lkst_gap gap;
	int err = feed_take_gaps(f, end_ns);

	while (err >= 0 && lkst_gaps_take(&f->held, &gap)) {
		gap.from_ns = end_ns;
		err = tell_gap(f, &gap);
	}
	return err;
}

/* What the rings had overwritten before the trace was saved: each CPU's begin at another time. */
static int tell_beginnings(struct lkst_feed *f)
{
	bool is_told = lkst_trace_tells_holes(f->trace);
	unsigned int i;
	u64 begin_ns, end_ns;
	int err = 0;

	for (i = 0; i < lkst_trace_nr_streams(f->trace) && err >= 0; i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(f->trace, i);
		const struct lkst_block *first;
		struct lkst_gap gap = { .cpu = info->cpu, .buffer = info->buffer };

		if (!lkst_buffer_is_of_kernel(info->buffer) || !info->nr_blocks)
			continue;
		first = lkst_trace_block(f->trace, i, 0);
		lkst_trace_range(f->trace, &gap.from_ns, &end_ns);
		gap.to_ns = first->begin_ns;
		gap.blocks = first->seq;
		/* Gaps later, while there are other records of the CPU, are reported by the pass. */
		if (is_told && info->buffer != LKST_BUFFER_LIFE &&
		    lkst_trace_cpu_begin(f->trace, info->cpu, &begin_ns) && begin_ns < gap.to_ns) {
			if (info->lost_from_ns >= begin_ns)
				continue;
			gap.to_ns = begin_ns;
		}
		gap.why = "older records were overwritten before the trace was saved";
		if (first->seq && gap.to_ns > gap.from_ns)
			err = tell_gap(f, &gap);
	}
	return err;
}

/* ---- pauses ------------------------------------------------------------------------ */

/* While maskset RNOTHING is active nothing but lives is recorded, on no CPU: as if the records were missing. */
static int tell_pause(const struct lkst_feed *f, u64 end_ns)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < lkst_trace_nr_streams(f->trace) && err >= 0; i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(f->trace, i);
		const struct lkst_gap gap = {
			.cpu = info->cpu,
			.buffer = info->buffer,
			.from_ns = f->pause_ns,
			.to_ns = end_ns,
			.is_pause = true,
			.why = "nothing was recorded: maskset RNOTHING was active",
		};

		if (lkst_buffer_is_of_kernel(info->buffer) && info->buffer != LKST_BUFFER_LIFE)
			err = tell_gap(f, &gap);
	}
	return err;
}

static int feed_on_maskset(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_maskset_switch *s = record;
	struct lkst_feed *f = ctx;
	int err = 0;

	if (s->to == LKST_MASKSET_RNOTHING) {
		f->pause_ns = f->pause_ns ?: r->ns;
		return 0;
	}
	if (f->pause_ns)
		err = tell_pause(f, r->ns);
	f->pause_ns = 0;
	return err;
}

/* Before anybody else, so that all hear of a pause before the record that ends it. */
static int watch_pauses(struct lkst_feed *f)
{
	int err;

	f->is_always = true;
	err = lkst_feed_event(f, LKST_EV_maskset_switch, feed_on_maskset, f);
	f->is_always = false;
	return err < 0 ? err : 0;
}

/* ---- the pass ---------------------------------------------------------------------- */

static int feed_pass(struct lkst_feed *f)
{
	struct lkst_record r;
	int err = tell_beginnings(f);

	while (err >= 0 && lkst_merge_next(f->merge, &r) > 0) {
		struct event *event = &f->events[r.event->id];
		bool is_before = r.ns < f->from_ns && r.buffer != LKST_BUFFER_STATE;

		err = feed_take_gaps(f, r.buffer == LKST_BUFFER_STATE ? 0 : r.ns);
		if (++f->nr_records % LOOK_EVERY == 0 && f->look && err >= 0)
			err = f->look(f->look_ctx, r.ns);
		f->nr_window_records += !is_before && r.buffer != LKST_BUFFER_STATE;
		event->has_come = true;
		if (err >= 0 && event->subscribers.nr && (!is_before || event->has_always))
			err = feed_tell(f, event, &r, is_before);
	}
	return err;
}

static int feed_on_thread(void *ctx, const struct lkst_record *r, const void *record)
{
	return lkst_threads_feed(ctx, r);
}

/* Has @call get all records of @nr @names, whatever the window. */
static int feed_always(struct lkst_feed *f, const char *const *names, size_t nr, lkst_feed_call *call,
		       void *ctx)
{
	const bool was_always = f->is_always;
	size_t i;
	int err = 0;

	lkst_feed_always(f, true);
	for (i = 0; i < nr && err >= 0; i++)
		err = lkst_feed_named(f, names[i], call, ctx);
	lkst_feed_always(f, was_always);
	return err < 0 ? err : 0;
}

int lkst_feed_threads(struct lkst_feed *f, struct lkst_threads *threads)
{
	static const char *const names[] = { "state_thread",	   "task_newtask",
					     "sched_process_fork", "sched_process_exec",
					     "sched_process_exit", "task_rename",
					     "state_cgroup",	   "cgroup_mkdir",
					     "cgroup_attach_task", "exec_args",
					     "state_process" };

	return feed_always(f, names, sizeof(names) / sizeof(names[0]), feed_on_thread, threads);
}

static int feed_on_mapping(void *ctx, const struct lkst_record *r, const void *record)
{
	return lkst_mappings_feed(ctx, r);
}

int lkst_feed_mappings(struct lkst_feed *f, struct lkst_mappings *mappings)
{
	static const char *const names[] = { "sched_process_fork", "sched_process_exec",
					     "sched_process_free", "mapping" };

	return feed_always(f, names, sizeof(names) / sizeof(names[0]), feed_on_mapping, mappings);
}

static int on_descriptor(void *ctx, const struct lkst_record *r, const void *record)
{
	return lkst_descriptors_feed(ctx, r);
}

static int on_descriptor_gap(void *ctx, const struct lkst_gap *gap)
{
	lkst_descriptors_gap(ctx, gap);
	return 0;
}

int lkst_feed_descriptors(struct lkst_feed *f, struct lkst_descriptors *d)
{
	const bool was_always = f->is_always;
	unsigned int id;
	int err;

	lkst_feed_always(f, true);
	err = lkst_feed_gaps(f, on_descriptor_gap, d);
	for (id = 0; id <= LKST_ID_MAX && err >= 0; id++)
		if (f->catalog->classes[id] && lkst_descriptors_wants(f->catalog->classes[id]))
			err = lkst_feed_named(f, f->catalog->classes[id]->name, on_descriptor, d);
	lkst_feed_always(f, was_always);
	return err < 0 ? err : 0;
}

int lkst_feed_run(struct lkst_err *e, struct lkst_feed *f)
{
	u64 begin_ns, end_ns;
	u32 i;
	int err = lkst_merge_new(e, f->trace, f->begin_ns, f->to_ns, &f->merge);

	if (err < 0)
		return err;
	if (lkst_gaps_init(&f->held, HELD_MAX))
		return lkst_err_sys(e, -ENOMEM, "analyzing the trace");
	err = feed_pass(f);
	lkst_trace_range(f->trace, &begin_ns, &end_ns);
	if (end_ns > f->to_ns)
		end_ns = f->to_ns;
	if (err >= 0)
		err = take_last_gaps(f, end_ns);
	if (err >= 0 && f->pause_ns && end_ns > f->pause_ns)
		err = tell_pause(f, end_ns);
	for (i = 0; i < f->ends.nr && err >= 0; i++)
		err = f->ends.list[i].call.end(f->ends.list[i].ctx, end_ns);
	lkst_merge_free(f->merge);
	f->merge = NULL;
	return err < 0 ? lkst_err_sys(e, err, "analyzing the trace") : 0;
}

/* ---- lifetime --------------------------------------------------------------------- */

int lkst_feed_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_feed **ret_feed)
{
	struct lkst_feed *f = calloc(1, sizeof(*f));
	u16 id;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "analyzing the trace");
	f->trace = t;
	f->catalog = lkst_trace_catalog(t);
	f->to_ns = UINT64_MAX;
	for (id = 1; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *class = f->catalog->classes[id];

		if (class && class->index >= 0)
			f->id_of[class->index] = id;
	}
	if (watch_pauses(f)) {
		lkst_feed_free(f);
		return lkst_err_sys(e, -ENOMEM, "analyzing the trace");
	}
	*ret_feed = f;
	return 0;
}

void lkst_feed_free(struct lkst_feed *f)
{
	u16 id;

	if (!f)
		return;
	for (id = 0; id <= LKST_ID_MAX; id++) {
		free(f->events[id].subscribers.list);
		free(f->events[id].convert);
		free(f->events[id].layout);
	}
	free(f->gaps.list);
	free(f->ends.list);
	lkst_gaps_fini(&f->held);
	lkst_merge_free(f->merge);
	free(f);
}

struct lkst_trace *lkst_feed_trace(const struct lkst_feed *f)
{
	return f->trace;
}

void lkst_feed_limit(struct lkst_feed *f, u64 from_ns, u64 to_ns)
{
	f->from_ns = from_ns;
	f->to_ns = to_ns;
}

void lkst_feed_begin(struct lkst_feed *f, u64 begin_ns)
{
	f->begin_ns = begin_ns;
}

u64 lkst_feed_begins(const struct lkst_feed *f)
{
	return f->begin_ns;
}

void lkst_feed_window(const struct lkst_feed *f, u64 *ret_from_ns, u64 *ret_to_ns)
{
	*ret_from_ns = f->from_ns;
	*ret_to_ns = f->to_ns;
}

void lkst_feed_always(struct lkst_feed *f, bool is_always)
{
	f->is_always = is_always;
}

void lkst_feed_watch(struct lkst_feed *f, bool *wants)
{
	f->wants = wants;
}

bool lkst_feed_has_come(const struct lkst_feed *f, u32 id)
{
	return f->events[id].has_come;
}

u16 lkst_feed_id(const struct lkst_feed *f, enum lkst_event_index index)
{
	return f->id_of[index];
}

u64 lkst_feed_records(const struct lkst_feed *f)
{
	return f->nr_records;
}

u64 lkst_feed_window_records(const struct lkst_feed *f)
{
	return f->nr_window_records;
}
