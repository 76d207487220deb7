/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst why: explains an interval of a thread as a chain of who waited for whom. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waiting/tree_rows.h"
#include "analyze/why/why_span.h"
#include "analyze/why/worst.h"
#include "base/cleanup.h"
#include "cmd/frame/cmd.h"
#include "cmd/readers/code_naming.h"
#include "cmd/read/accounts.h"
#include "cmd/readers/traces.h"
#include "cmd/read/joined_tables.h"
#include "cmd/read/why_hung.h"
#include "cmd/read/why_log.h"
#include "cmd/read/why_waiting.h"
#include "print/account_text.h"

struct why_options {
	s64 tid, pid, depth, tree;
	const char *worst, *comm, *cgroup, *call;
	const char *span, *id, *request;
	const char *from, *to, *host;
	unsigned int format, time, in_short;
	bool brief, journal, hung;
	u64 longer_ns;
};

static const struct why_options defaults = {
	.tid = -1,
	.pid = -1,
	.depth = LKST_WHY_DEPTH,
	.longer_ns = LKST_HUNG_STANDARD_NS,
};

static bool is_worst_kind(const char *word)
{
	enum lkst_worst_kind kind;
	const char *call;
	struct lkst_err e = {};

	return !strcmp(word, "span") || !strncmp(word, "span:", 5) ||
	       !lkst_worst_parse(&e, word, &kind, &call);
}

/* Whether an interval's cause is told in short: that takes a pass over all that was before. */
enum in_short { IN_SHORT_YES, IN_SHORT_NO, IN_SHORT_ONLY };

static bool in_short_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	static const struct lkst_choice words[] = {
		[IN_SHORT_YES] = { "yes", "after the account" },
		[IN_SHORT_NO] = { "no", "the account alone, which is quicker" },
		[IN_SHORT_ONLY] = { "only", "without the account" },
	};
	const unsigned int nr = sizeof(words) / sizeof(words[0]);

	if (i < nr)
		*ret_choice = words[i];
	return i < nr;
}

static const struct lkst_option rows[] = {
	LKST_OPTION(NUMBER, struct why_options, tid, .name = "tid", .argument = "N", .min = 1,
		    .max = INT32_MAX, .help = "the thread whose time is to be explained; with '#N': whose waiting"),
	LKST_OPTION(NUMBER, struct why_options, pid, .name = "pid", .letter = 'p', .argument = "N", .min = 1,
		    .max = INT32_MAX, .help = "of where the waiting went: only threads of this process"),
	LKST_OPTION(TEXT, struct why_options, worst, .name = "worst", .letter = 'w',
		    .argument = "KIND[:CALL]", .is_value = is_worst_kind,
		    .help = "explain the longest syscall, wait (of a program's thread, blocked or\n"
			    "stopped), ready (but not running), fault (page fault of a program), io (wait\n"
			    "for a disk) or span that is recorded from begin to end; of system\n"
			    "calls not those that wait by design (poll, wait4, futex ...), unless\n"
			    "CALL, a glob, names them; with --span, --id or --trace it needs no\n"
			    "KIND"),
	LKST_OPTION(TEXT, struct why_options, comm, .name = "comm", .argument = "GLOB",
		    .help = "with --worst, or of where the waiting went: only of threads with such\n"
			    "a name"),
	LKST_OPTION(TEXT, struct why_options, cgroup, .name = "cgroup", .argument = "GLOB",
		    .help = "the same: only of threads in such a cgroup or container"),
	LKST_OPTION(TEXT, struct why_options, call, .name = "call", .argument = "GLOB",
		    .help = "with --worst: only in system calls of such a name; the same as\n"
			    "KIND:CALL"),
	LKST_OPTION(
		TEXT, struct why_options, span, .name = "span", .argument = "GLOB",
		.help = "explain the longest span of such a name that a program marked and that\n"
			"is recorded whole; the same as --worst span:GLOB. With '#N': only the\n"
			"waiting in such spans, as of `lkst analyze waiting`"),
	LKST_OPTION(TEXT, struct why_options, id, .name = "id", .argument = "N",
		    .help = "only spans with this number"),
	LKST_OPTION(TEXT, struct why_options, request, .name = "trace", .argument = "ID",
		    .help = "only spans of this request: 32 hexadecimal digits, or a whole\n"
			    "traceparent of W3C Trace Context"),
	LKST_RANGE_ROWS(struct why_options, "from this time on", "up to this time"),
	LKST_OPTION(TEXT, struct why_options, host, .name = "host", .argument = "NAME",
		    .help = "of several hosts: whose thread or span it is; --worst searches all\n"
			    "without it"),
	LKST_OPTION(FLAG, struct why_options, hung, .name = "hung",
		    .help = "what has not ended: who waits when the trace ends, for whom, and what that\n"
			    "one does; deadlocks first. Without TRACE: of the recording that runs"),
	LKST_OPTION(DURATION, struct why_options, longer_ns, .name = "longer", .argument = "TIME", .standard = "1s",
		    .help = "with --hung: only waits that are as long"),
	LKST_OPTION(NUMBER, struct why_options, depth, .name = "depth", .letter = 'd', .argument = "N",
		    .max = LKST_WHY_DEPTH_MAX, .standard = "8", .help = "follow so many wake-ups"),
	LKST_OPTION(NUMBER, struct why_options, tree, .name = "tree", .argument = "DEPTH", .min = 1,
		    .max = LKST_TREE_DEPTH_MAX,
		    .help = "in place of where the waiting went: all waiting as a tree, so many levels:\n"
			    "who waited, because of whom or what, who did what meanwhile, and so on"),
	LKST_OPTION(CHOICE, struct why_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_account_format_choices),
	LKST_OPTION(CHOICE, struct why_options, time, .name = "time", .argument = "FORM",
		    .standard = "day", .help = "", .choices = lkst_view_time_choices),
	LKST_OPTION(CHOICE, struct why_options, in_short, .name = "in-short", .argument = "WHEN", .standard = "yes",
		    .help = "what the time was lost to, in a sentence or two:", .choices = in_short_choices),
	LKST_OPTION(FLAG, struct why_options, brief, .name = "brief",
		    .help = "without the events that each step rests on"),
	LKST_OPTION(FLAG, struct why_options, journal, .name = "journal",
		    .help = "with the lines of this machine's journal that have the number of\n"
			    "the span's request; those in a bundle are shown anyway"),
	{},
};

