#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# ticks.pl LKST TRACE: where the ticks in TRACE say that threads are agrees with the events of system calls and softirqs that
# were recorded beside them.
use strict;
use warnings;
use JSON::XS;
use Claims;

my ($lkst, $trace) = @ARGV;
my (%call, %softirq, %number, %nr);

for my $header (glob('/usr/include/*/asm/unistd_64.h')) {
	open my $lines, '<', $header or die "$header: $!";
	/^#define __NR_(\w+)\s+(\d+)/ and $number{$1} = $2 while <$lines>;
}

my @where = qw(unknown call none kernel user softirq);

open my $records, '-|', $lkst, 'print', '--format', 'json', $trace or die "$lkst: $!";
while (<$records>) {
	my $r = decode_json($_);
	my ($event, $tid, $cpu, $f) = ($r->{event} // next, $r->{tid}, $r->{cpu}, $r->{fields});

	if ($event =~ /^syscall_entry_(.*)/) {
		$call{$tid} = $1;
	} elsif ($event =~ /^syscall_exit_/) {
		$call{$tid} = '';
	} elsif ($event eq 'softirq_entry') {
		$softirq{$cpu} = 1;
	} elsif ($event eq 'softirq_exit' || $event eq 'sched_switch') {
		$softirq{$cpu} = 0;
	} elsif ($event eq 'tick') {
		my ($in, $said) = ($call{$tid}, $where[$f->{where}]);
		if ($softirq{$cpu}) {
			must('a_tick_in_a_softirq_says_so', $said eq 'softirq', $_);
		} elsif ($said eq 'user') {
			# Its last event was the end of a call; one that it never returns from it is not in.
			must('a_tick_in_the_program_is_in_no_call', !$in, "$in, $_") if defined $in;
		} elsif ($in && $said ne 'softirq' && $in !~ /sigreturn/ && defined $number{$in}) {
			must('a_tick_in_a_call_names_it', $said eq 'call' && $f->{call} == $number{$in}, "$in, $_");
		}
		must('what_is_no_call_has_no_number', $said eq 'call' || $said eq 'softirq' || $f->{call} == -1, $_);
		$nr{$said}++;
	}
}
close $records or die "lkst print failed\n";
must('there_are_ticks_of_each_kind', $nr{$_}, $_) for qw(call user softirq);
results();
