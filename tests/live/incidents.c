// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: all
 *
 * A thousand moments kept, while threads on all CPUs do nothing but system calls: the bank that an
 * incident leaves behind has every call up to its time, the next bank every one after it, and none is
 * lost, in both or in the wrong one.
 *
 * A thread calls fcntl with a number that rises by one each time. So the numbers in a bank must follow on
 * those of the bank before, without a hole. All threads together make no more calls for an incident than a bank
 * holds, and wait when they have made them: how long a bank is looked at does not change what is in the next.
 */
#include <sys/resource.h>

#include "live.h"
#include "live/drain/drain.h"
#include "live/drain/incidents.h"
#include "live/masks/masksets.h"
#include "live/recording/start.h"
#include "live/rings/writers.h"
#include "live/session/buffers.h"
#include "trace/format/block.h"
#include "workers.h"

enum {
	INCIDENTS = 1000,
	BANKS = 2,
	STRAYS_MAX = 4, /* for each incident, on the average: see check_bank() */
	CALLS_MIN = 100,
	CALLS_MAX = 4000,  /* at most, for each incident */
	RECORD_BYTES = 64, /* more than a call's record has */
};

/* Of a worker, in the bank that is looked at: its numbers, and how many records. */
struct seen {
	u32 first, last, nr;
	u32 next; /* the number that the next bank must begin with; 0: any */
};

static struct seen seen[LIVE_WORKERS_MAX];
static u64 nr_records, nr_early, nr_strays, nr_holes;

/* The calls of all workers since the last incident was looked at, and how many they may be. */
static atomic_uint nr_calls;
static unsigned int calls_max;

static void call_round(unsigned int round)
{
	while (atomic_load(&nr_calls) >= calls_max && !atomic_load(&live_is_done))
		sched_yield();
	atomic_fetch_add(&nr_calls, 1);
	syscall(SYS_fcntl, round, 1, 0);
	live_spin(200);
}

/* Has them call again, and returns when they have called some times: for incident @number others than before. */
static void have_them_call(unsigned int number)
{
	const unsigned int times = CALLS_MIN + number * 37 % (calls_max - CALLS_MIN);

	atomic_store(&nr_calls, 0);
	while (atomic_load(&nr_calls) < times)
		usleep(20);
}

/* A bank has calls for two incidents: those after the one and those before the other. Perhaps all are on one CPU. */
static unsigned int calls_that_fit(const struct lkst_session *s)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	const struct lkst_state *state =
		lkst_rings_state(r, 0, LKST_BUFFER_MAIN + LKST_BUFFERS_AT_START);
	const u64 bytes = (u64)(state->ring[0].mask + 1) << r->block_shift;
	const u64 calls = bytes / 4 / RECORD_BYTES;

	return calls < CALLS_MAX ? (unsigned int)calls : CALLS_MAX;
}

static void expect(const char *name, bool good, u64 number, const char *what)
{
	if (good)
		live_ok(name);
	else
		live_fail(name, "%llu %s", (unsigned long long)number, what);
}

/* ---- looking at a bank ------------------------------------------------------------------------ */

struct look {
	const struct lkst_session *s;
	u64 from_ns, until_ns;
};

static void take_call(const struct look *look, const struct lkst_record *r)
{
	unsigned int worker;
	struct seen *w;
	u32 number;

	if (!live_is_call(r, &worker, &number))
		return;
	w = &seen[worker];
	w->first = !w->nr || number < w->first ? number : w->first;
	w->last = number > w->last ? number : w->last;
	w->nr++;
	nr_records++;
	nr_early += r->ns < look->from_ns;
	nr_strays += r->ns >= look->until_ns;
}

