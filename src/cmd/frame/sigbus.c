/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens when a mapped file cannot be read any more. */
#include "cmd/frame/sigbus.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"

/* All of this runs in the signal handler: only calls that signal-safety(7) allows. */

struct sigbus_line {
	char bytes[4096 + 128];
	size_t length;
};

/* The next line of @fd, cut off where there is no room, with a NUL. Maps are few: a byte at a time will do. */
static bool read_line(int fd, struct sigbus_line *line)
{
	char c = 0;

	line->length = 0;
	while (c != '\n' && read(fd, &c, 1) == 1)
		if (c != '\n' && line->length < sizeof(line->bytes) - 1)
			line->bytes[line->length++] = c;
	line->bytes[line->length] = 0;
	return c == '\n';
}

static uintptr_t sigbus_take_hex(const char **text)
{
	const char digits[] = "0123456789abcdef", *digit;
	uintptr_t n = 0;

	while (**text && (digit = strchr(digits, **text))) {
		n = n << 4 | (uintptr_t)(digit - digits);
		++*text;
	}
	return n;
}

/* The file that is mapped at @address, in @line; NULL: it is not known. */
static const char *find_file(uintptr_t address, struct sigbus_line *line)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && read_line(fd, line)) {
		const char *at = line->bytes;
		uintptr_t begin = sigbus_take_hex(&at), end;

		at += *at == '-';
		end = sigbus_take_hex(&at);
		if (address >= begin && address < end)
			return strchr(at, '/');
	}
	return NULL;
}

static void sigbus_say(const char *text)
{
	/* Nobody is left to be told that this failed. */
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* A file's name, which may hold anything. */
static void say_escaped(const char *name)
{
	static char text[4 * sizeof(struct sigbus_line) + 1];

	*lkst_put_escaped(text, name, strlen(name), NULL) = 0;
	sigbus_say(text);
}

static void on_bus(int number, siginfo_t *info, void *context)
{
	static struct sigbus_line line;
	const char *file;

	if (info->si_code <= 0) {
		/* A process has sent it. */
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	file = find_file((uintptr_t)info->si_addr, &line);
	sigbus_say("lkst: ");
	if (file)
		say_escaped(file);
	else
		sigbus_say("a file");
	sigbus_say(" cannot be read any more: it was cut off meanwhile, or its disk is bad\n");
	_exit(EXIT_FAILURE);
}

void lkst_sigbus_explain(void)
{
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}
