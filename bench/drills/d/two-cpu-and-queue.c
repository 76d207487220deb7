/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two causes at once: a real-time thread takes a CPU, and a log socket is not read.
 *
 * truth: t3-hog, SCHED_FIFO, takes the CPU of t3-worker for 60 ms at a time; t3-app waits in send for t3-daemon,
 * truth: which sleeps 200 ms
 * victim: t3-worker
 * fact: WHO t3-hog
 * fact: WHAT waited for a CPU|waited for CPU
 * victim: t3-app
 * fact: WHO t3-daemon
 * fact: WHAT \bsend(to|msg)?\b|\bwrite\b
 * fact: DID t3-daemon.*(nanosleep|sle(pt|ep))
 */
#include "drill.h"

static struct drill_ops *of_app;
static int from_all;

static void hog(void)
{
	struct sched_param p = { .sched_priority = 5 };

	name("t3-hog");
	pin(last_cpu());
	if (sched_setscheduler(0, SCHED_FIFO, &p))
		_exit(1);
	for (;;) {
		burn(60);
		nap(50);
	}
}

static void daemon_process(void)
{
	char b[128];

	name("t3-daemon");
	for (;;) {
		nap(200);
		while (recv(from_all, b, sizeof(b), MSG_DONTWAIT) > 0)
			;
	}
}

static void app(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "log" };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char line[100] = "";

	name("t3-app");
	connect(fd, (struct sockaddr *)&to, sizeof(to));
	while (goes_on()) {
		uint64_t from = now();

		send(fd, line, sizeof(line), 0);
		took(of_app, from, 20);
		nap(1);
	}
}

int main(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "log" };
	struct drill_ops *ops = ops_new();

	drill_init();
	of_app = ops_new();
	from_all = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (bind(from_all, (struct sockaddr *)&at, sizeof(at)))
		not_produced("bind: %s", strerror(errno));
	drill_begin(4);
	child(hog);
	child(daemon_process);
	child(app);
	name("t3-worker");
	pin(last_cpu());
	while (goes_on()) {
		uint64_t from = now();

		work(2);
		took(ops, from, 20);
		nap(5);
	}
	drill_tell(of_app, 5, 80);
	drill_tell(ops, 5, 40);
	return 0;
}
