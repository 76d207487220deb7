/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records are of what the kernel counts itself. */
#include "trace/read/counted.h"

void lkst_counted_map(struct lkst_counted *m, const struct lkst_catalog *catalog)
{
	static const struct {
		enum lkst_event_index index;
		enum lkst_counter kind;
		const char *number; /* the field that says which; NULL: `fixed` */
		s32 fixed;
	} rows[] = {
		{ LKST_EV_sched_switch, LKST_COUNTER_SWITCHES, NULL, 0 },
		{ LKST_EV_task_newtask, LKST_COUNTER_FORKS, NULL, 0 },
		{ LKST_EV_softirq_entry, LKST_COUNTER_SOFTIRQ, "vec", 0 },
		{ LKST_EV_irq_handler_entry, LKST_COUNTER_IRQ, "irq", 0 },
		{ LKST_EV_local_timer_entry, LKST_COUNTER_VECTOR, NULL, LKST_VECTOR_TIMER },
		{ LKST_EV_reschedule_entry, LKST_COUNTER_VECTOR, NULL, LKST_VECTOR_RESCHEDULE },
		{ LKST_EV_call_function_entry, LKST_COUNTER_VECTOR, NULL, LKST_VECTOR_CALL },
		{ LKST_EV_call_function_single_entry, LKST_COUNTER_VECTOR, NULL, LKST_VECTOR_CALL },
		{ LKST_EV_block_rq_complete, LKST_COUNTER_DISK, "dev", 0 },
		{ LKST_EV_net_dev_start_xmit, LKST_COUNTER_SENT, "ifindex", 0 },
		{ LKST_EV_page_fault_user, LKST_COUNTER_FAULTS, NULL, 0 },
		{ LKST_EV_page_fault_kernel, LKST_COUNTER_FAULTS, NULL, 0 },
	};
	unsigned int i;
	u32 id;

	for (id = 0; id <= LKST_ID_MAX; id++)
		for (i = 0; catalog->classes[id] && i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (catalog->classes[id]->index != (s16)rows[i].index)
				continue;
			m->kind[id] = rows[i].kind + 1;
			m->fixed[id] = rows[i].fixed;
			if (rows[i].number)
				m->number_of[id] =
					lkst_class_field(catalog->classes[id], rows[i].number);
		}
}

bool lkst_counted_of(const struct lkst_counted *m, const struct lkst_record *r, u8 *ret_kind,
		     s32 *ret_number)
{
	const u16 id = r->event->id;

	if (!m->kind[id])
		return false;
	*ret_kind = m->kind[id] - 1;
	*ret_number = m->number_of[id] ? (s32)lkst_record_int(r, m->number_of[id]) : m->fixed[id];
	return true;
}