/* What is to be explained. */
struct why_question {
	s32 tid;
	u64 from_ns, to_ns; /* by the host's own clock */
	struct lkst_worst worst; /* how it was found, if it was searched for */
	unsigned int host;	 /* of several hosts: whose thread or span it is */
};

static int check_interval(struct lkst_err *e, const struct why_question *q, u64 begin_ns, u64 end_ns)
{
	if (q->from_ns >= end_ns || q->to_ns <= begin_ns)
		return lkst_err_set(
			e, -ENOENT,
			"the trace has no records of that time; `lkst check` tells from "
			"when to when it is");
	if (q->from_ns >= q->to_ns)
		return lkst_err_set(e, -EINVAL, "the interval ends before it begins");
	return 0;
}

/* Makes @ret_question the one about host number @i of @r. */
static int parse_question(struct lkst_err *e, const struct why_options *o, const struct lkst_reading *r, unsigned int i,
			  struct why_question *ret_question)
{
	const struct lkst_host *host = &r->list[i];
	u64 begin_ns, end_ns, from_ns, to_ns;
	int err = lkst_cmd_reading_range(e, r, o->from, o->to, &from_ns, &to_ns);

	if (err)
		return err;
	lkst_trace_range(host->trace, &begin_ns, &end_ns);
	*ret_question = (struct why_question){ .tid = (s32)o->tid, .from_ns = begin_ns, .to_ns = end_ns, .host = i };
	if (o->from)
		ret_question->from_ns = lkst_host_own_ns(host, from_ns);
	if (o->to)
		ret_question->to_ns = lkst_host_own_ns(host, to_ns);
	return check_interval(e, ret_question, begin_ns, end_ns);
}

/* With --worst: makes the question the longest such interval. */
static int find_worst(struct lkst_err *e, const struct why_options *o, struct lkst_trace *t,
		      struct why_question *q)
{
	struct lkst_worst_options options = { .from_ns = q->from_ns,
					      .to_ns = q->to_ns,
					      .tid = o->tid < 0 ? 0 : (s32)o->tid,
					      .comm = o->comm,
					      .cgroup = o->cgroup,
					      .call = o->call };
	struct lkst_worst worst;
	const char *call = NULL;
	int err = lkst_worst_parse(e, o->worst, &options.kind, &call);

