/* SPDX-License-Identifier: GPL-2.0-only */
/* Which packet woke a thread, and where it was sent. */
#ifndef LKST_ANALYZE_WHY_PACKET_H
#define LKST_ANALYZE_WHY_PACKET_H

#include "analyze/why/stretch.h"

/*
 * The moment in @to, of kind packet_send, at which the packet was sent that moment @received of @w, of kind
 * packet_receive, is about: the last one before @before_ns of @to's time. LKST_NOWHERE: none of the last @search_max
 * is.
 */
u32 lkst_packet_sent(const struct lkst_excerpt *w, u32 received, const struct lkst_excerpt *to,
		     u64 before_ns, u32 search_max);

#endif
