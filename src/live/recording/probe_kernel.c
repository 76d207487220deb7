/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of its probes. */
#include "live/recording/probe_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/load/probe_tracefs.h"
#include "live/load/tracefs.h"

enum {
	SYMBOL_ROOM = 256,
	/* Where functions begin with ENDBR a probe at their entry is behind it (arch_adjust_kprobe_addr()). */
	ENDBR = 4,
};

int lkst_kernel_find_symbol(void *ctx, const char *name, u64 *ret_address)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], symbol[SYMBOL_ROOM];
	unsigned long long address;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &address, symbol) == 2 &&
		    !strcmp(symbol, name) && address) {
			*ret_address = address;
			return 0;
		}
	return -ENOENT;
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

/* The row's symbol and offset, without the module: the list has that in a column of its own. */
static bool is_at(const struct lkst_probe_row *row, const char *place)
{
	const char *colon = strchr(row->symbol, ':'), *symbol = colon ? colon + 1 : row->symbol;
	const char *plus = strrchr(place, '+');
	u64 offset = plus ? strtoull(plus + 1, NULL, 16) : 0;

	if (!plus || strlen(symbol) != (size_t)(plus - place) ||
	    strncmp(place, symbol, strlen(symbol)))
		return false;
	return offset == row->offset || (!row->offset && offset == ENDBR);
}

enum lkst_probe_backend lkst_kernel_probe_backend(const struct lkst_probe_row *row)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[512], kind, place[SYMBOL_ROOM];
	unsigned long long address;

	if (row->path[0])
		return LKST_BACKEND_PROGRAM;
	if (row->nr_places)
		return row->is_multi ? LKST_BACKEND_MULTI : LKST_BACKEND_EACH;
	if (row->is_by_tracefs && lkst_probe_tracefs_is_waiting(row->symbol))
		return LKST_BACKEND_WAITING;
	if (row->is_return)
		return LKST_BACKEND_RETURN;
	f = open_debug("kprobes/list");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &address, &kind, place) != 3 || kind != 'k')
			continue;
		if (row->symbol[0] ? !is_at(row, place) : address != row->address)
			continue;
		if (strstr(line, "[FTRACE]"))
			return LKST_BACKEND_FTRACE;
		if (strstr(line, "[OPTIMIZED]"))
			return LKST_BACKEND_JUMP;
	}
	return LKST_BACKEND_BREAKPOINT;
}
