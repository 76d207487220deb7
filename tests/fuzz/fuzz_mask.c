/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the masksets' text: whatever is taken is the same again after it was written out, as a user has it.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "masks/mask.h"
#include "masks/mask_text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A few of each kind: of several to a mnemonic, of none, system calls, by name. */
static struct lkst_catalog *make_catalog(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_event_class by_name = { .id = 30, .name = "a:b" };
	struct lkst_err e;

	if (!c || lkst_catalog_add_builtin(&e, c, 1, LKST_EV_sched_switch) ||
	    lkst_catalog_add_builtin(&e, c, 2, LKST_EV_sched_waking) ||
	    lkst_catalog_add_builtin(&e, c, 3, LKST_EV_sched_wakeup) ||
	    lkst_catalog_add_builtin(&e, c, 4, LKST_EV_sched_process_fork) ||
	    lkst_catalog_add_builtin(&e, c, 5, LKST_EV_maskset_switch) ||
	    lkst_catalog_add_syscall(&e, c, 10, 11, 0) ||
	    lkst_catalog_add_syscall(&e, c, 12, 13, 1) || lkst_catalog_add(&e, c, &by_name))
		abort();
	return c;
}

/* Conditions may be numbered otherwise. */
static bool is_same(const struct lkst_mask *a, const struct lkst_mask *b)
{
	u32 id;

	if (strcmp(a->name, b->name) || memcmp(a->route, b->route, sizeof(a->route)))
		return false;
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const char *x = lkst_mask_condition(a, id), *y = lkst_mask_condition(b, id);

		if (!x != !y || (x && strcmp(x, y)))
			return false;
	}
	return true;
}

/* The file, its name, and its conditions as they are listed. */
static void print(const struct lkst_mask *mask, const char *text)
{
	u32 id;

	printed_check(text, strlen(text), PRINTED_TABBED);
	printed_name(mask->name, strlen(mask->name));
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_mask_condition(mask, id))
			printed_name(lkst_mask_condition(mask, id), strlen(lkst_mask_condition(mask, id)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct lkst_catalog *c;
	struct lkst_mask mask, again;
	struct lkst_notes notes = {};
	struct lkst_err e = {};
	char *text;

	if (!c)
		c = make_catalog();
	if (!lkst_mask_parse(&e, (const char *)data, size, c, &mask, &notes)) {
		if (!mask.name[0])
			strcpy(mask.name, "x");
		if (lkst_mask_format(&e, &mask, 3, c, &text) ||
		    lkst_mask_parse(&e, text, strlen(text), c, &again, &notes) ||
		    !is_same(&mask, &again))
			abort();
		print(&mask, text);
		free(text);
	} else {
		printed_error(&e);
	}
	printed_notes(&notes);
	lkst_notes_fini(&notes);
	return 0;
}