	if (!err && call && o->call)
		err = lkst_err_set(e, -EINVAL, "--call says the same as the \"%s\" of --worst",
				   call);
	if (call)
		options.call = call;
	if (!err)
		err = lkst_worst_find(e, t, &options, &worst);
	if (!err)
		*q = (struct why_question){ worst.tid, worst.from_ns, worst.to_ns, worst, q->host };
	return err;
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* The pattern for names that --worst gives: "" where it gives none; NULL: it is not about spans. */
static const char *worst_span(const struct why_options *o)
{
	if (o->worst && !*o->worst)
		return o->worst;
	if (!o->worst || strncmp(o->worst, "span", 4) || (o->worst[4] && o->worst[4] != ':'))
		return NULL;
	return o->worst[4] ? o->worst + 5 : "";
}

static bool is_about_span(const struct why_options *o)
{
	return o->span || o->id || o->request || worst_span(o);
}

/* Whether the interval has to be searched for first. */
static bool is_search(const struct why_options *o)
{
	return o->worst && !is_about_span(o);
}

static int parse_span(struct lkst_err *e, const struct why_options *o, const struct why_question *q,
		      struct lkst_why_span_options *ret)
{
	const char *name = worst_span(o);
	char *end;

	*ret = (struct lkst_why_span_options){ .name = name && *name ? name : o->span,
					       .tid = o->tid < 0 ? 0 : (s32)o->tid,
					       .from_ns = q->from_ns,
					       .to_ns = q->to_ns,
					       .has_id = o->id,
					       .has_request = o->request };
	if (o->comm || o->cgroup || o->call)
		return lkst_err_set(e, -EINVAL, "--comm, --cgroup and --call are not for spans");
	if (o->worst && (!name || (*name && o->span)))
		return lkst_err_set(
			e, -EINVAL,
			"--span says the longest of what; --worst %s says another thing", o->worst);
	if (o->id) {
		errno = 0;
		ret->id = strtoull(o->id, &end, 0);
		if (errno || *end || end == o->id || strchr(o->id, '-'))
			return lkst_err_set(e, -EINVAL, "\"%s\" is not a number", o->id);
	}
	return o->request
		       ? lkst_span_parse_request(e, o->request, &ret->trace_high, &ret->trace_low)
		       : 0;
}

/* Says what the search left out, at the end of the first step's sentence. */
static void say_passed_over(struct lkst_account *a, const struct lkst_worst *w)
{
	struct lkst_account_step *top = a->root.steps;

	if (!top || !w->passed_over)
		return;
	lkst_account_say(a, top, "; ");
	lkst_account_fact(a, top, "passed_over", LKST_ACCOUNT_NUMBER, w->passed_over);
	lkst_account_say(a, top, " %s by design %s left out, the longest ",
			 w->passed_over == 1 ? "system call that waits" : "system calls that wait",
			 w->passed_over == 1 ? "is" : "are");
	lkst_account_text(a, top, "longest_passed", w->longest_passed, strlen(w->longest_passed));
	lkst_account_say(a, top, "() of ");
	lkst_account_fact(a, top, "longest_passed_ns", LKST_ACCOUNT_DURATION, w->longest_passed_ns);
}

/* Says that another one may be longer, since not all were recorded. */
static void why_say_limited(struct lkst_account *a, const struct lkst_worst *w)
{
	struct lkst_account_step *top = a->root.steps;

	if (!top || !w->limited[0])
		return;
	lkst_account_say(a, top, "; another one may have taken longer: ");
	lkst_account_text(a, top, "not_recorded", w->limited, strlen(w->limited));
	lkst_account_say(a, top, " (the cost limit)");
}

static int why_load(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		    struct lkst_shown_account *shown)
{
	struct lkst_excerpt_options options = {};
	int err = lkst_code_naming_begin(e, t, &options.namer);

	from_ns = from_ns > LKST_WHY_LEAD_NS ? from_ns - LKST_WHY_LEAD_NS : 0;
	to_ns += LKST_WHY_TAIL_NS;
	if (!err && !shown->hosts)
		err = lkst_excerpt_new(e, t, from_ns, to_ns, &options, &shown->excerpt);
	else if (!err)
		err = lkst_peers_new(e, shown->hosts, shown->host, from_ns, to_ns, &options, &shown->peers);
	if (!err && shown->hosts)
		shown->excerpt = lkst_peers_excerpt(shown->peers, shown->host);
	/* Else it goes with the excerpt. */
	if (err)
		lkst_code_naming_end(&options.namer);
	return err;
}

/* The configuration of one host's steps. What was not read of a host has no steps. */
static void set_config_of(const struct why_options *o, const struct lkst_trace *t, const struct lkst_excerpt *w,
			  struct lkst_view_config *config)
{
	u64 end_ns;

