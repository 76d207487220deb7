/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Several hosts' traces on one time line: made with clocks that are known to be wrong, and compared with the truth.
 */
#include <stdarg.h>

#include "hosts/reading.h"
#include "hosts/messages.h"
#include "hosts/recordings.h"
#include "hosts/reading_merge.h"
#include "lib/make_hosts.h"
#include "lib/unit.h"

enum {
	MS = 1000000,
	US = 1000,
	TEXT_MAX = 1 << 20,
};

static const char *const both[] = { "web1", "db1", NULL };
static char dir[64], web[TEXT_MAX], db[TEXT_MAX];
static struct lkst_reading hosts;
static struct lkst_err e;

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	if (length + (size_t)vsnprintf(text + length, TEXT_MAX - length, format, args) >= TEXT_MAX)
		abort();
	va_end(args);
}

static void begin(void)
{
	make_scratch(dir);
	web[0] = db[0] = 0;
	hosts = (struct lkst_reading){};
	e = (struct lkst_err){};
}

static void end(void)
{
	lkst_reading_close(&hosts);
	make_scratch_remove(dir);
}

/* The two packet records of a message, at their true times. */
static void message(char *from, char *to, u32 port, u64 sent_ns, u64 received_ns, u32 sequence)
{
	add(from,
	    "packet_send ns=%llu tid=5 cpu=1 source_address=%u destination_address=1 source_port=%u "
	    "destination_port=%u "
	    "family=2 ip_protocol=6 sequence=%u acknowledgement=9 bytes=100\n",
	    (unsigned long long)sent_ns, port, port, 60000 - port, sequence);
	add(to,
	    "packet_receive ns=%llu tid=0 cpu=2 source_address=%u destination_address=1 source_port=%u "
	    "destination_port=%u family=2 ip_protocol=6 sequence=%u acknowledgement=9 bytes=100\n",
	    (unsigned long long)received_ns, port, port, 60000 - port, sequence);
}

/* What a recorder of a host that is ahead by @skew_ns says of its clock at the true time @ns. */
static void state_clock(char *text, u64 boot_ns, s64 skew_ns, u64 ns, u64 error_ns)
{
	add(text,
	    "state_clock ns=%llu monotonic_ns=%llu boottime_ns=%llu realtime_ns=%lld max_error_ns=%llu "
	    "estimated_error_ns=5 synchronised=%u\n",
	    (unsigned long long)ns, (unsigned long long)(ns + boot_ns),
	    (unsigned long long)(ns + boot_ns), MAKE_HOSTS_DAY + skew_ns + (long long)ns,
	    (unsigned long long)error_ns, error_ns != 0);
}

/* Requests and answers between the two, each way taking from 20 to 220 us. */
static void converse(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const u64 ns = 100 * MS + i * (u64)MS;

		message(web, db, 5432, ns, ns + 20 * US + i * 37 % 200 * US, 1000 + i);
		message(db, web, 80, ns + 500 * US, ns + 520 * US + i * 53 % 200 * US, 2000 + i);
	}
}

static u64 off_by(s64 truth_ns)
{
	const s64 ns = hosts.list[1].bound.shift_ns;

	return ns > truth_ns ? (u64)(ns - truth_ns) : (u64)(truth_ns - ns);
}

TEST(hosts_messages_find_the_skew_and_how_far_that_is_right)
{
	static const s64 skews[] = { 0, 3 * MS, -3 * MS, 86400LL * 1000 * MS, 150 * US, -1 };
	size_t i;

	for (i = 0; i < sizeof(skews) / sizeof(skews[0]); i++) {
		begin();
		converse(100);
		make_host(dir, "web1", 0, 5000 * (u64)MS, web);
		make_host(dir, "db1", skews[i], 777777 * (u64)MS, db);
		CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
		CHECK_EQ(hosts.nr, 2);
		CHECK_EQ(hosts.nr_messages, 200);
		CHECK(hosts.list[1].bound.is_bounded);
		/* The fastest of each way took 20 us: nothing can be known better than by these. */
		CHECK_EQ(hosts.list[1].bound.error_ns, 20 * US);
		CHECK(off_by(-skews[i]) <= 20 * US);
		CHECK_EQ(hosts.nr_still, 0);
		if (skews[i] == 3 * MS || skews[i] == -3 * MS)
			CHECK_EQ(hosts.nr_backwards, 100);
		end();
	}
}

