/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A POSIX message queue is full, because its reader sleeps between messages.
 *
 * truth: mq-sender waits in mq_timedsend() because mq-receiver takes a message each 100 ms only, and sleeps
 * victim: mq-sender
 * fact: WHO mq-receiver
 * fact: WHAT mq_(timed)?send|queue
 * fact: DID mq-receiver.*(nanosleep|sle(pt|ep))
 * amount: yes
 */
#include "drill.h"
#include <mqueue.h>

static mqd_t queue;

static void receiver(void)
{
	char m[64];

	name("mq-receiver");
	for (;;) {
		nap(100);
		mq_receive(queue, m, sizeof(m), NULL);
	}
}

int main(void)
{
	struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 64 };
	struct drill_ops *ops = ops_new();
	char called[32], m[64] = "";

	drill_init();
	snprintf(called, sizeof(called), "/drill-%d", getpid());
	queue = mq_open(called, O_CREAT | O_RDWR, 0600, &attr);
	if (queue == (mqd_t)-1)
		not_produced("mq_open: %s", strerror(errno));
	mq_unlink(called);
	drill_begin(3);
	child(receiver);
	name("mq-sender");
	while (goes_on()) {
		uint64_t from = now();

		mq_send(queue, m, sizeof(m), 0);
		took(ops, from, 20);
		nap(2);
	}
	drill_tell(ops, 10, 50);
	return 0;
}
