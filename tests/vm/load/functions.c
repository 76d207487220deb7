// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kernel call the functions that events of the catalogue hook, each in a way that tells what
 * the record must hold, and prints that:
 *
 *	EVENT "FIELD":VALUE...		a record of this thread with these fields, as `lkst print -f json` has them
 *
 * The first line is "tid N". It needs root, and a kernel of its own.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY = 0x4c4b5354, PAGE = 4096, MESSAGE = 77 };

static const struct timeval moment = { .tv_usec = 8000 };
static sigjmp_buf after_trap;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

static void share_memory(void)
{
	int id = shmget(KEY, 12345, IPC_CREAT | 0600);
	void *at;

	must(id >= 0, "shmget");
	printf("ipcget \"key\":%d \"size\":12345 \"flags\":%u\n", KEY, IPC_CREAT | 0600);
	at = shmat(id, NULL, SHM_RDONLY);
	must(at != (void *)-1, "shmat");
	printf("do_shmat \"shmid\":%d \"address\":0 \"flags\":%u\n", id, SHM_RDONLY);
	must(!shmdt(at) && !shmctl(id, IPC_RMID, NULL), "shmctl");
}

static void use_semaphores(void)
{
	struct sembuf operations[2] = { { .sem_num = 0, .sem_op = 1 },
					{ .sem_num = 2, .sem_op = 1 } };
	int id = semget(KEY + 1, 3, IPC_CREAT | 0600);

	must(id >= 0, "semget");
	printf("ipcget \"key\":%d \"size\":3 \"flags\":%u\n", KEY + 1, IPC_CREAT | 0600);
	must(!semop(id, operations, 2), "semop");
	printf("do_semtimedop \"semid\":%d \"nsops\":2\n", id);
	must(!semctl(id, 0, IPC_RMID), "semctl");
}

static void queue_messages(void)
{
	struct {
		long type;
		char text[64];
	} message = { .type = 7 };
	int id = msgget(KEY + 2, IPC_CREAT | 0600);

	must(id >= 0, "msgget");
	printf("ipcget \"key\":%d \"size\":0 \"flags\":%u\n", KEY + 2, IPC_CREAT | 0600);
	must(!msgsnd(id, &message, 33, 0), "msgsnd");
	printf("do_msgsnd \"msqid\":%d \"bytes\":33 \"type\":7\n", id);
	must(msgrcv(id, &message, sizeof(message.text), -9, 0) == 33, "msgrcv");
	printf("do_msgrcv \"msqid\":%d \"bytes\":64 \"type\":-9\n", id);
	must(!msgctl(id, IPC_RMID, NULL), "msgctl");
}

/* A page of zeros, the same page shared with a child and written to, and a page of a file. */
static void fault(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/exe", O_RDONLY), status;
	char *text = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	pid_t child;

	must(page != MAP_FAILED && text != MAP_FAILED, "mmap");
	*(volatile char *)page = 1;
	printf("do_anonymous_page \"address\":%lu\n", (unsigned long)page);
	fflush(stdout);
	child = fork();
	must(child >= 0, "fork");
	if (!child)
		_exit(*(volatile char *)page);
	*(volatile char *)page = 2;
	printf("do_wp_page \"address\":%lu\n", (unsigned long)page);
	must(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 1, "child");
	status = *(volatile char *)text;
	printf("do_fault \"address\":%lu\n", (unsigned long)text);
	close(fd);
}

/* Sleeps in each way in which a thread may be in a wait queue. The last line of the pipe is a child's. */
static void wait_in_queues(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	int pair[2], ends[2], listener = socket(AF_INET, SOCK_STREAM, 0);
	struct pollfd poll_fd = { .events = POLLIN };
	char byte;

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && !pipe(ends) && listener >= 0, "pipe");
	poll_fd.fd = ends[0];
	must(poll(&poll_fd, 1, 5) == 0, "poll");
	must(!setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment)), "setsockopt");
	must(recv(pair[0], &byte, 1, 0) < 0, "recv");
	printf("prepare_to_wait\n");
	must(!setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment)), "setsockopt");
	must(!bind(listener, (void *)&any, sizeof(any)) && !listen(listener, 1), "listen");
	must(accept(listener, NULL, NULL) < 0, "accept");
	printf("prepare_to_wait_exclusive \"state\":1\n");
	fflush(stdout);
	if (!fork()) {
		usleep(20000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	must(read(ends[0], &byte, 1) == 1, "read");
	printf("prepare_to_wait_event \"state\":1\n");
	wait(NULL);
}

static void send_message(void)
{
	char text[MESSAGE] = "";
	int pair[2];

	must(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), "socketpair");
	must(send(pair[0], text, MESSAGE, 0) == MESSAGE, "send");
	printf("sock_send_length \"result\":%d \"family\":%d \"protocol\":0\n", MESSAGE, AF_UNIX);
	must(recv(pair[1], text, MESSAGE, 0) == MESSAGE, "recv");
	printf("sock_recv_length \"result\":%d \"family\":%d \"protocol\":0\n", MESSAGE, AF_UNIX);
}

