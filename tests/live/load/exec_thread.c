// SPDX-License-Identifier: GPL-2.0-only
/*
 * Execs by threads that are not their process's first one, with a path that is not in memory: such a thread
 * takes the first one's number, so that its exec never returns under the number that it began with. Then opens of
 * a path that is not in memory either, which are to have it in their exit records.
 *
 *	exec_thread EXECS OPENS
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	_exit(1);
}

/* A page of file @fd that this process has not touched. */
static char *map_page(int fd)
{
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	must(p != MAP_FAILED, "mmap");
	return p;
}

/* A file of a page that begins with @text. */
static int make_file(const char *text)
{
	char path[] = "/tmp/lkst-exec-thread-XXXXXX";
	int fd = mkstemp(path);

	must(fd >= 0 && !ftruncate(fd, PAGE), path);
	must(pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text), path);
	unlink(path);
	return fd;
}

static void *run(void *path)
{
	char *args[] = { "exec_thread", NULL }, *no_env[] = { NULL };

	execve(path, args, no_env);
	_exit(1);
}

static void exec_by_thread(int fd)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	must(pid >= 0, "fork");
	if (!pid) {
		must(!pthread_create(&thread, NULL, run, map_page(fd)), "pthread_create");
		for (;;)
			pause();
	}
	must(waitpid(pid, &status, 0) == pid && status == 0, "a process that a thread has exec'd");
}

int main(int argc, char **argv)
{
	int execs = argc > 1 ? atoi(argv[1]) : 0, opens = argc > 2 ? atoi(argv[2]) : 0, fd, i;

	if (argc < 2)
		return 0; /* what the threads run */
	fd = make_file("/proc/self/exe");
	for (i = 0; i < execs; i++)
		exec_by_thread(fd);
	close(fd);
	fd = make_file("/nonexistent/late");
	for (i = 0; i < opens; i++) {
		char *path = map_page(fd);

		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
		munmap(path, PAGE);
	}
	return 0;
}
