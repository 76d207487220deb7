/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks of a recording: attaching and detaching loaded programs. */
#include "live/hooks/hooks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "live/hooks/each_cpu.h"
#include "live/hooks/pins.h"
#include "live/hooks/probe_tracefs.h"
#include "live/hooks/probe_places.h"
#include "live/kernel/tracefs.h"

#define KPROBE_SOURCE "/sys/bus/event_source/devices/kprobe"

/* The tracepoints that all system calls share. */
static const char syscall_entry[] = "sys_enter", syscall_exit[] = "sys_exit";

/* ---- names ----------------------------------------------------------------------------------- */

/* What the names of hooks begin with, followed by "__". */
static const char *const words[] = {
	[LKST_HOOK_TP] = "tp_btf",
	[LKST_HOOK_KPROBE] = "kprobe",
	[LKST_HOOK_KRETPROBE] = "kretprobe",
	[LKST_HOOK_USER] = "user", /* these two have no programs */
	[LKST_HOOK_NONE] = "none",
	[LKST_HOOK_BY_NAME] = "tp",
	[LKST_HOOK_PROBE] = "probe",
	[LKST_HOOK_PERF] = "perf_event",
	[LKST_HOOK_TP_TOO] = "tp_too",
};

/* Those whose programs are the catalogue's. */
static const u8 kinds_of_rows[] = { LKST_HOOK_TP, LKST_HOOK_KPROBE, LKST_HOOK_KRETPROBE, LKST_HOOK_PERF,
				    LKST_HOOK_TP_TOO };

void lkst_hook_name(enum lkst_hook_kind kind, const char *target, char name[LKST_HOOK_NAME_MAX])
{
	char *p;

	snprintf(name, LKST_HOOK_NAME_MAX, "%s__%s", words[kind], target);
	/* The BPF file system allows no dots in names. */
	for (p = name; *p; p++)
		if (*p == ':' || *p == '.')
			*p = '-';
}

const char *lkst_hook_target(const char *program)
{
	const char *end = strstr(program, "__");

	return end ? end + strlen("__") : program;
}

bool lkst_hook_parse(const char *program, enum lkst_hook_kind *ret_kind, const char **ret_target)
{
	const char *target = lkst_hook_target(program);
	char name[LKST_HOOK_NAME_MAX];
	unsigned int i;

	/* All tracepoints by name have one program. */
	for (i = 0; i < sizeof(kinds_of_rows); i++) {
		lkst_hook_name(kinds_of_rows[i], target, name);
		if (strcmp(name, program))
			continue;
		*ret_kind = kinds_of_rows[i];
		*ret_target = target;
		return true;
	}
	return false;
}

enum lkst_hook_kind lkst_hook_kind(const struct lkst_hook_desc *row)
{
	switch (row->kind) {
	case LKST_HOOK_ALSO_KPROBE:
		return LKST_HOOK_KPROBE;
	case LKST_HOOK_ALSO_KRETPROBE:
		return LKST_HOOK_KRETPROBE;
	case LKST_HOOK_ALSO_TP_TOO:
		return LKST_HOOK_TP_TOO;
	default:
		return row->kind;
	}
}

/* ---- the list -------------------------------------------------------------------------------- */

int lkst_hooks_add(struct lkst_err *e, struct lkst_hooks *h, enum lkst_hook_kind kind,
		   const char *target, int program_fd, int link_fd)
{
	struct lkst_hook *hook = lkst_vec_add(h->items, h->nr);

	if (!hook) {
		close(program_fd);
		if (link_fd >= 0)
			close(link_fd);
		return lkst_err_sys(e, -ENOMEM, "hook %s", target);
	}
	*hook = (struct lkst_hook){ .own = h->own,
				    .kind = kind,
				    .handler = LKST_HANDLER_DEFAULT,
				    .program_fd = program_fd,
				    .link_fd = link_fd,
				    .is_attached = link_fd >= 0,
				    .perf_id = -1 };
	snprintf(hook->target, sizeof(hook->target), "%s", target);
	lkst_hook_name(kind, target, hook->name);
	return 0;
}

