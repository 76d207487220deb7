/* SPDX-License-Identifier: GPL-2.0-only */
/* What all views print with: steps by kind of event, and the fields they print. */
#include "print/record_printer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- threads as text, remembered ------------------------------------------------------------- */

_Static_assert(LKST_COLUMN_MAX >= 11 + 1 + 4 * LKST_COMM_SIZE + 1 + 1, "a column fits");

static void name_cells_fill(struct lkst_name_cell *name, s32 tid, bool has_comm, const char *comm)
{
	size_t length = strnlen(comm, LKST_COMM_SIZE), i;
	char digits[16], *p = name->column;

	name->is_set = true;
	name->tid = tid;
	name->has_comm = has_comm;
	memcpy(name->comm, comm, LKST_COMM_SIZE);
	for (i = (size_t)(lkst_put_s64(digits, tid) - digits); i < LKST_TID_WIDTH; i++)
		*p++ = ' ';
	name->start = (u8)(p - name->column);
	p = lkst_put_s64(p, tid);
	*p++ = '/';
	name->name = (u8)(p - name->column);
	p = has_comm ? lkst_put_escaped(p, comm, length, "") : lkst_put_str(p, "?");
	name->end = (u8)(p - name->column);
	for (i = name->end - name->name; i < LKST_COMM_SIZE - 1; i++)
		*p++ = ' ';
	*p++ = ' ';
	name->length = (u8)(p - name->column);
}

static const struct lkst_name_cell *name_cells_cell_of(struct lkst_names *names, s32 tid, bool has_comm,
						       const char *comm)
{
	struct lkst_name_cell *name = &names->slots[(u32)tid & (LKST_NAMES_SLOTS - 1)];

	if (!name->is_set || name->tid != tid || name->has_comm != has_comm ||
	    memcmp(name->comm, comm, LKST_COMM_SIZE))
		name_cells_fill(name, tid, has_comm, comm);
	return name;
}

const struct lkst_name_cell *lkst_names_get(struct lkst_names *names, s32 tid)
{
	static const char idle[LKST_COMM_SIZE] = "swapper", unknown[LKST_COMM_SIZE];
	const struct lkst_thread *thread = lkst_threads_find(names->threads, tid);

	return name_cells_cell_of(names, tid, thread ? thread->has_comm : !tid,
				  thread ? thread->comm : tid ? unknown : idle);
}

const struct lkst_name_cell *lkst_names_at(struct lkst_names *names, s32 tid, u64 ns)
{
	char comm[LKST_COMM_SIZE] = "";
	bool has_comm;

	if (!tid)
		return lkst_names_get(names, tid);
	has_comm = lkst_threads_name_at(names->threads, tid, ns, comm);
	return name_cells_cell_of(names, tid, has_comm, comm);
}

/* ---- steps by kind of event ------------------------------------------------------------------ */

struct lkst_record_printer *lkst_record_printer_new(const struct lkst_view_config *config,
						    void (*build)(struct lkst_steps *steps))
{
	struct lkst_record_printer *printer = calloc(1, sizeof(*printer));

	if (!printer)
		return NULL;
	printer->out = config->out;
	printer->threads = config->threads;
	printer->addresses = (struct lkst_address_names){ config->symbols, config->code, config->threads };
	printer->has_cgroups = config->has_cgroups;
	printer->descriptors = config->descriptors;
	printer->host = config->host;
	printer->host_width = config->host_width;
	printer->is_bare = config->is_bare;
	printer->names.threads = config->threads;
	printer->unread = "(fault)";
	printer->build = build;
	if (config->time == LKST_VIEW_DAY)
		lkst_time_text_init(&printer->time, LKST_TIME_DAY,
				    config->catalog->clock_offset_ns);
	else
		lkst_time_text_init(&printer->time, LKST_TIME_SECONDS,
				    config->time == LKST_VIEW_REL ? 0 - config->begin_ns : 0);
	return printer;
}

void lkst_record_printer_free(struct lkst_record_printer *printer)
{
	unsigned int i;

	if (!printer)
		return;
	for (i = 0; i <= LKST_ID_MAX; i++)
		free(printer->by_id[i]);
	free(printer);
}

struct lkst_steps *lkst_record_printer_build(struct lkst_record_printer *printer,
					     const struct lkst_event_class *event)
{
	size_t nr = (size_t)event->nr_fields + LKST_STEPS_EXTRA;
	struct lkst_steps *steps = calloc(1, sizeof(*steps) + nr * sizeof(*steps->steps));

	if (!steps)
		return NULL;
	steps->event = event;
	printer->build(steps);
	printer->by_id[event->id] = steps;
	return steps;
}

char *lkst_record_printer_run(struct lkst_record_printer *printer, char *p,
			      const struct lkst_record *r, const struct lkst_steps *steps)
{
	const struct lkst_step *step = steps->steps, *end = step + steps->nr;

	for (; step < end; step++) {
		p = lkst_out_more(printer->out, p);
		p = lkst_put_mem(p, step->label, step->label_length);
		p = step->put(printer, p, r, step);
	}
	p = lkst_out_more(printer->out, p);
	return lkst_put_mem(p, steps->tail, steps->tail_length);
}

/* A probe notes which of its fields it could not read; they are empty, and that is not what was there. */
static char *put_if_read(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			 const struct lkst_step *step)
{
	if (!(lkst_field_int(r, (unsigned int)step->faults) & step->fault))
		return step->known(printer, p, r, step);
	/* A step without a label prints those of its elements: there are none. */
	return step->label_length ? lkst_put_str(p, printer->unread) : p;
}

static void watch_faults(const struct lkst_event_class *event, struct lkst_step *step)
{
	unsigned int faults;
	u32 fault = lkst_field_fault(event, step->index, &faults);

	if (!fault)
		return;
	step->fault = fault;
	step->faults = (s16)faults;
	step->known = step->put;
	step->put = put_if_read;
}

struct lkst_step *lkst_steps_add(struct lkst_steps *steps, lkst_step_fn *put, int index,
				 const char *label, ...)
{
	struct lkst_step *step = &steps->steps[steps->nr++];
	va_list args;

	assert(steps->nr <= steps->event->nr_fields + LKST_STEPS_EXTRA);
	step->put = put;
	step->other = -1;
	if (index >= 0) {
		step->index = (u16)index;
		step->field = &steps->event->fields[index];
		step->format = lkst_value_format(step->field);
		if (steps->event->group == LKST_GROUP_PROBE)
			watch_faults(steps->event, step);
	}
	va_start(args, label);
	vsnprintf(step->label, sizeof(step->label), label, args);
	va_end(args);
	step->label_length = (u16)strlen(step->label);
	return step;
}

void lkst_steps_head(struct lkst_steps *steps, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(steps->head, sizeof(steps->head), format, args);
	va_end(args);
	steps->head_length = (u16)strlen(steps->head);
}

void lkst_steps_tail(struct lkst_steps *steps, const char *tail)
{
	assert(strlen(tail) < sizeof(steps->tail));
	strcpy(steps->tail, tail);
	steps->tail_length = (u16)strlen(tail);
}
