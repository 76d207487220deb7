/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/fleet_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/xxh64.h"

enum {
	REQUEST_MAX = 4 << 20,
	STATEMENT_MAX = 4096,
	ANSWER_MAX = 512,
	ID_MAX = 96,
	CONNECTIONS_MAX = 16,
	OK = 200,
	CREATED = 201,
	FAILED = 500,
};

const char *const fleet_fault_names[FLEET_NR_FAULTS] = {
	[FLEET_GOOD] = "answers",
	[FLEET_REFUSES] = "refuses",
	[FLEET_HANGS_UP] = "hangs up",
	[FLEET_LOSES_ANSWER] = "loses the answer",
	[FLEET_CUTS_ANSWER] = "cuts the answer",
	[FLEET_CLOSES_LATER] = "closes later",
	[FLEET_IS_AT_WORK] = "is at work",
	[FLEET_IS_SILENT] = "is silent",
	[FLEET_WORKS_SILENTLY] = "works silently",
	[FLEET_IS_A_PAGE] = "is a page",
};

/* A request, and what is kept from one to the next. */
struct connection {
	struct fleet_server *s;
	int fd;
	char *bytes; /* of the request, with a NUL after them */
	size_t length;
	char *body;
	size_t body_length;
	char target[STATEMENT_MAX], query[STATEMENT_MAX], id[ID_MAX];
	/* An insert that is at work: it is done when it was refused. */
	char working_id[ID_MAX], working_query[STATEMENT_MAX];
	char *working;
	size_t working_length;
};

/* What is wrong with a request is told by a test that looks. */
__attribute__((format(printf, 2, 3))) static int bad(struct fleet_server *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->bad, sizeof(s->bad), format, args);
	va_end(args);
	s->nr_bad++;
	return FAILED;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Bytes of ClickHouse's format RowBinary. */
struct rows {
	const u8 *at, *end;
	bool is_bad;
};

static u64 get_int(struct rows *r, u32 size)
{
	u64 value = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->is_bad = true;
		return 0;
	}
	memcpy(&value, r->at, size);
	r->at += size;
	return value;
}

/* How long a text is, or an array. */
static u64 get_count(struct rows *r)
{
	u64 value = 0, byte;
	u32 shift = 0;

	do {
		byte = get_int(r, 1);
		value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 63);
	return value;
}

static const u8 *get_bytes(struct rows *r, size_t length)
{
	const u8 *bytes = r->at;

	if ((size_t)(r->end - r->at) < length) {
		r->is_bad = true;
		return r->at;
	}
	r->at += length;
	return bytes;
}

static void get_text(struct rows *r, char *text, size_t size)
{
	u64 length = get_count(r);
	const u8 *bytes = get_bytes(r, length);

	if (text)
		snprintf(text, size, "%.*s", r->is_bad ? 0 : (int)length, (const char *)bytes);
}

/* The halves of a UUID have their least byte first. */
static void get_uuid(struct rows *r, u8 uuid[16])
{
	const u8 *bytes = get_bytes(r, 16);
	u32 i;

	for (i = 0; i < 16 && !r->is_bad; i++)
		uuid[i] = bytes[i / 8 * 8 + 7 - i % 8];
}

/* Arrays of names and of their values. */
static void get_parts(struct rows *r, struct fleet_second *row)
{
	u64 nr = get_count(r), i, of_seconds = UINT64_MAX, value;
	char name[64];

	for (i = 0; i < nr && !r->is_bad; i++) {
		get_text(r, name, sizeof(name));
		if (!strcmp(name, "seconds"))
			of_seconds = i;
	}
	r->is_bad |= get_count(r) != nr;
	for (i = 0; i < nr && !r->is_bad; i++) {
		value = get_int(r, 8);
		*(i == of_seconds ? &row->seconds : &row->parts) += value;
	}
}

