// SPDX-License-Identifier: GPL-2.0-only
/* The marks of all programs as streams of a trace. */
#include "marks/marks_gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/state.h"
#include "base/time.h"
#include "base/vec.h"

enum {
	/* At most so many blocks of a program are taken at a time, and of all: the rest waits. */
	BLOCKS_OF_PROGRAM = 8192,
	BLOCKS_MAX = 65536,
	CHUNK_BYTES = 1 << 20,
};

/* A record that was taken: its bytes are in a chunk, without the CPU. */
struct taken {
	u64 ns, order;
	const u8 *bytes;
	u32 cpu;
	u16 size;
	u16 id;
};

/* What is copied lies in chunks, which stay where they are. */
struct chunk {
	struct chunk *next;
	u32 used;
	u8 bytes[CHUNK_BYTES];
};

/* A stream of the trace: a CPU's, at a level. */
struct stream {
	u64 seq;     /* number of the block that comes next */
	u64 last_ns; /* time of the last record */
	u8 *block;   /* the one that is being filled; NULL: none was yet */
	u32 used;    /* bytes of it; 0: it is not open */
	u64 begin_ns;
};

/* What a program's event is in the trace. */
struct translation {
	const struct lkst_event_class *event;
	u16 id;
};

/* How many of the trace's numbers for events were given to programs of a user. */
struct user_share {
	u32 uid, nr;
};

struct lkst_marks_reader {
	struct lkst_marks_options options;
	struct lkst_marks_programs programs;
	struct stream *streams; /* by CPU, then level */
	struct taken *taken;
	u32 nr_taken;
	struct chunk *chunks;
	struct translation *known; /* of the program that is being read */
	u32 nr_known, uid;
	struct user_share *shares;
	u32 nr_shares;
	u32 next; /* where the next look begins: no program comes first each time */
	u64 covered_ns;
	u64 late, told_late; /* records that no stream of their CPU could take any more */
	u64 told_left_out;   /* programs that were not read, since there were too many */
};

/* ---- taking ------------------------------------------------------------------------- */

static u8 *room_for(struct lkst_marks_reader *m, u32 size)
{
	const u32 rounded = (size + 7) & ~7U;
	struct chunk *c = m->chunks;

	if (!c || CHUNK_BYTES - c->used < rounded) {
		c = malloc(sizeof(*c));
		if (!c)
			return NULL;
		c->next = m->chunks;
		c->used = 0;
		m->chunks = c;
	}
	c->used += rounded;
	return c->bytes + c->used - rounded;
}

static void forget_taken(struct lkst_marks_reader *m)
{
	while (m->chunks) {
		struct chunk *next = m->chunks->next;

		free(m->chunks);
		m->chunks = next;
	}
	free(m->taken);
	m->taken = NULL;
	m->nr_taken = 0;
}

static struct user_share *share_of(struct lkst_marks_reader *m, u32 uid)
{
	struct user_share *share;
	u32 i;

	for (i = 0; i < m->nr_shares; i++)
		if (m->shares[i].uid == uid)
			return &m->shares[i];
	share = lkst_vec_add(m->shares, m->nr_shares);
	if (share)
		share->uid = uid;
	return share;
}

/*
 * The trace's event for the program's: the same without the CPU. Those that it describes are called mark:NAME. They
 * take numbers that other users' programs need as well, so no user gets more of them than are left.
 */
static int declare(struct lkst_marks_reader *m, const struct lkst_event_class *event, u16 *ret_id)
{
	const char *name = strchr(event->name, ':');
	struct lkst_event_class out = { .fields = event->fields + 1,
					.nr_fields = (u16)(event->nr_fields - 1) };
	struct user_share *share = share_of(m, m->uid);
	int added;

	if (!share)
		return -ENOMEM;
	snprintf(out.name, sizeof(out.name), "%s%.80s", name ? "mark" : "", name ?: event->name);
	added = m->options.declare(m->options.ctx, &out, name ? share->nr : 0, ret_id);
	share->nr += name && added > 0;
	return added < 0 ? added : 0;
}

