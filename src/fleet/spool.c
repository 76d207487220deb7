/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of what is to be sent and has not arrived yet. */
#include "fleet/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/create.h"
#include "base/io.h"
#include "base/out.h"
#include "base/vec.h"
#include "base/xxh64.h"

enum {
	UUID_TEXT = 32,
	FOOT_BYTES = 16, /* after the bytes of an item: what it is, and their checksum */
	POSITION_MAX = 512,
};

static const char foot_word[8] = "lkstship";
static const char position_name[] = "position", claim_name[] = "claim";

/* The first letter of names, by kind; and the order in which they are sent. */
static const char letters[] = "sihblmxpdke";
_Static_assert(sizeof(letters) == LKST_SPOOL_NR_KINDS + 1, "");
static const u8 order[LKST_SPOOL_NR_KINDS] = {
	[LKST_SPOOL_INCIDENT] = 0, [LKST_SPOOL_HOST] = 1,    [LKST_SPOOL_SECONDS] = 2,
	[LKST_SPOOL_BUNDLE] = 3,   [LKST_SPOOL_LATER] = 4,   [LKST_SPOOL_MADE] = 5,
	[LKST_SPOOL_DAMAGED] = 6,  [LKST_SPOOL_PENDING] = 7, [LKST_SPOOL_DROPPED] = 8,
	[LKST_SPOOL_COUNTED] = 9,  [LKST_SPOOL_DONE] = 10
};

struct lkst_spool {
	int fd, claim; /* -1: none */
	char *dir;
	u64 max_bytes;
};

/* ---- names ----------------------------------------------------------------------------------- */

static int spool_digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* False: @text does not begin with a UUID. */
static bool get_uuid(const char *text, u8 ret_uuid[16])
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		int high = spool_digit_of(text[2 * i]), low = high < 0 ? -1 : spool_digit_of(text[2 * i + 1]);

		if (low < 0)
			return false;
		ret_uuid[i] = (u8)(high << 4 | low);
	}
	return true;
}

void lkst_spool_format(const struct lkst_spool_item *item, char name[LKST_SPOOL_NAME])
{
	char uuid[UUID_TEXT + 1];

	*lkst_put_bytes(uuid, item->trace, 16) = 0;
	snprintf(name, LKST_SPOOL_NAME, "%c%010" PRIu64 "-%u-%s", letters[item->kind], item->first,
		 item->count, uuid);
}

void lkst_spool_bundle_name(const struct lkst_spool_item *item, char name[LKST_SPOOL_NAME])
{
	char uuid[UUID_TEXT + 1];

	*lkst_put_bytes(uuid, item->trace, 16) = 0;
	snprintf(name, LKST_SPOOL_NAME, "%s-%" PRIu64 ".bundle", uuid, item->first);
}

int lkst_spool_parse(const char *name, struct lkst_spool_item *ret_item)
{
	struct lkst_spool_item item = {};
	const char *letter = *name ? strchr(letters, *name) : NULL;
	char again[LKST_SPOOL_NAME], *end;

	if (!letter || strlen(name) >= LKST_SPOOL_NAME)
		return -EINVAL;
	item.kind = (u8)(letter - letters);
	item.first = strtoull(name + 1, &end, 10);
	if (*end != '-')
		return -EINVAL;
	item.count = (u32)strtoul(end + 1, &end, 10);
	if (*end != '-' || !get_uuid(end + 1, item.trace))
		return -EINVAL;
	/* There is one name for each item. */
	lkst_spool_format(&item, again);
	if (strcmp(name, again))
		return -EINVAL;
	*ret_item = item;
	return 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

int lkst_spool_open(struct lkst_err *e, const char *dir, u64 max_bytes,
		    struct lkst_spool **ret_spool)
{
	_cleanup_(lkst_spool_closep) struct lkst_spool *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "opening %s", dir);
	s->fd = s->claim = -1;
	s->max_bytes = max_bytes;
	s->dir = strdup(dir);
	if (!s->dir)
		return lkst_err_sys(e, -ENOMEM, "opening %s", dir);
	err = lkst_create_dir(e, NULL, AT_FDCWD, dir, &s->fd);
	if (!err)
		*ret_spool = lkst_take(s);
	return err;
}

void lkst_spool_close(struct lkst_spool *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	if (s->claim >= 0)
		close(s->claim);
	free(s->dir);
	free(s);
}

