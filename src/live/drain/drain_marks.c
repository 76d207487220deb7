/* SPDX-License-Identifier: GPL-2.0-only */
/* The marks of programs, as long as a recording is copied. */
#include "live/drain/drain_marks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "live/state/state_stream.h"
#include "marks/marks_ask.h"

/* So often, at most, they are read while recording goes on. */
#define PAUSE_NS 10000000ULL
/* How long programs mark after a recording has asked for it last, if it ends with its process. */
#define LEASE_NS 10000000000ULL

enum { CATCHES_MAX = 16 }; /* during a look, so that who names threads that have not been costs little */

/* Of the life buffer, what was not looked at yet. */
struct life {
	struct lkst_ring_reader reader;
	u64 seq;    /* of the block that was being filled when it was looked at last, */
	u32 offset; /* and how far; 0: none was */
	u64 ns;
};

struct lkst_drain_marks {
	const struct lkst_session *session;
	struct lkst_marks_reader *reader;
	struct lkst_marks_asker *asker; /* NULL: programs need not be asked */
	u64 looked_ns; /* when they were read last */
	u64 lease_ns;  /* when programs were asked last */
	/* Whose threads were that have ended: nothing is read for it before that is asked. */
	struct lkst_marks_lives *lives;
	struct life *rings; /* of the life buffer, by CPU, then level */
	u8 *blocks;
	u32 catches_left; /* during a look */
};

/*
 * Programs mark while they are asked to. A recording that outlives its commands has asked them when it began. Where
 * that fails there are no marks, and all else is recorded.
 */
static void drain_marks_ask_programs(struct lkst_drain_marks *m)
{
	const u64 now = lkst_monotonic_ns();

	if (!m->asker || (m->lease_ns && now - m->lease_ns < LEASE_NS / 10))
		return;
	m->lease_ns = now;
	lkst_marks_asker_ask(m->asker, now + LEASE_NS, false);
}

/* ---- whose threads were ----------------------------------------------------------------------- */

/* Takes in what is new in the copy of a block of @ring. */
static void drain_marks_feed(struct lkst_drain_marks *m, struct life *ring, const u8 *bytes)
{
	struct lkst_block_cursor cursor;
	struct lkst_block block;

	if (lkst_block_parse(NULL, bytes, 1UL << ring->reader.rings->block_shift, NULL, &block))
		return;
	lkst_block_cursor_init(&cursor, &block);
	if (ring->offset && ring->seq == block.seq) {
		cursor.offset = ring->offset;
		cursor.ns = ring->ns;
	}
	lkst_marks_lives_feed(m->lives, lkst_session_catalog(m->session), &cursor);
	ring->seq = block.seq;
	ring->offset = cursor.offset;
	ring->ns = cursor.ns;
}

/* All that a ring of the life buffer has now: what ends a moment later comes to the next block. */
static void catch_up_ring(struct lkst_drain_marks *m, struct life *ring)
{
	u64 left = (u64)ring->reader.ring->mask + 1;

	while (left-- && lkst_ring_reader_closed(&ring->reader, m->blocks, 1))
		drain_marks_feed(m, ring, m->blocks);
	if (lkst_ring_reader_open_block(&ring->reader, m->blocks) > 0)
		drain_marks_feed(m, ring, m->blocks);
}

static bool catch_up(struct lkst_drain_marks *m)
{
	const struct lkst_rings *rings = lkst_session_rings(m->session);
	u32 i, nr = rings->nr_cpus * LKST_LEVELS;

	if (!m->catches_left)
		return false;
	m->catches_left--;
	for (i = 0; i < nr; i++)
		catch_up_ring(m, &m->rings[i]);
	return true;
}

/* It may have ended since the records were looked at last. */
static bool was_of(void *ctx, const struct lkst_marks_ended *ended, u64 *ret_from, u64 *ret_to)
{
	struct lkst_drain_marks *m = ctx;

	return lkst_marks_lives_was_of(m->lives, ended, ret_from, ret_to) ||
	       (catch_up(m) && lkst_marks_lives_was_of(m->lives, ended, ret_from, ret_to));
}

static int begin_lives(struct lkst_drain_marks *m)
{
	const struct lkst_rings *rings = lkst_session_rings(m->session);
	u32 i, nr = rings->nr_cpus * LKST_LEVELS;

	m->lives = lkst_marks_lives_new();
	m->rings = calloc(nr, sizeof(*m->rings));
	m->blocks = malloc(1UL << rings->block_shift);
	if (!m->lives || !m->rings || !m->blocks)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		lkst_ring_reader_init(&m->rings[i].reader, rings, i / LKST_LEVELS, LKST_BUFFER_LIFE, i % LKST_LEVELS);
	return 0;
}

int lkst_drain_marks_look(struct lkst_err *e, struct lkst_drain_marks *m, const struct lkst_marks_look *look)
{
	const u64 now = lkst_monotonic_ns();

	if (!look->is_last && now - m->looked_ns < PAUSE_NS)
		return 0;
	/* What they would mark after the last look, nobody reads. */
	if (!look->is_last)
		drain_marks_ask_programs(m);
	m->looked_ns = now;
	m->catches_left = CATCHES_MAX;
	return lkst_marks_gather(e, m->reader, look);
}

/* ---- what a trace says of them ---------------------------------------------------------------- */

struct writing {
	struct lkst_err *e;
	const struct lkst_drain_marks *m;
	struct lkst_writer *w;
	u64 until_ns;
};

static int drain_marks_claim(void *ctx, u64 instance)
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
	return lkst_marks_each_stream(m->reader, drain_marks_claim, &(struct writing){ e, m, w, until_ns });
}

static int drain_marks_write_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	const struct writing *to = ctx;

	return lkst_state_write_marks(to->e, to->m->session, to->w, pid, uid, lost);
}

int lkst_drain_marks_write_lost(struct lkst_err *e, const struct lkst_drain_marks *m, struct lkst_writer *w)
{
	return lkst_marks_each_lost(m->reader, drain_marks_write_lost, &(struct writing){ .e = e, .m = m, .w = w });
}

void lkst_drain_marks_keep_told(struct lkst_drain_marks *m)
{
	lkst_marks_keep_told(m->reader);
}

/* ---- lifetime --------------------------------------------------------------------------------- */

static int drain_marks_declare(void *ctx, const struct lkst_event_class *event, u32 nr_had, u16 *ret_id)
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
						    .declare = drain_marks_declare,
						    .was_of = was_of,
						    .ctx = m };
	int err;

	if (!m)
		return lkst_err_sys(e, -ENOMEM, "preparing to read the marks of programs");
	m->session = s;
	err = begin_lives(m);
	if (err)
		return lkst_err_sys(e, err, "preparing to read the marks of programs");
	err = lkst_marks_new(e, &options, &m->reader);
	if (err)
		return err;
	if (!lkst_session_identity(s) && lkst_marks_asker_new(&m->asker))
		return lkst_err_sys(e, -ENOMEM, "preparing to ask programs for their marks");
	drain_marks_ask_programs(m);
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
	lkst_marks_lives_free(m->lives);
	free(m->rings);
	free(m->blocks);
	free(m);
}
