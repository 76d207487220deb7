/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions about an event that its class answers. */
#include "trace/format/event_class.h"

#include <string.h>

const struct lkst_field_class *lkst_class_field(const struct lkst_event_class *event,
						const char *name)
{
	u16 i;

	for (i = 0; i < event->nr_fields; i++)
		if (!strcmp(event->fields[i].name, name))
			return &event->fields[i];
	return NULL;
}

bool lkst_class_is_maskable(const struct lkst_event_class *event)
{
	return event->group != LKST_GROUP_STATE && event->group != LKST_GROUP_RECORDER &&
	       event->group != LKST_GROUP_HANDLER && event->group != LKST_GROUP_MARK;
}
