/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends what a spool has. */
#include "fleet/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/time.h"
#include "fleet/schema.h"
#include "fleet/ship_rows.h"

enum {
	STATEMENT_MAX = 1024,
	PAUSE_MS_MAX =
		1000, /* what is new is looked for so often, if nobody says that there is anything */
	DOUBLINGS_MAX = 20,
};

#define ROWS_KINDS (1U << LKST_SPOOL_SECONDS | 1U << LKST_SPOOL_INCIDENT | 1U << LKST_SPOOL_HOST)

struct sender {
	const struct lkst_sender_options *o;
	struct lkst_err *e;
	bool has_checked; /* the server's tables */
	bool may_be_there; /* items of before may have arrived: this process did not see whether they did */
	unsigned int nr_failed; /* in a row */
	bool has_said;
	bool is_over; /* `wake_fd` is at its end */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void sender_put_uuid(char text[37], const u8 u[16])
{
	snprintf(text, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		 u[13], u[14], u[15]);
}

/* How a statement inserts rows of this kind. */
static void format_insert(const struct sender *s, enum lkst_spool_kind kind,
			  char text[STATEMENT_MAX])
{
	const char *table = kind == LKST_SPOOL_SECONDS	  ? "second_rows"
			    : kind == LKST_SPOOL_INCIDENT ? "incident_rows"
							  : "host_rows";
	const char *columns = kind == LKST_SPOOL_SECONDS    ? lkst_fleet_second_columns
			      : kind == LKST_SPOOL_INCIDENT ? lkst_fleet_incident_columns
							    : lkst_fleet_host_columns;

	snprintf(text, STATEMENT_MAX, "insert into %s.%s (%s) format RowBinary",
		 lkst_fleet_database(s->o->fleet), table, columns);
}

/*
 * How many of its rows the server has, of those of which there is one for each second, minute or revision, whatever was
 * counted: durations may all be left out.
 */
static int count_there(struct sender *s, const struct lkst_spool_item *item, u64 *ret_nr)
{
	const char *database = lkst_fleet_database(s->o->fleet);
	char text[STATEMENT_MAX], uuid[37];

	sender_put_uuid(uuid, item->trace);
	if (item->kind == LKST_SPOOL_SECONDS)
		snprintf(
			text, sizeof(text),
			"select count() from (select distinct second from %s.second_rows where measure = '%s' "
			"and cgroup = '' and trace = toUUID('%s') and toUInt32(second) >= %" PRIu64
			" and toUInt32(second) < %" PRIu64 ")",
			database, item->count ? "events" : "events" LKST_FLEET_OF_A_MINUTE, uuid,
			item->first, item->first + (item->count ?: 1));
	else
		snprintf(
			text, sizeof(text),
			"select count() from (select distinct number from %s.incident_rows where trace = "
			"toUUID('%s') and number = %" PRIu64 " and revision >= %u)",
			database, uuid, item->first, item->count);
	return lkst_fleet_ask_number(s->e, s->o->fleet, text, ret_nr);
}

/* Whether the server has it, where an earlier try may have brought it there. */
static int sender_is_there(struct sender *s, const struct lkst_spool_item *item, bool *ret_is_there)
{
	u64 nr = 0, wanted = item->kind == LKST_SPOOL_SECONDS && item->count ? item->count : 1;
	int err;

	*ret_is_there = false;
	/* A host's row may be there many times: the one that was seen last counts. */
	if (item->kind == LKST_SPOOL_HOST)
		return 0;
	/* An incident is put again by a process that does not know whether one before it had put all of it. */
	if (item->kind == LKST_SPOOL_SECONDS && !s->may_be_there)
		return 0;
	err = count_there(s, item, &nr);
	*ret_is_there = nr == wanted;
	return err;
}

static int sender_insert(struct sender *s, const struct lkst_spool_item *item, const char *bytes,
			 size_t length)
{
	char statement[STATEMENT_MAX], name[LKST_SPOOL_NAME];

	format_insert(s, item->kind, statement);
	lkst_spool_format(item, name);
	return lkst_fleet_insert_as(s->e, s->o->fleet, statement, name, bytes, length);
}

/* A damaged one would be tried forever: it is put aside, for whoever counts what is lost. */
static void put_aside(struct sender *s, const struct lkst_spool_item *item)
{
	struct lkst_spool_item damaged = *item;

	damaged.kind = LKST_SPOOL_DAMAGED;
	if (item->kind != LKST_SPOOL_SECONDS ||
	    lkst_spool_rename(s->e, s->o->spool, item, &damaged))
		lkst_spool_remove(s->o->spool, item);
}

static int send_rows(struct sender *s, const struct lkst_spool_item *item)
{
	_cleanup_free_ char *bytes = NULL;
	size_t length;
	bool there = false;
	int err = 0;

	if (!s->has_checked)
		err = lkst_fleet_check_schema(s->e, s->o->fleet);
	if (err)
		return err;
	s->has_checked = true;
	err = lkst_spool_read(s->e, s->o->spool, item, &bytes, &length);
	/* It had to make room. */
	if (err == -ENOENT)
		return 0;
	if (err == -EBADMSG) {
		put_aside(s, item);
		return 0;
	}
	err = err ?: sender_is_there(s, item, &there) ?: there ? 0 : sender_insert(s, item, bytes, length);
	if (!err)
		lkst_spool_remove(s->o->spool, item);
	return err;
}

/* ---- bundles --------------------------------------------------------------------------------- */

/* The incident's row that says where the bundle is waits for this. */
static int send_bundle(struct sender *s, const struct lkst_spool_item *item)
{
	struct lkst_spool_item later = *item, row = *item;
	char name[LKST_SPOOL_NAME];
	u64 bytes;
	int fd = lkst_spool_open_item(s->e, s->o->spool, item, &bytes), err;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	lkst_spool_bundle_name(item, name);
	err = lkst_store_put(s->e, s->o->store, name, fd, bytes);
	close(fd);
	if (err)
		return err;
	later.kind = LKST_SPOOL_LATER;
	row.kind = LKST_SPOOL_INCIDENT;
	err = lkst_spool_rename(s->e, s->o->spool, &later, &row);
	if (err && err != -ENOENT)
		return err;
	lkst_spool_remove(s->o->spool, item);
	return 0;
}

/* ---- a round --------------------------------------------------------------------------------- */

static void sender_say(struct sender *s, const struct lkst_err *why)
{
	if (why || s->has_said)
		s->o->say(s->o->ctx, why);
	s->has_said = why != NULL;
}

/* Waits for news up to @ns. True: there is some; or the other end is closed, and then it is to end. */
static bool wait_for_news(struct sender *s, u64 ns)
{
	struct pollfd fd = { .fd = s->o->wake_fd, .events = POLLIN };
	char news[256];
	ssize_t nr;

	if (poll(&fd, 1, (int)((ns + 999999) / 1000000)) <= 0)
		return false;
	nr = read(s->o->wake_fd, news, sizeof(news));
	s->is_over = !nr || (nr < 0 && errno != EINTR && errno != EAGAIN);
	return true;
}

u64 lkst_sender_pause_ns(const struct lkst_sender_options *o, unsigned int nr, u64 random)
{
	unsigned int doublings = nr - 1 < DOUBLINGS_MAX ? nr - 1 : DOUBLINGS_MAX;
	u64 ns = o->pause_ns << doublings;

	ns = ns < o->pause_max_ns ? ns : o->pause_max_ns;
	return ns / 2 + random % (ns / 2 + 1);
}

/* Waits as long as a failure demands, whatever comes meanwhile. */
static void back_off(struct sender *s)
{
	u64 random = 0, now = lkst_monotonic_ns(), end_ns;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = now * 0x9e3779b97f4a7c15ULL;
	end_ns = now + lkst_sender_pause_ns(s->o, ++s->nr_failed, random);
	while (!s->is_over && (now = lkst_monotonic_ns()) < end_ns)
		wait_for_news(s, end_ns - now);
}

/*
 * Sends what there is. 1: there is more by now, which may come first; a negative errno: it failed, and the rest
 * waits.
 */
static int sender_send_all(struct sender *s)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u32 nr = 0, i;
	int err = lkst_spool_list(s->e, s->o->spool,
				  s->o->store ? 1U << LKST_SPOOL_BUNDLE : ROWS_KINDS, &items, &nr);

	for (i = 0; i < nr && !err; i++) {
		err = s->o->store ? send_bundle(s, &items[i]) : send_rows(s, &items[i]);
		if (!err)
			s->nr_failed = 0;
		if (!err && wait_for_news(s, 0))
			err = 1;
	}
	return err;
}

int lkst_sender_run(struct lkst_err *e, const struct lkst_sender_options *options)
{
	struct sender s = { .o = options, .e = e, .may_be_there = true };
	int err;

	while (!s.is_over) {
		err = sender_send_all(&s);
		if (err > 0)
			continue;
		if (err) {
			sender_say(&s, e);
			s.may_be_there = true;
			s.has_checked = false;
			back_off(&s);
			continue;
		}
		sender_say(&s, NULL);
		/* From now on it is known of each whether it has arrived, until one fails. */
		s.may_be_there = false;
		wait_for_news(&s, PAUSE_MS_MAX * 1000000ULL);
	}
	return 0;
}
