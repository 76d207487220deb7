/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst why: explains an interval of a thread as a chain of who waited for whom. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/why/why_span.h"
#include "analyze/why/worst.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/code_naming.h"
#include "cmd/read/accounts.h"
#include "cmd/traces.h"
#include "cmd/read/why_log.h"
#include "view/account_text.h"

struct options {
	s64 tid, depth;
	const char *worst, *comm, *cgroup, *call;
	const char *span, *id, *request;
	const char *from, *to, *host;
	unsigned int format, time;
	bool brief, journal;
};

static const struct options defaults = {
	.tid = -1,
	.depth = LKST_WHY_DEPTH,
};

static bool is_worst_kind(const char *word)
{
	enum lkst_worst_kind kind;
	const char *call;
	struct lkst_err e = {};

	return !strcmp(word, "span") || !strncmp(word, "span:", 5) ||
	       !lkst_worst_parse(&e, word, &kind, &call);
}

static const struct lkst_option rows[] = {
	LKST_OPTION(NUMBER, struct options, tid, .name = "tid", .argument = "N", .min = 1,
		    .max = INT32_MAX, .help = "the thread whose time is to be explained"),
	LKST_OPTION(TEXT, struct options, worst, .name = "worst", .letter = 'w',
		    .argument = "KIND[:CALL]", .is_value = is_worst_kind,
		    .help = "explain the longest syscall, wait (of a program's thread, blocked),\n"
			    "ready (but not running), fault (page fault of a program), io (wait\n"
			    "for a disk) or span that is recorded from begin to end; of system\n"
			    "calls not those that wait by design (poll, wait4, futex ...), unless\n"
			    "CALL, a glob, names them; with --span, --id or --trace it needs no\n"
			    "KIND"),
	LKST_OPTION(TEXT, struct options, comm, .name = "comm", .argument = "GLOB",
		    .help = "with --worst: only of threads with such a name"),
	LKST_OPTION(TEXT, struct options, cgroup, .name = "cgroup", .argument = "GLOB",
		    .help = "with --worst: only of threads in such a cgroup or container"),
	LKST_OPTION(TEXT, struct options, call, .name = "call", .argument = "GLOB",
		    .help = "with --worst: only in system calls of such a name; the same as\n"
			    "KIND:CALL"),
	LKST_OPTION(
		TEXT, struct options, span, .name = "span", .argument = "GLOB",
		.help = "explain the longest span of such a name that a program marked and that\n"
			"is recorded whole; the same as --worst span:GLOB"),
	LKST_OPTION(TEXT, struct options, id, .name = "id", .argument = "N",
		    .help = "only spans with this number"),
	LKST_OPTION(TEXT, struct options, request, .name = "trace", .argument = "ID",
		    .help = "only spans of this request: 32 hexadecimal digits, or a whole\n"
			    "traceparent of W3C Trace Context"),
	LKST_RANGE_ROWS(struct options, "from this time on", "up to this time"),
	LKST_OPTION(TEXT, struct options, host, .name = "host", .argument = "NAME",
		    .help = "of several hosts: whose thread or span it is; --worst searches all\n"
			    "without it"),
	LKST_OPTION(NUMBER, struct options, depth, .name = "depth", .letter = 'd', .argument = "N",
		    .max = LKST_WHY_DEPTH_MAX, .standard = "8", .help = "follow so many wake-ups"),
	LKST_OPTION(CHOICE, struct options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_account_format_choices),
	LKST_OPTION(CHOICE, struct options, time, .name = "time", .argument = "FORM",
		    .standard = "day", .help = "", .choices = lkst_view_time_choices),
	LKST_OPTION(FLAG, struct options, brief, .name = "brief",
		    .help = "without the events that each step rests on"),
	LKST_OPTION(FLAG, struct options, journal, .name = "journal",
		    .help = "with the lines of this machine's journal that have the number of\n"
			    "the span's request; those in a bundle are shown anyway"),
	{},
};

/* What is to be explained. */
struct question {
	s32 tid;
	u64 from_ns, to_ns;
	struct lkst_worst worst; /* how it was found, if it was searched for */
};

static int parse_question(struct lkst_err *e, const struct options *o, const struct lkst_trace *t,
			  struct question *ret_question)
{
	u64 begin_ns, end_ns;
	int err;

	lkst_trace_range(t, &begin_ns, &end_ns);
	*ret_question =
		(struct question){ .tid = (s32)o->tid, .from_ns = begin_ns, .to_ns = end_ns };
	err = lkst_cmd_parse_range(e, t, o->from, o->to, &ret_question->from_ns,
				   &ret_question->to_ns);
	if (err)
		return err;
	if (ret_question->from_ns >= ret_question->to_ns)
		return lkst_err_set(e, -EINVAL, "the interval ends before it begins");
	if (ret_question->from_ns >= end_ns || ret_question->to_ns <= begin_ns)
		return lkst_err_set(
			e, -ENOENT,
			"the trace has no records of that time; `lkst check` tells from "
			"when to when it is");
	return 0;
}

