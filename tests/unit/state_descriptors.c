// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/state/state_descriptors.h: what the kernel's tables of sockets say, and the descriptors of this process, which
 * knows itself what they are.
 */
#include "live/state/state_descriptors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "lib/unit.h"
#include "live/state/state_processes.h"

/* The name of socket @inode after @line of @table, "": it has none. */
static const char *name_by(enum lkst_socket_table table, const char *line, unsigned long inode)
{
	static char text[256];
	struct lkst_socket_list l = {};
	const char *name;

	if (lkst_socket_list_add(&l, table, line))
		abort();
	name = lkst_socket_list_find(&l, inode);
	snprintf(text, sizeof(text), "%s", name ?: "");
	lkst_socket_list_fini(&l);
	return text;
}

/* As the kernel prints them, in words of this machine. */
#define WORD(text, address)                                                                        \
	snprintf(text, sizeof(text), "%08X", (unsigned int)inet_addr(address))

TEST(sockets_of_ipv4_have_both_ends)
{
	char local[16], peer[16], line[256];

	WORD(local, "10.0.0.9");
	WORD(peer, "192.168.1.20");
	snprintf(line, sizeof(line),
		 "   7: %s:1F90 %s:A000 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 20\n",
		 local, peer);
	/* Its port is none of those that the kernel gives to who connects. */
	CHECK_STR(name_by(LKST_SOCKET_TABLE_INET, line, 4711), "socket with 192.168.1.20:40960");
	snprintf(line, sizeof(line),
		 "   7: %s:A000 %s:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0 20\n",
		 local, peer);
	CHECK_STR(name_by(LKST_SOCKET_TABLE_INET, line, 4713), "socket to 192.168.1.20:8080");
	snprintf(line, sizeof(line),
		 "  12: %s:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1\n",
		 local);
	CHECK_STR(name_by(LKST_SOCKET_TABLE_INET, line, 4712), "socket at 10.0.0.9:8080");
	/* One that has ended belongs to nobody. */
	snprintf(line, sizeof(line),
		 "  13: %s:1F90 %s:A000 06 00000000:00000000 03:00000DAC 00000000     0        0 0 3\n", local, peer);
	CHECK_STR(name_by(LKST_SOCKET_TABLE_INET, line, 0), "");
}

/* Whoever listens on a port has accepted what is there; in another table that says nothing. */
TEST(sockets_that_were_accepted_are_told_from_those_that_connected)
{
	static const char listens[] = "0: 0100007F:A000 00000000:0000 0A 0:0 00:0 0 0 0 5 1\n",
			  ends[] = "1: 0100007F:A000 0100007F:B000 01 0:0 00:0 0 0 0 6 1\n",
			  elsewhere[] = "1: 0100007F:A000 0100007F:B000 01 0:0 00:0 0 0 0 8 1\n",
			  begins[] = "2: 0100007F:B000 0100007F:A000 01 0:0 00:0 0 0 0 7 1\n";
	struct lkst_socket_list l = {};

	CHECK(!lkst_socket_list_add(&l, LKST_SOCKET_TABLE_INET, listens));
	CHECK(!lkst_socket_list_add(&l, LKST_SOCKET_TABLE_INET, ends));
	CHECK(!lkst_socket_list_add(&l, LKST_SOCKET_TABLE_INET, begins));
	CHECK(!strncmp(lkst_socket_list_find(&l, 6), "socket from ", 12));
	CHECK(!strncmp(lkst_socket_list_find(&l, 7), "socket to ", 10));
	lkst_socket_list_begin(&l);
	CHECK(!lkst_socket_list_add(&l, LKST_SOCKET_TABLE_INET, elsewhere));
	CHECK(!strncmp(lkst_socket_list_find(&l, 8), "socket to ", 10));
	lkst_socket_list_fini(&l);
	/* The range may be another. */
	l = (struct lkst_socket_list){ .first_port = 1024, .last_port = 2000 };
	CHECK(!lkst_socket_list_add(&l, LKST_SOCKET_TABLE_INET, begins));
	CHECK(!strncmp(lkst_socket_list_find(&l, 7), "socket with ", 12));
	lkst_socket_list_fini(&l);
}

TEST(sockets_of_ipv6_have_brackets)
{
	struct in6_addr address;
	char line[256];
	u32 words[4];

	inet_pton(AF_INET6, "2001:db8::7", &address);
	memcpy(words, &address, sizeof(words));
	snprintf(line, sizeof(line),
		 "   0: %08X%08X%08X%08X:0050 00000000000000000000000000000000:0000 0A "
		 "00000000:00000000 00:00000000 00000000 0 0 9 1\n",
		 words[0], words[1], words[2], words[3]);
	CHECK_STR(name_by(LKST_SOCKET_TABLE_INET6, line, 9), "socket at [2001:db8::7]:80");
	/* That is no address of IPv4. */
	CHECK_STR(name_by(LKST_SOCKET_TABLE_INET, line, 9), "");
}

