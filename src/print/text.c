/* SPDX-License-Identifier: GPL-2.0-only */
/* The view for people: a line per record, aligned, with words for numbers. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "print/call.h"
#include "print/record_printer.h"
#include "print/sysargs.h"

/* ---- steps ----------------------------------------------------------------------------------- */

static char *text_put_int(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			  const struct lkst_step *step)
{
	return lkst_put_value(p, step->format, lkst_record_int(r, step->field));
}

/* The same, after a field of varying size. */
static char *put_far_int(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			 const struct lkst_step *step)
{
	return lkst_put_value(p, step->format, lkst_field_int(r, step->index));
}

/* An address by its name, if the trace has it. */
static char *text_put_symbol(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
		      const struct lkst_step *step)
{
	return lkst_symbols_put(printer->addresses.symbols, p, lkst_field_int(r, step->index));
}

static char *put_tid(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
		     const struct lkst_step *step)
{
	const struct lkst_name_cell *name =
		lkst_names_get(&printer->names, (s32)lkst_field_int(r, step->index));

	return lkst_put_mem(p, name->column + name->start, (size_t)(name->end - name->start));
}

/* The last 32 bits of an address, whose family is in another field. */
static char *text_put_address(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			      const struct lkst_step *step)
{
	u64 family = lkst_field_int(r, (unsigned int)step->other);
	u64 address = lkst_field_int(r, step->index);

	return family == AF_INET6 ? lkst_put_ipv6_tail(p, address) : lkst_put_ipv4(p, address);
}

