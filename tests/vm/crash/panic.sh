#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records under load on both processors, and kills the kernel.
. /tests/lib.sh

load()
{
	while :; do
		ls -l /bin >/dev/null
		dd if=/dev/zero bs=4096 count=64 2>/dev/null | cat >/dev/null
	done
}

# Pages of a recording that has ended: they must not be taken for those of the one that follows.
lkst start --quiet --buffer 256K && sleep 0.2 && lkst stop --quiet
if ! lkst start --buffer 1M >/dev/ttyS0; then
	fail starts_to_record "status $?"
	exit 1
fi
ok starts_to_record
load &
load &
sleep 1
# A process that is younger than what was kept of the state at start.
cp /bin/busybox /tmp/lateborn
/tmp/lateborn sleep 1000 &
sleep 1
echo "lateborn $!"
echo "lkst mark one" >/dev/kmsg
sleep 0.2
echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
