/* SPDX-License-Identifier: GPL-2.0-only */
/* Perfetto: what LKST says of the trace, on tracks below one that is called LKST. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/state.h"
#include "analyze/lint/lint.h"
#include "export/perfetto/perfetto.h"
#include "print/account_text.h"
#include "print/values.h"

enum {
	SENTENCE_ROOM = 4096,
	GAP_TRACKS_MAX = LKST_PERFETTO_CPUS_MAX,
};

u64 lkst_perfetto_own_track(struct lkst_perfetto *p, enum lkst_perfetto_track kind,
			    const char *name)
{
	u64 uuid = lkst_perfetto_uuid(kind, 0),
	    top = lkst_perfetto_uuid(LKST_PERFETTO_TRACK_LKST, 0);

	if (!p->has_track[LKST_PERFETTO_TRACK_LKST])
		lkst_perfetto_track(p, top, 0, "LKST", 0);
	if (!p->has_track[kind])
		lkst_perfetto_track(p, uuid, top, name, (u32)kind);
	p->has_track[LKST_PERFETTO_TRACK_LKST] = p->has_track[kind] = true;
	return uuid;
}

static u32 perfetto_findings_begin(struct lkst_perfetto *p, enum lkst_perfetto_event type, u64 uuid, u64 ns,
				   const char *name)
{
	return lkst_perfetto_begin_event(p, LKST_PERFETTO_FINDINGS, type, uuid, ns, name);
}

static void perfetto_findings_end_slice(struct lkst_perfetto *p, u64 uuid, u64 ns)
{
	lkst_perfetto_end_event(p, perfetto_findings_begin(p, LKST_PERFETTO_SLICE_END, uuid, ns, NULL));
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* The buffers of a CPU have gaps each, which may overlap: so they have a track each. */
static u64 gap_track(struct lkst_perfetto *p, const struct lkst_gap *gap)
{
	u64 gaps = lkst_perfetto_own_track(p, LKST_PERFETTO_TRACK_GAPS, "records missing");
	u64 key = (u64)gap->cpu << 16 | gap->buffer;
	char name[64], buffer[LKST_VALUE_ROOM];
	u64 *number = lkst_map_find(&p->gap_tracks, key);

	if (number)
		return lkst_perfetto_uuid(LKST_PERFETTO_TRACK_GAPS, (u32)*number);
	if (lkst_map_set(&p->gap_tracks, key, p->gap_tracks.hash.nr + 1) < 0)
		return gaps;
	number = lkst_map_find(&p->gap_tracks, key);
	*lkst_put_buffer(buffer, gap->buffer) = 0;
	snprintf(name, sizeof(name), "CPU %u, buffer %.24s", gap->cpu, buffer);
	lkst_perfetto_track(p, lkst_perfetto_uuid(LKST_PERFETTO_TRACK_GAPS, (u32)*number), gaps,
			    name, gap->cpu);
	return lkst_perfetto_uuid(LKST_PERFETTO_TRACK_GAPS, (u32)*number);
}

void lkst_perfetto_put_gap(struct lkst_perfetto *p, const struct lkst_gap *gap)
{
	u64 uuid = gap_track(p, gap), from_ns = gap->from_ns ? gap->from_ns : 1;
	u32 at = perfetto_findings_begin(p, LKST_PERFETTO_SLICE_BEGIN, uuid, from_ns,
					 gap->is_pause ? "nothing recorded" : "records missing");

	if (gap->why)
		lkst_perfetto_note_text(p, "why", gap->why, (u32)strlen(gap->why));
	if (gap->events)
		lkst_perfetto_note_number(p, "records", (s64)gap->events);
	if (gap->blocks)
		lkst_perfetto_note_number(p, "blocks", (s64)gap->blocks);
	lkst_perfetto_end_event(p, at);
	perfetto_findings_end_slice(p, uuid, gap->to_ns > from_ns ? gap->to_ns : from_ns);
}

/* ---- what the cost limit left out -------------------------------------------------------------- */

/* Times of two kinds may overlap: so each has a track. */
static int perfetto_findings_put_left_out(void *ctx, const struct lkst_limited_time *time)
{
	struct lkst_perfetto *p = ctx;
	u64 top = lkst_perfetto_own_track(p, LKST_PERFETTO_TRACK_LIMIT, "not recorded (the cost limit)");
	u64 uuid = lkst_perfetto_uuid(LKST_PERFETTO_TRACK_LIMIT, time->nr + 1);
	u64 from_ns = time->from_ns > p->x->begin_ns ? time->from_ns : p->x->begin_ns;

	lkst_perfetto_track(p, uuid, top, time->kind, time->nr);
	lkst_perfetto_end_event(p, perfetto_findings_begin(p, LKST_PERFETTO_SLICE_BEGIN, uuid, from_ns ?: 1,
							   "not recorded"));
	perfetto_findings_end_slice(p, uuid, time->to_ns < p->x->end_ns ? time->to_ns : p->x->end_ns);
	return p->error;
}

/* ---- incidents and losses ---------------------------------------------------------------------- */