int lkst_hooks_add_handler(struct lkst_err *e, struct lkst_hooks *h, u8 handler, u16 base,
			   int program_fd, int link_fd)
{
	const struct lkst_hook first = h->items[base]; /* the list may move */
	struct lkst_hook *hook;
	int err = lkst_hooks_add(e, h, first.kind, first.target, program_fd, link_fd);

	if (err)
		return err;
	hook = &h->items[h->nr - 1];
	hook->handler = handler;
	hook->base = base;
	hook->perf_id = first.perf_id;
	hook->plan = first.plan;
	hook->sampling = first.sampling;
	return 0;
}

void lkst_hooks_set_sampling(struct lkst_hooks *h, const struct lkst_control *c)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++)
		h->items[i].sampling =
			(struct lkst_sampling){ .period_ns = c->sample_ns, .clock = c->sample_clock };
}

void lkst_hooks_remove_handler(struct lkst_hooks *h, u8 handler)
{
	unsigned int i, kept;

	for (i = kept = h->nr_default; i < h->nr; i++) {
		if (h->items[i].handler != handler) {
			h->items[kept++] = h->items[i];
			continue;
		}
		close(h->items[i].program_fd);
		lkst_hook_detach(&h->items[i]);
	}
	h->nr = kept;
}

void lkst_hook_pin_name(const struct lkst_hook *hook, char name[LKST_HOOK_PIN_MAX])
{
	if (hook->handler == LKST_HANDLER_DEFAULT)
		snprintf(name, LKST_HOOK_PIN_MAX, "%s", hook->name);
	else
		snprintf(name, LKST_HOOK_PIN_MAX, "handler-%u-%s", hook->handler, hook->name);
}

void lkst_hooks_fini(struct lkst_hooks *h)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++) {
		close(h->items[i].program_fd);
		lkst_hook_detach(&h->items[i]);
	}
	free(h->items);
	h->items = NULL;
	h->nr = 0;
}

static bool hooks_is_at(const struct lkst_hook *hook, enum lkst_hook_kind kind, const char *target)
{
	return hook->kind == kind && !strcmp(hook->target, target);
}

struct lkst_hook *lkst_hooks_find(const struct lkst_hooks *h, enum lkst_hook_kind kind,
				  const char *target)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++)
		if (h->items[i].handler == LKST_HANDLER_DEFAULT &&
		    hooks_is_at(&h->items[i], kind, target))
			return &h->items[i];
	return NULL;
}

/* The hooks of the catalogue's event @index: of each of its rows that was chosen. NULL: it has none. */
static struct lkst_hook *hooks_of_builtin(const struct lkst_hooks *h, unsigned int index)
{
	struct lkst_hook *first = NULL, *last = NULL;
	unsigned int i;

	for (i = 0; i < lkst_events[index].nr_hooks; i++) {
		const struct lkst_hook_desc *row = &lkst_events[index].hooks[i];
		struct lkst_hook *hook = lkst_hooks_find(h, lkst_hook_kind(row), row->target);

		if (!hook || hook == first)
			continue;
		if (last)
			last->next = hook - h->items + 1;
		else
			first = hook;
		last = hook;
	}
	return first;
}

/* The first hook that serves the event, or NULL. */
static struct lkst_hook *hook_of(const struct lkst_hooks *h, const struct lkst_event_class *event)
{
	if (event->syscall >= 0)
		return lkst_hooks_find(h, LKST_HOOK_TP,
				       event->half == LKST_HALF_EXIT ? syscall_exit
								     : syscall_entry);
	if (event->group == LKST_GROUP_HANDLER)
		return NULL;
	if (event->group == LKST_GROUP_PROBE)
		return lkst_hooks_find(h, LKST_HOOK_PROBE, event->name);
	return event->index < 0 ? lkst_hooks_find(h, LKST_HOOK_BY_NAME, event->name)
				: hooks_of_builtin(h, event->index);
}

void lkst_hooks_assign(struct lkst_hooks *h, const struct lkst_catalog *c)
{
	u32 id, nr_tracepoints = 0;

	h->nr_default = h->nr;
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];
		struct lkst_hook *hook = event ? hook_of(h, event) : NULL;

		h->of[id] = hook ? hook - h->items + 1 : 0;
		/* Their plans are in the order of their ids (live/kernel/plan.c). */
		if (!event || event->group != LKST_GROUP_TRACEPOINT)
			continue;
		if (hook)
			hook->plan = nr_tracepoints;
		nr_tracepoints++;
	}
}

