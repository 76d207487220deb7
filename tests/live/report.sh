#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# What lkst report adds up of a recording agrees with the recording's own counts and with the kernel's
# (/proc/stat): no time of a CPU is missing or reported twice, CPUs are as busy as the kernel says, a thread
# ran as long as it says itself.

. "$(dirname "$0")/lib/live.sh"

# What the CPUs have done since boot, in ticks of 10 ms: "BUSY ALL", what the host took left out.
ticks()
{
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $2 + $3 + $4 + $5 + $6 + $7 + $8 }' /proc/stat
}

# Keeps a CPU for half a second of its own time; prints its number and how long it had it.
spin()
{
	exec perl -e 'my ($user, $system) = (0, 0);
		($user, $system) = times while $user + $system < 0.5;
		print "$$ ", $user + $system, "\n"'
}
export -f spin ticks

judge()
{
	perl -MTrace -MJSON::XS -e '
use strict;
local $/;
my $r = decode_json(scalar <STDIN>);
my ($spinner, $had, $busy, $all) = @ARGV;
my %summary = map { $_->{what} => $_ } @{$r->{summary}{rows}};
my $window = $summary{recorded}{time_ns};
my (@bad, $sum_busy, $sum_known, $sum_switches, $sum_unknown);
for my $cpu (@{$r->{cpu}{rows}}) {
	my $known = $cpu->{threads_ns} + $cpu->{irq_ns} + $cpu->{softirq_ns} + $cpu->{idle_ns};
	$sum_switches += $cpu->{switches};
	$sum_unknown += $cpu->{unknown_ns};
	$sum_busy += $known - $cpu->{idle_ns};
	$sum_known += $known;
	push @bad, "CPU $cpu->{cpu}: $known ns known and $cpu->{unknown_ns} unknown of $window"
		if abs($known + $cpu->{unknown_ns} - $window) > 1000;
}
push @bad, "there are no CPUs" unless $sum_known;
result("report_leaves_no_time_out", @bad);

my $counted = $summary{switches}{count};
result("report_counts_switches", $counted == $sum_switches && $counted > 10 ? () :
	"$counted in all, $sum_switches by CPU");

# The recorder runs a little longer than the load, on both sides.
my $ours = 100 * $sum_busy / ($sum_known || 1);
my $kernel = 100 * $busy / ($all || 1);
print sprintf("busy: %.1f %%, the kernel says %.1f %%\n", $ours, $kernel);
result("report_agrees_with_the_kernel_how_busy_it_was", abs($ours - $kernel) <= 6 ? () :
	sprintf("%.1f %% busy, the kernel says %.1f %%", $ours, $kernel));

my ($thread) = grep { $_->{tid} == $spinner } @{$r->{thread}{rows}};
my $ran = ($thread // {})->{running_ns} / 1e9;
my $unknown = ($thread // {})->{unknown_ns} / 1e9;
print "thread $spinner ran $ran s, it says $had s\n";
# Its own account has ticks of 10 ms.
result("report_knows_how_long_a_thread_ran",
	$had >= 0.5 && abs($ran - $had) <= 0.03 * $had + 0.03 + $unknown ? () :
	"thread $spinner ran $ran s, it says $had s");
' "$@"
}

command='ticks >"$1/before"; (spin) >"$1/spinner"; ticks >"$1/after"'
# What the machine does just before the load and after it is in the trace and not in the kernel's account of the load, and a
# hypervisor takes CPUs away unseen: what one recording does not show, another may.
for try in 1 2 3 4 5; do
	rm -rf "$work/trace"
	if ! record trace --buffer 64M -- bash -c "$command" - "$work"; then
		fail report_recorded "$(tail -n 3 "$work/trace.log")"
		exit 1
	fi
	read -r spinner had <"$work/spinner"
	read -r busy all <"$work/before"
	read -r busy_after all_after <"$work/after"
	if ! "$LKST" report --format json "$work/trace" >"$work/json" 2>"$work/errors"; then
		fail report_reads_a_recording "$(tail -n 3 "$work/errors")"
		exit 1
	fi
	judge "${spinner:-0}" "${had:-0}" $((busy_after - busy)) $((all_after - all)) <"$work/json" >"$work/judged"
	grep -q '^FAIL' "$work/judged" || break
	cat "$work/judged" >&2
done
report report_adds_up cat "$work/judged"

text=$("$LKST" report --tid "${spinner:-0}" "$work/trace")
if grep -q $'^running .*\xe2\x96' <<<"$text" && ! grep -q '^What stands out' <<<"$text"; then
	ok report_draws_a_thread
else
	fail report_draws_a_thread "$(head -n 5 <<<"$text")"
fi

# A part of it.
part=$("$LKST" report --from +0.1s --to +0.3s --format json "$work/trace" |
	sed -n 's/.*"what":"recorded"[^}]*"time_ns":\([0-9]*\).*/\1/p')
if [ "${part:-0}" = 200000000 ]; then
	ok report_keeps_to_a_window
else
	fail report_keeps_to_a_window "the window has ${part:-no} ns, not 200000000"
fi
exit $failed
