/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a wait beside the wait. */
#include "analyze/waiting/circumstances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "analyze/waiting/past.h"
#include "base/vec.h"

enum {
	REQUESTS_MAX = 1 << 14,
	ADDRESSES_MAX = 1 << 12,
	DONE = 1, /* a request's lowest bit: it is done, and the next with its address is another */
	STATE_UNINTERRUPTIBLE = 2, /* TASK_*, include/linux/sched.h */
	STATE_KILLABLE = 0x100,
	/* include/uapi/asm-generic/mman.h */
	PROTECT_WRITE = 2,
	MAPPED_SHARED = 1, /* a bit of MAP_SHARED and MAP_SHARED_VALIDATE alone */
	MAPPED_ANONYMOUS = 0x20,
	PAGE_MASK = 4095,
	ICE_MAX = 64, /* freezes of file systems */
};
static const u32 freeze_cmd = 0xc0045877, thaw_cmd = 0xc0045878; /* FIFREEZE, FITHAW: include/uapi/linux/fs.h */

enum act { ACT_NONE, ACT_MMAP, ACT_MUNMAP, ACT_MREMAP, ACT_WRITE, ACT_IOCTL };

static const struct {
	const char *call;
	enum act act;
} acts[] = {
	{ "mmap", ACT_MMAP },	    { "mmap2", ACT_MMAP },   { "munmap", ACT_MUNMAP }, { "mremap", ACT_MREMAP },
	{ "write", ACT_WRITE },	    { "writev", ACT_WRITE }, { "pwrite64", ACT_WRITE }, { "pwritev", ACT_WRITE },
	{ "pwritev2", ACT_WRITE },  { "sendfile", ACT_WRITE }, { "copy_file_range", ACT_WRITE },
	{ "splice", ACT_WRITE },    { "ioctl", ACT_IOCTL },
};

struct lkst_circumstances_thread {
	u64 fault_ns, fault_address; /* of its last page fault */
	bool is_throttle; /* of a worker: it lets requests pass that a limit has held back */
	u8 where_flags;	  /* LKST_WHERE_* of its last switch */
};

static struct lkst_circumstances_thread *circumstances_thread_at(struct lkst_circumstances *c,
								 const struct lkst_record *r,
								 const struct lkst_thread_life **ret_life)
{
	struct lkst_circumstances_thread *t;

	*ret_life = lkst_model_life_of(c->model, r->tid, r->cpu);
	if (!*ret_life || (*ret_life)->tid <= 0)
		return NULL;
	t = lkst_vec_reach(c->threads, c->nr_threads, (*ret_life)->nr);
	if (!t)
		c->error = -ENOMEM;
	return t;
}

static void circumstances_set(struct lkst_circumstances *c, struct lkst_map *m, u64 key, u64 value)
{
	if (key != LKST_HASH_NONE && lkst_map_set(m, key, value) == -ENOMEM)
		c->error = -ENOMEM;
}

static s32 circumstances_pid_of(const struct lkst_thread_life *life)
{
	return life->pid ? life->pid : life->tid;
}

/* ---- memory of processes: a list for each, the newest first; a child's goes on in its parent's ---- */

enum {
	PLACES_MAX = 1 << 18,
	PROCESSES_MAX = 1 << 16,
	STEPS_MAX = 1 << 12, /* places of a process that are looked at */
};

struct lkst_mapped_place {
	u64 from, size;
	u32 what;
	u32 next; /* that was there before, plus 1 */
};

static void mapped_fini(struct lkst_mapped_memory *m)
{
	lkst_map_fini(&m->heads);
	free(m->list);
	*m = (struct lkst_mapped_memory){};
}

static u32 head_of(const struct lkst_mapped_memory *m, s32 pid)
{
	const u64 *head = lkst_map_find(&m->heads, (u32)pid);

	return head ? (u32)*head : 0;
}

/* Where there is no room, nothing is known of the process. */
static void set_head(struct lkst_mapped_memory *m, s32 pid, u32 head)
{
	m->heads.max = PROCESSES_MAX;
	if (!head)
		lkst_map_remove(&m->heads, (u32)pid);
	else if (lkst_map_set(&m->heads, (u32)pid, head) == -ENOMEM)
		m->error = -ENOMEM;
}

/* From now on @size bytes at @from of process @pid are @what, a number of the caller's; 0: not known. */
static void mapped_add(struct lkst_mapped_memory *m, s32 pid, u64 from, u64 size, u32 what)
{
	struct lkst_mapped_place *p = m->nr < PLACES_MAX ? lkst_vec_add(m->list, m->nr) : NULL;

	if (!p) {
		m->error = m->nr < PLACES_MAX ? -ENOMEM : m->error;
		set_head(m, pid, 0);
		return;
	}
	*p = (struct lkst_mapped_place){ from, size, what, head_of(m, pid) };
	set_head(m, pid, m->nr);
}

