/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors of processes, by the system calls that change them. */
#include "trace/known/descriptors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/program.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/known/descriptor_calls.h"
#include "trace/known/descriptor_table.h"

enum {
	CALLS_MAX = 1 << 16, /* threads whose call is known */
	NAME_ROOM = 2 * LKST_STRING_MAX,

	/* Of x86 and arm64: include/uapi/asm-generic/fcntl.h and linux/fcntl.h */
	CLOEXEC_FLAG = 02000000,
	AT_CWD = -100,
	DUPFD = 0,
	SETFD = 2,
	DUPFD_CLOEXEC = 1030,
	CLOEXEC_BIT = 1,
	/* include/uapi/linux/close_range.h, sched.h */
	RANGE_UNSHARE = 2,
	RANGE_CLOEXEC = 4,
	CLONE_FILES_FLAG = 0x400,
	CLONE_THREAD_FLAG = 0x10000,
	/* include/linux/socket.h; include/uapi/asm-generic/errno.h */
	FAMILY_INET6 = 10,
	IS_INTERRUPTED = -4,
	IS_IN_PROGRESS = -115,
	/* include/uapi/asm-generic/ioctls.h */
	FIONCLEX_CMD = 0x5450,
	FIOCLEX_CMD = 0x5451,
	ERROR_MIN = -4095,
};

/* What somebody else knows: from `since_ns` on a descriptor refers to that. */
struct told {
	u64 since_ns;
	const char *name;
	s32 pid, fd;
};

/* The call that a thread is in. Its key comes first. */
struct descriptors_call {
	u64 tid;
	u64 entry_ns;
	const char *name; /* of the descriptor */
	const char *path; /* as it was given */
	const char *target; /* of a call that connects or binds a socket: what it is then */
	u64 exit_ns;
	s64 args[4];
	s32 fd;
	u8 act;
	bool has_ended, has_failed;
	bool is_new; /* `fd` and `name` are what it returned */
};

struct lkst_descriptors {
	const struct lkst_threads *threads;
	struct lkst_descriptor_layout *layouts; /* by the event's id */
	struct lkst_descriptor_table table;
	struct lkst_hash calls; /* struct call */
	struct told *told; /* in order of time */
	u32 nr_told, next_told;
	struct lkst_map found; /* by process and descriptor: a place in `told` */
	u64 forget_ns; /* what was known until then is not known any more, and calls that began before say nothing */
	u64 doubt_ns;  /* calls that began before say nothing: of some that make descriptors one half was left out */
	bool has_closes; /* closes are recorded: one was */
	bool is_partial; /* some of what is needed is recorded only under a condition */
	u32 nr_shed;	 /* kinds of system calls that are left out now */
};

static s32 descriptors_pid_of(const struct lkst_descriptors *d, s32 tid)
{
	const struct lkst_thread *thread = lkst_threads_find(d->threads, tid);

	return thread && thread->pid > 0 ? thread->pid : 0;
}

/* What is known of a descriptor now. */
static const char *descriptors_name_of(const struct lkst_descriptors *d, const struct lkst_descriptor_process *p,
				       s64 fd)
{
	const struct lkst_descriptor_file *f = p && fd >= 0 && fd < p->nr_files ? &p->files[fd] : NULL;

	return f && !p->is_untracked && f->changed_ns > d->forget_ns ? f->name : NULL;
}

/* From now on nothing is known of descriptor @fd. */
static int descriptors_forget(struct lkst_descriptors *d, struct lkst_descriptor_process *p, s64 fd, u64 ns)
{
	struct lkst_descriptor_file *f;
	int err = lkst_descriptor_at(&d->table, p, fd, &f);

	if (f)
		*f = (struct lkst_descriptor_file){ .changed_ns = ns };
	return err;
}

/* Whether what @c did counts: all that may have happened since its entry was recorded. */
static bool is_believed(const struct lkst_descriptors *d, const struct descriptors_call *c)
{
	return d->has_closes && !d->is_partial && !d->nr_shed && c->entry_ns > d->forget_ns &&
	       c->entry_ns > d->doubt_ns;
}

