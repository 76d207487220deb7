/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what is said where the cost limit left kinds of events out: what the state model, the analyses and
 * `lkst why` say of a part of a machine's trace is less than what they say of the whole, and nothing else.
 *
 * The first byte is what the machine is like, MACHINE_* bits. The bytes after it are the decisions of its scheduler,
 * programs and devices, and then which kinds are left out, from when to when. Where the input ends, numbers made of it
 * go on.
 *
 * prints: nothing: facts are compared
 */
#include "lib/less.h"
#include "lib/less_tables.h"
#include "lib/less_why.h"
#include "lib/machine.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	STEPS = 150,
};

static void check(u64 wrong, const char *text)
{
	if (!wrong)
		return;
	fprintf(stderr, "%s\n", text);
	abort();
}

static void compare_states(const char *whole_dir, const char *part_dir)
{
	struct told *whole = told_new(whole_dir), *part = told_new(part_dir);
	struct less l;

	less_compare(whole, part, &l);
	check(l.wrong, l.text);
	told_free(whole);
	told_free(part);
}

static void compare_tables(const char *whole_dir, const char *part_dir)
{
	struct less_answers *whole = less_answers_new(whole_dir), *part = less_answers_new(part_dir);
	struct less_tables l = {};

	less_tables_compare(whole, part, &l);
	check(l.wrong, l.text);
	less_answers_free(whole);
	less_answers_free(part);
}

static void compare_accounts(const struct made_machine *m, const char *whole_dir, const char *part_dir)
{
	const s32 tid = MACHINE_FIRST_TID + (s32)next(m->in) % 8;
	struct lkst_account *whole = less_why_explain(whole_dir, tid, m->records[0].ns, m->now);
	struct lkst_account *part = less_why_explain(part_dir, tid, m->records[0].ns, m->now);
	struct less_why l = {};

	if (whole && part)
		less_why_compare(whole, part, &l);
	check(l.wrong, l.text);
	lkst_account_free(whole);
	lkst_account_free(part);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source in = { .data = data, .left = size };
	const u8 is = next(&in) & MACHINE_KINDS_OF;
	struct made_machine *m = machine_run(&in, is, STEPS);
	char whole_dir[64], part_dir[64];

	machine_leave_out_some(m);
	make_scratch(whole_dir);
	make_scratch(part_dir);
	machine_write(m, whole_dir, true);
	machine_write(m, part_dir, false);
	compare_states(whole_dir, part_dir);
	compare_tables(whole_dir, part_dir);
	compare_accounts(m, whole_dir, part_dir);
	make_scratch_remove(whole_dir);
	make_scratch_remove(part_dir);
	machine_free(m);
	return 0;
}
