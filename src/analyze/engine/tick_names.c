/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a record `tick` says that its thread was, in words. */
#include "analyze/engine/tick_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/hash.h"
#include "base/xxh64.h"
#include "trace/known/threads_before.h"

/* A file of which no function has a name. */
struct nameless {
	u64 key;
	u32 function; /* of the first place of it */
};

struct lkst_tick_names {
	struct lkst_trace *trace;
	struct lkst_code_view code;
	struct lkst_frame_names *names;
	struct lkst_hash nameless;
};

int lkst_tick_names_new(struct lkst_err *e, struct lkst_feed *feed, struct lkst_symbols *symbols,
			struct lkst_code_namer namer, struct lkst_tick_names **ret_names)
{
	_cleanup_(lkst_tick_names_freep) struct lkst_tick_names *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return lkst_err_sys(e, -ENOMEM, "naming functions");
	n->trace = lkst_feed_trace(feed);
	n->code.namer = namer;
	n->code.mappings = lkst_mappings_new();
	n->names = n->code.mappings ? lkst_frame_names_new(symbols, &n->code) : NULL;
	if (!n->names)
		return lkst_err_sys(e, -ENOMEM, "naming functions");
	err = lkst_mappings_load(e, n->code.mappings, n->trace);
	if (err)
		return err;
	err = lkst_feed_mappings(feed, n->code.mappings);
	if (err)
		return lkst_err_sys(e, err, "naming functions");
	*ret_names = lkst_take(n);
	return 0;
}

void lkst_tick_names_free(struct lkst_tick_names *n)
{
	if (!n)
		return;
	lkst_hash_fini(&n->nameless);
	lkst_frame_names_free(n->names);
	lkst_mappings_free(n->code.mappings);
	free(n);
}

static int tick_names_take_in(void *ctx, const struct lkst_record *r)
{
	struct lkst_tick_names *n = ctx;

	return lkst_mappings_feed(n->code.mappings, r);
}

int lkst_tick_names_know_before(struct lkst_err *e, struct lkst_tick_names *n, u64 ns)
{
	return lkst_feed_before(e, n->trace, ns, tick_names_take_in, n);
}

struct lkst_tick_doing lkst_tick_doing_of(u8 where, u8 flags, s16 call)
{
	const bool is_call = where == LKST_WHERE_CALL;

	return (struct lkst_tick_doing){ .where = where < LKST_NR_WHERES ? where : LKST_WHERE_UNKNOWN,
					 .may_be_over = is_call && flags & LKST_WHERE_BEHIND,
					 .call = is_call ? call : -1 };
}

bool lkst_tick_is_named(const struct lkst_frame_name *name)
{
	return name->text[0] != '0';
}

/* What stands for place @function of a file, which has no name. -ENOMEM. */
static s64 tick_names_file_of(struct lkst_tick_names *n, u32 function)
{
	const char *where = lkst_frame_names_at(n->names, function)->where;
	const u64 key = lkst_xxh64(where, strlen(where)) & INT64_MAX;
	struct nameless *known = lkst_hash_find(&n->nameless, key, sizeof(*known));

	if (!strcmp(where, "program"))
		return LKST_TICK_NO_FUNCTION;
	if (known)
		return known->function;
	if (lkst_hash_reserve(&n->nameless, sizeof(*known)))
		return -ENOMEM;
	known = lkst_hash_add(&n->nameless, key, sizeof(*known));
	known->function = function;
	return function;
}

s64 lkst_tick_names_function(struct lkst_tick_names *n, const struct lkst_record *r, const struct lkst_rec_tick *record,
			     s32 pid)
{
	const struct lkst_code_space space = lkst_mappings_space(n->code.mappings, pid, r->ns);
	const struct lkst_frame frame = { .address = record->ip,
					  .ns = r->ns,
					  .space = &space,
					  .pid = pid,
					  .is_user = record->where == LKST_WHERE_USER };
	u32 function;
	s64 nr = lkst_frame_names_put(n->names, &frame, &function, 0, 1);

	if (nr < 0)
		return nr;
	return lkst_tick_is_named(lkst_frame_names_at(n->names, function)) ? function : tick_names_file_of(n, function);
}

const struct lkst_frame_name *lkst_tick_names_at(const struct lkst_tick_names *n, u32 function)
{
	return lkst_frame_names_at(n->names, function);
}

static const char *const words[] = {
	[LKST_WHERE_UNKNOWN] = "what is not known",
	[LKST_WHERE_NONE] = "a fault or interrupt",
	[LKST_WHERE_KERNEL] = "the kernel's thread",
	[LKST_WHERE_USER] = "its program",
	[LKST_WHERE_SOFTIRQ] = "a softirq",
};

void lkst_tick_put(const struct lkst_tick_doing *doing, bool is_arm64, char text[LKST_TICK_TEXT])
{
	const bool is_behind = doing->may_be_over && !is_arm64;
	const struct lkst_syscall *call;
	char name[LKST_TICK_TEXT / 2];

	if (doing->where != LKST_WHERE_CALL) {
		snprintf(text, LKST_TICK_TEXT, "%s", words[doing->where]);
		return;
	}
	call = lkst_syscall_of_call(doing->call, is_arm64);
	if (call)
		snprintf(name, sizeof(name), "%s()", call->name);
	else
		snprintf(name, sizeof(name), "system call %d", doing->call & ~LKST_CALL_COMPAT);
	snprintf(text, LKST_TICK_TEXT, "%s%s%s", is_behind ? "the way out of " : "", name,
		 doing->may_be_over && is_arm64 ? " or behind it" : "");
}
