#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# `lkst status --compare`: what it says recording costs is what the load itself shows, and the maskset is active again
# afterwards, whatever becomes of the command.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
has_started=yes

active()
{
	"$LKST" status --json | sed -n 's/.*"maskset":\([0-9]*\),.*/\1/p'
}

is_active()
{
	[ "$(active)" = "$1" ]
}

# The load: a process that reads, call after call.
perl -e '$0 = "reader"; open my $f, "<", "/dev/zero" or die; sysread $f, my $byte, 1 while 1' &
load_pid=$!
children+=($load_pid)

# What a call of the load takes, in ticks of CPU time for a million, by the kernel's own counts, over a second.
ticks_per_call()
{
	perl -e '
		sub look {
			open my $io, "<", "/proc/$ARGV[0]/io" or die;
			my ($calls) = join("", <$io>) =~ /syscr: (\d+)/;
			open my $stat, "<", "/proc/$ARGV[0]/stat" or die;
			my @words = split " ", (<$stat> =~ s/.*\) //r);
			return ($calls, $words[11] + $words[12]);
		}
		my ($calls, $ticks) = look();
		sleep 1;
		my ($calls2, $ticks2) = look();
		printf "%.3f", ($ticks2 - $ticks) / ($calls2 - $calls) * 1e6' "$load_pid"
}

"$LKST" start --quiet --budget none --event 'syscall:*' || fail compare_start 'lkst start failed'
maskset=$(active)
recorded=$(ticks_per_call)
if ! "$LKST" status --json --compare 8s >"$work/status" 2>"$work/err"; then
	if grep -q 'did enough' "$work/err" && ! grep -q '^syscr' "/proc/$load_pid/io" 2>/dev/null; then
		skip_all 'compare: this kernel does not count calls that read and write'
	fi
	fail compare_runs "$(cat "$work/err")"
fi
recorded_again=$(ticks_per_call)
expect compare_has_the_maskset_active_again "$(active)" "$maskset"

# The newest switches are still in memory: to RNOTHING and back by turns.
"$LKST" snapshot --quiet --output "$work/trace" || fail compare_snapshot 'lkst snapshot failed'
switches=$("$LKST" print --event maskset_switch "$work/trace" | sed -n 's/.*from=\([0-9]*\) to=\([0-9]*\).*/\1-\2/p' | tail -n 2 | tr '\n' ' ')
expect compare_switches_by_turns "$switches" "$maskset-0 0-$maskset "

# Without recording, by the load's own counts.
"$LKST" maskset set RNOTHING >"$work/out" || fail compare_rnothing "$(cat "$work/out")"
unrecorded=$(ticks_per_call)
expect_refusal compare_needs_another_maskset 'RNOTHING' status --compare 4s
"$LKST" maskset set "$maskset" >"$work/out" || fail compare_set "$(cat "$work/out")"

# Both are ratios of CPU times, which other work on the machine changes little; but where it does, it does so in one of them.
if perl -MJSON::XS -e '
	my ($on, $on2, $off, $text) = @ARGV;
	my ($reader) = grep { $_->{program} eq "reader" } @{decode_json($text)->{compared}} or die "not compared\n";
	my $said = $reader->{slowdown};
	my @is = sort { $a <=> $b } map { $_ / $off } $on, $on2;
	printf "said %.2f, the load itself %.2f and %.2f\n", 1 + $said, @is;
	exit !($said > 0.02 && 1 + $said > $is[0] / 1.5 && 1 + $said < $is[1] * 1.5)' \
	"$recorded" "$recorded_again" "$unrecorded" "$(cat "$work/status")" >"$work/said" 2>&1; then
	ok compare_says_what_the_load_shows
else
	fail compare_says_what_the_load_shows "$(cat "$work/said")"
fi

expect compare_describes_its_fields \
	"$(perl -MJSON::XS -e 'print join " ", sort keys %{decode_json(join "", <STDIN>)->{compared}[0]}' <"$work/status")" \
	"$(sed -n 's/^\.It Va compared\[\]\.//p' "$lib/../../../doc/man/lkst-status.1" | sort | tr '\n' ' ' | sed 's/ $//')"

# Killed while nothing is recorded: another process switches back.
"$LKST" status --compare 100s >"$work/out" 2>&1 &
compare_pid=$!
children+=($compare_pid)
wait_until 60 is_active 0 || fail compare_begins "maskset $(active) is active"
kill -KILL $compare_pid
if wait_until 60 is_active "$maskset"; then
	ok compare_that_is_killed_switches_back
else
	fail compare_that_is_killed_switches_back "maskset $(active) is active"
fi
expect_refusal compare_is_not_for_collectors '--prometheus' status --prometheus --compare 4s
exit $failed
