/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The descriptors of processes that live: a path, or a socket by its addresses. Paths are of the kernel's list of open
 * files (bpf/open_files.bpf.c), or, where there is none, of /proc; addresses are of /proc.
 */
#include "live/state/state_descriptors.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/open_file.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/time.h"
#include "live/state/state_processes.h"

enum {
	DESCRIPTORS_MAX = 16384,
	OF_PROCESS_MAX = 1024,
	SOCKETS_MAX = 65536,
	NAMESPACES_MAX = 64,
	LISTENING = 10, /* TCP_LISTEN, include/net/tcp_states.h */
	FIRST_PORT = 32768, /* net.ipv4.ip_local_port_range as the kernel begins with, inet_init_net() */
	LAST_PORT = 60999,
	PATH_BYTES = 109, /* of a Unix socket, with a NUL */
	CHUNK_PAGES = 8, /* what the kernel has of a list at a time (kernel/bpf/bpf_iter.c) */
};

/* A socket. Its inode comes first: it is the key. */
struct socket_name {
	u64 inode;
	char *name;
};

/* A process that is asked for. Its number comes first: it is the key. */
struct state_descriptors_process {
	u64 pid;
	unsigned int nr; /* descriptors so far */
	bool has_sockets; /* those of its namespace are known */
};

struct listing {
	struct lkst_socket_list sockets;
	struct lkst_hash processes; /* struct process */
	ino_t namespaces[NAMESPACES_MAX]; /* whose sockets are there */
	unsigned int nr_namespaces;
	unsigned int nr; /* descriptors so far */
	int (*each)(void *ctx, struct lkst_state_descriptor *descriptor, size_t length);
	void *ctx;
};

/* ---- sockets ------------------------------------------------------------------------ */

void lkst_socket_list_fini(struct lkst_socket_list *l)
{
	struct socket_name *s;
	u32 i;

	for (i = 0; (s = lkst_hash_next(&l->by_inode, &i, sizeof(*s)));)
		free(s->name);
	lkst_hash_fini(&l->by_inode);
}

const char *lkst_socket_list_find(const struct lkst_socket_list *l, unsigned long inode)
{
	const struct socket_name *s = lkst_hash_find(&l->by_inode, inode, sizeof(*s));

	return s ? s->name : NULL;
}

static int add_socket(struct lkst_socket_list *l, unsigned long inode, const char *name)
{
	struct socket_name *s;
	char *copy;

	/* A socket that nobody has open any more has inode 0. */
	if (!inode || (u64)inode == LKST_HASH_NONE || lkst_socket_list_find(l, inode))
		return 0;
	if (l->by_inode.nr >= SOCKETS_MAX)
		return -ENOSPC;
	copy = strdup(name);
	if (!copy || lkst_hash_reserve(&l->by_inode, sizeof(*s))) {
		free(copy);
		return -ENOMEM;
	}
	s = lkst_hash_add(&l->by_inode, inode, sizeof(*s));
	s->name = copy;
	return 0;
}

/* "0100007F", words of 32 bits as this machine has them in memory, to "127.0.0.1". False: it is no such address. */
static bool write_address(bool is_inet6, const char *digits, char text[INET6_ADDRSTRLEN])
{
	const unsigned int nr = is_inet6 ? 4 : 1;
	u32 words[4];
	unsigned int i;

	if (strlen(digits) != 8 * nr)
		return false;
	for (i = 0; i < nr; i++)
		if (sscanf(digits + 8 * i, "%8" SCNx32, &words[i]) != 1)
			return false;
	return inet_ntop(is_inet6 ? AF_INET6 : AF_INET, words, text, INET6_ADDRSTRLEN) != NULL;
}

void lkst_socket_list_begin(struct lkst_socket_list *l)
{
	memset(l->listened, 0, sizeof(l->listened));
}

/*
 * Which end of a connection a socket is: accepted sockets have the port of the one that listens, which the kernel lists
 * first; those that connect have one of the kernel's choice, unless they were bound.
 */
