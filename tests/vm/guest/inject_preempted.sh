#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lkst inject where the kernel may preempt a thread anywhere: it is refused, or many threads at once fail exactly as
# often as was asked for, each time with a record, and no record is lost (row I34 of doc/heritage.md).
# boot: preempt=full
# seconds: 20
. /tests/lib.sh

hook=security_inode_mkdir
said=$work/said

mkdir -p /etc/lkst
echo 'inject = allowed' >/etc/lkst/lkst.conf
lkst start --quiet --budget none --buffer 4M --event sched_process_exec

# Arms the injection $1; false: it was refused.
arm()
{
	rm -f "$said"
	lkst inject "$@" >"$said" 2>&1 &
	armed=$!
	until grep -q '^armed:' "$said" 2>/dev/null; do
		kill -0 $armed 2>/dev/null || return 1
		sleep 0.1
	done
}

# Four processes at once that call the function 1000 times each: $seen is how often it failed.
call_at_once()
{
	for i in 1 2 3 4; do
		"$load/mkdirs" 1000 >"$work/out.$i" &
		eval "child$i=$!"
	done
	wait $child1 $child2 $child3 $child4
	seen=$(cat "$work"/out.? | sed -n 's/^failed //p' | awk '{ n += $1 } END { print n }')
}

if ! arm "$hook return -EIO comm mkdirs times 100"; then
	expect_none inject_preempted_is_refused "$(grep -q 'may preempt a program' "$said" || cat "$said")"
	lkst stop --quiet
	rm -rf /etc/lkst
	exit
fi
call_at_once
wait $armed
expect_none inject_preempted_exactly "$([ "$seen" = 100 ] || echo "$seen, not 100")"
arm "$hook return -EIO comm mkdirs every 3"
call_at_once
kill $armed
wait $armed
# Calls that the kernel did not ask the program for, since it was in it already.
missed=$(sed -n 's/^\([0-9]*\) calls more ran.*/\1/p' "$said")
calls=$((4000 - ${missed:-0}))
expect_none inject_preempted_every_third "$([ "$seen" = $((calls / 3)) ] && grep -q "$seen injected in $calls calls" "$said" ||
	echo "$seen failed; $(cat "$said")")"
lkst snapshot --quiet --output "$work/trace"
expect_whole inject_preempted_trace_is_whole "$work/trace"
lkst print --format json --event 'inject:*' "$work/trace" | sed -n 's/.*"nr":\([0-9]*\).*/\1/p' | sort -n >"$work/numbers"
{
	seq 100
	seq "$seen"
} | sort -n >"$work/want"
expect_none inject_preempted_each_is_a_record "$(cmp "$work/want" "$work/numbers" 2>&1)"
lkst stop --quiet
rm -rf /etc/lkst
