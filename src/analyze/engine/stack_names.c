/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of a trace as lists of names. */
#include "analyze/engine/stack_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "base/xxh64.h"
#include "trace/known/threads_before.h"

/* ---- stacks by their ids --------------------------------------------------------------------- */

enum {
	STACKS_KEPT_MAX = 1 << 20,
	STACKS_FRAMES_MAX = 1 << 22, /* of all stacks */
	STACKS_NONE = 0,	     /* the number of no stack */
};

struct trace_stack {
	u64 caller; /* id of the stack that it continues, 0: none */
	u32 first;  /* of its addresses */
	u16 nr;	    /* of its frames */
	u16 flags;  /* LKST_STACK_* */
	bool is_there;
};

/*
 * The stacks of a trace (doc/samples.md): addresses, innermost first. One may be spoken of before it is there, or
 * without ever being there. All zero is empty.
 */
struct trace_stacks {
	struct lkst_hash numbers;
	struct trace_stack *list;
	u32 nr_list;
	u64 *addresses;
	u32 nr_addresses;
};

static u64 stacks_address(const struct trace_stacks *s, const struct trace_stack *stack, u32 frame)
{
	return s->addresses[stack->first + frame];
}

struct stacks_numbered {
	u64 id;
	u32 nr;
};

static void stacks_fini(struct trace_stacks *s)
{
	lkst_hash_fini(&s->numbers);
	free(s->list);
	free(s->addresses);
	*s = (struct trace_stacks){};
}

/* The number of the stack @id, STACKS_NONE: it is none, or there is no room. Negative: no memory. */
static s64 stacks_number(struct trace_stacks *s, u64 id)
{
	struct stacks_numbered *known;

	if (!id || id == LKST_HASH_NONE)
		return STACKS_NONE;
	known = lkst_hash_find(&s->numbers, id, sizeof(*known));
	if (known)
		return known->nr;
	/* The first of the list is none. */
	if (s->nr_list >= STACKS_KEPT_MAX)
		return STACKS_NONE;
	if (!s->nr_list && !lkst_vec_add(s->list, s->nr_list))
		return -ENOMEM;
	if (lkst_hash_reserve(&s->numbers, sizeof(*known)) || !lkst_vec_add(s->list, s->nr_list))
		return -ENOMEM;
	known = lkst_hash_add(&s->numbers, id, sizeof(*known));
	known->nr = s->nr_list - 1;
	return known->nr;
}

/* Takes in a record `stack`; @record: as the feed has it, its frames as the file has them. 0 or -ENOMEM. */
static int stacks_feed(struct trace_stacks *s, const struct lkst_record *r, const void *record)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "frames");
	struct lkst_rec_stack is;
	const u8 *bytes = NULL;
	u32 length = 0, i;
	s64 nr;

	memcpy(&is, record, sizeof(is));
	nr = stacks_number(s, is.stack);
	if (nr < 0)
		return (int)nr;
	if (f && f->type == LKST_CLASS_WORDS && f->size == sizeof(u64))
		bytes = lkst_record_field(r, (u16)(f - r->event->fields), &length);
	length /= sizeof(u64);
	if (nr == STACKS_NONE || s->list[nr].is_there || !bytes || length > LKST_STACK_FRAMES ||
	    s->nr_addresses + length > STACKS_FRAMES_MAX)
		return 0;
	s->list[nr] = (struct trace_stack){ .caller = is.caller,
					   .first = s->nr_addresses,
					   .nr = (u16)length,
					   .flags = is.flags,
					   .is_there = true };
	for (i = 0; i < length; i++) {
		u64 *address = lkst_vec_add(s->addresses, s->nr_addresses);

		if (!address)
			return -ENOMEM;
		memcpy(address, bytes + i * sizeof(*address), sizeof(*address));
	}
	return 0;
}

/* Stack number @nr, which stacks_number() has returned; NULL: its record is not there. */
static const struct trace_stack *stacks_at(const struct trace_stacks *s, u32 nr)
{
	return nr != STACKS_NONE && s->list[nr].is_there ? &s->list[nr] : NULL;
}

/* The stack that @stack continues; NULL: none, or its record is not there. */
static const struct trace_stack *stacks_caller(const struct trace_stacks *s, const struct trace_stack *stack)
{
	const struct stacks_numbered *known =
		stack->caller && stack->caller != LKST_HASH_NONE
			? lkst_hash_find(&s->numbers, stack->caller, sizeof(*known))
			: NULL;

	return known ? stacks_at(s, known->nr) : NULL;
}