static int perfetto_findings_on_incident(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_incident *x = record;
	struct lkst_perfetto *p = ctx;
	const struct lkst_event_class *event =
		x->event && x->event <= LKST_ID_MAX ? p->x->catalog->classes[x->event] : NULL;
	u32 length = (u32)strnlen(x->reason.bytes, SENTENCE_ROOM), at;
	char name[32];

	if (x->at < p->x->from_ns || x->at > p->x->to_ns || x->at > LKST_TIME_MAX || !x->at)
		return 0;
	snprintf(name, sizeof(name), "incident %u", x->number);
	at = perfetto_findings_begin(p, LKST_PERFETTO_INSTANT,
				     lkst_perfetto_own_track(p, LKST_PERFETTO_TRACK_INCIDENTS, "incidents"), x->at,
				     name);
	lkst_perfetto_note_text(p, "reason", x->reason.bytes, length);
	lkst_perfetto_note_number(p, "value", (s64)x->value);
	lkst_perfetto_note_number(p, "trigger", x->trigger);
	if (event)
		lkst_perfetto_note_text(p, "event", event->name, (u32)strlen(event->name));
	lkst_perfetto_note_number(p, "thread", x->thread);
	lkst_perfetto_end_event(p, at);
	return 0;
}

/* When records were lost the ledger does not say: it is at the end of what is written. */
static void perfetto_findings_put_loss(struct lkst_perfetto *p, const char *cause, const char *what, u32 length,
				       s32 cpu, u64 count)
{
	u32 at;

	if (!count || p->x->end_ns == 0)
		return;
	at = perfetto_findings_begin(p, LKST_PERFETTO_INSTANT,
				     lkst_perfetto_own_track(p, LKST_PERFETTO_TRACK_LOSSES, "losses"), p->x->end_ns,
				     cause);
	lkst_perfetto_note_number(p, "count", (s64)count);
	if (what)
		lkst_perfetto_note_text(p, "hook", what, length);
	if (cpu >= 0)
		lkst_perfetto_note_number(p, "cpu", cpu);
	lkst_perfetto_end_event(p, at);
}

static int perfetto_findings_on_loss(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_loss *x = record;

	perfetto_findings_put_loss(ctx, x->cause < LKST_LOSS_NR ? lkst_loss_names[x->cause] : "lost", NULL, 0,
				   x->loss_cpu, x->count);
	return 0;
}

static int perfetto_findings_on_skipped(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_skipped *x = record;

	perfetto_findings_put_loss(ctx, "runs of a program that the kernel skipped", x->hook.bytes,
				   (u32)strnlen(x->hook.bytes, SENTENCE_ROOM), -1, x->count);
	return 0;
}

int lkst_perfetto_subscribe_findings(struct lkst_perfetto *p)
{
	int err;

	p->gap_tracks.max = GAP_TRACKS_MAX;
	err = lkst_feed_event(p->feed, LKST_EV_state_incident, perfetto_findings_on_incident, p);
	if (err >= 0)
		err = lkst_feed_event(p->feed, LKST_EV_state_loss, perfetto_findings_on_loss, p);
	if (err >= 0)
		err = lkst_feed_event(p->feed, LKST_EV_state_skipped, perfetto_findings_on_skipped, p);
	return err < 0 ? err : lkst_lint_begin(p->e, p->feed, NULL, 0, &p->lint);
}

/* ---- findings of lint ------------------------------------------------------------------------- */

static bool perfetto_findings_is_wanted(const struct lkst_perfetto *p, const struct lkst_account_step *s)
{
	return s->to_ns >= p->x->from_ns && s->from_ns <= p->x->to_ns && s->from_ns &&
	       s->to_ns <= LKST_TIME_MAX;
}

/* An instant at its end, since two may overlap, and with the events that it rests on in words. */
static int perfetto_findings_put_finding(struct lkst_perfetto *p, const struct lkst_view_config *config,
					 const struct lkst_account_step *s)
{
	char sentence[SENTENCE_ROOM], place[64];
	const struct lkst_account_cite *c;
	int length = lkst_view_account_sentence(config, s, sentence, sizeof(sentence));
	u32 at;

	if (length < 0)
		return length;
	at = perfetto_findings_begin(p, LKST_PERFETTO_INSTANT,
				     lkst_perfetto_own_track(p, LKST_PERFETTO_TRACK_FINDINGS, "lint"), s->to_ns,
				     s->kind);
	lkst_perfetto_note_text(p, "finding", sentence, (u32)length);
	lkst_perfetto_note_number(p, "thread", s->tid);
	for (c = s->cites; c; c = c->next) {
		length = snprintf(place, sizeof(place), "%llu ns on CPU %u, thread %d",
				  (unsigned long long)lkst_perfetto_time(p, c->ns), c->cpu, c->tid);
		lkst_perfetto_note_text(p, c->event, place, (u32)length);
	}
	lkst_perfetto_end_event(p, at);
	return 0;
}

int lkst_perfetto_put_findings(struct lkst_perfetto *p)
{
	struct lkst_lint lint = {};
	const struct lkst_account_step *s;
	int err = lkst_lint_finish(p->e, p->lint, &lint);
	struct lkst_view_config config = { .out = p->x->out,
					   .catalog = p->x->catalog,
					   .threads = lint.threads,
					   .symbols = lint.symbols,
					   .begin_ns = p->x->begin_ns };

	for (s = err ? NULL : lint.account->root.steps; s && !err; s = s->next)
		if (perfetto_findings_is_wanted(p, s))
			err = perfetto_findings_put_finding(p, &config, s);
	lkst_lint_fini(&lint);
	return err ?: lkst_limited_each(p->x->limited, p->x->begin_ns, p->x->end_ns, perfetto_findings_put_left_out, p);
}

void lkst_perfetto_free_findings(struct lkst_perfetto *p)
{
	lkst_lint_search_free(p->lint);
	lkst_map_fini(&p->gap_tracks);
}
