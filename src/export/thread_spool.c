/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of pieces, each of one thread, which know where the thread's next one is. */
#include "export/thread_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/create.h"
#include "base/io.h"
#include "base/vec.h"

enum { PIECE_ITEMS = 30 };

/* Where a piece lies is decided when it is begun, so that the one before it can say so. */
struct piece {
	u32 nr;
	u32 place, next; /* in pieces from the file's beginning; next: if `has_next` */
	u32 has_next;
	struct lkst_spooled items[PIECE_ITEMS];
};

struct thread {
	struct piece *piece; /* that is not written yet, NULL: none */
	u32 first;
	bool has_pieces;
};

struct lkst_thread_spool {
	int fd;
	u32 nr_pieces;
	struct thread *threads;
	u32 nr_threads;
};

static int write_piece(const struct lkst_thread_spool *s, const struct piece *piece)
{
	return lkst_pwrite_all(s->fd, piece, sizeof(*piece), (u64)piece->place * sizeof(*piece));
}

/* A piece for the thread's next items, after the one that is full. */
static int begin_piece(struct lkst_thread_spool *s, struct thread *t)
{
	u32 place = s->nr_pieces;
	int err = 0;

	if (place == UINT32_MAX)
		return -EFBIG;
	if (!t->piece) {
		t->piece = calloc(1, sizeof(*t->piece));
		if (!t->piece)
			return -ENOMEM;
		t->first = place;
		t->has_pieces = true;
	} else {
		t->piece->next = place;
		t->piece->has_next = true;
		err = write_piece(s, t->piece);
	}
	t->piece->nr = t->piece->has_next = 0;
	t->piece->place = place;
	s->nr_pieces++;
	return err;
}

int lkst_thread_spool_add(struct lkst_thread_spool *s, u32 thread, struct lkst_spooled item)
{
	struct thread *t = lkst_vec_reach(s->threads, s->nr_threads, thread);
	int err = 0;

	if (!t)
		return -ENOMEM;
	if (!t->piece || t->piece->nr == PIECE_ITEMS)
		err = begin_piece(s, t);
	if (!err)
		t->piece->items[t->piece->nr++] = item;
	return err;
}

int lkst_thread_spool_finish(struct lkst_thread_spool *s)
{
	int err = 0;
	u32 i;

	for (i = 0; i < s->nr_threads; i++) {
		struct thread *t = &s->threads[i];

		if (t->piece && !err)
			err = write_piece(s, t->piece);
		free(t->piece);
		t->piece = NULL;
	}
	return err;
}

static int read_piece(const struct lkst_thread_spool *s, u32 place, struct piece *ret_piece)
{
	ssize_t nr = pread(s->fd, ret_piece, sizeof(*ret_piece),
			   (off_t)place * (off_t)sizeof(*ret_piece));

	if (nr < 0)
		return -errno;
	return nr == sizeof(*ret_piece) ? 0 : -EIO;
}

int lkst_thread_spool_each(const struct lkst_thread_spool *s, u32 thread, lkst_spooled_call *each,
			   void *ctx)
{
	struct piece piece = { .has_next =
				       thread < s->nr_threads && s->threads[thread].has_pieces };
	u32 i;
	int err = 0;

	if (piece.has_next)
		piece.next = s->threads[thread].first;
	while (!err && piece.has_next) {
		err = read_piece(s, piece.next, &piece);
		for (i = 0; i < piece.nr && !err; i++)
			err = each(ctx, &piece.items[i]);
	}
	return err;
}

u32 lkst_thread_spool_nr(const struct lkst_thread_spool *s)
{
	return s->nr_threads;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

const char *lkst_thread_spool_dir(void)
{
	return getenv("TMPDIR") ?: "/var/tmp";
}

int lkst_thread_spool_new(struct lkst_err *e, struct lkst_thread_spool **ret_spool)
{
	struct lkst_thread_spool *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "exporting");
	err = lkst_create_nameless(e, lkst_thread_spool_dir(), &s->fd);
	if (err) {
		free(s);
		return err;
	}
	*ret_spool = s;
	return 0;
}

void lkst_thread_spool_free(struct lkst_thread_spool *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->nr_threads; i++)
		free(s->threads[i].piece);
	free(s->threads);
	close(s->fd);
	free(s);
}
