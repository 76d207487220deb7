// SPDX-License-Identifier: GPL-2.0-only
/* The marks of all programs as streams of a trace. */
#include "marks/marks_gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/state.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "base/vec.h"
#include "marks/marks_budget.h"

enum {
	CHUNK_BLOCKS = 64,
	FIELDS_MAX = 8192,  /* of the events that an account's programs describe: 1 MiB */
	PUT_BETWEEN = 4096, /* records */
};
/* A look ends when it has taken so long: memory may have to come from the swap area first. */
#define LOOK_NS_MAX 500000000ULL
#define BETWEEN_NS 1000000ULL

/* Records that are in order of time: those of a ring. */
struct marks_gather_run {
	u32 at, end;
};

/* Copies of blocks lie in chunks, which stay where they are. */
struct marks_gather_chunk {
	struct marks_gather_chunk *next;
	u32 used;
	u8 blocks[CHUNK_BLOCKS][LKST_MARK_BLOCK] __attribute__((aligned(8)));
};

/* What a program's event is in the trace. */
struct translation {
	const struct lkst_event_class *event;
	u16 id;
};

/* How many of the trace's numbers for events were given to programs of an account. */
struct id_share {
	u32 account, nr;
};

struct lkst_marks_reader {
	struct lkst_marks_options options;
	struct lkst_marks_programs programs;
	struct lkst_marks_budget budget;
	struct lkst_marks_streams *streams;
	struct lkst_marks_taken *taken;
	u32 nr_taken, room_taken;
	struct marks_gather_run *runs;
	u32 nr_runs;
	struct marks_gather_chunk *chunks, *spare; /* those of this look; others that it may use */
	struct lkst_catalog *catalog; /* that programs are read with */
	struct translation *known;    /* of the program that is being read */
	u32 nr_known, uid;
	struct id_share *shares;
	u32 nr_shares;
	u64 until_ns, covered_ns;
	/* During a look. */
	const struct lkst_marks_look *look; /* NULL: of a dump */
	struct lkst_err *e;
	u64 deadline_ns, between_ns;
	int error; /* of what is done between */

	u64 dropped, told_dropped; /* records that the trace could not take */
};

/* ---- taking ------------------------------------------------------------------------- */

/* Has other work be done if it is time for that. False: the look has to end. */
static bool marks_gather_go_on(struct lkst_marks_reader *m)
{
	u64 begin_ns;

	if (!m->look)
		return true;
	begin_ns = lkst_monotonic_ns();
	if (m->look->between && !m->error && begin_ns - m->between_ns >= BETWEEN_NS) {
		m->error = m->look->between(m->e, m->look->ctx);
		m->between_ns = lkst_monotonic_ns();
		/* What that took does not count. */
		m->deadline_ns += m->between_ns - begin_ns;
	}
	return !m->error && begin_ns < m->deadline_ns;
}

/* Where the next block is copied to. */
static u8 *room_for_block(void *ctx)
{
	struct lkst_marks_reader *m = ctx;
	struct marks_gather_chunk *c = m->chunks;

	if (c && c->used % 16 == 0 && !marks_gather_go_on(m))
		return NULL;
	if (!c || c->used == CHUNK_BLOCKS) {
		c = m->spare ?: malloc(sizeof(*c));
		if (!c)
			return NULL;
		if (c == m->spare)
			m->spare = c->next;
		c->next = m->chunks;
		c->used = 0;
		m->chunks = c;
	}
	return c->blocks[c->used++];
}

/* Their memory is kept for the next look. */
static void forget_taken(struct lkst_marks_reader *m)
{
	struct marks_gather_chunk *c;

	while ((c = m->chunks)) {
		m->chunks = c->next;
		c->next = m->spare;
		m->spare = c;
	}
	m->nr_taken = 0;
	free(m->runs);
	m->runs = NULL;
	m->nr_runs = 0;
}

static void marks_gather_free_chunks(struct marks_gather_chunk *c)
{
	while (c) {
		struct marks_gather_chunk *next = c->next;

		free(c);
		c = next;
	}
}

