/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what peers ask for, as a server that may say anything has it: whatever is taken for a request is one,
 * with a name that can be printed, of a time that is heeded. What is refused is shown.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "fleet/answer.h"
#include "fleet/peer_request.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static const char head[] = "host\tm\tat\nString\tString\tUInt64\n";

static int take(void *arg, const struct lkst_table *t)
{
	struct lkst_peer_request r;
	size_t row, i;

	for (row = 0; row < t->nr_rows; row++) {
		if (!lkst_peer_request_of(t, row, 1000, 2000, &r))
			continue;
		if (!lkst_moment_is_name(r.moment) || !r.host[0] || strlen(r.host) >= sizeof(r.host) ||
		    r.time_ns < 1000 || r.time_ns >= 2000)
			abort();
		for (i = 0; r.host[i]; i++)
			if ((unsigned char)r.host[i] <= ' ' || r.host[i] == 0x7f)
				abort();
		printed_names((const char *const[]){ r.host, r.moment }, 2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct lkst_fleet_peers nobody = {};
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	struct lkst_fleet_question q;
	const struct lkst_table *t;
	struct lkst_err e = {};
	int err;

	if (lkst_fleet_question_requests(&e, "me", &nobody, 1000, 2000, &q) || lkst_fleet_answer_new(take, NULL, &a))
		abort();
	lkst_fleet_answer_expect(a, q.name, q.title, q.columns, q.nr_columns);
	/* Most of what is tried has the right columns. */
	err = size && data[0] & 1 ? lkst_fleet_answer_feed(&e, a, head, strlen(head)) : 0;
	err = err ?: size ? lkst_fleet_answer_feed(&e, a, (const char *)data + 1, size - 1) : 0;
	if (!err)
		err = lkst_fleet_answer_end(&e, a, &t);
	if (err)
		printed_error(&e);
	lkst_fleet_question_fini(&q);
	return 0;
}
