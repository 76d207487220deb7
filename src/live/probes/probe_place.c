/* SPDX-License-Identifier: GPL-2.0-only */
/* The place of a probe, as a recording keeps it. */
#include "live/probes/probe_place.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/hooks/probe_tracefs.h"
#include "live/kernel/kernel_types.h"
#include "live/probes/probe_kernel.h"

/*
 * A probe in a module comes back with it by tracefs alone, so that is used where there is such a file, and asked for
 * where it must be there.
 */
static bool is_for_tracefs(const struct lkst_probe_row *row)
{
	return row->max_active || lkst_probe_tracefs_is_waiting(row->symbol) ||
	       (strchr(row->symbol, ':') && !lkst_probe_tracefs_check(NULL));
}

/* Memory that is watched: a symbol is no more than its address. */
static int describe_watched(struct lkst_err *e, const struct lkst_probe *probe,
			    struct lkst_probe_row *row)
{
	const struct lkst_probe_place *place = &probe->place;

	row->version = LKST_PROBE_ROW_VERSION;
	row->watch = place->watch;
	row->watch_bytes = place->watch_bytes;
	row->address = place->address;
	if (place->kind == LKST_PLACE_SYMBOL &&
	    lkst_kernel_find_symbol(NULL, place->symbol, &row->address))
		return lkst_probe_refuse(e, -ENOENT, probe, place->at,
					 "the kernel has no symbol %s that it shows: give an address",
					 place->symbol);
	row->address += place->offset;
	return 0;
}

int lkst_probe_place_describe(struct lkst_err *e, const struct lkst_probe *probe,
			      struct lkst_probe_row *row)
{
	const struct lkst_probe_place *place = &probe->place;
	const char *module = place->module ?: "";
	int n = 0;

	if (place->watch)
		return describe_watched(e, probe, row);
	row->version = LKST_PROBE_ROW_VERSION;
	row->is_return = place->is_return;
	row->offset = place->offset;
	row->counter = place->semaphore;
	if (place->kind == LKST_PLACE_ADDRESS)
		row->address = place->address;
	else if (place->kind == LKST_PLACE_SYMBOL && place->symbol && !place->path)
		n = snprintf(row->symbol, sizeof(row->symbol), "%s%s%s", module, *module ? ":" : "",
			     place->symbol);
	else if (place->kind != LKST_PLACE_FILE || !place->path)
		return lkst_probe_refuse(e, -EINVAL, probe, place->at,
					 "the place of the probe is not resolved");
	row->max_active = place->max_active;
	row->is_by_tracefs = !place->is_many && row->symbol[0] && is_for_tracefs(row);
	if (n >= (int)sizeof(row->symbol))
		return lkst_probe_refuse(e, -EINVAL, probe, place->at,
					 "the symbol's name is too long");
	if (place->path &&
	    snprintf(row->path, sizeof(row->path), "%s", place->path) >= (int)sizeof(row->path))
		return lkst_probe_refuse(e, -EINVAL, probe, place->at,
					 "the program's path is too long");
	return 0;
}

static int explain_watch(struct lkst_err *e, const struct lkst_probe *probe,
			 const struct lkst_probe_row *row, int err)
{
	const u16 at = probe->place.at;

	if (err == -ENOSPC)
		return lkst_probe_refuse(
			e, err, probe, at,
			"all debug registers of the CPUs are in use: there are four on "
			"x86, which debuggers take, too");
	if (err == -EINVAL && row->watch == LKST_WATCH_READS)
		return lkst_probe_refuse(e, err, probe, at,
					 "this machine does not watch reads alone: say rw@");
	if (err == -EINVAL)
		return lkst_probe_refuse(
			e, err, probe, at,
			"the CPU watches 1, 2, 4 or 8 bytes whose address is a multiple of "
			"their number, and not all addresses");
	return lkst_probe_refuse(e, err, probe, at, "this machine does not watch memory: %s",
				 strerror(-err));
}

