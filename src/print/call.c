/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls among the events: their names, and the steps that print their arguments. */
#include "print/call.h"

#include <string.h>

#include "print/sysargs.h"

enum {
	/* include/uapi/asm-generic/fcntl.h; either makes open(2) look at the mode. */
	OPEN_CREAT = 0100,
	OPEN_TMPFILE = 020000000,
};

_Static_assert((int)LKST_SYSARG_ROOM <= (int)LKST_VALUE_ROOM,
	       "an argument fits where a value does");

bool lkst_call_of(const struct lkst_event_class *event, struct lkst_call_format *ret_call)
{
	if (event->syscall < 0)
		return false;
	*ret_call = (struct lkst_call_format){ .name = lkst_class_call(event),
					       .is_compat = event->is_compat,
					       .is_exit = event->half == LKST_HALF_EXIT };
	return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

char *lkst_put_quoted(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
		      unsigned int index)
{
	u32 length;
	const char *text = lkst_field_text(r, index, &length);

	*p++ = '"';
	p = lkst_out_escaped(printer->out, p, text, length, "\"");
	*p++ = '"';
	return p;
}

static char *call_put_arg(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			  const struct lkst_step *step)
{
	return lkst_put_sysarg(p, step->field->sys_meaning, lkst_field_int(r, step->index));
}

/* "3</var/log/x>" */
static char *put_descriptor(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			    const struct lkst_step *step)
{
	const char *name = printer->descriptors
				   ? lkst_descriptors_name(printer->descriptors, r->tid,
							   (s32)lkst_field_int(r, step->index))
				   : NULL;

	p = call_put_arg(printer, p, r, step);
	if (!name)
		return p;
	*p++ = '<';
	p = lkst_out_escaped(printer->out, p, name, strlen(name), ">");
	*p++ = '>';
	return p;
}

/* An argument that points to a string: the string, or the address where it could not be read. */
static char *call_put_path(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step)
{
	u32 length;

	lkst_field_text(r, (unsigned int)step->other, &length);
	if (length)
		return lkst_put_quoted(printer, p, r, (unsigned int)step->other);
	return call_put_arg(printer, p, r, step);
}

/* The mode of open, which counts only by the flags before it, so that its label is its own. */
static char *put_open_mode(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step)
{
	u64 flags = lkst_field_int(r, (unsigned int)step->other);

	if (!(flags & (OPEN_CREAT | OPEN_TMPFILE)))
		return p;
	return call_put_arg(printer, lkst_put_str(p, step->label), r, step);
}

static char *call_put_text(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			   const struct lkst_step *step)
{
	return lkst_put_quoted(printer, p, r, step->index);
}

/* ---- building -------------------------------------------------------------------------------- */

/* The field with the string that argument @index points to; -1: none. */
static int string_of(const struct lkst_event_class *event, unsigned int index)
{
	size_t length = strlen(event->fields[index].name);
	unsigned int i;

	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];

		if (lkst_field_is_text(f) && !strncmp(f->name, event->fields[index].name, length) &&
		    !strcmp(f->name + length, "_str"))
			return (int)i;
	}
	return -1;
}

/* True if an argument points to the string in field @index. */
static bool call_is_string(const struct lkst_event_class *event, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < event->nr_fields; i++)
		if (lkst_field_is_int(&event->fields[i]) && string_of(event, i) == (int)index)
			return true;
	return false;
}

static void call_add(struct lkst_steps *steps, unsigned int i, bool has_names)
{
	const struct lkst_field_class *f = &steps->event->fields[i];
	int string = lkst_field_is_int(f) ? string_of(steps->event, i) : -1;
	struct lkst_step *step;

	/* No call has arguments of any other kind, but a file may say so. */
	if (!lkst_field_is_int(f) && !lkst_field_is_text(f))
		return;
	step = lkst_steps_add(steps, call_put_arg, (int)i, "%s%s%s", steps->nr ? ", " : "",
			      has_names ? f->name : "", has_names ? " = " : "");
	if (lkst_field_is_text(f)) {
		step->put = call_put_text;
	} else if (string >= 0) {
		step->put = call_put_path;
		step->other = (s16)string;
	} else if (f->sys_meaning == LKST_SYS_mode && i && lkst_field_is_int(f - 1) &&
		   (f[-1].sys_meaning == LKST_SYS_open_flags ||
		    f[-1].sys_meaning == LKST_SYS_open_flags_arm64)) {
		step->put = put_open_mode;
		step->other = (s16)(i - 1);
		step->label_length = 0;
	} else if (f->sys_meaning == LKST_SYS_fd || f->sys_meaning == LKST_SYS_atfd) {
		step->put = put_descriptor;
	}
}

void lkst_call_add_args(struct lkst_steps *steps, bool has_names)
{
	unsigned int i;

	for (i = 0; i < steps->event->nr_fields; i++)
		if (!call_is_string(steps->event, i))
			call_add(steps, i, has_names);
}

void lkst_call_add_arg(struct lkst_steps *steps, const char *name, bool has_names)
{
	int index = lkst_field_index(steps->event, name);

	if (index >= 0)
		call_add(steps, (unsigned int)index, has_names);
}
