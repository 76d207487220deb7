#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What recording costs, and the limit of it: the rates that `lkst status` counts are the true ones; kinds
# that cost too much are left out, the least valuable first, and come back; and the trace says so.
. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"

needs_the_recorder
has_started=yes

# Calls getpriority(2) on CPU 0, before most others that want that CPU, until it is killed: as fast as it can, or with
# a pause of $1 s after each 200; then it prints now and then what time it is and how many calls there were.
call_much()
{
	exec taskset -c 0 nice -n -10 perl -e '
		use Time::HiRes qw(time sleep);
		$| = 1;
		while (1) {
			getpriority(0, 0) for 1 .. 200;
			$n += 200;
			if ($ARGV[0]) { printf "%.6f %d\n", time, $n; sleep $ARGV[0] }
		}' "${1:-0}"
}

# Ends what was started last.
end_last()
{
	kill "${children[-1]}"
	wait "${children[-1]}" 2>/dev/null
}

"$LKST" start --quiet --budget none --buffer 16M --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
	fail budget_start "$(cat "$work/err")"
call_much 0.002 >"$work/calls" &
children+=($!)
# has_lines N: whether it has printed so many.
has_lines()
{
	[ "$(wc -l <"$work/calls")" -ge "$1" ]
}
sleep 2
wait_until 60 has_lines 100
before=$EPOCHREALTIME
counted=$(status '$cost{"syscall:getpriority"}{per_s}')
after=$EPOCHREALTIME
left_out=$(status '$s->{limit} // "none"')
wait_until 60 has_lines $(($(wc -l <"$work/calls") + 200))
end_last
# Both halves count, in a quarter of a second while the status was taken; a busy machine may slow the calls down.
said=$(awk -v counted="$counted" -v from="${before/./}" -v to="${after/./}" '
	$1 * 1000000 >= from && $1 * 1000000 < to + 500000 { time[++n] = $1; calls[n] = $2 }
	END {
		for (i = j = 1; i <= n; i++) {
			while (j < n && time[j] < time[i] + 0.25)
				j++
			if (time[j] < time[i] + 0.25)
				break
			rate = (calls[j] - calls[i]) / (time[j] - time[i])
			if (i == 1 || rate < least)
				least = rate
			if (rate > most)
				most = rate
		}
		if (counted < 1.5 * least || counted > 2.5 * most)
			print counted " events a second counted, and there were " least " to " most " calls"
	}' "$work/calls")
if [ -z "$said" ]; then ok cost_counts_what_happens; else fail cost_counts_what_happens "$said"; fi
if [ "$left_out" = none ]; then ok no_limit_if_none_is_wanted; else fail no_limit_if_none_is_wanted "$left_out"; fi
# A call that is recorded writes two of them. What is measured at start is more than that on a machine that was busy.
record_ns=$(status '$s->{cost}{record_ns}')
call_ns=$("$load/calls" 1 | awk '!n++ || $2 < least { least = $2 } END { printf "%.0f\n", least }')
if [ "${record_ns:-0}" -ge 5 ] && [ "$record_ns" -le $((2 * call_ns)) ]; then
	ok record_is_measured
else
	fail record_is_measured "${record_ns:-nothing} ns, where a recorded call takes $call_ns ns"
fi
"$LKST" status >"$work/text"
if grep -q '^recording costs [0-9.]* % of the CPUs' "$work/text" && grep -q '^kind .*hook ns' "$work/text"; then
	ok status_shows_cost_by_kind
else
	fail status_shows_cost_by_kind "$(cat "$work/text")"
fi
"$LKST" stop --quiet

# The calls cost some 10 % of the CPU; a limit of 1 % is passed on any machine.
limited_at=$SECONDS
"$LKST" start --quiet --budget 1% --buffer 32M --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
	fail budget_start_with_limit "$(cat "$work/err")"
call_much >/dev/null &
children+=($!)
if wait_until 120 is '$out{"syscall:getpriority"}{now}'; then
	ok what_costs_too_much_is_left_out
else
	fail what_costs_too_much_is_left_out "$("$LKST" status | tail -n 30)"
fi
# Now and then it is tried, and is recorded for a moment.
if wait_until 60 is '$out{"syscall:getpriority"}{now} && ($cost{"syscall:getpriority"}{per_s} // 0) < 1000'; then
	ok it_is_recorded_no_more
else
	fail it_is_recorded_no_more "$(status '$cost{"syscall:getpriority"}{per_s}') a second are"
fi
if [ "$(status '$cost{sched_switch} && !$out{sched_switch} ? 1 : 0')" = 1 ]; then
	ok the_precious_stays
else
	fail the_precious_stays "$("$LKST" status | tail -n 30)"
fi
before=$(status '$out{"syscall:getpriority"}{times}')
"$LKST" snapshot --quiet --output "$work/trace"
after=$(status '$out{"syscall:getpriority"}{times}')
expect_whole snapshot_under_a_limit_is_whole "$work/trace"
if "$LKST" print --event shed_begin "$work/trace" | grep -q 'cost=[0-9]* kind="syscall:getpriority"'; then
	ok the_trace_tells_when
else
	fail the_trace_tells_when "$("$LKST" print --event 'shed_*' "$work/trace" | head -n 5)"
fi
times=$("$LKST" check "$work/trace" | sed -n 's/^ledger: syscall:getpriority was left out \([0-9]*\) times.*/\1/p')
if [ "${times:-0}" -ge 1 ] && [ "$times" -ge "$before" ] && [ "$times" -le "$after" ]; then
	ok the_ledger_tells
else
	fail the_ledger_tells "not $before to $after times: $("$LKST" check "$work/trace" | grep ^ledger)"
fi
# Of parts that are written one after the other, each says what happened in it.
"$LKST" attach --output "$work/parts" --rotate 700ms >/dev/null 2>&1 &
attached=$!
wait_until 60 test -e "$work/parts/000005/metadata"
kill -INT $attached
wait $attached
said=$("$LKST" print --format json --event state_shed "$work/parts" | perl -MJSON::XS -ne '
	my $f = decode_json($_)->{fields};
	next if $f->{kind} ne "syscall:getpriority";
	$sum += $f->{left_out} / 1e9;
	$lines++;
	END { printf "%d lines: %.1f s\n", $lines, $sum if $lines < 3 || $sum > '$((SECONDS - limited_at + 1))' }')
if [ -z "$said" ]; then ok parts_tell_it_once; else fail parts_tell_it_once "$said in $((SECONDS - limited_at)) s"; fi
# A maskset is what was written, whatever is left out; and one that is made meanwhile takes nothing back.
"$LKST" maskset copy start mine --quiet && "$LKST" maskset set mine --quiet
handlers=$("$LKST" maskset show mine --json | perl -MJSON::XS -e '
	my %h = map { $_->{event} => $_->{handler} } @{decode_json(<STDIN>)->{events}};
	print join " ", map { $_ // "none" } @h{qw(syscall_entry_getpriority syscall_exit_getpriority)}')
if [ "$handlers" = '1 1' ]; then
	ok a_maskset_does_not_tell_what_is_left_out
else
	fail a_maskset_does_not_tell_what_is_left_out "handlers $handlers"
fi
if wait_until 60 is '$out{"syscall:getpriority"}{now} && ($cost{"syscall:getpriority"}{per_s} // 0) < 1000' &&
   kill -0 "${children[-1]}"; then
	ok another_maskset_takes_nothing_back
else
	fail another_maskset_takes_nothing_back "$("$LKST" status | tail -n 15)"
fi
"$LKST" stop --quiet
end_last

# Back again: the load ends, the time for which the kind is left out passes, which is the shorter the higher the limit.
"$LKST" start --quiet --budget 5% --event 'syscall:*' --event sched_switch 2>"$work/err" ||
	fail budget_start_again "$(cat "$work/err")"
call_much >/dev/null &
children+=($!)
wait_until 120 is '$out{"syscall:getpriority"}{now}'
end_last
if [ "$(status '$out{"syscall:getpriority"} ? 1 : 0')" = 1 ] &&
   wait_until 240 is '0 == grep { $_->{now} } values %out'; then
	ok what_was_left_out_comes_back
else
	fail what_was_left_out_comes_back "$("$LKST" status | tail -n 15)"
fi
# Others who work here may have it left out once more.
is_recorded_again()
{
	perl -e 'getpriority(0, 0) for 1 .. 200'
	rm -rf "$work/back"
	"$LKST" snapshot --quiet --output "$work/back"
	"$LKST" print --event shed_end "$work/back" | grep -q 'left_out=[0-9]* kind="syscall:getpriority"' &&
		[ "$("$LKST" print --event syscall_entry_getpriority "$work/back" | tail -n 100 | wc -l)" = 100 ]
}
if wait_until 120 is_recorded_again; then
	ok it_is_recorded_again
else
	fail it_is_recorded_again "$("$LKST" print --event 'shed_*' "$work/back" | head -n 5)"
fi
"$LKST" status --prometheus >"$work/metrics"
bad=$("$lib/prometheus.pl" <"$work/metrics")
if [ -z "$bad" ] && grep -q '^lkst_left_out_seconds_total{kind="syscall:getpriority"} [1-9]' "$work/metrics"; then
	ok metrics_tell_the_cost
else
	fail metrics_tell_the_cost "$bad"
fi
"$LKST" stop --quiet

# The default maskset, with a limit of 5 %; and scheduling stays whatever the limit is.
"$LKST" start --quiet
expect() { if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "$2, not $3"; fi; }
expect standard_with_5_percent_by_default "$(status '"$s->{maskset_name} " . ($s->{limit} // {})->{share}')" 'standard 0.05'
"$LKST" stop --quiet
"$LKST" start --quiet --budget none
expect no_limit_if_asked_for_none "$(status '$s->{maskset_name} . ($s->{limit} // " none")')" 'standard none'
"$LKST" stop --quiet
"$LKST" start --quiet --budget 0.01%
# Two processes that wake each other with every byte.
timeout 300 perl -e 'pipe my $a, my $b; pipe my $c, my $d; my $x = "x";
	if (fork) { while (1) { syswrite $b, $x, 1; sysread $c, $x, 1 } }
	while (1) { sysread $a, $x, 1; syswrite $d, $x, 1 }' &
children+=($!)
if wait_until 120 is '$out{"syscall:read"}{now} && $out{"syscall:write"}{now}'; then
	ok calls_go_if_they_must
else
	fail calls_go_if_they_must "$("$LKST" status | tail -n 20)"
fi
expect scheduling_never_goes "$(status 'join " ", grep { /^(sched_(switch|waking|wakeup_new|process_.*)|task_.*)$/ } keys %out')" ''
# How often the kernel switches is its own count, while the status is taken.
switches()
{
	awk '$1 == "ctxt" { print $2 }' /proc/stat
}
scheduling_is_recorded()
{
	local from=$EPOCHREALTIME before

	before=$(switches)
	rates=$(status '"$cost{sched_switch}{per_s} $cost{sched_waking}{per_s}"')
	awk -v rates="$rates" -v n=$(($(switches) - before)) -v us=$((${EPOCHREALTIME/./} - ${from/./})) 'BEGIN {
		split(rates, r)
		exit !(n > 0 && r[1] > n * 1e6 / us / 4 && r[2] > n * 1e6 / us / 10) }'
}
if wait_until 60 scheduling_is_recorded; then
	ok scheduling_is_recorded
else
	fail scheduling_is_recorded "switches and wake-ups in a second: $rates"
fi
# That the limit cannot be kept is said, with what these cost: at least what both come to by kind, as the mean of the CPUs.
core_is_told()
{
	said=$(status '"$limit->{core_share} " . ($limit->{core_share} > $limit->{share} &&
		$limit->{core_share} <= $s->{cost}{busiest_share} + 1e-6 && $limit->{core_share} * 1.01 >=
		($cost{sched_switch}{us_per_s} + $cost{sched_waking}{us_per_s}) / 1e6 / '"$(nproc)"' ? "told" : "not told")')
	[[ $said = *' told' ]] && "$LKST" status | grep -q '^what is never left out, .*: more than the limit of 0.01 %$'
}
if wait_until 60 core_is_told; then
	ok status_says_that_the_core_costs_more_than_the_limit
else
	fail status_says_that_the_core_costs_more_than_the_limit "$said; $("$LKST" status | tail -n 20)"
fi
"$LKST" stop --quiet
expect start_says_that_the_core_costs_more_than_the_limit "$("$LKST" start --budget 0.01% 2>/dev/null |
	grep -c '^what is never left out, .* costs [0-9.]* % of CPU [0-9]*.s time alone: more than the limit of 0.01 %$')" 1
"$LKST" stop --quiet
expect start_says_nothing_of_it_without_a_limit "$("$LKST" start --budget none 2>/dev/null | grep -c 'never left out')" 0
end_last
"$LKST" stop --quiet

for share in 0% 1 60% x% 0.001%; do
	if "$LKST" start --budget $share 2>"$work/err" || ! grep -q -- --budget "$work/err"; then
		fail "limit_of_${share}_is_refused" "$(cat "$work/err")"
		"$LKST" stop --quiet
	else
		ok "limit_of_${share}_is_refused"
	fi
done

exit $failed