/* The record of @event with this descriptor and address. */
static void tell_address(const char *event, int fd, const struct sockaddr_in *a)
{
	printf("%s \"fd\":%d \"family\":%d \"port\":%u \"address\":\"%s\"\n", event, fd, a->sin_family,
	       ntohs(a->sin_port), inet_ntoa(a->sin_addr));
}

/* A connection of the loopback interface, with an address of its own at each end. */
static void connect_sockets(void)
{
	struct sockaddr_in server = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002) };
	struct sockaddr_in client = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000003) };
	socklen_t length = sizeof(server);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0), accepted;

	must(listener >= 0 && fd >= 0, "socket");
	must(!bind(listener, (void *)&server, length), "bind");
	tell_address("socket_bind", listener, &server);
	must(!listen(listener, 1) && !getsockname(listener, (void *)&server, &length), "listen");
	must(!bind(fd, (void *)&client, length), "bind");
	must(!connect(fd, (void *)&server, length), "connect");
	tell_address("socket_connect", fd, &server);
	accepted = accept(listener, (void *)&client, &length);
	must(accepted >= 0, "accept");
	tell_address("socket_accept", accepted, &client);
	close(accepted);
	close(fd);
	close(listener);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)context;
	printf("signal_generate \"target_tid\":%d \"code\":%d \"signal\":%d\n", getpid(),
	       info->si_code, signal);
	printf("signal_deliver \"signal\":%d \"code\":%d\n", signal, info->si_code);
	printf("trap_entry \"ip\":%lu \"trap\":%d \"signal\":%d\n", (unsigned long)info->si_addr,
	       signal == SIGFPE ? 0 : 6, signal);
	siglongjmp(after_trap, 1);
}

static void trap(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	must(!sigaction(SIGFPE, &sa, NULL) && !sigaction(SIGILL, &sa, NULL), "sigaction");
#ifdef __x86_64__
	if (!sigsetjmp(after_trap, 1))
		__asm__ volatile("xor %%edx, %%edx\n\tdiv %0" : : "r"(0) : "rax", "rdx");
	if (!sigsetjmp(after_trap, 1))
		__asm__ volatile("ud2");
#else
	if (!sigsetjmp(after_trap, 1))
		__asm__ volatile(".inst 0"); /* udf #0 */
#endif
}

/* The kernel keeps a filter in memory from vmalloc, and one of its own threads frees it. */
static void take_kernel_memory(void)
{
	struct sock_filter accept_all = { .code = BPF_RET | BPF_K, .k = 1 };
	struct sock_fprog program = { .len = 1, .filter = &accept_all };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	must(!setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), "filter");
	printf("alloc_vmap_area \"is_failed\":0\n");
	close(fd);
}

/* When a network namespace ends, one of the kernel's own threads takes back its timers. */
static void end_namespace(void)
{
	int status;

	fflush(stdout);
	if (!fork())
		_exit(unshare(CLONE_NEWNET) != 0);
	must(wait(&status) > 0 && !status, "namespace");
}

/* A trigger of pressure stall information gets a kernel thread, a pid namespace a cache. */
static void create(void)
{
	static const char trigger[] = "some 150000 1000000";
	int fd = open("/proc/pressure/memory", O_RDWR);

	must(fd >= 0 && write(fd, trigger, sizeof(trigger)) == sizeof(trigger), "pressure");
	printf("kthread_create_on_node \"node\":-1\n");
	must(!unshare(CLONE_NEWPID), "unshare");
	printf("kmem_cache_create \"name\":\"pid_2\"\n");
	close(fd);
}

int main(void)
{
	printf("tid %d\n", getpid());
	share_memory();
	use_semaphores();
	queue_messages();
	fault();
	wait_in_queues();
	send_message();
	connect_sockets();
	trap();
	take_kernel_memory();
	end_namespace();
	create();
	fflush(stdout);
	/* The filter is freed only when every CPU has passed a point of rest. */
	usleep(300000);
	return 0;
}
