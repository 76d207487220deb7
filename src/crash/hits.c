/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding our pages in dumps. */
#include "crash/hits.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/note.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "crash/dump_ring.h"
#include "liblkst/mark_format.h"
#include "trace/format/block.h"

enum {
	THREADS_MAX = 8,
	CHUNK_PAGES = 16384, /* a thread takes so many at a time */
	PROGRESS_MS = 50,
};

static const u32 magics[LKST_DUMP_MAGICS] = { LKST_BLOCK_MAGIC, LKST_STATE_MAGIC, LKST_NOTE_MAGIC, LKST_MARK_MAGIC };

/* The search that the threads share. */
struct hits_search {
	const struct lkst_dump *dumps;
	unsigned int nr_dumps;
	u64 total, done; /* pages */
	u64 next;	 /* the next one that no thread has taken, counted over all dumps */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	unsigned int nr_running;
	bool is_ended; /* before all was looked at */
};

/* A thread's part. */
struct hits_part {
	struct hits_search *search;
	pthread_t thread;
	struct lkst_dump_reader *reader;
	struct lkst_hit *items;
	size_t nr;
	u16 dump;
	u64 unreadable;
	int err;
	struct lkst_err e;
};

#define BLOCK_AT(field) offsetof(struct lkst_block_header, field)

/* The fields that the opener of a block writes; the rest may not be there yet. */
static bool hits_is_block(const u8 *bytes, struct lkst_hit *find)
{
	u64 instance = lkst_le64(bytes + BLOCK_AT(stream_instance_id));
	u64 size = lkst_le64(bytes + BLOCK_AT(packet_size)) / 8;
	u32 cpu = lkst_le32(bytes + BLOCK_AT(cpu_id));

	memcpy(find->id, bytes + BLOCK_AT(uuid), sizeof(find->id));
	find->a = instance;
	find->b = lkst_le64(bytes + BLOCK_AT(packet_seq_num));
	return lkst_le32(bytes + BLOCK_AT(stream_id)) == LKST_STREAM_CLASS &&
	       cpu < LKST_CPUS_MAX && lkst_instance_cpu(instance) == cpu &&
	       lkst_instance_buffer(instance) < LKST_BUFFER_STATE &&
	       lkst_instance_level(instance) < LKST_LEVELS && !(size & (size - 1)) &&
	       size >= 1u << LKST_BLOCK_SHIFT_MIN && size <= 1u << LKST_BLOCK_SHIFT_MAX &&
	       lkst_le64(bytes + BLOCK_AT(timestamp_begin)) < LKST_TIME_MAX &&
	       find->b < UINT64_MAX >> LKST_BLOCK_SHIFT_MIN;
}

static bool hits_is_state(const u8 *bytes, struct lkst_hit *find)
{
	struct lkst_dump_ring rings[LKST_DUMP_RINGS_MAX];

	memcpy(find->id, bytes + offsetof(struct lkst_state, memory_id), sizeof(find->id));
	return lkst_dump_rings(bytes, rings) > 0;
}

static bool is_note(const u8 *bytes, struct lkst_hit *find)
{
	memcpy(find->id, bytes + offsetof(struct lkst_note, memory_id), sizeof(find->id));
	find->a = lkst_le32(bytes + offsetof(struct lkst_note, kind));
	find->b = lkst_le64(bytes + offsetof(struct lkst_note, written_ns));
	return lkst_le32(bytes + offsetof(struct lkst_note, version)) == LKST_NOTE_VERSION;
}

static bool hits_is_mark(const u8 *bytes, struct lkst_hit *find)
{
	memcpy(find->id, bytes + offsetof(struct lkst_mark_page, id), sizeof(find->id));
	find->a = lkst_le32(bytes + offsetof(struct lkst_mark_page, index));
	return find->a < LKST_MARK_FILE_BYTES / LKST_MARK_PAGE;
}

static int hits_take(void *arg, u64 page, u32 part, const u8 *bytes)
{
	struct lkst_hit find = { .page = page, .part = part }, *added;
	struct hits_part *p = arg;
	bool is_ours;

	switch (lkst_le32(bytes)) {
	case LKST_BLOCK_MAGIC:
		find.kind = LKST_HIT_BLOCK;
		is_ours = hits_is_block(bytes, &find);
		break;
	case LKST_STATE_MAGIC:
		find.kind = LKST_HIT_STATE;
		is_ours = hits_is_state(bytes, &find);
		break;
	case LKST_MARK_MAGIC:
		find.kind = LKST_HIT_MARK;
		is_ours = hits_is_mark(bytes, &find);
		break;
	default:
		find.kind = LKST_HIT_NOTE;
		is_ours = is_note(bytes, &find);
	}
	if (!is_ours)
		return 0;
	find.dump = p->dump;
	added = lkst_vec_add(p->items, p->nr);
	if (!added)
		return lkst_err_sys(&p->e, -ENOMEM, "listing what is found");
	*added = find;
	return 0;
}

/*
 * Takes the next stretch of a dump that no thread has taken; false: there is none. Begins at the end of each dump,
 * since a kernel uses memory from the top first: a search that is ended early has then looked where most is.
 */
