#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# babeltrace2 reads a trace that was recorded under load without a warning, and finds in it what `lkst
# print` finds: as many events of each kind, and of every event the time, CPU, thread and all fields.

. "$(dirname "$0")/lib/live.sh"

# compare TRACE
compare()
{
	perl -MTrace -MStrace -MBabeltrace - "$1" "$work/said" <<'END'
use strict;
no warnings 'portable';
my ($trace, $errors) = @ARGV;
my %width = argument_widths($trace);
my (%count, %left, %seen, @wrong_counts, @wrong_events, @wrong_order);
my ($nr, $nr_fields, $nr_stale, $last) = (0, 0, 0, 0);
my $between = "\x1f";

# A number in the bits of its field, since babeltrace2 shows hexadecimal ones without their sign.
sub plain {
	my ($event, $name, $value) = @_;
	return join(',', '[', map { /^0x/i ? u64($_) : plain($event, $name, $_) } @$value) if ref $value;
	# Nearly all are decimal and positive.
	return $value if $value =~ /^(?:0|[1-9]\d*)$/;
	my $bits = $width{"$event $name"} or return $value;
	return u64($value) & ($bits == 64 ? ~0 : (1 << $bits) - 1);
}

sub is_padding { $_[0] =~ /^pad(?:_?\d+)?$|__(?:at|length)$/ }

my $said = each_event(sub {
	my ($ns, $cpu, $tid, $event, @fields) = @_;
	my $text = "$ns $cpu $tid $event";
	push @wrong_order, "$text comes after $last ns" if $ns < $last;
	$last = $ns;
	while (my ($name, $value) = splice(@fields, 0, 2)) {
		next if is_padding($name);
		$seen{"$event $name=$value"} = 1 if $name =~ /_str$|name$|path$/;
		$text .= "$between$name=" . plain($event, $name, $value);
		$nr_fields++;
	}
	$left{$text}++;
	$count{$event}++;
	$nr++;
}, $trace, $errors);
each_record(sub {
	my ($r) = @_;
	my $text = "$r->{ns} $r->{cpu} $r->{tid} $r->{event}";
	for my $name (@{$r->{fields}{''}}) {
		next if is_padding($name);
		$text .= "$between$name=" . plain($r->{event}, $name, $r->{fields}{$name});
	}
	delete $left{$text} unless --$left{$text};
	$count{$r->{event}}--;
}, $trace, '--event', '*');

# babeltrace2 before 2.1 shows an empty string as what the same field held in an earlier event, although
# it knows that its length is 0 (https://github.com/efficios/babeltrace/pull/116, a comment).
sub is_stale {
	my ($got, $want) = @_;
	my @got = split(/$between/, $got, -1);
	my @want = split(/$between/, $want, -1);
	return 0 if @got != @want || $got[0] ne $want[0];
	my ($event) = $got[0] =~ / (\S+)$/;
	for my $i (1 .. $#got) {
		next if $got[$i] eq $want[$i];
		return 0 unless $got[$i] =~ /^\w+=$/ && $want[$i] =~ /^\Q$got[$i]\E/ &&
				$seen{"$event $want[$i]"};
	}
	return 1;
}

my %only;
for my $text (sort keys %left) {
	my ($head) = $text =~ /^([^$between]*)/;
	push @{$only{$head}[$left{$text} > 0]}, $text;
}
for my $head (sort keys %only) {
	my ($got, $want) = map { $_ // [] } @{$only{$head}};
	if (@$got == 1 && @$want == 1 && is_stale($got->[0], $want->[0])) {
		$nr_stale++;
		next;
	}
	push @wrong_events, map { tr/\x1f/ /; "only lkst has $_" } @$got;
	push @wrong_events, map { tr/\x1f/ /; "only babeltrace2 has $_" } @$want;
}
for my $event (sort keys %count) {
	push @wrong_counts, "$event: babeltrace2 has $count{$event} more" if $count{$event};
}
print "$nr_stale empty strings are shown by babeltrace2 as earlier ones\n" if $nr_stale;
print "$nr events of " . keys(%count) . " kinds with $nr_fields fields\n";
push @wrong_counts, "there are only $nr events of " . keys(%count) . ' kinds'
	if $nr < 20000 || keys(%count) < 100;
result('babeltrace_counts', @wrong_counts);
result('babeltrace_events', @wrong_events);
result('babeltrace_order', @wrong_order);
result('babeltrace_is_silent', $said eq '' ? () : "babeltrace2 says: $said");
END
}

if ! command -v babeltrace2 >/dev/null; then
	skip_all 'babeltrace: babeltrace2 is not installed'
fi
# A busy machine lets the load do little in that time: then it gets more.
for seconds in 0.02 0.1 0.5; do
	rm -rf "$work/trace"
	if ! record trace --event '*' --event 'writeback:writeback_dirty_*' -- "$load/storm" $seconds gentle; then
		fail babeltrace_recorded "$(tail -n 3 "$work/trace.log")"
		exit 1
	fi
	[ "$("$LKST" print "$work/trace" | wc -l)" -lt 25000 ] || break
done
expect_whole babeltrace_trace_is_whole "$work/trace"
report babeltrace compare "$work/trace"
exit $failed
