/* SPDX-License-Identifier: GPL-2.0-only */
/* The catalogue of one trace: classes by id and name, their layout, and what is known of them. */
#include "trace/format/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "trace/format/half.h"

_Static_assert(2 * LKST_NR_EVENTS <= LKST_BUILTIN_SLOTS, "the hash table must stay half empty");
_Static_assert((LKST_BUILTIN_SLOTS & (LKST_BUILTIN_SLOTS - 1)) == 0, "slots are masked");
_Static_assert((LKST_NAME_SLOTS & (LKST_NAME_SLOTS - 1)) == 0, "slots are masked");

/* FNV-1a. */
static u32 catalog_hash(const char *name)
{
	u32 h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 16777619u;
	return h;
}

/* The slot that holds @name, or the empty one where it would go. */
static u16 *name_slot(struct lkst_catalog *c, const char *name)
{
	u32 i = catalog_hash(name);

	for (;; i++) {
		u16 *slot = &c->by_name[i & (LKST_NAME_SLOTS - 1)];

		if (!*slot || !strcmp(c->classes[*slot - 1]->name, name))
			return slot;
	}
}

static u16 *builtin_slot(struct lkst_catalog *c, const char *name)
{
	u32 i = catalog_hash(name);

	for (;; i++) {
		u16 *slot = &c->builtin_by_name[i & (LKST_BUILTIN_SLOTS - 1)];

		if (!*slot || !strcmp(lkst_events[*slot - 1].name, name))
			return slot;
	}
}

struct lkst_catalog *lkst_catalog_new(void)
{
	struct lkst_catalog *c = calloc(1, sizeof(*c));
	u16 i;

	if (!c)
		return NULL;
	for (i = 0; i < LKST_NR_EVENTS; i++)
		*builtin_slot(c, lkst_events[i].name) = i + 1;
	return c;
}

void lkst_catalog_free(struct lkst_catalog *c)
{
	u32 i;

	if (!c)
		return;
	for (i = 0; i <= LKST_ID_MAX; i++)
		free(c->classes[i]);
	free(c);
}

const struct lkst_event_class *lkst_catalog_find(const struct lkst_catalog *c, const char *name)
{
	u16 slot = *name_slot((struct lkst_catalog *)c, name);

	return slot ? c->classes[slot - 1] : NULL;
}

/* ---- checks and layout -------------------------------------------------------------- */

static bool is_terminated(const char *name)
{
	return name[0] && memchr(name, 0, LKST_NAME_MAX);
}

/* An event's name may hold anything that can be printed, but nothing that needs quoting. */
static bool is_event_name(const char *name)
{
	if (!is_terminated(name))
		return false;
	for (; *name; name++)
		if (*name <= ' ' || *name > '~' || *name == '"' || *name == '\\')
			return false;
	return true;
}

/* A field's name is an identifier of C. */
static bool is_field_name(const char *name)
{
	if (!is_terminated(name) || (*name >= '0' && *name <= '9'))
		return false;
	for (; *name; name++)
		if (!(*name >= '0' && *name <= '9') && !(*name >= 'a' && *name <= 'z') &&
		    !(*name >= 'A' && *name <= 'Z') && *name != '_')
			return false;
	return true;
}

static bool is_integer(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT;
}

/* True if the field is made of integers, whose size counts. */
static bool has_size(const struct lkst_field_class *f)
{
	return is_integer(f) || f->type == LKST_CLASS_UINTS || f->type == LKST_CLASS_SINTS ||
	       f->type == LKST_CLASS_WORDS;
}

static bool catalog_is_varying(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_STRING || lkst_class_has_length(f);
}

