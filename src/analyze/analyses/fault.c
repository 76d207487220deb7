/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults by thread: how many, and how long they took where the trace has their ends. */
#include <errno.h>
#include <stdlib.h>

#include "abi/fault.h"
#include "analyze/analyses/analysis.h"
#include "base/vec.h"

/* A thread's faults. */
struct faults {
	u64 nr_user, nr_kernel, nr_ended, nr_major;
	u64 begin_ns; /* of the one that has not ended, 0: none */
	bool is_major;
	u64 total_ns, max_ns, max_at_ns;
	u64 waited_ns;
};

struct fault {
	struct lkst_analysis_state work;
	struct faults *faults;
	u32 nr_faults;
	bool has_exit;
};

/* The faults of the thread of @r; NULL: *@err, or with that 0, it is not known. */
static struct faults *faults_at(struct fault *f, const struct lkst_record *r, int *err)
{
	const struct lkst_thread_life *life = lkst_model_life_of(f->work.state, r->tid, r->cpu);
	struct faults *faults = life ? lkst_vec_reach(f->faults, f->nr_faults, life->nr) : NULL;

	*err = life && !faults ? -ENOMEM : 0;
	if (!life)
		f->work.left_out.nr[LKST_LEFT_OUT_NO_THREAD]++;
	return faults;
}

/* One that was not seen to end: its address was bad, or its end is not recorded. */
static void analyses_fault_begin_fault(struct fault *fault, struct faults *f, const struct lkst_record *r)
{
	if (fault->has_exit && f->begin_ns)
		fault->work.left_out.nr[LKST_LEFT_OUT_NO_END]++;
	f->begin_ns = r->ns;
	f->is_major = false;
}

static int on_user(void *ctx, const struct lkst_record *r, const void *record)
{
	int err;
	struct faults *f = faults_at(ctx, r, &err);

	if (!f)
		return err;
	f->nr_user++;
	analyses_fault_begin_fault(ctx, f, r);
	return 0;
}

static int on_kernel(void *ctx, const struct lkst_record *r, const void *record)
{
	int err;
	struct faults *f = faults_at(ctx, r, &err);

	if (!f)
		return err;
	f->nr_kernel++;
	analyses_fault_begin_fault(ctx, f, r);
	return 0;
}

static int analyses_fault_on_fault_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_exit *e = record;
	struct fault *fault = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(fault->work.state, r->tid, r->cpu);
	struct faults *f = life ? lkst_vec_reach(fault->faults, fault->nr_faults, life->nr) : NULL;
	u64 ns;

	/* Without a begin it is not a fault of the CPU: the kernel looked into the program's memory. */
	if (!f || !f->begin_ns)
		return 0;
	f->is_major |= (e->result & LKST_FAULT_MAJOR) != 0;
	if (e->result & LKST_FAULT_RETRY)
		return 0;
	ns = r->ns - f->begin_ns;
	if (lkst_gap_test_crosses(fault->work.gap_test, LKST_GAP_TEST_ANY, r->buffer, f->begin_ns,
				  r->ns)) {
		fault->work.left_out.nr[LKST_LEFT_OUT_GAP]++;
		f->begin_ns = 0;
		return 0;
	}
	if (lkst_analysis_is_lacking(&fault->work, f->begin_ns, r->ns)) {
		fault->work.left_out.nr[LKST_LEFT_OUT_LIMIT]++;
		f->begin_ns = 0;
		return 0;
	}
	if (ns > f->max_ns) {
		f->max_ns = ns;
		f->max_at_ns = f->begin_ns;
	}
	f->total_ns += ns;
	f->nr_ended++;
	f->nr_major += f->is_major;
	f->begin_ns = 0;
	return 0;
}

/* Where ends are not recorded, the waits of a thread show at least the slow ones. */
static int fault_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct fault *fault = ctx;
	struct faults *f;

	if (i->run != LKST_RUN_BLOCKED || !i->wait || !i->wait->fault_ns || i->wait->call.nr >= 0)
		return 0;
	f = lkst_vec_reach(fault->faults, fault->nr_faults, i->life->nr);
	if (!f)
		return -ENOMEM;
	f->waited_ns += i->to_ns - i->from_ns;
	return 0;
}