/* Call @c has made descriptor @fd, at @ns. If another call has changed it meanwhile, it is not known whose it is. */
static int descriptors_learn(struct lkst_descriptors *d, struct lkst_descriptor_process *p,
			     const struct descriptors_call *c, s64 fd, u64 ns, const char *name, bool stays_at_exec)
{
	struct lkst_descriptor_file *f;
	int err = lkst_descriptor_at(&d->table, p, fd, &f);
	bool is_sure;

	if (!f)
		return err;
	is_sure = f->changed_ns <= c->entry_ns && is_believed(d, c);
	*f = (struct lkst_descriptor_file){ is_sure ? name : NULL, ns, stays_at_exec };
	return 0;
}

/* ---- calls -------------------------------------------------------------------------- */

static const struct lkst_descriptor_layout *layout_of(struct lkst_descriptors *d,
				      const struct lkst_event_class *event)
{
	struct lkst_descriptor_layout *l = &d->layouts[event->id];

	if (l->event != event)
		lkst_descriptor_lay_out(l, event);
	return l;
}

/* The path in a record, if it has one and that is whole. */
static int read_path(struct lkst_descriptors *d, const struct lkst_descriptor_layout *l,
		     const struct lkst_record *r, const char **path)
{
	char text[LKST_STRING_MAX];
	const u8 *bytes;
	u32 length;

	bytes = l->string >= 0 ? lkst_record_field(r, (unsigned int)l->string, &length) : NULL;
	length = bytes ? (u32)strnlen((const char *)bytes, length) : 0;
	if (!length || length >= LKST_STRING_MAX - 1)
		return 0;
	memcpy(text, bytes, length);
	text[length] = 0;
	return lkst_descriptor_name(&d->table, text, path);
}

/* "DIRECTORY/path"; a path from the process's own directory stays as it is. */
static int descriptors_name_at(struct lkst_descriptors *d, const struct descriptors_call *c, const char **ret_name)
{
	char text[NAME_ROOM];

	*ret_name = c->path;
	if (!c->path || c->path[0] == '/' || c->fd == AT_CWD)
		return 0;
	snprintf(text, sizeof(text), "%s/%s", c->name ?: "?", c->path);
	return strlen(text) + 1 < sizeof(text) ? lkst_descriptor_name(&d->table, text, ret_name) : 0;
}

static int descriptors_name_socket(struct lkst_descriptors *d, const struct descriptors_call *c, const char **ret_name)
{
	static const char *const families[] = { [1] = "unix",	  [2] = "inet",	   [10] = "inet6",
						[16] = "netlink", [17] = "packet", [40] = "vsock" };
	static const char *const types[] = {
		[1] = "stream", [2] = "datagram", [3] = "raw", [5] = "seqpacket"
	};
	const u64 family = (u64)c->args[0], type = (u64)c->args[1] & 15;
	char text[NAME_ROOM];
	int at = snprintf(text, sizeof(text), "socket (");

	if (family < sizeof(families) / sizeof(families[0]) && families[family])
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s", families[family]);
	else
		at += snprintf(text + at, sizeof(text) - (size_t)at, "family %" PRIu64, family);
	if (type < sizeof(types) / sizeof(types[0]) && types[type])
		at += snprintf(text + at, sizeof(text) - (size_t)at, ", %s", types[type]);
	snprintf(text + at, sizeof(text) - (size_t)at, ")");
	return lkst_descriptor_name(&d->table, text, ret_name);
}

/* @before, which may be NULL, in front of @after. */
static int name_with(struct lkst_descriptors *d, const char *before, const char *between,
		     const char *after, const char **ret_name)
{
	char text[NAME_ROOM];

	*ret_name = NULL;
	if (!before || !after)
		return 0;
	snprintf(text, sizeof(text), "%s%s%s", before, between, after);
	return lkst_descriptor_name(&d->table, text, ret_name);
}

