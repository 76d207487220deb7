/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the configuration file's parser: keys and values must be strings inside the text. They and what is
 * wrong with them come up in messages.
 *
 * prints: text csv json
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/frame/conf.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHOWN = 8 };

struct text {
	char *begin, *end;
	const char *shown[SHOWN]; /* keys and values */
	unsigned int nr_shown;
};

static int check(struct lkst_err *e, void *ctx, char *key, char *value)
{
	struct text *t = ctx;

	(void)e;
	if (key < t->begin || !*key || value <= key + strlen(key) || value + strlen(value) > t->end ||
	    strchr(value, '\n') || strchr(key, ' '))
		abort();
	if (t->nr_shown < SHOWN) {
		t->shown[t->nr_shown++] = key;
		t->shown[t->nr_shown++] = value;
	}
	return value[0] == '!' ? lkst_err_set(e, -EINVAL, "\"%s\" is no %s", value, key) : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct text t = { .begin = copy, .end = copy + size };
	struct lkst_err e = {};

	if (!copy)
		abort();
	memcpy(copy, data, size);
	copy[size] = 0;
	if (lkst_conf_parse(&e, copy, size, check, &t))
		printed_error(&e);
	if (t.nr_shown)
		printed_names(t.shown, t.nr_shown);
	free(copy);
	return 0;
}
