// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The disk map (F09 of doc/heritage.md) has what a list of all sectors says, kept sector by sector here.
 */
#include "analyze/maps/disk_map.h"

#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

enum {
	REQUESTS = 800,
	SECTORS = 40000,
	COLUMNS = 10,
	ROWS = 16,
	READ,
	WRITE,
	NR_KINDS,
};
#define BEGIN_NS 1000ULL
#define STEP_NS 1000ULL

static struct lkst_err err;
static char dir[64];
static u32 done[NR_KINDS][COLUMNS]
	       [SECTORS]; /* how often each sector of disk 1 was read or written */
static u32 nr_done[NR_KINDS];

static struct lkst_disk_map *open_map(const char *text)
{
	struct lkst_disk_map *map = NULL;
	struct lkst_trace *t = NULL;
	char path[96];

	make_trace_again(dir, text);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	if (lkst_trace_open(&err, path, &t) ||
	    lkst_disk_map_new(&err, t, BEGIN_NS, BEGIN_NS + COLUMNS * STEP_NS - 1, COLUMNS, ROWS,
			      &map))
		abort();
	lkst_trace_close(t);
	return map;
}

/* Requests one after the other, some of them completed in two parts, some of another disk, some that fail. */
static void make_random(char *text, size_t size, unsigned int seed)
{
	size_t used = (size_t)snprintf(text, size, "state_disk ns=900 dev=1 name=\"one\"\n");
	u32 i, k;

	srand(seed);
	memset(done, 0, sizeof(done));
	memset(nr_done, 0, sizeof(nr_done));
	for (i = 0; i < REQUESTS; i++) {
		u32 kind = rand() % 2 ? READ : WRITE, nr = 2 + (u32)rand() % 300;
		u32 sector = (u32)rand() % (SECTORS - nr), first = 1 + (u32)rand() % (nr - 1);
		u64 ns = BEGIN_NS + (u64)i * COLUMNS * STEP_NS / REQUESTS;
		bool is_other = rand() % 10 == 0, fails = rand() % 10 == 0;

		/* The first ones are in a narrow range, so that ranges grow. */
		if (i < REQUESTS / 4)
			sector = 20000 + sector % 500;
		used += (size_t)snprintf(
			text + used, size - used,
			"block_rq_issue cpu=0 ns=%llu rq=%u sector=%u dev=%d bytes=%u flags=%d\n",
			(unsigned long long)ns, i + 1, sector, is_other ? 2 : 1, nr * 512,
			kind == WRITE);
		used += (size_t)snprintf(
			text + used, size - used,
			"block_rq_complete cpu=0 ns=%llu rq=%u sector=%u dev=%d bytes=%u status=%d\n"
			"block_rq_complete cpu=0 ns=%llu rq=%u sector=%u dev=%d bytes=%u status=%d\n",
			(unsigned long long)ns + 1, i + 1, sector, is_other ? 2 : 1, first * 512,
			fails ? 10 : 0, (unsigned long long)ns + 1, i + 1, sector + first,
			is_other ? 2 : 1, (nr - first) * 512, fails ? 10 : 0);
		if (is_other || fails)
			continue;
		nr_done[kind]++;
		for (k = 0; k < nr; k++)
			done[kind][(ns + 1 - BEGIN_NS) / STEP_NS][sector + k]++;
	}
}

static u64 bytes_of(u32 kind, u32 column, u64 from, u64 nr)
{
	u64 bytes = 0, i;

	for (i = from; i < from + nr && i < SECTORS; i++)
		bytes += 512 * done[kind][column][i];
	return bytes;
}

TEST(grid_has_what_each_sector_had)
{
	static char text[REQUESTS * 400];
	unsigned int seed;

	for (seed = 1; seed <= 4; seed++) {
		struct lkst_disk_map *map;
		const struct lkst_disk *d;
		u64 all[NR_KINDS] = {};
		u32 row, column;

		make_random(text, sizeof(text), seed);
		map = open_map(text);
		CHECK_EQ(map->nr_disks, 2);
		d = &map->disks[map->disks[0].dev != 1];
		CHECK_STR(d->name, "one");
		CHECK_EQ(map->step_ns, STEP_NS);
		for (row = 0; row < ROWS; row++)
			for (column = 0; column < COLUMNS; column++) {
				const struct lkst_disk_cell *cell =
					&d->cells[row * COLUMNS + column];
				u64 from = d->origin + row * d->row_sectors;

				CHECK_EQ(cell->read_bytes,
					 bytes_of(READ, column, from, d->row_sectors));
				CHECK_EQ(cell->written_bytes,
					 bytes_of(WRITE, column, from, d->row_sectors));
				all[READ] += cell->read_bytes;
				all[WRITE] += cell->written_bytes;
			}
		CHECK_EQ(d->all.read_bytes, all[READ]);
		CHECK_EQ(d->all.written_bytes, all[WRITE]);
		CHECK_EQ(d->all.nr_reads, nr_done[READ]);
		CHECK_EQ(d->all.nr_writes, nr_done[WRITE]);
		/* No more ranges than are needed: what was used takes more than a third of them. */
		CHECK(3 * (d->last - d->first + 1) > ROWS * d->row_sectors);
		lkst_disk_map_free(map);
	}
}

TEST(what_was_sent_before_is_left_out)
{
	struct lkst_disk_map *map = open_map(
		"block_rq_complete cpu=0 ns=2000 rq=1 sector=8 dev=1 bytes=512\n"
		/* A flush; sent twice; sectors that no disk has. */
		"block_rq_issue cpu=0 ns=2100 rq=2 sector=0 dev=1 bytes=0 flags=2\n"
		"block_rq_complete cpu=0 ns=2200 rq=2 sector=0 dev=1 bytes=0\n"
		"block_rq_issue cpu=0 ns=2300 rq=3 sector=64 dev=1 bytes=1024 flags=0\n"
		"block_rq_issue cpu=0 ns=2400 rq=3 sector=64 dev=1 bytes=1024 flags=0\n"
		"block_rq_complete cpu=0 ns=2500 rq=3 sector=64 dev=1 bytes=1024\n"
		"block_rq_issue cpu=0 ns=2600 rq=4 sector=0xffffffffffffffff dev=1 bytes=512 flags=0\n"
		"block_rq_complete cpu=0 ns=2700 rq=4 sector=0xffffffffffffffff dev=1 bytes=512\n");

	CHECK_EQ(map->nr_no_begin, 1);
	CHECK_EQ(map->disks[0].nr_others, 2);
	CHECK_EQ(map->disks[0].all.nr_reads, 1);
	CHECK_EQ(map->disks[0].all.read_bytes, 1024);
	CHECK_EQ(map->disks[0].first, 64);
	CHECK_EQ(map->disks[0].last, 65);
	lkst_disk_map_free(map);
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "diskmap --format csv TRACE"), 0);
	CHECK(strstr(output, "\n\"0,1\",1,1024,0,0,2,0,0,64,65\r\n"));
	make_scratch_remove(dir);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(grid_has_what_each_sector_had),
	ROW(what_was_sent_before_is_left_out),
};
UNIT_MAIN(tests)