static bool next_stretch(struct hits_search *s, unsigned int *ret_dump, u64 *ret_from, u64 *ret_to)
{
	u64 from = __atomic_fetch_add(&s->next, CHUNK_PAGES, __ATOMIC_RELAXED);
	unsigned int i;

	if (__atomic_load_n(&s->is_ended, __ATOMIC_RELAXED))
		return false;
	for (i = 0; i < s->nr_dumps; i++) {
		/* Each dump takes up whole stretches, so that none is in two. */
		u64 chunks = (s->dumps[i].nr_pages + CHUNK_PAGES - 1) / CHUNK_PAGES;

		if (from < chunks * CHUNK_PAGES) {
			*ret_dump = i;
			from = (chunks - 1) * CHUNK_PAGES - from;
			*ret_from = from;
			*ret_to = from + CHUNK_PAGES < s->dumps[i].nr_pages ? from + CHUNK_PAGES
									    : s->dumps[i].nr_pages;
			return true;
		}
		from -= chunks * CHUNK_PAGES;
	}
	return false;
}

static int search_part(struct hits_part *p)
{
	struct hits_search *s = p->search;
	unsigned int dump = 0;
	u64 from, to, unreadable;
	int err = 0;

	while (!err && next_stretch(s, &dump, &from, &to)) {
		if (!p->reader || p->dump != dump) {
			lkst_dump_reader_free(p->reader);
			p->reader = NULL;
			p->dump = (u16)dump;
			err = lkst_dump_reader_new(&p->e, &s->dumps[dump], &p->reader);
		}
		if (!err)
			err = lkst_dump_scan(p->reader, from, to, magics, hits_take, p, &s->done,
					     &unreadable);
		if (!err)
			p->unreadable += unreadable;
	}
	lkst_dump_reader_free(p->reader);
	return err;
}

static void *run_part(void *arg)
{
	struct hits_part *p = arg;

	p->err = search_part(p);
	pthread_mutex_lock(&p->search->lock);
	p->search->nr_running--;
	pthread_cond_signal(&p->search->ended);
	pthread_mutex_unlock(&p->search->lock);
	return NULL;
}

/* The wait for the condition uses a clock that nobody sets. */
static void init_lock(struct hits_search *s)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->ended, &attr);
	pthread_condattr_destroy(&attr);
}

/* Waits until all threads are done. */
static void wait_for_end(struct hits_search *s, lkst_hits_progress *progress, void *arg)
{
	pthread_mutex_lock(&s->lock);
	while (s->nr_running) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += PROGRESS_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&s->ended, &s->lock, &until) == ETIMEDOUT && progress &&
		    !progress(arg, __atomic_load_n(&s->done, __ATOMIC_RELAXED), s->total))
			__atomic_store_n(&s->is_ended, true, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&s->lock);
}

static int hits_order(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int hits_compare(const void *a, const void *b)
{
	const struct lkst_hit *x = a, *y = b;
	int by_id = memcmp(x->id, y->id, sizeof(x->id));
	int by_what = hits_order(x->kind, y->kind) ?: hits_order(x->a, y->a) ?: hits_order(x->b, y->b);

	return by_id ?: by_what ?: hits_order(x->dump, y->dump) ?: hits_order(x->page, y->page);
}

/* Puts the threads' lists together. */
static int hits_join(struct lkst_err *e, struct hits_part *parts, unsigned int nr, struct lkst_hits *f)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		f->nr += parts[i].nr;
		f->nr_unreadable += parts[i].unreadable;
		if (parts[i].err)
			return lkst_err_set(e, parts[i].err, "%s", parts[i].e.text);
	}
	f->items = calloc(f->nr + 1, sizeof(*f->items));
	if (!f->items)
		return lkst_err_sys(e, -ENOMEM, "listing what was found");
	for (f->nr = 0, i = 0; i < nr; i++) {
		if (parts[i].nr)
			memcpy(f->items + f->nr, parts[i].items, parts[i].nr * sizeof(*f->items));
		f->nr += parts[i].nr;
	}
	qsort(f->items, f->nr, sizeof(*f->items), hits_compare);
	return 0;
}

int lkst_hits_search(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		     lkst_hits_progress *progress, void *arg, struct lkst_hits *ret_finds)
{
	struct hits_search s = { .dumps = dumps, .nr_dumps = nr_dumps };
	struct hits_part parts[THREADS_MAX] = {};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct lkst_hits f = {};
	unsigned int i, nr = 0, wanted = cpus < 1 ? 1 : cpus > THREADS_MAX ? THREADS_MAX : cpus;
	int err;

	for (i = 0; i < nr_dumps; i++)
		s.total += dumps[i].nr_pages;
	init_lock(&s);
	s.nr_running = wanted;
	for (; nr < wanted; nr++) {
		parts[nr].search = &s;
		if (pthread_create(&parts[nr].thread, NULL, run_part, &parts[nr]))
			break;
	}
	pthread_mutex_lock(&s.lock);
	s.nr_running -= wanted - nr;
	pthread_mutex_unlock(&s.lock);
	wait_for_end(&s, progress, arg);
	for (i = 0; i < nr; i++)
		pthread_join(parts[i].thread, NULL);
	pthread_mutex_destroy(&s.lock);
	pthread_cond_destroy(&s.ended);
	f.nr_pages = s.done;
	f.nr_skipped = s.total - s.done;
	err = nr ? hits_join(e, parts, nr, &f)
		 : lkst_err_set(e, -EAGAIN, "no thread can be started to search the dump");
	for (i = 0; i < nr; i++)
		free(parts[i].items);
	if (err)
		lkst_hits_free(&f);
	else
		*ret_finds = f;
	return err;
}

void lkst_hits_free(struct lkst_hits *f)
{
	free(f->items);
	f->items = NULL;
}
