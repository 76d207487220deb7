/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.parquet: a row for each record, with what all records have, and a column for each field, which is null where
 * an event has no such field. Fields of one name share a column, unless they hold different things.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "export/parquet/parquet_file.h"
#include "print/address_names.h"
#include "print/field.h"
#include "print/select.h"
#include "print/values.h"

/* What all records have: the columns of `events` of lkst sql, without its line, and the time of day. */
enum {
	COLUMN_TIME,
	COLUMN_NS,
	COLUMN_CPU,
	COLUMN_TID,
	COLUMN_PID,
	COLUMN_COMM,
	COLUMN_EVENT,
	COLUMN_BUFFER,
	NR_COMMON,
};

static const struct lkst_parquet_column common[NR_COMMON] = {
	[COLUMN_TIME] = { "time", LKST_PARQUET_TIME, true, true },
	[COLUMN_NS] = { "time_ns", LKST_PARQUET_INT64, true, true },
	[COLUMN_CPU] = { "cpu", LKST_PARQUET_INT32, true, false },
	[COLUMN_TID] = { "tid", LKST_PARQUET_INT32, true, false },
	[COLUMN_PID] = { "pid", LKST_PARQUET_INT32, false, false },
	[COLUMN_COMM] = { "comm", LKST_PARQUET_TEXT, false, false },
	[COLUMN_EVENT] = { "event", LKST_PARQUET_TEXT, true, false },
	[COLUMN_BUFFER] = { "buffer", LKST_PARQUET_TEXT, true, false },
};

enum {
	NAME_ROOM = 2 * LKST_NAME_MAX + 24,
	KNOWN_SYMBOLS = 512,
	KNOWN_TEXT = 104,
	KNOWN_THREADS = 256,
};

/* What becomes of a field. */
struct parquet_events_field_plan {
	u16 index, column;
	bool is_symbol; /* the names of the addresses in it */
	bool is_int;
	u32 fault; /* lkst_field_fault() */
	unsigned int faults;
};

/* And of an event's records. */
struct event_plan {
	struct lkst_parquet_place name;
	u16 name_length, nr;
	struct parquet_events_field_plan fields[];
};

/* What a thread was called when it was last asked for. */
struct known_thread {
	const struct lkst_thread *thread;
	char comm[sizeof(((struct lkst_thread *)NULL)->comm)];
	struct lkst_parquet_place place;
};

/* The name of one address in one column, "": it has none. The same few are in millions of records. */
struct known_symbol {
	u64 address;
	struct lkst_parquet_place place;
	bool is_known;
	u16 column, length;
	char text[KNOWN_TEXT];
};

struct lkst_parquet_events {
	struct lkst_export *x;
	bool has_come[LKST_ID_MAX + 1]; /* by id */
	struct event_plan *plans[LKST_ID_MAX + 1];
	struct lkst_parquet_column *columns; /* with names of their own */
	u32 nr_columns;
	struct lkst_parquet_file file;
	u32 buffer;	   /* of the record before, */
	u32 buffer_length; /* and its name; 0: there was none */
	char buffer_name[LKST_VALUE_ROOM];
	struct lkst_parquet_place buffer_place, idle_place;
	struct known_thread threads[KNOWN_THREADS]; /* by tid */
	char *text; /* an array as text */
	size_t text_room;
	struct known_symbol symbols[KNOWN_SYMBOLS]; /* by hash of the address and the column */
};

void lkst_parquet_events_free(struct lkst_parquet_events *v)
{
	unsigned int i;

	if (!v)
		return;
	for (i = 0; i <= LKST_ID_MAX; i++)
		free(v->plans[i]);
	for (i = 0; i < v->nr_columns; i++)
		free((char *)v->columns[i].name);
	free(v->columns);
	free(v->text);
	lkst_parquet_file_fini(&v->file);
	free(v);
}

/* ---- which events there are ------------------------------------------------------------------ */

