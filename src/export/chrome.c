/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chrome's trace event format ("Trace Event Format", Nat Duca and Dan Sinclair, 2016), which about:tracing, Perfetto's
 * page, Speedscope and others read: an object with an array of events, each of a process and a thread, at a time in
 * microseconds. Threads have their system calls as slices, with their states in them. CPUs and disks are processes with
 * numbers that no process has.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/engine/gap_test.h"
#include "analyze/engine/naming.h"
#include "analyze/engine/pending.h"
#include "analyze/engine/request.h"
#include "analyze/lanes/lane_names.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "export/export_format.h"
#include "export/model_pass.h"
#include "export/thread_slices.h"

/* Numbers from LKST_TID_MAX on are of no thread. */
enum {
	PID_CPUS = LKST_TID_MAX,
	PID_DISKS,
	TID_CPUS, /* of CPU i, TID_CPUS + 2 * i; of its interrupts, one more */
	PID_LIMIT = 1 << 30, /* and its tracks, one of each kind that was left out, from the next number on */
	PID_FURTHER = 1 << 29, /* the first number of threads whose own one another thread had before */
	NS_PER_US = 1000,
};

/* Of a life. */
struct chrome_open_call {
	bool is_open, has_events;
	s32 pid, tid;	     /* of the track that it has */
	s32 life_pid, life_tid; /* the thread's own numbers then */
	u64 call_ns;  /* which call is open */
	u64 end_ns;   /* up to where the thread's slices were written */
	u64 from_ns;  /* since when nothing is known, and not written yet; 0: it is written */
};

struct chrome {
	struct lkst_export *x;
	struct lkst_model_pass pass;
	struct lkst_gap_test *gap_test;
	struct chrome_open_call *calls; /* by number of lives */
	u32 nr_calls;
	u64 *cpu_ends; /* by CPU: up to where its slices were written, 0: none yet */
	u32 nr_cpus;
	struct lkst_pending requests;
	u64 nr_requests;
	struct lkst_map owners;	   /* by number of a thread: the first life that had it, plus 1 */
	struct lkst_map processes; /* by number of a process: the number of its track now */
	s32 nr_further;
};

/* ---- events ---------------------------------------------------------------------------------- */

/* Microseconds, to the ns. */
static char *chrome_put_time(char *p, u64 ns)
{
	p = lkst_put_u64(p, ns / NS_PER_US);
	return lkst_put_digits(lkst_put_str(p, "."), ns % NS_PER_US, 3);
}

/* The beginning of an event of kind @phase, up to its time. */
static char *chrome_put_event(struct chrome *c, char phase, s32 pid, s32 tid, u64 ns)
{
	char *p = lkst_put_str(lkst_out_room(c->x->out), ",\n{\"ph\":\"");

	*p++ = phase;
	p = lkst_put_s64(lkst_put_str(p, "\",\"pid\":"), pid);
	p = lkst_put_s64(lkst_put_str(p, ",\"tid\":"), tid);
	return chrome_put_time(lkst_put_str(p, ",\"ts\":"), ns);
}

static char *chrome_put_name(struct chrome *c, char *p, const char *text, size_t length)
{
	return lkst_out_json(c->x->out, lkst_put_str(p, ",\"name\":"), text, length);
}

static void end_event(struct chrome *c, char *p)
{
	lkst_out_advance(c->x->out, lkst_put_str(p, "}"));
}

/* A slice of a track. */
static void put_slice(struct chrome *c, s32 pid, s32 tid, u64 from_ns, u64 to_ns, const char *name)
{
	char *p = chrome_put_event(c, 'X', pid, tid, from_ns);

	p = chrome_put_time(lkst_put_str(p, ",\"dur\":"), to_ns - from_ns);
	end_event(c, chrome_put_name(c, p, name, strlen(name)));
}

/* What a track is called: @kind is "process_name" or "thread_name". */
static void put_track(struct chrome *c, const char *kind, s32 pid, s32 tid, const char *name,
		      size_t length)
{
	char *p = chrome_put_event(c, 'M', pid, tid, 0);

	p = chrome_put_name(c, p, kind, strlen(kind));
	p = lkst_out_json(c->x->out, lkst_put_str(p, ",\"args\":{\"name\":"), name, length);
	end_event(c, lkst_put_str(p, "}"));
}

