// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls whose path lies in a page that nobody has touched: a fresh mapping of a file, so
 * that the string is not there when the call is entered, and the kernel brings it in. Prints for each
 *
 *	MARK CALL RESULT ENTRY1 EXIT1 ENTRY2 EXIT2
 *
 * what each string is to be in the entry and in the exit record; "-" is an empty one. And calls with
 * numbers that no table has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

enum {
	PAGE = 4096,
	AREA = 64 * PAGE,
	AREAS = 7,
	KEPT = 511, /* characters of a string that are recorded */
	LONG = 700,
};

static char *areas[AREAS];
static unsigned long number;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

/* True if the page of @p is mapped now: bit 63 of its word in /proc/self/pagemap. */
static int is_mapped(const void *p)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t word = 0;

	must(fd >= 0 && pread(fd, &word, 8, (uintptr_t)p / PAGE * 8) == 8, "pagemap");
	close(fd);
	return word >> 63;
}

static char *area(int i)
{
	return areas[i];
}

/*
 * Maps a file of its own for each string, written in another way, so that no page of it is mapped.
 * One file for all would not do: the kernel may map what lies around a page too.
 */
static char *make_area(const char *text, long offset)
{
	char path[] = "/tmp/lkst-unread-XXXXXX";
	int fd = mkstemp(path);
	char *p;

	must(fd >= 0 && !ftruncate(fd, AREA), path);
	must(pwrite(fd, text, strlen(text), offset) == (ssize_t)strlen(text), path);
	p = mmap(NULL, AREA, PROT_READ, MAP_PRIVATE, fd, 0);
	must(p != MAP_FAILED, "mmap");
	close(fd);
	unlink(path);
	return p;
}

static void make_areas(void)
{
	char text[LONG + 1] = "";
	int i;

	for (i = 0; i < LONG; i++)
		text[i] = i % 2 ? '.' : '/';
	areas[0] = make_area("/proc/self/status", 100);
	areas[1] = make_area("/nonexistent/unread", 200);
	areas[2] = make_area("/nonexistent/old", 300);
	areas[3] = make_area("/nonexistent/new", 400);
	areas[4] = make_area("/proc/self/maps", 32 * PAGE - 8); /* across a page's end */
	areas[5] = make_area(text, 500);
	areas[6] = make_area("/proc/self/exe", 600);
}

static void begin(const char *unmapped)
{
	if (unmapped && is_mapped(unmapped)) {
		fprintf(stderr, "unread: the page was there before the call\n");
		exit(1);
	}
	mark(1, ++number);
}

static void print(const char *call, long result, const char *strings)
{
	printf("%lu %s %ld %s\n", number, call, result, strings);
	fflush(stdout);
}

#define CALL(...) (syscall(__VA_ARGS__) < 0 ? -errno : 0)

static void call_with_paths(void)
{
	char text[2 * LONG], path[LONG];
	long result;

	begin(area(0));
	result = CALL(SYS_open, area(0) + 100, O_RDONLY);
	print("open", result, "- /proc/self/status");

	begin(area(1));
	result = CALL(SYS_newfstatat, AT_FDCWD, area(1) + 200, NULL, 0);
	print("newfstatat", result, "- /nonexistent/unread");

	begin(area(2));
	result = CALL(SYS_rename, area(2) + 300, "/nonexistent/there");
	print("rename", result, "- /nonexistent/old /nonexistent/there -");

	/* The first is there by now, the second is not. */
	begin(area(3));
	result = CALL(SYS_rename, area(2) + 300, area(3) + 400);
	print("rename", result, "/nonexistent/old - - /nonexistent/new");

	begin(area(4) + 32 * PAGE - 8);
	result = CALL(SYS_openat, AT_FDCWD, area(4) + 32 * PAGE - 8, O_RDONLY);
	print("openat", result, "- /proc/self/maps");

	memcpy(path, area(5) + 500, KEPT);
	path[KEPT] = 0;
	begin(NULL);
	result = CALL(SYS_access, area(5) + 500, F_OK);
	snprintf(text, sizeof(text), "%s -", path);
	print("access", result, text);

	begin(NULL);
	result = CALL(SYS_unlink, NULL);
	print("unlink", result, "- -");
	begin(NULL);
	result = CALL(SYS_unlink, (void *)16);
	print("unlink", result, "- -");
	begin(NULL);
	result = CALL(SYS_mkdir, "", 0);
	print("mkdir", result, "- -");
}

static void run_program(void)
{
	char *args[] = { "exe", "leaf", NULL }, *no_env[] = { NULL };
	pid_t pid;

	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		begin(area(6));
		execve(area(6) + 600, args, no_env);
		_exit(1);
	}
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
	number++;
	/* The caller's memory is gone when this call returns. */
	print("execve", 0, "- -");
}

/* Numbers beyond the table, in its holes, of the x32 table and below 0. */
static void call_unknown(void)
{
	static const long numbers[] = { 9999, 511, 400, 0x40000000 | SYS_getpid, -1, -2, 65536 };
	unsigned int i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		long result;

		begin(NULL);
		result = syscall(numbers[i], 0x1111111122222222, 2, 3, 4, 5, -6L);
		printf("%lu unknown %ld %ld\n", number, result < 0 ? -errno : result, numbers[i]);
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;
	make_areas();
	call_with_paths();
	run_program();
	call_unknown();
	return 0;
}
