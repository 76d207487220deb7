/* SPDX-License-Identifier: GPL-2.0-only */
/* Decompressing the pages of a dump. */
#include "crash/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

struct lkst_unpacker {
	z_stream zlib;
	ZSTD_DCtx *zstd;
};

int lkst_unpacker_new(struct lkst_err *e, struct lkst_unpacker **ret_unpacker)
{
	struct lkst_unpacker *u = calloc(1, sizeof(*u));

	if (u && inflateInit(&u->zlib) != Z_OK) {
		free(u);
		u = NULL;
	}
	if (u)
		u->zstd = ZSTD_createDCtx();
	if (!u || !u->zstd) {
		lkst_unpacker_free(u);
		return lkst_err_sys(e, -ENOMEM, "preparing to decompress");
	}
	*ret_unpacker = u;
	return 0;
}

void lkst_unpacker_free(struct lkst_unpacker *u)
{
	if (!u)
		return;
	inflateEnd(&u->zlib);
	ZSTD_freeDCtx(u->zstd);
	free(u);
}

static size_t unzlib(z_stream *z, const u8 *in, size_t length, u8 *out, size_t room)
{
	if (inflateReset(z) != Z_OK)
		return 0;
	z->next_in = (u8 *)in;
	z->avail_in = (unsigned int)length;
	z->next_out = out;
	z->avail_out = (unsigned int)room;
	inflate(z, Z_SYNC_FLUSH);
	return room - z->avail_out;
}

static size_t unzstd(ZSTD_DCtx *z, const u8 *in, size_t length, u8 *out, size_t room)
{
	ZSTD_inBuffer from = { in, length, 0 };
	ZSTD_outBuffer to = { out, room, 0 };
	size_t before, left;

	ZSTD_DCtx_reset(z, ZSTD_reset_session_only);
	do {
		before = from.pos + to.pos;
		left = ZSTD_decompressStream(z, &to, &from);
	} while (!ZSTD_isError(left) && left && to.pos < room && from.pos + to.pos > before);
	return to.pos;
}

size_t lkst_unpack(struct lkst_unpacker *u, enum lkst_packing packing, const u8 *in, size_t length,
		   u8 *out, size_t room)
{
	switch (packing) {
	case LKST_PACKING_ZLIB:
		return unzlib(&u->zlib, in, length, out, room);
	case LKST_PACKING_LZO:
		return lkst_unlzo(in, length, out, room);
	case LKST_PACKING_SNAPPY:
		return lkst_unsnappy(in, length, out, room);
	case LKST_PACKING_ZSTD:
		return unzstd(u->zstd, in, length, out, room);
	}
	return 0;
}
