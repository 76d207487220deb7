#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares a file that lkst export made for Perfetto with what lkst sql says of the same trace. The file is decoded by
# protoc; what its events mean is worked out here again, by the rules of Perfetto's trace processor
# (src/trace_processor/importers: ftrace_sched_event_tracker.cc, thread_state_tracker.cc, syscall_tracker.h,
# slice_tracker.cc). That stands in for the trace processor itself, which no registry of packages has that tests reach.
#
#	perl perfetto.pl LKST TRACE FILE SCHEMA

use strict;
use warnings;
use JSON::XS;
use Trace;

my ($lkst, $trace, $file, $schema) = @ARGV;
my ($directory, $schema_name) = $schema =~ m{^(.*)/([^/]*)$} or die "the schema's path has no directory\n";

# The process that stands for what is missing; the state of a thread of which nothing is known.
use constant { MISSING => 4 * 1024 * 1024 + 1, UNKNOWN => 0x8000, SIGRETURN => 15 };

# ---- the file ------------------------------------------------------------------------------------

my $protoc = "protoc -I '$directory' --decode=perfetto.protos.Trace '$schema_name' <'$file'";
open(my $decoded, '-|', $protoc) or die "protoc: $!\n";

# The rest of a message, after its first line: an array of values for each field.
sub message {
	my %m;
	while (defined(my $line = <$decoded>)) {
		if ($line =~ /^ *(\w+): (.*)$/) {
			push @{$m{$1}}, $2;
		} elsif ($line =~ /^ *(\w+) \{$/) {
			push @{$m{$1}}, message();
		} else {
			return \%m;
		}
	}
	die "the text of protoc ends within a message\n";
}

sub text { my ($t) = @_; return defined $t && $t =~ /^"(.*)"$/ ? $1 : $t }

my (@wrong, @events, @clocks, %tracks, %default_track, %slices, %process, %symbol);
my $nr_packets = 0;

# The kernel's events of a CPU, as [time, CPU, what, ...].
sub bundle {
	my ($b) = @_;
	my ($cpu, $compact) = ($b->{cpu}[0], ($b->{compact_sched} // [])->[0] // {});
	my $time = 0;

	for my $i (0 .. $#{$compact->{switch_timestamp} // []}) {
		$time += $compact->{switch_timestamp}[$i];
		push @events, [ $time, $cpu, 'switch', map { $compact->{"switch_$_"}[$i] } qw(prev_state next_pid) ];
	}
	$time = 0;
	for my $i (0 .. $#{$compact->{waking_timestamp} // []}) {
		$time += $compact->{waking_timestamp}[$i];
		push @events, [ $time, $cpu, 'waking', map { $compact->{"waking_$_"}[$i] } qw(pid common_flags) ];
	}
	for my $e (@{$b->{event} // []}) {
		my ($what) = grep { $_ ne 'timestamp' && $_ ne 'pid' } keys %$e;
		push @events, [ $e->{timestamp}[0], $cpu, $what, $e->{pid}[0], $e->{$what}[0] ];
	}
}

# Slices of a track, as [begin, end, name].
sub track_event {
	my ($packet, $t) = @_;
	my $sequence = $packet->{trusted_packet_sequence_id}[0];
	my $track = ($t->{track_uuid} // $default_track{$sequence})->[0];
	my ($type, $time) = ($t->{type}[0], $packet->{timestamp}[0]);

	push @wrong, "track $track is not declared" unless $tracks{$track};
	if ($type eq 'TYPE_SLICE_BEGIN') {
		push @{$slices{$track}}, [ $time, undef, text($t->{name}[0]) ];
	} elsif ($type eq 'TYPE_SLICE_END') {
		my ($open) = grep { !defined $_->[1] } reverse @{$slices{$track} // []};
		push @wrong, "a slice of track $track ends without a begin" unless $open;
		# One whose end was not recorded has no time.
		($open->[1], $open->[3]) = ($time, $t->{debug_annotations}) if $open;
	}
}

sub packet {
	my ($p) = @_;
	my $sequence = $p->{trusted_packet_sequence_id}[0];

	for my $t (@{$p->{track_descriptor} // []}) {
		$tracks{ $t->{uuid}[0] } = text($t->{name}[0]);
	}
	for my $d (@{$p->{trace_packet_defaults} // []}) {
		$default_track{$sequence} = $d->{track_event_defaults}[0]{track_uuid};
	}
	for my $s (map { @{$_->{kernel_symbols}} } @{$p->{interned_data} // []}) {
		$symbol{ $s->{iid}[0] } = text($s->{str}[0]);
	}
	for my $c (@{$p->{clock_snapshot} // []}) {
		push @clocks, { map { ($_->{clock_id}[0] => $_->{timestamp}[0]) } @{$c->{clocks}} };
	}
	for my $t (map { @{$_->{threads} // []} } @{$p->{process_tree} // []}) {
		$process{ $t->{tid}[0] } = $t->{tgid}[0];
	}
	bundle($_) for @{$p->{ftrace_events} // []};
	track_event($p, $_) for @{$p->{track_event} // []};
}

while (defined(my $line = <$decoded>)) {
	$line eq "packet {\n" or die "protoc: $line";
	my $p = message();
	$nr_packets++;
	push @wrong, map { "field $_ is not known" } grep { /^\d+$/ } keys %$p;
	packet($p);
}
close($decoded) or die "protoc failed\n";
result('perfetto_decodes', $nr_packets ? () : 'no packets', @wrong);
@wrong = ();

# ---- what it means -------------------------------------------------------------------------------

my $ahead = $clocks[0]{6} - $clocks[0]{3};	# CLOCK_BOOTTIME less CLOCK_MONOTONIC
my (%state, %spent, %since, %runs, %wakes, %open_call, %call_count, %call_ns, %open_irq, %irq_count, %irq_ns);
my ($nr_sigreturns, %causes) = (0);

# Thread $tid does something else from $time on.
sub set_state {
	my ($tid, $time, $new) = @_;
	my $s = $state{$tid};
	$spent{$tid}{ $s->[1] } += $time - $s->[0] if $s;
	$state{$tid} = [ $time, $new ] if $tid;
}

sub switch_to {
	my ($time, $cpu, $prev, $state, $next) = @_;
	my $word = $state & UNKNOWN ? 'unknown' : $state == 0 ? 'ready' : $state & 0x30 ? 'dead' : 'blocked';

	push @wrong, "CPU $cpu runs $runs{$cpu}, and leaves $prev" if defined $runs{$cpu} && $runs{$cpu} != $prev;
	push @wrong, "time of CPU $cpu goes back" if defined $since{$cpu} && $time < $since{$cpu};
	set_state($prev, $time, $word);
	set_state($next, $time, 'running');
	($runs{$cpu}, $since{$cpu}) = ($next, $time);
}

sub waking {
	my ($time, $cpu, $tid, $flags) = @_;

	return if $state{$tid} && $state{$tid}[1] =~ /running|ready/;
	set_state($tid, $time, 'ready');
	$wakes{ "$tid " . ($time - $ahead) } = [ $runs{$cpu}, $flags & 0x18 ? 1 : 0 ];
}

sub begin_call {
	my ($time, $tid, $call) = @_;

	# rt_sigreturn does not return: the trace processor takes it for a moment.
	if ($call->{id}[0] == SIGRETURN) {
		$nr_sigreturns++;
	} else {
		push @{$open_call{$tid}}, [ $time, $call->{id}[0] ];
	}
}

sub end_call {
	my ($time, $tid, $call) = @_;
	my $open = pop @{$open_call{$tid}};

	return push @wrong, "a call of $tid ends without a begin" unless $open;
	push @wrong, "$tid leaves call $call->{id}[0] in $open->[1]" if $open->[1] != $call->{id}[0];
	push @wrong, "$tid is in two calls" if @{$open_call{$tid}};
	return unless $call->{ret};
	$call_count{ $open->[1] }++;
	$call_ns{ $open->[1] } += $time - $open->[0];
}

sub end_irq {
	my ($time, $kind, $cpu, $end) = @_;
	my $open = pop @{$open_irq{"$kind $cpu"}};

	return push @wrong, "$kind of CPU $cpu ends without a begin" unless $open;
	my $key = $kind eq 'softirq' ? "softirq $open->[1]{vec}[0]" : 'irq ' . text($open->[1]{name}[0]);
	return if $kind eq 'irq_handler' && !$end->{ret};
	$irq_count{$key}++;
	$irq_ns{$key} += $time - $open->[0];
}

sub event {
	my ($time, $cpu, $what, $tid, $of) = @_;

	if ($what eq 'switch') {
		return push @wrong, "the first switch of CPU $cpu is compact" unless defined $runs{$cpu};
		switch_to($time, $cpu, $runs{$cpu}, $tid, $of);
	} elsif ($what eq 'sched_switch') {
		switch_to($time, $cpu, $of->{prev_pid}[0], $of->{prev_state}[0], $of->{next_pid}[0]);
	} elsif ($what eq 'waking') {
		waking($time, $cpu, $tid, $of);
	} elsif ($what eq 'sched_blocked_reason') {
		my ($cause) = split(/, in /, $symbol{ $of->{caller}[0] });
		push @wrong, "io_wait of $cause is $of->{io_wait}[0]" if $of->{io_wait}[0] != ($cause eq 'io');
		$causes{$cause}++;
	} elsif ($what eq 'task_newtask') {
		my $child = $of->{pid}[0];
		$state{$child} = [ $time, 'ready' ];
		$process{$child} = $of->{clone_flags}[0] & 0x10000 ? $process{$tid} : $child;
	} elsif ($what eq 'sys_enter') {
		begin_call($time, $tid, $of);
	} elsif ($what eq 'sys_exit') {
		end_call($time, $tid, $of);
	} elsif ($what =~ /^(irq_handler|softirq)_entry$/) {
		push @{$open_irq{"$1 $cpu"}}, [ $time, $of ];
	} elsif ($what =~ /^(irq_handler|softirq)_exit$/) {
		end_irq($time, $1, $cpu, $of);
	}
}

# Events of the same time stay in the order of the file, as in the trace processor.
event(@$_) for sort { $a->[0] <=> $b->[0] } @events;
result('perfetto_makes_sense', @wrong);

# ---- what lkst says --------------------------------------------------------------------------------

sub ask {
	open(my $out, '-|', $lkst, 'sql', '--format', 'json', $trace, $_[0]) or die "lkst: $!\n";
	local $/;
	my $text = <$out>;
	close($out) or die "lkst sql failed: $_[0]\n";
	my $answer = JSON::XS->new->utf8->decode($text);
	return ref $answer eq 'ARRAY' ? @$answer : @{(values %$answer)[0]{rows}};
}

# Column $column of rows, by their column "key".
sub by_key { my $column = shift; return { map { ($_->{key} => $_->{$column}) } @_ } }

sub differences {
	my ($of_lkst, $of_file, $what) = @_;
	my %keys = map { ($_ => 1) } keys %$of_lkst, keys %$of_file;
	my @keys = grep { ($of_lkst->{$_} // 0) != ($of_file->{$_} // 0) } sort keys %keys;
	return map { "$what of $_: " . ($of_file->{$_} // 'none') . ', not ' . ($of_lkst->{$_} // 'none') } @keys;
}

# Two results of the rows, their number and their time, compared with the file's.
sub same {
	my ($name, $count, $ns, @rows) = @_;
	result($name, differences(by_key('n', @rows), $count, 'number'), differences(by_key('ns', @rows), $ns, 'time'));
}

# What is still open ends with the trace.
my ($range) = ask('select max(to_ns) ns from states');
set_state($_, $range->{ns} + $ahead, 'over') for grep { $state{$_}[0] < $range->{ns} + $ahead } keys %state;
my @running = ask("select tid key, sum(duration_ns) ns from states where state = 'running' and tid > 0 group by tid");
my @ran = grep { $_ < MISSING && $spent{$_}{running} } keys %spent;
my %running = map { ($_ => $spent{$_}{running}) } @ran;
result('perfetto_threads_run_as_long', differences(by_key('ns', @running), \%running, 'running time'));

my ($sigreturns) = ask('select count(*) n from syscalls where nr = ' . SIGRETURN);
my @calls = ask('select nr key, count(*) n, sum(duration_ns) ns from syscalls where is_whole group by nr');
same('perfetto_has_the_calls', \%call_count, \%call_ns, grep { $_->{key} != SIGRETURN } @calls);
result('perfetto_has_the_sigreturns', $nr_sigreturns == $sigreturns->{n} ? () : "$nr_sigreturns, not $sigreturns->{n}");

my @irqs = ask("select case kind when 'softirq' then 'softirq ' || number else 'irq ' || name end key, count(*) n, "
	. "sum(duration_ns) ns from irqs where is_whole and kind in ('irq', 'vector', 'softirq') group by 1");
$_->{key} =~ s/^irq irq:(?:\d+:)?/irq / for @irqs;
same('perfetto_has_the_interrupts', \%irq_count, \%irq_ns, @irqs);

my (%disk_count, %disk_ns);
for my $uuid (grep { $tracks{$_} =~ /^disk / } keys %slices) {
	for my $s (grep { defined $_->[1] && !$_->[3] } @{$slices{$uuid}}) {
		my ($operation) = $s->[2] =~ /^(\w+)/;
		$disk_count{"$tracks{$uuid} $operation"}++;
		$disk_ns{"$tracks{$uuid} $operation"} += $s->[1] - $s->[0];
	}
}
same('perfetto_has_the_requests', \%disk_count, \%disk_ns, ask("select 'disk ' || disk || ' ' || operation key, "
	. 'count(*) n, sum(duration_ns) ns from block_requests group by 1'));

# Who woke whom, or that an interrupt did, whatever ran then.
my ($both, @wakers) = (0);
for my $w (ask('select time_ns, tid, waker_tid, waker_context from wakeups where waker_context is not null')) {
	my $of_file = $wakes{"$w->{tid} $w->{time_ns}"} or next;
	my $by_thread = $w->{waker_context} eq 'thread';
	my $said = $of_file->[1] ? 'an interrupt' : "thread $of_file->[0]";
	$both++;
	push @wakers, "thread $w->{tid} at $w->{time_ns}: $said, not $w->{waker_context} " . ($w->{waker_tid} // '')
		if $of_file->[1] == $by_thread || $by_thread && $of_file->[0] != $w->{waker_tid};
}
push @wakers, "only $both wake-ups are in both, of " . keys %wakes if $both < 0.9 * keys %wakes;
result('perfetto_has_the_wakers', @wakers);

my @causes = ask("select cause key, count(*) n from states where state = 'blocked' and cause <> 'unknown' group by 1");
result('perfetto_has_the_causes', differences(by_key('n', @causes), \%causes, 'number'));

my ($gaps) = ask('select count(*) n, coalesce(sum(duration_ns), 0) ns from gaps');
my @gaps = map { @{$slices{$_}} } grep { $tracks{$_} =~ /^CPU \d+, buffer/ } keys %slices;
my $gap_ns = 0;
$gap_ns += $_->[1] - $_->[0] for @gaps;
result('perfetto_has_the_gaps', @gaps == $gaps->{n} && $gap_ns == $gaps->{ns} ? ()
	: scalar(@gaps) . " of $gap_ns ns, not $gaps->{n} of $gaps->{ns} ns");

# Of a thread that was created after they were listed and before records begin, only its end says it.
my %pid_of = map { ($_->{tid} => $_->{pid}) } ask('select tid, max(pid) pid from threads where tid > 0 and pid > 0 '
	. 'and tid in (select thread_tid from state_thread union select child_tid from task_newtask) '
	. 'group by tid having count(*) = 1');
result('perfetto_has_the_processes', map { "$_ is of " . ($process{$_} // 'none') . ", not of $pid_of{$_}" }
	grep { $pid_of{$_} && ($process{$_} // 0) != $pid_of{$_} } @ran);

# The time of day, as the trace has it at some moments; of an event that comes before the first of them, as the trace's
# metadata has it for its begin.
my %days = map { ($_->{ns} => 1) } ask('select realtime_ns - monotonic_ns ns from state_clock');
open(my $metadata, '<', "$trace/metadata") or die "$trace/metadata: $!\n";
my ($offset) = join('', <$metadata>) =~ /^\toffset = (\d+);$/m or die "$trace/metadata has no offset\n";
$days{$offset} = 1;
my @days = map { $_->{1} - $_->{3} } @clocks;
result('perfetto_has_the_time_of_day', @days ? () : 'none',
	map { "$_, which is not in the trace" } grep { !$days{$_} } @days);
