#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Queries to a recording of this machine: the recipes of doc/sql.md agree with the analyses, the tables of records with
# lkst print; and what a query says when the trace is damaged, or when it is wrong itself.

. "$(dirname "$0")/lib/live.sh"

some_work()
{
	dd if=/dev/zero of="$work/file" bs=64k count=64 conv=fsync 2>/dev/null
	cat "$work/file" >/dev/null
	(exec 3<>/dev/udp/127.0.0.1/9 && echo packet >&3) 2>/dev/null
	ls -R /usr/share/doc | sort | tail -n 1 >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do /bin/true; done
	cat /nowhere 2>/dev/null
	sleep 0.1
}
export -f some_work
export work

if ! record trace --buffer 32M -- bash -c some_work; then
	fail sql_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
records_no_more

sql()
{
	"$LKST" sql --format csv "$work/trace" "$1" | tail -n +2 | tr -d '\r'
}

# same NAME WHAT COMMAND QUERY: both print the same
same()
{
	local bad

	bad=$(diff <(eval "$2") <(sql "$3") | head -n 3)
	if [ -z "$bad" ]; then
		ok "$1"
	else
		fail "$1" "$bad"
	fi
}

report sql_recipes perl "$lib/sql_recipes.pl" "$LKST" "$work/trace"

bad=$(diff <("$LKST" print --no-gaps -e sched_switch -e sched_waking "$work/trace") \
	<("$LKST" sql -f json "$work/trace" "select line from events where event in ('sched_switch', 'sched_waking') order by time_ns" |
		perl -MJSON::XS -0777 -ne 'binmode STDOUT, ":utf8"; print "$_->{line}\n" for @{decode_json($_)}') | head -n 3)
if [ -z "$bad" ]; then
	ok sql_lines_are_those_of_print
else
	fail sql_lines_are_those_of_print "$bad"
fi
same sql_counts_agree '"$LKST" print --no-gaps -f json "$work/trace" | wc -l' 'select sum(records) from counts'
same sql_counting_agrees '"$LKST" print --no-gaps -f json "$work/trace" | wc -l' 'select count(*) from events'

# Some bytes in the middle of a stream are lost: the rest is answered, and a note says that it is not all.
cp -r "$work/trace" "$work/damaged"
file=$(ls -S "$work"/damaged/main.* | head -n 1)
dd if=/dev/zero of="$file" bs=1000 seek=20 count=9 conv=notrunc 2>/dev/null
whole=$(sql 'select count(*) from events')
left=$("$LKST" sql -f csv "$work/damaged" 'select count(*) from events' 2>"$work/note" | tail -n 1 | tr -d '\r')
if [ "$left" -gt 0 ] && [ "$left" -lt "$whole" ] && grep -q '^note: records are missing' "$work/note"; then
	ok sql_answers_a_damaged_trace
else
	fail sql_answers_a_damaged_trace "$left of $whole records; $(cat "$work/note")"
fi

# Only a query has met them, and not what is typed after it.
notes=$(printf 'select count(*) from events;\n.tables thr\n' | "$LKST" sql "$work/damaged" 2>&1 >/dev/null | grep -c '^note: ')
if [ "$notes" = 1 ]; then
	ok sql_notes_what_a_query_has_met
else
	fail sql_notes_what_a_query_has_met "$notes notes"
fi

message=$("$LKST" sql "$work/trace" 'select tid from events where form = 1' 2>&1)
status=$?
want=$'lkst sql: the query: no such column: form\n  select tid from events where form = 1\n                               ^'
if [ $status = 1 ] && [ "$message" = "$want" ]; then
	ok sql_marks_the_place
else
	fail sql_marks_the_place "$status: $message"
fi

message=$(printf '.tables thr\nselect 1 as a,\n2 as b;\n-- nothing\n.quit\nselect 3;' | "$LKST" sql -f csv "$work/trace" | tr -d '\r')
if [[ $message == threads* && $message == *$'\na,b\n1,2' ]]; then
	ok sql_reads_standard_input
else
	fail sql_reads_standard_input "$message"
fi
# A query that runs too long, once it runs: Ctrl-C ends it, and it says so.
"$LKST" sql "$work/trace" 'select count(*) from events a, events b where a.time_ns + b.time_ns + a.tid = 1' 2>"$work/said" >/dev/null &
children+=($!)
# Half a second of CPU time, of which to begin takes little.
is_busy()
{
	[ "$(cut -d ' ' -f 14 "/proc/${children[-1]}/stat")" -ge $(($(getconf CLK_TCK) / 2)) ]
}
if wait_until 60 is_busy; then
	kill -INT "${children[-1]}"
	wait "${children[-1]}"
	expect sql_is_interrupted "$? $(cat "$work/said")" '1 lkst sql: the query was interrupted'
else
	fail sql_is_interrupted "it does nothing: $(cat "$work/said")"
fi
# At a terminal: the tab key completes the name of a table, and what was typed is remembered.
typed=$(printf 'select 42 + 0 * count(*) n from block_req\t;\n.quit\n' |
	HOME=$work TERM=dumb script -qec "$LKST sql $work/trace" /dev/null | tr -d '\r')
if [[ $typed == *$'\n n\n42\n'* ]] && grep -q 'block_requests' "$work/.lkst_sql_history"; then
	ok sql_shell_completes_and_remembers
else
	fail sql_shell_completes_and_remembers "$typed"
fi
exit $failed