static const struct lkst_column columns[] = {
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its last name" },
	{ "faults", "faults", LKST_COLUMN_COUNT, "the program's own" },
	{ "kernel", "kernel's", LKST_COLUMN_COUNT, "the kernel's, on the program's memory" },
	{ "major", "major", LKST_COLUMN_COUNT,
	  "that had to wait for a disk, where ends are recorded" },
	{ "total", "total", LKST_COLUMN_DURATION, "from begin to end, where ends are recorded" },
	{ "max", "longest", LKST_COLUMN_DURATION, "the longest of them" },
	{ "max_at", "at", LKST_COLUMN_TIME, "when that began" },
	{ "waited", "blocked", LKST_COLUMN_DURATION, "of that, not running" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void fault_put_row(struct lkst_table *table, const struct lkst_thread_life *life,
			  const struct faults *f, bool has_exit, bool has_waited)
{
	lkst_table_row(table);
	lkst_table_s64(table, life->tid);
	lkst_table_text(table, life->comm, strnlen(life->comm, sizeof(life->comm)));
	lkst_table_u64(table, f->nr_user);
	lkst_table_u64(table, f->nr_kernel);
	if (has_exit) {
		lkst_table_u64(table, f->nr_major);
		lkst_table_u64(table, f->total_ns);
	} else {
		lkst_table_none(table);
		lkst_table_none(table);
	}
	if (has_exit && f->nr_ended) {
		lkst_table_u64(table, f->max_ns);
		lkst_table_u64(table, f->max_at_ns);
	} else {
		lkst_table_none(table);
		lkst_table_none(table);
	}
	if (has_waited)
		lkst_table_u64(table, f->waited_ns);
	else
		lkst_table_none(table);
}

static int fault_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct fault *fault = (const struct fault *)w;
	/* In a call, and after a fault's unseen end, it waits for something else. */
	const bool has_waited = !lkst_analysis_lacks(w, "page_fault_* syscall_* contention_*");
	struct lkst_table *table;
	u32 nr;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	table = lkst_tables_add(set, "fault", "Page faults", columns, NR_COLUMNS);
	if (!table)
		return -ENOMEM;
	for (nr = 0; nr < lkst_model_nr_lives(w->state); nr++) {
		const struct lkst_thread_life *life = lkst_model_life(w->state, nr);
		const struct faults *f = nr < fault->nr_faults ? &fault->faults[nr] : NULL;

		if (f && f->nr_user + f->nr_kernel && lkst_analysis_chooses_life(w, life))
			fault_put_row(table, life, f, fault->has_exit, has_waited);
		if (f && fault->has_exit && f->begin_ns)
			w->left_out.nr[LKST_LEFT_OUT_NOT_OVER]++;
	}
	if (!fault->has_exit)
		lkst_notes_add(
			&table->notes,
			"The ends of faults are not in the trace (page_fault_exit, which needs "
			"kprobes): how long they took and which were major is not known.");
	lkst_table_sort(table, (unsigned int)lkst_table_column(table, "faults"), true);
	return table->error;
}

static const struct lkst_model_calls calls = { .interval = fault_on_interval };

static int fault_begin(struct lkst_analysis_state *w)
{
	struct fault *f = (struct fault *)w;
	bool has_any;
	int err = 0;

	has_any = lkst_analysis_want(w, LKST_EV_page_fault_user, on_user, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_page_fault_kernel, on_kernel, &err);
	f->has_exit = lkst_analysis_want(w, LKST_EV_page_fault_exit, analyses_fault_on_fault_exit, &err);
	if (err >= 0)
		err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : has_any;
}

static void fault_fini(struct lkst_analysis_state *w)
{
	free(((struct fault *)w)->faults);
}

const struct lkst_analysis lkst_analysis_fault = {
	.name = "fault",
	.title = "Page faults",
	.help = "page faults by thread: how many, and how long they took where recorded",
	.measures = "from a fault to page_fault_exit; major: it had to wait for a disk",
	.events = "page_fault_* sched_*",
	.needs_state = true,
	.ignores = LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct fault),
	.begin = fault_begin,
	.end = fault_end,
	.fini = fault_fini,
};
