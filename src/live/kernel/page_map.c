/* SPDX-License-Identifier: GPL-2.0-only */
/* The physical pages that a process has now. */
#include "live/kernel/page_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"

/* An entry of pagemap, and bits of a frame's flags: Documentation/admin-guide/mm/pagemap.rst */
#define ENTRY_FRAME ((1ULL << 55) - 1)
#define ENTRY_SHARED (1ULL << 61) /* of a file, or shared memory */
#define ENTRY_SWAPPED (1ULL << 62)
#define ENTRY_PRESENT (1ULL << 63)
#define FLAG_HUGE (1ULL << 17)
#define FLAG_THP (1ULL << 22)
#define FLAG_ZERO (1ULL << 24)

enum {
	BATCH = 4096, /* entries that are read at a time */
};

/*
 * An address space may reserve any amount; reading the entries of so much takes a second or two. What may not be
 * accessed at all is hardly ever more than reserved, and some programs have a lot of it.
 */
#define WALKED_MAX (1ULL << 38)
#define RESERVED_MAX (1ULL << 30)

struct page_map_walk {
	const struct lkst_page_calls *calls;
	void *ctx;
	int pages_fd, flags_fd; /* flags_fd < 0: they are not shown */
	u64 page_size;
	struct lkst_page_mapping mapping;
	struct lkst_page_run run; /* not yet given out, if it has pages */
	u64 entries[BATCH], flags[BATCH];
};

/* ---- runs --------------------------------------------------------------------------------------- */

static int give_run(struct page_map_walk *w)
{
	struct lkst_page_run run = w->run;

	w->run.nr = 0;
	return run.nr && w->calls->run ? w->calls->run(w->ctx, &w->mapping, &run) : 0;
}

static bool continues(const struct page_map_walk *w, const struct lkst_page_run *next)
{
	const struct lkst_page_run *run = &w->run;

	return run->nr && next->address == run->address + run->nr * w->page_size &&
	       (run->pfn ? next->pfn == run->pfn + run->nr : !next->pfn) &&
	       next->is_huge == run->is_huge && next->is_shared == run->is_shared &&
	       next->is_zero == run->is_zero;
}

/* A page that is present. */
static int take_page(struct page_map_walk *w, u64 address, u64 entry, u64 flags)
{
	struct lkst_page_run page = { .address = address,
				      .pfn = entry & ENTRY_FRAME,
				      .nr = 1,
				      .is_huge = flags & (FLAG_HUGE | FLAG_THP),
				      .is_shared = entry & ENTRY_SHARED,
				      .is_zero = flags & FLAG_ZERO };
	struct lkst_page_mapping *m = &w->mapping;
	int err = 0;

	/* The page of zeros is not the process's, though a huge one has the flag of huge pages. */
	if (page.is_zero) {
		page.is_huge = page.is_shared = false;
		m->nr_zero++;
	} else {
		m->nr_present++;
		m->nr_huge += page.is_huge;
		m->nr_shared += page.is_shared;
	}
	if (continues(w, &page)) {
		w->run.nr++;
		return 0;
	}
	err = give_run(w);
	w->run = page;
	return err;
}

/* ---- pages of a mapping ------------------------------------------------------------------------- */

/* The flags of the frames of @nr entries, where there are any: frames that follow each other are read together. */
static void read_flags(struct page_map_walk *w, size_t nr)
{
	size_t i, k;

	memset(w->flags, 0, nr * sizeof(u64));
	for (i = 0; i < nr && w->flags_fd >= 0; i = k) {
		u64 first = w->entries[i] & ENTRY_FRAME;

		k = i + 1;
		if (!(w->entries[i] & ENTRY_PRESENT) || !first)
			continue;
		while (k < nr && w->entries[k] & ENTRY_PRESENT &&
		       (w->entries[k] & ENTRY_FRAME) == first + (k - i))
			k++;
		/* What cannot be read has no flags. */
		if (pread(w->flags_fd, &w->flags[i], (k - i) * sizeof(u64),
			  (off_t)(first * sizeof(u64))) < 0)
			memset(&w->flags[i], 0, (k - i) * sizeof(u64));
	}
}