/* With --worst: makes the question the longest such interval. */
static int find_worst(struct lkst_err *e, const struct options *o, struct lkst_trace *t,
		      struct question *q)
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
		*q = (struct question){ worst.tid, worst.from_ns, worst.to_ns, worst };
	return err;
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* The pattern for names that --worst gives: "" where it gives none; NULL: it is not about spans. */
static const char *worst_span(const struct options *o)
{
	if (o->worst && !*o->worst)
		return o->worst;
	if (!o->worst || strncmp(o->worst, "span", 4) || (o->worst[4] && o->worst[4] != ':'))
		return NULL;
	return o->worst[4] ? o->worst + 5 : "";
}

static bool is_about_span(const struct options *o)
{
	return o->span || o->id || o->request || worst_span(o);
}

static int parse_span(struct lkst_err *e, const struct options *o, const struct question *q,
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
	lkst_account_say(a, top, " %s by design %s passed over, the longest ",
			 w->passed_over == 1 ? "system call that waits" : "system calls that wait",
			 w->passed_over == 1 ? "is" : "are");
	lkst_account_text(a, top, "longest_passed", w->longest_passed, strlen(w->longest_passed));
	lkst_account_say(a, top, "() of ");
	lkst_account_fact(a, top, "longest_passed_ns", LKST_ACCOUNT_DURATION, w->longest_passed_ns);
}

