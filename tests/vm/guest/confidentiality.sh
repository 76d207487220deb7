#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that is locked down so that its memory stays secret: what can be recorded is, and the rest is
# told in a sentence.
# boot: lockdown=confidentiality
# seconds: 16
. /tests/lib.sh

if ! grep -q '\[confidentiality\]' /sys/kernel/security/lockdown; then
	echo 'skip confidentiality: this kernel cannot be locked down'
	exit
fi
ask_doctor confidentiality_doctor_can_record
# So much that what is freed while the kernel checks a handler's programs does not go round.
expect_start confidentiality_start_goes_on --maskset RDEFAULT --budget none --buffer 16M
if [ "$(wc -l <"$work/notes")" = 1 ] &&
   grep -q 'locked down (confidentiality).* not recorded: .*kmem_cache_alloc.*do_wp_page' "$work/notes"; then
	ok confidentiality_is_explained_in_one_sentence
else
	fail confidentiality_is_explained_in_one_sentence "$(cat "$work/notes")"
fi
expect_doctor_loads confidentiality_doctor_knows_what_is_loaded
sed 's/.*not recorded: //; s/\.$//; s/, /\n/g' "$work/notes" | grep -v 'page frame numbers' | sort -u >"$work/left_out"
sed -n '/"set":"option"/d; s/^{"name":"\([a-z_0-9]*\)".*"why":"the kernel is locked down.*/\1/p' "$work/doctor" | sort -u >"$work/doctor.left_out"
expect_none confidentiality_doctor_names_what_is_left_out "$(diff "$work/left_out" "$work/doctor.left_out" | grep '^[<>]')"
expect_none confidentiality_doctor_says_so "$(grep -q '"lockdown":"confidentiality","programs_copy_memory":false,' "$work/doctor" ||
	sed -n 's/.*\("security":{[^}]*}\).*/\1/p' "$work/doctor")"
expect_none confidentiality_leaves_out_ticks_by_name "$(grep -q 'not recorded: .*, tick[,.]' "$work/notes" || cat "$work/notes")"
/load/calls >"$work/calls"
cat /tests/lib.sh >/dev/null
# A handler's programs read paths, too.
if lkst handler load filter --event syscall:openat --event sched_switch --quiet >"$work/handler" 2>&1 &&
   lkst maskset --quiet -H filter mine+=syscall:openat && lkst maskset --quiet set mine; then
	ok confidentiality_takes_a_handler
else
	fail confidentiality_takes_a_handler "$(cat "$work/handler")"
fi
cat /tests/no_such_file 2>/dev/null
lkst snapshot --quiet --output "$work/trace"
expect_stop confidentiality_stop_leaves_nothing
expect_whole confidentiality_snapshot_is_whole "$work/trace"
faults=page_fault_user
has_event $faults && grep -q "^$faults .* tracepoint " "$work/event_list" || faults=
expect_recorded confidentiality_events_are_recorded sched_switch sched_wakeup sched_process_fork mm_page_alloc \
	$faults local_timer_entry syscall_entry_openat
lkst start --event 'sched:*' >"$work/said" 2>&1
expect_none confidentiality_opens_no_tracefs "$(grep -q 'tracefs.*locked down (confidentiality)' "$work/said" || cat "$work/said")"
lkst doctor >"$work/said" 2>&1
expect_none confidentiality_doctor_opens_none "$(grep -q 'tracefs.*locked down (confidentiality)' "$work/said" || cat "$work/said")"
compare_calls confidentiality_records_system_calls "$work/calls" "$work/trace" ''
if lkst print --event openat "$work/trace" | grep -q 'openat(AT_FDCWD, "/tests/lib.sh"'; then
	ok confidentiality_records_paths
else
	fail confidentiality_records_paths "$(lkst print --event openat "$work/trace" | tail -n 3)"
fi
expect_none confidentiality_handler_records_paths "$(lkst print --event openat "$work/trace" |
	grep -q 'openat(AT_FDCWD, "/tests/no_such_file"' || lkst print --event openat "$work/trace" | tail -n 3)"
# No probe is set, in either way that the kernel has (doc/decisions/10-no-tracefs-for-probes.md).
lkst start --quiet --budget none --event sched_process_exec
lkst probe 'p:my/rd vfs_read' >"$work/said" 2>&1
expect_none confidentiality_refuses_a_probe "$(grep -q 'locked down (confidentiality) and lets nobody probe it' "$work/said" ||
	cat "$work/said")"
(echo 'p:kp/rd vfs_read' >/sys/kernel/debug/tracing/kprobe_events && cat /sys/kernel/debug/tracing/kprobe_events) \
	>"$work/said" 2>/dev/null
expect_none confidentiality_tracefs_refuses_it_too "$(cat "$work/said")"
lkst stop --quiet
