#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Switches and wakings alone say in which call a thread waits and what wakes it, on each kernel and machine: where the
# kernel keeps the preemption count, and how its registers name a call, is another matter on each.
# seconds: 8
. "${LKST_TESTS:-/tests}/lib.sh"

"$load/restarts" >"$work/restarts" &
restarts=$!
tries=0
until grep -q ready "$work/restarts" || [ $tries = 300 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
expect_none core_has_restarted_calls "$(grep -q ready "$work/restarts" || cat "$work/restarts")"
expect_start core_start --budget none --buffer 4M --event sched_switch --event sched_waking
expect_none core_knows_what_wakes "$(grep 'wakes a thread' "$work/notes")"
mkfifo "$work/fifo"
(sleep 1 && echo x >"$work/fifo") &
writer=$!
cat "$work/fifo" >/dev/null
wait $writer
# Each goes on once more, so that there is a switch; and each was asleep when the list of threads was made.
for pid in $(sed -n 's/^\([0-9]*\) .*/\1/p' "$work/restarts"); do
	kill -STOP "$pid"
	sleep 0.1
	kill -CONT "$pid"
done
sleep 0.5
lkst snapshot --quiet --output "$work/trace"
expect_stop core_stop
kill $restarts
wait $restarts 2>/dev/null
expect_whole core_trace_is_whole "$work/trace"

lkst print --event sched_switch "$work/trace" | grep -v 'prev_state=[Rx]' >"$work/waits"
expect_none core_names_a_sleep "$(grep -qE 'prev_call=(clock_)?nanosleep prev_where=call' "$work/waits" || tail -n 5 "$work/waits")"
expect_none core_names_the_wait_for_a_child "$(grep -q 'prev_call=wait4 prev_where=call' "$work/waits" || tail -n 5 "$work/waits")"
# A reader of the pipe that nobody writes to yet: to open it is to wait, too.
expect_none core_has_arguments \
	"$(grep -E 'prev_call=(openat|open|wait4|clock_nanosleep|nanosleep) ' "$work/waits" | grep 'prev_args=\[\]' | head -n 3)"
# What restart_syscall goes on with: at the switch, and in the list.
lkst print --event sched_switch --event state_wait "$work/trace" | grep -v 'prev_state=[RT]' >"$work/places"
expect_none core_names_what_goes_on "$(grep ' ' "$work/restarts" | while read -r pid name; do
	grep -qE " $pid/restarts .* sched_switch: .* prev_call=$name prev_where=call " "$work/places" || echo "$pid: no switch in $name"
	grep -q "state_wait: thread=$pid/restarts call=$name where=call " "$work/places" || echo "$pid: not listed in $name"
done; grep -E '(/restarts .*prev_call|thread=[0-9]*/restarts call)=restart_syscall' "$work/places")"
expect_none core_tells_threads_of_the_kernel \
	"$(awk '$3 ~ "/(kworker|ksoftirqd|rcu_)"' "$work/waits" | grep -v 'prev_call=-1 prev_where=kernel' | head -n 3)"
lkst print --event sched_waking "$work/trace" | sed 's/.* context=\([a-z]*\) .*/\1/' | sort | uniq -c >"$work/contexts"
expect_none core_knows_each_context "$(grep unknown "$work/contexts")"
for context in thread interrupt; do
	expect_none "core_has_wakings_by_$context" "$(grep -q $context "$work/contexts" || cat "$work/contexts")"
done
