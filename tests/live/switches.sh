#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The switches recorded for a thread are those that the kernel counts for it: voluntary_ctxt_switches and
# nonvoluntary_ctxt_switches of /proc/PID/task/TID/status, between two marks of the thread's own.

. "$(dirname "$0")/lib/live.sh"

# compare TRACE EXPECTATIONS
compare()
{
	perl -MTrace - "$@" <<'END'
use strict;
my ($trace, $expected) = @ARGV;
my (%want, %inside, %count, %by_state, @bad);
open(my $in, '<', $expected) or die "$expected: $!";
while (<$in>) {
	my ($tid, $first, $last, $voluntary, $nonvoluntary) = split;
	$want{$tid} = { first => $first, last => $last, sum => $voluntary + $nonvoluntary,
			voluntary => $voluntary, nonvoluntary => $nonvoluntary };
}
each_record(sub {
	my ($r) = @_;
	my $w = $want{$r->{tid}} or return;
	if ($r->{event} eq 'sched_switch') {
		return unless $inside{$r->{tid}};
		$count{$r->{tid}}++;
		# What leaves ready to run (state 0, TASK_RUNNING) was made to, or yielded.
		$by_state{$r->{tid}}++ if $r->{fields}{prev_state} == 0;
	} elsif ($r->{fields}{option} == MARK) {
		$inside{$r->{tid}} = 1 if $r->{fields}{arg3} == $w->{first};
		$inside{$r->{tid}} = 0 if $r->{fields}{arg3} == $w->{last};
		$w->{nr_marks}++ if $r->{fields}{arg3} == $w->{first} || $r->{fields}{arg3} == $w->{last};
	}
}, $trace, '--event', 'sched_switch', '--event', 'syscall_entry_prctl');
my ($voluntary, $nonvoluntary) = (0, 0);
for my $tid (sort { $a <=> $b } keys %want) {
	my $w = $want{$tid};
	$voluntary += $w->{voluntary};
	$nonvoluntary += $w->{nonvoluntary};
	push @bad, "thread $tid: " . ($w->{nr_marks} // 0) . " of its 2 marks are in the trace"
		if ($w->{nr_marks} // 0) != 2;
	push @bad, "thread $tid: " . ($count{$tid} // 0) . " switches recorded, the kernel counted "
		. "$w->{voluntary} + $w->{nonvoluntary}" if ($count{$tid} // 0) != $w->{sum};
	push @bad, "thread $tid: " . ($by_state{$tid} // 0) . " switches recorded as not blocking, the "
		. "kernel counted $w->{nonvoluntary}" if ($by_state{$tid} // 0) != $w->{nonvoluntary};
}
# The workload must have done what it is for.
push @bad, "the workload switched $voluntary and $nonvoluntary times: too few to tell"
	if $voluntary < 1000 || $nonvoluntary < 100;
my %skipped = skipped($trace);
push @bad, "sched_switch was skipped $skipped{tp_btf__sched_switch} times, which cannot be"
	if $skipped{tp_btf__sched_switch};
print "$voluntary voluntary and $nonvoluntary other switches of " . keys(%want) . " threads\n";
result('switches_equal_kernel_counts', @bad);
END
}

if ! record trace -- "$load/switches" >"$work/expected"; then
	fail switches_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
expect_whole switches_trace_is_whole "$work/trace"
report switches_equal_kernel_counts compare "$work/trace" "$work/expected"
exit $failed
