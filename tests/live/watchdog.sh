#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The handler `watchdog` and its heartbeat (C11): while a program beats nothing happens; when it stops, a
# waiting process is notified within the time that was set, the trace says so, and another maskset is
# active.
. "$(dirname "$0")/lib/live.sh"
. "$lib/handler.sh"

needs_the_recorder
cd "$work" || exit
ms=1000000
# So long that no program that beats is held up as much, also on a busy machine.
within=$((3000 * ms))

active_maskset()
{
	"$LKST" status --json | grep -o '"maskset_name":"[^"]*"'
}

# Some event at least every 10 ms, on each CPU.
for ((i = 0; i < $(nproc); i++)); do
	perl -e 'while (1) { select(undef, undef, undef, 0.01) }' &
	children+=($!)
done

has_started=yes
"$LKST" start --quiet --budget none --buffer 4M --maskset RNOTHING
"$LKST" handler load watchdog --event sched_switch --event 'syscall:getpriority' --quiet
"$LKST" maskset --quiet -H watchdog 'watch+=sched_switch'
"$LKST" maskset --quiet -H watchdog 'watch+=syscall_entry_getpriority'
"$LKST" handler set watchdog within_ns=$within to_set=2
"$LKST" maskset set watch --quiet
sleep 4
expect without_a_first_beat_nothing_is_watched "$(variable watchdog silences)" 0

# ---- a program that beats, and is killed ----
nice -n -20 "$LKST" handler beat watchdog --every 50ms &
beat=$!
children+=($beat)
sleep 5
if [ "$(variable watchdog silences)" = 0 ]; then
	ok a_beat_keeps_it_quiet
else
	# Was it the watchdog or the machine? The silence that it saw is in the trace.
	"$LKST" snapshot --quiet -o quiet
	fail a_beat_keeps_it_quiet "$("$LKST" print --event watchdog.silent quiet)"
fi
expect the_maskset_stays "$(active_maskset)" '"maskset_name":"watch"'
"$LKST" handler wait watchdog --timeout 120s --json >notice &
wait=$!
children+=($wait)
kill $beat
wait $wait
value=$(sed 's/.*"value":\([0-9]*\).*/\1/' notice)
expect another_maskset_is_active "$(active_maskset)" '"maskset_name":"RDEFAULT"'
"$LKST" snapshot --quiet -o trace
expect the_trace_tells_of_it "$("$LKST" print --format json --event watchdog.silent trace |
	grep -o '"silent_ns":[0-9]*,"within_ns":[0-9]*')" "\"silent_ns\":$value,\"within_ns\":$within"
expect the_switch_follows_it "$("$LKST" print --event watchdog.silent --event maskset_switch trace |
	grep -A 1 'watchdog.silent' | grep -c 'maskset_switch: .*to=2')" 1
expect_whole trace_of_a_watchdog_is_whole trace
# In time is by the first event after it was due, or, where one was recorded meanwhile, by one of those on other CPUs.
seen=$("$LKST" print --format json --event watchdog.silent --event sched_switch trace | perl -ne '
	BEGIN { $within = shift }
	my ($ns) = /"ns":(\d+)/ or next;
	if (/"silent_ns":(\d+)/) { $told = $ns; $due = $ns - $1 + $within; last }
	push @switches, $ns;
	END { print defined $told ? scalar grep { $_ > $due && $_ < $told } @switches : "not told" }' "$within")
if [ "${value:-0}" -gt $within ] && [ "$seen" -le "$(nproc)" ]; then
	ok a_silence_is_told_of_in_time
	echo "noticed after $value ns of silence" >&2
else
	fail a_silence_is_told_of_in_time "$(cat notice), $seen switches after it was due"
fi

# ---- once for each silence; and beats again ----
"$LKST" handler set watchdog to_set=-1
"$LKST" maskset set watch --quiet
sleep 4
expect a_silence_is_told_of_once "$(variable watchdog silences)" 1
has_noticed()
{
	[ "$(variable watchdog silences)" -ge "$1" ]
}
"$LKST" handler beat watchdog
wait_until 60 has_noticed 2
expect the_next_silence_is_told_of_too "$(variable watchdog silences)" 2

# ---- a beat that is a system call: the program need not know of it ----
"$LKST" handler set watchdog beat=syscall_entry_getpriority
nice -n -20 perl -e 'getpriority(0, 0), select(undef, undef, undef, 0.05) for 1 .. 100' &
"$LKST" handler set watchdog t_pid=$!
wait $!
expect calls_are_beats "$(variable watchdog silences)" 2
nice -n -20 perl -e 'while (1) { getpriority(0, 0); select(undef, undef, undef, 0.05) }' &
children+=($!)
wait_until 60 has_noticed 3
expect calls_of_others_are_none "$(variable watchdog silences)" 3

expect_refusal only_watchdogs_take_beats 'no handler "sample" is loaded' handler beat sample
"$LKST" handler load sample --event sched_switch --quiet
expect_refusal others_take_no_beats 'handler sample has no variable beat_ns' handler beat sample
exit $failed
