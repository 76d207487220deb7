# SPDX-License-Identifier: GPL-2.0-only
#
# What the live tests' checks share: reading what `lkst print --format json` prints, and the ledger.
package Trace;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(ok fail result each_line each_record records skipped parse_json MARK);

# First argument of the prctl() by which a workload marks a place in the trace: "LKST".
use constant MARK => 0x4c4b5354;

my $has_failed = 0;

sub ok { print "ok $_[0]\n" }

sub fail {
	my ($name, $why) = @_;
	$why =~ s/\n/; /g;
	print "FAIL $name: $why\n";
	$has_failed = 1;
}

# Prints the result of test $name: it failed if there is a reason.
sub result {
	my ($name, @reasons) = @_;
	return ok($name) unless @reasons;
	my $more = @reasons - 5;
	splice @reasons, 5;
	push @reasons, "and $more more" if $more > 0;
	fail($name, join('; ', @reasons));
}

END { $? = 1 if $has_failed && !$? }

my %escape = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f", '/' => '/', '"' => '"', '\\' => '\\');

sub unescape {
	my ($text) = @_;
	return $text unless $text =~ /\\/;
	$text =~ s/\\(?:u([0-9a-fA-F]{4})|(.))/defined $1 ? chr(hex $1) : $escape{$2}/ge;
	return $text;
}

# Parses the value at pos($$text). Numbers stay as they are written, so that 64 bits survive.
sub parse_value {
	my ($text) = @_;
	if ($$text =~ /\G"((?:[^"\\]|\\.)*)"/gc) { return unescape($1) }
	if ($$text =~ /\G(-?\d[\d.eE+-]*|true|false|null)/gc) { return $1 }
	if ($$text =~ /\G\[/gc) {
		my @list;
		until ($$text =~ /\G\s*\]/gc) {
			push @list, parse_value($text);
			$$text =~ /\G\s*,\s*/gc;
		}
		return \@list;
	}
	if ($$text =~ /\G\{/gc) {
		my (%object, @names);
		until ($$text =~ /\G\s*\}/gc) {
			$$text =~ /\G\s*"((?:[^"\\]|\\.)*)"\s*:\s*/gc or die "no JSON: $$text";
			push @names, $1;
			$object{$names[-1]} = parse_value($text);
			$$text =~ /\G\s*,\s*/gc;
		}
		$object{''} = \@names; # the members' names in order
		return \%object;
	}
	die "no JSON at " . (pos($$text) // 0) . ": $$text";
}

sub parse_json {
	my ($text) = @_;
	pos($text) = 0;
	return parse_value(\$text);
}

# Calls $each with every line that `lkst print` has of $trace with these options: records, and what is missing.
sub each_line {
	my ($each, $trace, @options) = @_;
	open(my $in, '-|', $ENV{LKST}, 'print', '--format', 'json', @options, $trace)
		or die "cannot run $ENV{LKST}: $!";
	while (my $line = <$in>) {
		$each->(parse_json($line));
	}
	close($in) or die "lkst print ended with status $?";
}

# The same, with every record that they select.
sub each_record {
	my ($each, @what) = @_;
	each_line(sub { $each->($_[0]) if defined $_[0]{event} }, @what);
}

sub records {
	my @all;
	each_record(sub { push @all, $_[0] }, @_);
	return @all;
}

# How often the kernel skipped each program of the recording, by name, as the ledger has it.
sub skipped {
	my ($trace) = @_;
	my %count;
	open(my $in, '-|', $ENV{LKST}, 'check', $trace) or die "cannot run $ENV{LKST}: $!";
	while (<$in>) {
		$count{$1} += $2 if /^ledger: (\S+) was skipped (\d+) times/;
	}
	close($in);
	return %count;
}

1;
