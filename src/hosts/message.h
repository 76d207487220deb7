/* SPDX-License-Identifier: GPL-2.0-only */
/* What packet_send and packet_receive say of a packet that is the same on both hosts. */
#ifndef LKST_HOSTS_MESSAGE_H
#define LKST_HOSTS_MESSAGE_H

#include "trace/format/block.h"

struct lkst_message {
	u32 source_address, destination_address;
	u16 source_port, destination_port, family, ip_protocol;
	u32 sequence, acknowledgement;
};
_Static_assert(sizeof(struct lkst_message) == 24,
	       "no padding, so that it can be compared and hashed");

enum { LKST_MESSAGE_FIELDS = 8 };

/* Where the fields of an event's records lie. */
struct lkst_message_layout {
	const struct lkst_event_class
		*event; /* NULL: the catalogue has no such event, or lacks a field of it */
	const struct lkst_field_class *fields[LKST_MESSAGE_FIELDS], *bytes;
};

/* Of event packet_send or packet_receive in catalogue @c. */
void lkst_message_layout(const struct lkst_catalog *c, enum lkst_event_index index,
			 struct lkst_message_layout *ret_layout);

/* What @r says, which is of the layout's event; its payload's bytes to *@ret_bytes, which may be NULL. */
void lkst_message_of(const struct lkst_message_layout *layout, const struct lkst_record *r,
		     struct lkst_message *ret_message, u32 *ret_bytes);

#endif
