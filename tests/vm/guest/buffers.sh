#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Buffers and incidents on this kernel: its verifier takes the programs, CPUs go over, and what is kept
# is whole.
# boot:
# seconds: 7
. /tests/lib.sh

lkst start --quiet --budget none --buffer 256K --incidents 1 --event 'syscall:*' --event sched_switch 2>"$work/err" ||
	fail buffers_start "$(cat "$work/err")"
expect_none buffers_programs_are_taken "$(grep -E 'buffer_jump|incident' "$work/err")"
lkst buffer create --quiet --size 64K other
lkst buffer jump other
dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
lkst incident keep --quiet --reason first
lkst buffer jump main
dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
lkst snapshot --quiet --output "$work/trace"
expect_none buffers_leave_no_damage "$(
	lkst check --json "$work/trace" | grep -v '"bad_blocks":0,"missing_blocks":0,"lost_events":0'
)"
# The other buffer and the bank have gone round since, and main has what was before.
lkst check "$work/trace" >"$work/check"
expect_none buffers_show_what_they_have_overwritten "$(awk '
	/^ledger: .* overwritten/ && !/level/ && $5 + 0 >= 2 { lost[$3 " " $5 + 0] = $6; nr++ }
	/^gap: / { where = $3 " " $5 + 0; sub(/.*[(]/, ""); gap[where] = $1 }
	END {
		if (!nr) print "nothing was overwritten"
		for (w in lost) if (gap[w] != lost[w]) print "CPU, buffer", w ":", lost[w], "blocks, not", gap[w]
		for (w in gap) if (!(w in lost)) print "CPU, buffer", w ": a gap of", gap[w]
	}' "$work/check")"
expect_none buffers_jump_is_told_by_every_cpu "$(
	n=$(lkst print "$work/trace" | grep -c 'buffer_jump: of=main from=main to=3')
	[ "$n" = "$(nproc)" ] || echo "$n times"
)"
expect_none buffers_incident_is_told "$(
	lkst print "$work/trace" | grep -q ' incident: .*number=1 ' || echo 'no incident'
)"
lkst incident save --quiet --drop --output "$work" 1 2>"$work/err" || fail buffers_save "$(cat "$work/err")"
expect_whole buffers_incident_is_whole "$work"/incident-1-*
expect_none buffers_incident_is_dropped "$(lkst incident list --json)"
lkst stop --quiet
expect_none buffers_end_with_the_recording "$(ls /sys/fs/bpf/lkst 2>&1 | grep -v 'No such file')"
