// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connects, accepts and binds sockets of each kind, and prints what a trace should say of it:
 *
 *	sockets calls DIRECTORY		"EVENT FD FAMILY PORT ADDRESS", a line for each record, in order; and
 *					"file NAME", a line for each call of fsync() on a socket
 *	sockets open DIRECTORY		opens a file and sockets, prints "open PID", and calls fsync() on them when it
 *					gets a line of input; prints the same lines as above
 *	sockets wait DIRECTORY		receives from a server that answers after 200 ms; prints its name
 *
 * Addresses come from getsockname() and inet_ntop(), not from what was given to the call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in inet;
	struct sockaddr_in6 inet6;
	struct sockaddr_un path;
	struct sockaddr_storage room;
};

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "sockets: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* "10.0.0.5"; a Unix socket's is printed by its caller. */
static const char *text_of(const union address *a)
{
	static char text[INET6_ADDRSTRLEN];

	if (a->any.sa_family == AF_INET)
		return inet_ntop(AF_INET, &a->inet.sin_addr, text, sizeof(text));
	return a->any.sa_family == AF_INET6 ? inet_ntop(AF_INET6, &a->inet6.sin6_addr, text, sizeof(text)) : "";
}

/* The two have the port in one place. */
static unsigned int port_of(const union address *a)
{
	return a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6 ? ntohs(a->inet.sin_port) : 0;
}

static union address own(int fd)
{
	union address a = {};
	socklen_t length = sizeof(a);

	check(getsockname(fd, &a.any, &length), "getsockname");
	return a;
}

static void say(const char *event, int fd, const union address *a, const char *text)
{
	printf("socket_%s %d %u %u %s\n", event, fd, a->any.sa_family, port_of(a), text);
}

/* Calls fsync(), which no socket has, and says how the trace should call it. */
static void say_file(int fd, const char *how, const union address *a)
{
	const int is_inet6 = a->any.sa_family == AF_INET6;

	printf("file socket %s %s%s%s:%u\n", how, is_inet6 ? "[" : "", text_of(a), is_inet6 ? "]" : "", port_of(a));
	fsync(fd);
}

static int make(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	check(fd, "socket");
	return fd;
}

static int listen_at(union address *a, socklen_t length)
{
	int fd = make(a->any.sa_family);

	say("bind", fd, a, text_of(a));
	check(bind(fd, &a->any, length), "bind");
	check(listen(fd, 8), "listen");
	*a = own(fd);
	return fd;
}

static int connect_to(const union address *a, socklen_t length, int must)
{
	int fd = make(a->any.sa_family), result;

	say("connect", fd, a, text_of(a));
	result = connect(fd, &a->any, length);
	if (must)
		check(result, "connect");
	return fd;
}

/* Connects, accepts, and says how both ends are called. */
static void pair_up(int server, const union address *at, socklen_t length)
{
	int client = connect_to(at, length, 1), accepted;
	union address peer, its = own(client);
	socklen_t room = sizeof(peer);

	accepted = accept(server, &peer.any, &room);
	check(accepted, "accept");
	say("accept", accepted, &its, text_of(&its));
	say_file(client, "to", at);
	say_file(accepted, "from", &its);
	close(client);
	close(accepted);
}

/* Accepts without room for the address, and with too little. */
static void accept_without(int server, const union address *at)
{
	int client = connect_to(at, sizeof(at->inet), 1), accepted;
	union address none = {}, peer;
	socklen_t room = 4;

	accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	check(accepted, "accept4");
	say("accept", accepted, &none, "");
	close(accepted);
	close(client);
	client = connect_to(at, sizeof(at->inet), 1);
	accepted = accept(server, &peer.any, &room);
	check(accepted, "accept");
	printf("socket_accept %d %u 0 \n", accepted, AF_INET);
	close(accepted);
	close(client);
}

/* The address is in a page of a file that was never touched: it comes into memory with the call. */
static void connect_from_file(const char *directory, const union address *at)
{
	char path[4096];
	int fd, client;
	void *page;

	snprintf(path, sizeof(path), "%s/address", directory);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	check(fd, path);
	check((int)write(fd, at, sizeof(*at)), "write");
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	check(page == MAP_FAILED ? -1 : 0, "mmap");
	client = make(AF_INET);
	say("connect", client, at, text_of(at));
	check(connect(client, page, sizeof(at->inet)), "connect");
	say_file(client, "to", at);
	close(client);
	close(fd);
}

