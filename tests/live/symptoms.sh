#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Plays doc/symptoms.md: each command that the page names is run as it stands there, and answers. Where the page has a
# word for what a reader has (a thread, a program, a trace), the test has one.

. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
lib_of_tests=$lib/../../lib
page=$lib/../../../doc/symptoms.md
cd "$work" || exit

# The commands of the page's section $1.
commands_of()
{
	sed -n "/^##* $1\$/,/^##/p" "$page" | perl "$lib_of_tests/examples.pl" | sed 's/  *# .*//'
}

# Whether event $1 is not on this kernel.
lacks()
{
	"$LKST" event list "$1" 2>/dev/null | grep -q 'not on this kernel'
}

# Why the command $1 cannot be played here, if it cannot.
reason_not_to_play()
{
	case $1 in
	extract*) echo 'there is no dump; tests/vm/crash has some' ;;
	'start --history 60s') echo 'it may take a quarter of all memory; tests/live/history.sh has less' ;;
	errors* | *lock:\** | 'lint locks')
		! lacks page_fault_exit || echo 'this kernel has no kprobes'
		;;
	'why --worst fault '*)
		! lacks page_fault_exit || echo 'this kernel does not show where a page fault ends'
		;;
	esac
}

# Plays the command $1. What the page leaves to the reader is filled in: a thread and a process, a program's name, the
# name of a span.
play()
{
	local command=$1 name status reason

	name=symptoms_$(tr -cs 'a-z0-9\n' _ <<<"${command,,}")
	reason=$(reason_not_to_play "$command")
	if [ "$reason" ]; then
		echo "skip ${name%_}: $reason"
		return
	fi
	case $command in
	start*)
		[ $has_started = no ] || "$LKST" stop --quiet
		has_started=yes
		;;
	esac
	command=${command/--tid N/--tid $tid}
	command=${command/PID/$$}
	command=${command/--comm NAME/--comm dd}
	command=${command/--cgroup NAME/--cgroup \'*\'}
	command=${command/--span commit/--span serve}
	(eval "exec \"\$LKST\" $command") >out 2>err </dev/null
	status=$?
	# A gap, a finding or a difference is an answer, too.
	case $command in
	check* | lint* | diff*) [ $status != 1 ] || status=0 ;;
	esac
	if [ $status = 0 ] && [ -s out -o -s err ]; then
		ok "${name%_}"
	else
		fail "${name%_}" "lkst $command: status $status: $(tail -n 2 err)"
	fi
}

# A second as on a machine where something is slow: threads that wait for a disk, for a lock, for each other; and spans.
some_work()
{
	dd if=/dev/zero of="$work/data" bs=64k count=64 conv=fsync 2>/dev/null &
	flock "$work/lock" sleep 0.2 &
	flock "$work/lock" true
	"$load/spans" >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do
		dd if=/dev/zero of="$work/data" bs=4k count=1 conv=fsync 2>/dev/null
	done
	wait
}
export -f some_work
export work load

# ---- what is done first ----

has_started=yes
if ! "$LKST" start --quiet --incidents 4 --budget none --buffer 16M 2>start.log; then
	fail symptoms_recorded "$(tail -n 3 start.log)"
	exit 1
fi
some_work
played=0
while IFS= read -r command; do
	[[ $command = *' '* || $command = status ]] || continue
	[[ $command != start* ]] || continue # what to do the next time
	play "$command"
	played=$((played + 1))
	[[ $command != snapshot* ]] || "$LKST" incident keep --quiet
done < <(commands_of 'The first five minutes')
expect symptoms_incident_is_saved "$(ls -d incident-1-*.bundle | wc -l)" 1
expect symptoms_view_makes_the_page_that_is_named "$(ls first.bundle.html)" first.bundle.html
"$LKST" stop --quiet
has_started=no

# ---- when nothing was recording ----

expect_refusal symptoms_snapshot_says_that_nothing_was_recording 'nothing is being recorded' \
	snapshot --bundle --file none.bundle
while IFS= read -r command; do
	[[ $command = *' '* ]] || continue
	play "$command"
	played=$((played + 1))
done < <(commands_of 'When nothing was recording')

# ---- by symptom ----

for trace in good slow; do
	if ! record $trace --buffer 32M --sample 99 -- bash -c some_work; then
		fail symptoms_recorded_$trace "$(tail -n 3 $trace.log)"
		exit 1
	fi
done
ln -s good before
ln -s slow after
tid=$("$LKST" print --comm dd slow | sed -n 's/^[^ ]* \[[0-9]*\] *\([0-9]*\)\/dd .*/\1/p' | head -n 1)
while IFS= read -r command; do
	[[ $command = *' '* ]] || continue
	play "$command"
	played=$((played + 1))
done < <(commands_of 'When there is time'; commands_of 'By symptom')
[ $played -ge 40 ] || fail symptoms_has_commands "only $played were found"
exit $failed