/* What the descriptor refers to that call @c has returned; NULL: not known. @stays: an exec does not close it. */
static int name_new(struct lkst_descriptors *d, const struct lkst_descriptor_process *p,
		    const struct lkst_descriptor_layout *l, const struct descriptors_call *c,
		    const char **ret_name, bool *stays)
{
	*ret_name = NULL;
	switch (c->act) {
	case LKST_ACT_OPEN:
		*stays = !(c->args[1] & CLOEXEC_FLAG);
		*ret_name = c->path;
		return 0;
	case LKST_ACT_CREAT:
		*ret_name = c->path;
		return 0;
	case LKST_ACT_OPENAT:
		*stays = !(c->args[2] & CLOEXEC_FLAG);
		return descriptors_name_at(d, c, ret_name);
	case LKST_ACT_OPENAT2:
		*stays = false;
		return descriptors_name_at(d, c, ret_name);
	case LKST_ACT_MEMFD:
		*stays = !(c->args[1] & CLOEXEC_BIT);
		return name_with(d, "memfd:", "", c->path, ret_name);
	case LKST_ACT_SOCKET:
		*stays = !(c->args[1] & CLOEXEC_FLAG);
		return descriptors_name_socket(d, c, ret_name);
	case LKST_ACT_ACCEPT:
		*stays = !(c->args[3] & CLOEXEC_FLAG);
		return name_with(d, c->name ?: "socket", ", ", "accepted", ret_name);
	case LKST_ACT_DUP:
	case LKST_ACT_DUP_TO:
		*stays = !(c->args[2] & CLOEXEC_FLAG);
		break;
	case LKST_ACT_FCNTL:
		*stays = c->args[1] != DUPFD_CLOEXEC;
		break;
	default:
		*stays = false;
		return lkst_descriptor_name(&d->table, lkst_class_call(l->event), ret_name);
	}
	/* A copy: of what it was at entry, if that is what it still is. */
	if (p && c->fd >= 0 && (u32)c->fd < p->nr_files &&
	    p->files[c->fd].changed_ns <= c->entry_ns)
		*ret_name = c->name;
	return 0;
}

/* Call @c may close descriptors @first to @last, or does not keep them at exec. */
static int forget_range(struct lkst_descriptors *d, struct lkst_descriptor_process *p, const struct descriptors_call *c,
			u64 ns)
{
	const u64 first = (u32)c->args[0], last = (u32)c->args[1];
	u64 fd;

	p->is_untracked |= (c->args[2] & RANGE_UNSHARE) != 0;
	for (fd = first; fd <= last && fd < p->nr_files; fd++)
		if (c->args[2] & RANGE_CLOEXEC)
			p->files[fd].stays_at_exec = false;
		else
			p->files[fd] = (struct lkst_descriptor_file){ .changed_ns = ns };
	return 0;
}

/* What a call may change between its entry and its exit is not known from one to the other. */
static int descriptors_enter(struct lkst_descriptors *d, struct lkst_descriptor_process *p,
			     const struct descriptors_call *c, u64 ns)
{
	switch (c->act) {
	case LKST_ACT_CLOSE:
		d->has_closes = true;
		return descriptors_forget(d, p, c->fd, ns);
	case LKST_ACT_DUP_TO:
		return c->args[0] != c->args[1] ? descriptors_forget(d, p, c->args[1], ns) : 0;
	case LKST_ACT_CLOSE_RANGE:
		return forget_range(d, p, c, ns);
	case LKST_ACT_FCNTL:
		if (c->args[1] == SETFD && c->fd >= 0 && (u32)c->fd < p->nr_files)
			p->files[c->fd].stays_at_exec = false;
		return 0;
	case LKST_ACT_IOCTL:
		if (((u32)c->args[1] == FIOCLEX_CMD || (u32)c->args[1] == FIONCLEX_CMD) &&
		    c->fd >= 0 && (u32)c->fd < p->nr_files)
			p->files[c->fd].stays_at_exec = false;
		return 0;
	case LKST_ACT_UNSHARE:
		p->is_untracked |= (c->args[0] & CLONE_FILES_FLAG) != 0;
		return 0;
	case LKST_ACT_URING:
		/* Requests in a ring open and close without a record. */
		p->is_untracked = true;
		return 0;
	default:
		return 0;
	}
}

