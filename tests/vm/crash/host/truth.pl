# SPDX-License-Identifier: GPL-2.0-only
#
# truth.pl TRACE CONSOLE RESULTS WHO: holds a trace that was extracted against what must be true of it, and against
# the monotonic time of the panic, as far as the console tells: printk's clock runs as fast as ours, and marks that
# the guest wrote show how far they are apart. A mark is recorded when the console gets it, which may be some ms later
# where the machine is busy, so the least of the distances counts. WHO: what the thread that panics is called; "reset": there was no
# panic, and blocks may be missing. Where some are, nothing is known for a while.
use strict;
use warnings;
my ($trace, $console, $results, $who) = @ARGV;
my (@bad, %on, %in_call, %name, %seen, %has_begun);
my ($last_ns, %last_on, %last_before, $blind_until, %blind_on);
my ($switches, $calls, $nr_cpus) = (0, 0, 0);
my (%mark_printk, $panic_printk, $panic, $at, $apart);

open(my $c, '<', $console) or die;
while (<$c>) {
	$mark_printk{$2} = $1 * 1e9 if /^\[ *(\d+\.\d+)\] lkst mark (\w+)/;
	$panic_printk = $1 * 1e9 if /^\[ *(\d+\.\d+)\] Kernel panic - not syncing/;
}
open(my $r, '<', $results) or die;
my $lateborn;
while (<$r>) { $lateborn = $1 if /^lateborn (\d+)/ }

sub miss {
	my ($gap) = @_;
	my $to = $gap->{to_ns};
	delete $on{$gap->{cpu}};
	%in_call = ();
	$blind_until = $to if !defined $blind_until || $to > $blind_until;
	$blind_on{$gap->{cpu}} = $to if $to > ($blind_on{$gap->{cpu}} // 0);
}

# Between two switches of a processor one thread runs on it.
sub check_thread {
	my ($r) = @_;
	my ($cpu, $tid, $is_switch) = ($r->{cpu}, $r->{tid}, $r->{event} eq 'sched_switch');
	# Where the end of a ring is missing, the others of its processor go on by themselves.
	return if $who eq 'reset' && $r->{event} !~ /^(?:sched_switch$|syscall_)/;
	if (defined $on{$cpu} && $on{$cpu} != $tid) {
		push @bad, ($is_switch ? 'a switch' : $r->{event}) .
			" at $r->{ns} on CPU $cpu is of $tid, but $on{$cpu} was switched in";
	}
	return if !$is_switch;
	$switches++;
	delete $on{$cpu};
	$on{$cpu} = $r->{fields}{next_tid} if $r->{ns} > ($blind_on{$cpu} // 0);
}

# A thread leaves the call that it entered.
sub check_call {
	my ($r) = @_;
	my ($e, $cpu, $tid) = ($r->{event}, $r->{cpu}, $r->{tid});
	# The rings reach back by different times: what was entered before the youngest begins may have been
	# left on its processor, and another call entered there.
	$has_begun{$cpu} = 1 if $e =~ /^(?:sched_switch$|syscall_)/;
	%in_call = () if keys %has_begun < $nr_cpus;
	%in_call = () if defined $blind_until && $r->{ns} <= $blind_until;
	if ($e =~ /^syscall_entry_(.*)/) {
		push @bad, "$tid enters $1 at $r->{ns} inside of $in_call{$tid}" if $in_call{$tid};
		$in_call{$tid} = $1;
	} elsif ($e =~ /^syscall_exit_(.*)/) {
		# A new thread leaves a call that it never entered. After rt_sigreturn the kernel knows of none.
		push @bad, "$tid leaves $1 at $r->{ns} inside of $in_call{$tid}"
			if $in_call{$tid} && $in_call{$tid} ne $1 && "$in_call{$tid} $1" ne 'rt_sigreturn unknown';
		$calls++ if $in_call{$tid};
		delete $in_call{$tid};
	} elsif ($e eq 'sched_process_exit') {
		delete $in_call{$tid};
	}
}

# How far the clocks are apart, by the marks of the last five seconds: in more time they may drift.
each_record(sub {
	my $f = $_[0]{fields};
	my ($mark) = join(' ', map { $f->{$_} } @{$f->{''}}) =~ /lkst mark (\w+)/;
	my $printk = defined $mark ? $mark_printk{$mark} : undef;
	return if !defined $printk || $panic_printk - $printk > 5e9;
	my $ns = $_[0]{ns} - $printk;
	$apart = $ns if !defined $apart || $ns < $apart;
}, $trace, '--event', 'printk_console') if defined $panic_printk;
$at = $panic_printk + $apart if defined $apart;

# The state is kept when recording begins and at each snapshot.
my %cpus;
each_record(sub { $cpus{$_[0]{fields}{state_cpu}} = 1 }, $trace, '--event', 'state_cpu');
$nr_cpus = keys %cpus;
each_line(sub {
	my ($r) = @_;
	return miss($r->{gap}) if $r->{gap};
	return if !defined $r->{event};
	my ($ns, $cpu) = ($r->{ns}, $r->{cpu});
	push @bad, "time goes back at $ns" if defined $last_ns && $ns < $last_ns;
	$last_ns = $last_on{$cpu} = $ns;
	$seen{all}++;
	$name{$r->{tid}} = $r->{comm} if ($r->{comm} // 'null') ne 'null';
	check_thread($r);
	check_call($r);
	$last_before{$cpu} = $ns if !defined $at || $ns <= $at;
	$panic = $r if $r->{event} eq 'panic' && !defined $panic;
}, $trace);

push @bad, "only $switches switches and $calls calls" if $who ne 'reset' && ($switches < 100 || $calls < 500);
if (!defined $panic_printk) {
	push @bad, 'a panic that was none' if defined $panic;
} elsif (!defined $panic) {
	push @bad, 'no panic event';
} elsif (!defined $at) {
	push @bad, 'the console does not tell when the panic was';
} else {
	my $here = $panic->{cpu};
	my $late = ($at - $last_on{$here}) / 1e6;
	printf "panic of CPU %d at %.6f s by the console; in ms from there: its last event before %+.3f, its panic event %+.3f, " .
		"its last one %+.3f; the last of %s\n", $here, $at / 1e9, ($last_before{$here} - $at) / 1e6,
		($panic->{ns} - $at) / 1e6, -$late,
		join(', ', map { sprintf 'CPU %d %+.3f', $_, ($last_on{$_} - $at) / 1e6 } grep { $_ != $here } sort keys %last_on);
	push @bad, "the newest event is $late ms before the panic" if $late > 1;
	push @bad, "panic event of thread $panic->{tid}, $panic->{comm}" if ($panic->{comm} // '') !~ /$who/;
}
# Where the record of its exec may be missing, it has the name that it was born with.
push @bad, "process $lateborn is called $name{$lateborn}"
	if defined $lateborn && exists $name{$lateborn} && $name{$lateborn} !~ ($who eq 'reset' ? qr/lateborn|^sh$/ : qr/lateborn/);
each_record(sub { $seen{$_[0]{event}}++ }, $trace, '--event', 'state_*');
# A ring of 1 MiB that is not full has overwritten nothing.
my $is_full = grep { -s $_ == 1 << 20 } glob "$trace/main.?";
for my $event (qw(state_thread state_clock state_cpu state_irq), $is_full ? 'state_overwritten' : ()) {
	push @bad, "no $event" if !$seen{$event} && $who ne 'reset';
}
print "$seen{all} records, $switches switches, $calls calls\n";
result("$ENV{SUBJECT}_$ENV{WHAT}_is_true", @bad);
