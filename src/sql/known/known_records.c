/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of what single records or pairs of them say: page faults, counts, and the trace's own state. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/fault.h"
#include "abi/state.h"
#include "analyze/ledger/ledger.h"
#include "base/vec.h"
#include "print/values.h"
#include "sql/known/known_left_out.h"
#include "sql/known/known_pass.h"
#include "sql/records/groups.h"

static int known_records_subscribe(struct lkst_sql_pass *p, enum lkst_event_index event, lkst_feed_call *call)
{
	int err = lkst_feed_event(p->feed, event, call, p);

	return err < 0 ? err : 0;
}

/* ---- page faults ----------------------------------------------------------------------------- */

static int put_fault(struct lkst_sql_pass *p, const struct lkst_sql_fault *f,
		     const struct lkst_thread_life *life, u64 end_ns)
{
	lkst_sql_row(p, LKST_SQL_faults);
	lkst_sql_int(p, (s64)f->ns);
	lkst_sql_int_but(p, (s64)end_ns, 0);
	lkst_sql_int_but(p, end_ns ? (s64)(end_ns - f->ns) : -1, -1);
	lkst_sql_life(p, life);
	lkst_sql_int(p, f->cpu);
	lkst_sql_int(p, (s64)f->address);
	lkst_sql_int(p, (s64)f->ip);
	lkst_sql_int(p, f->is_kernel);
	lkst_sql_int_but(p, end_ns ? f->is_major : -1, -1);
	return lkst_sql_row_end(p);
}

/* One of the thread that was not seen to end is put as it is. */
static int known_records_begin_fault(struct lkst_sql_pass *p, const struct lkst_record *r,
				     struct lkst_sql_fault f)
{
	const struct lkst_thread_life *life = lkst_model_life_of(p->model, r->tid, r->cpu);
	struct lkst_sql_fault *of = life ? lkst_vec_reach(p->faults, p->nr_faults, life->nr) : NULL;
	int err = 0;

	if (life && !of)
		return -ENOMEM;
	if (!life || !p->has_fault_ends)
		return put_fault(p, &f, life, 0);
	if (of->is_open)
		err = put_fault(p, of, life, 0);
	*of = f;
	of->is_open = true;
	return err;
}

static int known_records_on_user_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_user *x = record;

	return known_records_begin_fault(
		ctx, r,
		(struct lkst_sql_fault){
			.ns = r->ns, .address = x->address, .ip = x->ip, .cpu = r->cpu });
}

static int known_records_on_kernel_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_kernel *x = record;

	return known_records_begin_fault(ctx, r,
					 (struct lkst_sql_fault){ .ns = r->ns,
						    .address = x->address,
						    .ip = x->ip,
						    .cpu = r->cpu,
						    .is_kernel = true });
}

static int known_records_on_fault_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_exit *x = record;
	struct lkst_sql_pass *p = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(p->model, r->tid, r->cpu);
	struct lkst_sql_fault *f = life && life->nr < p->nr_faults ? &p->faults[life->nr] : NULL;

	/* Without a begin it is not a fault of the CPU: the kernel looked into the program's memory. */
	if (!f || !f->is_open)
		return 0;
	f->is_major |= (x->result & LKST_FAULT_MAJOR) != 0;
	if (x->result & LKST_FAULT_RETRY)
		return 0;
	f->is_open = false;
	/* Where some were left out since, it may be another one's end. */
	return put_fault(p, f, life, lkst_sql_left_out_between(p->sql, r->event->id, f->ns, r->ns) ? 0 : r->ns);
}

static int begin_faults(struct lkst_sql_pass *p)
{
	p->has_fault_ends = lkst_feed_has(p->feed, LKST_EV_page_fault_exit);
	return lkst_sql_left_out_find(NULL, p->sql) ?:
	       known_records_subscribe(p, LKST_EV_page_fault_user, known_records_on_user_fault) ?:
	       known_records_subscribe(p, LKST_EV_page_fault_kernel, known_records_on_kernel_fault) ?:
	       known_records_subscribe(p, LKST_EV_page_fault_exit, known_records_on_fault_exit);
}

