/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of lkst view: the empty page, with the files of a trace written into it. */
#include "cmd/view/view_page.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/view/byte_text.h"
#include "cmd/view/view_files.h"

/* The empty page, which tools/view-page has put together. */
#ifdef LKST_NO_PAGE
static const char lkst_view_page[] = "";
static const u32 lkst_view_page_length;
#else
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
#endif

/* Where in it the trace goes. */
static const char place[] = "<!-- the trace -->\n";

enum {
	LEVEL = 6,	    /* as much as a page is worth waiting for: 100 MB/s */
	PORTION = 64 << 10, /* compressed bytes that are made text at a time */
};

struct view_page_writing {
	struct lkst_out *out;
	ZSTD_CCtx *context;
	u8 packed[PORTION];
	char text[2 * PORTION];
};

/* A name may be anything: what is neither a letter, a digit nor harmless is %XX, as in a URL. */
static void put_attribute(struct lkst_out *out, const char *text)
{
	for (; *text; text++)
		if (isalnum((unsigned char)*text) || strchr("-._/", *text))
			lkst_out_bytes(out, text, 1);
		else
			lkst_out_printf(out, "%%%02X", (unsigned char)*text);
}

/* An element with the bytes of the file, compressed. */
static int view_page_put_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	ZSTD_inBuffer in = { file->bytes, file->length, 0 };
	struct view_page_writing *w = ctx;
	size_t left = 1;

	ZSTD_CCtx_setPledgedSrcSize(w->context, file->length);
	lkst_out_str(w->out,
		     "<script type=\"application/octet-stream\" class=\"file\" data-name=\"");
	put_attribute(w->out, file->name);
	lkst_out_str(w->out, "\">");
	while (left) {
		ZSTD_outBuffer out = { w->packed, sizeof(w->packed), 0 };

		left = ZSTD_compressStream2(w->context, &out, &in, ZSTD_e_end);
		if (ZSTD_isError(left))
			return lkst_err_set(e, -EIO, "compressing %s: %s", file->name,
					    ZSTD_getErrorName(left));
		lkst_out_bytes(w->out, w->text,
			       (size_t)(lkst_byte_text_put(w->text, w->packed, out.pos) - w->text));
	}
	lkst_out_str(w->out, "</script>\n");
	return 0;
}

static void view_page_put_meta(struct lkst_out *out, const char *kind, const char *content)
{
	lkst_out_printf(out, "<meta name=\"%s\" content=\"", kind);
	put_attribute(out, content);
	lkst_out_str(out, "\">\n");
}

static int view_page_put_trace(struct lkst_err *e, struct lkst_out *out, const struct lkst_reading *r,
			       const char *name)
{
	_cleanup_free_ struct view_page_writing *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "writing the page");
	w->out = out;
	w->context = ZSTD_createCCtx();
	if (!w->context ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 1))) {
		err = lkst_err_sys(e, -ENOMEM, "writing the page");
	} else {
		view_page_put_meta(out, "trace", name);
		err = lkst_view_each_file(e, r, view_page_put_file, w);
	}
	ZSTD_freeCCtx(w->context);
	return err;
}

/* The parts of the empty page: where the trace goes is between them. */
struct page_parts {
	const char *before, *after, *end;
};

static int view_page_find_place(struct lkst_err *e, struct page_parts *ret)
{
	const char *at = memmem(lkst_view_page, lkst_view_page_length, place, strlen(place));

	if (!lkst_view_page_length)
		return lkst_err_set(e, -ENOTSUP,
				    "this lkst was built without the page of lkst view, as `make demo` "
				    "does; `make` builds one with it");
	if (!at)
		return lkst_err_set(e, -EINVAL,
				    "the page in this program has no place for a trace");
	*ret = (struct page_parts){ lkst_view_page, at, lkst_view_page + lkst_view_page_length };
	return 0;
}

static void put_rest(struct lkst_out *out, const struct page_parts *page)
{
	const char *rest = page->after + strlen(place);

	lkst_out_bytes(out, rest, (size_t)(page->end - rest));
}

int lkst_view_page_check(struct lkst_err *e)
{
	struct page_parts page;

	return view_page_find_place(e, &page);
}

int lkst_view_page_write(struct lkst_err *e, int fd, const struct lkst_reading *r, const char *name)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct page_parts page = {};
	int err = view_page_find_place(e, &page);

	if (err)
		return err;
	if (!out)
		return lkst_err_sys(e, -ENOMEM, "writing the page");
	lkst_out_init(out, fd);
	lkst_out_bytes(out, page.before, (size_t)(page.after - page.before));
	if (r)
		err = view_page_put_trace(e, out, r, name);
	put_rest(out, &page);
	if (!err && lkst_out_flush(out))
		err = lkst_err_sys(e, out->error, "writing the page");
	return err;
}

/* ---- a page that is served ---------------------------------------------------------------------- */

/* What the page may connect to, in its policy. */
static const char nothing[] = "connect-src 'none'", server[] = "connect-src 'self'";

/* The page up to the trace, with its policy changed. */
static int put_served(struct lkst_err *e, struct lkst_out *out, const struct page_parts *page)
{
	const char *policy = memmem(page->before, (size_t)(page->after - page->before), nothing,
				    strlen(nothing));

	if (!policy)
		return lkst_err_set(e, -EINVAL, "the page in this program has no policy");
	lkst_out_bytes(out, page->before, (size_t)(policy - page->before));
	lkst_out_str(out, server);
	policy += strlen(nothing);
	lkst_out_bytes(out, policy, (size_t)(page->after - policy));
	return 0;
}

int lkst_view_page_served(struct lkst_err *e, const char *name, bool is_live, char **ret_bytes,
			  size_t *ret_length)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_free_ char *bytes = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&bytes, &length);
	struct page_parts page = {};
	int err = out && to ? view_page_find_place(e, &page) : lkst_err_sys(e, -ENOMEM, "making the page");

	if (!err) {
		lkst_out_init_stream(out, to);
		err = put_served(e, out, &page);
	}
	if (!err) {
		view_page_put_meta(out, is_live ? "live" : "served", name);
		put_rest(out, &page);
		err = lkst_out_flush(out);
	}
	if (to && fclose(to) && !err)
		err = lkst_err_sys(e, -ENOMEM, "making the page");
	if (err)
		return err;
	*ret_length = length;
	*ret_bytes = lkst_take(bytes);
	return 0;
}
