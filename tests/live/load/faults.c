// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults of many kinds, a known number of each where there is one. For each kind it prints what the
 * kernel counted between two marks:
 *
 *	KIND TID MARK MINOR MAJOR EXPECTED ADDRESS
 *
 * EXPECTED: the number by construction, -1 if there is none; ADDRESS: of the first page touched.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

enum { PAGES = 700, PAGE = 4096, FILE_PAGES = 64 };

static struct rusage before, after;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

static char *fresh(int prot)
{
	char *p = mmap(NULL, PAGES * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED, "mmap");
	must(!madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE), "madvise");
	return p;
}

static void begin(unsigned long number)
{
	must(!getrusage(RUSAGE_THREAD, &before), "getrusage");
	mark(1, number);
}

static void end(unsigned long number)
{
	mark(2, number);
	must(!getrusage(RUSAGE_THREAD, &after), "getrusage");
}

static void print(const char *kind, unsigned long number, long expected, const void *address)
{
	printf("%s %ld %lu %ld %ld %ld %lu\n", kind, (long)syscall(SYS_gettid), number,
	       after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt, expected,
	       (unsigned long)address);
	fflush(stdout);
}

static void write_each(char *p, int pages)
{
	int i;

	for (i = 0; i < pages; i++)
		*(volatile char *)(p + (long)i * PAGE) = 1;
}

static void read_each(const char *p, int pages)
{
	int i;

	for (i = 0; i < pages; i++)
		(void)*(volatile const char *)(p + (long)i * PAGE);
}

static void touch_fresh(void)
{
	char *p = fresh(PROT_READ | PROT_WRITE);

	begin(1);
	write_each(p, PAGES);
	end(1);
	print("written", 1, PAGES, p);
}

/* Whether pages that are only read are one page of zeros: those of the guests of some hypervisors are not. */
static int shares_zeros(void)
{
	char *p = fresh(PROT_READ);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entries[2];

	read_each(p, 2);
	must(pread(fd, entries, sizeof(entries), (off_t)((uintptr_t)p / PAGE * sizeof(*entries))) == sizeof(entries),
	     "/proc/self/pagemap");
	close(fd);
	munmap(p, PAGES * PAGE);
	return entries[0] == entries[1];
}

/* The zero page first, then one of its own. */
static void read_then_write(void)
{
	char *p = fresh(PROT_READ | PROT_WRITE);
	int times = shares_zeros() ? 2 : 1;

	begin(2);
	read_each(p, PAGES);
	write_each(p, PAGES);
	end(2);
	print("read_then_written", 2, times * PAGES, p);
}

/* The kernel touches the pages, on this thread's behalf. */
static void let_kernel_write(void)
{
	char *p = fresh(PROT_READ | PROT_WRITE);
	int fd = open("/dev/zero", O_RDONLY);

	must(fd >= 0, "/dev/zero");
	begin(3);
	must(read(fd, p, PAGES * PAGE) == PAGES * PAGE, "read");
	end(3);
	print("kernel", 3, PAGES, p);
	close(fd);
}

/* A file that is not in memory: some faults wait for the disk. */
static void touch_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *p;

	must(fd >= 0 && !ftruncate(fd, FILE_PAGES * PAGE), path);
	p = malloc(FILE_PAGES * PAGE);
	memset(p, 7, FILE_PAGES * PAGE);
	must(pwrite(fd, p, FILE_PAGES * PAGE, 0) == FILE_PAGES * PAGE && !fsync(fd), path);
	free(p);
	must(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "posix_fadvise");
	p = mmap(NULL, FILE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	must(p != MAP_FAILED, "mmap");
	begin(4);
	read_each(p, FILE_PAGES);
	write_each(p, FILE_PAGES);
	end(4);
	print("file", 4, -1, p);
	close(fd);
	unlink(path);
}

/* Pages shared with the parent are copied when the child writes. */
static void copy_on_write(void)
{
	char *p = fresh(PROT_READ | PROT_WRITE);
	pid_t pid;

	write_each(p, PAGES);
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		/* What the marks and the loop themselves touch, first. */
		begin(0);
		write_each(p, 1);
		end(0);
		begin(5);
		write_each(p + PAGE, PAGES - 1);
		end(5);
		print("copied", 5, PAGES - 1, p + PAGE);
		_exit(0);
	}
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
}

int main(int argc, char **argv)
{
	/* The pages of the code and data that marking needs are to be there before it counts. */
	begin(0);
	write_each((char *)fresh(PROT_READ | PROT_WRITE), 1);
	end(0);
	print("warming", 0, -1, NULL);
	touch_fresh();
	read_then_write();
	let_kernel_write();
	touch_file(argc > 1 ? argv[1] : "faults.tmp");
	copy_on_write();
	return 0;
}
