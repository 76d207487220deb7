// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module for the guests: it makes the kernel call what programs in user space cannot make it
 * call, or not with values that they know, and says in /proc/lkst_test what the records must hold, in
 * the form of tests/vm/load/functions.c. All is done once, by the thread that loads it.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#ifdef CONFIG_X86_MCE
#include <asm/mce.h>
#endif

enum {
	ROUNDS = 3,	     /* of each variant of a lock */
	OBJECT_BYTES = 1232, /* no cache of the kernel's has this size */
	BAD_ADDRESS = 0x5000,
};

static char expected[16384];
static size_t used;

#define expect(format, ...)                                                                        \
	(used += scnprintf(expected + used, sizeof(expected) - used, format "\n", ##__VA_ARGS__))
#define N(p) ((unsigned long)(p))

static wait_queue_head_t queue;
static DEFINE_SPINLOCK(spin);
static DEFINE_RWLOCK(rw);
static struct timer_list late, soon;
static struct tasklet_struct urgent;
static struct work_struct work;

static void use_wait_queue(void)
{
	DEFINE_WAIT(waiter);
	DECLARE_WAITQUEUE(other, current);

	init_waitqueue_head(&queue);
	expect("init_waitqueue_head \"queue\":%lu", N(&queue));
	add_wait_queue(&queue, &other);
	expect("add_wait_queue \"queue\":%lu \"waiter\":%lu", N(&queue), N(&other));
	remove_wait_queue(&queue, &other);
	expect("remove_wait_queue \"queue\":%lu \"waiter\":%lu", N(&queue), N(&other));
	prepare_to_wait(&queue, &waiter, TASK_INTERRUPTIBLE);
	expect("prepare_to_wait \"queue\":%lu \"waiter\":%lu \"state\":%u", N(&queue), N(&waiter),
	       TASK_INTERRUPTIBLE);
	finish_wait(&queue, &waiter);
	expect("finish_wait \"queue\":%lu \"waiter\":%lu", N(&queue), N(&waiter));
	prepare_to_wait_exclusive(&queue, &waiter, TASK_UNINTERRUPTIBLE);
	expect("prepare_to_wait_exclusive \"queue\":%lu \"waiter\":%lu \"state\":%u", N(&queue),
	       N(&waiter), TASK_UNINTERRUPTIBLE);
	finish_wait(&queue, &waiter);
	prepare_to_wait_event(&queue, &waiter, TASK_KILLABLE);
	expect("prepare_to_wait_event \"queue\":%lu \"waiter\":%lu \"state\":%u", N(&queue),
	       N(&waiter), TASK_KILLABLE);
	finish_wait(&queue, &waiter);
}

/* Every variant of taking and releasing, ROUNDS times. */
static void use_locks(void)
{
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		spin_lock(&spin);
		spin_unlock(&spin);
		spin_lock_irq(&spin);
		spin_unlock_irq(&spin);
		spin_lock_irqsave(&spin, flags);
		spin_unlock_irqrestore(&spin, flags);
		spin_lock_bh(&spin);
		spin_unlock_bh(&spin);
		if (spin_trylock(&spin))
			spin_unlock(&spin);
		if (spin_trylock_bh(&spin))
			spin_unlock_bh(&spin);
		write_lock(&rw);
		write_unlock(&rw);
		write_lock_irq(&rw);
		write_unlock_irq(&rw);
		write_lock_irqsave(&rw, flags);
		write_unlock_irqrestore(&rw, flags);
		write_lock_bh(&rw);
		write_unlock_bh(&rw);
		if (write_trylock(&rw))
			write_unlock(&rw);
		read_lock(&rw);
		read_unlock(&rw);
		read_lock_irq(&rw);
		read_unlock_irq(&rw);
		read_lock_irqsave(&rw, flags);
		read_unlock_irqrestore(&rw, flags);
		read_lock_bh(&rw);
		read_unlock_bh(&rw);
		if (read_trylock(&rw))
			read_unlock(&rw);
	}
	expect("spin_lock#%u \"lock\":%lu", 4 * ROUNDS, N(&spin));
	expect("spin_trylock#%u \"lock\":%lu", 2 * ROUNDS, N(&spin));
	expect("spin_unlock#%u \"lock\":%lu", 6 * ROUNDS, N(&spin));
	expect("write_lock#%u \"lock\":%lu", 4 * ROUNDS, N(&rw));
	expect("write_trylock#%u \"lock\":%lu", ROUNDS, N(&rw));
	expect("write_unlock#%u \"lock\":%lu", 5 * ROUNDS, N(&rw));
	expect("read_lock#%u \"lock\":%lu", 4 * ROUNDS, N(&rw));
	expect("read_trylock#%u \"lock\":%lu", ROUNDS, N(&rw));
	expect("read_unlock#%u \"lock\":%lu", 5 * ROUNDS, N(&rw));
}

static void use_memory(void)
{
	struct kmem_cache *cache = kmem_cache_create("lkst_test", OBJECT_BYTES, 0, 0, NULL);
	void *p;

	expect("kmem_cache_create \"bytes\":%u \"name\":\"lkst_test\"", OBJECT_BYTES);
	p = cache ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;
	if (p) {
		expect("kmem_cache_alloc \"ptr\":%lu \"cache\":%lu \"bytes\":%u", N(p), N(cache),
		       OBJECT_BYTES);
		kmem_cache_free(cache, p);
		expect("kmem_cache_free \"ptr\":%lu \"bytes\":%u", N(p), OBJECT_BYTES);
	}
	kmem_cache_destroy(cache);
	p = kmalloc(777, GFP_KERNEL);
	expect("kmalloc \"ptr\":%lu \"bytes_req\":777 \"bytes_alloc\":1024", N(p));
	kfree(p);
	expect("kfree \"ptr\":%lu", N(p));
	p = vmalloc(5 * PAGE_SIZE);
	/* And a page that guards its end. */
	expect("alloc_vmap_area \"address\":%lu \"bytes\":%lu", N(p), 6 * PAGE_SIZE);
	vfree(p);
	expect("vfree \"address\":%lu", N(p));
}

static void on_timer(struct timer_list *timer)
{
}

static void use_timers(void)
{
	timer_setup(&late, on_timer, TIMER_PINNED);
	expect("timer_init \"timer\":%lu", N(&late));
	mod_timer(&late, jiffies + 1000 * HZ);
	expect("timer_start \"timer\":%lu \"function\":%lu \"flags\":%u", N(&late), N(on_timer),
	       late.flags);
	expect("bits deferrable (%u), pinned (%u), irqsafe (%u)", ilog2(TIMER_DEFERRABLE),
	       ilog2(TIMER_PINNED), ilog2(TIMER_IRQSAFE));
	timer_delete_sync(&late);
	expect("timer_delete_sync \"timer\":%lu", N(&late));
	expect("timer_cancel \"timer\":%lu", N(&late));
	timer_setup(&soon, on_timer, 0);
	mod_timer(&soon, jiffies + 1);
	expect("timer_expire_entry@elsewhere \"timer\":%lu \"function\":%lu", N(&soon),
	       N(on_timer));
	expect("timer_expire_exit@elsewhere \"timer\":%lu", N(&soon));
}

static void on_tasklet(struct tasklet_struct *tasklet)
{
}

static void on_work(struct work_struct *w)
{
}

static int kthread_main(void *data)
{
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

static void use_others(void)
{
	struct task_struct *thread;
	unsigned int i;

	tasklet_setup(&urgent, on_tasklet);
	/* More than once: a softirq may come while a program of another function is at work. */
	for (i = 0; i < 20; i++) {
		tasklet_hi_schedule(&urgent);
		msleep(1);
	}
	expect("tasklet_hi_entry@elsewhere");
	expect("tasklet_entry@elsewhere \"tasklet\":%lu \"function\":%lu", N(&urgent),
	       N(on_tasklet));
	expect("tasklet_exit@elsewhere \"tasklet\":%lu", N(&urgent));
	INIT_WORK(&work, on_work);
	schedule_work(&work);
	expect("workqueue_queue_work \"work\":%lu \"function\":%lu", N(&work), N(on_work));
	expect("workqueue_execute_start@elsewhere \"work\":%lu \"function\":%lu", N(&work),
	       N(on_work));
	expect("workqueue_execute_end@elsewhere \"work\":%lu", N(&work));
	thread = kthread_run(kthread_main, &queue, "lkst_test");
	expect("kthread_create_on_node \"function\":%lu \"data\":%lu \"node\":-1", N(kthread_main),
	       N(&queue));
	if (!IS_ERR(thread))
		kthread_stop(thread);
}

/* The kernel's own fault at an address of the user's that is not there. */
static void fault(void)
{
	char byte;

	if (get_user(byte, (char __user *)BAD_ADDRESS) == -EFAULT)
		expect("page_fault_kernel \"address\":%u \"error_code\":0", BAD_ADDRESS);
}

static int bug_main(void *data)
{
	BUG();
	return 0;
}

/* A thread of its own makes a trap in the kernel, which ends it. */
static void oops(void)
{
	kthread_run(bug_main, NULL, "lkst_oops");
	expect("trap_entry@elsewhere \"trap\":6 \"signal\":4");
	expect("oops@elsewhere \"comm\":\"lkst_oops\"");
}

#ifdef CONFIG_X86_MCE
static void report_machine_check(void)
{
	struct mce mce = {
		.status = 0x9c00000000000135, .addr = 0x1234000, .bank = 2, .extcpu = 1
	};

	mce_log(&mce);
	expect("mce_record@elsewhere \"status\":%llu \"address\":%llu \"mce_cpu\":1 \"bank\":2",
	       mce.status, mce.addr);
}
#else
static void report_machine_check(void)
{
}
#endif

/* The tests set a probe to it before the module is there. */
noinline int lkst_test_probed(int value);
noinline int lkst_test_probed(int value)
{
	barrier();
	return value + 1;
}

static int show(struct seq_file *file, void *data)
{
	seq_puts(file, expected);
	return 0;
}

static int __init lkst_test_init(void)
{
	expect("tid %d", current->pid);
	expect("module_load \"name\":\"lkst_test\"");
	expect("initcall_start \"function\":%lu", N(THIS_MODULE->init));
	expect("initcall_finish \"function\":%lu \"result\":0", N(THIS_MODULE->init));
	expect("module_free@elsewhere \"name\":\"lkst_test\"");
	lkst_test_probed(41);
	use_wait_queue();
	use_locks();
	use_memory();
	use_timers();
	use_others();
	fault();
	report_machine_check();
	oops();
	msleep(20);
	return proc_create_single("lkst_test", 0400, NULL, show) ? 0 : -ENOMEM;
}

static void __exit lkst_test_exit(void)
{
	remove_proc_entry("lkst_test", NULL);
	timer_delete_sync(&soon);
	tasklet_kill(&urgent);
	flush_work(&work);
}

module_init(lkst_test_init);
module_exit(lkst_test_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Makes the kernel do what LKST's tests look for");
