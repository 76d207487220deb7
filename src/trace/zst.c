/* SPDX-License-Identifier: GPL-2.0-only */
/* Compressed stream files. */
#include "trace/zst.h"

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
#include "base/io.h"

enum {
	FRAME = 1 << 20,
	/* Records shrink by a factor of 4 to 6; this level keeps up with 250 MB/s on one CPU. */
	LEVEL = 1,
	UNIT = 1 << LKST_BLOCK_SHIFT_MIN,
	/* 8 MiB is what a decoder keeps in memory for a frame: zstd(1) up to level 19 asks for no more. */
	WINDOW_LOG_MAX = 23,
	/* Blocks that are nearly empty shrink by a factor of 50: beyond this, it is no trace. */
	GROWTH_MAX = 1000,
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
static int pack(struct lkst_err *e, int from, int to, const atomic_bool *stop)
{
	_cleanup_(packer_fini) struct packer p = {};
	int code = packer_init(e, &p);
	size_t packed;
	ssize_t got;

	while (!code && (got = read(from, p.in, FRAME)) != 0) {
		if (got < 0)
			return lkst_err_sys(e, -errno, "reading");
		packed = ZSTD_compress2(p.context, p.out, p.out_room, p.in, (size_t)got);
		if (ZSTD_isError(packed))
			return lkst_err_set(e, -EIO, "compressing: %s", ZSTD_getErrorName(packed));
		code = lkst_write_all(to, p.out, packed);
		if (code)
			return lkst_err_sys(e, code, "writing");
		if (atomic_load(stop))
			return lkst_err_set(e, -ECANCELED, "compressing was interrupted");
	}
	/* The plain file goes once this one is safe. */
	if (!code && fdatasync(to))
		code = lkst_err_sys(e, -errno, "writing");
	return code;
}

int lkst_zst_pack(struct lkst_err *e, int dir_fd, const char *name, const atomic_bool *stop)
{
	_cleanup_close_ int from = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char partial[NAME_ROOM], final[NAME_ROOM];
	_cleanup_close_ int to = -1;
	int code;

	snprintf(partial, sizeof(partial), ".%s.partial", name);
	snprintf(final, sizeof(final), "%s" LKST_ZST_SUFFIX, name);
	if (from < 0)
		return lkst_err_sys(e, -errno, "%s", name);
	to = openat(dir_fd, partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (to < 0)
		return lkst_err_sys(e, -errno, "cannot create %s", partial);
	code = pack(e, from, to, stop);
	if (!code && renameat(dir_fd, partial, dir_fd, final))
		code = lkst_err_sys(e, -errno, "renaming");
	if (code) {
		unlinkat(dir_fd, partial, 0);
		lkst_err_add(e, "%s", final);
		return code;
	}
	if (unlinkat(dir_fd, name, 0) && errno != ENOENT)
		return lkst_err_sys(e, -errno, "cannot remove %s", name);
	return 0;
}

/* ---- unpacking ---------------------------------------------------------------------- */

struct unpacker {
	ZSTD_DCtx *context;
	const u8 *in; /* the file, mapped */
	size_t length;
	int out_fd;
	u64 written, most;
	u8 *out;
	size_t out_room;
};

static int emit(struct lkst_err *e, struct unpacker *u, const void *bytes, size_t length)
{
	int code;

	if (length > u->most - u->written)
		return lkst_err_set(
			e, -EFBIG, "it unpacks to more than %u times its size: it holds no records",
			GROWTH_MAX);
	code = lkst_write_all(u->out_fd, bytes, length);
	if (code)
		return lkst_err_sys(
			e, code, "cannot unpack it into %s (set TMPDIR to a place with more room)",
			getenv("TMPDIR") ?: "/var/tmp");
	u->written += length;
	return 0;
}

/* Fills up to where a block can start, and leaves at least one unit that holds none. */
static int emit_damage(struct lkst_err *e, struct unpacker *u)
{
	memset(u->out, 0, 2 * UNIT);
	return emit(e, u, u->out, 2 * UNIT - u->written % UNIT);
}

/* Unpacks the frame at @at. Returns where the next one starts; *@ret_bad: this one is damaged. */
static int unpack_frame(struct lkst_err *e, struct unpacker *u, size_t at, size_t *ret_next,
			bool *ret_bad)
{
	ZSTD_inBuffer in = { u->in, u->length, at };
	size_t left = 1;
	int code = 0;

	*ret_bad = false;
	ZSTD_DCtx_reset(u->context, ZSTD_reset_session_only);
	while (!code && left) {
		ZSTD_outBuffer out = { u->out, u->out_room, 0 };
		size_t before = in.pos;

		left = ZSTD_decompressStream(u->context, &out, &in);
		/* Neither input nor output moves: the file ends in the middle of the frame. */
		*ret_bad = ZSTD_isError(left) || (left && !out.pos && in.pos == before);
		if (*ret_bad)
			break;
		code = emit(e, u, u->out, out.pos);
	}
	*ret_next = in.pos;
	return code;
}

static int unpack(struct lkst_err *e, struct unpacker *u)
{
	size_t at = 0, next;
	bool bad;
	int code = 0;

	while (!code && at < u->length) {
		const u8 *found;

		code = unpack_frame(e, u, at, &next, &bad);
		if (!code && bad) {
			/* What was unpacked of it stays; the next frame starts with the magic. */
			code = emit_damage(e, u);
			found = u->length - at > 1 ? memmem(u->in + at + 1, u->length - at - 1,
							    frame_magic, sizeof(frame_magic))
						   : NULL;
			next = found ? (size_t)(found - u->in) : u->length;
		}
		at = next;
	}
	return code;
}

static int open_nameless(struct lkst_err *e)
{
	const char *dir = getenv("TMPDIR") ?: "/var/tmp";
	char path[NAME_ROOM];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Some file systems have no files without a name. */
	snprintf(path, sizeof(path), "%s/lkst-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return lkst_err_sys(e, -errno, "cannot unpack it into %s (TMPDIR names the place)",
				    dir);
	unlink(path);
	return fd;
}

static void unpacker_fini(struct unpacker *u)
{
	ZSTD_freeDCtx(u->context);
	free(u->out);
	if (u->in)
		munmap((void *)u->in, u->length);
}

static int unpacker_init(struct lkst_err *e, struct unpacker *u, int fd)
{
	struct stat st;
	void *bytes;

	u->context = ZSTD_createDCtx();
	u->out_room = ZSTD_DStreamOutSize();
	u->out = malloc(u->out_room);
	if (!u->context || !u->out || u->out_room < 2 * UNIT)
		return lkst_err_sys(e, -ENOMEM, "unpacking");
	if (ZSTD_isError(ZSTD_DCtx_setParameter(u->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		return lkst_err_set(e, -EINVAL, "the zstd library refuses its settings");
	if (fstat(fd, &st))
		return lkst_err_sys(e, -errno, "asking for its size");
	if (!st.st_size)
		return 0;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return lkst_err_sys(e, -errno, "mapping it");
	u->in = bytes;
	u->length = (size_t)st.st_size;
	u->most = (u64)u->length * GROWTH_MAX + FRAME;
	return 0;
}

int lkst_zst_unpack(struct lkst_err *e, int dir_fd, const char *name, int *ret_fd)
{
	_cleanup_close_ int from = openat(dir_fd, name, O_RDONLY | O_CLOEXEC), to = -1;
	_cleanup_(unpacker_fini) struct unpacker u = {};
	int code;

	if (from < 0)
		return lkst_err_sys(e, -errno, "%s", name);
	to = open_nameless(e);
	code = to < 0 ? to : unpacker_init(e, &u, from);
	u.out_fd = to;
	if (!code)
		code = unpack(e, &u);
	if (code) {
		lkst_err_add(e, "%s", name);
		return code;
	}
	*ret_fd = lkst_take_fd(to);
	return 0;
}
