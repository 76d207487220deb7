#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What recording costs, and the limit of it: the rates that `lkst status` counts are those that there were;
# what costs too much is left out, the least valuable first, and comes back; and the trace tells.
# timeout: 180
. "$(dirname "$0")/lib/live.sh"

if [ -e /sys/fs/bpf/lkst ]; then
	skip_all 'budget: something is being recorded already'
fi
has_started=yes

# One number of the status, by a perl expression on it.
status()
{
	"$LKST" status --json | perl -MJSON::PP -e '
		my $s = decode_json(do { local $/; <STDIN> });
		my %cost = map { $_->{kind} => $_ } @{$s->{cost}{kinds}};
		my %out = map { $_->{kind} => $_ } @{($s->{limit} // {})->{left_out} // []};
		print eval $ARGV[0];' "$1"
}

# Waits, at most $1 s, until the expression $2 is true.
wait_until()
{
	local end=$((SECONDS + $1))

	until [ "$(status "($2) ? 1 : 0")" = 1 ]; do
		[ $SECONDS -lt $end ] || return
		sleep 0.2
	done
}

# Calls of getpriority(2) on CPU 0 for $1 s, as fast as they go, or with a pause of $2 s after each 200; then it
# prints from time to time what time it is and how many there were.
call_much()
{
	exec taskset -c 0 perl -e '
		use Time::HiRes qw(time sleep);
		my ($n, $end) = (0, time + $ARGV[0]);
		while (time < $end) {
			getpriority(0, 0) for 1 .. 200;
			$n += 200;
			if ($ARGV[1]) { printf "%.6f %d\n", time, $n; sleep $ARGV[1] }
		}' "$1" "${2:-0}"
}

"$LKST" start --quiet --buffer 16M --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
	fail budget_start "$(cat "$work/err")"
call_much 4 0.002 >"$work/calls" &
children+=($!)
sleep 3
before=$EPOCHREALTIME
counted=$(status '$cost{"syscall:getpriority"}{per_s}')
after=$EPOCHREALTIME
left_out=$(status '$s->{limit} // "none"')
wait "${children[-1]}"
# Both halves count, in the second that ended when the status was taken.
said=$(awk -v counted="$counted" -v now="$(((${before/./} + ${after/./}) / 2))" '
	$1 * 1000000 < now - 1000000 { from = $2 }
	$1 * 1000000 < now { to = $2 }
	END {
		if (counted < 1.5 * (to - from) || counted > 2.5 * (to - from))
			print counted " events a second counted, and there were " to - from " calls"
	}' "$work/calls")
if [ -z "$said" ]; then ok cost_counts_what_happens; else fail cost_counts_what_happens "$said"; fi
if [ "$left_out" = none ]; then ok no_limit_unless_asked; else fail no_limit_unless_asked "$left_out"; fi
record_ns=$(status '$s->{cost}{record_ns}')
if [ "${record_ns:-0}" -ge 5 ] && [ "$record_ns" -le 2000 ]; then
	ok record_is_measured
else
	fail record_is_measured "${record_ns:-nothing} ns"
fi
"$LKST" status >"$work/text"
if grep -q '^recording costs [0-9.]* % of CPU' "$work/text" && grep -q '^kind .*hook ns' "$work/text"; then
	ok status_shows_cost_by_kind
else
	fail status_shows_cost_by_kind "$(cat "$work/text")"
fi
"$LKST" stop --quiet

# The calls cost some 10 % of the CPU; a limit of 1 % is passed on any machine.
limited_at=$SECONDS
"$LKST" start --quiet --budget 1% --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
	fail budget_start_with_limit "$(cat "$work/err")"
call_much 20 >/dev/null &
children+=($!)
if wait_until 15 '$out{"syscall:getpriority"}{now}'; then
	ok what_costs_too_much_is_left_out
else
	fail what_costs_too_much_is_left_out "$("$LKST" status | tail -n 30)"
fi
sleep 1.2
rate=$(status '$cost{"syscall:getpriority"}{per_s} // 0')
if awk -v rate="$rate" 'BEGIN { exit !(rate < 1000) }'; then
	ok it_is_recorded_no_more
else
	fail it_is_recorded_no_more "$rate a second are"
fi
if [ "$(status '$cost{sched_switch} && !$out{sched_switch} ? 1 : 0')" = 1 ]; then
	ok the_precious_stays
else
	fail the_precious_stays "$("$LKST" status | tail -n 30)"
fi
"$LKST" snapshot --quiet --output "$work/trace"
expect_whole snapshot_under_a_limit_is_whole "$work/trace"
if "$LKST" print --event shed_begin "$work/trace" | grep -q 'cost=[0-9]* kind="syscall:getpriority"'; then
	ok the_trace_tells_when
else
	fail the_trace_tells_when "$("$LKST" print --event 'shed_*' "$work/trace" | head -n 5)"
fi
if "$LKST" check "$work/trace" | grep -q '^ledger: syscall:getpriority was left out 1 times'; then
	ok the_ledger_tells
else
	fail the_ledger_tells "$("$LKST" check "$work/trace" | grep ^ledger)"
fi
# Of parts that are written one after the other each tells what came with it.
timeout -s INT 4 "$LKST" attach --output "$work/parts" --rotate 700ms >/dev/null 2>&1
said=$("$LKST" print --format json --event state_shed "$work/parts" | perl -MJSON::PP -ne '
	my $f = decode_json($_)->{fields};
	next if $f->{kind} ne "syscall:getpriority";
	$sum += $f->{left_out} / 1e9;
	$lines++;
	END { printf "%d lines: %.1f s\n", $lines, $sum if $lines < 3 || $sum > '$((SECONDS - limited_at + 1))' }')
if [ -z "$said" ]; then ok parts_tell_it_once; else fail parts_tell_it_once "$said in $((SECONDS - limited_at)) s"; fi
# A maskset is what was written, whatever is left out; and one that is made meanwhile takes nothing back.
"$LKST" maskset copy start mine --quiet && "$LKST" maskset set mine --quiet
handlers=$("$LKST" maskset show mine --json | perl -MJSON::PP -e '
	my %h = map { $_->{event} => $_->{handler} } @{decode_json(<STDIN>)->{events}};
	print join " ", map { $_ // "none" } @h{qw(syscall_entry_getpriority syscall_exit_getpriority)}')
if [ "$handlers" = '1 1' ]; then
	ok a_maskset_does_not_tell_what_is_left_out
else
	fail a_maskset_does_not_tell_what_is_left_out "handlers $handlers"
fi
sleep 1.2
rate=$(status '$out{"syscall:getpriority"}{now} ? $cost{"syscall:getpriority"}{per_s} // 0 : "not left out"')
if kill -0 "${children[-1]}" && [ "${rate%.*}" -lt 1000 ]; then
	ok another_maskset_takes_nothing_back
else
	fail another_maskset_takes_nothing_back "$rate a second are recorded"
fi
"$LKST" stop --quiet
kill "${children[-1]}"
wait "${children[-1]}" 2>/dev/null

# Back again: the load ends, the time for which the kind is left out passes, which is the shorter the higher the limit.
"$LKST" start --quiet --budget 5% --event 'syscall:*' --event sched_switch 2>"$work/err" ||
	fail budget_start_again "$(cat "$work/err")"
call_much 20 >/dev/null &
children+=($!)
wait_until 15 '$out{"syscall:getpriority"}{now}'
kill "${children[-1]}"
wait "${children[-1]}" 2>/dev/null
if [ "$(status '$out{"syscall:getpriority"} ? 1 : 0')" = 1 ] &&
   wait_until 70 '0 == grep { $_->{now} } values %out'; then
	ok what_was_left_out_comes_back
else
	fail what_was_left_out_comes_back "$("$LKST" status | tail -n 15)"
fi
(call_much 0.1)
"$LKST" snapshot --quiet --output "$work/back"
if "$LKST" print --event shed_end "$work/back" | grep -q 'left_out=[0-9]* kind="syscall:getpriority"' &&
   [ "$("$LKST" print --event syscall_entry_getpriority "$work/back" | tail -n 100 | wc -l)" = 100 ]; then
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

for share in 0% 1 60% x% 0.001%; do
	if "$LKST" start --budget $share 2>"$work/err" || ! grep -q -- --budget "$work/err"; then
		fail "limit_of_${share}_is_refused" "$(cat "$work/err")"
		"$LKST" stop --quiet
	else
		ok "limit_of_${share}_is_refused"
	fi
done

exit $failed
