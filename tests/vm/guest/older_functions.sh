#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events that hook a function on a kernel from before Linux 5.15, which has no links of perf events: what is recorded is
# as often there as the kernel's own probes at the same functions count, long after the process that began the recording
# has ended; nothing is left when it is stopped, or when that process is killed.
# kernels: 5.10
# seconds: 70
. /tests/lib.sh

tracing=/sys/kernel/debug/tracing
functions='ipcget do_semtimedop do_msgsnd do_msgrcv do_shmat kmem_cache_create'

# expect_gone NAME: nothing of a recording is there, after a while.
expect_gone()
{
	local left try

	for try in $(seq 240); do
		left=$(held)
		[ -n "$left" ] || break
		sleep 0.5
	done
	expect_none "$1" "$left"
}

list_events
lkst start --quiet --event 'sched:*' >"$work/said" 2>&1
expect_none older_functions_nothing_by_name "$(grep -q 'too old to record tracepoints by name' "$work/said" ||
	cat "$work/said")"
expect_gone older_functions_refused_start_leaves_nothing
expect_start older_functions_start --maskset RDEFAULT

# The kernel counts them by itself.
for function in $functions; do
	echo "p:count/$function $function" >>$tracing/kprobe_events || echo "no $function"
done
echo 1 >$tracing/events/count/enable
/load/functions >"$work/functions"
for i in 1 2; do /load/functions >/dev/null; done
echo 0 >$tracing/events/count/enable
lkst snapshot --quiet --output "$work/trace"
awk '{ print $1, $2 }' $tracing/kprobe_profile | sort >"$work/counted"
lkst check --counts "$work/trace" | awk '{ print $NF, $1 }' >"$work/all"
grep -E "^($(echo $functions | tr ' ' '|')) " "$work/all" | sort >"$work/recorded"
expect_none older_functions_are_as_often_as_counted "$(diff "$work/counted" "$work/recorded")"
expect_none older_functions_were_called "$(awk '$2 >= 3 { nr++ } END { if (nr < 5) print }' "$work/counted")"
expect_whole older_functions_trace_is_whole "$work/trace"
expect_records older_functions "$work/functions" "$work/trace"
echo >$tracing/kprobe_events
expect_stop older_functions_stop_leaves_nothing

# It is killed when it has attached some of them.
lkst start --quiet --maskset RDEFAULT >/dev/null 2>&1 &
starter=$!
until [ -n "$(cat /sys/kernel/debug/kprobes/list)" ] || ! kill -0 $starter 2>/dev/null; do :; done
kill -9 $starter
wait $starter
expect_none older_functions_starter_is_killed "$([ $? -eq 137 ] || echo 'it had ended before')"
lkst stop --quiet
expect_gone older_functions_killed_start_leaves_nothing
expect_start older_functions_start_again --maskset standard
expect_stop older_functions_stop_leaves_nothing_again
