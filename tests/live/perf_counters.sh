#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Counters that are read at each switch: a thread's page faults are as many as the kernel has counted for it, and its
# time by the kernel's clock is the time in which it ran by the switches. Both count on every machine, by the same way
# as the CPU's own counters.

. "$(dirname "$0")/lib/live.sh"

# It makes many page faults, and says how many the kernel has counted for it: "PID MINOR MAJOR".
cat >"$work/load" <<'END'
perl -e 'my @all = map { "x" x 2000 } 1 .. 20000;
	open my $f, "<", "/proc/self/stat"; my @s = split " ", <$f>; print "$$ $s[9] $s[11]\n"'
:
END
if ! record trace --event 'sched_*' --counters page-faults,cpu-clock -- sh "$work/load" >"$work/own"; then
	fail perf_counters_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
read -r pid minor major <"$work/own"
"$LKST" analyze counters --tid "$pid" --format json "$work/trace" >"$work/counters"
"$LKST" analyze thread --tid "$pid" --format json "$work/trace" >"$work/thread"
# Faults of exec's own copying are in the kernel's count of the thread, those that fail are in the counter. A machine that
# hides threads hides the switches from them as well: the stretch after one is unknown to the analysis, and not counted.
expect perf_counters_are_the_faults_of_the_thread "$(perl -MJSON::XS -0777 -e '
	sub row { local @ARGV = $_[0]; return decode_json(<>)->{$_[1]}{rows}[0] }
	my $n = row("$ARGV[0]/counters", "counters")->{page_faults} // 0;
	my $over = $n - $ARGV[1];
	my $room = 50 + $ARGV[1] / 50;
	my $hidden = row("$ARGV[0]/thread", "thread")->{unknown_ns};
	print $n > 0 && $over <= $room && ($hidden || $over >= -$room) ? "as many" : "$n, not $ARGV[1]"
	' "$work" $((minor + major)))" 'as many'
# Where the switch to the thread was hidden, the analysis knows that it runs from its first record on, and nothing is
# counted. How long that was, ns.
unseen=$("$LKST" print --format json "$work/trace" | perl -MJSON::XS -ne '
	BEGIN { $pid = shift }
	my $r = decode_json($_);
	next unless defined(my $cpu = $r->{cpu});
	my $is_unseen = $r->{tid} == $pid && ($on{$cpu} // $pid) != $pid;
	$since{$cpu} //= $r->{ns} if $is_unseen;
	next unless $r->{event} eq "sched_switch";
	$sum += $r->{ns} - $since{$cpu} if $is_unseen;
	delete $since{$cpu};
	$on{$cpu} = $r->{fields}{next_tid};
	END { print $sum + 0 }' "$pid")
expect perf_counters_are_the_time_of_the_thread "$(perl -MJSON::XS -0777 -e '
	sub row { local @ARGV = $_[0]; return decode_json(<>)->{$_[1]}{rows}[0] }
	my $clock = row("$ARGV[0]/counters", "counters")->{cpu_clock} // 0;
	my $ran = row("$ARGV[0]/thread", "thread")->{running_ns} - $ARGV[1];
	print abs($clock - $ran) > 1e6 + $ran / 50 ? "$clock ns, not $ran, and $ARGV[1] unseen" : "the same"' "$work" "$unseen")" 'the same'
# A record for each switch but the first of a CPU, and those of threads that were not seen to come.
expect perf_counters_come_with_each_switch "$("$LKST" print --event sched_switch --event perf_counters "$work/trace" |
	awk '{ cpu = $2; thread = $3; sub("/.*", "", thread) }
		/ perf_counters: / { n++ }
		/ sched_switch: / {
			switches++
			seen += thread == on[cpu]
			match($0, /next=[0-9]+/)
			on[cpu] = substr($0, RSTART + 5, RLENGTH - 5)
		}
		END { print (switches > 10 && n == seen ? "each" : n " of " seen " of " switches) }')" each

expect_refusal perf_counters_refuses_what_is_none '"heat" is not a counter; there are cycles, instructions' \
	record --quiet --output "$work/none" --counters cycles,heat -- true
expect_refusal perf_counters_refuses_more_than_there_is_room_for 'at most 4 counters' record --quiet \
	--output "$work/none" --counters cycles,instructions,branches,page-faults,cpu-clock -- true
if [ -e /sys/bus/event_source/devices/cpu ] || ls -d /sys/bus/event_source/devices/*cpu* >"$work/pmu" 2>&1; then
	echo 'skip perf_counters_says_what_the_machine_lacks: this CPU has counters'
else
	expect_refusal perf_counters_says_what_the_machine_lacks 'cycles cannot be counted here' record --quiet \
		--output "$work/none" --counters cycles -- true
fi

# They count on when the process that opened them has ended.
if "$LKST" start --quiet --no-helper --buffer 1M --counters page-faults 2>"$work/err"; then
	has_started=yes
	sleep 0.3
	"$LKST" snapshot --quiet --output "$work/snapshot" 2>>"$work/err"
	"$LKST" stop --quiet
	has_started=no
	expect perf_counters_outlive_start "$("$LKST" print --event perf_counters "$work/snapshot" |
		awk 'END { print (NR > 5 ? "counted" : NR) }')" counted
else
	fail perf_counters_outlive_start "$(cat "$work/err")"
fi
