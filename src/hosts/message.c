/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets, as both hosts see them. */
#include "hosts/message.h"

static const char *const names[LKST_MESSAGE_FIELDS] = {
	"source_address", "destination_address", "source_port", "destination_port",
	"family",	  "ip_protocol",	 "sequence",	"acknowledgement",
};

/* A field that can be read as a number without regard to others. */
static const struct lkst_field_class *message_number(const struct lkst_event_class *event, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(event, name);
	const bool is_number = f && (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT);

	return is_number && f->offset != LKST_OFFSET_VARIES ? f : NULL;
}

void lkst_message_layout(const struct lkst_catalog *c, enum lkst_event_index index,
			 struct lkst_message_layout *ret_layout)
{
	const struct lkst_event_class *event = lkst_catalog_find(c, lkst_events[index].name);
	struct lkst_message_layout l = { .event = event };
	unsigned int i;

	for (i = 0; l.event && i < LKST_MESSAGE_FIELDS; i++) {
		l.fields[i] = message_number(event, names[i]);
		if (!l.fields[i])
			l.event = NULL;
	}
	if (l.event)
		l.bytes = message_number(event, "bytes");
	*ret_layout = l;
}

void lkst_message_of(const struct lkst_message_layout *layout, const struct lkst_record *r,
		     struct lkst_message *ret_message, u32 *ret_bytes)
{
	const struct lkst_field_class *const *f = layout->fields;

	*ret_message = (struct lkst_message){
		.source_address = (u32)lkst_record_int(r, f[0]),
		.destination_address = (u32)lkst_record_int(r, f[1]),
		.source_port = (u16)lkst_record_int(r, f[2]),
		.destination_port = (u16)lkst_record_int(r, f[3]),
		.family = (u16)lkst_record_int(r, f[4]),
		.ip_protocol = (u16)lkst_record_int(r, f[5]),
		.sequence = (u32)lkst_record_int(r, f[6]),
		.acknowledgement = (u32)lkst_record_int(r, f[7]),
	};
	if (ret_bytes)
		*ret_bytes = layout->bytes ? (u32)lkst_record_int(r, layout->bytes) : 0;
}
