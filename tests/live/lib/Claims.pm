# SPDX-License-Identifier: GPL-2.0-only
#
# Claims that are made many times, and told once each, as a result.
package Claims;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(must results);

my (%nr, %bad);

# must TEST, HOLDS, WHAT: the test holds if all of its claims do; else it says what of the first that do not.
sub must {
	my ($test, $holds, $what) = @_;
	$nr{$test}++;
	push @{$bad{$test}}, $what unless $holds;
}

# Prints the result of each test of which there was a claim.
sub results {
	for my $test (sort keys %nr) {
		my @bad = @{$bad{$test} // []};
		my $nr = @bad;
		print $nr ? "FAIL $test: $nr of $nr{$test}: " . join('; ', splice @bad, 0, 3) . "\n" : "ok $test\n";
	}
}

1;
