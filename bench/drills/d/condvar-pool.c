/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool of connections is empty, because those who have them wait for a slow peer.
 *
 * truth: cp-client waits on a condition for one of two connections; cp-holder threads have them, and wait for
 * truth: cp-peer, which sleeps 120 ms before each answer
 * victim: cp-client
 * fact: WHO cp-peer
 * fact: WHAT futex|condition|\block\b
 * fact: DID cp-peer.*(nanosleep|sle(pt|ep))
 * amount: yes
 * well: cp-peer
 */
#include "drill.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER;
static int nr_free = 2;
static struct sockaddr_in at;
static int listener;

static void peer(void)
{
	name("cp-peer");
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		char c;

		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(fd, &c, 1) == 1) {
			nap(120);
			write(fd, &c, 1);
		}
		_exit(0);
	}
}

static void take(void)
{
	pthread_mutex_lock(&lock);
	while (!nr_free)
		pthread_cond_wait(&is_free, &lock);
	nr_free--;
	pthread_mutex_unlock(&lock);
}

static void give(void)
{
	pthread_mutex_lock(&lock);
	nr_free++;
	pthread_cond_signal(&is_free);
	pthread_mutex_unlock(&lock);
}

static void *holder(void *arg)
{
	int fd = dial(SOCK_STREAM, &at);

	name("cp-holder");
	while (goes_on()) {
		take();
		ask(fd, 'q');
		give();
		nap(5);
	}
	return arg;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int i;

	drill_init();
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 8);
	drill_begin(3);
	child(peer);
	for (i = 0; i < 3; i++)
		thread(holder, NULL);
	name("cp-client");
	while (goes_on()) {
		uint64_t from = now();

		take();
		took(ops, from, 20);
		give();
		nap(5);
	}
	drill_tell(ops, 5, 50);
	return 0;
}
