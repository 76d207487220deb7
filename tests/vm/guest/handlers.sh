#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Handlers on a kernel that is locked down as one booted by Secure Boot is: they are loaded for every kind of
# program, and decide.
# boot: lockdown=integrity
# seconds: 20
. /tests/lib.sh

# Probes at security hooks, which a handler tells the files of (C12).
for hook in file_open inode_unlink; do
	echo "p:lsm/$hook security_$hook" >>/sys/kernel/debug/tracing/kprobe_events
done

expect_start handlers_start --budget none --event 'lsm:*' --maskset RNOTHING --event sched_switch --event 'syscall:*' --event do_wp_page \
	--event kmem_cache_alloc --event sched_process_exec
for handler in filter sample hist stack watchdog; do
	if lkst handler load $handler --event sched_switch --event 'syscall:*' --event do_wp_page \
		--event kmem_cache_alloc --event sched_process_exec >"$work/load" 2>&1; then
		ok "handlers_${handler}_is_loaded"
	else
		fail "handlers_${handler}_is_loaded" "$(cat "$work/load")"
	fi
done
lkst handler set filter t_comm=calls
lkst handler set hist from=syscall_entry_getppid to=syscall_exit_getppid
lkst maskset --quiet -H filter 'mine+=syscall:*' sched_switch do_wp_page kmem_cache_alloc sched_process_exec
lkst maskset --quiet set mine
/load/calls >"$work/calls"
lkst snapshot --quiet --output "$work/trace"
expect_whole handlers_snapshot_is_whole "$work/trace"
compare_calls handlers_filter_keeps_all_of_a_command "$work/calls" "$work/trace" ''

expect_none handlers_filter_drops_all_else "$(lkst print --format json --event 'syscall_entry_*' "$work/trace" |
	grep -v "\"tid\":$(sed -n 's/^tid //p' "$work/calls")\b" | head -n 3)"
lkst maskset --quiet -H hist 'hist+=syscall:getppid'
lkst maskset --quiet set hist
/load/calls >"$work/calls"
expect_none handlers_hist_counts "$(lkst handler show hist | grep -q '^intervals_ns\[0\] = [1-9]' || lkst handler show hist)"

# Each record is followed by its stack, at a tracepoint and at a function.
lkst maskset --quiet -H stack 'stacks+=syscall_entry_getppid' do_wp_page
lkst maskset --quiet set stacks
/load/calls >"$work/calls"
rm -rf "$work/trace"
lkst snapshot --quiet --output "$work/trace"
expect_whole handlers_stacks_are_whole "$work/trace"
expect_none handlers_stack_follows_each_record "$(lkst print --format json --event syscall_entry_getppid --event do_wp_page \
	--event 'handler:*' --tid "$(sed -n 's/^tid //p' "$work/calls")" "$work/trace" | awk '
	/"event":"(syscall_entry_getppid|do_wp_page)"/ {
		if (wanted) print "none after " wanted
		wanted = $0
		nr[/do_wp_page/]++
	}
	/"event":"stack.kernel"/ { if (!/"nr_frames":([4-9]|[1-9][0-9])/) print; wanted = "" }
	END { if (!nr[0] || !nr[1]) print nr[0] + 0, nr[1] + 0 }' | head -n 3)"

# What the security hooks are asked about: the name of the file, and its number.
lkst handler load security --event 'lsm:*' --quiet
lkst handler set security file_open=lsm:file_open inode_unlink=lsm:inode_unlink
lkst maskset --quiet -H security 'security+=lsm:*'
lkst maskset --quiet set security
echo here >"$work/known_file"
inode=$(stat -c %i "$work/known_file")
rm "$work/known_file"
rm -rf "$work/trace"
lkst snapshot --quiet --output "$work/trace"
expect_whole handlers_security_is_whole "$work/trace"
lkst print --event 'lsm:*' --event security.file --format json "$work/trace" >"$work/files"
expect_none handlers_security_names_files "$(awk -v inode="\"inode\":$inode," '
	/"lsm:(file_open|inode_unlink)"/ { hook = /file_open/ ? "open" : "unlink" }
	/"security.file"/ && /"name":"known_file"/ && index($0, inode) { nr[hook]++ }
	END { if (!nr["open"] || nr["unlink"] != 1) print nr["open"] + 0 " opened, " nr["unlink"] + 0 " removed" }' "$work/files")"

# The next event notices a silence, and another maskset is activated.
lkst handler set watchdog within_ns=100000000 to_set=0
lkst maskset --quiet -H watchdog 'watch+=sched_switch'
lkst maskset --quiet set watch
lkst handler beat watchdog
expect_none handlers_watchdog_tells "$(lkst handler wait watchdog --timeout 300s 2>&1 >/dev/null)"
expect_none handlers_watchdog_switches "$(lkst status --json | grep -q '"maskset_name":"RNOTHING"' || lkst status)"
lkst stop --quiet
