// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The pages of a process (F05 of doc/heritage.md) are those that it has touched, and as many as the kernel's own
 * account of them, /proc/self/smaps, says.
 */
#include "live/kernel/page_map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"

enum { PAGES = 200, WRITTEN = 37, READ = 5, FRAMES = 16, HUGE = 2 << 20, MAPPINGS_MAX = 512 };

static struct lkst_err err;

struct seen {
	u64 begin, nr_runs, nr_pages; /* of the mapping that has address `begin` */
	struct lkst_page_mapping mapping;
	u64 frames[FRAMES];
	bool is_named;
};

static int on_run(void *ctx, const struct lkst_page_mapping *m, const struct lkst_page_run *run)
{
	struct seen *s = ctx;
	u64 i, page = (u64)sysconf(_SC_PAGESIZE);

	if (s->begin < m->begin || s->begin >= m->end)
		return 0;
	if (run->address < m->begin || run->address + run->nr * page > m->end)
		abort();
	s->nr_runs++;
	s->nr_pages += run->is_zero ? 0 : run->nr;
	for (i = 0; i < run->nr; i++)
		if (run->address + i * page >= s->begin &&
		    run->address + i * page < s->begin + FRAMES * page)
			s->frames[(run->address - s->begin) / page + i] = run->pfn + i;
	return 0;
}

static int on_mapping(void *ctx, const struct lkst_page_mapping *m)
{
	struct seen *s = ctx;

	if (s->begin < m->begin || s->begin >= m->end)
		return 0;
	s->mapping = *m;
	s->is_named = strstr(m->name, "pages") != NULL;
	return 0;
}

static struct seen look(const void *at)
{
	static const struct lkst_page_calls calls = { on_run, on_mapping };
	struct seen s = { .begin = (u64)(uintptr_t)at };

	if (lkst_page_map_walk(&err, getpid(), &calls, &s))
		abort();
	return s;
}

static char *map_anonymous(size_t bytes, int advice)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	madvise(at, bytes, advice);
	return at;
}

/* Whether the kernel gives pages that are only read one page of zeros: those of guests of some hypervisors do not. */
static bool shares_zeros(const char *one, const char *other)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t page = sysconf(_SC_PAGESIZE);
	uint64_t a = 1, b = 2;

	if (pread(fd, &a, sizeof(a), (off_t)(uintptr_t)one / page * (off_t)sizeof(a)) != sizeof(a) ||
	    pread(fd, &b, sizeof(b), (off_t)(uintptr_t)other / page * (off_t)sizeof(b)) != sizeof(b))
		abort();
	close(fd);
	return a == b;
}

TEST(pages_are_those_that_were_touched)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *at = map_anonymous(PAGES * page, MADV_NOHUGEPAGE);
	struct seen s;
	bool has_zeros;

	/* Its own mapping: between pages that may not be accessed. */
	mprotect(at, page, PROT_NONE);
	mprotect(at + (PAGES - 1) * page, page, PROT_NONE);
	for (i = 0; i < WRITTEN; i++)
		at[(1 + 3 * i) * page] = 1;
	s = look(at + page);
	CHECK_EQ(s.nr_pages, WRITTEN);
	CHECK_EQ(s.mapping.nr_present, WRITTEN);
	CHECK_EQ(s.mapping.nr_swapped, 0);
	CHECK_EQ(s.mapping.nr_shared, 0);
	CHECK_STR(s.mapping.access, "rw-p");
	/* Pages that are only read are the page of zeros; only root is shown which that is. */
	for (i = 0; i < READ; i++)
		*(volatile char *)&at[(2 + 3 * i) * page];
	s = look(at + page);
	CHECK_EQ(s.mapping.nr_present + s.mapping.nr_zero, WRITTEN + READ);
	has_zeros = !geteuid() && shares_zeros(&at[2 * page], &at[5 * page]);
	CHECK_EQ(s.mapping.nr_zero, has_zeros ? READ : 0);
	madvise(at + page, 4 * page, MADV_DONTNEED);
	CHECK_EQ(look(at + page).mapping.nr_present, has_zeros ? WRITTEN - 2 : WRITTEN + READ - 3);
	munmap(at, PAGES * page);
}

