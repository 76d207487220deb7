/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kinds of events the cost limit left out, and when. */
#include "analyze/engine/limited.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "base/bsearch.h"
#include "base/vec.h"
#include "trace/format/half.h"
#include "trace/known/threads_before.h"

enum {
	KINDS_MAX = 1024,
	NAMES_SHOWN = 2, /* of kinds; the rest is counted */
	/*
	 * Masksets are marked one after the other, before shed_begin is recorded and after shed_end, and a program that
	 * is under way has looked at one already (src/bpf/budget/budget_kinds.h).
	 */
	SLACK_NS = LKST_LIMITED_SLACK_NS,
	PATTERN_MAX = 64,
};

/* A time in which a kind was left out. */
struct limited_span {
	u64 from_ns, to_ns; /* to_ns UINT64_MAX: it is not over when the trace ends */
};

struct limited_kind {
	char name[LKST_KIND_NAME];
	struct limited_span *spans; /* in order */
	u32 nr_spans;
	u32 cost_ppm;	/* when it was left out last; 0: not known */
	u32 nr_events;
	u64 ledger_ns;	/* when the ledger found it left out; 0: it did not */
	u64 ledger_from_ns; /* it had begun to be so by then */
	u32 covers[LKST_EVENT_SPACE / 32]; /* a bit for each of its events */
};

struct lkst_limited {
	struct lkst_trace *trace;
	const struct lkst_catalog *catalog;
	struct limited_kind *kinds;
	u32 nr_kinds;
	/* By event: the kinds that have it are kinds_of[first_of[id]] up to kinds_of[first_of[id + 1]]. */
	u32 *kinds_of;
	u32 first_of[LKST_EVENT_SPACE + 1];
	/* While the kinds are found: what each event would be called as one. NULL: none has been met. */
	char (*names)[LKST_KIND_NAME];
};

/* ---- which events a kind has -------------------------------------------------------------- */

static void name_kind(const struct lkst_catalog *c, const struct lkst_event_class *one, char name[LKST_KIND_NAME])
{
	const struct lkst_event_class *other = one->other_half ? c->classes[one->other_half] : NULL;
	char both[LKST_NAME_MAX];

	snprintf(both, sizeof(both), "%s", one->name);
	if (other)
		lkst_half_common_name(one->half == LKST_HALF_EXIT ? other->name : one->name,
				      one->half == LKST_HALF_EXIT ? one->name : other->name, both, sizeof(both));
	snprintf(name, LKST_KIND_NAME, "%.*s", LKST_KIND_NAME - 1, both);
}

/* Whether the hooks of system calls serve the event. */
static bool is_of_calls(const struct lkst_event_class *event)
{
	unsigned int i;

	if (lkst_class_call(event))
		return true;
	for (i = 0; event->index >= 0 && i < lkst_events[event->index].nr_hooks; i++) {
		const char *target = lkst_events[event->index].hooks[i].target;

		if (!strcmp(target, "sys_enter") || !strcmp(target, "sys_exit"))
			return true;
	}
	return false;
}

static int name_all(struct lkst_limited *l)
{
	u32 id;

	if (l->names)
		return 0;
	l->names = calloc(LKST_EVENT_SPACE, sizeof(*l->names));
	for (id = 1; l->names && id < LKST_EVENT_SPACE; id++)
		if (l->catalog->classes[id])
			name_kind(l->catalog, l->catalog->classes[id], l->names[id]);
	return l->names ? 0 : -ENOMEM;
}

/* Whether what is called @kind, "syscall:read" or "syscall:*", has event @id. */
static bool has_event(const struct lkst_limited *l, const char *kind, u32 id)
{
	size_t length = strlen(kind);

	if (!strcmp(kind, "syscall:*"))
		return is_of_calls(l->catalog->classes[id]);
	if (length && kind[length - 1] == '*')
		return !strncmp(l->names[id], kind, length - 1);
	return !strcmp(l->names[id], kind);
}

