/* SPDX-License-Identifier: GPL-2.0-only */
/* How long threads wait for the kernel's locks, and how long locks are held. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/lock.h"
#include "analyze/analyses/analysis.h"
#include "base/map.h"

enum {
	/* A key: flags in the upper byte instead of the ff that kernel addresses begin with. */
	FLAGS_SHIFT = 56,
	BY_ASKER = 64, /* besides the flags: the address is that of the function that asks */
};
#define LOCK_ADDRESS (~0ULL >> 8)
_Static_assert(LKST_TALLY_KEYS_MAX <= 1 << 16, "lkst_analysis_what() has room for their numbers");

/* Locks whose askers are remembered. */
enum { ASKERS_MAX = 1 << 16 };

/* Waiting for locks. */
struct lockwait {
	struct lkst_analysis_state work;
	struct lkst_map askers; /* by lock: the function that asked for it last, where that was recorded */
};

/*
 * A lock that is a variable is called by its name. Others are part of objects that the
 * kernel has many of: they are called by the function that takes them, or if that is not known, by their address.
 */
static u64 lock_key_of(const struct lkst_analysis_state *w, u64 lock, u32 flags, const u64 *frames,
		       unsigned int nr_frames)
{
	u64 ignored, asker = 0;

	flags &= LKST_LOCK_ALL;
	if (!lkst_symbols_find(w->symbols, lock, &ignored))
		asker = lkst_name_asker(w->symbols, frames, nr_frames);
	if (asker)
		flags |= BY_ASKER;
	return (u64)flags << FLAGS_SHIFT | ((asker ? asker : lock) & LOCK_ADDRESS);
}

static const char *lock_kind_of(u32 flags)
{
	if (flags & LKST_LOCK_MUTEX)
		return "mutex";
	if (flags & LKST_LOCK_RT)
		return "rtmutex";
	if (flags & LKST_LOCK_READ)
		return flags & LKST_LOCK_SPIN ? "readlock" : "read";
	if (flags & LKST_LOCK_WRITE)
		return flags & LKST_LOCK_SPIN ? "writelock" : "write";
	return flags & LKST_LOCK_SPIN ? "spinlock" : "lock";
}

static void lock_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_analysis_state *w = ctx;
	u32 flags = (u32)(key >> FLAGS_SHIFT);
	char kind[32];
	size_t length;

	snprintf(kind, sizeof(kind), "%s%s:", flags & LKST_LOCK_PERCPU ? "percpu_" : "", lock_kind_of(flags));
	lkst_name_address(w->symbols, kind, key | ~LOCK_ADDRESS, text);
	length = strlen(text);
	if (flags & BY_ASKER)
		snprintf(text + length, LKST_KEY_TEXT - length, "()");
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* A thread waits for one mutex at a time, but may have to wait for a spin lock on its way. */
static u64 wait_id(const struct lkst_record *r, u64 lock)
{
	return lock ^ lkst_analysis_thread_key(r) << 24;
}

/* Most waits that spin have no stack: then the lock is taken to be asked for by whoever did so last. */
static int lock_wait_key(struct lockwait *l, u64 lock, u32 flags, const u64 *frames,
			 unsigned int nr_frames, u64 *ret_key)
{
	const u64 *known;
	int err = 0;

	*ret_key = lock_key_of(&l->work, lock, flags, frames, nr_frames);
	if (*ret_key >> FLAGS_SHIFT & BY_ASKER) {
		err = lkst_map_set(&l->askers, lock, *ret_key & LOCK_ADDRESS);
		return err == -ENOSPC ? 0 : err;
	}
	known = frames[0] ? NULL : lkst_map_find(&l->askers, lock);
	if (known)
		*ret_key = (u64)((flags & LKST_LOCK_ALL) | BY_ASKER) << FLAGS_SHIFT | *known;
	return 0;
}

static int lock_on_begin(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_begin *x = record;
	const u64 frames[] = { x->caller, x->caller2, x->caller3, x->caller4, x->caller5 };
	struct lkst_analysis_state *w = ctx;
	u32 flags = x->flags & LKST_LOCK_MUTEX ? x->flags & ~(u32)LKST_LOCK_SPIN : x->flags;
	s64 what; /* the number of the key, which has less than 16 bits */
	u64 key;
	int err = lock_wait_key(ctx, x->lock, flags, frames, sizeof(frames) / sizeof(*frames), &key);

	if (err)
		return err;
	/* A mutex begins twice, spinning and then asleep: the wait is both. */
	what = lkst_tally_key(&w->tallies[0], key);
	if (what < 0)
		return (int)what;
	return lkst_analysis_open_nested(w, &w->pending[0], wait_id(r, x->lock), r, (u16)what, true);
}

