/* SPDX-License-Identifier: GPL-2.0-only */
/* TRACE... of the commands that can read several hosts' traces on one time line. */
#ifndef LKST_CMD_READERS_TRACES_H
#define LKST_CMD_READERS_TRACES_H

#include "cmd/frame/cmd.h"
#include "hosts/reading.h"

/*
 * Opens what @args name. Where they are of one recording, says on stderr how its trace ends, as lkst_cmd_open_trace()
 * does; else what is known of the hosts' clocks.
 */
int lkst_cmd_open_reading(struct lkst_err *e, char **args, unsigned int nr_args, struct lkst_reading *ret_reading);

/*
 * Says on stderr what is known of the clocks of @r, and what is missing in their traces. Two recordings of one kernel
 * are no two hosts, and refused, by @names, those of the traces: -EINVAL.
 */
int lkst_cmd_tell_hosts(struct lkst_err *e, const struct lkst_reading *r, const char *const *names);

/*
 * --from and --to in common times. They are given as times of day; of one host, as its own monotonic time, too
 * ("@1234.5").
 */
int lkst_cmd_reading_range(struct lkst_err *e, const struct lkst_reading *r, const char *from, const char *to,
			   u64 *from_ns, u64 *to_ns);

/* A common time as --from and --to take it for @host alone: "@1234.500000000". Returns @text. */
enum { LKST_CMD_OWN_TIME = 40 };
const char *lkst_cmd_own_time(const struct lkst_host *host, u64 ns, char text[LKST_CMD_OWN_TIME]);

#endif
