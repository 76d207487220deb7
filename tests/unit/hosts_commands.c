/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The commands that read several hosts' traces, as a user runs them, on hosts whose clocks are known to be wrong.
 */
#include "hosts/reading.h"
#include "lib/make_hosts.h"
#include "lib/run_command.h"
#include "lib/unit.h"
#include "sql/query/sql.h"

enum { MS = 1000000 };

#define PACKET(way, ns, tid, cpu, from, to, number)                                                \
	"packet_" way " ns=" ns " tid=" tid " cpu=" cpu " source_address=0x0a00000" from           \
	" destination_address=0x0a00000" to " source_port=" from "000 destination_port=" to        \
	"000 family=2 ip_protocol=6 sequence=" number " acknowledgement=7 bytes=64\n"

/*
 * A client (thread 5 of web1) sends a request at 10.1 ms, waits for the answer and gets it at 19.2 ms. The server
 * (thread 5 of db1, as it happens) got it at 10.2 ms, waited for a disk until 18 ms and sent the answer at 19 ms.
 */
static const char client[] =
	"state_thread ns=0 thread_tid=5 thread_pid=5 comm=client\n"
	"state_netdev ns=0 ifindex=2 name=eth0\n"
	"sched_switch ns=9000000 cpu=1 tid=0 next_tid=5\n"
	"syscall_entry_sendto ns=10000000 cpu=1 tid=5 fd=3\n" PACKET(
		"send", "10100000", "5", "1", "1", "2",
		"100") "syscall_exit_sendto ns=10150000 cpu=1 tid=5 ret=64\n"
		       "syscall_entry_recvfrom ns=10160000 cpu=1 tid=5 fd=3\n"
		       "sched_switch ns=10200000 cpu=1 tid=5 next_tid=0 prev_state=1\n"
		       "softirq_entry ns=19190000 cpu=1 tid=0 vec=3\n"
		       "netif_receive_skb ns=19199000 cpu=1 tid=0 skb=0x77 ifindex=2 bytes=116\n" PACKET(
			       "receive", "19200000", "0", "1", "2", "1",
			       "200") "sched_waking ns=19210000 cpu=1 tid=0 target_tid=5 target_cpu=1\n"
				      "sched_wakeup ns=19211000 cpu=1 tid=0 target_tid=5 target_cpu=1\n"
				      "softirq_exit ns=19220000 cpu=1 tid=0 vec=3\n"
				      "sched_switch ns=19230000 cpu=1 tid=0 next_tid=5\n"
				      "syscall_exit_recvfrom ns=19300000 cpu=1 tid=5 ret=64\n"
				      "sched_switch ns=20000000 cpu=1 tid=5 next_tid=0 prev_state=1\n";

static const char server[] =
	"state_thread ns=0 thread_tid=5 thread_pid=5 comm=server\n"
	"state_disk ns=0 dev=0x800000 name=sda\n"
	"sched_switch ns=9000000 cpu=0 tid=0 next_tid=5\n"
	"syscall_entry_recvfrom ns=9100000 cpu=0 tid=5 fd=4\n"
	"sched_switch ns=9200000 cpu=0 tid=5 next_tid=0 prev_state=1\n"
	"softirq_entry ns=10190000 cpu=0 tid=0 vec=3\n" PACKET(
		"receive", "10200000", "0", "0", "1", "2",
		"100") "sched_waking ns=10210000 cpu=0 tid=0 target_tid=5 target_cpu=0\n"
		       "sched_wakeup ns=10211000 cpu=0 tid=0 target_tid=5 target_cpu=0\n"
		       "softirq_exit ns=10220000 cpu=0 tid=0 vec=3\n"
		       "sched_switch ns=10300000 cpu=0 tid=0 next_tid=5\n"
		       "syscall_exit_recvfrom ns=10310000 cpu=0 tid=5 ret=64\n"
		       "syscall_entry_pread64 ns=10400000 cpu=0 tid=5 fd=5\n"
		       "block_rq_insert ns=10410000 cpu=0 tid=5 dev=0x800000 rq=0x99 sector=8 bytes=4096 flags=0\n"
		       "block_rq_issue ns=10420000 cpu=0 tid=5 dev=0x800000 rq=0x99 sector=8 bytes=4096 flags=0\n"
		       "sched_switch ns=10500000 cpu=0 tid=5 next_tid=0 prev_state=2\n"
		       "softirq_entry ns=17990000 cpu=0 tid=0 vec=4\n"
		       "block_rq_complete ns=18000000 cpu=0 tid=0 dev=0x800000 rq=0x99 sector=8 bytes=4096\n"
		       "sched_waking ns=18010000 cpu=0 tid=0 target_tid=5 target_cpu=0\n"
		       "sched_wakeup ns=18011000 cpu=0 tid=0 target_tid=5 target_cpu=0\n"
		       "softirq_exit ns=18020000 cpu=0 tid=0 vec=4\n"
		       "sched_switch ns=18030000 cpu=0 tid=0 next_tid=5\n"
		       "syscall_exit_pread64 ns=18100000 cpu=0 tid=5 ret=4096\n"
		       "syscall_entry_sendto ns=18900000 cpu=0 tid=5 fd=4\n" PACKET(
			       "send", "19000000", "5", "0", "2", "1",
			       "200") "syscall_exit_sendto ns=19050000 cpu=0 tid=5 ret=64\n"
				      "sched_switch ns=20000000 cpu=0 tid=5 next_tid=0 prev_state=1\n";

