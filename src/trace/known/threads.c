/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads of a trace and their names, by the records about them. */
#include "trace/known/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"

enum {
	CPUS_MAX = 8192,	   /* the most that Linux has; beyond is damage */
	TID_MAX = 4 * 1024 * 1024, /* PID_MAX_LIMIT, include/linux/threads.h */
	CHUNK = 256,		   /* threads allocated at once; they never move */
	SLOTS_MIN = 1024,
	THREADS_MAX = 1 << 19, /* that are known at a time */
	CANDIDATES = 64,       /* that are looked at for one that has ended */
	NAMES_MAX = 1 << 18,   /* that were replaced by others, and are kept */
};

/* What a field says of a thread. */
enum role {
	ROLE_TID, /* which thread; if there is no such field, the record's own */
	ROLE_PID,
	ROLE_PARENT,
	ROLE_PRIO,
	ROLE_FLAGS,
	ROLE_COMM,
	ROLE_TASK,
	ROLE_OLD_TID, /* the number that the thread had until now */
	ROLE_CGROUP,
	ROLE_IS_PROCESS, /* its cgroup is that of all threads of its process */
	NR_ROLES,
};

/* What an event says of one thread. An event about two threads has two rules, one after the other. */
struct threads_rule {
	s16 index;   /* enum lkst_event_index */
	bool is_new; /* the thread begins: what was known under its number is void */
	const char *fields[NR_ROLES];
};

/* clang-format off */
static const struct threads_rule rules[] = {
	{ LKST_EV_state_thread, true,
	  { [ROLE_TID] = "thread_tid", [ROLE_PID] = "thread_pid", [ROLE_PARENT] = "parent_pid",
	    [ROLE_PRIO] = "prio", [ROLE_FLAGS] = "flags", [ROLE_COMM] = "comm",
	    [ROLE_TASK] = "task", [ROLE_CGROUP] = "cgroup" } },
	{ LKST_EV_task_newtask, true,
	  { [ROLE_TID] = "child_tid", [ROLE_TASK] = "child_task", [ROLE_COMM] = "child_comm" } },
	{ LKST_EV_sched_process_fork, true,
	  { [ROLE_TID] = "child_tid", [ROLE_PID] = "child_pid", [ROLE_PARENT] = "parent_pid",
	    [ROLE_TASK] = "child_task", [ROLE_COMM] = "child_comm", [ROLE_CGROUP] = "cgroup" } },
	{ LKST_EV_sched_process_exec, false, { [ROLE_OLD_TID] = "old_tid" } },
	{ LKST_EV_sched_process_exit, false,
	  { [ROLE_PID] = "exit_pid", [ROLE_COMM] = "comm", [ROLE_TASK] = "task",
	    [ROLE_CGROUP] = "cgroup" } },
	{ LKST_EV_cgroup_attach_task, false,
	  { [ROLE_TID] = "target_tid", [ROLE_CGROUP] = "cgroup", [ROLE_IS_PROCESS] = "is_process" } },
	{ LKST_EV_task_rename, false, { [ROLE_TID] = "target_tid", [ROLE_COMM] = "newcomm" } },
	{ LKST_EV_sched_switch, false, { [ROLE_PRIO] = "prev_prio" } },
	{ LKST_EV_sched_switch, false, { [ROLE_TID] = "next_tid", [ROLE_PRIO] = "next_prio" } },
	{ LKST_EV_sched_waking, false, { [ROLE_TID] = "target_tid", [ROLE_PRIO] = "target_prio" } },
	{ LKST_EV_sched_wakeup, false, { [ROLE_TID] = "target_tid", [ROLE_PRIO] = "target_prio" } },
	{ LKST_EV_sched_wakeup_new, false,
	  { [ROLE_TID] = "target_tid", [ROLE_PRIO] = "target_prio" } },
};
/* clang-format on */
enum {
	NR_RULES = sizeof(rules) / sizeof(rules[0]),
	RULE_CGROUPS = 0xff,  /* in place of a rule: the event is of cgroups alone */
	RULE_COMMANDS = 0xfe, /* of commands alone */
};

