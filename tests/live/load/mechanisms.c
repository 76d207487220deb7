// SPDX-License-Identifier: GPL-2.0-only
/*
 * Incidents of which the mechanism has a name, for a second or so each, and what the one who suffers has measured:
 *
 *	mechanisms flock FILE     me-waiter wants the lock of a file, with which me-holder sleeps
 *	mechanisms fcntl FILE     the same, with a lock of fcntl(2)
 *	mechanisms semop          the same, with a semaphore of System V
 *	mechanisms queue          me-waiter sends to a full queue of System V, from which me-holder takes late
 *	mechanisms pipe           me-waiter writes to a full pipe, from which me-holder reads late
 *	mechanisms names          me-waiter asks the name server 127.0.0.1:53, which does not answer, until poll(2) ends
 *	mechanisms silent         me-waiter asks a server that is connected, and does not answer, until recv(2) ends
 *	mechanisms backlog        me-waiter connects to a server that accepts nobody
 *	mechanisms files          me-waiter opens more files than it may
 *	mechanisms full DIR       me-waiter writes to a file system that is full
 *	mechanisms forks          me-waiter begins more threads than its cgroup may have
 *	mechanisms frozen FILE    me-freezer writes FROZEN and THAWED to FILE, for the cgroup of me-waiter
 *	mechanisms write FILE     me-waiter writes to FILE, past the page cache
 *	mechanisms dirty FILE     me-waiter writes to FILE, through the page cache
 *	mechanisms icy DIR        me-freezer freezes the file system DIR, where me-waiter writes
 *	mechanisms map FILE       me-waiter reads all of FILE again and again, which it has mapped
 *	mechanisms touch MIB      me-waiter uses so much memory, again and again
 *	mechanisms urgent         me-urgent runs on the CPU of me-waiter, with a real-time priority
 *	mechanisms pinned         me-hog runs on the CPU of me-waiter, beside which another is idle
 *	mechanisms sync FILE      me-waiter makes its file durable, while me-syncer has all files written
 *
 * Each prints "lost NS times N longest NS": of all that waited, how long, how often, and the longest; of calls that
 * fail, how often they did. What it prints besides is said there.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "suffer.h"

enum { ROUNDS = 12, PAGE = 4096 };

static const ns_t hold_ns = 60 * MS;
static const char *path;

/* ---- locks that processes share ------------------------------------------------------------------- */

struct lock {
	int fd, semaphores;
	enum { FLOCK, FCNTL, SEMOP } kind;
};

static struct lock wanted;

static void change(struct lock *l, bool takes)
{
	struct flock record = { .l_type = takes ? F_WRLCK : F_UNLCK };
	struct sembuf one = { .sem_op = takes ? -1 : 1 };
	int err = 0;

	if (l->kind == FLOCK)
		err = flock(l->fd, takes ? LOCK_EX : LOCK_UN);
	else if (l->kind == FCNTL)
		err = fcntl(l->fd, F_SETLKW, &record);
	else
		err = semop(l->semaphores, &one, 1);
	must(err, takes ? "locking" : "unlocking");
}

static void open_lock(void)
{
	wanted.fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	must(path && wanted.fd < 0 ? -1 : 0, "opening the file");
}

static void hold(void)
{
	int i;

	open_lock();
	for (i = 0; i < ROUNDS; i++) {
		change(&wanted, true);
		sleep_ns(hold_ns);
		change(&wanted, false);
		sleep_ns(5 * MS);
	}
}

static void run_lock(void)
{
	pid_t holder;
	int i;

	if (wanted.kind == SEMOP) {
		wanted.semaphores = semget(IPC_PRIVATE, 1, 0600);
		must(wanted.semaphores < 0 ? -1 : 0, "making a semaphore");
		change(&wanted, false);
		printf("id %d\n", wanted.semaphores);
	}
	holder = child(hold, "me-holder");
	name("me-waiter");
	open_lock();
	sleep_ns(10 * MS);
	for (i = 0; i < ROUNDS - 1; i++) {
		const ns_t from_ns = now_ns();

		change(&wanted, true);
		change(&wanted, false);
		add(from_ns);
		sleep_ns(10 * MS);
	}
	end(holder);
	if (wanted.kind == SEMOP)
		semctl(wanted.semaphores, 0, IPC_RMID);
}

/* ---- who does not take up what is sent ------------------------------------------------------------ */

static int queue, ends[2];

struct message {
	long type;
	char text[4096];
};

