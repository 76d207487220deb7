/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel's objects in the keys of tables. */
#include "analyze/engine/naming.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "analyze/engine/request.h"

enum { MINOR_BITS = 20 }; /* of a disk's number, include/linux/kdev_t.h */

void lkst_name_address(struct lkst_symbols *s, const char *prefix, u64 address,
		       char text[LKST_KEY_TEXT])
{
	char full[LKST_KEY_TEXT + LKST_SYMBOL_ROOM];
	size_t length = strlen(prefix);

	if (length >= LKST_KEY_TEXT)
		length = LKST_KEY_TEXT - 1;
	memcpy(full, prefix, length);
	length = (size_t)(lkst_symbols_put(s, full + length, address) - full);
	lkst_put_key(text, full, length);
}

void lkst_name_irq(const struct lkst_labels *l, s32 irq, char text[LKST_KEY_TEXT])
{
	const char *name = lkst_labels_find(l, LKST_LABEL_IRQ, (u32)irq);
	char full[LKST_LABEL_TEXT + 24];
	int length = name ? snprintf(full, sizeof(full), "irq:%d:%s", irq, name)
			  : snprintf(full, sizeof(full), "irq:%d", irq);

	lkst_put_key(text, full, (size_t)length);
}

void lkst_name_softirq(u32 vec, char text[LKST_KEY_TEXT])
{
	if (vec < LKST_NR_SOFTIRQS)
		snprintf(text, LKST_KEY_TEXT, "softirq:%s", lkst_softirq_names[vec]);
	else
		snprintf(text, LKST_KEY_TEXT, "softirq:%u", vec);
}

void lkst_name_request(const struct lkst_labels *l, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const operations[] = { "read", "write", "flush", "discard" };
	u32 dev = (u32)(key >> 8), op = key & LKST_REQUEST_OP_MASK;
	const char *name = lkst_labels_find(l, LKST_LABEL_DISK, dev);
	char full[LKST_KEY_TEXT], number[24];
	int length;

	snprintf(number, sizeof(number), "%u,%u", dev >> MINOR_BITS, dev & ((1 << MINOR_BITS) - 1));
	if (op < sizeof(operations) / sizeof(operations[0]))
		length =
			snprintf(full, sizeof(full), "%s:%s", name ? name : number, operations[op]);
	else
		length = snprintf(full, sizeof(full), "%s:operation%u", name ? name : number, op);
	lkst_put_key(text, full, (size_t)length);
}

/* The event that begins a vector's interrupt is called <name>_entry. */
void lkst_name_vector(u64 index, char text[LKST_KEY_TEXT])
{
	const char *name = index < LKST_NR_EVENTS ? lkst_events[index].name : "vector_entry";

	snprintf(text, LKST_KEY_TEXT, "%.*s", (int)(strlen(name) - strlen("_entry")), name);
}

/* The functions on the way from a tracepoint to a program, and those that only lock. */
static bool is_locking(const char *name)
{
	static const char *const patterns[] = {
		"bpf_prog_*",  "bpf_trace_run*", "__bpf_trace_*", "__traceiter_*",
		"*_slowpath*", "*_spin_lock*",	 "_raw_read_*",	  "_raw_write_*",
		"__raw_*",     "queued_*",	 "mutex_lock*",	  "__mutex_lock*",
		"ww_mutex_*",  "__ww_mutex_*",	 "rwsem_*",	  "down",
		"down_*",      "__down*",	 "percpu_down_*", "percpu_rwsem_*",
		"__percpu_*",  "rt_mutex_*",	 "__rt_mutex_*",  "rt_read_*",
		"rt_write_*",  "rtlock_*",	 "rwbase_*",	  "osq_lock*", "raw_spin_rq_*",
	};
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

u64 lkst_name_asker(struct lkst_symbols *s, const u64 *frames, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u64 offset;
		const char *name = lkst_symbols_find(s, frames[i], &offset);

		if (!name)
			return 0;
		if (!is_locking(name))
			return frames[i] - offset;
	}
	return 0;
}
