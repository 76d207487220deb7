/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The view in the layout that `lkstbuf print -C -S` had, for grep, cut and sort:
 *
 *	"context_switch",00,0001300,1058445341,214325555,"pointer to task struct(prev)",0x0da42800,
 *	0x00000000,"pointer to task struct(next)",...
 *
 * On one line: event, CPU, thread, seconds, nanoseconds; then three columns for each argument: a
 * description, the value's low and high word. An argument that is text has the text and its length
 * instead. No comma or quote stands within a column, so that cut(1) works: they are escaped.
 * What is not known, as a task_struct may be, is two empty columns, never 0.
 *
 * A "wakeup" is what LKST's hook in try_to_wake_up() saw: CPU and thread are the waker's. So it is the event
 * sched_waking, and sched_wakeup, which follows it, has its own name. A trace without sched_waking has
 * only that; then it is the "wakeup".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "print/record_printer.h"

static const char special[] = "\",";

struct csv {
	struct lkst_record_printer *printer;
	u64 offset_ns; /* from CLOCK_MONOTONIC to what is printed */
	bool is_brief; /* no descriptions */
};

/* ---- steps ----------------------------------------------------------------------------------- */

static char *csv_put_words(char *p, u64 v)
{
	p = lkst_put_hex_width(p, (u32)v, 8);
	*p++ = ',';
	return lkst_put_hex_width(p, v >> 32, 8);
}

static char *csv_put_int(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			 const struct lkst_step *step)
{
	return csv_put_words(p, lkst_field_int(r, step->index));
}

/* The task_struct of the thread that a field names, or of the record's own. */
static char *put_task(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
		      const struct lkst_step *step)
{
	s32 tid = step->other < 0 ? r->tid : (s32)lkst_field_int(r, (unsigned int)step->other);
	u64 task = lkst_threads_task(printer->threads, tid, r->cpu);

	if (task)
		return csv_put_words(p, task);
	*p++ = ',';
	return p;
}

static char *csv_put_text(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			  const struct lkst_step *step)
{
	u32 length;
	const char *text = lkst_field_text(r, step->index, &length);

	*p++ = '"';
	p = lkst_out_cell(printer->out, p, text, length);
	p = lkst_put_mem(p, "\",", 2);
	return lkst_put_hex_width(p, length, 8);
}

static char *put_elements(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			  const struct lkst_step *step, bool is_brief)
{
	const struct lkst_field_class *f = step->field;
	const u8 *first;
	u32 nr = lkst_field_elements(r, step->index, &first), i;

	for (i = 0; i < nr; i++) {
		p = lkst_out_more(printer->out, p);
		if (!is_brief) {
			p = lkst_put_str(lkst_put_str(p, ",\""), f->name);
			*p++ = '[';
			p = lkst_put_u64(p, i);
			p = lkst_put_str(p, "]\"");
		}
		*p++ = ',';
		p = csv_put_words(p, f->type == LKST_CLASS_BYTES ? first[i]
							     : lkst_field_element(f, first, i));
	}
	return p;
}

/* Each element is an argument of its own. */
static char *csv_put_array(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step)
{
	return put_elements(printer, p, r, step, false);
}

static char *put_array_brief(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			     const struct lkst_step *step)
{
	return put_elements(printer, p, r, step, true);
}

/* The names of the addresses in a field, with blanks between; of one that is not known, "0x1f" in a stack, or "". */
static char *csv_put_names(struct lkst_record_printer *printer, char *p, const struct lkst_record *r, u16 index)
{
	const bool is_one = lkst_field_is_int(&r->event->fields[index]);
	const u32 nr = lkst_address_list_nr(r, index);
	char text[LKST_ADDRESS_NAME + 1], *start, *end;
	size_t length = 0;
	u32 i;

	*p++ = '"';
	for (i = 0; i < nr; i++) {
		text[0] = ' ';
		start = text + 1;
		end = lkst_address_name_put(&printer->addresses, start, r, index, i);
		if (end == start && !is_one)
			end = lkst_put_hex(start, lkst_address_of(r, index, i));
		start -= i > 0;
		length += (size_t)(end - start);
		p = lkst_out_cell(printer->out, lkst_out_more(printer->out, p), start, (size_t)(end - start));
	}
	return lkst_put_hex_width(lkst_put_str(lkst_out_more(printer->out, p), "\","), length, 8);
}

/* The names of addresses, as far as they are known, each field an argument that is text. */
static char *csv_put_symbols(struct lkst_record_printer *printer, char *p, const struct lkst_record *r, bool is_brief)
{
	u16 i;

	for (i = 0; i < r->event->nr_fields; i++) {
		const struct lkst_field_class *f = &r->event->fields[i];

		if (!lkst_field_has_names(f) || !lkst_address_names_serve(&printer->addresses, f))
			continue;
		p = lkst_out_more(printer->out, p);
		if (!is_brief)
			p = lkst_put_str(lkst_put_str(lkst_put_str(p, ",\""), f->name), " symbol\"");
		p = csv_put_names(printer, lkst_put_str(p, ","), r, i);
	}
	return p;
}

