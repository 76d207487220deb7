// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module for the guests: it does what `lkst lint` looks for, once each, in ways that harm
 * nothing. A lock that is held where it must not be is no lock that anybody waits for, and the count
 * that keeps the CPU from switching is set right at once. Freed memory belongs to a cache of the
 * module's own, which hands it to nobody. The second free is no more than its event. Only a lock that
 * is taken twice is missing: who does that is silent for good, and holds up the kernel.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <trace/events/kmem.h>

enum {
	PROPER = 5,	     /* times that code does it right, so that once is odd */
	OBJECT_BYTES = 1360, /* no cache of the kernel's has this size */
	ODD_BYTES = 720,
};

static DEFINE_SPINLOCK(slept);
static DEFINE_SPINLOCK(kept);
static DEFINE_SPINLOCK(robbed);
static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);
static struct kmem_cache *cache;
static void *neighbour; /* keeps the page of the freed object */

/*
 * What a spin lock has its holder do: not be preempted or, with PREEMPT_RT, not be moved to another
 * CPU (rt_spin_lock()). Code that drops a lock without releasing it ends that itself.
 */
static void act_as_holder(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		preempt_disable();
		return;
	}
	rcu_read_lock();
	migrate_disable();
}

static void act_as_no_holder(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		preempt_enable();
		return;
	}
	migrate_enable();
	rcu_read_unlock();
}

/* Each act has code of its own that takes its lock. */
#define TAKER(lock)                                                                                \
	static noinline void take_##lock(void)                                                     \
	{                                                                                          \
		spin_lock(&lock);                                                                  \
		barrier();                                                                         \
	}                                                                                          \
	static void use_##lock(void)                                                               \
	{                                                                                          \
		unsigned int i;                                                                    \
                                                                                                   \
		for (i = 0; i < PROPER; i++) {                                                     \
			take_##lock();                                                             \
			spin_unlock(&lock);                                                        \
		}                                                                                  \
	}
TAKER(slept)
TAKER(kept)
TAKER(robbed)

/* rule sleep */
static void sleep_with_a_lock(void)
{
	use_slept();
	take_slept();
	act_as_no_holder();
	msleep(2);
	act_as_holder();
	spin_unlock(&slept);
}

/* rule lock-kept: the thread returns to its program with it */
static void keep_a_lock(void)
{
	use_kept();
	take_kept();
	act_as_no_holder();
}

static int release_robbed(void *data)
{
	act_as_holder();
	spin_unlock(&robbed);
	return 0;
}

/* rule lock-stranger */
static void have_another_cpu_release_a_lock(void)
{
	struct task_struct *stranger;

	use_robbed();
	stranger = kthread_create(release_robbed, NULL, "lkst_stranger");
	if (IS_ERR(stranger))
		return;
	kthread_bind(stranger, 1);
	set_cpus_allowed_ptr(current, cpumask_of(0));
	take_robbed();
	wake_up_process(stranger);
	/* Without sleeping, which would be another finding. */
	mdelay(20);
	act_as_no_holder();
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* rule lock-order */
static void take_locks_both_ways(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	udelay(50);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static void on_timer(struct timer_list *timer)
{
}

/* With a constructor a cache's memory is neither cleared nor shared with another cache. */
static void construct(void *object)
{
}

/* rule use-after-free */
static void let_a_freed_timer_run(void)
{
	struct timer_list *timer;

	cache = kmem_cache_create("lkst_lint", OBJECT_BYTES, 0, 0, construct);
	if (!cache)
		return;
	neighbour = kmem_cache_alloc(cache, GFP_KERNEL);
	timer = kmem_cache_alloc(cache, GFP_KERNEL);
	if (!timer)
		return;
	timer_setup(timer, on_timer, 0);
	/* However slow the machine is, the timer does not run before it is freed. */
	local_bh_disable();
	mod_timer(timer, jiffies + 2);
	kmem_cache_free(cache, timer);
	local_bh_enable();
	msleep(50);
}

/* Frees without the event, which is told by itself. */
static void free_silently(void *object)
{
	kfree_bulk(1, &object);
}

/* rule double-free */
static void tell_of_a_second_free(void)
{
	unsigned long code = (unsigned long)tell_of_a_second_free;
	unsigned int i;
	void *object;

	for (i = 0; i <= PROPER; i++) {
		object = kmalloc(ODD_BYTES, GFP_KERNEL);
		trace_kfree(code, object);
		if (i == PROPER)
			trace_kfree(code, object);
		free_silently(object);
	}
}

static int __init lkst_lint_init(void)
{
	sleep_with_a_lock();
	have_another_cpu_release_a_lock();
	take_locks_both_ways();
	let_a_freed_timer_run();
	tell_of_a_second_free();
	/* The last: to nobody's surprise it is still held when the module is loaded. */
	keep_a_lock();
	return 0;
}

static void __exit lkst_lint_exit(void)
{
	if (cache && neighbour)
		kmem_cache_free(cache, neighbour);
	kmem_cache_destroy(cache);
}

module_init(lkst_lint_init);
module_exit(lkst_lint_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Does what lkst lint looks for");