static int end_faults(struct lkst_sql_pass *p)
{
	u32 i;
	int err = 0;

	for (i = 0; i < p->nr_faults && !err; i++)
		if (p->faults[i].is_open)
			err = put_fault(p, &p->faults[i], lkst_model_life(p->model, i), 0);
	return err;
}

static const struct lkst_sql_known_column faults[] = {
	{ "from_ns", "INTEGER", "when it began" },
	{ "to_ns", "INTEGER", "when it had its memory, where ends are recorded" },
	{ "duration_ns", "INTEGER", "how long that took" },
	{ "tid", "INTEGER", "the thread" },
	{ "pid", "INTEGER", "its process" },
	{ "comm", "TEXT", "its name then" },
	{ "cpu", "INTEGER", "the CPU" },
	{ "address", "INTEGER", "what was accessed" },
	{ "ip", "INTEGER", "the instruction" },
	{ "is_kernel", "INTEGER", "1: the kernel's own access" },
	{ "is_major", "INTEGER", "1: it had to wait for a disk" },
	{},
};

const struct lkst_sql_known lkst_sql_known_faults = {
	.name = "faults",
	.help = "page faults",
	.events = "page_fault_*",
	.columns = faults,
	.needs_model = true,
	.begin = begin_faults,
	.end = end_faults,
};

/* ---- counts ---------------------------------------------------------------------------------- */

static int known_records_put_group(struct lkst_sql_pass *p, const struct lkst_sql_group *group)
{
	lkst_sql_row(p, LKST_SQL_counts);
	lkst_sql_str(p, p->sql->catalog->classes[group->event]->name);
	lkst_sql_int(p, group->cpu);
	lkst_sql_int(p, group->tid);
	lkst_sql_int(p, (s64)group->nr);
	return lkst_sql_row_end(p);
}

static int end_counts(struct lkst_sql_pass *p)
{
	_cleanup_(lkst_sql_groups_freep) struct lkst_sql_groups *groups = NULL;
	struct lkst_sql_wanted all;
	struct lkst_sql_group group;
	u64 nr_gaps; /* the pass has met them, too */
	int err, more = 0;

	lkst_sql_wanted_of(&p->sql->records[0], "", 0, NULL, &all);
	err = lkst_sql_groups_new(p->sql, &all,
				  LKST_SQL_BY_EVENT | LKST_SQL_BY_CPU | LKST_SQL_BY_TID, 0, &groups,
				  &nr_gaps);
	while (!err && (more = lkst_sql_groups_next(groups, &group)) > 0)
		err = known_records_put_group(p, &group);
	return err ? err : more;
}

static const struct lkst_sql_known_column counts[] = {
	{ "event", "TEXT", "the event" },
	{ "cpu", "INTEGER", "the CPU" },
	{ "tid", "INTEGER", "the thread" },
	{ "records", "INTEGER", "how many records of that event, CPU and thread there are" },
	{},
};

const struct lkst_sql_known lkst_sql_known_counts = {
	.name = "counts",
	.help = "how many records each event has by CPU and thread: faster than counting events",
	.events = "*",
	.columns = counts,
	.end = end_counts,
};

/* ---- the state of the machine ---------------------------------------------------------------- */

/* Field @name of @r as a cell: a number, or text. */
static void known_records_put_field(struct lkst_sql_pass *p, const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);
	const char *text;
	u32 length;

	if (!f) {
		lkst_sql_none(p);
		return;
	}
	if (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT) {
		lkst_sql_int(p, (s64)lkst_record_int(r, f));
		return;
	}
	text = (const char *)lkst_record_field(r, (unsigned int)(f - r->event->fields), &length);
	lkst_sql_text(p, text, text ? strnlen(text, length) : 0);
}

