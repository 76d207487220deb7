#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Masksets where hooks are functions, too: those that a maskset does not need are taken away and come back, and
# the switch is recorded on this kernel as well.
# In another guest than recording.sh: some of what its workload does happens once in a kernel's life, and that
# looks for it.
# boot: lkst.guest=another
# seconds: 13
. /tests/lib.sh

# How many hooks are attached.
hooks()
{
	lkst status --json | sed 's/.*"hooks":\([0-9]*\).*/\1/'
}

expect_start switching_start --maskset memory --budget none
all=$(hooks)
probes=$(wc -l </sys/kernel/debug/kprobes/list)
if [ "$probes" -gt 3 ] && [ "$all" -gt "$probes" ]; then
	ok switching_hook_functions
else
	fail switching_hook_functions "$probes of $all hooks"
fi
/load/functions >"$work/functions"
lkst maskset set RNOTHING --quiet
# The kernel takes a probe away a moment after its last owner is gone.
for try in $(seq 600); do
	[ -n "$(cat /sys/kernel/debug/kprobes/list)" ] || break
	sleep 0.2
done
# Those of the lives of threads, which are tracepoints, stay.
expect_none switching_nothing_detaches_all "$(cat /sys/kernel/debug/kprobes/list; hooks | grep -v '^8$')"
lkst snapshot --quiet --output "$work/before"
/load/functions >"$work/functions"
lkst snapshot --quiet --output "$work/trace"
expect_whole switching_record_nothing "$work/trace"
expect_none switching_recorded_nothing "$(lkst check --json "$work/before" | sed 's/.*"do_wp_page":\([0-9]*\).*/\1/' |
	grep -vx "$(lkst check --json "$work/trace" | sed 's/.*"do_wp_page":\([0-9]*\).*/\1/')")"
lkst maskset set memory --quiet
expect_none switching_attach_again "$(hooks | grep -vx "$all")"
/load/functions >"$work/functions"
lkst snapshot --quiet --output "$work/again"
expect_whole switching_record_again "$work/again"
expect_recorded switching_events do_wp_page page_fault_exit mm_page_alloc maskset_switch maskset_settled
expect_stop switching_leave_nothing
