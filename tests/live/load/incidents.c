// SPDX-License-Identifier: GPL-2.0-only
/*
 * Incidents with a known cause, for a second or so each, and what the one who suffers has measured himself:
 *
 *	incidents convoy    in-worker threads want a lock, with which in-keeper sleeps
 *	incidents server    in-quick waits for in-server, which sleeps for each request of in-slow
 *	incidents window    in-sender sends to in-reader, which sleeps before it reads
 *	incidents stopped   in-asker waits for in-peer, which in-stopper stops and continues
 *	incidents refused   in-client connects to a port where nobody listens
 *	incidents well      in-worker threads wait for work, and get some now and then
 *
 * Each prints "lost NS times N longest NS": of all that waited, how long, how often, and the longest; refused: N.
 */
#include <netinet/in.h>
#include <sys/socket.h>

#include "suffer.h"

enum { NR_WORKERS = 3, ROUNDS = 12 };

static const ns_t hold_ns = 30 * MS;

/* ---- a lock ------------------------------------------------------------------------------------- */

static pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static void *keeper(void *arg)
{
	int i;

	name("in-keeper");
	for (i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&wanted);
		sleep_ns(hold_ns);
		pthread_mutex_unlock(&wanted);
		sleep_ns(2 * MS);
	}
	is_over = 1;
	return NULL;
}

static void *worker(void *arg)
{
	name("in-worker");
	while (!is_over) {
		const ns_t from_ns = now_ns();

		pthread_mutex_lock(&wanted);
		pthread_mutex_unlock(&wanted);
		add(from_ns);
		sleep_ns(3 * MS);
	}
	return NULL;
}

static void run_threads(void *(*first)(void *), void *(*others)(void *))
{
	pthread_t threads[NR_WORKERS + 1];
	int i;

	for (i = 0; i <= NR_WORKERS; i++)
		must(pthread_create(&threads[i], NULL, i ? others : first, NULL), "creating a thread");
	for (i = 0; i <= NR_WORKERS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- processes ---------------------------------------------------------------------------------- */

static struct sockaddr_in at;
static int listener;

static void listen_here(void)
{
	socklen_t length = sizeof(at);

	at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	listener = socket(AF_INET, SOCK_STREAM, 0);
	must(listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
			     getsockname(listener, (struct sockaddr *)&at, &length) || listen(listener, 16) ? -1 : 0,
	     "listening");
}

static int dial(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	must(fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) ? -1 : 0, "connecting");
	return fd;
}

/* Asks @fd, and waits for the answer. */
static void ask(int fd, char what)
{
	must(write(fd, &what, 1) == 1 && read(fd, &what, 1) == 1 ? 0 : -1, "asking");
}

static void serve(void)
{
	char what;
	int fd;

	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0 || read(fd, &what, 1) != 1)
			_exit(1);
		sleep_ns(what == 's' ? 2 * hold_ns : MS / 10);
		if (write(fd, &what, 1) != 1)
			_exit(1);
		close(fd);
	}
}

static void request(char what)
{
	const int fd = dial();

	ask(fd, what);
	close(fd);
}

static void be_slow(void)
{
	for (;;) {
		request('s');
		sleep_ns(5 * MS);
	}
}

static void run_server(void)
{
	pid_t server, slow;
	int i;

	listen_here();
	server = child(serve, "in-server");
	slow = child(be_slow, "in-slow");
	name("in-quick");
	for (i = 0; i < ROUNDS; i++) {
		const ns_t from_ns = now_ns();

		request('q');
		add(from_ns);
		sleep_ns(7 * MS);
	}
	end(slow);
	end(server);
}

static void read_late(void)
{
	static char bytes[1 << 20];
	const int fd = accept(listener, NULL, NULL);

	for (;;) {
		sleep_ns(3 * hold_ns);
		if (read(fd, bytes, sizeof(bytes)) <= 0)
			_exit(0);
	}
}

static void run_window(void)
{
	static char bytes[1 << 18];
	const int size = 1 << 14;
	pid_t reader;
	int fd, i;

	listen_here();
	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	reader = child(read_late, "in-reader");
	sleep_ns(hold_ns); /* it waits in accept(2) */
	name("in-sender");
	fd = dial();
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	for (i = 0; i < ROUNDS / 2; i++) {
		const ns_t from_ns = now_ns();

		must(write(fd, bytes, sizeof(bytes)) < 0 ? -1 : 0, "sending");
		add(from_ns);
	}
	end(reader);
}

static int ends[2];
static pid_t peer_pid;

/* It takes so long that who asks waits for it: who asks whom is known by whom the answer has woken. */
static void echo(void)
{
	char what;

	while (read(ends[1], &what, 1) == 1) {
		sleep_ns(MS / 5);
		if (write(ends[1], &what, 1) != 1)
			break;
	}
}

static void stop_and_go(void)
{
	for (;;) {
		sleep_ns(hold_ns);
		kill(peer_pid, SIGSTOP);
		sleep_ns(4 * hold_ns);
		kill(peer_pid, SIGCONT);
	}
}

static void run_stopped(void)
{
	const ns_t until_ns = now_ns() + 1200 * MS;
	pid_t stopper;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "making a pair of sockets");
	peer_pid = child(echo, "in-peer");
	stopper = child(stop_and_go, "in-stopper");
	name("in-asker");
	while (now_ns() < until_ns) {
		const ns_t from_ns = now_ns();

		ask(ends[0], 'x');
		add(from_ns);
		sleep_ns(2 * MS);
	}
	end(stopper);
	end(peer_pid);
}

static void run_refused(void)
{
	int i, fd;

	listen_here();
	close(listener);
	name("in-client");
	for (i = 0; i < 200; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		sum.times += connect(fd, (struct sockaddr *)&at, sizeof(at)) && errno == ECONNREFUSED;
		close(fd);
		sleep_ns(MS);
	}
	printf("port %u\n", ntohs(at.sin_port));
}

/* ---- a machine that is well ----------------------------------------------------------------------- */

static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void *give_work(void *arg)
{
	int i;

	name("in-giver");
	for (i = 0; i < ROUNDS; i++) {
		sleep_ns(hold_ns);
		pthread_mutex_lock(&wanted);
		pthread_cond_broadcast(&work);
		pthread_mutex_unlock(&wanted);
	}
	pthread_mutex_lock(&wanted);
	is_over = 1;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&wanted);
	return NULL;
}

static void *wait_for_work(void *arg)
{
	name("in-worker");
	pthread_mutex_lock(&wanted);
	while (!is_over)
		pthread_cond_wait(&work, &wanted);
	pthread_mutex_unlock(&wanted);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "convoy"))
		run_threads(keeper, worker);
	else if (!strcmp(what, "server"))
		run_server();
	else if (!strcmp(what, "window"))
		run_window();
	else if (!strcmp(what, "stopped"))
		run_stopped();
	else if (!strcmp(what, "refused"))
		run_refused();
	else if (!strcmp(what, "well"))
		run_threads(give_work, wait_for_work);
	else
		return 2;
	printf("lost %llu times %lu longest %llu\n", sum.lost_ns, sum.times, sum.longest_ns);
	return 0;
}
