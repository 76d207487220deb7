// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Whose the pages of memory are (F06, F07 of doc/heritage.md): at any moment what a list of all pages says, kept page
 * by page here; and the figures of `lkst analyze pages`.
 */
#include "analyze/maps/memory_map.h"

#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

enum {
	EVENTS = 3000,
	FRAMES = 2048,
	FIRST = 0x40000, /* of the page frames, at the beginning of a block */
	PROCESSES = 4,
	NOBODY = -2,
	BEFORE = -1,
};

static struct lkst_err err;
static char dir[64];

/* What happened, as the test knows it. */
struct event {
	u64 ns;
	u32 page, nr;
	int owner; /* the process, NOBODY: they are freed */
};
static struct event events[EVENTS];
static int at_begin[FRAMES]; /* whose each page was when the trace began */

static u32 random_below(u32 n)
{
	return (u32)rand() % n;
}

/* The trace's text, and `events`; process p is 10 * p, its threads 10 * p and 10 * p + 1. */
static void make_random(char *text, size_t size, unsigned int seed)
{
	size_t used = 0;
	u64 ns = 1000;
	u32 i, k;

	srand(seed);
	for (i = 1; i <= PROCESSES; i++)
		used += (size_t)snprintf(
			text + used, size - used,
			"state_thread ns=900 thread_tid=%u thread_pid=%u comm=\"p%u\"\n"
			"state_thread ns=900 thread_tid=%u thread_pid=%u comm=\"p%u\"\n",
			10 * i, 10 * i, i, 10 * i + 1, 10 * i, i);
	for (i = 0; i < FRAMES; i++)
		at_begin[i] = NOBODY;
	/* Process 1 had pages, which the trace says. */
	used += (size_t)snprintf(text + used, size - used,
				 "state_pages ns=950 pfn=%u owner_pid=10 pages=700\n", FIRST + 100);
	for (i = 100; i < 800; i++)
		at_begin[i] = 1;
	for (i = 0; i < EVENTS; i++) {
		struct event *e = &events[i];
		u32 order = random_below(8) ? random_below(3) : 9 + random_below(2);

		ns += random_below(50);
		*e = (struct event){ .ns = ns, .nr = 1U << order, .owner = NOBODY };
		e->page = random_below(FRAMES / e->nr) * e->nr;
		if (random_below(2)) {
			e->owner = 1 + (int)random_below(PROCESSES);
			used += (size_t)snprintf(
				text + used, size - used,
				"mm_page_alloc cpu=0 tid=%u ns=%llu pfn=%u order=%u\n",
				10 * (u32)e->owner + random_below(2), (unsigned long long)ns,
				FIRST + e->page, order);
		} else {
			used += (size_t)snprintf(
				text + used, size - used,
				"mm_page_free cpu=0 tid=%u ns=%llu pfn=%u order=%u\n", 10,
				(unsigned long long)ns, FIRST + e->page, order);
		}
	}
	/* What is freed before anything else happens to it was there. */
	for (k = 0; k < FRAMES; k++)
		for (i = 0; i < EVENTS && at_begin[k] == NOBODY; i++)
			if (events[i].page <= k && k < events[i].page + events[i].nr) {
				at_begin[k] = events[i].owner == NOBODY ? BEFORE : NOBODY;
				break;
			}
}

/* Whose each page is at @ns. */
static void replay(u64 ns, int owners[FRAMES])
{
	u32 i, k;

	memcpy(owners, at_begin, sizeof(at_begin));
	for (i = 0; i < EVENTS && events[i].ns <= ns; i++)
		for (k = 0; k < events[i].nr; k++)
			owners[events[i].page + k] = events[i].owner;
}

static struct lkst_memory_map *open_map(const char *text)
{
	struct lkst_memory_map *map = NULL;
	struct lkst_trace *t = NULL;
	char path[96];

	make_trace_again(dir, text);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	if (lkst_trace_open(&err, path, &t) ||
	    lkst_memory_map_new(&err, t, &map))
		abort();
	lkst_trace_close(t);
	return map;
}

