/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts a running recording, second by second. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/seconds/seconds.h"
#include "base/time.h"
#include "cmd/agent/ship.h"
#include "cmd/control/status.h"
#include "fleet/ship_rows.h"
#include "live/drain/follow.h"
#include "live/rings/history.h"
#include "live/state/state_stream.h"
#include "trace/read/merge.h"

enum {
	RINGS_PAUSE_MS = 200, /* between two looks at the rings, where they do not fill faster */
	SECONDS_PER_MINUTE = 60,
	SECONDS_PER_DAY = 86400,
	BATCH_BYTES = 1 << 20, /* of rows, packed: with many cgroups a batch is sent earlier */
};

/* A record is complete some us after its time; more where a hypervisor takes the CPU away. */
#define DELAY_NS 50000000ULL

/* What is read before the first second: what threads wait for, and which calls they are in. */
#define LEAD_NS 500000000ULL

struct lkst_counting {
	struct lkst_ship *ship;
	struct lkst_follow *follow;
	struct lkst_seconds *seconds;
	struct lkst_threads *threads; /* for cgroups; NULL: they are not asked for */
	u64 begin_ns, next_ns;	      /* when the second that is counted begins, and ends */
	u64 second;		      /* which one that is, of the time of day */
	struct lkst_packed_rows *rows;
	u64 first; /* of the seconds in `rows` */
	u32 nr_seconds;
	struct lkst_fleet_minute minute;
	u64 lost[LKST_LOSS_NR], skipped; /* up to the second before */
	bool has_lost;
	u32 nr_shed; /* kinds that were left out when the second before ended */
};

/* ---- what is known of the recording itself --------------------------------------------------- */

static void sum_lost(const struct lkst_rings *r, u64 lost[LKST_LOSS_NR])
{
	u32 buffer, cpu, cause;

	memset(lost, 0, LKST_LOSS_NR * sizeof(*lost));
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++)
			for (cause = 0; cause < LKST_LOSS_NR; cause++)
				lost[cause] += __atomic_load_n(
					&lkst_rings_state(r, cpu, buffer)->lost[cause],
					__ATOMIC_RELAXED);
}

static int add_skipped(void *ctx, const char *hook, bool is_attached, u64 skipped)
{
	*(u64 *)ctx += skipped;
	return 0;
}

/* Durations that were not counted, since their begin is not known. */
static void add_left_out(struct lkst_fleet_figures *f, const struct lkst_second *second)
{
	static const char *const names[] = { "left_out_runqueue", "left_out_syscall",
					     "left_out_lock",	  "left_out_disk",
					     "left_out_irq",	  "left_out_softirq" };
	u32 m;

	_Static_assert(sizeof(names) / sizeof(names[0]) == LKST_NR_MEASURES,
		       "a name for each measure");
	for (m = 0; m < LKST_NR_MEASURES; m++)
		lkst_fleet_figures_add(f, names[m], second->left_out[m]);
}

/* @asks_hooks: each is a system call, and so not asked each second; what it has skipped comes with the last one. */
static void ship_count_put_losses(struct lkst_counting *c, const struct lkst_fleet_source *source,
				  const struct lkst_second *second, bool asks_hooks)
{
	struct lkst_fleet_figures f = { .measure = "lost" };
	u64 lost[LKST_LOSS_NR], skipped = asks_hooks || !c->has_lost ? 0 : c->skipped;
	u32 cause;

	sum_lost(lkst_session_rings(c->ship->session), lost);
	if (asks_hooks || !c->has_lost)
		lkst_session_each_hook(NULL, c->ship->session, add_skipped, &skipped);
	for (cause = 0; cause < LKST_LOSS_NR; cause++) {
		u64 nr = c->has_lost && lost[cause] > c->lost[cause] ? lost[cause] - c->lost[cause]
								     : 0;

		f.n += lkst_loss_is_of_records(cause) ? nr : 0;
		lkst_fleet_figures_add(&f, lkst_loss_keys[cause], nr);
	}
	if (c->has_lost && skipped > c->skipped) {
		f.n += skipped - c->skipped;
		lkst_fleet_figures_add(&f, "skipped", skipped - c->skipped);
	}
	lkst_fleet_figures_add(&f, "gaps", second->nr_gaps);
	lkst_fleet_figures_add(&f, "overtaken_blocks", second->lost_blocks);
	add_left_out(&f, second);
	lkst_fleet_put_figures(c->rows, source, &f);
	memcpy(c->lost, lost, sizeof(lost));
	c->skipped = skipped;
	c->has_lost = true;
}

