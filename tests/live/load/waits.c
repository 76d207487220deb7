// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits whose reason is known by construction: `waits CASE` makes one and prints the truth (waits.h).
 *
 *	convoy		a thread waits for a lock behind three others, which hold it in turn
 *	inversion	a thread waits for a lock that one of lower priority holds, which cannot run
 *	sleep		a thread sleeps
 *	pipes		a thread waits for the last of three that pass a byte on
 *	hog		a thread that is woken cannot run, since one of higher priority has its only CPU
 *	child		a process waits for its child's end
 *	socket		a thread waits for an answer on a pair of sockets
 *	tcp		a thread waits for an answer on a TCP connection
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "waits.h"

enum { NR_HOLDERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- convoy -------------------------------------------------------------------------------- */

static int holders[NR_HOLDERS];
static atomic_int nr_about_to_lock;

static void *hold_in_turn(void *arg)
{
	int *tid = arg;

	*tid = own_tid();
	atomic_fetch_add(&nr_about_to_lock, 1);
	pthread_mutex_lock(&lock);
	/* The first keeps it until all are there. */
	while (atomic_load(&nr_about_to_lock) <= NR_HOLDERS)
		sleep_ns(MS / 10);
	sleep_ns(12 * MS);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void convoy(void)
{
	pthread_t threads[NR_HOLDERS];
	ns_t from, to;
	int i;

	/* Each begins when the one before it is about to wait, and has had time to. */
	for (i = 0; i < NR_HOLDERS; i++) {
		threads[i] = begin(hold_in_turn, &holders[i]);
		while (atomic_load(&nr_about_to_lock) <= i)
			sleep_ns(MS / 10);
		sleep_ns(2 * MS);
	}
	atomic_fetch_add(&nr_about_to_lock, 1);
	from = now_ns();
	pthread_mutex_lock(&lock);
	to = now_ns();
	pthread_mutex_unlock(&lock);
	for (i = 0; i < NR_HOLDERS; i++)
		pthread_join(threads[i], NULL);
	printf("truth convoy tid=%d from=%llu to=%llu call=futex lock=0x%llx holders=%d,%d,%d "
	       "hold=%llu\n",
	       own_tid(), from, to, (ns_t)(size_t)&lock, holders[2], holders[1], holders[0],
	       12 * MS);
}

/* ---- inversion ----------------------------------------------------------------------------- */

static struct {
	int tid;
	ns_t from, to;
} weak, middle, strong;
static atomic_bool is_held;

static void *hold_weakly(void *arg)
{
	pin_to(*(int *)arg);
	weak.tid = own_tid();
	be_realtime(5);
	pthread_mutex_lock(&lock);
	weak.from = now_ns();
	atomic_store(&is_held, true);
	spin_ns(15 * MS);
	pthread_mutex_unlock(&lock);
	weak.to = now_ns();
	return NULL;
}

static void *hog_for_long(void *arg)
{
	pin_to(*(int *)arg);
	middle.tid = own_tid();
	be_realtime(10);
	middle.from = now_ns();
	spin_ns(40 * MS);
	middle.to = now_ns();
	return NULL;
}

static void *want_strongly(void *arg)
{
	be_realtime(20);
	pin_to(*(int *)arg);
	strong.tid = own_tid();
	strong.from = now_ns();
	pthread_mutex_lock(&lock);
	strong.to = now_ns();
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void inversion(void)
{
	int cpu = last_cpu();
	pthread_t threads[3];
	int i;

	/* Above them all, or this thread would not get to start the others. */
	be_realtime(30);
	pin_to(cpu);
	threads[0] = begin(hold_weakly, &cpu);
	while (!atomic_load(&is_held))
		sleep_ns(MS / 10);
	threads[1] = begin(want_strongly, &cpu);
	sleep_ns(1 * MS);
	threads[2] = begin(hog_for_long, &cpu);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("truth inversion tid=%d from=%llu to=%llu call=futex holder=%d hog=%d cpu=%d "
	       "hog_from=%llu hog_to=%llu\n",
	       strong.tid, strong.from, strong.to, weak.tid, middle.tid, cpu, middle.from,
	       middle.to);
}

/* ---- sleep, hog ---------------------------------------------------------------------------- */

static void sleep_well(void)
{
	ns_t from = now_ns(), to;

	sleep_ns(15 * MS);
	to = now_ns();
	printf("truth sleep tid=%d from=%llu to=%llu call=clock_nanosleep sleep=%llu\n", own_tid(),
	       from, to, 15 * MS);
}

static struct {
	int tid, cpu;
	ns_t from, to;
	atomic_bool is_about_to_sleep;
} hogged;

static void *be_hogged(void *arg)
{
	pin_to(hogged.cpu);
	hogged.tid = own_tid();
	be_realtime(5);
	atomic_store(&hogged.is_about_to_sleep, true);
	hogged.from = now_ns();
	sleep_ns(8 * MS);
	hogged.to = now_ns();
	return arg;
}

static void hog(void)
{
	ns_t from, to;
	pthread_t victim;

	hogged.cpu = last_cpu();
	pin_to(hogged.cpu);
	victim = begin(be_hogged, NULL);
	while (!atomic_load(&hogged.is_about_to_sleep))
		sleep_ns(MS / 10);
	sleep_ns(2 * MS);
	from = now_ns();
	spin_ns(30 * MS);
	to = now_ns();
	pthread_join(victim, NULL);
	printf("truth hog tid=%d from=%llu to=%llu call=clock_nanosleep hog=%d cpu=%d sleep=%llu "
	       "hog_from=%llu hog_to=%llu\n",
	       hogged.tid, hogged.from, hogged.to, own_tid(), hogged.cpu, 8 * MS, from, to);
}

/* ---- pipes --------------------------------------------------------------------------------- */

static int pipes[NR_HOLDERS][2];

static void *pass_on(void *arg)
{
	int i = *(int *)arg;
	char byte = 0;

	holders[i] = own_tid();
	if (i)
		must(read(pipes[i - 1][0], &byte, 1) == 1 ? 0 : -1, "reading from a pipe");
	/* The first sleeps, the others work. */
	if (i)
		spin_ns(4 * MS);
	else
		sleep_ns(10 * MS);
	must(write(pipes[i][1], &byte, 1) == 1 ? 0 : -1, "writing to a pipe");
	return NULL;
}

static void pass_along(void)
{
	static int numbers[NR_HOLDERS] = { 0, 1, 2 };
	pthread_t threads[NR_HOLDERS];
	ns_t from, to;
	char byte;
	int i;

	for (i = 0; i < NR_HOLDERS; i++)
		must(pipe(pipes[i]), "making a pipe");
	for (i = NR_HOLDERS - 1; i >= 0; i--)
		threads[i] = begin(pass_on, &numbers[i]);
	from = now_ns();
	must(read(pipes[NR_HOLDERS - 1][0], &byte, 1) == 1 ? 0 : -1, "reading from a pipe");
	to = now_ns();
	for (i = 0; i < NR_HOLDERS; i++)
		pthread_join(threads[i], NULL);
	printf("truth pipes tid=%d from=%llu to=%llu call=read holders=%d,%d,%d sleep=%llu "
	       "work=%llu\n",
	       own_tid(), from, to, holders[2], holders[1], holders[0], 10 * MS, 4 * MS);
}

/* ---- child --------------------------------------------------------------------------------- */

static void wait_for_child(void)
{
	ns_t from, to;
	pid_t child = fork();

	must(child < 0 ? -1 : 0, "forking");
	if (!child) {
		sleep_ns(10 * MS);
		_exit(0);
	}
	from = now_ns();
	must(waitpid(child, NULL, 0) == child ? 0 : -1, "waiting for a child");
	to = now_ns();
	printf("truth child tid=%d from=%llu to=%llu call=wait4 waker=%d sleep=%llu\n", own_tid(),
	       from, to, child, 10 * MS);
}

/* ---- sockets ------------------------------------------------------------------------------- */

static int server_tid;

static void *answer(void *arg)
{
	int fd = *(int *)arg;
	char byte;

	server_tid = own_tid();
	must(recv(fd, &byte, 1, 0) == 1 ? 0 : -1, "receiving a question");
	sleep_ns(9 * MS);
	must(send(fd, &byte, 1, 0) == 1 ? 0 : -1, "sending an answer");
	return NULL;
}

/* Asks over @own and is answered over @other. */
static void ask(const char *name, int own, int other)
{
	pthread_t server = begin(answer, &other);
	ns_t from, to;
	char byte = 1;

	sleep_ns(2 * MS);
	must(send(own, &byte, 1, 0) == 1 ? 0 : -1, "sending a question");
	from = now_ns();
	must(recv(own, &byte, 1, 0) == 1 ? 0 : -1, "receiving an answer");
	to = now_ns();
	pthread_join(server, NULL);
	printf("truth %s tid=%d from=%llu to=%llu call=recvfrom waker=%d sleep=%llu\n", name,
	       own_tid(), from, to, server_tid, 9 * MS);
}

static void ask_by_socket(void)
{
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "making a pair of sockets");
	ask("socket", pair[0], pair[1]);
}

static void ask_by_tcp(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), own = socket(AF_INET, SOCK_STREAM, 0);
	int other;

	must(bind(listener, (struct sockaddr *)&address, length), "binding a socket");
	must(listen(listener, 1), "listening");
	must(getsockname(listener, (struct sockaddr *)&address, &length), "asking for the port");
	must(connect(own, (struct sockaddr *)&address, length), "connecting");
	other = accept(listener, NULL, NULL);
	must(other < 0 ? -1 : 0, "accepting");
	ask("tcp", own, other);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "convoy", convoy },
	{ "inversion", inversion },
	{ "sleep", sleep_well },
	{ "pipes", pass_along },
	{ "hog", hog },
	{ "child", wait_for_child },
	{ "socket", ask_by_socket },
	{ "tcp", ask_by_tcp },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			/* Whatever else the machine does, these threads run when they can. */
			be_realtime(10);
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "usage: waits CASE, see the head of the source\n");
	return 2;
}
