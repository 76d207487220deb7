/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what a spool's directory may have: names of files, the note of how far all is counted, and files
 * themselves. What is taken for a name or a note is written as it was read; a file is whole or damaged.
 *
 * prints: text csv json
 */
#include "fleet/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char scratch[64];
static struct lkst_spool *spool;

static void remove_scratch(void)
{
	char command[128];

	lkst_spool_close(spool);
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	if (system(command))
		fprintf(stderr, "%s failed\n", command);
}

static void begin(void)
{
	struct lkst_err e;

	strcpy(scratch, "/tmp/fuzz_spool.XXXXXX");
	if (!mkdtemp(scratch) || lkst_spool_open(&e, scratch, 1 << 20, &spool))
		abort();
	atexit(remove_scratch);
}

static void try_name(const char *text)
{
	struct lkst_spool_item item;
	char again[LKST_SPOOL_NAME];

	if (lkst_spool_parse(text, &item))
		return;
	lkst_spool_format(&item, again);
	if (strcmp(text, again))
		abort();
	printed_name(again, strlen(again));
}

static void try_position(const char *text)
{
	struct lkst_spool_position p, again;
	struct lkst_err e;

	if (lkst_spool_parse_position(text, &p))
		return;
	if (lkst_spool_keep_position(&e, spool, &p))
		abort();
	lkst_spool_position(spool, &again);
	if (memcmp(&p, &again, sizeof(p)))
		abort();
}

static void try_file(const uint8_t *data, size_t size)
{
	const struct lkst_spool_item item = { .kind = LKST_SPOOL_SECONDS, .first = 1, .count = 1 };
	char path[200], *bytes;
	struct lkst_err e = {};
	size_t length;
	int fd, err;

	if (lkst_spool_path(&e, spool, &item, path, sizeof(path)))
		abort();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || lkst_write_all(fd, data, size))
		abort();
	close(fd);
	err = lkst_spool_read(&e, spool, &item, &bytes, &length);
	if (err && err != -EBADMSG)
		abort();
	if (err) {
		printed_error(&e);
		return;
	}
	if (length + 16 != size || memcmp(bytes, data, length))
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	if (!spool)
		begin();
	try_name(text);
	try_position(text);
	try_file(data, size);
	free(text);
	return 0;
}