/* "bash-12" in @text. Returns it. */
enum { WHO_TEXT = 32 };
static const char *chrome_who(const struct lkst_thread_life *life, char text[WHO_TEXT])
{
	if (life->tid < 0)
		snprintf(text, WHO_TEXT, "%.16s", life->comm);
	else
		snprintf(text, WHO_TEXT, "%.16s-%d", life->has_comm ? life->comm : "?", life->tid);
	return text;
}

static s32 chrome_pid_of(const struct lkst_thread_life *life)
{
	return life->pid ?: life->tid;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void chrome_begin_call(struct chrome *c, struct chrome_open_call *open, const struct lkst_thread_slice *s)
{
	char text[LKST_CALL_TEXT], *p = chrome_put_event(c, 'B', open->pid, open->tid, s->from_ns);

	lkst_thread_slice_call_name(s, text);
	end_event(c, chrome_put_name(c, p, text, strlen(text)));
	open->is_open = true;
	open->call_ns = s->call_ns;
}

/* @ret: what the call returned, NULL: it was not seen to return. */
static void chrome_end_call(struct chrome *c, struct chrome_open_call *open, const s64 *ret)
{
	char *p = chrome_put_event(c, 'E', open->pid, open->tid, open->end_ns);

	if (ret)
		p = lkst_put_str(lkst_put_s64(lkst_put_str(p, ",\"args\":{\"ret\":"), *ret), "}");
	end_event(c, p);
	open->is_open = false;
}

/*
 * A number for the track of @life: its own, or, where another life had that before, one that nobody has. A reader
 * keeps one name for a track. 0 or -ENOMEM.
 */
static int chrome_number_of(struct chrome *c, const struct lkst_thread_life *life, s32 *ret_number)
{
	const u64 *owner = lkst_map_find(&c->owners, (u32)life->tid);

	*ret_number = life->tid;
	if (!owner)
		return lkst_map_set(&c->owners, (u32)life->tid, (u64)life->nr + 1);
	if (*owner != (u64)life->nr + 1)
		*ret_number = PID_FURTHER + c->nr_further++;
	return 0;
}

/* The number of the track of the process that @life is in. @tid: of the track of @life. 0 or -ENOMEM. */
static int number_of_process(struct chrome *c, const struct chrome_open_call *open, const struct lkst_thread_life *life,
			     s32 tid, s32 *ret_number)
{
	const s32 pid = chrome_pid_of(life);
	const u64 *process = lkst_map_find(&c->processes, (u32)pid);

	/* The process stays the same where a thread goes on under the number of the first (de_thread(), fs/exec.c). */
	if (open->has_events && open->life_pid == pid) {
		*ret_number = open->pid;
		return 0;
	}
	*ret_number = life->tid == pid ? tid : process ? (s32)*process : pid;
	return lkst_map_set(&c->processes, (u32)pid, (u32)*ret_number);
}

/*
 * A thread that gets another number (de_thread(), fs/exec.c), or whose process becomes known, goes on in another track:
 * what ends has the numbers of what began. 0 or -ENOMEM.
 */
static int choose_track(struct chrome *c, struct chrome_open_call *open,
			const struct lkst_thread_life *life)
{
	size_t length = strnlen(life->comm, 16);
	s32 pid = chrome_pid_of(life), track_pid, track_tid = open->tid;

	if (open->has_events && open->life_pid == pid && open->life_tid == life->tid)
		return 0;
	if (open->has_events) {
		if (open->is_open)
			chrome_end_call(c, open, NULL);
		if (open->life_pid != pid)
			put_track(c, "process_name", open->pid, open->tid, life->comm, length);
		put_track(c, "thread_name", open->pid, open->tid, life->comm, length);
	}
	/* It goes on as the first thread of its process, whose track has the number of the process's. */
	if (open->life_tid && open->life_tid != life->tid && open->life_pid == pid && life->tid == pid)
		track_tid = open->pid;
	else if (open->life_tid != life->tid && chrome_number_of(c, life, &track_tid))
		return -ENOMEM;
	if (number_of_process(c, open, life, track_tid, &track_pid))
		return -ENOMEM;
	open->pid = track_pid;
	open->tid = track_tid;
	open->life_pid = pid;
	open->life_tid = life->tid;
	return 0;
}

/* Threads that are only known to exist are left out, as by the analyses: so it is of those that do something later. */
static void put_unknown_beginning(struct chrome *c, struct chrome_open_call *open,
				  const struct lkst_thread_slice *s)
{
	if (open->from_ns)
		put_slice(c, open->pid, open->tid, open->from_ns, s->from_ns,
			  lkst_run_names[LKST_RUN_UNKNOWN]);
	open->from_ns = 0;
}

/* "running", "blocked: io"; of one that was woken, by whom. */
static void chrome_put_state(struct chrome *c, s32 pid, s32 tid, const struct lkst_thread_slice *s)
{
	const struct lkst_thread_life *waker = NULL;
	char text[WHO_TEXT], *p = chrome_put_event(c, 'X', pid, tid, s->from_ns);

	p = chrome_put_time(lkst_put_str(p, ",\"dur\":"), s->to_ns - s->from_ns);
	p = lkst_put_str(lkst_put_str(p, ",\"name\":\""), lkst_run_names[s->run]);
	if (s->run == LKST_RUN_BLOCKED)
		p = lkst_put_str(lkst_put_str(p, ": "), lkst_cause_names[s->cause]);
	p = lkst_put_str(p, "\"");
	if (s->waker && s->waker->context == LKST_CONTEXT_THREAD &&
	    s->waker->life != LKST_LIFE_NONE)
		waker = lkst_model_life(c->pass.model, s->waker->life);
	if (waker) {
		chrome_who(waker, text);
		p = lkst_out_json(c->x->out, lkst_put_str(p, ",\"args\":{\"waker\":"), text,
				  strlen(text));
		p = lkst_put_str(p, "}");
	}
	end_event(c, p);
}

static int chrome_on_slice(void *ctx, const struct lkst_thread_slice *s)
{
	struct chrome *c = ctx;
	struct chrome_open_call *open = lkst_vec_reach(c->calls, c->nr_calls, s->life->nr);

	if (!open)
		return -ENOMEM;
	if (!lkst_export_wants(c->x, c->pass.model, s->life))
		return 0;
	if (lkst_thread_life_is_shared(s->life)) {
		if (s->run != LKST_RUN_DEAD && s->run != LKST_RUN_UNKNOWN)
			chrome_put_state(c, chrome_pid_of(s->life), s->life->tid, s);
		return 0;
	}
	if (choose_track(c, open, s->life))
		return -ENOMEM;
	if (open->is_open && (!s->in_call || s->call_ns != open->call_ns))
		chrome_end_call(c, open, NULL);
	if (s->run == LKST_RUN_DEAD)
		return 0;
	if (s->run == LKST_RUN_UNKNOWN && !open->has_events) {
		open->from_ns = open->from_ns ?: s->from_ns;
		return 0;
	}
	put_unknown_beginning(c, open, s);
	if (s->in_call && !open->is_open)
		chrome_begin_call(c, open, s);
	chrome_put_state(c, open->pid, open->tid, s);
	open->has_events = true;
	open->end_ns = s->to_ns;
	if (s->ends_call)
		chrome_end_call(c, open, &s->ret);
	return 0;
}

static int chrome_on_return(void *ctx, const struct lkst_thread_slice *s)
{
	struct chrome *c = ctx;
	struct chrome_open_call *open = lkst_vec_reach(c->calls, c->nr_calls, s->life->nr);

	if (!open)
		return -ENOMEM;
	if (open->is_open && open->call_ns == s->call_ns && open->end_ns == s->to_ns)
		chrome_end_call(c, open, &s->ret);
	return 0;
}

/* Ends the calls that go on, and names the threads and their processes. */
static int finish_threads(struct chrome *c)
{
	_cleanup_(lkst_process_names_fini) struct lkst_process_names names = {};
	u32 i;

	if (lkst_process_names_find(&names, c->pass.model))
		return -ENOMEM;
	for (i = 0; i < c->nr_calls; i++) {
		struct chrome_open_call *open = &c->calls[i];
		const struct lkst_thread_life *life = lkst_model_life(c->pass.model, i);
		const char *process;

		if (!open->has_events)
			continue;
		if (open->is_open)
			chrome_end_call(c, open, NULL);
		process = lkst_process_name(&names, c->pass.model, life);
		put_track(c, "process_name", open->pid, open->tid, process, strnlen(process, 16));
		put_track(c, "thread_name", open->pid, open->tid, life->comm,
			  strnlen(life->comm, 16));
	}
	return 0;
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

static s32 cpu_track(u32 cpu)
{
	return TID_CPUS + 2 * (s32)cpu;
}

/* What was not known of the CPU up to @to_ns. */
static int chrome_fill_up(struct chrome *c, u32 cpu, u64 to_ns)
{
	u64 *end_ns = lkst_vec_reach(c->cpu_ends, c->nr_cpus, cpu);

	if (!end_ns)
		return -ENOMEM;
	if (!*end_ns)
		*end_ns = lkst_model_begin(c->pass.model);
	if (*end_ns < to_ns)
		put_slice(c, PID_CPUS, cpu_track(cpu), *end_ns, to_ns, "unknown");
	return 0;
}

static int chrome_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct chrome *c = ctx;
	char text[WHO_TEXT];

	if (chrome_fill_up(c, i->cpu, i->from_ns))
		return -ENOMEM;
	if (!i->life)
		put_slice(c, PID_CPUS, cpu_track(i->cpu), i->from_ns, i->to_ns, "unknown");
	else if (i->life->idle_cpu < 0)
		put_slice(c, PID_CPUS, cpu_track(i->cpu), i->from_ns, i->to_ns, chrome_who(i->life, text));
	c->cpu_ends[i->cpu] = i->to_ns;
	return 0;
}

static int chrome_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_lane_name name = { .context = f->context,
				       .number = f->number,
				       .code = f->code };
	struct chrome *c = ctx;

	if (f->is_cut || f->has_no_begin || f->to_ns <= f->from_ns)
		return 0;
	lkst_lane_name_fill(&name, &c->pass.labels, c->x->symbols);
	put_slice(c, PID_CPUS, cpu_track(f->cpu) + 1, f->from_ns, f->to_ns, name.text);
	return 0;
}

