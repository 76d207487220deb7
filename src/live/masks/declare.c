/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that handlers declare, by the types in their objects. */
#include "live/masks/declare.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/programs/handler_pins.h"

enum {
	MODIFIERS_MAX = 16,
	OWN_EVENTS_MAX = 64, /* of one handler */
};

#define MEANING_PREFIX "lkst_"

/* The meaning that the type called @name stands for: lkst_code is CODE. 0: none. */
static u8 declare_meaning_of(const char *name)
{
	u8 i;

	if (!name || strncmp(name, MEANING_PREFIX, strlen(MEANING_PREFIX)))
		return 0;
	for (i = 0; i < LKST_NR_MEANINGS; i++)
		if (!strcasecmp(name + strlen(MEANING_PREFIX), lkst_meaning_names[i]))
			return i;
	return 0;
}

/* The type without typedefs and qualifiers, NULL: none; and the meaning that one of their names stands for. */
static const struct btf_type *declare_resolve(const struct btf *btf, u32 id, u8 *meaning)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	unsigned int i;

	for (i = 0; type && i < MODIFIERS_MAX && (btf_is_mod(type) || btf_is_typedef(type)); i++) {
		if (btf_is_typedef(type) && !*meaning)
			*meaning = declare_meaning_of(btf__name_by_offset(btf, type->name_off));
		type = btf__type_by_id(btf, type->type);
	}
	return type;
}

static bool is_char(const struct btf *btf, const struct btf_type *type)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	return btf_is_int(type) && type->size == 1 && name && !strcmp(name, "char");
}

/* ---- a field ---------------------------------------------------------------------------------- */

/* An integer, or an element of an array of them. False: it is of another type. */
static bool describe_integer(const struct btf_type *type, struct lkst_field_class *f)
{
	if (!type || !(btf_is_int(type) || btf_is_any_enum(type)) ||
	    (type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8))
		return false;
	f->type = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED ? LKST_CLASS_SINT
									      : LKST_CLASS_UINT;
	f->size = (u8)type->size;
	if (btf_is_int(type) && btf_int_encoding(type) & BTF_INT_BOOL)
		f->meaning = LKST_MEANING_BOOL;
	f->base = lkst_meaning_base[f->meaning];
	return true;
}

/* @before: the field before it, NULL: it is the first. */
static bool describe_array(const struct btf *btf, const struct btf_type *type, u16 index,
			   const struct lkst_field_class *before, struct lkst_field_class *f)
{
	const u32 count = btf_array(type)->nelems;
	const struct btf_type *element = declare_resolve(btf, btf_array(type)->type, &f->meaning);

	if (!describe_integer(element, f) || count > UINT16_MAX)
		return false;
	f->count = (u16)count;
	if (!count) {
		f->type = LKST_CLASS_WORDS;
		f->length_field = index - 1;
		return f->size > 1 && before && before->type == LKST_CLASS_UINT;
	}
	if (is_char(btf, element)) {
		f->type = LKST_CLASS_CHARS;
		f->meaning = LKST_MEANING_TEXT;
		f->size = 0;
		return true;
	}
	f->type = f->type == LKST_CLASS_SINT ? LKST_CLASS_SINTS : LKST_CLASS_UINTS;
	return true;
}

static int describe_field(struct lkst_err *e, const struct btf *btf, const struct btf_type *layout,
			  u16 member, struct lkst_event_class *event)
{
	const struct btf_member *m = &btf_members(layout)[member];
	struct lkst_field_class *f = &event->fields[event->nr_fields];
	const char *name = btf__name_by_offset(btf, m->name_off);
	const u32 at = btf_member_bit_offset(layout, member) / 8;
	const struct btf_type *type;
	u32 align;
	bool is_good;

	memset(f, 0, sizeof(*f));
	if (!name || strlen(name) >= sizeof(f->name))
		return lkst_err_set(e, -EINVAL, "a field has no name, or a long one");
	strcpy(f->name, name);
	type = declare_resolve(btf, m->type, &f->meaning);
	if (type && btf_is_array(type))
		is_good = describe_array(btf, type, event->nr_fields,
					 event->nr_fields ? f - 1 : NULL, f) &&
			  (f->count || member == btf_vlen(layout) - 1);
	else
		is_good = describe_integer(type, f);
	if (!is_good || btf_member_bitfield_size(layout, member))
		return lkst_err_set(
			e, -EINVAL,
			"field %s is neither an integer, nor an array of some, nor the last "
			"one after its count",
			name);
	/* Readers find integers at such places; then nothing is skipped, and both agree. */
	align = f->size > 4 ? 4 : f->size ?: 1;
	if (at % align)
		return lkst_err_set(
			e, -EINVAL,
			"field %s is at byte %u, not a multiple of %u: put larger fields "
			"first",
			name, at, align);
	event->nr_fields++;
	return 0;
}

