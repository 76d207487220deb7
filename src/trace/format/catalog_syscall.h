/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the catalogue knows of a system call's two events. Private to the catalogue.
 */
#ifndef LKST_TRACE_FORMAT_CATALOG_SYSCALL_H
#define LKST_TRACE_FORMAT_CATALOG_SYSCALL_H

#include "abi/syscalls.h"
#include "base/err.h"
#include "trace/format/event_class.h"

/* Whether numbers of calls are arm64's; @machine: what uname(2) says where it was recorded, "" if that is here. */
bool lkst_machine_is_arm64(const char *machine);

/*
 * If @event is a system call's (lkst_half_describe() has said), sets its group and, if the call is one of the
 * table, its row and the meanings of its fields; leaves it as it is otherwise. @machine as above.
 */
void lkst_catalog_describe_syscall(struct lkst_event_class *event, const char *machine);

/* How many fields the entry or the exit of a system call may have. */
enum { LKST_SYSCALL_FIELDS_MAX = 2 * LKST_SYSCALL_ARGS_MAX };

/* Sets name and fields of @event to those of the entry or exit of row @row of lkst_syscalls[]. It has room for them. */
int lkst_syscall_entry_class(struct lkst_err *e, unsigned int row, struct lkst_event_class *event);
int lkst_syscall_exit_class(struct lkst_err *e, unsigned int row, struct lkst_event_class *event);

#endif
