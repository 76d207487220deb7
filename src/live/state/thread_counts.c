/* SPDX-License-Identifier: GPL-2.0-only */
/* How often threads have been switched away from, by the kernel's own count. */
#include "live/state/thread_counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/listed.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "live/state/counters.h"

/* A reading each 5 s (live/recording/limit.h) may take a thousandth of a CPU. */
#define READ_NS_MAX 4000000ULL

enum {
	BATCH = 64,
	START_SHIFT = 20,
	WHY_ROOM = 96,
};

/* CPU time of this thread: that others run meanwhile is no reason to read less. */
static u64 cpu_ns(void)
{
	return lkst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- reading ------------------------------------------------------------------------- */

/* How many threads there are: the number after the slash in "0.20 0.18 0.12 1/80 11206"; 0: not known. */
static u32 threads_of_machine(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/loadavg", "re");
	u32 nr = 0;

	return f && fscanf(f, "%*s %*s %*s %*u/%u", &nr) == 1 ? nr : 0;
}

/* Takes what the kernel says about a thread; number 0 is an idle thread. */
static void thread_counts_take(struct lkst_thread_counts *c, const struct lkst_rec_state_thread *r, u64 from_ns,
			       u64 to_ns)
{
	struct lkst_thread_count *t = &c->list[c->nr];

	if (!r->thread_tid || c->nr == LKST_THREAD_COUNTS_MAX)
		return;
	c->nr++;
	*t = (struct lkst_thread_count){ .switches = r->head.id_time,
					 .from_ns = from_ns,
					 .to_ns = to_ns,
					 .tid = r->thread_tid,
					 .start = (u32)(r->start_ns >> START_SHIFT) };
	memcpy(t->name, r->comm, sizeof(t->name));
	t->name[sizeof(t->name) - 1] = 0;
}

/* Reads all that there is room and time for. Returns 1 if that was not all, or -errno. */
static int thread_counts_read_all(struct lkst_thread_counts *c, int fd)
{
	const u64 begin_ns = cpu_ns();
	u64 before_ns = c->from_ns, from_ns = c->from_ns, to_ns;
	struct lkst_listed_thread batch[BATCH];
	size_t used = 0, nr, i;
	ssize_t got;

	while ((got = read(fd, (u8 *)batch + used, sizeof(batch) - used)) > 0) {
		to_ns = lkst_monotonic_ns();
		used += (size_t)got;
		nr = used / sizeof(batch[0]);
		/* A record that had no room was kept by the kernel since the read before. */
		for (i = 0; i < nr; i++)
			thread_counts_take(c, &batch[i].r, before_ns, to_ns);
		used -= nr * sizeof(batch[0]);
		memmove(batch, batch + nr, used);
		before_ns = from_ns;
		from_ns = to_ns;
		if (c->nr == LKST_THREAD_COUNTS_MAX || cpu_ns() - begin_ns > READ_NS_MAX)
			return 1;
	}
	return got < 0 ? -errno : 0;
}

static int thread_counts_by_tid(const void *a, const void *b)
{
	const struct lkst_thread_count *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int lkst_thread_counts_read(struct lkst_err *e, const struct lkst_session *s,
			    struct lkst_thread_counts *c)
{
	_cleanup_close_ int fd = lkst_session_list_threads(e, s);
	const u64 begin_ns = cpu_ns();
	u32 all;
	int err;

	if (fd < 0)
		return fd;
	if (!c->list)
		c->list = calloc(LKST_THREAD_COUNTS_MAX, sizeof(*c->list));
	if (!c->list)
		return lkst_err_sys(e, -ENOMEM, "reading how often threads were switched");
	c->nr = c->left_out = 0;
	c->from_ns = lkst_monotonic_ns();
	err = thread_counts_read_all(c, fd);
	if (err < 0)
		return lkst_err_sys(e, err, "reading how often threads were switched");
	c->to_ns = lkst_monotonic_ns();
	c->changed_ns = __atomic_load_n(&lkst_session_control(s)->changed_ns, __ATOMIC_ACQUIRE);
	c->recorded_to = c->from_ns > c->changed_ns ? lkst_counters_switches_to(s) : 0;
	all = err ? threads_of_machine() : 0;
	c->left_out = all > c->nr ? all - c->nr : 0;
	qsort(c->list, c->nr, sizeof(*c->list), thread_counts_by_tid);
	c->cost_ns = cpu_ns() - begin_ns;
	return 0;
}

void lkst_thread_counts_fini(struct lkst_thread_counts *c)
{
	free(c->list);
	*c = (struct lkst_thread_counts){};
}

struct lkst_thread_count *lkst_thread_counts_find(const struct lkst_thread_counts *c, s32 tid)
{
	const struct lkst_thread_count key = { .tid = tid };

	return c->nr ? bsearch(&key, c->list, c->nr, sizeof(key), thread_counts_by_tid) : NULL;
}

/* ---- writing ------------------------------------------------------------------------- */

struct output {
	struct lkst_err *e;
	struct lkst_writer *w;
	const struct lkst_event_class *class;
	u32 nr, max;   /* threads */
	u64 left_out;
};

static int thread_counts_put(const struct output *o, const struct lkst_thread_count *t, const char *name)
{
	struct {
		struct lkst_rec_state_counter r;
		char name[WHY_ROOM];
	} rec = { .r = { .head.id_time = o->class->id,
			 .value = t->switches,
			 .from = t->from_ns,
			 .to = t->to_ns,
			 .kind = LKST_COUNTER_THREAD,
			 .counter_cpu = -1,
			 .number = t->tid,
			 .after_least = t->after_least,
			 .after_most = t->after_most,
			 .is_recorded = 1 } };
	int length = snprintf((char *)&rec + sizeof(rec.r), WHY_ROOM, "%s", name);

	length = length < WHY_ROOM ? length : WHY_ROOM - 1;
	return lkst_writer_state(o->e, o->w, t->to_ns ?: lkst_monotonic_ns(), &rec,
				 sizeof(rec.r) + (size_t)length + 1);
}

/* The two readings of a thread lie next to each other in the trace. */
static int put_pair(struct output *o, const struct lkst_thread_count *first,
		    const struct lkst_thread_count *last)
{
	int err;

	if (first->switches >= last->switches)
		return 0;
	if (o->nr == o->max) {
		o->left_out++;
		return 0;
	}
	o->nr++;
	err = thread_counts_put(o, first, last->name);
	return err ?: thread_counts_put(o, last, last->name);
}

static int thread_counts_by_thread(const void *a, const void *b)
{
	const struct lkst_thread_count *x = *(const struct lkst_thread_count *const *)a;
	const struct lkst_thread_count *y = *(const struct lkst_thread_count *const *)b;

	const int order = thread_counts_by_tid(x, y);

	return order ? order : (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Finds, for each number, the first and the last reading of the thread that had it last. */
static int put_threads(struct output *o, const struct lkst_thread_counts *list, u32 nr)
{
	_cleanup_free_ const struct lkst_thread_count **all =
		calloc((size_t)nr * LKST_THREAD_COUNTS_MAX, sizeof(struct lkst_thread_count *));
	u32 nr_all = 0, i, k, first;
	int err = 0;

	if (!all)
		return lkst_err_sys(o->e, -ENOMEM, "writing how often threads were switched");
	for (i = 0; i < nr; i++)
		for (k = 0; k < list[i].nr; k++)
			all[nr_all++] = &list[i].list[k];
	if (nr_all)
		qsort(all, nr_all, sizeof(*all), thread_counts_by_thread);
	for (i = 0; i < nr_all && !err; i++) {
		if (i + 1 < nr_all && all[i + 1]->tid == all[i]->tid)
			continue;
		for (first = i; first && all[first - 1]->tid == all[i]->tid &&
				all[first - 1]->start == all[i]->start;
		     first--)
			;
		err = put_pair(o, all[first], all[i]);
	}
	return err;
}

/* Whether a trace of @buffers has the switches: those of a bank are what goes to main. */
static bool thread_counts_is_in(const struct lkst_thread_counts *c, u32 buffers)
{
	const u32 all = buffers ? buffers | 1U << LKST_BUFFER_MAIN : UINT32_MAX;

	return c->recorded_to & all;
}

/* Which of the readings is the first since which all switches are recorded. If it is the last, *ret_why says why. */
static u32 first_comparable(const struct lkst_thread_counts *list, u32 nr, u32 buffers,
			    const char **ret_why)
{
	u32 last = nr ? nr - 1 : 0, first = last;

	*ret_why = "fewer than two readings of them lie in its time";
	if (!nr)
		return 0;
	if (!thread_counts_is_in(&list[last], buffers)) {
		*ret_why = "not all switches were being recorded to it when threads were read last";
		return last;
	}
	while (first && thread_counts_is_in(&list[first - 1], buffers) &&
	       list[first - 1].changed_ns == list[last].changed_ns)
		first--;
	if (first < last)
		*ret_why = NULL;
	else if (last)
		*ret_why = "what is recorded was changed after the last reading of them but one";
	return first;
}

/* A recording that another version has started may know less of them. */
static const struct lkst_event_class *thread_counts_class_of(const struct lkst_session *s)
{
	const struct lkst_event_class *class =
		lkst_catalog_find(lkst_session_catalog(s), "state_counter");

	return class && lkst_class_field(class, "after_most") ? class : NULL;
}

int lkst_thread_counts_write_why_not(struct lkst_err *e, const struct lkst_session *s,
				     struct lkst_writer *w, const char *why)
{
	const struct output o = { .e = e, .w = w, .class = thread_counts_class_of(s) };

	return o.class ? thread_counts_put(&o, &(struct lkst_thread_count){}, why) : 0;
}

int lkst_thread_counts_write(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			     const struct lkst_thread_counts *list, u32 nr, u32 max, u32 buffers)
{
	struct output o = { .e = e, .w = w, .class = thread_counts_class_of(s), .max = max };
	const char *why;
	u32 first = first_comparable(list, nr, buffers, &why), i;
	u64 unread = 0;
	int err;

	if (!o.class)
		return 0;
	if (why)
		return lkst_thread_counts_write_why_not(e, s, w, why);
	for (i = first; i < nr; i++)
		unread = list[i].left_out > unread ? list[i].left_out : unread;
	err = put_threads(&o, list + first, nr - first);
	/* Number 0 says how many threads were not read, or not written. */
	if (!err && o.left_out + unread)
		err = thread_counts_put(&o, &(struct lkst_thread_count){ .switches = o.left_out + unread },
					"left out");
	return err;
}
