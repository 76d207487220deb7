// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * A cut of the rings, with which a part ends: it gives out all that was recorded before it, also what came since closed
 * blocks were copied last and has closed further ones; nothing twice; and no more than there is room for.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "live.h"
#include "live/drain/drain.h"
#include "live/recording/start.h"
#include "trace/format/block.h"
#include "workers.h"

enum {
	BLOCK_BYTES = 4096,
	CALLS = 1000, /* several blocks of one CPU, wherever this process runs */
	CALLS_MAX = 4 * CALLS,
	FIRST_FD = 1 << 20, /* others of this process are of descriptors that are open */
	ROOM_BLOCKS = 2,
};

/* What was given out. */
static struct {
	u8 times[CALLS_MAX]; /* of each call */
	u32 nr;		     /* calls */
	u32 nr_blocks;	     /* that have some */
} given;
static u32 nr_made;

static void make_calls(u32 nr)
{
	for (; nr; nr--)
		syscall(SYS_fcntl, FIRST_FD + nr_made++, F_GETFD, 0);
}

static u32 take_calls(const struct lkst_record *r)
{
	const struct lkst_field_class *fd = lkst_class_field(r->event, "fd");
	u32 number = fd && r->event->syscall >= 0 ? (u32)lkst_record_int(r, fd) - FIRST_FD : CALLS_MAX;

	if (number >= CALLS_MAX)
		return 0;
	given.nr += !given.times[number]++;
	return 1;
}

static int take_blocks(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	const struct lkst_session *s = ctx;
	size_t at;

	for (at = 0; at < length; at += BLOCK_BYTES) {
		struct lkst_block_cursor cursor;
		struct lkst_record record;
		struct lkst_block block;
		int err = lkst_block_parse(e, (const u8 *)blocks + at, BLOCK_BYTES, NULL, &block);
		u32 nr = 0;

		if (err)
			return err;
		lkst_block_cursor_init(&cursor, &block);
		while (lkst_block_next(e, &cursor, lkst_session_catalog(s), &record) > 0)
			nr += take_calls(&record);
		given.nr_blocks += nr != 0;
	}
	return 0;
}

static void expect_all(const char *name)
{
	u32 i, nr_twice = 0;

	for (i = 0; i < nr_made; i++)
		nr_twice += given.times[i] > 1;
	if (given.nr == nr_made && !nr_twice)
		live_ok(name);
	else
		live_fail(name, "%u of %u calls, %u more than once", given.nr, nr_made, nr_twice);
}

static int cut(struct lkst_err *e, struct lkst_drain *drain)
{
	u64 bytes;
	int err = lkst_drain_copy(e, drain, &bytes);

	if (err)
		return err;
	make_calls(CALLS);
	err = lkst_drain_cut(e, drain);
	expect_all("cut_has_what_closed_blocks_since_they_were_copied");
	make_calls(10);
	err = err ?: lkst_drain_cut(e, drain);
	expect_all("cut_goes_on_in_the_same_block");
	make_calls(CALLS);
	lkst_drain_set_room(drain, ROOM_BLOCKS * BLOCK_BYTES);
	given.nr_blocks = 0;
	err = err ?: lkst_drain_cut(e, drain);
	if (given.nr_blocks <= ROOM_BLOCKS && given.nr < nr_made)
		live_ok("cut_keeps_to_its_room");
	else
		live_fail("cut_keeps_to_its_room", "%u blocks, %u of %u calls", given.nr_blocks, given.nr, nr_made);
	err = err ?: lkst_drain_finish(e, drain);
	expect_all("cut_leaves_the_rest_to_who_comes_later");
	return err;
}

static int record(struct lkst_err *e, struct lkst_session *s, void *ctx)
{
	struct lkst_drain *drain = NULL;
	int err = lkst_drain_new(e, s, NULL, 0, &drain);

	if (err)
		return err;
	lkst_drain_set_taker(drain, take_blocks, s);
	lkst_session_arm(s, true);
	err = cut(e, drain);
	lkst_drain_free(drain);
	return err;
}

int main(void)
{
	char *globs[] = { "syscall_entry_fcntl" };
	const struct lkst_session_options options = {
		.buffer_bytes = 4 << 20,
		.block_bytes = BLOCK_BYTES,
	};
	struct lkst_err e = {};

	if (geteuid()) {
		printf("skip drain_cut: needs root\n");
		return 0;
	}
	live_begin();
	if (live_record_self(&e, globs, 1, options, record, NULL))
		live_fail("cut_recorded", "%s", e.text);
	return live_end();
}
