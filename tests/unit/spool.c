/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What waits to be sent: whole whatever is killed, bounded, and thinned where it can be missed best.
 */
#include "fleet/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fleet/sender.h"
#include "lib/kill_points.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;

static struct lkst_spool_item seconds(u64 first, u32 count)
{
	return (struct lkst_spool_item){
		.kind = LKST_SPOOL_SECONDS, .trace = { 1, 2, 0xff }, .first = first, .count = count
	};
}

static struct lkst_spool *open_spool(const char *dir, u64 max_bytes)
{
	struct lkst_spool *s;

	if (lkst_spool_open(&err, dir, max_bytes, &s)) {
		printf("# %s\n", err.text);
		abort();
	}
	return s;
}

static u32 list(const struct lkst_spool *s, u32 kinds, struct lkst_spool_item **items)
{
	u32 nr;

	if (lkst_spool_list(&err, s, kinds, items, &nr))
		abort();
	return nr;
}

/* Bytes that depend on the item, so that it shows if they are another's. */
static size_t bytes_of(const struct lkst_spool_item *item, char bytes[8192])
{
	size_t length = 100 + item->first * 37 % 8000, i;

	for (i = 0; i < length; i++)
		bytes[i] = (char)(item->first + i * 7);
	return length;
}

static int put(struct lkst_spool *s, const struct lkst_spool_item *item)
{
	static char bytes[8192];
	size_t length = bytes_of(item, bytes);

	return lkst_spool_put(&err, s, item, bytes, length);
}

/* How many seconds are noted as dropped. */
static u64 dropped_of(const struct lkst_spool *s)
{
	struct lkst_spool_item *items;
	u32 nr = list(s, 1U << LKST_SPOOL_DROPPED, &items), i;
	u64 sum = 0;

	for (i = 0; i < nr; i++)
		sum += items[i].count;
	free(items);
	return sum;
}

static bool is_whole(const struct lkst_spool *s, const struct lkst_spool_item *item)
{
	static char wanted[8192];
	size_t length, want = bytes_of(item, wanted);
	char *bytes;
	bool same;

	if (lkst_spool_read(&err, s, item, &bytes, &length))
		return false;
	same = length == want && !memcmp(bytes, wanted, length);
	free(bytes);
	return same;
}

