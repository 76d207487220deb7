#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# One probe at many functions: how often it is hit in each of them is what the kernel's own events say, one at each of
# them, for the same run of one process; at their returns, too, with a condition. It can be detached and attached again,
# and nothing is left of it, also of a command that is killed. (rows K01, K03, K15, K16, L04 of doc/heritage.md)
# seconds: 60
. /tests/lib.sh

tracing=/sys/kernel/debug/tracing

if [ ! -e $tracing/kprobe_events ]; then
	echo 'skip set_many: this kernel has no kprobe_events'
	exit
fi

# Says what is left of probes, if that does not go away. The kernel removes a perf event at each function by itself, in the
# background, after grace periods of RCU: a fifth of a second each on an emulated machine. (The file has no size.)
left()
{
	tries=0
	while [ -n "$(cat /sys/kernel/debug/kprobes/list)" ]; do
		tries=$((tries + 1))
		if [ $tries = 960 ]; then
			cat /sys/kernel/debug/kprobes/list
			return
		fi
		sleep 0.25
	done
}

# Sets probe $1, says how long that took as $2, and at how many functions it is.
timed()
{
	began=$(cut -d ' ' -f 1 /proc/uptime)
	lkst probe "$1" >"$work/said" 2>&1 || fail "set_many_takes_$2" "$(cat "$work/said")"
	now=$(cut -d ' ' -f 1 /proc/uptime)
	echo "$2: $(lkst probe --list -v "my:$2" | tail -n 1), set in $(awk "BEGIN { print $now - $began }") s" >&2
}

lkst start --quiet --budget none --buffer 4M --event sched_process_exec --event syscall:openat
# Loaded before there is a probe.
lkst handler load sample --event sched_process_exec --quiet >"$work/said" 2>&1 || fail set_many_loads_sample "$(cat "$work/said")"
# Those that a program passes that copies a file. Where each takes a perf event of its own, so many take seconds.
timed 'p:my/calls vfs_[gorw]*,vfs_fst*' calls
timed 'r:my/returned vfs_[gorw]*,vfs_fst*,do_sys_open* ret=$retval:s32 if ret < 0' returned
at=$(lkst probe --list --format csv 'my:calls' | tail -n 1 | tr -d '\r' | sed 's/.*,//')

# The kernel's own, at each function. It has no dots in names of events.
sed -n 's/^[^ ]* [tTwW] \(vfs_\([gorw]\|fst\)[a-z0-9_.]*\)$/\1/p' /proc/kallsyms | grep -v '\.cold' | sort -u >"$work/matching"
while read -r function; do
	event=$(echo "$function" | tr . _)
	echo "p:kp/$event $function" >>$tracing/kprobe_events && echo "$function" >>"$work/functions"
	echo "r:kr/$event $function ret=\$retval:s32" >>$tracing/kprobe_events
done <"$work/matching" 2>/dev/null
for function in $(sed -n 's/^[^ ]* [tTwW] \(do_sys_open[a-z0-9_]*\)$/\1/p' /proc/kallsyms | sort -u); do
	echo "r:kr/$function $function ret=\$retval:s32" >>$tracing/kprobe_events
done
expect_none set_many_at_all "$([ "$at" = "$(wc -l <"$work/functions")" ] || echo "$at of $(wc -l <"$work/functions") functions; $(cat "$work/said")")"

# The functions that were hit in process $1, in order, by the kernel's events: at entries, then at returns.
kernels()
{
	sed -n "s/^.*-$1 *\[.*: \([a-z0-9_]*\): ([^<]*)\(.*\)/\1/p" "$work/ftrace" >"$work/want_calls"
	sed -n "s/^.*-$1 *\[.*: \([a-z0-9_]*\): (.* <- [^)]*) ret=\(.*\)/\1 \2/p" "$work/ftrace" >"$work/want_returned"
}

# The same by the recording.
recordings()
{
	sed -n "s/^[^ ]* \[[0-9]*\] *$1\/.* my:calls: .*__probe_func=\([^ ]*\)$/\1/p" "$work/print" | tr . _ >"$work/got_calls"
	sed -n "s/^[^ ]* \[[0-9]*\] *$1\/.* my:returned: .*__probe_func=\([^ ]*\) ret=\(.*\)$/\1 \2/p" "$work/print" |
		tr . _ >"$work/got_returned"
}

echo 'ret < 0' >$tracing/events/kr/filter
echo 1 >$tracing/events/kp/enable
echo 1 >$tracing/events/kr/enable
for file in "$0" /no/such/file; do
	echo >$tracing/trace
	sh -c "echo \$\$ >$tracing/set_event_pid; echo \$\$ >$work/pid; echo 1 >$tracing/tracing_on
		exec dd if=$file of=$work/out bs=1234 count=9" 2>/dev/null
	echo 0 >$tracing/tracing_on
	cp $tracing/trace "$work/ftrace"
	kernels "$(cat "$work/pid")"
	rm -rf "$work/trace"
	lkst snapshot --quiet --output "$work/trace"
	lkst print --event 'my:*' "$work/trace" >"$work/print"
	recordings "$(cat "$work/pid")"
	for event in calls returned; do
		n=$(wc -l <"$work/want_$event")
		# The shell has said that it is to be traced before that was so: it may have more before.
		tail -n "$n" "$work/got_$event" >"$work/got"
		# What can be read may do so without an error.
		[ "$n" -gt 0 ] || [ "$event$file" = "returned$0" ] || fail set_many_sees_something "$event, $file"
		if cmp -s "$work/want_$event" "$work/got"; then
			ok "set_many_${event}_$(basename "$file")"
		else
			fail "set_many_${event}_$(basename "$file")" "$n: $(diff "$work/want_$event" "$work/got" | head -n 8)"
		fi
	done
