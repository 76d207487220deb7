/* SPDX-License-Identifier: GPL-2.0-only */
/* Masksets: the numbers of events, and what is done with each. */
#include "trace/mask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/syscalls.h"
#include "trace/condition.h"

/*
 * The numbers of mnemonics that no document of LKST gives. They are this program's own, by LKST's
 * groups in its order; the known ones are in events.def.
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

/* What LKST hooked separately, and the kernel has no hook of its own for (rows B22 and B50 of doc/heritage.md). */
static const struct lkst_represented represented[] = {
	{ 0x46,
	  "MEM_GET_ZEROPAGE",
	  { LKST_EV_mm_page_alloc, -1 },
	  "mm_page_alloc with __GFP_ZERO in gfp_flags" },
	{ 0x92,
	  "TIMER_MOD",
	  { LKST_EV_timer_cancel, LKST_EV_timer_start },
	  "timer_cancel and, right after it by the same thread, timer_start of that timer" },
};
enum { NR_REPRESENTED = sizeof(represented) / sizeof(represented[0]) };

_Static_assert(LKST_TYPE_OWN + LKST_NR_EVENTS <= LKST_TYPE_SYSCALL, "the catalogue has its range");

const struct lkst_shipped_mask lkst_shipped_masks[] = {
	{ "standard",
	  "what the state model, `lkst report` and `lkst why` read, and nothing else",
	  {
#define STANDARD(glob, readers, use) glob,
#include "trace/standard.def"
#undef STANDARD
	  } },
	{ "flight",
	  "the flight recorder's: system calls, switches, wake-ups",
	  { "syscall:*", "sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new" } },
	{ "latency",
	  "who runs, who waits and what interrupts: scheduling, interrupts, timers, contended locks",
	  { "sched:*", "signal:*", "irq:*", "timer_expire_*", "hrtimer_expire_*", "workqueue:*",
	    "contention_*" } },
	{ "memory",
	  "allocations, page faults, reclaim, and the calls that map memory",
	  { "memory:*", "page_fault_*", "syscall:mmap", "syscall:munmap", "syscall:mremap",
	    "syscall:mprotect", "syscall:madvise", "syscall:brk" } },
	{ "io",
	  "disks, and the calls that read and write files",
	  { "block:*",	       "sched_switch",	    "sched_wakeup",
	    "syscall:read",    "syscall:readv",	    "syscall:pread*",
	    "syscall:write",   "syscall:writev",    "syscall:pwrite*",
	    "syscall:open*",   "syscall:close",	    "syscall:*sync*",
	    "syscall:*stat*",  "syscall:getdents*", "syscall:rename*",
	    "syscall:unlink*", "syscall:fallocate", "syscall:*sendfile*",
	    "syscall:*splice", "syscall:io_*",	    "syscall:copy_file_range" } },
	{ "net",
	  "packets, connections, and the calls on sockets",
	  { "net:*", "softirq_*", "sched_switch", "sched_wakeup", "syscall:*socket*",
	    "syscall:bind", "syscall:listen", "syscall:accept*", "syscall:connect", "syscall:send*",
	    "syscall:recv*", "syscall:shutdown", "syscall:get*name", "syscall:*poll*",
	    "syscall:*select*" } },
	{},
};

