/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own list of its functions. */
#include "live/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"

enum {
	SYMBOLS_MAX = 1 << 20,
	TEXT_BYTES_MAX = 256 << 20,
	FUNCTION_BYTES_MAX = 1 << 20, /* what lies further behind a symbol is not its */
};

struct symbol {
	u64 address;
	unsigned int line; /* in the kernel's list: the first of several names counts */
	bool is_fleeting;
	const char *name;
};

struct lkst_kallsyms {
	struct symbol *list;
	unsigned int nr, room;
	char *text;    /* the kernel's list */
	char *modules; /* that were there then */
};

void lkst_kallsyms_free(struct lkst_kallsyms *k)
{
	if (!k)
		return;
	free(k->list);
	free(k->text);
	free(k->modules);
	free(k);
}

static void kallsyms_freep(struct lkst_kallsyms **k)
{
	lkst_kallsyms_free(*k);
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int put(struct lkst_kallsyms *k, u64 address, const char *name, bool is_fleeting)
{
	if (k->nr == k->room) {
		unsigned int room = k->room ? 2 * k->room : 65536;
		struct symbol *grown = reallocarray(k->list, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		k->list = grown;
		k->room = room;
	}
	k->list[k->nr] = (struct symbol){ address, k->nr, is_fleeting, name };
	k->nr++;
	return 0;
}

/* Reads a file of /proc, of up to some 10 MB, to memory. What cannot be read is empty. */
static int read_text(const char *path, char **ret_text)
{
	struct lkst_err ignored;
	size_t length;
	int err = lkst_read_file(&ignored, AT_FDCWD, path, TEXT_BYTES_MAX, ret_text, &length);

	if (!err)
		return 0;
	*ret_text = err == -ENOMEM ? NULL : strdup("");
	return *ret_text ? 0 : -ENOMEM;
}

/*
 * "ext4 1032192 1 - Live 0xffffffffc0a7d000": the modules, of each its name, size and address. How many use it
 * changes all the time.
 */
static int read_modules(char **ret_modules)
{
	int err = read_text("/proc/modules", ret_modules);
	char *out, *next, *line, *word;

	if (err)
		return err;
	out = next = *ret_modules;
	while ((line = strsep(&next, "\n"))) {
		int column;

		for (column = 0; (word = strsep(&line, " ")); column++) {
			size_t length = strlen(word);

			if (column >= 2 && column != 5)
				continue;
			memmove(out, word, length + 1);
			out += length;
		}
	}
	return 0;
}

/*
 * "ffffffff81000000 T _stext", with a tab and the module's name in brackets behind it if it is one's. Those in
 * "[bpf]", "[__builtin__ftrace]" and "[__builtin__kprobes]" are no module's.
 */
static int put_line(struct lkst_kallsyms *k, char *line)
{
	char *name, *end, *module;
	u64 address = strtoull(line, &end, 16);

	if (!address || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
		return 0;
	name = end + 3;
	end = name + strcspn(name, "\t ");
	module = *end ? end + 1 : end;
	*end = 0;
	return put(k, address, name,
		   !strncmp(module, "[bpf", 4) || !strncmp(module, "[__builtin", 10));
}

int lkst_kallsyms_read(struct lkst_err *e, struct lkst_kallsyms **ret_list)
{
	_cleanup_(kallsyms_freep) struct lkst_kallsyms *k = calloc(1, sizeof(*k));
	char *line, *next;
	int err = k ? read_modules(&k->modules) : -ENOMEM;

	if (!err)
		err = read_text("/proc/kallsyms", &k->text);
	next = err ? NULL : k->text;
	while (!err && (line = strsep(&next, "\n")) && k->nr < SYMBOLS_MAX)
		err = put_line(k, line);
	if (err)
		return lkst_err_sys(e, err, "reading the kernel's symbols");
	if (k->nr)
		qsort(k->list, k->nr, sizeof(*k->list), compare);
	*ret_list = lkst_take(k);
	return 0;
}

bool lkst_kallsyms_is_current(const struct lkst_kallsyms *k)
{
	_cleanup_free_ char *modules = NULL;

	return !read_modules(&modules) && !strcmp(modules, k->modules);
}

bool lkst_kallsyms_find(const struct lkst_kallsyms *k, u64 address,
			struct lkst_kernel_symbol *ret_symbol)
{
	unsigned int from = 0, to = k->nr, first;
	const struct symbol *s;
	u64 bytes;

	while (from < to) {
		unsigned int middle = from + (to - from) / 2;

		if (k->list[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (!to)
		return false;
	for (first = to - 1; first && k->list[first - 1].address == k->list[first].address;)
		first--;
	s = &k->list[first];
	bytes = to < k->nr ? k->list[to].address - s->address : FUNCTION_BYTES_MAX;
	bytes = bytes < FUNCTION_BYTES_MAX ? bytes : FUNCTION_BYTES_MAX;
	*ret_symbol =
		(struct lkst_kernel_symbol){ s->address, (u32)bytes, s->is_fleeting, s->name };
	return address - s->address < bytes;
}
