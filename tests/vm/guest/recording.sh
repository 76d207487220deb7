#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `lkst start --maskset RDEFAULT`, on a kernel with function hooks: they are armed, what the workload makes the
# kernel do is recorded with the right fields, and stopping leaves nothing.
# boot:
# seconds: 19
. /tests/lib.sh

trace=$work/trace
tid=

# Every kind of wait queue event has been seen, and who has come to a queue leaves it.
compare_wait_queues()
{
	local event

	for event in add_wait_queue prepare_to_wait prepare_to_wait_exclusive prepare_to_wait_event; do
		fields_of $event "$tid" | sed "s/.*\"queue\":\([0-9]*\),\"waiter\":\([0-9]*\),.*/\1 \2 $event/"
	done >"$work/come"
	for event in remove_wait_queue finish_wait; do
		fields_of $event "$tid" | sed 's/.*"queue":\([0-9]*\),"waiter":\([0-9]*\),.*/\1 \2/'
	done >"$work/gone"
	awk 'FILENAME != ARGV[2] { gone[$1 " " $2] = 1; nr++; next }
		{ seen[$3]++ }
		!($1 " " $2 in gone) { print $3 " of " $1 " " $2 " has no end" }
		END {
			n = 0
			for (event in seen)
				n++
			if (n != 4 || nr < 4)
				print n " kinds of waiting and " nr " ends"
		}' "$work/gone" "$work/come"
}

# What the workload took from vmalloc (a page, and one for protection) is freed by whomever.
compare_vmalloc()
{
	fields_of alloc_vmap_area "$tid" | sed -n 's/.*,\("address":[0-9]*,\)"bytes":8192,.*/,\1/p' >"$work/taken"
	[ -s "$work/taken" ] && fields_of vfree | grep -qFf "$work/taken" ||
		echo "nothing that was allocated is freed: $(fields_of alloc_vmap_area "$tid" | tail -n 3)"
}

# A timer that is taken back is one that had been initialised.
compare_timers()
{
	fields_of timer_delete_sync | sort -u >"$work/taken"
	[ -s "$work/taken" ] && fields_of timer_init | grep -qFf "$work/taken" ||
		echo "no timer that was taken back was known: $(tail -n 3 "$work/taken")"
}

compare_kthread()
{
	local want=$(awk '$3 == "psi_rtpoll_worker" || $3 == "psi_poll_worker" { print $1 }' /proc/kallsyms)

	[ -n "$want" ] || echo 'the kernel has no function that it runs'
	lkst print --tid "$tid" --event kthread_create_on_node --format json "$trace" |
		grep -q '"symbols":{"function":"psi_\(rt\)\?poll_worker"}' ||
		echo "none runs $want: $(lkst print --tid "$tid" --event kthread_create_on_node "$trace")"
}

# A hook that the kernel offers is there, or a sentence says why not. Some events have more than one, and if
# page faults are recorded by a function, it is one for both kinds.
compare_hooks()
{
	local events probes=$(held | grep -c '^probe ') notes=$(wc -l <"$work/notes")

	list_events
	events=$(grep -vE '^([^ ]*  *lock|page_fault_kernel)  ' "$work/event_list" | grep -c ' \(kprobe\|kretprobe\)  ')
	[ "$events" -gt 20 ] && [ $((probes + notes)) -ge "$events" ] ||
		echo "of $events events of functions $probes are hooked and $notes explained"
}

expect_start start_arms_everything --maskset RDEFAULT --budget none
expect_none start_has_nothing_to_explain "$(cat "$work/notes")"
/load/functions >"$work/functions"
/load/calls >"$work/calls"
[ ! -x /load/calls32 ] || /load/calls32 >"$work/calls32"
if lkst snapshot --quiet --output "$trace"; then
	ok snapshot_is_saved
else
	fail snapshot_is_saved "status $?"
fi
expect_none open_files_are_listed "$([ -e /sys/fs/bpf/lkst/open-files ] || echo 'this kernel refuses the program')"
# Only now, so that it is not in the snapshot.
expect_none every_function_is_hooked "$(compare_hooks)"
expect_stop stop_leaves_nothing
expect_whole snapshot_is_whole "$trace"
expect_recorded common_events_are_recorded sched_switch sched_wakeup sched_process_fork sched_process_exec \
	sched_process_exit local_timer_entry softirq_entry page_fault_user page_fault_exit mm_page_alloc \
	kmalloc kfree kmem_cache_alloc hrtimer_start timer_start init_waitqueue_head syscall_entry_openat

lkst print --format json --event state_descriptor "$trace" >"$work/files"
expect_none records_open_files "$(grep -q '"owner_pid":1,"fd":0,"file":"/dev/null"' "$work/files" ||
	grep -m 5 '"owner_pid":1,' "$work/files")"

tid=$(sed -n 's/^tid //p' "$work/functions")
expect_records records "$work/functions" "$trace" '*_wait*' 'timer_*' vfree
expect_none records_wait_queues "$(compare_wait_queues)"
expect_none records_vfree "$(compare_vmalloc)"
expect_none records_timer_delete_sync "$(compare_timers)"
expect_none records_function_of_kthread "$(compare_kthread)"
compare_calls records_system_calls "$work/calls" "$trace" ''
if [ -s "$work/calls32" ]; then
	compare_calls records_32_bit_system_calls "$work/calls32" "$trace" compat_
else
	echo 'skip records_32_bit_system_calls: 32-bit programs are built for x86 only'
fi