/* What the cost limit left out of the second: there other rows count too few. */
static int ship_count_put_limited(struct lkst_counting *c, const struct lkst_fleet_source *source)
{
	struct lkst_budget_view v = {};
	struct lkst_fleet_figures f;
	int err = lkst_session_budget(c->ship->e, c->ship->session, &v);

	if (err)
		return err;
	err = lkst_ship_limited(&v, c->begin_ns, c->next_ns, &f);
	if (err)
		lkst_err_sys(c->ship->e, err, "counting");
	else if (f.n)
		lkst_fleet_put_figures(c->rows, source, &f);
	lkst_budget_view_free(&v);
	return err;
}

static int ship_count_put_recording(struct lkst_counting *c, const struct lkst_fleet_source *source)
{
	struct lkst_fleet_figures f = { .measure = "recording" };
	struct lkst_budget budget;
	struct lkst_history history;
	bool is_looked_at;
	int err = lkst_budget_read_page(c->ship->e, lkst_session_budget_fds(c->ship->session),
					&budget);

	if (err)
		return err;
	lkst_history_look(lkst_session_rings(c->ship->session), &history);
	f.n = budget.nr_shed;
	lkst_fleet_figures_add(&f, "cost_ppm", budget.busiest_ppm);
	lkst_fleet_figures_add(&f, "limit_ppm", budget.limit_ppm);
	lkst_fleet_figures_add(&f, "history_ms",
			       history.nr ? (u64)(history.held[0].seconds * 1000) : 0);
	lkst_fleet_figures_add(&f, "memory_bytes",
			       lkst_session_rings(c->ship->session)->memory_bytes);
	lkst_fleet_put_figures(c->rows, source, &f);
	/* Which kinds there are takes a look at each: what came back in this second was left out in the one before. */
	is_looked_at = budget.nr_shed || c->nr_shed;
	c->nr_shed = budget.nr_shed;
	return is_looked_at ? ship_count_put_limited(c, source) : 0;
}

/* What of all that was to be sent could not be kept; that only grows, so that a row that is lost does no harm. */
static void put_shipped(struct lkst_counting *c, const struct lkst_fleet_source *source)
{
	const struct lkst_spool_position *p = &c->ship->position;
	const struct lkst_spool_missing *m = &c->ship->missing;
	struct lkst_fleet_figures f = { .measure = "ship", .n = p->dropped + m->seconds };

	lkst_fleet_figures_add(&f, "damaged", p->damaged + m->damaged);
	lkst_fleet_figures_add(&f, "spool_bytes", lkst_spool_bytes(c->ship->spool));
	lkst_fleet_figures_add(&f, "cpu_ms", lkst_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000000);
	lkst_fleet_put_figures(c->rows, source, &f);
}

/* ---- batches --------------------------------------------------------------------------------- */

/*
 * The rows are put under a name that nobody sends, then it is noted up to where seconds are counted, then they get
 * their name: killed in between, they are found by lkst_counting_recover(), and nothing is counted twice.
 */
static int put_batch(struct lkst_counting *c)
{
	struct lkst_ship *s = c->ship;
	struct lkst_spool_item item = { .kind = LKST_SPOOL_PENDING,
					.first = c->first,
					.count = c->nr_seconds };
	struct lkst_spool_item ready = item;
	int err;

	if (!c->nr_seconds)
		return 0;
	memcpy(item.trace, lkst_session_catalog(s->session)->uuid, sizeof(item.trace));
	err = lkst_ship_put(s, &item, c->rows);
	if (err)
		s->position.dropped += c->nr_seconds;
	memcpy(s->position.trace, item.trace, sizeof(item.trace));
	s->position.second = c->first + c->nr_seconds - 1;
	s->position.until_ns = c->begin_ns;
	lkst_ship_keep(s);
	c->nr_seconds = 0;
	if (err)
		return 0;
	memcpy(ready.trace, item.trace, sizeof(ready.trace));
	ready.kind = LKST_SPOOL_SECONDS;
	if (lkst_spool_rename(s->e, s->spool, &item, &ready))
		lkst_ship_say(s, "");
	lkst_ship_wake(s->wake_rows);
	return 0;
}