/* Process @child has the memory that @parent has now; process @pid has a memory of its own, which is empty. */
static void mapped_fork(struct lkst_mapped_memory *m, s32 parent, s32 child)
{
	set_head(m, child, head_of(m, parent));
}

static void mapped_exec(struct lkst_mapped_memory *m, s32 pid)
{
	set_head(m, pid, 0);
}

/* What is at @address of process @pid; 0: not known. */
static u32 mapped_find(const struct lkst_mapped_memory *m, s32 pid, u64 address)
{
	u32 i = head_of(m, pid), steps;

	for (steps = 0; i && steps < STEPS_MAX; steps++, i = m->list[i - 1].next)
		if (address - m->list[i - 1].from < m->list[i - 1].size)
			return m->list[i - 1].what;
	return 0;
}

/* ---- what maps memory ----------------------------------------------------------------------- */

static int circumstances_on_user_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;
	const struct lkst_thread_life *life;
	struct lkst_circumstances_thread *t = circumstances_thread_at(c, r, &life);

	if (t) {
		t->fault_ns = r->ns;
		t->fault_address = ((const struct lkst_rec_page_fault_user *)record)->address;
	}
	return c->error;
}

static int circumstances_on_kernel_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;
	const struct lkst_thread_life *life;
	struct lkst_circumstances_thread *t = circumstances_thread_at(c, r, &life);

	if (t) {
		t->fault_ns = r->ns;
		t->fault_address = ((const struct lkst_rec_page_fault_kernel *)record)->address;
	}
	return c->error;
}

/*
 * What a new mapping is of. Of a file that is mapped for the process alone, pages that were written to are no more the
 * file's: what a fault in these waits for is not known.
 */
static u32 circumstances_what_of(struct lkst_circumstances *c, const struct lkst_call_interval *i)
{
	const u64 protection = i->call.args[2], flags = i->call.args[3];

	if (flags & MAPPED_ANONYMOUS)
		return lkst_about_add(c->abouts, LKST_ABOUT_OWN_MEMORY);
	if (!(flags & MAPPED_SHARED) && protection & PROTECT_WRITE)
		return 0;
	return lkst_about_call(c->abouts, i->life, &i->call);
}

/* Who writes to a file system that is being frozen waits already; until it is thawed. */
static void change_ice(struct lkst_circumstances *c, const struct lkst_call_interval *i)
{
	const u32 command = (u32)i->call.args[1];
	u32 about, k;
	struct lkst_circumstances_ice *ice;

	if (!i->call.has_args || i->call.nr_args < 2 || (command != freeze_cmd && command != thaw_cmd))
		return;
	about = lkst_about_call(c->abouts, i->life, &i->call);
	for (k = 0; about && k < c->nr_ice; k++)
		if (c->ice[k].about == about && !c->ice[k].to_ns)
			c->ice[k].to_ns = i->from_ns;
	ice = about && command == freeze_cmd && c->nr_ice < ICE_MAX ? lkst_vec_add(c->ice, c->nr_ice) : NULL;
	if (ice)
		*ice = (struct lkst_circumstances_ice){ i->from_ns, 0, about, i->life->nr };
}

const struct lkst_circumstances_ice *lkst_circumstances_freeze(const struct lkst_circumstances *c,
							       const struct lkst_past *p)
{
	const char *path = lkst_about_text(c->abouts, p->about);
	u32 k;

	for (k = 0; path && p->cause == LKST_CAUSE_LOCK && k < c->nr_ice; k++) {
		const char *root = lkst_about_text(c->abouts, c->ice[k].about);
		const size_t length = strlen(root);

		if (c->ice[k].from_ns <= p->from_ns && (!c->ice[k].to_ns || c->ice[k].to_ns > p->from_ns) &&
		    !strncmp(path, root, length) && (path[length] == '/' || !path[length]))
			return &c->ice[k];
	}
	return NULL;
}

static int circumstances_on_call(void *ctx, const struct lkst_call_interval *i)
{
	struct lkst_circumstances *c = ctx;
	const u64 *args = i->call.args;
	const enum act act = i->call.row >= 0 ? c->acts[i->call.row] : ACT_NONE;
	const s32 pid = circumstances_pid_of(i->life);

	if (act == ACT_NONE || act == ACT_WRITE || !i->has_exit || (i->ret < 0 && i->ret > -4096) || i->life->tid <= 0)
		return 0;
	if (act == ACT_IOCTL)
		change_ice(c, i);
	else if (!i->call.has_args || i->call.nr_args < 2)
		mapped_exec(&c->mapped, pid); /* something has changed, and it is not known where */
	else if (act == ACT_MUNMAP)
		mapped_add(&c->mapped, pid, args[0], (args[1] + PAGE_MASK) & ~(u64)PAGE_MASK, 0);
	else if (act == ACT_MREMAP)
		mapped_add(&c->mapped, pid, (u64)i->ret, args[2], 0);
	else if (i->call.nr_args > 4)
		mapped_add(&c->mapped, pid, (u64)i->ret, (args[1] + PAGE_MASK) & ~(u64)PAGE_MASK,
			   circumstances_what_of(c, i));
	return c->mapped.error;
}

