#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The cost limit on this kernel: its controller is loaded and runs, leaves out what costs too much, and
# goes when the recording ends.
# boot:
# seconds: 8
. /tests/lib.sh

if uname -v | grep -q PREEMPT_RT; then
	expect_none budget_is_refused_for_real_time "$(lkst start --quiet --budget 1% 2>&1 | grep -q 'one for real time' ||
		echo 'it is not')"
	exit
fi

limit_of()
{
	lkst status --json | sed -n 's/.*"limit":\(.*\),"hooks".*/\1/p'
}

lkst start --quiet --budget 1% --event 'syscall:*' --event sched_switch 2>"$work/err" ||
	fail budget_start "$(cat "$work/err")"
# Reads of a byte, as busybox makes them, are many calls.
dd if=/dev/zero of=/dev/null bs=1 count=3000000 2>/dev/null &
pid=$!
tries=0
until limit_of | grep -q '"kind":"syscall:[a-z]*","now":true'; do
	tries=$((tries + 1))
	[ $tries -lt 40 ] || break
	sleep 0.5
done
if [ $tries -lt 40 ]; then
	ok budget_leaves_out_what_costs_too_much
else
	fail budget_leaves_out_what_costs_too_much "$(limit_of)"
fi
lkst snapshot --quiet --output "$work/trace"
expect_whole budget_leaves_a_whole_trace "$work/trace"
expect_none budget_is_in_the_trace \
	"$(lkst print --event shed_begin "$work/trace" | grep -q 'kind="syscall:' || echo 'no shed_begin')"
kill $pid
lkst stop --quiet
expect_none budget_ends_with_the_recording "$(ls /sys/fs/bpf/lkst 2>&1 | grep -v 'No such file')"
