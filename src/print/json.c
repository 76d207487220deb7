/* SPDX-License-Identifier: GPL-2.0-only */
/* The view for programs: a JSON object per line, with raw values under the fields' names. */
#include <errno.h>
#include <string.h>

#include "print/record_printer.h"
#include "print/record_text.h"

static char *put_unsigned(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			  const struct lkst_step *step)
{
	return lkst_put_u64(p, lkst_field_int(r, step->index));
}

static char *json_put_signed(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			     const struct lkst_step *step)
{
	return lkst_put_s64(p, (s64)lkst_field_int(r, step->index));
}

static char *json_put_text(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step)
{
	u32 length;
	const char *text = lkst_field_text(r, step->index, &length);

	return lkst_out_json(printer->out, p, text, length);
}

/* An array of integers, or bytes of no known meaning as such. */
static char *json_put_array(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			    const struct lkst_step *step)
{
	const struct lkst_field_class *f = step->field;
	const u8 *first;
	u32 nr = lkst_field_elements(r, step->index, &first), i;

	*p++ = '[';
	for (i = 0; i < nr; i++) {
		p = lkst_out_more(printer->out, p);
		if (i)
			*p++ = ',';
		if (f->type == LKST_CLASS_SINTS)
			p = lkst_put_s64(p, (s64)lkst_field_element(f, first, i));
		else
			p = lkst_put_u64(p, f->type == LKST_CLASS_BYTES
						    ? first[i]
						    : lkst_field_element(f, first, i));
	}
	*p++ = ']';
	return p;
}

/* An address by its name, or null. */
static char *json_put_symbol(struct lkst_record_printer *printer, char *p, const struct lkst_record *r, u16 index,
			     u32 i)
{
	char text[LKST_ADDRESS_NAME];
	const char *end = lkst_address_name_put(&printer->addresses, text, r, index, i);

	return end != text ? lkst_out_json(printer->out, p, text, (size_t)(end - text)) : lkst_put_str(p, "null");
}

static char *put_symbols_of(struct lkst_record_printer *printer, char *p, const struct lkst_record *r, u16 index)
{
	const u32 nr = lkst_address_list_nr(r, index);
	u32 i;

	if (lkst_field_is_int(&r->event->fields[index]))
		return json_put_symbol(printer, p, r, index, 0);
	*p++ = '[';
	for (i = 0; i < nr; i++) {
		p = lkst_out_more(printer->out, p);
		if (i)
			*p++ = ',';
		p = json_put_symbol(printer, p, r, index, i);
	}
	*p++ = ']';
	return p;
}

/* Beside the fields: ,"symbols":{"function":"tick_nohz_handler"}, if any names are known. */
static char *json_put_symbols(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			      const struct lkst_step *step)
{
	bool has_any = false;
	u16 i;

	for (i = 0; i < r->event->nr_fields; i++) {
		const struct lkst_field_class *f = &r->event->fields[i];

		if (!lkst_field_has_names(f) || !lkst_address_names_serve(&printer->addresses, f))
			continue;
		p = lkst_put_str(lkst_out_more(printer->out, p), has_any ? "," : ",\"symbols\":{");
		p = lkst_put_str(lkst_put_str(p, "\""), f->name);
		p = put_symbols_of(printer, lkst_put_str(p, "\":"), r, i);
		has_any = true;
	}
	return has_any ? lkst_put_str(p, "}") : p;
}

static lkst_step_fn *json_choose(const struct lkst_field_class *f)
{
	if (lkst_field_is_text(f))
		return json_put_text;
	if (lkst_field_is_int(f))
		return f->type == LKST_CLASS_SINT ? json_put_signed : put_unsigned;
	return json_put_array;
}

static void json_build(struct lkst_steps *steps)
{
	const struct lkst_event_class *event = steps->event;
	bool has_symbols = false;
	unsigned int i;

	/* Names of events hold nothing that JSON escapes: the catalogue has checked it. */
	lkst_steps_head(steps, ",\"event\":\"%s\",\"fields\":{", event->name);
	for (i = 0; i < event->nr_fields; i++) {
		has_symbols |= lkst_field_has_names(&event->fields[i]);
		if (event->fields[i].meaning != LKST_MEANING_PAD)
			lkst_steps_add(steps, json_choose(&event->fields[i]), (int)i,
				       "%s\"%s\":", steps->nr ? "," : "", event->fields[i].name);
	}
	if (has_symbols)
		lkst_steps_add(steps, json_put_symbols, -1, "}");
	lkst_steps_tail(steps, has_symbols ? "}\n" : "}}\n");
}

static int print_json_begin(struct lkst_err *e, const struct lkst_view_config *config, void **ret_ctx)
{
	struct lkst_record_printer *printer = lkst_record_printer_new(config, json_build);

	if (!printer)
		return lkst_err_sys(e, -ENOMEM, "preparing to print");
	printer->unread = "null";
	printer->has_process = config->has_process;
	lkst_time_text_init(&printer->time, LKST_TIME_UTC, config->catalog->clock_offset_ns);
	if (config->has_text) {
		struct lkst_view_config bare = *config;

		bare.is_bare = true;
		printer->text = lkst_record_text_new(&lkst_view_text, &bare);
	}
	if (config->has_text && !printer->text) {
		lkst_record_printer_free(printer);
		return lkst_err_sys(e, -ENOMEM, "preparing to print");
	}
	*ret_ctx = printer;
	return 0;
}

