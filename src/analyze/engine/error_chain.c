/* SPDX-License-Identifier: GPL-2.0-only */
/* Through which functions an error came to a system call. */
#include "analyze/engine/error_chain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "abi/probe.h"
#include "analyze/engine/naming.h"
#include "base/hash.h"
#include "trace/known/call_result.h"

enum {
	ENTERED_MAX = 64, /* functions of a call whose arguments are kept: the last */
	FAILED_MAX = 8,	  /* errors in a call of which the first function's arguments are kept */
	ERROR_MAX = 4095, /* MAX_ERRNO, include/linux/err.h */
	THREADS_MAX = 4 * 1024 * 1024, /* PID_MAX_LIMIT, include/linux/threads.h */
};

#define GROUP LKST_ERRORS_GROUP ":"
#define RETURN "__return" /* what perf probe puts after the function's name */

/* A function that is known by its probe is this, which is no address, and the event's id. */
#define NAMED (1ULL << 62)

static const char *const error_names[] = {
#define ERRNO(number, name, text) [number] = name,
#define RESTART ERRNO
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

#define ERRNO(number, name, text) _Static_assert(sizeof(name) <= LKST_ERROR_TEXT, "the name is not cut");
#define RESTART ERRNO
#include "base/errno.def"
#undef ERRNO
#undef RESTART

/* A function that returned something negative. */
struct error_chain_step {
	u64 function;
	s32 ret;
};

/* What a thread is in. An entry of a hash table by thread. */
struct error_chain_open_call {
	u64 thread;
	u64 begin_ns; /* 0: it is in no call that was seen to begin */
	u32 nr;	      /* steps, also those that are kept no more */
	u8 nr_args;
	u64 args[LKST_SYSCALL_ARGS_MAX];
	char path[LKST_ERROR_PATH];
	struct error_chain_step steps[LKST_ERROR_STEPS];
};

/* What functions of a thread's call were called with, where that is recorded. An entry of a hash table by thread. */
struct entered {
	u64 thread;
	u32 nr;	       /* functions that were called, also those that are kept no more */
	u32 nr_failed; /* errors below */
	struct {
		u64 function, args[LKST_ERRORS_ARGS];
	} functions[ENTERED_MAX];
	struct {
		s32 ret;
		bool has_args;
		u64 args[LKST_ERRORS_ARGS]; /* of the first function that returned it */
	} failed[FAILED_MAX];
};

struct lkst_error_chains {
	lkst_error_chain_call *call;
	void *ctx;
	struct lkst_hash calls, entered;
};

/* ---- returns ---------------------------------------------------------------------------------- */

static bool error_chain_is_fixed_number(const struct lkst_field_class *f)
{
	return f->offset != LKST_OFFSET_VARIES &&
	       (f->type == LKST_CLASS_SINT || f->type == LKST_CLASS_UINT);
}

bool lkst_error_is_return(const struct lkst_event_class *event)
{
	const struct lkst_field_class *function = lkst_class_field(event, LKST_PROBE_FIELD_FUNC);
	const struct lkst_field_class *ret = lkst_class_field(event, LKST_ERRORS_RET);

	return !strncmp(event->name, GROUP, strlen(GROUP)) &&
	       lkst_class_field(event, LKST_PROBE_FIELD_RET_IP) && ret && error_chain_is_fixed_number(ret) &&
	       (!function || error_chain_is_fixed_number(function));
}

s32 lkst_error_of_return(const struct lkst_record *r, u64 *ret_function)
{
	const struct lkst_field_class *function = lkst_class_field(r->event, LKST_PROBE_FIELD_FUNC);
	const struct lkst_field_class *field = lkst_class_field(r->event, LKST_ERRORS_RET);
	u64 value = lkst_record_int(r, field);
	s64 ret = field->size == 4 ? (s32)value : (s64)value;

	*ret_function = function ? lkst_record_int(r, function) : NAMED | r->event->id;
	return ret < 0 && ret >= -ERROR_MAX ? (s32)ret : 0;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* The idle threads of the CPUs are different ones. */
static u64 error_chain_thread_of(const struct lkst_record *r)
{
	return r->tid ? (u32)r->tid : 1ULL << 32 | r->cpu;
}

/* A new one is all zero. NULL: no memory, or too many threads. */
static struct error_chain_open_call *error_chain_call_of(struct lkst_error_chains *c, const struct lkst_record *r)
{
	struct error_chain_open_call *call = lkst_hash_find(&c->calls, error_chain_thread_of(r), sizeof(*call));

	if (call)
		return call;
	if (c->calls.nr >= THREADS_MAX || lkst_hash_reserve(&c->calls, sizeof(*call)))
		return NULL;
	return lkst_hash_add(&c->calls, error_chain_thread_of(r), sizeof(*call));
}

/* ---- what functions are called with ----------------------------------------------------------- */

static const struct lkst_field_class *arg_of(const struct lkst_event_class *event, unsigned int i)
{
	char name[sizeof(LKST_ERRORS_ARG) + 4];

	snprintf(name, sizeof(name), LKST_ERRORS_ARG "%u", i + 1);
	return lkst_class_field(event, name);
}

bool lkst_error_is_entry(const struct lkst_event_class *event)
{
	const struct lkst_field_class *function = lkst_class_field(event, LKST_PROBE_FIELD_FUNC);
	unsigned int i;

	if (strncmp(event->name, GROUP, strlen(GROUP)) || !function || !error_chain_is_fixed_number(function) ||
	    !lkst_class_field(event, LKST_PROBE_FIELD_IP))
		return false;
	for (i = 0; i < LKST_ERRORS_ARGS; i++)
		if (!arg_of(event, i) || !error_chain_is_fixed_number(arg_of(event, i)))
			return false;
	return true;
}

static int on_function(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_error_chains *c = ctx;
	u64 thread = error_chain_thread_of(r);
	struct entered *x = lkst_hash_find(&c->entered, thread, sizeof(*x));
	unsigned int i, at;

	if (!x && (c->entered.nr >= THREADS_MAX || lkst_hash_reserve(&c->entered, sizeof(*x))))
		return -ENOMEM;
	x = x ?: lkst_hash_add(&c->entered, thread, sizeof(*x));
	at = x->nr++ % ENTERED_MAX;
	x->functions[at].function =
		lkst_record_int(r, lkst_class_field(r->event, LKST_PROBE_FIELD_FUNC));
	for (i = 0; i < LKST_ERRORS_ARGS; i++)
		x->functions[at].args[i] = lkst_record_int(r, arg_of(r->event, i));
	return 0;
}

/* Keeps what the first function that returns @ret was called with: its last call that is known. */
static void error_chain_take_args(struct lkst_error_chains *c, u64 thread, u64 function, s32 ret)
{
	struct entered *x = lkst_hash_find(&c->entered, thread, sizeof(*x));
	u32 i, kept = x && x->nr < ENTERED_MAX ? x->nr : ENTERED_MAX;

	if (!x)
		return;
	for (i = 0; i < x->nr_failed; i++)
		if (x->failed[i].ret == ret)
			return;
	if (i == FAILED_MAX)
		return;
	x->nr_failed++;
	x->failed[i].ret = ret;
	x->failed[i].has_args = false;
	for (; kept && !x->failed[i].has_args; kept--) {
		u32 at = (x->nr - (x->nr < ENTERED_MAX ? x->nr : ENTERED_MAX) + kept - 1) %
			 ENTERED_MAX;

		x->failed[i].has_args = x->functions[at].function == function;
		memcpy(x->failed[i].args, x->functions[at].args, sizeof(x->failed[i].args));
	}
}

/* The same for the chain of a call that ends. */
static void error_chain_put_args(struct lkst_error_chains *c, u64 thread, struct lkst_error_chain *chain)
{
	const struct entered *x = lkst_hash_find(&c->entered, thread, sizeof(*x));
	u32 i;

	for (i = 0; x && !chain->is_cut && i < x->nr_failed; i++) {
		if (x->failed[i].ret != -chain->error)
			continue;
		chain->has_first_args = x->failed[i].has_args;
		memcpy(chain->first_args, x->failed[i].args, sizeof(chain->first_args));
	}
}

static void forget_args(struct lkst_error_chains *c, u64 thread)
{
	struct entered *x = lkst_hash_find(&c->entered, thread, sizeof(*x));

	if (x)
		x->nr = x->nr_failed = 0;
}

/* ---- a call ----------------------------------------------------------------------------------- */

static int error_chain_on_return(void *ctx, const struct lkst_record *r, const void *record)
{
	struct error_chain_open_call *call;
	u64 function;
	s32 ret = lkst_error_of_return(r, &function);

	if (!ret)
		return 0;
	call = error_chain_call_of(ctx, r);
	if (!call)
		return -ENOMEM;
	if (!call->begin_ns)
		return 0;
	call->steps[call->nr++ % LKST_ERROR_STEPS] =
		(struct error_chain_step){ .function = function, .ret = ret };
	error_chain_take_args(ctx, error_chain_thread_of(r), function, ret);
	return 0;
}

/* Entry or exit has the path. */
static void error_chain_take_path(struct error_chain_open_call *call, const struct lkst_feed_syscall *s)
{
	u32 length = 0;
	const char *path = s->nr_strings ? lkst_feed_string(s, 0, &length) : "";

	if (length)
		snprintf(call->path, sizeof(call->path), "%.*s", (int)length, path);
}

static int error_chain_on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct error_chain_open_call *call = error_chain_call_of(ctx, r);

	if (!call)
		return -ENOMEM;
	forget_args(ctx, error_chain_thread_of(r));
	call->begin_ns = r->ns ?: 1;
	call->nr = 0;
	call->nr_args = s->nr_args;
	memcpy(call->args, s->args, sizeof(call->args));
	call->path[0] = 0;
	error_chain_take_path(call, s);
	return 0;
}

/* What @call was made with, and its functions that returned @ret, in their order. */
static void error_chain_take_call(const struct error_chain_open_call *call, s32 ret, struct lkst_error_chain *chain)
{
	u32 first = call->nr > LKST_ERROR_STEPS ? call->nr - LKST_ERROR_STEPS : 0, i;

	chain->nr_args = call->nr_args;
	memcpy(chain->args, call->args, sizeof(chain->args));
	memcpy(chain->path, call->path, sizeof(chain->path));
	chain->is_cut = first > 0;
	for (i = first; i < call->nr; i++)
		if (call->steps[i % LKST_ERROR_STEPS].ret == ret)
			chain->functions[chain->nr_functions++] =
				call->steps[i % LKST_ERROR_STEPS].function;
}

static int error_chain_on_exit_of_call(void *ctx, const struct lkst_record *r,
				       const struct lkst_feed_syscall *s)
{
	struct lkst_error_chains *c = ctx;
	struct lkst_error_chain chain = { .row = s->row, .nr = s->nr, .error = (s32)-s->ret };
	struct error_chain_open_call *call = lkst_hash_find(&c->calls, error_chain_thread_of(r), sizeof(*call));

	if (call) {
		chain.begin_ns = call->begin_ns;
		call->begin_ns = 0;
	}
	if (!lkst_call_has_failed(s->row, s->ret))
		return 0;
	if (chain.begin_ns) {
		error_chain_take_path(call, s);
		error_chain_take_call(call, (s32)s->ret, &chain);
		error_chain_put_args(c, error_chain_thread_of(r), &chain);
	}
	return c->call(c->ctx, r, &chain);
}

/* ---- beginning -------------------------------------------------------------------------------- */

int lkst_error_chains_new(struct lkst_feed *f, lkst_error_chain_call *call, void *ctx,
			  struct lkst_error_chains **ret_chains)
{
	const struct lkst_catalog *catalog = lkst_trace_catalog(lkst_feed_trace(f));
	struct lkst_error_chains *c = calloc(1, sizeof(*c));
	bool has_any = false;
	int err = 0;
	u32 id;

	*ret_chains = c;
	if (!c)
		return -ENOMEM;
	c->call = call;
	c->ctx = ctx;
	for (id = 0; id < LKST_EVENT_SPACE && err >= 0; id++) {
		const struct lkst_event_class *event = catalog->classes[id];

		if (event && lkst_error_is_entry(event))
			err = lkst_feed_named(f, event->name, on_function, c);
		if (!event || err < 0 || !lkst_error_is_return(event))
			continue;
		err = lkst_feed_named(f, event->name, error_chain_on_return, c);
		has_any |= err > 0;
	}
	if (err < 0 || !has_any)
		return err < 0 ? err : 0;
	return lkst_feed_syscalls(f, error_chain_on_entry, error_chain_on_exit_of_call, c);
}

void lkst_error_chains_free(struct lkst_error_chains *c)
{
	if (!c)
		return;
	lkst_hash_fini(&c->calls);
	lkst_hash_fini(&c->entered);
	free(c);
}

/* ---- names ------------------------------------------------------------------------------------ */

void lkst_error_function_name(const struct lkst_catalog *catalog, struct lkst_symbols *symbols,
			      u64 function, char text[LKST_KEY_TEXT])
{
	const char *name, *end;

	if (!(function & NAMED) || function & 1ULL << 63) {
		lkst_name_address(symbols, "", function, text);
		return;
	}
	name = catalog->classes[function & ~NAMED]->name + strlen(GROUP);
	end = strstr(name, RETURN);
	lkst_put_key(text, name, end ? (size_t)(end - name) : strlen(name));
}

static int error_chain_put_arg(const struct lkst_error_chain *chain, const struct lkst_syscall_arg *arg, u32 i,
			       bool is_path, char *text, size_t size)
{
	const u64 value = chain->args[i];

	if (is_path && chain->path[0])
		return snprintf(text, size, "%s=%s", arg->name, chain->path);
	if (arg->meaning == LKST_SYS_atfd && (s32)value == -100)
		return snprintf(text, size, "%s=AT_FDCWD", arg->name);
	return snprintf(text, size,
			arg->base == 16	 ? "%s=0x%llx"
			: arg->is_signed ? "%s=%lld"
					 : "%s=%llu",
			arg->name, (unsigned long long)value);
}

const char *lkst_error_chain_args(const struct lkst_error_chain *chain, char text[LKST_ERROR_CALL])
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	u32 nr = chain->row < 0 ? 0 : lkst_syscall_values(&lkst_syscalls[chain->row], args), i;
	size_t used = 0;
	bool had_path = false;

	text[0] = 0;
	for (i = 0; i < nr && i < chain->nr_args && used + 1 < LKST_ERROR_CALL; i++) {
		bool is_path = !had_path && args[i].meaning == LKST_SYS_path;
		int n;

		if (i)
			text[used++] = ' ';
		n = error_chain_put_arg(chain, &args[i], i, is_path, text + used, LKST_ERROR_CALL - used);
		used += n > 0 ? (size_t)n : 0;
		had_path |= is_path;
	}
	return text;
}

const char *lkst_error_text(s32 error, char text[LKST_ERROR_TEXT])
{
	const s32 nr = sizeof(error_names) / sizeof(error_names[0]);

	if (error > 0 && error < nr && error_names[error])
		snprintf(text, LKST_ERROR_TEXT, "%s", error_names[error]);
	else
		snprintf(text, LKST_ERROR_TEXT, "%d", error);
	return text;
}