static void receive_late(void)
{
	struct message m;

	for (;;) {
		sleep_ns(hold_ns);
		must(msgrcv(queue, &m, sizeof(m.text), 0, 0) < 0 ? -1 : 0, "receiving");
	}
}

static void run_queue(void)
{
	struct message m = { .type = 1 };
	pid_t receiver;
	int i;

	queue = msgget(IPC_PRIVATE, 0600);
	must(queue < 0 ? -1 : 0, "making a queue");
	receiver = child(receive_late, "me-holder");
	name("me-waiter");
	while (!msgsnd(queue, &m, sizeof(m.text), IPC_NOWAIT))
		;
	for (i = 0; i < ROUNDS; i++) {
		const ns_t from_ns = now_ns();

		must(msgsnd(queue, &m, sizeof(m.text), 0), "sending");
		add(from_ns);
	}
	end(receiver);
	msgctl(queue, IPC_RMID, NULL);
}

static void read_late(void)
{
	static char bytes[1 << 16];

	close(ends[1]);
	for (;;) {
		sleep_ns(hold_ns);
		if (read(ends[0], bytes, sizeof(bytes)) <= 0)
			_exit(0);
	}
}

static void run_pipe(void)
{
	static char bytes[1 << 16];
	pid_t reader;
	int i;

	must(pipe(ends), "making a pipe");
	reader = child(read_late, "me-holder");
	name("me-waiter");
	for (i = 0; i <= ROUNDS; i++) {
		const ns_t from_ns = now_ns();

		must(write(ends[1], bytes, sizeof(bytes)) < 0 ? -1 : 0, "writing");
		if (i)
			add(from_ns);
	}
	end(reader);
}

/* ---- who does not answer -------------------------------------------------------------------------- */

static struct sockaddr_in at = { .sin_family = AF_INET };

static int open_at(int type, int port)
{
	const int fd = socket(AF_INET, type, 0);
	socklen_t length = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.sin_port = htons(port);
	must(fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
			     getsockname(fd, (struct sockaddr *)&at, &length) ? -1 : 0,
	     "opening a socket");
	printf("port %u\n", ntohs(at.sin_port));
	return fd;
}

static int dial(int type)
{
	const int fd = socket(AF_INET, type, 0);

	must(fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) ? -1 : 0, "connecting");
	return fd;
}

static void run_names(void)
{
	const int server = open_at(SOCK_DGRAM, 53), fd = dial(SOCK_DGRAM);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int i;

	name("me-waiter");
	for (i = 0; i < ROUNDS; i++) {
		const ns_t from_ns = now_ns();

		must(send(fd, "?", 1, 0) == 1 ? 0 : -1, "sending");
		must(poll(&p, 1, 100), "an answer came");
		add(from_ns);
	}
	close(server);
}

static void run_silent(void)
{
	const struct timeval most = { .tv_usec = 100000 };
	const int server = open_at(SOCK_STREAM, 0);
	int fd, i;
	char what;

	must(listen(server, 8), "listening");
	fd = dial(SOCK_STREAM);
	must(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)), "setting a timeout");
	name("me-waiter");
	for (i = 0; i < ROUNDS; i++) {
		const ns_t from_ns = now_ns();

		must(send(fd, "?", 1, 0) == 1 ? 0 : -1, "sending");
		must(recv(fd, &what, 1, 0) < 0 && errno == EAGAIN ? 0 : -1, "an answer came");
		add(from_ns);
	}
	close(server);
}

static int listener;

static void accept_late(void)
{
	sleep_ns(500 * MS);
	for (;;)
		close(accept(listener, NULL, NULL));
}

static void run_backlog(void)
{
	pid_t server;
	ns_t from_ns;
	int i, fds[2];

	listener = open_at(SOCK_STREAM, 0);
	must(listen(listener, 0), "listening");
	server = child(accept_late, "me-server");
	name("me-filler");
	/* One more than the backlog is taken. */
	for (i = 0; i < 1; i++)
		fds[i] = dial(SOCK_STREAM);
	name("me-waiter");
	from_ns = now_ns();
	close(dial(SOCK_STREAM));
	add(from_ns);
	close(fds[0]);
	end(server);
}

/* ---- limits --------------------------------------------------------------------------------------- */

static void run_files(void)
{
	const struct rlimit few = { 20, 20 };
	int i;

	name("me-waiter");
	must(setrlimit(RLIMIT_NOFILE, &few), "setting a limit");
	for (i = 0; i < 200; i++) {
		sum.times += open("/dev/null", O_RDONLY) < 0 && errno == EMFILE;
		sleep_ns(MS);
	}
}