static int load(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
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
static void set_config_of(const struct options *o, const struct lkst_trace *t, const struct lkst_excerpt *w,
			  struct lkst_view_config *config)
{
	u64 end_ns;

	*config = (struct lkst_view_config){ .catalog = lkst_trace_catalog(t),
					     .threads = w ? w->threads : NULL,
					     .symbols = w ? w->symbols : NULL,
					     .time = o->time };
	lkst_trace_range(t, &config->begin_ns, &end_ns);
}

static int set_config(struct lkst_err *e, const struct options *o, const struct lkst_trace *t,
		      struct lkst_shown_account *shown)
{
	const struct lkst_hosts *h = shown->hosts;
	u64 begin_ns, end_ns;
	unsigned int i;

	set_config_of(o, t, shown->excerpt, &shown->config);
	if (!h)
		return 0;
	if (lkst_peers_error(shown->peers))
		return lkst_err_sys(e, lkst_peers_error(shown->peers), "reading what the other hosts did");
	shown->configs = calloc(h->nr, sizeof(*shown->configs));
	if (!shown->configs)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_hosts_range(h, &begin_ns, &end_ns);
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

static int explain_span(struct lkst_err *e, const struct options *o, struct lkst_trace *t,
			const struct question *q, struct lkst_shown_account *shown)
{
	struct lkst_why_span_options options;
	struct lkst_span span;
	u64 nr;
	int err = parse_span(e, o, q, &options) ?:
		  lkst_why_span_find(e, t, &options, &span, &nr) ?:
		  load(e, t, span.from_ns, span.to_ns, shown) ?:
		  lkst_why_span_explain(e, shown->excerpt, &span, nr, (unsigned int)o->depth, &shown->account);

	return err ?: set_config(e, o, t, shown);
}

/* ---- explaining ------------------------------------------------------------------------------ */

static int explain(struct lkst_err *e, const struct options *o, struct lkst_trace *t,
		   const struct question *q, struct lkst_shown_account *shown)
{
	int err = load(e, t, q->from_ns, q->to_ns, shown)
			  ?: lkst_why_explain(e, shown->excerpt, q->tid, q->from_ns, q->to_ns,
					      (unsigned int)o->depth, &shown->account);

	if (err)
		return err;
	say_passed_over(shown->account, &q->worst);
	return set_config(e, o, t, shown);
}

/* Whether the options say what is to be explained. */
static int check_asked(struct lkst_err *e, const struct options *o)
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
	return 0;
}

int lkst_why_account(struct lkst_err *e, const void *options, struct lkst_trace *t,
		     struct lkst_shown_account *shown)
{
	const struct options *o = options;
	struct question q;
	int err = check_asked(e, o) ?: parse_question(e, o, t, &q);

	if (!err && is_about_span(o))
		return explain_span(e, o, t, &q, shown);
	if (!err && o->worst)
		err = find_worst(e, o, t, &q);
	return err ? err : explain(e, o, t, &q, shown);
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

/* ---- several hosts --------------------------------------------------------------------------- */

/* The options for host number @i alone. The texts are its range. */
struct own_options {
	struct options options;
	char from[LKST_CMD_OWN_TIME], to[LKST_CMD_OWN_TIME];
};

static int make_own(struct lkst_err *e, const struct options *o, const struct lkst_hosts *h, unsigned int i,
		    struct own_options *ret)
{
	u64 from_ns = 0, to_ns = UINT64_MAX;
	int err = lkst_cmd_hosts_range(e, h, o->from, o->to, &from_ns, &to_ns);

	ret->options = *o;
	if (o->from)
		ret->options.from = lkst_cmd_own_time(&h->list[i], from_ns, ret->from);
	if (o->to)
		ret->options.to = lkst_cmd_own_time(&h->list[i], to_ns, ret->to);
	return err;
}

/* The host that has the longest of what --worst asks for. */
static int find_worst_host(struct lkst_err *e, const struct options *o, const struct lkst_hosts *h)
{
	u64 longest_ns = 0;
	int worst = -ENOENT;
	unsigned int i;

	for (i = 0; i < h->nr; i++) {
		struct own_options own;
		struct question q;
		int err = make_own(e, o, h, i, &own) ?:
			  parse_question(e, &own.options, h->list[i].trace, &q) ?:
			  find_worst(e, &own.options, h->list[i].trace, &q);

		if (err && err != -ENOENT)
			return err;
		if (!err && (worst < 0 || q.to_ns - q.from_ns > longest_ns)) {
			longest_ns = q.to_ns - q.from_ns;
			worst = (int)i;
		}
	}
	return worst;
}

static int choose_host(struct lkst_err *e, const struct options *o, const struct lkst_hosts *h)
{
	if (o->host)
		return lkst_hosts_find(e, h, o->host);
	if (o->worst && !is_about_span(o))
		return find_worst_host(e, o, h);
	return lkst_err_set(e, -EINVAL, "on which of the hosts? Give --host NAME; the first is %s", h->list[0].name);
}

static int explain_host(struct lkst_err *e, const struct options *o, const struct lkst_hosts *h,
			struct lkst_shown_account *shown)
{
	int host = choose_host(e, o, h);
	struct own_options own;
	int err;

	if (host < 0)
		return host;
	shown->hosts = h;
	shown->host = (unsigned int)host;
	err = make_own(e, o, h, shown->host, &own);
	return err ?: lkst_why_account(e, &own.options, h->list[host].trace, shown);
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_cmd_traces_fini) struct lkst_cmd_traces traces = {};
	_cleanup_(lkst_why_account_fini) struct lkst_shown_account shown = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct options *o = options;
	const struct lkst_why_log log = { nr_args == 1 ? args[0] : NULL, o->journal };
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	/* `lkst why … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = check_asked(e, o) ?: lkst_cmd_open_traces(e, args, nr_args, &traces);
	if (!err && traces.trace && o->host)
		err = lkst_err_set(e, -EINVAL, "--host is for traces of several hosts");
	if (!err && !traces.trace && o->journal)
		err = lkst_err_set(e, -EINVAL, "--journal is for the trace of one host");
	if (!err)
		err = traces.trace ? lkst_why_account(e, o, traces.trace, &shown)
				   : explain_host(e, o, &traces.hosts, &shown);
	if (!err && traces.trace)
		err = lkst_why_add_log(e, shown.account, traces.trace, &log);
	if (err)
		return err;
	lkst_out_init(out, STDOUT_FILENO);
	shown.config.out = out;
	err = lkst_view_account(&shown.config, shown.account, o->format, !o->brief);
	if (err)
		return lkst_err_sys(e, err, "printing");
	return lkst_out_flush(out) ? lkst_err_sys(e, out->error, "writing") : 0;
}

const struct lkst_cmd lkst_cmd_why = {
	.name = "why",
	.summary = "why a thread took so long: who ran, who waited for whom",
	.args = "TRACE...",
	.help = "Explains what thread N did from one time to another: when it ran, when it was ready but\n"
		"another ran on its CPU, when it was blocked, in what, and until what. Where another thread\n"
		"ended the wait, what that thread did meanwhile is explained in turn, and so on, down to the\n"
		"timer, disk or packet that everyone waited for. Each step names the events it rests on.\n"
		"Where records are missing, it says so. With traces of several hosts, a packet that ended a wait\n"
		"is followed to the thread of the host that sent it, if both have recorded packet_send and\n"
		"packet_receive.",
	.examples = "  lkst why --worst syscall --call fsync slow\n"
		    "  lkst why --tid 1234 --from 12:14:05.2 --to 12:14:05.9 slow\n"
		    "  lkst why --tid 1234 --brief slow\n"
		    "  lkst why --span commit --worst slow\n"
		    "  lkst why --worst syscall:recvfrom web1 db1\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = run,
};