void lkst_counting_recover(struct lkst_ship *s)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	struct lkst_spool_item ready;
	u32 nr = 0, i;

	if (lkst_spool_list(s->e, s->spool, 1U << LKST_SPOOL_PENDING, &items, &nr))
		lkst_ship_say(s, "");
	for (i = 0; i < nr; i++) {
		u64 last = items[i].first + items[i].count - 1;

		lkst_ship_take_position(s, items[i].trace);
		if (s->position.second < last) {
			s->position.second = last;
			s->position.until_ns = (last + 1) * LKST_NS_PER_S - lkst_clock_offset_ns();
			lkst_ship_keep(s);
		}
		ready = items[i];
		ready.kind = LKST_SPOOL_SECONDS;
		if (lkst_spool_rename(s->e, s->spool, &items[i], &ready))
			lkst_ship_say(s, "");
	}
}

/* When the second of the time of day that follows @second ends, as the clock is set now. */
static u64 ship_count_end_of(u64 second)
{
	return (second + 1) * LKST_NS_PER_S - lkst_clock_offset_ns();
}

/*
 * The next second is the one that the clock says, but never one that was counted before: the clock may be set back, and
 * then seconds follow each other until it has caught up.
 */
static void begin_second(struct lkst_counting *c)
{
	u64 now = (c->next_ns + lkst_clock_offset_ns()) / LKST_NS_PER_S;

	c->begin_ns = c->next_ns;
	c->second = now > c->second ? now : c->second + 1;
	c->next_ns = ship_count_end_of(c->second);
	/* The rest of a second that is nearly over goes with the next one. */
	if (c->next_ns < c->begin_ns + LKST_NS_PER_S / 2) {
		c->second++;
		c->next_ns += LKST_NS_PER_S;
	}
	/* Not shorter or longer than that, wherever the clock was set to. */
	if (c->next_ns < c->begin_ns + LKST_NS_PER_S / 2 ||
	    c->next_ns > c->begin_ns + LKST_NS_PER_S * 3 / 2)
		c->next_ns = c->begin_ns + LKST_NS_PER_S;
	lkst_seconds_next(c->seconds);
}

/* A batch is of seconds that follow each other, within a day: those of another are kept elsewhere. */
static bool is_last_of_batch(const struct lkst_counting *c)
{
	return !((c->second + 1) % SECONDS_PER_DAY) ||
	       c->nr_seconds * LKST_NS_PER_S >= c->ship->options->every_ns ||
	       c->rows->length > BATCH_BYTES;
}

static int end_second(struct lkst_counting *c)
{
	const struct lkst_second *second = lkst_seconds_end(c->seconds, c->next_ns);
	const struct lkst_fleet_source source = { .catalog = lkst_session_catalog(c->ship->session),
						  .threads = c->threads,
						  .second = (u32)c->second };
	bool is_last;
	int err;

	if (!c->nr_seconds) {
		c->first = c->second;
		lkst_packed_rows_again(c->rows);
	}
	lkst_fleet_put_second(c->rows, &source, second);
	c->nr_seconds++;
	is_last = is_last_of_batch(c);
	ship_count_put_losses(c, &source, second, is_last);
	err = ship_count_put_recording(c, &source);
	if (!err && lkst_fleet_minute_add(&c->minute, (u32)c->second, second))
		err = lkst_err_sys(c->ship->e, -ENOMEM, "counting");
	if (err)
		return err;
	begin_second(c);
	if (c->second / SECONDS_PER_MINUTE != c->minute.first / SECONDS_PER_MINUTE)
		lkst_fleet_put_minute(c->rows, &source, &c->minute);
	/* The clock was set forward: what follows is another batch. */
	is_last |= c->second != c->first + c->nr_seconds;
	if (is_last)
		put_shipped(c, &source);
	return is_last ? put_batch(c) : 0;
}