static struct lkst_marks_taken *marks_gather_add_taken(struct lkst_marks_reader *m, u64 ns)
{
	struct lkst_marks_taken *grown;
	struct marks_gather_run *run;

	if (m->nr_taken == m->room_taken) {
		const u32 room = m->room_taken ? 2 * m->room_taken : 1024;

		grown = room > m->room_taken ? reallocarray(m->taken, room, sizeof(*grown)) : NULL;
		if (!grown)
			return NULL;
		m->taken = grown;
		m->room_taken = room;
	}
	if (!m->nr_taken || ns < m->taken[m->nr_taken - 1].ns) {
		run = lkst_vec_add(m->runs, m->nr_runs);
		if (!run)
			return NULL;
		run->at = m->nr_taken;
	}
	m->runs[m->nr_runs - 1].end = m->nr_taken + 1;
	return &m->taken[m->nr_taken++];
}

static struct id_share *marks_gather_share_of(struct lkst_marks_reader *m, u32 uid)
{
	const u32 account = lkst_marks_account(uid);
	struct id_share *share;
	u32 i;

	for (i = 0; i < m->nr_shares; i++)
		if (m->shares[i].account == account)
			return &m->shares[i];
	share = lkst_vec_add(m->shares, m->nr_shares);
	if (share)
		share->account = account;
	return share;
}

/*
 * The trace's event for the program's: the same without the CPU. Those that it describes are called mark:NAME. They
 * take numbers that other users' programs need as well, so no account gets more of them than are left.
 */
static int marks_gather_declare(struct lkst_marks_reader *m, const struct lkst_event_class *event, u16 *ret_id)
{
	const char *name = strchr(event->name, ':');
	struct lkst_event_class out = { .fields = event->fields + 1,
					.nr_fields = (u16)(event->nr_fields - 1) };
	struct id_share *share = marks_gather_share_of(m, m->uid);
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
	err = marks_gather_declare(m, event, &t->id);
	if (err == -ENOMEM)
		return err;
	*ret_id = t->id = err ? 0 : t->id;
	return 0;
}

static int marks_gather_take(void *ctx, const struct lkst_marks_record *r)
{
	struct lkst_marks_reader *m = ctx;
	struct lkst_marks_taken *t;
	u16 id;
	int err;

	err = translate(m, r->event, &id);
	if (err || !id)
		return err ?: 1;
	t = marks_gather_add_taken(m, r->ns);
	if (!t)
		return -ENOMEM;
	*t = (struct lkst_marks_taken){
		.ns = r->ns, .bytes = r->bytes, .cpu = r->cpu, .size = (u16)r->size, .id = id
	};
	return 0;
}

/* ---- giving ------------------------------------------------------------------------- */

/* Whether the next record of run @x comes before that of @y; of one time, in the order in which they were taken. */
static bool marks_gather_is_before(const struct lkst_marks_reader *m, const struct marks_gather_run *x,
				   const struct marks_gather_run *y)
{
	const u64 i = m->taken[x->at].ns, j = m->taken[y->at].ns;

	return i < j || (i == j && x->at < y->at);
}

/* Moves run @i down the heap of runs to where it belongs. */
static void marks_gather_sift(struct lkst_marks_reader *m, u32 i)
{
	const struct marks_gather_run moved = m->runs[i];
	u32 child;

	while ((child = 2 * i + 1) < m->nr_runs) {
		if (child + 1 < m->nr_runs && marks_gather_is_before(m, &m->runs[child + 1], &m->runs[child]))
			child++;
		if (!marks_gather_is_before(m, &m->runs[child], &moved))
			break;
		m->runs[i] = m->runs[child];
		i = child;
	}
	m->runs[i] = moved;
}

