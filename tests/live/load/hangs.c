// SPDX-License-Identifier: GPL-2.0-only
/*
 * What hangs, for tests of what has not ended: `hangs DIR` has two threads take two mutexes in both orders, two
 * processes the same with flock(2) on files in DIR, a process wait for a robust mutex of one that is stopped, and one
 * for a FUSE server that does not answer, at DIR/fuse. It prints "mutex TID TID", "flock PID PID", "stopped PID PID",
 * and "fuse PID PID" (who waits, who has it), "fuse no ERROR" where nothing of the kind can be mounted, and "ready"; it
 * ends what it began when its input ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t both;
static pid_t tids[2];

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void *take_both(void *arg)
{
	const int own = *(int *)arg;

	prctl(PR_SET_NAME, own ? "hang-right" : "hang-left");
	tids[own] = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(&locks[own]);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&locks[!own]);
	return NULL;
}

static void hang_at_mutexes(void)
{
	static int numbers[2] = { 0, 1 };
	pthread_t thread;
	int i;

	pthread_barrier_init(&both, NULL, 3);
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, take_both, &numbers[i]))
			die("pthread_create");
	pthread_barrier_wait(&both);
	printf("mutex %d %d\n", tids[0], tids[1]);
}

/* A process that ends with its parent. */
static pid_t begin(const char *name)
{
	pid_t parent = getpid(), pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	prctl(PR_SET_NAME, name);
	return 0;
}

static void hang_at_flock(const char *dir, pthread_barrier_t *shared)
{
	static const char *const names[2] = { "flock-left", "flock-right" };
	char path[4096];
	pid_t pids[2];
	int i, k, fds[2];

	for (i = 0; i < 2; i++) {
		pids[i] = begin(names[i]);
		if (pids[i])
			continue;
		for (k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), "%s/file%d", dir, k);
			fds[k] = open(path, O_RDWR | O_CREAT, 0600);
			if (fds[k] < 0)
				die(path);
		}
		flock(fds[i], LOCK_EX);
		pthread_barrier_wait(shared);
		flock(fds[!i], LOCK_EX);
		_exit(EXIT_SUCCESS);
	}
	pthread_barrier_wait(shared);
	printf("flock %d %d\n", pids[0], pids[1]);
}

/* A robust mutex that both share: its word names its owner, which is stopped. */
static void hang_at_stopped(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;
	pid_t holder, waiter;
	int status;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(mutex, &attributes);
	holder = begin("hang-keeper");
	if (!holder) {
		pthread_mutex_lock(mutex);
		raise(SIGSTOP);
		_exit(EXIT_SUCCESS);
	}
	if (waitpid(holder, &status, WUNTRACED) != holder || !WIFSTOPPED(status))
		die("waitpid");
	waiter = begin("hang-waiter");
	if (!waiter) {
		pthread_mutex_lock(mutex);
		_exit(EXIT_SUCCESS);
	}
	printf("stopped %d %d\n", waiter, holder);
}

/* Answers what every server is asked first, and then nothing. */
static void serve(int fd)
{
	static char request[1 << 17];
	const struct fuse_in_header *in = (const struct fuse_in_header *)request;
	struct {
		struct fuse_out_header header;
		struct fuse_init_out init;
	} answer = { .init = { .major = FUSE_KERNEL_VERSION,
			       .minor = FUSE_KERNEL_MINOR_VERSION,
			       .max_write = 4096,
			       .max_background = 1,
			       .congestion_threshold = 1 } };

	if (read(fd, request, sizeof(request)) < 0 || in->opcode != FUSE_INIT)
		_exit(EXIT_FAILURE);
	answer.header.len = sizeof(answer);
	answer.header.unique = in->unique;
	if (write(fd, &answer, sizeof(answer)) < 0)
		_exit(EXIT_FAILURE);
	for (;;)
		pause();
}

/* Whether it is mounted at @path. */
static int hang_at_fuse(const char *path)
{
	char options[128], file[4200];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pid_t server, client;
	struct stat st;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd < 0 || mkdir(path, 0700) || mount("hangs", path, "fuse", MS_NOSUID | MS_NODEV, options)) {
		printf("fuse no %s\n", strerror(errno));
		return 0;
	}
	server = begin("fuse-server");
	if (!server)
		serve(fd);
	close(fd);
	client = begin("fuse-client");
	if (!client) {
		snprintf(file, sizeof(file), "%s/file", path);
		_exit(stat(file, &st) ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	printf("fuse %d %d\n", client, server);
	return 1;
}

int main(int argc, char **argv)
{
	pthread_barrierattr_t attributes;
	struct {
		pthread_barrier_t barrier;
		pthread_mutex_t mutex;
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char c, path[4096];
	int is_mounted;

	if (argc != 2 || shared == MAP_FAILED)
		return EXIT_FAILURE;
	pthread_barrierattr_init(&attributes);
	pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &attributes, 3);
	hang_at_flock(argv[1], &shared->barrier);
	hang_at_stopped(&shared->mutex);
	snprintf(path, sizeof(path), "%s/fuse", argv[1]);
	is_mounted = hang_at_fuse(path);
	hang_at_mutexes();
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	if (is_mounted)
		umount2(path, MNT_DETACH);
	/* Those that wait for each other end with this one. */
	_exit(EXIT_SUCCESS);
}
