#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Handlers and triggers on a kernel from before Linux 5.12: a handler's decision counts, a trigger fires when its
# condition holds and at no other time, and its incident has the event. What the kernel cannot do is said.
# kernels: 5.10
# seconds: 100
. /tests/lib.sh

expect_is()
{
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "it is \"$2\", not \"$3\""; fi
}

# expect_too_old NAME WHAT COMMAND...: the command is refused, for the kernel is too old; the sentence has WHAT.
expect_too_old()
{
	local name=$1 what=$2

	shift 2
	if "$@" >"$work/said" 2>&1 || ! grep -q "this kernel is too old.*$what" "$work/said"; then
		fail "$name" "$(cat "$work/said")"
	else
		ok "$name"
	fi
}

# What counter $2 of trigger $1 is.
counter()
{
	lkst trigger list --json | sed 's/},{/}\n{/g' | sed -n "s/.*\"name\":\"$1\".*\"$2\":\([0-9]*\).*/\1/p"
}

# The value of variable $2 of handler $1.
variable()
{
	lkst handler show "$1" | sed -n "s/^$2 = \([0-9]*\).*/\1/p"
}

expect_start older_handlers_start --maskset standard --incidents 2
for handler in filter sample hist watchdog; do
	lkst handler load $handler --event sched_switch --event sched_process_fork --event 'syscall:*' >"$work/load" 2>&1
	expect_is older_handlers_${handler}_is_loaded $? 0
done
expect_too_old older_handlers_have_no_stacks 'Linux 5.11' lkst handler load stack --event sched_switch
expect_too_old older_handlers_are_not_at_nmis nmi_handler lkst handler load filter --as other --event nmi_handler

lkst handler set filter t_comm=calls
lkst maskset --quiet -H filter 'mine+=syscall:*'
lkst maskset --quiet set mine
/load/calls >"$work/calls"
lkst snapshot --quiet --output "$work/filtered"
expect_whole older_handlers_snapshot_is_whole "$work/filtered"
compare_calls older_handlers_filter_keeps_all_of_a_command "$work/calls" "$work/filtered" ''
lkst print --format json --event 'syscall_entry_*' "$work/filtered" >"$work/records"
# What was recorded before the maskset was set is in the trace as well.
expect_none older_handlers_filter_drops_all_else "$(awk -v tid="\"tid\":$(sed -n 's/^tid //p' "$work/calls")," '
	index($0, tid) { is_mine = 1; next }
	is_mine && !is_told++ { print }' "$work/records")"

# One in four: by what the handler has seen.
lkst handler set sample one_in=4
lkst maskset --quiet -H sample 'some+=sched_process_fork'
lkst maskset --quiet set some
for i in $(seq 50); do (true); done
seen=$(variable sample seen)
lkst maskset --quiet set standard
lkst snapshot --quiet --output "$work/sampled"
lkst print --format json --event sched_process_fork --event maskset_switch "$work/sampled" >"$work/records"
recorded=$(awk '/"event":"maskset_switch"/ { before = forks; forks = 0; next } { forks++ } END { print before + 0 }' "$work/records")
expect_is older_handlers_sample_counts "$((seen >= 50)) $(((recorded * 4 - seen) / 4))" '1 0'

lkst handler set hist from=syscall_entry_getppid to=syscall_exit_getppid
lkst maskset --quiet -H hist 'hist+=syscall:getppid'
lkst maskset --quiet set hist
/load/calls >"$work/calls"
expect_none older_handlers_hist_counts "$(lkst handler show hist | grep -q '^intervals_ns\[0\] = [1-9]' || lkst handler show hist)"

# The next event notices a silence, and another maskset is activated.
lkst handler set watchdog within_ns=100000000 to_set=0
lkst maskset --quiet -H watchdog 'watch+=sched_switch'
lkst maskset --quiet set watch
lkst handler beat watchdog
expect_none older_handlers_watchdog_tells "$(lkst handler wait watchdog --timeout 300s 2>&1 >/dev/null)"
expect_none older_handlers_watchdog_switches "$(lkst status --json | grep -q '"maskset_name":"RNOTHING"' || lkst status)"
lkst maskset --quiet set standard

expect_too_old older_triggers_switch_nothing 'Linux 5.15' lkst trigger add 'syscall:kill result == -EPERM' --switch RALL
lkst trigger add 'syscall:kill result == -ESRCH' --name nobody --post 1ms >"$work/add" 2>&1
expect_is older_triggers_add "$?" 0
lkst trigger add 'sched_process_exec filename == "/load/calls"' --name runs --rate 1000000000/1s >"$work/add" 2>&1
expect_is older_triggers_add_text "$?" 0
lkst trigger add 'syscall:clock_nanosleep latency > 400ms' --name slow --rate 1000000000/1s >"$work/add" 2>&1
expect_is older_triggers_add_interval "$?" 0
kill -0 $$
sleep 0.01
expect_is older_triggers_do_not_fire "$(counter nobody fired) $(counter runs fired) $(counter slow fired)" '0 0 0'
kill -0 999999 2>/dev/null
expect_is older_triggers_fire "$(counter nobody fired) $(counter runs fired) $(counter slow fired)" '1 0 0'
/load/calls >"$work/calls"
sleep 0.5
expect_is older_triggers_each_by_its_own "$(counter nobody fired) $(counter runs fired) $(counter slow fired)" '1 1 1'
mkdir "$work/incident"
lkst incident save --quiet --output "$work/incident" 1
expect_whole older_triggers_incident_is_whole "$work"/incident/*
lkst print --format json --event syscall_exit_kill "$work"/incident/* >"$work/records"
expect_is older_triggers_incident_has_the_event "$(sed -n "s/.*\"tid\":$$,.*\"ret\":\(-3\)[,}].*/\1/p" "$work/records")" -3
expect_none older_triggers_incident_has_its_name "$(lkst incident list | grep -q '^ *1 .*nobody' || lkst incident list)"

# What two processors do at once fires once for each, or is counted.
lkst maskset --quiet set RNOTHING
lkst trigger add syscall_exit_kill --name both --rate 1000000000/1s --quiet
lkst maskset --quiet 'kills+=syscall_exit_kill'
lkst maskset --quiet set kills
kills()
{
	for i in $(seq 2000); do kill -0 $$; done
}
kills &
kills
wait $!
lkst maskset --quiet set RNOTHING
lkst snapshot --quiet --output "$work/both"
lkst print --format json --event syscall_exit_kill --event trigger_fired --event maskset_switch "$work/both" |
	awk '
		/"event":"maskset_switch"/ { before = calls; calls = 0; next }
		/"event":"syscall_exit_kill"/ { calls++ }
		/"name":"both"/ { fired++ }
		END { print before + 0, fired + 0 }' >"$work/counts"
expect_is older_triggers_lose_nothing "$(cat "$work/counts")" \
	"$(($(counter both fired) + $(counter both held_back))) $(counter both fired)"
expect_stop older_handlers_stop_leaves_nothing
