// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module for the guests that ends the kernel in the way that its parameter "kind" names, at once,
 * on the processor that loads it.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *kind = "null";
module_param(kind, charp, 0);

static struct hrtimer in_interrupt;
static struct timer_list in_soft_interrupt;
static DEFINE_SPINLOCK(lock);

static void write_to_nothing(void)
{
	*(volatile int *)8 = 1;
}

static enum hrtimer_restart on_interrupt(struct hrtimer *timer)
{
	write_to_nothing();
	return HRTIMER_NORESTART;
}

static void on_soft_interrupt(struct timer_list *timer)
{
	write_to_nothing();
}

/* Nobody wakes it. */
static int hang(void *data)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule();
	return 0;
}

static void spin_for_ever(void)
{
	preempt_disable();
	for (;;)
		cpu_relax();
}

static noinline int overflow(int depth)
{
	volatile char frame[1024];

	frame[depth & 1023] = depth;
	return overflow(depth + 1) + frame[depth & 511];
}

static void give_up(void)
{
	spin_lock_irq(&lock);
	panic("lkst_crash");
}

static int __init lkst_crash_init(void)
{
	if (!strcmp(kind, "null"))
		write_to_nothing();
	else if (!strcmp(kind, "bug"))
		BUG();
	else if (!strcmp(kind, "warn"))
		WARN(1, "lkst_crash");
	else if (!strcmp(kind, "panic"))
		give_up();
	else if (!strcmp(kind, "stack"))
		overflow(0);
	else if (!strcmp(kind, "softlockup"))
		spin_for_ever();
	else if (!strcmp(kind, "hung"))
		kthread_run(hang, NULL, "lkst_hung");
	else if (!strcmp(kind, "irq")) {
		hrtimer_init(&in_interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		in_interrupt.function = on_interrupt;
		hrtimer_start(&in_interrupt, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	} else if (!strcmp(kind, "softirq")) {
		timer_setup(&in_soft_interrupt, on_soft_interrupt, TIMER_PINNED);
		mod_timer(&in_soft_interrupt, jiffies + 1);
	} else {
		return -EINVAL;
	}
	msleep(20000);
	return -ETIME;
}

module_init(lkst_crash_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Ends the kernel, for LKST's tests");