TEST(spool_names_are_read_as_they_are_written)
{
	static const char *const wrong[] = {
		"",
		"position",
		"s",
		"s1-1-01020000000000000000000000000000",
		"s0000000001-1-0102000000000000000000000000000",
		"s0000000001-1-010200000000000000000000000000000",
		"s0000000001-01-01020000000000000000000000000000",
		"s0000000001-1-0102000000000000000000000000000G",
		"z0000000001-1-01020000000000000000000000000000",
		".s0000000001-1-01020000000000000000000000000000.abc.partial"
	};
	struct lkst_spool_item item, again;
	char name[LKST_SPOOL_NAME];
	unsigned int i;

	for (i = 0; i < LKST_SPOOL_NR_KINDS; i++) {
		item = seconds(UINT64_MAX - i, UINT32_MAX);
		item.kind = (u8)i;
		lkst_spool_format(&item, name);
		CHECK_EQ(lkst_spool_parse(name, &again), 0);
		CHECK(!memcmp(&item, &again, sizeof(item)));
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(lkst_spool_parse(wrong[i], &item), -EINVAL);
}

/* ---- kills ----------------------------------------------------------------------------------- */

enum { PUTS = 4, LOST = 12 };

/* Where the spool is, and what was said of it, which outlasts the process that says it. */
struct spooling {
	char path[80];
	u32 said;
};

static struct spooling *begin_spooling(char dir[64])
{
	struct spooling *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		abort();
	make_scratch(dir);
	snprintf(s->path, sizeof(s->path), "%s/spool", dir);
	return s;
}

static void end_spooling(struct spooling *s, const char *dir)
{
	munmap(s, sizeof(*s));
	make_scratch_remove(dir);
}

/* Puts item after item, and says after each that it is there. */
static void put_some(void *ctx)
{
	struct spooling *told = ctx;
	struct lkst_spool *s = open_spool(told->path, 1ULL << 40);
	struct lkst_spool_position position = { .trace = { 1 } };
	u32 i;

	for (i = 0; i < PUTS; i++) {
		struct lkst_spool_item item = seconds(i, 1);

		position.second = i;
		if (put(s, &item) || lkst_spool_keep_position(&err, s, &position))
			_exit(1);
		told->said = i + 1;
	}
	_exit(0);
}

/* What was said to be there is, all of it; and perhaps one more. */
static bool has_what_was_said(const struct spooling *told)
{
	struct lkst_spool *s = open_spool(told->path, 1ULL << 40);
	struct lkst_spool_position position;
	struct lkst_spool_item *items;
	u32 nr = list(s, ~0U, &items), i;
	bool good = nr == told->said || nr == told->said + 1;

	for (i = 0; i < nr; i++)
		good &= items[i].first == i && is_whole(s, &items[i]);
	lkst_spool_position(s, &position);
	good &= !told->said || position.second + 1 == told->said || position.second == told->said;
	free(items);
	lkst_spool_close(s);
	return good;
}

TEST(spool_is_whole_after_a_kill)
{
	struct kill_plan plan = { .is_whole = true };
	struct kill_seen seen = { .is_killed = true };
	struct spooling *told;
	char dir[64];
	bool good;

	for (; seen.is_killed; plan.at += plan.is_after, plan.is_after = !plan.is_after) {
		told = begin_spooling(dir);
		kill_points_run(&plan, put_some, told, &seen);
		good = has_what_was_said(told) && (seen.is_killed || (!seen.status && told->said == PUTS));
		end_spooling(told, dir);
		CHECK_EQ(seen.unknown, -1);
		CHECK(good);
	}
	printf("# killed before and after each of %u points\n", seen.nr);
	CHECK(seen.nr > 8 * PUTS);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

TEST(spool_is_thinned_when_it_is_full)
{
	struct lkst_spool_item *items, incident = seconds(7, 1);
	char dir[64], path[80];
	struct lkst_spool *s;
	u64 max = 200000, gap_old = 0, gap_new = 0;
	u32 i, nr, left = 0;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/spool", dir);
	s = open_spool(path, max);
	incident.kind = LKST_SPOOL_INCIDENT;
	CHECK_EQ(put(s, &incident), 0);
	for (i = 0; i < 300; i++) {
		struct lkst_spool_item item = seconds(10 * i, 10);

		CHECK_EQ(put(s, &item), 0);
		CHECK(lkst_spool_bytes(s) <= max);
	}
	nr = list(s, 1U << LKST_SPOOL_SECONDS, &items);
	for (i = 0; i < nr; i++)
		left += items[i].count;
	/* All are there, or counted. */
	CHECK_EQ(left + dropped_of(s), 3000);
	/* The oldest and the newest are there, and what is missing is from everywhere, more of what is older. */
	CHECK_EQ(items[0].first, 0);
	CHECK_EQ(items[nr - 1].first, 2990);
	for (i = 1; i < nr; i++) {
		u64 gap = items[i].first - items[i - 1].first;

		if (i < nr / 2)
			gap_old = gap > gap_old ? gap : gap_old;
		else
			gap_new = gap > gap_new ? gap : gap_new;
	}
	CHECK(gap_old < 600);
	CHECK(gap_new <= gap_old);
	free(items);
	/* An incident is never what makes room. */
	CHECK_EQ(list(s, 1U << LKST_SPOOL_INCIDENT, &items), 1);
	free(items);
	lkst_spool_close(s);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

/* A process that counts nothing makes room, as the one that explains an incident, and is killed. */
TEST(spool_notes_what_another_process_has_dropped)
{
	struct lkst_spool_item *items;
	char dir[64], path[80];
	struct lkst_spool *s;
	u32 i, nr, left = 0;
	pid_t child;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/spool", dir);
	s = open_spool(path, 200000);
	for (i = 0; i < 20; i++) {
		struct lkst_spool_item item = seconds(10 * i, 10);

		CHECK_EQ(put(s, &item), 0);
	}
	child = fork();
	if (!child) {
		lkst_spool_make_room(&err, s, 150000);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	nr = list(s, 1U << LKST_SPOOL_SECONDS, &items);
	for (i = 0; i < nr; i++)
		left += items[i].count;
	free(items);
	CHECK(left && left < 200);
	CHECK_EQ(left + dropped_of(s), 200);
	/* It has no bytes, and is not dropped again. */
	CHECK(lkst_spool_bytes(s) <= 50000);
	lkst_spool_close(s);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

TEST(spool_has_room_for_nothing_more)
{
	struct lkst_spool_item item = seconds(1, 1);
	char dir[64], path[80], *big = calloc(1, 100000);
	struct lkst_spool *s;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/spool", dir);
	s = open_spool(path, 50000);
	CHECK_EQ(lkst_spool_put(&err, s, &item, big, 100000), -ENOSPC);
	CHECK_EQ(lkst_spool_bytes(s), 0);
	free(big);
	lkst_spool_close(s);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

TEST(spool_makes_room_on_a_full_disk)
{
	struct lkst_spool_item *items;
	char dir[64], path[80];
	struct lkst_spool *s;
	u64 dropped;
	u32 i, nr, left = 0;

	make_scratch(dir);
	if (mount("none", dir, "tmpfs", 0, "size=256k,mode=700")) {
		make_scratch_remove(dir);
		SKIP("no file system can be mounted here");
	}
	snprintf(path, sizeof(path), "%s/spool", dir);
	s = open_spool(path, 1ULL << 30);
	for (i = 0; i < 100; i++) {
		struct lkst_spool_item item = seconds(10 * i, 10);

		if (put(s, &item))
			break;
	}
	nr = list(s, 1U << LKST_SPOOL_SECONDS, &items);
	for (left = 0; nr; nr--)
		left += is_whole(s, &items[nr - 1]) ? items[nr - 1].count : 0;
	free(items);
	dropped = dropped_of(s);
	lkst_spool_close(s);
	umount(dir);
	make_scratch_remove(dir);
	CHECK_EQ(i, 100);
	CHECK_EQ(left + dropped, 1000);
	CHECK(dropped > 0 && left > 0);
}

/* Two that count would send the same seconds, and remove what the other is making. */
TEST(spool_is_claimed_by_one_process)
{
	char dir[64], path[80];
	struct lkst_spool *s, *other;
	int told[2], status;
	pid_t first, started = 0, child;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/spool", dir);
	if (pipe(told))
		abort();
	first = fork();
	if (!first) {
		s = open_spool(path, 1 << 20);
		if (lkst_spool_claim(&err, s))
			_exit(1);
		started = fork();
		if (started && write(told[1], &started, sizeof(started)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(told[0], &started, sizeof(started)), sizeof(started));
	other = open_spool(path, 1 << 20);
	CHECK_EQ(lkst_spool_claim(&err, other), -EBUSY);
	CHECK(strstr(err.text, "--spool"));
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	/* What it has started goes on, and does not keep it claimed. */
	child = fork();
	if (!child)
		_exit(lkst_spool_claim(&err, other) != 0);
	waitpid(child, &status, 0);
	kill(started, SIGKILL);
	CHECK_EQ(status, 0);
	lkst_spool_close(other);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

/* ---- damage ---------------------------------------------------------------------------------- */

TEST(spool_knows_what_is_damaged)
{
	struct lkst_spool_item item = seconds(42, 10);
	char dir[64], path[80], file[200], *bytes;
	struct lkst_spool *s;
	size_t length, i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/spool", dir);
	s = open_spool(path, 1 << 20);
	for (i = 0; i < 3; i++) {
		int fd;

		CHECK_EQ(put(s, &item), 0);
		CHECK(is_whole(s, &item));
		CHECK_EQ(lkst_spool_path(&err, s, &item, file, sizeof(file)), 0);
		fd = open(file, O_WRONLY);
		CHECK(fd >= 0);
		/* A byte, the end, all of it. */
		if (i == 0)
			CHECK_EQ(pwrite(fd, "x", 1, 50), 1);
		CHECK(i != 1 || !ftruncate(fd, 60));
		CHECK(i != 2 || !ftruncate(fd, 0));
		close(fd);
		CHECK_EQ(lkst_spool_read(&err, s, &item, &bytes, &length), -EBADMSG);
	}
	lkst_spool_remove(s, &item);
	CHECK_EQ(lkst_spool_read(&err, s, &item, &bytes, &length), -ENOENT);
	lkst_spool_close(s);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* One that is dropped, or of every third found to be damaged. */
static void lose(struct lkst_spool *s, u64 first, u32 count)
{
	struct lkst_spool_item item = seconds(first, count), lost = item;

	lost.kind = first % 3 ? LKST_SPOOL_DROPPED : LKST_SPOOL_DAMAGED;
	if (put(s, &item) || lkst_spool_rename(&err, s, &item, &lost))
		abort();
}

/* Those of no second are minutes. */
static void lose_some(const struct spooling *lost, struct lkst_spool_missing *ret_missing)
{
	struct lkst_spool *s = open_spool(lost->path, 1 << 30);
	u32 i;

	*ret_missing = (struct lkst_spool_missing){};
	for (i = 0; i < LOST; i++) {
		lose(s, i, i % 5);
		ret_missing->seconds += i % 5;
		ret_missing->damaged += i % 3 ? 0 : i % 5;
	}
	lkst_spool_close(s);
}

static void count_missing(void *ctx)
{
	const struct spooling *lost = ctx;
	struct lkst_spool *s = open_spool(lost->path, 1 << 30);
	struct lkst_spool_missing missing;

	_exit(lkst_spool_count_missing(&err, s, &missing) != 0);
}

/* Twice, and nothing is left but the sum, which has no bytes. */
static bool counts_once(const struct spooling *lost, const struct lkst_spool_missing *wanted)
{
	struct lkst_spool *s = open_spool(lost->path, 1 << 30);
	struct lkst_spool_missing missing = {}, again = {};
	struct lkst_spool_item *items = NULL;
	bool good = !lkst_spool_count_missing(&err, s, &missing) && !lkst_spool_count_missing(&err, s, &again) &&
		    missing.seconds == wanted->seconds && missing.damaged == wanted->damaged &&
		    !memcmp(&missing, &again, sizeof(missing)) && list(s, ~0U, &items) == 1 && !lkst_spool_bytes(s);

	free(items);
	lkst_spool_close(s);
	return good;
}

TEST(spool_counts_what_is_missing_once_whatever_is_killed)
{
	struct kill_plan plan = { .is_whole = true };
	struct lkst_spool_missing wanted;
	struct spooling *lost;
	struct kill_seen seen = { .is_killed = true };
	char dir[64];
	bool good;

	for (; seen.is_killed; plan.at += plan.is_after, plan.is_after = !plan.is_after) {
		lost = begin_spooling(dir);
		lose_some(lost, &wanted);
		kill_points_run(&plan, count_missing, lost, &seen);
		good = counts_once(lost, &wanted) && (seen.is_killed || !seen.status);
		end_spooling(lost, dir);
		CHECK_EQ(seen.unknown, -1);
		CHECK(good);
	}
	printf("# killed before and after each of %u points\n", seen.nr);
	CHECK(seen.nr > 2 * LOST);
}

TEST(spool_position_is_read_as_it_is_written)
{
	static const char *const wrong[] = { "",
					     "\n",
					     "0102 1 2 3 4 5 6\n",
					     "01020000000000000000000000000000 1 2 3 4 5\n",
					     "01020000000000000000000000000000 1 2 3 4 5 6 7\n",
					     "01020000000000000000000000000000 1 2 3 4 5 6" };
	struct lkst_spool_position p = { .trace = { 9, 8, 7 },
					 .until_ns = UINT64_MAX,
					 .second = 2,
					 .dropped = 3,
					 .damaged = 1,
					 .nr_told = 4,
					 .nr_explained = UINT32_MAX },
				   again;
	char dir[64], path[80];
	struct lkst_spool *s;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(lkst_spool_parse_position(wrong[i], &again), -EBADMSG);
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/spool", dir);
	s = open_spool(path, 1 << 20);
	lkst_spool_position(s, &again);
	CHECK_EQ(again.until_ns, 0);
	CHECK_EQ(lkst_spool_keep_position(&err, s, &p), 0);
	lkst_spool_position(s, &again);
	CHECK(!memcmp(&p, &again, sizeof(p)));
	lkst_spool_close(s);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

TEST(sender_waits_ever_longer_and_not_all_at_once)
{
	const struct lkst_sender_options o = { .pause_ns = 1000, .pause_max_ns = 60000 };
	u64 least = UINT64_MAX, most = 0, random;

	CHECK_EQ(lkst_sender_pause_ns(&o, 1, 0), 500);
	CHECK_EQ(lkst_sender_pause_ns(&o, 1, 500), 1000);
	CHECK_EQ(lkst_sender_pause_ns(&o, 4, 0), 4000);
	CHECK_EQ(lkst_sender_pause_ns(&o, 1000000, 0), 30000);
	for (random = 0; random < 100000; random++) {
		u64 ns = lkst_sender_pause_ns(&o, 100, random * 2654435761);

		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	CHECK(least < 31000 && most > 59000 && most <= 60000);
}

static const struct unit_test tests[] = {
	{ "spool_names_are_read_as_they_are_written",
	  test_spool_names_are_read_as_they_are_written },
	{ "spool_is_whole_after_a_kill", test_spool_is_whole_after_a_kill },
	{ "spool_is_thinned_when_it_is_full", test_spool_is_thinned_when_it_is_full },
	{ "spool_notes_what_another_process_has_dropped",
	  test_spool_notes_what_another_process_has_dropped },
	{ "spool_has_room_for_nothing_more", test_spool_has_room_for_nothing_more },
	{ "spool_makes_room_on_a_full_disk", test_spool_makes_room_on_a_full_disk },
	{ "spool_is_claimed_by_one_process", test_spool_is_claimed_by_one_process },
	{ "spool_knows_what_is_damaged", test_spool_knows_what_is_damaged },
	{ "spool_counts_what_is_missing_once_whatever_is_killed",
	  test_spool_counts_what_is_missing_once_whatever_is_killed },
	{ "spool_position_is_read_as_it_is_written", test_spool_position_is_read_as_it_is_written },
	{ "sender_waits_ever_longer_and_not_all_at_once",
	  test_sender_waits_ever_longer_and_not_all_at_once },
};
UNIT_MAIN(tests)
