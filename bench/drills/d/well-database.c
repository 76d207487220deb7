/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A benchmark of a database: clients that ask as fast as they get answers, of a server with a thread for each.
 *
 * truth: two clients of a store in memory get 2,000 answers a second and more, each at once; nobody waits long
 * well: wd-(client|server)
 */
#include "drill.h"

static struct sockaddr_in at;
static int store[4096];

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	int key;

	name("wd-server");
	while (read(fd, &key, sizeof(key)) == sizeof(key)) {
		key = __sync_add_and_fetch(&store[key & 4095], 1);
		burn(.05);
		write(fd, &key, sizeof(key));
	}
	return NULL;
}

static void *client(void *ops)
{
	int fd = dial(SOCK_STREAM, &at), key;

	name("wd-client");
	while (goes_on()) {
		uint64_t from = now();

		key = (int)(from / 64);
		write(fd, &key, sizeof(key));
		read(fd, &key, sizeof(key));
		took(ops, from, 50);
		nap(.3);
	}
	return NULL;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int listener, i;
	pthread_t t[2];

	drill_init();
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 8);
	drill_begin(4);
	for (i = 0; i < 2; i++) {
		t[i] = thread(client, ops);
		thread(serve, (void *)(intptr_t)accept(listener, NULL, NULL));
	}
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("answers %lu\n", ops->n);
	if (ops->n < 2000 || ops->nr_slow)
		not_produced("%lu answers, %lu of which took 50 ms and more", ops->n, ops->nr_slow);
	exit(0);
}
