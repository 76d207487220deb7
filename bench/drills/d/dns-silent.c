/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A name server takes questions and answers none; the resolver waits for its timeout and asks again.
 *
 * truth: dn-client polls for the answer of a UDP server on 127.0.0.1 until its timeout of 200 ms, each time; none
 * truth: comes
 * victim: dn-client
 * fact: WHAT tim(ed|e) ?out|no answer|unanswered|without an answer
 * fact: CALL \bp?poll\b
 * fact: WHERE 127\.0\.0\.1|dn-server|UDP
 * amount: yes
 */
#include "drill.h"

static int swallows;

static void server(void)
{
	char b[64];

	name("dn-server");
	while (recv(swallows, b, sizeof(b), 0) > 0)
		;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	struct sockaddr_in at;
	int fd;

	drill_init();
	swallows = bound(SOCK_DGRAM, &at);
	drill_begin(4);
	child(server);
	name("dn-client");
	fd = dial(SOCK_DGRAM, &at);
	while (goes_on()) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t from = now();

		send(fd, "where is it?", 12, 0);
		if (poll(&p, 1, 200) == 0)
			took(ops, from, 150);
		nap(10);
	}
	drill_tell(ops, 5, 190);
	return 0;
}
