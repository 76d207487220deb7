/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of lkst view: the empty page, with the files of a trace written into it. */
#include "cmd/view_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "trace/reader.h"

/* The empty page, which tools/view-page has put together. */
__asm__(".pushsection .rodata, \"a\"\n"
	".global lkst_view_page, lkst_view_page_length\n"
	"lkst_view_page:\n"
	".incbin \"" LKST_VIEW_PAGE "\"\n"
	"1:\n"
	".balign 4\n"
	"lkst_view_page_length:\n"
	".long 1b - lkst_view_page\n"
	".popsection\n");
extern const char lkst_view_page[];
extern const u32 lkst_view_page_length;

/* Where in it the trace goes. */
static const char place[] = "<!-- the trace -->\n";

enum {
	LEVEL = 6,
	GZIP = 16,	   /* added to the window's bits, deflateInit2() writes that format */
	PORTION = 3 << 15, /* bytes that are made text at a time: a multiple of 3 */
};

struct writing {
	struct lkst_out *out;
	u8 packed[PORTION];
	char text[PORTION / 3 * 4];
};

static void put_packed(struct writing *w, size_t length)
{
	lkst_out_bytes(w->out, w->text,
		       (size_t)(lkst_base64_put(w->text, w->packed, length) - w->text));
}

/* A file's name may be anything. */
static void put_attribute(struct lkst_out *out, const char *text)
{
	for (; *text; text++)
		if (strchr("&<>\"'", *text) || (unsigned char)*text < ' ')
			lkst_out_printf(out, "&#%u;", (unsigned char)*text);
		else
			lkst_out_bytes(out, text, 1);
}

/* Compresses all of @file; each time the room is full it is written. */
static int put_bytes(struct writing *w, z_stream *z, const struct lkst_memory_file *file)
{
	const u8 *at = file->bytes;
	size_t left = file->length;
	int result = Z_OK;

	z->next_out = w->packed;
	z->avail_out = sizeof(w->packed);
	while (result != Z_STREAM_END) {
		if (!z->avail_in && left) {
			z->next_in = (u8 *)at;
			z->avail_in = left > INT32_MAX ? INT32_MAX : (unsigned int)left;
			at += z->avail_in;
			left -= z->avail_in;
		}
		result = deflate(z, left ? Z_NO_FLUSH : Z_FINISH);
		if (result == Z_STREAM_ERROR)
			return -EIO;
		if (z->avail_out && result != Z_STREAM_END)
			continue;
		put_packed(w, sizeof(w->packed) - z->avail_out);
		z->next_out = w->packed;
		z->avail_out = sizeof(w->packed);
	}
	return 0;
}

static int put_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	struct writing *w = ctx;
	z_stream z = {};
	int err;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return lkst_err_sys(e, -ENOMEM, "compressing %s", file->name);
	lkst_out_str(w->out,
		     "<script type=\"application/octet-stream\" class=\"file\" data-name=\"");
	put_attribute(w->out, file->name);
	lkst_out_str(w->out, "\">");
	err = put_bytes(w, &z, file);
	lkst_out_str(w->out, "</script>\n");
	deflateEnd(&z);
	return err ? lkst_err_sys(e, err, "compressing %s", file->name) : 0;
}

static int put_trace(struct lkst_err *e, struct lkst_out *out, const struct lkst_trace *t,
		     const char *name)
{
	_cleanup_free_ struct writing *w = malloc(sizeof(*w));

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "writing the page");
	w->out = out;
	lkst_out_str(out, "<meta name=\"trace\" content=\"");
	put_attribute(out, name);
	lkst_out_str(out, "\">\n");
	return lkst_trace_each_file(e, t, put_file, w);
}

int lkst_view_page_write(struct lkst_err *e, int fd, const struct lkst_trace *t, const char *name)
{
	const char *at = memmem(lkst_view_page, lkst_view_page_length, place, strlen(place));
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err = 0;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "writing the page");
	if (!at)
		return lkst_err_set(e, -EINVAL,
				    "the page in this program has no place for a trace");
	lkst_out_init(out, fd);
	lkst_out_bytes(out, lkst_view_page, (size_t)(at - lkst_view_page));
	if (t)
		err = put_trace(e, out, t, name);
	at += strlen(place);
	lkst_out_bytes(out, at, lkst_view_page_length - (size_t)(at - lkst_view_page));
	if (!err && lkst_out_flush(out))
		err = lkst_err_sys(e, out->error, "writing the page");
	return err;
}