u8 lkst_standard_readers(const struct lkst_event_class *event)
{
	enum {
		MODEL = LKST_READER_MODEL,
		REPORT = LKST_READER_REPORT,
		WHY = LKST_READER_WHY,
		CRASH = LKST_READER_CRASH,
	};
	static const struct {
		const char *glob;
		u8 readers;
	} rows[] = {
#define STANDARD(glob, readers, use) { glob, readers },
#include "trace/standard.def"
#undef STANDARD
	};
	u8 readers = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (lkst_class_is_named(event, rows[i].glob))
			readers |= rows[i].readers;
	return readers;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

const char *lkst_event_mnemonic(const struct lkst_event_class *event)
{
	enum lkst_event_index same = LKST_EV_syscall_entry_unknown;

	if (event->index >= 0)
		return lkst_events[event->index].mnemonic;
	if (event->syscall < 0)
		return NULL;
	if (event->half == LKST_HALF_EXIT)
		same = LKST_EV_syscall_exit_unknown;
	return lkst_events[same].mnemonic;
}

const struct lkst_represented *lkst_represented_find(const char *mnemonic)
{
	unsigned int i;

	for (i = 0; i < NR_REPRESENTED; i++)
		if (!strcmp(represented[i].mnemonic, mnemonic))
			return &represented[i];
	return NULL;
}

const struct lkst_represented *lkst_represented_by(int index)
{
	unsigned int i;

	for (i = 0; index >= 0 && i < NR_REPRESENTED; i++)
		if (represented[i].events[0] == index || represented[i].events[1] == index)
			return &represented[i];
	return NULL;
}

u16 lkst_mnemonic_type(const char *mnemonic)
{
	const struct lkst_represented *other = lkst_represented_find(mnemonic);
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_events[i].lkst_id && !strcmp(lkst_events[i].mnemonic, mnemonic))
			return lkst_events[i].lkst_id;
	for (i = 0; i < NR_ASSIGNED; i++)
		if (!strcmp(assigned[i].mnemonic, mnemonic))
			return assigned[i].type;
	return other ? other->type : LKST_TYPE_NONE;
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
	for (i = 0; i < NR_REPRESENTED; i++)
		if (represented[i].type == type)
			return represented[i].mnemonic;
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
		const struct lkst_represented *other;

		if (!event || !lkst_mask_decides(event))
			continue;
		other = lkst_represented_by(event->index);
		types->also[id] = other ? other->type : LKST_TYPE_NONE;
		if (mnemonic)
			types->shared[id] = lkst_mnemonic_type(mnemonic);
		if (event->index >= 0)
			types->own[id] = LKST_TYPE_OWN + event->index;
		else if (event->syscall >= 0)
			types->own[id] = LKST_TYPE_SYSCALL + 2 * event->syscall +
					 (event->half == LKST_HALF_EXIT);
		else if (next_tracepoint < LKST_TYPE_END)
			types->own[id] = next_tracepoint++;
	}
}

bool lkst_event_types_has(const struct lkst_event_types *types, u32 id, u16 type)
{
	return types->own[id] && type &&
	       (types->own[id] == type || types->shared[id] == type || types->also[id] == type);
}

/* ---- what is done with events ----------------------------------------------------------------- */

u8 lkst_mask_usual_buffer(const struct lkst_event_class *event)
{
	return event->index >= 0 ? lkst_events[event->index].buffer : LKST_BUFFER_MAIN;
}

bool lkst_mask_has_always(int index)
{
	return index >= 0 && lkst_events[index].recorded == LKST_RECORDED_ALWAYS;
}

static void set(struct lkst_mask *mask, const struct lkst_event_class *event, u8 handler,
		int buffer)
{
	if (handler == LKST_HANDLER_NOTHING && lkst_mask_has_always(event->index)) {
		handler = LKST_HANDLER_DEFAULT;
		buffer = LKST_BUFFER_USUAL;
	}
	if (buffer == LKST_BUFFER_USUAL)
		buffer = lkst_mask_usual_buffer(event);
	if (handler == LKST_HANDLER_NOTHING)
		buffer = LKST_BUFFER_MAIN;
	mask->route[event->id] = lkst_route(handler, (u8)buffer);
	mask->condition[event->id] = 0;
}

