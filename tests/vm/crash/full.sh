#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records, with most of the memory in use, for measuring (bench/extract).
. /tests/common.sh

# Half of what is free holds programs, the rest numbers that do not compress well.
mkdir /tmp/full
n=0
while [ "$(awk '/^MemFree/ { print $2 }' /proc/meminfo)" -gt 120000 ]; do
	n=$((n + 1))
	cat /bin/busybox /bin/lkst >/tmp/full/$n || break
	dd if=/dev/urandom of=/tmp/full/$n.random bs=64k count=16 2>/dev/null || break
done
echo ready
sleep 1000