static int circumstances_on_fork(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_fork *e = record;
	struct lkst_circumstances *c = ctx;

	if (e->child_pid != e->parent_pid)
		mapped_fork(&c->mapped, e->parent_pid, e->child_pid);
	return c->mapped.error;
}

static int circumstances_on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;

	mapped_exec(&c->mapped, r->tid);
	return 0;
}

/* ---- disks ------------------------------------------------------------------------ */

/* Whether function @code lets requests of a cgroup pass: blk_throtl_dispatch_work_fn(). */
static bool is_throttle(struct lkst_circumstances *c, u64 code)
{
	const char *name;
	u64 offset;

	if (code == c->throttle_code || code == c->other_code || !c->symbols)
		return code && code == c->throttle_code;
	name = lkst_symbols_find(c->symbols, code, &offset);
	if (name && !offset && !strncmp(name, "blk_throtl_dispatch", strlen("blk_throtl_dispatch")))
		c->throttle_code = code;
	else
		c->other_code = code;
	return code == c->throttle_code;
}

static int circumstances_on_work(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;
	const struct lkst_thread_life *life;
	struct lkst_circumstances_thread *t = circumstances_thread_at(c, r, &life);

	if (t)
		t->is_throttle = is_throttle(c, ((const struct lkst_rec_workqueue_execute_start *)record)->function);
	return c->error;
}

static int circumstances_on_work_end(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;
	const struct lkst_thread_life *life;
	struct lkst_circumstances_thread *t = circumstances_thread_at(c, r, &life);

	if (t)
		t->is_throttle = false;
	return c->error;
}

/* A request begins: the limit has let it pass now, or there was none. */
static void circumstances_begin_request(struct lkst_circumstances *c, const struct lkst_record *r, u64 rq)
{
	const struct lkst_thread_life *life;
	const struct lkst_circumstances_thread *t = circumstances_thread_at(c, r, &life);

	circumstances_set(c, &c->requests, rq, t && t->is_throttle ? r->ns & ~(u64)DONE : 0);
}

static int on_insert(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;

	circumstances_begin_request(c, r, ((const struct lkst_rec_block_rq_insert *)record)->rq);
	return c->error;
}

/* Not each request has waited for its turn. */
static int circumstances_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *e = record;
	struct lkst_circumstances *c = ctx;
	const u64 *known = lkst_map_find(&c->requests, e->rq);

	if (!known || *known & DONE)
		circumstances_begin_request(c, r, e->rq);
	return c->error;
}

static int circumstances_on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;
	u64 *known = lkst_map_find(&c->requests, ((const struct lkst_rec_block_rq_complete *)record)->rq);

	if (known)
		*known |= DONE;
	return 0;
}

/* ---- network ---------------------------------------------------------------------- */

static u64 key_of_peer(u32 address, u16 port)
{
	return (u64)address << 16 | port;
}

static int on_resent(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_tcp_retransmit_skb *e = record;
	struct lkst_circumstances *c = ctx;

	circumstances_set(c, &c->resent, key_of_peer(e->peer_address, e->peer_port), r->ns);
	return c->error;
}

/* When a packet was last sent again to the address of IPv4 that @about is a socket to; 0: never, or that is none. */
static u64 resent_ns(const struct lkst_circumstances *c, const char *about)
{
	unsigned int byte[4], port;
	const u64 *ns;

	if (!c->resent.hash.nr || !about ||
	    sscanf(about, "socket to %3u.%3u.%3u.%3u:%5u", &byte[0], &byte[1], &byte[2], &byte[3], &port) != 5 ||
	    byte[0] > UINT8_MAX || byte[1] > UINT8_MAX || byte[2] > UINT8_MAX || byte[3] > UINT8_MAX ||
	    port > UINT16_MAX)
		return 0;
	ns = lkst_map_find(&c->resent,
			   key_of_peer(byte[0] << 24 | byte[1] << 16 | byte[2] << 8 | byte[3], (u16)port));
	return ns ? *ns : 0;
}

/* ---- waits ------------------------------------------------------------------------ */

static int circumstances_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_circumstances *c = ctx;
	const struct lkst_thread_life *life;
	struct lkst_circumstances_thread *t = circumstances_thread_at(c, r, &life);

	if (t)
		t->where_flags = ((const struct lkst_rec_sched_switch *)record)->prev_flags;
	return c->error;
}

