/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a trace, counted by thread and stack. */
#include "analyze/engine/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "base/xxh64.h"

enum {
	THREADS_MAX = 1 << 20,
	NAMES_MAX = 1 << 20,
	CAUSE_BITS = 6,
	STACK_BITS = 24,
	HOOK_FRAMES = 12, /* innermost frames of a wait among which the hook's own are */
	NO_STACK = 0,	  /* number of the stack that is none */
};
_Static_assert(LKST_SAMPLES_STACKS_MAX < 1 << STACK_BITS, "a stack's number is part of a key");

/* A stack by its id; it may be spoken of before, or without ever, being there. */
struct stack {
	u64 caller;
	u32 first; /* of its frames */
	u16 nr, flags;
	bool is_there;
};

struct numbered {
	u64 key;
	u32 nr;
};

struct name {
	char *text;
	bool is_user;
};

struct lkst_samples {
	struct lkst_symbols *symbols;
	lkst_samples_who *who;
	void *ctx;
	struct lkst_hash stack_numbers, thread_numbers, name_numbers,
		path_numbers; /* struct numbered */
	struct stack *stacks;
	u32 nr_stacks;
	u64 *addresses;
	u32 nr_addresses;
	struct lkst_samples_thread *threads;
	u32 nr_threads;
	struct name *names;
	u32 nr_names;
	struct lkst_samples_path *paths;
	u32 nr_paths;
	u32 *frames; /* of all paths */
	u32 nr_frames;
	struct lkst_samples_faults faults;
};

/* ---- stacks ---------------------------------------------------------------------------------- */

/* The number of stack @id, NO_STACK: it is none, or there is no room. Negative: no memory. */
static s64 number_of(struct lkst_samples *s, u64 id)
{
	struct numbered *known;

	if (!id || id == LKST_HASH_NONE)
		return NO_STACK;
	known = lkst_hash_find(&s->stack_numbers, id, sizeof(*known));
	if (known)
		return known->nr;
	if (s->nr_stacks >= LKST_SAMPLES_STACKS_MAX)
		return NO_STACK;
	if (lkst_hash_reserve(&s->stack_numbers, sizeof(*known)) ||
	    !lkst_vec_add(s->stacks, s->nr_stacks))
		return -ENOMEM;
	known = lkst_hash_add(&s->stack_numbers, id, sizeof(*known));
	known->nr = s->nr_stacks - 1;
	return known->nr;
}

