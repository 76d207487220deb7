#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# A probe is an event like any other: masksets decide on it, handlers take it and triggers ask for its arguments; and a
# command that is killed while it sets one leaves nothing behind (rows K13 to K18 of doc/heritage.md).

. "$(dirname "$0")/lib/live.sh"

[ "$(id -u)" = 0 ] || skip_all "probe_handlers: needs root"
program=$BUILD/tests/vm/load/probed

# Hits of probe $1, as `lkst probe --list` counts them.
hits()
{
	"$LKST" probe --list --format json "$1" | perl -MJSON::XS -ne '
		print $n = decode_json($_)->{hits}; END { print "none" unless defined $n }'
}

# How many records of event $1 there are now.
records()
{
	rm -rf "$work/trace"
	"$LKST" snapshot --quiet --output "$work/trace" && "$LKST" print --event "$1" "$work/trace" | wc -l
}

# expect NAME GOT WANTED
expect()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		fail "$1" "$2, not $3"
	fi
}

start_recording()
{
	"$LKST" start --quiet --budget none --buffer 4M --event sched_process_exec || exit 1
	has_started=yes
}

start_recording
"$LKST" probe --quiet -x "$program" 'my:step=probed_step n=%di:u32 twice=%si:u64' || fail probe_is_set 'lkst probe failed'

expect is_listed "$("$LKST" event list 'probe:*' | grep -c '^my:step  *probe .* n=%di:u32')" 1
expect is_shown "$("$LKST" event show my:step | grep -cE '^    (u32     n|u64     twice)$')" 2

"$program" 10
expect active_maskset_records "$(records my:step)" 10
"$LKST" maskset --quiet "other+=sched_switch" && "$LKST" maskset --quiet set other
"$program" 10
expect other_masksets_do_not "$(records my:step)" 10
"$LKST" maskset --quiet 'other+=probe:*'
"$program" 10
expect until_it_is_written_there "$(records my:step)" 20
"$LKST" maskset --quiet set RNOTHING
"$program" 10
expect rnothing_has_none "$(records my:step)" 20
"$LKST" maskset --quiet set other
"$program" 10
expect and_set_again_it_has "$(records my:step)" 30

"$LKST" trigger add --quiet --once --name seven 'my:step n == 7 and twice >= 14'
"$program" 20
rm -rf "$work/trace"
"$LKST" snapshot --quiet --output "$work/trace"
expect trigger_fires "$("$LKST" print --event trigger_fired "$work/trace" | grep -c 'value=7 .*name="seven"')" 1
expect trigger_handler_records_all "$("$LKST" print --event my:step "$work/trace" | wc -l)" 50

# What looks at a probe goes on when that was removed and is set again.
expect removal_says_what_needs_it "$("$LKST" probe --del my:step 2>&1 | grep -c 'A trigger, or a condition of a maskset, looks at my:step')" 1
"$LKST" probe --quiet -x "$program" 'my:step=probed_step n=%di:u32 twice=%si:u64' || fail probe_is_set_again 'lkst probe failed'
"$LKST" trigger add --quiet --name again 'my:step n == 7 and twice >= 14'
"$LKST" probe --del my:step >"$work/said" 2>&1
"$LKST" probe --quiet -x "$program" 'my:step=probed_step n=%di:u32 twice=%si:u64' || fail probe_is_set_again 'lkst probe failed'
"$program" 8
rm -rf "$work/trace"
"$LKST" snapshot --quiet --output "$work/trace"
expect trigger_fires_again "$("$LKST" print --event trigger_fired "$work/trace" | grep -c 'value=7 .*name="again"')" 1
"$LKST" trigger remove --quiet again
"$LKST" trigger remove --quiet seven

# It counts on each CPU by itself.
"$LKST" handler load --quiet "$BUILD/handlers/sample.o" --event my:step &&
	"$LKST" handler set sample one_in=5 >/dev/null
"$LKST" maskset --quiet --handler sample 'other+=my:step'
taskset -c 0 "$program" 20
expect handler_takes_it "$(records my:step)" 62
# Whoever handles a hit, it is counted once, while a maskset that is in use has the probe.
expect hits_are_counted_once "$(hits my:step)" 28

# One that was loaded before the probe was set gets a program of it when a maskset sends the event there.
"$LKST" probe --quiet -x "$program" 'my:later=probed_step n=%di:u32' || fail later_probe_is_set 'lkst probe failed'
n=$(records my:later)
"$LKST" maskset --quiet --handler sample 'other+=my:later' || fail later_probe_is_sent_there 'lkst maskset failed'
taskset -c 0 "$program" 20
expect handler_takes_a_later_probe "$(records my:later)" $((n + 4))
"$LKST" probe --quiet --del my:later
expect removal_takes_its_program "$(find /sys/fs/bpf/lkst -name '*my-later*' | wc -l)" 0
n=$(records my:step)
taskset -c 0 "$program" 10
expect others_go_on "$(records my:step)" $((n + 2))

# The buffers are not for all that RDEFAULT has, so that older records may go.
"$LKST" maskset --quiet set RDEFAULT
"$program" 7
expect rdefault_has_it "$(hits my:step)" 65
"$LKST" maskset --quiet set other

"$LKST" probe --quiet --del my:step
expect removal_leaves_no_pins "$(find /sys/fs/bpf/lkst -name '*my-step*' | wc -l)" 0
removed=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%.9f\n", clock_gettime(CLOCK_MONOTONIC)')
"$program" 10
rm -rf "$work/trace"
"$LKST" snapshot --quiet --output "$work/trace"
# Those from before are there as far as they were not overwritten.
expect removal_ends_it "$("$LKST" print --time mono --event my:step "$work/trace" | awk -v at="$removed" '$1 > at' | wc -l)" 0
"$LKST" stop --quiet

# Killed at any moment: what is left is a probe that is set, or none; and after the end of recording, nothing.
bad=
for delay in 2 4 6 8 10 12 15 18 22 26 30; do
	start_recording
	"$LKST" probe --quiet -x "$program" 'my:step=probed_step n=%di:u32' &
	pid=$!
	sleep "0.0$(printf '%02d' $delay)"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	if [ "$(hits my:step)" = none ] &&
		! "$LKST" probe --quiet -x "$program" 'my:step=probed_step n=%di:u32' 2>"$work/said"; then
		bad="$bad after $delay ms: $(cat "$work/said")"
	fi
	"$program" 3
	[ "$(records my:step)" = 3 ] || bad="$bad after $delay ms: $(records my:step) records"
	"$LKST" stop --quiet || bad="$bad after $delay ms: stop failed"
	[ ! -e /sys/fs/bpf/lkst ] || bad="$bad after $delay ms: pins are left"
done
expect killed_commands_leave_nothing "${bad:-nothing}" nothing
exit $failed