static void get_second(struct rows *r, struct fleet_server *s)
{
	struct fleet_second row = {};
	u8 boot[16];
	u64 nr, i;

	get_text(r, NULL, 0);
	get_uuid(r, boot);
	get_uuid(r, row.trace);
	row.second = (u32)get_int(r, 4);
	get_text(r, row.measure, sizeof(row.measure));
	get_text(r, row.cgroup, sizeof(row.cgroup));
	row.n = get_int(r, 8);
	row.total = get_int(r, 8);
	get_int(r, 8);
	get_parts(r, &row);
	nr = get_count(r);
	get_bytes(r, 2 * nr);
	r->is_bad |= get_count(r) != nr;
	for (i = 0; i < nr && !r->is_bad; i++)
		row.buckets += get_int(r, 8);
	if (s->nr_seconds == FLEET_ROWS_MAX)
		r->is_bad = true;
	else if (!r->is_bad)
		s->seconds[s->nr_seconds++] = row;
}

static void skip_waits(struct rows *r, struct fleet_incident_row *row)
{
	static const u32 sizes[] = { 4, 0, 0, 8, 8, 0 }; /* 0: texts */
	u32 column;
	u64 i;

	for (column = 0; column < sizeof(sizes) / sizeof(sizes[0]); column++) {
		u64 nr = get_count(r);

		row->nr_waits = (u32)nr;
		for (i = 0; i < nr && !r->is_bad; i++)
			if (sizes[column])
				get_bytes(r, sizes[column]);
			else
				get_text(r, NULL, 0);
	}
}

static bool has_file(const struct fleet_server *s, const char *url)
{
	const char *name = strrchr(url, '/');
	u32 i;

	for (i = 0; name && i < s->nr_files; i++)
		if (!strcmp(s->files[i].name, name + 1))
			return true;
	return false;
}

static void get_incident(struct rows *r, struct fleet_server *s)
{
	struct fleet_incident_row row = {};
	const u8 *account;
	u8 boot[16];

	get_text(r, NULL, 0);
	get_uuid(r, boot);
	get_uuid(r, row.trace);
	row.number = (u32)get_int(r, 4);
	row.revision = (u32)get_int(r, 4);
	get_bytes(r, 8 + 8);
	get_text(r, NULL, 0);
	get_text(r, NULL, 0);
	get_int(r, 4);
	get_text(r, NULL, 0);
	get_int(r, 4);
	get_text(r, NULL, 0);
	get_int(r, 8);
	get_text(r, row.reason, sizeof(row.reason));
	row.account_length = get_count(r);
	account = get_bytes(r, row.account_length);
	row.account_sum = r->is_bad ? 0 : lkst_xxh64(account, row.account_length);
	skip_waits(r, &row);
	get_text(r, row.bundle, sizeof(row.bundle));
	row.bundle_bytes = get_int(r, 8);
	get_text(r, NULL, 0);
	get_text(r, row.note, sizeof(row.note));
	row.has_come_early = row.bundle[0] && !has_file(s, row.bundle);
	if (s->nr_incidents == FLEET_ROWS_MAX)
		r->is_bad = true;
	else if (!r->is_bad)
		s->incidents[s->nr_incidents++] = row;
}

static void get_host(struct rows *r, struct fleet_server *s)
{
	u8 uuid[16];
	u64 nr, i, k;

	get_text(r, NULL, 0);
	get_uuid(r, uuid);
	get_uuid(r, uuid);
	get_int(r, 4);
	get_text(r, NULL, 0);
	get_text(r, NULL, 0);
	get_int(r, 4);
	for (k = 0; k < 2; k++)
		for (nr = get_count(r), i = 0; i < nr && !r->is_bad; i++)
			get_text(r, NULL, 0);
	s->nr_hosts += !r->is_bad;
}

/* The body, unpacked; to be freed. NULL: it is not packed by gzip. */
static u8 *unpack(const char *bytes, size_t length, size_t *ret_length)
{
	u8 *to = malloc(REQUEST_MAX);
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes,
		       .avail_in = (uInt)length,
		       .next_out = to,
		       .avail_out = REQUEST_MAX };

	if (!to || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		abort();
	if (inflate(&z, Z_FINISH) != Z_STREAM_END) {
		free(to);
		to = NULL;
	}
	*ret_length = z.total_out;
	inflateEnd(&z);
	return to;
}

