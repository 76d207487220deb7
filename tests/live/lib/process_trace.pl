#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The process trace of the original LKST's slides: the states of every process by their rules a) to d), from
# the CSV alone. It knows nothing of LKST's own model, with which it is compared.
#
#   process_trace.pl TRACE.CSV      prints "PID RUNNING READY BLOCK", ns, a line for each process
#
# It fails if a thread that leaves a CPU has no task_struct. A thread that is switched to or woken may be
# one that the machine does not list and does not let be recorded: "unknown TID". While one runs, a switch
# is missing: "missing NS" is for how long that may have been so in all.
use strict;
use warnings;

my (%state, %since, %pending, %sum, %unknown, %on, %at);
my ($bad, $missing) = (0, 0);

# The task_struct in the columns from $at on, as one number in text; undefined if it is empty.
sub task
{
	my ($columns, $at) = @_;
	my ($low, $high) = @$columns[$at, $at + 1];

	if ("$low$high" ne '' &&
		("$low$high" !~ /^(0x[0-9a-f]{8}){2}$/ || "$low$high" eq '0x000000000x00000000')) {
		print STDERR "line $.: no task_struct is \"$low\", \"$high\"\n";
		$bad = 1;
	}
	return "$low$high" eq '' ? undef : "$high$low";
}

# The task switches to another state. What it was until now belongs to the process that it turns out to be.
sub enter
{
	my ($task, $now, $to) = @_;

	$pending{$task}{$state{$task}} += $now - $since{$task} if defined $state{$task};
	$state{$task} = $to;
	$since{$task} = $now;
}

while (<>) {
	my @c = split /,/;
	my $now = $c[3] * 1e9 + $c[4];

	if ($c[0] eq '"context_switch"') {
		my ($prev, $next) = (task(\@c, 6), task(\@c, 9));

		if (!defined $prev) {
			print STDERR "line $.: a switch without task_struct: $_";
			$bad = 1;
			next;
		}
		$missing += $now - $at{$c[1]} if defined $at{$c[1]} && $on{$c[1]} ne $prev;
		($on{$c[1]}, $at{$c[1]}) = ($next // '', $now);

		# b) and c): the third argument is its state; only here is the process's number said.
		enter($prev, $now, hex $c[12] ? 'block' : 'ready');
		$sum{$c[2] + 0}{$_} += $pending{$prev}{$_} // 0 for qw(running ready block);
		delete $pending{$prev};
		# a)
		enter($next, $now, 'running') if defined $next;
		$unknown{hex $c[15]} = 1 if !defined $next;
	} elsif ($c[0] =~ /^"wakeup(_new)?"$/) {
		# d): out of the state block; a new process has none before. A thread that runs or is ready
		# stays so.
		my $task = task(\@c, 6);

		if (!defined $task) {
			$unknown{hex $c[9]} = 1;
			next;
		}
		if ($c[0] eq '"wakeup_new"') {
			delete $_->{$task} for \%state, \%pending; # a task_struct that is used again
		}
		enter($task, $now, 'ready') if ($state{$task} // 'block') eq 'block';
	}
}
print "$_ ", join(' ', map { $_ // 0 } @{$sum{$_}}{qw(running ready block)}), "\n" for sort { $a <=> $b } keys %sum;
print "unknown $_\n" for sort { $a <=> $b } keys %unknown;
print "missing $missing\n";
exit $bad;
