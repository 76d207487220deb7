// SPDX-License-Identifier: GPL-2.0-only
/* What recording costs, by doing without for a while. */
#include "cmd/control/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/recorders/turn.h"
#include "live/masks/masksets.h"

/* Of one window. Switching takes some 50 ms, and every window should have thousands of calls and switches. */
#define WINDOW_NS 200000000ULL
/* Of a pair of windows, with the switches. */
#define PAIR_NS 500000000ULL

/* ---- switching -------------------------------------------------------------------------------- */

/* Switches from maskset @from to @to, if @from is still active. */
static int switch_maskset(struct lkst_err *e, u32 from, u32 to)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_(lkst_notes_fini) struct lkst_notes ignored = {};
	struct lkst_switch_times times;
	struct lkst_turn turn;
	int err = lkst_turn_take(e, LKST_TURN_CHANGE, &turn);

	if (err)
		return err;
	err = lkst_session_open(e, &s);
	if (!err && lkst_session_control(s)->active != from)
		err = lkst_err_set(e, -EBUSY,
				   "another command has switched to another maskset meanwhile");
	err = err ?: lkst_maskset_set(e, s, to, &ignored, &times);
	lkst_turn_give(&turn);
	return err;
}

static int read_active(struct lkst_err *e, u32 *ret_active)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	struct lkst_turn turn;
	int err = lkst_turn_take(e, LKST_TURN_LOOK, &turn);

	if (err)
		return err;
	err = lkst_session_open(e, &s);
	if (!err)
		*ret_active = lkst_session_control(s)->active;
	lkst_turn_give(&turn);
	return err;
}

/* ---- whoever switches back --------------------------------------------------------------------- */

/* A process that switches back to a maskset when this one is gone. */
struct guard {
	pid_t pid;
	int pipe; /* its end closes with this process; a byte says that there is nothing to do */
};

static int start_guard(struct lkst_err *e, u32 maskset, struct guard *g)
{
	int ends[2];
	char done;

	if (pipe2(ends, O_CLOEXEC))
		return lkst_err_sys(e, -errno, "comparing");
	g->pid = fork();
	if (g->pid < 0) {
		lkst_err_sys(e, -errno, "comparing");
		close(ends[0]);
		close(ends[1]);
		return -EAGAIN;
	}
	if (g->pid) {
		close(ends[0]);
		g->pipe = ends[1];
		return 0;
	}
	/* What ends the command from its terminal must not end this. */
	setsid();
	close(ends[1]);
	if (read(ends[0], &done, 1) != 1)
		switch_maskset(NULL, LKST_MASKSET_RNOTHING, maskset);
	_exit(0);
}

static void end_guard(struct guard *g)
{
	if (write(g->pipe, "", 1) != 1)
		errno = 0; /* it is gone, and can't be told */
	close(g->pipe);
	waitpid(g->pid, NULL, 0);
}

/* ---- comparing --------------------------------------------------------------------------------- */

/* What is done in a window. */
static int compare_watch(struct lkst_err *e, struct lkst_work *ret)
{
	_cleanup_(lkst_work_fini) struct lkst_work begin = {}, end = {};
	const struct timespec window = { .tv_nsec = WINDOW_NS };
	int err = lkst_work_read(e, &begin);

	if (err)
		return err;
	nanosleep(&window, NULL);
	return lkst_work_read(e, &end) ?: lkst_work_between(e, &begin, &end, ret);
}

/* A pair begins with either state by turns, so that what grows or shrinks with time does not count for one. */
static int watch_pair(struct lkst_err *e, u32 maskset, bool is_reversed, struct lkst_work_pair *p)
{
	const u32 none = LKST_MASKSET_RNOTHING;

	if (is_reversed)
		return compare_watch(e, &p->unrecorded) ?: switch_maskset(e, none, maskset) ?:
							 compare_watch(e, &p->recorded);
	return compare_watch(e, &p->recorded) ?: switch_maskset(e, maskset, none) ?:
						 compare_watch(e, &p->unrecorded);
}

static int watch_pairs(struct lkst_err *e, u32 maskset, struct lkst_work_pair *pairs, u32 nr)
{
	int err = 0;
	u32 i;

	for (i = 0; i < nr && !err; i++)
		err = watch_pair(e, maskset, i % 2, &pairs[i]);
	return err;
}

struct pairs {
	struct lkst_work_pair *list;
	u32 nr;
};

static void free_pairs(struct pairs *p)
{
	u32 i;

	for (i = 0; i < p->nr; i++) {
		lkst_work_fini(&p->list[i].recorded);
		lkst_work_fini(&p->list[i].unrecorded);
	}
	free(p->list);
}

int lkst_compare(struct lkst_err *e, u64 ns, struct lkst_work_slowdown ret[LKST_WORK_ROWS])
{
	_cleanup_(free_pairs) struct pairs pairs = {};
	struct guard guard = {};
	u32 maskset, nr = ns / PAIR_NS;
	int err = read_active(e, &maskset);

	if (err)
		return err;
	if (maskset == LKST_MASKSET_RNOTHING)
		return lkst_err_set(e, -EBUSY,
				    "maskset RNOTHING is active, there is nothing to compare");
	if (nr > LKST_WORK_PAIRS_MAX)
		nr = LKST_WORK_PAIRS_MAX;
	nr &= ~1U; /* each second one ends with the maskset */
	pairs.list = calloc(nr + 1, sizeof(*pairs.list));
	if (!pairs.list)
		return lkst_err_sys(e, -ENOMEM, "comparing");
	pairs.nr = nr;
	err = start_guard(e, maskset, &guard);
	if (err)
		return err;
	err = watch_pairs(e, maskset, pairs.list, nr);
	/* An error may have left it as it was between two switches. */
	if (err)
		switch_maskset(NULL, LKST_MASKSET_RNOTHING, maskset);
	end_guard(&guard);
	return err ?: lkst_work_compare(e, pairs.list, nr, ret);
}
