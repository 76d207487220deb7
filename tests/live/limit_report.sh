#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What is said of a storm of system calls that the cost limit left out: the program counts its calls itself, and no
# number of fewer is given as all of them.
# timeout: 900
. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"
. "$lib/browser.sh"

needs_the_recorder
if uname -v | grep -q PREEMPT_RT; then
	skip_all 'limit_report: this kernel is one for real time, where a limit is refused'
fi
has_started=yes

"$LKST" start --quiet --budget 1% --buffer 32M --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
	fail limit_report_start "$(cat "$work/err")"
nice -n -5 "$load/calls" 600 >"$work/storm" &
storm=$!
children+=($storm)
calls_are_left_out()
{
	is 'grep { /^syscall:(\*|getppid)$/ && $out{$_}{now} } keys %out'
}
if ! wait_until 240 calls_are_left_out; then
	fail limit_report_storm_is_left_out "$("$LKST" status | tail -n 15)"
	exit 1
fi
# Five million calls of one thread go by unrecorded.
least=$(($(wc -l <"$work/storm") + 50))
has_called_on()
{
	[ "$(wc -l <"$work/storm")" -ge $least ]
}
wait_until 240 has_called_on
made=$(($(wc -l <"$work/storm") * 100000))
"$LKST" snapshot --quiet --output "$work/trace"
kill $storm
wait $storm 2>/dev/null
"$LKST" stop --quiet

"$LKST" report --format json "$work/trace" >"$work/report" || fail limit_report_reads "the report failed"
"$LKST" analyze syscallusage --format json "$work/trace" >"$work/usage" ||
	fail limit_report_analyzes "the analysis failed"
