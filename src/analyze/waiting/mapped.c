/* SPDX-License-Identifier: GPL-2.0-only */
/* A list for each process, the newest first; a child's goes on in its parent's. */
#include "analyze/waiting/mapped.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
	PLACES_MAX = 1 << 18,
	PROCESSES_MAX = 1 << 16,
	STEPS_MAX = 1 << 12, /* places of a process that are looked at */
};

struct lkst_mapped_place {
	u64 from, size;
	u32 what;
	u32 next; /* that was there before, plus 1 */
};

void lkst_mapped_fini(struct lkst_mapped_memory *m)
{
	lkst_map_fini(&m->heads);
	free(m->list);
	*m = (struct lkst_mapped_memory){};
}

static u32 head_of(const struct lkst_mapped_memory *m, s32 pid)
{
	const u64 *head = lkst_map_find(&m->heads, (u32)pid);

	return head ? (u32)*head : 0;
}

/* Where there is no room, nothing is known of the process. */
static void set_head(struct lkst_mapped_memory *m, s32 pid, u32 head)
{
	m->heads.max = PROCESSES_MAX;
	if (!head)
		lkst_map_remove(&m->heads, (u32)pid);
	else if (lkst_map_set(&m->heads, (u32)pid, head) == -ENOMEM)
		m->error = -ENOMEM;
}

void lkst_mapped_add(struct lkst_mapped_memory *m, s32 pid, u64 from, u64 size, u32 what)
{
	struct lkst_mapped_place *p = m->nr < PLACES_MAX ? lkst_vec_add(m->list, m->nr) : NULL;

	if (!p) {
		m->error = m->nr < PLACES_MAX ? -ENOMEM : m->error;
		set_head(m, pid, 0);
		return;
	}
	*p = (struct lkst_mapped_place){ from, size, what, head_of(m, pid) };
	set_head(m, pid, m->nr);
}

void lkst_mapped_fork(struct lkst_mapped_memory *m, s32 parent, s32 child)
{
	set_head(m, child, head_of(m, parent));
}

void lkst_mapped_exec(struct lkst_mapped_memory *m, s32 pid)
{
	set_head(m, pid, 0);
}

u32 lkst_mapped_find(const struct lkst_mapped_memory *m, s32 pid, u64 address)
{
	u32 i = head_of(m, pid), steps;

	for (steps = 0; i && steps < STEPS_MAX; steps++, i = m->list[i - 1].next)
		if (address - m->list[i - 1].from < m->list[i - 1].size)
			return m->list[i - 1].what;
	return 0;
}