done
expect_none set_many_condition_drops "$(grep 'my:returned' "$work/print" | grep -v 'ret=-')"
echo 0 >$tracing/events/kp/enable
echo 0 >$tracing/events/kr/enable
echo >$tracing/kprobe_events

# Which functions said that there is no such file, the first one first (I33). Not every kernel has the type of the first.
lkst probe --quiet 'r:errors/ints link_path_walk*,path_openat ret=$retval:s32 if ret < 0' >"$work/said" 2>&1
lkst probe --quiet 'r:errors/longs path_openat,do_filp_open,do_sys_openat2 ret=$retval:s64 if ret < 0 and ret >= -4095' \
	>>"$work/said" 2>&1
cat /no/such/file 2>/dev/null
lkst snapshot --quiet --output "$work/errors"
lkst analyze errors --format csv "$work/errors" >"$work/table" 2>>"$work/said"
expect_none set_many_errors "$(grep -qE 'openat,ENOENT,[0-9]+,[a-z_.0-9]+,"(path_openat,)?do_filp_open,do_sys_openat2",' "$work/table" ||
	cat "$work/said" "$work/table")"
lkst probe --quiet --del 'errors:*'

# Detached and attached again; then by --del; then by a command that is killed at some point of it.
lkst maskset set RNOTHING >"$work/said" 2>&1
expect_none set_many_detached "$(lkst probe --list -v my:calls | tail -n 1 | grep -v ' detached,')"
lkst maskset --quiet 'mine+=my:*' >"$work/said" 2>&1
lkst maskset --quiet set mine >>"$work/said" 2>&1
again=$(lkst probe --list -v my:calls | tail -n 1)
expect_none set_many_attached_again "$(case $again in *' kprobe'*" at $at functions") ;; *) echo "$again" ;; esac)"
# A handler's program at all functions, in place of DEFAULT's, keeps one hit in three. A block that dd copies is two.
lkst handler set sample one_in=3 >>"$work/said" 2>&1
lkst maskset --quiet --handler sample 'third+=my:calls' >>"$work/said" 2>&1
lkst maskset --quiet set third >>"$work/said" 2>&1
dd if="$0" of=/dev/null bs=12 count=200 2>/dev/null &
reader=$!
wait $reader
lkst maskset --quiet set RNOTHING
rm -rf "$work/trace"
lkst snapshot --quiet --output "$work/trace"
kept=$(lkst print --event my:calls "$work/trace" | grep -c "^[^ ]* [^ ]* *$reader/dd .*__probe_func=vfs_read$")
expect_none set_many_handler "$([ "$kept" -ge 60 ] && [ "$kept" -le 75 ] || echo "$kept of 200; $(cat "$work/said")")"
lkst probe --quiet --del 'my:*' >>"$work/said" 2>&1
expect_none set_many_del "$(lkst probe --list)"
expect_none set_many_del_leaves_nothing "$(left)"
for tenths in 2 5 9; do
	lkst probe --quiet 'p:my/killed vfs_*' >"$work/said" 2>&1 &
	sleep 0.$tenths
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	lkst probe --list >>"$work/said" 2>&1 || fail set_many_killed "$(cat "$work/said")"
	lkst probe --quiet --del my:killed >>"$work/said" 2>&1
done
expect_none set_many_killed_leaves_nothing "$(left)"
lkst probe 'p:my/all *' >"$work/said" 2>&1
expect_none set_many_bounded "$(grep -q '4096' "$work/said" || cat "$work/said")"
lkst probe 'p:my/none no_such_*' >"$work/said" 2>&1
expect_none set_many_needs_one "$(grep -q 'no function matches' "$work/said" || cat "$work/said")"
# One link has more than a thousand at once; without it each takes a perf event of its own.
case $again in
*' kprobe.multi,'*) wanted=1000 globs='tcp_*,udp_*,ip_*,ip6_*,ipv6_*,inet_*,inet6_*,sock_*,skb_*,dev_*,netdev_*' ;;
*) wanted=20 globs='tcp_v4_*' ;;
esac
timed "p:my/network $globs" network
at=$(lkst probe --list --format csv my:network | tail -n 1 | tr -d '\r' | sed 's/.*,//')
expect_none set_many_of_the_network "$([ "$at" -ge $wanted ] || echo "at $at functions; $(cat "$work/said")")"
lkst stop --quiet
expect_none set_many_stop_leaves_nothing "$(left)"
