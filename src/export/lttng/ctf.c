/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CTF trace with LTTng's names of events and fields, for the tools that know those: Trace Compass' kernel analyses,
 * lttng-analyses. LKST's own traces are CTF, too, and need no export for readers that know no names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/create.h"
#include "base/io.h"
#include "export/export_format.h"
#include "export/lttng/ctf_metadata.h"
#include "export/lttng/ctf_plan.h"
#include "export/lttng/ctf_streams.h"
#include "trace/read/ends.h"

struct ctf_job {
	struct lkst_export *x;
	struct lkst_ctf_context context;
	struct lkst_ctf_plans *plans;
	struct lkst_ctf_streams *streams;
	bool is_beginning; /* what is written begins where the trace does */
	bool has_state;	   /* the threads and devices are written */
};

/* ---- the state at the beginning --------------------------------------------------------------- */

/* lttng-modules, src/lttng-statedump-impl.c. */
enum {
	LTTNG_USER_THREAD = 0,
	LTTNG_KERNEL_THREAD = 1,
	LTTNG_MODE_UNKNOWN = 5,
	LTTNG_NONE = 0,
	LTTNG_UNNAMED = 0, /* what it does is not known */
	LTTNG_WAIT_CPU = 2,
	LTTNG_WAIT = 5,
	TASK_INTERRUPTIBLE = 1, /* include/linux/sched.h */
	TASK_UNINTERRUPTIBLE = 2,
};

/* Where and when the state is written: just before the first record. */
struct ctf_moment {
	u32 cpu;
	u64 ns;
};

static u8 *ctf_begin_state(struct ctf_job *j, struct ctf_moment at, u32 id)
{
	return lkst_ctf_event_begin(j->streams, at.cpu, at.ns, 0, id, 256);
}

static void put_mark(struct ctf_job *j, struct ctf_moment at, u32 id)
{
	u8 *p = ctf_begin_state(j, at, id);

	if (p)
		lkst_ctf_event_end(j->streams, p);
}

/* What the thread does, as far as it is known: only a list of the beginning of the trace says it. */
static u32 status_of(const struct ctf_job *j, s32 tid)
{
	s64 state = j->is_beginning ? lkst_ctf_thread_state(j->context.names, tid) : -1;

	if (!state)
		return LTTNG_WAIT_CPU;
	return state > 0 && state & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE) ? LTTNG_WAIT
										: LTTNG_UNNAMED;
}

static void ctf_put_thread(struct ctf_job *j, struct ctf_moment at, const struct lkst_thread *thread)
{
	u8 *p = ctf_begin_state(j, at, LKST_CTF_ID_PROCESS);

	if (!p)
		return;
	p = lkst_ctf_put_int(p, (u64)(s64)thread->tid, 4);
	p = lkst_ctf_put_int(p, (u64)(s64)(thread->pid ? thread->pid : thread->tid), 4);
	p = lkst_ctf_put_int(p, (u64)(s64)thread->parent_pid, 4);
	p = lkst_ctf_put_comm(j->context.threads, thread->tid, at.cpu, p);
	p = lkst_ctf_put_int(p, thread->is_kernel ? LTTNG_KERNEL_THREAD : LTTNG_USER_THREAD, 4);
	p = lkst_ctf_put_int(p, LTTNG_MODE_UNKNOWN, 4);
	p = lkst_ctf_put_int(p, LTTNG_NONE, 4);
	p = lkst_ctf_put_int(p, status_of(j, thread->tid), 4);
	lkst_ctf_event_end(j->streams, p);
}

static void ctf_put_device(struct ctf_job *j, struct ctf_moment at, u32 id, const struct lkst_ctf_name *device)
{
	size_t length = strlen(device->name) + 1;
	u8 *p = ctf_begin_state(j, at, id);

	if (!p)
		return;
	if (id != LKST_CTF_ID_NETDEV)
		p = lkst_ctf_put_int(p, device->number, 4);
	memcpy(p, device->name, length);
	lkst_ctf_event_end(j->streams, p + length);
}

static void ctf_put_state(struct ctf_job *j, struct ctf_moment at)
{
	static const u32 ids[LKST_CTF_NR_KINDS] = {
		[LKST_CTF_IRQ] = LKST_CTF_ID_INTERRUPT,
		[LKST_CTF_NETDEV] = LKST_CTF_ID_NETDEV,
		[LKST_CTF_DISK] = LKST_CTF_ID_DISK,
	};
	const struct lkst_ctf_names *names = j->context.names;
	u32 i, kind;

	put_mark(j, at, LKST_CTF_ID_STATE_START);
	for (i = 0; i < lkst_threads_nr(j->context.threads); i++) {
		const struct lkst_thread *thread = lkst_threads_at(j->context.threads, i);

		if (thread->tid > 0 && !thread->has_ended)
			ctf_put_thread(j, at, thread);
	}
	for (kind = 0; kind < LKST_CTF_NR_KINDS; kind++)
		for (i = 0; i < names->nr[kind]; i++)
			ctf_put_device(j, at, ids[kind], &names->lists[kind][i]);
	put_mark(j, at, LKST_CTF_ID_STATE_END);
	j->has_state = true;
}

/* ---- records and gaps ------------------------------------------------------------------------- */

