/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few fields of the kernel's structures that the programs read. Only names and types count:
 * offsets are taken from the running kernel's BTF when a program is loaded (CO-RE).
 */
#ifndef LKST_BPF_KERNEL_H
#define LKST_BPF_KERNEL_H

#include "abi/types.h"

enum fault_flag {
	FAULT_FLAG_WRITE = 1,
	FAULT_FLAG_TRIED = 1 << 5,
	FAULT_FLAG_USER = 1 << 6,
	FAULT_FLAG_INSTRUCTION = 1 << 8,
};

/* Its numbers are those of the running kernel's configuration: bpf_core_enum_value(). */
enum cgroup_subsys_id {
	cpu_cgrp_id,
	memory_cgrp_id,
	pids_cgrp_id,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* sched, signal */

struct thread_info {
	unsigned long flags;
	u32 status;
	u32 cpu;
};

struct thread_info___arm64 {
	u64 preempt_count;
};

struct signal_struct {
	s16 oom_score_adj;
};

struct rq {
	unsigned int nr_running;
	struct task_struct *idle;
	u64 prev_steal_time;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

/* x86 */
struct thread_struct {
	unsigned long cr2;
	unsigned long trap_nr;
	unsigned long error_code;
};

struct kernfs_node {
	u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

struct mm_struct {
	unsigned long start_code;
	unsigned long arg_start;
	unsigned long arg_end;
	struct {
		void *vdso;
	} context;
};

struct user_or_group {
	u32 val;
};

struct cred {
	struct user_or_group uid;
	struct user_or_group euid;
	struct user_or_group gid;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned in_iowait : 1;
	unsigned in_memstall : 1;
	int softirq_disable_cnt; /* on kernels for real time */
	unsigned int flags;
	int prio;
	int nr_cpus_allowed;
	struct sched_entity se;
	int pid;
	int tgid;
	int exit_code;
	unsigned long nvcsw;
	unsigned long nivcsw;
	u64 start_boottime;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct files_struct *files;
	const struct cred *cred;
	struct thread_struct thread;
	char comm[16];
};

/* Which of the two there is depends on the kernel: where.h. */
struct task_struct___throttled {
	bool throttled;
};

struct cfs_rq___throttled {
	int throttle_count;
};

struct upid {
	int nr;
};

struct pid {
	struct upid numbers[1];
};

struct linux_binprm {
	const char *filename;
};

struct kernel_siginfo {
	int si_code;
};

struct sigaction {
	void *sa_handler;
	unsigned long sa_flags;
};

struct k_sigaction {
	struct sigaction sa;
};

/* irq, timer, workqueue */

struct irqaction {
	void *handler;
};

struct timer_list {
	unsigned long expires;
	void *function;
	u32 flags;
};

struct timerqueue_node {
	s64 expires;
};

struct hrtimer_clock_base {
	int clockid;
};

struct hrtimer {
	struct timerqueue_node node;
	s64 _softexpires;
	void *function;
	struct hrtimer_clock_base *base;
};

struct work_struct {
	void *func;
};

struct worker_pool {
	int cpu;
};

struct pool_workqueue {
	struct worker_pool *pool;
};

/* power */

struct cpufreq_policy {
	unsigned int cpu;
	unsigned int min;
	unsigned int max;
};

struct thermal_zone_device {
	int id;
	int temperature;
};

/* memory */

struct page {
	unsigned long flags;
};

struct folio {
	void *mapping;
};

struct list_head {
	struct list_head *next, *prev;
};

struct kmem_cache {
	unsigned int object_size;
	const char *name;
	struct list_head list;
};

struct module {
	char name[56];
	unsigned long taints;
};

/* x86 */
struct mce {
	u64 status;
	u64 addr;
	u64 mcgstatus;
	u64 ip;
	u8 bank;
	unsigned int extcpu;
};

struct vm_fault {
	unsigned long address;
	enum fault_flag flags;
};

struct vm_struct {
	void *addr;
	unsigned long size;
};

/* block */

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct block_device {
	u32 bd_dev;
};

struct bvec_iter {
	u64 bi_sector;
	unsigned int bi_size;
};

struct bio {
	struct block_device *bi_bdev;
	u32 bi_opf;
	struct bvec_iter bi_iter;
};

struct request {
	struct request_queue *q;
	u32 cmd_flags;
	unsigned int __data_len;
	u64 __sector;
};

struct buffer_head {
	u64 b_blocknr;
	struct block_device *b_bdev;
};

/* net */

struct net_device {
	int ifindex;
};

struct sk_buff {
	struct net_device *dev;
	unsigned int len, data_len;
	u16 queue_mapping;
	u16 protocol;
	u16 network_header;
	unsigned char *head, *data;
};

struct napi_struct {
	struct net_device *dev;
	unsigned int napi_id;
};

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
	u8 skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_protocol;
};

struct socket {
	struct sock *sk;
};

/* ipc */

struct ipc_ops {
	void *getnew;
};

struct ipc_params {
	int key;
	int flg;
	union {
		u64 size; /* of semaphores, an int */
	} u;
};

#pragma clang attribute pop

#endif
