/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A daemon does not read its log socket, a unix datagram socket, and who logs waits.
 *
 * truth: lg-app waits in send because the queue of lg-daemon's datagram socket is full; lg-daemon sleeps 200 ms a
 * truth: time
 * victim: lg-app
 * fact: WHO lg-daemon
 * fact: WHAT \bsend(to|msg)?\b|\bwrite\b
 * fact: DID lg-daemon.*(nanosleep|sle(pt|ep))
 * amount: yes
 * short: yes
 */
#include "drill.h"

static int from_all;

static void reader(void)
{
	char b[128];

	name("lg-daemon");
	for (;;) {
		nap(200);
		while (recv(from_all, b, sizeof(b), MSG_DONTWAIT) > 0)
			;
	}
}

int main(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "log" };
	struct drill_ops *ops = ops_new();
	char line[100] = "";
	int fd;

	drill_init();
	from_all = socket(AF_UNIX, SOCK_DGRAM, 0);
	unlink(at.sun_path);
	if (bind(from_all, (struct sockaddr *)&at, sizeof(at)))
		not_produced("bind: %s", strerror(errno));
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		not_produced("connect: %s", strerror(errno));
	drill_begin(3);
	child(reader);
	name("lg-app");
	while (goes_on()) {
		uint64_t from = now();

		send(fd, line, sizeof(line), 0);
		took(ops, from, 20);
		nap(1);
	}
	drill_tell(ops, 5, 80);
	return 0;
}
