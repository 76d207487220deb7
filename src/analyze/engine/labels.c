/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of devices. */
#include "analyze/engine/labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static const struct {
	s16 index;
	u8 kind;
	const char *number;
} sources[] = {
	{ LKST_EV_state_disk, LKST_LABEL_DISK, "dev" },
	{ LKST_EV_state_irq, LKST_LABEL_IRQ, "irq" },
	{ LKST_EV_state_netdev, LKST_LABEL_NETDEV, "ifindex" },
	{ LKST_EV_state_idle, LKST_LABEL_IDLE, "idle_state" },
};

/* The field called "name" of @r, as text. */
static const char *labels_name_of(const struct lkst_record *r, u32 *ret_length)
{
	unsigned int i;

	for (i = 0; i < r->event->nr_fields; i++)
		if (!strcmp(r->event->fields[i].name, "name"))
			return (const char *)lkst_record_field(r, i, ret_length);
	return NULL;
}

static int labels_add(struct lkst_labels *l, u8 kind, u32 number, const char *text, u32 length)
{
	struct lkst_label *label;

	if (l->nr == LKST_LABELS_MAX)
		return 0;
	label = lkst_vec_add(l->items, l->nr);
	if (!label)
		return -ENOMEM;
	*label = (struct lkst_label){ .kind = kind, .number = number };
	memcpy(label->text, text, length < LKST_LABEL_TEXT ? length : LKST_LABEL_TEXT - 1);
	return 0;
}

int lkst_labels_feed(struct lkst_labels *l, const struct lkst_record *r)
{
	const struct lkst_field_class *f;
	const char *text;
	u32 length;
	size_t i;

	if (r->event->group != LKST_GROUP_STATE)
		return 0;
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (r->event->index != sources[i].index)
			continue;
		f = lkst_class_field(r->event, sources[i].number);
		text = labels_name_of(r, &length);
		if (f && text)
			return labels_add(l, sources[i].kind, (u32)lkst_record_int(r, f), text, length);
	}
	return 0;
}

static int labels_on_state(void *ctx, const struct lkst_record *r, const void *record)
{
	return lkst_labels_feed(ctx, r);
}

int lkst_labels_subscribe(struct lkst_labels *l, struct lkst_feed *f)
{
	size_t i;
	int r = 0;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]) && r >= 0; i++)
		r = lkst_feed_event(f, (enum lkst_event_index)sources[i].index, labels_on_state, l);
	return r < 0 ? r : 0;
}

void lkst_labels_fini(struct lkst_labels *l)
{
	free(l->items);
	*l = (struct lkst_labels){};
}

const char *lkst_labels_find(const struct lkst_labels *l, enum lkst_label_kind kind, u32 number)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (l->items[i].kind == kind && l->items[i].number == number)
			return l->items[i].text;
	return NULL;
}
