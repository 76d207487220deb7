#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests of handlers share; they source it behind live.sh.

expect()
{
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "it is \"$2\", not \"$3\""; fi
}

expect_refusal()
{
	local name=$1 why=$2 status

	shift 2
	"$LKST" "$@" >out 2>&1 </dev/null
	status=$?
	if [ $status = 1 ] && grep -qF -- "$why" out; then
		ok "$name"
	else
		fail "$name" "status $status: $(cat out)"
	fi
}

# The value of an expression on the JSON that `lkst handler show NAME` prints.
#   variable NAME VARIABLE
variable()
{
	"$LKST" handler show "$1" --json | perl -MJSON::PP -e 'my $h = decode_json(do { local $/; <STDIN> });
		print $_->{value} for grep { $_->{name} eq $ARGV[0] && !defined $_->{key} } @{$h->{variables}}' "$2"
}