static bool covers(const struct limited_kind *k, u32 id)
{
	return k->covers[id / 32] >> id % 32 & 1;
}

static struct limited_kind *limited_kind_of(struct lkst_limited *l, const struct lkst_record *r)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "kind");
	char name[LKST_KIND_NAME];
	u32 length = 0, i, id;
	const u8 *bytes = f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;
	struct limited_kind *k;

	snprintf(name, sizeof(name), "%.*s", (int)(length < LKST_KIND_NAME ? length : LKST_KIND_NAME - 1),
		 bytes ? (const char *)bytes : "");
	for (i = 0; i < l->nr_kinds; i++)
		if (!strcmp(l->kinds[i].name, name))
			return &l->kinds[i];
	if (name_all(l))
		return NULL;
	k = l->nr_kinds < KINDS_MAX ? lkst_vec_add(l->kinds, l->nr_kinds) : NULL;
	if (!k)
		return NULL;
	*k = (struct limited_kind){};
	memcpy(k->name, name, sizeof(k->name));
	for (id = 1; id < LKST_EVENT_SPACE; id++)
		if (l->catalog->classes[id] && has_event(l, name, id)) {
			k->covers[id / 32] |= 1U << id % 32;
			k->nr_events++;
		}
	return k;
}

/* ---- when ------------------------------------------------------------------------------------ */

static u64 limited_number(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static int add_span(struct limited_kind *k, u64 from_ns, u64 to_ns)
{
	struct limited_span *s = lkst_vec_add(k->spans, k->nr_spans);

	if (!s)
		return -ENOMEM;
	*s = (struct limited_span){ from_ns, to_ns };
	return 0;
}

static struct limited_span *open_span(struct limited_kind *k)
{
	struct limited_span *last = k->nr_spans ? &k->spans[k->nr_spans - 1] : NULL;

	return last && last->to_ns == UINT64_MAX ? last : NULL;
}

static int limited_on_end(struct limited_kind *k, const struct lkst_record *r)
{
	const u64 left_out_ns = limited_number(r, "left_out");
	struct limited_span *open = open_span(k);

	if (open)
		open->to_ns = r->ns;
	/* Its begin is no longer in the trace. */
	return open ? 0 : add_span(k, left_out_ns < r->ns ? r->ns - left_out_ns : 0, r->ns);
}

static void on_ledger(struct limited_kind *k, const struct lkst_record *r)
{
	const u64 left_out_ns = limited_number(r, "left_out");

	if (!limited_number(r, "is_left_out"))
		return;
	k->ledger_ns = r->ns;
	k->ledger_from_ns = left_out_ns < r->ns ? r->ns - left_out_ns : 0;
}

static int limited_take(void *ctx, const struct lkst_record *r)
{
	const s32 index = r->event->index;
	struct limited_kind *k;

	if (index != LKST_EV_shed_begin && index != LKST_EV_shed_end && index != LKST_EV_state_shed)
		return 0;
	k = limited_kind_of(ctx, r);
	if (!k)
		return ((struct lkst_limited *)ctx)->nr_kinds < KINDS_MAX ? -ENOMEM : 0;
	if (index == LKST_EV_state_shed)
		on_ledger(k, r);
	else if (index == LKST_EV_shed_end)
		return limited_on_end(k, r);
	else if (!open_span(k)) {
		k->cost_ppm = (u32)limited_number(r, "cost");
		return add_span(k, r->ns, UINT64_MAX);
	}
	return 0;
}

static bool limited_is_within(const struct limited_kind *k, u64 ns)
{
	u32 i;

	for (i = 0; i < k->nr_spans; i++)
		if (k->spans[i].from_ns <= ns && ns <= k->spans[i].to_ns)
			return true;
	return false;
}

/* What the ledger found left out has begun before the records that are there. */
static int take_ledgers(struct lkst_limited *l)
{
	int err = 0;
	u32 i;

	for (i = 0; i < l->nr_kinds && !err; i++) {
		struct limited_kind *k = &l->kinds[i];

		if (k->ledger_ns && !limited_is_within(k, k->ledger_ns))
			err = add_span(k, k->ledger_from_ns, UINT64_MAX);
	}
	return err;
}

/* Lists the kinds of each event, or, before there is memory, how many there are. */
static u32 list_kinds(struct lkst_limited *l)
{
	u32 id, i, nr = 0;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		l->first_of[id] = nr;
		for (i = 0; i < l->nr_kinds; i++) {
			if (!covers(&l->kinds[i], id))
				continue;
			if (l->kinds_of)
				l->kinds_of[nr] = i;
			nr++;
		}
	}
	l->first_of[LKST_EVENT_SPACE] = nr;
	return nr;
}