static void run_full(void)
{
	static char bytes[1 << 20];
	char file[4200];
	int fd, i;

	snprintf(file, sizeof(file), "%s/log", path);
	name("me-waiter");
	fd = open(file, O_WRONLY | O_CREAT, 0600);
	must(fd < 0 ? -1 : 0, "opening the file");
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	for (i = 0; i < 200; i++) {
		sum.times += write(fd, bytes, 100) < 0 && errno == ENOSPC;
		sleep_ns(MS);
	}
	sum.times++; /* that ended the loop before */
}

static void *stay(void *arg)
{
	sleep_ns(600000 * MS);
	return NULL;
}

static void run_forks(void)
{
	pthread_t thread;
	int i;

	name("me-waiter");
	for (i = 0; i < 200; i++) {
		sum.times += pthread_create(&thread, NULL, stay, NULL) == EAGAIN;
		sleep_ns(MS);
	}
}

/* ---- cgroups, disks, file systems ----------------------------------------------------------------- */

static void put(const char *text)
{
	const int fd = open(path, O_WRONLY);

	must(fd < 0 || write(fd, text, strlen(text)) < 0 ? -1 : 0, path);
	close(fd);
}

static void freeze(void)
{
	int i;

	for (i = 0; i < ROUNDS / 2; i++) {
		sleep_ns(hold_ns);
		put("FROZEN");
		sleep_ns(2 * hold_ns);
		put("THAWED");
	}
}

/* The one who freezes is a child of another cgroup, which was there before: until that ends, all is measured. */
static void run_frozen(void)
{
	name("me-waiter");
	while (!waitpid(-1, NULL, WNOHANG)) {
		const ns_t from_ns = now_ns();

		sleep_ns(MS);
		if (now_ns() - from_ns > hold_ns)
			add(from_ns);
	}
}

static void run_write(int flags)
{
	const int fd = open(path, O_RDWR | O_CREAT | flags, 0600);
	const ns_t until_ns = now_ns() + 1500 * MS;
	const size_t size = 1 << 18;
	void *bytes = NULL;
	off_t to = 0;

	must(fd < 0 ? -1 : posix_memalign(&bytes, PAGE, size), path);
	must(bytes ? 0 : -1, "getting memory");
	memset(bytes, 1, size);
	name("me-waiter");
	while (now_ns() < until_ns) {
		const ns_t from_ns = now_ns();

		must(pwrite(fd, bytes, size, to) < 0 ? -1 : 0, "writing");
		to = (to + (off_t)size) % (32 << 20);
		add(from_ns);
	}
}

static void freeze_files(void)
{
	const int fd = open(path, O_RDONLY);
	int i;

	for (i = 0; i < ROUNDS / 2; i++) {
		sleep_ns(hold_ns);
		must(ioctl(fd, FIFREEZE, 0), "freezing");
		sleep_ns(2 * hold_ns);
		must(ioctl(fd, FITHAW, 0), "thawing");
	}
}

static void run_icy(void)
{
	const pid_t freezer = child(freeze_files, "me-freezer");
	const ns_t until_ns = now_ns() + (ROUNDS / 2 * 3 * hold_ns);
	char file[4200];
	int fd;

	snprintf(file, sizeof(file), "%s/log", path);
	fd = open(file, O_WRONLY | O_CREAT, 0600);
	must(fd < 0 ? -1 : 0, file);
	name("me-waiter");
	while (now_ns() < until_ns) {
		const ns_t from_ns = now_ns();

		must(pwrite(fd, "x", 1, 0) == 1 ? 0 : -1, "writing");
		add(from_ns);
		sleep_ns(5 * MS);
	}
	waitpid(freezer, NULL, 0);
}

