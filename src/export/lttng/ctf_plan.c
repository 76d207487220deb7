/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans: which bytes of a record, and what else, make the event that LTTng would have written. */
#include "export/lttng/ctf_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/vec.h"
#include "export/lttng/ctf_metadata.h"

/* ---- the tables ------------------------------------------------------------------------------- */

/* The types of ctf_events.def. */
static const struct lkst_ctf_type type_s32 = { LKST_CTF_NUMBER, 4, true, 10, 0, NULL },
				  type_s64 = { LKST_CTF_NUMBER, 8, true, 10, 0, NULL },
				  type_u32 = { LKST_CTF_NUMBER, 4, false, 10, 0, NULL },
				  type_u64 = { LKST_CTF_NUMBER, 8, false, 10, 0, NULL },
				  type_x8 = { LKST_CTF_NUMBER, 1, false, 16, 0, NULL },
				  type_x64 = { LKST_CTF_NUMBER, 8, false, 16, 0, NULL },
				  type_args6 = { LKST_CTF_ARRAY, 8, false, 16, 6, NULL },
				  type_text16 = { LKST_CTF_CHARS, 1, false, 10, 16, NULL },
				  type_string = { .form = LKST_CTF_STRING };

struct member {
	const char *name;
	const struct lkst_ctf_type *type;
	u8 how;		/* enum lkst_ctf_how */
	const char *of; /* "none": no field */
};

struct ctf_plan_row {
	const char *name;
	const struct member *members;
	u8 nr_members;
};

#define LTTNG(event, lttng) static const struct member members_##event[] = {
#define MEMBER(type, name, how, of) { #name, &type_##type, LKST_CTF_HOW_##how, #of },
#define END                                                                                        \
	}                                                                                          \
	;
#include "export/lttng/ctf_events.def"

/* By enum lkst_event_index; without a name: LTTng does not have the event. */
static const struct ctf_plan_row rows[LKST_NR_EVENTS] = {
#define LTTNG(event, lttng)                                                                        \
	[LKST_EV_##event] = { lttng, members_##event,                                              \
			      sizeof(members_##event) / sizeof(members_##event[0]) },
#include "export/lttng/ctf_events.def"
};

struct ctf_plan_call {
	bool is_compat;
	const char *ours, *lttng, *arguments;
};

static const struct ctf_plan_call calls[] = {
#define CALL64(ours, lttng, arguments) { false, #ours, #lttng, arguments },
#define CALL32(ours, lttng, arguments) { true, #ours, #lttng, arguments },
#include "export/lttng/ctf_calls.def"
};

static const struct ctf_plan_call *ctf_plan_find_call(bool is_compat, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].is_compat == is_compat && !strcmp(calls[i].ours, name))
			return &calls[i];
	return is_compat ? ctf_plan_find_call(false, name) : NULL;
}

/* ---- plans ------------------------------------------------------------------------------------ */

struct plan {
	struct lkst_ctf_step *steps;
	u32 nr;
};

struct lkst_ctf_plans {
	struct plan all[LKST_ID_MAX + 1]; /* by id */
};

static int ctf_plan_add_step(struct plan *plan, struct lkst_ctf_step step)
{
	struct lkst_ctf_step *last = plan->nr ? &plan->steps[plan->nr - 1] : NULL, *added;

	if (step.how == LKST_CTF_HOW_COPY && last && last->how == LKST_CTF_HOW_COPY &&
	    last->from + last->with == step.from && last->with + step.with <= UINT16_MAX) {
		last->with = (u16)(last->with + step.with);
		return 0;
	}
	added = lkst_vec_add(plan->steps, plan->nr);
	if (!added)
		return -ENOMEM;
	*added = step;
	return 0;
}

static bool ctf_plan_is_number(const struct lkst_field_class *f)
{
	return (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT) &&
	       f->offset != LKST_OFFSET_VARIES;
}

static u16 index_of(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return (u16)(f - event->fields);
}

/* Whether six fields of 8 bytes follow each other from @f on. */
static bool has_six(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	u16 i, first = index_of(event, f);

	for (i = 0; i < 6; i++)
		if (first + i >= event->nr_fields || event->fields[first + i].size != 8 ||
		    !ctf_plan_is_number(&event->fields[first + i]) ||
		    event->fields[first + i].offset != f->offset + 8 * i)
			return false;
	return true;
}

/* The step for text in the form of @type. Returns false if the field does not have it. */
static bool plan_text(const struct lkst_event_class *event, const struct lkst_field_class *f,
		      const struct lkst_ctf_type *type, struct lkst_ctf_step *step)
{
	if (f->type != LKST_CLASS_CHARS && f->type != LKST_CLASS_STRING)
		return false;
	if (type->form == LKST_CTF_STRING) {
		*step = (struct lkst_ctf_step){ .how = LKST_CTF_HOW_TEXT,
						.from = index_of(event, f) };
		return true;
	}
	*step = (struct lkst_ctf_step){ .how = LKST_CTF_HOW_COPY,
					.from = f->offset,
					.with = f->count };
	return f->type == LKST_CLASS_CHARS && f->count == type->count &&
	       f->offset != LKST_OFFSET_VARIES;
}