/* Merges the runs. What cannot be put is counted. */
static int marks_gather_put_all(struct lkst_marks_reader *m, const struct lkst_marks_taker *to)
{
	u32 i, nr = 0;
	int err = 0;

	for (i = m->nr_runs / 2; i-- > 0;)
		marks_gather_sift(m, i);
	for (; m->nr_runs && err >= 0; nr++) {
		err = lkst_marks_streams_put(m->streams, to, &m->taken[m->runs[0].at]);
		m->dropped += err > 0;
		if (++m->runs[0].at == m->runs[0].end)
			m->runs[0] = m->runs[--m->nr_runs];
		if (m->nr_runs)
			marks_gather_sift(m, 0);
		if (nr % PUT_BETWEEN == PUT_BETWEEN - 1)
			marks_gather_go_on(m);
	}
	m->dropped += m->nr_taken - nr;
	return err < 0 ? err : 0;
}

int lkst_marks_give_taken(struct lkst_err *e, struct lkst_marks_reader *m, lkst_marks_give *give,
			  void *ctx)
{
	const struct lkst_marks_taker to = { e, give, ctx };
	int err = marks_gather_put_all(m, &to) ?: lkst_marks_streams_flush(m->streams, &to);

	forget_taken(m);
	return err;
}

/* ---- a look --------------------------------------------------------------------------- */

static bool marks_gather_was_of(void *ctx, const struct lkst_marks_ended *ended, u64 *ret_from, u64 *ret_to)
{
	const struct lkst_marks_reader *m = ctx;

	return m->options.was_of(m->options.ctx, ended, ret_from, ret_to);
}

static int marks_gather_read_file(struct lkst_marks_reader *m, struct lkst_marks_file *f, u32 uid,
				  const struct lkst_marks_reading *limits)
{
	struct lkst_marks_reading reading = *limits;

	free(m->known);
	m->known = NULL;
	m->nr_known = 0;
	m->uid = uid;
	reading.from_ns = m->options.since_ns;
	reading.until_ns = m->until_ns;
	reading.catalog = m->catalog;
	reading.room = room_for_block;
	reading.take = marks_gather_take;
	reading.was_of = m->options.was_of ? marks_gather_was_of : NULL;
	reading.ctx = m;
	return lkst_marks_file_read(f, &reading);
}

/* How many more fields the programs of @p's account may describe, and all that it has. */
static u32 most_fields(const struct lkst_marks_reader *m, const struct lkst_marks_program *p)
{
	u32 others = 0, i;

	for (i = 0; i < m->programs.nr; i++) {
		const struct lkst_marks_program *other = &m->programs.list[i];

		if (other != p && lkst_marks_account(other->uid) == lkst_marks_account(p->uid))
			others += lkst_marks_file_fields(other->file);
	}
	return others < FIELDS_MAX ? FIELDS_MAX - others : 0;
}

static u64 marks_gather_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Whether there is time for what user @uid has. */
static bool can_go_on(struct lkst_marks_reader *m, u32 uid)
{
	return marks_gather_go_on(m) && lkst_marks_budget_left(&m->budget, LKST_MARKS_NS, uid) > 0;
}

/* Without memory there is nothing to be read either. */
static void charge(struct lkst_marks_reader *m, u32 uid, u64 begin_ns)
{
	if (lkst_marks_budget_take(&m->budget, LKST_MARKS_NS, uid, marks_gather_cpu_ns() - begin_ns))
		m->deadline_ns = 0;
}

/* Looks at what programs have; returns false if a later look has to see the rest. Each claim needs what it has then. */
static bool marks_gather_look_at_all(struct lkst_marks_reader *m, struct lkst_marks_claim *claims, u32 nr)
{
	bool is_all = true;
	u32 i;

	for (i = 0; i < nr; i++) {
		struct lkst_marks_claim *c = &claims[(m->budget.turn + i) % nr];
		const struct lkst_marks_program *p = &m->programs.list[c->program];
		const u64 begin_ns = marks_gather_cpu_ns();
		/* Its header was one. */
		const u32 areas = can_go_on(m, p->uid) && c->grant ? c->grant - 1 : 0;

		is_all &= areas + 1 >= c->need;
		c->need = lkst_marks_file_look(p->file, areas, m->options.since_ns, m->look->is_last);
		charge(m, p->uid, begin_ns);
	}
	return is_all || m->look->is_last;
}