/* All of its rows, or none. */
static int insert(struct fleet_server *s, const char *query, const char *body, size_t length)
{
	void (*get)(struct rows *r, struct fleet_server *s) = strstr(query, ".second_rows ")     ? get_second
							      : strstr(query, ".incident_rows ") ? get_incident
							      : strstr(query, ".host_rows ")     ? get_host
												 : NULL;
	const u32 nr_seconds = s->nr_seconds, nr_incidents = s->nr_incidents, nr_hosts = s->nr_hosts;
	struct rows r = {};
	size_t unpacked;
	u8 *bytes = unpack(body, length, &unpacked);

	if (!bytes || !get || strncmp(query, "insert into lkst.", 17)) {
		free(bytes);
		return bad(s, "no insert: %.100s", query);
	}
	r.at = bytes;
	r.end = bytes + unpacked;
	while (r.at < r.end && !r.is_bad)
		get(&r, s);
	free(bytes);
	if (!r.is_bad)
		return OK;
	s->nr_seconds = nr_seconds;
	s->nr_incidents = nr_incidents;
	s->nr_hosts = nr_hosts;
	return bad(s, "rows of another form: %.100s", query);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* The number after @name in @text. */
static u64 number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static bool is_of(const char *text, const u8 trace[16])
{
	char uuid[64];

	snprintf(uuid, sizeof(uuid),
		 "toUUID('%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x')", trace[0], trace[1],
		 trace[2], trace[3], trace[4], trace[5], trace[6], trace[7], trace[8], trace[9], trace[10], trace[11],
		 trace[12], trace[13], trace[14], trace[15]);
	return strstr(text, uuid) != NULL;
}

static u64 count_seconds(const struct fleet_server *s, const char *question)
{
	const u64 from = number_after(question, "toUInt32(second) >= "),
		  to = number_after(question, "toUInt32(second) < ");
	u64 second, nr = 0;
	char measure[80];
	u32 i;

	for (second = from; second < to; second++) {
		for (i = 0; i < s->nr_seconds; i++) {
			snprintf(measure, sizeof(measure), "measure = '%s'", s->seconds[i].measure);
			if (s->seconds[i].second == second && !s->seconds[i].cgroup[0] && strstr(question, measure) &&
			    is_of(question, s->seconds[i].trace))
				break;
		}
		nr += i < s->nr_seconds;
	}
	return nr;
}

static u64 count_incidents(const struct fleet_server *s, const char *question)
{
	const u64 number = number_after(question, "number = "), revision = number_after(question, "revision >= ");
	u32 i;

	for (i = 0; i < s->nr_incidents; i++)
		if (s->incidents[i].number == number && s->incidents[i].revision >= revision &&
		    is_of(question, s->incidents[i].trace))
			return 1;
	return 0;
}

static int answer_question(struct fleet_server *s, const char *question, char answer[ANSWER_MAX])
{
	u64 nr;

	if (strstr(question, "from system.tables"))
		nr = 1;
	else if (strstr(question, "max(version)"))
		nr = s->version;
	else if (strstr(question, "distinct second from lkst.second_rows"))
		nr = count_seconds(s, question);
	else if (strstr(question, "distinct number from lkst.incident_rows"))
		nr = count_incidents(s, question);
	else
		return bad(s, "no question: %.100s", question);
	snprintf(answer, ANSWER_MAX, "n\nUInt64\n%llu\n", (unsigned long long)nr);
	return OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int put(struct fleet_server *s, const char *target, const char *body, size_t length)
{
	const char *name = strrchr(target, '/') + 1;
	struct fleet_file *file = NULL;
	char path[sizeof(s->dir) + FLEET_TEXT];
	int fd;
	u32 i;

	if (strncmp(target, "/store/", 7) || !*name || strlen(name) >= FLEET_TEXT)
		return bad(s, "no file: %.100s", target);
	for (i = 0; i < s->nr_files && strcmp(s->files[i].name, name); i++)
		;
	if (i == FLEET_FILES_MAX)
		return bad(s, "too many files");
	file = &s->files[i];
	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, body, length) != (ssize_t)length)
		abort();
	close(fd);
	snprintf(file->name, sizeof(file->name), "%s", name);
	file->bytes = length;
	file->nr++;
	s->nr_files += i == s->nr_files;
	return CREATED;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void decode(const char *from, size_t length, char *to, size_t size)
{
	size_t i, n = 0;
	u32 byte;

	for (i = 0; i < length && n + 1 < size; i++)
		if (from[i] == '%' && sscanf(from + i + 1, "%2x", &byte) == 1) {
			to[n++] = (char)byte;
			i += 2;
		} else {
			to[n++] = from[i];
		}
	to[n] = 0;
}

/* The value of a parameter of the URL; "": there is none. */
static void get_parameter(const char *target, const char *name, char *value, size_t size)
{
	const char *at = strstr(target, name);

	value[0] = 0;
	if (at)
		decode(at + strlen(name), strcspn(at + strlen(name), "& "), value, size);
}

static bool send_all(int fd, const char *bytes, size_t length)
{
	ssize_t nr;

	for (; length; bytes += nr, length -= (size_t)nr) {
		nr = send(fd, bytes, length, MSG_NOSIGNAL);
		if (nr <= 0)
			return false;
	}
	return true;
}

/* Reads the next request. False: the other end has closed, perhaps in the middle of it. */
static bool read_request(struct connection *c)
{
	size_t wanted = SIZE_MAX;
	bool is_waited_for = false;
	char *header, *target;
	ssize_t nr;

	c->length = 0;
	c->body = NULL;
	while (c->length < wanted) {
		nr = read(c->fd, c->bytes + c->length, REQUEST_MAX - c->length);
		if (nr <= 0)
			return false;
		c->length += (size_t)nr;
		c->bytes[c->length] = 0;
		c->body = c->body ?: strstr(c->bytes, "\r\n\r\n");
		if (!c->body)
			continue;
		header = strcasestr(c->bytes, "\r\nContent-Length:");
		c->body_length = header && header < c->body ? strtoul(header + 17, NULL, 10) : 0;
		wanted = (size_t)(c->body + 4 - c->bytes) + c->body_length;
		header = strcasestr(c->bytes, "\r\nExpect: 100");
		if (header && header < c->body && !is_waited_for)
			send_all(c->fd, "HTTP/1.1 100 Continue\r\n\r\n", 25);
		is_waited_for = true;
	}
	c->body += 4;
	target = strchr(c->bytes, '/');
	snprintf(c->target, sizeof(c->target), "%.*s", (int)strcspn(target, " "), target);
	get_parameter(c->target, "&query=", c->query, sizeof(c->query));
	get_parameter(c->target, "query_id=", c->id, sizeof(c->id));
	return true;
}

static enum fleet_request kind_of(const struct connection *c)
{
	return !strncmp(c->bytes, "PUT ", 4) ? FLEET_PUTS : c->query[0] ? FLEET_INSERTS : FLEET_ASKS;
}

/* Has the insert that is at work done. */
static void end_work(struct connection *c)
{
	insert(c->s, c->working_query, c->working, c->working_length);
	free(c->working);
	c->working = NULL;
}

static void begin_work(struct connection *c)
{
	c->working = malloc(c->body_length);
	if (!c->working)
		abort();
	memcpy(c->working, c->body, c->body_length);
	c->working_length = c->body_length;
	memcpy(c->working_id, c->id, sizeof(c->id));
	memcpy(c->working_query, c->query, sizeof(c->query));
}

/* Does what the request says. Returns the status. */
static int do_request(struct connection *c, char answer[ANSWER_MAX])
{
	struct fleet_server *s = c->s;
	enum fleet_request kind = kind_of(c);

	answer[0] = 0;
	if (kind == FLEET_PUTS)
		return put(s, c->target, c->body, c->body_length);
	if (kind == FLEET_ASKS)
		return answer_question(s, c->body, answer);
	if (c->working && !strcmp(c->id, c->working_id)) {
		end_work(c);
		snprintf(answer, ANSWER_MAX, "Query with id = %s is already running.\n", c->id);
		return FAILED;
	}
	return insert(s, c->query, c->body, c->body_length);
}

static bool send_answer(struct connection *c, int status, const char *answer, bool is_cut)
{
	char text[2 * ANSWER_MAX];
	int length = snprintf(text, sizeof(text), "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n%s", status,
			      strlen(answer) + (is_cut ? 100 : 0), answer);

	return send_all(c->fd, text, (size_t)length) && !is_cut;
}

/* Until the other end closes. */
static void wait_for_end(struct connection *c)
{
	while (read(c->fd, c->bytes, REQUEST_MAX) > 0)
		;
}

/* True: the connection goes on. */
static bool answer_badly(struct connection *c, enum fleet_fault fault, char answer[ANSWER_MAX])
{
	int status;

	switch (fault) {
	case FLEET_REFUSES:
		return send_answer(c, FAILED, "Code: 999, something is wrong\n", false);
	case FLEET_IS_A_PAGE:
		return send_answer(c, OK, "<html><body>Please log in.</body></html>\n", false);
	case FLEET_IS_AT_WORK:
		if (kind_of(c) == FLEET_INSERTS)
			begin_work(c);
		return false;
	case FLEET_IS_SILENT:
		wait_for_end(c);
		return false;
	case FLEET_HANGS_UP:
		return false;
	default:
		break;
	}
	status = do_request(c, answer);
	if (fault == FLEET_WORKS_SILENTLY)
		wait_for_end(c);
	if (fault == FLEET_CUTS_ANSWER || fault == FLEET_CLOSES_LATER)
		send_answer(c, status, answer, fault == FLEET_CUTS_ANSWER);
	return false;
}

/* One request. False: the connection is closed. */
static bool serve_one(struct connection *c)
{
	struct fleet_server *s = c->s;
	char answer[ANSWER_MAX] = "";
	int status;

	if (!read_request(c))
		return false;
	if ((s64)s->nr_requests++ == s->fault_at) {
		s->requested = kind_of(c);
		s->has_failed = true;
		if (s->fault != FLEET_GOOD)
			return answer_badly(c, s->fault, answer);
	}
	status = do_request(c, answer);
	return send_answer(c, status, answer, false);
}

/*
 * The connections in the order in which they came: what was sent by one that was cut off is done before anything that
 * was sent later. ppoll(2) is called by its number, since the program may have a poll() of its own.
 */
static void serve(struct fleet_server *s)
{
	struct connection c = { .s = s, .bytes = malloc(REQUEST_MAX + 1) };
	struct pollfd fds[CONNECTIONS_MAX + 1] = { { .fd = s->listener, .events = POLLIN } };
	nfds_t nr = 1, i, kept;

	if (!c.bytes)
		abort();
	for (;;) {
		if (syscall(SYS_ppoll, fds, nr, NULL, NULL, 0) <= 0)
			_exit(1);
		for (i = kept = 1; i < nr; i++) {
			c.fd = fds[i].fd;
			if (!fds[i].revents || serve_one(&c))
				fds[kept++] = fds[i];
			else
				close(c.fd);
		}
		nr = kept;
		if (!fds[0].revents)
			continue;
		fds[nr] = (struct pollfd){ .fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC), .events = POLLIN };
		if (fds[nr].fd < 0 || ++nr > CONNECTIONS_MAX)
			_exit(1);
	}
}

