// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does things that analyses measure, and measures them itself or reads the kernel's accounts of them:
 * a line "NAME VALUE" for each on standard output, times in ns. It runs in a network namespace of its
 * own, where nobody else sends.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	NR_CALLS = 20000,
	NR_ERRORS = 777,
	NR_SLEEPS = 200,
	NR_CHILDREN = 30,
	NR_PACKETS = 500,
	PACKET_BYTES = 1000,
	HOG_MS = 700,
};

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void sleep_ns(long ns)
{
	struct timespec t = { 0, ns };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t))
		;
}

/* The beginning of a file, all of it if it is small. */
static void read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	if (length < 0)
		die(path);
	text[length] = 0;
	close(fd);
}

static void make_calls(void)
{
	unsigned long long begin, slept = 0;
	int i;

	for (i = 0; i < NR_CALLS; i++)
		syscall(SYS_getppid);
	for (i = 0; i < NR_ERRORS; i++)
		syscall(SYS_dup, -1);
	for (i = 0; i < NR_SLEEPS; i++) {
		begin = now_ns();
		sleep_ns(1000000);
		slept += now_ns() - begin;
	}
	printf("calls %d\nerrors %d\nsleeps %d\nslept_ns %llu\n", NR_CALLS, NR_ERRORS, NR_SLEEPS,
	       slept);
}

static void make_children(void)
{
	unsigned long long begin, lived = 0;
	int i, status;
	pid_t pid;

	for (i = 0; i < NR_CHILDREN; i++) {
		begin = now_ns();
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid) {
			prctl(PR_SET_NAME, "measured-child");
			sleep_ns(5000000);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		lived += now_ns() - begin;
	}
	printf("children %d\nchildren_min_ns %llu\nchildren_max_ns %llu\n", NR_CHILDREN,
	       NR_CHILDREN * 5000000ULL, lived);
}

static void make_packets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4242) };
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	unsigned long long packets = 0, bytes = 0;
	char packet[PACKET_BYTES] = "", text[4096], *line;
	int fd = socket(AF_INET, SOCK_DGRAM, 0), i;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &up) || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		die("the loopback interface");
	for (i = 0; i < NR_PACKETS; i++) {
		if (sendto(fd, packet, sizeof(packet), 0, (struct sockaddr *)&to, sizeof(to)) < 0 ||
		    recv(fd, packet, sizeof(packet), 0) < 0)
			die("sending");
	}
	read_file("/proc/self/net/dev", text, sizeof(text));
	line = strstr(text, "lo:");
	/* After eight numbers of what was received. */
	if (!line ||
	    sscanf(line, "lo: %*u %*u %*u %*u %*u %*u %*u %*u %llu %llu", &bytes, &packets) != 2)
		die("/proc/self/net/dev");
	printf("packets %llu\npacket_bytes %llu\n", packets, bytes);
}

/* Competes with others for the CPUs, so that there is something to wait for. */
static void make_load(void)
{
	int i, nr = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long end = now_ns() + HOG_MS * 1000000ULL;
	pid_t *hogs = calloc(nr, sizeof(*hogs));

	for (i = 0; hogs && i < nr; i++) {
		hogs[i] = fork();
		if (!hogs[i])
			for (;;)
				;
	}
	while (now_ns() < end)
		;
	for (i = 0; hogs && i < nr; i++) {
		kill(hogs[i], 9);
		waitpid(hogs[i], NULL, 0);
	}
	free(hogs);
}

int main(void)
{
	unsigned long long run, wait, slices;
	char text[4096];

	if (unshare(CLONE_NEWNET))
		die("unshare");
	make_calls();
	make_children();
	make_packets();
	make_load();
	/* The time on CPUs is brought up to date when a thread leaves one. */
	sleep_ns(1000000);
	read_file("/proc/self/schedstat", text, sizeof(text));
	if (sscanf(text, "%llu %llu %llu", &run, &wait, &slices) != 3)
		die("/proc/self/schedstat");
	printf("tid %d\nrun_ns %llu\nwait_ns %llu\n", (int)getpid(), run, wait);
	return 0;
}
