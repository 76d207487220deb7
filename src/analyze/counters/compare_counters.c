/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own counters and the records of the same time. */
#include "analyze/counters/compare_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "analyze/engine/limited.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/read/counted.h"
#include "trace/read/ends.h"
#include "trace/read/state_walk.h"

enum {
	COUNTERS_MAX = 1 << 20,
	NAME_ROOM = 64,
};

const char *const lkst_counters_verdict_names[] = {
	[LKST_COUNTERS_COMPLETE] = "complete",
	[LKST_COUNTERS_MISSING] = "missing",
	[LKST_COUNTERS_MORE] = "more than counted",
	[LKST_COUNTERS_UNRECORDED] = "not recorded all the time",
	[LKST_COUNTERS_OTHER] = "counts something else",
	[LKST_COUNTERS_NO_EVENT] = "no event records it",
};
_Static_assert(sizeof(lkst_counters_verdict_names) / sizeof(char *) == LKST_NR_COUNTERS_VERDICTS,
	       "a name per verdict");

const char *const lkst_counter_names[] = {
	[LKST_COUNTER_SWITCHES] = "switches",	  [LKST_COUNTER_FORKS] = "threads created",
	[LKST_COUNTER_SOFTIRQ] = "softirqs",	  [LKST_COUNTER_IRQ] = "device interrupts",
	[LKST_COUNTER_VECTOR] = "CPU interrupts", [LKST_COUNTER_DISK] = "disk requests",
	[LKST_COUNTER_SENT] = "packets sent",	  [LKST_COUNTER_FAULTS] = "page faults",
	[LKST_COUNTER_SENT_BY] = "sent by devices", [LKST_COUNTER_MAJOR] = "major faults",
};
_Static_assert(sizeof(lkst_counter_names) / sizeof(char *) == LKST_NR_COUNTERS, "a name per kind");

/* Which counter it is. */
struct key {
	u8 kind;
	s16 cpu;
	s32 number;
};

/* A counter's value at one reading. */
struct compare_counters_reading {
	struct key key;
	u64 value, from_ns, to_ns;
	u64 most; /* records that may be of the time from this reading to the next one */
	u32 after_least, after_most; /* records after the trace's end, of the time before this reading */
	bool is_recorded;
	char name[NAME_ROOM];
};

/* A counter, and its readings in order of time, as far as its records reach back. */
struct counter {
	struct key key;
	char name[NAME_ROOM];
	u32 first, nr;	   /* its readings */
	u32 begin, end;	   /* the first and the last of these at which it was recorded */
	u32 at;		   /* the one after which the records are that are fed now */
	u64 least, most;   /* records */
	bool was_recorded; /* at two readings at least */
	bool has_gap;	   /* at one between it was not recorded */
};

struct lkst_counters_check {
	struct compare_counters_reading *readings; /* by key and time */
	u32 nr_readings;
	struct counter *list; /* by key */
	u32 nr;
	u32 most_readings;		   /* of one counter */
	u32 begin, end;			   /* of those that have so many */
	u32 at_kind[LKST_NR_COUNTERS + 1]; /* where each kind begins */
	u64 lost_ns, lost_life_ns;	   /* before it records of some ring were overwritten */
	u64 goes_on_ns;			   /* after it records are in the next part */
	bool has_older, has_later;	   /* there are readings before, and after that */
	u32 nr_cpus;			   /* that have records */
	struct lkst_counted counted;
	struct lkst_limited *limited; /* what the cost limit left out, and when */
};

/* ---- the readings ------------------------------------------------------------------- */

