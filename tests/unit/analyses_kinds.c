// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Each analysis on a trace whose answer is known by construction; analyses.c has system calls.
 */
#include "analyses.h"

#include "lib/unit.h"

/* ---- interrupts ------------------------------------------------------------------------------ */

TEST(analysis_softirq_measures_from_the_first_request)
{
	ask("softirq_entry cpu=0 ns=900 vec=3\n"
	    "softirq_raise cpu=0 ns=1000 vec=3\n"
	    "softirq_raise cpu=0 ns=1010 vec=3\n"
	    "softirq_raise cpu=1 ns=1020 vec=3\n"
	    "softirq_raise cpu=0 ns=1025 vec=1\n"
	    "softirq_entry cpu=0 ns=1030 vec=3\n"
	    "softirq_raise cpu=0 ns=1035 vec=3\n"
	    "softirq_entry cpu=1 ns=1031 vec=3\n"
	    "softirq_entry cpu=0 ns=1040 vec=3\n",
	    "softirq");
	CHECK_EQ(value("softirq", "NET_RX", "count"), 3);
	CHECK_EQ(value("softirq", "NET_RX", "total"), 30 + 5 + 11);
	CHECK_EQ(value("softirq", "TIMER", "count"), -1);
	CHECK_EQ(nr_left_out("softirq_total", "not_over"), 1);
	CHECK_EQ(nr_left_out("softirq_total", "no_begin"), 1);
}

TEST(analysis_softirq_minds_only_gaps_of_its_cpu)
{
	ask("softirq_raise cpu=0 ns=1000 vec=3\n"
	    "softirq_raise cpu=1 ns=1000 vec=3\n"
	    "!skip cpu=1 blocks=1\n"
	    "softirq_entry cpu=0 ns=1100 vec=3\n"
	    "softirq_entry cpu=1 ns=1200 vec=3\n",
	    "softirq");
	CHECK_EQ(value("softirq", "NET_RX", "count"), 1);
	CHECK_EQ(value("softirq", "NET_RX", "total"), 100);
	CHECK_EQ(value("softirq", "NET_RX", "crossing"), 1);
}