static int lock_on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_end *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], wait_id(r, x->lock));

	if (!entry)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN,
					    lock_key_of(w, x->lock, 0, NULL, 0), r->tid, r->cpu);
	return lkst_analysis_close_nested(w, &w->tallies[0], &w->pending[0], entry,
				      w->tallies[0].keys[lkst_analysis_what(entry)].key, r);
}

static int begin_wait(struct lkst_analysis_state *w)
{
	bool has_begin, has_end;
	int err = 0;

	((struct lockwait *)w)->askers.max = ASKERS_MAX;
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "lockwait",
						       .title = "Lock contention",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = lock_put_key });
	has_begin = lkst_analysis_want(w, LKST_EV_contention_begin, lock_on_begin, &err);
	has_end = lkst_analysis_want(w, LKST_EV_contention_end, lock_on_end, &err);
	return err < 0 ? err : has_begin && has_end;
}

static void fini_wait(struct lkst_analysis_state *w)
{
	lkst_map_fini(&((struct lockwait *)w)->askers);
}

const struct lkst_analysis lkst_analysis_lockwait = {
	.name = "lockwait",
	.heritage = "H11",
	.title = "Lock contention",
	.help = "how long threads wait for locks of the kernel",
	.measures = "from contention_begin to contention_end of a thread, by kind and lock (by its "
		    "name, or the function that asks), less the waits for other locks within",
	.events = "contention_begin contention_end",
	.size = sizeof(struct lockwait),
	.begin = begin_wait,
	.fini = fini_wait,
};

/* ---- holding --------------------------------------------------------------------------------- */

/* These locks are held with preemption off, so that each is taken and released on one CPU. */
static u64 hold_id(const struct lkst_record *r, u64 lock)
{
	return lock ^ (u64)r->cpu << 48;
}

/* The functions' records say that a lock is asked for; without contention it is had at once. */
static int lock_take(struct lkst_analysis_state *w, const struct lkst_record *r, u64 lock, u64 caller, u32 flags)
{
	/* A lock that is not released was tried without success, or is taken for reading again. */
	return lkst_analysis_open(w, &w->pending[0], hold_id(r, lock), r,
			      lock_key_of(w, lock, flags, &caller, 1), false);
}

static int lock_release(struct lkst_analysis_state *w, const struct lkst_record *r, u64 lock)
{
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], hold_id(r, lock));

	if (!entry)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN,
					    lock_key_of(w, lock, 0, NULL, 0), r->tid, r->cpu);
	return lkst_analysis_close_on_cpu(w, &w->tallies[0], &w->pending[0], entry, entry->value, r);
}

static int on_spin(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_spin_lock *x = record;

	return lock_take(ctx, r, x->lock, x->caller, LKST_LOCK_SPIN);
}

static int on_write(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_write_lock *x = record;

	return lock_take(ctx, r, x->lock, x->caller, LKST_LOCK_SPIN | LKST_LOCK_WRITE);
}

static int on_read(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_read_lock *x = record;

	return lock_take(ctx, r, x->lock, x->caller, LKST_LOCK_SPIN | LKST_LOCK_READ);
}

static int on_release(void *ctx, const struct lkst_record *r, const void *record)
{
	return lock_release(ctx, r, ((const struct lkst_rec_spin_unlock *)record)->lock);
}

/* The lock was not free: it is held from now on. */
static int on_got(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_end *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], hold_id(r, x->lock));

	if (entry)
		entry->start_ns = r->ns;
	return 0;
}

/* The records of all releases, and of all kinds of asking, have the lock in the same place, and the caller. */
#define LOCK_AT offsetof(struct lkst_rec_spin_lock, lock)
#define CALLER_AT offsetof(struct lkst_rec_spin_lock, caller)
_Static_assert(offsetof(struct lkst_rec_spin_trylock, caller) == CALLER_AT, "");
_Static_assert(offsetof(struct lkst_rec_write_lock, caller) ==
		       offsetof(struct lkst_rec_write_trylock, caller),
	       "");
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

static int begin_hold(struct lkst_analysis_state *w)
{
	bool has = false;
	int err = 0;
	size_t i;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "lockhold",
						       .title = "Lock hold time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = lock_put_key });
	for (i = 0; i < sizeof(hold_wants) / sizeof(hold_wants[0]); i++)
		has |= lkst_analysis_want(w, hold_wants[i].index, hold_wants[i].call, &err) &&
		       hold_wants[i].is_release;
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_lockhold = {
	.name = "lockhold",
	.heritage = "H12",
	.title = "Lock hold time",
	.help = "how long spin locks and read-write locks are held",
	.measures =
		"from spin_lock, write_lock and read_lock (or the contention_end after it) to the "
		"release on the same CPU; they are recorded only if asked for",
	.events = "spin_* write_* read_lock read_unlock contention_end",
	.size = sizeof(struct lkst_analysis_state),
	.begin = begin_hold,
};