/* ---- an event --------------------------------------------------------------------------------- */

static int describe_event(struct lkst_err *e, const struct btf *btf, const char *name,
			  struct lkst_event_class *event)
{
	char layout_name[sizeof(LKST_OWN_LAYOUT) + LKST_OWN_NAME];
	const struct btf_type *layout;
	int id, err = 0;
	u16 i;

	snprintf(layout_name, sizeof(layout_name), LKST_OWN_LAYOUT "%.*s", LKST_OWN_NAME - 1, name);
	id = btf__find_by_name_kind(btf, layout_name, BTF_KIND_STRUCT);
	layout = id > 0 ? btf__type_by_id(btf, id) : NULL;
	if (!layout || !btf_vlen(layout))
		return lkst_err_set(e, -EINVAL, "the object has no type %s", layout_name);
	if (btf_vlen(layout) - 1 > LKST_FIELDS_MAX)
		return lkst_err_set(e, -EINVAL, "it has more than %u fields", LKST_FIELDS_MAX);
	/* The first member is the record's head. */
	for (i = 1; i < btf_vlen(layout) && !err; i++)
		err = describe_field(e, btf, layout, i, event);
	return err;
}

static int masks_declare(struct lkst_err *e, struct lkst_session *s, const struct btf *btf,
			 const char *handler, struct lkst_own_event *own)
{
	struct lkst_field_class fields[LKST_FIELDS_MAX];
	struct lkst_event_class event = { .fields = fields };
	int err;

	snprintf(event.name, sizeof(event.name), "%s.%.*s", handler, LKST_OWN_NAME - 1, own->name);
	err = describe_event(e, btf, own->name, &event);
	err = err ?: lkst_session_declare(e, s, &event, &own->id);
	if (err)
		lkst_err_add(e, "event %s", event.name);
	return err;
}

int lkst_declare_events(struct lkst_err *e, struct lkst_session *s, struct bpf_object *object,
			const char *handler)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, LKST_OWN_EVENTS);
	const struct btf *btf = bpf_object__btf(object);
	struct lkst_own_event *own;
	size_t size, i;
	int err = 0;

	if (!map)
		return 0;
	own = (void *)bpf_map__initial_value(map, &size);
	if (!own || !btf || size % sizeof(*own) || size / sizeof(*own) > OWN_EVENTS_MAX)
		return lkst_err_set(
			e, -EINVAL,
			"the events that it declares make no sense: there are at most %u, "
			"each an LKST_EVENT()",
			OWN_EVENTS_MAX);
	for (i = 0; i < size / sizeof(*own) && !err; i++)
		err = masks_declare(e, s, btf, handler, &own[i]);
	return err;
}

/* ---- what is there ---------------------------------------------------------------------------- */

int lkst_declared_each(struct lkst_err *e, const struct lkst_session *s, u8 number,
		       int (*each)(void *ctx, const struct lkst_own_event *event), void *ctx)
{
	char pin[LKST_HANDLER_PIN_MAX];
	struct bpf_map_info info = {};
	_cleanup_free_ struct lkst_own_event *own = NULL;
	_cleanup_close_ int fd = -1;
	u32 length = sizeof(info), zero = 0, i;
	int err = 0;

	lkst_handler_pin(number, LKST_HANDLER_EVENTS, pin);
	fd = lkst_pins_get(NULL, lkst_session_own_pins(s), pin);
	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		return lkst_err_sys(e, -errno, "asking for a handler's events");
	own = calloc(1, info.value_size + sizeof(*own));
	if (!own)
		return lkst_err_sys(e, -ENOMEM, "reading a handler's events");
	if (bpf_map_lookup_elem(fd, &zero, own))
		return lkst_err_sys(e, -errno, "reading a handler's events");
	for (i = 0; i < info.value_size / sizeof(*own) && !err; i++) {
		own[i].name[LKST_OWN_NAME - 1] = 0;
		own[i].help[LKST_OWN_HELP - 1] = 0;
		err = each(ctx, &own[i]);
	}
	return err;
}
