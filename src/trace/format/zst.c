/* SPDX-License-Identifier: GPL-2.0-only */
/* Compressed stream files. */
#include "trace/format/zst.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "abi/block.h"
#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"

enum {
	FRAME = 1 << 20,
	/* Records shrink by a factor of 4 to 6; this level keeps up with 250 MB/s on one CPU. */
	LEVEL = 1,
	UNIT = 1 << LKST_BLOCK_SHIFT_MIN,
	/* 8 MiB is what a decoder keeps in memory for a frame: zstd(1) up to level 19 asks for no more. */
	WINDOW_LOG_MAX = 23,
	/*
	 * Blocks that are nearly empty shrink by a factor of 50, the zeros at the end of a large one by far more.
	 * A file that grows by more is not a trace, unless it has few blocks.
	 */
	STORED_GROWTH_MAX = 128,
	GROWTH_MAX = 1000,
	SLACK = 16 << 20,
	WINDOW = 1 << LKST_BLOCK_SHIFT_MAX,
	BLOCKLESS_MAX = 64 << 20,
	NAME_ROOM = 512,
};

static const u8 frame_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd }; /* RFC 8878, section 3.1.1 */

/* ---- packing ------------------------------------------------------------------------ */

struct packer {
	ZSTD_CCtx *context;
	u8 *in, *out;
	size_t out_room;
};

static void packer_fini(struct packer *p)
{
	ZSTD_freeCCtx(p->context);
	free(p->in);
	free(p->out);
}

static int packer_init(struct lkst_err *e, struct packer *p)
{
	p->out_room = ZSTD_compressBound(FRAME);
	p->context = ZSTD_createCCtx();
	p->in = malloc(FRAME);
	p->out = malloc(p->out_room);
	if (!p->context || !p->in || !p->out)
		return lkst_err_sys(e, -ENOMEM, "compressing");
	/* A frame of zstd(1) has a checksum too: damage is noticed. */
	if (ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1)))
		return lkst_err_set(e, -EINVAL, "the zstd library refuses its settings");
	return 0;
}

/* Copies all of @from, compressed, to @to. */
static int zst_pack(struct lkst_err *e, int from, int to, const atomic_bool *stop)
{
	_cleanup_(packer_fini) struct packer p = {};
	int err = packer_init(e, &p);
	size_t packed;
	ssize_t got;

	while (!err && (got = read(from, p.in, FRAME)) != 0) {
		if (got < 0)
			return lkst_err_sys(e, -errno, "reading");
		packed = ZSTD_compress2(p.context, p.out, p.out_room, p.in, (size_t)got);
		if (ZSTD_isError(packed))
			return lkst_err_set(e, -EIO, "compressing: %s", ZSTD_getErrorName(packed));
		err = lkst_write_all(to, p.out, packed);
		if (err)
			return lkst_err_sys(e, err, "writing");
		if (atomic_load(stop))
			return lkst_err_set(e, -ECANCELED, "compressing was interrupted");
	}
	/* The plain file goes once this one is safe. */
	if (!err && fdatasync(to))
		err = lkst_err_sys(e, -errno, "writing");
	return err;
}

int lkst_zst_pack(struct lkst_err *e, const struct lkst_access *access, int dir_fd, const char *name,
		  const atomic_bool *stop)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file to = { .dir_fd = -1, .fd = -1 };
	_cleanup_close_ int from = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char final[NAME_ROOM];
	int err;

	snprintf(final, sizeof(final), "%s" LKST_ZST_SUFFIX, name);
	if (from < 0)
		return lkst_err_sys(e, -errno, "%s", name);
	err = lkst_new_file_open(e, access, dir_fd, final, &to) ?: zst_pack(e, from, to.fd, stop)
	      ?: lkst_new_file_place(e, &to);
	if (err) {
		lkst_err_add(e, "%s", final);
		return err;
	}
	if (unlinkat(dir_fd, name, 0) && errno != ENOENT)
		return lkst_err_sys(e, -errno, "cannot remove %s", name);
	return 0;
}

/* ---- unpacking ---------------------------------------------------------------------- */

