// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that makes many kinds of system calls, for a comparison with what strace(1) says of it:
 * files, memory, pipes, signals, threads, processes, and calls that fail. It is also built as a
 * 32-bit program (syscalls32.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/lkst-syscalls-XXXXXX";
static volatile sig_atomic_t signals;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "syscalls: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void use_files(void)
{
	struct iovec iov[2] = { { "abc", 3 }, { "defg", 4 } };
	char buffer[64];
	struct stat st;
	int fd;

	must(mkdtemp(dir) != NULL, "mkdtemp");
	must(!chdir(dir), "chdir");
	fd = open("a \"quoted\"\tname\\", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	must(fd >= 0, "open");
	must(writev(fd, iov, 2) == 7, "writev");
	must(pwrite(fd, "xyz", 3, 4096) == 3, "pwrite");
	must(pread(fd, buffer, sizeof(buffer), 4090) == 9, "pread");
	must(lseek(fd, -2, SEEK_END) == 4097, "lseek");
	must(read(fd, buffer, sizeof(buffer)) == 2, "read");
	must(!fstat(fd, &st) && !stat("a \"quoted\"\tname\\", &st), "stat");
	must(!pread64(fd, buffer, 1, 0x123456789), "pread64");
	must(!ftruncate(fd, 100) && !fsync(fd) && !fchmod(fd, 0600), "ftruncate");
	must(fcntl(fd, F_GETFL) >= 0 && fcntl(fd, F_DUPFD_CLOEXEC, 20) >= 20, "fcntl");
	must(!rename("a \"quoted\"\tname\\", "b") && !link("b", "c"), "rename");
	must(!symlink("b", "d") && readlink("d", buffer, sizeof(buffer)) == 1, "symlink");
	must(!mkdir("e", 0711) && !rmdir("e") && !unlink("c") && !unlink("d"), "mkdir");
	must(!access("b", R_OK | W_OK) && !utimensat(AT_FDCWD, "b", NULL, 0), "access");
	must(!close(fd) && !unlink("b"), "close");
}

/* Calls that are refused, each in another way. */
static void fail_often(void)
{
	char byte;

	must(open("", O_RDONLY) < 0 && errno == ENOENT, "open of nothing");
	must(open("/proc/self/none/x", O_RDWR | O_NOFOLLOW) < 0, "open of none");
	must(syscall(SYS_open, NULL, O_RDONLY) < 0 && errno == EFAULT, "open of NULL");
	must(read(-1, &byte, 1) < 0 && errno == EBADF, "read of -1");
	must(syscall(SYS_read, 99, NULL, ~0UL >> 2) < 0, "read of 99");
	must(kill(getpid(), 77) < 0 && errno == EINVAL, "kill");
	must(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, "mmap");
	must(munmap((void *)1, 1) < 0 && errno == EINVAL, "munmap");
	must(syscall(SYS_fcntl, 0, 12345, -1L) < 0, "fcntl");
	must(socket(AF_UNIX, 77, 0) < 0, "socket");
}

static void use_memory(void)
{
	char *p = mmap(NULL, 3 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/exe", O_RDONLY);
	void *file;

	must(p != MAP_FAILED && fd >= 0, "mmap");
	p[0] = 1;
	must(!mprotect(p, 1 << 12, PROT_READ), "mprotect");
	must(!madvise(p + 4096, 1 << 12, MADV_DONTNEED), "madvise");
	p = mremap(p + (2 << 12), 1 << 12, 2 << 12, MREMAP_MAYMOVE);
	must(p != MAP_FAILED, "mremap");
	file = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096);
	must(file != MAP_FAILED && !munmap(file, 4096) && !munmap(p, 2 << 12), "munmap");
	must(sbrk(0x10000) != (void *)-1, "brk");
	close(fd);
}

static void on_signal(int sig)
{
	signals++;
	(void)sig;
}

static void use_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval soon = { .it_value.tv_usec = 2000 };
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	must(!sigaction(SIGUSR1, &sa, NULL) && !sigaction(SIGALRM, &sa, NULL), "sigaction");
	must(!sigprocmask(SIG_BLOCK, &set, &old), "sigprocmask");
	must(!kill(getpid(), SIGUSR1), "kill");
	must(!sigprocmask(SIG_SETMASK, &old, NULL), "sigprocmask");
	must(signals == 1, "signal");
	must(!raise(SIGUSR1) && signals == 2, "raise");
	must(!setitimer(ITIMER_REAL, &soon, NULL), "setitimer");
	while (signals < 3)
		pause();
}

static void use_pipes(void)
{
	struct pollfd poll_fd = { .events = POLLIN };
	struct epoll_event event = { .events = EPOLLIN };
	int fds[2], pair[2], ep, ev;
	uint64_t one = 1;
	char c;

	must(!pipe2(fds, O_NONBLOCK) && read(fds[0], &c, 1) < 0 && errno == EAGAIN, "pipe2");
	must(write(fds[1], "x", 1) == 1, "write");
	poll_fd.fd = fds[0];
	must(poll(&poll_fd, 1, 1000) == 1, "poll");
	ep = epoll_create1(EPOLL_CLOEXEC);
	must(ep >= 0 && !epoll_ctl(ep, EPOLL_CTL_ADD, fds[0], &event), "epoll_ctl");
	must(epoll_wait(ep, &event, 1, -1) == 1, "epoll_wait");
	ev = eventfd(0, EFD_NONBLOCK);
	must(ev >= 0 && write(ev, &one, sizeof(one)) == 8, "eventfd");
	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "socketpair");
	must(send(pair[0], "hello", 5, MSG_NOSIGNAL) == 5, "send");
	must(recv(pair[1], &c, 1, MSG_PEEK) == 1, "recv");
	must(!shutdown(pair[0], SHUT_WR), "shutdown");
	close(pair[0]), close(pair[1]), close(ev), close(ep), close(fds[0]), close(fds[1]);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

/* Threads that take turns: futex waits and wakes. */
static void *take_turns(void *arg)
{
	int me = arg != NULL, i;

	for (i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&turned, &lock);
		syscall(SYS_getppid);
		turn = !me;
		pthread_cond_signal(&turned);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void use_threads(void)
{
	struct timespec little = { 0, 1000 };
	pthread_t a, b;

	must(!pthread_create(&a, NULL, take_turns, NULL), "pthread_create");
	must(!pthread_create(&b, NULL, take_turns, dir), "pthread_create");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	sched_yield();
	nanosleep(&little, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL);
}

static void use_processes(char *self)
{
	char *args[] = { self, "leaf", NULL }, *no_env[] = { NULL };
	int status;
	pid_t pid;

	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		getppid();
		execve("/nonexistent/program", args, no_env);
		execve(self, args, no_env);
		_exit(1);
	}
	must(waitpid(pid, &status, 0) == pid && status == 7 << 8, "waitpid");
	pid = vfork();
	must(pid >= 0, "vfork");
	if (!pid)
		_exit(3);
	must(waitpid(pid, &status, 0) == pid && status == 3 << 8, "waitpid");
	must(!posix_spawn(&pid, self, NULL, NULL, args, no_env), "posix_spawn");
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	pid = fork();
	if (!pid) {
		for (;;)
			pause();
	}
	must(!kill(pid, SIGTERM) && wait4(-1, &status, WUNTRACED, NULL) == pid, "wait4");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "leaf"))
		return 7;
	use_files();
	fail_often();
	use_memory();
	use_signals();
	use_pipes();
	use_threads();
	use_processes("/proc/self/exe");
	must(!chdir("/") && !rmdir(dir), "rmdir");
	return 0;
}
