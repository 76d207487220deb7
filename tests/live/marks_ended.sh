#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# A mark of a process that has ended is of the thread that it says, or is left out and counted: no user's file passes
# for a thread of another user's, however it is called, and the marks of programs that have ended are all there, those
# of a program of the same user beside it, too. The test has a /dev/shm of its own.

if [ "${1-}" != own ]; then
	exec unshare --mount --propagation private bash "$0" own
fi
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
mount -t tmpfs -o mode=1777 none /dev/shm || skip_all 'marks_ended: /dev/shm cannot be mounted'
# Where other users may run them, wherever this build is.
bin=/dev/shm/bin
mkdir $bin
cp "$load/marks" "$load/forged_marks" $bin
attacker=(setpriv --reuid 65534 --regid 65534 --clear-groups)
victim=(setpriv --reuid 12 --regid 12 --clear-groups)

# marks TRACE PROCESS: how many marks are shown as of it, the forged ones first
marks()
{
	"$LKST" print --pid "$2" "$work/$1" 2>/dev/null |
		awk '/mark:full0/ { forged++ } /mark:round/ { own++ } END { print forged + 0, own + 0 }'
}

# What the ledger of trace $1 says of user $2.
refused()
{
	"$LKST" check "$work/$1" 2>/dev/null | grep -c "^ledger: marks of .*user $2.* refused"
}

has_started=yes
"$LKST" start --quiet --buffer 1M
# Each has ended when its number is used: of another user, killed, of root, and of the attacker himself.
"${victim[@]}" $bin/marks 20 & ended=$!
wait $ended
"${victim[@]}" $bin/marks 20 kill & killed=$!
wait $killed 2>/dev/null
$bin/marks 20 & roots=$!
wait $roots
"${attacker[@]}" $bin/marks 20 & his=$!
wait $his
for pid in $ended $killed $roots; do
	"${attacker[@]}" $bin/forged_marks $pid $pid >/dev/null
	"${attacker[@]}" $bin/forged_marks $his $pid >/dev/null
	"${attacker[@]}" $bin/forged_marks $$ $pid >/dev/null
done
"$LKST" snapshot --quiet --output "$work/snapshot"
"$LKST" stop --quiet
has_started=no
expect no_mark_is_forged_of_an_ended_process "$(marks snapshot $ended)" '0 40'
expect no_mark_is_forged_of_a_killed_process "$(marks snapshot $killed)" '0 40'
expect no_mark_is_forged_of_a_process_of_root "$(marks snapshot $roots)" '0 40'
expect own_marks_of_the_attacker_are_there "$(marks snapshot $his)" '0 40'
expect what_is_forged_is_counted "$(($(refused snapshot 65534) >= 9))" 1
expect nothing_else_is_refused "$(refused snapshot 12)" 0
rm -f /dev/shm/lkst-mark.*

# A recording that is written meanwhile has looked at the program while it lived; nothing says whose it was otherwise.
forge()
{
	"${victim[@]}" $bin/marks 300 & ended=$!
	wait $ended
	"${attacker[@]}" $bin/forged_marks $ended $ended
	echo $ended >"$work/ended"
}
export -f forge
export work
record record -- bash -c "bin=$bin; victim=(${victim[*]}); attacker=(${attacker[*]}); forge"
ended=$(cat "$work/ended")
expect no_mark_is_forged_while_recording "$(marks record "$ended")" '0 600'
rm -f /dev/shm/lkst-mark.*

# Without exec_args nobody knows whose a program was that nobody has looked at: that is said.
has_started=yes
"$LKST" start --quiet --buffer 1M --event sched_switch
"${victim[@]}" $bin/marks 20 & ended=$!
wait $ended
"$LKST" snapshot --quiet --output "$work/unknown"
"$LKST" stop --quiet
has_started=no
expect marks_of_nobody_who_is_known_are_counted "$(marks unknown $ended), $(($(refused unknown 12) > 0))" '0 0, 1'
exit $failed
