/* SPDX-License-Identifier: GPL-2.0-only */
/* In which functions threads ran, by samples, and where they waited for long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/samples.h"
#include "base/vec.h"

enum {
	WAITS_SHOWN = 4, /* innermost functions of a wait */
	WAIT_TEXT = 512,
};

/* The time of one function. */
struct function {
	u64 nr_self, self_ns, nr_total, total_ns;
	u64 seen; /* number of the path that has counted it last, plus 1: a function may call itself */
};

struct profile {
	struct lkst_analysis_state work;
	struct lkst_samples *samples;
	u8 *causes; /* by life: why it waited last, plus 1 */
	u32 nr_causes;
};

/* ---- the pass -------------------------------------------------------------------------------- */

static int profile_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct profile *p = ctx;
	u8 *cause;

	if (i->run != LKST_RUN_BLOCKED || !i->wait)
		return 0;
	cause = lkst_vec_reach(p->causes, p->nr_causes, i->life->nr);
	if (!cause)
		return -ENOMEM;
	*cause = i->wait->cause + 1;
	return 0;
}

static bool profile_who(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
			struct lkst_samples_thread *ret_thread, u8 *ret_cause)
{
	struct profile *p = ctx;
	const struct lkst_analysis_state *w = &p->work;
	const struct lkst_thread_life *life = lkst_model_life_of(w->state, tid, r->cpu);