int lkst_spool_claim(struct lkst_err *e, struct lkst_spool *s)
{
	/* This kind of lock is the process's, and not of those that have the descriptor from it. */
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	_cleanup_free_ char *path = NULL;
	int err;

	if (asprintf(&path, "%s/%s", s->dir, claim_name) < 0) {
		path = NULL;
		return lkst_err_sys(e, -ENOMEM, "opening %s", s->dir);
	}
	err = lkst_create_lock(e, path, &s->claim);
	if (err || !fcntl(s->claim, F_SETLK, &whole))
		return err;
	if (errno != EACCES && errno != EAGAIN)
		return lkst_err_sys(e, -errno, "locking %s", path);
	return lkst_err_set(e, -EBUSY, "another lkst ship works with %s; end it, or name another --spool",
			    s->dir);
}

int lkst_spool_path(struct lkst_err *e, const struct lkst_spool *s,
		    const struct lkst_spool_item *item, char *path, size_t size)
{
	char name[LKST_SPOOL_NAME];

	lkst_spool_format(item, name);
	if ((size_t)snprintf(path, size, "%s/%s", s->dir, name) >= size)
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", s->dir);
	return 0;
}

/* ---- listing --------------------------------------------------------------------------------- */

/* Calls @each with what each file is; @item is NULL for one that is no item. */
static int each_file(const struct lkst_spool *s, void *ctx,
		     int (*each)(void *ctx, const struct lkst_spool_item *item,
				 const struct stat *st))
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct lkst_spool_item item;
	struct dirent *entry;
	struct stat st;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir)))
		if (!fstatat(s->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			err = each(ctx, lkst_spool_parse(entry->d_name, &item) ? NULL : &item, &st);
	closedir(dir);
	return err;
}

static int add_bytes(void *ctx, const struct lkst_spool_item *item, const struct stat *st)
{
	*(u64 *)ctx += (u64)st->st_size;
	return 0;
}

u64 lkst_spool_bytes(const struct lkst_spool *s)
{
	u64 bytes = 0;

	each_file(s, &bytes, add_bytes);
	return bytes;
}

struct spool_listing {
	struct lkst_spool_item *items;
	u32 nr, kinds;
};

static int add_item(void *ctx, const struct lkst_spool_item *item, const struct stat *st)
{
	struct spool_listing *l = ctx;
	struct lkst_spool_item *added;

	if (!item || !(l->kinds >> item->kind & 1))
		return 0;
	added = lkst_vec_add(l->items, l->nr);
	if (!added)
		return -ENOMEM;
	*added = *item;
	return 0;
}

static int spool_by_order(const void *a, const void *b)
{
	const struct lkst_spool_item *x = a, *y = b;

	if (order[x->kind] != order[y->kind])
		return order[x->kind] < order[y->kind] ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

int lkst_spool_list(struct lkst_err *e, const struct lkst_spool *s, u32 kinds,
		    struct lkst_spool_item **ret_items, u32 *ret_nr)
{
	struct spool_listing l = { .kinds = kinds };
	int err = each_file(s, &l, add_item);

	if (err) {
		free(l.items);
		return lkst_err_sys(e, err, "listing %s", s->dir);
	}
	if (l.nr)
		qsort(l.items, l.nr, sizeof(*l.items), spool_by_order);
	*ret_items = l.items;
	*ret_nr = l.nr;
	return 0;
}

/* ---- making room ----------------------------------------------------------------------------- */

/*
 * Which of @items, at least three, can be missed best: the one whose neighbours are nearest to each other, the oldest
 * of those. Never the oldest of all, which may be on its way.
 */
static u32 least_missed(const struct lkst_spool_item *items, u32 nr)
{
	u64 least = UINT64_MAX;
	u32 i, best = 1;

	for (i = 1; i < nr - 1; i++) {
		u64 gap = items[i + 1].first - items[i - 1].first;

		if (gap < least) {
			least = gap;
			best = i;
		}
	}
	return best;
}

static void spool_empty(const struct lkst_spool *s, const struct lkst_spool_item *item)
{
	char name[LKST_SPOOL_NAME];
	int fd;

	lkst_spool_format(item, name);
	fd = openat(s->fd, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
}

/* Its name stays, for whoever counts. One that is gone has arrived meanwhile. */
static void spool_drop(const struct lkst_spool *s, const struct lkst_spool_item *item)
{
	struct lkst_spool_item dropped = *item;

	dropped.kind = LKST_SPOOL_DROPPED;
	if (!lkst_spool_rename(NULL, s, item, &dropped))
		spool_empty(s, &dropped);
}

int lkst_spool_make_room(struct lkst_err *e, struct lkst_spool *s, u64 bytes)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u64 used = lkst_spool_bytes(s);
	u32 nr = 0, i;
	int err = 0;

	if (used + bytes <= s->max_bytes)
		return 0;
	err = lkst_spool_list(e, s, 1U << LKST_SPOOL_SECONDS, &items, &nr);
	while (!err && used + bytes > s->max_bytes && nr > 2) {
		i = least_missed(items, nr);
		spool_drop(s, &items[i]);
		memmove(&items[i], &items[i + 1], (nr - i - 1) * sizeof(*items));
		nr--;
		used = lkst_spool_bytes(s);
	}
	if (!err && used + bytes > s->max_bytes)
		err = lkst_err_set(e, -ENOSPC, "%s has no room left", s->dir);
	return err;
}

/* The disk is full: one of the seconds makes room there. False: there is none that can. */
static bool give_way(struct lkst_spool *s)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u32 nr = 0;

	if (lkst_spool_list(NULL, s, 1U << LKST_SPOOL_SECONDS, &items, &nr) || nr < 3)
		return false;
	spool_drop(s, &items[least_missed(items, nr)]);
	return true;
}

/* ---- putting --------------------------------------------------------------------------------- */

static int spool_write_file(struct lkst_err *e, const struct lkst_spool *s, const char *name,
			    const void *bytes, size_t length, bool has_foot, bool on_disk)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file f = { .dir_fd = -1, .fd = -1 };
	u8 foot[FOOT_BYTES];
	u64 sum = lkst_xxh64(bytes, length);
	int err = lkst_new_file_open(e, NULL, s->fd, name, &f);

	if (err)
		return err;
	memcpy(foot, foot_word, sizeof(foot_word));
	memcpy(foot + sizeof(foot_word), &sum, sizeof(sum));
	err = lkst_write_all(f.fd, bytes, length)
		      ?: has_foot ? lkst_write_all(f.fd, foot, sizeof(foot))
				  : 0;
	if (err)
		return lkst_err_sys(e, err, "writing %s/%s", s->dir, name);
	return on_disk ? lkst_new_file_place_on_disk(e, &f) : lkst_new_file_place(e, &f);
}

