#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Switches and wakings alone say in which call a thread waits and what wakes it, on each kernel and machine: where the
# kernel keeps the preemption count, and how its registers name a call, is another matter on each.
# seconds: 8
. "${LKST_TESTS:-/tests}/lib.sh"

expect_start core_start --budget none --buffer 4M --event sched_switch --event sched_waking
expect_none core_knows_what_wakes "$(grep 'wakes a thread' "$work/notes")"
mkfifo "$work/fifo"
(sleep 1 && echo x >"$work/fifo") &
cat "$work/fifo" >/dev/null
wait
lkst snapshot --quiet --output "$work/trace"
expect_stop core_stop
expect_whole core_trace_is_whole "$work/trace"

lkst print --event sched_switch "$work/trace" | grep -v 'prev_state=[Rx]' >"$work/waits"
expect_none core_names_a_sleep "$(grep -qE 'prev_call=(clock_)?nanosleep prev_where=call' "$work/waits" || tail -n 5 "$work/waits")"
expect_none core_names_the_wait_for_a_child "$(grep -q 'prev_call=wait4 prev_where=call' "$work/waits" || tail -n 5 "$work/waits")"
# A reader of the pipe that nobody writes to yet: to open it is to wait, too.
expect_none core_has_arguments \
	"$(grep -E 'prev_call=(openat|open|wait4|clock_nanosleep|nanosleep) ' "$work/waits" | grep 'prev_args=\[\]' | head -n 3)"
expect_none core_tells_threads_of_the_kernel \
	"$(awk '$3 ~ "/(kworker|ksoftirqd|rcu_)"' "$work/waits" | grep -v 'prev_call=-1 prev_where=kernel' | head -n 3)"
lkst print --event sched_waking "$work/trace" | sed 's/.* context=\([a-z]*\) .*/\1/' | sort | uniq -c >"$work/contexts"
expect_none core_knows_each_context "$(grep unknown "$work/contexts")"
for context in thread interrupt; do
	expect_none "core_has_wakings_by_$context" "$(grep -q $context "$work/contexts" || cat "$work/contexts")"
done