static char dir[64];

#define RUN(name, words) run_command(&lkst_cmd_##name, dir, words)

/* web1 and db1, whose clock is ahead by 40 ms, and whose monotonic clock is another one. */
static void make(void)
{
	setenv("TZ", "UTC", 1);
	make_scratch(dir);
	make_host(dir, "web1", 0, 1000000000, client);
	make_host(dir, "db1", 40 * MS, 5000 * 1000000000ULL, server);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		nr++;
	}
	return nr;
}

static bool comes_before(const char *a, const char *b)
{
	const char *first = strstr(output, a), *second = strstr(output, b);

	return first && second && first < second;
}

TEST(hosts_print_has_one_order_of_time_and_each_its_own_threads)
{
	make();
	CHECK_EQ(RUN(print, "web1 db1"), 0);
	/* The ways took 100 and 200 us, 300 in all: as seen from web1 both took 150. */
	CHECK(comes_before(
		"22:13:20.010100000 web1 [001]       5/client          packet_send:",
		"22:13:20.010250000 db1  [000]       0/swapper         packet_receive:"));
	CHECK(comes_before(
		"22:13:20.019050000 db1  [000]       5/server          packet_send:",
		"22:13:20.019200000 web1 [001]       0/swapper         packet_receive:"));
	/* State is no record of a moment. */
	CHECK_EQ(count(output, "\n"), count(client, "\n") + count(server, "\n") -
					      count(client, "state_") - count(server, "state_"));
	CHECK_EQ(RUN(print, "web1 db1 --format json --event packet_*"), 0);
	CHECK_EQ(count(output, "{\"host\":\"web1\",\"ns\":"), 2);
	CHECK_EQ(count(output, "{\"host\":\"db1\",\"ns\":"), 2);
	CHECK_EQ(run_command(&lkst_cmd_print, dir,
			     "web1 db1 --format csv --brief --event packet_*"),
		 0);
	CHECK_EQ(count(output, ",\"web1\","), 2);
	CHECK_EQ(RUN(print, "web1 db1 --format flight"), -EINVAL);
	/* The directory that has both is the same. */
	CHECK_EQ(RUN(print, ". --event packet_*"), 0);
	CHECK_EQ(count(output, "\n"), 4);
	make_scratch_remove(dir);
}

/* Also where the record of the mapping is before the time that is asked for. */
TEST(hosts_print_names_the_code_of_each)
{
	static const char mapped[] =
		"state_thread ns=0 thread_tid=5 thread_pid=5 comm=five\n"
		"mapping buffer=1 tid=5 ns=9000000 address=131072 length=4096 offset=0 inode=6 ctime=1 dev=8 "
		"owner_pid=5 file=\"/lib/libx.so\"\n"
		"test.user cpu=0 tid=5 ns=19000000 frames=131082\n";

	setenv("TZ", "UTC", 1);
	make_scratch(dir);
	make_host(dir, "web1", 0, 1000000000, mapped);
	make_host(dir, "db1", 1 * MS, 5000 * 1000000000ULL, mapped);
	CHECK_EQ(RUN(print, "web1 db1 --event test.user"), 0);
	CHECK_EQ(count(output, "frames=[0xa[libx.so]]"), 2);
	CHECK_EQ(RUN(print, "web1 db1 --from 22:13:20.015 --event test.user"), 0);
	CHECK_EQ(count(output, "frames=[0xa[libx.so]]"), 2);
	make_scratch_remove(dir);
}

