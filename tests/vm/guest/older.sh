#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel from before Linux 5.18: the programs that are built for it record who runs, who waits in what and what wakes;
# the kernel's counters agree; what it lacks is said in a sentence of its age, and not in the verifier's words.
# kernels: 5.10 5.10-arm64
# seconds: 60
. /tests/lib.sh

# expect_too_old NAME COMMAND...: the command is refused, for the kernel is too old for it.
expect_too_old()
{
	local name=$1

	shift
	if "$@" >"$work/said" 2>&1 || ! grep -q 'this kernel is too old' "$work/said"; then
		fail "$name" "$(cat "$work/said")"
	else
		ok "$name"
	fi
}

expect_too_old older_has_no_limit lkst start --budget 5%
expect_start older_start
expect_none older_records_the_core "$(grep -q 'too old to keep a cost limit, so that only the core is recorded' "$work/notes" ||
	cat "$work/notes")"
expect_none older_names_what_it_cannot_record "$(grep -q 'too old to record these events: .*printk_console' "$work/notes" ||
	cat "$work/notes")"
# By its types alone the same is known.
sed -n 's/.*too old to record these events: \(.*\)\.$/\1/p' "$work/notes" | sed 's/, /\n/g' >"$work/left_out"
lkst event list --btf /sys/kernel/btf/vmlinux >"$work/by_types"
sed -n 's/^\([a-z_0-9]*\) .* not on that kernel .*/\1/p' "$work/by_types" >"$work/not_there"
expect_none older_is_known_by_types "$(grep -q '^It is older than Linux 5.18' "$work/by_types" || tail -n 4 "$work/by_types"
	grep -vxFf "$work/not_there" "$work/left_out")"
expect_none older_status_shows_the_core "$(lkst status | grep -q 'maskset [0-9]*, core)' || lkst status | head -n 2)"
expect_stop older_stop_leaves_nothing

expect_start older_start_standard --maskset standard --incidents 1
mkfifo "$work/fifo"
(sleep 2 && echo x >"$work/fifo") &
writer=$!
cat "$work/fifo" >"$work/got" &
reader=$!
wait $writer $reader
dd if=/dev/zero of=/dev/null bs=4k count=100 2>/dev/null
expect_none older_keeps_a_moment "$(lkst incident keep 2>&1 | grep -v '^incident 1')"
expect_too_old older_has_no_probes lkst probe 'p:read vfs_read'
[ "$(uname -m)" = x86_64 ] || expect_too_old older_has_no_triggers lkst trigger add 'syscall:kill result == -EPERM'
lkst snapshot --quiet --output "$work/trace" 2>/dev/null
expect_stop older_stop_leaves_nothing_again

expect_whole older_trace_agrees_with_the_counters "$work/trace"
expect_recorded older_events_are_recorded sched_switch sched_waking sched_process_fork sched_process_exit \
	syscall_entry_read syscall_exit_read softirq_entry hrtimer_expire_entry
# Elsewhere the first hooks a function, and there is no second.
[ "$(uname -m)" != x86_64 ] || expect_recorded older_events_of_x86_are_recorded page_fault_user local_timer_entry
lkst why --tid $reader --worst wait "$work/trace" >"$work/why" 2>&1
expect_none older_names_the_call_and_the_cause \
	"$(grep -qE 'blocked in open(at)?\(.*fifo.*, until [0-9]*/sh' "$work/why" || cat "$work/why")"
# Nobody was preempted while it waited: what a thread waits for is known by its run queue, not by its state.
lkst print --event sched_switch "$work/trace" >"$work/switches"
expect_none older_waits_have_their_call "$(awk '/prev_state=[SD]/ { n++; if (/prev_call=[a-z]/ || /prev_where=kernel/) known++ }
	END { if (known * 100 < n * 95 || !n) print known + 0, "of", n + 0, "waits have a call" }' "$work/switches")"