static int limited_finish(struct lkst_limited *l)
{
	int err = take_ledgers(l);

	if (err || !l->nr_kinds)
		return err;
	l->kinds_of = calloc(list_kinds(l) + 1, sizeof(*l->kinds_of));
	if (!l->kinds_of)
		return -ENOMEM;
	list_kinds(l);
	return 0;
}

int lkst_limited_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_limited **ret_limited)
{
	_cleanup_(lkst_limited_freep) struct lkst_limited *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return lkst_err_sys(e, -ENOMEM, "finding what was left out");
	l->trace = t;
	l->catalog = lkst_trace_catalog(t);
	err = lkst_feed_before(e, t, UINT64_MAX, limited_take, l);
	if (err)
		return err;
	if (limited_finish(l))
		return lkst_err_sys(e, -ENOMEM, "finding what was left out");
	free(l->names);
	l->names = NULL;
	*ret_limited = lkst_take(l);
	return 0;
}

void lkst_limited_free(struct lkst_limited *l)
{
	u32 i;

	if (!l)
		return;
	for (i = 0; i < l->nr_kinds; i++)
		free(l->kinds[i].spans);
	free(l->kinds);
	free(l->kinds_of);
	free(l->names);
	free(l);
}

/* ---- asking ---------------------------------------------------------------------------------- */

void lkst_limited_match(const struct lkst_limited *l, const char *patterns, bool wants[LKST_EVENT_SPACE])
{
	char pattern[PATTERN_MAX];
	size_t length;
	u32 id;

	for (; l->nr_kinds && *patterns; patterns += length + strspn(patterns + length, " ")) {
		length = strcspn(patterns, " ");
		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, patterns);
		for (id = 1; id < LKST_EVENT_SPACE; id++)
			wants[id] |= l->catalog->classes[id] && !fnmatch(pattern, l->catalog->classes[id]->name, 0);
	}
}

/* What was left out of a stretch of time. */
struct lack {
	u64 since_ns, to_ns; /* the first moment, and the last one */
	u64 ns;		     /* in all */
	u32 times;
};

/* Adds the part of @s that is in the time; spans of a kind do not overlap. */
static void add_lack(struct lack *lack, const struct limited_span *s, u64 from_ns, u64 to_ns)
{
	const u64 begin_ns = s->from_ns > from_ns ? s->from_ns : from_ns;
	const u64 end_ns = s->to_ns < to_ns ? s->to_ns : to_ns;

	if (begin_ns >= end_ns)
		return;
	if (!lack->times || begin_ns < lack->since_ns)
		lack->since_ns = begin_ns;
	if (end_ns > lack->to_ns)
		lack->to_ns = end_ns;
	lack->ns += end_ns - begin_ns;
	lack->times++;
}

static bool find_lack(const struct limited_kind *k, u64 from_ns, u64 to_ns, struct lack *ret_lack)
{
	u32 i;

	*ret_lack = (struct lack){};
	for (i = 0; i < k->nr_spans; i++)
		add_lack(ret_lack, &k->spans[i], from_ns, to_ns);
	return ret_lack->times != 0;
}

/* When records of @s may be missing. */
static u64 lost_from(const struct limited_span *s)
{
	return s->from_ns > SLACK_NS ? s->from_ns - SLACK_NS : 0;
}