/* The step for member @m. Returns false if the records do not have what it needs: then it is left out. */
static bool plan_member(const struct lkst_event_class *event, const struct member *m,
			struct lkst_ctf_step *step)
{
	const struct lkst_field_class *f = lkst_class_field(event, m->of);
	const struct lkst_field_class *request = lkst_class_field(event, "rq");

	*step = (struct lkst_ctf_step){ .how = m->how, .out = m->type->size };
	if (!strcmp(m->of, "none"))
		return true;
	if (!f)
		return false;
	if (m->how == LKST_CTF_HOW_TEXT)
		return plan_text(event, f, m->type, step);
	if (!ctf_plan_is_number(f))
		return false;
	step->from = f->offset;
	step->in = f->size;
	step->is_signed = f->type == LKST_CLASS_SINT;
	if (m->how == LKST_CTF_HOW_VALUE && f->size == m->type->size)
		*step = (struct lkst_ctf_step){ .how = LKST_CTF_HOW_COPY,
						.from = f->offset,
						.with = f->size };
	if (m->how == LKST_CTF_HOW_SIX)
		*step = (struct lkst_ctf_step){ .how = LKST_CTF_HOW_COPY,
						.from = f->offset,
						.with = 6 * 8 };
	if (m->how == LKST_CTF_HOW_RWBS && request && ctf_plan_is_number(request) && request->size == 8)
		step->with = request->offset;
	return m->how != LKST_CTF_HOW_SIX || has_six(event, f);
}

static int plan_row(FILE *metadata, struct plan *plan, const struct lkst_event_class *event,
		    const struct ctf_plan_row *row)
{
	struct lkst_ctf_step step;
	u32 i;
	int err = 0;

	lkst_ctf_describe_event(metadata, "", row->name, event->id);
	for (i = 0; i < row->nr_members && !err; i++) {
		if (!plan_member(event, &row->members[i], &step))
			continue;
		lkst_ctf_describe_field(metadata, row->members[i].name, row->members[i].type);
		err = ctf_plan_add_step(plan, step);
	}
	lkst_ctf_describe_end(metadata);
	return err;
}

/* Field @i as it is, called @name. Of a field whose length another one says, that one is called as it is here. */
static int plan_field(FILE *metadata, struct plan *plan, const struct lkst_event_class *event,
		      u16 i, const char *name)
{
	static const u8 forms[] = {
		[LKST_CLASS_UINT] = LKST_CTF_NUMBER, [LKST_CLASS_SINT] = LKST_CTF_NUMBER,
		[LKST_CLASS_CHARS] = LKST_CTF_CHARS, [LKST_CLASS_STRING] = LKST_CTF_STRING,
		[LKST_CLASS_UINTS] = LKST_CTF_ARRAY, [LKST_CLASS_SINTS] = LKST_CTF_ARRAY,
		[LKST_CLASS_TEXT] = LKST_CTF_CHARS,  [LKST_CLASS_BYTES] = LKST_CTF_ARRAY,
		[LKST_CLASS_WORDS] = LKST_CTF_ARRAY,
	};
	const struct lkst_field_class *f = &event->fields[i];
	bool is_signed = f->type == LKST_CLASS_SINT || f->type == LKST_CLASS_SINTS;
	struct lkst_ctf_type type = { forms[f->type], f->size, is_signed, f->base, f->count, NULL };
	bool is_array = type.form == LKST_CTF_ARRAY;

	if (f->type == LKST_CLASS_BYTES || type.form == LKST_CTF_CHARS)
		type.size = 1;
	if (lkst_class_has_length(f))
		type.length = event->fields[f->length_field].name;
	lkst_ctf_describe_field(metadata, name, &type);
	if (type.form == LKST_CTF_STRING || type.length || f->offset == LKST_OFFSET_VARIES)
		return ctf_plan_add_step(plan,
					 (struct lkst_ctf_step){ .how = LKST_CTF_HOW_FIELD, .from = i });
	return ctf_plan_add_step(
		plan,
		(struct lkst_ctf_step){
				 .how = LKST_CTF_HOW_COPY,
				 .from = f->offset,
				 .with = (u16)(type.size *
					       (is_array || f->type == LKST_CLASS_CHARS ? f->count : 1)),
		});
}

/* An event that LTTng does not have. */
static int plan_own(FILE *metadata, struct plan *plan, const struct lkst_event_class *event)
{
	u16 i;
	int err = 0;

	lkst_ctf_describe_event(metadata, "", event->name, event->id);
	for (i = 0; i < event->nr_fields && !err; i++)
		if (event->fields[i].meaning != LKST_MEANING_PAD)
			err = plan_field(metadata, plan, event, i, event->fields[i].name);
	lkst_ctf_describe_end(metadata);
	return err;
}

/* ---- system calls ----------------------------------------------------------------------------- */