/* The name of thread @tid, or null. */
static char *json_put_name(struct lkst_record_printer *printer, char *p, s32 tid)
{
	const struct lkst_name_cell *name = lkst_names_get(&printer->names, tid);
	size_t length = strnlen(name->comm, sizeof(name->comm));

	return name->has_comm ? lkst_put_json(p, name->comm, length) : lkst_put_str(p, "null");
}

/* ,"pid":12,"process":"bash" */
static char *json_put_process(struct lkst_record_printer *printer, char *p, s32 tid)
{
	const struct lkst_thread *thread = lkst_threads_find(printer->threads, tid);
	s32 pid = thread ? thread->pid : 0;

	if (tid && !pid)
		return lkst_put_str(p, ",\"pid\":null,\"process\":null");
	p = lkst_put_s64(lkst_put_str(p, ",\"pid\":"), pid);
	return json_put_name(printer, lkst_put_str(p, ",\"process\":"), pid);
}

/* A text, or null where there is none. */
static char *put_known_text(struct lkst_record_printer *printer, char *p, const char *text)
{
	return text && text[0] ? lkst_out_json(printer->out, p, text, strlen(text)) : lkst_put_str(p, "null");
}

/* ,"cgroup":"/docker/...","container":"docker:0123456789ab" of the thread. */
static char *json_put_cgroup(struct lkst_record_printer *printer, char *p, s32 tid)
{
	const struct lkst_cgroups *cgroups = lkst_threads_cgroups(printer->threads);
	const u64 id = lkst_threads_cgroup_of(printer->threads, tid);
	char text[LKST_CGROUP_TEXT];

	p = put_known_text(printer, lkst_put_str(p, ",\"cgroup\":"), lkst_cgroups_text(cgroups, id, text));
	p = put_known_text(printer, lkst_put_str(lkst_out_more(printer->out, p), ",\"container\":"),
			   lkst_cgroups_container(cgroups, id));
	return lkst_out_more(printer->out, p);
}

/* ,"text":"sched_switch: next=..." */
static char *json_put_words(struct lkst_record_printer *printer, char *p, const struct lkst_record *r)
{
	size_t length;
	const char *text = lkst_record_text_of(printer->text, r, &length);

	if (!text)
		return NULL;
	p = lkst_out_json(printer->out, lkst_put_str(p, ",\"text\":"), text, length);
	return lkst_out_more(printer->out, p);
}

/* "host":"web1", if there are several. */
static char *json_put_host(struct lkst_record_printer *printer, char *p)
{
	if (!printer->host)
		return p;
	p = lkst_out_json(printer->out, lkst_put_str(p, "\"host\":"), printer->host, strlen(printer->host));
	return lkst_put_str(p, ",");
}

static int json_record(void *ctx, const struct lkst_record *r)
{
	struct lkst_record_printer *printer = ctx;
	const struct lkst_steps *steps = lkst_record_printer_steps(printer, r->event);
	char *p = lkst_out_room(printer->out);

	if (!steps)
		return -ENOMEM;
	p = json_put_host(printer, lkst_put_str(p, "{"));
	p = lkst_put_u64(lkst_put_str(p, "\"ns\":"), r->ns);
	p = lkst_put_time(lkst_put_str(p, ",\"time\":\""), &printer->time, r->ns, 9);
	p = lkst_put_u64(lkst_put_str(p, "\",\"cpu\":"), r->cpu);
	p = lkst_put_s64(lkst_put_str(p, ",\"tid\":"), r->tid);
	p = json_put_name(printer, lkst_put_str(p, ",\"comm\":"), r->tid);
	if (printer->has_process)
		p = json_put_process(printer, p, r->tid);
	if (printer->has_cgroups)
		p = json_put_cgroup(printer, p, r->tid);
	if (printer->text && !(p = json_put_words(printer, p, r)))
		return -ENOMEM;
	p = lkst_put_mem(p, steps->head, steps->head_length);
	p = lkst_record_printer_run(printer, p, r, steps);
	lkst_out_advance(printer->out, p);
	return 0;
}

static char *put_known(char *p, const char *label, u64 v)
{
	p = lkst_put_str(p, label);
	return v ? lkst_put_u64(p, v) : lkst_put_str(p, "null");
}

static int json_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_record_printer *printer = ctx;
	char *p = lkst_out_room(printer->out);

	p = json_put_host(printer, lkst_put_str(p, "{\"gap\":{"));
	p = lkst_put_u64(lkst_put_str(p, "\"cpu\":"), gap->cpu);
	p = lkst_put_u64(lkst_put_str(p, ",\"buffer\":"), gap->buffer);
	p = lkst_put_u64(lkst_put_str(p, ",\"from_ns\":"), gap->from_ns);
	p = lkst_put_u64(lkst_put_str(p, ",\"to_ns\":"), gap->to_ns);
	p = put_known(p, ",\"events\":", gap->events);
	p = put_known(p, ",\"blocks\":", gap->blocks);
	p = lkst_put_str(p, ",\"why\":");
	p = lkst_out_json(printer->out, p, gap->why, strlen(gap->why));
	p = lkst_put_str(p, "}}\n");
	lkst_out_advance(printer->out, p);
	return 0;
}

static int print_json_end(void *ctx)
{
	struct lkst_record_printer *printer = ctx;

	if (printer)
		lkst_record_text_free(printer->text);
	lkst_record_printer_free(printer);
	return 0;
}

const struct lkst_view lkst_view_json = {
	.name = "json",
	.help = "an object per line, raw values",
	.begin = print_json_begin,
	.record = json_record,
	.gap = json_gap,
	.end = print_json_end,
};
