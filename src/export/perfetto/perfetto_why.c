/* SPDX-License-Identifier: GPL-2.0-only */
/* Perfetto: what threads were blocked on, and why the longest waits and calls took so long. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/why/why.h"
#include "analyze/why/worst.h"
#include "export/perfetto/perfetto.h"
#include "print/account_text.h"

enum {
	INTERNED_DATA = 12,  /* of TracePacket */
	KERNEL_SYMBOLS = 26, /* of InternedData */
	REASONS_MAX = 4096,
	EXCERPT_MAX = 1 << 17, /* records, what bounds the memory */
	SENTENCE_ROOM = 1024,
};

/* What is explained, one of each. */
static const struct {
	enum lkst_worst_kind kind;
	const char *name;
} kinds[] = {
	{ LKST_WORST_SYSCALL, "the longest system call" },
	{ LKST_WORST_WAIT, "the longest wait" },
	{ LKST_WORST_READY, "the longest time ready to run" },
	{ LKST_WORST_IO, "the longest wait for a disk" },
};

enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct lkst_perfetto_why {
	struct lkst_map
		reasons; /* numbers of what threads are blocked on, by cause and system call */
	struct lkst_worst_options options[NR_KINDS];
	struct lkst_worst_search *searches[NR_KINDS];
};

/* ---- what threads are blocked on --------------------------------------------------------------- */

/* Gives number @number to a name, as Perfetto gives them to functions that block. */
static void perfetto_why_put_name(struct lkst_perfetto *p, u64 number, const char *name)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_EVENTS, 0);
	u32 at, in;

	lkst_protobuf_u64(b, LKST_PERFETTO_SEQUENCE_FLAGS,
			  number == 1 ? LKST_PERFETTO_STATE_CLEARED : LKST_PERFETTO_NEEDS_STATE);
	at = lkst_protobuf_begin(b, INTERNED_DATA);
	in = lkst_protobuf_begin(b, KERNEL_SYMBOLS);
	lkst_protobuf_u64(b, 1, number);
	lkst_protobuf_text(b, 2, name, (u32)strlen(name));
	lkst_protobuf_end(b, in);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
}

/* The number of what @w says; 0: there are too many. */
static u64 perfetto_why_reason(struct lkst_perfetto *p, const struct lkst_wait *w)
{
	struct lkst_map *reasons = &p->why->reasons;
	s16 row = w->call.row;
	u64 key = (u64)w->cause << 32 | (u64)(row + 1);
	const u64 *number = lkst_map_find(reasons, key);
	char name[96];

	if (number)
		return *number;
	if (lkst_map_set(reasons, key, reasons->hash.nr + 1) < 0)
		return 0;
	number = lkst_map_find(reasons, key);
	if (row >= 0)
		snprintf(name, sizeof(name), "%s, in %s", lkst_cause_names[w->cause],
			 lkst_syscalls[row].name);
	else
		snprintf(name, sizeof(name), "%s", lkst_cause_names[w->cause]);
	perfetto_why_put_name(p, *number, name);
	return *number;
}

static int perfetto_why_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_perfetto *p = ctx;
	u64 number;

	if (i->run != LKST_RUN_BLOCKED || !i->wait || i->wait->cause == LKST_CAUSE_UNKNOWN ||
	    !p->has_begun || i->to_ns < p->begin_ns || i->life->tid <= 0)
		return 0;
	number = perfetto_why_reason(p, i->wait);
	if (number)
		lkst_perfetto_put_reason(p, i->waker ? (s32)i->waker->cpu : i->cpu, i->to_ns,
					 i->life->tid, number, i->wait->cause == LKST_CAUSE_IO);
	return p->error;
}

int lkst_perfetto_subscribe_why(struct lkst_perfetto *p)
{
	static const struct lkst_model_calls calls = { .interval = perfetto_why_on_interval };
	struct lkst_perfetto_why *why = calloc(1, sizeof(*why));
	int err, i;

	p->why = why;
	if (!why)
		return -ENOMEM;
	why->reasons.max = REASONS_MAX;
	err = lkst_model_subscribe(p->model, &calls, p);
	for (i = 0; i < NR_KINDS && err >= 0; i++) {
		why->options[i] =
			(struct lkst_worst_options){ .kind = kinds[i].kind, .to_ns = UINT64_MAX, .trace = p->x->trace };
		err = lkst_worst_search_new(p->e, p->model, &why->options[i], &why->searches[i]);
	}
	return err < 0 ? err : 0;
}

