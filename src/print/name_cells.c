/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads as text, remembered. */
#include "print/name_cells.h"

#include <string.h>

#include "base/out.h"

_Static_assert(LKST_COLUMN_MAX >= 11 + 1 + 4 * LKST_COMM_SIZE + 1 + 1, "a column fits");

static void name_cells_fill(struct lkst_name_cell *name, s32 tid, bool has_comm, const char *comm)
{
	size_t length = strnlen(comm, LKST_COMM_SIZE), i;
	char digits[16], *p = name->column;

	name->is_set = true;
	name->tid = tid;
	name->has_comm = has_comm;
	memcpy(name->comm, comm, LKST_COMM_SIZE);
	for (i = (size_t)(lkst_put_s64(digits, tid) - digits); i < LKST_TID_WIDTH; i++)
		*p++ = ' ';
	name->start = (u8)(p - name->column);
	p = lkst_put_s64(p, tid);
	*p++ = '/';
	name->name = (u8)(p - name->column);
	p = has_comm ? lkst_put_escaped(p, comm, length, "") : lkst_put_str(p, "?");
	name->end = (u8)(p - name->column);
	for (i = name->end - name->name; i < LKST_COMM_SIZE - 1; i++)
		*p++ = ' ';
	*p++ = ' ';
	name->length = (u8)(p - name->column);
}

static const struct lkst_name_cell *name_cells_cell_of(struct lkst_names *names, s32 tid, bool has_comm,
						       const char *comm)
{
	struct lkst_name_cell *name = &names->slots[(u32)tid & (LKST_NAMES_SLOTS - 1)];

	if (!name->is_set || name->tid != tid || name->has_comm != has_comm ||
	    memcmp(name->comm, comm, LKST_COMM_SIZE))
		name_cells_fill(name, tid, has_comm, comm);
	return name;
}

const struct lkst_name_cell *lkst_names_get(struct lkst_names *names, s32 tid)
{
	static const char idle[LKST_COMM_SIZE] = "swapper", unknown[LKST_COMM_SIZE];
	const struct lkst_thread *thread = lkst_threads_find(names->threads, tid);

	return name_cells_cell_of(names, tid, thread ? thread->has_comm : !tid,
				  thread ? thread->comm : tid ? unknown : idle);
}

const struct lkst_name_cell *lkst_names_at(struct lkst_names *names, s32 tid, u64 ns)
{
	char comm[LKST_COMM_SIZE] = "";
	bool has_comm;

	if (!tid)
		return lkst_names_get(names, tid);
	has_comm = lkst_threads_name_at(names->threads, tid, ns, comm);
	return name_cells_cell_of(names, tid, has_comm, comm);
}
