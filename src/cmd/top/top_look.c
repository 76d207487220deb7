// SPDX-License-Identifier: GPL-2.0-only
/* Where the figures of `lkst top` come from. */
#include "cmd/top/top_look.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/analyses/analysis.h"
#include "analyze/why/why.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/recorders/remote.h"
#include "cmd/recorders/turn.h"
#include "live/drain/snapshot.h"
#include "live/rings/history.h"
#include "print/account_text.h"
#include "trace/write/collected.h"

enum {
	COLLECTED_MAX = 1 << 30, /* bytes of a look */
};

/* What is read before the stretch: for what was so when it began; at first also what threads wait for since long. */
#define LEAD_NS 100000000ULL
#define FIRST_LEAD_NS 5000000000ULL

/* How late the service may begin with its answer without anything missing. */
#define REMOTE_DELAY_NS 500000000ULL

/* A look that comes so much later than it should does not continue the one before. */
#define PATIENCE_NS 10000000000ULL

/* How often it looks whether the recording was stopped. */
#define CHECK_NS 500000000ULL

struct lkst_top_source {
	const char *socket;
	bool is_remote;
	struct lkst_session *session; /* NULL: remote, or a trace */
	struct lkst_budget_view budget;
	struct lkst_cost_watch *watch;
	struct lkst_collected collected; /* of the last look */
	struct lkst_trace *file;	 /* a trace to look at; NULL: the recording */
	u64 from_ns, to_ns;		 /* of it */
	struct lkst_figures *figures;
	struct lkst_top_look look;
	struct lkst_analysis_run *findings; /* of the last look */
	u64 nr_looks;
	u64 own_ns, own_at_ns; /* this process's CPU time at the look before, and when that was */
};

