#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel refuses of probes is known before anything is set: of a glob it is left out, by name, and a dry run
# refuses what setting one refuses.
# seconds: 6
. /tests/lib.sh

if ! grep -q ' vfs_caches_init$' /proc/kallsyms || [ ! -e /sys/kernel/debug/kprobes/blacklist ]; then
	echo 'skip probe_refused: this kernel does not list its functions, or those that it refuses'
	exit
fi
lkst probe --dry-run 'vfs_c*' >"$work/said" 2>&1
expect_none probe_refused_takes_a_glob "$([ $? = 0 ] || cat "$work/said")"
expect_none probe_refused_names_what_is_left_out "$(grep -q 'are left out.*vfs_caches_init' "$work/said" || cat "$work/said")"
lkst start --quiet --budget none --event sched_process_exec
for place in do_int3 kprobe_ftrace_handler notify_die jiffies init_task _etext 0x0 name_show; do
	lkst probe --dry-run "p:my/refused $place" >"$work/dry" 2>&1
	dry=$?
	lkst probe "p:my/refused $place" >"$work/set" 2>&1
	set=$?
	expect_none "probe_refused_dry_as_set_$place" "$([ $dry = 1 ] && [ $set = 1 ] || cat "$work/dry" "$work/set")"
done
lkst probe --quiet 'vfs_c*' >"$work/said" 2>&1
expect_none probe_refused_sets_the_others "$([ $? = 0 ] && lkst probe --list | grep -q '^probe:vfs_create ' || cat "$work/said")"
lkst stop --quiet