/* The hook of @handler that handles event @id, or NULL. */
static const struct lkst_hook *hook_of_handler(const struct lkst_hooks *h, u32 id, u8 handler)
{
	unsigned int i;

	if (!h->of[id] || handler == LKST_HANDLER_NOTHING)
		return NULL;
	if (handler == LKST_HANDLER_DEFAULT)
		return &h->items[h->of[id] - 1];
	for (i = h->nr_default; i < h->nr; i++)
		if (h->items[i].handler == handler && h->items[i].base == h->of[id] - 1)
			return &h->items[i];
	return NULL;
}

bool lkst_hooks_serve(const struct lkst_hooks *h, u32 id, u8 handler)
{
	return hook_of_handler(h, id, handler) != NULL;
}

/* Entry and exit of system calls: each knows what the other has seen, the strings that entry could not read. */
static void mark_other_half(const struct lkst_hooks *h, bool *wanted)
{
	unsigned int i, j;

	for (i = 0; i < h->nr; i++) {
		if (!hooks_is_at(&h->items[i], LKST_HOOK_TP, syscall_entry))
			continue;
		for (j = 0; j < h->nr; j++)
			if (h->items[j].handler == h->items[i].handler &&
			    hooks_is_at(&h->items[j], LKST_HOOK_TP, syscall_exit) &&
			    (wanted[i] || wanted[j]))
				wanted[i] = wanted[j] = true;
	}
}

/* Marks what @handler has at the place of DEFAULT's hook @base. */
static void mark_hook(const struct lkst_hooks *h, u32 base, u8 handler, bool *wanted)
{
	unsigned int i;

	if (handler == LKST_HANDLER_NOTHING)
		return;
	if (handler == LKST_HANDLER_DEFAULT)
		wanted[base] = true;
	for (i = h->nr_default; i < h->nr; i++)
		if (h->items[i].handler == handler && h->items[i].base == base)
			wanted[i] = true;
}

void lkst_hooks_mark(const struct lkst_hooks *h, const u16 *route, bool *wanted)
{
	unsigned int id, i;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		for (i = h->of[id]; i; i = h->items[i - 1].next)
			mark_hook(h, i - 1, lkst_route_handler(route[id]), wanted);
	for (i = 0; i < h->nr; i++)
		wanted[i] |= h->items[i].is_always;
	mark_other_half(h, wanted);
}

/* ---- attaching ------------------------------------------------------------------------------- */

static int open_perf_event(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	/* One event on one CPU: the program still runs on every CPU (kernel/trace/bpf_trace.c). */
	return syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The number that follows @prefix in a file of the kprobe event source. */
static int hooks_read_number(const char *path, const char *format)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int value;

	return f && fscanf(f, format, &value) == 1 ? value : -ENOTSUP;
}

/* A perf event at the entry or return of @function (kernel/events/core.c, perf_kprobe). */
static int open_kprobe(const char *function, bool is_return)
{
	int type = hooks_read_number(KPROBE_SOURCE "/type", "%d");
	int bit = is_return ? hooks_read_number(KPROBE_SOURCE "/format/retprobe", "config:%d") : 0;
	struct perf_event_attr attr = { .type = type, .kprobe_func = (uintptr_t)function };

	if (type < 0 || bit < 0) {
		errno = ENOTSUP;
		return -1;
	}
	attr.config = is_return ? 1ULL << bit : 0;
	return open_perf_event(&attr);
}

static int ask_perf_id(struct lkst_err *e, struct lkst_hook *hook)
{
	_cleanup_close_ int tracefs = lkst_tracefs_open(e);
	struct lkst_tracefs_about about = { .perf_id = -1 };
	struct lkst_tracepoint_plan plan;
	struct lkst_event_class event = {};
	char system[LKST_NAME_MAX];
	const char *colon = strchr(hook->target, ':');
	int err;

	if (tracefs < 0)
		return tracefs;
	if (!colon)
		return lkst_err_set(e, -EINVAL, "%s is not a tracepoint", hook->name);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - hook->target), hook->target);
	err = lkst_tracefs_describe(e, tracefs, system, colon + 1, &event, &plan, &about);
	hook->perf_id = about.perf_id;
	free(event.fields);
	return err;
}