/* Takes what all programs have, as far as the budget goes. */
static int take_all(struct lkst_marks_reader *m, bool *ret_is_all)
{
	const u32 nr = m->programs.nr;
	_cleanup_free_ struct lkst_marks_claim *claims = calloc(nr + 1, sizeof(*claims));
	u32 i;
	int err;

	if (!claims)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		claims[i] = (struct lkst_marks_claim){ .uid = m->programs.list[i].uid,
						       .program = i,
						       .need = 1 + lkst_marks_file_areas(m->programs.list[i].file) };
	err = lkst_marks_budget_share(&m->budget, LKST_MARKS_AREAS, claims, nr);
	if (err)
		return err;
	*ret_is_all = marks_gather_look_at_all(m, claims, nr);
	err = m->error ?: lkst_marks_budget_share(&m->budget, LKST_MARKS_BLOCKS, claims, nr);
	for (i = 0; i < nr && !err; i++) {
		const struct lkst_marks_claim *c = &claims[(m->budget.turn + i) % nr];
		const struct lkst_marks_program *p = &m->programs.list[c->program];
		const struct lkst_marks_reading limits = { .most = can_go_on(m, p->uid) ? c->grant : 0,
							   .most_fields = c->grant ? most_fields(m, p) : 0 };
		const u64 begin_ns = marks_gather_cpu_ns();

		err = marks_gather_read_file(m, p->file, p->uid, &limits) ?: m->error;
		charge(m, p->uid, begin_ns);
	}
	return err;
}

int lkst_marks_gather(struct lkst_err *e, struct lkst_marks_reader *m, const struct lkst_marks_look *look)
{
	const u64 now_ns = lkst_monotonic_ns();
	bool is_all = false;
	int err;

	m->look = look;
	m->e = e;
	m->error = 0;
	m->between_ns = now_ns;
	m->deadline_ns = now_ns + (m->options.look_ns ?: LOOK_NS_MAX);
	lkst_marks_budget_fill(&m->budget, now_ns, look->is_last);
	lkst_marks_find(&m->programs, look->is_last);
	err = take_all(m, &is_all);
	if (err && err != m->error)
		err = lkst_err_sys(e, err, "reading the marks of programs");
	if (err)
		forget_taken(m);
	else
		err = lkst_marks_give_taken(e, m, look->give, look->ctx) ?: m->error;
	if (!err && is_all && (look->is_last || !m->programs.is_behind))
		m->covered_ns = now_ns;
	m->look = NULL;
	return err;
}

int lkst_marks_take_dumped(struct lkst_err *e, struct lkst_marks_reader *m, int fd, s32 pid, u32 uid,
			   u64 to_ns, struct lkst_marks_losses *ret_lost)
{
	const struct lkst_marks_owner owner = { .pid = pid, .uid = uid, .is_of_dump = true };
	const struct lkst_marks_reading all = { .to_ns = to_ns, .most = UINT32_MAX, .most_fields = UINT32_MAX };
	_cleanup_(lkst_marks_file_closep) struct lkst_marks_file *f = NULL;
	int err = lkst_marks_file_open(e, fd, &owner, m->options.nr_cpus, &f);

	if (err)
		return err;
	lkst_marks_file_look(f, UINT32_MAX, m->options.since_ns, true);
	err = marks_gather_read_file(m, f, uid, &all);
	if (err)
		return lkst_err_sys(e, err, "reading the marks of programs");
	*ret_lost = lkst_marks_file_losses(f);
	return 0;
}

/* ---- asking ------------------------------------------------------------------------- */

void lkst_marks_set_time(struct lkst_marks_reader *m, u64 since_ns, u64 until_ns)
{
	m->options.since_ns = since_ns;
	m->until_ns = until_ns;
}

u64 lkst_marks_covered_ns(const struct lkst_marks_reader *m)
{
	return m->covered_ns;
}

int lkst_marks_each_stream(const struct lkst_marks_reader *m, int (*each)(void *ctx, u64 instance),
			   void *ctx)
{
	return lkst_marks_streams_each(m->streams, each, ctx);
}

static bool is_any(const struct lkst_marks_losses *lost)
{
	return lost->overwritten || lost->unrecorded || lost->refused || lost->left_out || lost->unlooked;
}

