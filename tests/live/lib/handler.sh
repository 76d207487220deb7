#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests of handlers share; they source it after live.sh.

# The value of an expression on the JSON that `lkst handler show NAME` prints.
#   variable NAME VARIABLE
variable()
{
	"$LKST" handler show "$1" --json | perl -MJSON::XS -e 'my $h = decode_json(do { local $/; <STDIN> });
		print $_->{value} for grep { $_->{name} eq $ARGV[0] && !defined $_->{key} } @{$h->{variables}}' "$2"
}
