#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# spans.pl LKST TRACE TRUTH: what LKST says of the spans of tests/live/load/spans.c in TRACE agrees with what that has
# measured itself, TRUTH: its lines.
use strict;
use warnings;
use JSON::XS;
use Claims;

my ($lkst, $trace, $truth) = @ARGV;

# What the model calls running is more than CPU time where an interrupt, or the host of a guest, took the CPU.
use constant { MS => 1e6, SLACK => 3e6, SLACK_OF => 0.25 };

sub told {
	open my $out, '-|', $lkst, @_ or die "$lkst: $!";
	local $/;
	my $text = <$out>;
	close $out or die "lkst @_ failed\n";
	return $text;
}

my @names = qw(name id ending from outer inner cpu_outer cpu_inner slept untaken_outer untaken_inner tid taker);
open my $lines, '<', $truth or die "$truth: $!";
my %of;
while (<$lines>) {
	my %t;
	@t{@names} = split;
	$of{$t{name}} = \%t;
}

sub between {
	my ($test, $what, $low, $value, $high) = @_;
	must($test, $low <= $value && $value <= $high, "$what: $value is not from $low to $high");
}

# The first step of an explanation, which is the span.
sub explained {
	return decode_json(told('why', '--format', 'json', @_, $trace))->{steps}[0];
}

my %explained = map { $_ => explained('--span', $_) } keys %of;

# What the records do not tell of the threads that had a span, as where one of a switch is missing.
sub unknown_ns {
	my ($top) = @_;
	my $sum = 0;
	for my $had ($top, grep { $_->{kind} eq 'interval' } @{$top->{steps}}) {
		$sum += $had->{facts}{$_} // 0 for qw(unknown_ns absent_ns);
	}
	return $sum;
}

# ---- the table of sql, and the analysis ----

my $rows = decode_json(told('sql', '--format', 'json', $trace, 'select * from spans'));
my %row = map { $_->{name} => $_ } @$rows;
my $states = decode_json(told('analyze', 'span', '--format', 'json', $trace));
my %analysed = map { $_->{span} => $_ } @{$states->{span_states}{rows}};
for my $t (values %of) {
	my ($n, $r) = ($t->{name}, $row{$t->{name}});
	if (!$r) {
		must('sql_has_spans', 0, "there is no $n");
		next;
	}
	my ($running, $ready, $blocked) = map { $r->{"${_}_ns"} } qw(running ready blocked);
	must('sql_has_spans', $r->{ending} eq $t->{ending} && $r->{tid} == $t->{tid} && $r->{id} == $t->{id},
		"$n: $r->{ending}, begun by $r->{tid}, number $r->{id}");
	between('spans_last_as_long_as_the_program_says', $n, $t->{inner}, $r->{duration_ns}, $t->{outer});
	must('spans_are_where_the_program_says', $r->{from_ns} >= $t->{from} && $r->{to_ns} <= $t->{from} + $t->{outer},
		"$n: from $r->{from_ns} to $r->{to_ns}, not within $t->{outer} from $t->{from}");
	between('spans_run_as_long_as_the_program_says', $n, (1 - SLACK_OF) * $t->{cpu_inner} - SLACK, $running,
		(1 + SLACK_OF) * $t->{cpu_outer} + SLACK) if $t->{cpu_outer};
	must('spans_wait_as_long_as_the_program_slept', $blocked + $ready >= $t->{slept} - MS && $blocked >= $t->{slept} / 2,
		"$n: blocked $blocked, ready $ready, not $t->{slept}") if $t->{slept};
	between('nobody_had_spans_that_were_not_taken', $n, $t->{untaken_inner} - MS,
		$r->{duration_ns} - $running - $ready - $blocked, $t->{untaken_outer} + unknown_ns($explained{$n}) + MS);
	my $a = $analysed{$n};
	my $is_over = $t->{ending} eq 'ended' ? 1 : 0;
	must('analyses_have_the_same_spans', $a && $a->{count} == $is_over && $a->{dead} == !$is_over &&
		$a->{handovers} == ($t->{taker} ? 1 : 0) &&
		(!$is_over || $a->{total_ns} == $r->{duration_ns} && $a->{least_ns} == $r->{duration_ns}),
		"$n: " . encode_json($a // {}));
}
# The child of a fork has ended a span that is not its own.
must('ends_without_a_begin_are_said_to_be_left_out', ($states->{span_total}{left_out}{no_begin} // 0) == 1,
	encode_json($states->{span_total}{left_out}));
my $served = $row{serve} // {};
must('spans_have_their_request', ($served->{trace_id} // '') eq '4bf92f3577b34da6a3ce929d0e0e4736' &&
	($served->{parent_id} // '') eq '00f067aa0ba902b7', encode_json($served));
must('what_has_no_number_is_said_to_be_left_out', told('analyze', 'span', $trace) =~ /1 handover.*without a number/,
	'the analysis does not say it');

# ---- why ----

for my $t (values %of) {
	my ($n, $r, $top) = ($t->{name}, $row{$t->{name}}, $explained{$t->{name}});
	must('why_explains_the_same_span', $r && $top->{kind} eq 'span' && $top->{from_ns} == $r->{from_ns} &&
		$top->{to_ns} == $r->{to_ns} && $top->{thread}{tid} == $t->{tid} && $top->{facts}{span} eq $n,
		"$n: $top->{text}");
	if (!$t->{taker}) {
		my $sum = 0;
		$sum += $top->{facts}{"${_}_ns"} // 0 for qw(ran ready blocked absent unknown);
		must('why_explains_all_of_a_span', $sum == $top->{to_ns} - $top->{from_ns}, "$n: $sum");
		next;
	}
	my ($untaken, $more) = grep { $_->{kind} eq 'untaken' } @{$top->{steps}};
	must('why_says_who_handed_it_over', $untaken && !$more && $untaken->{facts}{given_by}{tid} == $t->{tid} &&
		$untaken->{facts}{taken_by}{tid} == $t->{taker}, "$n: " . ($untaken ? $untaken->{text} : 'nothing'));
	between('why_says_how_long_nobody_took_it', $n, $t->{untaken_inner}, $untaken->{to_ns} - $untaken->{from_ns},
		$t->{untaken_outer}) if $untaken;
	my @had = map { $_->{thread}{tid} } grep { $_->{kind} eq 'interval' } @{$top->{steps}};
	must('why_names_the_threads_that_had_it', "@had" eq "$t->{tid} $t->{taker}", "$n: @had");
}
# What a program sleeps it is in a system call: once, and not for longer than the sleep.
my ($call) = grep { $_->{kind} eq 'calls' && $_->{facts}{call} eq 'clock_nanosleep' } @{($explained{sleep} // {})->{steps} // []};
if ($call) {
	my $t = $of{sleep};
	must('calls_last_as_long_as_they_did', $call->{facts}{count} == 1 &&
		$call->{facts}{ns} == $call->{to_ns} - $call->{from_ns}, $call->{text});
	between('calls_last_as_long_as_they_did', 'clock_nanosleep', $t->{slept}, $call->{facts}{ns}, $t->{inner});
} else {
	must('calls_last_as_long_as_they_did', 0, 'the call is not there');
}
must('why_finds_a_request', explained('--trace', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')->{facts}{span} eq 'serve',
	'another span');
# The longest of all that ended is the one whose own time is the longest.
my ($longest) = sort { $row{$b}{duration_ns} <=> $row{$a}{duration_ns} } grep { $row{$_}{ending} eq 'ended' } keys %row;
must('why_takes_the_worst', explained('--span', '*', '--worst')->{facts}{span} eq $longest, "not $longest");

results();
