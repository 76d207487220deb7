#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Page faults: the address, what kind of access it was, how it ended, also where the kernel faults on a
# program's behalf and where the recorder does. In a guest, what needs disks, too: major faults, swapping,
# waiting for pages and buffers.
# boot: lkst.guest=another
# seconds: 10
# host: yes
. "${LKST_TESTS:-/tests}/lib.sh"

# $1: a workload's file. Each fault that has a good end is followed by it: how long it took is known, and
# whether it needed a disk. Faults nest: those of the recorder, and of the kernel within one.
compare_ends()
{
	sed -n 's/^\(minor\|major\) /\1 /p' "$1" >"$work/ends.want"
	grep -F "\"tid\":$(sed -n 's/^tid //p' "$1")," "$work/records" |
		sed -n 's/^{"ns":\([0-9]*\),.*"event":"page_fault_\([a-z]*\)","fields":{"\([a-z]*\)":\([0-9]*\).*/\1 \2 \4/p' |
		awk '
			$2 == "exit" && begun {
				# VM_FAULT_MAJOR is 4.
				print (int($3 / 4) % 2 ? "major" : "minor"), address, $1 - begun
				begun = 0
			}
			$2 != "exit" { begun = $1; address = $3 }' >"$work/ends.got"
	awk 'FILENAME == ARGV[1] { kind[$2] = $1; ns[$2] = $3; next }
		!($2 in kind) { print $2 " has no end" }
		($2 in kind) && kind[$2] != $1 { print $2 " is " kind[$2] }
		($2 in kind) && ns[$2] <= 0 { print $2 " took " ns[$2] " ns" }
		END { if (!FNR) print "there are none" }' "$work/ends.got" "$work/ends.want"
}

# expect_load NAME OPTION...: records the load of that name.
expect_load()
{
	local name=$1

	shift
	lkst record --quiet --output "$work/$name" "$@" -- "$load/$name" >"$work/$name.all" 2>"$work/notes" ||
		fail "${name}_is_recorded" "$(cat "$work/notes" "$work/$name.all")"
	expect_none "${name}_needs_no_explanation" "$(cat "$work/notes")"
	expect_whole "${name}_trace_is_whole" "$work/$name"
	grep -vE '^(minor|major) ' "$work/$name.all" >"$work/$name.expected"
	expect_records "$name" "$work/$name.expected" "$work/$name" 'page_fault*'
	if has_event page_fault_user && has_event page_fault_exit; then
		expect_none "${name}_faults_end" "$(compare_ends "$work/$name.all")"
		echo 'checked page_fault_exit'
	fi
}

expect_load pages --event 'page_fault*' --event trap_signal --event 'do_*' --event openat
if [ -z "${LKST_TESTS-}" ]; then
	expect_load disk --event 'page_fault*' --event 'do_*' --event 'folio*' --event wait_on_buffer \
		--event 'mm_vmscan_write*' --event 'block*'
fi
