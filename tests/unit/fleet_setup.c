/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Setting up the tables of a server that can drop rows by itself, which Debian's cannot: here it is a process that
 * answers as a server of that kind does, and notes what it was told.
 */
#include "fleet/schema.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"

enum { REQUEST_MAX = 16384, SAID_MAX = 1 << 16 };

static struct lkst_err err;

/* Reads a request, and returns where its body is. */
static char *read_request(int fd, char request[REQUEST_MAX])
{
	size_t length = 0, wanted = SIZE_MAX;
	char *body = NULL, *header;
	ssize_t nr;

	while (length < wanted && length < REQUEST_MAX - 1 &&
	       (nr = read(fd, request + length, REQUEST_MAX - 1 - length)) > 0) {
		length += (size_t)nr;
		request[length] = 0;
		body = strstr(request, "\r\n\r\n");
		header = strcasestr(request, "\r\nContent-Length:");
		if (body && header)
			wanted = (size_t)(body + 4 - request) + strtoul(header + 17, NULL, 10);
	}
	return body ? body + 4 : request + length;
}

/* The number that is asked for; -1: it is no question. @has_stays: somebody has said how long rows stay. */
static int answer_to(const char *body, bool has_stays)
{
	if (strstr(body, "merge_with_ttl_timeout"))
		return 1;
	if (strstr(body, "engine_full"))
		return has_stays;
	return strncmp(body, "select", 6) ? -1 : 0;
}

static void serve(int listener, int told, bool has_stays)
{
	char request[REQUEST_MAX], answer[256], text[64];
	const char *body;
	int fd, number;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		body = read_request(fd, request);
		number = answer_to(body, has_stays);
		text[0] = 0;
		if (number >= 0)
			snprintf(text, sizeof(text), "n\nUInt64\n%d\n", number);
		else
			dprintf(told, "%s\n", body);
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
			 strlen(text), text);
		if (write(fd, answer, strlen(answer)) < 0)
			_exit(1);
		close(fd);
	}
	_exit(0);
}

/* Sets up such a server; what it was told, a statement a line. To be freed. */
static char *told_by_setup(bool has_stays)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), told[2];
	struct lkst_fleet_where where = { .database = "lkst", .timeout_ns = 60000000000ULL };
	struct lkst_fleet_schema schema;
	char url[64], *said = calloc(1, SAID_MAX);
	size_t used = 0;
	struct lkst_fleet *f;
	ssize_t nr;
	pid_t child;

	if (!said || bind(listener, (struct sockaddr *)&at, sizeof(at)) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&at, &length) || pipe(told))
		abort();
	child = fork();
	if (!child)
		serve(listener, told[1], has_stays);
	close(told[1]);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	where.url = url;
	if (lkst_fleet_open(&err, &where, &f) || lkst_fleet_setup(&err, f, &schema)) {
		printf("# %s\n", err.text);
		abort();
	}
	lkst_fleet_close(f);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	while ((nr = read(told[0], said + used, SAID_MAX - 1 - used)) > 0)
		used += (size_t)nr;
	close(told[0]);
	close(listener);
	return said;
}

TEST(fleet_rows_stay_for_a_time_where_a_server_can_drop_them)
{
	char *said = told_by_setup(false);
	bool good = strstr(said, "create database if not exists lkst\n") &&
		    strstr(said, "alter table lkst.event_rows modify ttl "
				 "toDateTime(intDiv(time, 1000000000)) + interval 30 day\n") &&
		    strstr(said,
			   "alter table lkst.second_rows modify ttl second + interval 90 day\n") &&
		    !strstr(said, "incident_rows modify ttl");

	free(said);
	CHECK(good);
}

/* What somebody has set is left as it is. */
TEST(fleet_rows_stay_as_long_as_somebody_says)
{
	char *said = told_by_setup(true);
	bool good =
		strstr(said, "create database if not exists lkst\n") && !strstr(said, "modify ttl");

	free(said);
	CHECK(good);
}

static const struct unit_test tests[] = {
	{ "fleet_rows_stay_for_a_time_where_a_server_can_drop_them",
	  test_fleet_rows_stay_for_a_time_where_a_server_can_drop_them },
	{ "fleet_rows_stay_as_long_as_somebody_says",
	  test_fleet_rows_stay_as_long_as_somebody_says },
};
UNIT_MAIN(tests)
