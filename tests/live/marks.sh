#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
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
expect_whole a_trace_with_marks_is_whole "$work/run"

# It is killed; and it began before anything was recorded, and marks when the recording asks it to.
record killed --event sched_switch -- "$load/marks" 300 kill
expect the_last_marks_of_a_killed_program_are_there "$("$LKST" print "$work/killed" 2>/dev/null |
	grep -cE 'mark:round|span_end.*run')" 601

cat >"$work/early.cc" <<'CODE'
#include <lkst/mark.h>
#include <unistd.h>

static lkst_mark_event step = LKST_MARK_EVENT("step: u64 number, string word");

int main()
{
	for (unsigned long i = 0; i < 100000; i++) {
		lkst_mark("early", i);
		LKST_MARK(&step, i, "word");
		usleep(1000);
	}
}
CODE
if ! command -v g++ >/dev/null; then
	echo 'skip marks_of_cplusplus: there is no g++'
else
	if g++ -Wall -Wextra -Werror -pedantic -std=c++17 -o "$work/starts-early" "$work/early.cc" "${cc[@]}" 2>"$work/errors"; then
		ok marks_of_cplusplus
	else
		fail marks_of_cplusplus "$(head -n 3 "$work/errors")"
	fi
	"$work/starts-early" &
	early=$!
	disown
	children+=("$early")
	sleep 0.1
	record early --event sched_switch -- sleep 0.5
	"$LKST" print "$work/early" 2>/dev/null >"$work/text"
	expect a_program_that_began_before_marks "$([ "$(grep -c 'mark:step.*word="word"' "$work/text")" -gt 20 ] && echo yes)" yes
	has_started=yes
	"$LKST" start --quiet --event sched_switch
	sleep 0.3
	"$LKST" snapshot --quiet --output "$work/snapshot"
	"$LKST" stop --quiet
	kill -KILL "$early"
	expect snapshots_have_marks "$("$LKST" print "$work/snapshot" 2>/dev/null | grep -q 'mark:step' && echo yes)" yes
	expect_whole a_snapshot_with_marks_is_whole "$work/snapshot"
fi

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
