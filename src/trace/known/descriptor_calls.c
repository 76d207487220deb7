/* SPDX-License-Identifier: GPL-2.0-only */
/* What system calls do to descriptors, and how their records are read. */
#include "trace/known/descriptor_calls.h"

#include <string.h>

static const struct {
	const char *call;
	enum lkst_descriptor_act act;
} acts[] = {
	{ "open", LKST_ACT_OPEN },
	{ "openat", LKST_ACT_OPENAT },
	{ "openat2", LKST_ACT_OPENAT2 },
	{ "creat", LKST_ACT_CREAT },
	{ "memfd_create", LKST_ACT_MEMFD },
	{ "socket", LKST_ACT_SOCKET },
	{ "accept", LKST_ACT_ACCEPT },
	{ "accept4", LKST_ACT_ACCEPT },
	{ "connect", LKST_ACT_CONNECT },
	{ "bind", LKST_ACT_BIND },
	{ "close", LKST_ACT_CLOSE },
	{ "close_range", LKST_ACT_CLOSE_RANGE },
	{ "dup", LKST_ACT_DUP },
	{ "dup2", LKST_ACT_DUP_TO },
	{ "dup3", LKST_ACT_DUP_TO },
	{ "fcntl", LKST_ACT_FCNTL },
	{ "fcntl64", LKST_ACT_FCNTL },
	{ "ioctl", LKST_ACT_IOCTL },
	{ "unshare", LKST_ACT_UNSHARE },
	{ "io_uring_setup", LKST_ACT_URING },
	{ "io_uring_enter", LKST_ACT_URING },
	{ "io_uring_register", LKST_ACT_URING },
	{ "fork", LKST_ACT_CLONE },
	{ "vfork", LKST_ACT_CLONE },
	{ "clone", LKST_ACT_CLONE },
	{ "clone3", LKST_ACT_CLONE },
};
enum { NR_ACTS = sizeof(acts) / sizeof(acts[0]) };

static enum lkst_descriptor_act act_of(const char *call)
{
	u32 i;

	for (i = 0; call && i < NR_ACTS; i++)
		if (!strcmp(call, acts[i].call))
			return acts[i].act;
	return LKST_ACT_NONE;
}

/* Of calls that do @act. An exec closes what fcntl(2) and ioctl(2) say. */
static enum lkst_descriptor_loss loss_of_act(enum lkst_descriptor_act act)
{
	switch (act) {
	case LKST_ACT_NONE:
		return LKST_LOSS_NONE;
	case LKST_ACT_OPEN:
	case LKST_ACT_OPENAT:
	case LKST_ACT_OPENAT2:
	case LKST_ACT_CREAT:
	case LKST_ACT_MEMFD:
	case LKST_ACT_SOCKET:
	case LKST_ACT_ACCEPT:
	case LKST_ACT_DUP:
		return LKST_LOSS_MAKES;
	default:
		return LKST_LOSS_CHANGES;
	}
}

enum lkst_descriptor_loss lkst_descriptor_loss_of(const char *kind)
{
	static const char calls[] = "syscall:";
	const struct lkst_syscall *rows[2];
	enum lkst_descriptor_loss loss;
	unsigned int i;

	if (strncmp(kind, calls, strlen(calls)) != 0)
		return strstr(kind, "syscall") ? LKST_LOSS_CHANGES : LKST_LOSS_NONE;
	kind += strlen(calls);
	rows[0] = lkst_syscall_find(false, kind);
	rows[1] = lkst_syscall_find(true, kind);
	/* A name that no call has may be of many. */
	if (!rows[0] && !rows[1])
		return LKST_LOSS_CHANGES;
	loss = loss_of_act(act_of(kind));
	for (i = 0; i < 2 && loss == LKST_LOSS_NONE; i++)
		if (rows[i] && rows[i]->result == LKST_SYS_retfd)
			loss = LKST_LOSS_MAKES;
	return loss;
}

static bool descriptor_calls_is_number(const struct lkst_field_class *f)
{
	return (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT) &&
	       f->offset != LKST_OFFSET_VARIES;
}

void lkst_descriptor_lay_out(struct lkst_descriptor_layout *l, const struct lkst_event_class *event)
{
	u16 i;

	*l = (struct lkst_descriptor_layout){
		.event = event, .act = (u8)act_of(lkst_class_call(event)), .fd_at = -1, .string = -1
	};
	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];

		if (f->type == LKST_CLASS_STRING && l->string < 0) {
			l->string = (s16)i;
		} else if (event->half == LKST_HALF_EXIT && descriptor_calls_is_number(f) &&
			   !strcmp(f->name, "ret")) {
			l->ret = f;
			l->returns_fd = f->sys_meaning == LKST_SYS_retfd;
		} else if (event->half == LKST_HALF_ENTRY && descriptor_calls_is_number(f) &&
			   l->nr_args < LKST_SYSCALL_ARGS_MAX) {
			if (l->fd_at < 0 &&
			    (f->sys_meaning == LKST_SYS_fd || f->sys_meaning == LKST_SYS_atfd))
				l->fd_at = (s8)l->nr_args;
			l->args[l->nr_args++] = f;
		}
	}
}
