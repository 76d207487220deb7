#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that is locked down as one booted by Secure Boot is: everything is recorded anyway.
# boot: lockdown=integrity
# seconds: 4
. /tests/lib.sh

if ! grep -q '\[integrity\]' /sys/kernel/security/lockdown; then
	echo 'skip integrity: this kernel cannot be locked down'
	exit
fi
# Not all events: starting takes long here. Of every kind of program there is one that copies memory.
expect_start integrity_start_arms_everything --budget none --event sched_switch --event kmem_cache_alloc --event ipcget \
	--event do_wp_page --event alloc_vmap_area --event page_fault_exit --event sched_process_exec \
	--event mm_page_alloc --event openat
expect_none integrity_has_nothing_to_explain "$(cat "$work/notes")"
/load/functions >"$work/functions"
lkst snapshot --quiet --output "$work/trace"
expect_whole integrity_snapshot_is_whole "$work/trace"
expect_recorded integrity_events_are_recorded sched_switch mm_page_alloc kmem_cache_alloc syscall_entry_openat \
	ipcget do_wp_page alloc_vmap_area page_fault_exit sched_process_exec
