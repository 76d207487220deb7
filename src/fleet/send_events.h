/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of a trace to the table event_rows of a server (fleet/schema.h), in blocks. A record has a name of its own,
 * so that it is there once, however often it is sent: by whole exports, by those that ended early, and of snapshots
 * that overlap.
 */
#ifndef LKST_FLEET_SEND_EVENTS_H
#define LKST_FLEET_SEND_EVENTS_H

#include "export/export.h"
#include "fleet/client.h"

struct lkst_fleet_sent {
	u64 rows;
	u64 bytes; /* packed, as they were sent */
	struct lkst_export_result result;
};

/*
 * Sends what @request asks for; its format and place do not matter. -ENOENT, -ENOTSUP: lkst_fleet_check_schema().
 * After an error, and with -EINTR when it was stopped, what was sent stays, and *@ret_sent says how much.
 */
int lkst_fleet_send_events(struct lkst_err *e, struct lkst_fleet *f,
			   const struct lkst_export_request *request,
			   struct lkst_fleet_sent *ret_sent);

#endif
