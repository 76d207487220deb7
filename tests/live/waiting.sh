#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Incidents whose cause is known by construction (load/incidents.c): the first that `lkst why TRACE` says of those who
# suffer names the cause and no other, and no more time than they have measured themselves.

. "$(dirname "$0")/lib/live.sh"

# incident NAME: its trace is $work/NAME, what it has measured $work/NAME.truth, the rows $work/NAME.json
incident()
{
	"$LKST" record --quiet --output "$work/$1" -- "$load/incidents" "$1" >"$work/$1.truth" 2>"$work/$1.log" &&
		"$LKST" why --format json "$work/$1" >"$work/$1.json" 2>>"$work/$1.log" && return
	fail "waiting_$1" "$(tail -n 3 "$work/$1.log")"
	return 1
}

# judge NAME COMM TEXT: the first row about COMM has TEXT, a regular expression, and agrees with what was measured.
judge()
{
	perl -MJSON::PP - "$@" "$work/$1.json" "$work/$1.truth" <<'END'
use strict;
my ($name, $comm, $text, $json, $truth) = @ARGV;
sub slurp { open(my $in, '<', $_[0]) or die "$_[0]: $!"; local $/; return <$in>; }
my $rows = decode_json(slurp($json))->{waiting}{rows};
# Others want the CPUs as well, and so may the one who suffers.
my ($row) = grep { $_->{comm} eq $comm && $_->{kind} ne 'cpu' } @$rows;
my ($lost, $times, $longest) = slurp($truth) =~ /^lost (\d+) times (\d+) longest (\d+)/m;
my @bad;

# Others' processes on the same machine may have rows as well.
if (!$row) {
	push @bad, "no row is about $comm, but: " . join('; ', map { $_->{text} } @$rows);
} elsif ($row->{text} !~ /$text/) {
	push @bad, "\"$row->{text}\" does not match /$text/";
} elsif ($row->{kind} eq 'failed') {
	push @bad, "$row->{count} failures, not $times" if $row->{count} != $times;
} else {
	# What they have measured has the time until they ran again, too.
	push @bad, "$row->{total_ns} ns, more than the $lost that were measured" if $row->{total_ns} > $lost;
	push @bad, "$row->{longest_ns} ns is longer than the $longest of the longest" if $row->{longest_ns} > $longest;
	push @bad, "$row->{total_ns} ns, less than a third of the $lost that were measured" if $row->{total_ns} < $lost / 3;
}
print @bad ? "FAIL waiting_$name: @bad\n" : "ok waiting_$name\n";
END
}

incident convoy && report waiting_convoy judge convoy in-worker 'a lock in futex\(\).*: in-keeper slept in clock_nanosleep\(\)'
incident server && report waiting_server judge server in-quick \
	'an answer in read\(\).*in-server slept in clock_nanosleep\(\).*, before it woke in-slow'
incident window && report waiting_window judge window in-sender \
	'waited to send in write\(\).*in-reader slept in clock_nanosleep\(\)'
incident stopped && report waiting_stopped judge stopped in-asker \
	'an answer in read\(\).*in-peer was stopped by a signal.*in-stopper let it go on in kill\(\)'
incident refused && report waiting_refused judge refused in-client \
	"connect\\(\\) failed [0-9]+ of [0-9]+ times: ECONNREFUSED .*127\\.0\\.0\\.1:$(sed -n 's/^port //p' "$work/refused.truth")"

# Who waits for work suffers nothing but from others that have the CPUs.
if incident well; then
	said=$(perl -MJSON::PP -e 'for (@{decode_json(join "", <>)->{waiting}{rows}}) {
		print "$_->{text}; " if $_->{comm} =~ /^in-/ && $_->{kind} ne "cpu" && $_->{text} !~ /had no CPU for/ }' "$work/well.json")
	if [ -z "$said" ]; then
		ok waiting_well
	else
		fail waiting_well "$said"
	fi
fi

# A row's example is explained.
if [ -d "$work/convoy" ]; then
	number=$(perl -MJSON::PP -e 'my $rows = decode_json(join "", <>)->{waiting}{rows};
		print((map { $_->{number} } grep { $_->{comm} eq "in-worker" && $_->{kind} eq "lock" } @$rows)[0] // 0)' "$work/convoy.json")
	said=$("$LKST" why --brief "#$number" "$work/convoy" 2>&1)
	if [[ $said == */in-worker,* && $said == *'blocked in futex() on the lock at'* ]]; then
		ok waiting_explains_an_example
	else
		fail waiting_explains_an_example "$said"
	fi
fi

# Who is asked for alone is told the same of.
if [ -d "$work/convoy" ]; then
	said=$("$LKST" why --comm in-worker --format json "$work/convoy" | perl -MJSON::PP -e '
		my ($part, $whole) = map { open(my $in, "<", $_) or die; local $/; decode_json(<$in>)->{waiting}{rows} } "/dev/stdin", @ARGV;
		# Whoever else is kept from the CPUs is in the same row.
		my %of = map { $_->{text} => 1 } grep { $_->{comm} eq "in-worker" && $_->{kind} ne "cpu" } @$whole;
		print "of others: $_->{comm}; " for grep { $_->{comm} ne "in-worker" } @$part;
		delete $of{$_->{text}} for @$part;
		print "missing: $_; " for keys %of;
		print "no rows" if !@$part' "$work/convoy.json" 2>&1)
	if [ -z "$said" ]; then
		ok waiting_is_told_of_those_that_are_asked_for
	else
		fail waiting_is_told_of_those_that_are_asked_for "$said"
	fi
fi

exit $failed
