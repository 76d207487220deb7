#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A module of the tests' own makes the kernel do what programs cannot make it do, with values that it
# knows: every event is recorded with these, every variant of a lock as often as it was taken. Probes that
# were set before the module is there see its functions, from its first one to its last.
# boot: lkst.guest=another
# seconds: 10
. /tests/lib.sh

probes=/sys/kernel/debug/tracing/kprobe_events

if [ ! -e /lkst_test.ko ]; then
	echo 'skip module: the module was not built for this kernel'
	exit
fi
# The kernel sets them when the module comes, before anything of it runs.
# (It sets none to what a module ends with: that is what module_free and syscall_entry_delete_module are for.)
for probe in p:lkst_test/begin:init_module p:lkst_test/probed:lkst_test_probed r:lkst_test/returns:lkst_test_probed; do
	echo "${probe%:*} lkst_test:${probe##*:}" >>$probes
done

# load TRACE OPTION...: loads and unloads the module, recording what the options select.
load()
{
	local name=$1

	shift
	if lkst record --quiet --output "$work/$name" "$@" -- \
	   sh -c 'echo l >/proc/sysrq-trigger; insmod /lkst_test.ko; cat /proc/lkst_test >'"$work/$name.all"'; rmmod lkst_test' 2>"$work/notes"; then
		ok "module_${name}_is_recorded"
	else
		fail "module_${name}_is_recorded" "$(cat "$work/notes")"
	fi
	cat "$work/notes" >&2
	expect_whole "module_${name}_trace_is_whole" "$work/$name"
}

# No "group:*", which would select the kernel's tracepoints of a system of that name as well.
options=
for glob in '*wait*' 'kthread*' 'k*alloc' 'kfree' 'kmem*' '*vmap*' vfree 'timer*' 'tasklet*' 'workqueue*' 'page_fault*' \
	'trap*' nmi_handler mce_record oops 'module*' 'initcall*' 'lkst_test:*'; do
	options="$options --event $glob"
done
set -f
# shellcheck disable=SC2086 # a list of options
load events $options
set +f
# A backtrace of all CPUs asks the others by NMI.
echo 'nmi_handler@elsewhere "nr_handled":1' >>"$work/events.all"
grep -vE '_(try|un)?lock|^bits ' "$work/events.all" >"$work/events.expected"
expect_records module "$work/events.expected" "$work/events"
bits=$(sed -n 's/^bits //p' "$work/events.all")
if [ -n "$bits" ] && lkst event show timer_start | grep -qF "$bits"; then
	ok module_timer_flags_are_the_kernels
else
	fail module_timer_flags_are_the_kernels "the kernel says $bits"
fi
lkst print --event 'lkst_test:*' "$work/events" >"$work/probes"
for want in begin 'probed: .*arg1=0x29 ' 'returns: .*ret=42$'; do
	grep -q "lkst_test:$want" "$work/probes" && ok "module_probe_sees_${want%%:*}" ||
		fail "module_probe_sees_${want%%:*}" "$(cat "$work/probes")"
done
echo >$probes

# By itself: a program of a function does not run while one interrupts another, and these run always.
load locks --event 'lock:*'
grep -E '^tid|_(try|un)?lock' "$work/locks.all" >"$work/locks.expected"
expect_records module "$work/locks.expected" "$work/locks"

# Probes that are set before the module is there wait for it, each time that it comes: as often as the kernel's own
# event at the same place is hit (L28).
tracing=/sys/kernel/debug/tracing
lkst start --quiet --budget none --event sched_process_exec
lkst probe 'p:later/probed lkst_test:lkst_test_probed value=$arg1:s32' >"$work/said" 2>&1
expect_none module_probe_says_that_it_waits "$(grep -q 'waits for module lkst_test' "$work/said" || cat "$work/said")"
lkst probe --quiet 'r:later/returns lkst_test:lkst_test_probed ret=$retval:s32' >"$work/said" 2>&1
expect_none module_probe_is_listed_as_waiting "$(lkst probe --list -v later:probed | grep -q ' waiting,' || lkst probe --list -v)"
echo 'p:own/probed lkst_test:lkst_test_probed' >>$probes
echo 1 >$tracing/events/own/enable
for turn in 1 2; do
	insmod /lkst_test.ko
	[ $turn = 1 ] && expect_none module_probe_waits_no_longer "$(lkst probe --list -v later:probed | grep ' waiting,')"
	cat /proc/lkst_test >/dev/null
	rmmod lkst_test