static int walk_mapping(struct page_map_walk *w)
{
	struct lkst_page_mapping *m = &w->mapping;
	u64 at = m->begin;
	int err = 0;

	while (at < m->end && !err) {
		u64 left = (m->end - at) / w->page_size, wanted = left < BATCH ? left : (u64)BATCH;
		ssize_t got = pread(w->pages_fd, w->entries, wanted * sizeof(u64),
				    (off_t)(at / w->page_size * sizeof(u64)));
		size_t nr = got > 0 ? (size_t)got / sizeof(u64) : 0, i;

		/* The process has ended, or has no such memory (vsyscall) any more. */
		if (!nr)
			break;
		read_flags(w, nr);
		for (i = 0; i < nr && !err; i++) {
			m->nr_swapped += !!(w->entries[i] & ENTRY_SWAPPED);
			if (w->entries[i] & ENTRY_PRESENT)
				err = take_page(w, at + i * w->page_size, w->entries[i],
						w->flags[i]);
		}
		at += nr * w->page_size;
	}
	return err ?: give_run(w);
}

/* ---- mappings ----------------------------------------------------------------------------------- */

/* "5581c0a00000-5581c0a21000 rw-p 00000000 00:00 0    [heap]" */
static bool parse(char *line, struct lkst_page_mapping *m)
{
	int name = 0;

	*m = (struct lkst_page_mapping){};
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &m->begin, &m->end,
		   m->access, &name) != 3 ||
	    !name || m->begin > m->end)
		return false;
	line[strcspn(line, "\n")] = 0;
	m->name = line + name;
	return true;
}

static bool page_map_is_too_large(const struct lkst_page_mapping *m)
{
	return m->end - m->begin > (strncmp(m->access, "---", 3) ? WALKED_MAX : RESERVED_MAX);
}

static int walk_all(struct page_map_walk *w, FILE *maps)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && getline(&line, &size, maps) > 0) {
		if (!parse(line, &w->mapping))
			continue;
		w->mapping.is_skipped = page_map_is_too_large(&w->mapping);
		if (!w->mapping.is_skipped)
			err = walk_mapping(w);
		if (!err && w->calls->mapping)
			err = w->calls->mapping(w->ctx, &w->mapping);
	}
	return err ? err : ferror(maps) ? -EIO : 0;
}

int lkst_page_map_walk(struct lkst_err *e, pid_t pid, const struct lkst_page_calls *calls,
		       void *ctx)
{
	_cleanup_free_ struct page_map_walk *w = calloc(1, sizeof(*w));
	_cleanup_close_ int pages_fd = -1, flags_fd = -1;
	_cleanup_fclose_ FILE *maps = NULL;
	const pid_t living = lkst_living_thread(pid);
	char path[64];
	int err;

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "reading the pages of process %d", pid);
	snprintf(path, sizeof(path), "/proc/%d/maps", living);
	maps = fopen(path, "re");
	if (!maps && errno == ENOENT)
		return lkst_err_set(e, -ESRCH, "there is no process %d", pid);
	if (!maps)
		return lkst_err_sys(e, -errno, "reading %s", path);
	snprintf(path, sizeof(path), "/proc/%d/pagemap", living);
	pages_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (pages_fd < 0)
		return lkst_err_sys(e, -errno, "reading %s", path);
	flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	w->calls = calls;
	w->ctx = ctx;
	w->pages_fd = pages_fd;
	w->flags_fd = flags_fd;
	w->page_size = (u64)sysconf(_SC_PAGESIZE);
	err = walk_all(w, maps);
	return err ? lkst_err_sys(e, err, "reading the pages of process %d", pid) : 0;
}
