#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lkst lint finds nothing in what a sound kernel does, with all that its rules look at recorded: takes and
# releases of locks, memory, timers, work, interrupts and switches.
# boot:
. /tests/lib.sh

if lkst record --quiet --buffer 32M --event 'lock:*' --event 'memory:k*' --event 'timer:*' --event 'workqueue:*' \
	--event 'irq:*' --event 'sched:*' --event 'syscall:*' --output "$work/trace" -- sh -c '/load/calls; sleep 0.5' >/dev/null 2>"$work/notes"; then
	ok lint_trace_is_recorded
else
	fail lint_trace_is_recorded "$(cat "$work/notes")"
fi
expect_whole lint_trace_is_whole "$work/trace"
expect_recorded lint_trace_has_what_rules_need spin_lock spin_unlock kmalloc kfree kmem_cache_free timer_start \
	softirq_entry sched_switch
lkst lint "$work/trace" >"$work/found" 2>"$work/notes"
status=$?
if [ $status = 0 ] && [ "$(cat "$work/found")" = '0 found' ]; then
	ok lint_finds_nothing_in_a_sound_kernel
else
	fail lint_finds_nothing_in_a_sound_kernel "status $status: $(cat "$work/notes" "$work/found")"
fi
# The rules must have been applied.
expect_none lint_applies_its_rules "$(grep 'not applied' "$work/notes")"