void lkst_mask_init(struct lkst_mask *mask, const char *name, const struct lkst_catalog *c)
{
	u32 id;

	memset(mask, 0, sizeof(*mask));
	snprintf(mask->name, sizeof(mask->name), "%s", name);
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		mask->route[id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
		if (c && c->classes[id])
			set(mask, c->classes[id], LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
	}
}

unsigned int lkst_mask_set_type(struct lkst_mask *mask, const struct lkst_catalog *c,
				const struct lkst_event_types *types, u16 type, u8 handler,
				int buffer)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_event_types_has(types, id, type)) {
			if (handler != LKST_HANDLER_NOTHING || types->also[id] != type)
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

/* The number of @text among @mask's conditions; where there is room for it, it is put there. */
static int number_condition(struct lkst_err *e, struct lkst_mask *mask, const char *text,
			    size_t length, unsigned int *ret_number)
{
	unsigned int i;

	for (i = 0; i < LKST_MASK_CONDITIONS && mask->conditions[i][0]; i++)
		if (!strncmp(mask->conditions[i], text, length) && !mask->conditions[i][length])
			break;
	if (i == LKST_MASK_CONDITIONS)
		return lkst_err_set(e, -E2BIG, "a maskset has at most %u different conditions",
				    LKST_MASK_CONDITIONS);
	memcpy(mask->conditions[i], text, length);
	mask->conditions[i][length] = 0;
	*ret_number = i;
	return 0;
}

int lkst_mask_set_condition(struct lkst_err *e, struct lkst_mask *mask,
			    const struct lkst_event_class *event, const char *text)
{
	struct lkst_trigger_term terms[LKST_TRIGGER_TERMS];
	unsigned int nr, number = 0;
	size_t length, i;
	int err;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t", text[length - 1]))
		length--;
	if (length >= LKST_MASK_CONDITION)
		return lkst_err_set(e, -E2BIG, "a condition in a maskset has at most %u characters",
				    LKST_MASK_CONDITION - 1);
	for (i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] == 0x7f)
			return lkst_err_set(e, -EINVAL, "a condition is one line of plain text");
	if (lkst_mask_has_always(event->index))
		return lkst_err_set(e, -EINVAL,
				    "%s is always recorded, since it says which thread is which",
				    event->name);
	if ((mask->route[event->id] & 0xff) != LKST_HANDLER_DEFAULT)
		return lkst_err_set(e, -EINVAL,
				    "a condition is for an event that is recorded (handler 1, "
				    "DEFAULT), which %s is not",
				    event->name);
	err = lkst_condition_compile(e, event, text, terms, &nr);
	if (!err)
		err = number_condition(e, mask, text, length, &number);
	if (!err)
		mask->condition[event->id] = (u8)(number + 1);
	return err;
}

int lkst_mask_set_glob_if(struct lkst_err *e, struct lkst_mask *mask, const struct lkst_catalog *c,
			  const char *glob, int buffer, const char *text, unsigned int *ret_nr)
{
	unsigned int nr = 0;
	int err = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];
		u16 before = mask->route[id];
		u8 condition = mask->condition[id];

		if (!event || !lkst_mask_decides(event) || !lkst_class_is_named(event, glob) ||
		    lkst_mask_has_always(event->index))
			continue;
		set(mask, event, LKST_HANDLER_DEFAULT, buffer);
		err = lkst_mask_set_condition(e, mask, event, text);
		if (err && err != -ENOENT)
			return err;
		if (err) {
			mask->route[id] = before;
			mask->condition[id] = condition;
		}
		nr += !err;
	}
	*ret_nr = nr;
	return nr ? 0 : err;
}

const char *lkst_mask_condition(const struct lkst_mask *mask, u32 id)
{
	u8 number = mask->condition[id];

	return number ? mask->conditions[(number - 1) % LKST_MASK_CONDITIONS] : NULL;
}

bool lkst_mask_has_conditions(const struct lkst_mask *mask)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (mask->condition[id])
			return true;
	return false;
}

bool lkst_mask_has_by_default(const struct lkst_event_desc *d)
{
	return d->recorded != LKST_RECORDED_ON_REQUEST;
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

	lkst_mask_init(mask, shipped->name, c);
	for (i = 0; shipped->globs[i]; i++)
		lkst_mask_set_glob(mask, c, shipped->globs[i], LKST_HANDLER_DEFAULT,
				   LKST_BUFFER_USUAL);
}