enum { ARGUMENT_NAME = 32 };

/* Word @i of @text, "" if there is none: words are separated by @between. */
static void get_word(const char *text, u32 i, const char *between, char name[ARGUMENT_NAME])
{
	size_t length;

	name[0] = 0;
	while (i--) {
		text += strcspn(text, between);
		text += strspn(text, between);
	}
	length = strcspn(text, between);
	if (length < ARGUMENT_NAME) {
		memcpy(name, text, length);
		name[length] = 0;
	}
}

/* The position among the arguments of @s of the one called @name, which has @length bytes; -1: it is none. */
static int find_argument(const struct lkst_syscall *s, const char *name, size_t length)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int i, nr = lkst_syscall_args(s, args);

	for (i = 0; i < nr; i++)
		if (strlen(args[i].name) == length && !memcmp(args[i].name, name, length))
			return (int)i;
	return -1;
}

/*
 * LTTng's name of field @i of a system call's event, or our name. False: LTTng does not have it: the address of a
 * string that is there itself.
 */
static bool ctf_plan_name_argument(const struct lkst_event_class *event, const struct ctf_plan_call *call, u16 i,
				   char name[LKST_NAME_MAX])
{
	const struct lkst_syscall *s = &lkst_syscalls[event->syscall];
	const char *own = event->fields[i].name;
	size_t length = strlen(own);
	bool is_string = event->fields[i].type == LKST_CLASS_STRING;
	char string[LKST_NAME_MAX + 8], lttng[ARGUMENT_NAME] = "";
	int at;

	snprintf(string, sizeof(string), "%s_str", own);
	if (!is_string && lkst_class_field(event, string))
		return false;
	if (is_string && length > 4 && !strcmp(own + length - 4, "_str"))
		length -= 4;
	at = find_argument(s, own, length);
	if (call && at >= 0)
		get_word(call->arguments, (u32)at, " ", lttng);
	snprintf(name, LKST_NAME_MAX, "%s", *lttng ? lttng : own);
	if (!*lttng && at >= 0)
		name[length] = 0;
	return true;
}

static int plan_call(FILE *metadata, struct plan *plan, const struct lkst_event_class *event)
{
	const struct ctf_plan_call *call = ctf_plan_find_call(event->is_compat, lkst_class_call(event));
	char name[LKST_NAME_MAX], start[LKST_NAME_MAX];
	u16 i;
	int err = 0;

	/* "syscall_entry_", "compat_syscall_exit_" */
	snprintf(start, sizeof(start), "%.*s", event->call_at, event->name);
	lkst_ctf_describe_event(metadata, start, call ? call->lttng : lkst_class_call(event),
				event->id);
	for (i = 0; i < event->nr_fields && !err; i++)
		if (event->fields[i].meaning != LKST_MEANING_PAD &&
		    ctf_plan_name_argument(event, call, i, name))
			err = plan_field(metadata, plan, event, i, name);
	lkst_ctf_describe_end(metadata);
	return err;
}

/* ---- all plans -------------------------------------------------------------------------------- */

int lkst_ctf_plans_new(struct lkst_err *e, const struct lkst_catalog *c, FILE *metadata,
		       struct lkst_ctf_plans **ret_plans)
{
	_cleanup_(lkst_ctf_plans_freep) struct lkst_ctf_plans *p = calloc(1, sizeof(*p));
	u32 id;
	int err = p ? 0 : -ENOMEM;

	for (id = 1; id <= LKST_ID_MAX && !err; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event)
			continue;
		if (event->syscall >= 0 && lkst_class_call(event))
			err = plan_call(metadata, &p->all[id], event);
		else if (event->index >= 0 && rows[event->index].name)
			err = plan_row(metadata, &p->all[id], event, &rows[event->index]);
		else
			err = plan_own(metadata, &p->all[id], event);
	}
	if (err)
		return lkst_err_sys(e, err, "preparing the events");
	*ret_plans = p;
	p = NULL;
	return 0;
}

void lkst_ctf_plans_free(struct lkst_ctf_plans *p)
{
	u32 id;

	for (id = 0; p && id <= LKST_ID_MAX; id++)
		free(p->all[id].steps);
	free(p);
}

/* ---- following a plan ------------------------------------------------------------------------- */

u8 *lkst_ctf_put_fields(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
			const struct lkst_record *r, u8 *at)
{
	const struct plan *plan = &p->all[r->event->id];
	u32 i;

	for (i = 0; i < plan->nr; i++)
		at = lkst_ctf_follow(&plan->steps[i], context, r, at);
	return at;
}

void lkst_ctf_keep_requests(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
			    const struct lkst_record *r)
{
	const struct plan *plan = &p->all[r->event->id];
	u8 ignored[sizeof(u64)];
	u32 i;

	for (i = 0; i < plan->nr; i++)
		if (plan->steps[i].how == LKST_CTF_HOW_RWBS)
			lkst_ctf_follow(&plan->steps[i], context, r, ignored);
}
