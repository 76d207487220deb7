#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Cgroups of version 2, alone on the machine: of a thread that was there, of one that comes to a cgroup that is made
# meanwhile, and of its child.
# boot: lkst.guest=another
# seconds: 10
. /tests/lib.sh

mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mkdir /sys/fs/cgroup/before /sys/fs/cgroup/lxc
sh -c 'echo $$ >/sys/fs/cgroup/before/cgroup.procs; exec sleep 1000' &
there=$!
while ! grep -q before "/proc/$there/cgroup"; do sleep 0.1; done
expect_start cgroups_start --event 'sched_*' --budget none
mkdir /sys/fs/cgroup/lxc/web
sh -c 'echo $$ >/sys/fs/cgroup/lxc/web/cgroup.procs; sh -c "exit 7"; exit 8'
lkst snapshot --quiet --output "$work/trace"
id=$(ls -id /sys/fs/cgroup/before | awk '{ print $1 }')
expect_none cgroups_of_threads_that_were_there "$(lkst print --format json --event state_thread "$work/trace" |
	grep "\"thread_tid\":$there," | grep -v "\"cgroup\":$id}")"
lkst print --cgroups --event 'cgroup_*' --event sched_process_exit "$work/trace" >"$work/printed"
expect_none cgroups_that_are_made "$(grep -q 'cgroup_mkdir: .*path="/lxc/web"' "$work/printed" || cat "$work/printed")"
expect_none cgroups_that_threads_come_to \
	"$(grep -q '{lxc:web} sched_process_exit: .*exit_code=8 .*cgroup="/lxc/web"' "$work/printed" || cat "$work/printed")"
expect_none cgroups_that_are_inherited \
	"$(grep -q '{lxc:web} sched_process_exit: .*exit_code=7 .*cgroup="/lxc/web"' "$work/printed" || cat "$work/printed")"
kill "$there"
expect_stop cgroups_leave_nothing
umount /sys/fs/cgroup