static char *text_put_hex16(char *p, u64 value)
{
	int shift;

	for (shift = 60; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[value >> shift & 15];
	return p;
}

/* Half of the number of a request, or all of it: as other tools show it, so that it is found by that. */
static char *text_put_request(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			      const struct lkst_step *step)
{
	p = text_put_hex16(p, lkst_field_int(r, step->index));
	return step->other < 0 ? p : text_put_hex16(p, lkst_field_int(r, (unsigned int)step->other));
}

static char *print_text_put_text(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
				 const struct lkst_step *step)
{
	return lkst_put_quoted(printer, p, r, step->index);
}

/* The functions of a stack, innermost first. */
static char *text_put_stack(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			    const struct lkst_step *step)
{
	const u8 *first;
	u32 nr = lkst_field_elements(r, step->index, &first), i;
	char *end;

	*p++ = '[';
	for (i = 0; i < nr; i++) {
		p = lkst_out_more(printer->out, p);
		if (i)
			*p++ = ',';
		end = lkst_address_name_put(&printer->addresses, p, r, step->index, i);
		p = end != p ? end : lkst_put_hex(p, lkst_field_element(step->field, first, i));
	}
	*p++ = ']';
	return p;
}

static char *text_put_array(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			    const struct lkst_step *step)
{
	const u8 *first;
	u32 nr = lkst_field_elements(r, step->index, &first), i;

	*p++ = '[';
	for (i = 0; i < nr; i++) {
		p = lkst_out_more(printer->out, p);
		if (i)
			*p++ = ',';
		p = lkst_put_value(p, step->format, lkst_field_element(step->field, first, i));
	}
	*p++ = ']';
	return p;
}

/* Bytes of no known meaning, two hexadecimal digits for each. */
static char *text_put_bytes(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			    const struct lkst_step *step)
{
	static const char digits[] = "0123456789abcdef";
	u32 length, i;
	const u8 *bytes = lkst_record_field(r, step->index, &length);

	*p++ = '<';
	for (i = 0; i < length; i++) {
		if (!(i % 512))
			p = lkst_out_more(printer->out, p);
		*p++ = digits[bytes[i] >> 4];
		*p++ = digits[bytes[i] & 15];
	}
	*p++ = '>';
	return p;
}

/* A string that was read when the call returned; mostly there is none, and nothing is printed. */
static char *put_late_string(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			     const struct lkst_step *step)
{
	static const char suffix[] = "_str";
	u32 length;

	lkst_field_text(r, step->index, &length);
	if (!length)
		return p;
	*p++ = ' ';
	p = lkst_put_mem(p, step->field->name, strlen(step->field->name) - strlen(suffix));
	*p++ = '=';
	return print_text_put_text(printer, p, r, step);
}

static char *put_sysresult(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step)
{
	return lkst_put_sysresult(p, step->field->sys_meaning, (s64)lkst_field_int(r, step->index));
}

/* A cgroup by its path, if the trace has it. */
static char *text_put_cgroup(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			     const struct lkst_step *step)
{
	const struct lkst_cgroups *cgroups = lkst_threads_cgroups(printer->threads);
	char text[LKST_CGROUP_TEXT];
	u64 id = lkst_field_int(r, step->index);

	if (!lkst_cgroups_find(cgroups, id))
		return lkst_put_u64(p, id);
	lkst_cgroups_text(cgroups, id, text);
	*p++ = '"';
	p = lkst_out_escaped(printer->out, p, text, strlen(text), "\"");
	*p++ = '"';
	return p;
}

/* "{docker:0123456789ab} ": the thread's container, or the path of its cgroup where that shows none. */
static char *put_own_cgroup(struct lkst_record_printer *printer, char *p, s32 tid)
{
	const struct lkst_cgroups *cgroups = lkst_threads_cgroups(printer->threads);
	const u64 id = lkst_threads_cgroup_of(printer->threads, tid);
	const char *container = lkst_cgroups_container(cgroups, id);
	char text[LKST_CGROUP_TEXT];

	if (!container[0])
		container = id ? lkst_cgroups_text(cgroups, id, text) : "-";
	*p++ = '{';
	p = lkst_out_escaped(printer->out, p, container, strlen(container), "");
	return lkst_put_mem(lkst_out_more(printer->out, p), "} ", 2);
}

/* ---- building -------------------------------------------------------------------------------- */

static lkst_step_fn *text_choose(const struct lkst_field_class *f)
{
	if (lkst_field_is_text(f))
		return print_text_put_text;
	if (lkst_field_is_array(f))
		return lkst_field_has_names(f) ? text_put_stack : text_put_array;
	if (f->type == LKST_CLASS_BYTES)
		return text_put_bytes;
	if (f->meaning == LKST_MEANING_TID)
		return put_tid;
	if (lkst_field_has_symbol(f))
		return text_put_symbol;
	if (f->meaning == LKST_MEANING_CGROUP)
		return text_put_cgroup;
	return f->offset == LKST_OFFSET_VARIES ? put_far_int : text_put_int;
}

/* The fields of span_request that are hexadecimal; false: field @i is another one. */
static bool add_request(struct lkst_steps *steps, unsigned int i)
{
	const struct lkst_field_class *f = &steps->event->fields[i];
	int low = lkst_field_index(steps->event, "trace_low");

	if (steps->event->index != LKST_EV_span_request || low < 0 || !lkst_field_is_int(f) ||
	    !lkst_field_is_int(&steps->event->fields[low]))
		return false;
	if (!strcmp(f->name, "trace_high"))
		lkst_steps_add(steps, text_put_request, (int)i, " trace=")->other = (s16)low;
	else if (!strcmp(f->name, "parent"))
		lkst_steps_add(steps, text_put_request, (int)i, " parent=");
	else
		return !strcmp(f->name, "trace_low") && lkst_field_index(steps->event, "trace_high") >= 0;
	return true;
}

/* " name=value"; a thread's number is printed with its name, so that "_tid" is not needed. */
static void text_add_field(struct lkst_steps *steps, unsigned int i)
{
	const struct lkst_field_class *f = &steps->event->fields[i];
	int length = (int)strlen(f->name), family;
	struct lkst_step *step;

	if (f->meaning == LKST_MEANING_PAD || lkst_field_is_length(steps->event, i) || add_request(steps, i))
		return;
	if (f->meaning == LKST_MEANING_TID && lkst_field_ends_in(f, "_tid"))
		length -= 4;
	step = lkst_steps_add(steps, text_choose(f), (int)i, " %.*s=", length, f->name);
	family = lkst_field_index(steps->event, "family");
	if (f->meaning == LKST_MEANING_IPV4 && lkst_field_is_int(f) && family >= 0 &&
	    lkst_field_is_int(&steps->event->fields[family])) {
		step->put = text_put_address;
		step->other = (s16)family;
	}
}

static void text_build_entry(struct lkst_steps *steps, const struct lkst_call_format *call)
{
	lkst_steps_head(steps, "%s%s(", call->is_compat ? "compat_" : "", call->name);
	lkst_call_add_args(steps, false);
	lkst_steps_tail(steps, ")\n");
}

static void text_build_exit(struct lkst_steps *steps, const struct lkst_call_format *call)
{
	const struct lkst_event_class *event = steps->event;
	unsigned int i;

	lkst_steps_head(steps, "%s%s()", call->is_compat ? "compat_" : "", call->name);
	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];

		if (lkst_field_is_int(f) && f->sys_meaning)
			lkst_steps_add(steps, put_sysresult, (int)i, " = ");
		else if (lkst_field_is_text(f) && lkst_field_ends_in(f, "_str"))
			lkst_steps_add(steps, put_late_string, (int)i, "%s", "");
		else
			text_add_field(steps, i);
	}
	lkst_steps_tail(steps, "\n");
}

