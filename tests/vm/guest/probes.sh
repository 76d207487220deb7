#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Probes that a user has set through tracefs: at a function's beginning its arguments are recorded, inside it the
# registers, by their names. What the probe's own arguments fetch is not recorded, and that is said.
# seconds: 6
. /tests/lib.sh

probes=/sys/kernel/debug/tracing/kprobe_events

if [ ! -e $probes ]; then
	echo 'skip probes: this kernel has no kprobe_events'
	exit
fi
# vfs_read(file, buffer, count, position): the count is the third argument, on x86 in dx, on arm64 in x2.
case $(uname -m) in
aarch64) count=x2 ;;
*) count=dx ;;
esac
echo "p:my/at_entry vfs_read count=%$count:u64" >>$probes
echo 'r:my/at_return vfs_read' >>$probes
# After what the compiler puts first: a landing pad, the call for ftrace, or both.
for offset in 5 9 4 8; do
	if echo "p:my/inside vfs_read+$offset count=%$count:u64" >>$probes; then break; fi
done 2>/dev/null

# Three reads of a length that nobody else asks for.
if lkst record --output "$work/trace" --event 'my:*' -- dd if=/dev/zero of=/dev/null bs=12345 count=3 >"$work/said" 2>&1; then
	ok probes_are_recorded
else
	fail probes_are_recorded "$(cat "$work/said")"
fi
expect_whole probes_trace_is_whole "$work/trace"
lkst print --format json --event 'my:*' "$work/trace" >"$work/records"
for want in at_entry:arg3 "inside:$count"; do
	n=$(grep "\"event\":\"my:${want%:*}\"" "$work/records" | grep -c "\"${want#*:}\":12345[,}]")
	if [ "$n" = 3 ]; then
		ok "probes_${want%:*}_has_the_count"
	else
		fail "probes_${want%:*}_has_the_count" "$n records have it: $(grep "my:${want%:*}\"" "$work/records" | tail -n 2)"
	fi
done
n=$(grep '"event":"my:at_return"' "$work/records" | grep -c '"ret":12345[,}]')
expect_none probes_return_has_the_result "$([ "$n" = 3 ] || echo "$n records have it")"
expect_none probes_inside_has_no_arguments "$(grep '"my:inside"' "$work/records" | grep -m 1 '"arg')"
expect_none probes_say_what_is_not_recorded "$(for name in at_entry inside; do
	grep -q "my:$name is a probe whose own arguments are not recorded: count" "$work/said" || echo "$name: $(cat "$work/said")"
done)"
lkst event show my:inside >"$work/said" 2>&1
expect_none probes_are_explained "$(grep -q "$count" "$work/said" && grep -q 'not recorded: count' "$work/said" || cat "$work/said")"
echo >$probes
