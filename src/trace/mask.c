/* SPDX-License-Identifier: GPL-2.0-only */
/* Masksets: the numbers of events, and what is done with each. */
#include "trace/mask.h"

#include <stdio.h>
#include <string.h>

#include "abi/syscalls.h"

/* Rare, and precious for hours: they go to the small buffer that hot events cannot evict. */
static const enum lkst_event_index life_events[] = {
	LKST_EV_sched_process_fork,
	LKST_EV_sched_process_exec,
	LKST_EV_sched_process_exit,
	LKST_EV_sched_process_free,
	LKST_EV_task_rename,
	LKST_EV_task_newtask,
	LKST_EV_mark_victim,
	LKST_EV_panic,
	LKST_EV_oops,
};

/*
 * The numbers of mnemonics that no document of LKST's tells. They are this program's, by LKST's groups
 * in its order; the known ones are in events.def.
 */
static const struct {
	u16 type;
	const char *mnemonic;
} assigned[] = {
	{ 0x40, "MEM_SWAPOUT" },      { 0x41, "MEM_SWAPIN" },	   { 0x42, "MEM_DO_NOPAGE" },
	{ 0x43, "MEM_DO_WPPAGE" },    { 0x44, "MEM_WAIT_PAGE" },   { 0x45, "MEM_GET_FREEPAGE" },
	{ 0x47, "MEM_FREEPAGE" },     { 0x48, "MEM_VMALLOC" },	   { 0x49, "MEM_VFREE" },
	{ 0x4a, "MEM_CACHE_CREATE" }, { 0x4b, "MEM_CACHE_ALLOC" }, { 0x4c, "MEM_MALLOC" },
	{ 0x4d, "MEM_CACHE_FREE" },   { 0x4e, "MEM_FREE" },	   { 0x50, "FS_DEVRW" },
	{ 0x51, "FS_DEVEND" },	      { 0x52, "FS_BUFBUSY" },	   { 0x60, "NET_PKTSEND" },
	{ 0x61, "NET_PKTSENDI" },     { 0x62, "NET_PKTRECV" },	   { 0x63, "NET_PKTRECVI" },
	{ 0x64, "NET_SOCKETIF" },     { 0x70, "SYSV_IPC" },	   { 0x80, "LK_SPINLOCK" },
	{ 0x81, "LK_SPINTRYLOCK" },   { 0x82, "LK_SPINUNLOCK" },   { 0x83, "LK_WRLOCK" },
	{ 0x84, "LK_WRTRYLOCK" },     { 0x85, "LK_WRUNLOCK" },	   { 0x86, "LK_RDLOCK" },
	{ 0x87, "LK_RDUNLOCK" },      { 0x90, "TIMER_RUN" },	   { 0x91, "TIMER_ADD" },
	{ 0x93, "TIMER_DEL" },	      { 0x94, "TIMER_DEL_SYNC" },  { 0xa0, "O_PORTIN" },
	{ 0xa1, "O_PORTOUT" },	      { 0xa2, "O_PANIC" },	   { 0xa3, "O_PRINTK" },
};
enum { NR_ASSIGNED = sizeof(assigned) / sizeof(assigned[0]) };

_Static_assert(LKST_TYPE_OWN + LKST_NR_EVENTS <= LKST_TYPE_SYSCALL, "the catalogue has its range");

/* Without them a trace cannot say who is who. */
#define LIVES "sched_process_*", "task_newtask", "task_rename"

const struct lkst_shipped_mask lkst_shipped_masks[] = {
	{ "flight",
	  "the flight recorder's: system calls, switches, wake-ups",
	  { "syscall:*", "sched_switch", "sched_wakeup", "sched_wakeup_new", LIVES } },
	{ "latency",
	  "who runs, who waits and what interrupts: scheduling, interrupts, timers, contended locks",
	  { "sched:*", "signal:*", "irq:*", "timer_expire_*", "hrtimer_expire_*", "workqueue:*",
	    "contention_*", LIVES } },
	{ "memory",
	  "allocations, page faults, reclaim, and the calls that map memory",
	  { "memory:*", "page_fault_*", "syscall:mmap", "syscall:munmap", "syscall:mremap",
	    "syscall:mprotect", "syscall:madvise", "syscall:brk", LIVES } },
	{ "io",
	  "disks, and the calls that read and write files",
	  { "block:*",
	    "sched_switch",
	    "sched_wakeup",
	    "syscall:read",
	    "syscall:readv",
	    "syscall:pread*",
	    "syscall:write",
	    "syscall:writev",
	    "syscall:pwrite*",
	    "syscall:open*",
	    "syscall:close",
	    "syscall:*sync*",
	    "syscall:*stat*",
	    "syscall:getdents*",
	    "syscall:rename*",
	    "syscall:unlink*",
	    "syscall:fallocate",
	    "syscall:*sendfile*",
	    "syscall:*splice",
	    "syscall:io_*",
	    "syscall:copy_file_range",
	    LIVES } },
	{ "net",
	  "packets, connections, and the calls on sockets",
	  { "net:*", "softirq_*", "sched_switch", "sched_wakeup", "syscall:*socket*",
	    "syscall:bind", "syscall:listen", "syscall:accept*", "syscall:connect", "syscall:send*",
	    "syscall:recv*", "syscall:shutdown", "syscall:get*name", "syscall:*poll*",
	    "syscall:*select*", LIVES } },
	{},
};

/* ---- numbers ---------------------------------------------------------------------------------- */