done
want=$(awk '$1 == "own/probed" || $1 == "probed" { print $2 }' $tracing/kprobe_profile)
echo 0 >$tracing/events/own/enable
lkst snapshot --quiet --output "$work/later"
got=$(lkst print --event later:probed "$work/later" | grep -c 'value=41$')
returned=$(lkst print --event later:returns "$work/later" | grep -c 'ret=42$')
expect_none module_probe_sees_each_call "$([ "$want" -gt 1 ] && [ "$got" = "$want" ] && [ "$returned" = "$want" ] ||
	echo "$got and $returned, not $want; $(cat "$work/said"; lkst print --event 'later:*' "$work/later" | head -n 4)")"
# And so do those that were set while it was there, whether they name it or not.
insmod /lkst_test.ko
echo 'p:own/again lkst_test:lkst_test_probed' >>$probes
echo 1 >$tracing/events/own/again/enable
lkst probe --quiet 'p:later/again lkst_test:lkst_test_probed value=$arg1:s32' >"$work/said" 2>&1
lkst probe --quiet 'r:later/back lkst_test:lkst_test_probed ret=$retval:s32' >>"$work/said" 2>&1
lkst probe --quiet 'p:later/unnamed lkst_test_probed' >>"$work/said" 2>&1
expect_none module_probe_is_there "$(lkst probe --list -v later:again later:back later:unnamed | grep -E 'waiting|nowhere'; cat "$work/said")"
cat /proc/lkst_test >/dev/null
rmmod lkst_test
for probe in again back unnamed; do
	expect_none "module_probe_${probe}_waits_again" "$(lkst probe --list -v "later:$probe" | grep -q ' waiting,' ||
		lkst probe --list -v "later:$probe")"
done
insmod /lkst_test.ko
expect_none module_probe_is_there_again "$(lkst probe --list -v later:again later:back later:unnamed | grep -E 'waiting|nowhere')"
cat /proc/lkst_test >/dev/null
want=$(awk '$1 == "own/again" || $1 == "again" { print $2 }' $tracing/kprobe_profile)
echo 0 >$tracing/events/own/again/enable
lkst snapshot --quiet --output "$work/again"
got=$(lkst print --event later:again "$work/again" | grep -c 'value=41$')
returned=$(lkst print --event later:back "$work/again" | grep -c 'ret=42$')
unnamed=$(lkst print --event later:unnamed "$work/again" | wc -l)
expect_none module_probe_comes_back "$([ "$want" -gt 0 ] && [ "$got $returned $unnamed" = "$want $want $want" ] ||
	echo "$got, $returned and $unnamed, not $want; $(cat "$work/said")")"
rmmod lkst_test
lkst probe --quiet --del 'later:[abu]*'
# The module that comes has no such function.
lkst probe --quiet 'p:later/missing lkst_test:no_such_function' 2>"$work/said"
insmod /lkst_test.ko
expect_none module_probe_of_no_function_is_nowhere "$(lkst probe --list -v later:missing | grep -q ' nowhere,' || lkst probe --list -v later:missing)"
rmmod lkst_test
# What it has only as it comes was there, and is freed.
lkst probe --quiet 'p:later/first lkst_test:init_module' 2>"$work/said"
insmod /lkst_test.ko
expect_none module_probe_of_freed_code_is_gone "$(lkst probe --list -v later:first | grep -q ' gone, 1 hits' ||
	lkst probe --list -v later:first)"
rmmod lkst_test
expect_none module_probe_of_freed_code_waits_again "$(lkst probe --list -v later:first | grep -q ' waiting, 1 hits' ||
	lkst probe --list -v later:first)"
lkst probe --quiet --del later:missing
lkst probe --quiet --del later:first
lkst probe --quiet --del later:returns
expect_none module_probe_is_removed "$(grep -c lkst_probes $probes | grep -vx 1)"
lkst stop --quiet
expect_none module_probe_leaves_nothing "$(grep lkst_probes $probes)"
echo >$probes
lkst record --quiet --output "$work/waited" --probe 'p:later/probed lkst_test:lkst_test_probed value=$arg1:s32' \
	--event 'later:*' -- sh -c 'insmod /lkst_test.ko; cat /proc/lkst_test >/dev/null; rmmod lkst_test' >"$work/said" 2>&1
expect_none module_probe_is_recorded "$([ "$(lkst print --event later:probed "$work/waited" | grep -c 'value=41$')" = $((want / 2)) ] ||
	cat "$work/said")"
expect_none module_recorded_probe_leaves_nothing "$(grep lkst_probes $probes)"