static const char *state_descriptors_end_of(const struct lkst_socket_list *l, unsigned int port)
{
	const unsigned int first = l->first_port ?: FIRST_PORT, last = l->last_port ?: LAST_PORT;

	if (l->listened[port / 8] & 1 << port % 8)
		return "from";
	return port >= first && port <= last ? "to" : "with";
}

/* Those of TCP and UDP are alike (tcp4_seq_show(), udp4_format_sock()). One without another side has port 0 there. */
static int add_inet(struct lkst_socket_list *l, bool is_inet6, const char *line)
{
	char local[40], peer[40], address[INET6_ADDRSTRLEN], name[INET6_ADDRSTRLEN + 32];
	unsigned int local_port, peer_port, state;
	unsigned long inode;
	bool is_to;

	if (sscanf(line, " %*u: %39[0-9A-Fa-f]:%4x %39[0-9A-Fa-f]:%4x %2x %*s %*s %*s %*s %*s %lu", local, &local_port,
		   peer, &peer_port, &state, &inode) != 6)
		return 0;
	is_to = peer_port && state != LISTENING;
	if (state == LISTENING)
		l->listened[local_port / 8] |= (u8)(1 << local_port % 8);
	if (!write_address(is_inet6, is_to ? peer : local, address))
		return 0;
	snprintf(name, sizeof(name), is_inet6 ? "socket %s [%s]:%u" : "socket %s %s:%u",
		 is_to ? state_descriptors_end_of(l, local_port) : "at", address, is_to ? peer_port : local_port);
	return add_socket(l, inode, name);
}

/* "Num RefCount Protocol Flags Type St Inode Path" (unix_seq_show()); the path may hold anything but a NUL. */
static int add_unix(struct lkst_socket_list *l, const char *line)
{
	static const char *const types[] = { [1] = "stream", [2] = "datagram", [5] = "seqpacket" };
	char name[PATH_BYTES + 32];
	unsigned long inode;
	unsigned int type;
	int path = 0, length;

	if (sscanf(line, "%*[0-9a-fA-FKx]: %*x %*x %*x %4x %*x %lu%n", &type, &inode, &path) != 2 || !path)
		return 0;
	length = (int)strcspn(line + path, "\n");
	if (length > 1)
		snprintf(name, sizeof(name), "socket at %.*s", length - 1 < PATH_BYTES ? length - 1 : PATH_BYTES - 1,
			 line + path + 1);
	else if (type < sizeof(types) / sizeof(types[0]) && types[type])
		snprintf(name, sizeof(name), "socket (unix, %s)", types[type]);
	else
		snprintf(name, sizeof(name), "socket (unix)");
	return add_socket(l, inode, name);
}

int lkst_socket_list_add(struct lkst_socket_list *l, enum lkst_socket_table table, const char *line)
{
	return table == LKST_SOCKET_TABLE_UNIX ? add_unix(l, line)
					       : add_inet(l, table == LKST_SOCKET_TABLE_INET6, line);
}

static void read_table(struct lkst_socket_list *l, int process, const char *file, enum lkst_socket_table table)
{
	_cleanup_close_ int fd = openat(process, file, O_RDONLY | O_CLOEXEC);
	_cleanup_fclose_ FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!f)
		return;
	fd = -1;
	lkst_socket_list_begin(l);
	while (!err && getline(&line, &size, f) > 0)
		err = lkst_socket_list_add(l, table, line);
}

/* Of this network namespace; others mostly have the same. */
static void read_port_range(struct lkst_socket_list *l)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	unsigned int first, last;

	if (f && fscanf(f, "%u %u", &first, &last) == 2 && first && first <= last && last <= UINT16_MAX) {
		l->first_port = (u16)first;
		l->last_port = (u16)last;
	}
}