TEST(hosts_print_takes_times_and_counts_of_all_together)
{
	make();
	CHECK_EQ(run_command(&lkst_cmd_print, dir,
			     "web1 db1 --from 22:13:20.0188 --to 22:13:20.0191"),
		 0);
	CHECK_EQ(count(output, "\n"), 3);
	CHECK(!strstr(output, "web1"));
	/* The names are those of before. */
	CHECK(strstr(output, "5/server"));
	CHECK_EQ(RUN(print, "web1 db1 --last 3"), 0);
	CHECK_EQ(count(output, "\n"), 3);
	CHECK(strstr(output, "db1") && strstr(output, "web1"));
	CHECK_EQ(RUN(print, "web1 db1 --first 4 --event sched_switch"), 0);
	CHECK_EQ(count(output, "\n"), 4);
	CHECK_EQ(RUN(print, "web1 db1 --from +1100us --to +1149us"), 0);
	CHECK_EQ(count(output, "\n"), 1);
	CHECK_EQ(RUN(print, "web1 db1 --time rel --event packet_send"), 0);
	/* The first record is at 9 ms. */
	CHECK(strstr(output, "0.001100000 web1"));
	CHECK_EQ(RUN(print, "web1 db1 --from @1"), -EINVAL);
	make_scratch_remove(dir);
}

TEST(hosts_report_has_both_and_what_is_known_of_their_clocks)
{
	make();
	CHECK_EQ(RUN(report, "web1 db1 --format csv"), 0);
	CHECK(strstr(
		output,
		"host,kernel,begin_ns,end_ns,synchronised,added_ns,error_ns,packets\r\n"
		"web1,6.1.0-test,1700000000009000000,1700000000020000000,false,0,0,2\r\n"
		"db1,6.1.0-test,1700000000009050000,1700000000020050000,false,-39950000,150000,2\r\n"));
	CHECK(strstr(output, "web1,5,5,client,") || strstr(output, "web1,5,"));
	CHECK(strstr(output, "db1,5,"));
	CHECK_EQ(RUN(report, "web1 db1"), 0);
	CHECK(strstr(output, "40.0 ms taken off, right to 150 us"));
	CHECK(strstr(
		output,
		"2 packets between them were recorded on both sides; by the clocks as they were, 1 were"));
	CHECK_EQ(RUN(report, "web1 db1 --format json"), 0);
	CHECK(strstr(output, "\"host\":\"db1\""));
	CHECK_EQ(RUN(report, "web1 db1 --comm server --format csv"), 0);
	make_scratch_remove(dir);
}

TEST(hosts_analyze_measures_each)
{
	make();
	CHECK_EQ(RUN(analyze, "syscall --format csv web1 db1"), 0);
	CHECK(strstr(output, "\r\nweb1,recvfrom,1,98.3853606027987,9140000,"));
	CHECK(strstr(output, "\r\ndb1,pread64,1,84.9889624724062,7700000,"));
	/* The longest, with their common times. */
	CHECK(strstr(output, "\r\nweb1,9140000,1700000000010160000,5,client,1,recvfrom\r\n"));
	CHECK(strstr(output, "\r\ndb1,7700000,1700000000010450000,5,server,0,pread64\r\n"));
	CHECK_EQ(RUN(analyze, "syscall --list web1 db1"), -EINVAL);
	make_scratch_remove(dir);
}