/* Notes which events the block has in the window. State belongs to no moment, and no window leaves it out. */
static void look_at_block(struct lkst_parquet_events *v, const struct lkst_block *block,
			  bool is_state)
{
	u64 from_ns = is_state ? 0 : v->x->from_ns, to_ns = is_state ? UINT64_MAX : v->x->to_ns;
	struct lkst_block_cursor at;
	struct lkst_record r;

	if (block->end_ns < from_ns || block->begin_ns > to_ns)
		return;
	lkst_block_cursor_init(&at, block);
	while (lkst_block_next(NULL, &at, v->x->catalog, &r) > 0)
		if (r.ns >= from_ns && r.ns <= to_ns)
			v->has_come[r.event->id] = true;
}

/* A catalogue declares all events that could have been recorded: columns are for those that were. */
static int parquet_events_look_at_all(struct lkst_parquet_events *v)
{
	struct lkst_trace *t = v->x->trace;
	unsigned int i, block, id;
	int err = 0;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *stream = lkst_trace_stream(t, i);
		bool is_state = stream->buffer == LKST_BUFFER_STATE;

		for (block = 0; block < stream->nr_blocks && !err; block++) {
			look_at_block(v, lkst_trace_block(t, i, block), is_state);
			err = lkst_export_step(v->x, v->x->begin_ns);
		}
	}
	for (id = 0; id <= LKST_ID_MAX; id++)
		v->has_come[id] &= v->x->catalog->classes[id] &&
				   lkst_select_has_event(v->x->select, v->x->catalog->classes[id]);
	return err;
}

/* ---- columns --------------------------------------------------------------------------------- */

static enum lkst_parquet_type parquet_events_type_of(const struct lkst_field_class *f)
{
	if (f->type == LKST_CLASS_BYTES)
		return LKST_PARQUET_BYTES;
	if (!lkst_field_is_int(f))
		return LKST_PARQUET_TEXT;
	if (f->size == 8)
		return f->type == LKST_CLASS_SINT ? LKST_PARQUET_INT64 : LKST_PARQUET_UINT64;
	return f->type == LKST_CLASS_SINT ? LKST_PARQUET_INT32 : LKST_PARQUET_UINT32;
}

static bool is_int(enum lkst_parquet_type type)
{
	return type >= LKST_PARQUET_INT32 && type <= LKST_PARQUET_UINT64;
}

static bool is_unsigned(enum lkst_parquet_type type)
{
	return type == LKST_PARQUET_UINT32 || type == LKST_PARQUET_UINT64;
}

/*
 * The type that holds what both hold: true, or there is none. Where one is negative and the other has all 64 bits,
 * those with the highest bit set are negative, as lkst sql has them.
 */
static bool join_types(enum lkst_parquet_type a, enum lkst_parquet_type b,
		       enum lkst_parquet_type *ret_type)
{
	if (a != b && (!is_int(a) || !is_int(b)))
		return false;
	if (a == b)
		*ret_type = a;
	else
		*ret_type =
			is_unsigned(a) && is_unsigned(b) ? LKST_PARQUET_UINT64 : LKST_PARQUET_INT64;
	return true;
}

static struct lkst_parquet_column *parquet_events_find_column(struct lkst_parquet_events *v, const char *name)
{
	u32 i;

	for (i = 0; i < v->nr_columns; i++)
		if (!strcmp(v->columns[i].name, name))
			return &v->columns[i];
	return NULL;
}

static int parquet_events_add_column(struct lkst_parquet_events *v, const char *name,
				     struct lkst_parquet_column of)
{
	struct lkst_parquet_column *column = lkst_vec_add(v->columns, v->nr_columns);

	if (!column)
		return -ENOMEM;
	*column = of;
	column->name = strdup(name);
	return column->name ? 0 : -ENOMEM;
}

