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

enum {
	ERROR_MAX = 4095,	       /* MAX_ERRNO, include/linux/err.h */
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

/* A function that returned something negative. */
struct step {
	u64 function;
	s64 ret;
};

/* What a thread is in. An entry of a hash table by thread. */
struct open_call {
	u64 thread;
	u64 begin_ns; /* 0: it is in no call that was seen to begin */
	u32 nr;	      /* steps, also those that are kept no more */
	struct step steps[LKST_ERROR_STEPS];
};

struct lkst_error_chains {
	const struct lkst_catalog *catalog;
	lkst_error_chain_call *call;
	void *ctx;
	struct lkst_hash calls;
	struct {
		s16 function; /* fields; -1: it is known by the probe */
		u16 ret;
	} at[LKST_EVENT_SPACE]; /* by the event's id */
};

/* The idle threads of the CPUs are different ones. */
static u64 thread_of(const struct lkst_record *r)
{
	return r->tid ? (u32)r->tid : 1ULL << 32 | r->cpu;
}

/* A new one is all zero. NULL: no memory, or too many threads. */
static struct open_call *call_of(struct lkst_error_chains *c, const struct lkst_record *r)
{
	struct open_call *call = lkst_hash_find(&c->calls, thread_of(r), sizeof(*call));

	if (call)
		return call;
	if (c->calls.nr >= THREADS_MAX || lkst_hash_reserve(&c->calls, sizeof(*call)))
		return NULL;
	return lkst_hash_add(&c->calls, thread_of(r), sizeof(*call));
}

static u64 function_of(const struct lkst_error_chains *c, const struct lkst_record *r)
{
	s16 field = c->at[r->event->id].function;

	return field < 0 ? NAMED | r->event->id : lkst_record_int(r, &r->event->fields[field]);
}

static int on_return(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_error_chains *c = ctx;
	const struct lkst_field_class *field = &r->event->fields[c->at[r->event->id].ret];
	u64 value = lkst_record_int(r, field);
	s64 ret = field->size == 4 ? (s32)value : (s64)value;
	struct open_call *call;

	if (ret >= 0 || ret < -ERROR_MAX)
		return 0;
	call = call_of(c, r);
	if (!call)
		return -ENOMEM;
	if (call->begin_ns)
		call->steps[call->nr++ % LKST_ERROR_STEPS] =
			(struct step){ .function = function_of(c, r), .ret = ret };
	return 0;
}

static int on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct open_call *call = call_of(ctx, r);

	if (!call)
		return -ENOMEM;
	call->begin_ns = r->ns ?: 1;
	call->nr = 0;
	return 0;
}

/* The functions of @call that returned @ret, in their order. */
static void take_functions(const struct open_call *call, s64 ret, struct lkst_error_chain *chain)
{
	u32 first = call->nr > LKST_ERROR_STEPS ? call->nr - LKST_ERROR_STEPS : 0, i;

	chain->is_cut = first > 0;
	for (i = first; i < call->nr; i++)
		if (call->steps[i % LKST_ERROR_STEPS].ret == ret)
			chain->functions[chain->nr_functions++] =
				call->steps[i % LKST_ERROR_STEPS].function;
}

static int on_exit_of_call(void *ctx, const struct lkst_record *r,
			   const struct lkst_feed_syscall *s)
{
	struct lkst_error_chains *c = ctx;
	struct lkst_error_chain chain = { .row = s->row, .nr = s->nr, .error = (s32)-s->ret };
	struct open_call *call = lkst_hash_find(&c->calls, thread_of(r), sizeof(*call));

	if (call) {
		chain.begin_ns = call->begin_ns;
		call->begin_ns = 0;
	}
	if (s->ret >= 0 || s->ret < -ERROR_MAX)
		return 0;
	if (chain.begin_ns)
		take_functions(call, s->ret, &chain);
	return c->call(c->ctx, r, &chain);
}

/* ---- beginning -------------------------------------------------------------------------------- */

/* Subscribes to @event, if it says what a function returned. 1, 0 or a negative errno. */
static int want(struct lkst_error_chains *c, struct lkst_feed *f,
		const struct lkst_event_class *event)
{
	const struct lkst_field_class *function = lkst_class_field(event, LKST_PROBE_FIELD_FUNC);
	const struct lkst_field_class *ret = lkst_class_field(event, LKST_ERRORS_RET);

	if (!lkst_class_field(event, LKST_PROBE_FIELD_RET_IP) || !ret ||
	    ret->offset == LKST_OFFSET_VARIES ||
	    (ret->type != LKST_CLASS_SINT && ret->type != LKST_CLASS_UINT) ||
	    (function &&
	     (function->type != LKST_CLASS_UINT || function->offset == LKST_OFFSET_VARIES)))
		return 0;
	c->at[event->id].function = function ? (s16)(function - event->fields) : -1;
	c->at[event->id].ret = (u16)(ret - event->fields);
	return lkst_feed_named(f, event->name, on_return, c);
}

int lkst_error_chains_new(struct lkst_feed *f, lkst_error_chain_call *call, void *ctx,
			  struct lkst_error_chains **ret_chains)
{
	struct lkst_error_chains *c = calloc(1, sizeof(*c));
	bool has_any = false;
	int err = 0;
	u32 id;

	*ret_chains = c;
	if (!c)
		return -ENOMEM;
	c->catalog = lkst_trace_catalog(lkst_feed_trace(f));
	c->call = call;
	c->ctx = ctx;
	for (id = 0; id < LKST_EVENT_SPACE && err >= 0; id++) {
		const struct lkst_event_class *event = c->catalog->classes[id];

		if (!event || strncmp(event->name, GROUP, strlen(GROUP)))
			continue;
		err = want(c, f, event);
		has_any |= err > 0;
	}
	if (err < 0 || !has_any)
		return err < 0 ? err : 0;
	return lkst_feed_syscalls(f, on_entry, on_exit_of_call, c);
}

void lkst_error_chains_free(struct lkst_error_chains *c)
{
	if (!c)
		return;
	lkst_hash_fini(&c->calls);
	free(c);
}

/* ---- names ------------------------------------------------------------------------------------ */

void lkst_error_chains_name(const struct lkst_error_chains *c, struct lkst_symbols *symbols,
			    u64 function, char text[LKST_KEY_TEXT])
{
	const char *name, *end;

	if (!(function & NAMED) || function & 1ULL << 63) {
		lkst_name_address(symbols, "", function, text);
		return;
	}
	name = c->catalog->classes[function & ~NAMED]->name + strlen(GROUP);
	end = strstr(name, RETURN);
	lkst_put_key(text, name, end ? (size_t)(end - name) : strlen(name));
}

const char *lkst_error_text(s32 error, char text[LKST_ERROR_TEXT])
{
	bool has_name = error > 0 && (size_t)error < sizeof(error_names) / sizeof(error_names[0]) &&
			error_names[error];

	if (has_name)
		snprintf(text, LKST_ERROR_TEXT, "%s", error_names[error]);
	else
		snprintf(text, LKST_ERROR_TEXT, "%d", error);
	return text;
}
