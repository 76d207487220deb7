/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the kernel's objects in the keys of tables: interrupts are called by their devices; functions,
 * locks and slab caches by the symbols that the trace has. An object without a name there is called by its
 * number. All texts are without blanks.
 */
#ifndef LKST_ANALYZE_ENGINE_NAMING_H
#define LKST_ANALYZE_ENGINE_NAMING_H

#include "analyze/engine/labels.h"
#include "analyze/engine/tally.h"
#include "trace/known/symbols.h"

/* "tick_nohz_handler", "kmalloc:do_sys_open+0x1f" with @prefix "kmalloc:". */
void lkst_name_address(struct lkst_symbols *s, const char *prefix, u64 address,
		       char text[LKST_KEY_TEXT]);

/* "irq:24:eth0", "irq:24". */
void lkst_name_irq(const struct lkst_labels *l, s32 irq, char text[LKST_KEY_TEXT]);

/* "softirq:TIMER", "softirq:12". */
void lkst_name_softirq(u32 vec, char text[LKST_KEY_TEXT]);

/* "vda:read", "8,16:write": what is done on which disk, by lkst_request_key() (analyze/engine/request.h). */
void lkst_name_request(const struct lkst_labels *l, u64 key, char text[LKST_KEY_TEXT]);

/* "local_timer": the kernel's own interrupt that the event @index (enum lkst_event_index) begins. */
void lkst_name_vector(u64 index, char text[LKST_KEY_TEXT]);

/*
 * Which function asked for a lock, by the stack of @nr @frames, the innermost first: the first that does not
 * only lock. Returns where it begins; 0: there are no names.
 */
u64 lkst_name_asker(struct lkst_symbols *s, const u64 *frames, unsigned int nr);

#endif