	if (w->options->which.has_cpu && w->options->which.cpu != r->cpu)
		return false;
	if (life ? !lkst_analysis_chooses(w, life)
		 : lkst_tally_chooses_threads(&w->options->which))
		return false;
	ret_thread->tid = tid;
	if (!life)
		return true;
	ret_thread->pid = life->pid;
	memcpy(ret_thread->comm, life->comm, sizeof(ret_thread->comm));
	ret_thread->cgroup = lkst_model_cgroup(w->state, life);
	if (is_wait && life->nr < p->nr_causes)
		*ret_cause = p->causes[life->nr];
	return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Adds what @path says of its functions. */
static void profile_count(const struct lkst_samples *s, u32 i, struct function *functions)
{
	const struct lkst_samples_path *path = lkst_samples_path(s, i);
	const u32 *frames = lkst_samples_frames(s, path);
	u32 f;

	if (path->is_wait)
		return;
	for (f = 0; f < path->nr_frames; f++) {
		struct function *function = &functions[frames[f]];

		if (!f) {
			function->nr_self += path->nr;
			function->self_ns += path->ns;
		}
		if (function->seen == i + 1ULL)
			continue;
		function->seen = i + 1ULL;
		function->nr_total += path->nr;
		function->total_ns += path->ns;
	}
}

static double profile_share(u64 part, u64 all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static const struct lkst_column function_columns[] = {
	{ "function", "function", LKST_COLUMN_TEXT,
	  "the function, or where it is if that has no name" },
	{ "where", "of", LKST_COLUMN_TEXT,
	  "whose code it is: kernel, the file of a program or library, or program where that is not known" },
	{ "self", "self", LKST_COLUMN_PERCENT,
	  "of the time of all samples, in the function itself" },
	{ "self_time", "time", LKST_COLUMN_DURATION,
	  "the same: the CPU time that its samples stand for" },
	{ "total", "total", LKST_COLUMN_PERCENT, "the same with all that it has called" },
	{ "total_time", "time", LKST_COLUMN_DURATION, "the CPU time of that" },
	{ "samples", "samples", LKST_COLUMN_COUNT, "in the function itself" },
	{ "total_samples", NULL, LKST_COLUMN_COUNT, "with all that it has called" },
};

static int profile_put_functions(const struct profile *p, struct lkst_tables *set)
{
	const struct lkst_samples *s = p->samples;
	u32 nr = lkst_samples_nr_names(s), i;
	_cleanup_free_ struct function *functions = calloc(nr, sizeof(*functions));
	struct lkst_table *t =
		lkst_tables_add(set, "profile", "Functions that ran", function_columns,
				sizeof(function_columns) / sizeof(function_columns[0]));
	u64 all = 0;

	if (!functions || !t)
		return -ENOMEM;
	for (i = 0; i < lkst_samples_nr_paths(s); i++) {
		profile_count(s, i, functions);
		if (!lkst_samples_path(s, i)->is_wait)
			all += lkst_samples_path(s, i)->ns;
	}
	for (i = 0; i < nr; i++) {
		const struct lkst_frame_name *name = lkst_samples_name(s, i);
		const struct function *f = &functions[i];

		if (!f->nr_total)
			continue;
		lkst_table_row(t);
		lkst_table_str(t, name->text);
		lkst_table_str(t, name->where);
		lkst_table_double(t, profile_share(f->self_ns, all));
		lkst_table_u64(t, f->self_ns);
		lkst_table_double(t, profile_share(f->total_ns, all));
		lkst_table_u64(t, f->total_ns);
		lkst_table_u64(t, f->nr_self);
		lkst_table_u64(t, f->nr_total);
	}
	lkst_table_sort(t, 4, true);
	lkst_table_sort(t, 2, true);
	return t->error;
}

/* What threads did on the CPU and off it. */
struct profile_sum {
	u64 nr, ns, kernel_ns, nr_waits, wait_ns;
};

/* The columns that put_sum() fills. */
#define SUM_COLUMNS \
	{ "share", "share", LKST_COLUMN_PERCENT, "of the time of all samples" }, \
	{ "time", "time", LKST_COLUMN_DURATION, "the CPU time that its samples stand for" }, \
	{ "kernel", "in kernel", LKST_COLUMN_DURATION, "of that in the kernel" }, \
	{ "samples", "samples", LKST_COLUMN_COUNT, "how many" }, \
	{ "waits", "waits", LKST_COLUMN_COUNT, "long ones, with a stack" }, \
	{ "waited", "waited", LKST_COLUMN_DURATION, "in those" }

static const struct lkst_column thread_columns[] = {
	{ "comm", "thread", LKST_COLUMN_TEXT, "the thread's name" },
	{ "tid", "tid", LKST_COLUMN_TID, "its number" },
	{ "pid", "pid", LKST_COLUMN_PID, "its process" },
	SUM_COLUMNS,
	{ "container", "container", LKST_COLUMN_TEXT, "the container or unit that its cgroup's path shows" },
	{ "cgroup", "cgroup", LKST_COLUMN_TEXT, "the cgroup that it was in" },
};

/* What each thread did, by its number; *@ret_all_ns: all time of samples. NULL: there is no memory. */
static struct profile_sum *profile_sum_up(const struct lkst_samples *s, u64 *ret_all_ns)
{
	struct profile_sum *sums = calloc(lkst_samples_nr_threads(s) + 1, sizeof(*sums));
	u32 i;

	*ret_all_ns = 0;
	for (i = 0; sums && i < lkst_samples_nr_paths(s); i++) {
		const struct lkst_samples_path *path = lkst_samples_path(s, i);
		struct profile_sum *sum = &sums[path->thread];

		*(path->is_wait ? &sum->nr_waits : &sum->nr) += path->nr;
		*(path->is_wait ? &sum->wait_ns : &sum->ns) += path->ns;
		sum->kernel_ns += path->nr_kernel && !path->is_wait ? path->ns : 0;
		*ret_all_ns += path->is_wait ? 0 : path->ns;
	}
	return sums;
}

static void put_sum(struct lkst_table *t, const struct profile_sum *sum, u64 all_ns)
{
	lkst_table_double(t, profile_share(sum->ns, all_ns));
	lkst_table_u64(t, sum->ns);
	lkst_table_u64(t, sum->kernel_ns);
	lkst_table_u64(t, sum->nr);
	lkst_table_u64(t, sum->nr_waits);
	lkst_table_u64(t, sum->wait_ns);
}

static int profile_put_threads(const struct profile *p, const struct profile_sum *sums, u64 all_ns,
			       struct lkst_tables *set)
{
	const struct lkst_samples *s = p->samples;
	u32 nr = lkst_samples_nr_threads(s), i;
	struct lkst_table *t =
		lkst_tables_add(set, "profile_threads", "Their threads", thread_columns,
				sizeof(thread_columns) / sizeof(thread_columns[0]));

	if (!t)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct lkst_samples_thread *thread = lkst_samples_thread(s, i);

		lkst_table_row(t);
		lkst_table_text(t, thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
		lkst_table_s64(t, thread->tid);
		if (thread->pid)
			lkst_table_s64(t, thread->pid);
		else
			lkst_table_none(t);
		put_sum(t, &sums[i], all_ns);
		lkst_analysis_put_cgroup(&p->work, t, thread->cgroup);
	}
	lkst_table_sort(t, 8, true);
	lkst_table_sort(t, 4, true);
	return t->error;
}

static const struct lkst_column cgroup_columns[] = {
	{ "container", "container", LKST_COLUMN_TEXT, "the container or unit that the path shows" },
	{ "cgroup", "cgroup", LKST_COLUMN_TEXT, "the cgroup that threads were in; none: it is not known" },
	SUM_COLUMNS,
};

/* A cgroup, and what its threads did. */
struct cgroup_sum {
	u64 id;
	struct profile_sum sum;
};

static int by_id(const void *a, const void *b)
{
	const struct cgroup_sum *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* One for each thread, sorted by the cgroup. NULL: there is no memory. */
static struct cgroup_sum *sort_by_cgroup(const struct lkst_samples *s, const struct profile_sum *sums)
{
	const u32 nr = lkst_samples_nr_threads(s);
	struct cgroup_sum *list = calloc(nr + 1, sizeof(*list));
	u32 i;

	for (i = 0; list && i < nr; i++)
		list[i] = (struct cgroup_sum){ lkst_samples_thread(s, i)->cgroup, sums[i] };
	if (list)
		qsort(list, nr, sizeof(*list), by_id);
	return list;
}

static void add_sum(struct profile_sum *to, const struct profile_sum *sum)
{
	to->nr += sum->nr;
	to->ns += sum->ns;
	to->kernel_ns += sum->kernel_ns;
	to->nr_waits += sum->nr_waits;
	to->wait_ns += sum->wait_ns;
}

static int put_cgroups(const struct profile *p, const struct profile_sum *sums, u64 all_ns, struct lkst_tables *set)
{
	_cleanup_free_ struct cgroup_sum *list = sort_by_cgroup(p->samples, sums);
	const u32 nr = lkst_samples_nr_threads(p->samples);
	struct lkst_table *t = lkst_tables_add(set, "profile_cgroups", "Their cgroups", cgroup_columns,
					       sizeof(cgroup_columns) / sizeof(cgroup_columns[0]));
	u32 i, next;

	if (!list || !t)
		return -ENOMEM;
	for (i = 0; i < nr; i = next) {
		for (next = i + 1; next < nr && list[next].id == list[i].id; next++)
			add_sum(&list[i].sum, &list[next].sum);
		lkst_table_row(t);
		lkst_analysis_put_cgroup(&p->work, t, list[i].id);
		put_sum(t, &list[i].sum, all_ns);
	}
	lkst_table_sort(t, (unsigned int)lkst_table_column(t, "waited"), true);
	lkst_table_sort(t, (unsigned int)lkst_table_column(t, "time"), true);
	return t->error;
}

static const struct lkst_column wait_columns[] = {
	{ "cause", "cause", LKST_COLUMN_TEXT, "what it waited for, as the state model says" },
	{ "waited", "waited", LKST_COLUMN_DURATION, "all of these waits" },
	{ "longest", "longest", LKST_COLUMN_DURATION, "the longest of them" },
	{ "waits", "waits", LKST_COLUMN_COUNT, "how many" },
	{ "comm", "thread", LKST_COLUMN_TEXT, "the thread's name" },
	{ "tid", "tid", LKST_COLUMN_TID, "its number" },
	{ "stack", "in", LKST_COLUMN_TEXT,
	  "the innermost functions, and after \"...\" the innermost of the program" },
};

/* "futex_wait<do_futex<...<pthread_cond_wait<main": the first functions of the kernel, and of the program. */
static void profile_put_place(const struct lkst_samples *s, const struct lkst_samples_path *path,
			      char text[WAIT_TEXT])
{
	const u32 *frames = lkst_samples_frames(s, path);
	size_t used = 0;
	u32 i;

	text[0] = 0;
	for (i = 0; i < path->nr_frames && used + 1 < WAIT_TEXT; i++) {
		bool is_shown = i < WAITS_SHOWN ||
				(i >= path->nr_kernel && i < path->nr_kernel + WAITS_SHOWN);
		const char *name = lkst_samples_name(s, frames[i])->text;

		if (i == WAITS_SHOWN && !is_shown)
			used += (size_t)snprintf(text + used, WAIT_TEXT - used, "<...");
		if (is_shown)
			used += (size_t)snprintf(text + used, WAIT_TEXT - used, "%s%s",
						 i ? "<" : "", name);
	}
}

static int profile_put_waits(const struct profile *p, struct lkst_tables *set)
{
	const struct lkst_samples *s = p->samples;
	struct lkst_table *t =
		lkst_tables_add(set, "profile_waits", "Long waits, by stack", wait_columns,
				sizeof(wait_columns) / sizeof(wait_columns[0]));
	char text[WAIT_TEXT];
	u32 i;

	if (!t)
		return -ENOMEM;
	for (i = 0; i < lkst_samples_nr_paths(s); i++) {
		const struct lkst_samples_path *path = lkst_samples_path(s, i);
		const struct lkst_samples_thread *thread = lkst_samples_thread(s, path->thread);

		if (!path->is_wait)
			continue;
		lkst_table_row(t);
		lkst_table_str(t, path->cause ? lkst_cause_names[path->cause - 1] : "unknown");
		lkst_table_u64(t, path->ns);
		lkst_table_u64(t, path->longest_ns);
		lkst_table_u64(t, path->nr);
		lkst_table_text(t, thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
		lkst_table_s64(t, thread->tid);
		profile_put_place(s, path, text);
		lkst_table_str(t, text[0] ? text : "not known");
	}
	lkst_table_sort(t, 1, true);
	return t->error;
}

static void profile_put_notes(const struct profile *p, struct lkst_table *t)
{
	struct lkst_samples_faults f;

	lkst_samples_faults(p->samples, &f);
	if (f.nr_lost)
		lkst_notes_add(
			&t->notes,
			"Of %llu samples and waits the stack is not in the trace: it was overwritten.",
			(unsigned long long)f.nr_lost);
	if (f.nr_empty)
		lkst_notes_add(&t->notes, "Of %llu the stack could not be read.",
			       (unsigned long long)f.nr_empty);
	if (f.nr_cut)
		lkst_notes_add(
			&t->notes,
			"Of %llu the stack is deeper than what the kernel reads of one, and is cut.",
			(unsigned long long)f.nr_cut);
	if (f.nr_short)
		lkst_notes_add(
			&t->notes,
			"Of %llu the program's stack has one function only: it was built without frame "
			"pointers, or was interrupted where it has none.",
			(unsigned long long)f.nr_short);
	if (f.nr_left_out)
		lkst_notes_add(&t->notes,
			       "%llu are not counted: there are too many different ones.",
			       (unsigned long long)f.nr_left_out);
}

static int profile_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct profile *p = (struct profile *)w;
	_cleanup_free_ struct profile_sum *sums = NULL;
	int err = lkst_samples_end(p->samples);
	u64 all_ns;

	if (w->list) {
		lkst_notes_add(
			&w->notes,
			"It has no single values to list; `lkst print --event sample` does.");
		return err;
	}
	err = err ?: profile_put_functions(p, set);
	if (err)
		return err;
	profile_put_notes(p, set->items[set->nr - 1]);
	sums = profile_sum_up(p->samples, &all_ns);
	if (!sums)
		return -ENOMEM;
	return profile_put_threads(p, sums, all_ns, set) ?: put_cgroups(p, sums, all_ns, set) ?:
	       profile_put_waits(p, set);
}

static const struct lkst_model_calls calls = { .interval = profile_on_interval };

static int profile_begin(struct lkst_analysis_state *w)
{
	struct profile *p = (struct profile *)w;
	const struct lkst_samples_options options = {
		.symbols = w->symbols, .namer = w->options->namer, .who = profile_who, .ctx = p
	};
	struct lkst_err e;
	int has = lkst_samples_new(&e, w->feed, &options, &p->samples);
	int err = has > 0 ? lkst_model_subscribe(w->state, &calls, w) : 0;

	return err < 0 ? err : has;
}

static void profile_fini(struct lkst_analysis_state *w)
{
	struct profile *p = (struct profile *)w;

	lkst_samples_free(p->samples);
	free(p->causes);
}

const struct lkst_analysis lkst_analysis_profile = {
	.name = "profile",
	.title = "Profile",
	.help = "in which functions threads ran, and where they waited for long",
	.measures = "samples of what runs, and long waits, with their stacks (doc/samples.md)",
	.events = "sample off_cpu stack",
	.needs_state = true,
	.ignores = LKST_IGNORES_KEY,
	.size = sizeof(struct profile),
	.begin = profile_begin,
	.end = profile_end,
	.fini = profile_fini,
};