/* ---- why ------------------------------------------------------------------------------------- */

/* Where explanations go. */
struct perfetto_why_place {
	struct lkst_perfetto *p;
	const struct lkst_view_config *config;
	u64 track;
};

/*
 * A step as a slice from @from_ns to @to_ns, as far as it fits between its siblings and into the step above; and those
 * below it. An account is at most LKST_WHY_DEPTH wake-ups deep.
 */
static int put_step(const struct perfetto_why_place *at, const struct lkst_account_step *s, u64 from_ns,
		    u64 to_ns)
{
	char text[SENTENCE_ROOM + 1];
	int length = lkst_view_account_sentence(at->config, s, text, SENTENCE_ROOM), err = 0;
	const struct lkst_account_step *below;
	u32 event;

	if (length < 0)
		return length;
	text[length] = 0;
	event = lkst_perfetto_begin_event(at->p, LKST_PERFETTO_FINDINGS, LKST_PERFETTO_SLICE_BEGIN,
					  at->track, from_ns, length ? text : s->kind);
	lkst_perfetto_note_number(at->p, "thread", s->tid);
	lkst_perfetto_note_number(at->p, "duration_ns", (s64)(s->to_ns - s->from_ns));
	lkst_perfetto_end_event(at->p, event);
	for (below = s->steps; below && !err; below = below->next) {
		u64 begin_ns = below->from_ns > from_ns ? below->from_ns : from_ns;
		u64 end_ns = below->to_ns < to_ns ? below->to_ns : to_ns;

		if (begin_ns >= end_ns)
			continue;
		err = put_step(at, below, begin_ns, end_ns);
		from_ns = end_ns;
	}
	event = lkst_perfetto_begin_event(at->p, LKST_PERFETTO_FINDINGS, LKST_PERFETTO_SLICE_END,
					  at->track, to_ns, NULL);
	lkst_perfetto_end_event(at->p, event);
	return err;
}

static int perfetto_why_explain(struct lkst_perfetto *p, const struct lkst_worst *w, u64 track)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *x = NULL;
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	struct lkst_view_config config = { .out = p->x->out,
					   .catalog = p->x->catalog,
					   .begin_ns = p->x->begin_ns };
	const struct lkst_excerpt_options options = { .max = EXCERPT_MAX,
						      .namer = p->x->request->namer };
	const struct perfetto_why_place at = { p, &config, track };
	u64 from_ns = w->from_ns > LKST_WHY_LEAD_NS ? w->from_ns - LKST_WHY_LEAD_NS : 0;
	int err = lkst_excerpt_new(NULL, p->x->trace, from_ns, w->to_ns + LKST_WHY_TAIL_NS,
				   &options, &x);

	if (!err)
		err = lkst_why_explain(NULL, x, w->tid, w->from_ns, w->to_ns, LKST_WHY_DEPTH, &a);
	if (err || !a->root.steps)
		return err == -ENOENT ? 0 : err;
	config.threads = x->threads;
	config.symbols = x->symbols;
	return put_step(&at, a->root.steps, w->from_ns, w->to_ns);
}

int lkst_perfetto_put_why(struct lkst_perfetto *p)
{
	struct lkst_worst worst;
	int err = 0, i;

	for (i = 0; i < NR_KINDS && !err; i++) {
		u64 track = lkst_perfetto_uuid(LKST_PERFETTO_TRACK_WHY, (u32)i + 1);

		if (!lkst_worst_search_result(p->why->searches[i], &worst) ||
		    worst.from_ns >= worst.to_ns)
			continue;
		lkst_perfetto_track(p, track,
				    lkst_perfetto_own_track(p, LKST_PERFETTO_TRACK_WHY, "why"),
				    kinds[i].name, (u32)i);
		err = perfetto_why_explain(p, &worst, track);
	}
	return err;
}

void lkst_perfetto_free_why(struct lkst_perfetto *p)
{
	int i;

	if (!p->why)
		return;
	for (i = 0; i < NR_KINDS; i++)
		lkst_worst_search_free(p->why->searches[i]);
	lkst_map_fini(&p->why->reasons);
	free(p->why);
	p->why = NULL;
}
