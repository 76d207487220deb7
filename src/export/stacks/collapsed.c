/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where time went, as flame graphs take it: a line for each stack, with the ns that were spent in it,
 *
 *	cc1-1234;cc1-1234;blocked;io;openat 5120034
 *
 * https://github.com/brendangregg/FlameGraph describes the form: frames from the root on, ';' between them, and a
 * number after the last blank. Lines may repeat; readers add them up.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/vec.h"
#include "export/export_format.h"
#include "export/model_pass.h"
#include "export/thread_slices.h"

enum { STACKS_MAX = 1 << 18 }; /* that are kept; then they are written, and may come again */

/* All that distinguishes a stack; in this order they are written. No life's number is so high that it is no key. */
union key {
	struct {
		u64 call : 32, has_row : 1, in_call : 1, cause : 6, run : 4, life : 20;
	};
	u64 all;
};
_Static_assert(LKST_LIVES_MAX < (1 << 20) - 1 && sizeof(union key) == sizeof(u64), "a key fits");

struct stack {
	u64 key;
	u64 ns;
};

struct collapsed {
	struct lkst_export *x;
	struct lkst_model_pass pass;
	struct lkst_hash stacks;
	struct lkst_process_names names;
	bool *is_shown; /* by life: it is known to have done anything */
	u32 nr_shown;
};

/* ---- writing --------------------------------------------------------------------------------- */

/* "name-12". What separates frames is ':' in a name. */
static char *collapsed_put_who(struct lkst_out *out, char *p, const char comm[16], s32 number)
{
	size_t length = strnlen(comm, 16), i;
	char name[16];

	for (i = 0; i < length; i++)
		name[i] = (char)(comm[i] == ';' ? ':' : comm[i]);
	p = length ? lkst_out_escaped(out, p, name, length, "") : lkst_put_str(p, "?");
	return number >= 0 ? lkst_put_s64(lkst_put_str(p, "-"), number) : p;
}

static char *collapsed_put_call(char *p, union key key)
{
	const struct lkst_thread_slice slice = { .row = key.has_row ? (s16)key.call : -1,
						 .nr = key.has_row ? -1 : (s32)(u32)key.call };
	char text[LKST_CALL_TEXT];

	return lkst_put_str(lkst_put_str(p, ";"), lkst_thread_slice_call_name(&slice, text));
}

static void collapsed_put_stack(struct collapsed *c, const struct stack *stack)
{
	const union key key = { .all = stack->key };
	const struct lkst_thread_life *life = lkst_model_life(c->pass.model, key.life);
	struct lkst_out *out = c->x->out;
	char *p = lkst_out_room(out);

	p = collapsed_put_who(out, p, lkst_process_name(&c->names, c->pass.model, life),
			      life->tid < 0 ? -1 : life->pid ?: life->tid);
	p = collapsed_put_who(out, lkst_put_str(p, ";"), life->comm, life->tid);
	p = lkst_put_str(lkst_put_str(p, ";"), lkst_run_names[key.run]);
	if (key.run == LKST_RUN_BLOCKED)
		p = lkst_put_str(lkst_put_str(p, ";"), lkst_cause_names[key.cause]);
	if (key.in_call)
		p = collapsed_put_call(p, key);
	p = lkst_put_u64(lkst_put_str(p, " "), stack->ns);
	lkst_out_advance(out, lkst_put_str(p, "\n"));
}

static int compare_stacks(const void *a, const void *b)
{
	u64 first = ((const struct stack *)a)->key, second = ((const struct stack *)b)->key;

	return first < second ? -1 : first > second;
}

/* Threads that are only known to exist are left out, as by the analyses. */
static bool collapsed_is_shown(const struct collapsed *c, const struct stack *stack)
{
	const union key key = { .all = stack->key };

	return key.life < c->nr_shown && c->is_shown[key.life];
}

/* Writes the stacks, a thread's together, and forgets them. Before the end it is not known which threads are shown. */
static int collapsed_write_stacks(struct collapsed *c, bool is_end)
{
	_cleanup_free_ struct stack *list = malloc((c->stacks.nr + 1) * sizeof(*list));
	const struct stack *stack;
	u32 nr = 0, i = 0;

	if (!list || lkst_process_names_find(&c->names, c->pass.model))
		return -ENOMEM;
	while ((stack = lkst_hash_next(&c->stacks, &i, sizeof(*stack))))
		list[nr++] = *stack;
	qsort(list, nr, sizeof(*list), compare_stacks);
	for (i = 0; i < nr; i++)
		if (!is_end || collapsed_is_shown(c, &list[i]))
			collapsed_put_stack(c, &list[i]);
	lkst_hash_clear(&c->stacks, sizeof(*list));
	return 0;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static int collapsed_add(struct collapsed *c, u64 key, u64 ns)
{
	struct stack *stack = lkst_hash_find(&c->stacks, key, sizeof(*stack));
	int err;

	if (!stack) {
		err = c->stacks.nr >= STACKS_MAX ? collapsed_write_stacks(c, false) : 0;
		if (err || lkst_hash_reserve(&c->stacks, sizeof(*stack)))
			return -ENOMEM;
		stack = lkst_hash_add(&c->stacks, key, sizeof(*stack));
	}
	stack->ns += ns;
	return 0;
}

static int collapsed_on_slice(void *ctx, const struct lkst_thread_slice *s)
{
	struct collapsed *c = ctx;
	union key key = { .life = s->life->nr, .run = s->run };
	bool *is_shown = lkst_vec_reach(c->is_shown, c->nr_shown, s->life->nr);

	if (!is_shown)
		return -ENOMEM;
	if (s->run == LKST_RUN_DEAD || !lkst_export_wants(c->x, c->pass.model, s->life))
		return 0;
	*is_shown |= s->run != LKST_RUN_UNKNOWN;
	if (s->run == LKST_RUN_BLOCKED)
		key.cause = s->cause;
	if (s->in_call) {
		key.in_call = 1;
		key.has_row = s->row >= 0;
		key.call = s->row >= 0 ? (u32)s->row : (u32)s->nr;
	}
	return collapsed_add(c, key.all, s->to_ns - s->from_ns);
}

static int write_collapsed(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_thread_slices_freep) struct lkst_thread_slices *slices = NULL;
	struct collapsed c = { .x = x };
	int err;

	err = lkst_model_pass_begin(e, x, &c.pass) ?:
	      lkst_thread_slices_new(e, c.pass.model, collapsed_on_slice, NULL, &c, &slices) ?:
	      lkst_feed_run(e, c.pass.feed);
	if (!err && collapsed_write_stacks(&c, true))
		err = lkst_err_sys(e, -ENOMEM, "exporting");
	lkst_process_names_fini(&c.names);
	lkst_hash_fini(&c.stacks);
	free(c.is_shown);
	lkst_model_pass_fini(&c.pass);
	return err;
}

const struct lkst_export_format lkst_export_collapsed = {
	.name = "collapsed",
	.help = "where the time of threads went, as stacks for flame graphs",
	.extension = "collapsed",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_collapsed,
};
