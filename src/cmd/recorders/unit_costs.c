/* SPDX-License-Identifier: GPL-2.0-only */
/* What hooks and records cost on this machine, printed. */
#include "cmd/recorders/unit_costs.h"

void lkst_unit_costs_put(struct lkst_json *j, const struct lkst_costs *c)
{
	static const char *const types[LKST_HOOK_TYPE_NR] = {
		[LKST_HOOK_TYPE_TRACEPOINT] = "tracepoint",
		[LKST_HOOK_TYPE_SYSCALL] = "syscall",
		[LKST_HOOK_TYPE_BY_NAME] = "by_name",
		[LKST_HOOK_TYPE_KPROBE] = "kprobe",
		[LKST_HOOK_TYPE_KRETPROBE] = "kretprobe",
		[LKST_HOOK_TYPE_UPROBE] = "uprobe",
		[LKST_HOOK_TYPE_UPROBE_EMULATED] = "uprobe_emulated",
		[LKST_HOOK_TYPE_URETPROBE] = "uretprobe",
	};
	/* What recording adds. */
	static const char *const records[] = { "record", "syscall_record", "string", "stack" };
	unsigned int i;

	lkst_json_u64(j, "measuring_us", c->took_us);
	lkst_json_array(j, "measured");
	for (i = 0; i < LKST_COST_UNIT_NR; i++)
		if (c->measured & 1U << i)
			lkst_json_str(j, NULL,
				      i < LKST_HOOK_TYPE_NR ? types[i]
							    : records[i - LKST_COST_UNIT_RECORD]);
	lkst_json_end(j);
	lkst_json_object(j, "hook_ns");
	for (i = 0; i < LKST_HOOK_TYPE_NR; i++)
		lkst_json_u64(j, types[i], c->hook_ns[i]);
	lkst_json_end(j);
	lkst_json_u64(j, "record_ns", c->record_ns);
	lkst_json_u64(j, "syscall_ns", c->syscall_ns);
	lkst_json_u64(j, "string_ns", c->string_ns);
	lkst_json_u64(j, "stack_ns", c->stack_ns);
}