static void of_inet(const char *directory)
{
	union address a = { .inet = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
	int server = listen_at(&a, sizeof(a.inet)), refused;

	pair_up(server, &a, sizeof(a.inet));
	accept_without(server, &a);
	connect_from_file(directory, &a);
	close(server);
	/* Nobody listens there now. */
	refused = connect_to(&a, sizeof(a.inet), 0);
	close(refused);
}

/* A server of IPv6, and one of both that is connected to by IPv4's address. */
static void of_inet6(void)
{
	union address a = { .inet6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT } }, mapped;
	int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), server;

	/* What is asked for is a record, whatever comes of it. */
	if (probe >= 0)
		say("bind", probe, &a, text_of(&a));
	if (probe < 0 || bind(probe, &a.any, sizeof(a.inet6))) {
		fprintf(stderr, "this machine has no IPv6: addresses of that kind are not tested\n");
		return;
	}
	close(probe);
	server = listen_at(&a, sizeof(a.inet6));
	pair_up(server, &a, sizeof(a.inet6));
	close(server);
	a = (union address){ .inet6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT } };
	server = listen_at(&a, sizeof(a.inet6));
	mapped = (union address){ .inet6 = { .sin6_family = AF_INET6, .sin6_port = a.inet6.sin6_port } };
	check(inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.inet6.sin6_addr) - 1, "inet_pton");
	pair_up(server, &mapped, sizeof(mapped.inet6));
	close(server);
}

/* @name: a path, or a name that is no file if @is_name; then @shown has @ in place of its NULs. */
static void of_unix(const char *name, size_t length, const char *shown)
{
	union address a = { .path = { .sun_family = AF_UNIX } }, none = { .path = { .sun_family = AF_UNIX } }, peer;
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + length, room = sizeof(peer);
	int server = make(AF_UNIX), client = make(AF_UNIX), accepted;

	memcpy(a.path.sun_path, name, length);
	unlink(a.path.sun_path);
	say("bind", server, &a, shown);
	check(bind(server, &a.any, size), "bind");
	check(listen(server, 8), "listen");
	say("connect", client, &a, shown);
	check(connect(client, &a.any, size), "connect");
	accepted = accept(server, &peer.any, &room);
	check(accepted, "accept");
	say("accept", accepted, &none, "");
	printf("file socket to %s\n", shown);
	fsync(client);
	printf("file socket at %s, accepted\n", shown);
	fsync(accepted);
	close(accepted);
	close(client);
	close(server);
}

static int run_calls(const char *directory)
{
	static const char name[] = "\0lkst\0test";
	char path[108];

	of_inet(directory);
	of_inet6();
	snprintf(path, sizeof(path), "%.90s/a socket", directory);
	of_unix(path, strlen(path) + 1, path);
	of_unix(name, sizeof(name) - 1, "@lkst@test");
	return 0;
}

static int run_open(const char *directory)
{
	union address a = { .inet = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
	int server = make(AF_INET), client = make(AF_INET), listening = make(AF_UNIX), file;
	union address path = { .path = { .sun_family = AF_UNIX } };
	char name[4096], line[16];

	snprintf(name, sizeof(name), "%s/an open file", directory);
	file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	check(file, name);
	check(bind(server, &a.any, sizeof(a.inet)), "bind");
	check(listen(server, 8), "listen");
	a = own(server);
	check(connect(client, &a.any, sizeof(a.inet)), "connect");
	snprintf(path.path.sun_path, sizeof(path.path.sun_path), "%.90s/listening", directory);
	unlink(path.path.sun_path);
	check(bind(listening, &path.any, sizeof(path.path)), "bind");
	printf("open %d\n", (int)getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	printf("file %s\n", name);
	fsync(file);
	say_file(client, "to", &a);
	say_file(server, "at", &a);
	printf("file socket at %s\n", path.path.sun_path);
	fsync(listening);
	/* Another thing has this number now. */
	close(file);
	printf("file /dev/null\n");
	fsync(open("/dev/null", O_RDONLY));
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}

static int run_wait(void)
{
	union address a = { .inet = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
	int server = make(AF_INET), client, accepted, status;
	char byte;

	check(bind(server, &a.any, sizeof(a.inet)), "bind");
	check(listen(server, 8), "listen");
	a = own(server);
	if (!fork()) {
		accepted = accept(server, NULL, NULL);
		check(accepted, "accept");
		usleep(200000);
		_exit(write(accepted, "x", 1) != 1);
	}
	client = make(AF_INET);
	check(connect(client, &a.any, sizeof(a.inet)), "connect");
	check((int)recv(client, &byte, 1, 0) - 1, "recv");
	printf("socket to %s:%u\n", text_of(&a), port_of(&a));
	wait(&status);
	return status != 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls"))
		return run_calls(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "open"))
		return run_open(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "wait"))
		return run_wait();
	fprintf(stderr, "usage: sockets calls|open|wait DIRECTORY\n");
	return 2;
}