static void take_fault(struct lkst_circumstances *c, const struct lkst_circumstances_thread *t,
		       const struct lkst_interval *i, struct lkst_past *p)
{
	p->flags |= LKST_PAST_IN_FAULT;
	p->about = 0;
	if (i->wait->fault_ns == t->fault_ns)
		p->about = mapped_find(&c->mapped, circumstances_pid_of(i->life), t->fault_address);
}

void lkst_circumstances_take(struct lkst_circumstances *c, const struct lkst_interval *i, struct lkst_past *p)
{
	const struct lkst_wait *w = i->wait;
	const struct lkst_circumstances_thread *t = i->life->nr < c->nr_threads ? &c->threads[i->life->nr] : NULL;
	const u64 half_ns = p->from_ns + (p->to_ns - p->from_ns) / 2;
	const bool may_die = w->task_state & STATE_KILLABLE && w->task_state & STATE_UNINTERRUPTIBLE;
	const u64 *let_ns;
	u64 again_ns;

	p->about = lkst_about_call(c->abouts, i->life, &w->call);
	if (!t)
		return;
	if (w->fault_ns && w->cause != LKST_CAUSE_LOCK)
		take_fault(c, t, i, p);
	if (t->where_flags & LKST_WHERE_MEMORY && t->where_flags & LKST_WHERE_IO)
		p->flags |= LKST_PAST_IS_REFAULT;
	/* A writer sleeps for a time that the kernel has set, as if for a disk, and may be killed meanwhile. */
	if (may_die && t->where_flags & LKST_WHERE_IO && p->end == LKST_PAST_END_TIMER && w->call.row >= 0 &&
	    c->acts[w->call.row] == ACT_WRITE)
		p->flags |= LKST_PAST_IS_DIRTY;
	let_ns = p->end == LKST_PAST_END_DISK ? lkst_map_find(&c->requests, i->waker->rq) : NULL;
	if (let_ns && *let_ns > half_ns)
		p->flags |= LKST_PAST_WAS_HELD;
	again_ns = resent_ns(c, lkst_about_text(c->abouts, p->about));
	if (again_ns >= p->from_ns && again_ns <= p->to_ns)
		p->flags |= LKST_PAST_WAS_RESENT;
}

/* ---- the pass --------------------------------------------------------------------- */

static int learn_acts(struct lkst_circumstances *c)
{
	size_t i;
	unsigned int row;

	c->acts = calloc(lkst_nr_syscalls, sizeof(*c->acts));
	for (row = 0; c->acts && row < lkst_nr_syscalls; row++)
		for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
			if (!strcmp(lkst_syscalls[row].name, acts[i].call))
				c->acts[row] = (u8)acts[i].act;
	return c->acts ? 0 : -ENOMEM;
}

int lkst_circumstances_subscribe(struct lkst_circumstances *c, struct lkst_feed *f, struct lkst_model *model)
{
	static const struct lkst_model_calls calls = { .call = circumstances_on_call };
	static const struct {
		enum lkst_event_index event;
		lkst_feed_call *call;
	} events[] = {
		{ LKST_EV_page_fault_user, circumstances_on_user_fault },
		{ LKST_EV_page_fault_kernel, circumstances_on_kernel_fault },
		{ LKST_EV_sched_process_fork, circumstances_on_fork },
		{ LKST_EV_sched_process_exec, circumstances_on_exec },
		{ LKST_EV_workqueue_execute_start, circumstances_on_work },
		{ LKST_EV_workqueue_execute_end, circumstances_on_work_end },
		{ LKST_EV_block_rq_insert, on_insert },
		{ LKST_EV_block_rq_issue, circumstances_on_issue },
		{ LKST_EV_block_rq_complete, circumstances_on_complete },
		{ LKST_EV_tcp_retransmit_skb, on_resent },
		{ LKST_EV_sched_switch, circumstances_on_switch },
	};
	unsigned int i;
	int r = learn_acts(c);

	c->model = model;
	c->requests.max = REQUESTS_MAX;
	c->resent.max = ADDRESSES_MAX;
	if (r >= 0)
		r = lkst_model_subscribe(model, &calls, c);
	for (i = 0; i < sizeof(events) / sizeof(events[0]) && r >= 0; i++)
		r = lkst_feed_event(f, events[i].event, events[i].call, c);
	return r < 0 ? r : 1;
}

void lkst_circumstances_fini(struct lkst_circumstances *c)
{
	mapped_fini(&c->mapped);
	lkst_map_fini(&c->requests);
	lkst_map_fini(&c->resent);
	free(c->threads);
	free(c->ice);
	free(c->acts);
	*c = (struct lkst_circumstances){};
}
