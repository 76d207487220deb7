#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Asking `lkst status --json` of a recording; tests source this after live.sh.

# Prints what the Perl expression $1 gives: $s is the status, $limit what it says of the limit, $out{KIND} what is left
# out, $cost{KIND} what is recorded and what it costs.
status()
{
	"$LKST" status --json | perl -MJSON::XS -e '
		my $s = decode_json(do { local $/; <STDIN> });
		my $limit = $s->{limit} // {};
		my %out = map { $_->{kind} => $_ } @{$limit->{left_out} // []};
		my %cost = map { $_->{kind} => $_ } @{$s->{cost}{kinds}};
		print eval $ARGV[0];' "$1"
}

# is EXPRESSION: whether it is true of the status.
is()
{
	[ "$(status "($1) ? 1 : 0")" = 1 ]
}