static int tell_program(const struct lkst_marks_program *p, lkst_marks_lost *each, void *ctx)
{
	const struct lkst_marks_losses all = lkst_marks_file_losses(p->file);
	const struct lkst_marks_losses lost = { .overwritten = all.overwritten - p->told.overwritten,
						.unrecorded = all.unrecorded - p->told.unrecorded,
						.refused = all.refused - p->told.refused,
						.left_out = all.left_out - p->told.left_out,
						.unlooked = all.unlooked - p->told.unlooked };

	return is_any(&lost) ? each(ctx, lkst_marks_file_pid(p->file), p->uid, &lost) : 0;
}

/* Programs that were not even opened, and what those had lost that are gone. */
static int tell_user(const struct lkst_marks_left_out *l, lkst_marks_lost *each, void *ctx)
{
	struct lkst_marks_losses lost = l->gone;

	lost.unlooked += l->nr > l->told ? l->nr - l->told : 0;
	return is_any(&lost) ? each(ctx, 0, l->uid, &lost) : 0;
}

int lkst_marks_each_lost(const struct lkst_marks_reader *m, lkst_marks_lost *each, void *ctx)
{
	const struct lkst_marks_programs *p = &m->programs;
	const struct lkst_marks_losses dropped = { .unrecorded = m->dropped - m->told_dropped };
	u32 i;
	int err = 0;

	for (i = 0; i < p->nr && !err; i++)
		err = tell_program(&p->list[i], each, ctx);
	if (!err && is_any(&dropped))
		err = each(ctx, 0, LKST_MARKS_NO_UID, &dropped);
	for (i = 0; i < p->nr_left_out && !err; i++)
		err = tell_user(&p->left_out[i], each, ctx);
	/* Behind the names that were looked at there may be one, at least. */
	return err || !p->is_behind
		       ? err
		       : each(ctx, 0, LKST_MARKS_NO_UID, &(struct lkst_marks_losses){ .unlooked = 1 });
}

void lkst_marks_keep_told(struct lkst_marks_reader *m)
{
	struct lkst_marks_programs *p = &m->programs;
	u32 i;

	m->told_dropped = m->dropped;
	for (i = 0; i < p->nr_left_out; i++) {
		struct lkst_marks_left_out *l = &p->left_out[i];

		l->told = l->nr > l->told ? l->nr : l->told;
		l->gone = (struct lkst_marks_losses){};
	}
	for (i = 0; i < p->nr; i++)
		p->list[i].told = lkst_marks_file_losses(p->list[i].file);
}

struct lkst_marks_programs *lkst_marks_programs(struct lkst_marks_reader *m)
{
	return &m->programs;
}

/* ---- lifetime ----------------------------------------------------------------------- */

int lkst_marks_new(struct lkst_err *e, const struct lkst_marks_options *options,
		   struct lkst_marks_reader **ret_marks)
{
	_cleanup_(lkst_marks_freep) struct lkst_marks_reader *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return lkst_err_sys(e, -ENOMEM, "gathering marks");
	m->options = *options;
	lkst_marks_budget_init(&m->budget, options->ring_bytes, options->look_ns);
	m->programs.dir = options->dir ?: LKST_MARK_DIR;
	m->programs.nr_cpus = options->nr_cpus;
	m->catalog = lkst_marks_catalog_new();
	if (!m->catalog)
		return lkst_err_sys(e, -ENOMEM, "gathering marks");
	err = lkst_marks_streams_new(e, options->nr_cpus, options->block_shift, options->uuid, &m->streams);
	if (!err)
		*ret_marks = lkst_take(m);
	return err;
}

void lkst_marks_free(struct lkst_marks_reader *m)
{
	if (!m)
		return;
	forget_taken(m);
	marks_gather_free_chunks(m->spare);
	free(m->taken);
	lkst_marks_streams_free(m->streams);
	lkst_marks_catalog_free(m->catalog);
	lkst_marks_programs_fini(&m->programs);
	lkst_marks_budget_fini(&m->budget);
	free(m->known);
	free(m->shares);
	free(m);
}