static int take_blocks(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
		       size_t length)
{
	const struct look *look = ctx;
	const size_t size = 1UL << lkst_session_rings(look->s)->block_shift;
	size_t at;

	(void)instance;
	for (at = 0; at < length; at += size) {
		struct lkst_block_cursor cursor;
		struct lkst_record record;
		struct lkst_block block;
		int err = lkst_block_parse(e, (const u8 *)blocks + at, size, NULL, &block);

		if (err)
			return err;
		lkst_block_cursor_init(&cursor, &block);
		while ((err = lkst_block_next(e, &cursor, lkst_session_catalog(look->s), &record)) >
		       0)
			if (record.event->syscall >= 0)
				take_call(look, &record);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Holds the numbers in bank @bank against those of the bank before. A CPU that has read the clock, but not
 * yet what the program that keeps the moment stores, may still put its record, of a later time, into the
 * bank: such strays are there, once, and are left out when the incident is saved.
 */
static int check_bank(struct lkst_err *e, struct lkst_session *s, u32 bank, u64 from_ns,
		      u64 until_ns)
{
	struct look look = { s, from_ns, until_ns };
	struct lkst_drain *drain = NULL;
	struct seen *w;
	int err;

	for (w = seen; w < seen + live_nr_workers; w++)
		w->nr = w->last = 0;
	err = lkst_drain_new(e, s, NULL, 0, &drain);
	if (err)
		return err;
	lkst_drain_choose(drain, 1U << bank, UINT64_MAX, 0);
	lkst_drain_set_taker(drain, take_blocks, &look);
	err = lkst_drain_finish(e, drain);
	for (w = seen; w < seen + live_nr_workers; w++) {
		if (!w->nr)
			continue;
		nr_holes += w->last - w->first + 1 - w->nr;
		nr_holes += w->next && w->first != w->next;
		w->next = w->last + 1;
	}
	lkst_drain_free(drain);
	return err;
}

/*
 * A bank whose last block has no record, because the record that opened it was dropped: records that come
 * after the bank was wiped must still be there.
 */
static void check_wiped_behind_nothing(struct lkst_session *s)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	const u32 bank = LKST_BUFFER_MAIN + LKST_BUFFERS_AT_START;
	struct lkst_ring *ring = &lkst_rings_state(r, 0, bank)->ring[0];

	ring->opened = 6;
	ring->done = (5ULL << r->block_shift) + LKST_BLOCK_HEADER;
	lkst_buffer_wipe(s, bank);
	expect("a_block_without_records_is_not_begun_again",
	       ring->first == 6 && (ring->done & ((1ULL << r->block_shift) - 1)) != LKST_BLOCK_HEADER,
	       ring->first, "is the first block");
}

/* ---- keeping ---------------------------------------------------------------------------------- */

static int keep_often(struct lkst_err *e, struct lkst_session *s, unsigned int *ret_kept)
{
	u64 before_ns = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; i < INCIDENTS && !err; i++) {
		struct lkst_incident *list = NULL;
		u32 number = 0, nr = 0;

		have_them_call(i);
		err = lkst_incident_keep(e, s, 0, "test", &number);
		if (!err)
			err = lkst_incidents_list(e, s, &list, &nr);
		if (!err && number == i + 1 && nr == 1 && list->number == number) {
			/* Who had the bank may still be writing to it. */
			lkst_wait_for_writers(lkst_session_rings(s)->nr_cpus);
			err = check_bank(e, s, list->bank, before_ns, list->until_ns);
			before_ns = list->until_ns;
			(*ret_kept)++;
		}
		if (!err && nr)
			err = lkst_incident_drop(e, s, list);
		free(list);
	}
	/* What came last. */
	return err ? err
		   : check_bank(e, s, lkst_session_control(s)->banks.active, before_ns,
				UINT64_MAX);
}

static int keep_moments(struct lkst_err *e, struct lkst_session *s, void *ctx)
{
	int err = lkst_incidents_prepare(e, s, BANKS);

	if (err)
		return err;
	check_wiped_behind_nothing(s);
	calls_max = calls_that_fit(s);
	lkst_session_arm(s, true);
	err = live_workers_start(e, call_round);
	if (!err)
		err = keep_often(e, s, ctx);
	live_workers_stop();
	return err;
}

static int record(struct lkst_err *e, unsigned int *ret_kept)
{
	char *globs[] = { "syscall_entry_fcntl" };
	const struct lkst_session_options options = {
		.buffer_bytes = 1 << 20,
		.block_bytes = 4096,
		.nr_banks = BANKS,
	};

	return live_record_self(e, globs, 1, options, keep_moments, ret_kept);
}

int main(void)
{
	struct lkst_err e = {};
	unsigned int nr_kept = 0;

	if (geteuid()) {
		printf("skip incidents: needs root\n");
		return 0;
	}
	live_begin();
	setpriority(PRIO_PROCESS, (id_t)getpid(), -20);
	if (record(&e, &nr_kept)) {
		live_fail("incidents_recorded", "%s", e.text);
		return live_end();
	}
	printf("%llu records in %u banks; %llu of a later time\n", (unsigned long long)nr_records,
	       nr_kept + 1, (unsigned long long)nr_strays);
	expect("every_incident_is_kept", nr_kept == INCIDENTS, nr_kept, "of them");
	expect("no_record_is_lost_by_going_over", !nr_holes && nr_records > INCIDENTS * CALLS_MIN,
	       nr_holes, "holes");
	expect("what_comes_later_is_in_the_next_bank", !nr_early, nr_early, "records are not");
	expect("strays_are_few", nr_strays <= INCIDENTS * STRAYS_MAX, nr_strays, "strays");
	return live_end();
}
