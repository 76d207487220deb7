/* SPDX-License-Identifier: GPL-2.0-only */
/* The places of a probe at many functions. */
#include "live/hooks/probe_places.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"

/* ---- what a recording keeps ------------------------------------------------------------------- */

int lkst_probe_places_write(struct lkst_err *e, struct lkst_own_pins *own, const char *event,
			    const u64 *addresses, u32 nr)
{
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_places", sizeof(u32),
						sizeof(u64), nr, NULL);
	char pin[LKST_PROBE_PIN_MAX];
	u32 i;

	if (fd < 0)
		return lkst_err_sys(e, -errno, "keeping the functions of probe %s", event);
	for (i = 0; i < nr; i++)
		if (bpf_map_update_elem(fd, &i, &addresses[i], BPF_ANY))
			return lkst_err_sys(e, -errno, "keeping the functions of probe %s", event);
	lkst_probe_pin(event, LKST_PROBE_PLACES_PIN, pin);
	return lkst_pins_put(e, own, fd, pin);
}

/*
 * Reads the addresses of @row, 0 for one that cannot be attached; the caller frees them. Returns the map, to be
 * closed.
 */
static int open_places(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
		       const struct lkst_probe_row *row, u64 **ret_addresses)
{
	_cleanup_free_ u64 *addresses = calloc(row->nr_places, sizeof(*addresses));
	char pin[LKST_PROBE_PIN_MAX];
	_cleanup_close_ int fd = -1;
	u32 i;

	if (!addresses)
		return lkst_err_sys(e, -ENOMEM, "reading the functions of probe %s", event);
	lkst_probe_pin(event, LKST_PROBE_PLACES_PIN, pin);
	fd = lkst_pins_get(e, own, pin);
	if (fd < 0)
		return fd;
	for (i = 0; i < row->nr_places; i++)
		if (bpf_map_lookup_elem(fd, &i, &addresses[i]))
			return lkst_err_sys(e, -errno, "reading the functions of probe %s", event);
	*ret_addresses = lkst_take(addresses);
	return lkst_take_fd(fd);
}

int lkst_probe_places_count(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
			    const struct lkst_probe_row *row)
{
	_cleanup_free_ u64 *addresses = NULL;
	_cleanup_close_ int fd = open_places(e, own, event, row, &addresses);
	int nr = 0;
	u32 i;

	if (fd < 0)
		return fd;
	for (i = 0; i < row->nr_places; i++)
		nr += addresses[i] != 0;
	return nr;
}

/* ---- one link --------------------------------------------------------------------------------- */

static int attach_multi(int program_fd, bool is_return, const u64 *addresses, u32 nr)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .kprobe_multi.cnt = nr,
		    .kprobe_multi.addrs = (const unsigned long *)addresses,
		    .kprobe_multi.flags = is_return ? BPF_F_KPROBE_MULTI_RETURN : 0);

	_Static_assert(sizeof(unsigned long) == sizeof(u64), "the kernel has 64-bit addresses");
	return bpf_link_create(program_fd, 0, BPF_TRACE_KPROBE_MULTI, &options);
}

bool lkst_probe_places_has_multi(u64 address)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	_cleanup_close_ int program =
		bpf_prog_load(BPF_PROG_TYPE_KPROBE, "lkst_nothing", "GPL", nothing, 2, &options);
	_cleanup_close_ int link = program < 0 ? -1 : attach_multi(program, false, &address, 1);

	return link >= 0;
}

/* ---- perf events ------------------------------------------------------------------------------ */

/* Opens an event at @address, which runs @program_fd, and puts it into @map_fd. */
static int attach_at(struct perf_event_attr *attr, u64 address, int program_fd, int map_fd, u32 i)
{
	_cleanup_close_ int fd = -1;

	attr->probe_offset = address;
	/* One event of one CPU: the program runs on every CPU (kernel/trace/bpf_trace.c). */
	fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) || bpf_map_update_elem(map_fd, &i, &fd, BPF_ANY))
		return -errno;
	return 0;
}

static int attach_each(struct lkst_err *e, const struct lkst_probe_row *row, int program_fd,
		       const u64 *addresses, int places_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_PRESERVE_ELEMS);
	_cleanup_close_ int map =
		bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "lkst_attached", sizeof(u32),
			       sizeof(u32), row->nr_places, &options);
	struct perf_event_attr attr;
	int err = lkst_probe_row_attr(e, row, &attr), why = -ENOENT;
	const u64 none = 0;
	u32 i, nr = 0;

	if (err)
		return err;
	if (map < 0)
		return lkst_err_sys(e, -errno, "keeping what is attached");
	attr.kprobe_func = 0;
	for (i = 0; i < row->nr_places; i++) {
		err = addresses[i] ? attach_at(&attr, addresses[i], program_fd, map, i) : -ENOENT;
		nr += !err;
		if (!err || !addresses[i])
			continue;
		why = err;
		bpf_map_update_elem(places_fd, &i, &none, BPF_ANY);
	}
	return nr ? lkst_take_fd(map) : lkst_err_sys(e, why, "attaching it failed");
}

int lkst_probe_places_attach(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
			     const struct lkst_probe_row *row, int program_fd)
{
	_cleanup_free_ u64 *addresses = NULL;
	_cleanup_close_ int places = open_places(e, own, event, row, &addresses);
	int fd;

	if (places < 0)
		return places;
	if (!row->is_multi)
		return attach_each(e, row, program_fd, addresses, places);
	fd = attach_multi(program_fd, row->is_return, addresses, row->nr_places);
	return fd < 0 ? lkst_err_sys(e, -errno, "attaching it failed") : fd;
}