int lkst_spool_put(struct lkst_err *e, struct lkst_spool *s, const struct lkst_spool_item *item,
		   const void *bytes, size_t length)
{
	char name[LKST_SPOOL_NAME];
	int err = lkst_spool_make_room(e, s, length + FOOT_BYTES);

	lkst_spool_format(item, name);
	while (!err) {
		/* Seconds come again and again: they are not worth that the disk wakes up for each. */
		err = spool_write_file(e, s, name, bytes, length, true, item->kind != LKST_SPOOL_PENDING);
		if (err != -ENOSPC && err != -EDQUOT)
			return err;
		err = give_way(s) ? 0 : -ENOSPC;
	}
	return err;
}

/* ---- taking ---------------------------------------------------------------------------------- */

int lkst_spool_read(struct lkst_err *e, const struct lkst_spool *s,
		    const struct lkst_spool_item *item, char **ret_bytes, size_t *ret_length)
{
	_cleanup_free_ char *bytes = NULL;
	char name[LKST_SPOOL_NAME];
	size_t length;
	u64 sum;
	int err;

	lkst_spool_format(item, name);
	err = lkst_read_file(e, s->fd, name, LKST_SPOOL_ITEM_MAX, &bytes, &length);
	if (err == -EFBIG)
		return lkst_err_set(e, -EBADMSG, "%s/%s is damaged", s->dir, name);
	if (err)
		return err;
	if (length < FOOT_BYTES ||
	    memcmp(bytes + length - FOOT_BYTES, foot_word, sizeof(foot_word)))
		return lkst_err_set(e, -EBADMSG, "%s/%s is damaged", s->dir, name);
	memcpy(&sum, bytes + length - sizeof(sum), sizeof(sum));
	if (sum != lkst_xxh64(bytes, length - FOOT_BYTES))
		return lkst_err_set(e, -EBADMSG, "%s/%s is damaged", s->dir, name);
	*ret_length = length - FOOT_BYTES;
	*ret_bytes = lkst_take(bytes);
	return 0;
}

int lkst_spool_open_item(struct lkst_err *e, const struct lkst_spool *s,
			 const struct lkst_spool_item *item, u64 *ret_bytes)
{
	char name[LKST_SPOOL_NAME];
	struct stat st;
	int fd;

	lkst_spool_format(item, name);
	fd = openat(s->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		int err = lkst_err_sys(e, -errno, "opening %s/%s", s->dir, name);

		if (fd >= 0)
			close(fd);
		return err;
	}
	*ret_bytes = (u64)st.st_size;
	return fd;
}

