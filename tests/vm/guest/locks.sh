#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every take and release of the kernel's spin locks and read-write locks, which nothing but asking for
# them records: the hottest functions that there are. (Linux takes nearly all of its write locks by variants that are other functions.)
# boot:
# seconds: 5
. /tests/lib.sh

if lkst record --quiet --event 'lock:*' --output "$work/trace" -- /load/calls >/dev/null 2>"$work/notes"; then
	ok locks_are_recorded
else
	fail locks_are_recorded "$(cat "$work/notes")"
fi
expect_none locks_need_no_explanation "$(cat "$work/notes")"
expect_whole locks_trace_is_whole "$work/trace"
expect_recorded locks_of_each_kind spin_lock spin_trylock spin_unlock read_lock read_unlock
expect_none locks_leave_nothing "$(held)"
