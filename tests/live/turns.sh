#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Commands take turns, and one that stands still stops no other: what is printed is printed after the turn, what is
# copied is copied without one, a command that waits says for which, and what is urgent goes on without a turn.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
stopped=
at_exit 'kill -KILL $stopped 2>/dev/null; clean_up'
mkdirat_call=258 flock_call=73 write_call=1
if [ "$(uname -m)" != x86_64 ]; then
	mkdirat_call=34 flock_call=32 write_call=64
fi

# Runs a command, 120 s at most: its status, and whether it took less than $1 s.
within()
{
	local limit=$1 from=$EPOCHREALTIME status

	shift
	timeout 120 "$@" >out 2>err </dev/null
	status=$?
	perl -e 'print "$ARGV[0] ", $ARGV[2] - $ARGV[1] < $ARGV[3] ? "in time" : "after " . ($ARGV[2] - $ARGV[1])' \
		"$status" "$from" "$EPOCHREALTIME" "$limit"
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 128K --maskset RNOTHING 2>/dev/null

# ---- a pipe that nobody reads ----
mkfifo pipe
sleep 1200 <pipe &
reader=$!
children+=($reader)
"$LKST" maskset show RALL --json >pipe &
writer=$!
children+=($writer)
fills_the_pipe()
{
	[ "$(cut -d' ' -f1 /proc/$writer/syscall)" = $write_call ]
}
wait_until 60 fills_the_pipe || fail output_is_longer_than_a_pipe "$(cat /proc/$writer/syscall)"
expect pipe_that_is_full_holds_up_no_status "$(within 60 "$LKST" status --json) $(cat err)" '0 in time '
expect pipe_that_is_full_holds_up_no_change "$(within 60 "$LKST" maskset set RNOTHING --quiet) $(cat err)" '0 in time '
kill $reader $writer
wait $reader $writer 2>/dev/null
"$LKST" maskset show RALL --json >shown
expect what_was_kept_in_memory_is_all_there "$(perl -MJSON::XS -e 'local $/; my $j = decode_json(<STDIN>);
	print $j->{name}, @{$j->{events}} > 500 ? " all" : ""' <shown)" 'RALL all'

# ---- a snapshot that is stopped while it writes ----
"$load/kill_at" stop $mkdirat_call 0 0 8 "$LKST" snapshot --quiet --output standing >pid
stopped=$(cat pid)
expect snapshot_stands_still "$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$stopped/status")" T
expect stopped_snapshot_holds_up_no_status "$(within 60 "$LKST" status --json) $(cat err)" '0 in time '
expect stopped_snapshot_holds_up_no_trigger "$(within 60 "$LKST" trigger fire) $(cat err)" '0 in time '
expect stopped_snapshot_holds_up_no_snapshot "$(within 60 "$LKST" snapshot --quiet --output other) $(cat err)" '0 in time '
expect stopped_snapshot_holds_up_no_stop "$(within 60 "$LKST" stop --quiet) $(cat err)" '0 in time '
kill -CONT "$stopped"
is_gone()
{
	! kill -0 "$stopped" 2>/dev/null
}
wait_until 60 is_gone
expect_whole snapshot_outlives_the_recording standing

# ---- a command that holds its turn ----
"$LKST" start --quiet --budget none --buffer 128K --maskset RNOTHING 2>/dev/null
"$LKST" maskset read RDEFAULT >read_before
# A change is stopped some calls after its flock(2), for which it need not wait.
"$load/kill_at" stop $flock_call 0 0 8 "$LKST" maskset set RALL >pid
stopped=$(cat pid)
expect change_stands_still "$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$stopped/status")" T
holder="'lkst maskset' (pid $stopped)"
expect status_goes_on_without "$(within 60 "$LKST" status --json)
$(cat err)" "0 in time
lkst: waiting for $holder ...
lkst: going on without waiting any longer for $holder"
expect trigger_fires_without "$(within 60 "$LKST" trigger fire)
$(cat err)" "0 in time
lkst: waiting for $holder ...
lkst: going on without waiting any longer for $holder"
expect maskset_is_shown_without "$(within 60 "$LKST" maskset show RDEFAULT --json)
$(cat err; perl -MJSON::XS -e 'local $/; print decode_json(<STDIN>)->{name}' <out)" "0 in time
lkst: waiting for $holder ...
lkst: going on without waiting any longer for $holder
RDEFAULT"
expect maskset_is_read_without "$(within 60 "$LKST" maskset read RDEFAULT)
$(cat err)" "0 in time
lkst: waiting for $holder ...
lkst: going on without waiting any longer for $holder"
expect maskset_that_is_read_without_is_whole "$(cmp out read_before 2>&1)" ''
# One that has to be made first changes the recording.
expect maskset_that_has_to_be_made_waits_no_longer "$(within 100 "$LKST" maskset show flight)
$(tail -n 1 err)" "1 in time
lkst maskset: $holder has kept others waiting for 5 s; if it is stopped, \`kill -CONT\` of that number lets it go on, \
else \`kill -KILL\` ends it"
timeout 300 "$LKST" maskset set RDEFAULT --quiet 2>waiting &
children+=($!)
waits()
{
	grep -q "lkst: waiting for $holder ..." waiting
}
if wait_until 60 waits; then ok change_says_for_whom_it_waits; else fail change_says_for_whom_it_waits "$(cat waiting)"; fi
expect stop_goes_on_without "$(within 60 "$LKST" stop)
$(cat err out)" "0 in time
lkst: waiting for $holder ...
lkst: going on without waiting any longer for $holder
stopped"
kill -CONT "$stopped"
wait_until 60 is_gone
wait "${children[-1]}"
expect who_has_waited_learns_of_the_end "$? $(tail -n 1 waiting)" '1 lkst maskset: nothing is being recorded; `lkst start` starts'
has_started=no
"$LKST" stop --quiet
expect nothing_is_left "$(ls -d /sys/fs/bpf/lkst 2>/dev/null)" ''
exit $failed
