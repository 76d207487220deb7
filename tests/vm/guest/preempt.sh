#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that may preempt a thread anywhere: were it to do so between reserve and commit of a record, records
# would be lost or torn. Many threads hit hooks of every kind; each record is there, and nothing is lost.
# boot: preempt=full
# seconds: 8
. /tests/lib.sh

if ! grep -q 'preempt=full' /proc/cmdline || ! uname -v | grep -qE 'PREEMPT(_DYNAMIC|_RT| )'; then
	echo 'skip preempt: this kernel cannot be told to preempt anywhere'
	exit
fi
mode=$(sed -n 's/.*(\([a-z]*\)).*/\1/p' /sys/kernel/debug/sched/preempt 2>/dev/null)
case $mode in
full) ok preempt_mode_is_full ;;
'') echo 'skip preempt_mode_is_full: a real-time kernel has no other' ;;
*) fail preempt_mode_is_full "it is $mode" ;;
esac
lkst record --quiet --buffer 32M --event 'sched_*' --event '*semop' --event do_semtimedop --event 'page_fault*' \
	--event 'signal_*' --event 'local_timer*' --event 'softirq*' --event 'hrtimer*' --event 'timer*' \
	--event 'mm_page*' --event 'rcu:*' --output "$work/trace" -- /load/rush >"$work/rush" 2>"$work/notes" ||
	fail preempt_is_recorded "$(cat "$work/notes")"
expect_whole preempt_trace_is_whole "$work/trace"
# Blocks missing or damaged, and lost events.
lost=$(lkst check "$work/trace" | awk '/^(main|life)\./ { nr++; lost += $5 + $6 + $7 } END { print nr ? lost : "no streams" }')
[ "$lost" = 0 ] && ok preempt_loses_nothing || fail preempt_loses_nothing "$(lkst check "$work/trace" | head -n 8)"
# Of page faults, those in the pages that a thread touches one after the other.
lkst print --format json --event '*semop' --event do_semtimedop --event page_fault_user "$work/trace" |
	awk -F '"' -v rush="$work/rush" '
		BEGIN {
			while ((getline line <rush) > 0) {
				split(line, told, " ")
				if (told[1] == "pages") {
					begin[told[3]] = told[4]
					end[told[3]] = told[4] + told[2] * 4096
				}
				want[told[3] " " (told[1] == "pages" ? "page_fault_user" : told[1])] = told[2]
			}
		}
		{
			tid = substr($11, 2) + 0
			at = $12 == "comm" ? 18 : 14 # some threads have no name
			event = $at
			address = $(at + 4) == "address" ? substr($(at + 5), 2) + 0 : 0
		}
		event != "page_fault_user" || (address >= begin[tid] && address < end[tid]) { got[tid " " event]++ }
		END {
			for (kind in want) {
				nr++
				if (got[kind] != want[kind])
					print kind " has " got[kind] + 0 " records, not " want[kind]
			}
			if (nr != 24)
				print "the load ran " nr " kinds"
		}' >"$work/differences"
expect_none preempt_every_record_is_there "$(cat "$work/differences")"