static int open_tracepoint(struct lkst_err *e, struct lkst_hook *hook)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	int err = hook->perf_id < 0 ? ask_perf_id(e, hook) : 0, fd;

	if (err)
		return err;
	attr.config = hook->perf_id;
	fd = open_perf_event(&attr);
	return fd < 0 ? lkst_err_sys(e, -errno, "attaching it failed") : fd;
}

/*
 * Before Linux 5.15 (b89fbfbb854c) a perf event has no link, and keeps its program as long as it is open itself. A map
 * with BPF_F_PRESERVE_ELEMS (Linux 5.10, 792caccc4526) keeps it open for as long as there is the map. Returns that.
 */
static int attach_in_map(const struct lkst_hook *hook, int event_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_PRESERVE_ELEMS);
	_cleanup_close_ int map = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "lkst_attached", sizeof(u32),
						 sizeof(u32), 1, &options);
	const u32 zero = 0;

	if (map < 0 || ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, hook->program_fd) ||
	    bpf_map_update_elem(map, &zero, &event_fd, BPF_ANY))
		return -errno;
	return lkst_take_fd(map);
}

/* Attaches the hook's program to a perf event, which the link then keeps. */
static int attach_to_event(struct lkst_err *e, struct lkst_hook *hook, int event_fd)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = hook->plan);
	_cleanup_close_ int fd =
		bpf_link_create(hook->program_fd, event_fd, BPF_PERF_EVENT, &options);

	/* Those by name need the cookie. */
	if (fd < 0 && errno == EINVAL && hook->kind != LKST_HOOK_BY_NAME) {
		fd = attach_in_map(hook, event_fd);
		errno = fd < 0 ? -fd : 0;
	}
	if (fd < 0)
		return lkst_err_sys(e, -errno, "attaching it failed");
	if (ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0))
		return lkst_err_sys(e, -errno, "enabling it failed");
	hook->link_fd = lkst_take_fd(fd);
	hook->is_attached = true;
	return 0;
}

/* A typed program was loaded for its tracepoint and takes no name; an untyped one does. */
static int attach_to_tracepoint(struct lkst_err *e, struct lkst_hook *hook)
{
	struct bpf_prog_info program = {};
	u32 length = sizeof(program);

	if (bpf_obj_get_info_by_fd(hook->program_fd, &program, &length))
		return lkst_err_sys(e, -errno, "asking for its program's type");
	hook->link_fd = bpf_raw_tracepoint_open(
		program.type == BPF_PROG_TYPE_RAW_TRACEPOINT ? hook->target : NULL,
		hook->program_fd);
	hook->is_attached = hook->link_fd >= 0;
	return hook->is_attached ? 0 : lkst_err_sys(e, -errno, "attaching it failed");
}

static int attach_watch(struct lkst_err *e, const struct lkst_probe_row *row, int program_fd)
{
	struct perf_event_attr attr;
	int err = lkst_probe_row_attr(e, row, &attr);

	attr.disabled = 1;
	return err ?: lkst_each_cpu_attach(e, &attr, program_fd);
}

/* At most places what keeps it attached is the link of one perf event. */
static int attach_probe(struct lkst_err *e, struct lkst_hook *hook)
{
	_cleanup_free_ struct lkst_probe_row *row = NULL;
	_cleanup_close_ int event = -1;
	int err = lkst_probe_row_read(e, hook->own, hook->target, &row);

	if (err)
		return err;
	if (row->is_by_tracefs) {
		hook->link_fd = lkst_probe_tracefs_attach(e, row, hook->program_fd);
	} else if (row->watch) {
		hook->link_fd = attach_watch(e, row, hook->program_fd);
	} else if (row->nr_places) {
		hook->link_fd = lkst_probe_places_attach(e, hook->own, hook->target, row, hook->program_fd);
	} else {
		event = lkst_probe_row_open(e, row);
		return event < 0 ? event : attach_to_event(e, hook, event);
	}
	hook->is_attached = hook->link_fd >= 0;
	return hook->is_attached ? 0 : hook->link_fd;
}

/* A perf event at the hook, which a link then attaches the program to. */
static int hooks_open_event(struct lkst_err *e, struct lkst_hook *hook)
{
	int fd;

	if (hook->kind == LKST_HOOK_BY_NAME)
		return open_tracepoint(e, hook);
	fd = open_kprobe(hook->target, hook->kind == LKST_HOOK_KRETPROBE);
	return fd < 0 ? lkst_err_sys(e, -errno, "attaching it failed") : fd;
}