/* ---- following ------------------------------------------------------------------------------- */

static int ship_count_on_record(void *ctx, const struct lkst_record *r)
{
	struct lkst_counting *c = ctx;
	int err = 0;

	if (c->threads && r->buffer == LKST_BUFFER_LIFE)
		err = lkst_threads_feed(c->threads, r);
	return err ?: lkst_seconds_feed(c->seconds, r);
}

static void ship_count_on_gap(void *ctx, const struct lkst_gap *gap)
{
	lkst_seconds_gap(((struct lkst_counting *)ctx)->seconds, gap);
}

/* The same where no cgroups are counted apart: each record costs a call less. */
static int ship_count_feed(void *seconds, const struct lkst_record *r)
{
	return lkst_seconds_feed(seconds, r);
}

static void feed_gap(void *seconds, const struct lkst_gap *gap)
{
	lkst_seconds_gap(seconds, gap);
}

/* Counts all records up to @until_ns. */
static int count_until(struct lkst_counting *c, u64 until_ns)
{
	static const struct lkst_merge_calls calls = { .record = ship_count_on_record, .gap = ship_count_on_gap };
	static const struct lkst_merge_calls direct = { .record = ship_count_feed, .gap = feed_gap };
	int err = c->threads ? lkst_follow_each(c->follow, until_ns, &calls, c)
			     : lkst_follow_each(c->follow, until_ns, &direct, c->seconds);

	return err ? lkst_err_sys(c->ship->e, err, "counting") : 0;
}

static int ship_count_all(struct lkst_counting *c, u64 until_ns)
{
	int err = count_until(c, until_ns);

	while (!err && lkst_follow_has_more(c->follow))
		err = lkst_follow_fill(c->ship->e, c->follow) ?: count_until(c, until_ns);
	return err;
}

int lkst_counting_step(struct lkst_counting *c)
{
	u64 until_ns = lkst_monotonic_ns() - DELAY_NS;
	int err = lkst_follow_fill(c->ship->e, c->follow);

	while (!err && c->next_ns <= until_ns)
		err = ship_count_all(c, c->next_ns - 1) ?: end_second(c);
	return err ?: ship_count_all(c, until_ns);
}

/* The minute that was begun: with the seconds that wait, or alone where all of its seconds are put already. */
int lkst_counting_finish(struct lkst_counting *c)
{
	const struct lkst_fleet_source source = {
		.catalog = lkst_session_catalog(c->ship->session),
	};
	struct lkst_spool_item rest = { .kind = LKST_SPOOL_SECONDS, .first = c->minute.first };

	if (!c->minute.nr_seconds)
		return put_batch(c);
	if (!c->nr_seconds)
		lkst_packed_rows_again(c->rows);
	lkst_fleet_put_minute(c->rows, &source, &c->minute);
	if (c->nr_seconds)
		return put_batch(c);
	memcpy(rest.trace, source.catalog->uuid, sizeof(rest.trace));
	return lkst_ship_put(c->ship, &rest, c->rows);
}

unsigned int lkst_counting_pause_ms(const struct lkst_counting *c)
{
	u64 now = lkst_monotonic_ns(), due_ns = c->next_ns + DELAY_NS;
	unsigned int due_ms = due_ns > now ? (unsigned int)((due_ns - now) / 1000000) + 1 : 0,
		     ms = lkst_follow_quarter_ms(c->follow);

	ms = ms < RINGS_PAUSE_MS ? ms : RINGS_PAUSE_MS;
	/* The end of a second is looked at when it is due. */
	return due_ms < ms ? due_ms : ms;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int ship_count_feed_cgroup(void *ctx, struct lkst_state_cgroup *cgroup, size_t length)
{
	struct lkst_counting *c = ctx;
	const struct lkst_record r = {
		.event = lkst_catalog_find(lkst_session_catalog(c->ship->session), "state_cgroup"),
		.size = (u32)length,
		.bytes = (const u8 *)cgroup,
		.buffer = LKST_BUFFER_STATE,
	};

	return r.event ? lkst_threads_feed(c->threads, &r) : 0;
}

/* The threads that there are, for the cgroups that they are in. */
static int ship_count_list_threads(struct lkst_counting *c)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list list = {};
	const struct lkst_session *s = c->ship->session;
	struct lkst_record r = { .event =
					 lkst_catalog_find(lkst_session_catalog(s), "state_thread"),
				 .size = sizeof(*list.list),
				 .buffer = LKST_BUFFER_STATE };
	int err = 0;
	unsigned int i;

	c->threads = lkst_threads_new();
	if (!c->threads)
		return lkst_err_sys(c->ship->e, -ENOMEM, "listing threads");
	err = r.event ? lkst_state_list_threads(c->ship->e, s, &list) : 0;
	for (i = 0; i < list.nr && !err; i++) {
		r.bytes = (const u8 *)&list.list[i];
		err = lkst_threads_feed(c->threads, &r);
	}
	return err ?: lkst_state_list_cgroups(c->ship->e, &list, ship_count_feed_cgroup, c);
}

