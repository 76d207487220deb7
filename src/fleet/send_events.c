/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as rows of event_rows, block by block. */
#include "fleet/send_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "export/export_format.h"
#include "fleet/packed_rows.h"
#include "fleet/schema.h"
#include "print/field.h"
#include "print/values.h"

enum {
	BLOCK_ROWS = 65536,
	BLOCK_BYTES = 8 << 20, /* packed; rows may be long */
};

/* Which fields of a record go together. */
enum kind { INTS, TEXTS, NOT_SENT };

/* What becomes of a field; looking that up by name for each record would take most of the time. */
struct send_events_field_plan {
	enum kind kind;
	u32 fault; /* lkst_field_fault() */
	unsigned int faults;
};

/* The records of a CPU and buffer at one time. */
struct send_events_moment {
	u64 key, ns;
	u32 nr; /* so many came */
};

struct events {
	struct lkst_fleet *f;
	struct lkst_export *x;
	struct lkst_fleet_sent *sent;
	struct lkst_packed_rows *rows;
	char *statement;
	u32 nr; /* rows of the block */
	struct lkst_hash moments;
	struct send_events_field_plan *plans[LKST_ID_MAX + 1]; /* by event; NULL: none has come */
	struct lkst_err *e;
	char *numbers; /* an array as text */
	size_t numbers_room;
};

static const char columns_sent[] =
	"trace, boot, host, time, time_ns, cpu, buffer, n, tid, pid, comm, event, "
	"`int.name`, `int.value`, `text.name`, `text.value`";