/* Reads the sockets of the namespace that process @pid is in, if that was not done. */
static void know_sockets(struct listing *g, s32 pid)
{
	static const struct {
		const char *file;
		enum lkst_socket_table table;
	} tables[] = {
		{ "net/tcp", LKST_SOCKET_TABLE_INET },	{ "net/tcp6", LKST_SOCKET_TABLE_INET6 },
		{ "net/udp", LKST_SOCKET_TABLE_INET },	{ "net/udp6", LKST_SOCKET_TABLE_INET6 },
		{ "net/unix", LKST_SOCKET_TABLE_UNIX },
	};
	_cleanup_close_ int process = -1;
	struct stat st;
	char path[32];
	unsigned int i;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (process < 0 || fstatat(process, "ns/net", &st, 0))
		return;
	for (i = 0; i < g->nr_namespaces; i++)
		if (g->namespaces[i] == st.st_ino)
			return;
	if (g->nr_namespaces == NAMESPACES_MAX)
		return;
	if (!g->nr_namespaces)
		read_port_range(&g->sockets);
	g->namespaces[g->nr_namespaces++] = st.st_ino;
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		read_table(&g->sockets, process, tables[i].file, tables[i].table);
}

/* ---- descriptors -------------------------------------------------------------------- */

/* A socket gets the name that its addresses give it. */
static void name_socket(struct listing *g, struct state_descriptors_process *p, char file[LKST_STRING_MAX])
{
	unsigned long inode;
	const char *name;

	if (sscanf(file, "socket:[%lu]", &inode) != 1)
		return;
	if (!p->has_sockets)
		know_sockets(g, (s32)p->pid);
	p->has_sockets = true;
	name = lkst_socket_list_find(&g->sockets, inode);
	if (name)
		snprintf(file, LKST_STRING_MAX, "%s", name);
}

/* What descriptor @name of directory @dir refers to. False: it is gone, or nobody may know. */
static bool read_target(int dir, const char *name, char file[LKST_STRING_MAX])
{
	ssize_t length = readlinkat(dir, name, file, LKST_STRING_MAX);

	if (length <= 0 || length >= LKST_STRING_MAX)
		return false;
	file[length] = 0;
	return true;
}

/* The descriptors that were read between two moments are given out with both. */
static int state_descriptors_give(struct listing *g, struct lkst_state_descriptor *list, unsigned int nr, u64 to_ns)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		list[i].r.to = to_ns;
		err = g->each(g->ctx, &list[i], sizeof(list[i].r) + strlen(list[i].file) + 1);
	}
	return err;
}

/* Whether there is room for one more descriptor of the process; then it is counted. */
static bool state_descriptors_count(struct listing *g, struct state_descriptors_process *p)
{
	if (g->nr >= DESCRIPTORS_MAX || p->nr >= OF_PROCESS_MAX)
		return false;
	g->nr++;
	p->nr++;
	return true;
}

/* ---- by /proc ----------------------------------------------------------------------- */

enum { BATCH = 32 };

static int list_process(struct listing *g, struct state_descriptors_process *p)
{
	struct lkst_state_descriptor list[BATCH];
	unsigned int nr = 0;
	struct dirent *entry;
	char path[32];
	int err = 0;
	DIR *names;

	snprintf(path, sizeof(path), "/proc/%d/fd", lkst_living_thread((s32)p->pid));
	names = opendir(path);
	if (!names)
		return 0;
	while (!err && (entry = readdir(names))) {
		struct lkst_state_descriptor *one = &list[nr];

		one->r = (struct lkst_rec_state_descriptor){ .from = lkst_monotonic_ns(),
							     .owner_pid = (s32)p->pid,
							     .fd = (s32)strtol(entry->d_name, NULL, 10) };
		if (entry->d_name[0] == '.' || !read_target(dirfd(names), entry->d_name, one->file))
			continue;
		if (!state_descriptors_count(g, p))
			break;
		name_socket(g, p, one->file);
		if (++nr == BATCH) {
			err = state_descriptors_give(g, list, nr, lkst_monotonic_ns());
			nr = 0;
		}
	}
	closedir(names);
	return err ?: state_descriptors_give(g, list, nr, lkst_monotonic_ns());
}

static int list_by_proc(struct listing *g)
{
	struct state_descriptors_process *p;
	u32 i;
	int err = 0;

	for (i = 0; !err && g->nr < DESCRIPTORS_MAX && (p = lkst_hash_next(&g->processes, &i, sizeof(*p)));)
		err = list_process(g, p);
	return err;
}

