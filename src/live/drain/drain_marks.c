/* SPDX-License-Identifier: GPL-2.0-only */
/* The marks of programs, as long as a recording is copied. */
#include "live/drain/drain_marks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "live/drain/state_stream.h"
#include "marks/marks_ask.h"

/* So often, at most, they are read while recording goes on. */
#define PAUSE_NS 10000000ULL
/* How long programs mark after a recording has asked for it last, if it ends with its process. */
#define LEASE_NS 10000000000ULL

struct lkst_drain_marks {
	const struct lkst_session *session;
	struct lkst_marks_reader *reader;
	struct lkst_marks_asker *asker; /* NULL: programs need not be asked */
	u64 looked_ns; /* when they were read last */
	u64 lease_ns;  /* when programs were asked last */
};

/*
 * Programs mark while they are asked to. A recording that outlives its commands has asked them when it began. Where
 * that fails there are no marks, and all else is recorded.
 */
static void ask_programs(struct lkst_drain_marks *m)
{
	const u64 now = lkst_monotonic_ns();

	if (!m->asker || (m->lease_ns && now - m->lease_ns < LEASE_NS / 10))
		return;
	m->lease_ns = now;
	lkst_marks_asker_ask(m->asker, now + LEASE_NS, false);
}

int lkst_drain_marks_look(struct lkst_err *e, struct lkst_drain_marks *m, const struct lkst_marks_look *look)
{
	const u64 now = lkst_monotonic_ns();

	if (!look->is_last && now - m->looked_ns < PAUSE_NS)
		return 0;
	/* What they would mark after the last look, nobody reads. */
	if (!look->is_last)
		ask_programs(m);
	m->looked_ns = now;
	return lkst_marks_gather(e, m->reader, look);
}

/* ---- what a trace says of them ---------------------------------------------------------------- */

struct writing {
	struct lkst_err *e;
	const struct lkst_drain_marks *m;
	struct lkst_writer *w;
	u64 until_ns;
};

static int claim(void *ctx, u64 instance)
{
	const struct writing *to = ctx;
	const u64 covered_ns = lkst_marks_covered_ns(to->m->reader);
	const struct lkst_stream_end end = { .instance = instance,
					     .first = 1,
					     .covered_ns = covered_ns < to->until_ns ? covered_ns : to->until_ns };

	return lkst_writer_claim(to->e, to->w, &end);
}

int lkst_drain_marks_claim(struct lkst_err *e, const struct lkst_drain_marks *m, struct lkst_writer *w, u64 until_ns)
{
	return lkst_marks_each_stream(m->reader, claim, &(struct writing){ e, m, w, until_ns });
}

static int write_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	const struct writing *to = ctx;

	return lkst_state_write_marks(to->e, to->m->session, to->w, pid, uid, lost);
}

int lkst_drain_marks_write_lost(struct lkst_err *e, const struct lkst_drain_marks *m, struct lkst_writer *w)
{
	return lkst_marks_each_lost(m->reader, write_lost, &(struct writing){ .e = e, .m = m, .w = w });
}

void lkst_drain_marks_keep_told(struct lkst_drain_marks *m)
{
	lkst_marks_keep_told(m->reader);
}

/* ---- lifetime --------------------------------------------------------------------------------- */

static int declare(void *ctx, const struct lkst_event_class *event, u32 nr_had, u16 *ret_id)
{
	const struct lkst_drain_marks *m = ctx;

	return lkst_session_add_mark(NULL, m->session, event, nr_had, ret_id);
}

void lkst_drain_marks_set_time(struct lkst_drain_marks *m, u64 since_ns, u64 until_ns)
{
	lkst_marks_set_time(m->reader, since_ns, until_ns);
}

int lkst_drain_marks_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns, u64 ring_bytes,
			 struct lkst_drain_marks **ret_marks)
{
	_cleanup_(lkst_drain_marks_freep) struct lkst_drain_marks *m = calloc(1, sizeof(*m));
	const struct lkst_rings *rings = lkst_session_rings(s);
	/* What programs marked before this recording began belongs to another one. */
	const u64 start_ns = rings->control->start_ns;
	const struct lkst_marks_options options = { .nr_cpus = rings->nr_cpus,
						    .block_shift = rings->block_shift,
						    .uuid = rings->control->uuid,
						    .since_ns = since_ns > start_ns ? since_ns : start_ns,
						    .ring_bytes = ring_bytes,
						    .declare = declare,
						    .ctx = m };
	int err;

	if (!m)
		return lkst_err_sys(e, -ENOMEM, "preparing to read the marks of programs");
	m->session = s;
	err = lkst_marks_new(e, &options, &m->reader);
	if (err)
		return err;
	if (!lkst_session_identity(s) && lkst_marks_asker_new(&m->asker))
		return lkst_err_sys(e, -ENOMEM, "preparing to ask programs for their marks");
	ask_programs(m);
	/* What begins from now on marks. */
	if (m->asker)
		lkst_marks_asker_wait(m->asker);
	*ret_marks = lkst_take(m);
	return 0;
}

void lkst_drain_marks_free(struct lkst_drain_marks *m)
{
	if (!m)
		return;
	lkst_marks_free(m->reader);
	lkst_marks_asker_free(m->asker);
	free(m);
}
