// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work queues: work put in for later, begun and ended by kernel worker threads.
 */
#include "bpf/record.h"

SEC("tp_btf/workqueue_queue_work")
int BPF_PROG(tp_btf__workqueue_queue_work, int req_cpu, struct pool_workqueue *pwq,
	     struct work_struct *work)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(workqueue_queue_work);
	LKST_RECORD(workqueue_queue_work, r);
	if (!r)
		return 0;
	LKST_PUT64(r->work, work);
	LKST_PUT64(r->function, work->func);
	/* WORK_CPU_UNBOUND is the number of CPUs the kernel was built for, beyond any that is there. */
	r->req_cpu = (u32)req_cpu < lkst_cfg.nr_cpus ? req_cpu : -1;
	r->pool_cpu = pwq->pool->cpu;
	LKST_COMMIT(workqueue_queue_work);
	return 0;
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(tp_btf__workqueue_execute_start, struct work_struct *work)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(workqueue_execute_start);
	LKST_RECORD(workqueue_execute_start, r);
	if (!r)
		return 0;
	LKST_PUT64(r->work, work);
	LKST_PUT64(r->function, work->func);
	LKST_COMMIT(workqueue_execute_start);
	return 0;
}

SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(tp_btf__workqueue_execute_end, struct work_struct *work)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(workqueue_execute_end);
	LKST_RECORD(workqueue_execute_end, r);
	if (!r)
		return 0;
	LKST_PUT64(r->work, work);
	LKST_COMMIT(workqueue_execute_end);
	return 0;
}
