// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * print/text: lines for people, word by word.
 */
#include "lib/unit.h"
#include "lib/view_fixture.h"

#include "trace/read/reader.h"

#define HEAD "12:14:05.123456789 [001]    1234/bash            "

/* One line of the view without its columns, and one with. */
static const char *tail(const char *line)
{
	const char *text = fixture_one(f, &lkst_view_text, line);
	size_t length = strlen(HEAD);

	if (strncmp(text, HEAD, length))
		return text;
	return text + length;
}

/* What a switch says of where the thread is, if that is nothing. */
#define NOWHERE " prev_call=-1 prev_where=unknown prev_flags=0 prev_args=[]\n"

TEST(text_prints_a_switch)
{
	CHECK_STR(fixture_one(f, &lkst_view_text,
			      "sched_switch next_tid=567 prev_state=1 prev_prio=120 next_prio=120"),
		  HEAD "sched_switch: next=567/cc1 prev_state=S prev_prio=120 next_prio=120" NOWHERE);
}

TEST(text_prints_system_calls)
{
	CHECK_STR(tail("syscall_entry_openat dirfd=-100 path=0x7ffe00 path_str=\"/etc/passwd\" "
		       "flags=0x80002"),
		  "openat(AT_FDCWD, \"/etc/passwd\", O_RDWR|O_CLOEXEC)\n");
	CHECK_STR(tail("syscall_entry_openat dirfd=5 path=0x7ffe00 flags=0x241 mode=0x1a4"),
		  "openat(5, 0x7ffe00, O_WRONLY|O_CREAT|O_TRUNC, 0644)\n");
	CHECK_STR(tail("syscall_exit_openat ret=3"), "openat() = 3\n");
	CHECK_STR(tail("syscall_exit_openat ret=-2 path_str=\"/late\""),
		  "openat() = -1 ENOENT (No such file or directory) path=\"/late\"\n");
	CHECK_STR(tail("syscall_entry_mmap length=4096 prot=3 flags=0x22 fd=-1"),
		  "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n");
	CHECK_STR(tail("syscall_exit_mmap ret=0x7f0000001000"), "mmap() = 0x7f0000001000\n");
	CHECK_STR(
		tail("syscall_entry_rename oldpath=1 newpath=2 oldpath_str=\"a\" newpath_str=\"b\""),
		"rename(\"a\", \"b\")\n");
	CHECK_STR(tail("syscall_entry_unknown nr=999 arg0=1 arg5=0xff"),
		  "syscall_entry_unknown: nr=999 arg0=0x1 arg1=0x0 arg2=0x0 arg3=0x0 arg4=0x0 "
		  "arg5=0xff\n");
}

/* As other tools show it. */
TEST(text_prints_the_number_of_a_request)
{
	CHECK_STR(tail("span_request span=7 trace_high=0x0af7651916cd43dd trace_low=0x8448eb211c80319c "
		       "parent=0xb7ad6b71"),
		  "span_request: span=7 trace=0af7651916cd43dd8448eb211c80319c parent=00000000b7ad6b71\n");
}

TEST(text_names_task_states)
{
	static const char *const cases[][2] = {
		{ "0", "R" },
		{ "2", "D" },
		{ "4", "T" },
		{ "8", "t" },
		{ "0x10", "X" },
		{ "0x20", "Z" },
		{ "0x40", "P" },
		{ "0x80", "x" },
		{ "0x102", "D|K" },
		{ "0x402", "I" },
		{ "0x2001", "S|F" },
		{ "0x2402", "I|F" },
		{ "0x10001", "S|0x10000" },
	};
	char line[128], want[192];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "sched_switch prev_state=%s", cases[i][0]);
		snprintf(want, sizeof(want),
			 "sched_switch: next=0/swapper prev_state=%s prev_prio=120 next_prio=120" NOWHERE,
			 cases[i][1]);
		CHECK_STR(tail(line), want);
	}
}

