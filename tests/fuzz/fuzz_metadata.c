/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the metadata parser: whatever it takes, it must take again, and the same, after it
 * was written out. All that it names is printed, and a record of each event.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "trace/format/metadata.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A little of everything that the writer writes, which the fuzzer could not guess. */
static void add_sample(struct lkst_catalog *c)
{
	struct lkst_err e;

	if (lkst_catalog_add_builtin(&e, c, 1, LKST_EV_sched_switch) ||
	    lkst_catalog_add_builtin(&e, c, 2, LKST_EV_state_irq) ||
	    lkst_catalog_add_builtin(&e, c, 3, LKST_EV_task_rename))
		abort();
}

/* Input that begins with '+' goes into the middle of sound metadata, at a place that it tells. */
static char *spliced(const u8 *data, size_t size, size_t *ret_length)
{
	struct lkst_catalog *c = lkst_catalog_new();
	size_t length, at, cut;
	struct lkst_err e;
	char *text, *out;

	if (!c)
		abort();
	add_sample(c);
	if (lkst_metadata_format(&e, c, &text))
		abort();
	length = strlen(text);
	at = (size_t)(data[1] << 8 | data[2]) % length;
	cut = data[3] % (length - at);
	size -= 4;
	*ret_length = length - cut + size;
	out = malloc(*ret_length);
	if (!out)
		abort();
	memcpy(out, text, at);
	memcpy(out + at, data + 4, size);
	memcpy(out + at + size, text + at + cut, length - at - cut);
	free(text);
	lkst_catalog_free(c);
	return out;
}

static void parse(const char *text, size_t length)
{
	struct lkst_catalog *c = NULL, *again = NULL;
	char *first, *second;
	struct lkst_err e = {};

	if (lkst_metadata_parse(&e, text, length, &c)) {
		printed_error(&e);
		return;
	}
	if (lkst_metadata_format(&e, c, &first) ||
	    lkst_metadata_parse(&e, first, strlen(first), &again) ||
	    lkst_metadata_format(&e, again, &second) || strcmp(first, second))
		abort();
	printed_catalog(c, (u8)length);
	free(first);
	free(second);
	lkst_catalog_free(c);
	lkst_catalog_free(again);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t length = size;
	char *text;

	if (size >= 4 && data[0] == '+') {
		text = spliced(data, size, &length);
		parse(text, length);
		free(text);
	} else {
		parse((const char *)data, size);
	}
	return 0;
}
