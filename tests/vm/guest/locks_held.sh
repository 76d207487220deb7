#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Who has a lock of the kernel's that a thread waits for, on kernels that keep it, and on those where only contention
# tells; and threads that hang: the kernel's detector is set to a second, and one incident is kept however many they
# are.
# seconds: 12
. "${LKST_TESTS:-/tests}/lib.sh"

# The numbers of the thread that waits and the one that has the lock, of kind $1.
waiter_of()
{
	awk -v what="$1" '$1 == what { print $2 }' "$work/waits"
}
holder_of()
{
	awk -v what="$1" '$1 == what { print $3 }' "$work/waits"
}

# Passes if event $3 says of the wait $2 that "$4 $5": who it is, and what.
expect_holder()
{
	expect_none "$1" "$(lkst print --format json --event "$3" "$work/trace" | grep "\"tid\":$(waiter_of "$2")," |
		grep "\"holder_tid\":$4," | grep -q "\"holder_is\":$5," ||
		lkst print --event "$3" "$work/trace" | grep " $(waiter_of "$2")/" | tail -n 3 | grep . || echo none)"
}

mkdir "$work/locks"
mkfifo "$work/input"
expect_start locks_start --budget none --buffer 4M --incidents 2
if has_event sched_process_hang && [ -e /proc/sys/kernel/hung_task_timeout_secs ]; then
	hangs=yes
	lkst trigger add sched_process_hang --name hang --rate 1/10m >"$work/add" 2>&1 ||
		fail locks_trigger "$(cat "$work/add")"
fi
"$load/locks_held" "$work/locks" <"$work/input" >"$work/waits" 2>"$work/err" &
exec 3>"$work/input"
until grep -q ready "$work/waits" || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
if grep -q ready "$work/waits"; then
	lkst snapshot --quiet --output "$work/trace"
	expect_holder locks_of_programs_that_lend_priority futex sched_blocker "$(holder_of futex)" 1
	if [ -e /sys/kernel/realtime ]; then
		expect_holder locks_that_lend_priority_name_the_holder mutex sched_blocker "$(holder_of mutex)" 1
		expect_holder locks_of_files_too write sched_blocker "$(holder_of write)" 1
	elif has_event contention_begin; then
		expect_holder locks_contended_name_the_holder mutex contention_begin "$(holder_of mutex)" 1
		expect_holder locks_contended_for_writing write contention_begin "$(holder_of write)" 1
		expect_holder locks_contended_that_are_read reader contention_begin "$(holder_of reader)" 2
	fi
	if [ -n "$hangs" ]; then
		echo 1 >/proc/sys/kernel/hung_task_timeout_secs
		tries=0
		until lkst trigger list --json | grep -q '"held_back":[1-9]' || [ $tries = 600 ]; do
			sleep 0.1
			tries=$((tries + 1))
		done
		echo 120 >/proc/sys/kernel/hung_task_timeout_secs
		lkst incident list --json >"$work/kept"
		expect_none hang_is_one_incident "$([ "$(wc -l <"$work/kept")" = 1 ] || cat "$work/kept")"
		expect_none hang_fires_once "$(lkst trigger list --json | grep -q '"fired":1,' || lkst trigger list)"
		rm -rf "$work/trace"
		lkst snapshot --quiet --output "$work/trace"
		lkst print --event sched_process_hang "$work/trace" >"$work/hung"
		hung=$(grep "target=$(waiter_of mutex)/.*call=read where=call" "$work/hung")
		expect_none hang_names_the_thread "$([ -n "$hung" ] || tail -n 3 "$work/hung" | grep . || echo none)"
	fi
else
	echo "skip locks_are_held: $(cat "$work/err")"
fi
exec 3>&-
wait
expect_stop locks_stop
