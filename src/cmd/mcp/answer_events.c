/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tool `events`: records in order of time. A page ends at a record; the next one begins with the time of that record,
 * and knows how many of that same time were before it. So nothing before is read again. A record that is larger than an
 * answer may be is there by its name alone, so that the records after it can be asked for.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "base/vec.h"
#include "cmd/mcp/session.h"
#include "cmd/readers/printing.h"
#include "trace/known/threads_before.h"

struct answer_events_options {
	struct lkst_choosing_options which;
	const char *from, *to;
};

/*
 * Bytes of a record that may need more than LKST_OUT_SIZE less a page: a number of 8 bytes may be shown as the name of
 * a function and its file.
 */
enum { LARGE = 1024 };

static const struct answer_events_options defaults = { .which = LKST_CHOOSING_DEFAULTS };

static const struct lkst_option rows[] = {
	LKST_CHOOSING_ROWS(struct answer_events_options, which),
	LKST_RANGE_ROWS(struct answer_events_options, "from this time on", "up to this time"),
	{},
};

const struct lkst_cmd lkst_mcp_events_options = {
	.name = "events",
	.options = rows,
	.options_size = sizeof(struct answer_events_options),
	.defaults = &defaults,
};

/* A page that is being filled. */
struct answer_events_filling {
	struct lkst_mcp_page *page;
	struct lkst_threads *threads;
	struct lkst_symbols *symbols;
	struct lkst_code_view code;
	struct lkst_select *select;
	void *text, *json;     /* of the views */
	struct lkst_gap *gaps; /* that were met, and belong after the record that comes next */
	u32 nr_gaps;
	struct lkst_mcp_place from, at; /* where the page begins, and where the last record was */
	u64 limit, nr;
	u64 nr_gaps_left_out; /* for which there was no room */
	bool is_in_time;      /* records of state, which have no time, come before all others */
	bool is_over;	      /* `at` is where the next page begins */
};

/* What the JSON view has printed since @mark ends with a line break: a comma in its place. */
static void join_json(struct answer_events_filling *f, struct lkst_mcp_mark mark)
{
	if (!f->page->json->error && f->page->json->used > mark.json)
		f->page->json->buffer[f->page->json->used - 1] = ',';
}

/* Prints the gaps that end before @ns. */
static int answer_events_print_gaps(struct answer_events_filling *f, u64 ns)
{
	u32 i, left = 0;
	int err = 0;

	for (i = 0; i < f->nr_gaps && !err; i++) {
		const struct lkst_mcp_mark mark = lkst_mcp_page_mark(f->page);

		if (f->gaps[i].to_ns >= ns) {
			f->gaps[left++] = f->gaps[i];
			continue;
		}
		if (lkst_mcp_page_is_full(f->page)) {
			f->nr_gaps_left_out++;
			continue;
		}
		err = lkst_view_text.gap(f->text, &f->gaps[i])
			      ?: lkst_view_json.gap(f->json, &f->gaps[i]);
		join_json(f, mark);
	}
	f->nr_gaps = left;
	return err;
}

/* Takes in the gaps that were met, but those that the page before has. */
static int answer_events_take_gaps(struct answer_events_filling *f, struct lkst_merge *m)
{
	struct lkst_gap gap, *new;

	while (lkst_merge_gap(m, &gap) > 0) {
		if (gap.to_ns < f->from.at)
			continue;
		new = lkst_vec_add(f->gaps, f->nr_gaps);
		if (!new)
			return -ENOMEM;
		*new = gap;
	}
	return 0;
}

/* Where @r is among those that are wanted: its time, 0 for state, and how many of that time are before it. */
static struct lkst_mcp_place answer_events_place_of(const struct answer_events_filling *f, const struct lkst_record *r,
						    bool *has_last)
{
	u64 ns = f->is_in_time ? r->ns : 0;
	struct lkst_mcp_place place = { ns, *has_last && f->at.at == ns ? f->at.more + 1 : 0 };

	*has_last = true;
	return place;
}

static bool answer_events_is_before(struct lkst_mcp_place a, struct lkst_mcp_place b)
{
	return a.at < b.at || (a.at == b.at && a.more < b.more);
}

static void begin_page(struct lkst_mcp_page *page)
{
	lkst_mcp_page_clear(page);
	lkst_out_str(page->json, "{\"records\":[");
}

static bool answer_events_is_empty(const struct answer_events_filling *f)
{
	return !f->nr && !f->page->text->used;
}

/* On a page of its own, a record that does not fit there: what it is, without its fields. */
static void print_left_out(struct answer_events_filling *f, const struct lkst_record *r)
{
	begin_page(f->page);
	lkst_out_printf(f->page->text,
			"A record of %s at @%llu.%09llu of CPU %u, thread %d, is larger than an answer may be: "
			"`lkst print` shows it.\n",
			r->event->name, (unsigned long long)(r->ns / LKST_NS_PER_S),
			(unsigned long long)(r->ns % LKST_NS_PER_S), r->cpu, r->tid);
	lkst_out_printf(f->page->json,
			"{\"ns\":%llu,\"cpu\":%u,\"tid\":%d,\"event\":\"%s\",\"is_left_out\":true},",
			(unsigned long long)r->ns, r->cpu, r->tid, r->event->name);
}