static char *put_symbols_long(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			      const struct lkst_step *step)
{
	return csv_put_symbols(printer, p, r, false);
}

static char *put_symbols_brief(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			       const struct lkst_step *step)
{
	return csv_put_symbols(printer, p, r, true);
}

/* ---- building -------------------------------------------------------------------------------- */

/* Events whose name in LKST's own files is known or follows from it, and whose tasks come first. */
static const struct {
	s16 index;
	const char *name;
	const char *own;   /* what this thread is called, NULL: it is not an argument */
	const char *other; /* what the other one is called */
	const char *tid;   /* the field that names it */
} known[] = {
	{ LKST_EV_sched_switch, "context_switch", "prev", "next", "next_tid" },
	{ LKST_EV_sched_waking, "wakeup", NULL, "target", "target_tid" },
	{ LKST_EV_sched_wakeup, "sched_wakeup", NULL, "target", "target_tid" },
	{ LKST_EV_sched_wakeup_new, "wakeup_new", NULL, "target", "target_tid" },
};
enum { NR_KNOWN = sizeof(known) / sizeof(known[0]) };

static void add_task(struct lkst_steps *steps, const char *who, int tid, bool is_brief)
{
	struct lkst_step *step = is_brief ? lkst_steps_add(steps, put_task, -1, ",")
					  : lkst_steps_add(steps, put_task, -1,
							   ",\"pointer to task struct(%s)\",", who);

	step->other = (s16)tid;
}

static void csv_add_field(struct lkst_steps *steps, unsigned int i, bool is_brief)
{
	const struct lkst_field_class *f = &steps->event->fields[i];
	lkst_step_fn *put = lkst_field_is_text(f) ? csv_put_text : csv_put_int;

	if (f->meaning == LKST_MEANING_PAD)
		return;
	if (!lkst_field_is_text(f) && !lkst_field_is_int(f))
		lkst_steps_add(steps, is_brief ? put_array_brief : csv_put_array, (int)i, "%s", "");
	else if (is_brief)
		lkst_steps_add(steps, put, (int)i, ",");
	else
		lkst_steps_add(steps, put, (int)i, ",\"%s\",", f->name);
}

/* Returns the event's name. */
static const char *add_tasks(struct lkst_steps *steps, bool is_brief)
{
	unsigned int i;
	int tid;

	for (i = 0; i < NR_KNOWN; i++) {
		if (known[i].index != steps->event->index)
			continue;
		tid = lkst_field_index(steps->event, known[i].tid);
		if (tid < 0 || !lkst_field_is_int(&steps->event->fields[tid]))
			break;
		if (known[i].own)
			add_task(steps, known[i].own, -1, is_brief);
		add_task(steps, known[i].other, tid, is_brief);
		return known[i].name;
	}
	return steps->event->name;
}