static u64 lost_to(const struct limited_span *s)
{
	return s->to_ns < UINT64_MAX - SLACK_NS ? s->to_ns + SLACK_NS : UINT64_MAX;
}

u64 lkst_limited_since(const struct lkst_limited *l, u32 id, u64 from_ns, u64 to_ns)
{
	u64 since_ns = UINT64_MAX, ns;
	u32 at, i;

	for (at = l->first_of[id]; at < l->first_of[id + 1]; at++) {
		const struct limited_kind *k = &l->kinds[l->kinds_of[at]];

		i = lkst_lower_bound(j, k->nr_spans, lost_to(&k->spans[j]) <= from_ns);
		if (i == k->nr_spans || lost_from(&k->spans[i]) >= to_ns)
			continue;
		ns = lost_from(&k->spans[i]) > from_ns ? lost_from(&k->spans[i]) : from_ns;
		since_ns = ns < since_ns ? ns : since_ns;
	}
	return since_ns;
}

bool lkst_limited_crosses(const struct lkst_limited *l, u32 id, u64 from_ns, u64 to_ns)
{
	return lkst_limited_since(l, id, from_ns, to_ns) != UINT64_MAX;
}

static bool concerns(const struct limited_kind *k, const bool *wants)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (wants[id] && covers(k, id))
			return true;
	return false;
}

static int by_begin(const void *a, const void *b)
{
	const struct limited_span *x = a, *y = b;

	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* The times of all kinds that concern @wants, which may overlap. */
static int list_times(const struct lkst_limited *l, const bool *wants, struct limited_span **list, u32 *nr)
{
	struct limited_span *added;
	u32 i, k;

	for (i = 0; i < l->nr_kinds; i++) {
		if (!concerns(&l->kinds[i], wants))
			continue;
		for (k = 0; k < l->kinds[i].nr_spans; k++) {
			added = lkst_vec_add(*list, *nr);
			if (!added)
				return -ENOMEM;
			*added = (struct limited_span){ lost_from(&l->kinds[i].spans[k]),
							lost_to(&l->kinds[i].spans[k]) };
		}
	}
	if (*nr)
		qsort(*list, *nr, sizeof(**list), by_begin);
	return 0;
}

void lkst_limited_times_fini(struct lkst_limited_times *x)
{
	free(x->from_ns);
	free(x->to_ns);
	*x = (struct lkst_limited_times){};
}

int lkst_limited_times_of(const struct lkst_limited *l, const bool wants[LKST_EVENT_SPACE],
			  struct lkst_limited_times *ret_times)
{
	struct lkst_limited_times x = {};
	struct limited_span *list = NULL;
	u32 i, nr = 0;
	int err = list_times(l, wants, &list, &nr);

	x.from_ns = calloc(nr + 1, sizeof(*x.from_ns));
	x.to_ns = calloc(nr + 1, sizeof(*x.to_ns));
	if (!x.from_ns || !x.to_ns)
		err = -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		if (x.nr && list[i].from_ns <= x.to_ns[x.nr - 1]) {
			if (list[i].to_ns > x.to_ns[x.nr - 1])
				x.to_ns[x.nr - 1] = list[i].to_ns;
			continue;
		}
		x.from_ns[x.nr] = list[i].from_ns;
		x.to_ns[x.nr++] = list[i].to_ns;
	}
	free(list);
	if (err)
		lkst_limited_times_fini(&x);
	else
		*ret_times = x;
	return err;
}

u64 lkst_limited_times_since(const struct lkst_limited_times *x, u64 from_ns, u64 to_ns)
{
	const u32 i = x->nr ? lkst_lower_bound(j, x->nr, x->to_ns[j] < from_ns) : 0;

	if (i == x->nr || x->from_ns[i] > to_ns)
		return UINT64_MAX;
	return x->from_ns[i] > from_ns ? x->from_ns[i] : from_ns;
}