TEST(text_names_values)
{
	CHECK_STR(tail("softirq_entry vec=3"), "softirq_entry: vec=NET_RX\n");
	CHECK_STR(tail("softirq_entry vec=10"), "softirq_entry: vec=10\n");
	CHECK_STR(tail("page_fault_user address=0x7f00 ip=0x40 error_code=0x80000007"),
		  "page_fault_user: address=0x7f00 ip=0x40 "
		  "error_code=protection|write|user|rmp\n");
	CHECK_STR(tail("signal_generate target_tid=567 code=-6 signal=15 is_group=1"),
		  "signal_generate: target=567/cc1 code=SI_TKILL signal=SIGTERM is_group=yes "
		  "result=sent\n");
	CHECK_STR(tail("sched_process_exit exit_pid=3 exit_code=0x100 comm=\"a\" task=0x5000"),
		  "sched_process_exit: exit_pid=3 exit_code=1 comm=\"a\" task=0x5000 cgroup=0\n");
	CHECK_STR(tail("sched_process_exit exit_pid=3 exit_code=0x8b comm=\"a\" task=0x5000"),
		  "sched_process_exit: exit_pid=3 exit_code=SIGSEGV|core comm=\"a\" task=0x5000 cgroup=0\n");
	CHECK_STR(tail("hrtimer_init hrtimer=1 clock=1 mode=8"),
		  "hrtimer_init: hrtimer=0x1 clock=CLOCK_MONOTONIC mode=ABS|HARD\n");
	CHECK_STR(tail("contention_begin lock=5 flags=0x41"),
		  "contention_begin: lock=0x5 flags=SPIN|0x40 holder_is=unknown holder=0/swapper caller=0x0 "
		  "caller2=0x0 caller3=0x0 caller4=0x0 caller5=0x0\n");
	CHECK_STR(tail("mm_page_alloc pfn=0x100 gfp_flags=0xcc0 order=2 migratetype=1"),
		  "mm_page_alloc: pfn=0x100 gfp_flags=0xcc0 order=2 migratetype=movable\n");
	CHECK_STR(tail("state_loss loss_cpu=1 buffer=1 cause=0 count=4"),
		  "state_loss: loss_cpu=1 buffer=life cause=\"nested too deep\" count=4\n");
	CHECK_STR(tail("task_newtask child_tid=99 clone_flags=0x300 child_comm=\"x y\""),
		  "task_newtask: child=99/a\\nb\\x9b clone_flags=CLONE_VM|CLONE_FS child_task=0x0 "
		  "child_comm=\"x y\"\n");
}

TEST(text_names_block_requests)
{
	static const char *const cases[][2] = {
		{ "0", "R" },
		{ "0x800", "RS" },
		{ "1", "W" },
		{ "0x61801", "FWFSM" },
		{ "0x80000", "RA" },
		{ "0x40002", "FF" },
		{ "0x20002", "F|0x20000" },
		{ "9", "WZ" },
		{ "5", "DE" },
		{ "34", "op34" },
		{ "0x8801", "WS|0x8000" },
	};
	char line[128], want[128];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "block_bio_queue sector=8 dev=0x800001 flags=%s",
			 cases[i][0]);
		snprintf(want, sizeof(want), "block_bio_queue: sector=8 dev=8:1 bytes=0 flags=%s\n",
			 cases[i][1]);
		CHECK_STR(tail(line), want);
	}
	CHECK_STR(tail("block_rq_complete rq=1 sector=8 dev=0x10300000 bytes=512 status=10"),
		  "block_rq_complete: rq=0x1 sector=8 dev=259:0 bytes=512 status=IOERR\n");
}

TEST(text_names_network_values)
{
	CHECK_STR(tail("inet_sock_set_state sk=1 local_address=0x0a000001 peer_address=0xc0a80001 "
		       "local_port=80 peer_port=9 family=2 protocol=6 old_state=1 new_state=4"),
		  "inet_sock_set_state: sk=0x1 local_address=10.0.0.1 peer_address=192.168.0.1 "
		  "local_port=80 peer_port=9 family=AF_INET protocol=TCP old_state=ESTABLISHED "
		  "new_state=FIN_WAIT1\n");
	/* Of an IPv6 address, only its end is known. */
	CHECK_STR(tail("tcp_retransmit_skb sk=1 peer_address=0xfe0001 family=10 state=12"),
		  "tcp_retransmit_skb: sk=0x1 peer_address=*:fe:1 local_port=0 peer_port=0 "
		  "family=AF_INET6 state=NEW_SYN_RECV\n");
	CHECK_STR(tail("net_dev_xmit skb=1 ifindex=2 bytes=60 result=-12"),
		  "net_dev_xmit: skb=0x1 ifindex=2 bytes=60 result=-ENOMEM\n");
	CHECK_STR(tail("netif_rx skb=1 ifindex=2 bytes=60 protocol=0x86dd queue=1"),
		  "netif_rx: skb=0x1 ifindex=2 bytes=60 protocol=IPV6 queue=1\n");
}

