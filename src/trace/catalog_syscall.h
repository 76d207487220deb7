/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the catalogue knows of a system call's two events. Private to the catalogue.
 */
#ifndef LKST_TRACE_CATALOG_SYSCALL_H
#define LKST_TRACE_CATALOG_SYSCALL_H

#include "trace/catalog.h"

/*
 * If @event is a system call's (lkst_half_describe() has said), sets its group and, if the call is one of the
 * table, its row and the meanings of its fields; leaves it as it is otherwise. @machine is what uname(2) says where
 * it was recorded, "" if that is here.
 */
void lkst_catalog_describe_syscall(struct lkst_event_class *event, const char *machine);

#endif
