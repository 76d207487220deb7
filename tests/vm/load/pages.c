// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes page faults of every kind, each at an address of its own, and prints what the records must hold
 * (as tests/vm/load/functions.c does), and for faults that come to a good end:
 *
 *	minor ADDRESS		it needed no disk
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define IS_X86 1
#else
#define IS_X86 0
#endif

enum {
	PAGE = 4096,
	/* The error code's bits, arch/x86/include/asm/trap_pf.h. Elsewhere the first is not known. */
	PRESENT = IS_X86,
	WRITE = 2,
	USER = 4,
	INSTRUCTION = 16,
};

/* The instruction that returns from a function. */
#ifdef __x86_64__
static const unsigned char go_back[] = { 0xc3 };
#else
static const unsigned char go_back[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#endif

static sigjmp_buf after_fault;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

static char *fresh(int protection)
{
	char *page = mmap(NULL, 3 * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(page != MAP_FAILED, "mmap");
	madvise(page, 3 * PAGE, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses it */
	return page + PAGE;
}

/* A page of a file that is in memory, but not in this process's. */
static char *of_file(const void *bytes, size_t size, int protection)
{
	int fd = memfd_create("lkst", 0);
	char *page;

	must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "memfd");
	page = mmap(NULL, PAGE, protection, MAP_PRIVATE, fd, 0);
	must(page != MAP_FAILED, "mmap");
	close(fd);
	return page;
}

static void expect_user(const char *which, const void *address, unsigned int code,
			const char *function)
{
	printf("page_fault_user@%s \"address\":%lu \"error_code\":%u\n", which,
	       (unsigned long)address, code);
	printf("minor %lu\n", (unsigned long)address);
	if (function)
		printf("%s@%s \"address\":%lu\n", function, which, (unsigned long)address & -PAGE);
}

static void touch(void)
{
	const char zero = 0;
	char *page = fresh(PROT_READ | PROT_WRITE);
	pid_t child;

	*(volatile char *)(page + 1) = 1;
	expect_user("write", page + 1, USER | WRITE, "do_anonymous_page");
	fflush(stdout);
	child = fork();
	must(child >= 0, "fork");
	if (!child)
		_exit(*(volatile char *)page);
	*(volatile char *)(page + 2) = 2;
	must(waitpid(child, NULL, 0) == child, "child");
	expect_user("copy", page + 2, USER | WRITE | PRESENT, "do_wp_page");

	page = fresh(PROT_READ | PROT_WRITE);
	child = *(volatile char *)(page + 3);
	expect_user("read", page + 3, USER, "do_anonymous_page");
	page = of_file(&zero, 1, PROT_READ);
	child = *(volatile char *)(page + 4);
	expect_user("file", page + 4, USER, "do_fault");
}

static void run(void)
{
	char *page = of_file(go_back, sizeof(go_back), PROT_READ | PROT_EXEC);

	((void (*)(void))page)();
	expect_user("instruction", page, USER | INSTRUCTION, "do_fault");
}

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(after_fault, 1);
}

/* Where a function is hooked for want of a tracepoint, the kernel does not call it for these. */
static void expect_refused(const char *which, const void *address, unsigned int code)
{
	if (IS_X86)
		printf("page_fault_user@%s \"address\":%lu \"error_code\":%u\n", which,
		       (unsigned long)address, code);
	else
		printf("cannot page_fault_user@%s: this architecture has no tracepoint of page "
		       "faults\n",
		       which);
}

/* Faults that end in a signal. */
static void fail(void)
{
	struct sigaction sa = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	char *page = fresh(PROT_READ | PROT_WRITE), *reserved = fresh(PROT_NONE);

	must(!sigaction(SIGSEGV, &sa, NULL), "sigaction");
	memcpy(page, go_back, sizeof(go_back));
	if (!sigsetjmp(after_fault, 1))
		((void (*)(void))page)();
	expect_refused("data_run", page, USER | INSTRUCTION | PRESENT);
	printf("trap_signal@data_run \"ip\":%lu \"address\":%lu \"error_code\":%u \"trap\":14 \"signal\":%d\n",
	       (unsigned long)page, (unsigned long)page, USER | INSTRUCTION | PRESENT, SIGSEGV);
	if (!sigsetjmp(after_fault, 1))
		*(volatile char *)(reserved + 5) = 1;
	expect_refused("refused", reserved + 5, USER | WRITE);
	printf("trap_signal@refused \"address\":%lu \"error_code\":%u \"trap\":14 \"signal\":%d\n",
	       (unsigned long)reserved + 5, USER | WRITE, SIGSEGV);
}

/* The kernel touches the program's memory on its behalf. */
static void let_kernel_touch(void)
{
	static const char path[] = "/lkst-no-such-file";
	char *page = fresh(PROT_READ | PROT_WRITE);
	int zeros = open("/dev/zero", O_RDONLY), ends[2];

	must(zeros >= 0 && read(zeros, page + 6, 1) == 1, "/dev/zero");
	printf("page_fault_kernel@write \"address\":%lu \"error_code\":%u\n",
	       (unsigned long)page + 6, WRITE);
	printf("minor %lu\n", (unsigned long)page + 6);
	page = fresh(PROT_READ | PROT_WRITE);
	must(!pipe(ends) && write(ends[1], page + 7, 1) == 1, "pipe");
	printf("page_fault_kernel@read \"address\":%lu \"error_code\":0\n",
	       (unsigned long)page + 7);
	close(zeros);
	/*
	 * A path that is not in this process's memory yet: first the recorder's own program stumbles over
	 * it, and nothing comes of that, then the kernel. (Some copying functions try twice. Where page
	 * faults have no tracepoint, the recorder's does not come as far as the function that is hooked.)
	 */
	page = of_file(path, sizeof(path), PROT_READ);
	must(open(page, O_RDONLY) < 0, "open");
	printf("page_fault_kernel@recorder#+%d \"address\":%lu \"error_code\":0\n", IS_X86 + 1,
	       (unsigned long)page);
	printf("minor %lu\n", (unsigned long)page);
}

int main(void)
{
	printf("tid %d\n", getpid());
	touch();
	run();
	fail();
	let_kernel_touch();
	return 0;
}