/* Whether column @c, NULL: one that is not there, can hold values of that type; it does then. */
static bool takes(struct lkst_parquet_events *v, struct lkst_parquet_column *c, enum lkst_parquet_type type)
{
	return !c || (c >= v->columns + NR_COMMON && join_types(c->type, type, &c->type));
}

/* The number of the column for what is called @name and @ending of @event, or -ENOMEM. */
static int column_of(struct lkst_parquet_events *v, const struct lkst_event_class *event, const char *of,
		     const char *ending, enum lkst_parquet_type type)
{
	struct lkst_parquet_column *c;
	char name[NAME_ROOM];
	unsigned int nr;
	int err;

	snprintf(name, sizeof(name), "%s%s", of, ending);
	c = parquet_events_find_column(v, name);
	/* One that all records have, or one that holds something else. */
	if (!takes(v, c, type)) {
		if (c < v->columns + NR_COMMON)
			snprintf(name, sizeof(name), "%s_field%s", of, ending);
		else
			snprintf(name, sizeof(name), "%s_%s%s", of, event->name, ending);
		c = parquet_events_find_column(v, name);
	}
	for (nr = 2; !takes(v, c, type); nr++) {
		snprintf(name, sizeof(name), "%s_%u%s", of, nr, ending);
		c = parquet_events_find_column(v, name);
	}
	if (c)
		return (int)(c - v->columns);
	err = parquet_events_add_column(v, name, (struct lkst_parquet_column){ .type = type });
	return err ? err : (int)v->nr_columns - 1;
}

/* Plans a column of field @i, that of its names or of itself. */
static int plan_column(struct lkst_parquet_events *v, const struct lkst_event_class *event, unsigned int i,
		       bool is_symbol)
{
	const struct lkst_field_class *f = &event->fields[i];
	struct event_plan *plan = v->plans[event->id];
	struct parquet_events_field_plan *field = &plan->fields[plan->nr];
	int column = column_of(v, event, f->name, is_symbol ? "_symbol" : "",
			       is_symbol ? LKST_PARQUET_TEXT : parquet_events_type_of(f));

	if (column < 0)
		return column;
	if (v->nr_columns > LKST_PARQUET_COLUMNS_MAX)
		return -E2BIG;
	*field = (struct parquet_events_field_plan){ .index = (u16)i, .column = (u16)column, .is_symbol = is_symbol };
	field->is_int = !is_symbol && lkst_field_is_int(f);
	field->fault = lkst_field_fault(event, i, &field->faults);
	plan->nr++;
	return 0;
}

static int parquet_events_plan_event(struct lkst_parquet_events *v, const struct lkst_event_class *event)
{
	struct event_plan *plan =
		calloc(1, sizeof(*plan) + 2 * (size_t)event->nr_fields * sizeof(plan->fields[0]));
	unsigned int i;
	int err = 0;

	if (!plan)
		return -ENOMEM;
	v->plans[event->id] = plan;
	plan->name_length = (u16)strlen(event->name);
	for (i = 0; i < event->nr_fields && !err; i++) {
		if (event->fields[i].meaning == LKST_MEANING_PAD)
			continue;
		err = plan_column(v, event, i, false);
		if (!err && lkst_field_has_names(&event->fields[i]))
			err = plan_column(v, event, i, true);
	}
	return err;
}

static int plan_all(struct lkst_err *e, struct lkst_parquet_events *v)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < NR_COMMON && !err; i++)
		err = parquet_events_add_column(v, common[i].name, common[i]);
	for (i = 0; i <= LKST_ID_MAX && !err; i++)
		if (v->has_come[i])
			err = parquet_events_plan_event(v, v->x->catalog->classes[i]);
	if (err == -E2BIG)
		return lkst_err_set(
			e, err,
			"the events have more than %d different fields; export some of them "
			"by --event",
			LKST_PARQUET_COLUMNS_MAX - NR_COMMON);
	return err;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_comm(struct lkst_parquet_events *v, const struct lkst_thread *t)
{
	struct known_thread *known = &v->threads[(u32)t->tid % KNOWN_THREADS];

	if (known->thread != t || memcmp(known->comm, t->comm, sizeof(t->comm))) {
		known->thread = t;
		memcpy(known->comm, t->comm, sizeof(t->comm));
		known->place = (struct lkst_parquet_place){};
	}
	if (t->has_comm)
		lkst_parquet_text_again(v->file.parquet, COLUMN_COMM, t->comm, strnlen(t->comm, sizeof(t->comm)),
					&known->place);
}