/* The frames are in the record as the file has them. */
static int on_stack(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_stack *is = record;
	const struct lkst_field_class *f = lkst_class_field(r->event, "frames");
	struct lkst_samples *s = ctx;
	const u8 *bytes = NULL;
	u32 length = 0, i;
	s64 nr = number_of(s, is->stack);

	if (nr < 0)
		return (int)nr;
	if (f && f->type == LKST_CLASS_WORDS && f->size == sizeof(u64))
		bytes = lkst_record_field(r, (u16)(f - r->event->fields), &length);
	length /= sizeof(u64);
	if (nr == NO_STACK || s->stacks[nr].is_there || !bytes || length > LKST_STACK_FRAMES ||
	    s->nr_addresses + length > LKST_SAMPLES_FRAMES_MAX)
		return 0;
	s->stacks[nr] = (struct stack){ .caller = is->caller,
					.first = s->nr_addresses,
					.nr = (u16)length,
					.flags = is->flags,
					.is_there = true };
	for (i = 0; i < length; i++) {
		u64 *address = lkst_vec_add(s->addresses, s->nr_addresses);

		if (!address)
			return -ENOMEM;
		memcpy(address, bytes + i * sizeof(*address), sizeof(*address));
	}
	return 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The number of @text; negative: no memory. Beyond the limit all are one. */
static s64 name_number(struct lkst_samples *s, const char *text, bool is_user)
{
	u64 key = lkst_xxh64(text, strlen(text)) ^ is_user;
	struct numbered *known;
	struct name *name;

	if (s->nr_names >= NAMES_MAX)
		return 0;
	for (;; key++) {
		if (key == LKST_HASH_NONE)
			continue;
		known = lkst_hash_find(&s->name_numbers, key, sizeof(*known));
		if (!known)
			break;
		name = &s->names[known->nr];
		if (name->is_user == is_user && !strcmp(name->text, text))
			return known->nr;
	}
	if (lkst_hash_reserve(&s->name_numbers, sizeof(*known)))
		return -ENOMEM;
	name = lkst_vec_add(s->names, s->nr_names);
	if (name)
		name->text = strdup(text);
	if (!name || !name->text)
		return -ENOMEM;
	name->is_user = is_user;
	known = lkst_hash_add(&s->name_numbers, key, sizeof(*known));
	known->nr = s->nr_names - 1;
	return known->nr;
}

/* What lies at @address. A frame that has called is named by the instruction before, which is the call. */
static s64 name_frame(struct lkst_samples *s, u64 address, bool is_user, bool has_called)
{
	char text[LKST_SYMBOL_ROOM], *plus;

	if (has_called && address)
		address--;
	*lkst_symbols_put(is_user ? NULL : s->symbols, text, address) = 0;
	plus = strchr(text, '+');
	/* Of a function in a module "name+0x12[module]": the offset is in the middle. */
	if (plus)
		memmove(plus, plus + strcspn(plus, "["), strlen(plus + strcspn(plus, "[")) + 1);
	return name_number(s, text, is_user);
}

/* Whether @text is one of the functions by which a switch comes to the program that records it. */
static bool is_of_hook(const char *text)
{
	return !strncmp(text, "__traceiter_", strlen("__traceiter_")) ||
	       !strncmp(text, "__bpf_trace_", strlen("__bpf_trace_")) ||
	       !strncmp(text, "bpf_trace_run", strlen("bpf_trace_run"));
}

/* Takes the hook's own frames out of the @nr in @list, which begins where a thread left its CPU. */
static u32 drop_hook(const struct lkst_samples *s, u32 *list, u32 nr)
{
	u32 i, first = 0;

	for (i = 0; i < nr && i < HOOK_FRAMES; i++)
		if (is_of_hook(s->names[list[i]].text))
			first = i + 1;
	memmove(list, list + first, (nr - first) * sizeof(*list));
	return nr - first;
}

/* Appends the names of @stack to the @nr in @list. How many there are then; negative: no memory. */
static s64 put_frames(struct lkst_samples *s, const struct stack *stack, u32 *list, u32 nr)
{
	bool is_user = stack->flags & LKST_STACK_USER;
	u32 i;

	for (i = 0; i < stack->nr && nr < LKST_SAMPLES_DEPTH; i++) {
		s64 name = name_frame(s, s->addresses[stack->first + i], is_user, i > 0);

		if (name < 0)
			return name;
		list[nr++] = (u32)name;
	}
	return nr;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static int keep_frames(struct lkst_samples *s, struct lkst_samples_path *path, const u32 *list,
		       u32 nr)
{
	u32 i;

	if (s->nr_frames + nr > 4 * LKST_SAMPLES_FRAMES_MAX)
		nr = 0;
	path->first = s->nr_frames;
	path->nr_frames = nr;
	for (i = 0; i < nr; i++) {
		u32 *frame = lkst_vec_add(s->frames, s->nr_frames);

		if (!frame)
			return -ENOMEM;
		*frame = list[i];
	}
	return 0;
}

/* The stack of the program that @stack continues, or NULL. */
static const struct stack *caller_of(const struct lkst_samples *s, const struct stack *stack)
{
	const struct numbered *known =
		stack->caller && stack->caller != LKST_HASH_NONE
			? lkst_hash_find(&s->stack_numbers, stack->caller, sizeof(*known))
			: NULL;

	return known && s->stacks[known->nr].is_there ? &s->stacks[known->nr] : NULL;
}

/* Finds the frames of @path, all of whose samples are counted. */
static int resolve(struct lkst_samples *s, struct lkst_samples_path *path)
{
	u32 list[LKST_SAMPLES_DEPTH];
	u32 number = (u32)(path->key & ((1 << STACK_BITS) - 1));
	const struct stack *stack = &s->stacks[number], *caller, *program;
	s64 nr;

	if (number == NO_STACK || !stack->is_there) {
		*(number == NO_STACK ? &s->faults.nr_empty : &s->faults.nr_lost) += path->nr;
		return 0;
	}
	nr = put_frames(s, stack, list, 0);
	if (nr < 0)
		return (int)nr;
	if (path->is_wait && !(stack->flags & LKST_STACK_USER))
		nr = drop_hook(s, list, (u32)nr);
	caller = caller_of(s, stack);
	path->nr_kernel = stack->flags & LKST_STACK_USER ? 0 : (u32)nr;
	nr = caller ? put_frames(s, caller, list, (u32)nr) : nr;
	if (nr < 0)
		return (int)nr;
	program = stack->flags & LKST_STACK_USER ? stack : caller;
	if (program && program->nr == 1)
		s->faults.nr_short += path->nr;
	if ((stack->flags | (caller ? caller->flags : 0)) & LKST_STACK_CUT)
		s->faults.nr_cut += path->nr;
	return keep_frames(s, path, list, (u32)nr);
}

/* The number of @thread; negative: no memory. A number of a thread that has another name or process is another one. */
static s64 thread_number(struct lkst_samples *s, const struct lkst_samples_thread *thread)
{
	struct numbered *known =
		lkst_hash_find(&s->thread_numbers, (u32)thread->tid, sizeof(*known));
	struct lkst_samples_thread *added;

	if (known && !memcmp(&s->threads[known->nr], thread, sizeof(*thread)))
		return known->nr;
	if (s->nr_threads >= THREADS_MAX)
		return -ENOSPC;
	if (lkst_hash_reserve(&s->thread_numbers, sizeof(*known)))
		return -ENOMEM;
	added = lkst_vec_add(s->threads, s->nr_threads);
	if (!added)
		return -ENOMEM;
	*added = *thread;
	known = lkst_hash_find(&s->thread_numbers, (u32)thread->tid, sizeof(*known));
	if (!known)
		known = lkst_hash_add(&s->thread_numbers, (u32)thread->tid, sizeof(*known));
	known->nr = s->nr_threads - 1;
	return known->nr;
}

/* The path of that key, made if there is none. NULL: no memory, *@err, or no room. */
static struct lkst_samples_path *path_of(struct lkst_samples *s, u64 key, int *err)
{
	struct numbered *known = lkst_hash_find(&s->path_numbers, key, sizeof(*known));
	struct lkst_samples_path *path;

	if (known)
		return &s->paths[known->nr];
	if (s->nr_paths >= LKST_SAMPLES_PATHS_MAX)
		return NULL;
	*err = lkst_hash_reserve(&s->path_numbers, sizeof(*known));
	path = *err ? NULL : lkst_vec_add(s->paths, s->nr_paths);
	if (!path) {
		*err = -ENOMEM;
		return NULL;
	}
	known = lkst_hash_add(&s->path_numbers, key, sizeof(*known));
	known->nr = s->nr_paths - 1;
	path->key = key;
	return path;
}

static int add(struct lkst_samples *s, const struct lkst_record *r, bool is_wait, s32 tid, u64 id,
	       u64 ns)
{
	struct lkst_samples_thread thread = {};
	struct lkst_samples_path *path;
	s64 stack, number;
	u8 cause = 0;
	int err = 0;

	if (!s->who(s->ctx, r, is_wait, tid, &thread, &cause))
		return 0;
	stack = number_of(s, id);
	number = thread_number(s, &thread);
	if (stack == -ENOMEM || number == -ENOMEM)
		return -ENOMEM;
	cause &= (1 << CAUSE_BITS) - 1;
	path = number < 0 ? NULL
			  : path_of(s,
				    (u64)number << (STACK_BITS + CAUSE_BITS + 1) |
					    (u64)cause << (STACK_BITS + 1) |
					    (u64)is_wait << STACK_BITS | (u64)stack,
				    &err);
	if (err)
		return err;
	s->faults.nr += !is_wait;
	if (!path) {
		s->faults.nr_left_out++;
		return 0;
	}
	path->thread = (u32)number;
	path->is_wait = is_wait;
	path->cause = cause;
	path->nr++;
	path->ns += ns;
	path->longest_ns = ns > path->longest_ns ? ns : path->longest_ns;
	return 0;
}

static int on_sample(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sample *is = record;

	return add(ctx, r, false, r->tid, is->stack, is->period_ns);
}

static int on_off_cpu(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_off_cpu *is = record;

	return add(ctx, r, true, is->target_tid, is->stack, is->duration_ns);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Stacks from before the window are those of samples in it. */
static int subscribe(struct lkst_samples *s, struct lkst_feed *feed)
{
	int sample = lkst_feed_event(feed, LKST_EV_sample, on_sample, s), off_cpu, stack;

	off_cpu = sample < 0 ? sample : lkst_feed_event(feed, LKST_EV_off_cpu, on_off_cpu, s);
	if (off_cpu < 0 || (!sample && !off_cpu))
		return off_cpu;
	lkst_feed_always(feed, true);
	stack = lkst_feed_event(feed, LKST_EV_stack, on_stack, s);
	lkst_feed_always(feed, false);
	return stack < 0 ? stack : 1;
}

int lkst_samples_new(struct lkst_feed *feed, struct lkst_symbols *symbols, lkst_samples_who *who,
		     void *ctx, struct lkst_samples **ret_samples)
{
	_cleanup_(lkst_samples_freep) struct lkst_samples *s = calloc(1, sizeof(*s));
	int err;

	/* The first stack is none, and the first name that of all that have no room. */
	if (!s || !lkst_vec_add(s->stacks, s->nr_stacks))
		return -ENOMEM;
	s->symbols = symbols;
	s->who = who;
	s->ctx = ctx;
	if (name_number(s, "[others]", false) < 0)
		return -ENOMEM;
	err = subscribe(s, feed);
	if (err > 0)
		*ret_samples = lkst_take(s);
	return err;
}

void lkst_samples_free(struct lkst_samples *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->nr_names; i++)
		free(s->names[i].text);
	lkst_hash_fini(&s->stack_numbers);
	lkst_hash_fini(&s->thread_numbers);
	lkst_hash_fini(&s->name_numbers);
	lkst_hash_fini(&s->path_numbers);
	free(s->stacks);
	free(s->addresses);
	free(s->threads);
	free(s->names);
	free(s->paths);
	free(s->frames);
	free(s);
}

int lkst_samples_end(struct lkst_samples *s)
{
	int err = 0;
	u32 i;

	for (i = 0; i < s->nr_paths && !err; i++)
		err = resolve(s, &s->paths[i]);
	return err;
}

u32 lkst_samples_nr_paths(const struct lkst_samples *s)
{
	return s->nr_paths;
}

const struct lkst_samples_path *lkst_samples_path(const struct lkst_samples *s, u32 i)
{
	return &s->paths[i];
}

const u32 *lkst_samples_frames(const struct lkst_samples *s, const struct lkst_samples_path *path)
{
	return s->frames ? s->frames + path->first : NULL;
}

u32 lkst_samples_nr_names(const struct lkst_samples *s)
{
	return s->nr_names;
}

const char *lkst_samples_name(const struct lkst_samples *s, u32 i, bool *ret_is_user)
{
	*ret_is_user = s->names[i].is_user;
	return s->names[i].text;
}

u32 lkst_samples_nr_threads(const struct lkst_samples *s)
{
	return s->nr_threads;
}

const struct lkst_samples_thread *lkst_samples_thread(const struct lkst_samples *s, u32 i)
{
	return &s->threads[i];
}

void lkst_samples_faults(const struct lkst_samples *s, struct lkst_samples_faults *ret)
{
	*ret = s->faults;
}
