#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The analysis of timers counts every timer that a program sets to sleep, relative or absolute, and is never
# later than the program itself measures: the program's figure also has its way back to the CPU.

. "$(dirname "$0")/lib/live.sh"

if ! record trace --buffer 32M --event 'hrtimer_*' -- "$load/naps" >"$work/naps"; then
	fail timers_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
records_no_more
expect_whole timers_trace_is_whole "$work/trace"
tid=$(awk '$1 == "tid" { print $2 }' "$work/naps")
# Sleeping threads are woken by this function; a trace may have its name, or only its address.
address=$(awk '$3 == "hrtimer_wakeup" { print $1; exit }' /proc/kallsyms)

# Key, thread, begin, lateness of each, in the order in which they ran; times as nanoseconds.
"$LKST" analyze timer --list --tid "$tid" "$work/trace" | perl -ne '
	my ($key, $tid, $start, $late) = split;
	next if $key !~ /^(0x\Q'"$address"'\E$|hrtimer_wakeup)/;
	tr/.//d for $start, $late;
	print "$start ", $late + 0, "\n"' >"$work/late"
grep '^nap' "$work/naps" >"$work/own"

"$LKST" analyze timer --tid "$tid" --format json "$work/trace" >"$work/json"

# Each nap is there, or its end is not recorded and the analysis says so: some machines have threads in whose
# time nothing is recorded, neither are timers that interrupt them.
naps=$(wc -l <"$work/own")
counted=$(wc -l <"$work/late")
read -r left_out not_over <<<"$(perl -MJSON::XS -0777 -ne '
	my $l = decode_json($_)->{timer_total}{left_out};
	print $l->{no_end} // 0, " ", $l->{not_over} // 0' "$work/json")"
recorded=$("$LKST" print --event hrtimer_expire_entry --format json "$work/trace" |
	grep -c "\"function\":$(perl -e "no warnings; printf '%u', hex '$address'")[,}]")
if [ $((counted + left_out)) -le "$naps" ] && [ $((counted + left_out + not_over)) -ge "$naps" ] &&
		[ "$counted" -le "$recorded" ] && [ "$counted" -ge $((naps / 2)) ]; then
	ok timers_each_nap_is_counted
else
	fail timers_each_nap_is_counted \
		"$naps naps, $recorded timers of all threads ran, $counted are counted, $left_out and $not_over left out"
fi
# A relative timer is due a little after the program has asked for the time; one that was set too late is due
# when it was set. So each nap has its own stretch of time, and the timer ran within it.
perl -e '
	open my $own, "<", $ARGV[0]; open my $late, "<", $ARGV[1];
	my ($n, @nap) = 0;
	while (<$late>) {
		my ($due, $late) = split;
		while (!@nap || $nap[2] + $nap[3] < $due) {
			@nap = split " ", <$own> // die "no nap for the timer due at $due\n";
		}
		print "@nap: due $due, late $late\n" if $due < $nap[2] || $due + $late > $nap[2] + $nap[3];
		$n++;
	}
	print "none\n" if !$n' "$work/own" "$work/late" >"$work/wrong" 2>&1
expect timers_none_is_later_than_the_program_measures "$(tail -n 3 "$work/wrong")" ''
expect timers_no_lateness_is_made_up "$(awk '$2 > 0 { n++ } END { print (n > NR / 2 ? "most are late" : n) }' \
	"$work/late")" 'most are late'

# What the slack allows: so much as the program had asked for, less where a timer was set too late.
perl -MJSON::XS -0777 -ane '
	my $all = decode_json($_);
	my ($row) = grep { $_->{key} =~ /^(0x\Q'"$address"'\E$|hrtimer_wakeup)/ } @{$all->{timer_slack}{rows}};
	my ($late) = grep { $_->{key} eq $row->{key} } @{$all->{timer}{rows}};
	my ($beyond) = grep { $_->{key} eq $row->{key} } @{$all->{timer_beyond}{rows}};
	print "$row->{count} $late->{total_ns} ", $row->{within_ns} + $row->{beyond_ns}, " $beyond->{total_ns} ",
		"$row->{beyond_ns} ", $row->{allowed_ns} * $row->{count}, " $row->{nr_within} $late->{p50_ns}\n";
	' "$work/json" >"$work/slack"
read -r count late sum beyond beyond_sum allowed within median <"$work/slack"
wanted=$(awk '{ sum += $5 } END { print sum }' "$work/own")
expect timers_slack_divides_the_lateness "$sum $beyond_sum" "$late $beyond"
if [ "$allowed" -le "$wanted" ] && [ "$allowed" -ge "$((wanted / 2))" ]; then
	ok timers_slack_is_what_was_allowed
else
	fail timers_slack_is_what_was_allowed "$allowed ns in all, and the program allowed $wanted"
fi
expect timers_slack_counts_all "$count" "$counted"
if [ "$within" -le "$count" ] && [ "$median" -gt 0 ]; then
	ok timers_median_is_not_nothing
else
	fail timers_median_is_not_nothing "median $median ns, $within of $count within the slack"
fi
expect timers_left_out_is_said "$(perl -MJSON::XS -0777 -ne '
	my $l = decode_json($_)->{timer_total}{left_out};
	print ref $l, " ", ($l->{clock} // 0), " ", ($l->{slack} // 0)' "$work/json")" 'HASH 0 0'
exit $failed