/* Where to begin: after the last second that was put, if that is in memory still, or with the next one. */
static void ship_count_find_begin(struct lkst_counting *c, u64 *ret_from_ns)
{
	const struct lkst_spool_position *p = &c->ship->position;
	const struct lkst_rings *rings = lkst_session_rings(c->ship->session);
	u64 covered_ns = lkst_rings_covered_ns(rings, LKST_BUFFER_MAIN),
	    from_ns = lkst_monotonic_ns();

	c->second = 0;
	if (!memcmp(p->trace, lkst_session_catalog(c->ship->session)->uuid, sizeof(p->trace))) {
		c->second = p->second;
		if (covered_ns && p->until_ns >= covered_ns)
			from_ns = p->until_ns;
	}
	*ret_from_ns = from_ns;
}

/* What nobody has counted in between is lost; noted together with up to where that is, so that it counts once. */
static void note_uncounted(struct lkst_counting *c)
{
	struct lkst_spool_position *p = &c->ship->position;

	if (!p->second || c->second <= p->second + 1)
		return;
	p->dropped += c->second - p->second - 1;
	p->second = c->second - 1;
	p->until_ns = c->begin_ns;
	lkst_ship_keep(c->ship);
}

int lkst_counting_new(struct lkst_ship *s, struct lkst_counting **ret_counting)
{
	_cleanup_(lkst_counting_freep) struct lkst_counting *c = calloc(1, sizeof(*c));
	struct lkst_seconds_options options = { .nr_cpus = lkst_session_rings(s->session)->nr_cpus,
						.cgroup = s->options->cgroup };
	u64 from_ns;
	int err;

	if (!c)
		return lkst_err_sys(s->e, -ENOMEM, "counting");
	c->ship = s;
	c->rows = calloc(1, sizeof(*c->rows));
	if (!c->rows || lkst_packed_rows_init(c->rows))
		return lkst_err_sys(s->e, -ENOMEM, "counting");
	ship_count_find_begin(c, &from_ns);
	options.from_ns = from_ns > LEAD_NS ? from_ns - LEAD_NS : 1;
	err = lkst_follow_new(s->e, s->session, options.from_ns, &c->follow);
	if (!err)
		lkst_follow_choose(c->follow, UINT32_MAX);
	if (!err && options.cgroup)
		err = ship_count_list_threads(c);
	options.threads = c->threads;
	options.calls = c->minute.calls;
	err = err ?: lkst_seconds_new(s->e, &options, &c->seconds) ?:
	      lkst_follow_fill(s->e, c->follow) ?: ship_count_all(c, from_ns - 1);
	if (err)
		return err;
	lkst_seconds_end(c->seconds, from_ns);
	/* Calls that ended before are not of the first minute. */
	lkst_fleet_minute_fini(&c->minute);
	c->next_ns = from_ns;
	begin_second(c);
	note_uncounted(c);
	*ret_counting = lkst_take(c);
	return 0;
}

void lkst_counting_free(struct lkst_counting *c)
{
	if (!c)
		return;
	if (c->rows)
		lkst_packed_rows_fini(c->rows);
	free(c->rows);
	lkst_seconds_free(c->seconds);
	lkst_fleet_minute_fini(&c->minute);
	lkst_follow_free(c->follow);
	lkst_threads_free(c->threads);
	free(c);
}