static void chrome_finish_cpus(struct chrome *c)
{
	char text[32];
	u32 i;

	for (i = 0; i < c->nr_cpus; i++) {
		if (!c->cpu_ends[i])
			continue;
		snprintf(text, sizeof(text), "CPU %u", i);
		put_track(c, "thread_name", PID_CPUS, cpu_track(i), text, strlen(text));
		snprintf(text, sizeof(text), "CPU %u interrupts", i);
		put_track(c, "thread_name", PID_CPUS, cpu_track(i) + 1, text, strlen(text));
	}
}

/* ---- disks ----------------------------------------------------------------------------------- */

/* The time of a request that was sent before begins with the first time, as of the analysis biotime. */
static int chrome_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *b = record;
	u64 packed = lkst_request_pack(b->dev, b->flags, b->bytes);
	struct chrome *c = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&c->requests, b->rq);
	bool is_again = entry && lkst_request_is_requeued(entry->value);
	int put = b->rq != LKST_HASH_NONE ? lkst_pending_put(&c->requests, b->rq, &entry) : 0;

	if (put <= 0)
		return put;
	entry->value = packed;
	entry->buffer = (u16)r->buffer;
	if (!is_again)
		entry->start_ns = r->ns;
	return 0;
}

static int chrome_on_requeue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_requeue *b = record;
	struct chrome *c = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&c->requests, b->rq);

	if (entry)
		entry->value = lkst_request_requeue(entry->value);
	return 0;
}

