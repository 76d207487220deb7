/* SPDX-License-Identifier: GPL-2.0-only */
/* How a program tells an interrupt, a softirq and a thread apart: by the preemption count (bpf/preempt_count.h). */
#include "live/programs/waker_context.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/preempt_count.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "preempt_count.skel.h"

enum {
	SAMPLE_NS = 100000, /* of CPU time between two interrupts of the sampling timer */
	WAIT_NS = 200000000,
};

LKST_GUARD(preempt_count_bpf__destroy, struct preempt_count_bpf)

/* ---- where it is ------------------------------------------------------------------------------ */

#ifdef __x86_64__

/*
 * Since Linux 6.15 it is a variable of its own again, as before 6.2; between it is in struct pcpu_hot
 * (64701838bf05).
 */
static int find_count(struct lkst_err *e, const struct lkst_kernel *k, s64 *ret_from_rq)
{
	u32 rq, count, in = 0;

	if (lkst_kernel_find_percpu(k, "runqueues", &rq) ||
	    (lkst_kernel_find_percpu(k, "__preempt_count", &count) &&
	     (lkst_kernel_find_percpu(k, "pcpu_hot", &count) ||
	      lkst_kernel_find_member(k, "pcpu_hot", "preempt_count", &in))))
		return lkst_err_set(e, -ENOENT, "this kernel's type information does not have its preemption count");
	*ret_from_rq = (s64)count + in - rq;
	return 0;
}

#else

static int find_count(struct lkst_err *e, const struct lkst_kernel *k, s64 *ret_from_rq)
{
	*ret_from_rq = 0; /* the thread has it */
	return 0;
}

#endif

/* ---- having each context happen --------------------------------------------------------------- */

/* Opens the timer that interrupts this thread while it runs. */
static int open_timer(struct lkst_err *e)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = SAMPLE_NS };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? lkst_err_sys(e, -errno, "opening a timer that interrupts") : fd;
}

/*
 * A CPU that runs has softirqs at its ticks: that a program was attached has the kernel wait for each CPU, which
 * tells so by one (RCU).
 */
static void wait_until_seen(const volatile struct lkst_preempt_seen *seen)
{
	const u64 until_ns = lkst_clock_ns(CLOCK_MONOTONIC) + WAIT_NS;

	while (!(seen->softirq && seen->interrupt) && lkst_clock_ns(CLOCK_MONOTONIC) < until_ns)
		;
}

static int waker_context_look(struct lkst_err *e, struct preempt_count_bpf *skel)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	_cleanup_close_ int timer_fd = open_timer(e);
	struct bpf_link *timer, *softirq;
	int err;

	if (timer_fd < 0)
		return timer_fd;
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.count__thread), &options);
	if (err)
		return lkst_err_sys(e, err, "looking at the preemption count");
	softirq = bpf_program__attach(skel->progs.count__softirq);
	timer = softirq ? bpf_program__attach_perf_event(skel->progs.count__interrupt, timer_fd) : NULL;
	if (timer) {
		timer_fd = -1; /* the link has it, and closes it */
		wait_until_seen(&skel->data_seen->lkst_preempt_seen);
	} else {
		err = lkst_err_sys(e, -errno, "attaching the programs that look at the preemption count");
	}
	bpf_link__destroy(timer);
	bpf_link__destroy(softirq);
	return err;
}

/* ---- what its bits mean ----------------------------------------------------------------------- */

static u32 highest_bit(u32 bits)
{
	return bits ? 1U << (31 - __builtin_clz(bits)) : 0;
}

/*
 * Each kind counts in bits of its own, the preemption of threads in the lowest ones, softirqs above, interrupts at
 * the top (include/linux/preempt.h). So the highest bit that an interrupt sets, and no softirq and no thread does,
 * is the lowest of its own; what is above counts further interrupts, and is of no other kind.
 */
static int tell_bits(struct lkst_err *e, const struct lkst_preempt_seen *seen, struct lkst_program_config *cfg)
{
	const u32 thread = seen->thread & ~LKST_PREEMPT_SEEN, softirq = seen->softirq & ~LKST_PREEMPT_SEEN;
	const u32 interrupt = seen->interrupt & ~LKST_PREEMPT_SEEN;
	const u32 of_softirq = highest_bit(softirq & ~thread);
	const u32 of_interrupt = highest_bit(interrupt & ~softirq & ~thread);

	if (!seen->thread || !seen->softirq || !seen->interrupt)
		return lkst_err_set(e, -ETIMEDOUT, "no %s came while it was waited for",
				    seen->softirq ? "interrupt" : "softirq");
	if (!of_softirq || of_softirq >= of_interrupt || thread >= of_softirq || softirq >= of_interrupt)
		return lkst_err_set(e, -EPROTO,
				    "its counts are %#x in a thread, %#x in a softirq, %#x in an interrupt",
				    thread, softirq, interrupt);
	cfg->softirq_bit = of_softirq;
	cfg->interrupt_bits = ~(of_interrupt - 1) & ~LKST_PREEMPT_SEEN;
	return 0;
}

int lkst_waker_context_find(struct lkst_err *e, const struct lkst_kernel *k, struct lkst_program_config *cfg)
{
	_cleanup_(preempt_count_bpf__destroyp) struct preempt_count_bpf *skel = NULL;
	int err;

	cfg->softirq_bit = cfg->interrupt_bits = 0;
	err = find_count(e, k, &cfg->count_from_rq);
	if (err)
		return err;
	skel = preempt_count_bpf__open();
	if (!skel)
		return lkst_err_sys(e, -errno, "opening the programs that look at the preemption count");
	*(s64 *)&skel->rodata_from->lkst_count_from_rq = cfg->count_from_rq;
	err = preempt_count_bpf__load(skel);
	if (err)
		return lkst_err_sys(e, err, "loading the programs that look at the preemption count");
	return waker_context_look(e, skel) ?: tell_bits(e, &skel->data_seen->lkst_preempt_seen, cfg);
}