static u64 field_int(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static void known_records_put_buffer(struct lkst_sql_pass *p, u64 buffer)
{
	char text[LKST_VALUE_ROOM];

	lkst_sql_text(p, text, (size_t)(lkst_put_buffer(text, buffer) - text));
}

/* ---- incidents ------------------------------------------------------------------------------- */

static int known_records_on_incident(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_sql_pass *p = ctx;
	u64 id = field_int(r, "event");
	const struct lkst_event_class *event =
		id && id <= LKST_ID_MAX ? p->sql->catalog->classes[id] : NULL;

	lkst_sql_row(p, LKST_SQL_incidents);
	known_records_put_field(p, r, "number");
	known_records_put_field(p, r, "at");
	known_records_put_field(p, r, "until");
	known_records_put_field(p, r, "reason");
	known_records_put_field(p, r, "value");
	known_records_put_field(p, r, "trigger");
	lkst_sql_str(p, event ? event->name : NULL);
	known_records_put_field(p, r, "thread");
	known_records_put_buffer(p, field_int(r, "buffer"));
	return lkst_sql_row_end(p);
}

static int begin_incidents(struct lkst_sql_pass *p)
{
	return known_records_subscribe(p, LKST_EV_state_incident, known_records_on_incident);
}

static const struct lkst_sql_known_column incidents[] = {
	{ "number", "INTEGER PRIMARY KEY", "its number" },
	{ "at_ns", "INTEGER", "the moment" },
	{ "until_ns", "INTEGER", "when the buffer was left" },
	{ "reason", "TEXT", "why it is kept" },
	{ "value", "INTEGER", "what the trigger measured" },
	{ "trigger_number", "INTEGER", "what fired; 0: a command" },
	{ "event", "TEXT", "the event that fired it" },
	{ "tid", "INTEGER", "the thread that it was" },
	{ "buffer", "TEXT", "the buffer that holds it" },
	{},
};

const struct lkst_sql_known lkst_sql_known_incidents = {
	.name = "incidents",
	.help = "moments that were kept",
	.columns = incidents,
	.begin = begin_incidents,
};

/* ---- gaps ------------------------------------------------------------------------------------ */

static int known_records_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_sql_pass *p = ctx;

	lkst_sql_row(p, LKST_SQL_gaps);
	lkst_sql_int(p, (s64)gap->from_ns);
	lkst_sql_int(p, (s64)gap->to_ns);
	lkst_sql_int(p, (s64)(gap->to_ns - gap->from_ns));
	lkst_sql_int(p, gap->cpu);
	known_records_put_buffer(p, gap->buffer);
	lkst_sql_int_but(p, (s64)gap->events, 0);
	lkst_sql_int_but(p, (s64)gap->blocks, 0);
	lkst_sql_int(p, gap->is_pause);
	lkst_sql_str(p, gap->why);
	return lkst_sql_row_end(p);
}

static int begin_gaps(struct lkst_sql_pass *p)
{
	int err = lkst_feed_gaps(p->feed, known_records_on_gap, p);

	return err < 0 ? err : 0;
}

static const struct lkst_sql_known_column gaps[] = {
	{ "from_ns", "INTEGER", "when it began" },
	{ "to_ns", "INTEGER", "when it ended" },
	{ "duration_ns", "INTEGER", "how long it was" },
	{ "cpu", "INTEGER", "the CPU" },
	{ "buffer", "TEXT", "the buffer" },
	{ "events", "INTEGER", "how many records are missing, if that is known" },
	{ "blocks", "INTEGER", "how many blocks are missing, if that is known" },
	{ "is_pause", "INTEGER", "1: nothing was to be recorded, so nothing is missing" },
	{ "why", "TEXT", "the reason" },
	{},
};

const struct lkst_sql_known lkst_sql_known_gaps = {
	.name = "gaps",
	.help = "where records are missing",
	.columns = gaps,
	.begin = begin_gaps,
};

/* ---- losses ---------------------------------------------------------------------------------- */

/* Cells kind, what, cpu, buffer and count; those that @r does not have are none. */
static int known_records_put_loss(struct lkst_sql_pass *p, const struct lkst_record *r, const char *kind,
				  const char *what, const char *count)
{
	lkst_sql_row(p, LKST_SQL_losses);
	lkst_sql_str(p, kind);
	known_records_put_field(p, r, what);
	known_records_put_field(p, r, "loss_cpu");
	if (lkst_class_field(r->event, "buffer"))
		known_records_put_buffer(p, field_int(r, "buffer"));
	else
		lkst_sql_none(p);
	known_records_put_field(p, r, count);
	return lkst_sql_row_end(p);
}

static int known_records_on_loss(void *ctx, const struct lkst_record *r, const void *record)
{
	u64 cause = field_int(r, "cause");

	return known_records_put_loss(ctx, r, cause < LKST_LOSS_NR ? lkst_loss_names[cause] : "unknown", "",
				      "count");
}

