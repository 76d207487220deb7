/* SPDX-License-Identifier: GPL-2.0-only */
/* How long threads wait for the kernel's locks, and how long locks are held. */
#include <stdio.h>

#include "analyze/analysis.h"

/* LCB_F_*, include/trace/events/lock.h. */
enum {
	LOCK_SPIN = 1,
	LOCK_READ = 2,
	LOCK_WRITE = 4,
	LOCK_RT = 8,
	LOCK_PERCPU = 16,
	LOCK_MUTEX = 32,
	LOCK_FLAGS = 63,
	/* A key: flags in the upper byte instead of the ff that kernel addresses begin with. */
	FLAGS_SHIFT = 56,
};
#define LOCK_ADDRESS (~0ULL >> 8)

static u64 key_of(u64 lock, u32 flags)
{
	return (u64)(flags & LOCK_FLAGS) << FLAGS_SHIFT | (lock & LOCK_ADDRESS);
}

static const char *kind_of(u32 flags)
{
	if (flags & LOCK_MUTEX)
		return "mutex";
	if (flags & LOCK_RT)
		return "rtmutex";
	if (flags & LOCK_READ)
		return flags & LOCK_SPIN ? "readlock" : "read";
	if (flags & LOCK_WRITE)
		return flags & LOCK_SPIN ? "writelock" : "write";
	return flags & LOCK_SPIN ? "spinlock" : "lock";
}

static void put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	u32 flags = (u32)(key >> FLAGS_SHIFT);

	snprintf(text, LKST_KEY_TEXT, "%s%s:0x%llx", flags & LOCK_PERCPU ? "percpu_" : "",
		 kind_of(flags), (unsigned long long)(key | ~LOCK_ADDRESS));
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* A thread waits for one mutex at a time, but may have to wait for a spin lock on its way. */
static u64 wait_id(const struct lkst_record *r, u64 lock)
{
	return lock ^ lkst_work_thread(r) << 24;
}

static int on_begin(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_begin *x = record;
	struct lkst_work *w = ctx;

	/* A mutex begins twice, spinning and then asleep: the wait is both. */
	return lkst_work_open(w, &w->opens[0], wait_id(r, x->lock), r,
			      x->flags & LOCK_MUTEX ? x->flags & ~(u32)LOCK_SPIN : x->flags, true);
}

static int on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_end *x = record;
	struct lkst_work *w = ctx;
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[0], wait_id(r, x->lock));

	if (!entry)
		return 0;
	return lkst_work_close(w, &w->tallies[0], &w->opens[0], entry,
			       key_of(x->lock, (u32)entry->value), r);
}

static int begin_wait(struct lkst_work *w)
{
	bool has_begin, has_end;
	int err = 0;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "lockwait",
						       .title = "Lock contention",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_key });
	has_begin = lkst_work_want(w, LKST_EV_contention_begin, on_begin, &err);
	has_end = lkst_work_want(w, LKST_EV_contention_end, on_end, &err);
	return err < 0 ? err : has_begin && has_end;
}

const struct lkst_analysis lkst_analysis_lockwait = {
	.name = "lockwait",
	.row = "H11",
	.title = "Lock contention",
	.help = "how long threads wait for locks of the kernel's that others have",
	.measures = "from contention_begin to contention_end of a thread, by kind and lock",
	.events = "contention_begin contention_end",
	.size = sizeof(struct lkst_work),
	.begin = begin_wait,
};

/* ---- holding --------------------------------------------------------------------------------- */

/* These locks are held with preemption off, so that each is taken and released on one CPU. */
static u64 hold_id(const struct lkst_record *r, u64 lock)
{
	return lock ^ (u64)r->cpu << 48;
}

/* The functions' records say that a lock is asked for; without contention it is had at once. */
static int take(struct lkst_work *w, const struct lkst_record *r, u64 lock, u32 flags)
{
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[0], hold_id(r, lock));

	/* One that is not released was tried and not got, or is taken for reading again. */
	if (entry)
		lkst_open_remove(&w->opens[0], entry);
	return lkst_work_open(w, &w->opens[0], hold_id(r, lock), r, flags, false);
}

static int release(struct lkst_work *w, const struct lkst_record *r, u64 lock)
{
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[0], hold_id(r, lock));

	if (!entry)
		return 0;
	return lkst_work_close_on_cpu(w, &w->tallies[0], &w->opens[0], entry,
				      key_of(lock, (u32)entry->value), r);
}

static int on_spin(void *ctx, const struct lkst_record *r, const void *record)
{
	return take(ctx, r, ((const struct lkst_rec_spin_lock *)record)->lock, LOCK_SPIN);
}

static int on_write(void *ctx, const struct lkst_record *r, const void *record)
{
	return take(ctx, r, ((const struct lkst_rec_write_lock *)record)->lock,
		    LOCK_SPIN | LOCK_WRITE);
}

static int on_read(void *ctx, const struct lkst_record *r, const void *record)
{
	return take(ctx, r, ((const struct lkst_rec_read_lock *)record)->lock,
		    LOCK_SPIN | LOCK_READ);
}

static int on_release(void *ctx, const struct lkst_record *r, const void *record)
{
	return release(ctx, r, ((const struct lkst_rec_spin_unlock *)record)->lock);
}

/* The lock was not free: it is held from now on. */
static int on_got(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_end *x = record;
	struct lkst_work *w = ctx;
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[0], hold_id(r, x->lock));

	if (entry)
		entry->start_ns = r->ns;
	return 0;
}

/* The records of all releases, and of all kinds of asking, have the lock in the same place. */
#define LOCK_AT offsetof(struct lkst_rec_spin_lock, lock)
_Static_assert(offsetof(struct lkst_rec_spin_trylock, lock) == LOCK_AT, "");
_Static_assert(offsetof(struct lkst_rec_write_trylock, lock) == LOCK_AT, "");
_Static_assert(offsetof(struct lkst_rec_spin_unlock, lock) == LOCK_AT, "");
_Static_assert(offsetof(struct lkst_rec_write_unlock, lock) == LOCK_AT, "");
_Static_assert(offsetof(struct lkst_rec_read_unlock, lock) == LOCK_AT, "");

static const struct {
	enum lkst_event_index index;
	lkst_feed_call *call;
	bool is_release;
} hold_wants[] = {
	{ LKST_EV_spin_lock, on_spin, false },	   { LKST_EV_spin_trylock, on_spin, false },
	{ LKST_EV_write_lock, on_write, false },   { LKST_EV_write_trylock, on_write, false },
	{ LKST_EV_read_lock, on_read, false },	   { LKST_EV_contention_end, on_got, false },
	{ LKST_EV_spin_unlock, on_release, true }, { LKST_EV_write_unlock, on_release, true },
	{ LKST_EV_read_unlock, on_release, true },
};

static int begin_hold(struct lkst_work *w)
{
	bool has = false;
	int err = 0;
	size_t i;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "lockhold",
						       .title = "Lock hold time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_key });
	for (i = 0; i < sizeof(hold_wants) / sizeof(hold_wants[0]); i++)
		has |= lkst_work_want(w, hold_wants[i].index, hold_wants[i].call, &err) &&
		       hold_wants[i].is_release;
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_lockhold = {
	.name = "lockhold",
	.row = "H12",
	.title = "Lock hold time",
	.help = "how long spin locks and read-write locks are held",
	.measures =
		"from spin_lock, write_lock and read_lock (or the contention_end behind it) to the "
		"release on the same CPU; they are recorded only if asked for",
	.events = "spin_* write_* read_lock read_unlock contention_end",
	.size = sizeof(struct lkst_work),
	.begin = begin_hold,
};
