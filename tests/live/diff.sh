#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Two recordings of a program that sleeps for 1 ms, and for 15 ms: lkst diff finds that, and agrees with lkst analyze
# about what was in each; and what it prints is JSON and CSV to other programs.

. "$(dirname "$0")/lib/live.sh"

export sleeps='use Time::HiRes "usleep"; usleep($ARGV[0]) for 1 .. 80'
for us in 1000 15000; do
	if ! record $us --buffer 16M -- nice -n -20 perl -e "$sleeps" $us; then
		fail diff_recorded "$(tail -n 3 "$work/$us.log")"
		exit 1
	fi
done
records_no_more

# What each sleep is: perl chooses among the calls that sleep.
call=$("$LKST" analyze syscall --comm perl --format csv --key '*nanosleep' "$work/1000" 2>/dev/null |
	tr -d '\r' | grep -m 1 -o '^[a-z_]*nanosleep')
if [ -z "$call" ]; then
	fail diff_load 'no call of perl sleeps'
	exit 1
fi
diff_of()
{
	"$LKST" diff --comm perl "$@" 2>"$work/notes"
}

diff_of --fail-if "p50 of syscall:$call +50%" --format json "$work/1000" "$work/15000" >"$work/json"
status=$?
if [ $status = 1 ]; then
	ok diff_fails_where_the_sleep_is_longer
else
	fail diff_fails_where_the_sleep_is_longer "status $status: $(head -c 300 "$work/json"; cat "$work/notes")"
fi
diff_of --fail-if "p50 of syscall:$call +50%" --fail-if "mean of syscall:$call -50%" \
	"$work/1000" "$work/1000" >"$work/same"
status=$?
if [ $status = 0 ] && grep -q '^Note: 0 of [1-9][0-9]* rows differ significantly' "$work/same"; then
	ok diff_finds_nothing_in_the_same
else
	fail diff_finds_nothing_in_the_same "status $status: $(tail -n 5 "$work/same")"
fi

# The row, and its neighbours, as JSON::XS reads them; p50 and counts are those of lkst analyze.
for us in 1000 15000; do
	"$LKST" analyze syscall --comm perl --format json "$work/$us" >"$work/$us.json" 2>/dev/null
done
bad=$(call=$call perl -MJSON::XS -e '
	sub read_json { local $/; open my $f, "<", shift or die; decode_json(<$f>) }
	my ($json, @of) = map { read_json($_) } @ARGV;
	my ($row) = grep { $_->{key} eq "syscall:$ENV{call}" } @{$json->{rows}};
	die "no row of $ENV{call}\n" if !$row;
	die "not significant: $row->{p_length}\n" if !$row->{significant};
	die "it is not slower: $row->{p50_a_ns}, $row->{p50_b_ns}\n" if $row->{p50_b_ns} < 1.5 * $row->{p50_a_ns};
	for my $i (0, 1) {
		my $side = ("a", "b")[$i];
		my ($known) = grep { $_->{key} eq $ENV{call} } @{$of[$i]{syscall}{rows}};
		my $count = $row->{"count_$side"} * $json->{$side}{divided_by};
		die "$side: $count calls, not $known->{count}\n" if abs($count - $known->{count}) > 0.01;
		for my $name ("p50", "p99", "max", "mean") {
			die "$side: $name differs\n" if $row->{"${name}_${side}_ns"} != $known->{"${name}_ns"};
		}
	}
	die "not failed\n" if !$json->{criteria}[0]{failed};
	die "nothing is explained\n" if !@{$json->{why}} || !@{$json->{why}[0]{slow}{account}{steps}};
' "$work/json" "$work/1000.json" "$work/15000.json" 2>&1)
if [ -z "$bad" ]; then
	ok diff_agrees_with_analyze
else
	fail diff_agrees_with_analyze "$bad"
fi

diff_of --format csv "$work/1000" "$work/15000" >"$work/csv"
bad=$(perl -MText::ParseWords -ne '
	s/\r?\n//;
	my @fields = quotewords(",", 0, $_);
	$nr //= @fields;
	print "line $.: ", scalar(@fields), " fields, not $nr\n" if @fields != $nr;
' "$work/csv" | head -n 3)
if [ -z "$bad" ] && [ "$(wc -l <"$work/csv")" -gt 5 ]; then
	ok diff_csv_has_the_same_fields_in_each_line
else
	fail diff_csv_has_the_same_fields_in_each_line "${bad:-too few lines}"
fi
exit $failed
