// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory of this process's marks. What is here may run in a signal handler: it calls nothing that allocates or
 * takes a lock.
 */
#include "liblkst/mark_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "liblkst/mark_tidy.h"

#define LKST_MARK_NO_INLINE
#include "liblkst/mark.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

enum lkst_mark_state {
	LKST_MARK_STATE_NONE, /* what a child finds after a fork */
	LKST_MARK_STATE_MAKING,
	LKST_MARK_STATE_READY,
	LKST_MARK_STATE_NEVER, /* it could not be made */
};

enum {
	/* So often a thread without an area looks for one: once in as many records. */
	LOOK_AGAIN = 4096,
	/* How long a thread's first mark waits for the memory that another thread is making, at most. */
	WAITS_MAX = 1000,
	WAIT_NS = 100000,
};

static union {
	struct lkst_mark_process process;
	u8 page[LKST_MARK_PAGE];
} wiped __attribute__((aligned(LKST_MARK_PAGE)));

struct lkst_mark_process *const lkst_mark_process = &wiped.process;
__thread struct lkst_mark_self lkst_mark_self;

/* What a fork does not wipe. */
static const u64 not_known = 1, never;
static struct lkst_mark_header *last_header;
static u32 last_generation;

const volatile u64 *lkst_mark_wanted __attribute__((visibility("default"))) = &not_known;

/* ---- the file ----------------------------------------------------------------------- */

/* Programs that the tests run have a directory of their own; one with more rights than its caller has not. */
static const char *directory(void)
{
	return secure_getenv("LKST_MARK_DIR") ?: LKST_MARK_DIR;
}

/* A file may not become as large (setrlimit(2)): the process would get a signal. */
static bool is_too_large(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < LKST_MARK_FILE_BYTES;
}

/* Maps the file at @fd, of which the first pages are there afterwards. */
static struct lkst_mark_header *map_file(int fd)
{
	void *p;

	if (ftruncate(fd, LKST_MARK_FILE_BYTES))
		return NULL;
	p = mmap(NULL, LKST_MARK_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	/* Where the file system is full this fails; a store to a page that is not there would end the process. */
	if (madvise(p, LKST_MARK_AREAS_AT, MADV_POPULATE_WRITE)) {
		munmap(p, LKST_MARK_FILE_BYTES);
		return NULL;
	}
	return p;
}

static struct lkst_mark_header *make_file(void)
{
	struct lkst_mark_header *h;
	char path[256];
	u64 random;
	int fd, length;

	if (is_too_large() || getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return NULL;
	length = snprintf(path, sizeof(path), "%s/" LKST_MARK_PREFIX ".%u.%d.%016llx", directory(),
			  geteuid(), (int)getpid(), (unsigned long long)random);
	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;
	lkst_mark_tidy(directory());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	h = map_file(fd);
	if (!h)
		unlink(path);
	close(fd);
	return h;
}

/* Until when programs that begin now are wanted, as root says. */
static u64 read_wanted(void)
{
	u64 until_ns = 0;
	char path[256];
	struct stat st;
	int fd, length = snprintf(path, sizeof(path), "%s/" LKST_MARK_WANTED_FILE, directory());

	if (length < 0 || (size_t)length >= sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid && st.st_uid != geteuid()) ||
	    pread(fd, &until_ns, sizeof(until_ns), 0) != sizeof(until_ns))
		until_ns = 0;
	close(fd);
	return until_ns;
}

/* ---- the process -------------------------------------------------------------------- */

/* A child has the numbers of its parent's events: its static variables say them. */
static void copy_texts(struct lkst_mark_header *h)
{
	u32 i;

	for (i = 0; last_header && i < LKST_MARK_EVENTS; i++)
		*lkst_mark_text(h, i) = *lkst_mark_text(last_header, i);
}

/* Has the page at @page say what it is, all but its magic. */
static void name_page(const struct lkst_mark_header *h, struct lkst_mark_page *page)
{
	page->index = (u32)((const u8 *)page - (const u8 *)h) / LKST_MARK_PAGE;
	if (page->index)
		memcpy(page->id, h->page.id, sizeof(page->id));
}

static void name_texts(struct lkst_mark_header *h)
{
	u32 i;

	for (i = 0; i < LKST_MARK_TEXT_PAGES; i++) {
		struct lkst_mark_page *page =
			(void *)((u8 *)h + LKST_MARK_TEXTS_AT + i * LKST_MARK_PAGE);

		name_page(h, page);
		page->magic = LKST_MARK_MAGIC;
	}
}

/* The value of a hexadecimal digit; -1: it is none. */
static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A dump may have pages that an earlier boot has left: this tells them from those of the boot that it is of. */
static void read_boot_id(u8 id[16])
{
	char text[36];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC), high = -1;
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text)), i;
	u32 nr = 0;

	for (i = 0; i < length && nr < 16; i++) {
		int digit = digit_of(text[i]);

		if (digit < 0)
			continue;
		if (high >= 0)
			id[nr++] = (u8)(high << 4 | digit);
		high = high < 0 ? digit : -1;
	}
	if (fd >= 0)
		close(fd);
}