/* ---- stacks as lists of names ---------------------------------------------------------------- */

enum {
	FRAMES_MAX = 1 << 24, /* of all lists */
	SHOWN_MAX = 1 << 20,  /* stacks in processes whose list is remembered; then they are named once more */
	HOOK_FRAMES = 12,     /* innermost frames of a wait among which the hook's own are */
};

struct stack_names_numbered {
	u64 key;
	u32 nr;
};

/* A stack of a process at a time. */
struct stack_in {
	u32 stack, is_wait;
	s32 pid;
	u32 pad;
	u64 version; /* of the process's code */
};

struct shown {
	u64 key;
	struct stack_in which; /* what the key is made of */
	u32 list;
};

struct lkst_stack_names {
	struct lkst_trace *trace;
	struct lkst_code_view code;
	struct lkst_frame_names *names;
	struct trace_stacks stacks;
	struct lkst_hash numbers; /* struct numbered: of a list, by what is in it */
	struct lkst_hash shown;
	struct lkst_stack_list *lists;
	u32 nr_lists;
	u32 *frames; /* of all lists */
	u32 nr_frames;
};

static u64 stack_names_key_of(const void *bytes, size_t length)
{
	return lkst_xxh64(bytes, length) & INT64_MAX; /* never LKST_HASH_NONE */
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Whether @text is one of the functions by which a switch comes to the program that records it. */
static bool is_of_hook(const char *text)
{
	return !strncmp(text, "__traceiter_", strlen("__traceiter_")) ||
	       !strncmp(text, "__bpf_trace_", strlen("__bpf_trace_")) ||
	       !strncmp(text, "bpf_trace_run", strlen("bpf_trace_run"));
}

/* Takes the hook's own frames out of the @nr in @list, which begins where a thread left its CPU. */
static u32 drop_hook(const struct lkst_stack_names *n, u32 *list, u32 nr)
{
	u32 i, first = 0;

	for (i = 0; i < nr && i < HOOK_FRAMES; i++)
		if (is_of_hook(lkst_frame_names_at(n->names, list[i])->text))
			first = i + 1;
	memmove(list, list + first, (nr - first) * sizeof(*list));
	return nr - first;
}

/* Appends the names of @stack to the @nr in @names; @at: whose it is, and when. How many there are then; -ENOMEM. */
static s64 stack_names_put_stack(struct lkst_stack_names *n, const struct trace_stack *stack,
				 const struct lkst_frame *at, u32 *names, s64 nr)
{
	struct lkst_frame frame = *at;
	u32 i;

	frame.is_user = stack->flags & LKST_STACK_USER;
	for (i = 0; i < stack->nr && nr >= 0; i++) {
		frame.address = stacks_address(&n->stacks, stack, i);
		frame.has_called = i > 0;
		nr = lkst_frame_names_put(n->names, &frame, names, (u32)nr, LKST_STACK_NAMES_DEPTH);
	}
	return nr;
}

/* Finds the names of @stack and sets @list, but where they are kept. How many there are; -ENOMEM. */
static s64 name_stack(struct lkst_stack_names *n, const struct trace_stack *stack,
		      const struct lkst_frame *at, bool is_wait, u32 names[LKST_STACK_NAMES_DEPTH],
		      struct lkst_stack_list *list)
{
	const struct trace_stack *caller = stacks_caller(&n->stacks, stack);
	const bool is_user = stack->flags & LKST_STACK_USER;
	const struct trace_stack *program = is_user ? stack : caller;
	s64 nr = stack_names_put_stack(n, stack, at, names, 0);

	if (nr >= 0 && is_wait && !is_user)
		nr = drop_hook(n, names, (u32)nr);
	list->nr_kernel = is_user ? 0 : (u32)nr;
	list->is_short = program && program->nr == 1;
	list->is_cut = (stack->flags | (caller ? caller->flags : 0)) & LKST_STACK_CUT;
	return caller && nr >= 0 ? stack_names_put_stack(n, caller, at, names, nr) : nr;
}

/* Keeps @nr names as those of @list. 0 or -ENOMEM. */
static int keep_names(struct lkst_stack_names *n, struct lkst_stack_list *list, const u32 *names,
		      u32 nr)
{
	u32 i;

	nr = n->nr_frames + nr > FRAMES_MAX ? 0 : nr;
	list->first = n->nr_frames;
	list->nr = nr;
	list->nr_kernel = list->nr_kernel < nr ? list->nr_kernel : nr;
	for (i = 0; i < nr; i++) {
		u32 *frame = lkst_vec_add(n->frames, n->nr_frames);

		if (!frame)
			return -ENOMEM;
		*frame = names[i];
	}
	return 0;
}

static bool stack_names_is_same(const struct lkst_stack_names *n, const struct lkst_stack_list *one,
				const struct lkst_stack_list *other, const u32 *names, u32 nr)
{
	return one->nr == nr && one->nr_kernel == other->nr_kernel &&
	       one->is_cut == other->is_cut && one->is_short == other->is_short &&
	       (!nr || !memcmp(n->frames + one->first, names, nr * sizeof(*names)));
}

/* The number of the list that is as @like with these @nr names; negative: no memory. */
static s64 list_number(struct lkst_stack_names *n, struct lkst_stack_list *like, const u32 *names,
		       u32 nr)
{
	const u64 key = stack_names_key_of(names, nr * sizeof(*names));
	struct stack_names_numbered *known = lkst_hash_find(&n->numbers, key, sizeof(*known));
	struct lkst_stack_list *list;

	if (known && stack_names_is_same(n, &n->lists[known->nr], like, names, nr))
		return known->nr;
	if (n->nr_lists >= LKST_STACK_NAMES_MAX)
		return LKST_STACK_NAMES_NONE;
	list = lkst_vec_add(n->lists, n->nr_lists);
	if (!list || lkst_hash_reserve(&n->numbers, sizeof(*known)))
		return -ENOMEM;
	if (keep_names(n, like, names, nr))
		return -ENOMEM;
	*list = *like;
	known = lkst_hash_find(&n->numbers, key, sizeof(*known))
			?: lkst_hash_add(&n->numbers, key, sizeof(*known));
	known->nr = n->nr_lists - 1;
	return known->nr;
}

/* The same of one whose names are found at the end. */
static s64 late_list(struct lkst_stack_names *n, const struct lkst_stack_list *late)
{
	struct lkst_stack_list *list =
		n->nr_lists < LKST_STACK_NAMES_MAX ? lkst_vec_add(n->lists, n->nr_lists) : NULL;

	if (n->nr_lists >= LKST_STACK_NAMES_MAX)
		return LKST_STACK_NAMES_NONE;
	if (!list)
		return -ENOMEM;
	*list = *late;
	return n->nr_lists - 1;
}

/* Names the stack now, while it is known what code its process has; a record that is not there yet may come. */
static s64 stack_names_make_list(struct lkst_stack_names *n, const struct stack_in *in,
				 const struct lkst_code_space *space, u64 ns)
{
	const struct trace_stack *stack = stacks_at(&n->stacks, in->stack);
	const struct lkst_frame at = { .ns = ns, .space = space, .pid = in->pid };
	struct lkst_stack_list list = { .stack = in->stack,
					.pid = in->pid,
					.is_wait = in->is_wait,
					.ns = ns,
					.program_ns = space->program_ns };
	u32 names[LKST_STACK_NAMES_DEPTH];
	s64 nr;

	list.is_late = !stack || (stack->caller && !stacks_caller(&n->stacks, stack));
	if (list.is_late)
		return late_list(n, &list);
	nr = name_stack(n, stack, &at, in->is_wait, names, &list);
	return nr < 0 ? nr : list_number(n, &list, names, (u32)nr);
}

s64 lkst_stack_names_of(struct lkst_stack_names *n, u64 id, s32 pid, bool is_wait, u64 ns)
{
	struct stack_in in = { .pid = pid, .is_wait = is_wait };
	const s64 stack = stacks_number(&n->stacks, id);
	struct lkst_code_space space;
	struct shown *shown;
	s64 list;
	u64 key;

	if (stack < 0 || stack == STACKS_NONE)
		return stack < 0 ? stack : LKST_STACK_NAMES_NONE;
	space = lkst_mappings_space(n->code.mappings, in.pid, ns);
	in.stack = (u32)stack;
	in.version = space.version;
	key = stack_names_key_of(&in, sizeof(in));
	shown = lkst_hash_find(&n->shown, key, sizeof(*shown));
	if (shown && !memcmp(&shown->which, &in, sizeof(in)))
		return shown->list;
	list = stack_names_make_list(n, &in, &space, ns);
	if (list < 0 || shown)
		return list;
	if (n->shown.nr >= SHOWN_MAX)
		lkst_hash_clear(&n->shown, sizeof(*shown));
	if (lkst_hash_reserve(&n->shown, sizeof(*shown)))
		return -ENOMEM;
	shown = lkst_hash_add(&n->shown, key, sizeof(*shown));
	shown->which = in;
	shown->list = (u32)list;
	return list;
}

/* Names what came late, if its process still runs the same program. */
static int end_late(struct lkst_stack_names *n, struct lkst_stack_list *list)
{
	const struct trace_stack *stack = stacks_at(&n->stacks, list->stack);
	const struct lkst_code_space space =
		lkst_mappings_space(n->code.mappings, list->pid, list->ns);
	const struct lkst_frame at = { .ns = list->ns,
				       .space =
					       space.program_ns == list->program_ns ? &space : NULL,
				       .pid = list->pid };
	u32 names[LKST_STACK_NAMES_DEPTH];
	s64 nr;

	list->is_lost = !stack;
	nr = stack ? name_stack(n, stack, &at, list->is_wait, names, list) : 0;
	return nr < 0 ? (int)nr : keep_names(n, list, names, (u32)nr);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int stack_names_on_stack(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_stack_names *n = ctx;

	return stacks_feed(&n->stacks, r, record);
}

/* Stacks from before the window are those of samples in it. */
static int stack_names_subscribe(struct lkst_stack_names *n, struct lkst_feed *feed)
{
	int got;

	lkst_feed_always(feed, true);
	got = lkst_feed_event(feed, LKST_EV_stack, stack_names_on_stack, n);
	lkst_feed_always(feed, false);
	return got < 0 ? got : lkst_feed_mappings(feed, n->code.mappings);
}

int lkst_stack_names_new(struct lkst_err *e, struct lkst_feed *feed, struct lkst_symbols *symbols,
			 struct lkst_code_namer namer, struct lkst_stack_names **ret_names)
{
	_cleanup_(lkst_stack_names_freep) struct lkst_stack_names *n = calloc(1, sizeof(*n));
	int err;

	/* The first list is that of what has no stack. */
	if (!n || !lkst_vec_add(n->lists, n->nr_lists))
		return lkst_err_sys(e, -ENOMEM, "naming stacks");
	n->trace = lkst_feed_trace(feed);
	n->code.namer = namer;
	n->code.mappings = lkst_mappings_new();
	n->names = n->code.mappings ? lkst_frame_names_new(symbols, &n->code) : NULL;
	if (!n->names)
		return lkst_err_sys(e, -ENOMEM, "naming stacks");
	err = lkst_mappings_load(e, n->code.mappings, n->trace);
	if (err)
		return err;
	err = stack_names_subscribe(n, feed);
	if (err)
		return lkst_err_sys(e, err, "naming stacks");
	*ret_names = lkst_take(n);
	return 0;
}

void lkst_stack_names_free(struct lkst_stack_names *n)
{
	if (!n)
		return;
	lkst_hash_fini(&n->numbers);
	lkst_hash_fini(&n->shown);
	stacks_fini(&n->stacks);
	lkst_frame_names_free(n->names);
	lkst_mappings_free(n->code.mappings);
	free(n->lists);
	free(n->frames);
	free(n);
}

static int stack_names_take_in(void *ctx, const struct lkst_record *r)
{
	struct lkst_stack_names *n = ctx;

	if (r->event->index == LKST_EV_stack && r->event->is_native)
		return stacks_feed(&n->stacks, r, r->bytes);
	return lkst_mappings_feed(n->code.mappings, r);
}

int lkst_stack_names_know_before(struct lkst_err *e, struct lkst_stack_names *n, u64 ns)
{
	return lkst_feed_before(e, n->trace, ns, stack_names_take_in, n);
}

int lkst_stack_names_end(struct lkst_stack_names *n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n->nr_lists && !err; i++)
		err = n->lists[i].is_late ? end_late(n, &n->lists[i]) : 0;
	return err;
}

const struct lkst_stack_list *lkst_stack_names_list(const struct lkst_stack_names *n, u32 list)
{
	return &n->lists[list];
}

const u32 *lkst_stack_names_frames(const struct lkst_stack_names *n, u32 list)
{
	return n->frames ? n->frames + n->lists[list].first : NULL;
}

const struct lkst_frame_names *lkst_stack_names_names(const struct lkst_stack_names *n)
{
	return n->names;
}