static void build_line(struct lkst_steps *steps, bool is_brief)
{
	const struct lkst_event_class *event = steps->event;
	const char *name = add_tasks(steps, is_brief);
	char escaped[4 * LKST_NAME_MAX], *end, *p;
	int state = -1;
	unsigned int i;

	end = lkst_put_escaped(escaped, name, strlen(name), special);
	for (p = escaped; p < end; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p += 'a' - 'A';
	lkst_steps_head(steps, "\"%.*s\",", (int)(end - escaped), escaped);
	/* LKST's third argument of a switch was the state. */
	if (event->index == LKST_EV_sched_switch)
		state = lkst_field_index(event, "prev_state");
	if (state >= 0)
		csv_add_field(steps, (unsigned int)state, is_brief);
	for (i = 0; i < event->nr_fields; i++)
		if ((int)i != state)
			csv_add_field(steps, i, is_brief);
	for (i = 0; i < event->nr_fields && !lkst_field_has_names(&event->fields[i]); i++)
		;
	if (i < event->nr_fields)
		lkst_steps_add(steps, is_brief ? put_symbols_brief : put_symbols_long, -1, "%s", "");
}

static void csv_build(struct lkst_steps *steps)
{
	build_line(steps, false);
}

static void build_brief(struct lkst_steps *steps)
{
	build_line(steps, true);
}

/* ---- the view -------------------------------------------------------------------------------- */

static int print_csv_begin(struct lkst_err *e, const struct lkst_view_config *config, void **ret_ctx)
{
	struct csv *csv = calloc(1, sizeof(*csv));

	if (csv)
		csv->printer = lkst_record_printer_new(config, config->is_brief ? build_brief : csv_build);
	if (!csv || !csv->printer) {
		free(csv);
		return lkst_err_sys(e, -ENOMEM, "preparing to print");
	}
	csv->printer->unread = ",";
	csv->is_brief = config->is_brief;
	csv->offset_ns = config->time == LKST_VIEW_DAY	 ? config->catalog->clock_offset_ns
			 : config->time == LKST_VIEW_REL ? 0 - config->begin_ns
							 : 0;
	*ret_ctx = csv;
	return 0;
}

/* Seconds and nanoseconds; a time before the first record's is negative. */
static char *csv_put_time(const struct csv *csv, char *p, u64 ns)
{
	u64 value = ns + csv->offset_ns;

	if ((s64)value < 0) {
		*p++ = '-';
		value = 0 - value;
	}
	p = lkst_put_u64(p, value / LKST_NS_PER_S);
	*p++ = ',';
	return lkst_put_digits(p, value % LKST_NS_PER_S, 9);
}

/* True for a sched_wakeup that no sched_waking came before. */
static bool is_first_of_wakeup(const struct csv *csv, const struct lkst_record *r)
{
	const struct lkst_field_class *target = lkst_class_field(r->event, "target_tid");
	const struct lkst_thread *thread =
		target ? lkst_threads_find(csv->printer->threads, (s32)lkst_record_int(r, target))
		       : NULL;

	return !thread || !thread->is_being_woken;
}

/* An argument that is text: description, text, length. */
static char *put_text_argument(const struct csv *csv, char *p, const char *description, const char *text)
{
	p = lkst_out_more(csv->printer->out, p);
	if (!csv->is_brief)
		p = lkst_put_str(lkst_put_str(lkst_put_str(p, ",\""), description), "\"");
	p = lkst_out_cell(csv->printer->out, lkst_put_str(p, ",\""), text, strlen(text));
	return lkst_put_hex_width(lkst_put_str(p, "\","), strlen(text), 8);
}

static char *csv_put_cgroup(const struct csv *csv, char *p, s32 tid)
{
	const struct lkst_cgroups *cgroups = lkst_threads_cgroups(csv->printer->threads);
	const u64 id = lkst_threads_cgroup_of(csv->printer->threads, tid);
	char text[LKST_CGROUP_TEXT];

	p = put_text_argument(csv, p, "cgroup", lkst_cgroups_text(cgroups, id, text));
	p = put_text_argument(csv, p, "container", lkst_cgroups_container(cgroups, id));
	return lkst_out_more(csv->printer->out, p);
}

static int csv_record(void *ctx, const struct lkst_record *r)
{
	struct csv *csv = ctx;
	const struct lkst_steps *steps = lkst_record_printer_steps(csv->printer, r->event);
	char *p = lkst_out_room(csv->printer->out);

	if (!steps)
		return -ENOMEM;
	if (r->event->index == LKST_EV_sched_wakeup && is_first_of_wakeup(csv, r))
		p = lkst_put_str(p, "\"wakeup\",");
	else
		p = lkst_put_mem(p, steps->head, steps->head_length);
	p = lkst_put_u64_width(p, r->cpu, 2, '0');
	*p++ = ',';
	if (r->tid < 0)
		*p++ = '-';
	p = lkst_put_u64_width(p, r->tid < 0 ? 0 - (u64)r->tid : (u64)r->tid, 7, '0');
	*p++ = ',';
	p = csv_put_time(csv, p, r->ns);
	p = lkst_record_printer_run(csv->printer, p, r, steps);
	if (csv->printer->has_cgroups)
		p = csv_put_cgroup(csv, p, r->tid);
	if (csv->printer->host)
		p = put_text_argument(csv, p, "host", csv->printer->host);
	*p++ = '\n';
	lkst_out_advance(csv->printer->out, p);
	return 0;
}

static char *put_argument(const struct csv *csv, char *p, const char *description, u64 v)
{
	*p++ = ',';
	if (!csv->is_brief) {
		*p++ = '"';
		p = lkst_put_mem(lkst_put_str(p, description), "\",", 2);
	}
	return csv_put_words(p, v);
}

/* A line like a record's; no thread goes with it, so that column is empty. */
static int csv_gap(void *ctx, const struct lkst_gap *gap)
{
	struct csv *csv = ctx;
	char *p = lkst_out_room(csv->printer->out);

	p = lkst_put_str(p, "\"gap\",");
	p = lkst_put_u64_width(p, gap->cpu, 2, '0');
	p = lkst_put_str(p, ",,");
	p = csv_put_time(csv, p, gap->from_ns);
	p = put_argument(csv, p, "ns", gap->to_ns - gap->from_ns);
	p = put_argument(csv, p, "events", gap->events);
	p = put_argument(csv, p, "blocks", gap->blocks);
	p = put_argument(csv, p, "buffer", gap->buffer);
	if (csv->printer->host)
		p = put_text_argument(csv, p, "host", csv->printer->host);
	*p++ = '\n';
	lkst_out_advance(csv->printer->out, p);
	return 0;
}

static int csv_end(void *ctx)
{
	struct csv *csv = ctx;

	if (csv)
		lkst_record_printer_free(csv->printer);
	free(csv);
	return 0;
}

const struct lkst_view lkst_view_csv = {
	.name = "csv",
	.help = "LKST's columns; fields are pairs of 32-bit words",
	.begin = print_csv_begin,
	.record = csv_record,
	.gap = csv_gap,
	.end = csv_end,
};
