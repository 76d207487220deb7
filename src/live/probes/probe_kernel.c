/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of its probes. */
#include "live/probes/probe_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "live/hooks/probe_tracefs.h"
#include "live/kernel/tracefs.h"
#include "probe/debuginfo/kallsyms.h"

enum {
	SYMBOL_ROOM = 256,
	TEXT_MAX = 64 << 20, /* of the kernel's list of symbols */
	/* Where functions begin with ENDBR a probe at their entry is behind it (arch_adjust_kprobe_addr()). */
	ENDBR = 4,
};

/* A symbol of the kernel or a module, as /proc/kallsyms has it. */
struct probe_kernel_symbol {
	u64 address; /* 0: that is hidden, or there is no such symbol */
	bool is_known, is_of_module;
};

/* Finds symbol @name, the first that has an address. */
static struct probe_kernel_symbol probe_kernel_find_symbol(const char *name)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	struct lkst_kallsyms_symbol s;
	struct probe_kernel_symbol found = {};
	const char *at;
	char line[512];

	while (f && !found.address && fgets(line, sizeof(line), f)) {
		at = line;
		if (!lkst_kallsyms_next(&at, &s) || !lkst_kallsyms_is(&s, name))
			continue;
		found = (struct probe_kernel_symbol){ s.address, true, s.module_length != 0 };
	}
	return found;
}

int lkst_kernel_find_symbol(void *ctx, const char *name, u64 *ret_address)
{
	struct probe_kernel_symbol s = probe_kernel_find_symbol(name);

	if (!s.address)
		return -ENOENT;
	*ret_address = s.address;
	return 0;
}

/* A file of debugfs; NULL: there is none. */
static FILE *open_debug(const char *path)
{
	_cleanup_close_ int debugfs = lkst_debugfs_open(NULL);
	int fd = debugfs < 0 ? -1 : openat(debugfs, path, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

bool lkst_kernel_refuses_probe(const char *symbol)
{
	_cleanup_fclose_ FILE *f = open_debug("kprobes/blacklist");
	char line[512], name[SYMBOL_ROOM];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %255s", name) == 1 && !strcmp(name, symbol))
			return true;
	return false;
}

void lkst_kernel_texts_fini(struct lkst_kernel_texts *texts)
{
	free(texts->kallsyms);
	free(texts->blacklist);
	*texts = (struct lkst_kernel_texts){};
}

struct lkst_probe_allowed *lkst_kernel_probe_allowed(struct lkst_kernel_texts *texts)
{
	_cleanup_close_ int debugfs = lkst_debugfs_open(NULL);
	size_t length;

	/* What cannot be read refuses nothing: the kernel itself does, when the probe is set. */
	lkst_read_file(NULL, AT_FDCWD, "/proc/kallsyms", TEXT_MAX, &texts->kallsyms, &length);
	if (debugfs >= 0)
		lkst_read_file(NULL, debugfs, "kprobes/blacklist", TEXT_MAX, &texts->blacklist, &length);
	return lkst_probe_allowed_new(texts->kallsyms ?: "", texts->blacklist ?: "");
}

static bool is_offset(const struct lkst_probe_row *row, u64 offset)
{
	return offset == row->offset || (!row->offset && offset == ENDBR);
}

/* The row's symbol and offset, without the module: the list has that in a column of its own. */
static bool probe_kernel_is_at(const struct lkst_probe_row *row, const char *place)
{
	const char *colon = strchr(row->symbol, ':'), *symbol = colon ? colon + 1 : row->symbol;
	const char *plus = strrchr(place, '+');

	return plus && strlen(symbol) == (size_t)(plus - place) &&
	       !strncmp(place, symbol, strlen(symbol)) &&
	       is_offset(row, strtoull(plus + 1, NULL, 16));
}

/*
 * The row's line in kprobes/list. @symbol: the address of its symbol, 0 to compare names. -ENOENT: there is none;
 * -ENOTSUP: the list can't be read.
 */
static int probe_kernel_find_line(const struct lkst_probe_row *row, u64 symbol, char line[512])
{
	_cleanup_fclose_ FILE *f = open_debug("kprobes/list");
	const char wanted = row->is_return ? 'r' : 'k';
	char kind, place[SYMBOL_ROOM];
	unsigned long long address;

	while (f && fgets(line, 512, f)) {
		if (sscanf(line, "%llx %c %255s", &address, &kind, place) != 3 || kind != wanted)
			continue;
		if (!row->symbol[0] ? address == row->address
		    : symbol	    ? is_offset(row, address - symbol)
				    : probe_kernel_is_at(row, place))
			return 0;
	}
	return f ? -ENOENT : -ENOTSUP;
}

void lkst_kernel_probe_module(const struct lkst_probe_row *row, char module[LKST_KERNEL_MODULE])
{
	char line[512];

	/* "ADDRESS k SYMBOL+OFFSET MODULE [FLAG]" */
	if (probe_kernel_find_line(row, 0, line) || sscanf(line, "%*x %*c %*s %63s", module) != 1 ||
	    module[0] == '[')
		module[0] = 0;
}

/*
 * Whether the list has no place of the probe, though no module is to come: the one that came has none, or has freed it.
 * The kernel lists what was freed by its address alone, for it has no name any more.
 */
static bool is_nowhere(const struct lkst_probe_row *row, int listed, const struct probe_kernel_symbol *symbol)
{
	if (listed != -ENOENT || !row->symbol[0])
		return false;
	return strchr(row->symbol, ':') || !symbol->is_known || symbol->is_of_module;
}

enum lkst_probe_backend lkst_kernel_probe_backend(const struct lkst_probe_row *row, u64 hits)
{
	struct probe_kernel_symbol symbol = {};
	char line[512];
	int listed;

	if (row->path[0])
		return LKST_BACKEND_PROGRAM;
	if (row->watch)
		return LKST_BACKEND_WATCH;
	if (row->nr_places)
		return row->is_multi ? LKST_BACKEND_MULTI : LKST_BACKEND_EACH;
	if (row->is_by_tracefs && lkst_probe_tracefs_is_waiting(row->symbol))
		return LKST_BACKEND_WAITING;
	listed = probe_kernel_find_line(row, 0, line);
	/* A function may have several names (those of system calls do), of which the list has one. */
	if (listed == -ENOENT && row->symbol[0]) {
		symbol = probe_kernel_find_symbol(row->symbol);
		listed = symbol.address ? probe_kernel_find_line(row, symbol.address, line) : -ENOENT;
	}
	if (!listed && strstr(line, "[GONE]"))
		return LKST_BACKEND_GONE;
	if (is_nowhere(row, listed, &symbol))
		return hits ? LKST_BACKEND_GONE : LKST_BACKEND_NOWHERE;
	if (row->is_return)
		return LKST_BACKEND_RETURN;
	if (!listed && strstr(line, "[FTRACE]"))
		return LKST_BACKEND_FTRACE;
	if (!listed && strstr(line, "[OPTIMIZED]"))
		return LKST_BACKEND_JUMP;
	return LKST_BACKEND_BREAKPOINT;
}