TEST(text_prints_every_type)
{
	CHECK_STR(tail("test_integers ua=1 sa=-1 xb=0xff sb=-2 uc=4294967295 sc=-3 "
		       "ud=18446744073709551615 sd=-4 xd=0xffff"),
		  "test_integers: ua=1 sa=-1 xa=0 ub=0 sb=-2 xb=0xff uc=4294967295 sc=-3 xc=0 "
		  "ud=18446744073709551615 sd=-4 xd=0xffff\n");
	CHECK_STR(tail("test_arrays name=\"1234567\" numbers=1,2,3 wide=-1,5"),
		  "test_arrays: name=\"1234567\" numbers=[1,2,3] wide=[-1,5]\n");
	CHECK_STR(tail("test_text text=\"hi there\" data=\"AB\" after=7 first=\"f\" second=\"s\""),
		  "test_text: text=\"hi there\" after=7 first=\"f\" data=<4142> second=\"s\"\n");
	CHECK_STR(tail("test.stack by=-7 took=99 frames=0xffffffff81000001,2"),
		  "test.stack: by=-7/? took=99 frames=[0xffffffff81000001,0x2]\n");
	CHECK_STR(tail("test.stack took=99 frames="),
		  "test.stack: by=0/swapper took=99 frames=[]\n");
	CHECK_STR(tail("test:nothing"), "test:nothing:\n");
}

TEST(text_names_addresses_of_code)
{
	fixture_symbol(f, 0xffffffff81000100, 0x80, "do_this");
	fixture_symbol(f, 0xffffffff81000200, 0x10, "a\033\nb");
	CHECK_STR(tail("workqueue_execute_start work=1 function=0xffffffff81000100"),
		  "workqueue_execute_start: work=0x1 function=do_this\n");
	/* A lock that is a variable, and a slab cache. */
	fixture_symbol(f, 0xffffffff83000000, 32, "rtnl_mutex");
	fixture_symbol(f, 0xffff888100001000, 1, "task_struct");
	CHECK_STR(tail("spin_unlock lock=0xffffffff83000000"), "spin_unlock: lock=rtnl_mutex\n");
	CHECK_STR(tail("spin_unlock lock=0xffffffff83000020"),
		  "spin_unlock: lock=0xffffffff83000020\n");
	CHECK_STR(tail("kmem_cache_alloc call_site=0xffffffff81000105 ptr=0 "
		       "cache=0xffff888100001000 bytes=9"),
		  "kmem_cache_alloc: call_site=do_this+0x5 ptr=0x0 cache=task_struct bytes=9\n");
	CHECK_STR(
		tail("test.stack took=9 frames=0xffffffff8100017f,0xffffffff81000180,0xffffffff81000201"),
		"test.stack: by=0/swapper took=9 "
		"frames=[do_this+0x7f,0xffffffff81000180,a\\x1b\\nb+0x1]\n");
}

TEST(text_escapes_what_it_does_not_trust)
{
	CHECK_STR(tail("printk_console text=\"a\033[2J\xff\\ \""),
		  "printk_console: text=\"a\\x1b[2J\\xff\\\\ \"\n");
	fixture_begin(f, &lkst_view_text, LKST_VIEW_DAY);
	fixture_print(f, "softirq_exit vec=0 cpu=4096 tid=99 ns=100000000000");
	fixture_print(f, "softirq_exit vec=0 cpu=0 tid=4000001 ns=100000000000");
	fixture_print(f, "softirq_exit vec=0 cpu=0 tid=0 ns=100000000000");
	CHECK_STR(fixture_end(f),
		  "12:14:05.000000000 [4096]      99/a\\nb\\x9b        softirq_exit: vec=HI\n"
		  "12:14:05.000000000 [000] 4000001/?               softirq_exit: vec=HI\n"
		  "12:14:05.000000000 [000]       0/swapper         softirq_exit: vec=HI\n");
}

