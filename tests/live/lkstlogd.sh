#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkstlogd, the original's daemon: it writes the records of a recording, by the maskset that lkstm has set,
# to logs that rotate; it ends with the recording, or by a signal; and without a recording it begins one.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
mkdir "$work/bin" "$work/logs"
for link in lkst lkstm lkstlogd; do
	ln -s "$LKST" "$work/bin/$link"
done
PATH=$work/bin:$PATH
cd "$work" || exit
calls=20000

# The numbered calls in traces, known by their first argument: the name of a thread that ended long ago may not be
# in a log that begins later.
numbered_in()
{
	lkst print --format json --event 'syscall_entry_getpriority' "$@" | grep -cE '"which":409[67][,}]'
}

# Which events other than those, and other than the recorder's own (lives of threads, switches of masksets),
# are in traces.
others_in()
{
	lkst print --format json --no-gaps "$@" | sed -n 's/.*"event":"\([^"]*\)".*/\1/p' | sort -u |
		grep -vE '^(syscall_(entry|exit)_getpriority|maskset_(switch|settled)|task_newtask|task_rename|cgroup_(mkdir|attach_task)|sched_process_(fork|exec|exit|free))$'
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null
}

# Whether the daemon has written $1 numbered calls.
has_written()
{
	[ "$(numbered_in logs/*)" -ge "$1" ] 2>/dev/null
}

# ---- what a running recording records ----
has_started=yes
lkst start --quiet --buffer 32M --maskset RNOTHING --budget none
lkst maskset --quiet 'two+=syscall:getpriority'
two=$(lkst maskset list --json | perl -MJSON::XS -e 'my $all = decode_json(join "", <STDIN>);
	$all = $all->{masksets} if ref $all eq "HASH"; print $_->{number} // $_->{id} for grep { $_->{name} eq "two" } @$all')
lkstm set -m "$two"
expect_refusal_by events_are_the_masksets 'its maskset says what' lkstlogd -e sched_switch
pid=$(lkstlogd -f 'logs/100%d-' -r 1M)
children+=("$pid")
if kill -0 "$pid"; then ok it_prints_its_pid; else fail it_prints_its_pid "\"$pid\""; fi
"$load/numbered" 2 $calls </dev/null >numbered.out
want=$((2 * calls))
# What it has not written is in blocks that have room: it writes them when it ends.
wait_until 120 has_written $((want / 2))
lkst snapshot --quiet --output snapshot
kill -TERM "$pid"
wait_until 60 is_gone "$pid"
expect it_ends_by_sigterm "$(is_gone "$pid" && echo gone)" gone
expect logs_have_the_prefix "$(ls logs | grep -cvE '^100%d-20[0-9]{6}-[0-9]{6}(-[0-9]+)?$')" 0
if [ "$(ls logs | wc -l)" -gt 2 ]; then ok logs_rotate; else fail logs_rotate "$(ls logs)"; fi
expect logs_have_every_call "$(numbered_in logs/*)" $want
expect snapshot_has_the_same "$(numbered_in snapshot)" $want
expect logs_have_nothing_else "$(others_in logs/*)" ''
bad=
for log in logs/*; do
	lkst check "$log" >check.out 2>&1 || bad="$bad $log: $(tail -n 1 check.out)"
done
expect logs_are_whole "$bad" ''
expect recording_goes_on "$(lkst status --json | grep -o '"recording":true')" '"recording":true'

# ---- it ends with the recording ----
rm -rf logs && mkdir logs
pid=$(lkstlogd -f logs/ -r 8M)
children+=("$pid")
"$load/numbered" 1 1000 </dev/null >numbered.out
lkst stop --quiet
wait_until 60 is_gone "$pid"
expect it_ends_with_the_recording "$(is_gone "$pid" && echo gone)" gone
expect last_calls_are_written "$(numbered_in logs/*)" $((want + 1000))
# What a busy machine has overwritten before the log began is named, and no damage.
expect last_log_is_sound "$(lkst check --json logs/* | grep -o '"bad_blocks":[0-9]*')" '"bad_blocks":0'

# ---- without a recording it begins one ----
rm -rf logs && mkdir logs
lkstlogd -n -f logs/ -e syscall:getpriority 2>logd.log &
pid=$!
children+=("$pid")
log_is_begun()
{
	[ -s "$(echo logs/*/metadata)" ]
}
wait_until 60 log_is_begun
"$load/numbered" 1 1000 </dev/null >numbered.out
kill -TERM "$pid"
wait "$pid"
expect in_the_foreground_it_ends_well $? 0
expect its_own_recording_is_written "$(numbered_in logs/*)" 1000
expect its_own_recording_goes_on "$(lkst status --json | grep -o '"recording":true')" '"recording":true'
lkst stop --quiet
expect nothing_is_left "$(ls /sys/fs/bpf/lkst 2>/dev/null)" ''

exit $failed