static int descriptors_on_entry(struct lkst_descriptors *d, const struct lkst_descriptor_layout *l,
				const struct lkst_record *r)
{
	struct descriptors_call *c = lkst_hash_find(&d->calls, (u64)(u32)r->tid, sizeof(*c));
	struct lkst_descriptor_process *p;
	u8 i;
	int err = lkst_descriptor_get(&d->table, descriptors_pid_of(d, r->tid), &p);

	if (err)
		return err;
	if (!c && d->calls.nr >= CALLS_MAX)
		lkst_hash_clear(&d->calls, sizeof(*c));
	if (!c && lkst_hash_reserve(&d->calls, sizeof(*c)))
		return -ENOMEM;
	c = c ?: lkst_hash_add(&d->calls, (u64)(u32)r->tid, sizeof(*c));
	*c = (struct descriptors_call){ .tid = c->tid, .entry_ns = r->ns, .act = l->act, .fd = -1 };
	for (i = 0; i < l->nr_args && i < sizeof(c->args) / sizeof(c->args[0]); i++)
		c->args[i] = (s64)lkst_record_int(r, l->args[i]);
	if (l->fd_at >= 0)
		c->fd = (s32)lkst_record_int(r, l->args[l->fd_at]);
	c->name = descriptors_name_of(d, p, c->fd);
	if (l->act >= LKST_ACT_OPEN && l->act <= LKST_ACT_MEMFD)
		err = read_path(d, l, r, &c->path);
	return err || !p ? err : descriptors_enter(d, p, c, r->ns);
}

/* Call @c, of process @p, has returned descriptor @fd. */
static int take_new(struct lkst_descriptors *d, struct lkst_descriptor_process *p,
		    const struct lkst_descriptor_layout *l, struct descriptors_call *c, s64 fd, u64 ns)
{
	bool stays = true;
	const char *name;
	int err = name_new(d, p, l, c, &name, &stays);

	err = err ?: descriptors_learn(d, p, c, fd, ns, name, stays);
	if (err)
		return err;
	c->is_new = true;
	c->fd = (s32)fd;
	c->name = descriptors_name_of(d, p, fd);
	return 0;
}

/* The socket of call @c is connected or bound now. */
static int take_target(struct lkst_descriptors *d, struct lkst_descriptor_process *p, const struct descriptors_call *c,
		       u64 ns)
{
	const struct lkst_descriptor_file *f = c->fd >= 0 && (u32)c->fd < p->nr_files ? &p->files[c->fd] : NULL;

	return descriptors_learn(d, p, c, c->fd, ns, c->target, f && f->stays_at_exec);
}

static int descriptors_on_leave(struct lkst_descriptors *d, const struct lkst_descriptor_layout *l,
				const struct lkst_record *r)
{
	struct descriptors_call *c = lkst_hash_find(&d->calls, (u64)(u32)r->tid, sizeof(*c));
	struct lkst_descriptor_process *p = lkst_descriptor_find(&d->table, descriptors_pid_of(d, r->tid));
	const s64 ret = l->ret ? (s64)lkst_record_int(r, l->ret) : -1;
	const bool has_failed = ret < 0 && ret >= ERROR_MIN;
	int err = 0;

	if (!c || c->has_ended || c->act != l->act || !p) {
		/* A descriptor of which nothing else is known is one that has changed. */
		return p && l->returns_fd && !has_failed ? descriptors_forget(d, p, ret, r->ns) : 0;
	}
	c->has_ended = true;
	c->exit_ns = r->ns;
	c->has_failed = has_failed && !(c->act == LKST_ACT_CONNECT && (ret == IS_IN_PROGRESS || ret == IS_INTERRUPTED));
	if (!c->path && c->act >= LKST_ACT_OPEN && c->act <= LKST_ACT_MEMFD)
		err = read_path(d, l, r, &c->path);
	if (err || c->has_failed)
		return err;
	if (c->target)
		return take_target(d, p, c, r->ns);
	if (c->act == LKST_ACT_CLOSE)
		return descriptors_forget(d, p, c->fd, r->ns);
	if (c->act == LKST_ACT_CLOSE_RANGE)
		return forget_range(d, p, c, r->ns);
	if (c->act == LKST_ACT_FCNTL && c->args[1] != DUPFD && c->args[1] != DUPFD_CLOEXEC)
		return 0;
	if (c->act == LKST_ACT_DUP_TO && c->args[0] == c->args[1])
		return 0;
	return l->returns_fd || c->act == LKST_ACT_FCNTL ? take_new(d, p, l, c, ret, r->ns) : 0;
}