static void expect_at(struct lkst_memory_map *map, u64 ns)
{
	const struct lkst_memory_cell *cells = lkst_memory_map_at(map, ns);
	int owners[FRAMES];
	u32 cell, r, k, count;

	replay(ns, owners);
	for (cell = 0; cell < map->nr_cells; cell++)
		for (r = 0; r < LKST_MEMORY_OWNERS; r++) {
			int owner = r == LKST_MEMORY_BEFORE ? BEFORE : map->owners[r].pid / 10;

			if (r && map->owners[r].pid < 0)
				continue;
			for (k = count = 0; k < map->cell_pages; k++)
				count += owners[cell * map->cell_pages + k] == owner;
			CHECK_EQ(cells[cell].nr[r], count);
		}
}

TEST(cells_are_as_a_list_of_all_pages_says)
{
	static char text[EVENTS * 100];
	struct lkst_memory_map *map;
	unsigned int seed;
	u32 i;

	for (seed = 1; seed <= 5; seed++) {
		make_random(text, sizeof(text), seed);
		map = open_map(text);
		CHECK_EQ(map->nr_cells, FRAMES / LKST_PAGE_BLOCK);
		CHECK_EQ(map->first_pfn, FIRST);
		CHECK_EQ(map->nr_processes, PROCESSES);
		/* Forwards, and anywhere. */
		for (i = 0; i < EVENTS; i += 97)
			expect_at(map, events[i].ns);
		for (i = 0; i < 30; i++)
			expect_at(map, events[random_below(EVENTS)].ns - random_below(2));
		expect_at(map, 0);
		expect_at(map, UINT64_MAX);
		lkst_memory_map_free(map);
	}
}

TEST(a_cell_is_whose_most_of_it_is)
{
	struct lkst_memory_cell cell = { .nr = { 3, 0, 7, 5 } };
	struct lkst_memory_map *map;
	u32 nr;

	CHECK_EQ(lkst_memory_cell_owner(&cell, &nr), 2);
	CHECK_EQ(nr, 15);
	cell = (struct lkst_memory_cell){};
	CHECK_EQ(lkst_memory_cell_owner(&cell, &nr), LKST_MEMORY_OWNERS);
	map = open_map("mm_page_alloc cpu=0 tid=5 ns=2000 pfn=513 order=1\n"
		       "mm_page_free cpu=0 tid=5 ns=3000 pfn=513 order=0\n"
		       /* Not a page frame of any memory. */
		       "mm_page_alloc cpu=0 tid=5 ns=3500 pfn=0xffffffffffffffff order=0\n"
		       "mm_page_alloc cpu=0 tid=5 ns=4000 pfn=2000000 order=0\n");
	CHECK_EQ(lkst_memory_map_at(map, 2999)[0].nr[1], 2);
	CHECK_EQ(lkst_memory_map_at(map, 2999)[0].changed_ns, 2000);
	CHECK_EQ(lkst_memory_map_at(map, 3000)[0].nr[1], 1);
	CHECK_EQ(lkst_memory_map_at(map, 3000)[0].changed_ns, 3000);
	CHECK_EQ(map->first_pfn, 512);
	CHECK_EQ(lkst_memory_map_at(map, 4000)[2000000 / 512 - 1].nr[1], 1);
	lkst_memory_map_free(map);
	map = open_map("sched_switch cpu=0 tid=5 ns=2000 next_tid=6\n");
	CHECK(!lkst_memory_map_at(map, 2000));
	lkst_memory_map_free(map);
}