static bool fill_header(struct lkst_mark_header *h)
{
	struct timespec now;
	u64 until_ns, none = 0;

	if (clock_gettime(CLOCK_MONOTONIC, &now) ||
	    getrandom(h->page.id, sizeof(h->page.id), GRND_NONBLOCK) != sizeof(h->page.id))
		return false;
	h->version = LKST_MARK_VERSION;
	h->pid = getpid();
	h->uid = geteuid();
	h->start_ns = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
	read_boot_id(h->boot_id);
	copy_texts(h);
	name_texts(h);
	name_page(h, &h->page);
	__atomic_store_n(&h->page.magic, LKST_MARK_MAGIC, __ATOMIC_SEQ_CST);
	/* A recording stores what it wants first where new programs look, then to the files that it finds. */
	until_ns = read_wanted();
	if (until_ns)
		__atomic_compare_exchange_n(&h->wanted_until_ns, &none, until_ns, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return true;
}

/* Makes the memory of this process, once; after a fork again. */
static void begin(struct lkst_mark_process *p)
{
	struct lkst_mark_header *h;
	u32 none = LKST_MARK_STATE_NONE;

	if (!__atomic_compare_exchange_n(&p->state, &none, LKST_MARK_STATE_MAKING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	h = madvise(&wiped, sizeof(wiped), MADV_WIPEONFORK) ? NULL : make_file();
	if (!h || !fill_header(h)) {
		__atomic_store_n(&p->state, LKST_MARK_STATE_NEVER, __ATOMIC_RELEASE);
		__atomic_store_n(&lkst_mark_wanted, &never, __ATOMIC_RELEASE);
		return;
	}
	last_header = p->header = h;
	__atomic_store_n(&p->generation, ++last_generation, __ATOMIC_RELEASE);
	__atomic_store_n(&p->state, LKST_MARK_STATE_READY, __ATOMIC_RELEASE);
	__atomic_store_n(&lkst_mark_wanted, &h->wanted_until_ns, __ATOMIC_RELEASE);
}

/* Waits until the memory has been made, by this thread or another; false: it was not. */
static bool is_ready(struct lkst_mark_process *p)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	u32 state, i;

	begin(p);
	for (i = 0; i < WAITS_MAX; i++) {
		state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
		if (state != LKST_MARK_STATE_MAKING)
			return state == LKST_MARK_STATE_READY;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* The flag that a child sees is its parent's, who may end: it asks for its own at its first mark. */
static void after_fork(void)
{
	lkst_mark_wanted = &not_known;
}

__attribute__((constructor)) static void prepare(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

/* ---- the thread --------------------------------------------------------------------- */

static bool has_ended(s32 pid, s32 tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) && errno == ESRCH;
}

/* Takes area @i from a thread that has ended, or that nobody has had; false: it is in use. */
static bool try_area(struct lkst_mark_header *h, u32 i, u32 nr, s32 tid)
{
	struct lkst_mark_thread *area = lkst_mark_area(h, i);
	s32 was = i < nr ? __atomic_load_n(&area->tid, __ATOMIC_RELAXED) : 0;

	/* A thread number may come again, and so may a thread that went through a fork in its handler. */
	if (was && was != tid && !has_ended(h->pid, was))
		return false;
	if (i >= nr && madvise(area, LKST_MARK_AREA, MADV_POPULATE_WRITE))
		return false;
	return __atomic_compare_exchange_n(&area->tid, &was, tid, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void raise_to(u32 *value, u32 to)
{
	u32 was = __atomic_load_n(value, __ATOMIC_RELAXED);

	while (was < to && !__atomic_compare_exchange_n(value, &was, to, true, __ATOMIC_RELEASE,
							__ATOMIC_RELAXED))
		;
}

static struct lkst_mark_thread *find_area(struct lkst_mark_header *h, s32 tid)
{
	const u32 nr = __atomic_load_n(&h->nr_threads, __ATOMIC_ACQUIRE);
	struct lkst_mark_thread *area;
	u32 i;

	for (i = 0; i < LKST_MARK_THREADS; i++) {
		if (!try_area(h, i, nr < LKST_MARK_THREADS ? nr : LKST_MARK_THREADS, tid))
			continue;
		area = lkst_mark_area(h, i);
		name_page(h, &area->page);
		area->page.magic = LKST_MARK_MAGIC;
		area->nest = 0;
		raise_to(&h->nr_threads, i + 1);
		return area;
	}
	return NULL;
}

static struct lkst_mark_thread *take_area(struct lkst_mark_self *self)
{
	struct lkst_mark_process *p = lkst_mark_process;

	if (!is_ready(p) || !__atomic_load_n(&p->header->wanted_until_ns, __ATOMIC_RELAXED))
		return NULL;
	if (self->generation == p->generation && ++self->lost % LOOK_AGAIN) {
		__atomic_fetch_add(&p->header->no_area, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	self->tid = (s32)syscall(SYS_gettid);
	self->area = find_area(p->header, self->tid);
	self->generation = p->generation;
	if (!self->area)
		__atomic_fetch_add(&p->header->no_area, 1, __ATOMIC_RELAXED);
	return self->area;
}

struct lkst_mark_thread *lkst_mark_take_area(void)
{
	struct lkst_mark_self *self = &lkst_mark_self;
	struct lkst_mark_thread *area;
	int was = errno;

	if (self->is_busy)
		return NULL;
	self->is_busy = 1;
	__asm__ volatile("" ::: "memory");
	area = take_area(self);
	__asm__ volatile("" ::: "memory");
	self->is_busy = 0;
	errno = was;
	return area;
}
