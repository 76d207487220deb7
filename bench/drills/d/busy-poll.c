/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread polls without sleeping, and takes a CPU from one that is pinned there.
 *
 * truth: bp-poller spins in poll() with no timeout on the CPU that bp-worker needs
 * victim: bp-worker
 * fact: WHO bp-poller
 * fact: WHAT waited for a CPU|waited for CPU
 * amount: no
 */
#include "drill.h"

static void poller(void)
{
	int ends[2];
	struct pollfd p = { .events = POLLIN };

	name("bp-poller");
	pin(last_cpu());
	if (pipe(ends))
		_exit(1);
	p.fd = ends[0];
	while (poll(&p, 1, 0) == 0)
		;
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	drill_begin(3);
	child(poller);
	name("bp-worker");
	pin(last_cpu());
	while (goes_on()) {
		uint64_t from = now();

		work(6);
		took(ops, from, 9);
		nap(2);
	}
	drill_tell(ops, 20, 9);
	return 0;
}