/* More changes than there is room for: those of one step are joined, and what is left is right. */
TEST(many_changes_are_joined)
{
	enum { TIMES = 5000, LINE = 120 };
	char *text = malloc(TIMES * 2 * LINE);
	struct lkst_memory_map *map;
	size_t used = 0;
	u32 i;

	for (i = 0; i < TIMES; i++) {
		used += (size_t)snprintf(text + used, LINE,
					 "mm_page_alloc cpu=0 tid=5 ns=%u pfn=2048 order=10\n",
					 1000 + 20 * i);
		used += (size_t)snprintf(text + used, LINE,
					 "mm_page_free cpu=0 tid=5 ns=%u pfn=2048 order=%u\n",
					 1010 + 20 * i, i == TIMES - 1 ? 2 : 10);
	}
	map = open_map(text);
	free(text);
	CHECK(map->precision_ns >= 1);
	CHECK(map->nr_changes < 1 << 22);
	CHECK_EQ(map->owners[1].pages.nr_allocated, TIMES * 1024);
	CHECK_EQ(lkst_memory_map_at(map, UINT64_MAX)[0].nr[1], 512 - 4);
	CHECK_EQ(lkst_memory_map_at(map, UINT64_MAX)[1].nr[1], 512);
	CHECK_EQ(lkst_memory_map_at(map, 0)[1].nr[1], 0);
	lkst_memory_map_free(map);
}

/* There are more processes than are distinguished: those that are keep their pages, also later ones. */
TEST(processes_that_are_known_stay_known)
{
	enum { FURTHER = 11, LINE = 64 };
	u32 nr = LKST_PAGE_OWNERS_MAX - 1 + FURTHER, i;
	char *text = malloc((nr + 3) * LINE);
	struct lkst_memory_map *map;
	size_t used = 0;

	for (i = 0; i < nr + 3; i++)
		used += (size_t)snprintf(text + used, LINE,
					 "mm_page_alloc cpu=0 tid=%u ns=%u pfn=%u order=0\n",
					 i < nr ? i + 1 : 1, 1000 + i, i);
	map = open_map(text);
	free(text);
	CHECK_EQ(map->owners[1].pid, -1);
	CHECK_EQ(map->owners[1].pages.nr_allocated, FURTHER);
	CHECK_EQ(map->owners[2].pid, 1);
	CHECK_EQ(map->owners[2].pages.nr_allocated, 4);
	lkst_memory_map_free(map);
}

TEST(pages_of_processes_are_counted)
{
	lkst_memory_map_free(
		open_map("state_thread ns=900 thread_tid=20 thread_pid=20 comm=\"two\"\n"
			 "state_pages ns=950 pfn=100 owner_pid=20 pages=10\n"
			 "mm_page_alloc cpu=0 tid=20 ns=1000 pfn=512 order=2\n"
			 "mm_page_free cpu=0 tid=7 ns=3000 pfn=100 order=1\n"
			 "mm_page_free cpu=0 tid=7 ns=4000 pfn=300 order=1\n"
			 "mm_page_free cpu=0 tid=20 ns=5000 pfn=515 order=0\n"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "pages --format csv TRACE"), 0);
	output[strlen("pid,comm,before,allocated,freed,life_ns,most,live,age_ns")] = 0;
	CHECK_STR(output, "pid,comm,before,allocated,freed,life_ns,most,live,age_ns");
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "pages --format csv TRACE"), 0);
	/*
	 * 2 pages of those before lived 2000 ns in the trace, one of its own 4000; the age of 8 is 4000, of 3 as
	 * well.
	 */
	CHECK(strstr(output, "\n20,two,10,4,3,2667,14,11,4000,"));
	/* It had both when the trace began. */
	CHECK(strstr(output, "\n,before the trace,2,0,2,3000,2,0,,"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "pages TRACE"), 0);
	CHECK(!strstr(output, "before --from"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "pages --from @0.000002 TRACE"), 0);
	CHECK(strstr(output, "also what was before --from."));
	make_scratch_remove(dir);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(cells_are_as_a_list_of_all_pages_says),
	ROW(a_cell_is_whose_most_of_it_is),
	ROW(many_changes_are_joined),
	ROW(processes_that_are_known_stay_known),
	ROW(pages_of_processes_are_counted),
};
UNIT_MAIN(tests)