	*config = (struct lkst_view_config){ .catalog = lkst_trace_catalog(t),
					     .threads = w ? w->threads : NULL,
					     .symbols = w ? w->symbols : NULL,
					     .time = o->time };
	lkst_trace_range(t, &config->begin_ns, &end_ns);
}

static int set_config(struct lkst_err *e, const struct why_options *o, const struct lkst_trace *t,
		      struct lkst_shown_account *shown)
{
	const struct lkst_reading *h = shown->hosts;
	u64 begin_ns, end_ns;
	unsigned int i;

	set_config_of(o, t, shown->excerpt, &shown->config);
	if (!h || !shown->peers)
		return 0;
	if (lkst_peers_error(shown->peers))
		return lkst_err_sys(e, lkst_peers_error(shown->peers), "reading what the other hosts did");
	shown->configs = calloc(h->nr, sizeof(*shown->configs));
	if (!shown->configs)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_reading_range(h, &begin_ns, &end_ns);
	for (i = 0; i < h->nr; i++) {
		struct lkst_view_config *config = &shown->configs[i];

		set_config_of(o, h->list[i].trace, lkst_peers_excerpt(shown->peers, i), config);
		config->begin_ns = begin_ns - h->list[i].offset_ns;
		config->host = h->list[i].name;
	}
	shown->config.hosts = shown->configs;
	shown->config.nr_hosts = h->nr;
	return 0;
}

/* The cause in short of what whoever had the span for longest has waited for meanwhile. */
static int say_span_in_short(struct lkst_err *e, const struct why_options *o, struct lkst_trace *t,
			     const struct lkst_span *span, struct lkst_notes *notes)
{
	s32 tid = span->begin_tid;
	u64 from_ns = span->from_ns, to_ns = span->to_ns;
	u32 i;

	for (i = 0; i < span->nr_parts; i++) {
		const struct lkst_span_part *p = &span->parts[i];
		const u64 end_ns = i + 1 < span->nr_parts ? span->parts[i + 1].from_ns : span->to_ns;

		if (i && end_ns - p->from_ns <= to_ns - from_ns)
			continue;
		tid = p->tid;
		from_ns = p->from_ns;
		to_ns = end_ns;
	}
	/* Who had it at the end of what is kept of that is not known. */
	return o->in_short != IN_SHORT_NO && tid > 0 && from_ns < to_ns && !span->has_more_parts
		       ? lkst_why_waiting_note(e, t, tid, from_ns, to_ns, notes)
		       : 0;
}

/* Adds the lines of @notes to the account, and frees them. @err is passed on. */
static int move_notes(struct lkst_notes *notes, struct lkst_shown_account *shown, int err)
{
	unsigned int i;

	for (i = 0; i < notes->nr && !err; i++)
		lkst_notes_add(&shown->account->notes, "%s", notes->text[i]);
	lkst_notes_fini(notes);
	return err;
}

/* An account without steps, for what is said in short alone. */
static int start_account(struct lkst_err *e, struct lkst_shown_account *shown)
{
	shown->account = lkst_account_new();
	return shown->account ? 0 : lkst_err_sys(e, -ENOMEM, "explaining");
}

/* What is said in short comes first: two passes at once would need the memory of both. */
static int explain_span(struct lkst_err *e, const struct why_options *o, struct lkst_trace *t,
			const struct why_question *q, struct lkst_shown_account *shown)
{
	struct lkst_why_span_options options;
	struct lkst_notes notes = {};
	struct lkst_span span;
	u64 nr;
	int err = parse_span(e, o, q, &options) ?:
		  lkst_why_span_find(e, t, &options, &span, &nr) ?:
		  say_span_in_short(e, o, t, &span, &notes);

	if (o->in_short == IN_SHORT_ONLY)
		err = err ?: start_account(e, shown);
	else
		err = err ?: why_load(e, t, span.from_ns, span.to_ns, shown) ?:
		      lkst_why_span_explain(e, shown->excerpt, &span, nr, (unsigned int)o->depth, &shown->account);
	return move_notes(&notes, shown, err) ?: set_config(e, o, t, shown);
}

/* ---- explaining ------------------------------------------------------------------------------ */

static int read_why_explain(struct lkst_err *e, const struct why_options *o, struct lkst_trace *t,
			    const struct why_question *q, struct lkst_shown_account *shown)
{
	struct lkst_notes notes = {};
	int err = o->in_short == IN_SHORT_NO
			  ? 0 : lkst_why_waiting_note(e, t, q->tid, q->from_ns, q->to_ns, &notes);

	if (o->in_short == IN_SHORT_ONLY)
		err = err ?: start_account(e, shown);
	else
		err = err ?: why_load(e, t, q->from_ns, q->to_ns, shown) ?:
		      lkst_why_explain(e, shown->excerpt, q->tid, q->from_ns, q->to_ns, (unsigned int)o->depth,
				       &shown->account);
	err = move_notes(&notes, shown, err);
	if (err)
		return err;
	say_passed_over(shown->account, &q->worst);
	why_say_limited(shown->account, &q->worst);
	return set_config(e, o, t, shown);
}

/* Whether the options say what is to be explained. */
static int check_asked(struct lkst_err *e, const struct why_options *o)
{
	if (o->worst && !*o->worst && !o->span && !o->id && !o->request)
		return lkst_err_set(
			e, -EINVAL,
			"the longest of what? Give --worst syscall, wait, ready, fault, io or span, or "
			"--worst with --span NAME");
	if (o->tid < 0 && !o->worst && !is_about_span(o))
		return lkst_err_set(e, -EINVAL,
				    "whose time? Give --tid N, --worst KIND or --span NAME");
	if ((o->comm || o->cgroup || o->call) && !o->worst && !is_about_span(o))
		return lkst_err_set(e, -EINVAL, "--comm, --cgroup and --call are for --worst");
	if (o->pid >= 0)
		return lkst_err_set(e, -EINVAL,
				    "--pid is for where the waiting went, which is told without a question");
	return 0;
}

void lkst_why_account_fini(struct lkst_shown_account *shown)
{
	lkst_account_free(shown->account);
	if (shown->excerpt)
		lkst_code_naming_end(&shown->excerpt->namer);
	if (shown->peers)
		lkst_peers_free(shown->peers);
	else
		lkst_excerpt_free(shown->excerpt);
	free(shown->configs);
	*shown = (struct lkst_shown_account){};
}

/* ---- which host ------------------------------------------------------------------------------ */

/* Makes @q the question about host number @i. -ENOENT: it has nothing of the kind. */
static int ask_host(struct lkst_err *e, const struct why_options *o, const struct lkst_reading *r, unsigned int i,
		    struct why_question *q)
{
	int err = parse_question(e, o, r, i, q);