/* Whether a kind that has more events and all of @k's, as "syscall:*" those of "syscall:read", was left out as long. */
static bool limited_is_part(const struct lkst_limited *l, const struct limited_kind *k, const struct lack *lack,
			    u64 from_ns, u64 to_ns)
{
	struct lack other;
	u32 i, word;

	for (i = 0; i < l->nr_kinds; i++) {
		const struct limited_kind *whole = &l->kinds[i];

		for (word = 0; word < LKST_EVENT_SPACE / 32 && !(k->covers[word] & ~whole->covers[word]); word++)
			;
		if (whole == k || word < LKST_EVENT_SPACE / 32 || !memcmp(whole->covers, k->covers, sizeof(k->covers)))
			continue;
		if (find_lack(whole, from_ns, to_ns, &other) && other.since_ns <= lack->since_ns &&
		    other.to_ns >= lack->to_ns)
			return true;
	}
	return false;
}

/* What was left out of some events: the kinds, those that have most events first, and all of their times in one. */
struct lacking {
	const struct limited_kind *kinds[KINDS_MAX];
	u32 nr;
	struct lack all;
};

static int limited_by_weight(const void *a, const void *b)
{
	const struct limited_kind *x = *(const struct limited_kind *const *)a,
				  *y = *(const struct limited_kind *const *)b;

	if (x->nr_events != y->nr_events)
		return x->nr_events < y->nr_events ? 1 : -1;
	return x->cost_ppm < y->cost_ppm ? 1 : x->cost_ppm > y->cost_ppm ? -1 : 0;
}

static void find_lacking(const struct lkst_limited *l, const bool *wants, u64 from_ns, u64 to_ns,
			 struct lacking *ret_lacking)
{
	struct lack lack, *all = &ret_lacking->all;
	u32 i;

	ret_lacking->nr = 0;
	*all = (struct lack){};
	for (i = 0; i < l->nr_kinds; i++) {
		const struct limited_kind *k = &l->kinds[i];

		if (!concerns(k, wants) || !find_lack(k, from_ns, to_ns, &lack) ||
		    limited_is_part(l, k, &lack, from_ns, to_ns))
			continue;
		ret_lacking->kinds[ret_lacking->nr++] = k;
		all->since_ns = !all->times || lack.since_ns < all->since_ns ? lack.since_ns : all->since_ns;
		all->to_ns = lack.to_ns > all->to_ns ? lack.to_ns : all->to_ns;
		all->times = lack.times > all->times ? lack.times : all->times;
	}
	qsort(ret_lacking->kinds, ret_lacking->nr, sizeof(ret_lacking->kinds[0]), limited_by_weight);
}

/* Seconds since the trace's first record. */
static double seconds(const struct lkst_limited *l, u64 ns)
{
	u64 begin_ns, end_ns;

	lkst_trace_range(l->trace, &begin_ns, &end_ns);
	return ns > begin_ns ? (double)(ns - begin_ns) / 1e9 : 0;
}

/* " not recorded since +1.200 s"; "in part" where some were, or all were now and then. */
static void put_when(const struct lkst_limited *l, const struct lacking *x, u64 from_ns, u64 to_ns, char *text,
		     size_t size)
{
	const struct lack *lack = &x->all;
	const bool is_in_part = x->nr > 1 || lack->times > 1;
	const char *part = is_in_part ? ", in part," : "";

	if (lack->to_ns < to_ns)
		snprintf(text, size, " not recorded%s from +%.3f s to +%.3f s", part, seconds(l, lack->since_ns),
			 seconds(l, lack->to_ns));
	else if (lack->since_ns > from_ns)
		snprintf(text, size, " not recorded%s since +%.3f s", part, seconds(l, lack->since_ns));
	else
		snprintf(text, size, " not recorded%s", is_in_part ? ", in part from the beginning on" : "");
}