/* Slots of the hash table in a line of the cache. */
enum { LINE_SLOTS = 8 };

/*
 * Of the hash table. It holds the thread's number, since looking at the thread itself takes as long
 * as all the rest.
 */
struct threads_slot {
	s32 tid;
	u32 place; /* plus 1; 0: it is empty */
};

/* A name that a number had until another replaced it. */
struct earlier_name {
	u64 until_ns;
	u32 before; /* the one before it, plus 1; 0: none is kept */
	bool has_comm;
	char comm[16];
};

struct lkst_threads {
	u8 rule_of[LKST_NR_EVENTS]; /* the event's first rule, plus 1 */

	/* The fields of the rules in the classes of this trace, found when first needed. */
	struct {
		const struct lkst_event_class *event;
		const struct lkst_field_class *fields[NR_ROLES];
	} found[NR_RULES];

	struct lkst_thread **chunks;
	u32 nr_threads, nr_chunks;
	u32 hand; /* the thread whose place was reused last */
	u64 turn; /* of what was said of cgroups: the later one counts */
	struct lkst_cgroups *cgroups;
	struct lkst_command_lines *commands;
	u64 *idle_tasks; /* by CPU, 0: not known */
	u32 nr_idle_tasks;
	struct threads_slot *slots; /* a hash table */
	u32 nr_slots;
	struct earlier_name *names;
	u32 nr_names;
};

/* ---- the table -------------------------------------------------------------------- */

static struct lkst_thread *threads_thread_at(const struct lkst_threads *t, u32 i)
{
	return &t->chunks[i / CHUNK][i % CHUNK];
}

/* Where the slot of @tid is, if no other has it. Numbers that follow each other share a line of the cache. */
static u32 home_of(const struct lkst_threads *t, s32 tid)
{
	u32 i = ((u32)tid / LINE_SLOTS) * 2654435769u;

	return ((i ^ i >> 15) * LINE_SLOTS + (u32)tid % LINE_SLOTS) & (t->nr_slots - 1);
}

/* The slot that holds @tid, or the empty one where it would go. */
static struct threads_slot *threads_slot_of(const struct lkst_threads *t, s32 tid)
{
	u32 i = home_of(t, tid);

	for (;; i++) {
		struct threads_slot *slot = &t->slots[i & (t->nr_slots - 1)];

		if (!slot->place || slot->tid == tid)
			return slot;
	}
}

static int threads_grow_slots(struct lkst_threads *t)
{
	u32 i, nr = t->nr_slots ? t->nr_slots * 2 : SLOTS_MIN;
	struct threads_slot *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->nr_slots = nr;
	for (i = 0; i < t->nr_threads; i++) {
		s32 tid = threads_thread_at(t, i)->tid;

		*threads_slot_of(t, tid) = (struct threads_slot){ tid, i + 1 };
	}
	return 0;
}

static int grow_chunks(struct lkst_threads *t)
{
	struct lkst_thread *chunk = calloc(CHUNK, sizeof(*chunk)), **added;

	added = chunk ? lkst_vec_add(t->chunks, t->nr_chunks) : NULL;
	if (!added) {
		free(chunk);
		return -ENOMEM;
	}
	*added = chunk;
	return 0;
}

