#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in a guest of bench/probe-guest: what a hit costs at a function's beginning, in the midst of it by a jump and by a
# breakpoint, and at its return.

export LKST=/bin/lkst
function=__x64_sys_getppid
list=/sys/kernel/debug/kprobes/list

# The first place in the function where the kernel replaces the breakpoint by a jump; it does so some ticks later.
find_jump()
{
	lkst start --quiet --budget none --event sched_process_exec
	at=1
	while [ $at -lt 64 ]; do
		if lkst probe --quiet "p:my/at$at $function+$at" 2>/dev/null; then
			tries=0
			while [ $tries -lt 10 ] && ! grep -q '\[OPTIMIZED\]' $list; do
				sleep 0.1
				tries=$((tries + 1))
			done
			grep -q '\[OPTIMIZED\]' $list && echo $at && break
			lkst probe --quiet --del "my:at$at"
		fi
		at=$((at + 1))
	done
	lkst stop --quiet
}

# measure WHAT ARGUMENTS...
measure()
{
	echo "$1:"
	shift
	if ! bench-probe --rounds 3 --calls 100 "$@" 2>&1; then
		echo "FAIL; $list:"
		cat $list
		lkst stop --quiet
		echo >/sys/kernel/debug/tracing/kprobe_events
	fi
	echo
}

at=$(find_jump)
measure "kprobe at $function, by ftrace" --at $function --backend ftrace
if [ -n "$at" ]; then
	measure "kprobe at $function+$at, by a jump" --at "$function+$at" --backend jump
	echo 0 >/proc/sys/debug/kprobes-optimization
	measure "kprobe at $function+$at, by a breakpoint" --at "$function+$at" --backend breakpoint
	echo 1 >/proc/sys/debug/kprobes-optimization
fi
measure "kretprobe at $function" --at $function --return
