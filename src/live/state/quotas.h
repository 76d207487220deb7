/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of a trace's state that is about quotas of CPU time: which cgroups have one, how often it was used up. */
#ifndef LKST_LIVE_STATE_QUOTAS_H
#define LKST_LIVE_STATE_QUOTAS_H

#include "live/kernel/cgroup_mount.h"

/* A state_quota record. */
struct lkst_state_quota {
	struct lkst_rec_state_quota r;
	char path[LKST_CGROUP_PATH];
};

/*
 * Calls @each for each cgroup that has a quota, of the hierarchy with the controller cpu, until it returns other than
 * 0, which is passed on. @length is that of the record, whose head is not filled in. 0, or -ENOMEM.
 */
int lkst_state_list_quotas(int (*each)(void *ctx, struct lkst_state_quota *quota, size_t length), void *ctx);

/*
 * What the files of a cgroup say of its quota: @max has cpu.max ("20000 100000") or, where that is NULL, @quota and
 * @period cpu.cfs_quota_us and cpu.cfs_period_us of version 1; @stat has cpu.stat, or is NULL. False: it has none.
 */
bool lkst_state_parse_quota(const char *max, const char *quota, const char *period, const char *stat,
			    struct lkst_rec_state_quota *ret);

#endif