static void events_fini(struct events *v)
{
	if (v->rows)
		lkst_packed_rows_fini(v->rows);
	free(v->rows);
	for (size_t i = 0; i <= LKST_ID_MAX; i++)
		free(v->plans[i]);
	free(v->statement);
	free(v->numbers);
	lkst_hash_fini(&v->moments);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int send_block(struct events *v)
{
	int err;

	if (!v->nr)
		return 0;
	err = lkst_packed_rows_end(v->rows);
	if (err)
		return lkst_err_sys(v->e, err, "packing records");
	err = lkst_fleet_insert(v->e, v->f, v->statement, v->rows->bytes, v->rows->length);
	if (err)
		return err;
	v->sent->rows += v->nr;
	v->sent->bytes += v->rows->length;
	v->nr = 0;
	lkst_packed_rows_again(v->rows);
	return 0;
}

/*
 * Which of the records at its place and time @r is, in *@ret_n: those that are left out count, too. State is of no
 * moment: its records are counted from the first.
 */
static int send_events_count(struct events *v, const struct lkst_record *r, u32 *ret_n)
{
	u64 key = (u64)r->cpu << 32 | r->buffer;
	struct send_events_moment *m;

	if (lkst_hash_reserve(&v->moments, sizeof(*m)))
		return -ENOMEM;
	m = lkst_hash_find(&v->moments, key, sizeof(*m));
	if (!m)
		m = lkst_hash_add(&v->moments, key, sizeof(*m));
	if (m->ns != r->ns && r->buffer != LKST_BUFFER_STATE)
		m->nr = 0;
	m->ns = r->ns;
	*ret_n = m->nr++;
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void send_events_put_str(struct lkst_packed_rows *rows, const char *text)
{
	lkst_packed_text(rows, text, strlen(text));
}

/* As `events` of lkst sql has them: what is not known is null. */
static void send_events_put_thread(struct events *v, const struct lkst_record *r)
{
	const struct lkst_thread *t = lkst_threads_find(v->x->threads, r->tid);
	const char *comm = t ? t->comm : r->tid ? "" : "swapper";
	bool has_pid = (t && t->pid) || !r->tid;

	lkst_packed_int(v->rows, !has_pid, 1);
	if (has_pid)
		lkst_packed_int(v->rows, t ? (u32)t->pid : 0, 4);
	lkst_packed_int(v->rows, !comm[0], 1);
	if (comm[0])
		lkst_packed_text(v->rows, comm, strnlen(comm, sizeof(t->comm)));
}

static void send_events_put_common(struct events *v, const struct lkst_record *r, u32 n)
{
	const struct lkst_catalog *c = v->x->catalog;
	char buffer[LKST_VALUE_ROOM];

	lkst_packed_uuid(v->rows, c->uuid);
	lkst_packed_uuid(v->rows, c->boot_id);
	send_events_put_str(v->rows, c->hostname);
	lkst_packed_int(v->rows, r->ns + c->clock_offset_ns, 8);
	lkst_packed_int(v->rows, r->ns, 8);
	lkst_packed_int(v->rows, r->cpu, 4);
	lkst_packed_text(v->rows, buffer, (size_t)(lkst_put_buffer(buffer, r->buffer) - buffer));
	lkst_packed_int(v->rows, n, 4);
	lkst_packed_int(v->rows, (u32)r->tid, 4);
	send_events_put_thread(v, r);
	send_events_put_str(v->rows, r->event->name);
}

/* The plan of the event's fields, made when it comes first; NULL: no memory. */
static const struct send_events_field_plan *send_events_plan_of(struct events *v, const struct lkst_event_class *event)
{
	struct send_events_field_plan *plan = v->plans[event->id];
	unsigned int i;

	if (plan)
		return plan;
	plan = calloc(event->nr_fields + 1u, sizeof(*plan));
	for (i = 0; plan && i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];

		plan[i].kind = f->meaning == LKST_MEANING_PAD ? NOT_SENT
			       : lkst_field_is_int(f)	      ? INTS
							      : TEXTS;
		plan[i].fault = lkst_field_fault(event, i, &plan[i].faults);
	}
	v->plans[event->id] = plan;
	return plan;
}

/* Whether a field is of @kind, and could be read. */
static bool send_events_is_of(const struct lkst_record *r, const struct send_events_field_plan *field, enum kind kind)
{
	return field->kind == kind &&
	       !(field->fault && lkst_field_int(r, field->faults) & field->fault);
}

/* Several numbers as text, "[1,2]". */
static void send_events_put_numbers(struct events *v, const struct lkst_record *r, unsigned int i)
{
	size_t room = lkst_field_numbers_room(r, i);

	if (room > v->numbers_room) {
		free(v->numbers);
		v->numbers = malloc(room);
		v->numbers_room = v->numbers ? room : 0;
	}
	if (v->numbers)
		lkst_packed_text(v->rows, v->numbers,
				 (size_t)(lkst_field_put_numbers(v->numbers, r, i) - v->numbers));
	else
		v->rows->error = -ENOMEM;
}

static void send_events_put_text(struct events *v, const struct lkst_record *r, unsigned int i)
{
	const struct lkst_field_class *f = &r->event->fields[i];
	const void *bytes;
	u32 length;

	if (lkst_field_is_text(f))
		bytes = lkst_field_text(r, i, &length);
	else if (f->type == LKST_CLASS_BYTES)
		bytes = lkst_record_field(r, i, &length);
	else
		return send_events_put_numbers(v, r, i);
	lkst_packed_text(v->rows, bytes ?: "", length);
}

/* Two arrays: the names of the fields of @kind, and their values. */
static void put_fields(struct events *v, const struct lkst_record *r, enum kind kind)
{
	const struct send_events_field_plan *plan = v->plans[r->event->id];
	unsigned int i, nr = 0;

	for (i = 0; i < r->event->nr_fields; i++)
		nr += send_events_is_of(r, &plan[i], kind);
	lkst_packed_count(v->rows, nr);
	for (i = 0; i < r->event->nr_fields; i++)
		if (send_events_is_of(r, &plan[i], kind))
			send_events_put_str(v->rows, r->event->fields[i].name);
	lkst_packed_count(v->rows, nr);
	for (i = 0; i < r->event->nr_fields; i++) {
		if (!send_events_is_of(r, &plan[i], kind))
			continue;
		if (kind == INTS)
			lkst_packed_int(v->rows, lkst_field_int(r, i), 8);
		else
			send_events_put_text(v, r, i);
	}
}

static int send_events_put_record(void *ctx, const struct lkst_record *r)
{
	struct events *v = ctx;
	u32 n;
	int err = send_events_count(v, r, &n);

	if (err || !send_events_plan_of(v, r->event))
		return err ?: -ENOMEM;
	send_events_put_common(v, r, n);
	put_fields(v, r, INTS);
	put_fields(v, r, TEXTS);
	if (v->rows->error)
		return v->rows->error;
	v->nr++;
	return v->nr == BLOCK_ROWS || v->rows->length > BLOCK_BYTES ? send_block(v) : 0;
}

static void send_events_leave_out(void *ctx, const struct lkst_record *r)
{
	struct events *v = ctx;
	u32 n;

	if (send_events_count(v, r, &n))
		v->rows->error = -ENOMEM;
}

static int send_events_send_all(struct lkst_err *e, struct lkst_export *x)
{
	static const struct lkst_export_calls calls = { .record = send_events_put_record,
							.left_out = send_events_leave_out };
	struct events *v = x->ctx;

	v->x = x;
	v->e = e;
	return lkst_export_each(e, x, &calls, v) ?: v->rows->error ?: send_block(v);
}

int lkst_fleet_send_events(struct lkst_err *e, struct lkst_fleet *f,
			   const struct lkst_export_request *request,
			   struct lkst_fleet_sent *ret_sent)
{
	static const struct lkst_export_format format = { .name = "clickhouse",
							  .filters = LKST_EXPORT_BY_ALL,
							  .write = send_events_send_all };
	_cleanup_(events_fini) struct events v = { .f = f, .sent = ret_sent };
	int err = lkst_fleet_check_schema(e, f);

	if (err)
		return err;
	*ret_sent = (struct lkst_fleet_sent){};
	v.rows = calloc(1, sizeof(*v.rows));
	if (!v.rows || lkst_packed_rows_init(v.rows) ||
	    asprintf(&v.statement, "insert into %s.event_rows (%s) format RowBinary",
		     lkst_fleet_database(f), columns_sent) < 0)
		return lkst_err_sys(e, -ENOMEM, "preparing to send records");
	return lkst_export_send(e, request, &format, &v, &ret_sent->result);
}