static u64 own_cpu_ns(void)
{
	return lkst_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int open_session(struct lkst_err *e, struct lkst_top_source *s)
{
	struct lkst_turn turn;
	int err = lkst_turn_take(e, LKST_TURN_LOOK, &turn) ?: lkst_session_open(e, &s->session);

	lkst_turn_give(&turn);
	if (err == -ENOENT)
		return lkst_err_set(e, err,
				    "nothing is being recorded; `lkst start` begins, and then "
				    "`lkst top` shows the last second");
	err = err ?: lkst_session_budget(e, s->session, &s->budget);
	return err ?: lkst_cost_watch_new(e, s->session, &s->budget.page.costs, &s->watch);
}

static struct lkst_top_source *new_source(struct lkst_err *e)
{
	struct lkst_top_source *s = calloc(1, sizeof(*s));

	if (!s) {
		lkst_err_sys(e, -ENOMEM, "looking at the recording");
		return NULL;
	}
	s->collected.max_bytes = COLLECTED_MAX;
	s->own_ns = own_cpu_ns();
	s->own_at_ns = lkst_monotonic_ns();
	return s;
}

int lkst_top_open(struct lkst_err *e, const char *socket, struct lkst_top_source **ret_source)
{
	_cleanup_(lkst_top_closep) struct lkst_top_source *s = new_source(e);
	int err;

	if (!s)
		return -ENOMEM;
	s->socket = socket;
	s->is_remote = lkst_remote_is_wanted(socket);
	err = s->is_remote ? 0 : open_session(e, s);
	if (!err)
		*ret_source = lkst_take(s);
	return err;
}

int lkst_top_open_trace(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			struct lkst_top_source **ret_source)
{
	struct lkst_top_source *s = new_source(e);

	if (!s)
		return -ENOMEM;
	s->file = t;
	s->from_ns = from_ns;
	s->to_ns = to_ns;
	*ret_source = s;
	return 0;
}

static void forget_trace(struct lkst_top_source *s)
{
	lkst_cost_free(&s->look.recording.cost);
	lkst_analysis_run_free(s->findings);
	s->findings = NULL;
	s->look.waiting = NULL;
	if (s->look.trace != s->file)
		lkst_trace_close(s->look.trace);
	s->look.trace = NULL;
	lkst_collected_fini(&s->collected);
}

void lkst_top_close(struct lkst_top_source *s)
{
	if (!s)
		return;
	forget_trace(s);
	lkst_figures_free(s->figures);
	lkst_cost_watch_free(s->watch);
	lkst_budget_view_free(&s->budget);
	lkst_session_close(s->session);
	free(s);
}

/* ---- the records ---------------------------------------------------------------------------- */

static int copy_own(struct lkst_err *e, struct lkst_top_source *s, u64 since_ns)
{
	const struct lkst_snapshot_options what = { .since_ns = since_ns, .symbols = true };
	struct lkst_writer *w = NULL;
	int err = lkst_session_refresh(e, s->session)
			  ?: lkst_writer_open_sink(e, lkst_session_catalog(s->session),
						   &lkst_collected_sink, &s->collected, &w);

	if (err)
		return err;
	err = lkst_snapshot_write(e, s->session, &what, w);
	return lkst_writer_close(e, w, err);
}

static int check_current(struct lkst_err *e, const struct lkst_top_source *s)
{
	if (!s->session || lkst_session_is_current(s->session))
		return 0;
	return lkst_err_set(e, -ENOENT,
			    "the recording was stopped; `lkst start` begins another one");
}

/* Copies what was recorded since @from_ns and a little before. *@ret_to_ns: up to when all of it is there. */
static int top_look_copy(struct lkst_err *e, struct lkst_top_source *s, u64 from_ns, u64 *ret_to_ns)
{
	u64 lead_ns = s->figures ? LEAD_NS : FIRST_LEAD_NS, since_ns;
	int err = check_current(e, s);

	if (err)
		return err;
	*ret_to_ns = lkst_monotonic_ns();
	since_ns = from_ns > lead_ns ? from_ns - lead_ns : 1;
	/* The service counts from when it begins. */
	err = s->is_remote
		      ? lkst_remote_collect(e, s->socket, *ret_to_ns - since_ns + REMOTE_DELAY_NS,
					    &s->collected)
		      : copy_own(e, s, since_ns);
	return err ?: lkst_collected_open(e, &s->collected, &s->look.trace);
}

/* ---- sentences ------------------------------------------------------------------------------ */

/* The account of what thread @tid did, as a line or all of it. */
static int top_look_explain(struct lkst_err *e, struct lkst_trace *t, s32 tid, u64 from_ns, u64 to_ns,
			    bool is_line, FILE *to)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *w = NULL;
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_view_config config = { .out = out, .catalog = lkst_trace_catalog(t) };
	u64 end_ns;
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_trace_range(t, &config.begin_ns, &end_ns);
	if (from_ns < config.begin_ns)
		from_ns = config.begin_ns;
	lkst_out_init_stream(out, to);
	err = lkst_excerpt_new(e, t, from_ns > LKST_WHY_LEAD_NS ? from_ns - LKST_WHY_LEAD_NS : 0,
			       to_ns + LKST_WHY_TAIL_NS, NULL, &w)
		      ?: lkst_why_explain(e, w, tid, from_ns, to_ns, is_line ? 1 : LKST_WHY_DEPTH,
					  &a);
	if (err)
		return err;
	config.threads = w->threads;
	config.symbols = w->symbols;
	err = is_line ? lkst_view_account_line(&config, a)
		      : lkst_view_account_text(&config, a, false);
	err = err ?: lkst_out_flush(out);
	return err ? lkst_err_sys(e, err, "explaining") : 0;
}

/* The same as text, to be freed. */
static int top_look_explain_text(struct lkst_err *e, struct lkst_trace *t, s32 tid, u64 from_ns, u64 to_ns,
				 bool is_line, char **ret_text)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);
	int err;

	if (!to)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	err = top_look_explain(e, t, tid, from_ns, to_ns, is_line, to);
	if (fclose(to) && !err)
		err = lkst_err_sys(e, -ENOMEM, "explaining");
	if (err)
		free(text);
	else
		*ret_text = text;
	return err;
}