TEST(what_is_mapped_twice_has_the_same_frames)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	int fd = memfd_create("pages", MFD_CLOEXEC);
	struct seen a, b;
	char *one, *two;

	CHECK_EQ(ftruncate(fd, FRAMES * (off_t)page), 0);
	one = mmap(NULL, FRAMES * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	two = mmap(NULL, FRAMES * page, PROT_READ, MAP_SHARED, fd, 0);
	for (i = 0; i < FRAMES; i++) {
		one[i * page] = 1;
		*(volatile char *)&two[i * page];
	}
	a = look(one);
	b = look(two);
	CHECK_EQ(a.mapping.nr_shared, FRAMES);
	CHECK_EQ(b.mapping.nr_present, FRAMES);
	CHECK(!memcmp(a.frames, b.frames, sizeof(a.frames)));
	CHECK(a.is_named);
	if (!geteuid())
		CHECK(a.frames[0] && a.frames[0] != a.frames[FRAMES - 1]);
	munmap(one, FRAMES * page);
	munmap(two, FRAMES * page);
	close(fd);
}

TEST(huge_pages_are_counted)
{
	char *at = map_anonymous(3 * HUGE, MADV_HUGEPAGE),
	     *begin = at + (HUGE - (uintptr_t)at % HUGE);
	char text[64] = "";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");

	if (!f || !fgets(text, sizeof(text), f) || strstr(text, "[never]") || geteuid())
		SKIP("no huge pages here, or not root");
	fclose(f);
	*begin = 1;
	/* The kernel may have had none. */
	CHECK(look(begin).mapping.nr_huge == 0 ||
	      look(begin).mapping.nr_huge == HUGE / (size_t)sysconf(_SC_PAGESIZE));
	munmap(at, 3 * HUGE);
}

/* ---- all mappings ------------------------------------------------------------------------------- */

struct account {
	u64 begin[MAPPINGS_MAX], present[MAPPINGS_MAX];
	unsigned int nr;
};

static int add_account(void *ctx, const struct lkst_page_mapping *m)
{
	struct account *a = ctx;

	/* The kernel's own pages, which Rss does not count, and what is not walked. */
	if (a->nr == MAPPINGS_MAX || m->is_skipped || !strncmp(m->name, "[v", 2))
		return 0;
	a->begin[a->nr] = m->begin;
	a->present[a->nr++] = m->nr_present * (u64)sysconf(_SC_PAGESIZE);
	return 0;
}

/* A child that only waits is looked at from outside, and does not change meanwhile. */
TEST(pages_are_as_many_as_rss_says)
{
	static const struct lkst_page_calls calls = { .mapping = add_account };
	struct account account = {};
	char line[4352], path[64];
	u64 begin = 0, end, kib;
	unsigned int at = 0;
	pid_t child = fork();
	FILE *smaps;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	usleep(20000);
	CHECK_EQ(lkst_page_map_walk(&err, child, &calls, &account), 0);
	CHECK(account.nr > 5);
	snprintf(path, sizeof(path), "/proc/%d/smaps", child);
	smaps = fopen(path, "re");
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%llx-%llx ", (unsigned long long *)&begin,
			   (unsigned long long *)&end) == 2)
			continue;
		if (sscanf(line, "Rss: %llu kB", (unsigned long long *)&kib) != 1 ||
		    at == account.nr || begin != account.begin[at])
			continue;
		if (!geteuid())
			CHECK_EQ(account.present[at], kib * 1024);
		at++;
	}
	CHECK_EQ(at, account.nr);
	fclose(smaps);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST(what_is_not_there_has_no_pages)
{
	static const struct lkst_page_calls calls = {};

	CHECK_EQ(lkst_page_map_walk(&err, 0x3fffffff, &calls, NULL), -ESRCH);
	CHECK_STR(err.text, "there is no process 1073741823");
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(pages_are_those_that_were_touched),
	ROW(what_is_mapped_twice_has_the_same_frames),
	ROW(huge_pages_are_counted),
	ROW(pages_are_as_many_as_rss_says),
	ROW(what_is_not_there_has_no_pages),
};
UNIT_MAIN(tests)