static int check_field(struct lkst_err *e, const struct lkst_event_class *event, u16 i)
{
	const struct lkst_field_class *f = &event->fields[i], *length;
	u16 k;

	if (!is_field_name(f->name))
		return lkst_err_set(e, -EINVAL, "field %u has a name that is not an identifier", i);
	for (k = 0; k < i; k++)
		if (!strcmp(event->fields[k].name, f->name))
			return lkst_err_set(e, -EINVAL, "two fields are called %s", f->name);
	if (f->type > LKST_CLASS_WORDS)
		return lkst_err_set(e, -EINVAL, "field %s has no known type", f->name);
	if (has_size(f) && f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return lkst_err_set(e, -EINVAL, "field %s has an integer of %u bytes", f->name,
				    f->size);
	if (f->base != 8 && f->base != 10 && f->base != 16)
		return lkst_err_set(e, -EINVAL, "field %s has base %u", f->name, f->base);
	if (f->meaning >= LKST_NR_MEANINGS)
		return lkst_err_set(e, -EINVAL, "field %s has no known meaning", f->name);
	if (!f->count && (f->type == LKST_CLASS_CHARS || f->type == LKST_CLASS_UINTS ||
			  f->type == LKST_CLASS_SINTS))
		return lkst_err_set(e, -EINVAL, "field %s is an array of nothing", f->name);
	if (lkst_class_has_length(f)) {
		if (f->length_field >= i)
			return lkst_err_set(e, -EINVAL,
					    "the length of field %s does not precede it", f->name);
		length = &event->fields[f->length_field];
		if (length->type != LKST_CLASS_UINT)
			return lkst_err_set(e, -EINVAL, "the length of field %s is field %s, %s",
					    f->name, length->name, "which is not an unsigned integer");
	}
	return 0;
}

/* Works out where each field lies. CTF's rules: an integer is aligned to its size, at most 4. */
static int catalog_lay_out(struct lkst_err *e, struct lkst_event_class *event)
{
	u32 at = sizeof(struct lkst_record_head);
	u16 i;

	event->is_fixed = true;
	for (i = 0; i < event->nr_fields; i++) {
		struct lkst_field_class *f = &event->fields[i];
		u32 align = has_size(f) ? (f->size > 4 ? 4 : f->size) : 1;

		if (!event->is_fixed) {
			f->offset = LKST_OFFSET_VARIES;
			continue;
		}
		at = (at + align - 1) & ~(align - 1);
		f->offset = at;
		if (catalog_is_varying(f)) {
			event->is_fixed = false;
			continue;
		}
		at += is_integer(f) ? f->size : has_size(f) ? f->size * f->count : f->count;
		if (at >= LKST_OFFSET_VARIES)
			return lkst_err_set(e, -EINVAL, "a record would be too large");
	}
	event->size = at;
	return 0;
}

/* ---- the two events of a system call: how they are laid out, and what their fields mean ------ */

/* How many fields the entry or the exit of a system call may have; abi/syscalls.h has the rule. */
enum { SYSCALL_FIELDS_MAX = 2 * LKST_SYSCALL_ARGS_MAX };

static const char string_suffix[] = "_str";

#ifdef __aarch64__
static const bool is_here_arm64 = true;
#else
static const bool is_here_arm64 = false;
#endif

/* Whether numbers of calls are arm64's; @machine: what uname(2) says where it was recorded, "" if that is here. */
static bool machine_is_arm64(const char *machine)
{
	return machine[0] ? !strcmp(machine, "aarch64") : is_here_arm64;
}

/* The flags of open(2) are not everywhere the same bits. */
static u8 meaning_on(const char *machine, u8 meaning)
{
	return machine_is_arm64(machine) && meaning == LKST_SYS_open_flags ? LKST_SYS_open_flags_arm64
									   : meaning;
}

/* What is known of an argument, by its name. */
static void describe_argument(struct lkst_field_class *f, const struct lkst_syscall_arg *args,
			      unsigned int nr, const char *machine)
{
	bool is_integer = f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT;
	unsigned int i;

	for (i = 0; i < nr && is_integer; i++)
		if (!strcmp(f->name, args[i].name))
			f->sys_meaning = meaning_on(machine, args[i].meaning);
}

/*
 * If @event is a system call's (lkst_half_describe() has said), sets its group and, if the call is one of the
 * table, its row and the meanings of its fields; leaves it as it is otherwise. @machine as above.
 */
static void catalog_describe_syscall(struct lkst_event_class *event, const char *machine)
{
	const char *call = lkst_class_call(event);
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	const struct lkst_syscall *row;
	unsigned int nr = 0;
	u16 i;

	for (i = 0; i < event->nr_fields; i++)
		event->fields[i].sys_meaning = 0;
	if (!call)
		return;
	event->group = LKST_GROUP_SYSCALL;
	row = lkst_syscall_find(event->is_compat, call);
	if (!row)
		return;
	event->syscall = (s16)(row - lkst_syscalls);
	if (event->half == LKST_HALF_ENTRY)
		nr = lkst_syscall_values(row, args);
	for (i = 0; i < event->nr_fields; i++) {
		struct lkst_field_class *f = &event->fields[i];

		if (event->half == LKST_HALF_ENTRY)
			describe_argument(f, args, nr, machine);
		else if (!strcmp(f->name, "ret") && f->size == 8)
			f->sys_meaning = row->result;
	}
}

static int catalog_syscall_set_name(struct lkst_err *e, struct lkst_event_class *event,
				    const struct lkst_syscall *row, enum lkst_half half)
{
	struct lkst_call_name name = { half, row->is_compat, row->name };
	int n = lkst_call_name_format(event->name, sizeof(event->name), &name);

	if (n < 0 || (size_t)n >= sizeof(event->name))
		return lkst_err_set(e, -EINVAL, "the name of system call %s is too long",
				    row->name);
	return 0;
}

/* Adds a field for the string of each argument that has one. */
static void catalog_syscall_add_strings(struct lkst_event_class *event, const struct lkst_syscall_arg *args,
					unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct lkst_field_class *f = &event->fields[event->nr_fields];

		if (args[i].meaning != LKST_SYS_path)
			continue;
		*f = (struct lkst_field_class){ .type = LKST_CLASS_STRING, .base = 10 };
		snprintf(f->name, sizeof(f->name), "%s%s", args[i].name, string_suffix);
		event->nr_fields++;
	}
}