struct unpacker {
	ZSTD_DCtx *context;
	void *map; /* of the file, from a page on */
	size_t map_length;
	const u8 *in; /* what is unpacked of it */
	size_t length;
	u64 packed; /* bytes of its frames so far; what zstd skips does not count */
	int out_fd;
	u64 written;   /* bytes so far, those in `window` aside */
	u64 stored;    /* of these, bytes that are not in a hole of the file */
	u64 blockless; /* the last so many of them hold no beginning of a block */
	u8 *out;
	size_t out_room;
	u8 *window; /* WINDOW bytes, of which `filled` wait to be judged */
	size_t filled;
};

/* Whether a block begins in the window, which is as large as the largest one. */
static bool has_block(const struct unpacker *u)
{
	const u32 magic = htole32(LKST_BLOCK_MAGIC);
	size_t at;

	for (at = 0; at + sizeof(magic) <= u->filled; at += UNIT)
		if (!memcmp(u->window + at, &magic, sizeof(magic)))
			return true;
	return false;
}

static bool is_zero(const u8 *bytes, size_t length)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, length - 1);
}

/* Writes the window, zeros as holes. */
static int zst_store(struct lkst_err *e, struct unpacker *u)
{
	size_t at, length;
	ssize_t put;

	for (at = 0; at < u->filled; at += length) {
		length = u->filled - at < UNIT ? u->filled - at : UNIT;
		if (is_zero(u->window + at, length))
			continue;
		put = pwrite(u->out_fd, u->window + at, length, (off_t)(u->written + at));
		if (put != (ssize_t)length)
			return lkst_err_sys(
				e, put < 0 ? -errno : -ENOSPC,
				"cannot unpack it into %s (set TMPDIR to a place with more room)",
				getenv("TMPDIR") ?: "/var/tmp");
		u->stored += length;
	}
	return 0;
}

/*
 * Judges what the window holds, and goes on to the next one. A window without the beginning of a block is
 * damage; it is left out if it is not the end of the block before either.
 */
static int zst_judge(struct lkst_err *e, struct unpacker *u)
{
	int err = 0;

	if (has_block(u))
		u->blockless = 0;
	else
		u->blockless += u->filled;
	if (u->blockless > BLOCKLESS_MAX)
		return lkst_err_set(e, -EFBIG,
				    "it unpacks to more than %u MiB in a row without a block: it is "
				    "not a stream of records",
				    BLOCKLESS_MAX >> 20);
	if (u->blockless <= WINDOW)
		err = zst_store(e, u);
	u->written += u->filled;
	u->filled = 0;
	if (!err && (u->written > u->packed * GROWTH_MAX + SLACK ||
		      u->stored > u->packed * STORED_GROWTH_MAX + SLACK))
		err = lkst_err_set(e, -EFBIG, "it unpacks to %llu times its size: records do not",
				    (unsigned long long)(u->written / (u->packed ?: 1)));
	return err;
}

static int zst_emit(struct lkst_err *e, struct unpacker *u, const u8 *bytes, size_t length)
{
	int err = 0;

	while (length && !err) {
		size_t part = length < WINDOW - u->filled ? length : WINDOW - u->filled;

		memcpy(u->window + u->filled, bytes, part);
		u->filled += part;
		bytes += part;
		length -= part;
		if (u->filled == WINDOW)
			err = zst_judge(e, u);
	}
	return err;
}

/* Fills up to where a block can start, and leaves at least one unit that holds none. */
static int emit_damage(struct lkst_err *e, struct unpacker *u)
{
	memset(u->out, 0, 2 * UNIT);
	return zst_emit(e, u, u->out, 2 * UNIT - u->filled % UNIT);
}

