#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The page faults recorded for a thread between two marks are as many as the kernel counts for it,
# ru_minflt + ru_majflt of getrusage(2), and as many as the workload must cause; faults that the kernel
# takes on the thread's behalf are page_fault_kernel.
#
# None is spurious here: one thread, and pages that nobody else touches.

. "$(dirname "$0")/lib/live.sh"

# compare TRACE EXPECTATIONS
compare()
{
	perl -MTrace - "$@" <<'END'
use strict;
my ($trace, $expected) = @ARGV;
my (@kinds, %now, %user, %kernel, %addresses);
open(my $in, '<', $expected) or die "$expected: $!";
while (<$in>) {
	my %kind;
	@kind{qw(name tid mark minor major made address)} = split;
	push @kinds, \%kind;
}
each_record(sub {
	my ($r) = @_;
	my $f = $r->{fields};
	if ($r->{event} =~ /^page_fault_(user|kernel)$/) {
		my $number = $now{$r->{tid}} or return;
		($1 eq 'user' ? \%user : \%kernel)->{$number}++;
		push @{$addresses{$number}}, $f->{address};
	} elsif ($f->{option} == MARK) {
		$now{$r->{tid}} = $f->{arg2} == 1 ? $f->{arg3} : 0;
	}
}, $trace, '--event', 'page_fault_*', '--event', 'syscall_entry_prctl');
my $nr_major = 0;
# Each page is touched once in it.
my ($pages) = map { $_->{made} } grep { $_->{name} eq 'written' } @kinds;
for my $k (grep { $_->{mark} } @kinds) {
	my @bad;
	my ($user, $kernel) = ($user{$k->{mark}} // 0, $kernel{$k->{mark}} // 0);
	my $counted = $k->{minor} + $k->{major};
	print "$k->{name}: recorded $user and $kernel, counted $k->{minor} + $k->{major}\n";
	$nr_major += $k->{major};
	push @bad, "recorded $user of user space and $kernel of the kernel, the kernel counted $counted"
		if $user + $kernel != $counted;
	push @bad, "the kernel counted $counted, there should be $k->{made}"
		if $k->{made} >= 0 && $counted != $k->{made};
	push @bad, "$kernel of $counted were the kernel's"
		if $kernel != ($k->{name} eq 'kernel' ? $counted : 0);
	if ($k->{made} >= 0) {
		# In order, page by page; and once more where each has two faults.
		my @addresses = @{$addresses{$k->{mark}} // []};
		my $nr = $k->{made} > $pages ? $k->{made} / 2 : $k->{made};
		for my $i (0 .. $#addresses) {
			my $page = $k->{address} + $i % $nr * 4096;
			next if ($addresses[$i] & ~4095) == $page;
			push @bad, "fault $i is at $addresses[$i], not in page $page";
			last;
		}
	}
	result("faults_$k->{name}", @bad);
}
result('faults_kinds', @kinds == 6 ? () : 'the workload did not end');
if ($nr_major) {
	ok('faults_major');
} else {
	print "skip faults_major: no fault had to wait for the disk\n";
}
my %skipped = skipped($trace);
result('faults_none_skipped', map { "$_ was skipped $skipped{$_} times" }
	grep { /page_fault/ } keys %skipped);
END
}

if ! record trace --event 'page_fault_*' --event syscall:prctl --event 'sched:*' -- \
	"$load/faults" "$work/file" >"$work/expected"; then
	fail faults_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
expect_whole faults_trace_is_whole "$work/trace"
report faults compare "$work/trace" "$work/expected"
exit $failed