TEST(hosts_sql_has_the_rows_of_all_with_their_host)
{
	char query[] =
		"select host, count(*), min(time_ns) from packet_send group by host order by host;";
	struct lkst_reading hosts = {};
	static const char *const names[] = { "web1", "db1", NULL };
	static struct lkst_out out;
	struct lkst_sql *sql = NULL;
	struct lkst_err e = {};
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	make();
	lkst_out_init_stream(&out, to);
	CHECK_EQ(make_hosts_open(&e, dir, names, &hosts), 0);
	CHECK_EQ(lkst_sql_open_reading(&e, &hosts, NULL, &sql), 0);
#define ASK(query, answer)                                                                         \
	do {                                                                                       \
		rewind(to);                                                                        \
		CHECK_EQ(lkst_sql_run(&e, sql, query, LKST_TABLE_CSV, &out), 0);                   \
		lkst_out_flush(&out);                                                              \
		fflush(to);                                                                        \
		text[ftell(to)] = 0;                                                               \
		CHECK_STR(text, answer);                                                           \
	} while (0)
	ASK(query,
	    "host,count(*),min(time_ns)\r\ndb1,1,1700000000019050000\r\nweb1,1,1700000000010100000\r\n");
	ASK("select host, tid, comm from events where event = 'packet_send' order by time_ns",
	    "host,tid,comm\r\nweb1,5,client\r\ndb1,5,server\r\n");
	ASK("select host, count(*) from events where time_ns >= 1700000000018950000 and time_ns < 1700000000019050000 "
	    "group by host",
	    "host,count(*)\r\ndb1,1\r\n");
	ASK("select count(*) from events where host = 'web1'", "count(*)\r\n15\r\n");
	ASK("select count(*) from events where host in ('db1', 'web2')", "count(*)\r\n25\r\n");
	ASK("select host, event, count(*) n from events where event like 'syscall%' group by 1, 2 having n > 1",
	    "host,event,n\r\n");
	ASK("select host, comm, syscall, from_ns, duration_ns from syscalls where syscall = 'recvfrom' "
	    "order by from_ns",
	    "host,comm,syscall,from_ns,duration_ns\r\n"
	    "db1,server,recvfrom,1700000000009150000,1210000\r\n"
	    "web1,client,recvfrom,1700000000010160000,9140000\r\n");
	/* Which answer belongs to which request, across hosts: how long it was on its way. */
	ASK("select s.host, r.host, r.time_ns - s.time_ns from packet_send s join packet_receive r using (sequence) "
	    "order by s.time_ns",
	    "host,host,r.time_ns - s.time_ns\r\nweb1,db1,150000\r\ndb1,web1,150000\r\n");
	ASK("select host, added_ns, error_ns from hosts",
	    "host,added_ns,error_ns\r\nweb1,0,0\r\ndb1,-39950000,150000\r\n");
	ASK("select time_text(min(time_ns)) from events",
	    "time_text(min(time_ns))\r\n22:13:20.009000000\r\n");
	ASK("select symbol(1, 'db1')", "\"symbol(1, 'db1')\"\r\n\r\n");
	CHECK_EQ(lkst_sql_run(&e, sql, "select symbol(1)", LKST_TABLE_CSV, &out), -EINVAL);
	CHECK_EQ(lkst_sql_run(&e, sql, "create table x(y)", LKST_TABLE_CSV, &out), -EPERM);
	lkst_sql_close(sql);
	lkst_reading_close(&hosts);
	fclose(to);
	free(text);
	make_scratch_remove(dir);
}

TEST(hosts_why_follows_a_packet_to_the_thread_of_the_host_that_sent_it)
{
	make();
	CHECK_EQ(RUN(why, "web1 db1 --worst syscall:recvfrom --brief"), 0);
	/* The disk of db1 is what the client of web1 waited for. */
	CHECK_STR(
		output,
		"web1: 5/client, 22:13:20.010160000 to 22:13:20.019300000, 9.14 ms: ran 110 us, ready 20.0 us, blocked "
		"9.01 ms\n"
		"+40.0 us  9.01 ms   blocked in recvfrom(), until a packet came in on eth0\n"
		"+8.89 ms  150 us      db1: 5/server: packet of 64 bytes sent from 10.0.0.2:2000; the two clocks agree "
		"to "
		"150 us\n"
		"+190 us   200 us        ran on CPU 0\n"
		"+390 us   7.51 ms       blocked in pread64(), until disk sda had done a request\n"
		"+300 us   7.59 ms         read of 4 KiB at sector 8 of disk sda, of it 10.0 us before the driver had "
		"it, "
		"requests ahead of it: 0\n"
		"+7.92 ms  970 us        ran on CPU 0\n"
		"+40.0 us  7.88 ms       3 shorter stretches: ready 110 us, blocked 60.0 us\n"
		"+0 ns     9.14 ms   3 shorter stretches: ran 110 us, ready 20.0 us\n");
	CHECK_EQ(RUN(why, "web1 db1 --worst syscall:recvfrom --format json"), 0);
	CHECK_EQ(count(output, "\"host\":\"db1\""), 6);
	/* On one clock: what the client waited for, and the packet that was sent, 150 us before it came. */
	CHECK(strstr(output, "\"from_ns\":1700000000010160000,\"to_ns\":1700000000019300000"));
	CHECK(strstr(output, "\"kind\":\"packet\",\"from_ns\":1700000000019050000,\"to_ns\":1700000000019200000"));
	CHECK(strstr(output, "{\"ns\":1700000000019050000,\"cpu\":0,\"tid\":5,\"event\":\"packet_send\"}"));
	CHECK_EQ(run_command(&lkst_cmd_why, dir,
			     "web1 db1 --worst syscall:recvfrom --depth 0 --brief"),
		 0);
	CHECK(strstr(output, "not followed further (--depth)"));
	/* The same thread number is another thread on the other host. */
	CHECK_EQ(RUN(why, "web1 db1 --tid 5 --host db1 --brief"), 0);
	CHECK(!strncmp(output, "db1: 5/server, ", 15));
	CHECK_EQ(RUN(why, "web1 db1 --tid 5"), -EINVAL);
	CHECK_EQ(RUN(why, "web1 db1 --tid 5 --host db2"), -ENOENT);
	CHECK_STR(message, "no trace is of a host \"db2\": there are web1, db1");
	CHECK_EQ(RUN(why, "web1 db1 --tid 5 --host db1 --journal"), -EINVAL);
	CHECK_STR(message, "--journal is for the trace of one host");
	make_scratch_remove(dir);
}

