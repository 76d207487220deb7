/* SPDX-License-Identifier: GPL-2.0-only */
/* How the texts of a bundle are written. */
#include "bundle/bundle_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

enum { PORTION = 256 };

int lkst_bundle_lines_begin(struct lkst_err *e, struct lkst_bundle_lines *l)
{
	*l = (struct lkst_bundle_lines){};
	l->to = open_memstream(&l->bytes, &l->length);
	return l->to ? 0 : lkst_err_sys(e, -ENOMEM, "writing a bundle");
}

int lkst_bundle_lines_end(struct lkst_err *e, struct lkst_bundle_lines *l, int err,
			  struct lkst_bundle_text *ret_text)
{
	const bool has_failed = ferror(l->to) != 0;

	if ((fclose(l->to) || has_failed) && !err)
		err = lkst_err_sys(e, -ENOMEM, "writing a bundle");
	l->to = NULL;
	if (err) {
		free(l->bytes);
		return err;
	}
	*ret_text = (struct lkst_bundle_text){ l->bytes, l->length };
	return 0;
}

void lkst_bundle_texts_fini(struct lkst_bundle_text (*texts)[LKST_BUNDLE_NR_PARTS])
{
	unsigned int i;

	for (i = 0; i < LKST_BUNDLE_NR_PARTS; i++)
		free((*texts)[i].bytes);
}

static void put_portion(FILE *to, const char *bytes, size_t length)
{
	char escaped[4 * PORTION], *end = lkst_put_escaped(escaped, bytes, length, "");

	fwrite(escaped, 1, (size_t)(end - escaped), to);
}

/* How many bytes at @bytes are taken at a time: characters of UTF-8 are not cut where that can be seen. */
static size_t portion_of(const char *bytes, size_t length, bool is_word)
{
	const char *blank = is_word ? memchr(bytes, ' ', length) : NULL;
	size_t n = blank ? (size_t)(blank - bytes) : length, cut;

	if (n <= PORTION)
		return n;
	for (cut = PORTION; cut > PORTION - 4 && ((unsigned char)bytes[cut] & 0xc0) == 0x80; cut--)
		;
	return cut;
}

void lkst_bundle_put(FILE *to, const char *bytes, size_t length, bool is_word)
{
	size_t n;

	for (; length; bytes += n, length -= n) {
		if (is_word && *bytes == ' ') {
			fputs("\\x20", to);
			n = 1;
			continue;
		}
		n = portion_of(bytes, length, is_word);
		put_portion(to, bytes, n);
	}
}

void lkst_bundle_put_value(FILE *to, const char *key, const char *value)
{
	if (!value || !value[0])
		return;
	fprintf(to, "%s: ", key);
	lkst_bundle_put(to, value, strlen(value), false);
	fputc('\n', to);
}