/* A string longer than the room that a line has. */
TEST(text_prints_long_strings)
{
	enum { LENGTH = 2000 };
	char line[3000];
	const char *got;
	int n, i;

	n = snprintf(line, sizeof(line), "printk_console text=\"");
	memset(line + n, 1, LENGTH);
	line[n + LENGTH] = '"';
	line[n + LENGTH + 1] = 0;
	got = tail(line);
	CHECK(!strncmp(got, "printk_console: text=\"", 22));
	for (i = 0; i < LENGTH; i++)
		CHECK(!memcmp(got + 22 + 4 * i, "\\x01", 4));
	CHECK_STR(got + 22 + 4 * LENGTH, "\"\n");
}

TEST(text_prints_other_times)
{
	fixture_begin(f, &lkst_view_text, LKST_VIEW_MONO);
	fixture_print(f, "softirq_exit vec=1 cpu=0 tid=567 ns=100123456789");
	CHECK_STR(fixture_end(f), "     100.123456789 [000]     567/cc1             softirq_exit: "
				  "vec=TIMER\n");
	fixture_begin(f, &lkst_view_text, LKST_VIEW_REL);
	fixture_print(f, "softirq_exit vec=1 cpu=0 tid=567 ns=100123456789");
	fixture_print(f, "softirq_exit vec=1 cpu=0 tid=567 ns=98500000000");
	CHECK_STR(fixture_end(f), "       1.123456789 [000]     567/cc1             softirq_exit: "
				  "vec=TIMER\n"
				  "      -0.500000000 [000]     567/cc1             softirq_exit: "
				  "vec=TIMER\n");
}

TEST(text_shows_gaps)
{
	struct lkst_gap gap = { .cpu = 1,
				.buffer = 0,
				.from_ns = 100123456789,
				.to_ns = 100123456889,
				.events = 7,
				.blocks = 2,
				.why = "lost" };

	fixture_begin(f, &lkst_view_text, LKST_VIEW_DAY);
	f->view->gap(f->ctx, &gap);
	gap.events = gap.blocks = 0;
	gap.buffer = 9;
	f->view->gap(f->ctx, &gap);
	CHECK_STR(
		fixture_end(f),
		"12:14:05.123456789 [001]       -/-               gap: buffer=main ns=100 events=7 "
		"blocks=2 why=\"lost\"\n"
		"12:14:05.123456789 [001]       -/-               gap: buffer=9 ns=100 "
		"why=\"lost\"\n");
}

/* A thread is shown by the name it has at that moment. */
TEST(text_follows_renames)
{
	struct lkst_record r;

	fixture_begin(f, &lkst_view_text, LKST_VIEW_DAY);
	fixture_print(f, "softirq_exit vec=1 cpu=0 tid=567 ns=100000000000");
	r = fixture_record(f, "task_rename target_tid=567 newcomm=\"as\" tid=567 ns=100000000000");
	lkst_threads_feed(f->threads, &r);
	fixture_print(f, "softirq_exit vec=1 cpu=0 tid=567 ns=100000000000");
	CHECK_STR(fixture_end(f),
		  "12:14:05.000000000 [000]     567/cc1             softirq_exit: vec=TIMER\n"
		  "12:14:05.000000000 [000]     567/as              softirq_exit: vec=TIMER\n");
	fixture_thread(f, 567, "cc1", 0);
}

static const struct unit_test tests[] = {
	{ "text_prints_a_switch", test_text_prints_a_switch },
	{ "text_prints_system_calls", test_text_prints_system_calls },
	{ "text_prints_the_number_of_a_request", test_text_prints_the_number_of_a_request },
	{ "text_names_task_states", test_text_names_task_states },
	{ "text_names_values", test_text_names_values },
	{ "text_names_block_requests", test_text_names_block_requests },
	{ "text_names_network_values", test_text_names_network_values },
	{ "text_prints_every_type", test_text_prints_every_type },
	{ "text_names_addresses_of_code", test_text_names_addresses_of_code },
	{ "text_escapes_what_it_does_not_trust", test_text_escapes_what_it_does_not_trust },
	{ "text_prints_long_strings", test_text_prints_long_strings },
	{ "text_prints_other_times", test_text_prints_other_times },
	{ "text_shows_gaps", test_text_shows_gaps },
	{ "text_follows_renames", test_text_follows_renames },
};

UNIT_MAIN(tests)