const char *lkst_event_mnemonic(const struct lkst_event_class *event)
{
	enum lkst_event_index same = LKST_EV_syscall_entry_unknown;

	if (event->index >= 0)
		return lkst_events[event->index].mnemonic;
	if (event->syscall < 0)
		return NULL;
	if (strstr(event->name, "syscall_exit_"))
		same = LKST_EV_syscall_exit_unknown;
	return lkst_events[same].mnemonic;
}

u16 lkst_mnemonic_type(const char *mnemonic)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_events[i].lkst_id && !strcmp(lkst_events[i].mnemonic, mnemonic))
			return lkst_events[i].lkst_id;
	for (i = 0; i < NR_ASSIGNED; i++)
		if (!strcmp(assigned[i].mnemonic, mnemonic))
			return assigned[i].type;
	return LKST_TYPE_NONE;
}

const char *lkst_type_mnemonic(u16 type)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (type && lkst_events[i].lkst_id == type)
			return lkst_events[i].mnemonic;
	for (i = 0; i < NR_ASSIGNED; i++)
		if (assigned[i].type == type)
			return assigned[i].mnemonic;
	return NULL;
}

bool lkst_mask_decides(const struct lkst_event_class *event)
{
	return event->group != LKST_GROUP_STATE && event->group != LKST_GROUP_RECORDER &&
	       event->group != LKST_GROUP_HANDLER;
}

void lkst_event_types_init(struct lkst_event_types *types, const struct lkst_catalog *c)
{
	u32 id, next_tracepoint = LKST_TYPE_TRACEPOINT;

	memset(types, 0, sizeof(*types));
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];
		const char *mnemonic = event ? lkst_event_mnemonic(event) : NULL;

		if (!event || !lkst_mask_decides(event))
			continue;
		if (mnemonic)
			types->shared[id] = lkst_mnemonic_type(mnemonic);
		if (event->index >= 0)
			types->own[id] = LKST_TYPE_OWN + event->index;
		else if (event->syscall >= 0)
			types->own[id] = LKST_TYPE_SYSCALL + 2 * event->syscall +
					 (strstr(event->name, "syscall_exit_") != NULL);
		else if (next_tracepoint < LKST_TYPE_END)
			types->own[id] = next_tracepoint++;
	}
}

/* ---- what is done with events ----------------------------------------------------------------- */

u8 lkst_mask_usual_buffer(const struct lkst_event_class *event)
{
	size_t i;

	for (i = 0; i < sizeof(life_events) / sizeof(life_events[0]); i++)
		if (event->index == (int)life_events[i])
			return LKST_BUFFER_LIFE;
	return LKST_BUFFER_MAIN;
}

void lkst_mask_init(struct lkst_mask *mask, const char *name)
{
	u32 id;

	memset(mask, 0, sizeof(*mask));
	snprintf(mask->name, sizeof(mask->name), "%s", name);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		mask->route[id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
}

static void set(struct lkst_mask *mask, const struct lkst_event_class *event, u8 handler,
		int buffer)
{
	if (buffer == LKST_BUFFER_USUAL)
		buffer = lkst_mask_usual_buffer(event);
	if (handler == LKST_HANDLER_NOTHING)
		buffer = LKST_BUFFER_MAIN;
	mask->route[event->id] = lkst_route(handler, (u8)buffer);
}

unsigned int lkst_mask_set_type(struct lkst_mask *mask, const struct lkst_catalog *c,
				const struct lkst_event_types *types, u16 type, u8 handler,
				int buffer)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (types->own[id] && (types->own[id] == type || types->shared[id] == type)) {
			set(mask, c->classes[id], handler, buffer);
			nr++;
		}
	return nr;
}

unsigned int lkst_mask_set_glob(struct lkst_mask *mask, const struct lkst_catalog *c,
				const char *glob, u8 handler, int buffer)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event || !lkst_mask_decides(event) || !lkst_class_is_named(event, glob))
			continue;
		set(mask, event, handler, buffer);
		nr++;
	}
	return nr;
}

bool lkst_mask_has_by_default(const struct lkst_event_desc *d)
{
	return d->group != LKST_GROUP_LOCK || d->hooks[0].kind == LKST_HOOK_TP;
}

/* A tracepoint by name is not LKST's, so that only "all" has it. */
static bool is_default(const struct lkst_event_class *event)
{
	return event->index >= 0 ? lkst_mask_has_by_default(&lkst_events[event->index])
				 : event->group != LKST_GROUP_TRACEPOINT;
}

void lkst_mask_set_all(struct lkst_mask *mask, const struct lkst_catalog *c, bool is_all)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event || !lkst_mask_decides(event))
			continue;
		if (is_all || is_default(event))
			set(mask, event, LKST_HANDLER_DEFAULT, LKST_BUFFER_USUAL);
	}
}

unsigned int lkst_mask_count(const u16 *route, const struct lkst_catalog *c)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += c->classes[id] && lkst_mask_decides(c->classes[id]) &&
		      (route[id] & 0xff) != LKST_HANDLER_NOTHING;
	return nr;
}

/* ---- the shipped ones ------------------------------------------------------------------------- */

const struct lkst_shipped_mask *lkst_shipped_mask_find(const char *name)
{
	const struct lkst_shipped_mask *shipped;

	for (shipped = lkst_shipped_masks; shipped->name; shipped++)
		if (!strcmp(shipped->name, name))
			return shipped;
	return NULL;
}

void lkst_shipped_mask_fill(const struct lkst_shipped_mask *shipped, const struct lkst_catalog *c,
			    struct lkst_mask *mask)
{
	unsigned int i;

	lkst_mask_init(mask, shipped->name);
	for (i = 0; shipped->globs[i]; i++)
		lkst_mask_set_glob(mask, c, shipped->globs[i], LKST_HANDLER_DEFAULT,
				   LKST_BUFFER_USUAL);
}
