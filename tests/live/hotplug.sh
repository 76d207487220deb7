#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# A CPU that goes offline and comes back while recording loses no record.
. "$(dirname "$0")/lib/live.sh"

cpu=$(($(getconf _NPROCESSORS_CONF) - 1))
switch=/sys/devices/system/cpu/cpu$cpu/online
if [ "$cpu" = 0 ] || [ ! -w "$switch" ]; then
	skip_all "hotplug: CPU $cpu cannot be taken offline here"
fi
has_started=yes
at_exit 'echo 1 >"$switch"; clean_up'

if ! "$LKST" start --quiet --budget none --buffer 64M --event 'sched:*' --event 'syscall:getppid' 2>"$work/err"; then
	fail hotplug_start "$(cat "$work/err")"
	exit 1
fi
# A run of getppid on the CPU before it goes, and another after it is back.
run()
{
	taskset -c "$cpu" perl -e 'getppid for 1 .. 1000'
}
run
if ! echo 0 >"$switch" 2>/dev/null; then
	skip_all "hotplug: the kernel refuses to take CPU $cpu offline"
fi
sleep 0.2
echo 1 >"$switch"
run
"$LKST" snapshot --quiet --output "$work/trace"
"$LKST" stop --quiet
expect_whole trace_over_hotplug_is_whole "$work/trace"
counted=$("$LKST" print --format json --event syscall_entry_getppid --cpu "$cpu" "$work/trace" | wc -l)
if [ "$counted" -ge 2000 ]; then
	ok records_before_and_after_hotplug_are_there
else
	fail records_before_and_after_hotplug_are_there "$counted of 2000 calls on CPU $cpu"
fi
exit $failed
