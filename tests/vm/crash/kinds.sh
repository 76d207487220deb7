#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records and kills the kernel as "lkst.kind=KIND:CPU" on its command line says.
. /tests/common.sh
kind=$(sed -n 's/.*lkst\.kind=\([a-z]*\):.*/\1/p' /proc/cmdline)
cpu=$(sed -n 's/.*lkst\.kind=[a-z]*:\([0-9]*\).*/\1/p' /proc/cmdline)

# set NAME VALUE: a variable of the kernel's.
set_sysctl()
{
	echo "$2" >"/proc/sys/$1"
}

set_sysctl kernel/sysrq 1
set_sysctl kernel/panic_on_oops 1
set_sysctl kernel/unknown_nmi_panic 1
case $kind in
warn) set_sysctl kernel/panic_on_warn 1 ;;
oom) set_sysctl vm/panic_on_oom 1 ;;
softlockup)
	set_sysctl kernel/watchdog_thresh 1
	set_sysctl kernel/softlockup_panic 1
	;;
hung)
	set_sysctl kernel/hung_task_panic 1
	set_sysctl kernel/hung_task_timeout_secs 1
	;;
esac
# The ring may turn over before it comes to the panic, and then there is nothing but marks to tell when that was.
taskset "$((2 >> cpu))" sh -c 'n=0; while n=$((n + 1)); do echo "lkst mark $n" >/dev/kmsg; sleep 0.1; done' &
sleep 0.5
echo ready
case $kind in
nmi) sleep 1000 ;;
sysrq) taskset "$((1 << cpu))" sh -c 'echo c >/proc/sysrq-trigger' ;;
oom)
	mount -o remount,size=4G /tmp
	taskset "$((1 << cpu))" sh -c 'dd if=/dev/zero of=/tmp/all bs=1M'
	;;
*) taskset "$((1 << cpu))" insmod /lkst_crash.ko "kind=$kind" ;;
esac
