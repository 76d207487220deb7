/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe that is set, as a recording keeps it. */
#include "live/hooks/probe_row.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"

void lkst_probe_pin(const char *event, const char *what, char pin[LKST_PROBE_PIN_MAX])
{
	char *p;

	snprintf(pin, LKST_PROBE_PIN_MAX, "%s-%s", what, event);
	/* The BPF file system allows no dots in names. */
	for (p = pin; *p; p++)
		if (*p == ':' || *p == '.')
			*p = '-';
}

/* Nothing in it is trusted but its size: it may be of another version of this program. */
static bool is_sane(const struct lkst_probe_row *row)
{
	return row->version == LKST_PROBE_ROW_VERSION && row->nr_insns &&
	       row->nr_insns <= LKST_CODE_MAX && row->nr_places <= LKST_PROBE_PLACES_MAX &&
	       memchr(row->path, 0, sizeof(row->path)) &&
	       memchr(row->symbol, 0, sizeof(row->symbol)) &&
	       memchr(row->definition, 0, sizeof(row->definition));
}

int lkst_probe_row_read(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
			struct lkst_probe_row **ret_row)
{
	_cleanup_free_ struct lkst_probe_row *row = calloc(1, sizeof(*row));
	struct bpf_map_info info = {};
	u32 length = sizeof(info), zero = 0;
	char pin[LKST_PROBE_PIN_MAX];
	_cleanup_close_ int fd = -1;

	if (!row)
		return lkst_err_sys(e, -ENOMEM, "reading probe %s", event);
	lkst_probe_pin(event, LKST_PROBE_ROW_PIN, pin);
	fd = lkst_pins_get(NULL, own, pin);
	if (fd < 0)
		return lkst_err_set(e, fd, "there is no probe %s", event);
	if (bpf_obj_get_info_by_fd(fd, &info, &length) || info.value_size != sizeof(*row) ||
	    bpf_map_lookup_elem(fd, &zero, row) || !is_sane(row))
		return lkst_err_set(e, -EINVAL, "probe %s was set by another version of lkst",
				    event);
	*ret_row = lkst_take(row);
	return 0;
}

int lkst_probe_row_write(struct lkst_err *e, struct lkst_own_pins *own, const char *event,
			 const struct lkst_probe_row *row)
{
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_probe_row", sizeof(u32),
						sizeof(*row), 1, NULL);
	char pin[LKST_PROBE_PIN_MAX];
	u32 zero = 0;

	if (fd < 0 || bpf_map_update_elem(fd, &zero, row, BPF_ANY))
		return lkst_err_sys(e, -errno, "keeping probe %s", event);
	lkst_probe_pin(event, LKST_PROBE_ROW_PIN, pin);
	return lkst_pins_put(e, own, fd, pin);
}

static int probe_row_see(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *name)
{
	bool *is_there = ctx;

	*is_there |= !strncmp(name, LKST_PROBE_ROW_PIN, strlen(LKST_PROBE_ROW_PIN));
	return 0;
}

bool lkst_probe_row_is_any(struct lkst_own_pins *own)
{
	bool is_there = false;

	lkst_pins_each(NULL, own, probe_row_see, &is_there);
	return is_there;
}

/* ---- perf events ------------------------------------------------------------------------------ */

/* The number that a file of the event source @source holds after @format. */
static int probe_row_read_number(const char *source, const char *file, const char *format)
{
	char path[128];
	_cleanup_fclose_ FILE *f = NULL;
	int value;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", source, file);
	f = fopen(path, "re");
	return f && fscanf(f, format, &value) == 1 ? value : -ENOTSUP;
}

/* Every access is told: the period is one. */
static void watch_attr(const struct lkst_probe_row *row, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(*attr),
		.sample_period = 1,
		.bp_type = (row->watch & LKST_WATCH_READS ? HW_BREAKPOINT_R : 0) |
			   (row->watch & LKST_WATCH_WRITES ? HW_BREAKPOINT_W : 0),
		.bp_addr = row->address,
		.bp_len = row->watch_bytes
	};
}

enum { REF_COUNTER_SHIFT = 32 }; /* PERF_UPROBE_REF_CTR_OFFSET_SHIFT, kernel/events/core.c */

int lkst_probe_row_attr(struct lkst_err *e, const struct lkst_probe_row *row,
			struct perf_event_attr *ret_attr)
{
	const char *source = row->path[0] ? "uprobe" : "kprobe";
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int type, bit;

	if (row->watch) {
		watch_attr(row, ret_attr);
		return 0;
	}
	type = probe_row_read_number(source, "type", "%d");
	bit = row->is_return ? probe_row_read_number(source, "format/retprobe", "config:%d") : 0;
	attr.type = (u32)type;
	if (type < 0 || bit < 0)
		return lkst_err_set(e, -ENOTSUP, "this kernel has no %ss", source);
	attr.config = row->is_return ? 1ULL << bit : 0;
	if (row->path[0]) {
		attr.config |= row->counter << REF_COUNTER_SHIFT;
		attr.uprobe_path = (uintptr_t)row->path;
		attr.probe_offset = row->offset;
	} else {
		attr.kprobe_func = row->symbol[0] ? (uintptr_t)row->symbol : 0;
		attr.probe_offset = row->symbol[0] ? row->offset : row->address;
	}
	*ret_attr = attr;
	return 0;
}

int lkst_probe_row_open(struct lkst_err *e, const struct lkst_probe_row *row)
{
	struct perf_event_attr attr;
	int err = lkst_probe_row_attr(e, row, &attr), fd;

	if (err)
		return err;
	/* One event of one CPU: the program runs on every CPU, in every process (kernel/trace/bpf_trace.c). */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? lkst_err_sys(e, -errno, "attaching it failed") : fd;
}