/* Empties the slot of @tid. Entries after it that had found their own slot taken move up. */
static void empty_slot(struct lkst_threads *t, s32 tid)
{
	const u32 mask = t->nr_slots - 1;
	u32 hole = (u32)(threads_slot_of(t, tid) - t->slots), i;

	for (i = (hole + 1) & mask; t->slots[i].place; i = (i + 1) & mask) {
		u32 home = home_of(t, t->slots[i].tid);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = (struct threads_slot){};
}

/* The place of the thread to be replaced: one that has ended, or else the one that was met first. */
static u32 reclaim(struct lkst_threads *t)
{
	u32 i, at;

	for (i = 1; i < CANDIDATES; i++)
		if (threads_thread_at(t, (t->hand + i) % THREADS_MAX)->has_ended)
			break;
	at = (t->hand + (i < CANDIDATES ? i : 1)) % THREADS_MAX;
	t->hand = at;
	empty_slot(t, threads_thread_at(t, at)->tid);
	*threads_thread_at(t, at) = (struct lkst_thread){};
	return at;
}

/* The thread, made if it is not there. NULL: no memory. */
static struct lkst_thread *threads_get(struct lkst_threads *t, s32 tid)
{
	struct threads_slot *slot = threads_slot_of(t, tid);

	if (slot->place)
		return threads_thread_at(t, slot->place - 1);
	if ((t->nr_threads + 1) * 2 > t->nr_slots) {
		if (threads_grow_slots(t))
			return NULL;
		slot = threads_slot_of(t, tid);
	}
	if (t->nr_threads == THREADS_MAX) {
		u32 at = reclaim(t);

		slot = threads_slot_of(t, tid);
		*slot = (struct threads_slot){ tid, at + 1 };
		threads_thread_at(t, at)->tid = tid;
		return threads_thread_at(t, at);
	}
	if (t->nr_threads == t->nr_chunks * CHUNK && grow_chunks(t))
		return NULL;
	*slot = (struct threads_slot){ tid, ++t->nr_threads };
	threads_thread_at(t, slot->place - 1)->tid = tid;
	return threads_thread_at(t, slot->place - 1);
}

const struct lkst_thread *lkst_threads_find(const struct lkst_threads *t, s32 tid)
{
	const struct threads_slot *slot = threads_slot_of(t, tid);

	return slot->place ? threads_thread_at(t, slot->place - 1) : NULL;
}

/* ---- what records say --------------------------------------------------------------- */

/* Keeps the name @before that @thread had until @ns. Where there is no room, it is not known what it was. */
static void keep_name(struct lkst_threads *t, struct lkst_thread *thread, const struct lkst_thread *before, u64 ns)
{
	struct earlier_name *name;

	if (before->has_comm && !memcmp(before->comm, thread->comm, sizeof(thread->comm)))
		return;
	name = t->nr_names < NAMES_MAX ? lkst_vec_add(t->names, t->nr_names) : NULL;
	if (!name) {
		thread->unkept_ns = ns;
		return;
	}
	name->until_ns = ns;
	name->before = thread->earlier;
	name->has_comm = before->has_comm;
	memcpy(name->comm, before->comm, sizeof(name->comm));
	thread->earlier = t->nr_names;
}

/* Whether record @event says that a name is new, and not only what it is. */
static bool is_renaming(enum lkst_event_index event, const struct lkst_thread *before)
{
	return event == LKST_EV_task_rename || (event != LKST_EV_state_thread && before->has_comm);
}

bool lkst_threads_name_at(const struct lkst_threads *t, s32 tid, u64 ns, char comm[16])
{
	const struct lkst_thread *thread = lkst_threads_find(t, tid);
	const char *name = thread ? thread->comm : NULL;
	bool has_comm = thread && thread->has_comm;
	u32 at;

	for (at = thread ? thread->earlier : 0; at && ns < t->names[at - 1].until_ns;
	     at = t->names[at - 1].before) {
		name = t->names[at - 1].comm;
		has_comm = t->names[at - 1].has_comm;
	}
	if (!has_comm || ns < thread->unkept_ns)
		return false;
	memcpy(comm, name, sizeof(thread->comm));
	return true;
}

static void threads_set_comm(struct lkst_thread *thread, const struct lkst_record *r,
			     const struct lkst_field_class *f)
{
	u32 length;
	const u8 *text = lkst_record_field(r, (unsigned int)(f - r->event->fields), &length);

	if (length >= sizeof(thread->comm))
		length = sizeof(thread->comm) - 1;
	thread->has_comm = true;
	memset(thread->comm, 0, sizeof(thread->comm));
	if (length)
		memcpy(thread->comm, text, length);
}

/* @thread runs another program, and had the number @old_tid before. */
static void note_exec(struct lkst_threads *t, struct lkst_thread *thread, s32 old_tid)
{
	const struct lkst_thread *old = lkst_threads_find(t, old_tid);

	/* It is the thread that was called @old_tid: the one of this number ended (exec(2)). */
	if (old_tid != thread->tid)
		thread->task = old ? old->task : 0;
	thread->pid = thread->tid;
	thread->is_kernel = false;
	/* The next record has it, if it is recorded. */
	thread->command = NULL;
}

/* Between sched_waking and sched_wakeup of @thread its waker is known. */
static void note_waker(struct lkst_thread *thread, s16 event, const struct lkst_record *r)
{
	if (event == LKST_EV_sched_waking) {
		thread->is_being_woken = true;
		thread->waker_tid = r->tid;
		thread->waker_cpu = r->cpu;
	} else if (event == LKST_EV_sched_wakeup || event == LKST_EV_sched_wakeup_new ||
		   (event == LKST_EV_sched_switch && thread->tid != r->tid)) {
		thread->is_being_woken = false;
	}
}

/* A new thread that nothing else is said of is in the cgroup of the one that created it, and runs what that runs. */
static void threads_inherit(struct lkst_threads *t, struct lkst_thread *thread, const struct lkst_thread *creator)
{
	thread->command = creator && creator->tid ? lkst_threads_command_of(t, creator->tid) : NULL;
	thread->cgroup = creator && creator->tid ? lkst_threads_cgroup_of(t, creator->tid) : 0;
	thread->cgroup_turn = ++t->turn;
}

/* @cgroup is where the thread is; if @is_process, it is the first of its process, and all its threads are there. */
static void note_cgroup(struct lkst_threads *t, struct lkst_thread *thread, u64 cgroup, bool is_process)
{
	if (!cgroup)
		return;
	thread->cgroup = cgroup;
	thread->cgroup_turn = ++t->turn;
	if (is_process) {
		thread->process_cgroup = cgroup;
		thread->process_turn = t->turn;
	}
}

/* Forgets what was known under the number of @thread, which @r shows for the first time, or once more in a list. */
static void threads_begin(struct lkst_threads *t, struct lkst_thread *thread, const struct lkst_record *r)
{
	const struct lkst_thread *creator = lkst_threads_find(t, r->tid);
	const struct lkst_command_line *command = thread->command;

	creator = creator != thread ? creator : NULL;
	*thread = (struct lkst_thread){ .tid = thread->tid,
					.earlier = thread->earlier,
					.unkept_ns = thread->unkept_ns };
	thread->is_kernel = creator && creator->tid && creator->is_kernel;
	threads_inherit(t, thread, creator);
	if (r->event->index == LKST_EV_state_thread)
		thread->command = command;
}

/* Where the field has no sign, -1 was stored as 65535, and a list had 0 for a priority that was not known. */
static void note_prio(struct lkst_thread *thread, enum lkst_event_index event, const struct lkst_field_class *field,
		      const struct lkst_record *r)
{
	const s16 prio = (s16)lkst_record_int(r, field);
	const s16 unknown = field->type == LKST_CLASS_SINT ? LKST_PRIO_UNKNOWN : 0;

	if (event == LKST_EV_state_thread && prio == unknown)
		return;
	thread->prio = prio;
	thread->has_prio = true;
}

static int threads_apply(struct lkst_threads *t, u32 i, const struct lkst_record *r)
{
	const struct lkst_field_class *const *f = t->found[i].fields;
	s32 tid = f[ROLE_TID] ? (s32)lkst_record_int(r, f[ROLE_TID]) : r->tid;
	struct lkst_thread *thread, before;

	/* Each CPU has an idle thread, and all of them are 0; other numbers are damage. */
	if (tid <= 0 || tid > TID_MAX)
		return 0;
	thread = threads_get(t, tid);
	if (!thread)
		return -ENOMEM;
	before = *thread;
	if (rules[i].is_new)
		threads_begin(t, thread, r);
	thread->has_ended = rules[i].index == LKST_EV_sched_process_exit;
	if (f[ROLE_PID])
		thread->pid = (s32)lkst_record_int(r, f[ROLE_PID]);
	if (f[ROLE_PARENT])
		thread->parent_pid = (s32)lkst_record_int(r, f[ROLE_PARENT]);
	if (f[ROLE_PRIO])
		note_prio(thread, rules[i].index, f[ROLE_PRIO], r);
	if (f[ROLE_FLAGS])
		thread->is_kernel = lkst_record_int(r, f[ROLE_FLAGS]) & LKST_THREAD_KERNEL;
	if (f[ROLE_TASK])
		thread->task = lkst_record_int(r, f[ROLE_TASK]);
	if (f[ROLE_COMM])
		threads_set_comm(thread, r, f[ROLE_COMM]);
	if (f[ROLE_COMM] && is_renaming(rules[i].index, &before))
		keep_name(t, thread, &before, r->ns);
	if (f[ROLE_OLD_TID])
		note_exec(t, thread, (s32)lkst_record_int(r, f[ROLE_OLD_TID]));
	note_waker(thread, rules[i].index, r);
	if (f[ROLE_CGROUP])
		note_cgroup(t, thread, lkst_record_int(r, f[ROLE_CGROUP]),
			    f[ROLE_IS_PROCESS] && lkst_record_int(r, f[ROLE_IS_PROCESS]));
	return 0;
}

/* Finds the fields of rule @i in the class that this trace has for the event. */
static void threads_find_fields(struct lkst_threads *t, u32 i, const struct lkst_event_class *event)
{
	u32 role;

	t->found[i].event = event;
	for (role = 0; role < NR_ROLES; role++)
		t->found[i].fields[role] = rules[i].fields[role]
						   ? lkst_class_field(event, rules[i].fields[role])
						   : NULL;
}

/* Whether the class says which thread it is about; a file may declare anything. */
static bool is_usable(const struct lkst_threads *t, u32 i)
{
	return !rules[i].fields[ROLE_TID] || t->found[i].fields[ROLE_TID];
}

/* A CPU of the state, with its idle thread. */
static int note_cpu(struct lkst_threads *t, const struct lkst_record *r)
{
	const struct lkst_field_class *cpu = lkst_class_field(r->event, "state_cpu");
	const struct lkst_field_class *task = lkst_class_field(r->event, "idle_task");
	u64 i = cpu && task ? lkst_record_int(r, cpu) : CPUS_MAX, *idle_task;

	if (i >= CPUS_MAX)
		return 0;
	idle_task = lkst_vec_reach(t->idle_tasks, t->nr_idle_tasks, i);
	if (!idle_task)
		return -ENOMEM;
	*idle_task = lkst_record_int(r, task);
	return 0;
}

/* The command of the process that @r names, or else of its own thread, which is the only one then. */
static int note_command(struct lkst_threads *t, const struct lkst_record *r)
{
	const struct lkst_field_class *process = lkst_class_field(r->event, "process");
	s64 pid = process ? (s64)(s32)lkst_record_int(r, process) : r->tid;
	const struct lkst_command_line *command;
	struct lkst_thread *thread;
	int err;

	if (pid <= 0 || pid > TID_MAX || (!process && r->event->index == LKST_EV_state_process))
		return 0;
	err = lkst_command_lines_add(t->commands, r, &command);
	if (err)
		return err;
	thread = threads_get(t, (s32)pid);
	if (!thread)
		return -ENOMEM;
	thread->pid = (s32)pid;
	thread->command = command;
	return 0;
}

int lkst_threads_feed(struct lkst_threads *t, const struct lkst_record *r)
{
	const struct lkst_event_class *event = r->event;
	u32 i;

	if (event->index == LKST_EV_state_cpu)
		return note_cpu(t, r);
	if (event->index < 0 || !t->rule_of[event->index])
		return 0;
	if (t->rule_of[event->index] == RULE_COMMANDS)
		return note_command(t, r);
	if ((t->rule_of[event->index] == RULE_CGROUPS || event->index == LKST_EV_cgroup_attach_task) &&
	    lkst_cgroups_feed(t->cgroups, r))
		return -ENOMEM;
	for (i = t->rule_of[event->index] - 1u; i < NR_RULES && rules[i].index == event->index;
	     i++) {
		int err = 0;

		if (t->found[i].event != event)
			threads_find_fields(t, i, event);
		if (is_usable(t, i))
			err = threads_apply(t, i, r);
		if (err)
			return err;
	}
	return 0;
}

u64 lkst_threads_task(const struct lkst_threads *t, s32 tid, u32 cpu)
{
	const struct lkst_thread *thread = tid ? lkst_threads_find(t, tid) : NULL;

	if (!tid)
		return cpu < t->nr_idle_tasks ? t->idle_tasks[cpu] : 0;
	return thread ? thread->task : 0;
}

s32 lkst_threads_pid_of(const struct lkst_threads *t, s32 tid)
{
	const struct lkst_thread *thread = lkst_threads_find(t, tid);

	return thread && thread->pid ? thread->pid : tid;
}

u64 lkst_threads_cgroup_of(const struct lkst_threads *t, s32 tid)
{
	const struct lkst_thread *thread = lkst_threads_find(t, tid);
	const struct lkst_thread *first = thread && thread->pid > 0 ? lkst_threads_find(t, thread->pid) : thread;

	if (first && first->process_turn > thread->cgroup_turn)
		return first->process_cgroup;
	return thread ? thread->cgroup : 0;
}

const struct lkst_command_line *lkst_threads_command_of(const struct lkst_threads *t, s32 tid)
{
	const struct lkst_thread *thread = lkst_threads_find(t, tid);
	const struct lkst_thread *first = thread && thread->pid > 0 ? lkst_threads_find(t, thread->pid) : NULL;

	return first ? first->command : NULL;
}

const struct lkst_cgroups *lkst_threads_cgroups(const struct lkst_threads *t)
{
	return t->cgroups;
}

unsigned int lkst_threads_nr(const struct lkst_threads *t)
{
	return t->nr_threads;
}

const struct lkst_thread *lkst_threads_at(const struct lkst_threads *t, unsigned int i)
{
	return threads_thread_at(t, i);
}

/* ---- lifetime ----------------------------------------------------------------------- */

struct lkst_threads *lkst_threads_new(void)
{
	struct lkst_threads *t = calloc(1, sizeof(*t));
	struct lkst_thread *idle;
	u32 i;

	if (!t)
		return NULL;
	for (i = NR_RULES; i-- > 0;)
		t->rule_of[rules[i].index] = (u8)(i + 1);
	t->rule_of[LKST_EV_state_cgroup] = t->rule_of[LKST_EV_cgroup_mkdir] = RULE_CGROUPS;
	t->rule_of[LKST_EV_exec_args] = t->rule_of[LKST_EV_state_process] = RULE_COMMANDS;
	t->cgroups = lkst_cgroups_new();
	t->commands = lkst_command_lines_new();
	idle = !t->cgroups || !t->commands || threads_grow_slots(t) ? NULL : threads_get(t, 0);
	if (!idle) {
		lkst_threads_free(t);
		return NULL;
	}
	idle->is_kernel = true;
	idle->has_comm = true;
	memcpy(idle->comm, "swapper", sizeof("swapper"));
	return t;
}

void lkst_threads_free(struct lkst_threads *t)
{
	u32 i;

	if (!t)
		return;
	for (i = 0; i < t->nr_chunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->slots);
	free(t->names);
	free(t->idle_tasks);
	lkst_cgroups_free(t->cgroups);
	lkst_command_lines_free(t->commands);
	free(t);
}
