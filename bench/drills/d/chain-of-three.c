/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request goes through three services, and the last is slow.
 *
 * truth: ch-client waits for ch-front, which waits for ch-middle, which waits for ch-last, which computes 70 ms
 * victim: ch-client
 * fact: WHO ch-last
 * fact: WHAT answer|\b(read|recv(from)?)\b
 * fact: DID ch-last.*(\bran\b|comput)
 * amount: yes
 * well: ch-last
 */
#include "drill.h"

static struct sockaddr_in at[3];
static int listener[3];

/* Service I takes what comes, and asks the next one for each. */
static void serve(int i, const char *called)
{
	int next, fd;
	char c;

	name(called);
	next = i < 2 ? dial(SOCK_STREAM, &at[i + 1]) : -1;
	fd = accept(listener[i], NULL, NULL);
	while (read(fd, &c, 1) == 1) {
		if (i < 2)
			ask(next, c);
		else
			work(70);
		write(fd, &c, 1);
	}
}

static void front(void) { serve(0, "ch-front"); }
static void middle(void) { serve(1, "ch-middle"); }
static void last(void) { serve(2, "ch-last"); }

int main(void)
{
	struct drill_ops *ops = ops_new();
	int i, fd;

	drill_init();
	for (i = 0; i < 3; i++) {
		listener[i] = bound(SOCK_STREAM, &at[i]);
		listen(listener[i], 4);
	}
	drill_begin(3);
	child(last);
	child(middle);
	child(front);
	name("ch-client");
	fd = dial(SOCK_STREAM, &at[0]);
	while (goes_on()) {
		uint64_t from = now();

		ask(fd, 'q');
		took(ops, from, 30);
		nap(15);
	}
	drill_tell(ops, 5, 60);
	return 0;
}