/* ---- lives -------------------------------------------------------------------------- */

static s64 descriptors_number(const struct lkst_record *r, const char *field)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, field);

	return f ? (s64)lkst_record_int(r, f) : 0;
}

/* A child has what its creator had when the call began that created it, as far as that did not change until now. */
static int copy_files(struct lkst_descriptors *d, const struct lkst_descriptor_process *from,
		      struct lkst_descriptor_process *to, const struct descriptors_call *c)
{
	u32 fd;
	int err = 0;

	for (fd = 0; fd < from->nr_files && !err; fd++) {
		struct lkst_descriptor_file *f;

		if (!descriptors_name_of(d, from, fd) || from->files[fd].changed_ns > c->entry_ns)
			continue;
		err = lkst_descriptor_at(&d->table, to, fd, &f);
		if (f)
			*f = from->files[fd];
	}
	return err;
}

static int descriptors_on_newtask(struct lkst_descriptors *d, const struct lkst_record *r)
{
	const u64 flags = (u64)descriptors_number(r, "clone_flags");
	const bool is_thread = flags & CLONE_THREAD_FLAG, shares = flags & CLONE_FILES_FLAG;
	const s32 child_tid = (s32)descriptors_number(r, "child_tid"), pid = descriptors_pid_of(d, r->tid);
	const struct descriptors_call *c = lkst_hash_find(&d->calls, (u64)(u32)r->tid, sizeof(*c));
	struct lkst_descriptor_process *from, *to;
	int err = lkst_descriptor_get(&d->table, pid, &from);

	if (err || child_tid <= 0)
		return err;
	if (from && is_thread != shares)
		from->is_untracked = true;
	if (is_thread)
		return 0;
	err = lkst_descriptor_drop(&d->table, child_tid) ?: lkst_descriptor_get(&d->table, child_tid, &to);
	if (err || !to)
		return err;
	to->is_untracked = shares;
	to->since_ns = r->ns;
	/* It may have moved. */
	from = lkst_descriptor_find(&d->table, pid);
	if (!from || !c || c->has_ended || c->act != LKST_ACT_CLONE || shares)
		return 0;
	return copy_files(d, from, to, c);
}

/* An exec makes the table of descriptors the process's own, and closes those that are marked. */
static int descriptors_on_exec(struct lkst_descriptors *d, const struct lkst_record *r)
{
	struct lkst_descriptor_process *p = lkst_descriptor_find(&d->table, r->tid);
	u32 fd;

	for (fd = 0; p && fd < p->nr_files; fd++)
		if (!p->files[fd].stays_at_exec || p->is_untracked)
			p->files[fd] = (struct lkst_descriptor_file){ .changed_ns = r->ns };
	if (p && p->is_untracked)
		p->since_ns = r->ns;
	if (p)
		p->is_untracked = false;
	return 0;
}

/* ---- addresses ---------------------------------------------------------------------- */