static void run_map(void)
{
	const int fd = open(path, O_RDONLY);
	const ns_t until_ns = now_ns() + 1500 * MS;
	volatile char *bytes;
	struct rusage used;
	struct stat st;
	size_t i = 0;
	char sink = 0;

	must(fd < 0 || fstat(fd, &st) ? -1 : 0, path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	must(bytes == MAP_FAILED || madvise((void *)bytes, (size_t)st.st_size, MADV_RANDOM) ? -1 : 0, "mapping");
	/* Where others want the CPUs, it is to wait for the disk all the same. */
	must(setpriority(PRIO_PROCESS, 0, -20), "taking a high priority");
	name("me-waiter");
	while (now_ns() < until_ns) {
		const ns_t from_ns = now_ns();

		i = (i + 7919 * PAGE) % (size_t)st.st_size;
		sink += bytes[i];
		add(from_ns);
	}
	getrusage(RUSAGE_SELF, &used);
	printf("major %ld %d\n", used.ru_majflt, sink);
}

static void run_touch(void)
{
	const size_t size = (size_t)atoi(path) << 20;
	const ns_t until_ns = now_ns() + 1500 * MS;
	volatile char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage used;
	size_t i = 0;

	must(bytes == MAP_FAILED ? -1 : 0, "getting memory");
	name("me-waiter");
	while (now_ns() < until_ns) {
		const ns_t from_ns = now_ns();

		for (; i < size; i += PAGE)
			bytes[i]++;
		i = 0;
		add(from_ns);
	}
	getrusage(RUSAGE_SELF, &used);
	printf("major %ld\n", used.ru_majflt);
}

/* ---- CPUs ----------------------------------------------------------------------------------------- */

static void be_urgent(void)
{
	int i;

	pin_to(last_cpu());
	be_realtime(10);
	for (i = 0; i < ROUNDS; i++) {
		spin_ns(hold_ns);
		sleep_ns(hold_ns);
	}
}

static void be_hog(void)
{
	pin_to(last_cpu());
	spin_ns(1500 * MS);
}

static void run_beside(void (*other)(void), const char *comm)
{
	const pid_t pid = child(other, comm);
	const ns_t until_ns = now_ns() + 1400 * MS;
	ns_t last_ns = now_ns();

	pin_to(last_cpu());
	name("me-waiter");
	while (now_ns() < until_ns) {
		const ns_t ns = now_ns();

		if (ns - last_ns > MS / 2)
			add(last_ns);
		last_ns = now_ns();
	}
	end(pid);
}

static void sync_all(void)
{
	static char bytes[1 << 20];
	char file[4200];
	int fd, i;

	snprintf(file, sizeof(file), "%s.bulk", path);
	fd = open(file, O_WRONLY | O_CREAT, 0600);
	must(fd < 0 ? -1 : 0, file);
	for (;;) {
		for (i = 0; i < 24; i++)
			must(pwrite(fd, bytes, sizeof(bytes), i * (off_t)sizeof(bytes)) < 0 ? -1 : 0, "writing");
		syncfs(fd);
	}
}

static void run_sync(void)
{
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	const pid_t syncer = child(sync_all, "me-syncer");
	const ns_t until_ns = now_ns() + 1500 * MS;

	must(fd < 0 ? -1 : 0, path);
	name("me-waiter");
	while (now_ns() < until_ns) {
		const ns_t from_ns = now_ns();

		must(pwrite(fd, "x", 1, 0) == 1 && !fsync(fd) ? 0 : -1, "writing");
		add(from_ns);
		sleep_ns(5 * MS);
	}
	end(syncer);
}

static void run_flock(void)
{
	wanted.kind = FLOCK;
	run_lock();
}

static void run_fcntl(void)
{
	wanted.kind = FCNTL;
	run_lock();
}

static void run_semop(void)
{
	wanted.kind = SEMOP;
	run_lock();
}

static void run_direct(void)
{
	run_write(O_DIRECT);
}

static void run_dirty(void)
{
	run_write(0);
}

static void run_urgent(void)
{
	run_beside(be_urgent, "me-urgent");
}

static void run_pinned(void)
{
	run_beside(be_hog, "me-hog");
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "flock", run_flock },	  { "fcntl", run_fcntl },     { "semop", run_semop },   { "queue", run_queue },
	{ "pipe", run_pipe },	  { "names", run_names },     { "silent", run_silent }, { "backlog", run_backlog },
	{ "files", run_files },	  { "full", run_full },	      { "forks", run_forks },   { "frozen", run_frozen },
	{ "freezer", freeze },	  { "write", run_direct },    { "dirty", run_dirty },   { "icy", run_icy },
	{ "map", run_map },	  { "touch", run_touch },     { "urgent", run_urgent }, { "pinned", run_pinned },
	{ "sync", run_sync },
};

int main(int argc, char **argv)
{
	size_t i;

	path = argc == 3 ? argv[2] : NULL;
	for (i = 0; argc >= 2 && i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(argv[1], all[i].name))
			continue;
		if (all[i].run == freeze)
			name("me-freezer");
		all[i].run();
		printf("lost %llu times %lu longest %llu\n", sum.lost_ns, sum.times, sum.longest_ns);
		return 0;
	}
	return 2;
}
