#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# core.pl LKST TRACE: what sched_switch and sched_waking say in TRACE of where threads are, and of what wakes them, agrees
# with the events of system calls, faults and interrupts that were recorded beside them.
use strict;
use warnings;
use JSON::XS;
use Claims;

my ($lkst, $trace) = @ARGV;
my (%call, %nest, %ended);

# Numbers of calls by name, as the C library's headers have them; of other machines than x86-64 they are elsewhere.
my %number;
for my $header (glob('/usr/include/*/asm/unistd_64.h')) {
	open my $lines, '<', $header or die "$header: $!";
	/^#define __NR_(\w+)\s+(\d+)/ and $number{"syscall_entry_$1"} = $2 while <$lines>;
}

# What interrupts, by event: entry and exit have one name.
my %kind = (irq_handler => 'interrupt', local_timer => 'interrupt', reschedule => 'interrupt', call_function => 'interrupt',
	call_function_single => 'interrupt', hrtimer_expire => 'interrupt', softirq => 'softirq', timer_expire => 'softirq',
	tasklet => 'softirq');
my @context = qw(unknown thread softirq interrupt);
my @where = qw(unknown call none kernel);

open my $records, '-|', $lkst, 'print', '--format', 'json', $trace or die "$lkst: $!";
while (<$records>) {
	my $r = decode_json($_);
	my ($event, $tid, $cpu, $f) = ($r->{event} // next, $r->{tid}, $r->{cpu}, $r->{fields});

	delete $ended{$cpu} if $event =~ /syscall_entry_/;
	if ($event =~ /^(?:compat_)?syscall_entry_/) {
		$call{$tid} = { name => $event, args => $f };
	} elsif ($event =~ /^(?:compat_)?syscall_exit_/) {
		$call{$tid} = { name => '' };
	} elsif ($event =~ /^(.*)_entry$/ && $kind{$1}) {
		push @{$nest{$cpu}}, $1;
	} elsif ($event =~ /^(.*)_exit$/ && $kind{$1}) {
		pop @{$nest{$cpu}} while @{$nest{$cpu} // []} && $nest{$cpu}[-1] ne $1;
		pop @{$nest{$cpu}};
		$ended{$cpu} = $1;
	} elsif ($event eq 'sched_switch') {
		$nest{$cpu} = [];
		delete $ended{$cpu};
		my $in = $call{$tid};
		next if !$in || !$f->{prev_state} || $f->{prev_state} & 0xfc;
		my $said = $where[$f->{prev_where}];
		if ($in->{name} eq '') {
			must('who_is_in_no_call_is_said_to_be_in_none', $said ne 'call' || $f->{prev_flags} & 1, $_);
		} else {
			must('who_waits_in_a_call_is_said_to_be_in_it', $said eq 'call' && !($f->{prev_flags} & 1), $_);
			must('calls_have_their_numbers', $number{$in->{name}} == $f->{prev_call}, "$in->{name}, $_")
				if defined $number{$in->{name}};
			if (defined $in->{args}{fd}) {
				must('arguments_are_those_of_the_call', ($f->{prev_args}[$in->{name} =~ /_mmap$/ ? 4 : 0] // -1) % 2**32 == $in->{args}{fd} % 2**32,
					"$in->{args}{fd}, $_");
			}
		}
	} elsif ($event eq 'sched_waking') {
		my $known = $kind{$nest{$cpu}[-1] // ''} // 'thread';
		# A timer of high resolution may be one of a softirq.
		$known = 'softirq' if ($nest{$cpu}[-1] // '') eq 'hrtimer_expire' && ($nest{$cpu}[-2] // '') eq 'softirq';
		my $said = $context[$f->{context}];
		# Interrupts of a hypervisor have no event. The last softirq has ended when its thread is woken for those to come.
		must('what_wakes_is_what_goes_on', $said eq $known || ($said eq 'interrupt' && $known ne 'interrupt') ||
			($said eq 'softirq' && ($ended{$cpu} // '') eq 'softirq'), "$known, $_");
		must('what_wakes_is_known', $said ne 'unknown', $_);
		must("what_wakes_is_a_$said", 1);
	}
}
close $records or die "lkst print failed\n";
results();
