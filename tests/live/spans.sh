#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Spans that a program marks (doc/marks.md) agree with what it measures itself: when they were, what their threads did
# meanwhile, and what `lkst why` says of them; those that are handed over, that belong to a request, that a child of the
# program ends too, and one whose process is killed.

. "$(dirname "$0")/lib/live.sh"

# Runs the workload; what it says is kept.
truth()
{
	"$load/spans" >"$work/truth"
}
export -f truth
export load work

# lacks_records TRACE: whether the model has to leave something out, as where the machine hides a thread.
lacks_records()
{
	"$LKST" sql --format csv "$1" 'select count(*) from spans' 2>&1 | grep 'records are missing'
}

for try in 1 2 3 4 5; do
	rm -rf "$work/run"
	if ! record run --buffer 32M -- bash -c truth; then
		fail spans_recorded "$(tail -n 3 "$work/run.log")"
		exit 1
	fi
	lacks_records "$work/run" >&2 || break
	echo "try $try of 5 lacks records" >&2
done
report spans_agree perl "$lib/spans.pl" "$LKST" "$work/run" "$work/truth"
expect an_end_by_the_child_of_a_fork_is_nobodys "$("$LKST" sql --format csv "$work/run" \
	"select ending, count(*) from spans where name = 'forked' group by 1" | tail -n +2 | tr -d '\r')" ended,1
expect_whole a_trace_with_spans_is_whole "$work/run"

# ---- what programs logged with the number of the request ----

request=4bf92f3577b34da6a3ce929d0e0e4736
maker=/lib/systemd/systemd-journal-remote
# Makes $work/journal, in which the request of the workload is named twice at the time when that ran: once in the
# message, in upper case, and once as a field.
make_journal()
{
	local at

	# The time of day of the span, in us; the clock of spans is CLOCK_MONOTONIC.
	at=$(perl -MTime::HiRes=clock_gettime,CLOCK_REALTIME,CLOCK_MONOTONIC -e '
		printf "%d\n", $ARGV[0] / 1000 + (clock_gettime(CLOCK_REALTIME) - clock_gettime(CLOCK_MONOTONIC)) * 1e6' \
		"$("$LKST" sql --format csv "$1" "select from_ns + 5000000 from spans where name = 'serve'" | tail -n 1 | tr -d '\r')")
	rm -rf "$work/journal" && mkdir "$work/journal"
	printf '%s\n' "__REALTIME_TIMESTAMP=$at" __MONOTONIC_TIMESTAMP=1 _BOOT_ID=0123456789abcdef0123456789abcdef PRIORITY=4 \
		SYSLOG_IDENTIFIER=shop _PID=77 "MESSAGE=waiting for ${request^^}" '' \
		"__REALTIME_TIMESTAMP=$((at + 1))" __MONOTONIC_TIMESTAMP=2 _BOOT_ID=0123456789abcdef0123456789abcdef PRIORITY=6 \
		SYSLOG_IDENTIFIER=shop 'MESSAGE=still waiting' TRACE_ID=$request '' \
		"__REALTIME_TIMESTAMP=$((at + 2))" __MONOTONIC_TIMESTAMP=3 _BOOT_ID=0123456789abcdef0123456789abcdef PRIORITY=6 \
		SYSLOG_IDENTIFIER=shop 'MESSAGE=of another request' TRACE_ID=00000000000000000000000000000001 '' |
		$maker -o "$work/journal/a.journal" - >/dev/null 2>&1
}

# The lines that `lkst why` has below the request of trace $1, with options: WHO MESSAGE, and whether they are in the span.
logged()
{
	"$LKST" why --format json --trace $request "${@:2}" "$1" | perl -MJSON::XS -0777 -ne '
		my $top = decode_json($_)->{steps}[0];
		print "$_->{facts}{who} $_->{facts}{message} ", $_->{from_ns} >= $top->{from_ns} && $_->{from_ns} <= $top->{to_ns}
			? "within" : "outside", "\n" for grep { $_->{kind} eq "log" } @{$top->{steps}}'
}

lines="shop[77] waiting for ${request^^} within
shop still waiting TRACE_ID=$request within"
if [ ! -x $maker ]; then
	echo "skip why_shows_what_was_logged: there is no $maker, which makes a journal for the test"
else
	make_journal "$work/run"
	export LKST_JOURNAL=$work/journal
	expect why_shows_what_was_logged "$(logged "$work/run" --journal)" "$lines"
	expect why_shows_no_log_unasked "$(logged "$work/run")" ''
	expect why_says_that_nothing_can_be_logged "$("$LKST" why --span sleep --journal "$work/run" |
		grep -c '^Note: No line of the journal can be looked for')" 1
	has_started=yes
	"$LKST" start --quiet
	truth
	"$LKST" snapshot --quiet --output "$work/now"
	make_journal "$work/now"
	"$LKST" snapshot --quiet --bundle --file "$work/now.bundle"
	"$LKST" stop --quiet
	expect why_shows_the_log_of_a_bundle "$(logged "$work/now.bundle")" "$lines"
fi

exit $failed