/* "socket to 10.0.0.5:5432", by what a record says; NULL: it says no address. */
static int name_by_address(struct lkst_descriptors *d, const struct lkst_record *r, const char *how,
			   const char **ret_name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "address");
	const bool is_inet6 = descriptors_number(r, "family") == FAMILY_INET6;
	char text[NAME_ROOM], port[16] = "";
	u32 length = 0;
	const u8 *bytes = f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;

	*ret_name = NULL;
	length = bytes ? (u32)strnlen((const char *)bytes, length) : 0;
	if (!length || length >= LKST_STRING_MAX)
		return 0;
	if (descriptors_number(r, "port"))
		snprintf(port, sizeof(port), ":%u", (unsigned int)(u16)descriptors_number(r, "port"));
	snprintf(text, sizeof(text), "socket %s %s%.*s%s%s", how, is_inet6 ? "[" : "", (int)length,
		 (const char *)bytes, is_inet6 ? "]" : "", port);
	return lkst_descriptor_name(&d->table, text, ret_name);
}

/* The call of the thread of @r that is about descriptor `fd` of it, if that is what it does. */
static struct descriptors_call *descriptors_find_call(const struct lkst_descriptors *d, const struct lkst_record *r,
						      enum lkst_descriptor_act act)
{
	struct descriptors_call *c = lkst_hash_find(&d->calls, (u64)(u32)r->tid, sizeof(*c));

	return c && c->act == act && c->fd == (s32)descriptors_number(r, "fd") ? c : NULL;
}

/* connect() and bind(): the record follows the entry, or, where memory had to be read first, the exit. */
static int on_target(struct lkst_descriptors *d, const struct lkst_record *r,
		     enum lkst_descriptor_act act, const char *how)
{
	struct lkst_descriptor_process *p = lkst_descriptor_find(&d->table, descriptors_pid_of(d, r->tid));
	struct descriptors_call *c = descriptors_find_call(d, r, act);
	int err = c ? name_by_address(d, r, how, &c->target) : 0;

	if (err || !c || !p || !c->target)
		return err;
	c->name = c->target;
	return c->has_ended && !c->has_failed ? take_target(d, p, c, r->ns) : 0;
}

/* accept(): the record follows the exit. */
static int on_accepted(struct lkst_descriptors *d, const struct lkst_record *r)
{
	struct lkst_descriptor_process *p = lkst_descriptor_find(&d->table, descriptors_pid_of(d, r->tid));
	struct descriptors_call *c = descriptors_find_call(d, r, LKST_ACT_ACCEPT);
	const char *name;
	int err;

	if (!p || !c || !c->is_new || !c->name || !descriptors_name_of(d, p, c->fd) ||
	    p->files[c->fd].changed_ns != c->exit_ns)
		return 0;
	err = name_by_address(d, r, "from", &name);
	if (!err && name)
		p->files[c->fd].name = c->name = name;
	return err;
}

/* What the calls of the kind of @r do to descriptors. */
static enum lkst_descriptor_loss descriptors_loss_of(const struct lkst_record *r)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "kind");
	u32 length = 0;
	const u8 *bytes =
		f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;
	char kind[LKST_STRING_MAX];

	snprintf(kind, sizeof(kind), "%.*s", (int)length, bytes ? (const char *)bytes : "");
	return lkst_descriptor_loss_of(kind);
}

/*
 * Calls are left out, or recorded again. Where they may have changed a descriptor, it is as a gap that ends now. One
 * that is only made was not in use, be it that its close was recorded or that nothing was known of it: so a name that
 * is known stays, and what is found later was so since then.
 */
static void descriptors_on_shed(struct lkst_descriptors *d, const struct lkst_record *r, bool is_end)
{
	const enum lkst_descriptor_loss loss = descriptors_loss_of(r);

	if (loss == LKST_LOSS_MAKES)
		d->doubt_ns = r->ns;
	if (loss != LKST_LOSS_CHANGES)
		return;
	if (!is_end)
		d->nr_shed++;
	else if (d->nr_shed)
		d->nr_shed--;
	d->forget_ns = r->ns;
}