TEST(analysis_minds_only_gaps_of_the_buffer)
{
	ask("softirq_raise buffer=14 ns=1000 vec=3\n"
	    "sched_switch buffer=15 ns=1000\n"
	    "!skip buffer=15 blocks=1\n"
	    "sched_switch buffer=15 ns=1050\n"
	    "softirq_entry buffer=14 ns=1100 vec=3\n",
	    "softirq");
	CHECK_EQ(value("softirq", "NET_RX", "count"), 1);
	CHECK_EQ(value("softirq", "NET_RX", "crossing"), 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static const char memory_text[] =
	"kfree ns=900 ptr=0x9000\n"
	"syscall_entry_mmap tid=5 ns=1000\n"
	"page_fault_user tid=5 ns=1010\n"
	"mm_page_alloc tid=5 ns=1012 pfn=77 order=2\n"
	"page_fault_exit tid=5 ns=1015 result=1024\n"
	"page_fault_exit tid=5 ns=1020\n"
	"syscall_exit_mmap tid=5 ns=1040\n"
	"kmalloc tid=5 ns=1100 call_site=0xffffffff81000010 ptr=0x1000 bytes_req=100 bytes_alloc=128\n"
	"kmalloc tid=5 ns=1101 call_site=0xffffffff81000010 ptr=0\n"
	"kmem_cache_alloc tid=5 ns=1110 call_site=0xffffffff81000020 ptr=0x2000 bytes=256\n"
	"kfree tid=6 ns=1150 ptr=0x1000\n"
	"kmem_cache_free tid=6 ns=1170 ptr=0x2000\n"
	"alloc_vmap_area tid=5 ns=1180 address=0xffffc90000000000 bytes=8192\n"
	"alloc_vmap_area tid=5 ns=1185 bytes=4096 is_failed=1\n"
	"mm_vmscan_direct_reclaim_begin tid=6 ns=1200\n"
	"mm_vmscan_direct_reclaim_end tid=6 ns=1270\n"
	"mm_vmscan_memcg_reclaim_begin tid=6 ns=1280\n"
	"mm_vmscan_memcg_reclaim_end tid=6 ns=1290\n"
	"mm_page_free tid=6 ns=1312 pfn=77 order=2\n"
	"syscall_entry_munmap tid=5 ns=1400\n"
	"syscall_exit_munmap tid=5 ns=1409\n";

TEST(analysis_memalloc_measures_time_and_sizes)
{
	ask(memory_text, "memalloc");
	/* Less the fault in it. */
	CHECK_EQ(value("memalloc", "mmap", "total"), 40 - 10);
	CHECK_EQ(value("memalloc", "page_fault_user", "total"), 10);
	CHECK_EQ(value("memalloc", "direct_reclaim", "total"), 70);
	CHECK_EQ(value("memalloc", "cgroup_reclaim", "total"), 10);
	CHECK_EQ(value("memalloc_total", "all", "count"), 4);
	CHECK_EQ(value("memalloc_total", "all", "total"), 40 + 70 + 10);
	CHECK_EQ(value("memalloc_slab", "kmalloc:0xffffffff81000010", "count"), 1);
	CHECK_EQ(value("memalloc_slab", "kmalloc:0xffffffff81000010", "total"), 100);
	CHECK_EQ(value("memalloc_slab", "cache:0xffffffff81000020", "total"), 256);
	CHECK_EQ(value("memalloc_slab_total", "all", "total"), 356);
	CHECK_EQ(nr_left_out("memalloc_slab_total", "failed"), 1);
	/* Slabs are made of pages: no sum of both. */
	CHECK_EQ(value("memalloc_pages", "pages:order=2", "total"), 16384);
	CHECK_EQ(value("memalloc_pages_total", "all", "total"), 16384);
	CHECK_EQ(value("memalloc_vmalloc_total", "all", "total"), 8192);
	CHECK_EQ(nr_left_out("memalloc_vmalloc_total", "failed"), 1);
}

TEST(analysis_memfree_measures_time_and_lives)
{
	ask(memory_text, "memfree");
	CHECK_EQ(value("memfree", "munmap", "total"), 9);
	CHECK_EQ(value("memfree_life", "kmalloc:0xffffffff81000010", "total"), 50);
	CHECK_EQ(value("memfree_life", "cache:0xffffffff81000020", "total"), 60);
	CHECK_EQ(value("memfree_life", "pages:order=2", "total"), 300);
	CHECK_EQ(value("memfree_life_total", "all", "count"), 3);
	CHECK_EQ(nr_left_out("memfree_life_total", "no_begin"), 1);
	CHECK_EQ(nr_left_out("memfree_life_total", "failed"), 1);
	CHECK_EQ(nr_left_out("memfree_total", "no_begin"), 0);
}

/* ---- disks and network ----------------------------------------------------------------------- */

static const char block_text[] =
	"state_disk dev=0x800000 name=\"sd a\"\n"
	"block_rq_complete ns=900 rq=0x9 dev=0x800000 bytes=512\n"
	"block_rq_insert tid=5 ns=1000 rq=0x1 dev=0x800000 bytes=4096 flags=0\n"
	"block_rq_insert tid=5 ns=1010 rq=0x2 dev=0x800000 bytes=4096 flags=0x801\n"
	"block_rq_issue tid=6 ns=1020 rq=0x1 dev=0x800000 bytes=4096 flags=0\n"
	/* Past the scheduler, to another disk. */
	"block_rq_issue tid=6 ns=1025 rq=0x3 dev=0x900001 bytes=0 flags=2\n"
	"block_rq_issue tid=6 ns=1040 rq=0x2 dev=0x800000 bytes=4096 flags=0x801\n"
	/* In two parts. */
	"block_rq_complete ns=1050 rq=0x1 dev=0x800000 bytes=1024\n"
	"block_rq_complete ns=1070 rq=0x1 dev=0x800000 bytes=3072\n"
	"block_rq_complete ns=1080 rq=0x3 dev=0x900001 bytes=0\n"
	"block_rq_complete ns=1100 rq=0x2 dev=0x800000 bytes=4096\n"
	"block_rq_insert tid=5 ns=1200 rq=0x1 dev=0x800000 bytes=512 flags=0\n";

TEST(analysis_biotime_measures_issue_to_the_last_completion)
{
	ask(block_text, "biotime");
	CHECK_EQ(value("biotime", "sd_a:read", "total"), 50);
	CHECK_EQ(value("biotime", "sd_a:write", "total"), 60);
	CHECK_EQ(value("biotime", "9,1:flush", "total"), 55);
	CHECK_EQ(value("biotime_total", "all", "count"), 3);
	CHECK_STR(list(block_text, "biotime"),
		  "sd_a:read 6 1020 50 0|9,1:flush 6 1025 55 0|sd_a:write 6 1040 60 0|");
}

TEST(analysis_bioqueue_measures_depth_and_wait)
{
	ask(block_text, "bioqueue");
	CHECK_EQ(value("bioqueue_wait", "sd_a:read", "total"), 20);
	CHECK_EQ(value("bioqueue_wait", "sd_a:write", "total"), 30);
	CHECK_EQ(value("bioqueue", "sd_a:read", "count"), 2);
	CHECK_EQ(value("bioqueue", "sd_a:read", "max"), 1);
	CHECK_EQ(value("bioqueue", "sd_a:write", "max"), 2);
	CHECK_EQ(value("bioqueue", "9,1:flush", "max"), 1);
	CHECK_STR(list(block_text, "bioqueue"), "sd_a:read 5 1000 1 0|sd_a:write 5 1010 2 0|"
						"9,1:flush 6 1025 1 0|sd_a:read 5 1200 1 0|");
}

/* One request becomes part of another, and that one is refused twice. */
static const char changes_text[] =
	"block_rq_insert ns=1000 rq=0x1 dev=0x800000 bytes=4096 flags=1\n"
	"block_rq_insert ns=1010 rq=0x2 dev=0x800000 bytes=4096 flags=1\n"
	"block_rq_merge ns=1020 rq=0x2 dev=0x800000 bytes=4096 flags=1\n"
	"block_rq_insert ns=1030 rq=0x3 dev=0x800000 bytes=4096 flags=0\n"
	"block_rq_issue ns=1100 rq=0x1 dev=0x800000 bytes=8192 flags=1\n"
	"block_rq_requeue ns=1110 rq=0x1 dev=0x800000 bytes=8192 flags=1\n"
	"block_rq_insert ns=1112 rq=0x1 dev=0x800000 bytes=8192 flags=1\n"
	/* Not even issued. */
	"block_rq_requeue ns=1120 rq=0x1 dev=0x800000 bytes=8192 flags=1\n"
	"block_rq_issue ns=1150 rq=0x1 dev=0x800000 bytes=8192 flags=1\n"
	"block_rq_insert ns=1160 rq=0x4 dev=0x800000 bytes=4096 flags=0\n"
	"block_rq_complete ns=1200 rq=0x1 dev=0x800000 bytes=8192\n"
	/* The slot of the merged one is used again. */
	"block_rq_insert ns=1300 rq=0x2 dev=0x800000 bytes=4096 flags=0\n";

TEST(analysis_biotime_measures_all_tries_of_a_request)
{
	ask(changes_text, "biotime");
	CHECK_EQ(value("biotime", "8,0:write", "count"), 1);
	CHECK_EQ(value("biotime", "8,0:write", "total"), 1200 - 1100);
	CHECK_EQ(value("biotime_requeues", "8,0:write", "requeued"), 2);
	CHECK_EQ(nr_left_out("biotime_total", "no_end"), 0);
}

TEST(analysis_bioqueue_knows_merges_and_requeues)
{
	ask(changes_text, "bioqueue");
	/* Two, three; two as the merged one is gone; three, and two as the first is done. */
	CHECK_STR(list(changes_text, "bioqueue"),
		  "8,0:write 0 1000 1 0|8,0:write 0 1010 2 0|8,0:read 0 1030 2 0|"
		  "8,0:read 0 1160 3 0|8,0:read 0 1300 3 0|");
	ask(changes_text, "bioqueue");
	CHECK_EQ(value("bioqueue_wait", "8,0:write", "count"), 2);
	CHECK_EQ(value("bioqueue_wait", "8,0:write", "total"), 100 + 40);
	CHECK_EQ(nr_left_out("bioqueue_wait_total", "merged"), 1);
	CHECK_EQ(nr_left_out("bioqueue_wait_total", "not_over"), 3);
	CHECK_EQ(nr_left_out("bioqueue_total", "not_over"), 0);
	CHECK_EQ(value("bioqueue_changes", "8,0:write", "requeued"), 2);
	CHECK_EQ(value("bioqueue_changes", "8,0:write", "merged"), 1);
}

TEST(analysis_bioqueue_forgets_in_a_gap)
{
	ask("block_rq_insert cpu=0 ns=1000 rq=0x1 dev=0x800000 bytes=4096 flags=1\n"
	    "block_rq_issue cpu=0 ns=1010 rq=0x1 dev=0x800000 bytes=4096 flags=1\n"
	    "block_rq_insert cpu=0 ns=1020 rq=0x2 dev=0x800000 bytes=4096 flags=1\n"
	    "!skip cpu=0 blocks=1\n"
	    "block_rq_insert cpu=0 ns=2000 rq=0x3 dev=0x800000 bytes=4096 flags=1\n"
	    "block_rq_issue cpu=0 ns=2010 rq=0x3 dev=0x800000 bytes=4096 flags=1\n",
	    "bioqueue");
	CHECK_EQ(value("bioqueue_worst", "2", "time"), 1020);
	CHECK_EQ(value("bioqueue_wait", "8,0:write", "count"), 2);
	CHECK_EQ(nr_left_out("bioqueue_wait_total", "gap"), 1);
	CHECK_EQ(value("bioqueue", "8,0:write", "mean"), 100 * (1 + 2 + 1) / 3);
}

static const char net_text[] = "state_netdev ifindex=2 name=eth0\n"
			       "net_dev_queue ns=1000 skb=0x1 ifindex=2 bytes=1500\n"
			       "net_dev_queue ns=1005 skb=0x2 ifindex=2 bytes=60\n"
			       /* Busy: it stays with the queue. */
			       "net_dev_xmit ns=1010 skb=0x1 ifindex=2 bytes=1500 result=16\n"
			       "net_dev_xmit ns=1030 skb=0x1 ifindex=2 bytes=1500 result=0\n"
			       "net_dev_xmit ns=1040 skb=0x2 ifindex=2 bytes=60 result=0\n"
			       "netif_rx ns=1100 skb=0x3 ifindex=1 bytes=84\n"
			       "netif_receive_skb ns=1108 skb=0x3 ifindex=1 bytes=84\n"
			       "netif_receive_skb ns=1120 skb=0x4 ifindex=2 bytes=1000\n";

TEST(analysis_nettime_measures_queues)
{
	ask(net_text, "nettime");
	CHECK_EQ(value("nettime", "eth0:send", "count"), 2);
	CHECK_EQ(value("nettime", "eth0:send", "total"), 30 + 35);
	CHECK_EQ(value("nettime", "interface1:receive", "total"), 8);
	CHECK_EQ(value("nettime", "eth0:receive", "count"), -1);
	CHECK_EQ(nr_left_out("nettime_total", "no_queue"), 1);
}

TEST(analysis_netsize_measures_packets)
{
	ask(net_text, "netsize");
	CHECK_EQ(value("netsize", "eth0:send", "count"), 2);
	CHECK_EQ(value("netsize", "eth0:send", "total"), 1560);
	CHECK_EQ(value("netsize", "eth0:send", "max"), 1500);
	CHECK_EQ(value("netsize", "eth0:receive", "total"), 1000);
	CHECK_EQ(value("netsize", "interface1:receive", "total"), 84);
}

/* ---- locks ----------------------------------------------------------------------------------- */

TEST(analysis_lockwait_measures_by_lock_and_kind)
{
	ask("contention_begin tid=5 ns=1000 lock=0xffffffff82000000 flags=33\n"
	    "contention_begin tid=5 ns=1010 lock=0xffffffff82000040 flags=1\n"
	    "contention_end tid=5 ns=1015 lock=0xffffffff82000040\n"
	    /* The same mutex, now asleep: one wait. */
	    "contention_begin tid=5 ns=1020 lock=0xffffffff82000000 flags=32\n"
	    "contention_begin tid=6 cpu=1 ns=1030 lock=0xffffffff82000000 flags=32\n"
	    "contention_end tid=5 ns=1060 lock=0xffffffff82000000\n"
	    "contention_end tid=6 cpu=1 ns=1075 lock=0xffffffff82000000\n"
	    "contention_begin tid=0 ns=1100 lock=0xffffffff82000080 flags=3\n"
	    "contention_begin tid=0 cpu=1 ns=1101 lock=0xffffffff82000080 flags=5\n"
	    "contention_end tid=0 ns=1110 lock=0xffffffff82000080\n"
	    "contention_end tid=0 cpu=1 ns=1120 lock=0xffffffff82000080\n",
	    "lockwait");
	CHECK_EQ(value("lockwait", "mutex:0xffffffff82000000", "count"), 2);
	/* The first one less the wait for the spin lock in it. */
	CHECK_EQ(value("lockwait", "mutex:0xffffffff82000000", "total"), 60 - 5 + 45);
	CHECK_EQ(value("lockwait_total", "all", "total"), 60 + 45 + 10 + 19);
	CHECK_EQ(value("lockwait", "spinlock:0xffffffff82000040", "total"), 5);
	CHECK_EQ(value("lockwait", "readlock:0xffffffff82000080", "total"), 10);
	CHECK_EQ(value("lockwait", "writelock:0xffffffff82000080", "total"), 19);
}

TEST(analysis_lockhold_measures_take_to_release)
{
	ask("spin_unlock cpu=0 ns=900 lock=0xffffffff82000000\n"
	    "spin_lock cpu=0 tid=5 ns=1000 lock=0xffffffff82000000\n"
	    "spin_lock cpu=0 tid=5 ns=1005 lock=0xffffffff82000040\n"
	    "spin_unlock cpu=0 tid=5 ns=1015 lock=0xffffffff82000040\n"
	    "spin_unlock cpu=0 tid=5 ns=1030 lock=0xffffffff82000000\n"
	    /* Another has it: held only after the wait. */
	    "spin_lock cpu=1 tid=6 ns=1100 lock=0xffffffff82000000\n"
	    "contention_begin cpu=1 tid=6 ns=1101 lock=0xffffffff82000000 flags=1\n"
	    "contention_end cpu=1 tid=6 ns=1150 lock=0xffffffff82000000\n"
	    "spin_unlock cpu=1 tid=6 ns=1160 lock=0xffffffff82000000\n"
	    /* Tried in vain, then got. */
	    "spin_trylock cpu=0 tid=5 ns=1200 lock=0xffffffff82000000\n"
	    "spin_trylock cpu=0 tid=5 ns=1300 lock=0xffffffff82000000\n"
	    "spin_unlock cpu=0 tid=5 ns=1304 lock=0xffffffff82000000\n"
	    "write_lock cpu=0 tid=5 ns=1400 lock=0xffffffff82000080\n"
	    "write_unlock cpu=0 tid=5 ns=1433 lock=0xffffffff82000080\n",
	    "lockhold");
	CHECK_EQ(value("lockhold", "spinlock:0xffffffff82000000", "count"), 3);
	CHECK_EQ(value("lockhold", "spinlock:0xffffffff82000000", "total"), 30 + 10 + 4);
	CHECK_EQ(value("lockhold", "spinlock:0xffffffff82000040", "total"), 10);
	CHECK_EQ(value("lockhold", "writelock:0xffffffff82000080", "total"), 33);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* As a recording has them: after the records. */
static const char symbols_text[] =
	"state_irq ns=5000 irq=7 name=\"eth 0\"\n"
	"state_symbol ns=5000 address=0xffffffff81000000 bytes=16 name=\"_raw_spin_lock\"\n"
	"state_symbol ns=5000 address=0xffffffff81000010 bytes=16 name=\"do_this\"\n"
	"state_symbol ns=5000 address=0xffffffff81000020 bytes=16 name=\"do_that[mod]\"\n"
	"state_symbol ns=5000 address=0xffffffff81000030 bytes=16 name=\"__traceiter_x\"\n"
	"state_symbol ns=5000 address=0xffffffff82000000 bytes=32 name=\"rtnl_mutex\"\n"
	"state_symbol ns=5000 address=0xffff888100000080 bytes=1 name=\"task_struct\"\n";

static void ask_named(const char *text, const char *analysis)
{
	char all[4096];

	snprintf(all, sizeof(all), "%s%s", text, symbols_text);
	ask(all, analysis);
}

TEST(analysis_timer_names_functions_and_interrupts)
{
	ask_named("timer_expire_entry cpu=1 ns=1006 timer=0xb1 function=0xffffffff81000010 late=3\n"
		  "timer_expire_exit cpu=1 ns=1016 timer=0xb1\n"
		  "timer_expire_entry cpu=1 ns=1106 timer=0xb1 function=0xffffffff81000024 late=4\n"
		  "timer_expire_exit cpu=1 ns=1126 timer=0xb1\n"
		  "irq_handler_entry cpu=0 ns=1000 irq=7\n"
		  "irq_handler_exit cpu=0 ns=1030 irq=7\n",
		  "timer");
	CHECK_EQ(value("timer_execution", "do_this", "total"), 10);
	CHECK_EQ(value("timer_execution", "do_that+0x4[mod]", "total"), 20);
	CHECK_EQ(value("timer_execution", "irq:7:eth_0", "total"), 30);
	CHECK_EQ(value("timer_ticks", "do_this", "max"), 3);
}

TEST(analysis_memalloc_names_callers_and_caches)
{
	ask_named("kmalloc tid=5 ns=1100 call_site=0xffffffff81000014 ptr=0x1000 bytes_req=100\n"
		  "kmem_cache_alloc tid=5 ns=1110 call_site=0xffffffff81000014 ptr=0x2000 "
		  "cache=0xffff888100000080 bytes=256\n"
		  /* A cache that was destroyed before it could be named. */
		  "kmem_cache_alloc tid=5 ns=1120 call_site=0xffffffff81000014 ptr=0x3000 "
		  "cache=0xffff888100000100 bytes=8\n",
		  "memalloc");
	CHECK_EQ(value("memalloc_slab", "kmalloc:do_this+0x4", "total"), 100);
	CHECK_EQ(value("memalloc_slab", "cache:task_struct", "total"), 256);
	CHECK_EQ(value("memalloc_slab", "cache:do_this+0x4", "total"), 8);
}

TEST(analysis_lockwait_names_locks_or_who_asks)
{
	ask_named(/* A variable, whoever asks. */
		  "contention_begin tid=5 ns=1000 lock=0xffffffff82000000 flags=32 "
		  "caller=0xffffffff81000014\n"
		  "contention_end tid=5 ns=1007 lock=0xffffffff82000000\n"
		  /* Two locks that one function asks for, from two places in it. */
		  "contention_begin tid=5 ns=1100 lock=0xffff888100000000 flags=1 "
		  "caller=0xffffffff81000034 caller2=0xffffffff81000004 caller3=0xffffffff81000014\n"
		  "contention_end tid=5 ns=1110 lock=0xffff888100000000\n"
		  "contention_begin tid=5 ns=1200 lock=0xffff888100000040 flags=1 "
		  "caller=0xffffffff81000004 caller2=0xffffffff8100001f caller3=0xffffffff81000024\n"
		  "contention_end tid=5 ns=1205 lock=0xffff888100000040\n"
		  /* By nobody who is known. */
		  "contention_begin tid=5 ns=1300 lock=0xffff888100000080 flags=1 "
		  "caller=0xffffffff81000004 caller2=0xffffffff81000ff0\n"
		  "contention_end tid=5 ns=1301 lock=0xffff888100000080\n"
		  "contention_begin tid=5 ns=1400 lock=0xffff8881000000c0 flags=1\n"
		  "contention_end tid=5 ns=1403 lock=0xffff8881000000c0\n"
		  /* Without a stack: as the time before. */
		  "contention_begin tid=5 ns=1500 lock=0xffff888100000000 flags=1\n"
		  "contention_end tid=5 ns=1520 lock=0xffff888100000000\n",
		  "lockwait");
	CHECK_EQ(value("lockwait", "mutex:rtnl_mutex", "total"), 7);
	CHECK_EQ(value("lockwait", "spinlock:do_this()", "count"), 3);
	CHECK_EQ(value("lockwait", "spinlock:do_this()", "total"), 35);
	CHECK_EQ(value("lockwait", "spinlock:0xffff8881000000c0", "total"), 3);
}

TEST(analysis_lockhold_names_locks_or_who_asks)
{
	ask_named("spin_lock cpu=0 tid=5 ns=1000 lock=0xffff888100000000 caller=0xffffffff81000024\n"
		  "spin_unlock cpu=0 tid=5 ns=1015 lock=0xffff888100000000\n"
		  "write_lock cpu=0 tid=5 ns=1100 lock=0xffffffff82000010 caller=0xffffffff81000024\n"
		  "write_unlock cpu=0 tid=5 ns=1130 lock=0xffffffff82000010\n",
		  "lockhold");
	CHECK_EQ(value("lockhold", "spinlock:do_that[mod]()", "total"), 15);
	CHECK_EQ(value("lockhold", "writelock:rtnl_mutex+0x10", "total"), 30);
}

/* ---- the scheduler --------------------------------------------------------------------------- */

static const char sched_text[] =
	"sched_switch cpu=0 tid=0 ns=1000 next_tid=5 prev_state=0\n"
	"sched_waking cpu=0 tid=5 ns=1100 target_tid=6\n"
	"sched_wakeup cpu=0 tid=5 ns=1107 target_tid=6 target_cpu=0 nr_running=2\n"
	"sched_switch cpu=0 tid=5 ns=1200 next_tid=6 prev_state=1\n"
	"sched_waking cpu=1 tid=9 ns=1250 target_tid=5\n"
	"sched_wakeup cpu=0 tid=6 ns=1261 target_tid=5 target_cpu=0 nr_running=2\n"
	"sched_switch cpu=0 tid=6 ns=1300 next_tid=5 prev_state=0\n"
	"sched_switch cpu=0 tid=5 ns=1420 next_tid=6 prev_state=2\n"
	"sched_switch cpu=0 tid=6 ns=1500 next_tid=0 prev_state=1\n"
	"sched_waking cpu=1 tid=9 ns=2000 target_tid=5\n";

TEST(analysis_runqueue_measures_lengths)
{
	ask(sched_text, "runqueue");
	CHECK_EQ(value("runqueue", "cpu0", "count"), 2);
	CHECK_EQ(value("runqueue", "cpu0", "max"), 2);
	CHECK_EQ(value("runqueue", "cpu0", "mean"), 200);
	/* 2 from 1107 to 1200 and from 1261 to 1420, 1 in between and up to 1500, then 0. */
	CHECK_EQ(value("runqueue_time", "cpu0", "time"), 2000 - 1107);
	CHECK_EQ(value("runqueue_time", "cpu0", "mean"),
		 100 * (2 * (93 + 159) + 61 + 80) / (2000 - 1107));
	/* A mean of the CPUs, not how many run in all. */
	CHECK_EQ(value("runqueue_time_total", "mean_of_cpus", "time"), 2000 - 1107);
	CHECK_STR(list(sched_text, "runqueue"), "cpu0 5 1107 2 0|cpu0 6 1261 2 0|");
}

TEST(analysis_waitqueue_measures_waiters_and_sleepers)
{
	ask("add_wait_queue tid=5 ns=1000 queue=0xf0 waiter=0x1\n"
	    "prepare_to_wait_event tid=6 ns=1010 queue=0xf0 waiter=0x2\n"
	    "prepare_to_wait tid=7 ns=1015 queue=0xf1 waiter=0x3\n"
	    /* It looks again and waits on: not a second waiter. */
	    "prepare_to_wait_event tid=6 ns=1020 queue=0xf0 waiter=0x2\n"
	    "finish_wait tid=6 ns=1040 queue=0xf0 waiter=0x2\n"
	    "remove_wait_queue tid=5 ns=1050 queue=0xf0 waiter=0x1\n"
	    "finish_wait tid=5 ns=1060 queue=0xf0 waiter=0x9\n"
	    "prepare_to_wait tid=5 ns=1070 queue=0xf0 waiter=0x1\n",
	    "waitqueue");
	CHECK_EQ(value("waitqueue", "0xf0", "count"), 3);
	CHECK_EQ(value("waitqueue", "0xf0", "max"), 2);
	CHECK_EQ(value("waitqueue", "0xf1", "max"), 1);
	CHECK_EQ(value("waitqueue_time", "0xf0", "count"), 2);
	CHECK_EQ(value("waitqueue_time", "0xf0", "total"), 50 + 30);
	CHECK_EQ(nr_left_out("waitqueue_time_total", "no_begin"), 1);
	CHECK_EQ(nr_left_out("waitqueue_time_total", "not_over"), 2);

	ask(sched_text, "waitqueue");
	/* One sleeps from 1200 to 1261 and from 1500 on, another so deep from 1420 on. */
	CHECK_EQ(value("waitqueue_asleep", "interruptible", "time"), 2000 - 1200);
	CHECK_EQ(value("waitqueue_asleep", "interruptible", "mean"), 100 * (61 + 500) / 800);
	CHECK_EQ(value("waitqueue_asleep", "uninterruptible", "time"), 2000 - 1200);
	CHECK_EQ(value("waitqueue_asleep", "uninterruptible", "mean"), 100 * 580 / 800);
	CHECK_EQ(value("waitqueue_asleep", "idle", "count"), -1);
	/* All that sleep at a time: two at most, and on average as many as the kinds together. */
	CHECK_EQ(value("waitqueue_asleep_total", "all", "time"), 2000 - 1200);
	CHECK_EQ(value("waitqueue_asleep_total", "all", "max"), 2);
	CHECK_EQ(value("waitqueue_asleep_total", "all", "mean"), 100 * (61 + 500 + 580) / 800);
	CHECK_EQ(value("waitqueue_asleep", "interruptible", "share") / 100, 100 * 561 / 1141);
}

TEST(analysis_waitdelay_measures_ready_threads)
{
	ask(sched_text, "waitdelay");
	CHECK_EQ(value("waitdelay", "?:6", "total"), 100);
	CHECK_EQ(value("waitdelay", "?:5", "total"), 50);
	CHECK_EQ(value("waitdelay_preempted", "?:6", "total"), 1420 - 1300);
	CHECK_EQ(value("waitdelay_blocked_total", "all", "total"), 50 + 580);
	CHECK_STR(list(sched_text, "waitdelay"), "?:6 6 1100 100 0|?:5 5 1250 50 0|");
}

TEST(analysis_schedtime_measures_wakeups_and_yields)
{
	ask(sched_text, "schedtime");
	CHECK_EQ(value("schedtime", "wakeup:here", "total"), 7);
	CHECK_EQ(value("schedtime", "wakeup:elsewhere", "total"), 11);
	ask("syscall_entry_sched_yield tid=5 ns=1000\n"
	    "sched_switch tid=5 ns=1013 next_tid=6 prev_state=0\n"
	    "sched_switch tid=6 ns=1100 next_tid=5 prev_state=0\n"
	    "syscall_exit_sched_yield tid=5 ns=1110\n"
	    "syscall_entry_sched_yield tid=5 ns=1200\n"
	    "syscall_exit_sched_yield tid=5 ns=1210\n"
	    "sched_switch tid=5 ns=1300 next_tid=6 prev_state=0\n",
	    "schedtime");
	CHECK_EQ(nr_left_out("schedtime_total", "no_switch"), 1);
	CHECK_EQ(value("schedtime", "yield", "count"), 1);
	CHECK_EQ(value("schedtime", "yield", "total"), 13);
}

TEST(analysis_lifetime_measures_fork_to_exit)
{
	static const char text[] =
		"state_thread thread_tid=9 thread_pid=9 start_ns=600 comm=old\n"
		"state_clock monotonic_ns=10000 boottime_ns=10500 realtime_ns=1700000000000010000\n"
		"sched_process_fork tid=1 ns=1000 child_tid=5 child_pid=5\n"
		"sched_process_fork tid=1 ns=1010 child_tid=6 child_pid=6\n"
		"task_rename tid=5 ns=1020 target_tid=5 newcomm=work\n"
		"sched_process_exit tid=5 ns=1100 exit_pid=5 comm=work\n"
		"sched_process_exit tid=6 ns=1120 exit_pid=6 comm=work\n"
		/* Number 5 again. */
		"sched_process_fork tid=1 ns=1200 child_tid=5 child_pid=5\n"
		"sched_process_exit tid=5 ns=1230 exit_pid=5 comm=\"other one\"\n"
		"sched_process_exit tid=9 ns=1300 exit_pid=9 comm=old\n"
		"sched_process_exit tid=8 ns=1310 exit_pid=8 comm=older\n";

	ask(text, "lifetime");
	CHECK_EQ(value("lifetime", "work", "count"), 2);
	CHECK_EQ(value("lifetime", "work", "total"), 100 + 110);
	CHECK_EQ(value("lifetime", "other_one", "total"), 30);
	/* Created at 600 - 500 of CLOCK_MONOTONIC. */
	CHECK_EQ(value("lifetime", "old", "total"), 1200);
	CHECK_EQ(value("lifetime", "older", "count"), -1);
	CHECK_EQ(nr_left_out("lifetime_total", "no_begin"), 1);
}

TEST(analysis_procstate_sums_states)
{
	ask(sched_text, "procstate");
	CHECK_EQ(value("procstate_threads", "5", "running"), 200 + 120);
	CHECK_EQ(value("procstate_threads", "5", "ready"), 50);
	CHECK_EQ(value("procstate_threads", "5", "blocked"), 50 + 580);
	CHECK_EQ(value("procstate_threads", "5", "runs"), 2);
	CHECK_EQ(value("procstate_threads", "6", "running"), 100 + 80);
	CHECK_EQ(value("procstate_threads", "6", "ready"), 100 + 120);
	CHECK_EQ(value("procstate", "ready:preempted", "total"), 120);
	CHECK_EQ(value("procstate", "ready:woken", "total"), 150);
}

/* Where row @row of the table of ticks is: "comm, doing, function, of". */
static const char *place_at(size_t row)
{
	static char text[256];
	const struct lkst_table *t = table("ticks");
	const char *cells[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		const struct lkst_cell *cell = t && row < t->nr_rows ? lkst_table_cell(t, row, 2 + i) : NULL;

		cells[i] = cell && cell->is_set ? cell->text : "-";
	}
	snprintf(text, sizeof(text), "%s, %s, %s, %s", cells[0], cells[1], cells[2], cells[3]);
	return text;
}

/* Threads of one name are one; a call that is over, and what only the address distinguishes, are not. */
TEST(analysis_ticks_counts_by_name_and_place)
{
	static const char text[] =
		"state_symbol ns=1 address=0xffffffff81000100 bytes=256 name=vfs_read\n"
		"state_thread ns=1 thread_tid=5 thread_pid=5 comm=one\n"
		"state_thread ns=1 thread_tid=6 thread_pid=6 comm=one\n"
		"state_thread ns=1 thread_tid=7 thread_pid=7 comm=two\n"
		"sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
		"tick cpu=0 tid=5 ns=1100 where=1 call=0 ip=0xffffffff81000110\n"
		"tick cpu=0 tid=5 ns=1200 where=1 call=0 ip=0xffffffff81000120\n"
		"tick cpu=0 tid=5 ns=1300 where=1 call=0 flags=1 ip=0xffffffff81000120\n"
		"sched_switch cpu=0 tid=5 ns=1400 next_tid=6\n"
		"tick cpu=0 tid=6 ns=1500 where=1 call=0 ip=0xffffffff81000130\n"
		"sched_switch cpu=0 tid=6 ns=1600 next_tid=7\n"
		"tick cpu=0 tid=7 ns=1700 where=4 call=-1 ip=0x401000\n"
		"tick cpu=0 tid=7 ns=1800 where=4 call=-1 ip=0x402000\n"
		"tick cpu=0 tid=7 ns=1900 where=5 call=0 ip=0xffffffff81000110\n"
		"sched_switch cpu=0 tid=7 ns=2000 next_tid=0\n";

	ask(text, "ticks");
	CHECK_EQ(table("ticks")->nr_rows, 4);
	CHECK_STR(place_at(0), "one, read(), vfs_read, kernel");
	CHECK_EQ(lkst_table_cell(table("ticks"), 0, 1)->u64, 3);
	CHECK_STR(place_at(1), "two, its program, -, -");
	CHECK_EQ(lkst_table_cell(table("ticks"), 1, 1)->u64, 2);
	CHECK_STR(place_at(2), "one, the way out of read(), vfs_read, kernel");
	CHECK_STR(place_at(3), "two, a softirq, vfs_read, kernel");
	CHECK_EQ((long long)(lkst_table_cell(table("ticks"), 3, 0)->number * 100), 100 * 100 / 7);
	CHECK_EQ(table("ticks_threads")->nr_rows, 3);
	CHECK_EQ(value("ticks_threads", "two", "samples"), 3);
	CHECK_EQ(value("ticks_threads", "two", "program"), 100 * 100 * 2 / 3);
	CHECK_EQ(value("ticks_threads", "two", "softirqs"), 100 * 100 / 3);
	ask_of(make_full_catalog(), text, "ticks",
	       (struct lkst_analysis_options){ .which = { .has_tid = true, .tid = 6 }, .to_ns = UINT64_MAX });
	CHECK_EQ(table("ticks")->nr_rows, 1);
	CHECK_EQ(lkst_table_cell(table("ticks"), 0, 1)->u64, 1);
}

TEST(analyses_share_a_pass_without_a_difference)
{
	static const char *const texts[] = { memory_text, block_text, net_text, sched_text };
	const struct lkst_analysis *all[64];
	struct lkst_analysis_run *together;
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	struct lkst_err e;
	unsigned int nr, t, i, k;
	size_t cell;

	for (nr = 0; lkst_analyses[nr]; nr++)
		all[nr] = lkst_analyses[nr];
	CHECK(nr >= 18);
	for (t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		for (i = 0; i < nr; i++) {
			ask(texts[t], all[i]->name);
			CHECK_EQ(lkst_analysis_run_new(&e, trace, &options, all, nr, &together), 0);
			CHECK_EQ(lkst_analysis_run_pass(&e, together), 0);
			CHECK_EQ(lkst_analysis_run_tables(together, i)->nr,
				 lkst_analysis_run_tables(study, 0)->nr);
			for (k = 0; k < lkst_analysis_run_tables(study, 0)->nr; k++) {
				const struct lkst_table *x = lkst_analysis_run_tables(study, 0)->items[k];
				const struct lkst_table *y =
					lkst_analysis_run_tables(together, i)->items[k];

				CHECK_STR(x->name, y->name);
				CHECK_EQ(x->nr_rows, y->nr_rows);
				for (cell = 0; cell < x->nr_rows * x->nr_columns; cell++)
					if (lkst_column_storage(
						    x->columns[cell % x->nr_columns].type) !=
					    LKST_CELL_TEXT)
						CHECK_EQ(x->cells[cell].u64, y->cells[cell].u64);
			}
			lkst_analysis_run_free(together);
		}
	}
	finish();
}

static const struct unit_test tests[] = {
	{ "analysis_softirq_measures_from_the_first_request",
	  test_analysis_softirq_measures_from_the_first_request },
	{ "analysis_softirq_minds_only_gaps_of_its_cpu",
	  test_analysis_softirq_minds_only_gaps_of_its_cpu },
	{ "analysis_minds_only_gaps_of_the_buffer", test_analysis_minds_only_gaps_of_the_buffer },
	{ "analysis_memalloc_measures_time_and_sizes",
	  test_analysis_memalloc_measures_time_and_sizes },
	{ "analysis_memfree_measures_time_and_lives",
	  test_analysis_memfree_measures_time_and_lives },
	{ "analysis_biotime_measures_issue_to_the_last_completion",
	  test_analysis_biotime_measures_issue_to_the_last_completion },
	{ "analysis_bioqueue_measures_depth_and_wait",
	  test_analysis_bioqueue_measures_depth_and_wait },
	{ "analysis_biotime_measures_all_tries_of_a_request",
	  test_analysis_biotime_measures_all_tries_of_a_request },
	{ "analysis_bioqueue_knows_merges_and_requeues",
	  test_analysis_bioqueue_knows_merges_and_requeues },
	{ "analysis_bioqueue_forgets_in_a_gap", test_analysis_bioqueue_forgets_in_a_gap },
	{ "analysis_nettime_measures_queues", test_analysis_nettime_measures_queues },
	{ "analysis_netsize_measures_packets", test_analysis_netsize_measures_packets },
	{ "analysis_lockwait_measures_by_lock_and_kind",
	  test_analysis_lockwait_measures_by_lock_and_kind },
	{ "analysis_lockhold_measures_take_to_release",
	  test_analysis_lockhold_measures_take_to_release },
	{ "analysis_timer_names_functions_and_interrupts",
	  test_analysis_timer_names_functions_and_interrupts },
	{ "analysis_memalloc_names_callers_and_caches",
	  test_analysis_memalloc_names_callers_and_caches },
	{ "analysis_lockwait_names_locks_or_who_asks",
	  test_analysis_lockwait_names_locks_or_who_asks },
	{ "analysis_lockhold_names_locks_or_who_asks",
	  test_analysis_lockhold_names_locks_or_who_asks },
	{ "analysis_runqueue_measures_lengths", test_analysis_runqueue_measures_lengths },
	{ "analysis_waitqueue_measures_waiters_and_sleepers",
	  test_analysis_waitqueue_measures_waiters_and_sleepers },
	{ "analysis_waitdelay_measures_ready_threads",
	  test_analysis_waitdelay_measures_ready_threads },
	{ "analysis_schedtime_measures_wakeups_and_yields",
	  test_analysis_schedtime_measures_wakeups_and_yields },
	{ "analysis_lifetime_measures_fork_to_exit", test_analysis_lifetime_measures_fork_to_exit },
	{ "analysis_procstate_sums_states", test_analysis_procstate_sums_states },
	{ "analysis_ticks_counts_by_name_and_place", test_analysis_ticks_counts_by_name_and_place },
	{ "analyses_share_a_pass_without_a_difference",
	  test_analyses_share_a_pass_without_a_difference },
};
UNIT_MAIN(tests)
