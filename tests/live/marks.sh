#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Marks of programs (doc/marks.md): each is in the trace once, in order, and between the kernel's records of its thread
# where it was made; of a program that began before the recording, of one that is killed, and of one in C++.

. "$(dirname "$0")/lib/live.sh"

# What a user installs: the header, and the library.
include=$BUILD/mark
cc=(-I"$include" -L"$include" -Wl,-rpath,"$include" -llkst -lpthread)

record run --event syscall:read --event sched_switch -- "$load/marks" 500
"$LKST" print --format json "$work/run" >"$work/json"

# For each thread of the workload: "before" and the event "round", with the call's two records in between.
perl -ne '
	my ($event, $tid) = (/"event":"([^"]*)"/, /"tid":(-?\d+)/) or next;
	next unless ($event) = /"(?:event|name)":"([^"]+)"/;
	if (/"mark"/ && /"before"/) { my ($id) = /"id":(\d+)/; push @{$of{$tid}}, "b$id" }
	elsif (/mark:round/) { my ($n) = /"number":(\d+)/; push @{$of{$tid}}, "r$n" }
	elsif (/syscall_entry_read/) { my ($fd) = /"fd":(-?\d+)/; push @{$of{$tid}}, "e" . (-1000 - $fd) if defined $fd && $fd <= -1000 }
	elsif (/syscall_exit_read/) { push @{$of{$tid}}, "x" if @{$of{$tid} // []} && $of{$tid}[-1] =~ /^e/ }
	END {
		for my $tid (keys %of) {
			my $got = join " ", @{$of{$tid}};
			my $want = join " ", map { "b$_ e$_ x r$_" } 0 .. 499;
			print $got eq $want ? "good\n" : "thread $tid: " . substr($got, 0, 200) . "\n";
		}
	}' "$work/json" >"$work/order"
expect marks_are_between_the_calls_of_their_thread "$(cat "$work/order")" $'good\ngood'
expect marks_have_their_fields "$("$LKST" print "$work/run" 2>/dev/null |
	grep -c 'mark:round.* who=[12] number=[0-9]* less=-7 text="\(one\|two\)"')" 1000
expect spans_and_values_are_there "$("$LKST" print "$work/run" 2>/dev/null | grep -cE 'span_begin.*run|span_end.*run|value.*-1.*done')" 3
expect marks_are_tables_of_sql "$("$LKST" sql "$work/run" 'select count(*), max(number) from "mark:round"' 2>/dev/null |
	tr -dc '0-9 \n' | awk 'NF == 2 { print $1, $2 }')" '1000 499'
expect events_say_that_programs_make_them "$("$LKST" event list --json | grep '"group":"mark"' |
	grep -vc '"hook":"a program that has liblkst"')" 0
expect_whole a_trace_with_marks_is_whole "$work/run"

# It is killed; and it began before anything was recorded, and marks when the recording asks it to.
record killed --event sched_switch -- "$load/marks" 300 kill
expect the_last_marks_of_a_killed_program_are_there "$("$LKST" print "$work/killed" 2>/dev/null |
	grep -cE 'mark:round|span_end.*run')" 601

cat >"$work/early.cc" <<'CODE'
#include <fcntl.h>
#include <lkst/mark.h>
#include <unistd.h>

static lkst_mark_event step = LKST_MARK_EVENT("step: u64 number, string word");

// After each 30 rounds it makes a file.
int main(int, char **argv)
{
	for (unsigned long i = 0; i < 100000; i++) {
		lkst_mark("early", i);
		LKST_MARK(&step, i, "word");
		if (i % 30 == 29)
			close(open(argv[1], O_CREAT | O_WRONLY, 0600));
		usleep(1000);
	}
}
CODE
# Returns when it has made 30 rounds since the call.
rounds()
{
	local i

	for i in 1 2; do
		rm -f "$work/made"
		timeout 60 sh -c 'until [ -e "$1" ]; do sleep 0.02; done' - "$work/made"
	done
}
export -f rounds
export work
if ! command -v g++ >/dev/null; then
	echo 'skip marks_of_cplusplus: there is no g++'
else
	if g++ -Wall -Wextra -Werror -pedantic -std=c++17 -o "$work/starts-early" "$work/early.cc" "${cc[@]}" 2>"$work/errors"; then
		ok marks_of_cplusplus
	else
		fail marks_of_cplusplus "$(head -n 3 "$work/errors")"
	fi
	"$work/starts-early" "$work/made" &
	early=$!
	disown
	children+=("$early")
	rounds
	record early --event sched_switch -- bash -c rounds
	"$LKST" print "$work/early" 2>/dev/null >"$work/text"
	expect a_program_that_began_before_marks "$([ "$(grep -c 'mark:step.*word="word"' "$work/text")" -ge 30 ] && echo yes)" yes
	has_started=yes
	"$LKST" start --quiet --event sched_switch
	rounds
	"$LKST" snapshot --quiet --output "$work/snapshot"
	"$LKST" stop --quiet
	kill -KILL "$early"
	expect snapshots_have_marks "$("$LKST" print "$work/snapshot" 2>/dev/null | grep -q 'mark:step' && echo yes)" yes
	expect_whole a_snapshot_with_marks_is_whole "$work/snapshot"
fi

# ---- an incident has the marks of its time, and no later ones ----

has_started=yes
"$LKST" start --quiet --event sched_switch --incidents 1
"$load/marks" 100 kill
"$LKST" incident keep --quiet --reason test
sleep 0.1
"$load/marks" 50 kill
"$LKST" incident save --quiet --output "$work" all
"$LKST" stop --quiet
expect an_incident_has_the_marks_of_its_time "$("$LKST" print "$work"/incident-* 2>/dev/null | grep -cE 'mark:round|span_end.*run')" 201
expect_whole an_incident_with_marks_is_whole "$work"/incident-*

# ---- who is asked, and for how long ----

# Until when programs that begin now are wanted, and whether that is soon: ten seconds after the end.
wanted_until()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e '
		open my $f, "<", "/dev/shm/lkst-mark-wanted" or die; read $f, my $b, 8; my $ns = unpack "Q", $b;
		print $ns == ~0 ? "forever" : $ns / 1e9 <= clock_gettime(CLOCK_MONOTONIC) + 10 ? "soon" : "later"'
}

"$LKST" start --quiet --event sched_switch
expect programs_are_wanted_while_recording "$(wanted_until)" forever
"$LKST" stop --quiet
expect programs_are_not_wanted_after_stop "$(wanted_until)" soon
# What a start that was killed may leave.
perl -e 'print pack "Q", ~0' >"$work/forever" && cp "$work/forever" /dev/shm/lkst-mark-wanted
"$LKST" stop --quiet
expect stop_takes_back_what_a_failed_start_asked "$(wanted_until)" soon

cat >"$work/python.py" <<'CODE'
from ctypes import CDLL, c_char_p, c_uint64
import sys
lkst = CDLL(sys.argv[1])
lkst.lkst_mark.argtypes = [c_char_p, c_uint64]
for i in range(100):
    lkst.lkst_mark(b"from python", i)
CODE
record python --event sched_switch -- python3 "$work/python.py" "$include/liblkst.so.1"
expect marks_of_python "$("$LKST" print "$work/python" 2>/dev/null | grep -c 'from python')" 100

exit $failed
