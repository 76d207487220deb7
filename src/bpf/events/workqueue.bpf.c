// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work queues: work that is queued, begun and ended by kernel worker threads.
 */
#include "bpf/record.h"

LKST_TP(workqueue_queue_work, int req_cpu, struct pool_workqueue *pwq, struct work_struct *work)
{
	lkst_recording_if(workqueue_queue_work, r, lkst_wants_current()) {
		LKST_PUT64(r->work, work);
		LKST_PUT64(r->function, work->func);
		/* WORK_CPU_UNBOUND is the number of CPUs the kernel was built for, beyond any that is there. */
		r->req_cpu = (u32)req_cpu < lkst_cfg.nr_cpus ? req_cpu : -1;
		r->pool_cpu = pwq->pool->cpu;
	}
	return 0;
}

LKST_TP(workqueue_execute_start, struct work_struct *work)
{
	lkst_recording_if(workqueue_execute_start, r, lkst_wants_current()) {
		LKST_PUT64(r->work, work);
		LKST_PUT64(r->function, work->func);
	}
	return 0;
}

LKST_TP(workqueue_execute_end, struct work_struct *work)
{
	lkst_recording_if(workqueue_execute_end, r, lkst_wants_current())
		LKST_PUT64(r->work, work);
	return 0;
}