static void parquet_events_put_thread(struct lkst_parquet_events *v, const struct lkst_record *r)
{
	static const char idle[] = "swapper";
	const struct lkst_thread *t = lkst_threads_find(v->x->threads, r->tid);

	if ((t && t->pid) || !r->tid)
		lkst_parquet_int(v->file.parquet, COLUMN_PID, t ? t->pid : 0);
	if (t)
		put_comm(v, t);
	else if (!r->tid)
		lkst_parquet_text_again(v->file.parquet, COLUMN_COMM, idle, strlen(idle), &v->idle_place);
}

static void parquet_events_put_buffer(struct lkst_parquet_events *v, u32 buffer)
{
	if (!v->buffer_length || v->buffer != buffer) {
		v->buffer = buffer;
		v->buffer_length = (u32)(lkst_put_buffer(v->buffer_name, buffer) - v->buffer_name);
		v->buffer_place = (struct lkst_parquet_place){};
	}
	lkst_parquet_text_again(v->file.parquet, COLUMN_BUFFER, v->buffer_name, v->buffer_length, &v->buffer_place);
}

static void parquet_events_put_common(struct lkst_parquet_events *v, const struct lkst_record *r,
				      struct event_plan *plan)
{
	struct lkst_parquet *p = v->file.parquet;

	lkst_parquet_int(p, COLUMN_TIME, (s64)(r->ns + v->x->catalog->clock_offset_ns));
	lkst_parquet_int(p, COLUMN_NS, (s64)r->ns);
	lkst_parquet_int(p, COLUMN_CPU, r->cpu);
	lkst_parquet_int(p, COLUMN_TID, r->tid);
	parquet_events_put_thread(v, r);
	lkst_parquet_text_again(p, COLUMN_EVENT, r->event->name, plan->name_length, &plan->name);
	parquet_events_put_buffer(v, r->buffer);
}

/* Makes room for a text of @room bytes. */
static int reach_room(struct lkst_parquet_events *v, size_t room)
{
	if (room <= v->text_room)
		return 0;
	free(v->text);
	v->text = malloc(room);
	v->text_room = v->text ? room : 0;
	return v->text ? 0 : -ENOMEM;
}

/* Several numbers as text, "[1,2]". */
static int parquet_events_put_numbers(struct lkst_parquet_events *v, const struct lkst_record *r,
				      const struct parquet_events_field_plan *field)
{
	char *end;

	if (reach_room(v, lkst_field_numbers_room(r, field->index)))
		return -ENOMEM;
	end = lkst_field_put_numbers(v->text, r, field->index);
	lkst_parquet_text(v->file.parquet, field->column, v->text, (size_t)(end - v->text));
	return 0;
}

/* The name of an address of the kernel. */
static void parquet_events_put_symbol(struct lkst_parquet_events *v, const struct lkst_record *r,
				      const struct parquet_events_field_plan *field)
{
	const struct lkst_address_names names = { .symbols = v->x->symbols };
	const u64 address = lkst_field_int(r, field->index);
	struct known_symbol *known = &v->symbols[lkst_hash_number(address + field->column) % KNOWN_SYMBOLS];
	char text[LKST_ADDRESS_NAME];
	size_t length;

	if (!known->is_known || known->address != address || known->column != field->column) {
		length = (size_t)(lkst_address_name_put(&names, text, r, field->index, 0) - text);
		known->is_known = length <= sizeof(known->text);
		if (!known->is_known) {
			lkst_parquet_text(v->file.parquet, field->column, text, length);
			return;
		}
		known->address = address;
		known->column = field->column;
		known->place = (struct lkst_parquet_place){};
		known->length = (u16)length;
		memcpy(known->text, text, length);
	}
	if (known->length)
		lkst_parquet_text_again(v->file.parquet, field->column, known->text, known->length,
					&known->place);
}