int lkst_top_why(struct lkst_err *e, const struct lkst_top_look *look, s32 tid, char **ret_text)
{
	return top_look_explain_text(e, look->trace, tid, look->figures->from_ns, look->figures->to_ns,
				     false, ret_text);
}

/* A trace may have nothing to explain it with: then there is no sentence. */
static int tell_worst(struct lkst_err *e, struct lkst_top_look *look)
{
	const struct lkst_worst *w = &look->figures->worst;
	char *text = NULL;
	int err;

	look->worst[0] = '\0';
	if (!look->figures->has_worst)
		return 0;
	err = top_look_explain_text(e, look->trace, w->tid, w->from_ns, w->to_ns, true, &text);
	if (!err)
		snprintf(look->worst, sizeof(look->worst), "%s", text);
	free(text);
	return err == -ENOMEM ? err : 0;
}

/* Adds row @i of the findings to @to, as text: what, how long, who. */
static void top_look_put_finding(char *to, size_t size, const struct lkst_table *t, size_t i)
{
	char took[LKST_DURATION_TEXT], who[64] = "";
	const struct lkst_cell *cells = lkst_table_cell(t, i, 0);
	const int tid = lkst_table_column(t, "tid"), comm = lkst_table_column(t, "comm");
	size_t used = strlen(to);

	lkst_duration_format(cells[lkst_table_column(t, "took")].u64, took);
	if (cells[tid].is_set)
		snprintf(who, sizeof(who), "%lld/%s ", (long long)cells[tid].s64,
			 cells[comm].is_set ? cells[comm].text : "?");
	snprintf(to + used, size - used, "%s%s%s %s", used ? "; " : "", who, cells[0].text, took);
}

/* The worst of each kind, as a line. */
static void put_worst_of_each(const struct lkst_table *t, char *text, size_t size)
{
	const char *last = "";
	size_t row;

	text[0] = '\0';
	for (row = 0; t && row < t->nr_rows; row++) {
		const char *what = lkst_table_cell(t, row, 0)->text;

		if (strcmp(what, last))
			top_look_put_finding(text, size, t, row);
		last = what;
	}
}

/* What `lkst report` and `lkst why` would say of the look's time. */
static int tell_findings(struct lkst_err *e, struct lkst_top_source *s)
{
	static const struct lkst_analysis *const asked[] = { &lkst_analysis_summary, &lkst_analysis_waiting };
	struct lkst_top_look *look = &s->look;
	const struct lkst_analysis_options options = { .from_ns = look->figures->from_ns,
						       .to_ns = look->figures->to_ns };
	int err = lkst_analysis_run_new(e, look->trace, &options, asked, 2, &s->findings)
			  ?: lkst_analysis_run_pass(e, s->findings);

	if (err)
		return err;
	put_worst_of_each(lkst_tables_find(lkst_analysis_run_tables(s->findings, 0), "findings"), look->stands_out,
			  sizeof(look->stands_out));
	look->waiting = lkst_tables_find(lkst_analysis_run_tables(s->findings, 1), "waiting");
	return 0;
}

/* ---- the recording -------------------------------------------------------------------------- */

static int top_look_at_recording(struct lkst_err *e, struct lkst_top_source *s)
{
	struct lkst_top_recording *r = &s->look.recording;
	struct lkst_history history;
	int err;

	r->is_known = s->session != NULL;
	if (!s->session)
		return 0;
	lkst_budget_view_free(&s->budget);
	err = lkst_session_budget(e, s->session, &s->budget)
		      ?: lkst_cost_watch_next(e, s->watch, &r->cost);
	if (err)
		return err;
	r->limit_ppm = s->budget.page.limit_ppm;
	r->nr_shed = s->budget.page.nr_shed;
	lkst_history_look(lkst_session_rings(s->session), &history);
	r->history_s = history.nr ? history.held[0].seconds : 0;
	return 0;
}