void lkst_spool_remove(const struct lkst_spool *s, const struct lkst_spool_item *item)
{
	char name[LKST_SPOOL_NAME];

	lkst_spool_format(item, name);
	unlinkat(s->fd, name, 0);
}

bool lkst_spool_has(const struct lkst_spool *s, const struct lkst_spool_item *item)
{
	char name[LKST_SPOOL_NAME];

	lkst_spool_format(item, name);
	return !faccessat(s->fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

int lkst_spool_rename(struct lkst_err *e, const struct lkst_spool *s,
		      const struct lkst_spool_item *from, const struct lkst_spool_item *to)
{
	char old[LKST_SPOOL_NAME], new[LKST_SPOOL_NAME];
	int err;

	lkst_spool_format(from, old);
	lkst_spool_format(to, new);
	err = lkst_rename_file(s->fd, old, new);
	return err ? lkst_err_sys(e, err, "renaming %s/%s", s->dir, old) : 0;
}

int lkst_spool_sync(struct lkst_err *e, const struct lkst_spool *s)
{
	return fsync(s->fd) ? lkst_err_sys(e, -errno, "cannot bring the names in %s to the disk",
					   s->dir)
			    : 0;
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* The name of @item becomes that of the sum with it, *@sum; the name of the sum before goes after that. */
static int spool_count_one(struct lkst_err *e, const struct lkst_spool *s,
			   const struct lkst_spool_item *item, struct lkst_spool_item *sum)
{
	const struct lkst_spool_item before = *sum;
	int err;

	sum->count += item->count;
	sum->first += item->kind == LKST_SPOOL_DAMAGED ? item->count : 0;
	spool_empty(s, item);
	err = lkst_spool_rename(e, s, item, sum);
	if (err)
		*sum = before;
	else if (item->count && before.count)
		lkst_spool_remove(s, &before);
	return err;
}

int lkst_spool_count_missing(struct lkst_err *e, const struct lkst_spool *s,
			     struct lkst_spool_missing *ret_missing)
{
	const u32 kinds =
		1U << LKST_SPOOL_DAMAGED | 1U << LKST_SPOOL_DROPPED | 1U << LKST_SPOOL_COUNTED;
	struct lkst_spool_item sum = { .kind = LKST_SPOOL_COUNTED };
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u32 nr = 0, i;
	int err = lkst_spool_list(e, s, kinds, &items, &nr);

	/* The greatest sum is the last: a process that was killed may have left the one before. */
	for (i = 0; i < nr; i++)
		if (items[i].kind == LKST_SPOOL_COUNTED && items[i].count > sum.count)
			sum = items[i];
	for (i = 0; i < nr && !err; i++)
		if (items[i].kind != LKST_SPOOL_COUNTED)
			err = spool_count_one(e, s, &items[i], &sum);
		else if (items[i].count < sum.count)
			lkst_spool_remove(s, &items[i]);
	if (!err)
		*ret_missing = (struct lkst_spool_missing){ sum.count, sum.first };
	return err;
}

/* ---- the position ---------------------------------------------------------------------------- */

int lkst_spool_parse_position(const char *text, struct lkst_spool_position *ret_position)
{
	struct lkst_spool_position p = {};
	int end = 0;

	if (strnlen(text, POSITION_MAX) < UUID_TEXT || !get_uuid(text, p.trace) ||
	    sscanf(text + UUID_TEXT, " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %u %u%n",
		   &p.until_ns, &p.second, &p.dropped, &p.damaged, &p.nr_told, &p.nr_explained,
		   &end) != 6 ||
	    strcmp(text + UUID_TEXT + end, "\n"))
		return -EBADMSG;
	*ret_position = p;
	return 0;
}

void lkst_spool_position(const struct lkst_spool *s, struct lkst_spool_position *ret_position)
{
	_cleanup_free_ char *text = NULL;
	size_t length;

	*ret_position = (struct lkst_spool_position){};
	if (!lkst_read_file(NULL, s->fd, position_name, POSITION_MAX, &text, &length))
		lkst_spool_parse_position(text, ret_position);
}

int lkst_spool_keep_position(struct lkst_err *e, struct lkst_spool *s,
			     const struct lkst_spool_position *p)
{
	char text[POSITION_MAX], uuid[UUID_TEXT + 1];
	int err;

	*lkst_put_bytes(uuid, p->trace, 16) = 0;
	snprintf(text, sizeof(text), "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u\n",
		 uuid, p->until_ns, p->second, p->dropped, p->damaged, p->nr_told, p->nr_explained);
	do
		err = spool_write_file(e, s, position_name, text, strlen(text), false, false);
	while ((err == -ENOSPC || err == -EDQUOT) && give_way(s));
	return err;
}
