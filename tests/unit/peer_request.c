/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Moments of several machines: what they are called, what is asked, and that no row of another machine is trusted.
 */
#include "fleet/peer_request.h"

#include <errno.h>

#include "base/cleanup.h"
#include "fleet/answer.h"
#include "lib/unit.h"

enum { HEEDED_FROM = 1000, HEEDED_TO = 2000, ROWS_MAX = 16 };

static struct lkst_err err;

TEST(moment_names_are_known)
{
	static const u8 uuid[16] = { 0x0b, 0xad, 0xca, 0xfe, 1 };
	static const char *const others[] = { "",		    "m-0badcafe",    "m-0badcafe.",
					      "m-0badcaf.1",	    "m-0badcafee.1", "m-0badcafe.1 ",
					      "m-0badcafe.1'",	    "m-0BADCAFE.1",  "0badcafe.1",
					      "m-0badcafe.12345678901", "command",   "m" };
	char name[LKST_MOMENT_NAME];
	size_t i;

	lkst_moment_name(uuid, 3, name);
	CHECK_STR(name, "m-0badcafe.3");
	CHECK(lkst_moment_is_name(name));
	lkst_moment_name(uuid, UINT32_MAX, name);
	CHECK_STR(name, "m-0badcafe.4294967295");
	CHECK(lkst_moment_is_name(name));
	CHECK(lkst_moment_answer_number(name) >= LKST_MOMENT_ANSWERS);
	CHECK(lkst_moment_answer_number(name) != lkst_moment_answer_number("m-0badcafe.3"));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK(!lkst_moment_is_name(others[i]));
}

struct taken {
	struct lkst_peer_request list[ROWS_MAX];
	unsigned int nr, nr_rows;
};

static int take(void *arg, const struct lkst_table *t)
{
	struct taken *taken = arg;
	size_t row;

	for (row = 0; row < t->nr_rows; row++, taken->nr_rows++)
		if (lkst_peer_request_of(t, row, HEEDED_FROM, HEEDED_TO, &taken->list[taken->nr]))
			taken->nr++;
	return 0;
}

/* What a server answers, taken apart as an answer to the question. */
static int answer(const char *text, struct taken *taken)
{
	static const struct lkst_fleet_peers nobody = {};
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	struct lkst_fleet_question q;
	const struct lkst_table *t;
	int code = lkst_fleet_question_requests(&err, "me", &nobody, HEEDED_FROM, HEEDED_TO, &q) ?:
		   lkst_fleet_answer_new(take, taken, &a);

	*taken = (struct taken){};
	if (code)
		return code;
	lkst_fleet_answer_expect(a, q.name, q.title, q.columns, q.nr_columns);
	code = lkst_fleet_answer_feed(&err, a, text, strlen(text)) ?: lkst_fleet_answer_end(&err, a, &t);
	lkst_fleet_question_fini(&q);
	return code;
}

#define HEAD "host\tm\tat\nString\tString\tUInt64\n"

TEST(requests_of_peers_are_checked)
{
	struct taken taken;

	CHECK_EQ(answer(HEAD "web1\tm-0badcafe.3\t1500\n"
			     "web1\tm-0badcafe.3\t999\n"	   /* too old */
			     "web1\tm-0badcafe.3\t2000\n"	   /* of the future */
			     "\tm-0badcafe.3\t1500\n"		   /* of nobody */
			     "we b1\tm-0badcafe.3\t1500\n"
			     "we\\nb1\tm-0badcafe.3\t1500\n"
			     "we\\0b1\tm-0badcafe.3\t1500\n"
			     "web1\tm-0badcafe.3\\0\t1500\n"
			     "web1\tm-0badcafe.3; drop\t1500\n"
			     "web1\t\t1500\n"
			     "db1\tm-00000000.4294967295\t1999\n",
			&taken),
		 0);
	CHECK_EQ(taken.nr_rows, 11);
	CHECK_EQ(taken.nr, 2);
	CHECK_STR(taken.list[0].host, "web1");
	CHECK_STR(taken.list[0].moment, "m-0badcafe.3");
	CHECK_EQ(taken.list[0].time_ns, 1500);
	CHECK_STR(taken.list[1].host, "db1");
	/* Another table, or none. */
	CHECK(answer("host\nString\nweb1\n", &taken) < 0);
	CHECK(answer("<html>Please log in</html>\n", &taken) < 0);
	CHECK_EQ(taken.nr, 0);
}

TEST(requests_of_peers_with_long_names_are_not_taken)
{
	char text[600], host[301];
	struct taken taken;

	memset(host, 'a', 300);
	host[300] = 0;
	snprintf(text, sizeof(text), HEAD "%s\tm-0badcafe.3\t1500\n", host);
	CHECK_EQ(answer(text, &taken), 0);
	CHECK_EQ(taken.nr_rows, 1);
	CHECK_EQ(taken.nr, 0);
	snprintf(text, sizeof(text), HEAD "%s\tm-0badcafe.3\t1500\n", host + 300 - (LKST_PEER_HOST - 1));
	CHECK_EQ(answer(text, &taken), 0);
	CHECK_EQ(taken.nr, 1);
	CHECK_EQ(strlen(taken.list[0].host), LKST_PEER_HOST - 1);
}

/* Names of the user's are strings, whatever is in them. */
TEST(question_for_requests_quotes_names)
{
	char *hosts[] = { (char *)"db1", (char *)"it's" }, *labels[] = { (char *)"role=d'b" };
	const struct lkst_fleet_peers peers = { hosts, 2, labels, 1 }, nobody = {};
	struct lkst_fleet_peers wrong = peers;
	struct lkst_fleet_question q;

	CHECK_EQ(lkst_fleet_question_requests(&err, "m'e", &peers, HEEDED_FROM, HEEDED_TO, &q), 0);
	CHECK(strstr(q.text, "host != 'm\\'e'"));
	CHECK(strstr(q.text, "(0 or host = 'db1' or host = 'it\\'s' or (1 and host in (select host from "));
	CHECK(strstr(q.text, "indexOf(names, 'role')] = 'd\\'b'"));
	CHECK(strstr(q.text, "time >= 1000 and time < 2000"));
	CHECK(strstr(q.text, "limit 64"));
	lkst_fleet_question_fini(&q);
	/* Without peers nobody is. */
	CHECK_EQ(lkst_fleet_question_requests(&err, "me", &nobody, HEEDED_FROM, HEEDED_TO, &q), 0);
	CHECK(strstr(q.text, " and (0)"));
	lkst_fleet_question_fini(&q);
	hosts[0] = labels[0] = (char *)"no label";
	wrong.labels = hosts;
	CHECK_EQ(lkst_fleet_question_requests(&err, "me", &wrong, HEEDED_FROM, HEEDED_TO, &q), -EINVAL);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(moment_names_are_known),
	ROW(requests_of_peers_are_checked),
	ROW(requests_of_peers_with_long_names_are_not_taken),
	ROW(question_for_requests_quotes_names),
};

UNIT_MAIN(tests)
