#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every trap that a program can raise is recorded with its number, error code and instruction.
# boot:
# seconds: 9
# host: yes
. "${LKST_TESTS:-/tests}/lib.sh"

if [ ! -x "$load/traps" ]; then
	echo 'skip traps: what raises traps is written for x86'
	exit
fi
for program in traps traps32; do
	# A shell takes what the kernel does not run for a script.
	if ! "$load/$program" 2>&1 | grep -q '^tid '; then
		echo "skip $program: this kernel does not run it"
		continue
	fi
	lkst record --quiet --event 'trap_*' --event 'signal_*' --output "$work/$program.trace" -- \
		"$load/$program" >"$work/$program" 2>"$work/notes" || fail ${program}_are_recorded "$(cat "$work/notes")"
	expect_whole ${program}_trace_is_whole "$work/$program.trace"
	expect_records $program "$work/$program" "$work/$program.trace"
	# Nothing else is taken for a trap: there are as many records as traps, be it others than the CPU should have raised.
	want=$(grep -cE '^(trap_signal@|cannot trap_signal@.* raises trap )' "$work/$program") got=$(fields_of trap_signal | wc -l)
	[ "$want" = "$got" ] && [ "$want" -gt 9 ] && ok ${program}_are_all ||
		fail ${program}_are_all "$got records of $want traps"
done
