// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two machines that talk by TCP, and find out by themselves how far their clocks are apart.
 *
 *	peers answers PORT          serves one client: each request is answered with the times of day at which it
 *	                            came and at which the answer goes, a second late if it asks for that
 *	peers asks ADDRESS PORT     some requests; then prints "offset LOW HIGH", bounds in ns of how far the other
 *	                            clock is ahead; then reads a line and makes the slow request, and some more
 *
 * The bounds are those of any exchange: what was sent at t0 came at t1, and what was sent at t2 came back at t3, so
 * that t2 - t3 <= offset <= t1 - t0.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS = 200, CONNECT_TRIES = 600 };

struct request {
	uint64_t is_slow;
};

struct answer {
	int64_t came_ns, goes_ns;
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* 0: the other end has closed. */
static bool receive(int fd, void *bytes, size_t length)
{
	ssize_t n = recv(fd, bytes, length, MSG_WAITALL);

	if (n < 0)
		die("recv");
	return (size_t)n == length;
}

static void transmit(int fd, const void *bytes, size_t length)
{
	if (send(fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length)
		die("send");
}

static void send_at_once(int fd)
{
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
}

static int answers(struct sockaddr_in *at)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
	struct request request;
	struct answer answer;

	prctl(PR_SET_NAME, "answers");
	if (bind(listener, (void *)at, sizeof(*at)) || listen(listener, 1))
		die("listen");
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		die("accept");
	send_at_once(fd);
	while (receive(fd, &request, sizeof(request))) {
		answer.came_ns = now();
		if (request.is_slow)
			sleep_ms(1000);
		answer.goes_ns = now();
		transmit(fd, &answer, sizeof(answer));
	}
	return 0;
}

static void ask(int fd, bool is_slow, int64_t *low, int64_t *high)
{
	struct request request = { is_slow };
	struct answer answer;
	int64_t sent = now(), came;

	transmit(fd, &request, sizeof(request));
	if (!receive(fd, &answer, sizeof(answer)))
		die("no answer");
	came = now();
	if (answer.goes_ns - came > *low)
		*low = answer.goes_ns - came;
	if (answer.came_ns - sent < *high)
		*high = answer.came_ns - sent;
}

static int asks(const struct sockaddr_in *at)
{
	int fd = -1, i;
	int64_t low = INT64_MIN, high = INT64_MAX;
	char line[16];

	prctl(PR_SET_NAME, "asks");
	for (i = 0; i < CONNECT_TRIES; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(fd, (const void *)at, sizeof(*at)))
			break;
		close(fd);
		sleep_ms(500);
	}
	if (i == CONNECT_TRIES)
		die("connect");
	send_at_once(fd);
	for (i = 0; i < REQUESTS; i++)
		ask(fd, false, &low, &high);
	printf("offset %lld %lld\n", (long long)low, (long long)high);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	ask(fd, true, &low, &high);
	for (i = 0; i < REQUESTS; i++)
		ask(fd, false, &low, &high);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	bool is_client = argc == 4 && !strcmp(argv[1], "asks");

	if (!is_client && (argc != 3 || strcmp(argv[1], "answers"))) {
		fprintf(stderr, "usage: peers answers PORT | asks ADDRESS PORT\n");
		return 2;
	}
	at.sin_port = htons((uint16_t)atoi(argv[argc - 1]));
	if (is_client && inet_pton(AF_INET, argv[2], &at.sin_addr) != 1)
		die(argv[2]);
	return is_client ? asks(&at) : answers(&at);
}