bool lkst_limited_is(const struct lkst_limited *l, const bool wants[LKST_EVENT_SPACE], u64 from_ns, u64 to_ns,
		     char text[LKST_LIMITED_TEXT])
{
	struct lacking x;
	int used = 0;
	u32 i;

	find_lacking(l, wants, from_ns, to_ns, &x);
	if (!x.nr || !text)
		return x.nr != 0;
	for (i = 0; i < x.nr && i < NAMES_SHOWN; i++)
		used += snprintf(text + used, (size_t)(LKST_LIMITED_TEXT - used), "%s%s", i ? ", " : "",
				 x.kinds[i]->name);
	if (x.nr > NAMES_SHOWN)
		used += snprintf(text + used, (size_t)(LKST_LIMITED_TEXT - used), " and %u more", x.nr - NAMES_SHOWN);
	put_when(l, &x, from_ns, to_ns, text + used, (size_t)(LKST_LIMITED_TEXT - used));
	return true;
}

bool lkst_limited_note(const struct lkst_limited *l, const bool wants[LKST_EVENT_SPACE], u64 from_ns, u64 to_ns,
		       struct lkst_notes *notes)
{
	char text[LKST_LIMITED_TEXT];

	if (!lkst_limited_is(l, wants, from_ns, to_ns, text))
		return false;
	lkst_notes_add(notes,
		       "Not all was recorded, to keep to the cost limit: %s. What rests on it may be counted too "
		       "low, or missing, and its time be told as that of what it interrupted or was part of.",
		       text);
	return true;
}

int lkst_limited_each(const struct lkst_limited *l, u64 from_ns, u64 to_ns,
		      int (*call)(void *ctx, const struct lkst_limited_time *time), void *ctx)
{
	u32 nr, i;
	int err = 0;

	for (nr = 0; nr < l->nr_kinds; nr++) {
		const struct limited_kind *k = &l->kinds[nr];

		for (i = 0; i < k->nr_spans && !err; i++) {
			const struct lkst_limited_time time = { k->name, nr, k->spans[i].from_ns, k->spans[i].to_ns };

			if (time.from_ns < to_ns && time.to_ns > from_ns)
				err = call(ctx, &time);
		}
	}
	return err;
}

bool lkst_limited_has(const struct lkst_limited *l, u32 nr, u32 id)
{
	return covers(&l->kinds[nr], id);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "kind", "kind of event", LKST_COLUMN_TEXT, "an event, or an entry and its exit together" },
	{ "cost", "it cost", LKST_COLUMN_PERCENT, "of a CPU's time, when it was left out last" },
	{ "since", "not recorded since", LKST_COLUMN_TIME, "the first moment in which it was left out" },
	{ "time", "for", LKST_COLUMN_DURATION, "how long it was left out in all" },
	{ "times", "times", LKST_COLUMN_COUNT, "how often that began" },
	{ "now", "at the end", LKST_COLUMN_FLAG, "it was left out still when the trace, or what was asked for, ended" },
};

static void limited_put_row(struct lkst_table *t, const struct limited_kind *k, const struct lack *lack, u64 to_ns)
{
	lkst_table_row(t);
	lkst_table_str(t, k->name);
	if (k->cost_ppm)
		lkst_table_double(t, (double)k->cost_ppm / 1e4);
	else
		lkst_table_none(t);
	lkst_table_u64(t, lack->since_ns);
	lkst_table_u64(t, lack->ns);
	lkst_table_u64(t, lack->times);
	lkst_table_bool(t, lack->to_ns >= to_ns);
}

int lkst_limited_put(const struct lkst_limited *l, u64 from_ns, u64 to_ns, struct lkst_tables *set)
{
	struct lkst_table *t = NULL;
	struct lack lack;
	u32 i;

	for (i = 0; i < l->nr_kinds; i++) {
		if (!find_lack(&l->kinds[i], from_ns, to_ns, &lack))
			continue;
		t = t ?: lkst_tables_add(set, "limited", "What the cost limit left out", columns,
					 sizeof(columns) / sizeof(columns[0]));
		if (!t)
			return -ENOMEM;
		limited_put_row(t, &l->kinds[i], &lack, to_ns);
	}
	if (t)
		lkst_table_sort(t, (unsigned int)lkst_table_column(t, "cost"), true);
	return t ? t->error : 0;
}
