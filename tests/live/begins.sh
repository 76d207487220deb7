#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# What a recording with a cost limit begins with: beside a storm of calls not one of them is recorded, since they
# have no room, while switches and wakings are from the first moment on; the trace says so, and so does the start.
. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"

needs_the_recorder
if uname -v | grep -q PREEMPT_RT; then
	skip_all 'begins: this kernel is one for real time, where a limit is refused'
fi
cd "$work" || exit
has_started=yes

# Calls on all CPUs, before most others that want them.
nice -n -10 "$load/calls" 600 >storm &
storm=$!
children+=($storm)
wait_until 60 test -s storm
"$LKST" start --budget 1% --event 'syscall:*' --event 'sched:*' >said 2>err || fail begins_start "$(cat err)"
"$LKST" snapshot --quiet --output trace
"$LKST" stop --quiet
kill $storm
wait $storm 2>/dev/null
has='it has the core, and of the rest what has room below 1.00 % of a CPU: all but'
# On a busy machine other kinds have no room either, of which it names four.
expect start_says_what_it_has_no_room_for "$(grep -cE "^$has .*(syscall:(getppid|\*)|, .*, .*, .* and [0-9]+ more$)" said)" 1
"$LKST" print trace >text
expect what_has_no_room_is_never_recorded "$(grep -cE 'syscall_(entry|exit)_getppid' text)" 0
order=$(grep -nE 'shed_begin: .*kind="syscall:getppid"|maskset_switch: from=0' text |
	sed 's/.*\(shed_begin\|maskset_switch\).*/\1/' | head -n 2 | tr '\n' ' ')
expect it_is_left_out_before_recording_begins "$order" 'shed_begin maskset_switch '
switches=$(grep -cE 'sched_(switch|waking):' text)
expect what_is_never_left_out_is_recorded "$((switches > 10))" 1
expect the_report_does_not_count_no_calls "$("$LKST" report trace | grep -c '^system calls  *\(at least [0-9]*\|-\)  .*not recorded')" 1

"$LKST" start --maskset core >said 2>err || fail begins_start "$(cat err)"
"$LKST" stop --quiet
expect core_is_alone "$(grep -c '^it has the core alone$' said)" 1
"$LKST" start --budget none >said 2>err || fail begins_start "$(cat err)"
"$LKST" stop --quiet
has_started=no
expect without_a_limit_there_is_nothing_to_say "$(grep -c '^it has ' said)" 0

exit $failed