	return err || !is_search(o) ? err : find_worst(e, o, r->list[i].trace, q);
}

/* Makes @ret_question the longest that any of the hosts has. */
static int ask_all_hosts(struct lkst_err *e, const struct why_options *o, const struct lkst_reading *r,
			 struct why_question *ret_question)
{
	bool is_found = false;
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		struct why_question q;
		int err = ask_host(e, o, r, i, &q);

		if (err && err != -ENOENT)
			return err;
		if (err || (is_found && q.to_ns - q.from_ns <= ret_question->to_ns - ret_question->from_ns))
			continue;
		*ret_question = q;
		is_found = true;
	}
	return is_found ? 0 : -ENOENT;
}

static int ask_reading(struct lkst_err *e, const struct why_options *o, const struct lkst_reading *r,
		       struct why_question *ret_question)
{
	int host;

	if (r->nr == 1)
		return ask_host(e, o, r, 0, ret_question);
	if (!o->host && is_search(o))
		return ask_all_hosts(e, o, r, ret_question);
	if (!o->host)
		return lkst_err_set(e, -EINVAL, "on which of the hosts? Give --host NAME; the first is %s",
				    r->list[0].name);
	host = lkst_reading_find_host(e, r, o->host);
	return host < 0 ? host : ask_host(e, o, r, (unsigned int)host, ret_question);
}