static void count_own(struct lkst_top_source *s)
{
	u64 own_ns = own_cpu_ns(), now = lkst_monotonic_ns();

	s->look.has_own = s->nr_looks++ > 0;
	s->look.own_share = now > s->own_at_ns
				    ? (double)(own_ns - s->own_ns) / (double)(now - s->own_at_ns)
				    : 0;
	s->own_ns = own_ns;
	s->own_at_ns = now;
}

/* Records that the ledger has lost; a string that was cut is no such. */
static u64 lost_records(const struct lkst_figures *f)
{
	u64 lost = f->skipped;
	unsigned int i;

	for (i = 0; i < LKST_LOSS_NR; i++)
		lost += lkst_loss_is_of_records(i) ? f->lost[i] : 0;
	return lost;
}

/* Those since the look before. The service may have another recording by now, which counts from zero. */
static u64 newly_lost(const struct lkst_top_source *s, const struct lkst_figures *f)
{
	u64 before = s->figures ? lost_records(s->figures) : 0, now = lost_records(f);

	return now >= before ? now - before : now;
}

/* ---- a look --------------------------------------------------------------------------------- */

/* From when on to look: where the look before ended, unless that is too long ago. */
static u64 top_look_begin_of(const struct lkst_top_source *s, u64 delay_ns, bool *ret_continues)
{
	u64 now = lkst_monotonic_ns();

	*ret_continues = s->figures && now - s->figures->to_ns < delay_ns + PATIENCE_NS;
	if (*ret_continues)
		return s->figures->to_ns;
	return now > delay_ns ? now - delay_ns : 0;
}

static int top_look(struct lkst_err *e, struct lkst_top_source *s, u64 delay_ns)
{
	_cleanup_(lkst_figures_freep) struct lkst_figures *f = NULL;
	struct lkst_figures_options o = { .from_ns = s->from_ns, .to_ns = s->to_ns };
	bool continues = false;
	int err;

	s->look.trace = s->file;
	err = 0;
	if (!s->file) {
		o.from_ns = top_look_begin_of(s, delay_ns, &continues);
		err = top_look_copy(e, s, o.from_ns, &o.to_ns);
	}
	if (continues)
		o.before = s->figures;
	err = err ?: lkst_figures_new(e, s->look.trace, &o, &f);
	if (err)
		return err;
	s->look.has_lost = s->figures != NULL;
	s->look.lost = newly_lost(s, f);
	lkst_figures_free(s->figures);
	s->look.figures = s->figures = lkst_take(f);
	return tell_worst(e, &s->look) ?: tell_findings(e, s) ?: top_look_at_recording(e, s);
}

int lkst_top_next(struct lkst_err *e, struct lkst_top_source *s, u64 delay_ns,
		  const struct lkst_top_look **ret_look)
{
	int err;

	forget_trace(s);
	err = top_look(e, s, delay_ns);
	count_own(s);
	if (!err)
		*ret_look = &s->look;
	return err;
}

int lkst_top_wait(struct lkst_err *e, struct lkst_top_source *s, u64 ns, struct pollfd *fds,
		  unsigned int nr)
{
	u64 end_ns = lkst_monotonic_ns() + ns, now;

	while ((now = lkst_monotonic_ns()) < end_ns) {
		u64 left_ns = end_ns - now < CHECK_NS ? end_ns - now : CHECK_NS;
		int ready = poll(fds, nr, (int)((left_ns + 999999) / 1000000)), err;

		if (ready > 0 || (ready < 0 && errno == EINTR))
			return 1;
		if (ready < 0)
			return lkst_err_sys(e, -errno, "waiting");
		err = check_current(e, s);
		if (err)
			return err;
	}
	return 0;
}