/* Whether zstd skips the frame at @at: it unpacks to nothing. */
static bool is_skipped(const struct unpacker *u, size_t at)
{
	u32 magic;

	if (u->length - at < sizeof(magic))
		return true;
	memcpy(&magic, u->in + at, sizeof(magic));
	return (le32toh(magic) & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

/* Unpacks the frame at @at. Returns where the next one starts; *@ret_bad: this one is damaged. */
static int unpack_frame(struct lkst_err *e, struct unpacker *u, size_t at, size_t *ret_next,
			bool *ret_bad)
{
	ZSTD_inBuffer in = { u->in, u->length, at };
	const bool counts = !is_skipped(u, at);
	size_t left = 1;
	int err = 0;

	*ret_bad = false;
	ZSTD_DCtx_reset(u->context, ZSTD_reset_session_only);
	while (!err && left) {
		ZSTD_outBuffer out = { u->out, u->out_room, 0 };
		size_t before = in.pos;

		left = ZSTD_decompressStream(u->context, &out, &in);
		/* Neither input nor output moves: the file ends in the middle of the frame. */
		*ret_bad = ZSTD_isError(left) || (left && !out.pos && in.pos == before);
		if (*ret_bad)
			break;
		u->packed += counts ? in.pos - before : 0;
		err = zst_emit(e, u, u->out, out.pos);
	}
	*ret_next = in.pos;
	return err;
}

static int zst_unpack(struct lkst_err *e, struct unpacker *u)
{
	size_t at = 0, next;
	bool bad;
	int err = 0;

	while (!err && at < u->length) {
		const u8 *found;

		err = unpack_frame(e, u, at, &next, &bad);
		if (!err && bad) {
			/* Its unpacked part stays; the next frame starts with the magic. */
			err = emit_damage(e, u);
			found = u->length - at > 1 ? memmem(u->in + at + 1, u->length - at - 1,
							    frame_magic, sizeof(frame_magic))
						   : NULL;
			next = found ? (size_t)(found - u->in) : u->length;
		}
		at = next;
	}
	if (!err && u->filled)
		err = zst_judge(e, u);
	/* Its end may be a hole. */
	if (!err && ftruncate(u->out_fd, (off_t)u->written))
		err = lkst_err_sys(e, -errno, "unpacking");
	return err;
}

static void unpacker_fini(struct unpacker *u)
{
	ZSTD_freeDCtx(u->context);
	free(u->out);
	free(u->window);
	if (u->map)
		munmap(u->map, u->map_length);
}

/* Maps @length bytes at @offset of the file, which need not begin at a page. */
static int zst_map_part(struct lkst_err *e, struct unpacker *u, int fd, u64 offset, u64 length)
{
	const u64 lead = offset % (u64)sysconf(_SC_PAGESIZE);
	void *bytes;

	if (!length)
		return 0;
	if (length > SIZE_MAX - lead || offset > INT64_MAX)
		return lkst_err_set(e, -EFBIG, "it is too large");
	bytes = mmap(NULL, (size_t)(length + lead), PROT_READ, MAP_PRIVATE, fd,
		     (off_t)(offset - lead));
	if (bytes == MAP_FAILED)
		return lkst_err_sys(e, -errno, "mapping it");
	u->map = bytes;
	u->map_length = (size_t)(length + lead);
	u->in = (const u8 *)bytes + lead;
	u->length = (size_t)length;
	return 0;
}

static int unpacker_init(struct lkst_err *e, struct unpacker *u)
{
	u->context = ZSTD_createDCtx();
	u->out_room = ZSTD_DStreamOutSize();
	u->out = malloc(u->out_room);
	u->window = malloc(WINDOW);
	if (!u->context || !u->out || !u->window || u->out_room < 2 * UNIT)
		return lkst_err_sys(e, -ENOMEM, "unpacking");
	if (ZSTD_isError(ZSTD_DCtx_setParameter(u->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		return lkst_err_set(e, -EINVAL, "the zstd library refuses its settings");
	return 0;
}

int lkst_zst_unpack(struct lkst_err *e, int dir_fd, const char *name, int *ret_fd)
{
	_cleanup_close_ int from = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (from < 0)
		return lkst_err_sys(e, -errno, "%s", name);
	if (fstat(from, &st))
		return lkst_err_sys(e, -errno, "%s: asking for its size", name);
	return lkst_zst_unpack_part(e, from, 0, (u64)st.st_size, name, ret_fd);
}

int lkst_zst_unpack_part(struct lkst_err *e, int fd, u64 offset, u64 length, const char *name,
			 int *ret_fd)
{
	_cleanup_(unpacker_fini) struct unpacker u = {};
	_cleanup_close_ int to = -1;
	int err;

	err = lkst_create_nameless(e, getenv("TMPDIR") ?: "/var/tmp", &to);
	if (err)
		lkst_err_add(e, "cannot unpack it (TMPDIR names the place)");
	else
		err = unpacker_init(e, &u) ?: zst_map_part(e, &u, fd, offset, length);
	u.out_fd = to;
	if (!err)
		err = zst_unpack(e, &u);
	if (err) {
		lkst_err_add(e, "%s", name);
		return err;
	}
	*ret_fd = lkst_take_fd(to);
	return 0;
}