/* The page has the files of both, by names that say nothing of how the hosts are called. */
TEST(hosts_view_writes_the_files_of_each)
{
	size_t length;
	char *page;

	make();
	make_host(dir, "a\"><b>", 0, 0, client);
	CHECK_EQ(RUN(view, "web1 db1 a\"><b> --output both.html"), 0);
	CHECK_STR(message, "");
	page = make_read(dir, "both.html", &length);
	CHECK_EQ(count(page, "data-name=\"host1/metadata\""), 1);
	CHECK_EQ(count(page, "data-name=\"host2/metadata\""), 1);
	CHECK_EQ(count(page, "data-name=\"host3/metadata\""), 1);
	CHECK_EQ(count(page, "data-name=\"host2/main."), 1);
	CHECK_EQ(count(page, "name=\"trace\" content=\"web1%2C%20db1%2C%20a%22%3E%3Cb%3E\""), 1);
	free(page);
	make_scratch_remove(dir);
}

TEST(hosts_check_and_lint_look_at_each)
{
	make();
	CHECK_EQ(RUN(check, "web1 db1"), 0);
	CHECK(comes_before("web1:\n", "17 records in "));
	CHECK(comes_before("db1:\n", "27 records in "));
	CHECK_EQ(RUN(lint, "web1 db1"), 0);
	CHECK(comes_before("web1:\n0 found\n", "db1:\n0 found\n"));
	/* A name is anything. */
	make_host(dir, "a\033[7mb", 0, 0, client);
	CHECK_EQ(RUN(check, "a\033[7mb db1"), 0);
	CHECK(!strchr(output, '\033') && strstr(output, "[7mb:\n"));
	CHECK_EQ(RUN(lint, "a\033[7mb db1"), 0);
	CHECK(!strchr(output, '\033') && strstr(output, "[7mb:\n"));
	/* A trace that is not there is not left out. */
	CHECK_EQ(RUN(check, "web1 db1 db2"), -ENOENT);
	CHECK(strstr(message, "db2"));
	/* What reads one trace refuses two hosts' as before. */
	CHECK_EQ(RUN(cut, "--from +1ms -o out ."), -EINVAL);
	CHECK(strstr(message, "of different recordings"));
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "hosts_print_has_one_order_of_time_and_each_its_own_threads",
	  test_hosts_print_has_one_order_of_time_and_each_its_own_threads },
	{ "hosts_print_names_the_code_of_each", test_hosts_print_names_the_code_of_each },
	{ "hosts_print_takes_times_and_counts_of_all_together",
	  test_hosts_print_takes_times_and_counts_of_all_together },
	{ "hosts_report_has_both_and_what_is_known_of_their_clocks",
	  test_hosts_report_has_both_and_what_is_known_of_their_clocks },
	{ "hosts_analyze_measures_each", test_hosts_analyze_measures_each },
	{ "hosts_view_writes_the_files_of_each", test_hosts_view_writes_the_files_of_each },
	{ "hosts_check_and_lint_look_at_each", test_hosts_check_and_lint_look_at_each },
	{ "hosts_sql_has_the_rows_of_all_with_their_host",
	  test_hosts_sql_has_the_rows_of_all_with_their_host },
	{ "hosts_why_follows_a_packet_to_the_thread_of_the_host_that_sent_it",
	  test_hosts_why_follows_a_packet_to_the_thread_of_the_host_that_sent_it },
};

UNIT_MAIN(tests)
