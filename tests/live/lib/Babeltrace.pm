# SPDX-License-Identifier: GPL-2.0-only
#
# Reading what babeltrace2 prints of a trace, event by event.
package Babeltrace;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(each_event);

no warnings 'portable';

my %escape = (a => "\a", b => "\b", f => "\f", n => "\n", r => "\r", t => "\t", v => "\x0b");

sub unescape {
	my ($text) = @_;
	return $text unless $text =~ /\\/;
	$text =~ s/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{3})|(.))/
		defined $1 ? chr(hex $1) : defined $2 ? chr(oct $2) : $escape{$3} \/\/ $3/gex;
	return $text;
}

# The value at pos($$text): a number as text, a string, or a list of values.
sub parse_value {
	my ($text) = @_;
	return $1 if $$text =~ /\G(-?(?:0x[0-9A-Fa-f]+|\d+))/gc;
	return unescape($1) if $$text =~ /\G"((?:[^"\\]|\\.)*)"/gcs;
	$$text =~ /\G\[\s*/gc or die 'no value at ' . (pos($$text) // 0) . ": $$text";
	my @list;
	until ($$text =~ /\G\s*\]/gc) {
		$$text =~ /\G,?\s*\[\d+\] = /gc or die "no list: $$text";
		push @list, parse_value($text);
	}
	return \@list;
}

# Calls $each with (ns, cpu, tid, event, fields as name and value in order) for every event of $trace.
# Returns what babeltrace2 said on its standard error.
sub each_event {
	my ($each, $trace, $errors) = @_;
	open(my $in, '-|', "exec babeltrace2 --clock-cycles --no-delta '$trace' 2>'$errors'")
		or die "cannot run babeltrace2: $!";
	while (my $line = <$in>) {
		chomp $line;
		$line =~ /^\[(\d+)\] (?:\S+ )?(\S+): \{ cpu_id = (\d+), tid = -?\d+ \}, \{ tid = (-?\d+) \}/gc
			or die "babeltrace2's line is not understood: $line";
		my ($ns, $event, $cpu, $tid, @fields) = ($1, $2, $3, $4);
		if ($line =~ /\G, \{ (?!\}$)/gc) {
			until ($line =~ /\G \}$/gc) {
				$line =~ /\G(?:, )?(\w+) = /gc
					or die "babeltrace2's line is not understood: $line";
				my $name = $1;
				push @fields, $name, parse_value(\$line);
			}
		}
		$ns =~ s/^0+(?=.)//;
		$each->($ns, $cpu, $tid, $event, @fields);
	}
	close($in) or die "babeltrace2 ended with status $?";
	open(my $said, '<', $errors) or die "$errors: $!";
	return join('', <$said>);
}

1;