/* ---- the server ------------------------------------------------------------------------------ */

struct fleet_server *fleet_server_new(const char *dir)
{
	struct fleet_server *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		abort();
	snprintf(s->dir, sizeof(s->dir), "%s", dir);
	s->listener = -1;
	fleet_server_clear(s);
	return s;
}

void fleet_server_start(struct fleet_server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(at);
	const int yes = 1;
	pid_t pid;

	/* The port that it had before, if there was one. */
	if (s->url[0])
		at.sin_port = htons((u16)strtoul(strrchr(s->url, ':') + 1, NULL, 10));
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->listener < 0 || setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(s->listener, (struct sockaddr *)&at, sizeof(at)) || listen(s->listener, 8) ||
	    getsockname(s->listener, (struct sockaddr *)&at, &length)) {
		perror("a server on loopback");
		abort();
	}
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid) {
		s->pid = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	serve(s);
}

void fleet_server_stop(struct fleet_server *s)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close(s->listener);
	s->pid = 0;
	s->listener = -1;
}

void fleet_server_clear(struct fleet_server *s)
{
	char path[sizeof(s->dir) + FLEET_TEXT];
	u32 i;

	for (i = 0; i < s->nr_files; i++) {
		snprintf(path, sizeof(path), "%s/%s", s->dir, s->files[i].name);
		unlink(path);
	}
	s->version = FLEET_VERSION;
	s->fault_at = -1;
	s->fault = FLEET_GOOD;
	s->has_failed = false;
	s->nr_requests = s->nr_bad = s->nr_seconds = s->nr_incidents = s->nr_hosts = s->nr_files = 0;
	s->bad[0] = 0;
	memset(s->files, 0, sizeof(s->files));
}