static int on_overwritten(void *ctx, const struct lkst_record *r, const void *record)
{
	return known_records_put_loss(ctx, r, "overwritten blocks", "", "blocks");
}

static int on_torn(void *ctx, const struct lkst_record *r, const void *record)
{
	return known_records_put_loss(ctx, r, "torn records", "", "records");
}

static int known_records_on_shed(void *ctx, const struct lkst_record *r, const void *record)
{
	return known_records_put_loss(ctx, r, "left out, ns", "kind", "left_out");
}

static int known_records_on_skipped(void *ctx, const struct lkst_record *r, const void *record)
{
	return known_records_put_loss(ctx, r, "skipped runs", "hook", "count");
}

/* What is missing of the marks of a user's program, or of several. */
static int on_marks(void *ctx, const struct lkst_record *r, const void *record)
{
	static const struct {
		const char *field, *kind;
	} rows[] = { { "overwritten", "overwritten blocks of marks" },
		     { "unrecorded", "marks without room" },
		     { "refused", "refused marks" },
		     { "left_out", "left out blocks of marks" },
		     { "unlooked", "threads whose marks were not looked at" } };
	const u32 uid = (u32)field_int(r, "uid");
	struct lkst_sql_pass *p = ctx;
	char what[LKST_LEDGER_USER];
	size_t i;
	int err = 0;

	lkst_ledger_user_name(uid, what);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && !err; i++) {
		if (!lkst_class_field(r->event, rows[i].field) || !field_int(r, rows[i].field))
			continue;
		lkst_sql_row(p, LKST_SQL_losses);
		lkst_sql_str(p, rows[i].kind);
		lkst_sql_str(p, what);
		lkst_sql_none(p);
		lkst_sql_none(p);
		known_records_put_field(p, r, rows[i].field);
		err = lkst_sql_row_end(p);
	}
	return err;
}

static int begin_losses(struct lkst_sql_pass *p)
{
	return known_records_subscribe(p, LKST_EV_state_loss, known_records_on_loss) ?:
	       known_records_subscribe(p, LKST_EV_state_overwritten, on_overwritten) ?:
	       known_records_subscribe(p, LKST_EV_state_torn, on_torn) ?:
	       known_records_subscribe(p, LKST_EV_state_shed, known_records_on_shed) ?:
	       known_records_subscribe(p, LKST_EV_state_skipped, known_records_on_skipped) ?:
	       known_records_subscribe(p, LKST_EV_state_marks, on_marks);
}

static const struct lkst_sql_known_column losses[] = {
	{ "kind", "TEXT",
	  "the ledger's reason, or overwritten blocks, torn records, left out, skipped runs, and so of marks" },
	{ "what", "TEXT", "of what was left out or skipped, which; of marks, whose" },
	{ "cpu", "INTEGER", "the CPU" },
	{ "buffer", "TEXT", "the buffer" },
	{ "count", "INTEGER", "how many; of what was left out for its cost, ns" },
	{},
};

const struct lkst_sql_known lkst_sql_known_losses = {
	.name = "losses",
	.help = "the ledger: what was lost, by cause",
	.columns = losses,
	.begin = begin_losses,
};

/* ---- symbols --------------------------------------------------------------------------------- */

static int on_symbol(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_sql_pass *p = ctx;

	lkst_sql_row(p, LKST_SQL_symbols);
	known_records_put_field(p, r, "address");
	known_records_put_field(p, r, "bytes");
	known_records_put_field(p, r, "name");
	return lkst_sql_row_end(p);
}

static int begin_symbols(struct lkst_sql_pass *p)
{
	return known_records_subscribe(p, LKST_EV_state_symbol, on_symbol);
}

static const struct lkst_sql_known_column symbols[] = {
	{ "address", "INTEGER PRIMARY KEY", "where it begins" },
	{ "bytes", "INTEGER", "how long it is" },
	{ "name", "TEXT", "its name; that of its module follows in brackets" },
	{},
};

const struct lkst_sql_known lkst_sql_known_symbols = {
	.name = "symbols",
	.help = "the kernel's names for addresses in the trace",
	.columns = symbols,
	.begin = begin_symbols,
};
