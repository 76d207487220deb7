/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands take turns at the running recording. */
#include "cmd/recorders/turn.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/time.h"
#include "live/hooks/pins.h"

static const u64 SAY_NS = LKST_NS_PER_S, PATIENCE_NS = 5 * LKST_NS_PER_S;
enum { LOOK_AGAIN_NS = 10000000 };

/* Whether the lock is taken now. 0, -EAGAIN: a command holds it, or another failure. */
static int try_until(struct lkst_err *e, int fd, bool is_shared, u64 until_ns)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	int err;

	while ((err = lkst_pins_try_lock(e, fd, is_shared)) == -EAGAIN &&
	       lkst_monotonic_ns() < until_ns)
		nanosleep(&pause, NULL);
	return err;
}

static int turn_lock(struct lkst_err *e, enum lkst_turn_kind kind, int fd)
{
	const u64 from_ns = lkst_monotonic_ns();
	char holder[LKST_PINS_HOLDER];
	int err = try_until(e, fd, kind == LKST_TURN_LOOK, from_ns + SAY_NS);

	if (err != -EAGAIN)
		return err;
	lkst_pins_holder(fd, holder);
	lkst_print_message(stderr, "lkst: waiting for %s ...", holder);
	if (kind == LKST_TURN_CHANGE)
		return lkst_pins_wait_lock(e, fd);
	err = try_until(e, fd, kind == LKST_TURN_LOOK, from_ns + PATIENCE_NS);
	if (err != -EAGAIN)
		return err;
	lkst_pins_holder(fd, holder);
	if (kind == LKST_TURN_SOON)
		return lkst_err_set(
			e, -EAGAIN,
			"%s has kept others waiting for 5 s; if it is stopped, `kill -CONT` of "
			"that number lets it go on, else `kill -KILL` ends it",
			holder);
	lkst_print_message(stderr, "lkst: going on without waiting any longer for %s", holder);
	return 0;
}

int lkst_turn_take(struct lkst_err *e, enum lkst_turn_kind kind, struct lkst_turn *t)
{
	_cleanup_close_ int fd = -1;
	FILE *memory;
	int err;

	*t = (struct lkst_turn){ .lock = -1 };
	if (kind == LKST_TURN_NONE)
		return 0;
	fd = lkst_pins_open_lock(e);
	if (fd < 0)
		return fd;
	err = turn_lock(e, kind, fd);
	if (err)
		return err;
	t->lock = lkst_take_fd(fd);
	/* Without memory for it output goes where it goes. */
	memory = open_memstream(&t->text, &t->length);
	if (memory) {
		t->out = stdout;
		stdout = memory; /* as glibc allows: its manual, "Standard Streams" */
	}
	return 0;
}

void lkst_turn_give(struct lkst_turn *t)
{
	FILE *memory = stdout;

	lkst_closep(&t->lock);
	t->lock = -1;
	if (!t->out)
		return;
	stdout = t->out;
	t->out = NULL;
	if (!fclose(memory))
		fwrite(t->text, 1, t->length, stdout);
	free(t->text);
	t->text = NULL;
}
