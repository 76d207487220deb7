/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of TCP and UDP by what is in them. */
#include "analyze/why/packet.h"

#include <string.h>

/* The field that differs most comes first. */
static const char *const names[] = {
	"sequence",    "acknowledgement",  "source_address", "destination_address",
	"source_port", "destination_port", "ip_protocol",    "family",
};
enum { NR_NAMES = sizeof(names) / sizeof(names[0]) };

static bool packet_is_same(const struct lkst_excerpt *w, u32 i, const u64 *values)
{
	unsigned int n;

	for (n = 0; n < NR_NAMES; n++)
		if (lkst_event_ref_int(w, i, names[n]) != values[n])
			return false;
	return true;
}

u32 lkst_packet_sent(const struct lkst_excerpt *w, u32 received, const struct lkst_excerpt *to,
		     u64 before_ns, u32 search_max)
{
	struct lkst_places_list list = lkst_excerpt_kind(to, LKST_EV_packet_send);
	u32 place = lkst_moments_before_ns(to, list, before_ns), steps;
	u64 values[NR_NAMES];
	unsigned int n;

	for (n = 0; n < NR_NAMES; n++)
		values[n] = lkst_event_ref_int(w, received, names[n]);
	for (steps = 0; place && steps < search_max; steps++) {
		u32 at = list.at[--place];

		if (lkst_event_ref_kind(to, at) == LKST_EV_packet_send && packet_is_same(to, at, values))
			return at;
	}
	return LKST_NOWHERE;
}