int lkst_why_account(struct lkst_err *e, const void *options, const struct lkst_reading *r,
		     struct lkst_shown_account *shown)
{
	const struct why_options *o = options;
	struct why_question q;
	struct lkst_trace *t;
	int err = check_asked(e, o) ?: ask_reading(e, o, r, &q);

	if (err)
		return err;
	shown->hosts = r->nr > 1 ? r : NULL;
	shown->host = q.host;
	t = r->list[q.host].trace;
	return is_about_span(o) ? explain_span(e, o, t, &q, shown) : read_why_explain(e, o, t, &q, shown);
}

/* ---- without a question ---------------------------------------------------------------------- */

static bool is_question(const struct why_options *o)
{
	return o->tid >= 0 || o->worst || is_about_span(o);
}

static enum lkst_table_format table_format(const struct why_options *o)
{
	return o->format == LKST_ACCOUNT_AS_JSON ? LKST_TABLE_JSON : LKST_TABLE_TEXT;
}

static struct lkst_why_waiting_options waiting_options(const struct why_options *o, bool has_row)
{
	return (struct lkst_why_waiting_options){
		.which = { .comm = o->comm,
			   .cgroup = o->cgroup,
			   .span = has_row ? o->span : NULL,
			   .has_tid = has_row && o->tid >= 0,
			   .tid = (s32)o->tid,
			   .has_pid = o->pid >= 0,
			   .pid = (s32)o->pid },
		.from = o->from,
		.to = o->to,
		.tree_depth = (unsigned int)o->tree,
		.is_text = table_format(o) == LKST_TABLE_TEXT,
	};
}

static int tell_waiting(struct lkst_err *e, const struct why_options *o, const struct lkst_reading *r)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_why_waiting_options w = waiting_options(o, false);
	const struct lkst_joined_question q = { .answer = lkst_why_waiting_tables,
						.options = &w,
						.from = &w.from,
						.to = &w.to,
						.format = table_format(o),
						.is_untitled = true };
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_out_init(out, STDOUT_FILENO);
	err = lkst_joined_tables_answer(e, &q, r, out);
	return err ?: lkst_out_flush(out) ? lkst_err_sys(e, out->error, "writing") : 0;
}

/* Makes the options those of the example of row @row. */
static int ask_row(struct lkst_err *e, const struct why_options *o, const char *row, struct lkst_trace *t,
		   struct lkst_notes *notes, struct why_question *q)
{
	const struct lkst_why_waiting_options w = waiting_options(o, true);

	if (!t)
		return lkst_err_set(e, -EINVAL, "%s is a row of one trace; give only that of its host", row);
	*q = (struct why_question){};
	return lkst_why_waiting_find(e, t, &w, row, notes, &q->tid, &q->from_ns, &q->to_ns);
}

static int explain_row(struct lkst_err *e, const struct why_options *o, const char *row, struct lkst_trace *t,
		       struct lkst_shown_account *shown)
{
	struct lkst_notes notes = {};
	struct why_question q;
	int err = ask_row(e, o, row, t, &notes, &q) ?: read_why_explain(e, o, t, &q, shown);

	return move_notes(&notes, shown, err);
}

/* ---- what has not ended ---------------------------------------------------------------------- */

/* Of the traces that @args name, or of the recording that runs. */
static int tell_hung(struct lkst_err *e, const struct why_options *o, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	const struct lkst_why_hung_options h = { .from = o->from,
						 .to = o->to,
						 .least_ns = o->longer_ns,
						 .is_json = o->format == LKST_ACCOUNT_AS_JSON };
	int err;

	if (is_question(o) || o->pid >= 0 || o->tree || o->comm || o->cgroup || o->call || o->host || o->journal)
		return lkst_err_set(e, -EINVAL, "--hung is of all threads, and goes with --longer, --from, --to and "
						"--format alone");
	if (!nr_args)
		return lkst_why_hung_live(e, &h);
	err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	return err ?: lkst_why_hung_tell(e, &h, &reading);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int why_print_account(struct lkst_err *e, const struct why_options *o, struct lkst_shown_account *shown)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_out_init(out, STDOUT_FILENO);
	shown->config.out = out;
	if (o->in_short == IN_SHORT_ONLY && !shown->account->notes.nr && o->format != LKST_ACCOUNT_AS_JSON)
		lkst_notes_add(&shown->account->notes, "There is nothing to say of this in short.");
	err = lkst_view_account(&shown->config, shown->account, o->format, !o->brief);
	if (err)
		return lkst_err_sys(e, err, "printing");
	return lkst_out_flush(out) ? lkst_err_sys(e, out->error, "writing") : 0;
}