static int descriptors_on_other(struct lkst_descriptors *d, const struct lkst_record *r)
{
	switch (r->event->index) {
	case LKST_EV_task_newtask:
		return descriptors_on_newtask(d, r);
	case LKST_EV_sched_process_exec:
		return descriptors_on_exec(d, r);
	case LKST_EV_sched_process_free:
		return lkst_descriptor_drop(&d->table, (s32)descriptors_number(r, "freed_tid"));
	case LKST_EV_socket_connect:
		return on_target(d, r, LKST_ACT_CONNECT, "to");
	case LKST_EV_socket_bind:
		return on_target(d, r, LKST_ACT_BIND, "at");
	case LKST_EV_socket_accept:
		return on_accepted(d, r);
	case LKST_EV_shed_begin:
	case LKST_EV_shed_end:
		descriptors_on_shed(d, r, r->event->index == LKST_EV_shed_end);
		return 0;
	case LKST_EV_maskset_switch:
		d->forget_ns = r->ns;
		d->has_closes = false;
		return 0;
	case LKST_EV_state_condition:
		d->is_partial = true;
		return 0;
	default:
		return 0;
	}
}

bool lkst_descriptors_wants(const struct lkst_event_class *event)
{
	switch (event->index) {
	case LKST_EV_task_newtask:
	case LKST_EV_sched_process_exec:
	case LKST_EV_sched_process_free:
	case LKST_EV_shed_begin:
	case LKST_EV_shed_end:
	case LKST_EV_maskset_switch:
	case LKST_EV_state_condition:
	case LKST_EV_socket_connect:
	case LKST_EV_socket_bind:
	case LKST_EV_socket_accept:
		return true;
	default:
		return lkst_class_call(event) != NULL;
	}
}

/* ---- what is told -------------------------------------------------------------------- */

int lkst_descriptors_tell(struct lkst_descriptors *d, s32 pid, s32 fd, u64 since_ns, const char *name)
{
	struct told *added;
	const char *copy;
	int err = lkst_descriptor_name(&d->table, name, &copy);

	if (err || !copy)
		return err;
	added = lkst_vec_add(d->told, d->nr_told);
	if (!added)
		return -ENOMEM;
	*added = (struct told){ since_ns, copy, pid, fd };
	return 0;
}

static u64 descriptors_key_of(s32 pid, s32 fd)
{
	return (u64)(u32)pid << 32 | (u32)fd;
}

static int descriptors_by_time(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	return (x->since_ns > y->since_ns) - (x->since_ns < y->since_ns);
}

int lkst_descriptors_begin(struct lkst_descriptors *d)
{
	u32 i;
	int err = 0;

	if (d->nr_told)
		qsort(d->told, d->nr_told, sizeof(*d->told), descriptors_by_time);
	d->next_told = 0;
	d->found.max = d->nr_told;
	for (i = 0; i < d->nr_told && !err; i++)
		if (d->told[i].pid >= 0 && d->told[i].fd >= 0)
			err = lkst_map_set(&d->found, descriptors_key_of(d->told[i].pid, d->told[i].fd), i);
	return err;
}

/*
 * Whether @told says more than @known does. By its call more is known of a socket, which
 * end of a connection it is, and whether an exec closes it; but not where a path begins that counts from a directory.
 */
static bool says_more(const char *told, const char *known)
{
	static const char of_memory[] = "memfd:";

	return !known || (told[0] == '/' && known[0] != '/' && strncmp(known, of_memory, strlen(of_memory)) != 0);
}

/* Takes in what holds at @ns. Whoever tells it knows that closes are recorded. */
static int take_told(struct lkst_descriptors *d, u64 ns)
{
	int err = 0;

	for (; d->next_told < d->nr_told && d->told[d->next_told].since_ns < ns && !err; d->next_told++) {
		const struct told *t = &d->told[d->next_told];
		struct lkst_descriptor_process *p;
		struct lkst_descriptor_file *f = NULL;
		const char *known;

		err = lkst_descriptor_get(&d->table, t->pid, &p);
		if (!err && p)
			err = lkst_descriptor_at(&d->table, p, t->fd, &f);
		known = f ? descriptors_name_of(d, p, t->fd) : NULL;
		if (f && says_more(t->name, known))
			*f = (struct lkst_descriptor_file){ t->name, t->since_ns, known && f->stays_at_exec };
		d->has_closes = true;
	}
	return err;
}