/* Sets name and fields of @event to those of the entry or exit of row @row of lkst_syscalls[]. It has room for them. */
static int syscall_entry_class(struct lkst_err *e, unsigned int row, struct lkst_event_class *event)
{
	const struct lkst_syscall *s = &lkst_syscalls[row];
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int i, nr = lkst_syscall_values(s, args);
	struct lkst_field_class *fields = event->fields;

	for (i = 0; i < nr; i++) {
		fields[i] = (struct lkst_field_class){ .size = args[i].size, .base = args[i].base };
		fields[i].type = args[i].is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT;
		memcpy(fields[i].name, args[i].name, sizeof(args[i].name));
	}
	event->nr_fields = (u16)nr;
	catalog_syscall_add_strings(event, args, nr);
	return catalog_syscall_set_name(e, event, s, LKST_HALF_ENTRY);
}

static int syscall_exit_class(struct lkst_err *e, unsigned int row, struct lkst_event_class *event)
{
	const struct lkst_syscall *s = &lkst_syscalls[row];
	const struct lkst_sys_meaning_desc *result = &lkst_sys_meanings[s->result];
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int nr = lkst_syscall_values(s, args);

	event->nr_fields = 1;
	event->fields[0] =
		(struct lkst_field_class){ .name = "ret", .size = 8, .base = result->base };
	event->fields[0].type = result->is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT;
	catalog_syscall_add_strings(event, args, nr);
	return catalog_syscall_set_name(e, event, s, LKST_HALF_EXIT);
}

/* ---- what is known of a name ---------------------------------------------------------- */

bool lkst_catalog_is_arm64(const struct lkst_catalog *c)
{
	return machine_is_arm64(c->machine);
}

/* Whether a field is stored as the built-in catalogue has it. */
static bool is_same_form(const struct lkst_field_class *f, const struct lkst_field_desc *desc)
{
	switch (desc->type) {
	case LKST_TYPE_UINT:
		return f->type == LKST_CLASS_UINT && f->size == desc->size;
	case LKST_TYPE_SINT:
		return f->type == LKST_CLASS_SINT && f->size == desc->size;
	case LKST_TYPE_CHARS:
		return f->type == LKST_CLASS_CHARS && f->count == desc->size;
	case LKST_TYPE_WORDS:
		return f->type == LKST_CLASS_WORDS && f->size == sizeof(u64);
	default:
		return f->type == LKST_CLASS_STRING;
	}
}

/* Whether it is of the same kind, so that the meaning applies: a number, or characters. */
static bool is_same_kind(const struct lkst_field_class *f, const struct lkst_field_desc *desc)
{
	bool is_number = desc->type == LKST_TYPE_UINT || desc->type == LKST_TYPE_SINT ||
			 desc->type == LKST_TYPE_WORDS;

	return is_number ? has_size(f) : !has_size(f);
}

