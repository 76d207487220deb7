#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# A gap never looks like silence, also where a CPU switches from buffer to buffer: records that one of them
# had overwritten before it was saved are shown as a gap where they were recorded, and only there; a buffer
# that was cleared is not a loss.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# Calls getpgid(2) on CPU 0 with the numbers $1 to $2: the records need nothing else to be identified.
mark()
{
	taskset -c 0 perl -e 'syscall(121, $_) for $ARGV[0] .. $ARGV[1]' "$1" "$2"
}

# Reads records as JSON. Prints CPU 0's course: "run" for marks without a hole in their numbers, "hole" between two
# of those, and "[BUFFER]" where a gap is told. So what is right is "run", or "run hole[2] run" and the like.
course()
{
	perl -ne '
		if (/"gap":\{"cpu":0,"buffer":(\d+)/ && $1 != 1) {
			push @gaps, $1;
		} elsif (/"cpu":0,.*"event":"syscall_entry_getpgid".*"pid":(\d+)/ && $1 >= 1000000) {
			my $is_hole = defined $last && $1 != $last + 1;
			push @course, ($is_hole ? "hole" : "whole") . join "", map { "[$_]" } @gaps
				if $is_hole || @gaps;
			push @course, "run" if $is_hole || @gaps || !defined $last;
			@gaps = ();
			$last = $1;
		}
		END { print join " ", @course, map { "[$_]" } @gaps }'
}

# The course in traces $@.
course_of()
{
	"$LKST" print --format json "$@" | course
}

begin()
{
	has_started=yes
	"$LKST" start --quiet --budget none --buffer 256K --spare 1M --event 'syscall:getpgid' "$@" 2>/dev/null
}

# A call takes some 40 bytes: 5000 of them go three times round a buffer of 64 KiB, 20000 round one of 256 KiB. Main is so
# large because the buffer of lives is larger then, too: it is not to go round while it is copied.

# ---- a buffer that goes round between two stays in another ----
begin
"$LKST" buffer create --quiet --size 64K a
mark 1000001 1000100
"$LKST" buffer jump a
mark 1000101 1005100
"$LKST" buffer jump main
mark 1005101 1005200
"$LKST" snapshot --quiet --output one
expect hole_between_two_buffers_is_a_gap "$(course_of one)" 'run hole[2] run'
"$LKST" check one >out
expect check_tells_of_it "$? $(grep -c '^gap: CPU 0, buffer 2' out) $(grep -c '^ledger: CPU 0, buffer 2' out)" '1 1 1'
expect program_is_told_how_much "$("$LKST" check --json one | sed 's/.*"ledger_lines":\([0-9]*\).*/\1/')" "$(grep -c '^ledger: ' out)"
expect report_tells_of_it "$("$LKST" report one | grep -c '^Note: Records are missing at 1 ')" 1
# Of the marks, all that came before the jump came before the gap as well.
expect gap_lasts_from_the_jump_on "$("$LKST" print --format json one | perl -ne '
	($from, $to) = ($1, $2) if /"gap":\{"cpu":0,"buffer":2,"from_ns":(\d+),"to_ns":(\d+)/;
	$mark = $1 if /"ns":(\d+).*"pid":1000100\b/;
	$jump = $1 if /"ns":(\d+).*"cpu":0.*"event":"buffer_jump".*"from":0,"to":2/;
	END { print $mark < $from && $from <= $jump && $jump < $to ? "yes" : "mark $mark, jump $jump, gap $from to $to" }')" yes
"$LKST" cut --quiet --from +0s --output piece one 2>err
expect whole_piece_keeps_it "$(course_of piece)" 'run hole[2] run'
at=$("$LKST" print --format json one |
	sed -n 's/^{"ns":\([0-9]*\)\([0-9]\{9\}\),.*"pid":1005050}.*/@\1.\2/p')
"$LKST" cut --quiet --to "$at" --output piece2 one 2>err
expect piece_keeps_it "$(course_of piece2)" 'run hole[2] run'
"$LKST" cut --quiet --from "$at" --output piece3 one 2>err
expect piece_behind_has_none "$(course_of piece3)" run
timeout 120 "$LKST" attach --format json --for 0.5s 2>err | course >course
expect attach_tells_of_it "$(cat course)" 'run hole[2] run'
"$LKST" attach --quiet --output log --rotate 1M --for 0.5s 2>err
expect parts_tell_of_it "$(course_of log)" 'run hole[2] run'
"$LKST" snapshot --quiet --output two
expect two_snapshots_tell_of_it_once "$(course_of one two)" 'run hole[2] run'

# ---- what was cleared ----
"$LKST" buffer clear a
"$LKST" snapshot --quiet --output cleared
expect what_is_cleared_is_no_gap "$(course_of cleared)" 'run hole run'
expect what_is_cleared_is_not_overwritten \
	"$("$LKST" check cleared >out && grep -c '^ledger: .*overwritten' out)" 0
expect status_does_not_count_it "$("$LKST" status --json | perl -MJSON::XS -e '
	print map { "$_->{overwritten_blocks} " } grep { $_->{buffer} eq "a" && $_->{cpu} == 0 }
		@{decode_json(do { local $/; <STDIN> })->{rings}}')" '0 '
"$LKST" buffer jump a
mark 1006001 1006100
"$LKST" buffer jump main
mark 1006101 1006200
"$LKST" snapshot --quiet --output again
expect a_cleared_buffer_is_whole "$(course_of again)" 'run hole run hole run'

# ---- the first buffer goes round, with an older stay in another ----
mark 1010001 1030000
"$LKST" snapshot --quiet --output main
expect hole_in_main_is_a_gap "$(course_of main)" 'run hole[0] run'
"$LKST" stop --quiet

# ---- a recording to files that comes too late, for once ----
begin
"$LKST" buffer create --quiet --size 64K a
"$LKST" attach --quiet --output late --rotate 1M --last 0 2>err &
writer=$!
children+=($writer)
"$LKST" attach --format json 2>err2 >late.json &
printer=$!
children+=($printer)
has_begun()
{
	mark 1 1
	ls late/*/metadata >/dev/null 2>&1 && [ -s late.json ]
}
wait_until 60 has_begun
mark 1000001 1000100
has_looked()
{
	grep -q '"pid":1000100\b' late.json
}
wait_until 60 has_looked
sleep 1
kill -STOP $writer $printer
"$LKST" buffer jump a
mark 1000101 1005100
"$LKST" buffer jump main
mark 1005101 1005200
kill -CONT $writer $printer
has_gone_on()
{
	grep -q '"pid":1005200\b' late.json
}
wait_until 60 has_gone_on
kill -INT $writer $printer
wait $writer $printer
expect parts_tell_what_was_gone_before_the_first_look "$(course_of late)" 'run hole[2] run'
expect attach_tells_what_was_gone_before_the_first_look "$(course <late.json)" 'run hole[2] run'
"$LKST" stop --quiet

# ---- no hole ----
begin
mark 1000001 1020000
"$LKST" snapshot --quiet --output plain
expect_whole a_buffer_that_goes_round_is_no_hole plain
expect history_just_begins_later "$(course_of plain)" run
"$LKST" buffer create --quiet --size 64K a
"$LKST" buffer create --quiet --size 64K b
"$LKST" buffer ring a b
"$LKST" buffer jump a
mark 1020001 1030000
"$LKST" snapshot --quiet --output ring
# In turn they were written to and overwritten.
expect each_stay_in_a_linked_buffer_is_a_gap "$(course_of ring | sed 's/\(\[2\]\[3\]\)*\(\[2\]\)* run$/ in turn/')" \
	'run hole in turn'
"$LKST" buffer jump main
mark 1030001 1050000
"$LKST" snapshot --quiet --output ring2
expect linked_buffers_have_no_hole "$(course_of ring2)" 'run hole[0] run'
"$LKST" stop --quiet

# ---- incidents ----
begin --incidents 2
mark 1000001 1000100
"$LKST" incident keep --quiet
mark 1000101 1020000
"$LKST" snapshot --quiet --output banks
expect hole_behind_an_incident_is_a_gap "$(course_of banks)" 'run hole[2] run'
"$LKST" incident keep --quiet
mark 1020001 1020100
mkdir saved
"$LKST" incident save --drop --output saved --quiet all
expect_whole incident_that_went_round_is_whole saved/incident-2-*
expect incident_has_no_hole "$(course_of saved/incident-2-*)" run
"$LKST" snapshot --quiet --output dropped
expect what_is_dropped_is_no_gap "$(course_of dropped)" run
"$LKST" stop --quiet

exit $failed