static u64 compare_counters_field(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

/* Room for one more reading. */
static struct compare_counters_reading *compare_counters_add(struct lkst_counters_check *c)
{
	return c->nr_readings < COUNTERS_MAX ? lkst_vec_add(c->readings, c->nr_readings) : NULL;
}

static int take_counter(struct lkst_counters_check *c, const struct lkst_record *r)
{
	u64 kind = compare_counters_field(r, "kind");
	struct compare_counters_reading reading = { .key = { .kind = (u8)kind,
					    .cpu = (s16)compare_counters_field(r, "counter_cpu"),
					    .number = (s32)compare_counters_field(r, "number") },
				   .value = compare_counters_field(r, "value"),
				   .from_ns = compare_counters_field(r, "from"),
				   .to_ns = compare_counters_field(r, "to"),
				   .after_least = (u32)compare_counters_field(r, "after_least"),
				   .after_most = (u32)compare_counters_field(r, "after_most"),
				   .is_recorded = compare_counters_field(r, "is_recorded") };
	const struct lkst_field_class *name = lkst_class_field(r->event, "name");
	struct compare_counters_reading *place;
	const u8 *text;
	u32 length;

	if (kind >= LKST_NR_COUNTERS || reading.from_ns > reading.to_ns)
		return 0;
	text = name ? lkst_record_field(r, (u16)(name - r->event->fields), &length) : NULL;
	if (text)
		memcpy(reading.name, text, length < NAME_ROOM ? length : NAME_ROOM - 1);
	place = compare_counters_add(c);
	if (!place)
		return -ENOMEM;
	*place = reading;
	return 0;
}

/* Up to when the history of some ring was overwritten: no reading before it can be compared. */
static void take_lost(struct lkst_counters_check *c, const struct lkst_record *r)
{
	u64 *lost_ns = compare_counters_field(r, "buffer") == LKST_BUFFER_LIFE ? &c->lost_life_ns : &c->lost_ns;

	if (compare_counters_field(r, "to") > *lost_ns)
		*lost_ns = compare_counters_field(r, "to");
}

static int compare_counters_take(struct lkst_err *e, void *ctx, const struct lkst_block *block,
				 const struct lkst_record *r)
{
	struct lkst_counters_check *c = ctx;

	if (r->event->index == LKST_EV_state_overwritten)
		take_lost(c, r);
	return r->event->index == LKST_EV_state_counter ? take_counter(c, r) : 0;
}

static int compare_counters_compare_keys(const struct key *x, const struct key *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_counters_by_time(const void *a, const void *b)
{
	const struct compare_counters_reading *x = a, *y = b;
	int order = compare_counters_compare_keys(&x->key, &y->key);

	return order ? order : (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/*
 * Keeps the readings that records reach back to, and forward: a part that is full has only some of the records that
 * were made before its last reading. Threads created are in buffers of their own.
 */
static void leave_out_others(struct lkst_counters_check *c)
{
	u32 i, nr = 0;

	for (i = 0; i < c->nr_readings; i++) {
		const struct compare_counters_reading *r = &c->readings[i];
		u64 lost_ns = r->key.kind == LKST_COUNTER_FORKS && c->lost_life_ns > c->lost_ns
				      ? c->lost_life_ns
				      : c->lost_ns;

		c->has_older |= r->from_ns < lost_ns;
		c->has_later |= r->to_ns > c->goes_on_ns;
		if (r->from_ns >= lost_ns && r->to_ns <= c->goes_on_ns)
			c->readings[nr++] = *r;
	}
	c->nr_readings = nr;
}

/* Finds between which of its readings the counter was recorded. */
static void find_recorded(struct lkst_counters_check *c, struct counter *counter)
{
	const struct compare_counters_reading *r = &c->readings[counter->first];
	u32 i, nr = 0;

	for (i = 0; i < counter->nr; i++) {
		if (!r[i].is_recorded)
			continue;
		counter->begin = nr ? counter->begin : i;
		counter->end = i;
		nr++;
	}
	counter->was_recorded = nr > 1;
	counter->has_gap = nr && nr < counter->end - counter->begin + 1;
	if (!counter->was_recorded) {
		counter->begin = 0;
		counter->end = counter->nr - 1;
	}
	counter->at = counter->begin;
}

/* Makes the list of counters out of the readings. */
static int list_counters(struct lkst_counters_check *c)
{
	u32 i;

	c->list = calloc(c->nr_readings ?: 1, sizeof(*c->list));
	if (!c->list)
		return -ENOMEM;
	if (c->nr_readings)
		qsort(c->readings, c->nr_readings, sizeof(*c->readings), compare_counters_by_time);
	for (i = 0; i < c->nr_readings; i++) {
		const struct compare_counters_reading *r = &c->readings[i];
		struct counter *counter = c->nr ? &c->list[c->nr - 1] : NULL;

		if (!counter || compare_counters_compare_keys(&counter->key, &r->key)) {
			counter = &c->list[c->nr++];
			*counter = (struct counter){ .key = r->key, .first = i };
		}
		counter->nr++;
		if (!counter->name[0])
			memcpy(counter->name, r->name, NAME_ROOM);
	}
	return 0;
}

/*
 * Finds the readings that are compared: from the first to the last at which anything was recorded. Readings are made
 * of all counters at a time; a counter that has fewer readings came or went meanwhile.
 */
static void compare_counters_find_range(struct lkst_counters_check *c)
{
	bool has = false;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		find_recorded(c, &c->list[i]);
		if (c->list[i].nr > c->most_readings)
			c->most_readings = c->list[i].nr;
	}
	c->end = c->most_readings ? c->most_readings - 1 : 0;
	for (i = 0; i < c->nr; i++) {
		const struct counter *counter = &c->list[i];

		if (!counter->was_recorded || counter->nr < c->most_readings)
			continue;
		c->begin = has && c->begin < counter->begin ? c->begin : counter->begin;
		c->end = has && c->end > counter->end ? c->end : counter->end;
		has = true;
	}
}

/* Leaves out counters that were read only once, or set back meanwhile, and finds where each kind begins. */
static void leave_out_lone(struct lkst_counters_check *c)
{
	u32 i, nr = 0, kind, k = 0;

	for (i = 0; i < c->nr; i++) {
		const struct counter *counter = &c->list[i];
		const struct compare_counters_reading *r = &c->readings[counter->first];

		if (counter->nr > 1 && r[counter->end].value >= r[counter->begin].value)
			c->list[nr++] = *counter;
	}
	c->nr = nr;
	for (kind = 0; kind <= LKST_NR_COUNTERS; kind++) {
		while (k < c->nr && c->list[k].key.kind < kind)
			k++;
		c->at_kind[kind] = k;
	}
}

/* ---- the comparison ------------------------------------------------------------------ */

/* The CPUs that have streams; these are in their order. */
static u32 compare_counters_count_cpus(const struct lkst_trace *t)
{
	s64 last_cpu = -1;
	unsigned int i;
	u32 nr = 0;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);

		if (info->buffer != LKST_BUFFER_STATE && info->cpu != last_cpu) {
			last_cpu = info->cpu;
			nr++;
		}
	}
	return nr;
}

int lkst_counters_check_new(struct lkst_err *e, struct lkst_trace *t,
			    struct lkst_counters_check **ret_check)
{
	_cleanup_(lkst_counters_check_freep) struct lkst_counters_check *c = calloc(1, sizeof(*c));
	int err = c ? lkst_state_walk(NULL, t, compare_counters_take, c, NULL) : -ENOMEM;

	if (!err) {
		c->goes_on_ns = lkst_trace_goes_on_ns(t);
		leave_out_others(c);
		err = list_counters(c);
	}
	if (err)
		return lkst_err_sys(e, err, "comparing with the kernel's counters");
	c->nr_cpus = compare_counters_count_cpus(t);
	compare_counters_find_range(c);
	leave_out_lone(c);
	lkst_counted_map(&c->counted, lkst_trace_catalog(t));
	err = lkst_limited_new(e, t, &c->limited);
	if (err)
		return err;
	*ret_check = lkst_take(c);
	return 0;
}

void lkst_counters_check_free(struct lkst_counters_check *c)
{
	if (c) {
		lkst_limited_free(c->limited);
		free(c->list);
		free(c->readings);
	}
	free(c);
}

/* ---- counting ----------------------------------------------------------------------- */

static int compare_counters_by_key(const void *a, const void *b)
{
	return compare_counters_compare_keys(a, &((const struct counter *)b)->key);
}

static struct counter *compare_counters_find(const struct lkst_counters_check *c, u8 kind, s16 cpu, s32 number)
{
	const struct key key = { .kind = kind, .cpu = cpu, .number = number };
	u32 first = c->at_kind[kind], nr = c->at_kind[kind + 1] - first;

	return nr ? bsearch(&key, c->list + first, nr, sizeof(*c->list), compare_counters_by_key) : NULL;
}

/* Records come in order of time, so that the place among the readings only ever moves on. */
static void compare_counters_count(struct lkst_counters_check *c, struct counter *counter, u64 ns)
{
	struct compare_counters_reading *r = &c->readings[counter->first];
	u32 at = counter->at, end = counter->end;

	while (at < end && r[at + 1].to_ns < ns)
		at++;
	counter->at = at;
	if (at < end && ns >= r[at].from_ns)
		r[at].most++;
	if (at + 1 < end && ns >= r[at + 1].from_ns)
		r[at + 1].most++;
	counter->least += ns >= r[counter->begin].to_ns && ns <= r[end].from_ns;
	counter->most += ns >= r[counter->begin].from_ns && ns <= r[end].to_ns;
}

void lkst_counters_check_feed(struct lkst_counters_check *c, const struct lkst_record *r)
{
	struct counter *counter;
	s32 number;
	u8 kind;

	if (!lkst_counted_of(&c->counted, r, &kind, &number))
		return;
	counter = compare_counters_find(c, kind, (s16)r->cpu, number);
	if (!counter)
		counter = compare_counters_find(c, kind, -1, number);
	if (!counter && kind == LKST_COUNTER_SENT)
		counter = compare_counters_find(c, LKST_COUNTER_SENT_BY, -1, number);
	if (counter)
		compare_counters_count(c, counter, r->ns);
}

/* ---- comparing ---------------------------------------------------------------------- */

/*
 * A part of a request is a completion of its own, several devices share an interrupt, and other network
 * namespaces have a loopback of the same number: these may have more records than the kernel counts.
 */
static bool may_be_more(const struct counter *counter)
{
	return counter->key.kind == LKST_COUNTER_DISK || counter->key.kind == LKST_COUNTER_SENT ||
	       (counter->key.kind == LKST_COUNTER_IRQ && strchr(counter->name, ','));
}

/*
 * An event is counted at one moment and recorded at another: at each reading each CPU may be between the
 * two.
 */
static u64 between(const struct lkst_counters_check *c, const struct counter *counter)
{
	return 2 * (counter->key.cpu < 0 ? c->nr_cpus : 1);
}

/* Whether the counter was recorded all the time that is compared, as far as is known. */
static bool compare_counters_is_recorded(const struct lkst_counters_check *c, const struct counter *counter)
{
	return counter->was_recorded && !counter->has_gap && counter->nr == c->most_readings &&
	       counter->begin == c->begin && counter->end == c->end;
}

/* Whether what it counts was left out in some of the time that is compared, to keep to the cost limit. */
static bool compare_counters_is_limited(const struct lkst_counters_check *c, const struct counter *counter)
{
	const struct compare_counters_reading *r = &c->readings[counter->first];
	u32 id;

	for (id = 0; id <= LKST_ID_MAX; id++)
		if (c->counted.kind[id] == counter->key.kind + 1 &&
		    (c->counted.number_of[id] || c->counted.fixed[id] == counter->key.number) &&
		    lkst_limited_crosses(c->limited, id, r[counter->begin].from_ns, r[counter->end].to_ns))
			return true;
	return false;
}

static enum lkst_counters_verdict compare_counters_judge(const struct lkst_counters_check *c,
							 const struct counter *counter,
							 const struct lkst_counters_row *row)
{
	const u64 room = between(c, counter);

	if (counter->key.kind == LKST_COUNTER_MAJOR)
		return LKST_COUNTERS_NO_EVENT;
	if (!counter->was_recorded || compare_counters_is_limited(c, counter))
		return LKST_COUNTERS_UNRECORDED;
	if (counter->key.kind == LKST_COUNTER_FAULTS || counter->key.kind == LKST_COUNTER_SENT_BY)
		return LKST_COUNTERS_OTHER;
	if (row->kernel > row->most + room)
		return LKST_COUNTERS_MISSING;
	if (!compare_counters_is_recorded(c, counter))
		return LKST_COUNTERS_UNRECORDED;
	if (row->least > row->kernel + room && !may_be_more(counter))
		return LKST_COUNTERS_MORE;
	return LKST_COUNTERS_COMPLETE;
}

/* Between which readings all the missing records belong. */
static void locate(const struct lkst_counters_check *c, const struct counter *counter,
		   struct lkst_counters_row *row)
{
	const struct compare_counters_reading *r = &c->readings[counter->first];
	bool has = false;
	u32 i;

	for (i = counter->begin; i < counter->end; i++) {
		u64 kernel = r[i + 1].value - r[i].value;
		u64 most = r[i].most + r[i + 1].after_most;

		if (r[i + 1].value < r[i].value || kernel <= most + between(c, counter))
			continue;
		if (!has)
			row->missing_from_ns = r[i].from_ns;
		row->missing_to_ns = r[i + 1].to_ns;
		has = true;
	}
	if (row->missing_from_ns == r[counter->begin].from_ns &&
	    row->missing_to_ns == r[counter->end].to_ns)
		row->missing_from_ns = row->missing_to_ns = 0;
}

static struct lkst_counters_row compare_counters_row_of(const struct lkst_counters_check *c,
							const struct counter *counter)
{
	const struct compare_counters_reading *r = &c->readings[counter->first];
	struct lkst_counters_row row = { .kind = counter->key.kind,
					 .cpu = counter->key.cpu,
					 .number = counter->key.number,
					 .name = counter->name,
					 .kernel = r[counter->end].value - r[counter->begin].value,
					 .least = counter->least + r[counter->end].after_least,
					 .most = counter->most + r[counter->end].after_most };

	row.verdict = compare_counters_judge(c, counter, &row);
	if (row.verdict == LKST_COUNTERS_MISSING) {
		row.missing = row.kernel - row.most;
		locate(c, counter, &row);
	}
	if (row.verdict == LKST_COUNTERS_MORE)
		row.surplus = row.least - row.kernel;
	return row;
}

unsigned int lkst_counters_check_nr(const struct lkst_counters_check *c)
{
	return c->nr;
}

struct lkst_counters_row lkst_counters_check_row(const struct lkst_counters_check *c, unsigned int i)
{
	return compare_counters_row_of(c, &c->list[i]);
}

bool lkst_counters_check_sum(const struct lkst_counters_check *c, enum lkst_counter kind,
			     struct lkst_counters_row *ret_row)
{
	/* From the worst verdict on a sum to the best. */
	static const u8 rank[LKST_NR_COUNTERS_VERDICTS] = { [LKST_COUNTERS_MISSING] = 4,
							    [LKST_COUNTERS_MORE] = 3,
							    [LKST_COUNTERS_UNRECORDED] = 2,
							    [LKST_COUNTERS_OTHER] = 1,
							    [LKST_COUNTERS_NO_EVENT] = 1 };
	struct lkst_counters_row sum = { .kind = kind, .cpu = -1, .name = "" };
	u32 i;

	for (i = c->at_kind[kind]; i < c->at_kind[kind + 1]; i++) {
		struct lkst_counters_row row = compare_counters_row_of(c, &c->list[i]);

		sum.kernel += row.kernel;
		sum.least += row.least;
		sum.most += row.most;
		sum.missing += row.missing;
		sum.surplus += row.surplus;
		if (rank[row.verdict] > rank[sum.verdict])
			sum.verdict = row.verdict;
	}
	if (i == c->at_kind[kind])
		return false;
	*ret_row = sum;
	return true;
}

const char *lkst_counters_check_why_not(const struct lkst_counters_check *c)
{
	if (c->nr)
		return NULL;
	if (c->has_later)
		return lkst_trace_goes_on_text();
	if (c->most_readings)
		return "only one reading of them lies in the time of its records";
	return c->has_older ? "its records reach back to no reading of them"
			    : "the trace has no reading of them";
}

void lkst_counters_check_range(const struct lkst_counters_check *c, u64 *ret_from_ns, u64 *ret_to_ns)
{
	u32 i;

	*ret_from_ns = *ret_to_ns = 0;
	for (i = 0; i < c->nr; i++) {
		const struct compare_counters_reading *r = &c->readings[c->list[i].first];

		if (c->list[i].nr < c->most_readings)
			continue;
		*ret_from_ns = r[c->begin].from_ns;
		*ret_to_ns = r[c->end].to_ns;
		return;
	}
}