static void text_build(struct lkst_steps *steps)
{
	struct lkst_call_format call;
	unsigned int i;

	if (lkst_call_of(steps->event, &call)) {
		(call.is_exit ? text_build_exit : text_build_entry)(steps, &call);
		return;
	}
	lkst_steps_head(steps, "%s:", steps->event->name);
	for (i = 0; i < steps->event->nr_fields; i++)
		text_add_field(steps, i);
	lkst_steps_tail(steps, "\n");
}

/* ---- the view -------------------------------------------------------------------------------- */

static int print_text_begin(struct lkst_err *e, const struct lkst_view_config *config, void **ret_ctx)
{
	struct lkst_record_printer *printer = lkst_record_printer_new(config, text_build);

	if (!printer)
		return lkst_err_sys(e, -ENOMEM, "preparing to print");
	*ret_ctx = printer;
	return 0;
}

/* A column of its own; a name may be anything. */
static char *text_put_host(struct lkst_record_printer *printer, char *p)
{
	size_t length = strlen(printer->host);

	*p++ = ' ';
	p = lkst_out_escaped(printer->out, p, printer->host, length, "");
	for (; length < printer->host_width; length++)
		*p++ = ' ';
	return p;
}

static char *put_time_and_cpu(struct lkst_record_printer *printer, char *p, u64 ns, u32 cpu)
{
	p = lkst_put_time(p, &printer->time, ns, 9);
	if (printer->host)
		p = text_put_host(printer, p);
	p = lkst_put_mem(p, " [", 2);
	p = lkst_put_u64_width(p, cpu, 3, '0');
	return lkst_put_mem(p, "] ", 2);
}

/* When, where and who. */
static char *text_put_columns(struct lkst_record_printer *printer, char *p, const struct lkst_record *r)
{
	const struct lkst_name_cell *name = lkst_names_get(&printer->names, r->tid);

	p = put_time_and_cpu(printer, p, r->ns, r->cpu);
	p = lkst_put_mem(p, name->column, name->length);
	return printer->has_cgroups ? put_own_cgroup(printer, p, r->tid) : p;
}

static int text_record(void *ctx, const struct lkst_record *r)
{
	struct lkst_record_printer *printer = ctx;
	const struct lkst_steps *steps = lkst_record_printer_steps(printer, r->event);
	char *p = lkst_out_room(printer->out);

	if (!steps)
		return -ENOMEM;
	if (!printer->is_bare)
		p = text_put_columns(printer, p, r);
	p = lkst_put_mem(p, steps->head, steps->head_length);
	p = lkst_record_printer_run(printer, p, r, steps);
	lkst_out_advance(printer->out, p);
	return 0;
}

/* What is known of a gap, in the columns of a record, with dashes for the thread. */
static int text_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_record_printer *printer = ctx;
	char *p = lkst_out_room(printer->out);

	p = put_time_and_cpu(printer, p, gap->from_ns, gap->cpu);
	p = lkst_put_str(p, "      -/-               gap: buffer=");
	p = lkst_put_buffer(p, gap->buffer);
	p = lkst_put_str(p, " ns=");
	p = lkst_put_s64(p, (s64)(gap->to_ns - gap->from_ns));
	if (gap->events)
		p = lkst_put_u64(lkst_put_str(p, " events="), gap->events);
	if (gap->blocks)
		p = lkst_put_u64(lkst_put_str(p, " blocks="), gap->blocks);
	p = lkst_put_str(p, " why=\"");
	p = lkst_out_escaped(printer->out, p, gap->why, strlen(gap->why), "\"");
	p = lkst_put_str(p, "\"\n");
	lkst_out_advance(printer->out, p);
	return 0;
}

static int print_text_end(void *ctx)
{
	lkst_record_printer_free(ctx);
	return 0;
}

const struct lkst_view lkst_view_text = {
	.name = "text",
	.help = "a line per event, values by name",
	.begin = print_text_begin,
	.record = text_record,
	.gap = text_gap,
	.end = print_text_end,
};
