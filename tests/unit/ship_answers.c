/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What `lkst ship` has counted and explained arrives once, whatever servers answer, and whatever they have done when no
 * answer comes: each request of all by turns is answered badly, in each way. And what it does where something does not
 * end well: a spool that is full, items that are damaged, incidents that cannot be explained.
 */
#include <sys/mount.h>

#include "fleet/spool.h"
#include "lib/shipping.h"
#include "lib/unit.h"

enum {
	REQUESTS_MIN = 20,
	PATIENCE_MS = 50,
	STRIDE = IS_SANITIZED ? 5 : 1, /* of requests and ways by turns: that takes much longer */
};
_Static_assert(STRIDE == 1 || (FLEET_NR_FAULTS - FLEET_REFUSES) % STRIDE != 0, "each way is tried with some request");

static struct shipping *s;

static void begin(void)
{
	s = s ?: shipping_new();
	shipping_reset(s);
}

/* What a sender says when a request of that kind is answered so; NULL: it need not say anything. */
static const char *const says[FLEET_NR_FAULTS][3] = {
	[FLEET_REFUSES] = { "refuses (status 500): \"Code: 999", "refuses (status 500): \"Code: 999",
			    "refuses (status 500): \"Code: 999" },
	[FLEET_HANGS_UP] = { "http://", "http://", "http://" },
	[FLEET_LOSES_ANSWER] = { "http://", "http://", "http://" },
	[FLEET_CUTS_ANSWER] = { "http://", "http://", "http://" },
	[FLEET_IS_AT_WORK] = { "http://", "is already running", "http://" },
	[FLEET_IS_SILENT] = { "did not answer in time", "did not answer in time", "does not take anything" },
	[FLEET_WORKS_SILENTLY] = { "did not answer in time", "did not answer in time", "does not take anything" },
	[FLEET_IS_A_PAGE] = { "<html>", "refuses (status 200): \"<html>" },
};

/* One request is answered so. */
static const char *try_fault(s64 at, enum fleet_fault fault)
{
	const char *wanted;

	begin();
	s->server->fault_at = at;
	s->server->fault = fault;
	s->world->patience_ms = fault == FLEET_IS_SILENT || fault == FLEET_WORKS_SILENTLY ? PATIENCE_MS : 0;
	if (!shipping_run(s))
		return "the service has failed";
	if (!s->server->has_failed)
		return "there is no such request";
	/* A store may answer with a page and have the file. */
	if (fault == FLEET_IS_A_PAGE && s->server->requested == FLEET_PUTS)
		return NULL;
	wanted = says[fault][s->server->requested];
	/* A question by a connection that was kept is sent again by itself where nothing comes. */
	if (wanted && !strstr(s->world->said, wanted) && (s->world->said[0] || s->server->requested == FLEET_INSERTS))
		return s->world->said;
	return shipping_check(s);
}

TEST(ship_sends_everything_once_whatever_is_answered)
{
	u32 nr, at, fault, nr_tries = 0, nr_ways = 0, of[3] = {};
	const char *bad = NULL;

	begin();
	CHECK(shipping_run(s));
	CHECK_STR(shipping_check(s) ?: "", "");
	nr = s->server->nr_requests;
	for (at = 0; at < nr; at++)
		for (fault = FLEET_REFUSES; fault < FLEET_NR_FAULTS; fault++) {
			if (nr_ways++ % STRIDE)
				continue;
			bad = try_fault(at, (enum fleet_fault)fault);
			if (bad)
				printf("# request %u of %u, where the server %s: %s\n", at, nr,
				       fleet_fault_names[fault], bad);
			CHECK(!bad);
			of[s->server->requested]++;
			nr_tries++;
		}
	printf("# %u requests, answered badly %u times: %u questions, %u inserts, %u bundles\n", nr, nr_tries,
	       of[FLEET_ASKS], of[FLEET_INSERTS], of[FLEET_PUTS]);
	CHECK(nr >= REQUESTS_MIN && of[FLEET_ASKS] && of[FLEET_INSERTS] && of[FLEET_PUTS]);
}

TEST(ship_waits_for_tables_that_it_knows)
{
	begin();
	s->server->version = FLEET_VERSION + 1;
	CHECK(shipping_run(s));
	CHECK(strstr(s->world->said, "of version 9, and this lkst knows 8"));
	CHECK_STR(shipping_check(s) ?: "", "");
}

/* Neither a server nor a store, and then both. */
TEST(ship_sends_later_what_could_not_be_sent)
{
	begin();
	fleet_server_stop(s->server);
	s->gives_up = true;
	CHECK(shipping_run(s));
	CHECK(strstr(s->world->said, "connect"));
	CHECK(!s->server->nr_requests);
	fleet_server_start(s->server);
	s->gives_up = false;
	s->steps += 3;
	CHECK(shipping_run_again(s));
	CHECK_STR(shipping_check(s) ?: "", "");
}

/* ---- what is lost ---------------------------------------------------------------------------- */

/* Goes on for so long that not everything has room; then it is sent. */
static void fill_and_send(u64 spool_bytes)
{
	u64 missing = 0;

	fleet_server_stop(s->server);
	s->gives_up = s->fires_nothing = true;
	s->spool_bytes = spool_bytes;
	s->steps = 40;
	CHECK(shipping_run(s));
	fleet_server_start(s->server);
	s->gives_up = false;
	s->steps += 4;
	CHECK(shipping_run_again(s));
	CHECK_STR(shipping_check_all_but(s, &missing) ?: "", "");
	CHECK(missing > 4 && missing < 40);
	CHECK_EQ(shipping_told_missing(s), missing);
}

TEST(ship_counts_what_has_no_room)
{
	begin();
	fill_and_send(6000);
}