static int attach_sampling(struct lkst_err *e, struct lkst_hook *hook)
{
	hook->link_fd = lkst_sampling_attach(e, &hook->sampling, hook->program_fd);
	hook->is_attached = hook->link_fd >= 0;
	return hook->is_attached ? 0 : hook->link_fd;
}

int lkst_hook_attach(struct lkst_err *e, struct lkst_hook *hook)
{
	_cleanup_close_ int event = -1;

	if (hook->kind == LKST_HOOK_TP || hook->kind == LKST_HOOK_TP_TOO)
		return attach_to_tracepoint(e, hook);
	if (hook->kind == LKST_HOOK_PERF)
		return attach_sampling(e, hook);
	if (hook->kind == LKST_HOOK_PROBE)
		return attach_probe(e, hook);
	event = hooks_open_event(e, hook);
	return event < 0 ? event : attach_to_event(e, hook, event);
}

static void close_link(struct lkst_hook *hook)
{
	if (hook->link_fd >= 0)
		close(hook->link_fd);
	hook->link_fd = -1;
}

void lkst_hook_detach(struct lkst_hook *hook)
{
	close_link(hook);
	hook->is_attached = false;
}

void lkst_hooks_close_links(struct lkst_hooks *h)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++)
		close_link(&h->items[i]);
}

/*
 * What newer kernels report about a link, of which the headers that this is built with may know less: struct
 * bpf_link_info up to the members perf_event.kprobe.missed and kprobe_multi.missed, which came with Linux 6.7.
 */
struct kprobe_link_info {
	u32 type, id, prog_id, pad;
	union {
		struct {
			u32 event_type, pad2;
			u64 func_name;
			u32 name_len, offset;
			u64 addr, missed;
		};
		struct {
			u64 addrs;
			u32 count, flags;
			u64 missed;
		} multi;
	};
};

enum {
	EVENT_TYPE_KPROBE = 3, /* enum bpf_perf_event_type */
	EVENT_TYPE_KRETPROBE = 4,
};

/*
 * How often the kernel did not get as far as the program: a probe was hit while another one was being handled. What
 * keeps it attached may be a map of perf events, whose type is none of these.
 */
static u64 probe_missed(const struct kprobe_link_info *link, u32 length)
{
	_Static_assert((int)BPF_MAP_TYPE_PERF_EVENT_ARRAY != (int)BPF_LINK_TYPE_PERF_EVENT &&
			       (int)BPF_MAP_TYPE_PERF_EVENT_ARRAY !=
				       (int)BPF_LINK_TYPE_KPROBE_MULTI,
		       "a map must not be taken for a link");
	if (length >= sizeof(*link) && link->type == BPF_LINK_TYPE_KPROBE_MULTI)
		return link->multi.missed;
	if (length < sizeof(*link) || link->type != BPF_LINK_TYPE_PERF_EVENT)
		return 0;
	return link->event_type == EVENT_TYPE_KPROBE || link->event_type == EVENT_TYPE_KRETPROBE
		       ? link->missed
		       : 0;
}

/* The link's descriptor: this process's own, or the pinned one. Close it. */
static int open_link(const struct lkst_hook *hook)
{
	char pin[LKST_HOOK_PIN_MAX];

	if (hook->link_fd >= 0 || !hook->is_attached)
		return hook->link_fd >= 0 ? dup(hook->link_fd) : -1;
	lkst_hook_pin_name(hook, pin);
	return lkst_pins_get(NULL, hook->own, pin);
}

u64 lkst_hook_skipped(const struct lkst_hook *hook)
{
	_cleanup_close_ int link_fd = open_link(hook);
	struct kprobe_link_info link = {};
	struct bpf_prog_info program = {};
	u32 length = sizeof(link);
	u64 missed = 0;

	if (link_fd >= 0 && !bpf_obj_get_info_by_fd(link_fd, &link, &length))
		missed = probe_missed(&link, length);
	length = sizeof(program);
	if (bpf_obj_get_info_by_fd(hook->program_fd, &program, &length))
		return missed;
	return missed + program.recursion_misses;
}
