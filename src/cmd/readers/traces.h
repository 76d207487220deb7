/* SPDX-License-Identifier: GPL-2.0-only */
/* TRACE... of the commands that can read several hosts' traces on one time line. */
#ifndef LKST_CMD_READERS_TRACES_H
#define LKST_CMD_READERS_TRACES_H

#include "cmd/frame/cmd.h"
#include "hosts/hosts.h"

/* One of the two. */
struct lkst_cmd_traces {
	struct lkst_trace *
		trace; /* of one recording, opened by lkst_cmd_open_trace(); NULL: there are hosts */
	struct lkst_hosts hosts;
};

/*
 * Opens what @args name. Where they are of several recordings, says on stderr what is known of the hosts' clocks.
 */
int lkst_cmd_open_traces(struct lkst_err *e, char **args, unsigned int nr_args,
			 struct lkst_cmd_traces *ret_traces);

/*
 * Says on stderr what is known of the clocks of @h, and what is missing in their traces. Two recordings of one kernel
 * are no two hosts, and refused, by @names, those of the traces: -EINVAL.
 */
int lkst_cmd_tell_hosts(struct lkst_err *e, const struct lkst_hosts *h, const char *const *names);

static inline void lkst_cmd_traces_fini(struct lkst_cmd_traces *t)
{
	lkst_trace_close(t->trace);
	lkst_hosts_close(&t->hosts);
}

/* The same as lkst_cmd_parse_range(), in common times of day. */
int lkst_cmd_hosts_range(struct lkst_err *e, const struct lkst_hosts *h, const char *from,
			 const char *to, u64 *from_ns, u64 *to_ns);

/* A common time as --from and --to take it for @host alone: "@1234.500000000". Returns @text. */
enum { LKST_CMD_OWN_TIME = 40 };
const char *lkst_cmd_own_time(const struct lkst_host *host, u64 ns, char text[LKST_CMD_OWN_TIME]);

#endif