TEST(hosts_no_packet_is_received_before_it_was_sent)
{
	u64 sent[4096] = {}, last_ns = 0, nr = 0;
	struct lkst_reading_merge *t;
	struct lkst_record r;
	unsigned int host;

	begin();
	converse(500);
	make_host(dir, "web1", 0, 5000 * (u64)MS, web);
	make_host(dir, "db1", -7 * MS, 12 * (u64)MS, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(lkst_reading_merge_new(&e, &hosts, 0, UINT64_MAX, true, &t), 0);
	while (lkst_reading_merge_next(t, &host, &r) > 0) {
		const u64 sequence = lkst_record_int(&r, lkst_class_field(r.event, "sequence"));
		const u64 ns = r.ns + hosts.list[host].offset_ns;

		CHECK(ns >= last_ns);
		last_ns = ns;
		nr++;
		if (!strcmp(r.event->name, "packet_send"))
			sent[sequence] = ns;
		else
			CHECK(sent[sequence] && ns >= sent[sequence]);
	}
	CHECK_EQ(nr, 2000);
	lkst_reading_merge_free(t);
	end();
}

TEST(hosts_clocks_that_are_kept_right_bound_each_other)
{
	begin();
	state_clock(web, 100, 40 * US, 50 * MS, 300 * US);
	state_clock(web, 100, 40 * US, 90 * MS, 350 * US);
	state_clock(db, 200, -10 * US, 50 * MS, 150 * US);
	add(web, "sched_switch ns=1000 next_tid=5\n");
	add(db, "sched_switch ns=1000 next_tid=5\n");
	make_host(dir, "web1", 40 * US, 100, web);
	make_host(dir, "db1", -10 * US, 200, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK(hosts.list[0].clock.is_synchronised);
	CHECK_EQ(hosts.list[1].bound.shift_ns, 0);
	CHECK(hosts.list[1].bound.is_bounded);
	/* The largest that each says of itself. */
	CHECK_EQ(hosts.list[1].bound.error_ns, 500 * US);
	CHECK(off_by(50 * US) <= hosts.list[1].bound.error_ns);
	end();
}

TEST(hosts_a_clock_that_is_said_to_be_off_by_nothing_bounds_nothing)
{
	char text[LKST_HOST_CLOCK_TEXT];

	begin();
	state_clock(web, 100, 0, 50 * MS, 300 * US);
	/* As systemd-timesyncd does it: 3 s ago it said 0, and the kernel has added 500 us in each second. */
	add(db,
	    "state_clock ns=50000000 monotonic_ns=50000000 realtime_ns=%lld max_error_ns=1500000 "
	    "estimated_error_ns=0 synchronised=1\n",
	    MAKE_HOSTS_DAY + 50 * MS);
	make_host(dir, "web1", 0, 100, web);
	make_host(dir, "db1", 0, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK(hosts.list[1].clock.is_synchronised);
	CHECK(!hosts.list[1].bound.is_bounded);
	lkst_reading_clock_text(&hosts, 1, text);
	CHECK_STR(
		text,
		"0 ns added; what keeps it right does not say how far it may be off, nor do packets show it");
	end();

	/* A clock as good as that, of which more is known. */
	begin();
	state_clock(web, 100, 0, 50 * MS, 300 * US);
	add(db,
	    "state_clock ns=50000000 monotonic_ns=50000000 realtime_ns=%lld max_error_ns=1501000 "
	    "estimated_error_ns=0 synchronised=1\n",
	    MAKE_HOSTS_DAY + 50 * MS);
	make_host(dir, "web1", 0, 100, web);
	make_host(dir, "db1", 0, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(hosts.list[1].bound.error_ns, 1801 * US);
	end();
}

TEST(hosts_the_state_says_better_what_time_it_was_than_the_metadata)
{
	begin();
	/* Set by 2 s after the recording had begun, and two hours before its end. */
	state_clock(db, 0, 2000 * (s64)MS, 50 * MS, 100 * US);
	state_clock(web, 0, 0, 50 * MS, 100 * US);
	add(web, "sched_switch ns=1000 next_tid=5\n");
	add(db, "sched_switch ns=1000 next_tid=5\n");
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 0, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(hosts.list[1].offset_ns, MAKE_HOSTS_DAY + 2000 * (s64)MS);
	CHECK_EQ(lkst_trace_catalog(hosts.list[1].trace)->clock_offset_ns,
		 MAKE_HOSTS_DAY + 2000 * (s64)MS);
	end();

	begin();
	state_clock(db, 0, 0, 50 * MS, 100 * US);
	state_clock(db, 0, 2000 * (s64)MS, 90 * MS, 100 * US);
	state_clock(web, 0, 0, 50 * MS, 100 * US);
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 0, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(hosts.notes.nr, 1);
	CHECK_STR(hosts.notes.text[0],
		  "the time of day of db1 was set by 2.00 s while it recorded: its last is used");
	end();
}

TEST(hosts_of_which_nothing_is_known_say_so)
{
	char text[LKST_HOST_CLOCK_TEXT];

	begin();
	add(web, "sched_switch ns=1000 next_tid=5\n");
	add(db, "sched_switch ns=1000 next_tid=5\n");
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 5 * MS, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK(!hosts.list[1].bound.is_bounded);
	lkst_reading_clock_text(&hosts, 1, text);
	CHECK_STR(text,
		  "0 ns added; it was not synchronised, and no packets show how far it is off");
	end();
}

TEST(hosts_without_a_time_of_day_are_refused_or_placed_by_messages)
{
	begin();
	add(web, "sched_switch ns=1000 next_tid=5\n");
	add(db, "sched_switch ns=1000 next_tid=5\n");
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", -MAKE_HOSTS_DAY, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), -EINVAL);
	CHECK(strstr(e.text, "that of db1 does not say what time of day it was"));
	make_scratch_remove(dir);

	begin();
	converse(50);
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", -MAKE_HOSTS_DAY, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK(off_by(MAKE_HOSTS_DAY) <= 20 * US);
	end();
}

TEST(hosts_packets_that_are_seen_again_do_not_mislead)
{
	unsigned int i;

	begin();
	converse(20);
	/* On its way through a bridge, some us later: the first time counts. */
	message(web, db, 7, 200 * MS, 200 * MS + 300 * US, 1);
	add(db,
	    "packet_receive ns=%u source_address=7 destination_address=1 source_port=7 destination_port=59993 family=2 "
	    "ip_protocol=6 sequence=1 acknowledgement=9 bytes=100\n",
	    200 * MS + 310 * US);
	/* Sent before the trace begins and received then, and again 400 ms later, which is lost: as if sent last. */
	add(db,
	    "packet_receive ns=%u source_address=7 destination_address=1 source_port=7 destination_port=59993 family=2 "
	    "ip_protocol=6 sequence=2 acknowledgement=9 bytes=100\n",
	    201 * MS);
	add(db,
	    "packet_receive ns=%u source_address=7 destination_address=1 source_port=7 destination_port=59993 family=2 "
	    "ip_protocol=6 sequence=2 acknowledgement=9 bytes=100\n",
	    601 * MS);
	add(web,
	    "packet_send ns=%u source_address=7 destination_address=1 source_port=7 destination_port=59993 family=2 "
	    "ip_protocol=6 sequence=2 acknowledgement=9 bytes=100\n",
	    600 * MS);
	/* Answers without a payload that are all alike. */
	for (i = 0; i < 3; i++)
		add(web,
		    "packet_send ns=%u source_address=8 source_port=7 destination_port=59993 family=2 "
		    "ip_protocol=6 sequence=3 acknowledgement=9 bytes=0\n",
		    602 * MS + i * 10);
	add(db,
	    "packet_receive ns=%u source_address=8 source_port=7 destination_port=59993 family=2 "
	    "ip_protocol=6 sequence=3 acknowledgement=9 bytes=0\n",
	    601 * MS + 500);
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 9 * MS, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(hosts.nr_messages, 41);
	CHECK_EQ(hosts.nr_still, 0);
	CHECK(off_by(-9 * MS) <= 20 * US);
	end();
}

/* The records of a packet at each of these moments, the first a @way, the next the other way, and so on. */
static void pass(char *text, const char *way, u32 port, u32 sequence, const u64 *ns, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		add(text,
		    "packet_%s ns=%llu source_address=1 destination_address=2 source_port=%u "
		    "destination_port=9 family=2 ip_protocol=6 sequence=%u acknowledgement=9 bytes=100\n",
		    (*way == 's') == (i % 2 == 0) ? "send" : "receive", (unsigned long long)ns[i],
		    port, sequence);
}

/* Containers: a packet passes a pair of devices and a bridge in both machines before its program has it. */
TEST(hosts_packets_that_pass_bridges_on_both_sides_do_not_mislead)
{
	unsigned int i;

	begin();
	for (i = 0; i < 50; i++) {
		const u64 ns = 100 * MS + i * (u64)MS;
		const u64 from[] = { ns, ns + 5 * US, ns + 10 * US };
		const u64 to[] = { ns + 50 * US, ns + 55 * US, ns + 60 * US };
		const u64 back[] = { ns + 500 * US, ns + 505 * US, ns + 510 * US };
		const u64 at_last[] = { ns + 550 * US, ns + 555 * US, ns + 560 * US };

		pass(web, "send", 7, i, from, 3);
		pass(db, "receive", 7, i, to, 3);
		pass(db, "send", 8, i, back, 3);
		pass(web, "receive", 8, i, at_last, 3);
	}
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 4 * MS, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(hosts.nr_messages, 100);
	CHECK_EQ(hosts.notes.nr, 0);
	CHECK_EQ(hosts.list[1].bound.error_ns, 50 * US);
	CHECK_EQ(off_by(-4 * MS), 0);
	end();

	/* Two that both only pass a packet on: which of them had it first is not known. */
	begin();
	converse(20);
	for (i = 0; i < 2; i++) {
		const u64 first[] = { 200 * MS, 200 * MS + 5 * US };
		const u64 second[] = { 200 * MS + 40 * US, 200 * MS + 45 * US };

		pass(i ? web : db, "receive", 7, i, first, 2);
		pass(i ? db : web, "receive", 7, i, second, 2);
	}
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 4 * MS, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(hosts.nr_messages, 40);
	CHECK_EQ(hosts.notes.nr, 0);
	CHECK(off_by(-4 * MS) <= 20 * US);
	end();
}

static u64 nr_walked;

static void count_walked(void *ctx, unsigned int from, unsigned int to, u64 sent_ns,
			 u64 received_ns)
{
	nr_walked++;
	if (received_ns - sent_ns > 1 * MS)
		abort();
}

TEST(hosts_a_sample_of_many_messages_has_the_same_ones_of_both)
{
	struct lkst_messages *m = lkst_messages_new(128);

	begin();
	converse(500);
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 0, 0, db);
	CHECK_EQ(make_hosts_open(&e, dir, both, &hosts), 0);
	CHECK_EQ(lkst_messages_read(&e, m, hosts.list[0].trace, 0, 0), 0);
	CHECK_EQ(lkst_messages_read(&e, m, hosts.list[1].trace, 1, 0), 0);
	nr_walked = 0;
	lkst_messages_walk(m, 2, count_walked, NULL);
	/* Of 2000 records at most 128 were kept: both halves of at least some messages are among them. */
	CHECK(nr_walked >= 8 && nr_walked <= 64);
	lkst_messages_free(m);
	end();
}

TEST(hosts_of_one_boot_have_one_clock)
{
	const char *const names[] = { "one", "two", NULL };
	struct lkst_catalog *c;
	struct make_trace *t;
	char path[128];
	int i;

	begin();
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		c = make_catalog();
		c->uuid[0] = (u8)i;
		c->clock_offset_ns += (u64)i * MS;
		t = make_begin(path, c, 4096);
		CHECK_EQ(make_text(t, "sched_switch ns=1000 next_tid=5\n"), 0);
		CHECK_EQ(make_end(t), 0);
	}
	CHECK_EQ(make_hosts_open(&e, dir, names, &hosts), 0);
	CHECK_EQ(hosts.list[0].offset_ns, hosts.list[1].offset_ns);
	CHECK(hosts.list[1].bound.is_bounded);
	CHECK_EQ(hosts.list[1].bound.error_ns, 0);
	CHECK_STR(hosts.list[0].name, "testhost");
	CHECK_STR(hosts.list[1].name, "testhost:2");
	end();
}

TEST(hosts_are_found_in_a_directory_that_has_them_all)
{
	struct lkst_recording_list r = {};
	char path[128], *paths[] = { path };

	begin();
	add(web, "sched_switch ns=1000 next_tid=5\n");
	make_host(dir, "web1", 0, 0, web);
	make_host(dir, "db1", 0, 0, web);
	make_write(dir, "README", "not a trace", 11);
	snprintf(path, sizeof(path), "%s", dir);
	CHECK_EQ(lkst_recording_list_find(&e, paths, 1, &r), 0);
	CHECK_EQ(r.nr, 2);
	lkst_recording_list_fini(&r);
	/* One trace by itself is one recording. */
	snprintf(path, sizeof(path), "%s/web1", dir);
	CHECK_EQ(lkst_recording_list_find(&e, paths, 1, &r), 0);
	CHECK_EQ(r.nr, 1);
	CHECK_EQ(r.list[0].nr, 1);
	lkst_recording_list_fini(&r);
	end();
}

static const struct unit_test tests[] = {
	{ "hosts_messages_find_the_skew_and_how_far_that_is_right",
	  test_hosts_messages_find_the_skew_and_how_far_that_is_right },
	{ "hosts_no_packet_is_received_before_it_was_sent",
	  test_hosts_no_packet_is_received_before_it_was_sent },
	{ "hosts_clocks_that_are_kept_right_bound_each_other",
	  test_hosts_clocks_that_are_kept_right_bound_each_other },
	{ "hosts_a_clock_that_is_said_to_be_off_by_nothing_bounds_nothing",
	  test_hosts_a_clock_that_is_said_to_be_off_by_nothing_bounds_nothing },
	{ "hosts_the_state_says_better_what_time_it_was_than_the_metadata",
	  test_hosts_the_state_says_better_what_time_it_was_than_the_metadata },
	{ "hosts_of_which_nothing_is_known_say_so", test_hosts_of_which_nothing_is_known_say_so },
	{ "hosts_without_a_time_of_day_are_refused_or_placed_by_messages",
	  test_hosts_without_a_time_of_day_are_refused_or_placed_by_messages },
	{ "hosts_packets_that_are_seen_again_do_not_mislead",
	  test_hosts_packets_that_are_seen_again_do_not_mislead },
	{ "hosts_packets_that_pass_bridges_on_both_sides_do_not_mislead",
	  test_hosts_packets_that_pass_bridges_on_both_sides_do_not_mislead },
	{ "hosts_a_sample_of_many_messages_has_the_same_ones_of_both",
	  test_hosts_a_sample_of_many_messages_has_the_same_ones_of_both },
	{ "hosts_of_one_boot_have_one_clock", test_hosts_of_one_boot_have_one_clock },
	{ "hosts_are_found_in_a_directory_that_has_them_all",
	  test_hosts_are_found_in_a_directory_that_has_them_all },
};

UNIT_MAIN(tests)