static int ctf_put_record(void *ctx, const struct lkst_record *r)
{
	struct ctf_job *j = ctx;
	bool is_state = r->event->group == LKST_GROUP_STATE;
	u8 *p;

	if (!j->has_state && !is_state)
		ctf_put_state(j, (struct ctf_moment){ r->cpu, r->ns });
	/* State has the time at which it was read; events of before may follow. */
	p = lkst_ctf_event_begin(j->streams, r->cpu, is_state ? j->x->begin_ns : r->ns, r->tid,
				 r->event->id, lkst_ctf_room(r));
	if (p)
		lkst_ctf_event_end(j->streams, lkst_ctf_put_fields(j->plans, &j->context, r, p));
	return p ? 0 : lkst_ctf_streams_error(j->streams);
}

/* What a disk is asked for is in the record of one CPU, and its completion in that of another. */
static void look_at_left_out(void *ctx, const struct lkst_record *r)
{
	struct ctf_job *j = ctx;

	lkst_ctf_keep_requests(j->plans, &j->context, r);
}

static int ctf_put_gap(void *ctx, const struct lkst_gap *gap)
{
	struct ctf_job *j = ctx;

	return gap->is_pause ? 0 : lkst_ctf_streams_gap(j->streams, gap);
}

/* ---- the trace -------------------------------------------------------------------------------- */

static int put_metadata(struct lkst_err *e, const struct lkst_access *access, int dir_fd, const char *text,
			size_t length)
{
	_cleanup_close_ int fd = -1;
	int err = lkst_create_file(e, access, dir_fd, "metadata", &fd);

	if (err)
		return err;
	err = lkst_write_all(fd, text, length);
	return err ? lkst_err_sys(e, err, "writing the metadata") : 0;
}

/* The plans for all events, and the metadata that describe what they make. */
static int ctf_describe(struct lkst_err *e, struct ctf_job *j, int dir_fd)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	int err;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "writing the metadata");
	lkst_ctf_describe_trace(f, j->x);
	lkst_ctf_describe_state(f);
	err = lkst_ctf_plans_new(e, j->x->catalog, f, &j->plans);
	if (ferror(f) && !err)
		err = lkst_err_sys(e, -ENOMEM, "writing the metadata");
	if (fclose(f) && !err)
		err = lkst_err_sys(e, -ENOMEM, "writing the metadata");
	return err ? err : put_metadata(e, j->x->request->access, dir_fd, text, length);
}

static void end_streams(struct ctf_job *j)
{
	u64 known_ns;
	u32 cpu;

	for (cpu = 0; cpu < lkst_ctf_streams_nr_cpus(j->streams); cpu++)
		if (lkst_trace_cpu_end(j->x->trace, cpu, &known_ns))
			lkst_ctf_streams_end(j->streams, cpu,
					     known_ns < j->x->to_ns ? known_ns : j->x->to_ns);
}

static int write_all(struct lkst_err *e, struct ctf_job *j, int dir_fd)
{
	static const struct lkst_export_calls calls = { .record = ctf_put_record,
							.left_out = look_at_left_out,
							.gap = ctf_put_gap };
	u8 uuid[16];
	int err = ctf_describe(e, j, dir_fd);

	if (err)
		return err;
	lkst_ctf_uuid(j->x->catalog, uuid);
	j->streams = lkst_ctf_streams_new(j->x->request->access, dir_fd, uuid);
	j->context.requests = lkst_ctf_requests_new();
	if (!j->streams || !j->context.requests)
		return lkst_err_sys(e, -ENOMEM, "writing events");
	err = lkst_export_each(e, j->x, &calls, j);
	if (!err)
		end_streams(j);
	/* An error of the files has its sentence from here. */
	if (!err || err == lkst_ctf_streams_error(j->streams))
		err = lkst_ctf_streams_finish(e, j->streams);
	return err;
}

static int write_lttng(struct lkst_err *e, struct lkst_export *x)
{
	struct lkst_ctf_names names = {};
	struct ctf_job j = { .x = x, .context = { .threads = x->threads, .names = &names } };
	_cleanup_close_ int dir_fd = -1;
	u64 begin_ns, end_ns;
	int err = lkst_ctf_names_load(e, &names, x->trace);

	lkst_trace_range(x->trace, &begin_ns, &end_ns);
	j.is_beginning = x->from_ns <= begin_ns;
	/* lttng-analyses finds the trace by the name of this directory. */
	if (!err)
		err = lkst_create_empty_dir(e, x->request->access, x->dir_fd, "kernel", &dir_fd);
	if (!err)
		err = write_all(e, &j, dir_fd);
	if (err && dir_fd >= 0)
		lkst_remove_dir(x->dir_fd, "kernel");
	lkst_ctf_plans_free(j.plans);
	lkst_ctf_streams_free(j.streams);
	lkst_ctf_requests_free(j.context.requests);
	lkst_ctf_names_fini(&names);
	return err;
}

const struct lkst_export_format lkst_export_lttng = {
	.name = "lttng",
	.help = "CTF with LTTng's names of events and fields: for Trace Compass and lttng-analyses",
	.extension = "lttng",
	.is_directory = true,
	.filters = LKST_EXPORT_BY_ALL,
	.write = write_lttng,
};