/* Takes over what the built-in catalogue says of an event of this name. */
static void describe_builtin(const struct lkst_catalog *c, struct lkst_event_class *event, u16 index)
{
	const struct lkst_event_desc *desc = &lkst_events[index];
	u16 i, k;

	event->index = (s16)index;
	event->group = desc->group;
	event->is_native = event->nr_fields == desc->nr_fields && event->size == desc->size;
	for (i = 0; i < event->nr_fields; i++) {
		struct lkst_field_class *f = &event->fields[i];

		if (event->is_native &&
		    (strcmp(f->name, desc->fields[i].name) || !is_same_form(f, &desc->fields[i])))
			event->is_native = false;
		for (k = 0; k < desc->nr_fields; k++)
			if (!strcmp(f->name, desc->fields[k].name) &&
			    is_same_kind(f, &desc->fields[k]) && f->meaning <= LKST_MEANING_HEX)
				f->meaning = desc->fields[k].meaning;
		if (f->meaning == LKST_MEANING_CALL && lkst_catalog_is_arm64(c))
			f->meaning = LKST_MEANING_CALL_ARM64;
	}
}

static bool is_pad_name(const char *name)
{
	return !strncmp(name, "pad", 3) && name[3 + strspn(name + 3, "0123456789")] == 0;
}

/* The group of an event that is in no table: a tracepoint or probe is "system:name", a handler's "handler.name". */
static u8 catalog_group_of(const struct lkst_event_class *event)
{
	const char *first = event->nr_fields ? event->fields[0].name : "";

	if (!strncmp(event->name, LKST_MARK_EVENT_PREFIX, strlen(LKST_MARK_EVENT_PREFIX)))
		return LKST_GROUP_MARK;
	if (!strchr(event->name, ':'))
		return strchr(event->name, '.') ? LKST_GROUP_HANDLER : LKST_GROUP_TRACEPOINT;
	return strcmp(first, LKST_PROBE_FIELD_IP) && strcmp(first, LKST_PROBE_FIELD_RET_IP)
		       ? LKST_GROUP_TRACEPOINT
		       : LKST_GROUP_PROBE;
}

static void catalog_describe(struct lkst_catalog *c, struct lkst_event_class *event)
{
	u16 slot = *builtin_slot(c, event->name), i;

	event->index = -1;
	event->syscall = -1;
	event->is_native = false;
	event->group = catalog_group_of(event);
	if (slot)
		describe_builtin(c, event, slot - 1);
	lkst_half_describe(event);
	if (!slot)
		catalog_describe_syscall(event, c->machine);
	for (i = 0; i < event->nr_fields; i++) {
		struct lkst_field_class *f = &event->fields[i];

		if (f->meaning > LKST_MEANING_HEX)
			continue;
		f->meaning = f->base == 16 ? LKST_MEANING_HEX : LKST_MEANING_DEC;
		if (event->index < 0 && event->syscall < 0 && is_pad_name(f->name))
			f->meaning = LKST_MEANING_PAD;
		else if (event->group == LKST_GROUP_PROBE && !strcmp(f->name, LKST_PROBE_FIELD_FAULTS))
			f->meaning = LKST_MEANING_PAD; /* views show what it says of other fields */
		else if (!has_size(f) && f->type != LKST_CLASS_BYTES)
			f->meaning = LKST_MEANING_TEXT;
	}
}

/* Joins @event with its other half, if that has been added before it. */
static void join_halves(struct lkst_catalog *c, struct lkst_event_class *event)
{
	char name[LKST_NAME_MAX];
	unsigned int i;

	for (i = 0; lkst_half_other_name(event, i, name); i++) {
		u16 slot = *name_slot(c, name);
		struct lkst_event_class *other = slot ? c->classes[slot - 1] : NULL;

		if (!other || other->other_half != LKST_ID_NONE)
			continue;
		other->other_half = event->id;
		event->other_half = other->id;
		return;
	}
}

/* ---- adding --------------------------------------------------------------------------- */

int lkst_event_class_new(struct lkst_err *e, const struct lkst_event_class *event,
			 struct lkst_event_class **ret_class)
{
	const size_t fields_size = event->nr_fields * sizeof(*event->fields);
	_cleanup_free_ struct lkst_event_class *copy = NULL;
	int err;
	u16 i;

	if (!is_event_name(event->name))
		return lkst_err_set(e, -EINVAL, "its name cannot be an event's");
	if (event->nr_fields > LKST_FIELDS_MAX)
		return lkst_err_set(e, -EINVAL, "it has %u fields, more than %u", event->nr_fields,
				    LKST_FIELDS_MAX);
	for (i = 0; i < event->nr_fields; i++) {
		err = check_field(e, event, i);
		if (err)
			return err;
	}
	copy = malloc(sizeof(*copy) + fields_size);
	if (!copy)
		return lkst_err_sys(e, -ENOMEM, "an event's fields");
	*copy = *event;
	copy->fields = (struct lkst_field_class *)(copy + 1);
	if (fields_size)
		memcpy(copy->fields, event->fields, fields_size);
	err = catalog_lay_out(e, copy);
	if (!err)
		*ret_class = lkst_take(copy);
	return err;
}