static int chrome_on_merge(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_merge *b = record;
	struct chrome *c = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&c->requests, b->rq);

	if (entry)
		lkst_pending_remove(&c->requests, entry);
	return 0;
}

/* One end of a request. */
static void chrome_put_request(struct chrome *c, char phase, const char *name, u64 ns)
{
	char *p = chrome_put_event(c, phase, PID_DISKS, PID_DISKS, ns);

	p = lkst_put_u64(lkst_put_str(p, ",\"cat\":\"disk\",\"id\":"), c->nr_requests);
	end_event(c, chrome_put_name(c, p, name, strlen(name)));
}

/* Whether records of @index may be missing in that time: what ends then may be another one than what began. */
static bool chrome_is_left_out(const struct chrome *c, enum lkst_event_index index, u64 from_ns, u64 to_ns)
{
	const u32 id = lkst_feed_id(c->pass.feed, index);

	return id && lkst_limited_crosses(c->x->limited, id, from_ns, to_ns);
}

static int chrome_on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *b = record;
	struct chrome *c = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&c->requests, b->rq);
	char name[LKST_KEY_TEXT];

	if (!entry || !lkst_request_complete(&entry->value, b->bytes))
		return 0;
	if (!lkst_gap_test_crosses(c->gap_test, LKST_GAP_TEST_ANY, entry->buffer, entry->start_ns,
				   r->ns) &&
	    !chrome_is_left_out(c, LKST_EV_block_rq_issue, entry->start_ns, r->ns) &&
	    !chrome_is_left_out(c, LKST_EV_block_rq_complete, entry->start_ns, r->ns)) {
		lkst_name_request(&c->pass.labels, lkst_request_key(entry->value), name);
		c->nr_requests++;
		chrome_put_request(c, 'b', name, entry->start_ns);
		chrome_put_request(c, 'e', name, r->ns);
	}
	lkst_pending_remove(&c->requests, entry);
	return 0;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static const struct lkst_model_calls calls = { .cpu = chrome_on_cpu, .frame = chrome_on_frame };