TEST(sockets_of_unix_have_paths)
{
	CHECK_STR(name_by(LKST_SOCKET_TABLE_UNIX, "ffff88810a: 00000002 00000000 00010000 0001 01 77 /run/a b\n", 77),
		  "socket at /run/a b");
	CHECK_STR(name_by(LKST_SOCKET_TABLE_UNIX, "0000000000000000: 00000003 00000000 00000000 0002 03 78 @/x@\n", 78),
		  "socket at @/x@");
	CHECK_STR(name_by(LKST_SOCKET_TABLE_UNIX, "0000000000000000: 00000003 00000000 00000000 0001 03 79\n", 79),
		  "socket (unix, stream)");
	CHECK_STR(name_by(LKST_SOCKET_TABLE_UNIX, "0000000000000000: 00000003 00000000 00000000 0009 03 79\n", 79),
		  "socket (unix)");
}

TEST(sockets_of_lines_that_make_no_sense_are_none)
{
	static const char *const lines[] = {
		"", "\n", ":", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid",
		"Num       RefCount Protocol Flags    Type St Inode Path",
		"   0: 0100007F:1F90 00000000:0000",
		"   0: 0100007F0100007F0100007F0100007F0100007F0100007F:1F90 00000000:0000 0A 1 2 3 4 5 6",
		"   0: ZZ:1F90 00000000:0000 0A 1 2 3 4 5 6",
		"   0: 0100007F:1F90 00000000:0000 0A 1 2 3 4 5 18446744073709551615",
	};
	char path[400] = "0000000000000000: 00000003 00000000 00000000 0001 03 79 ";
	struct lkst_socket_list l = {};
	unsigned int i, table;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (table = LKST_SOCKET_TABLE_INET; table <= LKST_SOCKET_TABLE_UNIX; table++)
			CHECK_EQ(lkst_socket_list_add(&l, table, lines[i]), 0);
	CHECK_EQ(l.by_inode.nr, 0);
	lkst_socket_list_fini(&l);
	memset(path + strlen(path), 'p', sizeof(path) - 1 - strlen(path));
	CHECK_EQ(strlen(name_by(LKST_SOCKET_TABLE_UNIX, path, 79)), strlen("socket at ") + 108);
}

struct seen {
	int file, socket;
	u64 begin_ns;
	unsigned int nr, port;
	bool has_file, has_socket, is_bad;
};

static int look(void *ctx, struct lkst_state_descriptor *d, size_t length)
{
	struct seen *s = ctx;
	char name[64];

	s->nr++;
	s->is_bad |= d->r.owner_pid != getpid() || length != sizeof(d->r) + strlen(d->file) + 1 ||
		     d->r.from < s->begin_ns || d->r.to < d->r.from || d->r.to > lkst_monotonic_ns();
	if (d->r.fd == s->file)
		s->has_file = !strcmp(d->file, "/dev/null");
	snprintf(name, sizeof(name), "socket at 127.0.0.1:%u", s->port);
	if (d->r.fd == s->socket)
		s->has_socket = !strcmp(d->file, name);
	return 0;
}

TEST(descriptors_of_this_process_are_found)
{
	struct lkst_rec_state_thread this = { .thread_tid = getpid(), .thread_pid = getpid() },
				     ended = { .thread_tid = 1, .thread_pid = 1, .thread_cpu = -1 };
	struct lkst_thread_list threads = {};
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	struct seen s = { .file = open("/dev/null", O_RDONLY | O_CLOEXEC),
			  .socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
			  .begin_ns = lkst_monotonic_ns() };

	if (!lkst_state_has_kernel_numbers())
		SKIP("this runs in a PID namespace of its own");
	CHECK(s.file >= 0 && s.socket >= 0);
	CHECK(!bind(s.socket, (struct sockaddr *)&address, size) && !listen(s.socket, 1) &&
	      !getsockname(s.socket, (struct sockaddr *)&address, &size));
	s.port = ntohs(address.sin_port);
	CHECK(!lkst_thread_list_add(&threads, &ended) && !lkst_thread_list_add(&threads, &this));
	CHECK_EQ(lkst_state_list_descriptors(&threads, -1, look, &s), 0);
	CHECK(!s.is_bad && s.has_file && s.has_socket);
	lkst_thread_list_fini(&threads);
	close(s.file);
	close(s.socket);
}

static const struct unit_test tests[] = {
	{ "sockets_of_ipv4_have_both_ends", test_sockets_of_ipv4_have_both_ends },
	{ "sockets_that_were_accepted_are_told_from_those_that_connected",
	  test_sockets_that_were_accepted_are_told_from_those_that_connected },
	{ "sockets_of_ipv6_have_brackets", test_sockets_of_ipv6_have_brackets },
	{ "sockets_of_unix_have_paths", test_sockets_of_unix_have_paths },
	{ "sockets_of_lines_that_make_no_sense_are_none", test_sockets_of_lines_that_make_no_sense_are_none },
	{ "descriptors_of_this_process_are_found", test_descriptors_of_this_process_are_found },
};
UNIT_MAIN(tests)
