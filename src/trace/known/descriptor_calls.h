/* SPDX-License-Identifier: GPL-2.0-only */
/* What system calls do to descriptors, and how their records are read. */
#ifndef LKST_TRACE_KNOWN_DESCRIPTOR_CALLS_H
#define LKST_TRACE_KNOWN_DESCRIPTOR_CALLS_H

#include "abi/syscalls.h"
#include "trace/format/catalog.h"

/* What a call does to descriptors. */
enum lkst_descriptor_act {
	LKST_ACT_NONE, /* it may have one */
	LKST_ACT_OPEN,
	LKST_ACT_OPENAT,
	LKST_ACT_OPENAT2,
	LKST_ACT_CREAT,
	LKST_ACT_MEMFD,
	LKST_ACT_SOCKET,
	LKST_ACT_ACCEPT,
	LKST_ACT_CONNECT,
	LKST_ACT_BIND,
	LKST_ACT_CLOSE,
	LKST_ACT_CLOSE_RANGE,
	LKST_ACT_DUP,
	LKST_ACT_DUP_TO, /* dup2, dup3 */
	LKST_ACT_FCNTL,
	LKST_ACT_IOCTL,
	LKST_ACT_UNSHARE,
	LKST_ACT_URING,
	LKST_ACT_CLONE,
};

/* How the records of a half of a call are read. */
struct lkst_descriptor_layout {
	const struct lkst_event_class *event; /* NULL: not looked at yet */
	u8 act;				      /* enum lkst_descriptor_act */
	u8 nr_args;
	s8 fd_at; /* the first argument that is a descriptor, -1: none */
	bool returns_fd;
	s16 string; /* the field with the path, -1: none */
	const struct lkst_field_class *args[LKST_SYSCALL_ARGS_MAX], *ret;
};

/* Finds out how the records of @event, a half of a system call, are read. */
void lkst_descriptor_lay_out(struct lkst_descriptor_layout *l,
			     const struct lkst_event_class *event);

/* What calls do to descriptors that are left out: as much as one of them may. */
enum lkst_descriptor_loss {
	LKST_LOSS_NONE,
	LKST_LOSS_MAKES, /* they give a number that is free: what a descriptor in use refers to stays known */
	LKST_LOSS_CHANGES, /* they close one, replace it, or say what a socket is */
};

/* Of kind @kind of events, as the cost limit names them ("syscall:read", "syscall:*"). */
enum lkst_descriptor_loss lkst_descriptor_loss_of(const char *kind);

#endif
