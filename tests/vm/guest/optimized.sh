#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel replaces the breakpoint of a probe in the midst of a function by a jump, where the instructions there let it:
# `lkst probe --list -v` says of each probe what the kernel's own list says, also after the kernel was told to do without
# (sysctl debug.kprobes-optimization), and the probe is hit either way. (rows M01 to M03 of doc/heritage.md)
# seconds: 15
. /tests/lib.sh

list=/sys/kernel/debug/kprobes/list
switch=/proc/sys/debug/kprobes-optimization

if [ ! -e $switch ]; then
	echo 'skip optimized: this kernel replaces no breakpoint by a jump'
	exit
fi

# How the kernel gets to probe $1, as we say it in $work/ours, two lines after its name.
ours()
{
	grep -A 2 "my:$1 " "$work/ours" | sed -n 's/.*\(breakpoint\|jump\|ftrace\).*/\1/p'
}

# The same for the probe at offset $1 of the function, in hex, by the kernel's list.
kernels()
{
	case $(grep "  k  vfs_read+0x$1 " $list) in
	*'[OPTIMIZED]'*) echo jump ;;
	*'[FTRACE]'*) echo ftrace ;;
	*vfs_read*) echo breakpoint ;;
	esac
}

# Waits until the kernel has some probe optimized, or none: it does so in the background, some ticks later.
wait_for()
{
	tries=0
	until [ "$(grep -c '\[OPTIMIZED\]' $list)" "$1" 0 ] || [ $tries = 200 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

# Compares what is said of each probe; $1: the test's name.
compare()
{
	wrong=
	lkst probe --list -v >"$work/ours"
	for at in $offsets; do
		hex=$(printf %x "$at")
		[ "$(ours "at$at")" = "$(kernels "$hex")" ] || wrong="$wrong +$at: $(ours "at$at"), $(grep "vfs_read+0x$hex " $list)"
	done
	expect_none "$1" "$wrong"
}

# How often each probe is hit by a program that reads nine blocks.
hits()
{
	dd if="$0" of=/dev/null bs=10 count=9 2>/dev/null &
	reader=$!
	wait $reader
	rm -rf "$work/trace"
	lkst snapshot --quiet --output "$work/trace"
	lkst print --event 'my:*' "$work/trace" | grep "^[^ ]* [^ ]* *$reader/dd " >"$work/printed"
	for at in $offsets; do
		echo "+$at: $(grep -c " my:at$at: " "$work/printed")"
	done
}

lkst start --quiet --budget none --buffer 4M --event sched_process_exec
# The kernel refuses what is within an instruction. A function's first instructions may be those of ftrace and ENDBR.
offsets= set=0 at=5
while [ $at -le 40 ] && [ $set -lt 6 ]; do
	lkst probe --quiet "p:my/at$at vfs_read+$at" 2>/dev/null && offsets="$offsets $at" && set=$((set + 1))
	at=$((at + 1))
done
wait_for -gt
expect_none optimized_some "$(grep -q '\[OPTIMIZED\]' $list || cat $list)"
compare optimized_is_said
hits >"$work/with"
echo 0 >$switch
wait_for -eq
expect_none optimized_none "$(grep '\[OPTIMIZED\]' $list)"
compare optimized_not_is_said
hits >"$work/without"
echo 1 >$switch
wait_for -gt
compare optimized_again_is_said
expect_none optimized_hits "$(grep -qE '^\+[0-9]*: (9|1[0-9])$' "$work/with" || cat "$work/with")"
expect_none optimized_hits_alike "$(diff "$work/with" "$work/without")"
# A function with several names, of which the list has one.
lkst probe --quiet "p:my/ppid __x64_sys_getppid"
at=$(grep -E '  k  [a-z0-9_]*sys_getppid\+' $list)
lkst probe --list -v >"$work/ours"
expect_none optimized_by_another_name "$(case "$at $(ours ppid)" in *'[FTRACE]'*' ftrace') ;; *) echo "$at; $(ours ppid)" ;; esac)"
lkst stop --quiet
