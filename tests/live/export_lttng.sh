#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Two projects that are not ours read a trace that was recorded under load and exported with LTTng's names: babeltrace2
# finds as many events of each kind as `lkst sql`; lttng-analyses, which knows LTTng's names only, finds the CPU times and
# system calls of threads that `lkst` finds. Trace Compass cannot be had here; what it needs is in tests/data/lttng.txt.

. "$(dirname "$0")/lib/live.sh"

# compare_counts TRACE EXPORT: events of the same number in both descriptions are the same ones.
compare_counts()
{
	perl -MTrace - "$1" "$2" "$work/said" <<'END'
use strict;
my ($trace, $export, $errors) = @ARGV;

# The names of events, by number.
sub names_of {
	my ($metadata) = @_;
	my (%name, $last);
	open(my $in, '<', $metadata) or die "$metadata: $!";
	while (<$in>) {
		$last = $1 if /^\tname = "(.*)";$/;
		$name{$1} = $last if /^\tid = (\d+);$/ && defined $last;
	}
	return %name;
}

my %ours = names_of("$trace/metadata");
my %theirs = names_of("$export/kernel/metadata");
my (%want, %got, @wrong, $nr);
open(my $sql, '-|', $ENV{LKST}, 'sql', '--format', 'csv', $trace, 'select event, count(*) from events group by event')
	or die "cannot run $ENV{LKST}: $!";
while (<$sql>) {
	$want{$1} = $2 if /^([^,]+),(\d+)\r?$/;
}
open(my $in, '-|', "exec babeltrace2 --no-delta '$export' 2>'$errors'") or die "cannot run babeltrace2: $!";
while (<$in>) {
	/^\[\S+\] (?:\S+ )?(\S+): \{ cpu_id = \d+ \}, \{ tid = -?\d+ \}, \{/ or die "babeltrace2's line is not understood: $_";
	$got{$1}++;
	$nr++;
}
close($in) or push @wrong, "babeltrace2 ended with status $?";
for my $id (sort { $a <=> $b } keys %ours) {
	my ($name, $count) = ($ours{$id}, $want{$ours{$id}} // 0);
	next if $name =~ /^state_/;
	my $found = delete $got{$theirs{$id} // ''} // 0;
	push @wrong, "$name: $count, but $found $theirs{$id}" if $found != $count;
}
push @wrong, "there are events $_" for grep { !/^lttng_statedump_/ } sort keys %got;
push @wrong, "there is no list of threads" unless $got{lttng_statedump_process_state};
push @wrong, "there are only $nr events" if $nr < 20000;
result('export_lttng_counts', @wrong);
my $said = do { local (@ARGV, $/) = $errors; <> } // '';
result('export_lttng_babeltrace_is_silent', $said eq '' ? () : "babeltrace2 says: $said");
END
}

# compare_times TRACE EXPORT: of threads that began and ended in the trace, since LTTng's tools begin with the first switch.
compare_times()
{
	perl -MTrace -MJSON::XS - "$1" "$2" <<'END'
use strict;
my ($trace, $export) = @ARGV;

sub results_of {
	my ($tool, $options) = @_;
	my $text = `$tool $options '$export' 2>/dev/null`;
	my $all = eval { decode_json($text) } or die "$tool has no results: $text";
	return @{$all->{results}};
}

sub rows_of {
	my ($query) = @_;
	open(my $in, '-|', $ENV{LKST}, 'sql', '--format', 'json', $trace, $query) or die "cannot run $ENV{LKST}: $!";
	local $/;
	my $rows = decode_json(<$in>);
	return @$rows;
}

my $whole = '(select tid from threads where start_ns is not null and end_ns is not null)';
my (%running, %call, @wrong);
my $nr = 0;
$running{$_->{tid}} = $_->{ns} for rows_of("select tid, sum(duration_ns) as ns from states where state = 'running' and tid in $whole group by tid");
$call{"$_->{tid} $_->{syscall}"} = $_ for rows_of("select tid, syscall, count(*) as nr, max(duration_ns) as longest
	from syscalls where is_whole and tid in $whole group by tid, syscall");

# A switch that is not recorded makes LTTng's tools take one thread for another until the next. The kernel may skip one
# (it counts them), and a machine may hide the switches of some threads, as sandboxes do: then a CPU's next switch is
# not away from the thread that the last one was to.
my %skipped = skipped($trace);
my $may_differ = grep { /sched_switch/ } keys %skipped;
my (%mistaken, %now);
for (rows_of('select cpu, tid, next_tid from sched_switch order by cpu, time_ns')) {
	my $is_known = !defined $now{$_->{cpu}} || $now{$_->{cpu}} == $_->{tid};
	$mistaken{$_->{tid}} = 1 unless $is_known;
	$now{$_->{cpu}} = $_->{next_tid};
}
delete $running{$_} for keys %mistaken;
delete $call{$_} for grep { /^(\d+) / && $mistaken{$1} } keys %call;

sub judge {
	my ($name, $least) = @_;
	@wrong = () if $may_differ && @wrong * 10 < $nr;
	if ($nr < $least && %mistaken && !@wrong) {
		print "skip $name: this machine hides switches; that leaves $nr to compare\n";
	} else {
		push @wrong, "only $nr were compared" if $nr < $least;
		result($name, @wrong);
	}
	($nr, @wrong) = (0);
}

for my $result (results_of('lttng-cputop-mi', '--limit 100000')) {
	next unless $result->{class} eq 'per-process';
	my $range = $result->{'time-range'};
	my $length = $range->{end}{value} - $range->{begin}{value};
	for my $row (@{$result->{data}}) {
		my $tid = $row->[0]{tid};
		my $got = $row->[3]{value} * $length;
		next unless defined $running{$tid};
		$nr++;
		# The share is a number of 53 bits.
		push @wrong, "thread $tid ran $running{$tid} ns, but $got" if abs($got - $running{$tid}) > 2;
	}
}
judge('export_lttng_cpu_times', 3);

for my $result (results_of('lttng-syscallstats-mi', '')) {
	next unless ref $result->{class};
	my ($tid) = $result->{class}{title} =~ /TID: (\d+)\)/ or next;
	for my $row (@{$result->{data}}) {
		my $ours = $call{"$tid $row->[0]{name}"} or next;
		$nr++;
		push @wrong, "thread $tid made $ours->{nr} $row->[0]{name}, but $row->[1]{value}" if $row->[1]{value} != $ours->{nr};
		push @wrong, "thread ${tid}'s longest $row->[0]{name} took $ours->{longest} ns, but $row->[4]{value}"
			if $row->[4]{value} != $ours->{longest};
	}
}
judge('export_lttng_system_calls', 10);
END
}

if ! command -v babeltrace2 >/dev/null; then
	skip_all 'export_lttng: babeltrace2 is not installed'
fi
# A busy machine lets the load do little in that time: then it gets more.
for seconds in 0.02 0.1 0.5; do
	rm -rf "$work/trace"
	if ! record trace -- "$load/storm" $seconds gentle; then
		fail export_lttng_recorded "$(tail -n 3 "$work/trace.log")"
		exit 1
	fi
	[ "$("$LKST" print "$work/trace" | wc -l)" -lt 25000 ] || break
done
records_no_more
if ! "$LKST" export --quiet --format lttng --output "$work/export" "$work/trace" 2>"$work/export.log"; then
	fail export_lttng "$(cat "$work/export.log")"
	exit 1
fi
report export_lttng_counts compare_counts "$work/trace" "$work/export"
if command -v lttng-cputop-mi >/dev/null; then
	report export_lttng_analyses compare_times "$work/trace" "$work/export"
else
	echo 'skip export_lttng_analyses: lttng-analyses is not installed'
fi
exit $failed