/* *@ret_id is 0 where the trace cannot have the event. */
static int translate(struct lkst_marks_reader *m, const struct lkst_event_class *event, u16 *ret_id)
{
	struct translation *t;
	u32 i;
	int err;

	for (i = 0; i < m->nr_known; i++)
		if (m->known[i].event == event) {
			*ret_id = m->known[i].id;
			return 0;
		}
	t = lkst_vec_add(m->known, m->nr_known);
	if (!t)
		return -ENOMEM;
	t->event = event;
	err = declare(m, event, &t->id);
	if (err == -ENOMEM)
		return err;
	*ret_id = t->id = err ? 0 : t->id;
	return 0;
}

static int take(void *ctx, const struct lkst_marks_record *r)
{
	const u32 head = sizeof(struct lkst_record_head), size = r->size - 4;
	struct lkst_marks_reader *m = ctx;
	struct taken *t;
	u16 id;
	u8 *bytes;
	int err;

	err = translate(m, r->event, &id);
	if (err || !id)
		return err ?: 1;
	bytes = room_for(m, size);
	t = bytes ? lkst_vec_add(m->taken, m->nr_taken) : NULL;
	if (!t)
		return -ENOMEM;
	memcpy(bytes, r->bytes, head);
	memcpy(bytes + head, r->bytes + LKST_MARK_RECORD_FIELDS, size - head);
	*t = (struct taken){ .ns = r->ns,
			     .order = m->nr_taken,
			     .bytes = bytes,
			     .cpu = r->cpu,
			     .size = (u16)size,
			     .id = id };
	return 0;
}

/* By time; those of one ring are in order already. */
static int compare(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- giving ------------------------------------------------------------------------- */

struct giving {
	struct lkst_err *e;
	lkst_marks_give *give;
	void *ctx;
};

/* Completes the block of a stream and gives it out. */
static int flush(struct lkst_marks_reader *m, const struct giving *g, struct stream *s)
{
	const u32 index = (u32)(s - m->streams), cpu = index / LKST_LEVELS;
	const size_t size = 1UL << m->options.block_shift;
	const u64 instance = lkst_stream_instance(cpu, LKST_BUFFER_MARKS, index % LKST_LEVELS);
	struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
				       .stream_id = LKST_STREAM_CLASS,
				       .stream_instance_id = instance,
				       .timestamp_begin = s->begin_ns,
				       .timestamp_end = s->last_ns,
				       .content_size = s->used * 8ULL,
				       .packet_size = size * 8,
				       .packet_seq_num = s->seq,
				       .cpu_id = cpu };
	int err;

	if (!s->used)
		return 0;
	memcpy(h.uuid, m->options.uuid, sizeof(h.uuid));
	memcpy(s->block, &h, sizeof(h));
	memset(s->block + s->used, 0, size - s->used);
	s->used = 0;
	err = g->give(g->e, g->ctx, instance, s->block, size);
	/* A number that is left out shows that something is missing. */
	s->seq += !err || err == -EAGAIN;
	return err == -EAGAIN ? 0 : err;
}

/* The stream of the CPU whose last record is not younger; NULL: none, after records that were late several times. */
static struct stream *stream_for(struct lkst_marks_reader *m, const struct taken *t)
{
	u32 level;

	for (level = 0; level < LKST_LEVELS; level++) {
		struct stream *s = &m->streams[t->cpu * LKST_LEVELS + level];

		if (s->last_ns <= t->ns)
			return s;
	}
	return NULL;
}