static int chrome_subscribe(struct lkst_err *e, struct chrome *c)
{
	static const struct {
		enum lkst_event_index index;
		lkst_feed_call *call;
	} rows[] = {
		{ LKST_EV_block_rq_issue, chrome_on_issue },
		{ LKST_EV_block_rq_requeue, chrome_on_requeue },
		{ LKST_EV_block_rq_merge, chrome_on_merge },
		{ LKST_EV_block_rq_complete, chrome_on_complete },
	};
	int err = lkst_gap_test_new(e, c->pass.feed, &c->gap_test);
	size_t i;

	if (err)
		return err;
	err = lkst_model_subscribe(c->pass.model, &calls, c);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && err >= 0; i++)
		err = lkst_feed_event(c->pass.feed, rows[i].index, rows[i].call, c);
	return err < 0 ? lkst_err_sys(e, err, "exporting") : 0;
}

static void put_beginning(struct chrome *c)
{
	const char *name = c->x->request->trace_name ?: "";
	char *p = lkst_out_room(c->x->out);

	p = lkst_put_str(p, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":"
			    "\"CLOCK_MONOTONIC\",\"offset_to_time_of_day_ns\":\"");
	p = lkst_put_u64(p, c->x->catalog->clock_offset_ns);
	p = lkst_out_json(c->x->out, lkst_put_str(p, "\",\"trace\":"), name, strlen(name));
	p = lkst_put_str(p, "},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":");
	p = lkst_put_s64(p, PID_CPUS);
	lkst_out_advance(c->x->out, lkst_put_str(p, ",\"name\":\"process_name\",\"args\":{\"name\":"
						    "\"CPUs\"}}"));
}

/* A time in which a kind was not recorded, as a slice of a track that is called as the kind. */
static int chrome_put_left_out(void *ctx, const struct lkst_limited_time *time)
{
	struct chrome *c = ctx;
	const struct lkst_export *x = c->x;
	const u64 from_ns = time->from_ns > x->begin_ns ? time->from_ns : x->begin_ns;
	const u64 to_ns = time->to_ns < x->end_ns ? time->to_ns : x->end_ns;
	const s32 tid = PID_LIMIT + 1 + (s32)time->nr;
	static const char name[] = "not recorded (the cost limit)";

	put_track(c, "process_name", PID_LIMIT, PID_LIMIT, name, strlen(name));
	put_track(c, "thread_name", PID_LIMIT, tid, time->kind, strlen(time->kind));
	put_slice(c, PID_LIMIT, tid, from_ns, to_ns, "not recorded");
	return 0;
}

static int put_end(struct chrome *c)
{
	int err = finish_threads(c)
			  ?: lkst_limited_each(c->x->limited, c->x->begin_ns, c->x->end_ns, chrome_put_left_out, c);

	chrome_finish_cpus(c);
	if (c->nr_requests)
		put_track(c, "process_name", PID_DISKS, PID_DISKS, "disks", strlen("disks"));
	lkst_out_str(c->x->out, "\n]}\n");
	return err;
}

static int write_chrome(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_thread_slices_freep) struct lkst_thread_slices *slices = NULL;
	struct chrome c = { .x = x, .owners.max = LKST_TID_MAX, .processes.max = LKST_TID_MAX };
	int err;

	err = lkst_model_pass_begin(e, x, &c.pass) ?:
	      lkst_thread_slices_new(e, c.pass.model, chrome_on_slice, chrome_on_return, &c, &slices) ?:
	      chrome_subscribe(e, &c);
	if (!err) {
		put_beginning(&c);
		err = lkst_feed_run(e, c.pass.feed);
	}
	if (!err && put_end(&c))
		err = lkst_err_sys(e, -ENOMEM, "exporting");
	free(c.calls);
	lkst_map_fini(&c.owners);
	lkst_map_fini(&c.processes);
	free(c.cpu_ends);
	lkst_pending_fini(&c.requests);
	lkst_gap_test_free(c.gap_test);
	lkst_model_pass_fini(&c.pass);
	return err;
}

const struct lkst_export_format lkst_export_chrome = {
	.name = "chrome",
	.help = "Chrome's JSON of trace events: CPUs, threads, calls, disks",
	.extension = "json",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_chrome,
};