static int check_place(struct lkst_err *e, struct lkst_catalog *c, const struct lkst_event_class *event)
{
	if (event->id == LKST_ID_NONE || event->id > LKST_ID_MAX)
		return lkst_err_set(e, -EINVAL, "id %u is not between 1 and %u", event->id,
				    LKST_ID_MAX);
	if (c->classes[event->id])
		return lkst_err_set(e, -EEXIST, "id %u is taken by %s", event->id,
				    c->classes[event->id]->name);
	if (*name_slot(c, event->name))
		return lkst_err_set(e, -EEXIST, "an event of this name is there already");
	return 0;
}

int lkst_catalog_add(struct lkst_err *e, struct lkst_catalog *c,
		     const struct lkst_event_class *event)
{
	_cleanup_free_ struct lkst_event_class *copy = NULL;
	int err = lkst_event_class_new(e, event, &copy) ?: check_place(e, c, copy);

	if (err) {
		lkst_err_add(e, "event %.*s", LKST_NAME_MAX, event->name);
		return err;
	}
	catalog_describe(c, copy);
	c->classes[copy->id] = copy;
	c->nr_classes++;
	c->nr_declared += copy->group == LKST_GROUP_HANDLER || copy->group == LKST_GROUP_PROBE;
	c->nr_marks += copy->group == LKST_GROUP_MARK && copy->index < 0;
	/* The slot is looked for while the class has not got it yet, so that it is the empty one. */
	*name_slot(c, copy->name) = copy->id + 1;
	join_halves(c, lkst_take(copy));
	return 0;
}

int lkst_catalog_add_builtin(struct lkst_err *e, struct lkst_catalog *c, u16 id,
			     enum lkst_event_index index)
{
	static const u8 type[] = {
		[LKST_TYPE_UINT] = LKST_CLASS_UINT,
		[LKST_TYPE_SINT] = LKST_CLASS_SINT,
		[LKST_TYPE_CHARS] = LKST_CLASS_CHARS,
		[LKST_TYPE_STRING] = LKST_CLASS_STRING,
		[LKST_TYPE_WORDS] = LKST_CLASS_WORDS,
	};
	const struct lkst_event_desc *desc = &lkst_events[index];
	struct lkst_field_class fields[LKST_FIELDS_MAX] = {};
	struct lkst_event_class event = { .id = id,
					  .fields = fields,
					  .nr_fields = desc->nr_fields };
	int err;
	u16 i;

	strncpy(event.name, desc->name, LKST_NAME_MAX - 1);
	if (desc->nr_fields > LKST_FIELDS_MAX)
		return lkst_err_set(e, -EINVAL, "event %s has too many fields", desc->name);
	for (i = 0; i < desc->nr_fields; i++) {
		struct lkst_field_class *f = &fields[i];

		strncpy(f->name, desc->fields[i].name, LKST_NAME_MAX - 1);
		f->type = type[desc->fields[i].type];
		f->meaning = desc->fields[i].meaning;
		f->base = lkst_meaning_base[f->meaning];
		if (f->type == LKST_CLASS_CHARS)
			f->count = desc->fields[i].size;
		else
			f->size = f->type == LKST_CLASS_WORDS ? sizeof(u64) : desc->fields[i].size;
		f->length_field = f->type == LKST_CLASS_WORDS ? i - 1 : 0;
	}
	err = lkst_catalog_add(e, c, &event);
	if (!err && !c->classes[id]->is_native)
		return lkst_err_set(e, -EINVAL, "event %s has a hole between its fields",
				    desc->name);
	return err;
}

int lkst_catalog_add_syscall(struct lkst_err *e, struct lkst_catalog *c, u16 entry_id, u16 exit_id,
			     unsigned int row)
{
	struct lkst_field_class fields[SYSCALL_FIELDS_MAX] = {};
	struct lkst_event_class event = { .id = entry_id, .fields = fields };
	int err = syscall_entry_class(e, row, &event) ?: lkst_catalog_add(e, c, &event);

	if (err)
		return err;
	event.id = exit_id;
	return syscall_exit_class(e, row, &event) ?: lkst_catalog_add(e, c, &event);
}
