/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client has all it needs, but its server is in a cgroup whose quota of CPU time is used up.
 *
 * truth: qs-client waits for qs-server, which its cgroup drill-quota throttles: it may use 15 ms of each 100 ms
 * victim: qs-client
 * fact: WHO qs-server
 * fact: WHAT [Tt]hrottl|quota|bandwidth
 * fact: WHERE drill-quota
 * amount: yes
 */
#include "drill.h"

static int ends[2];
static const char *place;

static void server(void)
{
	char c;

	name("qs-server");
	if (!put(place, "cgroup.procs", "0"))
		_exit(1);
	while (read(ends[1], &c, 1) == 1) {
		work(8);
		write(ends[1], &c, 1);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	place = cgroup("cpu", "drill-quota");
	if (!place || !((put(place, "cpu.cfs_period_us", "100000") && put(place, "cpu.cfs_quota_us", "15000")) ||
			put(place, "cpu.max", "15000 100000")))
		not_produced("no cgroup with a quota");
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	drill_begin(4);
	child(server);
	name("qs-client");
	while (goes_on()) {
		uint64_t from = now();

		ask(ends[0], 'q');
		took(ops, from, 40);
		nap(3);
	}
	drill_tell(ops, 8, 60);
	return 0;
}
