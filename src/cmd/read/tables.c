/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables that `lkst report` and `lkst analyze` answer with. */
#include "cmd/read/tables.h"

#include <errno.h>
#include <stdlib.h>

void lkst_shown_tables_fini(struct lkst_shown_tables *shown)
{
	if (shown->along)
		lkst_table_fini(&shown->along_table);
	lkst_analyze_along_free(shown->along);
	lkst_analysis_run_free(shown->run);
	free(shown->items);
	*shown = (struct lkst_shown_tables){};
}

int lkst_shown_tables_add(struct lkst_shown_tables *shown, const struct lkst_table *table,
			  u64 max_rows)
{
	struct lkst_shown_table *item = lkst_vec_add(shown->items, shown->nr);

	if (!item)
		return -ENOMEM;
	*item = (struct lkst_shown_table){ table, max_rows };
	return 0;
}
