// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with marks (USDT): usdt N, for every line that it reads. For each of 1 to N it passes the mark
 * trial:request, writes so many bytes to /dev/null and passes trial:reply, if anybody wants them. It prints how often
 * trial:request was wanted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* The kernel counts here who wants the mark. */
#define COUNTER(mark) unsigned short trial_##mark##_semaphore __attribute__((section(".probes")))

COUNTER(request);
COUNTER(reply);

/* What the compiler knows to be zero it would not look at again. */
static int is_wanted(const volatile unsigned short *counter)
{
	return *counter > 0;
}

static int run(int nr, int fd)
{
	static const char *const kinds[] = { "even", "odd" };
	static const char bytes[4096];
	int i, wanted = 0;

	for (i = 1; i <= nr; i++) {
		if (is_wanted(&trial_request_semaphore)) {
			DTRACE_PROBE3(trial, request, i, (long long)-i, kinds[i % 2]);
			wanted++;
		}
		if (write(fd, bytes, (size_t)i) != i)
			exit(1);
		if (is_wanted(&trial_reply_semaphore))
			DTRACE_PROBE1(trial, reply, i);
	}
	return wanted;
}

int main(int argc, char **argv)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), nr = argc > 1 ? atoi(argv[1]) : 1;
	char line[64];

	if (fd < 0)
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		printf("%d\n", run(nr, fd));
		fflush(stdout);
	}
	return 0;
}