# "COUNT AT_LEAST SINCE", then what is wrong.
perl -MJSON::XS -e '
	my ($made, @files) = @ARGV;
	my ($r, $u) = map { open my $f, "<", $_ or die; local $/; decode_json(<$f>) } @files;
	my ($calls) = grep { $_->{what} eq "system calls" } @{$r->{summary}{rows}};
	my @out = grep { $_->{kind} =~ /^syscall:(\*|getppid)$/ } @{$r->{limited}{rows}};
	my ($since) = sort { $a <=> $b } map { $_->{since_ns} } @{$r->{limited}{rows}};
	my @bad;
	push @bad, "$calls->{count} calls are told as all, there were $made or more"
		if !$calls->{at_least} && ($calls->{count} // 0) < $made;
	push @bad, "it is not marked" unless $calls->{at_least};
	push @bad, "no calls are told as 0" if defined $calls->{count} && !$calls->{count};
	push @bad, "the note is \"$calls->{note}\""
		unless $calls->{note} =~ /^(\*, )?syscall:.* not recorded.* \(the cost limit\)/;
	push @bad, "no kind of call is told as left out" unless @out;
	push @bad, "what they cost is not told" unless grep { ($_->{cost_percent} // 0) > 0.1 } @out;
	push @bad, "the usage is not marked" unless $u->{syscallusage_total}{at_least};
	push @bad, "the usage has no note" unless grep { /syscall:.* not recorded/ } @{$u->{syscallusage_total}{notes}};
	print sprintf("%.9f\n", (($since // 1) - 1) / 1e9), map { "$_\n" } @bad;' \
	"$made" "$work/report" "$work/usage" >"$work/said"
first=$(sed -n 1p "$work/said")
expect report_never_tells_fewer_calls_as_all "$(sed 1d "$work/said")" ''

text=$("$LKST" report "$work/trace")
if grep -q '^system calls  *\(at least [1-9][0-9]*\|-\)  .*not recorded' <<<"$text" &&
   grep -q '^What the cost limit left out$' <<<"$text"; then
	ok report_says_it_in_text
else
	fail report_says_it_in_text "$(head -n 30 <<<"$text")"
fi

# Of the time before, all is there, and nothing is said.
before=$("$LKST" report --to "@$first" --format json "$work/trace" | perl -MJSON::XS -e '
	my $r = decode_json(do { local $/; <STDIN> });
	my ($calls) = grep { $_->{what} eq "system calls" } @{$r->{summary}{rows}};
	print $calls->{at_least} ? "marked" : "exact", $r->{limited} ? ", left out" : ""')
expect report_of_before_is_exact "$before" 'exact'

# And why, of a time after the storm's calls were: on a busy machine other kinds were left out before, or these.
until=$("$LKST" sql --format csv "$work/trace" "select printf('%.9f', min(from_ns) / 1e9) from left_out
	where event = 'syscall_entry_getppid' and from_ns > (select min(time_ns) from syscall_entry_getppid)" 2>"$work/note" |
	tail -n +2 | tr -d '\r"')
[ -n "$until" ] || fail limit_report_storm_is_left_out "the trace does not say since when: $(cat "$work/note")"
from=$(awk -v ns="$until" 'BEGIN { printf "%.9f", ns + 0.3 }')
to=$(awk -v ns="$until" 'BEGIN { printf "%.9f", ns + 0.8 }')
if "$LKST" why --tid $storm --from "@$from" --to "@$to" "$work/trace" >"$work/why" 2>&1 &&
   grep -q 'not recorded' "$work/why"; then
	ok why_says_that_calls_were_left_out
else
	fail why_says_that_calls_were_left_out "$(cat "$work/why")"
fi

# ---- whoever else counts ----

# A query's answer is what was recorded, which is less than the program made, and a note says so; of switches it has none.
counted=$("$LKST" sql --format csv "$work/trace" 'select count(*) from syscall_entry_getppid' 2>"$work/note" | tail -n +2 | tr -d '\r')
if [ "$counted" -lt "$made" ] && grep -q '^note: not all was recorded, to keep to the cost limit: \(\*, \)\?syscall:.* not recorded' "$work/note"; then
	ok sql_says_that_calls_were_left_out
else
	fail sql_says_that_calls_were_left_out "$counted of $made: $(cat "$work/note")"
fi
# On a machine that is so busy that the core alone costs more than the limit, all was left out for a time: kind "*".
said=$("$LKST" sql "$work/trace" 'select count(*) from sched_switch' 2>&1 >/dev/null)
expect sql_says_nothing_of_what_stays "${said/#'note: not all was recorded, to keep to the cost limit: * '*/}" ''
# The table has the first moment that the report has, and no call was recorded in the times that it has.
expect sql_has_the_times "$("$LKST" sql --format csv "$work/trace" "select min(from_ns) / 1000000 = cast($first * 1000 as integer),
	(select count(*) from syscall_entry_getppid e join left_out l on l.event = 'syscall_entry_getppid'
	 and e.time_ns between l.from_ns + 50000000 and l.to_ns - 50000000)
	from left_out" 2>/dev/null | tail -n +2 | tr -d '\r')" '1,0'

"$LKST" top --from "@$from" --to "@$to" --format json "$work/trace" >"$work/top"
expect top_says_that_calls_were_left_out "$(perl -MJSON::XS -0777 -ne '
	my $r = decode_json($_);
	print $r->{worst}{at_least} && grep(/syscall:/, @{$r->{worst}{notes}}) ? "marked" : "as if it were all"' "$work/top")" marked

"$LKST" export --format json --output "$work/export" "$work/trace" >"$work/said" 2>&1
if grep -q '^note: not all was recorded' "$work/said" &&
   sed '/^{"left_out":/!q' "$work/export" | grep -q '^{"left_out":{"kind":"syscall:'; then
	ok export_says_that_calls_were_left_out
else
	fail export_says_that_calls_were_left_out "$(cat "$work/said"; head -n 1 "$work/export")"
fi

# The same storm before and after: there is no difference in calls, and none is told.
difference=$("$LKST" diff --against "..@$until" --window "@$until.." --format json "$work/trace" | perl -MJSON::XS -0777 -ne '
	for (@{decode_json($_)->{rows}}) {
		next if $_->{key} ne "syscall:getppid";
		print $_->{significant} ? "told" : $_->{not_comparable} =~ /syscall:.* not recorded/ ? "not compared" : "compared";
	}')
expect diff_does_not_compare_calls "$difference" 'not compared'

text=$("$LKST" report "$work/trace" | sed -n 's/^system calls  *\(at least [0-9]*\|-\)  .*/\1/p')
"$LKST" view --quiet --output "$work/page.html" "$work/trace"
if has_browser the_page_says_what_was_left_out; then
	report the_page node "$lib/limit_page.js" "$work/page.html" "$text"
fi
exit $failed