u64 lkst_descriptors_since(const struct lkst_descriptors *d, s32 pid, s32 fd)
{
	const struct lkst_descriptor_process *p = lkst_descriptor_find(&d->table, pid);
	u64 since_ns = d->forget_ns;

	if (d->is_partial || d->table.is_full || d->nr_shed || fd < 0 ||
	    fd >= LKST_DESCRIPTORS_OF_PROCESS || (p && p->is_untracked))
		return UINT64_MAX;
	if (p && p->since_ns > since_ns)
		since_ns = p->since_ns;
	if (p && (u32)fd < p->nr_files && p->files[fd].changed_ns > since_ns)
		since_ns = p->files[fd].changed_ns;
	return since_ns;
}

int lkst_descriptors_feed(struct lkst_descriptors *d, const struct lkst_record *r)
{
	const struct lkst_descriptor_layout *l;
	int err = r->buffer != LKST_BUFFER_STATE ? take_told(d, r->ns) : 0;

	if (err)
		return err;
	if (!lkst_class_call(r->event))
		return r->event->index < 0 ? 0 : descriptors_on_other(d, r);
	if (r->tid <= 0)
		return 0;
	l = layout_of(d, r->event);
	return r->event->half == LKST_HALF_ENTRY ? descriptors_on_entry(d, l, r) : descriptors_on_leave(d, l, r);
}

void lkst_descriptors_gap(struct lkst_descriptors *d, const struct lkst_gap *gap)
{
	if (gap->buffer != LKST_BUFFER_STATE && gap->to_ns > d->forget_ns)
		d->forget_ns = gap->to_ns;
}

/* ---- questions ---------------------------------------------------------------------- */

bool lkst_descriptors_call(const struct lkst_descriptors *d, s32 tid,
			   struct lkst_descriptor_call *ret_call)
{
	const struct descriptors_call *c = lkst_hash_find(&d->calls, (u64)(u32)tid, sizeof(*c));

	if (!c)
		return false;
	*ret_call = (struct lkst_descriptor_call){ c->entry_ns, c->fd, c->name };
	if (c->act >= LKST_ACT_OPEN && c->act <= LKST_ACT_CREAT && !c->is_new)
		*ret_call = (struct lkst_descriptor_call){ c->entry_ns, -1, c->path };
	return true;
}

const char *lkst_descriptors_name(const struct lkst_descriptors *d, s32 tid, s32 fd)
{
	return descriptors_name_of(d, lkst_descriptor_find(&d->table, descriptors_pid_of(d, tid)), fd);
}

const char *lkst_descriptors_found(const struct lkst_descriptors *d, s32 tid, s32 fd)
{
	const u64 *at = fd >= 0 ? lkst_map_find(&d->found, descriptors_key_of(descriptors_pid_of(d, tid), fd)) : NULL;

	return at ? d->told[*at].name : NULL;
}

/* ---- lifetime ----------------------------------------------------------------------- */

struct lkst_descriptors *lkst_descriptors_new(const struct lkst_threads *threads)
{
	struct lkst_descriptors *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->threads = threads;
	lkst_descriptor_table_init(&d->table);
	d->layouts = calloc(LKST_ID_MAX + 1, sizeof(*d->layouts));
	if (!d->layouts) {
		free(d);
		return NULL;
	}
	return d;
}

void lkst_descriptors_free(struct lkst_descriptors *d)
{
	if (!d)
		return;
	lkst_descriptor_table_fini(&d->table);
	free(d->layouts);
	free(d->told);
	lkst_map_fini(&d->found);
	lkst_hash_fini(&d->calls);
	free(d);
}
