// SPDX-License-Identifier: GPL-2.0-only
/* The handler `filter`: records what one thread, process, command or cgroup does. */
#include <lkst/handler.h>

s32 t_tid;		 /* 0: any */
s32 t_pid;		 /* a process: all its threads */
char t_comm[16];	 /* "": any */
lkst_cgroup_id t_cgroup; /* the one that a process is in, not those above it */

static __always_inline bool is_comm(void)
{
	char comm[16];
	u32 i;

	if (!t_comm[0])
		return true;
	if (bpf_get_current_comm(comm, sizeof(comm)))
		return false;
	for (i = 0; i < sizeof(comm); i++) {
		if (comm[i] != t_comm[i])
			return false;
		if (!comm[i])
			break;
	}
	return true;
}

LKST_HANDLER(filter, "records only what thread t_tid, process t_pid, t_comm, t_cgroup does")
{
	if (t_tid && r->tid != t_tid)
		return false;
	if (t_pid && bpf_get_current_pid_tgid() >> 32 != (u32)t_pid)
		return false;
	if (t_cgroup && bpf_get_current_cgroup_id() != t_cgroup)
		return false;
	return is_comm();
}