static int put(struct lkst_marks_reader *m, const struct giving *g, const struct taken *t)
{
	const u32 size = 1U << m->options.block_shift;
	struct stream *s = stream_for(m, t);
	u32 at;
	u64 word = t->ns << 16 | t->id;
	int err = 0;

	if (!s) {
		m->late++;
		return 0;
	}
	at = (s->used + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
	if (s->used &&
	    (at + t->size > size - LKST_RECORD_ALIGN || t->ns - s->last_ns >= LKST_TIME_GAP_MAX))
		err = flush(m, g, s);
	if (err)
		return err;
	if (!s->block)
		s->block = malloc(size);
	if (!s->block)
		return lkst_err_sys(g->e, -ENOMEM, "gathering marks");
	if (!s->used) {
		s->begin_ns = t->ns;
		at = LKST_BLOCK_HEADER;
	}
	memset(s->block + s->used, 0, at - s->used);
	memcpy(s->block + at, t->bytes, t->size);
	memcpy(s->block + at, &word, sizeof(word));
	s->used = at + t->size;
	s->last_ns = t->ns;
	return 0;
}

static int give_all(struct lkst_marks_reader *m, const struct giving *g)
{
	u32 i;
	int err = 0;

	if (m->nr_taken)
		qsort(m->taken, m->nr_taken, sizeof(*m->taken), compare);
	for (i = 0; i < m->nr_taken && !err; i++)
		err = put(m, g, &m->taken[i]);
	for (i = 0; i < m->options.nr_cpus * LKST_LEVELS && !err; i++)
		err = flush(m, g, &m->streams[i]);
	return err;
}

static int take_file(struct lkst_err *e, struct lkst_marks_reader *m, struct lkst_marks_file *f,
		     u32 uid, u64 to_ns, u32 *ret_blocks)
{
	const struct lkst_marks_stretch stretch = { m->options.since_ns, to_ns };
	int err;

	free(m->known);
	m->known = NULL;
	m->nr_known = 0;
	m->uid = uid;
	err = lkst_marks_file_read(f, &stretch, BLOCKS_OF_PROGRAM, take, m, ret_blocks);
	return err ? lkst_err_sys(e, err, "reading the marks of programs") : 0;
}

/* Takes what all programs have, or as much as is taken at a time: the others come first the next time. */
static int take_all(struct lkst_err *e, struct lkst_marks_reader *m, bool *ret_is_all)
{
	const u32 first = m->programs.nr ? m->next % m->programs.nr : 0;
	u32 i, nr = 0, blocks;
	int err = 0;

	*ret_is_all = true;
	for (i = 0; i < m->programs.nr && !err && nr < BLOCKS_MAX; i++) {
		struct lkst_marks_program *p = &m->programs.list[(first + i) % m->programs.nr];

		err = take_file(e, m, p->file, p->uid, 0, &blocks);
		nr += blocks;
		*ret_is_all &= blocks < BLOCKS_OF_PROGRAM;
	}
	*ret_is_all &= i == m->programs.nr;
	m->next = first + i;
	return err;
}

int lkst_marks_take_dumped(struct lkst_err *e, struct lkst_marks_reader *m, int fd, s32 pid, u32 uid,
			   u64 to_ns, struct lkst_marks_losses *ret_lost)
{
	const struct lkst_marks_owner owner = { .pid = pid, .uid = uid, .is_of_dump = true };
	_cleanup_(lkst_marks_file_closep) struct lkst_marks_file *f = NULL;
	u32 blocks;
	int err = lkst_marks_file_open(e, fd, &owner, m->options.nr_cpus, &f) ?:
		  take_file(e, m, f, uid, to_ns, &blocks);

	if (!err)
		*ret_lost = lkst_marks_file_losses(f);
	return err;
}

int lkst_marks_give_taken(struct lkst_err *e, struct lkst_marks_reader *m, lkst_marks_give *give,
			  void *ctx)
{
	const struct giving g = { e, give, ctx };
	int err = give_all(m, &g);

	forget_taken(m);
	return err;
}

int lkst_marks_gather(struct lkst_err *e, struct lkst_marks_reader *m, lkst_marks_give *give,
		      void *ctx)
{
	const u64 now_ns = lkst_monotonic_ns();
	bool is_all;
	int err;

	lkst_marks_find(&m->programs);
	err = take_all(e, m, &is_all);
	if (err)
		forget_taken(m);
	else
		err = lkst_marks_give_taken(e, m, give, ctx);
	if (!err && is_all)
		m->covered_ns = now_ns;
	return err;
}

/* ---- asking ------------------------------------------------------------------------- */

void lkst_marks_set_since(struct lkst_marks_reader *m, u64 since_ns)
{
	m->options.since_ns = since_ns;
}

u64 lkst_marks_covered_ns(const struct lkst_marks_reader *m)
{
	return m->covered_ns;
}

int lkst_marks_each_stream(const struct lkst_marks_reader *m, int (*each)(void *ctx, u64 instance),
			   void *ctx)
{
	u32 i;
	int err = 0;

	for (i = 0; i < m->options.nr_cpus * LKST_LEVELS && !err; i++)
		if (m->streams[i].seq)
			err = each(ctx, lkst_stream_instance(i / LKST_LEVELS, LKST_BUFFER_MARKS,
							     i % LKST_LEVELS));
	return err;
}

int lkst_marks_each_lost(const struct lkst_marks_reader *m, lkst_marks_lost *each, void *ctx)
{
	u32 i;
	int err = 0;

	for (i = 0; i < m->programs.nr && !err; i++) {
		const struct lkst_marks_program *p = &m->programs.list[i];
		const struct lkst_marks_losses all = lkst_marks_file_losses(p->file);
		const struct lkst_marks_losses lost = { all.overwritten - p->told.overwritten,
							all.unrecorded - p->told.unrecorded,
							all.refused - p->told.refused };

		if (lost.overwritten || lost.unrecorded || lost.refused)
			err = each(ctx, lkst_marks_file_pid(p->file), p->uid, &lost);
	}
	if (!err && m->late > m->told_late)
		err = each(ctx, 0, 0,
			   &(struct lkst_marks_losses){ .unrecorded = m->late - m->told_late });
	/* What they marked is not known: at least one mark each. */
	if (!err && m->programs.left_out > m->told_left_out)
		err = each(ctx, 0, 0,
			   &(struct lkst_marks_losses){ .unrecorded = m->programs.left_out - m->told_left_out });
	return err;
}

void lkst_marks_keep_told(struct lkst_marks_reader *m)
{
	u32 i;

	m->told_late = m->late;
	if (m->programs.left_out > m->told_left_out)
		m->told_left_out = m->programs.left_out;
	for (i = 0; i < m->programs.nr; i++)
		m->programs.list[i].told = lkst_marks_file_losses(m->programs.list[i].file);
}

struct lkst_marks_programs *lkst_marks_programs(struct lkst_marks_reader *m)
{
	return &m->programs;
}

/* ---- lifetime ----------------------------------------------------------------------- */

int lkst_marks_new(struct lkst_err *e, const struct lkst_marks_options *options,
		   struct lkst_marks_reader **ret_marks)
{
	struct lkst_marks_reader *m = calloc(1, sizeof(*m));

	if (m)
		m->streams = calloc((size_t)options->nr_cpus * LKST_LEVELS, sizeof(*m->streams));
	if (!m || !m->streams) {
		free(m);
		return lkst_err_sys(e, -ENOMEM, "gathering marks");
	}
	m->options = *options;
	m->programs.dir = options->dir ?: LKST_MARK_DIR;
	m->programs.nr_cpus = options->nr_cpus;
	*ret_marks = m;
	return 0;
}

void lkst_marks_free(struct lkst_marks_reader *m)
{
	u32 i;

	if (!m)
		return;
	forget_taken(m);
	for (i = 0; i < m->options.nr_cpus * LKST_LEVELS; i++)
		free(m->streams[i].block);
	lkst_marks_programs_fini(&m->programs);
	free(m->known);
	free(m->shares);
	free(m->streams);
	free(m);
}
