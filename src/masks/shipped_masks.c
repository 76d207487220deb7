/* SPDX-License-Identifier: GPL-2.0-only */
/* The masksets that come with the program. */
#include "masks/shipped_masks.h"

#include <string.h>

const struct lkst_shipped_mask lkst_shipped_masks[] = {
	{ "standard",
	  "what the state model, `lkst report` and `lkst why` read, and nothing else",
	  {
#define STANDARD(glob, readers, use) glob,
#include "masks/standard.def"
#undef STANDARD
	  } },
	{ "core",
	  "who runs, who waits in which call, and what wakes: switches, wakings, the lives of threads",
	  { "sched_switch", "sched_waking", "sched_wakeup_new", "exec_args", "printk_console", "panic", "oops",
	    "mark_victim", "mce_record", "error_report_end" } },
	{ "flight",
	  "the flight recorder's: system calls, switches, wake-ups",
	  { "syscall:*", "sched_switch", "sched_blocker", "sched_waking", "sched_wakeup", "sched_wakeup_new" } },
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
#include "masks/standard.def"
#include "trace/format/event_types.h"
#undef STANDARD
	};
	u8 readers = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (lkst_class_is_named(event, rows[i].glob))
			readers |= rows[i].readers;
	return readers;
}

#define STANDARD(glob, readers, use) +1
_Static_assert(0
#include "masks/standard.def"
	       < LKST_SHIPPED_GLOBS_MAX, "NULL ends the globs");
#undef STANDARD

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