static int probe_place_explain(struct lkst_err *e, const struct lkst_probe *probe,
			       const struct lkst_probe_row *row, int err)
{
	const u16 at = probe->place.at;

	if (row->watch)
		return explain_watch(e, probe, row, err);
	if (err == -EILSEQ)
		return lkst_probe_refuse(e, err, probe, at, "an instruction does not begin there");
	if (err == -EADDRNOTAVAIL)
		return lkst_probe_refuse(e, err, probe, at,
					 "several functions are called %s; give the address of one",
					 row->symbol);
	if (err == -ENOENT)
		return lkst_probe_refuse(e, err, probe, at,
					 "there is no %s that a probe can be set at",
					 row->path[0] ? row->path : row->symbol);
	if (err == -EINVAL && row->path[0])
		return lkst_probe_refuse(e, err, probe, at,
					 "%s has no code at byte 0x%llx, or is no program's file",
					 row->path, (unsigned long long)row->offset);
	if (err == -EINVAL)
		return lkst_probe_refuse(e, -EPERM, probe, at, "the kernel lets nobody set a probe in %s",
					 row->symbol[0] ? row->symbol : "the code at this address");
	return lkst_probe_refuse(e, err, probe, at, "%s", strerror(-err));
}

int lkst_probe_place_check_kernel(struct lkst_err *e, const struct lkst_probe *probe,
				  const struct lkst_probe_row *row)
{
	if (!lkst_kernel_has_kprobes())
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel was built without kprobes (CONFIG_KPROBES)");
	if (!lkst_kernel_lets_read_memory())
		return lkst_err_set(
			e, -EPERM,
			"this kernel is locked down (confidentiality) and lets nobody probe it");
	if (row->symbol[0] && lkst_kernel_refuses_probe(row->symbol))
		return lkst_probe_refuse(
			e, -EPERM, probe, probe->place.at,
			"the kernel lets nobody set a probe in %s, which is part of how it "
			"handles probes",
			row->symbol);
	return 0;
}

/* A symbol of a module that does not name it gets its name, as long as the kernel has a probe there. */
static void name_module(struct lkst_probe_row *row)
{
	char module[LKST_KERNEL_MODULE], symbol[LKST_PROBE_SYMBOL_MAX];

	if (row->watch || row->path[0] || !row->symbol[0] || strchr(row->symbol, ':'))
		return;
	lkst_kernel_probe_module(row, module);
	if (!module[0] ||
	    snprintf(symbol, sizeof(symbol), "%s:%s", module, row->symbol) >= (int)sizeof(symbol))
		return;
	memcpy(row->symbol, symbol, sizeof(symbol));
	row->is_by_tracefs = is_for_tracefs(row);
}

/*
 * Whether a debug register sees an access of our own. The guests of some hypervisors may set one, which is never in the
 * CPU. True also where none is left to try it with.
 */
static bool watch_sees(void)
{
	volatile u64 watched = 0;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(attr),
					.sample_period = 1,
					.exclude_kernel = 1,
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&watched,
					.bp_len = sizeof(watched) };
	_cleanup_close_ int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	u64 seen = 0;

	if (fd < 0)
		return true;
	watched++;
	return read(fd, &seen, sizeof(seen)) != sizeof(seen) || seen;
}

int lkst_probe_place_check(struct lkst_err *e, const struct lkst_probe *probe,
			   struct lkst_probe_row *row)
{
	struct lkst_err why = {};
	int fd;

	if (!row->path[0] && !row->watch) {
		fd = lkst_probe_place_check_kernel(e, probe, row);
		if (fd)
			return fd;
	}
	if (row->is_by_tracefs && lkst_probe_tracefs_check(e))
		return -ENOTSUP;
	if (row->is_by_tracefs && lkst_probe_tracefs_is_waiting(row->symbol))
		return 0;
	fd = lkst_probe_row_open(&why, row);
	if (fd < 0)
		return fd == -ENOTSUP ? lkst_err_set(e, fd, "%s", why.text)
				      : probe_place_explain(e, probe, row, fd);
	close(fd);
	if (row->watch && !watch_sees())
		return lkst_probe_refuse(e, -ENOTSUP, probe, probe->place.at,
					 "this machine does not watch memory: it lets a debug register be set "
					 "that sees nothing, as some hypervisors do");
	name_module(row);
	return 0;
}
