/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A container is paused by the freezer of cgroups, and its client waits.
 *
 * truth: fz-admin freezes cgroup drill-frozen for 400 ms at a time; fz-client waits for fz-peer, which is in it
 * victim: fz-client
 * fact: WHO fz-peer
 * fact: WHAT fr[oe]ez|frozen
 * fact: BY fz-admin|drill-frozen
 * amount: yes
 */
#include "drill.h"

static const char *place;
static int ends[2];

static void peer(void)
{
	char c;

	name("fz-peer");
	if (!put(place, "cgroup.procs", "0"))
		_exit(1);
	while (read(ends[1], &c, 1) == 1)
		write(ends[1], &c, 1);
}

static bool freeze(bool is_to)
{
	return put(place, "freezer.state", is_to ? "FROZEN" : "THAWED") ||
	       put(place, "cgroup.freeze", is_to ? "1" : "0");
}

static void admin(void)
{
	name("fz-admin");
	while (goes_on()) {
		nap(200);
		freeze(true);
		nap(400);
		freeze(false);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	place = cgroup("freezer", "drill-frozen");
	if (!place)
		not_produced("no freezer of cgroups");
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	drill_begin(4);
	child(peer);
	child(admin);
	name("fz-client");
	while (goes_on()) {
		uint64_t from = now();

		ask(ends[0], 'q');
		took(ops, from, 100);
		nap(10);
	}
	freeze(false);
	drill_tell(ops, 3, 350);
	return 0;
}