/* Prints a record that is wanted, if there is room for it. */
static int answer_events_print_record(struct answer_events_filling *f, const struct lkst_record *r)
{
	const struct lkst_mcp_mark mark = lkst_mcp_page_mark(f->page);
	int err;

	/* What does not fit the memory of the page destroys what is there. */
	f->is_over = f->nr == f->limit || (r->size > LARGE && !answer_events_is_empty(f));
	if (f->is_over)
		return 0;
	err = lkst_view_text.record(f->text, r) ?: lkst_view_json.record(f->json, r);
	if (err)
		return err;
	join_json(f, mark);
	if (lkst_mcp_page_is_full(f->page) && !mark.text && !f->nr) {
		print_left_out(f, r);
	} else if (lkst_mcp_page_is_full(f->page)) {
		f->is_over = true;
		lkst_mcp_page_return(f->page, mark);
	}
	f->nr += !f->is_over;
	return 0;
}

/* What is known of threads and of their code. */
static int answer_events_take_in(void *ctx, const struct lkst_record *r)
{
	struct answer_events_filling *f = ctx;

	return lkst_threads_feed(f->threads, r) ?: lkst_mappings_feed(f->code.mappings, r);
}

static int print_records(struct lkst_err *e, struct answer_events_filling *f, struct lkst_trace *t, u64 from_ns,
			 u64 to_ns)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	bool is_whole = !lkst_trace_keeps_names(t), has_names = is_whole, has_last = false;
	struct lkst_record r;
	int err = lkst_merge_new(e, t, is_whole ? 0 : from_ns, to_ns, &m);

	while (!err && !f->is_over && lkst_merge_next(m, &r) > 0) {
		if (!has_names && r.event->group != LKST_GROUP_STATE) {
			has_names = true;
			err = lkst_feed_before(e, t, from_ns, answer_events_take_in, f);
		}
		f->is_in_time |= r.event->group != LKST_GROUP_STATE;
		if (!err && lkst_select_matches(f->select, &r)) {
			f->at = answer_events_place_of(f, &r, &has_last);
			if (!answer_events_is_before(f->at, f->from))
				err = answer_events_take_gaps(f, m) ?: answer_events_print_gaps(f, f->at.at) ?:
				      answer_events_print_record(f, &r);
		}
		if (!err)
			err = answer_events_take_in(f, &r);
	}
	if (!err && !f->is_over)
		err = answer_events_take_gaps(f, m) ?: answer_events_print_gaps(f, UINT64_MAX);
	return err;
}

static int answer_events_begin(struct lkst_err *e, struct answer_events_filling *f, const struct lkst_mcp_session *s,
			       const struct answer_events_options *o, u64 from_ns, u64 to_ns)
{
	const struct lkst_select_options which = lkst_choosing_which(&o->which, from_ns, to_ns);
	struct lkst_view_config config = { .catalog = lkst_trace_catalog(s->trace) };
	u64 end_ns;
	int err;

	f->threads = lkst_threads_new();
	f->symbols = lkst_symbols_new();
	f->code = (struct lkst_code_view){ lkst_mappings_new(), s->namer };
	if (!f->threads || !f->symbols || !f->code.mappings)
		return lkst_err_sys(e, -ENOMEM, "printing");
	lkst_trace_range(s->trace, &config.begin_ns, &end_ns);
	config.threads = f->threads;
	config.symbols = f->symbols;
	config.code = &f->code;
	err = lkst_symbols_load(e, f->symbols, s->trace)
		      ?: lkst_mappings_load(e, f->code.mappings, s->trace)
		      ?: lkst_select_new(e, config.catalog, f->threads, &which, &f->select);
	if (err)
		return err;
	config.out = f->page->text;
	err = lkst_view_text.begin(e, &config, &f->text);
	config.out = f->page->json;
	return err ? err : lkst_view_json.begin(e, &config, &f->json);
}

static void answer_events_filling_fini(struct answer_events_filling *f)
{
	lkst_view_text.end(f->text);
	lkst_view_json.end(f->json);
	lkst_select_free(f->select);
	lkst_threads_free(f->threads);
	lkst_symbols_free(f->symbols);
	lkst_mappings_free(f->code.mappings);
	free(f->gaps);
}

int lkst_mcp_answer_events(struct lkst_err *e, struct lkst_mcp_session *s,
			   const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	_cleanup_(answer_events_filling_fini) struct answer_events_filling f = { .page = page,
						     .from = q->place,
						     .limit = q->limit };
	const struct answer_events_options *o = q->options;
	u64 from_ns = 0, to_ns = UINT64_MAX;
	int err = lkst_cmd_parse_range(e, s->trace, o->from, o->to, &from_ns, &to_ns);

	if (err)
		return err;
	begin_page(page);
	from_ns = f.from.at > from_ns ? f.from.at : from_ns;
	err = answer_events_begin(e, &f, s, o, from_ns, to_ns)
		      ?: print_records(e, &f, s->trace, from_ns, to_ns);
	if (err)
		return e->text[0] ? err : lkst_err_sys(e, err, "printing");
	if (page->json->used && page->json->buffer[page->json->used - 1] == ',')
		page->json->used--;
	lkst_out_str(page->json, "]");
	if (f.nr_gaps_left_out)
		lkst_out_printf(
			page->text,
			"Note: %llu more places where records are missing had no room; tool sql has them in "
			"table gaps.\n",
			(unsigned long long)f.nr_gaps_left_out);
	lkst_mcp_page_end(page, q->hash, f.is_over ? &f.at : NULL);
	return 0;
}
