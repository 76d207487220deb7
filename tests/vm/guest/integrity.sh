#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that is locked down as one booted by Secure Boot is: everything is recorded anyway.
# boot: lockdown=integrity
# seconds: 16
. /tests/lib.sh

if ! grep -q '\[integrity\]' /sys/kernel/security/lockdown; then
	echo 'skip integrity: this kernel cannot be locked down'
	exit
fi
ask_doctor integrity_doctor_can_record
# Not all events: starting takes long here. Of every kind of program there is one that copies memory.
expect_start integrity_start_arms_everything --budget none --event sched_switch --event kmem_cache_alloc --event ipcget \
	--event do_wp_page --event alloc_vmap_area --event page_fault_exit --event sched_process_exec \
	--event mm_page_alloc --event openat
expect_none integrity_has_nothing_to_explain "$(cat "$work/notes")"
expect_doctor_loads integrity_doctor_knows_what_is_loaded
expect_none integrity_doctor_says_so "$(grep -q '"lockdown":"integrity","programs_copy_memory":true,' "$work/doctor" ||
	sed -n 's/.*\("security":{[^}]*}\).*/\1/p' "$work/doctor")"
/load/functions >"$work/functions"
lkst snapshot --quiet --output "$work/trace"
expect_whole integrity_snapshot_is_whole "$work/trace"
expect_recorded integrity_events_are_recorded sched_switch mm_page_alloc kmem_cache_alloc syscall_entry_openat \
	ipcget do_wp_page alloc_vmap_area page_fault_exit sched_process_exec
# A probe, too, and for root also where perf is for nobody else (doc/decisions/10-no-tracefs-for-probes.md).
echo 4 >/proc/sys/kernel/perf_event_paranoid
case $(uname -m) in
aarch64) third=x2 ;;
*) third=dx ;;
esac
expect_none integrity_takes_a_probe "$(lkst probe --quiet "p:my/rd vfs_read count=%$third:u64" 2>&1)"
dd if="$0" of=/dev/null bs=1234 count=1 2>/dev/null
lkst snapshot --quiet --output "$work/probed"
expect_none integrity_records_a_probe "$(lkst print --event my:rd "$work/probed" | grep -q 'count=1234$' ||
	lkst print --event my:rd "$work/probed" | tail -n 3)"
lkst stop --quiet
