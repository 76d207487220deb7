/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the configuration file's parser: keys and values must be strings inside the text.
 *
 *	clang-16 -g -O1 -std=gnu11 -D_GNU_SOURCE -Isrc -fsanitize=fuzzer,address,undefined \
 *		-o fuzz_conf tests/fuzz/fuzz_conf.c src/base/conf.c src/base/err.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
	char *begin, *end;
};

static int check(struct lkst_err *e, void *ctx, char *key, char *value)
{
	struct text *t = ctx;

	(void)e;
	if (key < t->begin || !*key || value <= key + strlen(key) || value + strlen(value) > t->end ||
	    strchr(value, '\n') || strchr(key, ' '))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct text t = { copy, copy + size };
	struct lkst_err e;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	copy[size] = 0;
	lkst_conf_parse(&e, copy, size, check, &t);
	free(copy);
	return 0;
}