static int why_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	_cleanup_(lkst_why_account_fini) struct lkst_shown_account shown = {};
	const struct why_options *o = options;
	const char *row = nr_args && lkst_why_waiting_is_number(args[0]) ? args[0] : NULL;
	struct lkst_why_log log = { NULL, o->journal };
	struct lkst_trace *one;
	int err;

	/* `lkst why … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	if (o->hung)
		return tell_hung(e, o, args, nr_args);
	if (!nr_args)
		return lkst_err_set(e, -EINVAL, "of which trace? Only --hung is also of the recording that runs");
	if (row && (nr_args < 2 || o->worst || o->id || o->request || o->call))
		return lkst_err_set(e, -EINVAL, nr_args < 2 ? "of which trace? Give `lkst why '%s' TRACE`"
							    : "%s says already what is to be explained", row);
	args += row ? 1 : 0;
	nr_args -= row ? 1 : 0;
	log.path = nr_args == 1 ? args[0] : NULL;
	err = !row && (is_question(o) || o->call) ? check_asked(e, o) : 0;
	if (!err)
		err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	one = lkst_reading_one(&reading);
	if (!err && one && o->host)
		err = lkst_err_set(e, -EINVAL, "--host is for traces of several hosts");
	if (!err && !one && o->journal)
		err = lkst_err_set(e, -EINVAL, "--journal is for the trace of one host");
	if (!err && o->tree && (row || is_question(o)))
		err = lkst_err_set(e, -EINVAL, "--tree is of all waiting, and not of one interval");
	if (!err && o->in_short && !row && !is_question(o))
		err = lkst_err_set(e, -EINVAL, "--in-short is of one interval, and not of all waiting");
	if (!err && !row && !is_question(o))
		return tell_waiting(e, o, &reading);
	if (!err)
		err = row ? explain_row(e, o, row, one, &shown) : lkst_why_account(e, o, &reading, &shown);
	if (!err && one)
		err = lkst_why_add_log(e, shown.account, one, &log);
	return err ?: why_print_account(e, o, &shown);
}

const struct lkst_cmd lkst_cmd_why = {
	.name = "why",
	.summary = "explain why a thread took so long",
	.args = "['#N'] [TRACE...]",
	.help = "Without a question it tells where the waiting went: who was kept waiting, how often and how\n"
		"long, for what, and because of whom, the greatest harm first. With '#N', the number of a\n"
		"row of that, it explains the row's longest wait. Options that choose threads go with both, and\n"
		"the rows have the numbers of those that are told with the same options.\n"
		"Else it explains what thread N did from one time to another: when it ran, when it was ready but\n"
		"another ran on its CPU, when it was blocked, in what, and until what. Where another thread\n"
		"ended the wait, what that thread did meanwhile is explained in turn, and so on, down to the\n"
		"timer, disk or packet that everyone waited for. Each step names the events it rests on.\n"
		"What the first table would say of that time of the thread follows, in short.\n"
		"Where records are missing, it says so. With traces of several hosts, a packet that ended a wait\n"
		"is followed to the thread of the host that sent it, if both have recorded packet_send and\n"
		"packet_receive.",
	.examples = "  lkst why slow\n"
		    "  lkst why '#1' slow\n"
		    "  lkst why --hung\n"
		    "  lkst why --worst syscall --call fsync slow\n"
		    "  lkst why --tid 1234 --from 12:14:05.2 --to 12:14:05.9 slow\n"
		    "  lkst why --tid 1234 --brief slow\n"
		    "  lkst why --span commit --worst slow\n"
		    "  lkst why --worst syscall:recvfrom web1 db1\n",
	.options = rows,
	.options_size = sizeof(struct why_options),
	.defaults = &defaults,
	.max_args = LKST_ARGS_MAX,
	.run = why_run,
};