/* The names of addresses, with blanks between; nothing where none is known. */
static int parquet_events_put_symbols(struct lkst_parquet_events *v, const struct lkst_record *r,
				      const struct parquet_events_field_plan *field)
{
	const struct lkst_address_names names = { v->x->symbols, &v->x->code, v->x->threads };
	const struct lkst_field_class *f = &r->event->fields[field->index];
	const char *end;

	if (!lkst_address_names_serve(&names, f))
		return 0;
	if (lkst_field_is_int(f)) {
		parquet_events_put_symbol(v, r, field);
		return 0;
	}
	if (reach_room(v, lkst_address_list_room(r, field->index)))
		return -ENOMEM;
	end = lkst_address_list_put(&names, v->text, r, field->index);
	if (end != v->text)
		lkst_parquet_text(v->file.parquet, field->column, v->text, (size_t)(end - v->text));
	return 0;
}

static int parquet_events_put_field(struct lkst_parquet_events *v, const struct lkst_record *r,
				    const struct parquet_events_field_plan *field)
{
	const struct lkst_field_class *f = &r->event->fields[field->index];
	struct lkst_parquet *p = v->file.parquet;
	const void *bytes;
	u32 length;

	if (field->fault && lkst_field_int(r, field->faults) & field->fault)
		return 0;
	if (field->is_symbol)
		return parquet_events_put_symbols(v, r, field);
	if (field->is_int) {
		lkst_parquet_int(p, field->column, (s64)lkst_field_int(r, field->index));
	} else if (lkst_field_is_text(f)) {
		bytes = lkst_field_text(r, field->index, &length);
		lkst_parquet_text(p, field->column, bytes, length);
	} else if (f->type == LKST_CLASS_BYTES) {
		bytes = lkst_record_field(r, field->index, &length);
		lkst_parquet_text(p, field->column, bytes ?: "", length);
	} else {
		return parquet_events_put_numbers(v, r, field);
	}
	return 0;
}

static int parquet_events_put_record(void *ctx, const struct lkst_record *r)
{
	struct lkst_parquet_events *v = ctx;
	struct event_plan *plan = v->plans[r->event->id];
	unsigned int i;
	int err = 0;

	/* Both passes read the same blocks, unless somebody writes to them. */
	if (!plan)
		return -EBADMSG;
	parquet_events_put_common(v, r, plan);
	for (i = 0; i < plan->nr && !err; i++)
		err = parquet_events_put_field(v, r, &plan->fields[i]);
	return err ? err : lkst_parquet_file_row(v->x, &v->file, r->ns);
}

int lkst_parquet_events_new(struct lkst_err *e, struct lkst_export *x,
			    struct lkst_parquet_events **ret_events)
{
	_cleanup_(lkst_parquet_events_freep) struct lkst_parquet_events *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	v->x = x;
	v->file.fd = -1;
	err = parquet_events_look_at_all(v) ?: plan_all(e, v) ?:
	      lkst_parquet_file_open(e, x, "events", v->columns, v->nr_columns, &v->file);
	if (err)
		return err;
	lkst_parquet_use_thread(v->file.parquet);
	*ret_events = lkst_take(v);
	return 0;
}

int lkst_parquet_events_write(struct lkst_err *e, struct lkst_parquet_events *v)
{
	static const struct lkst_export_calls calls = { .record = parquet_events_put_record };
	int err = lkst_export_each(e, v->x, &calls, v);

	return lkst_parquet_file_end(e, &v->file, "events", err);
}