/* ---- by the kernel's list ----------------------------------------------------------- */

/* The path of @o, which @text is if it is short. False: it is gone, or too long. */
static bool take_path(const struct lkst_open_file *o, const char *text, char file[LKST_STRING_MAX])
{
	char path[64];

	if (!o->length) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", o->pid, o->fd);
		if (read_target(AT_FDCWD, path, file))
			return true;
		/* Its first thread may have ended, whose files are closed then. */
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", lkst_living_thread(o->pid), o->fd);
		return read_target(AT_FDCWD, path, file);
	}
	memcpy(file, text, o->length);
	return true;
}

/* Gives out the open files in the @length bytes at @bytes, which were read between two moments. */
static int take_chunk(struct listing *g, const u8 *bytes, size_t length, u64 from_ns, u64 to_ns)
{
	struct lkst_state_descriptor one;
	struct lkst_open_file o;
	struct state_descriptors_process *p;
	size_t at = 0;
	int err = 0;

	while (!err && length - at >= sizeof(o)) {
		memcpy(&o, bytes + at, sizeof(o));
		at += sizeof(o);
		if (o.length > LKST_OPEN_FILE_PATH || o.length > length - at)
			return -EBADMSG;
		p = lkst_hash_find(&g->processes, (u32)o.pid, sizeof(*p));
		if (p && take_path(&o, (const char *)bytes + at, one.file) && state_descriptors_count(g, p)) {
			name_socket(g, p, one.file);
			one.r = (struct lkst_rec_state_descriptor){ .from = from_ns, .owner_pid = o.pid, .fd = o.fd };
			err = state_descriptors_give(g, &one, 1, o.length ? to_ns : lkst_monotonic_ns());
		}
		at += o.length;
	}
	return err;
}

/* Reads all of the list at @fd. Each reading makes a chunk of it, which is no longer than the room for it here. */
static int list_by_kernel(struct listing *g, int fd)
{
	const size_t room = CHUNK_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	_cleanup_free_ u8 *bytes = malloc(room);
	ssize_t got;
	u64 from_ns;
	int err = 0;

	if (!bytes)
		return -ENOMEM;
	do {
		from_ns = lkst_monotonic_ns();
		got = read(fd, bytes, room);
		if (got > 0)
			err = take_chunk(g, bytes, (size_t)got, from_ns, lkst_monotonic_ns());
	} while (!err && got > 0 && g->nr < DESCRIPTORS_MAX);
	return err ?: got < 0 ? -errno : 0;
}

static int choose_processes(struct listing *g, const struct lkst_thread_list *threads)
{
	const struct lkst_rec_state_thread *t;
	struct state_descriptors_process *p;
	unsigned int i;

	for (i = 0; i < threads->nr; i++) {
		t = &threads->list[i];
		if (t->thread_tid <= 0 || t->thread_tid != t->thread_pid || t->thread_cpu < 0 ||
		    t->flags & LKST_THREAD_KERNEL || lkst_hash_find(&g->processes, (u32)t->thread_tid, sizeof(*p)))
			continue;
		if (lkst_hash_reserve(&g->processes, sizeof(*p)))
			return -ENOMEM;
		lkst_hash_add(&g->processes, (u32)t->thread_tid, sizeof(*p));
	}
	return 0;
}

int lkst_state_list_descriptors(const struct lkst_thread_list *threads, int open_files,
				int (*each)(void *ctx, struct lkst_state_descriptor *descriptor, size_t length),
				void *ctx)
{
	struct listing g = { .each = each, .ctx = ctx };
	int err = 0;

	if (lkst_state_has_kernel_numbers())
		err = choose_processes(&g, threads);
	if (!err)
		err = open_files < 0 ? list_by_proc(&g) : list_by_kernel(&g, open_files);
	lkst_hash_fini(&g.processes);
	lkst_socket_list_fini(&g.sockets);
	return err;
}