TEST(ship_counts_what_a_full_disk_loses)
{
	begin();
	if (mkdir(s->spool, 0700) || mount("none", s->spool, "tmpfs", 0, "size=80k,mode=700"))
		SKIP("no file system can be mounted here");
	fill_and_send(1 << 30);
	umount(s->spool);
}

/* The item at place @place among those of seconds, which wait. */
static struct lkst_spool_item damage(u32 place)
{
	struct lkst_spool_item *items, item;
	struct lkst_spool *spool;
	struct lkst_err e;
	char path[256];
	u32 nr;

	if (lkst_spool_open(&e, s->spool, s->spool_bytes, &spool) ||
	    lkst_spool_list(&e, spool, 1U << LKST_SPOOL_SECONDS, &items, &nr) || nr <= place ||
	    lkst_spool_path(&e, spool, &items[place], path, sizeof(path)) || truncate(path, 20))
		abort();
	item = items[place];
	free(items);
	lkst_spool_close(spool);
	return item;
}

TEST(ship_counts_what_is_damaged)
{
	struct lkst_spool_item item;
	u64 missing = 0;

	begin();
	fleet_server_stop(s->server);
	s->gives_up = s->fires_nothing = true;
	s->steps = 8;
	CHECK(shipping_run(s));
	item = damage(1);
	fleet_server_start(s->server);
	s->gives_up = false;
	s->steps += 4;
	CHECK(shipping_run_again(s));
	CHECK_STR(shipping_check_all_but(s, &missing) ?: "", "");
	CHECK_EQ(missing, item.count);
	CHECK_EQ(shipping_told_missing(s), missing);
}

/* ---- incidents ------------------------------------------------------------------------------- */

TEST(ship_explains_without_a_store)
{
	begin();
	s->has_no_store = true;
	CHECK(shipping_run(s));
	CHECK_STR(shipping_check(s) ?: "", "");
}

/* Without what it has noted it does all of it again, but the server has it. */
TEST(ship_sends_no_incident_twice_without_its_position)
{
	char path[256];
	u32 nr, accounts;

	begin();
	s->has_no_store = true;
	CHECK(shipping_run(s));
	nr = s->server->nr_incidents;
	accounts = s->world->nr_accounts;
	snprintf(path, sizeof(path), "%s/position", s->spool);
	CHECK(!unlink(path));
	s->steps += 2;
	CHECK(shipping_run_again(s));
	CHECK_EQ(s->world->nr_accounts, accounts + 1);
	CHECK_EQ(s->server->nr_incidents, nr);
}

TEST(ship_tells_what_was_while_it_did_not_run)
{
	begin();
	s->fires_nothing = true;
	CHECK(shipping_run(s));
	made_recording_miss(s->recording, 1);
	made_recording_keep(s->recording, 2, s->world->now_ns, s->world->now_ns, "a test");
	s->world->nr_incidents = 2;
	s->fires_nothing = false;
	s->steps += 2;
	CHECK(shipping_run_again(s));
	CHECK_STR(shipping_check(s) ?: "", "");
}

TEST(ship_gives_up_what_it_cannot_explain)
{
	struct fleet_incident_row row = {};

	begin();
	s->world->killer = SHIPPING_AT_SAVING;
	CHECK(shipping_run(s));
	CHECK_EQ(s->world->nr_explaining, 3);
	CHECK(strstr(s->world->service_said, "it is not explained"));
	CHECK_EQ(shipping_rows_of(s, 2, 2, &row), 1);
	CHECK(strstr(row.note, "it is not explained: the process that does that was killed 3 times"));
	CHECK_EQ(s->server->nr_files, 0);
	CHECK_STR(shipping_left(s), "");
	CHECK(made_recording_has_incident(s->recording));
}

/* All of it is in the spool by then. */
TEST(ship_gives_up_what_it_cannot_free)
{
	struct fleet_incident_row row = {};

	begin();
	s->world->killer = SHIPPING_AT_DROPPING;
	CHECK(shipping_run(s));
	CHECK_EQ(s->world->nr_explaining, 3);
	CHECK_EQ(s->world->nr_accounts, 1);
	CHECK(strstr(s->world->service_said, "all of incident 2 is in the spool, and its memory is not freed"));
	CHECK_EQ(shipping_rows_of(s, 2, 3, &row), 1);
	CHECK(!row.has_come_early && s->server->nr_files == 1);
	CHECK_STR(shipping_left(s), "");
	CHECK(made_recording_has_incident(s->recording));
}

static const struct unit_test tests[] = {
	{ "ship_sends_everything_once_whatever_is_answered", test_ship_sends_everything_once_whatever_is_answered },
	{ "ship_waits_for_tables_that_it_knows", test_ship_waits_for_tables_that_it_knows },
	{ "ship_sends_later_what_could_not_be_sent", test_ship_sends_later_what_could_not_be_sent },
	{ "ship_counts_what_has_no_room", test_ship_counts_what_has_no_room },
	{ "ship_counts_what_a_full_disk_loses", test_ship_counts_what_a_full_disk_loses },
	{ "ship_counts_what_is_damaged", test_ship_counts_what_is_damaged },
	{ "ship_explains_without_a_store", test_ship_explains_without_a_store },
	{ "ship_sends_no_incident_twice_without_its_position",
	  test_ship_sends_no_incident_twice_without_its_position },
	{ "ship_tells_what_was_while_it_did_not_run", test_ship_tells_what_was_while_it_did_not_run },
	{ "ship_gives_up_what_it_cannot_explain", test_ship_gives_up_what_it_cannot_explain },
	{ "ship_gives_up_what_it_cannot_free", test_ship_gives_up_what_it_cannot_free },
};

UNIT_MAIN(tests)
