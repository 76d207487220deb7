// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds memory: touches 500 pages and says "ready"; on a line of input it touches 300 more, gives 200 of the first
 * back, and says "done"; it ends with its input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 1000, FIRST = 500, MORE = 300, BACK = 200 };

static char *memory;

static void touch(int from, int to)
{
	const long page = sysconf(_SC_PAGESIZE);

	for (; from < to; from++)
		memory[from * page] = 1;
}

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

int main(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char line[64];

	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED || madvise(memory, PAGES * page, MADV_NOHUGEPAGE))
		return 1;
	touch(0, FIRST);
	say("ready");
	/* Not by the C library, which would take memory for it. */
	if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
		return 1;
	touch(FIRST, FIRST + MORE);
	if (madvise(memory, BACK * page, MADV_DONTNEED))
		return 1;
	say("done");
	while (read(STDIN_FILENO, line, sizeof(line)) > 0)
		;
	return 0;
}
